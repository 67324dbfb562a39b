use crate::library::ObjectCategory;
use crate::library::draft::Draft;
use crate::normal_name;
use std::collections::{BTreeMap, BTreeSet};

/// Finds categories in the names that data sets give.
pub(super) struct Vocabulary<'a> {
    categories: &'a [ObjectCategory],
    /// Name or synonym in normal form → category.
    words: BTreeMap<String, &'a str>,
}

impl<'a> Vocabulary<'a> {
    pub(super) fn new(categories: &'a [ObjectCategory]) -> Self {
        let mut words = BTreeMap::new();
        for category in categories {
            for synonym in &category.synonyms {
                words.entry(normal_name(synonym)).or_insert(category.name.as_str());
            }
        }
        // A category's own name wins over another's synonym.
        for category in categories {
            words.insert(category.name.clone(), category.name.as_str());
        }
        Self { categories, words }
    }

    /// The category of a label; the label itself in normal form where the vocabulary does not know it.
    pub(super) fn category(&self, label: &str) -> String {
        let name = normal_name(label);
        self.known(&name).map_or(name, str::to_owned)
    }

    /// The category that a free name speaks of (`Chefmate_8_Frypan`): the longest run of whole words
    /// that is a name or a synonym, the last of several.
    pub(super) fn find(&self, name: &str) -> Option<&'a str> {
        let name = normal_name(name);
        let words: Vec<&str> = name.split('_').filter(|word| !word.is_empty()).collect();
        for length in (1..=words.len().min(4)).rev() {
            let run = words.windows(length).rev().find_map(|run| self.known(&run.join("_")));
            if run.is_some() {
                return run;
            }
        }
        None
    }

    fn known(&self, name: &str) -> Option<&'a str> {
        let singular = name.strip_suffix('s').unwrap_or(name);
        // `frypan` and `frying_pan`, `soupcan` and `soup_can`.
        let fused =
            || self.words.iter().find(|(word, _)| word.contains('_') && word.replace('_', "") == name);
        self.words
            .get(name)
            .or_else(|| self.words.get(singular))
            .copied()
            .or_else(|| fused().map(|(_, &category)| category))
    }

    /// The known category of this name.
    pub(super) fn get(&self, name: &str) -> Option<&'a ObjectCategory> {
        self.categories.iter().find(|category| category.name == name)
    }

    /// The known categories that the drafts use.
    pub(super) fn used(&self, drafts: &[Draft]) -> Vec<ObjectCategory> {
        let names: BTreeSet<&str> = drafts.iter().map(|draft| draft.category.as_str()).collect();
        names.into_iter().filter_map(|name| self.get(name)).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_are_found_in_names() {
        let category = |name: &str, synonyms: &[&str]| ObjectCategory {
            name: name.into(),
            synonyms: synonyms.iter().map(|&s| s.into()).collect(),
            ..ObjectCategory::default()
        };
        let list = [
            category("frying_pan", &["skillet", "fry pan"]),
            category("mug", &["coffee mug"]),
            category("bowl", &[]),
        ];
        let vocabulary = Vocabulary::new(&list);
        assert_eq!(vocabulary.find("chefmate_8_frypan"), Some("frying_pan"));
        assert_eq!(vocabulary.find("Room_Essentials_Mug_White"), Some("mug"));
        assert_eq!(vocabulary.find("Bowls"), Some("bowl"));
        assert_eq!(vocabulary.find("thing"), None);
        assert_eq!(vocabulary.category("CoffeeMug"), "mug");
        assert_eq!(vocabulary.category("AlarmClock"), "alarm_clock");
    }
}
