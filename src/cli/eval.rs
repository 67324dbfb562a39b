//! `ambler eval`: run agents over episodes and print their scores.

use super::print_json;
use crate::assemble::{HeadlessFactory, StageSettings, StageStore};
use crate::cameras;
use crate::exit::{self, Failure};
use crate::locate::SceneRoots;
use crate::settings::Settings;
use crate::terminal;
use ambler_agent::make_policy;
use ambler_episode::generate::obstacles;
use ambler_episode::{EpisodeSet, SuccessRule};
use ambler_evaluate::{
    Condition, ExecuteOptions, Execution, Limits, Manifest, NavigationWorker, OpenMode, Plan,
    ProgressState, RunFolder, Selection, Status, Summary, execute, plan_entries,
    report::{Style, Table, render_summary},
};
use ambler_replay::{Header, ReplayFolder, Which};
use clap::Args;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Arguments of `eval`.
#[derive(Args, Debug)]
pub struct EvalArgs {
    /// Episode file or folder, or a scene (then point goals are drawn in it); by default those that
    /// scenes/default.ron lists
    episodes: Option<PathBuf>,
    /// Folder with the scenes that the episodes name, or the scene itself
    #[arg(long, value_name = "PATH")]
    scenes: Option<PathBuf>,
    /// Run only the first N episodes of the selection
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Run only episodes with this id (or identity); may be given several times
    #[arg(long = "episode", value_name = "ID")]
    episode: Vec<String>,
    /// Run only episodes for which this holds: category=chair|bed, scene!=hall, task=objectnav
    #[arg(long = "where", value_name = "KEY=VALUE")]
    conditions: Vec<String>,
    /// Number of workers [default: one a processor]
    #[arg(long, value_name = "N")]
    workers: Option<usize>,
    /// Run the episodes in an order drawn from this seed; results do not depend on it
    #[arg(long, value_name = "SEED")]
    shuffle: Option<u64>,
    /// Folder of the run; an unfinished run there goes on [default: runs/AGENT-HASH, where the hash
    /// names all that determines the results: the same command finds its run again]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Forget what the run folder holds and start anew
    #[arg(long)]
    fresh: bool,
    /// Run the episodes again that failed or had a fault, and keep the others
    #[arg(long, conflicts_with = "fresh")]
    rerun_failed: bool,
    /// Keep the log of each episode, or of each that did not succeed, in the folder `replays` of the
    /// run; results do not depend on it
    #[arg(long, value_name = "WHICH")]
    replays: Option<Replays>,
    /// Print one JSON object on standard output
    #[arg(long)]
    json: bool,
    /// Print no progress
    #[arg(long)]
    quiet: bool,
    /// Read settings from a RON file; flags win over it
    #[arg(long = "settings", value_name = "FILE")]
    settings_file: Option<PathBuf>,
    /// Print the settings that hold, as a settings file, and end
    #[arg(long)]
    print_config: bool,
    /// Print the cameras that hold, as a file for --cameras, and stop
    #[arg(long)]
    print_cameras: bool,
    #[command(flatten)]
    settings: Settings,
}

/// Which episodes are kept as logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Replays {
    /// Every episode.
    All,
    /// Those that did not succeed.
    Failed,
}

/// More workers than this are a slip of the finger.
const MOST_WORKERS: usize = 1024;
/// The folder of episode logs in a run folder.
const REPLAYS: &str = "replays";
/// Point-goal episodes that are drawn when a scene is given instead of episodes.
const DRAWN_EPISODES: usize = 20;

