//! Electronics and small appliances.

use super::canvas::Canvas;
use super::primitives::{curve, oval, smooth};
use super::shape::{Paint, Rgb, Shape, bright, matt, mix, rgb, shiny, times, turn};
use super::{Maker, Wish};
use ambler_geometry::{Vec2, Vec3};

pub(super) const RECIPES: &[(&str, Maker)] = &[
    ("laptop", laptop),
    ("keyboard", keyboard),
    ("mouse", mouse),
    ("phone", phone),
    ("remote", remote),
    ("headphones", headphones),
    ("game_controller", game_controller),
    ("alarm_clock", alarm_clock),
    ("desk_lamp", desk_lamp),
    ("hair_dryer", hair_dryer),
    ("iron", iron),
    ("bathroom_scale", bathroom_scale),
    ("stapler", stapler),
    ("power_drill", power_drill),
    ("watch", watch),
];

fn v(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3::new(x, y, z)
}

/// Rows of keys.
fn keys(
    width: usize,
    height: usize,
    board: Rgb,
    key: Rgb,
    columns: usize,
    rows: usize,
    numbers: bool,
) -> Canvas {
    let mut picture = Canvas::new(width, height, board);
    let main = if numbers { 0.78 } else { 1.0 };
    for row in 0..rows {
        let y = 0.05 + 0.9 * row as f32 / rows as f32;
        let high = 0.72 / rows as f32;
        let last = row + 1 == rows;
        for column in 0..columns {
            let step = (main - 0.04) / columns as f32;
            let x = 0.02 + step * column as f32;
            let space = last && (columns / 4..columns * 2 / 3).contains(&column);
            if space && column != columns / 4 {
                continue;
            }
            let wide = if space {
                step * (columns * 2 / 3 - columns / 4) as f32 - step * 0.18
            } else {
                step * 0.82
            };
            picture = picture.rect(x, y, x + wide, y + high, key);
        }
        if numbers {
            for column in 0..3 {
                let x = 0.82 + 0.055 * column as f32;
                picture = picture.rect(x, y, x + 0.045, y + high, key);
            }
        }
    }
    picture
}

fn laptop(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0xB4B8BC);
    let dark = w.color(1, 0x24262A);
    let (x, d) = (w.w, w.d);
    let thick = 0.016;
    let base = bright(color);
    if w.style == 1 {
        // Closed.
        s.cuboid(base, v(0.0, w.h * 0.5, 0.0), v(x, w.h, d), 0.004);
        s.ghost(|s| {
            s.cuboid(
                matt(times(color, 0.55)),
                v(0.0, w.h * 0.56, 0.0),
                v(x * 1.001, 0.0012, d * 1.001),
                0.0,
            );
            s.lathe(
                bright(times(color, 1.2)),
                &[(0.018, w.h), (0.018, w.h + 0.0006), (0.0, w.h + 0.0006)],
                20,
            );
        });
        return;
    }
    s.cuboid(base, v(0.0, thick * 0.5, 0.0), v(x, thick, d), 0.003);
    let board = keys(192, 80, times(color, 0.92), dark, 14, 5, false);
    let board = s.picture(board);
    let screen = Canvas::new(160, 100, rgb(0x1C3A5E))
        .fade(w.color(2, 0x2B5D8F), rgb(0x7FB2C9))
        .each(|px, py, old| {
            let hill = 0.62 + 0.12 * libm::sinf(px * 5.0) + 0.05 * libm::sinf(px * 11.0 + 1.0);
            if py > hill { mix(rgb(0x1E4D3A), rgb(0x0F2E2A), (py - hill) * 3.0) } else { old }
        })
        .rect(0.0, 0.95, 1.0, 1.0, rgb(0xE9ECEF))
        .rect(0.14, 0.16, 0.62, 0.68, rgb(0xF7F8FA))
        .rect(0.14, 0.16, 0.62, 0.22, rgb(0xC9D2DA))
        .lines(0.18, 0.26, 0.58, 0.64, 9, rgb(0x556270), &mut w.stream);
    let screen = s.picture(screen);
    s.ghost(|s| {
        s.sticker(
            board,
            v(0.0, thick + 0.0004, -d * 0.1),
            v(x * 0.45, 0.0, 0.0),
            v(0.0, 0.0, -d * 0.25),
        );
        s.sticker(
            bright(times(color, 0.9)),
            v(0.0, thick + 0.0004, d * 0.32),
            v(x * 0.16, 0.0, 0.0),
            v(0.0, 0.0, -d * 0.12),
        );
    });
    let lid = w.h - thick;
    s.at(v(0.0, thick, -d * 0.49), turn(Vec3::X, -16.0), |s| {
        let tall = lid / libm::cosf(0.279);
        s.cuboid(base, v(0.0, tall * 0.5, 0.0), v(x, tall, 0.007), 0.003);
        s.ghost(|s| {
            s.sticker(
                shiny(rgb(0x101113)),
                v(0.0, tall * 0.51, 0.0041),
                v(x * 0.485, 0.0, 0.0),
                v(0.0, tall * 0.465, 0.0),
            );
            s.sticker(
                screen,
                v(0.0, tall * 0.52, 0.0047),
                v(x * 0.46, 0.0, 0.0),
                v(0.0, tall * 0.43, 0.0),
            );
            s.sticker(
                bright(times(color, 1.25)),
                v(0.0, tall * 0.5, -0.0041),
                v(-0.018, 0.0, 0.0),
                v(0.0, 0.018, 0.0),
            );
        });
    });
}

