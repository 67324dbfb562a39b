//! `ambler replay`: what is in the log of an episode, whether it still holds, where two part.

use super::print_json;
use crate::assemble::{HeadlessFactory, StageSettings, StageStore};
use crate::exit::{self, Failure};
use crate::locate::SceneRoots;
use crate::terminal;
use ambler_agent::Needs;
use ambler_agent::layers::EventKind;
use ambler_episode::SuccessRule;
use ambler_evaluate::report::{Style, Table};
use ambler_evaluate::{Simulation, SimulationFactory as _};
use ambler_navmesh::NavQuery;
use ambler_replay::video::{Director, RATE, Scenery, film};
use ambler_replay::{Comparison, Header, Log, compare, resimulate};
use clap::Args;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Arguments of `replay`.
#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// Episode logs (.mcap)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Simulate the episodes again with the recorded actions, and compare every pose, measure and
    /// observation
    #[arg(long, conflicts_with_all = ["against", "video"])]
    check: bool,
    /// Compare with another log: the first difference of each kind
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// Draw a film of the episode: .mp4 (H.264) or .gif by the name's ending
    #[arg(long, value_name = "FILE", conflicts_with = "against")]
    video: Option<PathBuf>,
    /// Folder with the scenes that the episodes name, or the scene itself
    #[arg(long, value_name = "PATH")]
    scenes: Option<PathBuf>,
    /// Print one JSON object on standard output
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &ReplayArgs) -> Result<u8, Failure> {
    if args.check {
        return check(args);
    }
    let [file] = args.files.as_slice() else {
        return Err(Failure::Usage("give one episode log; several can be given with --check".into()));
    };
    let log = read(file)?;
    match (&args.against, &args.video) {
        (Some(other), _) => against(args, file, &log, other),
        (None, Some(film)) => video(args, &log, film),
        (None, None) => show(args, &log),
    }
}

/// Reads a log and says what was wrong with it.
fn read(path: &Path) -> Result<Log, Failure> {
    let log = ambler_replay::read(path)?;
    for notice in &log.notices {
        terminal::log(&format!("warning: {}: {notice}", path.display()));
    }
    if log.steps.is_empty() {
        return Err(Failure::Input(format!("{}: there is no step in it", path.display())));
    }
    Ok(log)
}

fn show(args: &ReplayArgs, log: &Log) -> Result<u8, Failure> {
    if args.json {
        print_json(&as_json(log));
    } else {
        terminal::say(&in_words(log));
    }
    Ok(if log.notices.is_empty() { exit::DONE } else { exit::NOT_AS_ASKED })
}

fn as_json(log: &Log) -> Value {
    let layers: BTreeMap<&str, Value> = log
        .paths()
        .into_iter()
        .map(|path| {
            let kind = log.values(path).next().map_or("", |value| value.layer.kind());
            let schema = log.schemas.get(path);
            (path, json!({ "kind": kind, "values": log.values(path).count(), "schema": schema }))
        })
        .collect();
    json!({
        "header": log.header,
        "steps": log.steps,
        "layers": layers,
        "events": log.events,
        "record": log.record,
        "notices": log.notices,
    })
}

fn in_words(log: &Log) -> String {
    let header = &log.header;
    let mut lines = Vec::new();
    let goal = if header.category.is_empty() {
        "to a point".to_owned()
    } else {
        format!("to a {}", header.category)
    };
    lines.push(format!("episode {} of {}, {} {goal}", header.episode_id, header.scene, header.task));
    lines.push(format!(
        "agent {}, seed {}, body {}, {}, Ambler {}",
        header.agent,
        header.seed,
        header.body.name,
        header
            .cameras
            .iter()
            .map(|camera| format!("camera {} {}x{}", camera.name, camera.width, camera.height))
            .collect::<Vec<_>>()
            .join(", "),
        header.version
    ));
    lines.push(outcome(log));
    let actions: String = log.steps.iter().filter_map(|step| Some(step.action?.letter())).collect();
    let shown: String = actions.chars().take(72).collect();
    let more = if shown.len() < actions.len() { "…" } else { "" };
    lines.push(format!("actions {shown}{more}"));
    let width = terminal::width();
    if !log.paths().is_empty() {
        let mut table = Table::new(["layer", "kind", "values", "what"]);
        for path in log.paths() {
            let title = log.schemas.get(path).map_or("", |schema| schema.title.as_str());
            let kind = log.values(path).next().map_or("", |value| value.layer.kind());
            table.push([
                path.to_owned(),
                kind.to_owned(),
                log.values(path).count().to_string(),
                title.to_owned(),
            ]);
        }
        lines.push(String::new());
        lines.push(table.render(Style::Unicode, width).trim_end().to_owned());
    }
    if !log.events.is_empty() {
        let mut table = Table::new(["step", "event", "what"]);
        for event in log.events.iter().take(MOST_EVENTS) {
            table.push([
                event.step.to_string(),
                event.event.kind.name().to_owned(),
                event.event.text.clone(),
            ]);
        }
        lines.push(String::new());
        lines.push(table.render(Style::Unicode, width).trim_end().to_owned());
        if log.events.len() > MOST_EVENTS {
            lines.push(format!("and {} more; --json has all", log.events.len() - MOST_EVENTS));
        }
    }
    lines.join("\n")
}

