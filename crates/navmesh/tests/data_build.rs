//! Navmeshes built from real scans against those that Habitat built.

mod data;

use ambler_geometry::Vec3;
use ambler_geometry::random::Stream;
use ambler_navmesh::exact::Planner;
use ambler_navmesh::{DistanceField, NavMesh, NavMeshError, NavMeshSettings, NavQuery, maps};
use ambler_scene::{ReadOptions, UpAxis, read_scene};
use data::{data, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

fn triangles(path: &Path, up: UpAxis) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    read_scene(path, &ReadOptions::with_up(up)).expect("scene").world_triangles()
}

fn build(path: &Path, up: UpAxis, settings: &NavMeshSettings) -> Result<NavMesh, NavMeshError> {
    let (vertices, triangles) = triangles(path, up);
    NavMesh::build(&vertices, &triangles, settings)
}

fn stretch() -> NavMeshSettings {
    NavMeshSettings::for_body(1.41, 0.17)
}

/// The values of a two-dimensional `.npy` file of shape rows × columns.
fn npy(path: &Path) -> (usize, usize, Vec<i32>) {
    let bytes = std::fs::read(path).expect("readable");
    let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = std::str::from_utf8(&bytes[10..10 + length]).expect("text");
    let shape = header.split("'shape': (").nth(1).expect("shape").split(')').next().expect("shape");
    let shape: Vec<usize> = shape.split(',').filter_map(|part| part.trim().parse().ok()).collect();
    let body = &bytes[10 + length..];
    let values: Vec<i32> = match header.split("'descr': '").nth(1).map(|rest| &rest[..3]) {
        Some("|b1") => body.iter().map(|byte| i32::from(*byte)).collect(),
        Some("<i2") => {
            body.chunks_exact(2).map(|b| i32::from(i16::from_le_bytes([b[0], b[1]]))).collect()
        }
        Some("<i4") => {
            body.chunks_exact(4).map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
        }
        other => panic!("{other:?}"),
    };
    let (rows, columns) = (shape[0], shape[1]);
    if header.contains("'fortran_order': True") {
        let transposed =
            (0..rows * columns).map(|at| values[at / columns + at % columns * rows]).collect();
        return (rows, columns, transposed);
    }
    (rows, columns, values)
}

/// Bytes that differ, links (rebuilt on loading) aside; `None` when even the sizes differ.
fn differing_bytes(ours: &[u8], theirs: &[u8]) -> Option<usize> {
    (ours.len() == theirs.len()).then(|| ours.iter().zip(theirs).filter(|(a, b)| a != b).count())
}

#[test]
fn van_gogh_room_rows_a2_a3_and_a9_to_a12() {
    let Some(ply) = data("terms/habitat_golden/van-gogh-room.mesh.ply") else { return };
    let (vertices, triangles) = triangles(&ply, UpAxis::Z);
    let locobot = NavMeshSettings::for_body(0.88, 0.18);
    let ovon = NavMeshSettings { agent_max_climb_m: 0.1, cell_height_m: 0.05, ..stretch() };
    let wide = NavMeshSettings { agent_radius_m: 0.2, ..NavMeshSettings::default() };
    // Name, settings, areas of the islands by Recast 1.6.0 (A9 and A10: of both versions).
    let rows: [(&str, NavMeshSettings, [f32; 2], [usize; 3]); 5] = [
        ("A3 default", NavMeshSettings::default(), [7.305, 1.968_839_4], [10, 25, 21]),
        ("A9 LoCoBot", locobot, [5.973_750_6, 1.307_677_3], [8, 25, 21]),
        ("A10 OVON Stretch", ovon, [5.973_750_6, 1.051_903_8], [9, 26, 22]),
        ("A11 Stretch", stretch(), [5.973_750_6, 1.352_954_9], [9, 26, 22]),
        ("A12 radius 0.2", wide, [5.973_750_6, 1.352_954_9], [9, 26, 22]),
    ];
    for (name, settings, areas, counts) in rows {
        let mesh = NavMesh::build(&vertices, &triangles, &settings).expect("floor");
        let ours: Vec<f32> = mesh.islands().iter().map(|island| island.area_m2).collect();
        println!(
            "{name}: {} m², islands {ours:?}, polygons, corners, triangles {:?}",
            mesh.area_m2(),
            mesh.counts()
        );
        assert_eq!(ours.len(), 2, "{name}");
        for (ours, theirs) in ours.iter().zip(areas) {
            assert!((ours - theirs).abs() < 1e-4, "{name}: {ours} {theirs}");
        }
        assert_eq!(mesh.counts(), counts, "{name}");
    }
    let ours = NavMesh::build(&vertices, &triangles, &NavMeshSettings::default()).expect("floor");
    let file = data("terms/habitat_golden/vg_default_r16.navmesh").expect("beside it");
    let theirs = NavMesh::parse(&std::fs::read(&file).expect("readable"), &file).expect("navmesh");
    assert!((ours.area_m2() - 9.273_84).abs() < 1e-4);
    assert_eq!(differing_bytes(&ours.to_bytes(), &theirs.to_bytes()), Some(0));
}

