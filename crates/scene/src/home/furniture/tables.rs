//! Tables, desks and what stands on them.

use super::{Looks, fronts, legs, v};
use crate::home::builder::{Builder, Frame, Look};
use crate::home::texture::Tex;
use ambler_geometry::Vec2;
use ambler_geometry::random::Stream;

/// A dining table of `w` × `d`; its back edge is at z = 0.
pub(in crate::home) fn dining_table(b: &mut Builder, frame: Frame, w: f32, d: f32, looks: &Looks) {
    b.begin("dining_table", frame);
    let h = 0.5 * w;
    legs(b, looks, looks.wood, [-h + 0.08, 0.08, h - 0.08, d - 0.08], 0.71, 0.075);
    b.block(looks.wood.times(0.95), v(-h + 0.09, 0.63, 0.07), v(h - 0.09, 0.71, 0.09));
    b.block(looks.wood.times(0.95), v(-h + 0.09, 0.63, d - 0.09), v(h - 0.09, 0.71, d - 0.07));
    b.bevel(looks.wood, v(-h, 0.705, 0.0), v(h, 0.74, d), 0.008);
    b.surface(-h + 0.02, 0.02, h - 0.02, d - 0.02, 0.74);
}

/// A low table of `w` × `d` before a sofa.
pub(in crate::home) fn coffee_table(
    b: &mut Builder,
    frame: Frame,
    w: f32,
    d: f32,
    looks: &Looks,
    stream: &mut Stream,
) {
    b.begin("coffee_table", frame);
    let h = 0.5 * w;
    match stream.index(3) {
        0 => {
            let r = 0.5 * d.max(0.66);
            b.cylinder(looks.wood, v(0.0, 0.38, 0.5 * d), r, 0.035, 28);
            for i in 0..3 {
                let angle = i as f32 * std::f32::consts::TAU / 3.0;
                let (x, z) = (libm::cosf(angle), libm::sinf(angle));
                let foot = v(0.8 * r * x, 0.0, 0.5 * d + 0.8 * r * z);
                b.rod(looks.wood, foot, v(0.55 * r * x, 0.39, 0.5 * d + 0.55 * r * z), 0.018, 8);
            }
            b.surface(-0.62 * r, 0.5 * d - 0.62 * r, 0.62 * r, 0.5 * d + 0.62 * r, 0.415);
        }
        1 => {
            legs(b, looks, looks.metal, [-h + 0.04, 0.04, h - 0.04, d - 0.04], 0.38, 0.03);
            b.bevel(looks.stone, v(-h, 0.38, 0.0), v(h, 0.415, d), 0.006);
            b.block(looks.wood, v(-h + 0.05, 0.14, 0.05), v(h - 0.05, 0.16, d - 0.05));
            b.surface(-h + 0.02, 0.02, h - 0.02, d - 0.02, 0.415);
        }
        _ => {
            b.bevel(looks.wood, v(-h, 0.0, 0.04), v(-h + 0.04, 0.38, d - 0.04), 0.006);
            b.bevel(looks.wood, v(h - 0.04, 0.0, 0.04), v(h, 0.38, d - 0.04), 0.006);
            b.bevel(looks.wood, v(-h, 0.38, 0.0), v(h, 0.42, d), 0.008);
            b.block(looks.wood.times(0.94), v(-h + 0.04, 0.13, 0.06), v(h - 0.04, 0.15, d - 0.06));
            b.surface(-h + 0.02, 0.02, h - 0.02, d - 0.02, 0.42);
        }
    }
}

/// A small table, 0.45 × 0.40.
pub(in crate::home) fn side_table(b: &mut Builder, frame: Frame, looks: &Looks) {
    b.begin("side_table", frame);
    legs(b, looks, looks.wood, [-0.17, 0.05, 0.17, 0.37], 0.52, 0.035);
    b.bevel(looks.wood, v(-0.21, 0.515, 0.0), v(0.21, 0.55, 0.42), 0.008);
    b.block(looks.wood.times(0.95), v(-0.18, 0.18, 0.05), v(0.18, 0.20, 0.37));
    b.surface(-0.19, 0.02, 0.19, 0.40, 0.55);
}

