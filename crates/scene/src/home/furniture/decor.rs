//! Lamps, plants, pictures, rugs, curtains, screens.

use super::{Looks, v};
use crate::home::builder::{Builder, Frame, Look};
use crate::home::style::rgb;
use crate::home::texture::{PICTURES, Tex};
use ambler_geometry::random::Stream;
use ambler_geometry::{Vec2, Vec3};

const SHADE: [f32; 3] = [1.0, 0.95, 0.84];

/// A lamp on a pole, 0.36 across.
pub(in crate::home) fn floor_lamp(b: &mut Builder, frame: Frame, looks: &Looks) {
    b.begin("floor_lamp", frame);
    let c = 0.2;
    b.lathe(
        looks.metal,
        v(0.0, 0.0, c),
        &[(0.0, 0.0), (0.15, 0.0), (0.145, 0.02), (0.02, 0.035), (0.0, 0.035)],
        20,
    );
    b.rod(looks.metal, v(0.0, 0.03, c), v(0.0, 1.45, c), 0.012, 8);
    b.glows = true;
    b.lathe(
        Look::plain(SHADE),
        v(0.0, 1.38, c),
        &[(0.19, 0.0), (0.13, 0.26), (0.125, 0.26), (0.185, 0.0)],
        24,
    );
    b.glows = false;
}

/// A lamp for tables; the frame's origin is where it stands.
pub(in crate::home) fn table_lamp(b: &mut Builder, frame: Frame, looks: &Looks) {
    b.begin("table_lamp", frame);
    b.lathe(
        looks.white.times(0.95),
        Vec3::ZERO,
        &[(0.0, 0.0), (0.055, 0.0), (0.075, 0.07), (0.03, 0.17), (0.012, 0.2), (0.012, 0.26)],
        16,
    );
    b.glows = true;
    b.lathe(
        Look::plain(SHADE),
        v(0.0, 0.22, 0.0),
        &[(0.13, 0.0), (0.09, 0.18), (0.086, 0.18), (0.126, 0.0)],
        20,
    );
    b.glows = false;
}

/// A lamp under the ceiling: flat, or hanging to `bottom` over a table. The frame's origin is the point
/// of the floor below; `top` is the ceiling.
pub(in crate::home) fn pendant(
    b: &mut Builder,
    frame: Frame,
    top: f32,
    bottom: Option<f32>,
    looks: &Looks,
) {
    b.begin("ceiling_lamp", frame);
    let shades = b.shades.len();
    match bottom {
        Some(y) => {
            b.rod(looks.metal, v(0.0, y + 0.22, 0.0), v(0.0, top, 0.0), 0.006, 6);
            b.lathe(
                looks.metal,
                v(0.0, y, 0.0),
                &[(0.22, 0.0), (0.16, 0.12), (0.05, 0.22), (0.0, 0.23)],
                24,
            );
            b.glows = true;
            b.lathe(
                Look::plain(SHADE),
                v(0.0, y, 0.0),
                &[(0.0, 0.015), (0.12, 0.012), (0.218, 0.002)],
                24,
            );
            b.lathe(
                Look::plain(SHADE),
                v(0.0, y - 0.02, 0.0),
                &[(0.0, 0.0), (0.05, 0.01), (0.06, 0.05), (0.0, 0.09)],
                12,
            );
        }
        None => {
            b.lathe(looks.white, v(0.0, top - 0.03, 0.0), &[(0.19, 0.0), (0.19, 0.03)], 24);
            b.glows = true;
            b.lathe(
                Look::plain([1.0, 0.97, 0.9]),
                v(0.0, top - 0.10, 0.0),
                &[(0.0, 0.0), (0.10, 0.01), (0.16, 0.035), (0.185, 0.07)],
                24,
            );
        }
    }
    b.glows = false;
    b.drop_shades(shades);
}

