mod offline;
mod remote;

pub use offline::OfflineScorer;
pub use remote::{RemoteScorer, SCORER_TEXT};

use crate::{Detected, ModelError, Picture};

/// Says how well an image fits a text: whether it looks as if a goal were ahead.
pub trait ImageTextScorer: Send + Sync {
    /// What determines the answers, for a run's manifest.
    fn identity(&self) -> String;

    /// Whether it looks at colours; if not, nobody needs to draw them.
    fn needs_rgb(&self) -> bool;

    /// How likely it looks that the goal is where the camera looks, 0 to 1. `seen` is what a detector
    /// found in the image.
    ///
    /// # Errors
    /// When a model has to be asked and cannot.
    fn score(&self, picture: &Picture<'_>, seen: &[Detected], goal: &str) -> Result<f32, ModelError>;
}
