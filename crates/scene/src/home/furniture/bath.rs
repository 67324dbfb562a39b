//! Bathroom and laundry.

use super::{Looks, fronts, v};
use crate::home::builder::{Builder, Frame, Look};
use crate::home::style::rgb;
use crate::home::texture::Tex;
use ambler_geometry::random::Stream;

const CERAMIC: [f32; 3] = [0.97, 0.97, 0.96];

/// A toilet, 0.40 × 0.68, its seat 0.43 high.
pub(in crate::home) fn toilet(b: &mut Builder, frame: Frame, looks: &Looks) {
    b.begin("toilet", frame);
    let white = Look::plain(CERAMIC);
    b.bevel(white, v(-0.2, 0.40, 0.0), v(0.2, 0.76, 0.18), 0.025);
    b.bevel(white.times(0.98), v(-0.21, 0.76, 0.0), v(0.21, 0.79, 0.19), 0.01);
    b.cylinder(looks.metal, v(0.0, 0.79, 0.1), 0.022, 0.008, 12);
    b.bevel(white, v(-0.11, 0.0, 0.08), v(0.11, 0.30, 0.52), 0.05);
    b.bevel(white, v(-0.16, 0.24, 0.1), v(0.16, 0.40, 0.3), 0.03);
    // The bowl: a wide soft body, with a dark inside under the seat.
    b.soft(white, v(-0.19, 0.16, 0.16), v(0.19, 0.42, 0.68), 2.8);
    b.soft(white.times(0.99), v(-0.19, 0.39, 0.18), v(0.19, 0.435, 0.69), 3.2);
    b.soft(white.times(0.93), v(-0.185, 0.425, 0.18), v(0.185, 0.455, 0.68), 3.0);
    b.surface(-0.16, 0.03, 0.16, 0.16, 0.79);
}

/// A washbasin in a cabinet of `w` × 0.48, 0.85 high, with a tap.
pub(in crate::home) fn basin(b: &mut Builder, frame: Frame, w: f32, looks: &Looks) {
    b.begin("vanity", frame);
    let x = 0.5 * w;
    let white = Look::plain(CERAMIC);
    b.bevel(looks.fronts, v(-x, 0.14, 0.0), v(x, 0.80, 0.44), 0.005);
    b.block(Look::plain([0.25, 0.25, 0.25]), v(-x + 0.03, 0.0, 0.02), v(x - 0.03, 0.14, 0.38));
    let columns = if w > 0.75 { 2 } else { 1 };
    fronts(b, looks.fronts, looks.metal, [-x, 0.16, x, 0.79], 0.44, [columns, 2], true);
    b.bevel(white, v(-x - 0.005, 0.80, 0.0), v(x + 0.005, 0.85, 0.48), 0.012);
    b.surface(-x + 0.02, 0.03, x - 0.02, 0.46, 0.85);
    b.begin("sink", frame);
    b.lathe(
        white,
        v(0.0, 0.85, 0.25),
        &[
            (0.14, 0.0),
            (0.2, 0.06),
            (0.205, 0.1),
            (0.19, 0.1),
            (0.17, 0.05),
            (0.05, 0.015),
            (0.0, 0.012),
        ],
        24,
    );
    b.cylinder(looks.metal, v(0.0, 0.863, 0.25), 0.025, 0.004, 12);
    b.begin("tap", frame);
    let metal = Look::plain([0.75, 0.76, 0.78]);
    b.rod(metal, v(0.0, 0.85, 0.035), v(0.0, 1.05, 0.035), 0.014, 8);
    b.rod(metal, v(0.0, 1.045, 0.03), v(0.0, 1.02, 0.16), 0.011, 8);
    b.rod(metal, v(0.0, 1.05, 0.035), v(0.0, 1.09, 0.0), 0.007, 6);
    b.begin("soap_dispenser", frame);
    let at = v(-0.5 * w + 0.08, 0.85, 0.12);
    b.lathe(
        looks.fabric2,
        at,
        &[(0.0, 0.0), (0.03, 0.0), (0.03, 0.11), (0.01, 0.13), (0.01, 0.16), (0.0, 0.16)],
        12,
    );
}

