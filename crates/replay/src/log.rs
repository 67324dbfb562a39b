//! The log in memory.

use ambler_agent::Needs;
use ambler_agent::layers::{Event, Frame, Layer, Lifetime, Schema};
use ambler_body::{Action, BodyPreset};
use ambler_episode::Episode;
use ambler_evaluate::EpisodeRecord;
use ambler_geometry::{Affine, Pose, quat_from_yaw};
use ambler_sensor::CameraSpec;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// What determines an episode besides the agent's answers: all that is needed to run it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the format: [`crate::FORMAT`].
    pub format: u32,
    /// Version of Ambler.
    pub version: String,
    /// Seed of the run.
    pub seed: u64,
    /// Place of the episode in its set, from 0.
    pub index: u64,
    /// The set's own id.
    pub episode_id: String,
    /// Identity of the episode: hexadecimal, unique over scenes.
    pub identity: String,
    /// The scene as the episode names it.
    pub scene: String,
    /// Fingerprint of the scene; empty where it is not known.
    pub scene_fingerprint: String,
    /// Fingerprint of the navmesh; empty where it is not known.
    pub navmesh_fingerprint: String,
    /// `pointnav`, `objectnav`, ….
    pub task: String,
    /// Category of the goal; empty where the task has none.
    pub category: String,
    /// The agent as it was asked for, such as `frontier`.
    pub agent: String,
    /// What determines its answers besides seed and episode (a hash of a script).
    pub agent_identity: String,
    /// What it was given.
    pub needs: Needs,
    /// The body, and whether it slides.
    pub body: BodyPreset,
    /// Its cameras.
    pub cameras: Vec<CameraSpec>,
    /// The detector reports things of at least this many pixels.
    pub detector_pixels: u32,
    /// Names that category numbers stand for.
    pub categories: Vec<String>,
    /// The success rule that was asked for; the task's own without one.
    pub success: Option<String>,
    /// How distances were measured: `habitat` or `exact`.
    pub distance: String,
    /// Most actions in the episode.
    pub step_limit: u32,
    /// Axis of the scene file that points up.
    pub up: String,
    /// The navmesh was built even where a file lay beside the scene.
    pub rebuild_navmesh: bool,
    /// What stood on the floor of a scene without labels was labelled.
    pub label_obstacles: bool,
}

impl Header {
    /// The header of an episode with the default body and camera and everything else unsaid.
    pub fn for_episode(episode: &Episode) -> Self {
        Self {
            format: crate::FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            seed: 0,
            index: 0,
            episode_id: episode.episode_id.clone(),
            identity: episode.identity.to_string(),
            scene: episode.scene_id.to_string(),
            scene_fingerprint: String::new(),
            navmesh_fingerprint: String::new(),
            task: episode.task.name().to_owned(),
            category: episode.category().to_owned(),
            agent: String::new(),
            agent_identity: String::new(),
            needs: Needs::default(),
            body: BodyPreset::named("stretch").expect("the default body exists"),
            cameras: vec![CameraSpec::default()],
            detector_pixels: 25,
            categories: Vec::new(),
            success: None,
            distance: "habitat".to_owned(),
            step_limit: 500,
            up: "y".to_owned(),
            rebuild_navmesh: false,
            label_obstacles: false,
        }
    }
}

/// blake3 of an observation: the frames' bytes, the detections and the numbers.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Digest(pub [u8; 32]);

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let hash = blake3::Hash::from_hex(&text)
            .map_err(|error| de::Error::custom(format!("no hash of 64 digits: {error}")))?;
        Ok(Self(*hash.as_bytes()))
    }
}

/// How things stand after an action. The first step of a log has none: it is the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The action that led here.
    pub action: Option<Action>,
    /// Where the body is, world.
    pub pose: Pose,
    /// Looks up made less looks down.
    pub tilt: i32,
    /// How far the cameras are tilted up, radians.
    pub tilt_rad: f64,
    /// Whether the action ran into something.
    pub collided: bool,
    /// Geodesic distance to the goal, metres; `None` where no path leads there.
    pub distance_to_goal: Option<f64>,
    /// Length walked, metres.
    pub path_length_m: f64,
    /// Geodesic distance at the start, metres.
    pub shortest_path_m: f64,
    /// 1 once stop was called at the goal.
    pub success: f64,
    /// The SPL that a stop here gives.
    pub spl_if_stopped: f64,
    /// SPL with progress in place of success.
    pub soft_spl: f64,
    /// Actions so far that ran into something.
    pub collisions: u64,
    /// Hash of what is observed here.
    pub observation: Digest,
}

impl Step {
    /// Where a camera of the body is here.
    pub fn world_from_camera(&self, camera: &CameraSpec) -> Affine {
        camera.world_from_camera(&self.pose, self.tilt_rad)
    }
}

