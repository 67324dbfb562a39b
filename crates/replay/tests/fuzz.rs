//! Files that are truncated, flipped or hostile: a typed error or the readable part, never a panic.

mod common;

use ambler_replay::{Log, decode, encode};
use common::zoo_log;
use proptest::prelude::*;
use std::path::Path;
use std::sync::LazyLock;

static GOOD: LazyLock<(Log, Vec<u8>)> = LazyLock::new(|| {
    let log = zoo_log();
    let bytes = encode(&log);
    (log, bytes)
});

/// What is read is a beginning of the good log, and where it is not all, a notice says so.
fn check(bytes: &[u8]) {
    let (good, whole) = &*GOOD;
    if let Ok(log) = decode(bytes, Path::new("a.mcap")) {
        assert!(log.steps.len() <= good.steps.len());
        assert_eq!(log.steps[..], good.steps[..log.steps.len()]);
        let complete = log.steps.len() == good.steps.len() && log.record == good.record;
        assert!(complete || !log.notices.is_empty() || bytes == &whole[..]);
    }
}

#[test]
fn every_truncation_is_survived() {
    let bytes = &GOOD.1;
    for length in 0..bytes.len() {
        check(&bytes[..length]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn flipped_bits_are_survived(flips in prop::collection::vec((any::<prop::sample::Index>(), 0u8..8), 1..6)) {
        let mut bytes = GOOD.1.clone();
        for (index, bit) in flips {
            let at = index.index(bytes.len());
            bytes[at] ^= 1 << bit;
        }
        check(&bytes);
    }

    #[test]
    fn absurd_numbers_are_survived(at in any::<prop::sample::Index>(), value in prop::sample::select(
        vec![u64::MAX, u64::MAX - 8, 1 << 63, 1 << 40, u64::from(u32::MAX), 0]
    )) {
        let mut bytes = GOOD.1.clone();
        let at = at.index(bytes.len() - 8);
        bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        check(&bytes);
    }

    #[test]
    fn anything_behind_the_magic_is_survived(tail in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut bytes = b"\x89MCAP0\r\n".to_vec();
        bytes.extend(tail);
        let _ = decode(&bytes, Path::new("a.mcap"));
    }
}
