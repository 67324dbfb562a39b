//! The shape of the workspace, read from its manifests: arrows point one way, and the engine knows
//! no Bevy. `docs/ARCHITECTURE.md` says why.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The layers, lowest first. A package may depend on packages of lower layers only; those of one
/// layer do not know each other.
const LAYERS: &[&[&str]] = &[
    &["ambler_geometry"],
    &["ambler_bundle"],
    &["ambler_scene"],
    &["ambler_navmesh", "ambler_sensor"],
    &["ambler_body"],
    &["ambler_episode"],
    &["ambler_model"],
    &["ambler_sdovon"],
    &["ambler_agent"],
    &["ambler_evaluate"],
    &["ambler_replay"],
    &["ambler_report"],
    &["ambler_session"],
    &["ambler_plugin_simulation"],
    &["ambler_plugin_scene"],
    &["ambler_plugin_body", "ambler_plugin_physics"],
    &["ambler_plugin_sensors", "ambler_plugin_task"],
    &["ambler_plugin_teleop", "ambler_plugin_timeline", "ambler_plugin_view"],
    &["ambler_plugin_panel"],
    &["ambler"],
];

/// What the engine (crates/) never names: the ECS, physics bindings, windows.
const NOT_IN_THE_ENGINE: &[&str] =
    &["bevy", "bevy_ecs", "bevy_app", "bevy_rapier3d", "bevy_egui", "egui", "wgpu", "winit"];

struct Package {
    folder: PathBuf,
    dependencies: BTreeSet<String>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn packages() -> BTreeMap<String, Package> {
    let mut folders = vec![root().to_path_buf()];
    for group in ["crates", "plugins"] {
        let entries = fs::read_dir(root().join(group)).expect("the workspace has this folder");
        folders.extend(entries.map(|entry| entry.expect("a readable folder").path()));
    }
    folders
        .into_iter()
        .map(|folder| {
            let text = fs::read_to_string(folder.join("Cargo.toml"))
                .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
            let manifest: toml::Table = text.parse().expect("a manifest is TOML");
            let name = manifest["package"]["name"].as_str().expect("a package has a name").to_string();
            // Dev-dependencies count too: a test that reaches upward is a cycle in waiting.
            let dependencies = ["dependencies", "dev-dependencies", "build-dependencies"]
                .iter()
                .filter_map(|key| manifest.get(*key)?.as_table())
                .flat_map(|table| table.keys().cloned())
                .collect();
            (name, Package { folder, dependencies })
        })
        .collect()
}

fn layer(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&name))
}

#[test]
fn arrows_point_downward() {
    let packages = packages();
    for (name, package) in &packages {
        let own = layer(name).unwrap_or_else(|| panic!("{name} has no layer: add it to LAYERS"));
        for dependency in package.dependencies.iter().filter(|d| packages.contains_key(*d)) {
            let below = layer(dependency).expect("checked in its own turn");
            assert!(below < own, "{name} must not depend on {dependency}: that arrow points upward");
        }
    }
    for name in LAYERS.iter().copied().flatten() {
        assert!(packages.contains_key(*name), "LAYERS names {name}, which does not exist");
    }
}

#[test]
fn the_engine_knows_no_bevy() {
    for (name, package) in packages() {
        if package.folder.starts_with(root().join("crates")) {
            for forbidden in NOT_IN_THE_ENGINE {
                assert!(!package.dependencies.contains(*forbidden), "{name} depends on {forbidden}");
            }
        }
    }
}

#[test]
fn every_crate_opens_with_what_it_never_does_and_an_example() {
    for (name, package) in packages() {
        if name == "ambler" {
            continue;
        }
        let text = fs::read_to_string(package.folder.join("src/lib.rs")).expect("a crate has lib.rs");
        let opening: String =
            text.lines().take_while(|line| line.starts_with("//!")).collect::<Vec<_>>().join("\n");
        let lower = opening.to_lowercase();
        assert!(lower.contains("never"), "{name}: its docs do not say what it never does");
        assert!(opening.contains("```"), "{name}: its docs have no example");
    }
}

#[test]
fn no_file_is_several_things() {
    let mut stack =
        vec![root().join("crates"), root().join("plugins"), root().join("src"), root().join("tests")];
    while let Some(folder) = stack.pop() {
        for entry in fs::read_dir(folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                stack.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let lines = fs::read_to_string(&path).expect("source is text").lines().count();
                assert!(lines <= 700, "{} has {lines} lines: split it", path.display());
            }
        }
    }
}
