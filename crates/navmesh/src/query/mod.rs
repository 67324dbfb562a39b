//! Queries, with the values that Habitat's `PathFinder` gives: the algorithms are Detour's, in
//! single precision and in its order of operations.

pub(crate) mod flat;
mod goals;
mod heap;
pub(crate) mod nearest;
mod project;
mod random;
mod search;
mod step;
mod straight;
mod wall;

pub use goals::GoalSet;
pub use wall::Obstacle;

use crate::mesh::NavMesh;
use crate::reason::NavReason;
use ambler_geometry::Vec3;
use nearest::Filter;
use search::{MAX_CORRIDOR, Search, Stop};
use std::sync::Arc;

/// The radius, metres, within which Habitat looks for an obstacle by default.
pub const OBSTACLE_RADIUS_M: f32 = 2.0;
/// The largest difference in height, metres, that Habitat allows a navigable point by default.
pub const NAVIGABLE_HEIGHT_M: f32 = 0.5;
/// The largest distance on the floor plane, metres, at which a point still is navigable.
const NAVIGABLE_DISTANCE_M: f32 = 1e-2;

/// A point brought onto the navmesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Snap {
    /// The nearest point on the navmesh.
    pub point: Vec3,
    /// The polygon that it lies on.
    pub poly: u32,
    /// The island of that polygon.
    pub island: u32,
}

/// A path over the navmesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Its corners, ends included. Between two corners it follows the floor, which may rise above
    /// the straight line: [`Path::projected`] gives points on the floor.
    pub points: Vec<Vec3>,
    /// The sum of the distances between corners, metres: the geodesic distance.
    pub length_m: f32,
}

/// Asks a navmesh. Holds what searches write to, so each thread has its own; after the first
/// queries it allocates nothing but the points of the paths it hands out.
#[derive(Clone, Debug)]
pub struct NavQuery {
    mesh: Arc<NavMesh>,
    search: Search,
    corridor: Vec<Stop>,
    points: Vec<Vec3>,
    best_points: Vec<Vec3>,
    /// Goals by distance.
    order: Vec<(f32, u32)>,
    /// The last point that was located, and where: steps and distances ask for the same point
    /// again and again.
    last: Option<(Vec3, Option<(u32, Vec3)>)>,
}

impl NavQuery {
    /// A query on a navmesh.
    pub fn new(mesh: Arc<NavMesh>) -> Self {
        let search = Search::new(mesh.surface());
        Self {
            mesh,
            search,
            corridor: Vec::with_capacity(MAX_CORRIDOR),
            points: Vec::with_capacity(MAX_CORRIDOR),
            best_points: Vec::new(),
            order: Vec::new(),
            last: None,
        }
    }

    /// The navmesh.
    pub fn mesh(&self) -> &Arc<NavMesh> {
        &self.mesh
    }

    /// The polygon nearest to a point and the point on it.
    fn locate(&mut self, point: Vec3) -> Option<(u32, Vec3)> {
        match self.last {
            Some((last, found)) if same_bits(last, point) => found,
            _ => {
                let found = self.mesh.nearest(point, Filter::Walkable);
                self.last = Some((point, found));
                found
            }
        }
    }

    fn island_of_poly(&self, poly: u32) -> u32 {
        self.mesh.surface().polys[poly as usize].island
    }

    /// The reason that two islands are apart.
    fn apart(&self, start: u32, goal: u32) -> NavReason {
        let area = |island: u32| self.mesh.islands().get(island as usize).map_or(0.0, |i| i.area_m2);
        NavReason::DifferentIsland { start, goal, start_area_m2: area(start), goal_area_m2: area(goal) }
    }

    /// The nearest point on the navmesh within 2 m (4 m in height), by Habitat's rule: over a
    /// polygon, only height beyond the body's climb counts as distance.
    ///
    /// # Errors
    /// [`NavReason::NotFinite`], [`NavReason::OffMesh`].
    pub fn snap(&mut self, point: Vec3) -> Result<Snap, NavReason> {
        if !point.is_finite() {
            return Err(NavReason::NotFinite);
        }
        let (poly, point) = self.locate(point).ok_or(NavReason::OffMesh)?;
        Ok(Snap { point, poly, island: self.island_of_poly(poly) })
    }

    /// As [`NavQuery::snap`], onto one island.
    ///
    /// # Errors
    /// [`NavReason::NotFinite`], [`NavReason::NoSuchIsland`], [`NavReason::OffMesh`].
    pub fn snap_to_island(&mut self, point: Vec3, island: u32) -> Result<Snap, NavReason> {
        if !point.is_finite() {
            return Err(NavReason::NotFinite);
        }
        let count = self.mesh.islands().len() as u32;
        if island >= count {
            return Err(NavReason::NoSuchIsland { island, count });
        }
        let found = self.mesh.nearest(point, Filter::Island(island)).ok_or(NavReason::OffMesh)?;
        Ok(Snap { point: found.1, poly: found.0, island })
    }

    /// The island that a point belongs to once it is snapped.
    ///
    /// # Errors
    /// As [`NavQuery::snap`].
    pub fn island_of(&mut self, point: Vec3) -> Result<u32, NavReason> {
        self.snap(point).map(|snap| snap.island)
    }