/// A plant in a pot, 0.36 × 0.36, `h` high; the frame's origin is the back of its place.
pub(in crate::home) fn plant(b: &mut Builder, frame: Frame, h: f32, looks: &Looks, stream: &mut Stream) {
    b.begin("plant", frame);
    let c = v(0.0, 0.0, 0.2);
    let s = (h / 1.1).clamp(0.5, 1.1);
    let pot = [looks.white.tint, rgb(0xB5653A), rgb(0x5C6166)][stream.index(3)];
    b.lathe(
        Look::plain(pot),
        c,
        &[
            (0.0, 0.0),
            (0.11 * s, 0.0),
            (0.16 * s, 0.27 * s),
            (0.17 * s, 0.30 * s),
            (0.15 * s, 0.30 * s),
            (0.145 * s, 0.26 * s),
        ],
        18,
    );
    b.lathe(Look::plain([0.24, 0.17, 0.12]), c, &[(0.15 * s, 0.262 * s), (0.0, 0.27 * s)], 14);
    let base = 0.27 * s;
    let broad = stream.uniform() < 0.5;
    let leaves = if broad { 13 } else { 20 };
    for i in 0..leaves {
        let angle = i as f32 * 2.399_963 + 0.2 * stream.uniform() as f32;
        let rise = 0.35 + 0.65 * (i as f32 + 0.5) / leaves as f32;
        let reach = (1.15 - 0.75 * rise) * 0.36 * s.min(0.9);
        let top = base + (h - base) * rise;
        let (sx, sz) = (libm::cosf(angle), libm::sinf(angle));
        let side = v(-sz, 0.0, sx);
        let tip = c + v(sx * reach, top - 0.06, sz * reach);
        let bend = c + v(sx * reach * 0.7, top, sz * reach * 0.7);
        let root =
            c + v(sx * 0.02, base + 0.5 * (top - base) * if broad { 0.9 } else { 0.15 }, sz * 0.02);
        let wide = if broad { 0.075 } else { 0.032 } * (0.8 + 0.4 * stream.uniform() as f32);
        let green = rgb([0x5B8A4A, 0x4C7A45, 0x6E9A52, 0x3F6B45][stream.index(4)]);
        leaf(b, Look::plain(green), [root, bend, tip], side * wide);
    }
    if broad {
        b.rod(
            Look::plain([0.36, 0.28, 0.18]),
            c + Vec3::Y * base * 0.9,
            c + Vec3::Y * (base + 0.72 * (h - base)),
            0.014,
            6,
        );
    }
}

/// A bent leaf, seen from both sides.
fn leaf(b: &mut Builder, look: Look, [root, bend, tip]: [Vec3; 3], half: Vec3) {
    let up = (bend - root).cross(half).normalize_or_zero();
    for (sign, tone) in [(1.0_f32, 1.0), (-1.0, 0.8)] {
        let normal = up * sign + Vec3::Y * 0.3;
        let points: Vec<(Vec3, Vec3, Vec2)> = [root, bend + half, bend - half, tip]
            .map(|p| (p, normal.normalize_or_zero(), Vec2::ZERO))
            .to_vec();
        // Turned so that each face looks where its normal does.
        let turn = (bend + half - root).cross(bend - half - root).dot(normal) > 0.0;
        let triangles = if turn { [[0, 1, 2], [1, 3, 2]] } else { [[0, 2, 1], [1, 2, 3]] };
        b.mesh(look.times(tone), &points, &triangles);
    }
}

/// A framed picture of `w` × `h` whose middle is `y` high on the wall.
pub(in crate::home) fn picture(
    b: &mut Builder,
    frame: Frame,
    w: f32,
    h: f32,
    y: f32,
    looks: &Looks,
    stream: &mut Stream,
) {
    b.begin("picture", frame);
    let (x, y0, y1) = (0.5 * w, y - 0.5 * h, y + 0.5 * h);
    let edge = if stream.uniform() < 0.5 { looks.wood } else { Look::plain([0.14, 0.14, 0.14]) };
    b.bevel(edge, v(-x, y0, 0.0), v(x, y1, 0.024), 0.004);
    let cell = stream.index(PICTURES * PICTURES);
    let side = PICTURES as f32;
    let (u, t) = ((cell % PICTURES) as f32 / side, (cell / PICTURES) as f32 / side);
    let (m, e) = (0.02, 0.004);
    b.face(
        Look::new(Tex::Pictures, [1.0; 3]),
        [
            v(-x + m, y0 + m, 0.025),
            v(x - m, y0 + m, 0.025),
            v(x - m, y1 - m, 0.025),
            v(-x + m, y1 - m, 0.025),
        ],
        [
            Vec2::new(u + e, t + 1.0 / side - e),
            Vec2::new(u + 1.0 / side - e, t + 1.0 / side - e),
            Vec2::new(u + 1.0 / side - e, t + e),
            Vec2::new(u + e, t + e),
        ],
    );
}

