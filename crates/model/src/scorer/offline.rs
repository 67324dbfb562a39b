use super::ImageTextScorer;
use crate::{Detected, Knowledge, ModelError, Picture, Region, Relevance};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Scores without looking at colours: from the labels in view.
///
/// 0.2, and up to 0.5 by how likely the goal is in the region that the labels make (as a share of where
/// it is likeliest), and up to 0.3 by how likely it is on the best receptacle in view; 1 when the goal
/// itself is in view. What it sees in the middle third of the image says where the camera looks.
#[derive(Debug)]
pub struct OfflineScorer {
    table: Arc<Knowledge>,
    /// Chances of goals by region, which take a while.
    goals: Mutex<BTreeMap<String, [f64; 14]>>,
}

impl OfflineScorer {
    /// A scorer that reads this table.
    pub fn new(table: Arc<Knowledge>) -> Self {
        Self { table, goals: Mutex::default() }
    }

    fn goal_in(&self, goal: &str) -> Result<[f64; 14], ModelError> {
        let mut goals = self.goals.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(chances) = goals.get(goal) {
            return Ok(*chances);
        }
        let chances = self.table.goal_by_region(goal)?;
        goals.insert(goal.to_owned(), chances);
        Ok(chances)
    }
}

impl ImageTextScorer for OfflineScorer {
    fn identity(&self) -> String {
        format!("offline, table {}", self.table.identity())
    }

    fn needs_rgb(&self) -> bool {
        false
    }

    fn score(&self, picture: &Picture<'_>, seen: &[Detected], goal: &str) -> Result<f32, ModelError> {
        if seen.iter().any(|thing| self.table.similarity(&thing.label, goal) >= 0.7) {
            return Ok(1.0);
        }
        let (left, right) = (picture.width / 3, picture.width - picture.width / 3);
        let ahead: Vec<&str> = seen
            .iter()
            .filter(|thing| thing.bbox[0] < right && thing.bbox[2] > left)
            .map(|thing| thing.label.as_str())
            .collect();
        let here = self.table.region_given_labels(&ahead)?;
        let goal_in = self.goal_in(goal)?;
        let most = goal_in.iter().copied().fold(0.0, f64::max);
        let expected: f64 =
            Region::ALL.iter().map(|region| here[region.index()] * goal_in[region.index()]).sum();
        let mut on_best = 0.0_f64;
        if let Some(entry) = self.table.nearest(goal) {
            let top = entry.receptacles.iter().copied().fold(0.0, f64::max);
            for label in ahead.iter().filter(|label| self.table.is_receptacle(label)) {
                for column in self.table.receptacle_columns(label) {
                    on_best = on_best.max(entry.receptacles[column] / top.max(1e-9));
                }
            }
        }
        let score = 0.2 + 0.5 * expected / most.max(1e-12) + 0.3 * on_best.min(1.0);
        Ok(score.clamp(0.0, 0.99) as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_where_the_goal_belongs_score_higher() {
        let scorer = OfflineScorer::new(Arc::new(Knowledge::shipped()));
        let picture = Picture { width: 90, height: 60, ..Picture::default() };
        let seen = |labels: &[&str], columns: [u32; 2]| -> Vec<Detected> {
            labels
                .iter()
                .map(|label| Detected {
                    label: (*label).to_owned(),
                    score: 1.0,
                    bbox: [columns[0], 10, columns[1], 20],
                    mask: None,
                    instance: None,
                })
                .collect()
        };
        let score = |labels: &[&str], columns, goal: &str| {
            scorer.score(&picture, &seen(labels, columns), goal).unwrap()
        };
        let kitchen = score(&["stove", "refrigerator", "counter"], [40, 50], "frying_pan");
        let bathroom = score(&["toilet", "bathtub"], [40, 50], "frying_pan");
        assert!(kitchen > 0.7 && bathroom < 0.3, "{kitchen} {bathroom}");
        // What stands at the border of the image does not say what is ahead.
        let aside = score(&["stove", "refrigerator", "counter"], [0, 20], "frying_pan");
        assert!(aside < kitchen - 0.2, "{aside}");
        assert_eq!(score(&["skillet"], [0, 20], "frying_pan"), 1.0);
        // Furniture as a goal.
        assert!(score(&["nightstand"], [40, 50], "bed") > score(&["stove"], [40, 50], "bed"));
        // Nothing in view: the base, and what any place is good for.
        let blank = score(&[], [0, 1], "frying_pan");
        assert!((0.2..0.4).contains(&blank), "{blank}");
    }
}
