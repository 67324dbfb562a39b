//! Object sets in their publishers' layouts, made here file by file as the publishers describe them.

use ambler_geometry::Vec3;
use ambler_scene::library::{Library, LibraryOptions, ObjectCategory};
use ambler_scene::{Material, Mesh, Placement, SceneError, SceneModel, gltf};
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

/// A box from the origin, as triangles.
fn block(size: Vec3) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let corner = |i: usize| {
        let pick = |bit: usize, side: f32| if i >> bit & 1 == 1 { side } else { 0.0 };
        Vec3::new(pick(0, size.x), pick(1, size.y), pick(2, size.z))
    };
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    ((0..8).map(corner).collect(), triangles)
}

fn glb(size: Vec3) -> Vec<u8> {
    let (positions, triangles) = block(size);
    let scene = SceneModel {
        meshes: vec![Arc::new(Mesh {
            positions: positions.into(),
            triangles: triangles.into(),
            ..Mesh::default()
        })],
        materials: vec![Material::default()],
        placements: vec![Placement {
            mesh: 0,
            material: 0,
            world_from_mesh: ambler_geometry::Affine::IDENTITY,
            instance: 0,
        }],
        ..SceneModel::default()
    };
    gltf::to_glb(&scene).unwrap()
}

fn obj(size: Vec3) -> String {
    let (positions, triangles) = block(size);
    let mut text = "mtllib model.mtl\nusemtl m\nvt 0 0\n".to_owned();
    for p in positions {
        text += &format!("v {} {} {}\n", p.x, p.y, p.z);
    }
    for t in triangles {
        let [a, b, c] = t.map(|i| i + 1);
        text += &format!("f {a}/1 {b}/1 {c}/1\n");
    }
    text
}

fn png() -> Vec<u8> {
    let mut out = std::io::Cursor::new(Vec::new());
    image::RgbImage::from_pixel(2, 2, image::Rgb([10, 200, 30]))
        .write_to(&mut out, image::ImageFormat::Png)
        .unwrap();
    out.into_inner()
}

