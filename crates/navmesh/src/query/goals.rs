//! Paths to the nearest of many goals.

use super::flat::distance;
use super::nearest::Filter;
use super::{NavQuery, Path};
use crate::reason::NavReason;
use ambler_geometry::Vec3;

/// Goals that were brought onto the navmesh once, to be asked for many times.
/// Made by [`NavQuery::prepare_goals`]; belongs to the navmesh of that query.
#[derive(Clone, Debug, Default)]
pub struct GoalSet {
    goals: Vec<Goal>,
    /// How many goals were given.
    count: usize,
    not_finite: bool,
}

#[derive(Clone, Copy, Debug)]
struct Goal {
    requested: Vec3,
    snapped: Vec3,
    poly: u32,
    island: u32,
    index: u32,
}

impl GoalSet {
    /// How many goals were given.
    pub fn len(&self) -> usize {
        self.count
    }

    /// True when no goals were given.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many of the goals lie on the navmesh.
    pub fn on_mesh(&self) -> usize {
        self.goals.len()
    }
}

impl NavQuery {
    /// Brings goals onto the navmesh for [`NavQuery::geodesic_to`] and [`NavQuery::find_path_to`].
    /// Goals off the navmesh are left out (Habitat gives up on all of them then).
    pub fn prepare_goals(&self, goals: &[Vec3]) -> GoalSet {
        let mut set = GoalSet { count: goals.len(), ..GoalSet::default() };
        for (index, &requested) in goals.iter().enumerate() {
            set.not_finite |= !requested.is_finite();
            if let Some((poly, snapped)) = self.mesh.nearest(requested, Filter::Walkable) {
                let island = self.mesh.surface().polys[poly as usize].island;
                set.goals.push(Goal { requested, snapped, poly, island, index: index as u32 });
            }
        }
        set
    }

    /// The length of the path to the nearest of the goals, metres, and its index among the goals
    /// as they were given. The same values as [`NavQuery::geodesic_multi`].
    ///
    /// # Errors
    /// As [`NavQuery::find_path_multi`].
    pub fn geodesic_to(&mut self, goals: &GoalSet, start: Vec3) -> Result<(f32, usize), NavReason> {
        self.nearest_goal(goals, start, false)
    }

    /// The path to the nearest of the goals, and its index among the goals as they were given.
    ///
    /// # Errors
    /// As [`NavQuery::find_path_multi`].
    pub fn find_path_to(&mut self, goals: &GoalSet, start: Vec3) -> Result<(Path, usize), NavReason> {
        let (length_m, index) = self.nearest_goal(goals, start, true)?;
        Ok((Path { points: self.best_points.clone(), length_m }, index))
    }

    /// Visits goals by distance in a straight line and skips those that cannot win, as Habitat.
    fn nearest_goal(
        &mut self,
        goals: &GoalSet,
        start: Vec3,
        keep_points: bool,
    ) -> Result<(f32, usize), NavReason> {
        if goals.is_empty() {
            return Err(NavReason::NoGoals);
        }
        if !start.is_finite() {
            return Err(NavReason::NotFinite);
        }
        let (start_poly, start_point) = self.locate(start).ok_or(NavReason::StartOffMesh)?;
        if goals.goals.is_empty() {
            return Err(if goals.not_finite { NavReason::NotFinite } else { NavReason::GoalOffMesh });
        }
        let island = self.mesh.surface().polys[start_poly as usize].island;
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        // A goal on another island can still be where the start is: snapped points of two islands
        // may coincide. Only such a goal is kept.
        order.extend(goals.goals.iter().enumerate().filter_map(|(at, goal)| {
            let kept = goal.island == island || same_place(start_point, goal.snapped);
            kept.then(|| (distance(start, goal.requested), at as u32))
        }));
        let reachable = !order.is_empty();
        let mut best: Option<(f32, usize)> = None;
        let visit = |query: &mut Self, best: &mut Option<(f32, usize)>, at: u32| {
            let goal = &goals.goals[at as usize];
            let to = (goal.poly, goal.snapped, goal.requested);
            let length = query.path_between((start_poly, start_point, start), to);
            if let Some(length) = length.filter(|l| best.is_none_or(|(shortest, _)| *l < shortest)) {
                *best = Some((length, goal.index as usize));
                if keep_points {
                    std::mem::swap(&mut query.points, &mut query.best_points);
                }
            }
        };
        // The goal first in order usually rules out most others, so only the rest is sorted.
        let by_bound = |a: &(f32, u32), b: &(f32, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        let first = order.iter().enumerate().min_by(|a, b| by_bound(a.1, b.1)).map(|(place, _)| place);
        if let Some(place) = first {
            let (_, at) = order.swap_remove(place);
            visit(self, &mut best, at);
        }
        order.retain(|(bound, _)| best.is_none_or(|(length, _)| *bound <= length));
        order.sort_unstable_by(by_bound);
        for &(bound, at) in &order {
            if best.is_some_and(|(length, _)| bound > length) {
                break;
            }
            visit(self, &mut best, at);
        }
        self.order = order;
        best.ok_or_else(|| match reachable {
            true => NavReason::SearchExhausted,
            false => {
                let nearest = goals.goals.iter().min_by(|a, b| {
                    distance(start, a.requested).total_cmp(&distance(start, b.requested))
                });
                self.apart(island, nearest.map_or(island, |goal| goal.island))
            }
        })
    }
}

/// Habitat's test that a path has no length: equal up to 1e-5 of the nearer to the origin.
pub(super) fn same_place(a: Vec3, b: Vec3) -> bool {
    let squared = |v: Vec3| v.x * v.x + v.y * v.y + v.z * v.z;
    squared(a - b) <= 1e-5 * 1e-5 * squared(a).min(squared(b))
}
