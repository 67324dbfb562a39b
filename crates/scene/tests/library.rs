//! The shipped object library: what it holds, and that physics can use it.

use ambler_geometry::{Vec2, Vec3};
use ambler_scene::library::convex::{ConvexHull, MAX_PIECES, MAX_POINTS, convex_hull};
use ambler_scene::library::{Library, LibraryObject, ObjectShape, ShapeStore, catalogue, recipes};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/objects")
}

fn shipped() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| Library::read(&folder()).expect("the shipped library reads"))
}

fn hulls(object: &LibraryObject) -> Vec<ConvexHull> {
    object
        .hulls
        .iter()
        .map(|hull| {
            convex_hull(&hull.points, usize::MAX, 0.0)
                .unwrap_or_else(|| panic!("{}: a piece is flat", object.name))
        })
        .collect()
}

#[test]
fn it_holds_what_homes_need() {
    let library = shipped();
    assert_eq!(library.notes, Vec::<String>::new());
    let scans = library.objects.iter().filter(|o| o.source == "ycb" || o.source == "gso").count();
    assert!(scans >= 24, "{scans} scans");
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for object in &library.objects {
        *counts.entry(&object.category).or_default() += 1;
    }
    // SD-OVON's curated objects fall into 73 categories (its table 1).
    assert!(
        counts.len() >= 73 && library.categories.len() == counts.len(),
        "{} categories",
        counts.len()
    );
    for (category, count) in counts {
        assert!(count >= 2, "{category} has {count} objects");
        assert_eq!(library.of_category(category).count(), count);
    }
    let used: BTreeSet<&str> = recipes::kinds().collect();
    let text = std::fs::read_to_string(folder().join(catalogue::CATALOGUE)).expect("a text");
    for kind in used {
        assert!(text.contains(&format!("kind: \"{kind}\"")), "no object uses the recipe {kind}");
    }
}

#[test]
fn names_lead_to_objects_and_categories() {
    let library = shipped();
    assert!(library.objects.is_sorted_by(|a, b| a.name < b.name));
    assert_eq!(library.object("ycb_mug").map(|o| o.category.as_str()), Some("mug"));
    assert!(library.object("nothing").is_none());
    for (name, category) in
        [("wine glass", "wine_glass"), ("Skillet", "frying_pan"), ("TV remote", "remote_control")]
    {
        assert_eq!(library.category(name).map(|c| c.name.as_str()), Some(category), "{name}");
    }
    let mug = library.category("coffee cup").expect("a mug is a coffee cup");
    assert_eq!((mug.name.as_str(), mug.parents.join(" ").as_str()), ("mug", "tableware kitchen_thing"));
}

#[test]
fn every_object_has_a_licence_that_is_credited() {
    let credits =
        std::fs::read_to_string(folder().join("../LICENSES.md")).expect("LICENSES.md is there");
    for object in &shipped().objects {
        assert!(!object.licence.name.is_empty() && !object.licence.credit.is_empty(), "{}", object.name);
        if object.source != catalogue::AMBLER {
            assert!(
                credits.contains(&format!("scans/{}.glb", object.name)),
                "{} is not in LICENSES.md",
                object.name
            );
        }
    }
    let bytes: u64 = ["scans", "."]
        .iter()
        .flat_map(|part| std::fs::read_dir(folder().join(part)).expect("a folder"))
        .map(|entry| entry.expect("an entry").metadata().expect("metadata"))
        .filter(std::fs::Metadata::is_file)
        .map(|metadata| metadata.len())
        .sum();
    assert!(bytes < 3 << 20, "{bytes} bytes are shipped");
}

#[test]
fn sizes_and_masses_are_those_of_such_things() {
    let library = shipped();
    for object in &library.objects {
        let category = library.category(&object.category).expect("its category is there");
        let [least, most] = category.mass_kg;
        assert!(
            (least * 0.5..=most * 2.0).contains(&object.mass_kg),
            "{}: {} kg",
            object.name,
            object.mass_kg
        );
        let ratio = object.size_m.max_element() / category.size_m.max_element();
        assert!(
            (0.4..=1.8).contains(&ratio),
            "{}: {} m, {ratio} of the usual",
            object.name,
            object.size_m
        );
        assert!(
            object.size_m.max_element() < 0.6 && object.size_m.min_element() > 0.004,
            "{}",
            object.name
        );
    }
}

