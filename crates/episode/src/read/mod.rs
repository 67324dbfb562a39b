//! Reading episode files: one file, a top file with its content folder, or a folder.

mod fields;
mod file;
mod folder;
mod resolve;
mod robothor;
mod stream;

use crate::error::EpisodeError;
use crate::set::EpisodeSet;
use std::path::Path;

/// Limits of reading. The defaults fit all known data sets.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// Most bytes of JSON text that one file may hold, decompressed.
    pub max_text_bytes: u64,
    /// Most bytes of text per compressed byte, once the text passes 64 MiB: real files have about
    /// 12, a decompression bomb 1000.
    pub max_ratio: u64,
    /// Whether a top file's content files are read too.
    pub content: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { max_text_bytes: 4 << 30, max_ratio: 100, content: true }
    }
}

/// Reads episodes from a `.json` or `.json.gz` file, with the content files that belong to it
/// (`content/<scene>.json.gz` beside it, or what its `content_scenes_path` says), or from a folder
/// of such files (its own files, and those in its `content` or `episodes` folder). Content files
/// are read in parallel and kept in the order of their names; names starting with `._` are skipped.
///
/// # Errors
/// Names the file, the line and column or the JSON pointer, and what to do.
pub fn read_episodes(path: &Path) -> Result<EpisodeSet, EpisodeError> {
    read_episodes_with(path, &ReadOptions::default())
}

/// [`read_episodes`] with limits.
pub fn read_episodes_with(path: &Path, options: &ReadOptions) -> Result<EpisodeSet, EpisodeError> {
    folder::read(path, options)
}

/// Reads one file's bytes, JSON or gzipped JSON; `path` is for messages only and nothing else is
/// read.
pub fn parse_episodes(bytes: &[u8], path: &Path) -> Result<EpisodeSet, EpisodeError> {
    let raw = stream::parse(bytes, bytes.len() as u64, path, &ReadOptions::default())?;
    let mut set = EpisodeSet::default();
    resolve::add(&mut set, raw, path, resolve::Role::Alone)?;
    resolve::finish(&mut set);
    Ok(set)
}
