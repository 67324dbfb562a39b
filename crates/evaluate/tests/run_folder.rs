//! A run folder gives the same bytes whatever the workers, the order and the interruptions.

mod common;

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use ambler_evaluate::*;
use common::*;

fn fresh(name: &str) -> tempfile::TempDir {
    // In memory where there is such a place: thousands of syncs cost nothing there.
    let mut builder = tempfile::Builder::new();
    builder.prefix(name);
    builder.tempdir_in("/dev/shm").or_else(|_| builder.tempdir()).expect("a temporary folder")
}

#[test]
fn workers_and_order_do_not_change_a_byte() {
    let plan = plan(60);
    let reference = fresh("one");
    run_in(reference.path(), &plan, 1, None);
    let expected = promised(reference.path());
    assert_eq!(expected[1].iter().filter(|&&byte| byte == b'\n').count(), 60);
    for (workers, order) in [(2, None), (4, None), (1, Some(5)), (4, Some(6)), (100, Some(7))] {
        let folder = fresh("many");
        run_in(folder.path(), &plan, workers, order);
        assert!(promised(folder.path()) == expected, "{workers} workers, order {order:?}");
    }
}

#[test]
fn records_come_back_bit_by_bit() {
    for entry in entries(400) {
        let record = record_of(&entry);
        let back = parse_episodes(record.to_json().as_bytes(), Path::new("x")).expect("a record");
        assert_eq!(back[0], record);
        assert_eq!(back[0].to_json(), record.to_json());
    }
}

/// The journal cut at every byte: what was whole is kept, the rest is run again, the results are
/// the same bytes and no episode is run without need.
#[test]
fn a_journal_cut_at_any_byte_resumes() {
    let plan = plan(3);
    let whole = fresh("whole");
    run_in(whole.path(), &plan, 1, None);
    let expected = promised(whole.path());
    let journal = fs::read(whole.path().join("journal.jsonl")).expect("the journal");
    for cut in 0..=journal.len() {
        let folder = fresh("cut");
        fs::copy(whole.path().join("manifest.json"), folder.path().join("manifest.json"))
            .expect("copied");
        fs::write(folder.path().join("journal.jsonl"), &journal[..cut]).expect("written");
        let kept = journal[..cut].iter().filter(|&&byte| byte == b'\n').count();
        let counter = Counter::default();
        let mut run =
            RunFolder::open(folder.path(), &manifest(&plan), OpenMode::Resume).expect("opened");
        assert_eq!(run.records().count(), kept);
        let torn = cut > 0 && journal[cut - 1] != b'\n';
        assert_eq!(run.notes().len(), usize::from(torn), "{:?}", run.notes());
        let make = || -> Result<Box<dyn Worker + '_>, String> { Ok(Box::new(Counting(&counter))) };
        let done =
            execute(&plan, &mut run, &ExecuteOptions::default(), &make, &mut Silent).expect("a run");
        run.finish(&plan, &done.timing).expect("results");
        assert!(promised(folder.path()) == expected, "cut at {cut}");
        assert_eq!(counter.get(), 3 - kept, "cut at {cut}");
        let after = fs::read(folder.path().join("journal.jsonl")).expect("the journal");
        assert_eq!(after.iter().filter(|&&byte| byte == b'\n').count(), 3);
    }
}

#[test]
fn damaged_and_repeated_lines_are_left_out() {
    let plan = plan(8);
    let folder = fresh("damaged");
    run_in(folder.path(), &plan, 1, None);
    let expected = promised(folder.path());
    let path = folder.path().join("journal.jsonl");
    let mut bytes = fs::read(&path).expect("the journal");
    // One digit of a metric in the second line, a repeated line, a line of zeros.
    let second = bytes.iter().position(|&byte| byte == b'\n').expect("a line") + 1;
    let digit = second + bytes[second..].windows(7).position(|w| w == b"\"steps\"").expect("steps") + 8;
    bytes[digit] = if bytes[digit] == b'9' { b'8' } else { bytes[digit] + 1 };
    let first: Vec<u8> = bytes[..second].to_vec();
    bytes.extend(first);
    bytes.extend([0; 40]);
    bytes.push(b'\n');
    fs::write(&path, &bytes).expect("written");
    let journal = parse_journal(&bytes);
    assert_eq!(
        (journal.records.len(), journal.damaged.as_slice(), journal.repeated),
        (7, &[2, 10][..], 1)
    );
    run_in(folder.path(), &plan, 2, None);
    assert!(promised(folder.path()) == expected);
    assert!(parse_journal(&fs::read(&path).expect("the journal")).damaged.is_empty());
}

