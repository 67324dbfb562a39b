//! Objects of the library, and the hand that drops and pushes them.

use ambler_geometry::Vec3;
use ambler_session::{Command, Desk, Snapshot, UNSCORED};
use bevy_egui::egui::{self, Color32, RichText, ScrollArea, Ui};

/// What a push gives, metres a second: enough to slide a cup over a table, or a chair a little.
const PUSH_M_S: f32 = 1.8;
/// Rows of the library that are shown at a time.
const ROWS: f32 = 110.0;

/// The selected thing's buttons.
pub(crate) fn push(ui: &mut Ui, desk: &Desk, instance: u32, out: &mut Vec<Command>) {
    let Some(eye) = &desk.eye else { return };
    // As seen: away from the viewer over the floor, and to the sides.
    let look = eye.world_from_camera.vector(-Vec3::Z);
    let up = eye.world_from_camera.vector(Vec3::Y);
    let flat = |way: Vec3| Vec3::new(way.x, 0.0, way.z).normalize_or_zero();
    let ahead = if look.y.abs() > 0.95 { flat(up) } else { flat(look) };
    let right = flat(eye.world_from_camera.vector(Vec3::X));
    ui.horizontal(|ui| {
        ui.label(RichText::new("push").weak().small());
        for (text, way, hint) in [
            ("⬆", ahead, "away from you"),
            ("⬇", -ahead, "towards you"),
            ("⬅", -right, "to the left, as you see it"),
            ("➡", right, "to the right, as you see it"),
        ] {
            if ui.button(text).on_hover_text(hint).clicked() {
                out.push(Command::Push(instance, way * PUSH_M_S));
            }
        }
        if ui.button("lift").on_hover_text("a jump of half a metre").clicked() {
            out.push(Command::Push(instance, Vec3::Y * 3.1));
        }
    });
}

/// The library, and what was done so far.
pub(crate) fn show(ui: &mut Ui, snapshot: &Snapshot, desk: &mut Desk, out: &mut Vec<Command>) {
    let hand = &snapshot.hand;
    ui.horizontal(|ui| {
        let any = !hand.dropped.is_empty() || !hand.moved.is_empty();
        let back = ui.add_enabled(any, egui::Button::new("put all back"));
        if back.on_hover_text("what was dropped goes, the rest returns to its place").clicked() {
            out.push(Command::PutBack);
        }
        if hand.moving {
            ui.label(RichText::new("falling …").weak().small());
        }
    });
    if hand.touched {
        ui.label(RichText::new(UNSCORED).small().color(Color32::from_rgb(204, 121, 167)));
    }
    let Some(library) = &snapshot.library else {
        if ui.button("show what can be dropped").clicked() {
            out.push(Command::Library);
        }
        return;
    };
    let id = egui::Id::new("objects sought");
    let mut wanted: String = ui.data(|data| data.get_temp(id)).unwrap_or_default();
    ui.horizontal(|ui| {
        let field =
            egui::TextEdit::singleline(&mut wanted).hint_text("search objects").desired_width(140.0);
        ui.add(field);
        match &desk.hold {
            Some(object) => {
                ui.label(RichText::new(format!("click in the view: drop {object}")).small());
                if ui.small_button("✖").on_hover_text("put it away (Esc)").clicked() {
                    out.push(Command::Hold(None));
                }
            }
            None => {
                ui.label(RichText::new("choose one, then click in the view").weak().small());
            }
        }
    });
    ui.data_mut(|data| data.insert_temp(id, wanted.clone()));
    let wanted = wanted.to_lowercase();
    let rows: Vec<_> = library
        .iter()
        .filter(|row| row.name.to_lowercase().contains(&wanted) || row.category.contains(&wanted))
        .collect();
    if rows.is_empty() {
        ui.label(RichText::new("No object matches; clear the search.").weak().small());
    }
    ScrollArea::vertical().id_salt("library").max_height(ROWS).auto_shrink([false, true]).show_rows(
        ui,
        20.0,
        rows.len(),
        |ui, range| {
            for row in rows.get(range).unwrap_or_default() {
                let held = desk.hold.as_deref() == Some(&row.name);
                let text = format!("{}  ({})", row.name, row.category.replace('_', " "));
                if ui.selectable_label(held, text).clicked() {
                    out.push(Command::Hold((!held).then(|| row.name.clone())));
                }
            }
        },
    );
}
