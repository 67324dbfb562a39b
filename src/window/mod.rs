//! The window of `ambler play`: the engine thread, the panels and the view put together in a Bevy app.
//!
//! Nothing is simulated or scored here: [`ambler_session`] does that on its own thread, with the simulation
//! of `ambler eval`.

mod app;
mod expect;
mod frame;
mod host;
mod latency;
mod replays;
mod script;
mod shot;
mod things;

use crate::cli::eval;
use crate::cli::play::PlayArgs;
use crate::exit::Failure;
use crate::locate;
use crate::settings::Settings;
use crate::terminal;
use ambler_agent::POLICY_NAMES;
use ambler_episode::Episode;
use ambler_evaluate::{Condition, Plan, Selection, plan_entries};
use ambler_plugin_panel::{EpisodeRow, Info};
use ambler_plugin_teleop::KeyMap;
use ambler_scene::{ReadOptions, SceneModel, read_scene};
use ambler_session::{Command, Host};
use host::PlayHost;
use script::{Script, Step};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a window is opened with.
struct Opening {
    host: Box<dyn Host>,
    info: Info,
    keys: KeyMap,
    keys_file: PathBuf,
    robot: Option<SceneModel>,
    size: [u32; 2],
    agent: String,
    first: usize,
    script: Script,
    /// Without a display.
    offscreen: bool,
}

/// Opens it, and comes back when it is closed.
pub fn open(args: &PlayArgs) -> Result<u8, Failure> {
    let offscreen = args.offscreen || args.screenshot.is_some();
    if !offscreen && std::env::var_os("DISPLAY").is_none() {
        return Err(Failure::Input(
            "there is no display (DISPLAY is not set): start it on a desktop or under `xvfb-run`, or draw the \
             window into a file with `--screenshot view.png`"
                .into(),
        ));
    }
    let settings = Settings::with_file(&args.settings, args.settings_file.as_deref())?;
    let size = crate::settings::parse_size(&args.window_size)?;
    let keys = keys(args.keys.as_deref())?;
    let script = script(args)?;
    if let Some(path) = args.episodes.as_deref().filter(|path| is_log(path)) {
        return app::run(replayed(args, path, keys, script, [size.0, size.1], offscreen)?);
    }
    if args.against.is_some() {
        let what = "--against goes with an episode log, or a folder of them, to compare";
        return Err(Failure::Usage(what.into()));
    }
    let episodes = eval::episodes(args.episodes.as_deref(), args.scenes.as_deref(), &settings)?;
    let conditions: Vec<Condition> =
        args.conditions.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
    let selection =
        Selection { episodes: args.episode.clone(), conditions, limit: args.limit, sample_seed: None };
    let plan = Plan::select(plan_entries(&episodes.set), &selection)?;
    let shown: Vec<Arc<Episode>> = plan
        .entries()
        .iter()
        .filter_map(|entry| episodes.set.episodes.get(usize::try_from(entry.index).ok()?).cloned())
        .collect();
    let info = Info {
        episodes: shown.iter().map(|episode| row(episode)).collect(),
        agents: agents(&settings),
        adapter: Default::default(),
    };
    let agent = info.agents.first().cloned().unwrap_or_default();
    let host = PlayHost::new(args, settings, episodes, plan, shown)?;
    let first = host.first_open();
    let opening = Opening {
        host: Box::new(host),
        info,
        keys,
        keys_file: keys_file(args),
        robot: robot(),
        size: [size.0, size.1],
        agent,
        first,
        script,
        offscreen,
    };
    app::run(opening)
}

/// Whether a path is an episode log, or a folder of them.
fn is_log(path: &Path) -> bool {
    let log = |path: &Path| path.extension().is_some_and(|extension| extension == "mcap");
    log(path)
        || std::fs::read_dir(path)
            .is_ok_and(|mut entries| entries.any(|it| it.is_ok_and(|it| log(&it.path()))))
}

/// A window on recorded episodes.
fn replayed(
    args: &PlayArgs,
    path: &Path,
    keys: KeyMap,
    script: Script,
    size: [u32; 2],
    offscreen: bool,
) -> Result<Opening, Failure> {
    let logs = replays::read(path)?;
    let episodes = logs.iter().map(|log| row(&log.episode)).collect();
    let mut agents = agents(&Settings::default());
    let agent = logs.first().map(|log| log.header.agent.clone()).unwrap_or_default();
    if !agents.contains(&agent) {
        agents.insert(0, agent.clone());
    }
    let others = args.against.as_deref().map_or(Ok(Vec::new()), replays::read)?;
    let objects = host::Objects::new(args.library.clone());
    let host = replays::ReplayHost::new(logs, others, args.scenes.as_deref(), objects)?;
    let info = Info { episodes, agents, ..Info::default() };
    Ok(Opening {
        host: Box::new(host),
        info,
        keys,
        keys_file: keys_file(args),
        robot: robot(),
        size,
        agent,
        first: 0,
        script,
        offscreen,
    })
}

/// The agents to choose from: those that were named, then those that need nothing more.
fn agents(settings: &Settings) -> Vec<String> {
    let mut names = settings.agent.clone();
    let plain = POLICY_NAMES.iter().filter(|name| !name.contains(':'));
    names.extend(["frontier"].iter().chain(plain).map(|name| (*name).to_owned()));
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

fn row(episode: &Episode) -> EpisodeRow {
    let asks = match episode.instruction() {
        Some(text) => text,
        None if episode.category().is_empty() => "go to a point".to_owned(),
        None => format!("find: {}", episode.category().replace('_', " ")),
    };
    EpisodeRow {
        id: episode.episode_id.clone(),
        scene: episode.scene_id.to_string(),
        asks,
        stated_m: episode.stated_geodesic_m(),
    }
}

/// Where changed keys are written.
fn keys_file(args: &PlayArgs) -> PathBuf {
    args.keys.clone().unwrap_or_else(|| PathBuf::from("keys.ron"))
}

fn keys(file: Option<&Path>) -> Result<KeyMap, Failure> {
    let Some(path) = file else { return Ok(KeyMap::default()) };
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::Input(format!("{}: cannot read: {error}", path.display())))?;
    KeyMap::with_changes(&text, &path.display().to_string())
        .map_err(|error| Failure::Input(error.to_string()))
}

fn script(args: &PlayArgs) -> Result<Script, Failure> {
    let mut steps = Vec::new();
    for text in &args.commands {
        let command: Command = text.parse().map_err(|error| Failure::Usage(format!("--do: {error}")))?;
        steps.push(Step::Do(command.name()));
    }
    if let Some(path) = &args.script {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::Input(format!("{}: cannot read: {error}", path.display())))?;
        steps.extend(script::parse(&text, path)?);
        steps.push(Step::Do("quit".to_owned()));
    }
    if let Some(path) = &args.screenshot {
        steps.extend(args.at.map(|step| Step::Do(format!("go:{step}"))));
        steps.push(Step::Shot(path.display().to_string()));
        steps.push(Step::Do("quit".to_owned()));
    }
    Ok(Script::new(steps))
}

/// The robot that ships; the window does without where it is missing.
fn robot() -> Option<SceneModel> {
    let path = locate::shipped_robot()?;
    match read_scene(&path, &ReadOptions::default()) {
        Ok(model) => Some(model),
        Err(error) => {
            terminal::log(&format!("note: the robot is not drawn: {error}"));
            None
        }
    }
}
