//! What the paired tests say of pairs of runs whose truth is known, against what arithmetic says.

mod common;

use ambler_evaluate::*;
use ambler_geometry::random::Stream;
use common::entries;

/// Pairs of runs.
const RUNS: u64 = 2000;
/// Episodes of each run.
const EPISODES: u64 = 80;

/// How two simulated runs fare in the same episodes.
#[derive(Clone, Copy)]
struct Truth {
    /// Probability that both succeed, that only the first does, that only the second does.
    both: f64,
    only_first: f64,
    only_second: f64,
}

/// How often each test finds a difference at the 5 % level, of all pairs of runs.
struct Found {
    exact: f64,
    mid_p: f64,
    spl: f64,
}

fn scored(entry: &PlanEntry, success: bool, spl: f64) -> EpisodeRecord {
    let mut record = EpisodeRecord::blank(entry, Status::Done, None);
    record.success_rule = entry.task.clone();
    record.scores = Some(Scores {
        success: f64::from(u8::from(success)),
        spl: if success { spl } else { 0.0 },
        soft_spl: spl,
        distance_to_goal: Some(1.0),
        path_length_m: 2.0,
        shortest_path_m: 1.0,
        collisions: 0,
    });
    record
}

fn simulated(truth: Truth) -> Found {
    let entries = entries(EPISODES);
    let count = |seed: u64| {
        let mut stream = Stream::new(seed, "runs", "truth");
        let (first, second): (Vec<_>, Vec<_>) = entries
            .iter()
            .map(|entry| {
                let draw = stream.uniform();
                let both = draw < truth.both;
                let only_first = !both && draw < truth.both + truth.only_first;
                let last = truth.both + truth.only_first + truth.only_second;
                let only_second = !both && !only_first && draw < last;
                let spl = [stream.range(0.5, 1.0), stream.range(0.5, 1.0)];
                (scored(entry, both || only_first, spl[0]), scored(entry, both || only_second, spl[1]))
            })
            .unzip();
        let comparison = compare(&first, &second, seed);
        let spl = comparison.measures.iter().find(|measure| measure.name == "spl").expect("SPL");
        let [low, high] = spl.interval.expect("an interval");
        [comparison.mcnemar.exact <= 0.05, comparison.mcnemar.mid_p <= 0.05, low > 0.0 || high < 0.0]
            .map(u64::from)
    };
    let halves = std::thread::scope(|scope| {
        let threads = [0..RUNS / 2, RUNS / 2..RUNS].map(|seeds| {
            scope.spawn(|| seeds.map(count).fold([0; 3], |sum, one| [0, 1, 2].map(|i| sum[i] + one[i])))
        });
        threads.map(|thread| thread.join().expect("a count"))
    });
    let [exact, mid_p, spl] = [0, 1, 2].map(|i| (halves[0][i] + halves[1][i]) as f64 / RUNS as f64);
    Found { exact, mid_p, spl }
}

/// Probability that McNemar's test finds a difference: over the number of unequal pairs, binomial, and
/// of the first's wins among them, binomial too.
fn power(truth: Truth, p: impl Fn(McNemar) -> f64) -> f64 {
    let unequal = truth.only_first + truth.only_second;
    let share = truth.only_first / unequal;
    let binomial = |n: u64, k: u64, p: f64| {
        let choose = (0..k).fold(1.0, |c, i| c * (n - i) as f64 / (i + 1) as f64);
        choose * p.powi(k as i32) * (1.0 - p).powi((n - k) as i32)
    };
    let mut sum = 0.0;
    for n in 0..=EPISODES {
        let given: f64 =
            (0..=n).filter(|&k| p(McNemar::of(k, n - k)) <= 0.05).map(|k| binomial(n, k, share)).sum();
        sum += binomial(EPISODES, n, unequal) * given;
    }
    sum
}

/// Four standard errors of a share found in `RUNS` trials.
fn tolerance(share: f64) -> f64 {
    4.0 * (share * (1.0 - share) / RUNS as f64).sqrt()
}

#[test]
fn runs_that_differ_by_chance_are_called_different_at_the_nominal_rate() {
    let truth = Truth { both: 0.35, only_first: 0.15, only_second: 0.15 };
    let found = simulated(truth);
    // What the tests promise: the exact one stays below 5 %, mid-p comes close to it.
    let (exact, mid_p) = (power(truth, |test| test.exact), power(truth, |test| test.mid_p));
    assert!(exact < 0.05 && (0.04..0.055).contains(&mid_p), "{exact} {mid_p}");
    assert!((found.exact - exact).abs() < tolerance(exact), "{} against {exact}", found.exact);
    assert!((found.mid_p - mid_p).abs() < tolerance(mid_p), "{} against {mid_p}", found.mid_p);
    // A percentile interval of 80 values is short by √(79/80) and by the normal in place of t: of a
    // normal difference it would miss 0 in 5.5 % of runs.
    assert!((found.spl - 0.055).abs() < tolerance(0.055), "{} against 0.055", found.spl);
}

#[test]
fn runs_that_differ_in_truth_are_found_with_the_power_that_arithmetic_gives() {
    let truth = Truth { both: 0.35, only_first: 0.08, only_second: 0.24 };
    let found = simulated(truth);
    let (exact, mid_p) = (power(truth, |test| test.exact), power(truth, |test| test.mid_p));
    assert!(exact > 0.6 && mid_p > exact, "{exact} {mid_p}");
    assert!((found.exact - exact).abs() < tolerance(exact), "{} against {exact}", found.exact);
    assert!((found.mid_p - mid_p).abs() < tolerance(mid_p), "{} against {mid_p}", found.mid_p);
    // SPL of a success is uniform in [0.5, 1): mean 3/4, variance 1/48.
    let (mean, square) = (0.75, 0.75 * 0.75 + 1.0 / 48.0);
    let difference = mean * (truth.only_second - truth.only_first);
    let variance = truth.both * 2.0 / 48.0 + square * (truth.only_first + truth.only_second)
        - difference * difference;
    // One-sided, as the other side is out of reach.
    let z = difference / (variance / EPISODES as f64).sqrt() - 1.96 * (79.0f64 / 80.0).sqrt();
    let expected = 0.5 * libm::erfc(-z / std::f64::consts::SQRT_2);
    // Normal approximation: two hundredths on top of the simulation's own error.
    assert!(
        (found.spl - expected).abs() < tolerance(expected) + 0.02,
        "{} against {expected}",
        found.spl
    );
}
