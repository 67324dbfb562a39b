//! Logs of whole evaluations: the same bytes for any number of workers, results untouched by them, and
//! the same when simulated again.

mod common;

use ambler_evaluate::*;
use ambler_replay::*;
use common::*;
use std::collections::BTreeMap;
use std::path::Path;

/// Results and logs of a run.
fn run(
    agent: &str,
    which: Option<Which>,
    workers: usize,
    order_seed: Option<u64>,
) -> (Vec<Vec<u8>>, BTreeMap<String, Vec<u8>>) {
    let set = set(12);
    let plan = Plan::select(plan_entries(&set), &Selection::default()).expect("a plan");
    let policies = policies(agent);
    let manifest = Manifest::new("0.1.0", 3).with("agent", agent).with_plan(&plan);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let logs = folder.path().join("replays");
    std::fs::create_dir(&logs).expect("a folder");
    let mut run = RunFolder::open(folder.path(), &manifest, OpenMode::Resume).expect("opened");
    let floors = Floors(mesh());
    let replays =
        which.map(|which| ReplayFolder::new(&logs, which, |_, episode| Header::for_episode(episode)));
    let limits = Limits { max_steps: 60 };
    let make = || -> Result<Box<dyn Worker + '_>, String> {
        let worker = NavigationWorker::new(&set.episodes, &floors, policies.as_ref(), limits)?;
        Ok(match &replays {
            Some(replays) => Box::new(worker.watched(replays.watcher())),
            None => Box::new(worker),
        })
    };
    let options = ExecuteOptions { workers, order_seed, stop: None };
    let done = execute(&plan, &mut run, &options, &make, &mut Silent).expect("a run");
    run.finish(&plan, &done.timing).expect("results");
    let results = ["manifest.json", "episodes.jsonl", "summary.json"]
        .map(|name| std::fs::read(folder.path().join(name)).expect("a result"));
    let files = std::fs::read_dir(&logs).expect("a folder").map(|entry| entry.expect("an entry"));
    let files = files
        .map(|file| {
            let name = file.file_name().into_string().expect("plain");
            (name, std::fs::read(file.path()).expect("readable"))
        })
        .collect();
    assert!(replays.is_none_or(|replays| replays.problems().is_empty()));
    (results.to_vec(), files)
}

#[test]
fn logs_change_no_result_and_depend_on_nothing_but_the_run() {
    for agent in ["random", "greedy", "oracle"] {
        let (plain, none) = run(agent, None, 1, None);
        let (results, logs) = run(agent, Some(Which::All), 1, None);
        assert!(plain == results && none.is_empty(), "{agent}");
        // Three of twelve goals lie off the floor: nothing began there.
        assert_eq!(logs.len(), 9, "{agent}: {:?}", logs.keys());
        for (workers, order) in [(3, None), (2, Some(5))] {
            let (again, others) = run(agent, Some(Which::All), workers, order);
            assert!(again == results && others == logs, "{agent}, {workers} workers");
        }
        let failed = run(agent, Some(Which::Failed), 2, None).1;
        let expected: BTreeMap<String, Vec<u8>> = logs
            .iter()
            .filter(|(name, bytes)| {
                let log = decode(bytes, Path::new(name)).expect("good");
                log.record.expect("whole").scores.expect("scores").success < 1.0
            })
            .map(|(name, bytes)| (name.clone(), bytes.clone()))
            .collect();
        assert!(failed == expected, "{agent}");
        assert_eq!(agent == "random", !failed.is_empty(), "{agent}");
    }
}

#[test]
fn a_simulation_again_is_the_same_and_a_fault_in_it_is_named() {
    let (_, logs) = run("greedy", Some(Which::All), 1, None);
    let mesh = mesh();
    for (name, bytes) in &logs {
        let log = decode(bytes, Path::new(name)).expect("good");
        let record = log.record.clone().expect("whole");
        assert_eq!(log.last_step() as u64, record.steps, "{name}");
        assert_eq!(log.header.seed, 3);
        let mut floor = Floor::new(&mesh);
        let same = resimulate(&mut floor, &log, log.header.clone()).expect("it begins");
        assert!(same.comparison.is_equal(), "{name}: {:?}", same.comparison);
        // A body that is a micrometre off from the third step on.
        floor.shift_at = Some(3);
        let other = resimulate(&mut floor, &log, log.header.clone()).expect("it begins").comparison;
        let first = other.first().expect("a difference");
        assert_eq!((first.kind, first.step), (Kind::Pose, Some(3)), "{name}: {other:?}");
        assert!(first.kind.culprit().contains("simulator"));
    }
    // Another scene is another episode, whatever else is equal.
    let log = decode(logs.values().next().expect("one"), Path::new("a")).expect("good");
    let header = Header { scene_fingerprint: "other".into(), ..log.header.clone() };
    let found = resimulate(&mut Floor::new(&mesh), &log, header).expect("it begins").comparison;
    assert_eq!(found.first().map(|first| first.kind), Some(Kind::Settings));
}

#[test]
fn two_agents_part_at_their_first_other_action() {
    let greedy = run("greedy", Some(Which::All), 1, None).1;
    let forward = run("forward", Some(Which::All), 1, None).1;
    let (name, one) = greedy.iter().next().expect("one");
    let read = |bytes: &Vec<u8>| decode(bytes, Path::new("a")).expect("good");
    let (a, b) = (read(one), read(&forward[name]));
    let found = ambler_replay::compare(&a, &b, false);
    let at = a.steps.iter().zip(&b.steps).position(|(p, q)| p.action != q.action).expect("they part");
    let first = found.first().expect("a difference");
    assert_eq!((first.kind, first.step), (Kind::Action, Some(at as u32 - 1)));
}
