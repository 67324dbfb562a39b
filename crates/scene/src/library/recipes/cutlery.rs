//! Long thin things: cutlery, utensils, tools, pens.

use super::canvas::Canvas;
use super::primitives::{curve, oval, smooth};
use super::shape::{Shape, bright, matt, rgb, shiny, times, turn};
use super::{Maker, Wish};
use ambler_geometry::{Quat, Vec2, Vec3};

pub(super) const RECIPES: &[(&str, Maker)] = &[
    ("fork", fork),
    ("table_knife", table_knife),
    ("spoon", spoon),
    ("spatula", spatula),
    ("ladle", ladle),
    ("rolling_pin", rolling_pin),
    ("toothbrush", toothbrush),
    ("hairbrush", hairbrush),
    ("pen", pen),
    ("pencil", pencil),
    ("scissors", scissors),
    ("hammer", hammer),
    ("screwdriver", screwdriver),
    ("flashlight", flashlight),
    ("umbrella", umbrella),
    ("keys", keys),
    ("sunglasses", sunglasses),
];

fn v(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3::new(x, y, z)
}

/// The grip of cutlery along +z from `from` to `to`, bent up by `rise`.
fn stem(s: &mut Shape, w: &Wish<'_>, from: f32, to: f32, rise: f32, wide: f32) {
    let color = w.color(0, 0xC3C7CA);
    let line = curve(
        &[
            v(0.0, rise, from),
            v(0.0, rise * 0.9, from + (to - from) * 0.3),
            v(0.0, rise * 0.35, from + (to - from) * 0.75),
            v(0.0, 0.003, to),
        ],
        3,
    );
    let radii: Vec<f32> = (0..line.len())
        .map(|i| {
            let t = i as f32 / (line.len() - 1) as f32;
            wide * (0.34 + 0.66 * t * t)
        })
        .collect();
    let paint = if w.style == 1 { shiny(w.color(1, 0x303236)) } else { bright(color) };
    s.rod_flat(paint, &line, &radii, 8, 0.32, Vec3::Y);
}

fn fork(s: &mut Shape, w: &mut Wish<'_>) {
    let metal = bright(w.color(0, 0xC3C7CA));
    let (l, x) = (w.d, w.w);
    let z0 = -l * 0.5;
    stem(s, w, z0 + l * 0.36, l * 0.5, w.h * 0.75, x * 0.4);
    // The palm, then four tines.
    let palm = |t: f32| w.h * (0.75 - 0.55 * libm::sinf(t * 2.6));
    s.leaf(metal, 4, 4, &|u, t| {
        v((u - 0.5) * x * (0.35 + 0.65 * (1.0 - t)).min(1.0), palm(1.0 - t), z0 + l * (0.22 + 0.15 * t))
    });
    for tine in 0..4 {
        let at = (tine as f32 - 1.5) * x * 0.27;
        let line = curve(
            &[
                v(at, palm(1.0), z0 + l * 0.225),
                v(at, w.h * 0.12, z0 + l * 0.12),
                v(at, w.h * 0.5, z0 + 0.003),
            ],
            3,
        );
        s.rod(metal, &line, &[0.0019, 0.0018, 0.0017, 0.0016, 0.0014, 0.0012, 0.0010], 6);
    }
}

fn table_knife(s: &mut Shape, w: &mut Wish<'_>) {
    let l = w.d;
    stem(s, w, l * 0.02, l * 0.5, w.h * 0.3, w.w * 0.38);
    let x = w.w * 0.5;
    let outline = [
        Vec2::new(-x * 0.3, l * 0.06),
        Vec2::new(-x * 0.55, 0.0),
        Vec2::new(-x * 0.6, -l * 0.3),
        Vec2::new(-x * 0.3, -l * 0.46),
        Vec2::new(x * 0.5, -l * 0.5),
        Vec2::new(x * 0.6, -l * 0.42),
        Vec2::new(x * 0.45, 0.0),
        Vec2::new(x * 0.3, l * 0.06),
    ];
    s.plate(bright(w.color(0, 0xCDD1D4)), &outline, 0.003, 0.0048);
}

