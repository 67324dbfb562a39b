//! Policies in a flat made of boxes: two rooms, a door, a chair in the far one.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod walk;

use ambler_agent::layers::{Board, EventKind, Layer, PathRole};
use ambler_agent::{Goal, relative_position};
use ambler_geometry::{Aabb, Affine, Heading, Pose, Vec3};
use ambler_scene::{Instance, Material, Mesh, Placement, SceneModel};
use std::sync::Arc;
use walk::World;

/// A box with its faces outwards.
fn solid(min: [f32; 3], max: [f32; 3]) -> Mesh {
    let corner =
        |i: usize| Vec3::new([min, max][i & 1][0], [min, max][i >> 1 & 1][1], [min, max][i >> 2 & 1][2]);
    // Bits of a corner: x, y, z.
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh { positions: (0..8).map(corner).collect(), triangles, ..Mesh::default() }
}

fn flat() -> SceneModel {
    let boxes = [
        ([0.0, -0.1, 0.0], [8.0, 0.0, 4.0]),
        ([-0.1, 0.0, -0.1], [8.1, 2.5, 0.0]),
        ([-0.1, 0.0, 4.0], [8.1, 2.5, 4.1]),
        ([-0.1, 0.0, 0.0], [0.0, 2.5, 4.0]),
        ([8.0, 0.0, 0.0], [8.1, 2.5, 4.0]),
        // The wall between the rooms, with a door 1 m wide at its far end.
        ([4.0, 0.0, 0.0], [4.1, 2.5, 2.9]),
        ([4.0, 0.0, 3.9], [4.1, 2.5, 4.0]),
        // The chair, hidden from the first room.
        ([6.6, 0.0, 0.3], [7.1, 0.9, 0.8]),
    ];
    let chair = boxes.len() - 1;
    let mut scene = SceneModel {
        meshes: boxes.iter().map(|&(min, max)| Arc::new(solid(min, max))).collect(),
        materials: vec![Material::default()],
        placements: (0..boxes.len())
            .map(|i| Placement {
                mesh: i as u32,
                material: 0,
                world_from_mesh: Affine::IDENTITY,
                instance: if i == chair { 1 } else { 0 },
            })
            .collect(),
        categories: vec![String::new(), "chair".into()],
        instances: vec![Instance {
            id: 1,
            source_id: 1,
            name: "chair".into(),
            category: 1,
            bounds: Aabb { min: Vec3::from(boxes[chair].0), max: Vec3::from(boxes[chair].1) },
        }],
        ..SceneModel::default()
    };
    scene.recompute_bounds();
    scene
}

const START: Pose = Pose {
    position: Vec3::new(1.0, 0.0, 0.8),
    heading: Heading { start_yaw: 0.3, turns: 0, per_circle: 1 },
};

#[test]
fn a_chair_in_another_room_is_found_and_every_run_is_the_same() {
    let mut world = World::new(flat());
    let goals = world.view_points(1);
    let goal = Goal::Object { category: "Chair".into(), also: vec![] };
    let walk = world.walk("frontier", START, &goal, &goals, 3);
    assert!(walk.success(0.1) && walk.spl(0.1) > 0.6, "{walk:?}");
    assert!(!walk.used_privilege);
    assert_eq!(world.walk("frontier", START, &goal, &goals, 3).actions, walk.actions);
    let oracle = world.walk("oracle", START, &goal, &goals, 3);
    assert!(oracle.success(0.1) && oracle.spl(0.1) > 0.95 && oracle.used_privilege, "{oracle:?}");
}

#[test]
fn a_point_in_another_room_is_reached() {
    let mut world = World::new(flat());
    let goal = Goal::Point { success_distance_m: 0.2 };
    for to in [Vec3::new(7.5, 0.0, 1.5), Vec3::new(5.0, 0.0, 0.5), Vec3::new(2.0, 0.0, 3.0)] {
        for agent in ["frontier", "greedy", "oracle"] {
            let walk = world.walk(agent, START, &goal, &[to], 3);
            assert!(walk.success(0.2) && walk.spl(0.2) > 0.6, "{agent} to {to}: {walk:?}");
        }
    }
}

#[test]
fn a_goal_that_is_not_there_is_never_claimed() {
    let mut world = World::new(flat());
    let goal = Goal::Object { category: "piano".into(), also: vec![] };
    let walk = world.walk("frontier", START, &goal, &[Vec3::new(7.0, 0.0, 3.0)], 3);
    assert!(!walk.stopped && walk.actions.len() == 500, "{walk:?}");
}

#[test]
fn who_listens_changes_nothing_and_learns_what_the_agent_thinks() {
    let mut world = World::new(flat());
    let goals = world.view_points(1);
    let chair = Goal::Object { category: "chair".into(), also: vec![] };
    let point = Goal::Point { success_distance_m: 0.2 };
    let to = [Vec3::new(7.5, 0.0, 1.5)];
    for (agent, goal, goals) in [
        ("frontier", &chair, &goals[..]),
        ("frontier", &point, &to),
        ("oracle", &chair, &goals),
        ("greedy", &point, &to),
    ] {
        let alone = world.walk(agent, START, goal, goals, 3);
        let heard = world.listen(agent, START, goal, goals, 3, Some(Board::default()));
        assert_eq!(alone.actions, heard.actions, "{agent}");
        assert_eq!(alone.used_privilege, heard.used_privilege, "{agent}");
        assert!(heard.events.iter().all(|event| event.kind != EventKind::Warning), "{:?}", heard.events);
        let plans = heard.published.iter().filter_map(|published| match &published.layer {
            Layer::Paths(paths) if paths.role == PathRole::Plan => Some(&paths.lines[0].positions),
            _ => None,
        });
        // A plan ends near the goal.
        let last = plans.filter_map(|line| line.last()).next_back().copied().expect("a plan");
        let world_frame = agent != "frontier";
        let end =
            if world_frame { heard.end.position } else { relative_position(&START, heard.end.position) };
        assert!((last - end).with_y(0.0).length() < 1.0, "{agent}: {last} and {end}");
    }
    let heard = world.listen("frontier", START, &chair, &goals, 3, Some(Board::default()));
    let count = |kind: &EventKind| heard.events.iter().filter(|event| event.kind == *kind).count();
    assert_eq!((count(&EventKind::Detection), count(&EventKind::Stop)), (1, 1), "{:?}", heard.events);
    assert!(count(&EventKind::Frontier) >= 1 && count(&EventKind::Decision) >= 2, "{:?}", heard.events);
    let kinds: std::collections::BTreeSet<_> =
        heard.published.iter().map(|published| published.layer.kind()).collect();
    let all = ["boxes2", "grid", "paths", "points", "ranked", "scalar", "text"];
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), all);
    // The chair is where it was seen: cells of the map within its box and a cell around it.
    let seen = heard.published.iter().rev().find(|published| published.path.ends_with("/goal"));
    let Some(Layer::Points(points)) = seen.map(|published| &published.layer) else { panic!("no goal") };
    let (sin, cos) = (START.heading.yaw().sin() as f32, START.heading.yaw().cos() as f32);
    for point in &points.positions {
        let x = START.position.x + point.x * cos + point.z * sin;
        let z = START.position.z + point.z * cos - point.x * sin;
        assert!((6.5..7.2).contains(&x) && (0.2..0.9).contains(&z), "{x} {z}");
    }
}
