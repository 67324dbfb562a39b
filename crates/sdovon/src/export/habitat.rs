//! Variants as a Habitat scene data set: the four kinds of JSON that Habitat reads, and back.
//!
//! Quaternions are w, x, y, z in scene instances. Templates are named by substrings that fit one handle
//! alone. Objects stay where they are (`static`), and their translations refer to the asset's own origin
//! (`asset_local`): Habitat moves an object's origin to its centre of mass when it loads it.

use crate::SdovonError;
use crate::place::Variant;
use ambler_geometry::{Fault, Place, Quat, Vec3};
use ambler_scene::library::LibraryObject;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// `sd_ovon.scene_dataset_config.json`; `navmeshes` are the homes that have one.
pub fn dataset(navmeshes: &[&str]) -> Value {
    let navmeshes: serde_json::Map<String, Value> = navmeshes
        .iter()
        .map(|home| ((*home).to_owned(), json!(format!("navmeshes/{home}.navmesh"))))
        .collect();
    json!({
        "stages": {"paths": {".json": ["stages/*.stage_config.json"]}},
        "objects": {"paths": {".json": ["objects/*.object_config.json"]}},
        "scene_instances": {"paths": {".json": ["scenes/*.scene_instance.json"]}},
        "semantic_scene_descriptor_instances": {super::NAME: "semantics/lexicon.json"},
        "navmesh_instances": navmeshes,
    })
}

/// `stages/HOME.stage_config.json`. The mesh is y up, which a stage without a config would not be taken
/// for.
pub fn stage(home: &str) -> Value {
    json!({
        "render_asset": format!("{home}.glb"),
        "collision_asset": format!("{home}.glb"),
        "up": [0.0, 1.0, 0.0],
        "front": [0.0, 0.0, -1.0],
        "origin": [0.0, 0.0, 0.0],
        "units_to_meters": 1.0,
        "force_flat_shading": true,
    })
}

/// `objects/OBJECT.object_config.json`; `semantic_id` is the id of its category in the lexicon.
pub fn object(object: &LibraryObject, semantic_id: u32) -> Value {
    json!({
        "render_asset": format!("{}.glb", object.name),
        "collision_asset": format!("{}.glb", object.name),
        "up": [0.0, 1.0, 0.0],
        "front": [0.0, 0.0, -1.0],
        "units_to_meters": 1.0,
        "mass": object.mass_kg,
        "COM": object.center_of_mass.to_array(),
        "join_collision_meshes": true,
        "force_flat_shading": true,
        "semantic_id": semantic_id,
    })
}

/// `scenes/VARIANT.scene_instance.json`.
pub fn scene_instance(variant: &Variant, navmesh: bool) -> Value {
    let objects: Vec<Value> = variant
        .objects
        .iter()
        .map(|placed| {
            let [x, y, z, w] = placed.rotation.to_array();
            json!({
                "template_name": format!("objects/{}.object_config", placed.object),
                "translation": placed.position.to_array(),
                "rotation": [w, x, y, z],
                "motion_type": "static",
                "translation_origin": "asset_local",
            })
        })
        .collect();
    let mut scene = json!({
        "translation_origin": "asset_local",
        "stage_instance": {"template_name": format!("stages/{}.stage_config", variant.base)},
        "object_instances": objects,
        "semantic_scene_instance": super::NAME,
        "user_custom": {"seed": variant.seed, "variant": variant.number, "base": variant.base},
    });
    if navmesh {
        scene["navmesh_instance"] = json!(variant.base);
    }
    scene
}

/// `semantics/lexicon.json`: categories by name, ids from 1.
pub fn lexicon(categories: &BTreeSet<&str>) -> Value {
    let classes: Vec<Value> =
        (1..).zip(categories).map(|(id, name): (u32, _)| json!({"name": name, "id": id})).collect();
    json!({ "classes": classes })
}

