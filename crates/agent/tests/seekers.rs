//! Agents that look for things, in a small home: an office and a kitchen side by side, a hall between.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod walk;

use ambler_agent::layers::{Board, EventKind, Layer, PathRole};
use ambler_agent::{Goal, ModelOptions, base_scene};
use ambler_geometry::{Aabb, Affine, Heading, Pose, Vec2, Vec3};
use ambler_model::{Knowledge, Region};
use ambler_scene::{Instance, Material, Mesh, Placement, Receptacle, Room, SceneModel};
use std::sync::Arc;
use walk::{Walk, World, memory_of};

/// A box with its faces outwards.
fn solid(min: [f32; 3], max: [f32; 3]) -> Mesh {
    let corner =
        |i: usize| Vec3::new([min, max][i & 1][0], [min, max][i >> 1 & 1][1], [min, max][i >> 2 & 1][2]);
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh { positions: (0..8).map(corner).collect(), triangles, ..Mesh::default() }
}

/// What stands in the home: category, box.
const FURNITURE: &[(&str, [f32; 3], [f32; 3])] = &[
    ("desk", [0.2, 0.0, 0.2], [1.6, 0.74, 0.9]),
    ("bookshelf", [0.2, 0.0, 4.0], [1.2, 1.2, 4.3]),
    ("counter", [8.2, 0.0, 0.1], [9.8, 0.9, 0.7]),
    ("stove", [7.4, 0.0, 0.1], [8.0, 0.9, 0.7]),
    ("dining_table", [8.0, 0.0, 3.0], [9.2, 0.74, 3.8]),
];

/// A home 10 m long with things in it: category, where its middle lies.
fn home(things: &[(&str, [f32; 3])]) -> SceneModel {
    let shell = [
        ([0.0, -0.1, 0.0], [10.0, 0.0, 4.5]),
        ([-0.1, 0.0, -0.1], [10.1, 2.5, 0.0]),
        ([-0.1, 0.0, 4.5], [10.1, 2.5, 4.6]),
        ([-0.1, 0.0, 0.0], [0.0, 2.5, 4.5]),
        ([10.0, 0.0, 0.0], [10.1, 2.5, 4.5]),
        // Two walls, each with a door 1.1 m wide.
        ([3.0, 0.0, 0.0], [3.1, 2.5, 3.2]),
        ([3.0, 0.0, 4.3], [3.1, 2.5, 4.5]),
        ([6.0, 0.0, 1.4], [6.1, 2.5, 4.5]),
        ([6.0, 0.0, 0.0], [6.1, 2.5, 0.3]),
    ];
    let mut boxes: Vec<(&str, [f32; 3], [f32; 3])> =
        shell.iter().map(|&(min, max)| ("", min, max)).collect();
    boxes.extend_from_slice(FURNITURE);
    for (name, [x, y, z]) in things {
        boxes.push((name, [x - 0.1, *y, z - 0.1], [x + 0.1, y + 0.2, z + 0.1]));
    }
    let mut categories = vec![String::new()];
    let mut instances = Vec::new();
    let (mut meshes, mut placements) = (Vec::new(), Vec::new());
    for (index, (name, min, max)) in boxes.into_iter().enumerate() {
        let mut instance = 0;
        if !name.is_empty() {
            let category = categories.iter().position(|known| known == name).unwrap_or_else(|| {
                categories.push(name.to_owned());
                categories.len() - 1
            });
            instance = instances.len() as u32 + 1;
            instances.push(Instance {
                id: instance,
                source_id: i64::from(instance),
                name: format!("{name}_{instance}"),
                category: category as u32,
                bounds: Aabb { min: Vec3::from(min), max: Vec3::from(max) },
            });
        }
        meshes.push(Arc::new(solid(min, max)));
        let mesh = index as u32;
        placements.push(Placement { mesh, material: 0, world_from_mesh: Affine::IDENTITY, instance });
    }
    let room = |name: &str, x0: f32, x1: f32| Room {
        name: name.to_owned(),
        category: name.to_owned(),
        polygon: [(x0, 0.0), (x0, 4.5), (x1, 4.5), (x1, 0.0)].map(|(x, z)| Vec2::new(x, z)).to_vec(),
        floor_y: 0.0,
        height: 2.5,
    };
    let receptacles = FURNITURE
        .iter()
        .zip(1..)
        .filter(|((name, ..), _)| *name != "stove")
        .map(|((name, min, max), instance)| Receptacle {
            name: format!("{name} top"),
            instance,
            polygon: [(min[0], min[2]), (min[0], max[2]), (max[0], max[2]), (max[0], min[2])]
                .map(|(x, z)| Vec2::new(x, z))
                .to_vec(),
            y: max[1],
        })
        .collect();
    let mut scene = SceneModel {
        meshes,
        materials: vec![Material::default()],
        placements,
        categories,
        instances,
        rooms: vec![room("office", 0.0, 3.05), room("hallway", 3.05, 6.05), room("kitchen", 6.05, 10.0)],
        receptacles,
        ..SceneModel::default()
    };
    scene.recompute_bounds();
    scene
}

