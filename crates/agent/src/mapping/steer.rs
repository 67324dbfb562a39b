use super::plan::{NO_WAY, Plan};

/// What one turn costs beside the way, in units of cost (1.5 cm): of two equal ways the one with
/// fewer turns.
const TURN: u32 = 3;

/// The discrete headings of a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gait {
    pub(crate) forward_m: f32,
    pub(crate) turn_rad: f64,
    /// Most turns to either side that are tried: half a circle.
    pub(crate) half_circle: i32,
}

impl Gait {
    pub(crate) fn new(forward_m: f32, turn_rad: f64) -> Self {
        let half_circle = (std::f64::consts::PI / turn_rad).clamp(1.0, 36.0) as i32;
        Self { forward_m, turn_rad, half_circle }
    }
}

/// A step that was blocked: where the body was and the step it tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refused {
    pub(crate) at: (f32, f32),
    pub(crate) step: (f32, f32),
}

impl Refused {
    /// Whether a step is as good as this one: from within 7 cm, by a similar way.
    fn covers(&self, x: f32, z: f32, dx: f32, dz: f32) -> bool {
        let (ax, az) = (x - self.at.0, z - self.at.1);
        let (sx, sz) = (dx - self.step.0, dz - self.step.1);
        ax * ax + az * az < 0.07 * 0.07 && sx * sx + sz * sz < 0.04 * (dx * dx + dz * dz)
    }
}

/// The turns (left positive) before each of the next steps that begin the cheapest way to where
/// `costs` is 0: as many steps as it takes to be nearer than now, at most two or three. `None` when
/// no steps lead closer.
pub(crate) fn best_steps(
    plan: &Plan,
    costs: &[u32],
    (x, z, yaw): (f32, f32, f64),
    gait: Gait,
    refused: &[Refused],
) -> Option<Vec<i32>> {
    let here = costs[plan.index(x, z)?];
    let headings: Vec<(i32, f32, f32)> = (1 - gait.half_circle..=gait.half_circle)
        .map(|turns| {
            let heading = yaw + f64::from(turns) * gait.turn_rad;
            let (sin, cos) = (libm::sin(heading) as f32, libm::cos(heading) as f32);
            (turns, -sin * gait.forward_m, -cos * gait.forward_m)
        })
        .collect();
    // From here, these steps were blocked before.
    let refused: Vec<bool> = headings
        .iter()
        .map(|&(_, dx, dz)| refused.iter().any(|step| step.covers(x, z, dx, dz)))
        .collect();
    let most_depth = if headings.len() <= 12 { 3 } else { 2 };
    for depth in 2..=most_depth {
        let mut search = Search {
            plan,
            costs,
            headings: &headings,
            refused: &refused,
            here,
            best: NO_WAY,
            steps: [0; 3],
            found: None,
        };
        search.look(x, z, 0, 0, depth);
        if let Some((headings, count)) = search.found {
            let mut last = 0;
            let turns = headings[..count].iter().map(|&heading| {
                let turns = (heading - last + gait.half_circle - 1).rem_euclid(2 * gait.half_circle)
                    - gait.half_circle
                    + 1;
                last = heading;
                turns
            });
            return Some(turns.collect());
        }
    }
    None
}

struct Search<'a> {
    plan: &'a Plan,
    costs: &'a [u32],
    /// Turns from the body's heading, and the step that follows.
    headings: &'a [(i32, f32, f32)],
    /// Headings that the first step must not take.
    refused: &'a [bool],
    here: u32,
    best: u32,
    steps: [i32; 3],
    found: Option<([i32; 3], usize)>,
}

impl Search<'_> {
    /// Tries all steps from a point that `made` steps of cost `spent` led to. A walk counts once it
    /// is nearer than the start, and is not continued from there.
    fn look(&mut self, x: f32, z: f32, made: usize, spent: u32, depth: usize) {
        let before = if made == 0 { 0 } else { self.steps[made - 1] };
        for index in 0..self.headings.len() {
            let (heading, dx, dz) = self.headings[index];
            if made == 0 && self.refused[index] {
                continue;
            }
            let Some((cost, end)) = self.plan.walk(x, z, dx, dz) else { continue };
            let spent = spent + cost + TURN * (heading - before).unsigned_abs();
            if spent >= self.best {
                continue;
            }
            self.steps[made] = heading;
            let rest = self.costs[end];
            if rest < self.here {
                if spent + rest < self.best {
                    self.best = spent + rest;
                    self.found = Some((self.steps, made + 1));
                }
            } else if made + 1 < depth {
                self.look(x + dx, z + dz, made + 1, spent, depth);
            }
        }
    }
}
