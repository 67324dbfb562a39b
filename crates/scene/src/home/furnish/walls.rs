//! What comes last: curtains, pictures, towels, the lamp on the ceiling.

use super::{Task, furniture};
use crate::home::programme::Kind;
use ambler_geometry::Vec3;

pub(super) fn finish(task: &mut Task<'_>) {
    if task.room.kind == Kind::Stairs {
        return;
    }
    curtains(task);
    towels(task);
    pictures(task);
    if task.room.kind != Kind::Dining {
        let frame = crate::home::builder::Frame::quarter(task.middle(), 0);
        furniture::pendant(task.b, frame, task.room.height, None, &task.looks);
    }
}

fn curtains(task: &mut Task<'_>) {
    let chance = match task.room.kind {
        Kind::Living | Kind::Bedroom | Kind::Dining | Kind::Family => 0.9,
        Kind::Office | Kind::Library => 0.6,
        _ => 0.0,
    };
    if !task.chance(chance) {
        return;
    }
    let choice = task.stream.index(task.style.fabrics.len().max(1));
    let tint = task.style.fabrics.get(choice).copied().unwrap_or([0.8; 3]).map(|c| 0.55 * c + 0.43);
    for side in 0..4 {
        let (from, to) = task.space.span(side);
        let windows = task.space.windows[side].clone();
        for (index, w) in windows.iter().enumerate() {
            let (low, high) = (w[0] - 0.3, w[1] + 0.3);
            let crowded = low < from
                || high > to
                || windows
                    .iter()
                    .enumerate()
                    .any(|(i, o)| i != index && o[0] - 0.3 < high && low < o[1] + 0.3)
                || task.space.walls[side].iter().any(|t| {
                    t[0] < high && low < t[1] && t[3] > 0.95 && !(t[0] > w[0] - 0.1 && t[1] < w[1] + 0.1)
                });
            if crowded {
                continue;
            }
            // Down to the floor where nothing stands below.
            let below = task.space.walls[side].iter().any(|t| t[0] < high && low < t[1] && t[3] < 0.95);
            let hem = if below { w[2] - 0.12 } else { 0.03 };
            let frame = task.space.wall_frame(side, 0.5 * (w[0] + w[1]), 0.0);
            furniture::curtain(task.b, frame, w[1] - w[0], hem, tint, &task.looks);
            task.space.take_wall(side, low, high, 0.0, 2.4);
        }
    }
}

fn towels(task: &mut Task<'_>) {
    if task.room.kind != Kind::Bathroom {
        return;
    }
    for side in 0..4 {
        let (from, to) = task.space.span(side);
        let mut at = from + 0.4;
        while at < to - 0.4 {
            if task.space.wall_is_free(side, at - 0.34, at + 0.34, 0.6, 1.4) {
                let frame = task.space.wall_frame(side, at, 0.0);
                furniture::towel_rail(task.b, frame, &task.looks);
                task.space.take_wall(side, at - 0.4, at + 0.4, 0.5, 1.5);
                return;
            }
            at += 0.1;
        }
    }
}

/// Pictures in free stretches of wall, above what stands there.
fn pictures(task: &mut Task<'_>) {
    let most = match task.room.kind {
        Kind::Living | Kind::Family => 4,
        Kind::Hall => 5,
        Kind::Bedroom | Kind::Dining | Kind::Office => 3,
        Kind::Entry | Kind::Library | Kind::Kitchen => 1,
        _ => return,
    };
    let mut sides = [0_usize, 1, 2, 3];
    task.stream.shuffle(&mut sides);
    let mut count = 0;
    for pass in 0..2 {
        for side in sides {
            if count >= most {
                return;
            }
            let w = task.draw(0.4, 0.95);
            let h = if w > 0.7 { 0.68 * w } else { 1.3 * w };
            let (from, to) = task.space.span(side);
            let middle = 0.5 * (from + to);
            let y = 1.53;
            let mut best: Option<(f32, f32)> = None;
            let mut at = from + 0.5 * w + 0.15;
            while at < to - 0.5 * w - 0.15 {
                if task.space.wall_is_free(
                    side,
                    at - 0.5 * w - 0.12,
                    at + 0.5 * w + 0.12,
                    y - 0.5 * h - 0.12,
                    y + 0.5 * h + 0.1,
                ) {
                    // Above a piece that stands there, by its middle.
                    let piece = task.space.walls[side]
                        .iter()
                        .filter(|t| t[2] == 0.0 && t[3] < 1.3 && t[0] < at && at < t[1])
                        .map(|t| (0.5 * (t[0] + t[1]) - at).abs())
                        .fold(f32::INFINITY, f32::min);
                    let score = if piece.is_finite() { 1.0 - piece } else { -0.3 * (at - middle).abs() };
                    if best.is_none_or(|(most, _)| score > most) {
                        best = Some((score, at));
                    }
                }
                at += 0.05;
            }
            if let Some((_, at)) = best
                && (pass == 0 || task.stream.uniform() < 0.5)
            {
                let frame = task.space.wall_frame(side, at, 0.0);
                let frame = frame.moved(Vec3::ZERO, 0.0);
                furniture::picture(task.b, frame, w, h, y, &task.looks, &mut task.stream);
                task.space.take_wall(side, at - 0.5 * w - 0.2, at + 0.5 * w + 0.2, 0.95, 2.3);
                count += 1;
            }
        }
    }
}