/// Events that are printed.
const MOST_EVENTS: usize = 40;

/// How the episode ended, in a line.
fn outcome(log: &Log) -> String {
    let Some(last) = log.steps.last() else { return "no step".to_owned() };
    let collisions = log.events.iter().filter(|event| event.event.kind == EventKind::Collision).count();
    let distance = last
        .distance_to_goal
        .map_or_else(|| "no path to the goal".to_owned(), |d| format!("{d:.2} m to the goal"));
    let numbers = format!(
        "{} steps, {distance}, {:.2} m walked, {:.2} m at best, {collisions} collisions",
        log.last_step(),
        last.path_length_m,
        last.shortest_path_m,
    );
    match &log.record {
        None => format!("not ended: {numbers}"),
        Some(record) => {
            let word = match (
                &record.reason,
                record.scores.as_ref().is_some_and(|scores| scores.success == 1.0),
            ) {
                (Some(reason), _) => format!("{} ({reason})", record.status.as_str()),
                (None, true) => "success".to_owned(),
                (None, false) if record.stop_called => "stopped too far away".to_owned(),
                (None, false) => "no stop".to_owned(),
            };
            let spl = record.scores.as_ref().map_or(0.0, |scores| scores.spl);
            format!("{word}: {numbers}, SPL {spl:.3}")
        }
    }
}

fn against(args: &ReplayArgs, file: &Path, log: &Log, other: &Path) -> Result<u8, Failure> {
    let yours = read(other)?;
    let found = compare(log, &yours, true);
    if args.json {
        print_json(&found_json(&found));
    } else if found.is_equal() {
        terminal::say(&format!("equal: {} steps", log.last_step()));
    } else {
        let heads = [name(file), name(other)];
        terminal::say(&differences(&found, &heads[0], &heads[1]));
    }
    Ok(if found.is_equal() { exit::DONE } else { exit::NOT_AS_ASKED })
}

fn name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn found_json(found: &Comparison) -> Value {
    json!({
        "equal": found.is_equal(),
        "culprit": found.first().map(|first| first.kind.culprit()),
        "differences": found.differences,
    })
}

fn differences(found: &Comparison, a: &str, b: &str) -> String {
    let mut table = Table::new(["first difference", "step", "what", a, b]);
    for difference in &found.differences {
        table.push([
            difference.kind.name().to_owned(),
            difference.step.map_or_else(|| "–".to_owned(), |step| step.to_string()),
            difference.what.clone(),
            difference.a.clone(),
            difference.b.clone(),
        ]);
    }
    let culprit = found.first().map_or("", |first| first.kind.culprit());
    format!("{}\nfirst of all: {culprit}", table.render(Style::Unicode, terminal::width()).trim_end())
}

