//! Navmeshes: reading and writing Habitat's files, building with Recast's semantics, and queries.

mod settings;
mod tile;

pub use settings::NavMeshSettings;
