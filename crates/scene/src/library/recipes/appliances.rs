//! Small appliances and tools.

use super::canvas::Canvas;
use super::primitives::{curve, oval, smooth};
use super::shape::{Shape, bright, matt, rgb, shiny, times, turn};
use super::{Maker, Wish};
use ambler_geometry::{Vec2, Vec3};

pub(super) const RECIPES: &[(&str, Maker)] = &[
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
            s.lathe(shiny(rgb(0xD04A3A)), &[(0.02, 0.0), (0.02, 0.012), (0.0, 0.014)], 16);
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
            s.lathe(matt(rgb(0x333333)), &[(0.0, 0.0), (0.018, 0.0), (0.018, h * 0.25)], 14);
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
            );
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
            s.lathe(matt(w.color(2, 0xF3F1EA)), &[(r * 0.9, 0.0), (0.0, 0.0)], 22);
        });
    });
}
