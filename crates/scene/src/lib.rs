//! Scenes: the [`SceneModel`] and what reads and writes it.
//!
//! Every source of a scene (glTF and GLB, PLY, OBJ with MTL, Ambler's own description in RON) becomes
//! one [`SceneModel`]: meshes, textures and materials, what stands where, what is called what. The
//! renderer, the navmesh builder, physics and the window are fed from it and from nothing else.
//!
//! What this crate never does:
//! - draw, simulate, or know a task;
//! - panic on a file, allocate by a count that the file's bytes do not justify, or read outside the
//!   scene's folder;
//! - change geometry: triangles without area and vertices without triangles stay as they are, because
//!   Habitat's navmesh grid depends on them. What is odd but harmless is said in
//!   [`SceneModel::notes`], once.
//!
//! ```
//! use ambler_scene::{ReadOptions, read_scene};
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("corner.ply");
//! let text = "ply\nformat ascii 1.0\nelement vertex 3\n\
//!     property float x\nproperty float y\nproperty float z\n\
//!     element face 1\nproperty list uchar int vertex_indices\nproperty int object_id\nend_header\n\
//!     0 0 0\n0 0 2\n2 0 0\n3 0 1 2 7\n";
//! std::fs::write(&path, text)?;
//! let scene = read_scene(&path, &ReadOptions::default())?;
//! assert_eq!((scene.vertex_count(), scene.triangle_count()), (3, 1));
//! assert_eq!(scene.instance(7).map(|instance| instance.bounds.max.x), Some(2.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test may fail by panic"))]

mod assemble;
mod category;
pub mod description;
mod error;
mod files;
pub mod gltf;
pub mod home;
pub mod library;
mod model;
pub mod obj;
mod options;
mod pixels;
pub mod ply;
mod read;
pub mod stored;

pub use ambler_bundle::Array;
pub use category::{STRUCTURAL_CATEGORIES, is_structural, normal_name};
pub use error::SceneError;
pub use model::{
    Floor, Instance, Licence, Material, Mesh, Placement, Receptacle, Room, SceneModel, Texture, Wrap,
};
pub use options::{Limits, ReadOptions, UpAxis};
pub use read::{fingerprint, read_scene, read_scene_sources};
