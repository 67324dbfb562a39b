//! Kitchens, bathrooms, laundries, storage.

use super::living::small_dining;
use super::{Missing, Task, centred, furniture, snug};
use crate::home::space::{Area, Item, Space, Spot};
use ambler_geometry::{Vec2, Vec3};

const DEPTH: f32 = 0.64;

/// The longest stretch of wall where counters can stand: side, from, to.
fn longest_wall(space: &Space) -> Vec<(usize, f32, f32)> {
    let mut out = Vec::new();
    for side in 0..4 {
        let (from, to) = space.span(side);
        let mut start: Option<f32> = None;
        let mut at = from;
        loop {
            let next = (at + 0.1).min(to);
            let slice = Area::new(
                space.wall_point(side, at + 0.003, 0.0),
                space.wall_point(side, next - 0.003, DEPTH),
            );
            let low_window = space.windows[side]
                .iter()
                .any(|w| w[2] < 0.98 && w[0] - 0.05 < next && at < w[1] + 0.05);
            let free = next - at > 0.02 && space.is_free(&slice) && !low_window;
            match (free, start) {
                (true, None) => start = Some(at),
                (false, Some(s)) => {
                    out.push((side, s, at));
                    start = None;
                }
                _ => {}
            }
            if next >= to - 0.001 {
                if let Some(s) = start {
                    out.push((side, s, if free { to } else { at }));
                }
                break;
            }
            at = next;
        }
    }
    out.sort_by(|a, b| (b.2 - b.1).total_cmp(&(a.2 - a.1)).then(a.0.cmp(&b.0)));
    out
}

/// A run of counters with fridge, sink and stove; at most `most` metres long.
pub(super) fn kitchen_run(task: &mut Task<'_>, most: f32) -> Missing {
    for (side, from, to) in longest_wall(&task.space) {
        let whole = to - from;
        if whole < 2.35 {
            break;
        }
        // Rounded down so that the walls' last centimetres stay a filler.
        let len = whole.min(most);
        for (from, to) in [(from, from + len), (to - len, to)] {
            let area = Area::new(
                task.space.wall_point(side, from, 0.0),
                task.space.wall_point(side, to, DEPTH),
            );
            let middle = 0.5 * (from + to);
            let point = task.space.wall_point(side, middle, DEPTH + 0.36);
            // Each unit of the run is a surface of its own.
            let count = libm::ceilf((to - from) / 0.6).max(1.0);
            let units: Vec<Area> = (0..count as usize)
                .map(|i| {
                    let edge = |k: usize| from + (to - from) * k as f32 / count;
                    let corner = |along: f32, away: f32| task.space.wall_point(side, along, away);
                    Area::new(corner(edge(i), 0.0), corner(edge(i + 1), 0.6))
                })
                .collect();
            if !task.allows(&[area], Some(point), &units) {
                continue;
            }
            if run(task, side, from, to) {
                let spot =
                    Spot { frame: task.space.wall_frame(side, middle, 0.0), side, area, along: middle };
                task.take_standing("counter", &spot, 0.92, Some(point));
                return Ok(());
            }
        }
    }
    Err("counters")
}

