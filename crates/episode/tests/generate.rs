//! Episodes drawn in made-up rooms where the right answers are plain.

use ambler_episode::check::{FindingKind, check};
use ambler_episode::generate::{
    GenerateError, ObjectNavOptions, PointNavOptions, ViewPointOptions, objectnav, obstacles, pointnav,
};
use ambler_episode::{Episode, Task, to_json};
use ambler_geometry::{Aabb, Affine, Vec3};
use ambler_navmesh::{NavMesh, NavMeshSettings, NavQuery};
use ambler_scene::{Instance, Material, Mesh, Placement, SceneModel};
use ambler_sensor::{CameraSpec, Renderer};
use std::sync::Arc;

/// A box with faces outwards (or inwards, for a room).
fn block(min: Vec3, max: Vec3, inwards: bool) -> Mesh {
    let corner = |i: u32| {
        let pick = |bit: u32, low: f32, high: f32| if i & bit == 0 { low } else { high };
        Vec3::new(pick(1, min.x, max.x), pick(2, min.y, max.y), pick(4, min.z, max.z))
    };
    let faces = [[0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5], [0, 2, 3, 1], [4, 5, 7, 6]];
    let mut mesh = Mesh { positions: (0..8).map(corner).collect(), ..Mesh::default() };
    for [a, b, c, d] in faces {
        let quads = if inwards { [[a, c, b], [a, d, c]] } else { [[a, b, c], [a, c, d]] };
        mesh.triangles.extend(quads);
    }
    mesh
}

/// A room of `side` metres, 2.5 m high, with blocks standing in it: (name or "", box).
fn room(side: f32, blocks: &[(&str, Vec3, Vec3)]) -> SceneModel {
    let half = side * 0.5;
    let mut scene = SceneModel {
        categories: vec![String::new()],
        materials: vec![Material::default()],
        ..SceneModel::default()
    };
    let place = |scene: &mut SceneModel, mesh: Mesh, instance: u32| {
        scene.placements.push(Placement {
            mesh: scene.meshes.len() as u32,
            material: 0,
            world_from_mesh: Affine::IDENTITY,
            instance,
        });
        scene.meshes.push(Arc::new(mesh));
    };
    place(&mut scene, block(Vec3::new(-half, 0.0, -half), Vec3::new(half, 2.5, half), true), 0);
    for (index, &(name, min, max)) in blocks.iter().enumerate() {
        let id = if name.is_empty() { 0 } else { index as u32 + 1 };
        place(&mut scene, block(min, max, false), id);
        if id > 0 {
            let category = scene.category_index(name).unwrap_or_else(|| {
                scene.categories.push(name.to_owned());
                scene.categories.len() as u32 - 1
            });
            scene.instances.push(Instance {
                id,
                source_id: i64::from(id) + 100,
                name: format!("{name}_{id}"),
                category,
                bounds: Aabb { min, max },
            });
        }
    }
    scene.recompute_bounds();
    scene
}

fn navmesh(scene: &SceneModel) -> Arc<NavMesh> {
    let (vertices, triangles) = scene.world_triangles();
    let settings =
        NavMeshSettings { agent_radius_m: 0.17, agent_height_m: 1.41, ..NavMeshSettings::default() };
    Arc::new(NavMesh::build(&vertices, &triangles, &settings).expect("a floor"))
}

fn furnished() -> SceneModel {
    room(
        8.0,
        &[
            ("chair", Vec3::new(2.0, 0.0, 2.0), Vec3::new(2.5, 0.9, 2.5)),
            ("chair", Vec3::new(-2.5, 0.0, 2.0), Vec3::new(-2.0, 0.9, 2.5)),
            ("table", Vec3::new(-0.6, 0.0, -2.4), Vec3::new(0.6, 0.7, -1.8)),
            // Inside the table: nobody can see it.
            ("pearl", Vec3::new(-0.1, 0.3, -2.2), Vec3::new(0.1, 0.5, -2.0)),
            ("wall", Vec3::new(-0.1, 0.0, -0.5), Vec3::new(0.1, 2.5, 1.5)),
        ],
    )
}

fn fast() -> ObjectNavOptions {
    let camera = CameraSpec { width: 64, height: 64, ..ViewPointOptions::default().camera };
    ObjectNavOptions {
        views: ViewPointOptions { camera, grid_m: 0.2, ..ViewPointOptions::default() },
        ..ObjectNavOptions::default()
    }
}

fn geodesic(query: &mut NavQuery, episode: &Episode) -> f64 {
    f64::from(query.geodesic_multi(episode.start_position, &episode.goal_points()).expect("reachable").0)
}

