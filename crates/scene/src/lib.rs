//! Scenes: the [`SceneModel`] and the readers that produce it.
//!
//! Never draws, never simulates, never knows a task.
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test may fail by panic"))]

mod assemble;
mod category;
pub mod description;
mod error;
mod files;
pub mod gltf;
mod model;
pub mod obj;
mod options;
mod pixels;
pub mod ply;
mod read;

pub use category::{STRUCTURAL_CATEGORIES, is_structural, normal_name};
pub use error::SceneError;
pub use model::{
    Floor, Instance, Licence, Material, Mesh, Placement, Receptacle, Room, SceneModel, Texture, Wrap,
};
pub use options::{Limits, ReadOptions, UpAxis};
pub use read::{fingerprint, read_scene};
