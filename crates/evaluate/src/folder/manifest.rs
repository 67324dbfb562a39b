//! What determines the results of a run.

use std::collections::BTreeSet;
use std::path::Path;

use ambler_geometry::{Fault, Place};
use serde::Serialize;
use serde_json::{Map, Value};

use super::files::{pretty, sorted};
use crate::error::EvaluateError;
use crate::plan::Plan;

/// Version of the layout of a run folder.
pub const RUN_FORMAT: u64 = 1;

/// What determines the results of a run, and nothing else: version, seed, settings, agent,
/// fingerprints of scenes, navmeshes and episodes. Never a time, a host, a path on this machine or
/// a number of workers. Two runs with equal manifests give equal results, byte by byte.
///
/// ```
/// use ambler_evaluate::Manifest;
/// let manifest = Manifest::new("0.1.0", 7)
///     .with("agent", "oracle")
///     .with("settings", serde_json::json!({"max_steps": 500}));
/// assert_eq!(manifest.get("seed"), Some(&serde_json::json!(7)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    values: Value,
}

impl Manifest {
    /// A manifest with the program's version and the run's seed.
    pub fn new(version: &str, seed: u64) -> Self {
        let mut map = Map::new();
        map.insert("format".to_owned(), RUN_FORMAT.into());
        map.insert("seed".to_owned(), seed.into());
        map.insert("version".to_owned(), version.into());
        Self { values: Value::Object(map) }
    }

    /// Adds or replaces a key. A value that has no form in JSON becomes null.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Serialize) -> Self {
        let value = serde_json::to_value(value).unwrap_or(Value::Null);
        if let Value::Object(map) = &mut self.values {
            map.insert(key.to_owned(), value);
        }
        self.values = sorted(&self.values);
        self
    }

    /// Adds the number and fingerprint of the planned episodes under `plan`.
    #[must_use]
    pub fn with_plan(self, plan: &Plan) -> Self {
        self.with("plan", serde_json::json!({"episodes": plan.len(), "fingerprint": plan.fingerprint()}))
    }

    /// The value of a top-level key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.values.get(key)
    }

    /// The run's seed; 0 when a file from elsewhere holds none.
    pub fn seed(&self) -> u64 {
        self.get("seed").and_then(Value::as_u64).unwrap_or(0)
    }

    /// All of it, keys sorted.
    pub fn value(&self) -> &Value {
        &self.values
    }

    /// The file's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        pretty(&self.values)
    }

    /// Reads the bytes of a `manifest.json`.
    ///
    /// # Errors
    /// [`EvaluateError::Read`] when they are no JSON object or of a newer format.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self, EvaluateError> {
        let fault = |place, what: String, remedy: &str| {
            EvaluateError::Read(Fault::new(path, place, what, remedy))
        };
        let values: Value = serde_json::from_slice(bytes).map_err(|error| {
            fault(
                Place::Line(error.line() as u64),
                format!("is no manifest: {error}"),
                "start afresh with --fresh",
            )
        })?;
        if !values.is_object() {
            return Err(fault(
                Place::Whole,
                "is no manifest: not a JSON object".to_owned(),
                "start afresh with --fresh",
            ));
        }
        match values.get("format").and_then(Value::as_u64) {
            Some(RUN_FORMAT) => Ok(Self { values: sorted(&values) }),
            Some(other) => Err(fault(
                Place::Pointer("/format".to_owned()),
                format!("run folder of format {other}, this program knows {RUN_FORMAT}"),
                "use the version of Ambler that wrote it, or another --out",
            )),
            None => Err(fault(
                Place::Pointer("/format".to_owned()),
                "is no manifest of a run: no number 'format'".to_owned(),
                "choose another folder with --out",
            )),
        }
    }

    /// Pointers at which two manifests differ, with both values, in the order of keys.
    pub fn differences(&self, other: &Self) -> Vec<Difference> {
        let mut found = Vec::new();
        compare("", Some(&self.values), Some(&other.values), &mut found);
        found
    }
}

/// One place where two manifests differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// JSON pointer.
    pub pointer: String,
    /// The value in the first manifest, shortened; `absent` when there is none.
    pub ours: String,
    /// The value in the second.
    pub theirs: String,
}

fn compare(pointer: &str, ours: Option<&Value>, theirs: Option<&Value>, found: &mut Vec<Difference>) {
    if ours == theirs {
        return;
    }
    if let (Some(Value::Object(a)), Some(Value::Object(b))) = (ours, theirs) {
        let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
        for key in keys {
            let escaped = key.replace('~', "~0").replace('/', "~1");
            compare(&format!("{pointer}/{escaped}"), a.get(key), b.get(key), found);
        }
        return;
    }
    found.push(Difference { pointer: pointer.to_owned(), ours: short(ours), theirs: short(theirs) });
}

fn short(value: Option<&Value>) -> String {
    let Some(value) = value else { return "absent".to_owned() };
    let text = value.to_string();
    if text.chars().count() <= 60 {
        return text;
    }
    text.chars().take(57).chain("...".chars()).collect()
}

/// The error for a folder whose manifest differs from that of the run to be made.
pub(crate) fn other_run(path: &Path, asked: &Manifest, present: &Manifest) -> EvaluateError {
    const SHOWN: usize = 4;
    let differences = asked.differences(present);
    let mut parts: Vec<String> = differences
        .iter()
        .take(SHOWN)
        .map(|difference| {
            format!("{} is {} there and {} now", difference.pointer, difference.theirs, difference.ours)
        })
        .collect();
    if differences.len() > SHOWN {
        parts.push(format!("and {} more differences", differences.len() - SHOWN));
    }
    let first = differences.into_iter().next().map_or_else(String::new, |difference| difference.pointer);
    EvaluateError::OtherRun(Fault::new(
        path,
        Place::Pointer(first),
        format!("this folder holds another run: {}", parts.join(", ")),
        "choose another folder with --out, or give up the old run with --fresh",
    ))
}
