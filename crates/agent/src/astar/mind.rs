use super::tour::Tour;
use crate::eyes::{Errand, Sight, look, surface, view};
use crate::mapping::approach::{Thing, places};
use crate::mapping::map::{Map, grid_radius_m};
use crate::mapping::plan::{NO_WAY, Plan, PlanSettings};
use crate::mapping::walker::Walker;
use crate::models::Models;
use crate::observation::wrapped;
use crate::{EpisodeContext, Observation, PolicyError, relative_position};
use ambler_body::Action;
use ambler_geometry::{Pose, Vec3};
use ambler_model::{KnownPlane, SceneMemory};

/// It has reached a place within this distance, metres (ε of the paper).
const NAV_M: f32 = 0.5;
/// It goes to the place that is nearest to the goal: on the side from where it saw it if that is nearer than
/// this, else on any side, metres. A goal is found from within 1 m of it.
const REACH_M: f32 = 1.0;
/// Places nearer than this to where it looked are dropped, metres (d_next).
const NEXT_M: f32 = 1.0;
/// Surfaces below this are looked at with the camera tilted down too, metres above the floor.
const LOW_M: f32 = 0.9;
const TILT_RAD: f64 = -std::f64::consts::FRAC_PI_6;
/// Kept free around the body besides what the map keeps, metres.
const MARGIN_M: f32 = 0.07;
/// Most points of the goal's surface.
const MOST_POINTS: usize = 500;
/// Steps that were blocked on the way to one place, after which it is left out.
const MOST_BLOCKED: u32 = 6;

/// Which algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Algorithm 3.
    Random,
    /// Algorithm 4.
    Semantic,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Random => "random-astar",
            Self::Semantic => "semantic-astar",
        }
    }
}

/// What it is doing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Task {
    /// Choosing a place.
    Choose,
    /// Walking to a place of a plane.
    Walk { plane: usize, place: usize },
    /// Turning to a plane and looking at it: tilts left to make, in steps of the body.
    Look { plane: usize, place: usize },
    /// Walking to the goal that it saw.
    Approach(Thing),
    /// There is nothing left to look at.
    Done,
}

/// The mind of the A* agents in one episode.
pub(super) struct Mind {
    pub(super) kind: Kind,
    pub(super) models: Models,
    pub(super) errand: Errand,
    /// What it remembers, in the start frame.
    pub(super) planes: Vec<KnownPlane>,
    pub(super) tour: Tour,
    pub(super) map: Map,
    pub(super) plan: Plan,
    pub(super) costs: Vec<u32>,
    from_body: Vec<u32>,
    reached: Vec<bool>,
    walker: Walker,
    radius_m: f32,
    tilt_step_rad: f64,
    pub(super) task: Task,
    tilts: Vec<i32>,
    blocked: u32,
    floor_y: f32,
    /// Where the goal was seen.
    pub(super) goal: Vec<Vec3>,
    /// Planes that were looked at, in order.
    pub(super) visited: Vec<usize>,
    pub(super) sight: Sight,
    pub(super) told: super::publish::Told,
}

impl Mind {
    pub(super) fn new(kind: Kind, models: Models) -> Self {
        Self {
            kind,
            models,
            errand: Errand::default(),
            planes: Vec::new(),
            tour: Tour::default(),
            map: Map::new(),
            plan: Plan::default(),
            costs: Vec::new(),
            from_body: Vec::new(),
            reached: Vec::new(),
            walker: Walker::default(),
            radius_m: MARGIN_M,
            tilt_step_rad: 0.0,
            task: Task::Choose,
            tilts: Vec::new(),
            blocked: 0,
            floor_y: 0.0,
            goal: Vec::new(),
            visited: Vec::new(),
            sight: Sight::default(),
            told: super::publish::Told::default(),
        }
    }

