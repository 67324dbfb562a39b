//! Furniture from a few numbers: each recipe draws one piece in its own frame. The frame's origin is
//! the middle of the piece's back on the floor, x runs along its width, z towards its front.
//!
//! A recipe states the surfaces that hold objects where it makes them, so that they are as high as
//! the mesh is.

mod bath;
mod decor;
mod kitchen;
mod seats;
mod storage;
mod tables;

pub(super) use bath::{basin, bathtub, hamper, machine, shower, toilet, towel_rail};
pub(super) use decor::{
    curtain, floor_lamp, mirror, pendant, picture, plant, rug, table_lamp, television, trash_can, vase,
};
pub(super) use kitchen::{
    base_unit, fridge, hood, island, microwave, sink, small_appliance, stove, wall_unit,
};
pub(super) use seats::{armchair, bed, bench, chair, office_chair, sofa, stool};
pub(super) use storage::{
    bookshelf, boxes, clothes_rail, coat_rack, dresser, shelf_unit, shoe_rack, wardrobe, weights,
};
pub(super) use tables::{
    coffee_table, computer, console, desk, dining_table, nightstand, side_table, treadmill, tv_stand,
};

use super::builder::{Builder, Look};
use ambler_geometry::Vec3;

/// Looks that the pieces of one room share.
#[derive(Clone, Debug)]
pub(super) struct Looks {
    pub(super) wood: Look,
    pub(super) wood2: Look,
    pub(super) fabric: Look,
    pub(super) fabric2: Look,
    pub(super) metal: Look,
    pub(super) white: Look,
    pub(super) stone: Look,
    pub(super) fronts: Look,
    /// Round tapered legs instead of square ones.
    pub(super) round_legs: bool,
}

pub(super) fn v(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3::new(x, y, z)
}

/// Four legs under a rectangle.
pub(super) fn legs(b: &mut Builder, looks: &Looks, look: Look, area: [f32; 4], height: f32, thick: f32) {
    let [x0, z0, x1, z1] = area;
    for x in [x0, x1] {
        for z in [z0, z1] {
            if looks.round_legs {
                b.lathe(look, v(x, 0.0, z), &[(0.3 * thick, 0.0), (0.5 * thick, height)], 8);
            } else {
                let t = 0.5 * thick;
                b.block(look, v(x - t, 0.0, z - t), v(x + t, height, z + t));
            }
        }
    }
}

/// A row of fronts on a carcass: doors or drawers with gaps and handles. `area` is x0, y0, x1, y1 in
/// the plane z.
pub(super) fn fronts(
    b: &mut Builder,
    look: Look,
    metal: Look,
    [x0, y0, x1, y1]: [f32; 4],
    z: f32,
    [columns, rows]: [usize; 2],
    drawers: bool,
) {
    const GAP: f32 = 0.004;
    let (w, h) = ((x1 - x0) / columns as f32, (y1 - y0) / rows as f32);
    for column in 0..columns {
        for row in 0..rows {
            let (a, c) = (x0 + w * column as f32 + GAP, x0 + w * (column + 1) as f32 - GAP);
            let (e, f) = (y0 + h * row as f32 + GAP, y0 + h * (row + 1) as f32 - GAP);
            b.bevel(look, v(a, e, z), v(c, f, z + 0.018), 0.004);
            let z = z + 0.018;
            if drawers {
                let (m, y) = (0.5 * (a + c), e + 0.62 * (f - e));
                let half = (0.18 * (c - a)).clamp(0.04, 0.10);
                b.block(metal, v(m - half, y - 0.006, z), v(m + half, y + 0.006, z + 0.024));
            } else {
                let left = column % 2 == 1;
                let x = if left { a + 0.035 } else { c - 0.035 };
                let low = if y0 > 1.0 { e + 0.05 } else { f - 0.20 };
                b.block(metal, v(x - 0.006, low, z), v(x + 0.006, low + 0.14, z + 0.024));
            }
        }
    }
}
