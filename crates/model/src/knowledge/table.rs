use super::{Entry, Knowledge};
use crate::relevance::normalised;
use crate::words::plain;
use crate::{ModelError, Region, Relevance};
use ambler_scene::{is_structural, normal_name};
use std::collections::{BTreeMap, BTreeSet};

/// Small things say less of a region than furniture does: they move.
const WEIGHT_OF_MOVABLE: f64 = 0.35;
/// Added to every score of evidence, so that one thing out of place excludes no region.
const DOUBT: f64 = 0.5;

impl Knowledge {
    /// The region that labels make most likely; [`Region::Other`] where they say nothing.
    pub fn region_of(&self, labels: &[&str]) -> Region {
        let chances = self.prior(labels);
        let first = chances[0];
        if chances.iter().all(|chance| *chance == first) {
            return Region::Other;
        }
        let mut best = Region::Other;
        for region in Region::ALL {
            if chances[region.index()] > chances[best.index()] {
                best = region;
            }
        }
        best
    }

    /// See [`Relevance::region_given_labels`]: logs of the rows, each divided by its sum, are added up
    /// over different labels.
    fn prior(&self, labels: &[&str]) -> [f64; 14] {
        // One vote a category, in the order of their names.
        let mut seen = BTreeMap::new();
        for label in labels.iter().filter(|label| !is_structural(&normal_name(label))) {
            if let Some(entry) = self.find(label) {
                seen.insert(plain(&entry.name), entry);
            }
        }
        let mut logs = [0.0; 14];
        for entry in seen.values() {
            let weight = if entry.movable { WEIGHT_OF_MOVABLE } else { 1.0 };
            let sum: f64 = entry.evidence.iter().map(|score| score + DOUBT).sum();
            for (log, score) in logs.iter_mut().zip(&entry.evidence) {
                *log += weight * libm::log((score + DOUBT) / sum);
            }
        }
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights = logs.map(|log| libm::exp(log - most));
        let sum: f64 = weights.iter().sum();
        weights.map(|weight| weight / sum)
    }

    /// The scores of objects, 1 for those that nothing in the table is near to.
    fn scores(&self, objects: &[&str], score: impl Fn(&Entry) -> f64) -> Vec<f64> {
        normalised(objects.iter().map(|object| self.nearest(object).map_or(1.0, &score)).collect())
    }
}

impl Relevance for Knowledge {
    fn identity(&self) -> String {
        self.identity.clone()
    }

    fn vocabulary(&self) -> Vec<&str> {
        self.entries.iter().filter(|entry| entry.movable).map(|entry| entry.name.as_str()).collect()
    }

    fn objects_given_region(&self, objects: &[&str], region: Region) -> Result<Vec<f64>, ModelError> {
        Ok(self.scores(objects, |entry| entry.regions[region.index()]))
    }

    /// A label that no receptacle is near to tells nothing: all chances are equal.
    fn objects_given_receptacle(
        &self,
        objects: &[&str],
        receptacle: &str,
    ) -> Result<Vec<f64>, ModelError> {
        let columns = self.receptacle_columns(receptacle);
        Ok(self.scores(objects, |entry| {
            columns.iter().map(|&column| entry.receptacles[column]).fold(0.0, f64::max)
        }))
    }

    fn region_given_labels(&self, labels: &[&str]) -> Result<[f64; 14], ModelError> {
        Ok(self.prior(labels))
    }

    fn receptacles(&self, labels: &[&str]) -> Result<Vec<String>, ModelError> {
        let found: BTreeSet<&str> =
            labels.iter().copied().filter(|label| self.is_receptacle(label)).collect();
        Ok(found.into_iter().map(str::to_owned).collect())
    }
}
