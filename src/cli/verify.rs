//! `ambler verify`: this build against golden numbers, on a frozen mini-set that ships.
//!
//! The numbers are Habitat's own, computed on the Polycam room; the last row is Ambler's own
//! promise that the same seed gives the same bytes on every machine.

use super::print_json;
use crate::assemble::{HeadlessFactory, StageSettings, StageStore};
use crate::exit::{self, Failure};
use crate::locate::SceneRoots;
use crate::settings::{Settings, body_camera};
use crate::terminal;
use ambler_agent::{PolicyOptions, make_policy};
use ambler_body::BodyPreset;
use ambler_evaluate::{ExecuteOptions, Limits, NavigationWorker, Plan, Selection, Silent, plan_entries};
use ambler_geometry::{Fault, Heading, Place, Pose, Vec3, yaw_from_quat};
use ambler_navmesh::{NavMesh, NavQuery};
use ambler_sensor::{Frame, Outputs};
use clap::Args;
use serde::Deserialize;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Arguments of `verify`.
#[derive(Args, Debug)]
pub struct VerifyArgs {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// blake3 of the records that `oracle` and `random` leave on the episodes of
/// scenes/default.ron with seed 0.
/// A change here is a change of results: say so in the release notes.
const RECORDS: [(&str, &str); 2] = [("oracle", ORACLE_RECORDS), ("random", RANDOM_RECORDS)];
const ORACLE_RECORDS: &str = "e868557dbacff1ce1fa9e6a08c273456c7ae81397c2e974dfe47a0fd80f518c6";
const RANDOM_RECORDS: &str = "ef1d7f8ef2dcca70695af33adcb1da42b04cc886f982c13f0f89b5859598dbc9";

/// Habitat's numbers on the Polycam room.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Golden {
    #[serde(rename = "source")]
    _source: String,
    area_m2: f32,
    islands: Vec<GoldenIsland>,
    paths: Vec<GoldenPath>,
    multi: Vec<GoldenMulti>,
    snaps: Vec<GoldenSnap>,
    steps_sliding: Vec<GoldenStep>,
    steps_stopping: Vec<GoldenStep>,
    depth_grid: DepthGrid,
    views: Vec<View>,
}

#[derive(Deserialize)]
struct GoldenIsland {
    area_m2: f32,
    radius_m: f32,
}

#[derive(Deserialize)]
struct GoldenPath {
    start: Vec3,
    goal: Vec3,
    distance: Option<f32>,
}

#[derive(Deserialize)]
struct GoldenMulti {
    start: Vec3,
    goals: Vec<Vec3>,
    distance: f32,
    nearest: usize,
}

#[derive(Deserialize)]
struct GoldenSnap {
    point: Vec3,
    snapped: Vec3,
}

#[derive(Deserialize)]
struct GoldenStep {
    start: Vec3,
    end: Vec3,
    result: Vec3,
}

#[derive(Deserialize)]
struct DepthGrid {
    first: usize,
    every: usize,
    camera_height: f32,
    hfov_deg: f32,
    size: u32,
}

#[derive(Deserialize)]
struct View {
    /// x, y, z, then the quaternion x, y, z, w.
    pose: [f64; 7],
    depth: Vec<f32>,
}

/// One comparison.
struct Row {
    what: &'static str,
    agree: usize,
    of: usize,
    /// How many must agree.
    needed: usize,
    tolerance: &'static str,
}

impl Row {
    fn all(what: &'static str, tolerance: &'static str, results: impl Iterator<Item = bool>) -> Self {
        Self::share(what, tolerance, 1.0, results)
    }

    fn share(
        what: &'static str,
        tolerance: &'static str,
        share: f64,
        results: impl Iterator<Item = bool>,
    ) -> Self {
        let (mut agree, mut of) = (0, 0);
        for result in results {
            of += 1;
            agree += usize::from(result);
        }
        // An empty comparison is no agreement.
        Self { what, agree, of, needed: ((of as f64 * share).ceil() as usize).max(1), tolerance }
    }

    fn good(&self) -> bool {
        self.agree >= self.needed
    }
}

