//! Tableware, cookware and what stands on a kitchen counter.

use super::canvas::Canvas;
use super::primitives::{Ring, curve, oval, smooth};
use super::shape::{Paint, Shape, bright, matt, mix, rgb, shiny, times, turn};
use super::{Maker, Wish};
use ambler_geometry::{Vec2, Vec3};

pub(super) const RECIPES: &[(&str, Maker)] = &[
    ("mug", mug),
    ("glass", glass),
    ("wine_glass", wine_glass),
    ("plate", plate),
    ("bowl", bowl),
    ("ramekin", ramekin),
    ("teapot", teapot),
    ("kettle", kettle),
    ("pitcher", pitcher),
    ("frying_pan", frying_pan),
    ("saucepan", saucepan),
    ("pot_lid", pot_lid),
    ("cutting_board", cutting_board),
    ("toaster", toaster),
    ("coffee_maker", coffee_maker),
    ("shaker", shaker),
    ("pepper_mill", pepper_mill),
];

fn v(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3::new(x, y, z)
}

/// A handle at +x from `top` to `low`, standing out to `out`.
fn handle(s: &mut Shape, paint: Paint, top: Ring, low: Ring, out: f32, thick: f32) {
    let line = curve(
        &[
            v(top.0 - thick * 0.5, top.1, 0.0),
            v(out - thick * 1.8, top.1 + thick * 0.6, 0.0),
            v(out - thick, top.1 * 0.6 + low.1 * 0.4, 0.0),
            v(out - thick * 2.2, low.1 + (top.1 - low.1) * 0.12, 0.0),
            v(low.0 - thick * 0.5, low.1, 0.0),
        ],
        4,
    );
    s.rod_flat(paint, &line, &[thick], 8, 0.65, Vec3::Y);
}

fn mug(s: &mut Shape, w: &mut Wish<'_>) {
    let paint = shiny(w.color(0, 0xB9412F));
    let inside = shiny(w.color(1, 0xF3EEE4));
    let (h, r) = (w.h, w.d * 0.5);
    let rings = match w.style {
        0 => vec![(r * 0.9, 0.0), (r * 0.97, h * 0.03), (r, h * 0.1), (r, h)],
        1 => smooth(&[(r * 0.62, 0.0), (r * 0.8, h * 0.12), (r * 0.96, h * 0.45), (r, h)], 4),
        _ => vec![(r * 0.78, 0.0), (r * 0.82, h * 0.03), (r, h)],
    };
    s.vessel(paint, inside, &rings, 0.004, 0.008, 28);
    handle(s, paint, (r * 0.97, h * 0.8), (r * 0.9, h * 0.22), w.w - r, 0.0075);
}

fn glass(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0xC6D8DC);
    let (h, r) = (w.h, w.w * 0.5);
    let rings = match w.style {
        0 => vec![(r * 0.8, 0.0), (r * 0.83, h * 0.02), (r, h)],
        _ => smooth(&[(r * 0.72, 0.0), (r * 0.74, h * 0.3), (r * 0.9, h * 0.7), (r, h)], 3),
    };
    let mut picture = Canvas::new(64, 64, color).fade(mix(color, [1.0; 3], 0.35), times(color, 0.9));
    for (x, wide) in [(0.06, 0.05), (0.2, 0.02), (0.55, 0.03), (0.8, 0.015)] {
        picture = picture.rect(x, 0.0, x + wide, 1.0, mix(color, [1.0; 3], 0.8));
    }
    let paint = Paint { gloss: 1.0, ..s.picture(picture) };
    let sides = if w.style == 0 { 24 } else { 10 };
    s.vessel(paint, bright(mix(color, [1.0; 3], 0.15)), &rings, 0.003, h * 0.09, sides);
}