/// Draws the run; false where the fridge finds no end.
fn run(task: &mut Task<'_>, side: usize, from: f32, to: f32) -> bool {
    let fw = if to - from > 3.3 { 0.8 } else { 0.64 };
    let tall = |task: &Task<'_>, low: f32, high: f32| {
        task.space.wall_is_free(side, low + 0.01, high - 0.01, 0.0, 1.9)
    };
    let first = task.chance(0.5);
    let mut ends = [(from, from + fw), (to - fw, to)];
    if first {
        ends.reverse();
    }
    let Some((low, high)) = ends.into_iter().find(|&(a, c)| tall(task, a, c)) else { return false };
    let steel = task.chance(0.5);
    let frame = task.space.wall_frame(side, 0.5 * (low + high), 0.01);
    furniture::fridge(task.b, frame, fw - 0.03, steel);
    task.space.take_wall(side, low, high, 0.0, 1.9);
    let (a, c) = if low == from { (high, to) } else { (from, low) };
    // Sink under a window where there is one; the stove well away from it.
    let window =
        task.space.windows[side].iter().map(|w| 0.5 * (w[0] + w[1])).find(|m| (a..c).contains(m));
    let (sw, ow) = (0.8, 0.6);
    let span = c - a - sw - ow;
    if span < 0.0 {
        return false;
    }
    let sink_first = match window {
        Some(m) => m < 0.5 * (a + c),
        None => task.stream.uniform() < 0.5,
    };
    // Counter before, between and after; shares of what is left.
    let shares: [f32; 3] = if span > 1.3 { [0.28, 0.44, 0.28] } else { [0.0, 0.62, 0.38] };
    let widths = shares.map(|s| s * span);
    let order = if sink_first { [("sink", sw), ("stove", ow)] } else { [("stove", ow), ("sink", sw)] };
    let mut at = a;
    let mut tops: Vec<(f32, f32)> = Vec::new();
    for k in 0..3 {
        let w = widths[k];
        if w > 0.02 {
            let count = libm::ceilf(w / 0.75).max(1.0);
            let unit = w / count;
            for i in 0..count as usize {
                let middle = at + unit * (i as f32 + 0.5);
                let drawers = task.chance(0.35) && unit > 0.35;
                let frame = task.space.wall_frame(side, middle, 0.0);
                furniture::base_unit(task.b, frame, unit, drawers, &task.looks);
                wall_unit(task, side, middle, unit);
                if unit > 0.38 {
                    tops.push((middle, unit));
                }
            }
            at += w;
        }
        if let Some(&(kind, w)) = order.get(k) {
            let middle = at + 0.5 * w;
            let frame = task.space.wall_frame(side, middle, 0.0);
            if kind == "sink" {
                furniture::sink(task.b, frame, w, &task.looks);
                wall_unit(task, side, middle, w);
            } else {
                furniture::stove(task.b, frame, &task.looks);
                if task.space.wall_is_free(side, at + 0.02, at + w - 0.02, 1.5, 2.4) {
                    furniture::hood(task.b, frame, task.room.height);
                    task.space.take_wall(side, at, at + w, 1.5, 2.5);
                }
            }
            at += w;
        }
    }
    appliances(task, side, &tops);
    true
}

fn wall_unit(task: &mut Task<'_>, side: usize, middle: f32, w: f32) {
    let (low, high) = (middle - 0.5 * w, middle + 0.5 * w);
    if w > 0.25 && task.space.wall_is_free(side, low + 0.01, high - 0.01, 1.4, 2.15) {
        let frame = task.space.wall_frame(side, middle, 0.0);
        furniture::wall_unit(task.b, frame, w - 0.004, &task.looks);
        task.space.take_wall(side, low, high, 1.4, 2.15);
    }
}

fn appliances(task: &mut Task<'_>, side: usize, tops: &[(f32, f32)]) {
    let mut kinds = [0_usize, 1, 2, 3, 4];
    task.stream.shuffle(&mut kinds);
    let mut next = kinds.into_iter();
    for (index, &(middle, w)) in tops.iter().enumerate() {
        let frame = task.space.wall_frame(side, middle, 0.0);
        if index == 0 && w > 0.5 && task.chance(0.8) {
            furniture::microwave(task.b, frame);
        } else if let Some(kind) = next.next()
            && task.chance(0.8)
        {
            furniture::small_appliance(task.b, frame, kind, &task.looks, &mut task.stream);
        }
    }
}

