mod noisy;
mod remote;
#[cfg(test)]
mod tests;
mod truth;

pub use noisy::{ErrorModel, NoisyDetector};
pub use remote::RemoteDetector;
pub use truth::TrueDetector;

use crate::ModelError;

/// An image as a model is given it, with the truth beside it where that is known.
#[derive(Clone, Copy, Debug, Default)]
pub struct Picture<'a> {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Colour, 3 bytes a pixel, rows from the top; empty where nobody drew it.
    pub rgb: &'a [u8],
    /// What the image shows, for detectors that may know.
    pub truth: Option<Truth<'a>>,
    /// Names this image among all of a run, such as "episode/step/camera": keys the errors that a
    /// noisy detector makes.
    pub key: &'a str,
    /// Names what lasts while things stay where they are, such as the episode: keys errors that a
    /// noisy detector makes again and again.
    pub place: &'a str,
}

/// What an image shows.
#[derive(Clone, Copy, Debug)]
pub struct Truth<'a> {
    /// Instance of each pixel, 0 = nothing.
    pub instance: &'a [u32],
    /// Labels of instances, by ascending id; what is not listed is not detected.
    pub labels: &'a [(u32, &'a str)],
}

/// Pixels of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mask {
    /// Pixels across.
    pub width: u32,
    /// Whether each pixel belongs to it, rows from the top.
    pub bits: Vec<bool>,
}

/// A thing that a detector found.
#[derive(Clone, Debug, PartialEq)]
pub struct Detected {
    /// What it is called: one of the labels that were asked for, where there were any.
    pub label: String,
    /// How sure the detector is, 0 to 1.
    pub score: f32,
    /// Pixels around it: first column, first row, end column, end row, ends excluded.
    pub bbox: [u32; 4],
    /// Its pixels; `None` where the detector gives boxes only.
    pub mask: Option<Mask>,
    /// The instance that it is, where the truth is known.
    pub instance: Option<u32>,
}

impl Detected {
    /// Pixels that it covers: those of the mask, else of the box.
    pub fn pixels(&self) -> u32 {
        match &self.mask {
            Some(mask) => mask.bits.iter().filter(|bit| **bit).count() as u32,
            None => {
                let [x0, y0, x1, y1] = self.bbox;
                x1.saturating_sub(x0).saturating_mul(y1.saturating_sub(y0))
            }
        }
    }

    /// Whether a pixel belongs to it.
    pub fn covers(&self, column: u32, row: u32) -> bool {
        let [x0, y0, x1, y1] = self.bbox;
        let inside = column >= x0 && column < x1 && row >= y0 && row < y1;
        match &self.mask {
            Some(mask) => {
                let index = row as usize * mask.width as usize + column as usize;
                inside && mask.bits.get(index) == Some(&true)
            }
            None => inside,
        }
    }
}

/// Finds labelled things in images.
pub trait Detector: Send + Sync {
    /// What determines the answers, for a run's manifest.
    fn identity(&self) -> String;

    /// Whether it needs [`Picture::truth`].
    fn needs_truth(&self) -> bool;

    /// Things in the image: those called as one of `labels`, or all that it knows of where there are
    /// no labels. The same image gets the same answer.
    ///
    /// # Errors
    /// When it cannot see: no truth where it needs it, no server, an answer that makes no sense.
    fn detect(&self, picture: &Picture<'_>, labels: &[&str]) -> Result<Vec<Detected>, ModelError>;
}
