//! Why an episode failed.

use ambler_evaluate::{EpisodeRecord, Status, measure};
use ambler_replay::Log;

/// How an episode came out: success, or why not. Each episode has exactly one class; the rules are
/// asked in the order of [`classify`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// It stopped at the goal.
    Success,
    /// It stopped with the goal in view or within [`NEAR_M`], yet outside the success distance.
    /// Where nothing tells what it saw: it stopped outside the success distance.
    StoppedEarly,
    /// The goal was in view, and it went elsewhere.
    SeenAndMissed,
    /// The goal was never in view.
    NeverSeen,
    /// Its steps ended while it went nowhere.
    Stuck,
    /// Its steps ended under way.
    OutOfSteps,
    /// No path leads to the goal, from the start or from where it ended.
    Unreachable,
    /// The agent crashed, stalled or answered nonsense.
    AgentFailed,
    /// It was not scored for another reason: scene missing, a fault of the simulator.
    NotScored,
}

impl Class {
    /// All, in the order of figures.
    pub const ALL: [Self; 9] = [
        Self::Success,
        Self::StoppedEarly,
        Self::SeenAndMissed,
        Self::NeverSeen,
        Self::Stuck,
        Self::OutOfSteps,
        Self::Unreachable,
        Self::AgentFailed,
        Self::NotScored,
    ];

    /// The name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::StoppedEarly => "stopped early",
            Self::SeenAndMissed => "seen and missed",
            Self::NeverSeen => "never seen",
            Self::Stuck => "stuck",
            Self::OutOfSteps => "out of steps",
            Self::Unreachable => "unreachable",
            Self::AgentFailed => "agent failed",
            Self::NotScored => "not scored",
        }
    }

    /// What it means, in a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Success => "stopped within the success distance",
            Self::StoppedEarly => {
                "stopped with the goal in view or within 1 m of it, yet outside the success distance (without an episode log: stopped outside the success distance)"
            }
            Self::SeenAndMissed => "the goal was in view, and the agent went elsewhere",
            Self::NeverSeen => "the goal was never in view",
            Self::Stuck => {
                "the steps ended while the body stayed within 0.5 m of one place for a quarter of them (without an episode log: while more than half of its forward steps collided)"
            }
            Self::OutOfSteps => "the steps ended under way",
            Self::Unreachable => {
                "no path leads to the goal, from the start or from where the body ended"
            }
            Self::AgentFailed => "the agent crashed, stalled or answered nonsense",
            Self::NotScored => "the scene is missing or unfit, or the simulator failed",
        }
    }
}

/// What a class was computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The record alone: nothing tells what was seen.
    Record,
    /// The episode log: where the body went, and what the agent said that it saw.
    Log,
    /// The episode log and the scene: at each recorded pose the ground-truth detector was asked
    /// whether the goal is in view.
    Scene,
}

impl Source {
    /// The name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Record => "record",
            Self::Log => "log",
            Self::Scene => "log and scene",
        }
    }
}

/// When the goal was in view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sight {
    /// The first step with the goal in view.
    pub first: Option<u32>,
    /// Whether it was in view at the last step.
    pub at_end: bool,
}

/// A stop this near to the goal, in metres of the way there, was meant for the goal.
pub const NEAR_M: f64 = 1.0;
/// A body that stays this near to one place is stuck, metres.
pub const STUCK_M: f32 = 0.5;
/// Fewer last actions than these say nothing about being stuck.
const STUCK_STEPS: usize = 20;

/// The class of an episode of which there is only the record.
pub fn classify_record(record: &EpisodeRecord) -> Class {
    if let Some(class) = settled(record) {
        return class;
    }
    if record.stop_called {
        return Class::StoppedEarly;
    }
    let forward = record.actions.bytes().filter(|&letter| letter == b'F').count();
    let collisions = measure(record, "collisions").unwrap_or(0.0);
    if record.actions.len() >= STUCK_STEPS && 2.0 * collisions > forward as f64 {
        return Class::Stuck;
    }
    Class::OutOfSteps
}

/// The class of an episode with its log. `sight` says when the goal was in view; `None` where nobody
/// knows.
pub fn classify(record: &EpisodeRecord, log: &Log, sight: Option<Sight>) -> Class {
    if let Some(class) = settled(record) {
        return class;
    }
    let object = !record.category.is_empty();
    let last = log.last_step();
    if record.stop_called {
        let near = measure(record, "distance_to_goal").is_some_and(|metres| metres <= NEAR_M);
        return match sight {
            Some(sight) if object && !near && !sight.at_end => match sight.first {
                Some(_) => Class::SeenAndMissed,
                None => Class::NeverSeen,
            },
            _ => Class::StoppedEarly,
        };
    }
    if stuck(log) {
        return Class::Stuck;
    }
    match sight {
        Some(Sight { first: None, .. }) if object => Class::NeverSeen,
        Some(Sight { first: Some(first), .. }) if object => {
            // Twice the steps of the straight way leave room for turns and detours.
            let left = f64::from(last.saturating_sub(first));
            let away = log.steps.get(first as usize).and_then(|step| step.distance_to_goal);
            let forward_m = f64::from(log.header.body.forward_m).max(1e-3);
            match away {
                Some(away) if left < 2.0 * away / forward_m => Class::OutOfSteps,
                _ => Class::SeenAndMissed,
            }
        }
        _ => Class::OutOfSteps,
    }
}

/// What the record decides, whatever a log says.
fn settled(record: &EpisodeRecord) -> Option<Class> {
    match record.status {
        Status::Failed => return Some(Class::AgentFailed),
        Status::Fault => return Some(Class::NotScored),
        Status::Invalid => {
            let reason = record.reason.as_deref().unwrap_or_default();
            let nowhere = ["island", "on the navmesh", "Habitat's limits", "no path"];
            let unreachable = nowhere.iter().any(|word| reason.contains(word));
            return Some(if unreachable { Class::Unreachable } else { Class::NotScored });
        }
        Status::Done => {}
    }
    let Some(scores) = &record.scores else { return Some(Class::NotScored) };
    if scores.success >= 1.0 {
        return Some(Class::Success);
    }
    scores.distance_to_goal.is_none().then_some(Class::Unreachable)
}

/// Whether the body stayed in one place for the last quarter of its steps.
fn stuck(log: &Log) -> bool {
    let actions = log.steps.len().saturating_sub(1);
    let window = STUCK_STEPS.max(actions / 4);
    let Some(last) = log.steps.last().filter(|_| actions >= window) else { return false };
    log.steps[log.steps.len() - window..]
        .iter()
        .all(|step| step.pose.position.distance(last.pose.position) <= STUCK_M)
}
