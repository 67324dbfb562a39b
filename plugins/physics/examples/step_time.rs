//! How long a step takes with things that sleep: the first of an episode and the later ones.
//!
//! `step_time SCENE [COUNT]` drops COUNT (30) boxes and balls over the largest surface of a scene's
//! receptacles (or its middle), lets them settle, and times fresh worlds in which they lie asleep.
#![allow(clippy::disallowed_methods, reason = "it measures time")]

use ambler_geometry::{Quat, Vec2, Vec3};
use ambler_plugin_physics::*;
use ambler_plugin_simulation::Simulation;
use ambler_scene::{ReadOptions, read_scene};
use std::sync::Arc;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_else(|| "scenes/quest_meeting_room".to_string());
    let count: u32 = arguments.next().map_or(Ok(30), |text| text.parse())?;
    let scene = read_scene(path.as_ref(), &ReadOptions::default())?;
    let begin = Instant::now();
    let stage = Arc::new(StageShape::new(&scene, |_| false));
    println!(
        "{}: {} triangles, stage built in {:?}",
        scene.name,
        scene.triangle_count(),
        begin.elapsed()
    );
    let surface = scene.receptacles.iter().max_by(|a, b| area(&a.polygon).total_cmp(&area(&b.polygon)));
    let (middle, y) = surface.map_or_else(
        || (Vec2::new(scene.bounds.center().x, scene.bounds.center().z), scene.bounds.center().y),
        |r| (r.polygon.iter().sum::<Vec2>() / r.polygon.len() as f32, r.y),
    );
    let shapes = [
        ObjectShape::cuboid(Vec3::new(0.04, 0.05, 0.03), 0.3)?,
        ObjectShape::cuboid(Vec3::new(0.08, 0.02, 0.06), 0.4)?,
        ObjectShape::ball(0.04, 0.1)?,
    ];
    let specs: Vec<ObjectSpec> = (0..count)
        .map(|index| {
            let cell = Vec2::new((index % 6) as f32 - 2.5, (index / 6 % 5) as f32 - 2.0) * 0.12 + middle;
            let at = Vec3::new(cell.x, y + 0.3 + 0.15 * (index / 30) as f32, cell.y);
            let shape = Arc::clone(&shapes[index as usize % 3]);
            let mut spec =
                ObjectSpec::new(1_000_000 + index, shape, at, Quat::from_rotation_y(index as f32));
            spec.rolls = index % 3 == 2;
            spec
        })
        .collect();
    let world = || {
        Simulation::new(|app| {
            app.add_plugins(PhysicsPlugin::new(Arc::clone(&stage)));
        })
    };
    let mut simulation = world();
    spawn_objects(simulation.world_mut(), &specs);
    let begin = Instant::now();
    let report = settle(simulation.world_mut(), 10.0);
    let fallen = report.objects.iter().filter(|object| object.state == ObjectState::Fallen).count();
    let resting = report.objects.iter().filter(|object| object.state == ObjectState::AtRest).count();
    println!(
        "{resting} of {count} at rest, {fallen} fallen out after {:.2} s of physics, {:?}",
        report.seconds,
        begin.elapsed()
    );

    let mut first = Vec::new();
    let mut later = Vec::new();
    for _ in 0..50 {
        let mut simulation = world();
        let asleep: Vec<ObjectSpec> = specs
            .iter()
            .zip(&report.objects)
            .map(|(spec, object)| ObjectSpec {
                position: object.position,
                rotation: object.rotation,
                asleep: true,
                ..spec.clone()
            })
            .collect();
        spawn_objects(simulation.world_mut(), &asleep);
        let begin = Instant::now();
        simulation.step();
        first.push(begin.elapsed());
        for _ in 0..20 {
            let begin = Instant::now();
            simulation.step();
            later.push(begin.elapsed());
        }
    }
    first.sort_unstable();
    later.sort_unstable();
    println!(
        "first step {:?} (median of {}, least {:?}), a later one {:?} (median of {})",
        first[first.len() / 2],
        first.len(),
        first[0],
        later[later.len() / 2],
        later.len()
    );
    Ok(())
}

fn area(polygon: &[Vec2]) -> f64 {
    ambler_geometry::polygon_area(polygon).abs()
}