#[test]
fn another_manifest_is_refused_with_the_key_and_fresh_starts_anew() {
    let plan = plan(4);
    let folder = fresh("other");
    run_in(folder.path(), &plan, 1, None);
    let other = manifest(&plan)
        .with("settings", serde_json::json!({"max_steps": 500, "body": {"radius_m": 0.2}}));
    let error = RunFolder::open(folder.path(), &other, OpenMode::Resume).expect_err("refused");
    let text = error.to_string();
    assert!(matches!(error, EvaluateError::OtherRun(_)), "{text}");
    for part in ["/settings/body/radius_m", "0.17", "0.2", "--out", "--fresh", "manifest.json"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let run = RunFolder::open(folder.path(), &other, OpenMode::Fresh).expect("fresh");
    assert_eq!(run.records().count(), 0);
    assert!(!folder.path().join("episodes.jsonl").exists());
    // Another selection of the same set is another run.
    drop(run);
    let fewer =
        Plan::select(entries(4), &Selection { limit: Some(2), ..Selection::default() }).expect("a plan");
    let error =
        RunFolder::open(folder.path(), &manifest(&fewer), OpenMode::Resume).expect_err("refused");
    assert!(error.to_string().contains("/plan/episodes"), "{error}");
}

#[test]
fn a_folder_has_one_writer_and_a_left_lock_blocks_nobody() {
    let plan = plan(2);
    let folder = fresh("lock");
    fs::write(folder.path().join("run.lock"), "1").expect("a lock file of a dead run");
    let run = RunFolder::open(folder.path(), &manifest(&plan), OpenMode::Resume).expect("opened");
    let error = RunFolder::open(folder.path(), &manifest(&plan), OpenMode::Fresh).expect_err("locked");
    assert!(matches!(error, EvaluateError::Locked(_)));
    assert!(error.to_string().contains(&format!("process {}", std::process::id())), "{error}");
    drop(run);
    RunFolder::open(folder.path(), &manifest(&plan), OpenMode::Resume).expect("free again");
}

#[test]
fn a_file_in_the_way_and_a_journal_without_manifest_are_errors() {
    let plan = plan(2);
    let folder = fresh("file");
    let path = folder.path().join("results");
    fs::write(&path, "mine").expect("a file");
    let error = RunFolder::open(&path, &manifest(&plan), OpenMode::Fresh).expect_err("in the way");
    assert!(error.to_string().contains("results") && error.to_string().contains("--out"), "{error}");
    assert_eq!(fs::read(&path).expect("still there"), b"mine");
    let below = path.join("run");
    assert!(matches!(
        RunFolder::open(&below, &manifest(&plan), OpenMode::Resume),
        Err(EvaluateError::Write(_))
    ));
    run_in(folder.path(), &plan, 1, None);
    fs::remove_file(folder.path().join("manifest.json")).expect("removed");
    let error =
        RunFolder::open(folder.path(), &manifest(&plan), OpenMode::Resume).expect_err("no manifest");
    assert!(error.to_string().contains("missing beside a journal"), "{error}");
    fs::write(folder.path().join("manifest.json"), "{\"format\": 99}").expect("written");
    let error = RunFolder::open(folder.path(), &manifest(&plan), OpenMode::Resume).expect_err("newer");
    assert!(error.to_string().contains("format 99"), "{error}");
    fs::write(folder.path().join("manifest.json"), manifest(&plan).to_bytes()).expect("written");
    fs::remove_file(folder.path().join("journal.jsonl")).expect("removed");
    fs::create_dir(folder.path().join("journal.jsonl")).expect("a folder");
    let error =
        RunFolder::open(folder.path(), &manifest(&plan), OpenMode::Resume).expect_err("a folder");
    assert!(error.to_string().contains("journal.jsonl"), "{error}");
}

#[test]
fn failed_episodes_are_run_again_on_request() {
    let plan = plan(40);
    let folder = fresh("again");
    run_in(folder.path(), &plan, 2, None);
    let expected = promised(folder.path());
    let mut run = RunFolder::open(folder.path(), &manifest(&plan), OpenMode::Resume).expect("opened");
    let not_done = run.records().filter(|record| record.status != Status::Done).count();
    assert!(not_done > 0);
    assert_eq!(run.forget(|record| record.status != Status::Done).expect("forgotten"), not_done);
    assert!(!folder.path().join("summary.json").exists(), "results that no longer hold are gone");
    assert_eq!(run.pending(&plan).len(), not_done);
    drop(run);
    run_in(folder.path(), &plan, 2, None);
    assert!(promised(folder.path()) == expected);
}

#[test]
fn a_stopped_run_goes_on() {
    struct StopAfter<'a>(usize, &'a AtomicBool);
    impl Progress for StopAfter<'_> {
        fn update(&mut self, state: &ProgressState) {
            if state.ran() >= self.0 as u64 {
                self.1.store(true, Ordering::SeqCst);
            }
            assert!(state.recorded <= state.total && state.ran() <= state.recorded);
        }
    }
    let plan = plan(50);
    let folder = fresh("stopped");
    let stop = AtomicBool::new(false);
    let mut run = RunFolder::open(folder.path(), &manifest(&plan), OpenMode::Resume).expect("opened");
    let options = ExecuteOptions { workers: 2, order_seed: None, stop: Some(&stop) };
    let make = || -> Result<Box<dyn Worker>, String> {
        Ok(Box::new(Mock { nap: std::time::Duration::from_millis(2) }))
    };
    let done = execute(&plan, &mut run, &options, &make, &mut StopAfter(5, &stop)).expect("stopped");
    assert!(done.remaining > 0 && done.remaining < 50, "{}", done.remaining);
    let error = run.finish(&plan, &done.timing).expect_err("not all there");
    assert!(error.to_string().contains("run the same command again"), "{error}");
    let stored = read_run(folder.path()).expect("readable");
    assert_eq!((stored.finished, stored.records.len()), (false, 50 - done.remaining));
    drop(run);
    run_in(folder.path(), &plan, 2, None);
    let whole = fresh("whole");
    run_in(whole.path(), &plan, 1, None);
    assert!(promised(folder.path()) == promised(whole.path()));
    assert_eq!(read_run(folder.path()).expect("readable").records.len(), 50);
}

