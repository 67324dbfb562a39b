//! Textiles, bags, clothes, plush.

use super::canvas::Canvas;
use super::primitives::{curve, oval, smooth};
use super::shape::{Paint, Rgb, Shape, bright, matt, mix, rgb, shiny, times, turn};
use super::{Maker, Wish};
use ambler_geometry::{Vec2, Vec3};

pub(super) const RECIPES: &[(&str, Maker)] = &[
    ("folded_cloth", folded_cloth),
    ("cushion", cushion),
    ("sponge", sponge),
    ("soap_bar", soap_bar),
    ("teddy_bear", teddy_bear),
    ("backpack", backpack),
    ("handbag", handbag),
    ("shoe", shoe),
    ("hat", hat),
    ("wallet", wallet),
];

fn v(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3::new(x, y, z)
}

fn cloth(s: &mut Shape, color: Rgb, accent: Option<Rgb>) -> Paint {
    let mut picture = Canvas::weave(64, 64, color, 16.0, 0.22);
    if let Some(accent) = accent {
        picture = picture.each(|x, _, old| {
            let stripe = (0.1..0.16).contains(&x) || (0.2..0.23).contains(&x);
            if stripe { std::array::from_fn(|i| accent[i] * (0.75 + 0.25 * old[i])) } else { old }
        });
    }
    s.pattern(picture)
}

/// Layers of cloth folded over, the round folds to the front: towels, blankets.
fn folded_cloth(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0x6F9AA8);
    let paint = cloth(s, color, w.colors.get(1).copied());
    let layers = ((w.h / 0.018) as usize).clamp(2, 6);
    let thick = w.h / layers as f32;
    for layer in 0..layers {
        let y = thick * (layer as f32 + 0.5);
        let shrink = 1.0 - 0.03 * w.stream.uniform() as f32;
        let shift = 0.01 * w.stream.range(-1.0, 1.0) as f32 * w.w;
        let (x, z) = (w.w * 0.5 * shrink, w.d * 0.5);
        let bulge = thick * 0.55;
        let seed = w.stream.range(0.0, 6.0) as f32;
        // A flat tube of cloth: the section is round at the front, nearly closed at the back.
        let at = |u: f32, t: f32| {
            let a = u * std::f32::consts::TAU;
            let (c, q) = (libm::cosf(a), libm::sinf(a));
            let pz = c.signum() * libm::powf(c.abs(), 0.35) * z;
            let py = q.signum() * libm::powf(q.abs(), 0.6) * bulge * (0.85 + 0.15 * c);
            let py = if layer == 0 { py.max(-thick * 0.5) } else { py };
            let wave = 0.004 * libm::sinf(t * 9.0 + seed) + 0.003 * libm::sinf(t * 23.0 + seed);
            let rim = 1.0 - libm::powf((2.0 * t - 1.0).abs(), 14.0) * 0.25;
            v(shift + x * (2.0 * t - 1.0), y + py * rim, pz * (1.0 - 0.004 * layer as f32) + wave)
        };
        s.sheet(paint, 18, 10, &|u, t| at(1.0 - u, t) * 1.0);
        for sign in [0.0_f32, 1.0] {
            s.ghost(|s| {
                s.sheet(paint.dim(0.9), 18, 2, &|u, t| {
                    let rim = at(if sign > 0.5 { u } else { 1.0 - u }, sign);
                    let k = t;
                    v(rim.x, y + (rim.y - y) * k, rim.z * k)
                });
                s.sheet(paint.dim(0.9), 18, 2, &|u, t| {
                    let rim = at(if sign > 0.5 { 1.0 - u } else { u }, sign);
                    let k = t;
                    v(rim.x, y + (rim.y - y) * k, rim.z * k)
                });
            });
        }
        s.piece((0..12).flat_map(|i| [at(i as f32 / 12.0, 0.0), at(i as f32 / 12.0, 1.0)]));
    }
}

