//! Eight numbers at a time.
//!
//! Hot code is written once over [`Lanes`] and compiled twice: with plain arrays, for any
//! processor, and with AVX2, chosen when the program runs. Every operation is exact or rounded once
//! as IEEE 754 says (no fused multiply-add, no approximate reciprocals), so both give the same bits;
//! a test compares whole images.

use super::doubles::Doubles;

/// Lanes of a vector.
pub(crate) const LANES: usize = 8;

/// Operations on eight lanes. `F` holds f32, `I` holds i32. A mask is an `I` with all bits of a lane
/// set or none.
pub(crate) trait Lanes: Doubles {
    type F: Copy;
    type I: Copy;

    /// Runs code compiled for the processor features that this kind of lanes needs. What is called
    /// from there must be inlined, else it is compiled without them: correct, but slow.
    fn run<R>(self, work: impl FnOnce() -> R) -> R;

    fn f(self, value: f32) -> Self::F;
    fn i(self, value: i32) -> Self::I;
    fn f_from(self, values: &[f32; LANES]) -> Self::F;
    fn i_from(self, values: &[i32; LANES]) -> Self::I;
    fn f_to(self, values: Self::F) -> [f32; LANES];
    fn i_to(self, values: Self::I) -> [i32; LANES];
    /// Eight bytes as numbers.
    fn widen(self, values: &[u8; LANES]) -> Self::I;
    /// Two runs of four: `low` in lanes 0 to 3, `high` in lanes 4 to 7.
    fn pair(self, low: &[f32; 4], high: &[f32; 4]) -> Self::F;
    /// Eight points of four numbers as four vectors, one a number; vector `k` of those given holds
    /// points `k` and `k + 4`.
    fn columns(self, points: [Self::F; 4]) -> [Self::F; 4];
    /// The other way round: vector `k` of those returned holds points `2 k` and `2 k + 1`.
    fn points(self, columns: [Self::F; 4]) -> [Self::F; 4];

    fn add(self, a: Self::F, b: Self::F) -> Self::F;
    fn sub(self, a: Self::F, b: Self::F) -> Self::F;
    fn mul(self, a: Self::F, b: Self::F) -> Self::F;
    fn div(self, a: Self::F, b: Self::F) -> Self::F;
    fn sqrt(self, a: Self::F) -> Self::F;
    /// Without the sign.
    fn abs(self, a: Self::F) -> Self::F;
    /// The smaller; `b` where one is NaN.
    fn min(self, a: Self::F, b: Self::F) -> Self::F;
    /// The larger; `b` where one is NaN.
    fn max(self, a: Self::F, b: Self::F) -> Self::F;
    /// The smallest of all lanes, none of which is NaN.
    fn least(self, a: Self::F) -> f32;
    /// The largest whole number that is not larger.
    fn floor(self, a: Self::F) -> Self::F;
    /// `a < b`; false for NaN.
    fn less(self, a: Self::F, b: Self::F) -> Self::I;
    /// `a <= b`; false for NaN.
    fn at_most(self, a: Self::F, b: Self::F) -> Self::I;
    /// `b` where the mask is set, else `a`.
    fn pick(self, mask: Self::I, a: Self::F, b: Self::F) -> Self::F;
    fn pick_i(self, mask: Self::I, a: Self::I, b: Self::I) -> Self::I;
    /// Bits of floats as integers, and back.
    fn bits(self, a: Self::F) -> Self::I;
    fn float(self, a: Self::I) -> Self::F;

    fn add_i(self, a: Self::I, b: Self::I) -> Self::I;
    fn sub_i(self, a: Self::I, b: Self::I) -> Self::I;
    /// The low 32 bits of products.
    fn mul_i(self, a: Self::I, b: Self::I) -> Self::I;
    fn min_i(self, a: Self::I, b: Self::I) -> Self::I;
    fn max_i(self, a: Self::I, b: Self::I) -> Self::I;
    fn and(self, a: Self::I, b: Self::I) -> Self::I;
    fn or(self, a: Self::I, b: Self::I) -> Self::I;
    /// `b` and not `a`.
    fn and_not(self, a: Self::I, b: Self::I) -> Self::I;
    /// Arithmetic shift to the right.
    fn shift<const BITS: i32>(self, a: Self::I) -> Self::I;
    fn greater_i(self, a: Self::I, b: Self::I) -> Self::I;
    fn equal_i(self, a: Self::I, b: Self::I) -> Self::I;
    /// Integers as floats, rounded to nearest.
    fn to_f(self, a: Self::I) -> Self::F;
    /// Floats as integers, fractions cut off; `i32::MIN` for what does not fit and for NaN.
    fn cut(self, a: Self::F) -> Self::I;