#[test]
fn golden_scenes_rebuild_to_habitats_navmeshes() {
    let scenes = [
        ("scan180", "golden/scan180/scene.ply", UpAxis::Y),
        ("scan40", "golden/scan40/scene.ply", UpAxis::Y),
        ("washitsu", "ok/polycam_washitsu_room_cc0/scans/room.glb", UpAxis::Y),
        ("hl2_apartment", "golden/hl2_apartment/scene.glb", UpAxis::Y),
        ("simple_room", "ok/habitat_sim_test_assets/test_assets/scenes/simple_room.glb", UpAxis::Z),
        ("stage_floor1", "golden/stage_floor1/scene.glb", UpAxis::Y),
    ];
    for (name, scene, up) in scenes {
        let Some(path) = data(scene) else { return };
        let Some(golden) = json(&format!("golden/{name}/navmesh.json")) else { return };
        let file = data(&format!("golden/{name}/scene.navmesh")).expect("beside it");
        let theirs = NavMesh::parse(&std::fs::read(&file).expect("readable"), &file).expect("navmesh");
        let ours = build(&path, up, &stretch()).expect("floor");
        let area = golden["navigable_area"].as_f64().expect("number") as f32;
        let islands = golden["num_islands"].as_u64().expect("number") as usize;
        println!(
            "{name}: {} m² (Habitat {area}), {} islands, {:?} polygons, corners, triangles (Habitat {:?}), bytes that differ: {:?}",
            ours.area_m2(),
            ours.islands().len(),
            ours.counts(),
            theirs.counts(),
            differing_bytes(&ours.to_bytes(), &theirs.to_bytes()),
        );
        assert!((ours.area_m2() - area).abs() <= 1e-3 * area, "{name}: {} {area}", ours.area_m2());
        assert_eq!(ours.islands().len(), islands, "{name}");
        assert_eq!(ours.counts(), theirs.counts(), "{name}");
        if name != "simple_room" {
            assert_eq!(differing_bytes(&ours.to_bytes(), &theirs.to_bytes()), Some(0), "{name}");
        }
    }
}

#[test]
fn top_down_maps_equal_habitats() {
    let Some(file) = data("terms/habitat_golden/vg_default_r15.navmesh") else { return };
    let mut query = NavQuery::new(Arc::new(
        NavMesh::parse(&std::fs::read(&file).expect("readable"), &file).expect("navmesh"),
    ));
    let height = 0.176_699;
    let (rows, columns, cells) = npy(&file.with_file_name("van-gogh-room_topdown_binary.npy"));
    let map = maps::top_down(&mut query, 0.1, height, 0.5);
    assert_eq!((map.height, map.width), (rows, columns));
    assert_eq!(map.cells.iter().filter(|cell| **cell).count(), 759);
    assert!(map.cells.iter().zip(&cells).all(|(ours, theirs)| i32::from(*ours) == *theirs));
    let (_, _, cells) = npy(&file.with_file_name("van-gogh-room_topdown_islands.npy"));
    assert_eq!(maps::island_map(&mut query, 0.1, height, 0.5).cells, cells);

    for name in ["scan180", "scan40", "washitsu", "hl2_apartment", "simple_room", "stage_floor1"] {
        let Some(golden) = json(&format!("golden/{name}/navmesh.json")) else { return };
        let file = data(&format!("golden/{name}/scene.navmesh")).expect("beside it");
        let mesh = NavMesh::parse(&std::fs::read(&file).expect("readable"), &file).expect("navmesh");
        let mut query = NavQuery::new(Arc::new(mesh));
        let number = |key: &str| golden["topdown"][key].as_f64().expect("number") as f32;
        let map =
            maps::island_map(&mut query, number("meters_per_pixel"), number("height"), number("eps"));
        let (rows, columns, cells) = npy(&file.with_file_name("topdown_islands.npy"));
        assert_eq!((map.height, map.width), (rows, columns), "{name}");
        let wrong = map.cells.iter().zip(&cells).filter(|(ours, theirs)| ours != theirs).count();
        println!("{name}: {wrong} of {} cells differ", cells.len());
        assert_eq!(wrong, 0, "{name}");
    }
}