/// Compares and says.
pub fn run(args: &VerifyArgs) -> Result<u8, Failure> {
    let roots = SceneRoots::new(None)?;
    let scenes = roots.shipped().map(Path::to_path_buf).ok_or_else(|| {
        Failure::Input(
            "no shipped scenes were found; run from the repository, or set AMBLER_HOME".into(),
        )
    })?;
    let folder = scenes.parent().unwrap_or(&scenes).join("assets").join("verify");
    let golden = read_golden(&folder.join("washitsu.json"))?;
    let settings = Settings::default();
    let body = settings.body()?;
    let stages = StageSettings { rebuild_navmesh: true, ..StageSettings::new(&settings, &body)? };
    let store = Arc::new(StageStore::new(roots, stages));

    let mut rows = Vec::new();
    navmesh_rows(&golden, &folder, &mut rows)?;
    let stage = store.get("washitsu")?;
    rows.push(rebuilt_row(&golden, &stage.navmesh));
    rows.push(depth_row(&golden, &stage, &body)?);
    let mut hashes = Vec::new();
    for (agent, expected) in RECORDS {
        let hash = records_hash(agent, &scenes, &store, &settings, &body)?;
        rows.push(Row::all("records, byte for byte", agent, std::iter::once(hash == expected)));
        hashes.push((agent, hash));
    }
    report(args, &rows, &hashes)
}

fn report(args: &VerifyArgs, rows: &[Row], hashes: &[(&str, String)]) -> Result<u8, Failure> {
    let good = rows.iter().all(Row::good);
    if args.json {
        let list: Vec<_> = rows
            .iter()
            .map(|row| {
                json!({ "what": row.what, "agree": row.agree, "of": row.of, "needed": row.needed,
                        "tolerance": row.tolerance, "ok": row.good() })
            })
            .collect();
        let hashes: serde_json::Map<_, _> =
            hashes.iter().map(|(agent, hash)| ((*agent).to_string(), json!(hash))).collect();
        print_json(&json!({ "ok": good, "rows": list, "record_hashes": hashes }));
    } else {
        for row in rows {
            let mark = if row.good() { "✓" } else { "✗" };
            terminal::say(&format!(
                "  {mark} {:<38}{:>5} of {:<5} {}",
                row.what, row.agree, row.of, row.tolerance
            ));
        }
        if !good {
            for (agent, hash) in hashes {
                terminal::say(&format!("    records of {agent}: {hash}"));
            }
        }
        let verdict = if good {
            "this build agrees with the golden numbers"
        } else {
            "this build does NOT agree with the golden numbers: do not compare its scores with others"
        };
        terminal::say(verdict);
    }
    Ok(if good { exit::DONE } else { exit::NOT_AS_ASKED })
}

fn read_golden(path: &Path) -> Result<Golden, Failure> {
    let fault = |place, what: String| {
        Failure::Input(Fault::new(path, place, what, "it ships with Ambler: restore it").to_string())
    };
    let bytes =
        std::fs::read(path).map_err(|error| fault(Place::Whole, format!("cannot read: {error}")))?;
    serde_json::from_slice(&bytes).map_err(|error| {
        fault(Place::Line(error.line() as u64), format!("not the golden numbers: {error}"))
    })
}

/// Queries on Habitat's own navmesh files.
fn navmesh_rows(golden: &Golden, folder: &Path, rows: &mut Vec<Row>) -> Result<(), Failure> {
    let open = |name: &str| NavMesh::read(folder.join(name)).map(|mesh| NavQuery::new(Arc::new(mesh)));
    let mut query = open("washitsu_recast160.navmesh")?;
    let mut older = open("washitsu_recast151.navmesh")?;
    let mesh = Arc::clone(query.mesh());
    let islands = mesh.islands().len() == golden.islands.len()
        && mesh.islands().iter().zip(&golden.islands).all(|(island, expected)| {
            (island.area_m2 - expected.area_m2).abs() < 1e-5
                && (island.radius_m - expected.radius_m).abs() < 1e-5
        });
    rows.push(Row::all("islands of a loaded navmesh", "1e-5", std::iter::once(islands)));
    rows.push(Row::all(
        "geodesic distances",
        "1e-4 m",
        golden.paths.iter().map(|path| match (query.geodesic(path.start, path.goal), path.distance) {
            (Ok(distance), Some(expected)) => (distance - expected).abs() < 1e-4,
            (got, expected) => got.is_err() && expected.is_none(),
        }),
    ));
    rows.push(Row::all(
        "distances to the nearest of many",
        "1e-4 m",
        golden.multi.iter().map(|multi| {
            query.geodesic_multi(multi.start, &multi.goals).is_ok_and(|(distance, nearest)| {
                nearest == multi.nearest && (distance - multi.distance).abs() < 1e-4
            })
        }),
    ));
    rows.push(Row::all(
        "snapped points",
        "1e-4 m",
        golden
            .snaps
            .iter()
            .map(|snap| query.snap(snap.point).is_ok_and(|got| got.point.distance(snap.snapped) < 1e-4)),
    ));
    rows.push(Row::all(
        "steps with sliding",
        "1e-4 m",
        golden
            .steps_sliding
            .iter()
            .map(|step| query.try_step(step.start, step.end, true).distance(step.result) < 1e-4),
    ));
    rows.push(Row::all(
        "steps without sliding",
        "1e-4 m",
        golden
            .steps_stopping
            .iter()
            .map(|step| older.try_step(step.start, step.end, false).distance(step.result) < 1e-4),
    ));
    Ok(())
}

