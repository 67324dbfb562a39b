//! `ambler bench memory`: what workers in one scene and changes of scene cost.

use super::{median, print_json, reachable_pair, stretch};
use crate::assemble::{build_navmesh, finish_storing};
use crate::cli::scene::SceneInput;
use crate::exit::{self, Failure};
use crate::settings::{body_camera, parse_size};
use crate::terminal;
use ambler_body::{Action, BodyPreset, Locomotion};
use ambler_geometry::random::Stream;
use ambler_geometry::{Heading, Pose, Vec3};
use ambler_navmesh::{NavMesh, NavQuery};
use ambler_plugin_body::{BodyPlugin, PendingAction};
use ambler_plugin_scene::{Navigation, ScenePlugin};
use ambler_plugin_sensors::SensorsPlugin;
use ambler_plugin_simulation::Simulation;
use ambler_sensor::{CameraSpec, Frame, Outputs, Renderer};
use clap::Args;
use serde_json::json;
use std::sync::{Arc, Barrier};

/// Arguments of `bench memory`.
#[derive(Args, Debug)]
pub struct MemoryArgs {
    #[command(flatten)]
    input: SceneInput,
    /// Workers that share the scene
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=256))]
    workers: u32,
    /// Size of each image: N for N×N, or WxH
    #[arg(long, value_name = "SIZE", default_value = "256")]
    size: String,
    /// Times that the scene is dropped and loaded again
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(10..=1_000_000))]
    switches: u32,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Steps that each worker makes before memory is measured: buffers have their size by then.
const STEPS: usize = 100;

pub fn run(args: &MemoryArgs) -> Result<u8, Failure> {
    let (width, height) = parse_size(&args.size)?;
    let body = stretch();
    let camera = CameraSpec { width, height, outputs: Outputs::ALL, ..body_camera(&body) };
    camera.validate()?;
    // From the cache, as in every run but the first.
    args.input.load()?.renderer();
    finish_storing();
    let loaded = args.input.load()?;
    let from_cache = loaded.is_from_cache();
    let navmesh = Arc::new(build_navmesh(&loaded.scene, &body.navmesh_settings())?);
    let renderer = Arc::clone(loaded.renderer());
    let scene_alone = resident()?;
    let mut shared = Vec::new();
    for workers in [1, args.workers] {
        shared.push(with_workers(workers, &renderer, &navmesh, &body, &camera)?);
    }
    drop((loaded, renderer, navmesh));
    // The first changes fill what the allocator keeps.
    let warm = args.switches / 10;
    let mut before = Vec::new();
    let mut after = Vec::new();
    for index in 0..args.switches {
        let loaded = args.input.load()?;
        let navmesh = Arc::new(build_navmesh(&loaded.scene, &body.navmesh_settings())?);
        let mut query = NavQuery::new(navmesh);
        let mut stream = Stream::new(u64::from(index), "bench", "memory");
        let position = query.random_point(&mut stream, None).unwrap_or(Vec3::ZERO);
        let pose = Pose { position, heading: Heading::from_yaw(f64::from(index)) };
        let mut frame = Frame::default();
        loaded.renderer().render(&camera, &camera.world_from_camera(&pose, 0.0), &mut frame)?;
        drop((loaded, query, frame));
        finish_storing();
        if (warm..warm + 5).contains(&index) {
            before.push(resident()?);
        } else if index + 5 >= args.switches {
            after.push(resident()?);
        }
    }
    let growth = median(&mut after) - median(&mut before);
    let ratio = shared[1] / shared[0];
    if args.json {
        print_json(&json!({
            "from_cache": from_cache,
            "scene_mb": scene_alone,
            "one_worker_mb": shared[0],
            "workers": args.workers,
            "workers_mb": shared[1],
            "ratio": ratio,
            "switches": args.switches,
            "growth_mb": growth,
        }));
    } else {
        terminal::say(&format!(
            "{:.0} MB with the scene, {:.0} MB with one worker in it, {:.0} MB with {} ({ratio:.2} times), at {width}×{height}",
            scene_alone, shared[0], shared[1], args.workers
        ));
        terminal::say(&format!(
            "{growth:+.1} MB over {} changes of scene{}",
            args.switches - warm,
            if from_cache { "" } else { ", each read from its files" }
        ));
    }
    Ok(exit::DONE)
}

/// Resident memory while so many workers have made their steps, MB.
fn with_workers(
    workers: u32,
    renderer: &Arc<Renderer>,
    navmesh: &Arc<NavMesh>,
    body: &BodyPreset,
    camera: &CameraSpec,
) -> Result<f64, Failure> {
    let done = Barrier::new(workers as usize + 1);
    let end = Barrier::new(workers as usize + 1);
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let (done, end) = (&done, &end);
            scope.spawn(move || {
                let mut stream = Stream::new(u64::from(worker), "bench", "memory");
                let mut query = NavQuery::new(Arc::clone(navmesh));
                let start = reachable_pair(&mut query, &mut stream).map_or(Vec3::ZERO, |pair| pair.0);
                let mut simulation = Simulation::new(|app| {
                    app.add_plugins(ScenePlugin { scene: Arc::clone(renderer.scene()) });
                    app.insert_resource(Navigation(query));
                    let start = Pose { position: start, heading: Heading::from_yaw(0.0) };
                    app.add_plugins(BodyPlugin { locomotion: Locomotion::from(body), start });
                    app.add_plugins(SensorsPlugin {
                        renderer: Arc::clone(renderer),
                        cameras: vec![camera.clone()],
                        detector_pixels: Some(25),
                    });
                });
                simulation.start();
                for _ in 0..STEPS {
                    let action = [Action::MoveForward, Action::TurnLeft][stream.index(2)];
                    simulation.world_mut().resource_mut::<PendingAction>().0 = Some(action);
                    simulation.step();
                }
                done.wait();
                end.wait();
            });
        }
        done.wait();
        let memory = resident();
        end.wait();
        memory
    })
}

/// Resident memory of this process, MB (10⁶ bytes).
fn resident() -> Result<f64, Failure> {
    let unknown = || Failure::NotAsAsked("this system does not say how much memory is in use".into());
    let status = std::fs::read_to_string("/proc/self/status").map_err(|_| unknown())?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or_else(unknown)?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse().map_err(|_| unknown())?;
    Ok(kilobytes * 1024.0 / 1e6)
}