const ON_COUNTER: [f32; 3] = [8.6, 0.9, 0.45];
const ON_DESK: [f32; 3] = [0.9, 0.74, 0.5];

const START: Pose = Pose {
    position: Vec3::new(4.5, 0.0, 2.2),
    heading: Heading { start_yaw: 0.3, turns: 0, per_circle: 1 },
};

fn goal(category: &str) -> Goal {
    Goal::Object { category: category.into(), also: vec![] }
}

fn with(models: ModelOptions, scene: SceneModel) -> World {
    let mut world = World::new(scene);
    world.options.models = models;
    world
}

fn seek(world: &mut World, agent: &str, category: &str) -> Walk {
    let id = world
        .scene
        .instances
        .iter()
        .find(|thing| world.scene.category_name(thing.category) == category)
        .map(|thing| thing.id);
    let goals = id.map_or(vec![Vec3::new(9.0, 0.0, 2.0)], |id| world.view_points(id));
    assert!(!goals.is_empty(), "{category} has viewpoints");
    world.walk(agent, START, &goal(category), &goals, 3)
}

const SEEKERS: [&str; 4] = ["vlfm", "l3mvn", "random-astar", "semantic-astar"];

#[test]
fn a_pan_on_the_counter_is_found_and_every_run_is_the_same() {
    for agent in SEEKERS {
        let models = ModelOptions { final_approach: Some(true), ..ModelOptions::default() };
        let mut world = with(models, home(&[("frying_pan", ON_COUNTER)]));
        let walk = seek(&mut world, agent, "frying_pan");
        assert!(walk.success(0.1), "{agent}: {walk:?}");
        assert!(!walk.used_privilege);
        assert_eq!(seek(&mut world, agent, "frying_pan").actions, walk.actions, "{agent}");
    }
}

#[test]
fn a_goal_that_is_not_there_is_never_claimed_near_a_thing() {
    // There is no piano. Explorers run out of steps or of frontiers, the others out of surfaces.
    let mut world = with(ModelOptions::default(), home(&[("mug", ON_DESK)]));
    for agent in SEEKERS {
        let walk = seek(&mut world, agent, "piano");
        assert!(walk.error.is_none(), "{agent}: {walk:?}");
        let astar = agent.ends_with("astar");
        assert!(!astar || walk.stopped, "{agent} has looked everywhere: {walk:?}");
    }
}