fn keyboard(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0x2A2C2F);
    let key = w.color(1, 0x44474C);
    let (x, h, d) = (w.w, w.h, w.d);
    let tilt = if w.style == 0 { 5.0 } else { 3.0 };
    s.at(Vec3::ZERO, turn(Vec3::X, tilt), |s| {
        s.cuboid(shiny(color), v(0.0, h * 0.3, 0.0), v(x, h * 0.5, d), 0.005);
        let (columns, rows) = (15, 5);
        let numbers = w.style == 0;
        let main = if numbers { x * 0.78 } else { x };
        let step = (main - 0.02) / columns as f32;
        let deep = (d - 0.02) / rows as f32;
        let top = h * 0.55;
        s.ghost(|s| {
            for row in 0..rows {
                let z = -d * 0.5 + 0.01 + deep * (row as f32 + 0.5);
                let mut column = 0;
                while column < columns {
                    let span = if row == rows - 1 && column == 4 { 6 } else { 1 };
                    let at = -x * 0.5 + 0.01 + step * (column as f32 + span as f32 * 0.5);
                    let special = (row == 0 && column == 0) || (row == 2 && column == columns - 1);
                    let paint = if special { w.color(2, 0xC0563A) } else { key };
                    s.cuboid(
                        shiny(paint),
                        v(at, top + 0.002, z),
                        v(step * span as f32 - 0.003, 0.007, deep - 0.003),
                        0.002,
                    );
                    column += span;
                }
                if numbers {
                    for column in 0..3 {
                        let at = x * 0.5 - 0.01 - step * (2.5 - column as f32);
                        s.cuboid(
                            shiny(key),
                            v(at, top + 0.002, z),
                            v(step - 0.003, 0.007, deep - 0.003),
                            0.002,
                        );
                    }
                }
            }
        });
    });
    s.ghost(|s| {
        for side in [-1.0_f32, 1.0] {
            s.cuboid(
                matt(times(color, 0.7)),
                v(side * x * 0.42, 0.004, -d * 0.44),
                v(0.03, 0.012, 0.01),
                0.001,
            );
        }
    });
}

fn mouse(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0x2B2D31);
    let (x, h, l) = (w.w * 0.5, w.h, w.d * 0.5);
    // t runs from the buttons at the front (+z) to the palm.
    let at = |u: f32, t: f32| {
        let a = std::f32::consts::PI * (1.0 - u);
        let end = libm::powf((1.0 - libm::powf((2.0 * t - 1.0).abs(), 5.0)).max(0.0), 0.5);
        let high = h * (0.62 + 0.38 * libm::sinf(0.4 + 2.0 * t)) * (0.15 + 0.85 * end);
        let c = libm::cosf(a);
        v(
            x * end * c.signum() * libm::powf(c.abs(), 0.8),
            high * libm::powf(libm::sinf(a).max(0.0), 0.65) * end.max(0.02),
            l * (1.0 - 2.0 * t),
        )
    };
    s.sheet(shiny(color), 16, 18, &|u, t| at(u, t));
    s.piece((0..=8).flat_map(|j| (0..=8).map(move |i| at(i as f32 / 8.0, j as f32 / 8.0))));
    s.ghost(|s| {
        // The gap between the buttons, and the wheel.
        let line: Vec<Vec3> = (1..=6).map(|i| at(0.5, i as f32 * 0.065) + Vec3::Y * 0.0004).collect();
        s.rod(matt(times(color, 0.35)), &line, &[0.0011], 5);
        let wheel = at(0.5, 0.22);
        s.at(wheel, turn(Vec3::Z, 90.0), |s| {
            s.lathe(
                matt(w.color(1, 0x8C9096)),
                &[(0.0, -0.004), (0.007, -0.004), (0.007, 0.004), (0.0, 0.004)],
                12,
            )
        });
        let cross: Vec<Vec3> =
            (0..=8).map(|i| at(0.08 + 0.84 * i as f32 / 8.0, 0.42) + Vec3::Y * 0.0003).collect();
        s.rod(matt(times(color, 0.4)), &cross, &[0.0009], 5);
    });
}

