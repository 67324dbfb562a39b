//! The panels around the view: what the episode asks, how it stands, what the sensors see, who acts.
//!
//! One widget a file, each a function of what is shown; they emit commands, change only the desk, and never
//! step a world. No
//! widget knows a policy or a layer by name. The window lays them out ([`top`], [`inspector`],
//! [`status`]).
//!
//! ```no_run
//! use ambler_plugin_panel::{Pictures, inspector};
//! # fn with(ui: &mut bevy_egui::egui::Ui, snapshot: &ambler_session::Snapshot,
//! #         desk: &mut ambler_session::Desk, info: &ambler_plugin_panel::Info) {
//! let mut commands = Vec::new();
//! inspector(ui, snapshot, desk, info, &Pictures::default(), &mut commands);
//! # }
//! ```

mod agent;
mod episode;
mod hand;
mod info;
mod log;
mod metrics;
mod sensors;
mod status;
mod theme;
mod top;
mod ways;
mod world;

pub use info::{CameraPictures, EpisodeRow, Info, Load, Pictures};
pub use log::toasts;
pub use status::status;
pub use theme::apply as apply_theme;
pub use top::top;

use ambler_session::{Command, Desk, Snapshot, TABS};
use bevy_egui::egui::{ScrollArea, Ui};

/// The inspector: the numbers that always count, and the part that is open.
pub fn inspector(
    ui: &mut Ui,
    snapshot: &Snapshot,
    desk: &mut Desk,
    info: &Info,
    pictures: &Pictures,
    out: &mut Vec<Command>,
) {
    metrics::show(ui, snapshot, desk);
    ui.separator();
    ui.horizontal(|ui| {
        for tab in TABS {
            let text = tab[..1].to_uppercase() + &tab[1..];
            if ui.selectable_label(desk.tab == tab, text).clicked() {
                out.push(Command::Tab(tab.to_owned()));
            }
        }
    });
    ui.separator();
    match desk.tab.as_str() {
        "sensors" => {
            ScrollArea::vertical()
                .auto_shrink(false)
                .show(ui, |ui| sensors::show(ui, snapshot, desk, pictures));
        }
        "agent" => {
            ScrollArea::vertical()
                .auto_shrink(false)
                .show(ui, |ui| agent::show(ui, snapshot, desk, info, out));
        }
        "world" => {
            ScrollArea::vertical()
                .auto_shrink(false)
                .show(ui, |ui| world::show(ui, snapshot, desk, out));
        }
        "ways" => {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| ways::show(ui, snapshot, desk, out));
        }
        "log" => log::show(ui, snapshot),
        _ => episode::show(ui, snapshot, desk, info, out),
    }
}
