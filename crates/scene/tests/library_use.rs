//! Placing objects, decisions, and readers against hostile bytes.

use ambler_geometry::{Affine, Quat, Vec3};
use ambler_scene::library::{
    Decided, Decision, Decisions, Library, LibraryOptions, PlacedObject, ShapeStore, catalogue, place,
    recipes,
};
use ambler_scene::{Instance, Mesh, Placement, SceneModel};
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/objects")
}

fn floor() -> SceneModel {
    let corner = |x, z| Vec3::new(x, 0.0, z);
    let mut scene = SceneModel {
        meshes: vec![Arc::new(Mesh {
            positions: [corner(-1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, -1.0)]
                .into(),
            triangles: [[0, 1, 2], [0, 2, 3]].into(),
            triangle_instances: [9, 9].into(),
            ..Mesh::default()
        })],
        materials: vec![ambler_scene::Material::default()],
        placements: vec![Placement {
            mesh: 0,
            material: 0,
            world_from_mesh: Affine::IDENTITY,
            instance: 4,
        }],
        instances: vec![Instance {
            id: 4,
            source_id: 3,
            name: "floor".into(),
            category: 1,
            bounds: Default::default(),
        }],
        categories: vec![String::new(), "floor".into()],
        fingerprint: "floor".into(),
        ..SceneModel::default()
    };
    scene.recompute_bounds();
    scene
}

#[test]
fn placed_objects_become_instances_and_share_their_meshes() {
    let library = Library::read(&folder()).unwrap();
    let (mug, book) = (library.object("mug_red").unwrap(), library.object("book_blue").unwrap());
    let scene = floor();
    let pose = mug.poses[0];
    let list = [
        PlacedObject::new(mug, Vec3::new(0.5, pose.height_m, 0.0), pose.rotation),
        PlacedObject::new(book, Vec3::ZERO, Quat::IDENTITY),
        PlacedObject::new(mug, Vec3::new(-0.5, 0.0, 0.2), Quat::IDENTITY),
    ];
    let placed = place(&scene, &list).unwrap();
    // The largest id in use is that of a triangle, 9.
    let ids: Vec<u32> = placed.instances.iter().map(|instance| instance.id).collect();
    assert_eq!(ids, [4, 10, 11, 12]);
    let names: Vec<&str> = placed.instances.iter().map(|i| placed.category_name(i.category)).collect();
    assert_eq!(names, ["floor", "mug", "book", "mug"]);
    let mug_there = placed.instance(12).unwrap();
    assert!((mug_there.bounds.center().x + 0.5).abs() < 0.03 && mug_there.bounds.min.y.abs() < 1e-4);
    assert!(placed.instance(10).unwrap().bounds.min.y.abs() < 1e-3);
    // Both mugs are the same meshes; the floor's is the scene's own.
    let meshes = |id: u32| -> Vec<u32> {
        placed.placements.iter().filter(|p| p.instance == id).map(|p| p.mesh).collect()
    };
    assert_eq!(meshes(10), meshes(12));
    assert!(Arc::ptr_eq(&placed.meshes[0], &scene.meshes[0]));
    let again = place(&scene, &list).unwrap();
    let at = meshes(10)[0] as usize;
    assert!(Arc::ptr_eq(&placed.meshes[at], &again.meshes[at]), "two scenes share an object's mesh");
    assert_eq!(placed.fingerprint, again.fingerprint);
    assert_ne!(placed.fingerprint, place(&scene, &list[..2]).unwrap().fingerprint);
    assert_ne!(placed.fingerprint, scene.fingerprint);
    assert_eq!(place(&scene, &[]).unwrap().fingerprint, scene.fingerprint);
}

#[test]
fn a_pose_that_is_none_is_refused() {
    let library = Library::read(&folder()).unwrap();
    let mug = library.object("mug_red").unwrap();
    let error = place(&floor(), &[PlacedObject::new(mug, Vec3::NAN, Quat::IDENTITY)]).unwrap_err();
    assert!(error.to_string().contains("not finite"), "{error}");
}

/// A small library of recipes in a new folder.
fn small() -> tempfile::TempDir {
    let temporary = tempfile::tempdir().unwrap();
    let text = r#"(version: 1,
        categories: [(name: "mug"), (name: "bowl", mass_kg: (0.2, 0.3))],
        objects: [
            (name: "a", category: "mug", mesh: Recipe((kind: "mug", size_m: (0.12, 0.1, 0.09)))),
            (name: "b", category: "bowl", mesh: Recipe((kind: "bowl", size_m: (0.16, 0.06, 0.16)))),
        ])"#;
    std::fs::write(temporary.path().join(catalogue::CATALOGUE), text).unwrap();
    temporary
}

