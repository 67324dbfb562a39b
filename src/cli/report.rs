//! `ambler report`: tables, figures and trajectories of runs.

use super::eval::compared;
use super::{plan, print_json};
use crate::assemble::{Stage, StageSettings, StageStore};
use crate::exit::{self, Failure};
use crate::locate::SceneRoots;
use crate::terminal;
use ambler_episode::Task;
use ambler_evaluate::Summary;
use ambler_evaluate::report::{Style, render_comparison};
use ambler_replay::{Header, Log};
use ambler_report::{
    Class, Plan, Report, Scenes, Sight, TaskResults, csv, html, latex, parquet, read_runs,
};
use ambler_sensor::{CameraSpec, Frame, Outputs, detect};
use clap::Args;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Arguments of `report`.
#[derive(Args, Debug)]
pub struct ReportArgs {
    /// Folders of runs, or folders that hold several
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Write the page here [default: report.html in the first folder named, where no other file is asked for]
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write one row an episode and run as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write the same rows as Parquet
    #[arg(long, value_name = "FILE")]
    parquet: Option<PathBuf>,
    /// Write tables for a paper
    #[arg(long, value_name = "FILE")]
    latex: Option<PathBuf>,
    /// Folder with the scenes that the episodes name, or the scene itself: for plans, and to tell whether
    /// a goal was in view
    #[arg(long, value_name = "PATH")]
    scenes: Option<PathBuf>,
    /// Print one JSON object on standard output
    #[arg(long)]
    json: bool,
    /// Print no progress
    #[arg(long)]
    quiet: bool,
}

/// Runs the command.
pub fn run(args: &ReportArgs) -> Result<u8, Failure> {
    let runs = read_runs(&args.runs)?;
    let scenes = LoadedScenes::new(SceneRoots::new(args.scenes.as_deref())?);
    let total: usize = runs.iter().map(|run| run.records.len()).sum();
    let bar = Mutex::new(terminal::Progress::new(total as u64, "episodes", args.quiet || args.json));
    let report = Report::gather(runs, &scenes, &|done| {
        bar.lock().unwrap_or_else(PoisonError::into_inner).set(done, "episodes");
    });
    bar.lock().unwrap_or_else(PoisonError::into_inner).finish();
    for note in &report.notes {
        terminal::log(&format!("note: {note}"));
    }
    let results = TaskResults::all(&report);
    let written = write(args, &report, &results)?;
    if args.json {
        print_json(&as_json(&report, &results, &written));
    } else {
        in_words(&report, &results);
        for path in written.values() {
            terminal::log(&format!("wrote {}", path.display()));
        }
    }
    Ok(exit::DONE)
}

/// Writes what was asked for; kinds and paths.
fn write(
    args: &ReportArgs,
    report: &Report,
    results: &[TaskResults],
) -> Result<BTreeMap<&'static str, PathBuf>, Failure> {
    let asked = [&args.html, &args.csv, &args.parquet, &args.latex].iter().any(|path| path.is_some());
    let page = match (&args.html, args.runs.first()) {
        (Some(path), _) => Some(path.clone()),
        (None, Some(first)) if !asked => Some(first.join("report.html")),
        _ => None,
    };
    let mut written = BTreeMap::new();
    let mut put = |kind: &'static str,
                   path: &Path,
                   bytes: &dyn Fn(&Path) -> Result<Vec<u8>, Failure>| {
        let folder = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        if !folder.as_os_str().is_empty() {
            std::fs::create_dir_all(&folder).map_err(|error| Failure::cannot_write(&folder, &error))?;
        }
        let bytes = bytes(&folder)?;
        std::fs::write(path, bytes).map_err(|error| Failure::cannot_write(path, &error))?;
        written.insert(kind, path.to_path_buf());
        Ok::<(), Failure>(())
    };
    if let Some(path) = &page {
        put("html", path, &|folder| Ok(html(report, results, folder).into_bytes()))?;
    }
    if let Some(path) = &args.csv {
        put("csv", path, &|folder| Ok(csv(&report.columns(folder)).into_bytes()))?;
    }
    if let Some(path) = &args.parquet {
        put("parquet", path, &|folder| Ok(parquet(&report.columns(folder))?))?;
    }
    if let Some(path) = &args.latex {
        put("latex", path, &|_| Ok(latex(report, results).into_bytes()))?;
    }
    Ok(written)
}