/// A phone or a tablet lying on its back, the screen up.
fn phone(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0x26282C);
    let (x, h, d) = (w.w, w.h, w.d);
    let corner = 9.0;
    let outline = oval(x * 0.5, d * 0.5, corner, 36);
    s.plate(bright(color), &outline, 0.0, h * 0.9);
    let mut screen =
        Canvas::new(96, 160, rgb(0x101114)).fade(w.color(1, 0x3A6EA5), w.color(2, 0xC98CA7));
    let apps = [0xE8563F, 0xF2B33D, 0x58A55C, 0x4C8BF5, 0x9B59B6, 0xFFFFFF, 0x16A6B6, 0xE67E22];
    for row in 0..4 {
        for column in 0..4 {
            let color = rgb(apps[(row * 3 + column * 5) % apps.len()]);
            let (px, py) = (0.1 + 0.22 * column as f32, 0.28 + 0.14 * row as f32);
            screen = screen.rect(px, py, px + 0.14, py + 0.085, color);
        }
    }
    screen = screen.text(0.5, 0.09, 0.09, 0.7, "10:42", rgb(0xFFFFFF)).rect(
        0.08,
        0.87,
        0.92,
        0.96,
        rgb(0xDDE3EA),
    );
    let screen = Paint { gloss: 0.5, ..s.picture(screen) };
    s.ghost(|s| {
        s.plate(shiny(rgb(0x0D0E10)), &oval(x * 0.485, d * 0.492, corner, 36), h * 0.9, h * 0.97);
        s.sticker(screen, v(0.0, h * 0.985, 0.0), v(x * 0.455, 0.0, 0.0), v(0.0, 0.0, -d * 0.462));
        s.cuboid(
            bright(times(color, 1.3)),
            v(x * 0.5, h * 0.5, -d * 0.2),
            v(0.0015, h * 0.3, d * 0.08),
            0.0,
        );
    });
}

fn remote(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0x232528);
    let (x, h, d) = (w.w, w.h, w.d);
    s.blob(shiny(color), v(0.0, h * 0.5, 0.0), v(x, h, d) * 0.5, [7.0, 4.5], 14, &|_| 0.0);
    s.ghost(|s| {
        let top = h * 0.985;
        let mut button = |px: f32, pz: f32, sx: f32, sz: f32, color: u32| {
            s.cuboid(shiny(rgb(color)), v(px * x, top, pz * d), v(sx * x, 0.004, sz * d), 0.0015);
        };
        button(-0.28, -0.42, 0.2, 0.045, 0xC2392B);
        button(0.28, -0.42, 0.2, 0.045, 0xB9BDC2);
        for row in 0..4 {
            for column in 0..3 {
                button((column as f32 - 1.0) * 0.28, -0.32 + 0.075 * row as f32, 0.2, 0.048, 0xC9CDD2);
            }
        }
        let colors = [0xC2392B, 0x3E9B4F, 0xE3B93C, 0x2F6FB7];
        for (index, color) in colors.into_iter().enumerate() {
            button((index as f32 - 1.5) * 0.22, 0.36, 0.16, 0.025, color);
        }
        for row in 0..2 {
            button(-0.32, 0.2 + 0.08 * row as f32, 0.16, 0.05, 0x8B9097);
            button(0.32, 0.2 + 0.08 * row as f32, 0.16, 0.05, 0x8B9097);
        }
        s.moved(0.0, top - 0.002, d * 0.08, |s| {
            s.lathe(
                shiny(rgb(0xA7ACB2)),
                &[(x * 0.3, 0.0), (x * 0.3, 0.004), (x * 0.16, 0.004), (x * 0.15, 0.0025), (0.0, 0.003)],
                20,
            );
        });
    });
}

