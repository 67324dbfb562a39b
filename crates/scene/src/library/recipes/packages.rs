//! Cans, boxes, cartons, jars, rolls.

use super::canvas::Canvas;
use super::primitives::smooth;
use super::shape::{Paint, Rgb, Shape, bright, matt, mix, rgb, shiny, times};
use super::{Maker, Wish};
use ambler_geometry::Vec3;

pub(super) const RECIPES: &[(&str, Maker)] = &[
    ("can", can),
    ("tin", tin),
    ("carton", carton),
    ("milk_carton", milk_carton),
    ("parcel", parcel),
    ("jar", jar),
    ("egg_carton", egg_carton),
    ("tissue_box", tissue_box),
    ("paper_roll", paper_roll),
    ("tape_roll", tape_roll),
    ("toothpaste", toothpaste),
];

fn v(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3::new(x, y, z)
}

/// A label: ground, frame, words, small print.
pub(super) fn label(w: &mut Wish<'_>, width: usize, height: usize, ground: Rgb, accent: Rgb) -> Canvas {
    let ink = if ground.iter().sum::<f32>() > 1.5 { rgb(0x26262A) } else { rgb(0xF4F2EC) };
    Canvas::new(width, height, ground)
        .rect(0.0, 0.0, 1.0, 0.06, accent)
        .rect(0.0, 0.94, 1.0, 1.0, accent)
        .rect(0.0, 0.5, 1.0, 0.56, accent)
        .text(0.5, 0.18, 0.24, 0.7, w.label, ink)
        .lines(0.3, 0.64, 0.7, 0.86, 4, mix(ink, ground, 0.35), &mut w.stream)
}

fn can(s: &mut Shape, w: &mut Wish<'_>) {
    let (h, r) = (w.h, w.w * 0.5);
    let color = w.color(0, 0xC0392B);
    let accent = w.color(1, 0xF2F2F0);
    let ink = if color.iter().sum::<f32>() > 1.7 { rgb(0x202020) } else { accent };
    let picture = Canvas::new(192, 96, color)
        .each(|x, y, old| {
            let wave = 0.62 + 0.08 * libm::sinf(x * 12.566);
            if (wave..wave + 0.09).contains(&y) { accent } else { old }
        })
        .text(0.25, 0.22, 0.26, 0.4, w.label, ink)
        .text(0.75, 0.22, 0.26, 0.4, w.label, ink);
    let picture = Paint { gloss: 0.6, ..s.picture(picture) };
    let metal = bright(rgb(0xC2C6C9));
    s.lathe(
        metal,
        &[(0.0, h * 0.015), (r * 0.7, h * 0.015), (r * 0.76, 0.0), (r * 0.8, 0.0), (r, h * 0.07)],
        24,
    );
    // The words to the front.
    s.at(Vec3::ZERO, super::shape::turn(Vec3::Y, -90.0), |s| {
        s.lathe(picture, &[(r, h * 0.07), (r, h * 0.9)], 24);
    });
    s.lathe(
        metal,
        &[
            (r, h * 0.9),
            (r * 0.82, h * 0.98),
            (r * 0.84, h),
            (r * 0.78, h),
            (r * 0.76, h * 0.98),
            (0.0, h * 0.98),
        ],
        24,
    );
    s.ghost(|s| {
        s.cuboid(metal, v(0.0, h * 0.992, r * 0.12), v(r * 0.34, 0.002, r * 0.6), 0.0008);
        s.cuboid(matt(rgb(0x55585B)), v(0.0, h * 0.985, r * 0.45), v(r * 0.4, 0.001, r * 0.3), 0.0);
    });
}

/// A preserve tin with paper around: style 1 has a plastic lid.
fn tin(s: &mut Shape, w: &mut Wish<'_>) {
    let (h, r) = (w.h, w.w * 0.5);
    let accent = w.color(1, 0xF3E3B5);
    let picture = label(w, 160, 96, w.color(0, 0xB4302A), accent);
    let picture = s.picture(picture);
    let metal = bright(rgb(0xBFC3C5));
    let side = w.color(0, 0xB4302A);
    s.lathe(metal, &[(0.0, 0.0), (r * 0.97, 0.0), (r, h * 0.015), (r, h * 0.03)], 28);
    s.lathe(matt(side), &[(r * 0.985, h * 0.03), (r * 0.985, h * 0.93)], 28);
    s.ghost(|s| s.band(picture, (r * 0.992, h * 0.05), (r * 0.992, h * 0.92), -80.0, 80.0));
    if w.style == 1 {
        let lid = shiny(w.color(2, 0x2E2E30));
        s.lathe(
            lid,
            &[
                (r * 1.0, h * 0.91),
                (r, h * 0.985),
                (r * 0.95, h),
                (r * 0.85, h * 0.985),
                (0.0, h * 0.985),
            ],
            28,
        );
    } else {
        s.lathe(
            metal,
            &[
                (r, h * 0.94),
                (r, h),
                (r * 0.93, h),
                (r * 0.91, h * 0.97),
                (r * 0.6, h * 0.965),
                (r * 0.58, h * 0.97),
                (0.0, h * 0.97),
            ],
            28,
        );
    }
}

