//! Evaluation: which episodes are run, by how many workers, what is kept of each, and what the
//! numbers say.
//!
//! A [`Plan`] is the filtered list of episodes. [`execute`] lets workers run it and one writer keep
//! their records in a [`RunFolder`], which survives a crash at any moment and goes on from there.
//! [`RunFolder::finish`] writes the results; [`Summary`], [`compare`] and [`report`] make tables of
//! them. The world itself is behind [`Simulation`], which is implemented above this crate.
//!
//! What this crate never does: it never lets time, host, order or number of workers into a result
//! (`episodes.jsonl`, `summary.json`, `manifest.json` are the same bytes each time; clocks go to
//! `timing.json` alone), never averages an invalid episode, never counts an episode twice, never
//! loses a record that was reported, never stops a run because one episode went wrong, and never
//! prints.
//!
//! ```
//! use ambler_evaluate::*;
//!
//! struct Coin;
//! impl Worker for Coin {
//!     fn run(&mut self, entry: &PlanEntry) -> EpisodeRecord {
//!         EpisodeRecord::blank(entry, Status::Invalid, Some("a coin cannot walk".to_owned()))
//!     }
//! }
//!
//! let entries = vec![PlanEntry {
//!     index: 0,
//!     episode_id: "0".to_owned(),
//!     identity: "e3b0c442".to_owned(),
//!     scene: "room".to_owned(),
//!     task: "pointnav".to_owned(),
//!     category: String::new(),
//! }];
//! let plan = Plan::select(entries, &Selection::default())?;
//! let manifest = Manifest::new("0.1.0", 7).with("agent", "coin").with_plan(&plan);
//! let path = std::env::temp_dir().join(format!("ambler-doc-{}", std::process::id()));
//! let mut folder = RunFolder::open(&path, &manifest, OpenMode::Fresh)?;
//! let run = execute(&plan, &mut folder, &ExecuteOptions::default(), &|| Ok(Box::new(Coin)), &mut Silent)?;
//! let summary = folder.finish(&plan, &run.timing)?;
//! assert_eq!((summary.overall.episodes, summary.overall.valid), (1, 0));
//! # std::fs::remove_dir_all(&path).ok();
//! # Ok::<(), EvaluateError>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests"))]

mod error;
mod execute;
mod folder;
mod plan;
mod progress;
mod queue;
mod record;
pub mod report;
mod run_episode;
mod simulation;
mod statistics;
mod watch;
mod worker;

pub use error::EvaluateError;
pub use execute::{ExecuteOptions, Execution, execute};
pub use folder::{
    Difference, Journal, Manifest, OpenMode, RUN_FORMAT, RunFolder, StoredRun, TimedRecord, Timing,
    host_name, parse_episodes, parse_journal, read_run,
};
pub use plan::{Condition, Key, Plan, PlanEntry, Selection};
pub use progress::{Progress, ProgressState, Silent};
pub use record::{EpisodeRecord, FinalPose, Scores, Status, action_letter, action_of_letter};
pub use run_episode::{Limits, Ran, run_episode, run_episode_watched};
pub use simulation::{Outcome, Simulation, SimulationFactory, Snapshot, Spent};
pub use statistics::{
    Comparison, Estimate, Group, Interval, LEVEL, MEASURES, McNemar, MeasureDifference, RESAMPLES,
    ReasonCount, Summary, compare, holm, measure,
};
pub use watch::Watcher;
pub use worker::{NavigationWorker, Worker, plan_entries};
