//! Habitat's own physics tests on its own files, with its margins (`PhysicsTest::testMotionTypes`).
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod common;

use ambler_geometry::{Aabb, Vec3};
use ambler_plugin_physics::{
    Motion, ObjectShape, ObjectSpec, ObjectState, StageShape, set_velocity, spawn_objects,
};
use ambler_plugin_simulation::Simulation;
use ambler_scene::{ReadOptions, UpAxis, read_scene};
use common::{data, position, spec, state, step, world};
use std::sync::Arc;

/// Habitat's default collision margin of a stage, metres.
const STAGE_MARGIN_M: f32 = 0.04;
/// Half the side of the box, metres: its file's box of two metres times 0.2.
const HALF_M: f32 = 0.2;

/// The plane as a stage and the box with its bounding box as collider.
fn assets() -> Option<(StageShape, Arc<ObjectShape>)> {
    let folder = data()?.join("ok/habitat_sim_test_assets/test_assets");
    // Habitat reads a bare GLB z up.
    let options = ReadOptions::with_up(UpAxis::Z);
    let plane = read_scene(&folder.join("scenes/plane.glb"), &options).unwrap();
    let stage = StageShape::new(&plane, |_| false).with_margin(STAGE_MARGIN_M);
    let file = read_scene(&folder.join("objects/transform_box.glb"), &options).unwrap();
    let Aabb { min, max } = file.bounds;
    assert!((min + 1.0).length() < 1e-3 && (max - 1.0).length() < 1e-3, "{:?}", file.bounds);
    Some((stage, ObjectShape::cuboid((max - min) * 0.5 * HALF_M, 1.0).unwrap()))
}

fn run(specs: &[ObjectSpec], stage: StageShape) -> (Simulation, Vec<bevy::prelude::Entity>) {
    let mut simulation = world(stage);
    let entities = spawn_objects(simulation.world_mut(), specs);
    (simulation, entities)
}

#[test]
fn case_0_two_boxes_stay_stacked_on_the_margin_of_the_stage() {
    let Some((stage, shape)) = assets() else { return };
    let starts = [STAGE_MARGIN_M + HALF_M, STAGE_MARGIN_M + 3.0 * HALF_M];
    let specs = [spec(1, &shape, 0.0, starts[0], 0.0), spec(2, &shape, 0.0, starts[1], 0.0)];
    let (mut simulation, boxes) = run(&specs, stage);
    step(&mut simulation, 60);
    for (index, &entity) in boxes.iter().enumerate() {
        assert_eq!(state(&simulation, entity), ObjectState::AtRest);
        let off = position(&simulation, entity).distance(Vec3::Y * starts[index]);
        println!("box {index} is {off} m from its start");
        assert!(off <= 1e-3, "box {index} moved {off} m");
    }
}

#[test]
fn case_1_a_box_dropped_on_a_static_box_rests_on_it() {
    let Some((stage, shape)) = assets() else { return };
    let specs = [
        ObjectSpec { motion: Motion::Static, ..spec(1, &shape, 0.0, 2.0 * HALF_M, 0.0) },
        spec(2, &shape, 0.0, 5.0 * HALF_M, 0.0),
    ];
    let (mut simulation, boxes) = run(&specs, stage);
    step(&mut simulation, 60);
    assert_eq!(state(&simulation, boxes[1]), ObjectState::AtRest);
    let off = position(&simulation, boxes[1]).distance(Vec3::Y * 4.0 * HALF_M);
    println!("the dropped box is {off} m from where it should be");
    assert!(off <= 2e-4, "{off} m");
    assert!(position(&simulation, boxes[0]).distance(Vec3::Y * 2.0 * HALF_M) <= 1e-4);
}

#[test]
fn case_2_a_box_dropped_on_a_moving_box_is_carried() {
    let Some((stage, shape)) = assets() else { return };
    let specs = [
        ObjectSpec { motion: Motion::Kinematic, ..spec(1, &shape, 0.0, 2.0 * HALF_M, 0.0) },
        spec(2, &shape, 0.0, 5.0 * HALF_M, 0.0),
    ];
    let (mut simulation, boxes) = run(&specs, stage);
    set_velocity(simulation.world_mut(), boxes[0], Vec3::new(0.2, 0.0, 0.0), Vec3::ZERO);
    step(&mut simulation, 30);
    let carrier = position(&simulation, boxes[0]).distance(Vec3::new(0.6, 2.0 * HALF_M, 0.0));
    let carried = position(&simulation, boxes[1]).distance(Vec3::new(0.559_155, 4.0 * HALF_M, 0.0));
    println!("carrier {carrier} m, carried {carried} m from Habitat's places");
    assert!(carrier <= 1e-3, "{carrier} m");
    assert!(carried <= 2e-3, "{carried} m");
}
