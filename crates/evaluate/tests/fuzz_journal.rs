//! Journals, episode files and manifests that are torn, flipped, mixed or random: never a panic,
//! never a record that was not written.

mod common;

use std::path::Path;

use ambler_evaluate::*;
use common::*;
use proptest::prelude::*;

fn journal_of(count: u64) -> Vec<u8> {
    let plan = plan(count);
    let folder = tempfile::tempdir().expect("a temporary folder");
    run_in(folder.path(), &plan, 1, None);
    std::fs::read(folder.path().join("journal.jsonl")).expect("the journal")
}

fn only_true_records(bytes: &[u8]) {
    let journal = parse_journal(bytes);
    assert!(journal.whole_bytes as usize <= bytes.len());
    let entries = entries(64);
    for timed in &journal.records {
        let entry = usize::try_from(timed.record.index).ok().and_then(|index| entries.get(index));
        assert_eq!(Some(&timed.record), entry.map(record_of).as_ref());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        only_true_records(&bytes);
        let _ = parse_episodes(&bytes, Path::new("fuzz"));
        let _ = Manifest::parse(&bytes, Path::new("fuzz"));
    }

    #[test]
    fn random_lines(text in "(\\{\"check\":\"[0-9a-f]{0,16}\",\"wall_s\":-?[0-9e.]{1,8},\"record\":[\\[\\]{}\":,a-z0-9]{0,40}\\}\n?){0,6}") {
        only_true_records(text.as_bytes());
        let _ = parse_episodes(text.as_bytes(), Path::new("fuzz"));
        let _ = Manifest::parse(text.as_bytes(), Path::new("fuzz"));
    }
}

#[test]
fn flipped_cut_and_shuffled_journals_hold_no_untrue_record() {
    use ambler_geometry::random::Stream;
    let whole = journal_of(12);
    only_true_records(&whole);
    let mut stream = Stream::new(1, "fuzz", "journal");
    for _ in 0..2000 {
        let mut bytes = whole.clone();
        match stream.index(4) {
            0 => {
                let at = stream.index(bytes.len());
                bytes[at] ^= 1 << stream.index(8);
            }
            1 => {
                let from = stream.index(bytes.len());
                let to = from + stream.index(bytes.len() - from);
                bytes.drain(from..to);
            }
            2 => {
                let (from, at) = (stream.index(bytes.len()), stream.index(bytes.len()));
                let piece: Vec<u8> = bytes[from..].iter().take(stream.index(900)).copied().collect();
                bytes.splice(at..at, piece);
            }
            _ => {
                let from = stream.index(bytes.len());
                bytes[from..].fill(0);
            }
        }
        only_true_records(&bytes);
    }
}

/// Deeply nested JSON is refused by depth, not by a full stack.
#[test]
fn deep_nesting_is_refused() {
    let deep = format!("{{\"check\":\"\",\"record\":{}", "[".repeat(200_000));
    assert!(parse_journal(format!("{deep}\n").as_bytes()).records.is_empty());
    assert!(Manifest::parse(deep.as_bytes(), Path::new("deep")).is_err());
    assert!(parse_episodes(deep.as_bytes(), Path::new("deep")).is_err());
}
