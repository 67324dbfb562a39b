//! The pointer in the main view.

use crate::Gallery;
use ambler_navmesh::NavQuery;
use ambler_session::{Command, Desk, Snapshot, View, WishKey};
use bevy_egui::egui::{self, Color32, FontId, Rect, Ui, Vec2};
use std::sync::Arc;

/// What the pointer is on, and what a click there does.
pub(crate) fn show(
    ui: &Ui,
    response: &egui::Response,
    panes: [(Rect, WishKey); 2],
    snapshot: &Snapshot,
    desk: &mut Desk,
    gallery: &Gallery,
    out: &mut Vec<Command>,
) {
    let Some(at) = response.hover_pos() else { return };
    let Some((area, key)) = panes.into_iter().find(|(area, _)| area.contains(at)) else { return };
    let Some(painting) = gallery.painting(key) else { return };
    let Some(view) = View::new(&painting.eye, &painting.frame) else { return };
    let scale = painting.eye.spec.width as f32 / area.width().max(1.0);
    let local = (at - area.min) * scale;
    let Some((place, id)) = view.pick(local.x, local.y) else { return };
    let Some(stage) = &snapshot.stage else { return };
    let instance = stage.scene.instance(id);
    let name = instance.map(|it| (it.name.as_str(), stage.scene.category_name(it.category)));
    let text = match name {
        Some((name, category)) if !category.is_empty() && category != name => {
            format!("{name} ({category})")
        }
        Some((name, _)) => name.to_owned(),
        None => "unnamed".to_owned(),
    };
    let mut text = format!("{text}\n{:.2}, {:.2}, {:.2} m", place.x, place.y, place.z);
    if let Some(object) = &desk.hold {
        text = format!("click: drop {object} here (Esc: put it away)\n{text}");
    }
    let font = FontId::proportional(12.0);
    let painter = ui.painter_at(area);
    let galley = painter.layout_no_wrap(text, font, Color32::WHITE);
    let by = Vec2::new(14.0, 10.0);
    let plate = Rect::from_min_size(at + by, galley.size() + Vec2::new(8.0, 4.0));
    let plate = plate.translate((area.right_bottom() - plate.right_bottom()).min(Vec2::ZERO));
    painter.rect_filled(plate, 3.0, Color32::from_black_alpha(190));
    painter.galley(plate.min + Vec2::new(4.0, 2.0), galley, Color32::WHITE);
    if response.clicked() {
        desk.picked = Some(place);
        if let Some(object) = &desk.hold {
            out.push(Command::Drop(object.clone(), place));
            return;
        }
        let floor = instance.is_none_or(|it| {
            matches!(stage.scene.category_name(it.category), "floor" | "rug" | "stairs" | "")
        });
        let mut query = NavQuery::new(Arc::clone(&stage.navmesh));
        let near = query.snap(place).is_ok_and(|snap| snap.point.distance(place) < 0.35);
        if floor && near && key == WishKey::Main {
            out.push(Command::WalkTo(place));
        } else {
            desk.selected = instance.map(|it| it.id);
            out.push(Command::Tab("world".to_owned()));
        }
    }
    if response.double_clicked() {
        desk.camera.center_on(place);
    }
}