/// Draws the film of a log.
fn video(args: &ReplayArgs, log: &Log, out: &Path) -> Result<u8, Failure> {
    let roots = SceneRoots::new(args.scenes.as_deref())?;
    let store = StageStore::new(roots, StageSettings::of_log(&log.header)?);
    let stage = store.get(&log.header.scene)?;
    if stage.scene.fingerprint != log.header.scene_fingerprint {
        terminal::log("warning: this is not the scene that was recorded; the film shows the one found");
    }
    let rule = match &log.header.success {
        Some(name) => name.parse::<SuccessRule>().map_err(|fault| {
            Failure::Input(format!("the episode log has the success rule {name:?}: {fault}"))
        })?,
        None => SuccessRule::for_task(&log.episode.task),
    };
    let goals = log.episode.measured_points(rule.to).points;
    let mut query = NavQuery::new(Arc::clone(&stage.navmesh));
    let start = log.steps.first().map_or(log.episode.start_position, |step| step.pose.position);
    let shortest =
        query.find_path_multi(start, &goals).map_or_else(|_| Vec::new(), |(path, _)| path.points);
    let scenery =
        Scenery { renderer: stage.renderer(), shortest, goals, success_m: rule.distance_m as f32 };
    let mut director = Director::new(log, scenery);
    let mut bar = terminal::Progress::new(director.len() as u64, "pictures", args.json);
    film(&mut director, out, &mut |done| bar.set(done as u64, "pictures"))?;
    bar.finish();
    let pictures = director.len();
    let seconds = pictures as f64 / f64::from(RATE);
    if args.json {
        print_json(&json!({ "out": out, "pictures": pictures, "seconds": seconds }));
    } else {
        terminal::say(&format!("{}: {pictures} pictures, {seconds:.1} s", out.display()));
    }
    Ok(exit::DONE)
}

/// The simulations that checks share: logs of one run mostly come from a few scenes.
struct Simulations {
    roots: SceneRoots,
    made: Option<(Header, Box<dyn Simulation>, Header)>,
}

impl Simulations {
    /// A simulation as the log had it, and the header that holds in it.
    fn of(&mut self, header: &Header) -> Result<(&mut dyn Simulation, Header), Failure> {
        // What differs between the episodes of a scene does not matter.
        let key = Header {
            index: 0,
            episode_id: String::new(),
            identity: String::new(),
            task: String::new(),
            category: String::new(),
            needs: Needs::default(),
            ..header.clone()
        };
        if self.made.as_ref().is_none_or(|(made, ..)| *made != key) {
            self.made = None;
            let stages = StageSettings::of_log(header)?;
            let store = Arc::new(StageStore::new(self.roots.clone(), stages));
            let stage = store.get(&header.scene)?;
            let holds = Header {
                scene_fingerprint: stage.scene.fingerprint.clone(),
                navmesh_fingerprint: stage.navmesh.fingerprint(),
                categories: stage.scene.categories.clone(),
                ..key.clone()
            };
            let factory = HeadlessFactory::replaying(store, header)?;
            let simulation = factory.create(&header.scene).map_err(Failure::Input)?;
            self.made = Some((key, simulation, holds));
        }
        let Some((_, simulation, holds)) = &mut self.made else {
            return Err(Failure::Input("no simulation".into()));
        };
        let holds = Header {
            index: header.index,
            episode_id: header.episode_id.clone(),
            identity: header.identity.clone(),
            task: header.task.clone(),
            category: header.category.clone(),
            needs: header.needs,
            ..holds.clone()
        };
        Ok((simulation.as_mut(), holds))
    }
}

fn check(args: &ReplayArgs) -> Result<u8, Failure> {
    let mut simulations = Simulations { roots: SceneRoots::new(args.scenes.as_deref())?, made: None };
    let mut results = Vec::new();
    let mut all_same = true;
    for file in &args.files {
        let log = read(file)?;
        let (simulation, header) = simulations.of(&log.header)?;
        let sameness = resimulate(simulation, &log, header).map_err(|reason| {
            Failure::NotAsAsked(format!("{}: cannot be begun: {reason}", file.display()))
        })?;
        let found = &sameness.comparison;
        all_same &= found.is_equal() && log.notices.is_empty();
        if args.json {
            let mut value = found_json(found);
            if let Some(object) = value.as_object_mut() {
                object.insert("file".into(), json!(file));
                object.insert("steps".into(), json!(sameness.steps));
                object.insert("notices".into(), json!(log.notices));
            }
            results.push(value);
        } else if found.is_equal() {
            let observed = if log.header.needs.sensors() { "images, " } else { "" };
            terminal::say(&format!(
                "{}: the same over {} steps (poses, measures, {observed}record)",
                file.display(),
                sameness.steps
            ));
        } else {
            terminal::say(&format!("{}: not the same", file.display()));
            terminal::say(&differences(found, "recorded", "simulated"));
        }
    }
    if args.json {
        print_json(&json!({ "same": all_same, "files": results }));
    }
    Ok(if all_same { exit::DONE } else { exit::NOT_AS_ASKED })
}