fn cushion(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0xC46A45);
    let paint = match w.style {
        0 => cloth(s, color, None),
        _ => {
            let accent = w.color(1, 0xF0E7D8);
            let picture = Canvas::weave(96, 96, color, 24.0, 0.15).each(|x, y, old| {
                let t = ((x + y) * 4.0).fract() < 0.22 || ((x - y + 2.0) * 4.0).fract() < 0.22;
                if t { mix(old, accent, 0.75) } else { old }
            });
            s.pattern(picture)
        }
    };
    let (x, h, z) = (w.w * 0.5, w.h * 0.5, w.d * 0.5);
    let at = |u: f32, t: f32, top: f32| {
        let (a, b) = (2.0 * u - 1.0, 2.0 * t - 1.0);
        let edge = (1.0 - a * a).max(0.0) * (1.0 - b * b).max(0.0);
        // Flat in the middle, as it lies.
        let puff = libm::powf(edge, 0.38).min(0.93) / 0.93;
        // The sides are drawn in between the corners.
        let pinch = |along: f32| 1.0 - 0.09 * (1.0 - along * along);
        v(a * x * pinch(b), h + top * h * puff, b * z * pinch(a))
    };
    s.sheet(paint, 16, 16, &|u, t| at(u, 1.0 - t, 1.0));
    s.sheet(paint, 16, 16, &|u, t| at(u, t, -1.0));
    s.piece((0..=6).flat_map(|i| {
        (0..=6).flat_map(move |j| {
            [at(i as f32 / 6.0, j as f32 / 6.0, 1.0), at(i as f32 / 6.0, j as f32 / 6.0, -1.0)]
        })
    }));
}

fn sponge(s: &mut Shape, w: &mut Wish<'_>) {
    let soft = w.color(0, 0xE9C53B);
    let rough = w.color(1, 0x3F7A42);
    let holes = Canvas::new(64, 64, soft)
        .clouds(20, times(soft, 0.6), 0.7, &mut w.stream)
        .grain(0.1, &mut w.stream);
    let paint = s.picture(holes);
    let h = w.h;
    s.cuboid(paint, v(0.0, h * 0.38, 0.0), v(w.w, h * 0.76, w.d), 0.003);
    let scour = Canvas::new(48, 48, rough).grain(0.25, &mut w.stream);
    let scour = s.picture(scour);
    s.cuboid(scour, v(0.0, h * 0.88, 0.0), v(w.w, h * 0.24, w.d), 0.002);
}

fn soap_bar(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0xF0D9D2);
    let ink = times(color, 0.85);
    let power = if w.style == 0 { 3.2 } else { 2.2 };
    s.blob(shiny(color), v(0.0, w.h * 0.5, 0.0), v(w.w, w.h, w.d) * 0.5, [power, 3.0], 12, &|_| 0.0);
    let word = Canvas::new(64, 32, color).text(
        0.5,
        0.25,
        0.5,
        0.9,
        if w.label.is_empty() { "SOAP" } else { w.label },
        ink,
    );
    let word = s.picture(word);
    s.ghost(|s| {
        s.sticker(word, v(0.0, w.h + 0.0004, 0.0), v(w.w * 0.28, 0.0, 0.0), v(0.0, 0.0, -w.d * 0.2));
    });
}

