use crate::bytes::{OBJ_SQUARE, glb_square, ply_square};
use ambler_scene::description::{self, Asset, Description, Object, Part, Rotation, Scale};
use ambler_scene::{ReadOptions, SceneError, SceneModel, read_scene};
use std::path::Path;

/// A folder with `a.ply` (a square with id 5), `a.glb` (two squares, one 1 m up) and `a.obj`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.ply"), ply_square("binary_little_endian")).unwrap();
    std::fs::write(folder.path().join("a.glb"), glb_square()).unwrap();
    std::fs::write(folder.path().join("a.obj"), OBJ_SQUARE).unwrap();
    folder
}

fn read_in(folder: &Path, ron: &str) -> Result<SceneModel, SceneError> {
    let path = folder.join("scene.ron");
    std::fs::write(&path, ron).unwrap();
    read_scene(folder, &ReadOptions::default())
}

#[test]
fn the_example_in_the_documentation_is_right() {
    let text = include_str!("../../../../docs/FORMATS.md");
    let section = text.split("## Scene description").nth(1).unwrap();
    let example = section.split("```ron\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let parsed = description::parse_description(example.as_bytes(), Path::new("FORMATS.md")).unwrap();
    assert_eq!((parsed.assets.len(), parsed.objects.len(), parsed.rooms.len()), (3, 4, 1));
    assert_eq!(parsed.assets[1].rotation, Rotation::Yaw(90.0));
    assert_eq!(parsed.objects[1].above, Some(0.05));
}

#[test]
fn assets_objects_and_places_come_together() {
    let folder = folder();
    let scene = read_in(
        folder.path(),
        r#"(
            version: 1,
            name: "flat",
            licence: (name: "CC0-1.0", credit: "A. Person"),
            assets: [
                (path: "a.ply"),
                (path: "a.glb", translation: (10, 0, 0), rotation: Yaw(90), scale: Uniform(2)),
                (path: "a.glb", up: Z),
            ],
            objects: [
                (category: "WALL_FACE", name: "shelf board", parts: [Node("she*")]),
                (category: "couch", parts: [Source(asset: 0, id: 5)]),
            ],
            rooms: [(name: "kitchen", category: "Kitchen", polygon: [(0, 0), (3, 0), (3, 2)])],
            receptacles: [(name: "top", object: "shelf board", polygon: [(0, 0), (1, 0), (1, 1)], y: 1)],
            category_map: {"couch": "sofa"},
            floor_y: 0.5,
        )"#,
    )
    .unwrap();
    assert_eq!((scene.name.as_str(), scene.licence.name.as_str()), ("flat", "CC0-1.0"));
    assert_eq!(scene.placements.len(), 5);
    assert_eq!(scene.meshes.len(), 2, "the second use of a.glb shares its mesh");
    assert_eq!(scene.textures.len(), 1);
    // (2, 0, 2) scaled by 2, a quarter turn left takes (4, 0, 4) to (4, 0, −4), then +10 x.
    let corner = scene.placements[1].world_from_mesh.point([2.0, 0.0, 2.0].into());
    assert!(corner.distance([14.0, 0.0, -4.0].into()) < 1e-5, "{corner}");
    let corner = scene.placements[3].world_from_mesh.point([2.0, 0.0, 2.0].into());
    assert!(corner.distance([2.0, 2.0, 0.0].into()) < 1e-5, "{corner}");
    let names: Vec<(u32, &str, &str)> = scene
        .instances
        .iter()
        .map(|i| (i.id, i.name.as_str(), scene.category_name(i.category)))
        .collect();
    assert_eq!(names, [(5, "couch_5", "sofa"), (6, "shelf board", "wall_face")]);
    assert_eq!(scene.placements.iter().map(|p| p.instance).collect::<Vec<_>>(), [0, 0, 6, 0, 6]);
    assert_eq!((scene.rooms[0].floor_y, scene.rooms[0].height), (0.5, 2.5));
    assert_eq!(scene.rooms[0].category, "kitchen");
    assert_eq!(scene.floors[0].y, 0.5);
    assert_eq!(scene.receptacles[0].instance, 6);
}

#[test]
fn the_smallest_box_wins_and_shared_meshes_are_copied() {
    let folder = folder();
    let scene = read_in(
        folder.path(),
        r#"(
            version: 1,
            assets: [(path: "a.glb")],
            objects: [
                (category: "big", parts: [Box(min: (-1, -1, -1), max: (3, 3, 3))], above: 0.5),
                (category: "small", parts: [Oriented(center: (0.3, 1, 0.6), size: (0.3, 0.3, 0.3), rotation: Yaw(45))]),
                (category: "nothing", parts: [Box(min: (50, 50, 50), max: (51, 51, 51))]),
            ],
        )"#,
    )
    .unwrap();
    // The lower square stays without labels; of the upper one (side 1, y = 1) the first triangle's
    // middle (1/3, 1, 2/3) lies in the small box.
    assert_eq!(scene.meshes.len(), 2);
    assert_eq!(scene.meshes[scene.placements[0].mesh as usize].triangle_instances, [] as [u32; 0]);
    assert_eq!(scene.meshes[scene.placements[1].mesh as usize].triangle_instances, [2, 1]);
    assert_eq!(scene.instances.len(), 2);
    assert!(
        scene.notes.iter().any(|note| note.contains("'nothing_3' holds no triangle")),
        "{:?}",
        scene.notes
    );
}

