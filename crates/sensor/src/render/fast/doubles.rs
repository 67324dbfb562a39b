//! Four numbers of double precision at a time, beside [`Lanes`](super::simd::Lanes) and by the same rules:
//! every operation is rounded once as IEEE 754 says.

use super::simd::{LANES, Portable};

/// Lanes of a vector of doubles.
pub(crate) const FOUR: usize = 4;

/// Operations on four f64.
pub(crate) trait Doubles: Copy {
    type D: Copy;

    fn d(self, value: f64) -> Self::D;
    fn d_from(self, values: &[f64; FOUR]) -> Self::D;
    fn d_to(self, values: Self::D) -> [f64; FOUR];
    fn add_d(self, a: Self::D, b: Self::D) -> Self::D;
    fn sub_d(self, a: Self::D, b: Self::D) -> Self::D;
    fn mul_d(self, a: Self::D, b: Self::D) -> Self::D;
    fn div_d(self, a: Self::D, b: Self::D) -> Self::D;
    fn sqrt_d(self, a: Self::D) -> Self::D;
    /// Without the sign.
    fn abs_d(self, a: Self::D) -> Self::D;
    /// The smaller; `b` where one is NaN.
    fn min_d(self, a: Self::D, b: Self::D) -> Self::D;
    /// The larger; `b` where one is NaN.
    fn max_d(self, a: Self::D, b: Self::D) -> Self::D;
    /// Where `a < b`, lane 0 lowest; not where one is NaN.
    fn less_d(self, a: Self::D, b: Self::D) -> u32;
    /// Four points of four numbers as four vectors, one a number.
    fn turned(self, points: [Self::D; FOUR]) -> [Self::D; FOUR];
    /// Eight numbers, the first four first.
    fn doubled(self, values: &[f32; LANES]) -> [Self::D; 2];
    /// The other way round, rounded to nearest.
    fn halved(self, values: [Self::D; 2]) -> [f32; LANES];
}

impl Doubles for Portable {
    type D = [f64; FOUR];

