use std::fmt;
use std::path::PathBuf;

/// Where in an input something is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The input as a whole (missing file, wrong kind).
    Whole,
    /// A byte offset, from 0.
    Byte(u64),
    /// A line, from 1.
    Line(u64),
    /// A JSON pointer or a path of field names.
    Pointer(String),
}

/// What is wrong with an input, where, and what to do about it. The error types of the crates wrap
/// it, so that every message has the same shape: `file, place: what; remedy`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file as the user named it; empty for data that came without a file.
    pub path: PathBuf,
    /// Where in the file.
    pub place: Place,
    /// What is wrong.
    pub what: String,
    /// What the user can do.
    pub remedy: String,
}

impl Fault {
    /// A fault in `path` at `place`.
    pub fn new(
        path: impl Into<PathBuf>,
        place: Place,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { path: path.into(), place, what: what.into(), remedy: remedy.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.as_os_str().is_empty() {
            write!(f, "{}", self.path.display())?;
            match &self.place {
                Place::Whole => {}
                Place::Byte(byte) => write!(f, ", byte {byte}")?,
                Place::Line(line) => write!(f, ", line {line}")?,
                Place::Pointer(pointer) => write!(f, ", at {pointer}")?,
            }
            write!(f, ": ")?;
        }
        write!(f, "{}", self.what)?;
        if !self.remedy.is_empty() {
            write!(f, "; {}", self.remedy)?;
        }
        Ok(())
    }
}

impl std::error::Error for Fault {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_names_file_place_and_remedy() {
        let fault = Fault::new("a.ply", Place::Line(3), "unknown format 'ascii2'", "export it again");
        assert_eq!(fault.to_string(), "a.ply, line 3: unknown format 'ascii2'; export it again");
    }
}
