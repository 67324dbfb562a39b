//! Bottles.

use super::packages::label;
use super::primitives::{curve, smooth};
use super::shape::{Paint, Shape, bright, shiny, times};
use super::{Maker, Wish};
use ambler_geometry::{Affine, Mat3, Vec3};

pub(super) const RECIPES: &[(&str, Maker)] = &[
    ("bottle", bottle),
    ("wine_bottle", wine_bottle),
    ("pump_bottle", pump_bottle),
    ("spray_bottle", spray_bottle),
    ("jug_bottle", jug_bottle),
];

fn v(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3::new(x, y, z)
}

/// A round body pressed to the wished depth.
fn pressed(s: &mut Shape, w: &Wish<'_>, draw: impl FnOnce(&mut Shape)) {
    let squash = Affine {
        matrix: Mat3::from_diagonal(Vec3::new(1.0, 1.0, (w.d / w.w).clamp(0.2, 5.0))),
        translation: Vec3::ZERO,
    };
    s.within(squash, draw);
}

/// A bottle with a cap and a label: 0 drinks, 1 flat shoulders (shampoo), 2 sauce with a nozzle,
/// 3 metal flask.
fn bottle(s: &mut Shape, w: &mut Wish<'_>) {
    let (h, r) = (w.h, w.w * 0.5);
    let body = w.color(0, 0x9CC7DC);
    let cap = w.color(1, 0x2B6CB0);
    let ground = w.color(2, 0xF4F1EA);
    let picture = label(w, 128, 96, ground, cap);
    let picture = Paint { gloss: 0.3, ..s.picture(picture) };
    let paint = if w.style == 3 { bright(body) } else { shiny(body) };
    let rings = match w.style {
        0 => smooth(
            &[
                (0.0, 0.0),
                (r * 0.85, 0.0),
                (r, h * 0.04),
                (r, h * 0.3),
                (r, h * 0.62),
                (r * 0.75, h * 0.76),
                (r * 0.4, h * 0.88),
                (r * 0.38, h * 0.9),
            ],
            3,
        ),
        1 => smooth(
            &[
                (0.0, 0.0),
                (r * 0.9, 0.0),
                (r, h * 0.06),
                (r, h * 0.4),
                (r * 0.97, h * 0.7),
                (r * 0.6, h * 0.82),
                (r * 0.5, h * 0.83),
            ],
            3,
        ),
        2 => smooth(
            &[
                (0.0, 0.0),
                (r * 0.92, 0.0),
                (r, h * 0.05),
                (r * 0.9, h * 0.38),
                (r, h * 0.6),
                (r * 0.6, h * 0.8),
                (r * 0.45, h * 0.83),
            ],
            3,
        ),
        _ => smooth(
            &[
                (0.0, 0.0),
                (r * 0.95, 0.0),
                (r, h * 0.03),
                (r, h * 0.5),
                (r, h * 0.76),
                (r * 0.66, h * 0.85),
                (r * 0.6, h * 0.87),
            ],
            3,
        ),
    };
    let top = rings[rings.len() - 1];
    pressed(s, w, |s| {
        s.lathe(paint, &rings, 24);
        let (a, b) = if w.style == 1 { (0.2, 0.66) } else { (0.16, 0.58) };
        s.ghost(|s| {
            let wide = if w.style == 2 { 0.97 } else { 1.012 };
            s.band(picture, (r * wide, h * a), (r * wide, h * b), -75.0, 75.0);
            if w.style == 0 {
                s.band(shiny(ground), (r * wide, h * a), (r * wide, h * b), 75.0, 285.0);
            }
        });
    });
    let lid = shiny(cap);
    match w.style {
        0 => s.lathe(
            lid,
            &[(top.0 * 1.12, top.1), (top.0 * 1.12, h * 0.995), (top.0 * 0.9, h), (0.0, h)],
            20,
        ),
        1 => s.lathe(
            lid,
            &[(top.0 * 1.15, top.1), (top.0 * 1.2, h * 0.86), (top.0 * 1.15, h), (0.0, h)],
            20,
        ),
        2 => s.lathe(
            lid,
            &[
                (top.0 * 1.1, top.1),
                (top.0 * 0.9, h * 0.88),
                (r * 0.16, h * 0.93),
                (r * 0.1, h),
                (0.0, h),
            ],
            20,
        ),
        _ => {
            s.lathe(
                lid,
                &[
                    (top.0 * 1.05, top.1),
                    (top.0 * 1.05, h * 0.96),
                    (top.0 * 0.85, h * 0.98),
                    (0.0, h * 0.98),
                ],
                20,
            );
            let line = curve(
                &[
                    v(-top.0 * 0.9, h * 0.95, 0.0),
                    v(-top.0 * 0.5, h * 0.995, 0.0),
                    v(top.0 * 0.5, h * 0.995, 0.0),
                    v(top.0 * 0.9, h * 0.95, 0.0),
                ],
                3,
            );
            s.rod(lid, &line, &[0.004], 6);
        }
    }
}

