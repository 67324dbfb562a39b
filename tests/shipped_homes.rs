//! The homes that ship are what the generator makes from the seeds that docs/HOMES.md states.

use std::path::Path;
use std::process::Command;

/// Makes the home anew and compares all that the generator wrote.
fn remake(name: &str, options: &[&str], mesh: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let made = folder.path().join(name);
    let output = Command::new(env!("CARGO_BIN_EXE_ambler"))
        .args(["generate", "home", "--compact", "--name", name, "--out"])
        .arg(&made)
        .args(options)
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes").join(name);
    for file in ["scene.ron", mesh] {
        let [ours, theirs] =
            [&shipped, &made].map(|at| std::fs::read(at.join(file)).expect("a file of the home"));
        assert!(ours == theirs, "{name}/{file} is not what `generate home {options:?}` makes");
    }
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/HOMES.md"))
        .expect("the page on homes");
    let row = format!("| {name} | `{}` |", options.join(" "));
    assert!(page.contains(&row), "docs/HOMES.md lacks {row}");
}

#[test]
fn maple_studio_comes_from_its_seed() {
    remake("maple_studio", &["--seed", "11", "--rooms", "4", "--style", "japandi"], "home.glb.gz");
}

#[test]
fn station_house_on_two_floors_comes_from_its_seed() {
    let options = ["--seed", "16", "--rooms", "14", "--floors", "2", "--style", "traditional"];
    remake("station_house", &options, "home.glb.gz");
}

#[test]
fn foundry_loft_as_a_scan_comes_from_its_seed() {
    let options = [
        "--seed",
        "17",
        "--rooms",
        "8",
        "--style",
        "industrial",
        "--scan",
        "--scan-triangles",
        "200000",
    ];
    remake("foundry_loft", &options, "home_scan.glb.gz");
}
