//! The run folder: what a run leaves on disk, and how it goes on after a crash.

mod files;
mod journal;
mod lock;
mod manifest;
mod read;
mod timing;

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub use journal::{Journal, TimedRecord, parse_journal};
pub use manifest::{Difference, Manifest, RUN_FORMAT};
pub use read::{StoredRun, parse_episodes, read_run};
pub use timing::{Timing, host_name};

use crate::error::EvaluateError;
use crate::plan::Plan;
use crate::record::EpisodeRecord;
use crate::statistics::Summary;
use ambler_geometry::{Fault, Place};

pub(crate) const MANIFEST: &str = "manifest.json";
pub(crate) const JOURNAL: &str = "journal.jsonl";
pub(crate) const EPISODES: &str = "episodes.jsonl";
pub(crate) const SUMMARY: &str = "summary.json";
pub(crate) const TIMING: &str = "timing.json";

/// What to do with a folder that already holds a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// Go on with it, if its manifest is equal.
    Resume,
    /// Remove its records and start anew.
    Fresh,
}

/// A run folder opened for writing, locked for this process.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    manifest: Manifest,
    journal: File,
    records: BTreeMap<(u64, String), TimedRecord>,
    notes: Vec<String>,
    _lock: lock::Lock,
}

impl RunFolder {
    /// Opens `path`, makes it where it is missing, and reads the records that it holds already.
    ///
    /// # Errors
    /// [`EvaluateError::Write`] when the folder cannot be made or written (a file is in the way, no
    /// permission, disk full); [`EvaluateError::Locked`] when another process writes there;
    /// [`EvaluateError::OtherRun`] when it holds a run with another manifest: the message names the
    /// keys that differ; [`EvaluateError::Read`] when what is there cannot be read.
    pub fn open(path: &Path, manifest: &Manifest, mode: OpenMode) -> Result<Self, EvaluateError> {
        fs::create_dir_all(path).map_err(|error| EvaluateError::write(path, &error))?;
        let lock = lock::Lock::take(path)?;
        if mode == OpenMode::Fresh {
            // The manifest goes last: a folder with records but without one would be refused.
            for name in [EPISODES, SUMMARY, TIMING, JOURNAL, MANIFEST] {
                remove(&path.join(name))?;
            }
        }
        let manifest_path = path.join(MANIFEST);
        let journal_path = path.join(JOURNAL);
        match fs::read(&manifest_path) {
            Ok(bytes) => {
                let present = Manifest::parse(&bytes, &manifest_path)?;
                if present != *manifest {
                    return Err(manifest::other_run(&manifest_path, manifest, &present));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if fs::metadata(&journal_path).is_ok_and(|metadata| metadata.len() > 0) {
                    return Err(EvaluateError::Read(Fault::new(
                        &manifest_path,
                        Place::Whole,
                        "is missing beside a journal with records",
                        "put it back, start afresh with --fresh, or choose another folder with --out",
                    )));
                }
                files::write_whole(path, MANIFEST, &manifest.to_bytes())?;
            }
            Err(error) => return Err(EvaluateError::read(&manifest_path, &error)),
        }
        let mut notes = Vec::new();
        let records = recover(path, &journal_path, &mut notes)?;
        let journal = OpenOptions::new()
            .append(true)
            .create(true)
            .open(&journal_path)
            .map_err(|error| EvaluateError::write(&journal_path, &error))?;
        files::sync_folder(path);
        Ok(Self {
            path: path.to_owned(),
            manifest: manifest.clone(),
            journal,
            records,
            notes,
            _lock: lock,
        })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The manifest of the run.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// What was repaired while opening, one sentence each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The records so far, in the order of the set.
    pub fn records(&self) -> impl Iterator<Item = &EpisodeRecord> {
        self.records.values().map(|timed| &timed.record)
    }

    /// Positions in the plan whose episodes have no record yet.
    pub fn pending(&self, plan: &Plan) -> Vec<usize> {
        let missing = |entry: &crate::plan::PlanEntry| {
            let (index, identity) = entry.key();
            !self.records.contains_key(&(index, identity.to_owned()))
        };
        let entries = plan.entries().iter().enumerate();
        entries.filter(|(_, entry)| missing(entry)).map(|(position, _)| position).collect()
    }

    /// Forgets the records for which `forget` holds, so that their episodes are run again; returns
    /// how many. The journal is replaced whole, and the results that no longer hold are removed.
    ///
    /// # Errors
    /// [`EvaluateError::Write`].
    pub fn forget(
        &mut self,
        mut forget: impl FnMut(&EpisodeRecord) -> bool,
    ) -> Result<usize, EvaluateError> {
        let before = self.records.len();
        let mut kept = self.records.clone();
        kept.retain(|_, timed| !forget(&timed.record));
        if kept.len() == before {
            return Ok(0);
        }
        for name in [EPISODES, SUMMARY, TIMING] {
            remove(&self.path.join(name))?;
        }
        rewrite_journal(&self.path, kept.values())?;
        let journal_path = self.path.join(JOURNAL);
        self.journal = OpenOptions::new()
            .append(true)
            .open(&journal_path)
            .map_err(|error| EvaluateError::write(&journal_path, &error))?;
        self.records = kept;
        Ok(before - self.records.len())
    }

    /// Appends records to the journal and syncs it. When this returns, they survive a crash. A
    /// record of an episode that has one already is dropped.
    ///
    /// # Errors
    /// [`EvaluateError::Write`]; the journal then ends in a torn line at worst, which the next
    /// opening removes.
    pub fn append(&mut self, records: Vec<TimedRecord>) -> Result<(), EvaluateError> {
        let mut bytes = Vec::new();
        let mut added = Vec::new();
        for timed in records {
            let timed = TimedRecord { record: timed.record.checked(), wall_s: timed.wall_s };
            let key = (timed.record.index, timed.record.identity.clone());
            if !self.records.contains_key(&key) {
                bytes.extend(journal::line(&timed));
                added.push((key, timed));
            }
        }
        let write = |file: &mut File| -> io::Result<()> {
            file.write_all(&bytes)?;
            file.sync_data()
        };
        write(&mut self.journal)
            .map_err(|error| EvaluateError::write(&self.path.join(JOURNAL), &error))?;
        self.records.extend(added);
        Ok(())
    }

    /// Writes `episodes.jsonl`, `summary.json` and `timing.json` from the records, in the order of
    /// the plan. Calling it again gives the same bytes.
    ///
    /// # Errors
    /// [`EvaluateError::Write`]; [`EvaluateError::Read`] when an episode of the plan has no record
    /// yet.
    pub fn finish(&mut self, plan: &Plan, timing: &Timing) -> Result<Summary, EvaluateError> {
        let mut bytes = Vec::new();
        let mut ordered = Vec::with_capacity(plan.len());
        for entry in plan.entries() {
            let (index, identity) = entry.key();
            let Some(timed) = self.records.get(&(index, identity.to_owned())) else {
                return Err(EvaluateError::Read(Fault::new(
                    self.path.join(JOURNAL),
                    Place::Whole,
                    format!("holds no record of episode {} (index {index}) yet", entry.episode_id),
                    "run the same command again: it goes on from the last record",
                )));
            };
            bytes.extend(timed.record.to_json().into_bytes());
            bytes.push(b'\n');
            ordered.push(&timed.record);
        }
        let summary = Summary::of(&ordered, self.manifest.seed());
        files::write_whole(&self.path, EPISODES, &bytes)?;
        files::write_whole(&self.path, SUMMARY, &files::pretty(&summary))?;
        let episodes = plan.entries().iter().filter_map(|entry| {
            let (index, identity) = entry.key();
            self.records.get(&(index, identity.to_owned()))
        });
        files::write_whole(&self.path, TIMING, &files::pretty(&timing.file(episodes)))?;
        Ok(summary)
    }
}

/// Reads the journal; removes a torn end and damaged lines from the file.
fn recover(
    folder: &Path,
    path: &Path,
    notes: &mut Vec<String>,
) -> Result<BTreeMap<(u64, String), TimedRecord>, EvaluateError> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(EvaluateError::read(path, &error)),
    };
    if !metadata.is_file() {
        return Err(EvaluateError::Read(Fault::new(
            path,
            Place::Whole,
            "is not a plain file",
            "choose another folder with --out",
        )));
    }
    let bytes = fs::read(path).map_err(|error| EvaluateError::read(path, &error))?;
    let journal = parse_journal(&bytes);
    let write_error = |error: io::Error| EvaluateError::write(path, &error);
    if !journal.damaged.is_empty() {
        notes.push(format!(
            "{}: {} damaged lines (first: line {}); their episodes are run again",
            path.display(),
            journal.damaged.len(),
            journal.damaged[0]
        ));
        rewrite_journal(folder, journal.records.iter())?;
    } else if journal.whole_bytes < bytes.len() as u64 {
        notes.push(format!(
            "{}: the last line was cut off after {} bytes; its episode is run again",
            path.display(),
            bytes.len() as u64 - journal.whole_bytes
        ));
        let file = OpenOptions::new().write(true).open(path).map_err(write_error)?;
        file.set_len(journal.whole_bytes).map_err(write_error)?;
        file.sync_all().map_err(write_error)?;
    }
    let keyed = journal.records.into_iter();
    Ok(keyed.map(|timed| ((timed.record.index, timed.record.identity.clone()), timed)).collect())
}

fn rewrite_journal<'a>(
    folder: &Path,
    records: impl Iterator<Item = &'a TimedRecord>,
) -> Result<(), EvaluateError> {
    let bytes: Vec<u8> = records.flat_map(journal::line).collect();
    files::write_whole(folder, JOURNAL, &bytes)
}

fn remove(path: &Path) -> Result<(), EvaluateError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(EvaluateError::write(path, &error)),
        _ => Ok(()),
    }
}
