//! The plugins together, as the program assembles them: the order within a step, and that nothing
//! is left from one episode to the next.

use ambler_body::{Action, BodyPreset, Locomotion};
use ambler_episode::{GoalPoints, SuccessRule, Task};
use ambler_geometry::{Affine, Heading, Pose, Vec3};
use ambler_navmesh::{NavMesh, NavQuery};
use ambler_plugin_body::{Body, BodyPlugin, LastAction, PendingAction};
use ambler_plugin_scene::{Navigation, ScenePlugin};
use ambler_plugin_sensors::{Eyes, SensorsPlugin};
use ambler_plugin_simulation::{Simulation, StepCount};
use ambler_plugin_task::{Measure, Scoring, TaskPlugin};
use ambler_scene::{Material, Mesh, Placement, SceneModel};
use ambler_sensor::{CameraSpec, Renderer};
use std::sync::Arc;

/// A floor of 8 × 8 m with a wall at z = −4 that faces the room.
fn room() -> Arc<SceneModel> {
    let positions = [
        [-4.0, 0.0, -4.0],
        [4.0, 0.0, -4.0],
        [4.0, 0.0, 4.0],
        [-4.0, 0.0, 4.0],
        [-4.0, 3.0, -4.0],
        [4.0, 3.0, -4.0],
    ];
    let mesh = Mesh {
        positions: positions.map(Vec3::from_array).into(),
        triangles: [[0, 2, 1], [0, 3, 2], [0, 1, 5], [0, 5, 4]].into(),
        ..Mesh::default()
    };
    let mut scene = SceneModel {
        meshes: vec![Arc::new(mesh)],
        materials: vec![Material::default()],
        placements: vec![Placement {
            mesh: 0,
            material: 0,
            world_from_mesh: Affine::IDENTITY,
            instance: 0,
        }],
        ..SceneModel::default()
    };
    scene.recompute_bounds();
    Arc::new(scene)
}

fn simulation() -> Simulation {
    let scene = room();
    let stretch = BodyPreset::named("stretch").expect("the default preset");
    let (vertices, triangles) = scene.world_triangles();
    let mesh = NavMesh::build(&vertices, &triangles, &stretch.navmesh_settings()).expect("a floor");
    let mut query = NavQuery::new(Arc::new(mesh));
    let start = query.snap(Vec3::ZERO).expect("the middle of the floor").point;
    let task = Task::point(Vec3::new(0.0, 0.0, -2.0), None);
    let rule = SuccessRule::for_task(&task);
    let points = GoalPoints::of(&task, rule.to);
    let measure = Measure::habitat(&query, &points.points);
    let scoring = Scoring::start(&rule, &points, start, measure, &mut query).expect("reachable");
    let renderer = Arc::new(Renderer::new(Arc::clone(&scene)));
    let mut simulation = Simulation::new(|app| {
        app.add_plugins(ScenePlugin { scene });
        app.insert_resource(Navigation(query));
        let start = Pose { position: start, heading: Heading::from_yaw(0.0) };
        app.add_plugins(BodyPlugin { locomotion: Locomotion::from(&stretch), start });
        let cameras = vec![CameraSpec { width: 9, height: 9, ..CameraSpec::default() }];
        app.add_plugins(SensorsPlugin { renderer, cameras, detector_pixels: None });
        app.add_plugins(TaskPlugin { scoring });
    });
    simulation.start();
    simulation
}

fn act(simulation: &mut Simulation, action: Action) {
    simulation.world_mut().resource_mut::<PendingAction>().0 = Some(action);
    simulation.step();
}

/// Depth in the middle of the image.
fn ahead(simulation: &Simulation) -> f32 {
    simulation.world().resource::<Eyes>().frames[0].depth[4 * 9 + 4]
}

#[test]
fn a_step_moves_then_looks_then_scores() {
    let mut simulation = simulation();
    assert!((ahead(&simulation) - 4.0).abs() < 1e-3, "the first look is made before any action");
    act(&mut simulation, Action::MoveForward);
    assert!((ahead(&simulation) - 3.75).abs() < 1e-3, "the camera sees where the body is now");
    let tracker = Scoring::tracker_of(simulation.world_mut()).expect("a world with scores");
    let distance = tracker.distance_to_goal().expect("reachable");
    // The goal lies on the floor, the body on the navmesh a voxel (0.2 m) above it.
    let expected = (1.75f64 * 1.75 + 0.2 * 0.2).sqrt();
    assert!((distance - expected).abs() < 1e-3, "the score is of where the body is now: {distance}");
    assert_eq!(simulation.world().resource::<StepCount>().0, 1);
    assert_eq!(simulation.world().resource::<LastAction>().0, Some(Action::MoveForward));
    assert_eq!(simulation.world().resource::<PendingAction>().0, None, "the step takes the action");
}

#[test]
fn walking_to_the_goal_and_stopping_is_success_with_spl_one() {
    let mut simulation = simulation();
    for _ in 0..8 {
        act(&mut simulation, Action::MoveForward);
    }
    act(&mut simulation, Action::Stop);
    let metrics = Scoring::tracker_of(simulation.world_mut()).expect("a world with scores").metrics();
    assert_eq!((metrics.success, metrics.steps, metrics.collisions.count), (1.0, 9, 0));
    assert!((metrics.spl - 1.0).abs() < 1e-6, "{}", metrics.spl);
}

#[test]
fn looks_tilt_the_cameras_and_not_the_body() {
    let mut simulation = simulation();
    act(&mut simulation, Action::LookDown);
    // 30° down from 1.31 m: the floor is 1.31 / sin 30° away along the axis, which is its depth.
    // Height is measured from the navmesh, up to a voxel (0.2 m) above the floor.
    let depth = ahead(&simulation);
    assert!((2.6..3.1).contains(&depth), "{depth}");
    let world = simulation.world_mut();
    let mut bodies = world.query::<&Body>();
    let body = bodies.single(world).expect("one body");
    assert_eq!(body.state.pose.heading.yaw(), 0.0);
    assert_eq!(body.state.tilt, -1);
}

#[test]
fn a_thousand_steps_leave_the_same_bits_in_a_fresh_world() {
    let walk = || {
        let mut simulation = simulation();
        let actions = [Action::MoveForward, Action::TurnLeft, Action::MoveForward, Action::TurnRight];
        for action in actions.iter().cycle().take(1000) {
            act(&mut simulation, *action);
        }
        let metrics =
            Scoring::tracker_of(simulation.world_mut()).expect("a world with scores").metrics();
        (metrics.path_length_m.to_bits(), ahead(&simulation).to_bits(), metrics.collisions.count)
    };
    assert_eq!(walk(), walk());
}