#[test]
fn a_list_of_objects_beside_a_mesh_is_read() {
    let folder = folder();
    let list = r#"{"up": "y", "other": [1], "objects": [
        {"name": "shelf", "category": "NightStand", "bbox_min": [0,0,0], "bbox_max": [1,1,1]},
        {"name": "Floor_01", "bbox_min": [-0.1,-0.1,-0.1], "bbox_max": [2.1,0.1,2.1], "kind": 3}
    ]}"#;
    std::fs::write(folder.path().join("a_objects.json"), list).unwrap();
    let scene = read_scene(&folder.path().join("a.glb"), &ReadOptions::default()).unwrap();
    let names: Vec<(&str, &str)> =
        scene.instances.iter().map(|i| (i.name.as_str(), scene.category_name(i.category))).collect();
    assert_eq!(names, [("shelf", "night_stand"), ("Floor_01", "floor")]);
    assert!(
        scene.notes.iter().any(|note| note.contains("2 of 2 objects come from a_objects.json")),
        "{:?}",
        scene.notes
    );
    let bare = ReadOptions { side_files: false, ..ReadOptions::default() };
    assert!(read_scene(&folder.path().join("a.glb"), &bare).unwrap().instances.is_empty());
    std::fs::write(folder.path().join("a_objects.json"), r#"{"objects": [{"bbox_min": [1, 2]}]}"#)
        .unwrap();
    let error =
        read_scene(&folder.path().join("a.glb"), &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("a_objects.json, at objects[0].bbox_min"), "{error}");
}

#[test]
fn what_is_written_is_read_again() {
    let description = Description {
        version: description::VERSION,
        name: "a \"quoted\" name".into(),
        assets: vec![Asset {
            path: "a.ply".into(),
            scale: Scale::Axes([1.0, 2.0, 0.5]),
            ..Asset::default()
        }],
        objects: vec![Object {
            category: "sofa".into(),
            parts: vec![
                Part::Box { min: [0.1, -0.2, 0.3], max: [1.0, 2.0, 3.0] },
                Part::Source { asset: 0, id: -3 },
                Part::Node("x".into()),
            ],
            above: Some(0.05),
            ..Object::default()
        }],
        floor_y: Some(-1.646),
        ..Description::default()
    };
    let text = description::to_ron(&description).unwrap();
    let read = description::parse_description(text.as_bytes(), Path::new("scene.ron"));
    assert_eq!(read.unwrap(), description, "{text}");
}

#[test]
fn faults_name_their_place() {
    let folder = folder();
    for (ron, expected) in [
        ("(version: 1,\n assets: [],\n colour: 3)", "scene.ron, line 3: column"),
        ("(version: 1)", "assets"),
        ("(version: 7, assets: [])", "at version: version 7"),
        ("(version: 1, assets: [(path: \"b.ply\")])", "b.ply: cannot be opened"),
        (
            "(version: 1, assets: [(path: \"../b.ply\")])",
            "at assets[0].path: refers to '../b.ply', which lies outside",
        ),
        ("(version: 1, assets: [(path: \"scene.ron\")])", "a scene description cannot be an asset"),
        (
            "(version: 1, assets: [(path: \"a.ply\", translation: (inf, 0, 0))])",
            "at assets[0]: a number",
        ),
        (
            "(version: 1, assets: [(path: \"a.ply\")], objects: [(id: 0, category: \"x\", parts: [])])",
            "at objects[0].id: 0 means",
        ),
        (
            "(version: 1, assets: [(path: \"a.ply\")], objects: [(category: \"x\", parts: [Source(asset: 0, id: 9)])])",
            "at objects[0].parts[0]: asset 0 has no object with the id 9",
        ),
        (
            "(version: 1, assets: [(path: \"a.ply\")], objects: [(category: \"x\", parts: [Box(min: (1, 0, 0), max: (0, 1, 1))])])",
            "at objects[0].parts[0]: the box is inside out",
        ),
        (
            "(version: 1, assets: [], rooms: [(name: \"a\", polygon: [(0, 0), (1, 1)])])",
            "at rooms[0]: an outline needs three",
        ),
    ] {
        let error = read_in(folder.path(), ron).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}\n does not say\n{expected}");
    }
}

#[test]
fn shipped_scenes_load_with_their_labels() {
    let scenes = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes"));
    for (name, triangles, licence, categories) in [
        (
            "washitsu",
            39_492,
            "CC0-1.0",
            ["sofa", "table", "bookshelf", "speaker", "screen", "rug"].as_slice(),
        ),
        (
            "quest_living_room",
            62_102,
            "MIT",
            ["couch", "table", "lamp", "storage", "wall_art"].as_slice(),
        ),
        ("quest_meeting_room", 16_704, "MIT", ["table", "screen", "door_frame"].as_slice()),
    ] {
        let scene = read_scene(&scenes.join(name), &ReadOptions::default()).unwrap();
        assert_eq!((scene.name.as_str(), scene.triangle_count()), (name, triangles));
        assert_eq!((scene.licence.name.as_str(), scene.licence.credit.is_empty()), (licence, false));
        assert_eq!((scene.rooms.len(), scene.floors.len()), (1, 1), "{name}");
        for category in categories {
            assert!(
                scene.category_index(category).is_some(),
                "{name} has no {category}: {:?}",
                scene.categories
            );
        }
        assert!(!scene.notes.iter().any(|note| note.contains("no triangle")), "{:?}", scene.notes);
        // What one stands on belongs to the floor.
        let floor = scene.instances.iter().find(|i| scene.category_name(i.category) == "floor").unwrap();
        assert!((floor.bounds.min.y - scene.floors[0].y).abs() < 0.2, "{name}: {:?}", floor.bounds);
    }
}
