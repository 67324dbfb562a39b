//! A run that is killed with SIGKILL at random moments, again and again, and at last let through,
//! gives the bytes of a run that was never killed; a full disk is an error that says what to do.
//!
//! The process that is killed is this test program itself, started anew with a folder in its
//! environment.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use ambler_evaluate::*;
use ambler_geometry::random::Stream;
use common::*;

const FOLDER: &str = "AMBLER_TEST_KILLED_FOLDER";
const EPISODES: u64 = 120;

/// The child: nothing when run as a test.
#[test]
fn child() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let plan = plan(EPISODES);
    let mut run = RunFolder::open(&folder, &manifest(&plan), OpenMode::Resume).expect("a run folder");
    let make =
        || -> Result<Box<dyn Worker>, String> { Ok(Box::new(Mock { nap: Duration::from_millis(1) })) };
    struct Said(PathBuf);
    impl Progress for Said {
        fn update(&mut self, state: &ProgressState) {
            // What is said to be done must be there after any crash.
            fs::write(&self.0, state.recorded.to_string()).expect("said");
        }
    }
    let options = ExecuteOptions { workers: 2, ..ExecuteOptions::default() };
    let mut said = Said(folder.with_extension("said"));
    match execute(&plan, &mut run, &options, &make, &mut said)
        .and_then(|done| run.finish(&plan, &done.timing))
    {
        Ok(_) => {}
        Err(error) => {
            eprintln!("FAILED WITH: {error}");
            std::process::exit(3);
        }
    }
}

fn child_command(folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", "child", "--nocapture", "--test-threads", "1"]).env(FOLDER, folder);
    command.stdout(Stdio::null());
    command
}

#[test]
fn killed_again_and_again_the_bytes_are_the_same() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let whole = base.path().join("whole");
    run_in(&whole, &plan(EPISODES), 1, None);
    let folder = base.path().join("killed");
    let mut stream = Stream::new(3, "killed", "moments");
    let mut kills = 0;
    let mut before = 0;
    for _ in 0..12 {
        let mut child = child_command(&folder).stderr(Stdio::null()).spawn().expect("a child");
        std::thread::sleep(Duration::from_micros(stream.range(2_000.0, 60_000.0) as u64));
        let ended = child.try_wait().expect("its state").is_some();
        child.kill().expect("SIGKILL");
        child.wait().expect("its end");
        if ended {
            break;
        }
        kills += 1;
        let journal = fs::read(folder.join("journal.jsonl")).unwrap_or_default();
        let now = parse_journal(&journal).records.len();
        assert!(now >= before, "a record was lost: {before} then {now}");
        before = now;
        let said = fs::read_to_string(folder.with_extension("said")).unwrap_or_default();
        if let Ok(said) = said.parse::<usize>() {
            assert!(now >= said, "{said} were said to be recorded, {now} are");
        }
    }
    assert!(kills > 0, "no run was killed before its end");
    let status = child_command(&folder).stderr(Stdio::null()).status().expect("a last run");
    assert!(status.success());
    assert!(promised(&folder) == promised(&whole));
    // Nothing was counted twice.
    assert_eq!(read_run(&folder).expect("the results").records.len(), EPISODES as usize);
}

/// A limit on the size of files stands in for a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_is_an_error_and_the_run_goes_on_later() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let folder = base.path().join("full");
    let whole = base.path().join("whole");
    run_in(&whole, &plan(EPISODES), 1, None);
    let program = std::env::current_exe().expect("this program");
    let output = Command::new("sh")
        .args([
            "-c",
            "trap '' XFSZ; ulimit -f 16; exec \"$0\" --exact child --nocapture --test-threads 1",
        ])
        .arg(program)
        .env(FOLDER, &folder)
        .output()
        .expect("a shell");
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("journal.jsonl") && text.contains("make room"), "{text}");
    let kept =
        parse_journal(&fs::read(folder.join("journal.jsonl")).expect("the journal")).records.len();
    assert!(kept > 0 && kept < EPISODES as usize, "{kept}");
    run_in(&folder, &plan(EPISODES), 2, None);
    assert!(promised(&folder) == promised(&whole));
}