/// A mirror of `w` × `h` from `y0`: a frame around a pale gradient.
pub(in crate::home) fn mirror(b: &mut Builder, frame: Frame, w: f32, y0: f32, h: f32, looks: &Looks) {
    b.begin("mirror", frame);
    let x = 0.5 * w;
    b.bevel(looks.metal, v(-x, y0, 0.0), v(x, y0 + h, 0.02), 0.004);
    let glass = Look::plain([0.80, 0.86, 0.89]);
    b.quad(
        glass,
        [
            v(-x + 0.02, y0 + 0.02, 0.021),
            v(x - 0.02, y0 + 0.02, 0.021),
            v(x - 0.02, y0 + h - 0.02, 0.021),
            v(-x + 0.02, y0 + h - 0.02, 0.021),
        ],
    );
    let shine = Look::plain([0.90, 0.94, 0.96]);
    let (p, q) = (0.45 * x, 0.12 * x);
    b.quad(
        shine,
        [
            v(-p - q, y0 + 0.03, 0.022),
            v(-p + q, y0 + 0.03, 0.022),
            v(p + q, y0 + h - 0.03, 0.022),
            v(p - q, y0 + h - 0.03, 0.022),
        ],
    );
}

/// A rug of `w` × `d` about the frame's origin, 1 cm thick.
pub(in crate::home) fn rug(b: &mut Builder, frame: Frame, w: f32, d: f32, tint: [f32; 3]) {
    b.begin("rug", frame);
    let (x, z, y) = (0.5 * w, 0.5 * d, 0.011);
    let edge = Look::new(Tex::Fabric, tint).times(0.8);
    b.block(edge, v(-x, 0.001, -z), v(x, y, z));
    // In small faces, for the shade of what stands on it.
    let look = Look::new(Tex::Rug, tint);
    let (nx, nz) = ((w / 0.25) as usize + 1, (d / 0.25) as usize + 1);
    let at = |i: usize, j: usize| (i as f32 / nx as f32, j as f32 / nz as f32);
    for i in 0..nx {
        for j in 0..nz {
            let uvs = [at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)];
            b.face(
                look,
                uvs.map(|(u, t)| v(-x + w * u, y + 0.001, -z + d * t)),
                uvs.map(|(u, t)| Vec2::new(u, t)),
            );
        }
    }
}

/// Hanging cloth with folds between two x and two heights, seen from both sides.
pub(super) fn folds(
    b: &mut Builder,
    look: Look,
    [x0, x1]: [f32; 2],
    [y0, y1]: [f32; 2],
    z: f32,
    depth: f32,
) {
    let count = (((x1 - x0) / 0.035) as usize).clamp(6, 60);
    let mut vertices = Vec::new();
    for sign in [1.0_f32, -1.0] {
        for i in 0..=count {
            let t = i as f32 / count as f32;
            let phase = t * (x1 - x0) / 0.13 * std::f32::consts::TAU;
            let (bend, slope) = (libm::sinf(phase), libm::cosf(phase));
            let normal = v(-slope * 0.8, 0.0, 1.0).normalize_or_zero() * sign;
            for y in [y0, y1] {
                let p = v(x0 + (x1 - x0) * t, y, z + bend * depth + sign * 0.002);
                vertices.push((p, normal, Vec2::new(t * (x1 - x0) / 0.4, y / 0.4)));
            }
        }
    }
    let mut triangles = Vec::new();
    let row = 2 * (count as u32 + 1);
    for i in 0..count as u32 {
        let a = 2 * i;
        triangles.extend([[a, a + 2, a + 1], [a + 1, a + 2, a + 3]]);
        let a = a + row;
        triangles.extend([[a, a + 1, a + 2], [a + 1, a + 3, a + 2]]);
    }
    b.mesh(look, &vertices, &triangles);
}

