//! Tables of what belongs where: `assets/knowledge`, built in.
//!
//! Two tables of movable things ship. The *judged* one states for each category how usual it is in
//! each region and on each receptacle, 0 to 10. The *activities* one was made by other reasoning: it
//! states what each thing is used for and what people do where, and multiplies. Furniture, which says
//! what a room is for, is common to both.

mod read;
mod table;
#[cfg(test)]
mod tests;

use crate::ModelError;
use crate::words::{edits, plain, words};
use ambler_geometry::random::Stream;
use std::collections::BTreeMap;
use std::path::Path;

/// The receptacles that tables have columns for.
pub const RECEPTACLES: [&str; 13] = [
    "dining_table",
    "counter",
    "coffee_table",
    "desk",
    "nightstand",
    "dresser",
    "bookshelf",
    "shelf",
    "bed",
    "sofa",
    "cabinet",
    "vanity",
    "floor",
];

/// The receptacles of SD-OVON's own pipeline.
pub const PAPER_RECEPTACLES: [&str; 8] =
    ["table", "desk", "dresser", "bookshelf", "shelf", "bed", "sofa", "couch"];

/// A category as a table knows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// Lower snake case.
    pub name: String,
    /// Other names.
    pub synonyms: Vec<String>,
    /// What it is a kind of, the nearest first.
    pub kinds: Vec<String>,
    /// Whether it is one of the things that are placed and sought; furniture is not.
    pub movable: bool,
    /// How usual it is in each region, 0 to 10.
    pub regions: [f64; 14],
    /// How usual it is on each of [`RECEPTACLES`], 0 to 10; all 0 for furniture.
    pub receptacles: [f64; 13],
    /// How much it says of the region that it is in, 0 to 10 a region.
    pub evidence: [f64; 14],
    /// Of furniture that things lie on: the columns of [`RECEPTACLES`] that it counts as.
    pub holds: Vec<usize>,
}

/// Which table: how people name one at the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TableChoice {
    /// The judged table.
    #[default]
    Judged,
    /// The table by activities.
    Activities,
    /// The judged table with its rows exchanged at random: what it says is wrong.
    Shuffled(u64),
    /// A file in the format of `assets/knowledge/objects.csv`.
    File(std::path::PathBuf),
}

impl TableChoice {
    /// `judged`, `activities`, `shuffled`, `shuffled:SEED` or the path of a CSV file.
    ///
    /// # Errors
    /// When it is none of them.
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        Ok(match text {
            "judged" => Self::Judged,
            "activities" => Self::Activities,
            "shuffled" => Self::Shuffled(0),
            _ if text.starts_with("shuffled:") => {
                let seed = text["shuffled:".len()..].parse();
                Self::Shuffled(seed.map_err(|_| {
                    let what = format!("the table {text:?} has a seed that is no whole number");
                    ModelError::option(what, "write shuffled:7, for example")
                })?)
            }
            _ if text.ends_with(".csv") => Self::File(text.into()),
            _ => {
                let what = format!("there is no knowledge table {text:?}");
                return Err(ModelError::option(
                    what,
                    "the tables are judged, activities, shuffled:SEED or a .csv file",
                ));
            }
        })
    }

    /// The table itself.
    ///
    /// # Errors
    /// When its file cannot be used.
    pub fn load(&self) -> Result<Knowledge, ModelError> {
        Ok(match self {
            Self::Judged => Knowledge::shipped(),
            Self::Activities => Knowledge::activities(),
            Self::Shuffled(seed) => Knowledge::shipped().shuffled(*seed),
            Self::File(path) => Knowledge::read(path)?,
        })
    }
}

/// A table of what belongs where; [`crate::Relevance`] reads it.
#[derive(Clone, Debug)]
pub struct Knowledge {
    identity: String,
    entries: Vec<Entry>,
    /// Entry by plain name or synonym; a name wins over a synonym, an earlier line over a later one.
    by_name: BTreeMap<String, usize>,
}

impl Knowledge {
    /// The judged table that ships.
    pub fn shipped() -> Self {
        Self::from_parts("judged", read::judged())
    }

    /// The table by activities that ships: independent of [`Knowledge::shipped`] for movable things.
    pub fn activities() -> Self {
        Self::from_parts("activities", read::by_activities())
    }

    /// A table of movable things from a file like `assets/knowledge/objects.csv`, with the furniture
    /// that ships.
    ///
    /// # Errors
    /// File, line, what is wrong and what it should be.
    pub fn read(path: &Path) -> Result<Self, ModelError> {
        let (entries, hash) = read::file(path)?;
        Ok(Self::from_parts(&format!("file {hash}"), entries))
    }

