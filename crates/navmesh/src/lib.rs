//! Navmeshes: where a body can stand and how it gets from one place to another. Reads and writes
//! Habitat's `.navmesh` files, builds navmeshes from triangles with Recast's semantics, and
//! answers what navigation asks: snap, step, path, distance, island, obstacle, random point, map.
//!
//! A [`NavMesh`] is immutable and shared behind an `Arc`; each thread asks it through a
//! [`NavQuery`] of its own. Queries give the values of Habitat's `PathFinder`, to the bit where
//! the same floats go in (`docs/PARITY.md` has the shares); [`exact`] and [`DistanceField`] give
//! true shortest paths instead. Where an answer would be infinite or a step is refused, there is a
//! [`NavReason`] that says why.
//!
//! This crate never guesses: a point off the navmesh, a goal on another island or a coordinate
//! that is not a number gives a reason, not a number. It never panics on a file or a question,
//! reads no clock and draws no random number without a stream that was handed to it. A body's
//! heading and collisions are the business of the `body` crate.
//!
//! ```
//! use ambler_geometry::Vec3;
//! use ambler_navmesh::{NavMesh, NavMeshSettings, NavQuery, NavReason};
//! use std::sync::Arc;
//!
//! // A floor of 6 × 4 m, counter-clockwise seen from above, and a table top in its middle.
//! let slab = |x: f32, z: f32, dx: f32, dz: f32, y: f32| {
//!     [(0.0, 0.0), (0.0, dz), (dx, dz), (dx, 0.0)].map(|(px, pz)| Vec3::new(x + px, y, z + pz))
//! };
//! let vertices = [slab(0.0, 0.0, 6.0, 4.0, 0.0), slab(2.0, 1.0, 1.6, 1.6, 0.8)].concat();
//! let triangles = [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]];
//! let mesh = NavMesh::build(&vertices, &triangles, &NavMeshSettings::for_body(1.41, 0.17))?;
//! let mut query = NavQuery::new(Arc::new(mesh));
//!
//! let (west, east) = (Vec3::new(0.5, 0.0, 2.0), Vec3::new(5.5, 0.0, 2.0));
//! let path = query.find_path(west, east)?;
//! assert!(path.length_m > 5.0, "the way leads around the table");
//!
//! let table = Vec3::new(2.8, 0.8, 1.8);
//! let reason = query.geodesic(west, table).unwrap_err();
//! assert!(matches!(reason, NavReason::DifferentIsland { .. }));
//!
//! // A step into the void slides along the border, or stops there.
//! let reached = query.try_step(west, west - Vec3::X, false);
//! assert!(reached.x > 0.0 && query.is_navigable(reached, 0.5));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests"))]

pub mod build;
mod error;
pub mod exact;
mod field;
mod format;
mod links;
pub mod maps;
mod mesh;
mod query;
mod reason;
mod settings;
mod surface;
mod tile;

pub use error::NavMeshError;
pub use field::DistanceField;
pub use mesh::{Island, NavMesh};
pub use query::{GoalSet, NAVIGABLE_HEIGHT_M, NavQuery, OBSTACLE_RADIUS_M, Obstacle, Path, Snap};
pub use reason::NavReason;
pub use settings::NavMeshSettings;
