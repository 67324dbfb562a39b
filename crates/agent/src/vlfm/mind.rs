use super::borders::{Border, borders};
use super::choice::Choice;
use super::cloud::{Cloud, RANGE_M};
use super::value::ValueMap;
use crate::eyes::{Errand, Sight, look, view, with_picture};
use crate::mapping::approach::{FinalApproach, Thing, metres, places};
use crate::mapping::cone::Cone;
use crate::mapping::map::{CELL_M, EXHAUSTED, FREE, Heights, Map, grid_radius_m};
use crate::mapping::plan::{NO_WAY, Plan, PlanSettings};
use crate::mapping::walker::Walker;
use crate::models::Models;
use crate::{EpisodeContext, Observation, PolicyError};
use ambler_body::Action;
use ambler_geometry::Vec3;

/// It stops when the goal's nearest point is closer than this in plan, metres.
pub(super) const STOP_M: f32 = 0.9;
/// The value of a border is the best within this distance of its waypoint, metres.
const VALUE_M: f32 = 0.5;
/// A goal that moved less than this is the same; less than the second while it is still more than
/// [`FAR_M`] away.
const SAME_GOAL_M: [f32; 2] = [0.1, 0.5];
const FAR_M: f32 = 2.0;
/// A border that is still one from this close hides nothing to be seen from there, metres.
const EXHAUST_M: f32 = 0.5;
/// Steps without coming nearer after which an aim is given up.
const MOST_VAIN: u32 = 12;
/// Surfaces between these heights above the floor end what it has explored, metres.
const WALL_M: (f32, f32) = (0.61, 0.88);
/// Goals that it could not get to before it stops where it is.
const MOST_FAILURES: u32 = 3;

/// What it is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    LookAround,
    Explore,
    Navigate,
}

/// The mind of the `vlfm` agent in one episode.
pub(super) struct Mind {
    pub(super) models: Models,
    pub(super) errand: Errand,
    pub(super) map: Map,
    pub(super) values: ValueMap,
    pub(super) plan: Plan,
    pub(super) costs: Vec<u32>,
    reached: Vec<bool>,
    walker: Walker,
    heights: Heights,
    radius_m: f32,
    approach: bool,
    /// The final approach, once it has begun.
    last_bit: Option<FinalApproach>,
    pub(super) cloud: Cloud,
    choice: Choice,
    pub(super) mode: Mode,
    pub(super) turns_left: u32,
    /// The goal's nearest surface.
    pub(super) goal: Option<(Vec3, (f32, f32))>,
    /// The borders of the last plan with their values, and which was chosen.
    pub(super) borders: Vec<(Border, f32)>,
    pub(super) chosen: Option<usize>,
    pub(super) sight: Sight,
    /// The last score of the front camera's image.
    pub(super) score: f32,
    least_cost: u32,
    vain: u32,
    failures: u32,
    pub(super) told: super::publish::Told,
}

impl Mind {
    pub(super) fn new(models: Models) -> Self {
        Self {
            models,
            errand: Errand::default(),
            map: Map::new(),
            values: ValueMap::new(),
            plan: Plan::default(),
            costs: Vec::new(),
            reached: Vec::new(),
            walker: Walker::default(),
            heights: Heights { climb_m: 0.2, top_m: 1.5 },
            radius_m: 0.2,
            approach: false,
            last_bit: None,
            cloud: Cloud::default(),
            choice: Choice::default(),
            mode: Mode::LookAround,
            turns_left: 0,
            goal: None,
            borders: Vec::new(),
            chosen: None,
            sight: Sight::default(),
            score: 0.0,
            least_cost: NO_WAY,
            vain: 0,
            failures: 0,
            told: super::publish::Told::default(),
        }
    }

    pub(super) fn begin(&mut self, episode: &EpisodeContext<'_>) -> Result<(), PolicyError> {
        self.errand = Errand::of("vlfm", episode)?;
        self.map.clear();
        self.values.clear();
        self.walker = Walker::new(episode.body);
        self.heights = Heights::of(episode.body);
        self.radius_m = grid_radius_m(episode.body);
        self.approach = self.models.final_approach.unwrap_or(false);
        self.last_bit = None;
        self.cloud = Cloud::default();
        self.choice = Choice::default();
        self.mode = Mode::LookAround;
        self.turns_left = 2 * self.walker.gait.half_circle as u32;
        self.goal = None;
        self.borders.clear();
        self.chosen = None;
        (self.least_cost, self.vain, self.failures) = (NO_WAY, 0, 0);
        self.told = super::publish::Told::default();
        Ok(())
    }

    pub(super) fn act(&mut self, seen: &Observation<'_>) -> Result<Action, PolicyError> {
        self.take_in(seen)?;
        let action = self.decide(seen);
        self.walker.did(action);
        Ok(action)
    }

