//! Reports from the outside: real runs, their pages and tables, and what is refused.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn ambler(scratch: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ambler"))
        .env("AMBLER_HOME", env!("CARGO_MANIFEST_DIR"))
        .env("AMBLER_CACHE", scratch.join("cache"))
        .current_dir(scratch)
        .args(arguments)
        .output()
        .expect("ambler starts")
}

/// Standard output and standard error of a command that ends with `code`.
#[track_caller]
fn ends(scratch: &Path, arguments: &[&str], code: i32) -> [String; 2] {
    let output = ambler(scratch, arguments);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "ambler {arguments:?}: {errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    [String::from_utf8(output.stdout).expect("text"), errors]
}

/// Runs of two agents over four object goals of a scan, with logs. Their few steps are
/// too few to be stuck.
fn two_runs(scratch: &Path) {
    let mut arguments = vec!["eval", "--agent", "oracle", "--agent", "random", "--replays", "all"];
    arguments.extend([
        "--where",
        "scene=washitsu",
        "--limit",
        "4",
        "--steps",
        "12",
        "--out",
        "runs",
        "--quiet",
    ]);
    ends(scratch, &arguments, 0);
}

#[test]
fn a_folder_of_runs_becomes_a_page_and_tables() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scratch = folder.path();
    two_runs(scratch);
    let [said, told] = ends(scratch, &["report", "runs", "--quiet"], 0);
    assert!(said.contains("oracle and random") && said.contains("McNemar"), "{said}");
    assert!(told.contains("wrote runs/report.html") && !told.contains("note:"), "{told}");
    let page = fs::read_to_string(scratch.join("runs/report.html")).expect("a page");
    assert_eq!(page.matches("<tr data-id=").count(), 8);
    assert_eq!(page.matches("<template ").count(), 8, "each has a trajectory");
    assert_eq!(page.matches("data:image/png;base64,").count(), 1, "over the plan of the one scene");

    let files =
        ["--csv", "t/e.csv", "--parquet", "t/e.parquet", "--latex", "t/t.tex", "--html", "t/r.html"];
    let mut arguments = vec!["report", "runs/oracle", "runs/random", "--json"];
    arguments.extend(files);
    let [said, _] = ends(scratch, &arguments, 0);
    let value: Value = serde_json::from_str(&said).expect("one JSON object");
    assert_eq!(value["tasks"][0]["comparisons"][0]["first"], "oracle");
    assert_eq!(value["notes"], Value::Array(Vec::new()));
    for task in value["tasks"].as_array().expect("tasks") {
        let outcomes = task["runs"]["random"]["outcomes"].as_object().expect("outcomes");
        let all: u64 = outcomes.values().filter_map(Value::as_u64).sum();
        assert_eq!(Some(all), task["runs"]["random"]["episodes"].as_u64());
    }
    let read = |name: &str| fs::read(scratch.join("t").join(name)).expect("a file");
    let names = ["e.csv", "e.parquet", "t.tex", "r.html"];
    let first = names.map(read);
    let table = String::from_utf8(first[0].clone()).expect("text");
    assert_eq!(table.lines().count(), 9);
    assert!(table.contains("../runs/random/replays/000"), "{table}");
    // What failed an object goal was judged with the scene.
    assert!(table.contains("log and scene"), "{table}");
    ends(scratch, &arguments, 0);
    assert!(first == names.map(read), "the same bytes");
}

#[test]
fn what_cannot_be_reported_is_said() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scratch = folder.path();
    ends(scratch, &["report"], 2);
    let [_, told] = ends(scratch, &["report", "nowhere"], 3);
    assert!(told.contains("nowhere") && told.contains("manifest.json"), "{told}");
    two_runs(scratch);
    // Without its scene a run is reported all the same, with a note.
    fs::create_dir(scratch.join("empty")).expect("a folder");
    let [_, told] = ends(scratch, &["report", "runs", "--scenes", "empty", "--quiet"], 0);
    assert!(told.contains("note: episodes judged or drawn without their scene: "), "{told}");
    let [_, told] = ends(scratch, &["report", "runs", "--csv", "runs/oracle/manifest.json/x.csv"], 3);
    assert!(told.contains("cannot write"), "{told}");
    fs::write(scratch.join("runs/oracle/episodes.jsonl"), "{\"index\": 0").expect("written");
    let [_, told] = ends(scratch, &["report", "runs"], 3);
    assert!(told.contains("episodes.jsonl, line 1"), "{told}");
}