/// A nightstand, 0.45 × 0.40.
pub(in crate::home) fn nightstand(b: &mut Builder, frame: Frame, looks: &Looks) {
    b.begin("nightstand", frame);
    legs(b, looks, looks.wood, [-0.18, 0.05, 0.18, 0.35], 0.16, 0.035);
    b.bevel(looks.wood, v(-0.225, 0.15, 0.0), v(0.225, 0.53, 0.38), 0.006);
    fronts(b, looks.wood2, looks.metal, [-0.21, 0.17, 0.21, 0.51], 0.38, [1, 2], true);
    b.bevel(looks.wood, v(-0.235, 0.53, 0.0), v(0.235, 0.55, 0.405), 0.005);
    b.surface(-0.21, 0.02, 0.21, 0.38, 0.55);
}

/// A television stand of `w`, 0.42 deep; its top is 0.5 high.
pub(in crate::home) fn tv_stand(b: &mut Builder, frame: Frame, w: f32, looks: &Looks) {
    b.begin("tv_stand", frame);
    let h = 0.5 * w;
    legs(b, looks, looks.wood, [-h + 0.08, 0.08, h - 0.08, 0.34], 0.13, 0.045);
    b.bevel(looks.wood, v(-h, 0.12, 0.0), v(h, 0.48, 0.38), 0.006);
    fronts(b, looks.wood2, looks.metal, [-h + 0.02, 0.14, h - 0.02, 0.46], 0.38, [3, 1], true);
    b.bevel(looks.wood, v(-h - 0.01, 0.475, 0.0), v(h + 0.01, 0.5, 0.41), 0.005);
    b.surface(-h + 0.03, 0.24, h - 0.03, 0.39, 0.5);
}

/// A narrow table for hall and entry: `w` × 0.32, 0.80 high.
pub(in crate::home) fn console(b: &mut Builder, frame: Frame, w: f32, looks: &Looks) {
    b.begin("console_table", frame);
    let h = 0.5 * w;
    legs(b, looks, looks.wood, [-h + 0.03, 0.03, h - 0.03, 0.27], 0.77, 0.035);
    b.bevel(looks.wood, v(-h, 0.77, 0.0), v(h, 0.80, 0.30), 0.006);
    b.block(looks.wood.times(0.95), v(-h + 0.02, 0.20, 0.02), v(h - 0.02, 0.22, 0.28));
    fronts(b, looks.wood2, looks.metal, [-h + 0.06, 0.66, h - 0.06, 0.765], 0.262, [2, 1], true);
    b.block(looks.wood.times(0.95), v(-h + 0.05, 0.66, 0.02), v(h - 0.05, 0.77, 0.26));
    b.surface(-h + 0.02, 0.02, h - 0.02, 0.28, 0.80);
}

/// A desk of `w` × `d` with drawers at one end; the chair stands at its front.
pub(in crate::home) fn desk(b: &mut Builder, frame: Frame, w: f32, d: f32, looks: &Looks) {
    b.begin("desk", frame);
    let h = 0.5 * w;
    for z in [0.06, d - 0.06] {
        b.block(looks.metal, v(-h + 0.03, 0.0, z - 0.02), v(-h + 0.07, 0.70, z + 0.02));
    }
    b.bevel(looks.wood, v(h - 0.40, 0.05, 0.04), v(h - 0.02, 0.705, d - 0.05), 0.005);
    fronts(b, looks.wood2, looks.metal, [h - 0.39, 0.07, h - 0.03, 0.69], d - 0.05, [1, 3], true);
    b.bevel(looks.wood, v(-h, 0.705, 0.0), v(h, 0.74, d), 0.007);
    b.surface(-h + 0.03, 0.22, h - 0.03, d - 0.03, 0.74);
}

