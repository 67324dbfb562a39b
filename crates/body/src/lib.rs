//! The body: presets such as Hello Robot's Stretch, the discrete actions, what an action does on a
//! navmesh, and two followers that walk to a goal: Habitat's greedy one and an optimal one.
//!
//! Never renders, never scores. A body is a point on the floor with a heading; its height and
//! radius went into the navmesh it walks on.
//!
//! ```
//! use ambler_body::{Action, BodyPreset};
//! let stretch = BodyPreset::named("stretch").expect("the default preset exists");
//! assert_eq!(stretch.turns_per_circle(), Some(12));
//! assert_eq!("move_forward".parse::<Action>(), Ok(Action::MoveForward));
//! assert_eq!(Action::TurnLeft.id(), 2);
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test"))]

mod action;
mod error;
mod greedy;
mod optimal;
mod preset;
mod state;

pub use action::{Action, UnknownAction};
pub use error::FollowError;
pub use greedy::{GreedyFollower, GreedySettings};
pub use optimal::{OptimalFollower, OptimalSettings};
pub use preset::BodyPreset;
pub use state::{BodyState, Locomotion};
