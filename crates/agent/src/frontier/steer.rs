use super::plan::{NO_WAY, Plan};

/// What one turn costs beside the way, in units of cost (1.5 cm): of two equal ways the one with
/// fewer turns.
const TURN: u32 = 3;

/// The discrete headings of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gait {
    pub(super) forward_m: f32,
    pub(super) turn_rad: f64,
    /// Most turns to either side that are tried: half a circle.
    pub(super) half_circle: i32,
}

impl Gait {
    pub(super) fn new(forward_m: f32, turn_rad: f64) -> Self {
        let half_circle = (std::f64::consts::PI / turn_rad).clamp(1.0, 36.0) as i32;
        Self { forward_m, turn_rad, half_circle }
    }
}

/// The turns (left positive) after which a step forward begins the cheapest way to where `costs` is
/// 0, looking two or three steps ahead; `None` when no steps lead closer.
pub(super) fn best_turns(plan: &Plan, costs: &[u32], (x, z, yaw): (f32, f32, f64), gait: Gait) -> Option<i32> {
    let here = costs[plan.index(x, z)?];
    let headings: Vec<(i32, f32, f32)> = (-gait.half_circle..=gait.half_circle)
        .map(|turns| {
            let heading = yaw + f64::from(turns) * gait.turn_rad;
            let (sin, cos) = (libm::sin(heading) as f32, libm::cos(heading) as f32);
            (turns, -sin * gait.forward_m, -cos * gait.forward_m)
        })
        .collect();
    let search = Search { plan, costs, headings: &headings, here };
    let most_depth = if headings.len() <= 13 { 3 } else { 2 };
    (2..=most_depth).find_map(|depth| search.best(x, z, depth).map(|(_, turns)| turns))
}

struct Search<'a> {
    plan: &'a Plan,
    costs: &'a [u32],
    headings: &'a [(i32, f32, f32)],
    here: u32,
}

impl Search<'_> {
    /// The least cost of a walk of at most `depth` steps that ends nearer to the goal than it
    /// began, with the turns before its first step.
    fn best(&self, x: f32, z: f32, depth: u32) -> Option<(u32, i32)> {
        let mut best = None;
        for &(turns, dx, dz) in self.headings {
            let Some((cost, end)) = self.plan.walk(x, z, dx, dz) else { continue };
            let rest = self.costs[end];
            let mut total = if rest < self.here { cost + rest } else { NO_WAY };
            if depth > 1 && rest > 0
                && let Some((further, _)) = self.best(x + dx, z + dz, depth - 1)
            {
                total = total.min(cost + further);
            }
            if total == NO_WAY {
                continue;
            }
            let total = total + TURN * turns.unsigned_abs();
            if best.is_none_or(|(least, _)| total < least) {
                best = Some((total, turns));
            }
        }
        best
    }
}
