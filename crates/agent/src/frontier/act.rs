use super::aim::REACH_M;
use crate::mapping::map::{
    BUMPED, CELL_M, EXHAUSTED, FREE, Heights, Map, NO_TARGET, View, grid_radius_m,
};
use crate::mapping::plan::{COST_PER_M, NO_WAY, Plan};
use crate::mapping::steer::{Gait, Refused, best_steps};
use crate::observation::wrapped;
use crate::{EpisodeContext, Goal, Observation};
use ambler_body::Action;
use ambler_geometry::random::Stream;

/// Plans are made anew after this many steps.
const STEPS_A_PLAN: u32 = 3;
/// A frontier that is still one after a look around from this close hides nothing to be seen.
const EXHAUST_M: f32 = 0.9;
/// Share of the image that a detection must fill.
const LEAST_SHARE: f32 = 1.5e-4;
/// Places from which the goal turned out to be hidden before it settles for where it is.
const MOST_DOUBTS: u32 = 4;
/// The cameras look down this far while it walks: 1.3 m up, 40° of image below the middle, so that
/// the floor shows from half a metre on.
const WALKING_TILT_RAD: f64 = -0.52;

/// Where the current plan leads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Aim {
    Nothing,
    Goal,
    Frontier,
    Place,
}

/// The mind of the `frontier` agent in one episode.
pub(super) struct Explorer {
    pub(super) map: Map,
    pub(super) plan: Plan,
    pub(super) costs: Vec<u32>,
    pub(super) from_body: Vec<u32>,
    /// Where a walk to an object may end: cost of ending there and cell, by cell.
    pub(super) places: Vec<(u32, u32)>,
    pub(super) stream: Stream,
    pub(super) gait: Gait,
    pub(super) heights: Heights,
    pub(super) radius_m: f32,
    pub(super) tilt_step_rad: f64,
    /// Categories of an object goal; empty for point goals.
    pub(super) categories: Vec<u32>,
    pub(super) object: bool,
    /// The goal in words.
    pub(super) goal_name: String,
    pub(super) success_m: f64,
    pub(super) state: State,
}

/// What is forgotten between episodes.
pub(super) struct State {
    pub(super) last: Option<Action>,
    pub(super) aim: Aim,
    pub(super) steps_on_plan: u32,
    pub(super) replan: bool,
    /// Turns left to make before the next steps forward; the next step last.
    pub(super) walk: Vec<i32>,
    /// It stands where the goal should be visible, and checks.
    pub(super) confirming: bool,
    /// Turns left in a look around.
    pub(super) look_around: u32,
    /// Looks around yet to be made here, by tilt in steps.
    pub(super) views: Vec<i32>,
    /// Where it looked around with level cameras.
    pub(super) looked: Vec<(f32, f32)>,
    /// Tilt that it wants, in steps of the body.
    pub(super) tilt: i32,
    pub(super) goal_height_m: Option<f32>,
    pub(super) goal_in_view: bool,
    pub(super) doubts: u32,
    /// Steps that were blocked.
    pub(super) refused: Vec<Refused>,
    pub(super) least_cost: u32,
    pub(super) since_progress: u32,
    /// Middle of the frontier it is heading for.
    pub(super) heading_for: Option<(f32, f32)>,
    /// Unknown floor counts as passable.
    pub(super) optimistic: bool,
    /// The frontiers of the last plan that was made for one.
    pub(super) frontiers: Vec<Found>,
    /// What was told of its mind; nothing is decided by it.
    pub(super) told: Told,
}

/// A border between known and unknown floor.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// Cost, less is better.
    pub(super) score: f32,
    /// Its cheapest cell, start frame.
    pub(super) middle: (f32, f32),
    /// Its cells in the plan.
    pub(super) cells: Vec<u32>,
}

/// What was told last.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    pub(super) aim: Option<Aim>,
    pub(super) heading_for: Option<(f32, f32)>,
    pub(super) goal: bool,
}

impl Explorer {
    pub(super) fn new() -> Self {
        Self {
            map: Map::new(),
            plan: Plan::default(),
            costs: Vec::new(),
            from_body: Vec::new(),
            places: Vec::new(),
            stream: Stream::new(0, "", "policy frontier"),
            gait: Gait::new(0.25, 0.5),
            heights: Heights { climb_m: 0.2, top_m: 1.5 },
            radius_m: 0.2,
            tilt_step_rad: 0.0,
            categories: Vec::new(),
            object: false,
            goal_name: String::new(),
            success_m: 0.2,
            state: State::new(),
        }
    }

