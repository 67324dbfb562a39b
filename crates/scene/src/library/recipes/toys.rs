//! Toys, games, sports.

use super::canvas::Canvas;
use super::shape::{Paint, Shape, bright, matt, rgb, shiny, times, turn};
use super::{Maker, Wish};
use ambler_geometry::Vec3;

pub(super) const RECIPES: &[(&str, Maker)] = &[
    ("toy_car", toy_car),
    ("wood_block", wood_block),
    ("rubiks_cube", rubiks_cube),
    ("soccer_ball", soccer_ball),
    ("basketball", basketball),
    ("dumbbell", dumbbell),
];

fn v(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3::new(x, y, z)
}

/// A car with its nose to the front: 0 a hatchback, 1 a pickup.
fn toy_car(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0xD2372C);
    let (x, h, d) = (w.w, w.h, w.d);
    let wheel = h * 0.24;
    let paint = shiny(color);
    s.blob(
        paint,
        v(0.0, wheel * 0.8 + h * 0.18, 0.0),
        v(x * 0.44, h * 0.22, d * 0.5),
        [5.0, 5.0],
        12,
        &|_| 0.0,
    );
    let glass = bright(rgb(0x24323F));
    let (zc, zl) = if w.style == 0 { (-d * 0.08, d * 0.3) } else { (d * 0.04, d * 0.18) };
    s.blob(glass, v(0.0, h * 0.7, zc), v(x * 0.38, h * 0.26, zl), [5.0, 3.4], 12, &|_| 0.0);
    s.ghost(|s| {
        s.blob(
            paint,
            v(0.0, h * 0.9, zc - d * 0.01),
            v(x * 0.33, h * 0.1, zl * 0.74),
            [5.0, 4.0],
            10,
            &|_| 0.0,
        );
        for side in [-1.0_f32, 1.0] {
            s.cuboid(paint, v(side * x * 0.345, h * 0.72, zc), v(0.012, h * 0.34, 0.012), 0.002);
            s.ball(
                bright(rgb(0xF6EFC4)),
                v(side * x * 0.27, h * 0.42, d * 0.475),
                v(x * 0.09, h * 0.07, d * 0.02),
                6,
            );
            s.ball(
                shiny(rgb(0xA01818)),
                v(side * x * 0.3, h * 0.42, -d * 0.475),
                v(x * 0.08, h * 0.06, d * 0.02),
                6,
            );
        }
        s.cuboid(matt(rgb(0x2A2B2E)), v(0.0, h * 0.27, d * 0.48), v(x * 0.7, h * 0.1, d * 0.05), 0.003);
        if w.style == 1 {
            s.cuboid(
                matt(times(color, 0.45)),
                v(0.0, h * 0.56, -d * 0.3),
                v(x * 0.66, h * 0.05, d * 0.3),
                0.0,
            );
        }
    });
    for (sx, sz) in [(-1.0_f32, -1.0_f32), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)] {
        s.at(v(sx * x * 0.38, wheel, sz * d * 0.3), turn(Vec3::Z, -sx * 90.0), |s| {
            let t = x * 0.11;
            s.lathe(
                matt(rgb(0x1E1F21)),
                &[
                    (0.0, -t),
                    (wheel * 0.9, -t),
                    (wheel, -t * 0.7),
                    (wheel, t * 0.7),
                    (wheel * 0.9, t),
                    (wheel * 0.6, t),
                ],
                18,
            );
            s.ghost(|s| {
                s.lathe(
                    bright(w.color(1, 0xC9CDD0)),
                    &[
                        (wheel * 0.62, t),
                        (wheel * 0.55, t * 1.05),
                        (wheel * 0.2, t * 0.8),
                        (0.0, t * 1.1),
                    ],
                    14,
                );
            });
        });
    }
}

fn wood_block(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0xC9A06A);
    let wood = if w.style == 0 {
        Canvas::wood(96, 96, color, &mut w.stream)
    } else {
        let label = if w.label.is_empty() { "A" } else { w.label };
        Canvas::wood(96, 96, rgb(0xD9B98A), &mut w.stream)
            .each(|x, y, old| {
                let edge = x.min(1.0 - x).min(y).min(1.0 - y);
                if (0.06..0.12).contains(&edge) { color } else { old }
            })
            .text(0.5, 0.24, 0.52, 0.8, label, color)
    };
    let paint = s.picture(wood);
    s.cuboid(paint, v(0.0, w.h * 0.5, 0.0), v(w.w, w.h, w.d), 0.003);
}

