//! Geodesic distance fields.