pub(super) fn kitchen(task: &mut Task<'_>) -> Missing {
    kitchen_run(task, 4.2)?;
    // A second leg of counters at another wall, touching a corner.
    if task.chance(0.75) {
        for units in [3, 2] {
            let w = 0.62 * units as f32;
            let item = Item { w, d: 0.63, h: 0.92, front: 0.6, gap: 0.0 };
            let unit = |i: usize| {
                let x = 0.62 * (i as f32 - 0.5 * units as f32);
                Area::new(Vec2::new(x, 0.0), Vec2::new(x + 0.62, 0.6))
            };
            let near: Vec<Area> = (0..units).map(unit).collect();
            let spot = task.place_near("counter", item, &near, |space, spot| {
                (snug(space, spot) > 0.5).then_some(0.0)
            });
            if let Some(spot) = spot {
                let mut tops = Vec::new();
                for i in 0..units {
                    let along = spot.along + 0.62 * (i as f32 - 0.5 * (units as f32 - 1.0));
                    let frame = task.space.wall_frame(spot.side, along, 0.0);
                    let drawers = i == 0;
                    furniture::base_unit(task.b, frame, 0.62, drawers, &task.looks);
                    wall_unit(task, spot.side, along, 0.62);
                    tops.push((along, 0.62));
                }
                appliances(task, spot.side, &tops);
                break;
            }
        }
    }
    let area = task.room.area();
    if area > 12.5 {
        let w = if area > 15.0 { 1.6 } else { 1.2 };
        let item = Item { w, d: 1.2, h: 0.9, front: 0.0, gap: 0.0 };
        let c = task.room.min + task.size() * 0.5;
        let mut spots: Vec<(f32, Spot)> = Vec::new();
        for turns in 0..4 {
            for i in -6..=6 {
                for j in -6..=6 {
                    let p = c + Vec2::new(i as f32, j as f32) * 0.15;
                    let spot = task.space.standing(&item, p, turns);
                    if task.space.is_free(&spot.area.grown(0.35)) {
                        spots.push((p.distance(c), spot));
                    }
                }
            }
        }
        spots.sort_by(|a, b| a.0.total_cmp(&b.0));
        let chosen = spots.iter().take(30).map(|s| s.1).find(|s| {
            // The stools stand at the back, half under the top.
            let seats = [-0.27, 0.27]
                .map(|x| Area::new(Vec2::new(x * w - 0.12, 0.0), Vec2::new(x * w + 0.12, 0.3)));
            let [a, b] = seats.map(|seat| seat.placed(&s.frame));
            task.allows(&[s.area], None, &[a, b, s.area.grown(-0.3)])
        });
        if let Some(spot) = chosen {
            task.take_standing("kitchen_island", &spot, 0.92, None);
            let top = spot.frame.moved(Vec3::new(0.0, 0.0, 0.35), 0.0);
            furniture::island(task.b, top, w, &task.looks);
            for k in 0..2 {
                let x = 0.27 * w * if k == 0 { -1.0 } else { 1.0 };
                furniture::stool(task.b, spot.frame.moved(Vec3::new(x, 0.0, 0.0), 0.0), &task.looks);
            }
        } else if task.also.table || task.chance(0.7) {
            small_dining(task);
        }
    } else if task.also.table {
        small_dining(task);
    }
    let item = Item { w: 0.32, d: 0.32, h: 0.5, front: 0.0, gap: 0.02 };
    if let Some(spot) = task.place_anywhere("trash_can", item) {
        furniture::trash_can(task.b, spot.frame, &task.looks);
    }
    task.fill_corners(0.0, 0.4);
    Ok(())
}

pub(super) fn bathroom(task: &mut Task<'_>) -> Missing {
    let area = task.room.area();
    // The tub first: it needs the most.
    let mut washed = false;
    let tub = task.chance(0.65);
    for (is_tub, w) in [(tub, 1.65), (!tub, 1.6), (false, 0.9), (false, 0.8)] {
        if washed || (!is_tub && w > 1.0) {
            continue;
        }
        let (category, d) = if is_tub { ("bathtub", 0.76) } else { ("shower", 0.91) };
        let item = Item { w: w + 0.01, d, h: if is_tub { 0.58 } else { 2.0 }, front: 0.45, gap: 0.0 };
        let spot = task.place(category, item, |space, spot| {
            let far = 0.3 * space.door_distance(spot.area.center()).min(4.0);
            if is_tub { Some(snug(space, spot) + far) } else { left_corner(space, spot).then_some(far) }
        });
        if let Some(spot) = spot {
            if is_tub {
                furniture::bathtub(task.b, spot.frame, w, &task.looks);
            } else {
                furniture::shower(task.b, spot.frame, w);
            }
            washed = true;
        }
    }
    if !washed {
        return Err("bath or shower");
    }
    let item = Item { w: 0.76, d: 0.70, h: 0.8, front: 0.5, gap: 0.0 };
    let spot = task
        .place("toilet", item, |space, spot| {
            Some(0.6 * snug(space, spot) + 0.25 * space.door_distance(spot.area.center()).min(3.0))
        })
        .ok_or("toilet")?;
    furniture::toilet(task.b, spot.frame, &task.looks);
    let mut basin = None;
    for w in [1.1, 0.8, 0.6] {
        if w > 1.0 && area < 5.5 {
            continue;
        }
        let item = Item { w: w + 0.02, d: 0.49, h: 0.9, front: 0.5, gap: 0.0 };
        basin = task.place("vanity", item, |space, spot| {
            let window =
                space.windows[spot.side].iter().any(|win| win[0] < spot.along && spot.along < win[1]);
            Some(0.4 * centred(space, spot) - if window { 1.0 } else { 0.0 })
        });
        if let Some(spot) = basin {
            furniture::basin(task.b, spot.frame, w, &task.looks);
            let (low, high) = (spot.along - 0.5 * w + 0.02, spot.along + 0.5 * w - 0.02);
            if task.space.wall_is_free(spot.side, low, high, 1.12, 1.95) {
                let frame = task.space.wall_frame(spot.side, spot.along, 0.0);
                furniture::mirror(task.b, frame, high - low, 1.15, 0.75, &task.looks);
                task.space.take_wall(spot.side, low, high, 1.1, 2.0);
            }
            break;
        }
    }
    if basin.is_none() {
        return Err("washbasin");
    }
    let c = task.middle();
    let tint = task.looks.fabric2.tint.map(|x| 0.4 * x + 0.55);
    let mat = Area { min: task.space.area.center() - 0.42, max: task.space.area.center() + 0.42 };
    if task.space.is_free(&mat) {
        furniture::rug(task.b, crate::home::builder::Frame::quarter(c, 0), 0.8, 0.5, tint);
    }
    hamper(task, 0.6);
    Ok(())
}

