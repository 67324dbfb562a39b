//! `decisions.ron` beside a library or a set of variants: what a person accepted or rejected.

use super::shapes::write_by_rename;
use crate::SceneError;
use crate::files::read_file;
use ambler_geometry::Place;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The file's name in the library's folder.
pub const DECISIONS: &str = "decisions.ron";
/// The version this build reads and writes.
const VERSION: u32 = 1;

/// What decisions are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decided {
    /// Objects of a library.
    Objects,
    /// Variants of homes.
    Variants,
    /// Episodes in them.
    Episodes,
}

impl Decided {
    /// As the file calls them.
    pub fn name(self) -> &'static str {
        match self {
            Self::Objects => "objects",
            Self::Variants => "variants",
            Self::Episodes => "episodes",
        }
    }
}

/// What a person decided about one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Decision {
    /// It stays.
    Accept,
    /// It is left out: an object by [`super::Library::read`], variants and episodes by what is made of a
    /// folder of variants.
    Reject,
}

/// Decisions by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decisions {
    version: u32,
    /// Objects of a library.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub objects: BTreeMap<String, Decision>,
    /// Variants.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variants: BTreeMap<String, Decision>,
    /// Episodes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub episodes: BTreeMap<String, Decision>,
}

impl Decisions {
    /// The file of a folder.
    pub fn path(folder: &Path) -> PathBuf {
        folder.join(DECISIONS)
    }

    /// Reads the file of a folder; none are made where there is no file.
    ///
    /// # Errors
    /// [`SceneError`] where the file cannot be read or is malformed.
    pub fn read(folder: &Path) -> Result<Self, SceneError> {
        let path = Self::path(folder);
        if !path.exists() {
            return Ok(Self { version: VERSION, ..Self::default() });
        }
        Self::parse(&read_file(&path, 64 << 20)?, &path)
    }

    /// Reads decisions from memory; `path` is for messages.
    ///
    /// # Errors
    /// [`SceneError::Malformed`] with the line.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self, SceneError> {
        let fault = |place: Place, what: String| {
            SceneError::malformed(path, place, what, "mend the line, or remove the file to begin anew")
        };
        let text = std::str::from_utf8(bytes)
            .map_err(|error| fault(Place::Byte(error.valid_up_to() as u64), "is not UTF-8".into()))?;
        let decisions: Self = ron::from_str(text)
            .map_err(|error| fault(Place::Line(error.span.start.line as u64), error.code.to_string()))?;
        if decisions.version != VERSION {
            return Err(fault(
                Place::Pointer("/version".into()),
                format!("version {}", decisions.version),
            ));
        }
        Ok(decisions)
    }

    /// Writes the file of a folder, by rename.
    ///
    /// # Errors
    /// [`SceneError::File`] where it cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), SceneError> {
        let path = Self::path(folder);
        let own = Self { version: VERSION, ..self.clone() };
        let text = ron::ser::to_string_pretty(&own, ron::ser::PrettyConfig::default())
            .map_err(|error| SceneError::file(&path, format!("cannot be written ({error})"), ""))?;
        write_by_rename(&path, text.as_bytes())
    }

    /// Those of one kind.
    pub fn of(&self, kind: Decided) -> &BTreeMap<String, Decision> {
        match kind {
            Decided::Objects => &self.objects,
            Decided::Variants => &self.variants,
            Decided::Episodes => &self.episodes,
        }
    }

    /// Those of one kind, to be changed.
    pub fn of_mut(&mut self, kind: Decided) -> &mut BTreeMap<String, Decision> {
        match kind {
            Decided::Objects => &mut self.objects,
            Decided::Variants => &mut self.variants,
            Decided::Episodes => &mut self.episodes,
        }
    }

    /// True for what is to be left out.
    pub fn rejects(&self, kind: Decided, name: &str) -> bool {
        self.of(kind).get(name) == Some(&Decision::Reject)
    }
}
