use crate::error::EpisodeError;
use crate::extras::Extras;
use crate::identity::{self, Identity, normalize_scene_id, scene_basename};
use crate::rule::{DistanceTo, GoalPoints, SuccessRule};
use ambler_geometry::{Fault, Heading, Place, Pose, Vec3, yaw_from_quat};
use std::fmt;
use std::sync::Arc;

/// One task for an agent: where it starts, in which scene, and what it is to reach. Immutable;
/// shared behind an `Arc`. Coordinates are the y-up world of the scene, metres.
#[derive(Clone, Debug)]
pub struct Episode {
    /// The id in the file. Repeats across scenes in real data sets: see [`Episode::identity`].
    pub episode_id: String,
    /// The scene's name, normalised ([`normalize_scene_id`]): never a path of this machine.
    pub scene_id: Arc<str>,
    /// The body's point on the floor at the start.
    pub start_position: Vec3,
    /// The body's rotation at the start, a unit quaternion (x, y, z, w). Files round to 5 decimals;
    /// it is normalised on reading.
    pub start_rotation: [f64; 4],
    /// What is asked.
    pub task: Task,
    /// The file's `info`: `geodesic_distance`, `euclidean_distance`, `closest_goal_object_id`, …
    /// What the data set's author measured; never used to score.
    pub info: Extras,
    /// All other keys of the episode (`shortest_paths`, `start_room`, `instruction`, …), kept.
    pub extra: Extras,
    /// What the episode is, whatever its file and id.
    pub identity: Identity,
    /// Digest of the goals alone: episodes of one scene that agree in it can share whatever was
    /// prepared for the goals (a distance field).
    pub goals_digest: Identity,
    /// Whether the file has the id as a number (VLN-CE does).
    pub(crate) id_is_number: bool,
    /// The rotation as the file has it, to write it back.
    pub(crate) file_rotation: [f64; 4],
}

/// What an episode asks for.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Task {
    /// Go to a point (the nearest, where there are several). VLN-CE episodes are this, with an
    /// instruction in [`Episode::extra`].
    PointNav {
        /// At least one.
        goals: Vec<PointGoal>,
    },
    /// Go to any object of a category.
    ObjectNav {
        /// The category's name.
        category: Arc<str>,
        /// All goal objects of that category in the scene, shared by its episodes; at least one.
        goals: Arc<Vec<ObjectGoal>>,
        /// Further categories whose objects count too (HM3D-OVON's `children_object_categories`).
        children: Vec<ChildCategory>,
    },
    /// Go to the object that a picture shows.
    InstanceImageNav {
        /// The object's category.
        category: Arc<str>,
        /// The object: exactly one goal, with its `image_goals` in [`ObjectGoal::extra`].
        goals: Arc<Vec<ObjectGoal>>,
        /// The object's id as the episode has it; with the scene's name it is the goal's key.
        object: String,
        /// Index of the picture into the goal's `image_goals`.
        image: u64,
    },
}

/// A category that counts beside the one asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct ChildCategory {
    /// The category's name.
    pub category: Arc<str>,
    /// Its objects in the scene, shared; empty where the file has none.
    pub goals: Arc<Vec<ObjectGoal>>,
}

/// A point to reach.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointGoal {
    /// World position, metres.
    pub position: Vec3,
    /// The file's radius in metres. Habitat ignores it: the success rule decides.
    pub radius: Option<f64>,
    /// Other keys, kept.
    pub extra: Extras,
}

/// An object to reach.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectGoal {
    /// Centre of the object (or what the file states), metres.
    pub position: Vec3,
    /// The file's radius in metres; null in all known sets.
    pub radius: Option<f64>,
    /// Id of the object in the scene's annotation.
    pub object_id: Option<ObjectId>,
    /// Name of the object, such as `bed_516`; empty if the file has none.
    pub object_name: String,
    /// Category; empty if the file has none.
    pub object_category: String,
    /// Where an agent may stand to have reached it.
    pub view_points: Vec<ViewPoint>,
    /// Other keys (`object_name_id`, `room_id`, `image_goals`, …), kept.
    pub extra: Extras,
}

