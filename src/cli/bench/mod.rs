//! `ambler bench`: how fast this machine is.

mod generation;
mod load;
mod memory;
mod variants;

use super::print_json;
use super::scene::SceneInput;
use crate::assemble::build_navmesh;
use crate::cameras;
use crate::exit::{self, Failure};
use crate::settings::{body_camera, parse_size};
use crate::terminal;
use ambler_body::{Action, BodyPreset, Locomotion};
use ambler_episode::{GoalPoints, SuccessRule, Task};
use ambler_geometry::random::Stream;
use ambler_geometry::{Affine, Heading, Pose, Vec3};
use ambler_navmesh::NavQuery;
use ambler_plugin_body::{Body, BodyPlugin, PendingAction};
use ambler_plugin_scene::{Navigation, ScenePlugin};
use ambler_plugin_simulation::Simulation;
use ambler_plugin_task::{Measure, Scoring, TaskPlugin};
use ambler_scene::SceneModel;
use ambler_sensor::{CameraSpec, Frame, Outputs, PlainRenderer, Projection, Renderer, SensorError};
use clap::{Args, Subcommand};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Benchmarks.
#[derive(Subcommand, Debug)]
pub enum BenchCommand {
    /// Images a second: colour, depth, instance and category in one go
    Sensors(SensorsArgs),
    /// Steps a second on one core, without images, with metrics
    Steps(StepsArgs),
    /// Time to the first image: from a scene's files and from the cache
    Load(load::LoadArgs),
    /// Memory of one worker and of several in one scene, and over many changes of scene
    Memory(memory::MemoryArgs),
    /// Homes a second, and episodes a second in one
    Generation(generation::GenerationArgs),
    /// Seconds of each stage that makes variants of a home and their episodes (SD-OVON)
    Variants(variants::VariantsArgs),
}

