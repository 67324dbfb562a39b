//! Books, paper, decoration, containers.

use super::canvas::Canvas;
use super::primitives::{curve, smooth};
use super::shape::{Paint, Rgb, Shape, bright, matt, mix, rgb, shiny, times, turn};
use super::{Maker, Wish};
use ambler_geometry::Vec3;

pub(super) const RECIPES: &[(&str, Maker)] = &[
    ("book", book),
    ("magazine", magazine),
    ("notebook", notebook),
    ("candle", candle),
    ("vase", vase),
    ("potted_plant", potted_plant),
    ("picture_frame", picture_frame),
    ("figurine", figurine),
    ("basket", basket),
    ("watering_can", watering_can),
];

fn v(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3::new(x, y, z)
}

/// A cover: ground, a shape, a title.
fn cover(w: &mut Wish<'_>, ground: Rgb, accent: Rgb) -> Canvas {
    let ink = if ground.iter().sum::<f32>() > 1.7 { rgb(0x222226) } else { rgb(0xF6F1E4) };
    let picture = Canvas::new(96, 136, ground);
    let picture = match w.style % 3 {
        0 => picture.disc(0.5, 0.62, 0.3, 0.21, accent).disc(0.5, 0.62, 0.2, 0.14, times(accent, 0.75)),
        1 => picture.each(|x, y, old| {
            let hill = 0.72 - 0.12 * libm::sinf(x * 4.0 + 0.6) - 0.06 * libm::sinf(x * 9.0);
            if y > hill {
                accent
            } else if y > hill - 0.1 {
                mix(accent, old, 0.5)
            } else {
                old
            }
        }),
        _ => picture.each(|x, y, old| {
            if ((x * 6.0 + y * 3.0).fract() < 0.5) && y > 0.45 && y < 0.85 { accent } else { old }
        }),
    };
    picture.text(0.5, 0.1, 0.11, 0.84, w.label, ink).rect(0.2, 0.27, 0.8, 0.285, ink).text(
        0.5,
        0.9,
        0.045,
        0.5,
        "A. WALKER",
        ink,
    )
}

/// A book lying on its back, the spine to the left.
fn book(s: &mut Shape, w: &mut Wish<'_>) {
    let (ground, accent) = (w.color(0, 0x2F4F7A), w.color(1, 0xE2B84A));
    let (x, h, d) = (w.w, w.h, w.d);
    let front = cover(w, ground, accent);
    let front = s.picture(front);
    let board = 0.0028_f32.min(h * 0.15);
    let hard = shiny(ground);
    s.ghost(|s| {
        s.cuboid(hard, v(0.0, board * 0.5, 0.0), v(x, board, d), 0.0008);
        s.cuboid(hard, v(0.0, h - board * 0.5, 0.0), v(x, board, d), 0.0008);
        // The spine, a little round.
        let at = |u: f32, t: f32| {
            let a = std::f32::consts::PI * (u - 0.5);
            v(
                -x * 0.5 + 0.003 - 0.004 * libm::cosf(a),
                h * 0.5 + (h * 0.5) * libm::sinf(a),
                d * (t - 0.5),
            )
        };
        s.sheet(hard, 8, 1, &|u, t| at(u, 1.0 - t));
        let pages = Canvas::new(16, 64, rgb(0xF1EAD8))
            .each(|_, y, old| times(old, 0.9 + 0.1 * libm::sinf(y * 160.0)));
        let pages = s.picture(pages);
        s.cuboid(pages, v(0.003, h * 0.5, 0.0), v(x - 0.012, h - 2.0 * board, d - 0.008), 0.0);
        s.sticker(front, v(0.0, h + 0.0002, 0.0), v(x * 0.497, 0.0, 0.0), v(0.0, 0.0, -d * 0.497));
        let title = Canvas::new(128, 24, times(ground, 0.9)).text(0.5, 0.22, 0.56, 0.8, w.label, accent);
        let title = s.picture(title);
        s.sticker(
            title,
            v(-x * 0.5 - 0.0014, h * 0.5, 0.0),
            v(0.0, 0.0, d * 0.42),
            v(0.0, h * 0.3, 0.0),
        );
    });
    let (a, c) = (x * 0.5, d * 0.5);
    s.piece((0..8).map(|i| {
        v(
            if i & 1 == 0 { -a } else { a },
            if i & 2 == 0 { 0.0 } else { h },
            if i & 4 == 0 { -c } else { c },
        )
    }));
}

