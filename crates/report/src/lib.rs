//! Reports of runs: tables, figures, trajectories, files for other programs.
//!
//! [`read_runs`] reads run folders, [`Report::gather`] says of each episode how it came out and why
//! ([`Class`]), from its record, its log and, through [`Scenes`], its scene. [`TaskResults::all`] has the
//! numbers; means, intervals and tests are those of [`ambler_evaluate`]. [`html`] makes a page that stands
//! alone, [`csv`], [`parquet`] and [`latex`] make tables.
//!
//! What this crate never does: it never computes a statistic of its own, never reads a clock (the same runs
//! give the same bytes), never writes a file, never lets a name from a file become markup, and never makes a
//! page that loads anything from anywhere.
//!
//! ```no_run
//! use ambler_report::{NoScenes, Report, TaskResults, csv, html, read_runs};
//! use std::path::Path;
//!
//! let runs = read_runs(&["runs/frontier-1a2b3c4d".into(), "runs/oracle-5e6f7a8b".into()])?;
//! let report = Report::gather(runs, &NoScenes, &|_done| {});
//! let results = TaskResults::all(&report);
//! let folder = Path::new("runs");
//! std::fs::write(folder.join("report.html"), html(&report, &results, folder))?;
//! std::fs::write(folder.join("episodes.csv"), csv(&report.columns(folder)))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test"))]

mod class;
mod columns;
mod csv;
mod error;
mod gather;
mod html;
mod latex;
mod results;
mod run;
mod table_file;
mod track;

pub use class::{Class, NEAR_M, STUCK_M, Sight, Source, classify, classify_record};
pub use columns::{Column, Values};
pub use csv::csv;
pub use error::ReportError;
pub use gather::{Report, Row};
pub use html::{counts, document, html};
pub use latex::{escaped as latex_escaped, latex};
pub use results::{Best, Bin, Pair, TaskResults};
pub use run::{Run, read_runs};
pub use table_file::parquet;
pub use track::{Goals, NoScenes, Plan, Scenes, Track};
