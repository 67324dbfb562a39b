//! Recorded episodes in the window.

use super::host::{Objects, policy_of, stage_of};
use crate::assemble::{HeadlessFactory, StageSettings, StageStore};
use crate::exit::Failure;
use crate::locate::SceneRoots;
use crate::terminal;
use ambler_agent::{Policy, PolicyOptions, layers};
use ambler_body::{Action, BodyPreset};
use ambler_episode::{Episode, SuccessRule};
use ambler_evaluate::{Simulation, SimulationFactory as _};
use ambler_replay::{Comparison, Kind, Log, compare};
use ambler_sensor::CameraSpec;
use ambler_session::{
    Ending, Event, EventKind, History, Host, LibraryRow, Other, Parting, StageView, Things, Thought,
    Thoughts,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Reads an episode log, or all in a folder by name.
pub(super) fn read(path: &Path) -> Result<Vec<Log>, Failure> {
    let mut files = vec![path.to_path_buf()];
    if path.is_dir() {
        let entries = std::fs::read_dir(path)
            .map_err(|error| Failure::Input(format!("{}: cannot read: {error}", path.display())))?;
        files = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "mcap"));
        files.sort();
    }
    let mut logs: Vec<Log> = Vec::new();
    for file in files {
        let log = ambler_replay::read(&file)?;
        for notice in &log.notices {
            terminal::log(&format!("warning: {}: {notice}", file.display()));
        }
        if log.steps.is_empty() {
            return Err(Failure::Input(format!("{}: there is no step in it", file.display())));
        }
        let first = logs.first().map_or(&log.header, |first| &first.header);
        let alike = first.body == log.header.body && first.cameras == log.header.cameras;
        if !alike || first.distance != log.header.distance || first.success != log.header.success {
            return Err(Failure::Input(format!(
                "{}: it was recorded with other settings than the first; open it by itself",
                file.display()
            )));
        }
        logs.push(log);
    }
    if logs.is_empty() {
        return Err(Failure::Input(format!("{}: there is no episode log in it", path.display())));
    }
    Ok(logs)
}

/// Shows logs; what is driven from them is not kept.
pub(super) struct ReplayHost {
    logs: Vec<Log>,
    /// For each log another of the same episode, where there is one.
    others: Vec<Option<Log>>,
    objects: Objects,
    episodes: Vec<Arc<Episode>>,
    store: Arc<StageStore>,
    factory: HeadlessFactory,
    rule: Option<SuccessRule>,
}

impl ReplayHost {
    pub(super) fn new(
        logs: Vec<Log>,
        others: Vec<Log>,
        scenes: Option<&Path>,
        objects: Objects,
    ) -> Result<Self, Failure> {
        let Some(first) = logs.first() else { return Err(Failure::Input("no episode log".into())) };
        let stages = StageSettings::of_log(&first.header)?;
        let store = Arc::new(StageStore::new(SceneRoots::new(scenes)?, stages));
        let factory = HeadlessFactory::replaying(Arc::clone(&store), &first.header)?;
        let rule = first.header.success.as_ref().map(|name| {
            name.parse().map_err(|fault| {
                Failure::Input(format!("the episode log has the success rule {name:?}: {fault}"))
            })
        });
        let others = pairs(&logs, others)?;
        let episodes = logs.iter().map(|log| Arc::clone(&log.episode)).collect();
        Ok(Self { rule: rule.transpose()?, logs, others, objects, episodes, store, factory })
    }
}

impl Host for ReplayHost {
    fn episodes(&self) -> &[Arc<Episode>] {
        &self.episodes
    }

    fn outcomes(&self) -> Vec<Option<Ending>> {
        let ending = |log: &Log| log.record.as_ref().and_then(Ending::of_record);
        self.logs.iter().map(ending).collect()
    }

    fn history(&self, index: usize) -> Option<History> {
        self.logs.get(index).map(history)
    }

    fn other(&self, index: usize) -> Option<Other> {
        let (log, other) = (self.logs.get(index)?, self.others.get(index)?.as_ref()?);
        // What different agents think differs from the first step on, and tells nothing.
        let outputs = log.header.agent == other.header.agent;
        let alike = log.header.needs == other.header.needs;
        let partings = partings(&compare(log, other, outputs), alike);
        Some(Other { history: history(other), partings })
    }

