//! Percentile bootstrap over episodes (Efron 1979), seeded.

use ambler_geometry::random::Stream;

/// Number of resamples behind each interval.
pub const RESAMPLES: usize = 1000;
/// Coverage of the intervals.
pub const LEVEL: f64 = 0.95;

/// A confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Values of several measures for several episodes, row by row; NaN where an episode lacks one.
pub(crate) struct Sample {
    columns: usize,
    values: Vec<f64>,
}

impl Sample {
    pub(crate) fn new(columns: usize) -> Self {
        Self { columns, values: Vec::new() }
    }

    /// Adds an episode; one value a column.
    pub(crate) fn push(&mut self, row: impl Iterator<Item = Option<f64>>) {
        let end = self.values.len() + self.columns;
        self.values.extend(row.map(|value| value.unwrap_or(f64::NAN)).take(self.columns));
        self.values.resize(end, f64::NAN);
    }

    pub(crate) fn rows(&self) -> usize {
        self.values.len() / self.columns.max(1)
    }

    /// Number of values and mean of each column.
    pub(crate) fn means(&self) -> Vec<(u64, Option<f64>)> {
        let mut sums = vec![(0u64, 0.0f64); self.columns];
        for row in self.values.chunks_exact(self.columns.max(1)) {
            add(row, &mut sums);
        }
        sums.iter().map(|&(count, sum)| (count, mean(count, sum))).collect()
    }

    /// The interval of each column's mean; `None` below two values, where resampling says nothing.
    /// All columns share the resamples.
    pub(crate) fn intervals(&self, stream: &mut Stream) -> Vec<Option<Interval>> {
        let rows = self.rows();
        let counts = self.means();
        let mut means: Vec<Vec<f64>> = vec![Vec::with_capacity(RESAMPLES); self.columns];
        let mut sums = vec![(0u64, 0.0f64); self.columns];
        if rows >= 2 {
            for _ in 0..RESAMPLES {
                sums.fill((0, 0.0));
                for _ in 0..rows {
                    let start = stream.index(rows) * self.columns;
                    add(&self.values[start..start + self.columns], &mut sums);
                }
                for (column, &(count, sum)) in sums.iter().enumerate() {
                    means[column].extend(mean(count, sum));
                }
            }
        }
        let counted = counts.iter().map(|(count, _)| *count);
        means.into_iter().zip(counted).map(|(means, count)| percentile(means, count)).collect()
    }
}

fn add(row: &[f64], sums: &mut [(u64, f64)]) {
    for (value, (count, sum)) in row.iter().zip(sums) {
        if !value.is_nan() {
            *count += 1;
            *sum += value;
        }
    }
}

fn mean(count: u64, sum: f64) -> Option<f64> {
    (count > 0).then(|| sum / count as f64)
}

fn percentile(mut means: Vec<f64>, count: u64) -> Option<Interval> {
    if count < 2 || means.is_empty() {
        return None;
    }
    means.sort_by(f64::total_cmp);
    let tail = (1.0 - LEVEL) / 2.0;
    Some(Interval { low: quantile(&means, tail), high: quantile(&means, 1.0 - tail) })
}

/// The quantile of sorted values, with linear interpolation between order statistics.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    let weight = place - below as f64;
    sorted[below] + weight * (sorted[above] - sorted[below])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate() {
        let sorted = [0.0, 1.0, 2.0, 3.0];
        assert_eq!(quantile(&sorted, 0.0), 0.0);
        assert_eq!(quantile(&sorted, 0.5), 1.5);
        assert_eq!(quantile(&sorted, 1.0), 3.0);
    }

    #[test]
    fn one_value_has_no_interval_and_equal_values_a_point() {
        let mut sample = Sample::new(1);
        sample.push([Some(0.5)].into_iter());
        assert_eq!(sample.intervals(&mut Stream::new(0, "", "")), [None]);
        sample.push([Some(0.5)].into_iter());
        let intervals = sample.intervals(&mut Stream::new(0, "", ""));
        assert_eq!(intervals, [Some(Interval { low: 0.5, high: 0.5 })]);
    }

    /// The 95 % interval of a mean of 60 fair coin throws holds the true mean about 95 times in
    /// 100; the percentile bootstrap is known to run a little low.
    #[test]
    fn intervals_cover_the_truth_about_as_often_as_they_say() {
        let trials = 400;
        let mut covered = 0;
        for trial in 0..trials {
            let mut coin = Stream::new(trial, "coverage", "coin");
            let mut sample = Sample::new(1);
            for _ in 0..60 {
                sample.push([Some(f64::from(coin.uniform() < 0.5))].into_iter());
            }
            let interval =
                sample.intervals(&mut Stream::new(trial, "coverage", "bootstrap"))[0].unwrap();
            covered += u32::from(interval.low <= 0.5 && 0.5 <= interval.high);
        }
        let share = f64::from(covered) / trials as f64;
        assert!((0.91..=0.98).contains(&share), "covered {share}");
    }

    /// Standard error of a mean: the interval's width is about 2 · 1.96 · σ / √n.
    #[test]
    fn the_width_follows_the_standard_error() {
        let mut stream = Stream::new(5, "width", "normal");
        let mut sample = Sample::new(1);
        for _ in 0..400 {
            sample.push([Some(stream.normal())].into_iter());
        }
        let interval = sample.intervals(&mut Stream::new(6, "width", "bootstrap"))[0].unwrap();
        let expected = 2.0 * 1.96 / 20.0;
        let width = interval.high - interval.low;
        assert!((width / expected - 1.0).abs() < 0.15, "{width} against {expected}");
    }

    #[test]
    fn missing_values_are_left_out_of_their_column_alone() {
        let mut sample = Sample::new(2);
        sample.push([Some(1.0), None].into_iter());
        sample.push([Some(3.0), Some(4.0)].into_iter());
        assert_eq!(sample.means(), [(2, Some(2.0)), (1, Some(4.0))]);
        assert_eq!(sample.intervals(&mut Stream::new(0, "", ""))[1], None);
    }
}
