//! Scenes: the [`SceneModel`] and the readers that produce it.
//!
//! Never draws, never simulates, never knows a task.

mod model;

pub use model::{
    Floor, Instance, Licence, Material, Mesh, Placement, Receptacle, Room, SceneModel, Texture, Wrap,
};
