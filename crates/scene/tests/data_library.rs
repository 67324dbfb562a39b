//! Object loaders on real files: YCB, Google Scanned Objects, Habitat's test assets, ProcTHOR's
//! database, KayKit's furniture. Skipped, loudly, where the files are not there.

mod data;

use ambler_geometry::Vec3;
use ambler_scene::library::convex::convex_hull;
use ambler_scene::library::{Library, LibraryOptions, ObjectCategory};
use std::path::{Path, PathBuf};

fn set(name: &str) -> Option<PathBuf> {
    Some(data::folder()?.join("ok").join(name))
}

fn vocabulary() -> Vec<ObjectCategory> {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/objects");
    Library::read(&shipped).expect("the shipped library reads").categories
}

fn read(folder: &Path) -> Library {
    let options = LibraryOptions { vocabulary: vocabulary(), workers: 2, ..LibraryOptions::default() };
    let library = Library::read_with(folder, &options).unwrap_or_else(|error| panic!("{error}"));
    for note in &library.notes {
        println!("{note}");
    }
    library
}

/// A copy of some files, so that a test need not decompose a whole data set.
fn copies(from: &Path, files: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in files {
        let to = folder.path().join(file);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(from.join(file), to).unwrap_or_else(|error| panic!("{file}: {error}"));
    }
    folder
}

#[test]
fn ycb_glb_folder() {
    let Some(ycb) = set("ycb_objects") else { return };
    let folder = copies(&ycb, &["apple.glb", "mug.glb", "tomato_soup_can.glb", "ycb_index.json"]);
    let library = read(folder.path());
    let names: Vec<(&str, &str, f32)> =
        library.objects.iter().map(|o| (o.name.as_str(), o.category.as_str(), o.mass_kg)).collect();
    // Masses as the index states them.
    assert_eq!(
        names,
        [
            ("ycb_apple", "apple", 0.068),
            ("ycb_mug", "mug", 0.118),
            ("ycb_tomato_soup_can", "soup_can", 0.349)
        ]
    );
    let mug = library.object("ycb_mug").unwrap();
    // The index measured 0.117 × 0.0813 × 0.0931 m.
    assert!(
        (mug.size_m - Vec3::new(0.117, 0.0813, 0.0931)).abs().max_element() < 6e-4,
        "{}",
        mug.size_m
    );
    let middle =
        Vec3::new(mug.bounds.min.x + 0.045, mug.bounds.center().y + 0.01, mug.bounds.center().z);
    let inside = mug
        .hulls
        .iter()
        .any(|hull| convex_hull(&hull.points, 999, 0.0).unwrap().outside_m(middle) < 0.0);
    assert!(!inside, "the mug is filled up");
    let can = library.object("ycb_tomato_soup_can").unwrap();
    assert!(can.poses.iter().any(|pose| pose.is_steady() && (pose.rotation * Vec3::Y).y > 0.99));
}

#[test]
fn ycb_original_mesh() {
    let Some(ycb) = set("ycb_objects/original_obj_zup") else { return };
    let folder = tempfile::tempdir().unwrap();
    // As published: a number before the name, the resolution as a folder.
    let to = folder.path().join("025_mug/google_16k");
    std::fs::create_dir_all(&to).unwrap();
    for file in ["textured.obj", "textured.mtl", "texture_map.png"] {
        std::fs::copy(ycb.join("mug").join(file), to.join(file)).unwrap();
    }
    let library = read(folder.path());
    let mug = library.object("ycb_mug").unwrap();
    assert!((mug.size_m.y - 0.0813).abs() < 6e-4, "stored z up: {}", mug.size_m);
    assert_eq!(mug.model().unwrap().textures.len(), 1);
    assert!((0.12..=0.4).contains(&mug.mass_kg), "within what is usual: {}", mug.mass_kg);
}

#[test]
fn google_scanned_objects() {
    let Some(gso) = set("gso_from_libero") else { return };
    let library = read(&gso);
    let found: Vec<(&str, &str)> =
        library.objects.iter().map(|o| (o.name.as_str(), o.category.as_str())).collect();
    assert_eq!(
        found,
        [("gso_chefmate_8_frypan", "frying_pan"), ("gso_glazed_rim_porcelain_ramekin", "ramekin")]
    );
    let ramekin = &library.objects[1];
    assert!((ramekin.size_m.y - 0.0433).abs() < 1e-3 && ramekin.licence.name == "CC-BY-4.0");
}

#[test]
fn habitat_object_configs() {
    let Some(habitat) = set("habitat_sim_test_assets/test_assets/objects") else { return };
    let library = read(&habitat);
    let names: Vec<&str> = library.objects.iter().map(|o| o.name.as_str()).collect();
    assert_eq!(names, ["chair", "donut", "nested_box", "sphere"]);
    let (chair, donut) = (library.object("chair").unwrap(), library.object("donut").unwrap());
    assert_eq!((chair.mass_kg, donut.mass_kg), (9.0, 0.038));
    assert!(library.object("sphere").unwrap().rolls, "a sphere rolls");
    assert!(library.notes.iter().any(|note| note.contains("collision asset")), "{:?}", library.notes);
}

#[test]
fn procthor_database() {
    let Some(procthor) = set("procthor_databases") else { return };
    // The database is real; its meshes are not to be had outside AI2-THOR, so a mug of YCB stands in.
    let folder = copies(&procthor, &["asset-database.json"]);
    let ycb = set("ycb_objects").expect("lies beside it").join("mug.glb");
    std::fs::copy(&ycb, folder.path().join("Mug_1.glb")).unwrap();
    std::fs::copy(&ycb, folder.path().join("Bed_1.glb")).unwrap();
    let library = read(folder.path());
    assert_eq!(library.objects.len(), 1, "a bed cannot be picked up");
    let mug = &library.objects[0];
    assert_eq!((mug.name.as_str(), mug.category.as_str()), ("thor_mug_1", "mug"));
    assert!((0.06..0.2).contains(&mug.size_m.max_element()), "{}", mug.size_m);
}

#[test]
fn kaykit_is_sized_by_category() {
    let Some(kaykit) = set("kaykit_furniture_bits") else { return };
    let files = [
        "book_single.gltf",
        "book_single.bin",
        "pillow_A.gltf",
        "pillow_A.bin",
        "furniturebits_texture.png",
    ];
    let library = read(copies(&kaykit, &files).path());
    let book = library.object("book_single").unwrap();
    let pillow = library.objects.iter().find(|o| o.category == "cushion").unwrap();
    // A couch is three units wide there: nothing is metric, and the notes say what was done.
    assert_eq!(book.category, "book");
    assert!((0.1..0.35).contains(&book.size_m.max_element()), "{} at {}", book.size_m, book.scale);
    assert!((0.3..0.7).contains(&pillow.size_m.max_element()), "{} at {}", pillow.size_m, pillow.scale);
    let scaled = [book, pillow].iter().filter(|o| o.scale != 1.0).count();
    assert_eq!(library.notes.iter().filter(|note| note.contains("scaled by")).count(), scaled);
    assert!(scaled > 0);
}