    pub(super) fn begin(&mut self, episode: &EpisodeContext<'_>) -> Result<(), PolicyError> {
        let name = self.kind.name();
        self.errand = Errand::of(name, episode)?;
        let recall = episode.home.ok_or_else(|| {
            PolicyError::failed(format!("{name} must remember the home, and was told nothing of it"))
        })?;
        let home = (recall.0)().map_err(PolicyError::failed)?;
        self.recall(&home.memory, &home.start);
        self.tour = match self.kind {
            Kind::Random => Tour::random(&self.planes, &mut episode.stream(name)),
            Kind::Semantic => {
                let relevance = &*self.models.relevance;
                Tour::by_relevance(&self.planes, &self.errand.goal, relevance)
                    .map_err(|error| PolicyError::failed(error.to_string()))?
            }
        };
        self.walker = Walker::new(episode.body);
        self.radius_m = MARGIN_M.min(grid_radius_m(episode.body));
        self.tilt_step_rad = episode.body.tilt_deg.to_radians();
        self.task = Task::Choose;
        self.tilts.clear();
        self.blocked = 0;
        self.goal.clear();
        self.visited.clear();
        self.told = super::publish::Told::default();
        Ok(())
    }

    /// Brings what is remembered into the start frame. Only the storey where it starts counts: what lies
    /// on others is not looked for.
    fn recall(&mut self, memory: &SceneMemory, start: &Pose) {
        self.map.clear();
        let known = &memory.map;
        let storey = known.storey_at(start.position.y).unwrap_or(0);
        self.floor_y = known.storeys.get(storey).map_or(0.0, |storey| storey.y) - start.position.y;
        let open = known.open(storey);
        let corner = |i: u32, j: u32| {
            let x = known.corner[0] + i as f32 * known.cell_m;
            let z = known.corner[1] + j as f32 * known.cell_m;
            relative_position(start, Vec3::new(x, start.position.y, z))
        };
        // Every cell of the map looks up its own square, so that turned maps have no holes.
        let corners = [(0, 0), (known.cols, 0), (0, known.rows), (known.cols, known.rows)];
        let corners = corners.map(|(i, j)| corner(i, j));
        let least = |v: fn(&Vec3) -> f32| corners.iter().map(v).fold(f32::INFINITY, f32::min);
        let most = |v: fn(&Vec3) -> f32| corners.iter().map(v).fold(f32::NEG_INFINITY, f32::max);
        let low = Map::cell(least(|p| p.x) - 0.2, least(|p| p.z) - 0.2);
        let high = Map::cell(most(|p| p.x) + 0.2, most(|p| p.z) + 0.2);
        if let (Some(low), Some(high)) = (low, high) {
            let (right, down) = (corners[1] - corners[0], corners[2] - corners[0]);
            let (cols, rows) = (known.cols as f32, known.rows as f32);
            for z in low.1..=high.1 {
                for x in low.0..=high.0 {
                    let (mx, mz) = Map::middle(x, z);
                    let (dx, dz) = (mx - corners[0].x, mz - corners[0].z);
                    let along = |axis: Vec3| {
                        let squared = axis.x * axis.x + axis.z * axis.z;
                        (dx * axis.x + dz * axis.z) / squared.max(1e-9)
                    };
                    // The corner of a square that lies nearest is what the map was sampled at.
                    let (i, j) = ((along(right) * cols).round(), (along(down) * rows).round());
                    let inside = i >= 0.0 && j >= 0.0 && i < cols && j < rows;
                    let open = inside && open[j as usize * known.cols as usize + i as usize];
                    self.map.remember(mx, mz, open);
                }
            }
        }
        let storey_of = |plane: &KnownPlane| {
            plane.nav_points.first().and_then(|point| known.storey_at(point[1])) == Some(storey)
        };
        self.planes = memory.planes.iter().filter(|plane| storey_of(plane)).cloned().collect();
        for plane in &mut self.planes {
            for point in &mut plane.polygon {
                let moved = relative_position(start, Vec3::new(point[0], plane.y, point[1]));
                *point = [moved.x, moved.z];
            }
            for point in &mut plane.nav_points {
                *point = relative_position(start, Vec3::from(*point)).to_array();
            }
            plane.y -= start.position.y;
        }
    }