/// Arguments of `bench sensors`.
#[derive(Args, Debug)]
pub struct SensorsArgs {
    #[command(flatten)]
    input: SceneInput,
    /// Size of each image: N for N×N, or WxH
    #[arg(long, value_name = "SIZE", default_value = "256")]
    size: String,
    /// Horizontal field of view in degrees
    #[arg(long, value_name = "DEG", default_value_t = 79.0)]
    hfov: f32,
    /// Lens, instead of a pinhole camera with --hfov: pinhole:DEG, orthographic:M, equirectangular or
    /// fisheye:DEG
    #[arg(long, value_name = "LENS", conflicts_with = "hfov")]
    projection: Option<String>,
    /// Light that surfaces are shown in: none (colours as stored), default, or a Habitat
    /// *.lighting_config.json
    #[arg(long, value_name = "LIGHTS", default_value = "none")]
    lights: String,
    /// Draw what is far away from fewer triangles, so many pixels from its place at most: 0 to 16
    #[arg(long, value_name = "PX", default_value_t = 0.0)]
    lod: f32,
    /// Threads that draw side by side, each its own images
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// Seconds to measure
    #[arg(long, value_name = "S", default_value_t = 3.0)]
    seconds: f64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Arguments of `bench steps`.
#[derive(Args, Debug)]
pub struct StepsArgs {
    #[command(flatten)]
    input: SceneInput,
    /// Seconds to measure
    #[arg(long, value_name = "S", default_value_t = 2.0)]
    seconds: f64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs a benchmark.
pub fn run(command: &BenchCommand) -> Result<u8, Failure> {
    match command {
        BenchCommand::Sensors(args) => sensors(args),
        BenchCommand::Steps(args) => steps(args),
        BenchCommand::Load(args) => load::run(args),
        BenchCommand::Memory(args) => memory::run(args),
        BenchCommand::Generation(args) => generation::run(args),
        BenchCommand::Variants(args) => variants::run(args),
    }
}

/// Measured in so many parts, so that a median can be taken.
const PARTS: u32 = 5;
/// Views that the benchmark draws in turn.
const VIEWS: usize = 200;

fn sensors(args: &SensorsArgs) -> Result<u8, Failure> {
    let (width, height) = parse_size(&args.size)?;
    let stretch = stretch();
    let camera = CameraSpec {
        width,
        height,
        projection: match &args.projection {
            Some(lens) => cameras::projection(lens)?,
            None => Projection::Pinhole { hfov_deg: args.hfov },
        },
        lighting: cameras::lighting(&args.lights)?,
        lod_px: args.lod,
        outputs: Outputs::ALL,
        ..body_camera(&stretch)
    };
    camera.validate()?;
    if !(1..=1024).contains(&args.threads) {
        return Err(Failure::Usage(format!("--threads {}: give 1 to 1024", args.threads)));
    }
    let threads = args.threads;
    let loaded = args.input.load()?;
    let scene = Arc::clone(&loaded.scene);
    let triangles = scene.triangle_count();
    let poses = views(&scene, &stretch);
    let fast = loaded.renderer();
    let plain = PlainRenderer::new(Arc::clone(&scene));
    let portable = Renderer::sharing(fast, Arc::clone(&scene)).without_avx2();
    let draws: [(&str, &Draw<'_>); 3] = [
        ("fast", &|view, frame| fast.render(&camera, view, frame)),
        ("without AVX2", &|view, frame| portable.render(&camera, view, frame)),
        ("plain", &|view, frame| plain.render(&camera, view, frame)),
    ];
    // In turn, so that what else the machine does meets all alike.
    let part = seconds(args.seconds)? / (PARTS * draws.len() as u32);
    let views: Vec<Affine> = poses.iter().map(|pose| camera.world_from_camera(pose, 0.0)).collect();
    let mut rates = vec![Vec::new(); draws.len()];
    for round in 0..=PARTS {
        for ((_, draw), rates) in draws.iter().zip(&mut rates) {
            let begin = Instant::now();
            let images = draw_for(*draw, &views, threads, part)?;
            // The first round warms up.
            if round > 0 {
                rates.push(images as f64 / begin.elapsed().as_secs_f64());
            }
        }
    }
    let parts = rates[0].clone();
    let [rate, portable_rate, plain_rate] = [0, 1, 2].map(|at| median(&mut rates[at]));
    if args.json {
        print_json(&json!({
            "frames_per_second": rate,
            "triangles": triangles,
            "width": width,
            "height": height,
            "threads": threads,
            "views": poses.len(),
            "frames_per_second_parts": parts,
            "frames_per_second_without_avx2": portable_rate,
            "frames_per_second_plain": plain_rate,
        }));
    } else {
        terminal::say(&format!(
            "{rate:.1} images/s at {width}×{height} (colour, depth, instance, category), {threads} thread(s), {triangles} triangles"
        ));
        terminal::say(&format!(
            "  without AVX2 {portable_rate:.1} images/s; the plain renderer, which it is tested against, {plain_rate:.1}"
        ));
    }
    Ok(exit::DONE)
}

/// Draws a view into a frame.
type Draw<'a> = dyn Fn(&Affine, &mut Frame) -> Result<(), SensorError> + Sync + 'a;

/// Views from the navmesh in all directions; from the middle of the scene where it has no floor.
fn views(scene: &SceneModel, body: &BodyPreset) -> Vec<Pose> {
    let mut stream = Stream::new(0, "bench", "views");
    let mut query =
        build_navmesh(scene, &body.navmesh_settings()).ok().map(|mesh| NavQuery::new(Arc::new(mesh)));
    let center = scene.bounds.center();
    let middle = Vec3::new(center.x, scene.bounds.min.y, center.z);
    (0..VIEWS)
        .map(|_| {
            let position =
                query.as_mut().and_then(|query| query.random_point(&mut stream, None)).unwrap_or(middle);
            let yaw = stream.range(0.0, std::f64::consts::TAU);
            Pose { position, heading: Heading::from_yaw(yaw) }
        })
        .collect()
}

/// Draws on all threads until the time is over; the number of images.
fn draw_for(draw: &Draw<'_>, views: &[Affine], threads: usize, time: Duration) -> Result<u64, Failure> {
    let begin = Instant::now();
    let work = |first: usize| -> Result<u64, Failure> {
        let mut frame = Frame::default();
        let mut images = 0;
        for view in views.iter().cycle().skip(first) {
            draw(view, &mut frame)?;
            images += 1;
            if begin.elapsed() >= time {
                break;
            }
        }
        Ok(images)
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|index| {
                let work = &work;
                scope.spawn(move || work(index * VIEWS / threads))
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap_or(Ok(0))).sum()
    })
}

fn steps(args: &StepsArgs) -> Result<u8, Failure> {
    let stretch = stretch();
    let scene = args.input.read()?;
    let mesh = Arc::new(build_navmesh(&scene, &stretch.navmesh_settings())?);
    let mut query = NavQuery::new(Arc::clone(&mesh));
    let part = seconds(args.seconds)? / PARTS;
    let mut whole = Vec::new();
    let mut alone = Vec::new();
    for round in 0..PARTS {
        let mut stream = Stream::new(u64::from(round), "bench", "steps");
        whole.push(schedule_rate(&scene, &mut query, &stretch, &mut stream, part)?);
        alone.push(try_step_rate(&mut query, &stretch, &mut stream, part));
    }
    let (whole, alone) = (median(&mut whole), median(&mut alone));
    if args.json {
        print_json(&json!({
            "steps_per_second": whole,
            "try_steps_per_second": alone,
            "threads": 1,
            "triangles": scene.triangle_count(),
        }));
    } else {
        terminal::say(&format!(
            "{whole:.0} steps/s through the schedule, metrics on, sensors off, one core"
        ));
        terminal::say(&format!("{alone:.0} try_steps/s alone"));
    }
    Ok(exit::DONE)
}

/// Random actions through the step schedule, as an evaluation makes them; a new episode every 500.
fn schedule_rate(
    scene: &Arc<SceneModel>,
    query: &mut NavQuery,
    body: &BodyPreset,
    stream: &mut Stream,
    time: Duration,
) -> Result<f64, Failure> {
    let begin = Instant::now();
    let mut steps = 0u64;
    while begin.elapsed() < time {
        let Some((start, goal)) = reachable_pair(query, stream) else {
            return Err(Failure::NotAsAsked(
                "the navmesh has no two points that reach each other".into(),
            ));
        };
        let task = Task::point(goal, None);
        let rule = SuccessRule::for_task(&task);
        let points = GoalPoints::of(&task, rule.to);
        let measure = Measure::habitat(query, &points.points);
        let scoring = Scoring::start(&rule, &points, start, measure, query)
            .map_err(|invalid| Failure::NotAsAsked(invalid.to_string()))?;
        let mut simulation = Simulation::new(|app| {
            app.add_plugins(ScenePlugin { scene: Arc::clone(scene) });
            app.insert_resource(Navigation(NavQuery::new(Arc::clone(query.mesh()))));
            let start = Pose { position: start, heading: Heading::from_yaw(0.0) };
            app.add_plugins(BodyPlugin { locomotion: Locomotion::from(body), start });
            app.add_plugins(TaskPlugin { scoring });
        });
        simulation.start();
        for _ in 0..500 {
            // Habitat's random agents: mostly forward.
            let action = [Action::MoveForward, Action::TurnLeft, Action::TurnRight, Action::MoveForward]
                [stream.index(4)];
            simulation.world_mut().resource_mut::<PendingAction>().0 = Some(action);
            simulation.step();
        }
        steps += 500;
        let world = simulation.world_mut();
        let mut bodies = world.query::<&Body>();
        std::hint::black_box(bodies.iter(world).next().map(|body| body.state.pose.position));
    }
    Ok(steps as f64 / begin.elapsed().as_secs_f64())
}

fn reachable_pair(query: &mut NavQuery, stream: &mut Stream) -> Option<(Vec3, Vec3)> {
    (0..100).find_map(|_| {
        let start = query.random_point(stream, None)?;
        let goal = query.random_point(stream, None)?;
        query.geodesic(start, goal).is_ok().then_some((start, goal))
    })
}

fn try_step_rate(query: &mut NavQuery, body: &BodyPreset, stream: &mut Stream, time: Duration) -> f64 {
    let moves: Vec<Vec3> = (0..256)
        .map(|_| Heading::from_yaw(stream.range(0.0, std::f64::consts::TAU)).forward() * body.forward_m)
        .collect();
    let mut position = query.random_point(stream, None).unwrap_or(Vec3::ZERO);
    let begin = Instant::now();
    let mut count = 0u64;
    while begin.elapsed() < time {
        for &step in &moves {
            position = query.try_step(position, position + step, body.sliding);
        }
        count += moves.len() as u64;
    }
    std::hint::black_box(position);
    count as f64 / begin.elapsed().as_secs_f64()
}

fn stretch() -> BodyPreset {
    BodyPreset::named("stretch").expect("the default preset exists")
}

fn seconds(text: f64) -> Result<Duration, Failure> {
    if text > 0.0 && text <= 3600.0 {
        Ok(Duration::from_secs_f64(text))
    } else {
        Err(Failure::Usage(format!("--seconds {text}: give a time above 0 and up to 3600")))
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
