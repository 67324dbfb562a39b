//! `timing.json`: what depends on the machine and the hour, kept apart from the results.

use serde::Serialize;

use super::journal::TimedRecord;
use crate::simulation::Spent;

/// How long a run took and where.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Timing {
    /// Name of the host.
    pub host: String,
    /// Number of workers.
    pub workers: usize,
    /// Wall time of this session, in seconds: a resumed run counts from its resumption.
    pub wall_s: f64,
    /// Episodes run in this session.
    pub episodes: u64,
    /// Actions taken in this session.
    pub steps: u64,
    /// `steps / wall_s`; 0 when nothing was run.
    pub steps_per_second: f64,
    /// What the workers of this session spent together, by part, in seconds: `load` (scenes), `reset`
    /// (a fresh world), `policy` (what the agent does), `act`, `physics`, `sense` and `score` (the
    /// parts of a step) and `step` (the rest of it).
    pub spent_s: Spent,
}

#[derive(Serialize)]
pub(crate) struct TimingFile<'a> {
    #[serde(flatten)]
    session: &'a Timing,
    /// Sum over all episodes of the run, earlier sessions among them.
    episode_wall_s_sum: f64,
    episode_wall_s: Vec<EpisodeWall<'a>>,
}

#[derive(Serialize)]
struct EpisodeWall<'a> {
    index: u64,
    episode_id: &'a str,
    wall_s: f64,
}

impl Timing {
    pub(crate) fn file<'a>(&'a self, records: impl Iterator<Item = &'a TimedRecord>) -> TimingFile<'a> {
        let episode_wall_s: Vec<EpisodeWall<'a>> = records
            .map(|timed| EpisodeWall {
                index: timed.record.index,
                episode_id: &timed.record.episode_id,
                wall_s: timed.wall_s,
            })
            .collect();
        let episode_wall_s_sum = episode_wall_s.iter().map(|episode| episode.wall_s).sum();
        TimingFile { session: self, episode_wall_s_sum, episode_wall_s }
    }
}

/// The name of this machine, or `unknown`.
pub fn host_name() -> String {
    let from_kernel = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let name = from_kernel.or_else(|| std::env::var("HOSTNAME").ok()).unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "unknown".to_owned() } else { name.to_owned() }
}
