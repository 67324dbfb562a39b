use super::borders::{Border, borders, choose};
use super::semantics::{Semantics, WINDOW_HALF_M};
use crate::eyes::{Errand, Sight, look, surface, view};
use crate::mapping::approach::{FinalApproach, Thing, metres, places};
use crate::mapping::cone::Cone;
use crate::mapping::map::{CELL_M, FREE, Heights, Map, grid_radius_m};
use crate::mapping::plan::{NO_WAY, Plan, PlanSettings};
use crate::mapping::walker::Walker;
use crate::models::Models;
use crate::{EpisodeContext, Observation, PolicyError};
use ambler_body::Action;
use ambler_geometry::random::Stream;
use ambler_model::{ModelError, Region};

/// It sees so far, metres: 100 cells.
const RANGE_M: f32 = 5.0;
/// A long-term goal holds for so many steps.
const STEPS_A_GOAL: u32 = 25;
/// It stops so far from the goal's nearest cell, metres: the goal grown by 0.5, reached within 0.25.
const STOP_M: f32 = 0.75;
/// Plans that came to nothing, after which it stops.
const MOST_FAILURES: u32 = 26;
/// Most points of a thing in one image.
const MOST_POINTS: usize = 600;

/// Where it is going.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Aim {
    /// To the goal.
    Goal(Thing),
    /// To a candidate, by index.
    Border(usize),
    /// To a place drawn at random.
    Place((f32, f32)),
}

/// A candidate with the things around it and the chance that the goal is there.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) border: Border,
    pub(super) things: Vec<String>,
    pub(super) chance: f64,
}

/// The mind of the `l3mvn` agent in one episode.
pub(super) struct Mind {
    pub(super) models: Models,
    pub(super) errand: Errand,
    pub(super) map: Map,
    pub(super) semantics: Semantics,
    pub(super) plan: Plan,
    pub(super) costs: Vec<u32>,
    from_body: Vec<u32>,
    reached: Vec<bool>,
    walker: Walker,
    stream: Stream,
    heights: Heights,
    radius_m: f32,
    approach: bool,
    /// The final approach, once it has begun.
    last_bit: Option<FinalApproach>,
    /// P(region | goal) as far as the goal's chances in regions say.
    goal_in: [f64; 14],
    pub(super) aim: Option<Aim>,
    pub(super) candidates: Vec<Candidate>,
    steps_on_goal: u32,
    /// From where the goal was seen last.
    seen_from: Option<(f32, f32)>,
    failures: u32,
    pub(super) sight: Sight,
    pub(super) told: super::publish::Told,
}

impl Mind {
    pub(super) fn new(models: Models) -> Self {
        Self {
            models,
            errand: Errand::default(),
            map: Map::new(),
            semantics: Semantics::default(),
            plan: Plan::default(),
            costs: Vec::new(),
            from_body: Vec::new(),
            reached: Vec::new(),
            walker: Walker::default(),
            stream: Stream::new(0, "", "policy l3mvn"),
            heights: Heights { climb_m: 0.2, top_m: 1.5 },
            radius_m: 0.2,
            approach: false,
            last_bit: None,
            goal_in: [0.0; 14],
            aim: None,
            candidates: Vec::new(),
            steps_on_goal: 0,
            seen_from: None,
            failures: 0,
            sight: Sight::default(),
            told: super::publish::Told::default(),
        }
    }

    pub(super) fn begin(&mut self, episode: &EpisodeContext<'_>) -> Result<(), PolicyError> {
        self.errand = Errand::of("l3mvn", episode)?;
        self.map.clear();
        self.semantics = Semantics::default();
        self.walker = Walker::new(episode.body);
        self.stream = episode.stream("l3mvn");
        self.heights = Heights::of(episode.body);
        self.radius_m = grid_radius_m(episode.body);
        self.approach = self.models.final_approach.unwrap_or(false);
        self.last_bit = None;
        let chances = self.models.relevance.goal_by_region(&self.errand.goal).map_err(failed)?;
        let sum: f64 = chances.iter().sum();
        self.goal_in = chances.map(|chance| chance / sum.max(1e-12));
        self.aim = None;
        self.candidates.clear();
        self.steps_on_goal = 0;
        self.seen_from = None;
        self.failures = 0;
        self.told = super::publish::Told::default();
        Ok(())
    }

