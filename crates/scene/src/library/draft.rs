//! From what a loader found to finished objects: shapes from the store, the cache, or computed now.

use super::convex::DecomposeOptions;
use super::recipes::{self, Recipe};
use super::{
    Library, LibraryObject, LibraryOptions, MeshSource, ObjectCategory, ObjectShape, ShapeStore,
};
use crate::files::read_file;
use crate::{Licence, SceneError, UpAxis};
use ambler_geometry::Vec3;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// An object before its shape is known.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) name: String,
    pub(super) category: String,
    pub(super) source: String,
    pub(super) licence: Licence,
    /// `None`: by volume and the category's usual mass.
    pub(super) mass_kg: Option<f32>,
    pub(super) scale: f32,
    pub(super) center_of_mass: Option<Vec3>,
    pub(super) mesh: MeshSource,
}

/// Kilograms a cubic metre of convex pieces where nothing is known: household things are mostly air.
const DENSITY: f32 = 400.0;

/// The shapes that a library starts with, and where new ones go.
pub(super) struct Shapes<'a> {
    pub(super) baked: ShapeStore,
    pub(super) cache: Option<&'a Path>,
}

/// Finishes the drafts, sorted by name. One that fails is left out with a note.
pub(super) fn finish(
    drafts: Vec<Draft>,
    categories: Vec<ObjectCategory>,
    shapes: &Shapes<'_>,
    options: &LibraryOptions,
    mut notes: Vec<String>,
) -> Library {
    let next = AtomicUsize::new(0);
    let done: Mutex<BTreeMap<usize, Result<(ObjectShape, bool), SceneError>>> = Mutex::default();
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(draft) = drafts.get(index) else { break };
            let shape = shape_of(&draft.mesh, draft.center_of_mass, shapes);
            done.lock().unwrap_or_else(PoisonError::into_inner).insert(index, shape);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..options.workers.min(drafts.len()) {
            scope.spawn(work);
        }
        work();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut categories: BTreeMap<String, ObjectCategory> =
        categories.into_iter().map(|category| (category.name.clone(), category)).collect();
    let mut objects: BTreeMap<String, LibraryObject> = BTreeMap::new();
    let mut computed = 0;
    for (index, draft) in drafts.iter().enumerate() {
        let (shape, fresh) = match done.remove(&index) {
            Some(Ok(found)) => found,
            Some(Err(error)) => {
                notes.push(format!("'{}' is left out: {error}", draft.name));
                continue;
            }
            None => continue,
        };
        computed += usize::from(fresh);
        if objects.contains_key(&draft.name) {
            notes.push(format!("'{}' is there twice: the second is left out", draft.name));
            continue;
        }
        let category = categories.entry(draft.category.clone()).or_insert_with(|| ObjectCategory {
            name: draft.category.clone(),
            ..ObjectCategory::default()
        });
        let mass_kg = draft.mass_kg.unwrap_or_else(|| usual_mass(category, shape.volume_m3));
        objects.insert(
            draft.name.clone(),
            LibraryObject {
                name: draft.name.clone(),
                category: draft.category.clone(),
                source: draft.source.clone(),
                licence: draft.licence.clone(),
                mass_kg,
                size_m: shape.bounds.size(),
                bounds: shape.bounds,
                scale: draft.scale,
                center_of_mass: shape.center_of_mass,
                rolls: !shape.poses.iter().any(super::StablePose::is_steady),
                ball_m: shape.ball_m,
                hulls: shape.hulls,
                poses: shape.poses,
                mesh: draft.mesh.clone(),
                loaded: Arc::default(),
            },
        );
    }
    if computed > 0 && !shapes.baked.shapes.is_empty() {
        notes.push(format!(
            "the shapes of {computed} objects are not in shapes.bin and were computed now"
        ));
    }
    Library {
        objects: objects.into_values().collect(),
        categories: categories.into_values().collect(),
        notes,
    }
}

/// Mass where the source states none: by density, within what is usual for the category.
fn usual_mass(category: &ObjectCategory, volume_m3: f32) -> f32 {
    let mass = (volume_m3 * DENSITY).max(0.002);
    match category.mass_kg {
        [least, most] if least > 0.0 && most >= least => mass.clamp(least, most),
        _ => mass,
    }
}

