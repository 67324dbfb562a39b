//! Shelves, dressers, wardrobes and what hangs in closets.

use super::{Looks, fronts, legs, v};
use crate::home::builder::{Builder, Frame, Look};
use crate::home::style::rgb;
use crate::home::texture::Tex;
use ambler_geometry::Vec2;
use ambler_geometry::random::Stream;

/// A dresser of `w`, 0.48 deep, with two columns of drawers; `h` high.
pub(in crate::home) fn dresser(b: &mut Builder, frame: Frame, w: f32, h: f32, looks: &Looks) {
    b.begin("dresser", frame);
    let x = 0.5 * w;
    legs(b, looks, looks.wood, [-x + 0.07, 0.07, x - 0.07, 0.40], 0.12, 0.045);
    b.bevel(looks.wood, v(-x, 0.11, 0.0), v(x, h - 0.025, 0.45), 0.006);
    let rows = if h > 0.85 { 4 } else { 3 };
    fronts(b, looks.wood2, looks.metal, [-x + 0.02, 0.13, x - 0.02, h - 0.04], 0.45, [2, rows], true);
    b.bevel(looks.wood, v(-x - 0.01, h - 0.025, 0.0), v(x + 0.01, h, 0.48), 0.006);
    b.surface(-x + 0.02, 0.02, x - 0.02, 0.46, h);
}

/// A wardrobe of `w` × 0.60, 2.1 high.
pub(in crate::home) fn wardrobe(b: &mut Builder, frame: Frame, w: f32, looks: &Looks) {
    b.begin("wardrobe", frame);
    let x = 0.5 * w;
    b.block(looks.wood.times(0.8), v(-x + 0.02, 0.0, 0.02), v(x - 0.02, 0.08, 0.54));
    b.bevel(looks.wood, v(-x, 0.08, 0.0), v(x, 2.1, 0.58), 0.006);
    let doors = if w > 1.4 {
        4
    } else if w > 0.95 {
        3
    } else {
        2
    };
    fronts(b, looks.wood2, looks.metal, [-x + 0.012, 0.10, x - 0.012, 2.08], 0.58, [doors, 1], false);
}

/// A bookshelf of `w` × 0.30, `levels` boards, filled in part.
pub(in crate::home) fn bookshelf(
    b: &mut Builder,
    frame: Frame,
    w: f32,
    levels: usize,
    looks: &Looks,
    stream: &mut Stream,
) {
    let shelf = b.begin("bookshelf", frame);
    let x = 0.5 * w;
    let pitch = 0.35;
    let top = 0.08 + pitch * levels as f32;
    let wood = looks.wood;
    b.bevel(wood, v(-x, 0.0, 0.0), v(-x + 0.025, top + 0.025, 0.3), 0.003);
    b.bevel(wood, v(x - 0.025, 0.0, 0.0), v(x, top + 0.025, 0.3), 0.003);
    b.block(wood.times(0.8), v(-x + 0.02, 0.02, 0.0), v(x - 0.02, top, 0.012));
    b.block(wood.times(0.85), v(-x + 0.02, 0.0, 0.03), v(x - 0.02, 0.06, 0.28));
    for level in 0..=levels {
        let y = 0.08 + pitch * level as f32;
        b.resume(shelf, frame);
        b.bevel(wood, v(-x + 0.02, y - 0.025, 0.0), v(x - 0.02, y, 0.298), 0.002);
        b.surface(-x + 0.04, 0.05, x - 0.04, 0.28, y);
        if level == levels || stream.uniform() < 0.12 {
            continue;
        }
        let (from, to) = (0.0, stream.range(0.45, 0.9) as f32);
        let flip = stream.uniform() < 0.3;
        let (a, c) = if flip { (1.0 - to, 1.0) } else { (from, to) };
        let at = |t: f32| -x + 0.035 + (w - 0.07) * t;
        books(b, frame, [at(a), at(c)], y, pitch, stream);
        if to < 0.75 && stream.uniform() < 0.6 {
            let m = if flip { 0.5 * (at(0.0) + at(a)) } else { 0.5 * (at(c) + at(1.0)) };
            super::vase(b, frame.moved(v(m, y, 0.16), 0.0), 0.6, looks, stream);
        }
    }
}

/// A row of books on a board at height `y`.
fn books(b: &mut Builder, frame: Frame, [x0, x1]: [f32; 2], y: f32, pitch: f32, stream: &mut Stream) {
    b.begin("books", frame);
    let (h, z) = (pitch - 0.09, 0.21 + 0.03 * stream.uniform() as f32);
    let paper = Look::plain([0.85, 0.81, 0.72]);
    b.block(paper, v(x0, y, 0.04), v(x1, y + 0.88 * h, z));
    let look = Look::new(Tex::Books, [1.0; 3]);
    let (u0, u1) = (stream.uniform() as f32, (x1 - x0) / look.tex.metres());
    let z = z + 0.004;
    b.face(
        look,
        [v(x0, y, z), v(x1, y, z), v(x1, y + h, z), v(x0, y + h, z)],
        [Vec2::new(u0, 1.0), Vec2::new(u0 + u1, 1.0), Vec2::new(u0 + u1, 0.02), Vec2::new(u0, 0.02)],
    );
}

