use super::act::{Aim, Explorer, Found};
use crate::Observation;
use crate::mapping::map::{CELL_M, Map, Window};
use crate::mapping::plan::{COST_PER_M, NO_WAY, PlanSettings};

/// It stops within this distance of the goal's visible surface, metres. The field's viewpoints lie
/// within 1 m of a goal.
pub(super) const REACH_M: f32 = 0.7;
/// Where that is not possible, further away: each metre more is worth a detour of this many metres.
const REACH_DETOUR: f32 = 5.0;
/// But not further than this, metres.
const MOST_REACH_M: f32 = 2.0;

/// Where to go next.
impl Explorer {
    /// Chooses an aim and computes the costs of the ways to it.
    pub(super) fn make_plan(&mut self, seen: &Observation<'_>) {
        let at = (seen.position.x, seen.position.z);
        self.state.replan = false;
        self.state.steps_on_plan = 0;
        let last = self.state.aim;
        self.state.aim = Aim::Nothing;
        self.state.frontiers.clear();
        let goal = seen.goal_in_start_frame().filter(|_| !self.object).map(|goal| (goal.x, goal.z));
        let Some(window) = self.window(at, goal) else { return };
        let known_goal = goal.is_some() || self.state.goal_height_m.is_some();
        let settings =
            PlanSettings { radius_m: self.radius_m, optimistic: known_goal && self.state.optimistic };
        self.plan.rebuild(&self.map, window, settings);
        self.plan.make_room(at.0, at.1);
        self.state.confirming = false;
        if known_goal && self.aim_at_goal(at, goal) {
            self.state.aim = Aim::Goal;
        } else if self.aim_at_frontier(at) {
            self.state.aim = Aim::Frontier;
        } else if self.aim_at_place(at) {
            self.state.aim = Aim::Place;
        }
        if self.state.aim != last {
            self.state.least_cost = NO_WAY;
            self.state.since_progress = 0;
        }
    }

    /// What is known, the body and the point goal, with a margin for ways around.
    fn window(&self, at: (f32, f32), goal: Option<(f32, f32)>) -> Option<Window> {
        let mut window = self.map.known();
        for (x, z) in std::iter::once(at).chain(goal) {
            let (i, j) = Map::cell(x, z)?;
            window.include(i, j);
        }
        Some(window.grown(if goal.is_some() { 30 } else { 4 }))
    }

    fn aim_at_goal(&mut self, at: (f32, f32), goal: Option<(f32, f32)>) -> bool {
        let Some(here) = self.plan.index(at.0, at.1) else { return false };
        if let Some((x, z)) = goal {
            self.plan.make_room(x, z);
            let Some(index) = self.plan.index(x, z) else { return false };
            self.plan.spread(&mut [(0, index as u32)], &mut self.costs);
            return self.costs[here] != NO_WAY;
        }
        self.places = self.plan.goal_places(REACH_M, MOST_REACH_M, REACH_DETOUR);
        let mut seeds = self.places.clone();
        self.plan.spread(&mut seeds, &mut self.costs);
        self.costs[here] != NO_WAY
    }

    fn aim_at_frontier(&mut self, at: (f32, f32)) -> bool {
        let Some(here) = self.plan.index(at.0, at.1) else { return false };
        self.plan.spread(&mut [(0, here as u32)], &mut self.from_body);
        let mut best: Option<(f32, usize)> = None;
        for group in self.plan.groups(self.plan.frontier()) {
            let nearest = group.iter().map(|&i| (self.from_body[i as usize], i)).min();
            let Some((cost, cell)) = nearest.filter(|(cost, _)| *cost != NO_WAY) else { continue };
            if group.len() < 4 {
                continue;
            }
            let middle = self.plan.middle(cell as usize);
            let width_m = (group.len() as f32 * CELL_M).min(3.0);
            let loyal = self
                .state
                .heading_for
                .is_some_and(|(x, z)| (x - middle.0).abs() < 0.5 && (z - middle.1).abs() < 0.5);
            let score = cost as f32 / COST_PER_M - 0.5 * width_m - if loyal { 0.7 } else { 0.0 };
            if best.is_none_or(|(least, _)| score < least) {
                best = Some((score, self.state.frontiers.len()));
            }
            self.state.frontiers.push(Found { score, middle, cells: group });
        }
        let Some((_, index)) = best else { return false };
        let chosen = &self.state.frontiers[index];
        self.state.heading_for = Some(chosen.middle);
        let mut seeds: Vec<(u32, u32)> = chosen.cells.iter().map(|&index| (0, index)).collect();
        self.plan.spread(&mut seeds, &mut self.costs);
        true
    }

    /// Nothing is left to explore: look around, level, from where it has not yet.
    fn aim_at_place(&mut self, at: (f32, f32)) -> bool {
        let Some(here) = self.plan.index(at.0, at.1) else { return false };
        let mut best: Option<(f32, usize)> = None;
        for index in 0..self.plan.len() {
            let cost = self.from_body.get(index).copied().unwrap_or(NO_WAY);
            if cost == NO_WAY || index == here || self.plan.clearance_m(index) < self.radius_m + CELL_M {
                continue;
            }
            let (x, z) = self.plan.middle(index);
            let apart = self
                .state
                .looked
                .iter()
                .map(|(lx, lz)| ((x - lx) * (x - lx) + (z - lz) * (z - lz)).sqrt())
                .fold(f32::INFINITY, f32::min);
            let score = apart - 0.2 * cost as f32 / COST_PER_M;
            if apart > 0.8 && best.is_none_or(|(most, _)| score > most) {
                best = Some((score, index));
            }
        }
        let Some((_, index)) = best else { return false };
        self.state.heading_for = Some(self.plan.middle(index));
        self.plan.spread(&mut [(0, index as u32)], &mut self.costs);
        true
    }
}
