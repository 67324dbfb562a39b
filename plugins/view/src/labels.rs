use bevy_egui::egui::{Align2, Color32, FontId, Painter, Pos2, Rect, Stroke, StrokeKind, Vec2};

/// The most labels at a time.
const MOST: usize = 40;

/// Labels of a picture: placed one after the other, never over each other.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    taken: Vec<Rect>,
}

impl Labels {
    /// Writes a label beside a point, where there is room; says whether there was.
    pub fn put(&mut self, painter: &Painter, at: Pos2, text: &str, color: Color32) -> bool {
        if self.taken.len() >= MOST {
            return false;
        }
        let ink = Color32::from_gray(240);
        let galley = painter.layout_no_wrap(text.to_owned(), FontId::proportional(12.0), ink);
        let size = galley.size() + Vec2::new(8.0, 4.0);
        let away = 6.0;
        let places = [
            (Align2::CENTER_BOTTOM, Vec2::new(0.0, -away)),
            (Align2::LEFT_CENTER, Vec2::new(away, 0.0)),
            (Align2::RIGHT_CENTER, Vec2::new(-away, 0.0)),
            (Align2::CENTER_TOP, Vec2::new(0.0, away)),
        ];
        let free = places.into_iter().map(|(align, by)| align.anchor_size(at + by, size)).find(|rect| {
            painter.clip_rect().contains_rect(*rect)
                && !self.taken.iter().any(|other| other.intersects(*rect))
        });
        let Some(rect) = free else { return false };
        painter.rect_filled(rect, 3.0, Color32::from_black_alpha(180));
        painter.rect_stroke(rect, 3.0, Stroke::new(1.0, color), StrokeKind::Inside);
        painter.galley(rect.min + Vec2::new(4.0, 2.0), galley, ink);
        self.taken.push(rect);
        true
    }

    /// Keeps a part of the picture free of labels.
    pub fn keep_free(&mut self, rect: Rect) {
        self.taken.push(rect);
    }
}
