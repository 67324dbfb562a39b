//! Reads tables: comma-separated, a head line, lists inside a field separated by semicolons.

use super::{Entry, RECEPTACLES};
use crate::{ModelError, Region};
use ambler_geometry::{Fault, Place};
use ambler_scene::normal_name;
use std::io::Read as _;
use std::path::Path;

const OBJECTS: &str = include_str!("../../../../assets/knowledge/objects.csv");
const FURNITURE: &str = include_str!("../../../../assets/knowledge/furniture.csv");
const ACTIVITIES: &str = include_str!("../../../../assets/knowledge/activities.csv");

/// Bytes that a table may have.
const MOST_BYTES: u64 = 16 << 20;
/// Lines that a table may have.
const MOST_LINES: usize = 100_000;

/// What a line is: movable things with receptacles, or furniture with what it counts as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Objects,
    Furniture,
}

pub(super) fn judged() -> Vec<Entry> {
    let mut entries = shipped(OBJECTS, Kind::Objects);
    entries.extend(shipped(FURNITURE, Kind::Furniture));
    entries
}

/// Names, synonyms and evidence of the judged table, what is usual where from activities.
pub(super) fn by_activities() -> Vec<Entry> {
    let mut entries = judged();
    let mut uses: Vec<(&str, Vec<(&str, f64)>)> = Vec::new();
    let mut regions = vec![Vec::new(); Region::ALL.len()];
    let mut receptacles = vec![Vec::new(); RECEPTACLES.len()];
    for line in ACTIVITIES.lines().skip(1) {
        let mut fields = line.split(',');
        let (what, name) = (fields.next().unwrap_or(""), fields.next().unwrap_or(""));
        let list: Vec<(&str, f64)> = fields
            .next()
            .unwrap_or("")
            .split(';')
            .filter_map(|pair| pair.split_once(' '))
            .filter_map(|(name, weight)| Some((name, weight.parse().ok()?)))
            .collect();
        match what {
            "region" => {
                if let Some(region) = Region::from_name(name) {
                    regions[region.index()] = list;
                }
            }
            "receptacle" => {
                if let Some(column) = RECEPTACLES.iter().position(|known| *known == name) {
                    receptacles[column] = list;
                }
            }
            _ => uses.push((name, list)),
        }
    }
    let fit = |uses: &[(&str, f64)], place: &[(&str, f64)]| -> f64 {
        uses.iter()
            .flat_map(|(used, a)| {
                place.iter().filter(move |(done, _)| done == used).map(move |(_, b)| a * b)
            })
            .sum::<f64>()
            / 10.0
    };
    for entry in entries.iter_mut().filter(|entry| entry.movable) {
        let own = uses.iter().find(|(name, _)| *name == entry.name).map_or(&[][..], |(_, list)| list);
        for (score, place) in entry.regions.iter_mut().zip(&regions) {
            *score = fit(own, place);
        }
        for (score, place) in entry.receptacles.iter_mut().zip(&receptacles) {
            *score = fit(own, place);
        }
    }
    entries
}

/// A file of movable things, the furniture that ships, and a hash of the file.
pub(super) fn file(path: &Path) -> Result<(Vec<Entry>, String), ModelError> {
    let fault = |what: String, remedy: &str| Fault::new(path, Place::Whole, what, remedy);
    let file = std::fs::File::open(path)
        .map_err(|error| fault(format!("cannot be opened: {error}"), "check the path"))?;
    let mut text = String::new();
    file.take(MOST_BYTES + 1)
        .read_to_string(&mut text)
        .map_err(|error| fault(format!("is no text: {error}"), "save it as UTF-8 text"))?;
    if text.len() as u64 > MOST_BYTES {
        let what = format!("has more than {} MiB", MOST_BYTES >> 20);
        return Err(fault(what, "a knowledge table is a small CSV file").into());
    }
    let mut entries = parse(&text, Kind::Objects, path)?;
    entries.extend(shipped(FURNITURE, Kind::Furniture));
    Ok((entries, blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()))
}

/// A table that is part of the program. A test reads both.
fn shipped(text: &str, kind: Kind) -> Vec<Entry> {
    parse(text, kind, Path::new("assets/knowledge")).unwrap_or_default()
}

fn parse(text: &str, kind: Kind, path: &Path) -> Result<Vec<Entry>, ModelError> {
    let columns: Vec<&str> = ["name", "synonyms", "kinds"]
        .into_iter()
        .chain(Region::ALL.map(Region::name))
        .chain(if kind == Kind::Objects { RECEPTACLES.to_vec() } else { vec!["receptacle"] })
        .collect();
    let mut entries = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let fault = |what: String, remedy: &str| {
            ModelError::from(Fault::new(path, Place::Line(index as u64 + 1), what, remedy))
        };
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        if index == 0 {
            if fields != columns {
                let what = "the head line names other columns".to_owned();
                return Err(fault(what, &format!("it is {}", columns.join(","))));
            }
            continue;
        }
        if line.trim().is_empty() {
            continue;
        }
        if index > MOST_LINES {
            return Err(fault(format!("there are more than {MOST_LINES} lines"), "leave some out"));
        }
        if fields.len() != columns.len() {
            let what = format!("there are {} fields", fields.len());
            return Err(fault(what, &format!("each line has {}", columns.len())));
        }
        let mut entry =
            Entry { name: normal_name(fields[0]), movable: kind == Kind::Objects, ..Entry::default() };
        if entry.name.is_empty() {
            return Err(fault("the name is empty".to_owned(), "give the category a name"));
        }
        let list = |field: &str| field.split(';').filter(|s| !s.is_empty()).map(normal_name).collect();
        entry.synonyms = list(fields[1]);
        entry.kinds = list(fields[2]);
        let score = |field: &str| match field.parse::<f64>() {
            Ok(score) if (0.0..=10.0).contains(&score) => Ok(score),
            _ => Err(fault(format!("{field:?} is no score"), "scores are numbers from 0 to 10")),
        };
        for (to, field) in entry.regions.iter_mut().zip(&fields[3..17]) {
            *to = score(field)?;
        }
        entry.evidence = entry.regions;
        if kind == Kind::Objects {
            for (to, field) in entry.receptacles.iter_mut().zip(&fields[17..]) {
                *to = score(field)?;
            }
        } else {
            for name in fields[17].split(';').filter(|name| !name.is_empty()) {
                let column = RECEPTACLES.iter().position(|known| *known == name);
                let unknown = || fault(format!("{name:?} is no receptacle"), &RECEPTACLES.join(", "));
                entry.holds.push(column.ok_or_else(unknown)?);
            }
        }
        entries.push(entry);
    }
    if entries.is_empty() {
        let what = "there are no categories in it";
        return Err(Fault::new(path, Place::Whole, what, "add a line for each category").into());
    }
    Ok(entries)
}

#[cfg(test)]
pub(super) fn parse_objects(text: &str) -> Result<Vec<Entry>, ModelError> {
    parse(text, Kind::Objects, Path::new("t.csv"))
}

#[cfg(test)]
pub(super) fn shipped_texts() -> [(&'static str, usize); 2] {
    [(OBJECTS, 113), (FURNITURE, 87)]
}
