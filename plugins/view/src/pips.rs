//! What the robot's first camera sees, small, in the main view.

use crate::Gallery;
use ambler_session::{Desk, Snapshot, WishKey};
use bevy_egui::egui::{Align2, Color32, FontId, Rect, Stroke, StrokeKind, Ui, Vec2, pos2};

/// Width of a picture, points.
const WIDTH: f32 = 128.0;

/// Draws colour and depth into the lower left corner of `area`; returns what they cover.
pub(crate) fn show(
    ui: &mut Ui,
    area: Rect,
    snapshot: &Snapshot,
    desk: &Desk,
    gallery: &Gallery,
) -> Option<Rect> {
    let painting = gallery.painting(WishKey::Sensor(0))?;
    let mut left = area.left() + 8.0;
    let mut covered: Option<Rect> = None;
    for name in ["rgb", "depth"] {
        let shown = gallery.picture(WishKey::Sensor(0), name)?;
        let [width, height] = shown.size.map(|side| side as f32);
        let size = Vec2::new(WIDTH, WIDTH * height / width.max(1.0));
        let rect = Rect::from_min_size(pos2(left, area.bottom() - 8.0 - size.y), size);
        let painter = ui.painter_at(rect);
        let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        painter.image(shown.texture, rect, whole, Color32::WHITE);
        if name == "rgb" {
            let scale = WIDTH / width.max(1.0);
            for found in snapshot.thoughts.boxes(&painting.eye.spec.name, desk.shown) {
                let [x0, y0, x1, y1] = found.pixels.map(|side| side as f32 * scale);
                let place = Rect::from_min_max(pos2(x0, y0), pos2(x1, y1)).translate(rect.min.to_vec2());
                let line = if found.wanted { 2.0 } else { 1.0 };
                painter.rect_stroke(
                    place,
                    0.0,
                    Stroke::new(line, Color32::from_rgb(230, 159, 0)),
                    StrokeKind::Inside,
                );
            }
        }
        let stale = painting.step != desk.shown;
        let frame = if stale { Color32::from_rgb(230, 159, 0) } else { Color32::from_gray(120) };
        painter.rect_stroke(
            rect,
            0.0,
            Stroke::new(if stale { 2.0 } else { 1.0 }, frame),
            StrokeKind::Inside,
        );
        let text = if stale { format!("{name} · step {}", painting.step) } else { name.to_owned() };
        let font = FontId::proportional(11.0);
        let at = rect.left_top() + Vec2::new(5.0, 3.0);
        painter.text(at + Vec2::splat(1.0), Align2::LEFT_TOP, &text, font.clone(), Color32::BLACK);
        painter.text(at, Align2::LEFT_TOP, &text, font, Color32::WHITE);
        covered = Some(covered.map_or(rect, |other| other.union(rect)));
        left += WIDTH + 6.0;
    }
    covered
}