fn teddy_bear(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0x9A6B3F);
    let pale = w.color(1, 0xD9B98C);
    let fur = Canvas::new(64, 64, color).grain(0.16, &mut w.stream);
    let paint = s.pattern(fur);
    let (x, h, d) = (w.w * 0.5, w.h, w.d);
    let back = -d * 0.5;
    // Sitting: body, head, arms, legs stretched to the front.
    s.ball(paint, v(0.0, h * 0.33, back + d * 0.36), v(x * 0.6, h * 0.31, d * 0.33), 12);
    s.ball(paint, v(0.0, h * 0.75, back + d * 0.42), v(x * 0.56, h * 0.23, d * 0.3), 12);
    for side in [-1.0_f32, 1.0] {
        s.ball(paint, v(side * x * 0.42, h * 0.92, back + d * 0.38), v(x * 0.2, h * 0.085, d * 0.1), 8);
        s.ghost(|s| {
            s.ball(
                matt(pale),
                v(side * x * 0.42, h * 0.915, back + d * 0.44),
                v(x * 0.13, h * 0.055, d * 0.07),
                6,
            );
        });
        let arm = curve(
            &[
                v(side * x * 0.5, h * 0.5, back + d * 0.4),
                v(side * x * 0.82, h * 0.38, back + d * 0.52),
                v(side * x * 0.82, h * 0.26, back + d * 0.68),
            ],
            3,
        );
        s.rod(paint, &arm, &[h * 0.075], 10);
        let leg = [
            v(side * x * 0.38, h * 0.12, back + d * 0.4),
            v(side * x * 0.52, h * 0.115, back + d * 0.7),
            v(side * x * 0.58, h * 0.125, back + d * 0.9),
        ];
        s.rod(paint, &leg, &[h * 0.1, h * 0.1, h * 0.115], 10);
        s.ghost(|s| {
            s.ball(
                matt(pale),
                v(side * x * 0.58, h * 0.125, back + d * 0.965),
                v(x * 0.2, h * 0.085, d * 0.03),
                8,
            );
            s.ball(
                shiny(rgb(0x171310)),
                v(side * x * 0.2, h * 0.8, back + d * 0.67),
                v(x * 0.055, h * 0.024, d * 0.03),
                6,
            );
        });
    }
    s.ball(matt(pale), v(0.0, h * 0.7, back + d * 0.68), v(x * 0.24, h * 0.09, d * 0.12), 8);
    s.ghost(|s| {
        s.ball(
            shiny(rgb(0x171310)),
            v(0.0, h * 0.735, back + d * 0.79),
            v(x * 0.08, h * 0.028, d * 0.03),
            6,
        );
    });
    if w.style == 1 {
        s.ghost(|s| {
            s.torus(
                shiny(w.color(2, 0xB02A35)),
                v(0.0, h * 0.56, back + d * 0.4),
                Vec3::Y,
                x * 0.42,
                h * 0.028,
                10,
            );
            for side in [-1.0_f32, 1.0] {
                s.ball(
                    shiny(w.color(2, 0xB02A35)),
                    v(side * x * 0.2, h * 0.55, back + d * 0.74),
                    v(x * 0.2, h * 0.05, d * 0.06),
                    6,
                );
            }
        });
    }
}

fn backpack(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0x2F5D8A);
    let accent = w.color(1, 0x24282E);
    let paint = cloth(s, color, None);
    let (x, h, d) = (w.w, w.h, w.d);
    s.blob(paint, v(0.0, h * 0.47, -d * 0.1), v(x * 0.48, h * 0.47, d * 0.36), [3.6, 4.2], 14, &|_| 0.0);
    s.blob(paint, v(0.0, h * 0.29, d * 0.26), v(x * 0.4, h * 0.24, d * 0.2), [3.4, 4.0], 10, &|_| 0.0);
    s.ghost(|s| {
        let zip = matt(accent);
        // The zip of the main bag and of its pocket.
        let arc: Vec<Vec3> = (0..=12)
            .map(|i| {
                let a = std::f32::consts::PI * i as f32 / 12.0;
                v(-x * 0.46 * libm::cosf(a), h * 0.5 + h * 0.4 * libm::sinf(a), d * 0.13)
            })
            .collect();
        s.rod(zip, &arc, &[0.006], 6);
        s.rod(
            zip,
            &[
                v(-x * 0.36, h * 0.44, d * 0.42),
                v(0.0, h * 0.46, d * 0.455),
                v(x * 0.36, h * 0.44, d * 0.42),
            ],
            &[0.005],
            6,
        );
        s.cuboid(bright(rgb(0xC8CCD0)), v(x * 0.2, h * 0.425, d * 0.46), v(0.008, 0.03, 0.004), 0.001);
        s.cuboid(matt(accent), v(0.0, h * 0.24, d * 0.462), v(x * 0.3, h * 0.07, 0.004), 0.001);
    });
    let grip = curve(
        &[
            v(-x * 0.12, h * 0.91, -d * 0.2),
            v(-x * 0.07, h * 0.985, -d * 0.2),
            v(x * 0.07, h * 0.985, -d * 0.2),
            v(x * 0.12, h * 0.91, -d * 0.2),
        ],
        3,
    );
    s.rod_flat(matt(accent), &grip, &[0.011], 8, 0.5, Vec3::Y);
    for side in [-1.0_f32, 1.0] {
        let strap = curve(
            &[
                v(side * x * 0.2, h * 0.9, -d * 0.36),
                v(side * x * 0.27, h * 0.72, -d * 0.48),
                v(side * x * 0.3, h * 0.4, -d * 0.49),
                v(side * x * 0.4, h * 0.12, -d * 0.38),
            ],
            4,
        );
        s.rod_flat(matt(accent), &strap, &[0.024], 8, 0.3, Vec3::Z);
        s.ghost(|s| {
            s.blob(
                matt(times(color, 0.75)),
                v(side * x * 0.47, h * 0.2, -d * 0.08),
                v(x * 0.05, h * 0.16, d * 0.2),
                [3.0, 3.0],
                8,
                &|_| 0.0,
            );
        });
    }
}

