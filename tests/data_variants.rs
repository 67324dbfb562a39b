//! Variants of real scans from the outside: the Quest living room with its room setup, the AWS house with its
//! names, and a scan without any label. Needs the shared data; says loudly where it is missing.

mod common;

use common::{json, run};
use std::path::{Path, PathBuf};

/// The file in the shared data, or a loud note that the test is skipped.
fn file(name: &str) -> Option<PathBuf> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data");
    let folder = std::env::var_os("AMBLER_DATA").map_or_else(|| default.into(), PathBuf::from);
    let path = folder.join(name);
    if path.exists() {
        return Some(path);
    }
    let required = std::env::var("AMBLER_REQUIRE_DATA").is_ok_and(|value| value == "1");
    assert!(!required, "{} is missing, and AMBLER_REQUIRE_DATA is set", path.display());
    println!("SKIPPED: {} is not there", path.display());
    None
}

/// Analysis, one variant, five more seconds of physics, episodes.
fn whole(scene: &Path, least_objects: u64, least_episodes: u64) {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let at = scratch.path();
    let scene = scene.to_str().expect("a plain path");
    let made = json(
        at,
        &["generate", "variants", scene, "--out", "v", "--variants", "1", "--objects", "14", "--json"],
    );
    assert!(made["objects"].as_u64().is_some_and(|count| count >= least_objects), "{made}");
    let check = json(at, &["variants", "check", "v", "--json"]);
    assert_eq!(check["moved"], serde_json::json!([]), "{check}");
    let episodes = json(at, &["generate", "objectnav", "v", "--json"]);
    assert!(episodes["episodes"].as_u64().is_some_and(|count| count >= least_episodes), "{episodes}");
    let check =
        json(at, &["episodes", "check", "v/episodes/objectnav.json.gz", "--scenes", "v", "--json"]);
    assert_eq!(check["episodes"], episodes["episodes"], "{check}");
}

#[test]
fn the_quest_living_room() {
    let Some(scene) = file("ok/meta_quest_iwer_sem/living_room_scan.ply") else { return };
    whole(&scene, 10, 5);
}

#[test]
fn the_aws_house() {
    let Some(scene) = file("ok/aws_small_house/aws_small_house.glb") else { return };
    whole(&scene, 10, 5);
}

/// The true detector knows nothing of a scan without labels, and says what to do.
#[test]
fn a_scan_without_labels_asks_for_a_detector() {
    let Some(scene) = file("ok/polycam_washitsu_room_cc0/scans/room.glb") else { return };
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let scene = scene.to_str().expect("a plain path");
    let output =
        run(scratch.path(), &["generate", "variants", scene, "--out", "v", "--variants", "1", "--json"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("no surface was found") && errors.contains("--detector"), "{errors}");
}
