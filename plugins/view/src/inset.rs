//! The map in the corner.

use crate::{Gallery, Labels, paint};
use ambler_session::overlay::Overlay;
use ambler_session::{Command, Desk, Snapshot, View, WishKey};
use bevy_egui::egui::{Align2, Color32, FontId, Rect, Sense, Shape, Stroke, StrokeKind, Ui, Vec2, pos2};

/// The most of the main view that the map covers.
const SIDE: f32 = 210.0;

/// Draws the map into the upper right corner of `area`; returns what it covers.
pub(crate) fn show(
    ui: &mut Ui,
    area: Rect,
    snapshot: &Snapshot,
    desk: &Desk,
    gallery: &Gallery,
    layers: &[&Overlay],
    out: &mut Vec<Command>,
) -> Option<Rect> {
    let (shown, painting) = (gallery.picture(WishKey::Map, "rgb")?, gallery.painting(WishKey::Map)?);
    let moment = snapshot.moments.get(desk.shown)?;
    let [width, height] = shown.size.map(|side| side as f32);
    let scale = SIDE / width.max(height);
    let size = Vec2::new(width, height) * scale;
    let rect = Align2::RIGHT_TOP.align_size_within_rect(size, area.shrink(8.0));
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 0.0, Color32::from_black_alpha(200));
    let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
    painter.image(shown.texture, rect, whole, Color32::WHITE);
    let view = View::new(&painting.eye, &painting.frame)?;
    // Names have no room here.
    let mut labels = Labels::default();
    labels.keep_free(rect);
    let band = desk.band(snapshot);
    paint(&painter, &view, rect, painting.eye.spec.width, false, band, layers, &mut labels);
    if let Some(at) = view.project(moment.pose.position) {
        let middle = pos2(rect.left() + at.x * scale, rect.top() + at.y * scale);
        let yaw = moment.pose.heading.yaw() as f32;
        let point = |angle: f32, far: f32| {
            let angle = yaw + angle;
            middle + Vec2::new(-angle.sin(), -angle.cos()) * far
        };
        let corners = vec![point(0.0, 10.0), point(2.5, 7.0), point(-2.5, 7.0)];
        painter.add(Shape::convex_polygon(corners, Color32::WHITE, Stroke::new(1.5, Color32::BLACK)));
    }
    painter.rect_stroke(rect, 0.0, Stroke::new(1.0, Color32::from_gray(120)), StrokeKind::Inside);
    painter.text(
        rect.left_top() + Vec2::new(5.0, 3.0),
        Align2::LEFT_TOP,
        "N",
        FontId::proportional(11.0),
        Color32::WHITE,
    );
    let response = ui.interact(rect, ui.id().with("inset"), Sense::click());
    if response.clicked()
        && let Some(at) = response.interact_pointer_pos()
    {
        let local = (at - rect.min) / scale;
        let depth = painting.eye.world_from_camera.translation.y - moment.pose.position.y;
        let to = painting.eye.spec.unproject_to_world(
            &painting.eye.world_from_camera,
            f64::from(local.x),
            f64::from(local.y),
            f64::from(depth),
        );
        out.push(Command::WalkTo(to.as_vec3()));
    }
    response.on_hover_text("click: walk there (M hides the map)");
    Some(rect)
}