fn wine_glass(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0xCBDADF);
    let (h, r) = (w.h, w.w * 0.5);
    let paint = bright(color);
    let wine = w.colors.get(1).copied();
    s.lathe(
        paint,
        &[
            (0.0, 0.0),
            (r * 0.85, 0.0),
            (r * 0.84, h * 0.012),
            (r * 0.2, h * 0.035),
            (0.005, h * 0.07),
            (0.004, h * 0.42),
        ],
        24,
    );
    let wide = if w.style == 0 { 1.0 } else { 0.82 };
    let cup = smooth(
        &[(0.005, h * 0.42), (r * 0.62 * wide, h * 0.5), (r * wide, h * 0.7), (r * 0.78 * wide, h)],
        4,
    );
    let inside = wine.map_or(bright(mix(color, [1.0; 3], 0.2)), shiny);
    s.vessel(paint, inside, &cup, 0.0022, h * 0.46, 24);
}

fn plate(s: &mut Shape, w: &mut Wish<'_>) {
    let (h, r) = (w.h, w.w * 0.5);
    let color = w.color(0, 0xF1EEE8);
    let rim = w.color(1, 0xE9E4DA);
    let rings = match w.style {
        0 => vec![
            (r * 0.56, 0.0),
            (r * 0.62, h * 0.14),
            (r * 0.7, h * 0.45),
            (r * 0.97, h * 0.88),
            (r, h),
        ],
        _ => smooth(&[(r * 0.6, 0.0), (r * 0.85, h * 0.2), (r * 0.97, h * 0.6), (r, h)], 3),
    };
    s.vessel(shiny(rim), shiny(color), &rings, 0.004, h * 0.2, 36);
    // A painted ring on the flag.
    if w.style == 0 && w.colors.len() > 1 {
        s.ghost(|s| s.band(shiny(rim), (r * 0.99, h * 1.0), (r * 0.8, h * 0.78), 0.0, 360.0));
    }
}

fn bowl(s: &mut Shape, w: &mut Wish<'_>) {
    let (h, r) = (w.h, w.w * 0.5);
    let rings = match w.style {
        0 => smooth(
            &[(r * 0.42, 0.0), (r * 0.44, h * 0.06), (r * 0.72, h * 0.3), (r * 0.92, h * 0.65), (r, h)],
            3,
        ),
        _ => smooth(&[(r * 0.5, 0.0), (r * 0.8, h * 0.18), (r * 0.96, h * 0.5), (r, h)], 3),
    };
    let (outside, inside) = (w.color(0, 0x3C6E8F), w.color(1, 0xEDE7DA));
    s.vessel(shiny(outside), shiny(inside), &rings, 0.004, h * 0.12, 32);
}

fn ramekin(s: &mut Shape, w: &mut Wish<'_>) {
    let (h, r) = (w.h, w.w * 0.5);
    let color = w.color(0, 0xF4F0E8);
    let picture = Canvas::new(128, 8, color).stripes(32.0, times(color, 0.86));
    let paint = Paint { gloss: 0.4, ..s.picture(picture) };
    s.vessel(
        paint,
        shiny(w.color(1, 0xF4F0E8)),
        &[(r * 0.9, 0.0), (r * 0.93, h * 0.1), (r * 0.95, h * 0.85), (r, h * 0.9), (r, h)],
        0.005,
        h * 0.12,
        32,
    );
}

