use ambler_evaluate::EvaluateError;
use ambler_geometry::{Fault, Place};
use std::path::Path;

/// Why there is no report. What is wrong with one episode or its log is a note in the report instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReportError {
    /// A run cannot be read: no run folder, damaged, of another version.
    #[error("{0}")]
    Run(Fault),
    /// What is written cannot be made or written.
    #[error("{0}")]
    Write(Fault),
}

impl ReportError {
    /// The fault inside: path, place, what is wrong, what to do.
    pub fn fault(&self) -> &Fault {
        match self {
            Self::Run(fault) | Self::Write(fault) => fault,
        }
    }

    pub(crate) fn run(path: &Path, what: impl Into<String>, remedy: &str) -> Self {
        Self::Run(Fault::new(path, Place::Whole, what, remedy))
    }
}

impl From<EvaluateError> for ReportError {
    fn from(error: EvaluateError) -> Self {
        Self::Run(error.fault().clone())
    }
}
