//! Bare mesh files: .glb, .gltf, .obj, y up. The category is read from the name. Nothing says what one
//! unit is, so the size is checked against what is usual for the category.

use super::listing::{path, stem};
use super::{Found, Reading};
use crate::library::draft::{self, Draft};
use crate::{Licence, SceneError, UpAxis};

/// A mesh whose longest side is within this factor of the usual one is taken as metric.
const PLAUSIBLE: f32 = 1.8;
/// The longest side of a small object of unknown category, metres.
const LONGEST_M: f32 = 1.5;

pub(super) fn read(reading: &Reading<'_>) -> Result<Option<Found>, SceneError> {
    let mut found = Found::default();
    let mut files = 0;
    let mut unknown = Vec::new();
    for file in reading.listing.ending(&[".glb", ".gltf", ".obj"]) {
        files += 1;
        let mesh_path = path(reading.folder, file);
        let longest = match draft::file(mesh_path.clone(), UpAxis::Y, 1.0).load() {
            Ok(model) => model.bounds().size().max_element(),
            Err(error) => {
                found.notes.push(format!("'{file}' is left out: {error}"));
                continue;
            }
        };
        let category = reading.vocabulary.find(stem(file));
        let usual = category
            .and_then(|name| reading.vocabulary.get(name))
            .map_or(0.0, |category| category.size_m.max_element());
        let scale = match (reading.options.unit_m, usual) {
            (Some(unit), _) => unit,
            (None, usual) if usual > 0.0 => {
                let ratio = usual / longest;
                if (1.0 / PLAUSIBLE..=PLAUSIBLE).contains(&ratio) {
                    1.0
                } else {
                    found.notes.push(format!(
                        "'{file}' is {longest:.3} units long; scaled by {ratio:.4} to the usual size of a {} (state the unit to avoid this)",
                        category.unwrap_or("thing")
                    ));
                    ratio
                }
            }
            (None, _) if longest <= LONGEST_M => 1.0,
            (None, _) => {
                found.notes.push(format!(
                    "'{file}' is {longest:.3} units long and of no known category: left out (state the unit)"
                ));
                continue;
            }
        };
        if !(scale > 0.0 && scale.is_finite()) {
            found.notes.push(format!("'{file}' has no extent and is left out"));
            continue;
        }
        if category.is_none() {
            unknown.push(stem(file).to_owned());
        }
        found.drafts.push(Draft {
            name: crate::normal_name(
                &file.rsplit_once('.').map_or(file, |(name, _)| name).replace('/', "_"),
            ),
            category: category.map_or_else(|| crate::normal_name(stem(file)), str::to_owned),
            source: crate::assemble::file_name(reading.folder),
            licence: Licence::default(),
            mass_kg: None,
            scale,
            center_of_mass: None,
            mesh: draft::file(mesh_path, UpAxis::Y, scale),
        });
    }
    if files == 0 {
        return Ok(None);
    }
    if !unknown.is_empty() {
        unknown.truncate(8);
        found
            .notes
            .push(format!("of no known category, named after their files: {} …", unknown.join(", ")));
    }
    Ok(Some(found))
}
