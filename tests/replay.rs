//! Episode logs from the outside: written beside results that they do not change, simulated again bit
//! for bit, compared, made a film of.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
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

#[track_caller]
fn ends(scratch: &Path, arguments: &[&str], code: i32) -> String {
    let output = ambler(scratch, arguments);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "ambler {arguments:?}: {errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    String::from_utf8(output.stdout).expect("text") + &errors
}

/// Runs `agent` over two of the shipped point goals and two of the object goals of a scan.
fn eval(scratch: &Path, agent: &str, out: &str, more: &[&str]) {
    let mut arguments = vec![
        "eval",
        "--agent",
        agent,
        "--where",
        "scene=washitsu",
        "--limit",
        "4",
        "--steps",
        "40",
        "--out",
        out,
        "--quiet",
    ];
    arguments.extend(more);
    ends(scratch, &arguments, 0);
}

fn results(scratch: &Path, out: &str) -> Vec<Vec<u8>> {
    let file = |name| std::fs::read(scratch.join(out).join(name)).expect("a result");
    ["manifest.json", "episodes.jsonl", "summary.json"].map(file).to_vec()
}

fn logs(scratch: &Path, out: &str) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = std::fs::read_dir(scratch.join(out).join("replays")).expect("a folder");
    entries
        .map(|entry| entry.expect("an entry").path())
        .map(|path| (path.file_name().expect("a name").into(), std::fs::read(&path).expect("readable")))
        .collect()
}

#[test]
fn logs_are_the_same_for_any_workers_change_no_result_and_hold_when_simulated_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scratch = folder.path();
    eval(scratch, "frontier", "plain", &[]);
    eval(scratch, "frontier", "one", &["--replays", "all", "--workers", "1"]);
    eval(scratch, "frontier", "two", &["--replays", "all", "--workers", "2", "--shuffle", "3"]);
    assert_eq!(results(scratch, "plain"), results(scratch, "one"));
    assert_eq!(results(scratch, "plain"), results(scratch, "two"));
    let one = logs(scratch, "one");
    assert_eq!(one.len(), 4);
    assert!(one == logs(scratch, "two"), "the same bytes of logs");
    // A finished run makes up for logs that it lacks, and for one that was lost.
    eval(scratch, "frontier", "plain", &["--replays", "all"]);
    assert!(one == logs(scratch, "plain") && results(scratch, "plain") == results(scratch, "one"));
    let lost = scratch.join("two/replays").join(one.keys().next().expect("one"));
    std::fs::remove_file(&lost).expect("removed");
    eval(scratch, "frontier", "two", &["--replays", "all"]);
    assert!(one == logs(scratch, "two") && results(scratch, "two") == results(scratch, "one"));

    let files: Vec<String> = one.keys().map(|name| format!("one/replays/{}", name.display())).collect();
    let mut check = vec!["replay", "--check", "--json"];
    check.extend(files.iter().map(String::as_str));
    let told: Value = serde_json::from_str(&ends(scratch, &check, 0)).expect("JSON");
    assert_eq!((&told["same"], told["files"].as_array().map(Vec::len)), (&true.into(), Some(4)));
    // Another scene under the name of the recorded one is found out.
    let other = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/quest_living_room");
    std::fs::create_dir(scratch.join("scenes")).expect("a folder");
    let copied = Command::new("cp").arg("-r").arg(other).arg(scratch.join("scenes/washitsu")).status();
    assert!(copied.expect("cp starts").success());
    let told = ends(scratch, &["replay", "--check", &files[0], "--scenes", "scenes"], 1);
    assert!(told.contains("settings") || told.contains("cannot be begun"), "{told}");

    // What is in it, for people and for programs.
    let told = ends(scratch, &["replay", &files[0]], 0);
    for part in ["agent frontier", "agent/frontier/map", "grid", "decision", "actions "] {
        assert!(told.contains(part), "no {part:?} in {told}");
    }
    let told: Value =
        serde_json::from_str(&ends(scratch, &["replay", &files[0], "--json"], 0)).expect("JSON");
    let record = &told["record"];
    assert_eq!(told["steps"].as_array().map(|steps| steps.len() as u64 - 1), record["steps"].as_u64());
    let end = told["steps"].as_array().and_then(|steps| steps.last()).expect("a step");
    assert_eq!(end["pose"]["position"], record["end"]["position"]);
    assert_eq!(end["path_length_m"], record["metrics"]["path_length_m"]);

    // Two agents part where the first does something else.
    eval(scratch, "forward", "forward", &["--replays", "failed"]);
    let (name, _) = logs(scratch, "forward").pop_first().expect("forward fails");
    let (a, b) =
        (format!("one/replays/{}", name.display()), format!("forward/replays/{}", name.display()));
    let told = ends(scratch, &["replay", &a, "--against", &b], 1);
    assert!(told.contains("action") && told.contains("first of all"), "{told}");
    assert!(ends(scratch, &["replay", &a, "--against", &a], 0).contains("equal"));

    // A cut file is read as far as it goes, and is no success.
    let whole = std::fs::read(scratch.join(&a)).expect("readable");
    std::fs::write(scratch.join("cut.mcap"), &whole[..whole.len() * 3 / 4]).expect("written");
    let output = ambler(scratch, &["replay", "cut.mcap"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    // 1: a part is there; 3: the first chunk is torn already.
    assert!(matches!(output.status.code(), Some(1 | 3)), "{told}");
    assert!(told.contains("bytes are announced") && !told.contains("panicked"), "{told}");
    std::fs::write(scratch.join("text.mcap"), "hello").expect("written");
    assert!(ends(scratch, &["replay", "text.mcap"], 3).contains("not an MCAP file"));
    assert!(ends(scratch, &["replay", &a, &b], 2).contains("--check"));
}

#[test]
fn a_film_has_a_picture_a_step() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scratch = folder.path();
    eval(scratch, "greedy", "run", &["--replays", "all"]);
    let (name, _) = logs(scratch, "run").pop_first().expect("one");
    let file = format!("run/replays/{}", name.display());
    let log: Value =
        serde_json::from_str(&ends(scratch, &["replay", &file, "--json"], 0)).expect("JSON");
    let steps = log["steps"].as_array().expect("steps").len();
    for out in ["film.mp4", "again.mp4"] {
        let told = ends(scratch, &["replay", &file, "--video", out, "--json"], 0);
        let told: Value = serde_json::from_str(&told).expect("JSON");
        assert_eq!(told["pictures"].as_u64(), Some(steps as u64 + 20));
    }
    let film = std::fs::read(scratch.join("film.mp4")).expect("written");
    assert_eq!(&film[4..8], b"ftyp");
    assert!(film == std::fs::read(scratch.join("again.mp4")).expect("written"), "the same bytes");
    // The number of frames as the container has it: `stsz`, version, size 0, count.
    let at = film.windows(4).position(|window| window == b"stsz").expect("a table of sizes");
    let count = u32::from_be_bytes(film[at + 12..at + 16].try_into().expect("four bytes"));
    assert_eq!(count as usize, steps + 20);
    let told = ends(scratch, &["replay", &file, "--video", "film.avi"], 3);
    assert!(told.contains(".mp4 or .gif"), "{told}");
}