fn headphones(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0x26282B);
    let accent = w.color(1, 0xB9BDC2);
    let (x, h, d) = (w.w * 0.5, w.h, w.d);
    // Lying flat: the band in a half ring to the back, cups at the front.
    let z = |t: f32| d * 0.5 - t * d;
    let y = h * 0.5;
    let band: Vec<Vec3> = (0..=14)
        .map(|i| {
            let a = std::f32::consts::PI * i as f32 / 14.0;
            v(-x * 0.9 * libm::cosf(a), y, z(0.38) - (d * 0.6) * libm::sinf(a))
        })
        .collect();
    s.rod_flat(shiny(color), &band, &[0.013], 8, 0.9, Vec3::Y);
    s.ghost(|s| s.rod(matt(times(color, 0.6)), &band[4..11], &[0.0165], 10));
    for side in [-1.0_f32, 1.0] {
        let arm = [v(side * x * 0.9, y, z(0.4)), v(side * x * 0.9, y, z(0.25))];
        s.rod(bright(accent), &arm, &[0.006], 8);
        s.at(v(side * x * 0.78, y, z(0.22)), turn(Vec3::Z, -side * 90.0), |s| {
            let r = (h * 0.5).min(d * 0.21);
            s.lathe(
                shiny(color),
                &smooth(&[(r * 0.98, 0.0), (r, 0.012), (r * 0.8, x * 0.19), (0.0, x * 0.215)], 2),
                22,
            );
            s.lathe(
                matt(times(color, 0.7)),
                &smooth(
                    &[
                        (0.0, -0.012),
                        (r * 0.5, -0.012),
                        (r * 0.62, -0.022),
                        (r * 0.92, -0.016),
                        (r * 0.98, 0.0),
                    ],
                    2,
                ),
                22,
            );
            s.ghost(|s| {
                s.lathe(
                    bright(accent),
                    &[(r * 0.45, x * 0.205), (r * 0.42, x * 0.222), (0.0, x * 0.222)],
                    20,
                )
            });
        });
    }
}

fn game_controller(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0xEDEDEA);
    let dark = rgb(0x1F2023);
    let (x, h, d) = (w.w * 0.5, w.h, w.d);
    s.blob(
        shiny(color),
        v(0.0, h * 0.6, -d * 0.12),
        v(x * 0.8, h * 0.3, d * 0.34),
        [3.0, 2.6],
        12,
        &|_| 0.0,
    );
    for side in [-1.0_f32, 1.0] {
        let grip = curve(
            &[
                v(side * x * 0.58, h * 0.58, -d * 0.12),
                v(side * x * 0.74, h * 0.5, d * 0.12),
                v(side * x * 0.83, h * 0.3, d * 0.42),
            ],
            3,
        );
        s.rod(
            shiny(color),
            &grip,
            &[h * 0.34, h * 0.36, h * 0.36, h * 0.34, h * 0.32, h * 0.29, h * 0.25],
            10,
        );
    }
    s.ghost(|s| {
        let top = h * 0.88;
        for (px, pz) in [(-0.28, 0.02), (0.28, 0.02)] {
            s.moved(px * x, top - 0.006, pz * d, |s| {
                s.lathe(
                    matt(dark),
                    &[(0.012, 0.0), (0.011, 0.008), (0.016, 0.011), (0.016, 0.014), (0.0, 0.013)],
                    16,
                );
            });
        }
        for (index, color) in [0x4C8BF5, 0x58A55C, 0xE8563F, 0xF2B33D].into_iter().enumerate() {
            let a = index as f32 * 1.5708;
            let c = v(x * 0.58 + 0.013 * libm::cosf(a), top - 0.002, -d * 0.16 + 0.013 * libm::sinf(a));
            s.ball(shiny(rgb(color)), c, v(0.006, 0.004, 0.006), 6);
        }
        s.cuboid(matt(dark), v(-x * 0.58, top - 0.001, -d * 0.16), v(0.02, 0.006, 0.007), 0.002);
        s.cuboid(matt(dark), v(-x * 0.58, top - 0.001, -d * 0.16), v(0.007, 0.006, 0.02), 0.002);
        s.cuboid(
            shiny(w.color(1, 0x2F6FB7)),
            v(0.0, top, -d * 0.16),
            v(x * 0.3, 0.005, d * 0.14),
            0.002,
        );
        for side in [-1.0_f32, 1.0] {
            s.cuboid(
                matt(dark),
                v(side * x * 0.56, h * 0.66, -d * 0.45),
                v(x * 0.3, h * 0.16, 0.018),
                0.005,
            );
        }
    });
}

