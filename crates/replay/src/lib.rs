//! The episode log: all that happened in an episode, in memory and as a file.
//!
//! A [`Recorder`] fills a [`Log`] while an episode runs: in an evaluation ([`ReplayFolder`] hands out
//! watchers), in the window, or when an episode is simulated again ([`resimulate`]). A log has the
//! state after every action, what the agent thought ([`Log::layers_at`]), what happened, and the
//! record. [`encode`] makes an MCAP file of it, which Foxglove and the public `mcap` packages open;
//! [`decode`] reads one, also one that is cut off. [`compare`] names the first difference of two logs;
//! [`video`] makes a film of one.
//!
//! This crate never reads a clock: times in a file are step numbers, so one run gives the same bytes
//! each time. It never panics on a file, never trusts a length in it, and never changes a result.
//!
//! ```
//! use ambler_agent::layers::{Frame, Layer, Lifetime, Publisher, Scalar};
//! use ambler_body::{Action, BodyState};
//! use ambler_episode::{Episode, Task};
//! use ambler_evaluate::{Scores, Snapshot};
//! use ambler_geometry::{Heading, Pose, Vec3};
//! use ambler_replay::{Header, Recorder, decode, encode};
//!
//! let goal = Task::point(Vec3::new(0.0, 0.0, -3.0), None);
//! let episode = Episode::new("7", "room", Vec3::ZERO, [0.0, 0.0, 0.0, 1.0], goal).expect("an episode");
//! let mut recorder = Recorder::new(Header::for_episode(&episode), episode.into());
//! let scores = Scores {
//!     success: 0.0, spl: 0.0, soft_spl: 0.0, distance_to_goal: Some(3.0),
//!     path_length_m: 0.0, shortest_path_m: 3.0, collisions: 0,
//! };
//! let body = BodyState::at(Pose { position: Vec3::ZERO, heading: Heading::from_yaw(0.0) });
//! let now = Snapshot { body, tilt_rad: 0.0, scores, spl_if_stopped: 0.0 };
//! recorder.stepped(None, &now);
//! let doubt = Layer::Scalar(Scalar { value: 0.5 });
//! recorder.publish("agent/doubt", Lifetime::UntilReplaced, Frame::World, doubt);
//! recorder.stepped(Some(Action::TurnLeft), &now);
//!
//! let bytes = encode(recorder.log());
//! let log = decode(&bytes, "a.mcap".as_ref()).expect("a good file");
//! assert_eq!(log.steps.len(), 2);
//! assert_eq!(log.layers_at(1)[0].path, "agent/doubt");
//! assert!(log.record.is_none(), "it was not finished");
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test"))]

mod compare;
mod error;
mod file;
mod folder;
mod log;
mod mcap;
pub mod paint;
mod recorder;
mod resimulate;
pub mod video;

pub use compare::{Comparison, Difference, Kind, compare};
pub use error::ReplayError;
pub use file::{FORMAT, STEP_NS, decode, encode, read, write};
pub use folder::{ReplayFolder, Which};
pub use log::{Digest, Header, Log, LogEvent, LogLayer, Step};
pub use recorder::Recorder;
pub use resimulate::{Sameness, resimulate};
