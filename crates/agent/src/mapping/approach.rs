//! Where to stand before a thing that was seen.

use super::map::CELL_M;
use super::plan::{COST_PER_M, NO_WAY, Plan};
use super::walker::Walker;
use crate::Observation;
use ambler_body::Action;

/// If there is no place within reach, one this far away will do, metres.
const MOST_M: f32 = 2.0;

/// A thing to go to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Thing {
    /// Its nearest surface in plan.
    pub(crate) at: (f32, f32),
    /// From where it was seen: what lies behind it may be another room.
    pub(crate) from: (f32, f32),
}

/// Cells to end at, with no cost of their own: those within `reach_m` of the thing, or if `nearest` is
/// set those that are nearest to it, on the side from where it was seen. `reached` are the cells that the
/// body can get to; others are left out. Empty where nothing within 2 m can be reached.
pub(crate) fn places(
    plan: &Plan,
    reached: &[bool],
    thing: Thing,
    reach_m: f32,
    nearest: bool,
) -> Vec<(u32, u32)> {
    let (gx, gz) = thing.at;
    let (vx, vz) = (thing.from.0 - gx, thing.from.1 - gz);
    let view = (vx * vx + vz * vz).sqrt();
    let mut found: Vec<(bool, f32, u32)> = Vec::new();
    for index in 0..plan.len() {
        if reached.get(index) != Some(&true) || !plan.is_standing_room(index) {
            continue;
        }
        let (x, z) = plan.middle(index);
        let (dx, dz) = (x - gx, z - gz);
        let apart = (dx * dx + dz * dz).sqrt();
        if apart <= MOST_M {
            // Within 75° of the line of sight.
            let behind = dx * vx + dz * vz < 0.26 * apart * view;
            found.push((behind, apart, index as u32));
        }
    }
    let before = |entry: &&(bool, f32, u32)| !entry.0;
    for within in [reach_m, MOST_M] {
        for side_matters in [true, false] {
            let fits: Vec<(f32, u32)> = found
                .iter()
                .filter(|entry| !side_matters || before(entry))
                .filter(|entry| entry.1 <= within)
                .map(|&(_, apart, index)| (apart, index))
                .collect();
            let least = fits.iter().map(|(apart, _)| *apart).fold(f32::INFINITY, f32::min);
            if fits.is_empty() {
                continue;
            }
            // As near as it gets, to within a cell.
            let limit = if nearest || within == MOST_M { least + 0.05 } else { within };
            return fits
                .into_iter()
                .filter(|(apart, _)| *apart <= limit)
                .map(|(_, index)| (0, index))
                .collect();
        }
    }
    Vec::new()
}

/// Steps of a final approach that bring the body nearer by less than a cell, after which it is as near as it
/// gets.
const MOST_VAIN: u32 = 1;

/// The final approach to a thing: as near as steps get. The thing stays the same, however the goal's nearest
/// point changes with every step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FinalApproach {
    thing: Thing,
    /// The least cost so far, and steps since.
    least_cost: u32,
    vain: u32,
}

impl FinalApproach {
    pub(crate) fn to(thing: Thing) -> Self {
        Self { thing, least_cost: NO_WAY, vain: 0 }
    }

    /// The next step; stops where it ends. `plan` is of now unless the walker is under way, `reached` are the
    /// cells that the body can get to, and `costs` is working memory.
    pub(crate) fn act(
        &mut self,
        plan: &mut Plan,
        reached: &[bool],
        costs: &mut Vec<u32>,
        walker: &mut Walker,
        seen: &Observation<'_>,
        reach_m: f32,
    ) -> Action {
        if !walker.is_under_way() {
            let mut ends = places(plan, reached, self.thing, reach_m, true);
            let here = plan.index(seen.position.x, seen.position.z).unwrap_or(usize::MAX);
            plan.spread_to(&mut ends, here, costs);
            let cost = costs.get(here).copied().unwrap_or(NO_WAY);
            if self.least_cost == NO_WAY || metres(cost) + CELL_M <= metres(self.least_cost) {
                (self.least_cost, self.vain) = (cost, 0);
            } else {
                self.vain += 1;
            }
            if cost == NO_WAY || metres(cost) < CELL_M || self.vain > MOST_VAIN {
                return Action::Stop;
            }
        }
        walker.next(plan, costs, seen).unwrap_or(Action::Stop)
    }
}

/// A cost in metres of free floor.
pub(crate) fn metres(cost: u32) -> f32 {
    cost as f32 / COST_PER_M
}