fn alarm_clock(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0xB33A2E);
    let (x, h, d) = (w.w, w.h, w.d);
    if w.style == 1 {
        // A digital one: a wedge with glowing figures.
        s.cuboid(shiny(color), v(0.0, h * 0.5, 0.0), v(x, h, d), 0.008);
        let face = Canvas::new(128, 64, rgb(0x0A0B0C)).text(
            0.5,
            0.22,
            0.56,
            0.86,
            "07:30",
            w.color(1, 0xF0493A),
        );
        let face = s.picture(face);
        s.ghost(|s| {
            s.sticker(
                face,
                v(0.0, h * 0.5, d * 0.5 + 0.0006),
                v(x * 0.44, 0.0, 0.0),
                v(0.0, h * 0.38, 0.0),
            );
            for i in 0..4 {
                s.cuboid(
                    shiny(rgb(0x55585C)),
                    v((i as f32 - 1.5) * x * 0.2, h + 0.002, 0.0),
                    v(x * 0.14, 0.006, d * 0.25),
                    0.002,
                );
            }
        });
        return;
    }
    let face = Canvas::new(96, 96, rgb(0xF7F3E8))
        .each(|px, py, old| {
            let (dx, dy) = (px - 0.5, py - 0.5);
            let r = libm::hypotf(dx, dy);
            let a = libm::atan2f(dx, -dy) / std::f32::consts::TAU * 12.0;
            let tick = (a - libm::roundf(a)).abs() * r < 0.018;
            if tick && (0.36..0.44).contains(&r) { rgb(0x222222) } else { old }
        })
        .each(|px, py, old| {
            let hand = |angle: f32, long: f32, wide: f32| {
                let (dx, dy) = (px - 0.5, py - 0.5);
                let along = dx * libm::sinf(angle) - dy * libm::cosf(angle);
                let across = dx * libm::cosf(angle) + dy * libm::sinf(angle);
                (-0.04..long).contains(&along) && across.abs() < wide
            };
            if hand(-1.05, 0.24, 0.022) || hand(1.05, 0.36, 0.015) { rgb(0x161616) } else { old }
        });
    let face = s.picture(face);
    let r = (x * 0.5).min(h * 0.42);
    let y = h * 0.1 + r * 0.98;
    s.at(v(0.0, y, 0.0), turn(Vec3::X, 90.0), |s| {
        let z = d * 0.42;
        s.lathe(
            shiny(color),
            &[(0.0, -z), (r * 0.9, -z), (r, -z * 0.8), (r, z * 0.9), (r * 0.95, z), (r * 0.86, z * 0.9)],
            28,
        );
    });
    s.ghost(|s| {
        let z = d * 0.385;
        s.sheet(face, 28, 2, &|u, t| {
            let a = u * std::f32::consts::TAU;
            let k = r * 0.88 * (1.0 - t);
            v(k * libm::cosf(a), y + k * libm::sinf(a), z)
        });
    });
    // The picture is laid over the disc by its own coordinates.
    s.ghost(|s| s.sticker(face, v(0.0, y, d * 0.39), v(r * 0.62, 0.0, 0.0), v(0.0, r * 0.62, 0.0)));
    for side in [-1.0_f32, 1.0] {
        for back in [-1.0_f32, 1.0] {
            s.rod(
                bright(rgb(0xB9BDC0)),
                &[
                    v(side * r * 0.45, y - r * 0.8, back * d * 0.2),
                    v(side * r * 0.7, 0.004, back * d * 0.45),
                ],
                &[0.005, 0.004],
                8,
            );
        }
        s.at(v(side * r * 0.52, y + r * 0.93, 0.0), turn(Vec3::Z, -side * 28.0), |s| {
            s.lathe(
                bright(w.color(1, 0xC9A64B)),
                &smooth(&[(0.0, 0.0), (r * 0.36, 0.0), (r * 0.32, r * 0.14), (0.0, r * 0.26)], 2),
                16,
            );
        });
    }
    s.rod(bright(rgb(0xB9BDC0)), &[v(0.0, y + r * 0.95, 0.0), v(0.0, h * 0.99, 0.0)], &[0.004], 6);
}

