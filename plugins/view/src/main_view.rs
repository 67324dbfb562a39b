//! The main view.

use crate::{Gallery, Labels, inset, paint, pips};
use ambler_navmesh::NavQuery;
use ambler_session::overlay::{self, Overlay};
use ambler_session::{CameraMode, Command, Desk, Ending, Snapshot, View, WishKey};
use bevy_egui::egui::{
    self, Align2, Color32, FontId, PointerButton, Rect, RichText, Sense, Stroke, StrokeKind, Ui, Vec2,
    pos2,
};
use std::sync::Arc;

/// Draws the toolbar, the picture, what is over it, and takes drags and clicks. Returns the size in pixels
/// that the picture should have.
pub fn show_main(
    ui: &mut Ui,
    snapshot: &Snapshot,
    desk: &mut Desk,
    gallery: &Gallery,
    out: &mut Vec<Command>,
) -> [u32; 2] {
    toolbar(ui, snapshot, desk, out);
    let (response, painter) = ui.allocate_painter(ui.available_size(), Sense::click_and_drag());
    let area = response.rect;
    let factor = ui.ctx().pixels_per_point();
    let wanted = [(area.width() * factor) as u32, (area.height() * factor) as u32];
    painter.rect_filled(area, 0.0, Color32::from_rgb(20, 21, 24));
    steer(&response, desk, ui);
    let of_step = layers_of_step(snapshot, desk);
    // In the order in which they are drawn.
    let layers = snapshot.layers.iter().chain(&of_step);
    let on: Vec<&Overlay> = layers.filter(|layer| desk.layer_on(&layer.key, layer.shown)).collect();
    let mut labels = Labels::default();
    let painting = gallery.painting(WishKey::Main);
    if let (Some(shown), Some(painting)) = (gallery.picture(WishKey::Main, "rgb"), painting) {
        let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        painter.image(shown.texture, area, whole, Color32::WHITE);
        let free = free_corners(area, snapshot, desk);
        free.into_iter().for_each(|rect| labels.keep_free(rect));
        if let Some(view) = View::new(&painting.eye, &painting.frame) {
            let hides = desk.camera.mode != CameraMode::Above;
            paint(&painter, &view, area, painting.eye.spec.width, hides, &on, &mut labels);
            point(ui, &response, &view, area, snapshot, desk, out);
        }
    } else {
        let text = snapshot.working.clone().unwrap_or_else(|| match &snapshot.invalid {
            Some(reason) => format!("nothing to show: {reason}"),
            None => "drawing …".to_owned(),
        });
        let font = FontId::proportional(16.0);
        painter.text(area.center(), Align2::CENTER_CENTER, text, font, Color32::from_gray(170));
    }
    if desk.inset && desk.camera.mode != CameraMode::Above {
        inset::show(ui, area, snapshot, desk, gallery, &on, out);
    }
    if desk.camera.mode != CameraMode::Eyes {
        pips::show(ui, area, snapshot, desk, gallery);
    }
    legend(ui, area, &on);
    banner(ui, area, snapshot, desk);
    wanted
}

/// The layers that belong to the step shown, beside those of the whole episode.
fn layers_of_step(snapshot: &Snapshot, desk: &Desk) -> Vec<Overlay> {
    let mut layers = snapshot.thoughts.overlays(&snapshot.moments, desk.shown);
    layers.extend(overlay::of_history(&snapshot.moments, desk.shown));
    if let Some(path) = &snapshot.walk {
        layers.push(overlay::of_walk(path));
    }
    if desk.layer_on(overlay::HERE, false)
        && let (Some(stage), Some(episode), Some(rule), Some(moment)) =
            (&snapshot.stage, &snapshot.episode, &snapshot.rule, snapshot.moments.get(desk.shown))
    {
        let mut query = NavQuery::new(Arc::clone(&stage.navmesh));
        layers.push(overlay::of_place(&mut query, episode, rule, moment));
    }
    layers
}

