//! Kitchen units and machines. Units are 0.60 deep; their tops are 0.90 high.

use super::{Looks, fronts, v};
use crate::home::builder::{Builder, Frame, Look};
use ambler_geometry::random::Stream;

const TOP: f32 = 0.90;

/// Cabinet and counter top of `w`; drawers or doors.
pub(in crate::home) fn base_unit(b: &mut Builder, frame: Frame, w: f32, drawers: bool, looks: &Looks) {
    b.begin("counter", frame);
    carcass(b, w, 0.86, looks);
    let x = 0.5 * w;
    let columns = if w > 0.65 { 2 } else { 1 };
    if drawers {
        fronts(b, looks.fronts, looks.metal, [-x, 0.11, x, 0.85], 0.57, [1, 3], true);
    } else {
        fronts(b, looks.fronts, looks.metal, [-x, 0.72, x, 0.85], 0.57, [columns, 1], true);
        fronts(b, looks.fronts, looks.metal, [-x, 0.11, x, 0.72], 0.57, [columns, 1], false);
    }
    worktop(b, w, looks);
    b.surface(-x + 0.01, 0.03, x - 0.01, 0.60, TOP);
}

fn carcass(b: &mut Builder, w: f32, top: f32, looks: &Looks) {
    let x = 0.5 * w;
    b.block(Look::plain([0.2, 0.2, 0.2]), v(-x, 0.0, 0.0), v(x, 0.1, 0.52));
    b.block(looks.fronts.times(0.9), v(-x, 0.1, 0.0), v(x, top, 0.57));
}

fn worktop(b: &mut Builder, w: f32, looks: &Looks) {
    let x = 0.5 * w;
    b.bevel(looks.stone, v(-x, 0.862, 0.0), v(x, TOP, 0.62), 0.005);
}

/// A cabinet on the wall: 0.33 deep, from 1.42 to 2.12.
pub(in crate::home) fn wall_unit(b: &mut Builder, frame: Frame, w: f32, looks: &Looks) {
    b.begin("cabinet", frame);
    let x = 0.5 * w;
    b.bevel(looks.fronts.times(0.95), v(-x, 1.42, 0.0), v(x, 2.12, 0.31), 0.003);
    let columns = if w > 0.65 { 2 } else { 1 };
    fronts(b, looks.fronts, looks.metal, [-x, 1.42, x, 2.12], 0.31, [columns, 1], false);
}

/// Sink and tap in a counter of `w`.
pub(in crate::home) fn sink(b: &mut Builder, frame: Frame, w: f32, looks: &Looks) {
    b.begin("counter", frame);
    carcass(b, w, 0.72, looks);
    let x = 0.5 * w;
    for (a, c) in [(-x, -x + 0.09), (x - 0.09, x)] {
        b.block(looks.fronts.times(0.9), v(a, 0.72, 0.0), v(c, 0.862, 0.57));
    }
    b.block(looks.fronts.times(0.9), v(-x, 0.72, 0.51), v(x, 0.862, 0.57));
    let steel = Look::plain([0.72, 0.74, 0.76]);
    fronts(b, looks.fronts, looks.metal, [-x, 0.11, x, 0.85], 0.57, [2, 1], false);
    let (i, z0, z1) = (x - 0.1, 0.10, 0.50);
    // The top around the basin.
    b.block(looks.stone, v(-x, 0.862, 0.0), v(x, TOP, z0));
    b.block(looks.stone, v(-x, 0.862, z1), v(x, TOP, 0.62));
    b.block(looks.stone, v(-x, 0.862, z0), v(-i, TOP, z1));
    b.block(looks.stone, v(i, 0.862, z0), v(x, TOP, z1));
    b.begin("sink", frame);
    let low = 0.74;
    b.block(steel.times(0.85), v(-i, low - 0.01, z0), v(i, low, z1));
    for (a, c) in [(-i - 0.004, -i + 0.012), (i - 0.012, i + 0.004)] {
        b.block(steel.times(0.95), v(a, low, z0), v(c, TOP + 0.004, z1));
    }
    for (a, c) in [(z0 - 0.004, z0 + 0.012), (z1 - 0.012, z1 + 0.004)] {
        b.block(steel.times(0.95), v(-i, low, a), v(i, TOP + 0.004, c));
    }
    b.cylinder(steel.times(0.5), v(0.0, low, 0.3), 0.035, 0.004, 12);
    b.begin("tap", frame);
    b.cylinder(steel, v(0.0, TOP, 0.06), 0.022, 0.05, 10);
    b.rod(steel, v(0.0, TOP + 0.03, 0.06), v(0.0, TOP + 0.30, 0.06), 0.012, 8);
    b.rod(steel, v(0.0, TOP + 0.30, 0.06), v(0.0, TOP + 0.32, 0.16), 0.012, 8);
    b.rod(steel, v(0.0, TOP + 0.32, 0.16), v(0.0, TOP + 0.24, 0.24), 0.012, 8);
    b.rod(steel, v(0.02, TOP + 0.04, 0.06), v(0.08, TOP + 0.09, 0.06), 0.008, 6);
}