fn magazine(s: &mut Shape, w: &mut Wish<'_>) {
    let (ground, accent) = (w.color(0, 0xD8C3A5), w.color(1, 0xB23A48));
    let (x, h, d) = (w.w, w.h, w.d);
    let title = if w.label.is_empty() { "HOME" } else { w.label };
    let picture = Canvas::new(112, 148, ground)
        .fade(mix(ground, [1.0; 3], 0.3), times(ground, 0.85))
        .disc(0.5, 0.5, 0.2, 0.17, times(ground, 0.6))
        .disc(0.5, 0.78, 0.36, 0.26, accent)
        .rect(0.0, 0.92, 1.0, 1.0, times(accent, 0.7))
        .text(0.5, 0.04, 0.16, 0.9, title, accent)
        .lines(0.06, 0.3, 0.26, 0.6, 6, rgb(0x2A2A2A), &mut w.stream);
    let picture = Paint { gloss: 0.3, ..s.picture(picture) };
    let bend = |px: f32| h * 0.25 * libm::powf((px / x + 0.5).max(0.0), 2.0);
    s.ghost(|s| {
        s.sheet(picture, 6, 1, &|u, t| {
            let px = x * (u - 0.5);
            v(px, h * 0.75 + bend(px), d * (0.5 - t))
        });
        s.quad(
            matt(rgb(0xE8E4DA)),
            [
                v(-x * 0.5, 0.0, -d * 0.5),
                v(x * 0.5, 0.0, -d * 0.5),
                v(x * 0.5, 0.0, d * 0.5),
                v(-x * 0.5, 0.0, d * 0.5),
            ],
        );
        for sign in [-1.0_f32, 1.0] {
            let edge = matt(rgb(0xF2EFE8));
            s.quad(
                edge,
                [
                    v(sign * x * 0.5, 0.0, sign * d * 0.5),
                    v(sign * x * 0.5, 0.0, -sign * d * 0.5),
                    v(sign * x * 0.5, h * 0.75 + bend(sign * x * 0.5), -sign * d * 0.5),
                    v(sign * x * 0.5, h * 0.75 + bend(sign * x * 0.5), sign * d * 0.5),
                ],
            );
            s.quad(
                edge,
                [
                    v(-sign * x * 0.5, 0.0, sign * d * 0.5),
                    v(sign * x * 0.5, 0.0, sign * d * 0.5),
                    v(sign * x * 0.5, h * 0.75 + bend(sign * x * 0.5), sign * d * 0.5),
                    v(-sign * x * 0.5, h * 0.75 + bend(-sign * x * 0.5), sign * d * 0.5),
                ],
            );
        }
    });
    s.piece((0..8).map(|i| {
        let px = if i & 1 == 0 { -x * 0.5 } else { x * 0.5 };
        v(
            px,
            if i & 2 == 0 { 0.0 } else { h * 0.75 + bend(px) },
            if i & 4 == 0 { -d * 0.5 } else { d * 0.5 },
        )
    }));
}