fn toolbar(ui: &mut Ui, snapshot: &Snapshot, desk: &mut Desk, out: &mut Vec<Command>) {
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
            .on_hover_text("height of the cut over the robot's floor");
        } else {
            ui.label(
                RichText::new("drag turns, right drag moves, wheel zooms, Home shows all")
                    .weak()
                    .small(),
            );
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
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

fn steer(response: &egui::Response, desk: &mut Desk, ui: &Ui) {
    let by = response.drag_delta();
    if response.dragged_by(PointerButton::Primary) {
        desk.camera.turn(by.x, by.y);
    } else if response.dragged_by(PointerButton::Secondary) || response.dragged_by(PointerButton::Middle)
    {
        desk.camera.shift(by.x, by.y, response.rect.width());
    }
    if response.hovered() {
        let scroll = ui.input(|input| input.smooth_scroll_delta().y);
        if scroll != 0.0 {
            desk.camera.zoom(scroll / 40.0);
        }
    }
}

/// What the pointer is on, and what a click there does.
fn point(
    ui: &Ui,
    response: &egui::Response,
    view: &View<'_>,
    area: Rect,
    snapshot: &Snapshot,
    desk: &mut Desk,
    out: &mut Vec<Command>,
) {
    let Some(at) = response.hover_pos().filter(|at| area.contains(*at)) else { return };
    let width = desk.eye.as_ref().map_or(1.0, |eye| eye.spec.width as f32);
    let scale = width / area.width().max(1.0);
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
    let text = format!("{text}\n{:.2}, {:.2}, {:.2} m", place.x, place.y, place.z);
    let font = FontId::proportional(12.0);
    let painter = ui.painter_at(area);
    let galley = painter.layout_no_wrap(text, font, Color32::WHITE);
    let by = Vec2::new(14.0, 10.0);
    let plate = Rect::from_min_size(at + by, galley.size() + Vec2::new(8.0, 4.0));
    let plate = plate.translate((area.right_bottom() - plate.right_bottom()).min(Vec2::ZERO));
    painter.rect_filled(plate, 3.0, Color32::from_black_alpha(190));
    painter.galley(plate.min + Vec2::new(4.0, 2.0), galley, Color32::WHITE);
    if response.clicked() {
        let floor = instance.is_none_or(|it| {
            matches!(stage.scene.category_name(it.category), "floor" | "rug" | "stairs" | "")
        });
        let mut query = NavQuery::new(Arc::clone(&stage.navmesh));
        let near = query.snap(place).is_ok_and(|snap| snap.point.distance(place) < 0.35);
        if floor && near {
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

/// Where other things stand, so that no label is under them.
fn free_corners(area: Rect, snapshot: &Snapshot, desk: &Desk) -> Vec<Rect> {
    let mut rects = Vec::new();
    if desk.inset && desk.camera.mode != CameraMode::Above {
        rects.push(Align2::RIGHT_TOP.align_size_within_rect(Vec2::splat(226.0), area));
    }
    if desk.camera.mode != CameraMode::Eyes {
        rects.push(Align2::LEFT_BOTTOM.align_size_within_rect(Vec2::new(280.0, 150.0), area));
    }
    if snapshot.ending.is_some() || snapshot.invalid.is_some() {
        rects.push(Align2::CENTER_TOP.align_size_within_rect(Vec2::new(460.0, 50.0), area));
    }
    rects
}

/// What the colours mean, of those layers that are shown.
fn legend(ui: &Ui, area: Rect, layers: &[&Overlay]) {
    let painter = ui.painter_at(area);
    let font = FontId::proportional(11.0);
    let mut y = area.bottom() - 8.0;
    for layer in layers.iter().rev().filter(|layer| !layer.marks.is_empty()) {
        let galley = painter.layout_no_wrap(layer.title.clone(), font.clone(), Color32::from_gray(230));
        let plate = Rect::from_min_max(
            pos2(area.right() - 34.0 - galley.size().x, y - 18.0),
            pos2(area.right() - 8.0, y),
        );
        painter.rect_filled(plate, 2.0, Color32::from_black_alpha(150));
        let color = Color32::from_rgb(layer.color[0], layer.color[1], layer.color[2]);
        let dot =
            Rect::from_center_size(pos2(plate.left() + 10.0, plate.center().y), Vec2::new(10.0, 4.0));
        painter.rect_filled(dot, 1.0, color);
        painter.galley(
            pos2(plate.left() + 20.0, plate.center().y - galley.size().y * 0.5),
            galley,
            Color32::WHITE,
        );
        y -= 19.0;
    }
}

/// How the episode ended, in words and a colour.
fn banner(ui: &Ui, area: Rect, snapshot: &Snapshot, desk: &Desk) {
    let success_m = snapshot.rule.as_ref().map_or(0.0, |rule| rule.distance_m);
    let ended = snapshot.ending_at(desk.shown).filter(|_| !snapshot.moments.is_empty());
    let (text, color) = match (&snapshot.invalid, ended) {
        (Some(reason), _) => (format!("INVALID: {reason}"), Color32::from_rgb(230, 159, 0)),
        (None, Some(Ending::Success)) => {
            let scores = snapshot.moments.get(desk.shown).map_or([0.0; 3], |moment| moment.scores);
            (format!("SUCCESS   SPL {:.3}", scores[1]), Color32::from_rgb(0, 158, 115))
        }
        (None, Some(Ending::StoppedAway(Some(metres)))) => (
            format!("FAILED: stopped {metres:.2} m from the goal, needs less than {success_m:.2} m"),
            Color32::from_rgb(213, 94, 0),
        ),
        (None, Some(Ending::StoppedAway(None))) => {
            ("FAILED: stopped where no way leads to the goal".to_owned(), Color32::from_rgb(213, 94, 0))
        }
        (None, Some(Ending::Limit)) => (
            format!("FAILED: no stop within {} steps", snapshot.step_limit),
            Color32::from_rgb(213, 94, 0),
        ),
        (None, None) => return,
    };
    let painter = ui.painter_at(area);
    let galley = painter.layout(text, FontId::proportional(16.0), Color32::WHITE, area.width() * 0.8);
    let plate = Align2::CENTER_TOP.align_size_within_rect(
        galley.size() + Vec2::new(24.0, 12.0),
        area.shrink2(Vec2::new(0.0, 10.0)),
    );
    painter.rect_filled(plate, 4.0, color.gamma_multiply(0.9));
    painter.rect_stroke(plate, 4.0, Stroke::new(1.0, Color32::BLACK), StrokeKind::Inside);
    painter.galley(plate.min + Vec2::new(12.0, 6.0), galley, Color32::WHITE);
}