/// Runs the evaluation.
pub fn run(args: &EvalArgs) -> Result<u8, Failure> {
    let settings = Settings::with_file(&args.settings, args.settings_file.as_deref())?;
    if args.print_config {
        terminal::say(&settings.printed()?);
        return Ok(exit::DONE);
    }
    let body = settings.body()?;
    let cameras = settings.cameras(&body)?;
    if args.print_cameras {
        terminal::say(&cameras::printed(&cameras)?);
        return Ok(exit::DONE);
    }
    if settings.steps() == 0 {
        return Err(Failure::Usage("--steps 0 leaves the agent no action".into()));
    }
    if args.workers.is_some_and(|workers| !(1..=MOST_WORKERS).contains(&workers)) {
        return Err(Failure::Usage(format!("--workers must be 1 to {MOST_WORKERS}")));
    }
    let rule = success_rule(&settings)?;
    let agents = settings.agents();
    settings.check_model_use()?;
    let policy_options = settings.policy_options()?;
    // Everything that can be wrong with the command line is found before anything is loaded.
    let policies: Vec<_> =
        agents.iter().map(|agent| make_policy(agent, &policy_options)).collect::<Result<_, _>>()?;
    let conditions: Vec<Condition> =
        args.conditions.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;

    let Episodes { set, roots, drawn } =
        episodes(args.episodes.as_deref(), args.scenes.as_deref(), &settings)?;
    for note in &set.notes {
        terminal::log(&format!("note: {note}"));
    }
    let selection =
        Selection { episodes: args.episode.clone(), conditions, limit: args.limit, sample_seed: None };
    let plan = Plan::select(plan_entries(&set), &selection)?;
    let label_obstacles =
        plan.entries().iter().any(|entry| entry.category.starts_with(obstacles::CATEGORY));
    let stages = StageSettings { label_obstacles, ..StageSettings::new(&settings, &body)? };
    let store = Arc::new(StageStore::new(roots, stages));
    let fingerprints = fingerprints(&plan, &store);
    let factory = HeadlessFactory::new(Arc::clone(&store), &settings, body.clone(), rule.clone())?;

    let stop = stop_flag();
    let mut runs = Vec::new();
    for (agent, policy) in agents.iter().zip(&policies) {
        let manifest = manifest(agent, &policy.identity(), &settings, &set, &fingerprints, &plan)?;
        let out = run_folder(args, agent, agents.len() > 1, &manifest);
        let mode = if args.fresh { OpenMode::Fresh } else { OpenMode::Resume };
        let mut folder = RunFolder::open(&out, &manifest, mode)?;
        for note in folder.notes() {
            terminal::log(&format!("note: {note}"));
        }
        if drawn {
            ambler_episode::write_episodes(&set, &out.join("drawn_episodes.json.gz"))?;
        }
        if args.fresh {
            remove_replays(&out)?;
        }
        let replays = match args.replays {
            None => None,
            Some(which) => Some(replays(
                &out,
                which,
                agent,
                &policy.identity(),
                &settings,
                &fingerprints,
                label_obstacles,
            )?),
        };
        if let Some(replays) = &replays {
            let again = folder.forget(|record| replays.misses(record))?;
            if again > 0 {
                terminal::log(&format!("{again} episodes have no log yet and are run again"));
            }
        }
        if args.rerun_failed {
            let again =
                folder.forget(|record| matches!(record.status, Status::Failed | Status::Fault))?;
            terminal::log(&format!("{again} episodes are run again"));
        }
        let limits = Limits { max_steps: settings.steps() };
        let make_worker = || {
            NavigationWorker::new(&set.episodes, &factory, policy.as_ref(), limits)
                .map(|worker| match &replays {
                    Some(replays) => worker.watched(replays.watcher()),
                    None => worker,
                })
                .map(|worker| Box::new(worker) as Box<dyn ambler_evaluate::Worker + '_>)
        };
        let mut progress = Bar::new(agent, args.quiet);
        let options =
            ExecuteOptions { workers: workers(args), order_seed: args.shuffle, stop: Some(stop) };
        let execution = execute(&plan, &mut folder, &options, &make_worker, &mut progress)?;
        progress.bar.take().inspect(|bar| bar.finish());
        if execution.remaining > 0 {
            return Err(Failure::NotAsAsked(format!(
                "stopped with {} of {} episodes left; the same command goes on from there ({})",
                execution.remaining,
                plan.len(),
                out.display()
            )));
        }
        let summary = folder.finish(&plan, &execution.timing)?;
        let unwritten = replays.as_ref().map(ReplayFolder::problems).unwrap_or_default();
        if let Some(first) = unwritten.first() {
            return Err(Failure::NotAsAsked(format!(
                "{} episode logs could not be written: {first}; the results are complete ({})",
                unwritten.len(),
                out.display()
            )));
        }
        runs.push(Run { agent: agent.clone(), out, summary, execution });
    }
    report(args, &runs)
}

/// The folder of a run's episode logs, made where it is missing.
pub(crate) fn replays(
    out: &Path,
    which: Replays,
    agent: &str,
    agent_identity: &str,
    settings: &Settings,
    fingerprints: &BTreeMap<String, Value>,
    label_obstacles: bool,
) -> Result<ReplayFolder, Failure> {
    let folder = out.join(REPLAYS);
    std::fs::create_dir_all(&folder).map_err(|error| Failure::cannot_write(&folder, &error))?;
    let which = match which {
        Replays::All => Which::All,
        Replays::Failed => Which::Failed,
    };
    let (agent, agent_identity) = (agent.to_owned(), agent_identity.to_owned());
    let (settings, fingerprints) = (settings.clone(), fingerprints.clone());
    Ok(ReplayFolder::new(folder, which, move |entry, episode| {
        let fingerprint = |part: &str| {
            let known = fingerprints.get(&entry.scene).and_then(|value| value[part].as_str());
            known.unwrap_or_default().to_owned()
        };
        Header {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            scene_fingerprint: fingerprint("scene"),
            navmesh_fingerprint: fingerprint("navmesh"),
            agent: agent.clone(),
            agent_identity: agent_identity.clone(),
            detector_pixels: settings.detector_pixels(),
            success: settings.success.clone(),
            distance: settings.distance.unwrap_or_default().name().to_owned(),
            up: settings.up.clone().unwrap_or_else(|| "y".to_owned()),
            rebuild_navmesh: settings.rebuild_navmesh.unwrap_or(false),
            label_obstacles,
            ..Header::for_episode(episode)
        }
    }))
}

/// A run that is forgotten takes its episode logs with it.
fn remove_replays(out: &Path) -> Result<(), Failure> {
    let Ok(entries) = std::fs::read_dir(out.join(REPLAYS)) else { return Ok(()) };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.extension().is_some_and(|extension| extension == "mcap") {
            std::fs::remove_file(&path).map_err(|error| Failure::cannot_write(&path, &error))?;
        }
    }
    Ok(())
}

