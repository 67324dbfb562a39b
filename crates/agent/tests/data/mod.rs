//! Where the real inputs are.

use std::path::PathBuf;

/// A file of the shared data; `None`, said loudly, where the data is not there.
pub(crate) fn file(name: &str) -> Option<PathBuf> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let folder = std::env::var_os("AMBLER_DATA").map_or_else(|| default.into(), PathBuf::from);
    let path = folder.join(name);
    if path.exists() {
        return Some(path);
    }
    let required = std::env::var("AMBLER_REQUIRE_DATA").is_ok_and(|value| value == "1");
    assert!(!required, "{} is missing, and AMBLER_REQUIRE_DATA is set", path.display());
    println!("SKIPPED: {} is not there", path.display());
    None
}
