//! AVX2 lanes. The one place of the workspace with unsafe code.
//!
//! The instructions may only run where the processor has them. Here is why they do: an [`Avx2`]
//! cannot be made but by [`Avx2::detect`], which asks the processor, and every function below needs
//! one. Besides that, look-ups read memory by index, and keep indices inside their tables.
#![allow(unsafe_code, reason = "processor features chosen at run time; argued above")]

use super::doubles::{Doubles, FOUR};
use super::simd::{FRONT, LANES, Lanes};
use std::arch::x86_64::*;

/// Proof that the processor has AVX2.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// `None` where the processor has no AVX2.
    pub(crate) fn detect() -> Option<Self> {
        std::arch::is_x86_feature_detected!("avx2").then_some(Self(()))
    }
}

/// Only to be called where the processor has AVX2.
#[target_feature(enable = "avx2")]
fn with_avx2<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// Instructions that touch registers alone.
macro_rules! registers {
    ($call:expr) => {
        // SAFETY: `self` proves that the processor has the instruction.
        unsafe { $call }
    };
}

impl Lanes for Avx2 {
    type F = __m256;
    type I = __m256i;

    #[inline(always)]
    fn run<R>(self, work: impl FnOnce() -> R) -> R {
        registers!(with_avx2(work))
    }
    #[inline(always)]
    fn f(self, value: f32) -> __m256 {
        registers!(_mm256_set1_ps(value))
    }
    #[inline(always)]
    fn i(self, value: i32) -> __m256i {
        registers!(_mm256_set1_epi32(value))
    }
    #[inline(always)]
    fn f_from(self, values: &[f32; LANES]) -> __m256 {
        // SAFETY: besides the instruction: the array holds the 32 bytes that are read.
        unsafe { _mm256_loadu_ps(values.as_ptr()) }
    }
    #[inline(always)]
    fn i_from(self, values: &[i32; LANES]) -> __m256i {
        // SAFETY: besides the instruction: the array holds the 32 bytes that are read.
        unsafe { _mm256_loadu_si256(values.as_ptr().cast()) }
    }
    #[inline(always)]
    fn f_to(self, values: __m256) -> [f32; LANES] {
        let mut out = [0.0; LANES];
        // SAFETY: besides the instruction: the array holds the 32 bytes that are written.
        unsafe { _mm256_storeu_ps(out.as_mut_ptr(), values) };
        out
    }
    #[inline(always)]
    fn i_to(self, values: __m256i) -> [i32; LANES] {
        let mut out = [0; LANES];
        // SAFETY: besides the instruction: the array holds the 32 bytes that are written.
        unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), values) };
        out
    }
    #[inline(always)]
    fn widen(self, values: &[u8; LANES]) -> __m256i {
        // SAFETY: besides the instruction: the array holds the 8 bytes that are read.
        unsafe { _mm256_cvtepu8_epi32(_mm_loadl_epi64(values.as_ptr().cast())) }
    }
    #[inline(always)]
    fn pair(self, low: &[f32; 4], high: &[f32; 4]) -> __m256 {
        // SAFETY: besides the instruction: the arrays hold the 16 bytes each that are read.
        unsafe { _mm256_loadu2_m128(high.as_ptr(), low.as_ptr()) }
    }
    #[inline(always)]
    fn columns(self, points: [__m256; 4]) -> [__m256; 4] {
        // SAFETY: `self` proves that the processor has the instructions.
        unsafe {
            let [a, b, c, d] = points;
            let ab_low = _mm256_unpacklo_ps(a, b);
            let ab_high = _mm256_unpackhi_ps(a, b);
            let cd_low = _mm256_unpacklo_ps(c, d);
            let cd_high = _mm256_unpackhi_ps(c, d);
            [
                _mm256_shuffle_ps::<0x44>(ab_low, cd_low),
                _mm256_shuffle_ps::<0xEE>(ab_low, cd_low),
                _mm256_shuffle_ps::<0x44>(ab_high, cd_high),
                _mm256_shuffle_ps::<0xEE>(ab_high, cd_high),
            ]
        }
    }
    #[inline(always)]
    fn points(self, columns: [__m256; 4]) -> [__m256; 4] {
        // The same shuffles give vectors of points k and k + 4.
        let [a, b, c, d] = self.columns(columns);
        // SAFETY: `self` proves that the processor has the instructions.
        unsafe {
            [
                _mm256_permute2f128_ps::<0x20>(a, b),
                _mm256_permute2f128_ps::<0x20>(c, d),
                _mm256_permute2f128_ps::<0x31>(a, b),
                _mm256_permute2f128_ps::<0x31>(c, d),
            ]
        }
    }
    #[inline(always)]
    fn add(self, a: __m256, b: __m256) -> __m256 {
        registers!(_mm256_add_ps(a, b))
    }
    #[inline(always)]
    fn sub(self, a: __m256, b: __m256) -> __m256 {
        registers!(_mm256_sub_ps(a, b))
    }
    #[inline(always)]
    fn mul(self, a: __m256, b: __m256) -> __m256 {
        registers!(_mm256_mul_ps(a, b))
    }
    #[inline(always)]
    fn div(self, a: __m256, b: __m256) -> __m256 {
        registers!(_mm256_div_ps(a, b))
    }
    #[inline(always)]
    fn sqrt(self, a: __m256) -> __m256 {
        registers!(_mm256_sqrt_ps(a))
    }
    #[inline(always)]
    fn abs(self, a: __m256) -> __m256 {
        registers!(_mm256_andnot_ps(_mm256_set1_ps(-0.0), a))
    }
    #[inline(always)]
    fn min(self, a: __m256, b: __m256) -> __m256 {
        registers!(_mm256_min_ps(a, b))
    }
    #[inline(always)]
    fn max(self, a: __m256, b: __m256) -> __m256 {
        registers!(_mm256_max_ps(a, b))
    }
    #[inline(always)]
    fn least(self, a: __m256) -> f32 {
        // SAFETY: `self` proves that the processor has the instructions.
        unsafe {
            let a = _mm_min_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps::<1>(a));
            let a = _mm_min_ps(a, _mm_movehl_ps(a, a));
            _mm_cvtss_f32(_mm_min_ss(a, _mm_movehdup_ps(a)))
        }
    }
    #[inline(always)]
    fn floor(self, a: __m256) -> __m256 {
        registers!(_mm256_floor_ps(a))
    }
    #[inline(always)]
    fn less(self, a: __m256, b: __m256) -> __m256i {
        registers!(_mm256_castps_si256(_mm256_cmp_ps::<_CMP_LT_OQ>(a, b)))
    }
    #[inline(always)]
    fn at_most(self, a: __m256, b: __m256) -> __m256i {
        registers!(_mm256_castps_si256(_mm256_cmp_ps::<_CMP_LE_OQ>(a, b)))
    }
    #[inline(always)]
    fn pick(self, mask: __m256i, a: __m256, b: __m256) -> __m256 {
        registers!(_mm256_blendv_ps(a, b, _mm256_castsi256_ps(mask)))
    }
    #[inline(always)]
    fn pick_i(self, mask: __m256i, a: __m256i, b: __m256i) -> __m256i {
        registers!(_mm256_blendv_epi8(a, b, mask))
    }
    #[inline(always)]
    fn bits(self, a: __m256) -> __m256i {
        registers!(_mm256_castps_si256(a))
    }
    #[inline(always)]
    fn float(self, a: __m256i) -> __m256 {
        registers!(_mm256_castsi256_ps(a))
    }
    #[inline(always)]
    fn add_i(self, a: __m256i, b: __m256i) -> __m256i {
        registers!(_mm256_add_epi32(a, b))
    }
    #[inline(always)]
    fn sub_i(self, a: __m256i, b: __m256i) -> __m256i {
        registers!(_mm256_sub_epi32(a, b))
    }
    #[inline(always)]
    fn mul_i(self, a: __m256i, b: __m256i) -> __m256i {
        registers!(_mm256_mullo_epi32(a, b))
    }
    #[inline(always)]
    fn min_i(self, a: __m256i, b: __m256i) -> __m256i {
        registers!(_mm256_min_epi32(a, b))
    }
    #[inline(always)]
    fn max_i(self, a: __m256i, b: __m256i) -> __m256i {
        registers!(_mm256_max_epi32(a, b))
    }
    #[inline(always)]
    fn and(self, a: __m256i, b: __m256i) -> __m256i {
        registers!(_mm256_and_si256(a, b))
    }
    #[inline(always)]
    fn or(self, a: __m256i, b: __m256i) -> __m256i {
        registers!(_mm256_or_si256(a, b))
    }
    #[inline(always)]
    fn and_not(self, a: __m256i, b: __m256i) -> __m256i {
        registers!(_mm256_andnot_si256(a, b))
    }
    #[inline(always)]
    fn shift<const BITS: i32>(self, a: __m256i) -> __m256i {
        registers!(_mm256_srai_epi32::<BITS>(a))
    }
    #[inline(always)]
    fn greater_i(self, a: __m256i, b: __m256i) -> __m256i {
        registers!(_mm256_cmpgt_epi32(a, b))
    }
    #[inline(always)]
    fn equal_i(self, a: __m256i, b: __m256i) -> __m256i {
        registers!(_mm256_cmpeq_epi32(a, b))
    }
    #[inline(always)]
    fn to_f(self, a: __m256i) -> __m256 {
        registers!(_mm256_cvtepi32_ps(a))
    }
    #[inline(always)]
    fn cut(self, a: __m256) -> __m256i {
        registers!(_mm256_cvttps_epi32(a))
    }
    #[inline(always)]
    fn signs(self, a: __m256i) -> u32 {
        registers!(_mm256_movemask_ps(_mm256_castsi256_ps(a)) as u32)
    }
    #[inline(always)]
    fn front(self, bits: u32) -> __m256i {
        self.widen(&FRONT[(bits & 255) as usize])
    }
    #[inline(always)]
    fn reorder(self, values: __m256, order: __m256i) -> __m256 {
        registers!(_mm256_permutevar8x32_ps(values, order))
    }
    #[inline(always)]
    fn add_16(self, a: __m256i, b: __m256i) -> __m256i {
        registers!(_mm256_add_epi16(a, b))
    }
    #[inline(always)]
    fn sub_16(self, a: __m256i, b: __m256i) -> __m256i {
        registers!(_mm256_sub_epi16(a, b))
    }
    #[inline(always)]
    fn share_16(self, a: __m256i, share: __m256i) -> __m256i {
        registers!(_mm256_mulhrs_epi16(a, share))
    }
    #[inline(always)]
    fn look_up_16(self, table: &[i32; 16], index: __m256i) -> __m256i {
        // SAFETY: besides the instructions: both halves of the table hold the 32 bytes that are read.
        unsafe {
            let low = _mm256_loadu_si256(table.as_ptr().cast());
            let high = _mm256_loadu_si256(table.as_ptr().add(8).cast());
            let low = _mm256_permutevar8x32_epi32(low, index);
            let high = _mm256_permutevar8x32_epi32(high, index);
            _mm256_blendv_epi8(low, high, _mm256_cmpgt_epi32(index, _mm256_set1_epi32(7)))
        }
    }
    #[inline(always)]
    fn words_to(self, values: __m256i, out: &mut [u32; LANES]) {
        // SAFETY: besides the instruction: the array holds the 32 bytes that are written.
        unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), values) };
    }
    #[inline(always)]
    fn common(self, values: __m256i) -> Option<i32> {
        // SAFETY: `self` proves that the processor has the instructions.
        unsafe {
            let first = _mm256_castsi256_si128(values);
            let same = _mm256_cmpeq_epi32(values, _mm256_broadcastd_epi32(first));
            (_mm256_movemask_epi8(same) == -1).then(|| _mm_cvtsi128_si32(first))
        }
    }
    #[inline(always)]
    fn high_16(self, a: __m256i, b: __m256i) -> __m256i {
        registers!(_mm256_mulhi_epu16(a, b))
    }
    #[inline(always)]
    fn look_up_fours<const ROW: usize>(self, table: &[[u8; 4]], index: __m256i) -> [__m256i; 4] {
        let Some(last) = table.len().min(1 << 31).checked_sub(ROW + 2) else { return [self.i(0); 4] };
        // Single loads take less time than the instructions for four at once.
        // SAFETY: besides the instructions: eight bytes are read at indices that are cut to the last with two
        // rows behind it, and a row below.
        unsafe {
            let index = self.i_to(_mm256_min_epu32(index, _mm256_set1_epi32(last as i32)));
            let pairs = |row: usize| {
                let table = table.as_ptr().add(row);
                let at =
                    |lane: usize| table.add(index[lane] as u32 as usize).cast::<i64>().read_unaligned();
                // What is taken from both halves is in order then.
                let a = _mm256_castsi256_ps(_mm256_setr_epi64x(at(0), at(1), at(4), at(5)));
                let b = _mm256_castsi256_ps(_mm256_setr_epi64x(at(2), at(3), at(6), at(7)));
                [
                    _mm256_castps_si256(_mm256_shuffle_ps::<0x88>(a, b)),
                    _mm256_castps_si256(_mm256_shuffle_ps::<0xDD>(a, b)),
                ]
            };
            let ([a, b], [c, d]) = (pairs(0), pairs(ROW));
            [a, b, c, d]
        }
    }
    #[inline(always)]
    fn prefetch<const STEP: usize>(self, table: &[[u8; 4]], index: __m256i) {
        for index in self.i_to(index).into_iter().step_by(STEP) {
            let at = table.as_ptr().wrapping_add(index as u32 as usize);
            // SAFETY: besides the instruction: asking for any address is allowed.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) };
        }
    }
    #[inline(always)]
    fn prefetch_all<T>(self, list: &[T]) {
        for at in (0..size_of_val(list)).step_by(64) {
            // SAFETY: besides the instruction: asking for any address is allowed.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(list.as_ptr().cast::<i8>().wrapping_add(at)) };
        }
    }
    #[inline(always)]
    fn prefetch_one<T>(self, list: &[T], index: usize) {
        // SAFETY: besides the instruction: asking for any address is allowed.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(list.as_ptr().wrapping_add(index).cast()) };
    }
    #[inline(always)]
    fn words(self, values: &[[u8; 4]; LANES]) -> __m256i {
        // SAFETY: besides the instruction: the array holds the 32 bytes that are read.
        unsafe { _mm256_loadu_si256(values.as_ptr().cast()) }
    }
    #[inline(always)]
    fn shift_up<const BITS: i32>(self, a: __m256i) -> __m256i {
        registers!(_mm256_slli_epi32::<BITS>(a))
    }
    #[inline(always)]
    fn three_bytes(self, words: __m256i) -> [u8; 24] {
        let mut out = [0; 24];
        // SAFETY: besides the instructions: 16 and 8 bytes are written to an array of 24.
        unsafe {
            let drop_fourth = _mm256_setr_epi8(
                0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12,
                13, 14, -1, -1, -1, -1,
            );
            let packed = _mm256_shuffle_epi8(words, drop_fourth);
            let close = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7);
            let packed = _mm256_permutevar8x32_epi32(packed, close);
            _mm_storeu_si128(out.as_mut_ptr().cast(), _mm256_castsi256_si128(packed));
            _mm_storel_epi64(out.as_mut_ptr().add(16).cast(), _mm256_extracti128_si256::<1>(packed));
        }
        out
    }
}

