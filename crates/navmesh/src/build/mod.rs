//! Building a navmesh from triangles.
