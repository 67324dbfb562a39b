//! AI2-THOR: meshes exported as `ASSET.glb` (or .gltf, .obj) beside ProcTHOR's `asset-database.json`,
//! which knows each asset's type and its true bounding box. Y up; sized by the boxes. Only what the
//! database says can be picked up is an object that moves.

use super::listing::{path, stem};
use super::{Found, Reading};
use crate::files::read_file;
use crate::library::draft::{self, Draft};
use crate::{Licence, SceneError, UpAxis};
use ambler_geometry::{Place, Vec3};
use serde_json::Value;
use std::collections::BTreeMap;

pub(super) const DATABASE: &str = "asset-database.json";

/// An asset as the database describes it.
pub(super) struct Asset {
    pub(super) kind: String,
    pub(super) size_m: Vec3,
    pub(super) moves: bool,
}

/// The database: assets by id.
pub(super) fn database(value: &Value) -> Option<BTreeMap<String, Asset>> {
    let mut assets = BTreeMap::new();
    for (kind, list) in value.as_object()? {
        for item in list.as_array()? {
            let Some(id) = item.get("assetId").and_then(Value::as_str) else { continue };
            let side = |axis: &str| {
                let side = item.get("boundingBox").and_then(|b| b.get(axis)).and_then(Value::as_f64);
                side.filter(|side| *side > 0.0 && *side < 100.0).unwrap_or(0.0) as f32
            };
            let property = item.get("primaryProperty").and_then(Value::as_str).unwrap_or("");
            assets.insert(
                id.to_owned(),
                Asset {
                    kind: kind.clone(),
                    size_m: Vec3::new(side("x"), side("y"), side("z")),
                    moves: property == "CanPickup",
                },
            );
        }
    }
    Some(assets)
}

pub(super) fn read(reading: &Reading<'_>) -> Result<Option<Found>, SceneError> {
    let Some(file) = reading.listing.files.iter().find(|file| file.rsplit('/').next() == Some(DATABASE))
    else {
        return Ok(None);
    };
    let database_path = path(reading.folder, file);
    let value = super::parse_json(&read_file(&database_path, 256 << 20)?, &database_path)?;
    let Some(assets) = database(&value) else {
        return Err(SceneError::malformed(
            &database_path,
            Place::Whole,
            "is no map from types to lists of assets",
            "take asset-database.json from the ProcTHOR package",
        ));
    };
    let mut found = Found::default();
    let mut fixed = 0;
    for file in reading.listing.ending(&[".glb", ".gltf", ".obj"]) {
        let Some(asset) = assets.get(stem(file)) else {
            found.notes.push(format!("'{file}' is not in {DATABASE} and is left out"));
            continue;
        };
        if !asset.moves {
            fixed += 1;
            continue;
        }
        let mesh_path = path(reading.folder, file);
        let bounds = match draft::file(mesh_path.clone(), UpAxis::Y, 1.0).load() {
            Ok(model) => model.bounds().size(),
            Err(error) => {
                found.notes.push(format!("'{file}' is left out: {error}"));
                continue;
            }
        };
        let scale = match asset.size_m.max_element() / bounds.max_element() {
            scale if scale.is_finite() && scale > 0.0 && asset.size_m.min_element() > 0.0 => scale,
            _ => 1.0,
        };
        let scale = if (scale - 1.0).abs() < 0.02 { 1.0 } else { scale };
        if scale != 1.0 {
            found.notes.push(format!(
                "'{}' is scaled by {scale:.4} to its bounding box in {DATABASE}",
                stem(file)
            ));
        }
        found.drafts.push(Draft {
            name: format!("thor_{}", crate::normal_name(stem(file))),
            category: reading.vocabulary.category(&asset.kind),
            source: "AI2-THOR".into(),
            licence: Licence {
                name: "Apache-2.0".into(),
                credit: "Allen Institute for AI, AI2-THOR".into(),
            },
            mass_kg: None,
            scale,
            center_of_mass: None,
            mesh: draft::file(mesh_path, UpAxis::Y, scale),
        });
    }
    if fixed > 0 {
        found.notes.push(format!("{fixed} assets that cannot be picked up are left out"));
    }
    if found.drafts.is_empty() {
        return Err(SceneError::malformed(
            &database_path,
            Place::Whole,
            format!(
                "knows {} assets, but no mesh of one that can be picked up lies beside it",
                assets.len()
            ),
            "export the assets as ASSET.glb into this folder",
        ));
    }
    Ok(Some(found))
}