/// A notebook: 0 with a spiral, 1 bound with a ribbon.
fn notebook(s: &mut Shape, w: &mut Wish<'_>) {
    let (ground, accent) = (w.color(0, 0x2A7F6F), w.color(1, 0xF2EFE6));
    let (x, h, d) = (w.w, w.h, w.d);
    let front = Canvas::new(80, 112, ground)
        .rect(0.25, 0.2, 0.85, 0.42, accent)
        .text(0.55, 0.25, 0.06, 0.5, if w.label.is_empty() { "NOTES" } else { w.label }, rgb(0x333333))
        .rect(0.32, 0.35, 0.78, 0.36, rgb(0x777777));
    let front = s.picture(front);
    s.cuboid(matt(times(ground, 0.9)), v(0.0, h * 0.5, 0.0), v(x, h, d), 0.001);
    s.ghost(|s| {
        let pages = matt(rgb(0xF4F1E7));
        for (at, size) in [
            (v(x * 0.5, h * 0.5, 0.0), v(0.001, h * 0.74, d * 0.97)),
            (v(0.0, h * 0.5, d * 0.5), v(x * 0.94, h * 0.74, 0.001)),
            (v(0.0, h * 0.5, -d * 0.5), v(x * 0.94, h * 0.74, 0.001)),
        ] {
            s.cuboid(pages, at, size, 0.0);
        }
        s.sticker(front, v(0.0, h + 0.0002, 0.0), v(x * 0.5, 0.0, 0.0), v(0.0, 0.0, -d * 0.5));
        if w.style == 0 {
            for turn_of in 0..16 {
                let z = d * (turn_of as f32 / 15.0 - 0.5) * 0.92;
                let c = v(-x * 0.47, h * 0.5, z);
                let ring: Vec<Vec3> = (0..=10)
                    .map(|i| {
                        let a = i as f32 * 0.6283;
                        c + v(h * 0.7 * libm::cosf(a), h * 0.78 * libm::sinf(a), 0.0)
                    })
                    .collect();
                s.rod(bright(rgb(0x9EA3A8)), &ring, &[0.0011], 5);
            }
        } else {
            s.cuboid(
                matt(w.color(2, 0xB02A35)),
                v(x * 0.38, h * 0.5, 0.0),
                v(0.007, h + 0.0016, d * 1.002),
                0.0,
            );
        }
    });
}

fn candle(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0xF0E3C8);
    let (h, r) = (w.h, w.w * 0.5);
    let wick = |s: &mut Shape, y: f32| {
        s.ghost(|s| {
            s.rod(
                matt(rgb(0x2A2520)),
                &[v(0.0, y - 0.004, 0.0), v(0.001, y + 0.008, 0.0)],
                &[0.0013],
                5,
            );
        });
    };
    if w.style == 1 {
        // In a glass.
        let glass = bright(w.color(1, 0xB9C7C4));
        s.vessel(glass, glass, &[(r * 0.94, 0.0), (r, h * 0.04), (r, h)], 0.003, h * 0.7, 28);
        s.ghost(|s| s.lathe(shiny(color), &[(r * 0.95, h * 0.701), (0.0, h * 0.705)], 24));
        let picture = Canvas::new(64, 64, rgb(0xFAF6EC)).text(
            0.5,
            0.3,
            0.3,
            0.84,
            if w.label.is_empty() { "FIG" } else { w.label },
            rgb(0x333333),
        );
        let picture = s.picture(picture);
        s.ghost(|s| s.band(picture, (r * 1.012, h * 0.2), (r * 1.012, h * 0.62), -45.0, 45.0));
        wick(s, h * 0.72);
        return;
    }
    s.lathe(
        shiny(color),
        &[
            (0.0, 0.0),
            (r * 0.98, 0.0),
            (r, h * 0.02),
            (r, h * 0.9),
            (r * 0.93, h * 0.925),
            (r * 0.6, h * 0.9),
            (0.0, h * 0.895),
        ],
        24,
    );
    s.ghost(|s| {
        for (a, long) in [(0.4_f32, 0.25_f32), (2.0, 0.4), (4.2, 0.18)] {
            let at = |y: f32| v(r * 0.99 * libm::sinf(a), y, r * 0.99 * libm::cosf(a));
            s.rod(shiny(color), &[at(h * 0.9), at(h * (0.9 - long))], &[0.004, 0.0045], 6);
        }
    });
    wick(s, h * 0.905);
}