fn spoon(s: &mut Shape, w: &mut Wish<'_>) {
    let metal = bright(w.color(0, 0xC3C7CA));
    let (l, x) = (w.d, w.w * 0.5);
    let long = l * 0.17;
    stem(s, w, -l * 0.5 + 2.0 * long - 0.008, l * 0.5, w.h * 0.6, x * 0.5);
    let dish = |u: f32, t: f32, lift: f32| {
        let (a, r) = (u * std::f32::consts::TAU, t);
        let y = w.h * (0.1 + 0.5 * r * r) + lift;
        v(x * r * libm::sinf(a), y, -l * 0.5 + long + long * r * libm::cosf(a))
    };
    s.sheet(metal, 20, 4, &|u, t| dish(1.0 - u, 1.0 - t, 0.0));
    s.sheet(metal.dim(0.8), 20, 4, &|u, t| dish(u, 1.0 - t, 0.0012 * t - 0.0012));
    s.piece(
        (0..16)
            .map(|i| dish(i as f32 / 16.0, 1.0, 0.0))
            .chain((0..8).map(|i| dish(i as f32 / 8.0, 0.45, -0.0012))),
    );
}

fn spatula(s: &mut Shape, w: &mut Wish<'_>) {
    let (l, x) = (w.d, w.w * 0.5);
    let head = w.color(0, 0x2D2F33);
    let blade = l * 0.3;
    // A blade with slots, as bars between two ends.
    for (z0, z1) in [(-l * 0.5, -l * 0.5 + blade * 0.2), (-l * 0.5 + blade * 0.8, -l * 0.5 + blade)] {
        let wide = if z0 < -l * 0.45 { x } else { x * 0.8 };
        s.cuboid(shiny(head), v(0.0, 0.003, (z0 + z1) * 0.5), v(2.0 * wide, 0.003, z1 - z0), 0.001);
    }
    for bar in 0..4 {
        let at = (bar as f32 - 1.5) * x * 0.56;
        s.cuboid(
            shiny(head),
            v(at, 0.003, -l * 0.5 + blade * 0.5),
            v(x * 0.3, 0.003, blade * 0.62),
            0.001,
        );
    }
    let line = curve(
        &[
            v(0.0, 0.004, -l * 0.5 + blade * 0.95),
            v(0.0, w.h * 0.6, -l * 0.12),
            v(0.0, w.h * 0.6, l * 0.1),
        ],
        3,
    );
    s.rod(bright(rgb(0xB9BDC0)), &line, &[0.004], 6);
    let grip = [v(0.0, w.h * 0.6, l * 0.08), v(0.0, w.h * 0.6, l * 0.3), v(0.0, w.h * 0.58, l * 0.5)];
    s.rod_flat(shiny(w.color(1, 0xA23B2C)), &grip, &[0.008, 0.011, 0.009], 8, 0.7, Vec3::Y);
}

fn ladle(s: &mut Shape, w: &mut Wish<'_>) {
    let metal = bright(w.color(0, 0xBFC3C6));
    let r = w.w * 0.5;
    let z = -(w.d * 0.5 - r);
    let h = w.h * 0.5;
    s.moved(0.0, 0.0, z, |s| {
        let rings = smooth(&[(r * 0.3, 0.0), (r * 0.75, h * 0.25), (r, h)], 4);
        s.vessel(metal, metal.dim(0.85), &rings, 0.002, h * 0.12, 24);
    });
    let line = curve(
        &[
            v(0.0, h * 0.95, z + r * 0.95),
            v(0.0, h * 1.35, z + r * 1.4),
            v(0.0, w.h * 0.95, w.d * 0.46),
            v(0.0, w.h * 0.9, w.d * 0.5),
        ],
        3,
    );
    s.rod_flat(
        if w.style == 1 { shiny(w.color(1, 0x222326)) } else { metal },
        &line,
        &[0.007],
        8,
        0.5,
        Vec3::Y,
    );
}