fn rebuilt_row(golden: &Golden, mesh: &NavMesh) -> Row {
    let same = mesh.islands().len() == golden.islands.len()
        && (mesh.area_m2() - golden.area_m2).abs() < 0.01 * golden.area_m2;
    Row::all("navmesh built from the scan", "1 % of area", std::iter::once(same))
}

fn depth_row(
    golden: &Golden,
    stage: &crate::assemble::Stage,
    body: &BodyPreset,
) -> Result<Row, Failure> {
    let grid = &golden.depth_grid;
    let mut camera = body_camera(body);
    camera.width = grid.size;
    camera.height = grid.size;
    camera.mount.y = grid.camera_height;
    camera.projection = ambler_sensor::Projection::Pinhole { hfov_deg: grid.hfov_deg };
    camera.outputs = Outputs { depth: true, ..Outputs::NONE };
    let size = grid.size as usize;
    let mut frame = Frame::default();
    let mut results = Vec::new();
    for view in &golden.views {
        let [x, y, z, qx, qy, qz, qw] = view.pose;
        let pose = Pose {
            position: Vec3::new(x as f32, y as f32, z as f32),
            heading: Heading::from_yaw(yaw_from_quat(qx, qy, qz, qw)),
        };
        stage.renderer().render(&camera, &camera.world_from_camera(&pose, 0.0), &mut frame)?;
        let places = (grid.first..size).step_by(grid.every.max(1)).flat_map(|row| {
            (grid.first..size).step_by(grid.every.max(1)).map(move |column| row * size + column)
        });
        results.extend(places.zip(&view.depth).map(|(place, expected)| {
            frame.depth.get(place).is_some_and(|depth| (depth - expected).abs() < 1e-3)
        }));
    }
    // A rasteriser and another may differ by a pixel at a depth edge: 1 % of samples may.
    Ok(Row::share("depth of the plain renderer", "1e-3 m", 0.99, results.into_iter()))
}

/// Runs an agent over the shipped episodes in memory and hashes its records.
fn records_hash(
    agent: &str,
    scenes: &Path,
    store: &Arc<StageStore>,
    settings: &Settings,
    body: &BodyPreset,
) -> Result<String, Failure> {
    let set = super::shipped::episodes(scenes)?;
    let plan = Plan::select(plan_entries(&set), &Selection::default())?;
    let factory = HeadlessFactory::new(Arc::clone(store), settings, body.clone(), None)?;
    let policy = make_policy(agent, &PolicyOptions::default())?;
    let limits = Limits { max_steps: settings.steps() };
    let folder = temporary_folder(agent);
    let manifest =
        ambler_evaluate::Manifest::new(env!("CARGO_PKG_VERSION"), settings.seed()).with_plan(&plan);
    let mut run =
        ambler_evaluate::RunFolder::open(&folder, &manifest, ambler_evaluate::OpenMode::Fresh)?;
    let make_worker = || {
        NavigationWorker::new(&set.episodes, &factory, policy.as_ref(), limits)
            .map(|worker| Box::new(worker) as Box<dyn ambler_evaluate::Worker + '_>)
    };
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let options = ExecuteOptions { workers, ..ExecuteOptions::default() };
    let execution = ambler_evaluate::execute(&plan, &mut run, &options, &make_worker, &mut Silent)?;
    run.finish(&plan, &execution.timing)?;
    drop(run);
    let records = std::fs::read(folder.join("episodes.jsonl"))
        .map_err(|error| Failure::cannot_write(&folder, &error))?;
    let _ = std::fs::remove_dir_all(&folder);
    Ok(blake3::hash(&records).to_hex().to_string())
}

fn temporary_folder(agent: &str) -> PathBuf {
    std::env::temp_dir().join(format!("ambler-verify-{}-{agent}", std::process::id()))
}