/// One file for all three kinds; kinds without a decision are not in it.
#[test]
fn decisions_come_back_as_they_were_written() {
    let folder = tempfile::tempdir().unwrap();
    let mut decisions = Decisions::read(folder.path()).unwrap();
    decisions.of_mut(Decided::Variants).insert("home_v001".into(), Decision::Reject);
    decisions.of_mut(Decided::Episodes).insert("home_v000/mug/12ab".into(), Decision::Accept);
    decisions.write(folder.path()).unwrap();
    let read = Decisions::read(folder.path()).unwrap();
    assert_eq!(read, decisions);
    assert!(
        read.rejects(Decided::Variants, "home_v001") && !read.rejects(Decided::Objects, "home_v001")
    );
    assert!(!read.rejects(Decided::Episodes, "home_v000/mug/12ab"));
    let text = std::fs::read_to_string(Decisions::path(folder.path())).unwrap();
    assert!(!text.contains("objects"), "{text}");
    for bad in ["(version: 2)", "(version: 1, rooms: {})", "(version: 1, variants: {\"a\": Maybe})", "("]
    {
        let error =
            Decisions::parse(bad.as_bytes(), Path::new("decisions.ron")).unwrap_err().to_string();
        assert!(error.contains("decisions.ron") && error.contains("mend the line"), "{error}");
    }
}

#[test]
fn rejected_objects_are_left_out_and_it_is_said() {
    let temporary = small();
    let mut decisions = Decisions::read(temporary.path()).unwrap();
    decisions.objects.insert("a".into(), Decision::Reject);
    decisions.objects.insert("b".into(), Decision::Accept);
    decisions.write(temporary.path()).unwrap();
    assert_eq!(Decisions::read(temporary.path()).unwrap(), decisions);
    let library = Library::read(temporary.path()).unwrap();
    assert_eq!(library.objects.iter().map(|o| o.name.as_str()).collect::<Vec<_>>(), ["b"]);
    assert!(
        library.notes.iter().any(|note| note.contains("1 objects are rejected")),
        "{:?}",
        library.notes
    );
    let all = LibraryOptions { keep_rejected: true, ..LibraryOptions::default() };
    assert_eq!(Library::read_with(temporary.path(), &all).unwrap().objects.len(), 2);
    // Mass without a statement: by volume, within what is usual.
    assert!((0.2..=0.3).contains(&library.object("b").unwrap().mass_kg));
}

#[test]
fn the_cache_gives_what_computing_gives() {
    let (temporary, cache) = (small(), tempfile::tempdir().unwrap());
    let options =
        LibraryOptions { cache: Some(cache.path().into()), workers: 2, ..LibraryOptions::default() };
    let plain = Library::read(temporary.path()).unwrap();
    let filled = Library::read_with(temporary.path(), &options).unwrap();
    let files: Vec<_> = std::fs::read_dir(cache.path()).unwrap().map(|e| e.unwrap().path()).collect();
    assert_eq!(files.len(), 2);
    let cached = Library::read_with(temporary.path(), &options).unwrap();
    for ((a, b), c) in plain.objects.iter().zip(&filled.objects).zip(&cached.objects) {
        assert!(a.hulls == b.hulls && b.hulls == c.hulls && a.poses == c.poses);
    }
    // A damaged cache costs time, not the result.
    for file in &files {
        std::fs::write(file, b"rubbish").unwrap();
    }
    assert_eq!(Library::read_with(temporary.path(), &options).unwrap().objects.len(), 2);
}

