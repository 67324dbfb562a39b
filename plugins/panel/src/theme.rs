//! Colours and sizes: dark for work, light for papers.

use bevy_egui::egui::{Color32, Context, FontFamily, FontId, Stroke, TextStyle, Theme, Visuals};

/// Sets the looks. Nothing is animated: on a processor that draws the window each frame costs.
pub fn apply(context: &Context, dark: bool) {
    context.set_theme(if dark { Theme::Dark } else { Theme::Light });
    let mut visuals = if dark { Visuals::dark() } else { Visuals::light() };
    if dark {
        visuals.panel_fill = Color32::from_rgb(27, 29, 33);
        visuals.window_fill = Color32::from_rgb(33, 36, 41);
        visuals.extreme_bg_color = Color32::from_rgb(18, 19, 22);
        visuals.override_text_color = Some(Color32::from_rgb(230, 230, 230));
        visuals.weak_text_color = Some(Color32::from_rgb(168, 173, 181));
    } else {
        visuals.override_text_color = Some(Color32::from_rgb(25, 25, 28));
        visuals.weak_text_color = Some(Color32::from_rgb(85, 90, 98));
    }
    visuals.selection.bg_fill =
        if dark { Color32::from_rgb(38, 92, 132) } else { Color32::from_rgb(150, 200, 235) };
    visuals.selection.stroke = Stroke::new(1.0, Color32::WHITE);
    visuals.window_shadow.blur = 0;
    visuals.popup_shadow.blur = 0;
    visuals.text_cursor.blink = false;
    context.set_visuals(visuals);
    context.all_styles_mut(|style| {
        style.animation_time = 0.0;
        style.spacing.item_spacing = [6.0, 4.0].into();
        style.spacing.interact_size.y = 24.0;
        style.text_styles = [
            (TextStyle::Small, FontId::new(12.0, FontFamily::Proportional)),
            (TextStyle::Body, FontId::new(14.0, FontFamily::Proportional)),
            (TextStyle::Button, FontId::new(14.0, FontFamily::Proportional)),
            (TextStyle::Heading, FontId::new(17.0, FontFamily::Proportional)),
            (TextStyle::Monospace, FontId::new(13.5, FontFamily::Monospace)),
        ]
        .into();
    });
}
