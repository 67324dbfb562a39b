//! Electronics and small appliances.

use super::canvas::Canvas;
use super::primitives::{curve, oval, smooth};
use super::shape::{Paint, Rgb, Shape, bright, matt, mix, rgb, shiny, times, turn};
use super::{Maker, Wish};
use ambler_geometry::Vec3;

pub(super) const RECIPES: &[(&str, Maker)] = &[
    ("laptop", laptop),
    ("keyboard", keyboard),
    ("mouse", mouse),
    ("phone", phone),
    ("remote", remote),
    ("headphones", headphones),
    ("game_controller", game_controller),
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
            );
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
                );
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
