//! What is seen: the main view with its overlays, the map in the corner, the robot's pictures.
//!
//! The pictures are drawn by the sensors' own renderer on another thread ([`ambler_session::Painter`]) and
//! put into textures, or, where that is wanted, drawn by the graphics device ([`GpuRenderer`]) with the same
//! colours, depths and ids; what is known about the episode is painted over them, hidden parts faintly. On a
//! machine without a graphics processor this is far faster than drawing the scene through its driver, and
//! it shows exactly what the sensors see.
//!
//! Widgets are functions of what is shown; they emit commands and steer only the desk's camera. This crate
//! never steps a world.
//!
//! ```no_run
//! use ambler_plugin_view::{Gallery, show_main};
//! # fn with(ui: &mut bevy_egui::egui::Ui, snapshot: &ambler_session::Snapshot,
//! #         desk: &mut ambler_session::Desk, gallery: &Gallery) {
//! let mut commands = Vec::new();
//! show_main(ui, snapshot, desk, gallery, &mut commands);
//! # }
//! ```

mod gallery;
mod gpu;
mod inset;
mod labels;
mod main_view;
mod marks;
mod pips;
mod point;
mod toolbar;
mod wishes;

pub use gallery::{Gallery, Shown};
pub use gpu::GpuRenderer;
pub use labels::Labels;
pub use main_view::show_main;
pub use marks::paint;
pub use wishes::{Asked, ask};