/// An object of a scene instance that was read back.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadObject {
    /// The object's config, by the name before `.object_config.json`.
    pub object: String,
    /// Position of its origin, metres.
    pub position: Vec3,
    /// Turns its frame into the world's.
    pub rotation: Quat,
    /// `semantic_id` of its config.
    pub semantic_id: u32,
    /// Mass in kilograms.
    pub mass_kg: f64,
}

/// A scene instance that was read back.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadScene {
    /// The stage's mesh file.
    pub stage_mesh: std::path::PathBuf,
    /// Its objects, in the order of the file.
    pub objects: Vec<ReadObject>,
    /// The navmesh file, where one is named.
    pub navmesh: Option<std::path::PathBuf>,
}

/// Reads a scene instance of a data set as Habitat resolves it: the config's patterns give the handles of
/// templates, and a `template_name` is a substring of exactly one. Reads nothing outside the data set's
/// folder.
///
/// # Errors
/// File, place, what and remedy, for what is missing, ambiguous or of the wrong kind.
pub fn read_scene(config: &Path, name: &str) -> Result<ReadScene, SdovonError> {
    let folder = config.parent().unwrap_or(Path::new(""));
    let root = value(config)?;
    let templates = |cell: &str, suffix: &str| -> Result<BTreeMap<String, Value>, SdovonError> {
        let patterns = root.pointer(&format!("/{cell}/paths/.json")).and_then(Value::as_array);
        let mut found = BTreeMap::new();
        for pattern in patterns.into_iter().flatten().filter_map(Value::as_str) {
            for file in matching(folder, pattern, suffix) {
                let handle = file.to_string_lossy().replace('\\', "/");
                found.insert(handle, value(&folder.join(&file))?);
            }
        }
        Ok(found)
    };
    let scenes = templates("scene_instances", ".scene_instance.json")?;
    let stages = templates("stages", ".stage_config.json")?;
    let objects = templates("objects", ".object_config.json")?;
    let (handle, scene) = only(&scenes, name, config, "/scene_instances")?;
    let path = folder.join(handle);
    let text = |value: &Value, place: &str| -> Result<String, SdovonError> {
        let found = value.pointer(place).and_then(Value::as_str);
        found.map(str::to_owned).ok_or_else(|| fault(&path, place, "is no text", "name a template"))
    };
    let stage_name = text(scene, "/stage_instance/template_name")?;
    let (stage_handle, stage) = only(&stages, &stage_name, &path, "/stage_instance/template_name")?;
    let mesh = text(stage, "/render_asset")?;
    let stage_mesh = inside(folder, Path::new(stage_handle).parent(), &mesh, &path)?;
    let mut read = Vec::new();
    let instances = scene.get("object_instances").and_then(Value::as_array);
    for (index, instance) in instances.into_iter().flatten().enumerate() {
        let place = format!("/object_instances/{index}");
        let (handle, template) = only(&objects, &text(instance, "/template_name")?, &path, &place)?;
        let numbers = |key: &str, default: &[f64]| -> Result<Vec<f64>, SdovonError> {
            let Some(list) = instance.get(key) else { return Ok(default.to_vec()) };
            let list: Option<Vec<f64>> = list.as_array().and_then(|list| {
                (list.len() == default.len()).then(|| list.iter().map(Value::as_f64).collect())?
            });
            let what = format!("is no list of {} numbers", default.len());
            list.filter(|list| list.iter().all(|number| (*number as f32).is_finite()))
                .ok_or_else(|| fault(&path, &format!("{place}/{key}"), &what, "write it as numbers"))
        };
        let t = numbers("translation", &[0.0; 3])?;
        let r = numbers("rotation", &[1.0, 0.0, 0.0, 0.0])?;
        let rotation = Quat::from_xyzw(r[1] as f32, r[2] as f32, r[3] as f32, r[0] as f32);
        if !(rotation.length() > 1e-6) {
            return Err(fault(
                &path,
                &format!("{place}/rotation"),
                "has no direction",
                "write 1, 0, 0, 0",
            ));
        }
        let file = Path::new(handle).file_name().map(|name| name.to_string_lossy().into_owned());
        read.push(ReadObject {
            object: file.unwrap_or_default().trim_end_matches(".object_config.json").to_owned(),
            position: Vec3::new(t[0] as f32, t[1] as f32, t[2] as f32),
            rotation,
            semantic_id: template.get("semantic_id").and_then(Value::as_u64).unwrap_or(0) as u32,
            mass_kg: template.get("mass").and_then(Value::as_f64).unwrap_or(1.0),
        });
    }
    let navmesh = scene.get("navmesh_instance").and_then(Value::as_str).filter(|key| !key.is_empty());
    let navmesh = navmesh
        .map(|key| {
            let file = root.get("navmesh_instances").and_then(|list| list.get(key)?.as_str());
            let missing = || fault(config, "/navmesh_instances", &format!("has no {key:?}"), "add it");
            inside(folder, None, file.ok_or_else(missing)?, config)
        })
        .transpose()?;
    Ok(ReadScene { stage_mesh, objects: read, navmesh })
}

