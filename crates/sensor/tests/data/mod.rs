//! Where the real inputs are, and how to read Habitat's arrays.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::path::{Path, PathBuf};

/// The folder of real inputs, or `None` after saying loudly that the test is skipped.
///
/// # Panics
/// Where `AMBLER_REQUIRE_DATA` is 1 and the folder is not there.
pub(crate) fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("AMBLER_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    if folder.join("INDEX.md").is_file() {
        return Some(folder);
    }
    let required = std::env::var("AMBLER_REQUIRE_DATA").is_ok_and(|value| value == "1");
    assert!(!required, "AMBLER_REQUIRE_DATA=1, and there is no data in {}", folder.display());
    eprintln!("SKIPPED: no data in {}; set AMBLER_DATA", folder.display());
    None
}

/// The values of a .npy file of one of the types that Habitat's arrays have.
pub(crate) fn npy(path: &Path) -> Vec<f64> {
    let bytes = std::fs::read(path).expect("the file is there");
    let header = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let text = String::from_utf8_lossy(&bytes[10..10 + header]).into_owned();
    let body = &bytes[10 + header..];
    if text.contains("'<f4'") {
        body.as_chunks::<4>().0.iter().map(|&b| f64::from(f32::from_le_bytes(b))).collect()
    } else if text.contains("'<u2'") {
        body.as_chunks::<2>().0.iter().map(|&b| f64::from(u16::from_le_bytes(b))).collect()
    } else if text.contains("'|u1'") {
        body.iter().map(|&b| f64::from(b)).collect()
    } else {
        panic!("{}: an array of another type: {text}", path.display());
    }
}