    /// The sign bits, lane 0 lowest.
    fn signs(self, a: Self::I) -> u32;
    /// Where lanes come from that [`Lanes::reorder`] moves to the front: those whose bit is set.
    fn front(self, bits: u32) -> Self::I;
    /// The bits of all lanes, written where they are wanted.
    fn words_to(self, values: Self::I, out: &mut [u32; LANES]);
    /// The first lane if all are the same.
    fn common(self, values: Self::I) -> Option<i32>;
    /// `values[order & 7]`.
    fn reorder(self, values: Self::F, order: Self::I) -> Self::F;
    /// Halves of 16 bits: sums, differences, and products of numbers with shares (32767 is 1).
    fn add_16(self, a: Self::I, b: Self::I) -> Self::I;
    fn sub_16(self, a: Self::I, b: Self::I) -> Self::I;
    fn share_16(self, a: Self::I, share: Self::I) -> Self::I;
    /// `table[index]` for indices of 0 to 15.
    fn look_up_16(self, table: &[i32; 16], index: Self::I) -> Self::I;
    /// The upper halves of products of the low 16 bits, without signs; the upper 16 bits are zero if they
    /// are in `a`.
    fn high_16(self, a: Self::I, b: Self::I) -> Self::I;
    /// `table[index]`, `[index + 1]`, `[index + ROW]` and `[index + ROW + 1]`; some others for an index that
    /// is not there, 0 from a table that is shorter.
    fn look_up_fours<const ROW: usize>(self, table: &[[u8; 4]], index: Self::I) -> [Self::I; 4];
    /// Asks for the memory of `table[index]`, to be read soon, in every `STEP`th lane.
    fn prefetch<const STEP: usize>(self, table: &[[u8; 4]], index: Self::I);
    /// Asks for memory that will be read soon.
    fn prefetch_all<T>(self, list: &[T]);
    /// The same of `list[index]`.
    fn prefetch_one<T>(self, list: &[T], index: usize);
    /// Eight words of four bytes.
    fn words(self, values: &[[u8; 4]; LANES]) -> Self::I;
    /// Shift to the left.
    fn shift_up<const BITS: i32>(self, a: Self::I) -> Self::I;
    /// The three low bytes of each word.
    fn three_bytes(self, words: Self::I) -> [u8; 24];
}

/// A closure as it is: where it is written as an argument, it can be told to be inlined.
#[inline(always)]
pub(crate) fn inlined<F>(closure: F) -> F {
    closure
}

/// `array.map` that is inlined: what is called from the standard library's is not.
macro_rules! mapped {
    ($name:ident, $count:literal: $($index:literal)*) => {
        #[inline(always)]
        pub(crate) fn $name<A: Copy, B>(from: [A; $count], mut to: impl FnMut(A) -> B) -> [B; $count] {
            [$(to(from[$index])),*]
        }
    };
}
mapped!(map2, 2: 0 1);
mapped!(map3, 3: 0 1 2);
mapped!(map4, 4: 0 1 2 3);
mapped!(map8, 8: 0 1 2 3 4 5 6 7);

/// For each of 256 masks of eight lanes the lanes that are set, first to last; then the others.
pub(crate) static FRONT: [[u8; LANES]; 256] = {
    let mut table = [[0; LANES]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut at, mut rest) = (0, 0, (mask as u32).count_ones() as usize);
        while lane < LANES {
            let place = if mask >> lane & 1 != 0 { &mut at } else { &mut rest };
            table[mask][*place] = lane as u8;
            *place += 1;
            lane += 1;
        }
        mask += 1;
    }
    table
};

/// Arrays: any processor.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

macro_rules! each {
    ($i:ident => $value:expr) => {
        std::array::from_fn(
            #[inline(always)]
            |$i| $value,
        )
    };
}

/// The low and the high 16 bits each on their own.
#[inline(always)]
fn halves(a: i32, b: i32, of: impl Fn(i16, i16) -> i16) -> i32 {
    let (low, high) = (of(a as i16, b as i16), of((a >> 16) as i16, (b >> 16) as i16));
    i32::from(low) & 0xFFFF | i32::from(high) << 16
}

const fn mask(set: bool) -> i32 {
    if set { -1 } else { 0 }
}

#[inline(always)]
fn cut_one(value: f32) -> i32 {
    const LIMIT: f32 = 2_147_483_648.0;
    if (-LIMIT..LIMIT).contains(&value) { value as i32 } else { i32::MIN }
}

impl Lanes for Portable {
    type F = [f32; LANES];
    type I = [i32; LANES];

