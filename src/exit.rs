//! How the program ends: exit codes and the failures that cause them.

use ambler_geometry::{Fault, Place};
use std::fmt;
use std::path::Path;

/// Done.
pub const DONE: u8 = 0;
/// Done, but a result is not as asked.
pub const NOT_AS_ASKED: u8 = 1;
/// The command line or the settings make no sense.
pub const USAGE: u8 = 2;
/// A file cannot be used.
pub const INPUT: u8 = 3;

/// Why the program stops early. Its text is the whole message.
#[derive(Debug)]
pub enum Failure {
    /// A result is not as asked: no floor left, a check failed.
    NotAsAsked(String),
    /// The command line or the settings make no sense.
    Usage(String),
    /// A file cannot be used.
    Input(String),
}

impl Failure {
    /// The exit code.
    pub fn code(&self) -> u8 {
        match self {
            Self::NotAsAsked(_) => NOT_AS_ASKED,
            Self::Usage(_) => USAGE,
            Self::Input(_) => INPUT,
        }
    }

    /// A file that cannot be written.
    pub fn cannot_write(path: &Path, error: &std::io::Error) -> Self {
        let remedy = "check that the folder exists and may be written to";
        Self::Input(Fault::new(path, Place::Whole, format!("cannot write: {error}"), remedy).to_string())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAsAsked(text) | Self::Usage(text) | Self::Input(text) => f.write_str(text),
        }
    }
}

impl From<ambler_scene::SceneError> for Failure {
    fn from(error: ambler_scene::SceneError) -> Self {
        Self::Input(error.to_string())
    }
}

impl From<ambler_navmesh::NavMeshError> for Failure {
    fn from(error: ambler_navmesh::NavMeshError) -> Self {
        match error {
            ambler_navmesh::NavMeshError::NoFloor { .. } => Self::NotAsAsked(error.to_string()),
            // Sizes that make no navmesh, or not of this scene: other settings do.
            ambler_navmesh::NavMeshError::Build { .. } => Self::Usage(error.to_string()),
            ambler_navmesh::NavMeshError::Fault(_) => Self::Input(error.to_string()),
        }
    }
}

impl From<ambler_episode::EpisodeError> for Failure {
    fn from(error: ambler_episode::EpisodeError) -> Self {
        Self::Input(error.to_string())
    }
}

impl From<ambler_sensor::SensorError> for Failure {
    fn from(error: ambler_sensor::SensorError) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<ambler_agent::AgentError> for Failure {
    fn from(error: ambler_agent::AgentError) -> Self {
        match error {
            ambler_agent::AgentError::Input(_) => Self::Input(error.to_string()),
            _ => Self::Usage(error.to_string()),
        }
    }
}

impl From<ambler_replay::ReplayError> for Failure {
    fn from(error: ambler_replay::ReplayError) -> Self {
        Self::Input(error.to_string())
    }
}

impl From<ambler_report::ReportError> for Failure {
    fn from(error: ambler_report::ReportError) -> Self {
        Self::Input(error.to_string())
    }
}

impl From<ambler_evaluate::EvaluateError> for Failure {
    fn from(error: ambler_evaluate::EvaluateError) -> Self {
        use ambler_evaluate::EvaluateError as E;
        match error {
            E::Selection(_) | E::OtherRun(_) | E::Locked(_) => Self::Usage(error.to_string()),
            E::Worker(_) => Self::NotAsAsked(error.to_string()),
            E::Read(_) | E::Write(_) => Self::Input(error.to_string()),
        }
    }
}
