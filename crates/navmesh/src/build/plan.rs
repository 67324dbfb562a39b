//! Settings turned into whole voxels, and everything that must hold before memory is taken.

use glam::Vec3;

use crate::NavMeshError;
use crate::settings::NavMeshSettings;

/// Most columns of the voxel grid: about 290 m × 290 m at voxels of 5 cm. The build takes up to
/// 60 bytes a column.
const MAX_COLUMNS: u64 = 1 << 25;
/// Most voxels along one side of the grid.
const MAX_SIDE: f64 = 65_000.0;
/// Free height above a span and distance to the border are kept in a byte each.
const MAX_HEIGHT_VOXELS: f32 = 255.0;
const MAX_RADIUS_VOXELS: f32 = 127.0;
/// Region sizes are squared into 16 bits.
const MAX_REGION_SIDE: f32 = 255.0;

/// What Recast works with: Habitat's settings in voxels, rounded in f32 as it does.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) bmin: [f32; 3],
    pub(super) bmax: [f32; 3],
    /// Columns along x and z.
    pub(super) width: u16,
    pub(super) depth: u16,
    pub(super) cell_size: f32,
    pub(super) cell_height: f32,
    /// A face is walkable when the y of its unit normal is above this.
    pub(super) slope_limit: f32,
    pub(super) height_voxels: u16,
    pub(super) climb_voxels: u16,
    pub(super) radius_voxels: u16,
    pub(super) min_region: u16,
    pub(super) merge_region: u16,
    /// Longest border edge, voxels; 0 = any.
    pub(super) max_edge: i32,
    pub(super) max_error: f32,
    pub(super) corners_per_poly: usize,
    /// Metres; 0 = no height samples.
    pub(super) sample_distance: f32,
    pub(super) sample_error: f32,
    pub(super) low_hanging: bool,
    pub(super) ledges: bool,
    pub(super) low_height: bool,
}

fn refuse(reason: impl Into<String>) -> NavMeshError {
    NavMeshError::Build { reason: reason.into() }
}

/// `value` if it is a finite number of at least `least`.
fn at_least(name: &str, value: f32, least: f32) -> Result<f32, NavMeshError> {
    if value.is_finite() && value >= least {
        return Ok(value);
    }
    Err(refuse(format!("{name} is {value}; it must be a number of at least {least}")))
}

fn positive(name: &str, value: f32) -> Result<f32, NavMeshError> {
    if value.is_finite() && value > 0.0 {
        return Ok(value);
    }
    Err(refuse(format!("{name} is {value}; it must be a number above 0")))
}

