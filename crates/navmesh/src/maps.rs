//! Top-down maps.