fn vase(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0x2E6E7E);
    let (h, r) = (w.h, w.w * 0.5);
    let rings = match w.style {
        0 => smooth(
            &[
                (r * 0.5, 0.0),
                (r * 0.85, h * 0.15),
                (r, h * 0.36),
                (r * 0.72, h * 0.62),
                (r * 0.36, h * 0.82),
                (r * 0.52, h),
            ],
            4,
        ),
        1 => smooth(
            &[(r * 0.62, 0.0), (r * 0.7, h * 0.2), (r * 0.86, h * 0.6), (r, h * 0.9), (r * 0.96, h)],
            3,
        ),
        _ => smooth(
            &[
                (r * 0.6, 0.0),
                (r, h * 0.3),
                (r * 0.9, h * 0.55),
                (r * 0.4, h * 0.7),
                (r * 0.38, h * 0.9),
                (r * 0.5, h),
            ],
            4,
        ),
    };
    let accent = w.color(1, 0xE9DFC8);
    let picture = Canvas::new(128, 96, color)
        .each(|x, y, old| {
            let zig = ((x * 12.0).fract() - 0.5).abs() * 0.12;
            if (0.3 + zig..0.34 + zig).contains(&y)
                || (0.62..0.64).contains(&y)
                || (0.2..0.215).contains(&y)
            {
                accent
            } else {
                old
            }
        })
        .clouds(9, times(color, 0.8), 0.35, &mut w.stream);
    let paint = Paint { gloss: 0.6, ..s.picture(picture) };
    s.vessel(paint, shiny(times(color, 0.8)), &rings, 0.006, h * 0.05, 32);
}

fn potted_plant(s: &mut Shape, w: &mut Wish<'_>) {
    let (x, h) = (w.w.min(w.d), w.h);
    let pot = w.color(0, 0xB9683F);
    let green = w.color(1, 0x4E7F3A);
    let r = x * 0.3;
    let top = h * 0.3;
    s.vessel(
        matt(pot),
        matt(times(pot, 0.8)),
        &[(r * 0.72, 0.0), (r * 0.94, top * 0.8), (r * 1.04, top * 0.82), (r * 1.06, top)],
        0.006,
        top * 0.85,
        24,
    );
    let soil = Canvas::new(32, 32, rgb(0x3B2A1E)).grain(0.3, &mut w.stream);
    let soil = s.picture(soil);
    s.ghost(|s| s.lathe(soil, &[(r * 1.0, top * 0.86), (0.0, top * 0.88)], 20));
    let leafy = Canvas::new(32, 64, green).each(|u, t, old| {
        let vein = (u - 0.5).abs() < 0.05 || ((t * 8.0 + (u - 0.5).abs() * 6.0).fract() < 0.12);
        if vein { times(old, 1.25) } else { times(old, 0.9 + 0.2 * t) }
    });
    let paint = s.picture(leafy);
    let count = if w.style == 0 { 17 } else { 13 };
    let reach = x * 0.5;
    let mut tips = Vec::new();
    for leaf in 0..count {
        let a = leaf as f32 * 2.399_963;
        let t = (leaf as f32 + 0.5) / count as f32;
        let seed = w.stream.range(0.85, 1.1) as f32;
        let out = v(libm::sinf(a), 0.0, libm::cosf(a));
        let side = v(out.z, 0.0, -out.x);
        let low = v(0.0, top * 0.9, 0.0);
        if w.style == 0 {
            // Broad leaves on stalks, the inner ones higher.
            let far = reach * (0.95 - 0.55 * t) * seed;
            let up = top + (h - top) * (0.28 + 0.66 * t);
            let stalk_end = low + out * far * 0.5 + Vec3::Y * (up - low.y) * 0.8;
            s.ghost(|s| {
                s.rod(
                    matt(times(green, 0.8)),
                    &curve(&[low, low + out * far * 0.2 + Vec3::Y * (up - low.y) * 0.5, stalk_end], 2),
                    &[0.0025],
                    5,
                );
            });
            let tip = low + out * far + Vec3::Y * (up - low.y);
            let wide = reach * 0.26;
            s.ghost(|s| {
                s.leaf(paint, 4, 6, &|u, q| {
                    let b = 2.0 * u - 1.0;
                    let spine =
                        stalk_end + (tip - stalk_end) * q * 1.1 - Vec3::Y * (0.05 * q * q * reach);
                    let width = wide
                        * libm::powf(
                            libm::sinf(std::f32::consts::PI * libm::powf(q * 0.97 + 0.015, 0.7))
                                .max(0.0),
                            0.9,
                        );
                    spine + side * (b * width) + Vec3::Y * (0.18 * width * b * b)
                });
            });
            tips.push(tip);
        } else {
            // Upright swords.
            let lean = reach * 0.75 * (0.15 + 0.85 * (1.0 - t)) * seed;
            let long = (h - top) * (0.62 + 0.38 * t);
            let tip = low + out * lean + Vec3::Y * long;
            s.ghost(|s| {
                s.leaf(paint, 2, 6, &|u, q| {
                    let b = 2.0 * u - 1.0;
                    let spine = low + out * (r * 0.3 * (1.0 - t) + lean * q * q) + Vec3::Y * (long * q);
                    spine
                        + side * (b * reach * 0.12 * (1.0 - q * q).max(0.0))
                        + out * (0.25 * reach * 0.12 * b * b)
                });
            });
            tips.push(tip);
        }
    }
    // Physics sees the crown as one body over the pot.
    let low = top * 0.95;
    s.piece(tips.iter().copied().chain((0..8).map(|i| {
        let a = i as f32 * std::f32::consts::FRAC_PI_4;
        v(r * 0.6 * libm::sinf(a), low, r * 0.6 * libm::cosf(a))
    })));
}

