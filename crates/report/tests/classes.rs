//! Why episodes failed, by the definitions of docs/RESULTS.md, on walks made by hand.

mod common;

use ambler_evaluate::{EpisodeRecord, Status};
use ambler_navmesh::NavReason;
use ambler_replay::Log;
use ambler_report::*;
use common::*;

/// The class of a failed walk, with what the agent said as the only evidence.
#[track_caller]
fn check(walk: &Walk<'_>, category: &str, sight: Option<Sight>, expected: Class) {
    let (record, log) = made(walk, category);
    assert_eq!(classify(&record, &log, sight), expected, "{}", walk.actions);
}

fn made(walk: &Walk<'_>, category: &str) -> (EpisodeRecord, Log) {
    let episode = episode("1", "flat", category);
    let mut record = record(0, &episode, false, 0.1);
    walked(&mut record, walk);
    let log = log(&episode, &record, walk);
    (record, log)
}

const fn seen(first: Option<u32>, at_end: bool) -> Option<Sight> {
    Some(Sight { first, at_end })
}

#[test]
fn stops_are_told_apart_by_what_was_seen() {
    let stop = Walk { actions: "FFLFS", blocked: false, seen: None, away_m: &|_| 3.0 };
    check(&stop, "bed", seen(Some(2), true), Class::StoppedEarly);
    check(&stop, "bed", seen(Some(2), false), Class::SeenAndMissed);
    check(&stop, "bed", seen(None, false), Class::NeverSeen);
    check(&stop, "bed", None, Class::StoppedEarly);
    // Nearly there counts as meant for the goal, seen or not.
    let near = Walk { away_m: &|_| 0.9, ..stop };
    check(&near, "bed", seen(None, false), Class::StoppedEarly);
    // A point cannot be seen.
    let stop = Walk { actions: "FFLFS", blocked: false, seen: None, away_m: &|_| 3.0 };
    check(&stop, "", seen(None, false), Class::StoppedEarly);
}

#[test]
fn steps_that_end_are_told_apart_by_the_way_left() {
    // 60 steps of 0.25 m straight on: never in one place.
    let far = "F".repeat(60);
    let walk = Walk { actions: &far, blocked: false, seen: None, away_m: &|_| 5.0 };
    check(&walk, "bed", seen(None, false), Class::NeverSeen);
    // Seen at step 10 with 50 steps left; 5 m take 20 steps, twice that is 40: time enough.
    check(&walk, "bed", seen(Some(10), true), Class::SeenAndMissed);
    // Seen at step 30: 30 are left, fewer than 40.
    check(&walk, "bed", seen(Some(30), true), Class::OutOfSteps);
    check(&walk, "bed", None, Class::OutOfSteps);
    check(&walk, "", None, Class::OutOfSteps);
}

#[test]
fn a_body_that_stays_is_stuck() {
    let push = "F".repeat(60);
    let walk = Walk { actions: &push, blocked: true, seen: None, away_m: &|_| 5.0 };
    check(&walk, "bed", seen(None, false), Class::Stuck);
    // Ninety steps on its way, then thirty in one place: the last quarter.
    let (way, stay) = ("F".repeat(90), "L".repeat(30));
    let late = format!("{way}{stay}");
    let walk = Walk { actions: &late, blocked: false, seen: None, away_m: &|_| 5.0 };
    check(&walk, "bed", seen(None, false), Class::Stuck);
    let short = format!("{way}{}", "L".repeat(20));
    let walk = Walk { actions: &short, blocked: false, seen: None, away_m: &|_| 5.0 };
    check(&walk, "bed", seen(None, false), Class::NeverSeen);
    // A few steps say nothing.
    let walk = Walk { actions: "FFFFFFFFFF", blocked: true, seen: None, away_m: &|_| 5.0 };
    check(&walk, "bed", None, Class::OutOfSteps);
}

