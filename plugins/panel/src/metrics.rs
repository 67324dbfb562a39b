//! The numbers of the episode at the step shown. Each stands here and nowhere else.

use ambler_session::{Desk, Snapshot};
use bevy_egui::egui::{Color32, Grid, RichText, Ui};

pub(crate) fn show(ui: &mut Ui, snapshot: &Snapshot, desk: &Desk) {
    if let Some(reason) = &snapshot.invalid {
        ui.label(
            RichText::new("This episode cannot be scored")
                .strong()
                .color(Color32::from_rgb(230, 159, 0)),
        );
        ui.label(reason);
        return;
    }
    let (Some(moment), Some(rule)) = (snapshot.moments.get(desk.shown), &snapshot.rule) else {
        ui.label(RichText::new("no episode is open").weak());
        return;
    };
    if snapshot.hand.touched {
        ui.label(
            RichText::new("not scored: objects were moved by hand")
                .strong()
                .color(Color32::from_rgb(204, 121, 167)),
        );
    }
    let within = moment.within(rule.distance_m);
    let metres = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.2} m"));
    let now = moment.spl_if_stopped(snapshot.shortest_m, rule.distance_m);
    let best = moment.spl_still_possible(snapshot.shortest_m, rule.distance_m);
    let limit = snapshot.step_limit;
    let position = moment.pose.position;
    let degrees = moment.pose.heading.yaw().to_degrees().rem_euclid(360.0);
    let rows: [(&str, String, &str); 8] = [
        (
            "to the goal",
            metres(moment.distance_m),
            "geodesic distance to the nearest goal point; success is strictly nearer than the rule says",
        ),
        ("success within", format!("{:.2} m", rule.distance_m), "the success rule's distance"),
        ("path", metres(Some(moment.path_m)), "length of the walked path"),
        ("shortest", metres(Some(snapshot.shortest_m)), "geodesic distance at the start"),
        (
            "SPL if stopped now",
            format!("{now:.3}"),
            "shortest / max(shortest, path) within the success distance, else 0",
        ),
        (
            "SPL still possible",
            format!("{best:.3}"),
            "of going on to the goal the shortest way, or of stopping here; after the stop, what was reached",
        ),
        ("steps", format!("{} of {limit}", desk.shown), "actions made"),
        ("collisions", moment.collisions.to_string(), "steps that were shorter than asked"),
    ];
    Grid::new("metrics").num_columns(4).spacing([8.0, 3.0]).min_col_width(60.0).show(ui, |ui| {
        for pair in rows.chunks(2) {
            for (name, value, help) in pair {
                ui.label(RichText::new(*name).weak().small()).on_hover_text(*help);
                let mut text = RichText::new(value).monospace();
                if *name == "to the goal" && within {
                    text = text.color(Color32::from_rgb(60, 200, 150)).strong();
                }
                ui.label(text).on_hover_text(*help);
            }
            ui.end_row();
        }
    });
    ui.horizontal(|ui| {
        let text = format!("x {:.2}  y {:.2}  z {:.2}  yaw {degrees:.0}°", position.x, position.y, position.z);
        let hint = "where the body stands, metres; yaw counter-clockwise from above, 0° = −Z (north). Click to copy";
        if ui.selectable_label(false, RichText::new(text).monospace().small()).on_hover_text(hint).clicked() {
            ui.ctx().copy_text(format!("{} {} {} {}", position.x, position.y, position.z, moment.pose.heading.yaw()));
        }
        if snapshot.privileged {
            ui.label("🔒").on_hover_text("the agent looked at what only an oracle may know");
        }
    });
}
