use crate::class::Class;
use crate::gather::Report;
use ambler_evaluate::{Comparison, EpisodeRecord, Group, Summary, compare, holm, measure};
use std::collections::{BTreeMap, BTreeSet};

/// Up to this many runs each is compared with each; beyond, each with the first.
const MOST_ALL_PAIRS: usize = 6;
/// Most bins of the distance at the start.
const MOST_BINS: f64 = 8.0;
/// Categories of the list of those found best, and the successes that they have at least (SD-OVON,
/// table 5: to avoid incidental success).
pub(crate) const BEST: usize = 5;
pub(crate) const BEST_SUCCESSES: u64 = 2;

/// The numbers of one task.
#[derive(Clone, Debug)]
pub struct TaskResults {
    /// `pointnav`, `objectnav`, ….
    pub task: String,
    /// One a run, over its episodes of the task; `None` where it has none. Tasks and categories have
    /// the numbers of the run's own `summary.json`.
    pub runs: Vec<Option<Summary>>,
    /// The scene of each run that has only one.
    only_scene: Vec<Option<String>>,
    /// Categories of all runs.
    pub categories: Vec<String>,
    /// Scenes of all runs.
    pub scenes: Vec<String>,
    /// The runs compared.
    pub pairs: Vec<Pair>,
    /// Success by distance at the start.
    pub bins: Vec<Bin>,
    /// Episodes by class, a run, in the order of [`Class::ALL`].
    pub classes: Vec<[u64; Class::ALL.len()]>,
}

/// Two runs compared over the episodes that both have.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Index of the first run.
    pub first: usize,
    /// Index of the second run.
    pub second: usize,
    /// Their comparison.
    pub comparison: Comparison,
    /// Mid-p of McNemar's test, corrected for all pairs of the task (Holm).
    pub corrected: f64,
}

/// Episodes whose geodesic distance at the start lies in a range.
#[derive(Clone, Debug)]
pub struct Bin {
    /// From here, metres.
    pub low_m: f64,
    /// To below here, metres.
    pub high_m: f64,
    /// One a run; `None` where a run has no such episode.
    pub runs: Vec<Option<Group>>,
}

/// A category that a run finds well.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// Its name.
    pub category: String,
    /// Share of successes.
    pub success: f64,
    /// Valid episodes.
    pub valid: u64,
}

impl TaskResults {
    /// The numbers of every task of a report, by name.
    pub fn all(report: &Report) -> Vec<Self> {
        let tasks: BTreeSet<&str> = report
            .runs
            .iter()
            .flat_map(|run| run.records.iter().map(|record| record.task.as_str()))
            .collect();
        tasks.into_iter().map(|task| Self::of(report, task)).collect()
    }

    fn of(report: &Report, task: &str) -> Self {
        let records: Vec<Vec<&EpisodeRecord>> = report
            .runs
            .iter()
            .map(|run| run.records.iter().filter(|record| record.task == task).collect())
            .collect();
        let seeds: Vec<u64> = report.runs.iter().map(|run| run.manifest.seed()).collect();
        let summarized = |records: &[&EpisodeRecord], seed: u64| {
            (!records.is_empty()).then(|| Summary::of(records, seed))
        };
        let runs: Vec<Option<Summary>> =
            records.iter().zip(&seeds).map(|(records, &seed)| summarized(records, seed)).collect();
        let names = |name: fn(&EpisodeRecord) -> &str| -> Vec<String> {
            let all: BTreeSet<&str> = records.iter().flatten().map(|record| name(record)).collect();
            all.into_iter().filter(|name| !name.is_empty()).map(str::to_owned).collect()
        };
        let only_scene = records
            .iter()
            .map(|records| {
                let scenes: BTreeSet<&str> =
                    records.iter().map(|record| record.scene.as_str()).collect();
                scenes.first().filter(|_| scenes.len() == 1).map(|scene| (*scene).to_owned())
            })
            .collect();
        let mut classes = vec![[0; Class::ALL.len()]; report.runs.len()];
        for row in report.rows.iter().filter(|row| report.record(row).task == task) {
            classes[row.run][row.class as usize] += 1;
        }
        Self {
            task: task.to_owned(),
            categories: names(|record| &record.category),
            scenes: names(|record| &record.scene),
            pairs: pairs(&records, &seeds),
            bins: bins(&records, &seeds),
            runs,
            only_scene,
            classes,
        }
    }

