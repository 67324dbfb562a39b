//! Beds and what one sits on.

use super::{Looks, legs, v};
use crate::home::builder::{Builder, Frame, Look};
use crate::home::texture::Tex;
use ambler_geometry::random::Stream;

/// A bed with its head at the back: frame, mattress, duvet, pillows. `w` × `d` outside.
pub(in crate::home) fn bed(
    b: &mut Builder,
    frame: Frame,
    w: f32,
    d: f32,
    looks: &Looks,
    stream: &mut Stream,
) {
    b.begin("bed", frame);
    let h = 0.5 * w;
    let padded = stream.uniform() < 0.5;
    let head = stream.range(0.95, 1.2) as f32;
    if padded {
        let look = looks.fabric2.times(0.92);
        let panels = if w > 1.3 { 4 } else { 2 };
        for i in 0..panels {
            let (a, c) = (w * i as f32 / panels as f32 - h, w * (i + 1) as f32 / panels as f32 - h);
            b.bevel(look, v(a, 0.12, 0.0), v(c, head, 0.09), 0.025);
        }
    } else {
        b.bevel(looks.wood, v(-h, 0.0, 0.0), v(h, head, 0.05), 0.012);
        b.bevel(looks.wood.times(0.93), v(-h + 0.08, 0.45, 0.045), v(h - 0.08, head - 0.1, 0.06), 0.006);
    }
    // Frame.
    let wood = looks.wood;
    for (x0, x1) in [(-h, -h + 0.04), (h - 0.04, h)] {
        b.bevel(wood, v(x0, 0.16, 0.05), v(x1, 0.36, d), 0.006);
    }
    b.bevel(wood, v(-h + 0.04, 0.16, d - 0.04), v(h - 0.04, 0.36, d), 0.006);
    b.block(wood.times(0.7), v(-h + 0.04, 0.24, 0.05), v(h - 0.04, 0.30, d - 0.04));
    legs(b, looks, wood, [-h + 0.05, 0.12, h - 0.05, d - 0.08], 0.17, 0.06);
    // Mattress and duvet.
    let sheet = Look::new(Tex::Fabric, [0.96, 0.95, 0.93]);
    b.bevel(sheet, v(-h + 0.035, 0.29, 0.08), v(h - 0.035, 0.50, d - 0.035), 0.04);
    let turned = 0.62 + 0.1 * stream.uniform() as f32;
    b.bevel(looks.fabric, v(-h + 0.012, 0.34, turned), v(h - 0.012, 0.555, d - 0.012), 0.045);
    b.bevel(
        sheet.times(0.98),
        v(-h + 0.016, 0.42, turned - 0.16),
        v(h - 0.016, 0.562, turned + 0.06),
        0.03,
    );
    // A throw over the foot end.
    if stream.uniform() < 0.55 {
        let z = d - 0.55;
        b.bevel(looks.fabric2, v(-h - 0.002, 0.33, z), v(h + 0.002, 0.566, z + 0.38), 0.03);
    }
    let count = if w > 1.3 { 2 } else { 1 };
    for i in 0..count {
        let x = if count == 1 { 0.0 } else { (i as f32 - 0.5) * 0.5 * w };
        let tilt = stream.range(-0.06, 0.06) as f32;
        b.frame = frame.moved(v(x, 0.0, 0.32), tilt);
        b.soft(sheet, v(-0.31, 0.47, -0.19), v(0.31, 0.64, 0.19), 3.2);
        if stream.uniform() < 0.6 {
            b.frame = frame.moved(v(x, 0.0, 0.50), -tilt);
            b.soft(looks.fabric2, v(-0.2, 0.48, -0.10), v(0.2, 0.74, 0.07), 3.0);
        }
    }
    b.frame = frame;
    b.surface(-h + 0.05, turned + 0.05, h - 0.05, d - 0.05, 0.555);
}

