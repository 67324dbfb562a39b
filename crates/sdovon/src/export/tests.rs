use super::*;
use crate::place::{Placed, Variant};
use crate::plan::Chances;
use crate::stages::put;
use ambler_geometry::{Quat, Vec3};
use ambler_model::Region;
use ambler_scene::description::{Asset, Description, Labels, Part};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn placed(object: &str, x: f32) -> Placed {
    Placed {
        name: format!("placed_{object}"),
        object: object.into(),
        category: "mug".into(),
        surface: "desk_1_1".into(),
        receptacle: "desk".into(),
        region: Region::Office,
        floor: 0,
        chances: Chances { in_region: 0.1, on_receptacle: 0.2, joint: 0.3 },
        position: Vec3::new(x, 0.75, -2.0),
        // A quarter turn to the left: w and y are √½.
        rotation: Quat::from_xyzw(0.0, 0.707_106_77, 0.0, 0.707_106_77),
        rejected: Vec::new(),
    }
}

fn variant() -> Variant {
    Variant {
        name: "home_v003".into(),
        base: "home".into(),
        seed: 7,
        number: 3,
        objects: vec![placed("mug_1", 1.0), placed("mug_10", 2.0), placed("mug_1", 3.0)],
        failed: Vec::new(),
        reasons: BTreeMap::new(),
    }
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, value: &serde_json::Value| {
        put(&folder.path().join(path), value.to_string().as_bytes()).unwrap();
    };
    write("sd_ovon.scene_dataset_config.json", &habitat::dataset(&["home"]));
    write("stages/home.stage_config.json", &habitat::stage("home"));
    for object in ["mug_1", "mug_10"] {
        let config = serde_json::json!({"render_asset": "x.glb", "mass": 0.3, "semantic_id": 4});
        write(&format!("objects/{object}.object_config.json"), &config);
    }
    write("scenes/home_v003.scene_instance.json", &habitat::scene_instance(&variant(), true));
    folder
}

#[test]
fn a_scene_instance_comes_back_as_it_was_written() {
    let folder = folder();
    let config = folder.path().join("sd_ovon.scene_dataset_config.json");
    let read = habitat::read_scene(&config, "home_v003").unwrap();
    assert_eq!(read.stage_mesh, folder.path().join("stages/home.glb"));
    assert_eq!(read.navmesh, Some(folder.path().join("navmeshes/home.navmesh")));
    let objects: Vec<&str> = read.objects.iter().map(|object| object.object.as_str()).collect();
    assert_eq!(objects, ["mug_1", "mug_10", "mug_1"], "mug_1 is no substring of mug_10's handle");
    for (read, placed) in read.objects.iter().zip(&variant().objects) {
        assert_eq!((read.position, read.rotation), (placed.position, placed.rotation));
        assert_eq!((read.semantic_id, read.mass_kg), (4, 0.3));
    }
}

#[test]
fn rotations_of_scene_instances_begin_with_w() {
    let scene = habitat::scene_instance(&variant(), false);
    let first = &scene["object_instances"][0];
    let [w, x, y, z] = [0, 1, 2, 3].map(|index| first["rotation"][index].as_f64().unwrap());
    assert!(w > 0.7 && y > 0.7 && x == 0.0 && z == 0.0);
    assert_eq!(first["motion_type"], "static");
    assert_eq!(first["translation_origin"], "asset_local");
    assert!(scene.get("navmesh_instance").is_none());
    assert_eq!(habitat::stage("home")["up"], serde_json::json!([0.0, 1.0, 0.0]));
    let lexicon = habitat::lexicon(&BTreeSet::from(["mug", "book"]));
    assert_eq!(lexicon["classes"][0], serde_json::json!({"name": "book", "id": 1}));
}

#[test]
fn what_is_wrong_in_a_data_set_is_said_with_its_place() {
    let cases = [
        ("scenes/home_v003.scene_instance.json", "{", "mend the JSON"),
        ("scenes/home_v003.scene_instance.json", "[]", "/stage_instance/template_name"),
        ("objects/mug_10.object_config.json", "\u{0}", "line"),
        (
            "stages/home.stage_config.json",
            r#"{"render_asset": "../../secret.glb"}"#,
            "out of the data set",
        ),
        ("sd_ovon.scene_dataset_config.json", "{}", "is nowhere"),
    ];
    for (file, text, expected) in cases {
        let folder = folder();
        put(&folder.path().join(file), text.as_bytes()).unwrap();
        let config = folder.path().join("sd_ovon.scene_dataset_config.json");
        let error = habitat::read_scene(&config, "home_v003").unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn a_torn_scene_instance_never_panics() {
    let folder = folder();
    let config = folder.path().join("sd_ovon.scene_dataset_config.json");
    let path = folder.path().join("scenes/home_v003.scene_instance.json");
    let whole = std::fs::read(&path).unwrap();
    for end in (0..whole.len()).step_by(7) {
        std::fs::write(&path, &whole[..end]).unwrap();
        assert!(habitat::read_scene(&config, "home_v003").is_err());
    }
    for bit in (0..whole.len() * 8).step_by(41) {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(&path, &bytes).unwrap();
        let _ = habitat::read_scene(&config, "home_v003");
    }
}

#[test]
fn a_variant_names_the_homes_files_and_adds_its_own() {
    let base = Description {
        version: ambler_scene::description::VERSION,
        assets: vec![Asset {
            path: "scan.ply".into(),
            labels: Labels::Capture("list.json".into()),
            ..Asset::default()
        }],
        ..Description::default()
    };
    assert_eq!(ambler::files(&base), ["list.json", "scan.ply"]);
    let base = ambler::moved(base, "base/home");
    let out = ambler::description(&base, &variant(), 40);
    let paths: Vec<&str> = out.assets.iter().map(|asset| asset.path.as_str()).collect();
    assert_eq!(
        paths,
        ["base/home/scan.ply", "objects/mug_1.glb", "objects/mug_10.glb", "objects/mug_1.glb"]
    );
    assert_eq!(out.assets[0].labels, Labels::Capture("base/home/list.json".into()));
    assert_eq!(out.objects[2].id, Some(42));
    assert_eq!(out.objects[2].parts, [Part::Asset(3)]);
    // What is written is read.
    let text = ambler_scene::description::to_ron(&out).unwrap();
    let read =
        ambler_scene::description::parse_description(text.as_bytes(), Path::new("x.ron")).unwrap();
    assert_eq!(read, out);
}
