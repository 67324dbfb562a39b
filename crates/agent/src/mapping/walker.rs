use super::map::{BUMPED, CELL_M, Map};
use super::plan::Plan;
use super::steer::{Gait, Refused, best_steps};
use crate::Observation;
use ambler_body::{Action, BodyPreset};

impl Default for Walker {
    fn default() -> Self {
        Self { gait: Gait::new(0.25, 0.5), refused: Vec::new(), walk: Vec::new(), last: None }
    }
}

/// Makes steps along a field of costs, and learns from those that were blocked.
#[derive(Clone, Debug)]
pub(crate) struct Walker {
    pub(crate) gait: Gait,
    refused: Vec<Refused>,
    /// Turns left to make before the next steps forward; the next step last.
    walk: Vec<i32>,
    last: Option<Action>,
}

impl Walker {
    pub(crate) fn new(body: &BodyPreset) -> Self {
        Self { gait: Gait::new(body.forward_m, body.turn_deg.to_radians()), ..Self::default() }
    }

    /// Whether it is between the steps that it decided on.
    pub(crate) fn is_under_way(&self) -> bool {
        !self.walk.is_empty()
    }

    /// Forgets the steps that it decided on.
    pub(crate) fn halt(&mut self) {
        self.walk.clear();
    }

    /// Remembers what was done, so that the next observation shows whether it was blocked.
    pub(crate) fn did(&mut self, action: Action) {
        self.last = Some(action);
    }

    /// Marks on the map that a step was blocked; true where one was.
    pub(crate) fn feel(&mut self, seen: &Observation<'_>, map: &mut Map) -> bool {
        if self.last != Some(Action::MoveForward) || !seen.collided {
            return false;
        }
        self.walk.clear();
        let (x, z) = (seen.position.x, seen.position.z);
        let (sin, cos) = (libm::sin(seen.compass) as f32, libm::cos(seen.compass) as f32);
        let step = (-sin * self.gait.forward_m, -cos * self.gait.forward_m);
        self.refused.push(Refused { at: (x, z), step });
        let here = Map::cell(x, z);
        for ahead in [1.2, 2.2] {
            for aside in [-1.0, 0.0, 1.0] {
                let (along, across) = (ahead * CELL_M, aside * CELL_M);
                let (x, z) = (x - sin * along + cos * across, z - cos * along - sin * across);
                if Map::cell(x, z) != here {
                    map.mark(x, z, BUMPED);
                }
            }
        }
        true
    }

    /// The next turn or step down the costs; `None` when no steps lead closer.
    pub(crate) fn next(&mut self, plan: &Plan, costs: &[u32], seen: &Observation<'_>) -> Option<Action> {
        if self.walk.is_empty() {
            let pose = (seen.position.x, seen.position.z, seen.compass);
            let mut walk = best_steps(plan, costs, pose, self.gait, &self.refused)?;
            walk.reverse();
            self.walk = walk;
        }
        if let Some(turns) = self.walk.last_mut().filter(|turns| **turns != 0) {
            let side = turns.signum();
            *turns -= side;
            return Some(if side > 0 { Action::TurnLeft } else { Action::TurnRight });
        }
        self.walk.pop();
        Some(Action::MoveForward)
    }
}
