use super::truth::{everything, keep_labels};
use super::{Detected, Detector, Picture};
use crate::{Knowledge, ModelError};
use ambler_geometry::random::Stream;

/// How a detector errs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorModel {
    /// Share of large things that are missed.
    pub miss: f64,
    /// Share of tiny things that are missed besides; falls off as the thing fills more of the image,
    /// to 1/e at [`ErrorModel::small_share`].
    pub small: f64,
    /// Share of the image at which a thing is no longer tiny.
    pub small_share: f64,
    /// Share of the misses that last: the same thing is missed from wherever it is seen. The rest are
    /// drawn anew for each image.
    pub lasting: f64,
    /// Share of things that get the name of another thing of their kind.
    pub confuse: f64,
    /// Masks shrink or grow by up to so many pixels.
    pub mask_px: u32,
    /// Mean of the confidence.
    pub score: f64,
    /// Standard deviation of the confidence.
    pub spread: f64,
}

impl Default for ErrorModel {
    fn default() -> Self {
        Self {
            miss: 0.1,
            small: 0.3,
            small_share: 0.002,
            lasting: 0.3,
            confuse: 0.03,
            mask_px: 2,
            score: 0.8,
            spread: 0.1,
        }
    }
}

impl ErrorModel {
    /// `miss=0.2,confuse=0`: fields with their values over the defaults; nothing is the defaults.
    ///
    /// # Errors
    /// An unknown field or a value outside its range.
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        let mut model = Self::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let remedy = "fields are miss, small, small_share, lasting, confuse, score, spread (0 to 1) \
                          and mask (pixels), as in miss=0.2,mask=1";
            let wrong = |what: String| ModelError::option(what, remedy);
            let Some((name, value)) = part.split_once('=') else {
                return Err(wrong(format!("the error model says {part:?}")));
            };
            let number = value.parse::<f64>().ok().filter(|value| (0.0..=1.0).contains(value));
            let share = number.ok_or_else(|| wrong(format!("{value:?} is no share for {name}")));
            match name {
                "miss" => model.miss = share?,
                "small" => model.small = share?,
                "small_share" => model.small_share = share?,
                "lasting" => model.lasting = share?,
                "confuse" => model.confuse = share?,
                "score" => model.score = share?,
                "spread" => model.spread = share?,
                "mask" => {
                    let pixels = value.parse().ok().filter(|pixels| *pixels <= 50);
                    model.mask_px = pixels.ok_or_else(|| wrong(format!("mask={value}")))?;
                }
                _ => return Err(wrong(format!("the error model has no field {name:?}"))),
            }
        }
        Ok(model)
    }

    /// Share of things missed that fill this share of the image.
    pub fn miss_at(&self, share: f64) -> f64 {
        let tiny = if self.small_share > 0.0 { libm::exp(-share / self.small_share) } else { 0.0 };
        self.miss + (1.0 - self.miss) * self.small * tiny
    }
}

/// A detector that knows the truth and errs as an [`ErrorModel`] says. Errors depend on seed, image and
/// thing alone, so the same run makes the same ones.
#[derive(Clone, Debug)]
pub struct NoisyDetector {
    seed: u64,
    least_share: f64,
    errors: ErrorModel,
    names: Knowledge,
}

impl NoisyDetector {
    /// Things that fill at least `least_share` of the image can be found. `names` says what is taken
    /// for what.
    pub fn new(seed: u64, least_share: f64, errors: ErrorModel, names: Knowledge) -> Self {
        Self { seed, least_share, errors, names }
    }

    fn misses(&self, picture: &Picture<'_>, id: u32, share: f64, stream: &mut Stream) -> bool {
        let miss = self.errors.miss_at(share);
        let lasting = miss * self.errors.lasting;
        let purpose = format!("detector overlooks {id}");
        let always = Stream::new(self.seed, picture.place, &purpose).uniform() < lasting;
        // Of what is not always missed so many more that the share of misses is as stated.
        let now = stream.uniform() * (1.0 - lasting).max(f64::MIN_POSITIVE) < miss - lasting;
        always || now
    }

    /// Another thing of the same nearest kind.
    fn confused(&self, label: &str, stream: &mut Stream) -> Option<String> {
        let own = self.names.find(label)?;
        let alike: Vec<&str> = self
            .names
            .entries()
            .iter()
            .filter(|entry| entry.name != own.name && entry.kinds.first() == own.kinds.first())
            .map(|entry| entry.name.as_str())
            .collect();
        alike.get(stream.index(alike.len())).map(|name| (*name).to_owned())
    }
}

impl Detector for NoisyDetector {
    fn identity(&self) -> String {
        format!("noisy {:?}, share {}, seed {}", self.errors, self.least_share, self.seed)
    }

    fn needs_truth(&self) -> bool {
        true
    }

    fn detect(&self, picture: &Picture<'_>, labels: &[&str]) -> Result<Vec<Detected>, ModelError> {
        let mut found = everything(picture, self.least_share)?;
        let all = f64::from(picture.width) * f64::from(picture.height);
        found.retain_mut(|thing| {
            let id = thing.instance.unwrap_or(0);
            // One stream a thing: what else is in the image changes nothing.
            let mut stream = Stream::new(self.seed, picture.key, &format!("detector sees {id}"));
            if self.misses(picture, id, f64::from(thing.pixels()) / all, &mut stream) {
                return false;
            }
            if stream.uniform() < self.errors.confuse
                && let Some(other) = self.confused(&thing.label, &mut stream)
            {
                thing.label = other;
            }
            let score = self.errors.score + self.errors.spread * stream.normal();
            thing.score = score.clamp(0.01, 1.0) as f32;
            let most = self.errors.mask_px as usize;
            let change = stream.index(2 * most + 1) as i64 - most as i64;
            reshape(thing, change, picture.height)
        });
        keep_labels(&mut found, labels);
        Ok(found)
    }
}

/// Grows the mask by so many pixels, or shrinks it; false where nothing is left of it.
fn reshape(thing: &mut Detected, by: i64, height: u32) -> bool {
    let Some(mask) = &mut thing.mask else { return true };
    let (w, h) = (mask.width as usize, height as usize);
    for _ in 0..by.unsigned_abs() {
        let grow = by > 0;
        let [x0, y0, x1, y1] = thing.bbox.map(|side| side as usize);
        let margin = usize::from(grow);
        let columns = x0.saturating_sub(margin)..(x1 + margin).min(w);
        let rows = y0.saturating_sub(margin)..(y1 + margin).min(h);
        let old = mask.bits.clone();
        let at = |x: usize, y: usize| x < w && y < h && old[y * w + x];
        let mut bbox = [u32::MAX, u32::MAX, 0, 0];
        for y in rows {
            for x in columns.clone() {
                let around = [
                    at(x, y),
                    at(x.wrapping_sub(1), y),
                    at(x + 1, y),
                    at(x, y.wrapping_sub(1)),
                    at(x, y + 1),
                ];
                let bit =
                    if grow { around.iter().any(|bit| *bit) } else { around.iter().all(|bit| *bit) };
                mask.bits[y * w + x] = bit;
                if bit {
                    let (x, y) = (x as u32, y as u32);
                    bbox = [bbox[0].min(x), bbox[1].min(y), bbox[2].max(x + 1), bbox[3].max(y + 1)];
                }
            }
        }
        if bbox[2] == 0 {
            return false;
        }
        thing.bbox = bbox;
    }
    true
}
