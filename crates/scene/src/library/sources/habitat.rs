//! Habitat's `*.object_config.json`: `render_asset`, `scale`, `units_to_meters`, `mass`, `COM`, `up`,
//! `front`. Collision assets and primitives are not used: pieces come from the render asset. The
//! category is the config's name, or what `user_defined.category` says.

use super::listing::{beside, path, stem};
use super::{Found, Reading};
use crate::files::read_file;
use crate::library::MeshSource;
use crate::library::draft::Draft;
use crate::{Licence, SceneError, UpAxis};
use ambler_geometry::{Affine, Mat3, Place, Vec3};
use serde_json::Value;
use std::path::Path;

const ENDING: &str = ".object_config.json";

pub(super) fn read(reading: &Reading<'_>) -> Result<Option<Found>, SceneError> {
    let mut found = Found::default();
    let mut configs = 0;
    let mut primitives = 0;
    for file in reading.listing.ending(&[ENDING]) {
        configs += 1;
        let config_path = path(reading.folder, file);
        let draft = read_file(&config_path, 16 << 20)
            .and_then(|bytes| super::parse_json(&bytes, &config_path))
            .and_then(|config| draft_of(reading, file, &config_path, &config));
        match draft {
            Ok((draft, primitive)) => {
                primitives += usize::from(primitive);
                found.drafts.push(draft);
            }
            Err(error) => found.notes.push(format!("'{file}' is left out: {error}")),
        }
    }
    if configs == 0 {
        return Ok(None);
    }
    if primitives > 0 {
        found.notes.push(format!(
            "{primitives} objects name a collision asset of their own: pieces come from what is drawn"
        ));
    }
    Ok(Some(found))
}

fn draft_of(
    reading: &Reading<'_>,
    file: &str,
    config_path: &Path,
    config: &Value,
) -> Result<(Draft, bool), SceneError> {
    let fault = |place: &str, what: String, remedy: &str| {
        SceneError::malformed(config_path, Place::Pointer(place.into()), what, remedy)
    };
    let Some(asset) = config.get("render_asset").and_then(Value::as_str) else {
        return Err(fault("/render_asset", "is missing".into(), "name the mesh file"));
    };
    let Some(mesh_file) = beside(file, asset).filter(|mesh| reading.listing.has(mesh)) else {
        let what = format!("'{}' is not in the folder", crate::files::shorten(asset));
        return Err(fault("/render_asset", what, "copy the mesh beside its config"));
    };
    let vector = |key: &str, otherwise: Vec3| -> Result<Vec3, SceneError> {
        let Some(value) = config.get(key) else { return Ok(otherwise) };
        let part = |i: usize| value.get(i).and_then(Value::as_f64).map(|part| part as f32);
        match (part(0), part(1), part(2)) {
            (Some(x), Some(y), Some(z)) if Vec3::new(x, y, z).abs().max_element() < 1e6 => {
                Ok(Vec3::new(x, y, z))
            }
            _ => Err(fault(&format!("/{key}"), "is no list of three numbers".into(), "write [x, y, z]")),
        }
    };
    let number = |key: &str| config.get(key).and_then(Value::as_f64).map(|value| value as f32);
    let units = number("units_to_meters").unwrap_or(1.0);
    let scale = vector("scale", Vec3::ONE)? * units;
    if !(scale.min_element() > 0.0 && scale.max_element() < 1e5) {
        return Err(fault("/scale", format!("is {scale}"), "give factors above 0"));
    }
    let up = vector("up", Vec3::Y)?.normalize_or_zero();
    let front = vector("front", Vec3::NEG_Z)?.reject_from_normalized(up).normalize_or_zero();
    if up == Vec3::ZERO || front == Vec3::ZERO {
        return Err(fault(
            "/up",
            "up and front are no two directions".into(),
            "write [0, 1, 0] and [0, 0, -1]",
        ));
    }
    // Rows of the rotation that takes up to +Y and front to −Z.
    let turn = Mat3::from_cols(front.cross(up), up, -front).transpose();
    let object_from_file = Affine { matrix: turn * Mat3::from_diagonal(scale), translation: Vec3::ZERO };
    let name = stem(file);
    let label = config.get("user_defined").and_then(|user| user.get("category")).and_then(Value::as_str);
    let category = match label {
        Some(label) => reading.vocabulary.category(label),
        None => reading.vocabulary.find(name).map_or_else(|| crate::normal_name(name), str::to_owned),
    };
    let mass_kg = number("mass").filter(|mass| *mass > 0.0 && *mass < 1000.0);
    let center_of_mass = match config.get("COM") {
        // Habitat writes zeros where it does not know; its own default is the middle of the bounds.
        Some(_) => Some(vector("COM", Vec3::ZERO)?).filter(|com| *com != Vec3::ZERO),
        None => None,
    };
    let own_collision = config
        .get("collision_asset")
        .and_then(Value::as_str)
        .is_some_and(|collision| collision != asset);
    let draft = Draft {
        name: name.to_owned(),
        category,
        source: "Habitat".into(),
        licence: Licence::default(),
        mass_kg,
        scale: scale.max_element(),
        center_of_mass: center_of_mass.map(|com| object_from_file.point(com)),
        mesh: MeshSource::File {
            path: path(reading.folder, &mesh_file),
            up: UpAxis::Y,
            object_from_file,
        },
    };
    Ok((draft, own_collision))
}