/// A frame with a photograph that leans on a strut.
fn picture_frame(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0x5A3B26);
    let (x, h, d) = (w.w, w.h, w.d);
    let lean = libm::atan2f(d * 0.42, h).to_degrees();
    let sky = w.color(1, 0x8FB9D9);
    let photo = Canvas::new(72, 96, sky)
        .fade(sky, mix(sky, [1.0; 3], 0.5))
        .each(|px, py, old| {
            let hill = 0.62 - 0.1 * libm::sinf(px * 4.0 + w.style as f32 * 2.0);
            if py > hill { mix(rgb(0x5B8A4A), rgb(0x2F5A34), (py - hill) * 2.0) } else { old }
        })
        .disc(0.72, 0.2, 0.09, 0.07, rgb(0xFBE9A5))
        .disc(0.42, 0.56, 0.075, 0.056, rgb(0xD9A883))
        .rect(0.33, 0.61, 0.51, 0.86, w.color(2, 0xA6384B));
    let photo = s.picture(photo);
    let z = d * 0.5 - 0.008;
    s.at(v(0.0, 0.0, z), turn(Vec3::X, -lean), |s| {
        let tall = h / libm::cosf(lean.to_radians());
        let bar = x * 0.1;
        let paint = shiny(color);
        s.ghost(|s| {
            for sign in [-1.0_f32, 1.0] {
                s.cuboid(paint, v(sign * (x - bar) * 0.5, tall * 0.5, 0.0), v(bar, tall, 0.014), 0.003);
                s.cuboid(
                    paint,
                    v(0.0, tall * 0.5 + sign * (tall - bar) * 0.5, 0.0),
                    v(x - bar * 1.2, bar, 0.014),
                    0.003,
                );
            }
            s.cuboid(
                matt(rgb(0x3A3027)),
                v(0.0, tall * 0.5, -0.003),
                v(x * 0.96, tall * 0.96, 0.006),
                0.0,
            );
            s.sticker(
                matt(rgb(0xF7F4EC)),
                v(0.0, tall * 0.5, 0.0012),
                v(x * 0.42, 0.0, 0.0),
                v(0.0, tall * 0.44, 0.0),
            );
            s.sticker(
                photo,
                v(0.0, tall * 0.5, 0.0022),
                v(x * 0.34, 0.0, 0.0),
                v(0.0, tall * 0.375, 0.0),
            );
        });
        let (a, b) = (x * 0.5, 0.007);
        s.piece((0..8).map(|i| {
            v(
                if i & 1 == 0 { -a } else { a },
                if i & 2 == 0 { 0.0 } else { tall },
                if i & 4 == 0 { -b } else { b },
            )
        }));
    });
    let strut = [v(0.0, h * 0.62, z - 0.42 * d * 0.62 - 0.008), v(0.0, 0.004, -d * 0.5 + 0.006)];
    s.rod_flat(matt(times(color, 0.7)), &strut, &[0.012], 8, 0.3, Vec3::Z);
}