struct Run {
    agent: String,
    out: PathBuf,
    summary: Summary,
    execution: Execution,
}

fn report(args: &EvalArgs, runs: &[Run]) -> Result<u8, Failure> {
    // An agent that never once ran to its end was not evaluated.
    let broken = runs
        .iter()
        .map(|run| &run.summary.overall)
        .any(|overall| overall.faults > 0 || overall.valid == 0 || overall.failed == overall.valid);
    let code = if broken { exit::NOT_AS_ASKED } else { exit::DONE };
    if args.json {
        let object = |run: &Run| {
            let mut value = run.summary.to_json(Some(&run.execution.timing));
            if let Some(object) = value.as_object_mut() {
                object.insert("agent".into(), json!(run.agent));
                object.insert("out".into(), json!(run.out));
            }
            value
        };
        match runs {
            [run] => print_json(&object(run)),
            runs => print_json(&json!({ "runs": runs.iter().map(object).collect::<Vec<Value>>() })),
        }
        return Ok(code);
    }
    let width = terminal::width();
    for run in runs {
        terminal::say("");
        terminal::say(&run.agent);
        terminal::say(render_summary(&run.summary, Style::Unicode, width).trim_end());
        let timing = &run.execution.timing;
        let speed = if timing.steps > 0 {
            format!(
                "{} steps in {:.1} s, {:.0} steps/s; ",
                timing.steps, timing.wall_s, timing.steps_per_second
            )
        } else {
            String::new()
        };
        terminal::say(&format!("{speed}records in {}", run.out.display()));
        let shares = timing.spent_s.shares();
        if timing.steps > 0 && !shares.is_empty() {
            terminal::say(&format!("time: {shares}"));
        }
    }
    if runs.len() > 1 {
        terminal::say("");
        let runs: Vec<_> = runs.iter().map(|run| (run.agent.as_str(), &run.summary)).collect();
        terminal::say(compared(&runs).render(Style::Unicode, width).trim_end());
    }
    Ok(code)
}

