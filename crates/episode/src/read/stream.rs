//! Bytes to [`RawFile`]: gzip, limits, and errors with a place.

use super::ReadOptions;
use super::file::{RawFile, TopLevel};
use crate::error::EpisodeError;
use ambler_geometry::{Fault, Place};
use serde::de::DeserializeSeed as _;
use serde_json::error::Category;
use serde_path_to_error::{Path as TrackedPath, Segment, Track};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::Path;

/// Text below this is never refused for its ratio.
const RATIO_FREE_BYTES: u64 = 64 << 20;

/// Reads a file without ever holding its text.
pub(super) fn read(path: &Path, options: &ReadOptions) -> Result<RawFile, EpisodeError> {
    let file = File::open(path)
        .map_err(|error| EpisodeError::io(path, "open the file", &error, "check the path"))?;
    let length = file.metadata().map(|meta| meta.len()).unwrap_or(u64::MAX);
    parse(file, length, path, options)
}

/// Reads JSON or gzipped JSON (told by its first bytes, not by the name).
pub(super) fn parse(
    source: impl Read,
    length: u64,
    path: &Path,
    options: &ReadOptions,
) -> Result<RawFile, EpisodeError> {
    let mut source = BufReader::with_capacity(1 << 16, source);
    let head = source
        .fill_buf()
        .map_err(|error| EpisodeError::io(path, "read the file", &error, "check the disk"))?;
    let mut allowed = options.max_text_bytes;
    if head.starts_with(&[0x1f, 0x8b]) {
        allowed = allowed.min(RATIO_FREE_BYTES.max(length.saturating_mul(options.max_ratio)));
        let text = flate2::bufread::MultiGzDecoder::new(source);
        return parse_text(Limited { inner: text, left: allowed }, path);
    }
    if head.is_empty() {
        return Err(format_error(path, Place::Whole, "the file is empty", "copy or download it again"));
    }
    parse_text(Limited { inner: source, left: allowed }, path)
}

fn format_error(path: &Path, place: Place, what: impl Into<String>, remedy: &str) -> EpisodeError {
    EpisodeError::Format(Fault::new(path, place, what, remedy))
}

fn parse_text(text: impl Read, path: &Path) -> Result<RawFile, EpisodeError> {
    let mut text = BufReader::with_capacity(1 << 16, text);
    // A byte order mark, which Windows programs write, is not JSON but harmless.
    match text.fill_buf() {
        Ok([0xef, 0xbb, 0xbf, ..]) => text.consume(3),
        Ok(head) if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) => {
            return Err(format_error(path, Place::Byte(0), "the text is UTF-16", "save it as UTF-8"));
        }
        // What is wrong comes up again below, with its place.
        Ok(_) | Err(_) => {}
    }
    let mut json = serde_json::Deserializer::from_reader(text);
    let mut track = Track::new();
    let result = TopLevel.deserialize(serde_path_to_error::Deserializer::new(&mut json, &mut track));
    let raw = result.map_err(|error| json_error(path, &error, &pointer(&track.path())))?;
    json.end().map_err(|error| json_error(path, &error, ""))?;
    Ok(raw)
}

/// RFC 6901.
fn pointer(path: &TrackedPath) -> String {
    let mut text = String::new();
    for segment in path.iter() {
        match segment {
            Segment::Seq { index } => {
                let _ = write!(text, "/{index}");
            }
            Segment::Map { key } => {
                let _ = write!(text, "/{}", key.replace('~', "~0").replace('/', "~1"));
            }
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    text
}

fn json_error(path: &Path, error: &serde_json::Error, pointer: &str) -> EpisodeError {
    // serde_json appends the place to its message; it is said once, our way.
    let message = error.to_string();
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(head, _)| head);
    let place = if pointer.is_empty() {
        Place::Line(error.line().max(1) as u64)
    } else {
        Place::Pointer(format!("{pointer} (line {}, column {})", error.line(), error.column()))
    };
    match error.classify() {
        Category::Io => {
            let truncated = error.io_error_kind() == Some(io::ErrorKind::UnexpectedEof);
            let what = if truncated {
                "the compressed data ends too early".to_owned()
            } else {
                format!("the data cannot be read: {message}")
            };
            format_error(path, place, what, "copy or download the file again")
        }
        Category::Eof => {
            let what = format!("the text ends too early ({message})");
            format_error(path, place, what, "copy or download the file again")
        }
        Category::Syntax => {
            let remedy = "JSON is expected, without comments, NaN or Infinity: write finite numbers or \
                          null and export the file again";
            format_error(path, place, format!("not JSON here: {message}"), remedy)
        }
        Category::Data => {
            let remedy = "see docs/FORMATS.md, section Episodes, for what the file must hold; nothing \
                          that is missing is replaced by a default";
            EpisodeError::Content(Fault::new(path, place, message, remedy))
        }
    }
}

/// A reader that fails once more than `left` bytes came out of it.
struct Limited<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.left = self.left.checked_sub(count as u64).ok_or_else(|| {
            io::Error::other("the text is larger than is allowed for a file of this size")
        })?;
        Ok(count)
    }
}