/// The shape, and whether it was computed now.
fn shape_of(
    mesh: &MeshSource,
    center_of_mass: Option<Vec3>,
    shapes: &Shapes<'_>,
) -> Result<(ObjectShape, bool), SceneError> {
    let key = shape_key(mesh, center_of_mass)?;
    if let Some(shape) = shapes.baked.shapes.get(&key) {
        return Ok((shape.clone(), false));
    }
    let file = shapes.cache.map(|folder| {
        let name: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        folder.join(format!("{name}.shape"))
    });
    // A cache that cannot be read or written costs time, not the result.
    if let Some(file) = &file
        && let Ok(store) = ShapeStore::read(file)
        && let Some(shape) = store.shapes.get(&key)
    {
        return Ok((shape.clone(), false));
    }
    let shape = compute_shape(mesh, center_of_mass)?;
    if let Some(file) = &file {
        let _ = ShapeStore { shapes: BTreeMap::from([(key, shape.clone())]) }.write(file);
    }
    Ok((shape, true))
}

/// The key of an object's shape in a [`ShapeStore`]; reads the mesh file.
pub(super) fn shape_key(
    mesh: &MeshSource,
    center_of_mass: Option<Vec3>,
) -> Result<[u8; 32], SceneError> {
    let center: Vec<u8> =
        center_of_mass.iter().flat_map(|c| c.to_array()).flat_map(f32::to_le_bytes).collect();
    match mesh {
        MeshSource::File { path, up, object_from_file } => {
            let mut content = read_file(path, 1 << 32)?;
            for side in side_files(path, &content) {
                content.extend(read_file(&side, 1 << 32)?);
            }
            let numbers = object_from_file.matrix.to_cols_array().into_iter();
            let map: Vec<u8> = numbers
                .chain(object_from_file.translation.to_array())
                .flat_map(f32::to_le_bytes)
                .collect();
            Ok(ShapeStore::key(&content, &[b"file", up.as_str().as_bytes(), &map, &center]))
        }
        MeshSource::Recipe(recipe) => Ok(ShapeStore::key(&recipe_bytes(recipe), &[b"recipe", &center])),
    }
}

/// What of a recipe determines its shape; colours and words do not.
fn recipe_bytes(recipe: &Recipe) -> Vec<u8> {
    let mut out = recipe.kind.as_bytes().to_vec();
    out.push(0);
    out.extend(recipe.size_m.into_iter().flat_map(f32::to_le_bytes));
    out.extend(recipe.style.to_le_bytes());
    out
}

/// Buffers that a `.gltf` file names, in its folder.
fn side_files(path: &Path, content: &[u8]) -> Vec<PathBuf> {
    if path.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("gltf")) {
        return Vec::new();
    }
    let Ok(root) = serde_json::from_slice::<serde_json::Value>(content) else { return Vec::new() };
    let folder = path.parent().unwrap_or(Path::new(""));
    let buffers = root.get("buffers").and_then(|list| list.as_array()).into_iter().flatten();
    buffers
        .filter_map(|buffer| buffer.get("uri")?.as_str())
        .filter(|uri| !uri.contains(':') && !uri.contains("..") && !uri.starts_with('/'))
        .map(|uri| folder.join(uri))
        .filter(|file| file.is_file())
        .collect()
}

pub(super) fn compute_shape(
    mesh: &MeshSource,
    center_of_mass: Option<Vec3>,
) -> Result<ObjectShape, SceneError> {
    let (model, pieces) = match mesh {
        MeshSource::Recipe(recipe) => {
            let (model, pieces) = recipes::make(recipe)?;
            (model, Some(pieces))
        }
        MeshSource::File { .. } => (mesh.load()?, None),
    };
    ObjectShape::compute(&model, pieces.as_deref(), center_of_mass, &DecomposeOptions::default())
        .ok_or_else(|| {
            let path = match mesh {
                MeshSource::File { path, .. } => path.as_path(),
                MeshSource::Recipe(_) => Path::new("recipe"),
            };
            SceneError::malformed(
                path,
                ambler_geometry::Place::Whole,
                "the mesh has no extent that could be a solid",
                "export the object again",
            )
        })
}

/// A file at its own scale: `scale` metres a unit.
pub(super) fn file(path: PathBuf, up: UpAxis, scale: f32) -> MeshSource {
    let object_from_file = ambler_geometry::Affine {
        matrix: ambler_geometry::Mat3::from_diagonal(Vec3::splat(scale)),
        translation: Vec3::ZERO,
    };
    MeshSource::File { path, up, object_from_file }
}
