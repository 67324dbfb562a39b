//! Finds the real inputs: `AMBLER_DATA`, else `../shared/data` beside the repository.

use std::path::PathBuf;

/// The folder, or `None` (said loudly) where there is none. With `AMBLER_REQUIRE_DATA=1` its
/// absence is a failure.
pub(crate) fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("AMBLER_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(
        std::env::var_os("AMBLER_REQUIRE_DATA").is_none(),
        "AMBLER_REQUIRE_DATA is set, but {} is no folder",
        folder.display()
    );
    eprintln!("SKIPPED: no real inputs at {} (set AMBLER_DATA)", folder.display());
    None
}