fn fault(path: &Path, place: &str, what: &str, remedy: &str) -> SdovonError {
    SdovonError::File(Fault::new(path, Place::Pointer(place.to_owned()), what, remedy))
}

/// Bytes that a config may have.
const MOST_BYTES: u64 = 64 << 20;

fn value(path: &Path) -> Result<Value, SdovonError> {
    let size = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    if size > MOST_BYTES {
        let what = format!("has {size} bytes");
        return Err(SdovonError::File(Fault::new(path, Place::Whole, what, "a config is smaller")));
    }
    let bytes = crate::stages::get(path)?;
    serde_json::from_slice(&bytes).map_err(|error| {
        let place = Place::Line(error.line() as u64);
        SdovonError::File(Fault::new(path, place, error.to_string(), "mend the JSON"))
    })
}

/// Files of the folder, relative, that a pattern names: a folder, or a folder and a name with one `*`. In
/// the order of their names.
fn matching(folder: &Path, pattern: &str, suffix: &str) -> Vec<std::path::PathBuf> {
    let (directory, name) = match pattern.rsplit_once('/') {
        Some((directory, name)) if name.contains('*') => (directory, name),
        None if pattern.contains('*') => ("", pattern),
        _ => (pattern, "*"),
    };
    let parts = Path::new(directory).components();
    if parts.into_iter().any(|part| !matches!(part, std::path::Component::Normal(_))) {
        return Vec::new();
    }
    let (before, after) = name.split_once('*').unwrap_or((name, ""));
    let entries = std::fs::read_dir(folder.join(directory)).into_iter().flatten().flatten();
    let mut found: Vec<std::path::PathBuf> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.starts_with(before) && name.ends_with(after) && name.ends_with(suffix))
        .map(|name| Path::new(directory).join(name))
        .collect();
    found.sort();
    found
}

/// The one handle that holds `name`.
fn only<'a>(
    templates: &'a BTreeMap<String, Value>,
    name: &str,
    path: &Path,
    place: &str,
) -> Result<(&'a str, &'a Value), SdovonError> {
    let mut found = templates.iter().filter(|(handle, _)| handle.contains(name));
    match (found.next(), found.next()) {
        (Some((handle, template)), None) => Ok((handle, template)),
        (None, _) => Err(fault(
            path,
            place,
            &format!("names {name:?}, which is nowhere"),
            "check the config's paths",
        )),
        (Some((one, _)), Some((two, _))) => {
            let what = format!("names {name:?}, which fits {one} and {two}");
            Err(fault(path, place, &what, "name more of the path"))
        }
    }
}

fn inside(
    folder: &Path,
    directory: Option<&Path>,
    file: &str,
    path: &Path,
) -> Result<std::path::PathBuf, SdovonError> {
    let relative = directory.unwrap_or(Path::new("")).join(file);
    let good = relative.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    let what = format!("names {file:?}, which leads out of the data set");
    good.then(|| folder.join(&relative)).ok_or_else(|| fault(path, "", &what, "name a file inside it"))
}