/// A place to see an object from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ViewPoint {
    /// The body's point on the floor, metres.
    pub position: Vec3,
    /// The body's rotation there, (x, y, z, w), as the file has it.
    pub rotation: Option<[f64; 4]>,
    /// How well the object is seen. Its definition is the data set author's; values up to 3 occur.
    pub iou: Option<f64>,
    /// Other keys of the view point, kept.
    pub extra: Extras,
    /// Other keys of its `agent_state`, kept.
    pub state_extra: Extras,
}

/// An object's id: a number, or text such as `bed_516` (HM3D-OVON).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ObjectId {
    /// A number.
    Number(i64),
    /// Text.
    Text(String),
}

impl ObjectId {
    /// The number, or the number after the last `_` of the text.
    pub fn number(&self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(text) => text.rsplit('_').next()?.parse().ok(),
        }
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl From<i64> for ObjectId {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl PointGoal {
    /// A goal with a radius.
    pub fn new(position: Vec3, radius: Option<f64>) -> Self {
        Self { position, radius, extra: Extras::default() }
    }
}

impl Task {
    /// A task to reach one point.
    pub fn point(goal: Vec3, radius: Option<f64>) -> Self {
        Self::PointNav { goals: vec![PointGoal::new(goal, radius)] }
    }

    /// `pointnav`, `objectnav` or `instance_imagenav`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::PointNav { .. } => "pointnav",
            Self::ObjectNav { .. } => "objectnav",
            Self::InstanceImageNav { .. } => "instance_imagenav",
        }
    }

    /// The category asked for; empty for point goals.
    pub fn category(&self) -> &str {
        match self {
            Self::PointNav { .. } => "",
            Self::ObjectNav { category, .. } | Self::InstanceImageNav { category, .. } => category,
        }
    }

    /// The goal objects, those of child categories last; none for point goals.
    pub fn object_goals(&self) -> impl Iterator<Item = &ObjectGoal> {
        let (own, children): (&[ObjectGoal], &[ChildCategory]) = match self {
            Self::PointNav { .. } => (&[], &[]),
            Self::ObjectNav { goals, children, .. } => (goals, children),
            Self::InstanceImageNav { goals, .. } => (goals, &[]),
        };
        own.iter().chain(children.iter().flat_map(|child| child.goals.iter()))
    }

    /// Positions of all goals, not of their view points.
    pub fn goal_positions(&self) -> Vec<Vec3> {
        match self {
            Self::PointNav { goals } => goals.iter().map(|goal| goal.position).collect(),
            _ => self.object_goals().map(|goal| goal.position).collect(),
        }
    }
}

impl Episode {
    /// An episode made in memory. The scene's name is normalised, the rotation (x, y, z, w) too.
    pub fn new(
        episode_id: impl Into<String>,
        scene_id: &str,
        start_position: Vec3,
        start_rotation: [f64; 4],
        task: Task,
    ) -> Result<Self, EpisodeError> {
        let fail = |place: &str, what: &str, remedy: &str| {
            EpisodeError::Value(Fault::new("", Place::Pointer(place.into()), what, remedy))
        };
        if !start_position.is_finite() {
            return Err(fail("/start_position", "the start is not finite", "give three finite numbers"));
        }
        if task.goal_positions().is_empty() {
            return Err(fail("/goals", "an episode without a goal", "give at least one goal position"));
        }
        if !task.goal_positions().iter().all(|goal| goal.is_finite()) {
            return Err(fail("/goals", "a goal is not finite", "give three finite numbers"));
        }
        let normalized = normalize_rotation(start_rotation).ok_or_else(|| {
            fail("/start_rotation", "not a rotation", "give a unit quaternion x, y, z, w")
        })?;
        let scene_id = normalize_scene_id(scene_id);
        if scene_id.is_empty() {
            return Err(fail("/scene_id", "the scene has no name", "name the scene"));
        }
        let mut episode = Self {
            episode_id: episode_id.into(),
            scene_id: scene_id.into(),
            start_position,
            start_rotation: normalized,
            task,
            info: Extras::default(),
            extra: Extras::default(),
            identity: Identity([0; 32]),
            goals_digest: Identity([0; 32]),
            id_is_number: false,
            file_rotation: start_rotation,
        };
        episode.refresh_identity();
        Ok(episode)
    }