/// A sofa of `w` metres, 0.9 deep.
pub(in crate::home) fn sofa(b: &mut Builder, frame: Frame, w: f32, looks: &Looks, stream: &mut Stream) {
    b.begin("sofa", frame);
    let (h, d) = (0.5 * w, 0.9);
    let fabric = looks.fabric;
    let arm = stream.range(0.12, 0.2) as f32;
    let arm_top = stream.range(0.56, 0.66) as f32;
    legs(b, looks, looks.wood, [-h + 0.08, 0.08, h - 0.08, d - 0.08], 0.12, 0.05);
    b.bevel(fabric.times(0.94), v(-h + 0.02, 0.11, 0.02), v(h - 0.02, 0.29, d - 0.03), 0.02);
    b.bevel(fabric.times(0.96), v(-h + 0.02, 0.2, 0.0), v(h - 0.02, 0.76, 0.2), 0.05);
    for (x0, x1) in [(-h, -h + arm), (h - arm, h)] {
        b.bevel(fabric, v(x0, 0.11, 0.02), v(x1, arm_top, d), 0.05);
    }
    let seats = if w > 2.05 { 3 } else { 2 };
    let pitch = (w - 2.0 * arm) / seats as f32;
    for i in 0..seats {
        let x = -h + arm + pitch * i as f32;
        let tone = fabric.times(stream.range(0.98, 1.03) as f32);
        b.bevel(tone, v(x + 0.005, 0.28, 0.18), v(x + pitch - 0.005, 0.44, d + 0.005), 0.045);
        b.frame = frame.moved(v(x + 0.5 * pitch, 0.0, 0.26), stream.range(-0.04, 0.04) as f32);
        b.soft(tone, v(-0.5 * pitch + 0.01, 0.42, -0.11), v(0.5 * pitch - 0.01, 0.84, 0.12), 4.5);
        b.frame = frame;
    }
    b.surface(-h + arm + 0.02, 0.40, h - arm - 0.02, d - 0.03, 0.44);
    for side in [-1.0, 1.0] {
        if stream.uniform() < 0.75 {
            b.begin("cushion", frame.moved(v(side * (h - arm - 0.24), 0.0, 0.44), side * -0.35));
            b.soft(looks.fabric2, v(-0.22, 0.44, -0.07), v(0.22, 0.82, 0.07), 2.8);
        }
    }
    b.frame = frame;
}

/// An armchair, 0.80 × 0.82.
pub(in crate::home) fn armchair(b: &mut Builder, frame: Frame, looks: &Looks, stream: &mut Stream) {
    b.begin("armchair", frame);
    let fabric = looks.fabric2;
    legs(b, looks, looks.wood, [-0.32, 0.1, 0.32, 0.72], 0.18, 0.05);
    b.bevel(fabric.times(0.95), v(-0.36, 0.17, 0.04), v(0.36, 0.32, 0.78), 0.03);
    b.soft(fabric, v(-0.37, 0.24, 0.0), v(0.37, 0.90, 0.22), 5.0);
    for (x0, x1) in [(-0.40, -0.27), (0.27, 0.40)] {
        b.bevel(fabric.times(0.97), v(x0, 0.2, 0.05), v(x1, 0.60, 0.8), 0.045);
    }
    b.bevel(fabric.times(1.03), v(-0.26, 0.30, 0.18), v(0.26, 0.45, 0.80), 0.045);
    b.surface(-0.22, 0.3, 0.22, 0.76, 0.45);
    if stream.uniform() < 0.5 {
        b.begin("cushion", frame.moved(v(0.05, 0.0, 0.36), 0.12));
        b.soft(looks.fabric, v(-0.2, 0.45, -0.06), v(0.2, 0.8, 0.07), 2.8);
    }
    b.frame = frame;
}

