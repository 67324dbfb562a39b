//! The line at the bottom: what the machine is busy with.

use crate::{Info, Load};
use bevy_egui::egui::{RichText, Ui};

/// Draws it.
pub fn status(ui: &mut Ui, info: &Info, load: &Load) {
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 18.0;
        let text =
            |ui: &mut Ui, text: String| ui.label(RichText::new(text).monospace().size(11.5).weak());
        let ms = |seconds: f64| seconds * 1000.0;
        text(
            ui,
            format!(
                "frame {:5.1} ms (layout {:.1}, draw {:.1}, {} tri)",
                ms(load.whole_s),
                ms(load.frame_s),
                ms(load.draw_s),
                load.drawn
            ),
        )
        .on_hover_text(
            "the last frame of the window: laying the panels out, drawing them on the graphics device, and \
             their triangles",
        );
        let seen = load.view_seen.map_or_else(String::new, |seen| format!(", {seen} tri"));
        let by = match (load.view_drawn, &load.problem) {
            (Some(triangles), _) => format!("GPU, {triangles} tri"),
            (None, None) => format!("CPU{seen}"),
            (None, Some(_)) => format!("CPU{seen}, not GPU: see here"),
        };
        text(ui, format!("view {:5.1} ms ({by})", ms(load.view_s))).on_hover_text(
            load.problem.as_deref().unwrap_or(
                "the last picture of the main view, who drew it, and its triangles: those that a graphics \
                 device drew, or those that the processor found to be seen",
            ),
        );
        text(ui, format!("sensors {:5.1} ms", ms(load.sensor_s))).on_hover_text(
            "the last picture of the robot's camera: colour, depth, instances, categories",
        );
        text(ui, format!("scene {} tri", load.triangles)).on_hover_text("triangles of the scene");
        let (adapter, slow) = &info.adapter;
        let told = if *slow { format!("{adapter}, no GPU") } else { adapter.clone() };
        let hint = if *slow {
            "there is no graphics processor: the window is drawn by the processor, which is slow"
        } else {
            "the graphics device that draws the window"
        };
        text(ui, told).on_hover_text(hint);
    });
}