/// A printed cardboard box.
fn carton(s: &mut Shape, w: &mut Wish<'_>) {
    let ground = w.color(0, 0xB8322A);
    let accent = w.color(1, 0xF1D36B);
    let sun = w.color(2, 0xE9B872);
    let ink = if ground.iter().sum::<f32>() > 1.7 { rgb(0x26262A) } else { rgb(0xFAF6EC) };
    let lying = w.h < w.w.min(w.d);
    let (a, b) = if lying { (w.w, w.d) } else { (w.w, w.h) };
    let tall = ((128.0 * b / a) as usize).clamp(48, 256);
    let front = Canvas::new(128, tall, ground)
        .disc(0.5, 0.68, 0.36, 0.36 * 128.0 / tall as f32, accent)
        .disc(0.42, 0.7, 0.16, 0.16 * 128.0 / tall as f32, sun)
        .disc(0.6, 0.64, 0.15, 0.15 * 128.0 / tall as f32, times(sun, 0.88))
        .rect(0.0, 0.0, 1.0, 0.05, accent)
        .rect(0.06, 0.12, 0.94, 0.38, times(ground, 0.75))
        .text(0.5, 0.17, 0.15, 0.8, w.label, ink);
    let front = s.picture(front);
    let side = Canvas::new(48, 96, times(ground, 0.92))
        .rect(0.12, 0.3, 0.88, 0.85, rgb(0xF6F3EA))
        .lines(0.2, 0.34, 0.8, 0.82, 9, rgb(0x444444), &mut w.stream);
    let side = s.picture(side);
    let top = s.picture(Canvas::new(96, 48, ground).text(0.5, 0.3, 0.4, 0.8, w.label, ink));
    let c = v(0.0, w.h * 0.5, 0.0);
    let (x, y, z) = (w.w * 0.5, w.h * 0.5, w.d * 0.5);
    s.piece((0..8).map(|i| {
        v(
            if i & 1 == 0 { -x } else { x },
            if i & 2 == 0 { 0.0 } else { w.h },
            if i & 4 == 0 { -z } else { z },
        )
    }));
    let (face, flank) = if lying { (side, front) } else { (front, top) };
    for sign in [-1.0_f32, 1.0] {
        s.sticker(face, c + v(0.0, 0.0, sign * z), v(sign * x, 0.0, 0.0), v(0.0, y, 0.0));
        s.sticker(side, c + v(sign * x, 0.0, 0.0), v(0.0, 0.0, -sign * z), v(0.0, y, 0.0));
        s.sticker(flank, c + v(0.0, sign * y, 0.0), v(x, 0.0, 0.0), v(0.0, 0.0, -sign * z));
    }
}