    pub(super) fn seeks_object(&self) -> bool {
        self.object
    }

    pub(super) fn begin(&mut self, episode: &EpisodeContext<'_>) {
        let body = episode.body;
        self.map.clear();
        self.stream = episode.stream("frontier");
        self.gait = Gait::new(body.forward_m, body.turn_deg.to_radians());
        self.heights = Heights::of(body);
        self.radius_m = grid_radius_m(body);
        self.tilt_step_rad = body.tilt_deg.to_radians();
        self.categories = episode.goal_categories();
        self.object = matches!(episode.goal, Goal::Object { .. });
        self.goal_name = match episode.goal {
            Goal::Object { category, .. } => category.clone(),
            Goal::Point { .. } => String::new(),
        };
        self.success_m = episode.point_success_m().unwrap_or(0.0);
        self.state = State::new();
        self.state.optimistic = true;
        let down = self.tilt_steps(WALKING_TILT_RAD);
        if self.object {
            // The last is made first.
            self.state.views = if down < 0 { vec![down, 0] } else { vec![0] };
        } else {
            self.state.tilt = down;
        }
    }

    pub(super) fn act(&mut self, seen: &Observation<'_>) -> Action {
        self.take_in(seen);
        let action = self.decide(seen);
        self.state.last = Some(action);
        action
    }

    /// Tilt in steps of the body nearest to an angle; 0 for bodies whose steps are too coarse.
    fn tilt_steps(&self, radians: f64) -> i32 {
        if self.tilt_step_rad <= 0.0 || self.tilt_step_rad > 0.8 {
            return 0;
        }
        (radians / self.tilt_step_rad).round() as i32
    }

    /// Enters what is seen into the map.
    fn take_in(&mut self, seen: &Observation<'_>) {
        let (x, z) = (seen.position.x, seen.position.z);
        self.map.mark_disc(x, z, self.radius_m + CELL_M, FREE);
        self.state.goal_in_view = false;
        for (index, (frame, spec)) in seen.frames.iter().zip(seen.cameras).enumerate() {
            let view = View {
                frame,
                spec,
                position: seen.position,
                yaw: seen.compass,
                tilt_rad: seen.tilt_rad,
            };
            self.map.integrate(&view, seen.position, self.heights);
            if !self.object {
                continue;
            }
            for found in seen.detections.get(index).map_or(&[][..], Vec::as_slice) {
                let enough = found.pixels as f32 >= LEAST_SHARE * frame.pixel_count() as f32;
                if !enough || !self.categories.contains(&found.category) {
                    continue;
                }
                if let Some(height) = self.map.mark_goal(&view, found, seen.position) {
                    if self.state.goal_height_m.is_none() {
                        self.state.replan = true;
                        self.state.walk.clear();
                    }
                    self.state.goal_height_m = Some(height);
                    self.state.goal_in_view = true;
                }
            }
        }
        if self.state.last == Some(Action::MoveForward) && seen.collided {
            self.bump(seen);
        }
    }

    /// A step was blocked: nobody gets through just ahead.
    fn bump(&mut self, seen: &Observation<'_>) {
        self.state.replan = true;
        self.state.walk.clear();
        let (sin, cos) = (libm::sin(seen.compass) as f32, libm::cos(seen.compass) as f32);
        let step = (-sin * self.gait.forward_m, -cos * self.gait.forward_m);
        self.state.refused.push(Refused { at: (seen.position.x, seen.position.z), step });
        let here = Map::cell(seen.position.x, seen.position.z);
        for ahead in [1.2, 2.2] {
            for aside in [-1.0, 0.0, 1.0] {
                let (along, across) = (ahead * CELL_M, aside * CELL_M);
                let x = seen.position.x - sin * along + cos * across;
                let z = seen.position.z - cos * along - sin * across;
                if Map::cell(x, z) != here {
                    self.map.mark(x, z, BUMPED);
                }
            }
        }
    }

    fn decide(&mut self, seen: &Observation<'_>) -> Action {
        if let Some(goal) = seen.point_goal.filter(|_| !self.object)
            && goal.rho < self.success_m * 0.97
        {
            return Action::Stop;
        }
        if self.object && self.state.goal_height_m.is_some() {
            // Looking around further would tell nothing new.
            self.state.look_around = 0;
            self.state.views.clear();
        } else if let Some(action) = self.look_around(seen) {
            return action;
        }
        // A few changes of mind are allowed within one step.
        for _ in 0..6 {
            if let Some(action) = self.pursue(seen) {
                return action;
            }
        }
        self.wander()
    }

