//! What falls comes to rest where mechanics says, sleeps, and wakes when touched.
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod common;

use ambler_geometry::{Quat, Vec2, Vec3};
use ambler_plugin_physics::{
    Motion, ObjectShape, ObjectSpec, ObjectState, PhysicsSettings, PhysicsTime, active_contact_points,
    cast_ray, contacts, deepest, place_on, remove_object, set_pose, set_velocity, settle, spawn_objects,
    supporters,
};
use common::{floor, position, spec, state, step, world, world_with};
use std::sync::Arc;

#[test]
fn a_dropped_cube_falls_by_gravity_and_rests_on_its_face() {
    let cube = ObjectShape::cuboid(Vec3::splat(0.05), 0.2).unwrap();
    let mut simulation = world(floor(2.0));
    let cube = spawn_objects(simulation.world_mut(), &[spec(1, &cube, 0.0, 2.0, 0.0)])[0];
    step(&mut simulation, 5);
    // g t² / 2 after 0.5 s; stepping by 1/240 s adds g t dt / 2.
    let fallen = 2.0 - position(&simulation, cube).y;
    assert!((fallen - 1.225).abs() < 0.012, "{fallen}");
    assert_eq!(state(&simulation, cube), ObjectState::Moving);
    step(&mut simulation, 30);
    assert_eq!(state(&simulation, cube), ObjectState::AtRest);
    assert!((position(&simulation, cube).y - 0.05).abs() < 2e-4, "{}", position(&simulation, cube));
}

#[test]
fn a_world_at_rest_computes_nothing() {
    let cube = ObjectShape::cuboid(Vec3::splat(0.05), 0.2).unwrap();
    let mut simulation = world(floor(2.0));
    let cube = spawn_objects(
        simulation.world_mut(),
        &[ObjectSpec { asleep: true, ..spec(1, &cube, 0.0, 0.05, 0.0) }],
    )[0];
    let before = position(&simulation, cube);
    step(&mut simulation, 20);
    // Asleep from the start: to the bit where it was.
    assert_eq!(position(&simulation, cube), before);
    assert_eq!(state(&simulation, cube), ObjectState::AtRest);
    assert_eq!(simulation.world().resource::<PhysicsTime>().0, 20 * 24);
}

#[test]
fn what_begins_asleep_wakes_when_something_falls_on_it() {
    let cube = ObjectShape::cuboid(Vec3::splat(0.05), 0.2).unwrap();
    let mut simulation = world(floor(2.0));
    let entities = spawn_objects(
        simulation.world_mut(),
        &[ObjectSpec { asleep: true, ..spec(1, &cube, 0.0, 0.05, 0.0) }, spec(2, &cube, 0.06, 0.5, 0.0)],
    );
    let mut woke = false;
    for _ in 0..10 {
        simulation.step();
        woke |= state(&simulation, entities[0]) == ObjectState::Moving;
    }
    assert!(woke);
    assert!(settle(simulation.world_mut(), 10.0).all_at_rest());
}

#[test]
fn a_ball_that_rolls_is_brought_to_rest() {
    let ball = ObjectShape::ball(0.03, 0.06).unwrap();
    let mut simulation = world(floor(20.0));
    let spec = ObjectSpec { rolls: true, ..spec(1, &ball, 0.0, 0.03, 0.0) };
    let ball = spawn_objects(simulation.world_mut(), &[spec])[0];
    set_velocity(simulation.world_mut(), ball, Vec3::new(1.0, 0.0, 0.0), Vec3::ZERO);
    let report = settle(simulation.world_mut(), 10.0);
    assert!(report.all_at_rest(), "{report:?}");
    let rolled = position(&simulation, ball).x;
    assert!(rolled > 0.1 && rolled < 10.0, "{rolled}");
}

