//! The main view.

use crate::{Gallery, Labels, inset, paint, pips, point, toolbar};
use ambler_body::Action;
use ambler_navmesh::NavQuery;
use ambler_session::overlay::{self, Overlay};
use ambler_session::{Beside, CameraMode, Command, Desk, Ending, Snapshot, View, WishKey, short_name};
use bevy_egui::egui::{
    self, Align2, Color32, FontId, PointerButton, Rect, Sense, Stroke, StrokeKind, Ui, Vec2, pos2,
};
use std::sync::Arc;

/// Draws the toolbar, the picture or two side by side, what is over them, and takes drags and clicks. Returns
/// the size in pixels that a picture should have.
pub fn show_main(
    ui: &mut Ui,
    snapshot: &Snapshot,
    desk: &mut Desk,
    gallery: &Gallery,
    out: &mut Vec<Command>,
) -> [u32; 2] {
    toolbar::show(ui, snapshot, desk, out);
    let (response, painter) = ui.allocate_painter(ui.available_size(), Sense::click_and_drag());
    let whole = response.rect;
    painter.rect_filled(whole, 0.0, Color32::from_rgb(20, 21, 24));
    steer(&response, desk, ui);
    let [area, other] = match &snapshot.beside {
        None => [whole, Rect::NOTHING],
        Some(_) => {
            let width = (whole.width() - 4.0) * 0.5;
            let left = Rect::from_min_size(whole.min, Vec2::new(width, whole.height()));
            [left, left.translate(Vec2::new(width + 4.0, 0.0))]
        }
    };
    let factor = ui.ctx().pixels_per_point();
    let wanted = [(area.width() * factor) as u32, (area.height() * factor) as u32];
    let of_step = layers_of_step(snapshot, desk);
    // In the order in which they are drawn.
    let layers = snapshot.layers.iter().chain(&of_step);
    let on: Vec<&Overlay> = layers.filter(|layer| desk.layer_on(&layer.key, layer.shown)).collect();
    let flat = desk.camera.mode == CameraMode::Above;
    let band = desk.band(snapshot).filter(|_| match desk.camera.mode {
        CameraMode::Above | CameraMode::Orbit => true,
        CameraMode::Fly => desk.floor.is_some(),
        CameraMode::Eyes | CameraMode::Chase => false,
    });
    let mut labels = Labels::default();
    free_corners(area, snapshot, desk).into_iter().for_each(|rect| labels.keep_free(rect));
    if !pane(ui, area, WishKey::Main, gallery, &on, band, flat, &mut labels) {
        let text = snapshot.working.clone().unwrap_or_else(|| match &snapshot.invalid {
            Some(reason) => format!("nothing to show: {reason}"),
            None => "drawing …".to_owned(),
        });
        let font = FontId::proportional(16.0);
        painter.text(area.center(), Align2::CENTER_CENTER, text, font, Color32::from_gray(170));
    }
    if let Some(beside) = &snapshot.beside {
        let there = layers_beside(snapshot, desk, beside);
        let fixed = snapshot.layers.iter().chain(&there);
        let on: Vec<&Overlay> = fixed.filter(|layer| desk.layer_on(&layer.key, layer.shown)).collect();
        let mut labels = Labels::default();
        pane(ui, other, WishKey::Beside, gallery, &on, band, flat, &mut labels);
        heads(ui, [area, other], snapshot, desk, beside);
    }
    point::show(
        ui,
        &response,
        [(area, WishKey::Main), (other, WishKey::Beside)],
        snapshot,
        desk,
        gallery,
        out,
    );
    if desk.inset && !flat && snapshot.beside.is_none() {
        inset::show(ui, area, snapshot, desk, gallery, &on, out);
    }
    if desk.camera.mode != CameraMode::Eyes && snapshot.beside.is_none() {
        pips::show(ui, area, snapshot, desk, gallery);
    }
    legend(ui, area, &on);
    if snapshot.beside.is_none() {
        banner(ui, area, snapshot, desk);
    }
    wanted
}

/// One picture with its layers; says whether there is one.
fn pane(
    ui: &Ui,
    area: Rect,
    key: WishKey,
    gallery: &Gallery,
    layers: &[&Overlay],
    band: Option<[f32; 2]>,
    flat: bool,
    labels: &mut Labels,
) -> bool {
    let (Some(shown), Some(painting)) = (gallery.picture(key, "rgb"), gallery.painting(key)) else {
        return false;
    };
    let painter = ui.painter_at(area);
    let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
    painter.image(shown.texture, area, whole, Color32::WHITE);
    if let Some(view) = View::new(&painting.eye, &painting.frame) {
        paint(&painter, &view, area, painting.eye.spec.width, !flat, band, layers, labels);
    }
    true
}

/// Colours of the two ways: the present one, and the one beside it.
pub(crate) const WAYS: [Color32; 2] = [Color32::from_rgb(86, 180, 233), Color32::from_rgb(230, 159, 0)];