    /// The next action of a look around, if one is under way.
    fn look_around(&mut self, seen: &Observation<'_>) -> Option<Action> {
        if self.state.look_around == 0 {
            self.state.tilt = self.state.views.pop()?;
            self.state.look_around = self.circle(seen);
            if self.state.tilt >= 0 {
                self.state.looked.push((seen.position.x, seen.position.z));
            }
        }
        if let Some(action) = self.tilt_head(seen) {
            return Some(action);
        }
        self.state.look_around -= 1;
        if self.state.look_around == 0 {
            self.state.replan = true;
        }
        Some(Action::TurnLeft)
    }

    /// Turns that show the whole circle, fewer with several cameras.
    fn circle(&self, seen: &Observation<'_>) -> u32 {
        let cameras = seen.cameras.len().clamp(1, 4) as u32;
        (2 * self.gait.half_circle as u32).div_ceil(cameras).max(1)
    }

    fn tilt_head(&self, seen: &Observation<'_>) -> Option<Action> {
        let now = self.tilt_steps(seen.tilt_rad);
        match self.state.tilt {
            wanted if wanted < now => Some(Action::LookDown),
            wanted if wanted > now => Some(Action::LookUp),
            _ => None,
        }
    }

    /// One attempt at the next action; `None` when the aim has to change.
    fn pursue(&mut self, seen: &Observation<'_>) -> Option<Action> {
        let at = (seen.position.x, seen.position.z);
        let due = self.state.walk.is_empty() && self.state.steps_on_plan >= STEPS_A_PLAN;
        if self.state.replan || due || self.state.aim == Aim::Nothing {
            self.make_plan(seen);
        }
        if self.state.aim == Aim::Nothing {
            return None;
        }
        let Some(here) = self.plan.index(at.0, at.1) else {
            self.state.replan = true;
            return None;
        };
        let cost = self.costs.get(here).copied().unwrap_or(NO_WAY);
        if self.state.confirming || self.has_arrived(here, cost) {
            return self.arrive(seen, here);
        }
        if cost == NO_WAY {
            self.give_up(seen);
            return None;
        }
        if let Some(action) = self.tilt_head_for_walk(seen) {
            return Some(action);
        }
        if self.state.walk.is_empty() {
            let pose = (at.0, at.1, seen.compass);
            let walk = best_steps(&self.plan, &self.costs, pose, self.gait, &self.state.refused);
            let Some(mut walk) = walk else {
                // As near as its steps allow, or stuck.
                let near = self.object && self.plan.goal_distance_m(here) < REACH_M + 0.3;
                return match self.state.aim {
                    Aim::Goal if near => self.arrive(seen, here),
                    Aim::Goal => Some(self.wander()),
                    _ => {
                        self.give_up(seen);
                        None
                    }
                };
            };
            walk.reverse();
            self.state.walk = walk;
        }
        if let Some(turns) = self.state.walk.last_mut().filter(|turns| **turns != 0) {
            let side = turns.signum();
            *turns -= side;
            return Some(if side > 0 { Action::TurnLeft } else { Action::TurnRight });
        }
        self.state.walk.pop();
        self.state.steps_on_plan += 1;
        if cost < self.state.least_cost {
            self.state.least_cost = cost;
            self.state.since_progress = 0;
        } else {
            self.state.since_progress += 1;
            if self.state.since_progress > 12 {
                self.give_up(seen);
                return None;
            }
        }
        Some(Action::MoveForward)
    }

    fn tilt_head_for_walk(&mut self, seen: &Observation<'_>) -> Option<Action> {
        self.state.tilt = self.tilt_steps(WALKING_TILT_RAD);
        self.tilt_head(seen)
    }

    fn has_arrived(&self, here: usize, cost: u32) -> bool {
        match self.state.aim {
            // Ending here is no dearer than going on.
            Aim::Goal if self.object => self
                .places
                .binary_search_by_key(&here, |&(_, i)| i as usize)
                .is_ok_and(|at| self.places[at].0 <= cost),
            Aim::Goal | Aim::Nothing => cost == 0,
            Aim::Frontier => cost <= (0.3 * COST_PER_M) as u32,
            Aim::Place => cost <= (0.2 * COST_PER_M) as u32,
        }
    }