/// One row for each task and agent.
pub(crate) fn compared(runs: &[(&str, &Summary)]) -> Table {
    let mut table =
        Table::new(["task", "agent", "valid", "success", "SPL", "SoftSPL", "to goal (m)", "privileged"]);
    let tasks = runs.first().map_or(&[][..], |(_, summary)| &summary.tasks);
    for task in tasks.iter().map(|group| &group.task) {
        for (agent, summary) in runs {
            let Some(group) = summary.tasks.iter().find(|group| group.task == *task) else {
                continue;
            };
            let estimate = |name: &str, digits: usize| match group.estimate(name) {
                Some(estimate) => match (estimate.mean, &estimate.interval) {
                    (Some(mean), Some(interval)) => {
                        format!(
                            "{mean:.digits$} [{:.digits$}, {:.digits$}]",
                            interval.low, interval.high
                        )
                    }
                    (Some(mean), None) => format!("{mean:.digits$}"),
                    (None, _) => "–".to_string(),
                },
                None => "–".to_string(),
            };
            table.push([
                task.clone(),
                (*agent).to_owned(),
                group.valid.to_string(),
                estimate("success", 3),
                estimate("spl", 3),
                estimate("soft_spl", 3),
                estimate("distance_to_goal", 2),
                if group.privileged > 0 { "yes" } else { "no" }.to_string(),
            ]);
        }
    }
    table
}

pub(crate) fn success_rule(settings: &Settings) -> Result<Option<SuccessRule>, Failure> {
    let parse = |text: &String| {
        text.parse::<SuccessRule>().map_err(|fault| Failure::Usage(format!("--success {text}: {fault}")))
    };
    settings.success.as_ref().map(parse).transpose()
}

fn workers(args: &EvalArgs) -> usize {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    args.workers.unwrap_or(processors).max(1)
}

/// All that determines the results of a run.
pub(crate) fn manifest(
    agent: &str,
    agent_identity: &str,
    settings: &Settings,
    set: &EpisodeSet,
    scenes: &BTreeMap<String, Value>,
    plan: &Plan,
) -> Result<Manifest, Failure> {
    let body = settings.body()?;
    let mut manifest = Manifest::new(env!("CARGO_PKG_VERSION"), settings.seed());
    if ambler_agent::models_of(agent).contains(&"detector") {
        // Reports tell runs apart by it; what else shapes the answers is in the agent's identity.
        manifest = manifest.with("detector", settings.detector.as_deref().unwrap_or("truth"));
    }
    Ok(manifest
        .with("agent", agent)
        .with("agent_identity", agent_identity)
        .with("body", &body)
        .with("cameras", settings.cameras(&body)?)
        .with("detector_pixels", settings.detector_pixels())
        .with("distance", settings.distance.unwrap_or_default())
        .with("success", success_rule(settings)?.as_ref().map(ToString::to_string))
        .with("max_steps", settings.steps())
        .with("episodes", set.fingerprint().to_string())
        .with("scenes", scenes)
        .with_plan(plan))
}

fn run_folder(args: &EvalArgs, agent: &str, several: bool, manifest: &Manifest) -> PathBuf {
    match &args.out {
        Some(out) if several => out.join(plain_name(agent)),
        Some(out) => out.clone(),
        None => default_folder(agent, manifest),
    }
}

/// The folder that a run has where none is named.
pub(crate) fn default_folder(agent: &str, manifest: &Manifest) -> PathBuf {
    let hash = blake3::hash(&manifest.to_bytes()).to_hex();
    PathBuf::from("runs").join(format!("{}-{}", plain_name(agent), &hash[..8]))
}

/// An agent as part of a path. What does not fit is replaced by a hash of the whole.
fn plain_name(agent: &str) -> String {
    let plain: String =
        agent.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    if plain.len() <= 40 {
        return plain;
    }
    format!("{}-{}", &plain[..32], &blake3::hash(agent.as_bytes()).to_hex()[..8])
}

/// The episodes to run and where their scenes are.
pub(crate) struct Episodes {
    pub(crate) set: EpisodeSet,
    pub(crate) roots: SceneRoots,
    /// They were drawn just now, so the run keeps them.
    pub(crate) drawn: bool,
}

