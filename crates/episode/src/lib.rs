//! Navigation episodes: what an agent is asked, read from and written to the field's files, and how
//! well it did, measured as the field measures it.
//!
//! - [`read_episodes`] reads Habitat's PointNav, ObjectNav (v1, v2, HM3D-OVON) and InstanceImageNav
//!   files, plain or gzipped, with their `content/` folders, and RoboTHOR's; VLN-CE files come in
//!   as point goals with their instruction kept. Goals are shared between episodes.
//! - [`write_episodes`] writes files that Habitat reads, the same bytes for the same episodes.
//! - [`SuccessRule`] names what counts as success; [`MetricsTracker`] follows one episode and gives
//!   [`Metrics`]: success, SPL, soft SPL, distance to goal, path length, collisions, steps.
//! - [`check::check`] compares episodes with a navmesh; [`generate`] draws new ones.
//!
//! What this crate never does: it never invents a goal or a start that a file lacks, never
//! identifies an episode by a path or by its `episode_id` (ids repeat across scenes in real data
//! sets; see [`Identity`]), never averages an unreachable episode, never draws a random number
//! without a seed and never loads a scene.
//!
//! ```
//! use ambler_episode::{parse_episodes, SuccessRule};
//! let text = br#"{"episodes": [{"episode_id": "0", "scene_id": "data/scene_datasets/my//room.glb",
//!     "start_position": [0, 0, 0], "start_rotation": [0, 0, 0, 1],
//!     "goals": [{"position": [0, 0, -3], "radius": 0.2}], "note": "unknown keys are kept"}]}"#;
//! let set = parse_episodes(text, "inline.json".as_ref()).expect("a valid file");
//! let episode = &set.episodes[0];
//! assert_eq!(&*episode.scene_id, "my/room.glb");
//! assert_eq!(episode.goal_points().len(), 1);
//! assert_eq!(SuccessRule::for_task(&episode.task).distance_m, 0.2);
//! ```
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests"))]

pub mod check;
mod error;
mod extras;
pub mod generate;
mod identity;
mod metrics;
mod read;
mod rule;
mod set;
mod types;
mod write;

pub use error::EpisodeError;
pub use extras::Extras;
pub use identity::{Identity, normalize_scene_id, scene_basename};
pub use metrics::{Collisions, DistanceMeasure, Invalid, Metrics, MetricsTracker, QueryDistance};
pub use read::{ReadOptions, parse_episodes, read_episodes, read_episodes_with};
pub use rule::{DistanceTo, GoalPoints, SuccessRule};
pub use set::{EpisodeSet, GoalGroup, Kind, SourceFile};
pub use types::{ChildCategory, Episode, ObjectGoal, ObjectId, PointGoal, Task, ViewPoint};
pub use write::{to_json, write_episodes, write_split};