fn rolling_pin(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0xC9A06A);
    let wood = Canvas::wood(64, 64, color, &mut w.stream);
    let paint = s.pattern(wood);
    let (l, r) = (w.w, w.h * 0.5);
    s.at(v(0.0, r, 0.0), turn(Vec3::Z, 90.0), |s| {
        let (a, b) = (l * 0.5, l * 0.32);
        s.lathe(
            paint,
            &[(0.0, -b), (r * 0.96, -b), (r, -b * 0.96), (r, b * 0.96), (r * 0.96, b), (0.0, b)],
            20,
        );
        let grip = if w.style == 1 { shiny(w.color(1, 0x9C2F2A)) } else { matt(times(color, 0.85)) };
        for side in [-1.0_f32, 1.0] {
            let rings = smooth(
                &[(r * 0.3, b), (r * 0.42, b + (a - b) * 0.4), (r * 0.46, b + (a - b) * 0.8), (0.0, a)],
                3,
            );
            let turned = if side > 0.0 { Quat::IDENTITY } else { turn(Vec3::X, 180.0) };
            s.at(Vec3::ZERO, turned, |s| s.lathe(grip, &rings, 14));
        }
    });
}

fn toothbrush(s: &mut Shape, w: &mut Wish<'_>) {
    let (l, x) = (w.d, w.w * 0.5);
    let color = w.color(0, 0x2F7FC1);
    let line = curve(
        &[
            v(0.0, 0.005, -l * 0.5),
            v(0.0, 0.005, -l * 0.33),
            v(0.0, 0.007, -l * 0.1),
            v(0.0, 0.006, l * 0.5),
        ],
        4,
    );
    let radii: Vec<f32> = (0..line.len())
        .map(|i| {
            let t = i as f32 / (line.len() - 1) as f32;
            if t < 0.3 {
                x * 0.55
            } else if t < 0.45 {
                x * 0.3
            } else {
                x * (0.4 + 0.3 * t)
            }
        })
        .collect();
    s.rod_flat(shiny(color), &line, &radii, 8, 0.6, Vec3::Y);
    let bristle = Canvas::new(32, 32, rgb(0xF4F6F8)).stripes(6.0, rgb(0x8FC3EA));
    let paint = s.picture(bristle);
    s.cuboid(paint, v(0.0, 0.005 + w.h * 0.32, -l * 0.43), v(x * 1.0, w.h * 0.64, l * 0.13), 0.0015);
}

fn hairbrush(s: &mut Shape, w: &mut Wish<'_>) {
    let (l, x) = (w.d, w.w * 0.5);
    let color = w.color(0, 0x7A4B2E);
    s.ball(shiny(color), v(0.0, 0.014, -l * 0.24), v(x, 0.014, l * 0.26), 12);
    let grip = [
        v(0.0, 0.014, -l * 0.02),
        v(0.0, 0.014, l * 0.15),
        v(0.0, 0.014, l * 0.38),
        v(0.0, 0.014, l * 0.49),
    ];
    s.rod(shiny(color), &grip, &[0.010, 0.009, 0.012, 0.010], 10);
    let pad = w.color(1, 0x222222);
    s.ghost(|s| s.ball(matt(pad), v(0.0, 0.019, -l * 0.24), v(x * 0.8, 0.013, l * 0.22), 10));
    let mut bristles = Vec::new();
    for row in -5..=5_i32 {
        for column in -3..=3_i32 {
            let (bx, bz) = (column as f32 * x * 0.2, row as f32 * l * 0.035);
            if (bx / (x * 0.75)).powi(2) + (bz / (l * 0.2)).powi(2) < 1.0 {
                bristles.push(v(bx, 0.0, -l * 0.24 + bz));
            }
        }
    }
    s.ghost(|s| {
        for at in &bristles {
            s.cuboid(
                matt(times(pad, 1.6)),
                *at + Vec3::Y * (w.h * 0.5 + 0.012),
                v(0.002, w.h - 0.028, 0.002),
                0.0,
            );
        }
    });
    s.piece(bristles.iter().flat_map(|&at| [at + Vec3::Y * 0.02, at + Vec3::Y * (w.h - 0.002)]));
}

fn pen(s: &mut Shape, w: &mut Wish<'_>) {
    let (l, r) = (w.d, w.w * 0.5);
    let color = w.color(0, 0x1F3F8F);
    s.at(v(0.0, r, 0.0), turn(Vec3::X, -90.0), |s| {
        let a = l * 0.5;
        s.lathe(
            bright(rgb(0xC0C4C8)),
            &[(0.0, -a), (r * 0.2, -a + 0.001), (r * 0.75, -a + l * 0.1)],
            12,
        );
        s.lathe(
            shiny(color),
            &[(r * 0.75, -a + l * 0.1), (r, -a + l * 0.12), (r, a * 0.86), (r * 0.9, a * 0.9)],
            12,
        );
        s.lathe(bright(rgb(0xC0C4C8)), &[(r * 0.45, a * 0.88), (r * 0.45, a), (0.0, a)], 10);
        s.ghost(|s| {
            s.cuboid(
                bright(rgb(0xC8CCD0)),
                v(0.0, a * 0.55, r * 1.15),
                v(r * 0.5, l * 0.24, 0.0012),
                0.0,
            );
        });
    });
}

