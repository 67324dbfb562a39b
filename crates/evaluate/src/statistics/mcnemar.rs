//! McNemar's test on paired successes, and Holm's correction for several tests.

use serde::Serialize;

/// The two-sided p-values of McNemar's test. Under the null hypothesis each pair in which only one
/// of the two runs succeeded is as likely to be the first's as the second's, so that their number is
/// binomial with probability 1/2.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct McNemar {
    /// The exact binomial test: never above its level, mostly well below it.
    pub exact: f64,
    /// The mid-p test, in which the observed outcome counts half: close to its level (Fagerland,
    /// Lydersen and Laake, 2013).
    pub mid_p: f64,
}

impl McNemar {
    /// The test of `first` pairs that only the first run won and `second` that only the second won.
    /// Without any, nothing speaks against the null hypothesis: both values are 1.
    ///
    /// ```
    /// // 1 against 7: 2 · (1 + 8) / 2⁸ = 0.0703, less the 8 / 2⁸ of the outcome itself.
    /// let test = ambler_evaluate::McNemar::of(1, 7);
    /// assert!((test.exact - 0.0703125).abs() < 1e-12 && (test.mid_p - 0.0390625).abs() < 1e-12);
    /// ```
    pub fn of(first: u64, second: u64) -> Self {
        let (all, fewer) = (first + second, first.min(second));
        if all == 0 {
            return Self { exact: 1.0, mid_p: 1.0 };
        }
        // The terms grow up to the last, so the smallest are added first.
        let tail: f64 = (0..=fewer).map(|k| fair_coin(all, k)).sum();
        let outcome = fair_coin(all, fewer);
        Self { exact: (2.0 * tail).min(1.0), mid_p: (2.0 * tail - outcome).clamp(0.0, 1.0) }
    }
}

/// Probability of `k` heads in `n` throws of a fair coin.
fn fair_coin(n: u64, k: u64) -> f64 {
    let (n, k) = (n as f64, k as f64);
    let choose = libm::lgamma(n + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(n - k + 1.0);
    libm::exp(choose - n * std::f64::consts::LN_2)
}

/// The p-values of several tests, corrected so that the chance of any false finding among them stays
/// at the level (Holm, 1979). In the order given; NaN counts as 1.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let clean: Vec<f64> = p_values.iter().map(|p| if p.is_nan() { 1.0 } else { *p }).collect();
    let mut order: Vec<usize> = (0..clean.len()).collect();
    order.sort_by(|&a, &b| clean[a].total_cmp(&clean[b]));
    let mut corrected = vec![1.0; clean.len()];
    let mut least = 0.0f64;
    for (rank, &place) in order.iter().enumerate() {
        least = least.max((clean[place] * (clean.len() - rank) as f64).min(1.0));
        corrected[place] = least;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-12, "{value} is not {expected}");
    }

    /// Sums of Pascal's triangle over powers of two, done by hand.
    #[test]
    fn p_values_are_those_of_the_binomial_tail() {
        // Row 10: 1, 10, 45, …
        near(McNemar::of(2, 8).exact, 2.0 * 56.0 / 1024.0);
        near(McNemar::of(8, 2).mid_p, (2.0 * 56.0 - 45.0) / 1024.0);
        // Row 5: 1, 5, …
        near(McNemar::of(0, 5).exact, 2.0 / 32.0);
        near(McNemar::of(0, 5).mid_p, 1.0 / 32.0);
        // Row 12: 1, 12, 66, 220, …
        near(McNemar::of(9, 3).exact, 2.0 * 299.0 / 4096.0);
        near(McNemar::of(9, 3).mid_p, (2.0 * 299.0 - 220.0) / 4096.0);
    }

    #[test]
    fn equal_wins_say_nothing_and_no_wins_too() {
        for wins in [0, 1, 2, 17, 400] {
            near(McNemar::of(wins, wins).exact, 1.0);
            near(McNemar::of(wins, wins).mid_p, 1.0);
        }
    }

    #[test]
    fn thousands_of_pairs_neither_overflow_nor_lose_their_tail() {
        // Normal approximation: z = (2600 − 2400) / √5000 = 2.8284, p = 0.00468.
        let test = McNemar::of(2600, 2400);
        assert!((test.mid_p - 0.00468).abs() < 2e-5, "{}", test.mid_p);
        assert!(test.exact > test.mid_p && test.exact < 0.005);
        assert!(McNemar::of(0, 5000).exact < 1e-300);
    }

    /// Holm's own procedure: the smallest times three, the next times two, the last as it is, and
    /// never less than the one before.
    #[test]
    fn corrected_values_step_down() {
        let corrected = holm(&[0.04, 0.01, 0.03]);
        for (value, expected) in corrected.iter().zip([0.06, 0.03, 0.06]) {
            near(*value, expected);
        }
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
        assert_eq!(holm(&[]), [] as [f64; 0]);
        assert_eq!(holm(&[f64::NAN, 0.001]), [1.0, 0.002]);
    }
}
