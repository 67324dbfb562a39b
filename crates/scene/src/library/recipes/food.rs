//! Fruit, vegetables, bread.

use super::canvas::Canvas;
use super::primitives::{curve, smooth};
use super::shape::{Shape, matt, mix, rgb, shiny, times, turn};
use super::{Maker, Wish};
use ambler_geometry::Vec3;

pub(super) const RECIPES: &[(&str, Maker)] = &[
    ("apple", apple),
    ("banana", banana),
    ("orange", orange),
    ("pear", pear),
    ("lemon", lemon),
    ("tomato", tomato),
    ("potato", potato),
    ("lettuce", lettuce),
    ("bread", bread),
];

fn v(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3::new(x, y, z)
}

/// Smooth bumps on a unit direction, from a few waves.
fn bumps(w: &mut Wish<'_>, size: f32, waves: usize) -> impl Fn(Vec3) -> f32 + use<> {
    let list: Vec<(Vec3, f32)> = (0..waves)
        .map(|_| {
            let axis = v(w.stream.normal() as f32, w.stream.normal() as f32, w.stream.normal() as f32);
            (
                axis.normalize_or_zero() * w.stream.range(2.0, 5.0) as f32,
                w.stream.range(0.0, 6.28) as f32,
            )
        })
        .collect();
    move |p| {
        list.iter().map(|(axis, phase)| libm::sinf(axis.dot(p) + phase)).sum::<f32>() * size
            / waves as f32
    }
}

fn stalk(s: &mut Shape, at: Vec3, length: f32) {
    s.ghost(|s| {
        let line = [
            at - Vec3::Y * length * 0.3,
            at + Vec3::Y * length * 0.5,
            at + v(length * 0.3, length, 0.0),
        ];
        s.rod(matt(rgb(0x5B4326)), &line, &[0.0022, 0.0018, 0.0022], 6);
    });
}

fn apple(s: &mut Shape, w: &mut Wish<'_>) {
    let (h, r) = (w.h, w.w * 0.5);
    let (red, green) = (w.color(0, 0xB02A25), w.color(1, 0xC9A63C));
    let skin = Canvas::new(64, 64, red).clouds(8, green, 0.55, &mut w.stream).each(|_, y, old| {
        let pole = (1.0 - y * 6.0).max((y - 0.86) * 6.0).max(0.0);
        mix(old, green, pole * 0.6)
    });
    let paint = super::shape::Paint { gloss: 0.5, ..s.picture(skin) };
    s.lathe(
        paint,
        &smooth(
            &[
                (0.0, h * 0.07),
                (r * 0.3, 0.0),
                (r * 0.78, h * 0.16),
                (r, h * 0.55),
                (r * 0.78, h * 0.88),
                (r * 0.35, h * 0.93),
                (0.0, h * 0.8),
            ],
            4,
        ),
        24,
    );
    stalk(s, v(0.0, h * 0.84, 0.0), h * 0.2);
}

fn banana(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0xE8C440);
    let (l, x, r) = (w.d, w.w, w.h * 0.5);
    let line = curve(
        &[
            v(x * 0.4, r, -l * 0.48),
            v(x * 0.28, r, -l * 0.4),
            v(-x * 0.1, r, -l * 0.22),
            v(-x * 0.28, r, 0.0),
            v(-x * 0.1, r, l * 0.24),
            v(x * 0.3, r, l * 0.42),
            v(x * 0.42, r, l * 0.48),
        ],
        3,
    );
    let radii: Vec<f32> = (0..line.len())
        .map(|i| {
            let t = i as f32 / (line.len() - 1) as f32;
            r * (1.0 - (2.0 * t - 1.0).powi(4) * 0.75).max(0.22)
        })
        .collect();
    let skin = Canvas::new(32, 64, color).each(|x, y, old| {
        let edge = (x * 5.0).fract();
        let spot = if edge < 0.12 { times(old, 0.8) } else { old };
        if !(0.05..0.95).contains(&y) { rgb(0x5A4420) } else { spot }
    });
    let paint = s.picture(skin);
    s.rod(paint, &line, &radii, 5 + 3 * usize::from(w.style > 0));
}