fn handbag(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0x8A3B2C);
    let metal = bright(w.color(1, 0xCBA24A));
    let (x, h, d) = (w.w, w.h, w.d);
    let body = h * 0.64;
    let leather = Canvas::new(48, 48, color).grain(0.05, &mut w.stream);
    let paint = Paint { gloss: 0.35, ..s.pattern(leather) };
    s.within(
        ambler_geometry::Affine { matrix: ambler_geometry::Mat3::IDENTITY, translation: Vec3::ZERO },
        |s| {
            s.blob(
                paint,
                v(0.0, body * 0.5, 0.0),
                v(x * 0.5, body * 0.5, d * 0.5),
                [3.0, 5.0],
                14,
                &|p| -0.22 * (p.y * 0.5 + 0.5) * p.z.abs(),
            );
        },
    );
    s.ghost(|s| {
        // Flap, seam and clasp.
        let front = |y: f32| d * 0.5 * (1.0 - 0.12 * (y / body));
        s.leaf(Paint { gloss: 0.35, ..matt(times(color, 0.82)) }, 10, 6, &|u, t| {
            let a = 2.0 * u - 1.0;
            let drop = body * (0.98 - 0.46 * t * (1.0 - 0.5 * a * a));
            v(
                a * x * 0.46,
                drop,
                front(drop) * (0.25 + 0.75 * t.min(0.4) / 0.4) * (1.0 - 0.16 * a * a) + 0.006,
            )
        });
        s.cuboid(metal, v(0.0, body * 0.56, front(body * 0.56) + 0.008), v(0.03, 0.024, 0.012), 0.004);
    });
    for side in [-1.0_f32, 1.0] {
        let z = side * d * 0.16;
        let line = curve(
            &[
                v(-x * 0.26, body * 0.93, z),
                v(-x * 0.22, h * 0.88, z),
                v(0.0, h * 0.985, z),
                v(x * 0.22, h * 0.88, z),
                v(x * 0.26, body * 0.93, z),
            ],
            4,
        );
        s.rod(Paint { gloss: 0.35, ..matt(times(color, 0.85)) }, &line, &[0.007], 8);
        s.ghost(|s| {
            for end in [-1.0_f32, 1.0] {
                s.ball(metal, v(end * x * 0.26, body * 0.94, z), v(0.011, 0.011, 0.008), 6);
            }
        });
    }
}

