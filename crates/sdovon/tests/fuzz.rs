//! Every file that the pipeline reads, torn, with flipped bits, with absurd counts, and as noise: an error or
//! a result made anew, never a panic and never more memory than the file can fill.
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use ambler_geometry::{Vec2, Vec3};
use ambler_sdovon::coverage::Coverage;
use ambler_sdovon::export::habitat;
use ambler_sdovon::floors::FloorMap;
use ambler_sdovon::grid::Grid;
use ambler_sdovon::place::Variant;
use ambler_sdovon::regions::RegionMap;
use ambler_sdovon::settings::Settings;
use ambler_sdovon::stages::{self, Stages};
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use std::path::Path;

/// A map whose counts and values do not fit each other is no map.
#[test]
fn maps_with_absurd_counts_are_refused() {
    let good = serde_json::to_value(Grid::over(Vec2::ZERO, Vec2::new(1.0, 2.0), 0.5, 3_u8)).unwrap();
    assert!(serde_json::from_value::<Grid<u8>>(good.clone()).is_ok());
    for (key, value) in [
        ("columns", serde_json::json!(u64::MAX)),
        ("columns", serde_json::json!(4)),
        ("rows", serde_json::json!(0)),
        ("rows", serde_json::json!(1_u64 << 40)),
        ("runs", serde_json::json!([[u64::MAX, 3], [1, 3]])),
        ("runs", serde_json::json!([[1_u64 << 33, 3]])),
        ("runs", serde_json::json!([])),
        ("cell_m", serde_json::json!("wide")),
    ] {
        let mut bad = good.clone();
        bad[key] = value;
        assert!(serde_json::from_value::<Grid<u8>>(bad.clone()).is_err(), "{bad}");
    }
}

/// What a PLY file's head says is not believed: its length must fit.
#[test]
fn clouds_with_absurd_counts_are_refused() {
    let good = stages::to_ply(&[Vec3::ONE, Vec3::ZERO]);
    for count in ["0", "1", "3", "99999999999999999999", "-1", "x"] {
        let text = String::from_utf8_lossy(&good[..good.len() - 24]).into_owned();
        let mut bad = text.replace("vertex 2", &format!("vertex {count}")).into_bytes();
        bad.extend(&good[good.len() - 24..]);
        assert_eq!(stages::from_ply(&bad), None, "{count}");
    }
}

/// Settings that are read are checked before anything is made of them.
#[test]
fn settings_out_of_range_are_refused() {
    let text = ron::ser::to_string(&Settings::quality()).unwrap();
    let read = |text: &str| ron::from_str::<Settings>(text);
    assert!(read(&text).unwrap().check().is_ok());
    let cell = format!("cell_m:{}", ron::ser::to_string(&Settings::quality().floors.cell_m).unwrap());
    assert!(text.contains(&cell), "{text}");
    for bad in ["0.0", "-1.0", "inf", "NaN", "1e-30"] {
        let changed = text.replacen(&cell, &format!("cell_m:{bad}"), 1);
        let refused = read(&changed).map_or(true, |settings| settings.check().is_err());
        assert!(refused, "cell_m {bad}");
    }
}

fn never_panics<T: DeserializeOwned>(bytes: &[u8]) {
    let _ = serde_json::from_slice::<T>(bytes);
}

/// A data set of one scene, whole.
fn data_set(folder: &Path) {
    let put = |name: &str, text: &str| stages::put(&folder.join(name), text.as_bytes()).unwrap();
    put("s.scene_dataset_config.json", &habitat::dataset(&["home"]).to_string());
    put("stages/home.stage_config.json", &habitat::stage("home").to_string());
    put(
        "objects/mug.object_config.json",
        r#"{"render_asset": "mug.glb", "mass": 0.3, "semantic_id": 4}"#,
    );
    put(
        "scenes/home_v000.scene_instance.json",
        r#"{"stage_instance": {"template_name": "stages/home.stage_config"}, "object_instances": [
            {"template_name": "objects/mug.object_config", "translation": [1, 0.5, -2], "rotation": [1, 0, 0, 0]}],
            "navmesh_instance": "home"}"#,
    );
}

const FILES: [&str; 4] = [
    "s.scene_dataset_config.json",
    "stages/home.stage_config.json",
    "objects/mug.object_config.json",
    "scenes/home_v000.scene_instance.json",
];

/// What is read of a data set lies inside its folder, whatever the files say.
fn read(folder: &Path) {
    if let Ok(scene) = habitat::read_scene(&folder.join(FILES[0]), "home_v000") {
        for file in std::iter::once(&scene.stage_mesh).chain(&scene.navmesh) {
            assert!(file.starts_with(folder) && !file.to_string_lossy().contains(".."), "{file:?}");
        }
        assert!(scene.objects.iter().all(|object| object.position.is_finite()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn files_of_a_data_set_never_panic(which in 0..FILES.len(), cut: prop::sample::Index, at: prop::sample::Index, byte: u8) {
        let folder = tempfile::tempdir().unwrap();
        data_set(folder.path());
        let path = folder.path().join(FILES[which]);
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..cut.index(whole.len())]).unwrap();
        read(folder.path());
        let mut flipped = whole.clone();
        flipped[at.index(whole.len())] = byte;
        std::fs::write(&path, &flipped).unwrap();
        read(folder.path());
    }

    #[test]
    fn noise_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = stages::from_ply(&bytes);
        let _ = ron::de::from_bytes::<Settings>(&bytes);
        never_panics::<Variant>(&bytes);
        never_panics::<Vec<FloorMap>>(&bytes);
        never_panics::<Vec<Coverage>>(&bytes);
        never_panics::<Vec<RegionMap>>(&bytes);
    }

    /// A stage's file that was damaged gives the same result as none, or the one that it was: its key names
    /// what it follows from, not what it holds.
    #[test]
    fn damaged_stages_never_panic(at: prop::sample::Index, byte: u8, cut: prop::sample::Index) {
        let folder = tempfile::tempdir().unwrap();
        let run = || {
            let mut stages = Stages::new(Some(folder.path().into()), "home");
            let map = || Ok(Grid::over(Vec2::ZERO, Vec2::new(1.0, 2.0), 0.5, 3_u8));
            stages.next("1_map", &(), map).unwrap()
        };
        let first = run();
        let path = folder.path().join("1_map.json");
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..cut.index(whole.len())]).unwrap();
        prop_assert_eq!(&run(), &first);
        let mut flipped = whole.clone();
        flipped[at.index(whole.len())] = byte;
        std::fs::write(&path, &flipped).unwrap();
        let map = run();
        prop_assert_eq!(map.cells.len(), map.columns * map.rows);
    }
}