    fn library(&mut self) -> Result<Vec<LibraryRow>, String> {
        self.objects.rows()
    }

    fn things(&mut self, stage: &StageView) -> Result<Box<dyn Things>, String> {
        self.objects.things(stage)
    }

    fn stage(&self, scene: &str) -> Result<StageView, String> {
        stage_of(&self.store, scene)
    }

    fn simulation(&self, scene: &str) -> Result<Box<dyn Simulation>, String> {
        self.factory.create(scene)
    }

    fn policy(&self, name: &str) -> Result<Box<dyn Policy>, String> {
        policy_of(name, &PolicyOptions::default())
    }

    fn body(&self) -> &BodyPreset {
        &self.logs[0].header.body
    }

    fn cameras(&self) -> &[CameraSpec] {
        &self.logs[0].header.cameras
    }

    fn rule(&self, episode: &Episode) -> SuccessRule {
        self.rule.clone().unwrap_or_else(|| SuccessRule::for_task(&episode.task))
    }

    fn step_limit(&self) -> u32 {
        self.logs[0].header.step_limit
    }

    fn save(&mut self, _: usize, _: &str, _: &[Action]) -> Result<PathBuf, String> {
        Err("what is driven from a recorded episode is not kept; open the episode itself to drive it"
            .to_owned())
    }
}

/// How a log says that its episode went.
fn history(log: &Log) -> History {
    let values = log.layers().iter().map(|value| Thought {
        step: value.step as usize,
        path: value.path.clone(),
        lifetime: value.lifetime,
        frame: value.frame.clone(),
        layer: value.layer.clone(),
    });
    let seen = [layers::EventKind::Collision, layers::EventKind::Stop];
    let events = log.events.iter().filter(|it| !seen.contains(&it.event.kind)).map(|it| Event {
        step: it.step as usize,
        kind: EventKind::Agent,
        text: it.event.text.clone(),
    });
    History {
        actor: log.header.agent.clone(),
        actions: log.steps.iter().filter_map(|step| step.action).collect(),
        thoughts: Thoughts::recorded(values.collect(), log.schemas.clone(), events.collect()),
        positions: log.steps.iter().map(|step| step.pose.position).collect(),
    }
}

/// For each log the other of the same episode.
fn pairs(logs: &[Log], others: Vec<Log>) -> Result<Vec<Option<Log>>, Failure> {
    if others.is_empty() {
        return Ok(vec![None; logs.len()]);
    }
    let alone = (logs.len() == 1 && others.len() == 1).then(|| others.first().cloned()).flatten();
    let of = |log: &Log| {
        let same = |other: &&Log| other.header.identity == log.header.identity;
        others.iter().find(same).cloned()
    };
    let found: Vec<Option<Log>> = logs.iter().map(of).collect();
    if found.iter().any(Option::is_some) {
        return Ok(found);
    }
    Err(Failure::Input(match alone {
        Some(other) => format!(
            "the logs are of different episodes ({} and {}): only two ways through one episode can be compared",
            logs.first().map_or("", |log| log.header.episode_id.as_str()),
            other.header.episode_id
        ),
        None => "the two folders have no episode in common".to_owned(),
    }))
}

/// The differences of two logs for the window. What two agents observe is compared where both are given the
/// same.
fn partings(found: &Comparison, alike: bool) -> Vec<Parting> {
    let told = found.differences.iter().filter(|it| alike || it.kind != Kind::Observation);
    let told = told.filter_map(|difference| {
        let [a, b] = [&difference.a, &difference.b].map(|value| short(value));
        Some(Parting {
            step: difference.step? as usize,
            kind: difference.kind.name().to_owned(),
            text: format!("{}: {a} | {b}", difference.what),
        })
    });
    told.collect()
}

/// A value for a narrow panel: numbers in thousandths, of a hash the beginning.
fn short(value: &str) -> String {
    if value.len() == 64 && value.chars().all(|letter| letter.is_ascii_hexdigit()) {
        return format!("{}…", &value[..8]);
    }
    match value.parse::<f64>() {
        Ok(number) if value.contains('.') => format!("{number:.3}"),
        _ => value.to_owned(),
    }
}