/// A bath of `w` × 0.75, 0.56 high, with its tap.
pub(in crate::home) fn bathtub(b: &mut Builder, frame: Frame, w: f32, looks: &Looks) {
    b.begin("bathtub", frame);
    let white = Look::plain(CERAMIC);
    let (x, d, h) = (0.5 * w, 0.75, 0.56);
    let (i, z0, z1, low) = (x - 0.08, 0.08, d - 0.07, 0.16);
    // Apron, ends and rim around a hollow.
    b.bevel(white, v(-x, 0.0, d - 0.05), v(x, h, d), 0.012);
    b.bevel(white, v(-x, 0.0, 0.0), v(-x + 0.05, h, d), 0.012);
    b.bevel(white, v(x - 0.05, 0.0, 0.0), v(x, h, d), 0.012);
    b.bevel(white, v(-x, 0.0, 0.0), v(x, h, 0.05), 0.012);
    b.block(white, v(-i, low - 0.02, z0), v(i, low, z1));
    // Sloping insides.
    let rim = [(-x + 0.04, 0.04), (x - 0.04, 0.04), (x - 0.04, d - 0.04), (-x + 0.04, d - 0.04)];
    let foot =
        [(-i + 0.12, z0 + 0.06), (i - 0.06, z0 + 0.06), (i - 0.06, z1 - 0.06), (-i + 0.12, z1 - 0.06)];
    for k in 0..4_usize {
        let n = (k + 1) % 4;
        let at = |p: (f32, f32), y: f32| v(p.0, y, p.1);
        b.quad(
            white.times(0.97),
            [at(rim[n], h - 0.012), at(rim[k], h - 0.012), at(foot[k], low), at(foot[n], low)],
        );
    }
    b.begin("tap", frame);
    let metal = Look::plain([0.75, 0.76, 0.78]);
    b.rod(metal, v(x - 0.03, h, 0.36), v(x - 0.03, h + 0.14, 0.36), 0.016, 8);
    b.rod(metal, v(x - 0.03, h + 0.13, 0.36), v(x - 0.17, h + 0.1, 0.36), 0.014, 8);
    b.rod(metal, v(x - 0.03, h + 0.6, 0.30), v(x - 0.03, h + 1.3, 0.30), 0.011, 8);
    b.rod(metal, v(x - 0.03, h + 1.3, 0.30), v(x - 0.2, h + 1.36, 0.34), 0.011, 8);
    b.cylinder(metal, v(x - 0.22, h + 1.32, 0.345), 0.06, 0.025, 14);
    b.begin("shower_curtain", frame);
    let cloth = Look::new(Tex::Fabric, looks.fabric.tint).times(1.1);
    super::decor::folds(b, cloth, [-x + 0.02, -x + 0.5], [0.3, 2.0], d - 0.09, 0.03);
    b.rod(metal, v(-x, 2.02, d - 0.09), v(x, 2.02, d - 0.09), 0.012, 8);
}

/// A shower of 0.9 × 0.9 in the corner at −x.
pub(in crate::home) fn shower(b: &mut Builder, frame: Frame, w: f32) {
    b.begin("shower", frame);
    let (x, d) = (0.5 * w, 0.9);
    let white = Look::plain(CERAMIC);
    let metal = Look::plain([0.75, 0.76, 0.78]);
    // As high as no body drives over it.
    b.bevel(white, v(-x, 0.0, 0.0), v(x, 0.24, d), 0.015);
    b.block(white.times(0.9), v(-x + 0.05, 0.238, 0.05), v(x - 0.05, 0.242, d - 0.05));
    b.cylinder(metal.times(0.7), v(0.0, 0.242, 0.45), 0.05, 0.004, 14);
    // Glass is drawn as its frame and a band of frosted stripes.
    let frosted = Look::plain([0.80, 0.88, 0.89]);
    for (a, c) in [(0.26, 1.05), (1.10, 1.12), (1.16, 1.175)] {
        b.block(frosted, v(x - 0.012, a, 0.03), v(x, c, d));
        b.block(frosted, v(-x, a, d - 0.012), v(-0.02, c, d));
    }
    for (px, pz) in
        [(x - 0.012, d - 0.012), (x - 0.012, 0.012), (-x + 0.012, d - 0.012), (-0.02, d - 0.012)]
    {
        b.block(metal, v(px - 0.012, 0.24, pz - 0.012), v(px + 0.012, 1.98, pz + 0.012));
    }
    b.block(metal, v(x - 0.024, 1.96, 0.0), v(x, 1.98, d));
    b.block(metal, v(-x, 1.96, d - 0.024), v(x, 1.98, d));
    b.begin("shower_head", frame);
    b.rod(metal, v(0.0, 0.95, 0.03), v(0.0, 2.02, 0.03), 0.011, 8);
    b.rod(metal, v(0.0, 2.02, 0.03), v(0.0, 2.06, 0.28), 0.011, 8);
    b.cylinder(metal, v(0.0, 2.02, 0.30), 0.09, 0.03, 18);
    b.bevel(metal, v(-0.09, 1.05, 0.0), v(0.09, 1.11, 0.06), 0.01);
}