    pub(super) fn act(&mut self, seen: &Observation<'_>) -> Result<Action, PolicyError> {
        if self.walker.feel(seen, &mut self.map) {
            self.blocked += 1;
        }
        self.sight = Sight::default();
        // On its last steps it looks only for those who watch.
        let watched = matches!(self.task, Task::Approach(_)) && !seen.frames.is_empty();
        if self.looks() || watched {
            self.sight = look(&self.models, seen, &self.errand, false)?;
            if let Some(action) = self.find(seen) {
                self.walker.did(action);
                return Ok(action);
            }
        }
        let action = self.decide(seen);
        self.walker.did(action);
        Ok(action)
    }

    /// Whether it looks at what it sees now. The paper detects at places only; on the way if asked.
    pub(super) fn looks(&self) -> bool {
        matches!(self.task, Task::Look { .. }) || self.models.detect_en_route
    }

    /// The goal is seen: where it is, and what to do about it.
    fn find(&mut self, seen: &Observation<'_>) -> Option<Action> {
        if matches!(self.task, Task::Approach(_)) {
            return None;
        }
        for camera in 0..seen.frames.len() {
            let view = view(seen, camera)?;
            let found = self.sight.goal.get(camera).into_iter().flatten();
            let best = found.max_by_key(|thing| thing.pixels());
            let Some(thing) = best else { continue };
            let points: Vec<Vec3> =
                surface(&view, thing, MOST_POINTS, |_, _| true).into_iter().map(|(p, _)| p).collect();
            let Some(median) = median(&points) else { continue };
            self.goal = points;
            if !self.models.final_approach.unwrap_or(true) {
                return Some(Action::Stop);
            }
            let from = (seen.position.x, seen.position.z);
            self.task = Task::Approach(Thing { at: (median.x, median.z), from });
            self.walker.halt();
            self.blocked = 0;
            return None;
        }
        None
    }

    fn decide(&mut self, seen: &Observation<'_>) -> Action {
        let at = (seen.position.x, seen.position.z);
        for _ in 0..2 * (self.tour.left.len() + 4) {
            let action = match self.task {
                Task::Done => Some(Action::Stop),
                Task::Choose => {
                    self.choose(at);
                    None
                }
                Task::Walk { plane, place } => self.walk(seen, plane, place),
                Task::Look { plane, place } => self.look_at(seen, plane, place),
                Task::Approach(thing) => self.approach(seen, thing),
            };
            if let Some(action) = action {
                return action;
            }
        }
        Action::Stop
    }

    fn choose(&mut self, at: (f32, f32)) {
        self.draw_up_plan(at);
        let here = self.plan.index(at.0, at.1).map(|here| (0, here as u32));
        self.plan.spread(&mut here.into_iter().collect::<Vec<_>>(), &mut self.from_body);
        let (plan, from_body, planes) = (&self.plan, &self.from_body, &self.planes);
        let cost = |plane: usize, place: usize| {
            let [x, _, z] = planes[plane].nav_points[place];
            let cost = from_body[plan.index(x, z)?];
            (cost != NO_WAY).then_some(cost)
        };
        self.blocked = 0;
        self.task = match self.tour.next(cost) {
            Some((plane, place)) => Task::Walk { plane, place },
            None => Task::Done,
        };
    }

    fn walk(&mut self, seen: &Observation<'_>, plane: usize, place: usize) -> Option<Action> {
        let at = (seen.position.x, seen.position.z);
        let [x, _, z] = self.planes[plane].nav_points[place];
        let (dx, dz) = (x - at.0, z - at.1);
        let mut arrived = dx * dx + dz * dz <= NAV_M * NAV_M;
        if !arrived && !self.walker.is_under_way() {
            self.draw_up_plan(at);
            let index = self.plan.index(x, z)?;
            let here = self.plan.index(at.0, at.1).unwrap_or(usize::MAX);
            self.plan.spread_to(&mut [(0, index as u32)], here, &mut self.costs);
        }
        if !arrived && self.blocked <= MOST_BLOCKED {
            // The body looks level while it walks.
            if let Some(action) = self.tilt_to(seen, 0) {
                return Some(action);
            }
            if let Some(action) = self.walker.next(&self.plan, &self.costs, seen) {
                return Some(action);
            }
            // As near as its steps allow, or nowhere near.
            arrived = dx * dx + dz * dz <= NEXT_M * NEXT_M;
        }
        self.walker.halt();
        if !arrived {
            self.tour.left.retain(|entry| *entry != (plane, place));
            self.task = Task::Choose;
            return None;
        }
        let low = self.planes[plane].y - self.floor_y < LOW_M;
        let down = self.tilt_steps(TILT_RAD);
        self.tilts = if low && down < 0 { vec![down, 0] } else { vec![0] };
        self.visited.push(plane);
        self.task = Task::Look { plane, place };
        None
    }