fn wine_bottle(s: &mut Shape, w: &mut Wish<'_>) {
    let (h, r) = (w.h, w.w * 0.5);
    let glass = w.color(0, 0x1E3020);
    let foil = w.color(1, 0x6B1F2A);
    let picture = label(w, 96, 96, w.color(2, 0xF0E8D4), foil);
    let picture = s.picture(picture);
    let shoulder = if w.style == 0 { (r * 0.95, h * 0.64) } else { (r * 0.8, h * 0.55) };
    s.lathe(
        bright(glass),
        &smooth(
            &[
                (0.0, 0.0),
                (r * 0.94, 0.0),
                (r, h * 0.03),
                (r, h * 0.4),
                (r, h * 0.55),
                shoulder,
                (r * 0.42, h * 0.74),
                (r * 0.36, h * 0.8),
                (r * 0.34, h * 0.97),
            ],
            2,
        ),
        24,
    );
    s.lathe(
        shiny(foil),
        &[(r * 0.385, h * 0.8), (r * 0.37, h * 0.97), (r * 0.4, h * 0.975), (r * 0.4, h), (0.0, h)],
        20,
    );
    s.ghost(|s| s.band(picture, (r * 1.012, h * 0.14), (r * 1.012, h * 0.46), -70.0, 70.0));
}

fn pump_bottle(s: &mut Shape, w: &mut Wish<'_>) {
    let (h, r) = (w.h, w.d.min(w.w) * 0.5);
    let body = w.color(0, 0xE9DCC9);
    let pump = w.color(1, 0x2B2B2D);
    let picture = label(w, 96, 96, w.color(2, 0xFBFAF6), pump);
    let picture = s.picture(picture);
    let rings = match w.style {
        0 => smooth(
            &[
                (0.0, 0.0),
                (r * 0.95, 0.0),
                (r, h * 0.03),
                (r, h * 0.35),
                (r, h * 0.58),
                (r * 0.5, h * 0.68),
                (r * 0.42, h * 0.7),
            ],
            3,
        ),
        _ => smooth(
            &[
                (0.0, 0.0),
                (r * 0.9, 0.0),
                (r, h * 0.1),
                (r * 0.85, h * 0.4),
                (r * 0.55, h * 0.66),
                (r * 0.42, h * 0.7),
            ],
            3,
        ),
    };
    s.lathe(shiny(body), &rings, 24);
    if w.style == 0 {
        s.ghost(|s| s.band(picture, (r * 1.012, h * 0.12), (r * 1.012, h * 0.5), -60.0, 60.0));
    }
    let paint = shiny(pump);
    s.lathe(
        paint,
        &[
            (r * 0.48, h * 0.68),
            (r * 0.48, h * 0.76),
            (r * 0.2, h * 0.78),
            (r * 0.12, h * 0.8),
            (r * 0.12, h * 0.93),
        ],
        16,
    );
    s.lathe(paint, &[(r * 0.35, h * 0.92), (r * 0.4, h * 0.95), (r * 0.36, h * 0.995), (0.0, h)], 16);
    let spout =
        [v(0.0, h * 0.96, r * 0.2), v(0.0, h * 0.965, r * 0.9), v(0.0, h * 0.93, w.d * 0.5 + r * 0.1)];
    s.rod(paint, &spout, &[0.006, 0.0055, 0.004], 8);
}