/// A chair, 0.45 × 0.50; its back is at z = 0.
pub(in crate::home) fn chair(b: &mut Builder, frame: Frame, looks: &Looks, kind: usize) {
    b.begin("chair", frame);
    let wood = looks.wood;
    legs(b, looks, wood, [-0.19, 0.06, 0.19, 0.46], 0.43, 0.042);
    b.bevel(wood, v(-0.225, 0.42, 0.02), v(0.225, 0.455, 0.5), 0.012);
    if kind != 1 {
        b.bevel(looks.fabric2, v(-0.205, 0.45, 0.06), v(0.205, 0.48, 0.485), 0.014);
    }
    for x in [-0.195, 0.195] {
        b.block(wood, v(x - 0.018, 0.44, 0.03), v(x + 0.018, 0.90, 0.065));
    }
    match kind {
        0 => b.bevel(wood, v(-0.215, 0.66, 0.03), v(0.215, 0.91, 0.06), 0.01),
        1 => {
            b.bevel(wood, v(-0.215, 0.84, 0.03), v(0.215, 0.91, 0.06), 0.01);
            for i in 0..5 {
                let x = -0.14 + 0.07 * i as f32;
                b.rod(wood, v(x, 0.455, 0.05), v(x, 0.85, 0.045), 0.008, 6);
            }
        }
        _ => {
            b.bevel(looks.fabric2, v(-0.2, 0.56, 0.025), v(0.2, 0.89, 0.07), 0.018);
        }
    }
    b.surface(-0.19, 0.10, 0.19, 0.47, if kind == 1 { 0.455 } else { 0.48 });
}

/// A swivel chair, 0.6 × 0.6.
pub(in crate::home) fn office_chair(b: &mut Builder, frame: Frame, looks: &Looks) {
    b.begin("office_chair", frame);
    let dark = Look::plain([0.16, 0.16, 0.17]);
    let hub = v(0.0, 0.08, 0.32);
    for i in 0..5 {
        let angle = i as f32 * std::f32::consts::TAU / 5.0 + 0.3;
        let tip = hub + v(0.27 * libm::cosf(angle), -0.02, 0.27 * libm::sinf(angle));
        b.rod(dark, hub, tip, 0.022, 6);
        b.cylinder(dark.times(0.7), tip - v(0.0, 0.06, 0.0), 0.028, 0.05, 8);
    }
    b.cylinder(Look::plain([0.6, 0.6, 0.62]), v(0.0, 0.08, 0.32), 0.03, 0.34, 8);
    b.soft(looks.fabric2, v(-0.25, 0.41, 0.08), v(0.25, 0.51, 0.57), 5.0);
    b.bevel(dark, v(-0.03, 0.44, 0.05), v(0.03, 0.7, 0.08), 0.008);
    b.soft(looks.fabric2, v(-0.23, 0.58, 0.03), v(0.23, 1.0, 0.11), 5.0);
    for x in [-0.27, 0.27] {
        b.bevel(dark, v(x - 0.02, 0.64, 0.15), v(x + 0.02, 0.67, 0.42), 0.01);
        b.block(dark, v(x - 0.01, 0.46, 0.26), v(x + 0.01, 0.64, 0.3));
    }
    b.surface(-0.2, 0.14, 0.2, 0.52, 0.51);
}

/// A bar stool, 0.38 across.
pub(in crate::home) fn stool(b: &mut Builder, frame: Frame, looks: &Looks) {
    b.begin("stool", frame);
    for (x, z) in [(-0.13, 0.06), (0.13, 0.06), (-0.13, 0.32), (0.13, 0.32)] {
        let top = v(0.7 * x, 0.63, 0.19 + 0.7 * (z - 0.19));
        b.rod(looks.metal, v(x, 0.0, z), top, 0.012, 6);
    }
    b.cylinder(looks.wood, v(0.0, 0.63, 0.19), 0.18, 0.035, 20);
    b.surface(-0.12, 0.07, 0.12, 0.31, 0.665);
}

/// A padded bench or ottoman of `w` × `d`.
pub(in crate::home) fn bench(b: &mut Builder, frame: Frame, w: f32, d: f32, looks: &Looks) {
    b.begin("bench", frame);
    let h = 0.5 * w;
    legs(b, looks, looks.wood, [-h + 0.06, 0.06, h - 0.06, d - 0.06], 0.30, 0.05);
    b.bevel(looks.wood, v(-h, 0.29, 0.0), v(h, 0.36, d), 0.008);
    b.bevel(looks.fabric2, v(-h + 0.01, 0.355, 0.01), v(h - 0.01, 0.46, d - 0.01), 0.035);
    b.surface(-h + 0.04, 0.04, h - 0.04, d - 0.04, 0.46);
}
