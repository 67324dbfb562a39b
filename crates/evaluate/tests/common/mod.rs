//! Episodes and a worker that need no scene: their outcome is a function of the identity alone.
#![allow(dead_code, unreachable_pub, reason = "each test file uses a part")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ambler_evaluate::*;
use ambler_geometry::random::Stream;

/// `count` episodes over three scenes, object goals of three categories and point goals.
pub fn entries(count: u64) -> Vec<PlanEntry> {
    (0..count)
        .map(|index| {
            let category = ["chair", "bed", "", "tv|monitor"][index as usize % 4];
            PlanEntry {
                index,
                // Ids repeat across scenes, as in real data sets.
                episode_id: (index / 3).to_string(),
                identity: format!("{:016x}{index:048x}", index.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
                scene: format!("set/{}/room.basis.glb", ["a", "b", "c"][index as usize % 3]),
                task: if category.is_empty() { "pointnav" } else { "objectnav" }.to_owned(),
                category: category.to_owned(),
            }
        })
        .collect()
}

pub fn plan(count: u64) -> Plan {
    Plan::select(entries(count), &Selection::default()).expect("a plan")
}

pub fn manifest(plan: &Plan) -> Manifest {
    Manifest::new("0.1.0", 11)
        .with("agent", "mock")
        .with("settings", serde_json::json!({"max_steps": 500, "body": {"radius_m": 0.17}}))
        .with_plan(plan)
}

/// The record that an episode always has: done, failed or invalid, with awkward numbers.
pub fn record_of(entry: &PlanEntry) -> EpisodeRecord {
    let mut stream = Stream::new(11, &entry.identity, "mock");
    let kind = stream.index(10);
    if kind == 0 {
        return EpisodeRecord::blank(
            entry,
            Status::Invalid,
            Some("goal on \"another\"\nisland — 1 ≠ 2".into()),
        );
    }
    let shortest = stream.range(0.5, 9.0);
    let path = shortest * stream.range(1.0, 2.0);
    let success = if kind == 1 { 0.0 } else { f64::from(stream.uniform() < 0.6) };
    let spl = success * shortest / path;
    let steps = 1 + stream.index(40) as u64;
    let mut record =
        EpisodeRecord::blank(entry, if kind == 1 { Status::Failed } else { Status::Done }, None);
    if kind == 1 {
        record.reason = Some("the agent's program ended: exit status 1".to_owned());
    }
    record.scores = Some(Scores {
        success,
        spl,
        soft_spl: spl,
        distance_to_goal: (kind != 2).then(|| stream.range(0.0, 5.0)),
        path_length_m: path,
        shortest_path_m: shortest,
        collisions: stream.index(5) as u64,
    });
    record.success_rule = entry.task.clone();
    record.extra = BTreeMap::from([("oracle_success".to_owned(), 1.0 / 3.0)]);
    record.steps = steps;
    record.stop_called = kind != 1;
    record.actions = (0..steps).map(|_| ['F', 'L', 'R'][stream.index(3)]).collect();
    record.end = Some(FinalPose {
        position: [stream.range(-9.0, 9.0) as f32, -0.0, 1.0e-30],
        yaw: stream.range(-3.2, 3.2),
    });
    record
}

pub struct Mock {
    pub nap: Duration,
}

impl Worker for Mock {
    fn run(&mut self, entry: &PlanEntry) -> EpisodeRecord {
        if !self.nap.is_zero() {
            std::thread::sleep(self.nap);
        }
        record_of(entry)
    }
}

/// Runs what is left of `plan` in `folder` with mock workers and finishes.
pub fn run_in(folder: &Path, plan: &Plan, workers: usize, order_seed: Option<u64>) -> Summary {
    let mut run = RunFolder::open(folder, &manifest(plan), OpenMode::Resume).expect("a run folder");
    let options = ExecuteOptions { workers, order_seed, stop: None };
    let make = || -> Result<Box<dyn Worker>, String> { Ok(Box::new(Mock { nap: Duration::ZERO })) };
    let done = execute(plan, &mut run, &options, &make, &mut Silent).expect("a run");
    assert_eq!(done.remaining, 0);
    run.finish(plan, &done.timing).expect("results")
}

/// The three files whose bytes are promised.
pub fn promised(folder: &Path) -> [Vec<u8>; 3] {
    ["manifest.json", "episodes.jsonl", "summary.json"]
        .map(|name| fs::read(folder.join(name)).expect("a result file"))
}

/// Counts how often an episode was run.
#[derive(Default)]
pub struct Counter(pub AtomicUsize);

impl Counter {
    pub fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// A mock worker that counts.
pub struct Counting<'a>(pub &'a Counter);

impl Worker for Counting<'_> {
    fn run(&mut self, entry: &PlanEntry) -> EpisodeRecord {
        self.0.0.fetch_add(1, Ordering::SeqCst);
        record_of(entry)
    }
}
