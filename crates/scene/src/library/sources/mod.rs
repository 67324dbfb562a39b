//! Data sets in their publishers' layouts.

mod abo;
mod gso;
mod habitat;
mod listing;
mod plain;
mod thor;
mod vocabulary;
mod ycb;

use super::draft::Draft;
use super::{LibraryOptions, ObjectCategory};
use crate::SceneError;
use ambler_geometry::Place;
use listing::Listing;
use std::path::Path;
use vocabulary::Vocabulary;

/// What a loader found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) drafts: Vec<Draft>,
    pub(super) categories: Vec<ObjectCategory>,
    pub(super) notes: Vec<String>,
}

/// What all loaders work with.
struct Reading<'a> {
    folder: &'a Path,
    listing: Listing,
    vocabulary: Vocabulary<'a>,
    options: &'a LibraryOptions,
}

/// Finds out what kind of folder it is, by what lies in it, and reads it.
pub(super) fn read(folder: &Path, options: &LibraryOptions) -> Result<Found, SceneError> {
    let listing = Listing::of(folder)?;
    let vocabulary = Vocabulary::new(&options.vocabulary);
    let reading = Reading { folder, listing, vocabulary, options };
    let loaders: [fn(&Reading<'_>) -> Result<Option<Found>, SceneError>; 6] =
        [ycb::read, thor::read, abo::read, habitat::read, gso::read, plain::read];
    for loader in loaders {
        if let Some(mut found) = loader(&reading)? {
            found.notes.extend(reading.listing.notes.iter().cloned());
            found.categories.extend(reading.vocabulary.used(&found.drafts));
            return Ok(found);
        }
    }
    Err(SceneError::malformed(
        folder,
        Place::Whole,
        "holds no object library",
        "name a folder with catalogue.ron, or with objects of YCB, Google Scanned Objects, ABO, AI2-THOR or Habitat, or with .glb, .gltf or .obj files",
    ))
}

/// JSON from other people's files.
fn parse_json(bytes: &[u8], path: &Path) -> Result<serde_json::Value, SceneError> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    serde_json::from_slice(bytes).map_err(|error| {
        let place = Place::Line(error.line() as u64);
        SceneError::malformed(path, place, format!("is no JSON ({error})"), "download the file again")
    })
}