#[test]
fn wrong_catalogues_are_refused_with_place_and_remedy() {
    let path = Path::new("catalogue.ron");
    for (text, part) in [
        ("(version: 2, categories: [], objects: [])", "version 2"),
        ("(version: 1, categories: [(name: \"Wine Glass\")], objects: [])", "lower snake case"),
        ("(version: 1, categories: [(name: \"a\"), (name: \"a\")], objects: [])", "twice"),
        (
            "(version: 1, categories: [], objects: [(name: \"x\", category: \"mug\", mesh: File(\"a.glb\"))])",
            "unknown category",
        ),
        (
            "(version: 1, categories: [(name: \"mug\")], objects: [(name: \"x\", category: \"mug\", mesh: File(\"../a.glb\"))])",
            "leads out of the folder",
        ),
        (
            "(version: 1, categories: [(name: \"mug\")], objects: [(name: \"x\", category: \"mug\", mesh: File(\"/a.glb\"))])",
            "leads out of the folder",
        ),
        (
            "(version: 1, categories: [(name: \"mug\")], objects: [(name: \"x\", category: \"mug\", source: \"y\", mesh: File(\"a.glb\"))])",
            "unknown source",
        ),
        (
            "(version: 1, categories: [(name: \"mug\")], objects: [(name: \"x\", category: \"mug\", scale: -1.0, mesh: File(\"a.glb\"))])",
            "not sensible",
        ),
        ("(version: 1, colour: 3)", "colour"),
        ("(", "docs/OBJECTS.md"),
    ] {
        let error = catalogue::parse(text.as_bytes(), path).expect_err(text).to_string();
        assert!(error.contains(part) && error.contains("catalogue.ron"), "{text}: {error}");
    }
    for recipe in [
        recipes::Recipe { kind: "nothing".into(), size_m: [0.1; 3], ..Default::default() },
        recipes::Recipe { kind: "mug".into(), size_m: [0.1, f32::NAN, 0.1], ..Default::default() },
        recipes::Recipe { kind: "mug".into(), size_m: [0.1, 90.0, 0.1], ..Default::default() },
        recipes::Recipe {
            kind: "mug".into(),
            size_m: [0.1; 3],
            colors: vec!["red".into()],
            ..Default::default()
        },
    ] {
        assert!(recipes::build(&recipe).is_err(), "{recipe:?}");
    }
}

#[test]
fn a_folder_without_objects_is_refused() {
    let temporary = tempfile::tempdir().unwrap();
    let error = Library::read(temporary.path()).unwrap_err().to_string();
    assert!(error.contains("no object library"), "{error}");
    let error = Library::read(&temporary.path().join("nowhere")).unwrap_err().to_string();
    assert!(error.contains("nowhere"), "{error}");
}

#[test]
fn every_recipe_survives_any_size_and_style() {
    for kind in recipes::kinds() {
        for size_m in [[0.001; 3], [3.0; 3], [0.3, 0.002, 0.01], [0.01, 0.4, 2.0]] {
            for style in [0, 1, 2, 9] {
                let recipe = recipes::Recipe {
                    kind: kind.into(),
                    size_m,
                    style,
                    label: "Ω <b>\u{1F600} 1234567890 1234567890".into(),
                    colors: vec!["#000000".into(), "#ffffff".into()],
                };
                let model = recipes::build(&recipe).expect(kind);
                let finite =
                    model.meshes.iter().all(|(mesh, _)| mesh.positions.iter().all(|p| p.is_finite()));
                assert!(finite && model.triangle_count() > 0, "{recipe:?}");
                for (mesh, _) in &model.meshes {
                    let count = mesh.positions.len() as u32;
                    assert!(mesh.triangles.iter().flatten().all(|&corner| corner < count), "{kind}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn catalogues_never_panic(cut in 0_usize..60_000, at in 0_usize..60_000, byte: u8) {
        let path = folder().join(catalogue::CATALOGUE);
        let mut bytes = std::fs::read(&path).unwrap();
        let index = at % bytes.len();
        bytes[index] = byte;
        let _ = catalogue::parse(&bytes, &path);
        bytes.truncate(cut % bytes.len());
        prop_assert!(catalogue::parse(&bytes, &path).is_err());
    }

    #[test]
    fn shapes_and_decisions_never_panic(random in prop::collection::vec(any::<u8>(), 0..300), at: usize, byte: u8) {
        let path = folder().join(catalogue::SHAPES);
        let _ = Decisions::parse(&random, &path);
        prop_assert!(ShapeStore::parse(&random, &path).is_err());
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.truncate(4000);
        // A valid hash over a body that is cut off, and over one with a changed byte.
        let index = 44 + at % (bytes.len() - 44);
        bytes[index] = byte;
        let hash = blake3::hash(&bytes[44..]);
        bytes[12..44].copy_from_slice(hash.as_bytes());
        prop_assert!(ShapeStore::parse(&bytes, &path).is_err());
        // As many as can be counted, in no bytes at all.
        bytes.truncate(44);
        bytes.extend(u32::MAX.to_le_bytes());
        let hash = blake3::hash(&bytes[44..]);
        bytes[12..44].copy_from_slice(hash.as_bytes());
        prop_assert!(ShapeStore::parse(&bytes, &path).is_err());
    }
}