    /// Where a step from `start` towards `end` ends. With sliding, the body slides along walls;
    /// without, it stops where the way first meets one (as Habitat up to v0.3.3, which v0.3.4
    /// broke). A step that is refused (an end off the navmesh or on another island, a coordinate
    /// that is not finite) gives `start` back, unchanged; a step that is not is brought onto the
    /// floor.
    pub fn try_step(&mut self, start: Vec3, end: Vec3, sliding: bool) -> Vec3 {
        let Some(from) = self.locate(start) else {
            return start;
        };
        let Some((point, located)) = step::step(&self.mesh, from, end, sliding) else {
            return start;
        };
        if located.is_some() {
            self.last = Some((point, located));
        }
        point
    }

    /// Whether a body can stand at a point: the nearest point of the navmesh is at most
    /// `max_height_m` above or below it ([`NAVIGABLE_HEIGHT_M`] in Habitat) and at most 1 cm away
    /// on the floor plane.
    pub fn is_navigable(&mut self, point: Vec3, max_height_m: f32) -> bool {
        let Some((_, found)) = self.locate(point) else {
            return false;
        };
        let (dx, dz) = (point.x - found.x, point.z - found.z);
        (found.y - point.y).abs() <= max_height_m && (dx * dx + dz * dz).sqrt() <= NAVIGABLE_DISTANCE_M
    }

    /// The nearest wall within `max_radius_m` ([`OBSTACLE_RADIUS_M`] in Habitat) of a point that
    /// is first brought onto the navmesh.
    ///
    /// # Errors
    /// [`NavReason::NotFinite`] (also for a radius that is not finite or negative),
    /// [`NavReason::OffMesh`].
    pub fn distance_to_obstacle(
        &mut self,
        point: Vec3,
        max_radius_m: f32,
    ) -> Result<Obstacle, NavReason> {
        if !(max_radius_m.is_finite() && max_radius_m >= 0.0) {
            return Err(NavReason::NotFinite);
        }
        let snap = self.snap(point)?;
        let from = (snap.poly, snap.point);
        Ok(wall::nearest_wall(self.mesh.surface(), &mut self.search, from, max_radius_m))
    }

    /// The shortest path, as Habitat finds it: through the corridor of polygons that is shortest
    /// by the middles of their portals, pulled tight. Usually but not always the true shortest
    /// one: for that, see [`exact`](crate::exact).
    ///
    /// # Errors
    /// [`NavReason`], one of: `NotFinite`, `StartOffMesh`, `GoalOffMesh`, `DifferentIsland`,
    /// `SearchExhausted`.
    pub fn find_path(&mut self, start: Vec3, goal: Vec3) -> Result<Path, NavReason> {
        let length_m = self.geodesic(start, goal)?;
        Ok(Path { points: self.points.clone(), length_m })
    }

    /// The length of [`NavQuery::find_path`], metres.
    ///
    /// # Errors
    /// As [`NavQuery::find_path`].
    pub fn geodesic(&mut self, start: Vec3, goal: Vec3) -> Result<f32, NavReason> {
        if !(start.is_finite() && goal.is_finite()) {
            return Err(NavReason::NotFinite);
        }
        let from = self.locate(start).ok_or(NavReason::StartOffMesh)?;
        let to = self.mesh.nearest(goal, Filter::Walkable).ok_or(NavReason::GoalOffMesh)?;
        let islands = [from.0, to.0].map(|poly| self.island_of_poly(poly));
        if islands[0] != islands[1] && !goals::same_place(from.1, to.1) {
            return Err(self.apart(islands[0], islands[1]));
        }
        self.path_between((from.0, from.1, start), (to.0, to.1, goal)).ok_or(NavReason::SearchExhausted)
    }

    /// The path to the nearest of the goals, and its index. Goals off the navmesh or on another
    /// island than the start are passed over, as long as one can be reached. (Habitat gives up
    /// when any goal is off the navmesh.)
    ///
    /// # Errors
    /// As [`NavQuery::find_path`], when no goal can be reached; [`NavReason::NoGoals`].
    pub fn find_path_multi(&mut self, start: Vec3, goals: &[Vec3]) -> Result<(Path, usize), NavReason> {
        let goals = self.prepare_goals(goals);
        self.find_path_to(&goals, start)
    }

    /// The length of [`NavQuery::find_path_multi`], metres, and the index of the goal. Where the
    /// goals stay the same, [`NavQuery::prepare_goals`] saves work.
    ///
    /// # Errors
    /// As [`NavQuery::find_path_multi`].
    pub fn geodesic_multi(&mut self, start: Vec3, goals: &[Vec3]) -> Result<(f32, usize), NavReason> {
        let goals = self.prepare_goals(goals);
        self.geodesic_to(&goals, start)
    }

    /// The length of the path between two ends on one island (polygon, point on it, point as
    /// requested), and its corners in `self.points`; none when the search was exhausted.
    fn path_between(&mut self, from: (u32, Vec3, Vec3), to: (u32, Vec3, Vec3)) -> Option<f32> {
        if goals::same_place(from.1, to.1) {
            self.points.clear();
            self.points.extend([from.1, to.1]);
            return Some(0.0);
        }
        let surface = self.mesh.surface();
        let found = self.search.corridor(surface, (from.0, from.1), (to.0, to.1), &mut self.corridor)
            && straight::pull_tight(surface, &self.corridor, from.2, to.2, &mut self.points);
        found.then(|| straight::length(&self.points))
    }
}

fn same_bits(a: Vec3, b: Vec3) -> bool {
    a.to_array().map(f32::to_bits) == b.to_array().map(f32::to_bits)
}