    fn from_parts(identity: &str, entries: Vec<Entry>) -> Self {
        let mut by_name = BTreeMap::new();
        for (index, entry) in entries.iter().enumerate() {
            by_name.entry(plain(&entry.name)).or_insert(index);
        }
        for (index, entry) in entries.iter().enumerate() {
            for synonym in &entry.synonyms {
                by_name.entry(plain(synonym)).or_insert(index);
            }
        }
        Self { identity: identity.to_owned(), entries, by_name }
    }

    /// The same table with what it says of movable things, and of furniture as a goal, dealt out anew
    /// at random: a control that knows nothing. What labels say of their region stays as it was.
    pub fn shuffled(&self, seed: u64) -> Self {
        let mut entries = self.entries.clone();
        for movable in [true, false] {
            let of_kind: Vec<usize> =
                (0..entries.len()).filter(|&i| entries[i].movable == movable).collect();
            let mut from = of_kind.clone();
            Stream::new(seed, &self.identity, "shuffled knowledge").shuffle(&mut from);
            for (&to, &from) in of_kind.iter().zip(&from) {
                entries[to].regions = self.entries[from].regions;
                entries[to].receptacles = self.entries[from].receptacles;
            }
        }
        Self { identity: format!("{} shuffled {seed}", self.identity), entries, ..self.clone() }
    }

    /// All categories.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The category that a name or a synonym stands for.
    pub fn find(&self, name: &str) -> Option<&Entry> {
        self.by_name.get(&plain(name)).map(|&index| &self.entries[index])
    }

    /// The category that a name stands for or is nearest to: the one that shares most words with it,
    /// the last word counting most (a "blue coffee mug" is a mug), else one that is spelt nearly the
    /// same. `None` where nothing is near.
    pub fn nearest(&self, name: &str) -> Option<&Entry> {
        if let Some(entry) = self.find(name) {
            return Some(entry);
        }
        let wanted = words(name);
        let last = wanted.last()?;
        let mut best: Option<(u32, usize)> = None;
        for (known, &index) in &self.by_name {
            let known: Vec<&str> = known.split('_').collect();
            let shared = wanted.iter().filter(|word| known.contains(&word.as_str())).count() as u32;
            let head = u32::from(known.last() == Some(&last.as_str()));
            // Of names that fit alike the shortest.
            let score = 100 * (2 * shared + 3 * head);
            let score = score.saturating_sub(known.len() as u32 * u32::from(score > 0));
            if score > 0 && best.is_none_or(|(most, _)| score > most) {
                best = Some((score, index));
            }
        }
        if best.is_none() {
            let name = wanted.join("_");
            let near = self.by_name.iter().map(|(known, &index)| (edits(&name, known), index)).min();
            best = near.filter(|&(edits, _)| edits <= 2 && name.len() >= 5).map(|(_, i)| (0, i));
        }
        best.map(|(_, index)| &self.entries[index])
    }

    /// How alike two labels are: 1 the same name, 0.7 synonyms, 0.4 of the same nearest kind, else 0.
    pub fn similarity(&self, a: &str, b: &str) -> f64 {
        let (plain_a, plain_b) = (plain(a), plain(b));
        if plain_a == plain_b {
            return 1.0;
        }
        match (self.by_name.get(&plain_a), self.by_name.get(&plain_b)) {
            (Some(a), Some(b)) if a == b => 0.7,
            (Some(&a), Some(&b)) => {
                let kind = |index: usize| self.entries[index].kinds.first();
                if kind(a).is_some() && kind(a) == kind(b) { 0.4 } else { 0.0 }
            }
            _ => 0.0,
        }
    }

    /// Labels of all furniture that things lie on.
    pub fn receptacle_labels(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().filter(|entry| !entry.holds.is_empty()).map(|entry| entry.name.as_str())
    }

    /// The columns of [`RECEPTACLES`] that a label counts as; none where it holds nothing.
    pub fn receptacle_columns(&self, label: &str) -> Vec<usize> {
        let name = plain(label);
        match RECEPTACLES.iter().position(|receptacle| *receptacle == name) {
            Some(column) => vec![column],
            None => self.nearest(label).map_or(Vec::new(), |entry| entry.holds.clone()),
        }
    }

    /// Whether things are put on what has this label.
    pub fn is_receptacle(&self, label: &str) -> bool {
        let exact = plain(label);
        RECEPTACLES.contains(&exact.as_str())
            || self.find(label).is_some_and(|entry| !entry.holds.is_empty())
    }
}