/// Oven with a hob, 0.60 wide.
pub(in crate::home) fn stove(b: &mut Builder, frame: Frame, looks: &Looks) {
    b.begin("stove", frame);
    let steel = Look::plain([0.70, 0.71, 0.72]);
    let dark = Look::plain([0.08, 0.08, 0.09]);
    b.block(dark, v(-0.3, 0.0, 0.0), v(0.3, 0.1, 0.52));
    b.bevel(steel, v(-0.3, 0.1, 0.0), v(0.3, 0.88, 0.58), 0.005);
    b.bevel(dark, v(-0.26, 0.22, 0.575), v(0.26, 0.66, 0.598), 0.006);
    b.block(dark.times(2.2), v(-0.2, 0.29, 0.597), v(0.2, 0.56, 0.6));
    b.rod(looks.metal, v(-0.24, 0.70, 0.63), v(0.24, 0.70, 0.63), 0.011, 8);
    for x in [-0.22, 0.22] {
        b.rod(looks.metal, v(x, 0.70, 0.59), v(x, 0.70, 0.63), 0.008, 6);
    }
    for i in 0..5 {
        let x = -0.2 + 0.1 * i as f32;
        b.rod(dark, v(x, 0.80, 0.58), v(x, 0.80, 0.61), 0.02, 10);
    }
    b.bevel(dark, v(-0.3, 0.875, 0.0), v(0.3, TOP + 0.004, 0.6), 0.004);
    for (x, z, r) in [(-0.14, 0.16, 0.075), (0.14, 0.16, 0.09), (-0.14, 0.42, 0.09), (0.14, 0.42, 0.075)]
    {
        b.cylinder(Look::plain([0.25, 0.25, 0.26]), v(x, TOP + 0.004, z), r, 0.008, 18);
        b.cylinder(dark, v(x, TOP + 0.012, z), 0.6 * r, 0.003, 14);
    }
    b.surface(-0.26, 0.06, 0.26, 0.54, TOP + 0.012);
}

/// A hood over the stove, 0.60 wide.
pub(in crate::home) fn hood(b: &mut Builder, frame: Frame, top: f32) {
    b.begin("range_hood", frame);
    let steel = Look::plain([0.74, 0.75, 0.77]);
    b.bevel(steel, v(-0.3, 1.58, 0.0), v(0.3, 1.66, 0.48), 0.006);
    b.bevel(steel.times(0.96), v(-0.24, 1.66, 0.0), v(0.24, 1.74, 0.36), 0.02);
    b.block(steel, v(-0.14, 1.74, 0.0), v(0.14, top, 0.28));
}

/// A fridge of `w` × 0.66, 1.85 high.
pub(in crate::home) fn fridge(b: &mut Builder, frame: Frame, w: f32, steel: bool) {
    b.begin("refrigerator", frame);
    let x = 0.5 * w;
    let look = Look::plain(if steel { [0.72, 0.73, 0.75] } else { [0.93, 0.93, 0.92] });
    let dark = Look::plain([0.25, 0.25, 0.26]);
    b.block(dark, v(-x, 0.0, 0.02), v(x, 0.05, 0.50));
    b.bevel(look.times(0.95), v(-x, 0.05, 0.0), v(x, 1.85, 0.53), 0.006);
    b.bevel(look, v(-x + 0.004, 0.06, 0.535), v(x - 0.004, 0.66, 0.59), 0.012);
    b.bevel(look, v(-x + 0.004, 0.672, 0.535), v(x - 0.004, 1.845, 0.59), 0.012);
    for (y0, y1) in [(0.45, 0.62), (0.72, 1.15)] {
        let hx = x - 0.07;
        b.rod(dark, v(hx, y0, 0.62), v(hx, y1, 0.62), 0.011, 8);
        b.rod(dark, v(hx, y0 + 0.02, 0.59), v(hx, y0 + 0.02, 0.62), 0.008, 6);
        b.rod(dark, v(hx, y1 - 0.02, 0.59), v(hx, y1 - 0.02, 0.62), 0.008, 6);
    }
}

/// An island of `w` × 0.85; stools stand at its back.
pub(in crate::home) fn island(b: &mut Builder, frame: Frame, w: f32, looks: &Looks) {
    b.begin("kitchen_island", frame);
    let x = 0.5 * w;
    b.block(Look::plain([0.2, 0.2, 0.2]), v(-x + 0.05, 0.0, 0.3), v(x - 0.05, 0.1, 0.78));
    b.block(looks.fronts.times(0.92), v(-x + 0.03, 0.1, 0.27), v(x - 0.03, 0.86, 0.80));
    fronts(b, looks.fronts, looks.metal, [-x + 0.03, 0.11, x - 0.03, 0.85], 0.80, [3, 1], false);
    b.bevel(looks.stone, v(-x, 0.86, 0.0), v(x, TOP, 0.85), 0.006);
    b.surface(-x + 0.03, 0.03, x - 0.03, 0.82, TOP);
}

