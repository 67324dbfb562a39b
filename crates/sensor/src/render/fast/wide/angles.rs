//! Angles of eight directions, near enough to say which pixels may see a thing: what they may err by is
//! added to what is asked.

use crate::render::fast::simd::Lanes;
use std::f32::consts::{FRAC_PI_2, PI};

/// More than [`arc_sine`] and [`turn`] err by, radians.
pub(crate) const ERROR: f32 = 4e-6;

/// The angle whose sine it is, −1 to 1.
#[inline(always)]
pub(crate) fn arc_sine<L: Lanes>(l: L, sine: L::F) -> L::F {
    // π/2 − √(1 − s) · P(s), the polynomial fitted to err least.
    const P: [f32; 6] =
        [1.570_795_7, -0.214_542_82, 0.088_171_05, -0.045_927_227, 0.020_620_06, -0.004_911_173_6];
    let size = l.abs(sine);
    let mut sum = l.f(P[5]);
    for value in [P[4], P[3], P[2], P[1], P[0]] {
        sum = l.add(l.mul(sum, size), l.f(value));
    }
    let angle = l.sub(l.f(FRAC_PI_2), l.mul(l.sqrt(l.sub(l.f(1.0), size)), sum));
    l.pick(l.less(sine, l.f(0.0)), angle, l.sub(l.f(0.0), angle))
}

/// The angle of (x, y) from the x axis, −π to π; NaN for (0, 0).
#[inline(always)]
pub(crate) fn turn<L: Lanes>(l: L, y: L::F, x: L::F) -> L::F {
    // a · Q(a²), fitted for 0 to 1.
    const Q: [f32; 6] =
        [0.999_977_23, -0.332_622_83, 0.193_540_4, -0.116_426_505, 0.052_647_37, -0.011_719_14];
    let (across, up) = (l.abs(x), l.abs(y));
    let share = l.div(l.min(across, up), l.max(across, up));
    let squared = l.mul(share, share);
    let mut sum = l.f(Q[5]);
    for value in [Q[4], Q[3], Q[2], Q[1], Q[0]] {
        sum = l.add(l.mul(sum, squared), l.f(value));
    }
    let angle = l.mul(sum, share);
    let angle = l.pick(l.less(across, up), angle, l.sub(l.f(FRAC_PI_2), angle));
    let angle = l.pick(l.less(x, l.f(0.0)), angle, l.sub(l.f(PI), angle));
    l.pick(l.less(y, l.f(0.0)), angle, l.sub(l.f(0.0), angle))
}

/// At least how much longer a step across is in a fisheye image than from the axis outwards, at an angle
/// of 0 to π from the axis: the angle over its sine.
#[inline(always)]
pub(crate) fn stretch<L: Lanes>(l: L, angle: L::F) -> L::F {
    // Up to π/2 it is convex as a function of the square: a chord is above it.
    let front = l.add(l.f(1.0), l.mul(l.mul(angle, angle), l.f(0.2315)));
    // sin ψ >= ψ (1 − ψ²/6).
    let rest = l.max(l.sub(l.f(PI), angle), l.f(0.0));
    let sine = l.mul(rest, l.sub(l.f(1.0), l.mul(l.mul(rest, rest), l.f(1.0 / 6.0))));
    let back = l.div(angle, sine);
    l.pick(l.less(l.f(FRAC_PI_2), angle), front, back)
}

/// At least how sharply the image of a straight edge bends in a fisheye image, at an angle of 0 to π from
/// the axis.
///
/// With polar coordinates θ, φ on the sphere a great arc has θ″ = sin θ cos θ φ′² and
/// φ″ = −2 cot θ θ′ φ′. Its image, at θ in the direction φ, is accelerated by θ″ − θ φ′² outwards and
/// by 2 θ′ φ′ + θ φ″ across; with sin θ φ′ = sin β and θ′ = cos β these are −sin²β g and
/// 2 sin β cos β h, with g = (θ − sin θ cos θ)/sin²θ and h = (1 − θ cot θ)/sin θ. The sum of the squares is at
/// most (1.16 g)²; g <= θ up to π/2, and beyond g <= (θ + ½)/sin²θ.
#[inline(always)]
pub(crate) fn bend<L: Lanes>(l: L, angle: L::F) -> L::F {
    let rest = l.max(l.sub(l.f(PI), angle), l.f(0.0));
    let sine = l.mul(rest, l.sub(l.f(1.0), l.mul(l.mul(rest, rest), l.f(1.0 / 6.0))));
    let back = l.div(l.add(angle, l.f(0.5)), l.mul(sine, sine));
    l.mul(l.pick(l.less(l.f(FRAC_PI_2), angle), angle, back), l.f(1.16))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::fast::simd::Portable;

    #[test]
    fn angles_err_by_less_than_is_said() {
        let mut worst = 0.0_f64;
        for step in 0..=200_000 {
            let sine = (f64::from(step) / 100_000.0 - 1.0) as f32;
            let angle = f64::from(arc_sine(Portable, [sine; 8])[0]);
            worst = worst.max((angle - libm::asin(f64::from(sine))).abs());
            let along = f64::from(step) * 1e-4 - 10.0;
            for scale in [1e-6, 0.3, 1.0, 7e8] {
                let (y, x) = ((libm::sin(along) * scale) as f32, (libm::cos(along) * scale) as f32);
                let angle = f64::from(turn(Portable, [y; 8], [x; 8])[0]);
                worst = worst.max((angle - libm::atan2(f64::from(y), f64::from(x))).abs());
            }
        }
        assert!(worst < f64::from(ERROR) && worst > 1e-7, "{worst}");
    }

    #[test]
    fn a_fisheye_image_is_stretched_and_bent_no_more_than_is_said() {
        for step in 1..3000 {
            let angle = f64::from(step) * 1e-3;
            let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
            let at = [angle as f32; 8];
            assert!(f64::from(stretch(Portable, at)[0]) > angle / sine * 0.999_999, "{angle}");
            let (g, h) = ((angle - sine * cosine) / (sine * sine), (1.0 - angle * cosine / sine) / sine);
            let bent = f64::from(bend(Portable, at)[0]);
            for part in 0..=100 {
                let (s, c) = (libm::sin(f64::from(part) * 0.0158), libm::cos(f64::from(part) * 0.0158));
                let (out, across) = (s * s * g, 2.0 * s * c * h);
                assert!(bent > libm::hypot(out, across), "{angle}");
            }
        }
    }
}
