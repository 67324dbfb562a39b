//! Policies: what decides the next action of a body from what it observes.
//!
//! One trait, [`Policy`], and the agents that ship: `oracle` and `greedy` (which may look at the
//! navmesh and the goal through [`Privileged`], and the results say so), `random`, `forward`,
//! `frontier` (maps with depth, explores, goes to what the detector sees), `vlfm` and `l3mvn` (explore
//! where the goal is likely), `random-astar` and `semantic-astar` (know the home), `script:FILE` (recorded
//! actions) and `exec:COMMAND` (any program that speaks the agent protocol of `docs/FORMATS.md`).
//! [`make_policy`] finds them by name.
//!
//! This crate never renders, never moves a body and never scores: it is given an [`Observation`]
//! and answers with an action. Only `exec` reads a clock, and only to give up on a stalled program.
//!
//! ```
//! use ambler_agent::{EpisodeContext, Goal, Observation, PolicyOptions, Privileged, make_policy};
//! use ambler_body::{Action, BodyPreset};
//! use ambler_geometry::{Heading, Pose, Vec3};
//!
//! let factory = make_policy("forward", &PolicyOptions::default()).expect("a known name");
//! let mut policy = factory.create().expect("nothing to prepare");
//! let body = BodyPreset::named("stretch").expect("the default body");
//! let goal = Goal::Point { success_distance_m: 0.2 };
//! let context = EpisodeContext::new(&body, &goal);
//! policy.reset(&context).expect("no reason to refuse");
//!
//! let start = Pose { position: Vec3::ZERO, heading: Heading::from_yaw(0.0) };
//! let observation = Observation::at(&start, &start).with_point_goal(Vec3::new(0.0, 0.0, -1.0));
//! assert_eq!(policy.act(&observation, &mut Privileged::none()), Ok(Action::MoveForward));
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test"))]

mod astar;
mod context;
mod error;
mod exec;
mod eyes;
mod forward;
mod frontier;
mod greedy;
mod l3mvn;
pub mod layers;
mod make;
mod mapping;
mod models;
mod observation;
mod oracle;
mod policy;
mod privileged;
pub mod protocol;
mod random;
mod script;
mod vlfm;

pub use astar::{PlaneSeed, base_scene, plane_seeds, remember};
pub use context::{EpisodeContext, Goal, KnownHome, Recall};
pub use error::{AgentError, PolicyError};
pub use make::{POLICY_NAMES, PolicyOptions, make_policy, models_of};
pub use models::ModelOptions;
pub use observation::{Observation, PointGoal, compass, point_goal, relative_position};
pub use policy::{Needs, Policy, PolicyFactory};
pub use privileged::{Privileged, PrivilegedView};
pub use script::{Script, parse_script};
