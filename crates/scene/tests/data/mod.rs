//! Where the real inputs are.

use std::path::PathBuf;

/// The folder of real inputs: `AMBLER_DATA`, or `../shared/data` beside the repository. `None`, said
/// aloud, where it is absent; a failure where `AMBLER_REQUIRE_DATA=1` asks for it.
pub(crate) fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("AMBLER_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    if folder.is_dir() {
        return Some(folder);
    }
    let required = std::env::var_os("AMBLER_REQUIRE_DATA").is_some_and(|value| value == "1");
    assert!(!required, "AMBLER_REQUIRE_DATA=1, but {} is not there", folder.display());
    eprintln!("SKIPPED: {} is not there", folder.display());
    None
}
