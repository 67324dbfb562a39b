//! What a policy thinks, as data: the one interface for the window, the episode log and the video.
//!
//! A policy publishes *layers* (a map, candidates with scores, a plan, boxes in an image, a line of
//! text) and *events* to a [`Publisher`], after it has decided ([`Policy::publish`](crate::Policy)).
//! A layer is named by a path such as `agent/frontier/map`; a new value replaces the last one. The
//! policy says what a value means and in which frame it is; whoever shows it chooses how it looks.
//! Publishing changes no action.
//!
//! [`Board`] is the publisher that others build on: it checks sizes, drops what did not change and
//! keeps what was published in a step.

mod board;
mod packed;

pub use board::{Board, Limits, Published};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

use ambler_geometry::{Aabb, Pose, Quat, Vec3};

/// Takes what a policy publishes.
pub trait Publisher {
    /// Whether anybody looks at a path. Asked only to save the work whose sole product is that layer.
    fn wants(&self, path: &str) -> bool;

    /// Says once what a path is. Later ones of the same path change nothing.
    fn declare(&mut self, path: &str, schema: Schema);

    /// Replaces the value of a path.
    fn publish(&mut self, path: &str, lifetime: Lifetime, frame: Frame, layer: Layer);

    /// Something happened.
    fn event(&mut self, event: Event);
}

/// How long a layer holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lifetime {
    /// In this step only.
    ThisStep,
    /// Until the path has another value.
    UntilReplaced,
    /// For the whole episode, also before it was published.
    Episode,
}

/// What positions refer to. All frames: x right, y up, −z ahead; metres.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Frame {
    /// The scene's world.
    World,
    /// Origin at the body's first position, −z along its first heading: what a policy without
    /// privileges knows.
    Start,
    /// The body now.
    Body,
    /// A camera of the body now, by name.
    Camera(String),
}

/// What a path is, said once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Schema {
    /// A short title for people.
    pub title: String,
    /// Unit of the values, empty for none.
    pub unit: String,
    /// One sentence of explanation.
    pub help: String,
    /// What it shows, which decides its colour.
    pub role: Role,
    /// Hidden until somebody switches it on.
    pub hidden: bool,
    /// It shows what only a privileged policy may know.
    pub privileged: bool,
    /// Layers with smaller numbers come first.
    pub order: i32,
}

/// What a layer shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The map of known and unknown.
    Map,
    /// Borders of the known.
    Frontier,
    /// What was detected.
    Detection,
    /// Where it wants to go.
    Goal,
    /// The way it wants to take.
    Plan,
    /// What it is doing.
    State,
    /// Anything else.
    #[default]
    Other,
}

/// A value that can be shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// Values on cells of the floor plane.
    Grid(Grid),
    /// Points.
    Points(Points),
    /// Lines.
    Paths(Paths),
    /// Boxes in space.
    Boxes3(Vec<Box3>),
    /// Boxes in the image of a camera.
    Boxes2(Boxes2),
    /// Poses.
    Poses(Poses),
    /// An image that the policy made.
    Image(Image),
    /// Candidates with scores, the best first.
    Ranked(Ranked),
    /// Text.
    Text(Text),
    /// One number.
    Scalar(Scalar),
}

impl Layer {
    /// The kind's name, as in files.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Grid(_) => "grid",
            Self::Points(_) => "points",
            Self::Paths(_) => "paths",
            Self::Boxes3(_) => "boxes3",
            Self::Boxes2(_) => "boxes2",
            Self::Poses(_) => "poses",
            Self::Image(_) => "image",
            Self::Ranked(_) => "ranked",
            Self::Text(_) => "text",
            Self::Scalar(_) => "scalar",
        }
    }
}

/// Values on square cells of the floor plane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grid {
    /// The corner with the least x and z, and the height at which the grid lies.
    pub corner: Vec3,
    /// Width of a cell, metres.
    pub cell_m: f32,
    /// Cells along +x.
    pub cols: u32,
    /// Cells along +z.
    pub rows: u32,
    /// `rows · cols` values; cell (column, row) is at `row · cols + column`.
    pub values: Cells,
    /// What the values are.
    pub kind: GridKind,
    /// Least and greatest value to be told apart; without it those that occur.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[f32; 2]>,
}

impl Grid {
    /// The value of a cell; `None` where it is unknown or outside.
    pub fn value(&self, column: u32, row: u32) -> Option<f32> {
        if column >= self.cols || row >= self.rows {
            return None;
        }
        self.values.get(row as usize * self.cols as usize + column as usize)
    }
}

