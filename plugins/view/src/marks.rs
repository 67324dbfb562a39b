//! Marks over a picture.

use crate::Labels;
use ambler_geometry::Vec3;
use ambler_session::overlay::{Mark, Overlay, Stroke as Dash};
use ambler_session::{Projected, View};
use bevy_egui::egui::epaint::{Mesh, Vertex, WHITE_UV};
use bevy_egui::egui::{Color32, Painter, Pos2, Rect, Shape, Stroke, pos2};

/// Lines are cut into pieces of at most this, so that each piece is hidden or not, metres.
const PIECE_M: f32 = 0.12;
/// The most pieces of one line.
const MOST_PIECES: usize = 400;
/// What lies this much behind the surface seen still counts as on it, metres.
const SLACK_M: f32 = 0.1;
/// Colours of islands and the like.
const SLOTS: [[u8; 3]; 6] =
    [[86, 180, 233], [230, 159, 0], [0, 158, 115], [204, 121, 167], [240, 228, 66], [213, 94, 0]];

/// Where marks are painted.
struct Over<'a> {
    painter: &'a Painter,
    view: &'a View<'a>,
    rect: Rect,
    scale: f32,
    /// What is behind something is drawn faintly; else everything is drawn alike.
    hides: bool,
    /// Heights between which marks are drawn, metres.
    band: [f32; 2],
}

impl Over<'_> {
    fn at(&self, point: Projected) -> Pos2 {
        pos2(self.rect.left() + point.x * self.scale, self.rect.top() + point.y * self.scale)
    }

    fn seen(&self, point: Projected) -> bool {
        !self.hides || self.view.visible(point, SLACK_M)
    }

    fn on_floor(&self, at: Vec3) -> bool {
        at.y >= self.band[0] && at.y <= self.band[1]
    }

    fn line(&self, from: Vec3, to: Vec3, width: f32, color: Color32, dash: Dash, walked: f32) {
        if !self.on_floor(from) && !self.on_floor(to) {
            return;
        }
        let length = from.distance(to);
        let pieces = ((length / PIECE_M).ceil() as usize).clamp(1, MOST_PIECES);
        for piece in 0..pieces {
            let along = |index: usize| index as f32 / pieces as f32;
            let [a, b] = [along(piece), along(piece + 1)].map(|share| from.lerp(to, share));
            let place = walked + length * along(piece);
            match dash {
                Dash::Solid => {}
                Dash::Dashed if (place / 0.12) as i64 % 3 == 2 => continue,
                Dash::Dotted if (place / 0.12) as i64 % 2 == 1 => continue,
                Dash::Dashed | Dash::Dotted => {}
            }
            let Some([a, b]) = self.view.segment(a, b) else { continue };
            let seen = self.seen(b);
            let (a, b) = (self.at(a), self.at(b));
            if !self.rect.expand(50.0).intersects(Rect::from_two_pos(a, b)) {
                continue;
            }
            if seen {
                self.painter
                    .line_segment([a, b], Stroke::new(width + 1.5, Color32::from_black_alpha(110)));
                self.painter.line_segment([a, b], Stroke::new(width, color));
            } else {
                self.painter.line_segment([a, b], Stroke::new(1.0, color.gamma_multiply(0.35)));
            }
        }
    }
}

/// Paints layers over the picture that `view` is about, which fills `rect`: what is at heights in `band`.
pub fn paint(
    painter: &Painter,
    view: &View<'_>,
    rect: Rect,
    pixels_across: u32,
    hides: bool,
    band: Option<[f32; 2]>,
    layers: &[&Overlay],
    labels: &mut Labels,
) {
    let scale = rect.width() / pixels_across.max(1) as f32;
    let band = band.unwrap_or([f32::NEG_INFINITY, f32::INFINITY]);
    let over = Over { painter, view, rect, scale, hides, band };
    for layer in layers {
        fills(&over, layer);
    }
    for layer in layers {
        let color = Color32::from_rgb(layer.color[0], layer.color[1], layer.color[2]);
        for mark in &layer.marks {
            one(&over, mark, color, layer.stroke, labels);
        }
    }
}

