//! Two runs over the same episodes.

use std::collections::BTreeMap;

use ambler_geometry::random::Stream;
use serde::Serialize;

use super::bootstrap::Sample;
use super::mcnemar::McNemar;
use super::{MEASURES, measure};
use crate::record::EpisodeRecord;

/// The difference of one measure between two runs, over the episodes that both have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeasureDifference {
    /// Name of the measure.
    pub name: String,
    /// Number of pairs with a value in both runs.
    pub pairs: u64,
    /// Mean in the first run, over the pairs.
    pub first: Option<f64>,
    /// Mean in the second run, over the pairs.
    pub second: Option<f64>,
    /// Mean of second − first.
    pub difference: Option<f64>,
    /// 95 % percentile bootstrap interval of the difference, resampled by pair.
    pub interval: Option<[f64; 2]>,
}

/// Two runs compared episode by episode: the spread between episodes, which is the larger part,
/// drops out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Episodes that are valid in both.
    pub pairs: u64,
    /// Episodes of the first run without a valid partner.
    pub only_first: u64,
    /// Episodes of the second run without a valid partner.
    pub only_second: u64,
    /// Pairs in which only the first succeeded.
    pub first_wins: u64,
    /// Pairs in which only the second succeeded.
    pub second_wins: u64,
    /// Whether the two counts above are more unequal than chance makes them.
    pub mcnemar: McNemar,
    /// Whether both runs used the same success rules in their pairs; else success, SPL and SoftSPL
    /// do not compare.
    pub same_success_rules: bool,
    /// The measures.
    pub measures: Vec<MeasureDifference>,
}

/// Compares two runs. Episodes are matched by content (and the n-th repetition with the n-th), not
/// by id or position, so sets that were filtered differently compare too.
pub fn compare(first: &[EpisodeRecord], second: &[EpisodeRecord], seed: u64) -> Comparison {
    let first = keyed(first);
    let second = keyed(second);
    let pairs: Vec<(&EpisodeRecord, &EpisodeRecord)> = first
        .iter()
        .filter_map(|(key, &one)| second.get(key).map(|&two| (one, two)))
        .filter(|(one, two)| one.valid() && two.valid())
        .collect();
    // Three columns a measure: first, second, difference.
    let mut sample = Sample::new(3 * MEASURES.len());
    for (one, two) in &pairs {
        sample.push(MEASURES.iter().flat_map(|name| {
            let values = measure(one, name).zip(measure(two, name));
            [values.map(|(a, _)| a), values.map(|(_, b)| b), values.map(|(a, b)| b - a)]
        }));
    }
    let means = sample.means();
    let intervals = sample.intervals(&mut Stream::new(seed, "comparison", "bootstrap"));
    let measures = MEASURES
        .iter()
        .enumerate()
        .map(|(place, name)| MeasureDifference {
            name: (*name).to_owned(),
            pairs: means[3 * place].0,
            first: means[3 * place].1,
            second: means[3 * place + 1].1,
            difference: means[3 * place + 2].1,
            interval: intervals[3 * place + 2].map(|interval| [interval.low, interval.high]),
        })
        .collect();
    let succeeded = |record: &EpisodeRecord| measure(record, "success") == Some(1.0);
    let wins = |winner: fn(bool, bool) -> bool| {
        pairs.iter().filter(|(one, two)| winner(succeeded(one), succeeded(two))).count() as u64
    };
    let first_wins = wins(|one, two| one && !two);
    let second_wins = wins(|one, two| two && !one);
    Comparison {
        pairs: pairs.len() as u64,
        only_first: (first.len() - pairs.len()) as u64,
        only_second: (second.len() - pairs.len()) as u64,
        first_wins,
        second_wins,
        mcnemar: McNemar::of(first_wins, second_wins),
        same_success_rules: pairs.iter().all(|(one, two)| one.success_rule == two.success_rule),
        measures,
    }
}

fn keyed(records: &[EpisodeRecord]) -> BTreeMap<(&str, u64), &EpisodeRecord> {
    let mut repetitions: BTreeMap<&str, u64> = BTreeMap::new();
    let mut keyed = BTreeMap::new();
    for record in records {
        let repetition = repetitions.entry(&record.identity).or_default();
        keyed.insert((record.identity.as_str(), *repetition), record);
        *repetition += 1;
    }
    keyed
}
