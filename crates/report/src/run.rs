use crate::ReportError;
use ambler_evaluate::{EpisodeRecord, Manifest, read_run};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The file that makes a folder a run.
const MANIFEST: &str = "manifest.json";
/// The folder of episode logs in a run folder.
const REPLAYS: &str = "replays";

/// A run as it lies on disk, with a name that no other run of the report has.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its folder.
    pub folder: PathBuf,
    /// What tables and figures call it.
    pub label: String,
    /// The agent as it was asked for.
    pub agent: String,
    /// The detector that the manifest names; empty where it names none, which stands for the scene's
    /// own labels.
    pub detector: String,
    /// What determined the run.
    pub manifest: Manifest,
    /// Its records in the order of the set.
    pub records: Vec<EpisodeRecord>,
    /// What a reader of the numbers must know: it is unfinished, episodes are missing.
    pub notes: Vec<String>,
}

impl Run {
    /// The log of an episode; `None` where none was kept.
    pub fn replay(&self, record: &EpisodeRecord) -> Option<PathBuf> {
        let folder = ambler_replay::ReplayFolder::new(
            self.folder.join(REPLAYS),
            ambler_replay::Which::All,
            |_, episode| ambler_replay::Header::for_episode(episode),
        );
        Some(folder.file(record.index, &record.identity)).filter(|file| file.is_file())
    }

    /// The program's version that made it; empty where the manifest does not say.
    pub fn version(&self) -> &str {
        self.manifest.get("version").and_then(Value::as_str).unwrap_or_default()
    }
}

/// Reads runs. A folder that is no run stands for the runs in it, by name.
///
/// # Errors
/// A folder is no run and holds none, a run is damaged or of another version, or it is named twice.
pub fn read_runs(paths: &[PathBuf]) -> Result<Vec<Run>, ReportError> {
    let mut folders = Vec::new();
    for path in paths {
        if path.join(MANIFEST).is_file() {
            folders.push(path.clone());
        } else {
            folders.extend(runs_in(path)?);
        }
    }
    let mut real = Vec::new();
    for folder in &folders {
        let place = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        if real.contains(&place) {
            return Err(ReportError::run(
                folder,
                "this run is named twice",
                "name each run once: the same episodes would count twice",
            ));
        }
        real.push(place);
    }
    let mut runs = folders.iter().map(|folder| read(folder)).collect::<Result<Vec<_>, _>>()?;
    name(&mut runs);
    Ok(runs)
}

fn runs_in(path: &Path) -> Result<Vec<PathBuf>, ReportError> {
    let remedy = "name the folder of a run (it holds manifest.json), or the folder that holds several";
    let entries = std::fs::read_dir(path)
        .map_err(|error| ReportError::run(path, format!("cannot be read: {error}"), remedy))?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|folder| folder.join(MANIFEST).is_file())
        .collect();
    found.sort();
    if found.is_empty() {
        return Err(ReportError::run(path, "is no run and holds none", remedy));
    }
    Ok(found)
}

fn read(folder: &Path) -> Result<Run, ReportError> {
    let stored = read_run(folder)?;
    let text = |key: &str| match stored.manifest.get(key) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Object(map)) => match map.get("name") {
            Some(Value::String(name)) => name.clone(),
            _ => Value::Object(map.clone()).to_string(),
        },
        None | Some(Value::Null) => String::new(),
        Some(other) => other.to_string(),
    };
    let mut notes = Vec::new();
    let planned = stored.manifest.get("plan").and_then(|plan| plan.get("episodes")?.as_u64());
    let count = stored.records.len() as u64;
    match planned {
        Some(planned) if planned != count => {
            let state = if stored.finished { "has" } else { "is unfinished: it has" };
            notes.push(format!("{state} {count} of {planned} planned episodes"));
        }
        _ if !stored.finished => {
            notes.push(format!("is unfinished: it has {count} episodes so far"));
        }
        _ => {}
    }
    if count == 0 {
        return Err(ReportError::run(
            folder,
            "the run has no record of any episode yet",
            "let `ambler eval` finish at least one episode",
        ));
    }
    Ok(Run {
        folder: folder.to_owned(),
        label: String::new(),
        agent: text("agent"),
        detector: text("detector"),
        manifest: stored.manifest,
        records: stored.records,
        notes,
    })
}

/// What a run's agent was besides its name, a part each, and its seed.
fn parts(run: &Run) -> Vec<String> {
    let identity = run.manifest.get("agent_identity").and_then(Value::as_str).unwrap_or_default();
    let mut parts: Vec<String> =
        identity.split("; ").filter(|part| !part.is_empty()).map(str::to_owned).collect();
    parts.extend(run.manifest.get("seed").map(|seed| format!("seed {seed}")));
    parts
}

/// Names runs by agent and detector, then by what else differs between the agents or the seeds, then by
/// folder, whichever tells them apart.
fn name(runs: &mut [Run]) {
    let folder_name = |run: &Run| {
        let folder = run.folder.canonicalize().unwrap_or_else(|_| run.folder.clone());
        folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    };
    for run in runs.iter_mut() {
        run.label = match (run.agent.as_str(), run.detector.as_str()) {
            ("", _) => folder_name(run),
            (agent, "") => agent.to_owned(),
            (agent, detector) => format!("{agent} · {detector}"),
        };
    }
    let again = |runs: &[Run]| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for run in runs {
            *counts.entry(run.label.clone()).or_default() += 1;
        }
        counts
    };
    let mut alike: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, run) in runs.iter().enumerate() {
        alike.entry(run.label.clone()).or_default().push(index);
    }
    for group in alike.into_values().filter(|group| group.len() > 1) {
        let said: Vec<Vec<String>> = group.iter().map(|&index| parts(&runs[index])).collect();
        let count = |part: &String| said.iter().filter(|other| other.contains(part)).count();
        let kept = |most: usize| -> Vec<String> {
            let own = |own: &Vec<String>| {
                let parts = own.iter().filter(|part| count(part) <= most);
                parts.map(|part| format!(" · {part}")).collect()
            };
            said.iter().map(own).collect()
        };
        // What most of them have need not be said, where the rest tells them apart.
        let brief = kept(group.len() / 2);
        let names: BTreeSet<&String> = brief.iter().collect();
        let names = if names.len() == group.len() { brief } else { kept(group.len() - 1) };
        for (&index, name) in group.iter().zip(&names) {
            runs[index].label += name;
        }
    }
    let counts = again(runs);
    for run in runs.iter_mut().filter(|run| counts.get(&run.label).is_some_and(|&count| count > 1)) {
        run.label = format!("{} ({})", run.label, folder_name(run));
    }
    let counts = again(runs);
    let mut given: BTreeMap<String, usize> = BTreeMap::new();
    for run in runs.iter_mut().filter(|run| counts.get(&run.label).is_some_and(|&count| count > 1)) {
        let number = given.entry(run.label.clone()).or_default();
        *number += 1;
        run.label = format!("{} #{number}", run.label);
    }
}
