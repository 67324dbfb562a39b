//! How well one episode went: habitat.md-compatible measures, with every edge case defined.

use crate::rule::{DistanceTo, GoalPoints, SuccessRule};
use ambler_geometry::Vec3;
use ambler_navmesh::{GoalSet, NavQuery, NavReason};
use serde::{Deserialize, Serialize};

/// What gives the geodesic distance from a place to the nearest goal point, metres. Implemented by
/// [`QueryDistance`] (mode `habitat`), and by any closure (a distance field for mode `exact`, a
/// table in a test).
pub trait DistanceMeasure {
    /// The distance from `position`, or why there is none.
    fn distance(&mut self, position: Vec3) -> Result<f32, NavReason>;
}

impl<F: FnMut(Vec3) -> Result<f32, NavReason>> DistanceMeasure for F {
    fn distance(&mut self, position: Vec3) -> Result<f32, NavReason> {
        self(position)
    }
}

/// Distance along Detour-faithful paths, as Habitat measures it.
pub struct QueryDistance<'a> {
    /// Where paths are searched.
    pub query: &'a mut NavQuery,
    /// The goal points, prepared by that query.
    pub goals: &'a GoalSet,
}

impl DistanceMeasure for QueryDistance<'_> {
    fn distance(&mut self, position: Vec3) -> Result<f32, NavReason> {
        self.query.geodesic_to(self.goals, position).map(|(distance, _)| distance)
    }
}

/// Why an episode cannot be scored. Counted and reported with its reason, never averaged.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Invalid {
    /// No path leads from the start to any goal point.
    #[error("no goal can be reached from the start: {0}")]
    Unreachable(NavReason),
    /// There is nothing to measure to.
    #[error("the episode has no goal point")]
    NoGoals,
    /// The distance at the start is NaN, infinite or negative.
    #[error("the distance from the start to the goal is not a number")]
    NotFinite,
}

/// Steps that hit something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Collisions {
    /// Steps so far that collided.
    pub count: u32,
    /// Whether the last step did.
    pub is_collision: bool,
}

/// The scores of an episode so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// The success rule by name ([`SuccessRule`]'s text, with the distance where it is unusual).
    pub rule: String,
    /// Success is strictly nearer than this, metres.
    pub success_distance_m: f64,
    /// What the distance was measured to.
    pub distance_to: DistanceTo,
    /// View points were asked for but there were none, so goal positions stood in.
    pub fell_back_to_point: bool,
    /// 1 if stop was called within the success distance, else 0.
    pub success: f64,
    /// Success weighted by path length: success · L / max(L, P).
    pub spl: f64,
    /// Progress weighted by path length: max(0, 1 − d / L) · L / max(L, P).
    pub soft_spl: f64,
    /// d: distance to goal, metres; `None` while the body is where no path leads to a goal.
    pub distance_to_goal: Option<f64>,
    /// P: sum of the 3-D Euclidean lengths of all steps, metres.
    pub path_length_m: f64,
    /// L: distance to goal at the start, metres.
    pub shortest_m: f64,
    /// Steps taken; the stop counts.
    pub steps: u32,
    /// Steps that collided.
    pub collisions: Collisions,
    /// 1 if at any time the body was within the success distance, stop or not.
    pub oracle_success: f64,
    /// The least distance to goal at any time, metres.
    pub min_distance_m: f64,
    /// Whether stop was called.
    pub stopped: bool,
    /// Why the distance is missing, if it is.
    pub lost: Option<String>,
}

/// Follows one episode. Each update costs at most one distance query and allocates nothing.
///
/// Definitions are Habitat's (`distance_to_goal`, `success`, `spl`, `soft_spl`, `collisions`,
/// `num_steps`): distance is measured again only when the body moved (numpy's `allclose` with an
/// absolute tolerance of 1e-4), success is strict. Where Habitat divides by zero: an episode with
/// L = 0 has SPL and soft SPL equal to its success. Where Habitat has infinity: an unreachable
/// start is [`Invalid`]; a body that left its island during the episode has no success, SPL 0,
/// soft SPL 0 and no distance.
///
/// ```
/// use ambler_episode::{GoalPoints, MetricsTracker, SuccessRule, Task};
/// use ambler_geometry::Vec3;
/// let task = Task::point(Vec3::new(0.0, 0.0, -3.0), None);
/// let rule = SuccessRule::for_task(&task);
/// let points = GoalPoints::of(&task, rule.to);
/// // An empty floor: the shortest path is the straight line.
/// let mut straight = |p: Vec3| Ok(p.distance(points.points[0]));
/// let mut tracker = MetricsTracker::start(&rule, &points, Vec3::ZERO, &mut straight)?;
/// tracker.update(Vec3::new(0.0, 0.0, -3.0), false, false, &mut straight);
/// tracker.update(Vec3::new(0.0, 0.0, -3.0), false, true, &mut straight);
/// let metrics = tracker.metrics();
/// assert_eq!((metrics.success, metrics.spl, metrics.steps), (1.0, 1.0, 2));
/// # Ok::<(), ambler_episode::Invalid>(())
/// ```
#[derive(Clone, Debug)]
pub struct MetricsTracker {
    rule: SuccessRule,
    to: DistanceTo,
    fell_back: bool,
    shortest_m: f64,
    /// Where the body was after the last step.
    position: Vec3,
    /// Where the distance is of, or will be once it is caught up with.
    measured_at: Vec3,
    distance: Result<f64, NavReason>,
    least_m: f64,
    path_length_m: f64,
    steps: u32,
    collisions: Collisions,
    stopped: bool,
    /// The body moved since the distance was last measured, and no nearer than ever before.
    is_behind: bool,
}

