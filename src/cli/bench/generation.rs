//! `ambler bench generation`: homes and episodes.

use super::{print_json, seconds, stretch};
use crate::exit::{self, Failure};
use crate::terminal;
use ambler_episode::generate::{ObjectNavOptions, PointNavOptions, objectnav, pointnav};
use ambler_navmesh::NavMesh;
use ambler_scene::home::{HomeSpec, generate_home};
use ambler_sensor::Renderer;
use clap::Args;
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Arguments of `bench generation`.
#[derive(Args, Debug)]
pub struct GenerationArgs {
    /// Seconds to measure each
    #[arg(long, value_name = "S", default_value_t = 5.0)]
    seconds: f64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Episodes that are drawn in one go.
const EPISODES: usize = 20;

pub fn run(args: &GenerationArgs) -> Result<u8, Failure> {
    let time = seconds(args.seconds)?;
    let not = |error: &dyn std::fmt::Display| Failure::NotAsAsked(error.to_string());
    let spec = |seed: u64| HomeSpec { seed, rooms: Some(6), floors: 1, style: None };
    let homes = rate(time, |seed| generate_home(&spec(seed)).map(|_| 1).or(Ok(0)))?;
    // One home for the episodes.
    let home = (0..100).find_map(|seed| generate_home(&spec(seed)).ok());
    let home = home.ok_or_else(|| Failure::NotAsAsked("no seed below 100 gives a home".into()))?;
    let scene = Arc::new(home.scene);
    let (vertices, triangles) = scene.world_triangles();
    let settings = stretch().navmesh_settings();
    let navmeshes = rate(time, |_| {
        NavMesh::build(&vertices, &triangles, &settings).map(|_| 1).map_err(|error| not(&error))
    })?;
    let navmesh = Arc::new(NavMesh::build(&vertices, &triangles, &settings)?);
    let points = rate(time, |seed| {
        pointnav("home", &navmesh, EPISODES, seed, &PointNavOptions::default())
            .map(|made| made.set.episodes.len())
            .map_err(|error| not(&error))
    })?;
    let renderer = Renderer::new(Arc::clone(&scene));
    let objects = rate(time, |seed| {
        objectnav("home", &renderer, &navmesh, EPISODES, seed, &ObjectNavOptions::default())
            .map(|made| made.set.episodes.len())
            .map_err(|error| not(&error))
    })?;
    if args.json {
        print_json(&json!({
            "homes_per_second": homes,
            "navmeshes_per_second": navmeshes,
            "pointnav_episodes_per_second": points,
            "objectnav_episodes_per_second": objects,
            "rooms": 6,
            "triangles": triangles.len(),
        }));
    } else {
        terminal::say(&format!("{homes:.1} homes/s, of 6 rooms, in memory"));
        terminal::say(&format!(
            "{navmeshes:.1} navmeshes/s, {points:.0} point-goal episodes/s, {objects:.1} object-goal episodes/s, in one of {} triangles",
            triangles.len()
        ));
    }
    Ok(exit::DONE)
}

/// What is made a second; `make` gets a number that grows.
fn rate(time: Duration, mut make: impl FnMut(u64) -> Result<usize, Failure>) -> Result<f64, Failure> {
    let begin = Instant::now();
    let mut count = 0;
    for seed in 0.. {
        count += make(seed)?;
        if begin.elapsed() >= time {
            break;
        }
    }
    Ok(count as f64 / begin.elapsed().as_secs_f64())
}