/// 0 an elephant, 1 a standing figure.
fn figurine(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0xC9B79A);
    let paint = shiny(color);
    let (x, h, d) = (w.w, w.h, w.d);
    if w.style == 1 {
        let r = x * 0.36;
        s.lathe(
            shiny(w.color(1, 0x3A3530)),
            &[(0.0, 0.0), (r * 1.1, 0.0), (r * 1.1, h * 0.04), (r * 0.9, h * 0.06)],
            22,
        );
        s.lathe(
            paint,
            &smooth(
                &[
                    (r * 0.85, h * 0.06),
                    (r * 0.72, h * 0.2),
                    (r * 0.5, h * 0.44),
                    (r * 0.42, h * 0.55),
                    (r * 0.6, h * 0.7),
                    (r * 0.5, h * 0.78),
                    (r * 0.18, h * 0.81),
                    (r * 0.16, h * 0.84),
                ],
                3,
            ),
            20,
        );
        s.ball(paint, v(0.0, h * 0.915, 0.0), v(r * 0.36, h * 0.08, r * 0.38), 10);
        for side in [-1.0_f32, 1.0] {
            let arm = curve(
                &[
                    v(side * r * 0.55, h * 0.74, 0.0),
                    v(side * r * 0.95, h * 0.6, 0.02),
                    v(side * r * 0.5, h * 0.5, d * 0.22),
                    v(side * r * 0.06, h * 0.53, d * 0.24),
                ],
                3,
            );
            s.rod(
                paint,
                &arm,
                &[
                    r * 0.15,
                    r * 0.14,
                    r * 0.13,
                    r * 0.12,
                    r * 0.12,
                    r * 0.11,
                    r * 0.11,
                    r * 0.1,
                    r * 0.1,
                    r * 0.1,
                ],
                8,
            );
        }
        s.ghost(|s| {
            s.ball(
                shiny(times(color, 0.7)),
                v(0.0, h * 0.95, -r * 0.12),
                v(r * 0.38, h * 0.06, r * 0.34),
                8,
            );
        });
        return;
    }
    s.ball(paint, v(0.0, h * 0.55, -d * 0.08), v(x * 0.4, h * 0.3, d * 0.34), 14);
    s.ball(paint, v(0.0, h * 0.74, d * 0.24), v(x * 0.26, h * 0.2, d * 0.2), 12);
    for (sx, sz) in [(-1.0_f32, -1.0_f32), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)] {
        let at = v(sx * x * 0.22, 0.0, sz * d * 0.19 - d * 0.08);
        s.rod(
            paint,
            &[at + Vec3::Y * h * 0.5, at + Vec3::Y * h * 0.2, at + Vec3::Y * h * 0.03],
            &[h * 0.1, h * 0.085, h * 0.095],
            10,
        );
    }
    let trunk = curve(
        &[
            v(0.0, h * 0.7, d * 0.38),
            v(0.0, h * 0.45, d * 0.47),
            v(0.0, h * 0.2, d * 0.43),
            v(0.0, h * 0.16, d * 0.5),
        ],
        3,
    );
    s.rod(
        paint,
        &trunk,
        &[
            h * 0.07,
            h * 0.065,
            h * 0.06,
            h * 0.055,
            h * 0.05,
            h * 0.045,
            h * 0.04,
            h * 0.038,
            h * 0.035,
            h * 0.033,
        ],
        8,
    );
    s.ghost(|s| {
        for side in [-1.0_f32, 1.0] {
            s.ball(
                shiny(times(color, 0.92)),
                v(side * x * 0.36, h * 0.72, d * 0.14),
                v(x * 0.12, h * 0.2, d * 0.12),
                8,
            );
            s.ball(
                shiny(rgb(0x1A1714)),
                v(side * x * 0.2, h * 0.78, d * 0.385),
                v(0.004, 0.005, 0.004),
                6,
            );
            let tusk =
                curve(&[v(side * x * 0.1, h * 0.62, d * 0.4), v(side * x * 0.13, h * 0.5, d * 0.48)], 2);
            s.rod(shiny(rgb(0xF4EFE2)), &tusk, &[h * 0.02, h * 0.016, h * 0.008], 6);
        }
        s.rod(
            paint,
            &curve(
                &[v(0.0, h * 0.62, -d * 0.4), v(0.0, h * 0.45, -d * 0.47), v(0.0, h * 0.35, -d * 0.46)],
                2,
            ),
            &[h * 0.015],
            6,
        );
    });
}