/// A shoe with its toe to the front: 0 sneaker, 1 leather shoe.
fn shoe(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0x3D6FA8);
    let sole = w.color(1, 0xF2F1EC);
    let (x, h, l) = (w.w * 0.5, w.h, w.d * 0.5);
    // Outline of the sole: narrow waist, wide ball.
    let width = |t: f32| {
        let wave = 0.8 + 0.2 * libm::sinf((t - 0.15) * 5.2);
        x * wave * libm::powf((1.0 - (2.0 * t - 1.0).powi(4)).max(0.0), 0.5)
    };
    let outline: Vec<Vec2> = (0..32)
        .map(|i| {
            let a = i as f32 / 32.0;
            let (t, side) = if a < 0.5 { (2.0 * a, 1.0) } else { (2.0 - 2.0 * a, -1.0) };
            Vec2::new(side * width(t.clamp(0.004, 0.996)), l * (2.0 * t - 1.0))
        })
        .collect();
    let thick = h * if w.style == 0 { 0.2 } else { 0.1 };
    s.ghost(|s| s.plate(matt(sole), &outline, 0.0, thick));
    if w.style == 1 {
        s.cuboid(matt(sole), v(0.0, thick * 0.2 - 0.004, -l * 0.62), v(x * 1.3, thick, l * 0.5), 0.002);
    }
    // The upper: height along the foot, falling to the toe; open at the ankle.
    let height = |t: f32| {
        let toe = h * 0.52 + (h * 0.48) * (1.0 - ((t - 0.2) / 0.42).clamp(0.0, 1.0)).powi(2);
        if t < 0.08 { h * (0.9 + 1.2 * t) } else { toe.min(h) }
    };
    let paint = if w.style == 0 { cloth(s, color, None) } else { shiny(color) };
    let at = |u: f32, t: f32| {
        // u goes from the left sole edge over the top to the right one.
        let a = std::f32::consts::PI * u;
        let wide = width(t.clamp(0.01, 0.99)) * 0.97;
        let top = height(t)
            * if t > 0.9 { libm::sqrtf(((1.0 - t) / 0.1).max(0.0)) * 0.75 + 0.25 } else { 1.0 };
        let c = libm::cosf(a);
        v(
            -wide * c.signum() * libm::powf(c.abs(), 0.75),
            thick + (top - thick).max(0.002) * libm::powf(libm::sinf(a).max(0.0), 0.7),
            l * (2.0 * t - 1.0),
        )
    };
    s.ghost(|s| s.sheet(paint, 16, 20, &|u, t| at(1.0 - u, t)));
    s.ghost(|s| {
        let dark = matt(times(color, 0.35));
        // The opening, the tongue, the laces.
        let hole: Vec<Vec2> = oval(x * 0.52, l * 0.3, 2.4, 16)
            .into_iter()
            .map(|p| p + Vec2::new(0.0, -l * 0.56))
            .collect();
        s.plate(dark, &hole, h * 0.955, h * 1.001);
        if w.style == 0 {
            for lace in 0..4 {
                let t = 0.38 + 0.075 * lace as f32;
                let y = height(t) + 0.001;
                s.rod(
                    matt(w.color(2, 0xFDFDFB)),
                    &[
                        v(-x * 0.36, y - 0.008, l * (2.0 * t - 1.0)),
                        v(0.0, y + 0.003, l * (2.0 * t - 1.0)),
                        v(x * 0.36, y - 0.008, l * (2.0 * t - 1.0)),
                    ],
                    &[0.003],
                    5,
                );
            }
            for side in [-1.0_f32, 1.0] {
                let stripe = curve(
                    &[
                        v(side * x * 0.93, thick + 0.012, -l * 0.2),
                        v(side * x * 0.86, h * 0.4, l * 0.05),
                        v(side * x * 0.6, h * 0.55, l * 0.2),
                    ],
                    3,
                );
                s.rod(matt(w.color(3, 0xF4F4F0)), &stripe, &[0.006], 6);
            }
        } else {
            for lace in 0..3 {
                let t = 0.36 + 0.07 * lace as f32;
                let y = height(t);
                s.rod(
                    matt(times(color, 0.4)),
                    &[
                        v(-x * 0.25, y - 0.006, l * (2.0 * t - 1.0)),
                        v(0.0, y + 0.002, l * (2.0 * t - 1.0)),
                        v(x * 0.25, y - 0.006, l * (2.0 * t - 1.0)),
                    ],
                    &[0.0025],
                    5,
                );
            }
        }
    });
    for (t0, t1) in [(0.0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1.0)] {
        let mut points = Vec::new();
        for t in [t0, (t0 + t1) * 0.5, t1] {
            points.extend((0..=8).map(|i| at(i as f32 / 8.0, t)));
            let wide = width(t.clamp(0.004, 0.996));
            points.extend([v(-wide, 0.0, l * (2.0 * t - 1.0)), v(wide, 0.0, l * (2.0 * t - 1.0))]);
        }
        s.piece(points);
    }
}