impl Doubles for Avx2 {
    type D = __m256d;

    #[inline(always)]
    fn d(self, value: f64) -> __m256d {
        registers!(_mm256_set1_pd(value))
    }
    #[inline(always)]
    fn d_from(self, values: &[f64; FOUR]) -> __m256d {
        // SAFETY: besides the instruction: the array holds the 32 bytes that are read.
        unsafe { _mm256_loadu_pd(values.as_ptr()) }
    }
    #[inline(always)]
    fn d_to(self, values: __m256d) -> [f64; FOUR] {
        let mut out = [0.0; FOUR];
        // SAFETY: besides the instruction: the array holds the 32 bytes that are written.
        unsafe { _mm256_storeu_pd(out.as_mut_ptr(), values) };
        out
    }
    #[inline(always)]
    fn add_d(self, a: __m256d, b: __m256d) -> __m256d {
        registers!(_mm256_add_pd(a, b))
    }
    #[inline(always)]
    fn sub_d(self, a: __m256d, b: __m256d) -> __m256d {
        registers!(_mm256_sub_pd(a, b))
    }
    #[inline(always)]
    fn mul_d(self, a: __m256d, b: __m256d) -> __m256d {
        registers!(_mm256_mul_pd(a, b))
    }
    #[inline(always)]
    fn div_d(self, a: __m256d, b: __m256d) -> __m256d {
        registers!(_mm256_div_pd(a, b))
    }
    #[inline(always)]
    fn sqrt_d(self, a: __m256d) -> __m256d {
        registers!(_mm256_sqrt_pd(a))
    }
    #[inline(always)]
    fn abs_d(self, a: __m256d) -> __m256d {
        registers!(_mm256_andnot_pd(_mm256_set1_pd(-0.0), a))
    }
    #[inline(always)]
    fn min_d(self, a: __m256d, b: __m256d) -> __m256d {
        registers!(_mm256_min_pd(a, b))
    }
    #[inline(always)]
    fn max_d(self, a: __m256d, b: __m256d) -> __m256d {
        registers!(_mm256_max_pd(a, b))
    }
    #[inline(always)]
    fn less_d(self, a: __m256d, b: __m256d) -> u32 {
        registers!(_mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(a, b)) as u32)
    }
    #[inline(always)]
    fn turned(self, [a, b, c, d]: [__m256d; FOUR]) -> [__m256d; FOUR] {
        // SAFETY: `self` proves that the processor has the instructions.
        unsafe {
            let (ab, ab_next) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
            let (cd, cd_next) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
            [
                _mm256_permute2f128_pd::<0x20>(ab, cd),
                _mm256_permute2f128_pd::<0x20>(ab_next, cd_next),
                _mm256_permute2f128_pd::<0x31>(ab, cd),
                _mm256_permute2f128_pd::<0x31>(ab_next, cd_next),
            ]
        }
    }
    #[inline(always)]
    fn doubled(self, values: &[f32; LANES]) -> [__m256d; 2] {
        // SAFETY: besides the instructions: the array holds the 16 bytes that are read from each half.
        unsafe {
            let (low, high) = (_mm_loadu_ps(values.as_ptr()), _mm_loadu_ps(values.as_ptr().add(FOUR)));
            [_mm256_cvtps_pd(low), _mm256_cvtps_pd(high)]
        }
    }
    #[inline(always)]
    fn halved(self, [low, high]: [__m256d; 2]) -> [f32; LANES] {
        // SAFETY: `self` proves that the processor has the instructions.
        let both = unsafe { _mm256_set_m128(_mm256_cvtpd_ps(high), _mm256_cvtpd_ps(low)) };
        self.f_to(both)
    }
}