#[test]
fn pieces_are_convex_few_and_cover_the_mesh() {
    let mut gaps = Vec::new();
    for object in &shipped().objects {
        let name = &object.name;
        assert!((1..=MAX_PIECES).contains(&object.hulls.len()), "{name}: {} pieces", object.hulls.len());
        let hulls = hulls(object);
        for (hull, piece) in hulls.iter().zip(object.hulls.iter()) {
            assert!((4..=MAX_POINTS).contains(&piece.points.len()), "{name}");
            assert!(piece.points.iter().all(|point| point.is_finite()), "{name}");
            // Convex: each corner lies on the border of the hull of all.
            for &point in &piece.points {
                assert!(hull.outside_m(point).abs() < 2e-5, "{name}: a corner lies inside its piece");
            }
            let points: Vec<parry3d::math::Vector> =
                piece.points.iter().map(|p| parry3d::math::Vector::new(p.x, p.y, p.z)).collect();
            let parry = parry3d::shape::SharedShape::convex_hull(&points);
            assert!(parry.is_some(), "{name}: the physics engine refuses a piece");
        }
        // What is drawn lies in the pieces to 4 mm or 3.5 % of its extent, but for trifles that physics
        // need not see: a stalk, a tag, the tips of leaves.
        let model = object.model().expect("its mesh loads");
        let extent = object.size_m.max_element();
        let tolerance = f64::from((extent * 0.035).max(0.004));
        let (mut whole, mut outside) = (0.0, 0.0);
        for (mesh, _) in &model.meshes {
            for triangle in &mesh.triangles {
                let [a, b, c] = triangle.map(|index| mesh.positions[index as usize]);
                let area = f64::from((b - a).cross(c - a).length());
                let middle = (a + b + c) / 3.0;
                whole += area;
                if hulls.iter().all(|hull| hull.outside_m(middle) > tolerance) {
                    outside += area;
                }
            }
        }
        let share = outside / whole;
        let trifles = if object.category == "potted_plant" { 0.25 } else { 0.04 };
        if share >= trifles {
            gaps.push(format!("{name}: {:.1} % of its surface is not covered", share * 100.0));
        }
        assert!(share < 0.25, "{name}: {:.1} % of its surface is not covered", share * 100.0);
        for &point in object.hulls.iter().flat_map(|hull| &hull.points) {
            if !object.bounds.inflated(0.0025).contains(point) {
                gaps.push(format!("{name}: a piece leaves the bounds at {point}"));
                break;
            }
        }
    }
    // A known gap (docs/OBJECTS.md): few, and named.
    println!("{gaps:#?}");
    assert!(gaps.len() <= 15, "{gaps:#?}");
}

#[test]
fn containers_are_hollow() {
    let library = shipped();
    for category in ["bowl", "mug", "glass", "ramekin", "saucepan", "basket"] {
        for object in library.of_category(category) {
            let hulls = hulls(object);
            // The pot lies off the middle where it has a handle: look at the middle of its walls.
            let (low, high) = (object.bounds.min.y, object.bounds.max.y);
            let height = high - low;
            let model = object.model().expect("its mesh loads");
            let rim: Vec<Vec3> = model
                .meshes
                .iter()
                .flat_map(|(mesh, _)| mesh.positions.iter().copied())
                .filter(|p| p.y < low + height * 0.12)
                .collect();
            let middle = rim.iter().copied().sum::<Vec3>() / rim.len() as f32;
            let width = object.size_m.x.min(object.size_m.z);
            for share in [0.4, 0.6, 0.8, 1.0] {
                for (dx, dz) in [(0.0, 0.0), (0.2, 0.0), (-0.2, 0.0), (0.0, 0.2), (0.0, -0.2)] {
                    let point =
                        Vec3::new(middle.x + dx * width, low + height * share, middle.z + dz * width);
                    let inside = hulls.iter().any(|hull| hull.outside_m(point) < 0.0);
                    assert!(!inside, "{}: {point} is filled (height share {share})", object.name);
                }
            }
        }
    }
}

/// The distance from `foot` into the convex outline of the points, negative outside.
fn inset(points: &[Vec2], foot: Vec2) -> f32 {
    let mut least = f32::INFINITY;
    for &a in points {
        for &b in points {
            let along = b - a;
            if along.length() < 1e-5 {
                continue;
            }
            let side = |p: Vec2| along.perp_dot(p - a) / along.length();
            if points.iter().all(|&p| side(p) > -1e-6) {
                least = least.min(side(foot));
            }
        }
    }
    least
}