fn milk_carton(s: &mut Shape, w: &mut Wish<'_>) {
    let ground = w.color(0, 0xF5F6F4);
    let accent = w.color(1, 0x2C6FB5);
    let (x, z) = (w.w * 0.5, w.d * 0.5);
    let (low, top) = (w.h * 0.76, w.h * 0.93);
    let picture = Canvas::new(96, 192, ground)
        .rect(0.0, 0.55, 1.0, 1.0, accent)
        .each(|px, py, old| {
            let wave = 0.52 + 0.04 * libm::sinf(px * 9.0);
            if py > wave && py < 0.6 { accent } else { old }
        })
        .text(0.5, 0.16, 0.14, 0.84, w.label, accent)
        .text(0.5, 0.74, 0.08, 0.6, "3.5%", ground);
    let picture = s.picture(picture);
    s.piece([
        v(-x, 0.0, -z),
        v(x, 0.0, -z),
        v(x, 0.0, z),
        v(-x, 0.0, z),
        v(-x, low, -z),
        v(x, low, -z),
        v(x, low, z),
        v(-x, low, z),
    ]);
    s.piece([
        v(-x, low, -z),
        v(x, low, -z),
        v(x, low, z),
        v(-x, low, z),
        v(-x, w.h, 0.0),
        v(x, w.h, 0.0),
    ]);
    let side = v(0.0, low * 0.5, 0.0);
    for sign in [-1.0_f32, 1.0] {
        s.sticker(picture, side + v(0.0, 0.0, sign * z), v(sign * x, 0.0, 0.0), v(0.0, low * 0.5, 0.0));
        s.sticker(picture, side + v(sign * x, 0.0, 0.0), v(0.0, 0.0, -sign * z), v(0.0, low * 0.5, 0.0));
        // The roof, its gables and its crest.
        s.quad(
            shiny(accent),
            [
                v(-sign * x, low, sign * z),
                v(sign * x, low, sign * z),
                v(sign * x, top, 0.0),
                v(-sign * x, top, 0.0),
            ],
        );
        let gable = shiny(times(accent, 0.85));
        s.quad(
            gable,
            [
                v(sign * x, low, sign * z),
                v(sign * x, low, -sign * z),
                v(sign * x * 0.96, top, 0.0),
                v(sign * x * 0.96, top, 0.0),
            ],
        );
    }
    s.ghost(|s| {
        s.cuboid(shiny(ground), v(0.0, (top + w.h) * 0.5, 0.0), v(2.0 * x, w.h - top, 0.004), 0.0);
    });
    s.ghost(|s| s.quad(matt(ground), [v(-x, 0.0, -z), v(x, 0.0, -z), v(x, 0.0, z), v(-x, 0.0, z)]));
    if w.style == 1 {
        let slope = (top - low) / z;
        s.at(
            v(0.0, low + slope * z * 0.5, z * 0.5),
            super::primitives::from_up(v(0.0, z, top - low)),
            |s| {
                s.lathe(shiny(w.color(2, 0xC0392B)), &[(0.014, 0.0), (0.014, 0.012), (0.0, 0.012)], 14);
            },
        );
    }
}

/// A moving box of corrugated cardboard, closed with tape; style 1 is open.
fn parcel(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0xB88A55);
    let board = Canvas::new(96, 96, color)
        .grain(0.05, &mut w.stream)
        .rect(0.62, 0.68, 0.86, 0.74, times(color, 0.6))
        .text(0.3, 0.68, 0.13, 0.4, w.label, times(color, 0.45));
    let paint = s.picture(board);
    let (x, h, d) = (w.w, w.h, w.d);
    let thick = 0.004;
    if w.style == 1 {
        let low = h * 0.82;
        s.cuboid(paint, v(0.0, thick * 0.5, 0.0), v(x, thick, d), 0.0);
        for sign in [-1.0_f32, 1.0] {
            s.cuboid(paint, v(0.0, low * 0.5, sign * (d - thick) * 0.5), v(x, low, thick), 0.0);
            s.cuboid(paint, v(sign * (x - thick) * 0.5, low * 0.5, 0.0), v(thick, low, d), 0.0);
            // Flaps that hang outward.
            let flap = |s: &mut Shape, c: Vec3, right: Vec3, up: Vec3| {
                s.sticker(matt(times(color, 0.95)), c, right, up);
                s.sticker(matt(times(color, 0.8)), c, -right, up);
                s.piece([c - right - up, c + right - up, c + right + up, c - right + up]);
            };
            let rise = h - low;
            flap(
                s,
                v(0.0, low + rise * 0.5, sign * (d * 0.5 + rise * 0.25)),
                v(x * 0.5 * sign, 0.0, 0.0),
                v(0.0, rise * 0.5, sign * rise * 0.28),
            );
            flap(
                s,
                v(sign * (x * 0.5 + rise * 0.25), low + rise * 0.5, 0.0),
                v(0.0, 0.0, -sign * d * 0.5),
                v(sign * rise * 0.28, rise * 0.5, 0.0),
            );
        }
        return;
    }
    s.cuboid(paint, v(0.0, h * 0.5, 0.0), v(x, h, d), 0.003);
    s.ghost(|s| {
        let tape = shiny(w.color(1, 0xD9C49A));
        s.cuboid(tape, v(0.0, h, 0.0), v(x * 1.002, 0.001, 0.05), 0.0);
        for sign in [-1.0_f32, 1.0] {
            s.cuboid(tape, v(sign * x * 0.5, h - 0.04, 0.0), v(0.001, 0.08, 0.05), 0.0);
        }
    });
}