    #[inline(always)]
    fn run<R>(self, work: impl FnOnce() -> R) -> R {
        work()
    }
    #[inline(always)]
    fn f(self, value: f32) -> Self::F {
        [value; LANES]
    }
    #[inline(always)]
    fn i(self, value: i32) -> Self::I {
        [value; LANES]
    }
    #[inline(always)]
    fn f_from(self, values: &[f32; LANES]) -> Self::F {
        *values
    }
    #[inline(always)]
    fn i_from(self, values: &[i32; LANES]) -> Self::I {
        *values
    }
    #[inline(always)]
    fn f_to(self, values: Self::F) -> [f32; LANES] {
        values
    }
    #[inline(always)]
    fn i_to(self, values: Self::I) -> [i32; LANES] {
        values
    }
    #[inline(always)]
    fn widen(self, values: &[u8; LANES]) -> Self::I {
        values.map(i32::from)
    }
    #[inline(always)]
    fn pair(self, low: &[f32; 4], high: &[f32; 4]) -> Self::F {
        each!(i => if i < 4 { low[i] } else { high[i - 4] })
    }
    #[inline(always)]
    fn columns(self, points: [Self::F; 4]) -> [Self::F; 4] {
        each!(c => each!(i => points[i & 3][(i & 4) + c]))
    }
    #[inline(always)]
    fn points(self, columns: [Self::F; 4]) -> [Self::F; 4] {
        each!(k => each!(i => columns[i & 3][k * 2 + i / 4]))
    }
    #[inline(always)]
    fn add(self, a: Self::F, b: Self::F) -> Self::F {
        each!(i => a[i] + b[i])
    }
    #[inline(always)]
    fn sub(self, a: Self::F, b: Self::F) -> Self::F {
        each!(i => a[i] - b[i])
    }
    #[inline(always)]
    fn mul(self, a: Self::F, b: Self::F) -> Self::F {
        each!(i => a[i] * b[i])
    }
    #[inline(always)]
    fn div(self, a: Self::F, b: Self::F) -> Self::F {
        each!(i => a[i] / b[i])
    }
    #[inline(always)]
    fn sqrt(self, a: Self::F) -> Self::F {
        each!(i => a[i].sqrt())
    }
    #[inline(always)]
    fn abs(self, a: Self::F) -> Self::F {
        each!(i => a[i].abs())
    }
    #[inline(always)]
    fn min(self, a: Self::F, b: Self::F) -> Self::F {
        each!(i => if a[i] < b[i] { a[i] } else { b[i] })
    }
    #[inline(always)]
    fn max(self, a: Self::F, b: Self::F) -> Self::F {
        each!(i => if a[i] > b[i] { a[i] } else { b[i] })
    }
    #[inline(always)]
    fn least(self, a: Self::F) -> f32 {
        a.into_iter().fold(f32::INFINITY, f32::min)
    }
    #[inline(always)]
    fn floor(self, a: Self::F) -> Self::F {
        each!(i => a[i].floor())
    }
    #[inline(always)]
    fn less(self, a: Self::F, b: Self::F) -> Self::I {
        each!(i => mask(a[i] < b[i]))
    }
    #[inline(always)]
    fn at_most(self, a: Self::F, b: Self::F) -> Self::I {
        each!(i => mask(a[i] <= b[i]))
    }
    #[inline(always)]
    fn pick(self, mask: Self::I, a: Self::F, b: Self::F) -> Self::F {
        each!(i => if mask[i] < 0 { b[i] } else { a[i] })
    }
    #[inline(always)]
    fn pick_i(self, mask: Self::I, a: Self::I, b: Self::I) -> Self::I {
        each!(i => if mask[i] < 0 { b[i] } else { a[i] })
    }
    #[inline(always)]
    fn bits(self, a: Self::F) -> Self::I {
        each!(i => a[i].to_bits() as i32)
    }
    #[inline(always)]
    fn float(self, a: Self::I) -> Self::F {
        each!(i => f32::from_bits(a[i] as u32))
    }
    #[inline(always)]
    fn add_i(self, a: Self::I, b: Self::I) -> Self::I {
        each!(i => a[i].wrapping_add(b[i]))
    }
    #[inline(always)]
    fn sub_i(self, a: Self::I, b: Self::I) -> Self::I {
        each!(i => a[i].wrapping_sub(b[i]))
    }
    #[inline(always)]
    fn mul_i(self, a: Self::I, b: Self::I) -> Self::I {
        each!(i => a[i].wrapping_mul(b[i]))
    }
    #[inline(always)]
    fn min_i(self, a: Self::I, b: Self::I) -> Self::I {
        each!(i => a[i].min(b[i]))
    }
    #[inline(always)]
    fn max_i(self, a: Self::I, b: Self::I) -> Self::I {
        each!(i => a[i].max(b[i]))
    }
    #[inline(always)]
    fn and(self, a: Self::I, b: Self::I) -> Self::I {
        each!(i => a[i] & b[i])
    }
    #[inline(always)]
    fn or(self, a: Self::I, b: Self::I) -> Self::I {
        each!(i => a[i] | b[i])
    }
    #[inline(always)]
    fn and_not(self, a: Self::I, b: Self::I) -> Self::I {
        each!(i => !a[i] & b[i])
    }
    #[inline(always)]
    fn shift<const BITS: i32>(self, a: Self::I) -> Self::I {
        each!(i => a[i] >> BITS)
    }
    #[inline(always)]
    fn greater_i(self, a: Self::I, b: Self::I) -> Self::I {
        each!(i => mask(a[i] > b[i]))
    }
    #[inline(always)]
    fn equal_i(self, a: Self::I, b: Self::I) -> Self::I {
        each!(i => mask(a[i] == b[i]))
    }
    #[inline(always)]
    fn to_f(self, a: Self::I) -> Self::F {
        each!(i => a[i] as f32)
    }
    #[inline(always)]
    fn cut(self, a: Self::F) -> Self::I {
        each!(i => cut_one(a[i]))
    }
    #[inline(always)]
    fn signs(self, a: Self::I) -> u32 {
        let mut signs = 0;
        for i in 0..LANES {
            signs |= (a[i] as u32 >> 31) << i;
        }
        signs
    }
    #[inline(always)]
    fn front(self, bits: u32) -> Self::I {
        self.widen(&FRONT[(bits & 255) as usize])
    }
    #[inline(always)]
    fn reorder(self, values: Self::F, order: Self::I) -> Self::F {
        each!(i => values[(order[i] & 7) as usize])
    }
    #[inline(always)]
    fn add_16(self, a: Self::I, b: Self::I) -> Self::I {
        each!(i => halves(a[i], b[i], |a, b| a.wrapping_add(b)))
    }
    #[inline(always)]
    fn sub_16(self, a: Self::I, b: Self::I) -> Self::I {
        each!(i => halves(a[i], b[i], |a, b| a.wrapping_sub(b)))
    }
    #[inline(always)]
    fn share_16(self, a: Self::I, share: Self::I) -> Self::I {
        // As the processor rounds it.
        let product = |a: i16, b: i16| ((((i32::from(a) * i32::from(b)) >> 14) + 1) >> 1) as i16;
        each!(i => halves(a[i], share[i], product))
    }
    #[inline(always)]
    fn look_up_16(self, table: &[i32; 16], index: Self::I) -> Self::I {
        each!(i => table[(index[i] & 15) as usize])
    }
    #[inline(always)]
    fn words_to(self, values: Self::I, out: &mut [u32; LANES]) {
        *out = values.map(|value| value as u32);
    }
    #[inline(always)]
    fn common(self, values: Self::I) -> Option<i32> {
        (values == [values[0]; LANES]).then_some(values[0])
    }
    #[inline(always)]
    fn high_16(self, a: Self::I, b: Self::I) -> Self::I {
        let product = |a: i32, b: i32| a as u32 * b as u32 >> 16;
        let both = |a: i32, b: i32| {
            product(a & 0xFFFF, b & 0xFFFF) | product(a >> 16 & 0xFFFF, b >> 16 & 0xFFFF) << 16
        };
        each!(i => both(a[i], b[i]) as i32)
    }
    #[inline(always)]
    fn look_up_fours<const ROW: usize>(self, table: &[[u8; 4]], index: Self::I) -> [Self::I; 4] {
        let Some(last) = table.len().checked_sub(ROW + 2) else { return [[0; LANES]; 4] };
        let at = |i: usize, next: usize| {
            i32::from_le_bytes(table[(index[i] as u32 as usize).min(last) + next])
        };
        [0, 1, ROW, ROW + 1].map(|next| each!(i => at(i, next)))
    }
    #[inline(always)]
    fn prefetch<const STEP: usize>(self, _table: &[[u8; 4]], _index: Self::I) {}
    #[inline(always)]
    fn prefetch_all<T>(self, _list: &[T]) {}
    #[inline(always)]
    fn prefetch_one<T>(self, _list: &[T], _index: usize) {}
    #[inline(always)]
    fn words(self, values: &[[u8; 4]; LANES]) -> Self::I {
        values.map(i32::from_le_bytes)
    }
    #[inline(always)]
    fn shift_up<const BITS: i32>(self, a: Self::I) -> Self::I {
        each!(i => a[i] << BITS)
    }
    #[inline(always)]
    fn three_bytes(self, words: Self::I) -> [u8; 24] {
        each!(at => words[at / 3].to_le_bytes()[at % 3])
    }
}
