//! Means, intervals and comparisons over records.

mod bootstrap;
mod compare;
mod mcnemar;
mod summary;

pub use bootstrap::{Interval, LEVEL, RESAMPLES};
pub use compare::{Comparison, MeasureDifference, compare};
pub use mcnemar::{McNemar, holm};
pub use summary::{Estimate, Group, ReasonCount, Summary};

use crate::record::EpisodeRecord;

/// Names of the measures that every navigation task has, in the order of the reports.
pub const MEASURES: [&str; 7] =
    ["success", "spl", "soft_spl", "distance_to_goal", "path_length_m", "steps", "collisions"];

/// The value of measure `name` in a record; `None` where it has none (not valid, distance
/// infinite, no such extra measure).
pub fn measure(record: &EpisodeRecord, name: &str) -> Option<f64> {
    if !record.valid() {
        return None;
    }
    let scores = record.scores.as_ref()?;
    match name {
        "success" => Some(scores.success),
        "spl" => Some(scores.spl),
        "soft_spl" => Some(scores.soft_spl),
        "distance_to_goal" => scores.distance_to_goal,
        "path_length_m" => Some(scores.path_length_m),
        "steps" => Some(record.steps as f64),
        "collisions" => Some(scores.collisions as f64),
        extra => record.extra.get(extra).copied(),
    }
}