/// Monitor, keyboard, mouse and a mug on a desk whose top is 0.74 high; a laptop instead of the screen
/// now and then. The frame is the desk's.
pub(in crate::home) fn computer(b: &mut Builder, frame: Frame, looks: &Looks, stream: &mut Stream) {
    let dark = Look::plain([0.10, 0.10, 0.11]);
    let screen = Look::new(Tex::Screen, [1.0; 3]);
    let shine = |b: &mut Builder, x: f32, y0: f32, y1: f32, z: f32| {
        b.glows = true;
        let uv = [Vec2::new(0.0, 1.0), Vec2::new(1.0, 1.0), Vec2::new(1.0, 0.0), Vec2::new(0.0, 0.0)];
        b.face(screen, [v(-x, y0, z), v(x, y0, z), v(x, y1, z), v(-x, y1, z)], uv);
        b.glows = false;
    };
    if stream.uniform() < 0.7 {
        b.begin("monitor", frame);
        b.bevel(dark, v(-0.11, 0.74, 0.08), v(0.11, 0.755, 0.26), 0.004);
        b.block(dark, v(-0.025, 0.75, 0.12), v(0.025, 0.95, 0.15));
        b.bevel(dark, v(-0.29, 0.86, 0.15), v(0.29, 1.21, 0.18), 0.006);
        shine(b, 0.275, 0.88, 1.195, 0.1815);
        b.begin("keyboard", frame);
        b.bevel(dark.times(1.6), v(-0.22, 0.74, 0.36), v(0.22, 0.76, 0.50), 0.004);
        b.begin("computer_mouse", frame);
        b.soft(dark.times(1.6), v(0.27, 0.74, 0.39), v(0.33, 0.775, 0.49), 3.0);
    } else {
        b.begin("laptop", frame);
        let grey = Look::plain([0.62, 0.63, 0.65]);
        b.bevel(grey, v(-0.17, 0.74, 0.26), v(0.17, 0.757, 0.49), 0.004);
        b.block(dark, v(-0.15, 0.757, 0.29), v(0.15, 0.759, 0.40));
        b.bevel(grey, v(-0.17, 0.755, 0.23), v(0.17, 0.98, 0.245), 0.004);
        shine(b, 0.155, 0.772, 0.965, 0.2465);
    }
    b.begin("mug", frame);
    b.lathe(
        looks.fabric.times(1.0),
        v(-0.42, 0.74, 0.3),
        &[(0.0, 0.0), (0.04, 0.0), (0.042, 0.09), (0.037, 0.09), (0.035, 0.02), (0.0, 0.02)],
        14,
    );
}

/// A treadmill, 0.75 × 1.7; the console is at the back.
pub(in crate::home) fn treadmill(b: &mut Builder, frame: Frame) {
    b.begin("treadmill", frame);
    let dark = Look::plain([0.14, 0.14, 0.15]);
    let grey = Look::plain([0.55, 0.56, 0.58]);
    b.bevel(grey, v(-0.37, 0.04, 0.05), v(0.37, 0.22, 1.68), 0.02);
    b.block(dark, v(-0.24, 0.2, 0.4), v(0.24, 0.235, 1.66));
    b.bevel(grey.times(0.8), v(-0.37, 0.1, 0.05), v(0.37, 0.34, 0.42), 0.03);
    for x in [-0.33, 0.33] {
        b.rod(grey, v(x, 0.2, 0.3), v(x, 1.25, 0.15), 0.03, 8);
        b.rod(dark, v(x, 1.1, 0.17), v(x, 1.05, 0.62), 0.024, 8);
    }
    b.bevel(dark, v(-0.34, 1.15, 0.08), v(0.34, 1.42, 0.18), 0.02);
    b.glows = true;
    b.quad(
        Look::plain([0.35, 0.62, 0.72]),
        [v(-0.16, 1.22, 0.1815), v(0.16, 1.22, 0.1815), v(0.16, 1.36, 0.1815), v(-0.16, 1.36, 0.1815)],
    );
    b.glows = false;
}