#[test]
fn records_alone_know_less() {
    let (record, _) =
        made(&Walk { actions: "FFLFS", blocked: false, seen: None, away_m: &|_| 3.0 }, "bed");
    assert_eq!(classify_record(&record), Class::StoppedEarly);
    let push = "F".repeat(40);
    let (record, _) = made(&Walk { actions: &push, blocked: true, seen: None, away_m: &|_| 3.0 }, "bed");
    assert_eq!(classify_record(&record), Class::Stuck);
    let (record, _) =
        made(&Walk { actions: &push, blocked: false, seen: None, away_m: &|_| 3.0 }, "bed");
    assert_eq!(classify_record(&record), Class::OutOfSteps);
}

/// The reasons that the simulation gives, word for word.
#[test]
fn what_was_not_scored_has_its_class() {
    let episode = episode("1", "flat", "bed");
    let of = |status, reason: &str| classify_record(&refused(0, &episode, status, reason));
    for reason in [
        NavReason::StartOffMesh,
        NavReason::GoalOffMesh,
        NavReason::DifferentIsland { start: 0, goal: 1, start_area_m2: 9.0, goal_area_m2: 0.1 },
        NavReason::SearchExhausted,
    ] {
        let reason = format!("no goal can be reached: {reason}");
        assert_eq!(of(Status::Invalid, &reason), Class::Unreachable, "{reason}");
    }
    assert_eq!(of(Status::Invalid, "scene \"x\" was not found under scenes"), Class::NotScored);
    assert_eq!(of(Status::Fault, "the simulation panicked: island"), Class::NotScored);
    let mut failed = record(0, &episode, false, 0.1);
    failed.status = Status::Failed;
    assert_eq!(classify_record(&failed), Class::AgentFailed);
    let mut lost = record(0, &episode, false, 0.1);
    lost.scores.as_mut().expect("scores").distance_to_goal = None;
    assert_eq!(classify_record(&lost), Class::Unreachable);
    assert_eq!(classify_record(&record(0, &episode, true, 0.5)), Class::Success);
}

struct Eyes(Result<Sight, String>);

impl Scenes for Eyes {
    fn storey(&self, _: &ambler_replay::Header, _: f32) -> Result<usize, String> {
        Ok(0)
    }

    fn plan(&self, _: &ambler_replay::Header, _: usize) -> Result<Plan, String> {
        Err("no plan".to_owned())
    }

    fn sight(&self, _: &Log) -> Result<Sight, String> {
        self.0.clone()
    }
}

/// Scene first, then what the agent said, then the record; and each row says which.
#[test]
fn the_best_evidence_decides_and_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let walk = Walk { actions: "FFLFS", blocked: false, seen: Some(&[1]), away_m: &|_| 3.0 };
    let quiet = Walk { seen: None, ..walk };
    let walk = Walk { actions: "FFLFS", blocked: false, seen: Some(&[1]), away_m: &|_| 3.0 };
    let mut records = Vec::new();
    for (index, walk) in [(0, Some(&walk)), (1, Some(&quiet)), (2, None)] {
        let episode = episode(&format!("{index}"), "flat", "bed");
        let mut record = record(index, &episode, false, 0.1);
        walked(&mut record, walk.unwrap_or(&quiet));
        if let Some(walk) = walk {
            write_log(folder.path(), &record, &log(&episode, &record, walk));
        }
        records.push(record);
    }
    write_run(folder.path(), "agent", &records);
    let rows = |scenes: &dyn Scenes| {
        let runs = read_runs(&[folder.path().to_path_buf()]).expect("a run");
        let report = Report::gather(runs, scenes, &|_| {});
        report.rows.iter().map(|row| (row.class, row.source)).collect::<Vec<_>>()
    };
    assert_eq!(
        rows(&NoScenes),
        [
            // It said that it saw the goal in step 1, and not when it stopped.
            (Class::SeenAndMissed, Source::Log),
            (Class::StoppedEarly, Source::Log),
            (Class::StoppedEarly, Source::Record),
        ]
    );
    let blind = Eyes(Ok(Sight { first: None, at_end: false }));
    assert_eq!(
        rows(&blind),
        [
            (Class::NeverSeen, Source::Scene),
            (Class::NeverSeen, Source::Scene),
            (Class::StoppedEarly, Source::Record),
        ]
    );
}