fn write(folder: &Path, file: &str, content: impl AsRef<[u8]>) {
    let path = folder.join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

fn vocabulary() -> Vec<ObjectCategory> {
    let category = |name: &str, synonyms: &[&str], size: f32, mass_kg: [f32; 2]| ObjectCategory {
        name: name.into(),
        synonyms: synonyms.iter().map(|&s| s.into()).collect(),
        size_m: Vec3::splat(size),
        mass_kg,
        ..ObjectCategory::default()
    };
    vec![
        category("mug", &["coffee mug"], 0.1, [0.2, 0.4]),
        category("shoe", &["sneaker"], 0.29, [0.2, 0.5]),
        category("alarm_clock", &[], 0.12, [0.2, 0.5]),
        category("coffee_can", &[], 0.14, [0.2, 0.5]),
    ]
}

fn read(folder: &Path) -> Result<Library, SceneError> {
    Library::read_with(folder, &LibraryOptions { vocabulary: vocabulary(), ..LibraryOptions::default() })
}

#[test]
fn ycb_as_published() {
    let folder = tempfile::tempdir().unwrap();
    // Published z up: 0.14 m high along z.
    for resolution in ["google_16k", "google_64k"] {
        let base = format!("002_master_chef_can/{resolution}");
        write(folder.path(), &format!("{base}/textured.obj"), obj(Vec3::new(0.1, 0.1, 0.14)));
        write(folder.path(), &format!("{base}/model.mtl"), "newmtl m\nmap_Kd texture_map.png\n");
        write(folder.path(), &format!("{base}/texture_map.png"), png());
    }
    write(folder.path(), "ycb_mass.json", r#"{"master_chef_can": 0.414, "apple": "heavy"}"#);
    let library = read(folder.path()).unwrap();
    let can = library.object("ycb_master_chef_can").unwrap();
    assert_eq!((can.category.as_str(), can.mass_kg, library.objects.len()), ("coffee_can", 0.414, 1));
    assert!((can.size_m - Vec3::new(0.1, 0.14, 0.1)).length() < 1e-6, "{}", can.size_m);
    assert_eq!(can.licence.name, "CC-BY-4.0");
    assert_eq!(can.model().unwrap().textures[0].pixels[0], [10, 200, 30, 255]);
}

#[test]
fn google_scanned_objects_as_published() {
    let folder = tempfile::tempdir().unwrap();
    let base = "ASICS_GELLinksmaster_WhiteCoffeeSand";
    write(folder.path(), &format!("{base}/meshes/model.obj"), obj(Vec3::new(0.11, 0.29, 0.1)));
    // The material names the texture without its folder.
    write(folder.path(), &format!("{base}/meshes/model.mtl"), "newmtl m\nmap_Kd texture.png\n");
    write(folder.path(), &format!("{base}/materials/textures/texture.png"), png());
    write(
        folder.path(),
        &format!("{base}/model.sdf"),
        "<sdf><model><link><inertial><mass> 0.31 </mass></inertial></link></model></sdf>",
    );
    write(
        folder.path(),
        &format!("{base}/metadata.pbtxt"),
        "name: \"x\"\ncategories {\n  first: \"Shoe\"\n}\n",
    );
    let library = read(folder.path()).unwrap();
    let shoe = &library.objects[0];
    assert_eq!(
        (shoe.name.as_str(), shoe.category.as_str()),
        ("gso_asics_gellinksmaster_white_coffee_sand", "shoe")
    );
    assert_eq!(shoe.mass_kg, 0.31);
    assert!(
        (shoe.size_m - Vec3::new(0.11, 0.1, 0.29)).length() < 1e-6,
        "z up becomes y up: {}",
        shoe.size_m
    );
    assert_eq!(shoe.model().unwrap().textures.len(), 1);
    // The folder itself may also be one object's.
    assert_eq!(read(&folder.path().join(base)).unwrap().objects[0].category, "shoe");
}

#[test]
fn amazon_berkeley_objects() {
    let folder = tempfile::tempdir().unwrap();
    let listing = concat!(
        r#"{"item_id": "B1", "3dmodel_id": "B07ABC", "product_type": [{"value": "SHOES"}], "item_weight": [{"normalized_value": {"unit": "pounds", "value": 0.5}, "unit": "ounces", "value": 8}]}"#,
        "\n",
        r#"{"item_id": "B2", "product_type": [{"value": "CHAIR"}]}"#,
        "\n"
    );
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(listing.as_bytes()).unwrap();
    write(folder.path(), "listings/metadata/listings_0.json.gz", packed.finish().unwrap());
    write(
        folder.path(),
        "3dmodels/metadata/3dmodels.csv",
        "3dmodel_id,path,meshes\nB07ABC,C/B07ABC.glb,1\nB08XYZ,Z/B08XYZ.glb,1\n",
    );
    write(folder.path(), "3dmodels/original/C/B07ABC.glb", glb(Vec3::new(0.11, 0.1, 0.3)));
    let library = read(folder.path()).unwrap();
    let shoe = library.object("abo_B07ABC").unwrap();
    assert_eq!(shoe.category, "shoe");
    assert!((shoe.mass_kg - 0.226_796).abs() < 1e-4, "half a pound: {}", shoe.mass_kg);
    assert!(library.notes.iter().any(|note| note.contains("1 models of")), "{:?}", library.notes);
}

#[test]
fn ai2_thor_assets_are_sized_by_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let database = r#"{
        "AlarmClock": [{"assetId": "Alarm_Clock_1", "primaryProperty": "CanPickup",
                        "boundingBox": {"x": 0.16, "y": 0.12, "z": 0.08}}],
        "Bed": [{"assetId": "Bed_1", "primaryProperty": "Static", "boundingBox": {"x": 2, "y": 1, "z": 2}}]
    }"#;
    write(folder.path(), "asset-database.json", database);
    write(folder.path(), "meshes/Alarm_Clock_1.glb", glb(Vec3::new(16.0, 12.0, 8.0)));
    write(folder.path(), "meshes/Bed_1.glb", glb(Vec3::new(2.0, 1.0, 2.0)));
    write(folder.path(), "meshes/Unknown_7.glb", glb(Vec3::ONE));
    let library = read(folder.path()).unwrap();
    assert_eq!(library.objects.len(), 1);
    let clock = &library.objects[0];
    assert_eq!(clock.category, "alarm_clock");
    assert!(
        (clock.size_m - Vec3::new(0.16, 0.12, 0.08)).length() < 1e-6
            && (clock.scale - 0.01).abs() < 1e-6
    );
    for part in ["scaled by 0.01", "cannot be picked up", "Unknown_7"] {
        assert!(library.notes.iter().any(|note| note.contains(part)), "{part}: {:?}", library.notes);
    }
}

