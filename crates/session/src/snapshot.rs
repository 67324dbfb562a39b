use crate::drive::{HUMAN, ending};
use crate::overlay::{self, Overlay};
use crate::things::{Hand, LibraryRow};
use crate::{Beside, Branch, Ending, Event, Moment, StageView, Storey, Thoughts};
use ambler_episode::{Episode, SuccessRule};
use ambler_geometry::Vec3;
use std::sync::Arc;
use std::time::Duration;

/// How a message is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Good to know.
    Note,
    /// Something was not as asked.
    Warning,
    /// Something failed.
    Error,
}

/// Something to tell the person at the window.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// How it is meant.
    pub severity: Severity,
    /// What happened, and what to do.
    pub text: String,
}

/// How fast an agent runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace(
    /// Steps a second; infinite for as fast as it can.
    pub f64,
);

impl Pace {
    pub(crate) fn interval(self) -> Duration {
        if self.0.is_finite() { Duration::from_secs_f64(1.0 / self.0.max(0.1)) } else { Duration::ZERO }
    }
}

/// What a window shows. Cheap to clone.
#[derive(Clone)]
pub struct Snapshot {
    /// Grows with each change.
    pub revision: u64,
    /// What is being done that takes a while.
    pub working: Option<String>,
    /// Place of the episode in the list.
    pub index: usize,
    /// The episode.
    pub episode: Option<Arc<Episode>>,
    /// Its scene.
    pub stage: Option<StageView>,
    /// What counts as success.
    pub rule: Option<SuccessRule>,
    /// Most actions.
    pub step_limit: u32,
    /// Why the episode cannot be scored.
    pub invalid: Option<String>,
    /// The history, the start first; empty where the episode is invalid.
    pub moments: Arc<Vec<Moment>>,
    /// Its events.
    pub events: Arc<Vec<Event>>,
    /// What its policies thought.
    pub thoughts: Thoughts,
    /// Geodesic distance at the start, metres.
    pub shortest_m: f64,
    /// How it ended.
    pub ending: Option<Ending>,
    /// Who acts.
    pub actor: String,
    /// The agent that runs when it is asked to.
    pub agent: String,
    /// Whether the agent looked at privileged things.
    pub privileged: bool,
    /// An agent is running.
    pub running: bool,
    /// How fast.
    pub pace: Pace,
    /// A walk is under way along this path.
    pub walk: Option<Arc<Vec<Vec3>>>,
    /// The floors of the scene, the lowest first.
    pub storeys: Arc<Vec<Storey>>,
    /// Another way, shown beside this one.
    pub beside: Option<Arc<Beside>>,
    /// What a hand did to the objects.
    pub hand: Hand,
    /// The objects that can be dropped; `None` until somebody asks.
    pub library: Option<Arc<Vec<LibraryRow>>>,
    /// What an agent's program wrote, each line with the step at which it was read.
    pub said: Arc<Vec<(usize, String)>>,
    /// Other ways that the episode went.
    pub kept: Arc<Vec<Branch>>,
    /// Where the present way left one of them.
    pub from: Option<(usize, usize)>,
    /// Actions that can be made again.
    pub can_redo: usize,
    /// Layers that do not change during the episode.
    pub layers: Arc<Vec<Overlay>>,
    /// All messages so far.
    pub messages: Arc<Vec<Message>>,
    /// Outcomes of the episodes driven in this sitting, by place in the list.
    pub outcomes: Arc<Vec<Option<Ending>>>,
}

impl Snapshot {
    /// What is shown before anything is opened.
    pub(crate) fn begin(
        index: usize,
        step_limit: u32,
        agent: &str,
        outcomes: Vec<Option<Ending>>,
    ) -> Self {
        Self {
            revision: 0,
            working: Some("starting".to_owned()),
            index,
            episode: None,
            stage: None,
            rule: None,
            step_limit,
            invalid: None,
            moments: Arc::default(),
            events: Arc::default(),
            thoughts: Thoughts::default(),
            shortest_m: 0.0,
            ending: None,
            actor: HUMAN.to_owned(),
            agent: agent.to_owned(),
            privileged: false,
            running: false,
            pace: Pace(8.0),
            walk: None,
            storeys: Arc::default(),
            beside: None,
            hand: Hand::default(),
            library: None,
            said: Arc::default(),
            kept: Arc::default(),
            from: None,
            can_redo: 0,
            layers: Arc::default(),
            messages: Arc::default(),
            outcomes: Arc::new(outcomes),
        }
    }

    /// Whether a layer is shown before anybody chooses.
    pub fn shows_by_itself(&self, key: &str) -> bool {
        let known = self.layers.iter().find(|layer| layer.key == key).map(|layer| layer.shown);
        known.unwrap_or_else(|| key != overlay::HERE && !self.thoughts.schema(key).hidden)
    }

    /// How the history would have ended at a step; `None` for one without a score, too.
    pub fn ending_at(&self, step: usize) -> Option<Ending> {
        let rule = self.rule.as_ref()?;
        let until = self.moments.get(..=step)?;
        ending(until, rule.distance_m, self.step_limit)
    }
}