    /// The group of all of a run's episodes of the task.
    pub fn group(&self, run: usize) -> Option<&Group> {
        self.runs.get(run)?.as_ref()?.tasks.first()
    }

    /// The group of a run's category.
    pub fn category(&self, run: usize, category: &str) -> Option<&Group> {
        let summary = self.runs.get(run)?.as_ref()?;
        summary.categories.iter().find(|group| group.category == category)
    }

    /// The group of a run's scene.
    pub fn scene(&self, run: usize, scene: &str) -> Option<&Group> {
        let summary = self.runs.get(run)?.as_ref()?;
        // A summary has no groups by scene where there is only one.
        if self.only_scene.get(run).and_then(Option::as_deref) == Some(scene) {
            return Some(&summary.overall);
        }
        summary.scenes.iter().find(|group| group.scene == scene)
    }

    /// The categories that a run finds best, of those with at least two successes.
    pub fn best(&self, run: usize) -> Vec<Best> {
        let Some(Some(summary)) = self.runs.get(run) else { return Vec::new() };
        let mut best: Vec<Best> = summary
            .categories
            .iter()
            .filter_map(|group| {
                let success = group.mean("success")?;
                let successes = (success * group.valid as f64).round() as u64;
                (successes >= BEST_SUCCESSES).then(|| Best {
                    category: group.category.clone(),
                    success,
                    valid: group.valid,
                })
            })
            .collect();
        // Stable: equal shares stay in the order of names.
        best.sort_by(|a, b| b.success.total_cmp(&a.success));
        best.truncate(BEST);
        best
    }
}

fn pairs(records: &[Vec<&EpisodeRecord>], seeds: &[u64]) -> Vec<Pair> {
    let with: Vec<usize> = (0..records.len()).filter(|&run| !records[run].is_empty()).collect();
    let all = with.len() <= MOST_ALL_PAIRS;
    let owned: BTreeMap<usize, Vec<EpisodeRecord>> = with
        .iter()
        .map(|&run| (run, records[run].iter().map(|&record| record.clone()).collect()))
        .collect();
    let mut pairs = Vec::new();
    for (place, &first) in with.iter().enumerate() {
        for &second in with.iter().skip(place + 1) {
            if !all && place > 0 {
                continue;
            }
            let comparison = compare(&owned[&first], &owned[&second], seeds[first]);
            if comparison.pairs > 0 {
                pairs.push(Pair { first, second, comparison, corrected: 1.0 });
            }
        }
    }
    let p_values: Vec<f64> = pairs.iter().map(|pair| pair.comparison.mcnemar.mid_p).collect();
    for (pair, corrected) in pairs.iter_mut().zip(holm(&p_values)) {
        pair.corrected = corrected;
    }
    pairs
}

fn bins(records: &[Vec<&EpisodeRecord>], seeds: &[u64]) -> Vec<Bin> {
    // Beyond a kilometre a number is no distance in a home.
    let start = |record: &EpisodeRecord| {
        let metres = record.scores.as_ref()?.shortest_path_m;
        measure(record, "success").filter(|_| (0.0..1000.0).contains(&metres)).map(|_| metres)
    };
    let farthest = records.iter().flatten().filter_map(|record| start(record)).max_by(f64::total_cmp);
    let Some(farthest) = farthest else { return Vec::new() };
    let steps = [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0];
    let width = steps.into_iter().find(|step| farthest / step < MOST_BINS).unwrap_or(200.0);
    let count = (farthest / width) as usize + 1;
    (0..count)
        .map(|bin| {
            let (low_m, high_m) = (bin as f64 * width, (bin + 1) as f64 * width);
            let inside = |record: &EpisodeRecord| {
                start(record).is_some_and(|metres| low_m <= metres && metres < high_m)
            };
            let runs = records
                .iter()
                .zip(seeds)
                .map(|(records, &seed)| {
                    let here: Vec<&EpisodeRecord> =
                        records.iter().copied().filter(|record| inside(record)).collect();
                    (!here.is_empty()).then(|| Summary::of(&here, seed).overall)
                })
                .collect();
            Bin { low_m, high_m, runs }
        })
        .collect()
}