    /// Enters what is seen into map, values and cloud.
    fn take_in(&mut self, seen: &Observation<'_>) -> Result<(), PolicyError> {
        let (x, z) = (seen.position.x, seen.position.z);
        self.map.mark_disc(x, z, self.radius_m + CELL_M, FREE);
        let everything = !self.models.scorer.needs_rgb();
        self.sight = look(&self.models, seen, &self.errand, everything)?;
        for camera in 0..seen.frames.len() {
            let Some(view) = view(seen, camera) else { continue };
            self.map.integrate(&view, seen.position, self.heights);
            let Some(cone) = Cone::of(&view, RANGE_M) else { continue };
            let floor = self.map.floor_y();
            let cone = cone.cut(&view, floor + WALL_M.0..floor + WALL_M.1);
            let cells = cone.cells();
            cone.mark_explored(&cells, &mut self.map);
            self.cloud.doubt(&cone);
            for thing in self.sight.goal.get(camera).into_iter().flatten() {
                self.cloud.add(&view, thing);
            }
            let found = self.sight.all.get(camera).map_or(&[][..], Vec::as_slice);
            let score = with_picture(seen, camera, &self.errand, |picture| {
                self.models.scorer.score(picture, found, &self.errand.goal)
            });
            let score = score
                .transpose()
                .map_err(|error| PolicyError::failed(error.to_string()))?
                .unwrap_or(0.0);
            self.values.paint(&cone, &cells, score);
            if camera == 0 {
                self.score = score;
            }
        }
        self.walker.feel(seen, &mut self.map);
        Ok(())
    }

    fn decide(&mut self, seen: &Observation<'_>) -> Action {
        if self.turns_left > 0 {
            self.turns_left -= 1;
            return Action::TurnLeft;
        }
        if let Some(way) = self.last_bit {
            return self.come_near(seen, way);
        }
        // Aims that cannot be reached are dropped; a few in one step.
        for _ in 0..8 {
            let mode = if self.cloud.is_empty() { Mode::Explore } else { Mode::Navigate };
            if mode != self.mode {
                self.mode = mode;
                self.walker.halt();
                (self.least_cost, self.vain) = (NO_WAY, 0);
            }
            let action = match mode {
                Mode::Navigate => self.navigate(seen),
                _ => self.explore(seen),
            };
            if let Some(action) = action {
                return action;
            }
        }
        Action::TurnLeft
    }

    /// Towards the goal; `None` when it was given up.
    fn navigate(&mut self, seen: &Observation<'_>) -> Option<Action> {
        let at = (seen.position.x, seen.position.z);
        let apart = |p: Vec3| {
            let (dx, dz) = (p.x - at.0, p.z - at.1);
            (dx * dx + dz * dz).sqrt()
        };
        let new = self.cloud.nearest(at.0, at.1)?;
        let keeps = self.goal.is_some_and(|(old, _)| {
            let moved = {
                let (dx, dz) = (new.0.x - old.x, new.0.z - old.z);
                (dx * dx + dz * dz).sqrt()
            };
            moved < SAME_GOAL_M[0] || (moved < SAME_GOAL_M[1] && apart(old) > FAR_M)
        });
        if !keeps {
            self.goal = Some(new);
            self.walker.halt();
            (self.least_cost, self.vain) = (NO_WAY, 0);
        }
        let (goal, from) = self.goal?;
        let thing = Thing { at: (goal.x, goal.z), from };
        if apart(goal) < STOP_M {
            return Some(self.there(seen, thing));
        }
        if !self.walker.is_under_way() {
            self.draw_up_plan(at);
            let mut ends = places(&self.plan, &self.reached, thing, STOP_M - CELL_M, false);
            let here = self.plan.index(at.0, at.1)?;
            self.plan.spread_to(&mut ends, here, &mut self.costs);
            let cost = self.costs[here];
            if cost == NO_WAY {
                return self.fail();
            }
            if metres(cost) < CELL_M {
                // As near as it gets.
                return Some(Action::Stop);
            }
            self.watch_progress(cost);
        }
        if self.vain > MOST_VAIN {
            return self.fail();
        }
        match self.walker.next(&self.plan, &self.costs, seen) {
            Some(action) => Some(action),
            // No step leads closer.
            None if apart(goal) < STOP_M + 0.4 => Some(self.there(seen, thing)),
            None => self.fail(),
        }
    }

    /// It is where its paper's rule stops; the final approach begins there.
    fn there(&mut self, seen: &Observation<'_>, thing: Thing) -> Action {
        if !self.approach {
            return Action::Stop;
        }
        self.walker.halt();
        self.come_near(seen, FinalApproach::to(thing))
    }