fn in_words(report: &Report, results: &[TaskResults]) {
    let width = terminal::width();
    let overall: Vec<Vec<(&str, &Summary)>> = results
        .iter()
        .map(|task| {
            let runs = report.runs.iter().zip(&task.runs);
            runs.filter_map(|(run, summary)| Some((run.label.as_str(), summary.as_ref()?))).collect()
        })
        .collect();
    for runs in overall {
        terminal::say(compared(&runs).render(Style::Unicode, width).trim_end());
        terminal::say("");
    }
    for task in results {
        for pair in &task.pairs {
            let names = [pair.first, pair.second].map(|run| report.runs[run].label.as_str());
            terminal::say(&format!("{}: {} and {}", task.task, names[0], names[1]));
            let table = render_comparison(&pair.comparison, names, Style::Unicode, width);
            terminal::say(table.trim_end());
            terminal::say("");
        }
    }
}

fn as_json(
    report: &Report,
    results: &[TaskResults],
    written: &BTreeMap<&'static str, PathBuf>,
) -> Value {
    let label = |run: usize| report.runs[run].label.clone();
    let tasks: Vec<Value> = results
        .iter()
        .map(|task| {
            let runs: Map<String, Value> = (0..report.runs.len())
                .filter_map(|run| {
                    let mut value = task.runs[run].as_ref()?.to_json(None);
                    let classes: Map<String, Value> = Class::ALL
                        .iter()
                        .zip(task.classes[run])
                        .map(|(class, count)| (class.name().to_owned(), json!(count)))
                        .collect();
                    value.as_object_mut()?.insert("outcomes".to_owned(), Value::Object(classes));
                    Some((label(run), value))
                })
                .collect();
            let pairs: Vec<Value> = task
                .pairs
                .iter()
                .map(|pair| {
                    json!({
                        "first": label(pair.first),
                        "second": label(pair.second),
                        "comparison": pair.comparison,
                        "mid_p_holm": pair.corrected,
                    })
                })
                .collect();
            json!({ "task": task.task, "runs": runs, "comparisons": pairs })
        })
        .collect();
    json!({ "tasks": tasks, "notes": report.notes, "written": written })
}

/// Loads scenes as the logs of their episodes say. One scene at a time is held.
struct LoadedScenes {
    roots: SceneRoots,
    held: Mutex<Held>,
}

/// The stages of one scene, by what they were made with.
#[derive(Default)]
struct Held {
    scene: String,
    stages: BTreeMap<String, Result<Arc<Stage>, String>>,
}

/// Pixels of a plan's longer side.
const PLAN_PIXELS: f32 = 800.0;

impl LoadedScenes {
    fn new(roots: SceneRoots) -> Self {
        Self { roots, held: Mutex::default() }
    }

    fn stage(&self, header: &Header) -> Result<Arc<Stage>, String> {
        let settings = StageSettings::of_log(header).map_err(|failure| failure.to_string())?;
        let key = format!("{settings:?}");
        // Whoever wants the same scene waits here for the one that loads it.
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.scene != header.scene {
            *held = Held { scene: header.scene.clone(), stages: BTreeMap::new() };
        }
        let stage = held.stages.entry(key).or_insert_with(|| {
            let store = StageStore::new(self.roots.clone(), settings);
            store.get(&header.scene).map_err(|failure| failure.to_string())
        });
        let stage = stage.clone()?;
        if !header.scene_fingerprint.is_empty() && stage.scene.fingerprint != header.scene_fingerprint {
            return Err(format!("scene {:?} is not the one that was recorded", header.scene));
        }
        Ok(stage)
    }
}