#[test]
fn point_goals_follow_the_rules() {
    let scene = furnished();
    let mesh = navmesh(&scene);
    let made = pointnav("made/room", &mesh, 40, 7, &PointNavOptions::default()).expect("room for it");
    assert_eq!(made.set.episodes.len(), 40);
    let mut query = NavQuery::new(Arc::clone(&mesh));
    for episode in &made.set.episodes {
        let distance = geodesic(&mut query, episode);
        assert!((1.0..=30.0).contains(&distance));
        assert!((episode.stated_geodesic_m().expect("stated") - distance).abs() < 1e-6);
        assert!(query.is_navigable(episode.start_position, 0.5));
    }
    // The same seed, the same bytes; fewer are a prefix; another seed, others.
    let again = pointnav("made/room", &mesh, 40, 7, &PointNavOptions::default()).expect("as before");
    assert_eq!(to_json(&again.set), to_json(&made.set));
    let ten = pointnav("made/room", &mesh, 10, 7, &PointNavOptions::default()).expect("as before");
    assert!(ten.set.episodes.iter().zip(&made.set.episodes).all(|(a, b)| a.identity == b.identity));
    let other = pointnav("made/room", &mesh, 10, 8, &PointNavOptions::default()).expect("as before");
    assert_ne!(other.set.episodes[0].identity, made.set.episodes[0].identity);
    // What was drawn on a navmesh is at home on it.
    assert_eq!(check(&made.set.episodes, &mut query), []);
}