/// 0 baseball cap with its peak to the front, 1 sun hat.
fn hat(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0x2E4A7A);
    let (x, h, d) = (w.w * 0.5, w.h, w.d);
    if w.style == 1 {
        let straw = Canvas::weave(64, 64, color, 20.0, 0.3);
        let paint = s.pattern(straw);
        let r = d * 0.5;
        s.lathe(
            paint,
            &smooth(
                &[
                    (0.0, h * 0.02),
                    (r * 0.6, h * 0.02),
                    (r * 0.98, 0.0),
                    (r, h * 0.02),
                    (r * 0.95, h * 0.05),
                    (r * 0.56, h * 0.09),
                ],
                2,
            ),
            32,
        );
        s.lathe(
            paint,
            &smooth(
                &[
                    (r * 0.56, h * 0.09),
                    (r * 0.54, h * 0.3),
                    (r * 0.5, h * 0.8),
                    (r * 0.36, h * 0.97),
                    (0.0, h),
                ],
                3,
            ),
            28,
        );
        s.ghost(|s| {
            s.band(matt(w.color(1, 0x6B2A2A)), (r * 0.565, h * 0.12), (r * 0.55, h * 0.36), 0.0, 360.0);
        });
        return;
    }
    let panels = Canvas::new(96, 48, color).each(|u, _, old| {
        let seam = (u * 6.0).fract();
        if !(0.03..0.97).contains(&seam) { times(old, 0.75) } else { old }
    });
    let paint = s.picture(panels);
    let r = x;
    let back = -d * 0.5 + r;
    let dome = |k: f32| {
        smooth(
            &[
                (r * k, h * 0.06),
                (r * 0.99 * k, h * 0.3),
                (r * 0.8 * k, h * 0.72 * k),
                (r * 0.4 * k, h * 0.93 * k),
                (0.0, h * 0.98 * k),
            ],
            3,
        )
    };
    s.moved(0.0, 0.0, back, |s| {
        s.lathe(paint, &dome(1.0), 24);
        s.ghost(|s| {
            s.ball(matt(w.color(1, 0xE8E4DA)), v(0.0, h * 0.985, 0.0), v(0.008, 0.005, 0.008), 6);
            let badge = Canvas::new(32, 32, w.color(1, 0xE8E4DA)).text(
                0.5,
                0.2,
                0.6,
                0.8,
                if w.label.is_empty() { "A" } else { w.label },
                color,
            );
            let badge = s.picture(badge);
            s.at(v(0.0, h * 0.42, r * 0.975), turn(Vec3::X, -14.0), |s| {
                s.sticker(badge, Vec3::ZERO, v(0.022, 0.0, 0.0), v(0.0, 0.022, 0.0));
            });
        });
    });
    let brim = |u: f32, t: f32| {
        let a = (2.0 * u - 1.0) * 1.25;
        let long = (d - 2.0 * r + 0.012) * libm::cosf((2.0 * u - 1.0) * 1.35).max(0.0);
        let out = r * 0.985 + long * t;
        v(
            out * libm::sinf(a) * (1.0 - 0.25 * t),
            h * (0.07 - 0.05 * t) - 0.02 * (2.0 * u - 1.0).powi(2) * t + 0.012 * t,
            back + out * libm::cosf(a),
        )
    };
    s.leaf(matt(times(color, 0.85)), 14, 4, &brim);
    s.piece((0..=10).flat_map(|i| {
        [
            brim(i as f32 / 10.0, 0.0),
            brim(i as f32 / 10.0, 1.0),
            brim(i as f32 / 10.0, 1.0) + v(0.0, 0.003, 0.0),
        ]
    }));
}

fn wallet(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0x4A2D1E);
    let leather = Canvas::new(64, 64, color).grain(0.06, &mut w.stream).each(|x, y, old| {
        let edge = x.min(1.0 - x).min(y).min(1.0 - y);
        if (0.05..0.065).contains(&edge) && ((x + y) * 30.0).fract() < 0.6 {
            times(old, 1.5)
        } else {
            old
        }
    });
    let paint = Paint { gloss: 0.2, ..s.picture(leather) };
    let h = w.h;
    s.cuboid(paint, v(0.0, h * 0.25, 0.0), v(w.w, h * 0.5, w.d), 0.003);
    s.at(v(0.0, h * 0.74, 0.0), turn(Vec3::X, 2.0), |s| {
        s.cuboid(paint, Vec3::ZERO, v(w.w, h * 0.48, w.d), 0.003);
    });
    // A note and a card look out at the open side.
    s.ghost(|s| {
        s.cuboid(matt(rgb(0x9DB58A)), v(0.0, h * 0.5, w.d * 0.5), v(w.w * 0.86, h * 0.06, 0.006), 0.0);
        s.cuboid(
            shiny(w.color(1, 0x2C6FB5)),
            v(w.w * 0.05, h * 0.62, w.d * 0.5),
            v(w.w * 0.8, h * 0.05, 0.004),
            0.0,
        );
    });
}
