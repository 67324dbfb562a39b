//! The journal: one line an episode, appended and synced as episodes end.
//!
//! A line is `{"check":"<16 hex digits>","wall_s":…,"record":{…}}`. The check is the start of the
//! blake3 hash of the record's JSON as this crate writes it, so that a torn or damaged line is told
//! from a whole one; its episode is run again.

use serde::{Deserialize, Serialize};

use crate::record::EpisodeRecord;

/// A record with the wall time that its episode took. The time goes to `timing.json` alone.
#[derive(Clone, Debug, PartialEq)]
pub struct TimedRecord {
    /// The episode's record.
    pub record: EpisodeRecord,
    /// Wall time of the episode in seconds.
    pub wall_s: f64,
}

#[derive(Serialize)]
struct LineOut<'a> {
    check: &'a str,
    wall_s: f64,
    record: &'a EpisodeRecord,
}

#[derive(Deserialize)]
struct LineIn {
    check: String,
    #[serde(default)]
    wall_s: Option<f64>,
    record: EpisodeRecord,
}

/// The line of a record, with its end.
pub(crate) fn line(timed: &TimedRecord) -> Vec<u8> {
    let check = check(&timed.record);
    let wall_s = if timed.wall_s.is_finite() { timed.wall_s } else { 0.0 };
    let line = LineOut { check: &check, wall_s, record: &timed.record };
    let mut bytes = serde_json::to_vec(&line).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

fn check(record: &EpisodeRecord) -> String {
    let mut text = blake3::hash(record.to_json().as_bytes()).to_hex().to_string();
    text.truncate(16);
    text
}

/// What a journal holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Journal {
    /// The whole records, in the order of their lines, each episode once: the first counts.
    pub records: Vec<TimedRecord>,
    /// Number of bytes up to the end of the last whole line; what follows is a torn line.
    pub whole_bytes: u64,
    /// Lines (from 1) before that which are damaged; their episodes are not in `records`.
    pub damaged: Vec<u64>,
    /// Number of lines that repeat an episode.
    pub repeated: u64,
}

/// Reads the bytes of a journal. Never fails: what is not a whole line is reported, not read.
///
/// ```
/// let journal = ambler_evaluate::parse_journal(b"{\"check\":\"torn");
/// assert!(journal.records.is_empty());
/// assert_eq!(journal.whole_bytes, 0);
/// ```
pub fn parse_journal(bytes: &[u8]) -> Journal {
    let mut journal = Journal::default();
    let mut seen = std::collections::BTreeSet::new();
    let mut start = 0usize;
    let mut number = 0u64;
    while let Some(length) = bytes[start..].iter().position(|&byte| byte == b'\n') {
        number += 1;
        match parse_line(&bytes[start..start + length]) {
            Some(timed) => {
                if seen.insert((timed.record.index, timed.record.identity.clone())) {
                    journal.records.push(timed);
                } else {
                    journal.repeated += 1;
                }
            }
            None => journal.damaged.push(number),
        }
        start += length + 1;
    }
    journal.whole_bytes = start as u64;
    journal
}

fn parse_line(bytes: &[u8]) -> Option<TimedRecord> {
    let line: LineIn = serde_json::from_slice(bytes).ok()?;
    if check(&line.record) != line.check {
        return None;
    }
    let wall_s = line.wall_s.filter(|wall| wall.is_finite() && *wall >= 0.0).unwrap_or(0.0);
    Some(TimedRecord { record: line.record, wall_s })
}
