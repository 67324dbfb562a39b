//! The numbers of a run: `summary.json` and what the tables are made of.

use std::collections::{BTreeMap, BTreeSet};

use ambler_geometry::random::Stream;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::bootstrap::{Interval, LEVEL, RESAMPLES, Sample};
use super::{MEASURES, measure};
use crate::folder::Timing;
use crate::record::{EpisodeRecord, Status};

/// A mean over valid episodes, with its interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Name of the measure.
    pub name: String,
    /// Number of episodes that have a value.
    pub count: u64,
    /// The mean; absent when no episode has a value.
    pub mean: Option<f64>,
    /// 95 % percentile bootstrap interval of the mean; absent below two values.
    pub interval: Option<Interval>,
}

/// The numbers of a group of episodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The task; empty for all tasks.
    pub task: String,
    /// The category; empty for all categories of the task, or when it has none.
    pub category: String,
    /// The scene; empty for all scenes.
    pub scene: String,
    /// All episodes.
    pub episodes: u64,
    /// Those that are averaged: done, or failed by the agent (with scores of 0).
    pub valid: u64,
    /// Failed by the agent; part of `valid`.
    pub failed: u64,
    /// Not scorable; not averaged.
    pub invalid: u64,
    /// Failures of the simulator; not averaged.
    pub faults: u64,
    /// Valid episodes in which the agent looked at something privileged.
    pub privileged: u64,
    /// The measures: those of [`MEASURES`], then the task's own by name.
    pub estimates: Vec<Estimate>,
}

/// A reason and how many episodes have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReasonCount {
    /// `invalid`, `failed` or `fault`.
    pub status: Status,
    /// The reason as recorded.
    pub reason: String,
    /// Number of episodes.
    pub episodes: u64,
}

/// The numbers of a run. A pure function of the records in their order and of the run's seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// All episodes.
    pub overall: Group,
    /// By task.
    pub tasks: Vec<Group>,
    /// By task and category, where a task has categories.
    pub categories: Vec<Group>,
    /// By scene, where there is more than one.
    pub scenes: Vec<Group>,
    /// Reasons of episodes that are not done; most frequent first.
    pub reasons: Vec<ReasonCount>,
    /// Names of the success rules that the scores follow.
    pub success_rules: Vec<String>,
}

impl Summary {
    /// The numbers of `records`; `seed` is the run's.
    pub fn of(records: &[&EpisodeRecord], seed: u64) -> Self {
        let mut tasks: BTreeMap<&str, Vec<&EpisodeRecord>> = BTreeMap::new();
        let mut categories: BTreeMap<(&str, &str), Vec<&EpisodeRecord>> = BTreeMap::new();
        let mut scenes: BTreeMap<&str, Vec<&EpisodeRecord>> = BTreeMap::new();
        let mut reasons: BTreeMap<(Status, &str), u64> = BTreeMap::new();
        let mut success_rules = BTreeSet::new();
        for &record in records {
            tasks.entry(&record.task).or_default().push(record);
            scenes.entry(&record.scene).or_default().push(record);
            if !record.category.is_empty() {
                categories.entry((&record.task, &record.category)).or_default().push(record);
            }
            if record.status != Status::Done {
                let reason = record.reason.as_deref().unwrap_or("no reason recorded");
                *reasons.entry((record.status, reason)).or_default() += 1;
            }
            if record.valid() {
                success_rules.insert(record.success_rule.clone());
            }
        }
        let mut reasons: Vec<ReasonCount> = reasons
            .into_iter()
            .map(|((status, reason), episodes)| ReasonCount {
                status,
                reason: reason.to_owned(),
                episodes,
            })
            .collect();
        // Stable: equal counts stay in the order of status and text.
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.episodes));
        if scenes.len() < 2 {
            scenes.clear();
        }
        let group = |task: &str, category: &str, scene: &str, records: &[&EpisodeRecord]| {
            Group::of(task, category, scene, records, seed)
        };
        Self {
            overall: group("", "", "", records),
            tasks: tasks.iter().map(|(task, records)| group(task, "", "", records)).collect(),
            categories: categories
                .iter()
                .map(|((task, category), records)| group(task, category, "", records))
                .collect(),
            scenes: scenes.iter().map(|(scene, records)| group("", "", scene, records)).collect(),
            reasons,
            success_rules: success_rules.into_iter().collect(),
        }
    }

    /// One JSON object: the overall numbers under `episodes`, `valid`, `success`, `spl`,
    /// `soft_spl`, `distance_to_goal`, …, then the groups. With a timing, `steps_per_second` is
    /// among them; `summary.json` is written without one.
    pub fn to_json(&self, timing: Option<&Timing>) -> Value {
        let mut map = self.overall.to_map();
        if let Some(timing) = timing {
            map.insert("steps_per_second".to_owned(), json!(timing.steps_per_second));
            map.insert("wall_s".to_owned(), json!(timing.wall_s));
        }
        let groups = |groups: &[Group]| -> Value {
            groups.iter().map(|group| Value::Object(group.to_map())).collect()
        };
        map.insert("tasks".to_owned(), groups(&self.tasks));
        map.insert("categories".to_owned(), groups(&self.categories));
        map.insert("scenes".to_owned(), groups(&self.scenes));
        map.insert("reasons".to_owned(), json!(self.reasons));
        map.insert("success_rules".to_owned(), json!(self.success_rules));
        map.insert(
            "bootstrap".to_owned(),
            json!({"method": "percentile", "level": LEVEL, "resamples": RESAMPLES}),
        );
        Value::Object(map)
    }
}