pub(crate) fn episodes(
    path: Option<&Path>,
    scenes: Option<&Path>,
    settings: &Settings,
) -> Result<Episodes, Failure> {
    let roots = SceneRoots::new(scenes)?;
    let Some(path) = path else {
        let set = roots.shipped().map(super::shipped::episodes).transpose()?.unwrap_or_default();
        if set.episodes.is_empty() {
            return Err(Failure::Input(
                "no episodes were named and none ship here; name an episode file, a folder or a scene, or set AMBLER_HOME".into(),
            ));
        }
        return Ok(Episodes { set, roots, drawn: false });
    };
    if is_scene(path) {
        let roots = SceneRoots::new(Some(scenes.unwrap_or(path)))?;
        let body = settings.body()?;
        let store = StageStore::new(SceneRoots::new(Some(path))?, StageSettings::new(settings, &body)?);
        let name = scene_name(path);
        let stage = store.get(&name)?;
        let set = super::generate::draw_pointnav(&stage, &name, DRAWN_EPISODES, settings.seed())?;
        return Ok(Episodes { set, roots, drawn: true });
    }
    Ok(Episodes { set: ambler_episode::read_episodes(path)?, roots, drawn: false })
}

/// Whether a path is a scene and no episode set.
fn is_scene(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let known =
        ["glb", "gltf", "ply", "obj", "ron"].iter().any(|known| extension.eq_ignore_ascii_case(known));
    known || path.join("scene.ron").is_file()
}

/// The name by which episodes of a scene call it.
pub fn scene_name(path: &Path) -> String {
    // `.` and `..` have no name of their own.
    let absolute = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let path = absolute.as_path();
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    match (name, path.parent()) {
        (Some(name), Some(parent)) if name == "scene.ron" => {
            parent.file_name().map_or(name, |folder| folder.to_string_lossy().into_owned())
        }
        (Some(name), _) => name,
        (None, _) => "scene".into(),
    }
}

/// Scene and navmesh of each planned scene by content; the reason where one cannot be used.
pub(crate) fn fingerprints(plan: &Plan, store: &StageStore) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    for entry in plan.entries() {
        if !found.contains_key(&entry.scene) {
            let value = match store.get(&entry.scene) {
                Ok(stage) => {
                    if !stage.scene.notes.is_empty() {
                        let scene = &entry.scene;
                        let count = stage.scene.notes.len();
                        terminal::log(&format!(
                            "note: {scene}: harmless oddities: {count}; `ambler scene inspect` names them"
                        ));
                    }
                    json!({ "scene": stage.scene.fingerprint, "navmesh": stage.navmesh.fingerprint() })
                }
                Err(failure) => {
                    terminal::log(&format!("warning: {failure}"));
                    Value::Null
                }
            };
            found.insert(entry.scene.clone(), value);
        }
    }
    found
}

/// Set by Ctrl-C: the episodes now running are finished and recorded, then the program ends.
fn stop_flag() -> &'static AtomicBool {
    static STOP: AtomicBool = AtomicBool::new(false);
    let handler = || {
        if STOP.swap(true, Ordering::Relaxed) {
            // A second Ctrl-C ends at once; the journal survives that too.
            std::process::exit(i32::from(exit::NOT_AS_ASKED));
        }
        terminal::log("stopping after the episodes now running; Ctrl-C again ends at once");
    };
    // It can be set once a process; a second evaluation in the same process keeps the first.
    let _ = ctrlc::set_handler(handler);
    &STOP
}

/// Draws the progress of a run.
struct Bar {
    agent: String,
    quiet: bool,
    bar: Option<terminal::Progress>,
}

impl Bar {
    fn new(agent: &str, quiet: bool) -> Self {
        Self { agent: agent.to_string(), quiet, bar: None }
    }
}

impl ambler_evaluate::Progress for Bar {
    fn update(&mut self, state: &ProgressState) {
        let bar = self
            .bar
            .get_or_insert_with(|| terminal::Progress::new(state.total, &self.agent, self.quiet));
        let scored = state.valid.max(1) as f64;
        let note = format!(
            "{}  success {:.2}  SPL {:.2}  {:.0} steps/s",
            self.agent,
            state.success_sum / scored,
            state.spl_sum / scored,
            state.steps_per_second()
        );
        bar.set(state.recorded, &note);
    }
}