fn fills(over: &Over<'_>, layer: &Overlay) {
    let mut mesh = Mesh::default();
    for mark in &layer.marks {
        let (polygon, color, edged) = match mark {
            Mark::Fill([at, ..], _) | Mark::Area([at, ..], _) if !over.on_floor(*at) => continue,
            Mark::Fill(corners, slot) => {
                let [r, g, b] = SLOTS[slot % SLOTS.len()];
                (
                    over.view.polygon(corners),
                    Color32::from_rgba_unmultiplied(r, g, b, 90),
                    Some([r, g, b]),
                )
            }
            Mark::Area(corners, [r, g, b, alpha]) => {
                (over.view.polygon(corners), Color32::from_rgba_unmultiplied(*r, *g, *b, *alpha), None)
            }
            _ => continue,
        };
        if polygon.len() < 3 || (over.hides && !polygon.iter().any(|&corner| over.seen(corner))) {
            continue;
        }
        let first = mesh.vertices.len() as u32;
        for &corner in &polygon {
            mesh.vertices.push(Vertex { pos: over.at(corner), uv: WHITE_UV, color });
        }
        for corner in 1..polygon.len() as u32 - 1 {
            mesh.add_triangle(first, first + corner, first + corner + 1);
        }
        if let Some([r, g, b]) = edged {
            let edge = Stroke::new(0.5, Color32::from_rgba_unmultiplied(r, g, b, 160));
            let corners = polygon.iter().map(|&corner| over.at(corner)).collect();
            over.painter.add(Shape::closed_line(corners, edge));
        }
    }
    if !mesh.is_empty() {
        over.painter.add(Shape::mesh(mesh));
    }
}

fn one(over: &Over<'_>, mark: &Mark, color: Color32, dash: Dash, labels: &mut Labels) {
    match mark {
        Mark::Fill(..) | Mark::Area(..) => {}
        Mark::Dot(at) | Mark::Cross(at) | Mark::Label(at, _) | Mark::Ring(at, _)
            if !over.on_floor(*at) => {}
        Mark::Line { points, closed } => {
            let last = closed.then(|| points.first()).flatten();
            let mut walked = 0.0;
            for (&from, &to) in points.iter().zip(points.iter().skip(1).chain(last)) {
                over.line(from, to, 2.0, color, dash, walked);
                walked += from.distance(to);
            }
        }
        Mark::Timed(points) => {
            let count = points.len().max(2) - 1;
            for (index, pair) in points.windows(2).enumerate() {
                let color = timed(index as f32 / count as f32);
                over.line(pair[0], pair[1], 3.0, color, Dash::Solid, 0.0);
            }
        }
        Mark::Dot(at) => {
            if let Some(at) = over.view.project(*at).filter(|&at| over.seen(at)) {
                over.painter.circle_filled(over.at(at), 1.6, color.gamma_multiply(0.8));
            }
        }
        Mark::Ring(middle, radius) => {
            let corner = |index: i32| {
                let angle = index as f32 / 24.0 * std::f32::consts::TAU;
                *middle + Vec3::new(angle.cos(), 0.0, angle.sin()) * *radius
            };
            for index in 0..24 {
                over.line(corner(index), corner(index + 1), 2.0, color, dash, 0.0);
            }
        }
        Mark::Cross(at) => {
            if let Some(at) = over.view.project(*at) {
                let color = if over.seen(at) { color } else { color.gamma_multiply(0.45) };
                let (middle, arm) = (over.at(at), 6.0);
                for side in [1.0, -1.0] {
                    let by = bevy_egui::egui::Vec2::new(arm, arm * side);
                    over.painter.line_segment(
                        [middle - by, middle + by],
                        Stroke::new(5.0, Color32::from_black_alpha(140)),
                    );
                    over.painter.line_segment([middle - by, middle + by], Stroke::new(2.5, color));
                }
            }
        }
        Mark::Label(at, text) => {
            if let Some(at) = over.view.project(*at) {
                let at = over.at(at);
                if over.rect.contains(at) {
                    labels.put(over.painter, at, text, color);
                }
            }
        }
    }
}

/// Viridis, roughly: dark violet, blue, green, yellow.
fn timed(share: f32) -> Color32 {
    const STOPS: [[f32; 3]; 5] = [
        [92.0, 40.0, 130.0],
        [59.0, 82.0, 139.0],
        [33.0, 145.0, 140.0],
        [94.0, 201.0, 98.0],
        [253.0, 231.0, 37.0],
    ];
    let place = share.clamp(0.0, 1.0) * (STOPS.len() - 1) as f32;
    let index = (place as usize).min(STOPS.len() - 2);
    let part = place - index as f32;
    let mix = |channel: usize| STOPS[index][channel] * (1.0 - part) + STOPS[index + 1][channel] * part;
    Color32::from_rgb(mix(0) as u8, mix(1) as u8, mix(2) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_runs_from_dark_to_light() {
        let light = |share| {
            let color = timed(share);
            u32::from(color.r()) + u32::from(color.g()) + u32::from(color.b())
        };
        assert!(light(0.0) < light(0.5) && light(0.5) < light(1.0));
        assert_eq!(timed(2.0), timed(1.0));
    }
}