impl Serialize for Summary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json(None).serialize(serializer)
    }
}

impl Group {
    fn of(task: &str, category: &str, scene: &str, records: &[&EpisodeRecord], seed: u64) -> Self {
        let extra: BTreeSet<&str> =
            records.iter().flat_map(|record| record.extra.keys().map(String::as_str)).collect();
        // A task's own measure cannot hide one of the standard ones.
        let extra = extra.into_iter().filter(|name| !MEASURES.contains(name));
        let names: Vec<&str> = MEASURES.into_iter().chain(extra).collect();
        let mut sample = Sample::new(names.len());
        for record in records.iter().filter(|record| record.valid()) {
            sample.push(names.iter().map(|name| measure(record, name)));
        }
        // Keyed by what the group is, so that its interval does not depend on other groups.
        let identity = json!([task, category, scene]).to_string();
        let intervals = sample.intervals(&mut Stream::new(seed, &identity, "bootstrap"));
        let estimates = names
            .iter()
            .zip(sample.means())
            .zip(intervals)
            .map(|((name, (count, mean)), interval)| Estimate {
                name: (*name).to_owned(),
                count,
                mean,
                interval,
            })
            .collect();
        let count =
            |status: Status| records.iter().filter(|record| record.status == status).count() as u64;
        Self {
            task: task.to_owned(),
            category: category.to_owned(),
            scene: scene.to_owned(),
            episodes: records.len() as u64,
            valid: sample.rows() as u64,
            failed: count(Status::Failed),
            invalid: count(Status::Invalid),
            faults: count(Status::Fault),
            privileged: records.iter().filter(|record| record.valid() && record.privileged).count()
                as u64,
            estimates,
        }
    }

    /// The estimate of a measure.
    pub fn estimate(&self, name: &str) -> Option<&Estimate> {
        self.estimates.iter().find(|estimate| estimate.name == name)
    }

    /// The mean of a measure over the valid episodes.
    pub fn mean(&self, name: &str) -> Option<f64> {
        self.estimate(name)?.mean
    }

    fn to_map(&self) -> Map<String, Value> {
        let mut map = Map::new();
        for (key, value) in [("task", &self.task), ("category", &self.category), ("scene", &self.scene)]
        {
            if !value.is_empty() {
                map.insert(key.to_owned(), json!(value));
            }
        }
        for (key, value) in [
            ("episodes", self.episodes),
            ("valid", self.valid),
            ("failed", self.failed),
            ("invalid", self.invalid),
            ("faults", self.faults),
            ("privileged", self.privileged),
        ] {
            map.insert(key.to_owned(), json!(value));
        }
        let mut intervals = Map::new();
        for estimate in &self.estimates {
            map.insert(estimate.name.clone(), json!(estimate.mean));
            if let Some(Interval { low, high }) = estimate.interval {
                intervals.insert(estimate.name.clone(), json!([low, high]));
            }
        }
        if let Some(distance) = self.estimate("distance_to_goal") {
            map.insert("distance_infinite".to_owned(), json!(self.valid - distance.count));
        }
        map.insert("intervals".to_owned(), Value::Object(intervals));
        map
    }
}
