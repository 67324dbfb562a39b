use super::{Detected, Detector, Mask, Picture};
use crate::ModelError;
use ambler_scene::normal_name;

/// A detector that knows the truth: it reports each labelled thing that fills enough of the image,
/// with its exact mask and full confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrueDetector {
    /// Least share of the image that a thing must fill. SD-OVON's true detector: 1e-4.
    pub least_share: f64,
}

impl Default for TrueDetector {
    fn default() -> Self {
        Self { least_share: 1e-4 }
    }
}

impl Detector for TrueDetector {
    fn identity(&self) -> String {
        format!("truth, share {}", self.least_share)
    }

    fn needs_truth(&self) -> bool {
        true
    }

    fn detect(&self, picture: &Picture<'_>, labels: &[&str]) -> Result<Vec<Detected>, ModelError> {
        let mut found = everything(picture, self.least_share)?;
        keep_labels(&mut found, labels);
        Ok(found)
    }
}

/// Every labelled thing of the truth, by ascending id.
pub(super) fn everything(picture: &Picture<'_>, least_share: f64) -> Result<Vec<Detected>, ModelError> {
    let truth = picture.truth.ok_or_else(|| {
        ModelError::Image("this detector needs to be told what the image shows, and was not".into())
    })?;
    let (width, height) = (picture.width as usize, picture.height as usize);
    if truth.instance.len() != width * height {
        let what = format!("an instance image of {} pixels", truth.instance.len());
        return Err(ModelError::Image(format!("{what} is not {width} x {height}")));
    }
    let mut found: Vec<(u32, Detected)> = truth
        .labels
        .iter()
        .map(|&(id, label)| {
            let bbox = [u32::MAX, u32::MAX, 0, 0];
            (0, Detected { label: label.to_owned(), score: 1.0, bbox, mask: None, instance: Some(id) })
        })
        .collect();
    // Neighbours mostly show the same thing: one entry for each run of them.
    for (row, ids) in truth.instance.chunks(width.max(1)).enumerate() {
        let mut column = 0;
        for run in ids.chunk_by(|a, b| a == b) {
            let first = column;
            column += run.len();
            let Some(&id) = run.first().filter(|id| **id != 0) else { continue };
            let Ok(at) = truth.labels.binary_search_by_key(&id, |&(id, _)| id) else { continue };
            let (pixels, thing) = &mut found[at];
            *pixels += run.len() as u32;
            let [x0, y0, x1, y1] = thing.bbox;
            let y = row as u32;
            thing.bbox = [x0.min(first as u32), y0.min(y), x1.max(column as u32), y1.max(y + 1)];
        }
    }
    let least = (least_share * (width * height) as f64).ceil().max(1.0) as u32;
    found.retain(|&(pixels, _)| pixels >= least);
    for (_, thing) in &mut found {
        let mut bits = vec![false; width * height];
        let [x0, y0, x1, y1] = thing.bbox.map(|side| side as usize);
        for row in y0..y1 {
            let pixels = row * width + x0..row * width + x1;
            for (bit, id) in bits[pixels.clone()].iter_mut().zip(&truth.instance[pixels]) {
                *bit = Some(*id) == thing.instance;
            }
        }
        thing.mask = Some(Mask { width: picture.width, bits });
    }
    Ok(found.into_iter().map(|(_, thing)| thing).collect())
}

/// Keeps what is called as one of `labels`, under the name that was asked for; everything where there
/// are none. Case and underscores do not matter. Singular and plural do: a scene may have a `book` and
/// rows of `books`, and who looks for the one is not at the goal before the other.
pub(super) fn keep_labels(found: &mut Vec<Detected>, labels: &[&str]) {
    if labels.is_empty() {
        return;
    }
    found.retain_mut(|thing| {
        let name = normal_name(&thing.label);
        let asked = labels.iter().find(|label| normal_name(label) == name);
        if let Some(asked) = asked {
            thing.label = (*asked).to_owned();
        }
        asked.is_some()
    });
}
