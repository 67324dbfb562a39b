use ambler_geometry::{Fault, Place};
use std::path::Path;

/// Why a scene could not be read or written. Each carries a [`Fault`]: file, place, what, remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SceneError {
    /// A file cannot be opened, read or written, or lies outside the scene's folder.
    #[error("{0}")]
    File(Box<Fault>),
    /// The content is truncated, malformed or contradicts itself.
    #[error("{0}")]
    Malformed(Box<Fault>),
    /// The content may be well-formed but uses something that Ambler does not read.
    #[error("{0}")]
    Unsupported(Box<Fault>),
    /// The content goes beyond a limit that keeps memory bounded.
    #[error("{0}")]
    TooLarge(Box<Fault>),
}

impl SceneError {
    /// File, place, what and remedy.
    pub fn fault(&self) -> &Fault {
        match self {
            Self::File(fault)
            | Self::Malformed(fault)
            | Self::Unsupported(fault)
            | Self::TooLarge(fault) => fault,
        }
    }

    pub(crate) fn file(path: &Path, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::File(Box::new(Fault::new(path, Place::Whole, what, remedy)))
    }

    pub(crate) fn malformed(
        path: &Path,
        place: Place,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self::Malformed(Box::new(Fault::new(path, place, what, remedy)))
    }

    pub(crate) fn unsupported(
        path: &Path,
        place: Place,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self::Unsupported(Box::new(Fault::new(path, place, what, remedy)))
    }

    pub(crate) fn too_large(
        path: &Path,
        place: Place,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self::TooLarge(Box::new(Fault::new(path, place, what, remedy)))
    }
}
