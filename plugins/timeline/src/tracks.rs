//! Ruler, events and the curve of the distance to the goal.

use crate::Scale;
use ambler_session::{Command, Desk, EventKind, Moment, Snapshot};
use bevy_egui::egui::{
    Align2, Color32, FontId, Painter, Pos2, Rect, Sense, Shape, Stroke, StrokeKind, Ui, Vec2, pos2,
};

/// Width of the names at the left, points.
const NAMES: f32 = 62.0;
const RULER: f32 = 20.0;
const EVENTS: f32 = 18.0;

pub(crate) fn color_of(kind: EventKind) -> Color32 {
    match kind {
        EventKind::Collision => Color32::from_rgb(213, 94, 0),
        EventKind::Stop => Color32::from_rgb(240, 228, 66),
        EventKind::NearGoal => Color32::from_rgb(0, 158, 115),
        EventKind::Agent => Color32::from_rgb(86, 180, 233),
    }
}

/// A kind's glyph; a dot without one.
fn glyph_of(kind: EventKind) -> Option<&'static str> {
    match kind {
        EventKind::Collision => Some("✖"),
        EventKind::Stop => Some("■"),
        EventKind::NearGoal => Some("★"),
        EventKind::Agent => None,
    }
}

pub(crate) fn show(ui: &mut Ui, snapshot: &Snapshot, desk: &Desk, out: &mut Vec<Command>) {
    let size = Vec2::new(ui.available_width(), ui.available_height().max(60.0));
    let (response, painter) = ui.allocate_painter(size, Sense::click_and_drag());
    let area = response.rect;
    let own = snapshot.moments.len().saturating_sub(1);
    let last = snapshot.beside.as_ref().map_or(own, |beside| beside.last().max(own));
    let scale = Scale { left: area.left() + NAMES, right: area.right() - 12.0, last };
    let events = || snapshot.events.iter().map(|event| event.step);
    if let Some(at) = response.interact_pointer_pos()
        && (response.dragged() || response.clicked())
    {
        let step = scale.step(at.x, events());
        if step != desk.time() {
            out.push(Command::GoTo(step));
        }
    }
    let visuals = ui.visuals().clone();
    let ink = visuals.weak_text_color();
    let font = FontId::proportional(11.0);
    ruler(&painter, area, scale, ink, &font);
    name(&painter, area.left(), area.top() + RULER + EVENTS * 0.5, "events", ink, &font);
    for event in snapshot.events.iter() {
        let at = pos2(scale.x(event.step), area.top() + RULER + EVENTS * 0.5);
        let color = color_of(event.kind);
        match glyph_of(event.kind) {
            Some(glyph) => {
                painter.text(at, Align2::CENTER_CENTER, glyph, FontId::proportional(12.0), color);
            }
            None => {
                painter.circle_filled(at, 3.5, color);
            }
        }
    }
    let curve = Rect::from_min_max(
        pos2(scale.left, area.top() + RULER + EVENTS),
        pos2(scale.right, area.bottom() - 6.0),
    );
    distance(&painter, curve, scale, snapshot, ink, &font, area.left());
    if snapshot.moments.is_empty() {
        return;
    }
    if let Some(at) = snapshot.beside.as_ref().and_then(|beside| beside.parts_at()) {
        parting(&painter, area, scale.x(at), &font);
    }
    let x = scale.x(desk.time());
    let cursor = visuals.strong_text_color();
    painter.line_segment([pos2(x, area.top() + 2.0), pos2(x, area.bottom())], Stroke::new(1.5, cursor));
    let head = [pos2(x - 5.0, area.top()), pos2(x + 5.0, area.top()), pos2(x, area.top() + 8.0)];
    painter.add(Shape::convex_polygon(head.to_vec(), cursor, Stroke::NONE));
    if let Some(at) = response.hover_pos()
        && at.x >= scale.left - 8.0
    {
        let step = scale.step(at.x, events());
        let told: Vec<&str> = snapshot
            .events
            .iter()
            .filter(|event| event.step == step)
            .map(|event| event.text.as_str())
            .collect();
        let far = snapshot.moments.get(step).and_then(|moment| moment.distance_m);
        let far =
            far.map_or("no way to the goal".to_owned(), |metres| format!("{metres:.2} m to the goal"));
        response.on_hover_text_at_pointer(format!("step {step}: {far}\n{}", told.join("\n")).trim_end());
    }
}

