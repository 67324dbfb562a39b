//! SD-OVON: homes in which small objects have moved, and the pipeline that makes them.
//!
//! The stages are those of the paper ("SD-OVON", section 3), each a module that can be run alone:
//!
//! 1. [`floors`]: storeys and the top-down map of where a body can stand;
//! 2. [`coverage`]: where to look from, so that everything is seen;
//! 3. [`observe`]: what a detector says of each view, put into space;
//! 4. [`fuse`]: detections of one thing joined, and doubtful ones dropped;
//! 5. [`planes`]: the surfaces of receptacles (the paper's Algorithm 1);
//! 6. [`regions`]: which part of the floor is a kitchen;
//! 7. [`plan`]: what is put where, drawn from semantic relevance;
//! 8. [`place`]: the fall onto the surfaces, and what is checked afterwards;
//! 9. [`export`]: Ambler scenes and a Habitat scene data set;
//! 10. [`episodes`]: object-goal episodes of the variants.
//!
//! [`settings::Settings::paper`] does what the paper writes; [`settings::Settings::quality`] repairs what
//! its text lets go wrong. Frames: world, +Y up, metres; outlines are (x, z) pairs, counter-clockwise seen
//! from above.
//!
//! This crate never simulates physics (a [`place::Settle`] does), never talks to a model over a network,
//! never reads a clock, and never looks at the true labels of a scene except through a detector or in
//! [`truth`], which measures how well the rest did.
//!
//! ```
//! use ambler_geometry::{Vec2, random::Stream};
//! use ambler_sdovon::convex::{sample, signed_area};
//! // A table of 1.2 × 0.6 m, and a place on it.
//! let top = [(0.0, 0.0), (0.0, 0.6), (1.2, 0.6), (1.2, 0.0)].map(|(x, z)| Vec2::new(x, z));
//! assert!((signed_area(&top) - 0.72).abs() < 1e-6);
//! let at = sample(&top, &mut Stream::new(1, "table", "place"));
//! assert!(at.is_some_and(|p| (0.0..=1.2).contains(&p.x) && (0.0..=0.6).contains(&p.y)));
//! ```
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test may fail by panic"))]

pub mod analysis;
pub mod cloud;
pub mod convex;
pub mod coverage;
pub mod episodes;
mod error;
pub mod export;
pub mod floors;
pub mod fuse;
pub mod grid;
pub mod observe;
pub mod place;
pub mod plan;
pub mod planes;
pub mod regions;
pub mod settings;
pub mod stages;
pub mod truth;

pub use error::SdovonError;