#[test]
fn knowledge_sends_the_semantic_agent_the_right_way() {
    // The way to where the thing belongs is short; what knows better goes there first.
    let length = |knowledge: &str, thing: &str, at: [f32; 3]| {
        let models = ModelOptions { knowledge: knowledge.into(), ..ModelOptions::default() };
        let mut world = with(models, home(&[(thing, at)]));
        let walk = seek(&mut world, "semantic-astar", thing);
        assert!(walk.success(0.1), "{knowledge} {thing}: {walk:?}");
        walk.length_m
    };
    for table in ["judged", "activities"] {
        let (pan, stapler) =
            (length(table, "frying_pan", ON_COUNTER), length(table, "stapler", ON_DESK));
        // A pan on the desk and a stapler on the counter are found last.
        assert!(length(table, "frying_pan", ON_DESK) > pan + 3.0);
        assert!(length(table, "stapler", ON_COUNTER) > stapler + 3.0);
    }
}

#[test]
fn without_the_final_approach_it_stops_where_it_saw_the_goal() {
    let scene = || home(&[("frying_pan", ON_COUNTER)]);
    let walk = |approach: bool| {
        let models = ModelOptions { final_approach: Some(approach), ..ModelOptions::default() };
        seek(&mut with(models, scene()), "semantic-astar", "frying_pan")
    };
    let (with, without) = (walk(true), walk(false));
    assert!(
        without.stopped
            && with
                .actions
                .starts_with(without.actions.trim_end_matches(ambler_body::Action::Stop.letter()))
    );
    assert!(with.distances_m.1 <= without.distances_m.1);
}

/// Where the goal's nearest point changed with every step, so did what it went to: it turned to and fro before
/// the goal until its steps were spent. The final approach begins where the agent would stop without it, and
/// ends after a few steps.
#[test]
fn the_final_approach_continues_the_way_and_ends() {
    for (agent, stop_m) in [("vlfm", 0.9), ("l3mvn", 0.75)] {
        for (name, at) in [("frying_pan", ON_COUNTER), ("stapler", ON_DESK), ("apple", [8.6, 0.74, 3.4])]
        {
            let walk = |approach: bool| {
                let models = ModelOptions { final_approach: Some(approach), ..ModelOptions::default() };
                seek(&mut with(models, home(&[(name, at)])), agent, name)
            };
            let (with, without) = (walk(true), walk(false));
            let way = without.actions.trim_end_matches(ambler_body::Action::Stop.letter());
            assert!(without.stopped && with.stopped, "{agent} stops before the {name}");
            assert!(with.actions.starts_with(way), "{agent}, {name}: {way} and {}", with.actions);
            let more = with.actions.len() - without.actions.len();
            assert!(
                more <= 30,
                "{agent} takes {more} more actions before the {name}: {}",
                &with.actions[way.len()..]
            );
            let apart = |walk: &Walk| (walk.end.position - Vec3::from(at)).with_y(0.0).length();
            assert!(apart(&with) <= apart(&without) + 1e-3, "{agent} comes nearer to the {name}");
            assert!(apart(&with) < stop_m + 0.6, "{agent} ends {} m from the {name}", apart(&with));
        }
    }
}

/// The leak test: what is remembered of a home must not depend on where its things are now.
#[test]
fn memory_does_not_depend_on_the_variant() {
    let base = memory_of(&home(&[]));
    assert_eq!(base.planes.len(), 4);
    let desk = base.planes.iter().find(|plane| plane.receptacle == "desk").unwrap();
    assert_eq!(desk.region, Region::Office);
    assert!(desk.nav_points.len() > 3 && desk.nav_points.len() <= 12);
    for variant in [
        vec![("frying_pan", ON_COUNTER), ("mug", ON_DESK)],
        vec![("frying_pan", ON_DESK), ("book", [0.7, 1.2, 4.15]), ("mug", [8.5, 0.74, 3.4])],
        // A thing that lies on the floor bars the way in the variant alone.
        vec![("basket", [4.5, 0.0, 3.8]), ("basketball", [7.0, 0.0, 2.5])],
    ] {
        let scene = home(&variant);
        assert_eq!(memory_of(&scene), base, "{variant:?}");
        assert!(base_scene(&scene, &Knowledge::shipped()).instances.len() == FURNITURE.len());
    }
    // It does depend on the furniture.
    let mut moved = home(&[]);
    moved.receptacles[0].polygon.iter_mut().for_each(|point| point.x += 0.5);
    assert_ne!(memory_of(&moved), base);
}