fn teapot(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0x557A6B);
    let paint = shiny(color);
    let (h, r) = (w.h, w.d * 0.5);
    let body = h * 0.74;
    s.lathe(
        paint,
        &smooth(
            &[
                (0.0, 0.0),
                (r * 0.55, 0.0),
                (r * 0.9, body * 0.25),
                (r, body * 0.5),
                (r * 0.8, body * 0.85),
                (r * 0.45, body),
            ],
            3,
        ),
        28,
    );
    let lid = [
        (r * 0.46, body),
        (r * 0.48, body + h * 0.02),
        (r * 0.3, body + h * 0.09),
        (r * 0.06, body + h * 0.12),
    ];
    s.lathe(paint, &lid, 24);
    s.ball(shiny(w.color(1, 0x3A564B)), v(0.0, h * 0.93, 0.0), v(1.0, 1.0, 1.0) * h * 0.065, 8);
    let spout = curve(
        &[
            v(-r * 0.8, body * 0.4, 0.0),
            v(-r * 1.25, body * 0.55, 0.0),
            v(-r * 1.42, body * 0.85, 0.0),
            v(-(w.w * 0.5 + r * 0.12), body * 1.02, 0.0),
        ],
        3,
    );
    s.rod(paint, &spout, &[0.02, 0.019, 0.018, 0.016, 0.014, 0.013, 0.012, 0.011, 0.010, 0.009], 10);
    handle(s, paint, (r * 0.85, body * 0.85), (r * 0.9, body * 0.25), w.w * 0.5 + r * 0.1, 0.008);
}

fn kettle(s: &mut Shape, w: &mut Wish<'_>) {
    let metal = w.color(0, 0xB9BEC2);
    let dark = w.color(1, 0x26282B);
    let (h, r) = (w.h, w.d * 0.5);
    s.lathe(matt(dark), &[(0.0, 0.0), (r * 0.98, 0.0), (r * 1.0, h * 0.05), (r * 0.96, h * 0.07)], 28);
    let body = if w.style == 0 {
        vec![(r * 0.96, h * 0.07), (r * 0.98, h * 0.12), (r * 0.72, h * 0.82), (r * 0.66, h * 0.86)]
    } else {
        smooth(&[(r * 0.9, h * 0.07), (r, h * 0.2), (r * 0.95, h * 0.5), (r * 0.62, h * 0.85)], 3)
    };
    s.lathe(bright(metal), &body, 28);
    s.lathe(
        shiny(dark),
        &[(r * 0.66, h * 0.86), (r * 0.5, h * 0.92), (r * 0.12, h * 0.95), (0.0, h * 0.95)],
        24,
    );
    s.ball(shiny(dark), v(0.0, h * 0.965, 0.0), v(0.016, h * 0.035, 0.016), 6);
    // The beak and the handle.
    let beak =
        [v(-r * 0.62, h * 0.72, 0.0), v(-r * 0.95, h * 0.85, 0.0), v(-(w.w * 0.5), h * 0.88, 0.0)];
    s.rod(bright(metal), &beak, &[0.024, 0.017, 0.011], 10);
    let grip = curve(
        &[
            v(r * 0.6, h * 0.84, 0.0),
            v(w.w * 0.5, h * 0.86, 0.0),
            v(w.w * 0.52, h * 0.5, 0.0),
            v(r * 0.9, h * 0.26, 0.0),
        ],
        4,
    );
    s.rod_flat(shiny(dark), &grip, &[0.013], 8, 0.7, Vec3::Y);
}

fn pitcher(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0xE6E2D8);
    let (h, r) = (w.h, w.d * 0.5);
    let rings = match w.style {
        0 => smooth(
            &[
                (r * 0.7, 0.0),
                (r * 0.98, h * 0.25),
                (r * 0.9, h * 0.55),
                (r * 0.66, h * 0.8),
                (r * 0.8, h),
            ],
            4,
        ),
        _ => vec![(r * 0.86, 0.0), (r * 0.9, h * 0.02), (r, h * 0.96), (r * 1.02, h)],
    };
    s.vessel(shiny(color), shiny(times(color, 0.96)), &rings, 0.004, h * 0.04, 28);
    // A lip that pours.
    let lip = rings[rings.len() - 1].0;
    s.leaf(shiny(color), 6, 3, &|u, t| {
        let a = (u - 0.5) * 1.1;
        let out = lip - 0.003 + 0.022 * t * (1.0 - (2.0 * u - 1.0) * (2.0 * u - 1.0));
        v(-out * libm::cosf(a), h * (0.9 + 0.1 * t), out * libm::sinf(a))
    });
    handle(s, shiny(color), (lip * 0.95, h * 0.86), (r * 0.93, h * 0.3), w.w - r, 0.009);
}

