//! What the engine needs of a simulated world. Implemented above this crate, over the step schedule.

use std::collections::BTreeMap;
use std::sync::Arc;

use ambler_agent::{EpisodeContext, Needs, Observation, Privileged};
use ambler_body::{Action, BodyState};
use ambler_episode::{Episode, Metrics};
use ambler_geometry::{Heading, Pose, Vec3};
use ambler_sensor::{Moved, Renderer};
use serde::Serialize;

use crate::record::{FinalPose, Scores};

/// A world in which episodes of one scene are run, one after the other, by one worker.
///
/// The order of calls in an episode: [`reset`](Self::reset), [`begin`](Self::begin),
/// [`provide`](Self::provide), then [`observe`](Self::observe) and [`step`](Self::step) in turn,
/// [`outcome`](Self::outcome). The result of an episode must not depend on what ran before it.
///
/// What the policy sees is handed to a callback rather than returned, so that an implementation may
/// lend parts of its world (the frames, the navmesh query) for just that long.
pub trait Simulation: Send {
    /// Sets up a fresh world for an episode.
    ///
    /// # Errors
    /// The reason why the episode is invalid: its goal cannot be reached, its start is off the
    /// navmesh, …. It is counted under this reason and never averaged.
    fn reset(&mut self, episode: &Arc<Episode>) -> Result<(), String>;

    /// Calls `begin` once with what a policy may know before the first step.
    fn begin(&mut self, begin: &mut dyn FnMut(&EpisodeContext<'_>));

    /// Says what the policy needs in this episode; nothing else has to be drawn.
    fn provide(&mut self, needs: Needs);

    /// Whether the images after the next steps will be looked at; until this is called they are. A simulation
    /// may draw them all the same.
    fn look_next(&mut self, _on: bool) {}

    /// Calls `look` once with what is observed now and with the privileged handle.
    fn observe(&mut self, look: &mut dyn FnMut(&Observation<'_>, &mut Privileged<'_>));

    /// Carries out one action, stop among them, and measures.
    fn step(&mut self, action: Action);

    /// From now on the cameras draw with `renderer`, with instances where `moved` says: somebody moved
    /// things about. The body still walks on the same navmesh. Where this is not known, nothing changes.
    fn furnish(&mut self, _renderer: &Arc<Renderer>, _moved: &Moved) {}

    /// Whether the time of the next step is to be shared out. Says nothing about results.
    fn time_next_step(&mut self, _on: bool) {}

    /// What the timed steps since the last call spent, by part: names of the step's parts and seconds.
    /// A simulation that does not know says nothing.
    fn spent(&mut self) -> Spent {
        Spent::default()
    }

    /// What has been reached so far. Success needs a stop, so an episode that ran into its limit
    /// has none.
    fn outcome(&mut self) -> Outcome;

    /// How things stand now, for those who watch. By default only what the outcome tells.
    fn snapshot(&mut self) -> Snapshot {
        let outcome = self.outcome();
        let heading = Heading::from_yaw(outcome.end.yaw);
        let pose = Pose { position: Vec3::from_array(outcome.end.position), heading };
        Snapshot {
            body: BodyState::at(pose),
            tilt_rad: 0.0,
            spl_if_stopped: outcome.scores.spl,
            scores: outcome.scores,
        }
    }
}

/// How an episode stands after a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Where the body is, and whether it ran into something.
    pub body: BodyState,
    /// How far the cameras are tilted up, radians.
    pub tilt_rad: f64,
    /// The scores so far; success needs a stop.
    pub scores: Scores,
    /// The SPL that a stop here and now would give.
    pub spl_if_stopped: f64,
}

impl Snapshot {
    /// The snapshot that the measures of `ambler_episode` give.
    pub fn of(metrics: &Metrics, body: BodyState, tilt_rad: f64) -> Self {
        let there = metrics.distance_to_goal.is_some_and(|d| d < metrics.success_distance_m);
        let longer = metrics.shortest_m.max(metrics.path_length_m);
        let spl_if_stopped = match there {
            false => 0.0,
            true if longer > 0.0 => metrics.shortest_m / longer,
            true => 1.0,
        };
        Self { body, tilt_rad, scores: Scores::from(metrics), spl_if_stopped }
    }
}

/// Seconds by part of the work, such as `sense` or `policy`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Spent(pub BTreeMap<String, f64>);

impl Spent {
    /// Adds seconds to a part.
    pub fn add(&mut self, part: &str, seconds: f64) {
        match self.0.get_mut(part) {
            Some(sum) => *sum += seconds,
            None => drop(self.0.insert(part.to_owned(), seconds)),
        }
    }

    /// Adds all parts of another, each times `factor`.
    pub fn add_all(&mut self, other: &Self, factor: f64) {
        other.0.iter().for_each(|(part, &seconds)| self.add(part, seconds * factor));
    }

    /// The parts as shares of their sum, the largest first: `sense 71 %, policy 20 %`. Parts under a
    /// hundredth are left out. Empty where nothing was spent.
    pub fn shares(&self) -> String {
        let sum: f64 = self.0.values().sum();
        let mut parts: Vec<(&String, f64)> =
            self.0.iter().map(|(part, &seconds)| (part, seconds / sum)).collect();
        parts.retain(|&(_, share)| share >= 0.01);
        parts.sort_by(|a, b| b.1.total_cmp(&a.1));
        let told: Vec<String> =
            parts.iter().map(|(part, share)| format!("{part} {:.0} %", share * 100.0)).collect();
        told.join(", ")
    }
}

/// What an episode has come to.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The scores.
    pub scores: Scores,
    /// Further measures of the task, by name.
    pub extra: BTreeMap<String, f64>,
    /// Name of the success rule that the scores follow, such as `objectnav` or `objectnav@1`.
    pub success_rule: String,
    /// Where the body is.
    pub end: FinalPose,
}

impl Outcome {
    /// The outcome that the measures of `ambler_episode` give, for a body at `pose`. Where an
    /// episode has no view points, so that goal positions stood in for them, the rule's name says
    /// so; `oracle_success` and `min_distance_m` are further measures.
    pub fn of(metrics: &Metrics, pose: &Pose) -> Self {
        let extra = BTreeMap::from([
            ("oracle_success".to_owned(), metrics.oracle_success),
            ("min_distance_m".to_owned(), metrics.min_distance_m),
        ]);
        let stand_in = if metrics.fell_back_to_point { " (goal positions)" } else { "" };
        Self {
            scores: Scores::from(metrics),
            extra,
            success_rule: format!("{}{stand_in}", metrics.rule),
            end: FinalPose { position: pose.position.to_array(), yaw: pose.heading.yaw() },
        }
    }
}

impl From<&Metrics> for Scores {
    fn from(metrics: &Metrics) -> Self {
        Self {
            success: metrics.success,
            spl: metrics.spl,
            soft_spl: metrics.soft_spl,
            distance_to_goal: metrics.distance_to_goal,
            path_length_m: metrics.path_length_m,
            shortest_path_m: metrics.shortest_m,
            collisions: u64::from(metrics.collisions.count),
        }
    }
}

/// Makes simulations: one for each worker and scene. Scenes, navmeshes and what else is immutable
/// are shared between them behind `Arc`s.
pub trait SimulationFactory: Send + Sync {
    /// A simulation for the episodes of `scene` (as the episodes name it).
    ///
    /// # Errors
    /// The reason why there is none: the scene is missing or cannot be read. Its episodes are
    /// invalid then, with this reason.
    fn create(&self, scene: &str) -> Result<Box<dyn Simulation>, String>;
}
