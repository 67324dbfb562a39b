//! Small household objects that move in a home: what they look like, what they are called, how heavy
//! they are, the convex pieces that physics sees, and the poses in which they come to rest.
//!
//! A [`Library`] is read from a folder: Ambler's own with a catalogue ([`catalogue`]), or a data set
//! in its publisher's layout (YCB, Google Scanned Objects, Amazon Berkeley Objects, AI2-THOR exports,
//! Habitat object configs, or bare mesh files). [`place`] puts objects into a scene.
//!
//! Object frame: metres, +Y up when the object stands as people put it, scale worked in.

pub mod catalogue;
pub mod convex;
mod decisions;
mod draft;
mod model;
mod place;
mod poses;
#[allow(
    clippy::approx_constant,
    reason = "angles of a recipe are chosen; a digit more changes its bytes"
)]
pub mod recipes;
mod shapes;
mod sources;

pub use decisions::{DECISIONS, Decided, Decision, Decisions};
pub use model::{MeshSource, ObjectModel};
pub use place::{PlacedObject, place};
pub use poses::{StablePose, stable_poses};
pub use shapes::{ObjectShape, ShapeStore};

use crate::{Licence, SceneError, normal_name};
use ambler_geometry::{Aabb, Place, Vec3};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// A library of objects, sorted by name.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// The objects, sorted by name; names are unique.
    pub objects: Vec<LibraryObject>,
    /// The categories, sorted by name; every object's category is among them.
    pub categories: Vec<ObjectCategory>,
    /// What was odd but harmless; each said once.
    pub notes: Vec<String>,
}

/// What an object is called.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectCategory {
    /// Name in Ambler's normal form ([`normal_name`]), such as `wine_glass`.
    pub name: String,
    /// Other names, as people write them.
    pub synonyms: Vec<String>,
    /// What it is a kind of, the nearest first: `tableware`, `kitchen_thing`.
    pub parents: Vec<String>,
    /// The usual extents in metres (width, height, depth as the object stands); zero where unknown.
    pub size_m: Vec3,
    /// The usual mass in kilograms, least and most; zero where unknown.
    pub mass_kg: [f32; 2],
}

/// One object.
#[derive(Clone, Debug)]
pub struct LibraryObject {
    /// Unique in its library.
    pub name: String,
    /// Name of its [`ObjectCategory`].
    pub category: String,
    /// Where it comes from: a data set's name, or `Ambler`.
    pub source: String,
    /// Licence and credit.
    pub licence: Licence,
    /// Mass in kilograms.
    pub mass_kg: f32,
    /// Extents of its bounds in metres, scale worked in.
    pub size_m: Vec3,
    /// Bounds in the object's frame.
    pub bounds: Aabb,
    /// What the file's units were multiplied by to give metres.
    pub scale: f32,
    /// Centre of mass in the object's frame.
    pub center_of_mass: Vec3,
    /// Convex pieces, together the object's collision shape.
    pub hulls: Arc<[Hull]>,
    /// Poses in which it rests on a plane, the most probable first; at least one.
    pub poses: Vec<StablePose>,
    /// The radius in metres of a ball, which physics may take instead of its pieces; 0 for what is none.
    pub ball_m: f32,
    /// True where no pose holds it: a ball, a cylinder that cannot stand. See [`StablePose::is_steady`].
    pub rolls: bool,
    /// What is drawn, loaded by [`LibraryObject::model`].
    pub mesh: MeshSource,
    loaded: Arc<OnceLock<ObjectModel>>,
}

/// One convex piece of an object, in the object's frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hull {
    /// The corners, metres: each lies on the hull's border, at least four, not in one plane.
    pub points: Vec<Vec3>,
}

/// How a library is read.
#[derive(Clone, Debug, Default)]
pub struct LibraryOptions {
    /// Where convex pieces and poses are kept between readings, keyed by content; `None` computes
    /// them anew whenever no baked file beside the catalogue holds them.
    pub cache: Option<PathBuf>,
    /// Metres that one unit of the files stands for, in data sets whose unit is not known; `None`
    /// sizes such objects by their category, and says so.
    pub unit_m: Option<f32>,
    /// Threads that decompose objects; 0 = one.
    pub workers: usize,
    /// Keep objects that [`DECISIONS`] rejects.
    pub keep_rejected: bool,
    /// Categories that names in data sets are matched with, and whose usual sizes and masses hold
    /// where a data set states none: those of the shipped library, say.
    pub vocabulary: Vec<ObjectCategory>,
}

impl Library {
    /// Reads the library in `folder` with the default options: see [`Library::read_with`].
    ///
    /// # Errors
    /// As [`Library::read_with`].
    pub fn read(folder: &Path) -> Result<Self, SceneError> {
        Self::read_with(folder, &LibraryOptions::default())
    }

    /// Reads the library in `folder`. What kind of folder it is is told by what lies in it; an object
    /// that cannot be read is left out with a note, as long as others can.
    ///
    /// # Errors
    /// [`SceneError`] with file, place, what and remedy where the folder holds no library, its
    /// catalogue is wrong, or none of its objects can be read.
    pub fn read_with(folder: &Path, options: &LibraryOptions) -> Result<Self, SceneError> {
        let decisions = Decisions::read(folder)?;
        let mut library = if folder.join(catalogue::CATALOGUE).is_file() {
            catalogue::read(folder, options)?
        } else {
            let found = sources::read(folder, options)?;
            let shapes = draft::Shapes { baked: ShapeStore::default(), cache: options.cache.as_deref() };
            draft::finish(found.drafts, found.categories, &shapes, options, found.notes)
        };
        if library.objects.is_empty() {
            let why = library.notes.first().map_or_else(String::new, |note| format!(" ({note})"));
            return Err(SceneError::malformed(
                folder,
                Place::Whole,
                format!("holds no object that can be read{why}"),
                "see the notes, or name another folder",
            ));
        }
        if !options.keep_rejected {
            let before = library.objects.len();
            library.objects.retain(|object| !decisions.rejects(Decided::Objects, &object.name));
            let left_out = before - library.objects.len();
            if left_out > 0 {
                library
                    .notes
                    .push(format!("{left_out} objects are rejected in {DECISIONS} and left out"));
            }
        }
        Ok(library)
    }

    /// The object of this name.
    pub fn object(&self, name: &str) -> Option<&LibraryObject> {
        let index = self.objects.binary_search_by(|object| object.name.as_str().cmp(name)).ok()?;
        self.objects.get(index)
    }

    /// The category of this name, or with this synonym (in any spelling that [`normal_name`] makes
    /// equal).
    pub fn category(&self, name: &str) -> Option<&ObjectCategory> {
        let name = normal_name(name);
        self.categories.iter().find(|category| category.name == name).or_else(|| {
            self.categories
                .iter()
                .find(|category| category.synonyms.iter().any(|s| normal_name(s) == name))
        })
    }

    /// The objects of a category, by its name, in order of their names.
    pub fn of_category<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a LibraryObject> {
        self.objects.iter().filter(move |object| object.category == name)
    }
}

impl LibraryObject {
    /// What is drawn: meshes, materials, textures, in the object's frame. Loaded at the first call and
    /// kept; the copies share their meshes and textures.
    ///
    /// # Errors
    /// [`SceneError`] where the mesh file cannot be read any more.
    pub fn model(&self) -> Result<ObjectModel, SceneError> {
        if let Some(model) = self.loaded.get() {
            return Ok(model.clone());
        }
        let model = self.mesh.load()?;
        Ok(self.loaded.get_or_init(|| model).clone())
    }
}