fn pencil(s: &mut Shape, w: &mut Wish<'_>) {
    let (l, r) = (w.d, w.w * 0.5);
    let color = w.color(0, 0xE3A32B);
    s.at(v(0.0, r, 0.0), turn(Vec3::X, -90.0), |s| {
        let a = l * 0.5;
        s.lathe(matt(rgb(0x2A2A2A)), &[(0.0, -a), (r * 0.25, -a + l * 0.03)], 6);
        s.lathe(matt(rgb(0xD9B382)), &[(r * 0.25, -a + l * 0.03), (r, -a + l * 0.1)], 6);
        s.lathe(shiny(color), &[(r, -a + l * 0.1), (r, a * 0.86)], 6);
        s.lathe(bright(rgb(0xB9B9B4)), &[(r * 1.04, a * 0.86), (r * 1.04, a * 0.94)], 10);
        s.lathe(matt(rgb(0xD98A8A)), &[(r * 0.95, a * 0.94), (r * 0.9, a), (0.0, a)], 10);
    });
}

fn scissors(s: &mut Shape, w: &mut Wish<'_>) {
    let (l, x) = (w.d, w.w * 0.5);
    let grip = shiny(w.color(0, 0xD2472F));
    for side in [-1.0_f32, 1.0] {
        let (low, high) = if side < 0.0 { (0.003, 0.0055) } else { (0.0056, 0.008) };
        // A blade from the tip to the pivot, then to its ring on the other side.
        let blade = [
            Vec2::new(side * x * 0.16, -l * 0.5),
            Vec2::new(side * x * 0.26, -l * 0.45),
            Vec2::new(side * x * 0.05 + 0.008, 0.0),
            Vec2::new(-side * x * 0.3, l * 0.18),
            Vec2::new(-side * x * 0.5, l * 0.16),
            Vec2::new(side * x * 0.05 - 0.008, 0.0),
        ];
        s.plate(bright(rgb(0xC4C8CB)), &blade, low, high);
        let center = v(-side * x * 0.52, 0.0065, l * 0.32);
        let ring: Vec<Vec3> = (0..=14)
            .map(|i| {
                let a = i as f32 / 14.0 * std::f32::consts::TAU;
                center + v(x * 0.36 * libm::sinf(a), 0.0, -l * 0.155 * libm::cosf(a))
            })
            .collect();
        s.rod(grip, &ring, &[0.006], 8);
    }
    s.ghost(|s| {
        s.cuboid(bright(rgb(0x8A8E92)), v(0.0, 0.0085, -l * 0.01), v(0.008, 0.002, 0.008), 0.001);
    });
}

fn hammer(s: &mut Shape, w: &mut Wish<'_>) {
    let (l, x, h) = (w.d, w.w, w.h);
    let steel = bright(w.color(0, 0x8D9296));
    let y = h * 0.5;
    let handle = [v(0.0, y, -l * 0.42), v(0.0, y, -l * 0.1), v(0.0, y, l * 0.2), v(0.0, y, l * 0.48)];
    let grip = if w.style == 0 { matt(w.color(1, 0xB98B54)) } else { matt(w.color(1, 0x26272A)) };
    s.rod_flat(grip, &handle, &[0.011, 0.012, 0.015, 0.016], 10, 0.75, Vec3::Y);
    let z = -l * 0.5 + h * 0.5;
    s.cuboid(steel, v(0.0, y, z), v(x * 0.34, h * 0.85, h * 0.9), 0.003);
    s.at(v(x * 0.16, y, z), turn(Vec3::Z, -90.0), |s| {
        s.lathe(
            steel,
            &[
                (h * 0.3, 0.0),
                (h * 0.34, x * 0.2),
                (h * 0.46, x * 0.22),
                (h * 0.46, x * 0.34),
                (0.0, x * 0.34),
            ],
            16,
        );
    });
    for side in [-1.0_f32, 1.0] {
        let claw = curve(
            &[
                v(-x * 0.15, y + side * h * 0.2, z),
                v(-x * 0.36, y + side * h * 0.24, z + 0.004),
                v(-x * 0.5, y + side * h * 0.3, z + 0.022),
            ],
            3,
        );
        s.rod_flat(steel, &claw, &[0.010, 0.009, 0.008, 0.007, 0.006, 0.005, 0.003], 6, 0.6, Vec3::Z);
    }
}