/// The values of a grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cells {
    /// Small whole numbers; 255 = unknown.
    U8(#[serde(with = "packed::bytes")] Arc<[u8]>),
    /// Numbers; NaN = unknown.
    F32(#[serde(with = "packed::floats")] Arc<[f32]>),
}

impl Cells {
    /// Number of cells.
    pub fn len(&self) -> usize {
        match self {
            Self::U8(values) => values.len(),
            Self::F32(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A value; `None` where it is unknown or outside.
    pub fn get(&self, index: usize) -> Option<f32> {
        match self {
            Self::U8(values) => values.get(index).filter(|&&value| value != 255).map(|&v| f32::from(v)),
            Self::F32(values) => values.get(index).copied().filter(|value| !value.is_nan()),
        }
    }
}

/// What the values of a grid are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GridKind {
    /// 0 free to 100 occupied.
    Occupancy,
    /// 1 where it was seen.
    Explored,
    /// How promising, by the policy's own measure.
    Value,
    /// Metres.
    Distance,
    /// 0 to 1.
    Probability,
    /// Index into these names.
    Label(Vec<String>),
}

/// Points. Scores and labels are empty or one a point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Points {
    /// Where.
    #[serde(with = "packed::points")]
    pub positions: Vec<Vec3>,
    /// How good.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<f32>,
    /// Names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Their size, if they have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radius_m: Option<f32>,
}

/// Lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Paths {
    /// Each on its own.
    pub lines: Vec<Line>,
    /// What they are.
    pub role: PathRole,
    /// The last point of each line is joined to its first.
    #[serde(default)]
    pub closed: bool,
}

/// One line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Line {
    /// Corners.
    pub positions: Vec<Vec3>,
    /// How good the line is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f32>,
    /// Its name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// Whether the policy chose it.
    pub chosen: bool,
}

/// What lines are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PathRole {
    /// Where the body was.
    Driven,
    /// Where the policy wants to go.
    Plan,
    /// The shortest path.
    Shortest,
    /// Borders of the known.
    Frontier,
    /// Anything else.
    Other,
}

/// A box in space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Box3 {
    /// Least and greatest corner before the rotation.
    pub bounds: Aabb,
    /// Rotation about the box's centre, x, y, z, w.
    pub rotation: Quat,
    /// Its name.
    pub label: String,
    /// How sure, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f32>,
    /// Id of the instance in the scene.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<u32>,
}

/// Boxes in a camera's image.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Boxes2 {
    /// Name of the camera.
    pub camera: String,
    /// The boxes.
    pub boxes: Vec<Box2>,
}

/// A box in an image.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Box2 {
    /// First column, first row, end column, end row, ends excluded.
    pub pixels: [u32; 4],
    /// Its name.
    pub label: String,
    /// How sure, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f32>,
    /// Whether it is what the policy looks for.
    #[serde(default)]
    pub wanted: bool,
}

/// Poses. Labels and scores are empty or one a pose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Poses {
    /// Where and facing where.
    pub poses: Vec<Pose>,
    /// Names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// How good.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<f32>,
    /// How to draw them.
    pub shape: PoseShape,
}

/// How poses are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PoseShape {
    /// An arrow.
    Arrow,
    /// What a camera there sees.
    Frustum,
    /// The robot.
    Robot,
}

/// An image that the policy made. Row 0 is the top.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Image {
    /// The camera whose image it belongs to, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub camera: Option<String>,
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// The pixels.
    pub pixels: Pixels,
}

/// Pixels of an image.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pixels {
    /// Three bytes a pixel.
    Rgb8(#[serde(with = "packed::bytes")] Arc<[u8]>),
    /// Numbers; NaN = unknown.
    F32(#[serde(with = "packed::floats")] Arc<[f32]>),
}

/// Candidates.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ranked {
    /// What they are candidates for.
    pub title: String,
    /// The best first.
    pub candidates: Vec<Candidate>,
}

/// A candidate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Candidate {
    /// Its name.
    pub label: String,
    /// Its score, greater is better.
    pub score: f64,
    /// Whether it was chosen.
    pub chosen: bool,
    /// Where else it is shown: a path and an index there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown_at: Option<(String, u32)>,
}

/// Text, or what a model was asked and answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Text {
    /// The text, or the model's answer.
    pub text: String,
    /// What the model was asked.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub prompt: String,
    /// The model.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub model: String,
}

impl Text {
    /// Plain text.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// One number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scalar {
    /// The number, finite.
    pub value: f64,
}

/// Something that happened in a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// What kind of thing.
    pub kind: EventKind,
    /// In words.
    pub text: String,
    /// Where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<(Frame, Vec3)>,
}

impl Event {
    /// An event without a place.
    pub fn new(kind: EventKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), at: None }
    }

    /// The same at a place.
    #[must_use]
    pub fn at(mut self, frame: Frame, position: Vec3) -> Self {
        self.at = Some((frame, position));
        self
    }
}

/// The kinds of events.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// The body ran into something.
    Collision,
    /// A new frontier was chosen.
    Frontier,
    /// Something was detected.
    Detection,
    /// A model was asked.
    ModelCall,
    /// The policy changed its mind.
    Decision,
    /// Stop was called.
    Stop,
    /// Something is not as it should be.
    Warning,
    /// Another kind, by name.
    Custom(String),
}

impl EventKind {
    /// The kind's name.
    pub fn name(&self) -> &str {
        match self {
            Self::Collision => "collision",
            Self::Frontier => "frontier",
            Self::Detection => "detection",
            Self::ModelCall => "model_call",
            Self::Decision => "decision",
            Self::Stop => "stop",
            Self::Warning => "warning",
            Self::Custom(name) => name,
        }
    }
}