/// What rounding may take off a bound, metres.
const SLACK_M: f64 = 1e-3;

impl MetricsTracker {
    /// Begins an episode at its start position.
    ///
    /// # Errors
    /// Why the episode cannot be scored.
    pub fn start(
        rule: &SuccessRule,
        points: &GoalPoints,
        position: Vec3,
        measure: &mut (impl DistanceMeasure + ?Sized),
    ) -> Result<Self, Invalid> {
        if points.points.is_empty() {
            return Err(Invalid::NoGoals);
        }
        let shortest_m = f64::from(measure.distance(position).map_err(Invalid::Unreachable)?);
        if !(shortest_m.is_finite() && shortest_m >= 0.0) {
            return Err(Invalid::NotFinite);
        }
        Ok(Self {
            rule: rule.clone(),
            to: points.to,
            fell_back: points.fell_back,
            shortest_m,
            position,
            measured_at: position,
            distance: Ok(shortest_m),
            least_m: shortest_m,
            path_length_m: 0.0,
            steps: 0,
            collisions: Collisions::default(),
            stopped: false,
            is_behind: false,
        })
    }

    /// Takes note of one step: where the body is after it, whether it collided, whether it was the
    /// stop action.
    pub fn update(
        &mut self,
        position: Vec3,
        collided: bool,
        stop: bool,
        measure: &mut (impl DistanceMeasure + ?Sized),
    ) {
        self.note(position, collided, stop);
        self.catch_up(measure);
    }

    /// The same, but where the distance is known to be `at_least` so many metres, and that is farther than
    /// the body has been before, it is not measured: no score of a later step depends on it. Whoever
    /// reads the scores calls [`MetricsTracker::catch_up`] first.
    pub fn update_bounded(
        &mut self,
        position: Vec3,
        collided: bool,
        stop: bool,
        at_least: f64,
        measure: &mut (impl DistanceMeasure + ?Sized),
    ) {
        self.note(position, collided, stop);
        if stop || at_least <= self.least_m + SLACK_M {
            self.catch_up(measure);
        }
    }

    fn note(&mut self, position: Vec3, collided: bool, stop: bool) {
        self.steps = self.steps.saturating_add(1);
        self.path_length_m += position.as_dvec3().distance(self.position.as_dvec3());
        self.position = position;
        self.collisions.is_collision = collided;
        self.collisions.count = self.collisions.count.saturating_add(u32::from(collided));
        self.stopped |= stop;
        if !all_close(self.measured_at, position) {
            self.measured_at = position;
            self.is_behind = true;
        }
    }

    /// Measures the distance where the body is, unless that was done.
    pub fn catch_up(&mut self, measure: &mut (impl DistanceMeasure + ?Sized)) {
        if !std::mem::take(&mut self.is_behind) {
            return;
        }
        self.distance = match measure.distance(self.measured_at) {
            Ok(distance) if distance.is_finite() => Ok(f64::from(distance)),
            Ok(_) => Err(NavReason::NotFinite),
            Err(reason) => Err(reason),
        };
        if let Ok(distance) = self.distance {
            self.least_m = self.least_m.min(distance);
        }
    }

    /// Distance to goal now, metres.
    pub fn distance_to_goal(&self) -> Result<f64, NavReason> {
        self.distance
    }

    /// Steps so far, the stop among them.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// Whether stop was called within the success distance.
    pub fn succeeded(&self) -> bool {
        self.stopped && self.distance.is_ok_and(|distance| self.rule.reached(distance))
    }

    /// The scores so far. Before stop, success is 0.
    pub fn metrics(&self) -> Metrics {
        debug_assert!(!self.is_behind, "catch up first");
        let success = if self.succeeded() { 1.0 } else { 0.0 };
        let (spl, soft_spl) = if self.shortest_m > 0.0 {
            let efficiency = self.shortest_m / self.shortest_m.max(self.path_length_m);
            let progress =
                self.distance.map_or(0.0, |distance| (1.0 - distance / self.shortest_m).max(0.0));
            (success * efficiency, progress * efficiency)
        } else {
            (success, success)
        };
        Metrics {
            rule: self.rule.to_string(),
            success_distance_m: self.rule.distance_m,
            distance_to: self.to,
            fell_back_to_point: self.fell_back,
            success,
            spl,
            soft_spl,
            distance_to_goal: self.distance.ok(),
            path_length_m: self.path_length_m,
            shortest_m: self.shortest_m,
            steps: self.steps,
            collisions: self.collisions,
            oracle_success: if self.rule.reached(self.least_m) { 1.0 } else { 0.0 },
            min_distance_m: self.least_m,
            stopped: self.stopped,
            lost: self.distance.err().map(|reason| reason.to_string()),
        }
    }
}

/// numpy's `allclose(before, now, atol=1e-4)` with its relative tolerance of 1e-5.
fn all_close(before: Vec3, now: Vec3) -> bool {
    before.to_array().into_iter().zip(now.to_array()).all(|(a, b)| {
        let (a, b) = (f64::from(a), f64::from(b));
        (a - b).abs() <= 1e-4 + 1e-5 * b.abs()
    })
}
