//! Navmeshes: reading and writing Habitat's `.navmesh` files, building with Recast's semantics,
//! and every question that navigation asks: snap, step, path, distance, island, obstacle.

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
