//! True shortest paths.