fn rubiks_cube(s: &mut Shape, w: &mut Wish<'_>) {
    let size = v(w.w, w.h, w.d);
    let half = size * 0.5;
    s.cuboid(shiny(rgb(0x141416)), v(0.0, half.y, 0.0), size, 0.003);
    let faces = [0xFFFFFF, 0xF2C61F, 0xC0282D, 0xE9761C, 0x1F9B4C, 0x1F5FB4];
    let mut sides = Vec::new();
    for face in 0..6 {
        let mixed: Vec<usize> =
            (0..9).map(|_| if w.style == 0 { face } else { w.stream.index(6) }).collect();
        let picture = Canvas::new(60, 60, rgb(0x141416)).each(|x, y, old| {
            let (i, j) = ((x * 3.0) as usize, (y * 3.0) as usize);
            let (fx, fy) = ((x * 3.0).fract(), (y * 3.0).fract());
            let inside = fx.min(1.0 - fx).min(fy.min(1.0 - fy)) > 0.06;
            if inside { rgb(faces[mixed[(j * 3 + i).min(8)]]) } else { old }
        });
        sides.push(Paint { gloss: 0.4, ..s.picture(picture) });
    }
    let c = v(0.0, half.y, 0.0);
    let e = 1.002;
    s.ghost(|s| {
        for (index, (out, right, up)) in [
            (Vec3::Y, Vec3::X, Vec3::NEG_Z),
            (Vec3::NEG_Y, Vec3::X, Vec3::Z),
            (Vec3::Z, Vec3::X, Vec3::Y),
            (Vec3::NEG_Z, Vec3::NEG_X, Vec3::Y),
            (Vec3::X, Vec3::NEG_Z, Vec3::Y),
            (Vec3::NEG_X, Vec3::Z, Vec3::Y),
        ]
        .into_iter()
        .enumerate()
        {
            s.sticker(sides[index], c + out * half * e, right * half * 0.95, up * half * 0.95);
        }
    });
}

fn soccer_ball(s: &mut Shape, w: &mut Wish<'_>) {
    let (white, dark) = (w.color(0, 0xF2F2EE), w.color(1, 0x1B1C1F));
    // Pentagons lie at the corners of an icosahedron.
    let phi = 1.618_034_f32;
    let mut corners = Vec::new();
    for a in [-1.0_f32, 1.0] {
        for b in [-phi, phi] {
            for p in [v(0.0, a, b), v(a, b, 0.0), v(b, 0.0, a)] {
                corners.push(p.normalize_or_zero());
            }
        }
    }
    let picture = Canvas::new(192, 96, white).each(|x, y, old| {
        let (a, b) = (std::f32::consts::TAU * x, std::f32::consts::PI * (0.5 - y));
        let p = v(libm::cosf(b) * libm::sinf(a), libm::sinf(b), libm::cosf(b) * libm::cosf(a));
        let mut near: Vec<f32> = corners.iter().map(|corner| corner.dot(p)).collect();
        near.sort_by(|a, b| b.total_cmp(a));
        if near[0] > 0.935 {
            dark
        } else if (near[0] - near[1]).abs() < 0.03 {
            times(white, 0.7)
        } else {
            old
        }
    });
    let paint = Paint { gloss: 0.3, ..s.picture(picture) };
    s.ball(paint, v(0.0, w.h * 0.5, 0.0), v(w.w, w.h, w.d) * 0.5, 16);
}

fn basketball(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0xCF6A26);
    let line = w.color(1, 0x221A14);
    let picture = Canvas::new(192, 96, color).grain(0.1, &mut w.stream).each(|x, y, old| {
        let (a, b) = (std::f32::consts::TAU * x, std::f32::consts::PI * (0.5 - y));
        let p = v(libm::cosf(b) * libm::sinf(a), libm::sinf(b), libm::cosf(b) * libm::cosf(a));
        let bow = (p.x.abs() - 0.42 - 0.3 * p.y * p.y).abs();
        if p.y.abs() < 0.022 || p.x.abs() < 0.022 || bow < 0.025 { line } else { old }
    });
    let paint = s.picture(picture);
    s.ball(paint, v(0.0, w.h * 0.5, 0.0), v(w.w, w.h, w.d) * 0.5, 18);
}

fn dumbbell(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0x2E3033);
    let (l, r) = (w.w * 0.5, w.h * 0.5);
    let sides = if w.style == 0 { 6 } else { 24 };
    s.at(v(0.0, r, 0.0), turn(Vec3::Z, 90.0), |s| {
        let disc = l * 0.38;
        for sign in [0.0_f32, 180.0] {
            s.at(Vec3::ZERO, turn(Vec3::X, sign), |s| {
                s.lathe(
                    if w.style == 0 { matt(color) } else { shiny(color) },
                    &[
                        (0.0, l - disc),
                        (r * 0.9, l - disc),
                        (r, l - disc * 0.85),
                        (r, l - disc * 0.15),
                        (r * 0.9, l),
                        (0.0, l),
                    ],
                    sides,
                );
            });
        }
        s.lathe(
            bright(w.color(1, 0xB4B8BB)),
            &[(0.013, -l + disc), (0.016, 0.0), (0.013, l - disc)],
            14,
        );
    });
}
