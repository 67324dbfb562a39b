//! Small things, one after the other.

use ambler_geometry::{Fault, Place};
use std::path::{Path, PathBuf};

/// Writes numbers and texts one after the other, little-endian.
#[derive(Clone, Debug, Default)]
pub struct Put(Vec<u8>);

impl Put {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// What was written.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// A byte.
    pub fn u8(&mut self, value: u8) -> &mut Self {
        self.0.push(value);
        self
    }

    /// A number.
    pub fn u32(&mut self, value: u32) -> &mut Self {
        self.0.extend(value.to_le_bytes());
        self
    }

    /// A number.
    pub fn u64(&mut self, value: u64) -> &mut Self {
        self.0.extend(value.to_le_bytes());
        self
    }

    /// A number with its sign.
    pub fn i64(&mut self, value: i64) -> &mut Self {
        self.0.extend(value.to_le_bytes());
        self
    }

    /// A length.
    pub fn len(&mut self, value: usize) -> &mut Self {
        self.u64(value as u64)
    }

    /// Numbers, bit for bit.
    pub fn f32s(&mut self, values: &[f32]) -> &mut Self {
        self.0.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        self
    }

    /// A text, its length first.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.len(text.len());
        self.0.extend(text.as_bytes());
        self
    }

    /// A list, its length first.
    pub fn list<T>(&mut self, values: &[T], mut each: impl FnMut(&mut Self, &T)) -> &mut Self {
        self.len(values.len());
        values.iter().for_each(|value| each(self, value));
        self
    }
}

/// Reads what a [`Put`] wrote. Whatever the bytes are, it never reads beyond them, and allocates no more
/// than they justify.
#[derive(Clone, Debug)]
pub struct Take<'a> {
    bytes: &'a [u8],
    at: usize,
    path: PathBuf,
}

impl<'a> Take<'a> {
    /// From bytes of a file, which faults name.
    pub fn new(bytes: &'a [u8], path: &Path) -> Self {
        Self { bytes, at: 0, path: path.to_path_buf() }
    }

    /// A fault here.
    pub fn fault(&self, what: impl Into<String>) -> Fault {
        Fault::new(&self.path, Place::Byte(self.at as u64), what, "")
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let found = rest.first_chunk().ok_or_else(|| self.fault("ends too early"))?;
        self.at += N;
        Ok(*found)
    }

    /// A byte.
    pub fn u8(&mut self) -> Result<u8, Fault> {
        Ok(self.take::<1>()?[0])
    }

    /// A number.
    pub fn u32(&mut self) -> Result<u32, Fault> {
        self.take().map(u32::from_le_bytes)
    }

    /// A number.
    pub fn u64(&mut self) -> Result<u64, Fault> {
        self.take().map(u64::from_le_bytes)
    }

    /// A number with its sign.
    pub fn i64(&mut self) -> Result<i64, Fault> {
        self.take().map(i64::from_le_bytes)
    }

    /// A length.
    pub fn len(&mut self) -> Result<usize, Fault> {
        let value = self.u64()?;
        usize::try_from(value).map_err(|_| self.fault(format!("a length of {value}")))
    }

    /// Numbers, bit for bit.
    pub fn f32s<const N: usize>(&mut self) -> Result<[f32; N], Fault> {
        let mut values = [0.0; N];
        for value in &mut values {
            *value = self.take().map(f32::from_le_bytes)?;
        }
        Ok(values)
    }

    /// A text.
    pub fn text(&mut self) -> Result<String, Fault> {
        let len = self.len()?;
        let end = self.at.checked_add(len).filter(|&end| end <= self.bytes.len());
        let Some(end) = end else { return Err(self.fault(format!("a text of {len} bytes"))) };
        let text = std::str::from_utf8(&self.bytes[self.at..end])
            .map_err(|_| self.fault("a text that is no UTF-8"))?;
        self.at = end;
        Ok(text.to_owned())
    }

    /// A list.
    pub fn list<T>(
        &mut self,
        mut each: impl FnMut(&mut Self) -> Result<T, Fault>,
    ) -> Result<Vec<T>, Fault> {
        let len = self.len()?;
        // Every value takes a byte at least.
        if len > self.bytes.len() - self.at {
            return Err(self.fault(format!("a list of {len} values")));
        }
        // What a value takes in memory may be more: room grows as they come.
        let mut values = Vec::new();
        for _ in 0..len {
            values.push(each(self)?);
        }
        Ok(values)
    }

    /// Nothing may be left.
    pub fn end(&self) -> Result<(), Fault> {
        if self.at == self.bytes.len() { Ok(()) } else { Err(self.fault("goes on where it should end")) }
    }
}