fn spray_bottle(s: &mut Shape, w: &mut Wish<'_>) {
    let (h, r) = (w.h, w.w * 0.5);
    let body = w.color(0, 0x5FA8DC);
    let head = w.color(1, 0xE9E9E6);
    let picture = label(w, 96, 96, w.color(2, 0xF6F4EE), times(body, 0.7));
    let picture = s.picture(picture);
    pressed(s, w, |s| {
        s.lathe(
            shiny(body),
            &smooth(
                &[
                    (0.0, 0.0),
                    (r * 0.95, 0.0),
                    (r, h * 0.03),
                    (r * 0.98, h * 0.3),
                    (r * 0.85, h * 0.5),
                    (r * 0.42, h * 0.66),
                    (r * 0.32, h * 0.72),
                ],
                3,
            ),
            24,
        );
        s.ghost(|s| s.band(picture, (r * 1.01, h * 0.08), (r * 0.97, h * 0.42), -60.0, 60.0));
    });
    let paint = shiny(head);
    s.lathe(
        paint,
        &[(r * 0.36, h * 0.7), (r * 0.36, h * 0.77), (r * 0.2, h * 0.79), (r * 0.2, h * 0.86)],
        14,
    );
    s.cuboid(paint, v(-r * 0.05, h * 0.91, 0.0), v(r * 1.15, h * 0.09, r * 0.42), 0.005);
    s.at(v(-r * 0.72, h * 0.93, 0.0), super::shape::turn(Vec3::Z, 90.0), |s| {
        s.lathe(
            shiny(w.color(3, 0xD04A3A)),
            &[(r * 0.15, 0.0), (r * 0.17, r * 0.2), (0.0, r * 0.2)],
            10,
        );
    });
    let trigger =
        curve(&[v(-r * 0.42, h * 0.87, 0.0), v(-r * 0.6, h * 0.8, 0.0), v(-r * 0.52, h * 0.72, 0.0)], 3);
    s.rod(shiny(w.color(3, 0xD04A3A)), &trigger, &[0.006], 8);
}

/// A heavy bottle with a handle: bleach, detergent.
fn jug_bottle(s: &mut Shape, w: &mut Wish<'_>) {
    let (x, h, d) = (w.w, w.h, w.d);
    let body = w.color(0, 0x2F6FB7);
    let cap = w.color(1, 0xF2F0EA);
    let picture = label(w, 128, 128, w.color(2, 0xFFF3C9), times(body, 0.7));
    let picture = s.picture(picture);
    let paint = shiny(body);
    let low = h * 0.62;
    s.blob(paint, v(0.0, low * 0.5, 0.0), v(x * 0.5, low * 0.5, d * 0.5), [4.0, 7.0], 14, &|_| 0.0);
    s.ghost(|s| {
        s.sticker(
            picture,
            v(0.0, low * 0.48, d * 0.5 + 0.001),
            v(x * 0.34, 0.0, 0.0),
            v(0.0, low * 0.36, 0.0),
        );
    });
    // The neck on one side, the handle on the other.
    let nx = -x * 0.2;
    let neck = [v(-x * 0.08, low * 0.9, 0.0), v(nx, low + h * 0.1, 0.0), v(nx, h * 0.84, 0.0)];
    s.rod(paint, &neck, &[d * 0.42, d * 0.34, d * 0.26], 14);
    s.moved(nx, h * 0.82, 0.0, |s| {
        s.lathe(
            shiny(cap),
            &[(d * 0.31, 0.0), (d * 0.3, h * 0.17), (d * 0.24, h * 0.18), (0.0, h * 0.18)],
            18,
        );
    });
    let grip = curve(
        &[
            v(nx + 0.01, h * 0.78, 0.0),
            v(x * 0.2, h * 0.8, 0.0),
            v(x * 0.4, h * 0.68, 0.0),
            v(x * 0.4, low * 0.8, 0.0),
        ],
        4,
    );
    s.rod_flat(paint, &grip, &[d * 0.16], 8, 0.8, Vec3::Z);
}
