//! Living, family and dining rooms, offices, libraries, gyms, entries and halls.

use super::{Missing, Task, centred, corner, furniture, snug};
use crate::home::builder::Frame;
use crate::home::space::{Area, Item, Space, Spot};
use ambler_geometry::{Vec2, Vec3};

/// A sofa, a television across from it, and a low table between.
struct Group {
    tv: Spot,
    sofa: Spot,
    table: Spot,
}

const TABLE: [f32; 2] = [1.0, 0.6];

/// Searches the best place for the group; takes it.
fn seating(task: &mut Task<'_>, sofa_w: f32, stand_w: f32) -> Option<Group> {
    let stand = Item { w: stand_w, d: 0.42, h: 1.3, front: 0.0, gap: 0.01 };
    let sofa = Item { w: sofa_w, d: 0.9, h: 0.84, front: 0.0, gap: 0.0 };
    let table = Item { w: TABLE[0], d: TABLE[1], h: 0.42, front: 0.0, gap: 0.0 };
    let mut found: Vec<(f32, Group, Vec2)> = Vec::new();
    for side in 0..4 {
        let (from, to) = task.space.span(side);
        let (from2, to2) = task.space.span(side + 1);
        let depth = to2 - from2;
        // Against the far wall, or with a way behind it.
        let far = depth - 0.06 - 0.45;
        for back in [far, 3.15, 2.85] {
            // `back` is the distance of the sofa's middle from the screen's wall.
            let behind = depth - back - 0.45;
            if !(2.3..=3.9).contains(&back) || (behind > 0.1 && behind < 0.85) {
                continue;
            }
            let mut along = from + 0.5 * sofa_w.max(stand_w) + 0.02;
            while along <= to - 0.5 * sofa_w.max(stand_w) - 0.02 {
                if let Some(group) = group(&task.space, side, along, back, [stand, sofa, table]) {
                    let window = task.space.windows[side]
                        .iter()
                        .any(|w| w[0] < along + 0.8 && along - 0.8 < w[1]);
                    let center = Spot { along, ..group.0.tv };
                    let score = 1.5 * centred(&task.space, &center)
                        + if window { -2.0 } else { 0.0 }
                        + 0.2 * task.space.door_distance(group.0.sofa.area.center()).min(3.0)
                        - if behind > 0.2 { 0.3 } else { 0.0 };
                    found.push((score, group.0, group.1));
                }
                along += 0.15;
            }
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (_, group, point) = found.into_iter().take(80).find(|(_, g, point)| {
        let areas = [g.tv.area, g.sofa.area, g.table.area];
        // What the table's smallest form leaves of its surface.
        let top = g.table.area.grown(-0.12);
        task.allows(&areas, Some(*point), &[g.tv.area, g.sofa.area.grown(-0.1), top])
    })?;
    task.space.take(&group.tv, 1.35, Some(point));
    task.space.take(&group.sofa, 0.86, None);
    task.space.take(&group.table, 0.42, None);
    task.record("tv_stand", &group.tv);
    task.record("sofa", &group.sofa);
    task.record("coffee_table", &group.table);
    Some(group)
}

fn group(
    space: &Space,
    side: usize,
    along: f32,
    back: f32,
    [stand, sofa, table]: [Item; 3],
) -> Option<(Group, Vec2)> {
    let turns = Space::turns(side);
    let tv_area = Area::new(
        space.wall_point(side, along - 0.5 * stand.w, 0.0),
        space.wall_point(side, along + 0.5 * stand.w, stand.d + stand.gap),
    );
    let tv = Spot { frame: space.wall_frame(side, along, stand.gap), side, area: tv_area, along };
    // The stand is lower than a living room's sills; the screen is not.
    let screen = space.windows[side].iter().any(|w| w[0] < along + 0.45 && along - 0.45 < w[1]);
    let sofa = space.standing(&sofa, space.wall_point(side, along, back), turns + 2);
    let table = space.standing(
        &table,
        space.wall_point(side, along, back - 0.45 - 0.42 - 0.5 * table.d),
        turns + 2,
    );
    let free = |area: &Area| space.is_free(&Area { min: area.min + 0.004, max: area.max - 0.004 });
    let point = space.wall_point(side, along, stand.d + 0.36);
    (!screen && free(&tv.area) && free(&sofa.area) && free(&table.area))
        .then_some((Group { tv, sofa, table }, point))
}

/// A piece placed in another's frame, middle at (x, z), turned by quarter turns relative to it.
pub(super) fn beside(space: &Space, base: &Frame, item: &Item, x: f32, z: f32, turns: usize) -> Spot {
    let p = base.point(Vec3::new(x, 0.0, z));
    let ahead = base.vector(Vec3::Z);
    let base_turns = crate::home::shell::turns_of([ahead.x, ahead.z]);
    space.standing(item, Vec2::new(p.x, p.z), base_turns + turns)
}

/// Takes a spot if it is free and the room stays walkable.
pub(super) fn try_take(task: &mut Task<'_>, category: &str, spot: &Spot, h: f32) -> bool {
    let inner = Area { min: spot.area.min + 0.004, max: spot.area.max - 0.004 };
    if !task.space.is_free(&inner) || !task.allows(&[spot.area], None, &[inner.grown(-0.1)]) {
        return false;
    }
    task.take_standing(category, spot, h, None);
    true
}

fn seating_set(task: &mut Task<'_>) -> Missing {
    let wide = task.size().min_element() > 3.7;
    let mut placed = None;
    for (sofa_w, stand_w) in [(if wide { 2.2 } else { 1.9 }, 1.6), (1.8, 1.4), (1.6, 1.2)] {
        placed = seating(task, sofa_w, stand_w).map(|g| (g, sofa_w, stand_w));
        if placed.is_some() {
            break;
        }
    }
    let (group, sofa_w, stand_w) = placed.ok_or("sofa and television")?;
    furniture::tv_stand(task.b, group.tv.frame, stand_w - 0.02, &task.looks);
    let screen = task.draw(1.0, 1.25).min(stand_w);
    furniture::television(task.b, group.tv.frame, screen, 0.5, true);
    furniture::sofa(task.b, group.sofa.frame, sofa_w, &task.looks, &mut task.stream);
    furniture::coffee_table(
        task.b,
        group.table.frame,
        TABLE[0],
        TABLE[1],
        &task.looks,
        &mut task.stream,
    );
    if task.chance(0.7) {
        let (x, z) = (task.draw(-0.12, 0.12), 0.5 * TABLE[1]);
        let top = group.table.frame.moved(Vec3::new(x, 0.418, z), 0.0);
        furniture::vase(task.b, top, 0.85, &task.looks, &mut task.stream);
    }
    if task.chance(0.85) {
        let c = group.table.area.center();
        let turns = crate::home::shell::turns_of([
            group.sofa.frame.vector(Vec3::Z).x,
            group.sofa.frame.vector(Vec3::Z).z,
        ]);
        let frame = Frame::quarter(Vec3::new(c.x, task.room.floor_y, c.y), turns);
        let tint = task.style.carpets.first().copied().unwrap_or([0.8; 3]);
        let half = Vec2::new(1.15, 0.85);
        let half = if turns.is_multiple_of(2) { half } else { Vec2::new(half.y, half.x) };
        let area = Area { min: c - half, max: c + half };
        if area.min.cmpgt(task.room.min).all() && area.max.cmplt(task.room.max).all() {
            furniture::rug(task.b, frame, 2.3, 1.7, tint);
        }
    }
    // Side table with a lamp, and armchairs at the ends of the low table.
    let small = Item { w: 0.44, d: 0.42, h: 1.0, front: 0.0, gap: 0.0 };
    for sign in [-1.0, 1.0] {
        let spot = beside(&task.space, &group.sofa.frame, &small, sign * (0.5 * sofa_w + 0.26), 0.25, 0);
        if task.chance(0.55) && try_take(task, "side_table", &spot, 1.0) {
            furniture::side_table(task.b, spot.frame, &task.looks);
            furniture::table_lamp(task.b, spot.frame.moved(Vec3::new(0.0, 0.55, 0.2), 0.0), &task.looks);
        }
    }
    let chair = Item { w: 0.86, d: 0.9, h: 0.9, front: 0.0, gap: 0.0 };
    let start = usize::from(task.chance(0.5));
    for k in 0..2 {
        let sign = if (k + start) % 2 == 0 { 1.0_f32 } else { -1.0 };
        let turns = if sign > 0.0 { 3 } else { 1 };
        let spot =
            beside(&task.space, &group.sofa.frame, &chair, sign * (0.5 * TABLE[0] + 0.95), 1.55, turns);
        if task.chance(0.75) && try_take(task, "armchair", &spot, 0.9) {
            let frame = spot.frame.moved(Vec3::new(0.0, 0.0, 0.04), 0.0);
            furniture::armchair(task.b, frame, &task.looks, &mut task.stream);
        }
    }
    Ok(())
}

fn shelves(task: &mut Task<'_>, most: usize, chance: f64) {
    for _ in 0..most {
        if task.chance(chance) {
            let w = task.draw(0.8, 1.1);
            let levels = 4 + task.stream.index(2);
            let h = 0.11 + 0.35 * levels as f32;
            let item = Item { w, d: 0.3, h, front: 0.45, gap: 0.005 };
            if let Some(spot) = task.place_anywhere("bookshelf", item) {
                furniture::bookshelf(task.b, spot.frame, w, levels, &task.looks, &mut task.stream);
            }
        }
    }
}

pub(super) fn living(task: &mut Task<'_>) -> Missing {
    if task.also.kitchen {
        super::service::kitchen_run(task, 2.7)?;
    }
    seating_set(task)?;
    if task.also.table {
        small_dining(task);
    }
    let big = task.room.area() > 24.0;
    shelves(task, if big { 2 } else { 1 }, 0.7);
    if task.chance(0.5) {
        sideboard(task);
    }
    task.fill_corners(0.6, 0.75);
    Ok(())
}

pub(super) fn sideboard(task: &mut Task<'_>) {
    let w = task.draw(1.1, 1.5);
    let item = Item { w: w + 0.02, d: 0.48, h: 0.8, front: 0.5, gap: 0.01 };
    if let Some(spot) = task.place("sideboard", item, |space, spot| Some(centred(space, spot))) {
        furniture::dresser(task.b, spot.frame, w, 0.8, &task.looks);
        let at = task.draw(-0.4, 0.4);
        let top = spot.frame.moved(Vec3::new(at, 0.8, 0.24), 0.0);
        if task.chance(0.6) {
            furniture::vase(task.b, top, 1.0, &task.looks, &mut task.stream);
        } else {
            furniture::table_lamp(task.b, top, &task.looks);
        }
    }
}

pub(super) fn family(task: &mut Task<'_>) -> Missing {
    seating_set(task)?;
    for _ in 0..2 {
        let item = Item { w: 1.0, d: 0.4, h: 1.82, front: 0.45, gap: 0.01 };
        if let Some(spot) = task.place_anywhere("toy_shelf", item) {
            furniture::shelf_unit(
                task.b,
                spot.frame,
                0.98,
                0.36,
                "toy_shelf",
                &task.looks,
                &mut task.stream,
            );
        }
    }
    task.fill_corners(0.5, 0.5);
    Ok(())
}

/// Where the seats of a table's chairs are, in the table's frame: what is seen of them beside its edge.
fn seats(w: f32, d: f32, along: usize, ends: bool) -> Vec<Area> {
    let around =
        |x: f32, z: f32| Area::new(Vec2::new(x - 0.15, z - 0.15), Vec2::new(x + 0.15, z + 0.15));
    let mut seats = vec![Area::new(Vec2::new(-0.5 * w, 0.0), Vec2::new(0.5 * w, d))];
    for k in 0..along {
        let x = w * ((k as f32 + 0.5) / along as f32 - 0.5);
        seats.extend([around(x, -0.05), around(x, d + 0.05)]);
    }
    if ends {
        seats.extend([around(-0.5 * w - 0.05, 0.5 * d), around(0.5 * w + 0.05, 0.5 * d)]);
    }
    seats
}

/// Table and chairs, as large as fits, near the middle. `sizes` are (table w, table d, chairs along a
/// side, chairs at the ends).
fn table_set(task: &mut Task<'_>, sizes: &[(f32, f32, usize, bool)], hang: bool) -> bool {
    for &(w, d, along, ends) in sizes {
        let (ow, od) = (w + if ends { 0.72 } else { 0.0 }, d + 0.72);
        let item = Item { w: ow, d: od, h: 0.9, front: 0.0, gap: 0.0 };
        let (low, high) = (task.room.min, task.room.max);
        let c = (low + high) * 0.5;
        let mut found: Vec<(f32, Spot)> = Vec::new();
        let steps = ((high - low) / 0.15).ceil();
        for turns in [0, 1] {
            for i in 0..steps.x as usize {
                for j in 0..steps.y as usize {
                    let p = low + Vec2::new(i as f32, j as f32) * 0.15;
                    let spot = task.space.standing(&item, p, turns);
                    if task.space.is_free(&spot.area) {
                        let roomy = task.space.is_free(&spot.area.grown(0.6));
                        let long = (turns == 0) == (high.x - low.x > high.y - low.y);
                        let score =
                            if roomy { 1.0 } else { 0.0 } + if long { 0.3 } else { 0.0 } - p.distance(c);
                        found.push((score, spot));
                    }
                }
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        let seats = seats(w, d, along, ends);
        let fits = |s: &Spot| {
            let back = s.frame.moved(Vec3::new(0.0, 0.0, 0.36), 0.0);
            let near: Vec<Area> = seats.iter().map(|seat| seat.placed(&back)).collect();
            task.allows(&[s.area], None, &near)
        };
        let Some(spot) = found.iter().take(60).map(|f| f.1).find(fits) else { continue };
        task.take_standing("dining_table", &spot, 0.9, None);
        let back = spot.frame.moved(Vec3::new(0.0, 0.0, 0.36), 0.0);
        furniture::dining_table(task.b, back, w, d, &task.looks);
        let kind = task.stream.index(3);
        // Chairs look at the table: seats reach under it.
        for k in 0..along {
            let x = w * ((k as f32 + 0.5) / along as f32 - 0.5);
            for (z, turn) in [(-0.34, 0.0), (d + 0.34, std::f32::consts::PI)] {
                let wobble = task.draw(-0.12, 0.12);
                furniture::chair(
                    task.b,
                    back.moved(Vec3::new(x, 0.0, z), turn + wobble),
                    &task.looks,
                    kind,
                );
            }
        }
        if ends {
            for (x, turn) in [(-0.5 * w - 0.34, 0.5), (0.5 * w + 0.34, -0.5)] {
                let frame = back.moved(Vec3::new(x, 0.0, 0.5 * d), turn * std::f32::consts::PI);
                furniture::chair(task.b, frame, &task.looks, kind);
            }
        }
        if task.chance(0.75) {
            let top = back.moved(Vec3::new(0.0, 0.74, 0.5 * d), 0.0);
            furniture::vase(task.b, top, 0.9, &task.looks, &mut task.stream);
        }
        if hang {
            let below = back.moved(Vec3::new(0.0, 0.0, 0.5 * d), 0.0);
            furniture::pendant(task.b, below, task.room.height, Some(1.55), &task.looks);
        }
        return true;
    }
    false
}

pub(super) fn small_dining(task: &mut Task<'_>) -> bool {
    table_set(task, &[(1.2, 0.75, 2, false), (0.75, 0.75, 1, false)], false)
}

pub(super) fn dining(task: &mut Task<'_>) -> Missing {
    let sizes = [(1.9, 0.95, 3, true), (1.7, 0.9, 3, false), (1.4, 0.85, 2, true), (1.3, 0.8, 2, false)];
    let first = if task.room.area() > 13.0 { 0 } else { 1 };
    let sizes = sizes.get(first..).unwrap_or(&[]);
    if !table_set(task, sizes, true) {
        return Err("table");
    }
    if task.chance(0.8) {
        sideboard(task);
    }
    task.fill_corners(0.2, 0.7);
    Ok(())
}

/// A desk with its chair, and what lies on it.
pub(super) fn desk_set(task: &mut Task<'_>, w: f32, d: f32) -> bool {
    let item = Item { w, d: d + 0.55, h: 0.8, front: 0.35, gap: 0.01 };
    let spot = task.place("desk", item, |space, spot| {
        Some(0.4 * snug(space, spot) + 0.2 * space.door_distance(spot.area.center()).min(3.0))
    });
    let Some(spot) = spot else { return false };
    furniture::desk(task.b, spot.frame, w - 0.02, d, &task.looks);
    furniture::computer(task.b, spot.frame, &task.looks, &mut task.stream);
    let turn = std::f32::consts::PI + task.draw(-0.3, 0.3);
    let seat = spot.frame.moved(Vec3::new(-0.12, 0.0, d + 0.48), turn);
    furniture::office_chair(task.b, seat, &task.looks);
    if task.chance(0.7) {
        let top = spot.frame.moved(Vec3::new(0.5 * w - 0.16, 0.74, 0.16), 0.0);
        furniture::table_lamp(task.b, top, &task.looks);
    }
    true
}

pub(super) fn office(task: &mut Task<'_>) -> Missing {
    let w = task.draw(1.3, 1.6);
    if !desk_set(task, w, 0.7) && !desk_set(task, 1.15, 0.6) {
        return Err("desk");
    }
    shelves(task, 2, 0.9);
    let item = Item { w: 0.86, d: 0.86, h: 0.9, front: 0.3, gap: 0.04 };
    if task.chance(0.5)
        && let Some(spot) = task.place("armchair", item, corner)
    {
        furniture::armchair(task.b, spot.frame, &task.looks, &mut task.stream);
    }
    task.fill_corners(0.4, 0.6);
    Ok(())
}

pub(super) fn library(task: &mut Task<'_>) -> Missing {
    let mut count = 0;
    for _ in 0..5 {
        let item = Item { w: 1.0, d: 0.3, h: 2.21, front: 0.45, gap: 0.005 };
        let spot = task.place("bookshelf", item, |space, spot| Some(snug(space, spot)));
        if let Some(spot) = spot {
            furniture::bookshelf(task.b, spot.frame, 1.0, 6, &task.looks, &mut task.stream);
            count += 1;
        }
    }
    if count == 0 {
        return Err("bookshelf");
    }
    for _ in 0..2 {
        let item = Item { w: 0.86, d: 0.86, h: 0.9, front: 0.3, gap: 0.04 };
        if let Some(spot) = task.place_anywhere("armchair", item) {
            furniture::armchair(task.b, spot.frame, &task.looks, &mut task.stream);
        }
    }
    task.fill_corners(1.0, 0.5);
    Ok(())
}

pub(super) fn gym(task: &mut Task<'_>) -> Missing {
    let item = Item { w: 0.8, d: 1.72, h: 1.45, front: 0.6, gap: 0.05 };
    let spot = task.place_anywhere("treadmill", item).ok_or("treadmill")?;
    furniture::treadmill(task.b, spot.frame);
    let item = Item { w: 1.12, d: 0.42, h: 0.85, front: 0.6, gap: 0.01 };
    if let Some(spot) = task.place("dumbbell_rack", item, |space, spot| Some(centred(space, spot))) {
        furniture::weights(task.b, spot.frame);
        if task.space.wall_is_free(spot.side, spot.along - 0.6, spot.along + 0.6, 0.95, 2.0) {
            let frame = task.space.wall_frame(spot.side, spot.along, 0.0);
            furniture::mirror(task.b, frame, 1.1, 0.95, 1.0, &task.looks);
            task.space.take_wall(spot.side, spot.along - 0.6, spot.along + 0.6, 0.9, 2.0);
        }
    }
    let item = Item { w: 1.2, d: 0.4, h: 0.46, front: 0.5, gap: 0.3 };
    if let Some(spot) = task.place_anywhere("bench", item) {
        furniture::bench(task.b, spot.frame, 1.18, 0.38, &task.looks);
    }
    task.fill_corners(0.0, 0.6);
    Ok(())
}

pub(super) fn entry(task: &mut Task<'_>) -> Missing {
    let item = Item { w: 0.9, d: 0.37, h: 0.52, front: 0.4, gap: 0.0 };
    let rack = task.place("shoe_rack", item, |space, spot| Some(centred(space, spot)));
    if let Some(spot) = rack {
        furniture::shoe_rack(task.b, spot.frame, 0.88, &task.looks, &mut task.stream);
        if task.space.wall_is_free(spot.side, spot.along - 0.45, spot.along + 0.45, 0.8, 1.8) {
            let frame = task.space.wall_frame(spot.side, spot.along, 0.0);
            furniture::coat_rack(task.b, frame, 0.9, &task.looks, &mut task.stream);
            task.space.take_wall(spot.side, spot.along - 0.45, spot.along + 0.45, 0.8, 1.8);
        }
    }
    console_set(task, 0.7);
    let c = task.middle();
    let tint = task.style.fabrics.get(1).copied().unwrap_or([0.6; 3]);
    if task.size().min_element() > 1.5 {
        furniture::rug(task.b, Frame::quarter(c, 0), 0.9, 0.6, tint);
    }
    Ok(())
}

/// A narrow table with a lamp or a vase, and a mirror above it.
fn console_set(task: &mut Task<'_>, chance: f64) {
    if !task.chance(chance) {
        return;
    }
    let w = task.draw(0.8, 1.1);
    let item = Item { w, d: 0.31, h: 0.82, front: 0.62, gap: 0.0 };
    let Some(spot) = task.place("console_table", item, |space, spot| Some(centred(space, spot))) else {
        return;
    };
    furniture::console(task.b, spot.frame, w - 0.02, &task.looks);
    let top = spot.frame.moved(Vec3::new(-0.25 * w, 0.80, 0.15), 0.0);
    if task.chance(0.5) {
        furniture::table_lamp(task.b, top, &task.looks);
    } else {
        furniture::vase(task.b, top, 0.9, &task.looks, &mut task.stream);
    }
    let (low, high) = (spot.along - 0.35, spot.along + 0.35);
    if task.chance(0.6) && task.space.wall_is_free(spot.side, low, high, 1.05, 1.9) {
        let frame = task.space.wall_frame(spot.side, spot.along, 0.0);
        furniture::mirror(task.b, frame, 0.6, 1.1, 0.75, &task.looks);
        task.space.take_wall(spot.side, low, high, 1.0, 1.9);
    }
}

pub(super) fn hall(task: &mut Task<'_>) -> Missing {
    let size = task.size();
    if size.min_element() > 1.35 {
        console_set(task, 0.7);
        task.fill_corners(0.0, 0.5);
    }
    let (long, turns) = if size.x > size.y { (size.x, 0) } else { (size.y, 1) };
    if task.chance(0.6) {
        let tint = task.style.fabrics.first().copied().unwrap_or([0.7; 3]);
        let w = (long * 0.6).min(3.2);
        furniture::rug(task.b, Frame::quarter(task.middle(), turns), w, 0.7, tint);
    }
    Ok(())
}
