//! The shared data folder, for tests that need it.
#![allow(dead_code, reason = "each test file uses a part")]

use serde_json::Value;
use std::path::PathBuf;

/// A file or folder of the shared data; none, said loudly, when it is not there. With
/// `AMBLER_REQUIRE_DATA=1` a missing one fails the test.
pub(crate) fn data(relative: &str) -> Option<PathBuf> {
    let root = std::env::var_os("AMBLER_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    let path = root.join(relative);
    if path.exists() {
        return Some(path);
    }
    let required = std::env::var("AMBLER_REQUIRE_DATA").is_ok_and(|value| value == "1");
    assert!(!required, "{} is missing and AMBLER_REQUIRE_DATA=1", path.display());
    eprintln!("SKIPPED: {} is missing", path.display());
    None
}

/// A JSON file of the shared data.
pub(crate) fn json(relative: &str) -> Option<Value> {
    let bytes = std::fs::read(data(relative)?).expect("readable");
    Some(serde_json::from_slice(&bytes).expect("JSON"))
}
