//! The row above the main view.

use ambler_session::overlay;
use ambler_session::{CameraMode, Command, Desk, Snapshot};
use bevy_egui::egui::{self, RichText, Ui};

/// Draws it.
pub(crate) fn show(ui: &mut Ui, snapshot: &Snapshot, desk: &mut Desk, out: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        for (index, mode) in CameraMode::ALL.into_iter().enumerate() {
            let hint = format!("camera {} ({})", mode.name(), index + 1);
            let text = format!("{} {}", index + 1, mode.name());
            if ui.selectable_label(desk.camera.mode == mode, text).on_hover_text(hint).clicked() {
                out.push(Command::Camera(mode));
            }
        }
        ui.separator();
        if desk.camera.mode == CameraMode::Above {
            let mut cut = desk.cut;
            if ui.checkbox(&mut cut, "cut").on_hover_text("cut away what is higher (X)").changed() {
                out.push(Command::ToggleCut);
            }
            ui.add_enabled(
                desk.cut,
                egui::Slider::new(&mut desk.cut_m, 0.2..=3.0).suffix(" m").fixed_decimals(1),
            )
            .on_hover_text("height of the cut over the floor shown");
        } else if desk.camera.mode == CameraMode::Fly {
            let text = format!(
                "WASD, Q and E fly at {:.1} m/s, Shift faster; drag looks; wheel: speed",
                desk.camera.speed
            );
            ui.label(RichText::new(text).weak().small());
        } else {
            ui.label(
                RichText::new("drag turns, right drag moves, wheel zooms, Home shows all")
                    .weak()
                    .small(),
            );
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if snapshot.storeys.len() > 1 {
                floors(ui, snapshot, desk, out);
            }
            if desk.camera.mode != CameraMode::Eyes {
                let hint = "draw this view by the graphics device; else by the sensors' renderer";
                if ui.selectable_label(desk.device, "GPU").on_hover_text(hint).clicked() {
                    out.push(Command::ToggleDevice);
                }
            }
            ui.menu_button("layers", |ui| layer_menu(ui, snapshot, desk, out));
            if ui.selectable_label(desk.inset, "map").on_hover_text("map in the corner (M)").clicked() {
                out.push(Command::ToggleMap);
            }
        });
    });
}

fn layer_menu(ui: &mut Ui, snapshot: &Snapshot, desk: &Desk, out: &mut Vec<Command>) {
    let mut known: Vec<(String, String, String, bool, bool)> = snapshot
        .layers
        .iter()
        .chain(&snapshot.thoughts.overlays(&snapshot.moments, desk.shown))
        .chain(&overlay::of_history(&[], 0))
        .map(|it| (it.key.clone(), it.title.clone(), it.help.clone(), it.shown, it.privileged))
        .collect();
    let here = "The shortest way from the step shown".to_owned();
    known.push((overlay::HERE.to_owned(), "Shortest path from here".to_owned(), here, false, true));
    for (key, title, help, shown, privileged) in known {
        let mut on = desk.layer_on(&key, shown);
        let text = if privileged { format!("{title}  🔒") } else { title };
        let help = if privileged { format!("{help}. No agent knows this by itself.") } else { help };
        if ui.checkbox(&mut on, text).on_hover_text(help).changed() {
            out.push(Command::ToggleLayer(key));
        }
    }
}

/// Which floor is shown.
fn floors(ui: &mut Ui, snapshot: &Snapshot, desk: &Desk, out: &mut Vec<Command>) {
    let shown = desk.storey(snapshot).map_or("?", |(_, storey)| storey.name.as_str());
    let text = if desk.floor.is_some() { shown.to_owned() } else { format!("{shown} (auto)") };
    ui.menu_button(text, |ui| {
        let auto = "the robot's floor";
        if ui.selectable_label(desk.floor.is_none(), auto).clicked() {
            out.push(Command::Floor(None));
        }
        for (index, storey) in snapshot.storeys.iter().enumerate().rev() {
            let text = format!("{}  {:+.1} m", storey.name, storey.floor_y);
            if ui.selectable_label(desk.floor == Some(index), text).clicked() {
                out.push(Command::Floor(Some(index)));
            }
        }
    })
    .response
    .on_hover_text("the floor shown, in the map and in views from outside (PageUp, PageDown)");
}
