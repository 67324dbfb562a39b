//! Where vertices and triangles are in the image, in single precision, on the safe side.

use super::angles::{self, arc_sine, bend, turn};
use super::cluster::{Pass, ROUNDED};
use crate::render::fast::simd::{Lanes, inlined};
use std::f32::consts::{FRAC_PI_3, PI};

/// What is added to image positions on all sides, pixels: more than rounding them can err in images of up
/// to 8192 pixels a side.
const MARGIN: f32 = 4e-3;
/// What is added to angles besides, radians: more than they err by.
const SLACK: f32 = angles::ERROR * 4.0;

/// Where eight triangles may be seen.
pub(super) struct Reach<L: Lanes> {
    /// Positions in pixels, less half a pixel: the whole numbers between are columns and rows.
    pub(super) columns: [L::F; 2],
    pub(super) rows: [L::F; 2],
}

impl Pass<'_> {
    /// Where triangles are in an equirectangular image. Azimuth grows or falls along all of a great arc,
    /// so that it stays between those of the corners; elevation does not.
    #[inline(always)]
    pub(super) fn around<L: Lanes>(
        &self,
        l: L,
        places: &[[L::F; 4]; 3],
        sines: [L::F; 3],
        stretch: L::F,
        some: L::I,
    ) -> Reach<L> {
        let lens = self.source.lens;
        let zero = l.f(0.0);
        let least = inlined(
            #[inline(always)]
            |values: [L::F; 3]| l.min(l.min(values[0], values[1]), values[2]),
        );
        let most = inlined(
            #[inline(always)]
            |values: [L::F; 3]| l.max(l.max(values[0], values[1]), values[2]),
        );
        let [p, q, r] = places;
        let [low, high] = [least([p[0], q[0], r[0]]), most([p[1], q[1], r[1]])];
        let [low2, high2] = [least([p[2], q[2], r[2]]), most([p[3], q[3], r[3]])];
        // Corners within half a circle: no edge crosses the seam, and no pole is inside. Else the same with
        // the seam ahead.
        let half = l.f(PI * 0.999);
        let (front, back) = (l.less(l.sub(high, low), half), l.less(l.sub(high2, low2), half));
        let across = lens.scale as f32;
        let middle = lens.width as f32 * 0.5 - 0.5;
        let column = inlined(
            #[inline(always)]
            |front_angle: L::F, back_angle: L::F, whole: f32, margin: f32| {
                let angle = l.pick(front, back_angle, front_angle);
                let place = l.add(l.mul(angle, l.f(across)), l.f(middle + margin));
                l.pick(l.or(front, back), l.f(whole), place)
            },
        );
        let left = column(low, low2, 0.0, -MARGIN);
        let right = column(high, high2, lens.width as f32, MARGIN);
        // Sines of elevation: shares of the corners' divided by the length, at most `stretch` times as much.
        let (up, down) = (most(sines), least(sines));
        let slack = l.f(2e-6);
        let up = l.add(l.add(l.mul(l.max(up, zero), stretch), l.min(up, zero)), slack);
        let down = l.sub(l.add(l.mul(l.min(down, zero), stretch), l.max(down, zero)), slack);
        let up = l.pick(some, l.f(1.0), l.min(up, l.f(1.0)));
        let down = l.pick(some, l.f(-1.0), l.max(down, l.f(-1.0)));
        let middle = lens.height as f32 * 0.5 - 0.5;
        let row = inlined(
            #[inline(always)]
            |sine: L::F, margin: f32| {
                let angle = arc_sine(l, sine);
                l.sub(l.f(middle + margin), l.mul(angle, l.f(lens.height as f32 / PI)))
            },
        );
        let margin = MARGIN + SLACK * lens.height as f32 / PI;
        Reach { columns: [left, right], rows: [row(up, -margin), row(down, margin)] }
    }

    /// Where triangles are in a fisheye image: between their corners, and as far beyond as edges can
    /// bend.
    #[inline(always)]
    pub(super) fn axial<L: Lanes>(&self, l: L, places: &[[L::F; 4]; 3], side: L::F) -> Reach<L> {
        let lens = self.source.lens;
        let [p, q, r] = places;
        // Up to a side of 1 an arc is at most π/3 times as long.
        let arc = l.mul(l.sqrt(side), l.f(FRAC_PI_3 * 1.000_01));
        let most = l.add(l.max(l.max(p[2], q[2]), r[2]), arc);
        // A curve leaves its chord by an eighth of its bend times its length squared at most.
        let bulge = l.mul(l.mul(l.mul(arc, arc), bend(l, most)), l.f(0.125));
        let small = l.and(l.less(side, l.f(1.0)), l.less(most, l.f(PI - 0.3)));
        let margin = MARGIN + SLACK * lens.scale as f32;
        let ends = inlined(
            #[inline(always)]
            |axis: usize, size: usize| {
                let scale = l.f(lens.scale as f32);
                let middle = l.f(size as f32 * 0.5 - 0.5);
                let low = l.sub(l.min(l.min(p[axis], q[axis]), r[axis]), bulge);
                let high = l.add(l.max(l.max(p[axis], q[axis]), r[axis]), bulge);
                let low = l.sub(l.add(l.mul(low, scale), middle), l.f(margin));
                let high = l.add(l.add(l.mul(high, scale), middle), l.f(margin));
                [l.pick(small, l.f(0.0), low), l.pick(small, l.f(size as f32), high)]
            },
        );
        Reach { columns: ends(0, lens.width), rows: ends(1, lens.height) }
    }
}

/// Azimuths that directions surely lie between: of −π to π, and of 0 to 2 π.
#[inline(always)]
pub(super) fn around<L: Lanes>(l: L, x: L::F, z: L::F) -> [L::F; 4] {
    let azimuth = turn(l, x, l.sub(l.f(0.0), z));
    let level = l.sqrt(l.add(l.mul(x, x), l.mul(z, z)));
    let margin = l.add(l.div(l.f(ROUNDED * 2.0), level), l.f(angles::ERROR));
    // Right at a pole, and at the eye, it may be any. Comparisons are false for NaN.
    let known = l.less(l.f(1e-5), level);
    let low = l.pick(known, l.f(-9.0), l.sub(azimuth, margin));
    let high = l.pick(known, l.f(9.0), l.add(azimuth, margin));
    let turned = l.float(l.and(l.bits(l.f(2.0 * PI)), l.less(azimuth, l.f(0.0))));
    [low, high, l.add(low, turned), l.add(high, turned)]
}

/// Fisheye image positions in radians, right and down, and angles from the axis.
#[inline(always)]
pub(super) fn axial<L: Lanes>(l: L, x: L::F, y: L::F, z: L::F) -> [L::F; 4] {
    let side = l.sqrt(l.add(l.mul(x, x), l.mul(y, y)));
    let angle = turn(l, side, l.sub(l.f(0.0), z));
    // At the axis itself it is the middle.
    let known = l.less(l.f(1e-7), side);
    let along = l.div(angle, side);
    let place = inlined(
        #[inline(always)]
        |value: L::F| l.float(l.and(l.bits(l.mul(value, along)), known)),
    );
    [place(x), l.sub(l.f(0.0), place(y)), angle, l.f(0.0)]
}
