//! Transforms, boxes, headings, seeded randomness and the shape of an input fault: what every
//! other crate of Ambler stands on.
//!
//! Conventions (all of Ambler): right-handed, +Y up, −Z forward, +X right; metres and radians.
//! Yaw is counter-clockwise seen from above, so that a left turn is positive and
//! `forward = (−sin yaw, 0, −cos yaw)`.
//!
//! This crate never reads a file, never reads a clock and never draws a random number that was
//! not asked for with a seed. It turns on `glam/libm` for the whole build, so that sines and roots
//! have the same bits on every machine.
//!
//! ```
//! use ambler_geometry::{Heading, Vec3};
//! // Twelve turns of 30° are a whole circle, without drift.
//! let start = Heading::from_yaw(0.3);
//! let around = (0..12).fold(start, |heading, _| heading.turned(1, 12));
//! assert_eq!(around.yaw(), start.yaw());
//! assert_eq!(Heading::from_yaw(0.0).forward(), Vec3::new(0.0, 0.0, -1.0));
//! ```

mod aabb;
mod affine;
mod fault;
mod heading;
mod polygon;
pub mod random;

pub use aabb::Aabb;
pub use affine::Affine;
pub use fault::{Fault, Place};
pub use glam::{DVec3, Mat3, Quat, Vec2, Vec3};
pub use heading::{Heading, Pose, quat_from_yaw, yaw_from_quat};
pub use polygon::{polygon_area, polygon_contains};