#[test]
fn habitat_object_configs() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "objects/meshes/a.glb", glb(Vec3::new(10.0, 20.0, 30.0)));
    let config = r#"{"render_asset": "meshes/a.glb", "scale": [1, 1, 2], "units_to_meters": 0.01, "mass": 0.7,
        "up": [0, 0, 1], "front": [0, 1, 0], "COM": [5, 10, 15], "friction_coefficient": 0.5,
        "collision_asset": "icosphereSolid_subdivs_1", "user_defined": {"category": "coffee mug"}}"#;
    write(folder.path(), "objects/thing.object_config.json", config);
    write(folder.path(), "objects/lost.object_config.json", r#"{"render_asset": "../../etc/passwd"}"#);
    write(folder.path(), "objects/torn.object_config.json", r#"{"render_asset": "#);
    let library = read(folder.path()).unwrap();
    assert_eq!(library.objects.len(), 1);
    let thing = &library.objects[0];
    assert_eq!((thing.name.as_str(), thing.category.as_str(), thing.mass_kg), ("thing", "mug", 0.7));
    // z is up and twice as long; y, the front, points to −z.
    assert!((thing.size_m - Vec3::new(0.1, 0.6, 0.2)).length() < 1e-6, "{}", thing.size_m);
    assert!(thing.bounds.max.z < 1e-6 && thing.bounds.min.y > -1e-6, "{:?}", thing.bounds);
    assert!(
        (thing.center_of_mass - Vec3::new(-0.05, 0.3, -0.1)).length() < 1e-6
            || (thing.center_of_mass - Vec3::new(0.05, 0.3, -0.1)).length() < 1e-6,
        "{}",
        thing.center_of_mass
    );
    assert!(thing.bounds.contains(thing.center_of_mass), "{}", thing.center_of_mass);
    assert!(!ambler_geometry::Affine::is_mirrored(&map_of(thing)));
    for part in ["lost", "torn", "collision asset"] {
        assert!(library.notes.iter().any(|note| note.contains(part)), "{part}: {:?}", library.notes);
    }
}

fn map_of(object: &ambler_scene::library::LibraryObject) -> ambler_geometry::Affine {
    match &object.mesh {
        ambler_scene::library::MeshSource::File { object_from_file, .. } => *object_from_file,
        ambler_scene::library::MeshSource::Recipe(_) => ambler_geometry::Affine::IDENTITY,
    }
}

#[test]
fn bare_meshes_are_sized_by_their_category_or_the_unit() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "mug_A.glb", glb(Vec3::new(0.09, 0.1, 0.09)));
    write(folder.path(), "toys/mug_giant.glb", glb(Vec3::new(1.8, 2.0, 1.8)));
    write(folder.path(), "widget.glb", glb(Vec3::splat(0.05)));
    write(folder.path(), "hangar.glb", glb(Vec3::splat(40.0)));
    write(folder.path(), "broken.glb", b"glTF rubbish");
    let library = read(folder.path()).unwrap();
    let sizes: Vec<(&str, f32, f32)> =
        library.objects.iter().map(|o| (o.name.as_str(), o.size_m.y, o.scale)).collect();
    assert_eq!(sizes, [("mug_a", 0.1, 1.0), ("toys_mug_giant", 0.1, 0.05), ("widget", 0.05, 1.0)]);
    for part in ["scaled by 0.05", "hangar", "broken", "no known category"] {
        assert!(library.notes.iter().any(|note| note.contains(part)), "{part}: {:?}", library.notes);
    }
    let metric =
        LibraryOptions { unit_m: Some(0.01), vocabulary: vocabulary(), ..LibraryOptions::default() };
    let library = Library::read_with(folder.path(), &metric).unwrap();
    assert!((library.object("toys_mug_giant").unwrap().size_m.y - 0.02).abs() < 1e-6);
    assert!((library.object("hangar").unwrap().size_m.y - 0.4).abs() < 1e-6);
}

#[test]
fn links_out_of_the_folder_are_not_followed() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(other.path(), "mug.glb", glb(Vec3::splat(0.1)));
    #[cfg(unix)]
    std::os::unix::fs::symlink(other.path(), folder.path().join("link")).unwrap();
    assert!(read(folder.path()).is_err(), "what lies behind the link is no part of the folder");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn tables_full_of_rubbish_never_panic(kind in 0_usize..6, cut in 0_usize..400, at in 0_usize..400, byte: u8) {
        let folder = tempfile::tempdir().unwrap();
        let (file, text) = [
            ("asset-database.json", r#"{"AlarmClock": [{"assetId": "a", "primaryProperty": "CanPickup", "boundingBox": {"x": 0.1, "y": 1e99, "z": -3}}]}"#),
            ("ycb_index.json", r#"[{"name": "a", "mass_kg": 0.1}, {"name": 3}, null]"#),
            ("listings_0.json", r#"{"3dmodel_id": "a", "product_type": [{"value": "MUG"}], "item_weight": [{"unit": "x", "value": 1e40}]}"#),
            ("3dmodels.csv", "3dmodel_id,path\na,a.glb\n"),
            ("a.object_config.json", r#"{"render_asset": "a.glb", "scale": [0, 1, 1e30], "up": [0, 0, 0], "mass": -1, "COM": "x"}"#),
            ("ycb_mass.json", r#"{"a": 1e300, "b": [], "c": -1}"#),
        ][kind];
        let mut bytes = text.as_bytes().to_vec();
        let index = at % bytes.len();
        bytes[index] = byte;
        bytes.truncate(bytes.len() - cut % 4);
        write(folder.path(), file, &bytes);
        write(folder.path(), "a.glb", glb(Vec3::splat(0.1)));
        match read(folder.path()) {
            Ok(library) => {
                for object in &library.objects {
                    prop_assert!(object.mass_kg > 0.0 && object.mass_kg.is_finite());
                    prop_assert!(object.size_m.is_finite() && !object.hulls.is_empty());
                }
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}
