//! What agents that know a home remember of it.

use super::stage::build_navmesh;
use crate::exit::Failure;
use ambler_agent::{PlaneSeed, base_scene, plane_seeds, remember};
use ambler_model::{Knowledge, SceneMemory};
use ambler_navmesh::{NavMeshSettings, NavQuery};
use ambler_scene::SceneModel;
use ambler_sdovon::analysis::Surface;
use serde::Deserialize;
use std::path::Path;
use std::sync::Arc;

/// The memory of a scene, made of its base alone: of the scene without movable things, and of the navmesh
/// that is built from that. The table that ships says what is movable, what holds things and what regions
/// are; what a run is told to believe about things changes no memory. With `found` these surfaces are
/// remembered, not the annotated ones.
///
/// # Errors
/// When the base has no floor for the body.
pub fn scene_memory(
    scene: &SceneModel,
    found: Option<Vec<PlaneSeed>>,
    navmesh: &NavMeshSettings,
    eye_m: f32,
) -> Result<SceneMemory, String> {
    let table = Knowledge::shipped();
    let base = base_scene(scene, &table);
    let mesh = build_navmesh(&base, navmesh).map_err(|error| error.to_string())?;
    let seeds = match found {
        Some(found) => found,
        None => plane_seeds(&base, &table).map_err(|error| error.to_string())?,
    };
    Ok(remember(&base, &seeds, &mut NavQuery::new(Arc::new(mesh)), eye_m))
}

/// What is read of a folder of variants.
#[derive(Deserialize)]
struct Set {
    homes: Vec<Home>,
}

#[derive(Deserialize)]
struct Home {
    name: String,
    variants: Vec<String>,
}

/// What is read of the surfaces' stage: the surfaces, and counts of what was left out.
#[derive(Deserialize)]
struct Stage {
    result: (Vec<Surface>, serde::de::IgnoredAny),
}

fn file(folder: &Path, name: &str) -> Result<Vec<u8>, String> {
    let path = folder.join(name);
    std::fs::read(&path).map_err(|error| {
        format!(
            "--memory {}: {name} cannot be read: {error}; name a folder that `ambler generate variants` made",
            folder.display()
        )
    })
}

fn parsed<T: for<'de> Deserialize<'de>>(folder: &Path, name: &str) -> Result<T, String> {
    serde_json::from_slice(&file(folder, name)?)
        .map_err(|error| format!("{}: {error}; generate the variants anew", folder.join(name).display()))
}

fn surfaces_of(home: &str) -> String {
    format!("analysis/{home}/5_surfaces.json")
}

/// The surfaces that the analysis in a folder of variants found in the home of a scene: the home itself or
/// one of its variants. They are the same for all of them.
pub(super) fn found_seeds(folder: &Path, scene: &str) -> Result<Vec<PlaneSeed>, String> {
    let set: Set = parsed(folder, "variants.json")?;
    let is_it = |home: &&Home| home.name == scene || home.variants.iter().any(|name| name == scene);
    let home = set.homes.iter().find(is_it).ok_or_else(|| {
        format!(
            "--memory {}: no home there has a variant {scene:?}; run its own variants",
            folder.display()
        )
    })?;
    let stage: Stage = parsed(folder, &surfaces_of(&home.name))?;
    let seed = |surface: Surface| PlaneSeed {
        name: surface.name,
        receptacle: surface.label,
        region: surface.region,
        y: surface.plane.y,
        polygon: surface.plane.outline.into_iter().map(Into::into).collect(),
    };
    Ok(stage.result.0.into_iter().map(seed).collect())
}

/// What names the surfaces of a folder of variants in a run's manifest.
///
/// # Errors
/// A folder without analyses.
pub fn memory_identity(folder: &Path) -> Result<String, Failure> {
    let set: Set = parsed(folder, "variants.json").map_err(Failure::Input)?;
    let mut hasher = blake3::Hasher::new();
    for home in &set.homes {
        let bytes = file(folder, &surfaces_of(&home.name)).map_err(Failure::Input)?;
        hasher.update(home.name.as_bytes()).update(&[0]).update(blake3::hash(&bytes).as_bytes());
    }
    Ok(format!("surfaces found by analysis {}", &hasher.finalize().to_hex()[..16]))
}
