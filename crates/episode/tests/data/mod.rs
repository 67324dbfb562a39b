//! Where the real inputs are.

use std::path::PathBuf;

/// The path of a real input, or `None` after saying loudly that the test is skipped. With
/// `AMBLER_REQUIRE_DATA=1` a missing input fails the test.
pub(crate) fn find(relative: &str) -> Option<PathBuf> {
    let root = std::env::var_os("AMBLER_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    let path = root.join(relative);
    if path.exists() {
        return Some(path);
    }
    assert!(
        std::env::var_os("AMBLER_REQUIRE_DATA").is_none_or(|value| value != "1"),
        "{} is missing and AMBLER_REQUIRE_DATA is 1",
        path.display()
    );
    println!("SKIPPED: {} is not there", path.display());
    None
}