fn frying_pan(s: &mut Shape, w: &mut Wish<'_>) {
    let (r, h) = (w.w * 0.5, w.h * 0.75);
    let outside = w.color(0, 0x2B2C2E);
    let z = -(w.d * 0.5 - r);
    s.moved(0.0, 0.0, z, |s| {
        s.vessel(
            shiny(outside),
            matt(w.color(1, 0x3A3B3D)),
            &[(r * 0.78, 0.0), (r * 0.82, h * 0.08), (r * 0.97, h * 0.85), (r, h)],
            0.004,
            h * 0.12,
            36,
        );
        let end = w.d - r;
        let line = [
            v(0.0, h * 0.8, r * 0.96),
            v(0.0, h * 0.95, r * 1.2),
            v(0.0, w.h * 0.94, end - 0.02),
            v(0.0, w.h * 0.93, end),
        ];
        s.rod_flat(shiny(w.color(2, 0x1C1C1E)), &line, &[0.011, 0.012, 0.015, 0.012], 8, 0.62, Vec3::Y);
    });
}

fn saucepan(s: &mut Shape, w: &mut Wish<'_>) {
    let (r, h) = (w.w * 0.5, w.h * 0.92);
    let metal = w.color(0, 0xB4B8BB);
    let z = -(w.d * 0.5 - r);
    s.moved(0.0, 0.0, z, |s| {
        s.vessel(
            bright(metal),
            bright(times(metal, 0.9)),
            &[(r * 0.95, 0.0), (r * 0.98, h * 0.05), (r * 0.98, h * 0.95), (r, h)],
            0.003,
            h * 0.04,
            36,
        );
        let end = w.d - r;
        let grip = shiny(w.color(1, 0x2A2A2C));
        if w.style == 0 {
            let line = [v(0.0, h * 0.88, r * 0.96), v(0.0, h * 0.95, r * 1.2), v(0.0, h * 1.03, end)];
            s.rod_flat(grip, &line, &[0.009, 0.012, 0.014], 8, 0.6, Vec3::Y);
        } else {
            for side in [-1.0, 1.0] {
                let line = curve(
                    &[
                        v(-0.045, h * 0.86, side * r * 0.92),
                        v(-0.035, h * 0.9, side * (r + 0.032)),
                        v(0.035, h * 0.9, side * (r + 0.032)),
                        v(0.045, h * 0.86, side * r * 0.92),
                    ],
                    3,
                );
                s.rod(grip, &line, &[0.007], 6);
            }
        }
    });
}

fn pot_lid(s: &mut Shape, w: &mut Wish<'_>) {
    let (r, h) = (w.w * 0.5, w.h);
    let glass = w.color(0, 0xAEB9BD);
    s.lathe(bright(rgb(0x8E9397)), &[(0.0, 0.0), (r, 0.0), (r, h * 0.1), (r * 0.94, h * 0.14)], 36);
    s.lathe(
        bright(glass),
        &[(r * 0.94, h * 0.14), (r * 0.75, h * 0.3), (r * 0.45, h * 0.45), (r * 0.12, h * 0.5)],
        36,
    );
    let knob = shiny(w.color(1, 0x1F1F21));
    s.lathe(
        knob,
        &[
            (0.011, h * 0.48),
            (0.01, h * 0.62),
            (0.024, h * 0.75),
            (0.026, h * 0.92),
            (0.016, h),
            (0.0, h),
        ],
        16,
    );
}

