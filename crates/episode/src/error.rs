use ambler_geometry::{Fault, Place};
use std::path::Path;

/// Why episodes could not be read, written or made.
#[derive(Debug, thiserror::Error)]
pub enum EpisodeError {
    /// A file or folder could not be opened, read or written.
    #[error("{0}")]
    Io(Fault),
    /// The text is not JSON, the compressed stream is damaged, or the file is larger than allowed.
    #[error("{0}")]
    Format(Fault),
    /// The JSON is sound but lacks something or says something impossible.
    #[error("{0}")]
    Content(Fault),
    /// A value given by a caller (not by a file) makes no episode.
    #[error("{0}")]
    Value(Fault),
}

impl EpisodeError {
    /// File, place, what and remedy.
    pub fn fault(&self) -> &Fault {
        match self {
            Self::Io(fault) | Self::Format(fault) | Self::Content(fault) | Self::Value(fault) => fault,
        }
    }

    pub(crate) fn content(
        path: &Path,
        pointer: impl Into<String>,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self::Content(Fault::new(path, Place::Pointer(pointer.into()), what, remedy))
    }

    pub(crate) fn io(path: &Path, doing: &str, error: &std::io::Error, remedy: &str) -> Self {
        Self::Io(Fault::new(path, Place::Whole, format!("cannot {doing}: {error}"), remedy))
    }
}
