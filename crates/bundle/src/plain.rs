//! Values that are nothing but their bits.

use ambler_geometry::{Vec2, Vec3};

/// Values that lie in a file as they lie in memory.
///
/// # Safety
/// Every pattern of bits is a value, and no byte of a value is padding.
#[allow(unsafe_code, reason = "says what the compiler cannot know")]
pub unsafe trait Plain: Copy + Send + Sync + 'static {}

#[allow(
    unsafe_code,
    reason = "numbers, and nothing but numbers of one size (glam's vectors are repr(C))"
)]
mod plain {
    use super::{Plain, Vec2, Vec3};
    // SAFETY: numbers.
    unsafe impl Plain for u8 {}
    // SAFETY: numbers.
    unsafe impl Plain for u32 {}
    // SAFETY: numbers.
    unsafe impl Plain for f32 {}
    // SAFETY: two f32 without a gap, `repr(C)`; their size is checked below.
    unsafe impl Plain for Vec2 {}
    // SAFETY: three f32 without a gap, `repr(C)`; their size is checked below.
    unsafe impl Plain for Vec3 {}
    // SAFETY: arrays have no gaps between their values.
    unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}
}

const _: () = assert!(size_of::<Vec2>() == 8 && size_of::<Vec3>() == 12 && align_of::<Vec3>() == 4);

/// The bytes of values.
#[allow(unsafe_code, reason = "see `Plain`")]
pub(crate) fn bytes_of<T: Plain>(values: &[T]) -> &[u8] {
    // SAFETY: no byte is padding, and the slice covers the same memory for the same time.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// Bytes as values; `None` where they are no whole number of them or not aligned.
#[allow(unsafe_code, reason = "see `Plain`")]
pub(crate) fn values_of<T: Plain>(bytes: &[u8]) -> Option<&[T]> {
    let size = size_of::<T>();
    if size == 0 || bytes.len() % size != 0 || bytes.as_ptr().align_offset(align_of::<T>()) != 0 {
        return None;
    }
    // SAFETY: every pattern of bits is a value; length and alignment were checked above, and the slice
    // covers the same memory for the same time.
    Some(unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / size) })
}
