//! Why nothing is left to stand on, told to a person.

use super::plan::Plan;
use crate::settings::NavMeshSettings;

/// Faces within this of straight up or down (as the cosine) count for the hints.
const FLAT: f32 = 0.7;

/// How much floor each stage left, in spans (voxel columns).
#[derive(Clone, Debug, Default)]
pub(super) struct Progress {
    triangles: usize,
    facing_up: usize,
    facing_down: usize,
    walkable: usize,
    /// After rasterising.
    pub(super) floor: usize,
    /// After ledges.
    pub(super) level: usize,
    /// After low ceilings.
    pub(super) high: usize,
    /// After erosion by the radius.
    pub(super) wide: usize,
}

impl Progress {
    /// Counts a triangle by the y of its unit normal.
    pub(super) fn count(&mut self, up: f32, limit: f32) {
        self.triangles += 1;
        self.facing_up += usize::from(up > FLAT);
        self.facing_down += usize::from(up < -FLAT);
        self.walkable += usize::from(up > limit);
    }

    /// What used up the floor.
    pub(super) fn reason(&self, plan: &Plan, settings: &NavMeshSettings) -> String {
        let square = f64::from(plan.cell_size) * f64::from(plan.cell_size);
        let area = |spans: usize| format!("{:.2} m²", spans as f64 * square);
        if self.triangles == 0 {
            return "there are no triangles".into();
        }
        if plan.width == 0 || plan.depth == 0 {
            return format!("the scene is smaller than a voxel of {} m; check its unit", plan.cell_size);
        }
        if self.walkable == 0 && self.facing_down > 0 {
            return format!(
                "no triangle faces up, {} face down: floors are walkable on their front side only; flip the winding of the triangles, or check the up axis",
                self.facing_down
            );
        }
        if self.walkable == 0 {
            return format!(
                "none of {} triangles is flat enough to stand on ({}° at most) and faces up; check the up axis of the scene",
                self.triangles, settings.agent_max_slope_deg
            );
        }
        if self.level == 0 {
            return format!(
                "all {} of upward faces lie beside drops of more than the climb of {} m ({} voxels)",
                area(self.floor),
                settings.agent_max_climb_m,
                plan.climb_voxels
            );
        }
        if self.high == 0 {
            return format!(
                "nowhere on {} of floor are {} m free above it: the body is too tall",
                area(self.level),
                settings.agent_height_m
            );
        }
        if self.wide == 0 {
            return format!(
                "{} of floor have head room, but no place keeps {} m from walls and ledges: the body is too wide{}",
                area(self.high),
                f32::from(plan.radius_voxels) * plan.cell_size,
                self.also_down()
            );
        }
        format!(
            "{} of floor are left at {} m from walls, in pieces below the minimum of {} (region_min_size {} voxels): lower region_min_size{}",
            area(self.wide),
            f32::from(plan.radius_voxels) * plan.cell_size,
            area(usize::from(plan.min_region)),
            settings.region_min_size,
            self.also_down()
        )
    }

    fn also_down(&self) -> String {
        if self.facing_down <= self.facing_up {
            return String::new();
        }
        format!(
            "; {} triangles face down and only {} up, so the winding may be inverted",
            self.facing_down, self.facing_up
        )
    }
}
