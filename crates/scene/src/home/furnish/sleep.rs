//! Bedrooms and closets.

use super::living::desk_set;
use super::{Missing, Task, centred, furniture, snug};
use crate::home::builder::Frame;
use crate::home::space::{Area, Item};
use ambler_geometry::{Vec2, Vec3};

pub(super) fn bedroom(task: &mut Task<'_>) -> Missing {
    let area = task.room.area();
    let wide = task.draw(1.5, 1.7);
    let long = 2.1;
    // (bed, nightstands): as large as the room takes.
    let mut options = vec![(wide, 2), (1.45, 2), (1.45, 1), (1.0, 1), (1.0, 0)];
    if area < 12.0 && task.chance(0.5) {
        options.rotate_left(3);
    }
    let mut placed = None;
    for (w, stands) in options {
        let total = w + 0.53 * stands as f32;
        let item = Item { w: total, d: long, h: 0.8, front: 0.55, gap: 0.01 };
        let stand = 0.5 * total - 0.22;
        let near =
            [stand, -stand].map(|x| Area::new(Vec2::new(x - 0.2, 0.03), Vec2::new(x + 0.2, 0.38)));
        let near = near.get(..stands).unwrap_or(&[]);
        let spot = task.place_near("bed", item, near, |space, spot| {
            let window = space.windows[spot.side]
                .iter()
                .any(|win| win[0] < spot.along + 0.5 && spot.along - 0.5 < win[1]);
            let single = if w < 1.2 { snug(space, spot) } else { centred(space, spot) };
            Some(
                single + 0.3 * space.door_distance(spot.area.center()).min(3.0)
                    - if window { 1.0 } else { 0.0 },
            )
        });
        if let Some(spot) = spot {
            placed = Some((spot, w, stands));
            break;
        }
    }
    let (spot, w, stands) = placed.ok_or("bed")?;
    let shift = if stands == 1 { -0.265 } else { 0.0 };
    let frame = spot.frame.moved(Vec3::new(shift, 0.0, 0.0), 0.0);
    furniture::bed(task.b, frame, w, long, &task.looks, &mut task.stream);
    for k in 0..stands {
        let sign = if k == 0 { 1.0 } else { -1.0 };
        let at = frame.moved(Vec3::new(sign * (0.5 * w + 0.275), 0.0, 0.01), 0.0);
        furniture::nightstand(task.b, at, &task.looks);
        if k == 0 || task.chance(0.8) {
            furniture::table_lamp(task.b, at.moved(Vec3::new(0.0, 0.55, 0.18), 0.0), &task.looks);
        } else {
            furniture::vase(
                task.b,
                at.moved(Vec3::new(0.0, 0.55, 0.18), 0.0),
                0.7,
                &task.looks,
                &mut task.stream,
            );
        }
    }
    // A rug that looks out from under the foot.
    if task.chance(0.65) {
        let at = frame.point(Vec3::new(0.0, 0.0, 1.75));
        let ahead = frame.vector(Vec3::Z);
        let turns = crate::home::shell::turns_of([ahead.x, ahead.z]);
        let half = if turns.is_multiple_of(2) { [0.5 * w + 0.45, 0.8] } else { [0.8, 0.5 * w + 0.45] };
        let (low, high) = (task.room.min, task.room.max);
        if at.x - half[0] > low.x
            && at.x + half[0] < high.x
            && at.z - half[1] > low.y
            && at.z + half[1] < high.y
        {
            let tint = task.looks.fabric2.tint.map(|c| 0.5 * c + 0.45);
            furniture::rug(task.b, Frame::quarter(at, turns), w + 0.9, 1.6, tint);
        }
    }
    storage(task);
    if task.chance(if area > 12.0 { 0.6 } else { 0.25 }) {
        desk_set(task, 1.15, 0.6);
    }
    if area > 14.0 && task.chance(0.6) {
        let item = Item { w: 0.86, d: 0.84, h: 0.9, front: 0.35, gap: 0.05 };
        if let Some(spot) = task.place_anywhere("armchair", item) {
            furniture::armchair(task.b, spot.frame, &task.looks, &mut task.stream);
        }
    }
    task.fill_corners(0.25, 0.5);
    Ok(())
}

/// Wardrobe, dresser with a mirror.
fn storage(task: &mut Task<'_>) {
    for w in [1.6, 1.2, 0.9] {
        let item = Item { w, d: 0.61, h: 2.12, front: 0.6, gap: 0.01 };
        let spot = task.place("wardrobe", item, |space, spot| Some(snug(space, spot)));
        if let Some(spot) = spot {
            furniture::wardrobe(task.b, spot.frame, w - 0.01, &task.looks);
            break;
        }
    }
    let w = task.draw(0.95, 1.3);
    let h = task.draw(0.78, 0.92);
    let item = Item { w: w + 0.02, d: 0.49, h: h.min(0.84), front: 0.55, gap: 0.01 };
    if task.chance(0.85)
        && let Some(spot) = task.place("dresser", item, |space, spot| Some(centred(space, spot)))
    {
        let h = h.min(0.84);
        furniture::dresser(task.b, spot.frame, w, h, &task.looks);
        let (low, high) = (spot.along - 0.4, spot.along + 0.4);
        if task.chance(0.6) && task.space.wall_is_free(spot.side, low, high, 1.0, 1.85) {
            let frame = task.space.wall_frame(spot.side, spot.along, 0.0);
            furniture::mirror(task.b, frame, 0.7, 1.05, 0.75, &task.looks);
            task.space.take_wall(spot.side, low, high, 1.0, 1.85);
        }
        let at = task.draw(0.2, 0.38) * if task.chance(0.5) { 1.0 } else { -1.0 };
        furniture::vase(
            task.b,
            spot.frame.moved(Vec3::new(at, h, 0.25), 0.0),
            0.7,
            &task.looks,
            &mut task.stream,
        );
    }
}

pub(super) fn closet(task: &mut Task<'_>) -> Missing {
    let mut rails = 0;
    for w in [2.4, 2.0, 1.6, 1.3, 1.0, 0.8] {
        if rails == 2 {
            break;
        }
        let item = Item { w, d: 0.56, h: 2.0, front: 0.5, gap: 0.0 };
        let spot = task.place("clothes_rack", item, |space, spot| {
            Some(snug(space, spot) + 0.3 * space.door_distance(spot.area.center()).min(3.0))
        });
        if let Some(spot) = spot {
            furniture::clothes_rail(task.b, spot.frame, w - 0.01, &task.looks, &mut task.stream);
            rails += 1;
        }
    }
    if rails == 0 {
        return Err("clothes rack");
    }
    for w in [1.2, 0.9, 0.7] {
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
    let item = Item { w: 0.8, d: 0.37, h: 0.52, front: 0.35, gap: 0.0 };
    if let Some(spot) = task.place("shoe_rack", item, |space, spot| Some(snug(space, spot))) {
        furniture::shoe_rack(task.b, spot.frame, 0.78, &task.looks, &mut task.stream);
    }
    Ok(())
}