    #[inline(always)]
    fn d(self, value: f64) -> Self::D {
        [value; FOUR]
    }
    #[inline(always)]
    fn d_from(self, values: &[f64; FOUR]) -> Self::D {
        *values
    }
    #[inline(always)]
    fn d_to(self, values: Self::D) -> [f64; FOUR] {
        values
    }
    #[inline(always)]
    fn add_d(self, [a, b, c, d]: Self::D, [e, f, g, h]: Self::D) -> Self::D {
        [a + e, b + f, c + g, d + h]
    }
    #[inline(always)]
    fn sub_d(self, [a, b, c, d]: Self::D, [e, f, g, h]: Self::D) -> Self::D {
        [a - e, b - f, c - g, d - h]
    }
    #[inline(always)]
    fn mul_d(self, [a, b, c, d]: Self::D, [e, f, g, h]: Self::D) -> Self::D {
        [a * e, b * f, c * g, d * h]
    }
    #[inline(always)]
    fn div_d(self, [a, b, c, d]: Self::D, [e, f, g, h]: Self::D) -> Self::D {
        [a / e, b / f, c / g, d / h]
    }
    #[inline(always)]
    fn sqrt_d(self, [a, b, c, d]: Self::D) -> Self::D {
        [a.sqrt(), b.sqrt(), c.sqrt(), d.sqrt()]
    }
    #[inline(always)]
    fn abs_d(self, [a, b, c, d]: Self::D) -> Self::D {
        [a.abs(), b.abs(), c.abs(), d.abs()]
    }
    #[inline(always)]
    fn min_d(self, [a, b, c, d]: Self::D, [e, f, g, h]: Self::D) -> Self::D {
        let min = |a, b| if a < b { a } else { b };
        [min(a, e), min(b, f), min(c, g), min(d, h)]
    }
    #[inline(always)]
    fn max_d(self, [a, b, c, d]: Self::D, [e, f, g, h]: Self::D) -> Self::D {
        let max = |a, b| if a > b { a } else { b };
        [max(a, e), max(b, f), max(c, g), max(d, h)]
    }
    #[inline(always)]
    fn less_d(self, [a, b, c, d]: Self::D, [e, f, g, h]: Self::D) -> u32 {
        u32::from(a < e) | u32::from(b < f) << 1 | u32::from(c < g) << 2 | u32::from(d < h) << 3
    }
    #[inline(always)]
    fn turned(self, [a, b, c, d]: [Self::D; FOUR]) -> [Self::D; FOUR] {
        [
            [a[0], b[0], c[0], d[0]],
            [a[1], b[1], c[1], d[1]],
            [a[2], b[2], c[2], d[2]],
            [a[3], b[3], c[3], d[3]],
        ]
    }
    #[inline(always)]
    fn doubled(self, values: &[f32; LANES]) -> [Self::D; 2] {
        let [a, b, c, d, e, f, g, h] = values.map(f64::from);
        [[a, b, c, d], [e, f, g, h]]
    }
    #[inline(always)]
    fn halved(self, [[a, b, c, d], [e, f, g, h]]: [Self::D; 2]) -> [f32; LANES] {
        [a as f32, b as f32, c as f32, d as f32, e as f32, f as f32, g as f32, h as f32]
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::render::fast::avx2::Avx2;

    #[test]
    fn avx2_has_the_bits_of_plain_arrays() {
        let Some(fast) = Avx2::detect() else { return };
        let values = [0.1, -3.5e7, f64::NAN, 0.0, -0.0, 1e300, f64::INFINITY, 2.0 / 3.0];
        let bits = |values: [f64; FOUR]| values.map(f64::to_bits);
        let set = |from: usize| std::array::from_fn(|k| values[(from * 3 + k * 5 + from / 3) % 8]);
        for from in 0..24 {
            let (a, b): ([f64; FOUR], [f64; FOUR]) = (set(from), set(from + 1));
            let (x, y) = (fast.d_from(&a), fast.d_from(&b));
            // A NaN that is made has another sign on some processors.
            let same = |fast_one: [f64; FOUR], plain: [f64; FOUR]| {
                let one = |a: f64, b: f64| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
                assert!(fast_one.into_iter().zip(plain).all(|(a, b)| one(a, b)), "{a:?} {b:?}");
            };
            same(fast.d_to(fast.add_d(x, y)), Portable.add_d(a, b));
            same(fast.d_to(fast.sub_d(x, y)), Portable.sub_d(a, b));
            same(fast.d_to(fast.mul_d(x, y)), Portable.mul_d(a, b));
            same(fast.d_to(fast.div_d(x, y)), Portable.div_d(a, b));
            same(fast.d_to(fast.sqrt_d(x)), Portable.sqrt_d(a));
            assert_eq!(bits(fast.d_to(fast.abs_d(x))), bits(Portable.abs_d(a)));
            assert_eq!(bits(fast.d_to(fast.min_d(x, y))), bits(Portable.min_d(a, b)));
            assert_eq!(bits(fast.d_to(fast.max_d(x, y))), bits(Portable.max_d(a, b)));
            assert_eq!(fast.less_d(x, y), Portable.less_d(a, b));
            assert_eq!(bits(fast.d_to(fast.d(a[0]))), bits(Portable.d(a[0])));
            let four: [[f64; FOUR]; FOUR] = std::array::from_fn(|k| set(from + k));
            let turned = fast.turned(four.map(|list| fast.d_from(&list)));
            assert_eq!(turned.map(|list| bits(fast.d_to(list))), Portable.turned(four).map(bits));
            let singles: [f32; LANES] = std::array::from_fn(|k| (from as f32 - 9.3) / (k as f32 + 0.7));
            let [low, high] = fast.doubled(&singles);
            assert_eq!([fast.d_to(low), fast.d_to(high)], Portable.doubled(&singles));
            let thirds = [fast.div_d(low, fast.d(3.0)), fast.div_d(high, fast.d(3.0))];
            let plain = Portable.halved(thirds.map(|list| fast.d_to(list)));
            assert_eq!(fast.halved(thirds), plain);
        }
    }
}
