//! The first difference of two logs, by kind.

use crate::log::{Log, LogEvent, LogLayer, Step};
use ambler_agent::layers::EventKind;
use serde::Serialize;

/// What differs. The earliest kind names the culprit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The episode or what determines it.
    Settings,
    /// Where the body is.
    Pose,
    /// A measure.
    Metric,
    /// What is observed.
    Observation,
    /// What the agent published.
    AgentOutput,
    /// What the agent did.
    Action,
    /// How the episode ended.
    Record,
}

impl Kind {
    /// The kind in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Settings => "settings",
            Self::Pose => "pose",
            Self::Metric => "metric",
            Self::Observation => "observation",
            Self::AgentOutput => "agent output",
            Self::Action => "action",
            Self::Record => "record",
        }
    }

    /// What is at fault when everything before this was equal.
    pub fn culprit(self) -> &'static str {
        match self {
            Self::Settings => "not the same episode or not the same settings",
            Self::Pose | Self::Metric => "the simulator: equal actions gave another state",
            Self::Observation => {
                "the renderer, the scene or the state of objects: equal poses look different"
            }
            Self::AgentOutput => "the agent: randomness, a model, a time limit",
            Self::Action => "the agent, or how its answer was read",
            Self::Record => "how the episode was ended or scored",
        }
    }
}

/// The first difference of a kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// What differs.
    pub kind: Kind,
    /// The step; `None` for what is not of a step.
    pub step: Option<u32>,
    /// Which value.
    pub what: String,
    /// Its value in the first log.
    pub a: String,
    /// Its value in the second.
    pub b: String,
}

/// The differences of two logs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Comparison {
    /// The first difference of each kind, the earliest first.
    pub differences: Vec<Difference>,
}

impl Comparison {
    /// Whether the logs are equal.
    pub fn is_equal(&self) -> bool {
        self.differences.is_empty()
    }

    /// The earliest difference.
    pub fn first(&self) -> Option<&Difference> {
        self.differences.first()
    }

    fn add(&mut self, kind: Kind, step: Option<u32>, what: &str, a: impl ToString, b: impl ToString) {
        if !self.differences.iter().any(|known| known.kind == kind) {
            let (a, b) = (short(a.to_string()), short(b.to_string()));
            self.differences.push(Difference { kind, step, what: what.to_owned(), a, b });
        }
    }
}

/// Compares two logs step by step. `outputs`: also what the agents published.
pub fn compare(a: &Log, b: &Log, outputs: bool) -> Comparison {
    let mut found = Comparison::default();
    settings(a, b, &mut found);
    let common = a.steps.len().min(b.steps.len());
    for (index, (one, other)) in a.steps.iter().zip(&b.steps).enumerate() {
        let step = u32::try_from(index).unwrap_or(u32::MAX);
        if one.action != other.action {
            // The decision was made in the step before.
            let before = Some(step.saturating_sub(1));
            found.add(Kind::Action, before, "action", action(Some(one)), action(Some(other)));
        }
        if one != other {
            state(one, other, step, &mut found);
        }
    }
    if a.steps.len() != b.steps.len() {
        let before = u32::try_from(common.saturating_sub(1)).unwrap_or(u32::MAX);
        let (one, other) = (action(a.steps.get(common)), action(b.steps.get(common)));
        found.add(Kind::Action, Some(before), "action", one, other);
    }
    if outputs {
        output(a, b, &mut found);
    }
    record(a, b, &mut found);
    // In a step the body is where it is, is measured, sees, thinks, acts: the order of the kinds.
    found.differences.sort_by_key(|difference| {
        let step = match (difference.kind, difference.step) {
            (Kind::Settings, _) => 0,
            (_, Some(step)) => u64::from(step),
            (_, None) => u64::MAX,
        };
        (difference.kind != Kind::Settings, step, difference.kind)
    });
    found
}

fn action(step: Option<&Step>) -> String {
    match step {
        None => "(ended)".to_owned(),
        Some(step) => step.action.map_or_else(|| "(none)".to_owned(), |action| action.to_string()),
    }
}

fn settings(a: &Log, b: &Log, found: &mut Comparison) {
    if a.header == b.header {
        return;
    }
    let fields = |log: &Log| serde_json::to_value(&log.header).unwrap_or_default();
    let (one, other) = (fields(a), fields(b));
    // The agent is what is compared, and the version is no setting.
    let ignored = ["agent", "agent_identity", "needs", "version", "index", "episode_id"];
    for (name, value) in one.as_object().into_iter().flatten() {
        let there = &other[name.as_str()];
        if value != there && !ignored.contains(&name.as_str()) {
            found.add(Kind::Settings, None, name, value, there);
        }
    }
}

