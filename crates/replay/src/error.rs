use ambler_geometry::{Fault, Place};
use std::path::Path;

/// Why an episode log cannot be used at all. What is wrong behind a readable beginning is a notice in
/// the log instead ([`crate::Log::notices`]).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The file cannot be read or written.
    #[error("{0}")]
    Io(Fault),
    /// It is no MCAP file, or damaged before anything could be read.
    #[error("{0}")]
    Damaged(Fault),
    /// It is no episode log of Ambler, or one of another version.
    #[error("{0}")]
    Foreign(Fault),
}

impl ReplayError {
    /// The fault inside: path, place, what is wrong, what to do.
    pub fn fault(&self) -> &Fault {
        match self {
            Self::Io(fault) | Self::Damaged(fault) | Self::Foreign(fault) => fault,
        }
    }

    pub(crate) fn io(path: &Path, what: &str, error: &std::io::Error) -> Self {
        Self::Io(Fault::new(path, Place::Whole, format!("cannot {what}: {error}"), "check the path"))
    }

    pub(crate) fn damaged(path: &Path, byte: usize, what: impl Into<String>) -> Self {
        let remedy = "write the episode log again with `ambler eval --replays all`";
        Self::Damaged(Fault::new(path, Place::Byte(byte as u64), what, remedy))
    }

    pub(crate) fn foreign(path: &Path, what: impl Into<String>) -> Self {
        let remedy = "name a file that `ambler eval --replays all` wrote";
        Self::Foreign(Fault::new(path, Place::Whole, what, remedy))
    }
}
