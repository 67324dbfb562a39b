//! Sensors: cameras on a body, drawn on the CPU, and what the scene's own labels say about what
//! they show.
//!
//! A [`CameraSpec`] says what a camera is and where it sits, a [`Renderer`] draws its view of a
//! scene into a [`Frame`], [`detect`] lists the instances a frame shows, [`Picture`] makes frames
//! visible to people.
//!
//! Depth is planar: metres along the optical axis (along the ray in equirectangular and fisheye
//! images), f32, 0 = nothing seen, with a validity mask beside it, never normalised. Colour is unlit
//! unless a camera has [`Lighting`]. Images are the same bits for any number of threads and on any machine.
//!
//! This crate never reads a scene file, never uses a graphics driver, never moves a body and knows
//! no task.
//!
//! ```
//! use ambler_geometry::{Affine, Heading, Pose, Vec3};
//! use ambler_scene::{Material, Mesh, Placement, SceneModel};
//! use ambler_sensor::{CameraSpec, Frame, Renderer, detect};
//! use std::sync::Arc;
//!
//! // A wall two metres ahead of a body at the origin, with an identity.
//! let corner = |x, y| Vec3::new(x, y, -2.0);
//! let wall = Mesh {
//!     positions: [corner(-9.0, -9.0), corner(9.0, -9.0), corner(9.0, 9.0), corner(-9.0, 9.0)].into(),
//!     triangles: [[0, 1, 2], [0, 2, 3]].into(),
//!     ..Mesh::default()
//! };
//! let scene = Arc::new(SceneModel {
//!     meshes: vec![Arc::new(wall)],
//!     materials: vec![Material::default()],
//!     placements: vec![Placement {
//!         mesh: 0,
//!         material: 0,
//!         world_from_mesh: Affine::IDENTITY,
//!         instance: 7,
//!     }],
//!     ..SceneModel::default()
//! });
//!
//! let camera = CameraSpec::default();
//! let pose = Pose { position: Vec3::ZERO, heading: Heading::from_yaw(0.0) };
//! let renderer = Renderer::new(Arc::clone(&scene));
//! let mut frame = Frame::default();
//! renderer.render(&camera, &camera.world_from_camera(&pose, 0.0), &mut frame)?;
//!
//! assert!(frame.depth.iter().all(|&depth| depth == 2.0));
//! let found = detect(&scene, &frame, &camera, 100);
//! assert_eq!((found[0].instance, found[0].share), (7, 1.0));
//! # Ok::<(), ambler_sensor::SensorError>(())
//! ```
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests"))]

mod camera;
mod detect;
mod error;
mod frame;
mod lighting;
mod moved;
mod picture;
mod render;

pub use camera::{CameraSpec, MAX_SIDE, Outputs, Projection, RIG_NAMES, Tone};
pub use detect::{Detection, detect};
pub use error::SensorError;
pub use frame::Frame;
pub use lighting::{Light, LightFrame, LightSource, Lighting};
pub use moved::Moved;
pub use picture::{Picture, depth_color, depth_range, id_color};
pub use render::{PlainRenderer, Renderer};
