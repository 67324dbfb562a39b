use crate::class::{Class, Sight, Source, classify, classify_record};
use crate::run::Run;
use crate::track::{Goals, Plan, Scenes, Track, goals, places, said};
use ambler_evaluate::EpisodeRecord;
use ambler_replay::{Header, Log};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Trajectories beyond this many are not drawn: the page would be too large to open.
const MOST_TRACKS: usize = 2000;

/// All that a report shows.
#[derive(Clone, Debug)]
pub struct Report {
    /// The runs in the order given.
    pub runs: Vec<Run>,
    /// One row an episode and run, by run and then in the order of its records.
    pub rows: Vec<Row>,
    /// Plans that trajectories are drawn on.
    pub plans: Vec<Plan>,
    /// Goals that trajectories lead to.
    pub goals: Vec<Goals>,
    /// What a reader must know: unfinished runs, logs that cannot be read, scenes that were not found.
    pub notes: Vec<String>,
}

/// An episode of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Index into [`Report::runs`].
    pub run: usize,
    /// Index into the records of that run.
    pub record: usize,
    /// How it came out.
    pub class: Class,
    /// What that was computed from.
    pub source: Source,
    /// Its log, where one was kept.
    pub replay: Option<PathBuf>,
    /// Where the body was, where a log tells.
    pub track: Option<Track>,
}

impl Report {
    /// The record of a row.
    ///
    /// # Panics
    /// Where the row is of another report.
    pub fn record(&self, row: &Row) -> &EpisodeRecord {
        &self.runs[row.run].records[row.record]
    }

    /// Reads the logs of all episodes and asks scenes for what records and logs do not say. The same
    /// for any number of threads. `progress` is told how many episodes are done.
    pub fn gather(runs: Vec<Run>, scenes: &dyn Scenes, progress: &(dyn Fn(u64) + Sync)) -> Self {
        let mut notes = Vec::new();
        for run in &runs {
            notes.extend(run.notes.iter().map(|note| format!("{}: {note}", run.label)));
        }
        let versions: BTreeMap<&str, &Run> = runs.iter().map(|run| (run.version(), run)).collect();
        if versions.len() > 1 {
            let names: Vec<&str> = versions.into_keys().collect();
            notes
                .push(format!("the runs were made by several versions of Ambler: {}", names.join(", ")));
        }
        let places: Vec<(usize, usize)> = runs
            .iter()
            .enumerate()
            .flat_map(|(index, run)| (0..run.records.len()).map(move |record| (index, record)))
            .collect();
        // One scene after the other, so that one is in memory at a time.
        let mut by_scene: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (place, &(run, record)) in places.iter().enumerate() {
            by_scene.entry(&runs[run].records[record].scene).or_default().push(place);
        }
        let done = AtomicU64::new(0);
        let mut drawings = Drawings::default();
        let mut found: BTreeMap<usize, (Seen, Option<Track>)> = BTreeMap::new();
        let mut problems = Problems::default();
        for list in by_scene.values() {
            let seen: Vec<Seen> = list
                .par_iter()
                .map(|&place| {
                    let (run, record) = places[place];
                    let seen = Seen::of(&runs[run], &runs[run].records[record], scenes);
                    progress(done.fetch_add(1, Ordering::Relaxed) + 1);
                    seen
                })
                .collect();
            for (&place, mut seen) in list.iter().zip(seen) {
                problems.add(&mut seen);
                let track =
                    seen.drawn.take().and_then(|drawn| drawings.add(drawn, scenes, &mut problems));
                found.insert(place, (seen, track));
            }
        }
        let rows: Vec<Row> = found
            .into_iter()
            .map(|(place, (seen, track))| {
                let (run, record) = places[place];
                let Seen { class, source, replay, .. } = seen;
                Row { run, record, class, source, replay, track }
            })
            .collect();
        notes.extend(problems.notes());
        if drawings.left_out > 0 {
            let left_out = drawings.left_out;
            notes.push(format!("{left_out} trajectories beyond {MOST_TRACKS} are not drawn"));
        }
        Self { runs, rows, plans: drawings.plans, goals: drawings.goals, notes }
    }
}

/// What could not be done, by what it was.
#[derive(Default)]
struct Problems {
    logs: Vec<String>,
    scenes: Vec<String>,
}

impl Problems {
    fn add(&mut self, seen: &mut Seen) {
        self.logs.append(&mut seen.log_problems);
        self.scenes.append(&mut seen.scene_problems);
    }

    fn notes(self) -> Vec<String> {
        let mut notes = Vec::new();
        if let [first, ..] = self.logs.as_slice() {
            let count = self.logs.len();
            notes.push(format!("episode logs with faults: {count}; the first: {first}"));
        }
        if let [first, ..] = self.scenes.as_slice() {
            let count = self.scenes.len();
            notes.push(format!(
                "episodes judged or drawn without their scene: {count}; the first: {first}"
            ));
        }
        notes
    }
}