impl Plan {
    /// Checks settings and vertices, and sizes the grid over *all* vertices, unreferenced ones
    /// included, as Habitat does.
    ///
    /// # Errors
    /// [`NavMeshError::Build`] names the setting or the vertex that is in the way.
    pub(super) fn new(vertices: &[Vec3], settings: &NavMeshSettings) -> Result<Self, NavMeshError> {
        let cell_size = positive("cell size", settings.cell_size_m)?;
        let cell_height = positive("cell height", settings.cell_height_m)?;
        let height = (positive("agent height", settings.agent_height_m)? / cell_height).ceil();
        let radius = (at_least("agent radius", settings.agent_radius_m, 0.0)? / cell_size).ceil();
        let climb = (at_least("agent climb", settings.agent_max_climb_m, 0.0)? / cell_height).floor();
        if height > MAX_HEIGHT_VOXELS {
            return Err(refuse(format!(
                "the agent is {height} voxels tall, the most is {MAX_HEIGHT_VOXELS}; raise the cell height above {:.3} m",
                settings.agent_height_m / MAX_HEIGHT_VOXELS
            )));
        }
        if radius > MAX_RADIUS_VOXELS {
            return Err(refuse(format!(
                "the agent's radius is {radius} voxels, the most is {MAX_RADIUS_VOXELS}; raise the cell size above {:.3} m",
                settings.agent_radius_m / MAX_RADIUS_VOXELS
            )));
        }
        if climb > 60_000.0 {
            return Err(refuse(format!(
                "the agent climbs {climb} voxels; lower the climb or raise the cell height"
            )));
        }
        let slope = at_least("agent slope", settings.agent_max_slope_deg, 0.0)?;
        if slope > 90.0 {
            return Err(refuse(format!("agent slope is {slope}°; it must be at most 90°")));
        }
        let min_side = at_least("region minimum size", settings.region_min_size, 0.0)?;
        let merge_side = at_least("region merge size", settings.region_merge_size, 0.0)?;
        for (name, side) in [("region minimum size", min_side), ("region merge size", merge_side)] {
            if side > MAX_REGION_SIDE {
                return Err(refuse(format!("{name} is {side}; the most is {MAX_REGION_SIDE} voxels")));
            }
        }
        let max_edge = at_least("edge length", settings.edge_max_len, 0.0)? / cell_size;
        let corners = settings.verts_per_poly;
        if !(3.0..7.0).contains(&corners) {
            return Err(refuse(format!("corners per polygon is {corners}; it must be 3 to 6")));
        }
        let sample = at_least("detail sample distance", settings.detail_sample_dist, 0.0)?;
        let sample_error = at_least("detail sample error", settings.detail_sample_max_error, 0.0)?;
        let max_error = at_least("edge error", settings.edge_max_error, 0.0)?;

        let (bmin, bmax) = bounds(vertices)?;
        let sides = [0, 2].map(|axis| f64::from((bmax[axis] - bmin[axis]) / cell_size + 0.5));
        let columns = sides[0].floor() * sides[1].floor();
        // Also false for NaN and infinity.
        let fits = sides.iter().all(|side| *side <= MAX_SIDE) && columns <= MAX_COLUMNS as f64;
        if !fits {
            let needed =
                f64::from(bmax[0] - bmin[0]) * f64::from(bmax[2] - bmin[2]) / MAX_COLUMNS as f64;
            return Err(refuse(format!(
                "the grid would have {:.0} × {:.0} columns, the most is {MAX_COLUMNS} ({MAX_SIDE} a side); raise the cell size above {:.3} m, or check the scene's unit and its stray vertices (bounds {:?} to {:?})",
                sides[0].floor(),
                sides[1].floor(),
                needed.sqrt(),
                bmin,
                bmax,
            )));
        }
        let tall = f64::from(bmax[1] - bmin[1]) / f64::from(cell_height);
        if !(tall <= MAX_SIDE) {
            return Err(refuse(format!(
                "the scene is {tall:.0} voxels high, the most is {MAX_SIDE}; raise the cell height, or check the scene's unit and its stray vertices"
            )));
        }
        Ok(Self {
            bmin,
            bmax,
            width: sides[0] as u16,
            depth: sides[1] as u16,
            cell_size,
            cell_height,
            slope_limit: libm::cosf(slope / 180.0 * std::f32::consts::PI),
            height_voxels: height as u16,
            climb_voxels: climb as u16,
            radius_voxels: radius as u16,
            min_region: (min_side * min_side) as u16,
            merge_region: (merge_side * merge_side) as u16,
            max_edge: max_edge.min(1e6) as i32,
            max_error,
            corners_per_poly: corners as usize,
            sample_distance: if sample < 0.9 { 0.0 } else { cell_size * sample },
            sample_error: cell_height * sample_error,
            low_hanging: settings.filter_low_hanging_obstacles,
            ledges: settings.filter_ledge_spans,
            low_height: settings.filter_walkable_low_height_spans,
        })
    }
}

fn bounds(vertices: &[Vec3]) -> Result<([f32; 3], [f32; 3]), NavMeshError> {
    let first = vertices.first().map_or([0.0; 3], |vertex| vertex.to_array());
    let (mut bmin, mut bmax) = (first, first);
    for (index, vertex) in vertices.iter().enumerate() {
        if !vertex.is_finite() {
            return Err(refuse(format!(
                "vertex {index} is {vertex}: not a finite point; repair the mesh"
            )));
        }
        for (axis, value) in vertex.to_array().into_iter().enumerate() {
            bmin[axis] = bmin[axis].min(value);
            bmax[axis] = bmax[axis].max(value);
        }
    }
    Ok((bmin, bmax))
}
