//! Run folders as they come: truncated, incomplete, of other versions.

mod common;

use ambler_evaluate::{Manifest, OpenMode, RunFolder, TimedRecord};
use ambler_report::*;
use common::*;
use std::fs;
use std::path::{Path, PathBuf};

#[track_caller]
fn refused(path: &Path, words: &[&str]) {
    let error = read_runs(&[path.to_path_buf()]).expect_err("refused").to_string();
    for word in words {
        assert!(error.contains(word), "no {word:?} in {error}");
    }
}

fn run(folder: &Path) -> PathBuf {
    two_runs(folder).remove(0)
}

#[test]
fn what_is_no_run_is_said_so() {
    let folder = tempfile::tempdir().expect("a folder");
    refused(&folder.path().join("nowhere"), &["nowhere", "cannot be read", "manifest.json"]);
    refused(folder.path(), &["is no run and holds none"]);
    let path = run(folder.path());
    let manifest = path.join("manifest.json");
    let whole = fs::read(&manifest).expect("a manifest");
    for (bytes, word) in [
        (&b"{"[..], "line 1"),
        (b"[]", "not a JSON object"),
        (b"{}", "no number 'format'"),
        (br#"{"format": 99}"#, "run folder of format 99"),
    ] {
        fs::write(&manifest, bytes).expect("written");
        refused(&path, &["manifest.json", word]);
    }
    fs::write(&manifest, whole).expect("written");
    let twice = [path.clone(), folder.path().join("careful/../careful")];
    let error = read_runs(&twice).expect_err("refused").to_string();
    assert!(error.contains("named twice"), "{error}");
}

/// Cut at any byte, a file of records is read or refused with its line, and nothing else happens.
#[test]
fn records_that_are_cut_off_are_refused_with_their_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = run(folder.path());
    let file = path.join("episodes.jsonl");
    let whole = fs::read(&file).expect("records");
    for end in (0..whole.len()).step_by(37) {
        fs::write(&file, &whole[..end]).expect("written");
        match read_runs(std::slice::from_ref(&path)) {
            Ok(runs) => {
                let count = runs[0].records.len();
                assert!(count == 6 || runs[0].notes == [format!("has {count} of 6 planned episodes")]);
            }
            Err(error) => {
                let text = error.to_string();
                assert!(text.contains("episodes.jsonl, line") || text.contains("no record"), "{text}");
            }
        }
    }
}

#[test]
fn an_unfinished_run_is_reported_with_a_note() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = run(folder.path());
    fs::remove_file(path.join("episodes.jsonl")).expect("removed");
    refused(&path, &["no record of any episode"]);
    let other = folder.path().join("other");
    let record = read_runs(&two_runs(&other)).expect("runs")[0].records[0].clone();
    let manifest = ambler_evaluate::read_run(&path).expect("a run").manifest;
    let mut writing = RunFolder::open(&path, &manifest, OpenMode::Resume).expect("a run folder");
    writing.append(vec![TimedRecord { record, wall_s: 1.0 }]).expect("written");
    let mut journal = fs::read(path.join("journal.jsonl")).expect("a journal");
    journal.extend(b"{\"check\": \"cut off");
    fs::write(path.join("journal.jsonl"), journal).expect("written");
    let runs = read_runs(&[path]).expect("a run");
    assert_eq!(runs[0].notes, ["is unfinished: it has 1 of 6 planned episodes"]);
    assert_eq!(runs[0].records.len(), 1);
}

/// A log that is damaged, of another episode or of an earlier try is a note, and the record decides.
#[test]
fn logs_with_faults_are_noted_and_records_decide() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = two_runs(folder.path()).remove(1);
    let records = read_runs(std::slice::from_ref(&path)).expect("a run")[0].records.clone();
    let walk = Walk { actions: "FLS", blocked: false, seen: Some(&[]), away_m: &|_| 1.5 };
    let log_of = |place: usize| {
        let record = &records[place];
        log(&episode(&record.episode_id, &record.scene, &record.category), record, &walk)
    };
    let whole = ambler_replay::encode(&log_of(1));
    let file = write_log(&path, &records[1], &log_of(1));
    let judged = || {
        let runs = read_runs(std::slice::from_ref(&path)).expect("a run");
        let report = Report::gather(runs, &NoScenes, &|_| {});
        (report.rows[1].class, report.rows[1].source, report.notes)
    };
    assert_eq!(judged().0, Class::NeverSeen);
    for end in (0..whole.len()).step_by(97) {
        fs::write(&file, &whole[..end]).expect("written");
        let (class, source, notes) = judged();
        let noted = notes[0].starts_with("episode logs with faults: 1;");
        // Behind the last message only an index is cut off.
        let whole = (class, source) == (Class::NeverSeen, Source::Log);
        let by_record = (class, source) == (Class::StoppedEarly, Source::Record);
        assert!(whole || by_record && noted, "{class:?} at {end}: {notes:?}");
    }
    fs::write(&file, ambler_replay::encode(&log_of(3))).expect("written");
    let (class, source, notes) = judged();
    assert_eq!((class, source), (Class::StoppedEarly, Source::Record));
    assert!(notes[0].contains("is the log of another episode"), "{notes:?}");
    let mut earlier = log_of(1);
    earlier.record.as_mut().expect("a record").steps += 1;
    fs::write(&file, ambler_replay::encode(&earlier)).expect("written");
    assert!(judged().2[0].contains("is the log of an earlier try"), "{:?}", judged().2);
}

/// Runs of one agent are told apart; a folder stands for the runs in it.
#[test]
fn runs_have_names_of_their_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = two_runs(folder.path());
    let records = read_runs(&paths).expect("runs")[0].records.clone();
    write_run(&folder.path().join("later"), "hasty", &records);
    write_run(&folder.path().join("unnamed"), "", &records);
    let runs = read_runs(&[folder.path().to_path_buf()]).expect("runs");
    let names: Vec<&str> = runs.iter().map(|run| run.label.as_str()).collect();
    assert_eq!(names, ["careful", "hasty (hasty)", "hasty (later)", "unnamed"]);
}

/// What one agent was told differently names its runs.
#[test]
fn runs_of_one_agent_are_named_by_what_differs() {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = two_runs(folder.path());
    let records = read_runs(&paths).expect("runs")[0].records.clone();
    let told = [
        ("a", "relevance judged; final approach true", 7),
        ("b", "relevance judged; final approach false", 7),
        ("c", "relevance activities; final approach false", 8),
    ];
    let paths = told.map(|(name, identity, seed)| {
        let path = folder.path().join(name);
        write_run(&path, "tidy", &records);
        let manifest = Manifest::new("0.1.0", seed)
            .with("agent", "tidy")
            .with("agent_identity", identity)
            .with("plan", serde_json::json!({ "episodes": records.len(), "fingerprint": "" }));
        fs::write(path.join("manifest.json"), manifest.to_bytes()).expect("written");
        path
    });
    let names = |paths: &[PathBuf]| -> Vec<String> {
        read_runs(paths).expect("runs").into_iter().map(|run| run.label).collect()
    };
    assert_eq!(names(&paths[..2]), ["tidy · final approach true", "tidy · final approach false"]);
    // What most of them have is left out.
    let all = ["tidy · final approach true", "tidy", "tidy · relevance activities · seed 8"];
    assert_eq!(names(&paths), all);
}
