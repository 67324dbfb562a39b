//! The YCB Object and Model Set (Calli et al. 2015): `002_master_chef_can/google_16k/textured.obj` as
//! published (z up), `NAME/textured.obj` as repackaged, or GLB files (y up) with `ycb_index.json`.
//! Masses from `ycb_mass.json` or the index, where they are there. Metres.

use super::listing::{parent, path, stem};
use super::{Found, Reading};
use crate::files::read_file;
use crate::library::draft::{self, Draft};
use crate::{Licence, SceneError, UpAxis};
use ambler_geometry::Place;
use serde_json::Value;
use std::collections::BTreeMap;

/// YCB's own names where they say a brand and not a thing.
const NAMES: &[(&str, &str)] = &[
    ("bleach_cleanser", "bleach_bottle"),
    ("cracker_box", "cracker_box"),
    ("foam_brick", "sponge"),
    ("gelatin_box", "gelatin_box"),
    ("knife", "table_knife"),
    ("master_chef_can", "coffee_can"),
    ("mini_soccer_ball", "soccer_ball"),
    ("mustard_bottle", "mustard_bottle"),
    ("pitcher_base", "pitcher"),
    ("potted_meat_can", "canned_meat"),
    ("pudding_box", "gelatin_box"),
    ("skillet", "frying_pan"),
    ("skillet_lid", "pot_lid"),
    ("tomato_soup_can", "soup_can"),
    ("tuna_fish_can", "canned_meat"),
    ("windex_bottle", "spray_bottle"),
];

/// `002_master_chef_can` without its number; `072-a_toy_airplane` keeps its letter: `a_toy_airplane`.
fn plain_name(name: &str) -> Option<String> {
    let (number, rest) = name.split_once('_')?;
    let (digits, letter) =
        number.split_once('-').map_or((number, None), |(digits, letter)| (digits, Some(letter)));
    if digits.len() != 3 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(letter.map_or_else(|| rest.to_owned(), |letter| format!("{letter}_{rest}")))
}

pub(super) fn read(reading: &Reading<'_>) -> Result<Option<Found>, SceneError> {
    let mut masses = BTreeMap::new();
    let mut files: BTreeMap<String, (String, UpAxis)> = BTreeMap::new();
    let index = reading.listing.has("ycb_index.json");
    if index {
        for file in reading.listing.ending(&[".glb"]).filter(|file| !file.contains('/')) {
            files.insert(stem(file).to_owned(), (file.to_owned(), UpAxis::Y));
        }
        masses.extend(index_masses(reading)?);
    }
    let numbered = |file: &str| {
        let folder = file.split('/').next().unwrap_or("");
        plain_name(folder).map(|name| (folder.to_owned(), name))
    };
    if reading.listing.has("ycb_mass.json") {
        masses.extend(mass_file(reading)?);
    }
    for file in reading.listing.ending(&["/textured.obj"]) {
        let of_set = index || masses.contains_key(stem(parent(file).trim_end_matches('/')));
        let name = match numbered(file) {
            Some((_, name)) => name,
            None if of_set => {
                parent(file).trim_end_matches('/').rsplit('/').next().unwrap_or("").to_owned()
            }
            None => continue,
        };
        // The smaller mesh, where several resolutions are there.
        let better = file.contains("google_16k") || !files.contains_key(&name);
        if better
            && !name.is_empty()
            && !files.get(&name).is_some_and(|(known, _)| known.ends_with(".glb"))
        {
            files.insert(name, (file.to_owned(), UpAxis::Z));
        }
    }
    if files.is_empty() || !(index || reading.listing.files.iter().any(|file| numbered(file).is_some()))
    {
        return Ok(None);
    }
    let mut found = Found::default();
    for (name, (file, up)) in files {
        let known =
            NAMES.iter().find(|(ycb, _)| *ycb == name).map(|(_, category)| (*category).to_owned());
        let category = known
            .or_else(|| reading.vocabulary.find(&name).map(str::to_owned))
            .unwrap_or_else(|| crate::normal_name(&name));
        found.drafts.push(Draft {
            name: format!("ycb_{name}"),
            category,
            source: "YCB".into(),
            licence: Licence {
                name: "CC-BY-4.0".into(),
                credit: "YCB Object and Model Set (Calli et al. 2015)".into(),
            },
            mass_kg: masses.get(&name).copied(),
            scale: 1.0,
            center_of_mass: None,
            mesh: draft::file(path(reading.folder, &file), up, 1.0),
        });
    }
    Ok(Some(found))
}

fn json(reading: &Reading<'_>, file: &str) -> Result<Value, SceneError> {
    let path = path(reading.folder, file);
    super::parse_json(&read_file(&path, 64 << 20)?, &path)
}

fn index_masses(reading: &Reading<'_>) -> Result<BTreeMap<String, f32>, SceneError> {
    let value = json(reading, "ycb_index.json")?;
    let Some(list) = value.as_array() else {
        return Err(SceneError::malformed(
            &reading.folder.join("ycb_index.json"),
            Place::Whole,
            "is no list of objects",
            "each object is {\"name\": …, \"mass_kg\": …}",
        ));
    };
    let entry = |item: &Value| {
        let mass = item.get("mass_kg")?.as_f64()? as f32;
        Some((item.get("name")?.as_str()?.to_owned(), mass)).filter(|_| mass > 0.0 && mass < 1000.0)
    };
    Ok(list.iter().filter_map(entry).collect())
}

fn mass_file(reading: &Reading<'_>) -> Result<BTreeMap<String, f32>, SceneError> {
    let value = json(reading, "ycb_mass.json")?;
    let entries = value.as_object().into_iter().flatten();
    Ok(entries
        .filter_map(|(name, mass)| Some((name.clone(), mass.as_f64()? as f32)))
        .filter(|(_, mass)| *mass > 0.0 && *mass < 1000.0)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_off_names() {
        assert_eq!(plain_name("002_master_chef_can").as_deref(), Some("master_chef_can"));
        assert_eq!(plain_name("072-a_toy_airplane").as_deref(), Some("a_toy_airplane"));
        assert_eq!(plain_name("mug"), None);
        assert_eq!(plain_name("8_inch_plate"), None);
    }
}