fn orange(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0xE58A1F);
    let skin = Canvas::new(64, 64, color).grain(0.08, &mut w.stream);
    let paint = super::shape::Paint { gloss: 0.3, ..s.picture(skin) };
    s.ball(paint, v(0.0, w.h * 0.5, 0.0), v(w.w, w.h, w.d) * 0.5, 14);
    s.ghost(|s| s.ball(matt(rgb(0x5E7A2E)), v(0.0, w.h * 0.995, 0.0), v(0.003, 0.0012, 0.003), 4));
}

fn pear(s: &mut Shape, w: &mut Wish<'_>) {
    let (h, r) = (w.h, w.w * 0.5);
    let color = w.color(0, 0xB9BF4A);
    let skin = Canvas::new(64, 64, color).clouds(10, w.color(1, 0xA86A35), 0.4, &mut w.stream);
    let paint = super::shape::Paint { gloss: 0.3, ..s.picture(skin) };
    s.lathe(
        paint,
        &smooth(
            &[
                (0.0, h * 0.03),
                (r * 0.4, 0.0),
                (r * 0.95, h * 0.22),
                (r * 0.92, h * 0.42),
                (r * 0.52, h * 0.68),
                (r * 0.36, h * 0.84),
                (0.0, h * 0.9),
            ],
            4,
        ),
        24,
    );
    stalk(s, v(0.0, h * 0.9, 0.0), h * 0.1);
}

fn lemon(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0xF0D437);
    let skin = Canvas::new(48, 48, color).grain(0.06, &mut w.stream);
    let paint = super::shape::Paint { gloss: 0.35, ..s.picture(skin) };
    let (r, l) = (w.w * 0.5, w.d * 0.5);
    s.at(v(0.0, r, 0.0), turn(Vec3::X, 90.0), |s| {
        s.lathe(
            paint,
            &smooth(
                &[
                    (0.0, -l),
                    (r * 0.2, -l * 0.95),
                    (r * 0.75, -l * 0.65),
                    (r, 0.0),
                    (r * 0.75, l * 0.6),
                    (r * 0.28, l * 0.88),
                    (0.0, l),
                ],
                3,
            ),
            20,
        );
    });
}

fn tomato(s: &mut Shape, w: &mut Wish<'_>) {
    let (h, r) = (w.h * 0.93, w.w * 0.5);
    let color = w.color(0, 0xC93A22);
    s.blob(shiny(color), v(0.0, h * 0.5, 0.0), v(r, h * 0.5, r), [2.0, 2.4], 14, &|p| {
        0.025 * libm::cosf(5.0 * libm::atan2f(p.x, p.z)) * (1.0 - p.y * p.y)
    });
    s.ghost(|s| {
        let green = matt(rgb(0x4F7A2C));
        for leaf in 0..5 {
            let a = leaf as f32 * 1.2566;
            s.leaf(green, 2, 3, &|u, t| {
                let side = (u - 0.5) * r * 0.3 * (1.0 - t);
                let out = r * 0.55 * t;
                v(
                    out * libm::sinf(a) + side * libm::cosf(a),
                    h * (0.985 + 0.03 * t - 0.02 * t * t),
                    out * libm::cosf(a) - side * libm::sinf(a),
                )
            });
        }
        s.rod(green, &[v(0.0, h * 0.97, 0.0), v(0.0, w.h, 0.0)], &[0.002], 6);
    });
}

fn potato(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0xB58B57);
    let skin = Canvas::new(64, 64, color)
        .clouds(9, times(color, 0.72), 0.8, &mut w.stream)
        .grain(0.08, &mut w.stream);
    let paint = s.picture(skin);
    let wave = bumps(w, 0.16, 5);
    s.blob(paint, v(0.0, w.h * 0.5, 0.0), v(w.w, w.h, w.d) * 0.47, [2.0, 2.0], 12, &wave);
}