/// A rail with a towel on the wall, 0.6 wide.
pub(in crate::home) fn towel_rail(b: &mut Builder, frame: Frame, looks: &Looks) {
    b.begin("towel_rack", frame);
    let metal = Look::plain([0.75, 0.76, 0.78]);
    b.rod(metal, v(-0.3, 1.25, 0.07), v(0.3, 1.25, 0.07), 0.01, 8);
    for x in [-0.29, 0.29] {
        b.rod(metal, v(x, 1.25, 0.0), v(x, 1.25, 0.07), 0.01, 6);
    }
    b.begin("towel", frame);
    let cloth = Look::new(Tex::Fabric, looks.fabric2.tint);
    b.bevel(cloth, v(-0.2, 0.72, 0.08), v(0.16, 1.265, 0.10), 0.009);
    b.bevel(cloth, v(-0.2, 0.92, 0.04), v(0.16, 1.265, 0.06), 0.009);
    b.bevel(cloth, v(-0.2, 1.25, 0.045), v(0.16, 1.272, 0.095), 0.009);
    b.block(cloth.times(0.8), v(-0.201, 0.80, 0.079), v(0.161, 0.84, 0.101));
}

/// A washer or dryer, 0.60 × 0.60.
pub(in crate::home) fn machine(b: &mut Builder, frame: Frame, category: &'static str) {
    b.begin(category, frame);
    let white = Look::plain([0.94, 0.94, 0.94]);
    let dark = Look::plain([0.16, 0.17, 0.19]);
    b.bevel(white, v(-0.298, 0.02, 0.0), v(0.298, 0.85, 0.58), 0.01);
    b.bevel(white.times(0.9), v(-0.29, 0.72, 0.575), v(0.29, 0.84, 0.592), 0.005);
    b.rod(dark, v(0.08, 0.78, 0.59), v(0.08, 0.78, 0.615), 0.035, 14);
    b.block(dark, v(0.15, 0.755, 0.591), v(0.26, 0.81, 0.596));
    b.rod(Look::plain([0.72, 0.73, 0.75]), v(0.0, 0.40, 0.575), v(0.0, 0.40, 0.605), 0.215, 24);
    b.rod(dark, v(0.0, 0.40, 0.58), v(0.0, 0.40, 0.612), 0.16, 24);
    b.rod(
        if category == "dryer" { dark.times(0.6) } else { Look::plain([0.35, 0.42, 0.48]) },
        v(0.0, 0.40, 0.58),
        v(0.0, 0.40, 0.616),
        0.115,
        20,
    );
    b.surface(-0.27, 0.03, 0.27, 0.56, 0.85);
}

/// A laundry hamper, 0.42 × 0.34.
pub(in crate::home) fn hamper(b: &mut Builder, frame: Frame, stream: &mut Stream) {
    b.begin("laundry_hamper", frame);
    let tone = rgb([0xC7A77B, 0xD9D2C5, 0x9AA5A8][stream.index(3)]);
    let look = Look::new(Tex::Fabric, tone);
    b.bevel(look, v(-0.2, 0.0, 0.02), v(0.2, 0.55, 0.33), 0.02);
    b.bevel(look.times(0.85), v(-0.21, 0.55, 0.01), v(0.21, 0.60, 0.34), 0.012);
}