fn desk_lamp(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0x2F6B5E);
    let (x, h, d) = (w.w, w.h, w.d);
    if w.style == 1 {
        // A table lamp: a turned foot and a cloth shade.
        let r = x * 0.5;
        let foot = smooth(
            &[
                (0.0, 0.0),
                (r * 0.52, 0.0),
                (r * 0.5, h * 0.03),
                (r * 0.2, h * 0.1),
                (r * 0.42, h * 0.26),
                (r * 0.3, h * 0.42),
                (r * 0.08, h * 0.5),
                (r * 0.06, h * 0.6),
            ],
            3,
        );
        s.lathe(shiny(color), &foot, 24);
        let shade = Canvas::weave(64, 64, w.color(1, 0xF2E6CC), 24.0, 0.12);
        let shade = s.pattern(shade);
        s.vessel(shade, matt(rgb(0xFFF3D2)), &[(r, h * 0.52), (r * 0.62, h)], 0.003, h * 0.521, 28);
        return;
    }
    let paint = shiny(color);
    let metal = bright(rgb(0xB4B8BB));
    let back = -d * 0.5 + x * 0.28;
    s.moved(0.0, 0.0, back, |s| {
        s.lathe(
            paint,
            &[(0.0, 0.0), (x * 0.3, 0.0), (x * 0.3, h * 0.025), (x * 0.24, h * 0.045), (0.0, h * 0.045)],
            24,
        );
    });
    let elbow = v(0.0, h * 0.55, back - x * 0.12);
    let head = v(0.0, h * 0.9, d * 0.18);
    s.rod(metal, &[v(0.0, h * 0.04, back), elbow], &[0.007], 8);
    s.rod(metal, &[elbow, head], &[0.007], 8);
    s.ball(paint, elbow, v(0.016, 0.016, 0.016), 6);
    s.at(head, turn(Vec3::X, -28.0), |s| {
        let r = x * 0.3;
        s.ball(paint, v(0.0, 0.02, 0.0), v(r * 0.42, r * 0.4, r * 0.42), 8);
        s.vessel(
            paint,
            matt(rgb(0xFFF4D6)),
            &[(r, -r * 0.9), (r * 0.45, r * 0.1)],
            0.003,
            -r * 0.895,
            24,
        );
    });
}

fn hair_dryer(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0x33363B);
    let accent = w.color(1, 0xB0476A);
    let (x, h, d) = (w.w, w.h, w.d);
    let r = d * 0.48;
    // Lying on its side would hide it: it stands on handle and nozzle as people hold it, turned flat.
    let y = h - r;
    s.at(v(0.0, y, 0.0), turn(Vec3::Z, 90.0), |s| {
        let a = x * 0.5;
        s.lathe(
            shiny(color),
            &smooth(
                &[
                    (0.0, -a * 0.7),
                    (r * 0.7, -a * 0.7),
                    (r, -a * 0.4),
                    (r * 0.9, 0.0),
                    (r * 0.62, a * 0.5),
                    (r * 0.58, a * 0.62),
                ],
                3,
            ),
            22,
        );
        s.lathe(
            shiny(accent),
            &[(r * 0.62, a * 0.6), (r * 0.6, a), (r * 0.5, a), (r * 0.48, a * 0.8), (0.0, a * 0.8)],
            20,
        );
        s.ghost(|s| {
            for ring in 1..4 {
                let q = r * 0.2 * ring as f32;
                s.lathe(matt(times(color, 0.5)), &[(q, -a * 0.705), (q + 0.003, -a * 0.705)], 18);
            }
        });
    });
    let grip =
        curve(&[v(x * 0.16, y - r * 0.6, 0.0), v(x * 0.2, h * 0.35, 0.0), v(x * 0.26, 0.016, 0.0)], 3);
    s.rod_flat(shiny(color), &grip, &[0.021, 0.02, 0.02, 0.02, 0.021, 0.022, 0.02], 10, 0.8, Vec3::X);
    s.ghost(|s| s.cuboid(shiny(accent), v(x * 0.17, h * 0.4, 0.0), v(0.012, 0.04, 0.044), 0.003));
}