fn jar(s: &mut Shape, w: &mut Wish<'_>) {
    let (h, r) = (w.h, w.w * 0.5);
    let filling = w.color(0, 0x8E1F2F);
    let lid = w.color(1, 0xC9A64B);
    let picture = label(w, 96, 64, w.color(2, 0xFAF3E0), filling);
    let picture = s.picture(picture);
    s.lathe(
        bright(filling),
        &smooth(
            &[
                (0.0, 0.0),
                (r * 0.88, 0.0),
                (r, h * 0.06),
                (r, h * 0.4),
                (r, h * 0.66),
                (r * 0.84, h * 0.76),
            ],
            2,
        ),
        24,
    );
    s.lathe(bright(rgb(0xCFD8D8)), &[(r * 0.84, h * 0.76), (r * 0.82, h * 0.8)], 24);
    s.ghost(|s| s.band(picture, (r * 1.012, h * 0.16), (r * 1.012, h * 0.6), -70.0, 70.0));
    s.lathe(shiny(lid), &[(r * 0.88, h * 0.79), (r * 0.9, h * 0.97), (r * 0.84, h), (0.0, h)], 24);
}

fn egg_carton(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0x9FA3A0);
    let (x, h, d) = (w.w, w.h, w.d);
    let (columns, rows) = if w.style == 0 { (3, 2) } else { (5, 2) };
    let (sx, sz) = (x / columns as f32, d / rows as f32);
    let open = !w.colors.is_empty();
    s.cuboid(matt(color), v(0.0, h * 0.35, 0.0), v(x, h * 0.06, d), 0.001);
    for row in 0..rows {
        for column in 0..columns {
            let c = v((column as f32 + 0.5) * sx - x * 0.5, 0.0, (row as f32 + 0.5) * sz - d * 0.5);
            s.moved(c.x, 0.0, c.z, |s| {
                s.lathe(matt(color), &[(0.0, 0.0), (sx * 0.3, 0.0), (sx * 0.46, h * 0.34)], 10);
                if open {
                    s.ball(
                        matt(w.color(1, 0xD9AE84)),
                        v(0.0, h * 0.48, 0.0),
                        v(sx * 0.4, h * 0.42, sx * 0.4),
                        8,
                    );
                } else {
                    s.lathe(
                        matt(color),
                        &[(sx * 0.5, h * 0.38), (sx * 0.42, h * 0.85), (sx * 0.28, h), (0.0, h)],
                        10,
                    );
                }
            });
        }
    }
    if !open {
        let picture = label(w, 96, 48, rgb(0xF3E3B5), rgb(0x557A3B));
        let picture = s.picture(picture);
        s.ghost(|s| {
            s.sticker(
                picture,
                v(0.0, h * 0.995 + 0.001, 0.0),
                v(x * 0.3, 0.0, 0.0),
                v(0.0, 0.0, -d * 0.3),
            );
        });
    }
}

fn tissue_box(s: &mut Shape, w: &mut Wish<'_>) {
    let ground = w.color(0, 0x7FA7B5);
    let accent = w.color(1, 0xF3F1EA);
    let h = w.h * 0.72;
    let picture = Canvas::new(96, 48, ground).clouds(6, accent, 0.8, &mut w.stream);
    let paint = s.picture(picture);
    s.cuboid(paint, v(0.0, h * 0.5, 0.0), v(w.w, h, w.d), 0.002);
    s.ghost(|s| {
        let slot = super::primitives::oval(w.w * 0.28, w.d * 0.2, 2.0, 16);
        s.plate(matt(times(ground, 0.35)), &slot, h, h + 0.0008);
        // The tissue, a crumpled fan.
        s.leaf(matt(rgb(0xFBFBF9)), 10, 4, &|u, t| {
            let a = (u - 0.5) * 2.0;
            v(
                a * w.w * (0.1 + 0.12 * t),
                h + (w.h - h) * t * (0.78 + 0.22 * libm::sinf(u * 9.0 + 1.0)),
                w.d * 0.1 * libm::sinf(u * 7.0) * (0.4 + t) + w.d * 0.06 * t,
            )
        });
    });
}