/// A microwave on a counter, 0.48 wide.
pub(in crate::home) fn microwave(b: &mut Builder, frame: Frame) {
    b.begin("microwave", frame);
    let grey = Look::plain([0.66, 0.67, 0.69]);
    let dark = Look::plain([0.10, 0.10, 0.11]);
    b.bevel(grey, v(-0.24, TOP + 0.01, 0.04), v(0.24, TOP + 0.29, 0.38), 0.008);
    b.bevel(dark, v(-0.22, TOP + 0.035, 0.378), v(0.11, TOP + 0.27, 0.39), 0.005);
    b.block(dark.times(1.6), v(0.125, TOP + 0.035, 0.378), v(0.225, TOP + 0.27, 0.386));
    b.rod(grey, v(0.115, TOP + 0.06, 0.41), v(0.115, TOP + 0.25, 0.41), 0.008, 6);
}

/// A kettle, a toaster, a coffee maker, a fruit bowl or a board of knives; the frame's origin is on the
/// counter's back edge, the top at 0.90.
pub(in crate::home) fn small_appliance(
    b: &mut Builder,
    frame: Frame,
    kind: usize,
    looks: &Looks,
    stream: &mut Stream,
) {
    let steel = Look::plain([0.70, 0.71, 0.73]);
    let dark = Look::plain([0.12, 0.12, 0.13]);
    let y = TOP;
    match kind % 5 {
        0 => {
            b.begin("kettle", frame);
            b.lathe(
                steel,
                v(0.0, y, 0.28),
                &[(0.0, 0.0), (0.085, 0.0), (0.08, 0.08), (0.06, 0.18), (0.02, 0.2), (0.0, 0.22)],
                16,
            );
            b.rod(dark, v(0.075, y + 0.05, 0.28), v(0.12, y + 0.10, 0.28), 0.012, 6);
            b.rod(dark, v(0.12, y + 0.10, 0.28), v(0.065, y + 0.19, 0.28), 0.012, 6);
        }
        1 => {
            b.begin("toaster", frame);
            b.bevel(steel, v(-0.14, y, 0.18), v(0.14, y + 0.18, 0.34), 0.03);
            for z in [0.225, 0.285] {
                b.block(dark, v(-0.1, y + 0.175, z - 0.012), v(0.1, y + 0.182, z + 0.012));
            }
            b.block(dark, v(0.135, y + 0.08, 0.24), v(0.16, y + 0.1, 0.28));
        }
        2 => {
            b.begin("coffee_maker", frame);
            b.bevel(dark, v(-0.1, y, 0.12), v(0.1, y + 0.33, 0.24), 0.012);
            b.bevel(dark, v(-0.1, y, 0.12), v(0.1, y + 0.04, 0.38), 0.01);
            b.bevel(dark, v(-0.1, y + 0.25, 0.12), v(0.1, y + 0.33, 0.37), 0.012);
            b.lathe(
                Look::plain([0.35, 0.24, 0.18]),
                v(0.0, y + 0.04, 0.31),
                &[(0.0, 0.0), (0.06, 0.0), (0.065, 0.1), (0.045, 0.15), (0.0, 0.15)],
                14,
            );
        }
        3 => {
            b.begin("bowl", frame);
            b.lathe(
                looks.white,
                v(0.0, y, 0.3),
                &[(0.0, 0.0), (0.06, 0.0), (0.13, 0.08), (0.124, 0.08), (0.055, 0.012), (0.0, 0.012)],
                20,
            );
            for i in 0..4 {
                let angle = i as f32 * 1.6;
                let tone =
                    [[0.85, 0.25, 0.18], [0.92, 0.6, 0.15], [0.55, 0.72, 0.25], [0.9, 0.82, 0.3]][i];
                let (x, z) = (0.05 * libm::cosf(angle), 0.3 + 0.05 * libm::sinf(angle));
                b.begin("fruit", frame);
                b.soft(
                    Look::plain(tone),
                    v(x - 0.038, y + 0.03, z - 0.038),
                    v(x + 0.038, y + 0.105, z + 0.038),
                    2.2,
                );
            }
        }
        _ => {
            b.begin("utensil_holder", frame);
            b.lathe(
                looks.white,
                v(0.0, y, 0.2),
                &[(0.0, 0.0), (0.055, 0.0), (0.055, 0.15), (0.048, 0.15), (0.048, 0.02), (0.0, 0.02)],
                14,
            );
            for i in 0..4 {
                let (dx, dz) = (stream.range(-0.05, 0.05) as f32, stream.range(-0.05, 0.05) as f32);
                b.rod(
                    looks.wood,
                    v(0.3 * dx, y + 0.02, 0.2 + 0.3 * dz),
                    v(dx, y + 0.26 + 0.02 * i as f32, 0.2 + dz),
                    0.008,
                    5,
                );
            }
        }
    }
}