    /// What to do where the plan ends.
    fn arrive(&mut self, seen: &Observation<'_>, here: usize) -> Option<Action> {
        match self.state.aim {
            Aim::Goal if self.object => self.confirm(seen, here),
            // The point goal itself cannot be reached, for all it knows: look again from scratch.
            Aim::Goal => {
                self.give_up(seen);
                None
            }
            Aim::Frontier => {
                self.map.mark_disc(seen.position.x, seen.position.z, EXHAUST_M, EXHAUSTED);
                self.state.aim = Aim::Nothing;
                self.state.views = vec![self.tilt_steps(WALKING_TILT_RAD)];
                self.look_around(seen)
            }
            Aim::Place => {
                self.state.aim = Aim::Nothing;
                self.state.views = vec![0];
                self.look_around(seen)
            }
            Aim::Nothing => None,
        }
    }

    /// Faces the goal; stops when it is seen from here.
    fn confirm(&mut self, seen: &Observation<'_>, here: usize) -> Option<Action> {
        let (x, z) = (seen.position.x, seen.position.z);
        let nearest = (0..self.plan.len())
            .filter(|&i| self.plan.flags(i) & crate::mapping::map::GOAL != 0)
            .map(|i| {
                let (gx, gz) = self.plan.middle(i);
                ((gx - x) * (gx - x) + (gz - z) * (gz - z), gx - x, gz - z)
            })
            .min_by(|a, b| a.0.total_cmp(&b.0));
        self.state.confirming = true;
        let Some((squared, dx, dz)) = nearest else { return Some(Action::Stop) };
        if self.state.goal_in_view && self.plan.goal_distance_m(here) <= REACH_M + 0.1 {
            return Some(Action::Stop);
        }
        let bearing = wrapped(libm::atan2(f64::from(-dx), f64::from(-dz)) - seen.compass);
        if bearing.abs() > 0.6 * self.gait.turn_rad {
            return Some(if bearing > 0.0 { Action::TurnLeft } else { Action::TurnRight });
        }
        let camera_m = seen.cameras.first().map_or(1.3, |spec| spec.mount.y);
        let height_m = self.state.goal_height_m.unwrap_or(camera_m) - camera_m;
        let elevation = libm::atan2(f64::from(height_m), f64::from(squared.sqrt()).max(0.3));
        self.state.tilt = self.tilt_steps(elevation).clamp(-2, 1);
        if let Some(action) = self.tilt_head(seen) {
            return Some(action);
        }
        if self.state.goal_in_view {
            return Some(Action::Stop);
        }
        self.state.doubts += 1;
        if self.state.doubts > MOST_DOUBTS {
            return Some(Action::Stop);
        }
        self.map.mark_disc(x, z, 0.25, NO_TARGET);
        self.state.confirming = false;
        self.state.replan = true;
        None
    }

    /// The aim is out of reach: take another.
    fn give_up(&mut self, seen: &Observation<'_>) {
        match self.state.aim {
            Aim::Goal => self.state.optimistic = !self.state.optimistic,
            Aim::Frontier => {
                let (x, z) = self.state.heading_for.unwrap_or((seen.position.x, seen.position.z));
                self.map.mark_disc(x, z, EXHAUST_M, EXHAUSTED);
            }
            Aim::Place => {
                if let Some(place) = self.state.heading_for {
                    self.state.looked.push(place);
                }
            }
            Aim::Nothing => {}
        }
        self.state.aim = Aim::Nothing;
        self.state.replan = true;
        self.state.walk.clear();
    }

    /// Nothing makes sense any more: move at random, and start over with what can be seen from there.
    fn wander(&mut self) -> Action {
        self.state.replan = true;
        self.state.walk.clear();
        self.state.looked.clear();
        [Action::MoveForward, Action::MoveForward, Action::TurnLeft, Action::TurnRight]
            [self.stream.index(4)]
    }
}

impl State {
    fn new() -> Self {
        Self {
            last: None,
            aim: Aim::Nothing,
            steps_on_plan: 0,
            replan: true,
            walk: Vec::new(),
            confirming: false,
            look_around: 0,
            views: Vec::new(),
            looked: Vec::new(),
            tilt: 0,
            goal_height_m: None,
            goal_in_view: false,
            doubts: 0,
            refused: Vec::new(),
            least_cost: NO_WAY,
            since_progress: 0,
            heading_for: None,
            optimistic: false,
            frontiers: Vec::new(),
            told: Told::default(),
        }
    }
}