    /// The final approach: as near as steps get.
    fn come_near(&mut self, seen: &Observation<'_>, mut way: FinalApproach) -> Action {
        if !self.walker.is_under_way() {
            self.draw_up_plan((seen.position.x, seen.position.z));
        }
        let (plan, reached, costs) = (&mut self.plan, &self.reached, &mut self.costs);
        let action = way.act(plan, reached, costs, &mut self.walker, seen, STOP_M);
        self.last_bit = Some(way);
        action
    }

    /// The goal cannot be reached, for all that is known.
    fn fail(&mut self) -> Option<Action> {
        self.failures += 1;
        self.cloud.clear();
        self.goal = None;
        (self.failures >= MOST_FAILURES).then_some(Action::Stop)
    }

    /// To the border that promises most; `None` when it was given up.
    fn explore(&mut self, seen: &Observation<'_>) -> Option<Action> {
        let at = (seen.position.x, seen.position.z);
        self.goal = None;
        if !self.walker.is_under_way() {
            self.draw_up_plan(at);
            if !self.choose_border(at) {
                return Some(Action::Stop);
            }
            let here = self.plan.index(at.0, at.1)?;
            let cost = self.costs[here];
            self.watch_progress(cost);
            if cost == NO_WAY || metres(cost) < 0.3 || self.vain > MOST_VAIN {
                return self.exhaust();
            }
        }
        match self.walker.next(&self.plan, &self.costs, seen) {
            Some(action) => Some(action),
            None => self.exhaust(),
        }
    }

    /// The chosen border is one no more.
    fn exhaust(&mut self) -> Option<Action> {
        if let Some((border, _)) = self.chosen.and_then(|index| self.borders.get(index)) {
            let cells: Vec<(f32, f32)> =
                border.cells.iter().map(|&cell| self.plan.middle(cell as usize)).collect();
            let (wx, wz) = border.waypoint;
            for (x, z) in cells {
                if (x - wx) * (x - wx) + (z - wz) * (z - wz) <= EXHAUST_M * EXHAUST_M {
                    self.map.mark_disc(x, z, 2.0 * CELL_M, EXHAUSTED);
                }
            }
            self.map.mark_disc(wx, wz, EXHAUST_M, EXHAUSTED);
        }
        self.choice.drop_last();
        self.walker.halt();
        (self.least_cost, self.vain) = (NO_WAY, 0);
        None
    }

    /// Chooses a border and computes the costs of the ways to it; false where there is none.
    fn choose_border(&mut self, at: (f32, f32)) -> bool {
        let reachable = |border: &Border| border.cells.iter().any(|&cell| self.reached[cell as usize]);
        let found: Vec<(Border, f32)> = borders(&self.plan, self.radius_m)
            .into_iter()
            .filter(reachable)
            .map(|border| {
                let (x, z) = border.waypoint;
                let value = self.values.best_near(x, z, VALUE_M);
                (border, value)
            })
            .collect();
        self.borders = found;
        let waypoints: Vec<((f32, f32), f32)> =
            self.borders.iter().map(|(border, value)| (border.waypoint, *value)).collect();
        self.chosen = self.choice.choose(at, &waypoints);
        let Some((border, _)) = self.chosen.and_then(|index| self.borders.get(index)) else {
            return false;
        };
        let (wx, wz) = border.waypoint;
        let near = |&&cell: &&u32| {
            let (x, z) = self.plan.middle(cell as usize);
            (x - wx) * (x - wx) + (z - wz) * (z - wz) <= VALUE_M * VALUE_M && self.reached[cell as usize]
        };
        let mut seeds: Vec<(u32, u32)> =
            border.cells.iter().filter(near).map(|&cell| (0, cell)).collect();
        if seeds.is_empty() {
            seeds = border.cells.iter().map(|&cell| (0, cell)).collect();
        }
        let here = self.plan.index(at.0, at.1).unwrap_or(usize::MAX);
        self.plan.spread_to(&mut seeds, here, &mut self.costs);
        true
    }

    /// Reads the map anew, and where there is a way to from where it is.
    fn draw_up_plan(&mut self, at: (f32, f32)) {
        let mut window = self.map.known();
        if let Some((x, z)) = Map::cell(at.0, at.1) {
            window.include(x, z);
        }
        let settings = PlanSettings { radius_m: self.radius_m, optimistic: true };
        self.plan.rebuild(&self.map, window.grown(12), settings);
        self.plan.make_room(at.0, at.1);
        let here = self.plan.index(at.0, at.1).unwrap_or(usize::MAX);
        self.plan.reach(here, &mut self.reached);
    }

    fn watch_progress(&mut self, cost: u32) {
        if cost < self.least_cost {
            (self.least_cost, self.vain) = (cost, 0);
        } else {
            self.vain += 1;
        }
    }
}
