//! The record of one episode: one line of `episodes.jsonl`.

use std::collections::BTreeMap;

use ambler_body::Action;
use serde::{Deserialize, Serialize};

use crate::plan::PlanEntry;

/// How an episode ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It ran to a stop or to the step limit, and has scores.
    Done,
    /// The agent crashed, timed out, answered nonsense or panicked. It counts among the valid
    /// episodes with success, SPL and SoftSPL of 0, so that crashing never pays.
    Failed,
    /// The episode cannot be scored, whatever the agent does (goal unreachable, scene missing).
    /// Counted with its reason, never averaged.
    Invalid,
    /// The simulator itself failed: a bug of Ambler, not of the agent. Counted with its reason,
    /// never averaged, and the run is not as asked until it has been run again.
    Fault,
}

impl Status {
    /// The word in the files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Invalid => "invalid",
            Self::Fault => "fault",
        }
    }
}

/// The scores of one episode; definitions as in `ambler_episode`. Lengths in metres.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// 1 when stop was called within the success distance, else 0.
    pub success: f64,
    /// Success weighted by path length, in [0, 1].
    pub spl: f64,
    /// SPL with progress in place of success, in [0, 1].
    pub soft_spl: f64,
    /// Geodesic distance to the nearest goal at the end, in metres; absent when the body had left
    /// the goal's island, where the distance is infinite.
    pub distance_to_goal: Option<f64>,
    /// Length of the walked path, in metres.
    pub path_length_m: f64,
    /// Geodesic distance at the start, in metres.
    pub shortest_path_m: f64,
    /// Number of steps that collided.
    pub collisions: u64,
}

impl Scores {
    fn finite(&self) -> bool {
        [self.success, self.spl, self.soft_spl, self.path_length_m, self.shortest_path_m]
            .iter()
            .chain(&self.distance_to_goal)
            .all(|value| value.is_finite())
    }
}

/// Where the body was at the end of an episode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FinalPose {
    /// Position of the body on the floor, world frame, metres.
    pub position: [f32; 3],
    /// Yaw, counter-clockwise seen from above, radians.
    pub yaw: f64,
}

/// All that is kept of one episode. Two runs that are to give the same results give equal records:
/// nothing here depends on time, host, worker or order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpisodeRecord {
    /// Position of the episode in its set, from 0, before any filter.
    pub index: u64,
    /// The set's own id; it may repeat across scenes.
    pub episode_id: String,
    /// Content identity: lower-case hex of a blake3 hash.
    pub identity: String,
    /// The scene as the set names it.
    pub scene: String,
    /// `pointnav`, `objectnav`, ….
    pub task: String,
    /// Category of the goal; empty where the task has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub category: String,
    /// How it ended.
    pub status: Status,
    /// Why it is not `done`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Name of the success rule that the scores follow.
    pub success_rule: String,
    /// The scores; absent for invalid episodes and faults.
    #[serde(default, rename = "metrics", skip_serializing_if = "Option::is_none")]
    pub scores: Option<Scores>,
    /// Further measures of the task by name, averaged as they are. Finite.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, f64>,
    /// Number of actions taken, the stop among them.
    pub steps: u64,
    /// Whether the agent called stop (and did not run into the limit).
    pub stop_called: bool,
    /// Whether the agent looked at anything privileged: navmesh, true pose, goal positions.
    pub privileged: bool,
    /// The actions, one letter each: `F`orward, turn `L`eft, turn `R`ight, look `U`p, look `D`own,
    /// `S`top.
    pub actions: String,
    /// Where the body ended; absent when the episode never started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<FinalPose>,
}

impl EpisodeRecord {
    /// The record of an episode in which nothing was run.
    pub fn blank(entry: &PlanEntry, status: Status, reason: Option<String>) -> Self {
        Self {
            index: entry.index,
            episode_id: entry.episode_id.clone(),
            identity: entry.identity.clone(),
            scene: entry.scene.clone(),
            task: entry.task.clone(),
            category: entry.category.clone(),
            status,
            reason,
            success_rule: String::new(),
            scores: None,
            extra: BTreeMap::new(),
            steps: 0,
            stop_called: false,
            privileged: false,
            actions: String::new(),
            end: None,
        }
    }

    /// Whether the episode enters the averages: done, or failed by the agent's fault.
    pub fn valid(&self) -> bool {
        self.scores.is_some() && matches!(self.status, Status::Done | Status::Failed)
    }

    /// What tells two records of a run apart: position in the set and content.
    pub fn key(&self) -> (u64, &str) {
        (self.index, &self.identity)
    }

    /// The record as one line of JSON, without the line's end. Floats are written in the shortest
    /// form that reads back to the same bits.
    pub fn to_json(&self) -> String {
        // Strings, finite numbers and maps with string keys always serialise.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Makes the record writable: a number that is not finite has no form in JSON, so a record
    /// with one is turned into a fault that says so.
    pub(crate) fn checked(mut self) -> Self {
        let finite = self.scores.as_ref().is_none_or(Scores::finite)
            && self.extra.values().all(|value| value.is_finite());
        if !finite {
            self.status = Status::Fault;
            self.reason = Some("a measure of the episode is not a finite number".to_owned());
            self.scores = None;
            self.extra.clear();
        }
        if let Some(end) = &self.end
            && !(end.yaw.is_finite() && end.position.iter().all(|value| value.is_finite()))
        {
            self.end = None;
            self.status = Status::Fault;
            self.reason = Some("the body ended at a position that is not finite".to_owned());
            self.scores = None;
        }
        self
    }
}

/// The letter of an action in [`EpisodeRecord::actions`].
pub fn action_letter(action: Action) -> char {
    match action {
        Action::Stop => 'S',
        Action::MoveForward => 'F',
        Action::TurnLeft => 'L',
        Action::TurnRight => 'R',
        Action::LookUp => 'U',
        Action::LookDown => 'D',
    }
}

/// The action of a letter in [`EpisodeRecord::actions`].
pub fn action_of_letter(letter: char) -> Option<Action> {
    Some(match letter {
        'S' => Action::Stop,
        'F' => Action::MoveForward,
        'L' => Action::TurnLeft,
        'R' => Action::TurnRight,
        'U' => Action::LookUp,
        'D' => Action::LookDown,
        _ => return None,
    })
}