#[test]
fn what_the_detector_misses_is_not_found() {
    let blind = "noisy:miss=1,small=0,lasting=1,confuse=0";
    let sharp = "noisy:miss=0,small=0,confuse=0,mask=0";
    for agent in SEEKERS {
        let seek_with = |detector: &str| {
            let models = ModelOptions {
                detector: detector.into(),
                final_approach: Some(true),
                ..ModelOptions::default()
            };
            let mut world = with(models, home(&[("frying_pan", ON_COUNTER)]));
            let id = world.scene.instances.last().unwrap().id;
            let goals = world.view_points(id);
            world.listen(agent, START, &goal("frying_pan"), &goals, 3, Some(Board::default()))
        };
        let detected = |walk: &Walk| walk.events.iter().any(|event| event.kind == EventKind::Detection);
        let seeing = seek_with(sharp);
        assert!(seeing.success(0.1) && detected(&seeing), "{agent}: {}", seeing.actions);
        let missing = seek_with(blind);
        assert!(missing.error.is_none(), "{agent}: {:?}", missing.error);
        assert!(!detected(&missing), "{agent} sees what its detector misses");
    }
}

#[test]
fn who_listens_changes_nothing_and_learns_what_the_agent_thinks() {
    let mut world = with(ModelOptions::default(), home(&[("frying_pan", ON_COUNTER)]));
    let id = world.scene.instances.last().unwrap().id;
    let goals = world.view_points(id);
    for agent in SEEKERS {
        let alone = world.walk(agent, START, &goal("frying_pan"), &goals, 3);
        let heard = world.listen(agent, START, &goal("frying_pan"), &goals, 3, Some(Board::default()));
        assert_eq!(alone.actions, heard.actions, "{agent}");
        assert!(heard.events.iter().all(|event| event.kind != EventKind::Warning), "{:?}", heard.events);
        assert!(heard.events.iter().any(|event| event.kind == EventKind::Detection), "{agent}");
        let has = |kind: fn(&Layer) -> bool| heard.published.iter().any(|p| kind(&p.layer));
        assert!(has(|layer| matches!(layer, Layer::Grid(_))), "{agent} shows its map");
        assert!(has(|layer| matches!(layer, Layer::Ranked(_))), "{agent} shows what it chose from");
        assert!(has(|layer| matches!(layer, Layer::Text(_))), "{agent} says what it does");
        assert!(has(
            |layer| matches!(layer, Layer::Paths(paths) if paths.role == PathRole::Plan && paths.lines[0].positions.len() > 1)
        ));
        assert!(has(|layer| matches!(layer, Layer::Boxes2(boxes) if !boxes.boxes.is_empty())));
    }
}

#[test]
fn point_goals_and_unknown_homes_cost_the_episode_not_the_run() {
    let mut world = with(ModelOptions::default(), home(&[]));
    for agent in SEEKERS {
        let factory = ambler_agent::make_policy(agent, &world.options).unwrap();
        let mut policy = factory.create().unwrap();
        let point = Goal::Point { success_distance_m: 0.2 };
        let context = ambler_agent::EpisodeContext::new(&world.body, &point);
        assert!(policy.reset(&context).unwrap_err().to_string().contains("this goal is a point"));
        let thing = goal("bed");
        let context = ambler_agent::EpisodeContext::new(&world.body, &thing);
        assert_eq!(policy.reset(&context).is_err(), agent.ends_with("astar"), "{agent}");
    }
    let walk = seek(&mut world, "vlfm", "desk");
    assert!(walk.stopped, "{walk:?}");
}