    /// Faces the plane's middle and looks, level first; the last tilt of the list is the next one.
    fn look_at(&mut self, seen: &Observation<'_>, plane: usize, place: usize) -> Option<Action> {
        let centre = self.planes[plane].centre();
        let (dx, dz) = (centre.x - seen.position.x, centre.z - seen.position.z);
        let bearing = wrapped(libm::atan2(f64::from(-dx), f64::from(-dz)) - seen.compass);
        if bearing.abs() > 0.5 * self.walker.gait.turn_rad + 1e-6 {
            return Some(if bearing > 0.0 { Action::TurnLeft } else { Action::TurnRight });
        }
        while let Some(&tilt) = self.tilts.last() {
            match self.tilt_to(seen, tilt) {
                Some(action) => return Some(action),
                // This observation was it.
                None => self.tilts.pop(),
            };
        }
        let (x, z) = (seen.position.x, seen.position.z);
        let planes = &self.planes;
        self.tour.left.retain(|&(p, n)| {
            let [px, _, pz] = planes[p].nav_points[n];
            let near = (px - x) * (px - x) + (pz - z) * (pz - z) < NEXT_M * NEXT_M;
            !near && (p, n) != (plane, place)
        });
        self.task = Task::Choose;
        None
    }

    /// As near to the goal as it gets.
    fn approach(&mut self, seen: &Observation<'_>, thing: Thing) -> Option<Action> {
        let at = (seen.position.x, seen.position.z);
        if !self.walker.is_under_way() {
            self.draw_up_plan(at);
            let here = self.plan.index(at.0, at.1);
            self.plan.reach(here.unwrap_or(usize::MAX), &mut self.reached);
            let mut ends = places(&self.plan, &self.reached, thing, REACH_M, true);
            self.plan.spread_to(&mut ends, here.unwrap_or(usize::MAX), &mut self.costs);
            let here = here.map(|here| self.costs[here]);
            if here.is_none_or(|cost| cost == 0 || cost == NO_WAY) || self.blocked > MOST_BLOCKED {
                return Some(Action::Stop);
            }
        }
        // No step leads closer: it is there.
        Some(self.walker.next(&self.plan, &self.costs, seen).unwrap_or(Action::Stop))
    }

    fn draw_up_plan(&mut self, at: (f32, f32)) {
        let mut window = self.map.known();
        if let Some((x, z)) = Map::cell(at.0, at.1) {
            window.include(x, z);
        }
        let settings = PlanSettings { radius_m: self.radius_m, optimistic: false };
        self.plan.rebuild(&self.map, window, settings);
        self.plan.make_room(at.0, at.1);
    }

    fn tilt_steps(&self, radians: f64) -> i32 {
        if self.tilt_step_rad <= 0.0 || self.tilt_step_rad > 0.8 {
            return 0;
        }
        (radians / self.tilt_step_rad).round() as i32
    }

    fn tilt_to(&self, seen: &Observation<'_>, wanted: i32) -> Option<Action> {
        let now = self.tilt_steps(seen.tilt_rad);
        match wanted {
            wanted if wanted < now => Some(Action::LookDown),
            wanted if wanted > now => Some(Action::LookUp),
            _ => None,
        }
    }
}

/// The median of each coordinate.
fn median(points: &[Vec3]) -> Option<Vec3> {
    let middle = |axis: usize| {
        let mut values: Vec<f32> = points.iter().map(|point| point[axis]).collect();
        values.sort_by(f32::total_cmp);
        values.get(values.len() / 2).copied()
    };
    Some(Vec3::new(middle(0)?, middle(1)?, middle(2)?))
}
