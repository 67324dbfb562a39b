use crate::{ModelError, Region};

/// No chance is below this before it is normalised for the last time: nothing is impossible in a home.
pub const FLOOR: f64 = 1e-3;

/// How likely things are in regions of a home and on its receptacles.
///
/// SD-OVON, §3.3: P(object | region, receptacle) ∝ P(object | region) · P(object | receptacle), each
/// normalised over the objects in question.
pub trait Relevance: Send + Sync {
    /// What determines the answers, for a run's manifest.
    fn identity(&self) -> String;

    /// Names of all movable things that it knows: what a single goal is compared with.
    fn vocabulary(&self) -> Vec<&str>;

    /// P(object | region) over these objects: each at least about [`FLOOR`], their sum 1.
    ///
    /// # Errors
    /// When a model has to be asked and cannot.
    fn objects_given_region(&self, objects: &[&str], region: Region) -> Result<Vec<f64>, ModelError>;

    /// P(object | receptacle) over these objects, as [`Relevance::objects_given_region`].
    ///
    /// # Errors
    /// When a model has to be asked and cannot.
    fn objects_given_receptacle(
        &self,
        objects: &[&str],
        receptacle: &str,
    ) -> Result<Vec<f64>, ModelError>;

    /// P(region | labels of the things in it), in the order of [`Region::ALL`]; uniform where the
    /// labels say nothing. Order and repetition of the labels do not matter.
    ///
    /// # Errors
    /// When a model has to be asked and cannot.
    fn region_given_labels(&self, labels: &[&str]) -> Result<[f64; 14], ModelError>;

    /// Those of the labels that people put small things on, in order and each once.
    ///
    /// # Errors
    /// When a model has to be asked and cannot.
    fn receptacles(&self, labels: &[&str]) -> Result<Vec<String>, ModelError>;

    /// P(object | region, receptacle) over these objects.
    ///
    /// # Errors
    /// When a model has to be asked and cannot.
    fn joint(&self, objects: &[&str], region: Region, receptacle: &str) -> Result<Vec<f64>, ModelError> {
        let in_region = self.objects_given_region(objects, region)?;
        let on_receptacle = self.objects_given_receptacle(objects, receptacle)?;
        Ok(normalised(in_region.iter().zip(&on_receptacle).map(|(a, b)| a * b).collect()))
    }

    /// P(goal | region, receptacle) for one goal among [`Relevance::vocabulary`].
    ///
    /// # Errors
    /// When a model has to be asked and cannot.
    fn goal(&self, goal: &str, region: Region, receptacle: &str) -> Result<f64, ModelError> {
        let (objects, at) = with_goal(self.vocabulary(), goal);
        Ok(self.joint(&objects, region, receptacle)?[at])
    }

    /// P(goal | region) for one goal among [`Relevance::vocabulary`], in the order of [`Region::ALL`].
    ///
    /// # Errors
    /// When a model has to be asked and cannot.
    fn goal_by_region(&self, goal: &str) -> Result<[f64; 14], ModelError> {
        let (objects, at) = with_goal(self.vocabulary(), goal);
        let mut chances = [0.0; 14];
        for region in Region::ALL {
            chances[region.index()] = self.objects_given_region(&objects, region)?[at];
        }
        Ok(chances)
    }
}

/// The vocabulary with the goal in it, and where.
fn with_goal<'a>(mut objects: Vec<&'a str>, goal: &'a str) -> (Vec<&'a str>, usize) {
    let at = objects.iter().position(|object| *object == goal).unwrap_or_else(|| {
        objects.push(goal);
        objects.len() - 1
    });
    (objects, at)
}

/// Scores as chances: divided by their sum, none below [`FLOOR`], divided by their sum again. Scores
/// that are not positive numbers count as 0; without any positive one all chances are equal.
pub(crate) fn normalised(mut scores: Vec<f64>) -> Vec<f64> {
    for score in &mut scores {
        if !(*score > 0.0 && score.is_finite()) {
            *score = 0.0;
        }
    }
    let count = scores.len() as f64;
    let sum: f64 = scores.iter().sum();
    for score in &mut scores {
        *score = if sum > 0.0 { (*score / sum).max(FLOOR) } else { 1.0 / count };
    }
    let sum: f64 = scores.iter().sum();
    scores.iter().map(|score| score / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_normalised_and_none_vanishes() {
        let chances = normalised(vec![3.0, 1.0, 0.0, f64::NAN, -2.0]);
        assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!((chances[0] / chances[1] - 3.0).abs() < 1e-12);
        assert!((chances[2] - FLOOR / 1.003).abs() < 1e-12 && chances[3] == chances[4]);
        assert_eq!(normalised(vec![0.0, 0.0]), [0.5, 0.5]);
        assert!(normalised(vec![]).is_empty());
    }
}