fn basket(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0xB98A52);
    let wicker = Canvas::weave(96, 96, color, 16.0, 0.55);
    let paint = s.pattern(wicker);
    let inside = paint.dim(0.75);
    let (x, d) = (w.w, w.d);
    let tall = if w.style == 1 { w.h * 0.84 } else { w.h };
    let squash = ambler_geometry::Affine {
        matrix: ambler_geometry::Mat3::from_diagonal(Vec3::new(1.0, 1.0, d / x)),
        translation: Vec3::ZERO,
    };
    s.within(squash, |s| {
        let r = x * 0.5;
        s.vessel(
            paint,
            inside,
            &[(r * 0.8, 0.0), (r * 0.82, 0.004), (r * 0.96, tall * 0.96), (r, tall)],
            0.008,
            0.012,
            32,
        );
        s.ghost(|s| s.torus(matt(times(color, 0.8)), v(0.0, tall, 0.0), Vec3::Y, r * 0.985, 0.008, 12));
    });
    if w.style == 1 {
        for side in [-1.0_f32, 1.0] {
            let grip = curve(
                &[
                    v(side * x * 0.49, tall * 0.98, -0.05),
                    v(side * x * 0.5, w.h * 0.985, -0.03),
                    v(side * x * 0.5, w.h * 0.985, 0.03),
                    v(side * x * 0.49, tall * 0.98, 0.05),
                ],
                3,
            );
            s.rod(matt(times(color, 0.7)), &grip, &[0.007], 8);
        }
    }
}

fn watering_can(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0x4E8C6A);
    let paint = shiny(color);
    let (h, d) = (w.h, w.d);
    let r = w.w * 0.5;
    let body = h * 0.66;
    let back = -d * 0.5 + r + 0.03;
    s.moved(0.0, 0.0, back, |s| {
        s.vessel(
            paint,
            matt(times(color, 0.6)),
            &[(r * 0.98, 0.0), (r, 0.004), (r * 0.9, body * 0.9), (r * 0.84, body)],
            0.004,
            0.008,
            26,
        );
        // Half of the top is closed.
        s.ghost(|s| {
            s.leaf(paint, 10, 2, &|u, t| {
                let a = (u - 0.5) * 2.6;
                let k = r * 0.84 * (1.0 - t * 0.6);
                v(k * libm::sinf(a), body * (1.0 + 0.08 * t), k * libm::cosf(a))
            });
        });
    });
    let rose = v(0.0, h * 0.86, d * 0.47);
    let spout =
        curve(&[v(0.0, body * 0.22, back + r * 0.85), v(0.0, body * 0.45, back + r * 1.25), rose], 4);
    s.rod(paint, &spout, &[0.016, 0.015, 0.014, 0.013, 0.012, 0.011, 0.010, 0.009, 0.009], 10);
    s.at(rose, turn(Vec3::X, 52.0), |s| {
        s.lathe(paint, &[(0.009, -0.012), (0.026, 0.012), (0.026, 0.016), (0.0, 0.018)], 18);
    });
    let grip = curve(
        &[
            v(0.0, body * 0.97, back + r * 0.5),
            v(0.0, h * 0.97, back),
            v(0.0, h * 0.9, back - r * 0.75),
            v(0.0, body * 0.55, back - r - 0.022),
            v(0.0, body * 0.25, back - r * 0.92),
        ],
        4,
    );
    s.rod(paint, &grip, &[0.008], 8);
}
