//! The bar at the top: what is open, what is asked, who acts.

use crate::Info;
use ambler_session::{Command, Desk, Snapshot, short_name};
use bevy_egui::egui::{Align, Layout, RichText, Ui};

/// Draws it.
pub fn top(ui: &mut Ui, snapshot: &Snapshot, desk: &Desk, info: &Info, out: &mut Vec<Command>) {
    ui.horizontal_centered(|ui| {
        let mut button = |ui: &mut Ui, text: &str, hint: &str, command: Command| {
            if ui.button(text).on_hover_text(hint).clicked() {
                out.push(command);
            }
        };
        button(ui, "◀", "previous episode (P)", Command::PreviousEpisode);
        ui.monospace(format!("{}/{}", snapshot.index + 1, info.episodes.len()));
        button(ui, "▶", "next episode (N)", Command::NextEpisode);
        ui.separator();
        match info.episodes.get(snapshot.index) {
            Some(row) => {
                ui.label(RichText::new(&row.scene).weak());
                ui.label(RichText::new(&row.asks).strong());
            }
            None => {
                ui.label("no episode");
            }
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let mut button = |ui: &mut Ui, text: &str, hint: &str, command: Command| {
                if ui.button(text).on_hover_text(hint).clicked() {
                    out.push(command);
                }
            };
            button(ui, "?", "keys (?)", Command::Help);
            button(ui, if desk.dark { "☀" } else { "🌙" }, "light or dark", Command::Theme);
            button(ui, "📷", "picture of the window (F12)", Command::Screenshot);
            button(ui, "💾 save", "keep this drive as a record (Ctrl+S)", Command::Save);
            button(ui, "⟲ reset", "begin the episode again (Backspace)", Command::Reset);
            ui.separator();
            ui.label(RichText::new(short_name(&snapshot.actor)).strong()).on_hover_text(&snapshot.actor);
            ui.label(RichText::new("driven by").weak());
        });
    });
}