fn screwdriver(s: &mut Shape, w: &mut Wish<'_>) {
    let (l, r) = (w.d, w.w * 0.5);
    s.at(v(0.0, r, 0.0), turn(Vec3::X, -90.0), |s| {
        let a = l * 0.5;
        s.lathe(
            bright(rgb(0xA9AEB2)),
            &[(0.0, -a), (0.003, -a), (0.0035, -a + 0.012), (0.0032, -a + 0.02), (0.0032, 0.0)],
            8,
        );
        let grip = smooth(
            &[
                (0.004, -l * 0.02),
                (r * 0.9, l * 0.04),
                (r * 0.7, l * 0.12),
                (r, l * 0.25),
                (r, l * 0.42),
                (r * 0.7, a * 0.99),
                (0.0, a),
            ],
            3,
        );
        s.lathe(shiny(w.color(0, 0xC63A2B)), &grip, 8);
        s.ghost(|s| {
            s.lathe(
                shiny(w.color(1, 0x1F1F22)),
                &[(r * 1.02, l * 0.26), (r * 1.03, l * 0.28), (r * 1.03, l * 0.4), (r * 1.02, l * 0.42)],
                8,
            );
        });
    });
}

fn flashlight(s: &mut Shape, w: &mut Wish<'_>) {
    let (l, r) = (w.d, w.w * 0.5);
    let color = w.color(0, 0x2B2D30);
    s.at(v(0.0, r, 0.0), turn(Vec3::X, 90.0), |s| {
        let a = l * 0.5;
        s.lathe(
            shiny(color),
            &[
                (0.0, -a),
                (r * 0.62, -a),
                (r * 0.66, -a * 0.94),
                (r * 0.66, a * 0.4),
                (r * 0.95, a * 0.66),
                (r, a * 0.7),
                (r, a),
            ],
            20,
        );
        s.ghost(|s| {
            s.lathe(
                bright(rgb(0xE9E7C8)),
                &[(r, a), (r * 0.88, a), (r * 0.3, a * 0.93), (0.0, a * 0.93)],
                20,
            );
            for ring in 0..5 {
                let y = -a * 0.8 + ring as f32 * a * 0.16;
                s.lathe(
                    matt(times(color, 0.6)),
                    &[
                        (r * 0.675, y),
                        (r * 0.69, y + a * 0.03),
                        (r * 0.69, y + a * 0.06),
                        (r * 0.675, y + a * 0.09),
                    ],
                    16,
                );
            }
            s.cuboid(
                shiny(w.color(1, 0xD2472F)),
                v(0.0, a * 0.2, -r * 0.68),
                v(0.012, 0.028, 0.006),
                0.002,
            );
        });
    });
}

fn umbrella(s: &mut Shape, w: &mut Wish<'_>) {
    let (l, r) = (w.d, w.w * 0.5);
    let color = w.color(0, 0x27364F);
    let cloth = Canvas::new(96, 32, color).stripes(8.0, times(color, 0.75));
    let paint = s.picture(cloth);
    s.at(v(0.0, r, 0.0), turn(Vec3::X, -90.0), |s| {
        let a = l * 0.5;
        s.lathe(bright(rgb(0xA0A4A8)), &[(0.0, -a), (0.004, -a), (0.004, -a * 0.86)], 8);
        s.lathe(
            paint,
            &smooth(&[(0.006, -a * 0.86), (r * 0.8, -a * 0.5), (r, a * 0.1), (r * 0.7, a * 0.4)], 3),
            16,
        );
        s.lathe(matt(times(color, 0.7)), &[(r * 1.02, a * 0.02), (r * 1.02, a * 0.1)], 16);
        s.lathe(bright(rgb(0xA0A4A8)), &[(0.005, a * 0.4), (0.005, a * 0.6)], 8);
        s.lathe(
            shiny(w.color(1, 0x1E1E20)),
            &[(r * 0.5, a * 0.6), (r * 0.55, a * 0.7), (r * 0.55, a * 0.96), (0.0, a)],
            12,
        );
    });
}

