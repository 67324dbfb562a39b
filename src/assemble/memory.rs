//! What agents that know a home remember of it.

use super::stage::build_navmesh;
use ambler_agent::{base_scene, plane_seeds, remember};
use ambler_model::{Knowledge, SceneMemory};
use ambler_navmesh::{NavMeshSettings, NavQuery};
use ambler_scene::SceneModel;
use std::sync::Arc;

/// The memory of a scene, made of its base alone: of the scene without movable things, and of the navmesh
/// that is built from that. The table that ships says what is movable, what holds things and what regions
/// are; what a run is told to believe about things changes no memory.
///
/// # Errors
/// When the base has no floor for the body.
pub fn scene_memory(
    scene: &SceneModel,
    navmesh: &NavMeshSettings,
    eye_m: f32,
) -> Result<SceneMemory, String> {
    let table = Knowledge::shipped();
    let base = base_scene(scene, &table);
    let mesh = build_navmesh(&base, navmesh).map_err(|error| error.to_string())?;
    let seeds = plane_seeds(&base, &table).map_err(|error| error.to_string())?;
    Ok(remember(&base, &seeds, &mut NavQuery::new(Arc::new(mesh)), eye_m))
}