/// What each of two pictures shows.
fn heads(ui: &Ui, areas: [Rect; 2], snapshot: &Snapshot, desk: &Desk, beside: &Beside) {
    let success_m = snapshot.rule.as_ref().map_or(0.0, |rule| rule.distance_m);
    let ways = [(&snapshot.actor, &snapshot.moments), (&beside.actor, &beside.moments)];
    for (index, (actor, moments)) in ways.into_iter().enumerate() {
        let last = moments.len().saturating_sub(1);
        let step = desk.time().min(last);
        let Some(moment) = moments.get(step) else { continue };
        let far = moment
            .distance_m
            .map_or("no way to the goal".to_owned(), |m| format!("{m:.2} m to the goal"));
        let ended = match (step == last, moment.action) {
            (true, Some(Action::Stop)) if moment.within(success_m) => "   SUCCESS",
            (true, Some(Action::Stop)) => "   FAILED",
            (true, _) if last >= snapshot.step_limit as usize => "   FAILED",
            (true, _) if desk.time() > last => "   over",
            _ => "",
        };
        let name = ["A", "B"][index];
        let actor = short_name(actor);
        let text = format!("{name}  {actor}   step {step} of {last}   {far}{ended}");
        let painter = ui.painter_at(areas[index]);
        let galley = painter.layout_no_wrap(text, FontId::proportional(13.0), Color32::WHITE);
        let plate = Rect::from_min_size(
            areas[index].min + Vec2::splat(6.0),
            galley.size() + Vec2::new(20.0, 8.0),
        );
        painter.rect_filled(plate, 3.0, Color32::from_black_alpha(200));
        let edge = Rect::from_min_size(plate.min, Vec2::new(5.0, plate.height()));
        painter.rect_filled(edge, 0.0, WAYS[index]);
        painter.galley(plate.min + Vec2::new(12.0, 4.0), galley, Color32::WHITE);
        let parted = beside.parts_at().is_some_and(|at| desk.time() > at);
        let frame = if parted { PARTED } else { Color32::from_gray(90) };
        painter.rect_stroke(areas[index], 0.0, Stroke::new(1.5, frame), StrokeKind::Inside);
    }
}

/// The colour of a divergence.
const PARTED: Color32 = Color32::from_rgb(213, 94, 0);

/// The layers of the way beside, at the time shown.
fn layers_beside(snapshot: &Snapshot, desk: &Desk, beside: &Beside) -> Vec<Overlay> {
    let step = desk.time().min(beside.last());
    let mut layers = beside.thoughts.overlays(&beside.moments, step);
    layers.extend(overlay::of_history(&beside.moments, step));
    layers.push(overlay::of_other_way(&snapshot.moments, desk.shown, beside.parts_at(), [86, 180, 233]));
    layers
}

/// The layers that belong to the step shown, beside those of the whole episode.
fn layers_of_step(snapshot: &Snapshot, desk: &Desk) -> Vec<Overlay> {
    let mut layers = snapshot.thoughts.overlays(&snapshot.moments, desk.shown);
    layers.extend(overlay::of_history(&snapshot.moments, desk.shown));
    if let Some(beside) = &snapshot.beside {
        let step = desk.time().min(beside.last());
        layers.push(overlay::of_other_way(&beside.moments, step, beside.parts_at(), [230, 159, 0]));
    }
    let selected = desk.selected.zip(snapshot.stage.as_ref());
    if let Some(instance) = selected.and_then(|(id, stage)| stage.scene.instance(id)) {
        layers.push(overlay::of_thing(instance, snapshot.hand.moved.get(instance.id)));
    }
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

fn steer(response: &egui::Response, desk: &mut Desk, ui: &Ui) {
    let by = response.drag_delta();
    // In flight the right button looks around too, as in other programs.
    let flies = desk.camera.mode == CameraMode::Fly;
    desk.moving |= response.dragged() && by != Vec2::ZERO;
    if response.dragged_by(PointerButton::Primary)
        || (flies && response.dragged_by(PointerButton::Secondary))
    {
        desk.camera.turn(by.x, by.y);
    } else if response.dragged_by(PointerButton::Secondary) || response.dragged_by(PointerButton::Middle)
    {
        desk.camera.shift(by.x, by.y, response.rect.width());
    }
    if response.hovered() {
        let scroll = ui.input(|input| input.smooth_scroll_delta().y);
        if scroll != 0.0 {
            desk.camera.zoom(scroll / 40.0);
            desk.moving = true;
        }
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
    if snapshot.ending.is_some() || snapshot.invalid.is_some() || snapshot.hand.touched {
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
    let ended = ended.filter(|_| !snapshot.hand.touched);
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
        (None, None) if snapshot.hand.touched => {
            ("NOT SCORED: objects were moved by hand".to_owned(), Color32::from_rgb(204, 121, 167))
        }
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
