//! Habitat's `.navmesh` files.
