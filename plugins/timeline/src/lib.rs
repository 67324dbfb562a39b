//! The timeline: steps, events and the distance to the goal, to be scrubbed through.
//!
//! One widget, a function of what is shown. It emits commands and never changes anything by itself.
//!
//! ```no_run
//! use ambler_plugin_timeline::show;
//! # fn with(ui: &mut bevy_egui::egui::Ui, snapshot: &ambler_session::Snapshot, desk: &ambler_session::Desk) {
//! let mut commands = Vec::new();
//! show(ui, snapshot, desk, &mut commands);
//! # }
//! ```

mod controls;
mod scale;
mod tracks;

use ambler_session::{Command, Desk, Snapshot};
use bevy_egui::egui::Ui;
pub use scale::Scale;

/// Draws the timeline into what room there is.
pub fn show(ui: &mut Ui, snapshot: &Snapshot, desk: &Desk, out: &mut Vec<Command>) {
    controls::show(ui, snapshot, desk, out);
    tracks::show(ui, snapshot, desk, out);
}