fn iron(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0x2F6FB7);
    let (x, h, l) = (w.w * 0.5, w.h, w.d * 0.5);
    let outline = |k: f32| -> Vec<Vec2> {
        (0..28)
            .map(|i| {
                let a = i as f32 / 28.0;
                let (t, side) = if a < 0.5 { (2.0 * a, 1.0) } else { (2.0 - 2.0 * a, -1.0) };
                // Pointed to the front, square at the back.
                let wide = libm::powf(1.0 - t, 0.62) * (1.0 - libm::powf(1.0 - t, 14.0) * 0.25);
                Vec2::new(side * x * k * wide, l * k * (2.0 * t - 1.0))
            })
            .collect()
    };
    s.plate(bright(rgb(0xC6CACD)), &outline(1.0), 0.0, h * 0.05);
    let body = |u: f32, t: f32| {
        let k = 0.97 - 0.3 * t * t;
        let a = u;
        let (q, side) = if a < 0.5 { (2.0 * a, 1.0) } else { (2.0 - 2.0 * a, -1.0) };
        let wide = libm::powf((1.0 - q).max(0.0), 0.62);
        v(side * x * k * wide, h * (0.05 + 0.4 * t), l * k * (2.0 * q - 1.0) - 0.06 * l * t)
    };
    s.ghost(|s| {
        s.sheet(shiny(color), 32, 6, &|u, t| body(1.0 - u, t));
        s.sheet(shiny(w.color(1, 0xE8EBEE)), 32, 2, &|u, t| {
            let rim = body(1.0 - u, 1.0);
            v(rim.x * (1.0 - t), rim.y + 0.006 * t, -0.1 * l + (rim.z + 0.1 * l) * (1.0 - t))
        });
    });
    s.piece((0..24).flat_map(|i| [body(i as f32 / 24.0, 0.0), body(i as f32 / 24.0, 1.0)]));
    let grip = curve(
        &[
            v(0.0, h * 0.4, -l * 0.78),
            v(0.0, h * 0.82, -l * 0.72),
            v(0.0, h * 0.92, -l * 0.1),
            v(0.0, h * 0.8, l * 0.3),
            v(0.0, h * 0.42, l * 0.28),
        ],
        4,
    );
    s.rod_flat(shiny(times(color, 0.7)), &grip, &[0.018], 10, 0.8, Vec3::X);
    s.ghost(|s| {
        s.moved(0.0, h * 0.44, -l * 0.15, |s| {
            s.lathe(shiny(rgb(0xD04A3A)), &[(0.02, 0.0), (0.02, 0.012), (0.0, 0.014)], 16)
        });
    });
}

fn bathroom_scale(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0xE9ECEE);
    let (x, h, d) = (w.w, w.h, w.d);
    s.plate(shiny(color), &oval(x * 0.5, d * 0.5, 8.0, 36), h * 0.25, h);
    let face =
        Canvas::new(96, 48, rgb(0x1A2420)).text(0.5, 0.2, 0.6, 0.84, "72.4", w.color(1, 0x9FE8B0));
    let face = s.picture(face);
    s.ghost(|s| {
        s.sticker(face, v(0.0, h + 0.0006, -d * 0.34), v(x * 0.16, 0.0, 0.0), v(0.0, 0.0, -d * 0.07));
        for side in [-1.0_f32, 1.0] {
            s.plate(
                bright(rgb(0xAEB4B8)),
                &oval(x * 0.13, d * 0.24, 5.0, 24)
                    .into_iter()
                    .map(|p| p + Vec2::new(side * x * 0.25, d * 0.08))
                    .collect::<Vec<_>>(),
                h,
                h + 0.0008,
            );
        }
    });
    for (sx, sz) in [(-1.0_f32, -1.0_f32), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
        s.moved(sx * x * 0.38, 0.0, sz * d * 0.38, |s| {
            s.lathe(matt(rgb(0x333333)), &[(0.0, 0.0), (0.018, 0.0), (0.018, h * 0.25)], 14)
        });
    }
}

fn stapler(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0xB1302B);
    let (x, h, d) = (w.w, w.h, w.d);
    s.cuboid(matt(rgb(0x2A2B2E)), v(0.0, h * 0.07, 0.0), v(x, h * 0.14, d), 0.004);
    s.at(v(0.0, h * 0.3, d * 0.42), turn(Vec3::X, 11.0), |s| {
        s.cuboid(
            bright(rgb(0xA9AEB2)),
            v(0.0, h * 0.12, -d * 0.44),
            v(x * 0.55, h * 0.16, d * 0.86),
            0.002,
        );
        s.blob(
            shiny(color),
            v(0.0, h * 0.36, -d * 0.42),
            v(x * 0.42, h * 0.2, d * 0.48),
            [5.0, 3.0],
            10,
            &|_| 0.0,
        );
    });
    s.cuboid(shiny(times(color, 0.8)), v(0.0, h * 0.3, d * 0.4), v(x * 0.75, h * 0.42, d * 0.16), 0.004);
}