    pub(super) fn act(&mut self, seen: &Observation<'_>) -> Result<Action, PolicyError> {
        self.take_in(seen)?;
        let action = self.decide(seen)?;
        self.walker.did(action);
        Ok(action)
    }

    fn take_in(&mut self, seen: &Observation<'_>) -> Result<(), PolicyError> {
        let at = (seen.position.x, seen.position.z);
        self.map.mark_disc(at.0, at.1, self.radius_m + CELL_M, FREE);
        self.sight = look(&self.models, seen, &self.errand, true)?;
        for camera in 0..seen.frames.len() {
            let Some(view) = view(seen, camera) else { continue };
            self.map.integrate(&view, seen.position, self.heights);
            if let Some(cone) = Cone::of(&view, RANGE_M) {
                cone.mark_explored(&cone.cells(), &mut self.map);
            }
            for thing in self.sight.all.get(camera).into_iter().flatten() {
                let points = surface(&view, thing, MOST_POINTS, |_, _| true);
                let near = points.iter().filter(|(_, depth)| *depth <= RANGE_M).map(|(point, _)| *point);
                self.semantics.add(&thing.label, near);
            }
            if self.sight.goal.get(camera).is_some_and(|found| !found.is_empty()) {
                self.seen_from = Some(at);
            }
        }
        if self.walker.feel(seen, &mut self.map) {
            self.steps_on_goal = STEPS_A_GOAL;
        }
        Ok(())
    }