#[test]
fn every_scene_gets_a_navmesh_or_a_reason() {
    let scenes = [
        ("ok/polycam_washitsu_room_cc0/scans/room.glb", UpAxis::Y),
        ("ok/hololens2_scene_understanding/apartment_world_scan.ply", UpAxis::Y),
        ("ok/hololens_example_spatial_mesh/example_spatial_mesh.ply", UpAxis::Y),
        ("ok/meta_quest_iwer_sem/living_room_scan.ply", UpAxis::Y),
        ("ok/meta_quest_iwer_sem/meeting_room_scan.ply", UpAxis::Y),
        ("ok/meta_quest_iwer_sem/office_small_scan.ply", UpAxis::Y),
        ("ok/aws_small_house/aws_small_house.glb", UpAxis::Y),
        ("ok/polyhaven_drake_living_room/furnished_living_room.glb", UpAxis::Y),
        ("terms/habitat_golden/van-gogh-room.mesh.ply", UpAxis::Z),
        ("ok/recast_demo_meshes/Meshes/nav_test.obj", UpAxis::Y),
        ("ok/recast_demo_meshes/Meshes/dungeon.obj", UpAxis::Y),
        ("ok/recast_demo_meshes/Meshes/undulating.obj", UpAxis::Y),
    ];
    for (scene, up) in scenes {
        let Some(path) = data(scene) else { continue };
        let began = Instant::now();
        match build(&path, up, &stretch()) {
            Ok(mesh) => println!(
                "{scene}: {} m² in {} islands, {:?}, {:.2} s with reading",
                mesh.area_m2(),
                mesh.islands().len(),
                mesh.counts(),
                began.elapsed().as_secs_f32()
            ),
            Err(NavMeshError::NoFloor { reason }) => println!("{scene}: no floor: {reason}"),
            Err(error) => panic!("{scene}: {error}"),
        }
    }
}

#[test]
fn floors_that_face_down_are_named() {
    let Some(path) = data("ok/hololens2_scene_understanding/apartment_planar_labelled.ply") else {
        return;
    };
    match build(&path, UpAxis::Y, &stretch()) {
        Ok(mesh) => println!("built {} m²: tops of what faces up", mesh.area_m2()),
        Err(error) => assert!(error.to_string().contains("face down"), "{error}"),
    }
}

#[test]
fn exact_paths_are_never_longer_than_habitats_on_scans() {
    for name in ["scan40", "washitsu", "hl2_apartment", "simple_room", "stage_floor1"] {
        let Some(paths) = json(&format!("golden/{name}/paths.json")) else { return };
        let file = data(&format!("golden/{name}/scene.navmesh")).expect("beside it");
        let mesh =
            Arc::new(NavMesh::parse(&std::fs::read(&file).expect("readable"), &file).expect("navmesh"));
        let mut query = NavQuery::new(Arc::clone(&mesh));
        let planner = Planner::new(&mesh);
        let mut stream = Stream::new(3, name, "pairs");
        let (mut count, mut shorter, mut gain) = (0, 0, 0.0_f32);
        let mut worst = 0.0_f32;
        for _ in 0..200 {
            let (Some(start), Some(goal)) =
                (query.random_point(&mut stream, None), query.random_point(&mut stream, None))
            else {
                continue;
            };
            let Ok(habitat) = query.geodesic(start, goal) else {
                assert!(planner.path(start, goal).is_err());
                continue;
            };
            let exact = planner.path(start, goal).expect("same island").length_m;
            assert!(exact <= habitat + 1e-3, "{name} {start} {goal}: {exact} {habitat}");
            assert!(exact >= (goal - start).length() - 1e-3);
            count += 1;
            shorter += usize::from(exact < habitat - 1e-3);
            gain = gain.max((habitat - exact) / habitat.max(1e-3));
            let field = DistanceField::new(&mesh, &[goal])
                .expect("on the mesh")
                .distance(start)
                .expect("same island");
            worst = worst.max((field - exact).abs());
        }
        assert!(worst < 1e-3, "{name}: field off by {worst}");
        let goals: Vec<Vec3> = (0..5).filter_map(|_| query.random_point(&mut stream, None)).collect();
        let points: Vec<Vec3> =
            (0..1000).filter_map(|_| query.random_point(&mut stream, None)).collect();
        let began = Instant::now();
        let field = DistanceField::new(&mesh, &goals).expect("on the mesh");
        let built = began.elapsed();
        let began = Instant::now();
        let mut sum = 0.0;
        for _ in 0..100 {
            sum += points.iter().filter_map(|point| field.distance(*point).ok()).sum::<f32>();
        }
        let rate = points.len() as f64 * 100.0 / began.elapsed().as_secs_f64();
        println!(
            "{name} ({} golden paths): {shorter} of {count} shorter, by {:.2} % at most; field built in {built:?}, {rate:.0} distances a second (sum {sum})",
            paths.as_array().map_or(0, Vec::len),
            gain * 100.0
        );
    }
}