/// What one episode's log and scene say.
struct Seen {
    class: Class,
    source: Source,
    replay: Option<PathBuf>,
    drawn: Option<Drawn>,
    log_problems: Vec<String>,
    scene_problems: Vec<String>,
}

/// What is needed to draw a trajectory.
struct Drawn {
    header: Header,
    goals_key: String,
    goals: Goals,
    floor_m: f32,
    points: Vec<[f32; 2]>,
    bumps: Vec<[f32; 2]>,
}

impl Seen {
    fn of(run: &Run, record: &EpisodeRecord, scenes: &dyn Scenes) -> Self {
        let replay = run.replay(record);
        let mut seen = Self {
            class: classify_record(record),
            source: Source::Record,
            replay: replay.clone(),
            drawn: None,
            log_problems: Vec::new(),
            scene_problems: Vec::new(),
        };
        let Some(path) = replay else { return seen };
        match read_log(&path, record) {
            Err(problem) => seen.log_problems.push(problem),
            Ok(log) => seen.judge(record, &log, &path, scenes),
        }
        seen
    }

    fn judge(&mut self, record: &EpisodeRecord, log: &Log, path: &Path, scenes: &dyn Scenes) {
        self.log_problems
            .extend(log.notices.iter().map(|notice| format!("{}: {notice}", path.display())));
        // A log that is cut off does not say how the episode ended.
        if log.record.is_some() {
            let unseen = Sight { first: None, at_end: false };
            let seen = Sight { first: Some(0), at_end: true };
            self.source = Source::Log;
            if classify(record, log, Some(unseen)) == classify(record, log, Some(seen)) {
                self.class = classify(record, log, None);
            } else {
                let sight = match scenes.sight(log) {
                    Ok(sight) => {
                        self.source = Source::Scene;
                        Some(sight)
                    }
                    Err(problem) => {
                        self.scene_problems.push(problem);
                        said(log)
                    }
                };
                self.class = classify(record, log, sight);
            }
        }
        let (points, bumps) = places(log);
        let Some(first) = log.steps.first() else { return };
        self.drawn = Some(Drawn {
            header: log.header.clone(),
            goals_key: log.episode.goals_digest.to_string(),
            goals: goals(&log.episode, &log.header),
            floor_m: first.pose.position.y,
            points,
            bumps,
        });
    }
}

fn read_log(path: &Path, record: &EpisodeRecord) -> Result<Log, String> {
    let log = ambler_replay::read(path).map_err(|error| error.to_string())?;
    if log.header.identity != record.identity {
        return Err(format!("{}: is the log of another episode", path.display()));
    }
    if log.record.as_ref().is_some_and(|own| own != record) {
        return Err(format!("{}: is the log of an earlier try of this episode", path.display()));
    }
    Ok(log)
}

/// Plans and goals that several trajectories share.
#[derive(Default)]
struct Drawings {
    plans: Vec<Plan>,
    goals: Vec<Goals>,
    /// By scene, its content and storey; `None` where there is no plan.
    plan_places: BTreeMap<(String, String, usize), Option<usize>>,
    goal_places: BTreeMap<(usize, String), usize>,
    drawn: usize,
    left_out: usize,
}

impl Drawings {
    fn add(&mut self, drawn: Drawn, scenes: &dyn Scenes, problems: &mut Problems) -> Option<Track> {
        if self.drawn == MOST_TRACKS {
            self.left_out += 1;
            return None;
        }
        self.drawn += 1;
        let Drawn { header, goals_key, goals, floor_m, points, bumps } = drawn;
        let plan = scenes.storey(&header, floor_m).and_then(|storey| {
            let key = (header.scene.clone(), header.scene_fingerprint.clone(), storey);
            if let Some(known) = self.plan_places.get(&key) {
                return known.ok_or_else(String::new);
            }
            let made = scenes.plan(&header, storey);
            let place = made.is_ok().then_some(self.plans.len());
            self.plan_places.insert(key, place);
            self.plans.push(made?);
            Ok(self.plans.len() - 1)
        });
        let plan = plan.unwrap_or_else(|problem| {
            if !problem.is_empty() {
                problems.scenes.push(problem);
            }
            // Blank paper of its own.
            let all = points.iter().chain(&goals.reach).chain(&goals.objects).copied();
            self.plans.push(Plan::blank(all));
            self.plans.len() - 1
        });
        let next = self.goals.len();
        let place = *self.goal_places.entry((plan, goals_key)).or_insert(next);
        if place == next {
            self.goals.push(goals);
        }
        Some(Track { plan, goals: place, points, bumps })
    }
}