impl Scenes for LoadedScenes {
    fn storey(&self, header: &Header, height_m: f32) -> Result<usize, String> {
        let stage = self.stage(header)?;
        let away = |y: f32| (y - height_m).abs();
        let floors = stage.scene.floors.iter().enumerate();
        let nearest = floors.min_by(|(_, a), (_, b)| away(a.y).total_cmp(&away(b.y)));
        Ok(nearest.map_or(0, |(storey, _)| storey))
    }

    fn plan(&self, header: &Header, storey: usize) -> Result<Plan, String> {
        let stage = self.stage(header)?;
        let scene = &stage.scene;
        let floor = scene.floors.get(storey).map_or(scene.bounds.min.y, |floor| floor.y);
        let plan = plan::storey(stage.renderer(), floor, PLAN_PIXELS, true)
            .map_err(|error| error.to_string())?;
        Ok(Plan {
            png: plan.picture.to_png().map_err(|error| error.to_string())?,
            width: plan.picture.width,
            height: plan.picture.height,
            left_m: plan.left_m,
            top_m: plan.top_m,
            per_m: plan.per_m,
        })
    }

    fn sight(&self, log: &Log) -> Result<Sight, String> {
        let stage = self.stage(&log.header)?;
        let scene = &stage.scene;
        let wanted = goal_instances(&stage, log);
        if wanted.is_empty() {
            return Err(format!(
                "scene {:?} has nothing labelled {:?}",
                log.header.scene, log.header.category
            ));
        }
        let outputs = Outputs { instance: true, ..Outputs::NONE };
        let cameras: Vec<CameraSpec> =
            log.header.cameras.iter().map(|camera| CameraSpec { outputs, ..camera.clone() }).collect();
        let mut frame = Frame::default();
        let mut shown = |step: &ambler_replay::Step| -> Result<bool, String> {
            for camera in &cameras {
                let place = step.world_from_camera(camera);
                stage
                    .renderer()
                    .render(camera, &place, &mut frame)
                    .map_err(|error| error.to_string())?;
                let found = detect(scene, &frame, camera, log.header.detector_pixels.max(1));
                if found.iter().any(|found| wanted.contains(&found.instance)) {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        let mut first = None;
        let mut before = None;
        for (number, step) in (0u32..).zip(&log.steps) {
            // A blocked step shows what the one before it showed.
            if before == Some((step.pose, step.tilt)) {
                continue;
            }
            before = Some((step.pose, step.tilt));
            if shown(step)? {
                first = Some(number);
                break;
            }
        }
        let at_end = match (first, log.steps.last()) {
            (Some(_), Some(last)) => shown(last)?,
            _ => false,
        };
        Ok(Sight { first, at_end })
    }
}

/// Ids of the instances that the goal of a log is about.
fn goal_instances(stage: &Stage, log: &Log) -> BTreeSet<u32> {
    let scene = &stage.scene;
    let of_categories = |names: &[&str]| {
        let named = |category: u32| {
            scene.categories.get(category as usize).is_some_and(|name| names.contains(&name.as_str()))
        };
        scene.instances.iter().filter(|instance| named(instance.category)).map(|it| it.id).collect()
    };
    match &log.episode.task {
        Task::ObjectNav { category, children, .. } => {
            let names: Vec<&str> = std::iter::once(&**category)
                .chain(children.iter().map(|child| &*child.category))
                .collect();
            of_categories(&names)
        }
        _ => {
            let ids: BTreeSet<i64> = log
                .episode
                .task
                .object_goals()
                .filter_map(|goal| goal.object_id.as_ref()?.number())
                .collect();
            let instances = scene.instances.iter();
            instances.filter(|instance| ids.contains(&instance.source_id)).map(|it| it.id).collect()
        }
    }
}