/// An open shelf of `w` × `d`, four boards, with boxes, towels or jars.
pub(in crate::home) fn shelf_unit(
    b: &mut Builder,
    frame: Frame,
    w: f32,
    d: f32,
    category: &'static str,
    looks: &Looks,
    stream: &mut Stream,
) {
    let shelf = b.begin(category, frame);
    let x = 0.5 * w;
    for px in [-x + 0.02, x - 0.02] {
        for pz in [0.02, d - 0.02] {
            b.block(looks.metal, v(px - 0.015, 0.0, pz - 0.015), v(px + 0.015, 1.8, pz + 0.015));
        }
    }
    for level in 0..5 {
        let y = 0.15 + 0.41 * level as f32;
        b.resume(shelf, frame);
        b.bevel(looks.wood, v(-x, y - 0.025, 0.0), v(x, y, d), 0.003);
        b.surface(-x + 0.04, 0.04, x - 0.04, d - 0.03, y);
        let mut at = -x + 0.06;
        while at < x - 0.3 {
            let bw = stream.range(0.2, 0.36) as f32;
            if stream.uniform() < 0.6 && at + bw < x - 0.05 && level < 4 {
                let tone = [0xC7A77B, 0xE6E1D8, 0x8FA1A8, 0xB98C6A][stream.index(4)];
                let high = stream.range(0.14, 0.3) as f32;
                let kind = if stream.uniform() < 0.5 { "basket" } else { "storage_box" };
                b.begin(kind, frame);
                b.bevel(
                    Look::new(Tex::Fabric, rgb(tone)),
                    v(at, y, 0.05),
                    v(at + bw, y + high, d - 0.05),
                    0.012,
                );
            }
            at += bw + 0.05;
        }
    }
}

/// A rail with hanging clothes, `w` × 0.55, and shoes below.
pub(in crate::home) fn clothes_rail(
    b: &mut Builder,
    frame: Frame,
    w: f32,
    looks: &Looks,
    stream: &mut Stream,
) {
    b.begin("clothes_rack", frame);
    let x = 0.5 * w;
    b.bevel(looks.white, v(-x, 1.95, 0.0), v(x, 1.98, 0.4), 0.004);
    b.surface(-x + 0.03, 0.03, x - 0.03, 0.38, 1.98);
    for px in [-x + 0.015, x - 0.015] {
        b.block(looks.white, v(px - 0.015, 0.0, 0.0), v(px + 0.015, 1.96, 0.5));
    }
    b.rod(looks.metal, v(-x + 0.03, 1.72, 0.28), v(x - 0.03, 1.72, 0.28), 0.014, 8);
    const TONES: [u32; 10] = [
        0x34495E, 0x8C3B3B, 0xE8E4DC, 0x556B57, 0x2B2B2E, 0xB99A6B, 0x7C8FA6, 0xD9B4A6, 0x4A3F55,
        0xC9CED2,
    ];
    let mut at = -x + 0.08;
    while at < x - 0.1 {
        let thick = stream.range(0.035, 0.07) as f32;
        if stream.uniform() < 0.86 {
            let long = stream.range(0.6, 1.15) as f32;
            let tone = Look::new(Tex::Fabric, rgb(TONES[stream.index(10)]));
            b.begin(
                "clothes",
                frame.moved(v(at + 0.5 * thick, 0.0, 0.28), stream.range(-0.12, 0.12) as f32),
            );
            let half = stream.range(0.17, 0.22) as f32;
            b.bevel(tone, v(-0.45 * thick, 1.64 - long, -half), v(0.45 * thick, 1.60, half), 0.018);
            b.bevel(
                tone.times(0.95),
                v(-0.35 * thick, 1.56, -0.6 * half),
                v(0.35 * thick, 1.655, 0.6 * half),
                0.015,
            );
            b.rod(looks.metal, v(0.0, 1.65, 0.0), v(0.0, 1.735, 0.0), 0.004, 5);
        }
        at += thick + 0.012;
    }
    let mut at = -x + 0.12;
    while at < x - 0.3 {
        if stream.uniform() < 0.6 {
            shoes(b, frame, at, 0.0, stream);
        }
        at += 0.3;
    }
}

/// A pair of shoes at (x, y), toes to the front.
fn shoes(b: &mut Builder, frame: Frame, x: f32, y: f32, stream: &mut Stream) {
    let tone = Look::plain(
        [[0.15, 0.13, 0.12], [0.45, 0.3, 0.2], [0.9, 0.9, 0.88], [0.25, 0.3, 0.4]][stream.index(4)],
    );
    b.begin("shoes", frame);
    for dx in [0.0, 0.11] {
        b.soft(tone, v(x + dx, y, 0.10), v(x + dx + 0.09, y + 0.075, 0.38), 3.0);
        b.bevel(tone, v(x + dx + 0.012, y + 0.04, 0.11), v(x + dx + 0.078, y + 0.11, 0.2), 0.015);
    }
}