/// Where two ways part.
fn parting(painter: &Painter, area: Rect, x: f32, font: &FontId) {
    let color = Color32::from_rgb(213, 94, 0);
    let ends = [pos2(x, area.top() + RULER), pos2(x, area.bottom())];
    painter.extend(Shape::dashed_line(&ends, Stroke::new(2.0, color), 5.0, 3.0));
    let at = pos2(x + 4.0, area.bottom() - 6.0);
    painter.text(at, Align2::LEFT_BOTTOM, "≠ the ways part", font.clone(), color);
}

fn name(painter: &Painter, left: f32, y: f32, text: &str, ink: Color32, font: &FontId) {
    painter.text(pos2(left + 4.0, y), Align2::LEFT_CENTER, text, font.clone(), ink);
}

fn ruler(painter: &Painter, area: Rect, scale: Scale, ink: Color32, font: &FontId) {
    name(painter, area.left(), area.top() + RULER * 0.5, "step", ink, font);
    let tick = scale.tick(42.0);
    for step in (0..=scale.last).step_by(tick) {
        let x = scale.x(step);
        painter.line_segment(
            [pos2(x, area.top() + RULER - 5.0), pos2(x, area.top() + RULER)],
            Stroke::new(1.0, ink),
        );
        painter.text(pos2(x, area.top() + RULER - 6.0), Align2::CENTER_BOTTOM, step, font.clone(), ink);
    }
    painter.line_segment(
        [pos2(scale.left, area.top() + RULER), pos2(scale.right, area.top() + RULER)],
        Stroke::new(1.0, ink),
    );
}

fn distance(
    painter: &Painter,
    area: Rect,
    scale: Scale,
    snapshot: &Snapshot,
    ink: Color32,
    font: &FontId,
    left: f32,
) {
    name(painter, left, area.top() + 8.0, "to goal", ink, font);
    let other = snapshot.beside.as_ref().map_or(&[][..], |beside| &beside.moments[..]);
    let all = snapshot.moments.iter().chain(other);
    let most = all.filter_map(|moment| moment.distance_m).fold(0.0, f64::max);
    name(painter, left, area.top() + 22.0, &format!("0–{most:.1} m"), ink, font);
    painter.rect_stroke(area, 0.0, Stroke::new(1.0, ink.gamma_multiply(0.4)), StrokeKind::Inside);
    if most <= 0.0 {
        return;
    }
    let y = |metres: f64| area.bottom() - 2.0 - (metres / most) as f32 * (area.height() - 4.0);
    if let Some(rule) = &snapshot.rule {
        let level = y(rule.distance_m.min(most));
        let stroke = Stroke::new(1.0, color_of(EventKind::NearGoal).gamma_multiply(0.8));
        painter.extend(Shape::dashed_line(
            &[pos2(area.left(), level), pos2(area.right(), level)],
            stroke,
            4.0,
            4.0,
        ));
    }
    let columns = (area.width() as usize).max(1);
    let place = |step, metres| pos2(scale.x(step), y(metres));
    if !other.is_empty() {
        let points = thinned(other, columns, place);
        painter.add(Shape::line(points, Stroke::new(1.5, Color32::from_rgb(230, 159, 0))));
    }
    let points = thinned(&snapshot.moments, columns, place);
    painter.add(Shape::line(points, Stroke::new(1.5, Color32::from_rgb(86, 180, 233))));
}

/// The curve with at most two points for a column: its least and greatest value there.
fn thinned(moments: &[Moment], columns: usize, place: impl Fn(usize, f64) -> Pos2) -> Vec<Pos2> {
    let chunk = moments.len().div_ceil(columns).max(1);
    let mut points = Vec::new();
    for (index, part) in moments.chunks(chunk).enumerate() {
        let known: Vec<(usize, f64)> = part
            .iter()
            .enumerate()
            .filter_map(|(offset, moment)| Some((index * chunk + offset, moment.distance_m?)))
            .collect();
        let least = known.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        let most = known.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        let mut both: Vec<(usize, f64)> = least.into_iter().chain(most).copied().collect();
        both.sort_by_key(|&(step, _)| step);
        both.dedup();
        points.extend(both.into_iter().map(|(step, metres)| place(step, metres)));
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_curve_keeps_its_extremes() {
        let moments: Vec<Moment> = (0..10_000)
            .map(|step| Moment {
                distance_m: Some(if step == 7777 { 99.0 } else { f64::from(step % 3) }),
                ..Moment::default()
            })
            .collect();
        let points = thinned(&moments, 100, |step, metres| pos2(step as f32, metres as f32));
        assert!(points.len() <= 200);
        assert!(points.iter().any(|point| point.y == 99.0 && point.x == 7777.0));
    }
}
