use crate::log::{Digest, Header, Log, LogEvent, LogLayer, Step};
use ambler_agent::Observation;
use ambler_agent::layers::{Board, Event, EventKind, Frame, Layer, Lifetime, Publisher, Schema};
use ambler_body::Action;
use ambler_episode::Episode;
use ambler_evaluate::{EpisodeRecord, Snapshot};
use ambler_geometry::Vec3;
use std::sync::Arc;

/// Fills a [`Log`] while an episode runs, whoever decides: an agent or a person.
///
/// [`Recorder::stepped`] without an action first; then in turn [`Recorder::observed`], what the agent
/// publishes ([`Publisher`]), [`Recorder::stepped`] with its action. The log can be looked at any time.
pub struct Recorder {
    log: Log,
    board: Board,
}

impl Recorder {
    /// Begins a log.
    pub fn new(header: Header, episode: Arc<Episode>) -> Self {
        Self { log: Log::new(header, episode), board: Board::default() }
    }

    /// What the agent is about to see. Only its hash is kept.
    pub fn observed(&mut self, observation: &Observation<'_>) {
        if let Some(step) = self.log.steps.last_mut() {
            step.observation = digest(observation);
        }
    }

    /// How things stand after an action; without one, at the start.
    pub fn stepped(&mut self, action: Option<Action>, now: &Snapshot) {
        if action == Some(Action::Stop) && !self.said(&EventKind::Stop) {
            self.event(Event::new(EventKind::Stop, "stop"));
        }
        let scores = &now.scores;
        self.log.steps.push(Step {
            action,
            pose: now.body.pose,
            tilt: now.body.tilt,
            tilt_rad: now.tilt_rad,
            collided: now.body.collided,
            distance_to_goal: scores.distance_to_goal,
            path_length_m: scores.path_length_m,
            shortest_path_m: scores.shortest_path_m,
            success: scores.success,
            spl_if_stopped: now.spl_if_stopped,
            soft_spl: scores.soft_spl,
            collisions: scores.collisions,
            observation: Digest::default(),
        });
        self.board.next_step();
        if now.body.collided {
            let event = Event::new(EventKind::Collision, format!("collision {}", scores.collisions));
            self.event(event.at(Frame::World, now.body.pose.position));
        }
    }

    /// The log so far.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// The log of an episode that is over, or, without a record, of one that was given up.
    pub fn finish(mut self, record: Option<EpisodeRecord>) -> Log {
        self.log.record = record;
        self.log
    }

    /// Whether an event of a kind was said in this step.
    fn said(&self, kind: &EventKind) -> bool {
        self.log.events_at(self.log.last_step()).iter().any(|event| event.event.kind == *kind)
    }

    fn settle(&mut self) {
        let step = self.log.last_step();
        self.log.schemas.extend(self.board.take_schemas());
        for published in self.board.take_layers() {
            let (path, lifetime) = (published.path, published.lifetime);
            let (frame, layer) = (published.frame, published.layer);
            self.log.push_layer(LogLayer { step, path, lifetime, frame, layer });
        }
        let events = self.board.take_events();
        self.log.events.extend(events.into_iter().map(|event| LogEvent { step, event }));
    }
}

impl Publisher for Recorder {
    fn wants(&self, path: &str) -> bool {
        self.board.wants(path)
    }

    fn declare(&mut self, path: &str, schema: Schema) {
        self.board.declare(path, schema);
        self.settle();
    }

    fn publish(&mut self, path: &str, lifetime: Lifetime, frame: Frame, layer: Layer) {
        self.board.publish(path, lifetime, frame, layer);
        self.settle();
    }

    fn event(&mut self, event: Event) {
        self.board.event(event);
        self.settle();
    }
}

/// blake3 over everything in an observation, in the order of its fields, little-endian.
fn digest(seen: &Observation<'_>) -> Digest {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"ambler observation 1");
    hasher.update(&seen.step.to_le_bytes());
    for frame in seen.frames {
        hasher.update(&frame.width.to_le_bytes());
        hasher.update(&frame.height.to_le_bytes());
        bytes(&mut hasher, &frame.rgb);
        words(&mut hasher, frame.depth.iter().map(|value| value.to_bits()), frame.depth.len());
        bytes(&mut hasher, &frame.valid);
        words(&mut hasher, frame.instance.iter().copied(), frame.instance.len());
        words(&mut hasher, frame.category.iter().copied(), frame.category.len());
    }
    let vector = |hasher: &mut blake3::Hasher, vector: Vec3| {
        vector.to_array().iter().for_each(|value| {
            hasher.update(&value.to_le_bytes());
        });
    };
    for found in seen.detections.iter().flatten() {
        let numbers = [found.instance, found.category, found.pixels];
        numbers.iter().chain(&found.bbox).for_each(|value| {
            hasher.update(&value.to_le_bytes());
        });
        hasher.update(&found.share.to_le_bytes());
        hasher.update(&found.median_depth_m.to_le_bytes());
        vector(&mut hasher, found.position);
    }
    vector(&mut hasher, seen.position);
    hasher.update(&seen.compass.to_le_bytes());
    hasher.update(&seen.tilt_rad.to_le_bytes());
    hasher.update(&[u8::from(seen.collided), u8::from(seen.point_goal.is_some())]);
    if let Some(goal) = seen.point_goal {
        hasher.update(&goal.rho.to_le_bytes());
        hasher.update(&goal.phi.to_le_bytes());
    }
    Digest(*hasher.finalize().as_bytes())
}

fn bytes(hasher: &mut blake3::Hasher, bytes: &[u8]) {
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

/// Words in blocks, since each update of the hasher has its cost.
fn words(hasher: &mut blake3::Hasher, words: impl Iterator<Item = u32>, count: usize) {
    hasher.update(&(count as u64).to_le_bytes());
    let mut block = [0u8; 4096];
    let mut at = 0;
    for word in words {
        block[at..at + 4].copy_from_slice(&word.to_le_bytes());
        at += 4;
        if at == block.len() {
            hasher.update(&block);
            at = 0;
        }
    }
    hasher.update(&block[..at]);
}
