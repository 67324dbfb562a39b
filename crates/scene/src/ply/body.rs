use super::header::{Encoding, Header, Scalar};
use crate::SceneError;
use crate::files::shorten;
use ambler_geometry::Place;
use std::path::Path;

/// Reads numbers from a PLY body, whatever its encoding, and knows where it is.
pub(super) struct Body<'a> {
    bytes: &'a [u8],
    path: &'a Path,
    encoding: Encoding,
    at: usize,
    line: u64,
}

impl<'a> Body<'a> {
    pub(super) fn new(bytes: &'a [u8], path: &'a Path, header: &Header) -> Self {
        Self { bytes, path, encoding: header.encoding, at: header.end, line: header.lines + 1 }
    }

    /// Line for text, byte for binary.
    pub(super) fn place(&self) -> Place {
        match self.encoding {
            Encoding::Ascii => Place::Line(self.line),
            _ => Place::Byte(self.at as u64),
        }
    }

    pub(super) fn path(&self) -> &'a Path {
        self.path
    }

    pub(super) fn fault(&self, what: impl Into<String>) -> SceneError {
        SceneError::malformed(self.path, self.place(), what, "export the PLY file again")
    }

    /// The next number. Every PLY integer and float is exact in f64.
    pub(super) fn scalar(&mut self, scalar: Scalar) -> Result<f64, SceneError> {
        match self.encoding {
            Encoding::Ascii => self.word(),
            Encoding::LittleEndian => self.binary(scalar, false),
            Encoding::BigEndian => self.binary(scalar, true),
        }
    }

    /// The length of a list, no longer than what is left could hold.
    pub(super) fn list_length(&mut self, count: Scalar, item: Scalar) -> Result<usize, SceneError> {
        let place = self.place();
        let length = self.scalar(count)?;
        let item_bytes = if self.encoding == Encoding::Ascii { 1 } else { item.size() };
        let fits = self.bytes.len().saturating_sub(self.at) / item_bytes;
        if length < 0.0 || length.fract() != 0.0 || length > fits as f64 {
            return Err(SceneError::malformed(
                self.path,
                place,
                format!("a list of {length} numbers does not fit into the rest of the file"),
                "the file is truncated or damaged: export it again",
            ));
        }
        Ok(length as usize)
    }

    fn word(&mut self) -> Result<f64, SceneError> {
        while let Some(byte) = self.bytes.get(self.at).filter(|byte| byte.is_ascii_whitespace()) {
            self.line += u64::from(*byte == b'\n');
            self.at += 1;
        }
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or(&[]);
        if word.is_empty() {
            return Err(self.fault("the file ends in the middle"));
        }
        let number = std::str::from_utf8(word).ok().and_then(|text| text.parse::<f64>().ok());
        let Some(number) = number else {
            return Err(
                self.fault(format!("'{}' is not a number", shorten(&String::from_utf8_lossy(word))))
            );
        };
        self.at += length;
        Ok(number)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], SceneError> {
        let bytes = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<N>()).copied();
        let Some(bytes) = bytes else {
            return Err(self.fault("the file ends in the middle"));
        };
        self.at += N;
        Ok(bytes)
    }

    fn binary(&mut self, scalar: Scalar, big: bool) -> Result<f64, SceneError> {
        macro_rules! number {
            ($kind:ty) => {{
                let bytes = self.take()?;
                f64::from(if big {
                    <$kind>::from_be_bytes(bytes)
                } else {
                    <$kind>::from_le_bytes(bytes)
                })
            }};
        }
        Ok(match scalar {
            Scalar::I8 => number!(i8),
            Scalar::U8 => number!(u8),
            Scalar::I16 => number!(i16),
            Scalar::U16 => number!(u16),
            Scalar::I32 => number!(i32),
            Scalar::U32 => number!(u32),
            Scalar::F32 => number!(f32),
            Scalar::F64 => number!(f64),
        })
    }
}
