//! Sensors: cameras on a body, drawn on the CPU.
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests"))]

mod camera;
mod error;
mod frame;
mod render;

pub use camera::{CameraSpec, MAX_SIDE, Outputs, Projection, RIG_NAMES};
pub use error::SensorError;
pub use frame::Frame;
pub use render::Renderer;