/// The piece's own left end is at a wall across.
fn left_corner(space: &Space, spot: &Spot) -> bool {
    let left = spot.frame.point(Vec3::new(-0.5 * 0.8, 0.0, 0.4));
    let gap = [
        left.x - space.area.min.x,
        space.area.max.x - left.x,
        left.z - space.area.min.y,
        space.area.max.y - left.z,
    ];
    let side = spot.frame.vector(Vec3::new(-1.0, 0.0, 0.0));
    let toward = if side.x < -0.5 {
        gap[0]
    } else if side.x > 0.5 {
        gap[1]
    } else if side.z < -0.5 {
        gap[2]
    } else {
        gap[3]
    };
    toward < 0.12
}

fn hamper(task: &mut Task<'_>, chance: f64) {
    let item = Item { w: 0.44, d: 0.36, h: 0.62, front: 0.0, gap: 0.01 };
    if task.chance(chance)
        && let Some(spot) = task.place_anywhere("laundry_hamper", item)
    {
        furniture::hamper(task.b, spot.frame, &mut task.stream);
    }
}

pub(super) fn laundry(task: &mut Task<'_>) -> Missing {
    let mut placed = 0;
    let item = Item { w: 1.24, d: 0.62, h: 0.9, front: 0.6, gap: 0.02 };
    if let Some(spot) = task.place("washing_machine", item, |space, spot| {
        Some(snug(space, spot) + 0.3 * space.door_distance(spot.area.center()).min(3.0))
    }) {
        furniture::machine(
            task.b,
            spot.frame.moved(Vec3::new(-0.305, 0.0, 0.0), 0.0),
            "washing_machine",
        );
        furniture::machine(task.b, spot.frame.moved(Vec3::new(0.305, 0.0, 0.0), 0.0), "dryer");
        placed = 2;
        for k in 0..2 {
            let along = spot.along + 0.61 * (k as f32 - 0.5);
            wall_unit(task, spot.side, along, 0.6);
        }
    }
    if placed == 0 {
        let item = Item { w: 0.62, d: 0.62, h: 0.9, front: 0.55, gap: 0.02 };
        let spot = task.place_anywhere("washing_machine", item).ok_or("washing machine")?;
        furniture::machine(task.b, spot.frame, "washing_machine");
    }
    let item = Item { w: 0.82, d: 0.64, h: 0.92, front: 0.5, gap: 0.0 };
    if let Some(spot) = task.place("counter", item, |space, spot| Some(snug(space, spot))) {
        furniture::sink(task.b, spot.frame, 0.8, &task.looks);
    }
    for w in [1.0, 0.7] {
        let item = Item { w, d: 0.42, h: 1.85, front: 0.4, gap: 0.01 };
        if let Some(spot) = task.place("shelf", item, |space, spot| Some(snug(space, spot))) {
            furniture::shelf_unit(
                task.b,
                spot.frame,
                w - 0.02,
                0.4,
                "shelf",
                &task.looks,
                &mut task.stream,
            );
            break;
        }
    }
    hamper(task, 0.9);
    Ok(())
}

pub(super) fn storage(task: &mut Task<'_>) -> Missing {
    let mut count = 0;
    for w in [1.8, 1.5, 1.2, 0.9, 0.7] {
        let item = Item { w, d: 0.44, h: 1.85, front: 0.45, gap: 0.01 };
        if count < 2
            && let Some(spot) = task.place("shelf", item, |space, spot| Some(snug(space, spot)))
        {
            furniture::shelf_unit(
                task.b,
                spot.frame,
                w - 0.02,
                0.42,
                "shelf",
                &task.looks,
                &mut task.stream,
            );
            count += 1;
        }
    }
    if count == 0 {
        return Err("shelf");
    }
    let item = Item { w: 0.9, d: 0.46, h: 1.1, front: 0.0, gap: 0.02 };
    if let Some(spot) = task.place_anywhere("box", item) {
        furniture::boxes(task.b, spot.frame, 0.9, &mut task.stream);
    }
    Ok(())
}
