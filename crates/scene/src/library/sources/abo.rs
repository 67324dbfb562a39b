//! Amazon Berkeley Objects (Collins et al. 2022): `listings/metadata/listings_*.json(.gz)`, one JSON
//! object a line with `3dmodel_id`, `product_type`, `item_weight`; `3dmodels/metadata/3dmodels.csv(.gz)`
//! with `3dmodel_id` and `path`; meshes under `3dmodels/original/`. Y up, metres.

use super::listing::{path, stem};
use super::{Found, Reading};
use crate::files::read_file;
use crate::library::draft::{self, Draft};
use crate::{Licence, SceneError, UpAxis};
use ambler_geometry::Place;
use serde_json::Value;
use std::collections::BTreeMap;

/// Bytes of one table after unpacking.
const TABLE_BYTES: u64 = 1 << 30;

/// What a listing says about a model.
#[derive(Default)]
struct Listed {
    kind: String,
    mass_kg: Option<f32>,
}

pub(super) fn read(reading: &Reading<'_>) -> Result<Option<Found>, SceneError> {
    let tables: Vec<&str> = reading
        .listing
        .files
        .iter()
        .map(String::as_str)
        .filter(|file| {
            let name = file.rsplit('/').next().unwrap_or("");
            name.starts_with("listings") && (name.ends_with(".json") || name.ends_with(".json.gz"))
        })
        .collect();
    let models_table =
        reading.listing.ending(&["3dmodels.csv", "3dmodels.csv.gz"]).map(str::to_owned).next();
    if tables.is_empty() && models_table.is_none() {
        return Ok(None);
    }
    let mut listed = BTreeMap::new();
    for table in &tables {
        read_listing(reading, table, &mut listed)?;
    }
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    for file in reading.listing.ending(&[".glb", ".gltf"]) {
        files.insert(stem(file).to_owned(), file.to_owned());
    }
    let mut found = Found::default();
    if let Some(table) = &models_table {
        let absent = models(reading, table)?.into_iter().filter(|id| !files.contains_key(id)).count();
        if absent > 0 {
            found.notes.push(format!("{absent} models of {table} are not in the folder"));
        }
    }
    let mut unlisted = 0;
    for (id, file) in files {
        let known = listed.remove(&id);
        unlisted += usize::from(known.is_none());
        let known = known.unwrap_or_default();
        let category = if known.kind.is_empty() {
            "object".to_owned()
        } else {
            let plain = known.kind.to_lowercase();
            reading
                .vocabulary
                .find(&plain)
                .map_or_else(|| reading.vocabulary.category(&plain), str::to_owned)
        };
        found.drafts.push(Draft {
            name: format!("abo_{id}"),
            category,
            source: "Amazon Berkeley Objects".into(),
            licence: Licence {
                name: "CC-BY-4.0".into(),
                credit: "Amazon Berkeley Objects (Collins et al. 2022), Amazon.com".into(),
            },
            mass_kg: known.mass_kg,
            scale: 1.0,
            center_of_mass: None,
            mesh: draft::file(path(reading.folder, &file), UpAxis::Y, 1.0),
        });
    }
    if unlisted > 0 {
        found.notes.push(format!("{unlisted} models have no listing: their category is 'object'"));
    }
    Ok(Some(found))
}

/// The text of a table; [`read_file`] unpacks what is gzipped.
fn text(reading: &Reading<'_>, file: &str) -> Result<String, SceneError> {
    let path = path(reading.folder, file);
    let bytes = read_file(&path, TABLE_BYTES)?;
    String::from_utf8(bytes).map_err(|_| {
        SceneError::malformed(&path, Place::Whole, "is not text in UTF-8", "download the file again")
    })
}

fn read_listing(
    reading: &Reading<'_>,
    file: &str,
    listed: &mut BTreeMap<String, Listed>,
) -> Result<(), SceneError> {
    for (number, line) in text(reading, file)?.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let item: Value = serde_json::from_str(line).map_err(|error| {
            SceneError::malformed(
                &path(reading.folder, file),
                Place::Line(number as u64 + 1),
                format!("is no JSON ({error})"),
                "download the file again",
            )
        })?;
        let Some(id) = item.get("3dmodel_id").and_then(Value::as_str) else { continue };
        let first = |key: &str| item.get(key).and_then(|list| list.get(0).or(Some(list)));
        let kind = first("product_type").and_then(|kind| kind.get("value").unwrap_or(kind).as_str());
        let weight = first("item_weight").map(|weight| weight.get("normalized_value").unwrap_or(weight));
        let mass = weight.and_then(|weight| {
            let value = weight.get("value")?.as_f64()? as f32;
            let unit = weight.get("unit").and_then(Value::as_str).unwrap_or("pounds");
            let factor = match unit {
                "kilograms" => 1.0,
                "grams" => 1e-3,
                "ounces" => 0.028_349_523,
                "pounds" => 0.453_592_37,
                _ => return None,
            };
            Some(value * factor).filter(|mass| *mass > 0.0 && *mass < 1000.0)
        });
        listed.insert(id.to_owned(), Listed { kind: kind.unwrap_or("").to_owned(), mass_kg: mass });
    }
    Ok(())
}

/// The ids in the table of models.
fn models(reading: &Reading<'_>, file: &str) -> Result<Vec<String>, SceneError> {
    let text = text(reading, file)?;
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or("").split(',').map(str::trim).collect();
    let Some(column) = header.iter().position(|name| *name == "3dmodel_id") else {
        return Err(SceneError::malformed(
            &path(reading.folder, file),
            Place::Line(1),
            "has no column '3dmodel_id'",
            "download the file again",
        ));
    };
    let ids = lines.filter_map(|line| line.split(',').nth(column)).map(str::trim);
    Ok(ids.filter(|id| !id.is_empty()).map(str::to_owned).collect())
}
