//! Queries on a navmesh.