fn cutting_board(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0xC49A62);
    let wood = Canvas::wood(128, 96, color, &mut w.stream);
    let paint = s.picture(wood);
    let mut outline = oval(w.w * 0.5, w.d * 0.5, 9.0, 40);
    if w.style == 1 {
        // A handle at the right end.
        outline = oval(w.w * 0.36, w.d * 0.5, 9.0, 40);
        let at = outline.iter().position(|p| p.y > 0.0).unwrap_or(0);
        outline.splice(
            at..at,
            [
                Vec2::new(w.w * 0.36, -0.025),
                Vec2::new(w.w * 0.6, -0.02),
                Vec2::new(w.w * 0.64, 0.0),
                Vec2::new(w.w * 0.6, 0.02),
                Vec2::new(w.w * 0.36, 0.025),
            ],
        );
        outline.retain(|p| !(p.y.abs() < 0.024 && (p.x - w.w * 0.36).abs() < 0.004));
    }
    s.plate(paint, &outline, 0.0, w.h);
    if w.style == 0 {
        // The groove that catches juice.
        let dark = matt(times(color, 0.6));
        let (x, z) = (w.w * 0.44, w.d * 0.41);
        let line = |s: &mut Shape, a: Vec3, size: Vec3| s.ghost(|s| s.cuboid(dark, a, size, 0.0));
        for side in [-1.0, 1.0] {
            line(s, v(0.0, w.h, side * z), v(2.0 * x, 0.0008, 0.005));
            line(s, v(side * x, w.h, 0.0), v(0.005, 0.0008, 2.0 * z));
        }
    }
}

fn toaster(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0xC3C7CA);
    let dark = rgb(0x222326);
    let (h, foot) = (w.h, 0.012);
    s.blob(
        bright(color),
        v(0.0, foot + (h - foot) * 0.5, 0.0),
        v(w.w * 0.5, (h - foot) * 0.5, w.d * 0.5),
        [6.0, 6.0],
        14,
        &|_| 0.0,
    );
    s.cuboid(matt(dark), v(0.0, foot, 0.0), v(w.w * 0.9, 2.0 * foot, w.d * 0.85), 0.004);
    s.ghost(|s| {
        for z in [-0.2, 0.2] {
            s.cuboid(
                matt(rgb(0x151515)),
                v(0.0, h - 0.001, w.d * z),
                v(w.w * 0.72, 0.004, w.d * 0.14),
                0.0,
            );
            s.cuboid(
                matt(rgb(0x8A4B22)).dim(0.5),
                v(0.0, h + 0.0012, w.d * z),
                v(w.w * 0.66, 0.001, w.d * 0.02),
                0.0,
            );
        }
        // The slot of the lever, the lever, the knob.
        s.cuboid(matt(dark), v(w.w * 0.5, h * 0.55, 0.0), v(0.003, h * 0.45, 0.012), 0.0);
        s.cuboid(shiny(dark), v(w.w * 0.5 + 0.008, h * 0.7, 0.0), v(0.022, 0.016, 0.045), 0.004);
        s.at(v(w.w * 0.49, h * 0.25, w.d * 0.22), turn(Vec3::Z, -90.0), |s| {
            s.lathe(shiny(dark), &[(0.0, 0.0), (0.014, 0.0), (0.012, 0.014), (0.0, 0.014)], 12);
        });
    });
}

