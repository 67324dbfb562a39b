//! Reading a run folder without writing to it: for reports, comparisons and merges.

use std::fs;
use std::io;
use std::path::Path;

use ambler_geometry::{Fault, Place};

use super::journal::parse_journal;
use super::manifest::Manifest;
use super::{EPISODES, JOURNAL, MANIFEST};
use crate::error::EvaluateError;
use crate::record::EpisodeRecord;

/// A run as it lies on disk.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredRun {
    /// What determined it.
    pub manifest: Manifest,
    /// Its records in the order of the set.
    pub records: Vec<EpisodeRecord>,
    /// Whether it was finished; else the records are those of the journal so far.
    pub finished: bool,
}

/// Reads the run in `folder`: `episodes.jsonl` of a finished run, else what the journal holds.
///
/// # Errors
/// [`EvaluateError::Read`] with file and line.
pub fn read_run(folder: &Path) -> Result<StoredRun, EvaluateError> {
    let manifest_path = folder.join(MANIFEST);
    let bytes = fs::read(&manifest_path).map_err(|error| EvaluateError::read(&manifest_path, &error))?;
    let manifest = Manifest::parse(&bytes, &manifest_path)?;
    let episodes_path = folder.join(EPISODES);
    match fs::read(&episodes_path) {
        Ok(bytes) => {
            let records = parse_episodes(&bytes, &episodes_path)?;
            Ok(StoredRun { manifest, records, finished: true })
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let journal_path = folder.join(JOURNAL);
            let bytes = match fs::read(&journal_path) {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
                Err(error) => return Err(EvaluateError::read(&journal_path, &error)),
            };
            let journal = parse_journal(&bytes);
            let mut records: Vec<EpisodeRecord> =
                journal.records.into_iter().map(|timed| timed.record).collect();
            records.sort_by(|a, b| a.key().cmp(&b.key()));
            Ok(StoredRun { manifest, records, finished: false })
        }
        Err(error) => Err(EvaluateError::read(&episodes_path, &error)),
    }
}

/// Reads the bytes of an `episodes.jsonl`.
///
/// # Errors
/// [`EvaluateError::Read`] with the line.
pub fn parse_episodes(bytes: &[u8], path: &Path) -> Result<Vec<EpisodeRecord>, EvaluateError> {
    let mut records = Vec::new();
    for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let record = serde_json::from_slice(line).map_err(|error| {
            EvaluateError::Read(Fault::new(
                path,
                Place::Line(number as u64 + 1),
                format!("is no record of an episode: {error}"),
                "run the same command again: it writes the file anew from the journal",
            ))
        })?;
        records.push(record);
    }
    Ok(records)
}