fn keys(s: &mut Shape, w: &mut Wish<'_>) {
    let (l, x) = (w.d, w.w);
    s.torus(bright(rgb(0xB9BDC0)), v(0.0, 0.004, l * 0.32), Vec3::Y, l * 0.15, 0.0013, 10);
    let colors = [w.color(0, 0xC9A64B), rgb(0xB9BDC1), rgb(0xA98E3F)];
    for (index, angle) in [-24.0_f32, 3.0, 30.0].into_iter().enumerate() {
        let y = 0.001 + 0.0022 * index as f32;
        s.at(v(0.0, y, l * 0.2), turn(Vec3::Y, angle), |s| {
            let paint = bright(colors[index]);
            let bow: Vec<Vec2> = oval(x * 0.19, x * 0.19, 2.6, 16)
                .into_iter()
                .map(|p| p - Vec2::new(0.0, x * 0.12))
                .collect();
            s.plate(paint, &bow, 0.0, 0.002);
            let (a, b) = (-x * 0.28, -l * 0.62);
            let t = 0.003;
            let mut blade =
                vec![Vec2::new(-t, a), Vec2::new(t, a), Vec2::new(t, b + 0.004), Vec2::new(0.0, b)];
            for tooth in 0..4 {
                let z = b + 0.006 + tooth as f32 * 0.006;
                blade.push(Vec2::new(-t, z));
                blade.push(Vec2::new(-t - 0.002 * (1 + tooth % 2) as f32, z + 0.003));
            }
            s.plate(paint, &blade, 0.0002, 0.0018);
        });
    }
    if w.style == 1 {
        s.at(v(x * 0.25, 0.0, l * 0.36), turn(Vec3::Y, -30.0), |s| {
            s.cuboid(shiny(w.color(1, 0x222428)), v(0.0, 0.006, 0.0), v(0.03, 0.012, 0.045), 0.004);
        });
    }
}

fn sunglasses(s: &mut Shape, w: &mut Wish<'_>) {
    let (x, h, d) = (w.w * 0.5, w.h, w.d);
    let frame = shiny(w.color(0, 0x1D1C1B));
    let lens = bright(w.color(1, 0x2E2B28));
    let z = d * 0.5;
    for side in [-1.0_f32, 1.0] {
        let c = side * x * 0.52;
        let power = if w.style == 0 { 3.0 } else { 2.0 };
        let outline = oval(x * 0.42, h * 0.46, power, 18);
        let rim: Vec<Vec3> = outline
            .iter()
            .chain(outline.first())
            .map(|p| v(c + p.x, h * 0.5 + p.y, z - 0.004 - 0.05 * (c + p.x) * (c + p.x) / x))
            .collect();
        s.rod(frame, &rim, &[0.0028], 6);
        let at = |u: f32, t: f32| {
            let a = std::f32::consts::TAU * u;
            let bend = |q: f32| q.signum() * libm::powf(q.abs(), 2.0 / power);
            let p = Vec2::new(x * 0.42 * t * bend(libm::cosf(a)), h * 0.46 * t * bend(libm::sinf(a)));
            v(c + p.x, h * 0.5 + p.y, z - 0.004 - 0.05 * (c + p.x) * (c + p.x) / x)
        };
        s.leaf(lens, 18, 2, &|u, t| at(u, 1.0 - t));
        let arm = curve(
            &[
                v(side * x * 0.95, h * 0.72, z - 0.01),
                v(side * x * 0.97, h * 0.75, 0.0),
                v(side * x * 0.9, h * 0.68, -z * 0.6),
                v(side * x * 0.86, h * 0.3, -z),
            ],
            3,
        );
        s.rod(frame, &arm, &[0.0026], 6);
    }
    let bridge = curve(
        &[
            v(-x * 0.12, h * 0.62, z - 0.004),
            v(0.0, h * 0.74, z - 0.001),
            v(x * 0.12, h * 0.62, z - 0.004),
        ],
        3,
    );
    s.rod(frame, &bridge, &[0.003], 6);
}
