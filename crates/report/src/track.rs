use crate::class::Sight;
use ambler_agent::layers::{EventKind, Layer};
use ambler_episode::{Episode, SuccessRule};
use ambler_replay::{Header, Log};

/// What a report asks of scenes. It is implemented where scenes are loaded; [`NoScenes`] has none.
pub trait Scenes: Sync {
    /// The storey of a scene that a height in metres lies on.
    ///
    /// # Errors
    /// Why the scene of the log cannot be used.
    fn storey(&self, header: &Header, height_m: f32) -> Result<usize, String>;

    /// The picture of a storey from above.
    ///
    /// # Errors
    /// Why there is none.
    fn plan(&self, header: &Header, storey: usize) -> Result<Plan, String>;

    /// When the ground-truth detector shows the goal, at the poses of a log.
    ///
    /// # Errors
    /// Why it cannot be said.
    fn sight(&self, log: &Log) -> Result<Sight, String>;
}

/// No scene is at hand: trajectories are drawn on blank paper, and what was seen is taken from what
/// agents said.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoScenes;

impl Scenes for NoScenes {
    fn storey(&self, _: &Header, _: f32) -> Result<usize, String> {
        Err("no scenes at hand".to_owned())
    }

    fn plan(&self, _: &Header, _: usize) -> Result<Plan, String> {
        Err("no scenes at hand".to_owned())
    }

    fn sight(&self, _: &Log) -> Result<Sight, String> {
        Err("no scenes at hand".to_owned())
    }
}

/// A storey from above, north (−Z) at the top.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The picture as a PNG file; empty for blank paper.
    pub png: Vec<u8>,
    /// Its pixels across.
    pub width: u32,
    /// Its pixels down.
    pub height: u32,
    /// World x of its left edge, metres.
    pub left_m: f32,
    /// World z of its top edge, metres.
    pub top_m: f32,
    /// Pixels a metre.
    pub per_m: f32,
}

impl Plan {
    /// The pixel of a point given as world x and z.
    pub fn pixel(&self, [x, z]: [f32; 2]) -> [f32; 2] {
        [(x - self.left_m) * self.per_m, (z - self.top_m) * self.per_m]
    }

    /// Blank paper around points.
    pub(crate) fn blank(points: impl Iterator<Item = [f32; 2]>) -> Self {
        const PER_M: f32 = 60.0;
        const MARGIN_M: f32 = 0.8;
        /// Wider than any home; points beyond are cut off.
        const MOST_M: f32 = 200.0;
        let (mut low, mut high) = ([f32::MAX; 2], [f32::MIN; 2]);
        for point in points {
            for axis in 0..2 {
                low[axis] = low[axis].min(point[axis]);
                high[axis] = high[axis].max(point[axis]);
            }
        }
        if !(low[0] <= high[0] && low[1] <= high[1]) {
            (low, high) = ([0.0; 2], [0.0; 2]);
        }
        let side =
            |axis: usize| ((high[axis] - low[axis] + 2.0 * MARGIN_M).clamp(4.0, MOST_M) * PER_M) as u32;
        let edge = |axis: usize| 0.5 * (low[axis] + high[axis]) - 0.5 * side(axis) as f32 / PER_M;
        Self {
            png: Vec::new(),
            width: side(0),
            height: side(1),
            left_m: edge(0),
            top_m: edge(1),
            per_m: PER_M,
        }
    }
}

/// Where the body was in an episode, on a plan. Points are world x and z in metres.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Index into [`crate::Report::plans`].
    pub plan: usize,
    /// Index into [`crate::Report::goals`].
    pub goals: usize,
    /// The places in their order, without repeats; the first is the start, the last where it ended.
    pub points: Vec<[f32; 2]>,
    /// Where it ran into something.
    pub bumps: Vec<[f32; 2]>,
}

/// The goal of an episode on a plan, world x and z in metres.
#[derive(Clone, Debug, PartialEq)]
pub struct Goals {
    /// Where a stop succeeds: the points that distance is measured to.
    pub reach: Vec<[f32; 2]>,
    /// The goal objects.
    pub objects: Vec<[f32; 2]>,
}

/// A floor further off than this is another storey, metres.
const STOREY_M: f32 = 1.2;
/// More goal points than this are thinned out: their picture is the same.
const MOST_POINTS: usize = 400;
/// More collisions than this are not all drawn.
const MOST_BUMPS: usize = 200;

/// The places of a log and where it ran into something.
pub(crate) fn places(log: &Log) -> (Vec<[f32; 2]>, Vec<[f32; 2]>) {
    let flat = |position: ambler_geometry::Vec3| {
        // Centimetres are enough, and many points less.
        [position.x, position.z].map(|value| (value * 100.0).round() / 100.0)
    };
    let mut points: Vec<[f32; 2]> = log.steps.iter().map(|step| flat(step.pose.position)).collect();
    points.retain(|point| point.iter().all(|value| value.is_finite()));
    points.dedup();
    let bumped = log.steps.iter().filter(|step| step.collided);
    let mut bumps: Vec<[f32; 2]> = bumped.map(|step| flat(step.pose.position)).collect();
    bumps.retain(|point| point.iter().all(|value| value.is_finite()));
    bumps.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    bumps.dedup();
    bumps.truncate(MOST_BUMPS);
    (points, bumps)
}

/// The goals of an episode that lie on the storey of its start.
pub(crate) fn goals(episode: &Episode, header: &Header) -> Goals {
    let rule = header.success.as_deref().and_then(|name| name.parse::<SuccessRule>().ok());
    let to = rule.unwrap_or_else(|| SuccessRule::for_task(&episode.task)).to;
    let floor = episode.start_position.y;
    let measured = episode.measured_points(to);
    let here: Vec<[f32; 2]> = measured
        .points
        .iter()
        .filter(|point| (point.y - floor).abs() <= STOREY_M)
        .map(|point| [point.x, point.z])
        .collect();
    let stride = here.len().div_ceil(MOST_POINTS).max(1);
    let objects = episode.task.object_goals();
    let near = |height: f32| (-0.5..2.5).contains(&(height - floor));
    Goals {
        reach: here.into_iter().step_by(stride).collect(),
        objects: objects
            .filter(|goal| near(goal.position.y))
            .take(MOST_POINTS)
            .map(|goal| [goal.position.x, goal.position.z])
            .collect(),
    }
}

/// What the agent said that it saw of its goal; `None` where it published nothing of the kind.
pub(crate) fn said(log: &Log) -> Option<Sight> {
    let mut told = false;
    let mut first = None;
    for value in log.layers() {
        let Layer::Boxes2(found) = &value.layer else { continue };
        told = true;
        if found.boxes.iter().any(|found| found.wanted) {
            first = Some(first.map_or(value.step, |step: u32| step.min(value.step)));
        }
    }
    for event in log.events.iter().filter(|event| event.event.kind == EventKind::Detection) {
        told = true;
        first = Some(first.map_or(event.step, |step: u32| step.min(event.step)));
    }
    // What was seen in the step before the stop is what the stop was decided on.
    let last = log.last_step();
    let at_end = [last, last.saturating_sub(1)].into_iter().any(|step| {
        log.layers_at(step).into_iter().any(|value| match &value.layer {
            Layer::Boxes2(found) => found.boxes.iter().any(|found| found.wanted),
            _ => false,
        })
    });
    told.then_some(Sight { first, at_end })
}