#[test]
fn what_leaves_the_floor_is_flagged_as_fallen_and_held() {
    let cube = ObjectShape::cuboid(Vec3::splat(0.05), 0.2).unwrap();
    let mut simulation = world(floor(0.5));
    let entities = spawn_objects(
        simulation.world_mut(),
        &[spec(1, &cube, 0.0, 0.2, 0.0), spec(2, &cube, 3.0, 0.2, 0.0)],
    );
    let report = settle(simulation.world_mut(), 10.0);
    assert_eq!(report.objects.len(), 2);
    assert_eq!(report.objects[0].state, ObjectState::AtRest);
    assert_eq!(report.objects[1].state, ObjectState::Fallen);
    assert!(!report.all_at_rest());
    let held = position(&simulation, entities[1]);
    assert!(held.y < -0.5 && held.y > -1.0, "{held}");
    step(&mut simulation, 5);
    assert_eq!(position(&simulation, entities[1]), held);
}

#[test]
fn a_kinematic_mover_wakes_and_pushes_a_sleeper() {
    let cube = ObjectShape::cuboid(Vec3::splat(0.05), 0.2).unwrap();
    let mut simulation = world(floor(2.0));
    let entities = spawn_objects(
        simulation.world_mut(),
        &[
            ObjectSpec { asleep: true, ..spec(1, &cube, 0.3, 0.05, 0.0) },
            ObjectSpec { motion: Motion::Kinematic, ..spec(2, &cube, 0.0, 0.06, 0.0) },
        ],
    );
    step(&mut simulation, 3);
    assert_eq!(state(&simulation, entities[0]), ObjectState::AtRest);
    set_velocity(simulation.world_mut(), entities[1], Vec3::new(0.2, 0.0, 0.0), Vec3::ZERO);
    step(&mut simulation, 20);
    // The mover went 0.4 m with the speed given, and the cube lies before it.
    assert!((position(&simulation, entities[1]).x - 0.4).abs() < 1e-3);
    let pushed = position(&simulation, entities[0]).x;
    assert!((pushed - 0.5).abs() < 0.02, "{pushed}");
    set_velocity(simulation.world_mut(), entities[1], Vec3::ZERO, Vec3::ZERO);
    assert!(settle(simulation.world_mut(), 10.0).all_at_rest());
}

#[test]
fn taking_away_a_sleeping_support_wakes_what_stood_on_it() {
    // Habitat's testRemoveSleepingSupport: cubes of 0.2 m in a stack in free space, the lowest one
    // static; first the second is taken away, then the static one.
    let cube = ObjectShape::cuboid(Vec3::splat(0.1), 1.0).unwrap();
    let settings = PhysicsSettings { fallen_below_y: Some(-1e6), ..PhysicsSettings::default() };
    let nothing = ambler_plugin_physics::StageShape::from_triangles(Vec::new(), Vec::new());
    let mut simulation = world_with(Arc::new(nothing), settings);
    let specs: Vec<ObjectSpec> = (0..4)
        .map(|index| ObjectSpec {
            motion: if index == 0 { Motion::Static } else { Motion::Dynamic },
            ..spec(index + 1, &cube, 0.21964, 1.29183 + 0.2 * index as f32, -0.089_747_2)
        })
        .collect();
    let mut cubes = spawn_objects(simulation.world_mut(), &specs);
    for taken in [1, 0] {
        step(&mut simulation, 40);
        for &cube in &cubes {
            assert_eq!(state(&simulation, cube), ObjectState::AtRest);
        }
        assert_eq!(active_contact_points(simulation.world_mut()), 0);
        remove_object(simulation.world_mut(), cubes.remove(taken));
        simulation.step();
        for &cube in &cubes {
            let is_static = taken == 1 && cube == cubes[0];
            assert_eq!(state(&simulation, cube) == ObjectState::AtRest, is_static);
        }
        assert!(active_contact_points(simulation.world_mut()) > 0);
    }
}