fn lettuce(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0x7FA843);
    let (r, h) = (w.w * 0.5, w.h);
    let leafy = Canvas::new(64, 64, color)
        .clouds(12, times(color, 0.7), 0.7, &mut w.stream)
        .each(|x, y, old| if (x - 0.5).abs() < 0.05 * y { rgb(0xD9E6B0) } else { old });
    let paint = s.picture(leafy);
    s.ghost(|s| {
        s.ball(matt(times(color, 0.9)), v(0.0, h * 0.5, 0.0), v(r * 0.78, h * 0.46, r * 0.78), 10);
    });
    // Leaves around the heart, each curled at its border.
    s.ghost(|s| {
        for ring in 0..2 {
            for leaf in 0..6 {
                let a = (leaf as f32 + 0.5 * ring as f32) * 1.0472 + 0.2;
                let wide = 0.85 - 0.1 * ring as f32;
                s.leaf(paint, 8, 6, &|u, t| {
                    let b = a + (u - 0.5) * 1.5;
                    let up = 0.02 + 0.95 * t;
                    let curl = 0.10 * libm::sinf(u * 12.0 + leaf as f32) * t * t;
                    let out = r * (wide * libm::sinf(0.45 + up * 2.1).max(0.25) + curl + 0.12 * t * t);
                    v(
                        out * libm::sinf(b),
                        h * up * (0.96 - 0.15 * (2.0 * u - 1.0).powi(2)),
                        out * libm::cosf(b),
                    )
                });
            }
        }
    });
    let points = (0..=8).flat_map(|j| {
        let up = j as f32 / 8.0;
        let out = r * 0.97 * libm::sinf(0.45 + up * 2.1).max(0.3);
        (0..14).map(move |i| {
            let a = i as f32 * 0.4488;
            v(out * libm::sinf(a), h * up * 0.97, out * libm::cosf(a))
        })
    });
    s.piece(points);
}

fn bread(s: &mut Shape, w: &mut Wish<'_>) {
    let crust = w.color(0, 0xA9713A);
    let (x, h, l) = (w.w * 0.5, w.h, w.d * 0.5);
    let picture = Canvas::new(96, 96, crust)
        .clouds(10, times(crust, 0.7), 0.8, &mut w.stream)
        .each(|px, py, old| {
            // Scored three times across its back.
            let along = (px * 2.0).fract();
            let cut = (py * 5.0 + along * 0.6).fract();
            if w.style == 0 && cut < 0.1 && (0.3..0.7).contains(&along) { rgb(0xE2C79A) } else { old }
        })
        .grain(0.06, &mut w.stream);
    let paint = s.picture(picture);
    if w.style == 0 {
        let wave = bumps(w, 0.05, 4);
        s.blob(paint, v(0.0, h * 0.48, 0.0), v(x, h * 0.5, l), [2.3, 2.6], 14, &wave);
        return;
    }
    // A tin loaf: straight sides, a round top.
    let section = |u: f32| {
        let a = u * std::f32::consts::TAU;
        let (sx, cy) = (libm::sinf(a), -libm::cosf(a));
        let wide = x * (0.86 + 0.14 * (cy * 0.5 + 0.5));
        let px = sx.signum() * libm::powf(sx.abs(), 0.5) * wide;
        let py = h * 0.5 * (1.0 + cy.signum() * libm::powf(cy.abs(), 0.55));
        (px, py)
    };
    s.sheet(paint, 28, 6, &|u, t| {
        let (px, py) = section(u);
        let end = 1.0 - libm::powf((2.0 * t - 1.0).abs(), 8.0) * 0.06;
        v(px * end, py * end + h * (1.0 - end) * 0.3, l * (2.0 * t - 1.0))
    });
    let crumb = matt(w.color(1, 0xE7CFA0));
    for sign in [-1.0_f32, 1.0] {
        s.sheet(crumb, 28, 3, &|u, t| {
            let (px, py) = section(if sign > 0.0 { u } else { 1.0 - u });
            let k = (1.0 - t) * 0.94;
            v(px * k, h * 0.5 + (py - h * 0.5) * k + h * 0.018 * (1.0 - t), sign * l)
        });
    }
    s.piece((0..24).flat_map(|i| {
        let (px, py) = section(i as f32 / 24.0);
        [v(px, py, -l), v(px, py, l)]
    }));
}