#[test]
fn a_floor_of_a_square_metre_gets_short_walks_and_says_so() {
    let mesh = navmesh(&room(1.7, &[]));
    let made = pointnav("made/closet", &mesh, 5, 1, &PointNavOptions::default()).expect("short ones");
    assert_eq!(made.set.episodes.len(), 5);
    assert!(made.notes.iter().any(|note| note.contains("no island has a radius")), "{:?}", made.notes);
    let huge = PointNavOptions {
        min_distance_m: 50.0,
        max_distance_m: 60.0,
        tries: 50,
        ..PointNavOptions::default()
    };
    match pointnav("made/closet", &mesh, 5, 1, &huge) {
        Err(GenerateError::NoneFits { reasons, .. }) => {
            assert!(reasons.0.contains_key("too near"), "{reasons}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn object_goals_have_view_points_that_see_them() {
    let scene = furnished();
    let mesh = navmesh(&scene);
    let renderer = Renderer::new(Arc::new(scene));
    let made = objectnav("made/room.glb", &renderer, &mesh, 12, 3, &fast()).expect("chairs and a table");
    let categories = made.set.categories();
    assert_eq!(categories.get("chair"), Some(&6), "categories take turns");
    assert_eq!(categories.get("table"), Some(&6));
    assert_eq!(categories.len(), 2, "walls are no goals, a pearl inside a table neither");
    assert!(made.notes.iter().any(|note| note.contains("pearl_4")), "{:?}", made.notes);
    assert!(made.set.groups.iter().any(|group| group.key == "room.glb_chair" && group.goals.len() == 2));
    let mut query = NavQuery::new(Arc::clone(&mesh));
    for episode in &made.set.episodes {
        assert!(geodesic(&mut query, episode) >= 1.0);
        assert!(episode.info.number("closest_goal_object_id").is_some_and(|id| id > 100.0));
        for goal in episode.task.object_goals() {
            assert!(goal.view_points.len() > 10, "{}", goal.object_name);
            for view in &goal.view_points {
                assert!(query.is_navigable(view.position, 0.5));
                // Within a metre of the box (the blocks are at most 0.6 m from middle to side).
                assert!(view.position.distance(goal.position) < 2.0);
                // The body faces the object.
                let [x, y, z, w] = view.rotation.expect("a rotation");
                let yaw = ambler_geometry::yaw_from_quat(x, y, z, w);
                let ahead = ambler_geometry::Heading::from_yaw(yaw).forward();
                let mut to = goal.position - view.position;
                to.y = 0.0;
                assert!(ahead.dot(to.normalize_or_zero()) > 0.999);
            }
        }
    }
    // Shares are those of the whole image, of which only a part is drawn.
    let camera = CameraSpec { mount: fast().views.camera.mount, ..fast().views.camera };
    let mut frame = ambler_sensor::Frame::default();
    let goals = made.set.groups.iter().flat_map(|group| group.goals.iter());
    let mut compared = 0;
    for (goal, view) in goals.flat_map(|goal| goal.view_points.iter().map(move |view| (goal, view))) {
        let Some(ambler_episode::ObjectId::Number(id)) = goal.object_id else { panic!("a number") };
        let instance = renderer.scene().instances.iter().find(|it| it.source_id == id).expect("there");
        let [x, y, z, w] = view.rotation.expect("a rotation");
        let heading = ambler_geometry::Heading::from_yaw(ambler_geometry::yaw_from_quat(x, y, z, w));
        let to = goal.position - view.position - Vec3::Y * camera.mount.y;
        let tilt = f64::from(to.y).atan2(f64::from(to.x.hypot(to.z)));
        let pose = ambler_geometry::Pose { position: view.position, heading };
        renderer.render(&camera, &camera.world_from_camera(&pose, tilt), &mut frame).expect("drawn");
        let pixels = frame.instance.iter().filter(|&&id| id == instance.id).count();
        let share = pixels as f64 / frame.pixel_count() as f64;
        assert!((view.iou.expect("a share") - share).abs() <= 2.0 / frame.pixel_count() as f64);
        compared += 1;
    }
    assert!(compared > 100, "{compared}");
    assert_eq!(check(&made.set.episodes, &mut query), []);
    let again = objectnav("made/room.glb", &renderer, &mesh, 12, 3, &fast()).expect("as before");
    assert_eq!(to_json(&again.set), to_json(&made.set));
}

#[test]
fn a_scene_without_labels_gets_obstacles() {
    let scene = room(
        8.0,
        &[
            ("", Vec3::new(2.0, 0.0, 2.0), Vec3::new(2.5, 0.9, 2.5)),
            ("", Vec3::new(-1.0, 0.0, -2.4), Vec3::new(0.6, 0.7, -1.8)),
            ("", Vec3::new(-3.0, 0.0, 1.0), Vec3::new(-2.0, 2.5, 1.2)),
        ],
    );
    let mesh = navmesh(&scene);
    let labelled = obstacles::label(&scene, &mesh);
    let names: Vec<&str> = labelled.instances.iter().map(|instance| instance.name.as_str()).collect();
    assert_eq!(names, ["obstacle_1", "obstacle_2"], "the partition reaches the ceiling: a wall");
    let largest = labelled.instances[0].bounds;
    assert!(largest.center().distance(Vec3::new(-0.2, 0.35, -2.1)) < 0.15, "{largest:?}");
    let made = objectnav("made/bare", &Renderer::new(Arc::new(scene)), &mesh, 4, 1, &fast())
        .expect("obstacles");
    assert_eq!(made.set.categories().get("obstacle_2"), Some(&2));
    assert!(made.notes.iter().any(|note| note.contains("no labelled objects")), "{:?}", made.notes);
    // An empty room has nothing to look for: a reason, not a panic.
    let bare = room(8.0, &[]);
    let mesh = navmesh(&bare);
    match objectnav("made/bare", &Renderer::new(Arc::new(bare)), &mesh, 4, 1, &fast()) {
        Err(GenerateError::NothingToFind { .. }) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn findings_name_what_is_wrong() {
    let mesh = navmesh(&furnished());
    let mut query = NavQuery::new(mesh);
    let episode = |start: Vec3, goal: Vec3, radius: f64, stated: f64| {
        let task = Task::point(goal, Some(radius));
        let mut episode =
            Episode::new("1", "made/room", start, [0.0, 0.0, 0.0, 1.0], task).expect("sound");
        episode.info.set("geodesic_distance", stated);
        Arc::new(episode)
    };
    let kinds = |query: &mut NavQuery, episode: Arc<Episode>| -> Vec<&'static str> {
        check(&[episode], query).iter().map(|finding| finding.kind.name()).collect()
    };
    let (a, b) = (Vec3::new(3.0, 0.0, -3.0), Vec3::new(3.0, 0.0, 1.0));
    assert_eq!(kinds(&mut query, episode(a, b, 0.2, 4.0)), [""; 0]);
    assert_eq!(kinds(&mut query, episode(a, b, 0.36, 4.0)), ["radius-differs"]);
    assert_eq!(kinds(&mut query, episode(a, b, 0.2, 4.1)), ["geodesic-differs"]);
    assert_eq!(kinds(&mut query, episode(a, a, 0.2, 0.0)), ["starts-at-goal"]);
    assert_eq!(kinds(&mut query, episode(Vec3::new(100.0, 0.0, 0.0), b, 0.2, 4.0)), ["start-off-mesh"]);
    assert_eq!(kinds(&mut query, episode(a, Vec3::new(100.0, 0.0, 0.0), 0.2, 4.0)), ["unreachable"]);
    let many: Vec<Arc<Episode>> = (0..6).map(|_| episode(a, b, 0.2, 5.0)).collect();
    assert!(check(&many, &mut query).iter().any(|finding| finding.kind == FindingKind::OtherNavmesh));
}