    /// The same with an `info` object.
    #[must_use]
    pub fn with_info(mut self, info: Extras) -> Self {
        self.info = info;
        self
    }

    /// Recomputes [`Episode::identity`] and [`Episode::goals_digest`] after a change.
    pub fn refresh_identity(&mut self) {
        let (goals, children) = match &self.task {
            Task::PointNav { goals } => (identity::point_goals_digest(goals), Vec::new()),
            Task::ObjectNav { goals, children, .. } => (
                identity::object_goals_digest(goals),
                children.iter().map(|child| identity::object_goals_digest(&child.goals)).collect(),
            ),
            Task::InstanceImageNav { goals, .. } => (identity::object_goals_digest(goals), Vec::new()),
        };
        self.set_identity(goals, &children);
    }

    pub(crate) fn set_identity(&mut self, goals: Identity, children: &[Identity]) {
        self.identity = identity::episode_identity(self, goals, children);
        self.goals_digest = if children.is_empty() {
            goals
        } else {
            let mut hasher = blake3::Hasher::new();
            std::iter::once(&goals).chain(children).for_each(|part| {
                hasher.update(&part.0);
            });
            Identity(*hasher.finalize().as_bytes())
        };
    }

    /// Where the body stands at the start. Of the rotation only the yaw is used, as in Habitat.
    pub fn start_pose(&self) -> Pose {
        let [x, y, z, w] = self.start_rotation;
        Pose { position: self.start_position, heading: Heading::from_yaw(yaw_from_quat(x, y, z, w)) }
    }

    /// All points that distance to goal is measured to under the task's usual rule
    /// ([`SuccessRule::for_task`]): goal positions, or view points for object goals.
    pub fn goal_points(&self) -> Vec<Vec3> {
        self.measured_points(SuccessRule::for_task(&self.task).to).points
    }

    /// The points that distance to goal is measured to, and whether view points were asked for and
    /// there are none.
    pub fn measured_points(&self, to: DistanceTo) -> GoalPoints {
        GoalPoints::of(&self.task, to)
    }

    /// The category asked for; empty for point goals.
    pub fn category(&self) -> &str {
        self.task.category()
    }

    /// The first goal position.
    pub fn point_goal(&self) -> Option<Vec3> {
        match &self.task {
            Task::PointNav { goals } => goals.first().map(|goal| goal.position),
            _ => self.task.object_goals().next().map(|goal| goal.position),
        }
    }

    /// The instruction's text, of VLN-CE episodes.
    pub fn instruction(&self) -> Option<String> {
        let value = self.extra.get("instruction")?;
        Some(value.get("instruction_text")?.as_str()?.to_owned())
    }

    /// Key of its goals in `goals_by_category`: the scene's last name part, `_`, the category.
    pub fn goals_key(&self) -> String {
        goals_key(&self.scene_id, self.category())
    }

    /// Geodesic distance in metres that the file states.
    pub fn stated_geodesic_m(&self) -> Option<f64> {
        self.info.number("geodesic_distance")
    }
}

/// `basename(scene)_category`.
pub(crate) fn goals_key(scene_id: &str, category: &str) -> String {
    format!("{}_{category}", scene_basename(scene_id))
}

/// A unit quaternion of the same rotation; `None` for zero, infinite or NaN components.
pub(crate) fn normalize_rotation(rotation: [f64; 4]) -> Option<[f64; 4]> {
    let largest = rotation.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    if !(rotation.iter().all(|value| value.is_finite()) && largest > 1e-30) {
        return None;
    }
    // Scaled first, so that huge components do not overflow.
    let scaled = rotation.map(|value| value / largest);
    let norm = scaled.iter().map(|value| value * value).sum::<f64>().sqrt();
    Some(scaled.map(|value| value / norm))
}
