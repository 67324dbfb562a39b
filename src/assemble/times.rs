//! What the parts of a step take, by the wall clock: for `timing.json` and the report alone.

use ambler_evaluate::Spent;
use ambler_plugin_simulation::{StepSet, observe_sets};
use bevy::prelude::App;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

const SETS: usize = StepSet::ORDER.len();

/// Nanoseconds by set of a step, in the order of [`StepSet::ORDER`].
#[derive(Default)]
pub struct StepTimes {
    on: AtomicBool,
    nanoseconds: [AtomicU64; SETS],
}

impl StepTimes {
    /// Adds up into `times` what the sets take in steps for which it is on.
    pub fn watch(times: &Arc<Self>, app: &mut App) {
        let times = Arc::clone(times);
        let mut last: Option<Instant> = None;
        observe_sets(app, move |set| {
            if set == StepSet::Count {
                // The step has just begun.
                last = times.on.load(Ordering::Relaxed).then(Instant::now);
            } else if let Some(before) = &mut last {
                let now = Instant::now();
                let spent = u64::try_from(now.duration_since(*before).as_nanos()).unwrap_or(u64::MAX);
                *before = now;
                if let Some(sum) = StepSet::ORDER
                    .iter()
                    .position(|&known| known == set)
                    .and_then(|index| times.nanoseconds.get(index))
                {
                    sum.fetch_add(spent, Ordering::Relaxed);
                }
            }
        });
    }

    /// Whether the next steps count.
    pub fn switch(&self, on: bool) {
        self.on.store(on, Ordering::Relaxed);
    }

    /// The sums since the last call.
    pub fn take(&self) -> Spent {
        let mut spent = Spent::default();
        for (set, sum) in StepSet::ORDER.iter().zip(&self.nanoseconds) {
            let nanoseconds = sum.swap(0, Ordering::Relaxed);
            if nanoseconds > 0 {
                spent.add(name(*set), nanoseconds as f64 * 1e-9);
            }
        }
        spent
    }
}

fn name(set: StepSet) -> &'static str {
    match set {
        StepSet::Count => "count",
        StepSet::Act => "act",
        StepSet::Physics => "physics",
        StepSet::Sense => "sense",
        StepSet::Score => "score",
    }
}
