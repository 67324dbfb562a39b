use serde::{Deserialize, Serialize};

/// How a navmesh is built: Habitat's `NavMeshSettings`, field for field, with its defaults and its
/// rounding (all in f32, as Recast does it).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NavMeshSettings {
    /// Voxel width, metres.
    pub cell_size_m: f32,
    /// Voxel height, metres.
    pub cell_height_m: f32,
    /// Height that must be free above the floor, metres; rounded up to whole voxels.
    pub agent_height_m: f32,
    /// Distance kept from walls, metres; rounded up to whole voxels.
    pub agent_radius_m: f32,
    /// Highest step, metres; rounded *down* to whole voxels: 0.1 with voxels of 0.2 climbs nothing.
    pub agent_max_climb_m: f32,
    /// Steepest floor, degrees.
    pub agent_max_slope_deg: f32,
    /// Regions below the square of this many voxels are dropped (20: 400 voxels, 1 m² at 0.05 m).
    pub region_min_size: f32,
    /// Regions below the square of this many voxels are merged into neighbours.
    pub region_merge_size: f32,
    /// Longest border edge, metres.
    pub edge_max_len: f32,
    /// Largest deviation of a simplified border, voxels.
    pub edge_max_error: f32,
    /// Most corners of a polygon, 3 to 6.
    pub verts_per_poly: f32,
    /// Spacing of height samples, in voxel widths; below 0.9 no samples.
    pub detail_sample_dist: f32,
    /// Largest deviation of sampled heights, in voxel heights.
    pub detail_sample_max_error: f32,
    /// Walk over low obstacles such as kerbs.
    pub filter_low_hanging_obstacles: bool,
    /// Remove ledges that drop off further than a climb.
    pub filter_ledge_spans: bool,
    /// Remove floor without head room.
    pub filter_walkable_low_height_spans: bool,
    /// Whether objects that cannot move took part; kept for the file format.
    pub include_static_objects: bool,
}

impl Default for NavMeshSettings {
    fn default() -> Self {
        Self {
            cell_size_m: 0.05,
            cell_height_m: 0.2,
            agent_height_m: 1.5,
            agent_radius_m: 0.1,
            agent_max_climb_m: 0.2,
            agent_max_slope_deg: 45.0,
            region_min_size: 20.0,
            region_merge_size: 20.0,
            edge_max_len: 12.0,
            edge_max_error: 1.3,
            verts_per_poly: 6.0,
            detail_sample_dist: 6.0,
            detail_sample_max_error: 1.0,
            filter_low_hanging_obstacles: true,
            filter_ledge_spans: true,
            filter_walkable_low_height_spans: true,
            include_static_objects: false,
        }
    }
}

impl NavMeshSettings {
    /// The numbers, in the order of Habitat's file.
    pub(crate) fn numbers(&self) -> [f32; 13] {
        [
            self.cell_size_m,
            self.cell_height_m,
            self.agent_height_m,
            self.agent_radius_m,
            self.agent_max_climb_m,
            self.agent_max_slope_deg,
            self.region_min_size,
            self.region_merge_size,
            self.edge_max_len,
            self.edge_max_error,
            self.verts_per_poly,
            self.detail_sample_dist,
            self.detail_sample_max_error,
        ]
    }

    /// The flags, in the order of Habitat's file.
    pub(crate) fn flags(&self) -> [bool; 4] {
        [
            self.filter_low_hanging_obstacles,
            self.filter_ledge_spans,
            self.filter_walkable_low_height_spans,
            self.include_static_objects,
        ]
    }

    /// Habitat's defaults for a body of this height and radius, metres.
    pub fn for_body(height_m: f32, radius_m: f32) -> Self {
        Self { agent_height_m: height_m, agent_radius_m: radius_m, ..Self::default() }
    }
}