/// A layer's value, published in a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogLayer {
    /// The step whose observation it was made from.
    pub step: u32,
    /// Its name.
    pub path: String,
    /// How long it holds.
    pub lifetime: Lifetime,
    /// What its positions refer to.
    pub frame: Frame,
    /// The value.
    pub layer: Layer,
}

/// An event in a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogEvent {
    /// The step.
    pub step: u32,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// An episode from its start to where it was recorded.
#[derive(Clone, Debug)]
pub struct Log {
    /// What determines it.
    pub header: Header,
    /// What was asked.
    pub episode: Arc<Episode>,
    /// Step n is how things stand after n actions.
    pub steps: Vec<Step>,
    /// What the layers are, by path.
    pub schemas: BTreeMap<String, Schema>,
    /// What the agent thought, by ascending step.
    pub(crate) layers: Vec<LogLayer>,
    /// Places in `layers` by path, ascending.
    by_path: BTreeMap<String, Vec<usize>>,
    /// What happened, by ascending step.
    pub events: Vec<LogEvent>,
    /// The record as in `episodes.jsonl`; `None` while the episode runs, and in files that are cut off.
    pub record: Option<EpisodeRecord>,
    /// What was wrong with the file it was read from.
    pub notices: Vec<String>,
}

impl Log {
    /// A log without steps.
    pub fn new(header: Header, episode: Arc<Episode>) -> Self {
        Self {
            header,
            episode,
            steps: Vec::new(),
            schemas: BTreeMap::new(),
            layers: Vec::new(),
            by_path: BTreeMap::new(),
            events: Vec::new(),
            record: None,
            notices: Vec::new(),
        }
    }

    /// The last step's number; 0 for an empty log.
    pub fn last_step(&self) -> u32 {
        u32::try_from(self.steps.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// All values of all layers, by ascending step.
    pub fn layers(&self) -> &[LogLayer] {
        &self.layers
    }

    /// Names of all layers, those that come first first.
    pub fn paths(&self) -> Vec<&str> {
        let mut paths: Vec<&str> = self.by_path.keys().map(String::as_str).collect();
        paths.sort_by_key(|path| {
            (self.schemas.get(*path).map_or(i32::MAX, |schema| schema.order), *path)
        });
        paths
    }

    /// The values of one layer, by ascending step.
    pub fn values<'a>(&'a self, path: &str) -> impl Iterator<Item = &'a LogLayer> + use<'a> {
        let places = self.by_path.get(path).map_or(&[][..], Vec::as_slice);
        places.iter().filter_map(|&place| self.layers.get(place))
    }

    /// The value of a layer that holds at a step; `None` where none does.
    pub fn layer_at(&self, path: &str, step: u32) -> Option<&LogLayer> {
        let places = self.by_path.get(path)?;
        let value = |at: usize| self.layers.get(*places.get(at)?);
        let until = places
            .partition_point(|&place| self.layers.get(place).is_some_and(|layer| layer.step <= step));
        match until.checked_sub(1).and_then(value) {
            Some(last) if last.lifetime != Lifetime::ThisStep || last.step == step => Some(last),
            Some(_) => None,
            // What holds for the whole episode holds before it was said.
            None => value(0).filter(|first| first.lifetime == Lifetime::Episode),
        }
    }

    /// The values that hold at a step, one a path, in the order of [`Log::paths`].
    pub fn layers_at(&self, step: u32) -> Vec<&LogLayer> {
        self.paths().into_iter().filter_map(|path| self.layer_at(path, step)).collect()
    }

    /// The events of a step.
    pub fn events_at(&self, step: u32) -> &[LogEvent] {
        let from = self.events.partition_point(|event| event.step < step);
        let to = self.events.partition_point(|event| event.step <= step);
        self.events.get(from..to).unwrap_or(&[])
    }

    /// The transform from a layer's frame at a step to the world; `None` for a step or a camera that
    /// the log does not have.
    pub fn world_from(&self, frame: &Frame, step: u32) -> Option<Affine> {
        let now = self.steps.get(step as usize)?;
        Some(match frame {
            Frame::World => Affine::IDENTITY,
            Frame::Start => world_from_body(&self.steps.first()?.pose),
            Frame::Body => world_from_body(&now.pose),
            Frame::Camera(name) => {
                now.world_from_camera(self.header.cameras.iter().find(|camera| camera.name == *name)?)
            }
        })
    }

    /// Adds a value; steps never go down.
    pub(crate) fn push_layer(&mut self, layer: LogLayer) {
        self.by_path.entry(layer.path.clone()).or_default().push(self.layers.len());
        self.layers.push(layer);
    }
}

fn world_from_body(pose: &Pose) -> Affine {
    let matrix = ambler_geometry::Mat3::from_quat(quat_from_yaw(pose.heading.yaw()));
    Affine { matrix, translation: pose.position }
}
