//! What is in the scene.

use crate::hand;
use ambler_session::{Command, Desk, Snapshot, StageView};
use bevy_egui::egui::{self, Grid, RichText, ScrollArea, Ui};

pub(crate) fn show(ui: &mut Ui, snapshot: &Snapshot, desk: &mut Desk, out: &mut Vec<Command>) {
    let Some(stage) = &snapshot.stage else {
        ui.label(RichText::new("no scene is open").weak());
        return;
    };
    let scene = &stage.scene;
    if let Some(instance) = desk.selected.and_then(|id| scene.instance(id)) {
        ui.horizontal(|ui| {
            ui.label(RichText::new(&instance.name).strong());
            if ui.small_button("✖").on_hover_text("select nothing").clicked() {
                desk.selected = None;
            }
        });
        let size = instance.bounds.size();
        let middle = instance.bounds.center();
        Grid::new("thing").num_columns(2).spacing([10.0, 2.0]).show(ui, |ui| {
            for (name, value) in [
                ("category", scene.category_name(instance.category).to_owned()),
                ("id, in the source", format!("{}, {}", instance.id, instance.source_id)),
                ("size", format!("{:.2} × {:.2} × {:.2} m", size.x, size.y, size.z)),
                ("middle", format!("{:.2}, {:.2}, {:.2} m", middle.x, middle.y, middle.z)),
                (
                    "surfaces",
                    scene.receptacles.iter().filter(|it| it.instance == instance.id).count().to_string(),
                ),
            ] {
                ui.label(RichText::new(name).weak().small());
                ui.label(value);
                ui.end_row();
            }
        });
        hand::push(ui, desk, instance.id, out);
        ui.separator();
    }
    egui::CollapsingHeader::new("Objects by hand")
        .default_open(true)
        .show(ui, |ui| hand::show(ui, snapshot, desk, out));
    let title = format!("Things in the scene ({})", scene.instances.len());
    egui::CollapsingHeader::new(title).id_salt("all things").default_open(true).show(ui, |ui| {
        things(ui, snapshot, desk);
    });
    egui::CollapsingHeader::new("The scene").default_open(true).show(ui, |ui| about(ui, stage));
}

/// What the scene is.
fn about(ui: &mut Ui, stage: &StageView) {
    let scene = &stage.scene;
    Grid::new("scene").num_columns(2).spacing([10.0, 2.0]).show(ui, |ui| {
        let size = scene.bounds.size();
        for (name, value) in [
            ("scene", scene.name.clone()),
            ("size", format!("{:.1} × {:.1} × {:.1} m", size.x, size.y, size.z)),
            ("triangles", scene.triangle_count().to_string()),
            (
                "walkable",
                format!("{:.1} m², {} islands", stage.navmesh.area_m2(), stage.navmesh.islands().len()),
            ),
            ("rooms, things", format!("{}, {}", scene.rooms.len(), scene.instances.len())),
            (
                "licence",
                if scene.licence.name.is_empty() {
                    "not stated".to_owned()
                } else {
                    scene.licence.name.clone()
                },
            ),
        ] {
            ui.label(RichText::new(name).weak().small());
            ui.label(value);
            ui.end_row();
        }
    });
}

/// All named things, to be searched.
fn things(ui: &mut Ui, snapshot: &Snapshot, desk: &mut Desk) {
    let Some(stage) = &snapshot.stage else { return };
    let scene = &stage.scene;
    let id = egui::Id::new("things sought");
    let mut wanted: String = ui.data(|data| data.get_temp(id)).unwrap_or_default();
    ui.add(
        egui::TextEdit::singleline(&mut wanted)
            .hint_text("search things and rooms")
            .desired_width(220.0),
    );
    ui.data_mut(|data| data.insert_temp(id, wanted.clone()));
    let wanted = wanted.to_lowercase();
    let things: Vec<_> = scene
        .instances
        .iter()
        .filter(|it| {
            it.name.to_lowercase().contains(&wanted)
                || scene.category_name(it.category).to_lowercase().contains(&wanted)
        })
        .collect();
    ui.label(
        RichText::new(format!("{} of {} things", things.len(), scene.instances.len())).weak().small(),
    );
    if scene.instances.is_empty() {
        ui.label(RichText::new("The scene names nothing in it.").weak());
    }
    ScrollArea::vertical().id_salt("things").max_height(120.0).auto_shrink([false, true]).show_rows(
        ui,
        22.0,
        things.len(),
        |ui, range| {
            for instance in things.get(range).unwrap_or_default() {
                let selected = desk.selected == Some(instance.id);
                let text = format!("{}  ({})", instance.name, scene.category_name(instance.category));
                if ui.selectable_label(selected, text).clicked() {
                    desk.selected = Some(instance.id);
                    desk.camera.center_on(instance.bounds.center());
                }
            }
        },
    );
}
