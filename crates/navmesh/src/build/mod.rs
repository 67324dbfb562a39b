//! Building a navmesh from triangles: Recast 1.6.0's stages with Habitat's settings and rounding.
//!
//! One tile. Triangles fill voxels (`voxel`), tops that a body can stand on are kept (`filter`),
//! eroded by its radius and cut into regions (`rerecast`), regions become outlines (`contour`,
//! `hole`) and convex polygons (`ear`, `polygon`) with height detail (`rerecast`), and these a
//! Detour tile (`assemble`). Where `rerecast` 0.4 departs from Recast 1.6.0, the stage is our own;
//! each file says why.

mod assemble;
mod cache;
mod contour;
mod detail;
mod ear;
mod filter;
mod hole;
mod plan;
mod polygon;
mod reason;
mod voxel;

pub use cache::Origin;

use std::panic::{AssertUnwindSafe, catch_unwind};

use glam::Vec3;
use rerecast::CompactHeightfield;

use self::plan::Plan;
use self::reason::Progress;
use self::voxel::Voxels;
use crate::settings::NavMeshSettings;
use crate::{NavMesh, NavMeshError};

impl NavMesh {
    /// Builds a navmesh as Habitat does: Recast's watershed build in one tile, voxels over the
    /// bounds of *all* `vertices`, referenced or not.
    ///
    /// `vertices` are world coordinates, y up, metres; `triangles` index them, counter-clockwise
    /// seen from their front. As in Habitat, only fronts that face up are floor.
    ///
    /// # Errors
    /// - [`NavMeshError::NoFloor`] when nothing is left to stand on, with the reason.
    /// - [`NavMeshError::Build`] for vertices that are not finite, indices out of range, settings
    ///   out of range, and scenes too large for the grid or for the file format.
    pub fn build(
        vertices: &[Vec3],
        triangles: &[[u32; 3]],
        settings: &NavMeshSettings,
    ) -> Result<Self, NavMeshError> {
        let plan = Plan::new(vertices, settings)?;
        let mut progress = Progress::default();
        let space = open_space(&plan, vertices, triangles, &mut progress)?;
        let space = guarded("erosion and regions", || partition(space, &plan, &mut progress))??;
        let mut contours = contour::trace(&space, plan.max_error, plan.max_edge);
        hole::merge(&mut contours);
        let mesh = polygon::build(&contours, plan.corners_per_poly)?;
        if mesh.polygons.is_empty() {
            return Err(NavMeshError::NoFloor { reason: progress.reason(&plan, settings) });
        }
        let detail = detail::build(&mesh, &space, &plan);
        let tile = assemble::tile(&plan, settings, &mesh, &detail, space.aabb.max.y);
        Ok(Self::from_tile(tile, *settings))
    }
}

/// Runs a stage of `rerecast`, which indexes and adds without checks: on inputs that no scene has
/// been seen to make, a panic becomes an error here, as no input may end the program.
fn guarded<T>(stage: &str, run: impl FnOnce() -> T) -> Result<T, NavMeshError> {
    // The closure's data is dropped with the error, so that nothing half-made is seen again.
    catch_unwind(AssertUnwindSafe(run)).map_err(|_| NavMeshError::Build {
        reason: format!("Recast's stage '{stage}' failed on this mesh; change the cell size a little"),
    })
}

fn open_space(
    plan: &Plan,
    vertices: &[Vec3],
    triangles: &[[u32; 3]],
    progress: &mut Progress,
) -> Result<CompactHeightfield, NavMeshError> {
    let mut voxels = Voxels::new(plan);
    for (number, triangle) in triangles.iter().enumerate() {
        let mut corners = [Vec3::ZERO; 3];
        for (corner, &index) in corners.iter_mut().zip(triangle) {
            *corner = *vertices.get(index as usize).ok_or_else(|| NavMeshError::Build {
                reason: format!(
                    "triangle {number} refers to vertex {index}, but there are {}",
                    vertices.len()
                ),
            })?;
        }
        let up = unit_normal_y(&corners);
        progress.count(up, plan.slope_limit);
        if plan.width > 0 && plan.depth > 0 {
            voxels.add_triangle(plan, corners, up > plan.slope_limit)?;
        }
    }
    progress.floor = voxels.walkable_count();
    if plan.low_hanging {
        filter::step_over_low_obstacles(&mut voxels, plan);
    }
    if plan.ledges {
        filter::remove_ledges(&mut voxels, plan);
    }
    progress.level = voxels.walkable_count();
    if plan.low_height {
        filter::remove_low_ceilings(&mut voxels, plan);
    }
    progress.high = voxels.walkable_count();
    filter::open_space(&voxels, plan)
}

/// The y of the unit normal; NaN for triangles without area.
fn unit_normal_y(corners: &[Vec3; 3]) -> f32 {
    let [a, b, c] = corners.map(|corner| corner.to_array());
    let e0: [f32; 3] = std::array::from_fn(|k| b[k] - a[k]);
    let e1: [f32; 3] = std::array::from_fn(|k| c[k] - a[k]);
    let normal =
        [e0[1] * e1[2] - e0[2] * e1[1], e0[2] * e1[0] - e0[0] * e1[2], e0[0] * e1[1] - e0[1] * e1[0]];
    let length = (normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]).sqrt();
    normal[1] * (1.0 / length)
}

fn partition(
    mut space: CompactHeightfield,
    plan: &Plan,
    progress: &mut Progress,
) -> Result<CompactHeightfield, NavMeshError> {
    space.erode_walkable_area(plan.radius_voxels);
    progress.wide = space.areas.iter().filter(|area| area.is_walkable()).count();
    space.build_distance_field();
    space.build_regions(0, plan.min_region, plan.merge_region).map_err(|_| NavMeshError::Build {
        reason: "the floor falls into more than 65,534 regions; raise the cell size".into(),
    })?;
    Ok(space)
}