/// Two curtains beside a window of `w` and their rod; `low` is the lower hem.
pub(in crate::home) fn curtain(
    b: &mut Builder,
    frame: Frame,
    w: f32,
    low: f32,
    tint: [f32; 3],
    looks: &Looks,
) {
    b.begin("curtain", frame);
    let x = 0.5 * w + 0.22;
    let top = 2.26;
    b.rod(looks.metal, v(-x - 0.06, top, 0.10), v(x + 0.06, top, 0.10), 0.012, 8);
    let cloth = Look::new(Tex::Fabric, tint);
    let wide = 0.20 + 0.08 * w;
    folds(b, cloth, [-x, -x + wide], [low, top + 0.01], 0.10, 0.028);
    folds(b, cloth, [x - wide, x], [low, top + 0.01], 0.10, 0.028);
}

/// A television of `w` on a stand whose top is `y` high, or on the wall.
pub(in crate::home) fn television(b: &mut Builder, frame: Frame, w: f32, y: f32, on_stand: bool) {
    b.begin("television", frame);
    let (x, h) = (0.5 * w, 0.57 * w);
    let dark = Look::plain([0.07, 0.07, 0.08]);
    let (z, low) = if on_stand { (0.14, y + 0.06) } else { (0.02, y) };
    if on_stand {
        b.bevel(dark, v(-0.22, y, 0.08), v(0.22, y + 0.014, 0.26), 0.004);
        b.block(dark, v(-0.04, y + 0.01, 0.14), v(0.04, low + 0.1, 0.17));
    }
    b.bevel(dark, v(-x, low, z), v(x, low + h, z + 0.045), 0.008);
    b.glows = true;
    let (m, z) = (0.012, z + 0.0465);
    b.face(
        Look::new(Tex::Screen, [1.0; 3]),
        [
            v(-x + m, low + m, z),
            v(x - m, low + m, z),
            v(x - m, low + h - m, z),
            v(-x + m, low + h - m, z),
        ],
        [Vec2::new(0.0, 1.0), Vec2::new(1.0, 1.0), Vec2::new(1.0, 0.0), Vec2::new(0.0, 0.0)],
    );
    b.glows = false;
}

/// A vase, scaled; the frame's origin is where it stands.
pub(in crate::home) fn vase(
    b: &mut Builder,
    frame: Frame,
    scale: f32,
    looks: &Looks,
    stream: &mut Stream,
) {
    b.begin("vase", frame);
    let tone =
        [looks.fabric.tint, looks.fabric2.tint, [0.92, 0.90, 0.86], rgb(0x5B7C8C)][stream.index(4)];
    let s = scale;
    b.lathe(
        Look::plain(tone),
        Vec3::ZERO,
        &[
            (0.0, 0.0),
            (0.05 * s, 0.0),
            (0.09 * s, 0.10 * s),
            (0.07 * s, 0.2 * s),
            (0.03 * s, 0.27 * s),
            (0.04 * s, 0.31 * s),
            (0.03 * s, 0.31 * s),
            (0.02 * s, 0.27 * s),
        ],
        16,
    );
    if scale > 0.8 {
        for i in 0..5 {
            let angle = i as f32 * 1.3;
            let lean = 0.07 + 0.02 * i as f32;
            let tip = v(lean * libm::cosf(angle), 0.52 + 0.02 * i as f32, lean * libm::sinf(angle));
            b.rod(Look::plain([0.35, 0.5, 0.28]), v(0.0, 0.25, 0.0), tip, 0.004, 5);
            let tone = [[0.86, 0.45, 0.42], [0.93, 0.80, 0.45], [0.9, 0.9, 0.86]][stream.index(3)];
            b.soft(Look::plain(tone), tip - Vec3::splat(0.03), tip + Vec3::splat(0.03), 2.2);
        }
    }
}

/// A pedal bin, 0.30 across.
pub(in crate::home) fn trash_can(b: &mut Builder, frame: Frame, looks: &Looks) {
    b.begin("trash_can", frame);
    let steel = Look::plain([0.66, 0.67, 0.69]);
    b.lathe(steel, v(0.0, 0.0, 0.16), &[(0.0, 0.0), (0.13, 0.0), (0.14, 0.42), (0.0, 0.42)], 20);
    b.lathe(looks.metal, v(0.0, 0.42, 0.16), &[(0.145, 0.0), (0.14, 0.04), (0.0, 0.06)], 20);
}
