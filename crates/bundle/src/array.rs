//! Arrays that are owned or lie in a mapped file.

use crate::plain::{Plain, values_of};
use memmap2::Mmap;
use std::fmt;
use std::ops::{Deref, DerefMut, Range, RangeBounds};
use std::sync::Arc;

/// A list that is read as a slice, wherever it lies: in memory of its own, or in a bundle's file, from
/// which pages come when they are looked at. Changing one that lies in a file copies it first.
#[derive(Clone)]
pub struct Array<T: 'static>(Store<T>);

#[derive(Clone)]
enum Store<T: 'static> {
    Owned(Vec<T>),
    Mapped(Mapped<T>),
}

/// A part of a mapped file.
#[derive(Clone)]
struct Mapped<T: 'static> {
    /// Valid as long as `map`: never handed out for longer than a borrow of this.
    values: &'static [T],
    map: Arc<Mmap>,
}

impl<T: Plain> Array<T> {
    /// The values in these bytes of a map; `None` where they do not lie in it, are no whole number of
    /// values or not aligned.
    #[allow(unsafe_code, reason = "a slice lives as long as the map beside it")]
    pub(crate) fn mapped(map: &Arc<Mmap>, bytes: Range<usize>) -> Option<Self> {
        let values: &[T] = values_of(map.get(bytes)?)?;
        // SAFETY: the memory belongs to the map, not to the `Arc`'s value in place, and stays mapped at
        // its address until the map is dropped; `Mapped` holds an `Arc` of it, and every borrow that
        // leaves this module is bounded by that of the `Mapped`.
        let values = unsafe { std::slice::from_raw_parts(values.as_ptr(), values.len()) };
        Some(Self(Store::Mapped(Mapped { values, map: Arc::clone(map) })))
    }
}

impl<T> Array<T> {
    /// An empty list.
    pub const fn new() -> Self {
        Self(Store::Owned(Vec::new()))
    }

    /// Whether it lies in a mapped file.
    pub fn is_mapped(&self) -> bool {
        matches!(self.0, Store::Mapped(_))
    }
}

impl<T: Clone> Array<T> {
    /// The list as one that can grow; copied now where it lies in a file.
    pub fn to_mut(&mut self) -> &mut Vec<T> {
        if let Store::Mapped(mapped) = &self.0 {
            self.0 = Store::Owned(mapped.values.to_vec());
        }
        match &mut self.0 {
            Store::Owned(values) => values,
            Store::Mapped(_) => unreachable!("made owned above"),
        }
    }

    /// A part of it. Of a mapped list it is no copy. `None` where the range does not lie in it.
    pub fn part(&self, range: Range<usize>) -> Option<Self> {
        Some(Self(match &self.0 {
            Store::Owned(values) => Store::Owned(values.get(range)?.to_vec()),
            Store::Mapped(Mapped { values, map }) => {
                Store::Mapped(Mapped { values: values.get(range)?, map: Arc::clone(map) })
            }
        }))
    }

    /// Appends a value.
    pub fn push(&mut self, value: T) {
        self.to_mut().push(value);
    }

    /// As [`Vec::resize`].
    pub fn resize(&mut self, len: usize, value: T) {
        self.to_mut().resize(len, value);
    }

    /// As [`Vec::truncate`].
    pub fn truncate(&mut self, len: usize) {
        self.to_mut().truncate(len);
    }

    /// As [`Vec::reserve_exact`].
    pub fn reserve_exact(&mut self, more: usize) {
        self.to_mut().reserve_exact(more);
    }

    /// As [`Vec::retain`].
    pub fn retain(&mut self, keep: impl FnMut(&T) -> bool) {
        self.to_mut().retain(keep);
    }

    /// As [`Vec::extend_from_within`].
    pub fn extend_from_within(&mut self, range: impl RangeBounds<usize>) {
        self.to_mut().extend_from_within(range);
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        self.0 = Store::Owned(Vec::new());
    }
}

impl<T> Deref for Array<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Store::Owned(values) => values,
            Store::Mapped(mapped) => mapped.values,
        }
    }
}

impl<T: Clone> DerefMut for Array<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.to_mut()
    }
}

impl<T> Default for Array<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> From<Vec<T>> for Array<T> {
    fn from(values: Vec<T>) -> Self {
        Self(Store::Owned(values))
    }
}

impl<T, const N: usize> From<[T; N]> for Array<T> {
    fn from(values: [T; N]) -> Self {
        Vec::from(values).into()
    }
}

impl<T: Clone> From<&[T]> for Array<T> {
    fn from(values: &[T]) -> Self {
        values.to_vec().into()
    }
}

impl<T> FromIterator<T> for Array<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Vec::from_iter(values).into()
    }
}

impl<T: Clone> Extend<T> for Array<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        self.to_mut().extend(values);
    }
}

impl<'a, T: Copy> Extend<&'a T> for Array<T> {
    fn extend<I: IntoIterator<Item = &'a T>>(&mut self, values: I) {
        self.to_mut().extend(values);
    }
}

impl<'a, T> IntoIterator for &'a Array<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, T: Clone> IntoIterator for &'a mut Array<T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl<T: fmt::Debug> fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T: PartialEq, S: AsRef<[T]> + ?Sized> PartialEq<S> for Array<T> {
    fn eq(&self, other: &S) -> bool {
        **self == *other.as_ref()
    }
}

impl<T> AsRef<[T]> for Array<T> {
    fn as_ref(&self) -> &[T] {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_in_a_file_is_copied_when_it_is_changed_and_not_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers");
        std::fs::write(&path, [1_u32, 2, 3].map(u32::to_le_bytes).concat()).unwrap();
        let map = Arc::new(crate::map(&std::fs::File::open(&path).unwrap()).unwrap());
        let mut list = Array::<u32>::mapped(&map, 0..12).unwrap();
        let part = list.part(1..3).unwrap();
        assert!(list.is_mapped() && part.is_mapped());
        list.push(4);
        assert!(!list.is_mapped());
        drop(map);
        assert_eq!((&list[..], &part[..]), (&[1, 2, 3, 4][..], &[2, 3][..]));
        assert!(part.part(1..3).is_none());
    }

    #[test]
    fn bytes_that_are_no_values_are_no_list() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers");
        std::fs::write(&path, [0; 12]).unwrap();
        let map = Arc::new(crate::map(&std::fs::File::open(&path).unwrap()).unwrap());
        assert!(Array::<u32>::mapped(&map, 0..13).is_none(), "beyond the end");
        assert!(Array::<u32>::mapped(&map, 0..7).is_none(), "no whole number");
        assert!(Array::<u32>::mapped(&map, 2..10).is_none(), "not aligned");
        assert_eq!(Array::<u32>::mapped(&map, 4..12).unwrap(), [0, 0]);
    }
}
