//! A floor, and worlds on it.
#![allow(dead_code, reason = "each test file uses its own part")]
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use ambler_geometry::{Quat, Vec3};
use ambler_plugin_physics::{ObjectSpec, ObjectState, PhysicsPlugin, PhysicsSettings, StageShape};
use ambler_plugin_simulation::Simulation;
use bevy::prelude::{Entity, Transform};
use std::path::PathBuf;
use std::sync::Arc;

/// The folder of real inputs, or `None` after saying loudly that the test is skipped.
///
/// # Panics
/// Where `AMBLER_REQUIRE_DATA` is 1 and the folder is not there.
pub(crate) fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("AMBLER_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    if folder.join("INDEX.md").is_file() {
        return Some(folder);
    }
    let required = std::env::var("AMBLER_REQUIRE_DATA").is_ok_and(|value| value == "1");
    assert!(!required, "AMBLER_REQUIRE_DATA=1, and there is no data in {}", folder.display());
    eprintln!("SKIPPED: no data in {}; set AMBLER_DATA", folder.display());
    None
}

/// A square floor at y = 0 with sides of 2·`half` metres.
pub(crate) fn floor(half: f32) -> StageShape {
    let corner = |x: f32, z: f32| Vec3::new(x * half, 0.0, z * half);
    let corners = vec![corner(-1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, -1.0)];
    StageShape::from_triangles(corners, vec![[0, 1, 2], [0, 2, 3]])
}

pub(crate) fn world(stage: StageShape) -> Simulation {
    world_with(Arc::new(stage), PhysicsSettings::default())
}

pub(crate) fn world_with(stage: Arc<StageShape>, settings: PhysicsSettings) -> Simulation {
    Simulation::new(|app| {
        app.add_plugins(PhysicsPlugin { stage, settings });
    })
}

/// Steps of 0.1 s.
pub(crate) fn step(simulation: &mut Simulation, count: u32) {
    (0..count).for_each(|_| simulation.step());
}

pub(crate) fn position(simulation: &Simulation, entity: Entity) -> Vec3 {
    simulation.world().get::<Transform>(entity).unwrap().translation
}

pub(crate) fn rotation(simulation: &Simulation, entity: Entity) -> Quat {
    simulation.world().get::<Transform>(entity).unwrap().rotation
}

pub(crate) fn state(simulation: &Simulation, entity: Entity) -> ObjectState {
    *simulation.world().get::<ObjectState>(entity).unwrap()
}

pub(crate) fn spec(
    id: u32,
    shape: &Arc<ambler_plugin_physics::ObjectShape>,
    x: f32,
    y: f32,
    z: f32,
) -> ObjectSpec {
    ObjectSpec::new(id, Arc::clone(shape), Vec3::new(x, y, z), Quat::IDENTITY)
}