    fn decide(&mut self, seen: &Observation<'_>) -> Result<Action, PolicyError> {
        let at = (seen.position.x, seen.position.z);
        if let Some(way) = self.last_bit {
            return Ok(self.come_near(seen, way));
        }
        let largest = self.semantics.largest(&self.errand.names);
        let apart = |p: &(f32, f32)| {
            let (dx, dz) = (p.0 - at.0, p.1 - at.1);
            (dx * dx + dz * dz).sqrt()
        };
        let nearest = largest.iter().copied().min_by(|a, b| apart(a).total_cmp(&apart(b)));
        if let Some(goal) = nearest {
            let from = self.seen_from.unwrap_or(at);
            if !matches!(self.aim, Some(Aim::Goal(old)) if (old.at, old.from) == (goal, from)) {
                self.walker.halt();
            }
            self.aim = Some(Aim::Goal(Thing { at: goal, from }));
        }
        for _ in 0..4 {
            if self.failures > MOST_FAILURES {
                return Ok(Action::Stop);
            }
            if !self.walker.is_under_way() {
                self.draw_up_plan(at);
                if nearest.is_none() && (self.aim.is_none() || self.steps_on_goal >= STEPS_A_GOAL) {
                    self.choose_aim(at)?;
                }
                match self.set_out(at) {
                    Way::There => match self.aim {
                        Some(Aim::Goal(thing)) => return Ok(self.there(seen, thing)),
                        _ => {
                            self.aim = None;
                            continue;
                        }
                    },
                    Way::None => {
                        self.fail();
                        continue;
                    }
                    Way::Ahead => {}
                }
            }
            if let Some(action) = self.walker.next(&self.plan, &self.costs, seen) {
                self.steps_on_goal += 1;
                return Ok(action);
            }
            if let Some(Aim::Goal(thing)) = self.aim
                && apart(&thing.at) < STOP_M + 0.5
            {
                return Ok(self.there(seen, thing));
            }
            self.fail();
        }
        self.steps_on_goal += 1;
        Ok(Action::TurnLeft)
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

    fn fail(&mut self) {
        self.failures += 1;
        self.walker.halt();
        if !matches!(self.aim, Some(Aim::Goal(_))) {
            self.aim = None;
        }
    }

    /// Computes the costs of the ways to the aim.
    fn set_out(&mut self, at: (f32, f32)) -> Way {
        let mut ends = match self.aim {
            Some(Aim::Goal(thing)) => places(&self.plan, &self.reached, thing, STOP_M, false),
            Some(Aim::Border(index)) => match self.candidates.get(index) {
                Some(candidate) => {
                    let nearest = self.nearest_cell(candidate.border.centroid);
                    nearest.map(|cell| (0, cell)).into_iter().collect()
                }
                None => Vec::new(),
            },
            Some(Aim::Place(place)) => {
                self.nearest_cell(place).map(|cell| (0, cell)).into_iter().collect()
            }
            None => Vec::new(),
        };
        let here = self.plan.index(at.0, at.1);
        self.plan.spread_to(&mut ends, here.unwrap_or(usize::MAX), &mut self.costs);
        match here.map(|here| self.costs[here]) {
            None | Some(NO_WAY) => Way::None,
            Some(cost) if matches!(self.aim, Some(Aim::Goal(_))) && metres(cost) < CELL_M => Way::There,
            Some(cost) if !matches!(self.aim, Some(Aim::Goal(_))) && metres(cost) < 0.25 => Way::There,
            Some(_) => Way::Ahead,
        }
    }

    /// The reachable cell that is nearest to a point.
    fn nearest_cell(&self, (x, z): (f32, f32)) -> Option<u32> {
        let mut best: Option<(f32, u32)> = None;
        for index in 0..self.plan.len() {
            if !self.reached[index] || !self.plan.is_standing_room(index) {
                continue;
            }
            let (cx, cz) = self.plan.middle(index);
            let apart = (cx - x) * (cx - x) + (cz - z) * (cz - z);
            if best.is_none_or(|(least, _)| apart < least) {
                best = Some((apart, index as u32));
            }
        }
        best.map(|(_, index)| index)
    }

    /// A new long-term goal.
    fn choose_aim(&mut self, at: (f32, f32)) -> Result<(), PolicyError> {
        self.steps_on_goal = 0;
        let here = self.plan.index(at.0, at.1).map(|here| (0, here as u32));
        self.plan.spread(&mut here.into_iter().collect::<Vec<_>>(), &mut self.from_body);
        let found = borders(&self.plan, &self.from_body);
        let largest = found.iter().map(|border| border.size).max().unwrap_or(1).max(1);
        self.candidates.clear();
        for border in found {
            let near = self.semantics.near(border.centroid, WINDOW_HALF_M);
            let things: Vec<String> = near.into_iter().map(str::to_owned).collect();
            let chance = if things.is_empty() {
                0.1 + 0.1 * border.size as f64 / largest as f64
            } else {
                self.chance(&things).map_err(failed)?
            };
            self.candidates.push(Candidate { border, things, chance });
        }
        let chances: Vec<f64> = self.candidates.iter().map(|candidate| candidate.chance).collect();
        self.aim = match choose(&chances) {
            Some(index) => Some(Aim::Border(index)),
            None => self.random_place().map(Aim::Place),
        };
        Ok(())
    }

    /// P(goal | things around): the chances of regions by the things, times the share of the goal's
    /// chances that falls to each region.
    fn chance(&self, things: &[String]) -> Result<f64, ModelError> {
        let labels: Vec<&str> = things.iter().map(String::as_str).collect();
        let regions = self.models.relevance.region_given_labels(&labels)?;
        let goal =
            Region::ALL.iter().map(|region| regions[region.index()] * self.goal_in[region.index()]);
        Ok(goal.sum())
    }

    fn random_place(&mut self) -> Option<(f32, f32)> {
        let open: Vec<usize> =
            (0..self.plan.len()).filter(|&i| self.reached[i] && self.plan.is_standing_room(i)).collect();
        open.get(self.stream.index(open.len())).map(|&index| self.plan.middle(index))
    }

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
}

/// What came of a plan.
enum Way {
    Ahead,
    There,
    None,
}

fn failed(error: ModelError) -> PolicyError {
    PolicyError::failed(error.to_string())
}
