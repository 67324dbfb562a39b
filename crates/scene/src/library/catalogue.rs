//! `catalogue.ron`: a library that a person can read and edit. docs/OBJECTS.md explains each field.

use super::draft::{self, Draft, Shapes};
use super::recipes::Recipe;
use super::{Library, LibraryOptions, MeshSource, ObjectCategory, ObjectShape, ShapeStore};
use crate::files::read_file;
use crate::{Licence, SceneError, UpAxis, normal_name};
use ambler_geometry::{Place, Vec3};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Component, Path};

/// The version this build reads and writes.
pub const VERSION: u32 = 1;
/// Names of the files in a library's folder.
pub const CATALOGUE: &str = "catalogue.ron";
/// The baked shapes.
pub const SHAPES: &str = "shapes.bin";
/// Bytes that a catalogue may have.
const CATALOGUE_BYTES: u64 = 64 << 20;

/// The whole file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalogue {
    /// [`VERSION`].
    pub version: u32,
    /// Where objects come from.
    #[serde(default)]
    pub sources: Vec<Source>,
    /// What objects are called.
    pub categories: Vec<Category>,
    /// The objects.
    pub objects: Vec<Object>,
}

/// A source with its licence.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Short name that objects refer to.
    pub name: String,
    /// SPDX expression or short name of the licence.
    pub licence: String,
    /// Whom to credit.
    #[serde(default)]
    pub credit: String,
}

/// A category.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Category {
    /// Name, lower snake case.
    pub name: String,
    /// Other names, as people write them.
    #[serde(default)]
    pub synonyms: Vec<String>,
    /// What it is a kind of, the nearest first.
    #[serde(default)]
    pub parents: Vec<String>,
    /// Usual width, height and depth in metres.
    #[serde(default)]
    pub size_m: [f32; 3],
    /// Usual mass in kilograms, least and most.
    #[serde(default)]
    pub mass_kg: [f32; 2],
}

/// An object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Object {
    /// Unique name.
    pub name: String,
    /// Name of its category.
    pub category: String,
    /// Name of its source; [`AMBLER`] without.
    #[serde(default = "ambler", skip_serializing_if = "is_ambler")]
    pub source: String,
    /// Mass in kilograms; without, by volume within what is usual for the category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass_kg: Option<f32>,
    /// What it looks like.
    pub mesh: Looks,
    /// Axis of the file that points up.
    #[serde(default, skip_serializing_if = "is_y")]
    pub up: crate::description::AssetUp,
    /// Metres that one unit of the file stands for.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub scale: f32,
    /// Centre of mass in the object's frame, metres; without, that of its pieces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub center_of_mass: Option<[f32; 3]>,
}

/// Where an object's looks come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Looks {
    /// A mesh file in the library's folder.
    File(String),
    /// A recipe.
    Recipe(Recipe),
}

/// The source of recipes: part of Ambler, under Ambler's licence.
pub const AMBLER: &str = "ambler";
/// The licence of recipes.
pub const AMBLER_LICENCE: &str = "MIT OR Apache-2.0";

fn ambler() -> String {
    AMBLER.to_owned()
}
fn is_ambler(name: &str) -> bool {
    name == AMBLER
}
fn is_y(up: &crate::description::AssetUp) -> bool {
    *up == crate::description::AssetUp::Y
}
fn one() -> f32 {
    1.0
}
fn is_one(scale: &f32) -> bool {
    *scale == 1.0
}

/// Reads a catalogue from memory; `path` is for messages.
///
/// # Errors
/// [`SceneError::Malformed`] with line or field, and what to do.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Catalogue, SceneError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let place = Place::Byte(error.valid_up_to() as u64);
        SceneError::malformed(path, place, "is not text in UTF-8", "save it as UTF-8")
    })?;
    let catalogue: Catalogue = ron::from_str(text).map_err(|error| {
        let place = Place::Line(error.span.start.line as u64);
        SceneError::malformed(path, place, error.code.to_string(), "docs/OBJECTS.md shows the format")
    })?;
    check(&catalogue, path)?;
    Ok(catalogue)
}