#[test]
fn one_cube_on_the_floor_has_four_contacts_at_its_corners() {
    // Habitat's testNumActiveContactPoints: four points, normals straight up, none once it sleeps.
    let cube = ObjectShape::cuboid(Vec3::splat(0.1), 1.0).unwrap();
    let mut simulation = world(floor(2.0));
    let cube = spawn_objects(simulation.world_mut(), &[spec(1, &cube, 0.2, 0.101, -0.1)])[0];
    step(&mut simulation, 4);
    let found = contacts(simulation.world_mut(), cube);
    assert_eq!(found.len(), 4, "{found:?}");
    for corner in [[0.1, -0.2], [0.3, -0.2], [0.3, 0.0], [0.1, 0.0]] {
        let corner = Vec3::new(corner[0], 0.0, corner[1]);
        assert!(found.iter().any(|contact| contact.point.distance(corner) < 2e-3), "{found:?}");
    }
    for contact in &found {
        assert_eq!(contact.other, None);
        assert!((contact.normal - Vec3::Y).length() < 1e-4);
        assert!(contact.distance_m.abs() < 5e-4, "{contact:?}");
    }
    assert_eq!(supporters(simulation.world_mut(), cube), [None]);
    step(&mut simulation, 20);
    assert_eq!(state(&simulation, cube), ObjectState::AtRest);
    assert_eq!(active_contact_points(simulation.world_mut()), 0);
}

#[test]
fn overlap_is_measured_on_the_shapes() {
    let cube = ObjectShape::cuboid(Vec3::splat(0.1), 1.0).unwrap();
    let mut simulation = world(floor(2.0));
    let still = |id, x| ObjectSpec { asleep: true, ..spec(id, &cube, x, 0.1, 0.0) };
    spawn_objects(simulation.world_mut(), &[still(7, 0.0), still(3, 0.19), still(9, 1.0)]);
    let (a, b, depth) = deepest(simulation.world_mut()).unwrap();
    assert_eq!((a, b), (3, 7));
    assert!((depth - 0.01).abs() < 1e-4, "{depth}");
}

#[test]
fn rays_hit_things_and_the_stage_in_order() {
    let cube = ObjectShape::cuboid(Vec3::splat(0.1), 1.0).unwrap();
    let mut simulation = world(floor(2.0));
    let place = ObjectSpec { motion: Motion::Static, ..spec(5, &cube, 0.0, 0.5, 0.0) };
    spawn_objects(simulation.world_mut(), &[place]);
    let hits = cast_ray(simulation.world_mut(), Vec3::Y, Vec3::NEG_Y, 10.0);
    let told: Vec<_> = hits.iter().map(|hit| (hit.object, (hit.distance_m * 1000.0).round())).collect();
    assert_eq!(told, [(Some(5), 400.0), (None, 1000.0)]);
}

#[test]
fn a_thing_is_placed_where_there_is_room_and_stays() {
    let cube = ObjectShape::cuboid(Vec3::splat(0.05), 0.2).unwrap();
    let mut simulation = world(floor(1.0));
    let taken = ObjectSpec { motion: Motion::Static, ..spec(1, &cube, 0.3, 0.05, 0.0) };
    spawn_objects(simulation.world_mut(), &[taken]);
    let table = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].map(Vec2::from);
    let turned = Quat::from_rotation_y(0.5);
    let mut ask =
        |x: f32, z: f32| place_on(simulation.world_mut(), &cube, turned, Vec2::new(x, z), &table, 0.0);
    assert_eq!(ask(0.48, 0.0), None, "over the edge");
    assert_eq!(ask(0.28, 0.02), None, "on the other cube");
    let at = ask(-0.2, 0.1).unwrap();
    assert!((at.y - 0.051).abs() < 1e-3, "{at}");
    let spec = ObjectSpec::new(2, Arc::clone(&cube), at, turned);
    let placed = spawn_objects(simulation.world_mut(), &[spec])[0];
    assert!(settle(simulation.world_mut(), 5.0).all_at_rest());
    assert!(position(&simulation, placed).distance(at) < 0.002);
}