fn paper_roll(s: &mut Shape, w: &mut Wish<'_>) {
    let (h, r) = (w.h, w.w * 0.5);
    let color = w.color(0, 0xF6F5F1);
    let core = (r * 0.38).clamp(0.018, 0.024);
    // Embossed lozenges.
    let dots = Canvas::new(128, 64, color).each(|x, y, old| {
        let line = |t: f32| (t.rem_euclid(1.0) - 0.5).abs() > 0.44;
        if line(x * 10.0 + y * 4.0) || line(x * 10.0 - y * 4.0) { times(old, 0.94) } else { old }
    });
    let paint = s.pattern(dots);
    let rolled =
        Canvas::new(64, 64, color).each(|_, y, old| times(old, 0.9 + 0.08 * libm::sinf(y * 90.0)));
    let ends = s.picture(rolled);
    // A tube: outside, ends, the cardboard inside.
    s.ghost(|s| {
        s.lathe(paint, &[(r, 0.0), (r, h)], 28);
        s.lathe(ends, &[(r, h), (core, h)], 28);
        s.lathe(ends, &[(core, 0.0), (r, 0.0)], 28);
        s.lathe(matt(w.color(1, 0xB08A5A)).dim(0.8), &[(core, h), (core, 0.0)], 16);
        // The loose end of the sheet.
        s.leaf(matt(times(color, 0.98)), 4, 2, &|u, t| {
            let a = 0.5 + 0.5 * u;
            let out = r * (1.003 + 0.06 * u);
            v(out * libm::sinf(a), h * t, out * libm::cosf(a))
        });
    });
    for stave in 0..10 {
        let angles = [0.0, 0.5, 1.0].map(|t| std::f32::consts::TAU * (stave as f32 + t) / 10.0);
        s.piece(angles.into_iter().flat_map(|a| {
            let at = move |r: f32, y: f32| v(r * libm::sinf(a), y, r * libm::cosf(a));
            [at(r, 0.0), at(r, h), at(core, 0.0), at(core, h)]
        }));
    }
}

/// A roll of tape, standing on its rim or lying: the axis is the thin side.
fn tape_roll(s: &mut Shape, w: &mut Wish<'_>) {
    let (h, r) = (w.h, w.w * 0.5);
    let color = w.color(0, 0xC7A165);
    let core = r * 0.74;
    let draw = |s: &mut Shape| {
        s.ghost(|s| {
            s.lathe(shiny(color), &[(r, 0.0), (r, h)], 28);
            s.lathe(shiny(times(color, 0.85)), &[(r, h), (core, h)], 28);
            s.lathe(shiny(times(color, 0.85)), &[(core, 0.0), (r, 0.0)], 28);
            s.lathe(matt(w.color(1, 0xE6DCC8)), &[(core, h), (core, 0.0)], 28);
        });
        for stave in 0..10 {
            let angles = [0.0, 0.5, 1.0].map(|t| std::f32::consts::TAU * (stave as f32 + t) / 10.0);
            s.piece(angles.into_iter().flat_map(|a| {
                let at = move |r: f32, y: f32| v(r * libm::sinf(a), y, r * libm::cosf(a));
                [at(r, 0.0), at(r, h), at(core, 0.0), at(core, h)]
            }));
        }
    };
    draw(s);
}

fn toothpaste(s: &mut Shape, w: &mut Wish<'_>) {
    let (x, h, l) = (w.w * 0.5, w.h, w.d);
    let ground = w.color(0, 0xF4F6F8);
    let accent = w.color(1, 0xC8302F);
    let picture = Canvas::new(64, 192, ground).each(|px, py, old| {
        if (px - 0.5).abs() < 0.18 + 0.1 * libm::sinf(py * 5.0) { accent } else { old }
    });
    let paint = Paint { gloss: 0.4, ..s.picture(picture) };
    let tube = |u: f32, t: f32| {
        let a = std::f32::consts::TAU * u;
        let (wide, high) = (x * (1.0 - 0.22 * t), h * 0.5 * (0.06 + 0.94 * libm::sinf(t * 1.45)));
        v(wide * libm::sinf(a), h * 0.5 + high * libm::cosf(a) * 0.98, -l * 0.5 + l * 0.84 * t)
    };
    s.sheet(paint, 20, 8, &tube);
    for (t0, t1) in [(0.0, 0.45), (0.45, 1.0)] {
        s.piece((0..16).flat_map(|i| [tube(i as f32 / 16.0, t0), tube(i as f32 / 16.0, t1)]));
    }
    s.at(v(0.0, h * 0.5, l * 0.34), super::shape::turn(Vec3::X, 90.0), |s| {
        s.lathe(
            shiny(accent),
            &[
                (h * 0.49, 0.0),
                (h * 0.3, 0.006),
                (h * 0.36, 0.008),
                (h * 0.3, l * 0.16),
                (0.0, l * 0.16),
            ],
            14,
        );
    });
}