fn check(catalogue: &Catalogue, path: &Path) -> Result<(), SceneError> {
    let fault = |place: String, what: String, remedy: &str| {
        Err(SceneError::malformed(path, Place::Pointer(place), what, remedy))
    };
    if catalogue.version != VERSION {
        return fault(
            "/version".into(),
            format!("version {}", catalogue.version),
            "this build reads version 1",
        );
    }
    let mut categories = BTreeSet::new();
    for (index, category) in catalogue.categories.iter().enumerate() {
        let place = format!("/categories/{index}");
        if category.name.is_empty() || normal_name(&category.name) != category.name {
            let what =
                format!("'{}' is no name in lower snake case", crate::files::shorten(&category.name));
            return fault(place, what, "write it as 'wine_glass'");
        }
        if !categories.insert(category.name.as_str()) {
            return fault(place, format!("'{}' is there twice", category.name), "join the two entries");
        }
        let numbers = category.size_m.iter().chain(&category.mass_kg);
        if !numbers.clone().all(|number| (0.0..=1000.0).contains(number)) {
            return fault(
                place,
                "a size or mass is not sensible".into(),
                "metres and kilograms, 0 if unknown",
            );
        }
    }
    let sources: BTreeSet<&str> = catalogue.sources.iter().map(|source| source.name.as_str()).collect();
    let mut names = BTreeSet::new();
    for (index, object) in catalogue.objects.iter().enumerate() {
        let place = format!("/objects/{index}");
        if object.name.is_empty() || !names.insert(object.name.as_str()) {
            return fault(
                place,
                format!("the name '{}' is empty or there twice", object.name),
                "rename it",
            );
        }
        if !categories.contains(object.category.as_str()) {
            let what = format!("'{}' is of the unknown category '{}'", object.name, object.category);
            return fault(place, what, "add it under categories");
        }
        if object.source != AMBLER && !sources.contains(object.source.as_str()) {
            let what = format!("'{}' has the unknown source '{}'", object.name, object.source);
            return fault(place, what, "add it under sources, with its licence");
        }
        let scale_fits = object.scale > 0.0 && object.scale <= 1e4;
        let mass_fits = object.mass_kg.is_none_or(|mass| mass > 0.0 && mass <= 1000.0);
        let center_fits = object.center_of_mass.is_none_or(|c| c.iter().all(|part| part.abs() <= 10.0));
        if !(scale_fits && mass_fits && center_fits) {
            let what = format!("scale, mass or centre of mass of '{}' is not sensible", object.name);
            return fault(place, what, "metres and kilograms, above 0");
        }
        if let Looks::File(file) = &object.mesh {
            let inside = Path::new(file).components().all(|part| matches!(part, Component::Normal(_)));
            if file.is_empty() || !inside || file.contains('\\') {
                let what = format!("'{}' leads out of the folder", crate::files::shorten(file));
                return fault(place, what, "name a file in the library's folder");
            }
        }
    }
    Ok(())
}

/// The licence of a source.
fn licence(catalogue: &Catalogue, source: &str) -> Licence {
    match catalogue.sources.iter().find(|known| known.name == source) {
        Some(known) => Licence { name: known.licence.clone(), credit: known.credit.clone() },
        None => Licence { name: AMBLER_LICENCE.into(), credit: "Ambler".into() },
    }
}

fn looks(object: &Object, folder: &Path) -> MeshSource {
    let up = match object.up {
        crate::description::AssetUp::Y => UpAxis::Y,
        crate::description::AssetUp::Z => UpAxis::Z,
    };
    match &object.mesh {
        Looks::File(file) => draft::file(folder.join(file), up, object.scale),
        Looks::Recipe(recipe) => MeshSource::Recipe(recipe.clone()),
    }
}

/// Reads the catalogue in a folder and makes its library.
pub(super) fn read(folder: &Path, options: &LibraryOptions) -> Result<Library, SceneError> {
    let path = folder.join(CATALOGUE);
    let catalogue = parse(&read_file(&path, CATALOGUE_BYTES)?, &path)?;
    let mut notes = Vec::new();
    let shapes_file = folder.join(SHAPES);
    let baked = if shapes_file.is_file() {
        ShapeStore::read(&shapes_file).unwrap_or_else(|error| {
            notes.push(format!("{error}"));
            ShapeStore::default()
        })
    } else {
        ShapeStore::default()
    };
    let drafts = catalogue
        .objects
        .iter()
        .map(|object| Draft {
            name: object.name.clone(),
            category: object.category.clone(),
            source: object.source.clone(),
            licence: licence(&catalogue, &object.source),
            mass_kg: object.mass_kg,
            scale: object.scale,
            center_of_mass: object.center_of_mass.map(Vec3::from_array),
            mesh: looks(object, folder),
        })
        .collect();
    let categories = catalogue
        .categories
        .into_iter()
        .map(|category| ObjectCategory {
            name: category.name,
            synonyms: category.synonyms,
            parents: category.parents,
            size_m: Vec3::from_array(category.size_m),
            mass_kg: category.mass_kg,
        })
        .collect();
    let shapes = Shapes { baked, cache: options.cache.as_deref() };
    Ok(draft::finish(drafts, categories, &shapes, options, notes))
}

/// Computes the shapes of all objects of a catalogue's folder: what [`SHAPES`] should hold. Shapes
/// that `known` has are taken from there.
///
/// # Errors
/// [`SceneError`] for the first object that cannot be read.
pub fn bake(folder: &Path, known: &ShapeStore) -> Result<ShapeStore, SceneError> {
    let path = folder.join(CATALOGUE);
    let catalogue = parse(&read_file(&path, CATALOGUE_BYTES)?, &path)?;
    let mut store = ShapeStore::default();
    for object in &catalogue.objects {
        let mesh = looks(object, folder);
        let center = object.center_of_mass.map(Vec3::from_array);
        let key = draft::shape_key(&mesh, center)?;
        let kept = match known.shapes.get(&key) {
            // A recipe's code may have changed under the same key.
            Some(shape) if shape.geometry == ObjectShape::geometry_of(&mesh.load()?) => {
                Some(shape.clone())
            }
            _ => None,
        };
        let shape = match kept {
            Some(shape) => shape,
            None => draft::compute_shape(&mesh, center)?,
        };
        store.shapes.insert(key, shape);
    }
    Ok(store)
}