#[test]
fn what_is_put_elsewhere_falls_from_there() {
    let cube = ObjectShape::cuboid(Vec3::splat(0.05), 0.2).unwrap();
    let mut simulation = world(floor(2.0));
    let cube = spawn_objects(simulation.world_mut(), &[spec(1, &cube, 0.0, 0.05, 0.0)])[0];
    assert!(settle(simulation.world_mut(), 5.0).all_at_rest());
    set_pose(simulation.world_mut(), cube, Vec3::new(1.0, 0.5, 0.0), Quat::IDENTITY);
    let report = settle(simulation.world_mut(), 5.0);
    assert!(report.all_at_rest() && report.seconds > 0.5, "{report:?}");
    let place = position(&simulation, cube);
    assert!((place - Vec3::new(1.0, 0.05, 0.0)).length() < 0.02, "{place}");
}

#[test]
fn the_order_in_which_things_are_listed_changes_nothing() {
    let cube = ObjectShape::cuboid(Vec3::new(0.05, 0.03, 0.04), 0.2).unwrap();
    let specs: Vec<ObjectSpec> = (0..12)
        .map(|index| {
            let angle = index as f32;
            let mut spec =
                spec(index + 1, &cube, 0.02 * libm::sinf(angle), 0.2 + 0.11 * angle, 0.01 * angle);
            spec.rotation = Quat::from_rotation_x(angle);
            spec
        })
        .collect();
    let run = |specs: &[ObjectSpec]| {
        let mut simulation = world(floor(2.0));
        spawn_objects(simulation.world_mut(), specs);
        let report = settle(simulation.world_mut(), 10.0);
        report
            .objects
            .iter()
            .flat_map(|object| object.position.to_array().into_iter().chain(object.rotation.to_array()))
            .map(f32::to_bits)
            .collect::<Vec<u32>>()
    };
    let backwards: Vec<ObjectSpec> = specs.iter().rev().cloned().collect();
    assert_eq!(run(&specs), run(&backwards));
}

#[test]
fn a_hole_in_the_scan_is_closed_by_a_floor_under_the_navmesh() {
    // Two strips of floor with a gap of 0.4 m; the walkable area spans it, 0.1 m above.
    let strip = |from: f32, to: f32| {
        [[from, 0.0, -1.0], [from, 0.0, 1.0], [to, 0.0, 1.0], [to, 0.0, -1.0]].map(Vec3::from_array)
    };
    let vertices = [strip(-1.0, -0.2), strip(0.2, 1.0)].concat();
    let triangles = vec![[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]];
    let corner = |x: f32, z: f32| Vec3::new(x, 0.1, z);
    let walkable = [
        [corner(-0.9, -0.9), corner(-0.9, 0.9), corner(0.9, 0.9)],
        [corner(-0.9, -0.9), corner(0.9, 0.9), corner(0.9, -0.9)],
    ];
    let open = ambler_plugin_physics::StageShape::from_triangles(vertices, triangles);
    let closed = open.clone().with_floor(&walkable, 0.5);
    let cube = ObjectShape::cuboid(Vec3::splat(0.05), 0.2).unwrap();
    for (stage, expected) in [(open, ObjectState::Fallen), (closed, ObjectState::AtRest)] {
        let mut simulation = world(stage);
        let cube = spawn_objects(simulation.world_mut(), &[spec(1, &cube, 0.0, 0.3, 0.0)])[0];
        settle(simulation.world_mut(), 5.0);
        assert_eq!(state(&simulation, cube), expected);
        if expected == ObjectState::AtRest {
            // On the floor's height, not on the navmesh's.
            assert!((position(&simulation, cube).y - 0.048).abs() < 0.001);
        }
    }
}

#[test]
fn shapes_that_are_none_are_refused() {
    assert!(ObjectShape::cuboid(Vec3::new(0.1, 0.0, 0.1), 1.0).is_err());
    assert!(ObjectShape::ball(f32::NAN, 1.0).is_err());
    assert!(ObjectShape::ball(0.1, 0.0).is_err());
    let none: [&[Vec3]; 0] = [];
    assert!(ObjectShape::from_hulls(none, 1.0).is_err());
    let point = [Vec3::ZERO; 5];
    assert!(ObjectShape::from_hulls([&point[..]], 1.0).is_err());
    let nan = [Vec3::NAN; 5];
    assert!(ObjectShape::from_hulls([&nan[..]], 1.0).is_err());
}
