//! The line at the bottom: what the machine is busy with.

use crate::{Info, Load};
use bevy_egui::egui::{RichText, Ui};

/// Draws it.
pub fn status(ui: &mut Ui, info: &Info, load: &Load) {
    ui.horizontal_centered(|ui| {
        let text =
            |ui: &mut Ui, text: String| ui.label(RichText::new(text).monospace().size(11.5).weak());
        let ms = |seconds: f64| seconds * 1000.0;
        text(ui, format!("window {:5.1} ms", ms(load.frame_s)))
            .on_hover_text("the last frame of the window");
        text(ui, format!("view {:5.1} ms", ms(load.view_s)))
            .on_hover_text("the last picture of the main view, by the sensors' renderer");
        text(ui, format!("sensors {:5.1} ms", ms(load.sensor_s))).on_hover_text(
            "the last picture of the robot's camera: colour, depth, instances, categories",
        );
        text(ui, format!("{} triangles", load.triangles));
        let (adapter, slow) = &info.adapter;
        let told = if *slow {
            format!("{adapter} (no GPU: the window is drawn by the processor)")
        } else {
            adapter.clone()
        };
        text(ui, told);
    });
}
