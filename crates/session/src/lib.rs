//! An episode that somebody sits in front of: driven by hand or by a policy, one action at a time, with
//! undo, branches and time travel.
//!
//! A [`Drive`] is one episode with its history. An [`Engine`] keeps a drive on a thread of its own, is
//! told what to do by [`Command`]s and shows a [`Snapshot`] after each change, so that no window waits
//! for a policy. A [`Painter`] draws pictures on another thread, the newest wish first. [`overlay`]
//! turns what is known about an episode (navmesh, shortest path, goals, trajectory, …) into shapes, and
//! [`View`] brings them into a picture.
//!
//! This crate knows no window, no key and no widget, and never scores by itself: it steps the same
//! [`ambler_evaluate::Simulation`] as an evaluation.
//!
//! ```
//! use ambler_session::{Command, Moment};
//! use ambler_body::Action;
//!
//! // Commands have names that a script, a key map and a palette share.
//! assert_eq!(Command::Act(Action::MoveForward).name(), "forward");
//! assert_eq!("stop".parse::<Command>().map(|command| command.title()), Ok("Stop".to_string()));
//! // What SPL would be after 6 m, 0.05 m from a goal that was 5 m away.
//! let moment = Moment { distance_m: Some(0.05), path_m: 6.0, ..Moment::default() };
//! assert!((moment.spl_if_stopped(5.0, 0.1) - 5.0 / 6.0).abs() < 1e-12);
//! ```
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests"))]

mod beside;
mod camera;
mod command;
mod cut;
mod desk;
mod drive;
mod engine;
mod hand;
mod host;
mod moment;
pub mod overlay;
mod painter;
mod robot;
mod snapshot;
mod storeys;
mod things;
mod thoughts;
mod view;

pub use beside::{Beside, Parting};
pub use camera::{CameraMode, Eye, ViewCamera};
pub use command::{Command, UnknownCommand};
pub use desk::{Desk, TABS};
pub use drive::{Branch, Drive, Ending, HUMAN, History, StepError, short_name};
pub use engine::Engine;
pub use host::{Host, Other, StageView};
pub use moment::{Event, EventKind, Moment, events};
pub use painter::{Drawer, FAR_M, Painter, Painting, Wish, WishKey};
pub use robot::Robot;
pub use snapshot::{Message, Pace, Severity, Snapshot};
pub use storeys::{Storey, storey_at, storeys};
pub use things::{Hand, LibraryRow, Things, UNSCORED};
pub use thoughts::{Saying, Thought, Thoughts};
pub use view::{Projected, View};
