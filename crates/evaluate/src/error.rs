use std::io;
use std::path::Path;

use ambler_geometry::{Fault, Place};

/// What can go wrong with an evaluation as a whole. What goes wrong within one episode is no error:
/// it is written in that episode's record, and the run goes on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvaluateError {
    /// A file of the run folder cannot be read or is not what it should be.
    #[error("{0}")]
    Read(Fault),
    /// A file of the run folder cannot be written (disk full, no permission, not a folder).
    #[error("{0}")]
    Write(Fault),
    /// The folder holds a run whose results are determined by something else.
    #[error("{0}")]
    OtherRun(Fault),
    /// Another process is writing in the folder.
    #[error("{0}")]
    Locked(Fault),
    /// A filter is malformed, or leaves no episode.
    #[error("{0}")]
    Selection(Fault),
    /// A worker could not be started at all: the agent is unknown or its program is missing.
    #[error("{0}")]
    Worker(Fault),
}

impl EvaluateError {
    /// The fault inside: path, place, what is wrong, what to do.
    pub fn fault(&self) -> &Fault {
        match self {
            Self::Read(fault)
            | Self::Write(fault)
            | Self::OtherRun(fault)
            | Self::Locked(fault)
            | Self::Selection(fault)
            | Self::Worker(fault) => fault,
        }
    }

    pub(crate) fn read(path: &Path, error: &io::Error) -> Self {
        Self::Read(Fault::new(
            path,
            Place::Whole,
            format!("cannot be read: {error}"),
            read_remedy(error),
        ))
    }

    pub(crate) fn write(path: &Path, error: &io::Error) -> Self {
        Self::Write(Fault::new(
            path,
            Place::Whole,
            format!("cannot be written: {error}"),
            write_remedy(error),
        ))
    }

    pub(crate) fn selection(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Selection(Fault::new("", Place::Whole, what, remedy))
    }
}

fn read_remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "name the folder of a run (it holds manifest.json)",
        io::ErrorKind::PermissionDenied => "check the permissions of the folder",
        _ => "check the disk and the path",
    }
}

fn write_remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "make room and run the same command again: it goes on from the last record"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "choose a folder that you may write to with --out"
        }
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            "a file is in the way: choose another folder with --out"
        }
        _ => "choose another folder with --out",
    }
}