/// A cordless drill, standing on its battery.
fn power_drill(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0x1F6F78);
    let dark = rgb(0x222427);
    let (x, h, d) = (w.w, w.h, w.d);
    let r = d * 0.42;
    s.cuboid(shiny(dark), v(x * 0.12, h * 0.09, 0.0), v(x * 0.52, h * 0.18, d * 0.95), 0.008);
    let grip =
        curve(&[v(x * 0.12, h * 0.16, 0.0), v(x * 0.13, h * 0.4, 0.0), v(x * 0.2, h * 0.68, 0.0)], 3);
    s.rod_flat(shiny(color), &grip, &[0.021], 10, 1.15, Vec3::X);
    let y = h - r;
    s.at(v(0.0, y, 0.0), turn(Vec3::Z, 90.0), |s| {
        let a = x * 0.5;
        s.lathe(
            shiny(color),
            &smooth(&[(0.0, -a), (r * 0.8, -a), (r, -a * 0.8), (r, -a * 0.1), (r * 0.85, a * 0.2)], 2),
            20,
        );
        s.lathe(
            matt(dark),
            &[(r * 0.82, a * 0.2), (r * 0.78, a * 0.45), (r * 0.5, a * 0.72), (r * 0.3, a * 0.76)],
            18,
        );
        s.lathe(bright(rgb(0xB9BDC0)), &[(0.004, a * 0.76), (0.004, a * 0.97), (0.0, a)], 8);
        s.ghost(|s| {
            s.lathe(
                shiny(w.color(1, 0xE0A32E)),
                &[
                    (r * 1.01, -a * 0.45),
                    (r * 1.02, -a * 0.4),
                    (r * 1.02, -a * 0.25),
                    (r * 1.01, -a * 0.2),
                ],
                20,
            )
        });
    });
    s.ghost(|s| s.cuboid(matt(rgb(0xB33A2E)), v(x * 0.05, h * 0.58, 0.0), v(0.016, 0.035, 0.02), 0.004));
}

fn watch(s: &mut Shape, w: &mut Wish<'_>) {
    let strap = w.color(0, 0x3A2A20);
    let (x, h, d) = (w.w * 0.5, w.h, w.d * 0.5);
    // A closed strap lying on its side, the dial to the front.
    let ring =
        |a: f32, k: f32, y: f32| v(x * k * libm::sinf(a), y, (d - 0.006) * k * libm::cosf(a) - 0.006);
    for (k, flip) in [(1.0, false), (0.93, true)] {
        s.ghost(|s| {
            s.sheet(matt(strap).dim(if flip { 0.75 } else { 1.0 }), 28, 1, &|u, t| {
                let a = std::f32::consts::TAU * if flip { 1.0 - u } else { u };
                ring(a, k, h * (0.12 + 0.76 * t))
            });
        });
    }
    s.ghost(|s| {
        for (y, up) in [(h * 0.12, false), (h * 0.88, true)] {
            s.sheet(matt(strap), 28, 1, &|u, t| {
                let a = std::f32::consts::TAU * if up { u } else { 1.0 - u };
                ring(a, 1.0 - 0.07 * t, y)
            });
        }
    });
    for stave in 0..8 {
        let angles = [0.0, 0.5, 1.0].map(|t| std::f32::consts::TAU * (stave as f32 + t) / 8.0);
        s.piece(angles.into_iter().flat_map(|a| {
            let at = move |k: f32, y: f32| {
                v(x * k * libm::sinf(a), y, (d - 0.006) * k * libm::cosf(a) - 0.006)
            };
            [at(1.0, h * 0.12), at(1.0, h * 0.88), at(0.92, h * 0.12), at(0.92, h * 0.88)]
        }));
    }
    let face = Canvas::new(64, 64, w.color(2, 0xF3F1EA))
        .each(|px, py, old| {
            let (dx, dy) = (px - 0.5, py - 0.5);
            let (r, a) = (libm::hypotf(dx, dy), libm::atan2f(dx, -dy) / std::f32::consts::TAU * 12.0);
            if (a - libm::roundf(a)).abs() * r < 0.03 && (0.34..0.45).contains(&r) {
                rgb(0x222222)
            } else {
                old
            }
        })
        .rect(0.48, 0.2, 0.52, 0.52, rgb(0x222222))
        .rect(0.5, 0.48, 0.72, 0.52, rgb(0x222222));
    let face = s.picture(face);
    let metal = bright(w.color(1, 0xC5C9CC));
    let r = h * 0.5;
    s.at(v(0.0, h * 0.5, d - 0.01), turn(Vec3::X, 90.0), |s| {
        s.lathe(metal, &[(0.0, -0.004), (r * 0.9, -0.004), (r, 0.0), (r, 0.006), (r * 0.88, 0.009)], 22);
    });
    s.ghost(|s| {
        s.sticker(face, v(0.0, h * 0.5, d - 0.0015), v(r * 0.64, 0.0, 0.0), v(0.0, r * 0.64, 0.0));
        s.cuboid(metal, v(r * 1.05, h * 0.5, d - 0.007), v(0.004, 0.005, 0.004), 0.001);
        s.at(v(0.0, h * 0.5, d - 0.0025), turn(Vec3::X, 90.0), |s| {
            s.lathe(matt(w.color(2, 0xF3F1EA)), &[(r * 0.9, 0.0), (0.0, 0.0)], 22)
        });
    });
}