fn state(one: &Step, other: &Step, step: u32, found: &mut Comparison) {
    let at = Some(step);
    let (p, q) = (&one.pose, &other.pose);
    let bits = |step: &Step| step.pose.position.to_array().map(f32::to_bits);
    if bits(one) != bits(other) {
        let apart = p.position.distance(q.position);
        let what = format!("position (m), {apart:.6} m apart");
        found.add(Kind::Pose, at, &what, p.position, q.position);
    }
    if p.heading.yaw().to_bits() != q.heading.yaw().to_bits() {
        found.add(Kind::Pose, at, "yaw (rad)", p.heading.yaw(), q.heading.yaw());
    }
    if one.tilt != other.tilt || one.tilt_rad.to_bits() != other.tilt_rad.to_bits() {
        found.add(Kind::Pose, at, "tilt (rad)", one.tilt_rad, other.tilt_rad);
    }
    if one.collided != other.collided {
        found.add(Kind::Pose, at, "collided", one.collided, other.collided);
    }
    let metrics = |step: &Step| {
        [
            ("distance to goal (m)", step.distance_to_goal),
            ("path length (m)", Some(step.path_length_m)),
            ("shortest path (m)", Some(step.shortest_path_m)),
            ("success", Some(step.success)),
            ("SPL if stopped", Some(step.spl_if_stopped)),
            ("SoftSPL", Some(step.soft_spl)),
            ("collisions", Some(step.collisions as f64)),
        ]
    };
    for ((what, one), (_, other)) in metrics(one).into_iter().zip(metrics(other)) {
        if one.map(f64::to_bits) != other.map(f64::to_bits) {
            found.add(Kind::Metric, at, what, number(one), number(other));
        }
    }
    if one.observation != other.observation {
        found.add(Kind::Observation, at, "hash", one.observation, other.observation);
    }
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| value.to_string())
}

fn output(a: &Log, b: &Log, found: &mut Comparison) {
    let of_agent =
        |event: &&LogEvent| !matches!(event.event.kind, EventKind::Collision | EventKind::Stop);
    let steps = a.last_step().max(b.last_step());
    let in_step = |log: &Log, step: u32| -> Vec<LogLayer> {
        let from = log.layers.partition_point(|layer| layer.step < step);
        let to = log.layers.partition_point(|layer| layer.step <= step);
        log.layers.get(from..to).unwrap_or(&[]).to_vec()
    };
    let json = |layer: Option<&LogLayer>| {
        layer.map_or_else(
            || "(nothing)".to_owned(),
            |layer| serde_json::to_string(layer).unwrap_or_default(),
        )
    };
    for step in 0..=steps {
        let (one, other) = (in_step(a, step), in_step(b, step));
        for index in 0..one.len().max(other.len()) {
            // As text, since NaN differs from itself.
            let (p, q) = (json(one.get(index)), json(other.get(index)));
            if p != q {
                let path = one.get(index).or(other.get(index)).map_or("", |layer| layer.path.as_str());
                return found.add(Kind::AgentOutput, Some(step), &format!("layer {path}"), p, q);
            }
        }
        let events = |log: &Log| -> Vec<String> {
            log.events_at(step).iter().filter(of_agent).map(|event| event.event.text.clone()).collect()
        };
        let (p, q) = (events(a), events(b));
        if p != q {
            return found.add(Kind::AgentOutput, Some(step), "events", p.join("; "), q.join("; "));
        }
    }
}

fn record(a: &Log, b: &Log, found: &mut Comparison) {
    if a.record == b.record {
        return;
    }
    let fields = |log: &Log| serde_json::to_value(&log.record).unwrap_or_default();
    let (one, other) = (fields(a), fields(b));
    let (Some(p), Some(q)) = (one.as_object(), other.as_object()) else {
        let whole = |log: &Log| if log.record.is_some() { "whole" } else { "cut off" };
        return found.add(Kind::Record, None, "record", whole(a), whole(b));
    };
    let none = serde_json::Value::Null;
    for name in p.keys().chain(q.keys()).filter(|name| *name != "index") {
        let (p, q) = (p.get(name).unwrap_or(&none), q.get(name).unwrap_or(&none));
        if p != q {
            return found.add(Kind::Record, None, name, p, q);
        }
    }
}

/// A value short enough for a line.
fn short(mut text: String) -> String {
    const MOST: usize = 160;
    if text.len() > MOST {
        let end = (0..=MOST).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}