/// A low rack of shoes, `w` × 0.36.
pub(in crate::home) fn shoe_rack(
    b: &mut Builder,
    frame: Frame,
    w: f32,
    looks: &Looks,
    stream: &mut Stream,
) {
    let rack = b.begin("shoe_rack", frame);
    let x = 0.5 * w;
    for px in [-x + 0.015, x - 0.015] {
        b.bevel(looks.wood, v(px - 0.015, 0.0, 0.0), v(px + 0.015, 0.5, 0.36), 0.004);
    }
    for y in [0.12, 0.3, 0.5] {
        b.resume(rack, frame);
        b.bevel(looks.wood, v(-x, y - 0.02, 0.0), v(x, y, 0.36), 0.004);
        b.surface(-x + 0.03, 0.03, x - 0.03, 0.34, y);
        if y < 0.4 {
            for i in 0..(w / 0.3) as usize {
                if stream.uniform() < 0.7 {
                    shoes(
                        b,
                        frame.moved(v(0.0, 0.0, -0.05), 0.0),
                        -x + 0.06 + 0.3 * i as f32,
                        y,
                        stream,
                    );
                }
            }
        }
    }
}

/// A board with hooks and coats on the wall, `w` wide.
pub(in crate::home) fn coat_rack(
    b: &mut Builder,
    frame: Frame,
    w: f32,
    looks: &Looks,
    stream: &mut Stream,
) {
    b.begin("coat_rack", frame);
    let x = 0.5 * w;
    b.bevel(looks.wood, v(-x, 1.62, 0.0), v(x, 1.74, 0.025), 0.005);
    let hooks = (w / 0.2) as usize;
    for i in 0..hooks {
        let at = -x + 0.1 + 0.2 * i as f32;
        b.rod(looks.metal, v(at, 1.66, 0.02), v(at, 1.69, 0.09), 0.008, 6);
    }
    for i in 0..hooks {
        if stream.uniform() < 0.65 {
            let at = -x + 0.1 + 0.2 * i as f32;
            let tone = [0x3B4A5A, 0x8A6A48, 0x5A5F4A, 0x7A3434][stream.index(4)];
            b.begin("coat", frame);
            let look = Look::new(Tex::Fabric, rgb(tone));
            b.soft(look, v(at - 0.11, 0.82, 0.03), v(at + 0.11, 1.69, 0.17), 4.0);
        }
    }
}

/// A few cartons stacked, in `w` × 0.45.
pub(in crate::home) fn boxes(b: &mut Builder, frame: Frame, w: f32, stream: &mut Stream) {
    let card = Look::new(Tex::Plain, rgb(0xB98F62));
    let mut at = -0.5 * w;
    while at < 0.5 * w - 0.3 {
        let bw = stream.range(0.32, 0.45) as f32;
        let mut y = 0.0;
        for _ in 0..1 + stream.index(3) {
            let h = stream.range(0.25, 0.36) as f32;
            b.begin("box", frame.moved(v(at + 0.5 * bw, 0.0, 0.22), stream.range(-0.06, 0.06) as f32));
            b.bevel(card, v(-0.46 * bw, y, -0.19), v(0.46 * bw, y + h, 0.19), 0.004);
            b.block(
                card.times(1.25),
                v(-0.46 * bw - 0.001, y + h - 0.08, -0.03),
                v(0.46 * bw + 0.001, y + h + 0.001, 0.03),
            );
            y += h;
        }
        at += bw + 0.03;
    }
}

/// A rack of dumbbells, 1.1 × 0.42.
pub(in crate::home) fn weights(b: &mut Builder, frame: Frame) {
    let dark = Look::plain([0.16, 0.16, 0.17]);
    b.begin("dumbbell_rack", frame);
    for x in [-0.5, 0.5] {
        b.block(dark, v(x - 0.03, 0.0, 0.04), v(x + 0.03, 0.8, 0.38));
    }
    for (y, z) in [(0.3, 0.22), (0.72, 0.16)] {
        b.block(dark.times(1.4), v(-0.5, y - 0.03, z - 0.11), v(0.5, y, z + 0.11));
        for i in 0..5 {
            let x = -0.4 + 0.2 * i as f32;
            for end in [-0.09, 0.09] {
                b.block(
                    dark.times(0.8),
                    v(x - 0.055, y, z + end - 0.035),
                    v(x + 0.055, y + 0.11, z + end + 0.035),
                );
            }
            b.rod(
                Look::plain([0.7, 0.7, 0.72]),
                v(x, y + 0.055, z - 0.09),
                v(x, y + 0.055, z + 0.09),
                0.014,
                6,
            );
        }
    }
}
