//! How far a run has come.

use crate::record::{EpisodeRecord, Status};

/// Told how far a run has come; the program draws it. Called from the thread that called
/// [`execute`](crate::execute): after records are safely in the journal, and about twice a second
/// in between.
pub trait Progress {
    /// The state now.
    fn update(&mut self, state: &ProgressState);
}

/// Draws nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn update(&mut self, _state: &ProgressState) {}
}

/// Counts and rates of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProgressState {
    /// Episodes of the plan.
    pub total: u64,
    /// Episodes with a record, earlier sessions among them.
    pub recorded: u64,
    /// Of these, found when the run was resumed.
    pub resumed: u64,
    /// Episodes that count (done or failed by the agent).
    pub valid: u64,
    /// Sum of success over them.
    pub success_sum: f64,
    /// Sum of SPL over them.
    pub spl_sum: f64,
    /// Failed by the agent.
    pub failed: u64,
    /// Invalid episodes.
    pub invalid: u64,
    /// Faults of the simulator.
    pub faults: u64,
    /// Actions taken in this session.
    pub steps: u64,
    /// Seconds since this session began.
    pub elapsed_s: f64,
}

impl ProgressState {
    /// Episodes run in this session.
    pub fn ran(&self) -> u64 {
        self.recorded - self.resumed
    }

    /// Episodes without a record.
    pub fn remaining(&self) -> u64 {
        self.total.saturating_sub(self.recorded)
    }

    /// Actions a second in this session.
    pub fn steps_per_second(&self) -> f64 {
        rate(self.steps, self.elapsed_s)
    }

    /// Episodes a second in this session.
    pub fn episodes_per_second(&self) -> f64 {
        rate(self.ran(), self.elapsed_s)
    }

    /// Estimated seconds to the end; `None` before the first episode has ended.
    pub fn remaining_s(&self) -> Option<f64> {
        let rate = self.episodes_per_second();
        (rate > 0.0).then(|| self.remaining() as f64 / rate)
    }

    pub(crate) fn count(&mut self, record: &EpisodeRecord) {
        self.recorded += 1;
        if record.valid() {
            self.valid += 1;
        }
        if let (true, Some(scores)) = (record.valid(), &record.scores) {
            self.success_sum += scores.success;
            self.spl_sum += scores.spl;
        }
        match record.status {
            Status::Done => {}
            Status::Failed => self.failed += 1,
            Status::Invalid => self.invalid += 1,
            Status::Fault => self.faults += 1,
        }
    }
}

fn rate(count: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { count as f64 / seconds } else { 0.0 }
}