#[test]
fn a_panicking_worker_costs_its_episode_and_is_replaced() {
    struct Fragile(u64);
    impl Worker for Fragile {
        fn run(&mut self, entry: &PlanEntry) -> EpisodeRecord {
            self.0 += 1;
            if entry.index % 5 == 3 {
                std::panic::panic_any(format!("no wall at {}", entry.index));
            }
            let mut record = record_of(entry);
            record.extra.insert("runs_of_this_worker".to_owned(), self.0 as f64);
            record
        }
    }
    impl Drop for Fragile {
        fn drop(&mut self) {
            assert!(self.0 < 3, "a panic in the destructor is caught too");
        }
    }
    let plan = plan(10);
    let folder = fresh("fragile");
    let mut run = RunFolder::open(folder.path(), &manifest(&plan), OpenMode::Resume).expect("opened");
    let make = || -> Result<Box<dyn Worker>, String> { Ok(Box::new(Fragile(0))) };
    execute(&plan, &mut run, &ExecuteOptions::default(), &make, &mut Silent).expect("the run goes on");
    let faults: Vec<&EpisodeRecord> =
        run.records().filter(|record| record.status == Status::Fault).collect();
    let indices: Vec<u64> = faults.iter().map(|record| record.index).collect();
    assert_eq!(indices, [3, 8]);
    assert!(faults[0].reason.as_ref().is_some_and(|reason| reason.contains("no wall at 3")));
    let most = run
        .records()
        .filter_map(|record| record.extra.get("runs_of_this_worker"))
        .fold(0.0, |a, &b| f64::max(a, b));
    assert!(most < 10.0);
}

#[test]
fn a_worker_that_cannot_start_ends_the_run_with_its_reason() {
    let plan = plan(10);
    let folder = fresh("dead");
    let mut run = RunFolder::open(folder.path(), &manifest(&plan), OpenMode::Resume).expect("opened");
    let make = || -> Result<Box<dyn Worker>, String> { Err("no program 'agent.py'".to_owned()) };
    let error = execute(
        &plan,
        &mut run,
        &ExecuteOptions { workers: 3, ..ExecuteOptions::default() },
        &make,
        &mut Silent,
    )
    .expect_err("nothing to run");
    assert!(error.to_string().contains("no program 'agent.py'"), "{error}");
    let make = || -> Result<Box<dyn Worker>, String> { panic!("at the start") };
    let error =
        execute(&plan, &mut run, &ExecuteOptions::default(), &make, &mut Silent).expect_err("panics");
    assert!(error.to_string().contains("at the start"), "{error}");
}

#[test]
fn a_number_that_is_not_finite_becomes_a_fault() {
    struct Broken;
    impl Worker for Broken {
        fn run(&mut self, entry: &PlanEntry) -> EpisodeRecord {
            let mut record = record_of(entry);
            if let Some(scores) = &mut record.scores {
                scores.spl = f64::NAN;
            }
            record
        }
    }
    let plan = plan(5);
    let folder = fresh("nan");
    let mut run = RunFolder::open(folder.path(), &manifest(&plan), OpenMode::Resume).expect("opened");
    let make = || -> Result<Box<dyn Worker>, String> { Ok(Box::new(Broken)) };
    let done = execute(&plan, &mut run, &ExecuteOptions::default(), &make, &mut Silent).expect("a run");
    let summary = run.finish(&plan, &done.timing).expect("results");
    assert_eq!(summary.overall.valid, 0);
    assert!(summary.overall.faults > 0);
    assert_eq!(read_run(folder.path()).expect("readable").records.len(), 5);
}

#[test]
fn timing_is_kept_apart() {
    let plan = plan(9);
    let folder = fresh("timing");
    run_in(folder.path(), &plan, 2, None);
    let read = |name: &str| -> serde_json::Value {
        serde_json::from_slice(&fs::read(folder.path().join(name)).expect("a file")).expect("JSON")
    };
    let timing = read("timing.json");
    assert_eq!(timing["episode_wall_s"].as_array().map(Vec::len), Some(9));
    assert_eq!(timing["workers"], 2);
    assert!(timing["steps_per_second"].as_f64().is_some_and(|rate| rate > 0.0));
    let summary = read("summary.json");
    for key in
        ["episodes", "valid", "success", "spl", "soft_spl", "distance_to_goal", "intervals", "reasons"]
    {
        assert!(summary.get(key).is_some(), "{key}");
    }
    assert!(summary.get("steps_per_second").is_none() && summary.get("wall_s").is_none());
}