fn coffee_maker(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0x2A2B2E);
    let trim = w.color(1, 0xA9AEB2);
    let (x, h, d) = (w.w, w.h, w.d);
    let paint = shiny(color);
    s.cuboid(paint, v(0.0, h * 0.06, 0.0), v(x, h * 0.12, d), 0.012);
    s.cuboid(paint, v(0.0, h * 0.5, -d * 0.31), v(x * 0.96, h * 0.86, d * 0.36), 0.012);
    s.cuboid(paint, v(0.0, h * 0.86, -d * 0.04), v(x * 0.98, h * 0.28, d * 0.88), 0.014);
    s.ghost(|s| {
        s.cuboid(bright(trim), v(0.0, h * 0.76, -d * 0.03), v(x * 0.985, h * 0.025, d * 0.89), 0.002);
        s.cuboid(shiny(rgb(0x63D2FF)), v(0.0, h * 0.9, d * 0.402), v(x * 0.22, h * 0.04, 0.003), 0.0);
        s.cuboid(bright(trim), v(x * 0.28, h * 0.9, d * 0.402), v(0.018, 0.018, 0.004), 0.002);
    });
    // The pot with coffee in it.
    let r = x * 0.36;
    s.moved(0.0, h * 0.12, d * 0.12, |s| {
        let top = h * 0.5;
        s.lathe(
            bright(rgb(0x39271D)),
            &smooth(&[(0.0, 0.0), (r * 0.85, 0.0), (r, top * 0.2), (r * 0.98, top * 0.5)], 3),
            24,
        );
        s.lathe(
            bright(rgb(0xB9C6CA)),
            &[(r * 0.98, top * 0.5), (r * 0.72, top * 0.86), (r * 0.7, top * 0.9)],
            24,
        );
        s.lathe(shiny(color), &[(r * 0.74, top * 0.9), (r * 0.74, top), (0.0, top)], 24);
        let grip = curve(
            &[
                v(0.0, top * 0.86, r * 0.7),
                v(0.0, top * 0.9, r * 1.35),
                v(0.0, top * 0.3, r * 1.4),
                v(0.0, top * 0.28, r * 0.98),
            ],
            3,
        );
        s.rod_flat(shiny(color), &grip, &[0.011], 6, 0.6, Vec3::Y);
    });
}

fn shaker(s: &mut Shape, w: &mut Wish<'_>) {
    let (h, r) = (w.h, w.w * 0.5);
    let body = w.color(0, 0xEFEDE8);
    let letter = Canvas::new(96, 64, body).text(0.5, 0.3, 0.42, 0.8, w.label, rgb(0x333333));
    let picture = Paint { gloss: 0.5, ..s.picture(letter) };
    let rings = match w.style {
        0 => vec![(0.0, 0.0), (r, 0.0), (r, h * 0.02), (r * 0.78, h * 0.72)],
        _ => smooth(&[(0.0, 0.0), (r * 0.9, 0.0), (r, h * 0.15), (r * 0.7, h * 0.72)], 3),
    };
    s.lathe(shiny(body), &rings, 20);
    if w.style == 0 {
        s.ghost(|s| s.band(picture, (r * 0.97, h * 0.15), (r * 0.822, h * 0.62), -45.0, 45.0));
    }
    let cap = bright(w.color(1, 0xB8BCC0));
    s.lathe(cap, &[(r * 0.8, h * 0.72), (r * 0.8, h * 0.86), (r * 0.6, h * 0.97), (0.0, h)], 20);
    s.ghost(|s| {
        for i in 0..5 {
            let a = i as f32 * 1.257;
            let c = v(r * 0.3 * libm::sinf(a), h * 0.985, r * 0.3 * libm::cosf(a));
            s.cuboid(matt(rgb(0x202020)), c, v(0.003, 0.003, 0.003), 0.0);
        }
    });
}

fn pepper_mill(s: &mut Shape, w: &mut Wish<'_>) {
    let (h, r) = (w.h, w.w * 0.5);
    let wood = w.color(0, 0x6B3F23);
    let profile = smooth(
        &[
            (0.0, 0.0),
            (r, 0.0),
            (r * 0.96, h * 0.1),
            (r * 0.6, h * 0.32),
            (r * 0.68, h * 0.5),
            (r * 0.85, h * 0.66),
            (r * 0.8, h * 0.7),
        ],
        3,
    );
    s.lathe(shiny(wood), &profile, 20);
    s.lathe(bright(rgb(0xB9B9B4)), &[(r * 0.62, h * 0.7), (r * 0.62, h * 0.73)], 20);
    s.lathe(
        shiny(times(wood, 1.1)),
        &smooth(&[(r * 0.82, h * 0.73), (r * 0.86, h * 0.82), (r * 0.4, h * 0.93), (0.0, h * 0.94)], 3),
        20,
    );
    s.ball(bright(rgb(0xC4C4BE)), v(0.0, h * 0.965, 0.0), v(0.009, h * 0.035, 0.009), 6);
}