#[test]
fn poses_rest_on_the_plane_with_the_weight_above_the_foot() {
    for object in &shipped().objects {
        let name = &object.name;
        let sum: f32 = object.poses.iter().map(|pose| pose.probability).sum();
        assert!(!object.poses.is_empty() && (sum - 1.0).abs() < 1e-4, "{name}: {sum}");
        for pose in &object.poses {
            assert!((pose.rotation.length() - 1.0).abs() < 1e-4, "{name}");
            let placed: Vec<Vec3> = object
                .hulls
                .iter()
                .flat_map(|hull| &hull.points)
                .map(|&point| pose.rotation * point + Vec3::Y * pose.height_m)
                .collect();
            let lowest = placed.iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
            assert!(lowest.abs() < 1e-4, "{name}: the lowest corner is {lowest} above the plane");
            let foot: Vec<Vec2> =
                placed.iter().filter(|p| p.y < 0.0026).map(|p| Vec2::new(p.x, p.z)).collect();
            let center = pose.rotation * object.center_of_mass;
            let inset = inset(&foot, Vec2::new(center.x, center.z));
            assert!(inset > -1e-4, "{name}: the weight lies {} m beyond its foot", -inset);
        }
    }
}

#[test]
fn balls_roll_and_what_stands_in_homes_stands() {
    let library = shipped();
    let mut lying = Vec::new();
    for object in &library.objects {
        let upright =
            object.poses.iter().any(|pose| pose.is_steady() && (pose.rotation * Vec3::Y).y > 0.999);
        match object.category.as_str() {
            "basketball" | "soccer_ball" | "orange" => {
                if !object.rolls {
                    lying.push(&object.name);
                }
            }
            "mug" | "bowl" | "plate" | "wine_bottle" | "soda_can" | "soup_can" | "book" | "laptop"
            | "toaster" | "candle" | "vase" | "cracker_box" | "teapot" | "kettle" | "saucepan"
            | "alarm_clock" => {
                if !upright || object.rolls {
                    lying.push(&object.name);
                }
            }
            _ => {
                assert!(object.ball_m == 0.0 || object.category == "apple", "{} is no ball", object.name)
            }
        }
    }
    // A known gap (docs/OBJECTS.md): few, and named.
    println!("neither stand nor roll by the rule for steady poses: {lying:?}");
    assert!(lying.len() <= 6, "{lying:?}");
}

#[test]
fn the_baked_shapes_are_those_of_the_objects() {
    let path = folder().join(catalogue::SHAPES);
    let bytes = std::fs::read(&path).expect("shapes.bin is there");
    let store = ShapeStore::parse(&bytes, &path).expect("shapes.bin reads");
    let remedy = "raise VERSION in library::recipes or library::convex and run the example bake_objects";
    // Every object of the catalogue is there under its key, and nothing else; writing gives the bytes.
    let again = catalogue::bake(&folder(), &store).expect("the catalogue reads");
    assert!(again.to_bytes() == bytes, "shapes.bin does not belong to the catalogue: {remedy}");
    let geometries: BTreeSet<[u8; 32]> = store.shapes.values().map(|shape| shape.geometry).collect();
    for object in &shipped().objects {
        let model = object.model().expect("its mesh loads");
        let own = ObjectShape::geometry_of(&model);
        assert!(geometries.contains(&own), "the geometry of {} has changed: {remedy}", object.name);
    }
}

#[test]
fn baking_anew_gives_the_same_shapes() {
    let path = folder().join(catalogue::CATALOGUE);
    let mut some =
        catalogue::parse(&std::fs::read(&path).expect("a catalogue"), &path).expect("it reads");
    let chosen = ["ycb_apple", "gso_ramekin", "mug_red", "teddy_bear_brown", "keys_brass", "book_blue"];
    some.objects.retain(|object| chosen.contains(&object.name.as_str()));
    assert_eq!(some.objects.len(), chosen.len());
    let temporary = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(temporary.path().join("scans")).expect("a folder");
    for scan in ["scans/ycb_apple.glb", "scans/gso_ramekin.glb"] {
        std::fs::copy(folder().join(scan), temporary.path().join(scan)).expect("a copy");
    }
    let text = ron::to_string(&some).expect("it is written");
    std::fs::write(temporary.path().join(catalogue::CATALOGUE), text).expect("it is written");
    let fresh = catalogue::bake(temporary.path(), &ShapeStore::default()).expect("it is baked");
    let baked = ShapeStore::read(&folder().join(catalogue::SHAPES)).expect("shapes.bin reads");
    for (key, shape) in &fresh.shapes {
        assert!(baked.shapes.get(key) == Some(shape), "another shape than in shapes.bin");
    }
    assert_eq!(fresh.shapes.len(), chosen.len());
}
