//! Stage 4: sightings of one thing joined, and doubtful instances dropped.

use crate::cloud::{Cloud, box_iou};
use crate::observe::Sighting;
use crate::settings::FusionSettings;
use std::collections::{BTreeMap, BTreeSet};

/// An instance put together from sightings.
#[derive(Clone, Debug)]
pub struct Fused {
    /// What most sightings call it, by the sum of their confidences.
    pub label: String,
    /// Confidence of each sighting.
    pub scores: Vec<f32>,
    /// Its points.
    pub cloud: Cloud,
    /// Its points on finer voxels; empty where it is no receptacle.
    pub dense: Cloud,
    /// Sum of confidences by label.
    pub votes: BTreeMap<String, f32>,
    /// Sightings by true instance; read by [`crate::truth`] alone.
    pub instances: BTreeMap<u32, u32>,
    /// Numbers of the views that show it.
    in_views: BTreeSet<u32>,
}

impl Fused {
    fn of(sighting: Sighting, view: u32) -> Self {
        let mut fused = Self {
            label: sighting.label.clone(),
            scores: vec![sighting.score],
            cloud: sighting.cloud,
            dense: sighting.dense,
            votes: BTreeMap::from([(sighting.label, sighting.score)]),
            instances: BTreeMap::new(),
            in_views: BTreeSet::from([view]),
        };
        if let Some(instance) = sighting.instance {
            fused.instances.insert(instance, 1);
        }
        fused
    }

    /// How many views show it.
    pub fn views(&self) -> usize {
        self.scores.len()
    }

    fn join(&mut self, other: Self) {
        self.scores.extend(other.scores);
        self.in_views.extend(other.in_views);
        self.cloud.merge(&other.cloud);
        self.dense.merge(&other.dense);
        for (label, score) in other.votes {
            *self.votes.entry(label).or_insert(0.0) += score;
        }
        for (instance, count) in other.instances {
            *self.instances.entry(instance).or_insert(0) += count;
        }
        // Of equal sums the first by name.
        let best = self.votes.iter().rev().max_by(|a, b| a.1.total_cmp(b.1));
        if let Some((label, _)) = best {
            self.label.clone_from(label);
        }
    }

    /// Mean of the `k` highest confidences.
    fn top(&self, k: usize) -> f32 {
        let mut scores = self.scores.clone();
        scores.sort_by(|a, b| b.total_cmp(a));
        scores.iter().take(k).sum::<f32>() / k.min(scores.len()).max(1) as f32
    }
}

/// How alike two labels are, 0 to 1: 1 the same, 0.7 synonyms, 0.4 of one kind.
pub type Alike<'a> = &'a dyn Fn(&str, &str) -> f64;

/// The paper's similarity, 0 to 2: label's part 0.4, overlap's part 1.6. (Its text names the weights the
/// other way round.)
pub fn similarity(label: f64, overlap: f64, settings: &FusionSettings) -> f64 {
    f64::from(settings.label_weight) * label + f64::from(settings.overlap_weight) * overlap
}

/// Joins sightings one view after the other.
pub struct Fusion<'a> {
    settings: FusionSettings,
    alike: Alike<'a>,
    fused: Vec<Fused>,
    views: u32,
}

/// Why instances were dropped, and how many.
pub type Dropped = BTreeMap<&'static str, u32>;

impl<'a> Fusion<'a> {
    /// Nothing seen yet.
    pub fn new(settings: &FusionSettings, alike: Alike<'a>) -> Self {
        Self { settings: settings.clone(), alike, fused: Vec::new(), views: 0 }
    }

    /// Adds what one view shows: each sighting joins the instance that it is most similar to, where that
    /// reaches the threshold, or begins one. The most similar pairs come first.
    pub fn add(&mut self, sightings: Vec<Sighting>) {
        let view = self.views;
        self.views += 1;
        let threshold = f64::from(self.settings.threshold);
        let known = self.fused.len();
        let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
        for (number, sighting) in sightings.iter().enumerate() {
            let to = |(index, known)| (self.to(&sighting.label, &sighting.cloud, known), number, index);
            pairs.extend(self.fused.iter().enumerate().map(to).filter(|pair| pair.0 >= threshold));
        }
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
        let mut joins: Vec<Option<usize>> = vec![None; sightings.len()];
        let mut taken = vec![false; known];
        for (_, number, index) in pairs {
            if joins[number].is_none() && !(self.settings.exclusive && taken[index]) {
                joins[number] = Some(index);
                taken[index] = true;
            }
        }
        for (sighting, join) in sightings.into_iter().zip(joins) {
            let new = Fused::of(sighting, view);
            match join {
                Some(index) => self.fused[index].join(new),
                None => self.fused.push(new),
            }
        }
    }

    fn to(&self, label: &str, cloud: &Cloud, known: &Fused) -> f64 {
        let most = self.settings.overlap_points as usize;
        let overlap = f64::from(cloud.overlap(&known.cloud, most));
        let label = if overlap > 0.0 { (self.alike)(label, &known.label) } else { 0.0 };
        similarity(label, overlap, &self.settings)
    }

    /// The instances: joined among themselves where they overlap, cleaned, and without what was seen too
    /// little or too doubtfully.
    pub fn finish(mut self) -> (Vec<Fused>, Dropped) {
        for _ in 0..self.settings.merge_rounds {
            if !self.join_pairs(Self::overlaps) {
                break;
            }
        }
        if self.settings.sides_m > 0.0 {
            while self.join_pairs(Self::are_sides) {}
        }
        let s = self.settings;
        let mut dropped = Dropped::new();
        let mut count = |reason, yes: bool| {
            if yes {
                *dropped.entry(reason).or_insert(0) += 1;
            }
            !yes
        };
        let mut kept = self.fused;
        kept.retain(|fused| count("seen in too few views", fused.views() < s.least_views as usize));
        for fused in &mut kept {
            let clean = |cloud: &Cloud, scale: f32| {
                cloud.cleaned(s.clean_m, (s.clean_points as f32 * scale) as usize, 0.0)
            };
            let cleaned = clean(&fused.cloud, 1.0);
            // A thin thing is no noise: where nothing dense is left it stays as it is.
            if cleaned.len() * 2 >= fused.cloud.len() {
                fused.cloud = cleaned;
            }
        }
        kept.retain(|fused| count("too few points", fused.cloud.len() < s.least_points as usize));
        let before = kept.len();
        let kept = correct(kept, s.error_iou);
        if before > kept.len() {
            dropped.insert("one thing seen as two", (before - kept.len()) as u32);
        }
        (kept, dropped)
    }

    /// Whether two instances are as similar as a sighting must be to join.
    fn overlaps(&self, a: &Fused, b: &Fused) -> bool {
        if self.settings.exclusive && !a.in_views.is_disjoint(&b.in_views) {
            return false;
        }
        let best = self.to(&a.label, &a.cloud, b).max(self.to(&b.label, &b.cloud, a));
        best >= f64::from(self.settings.threshold)
    }

    /// Whether two instances are sides of one thing, whose clouds have no voxel in common: one label, never
    /// in one view, one box in the other.
    fn are_sides(&self, a: &Fused, b: &Fused) -> bool {
        let within = |a: &Fused, b: &Fused| {
            let (inner, outer) = (a.cloud.bounds(), b.cloud.bounds().inflated(self.settings.sides_m));
            outer.contains(inner.min) && outer.contains(inner.max)
        };
        a.label == b.label && (within(a, b) || within(b, a)) && a.in_views.is_disjoint(&b.in_views)
    }

    /// Joins the pairs of instances that are one; whether there were any.
    fn join_pairs(&mut self, are_one: impl Fn(&Self, &Fused, &Fused) -> bool) -> bool {
        let mut any = false;
        let mut index = 0;
        while index < self.fused.len() {
            let mut other = index + 1;
            while other < self.fused.len() {
                if are_one(self, &self.fused[index], &self.fused[other]) {
                    let joined = self.fused.remove(other);
                    self.fused[index].join(joined);
                    any = true;
                } else {
                    other += 1;
                }
            }
            index += 1;
        }
        any
    }
}

/// The paper's error correction: of two instances whose boxes overlap by `iou` or more the one with the
/// lower mean of its top k confidences goes, k being the smaller number of views; of equals the one with
/// fewer views, then the later.
fn correct(fused: Vec<Fused>, iou: f32) -> Vec<Fused> {
    let mut gone = vec![false; fused.len()];
    for first in 0..fused.len() {
        for second in first + 1..fused.len() {
            let (a, b) = (&fused[first], &fused[second]);
            if gone[first] || gone[second] || box_iou(&a.cloud.bounds(), &b.cloud.bounds()) < iou {
                continue;
            }
            let k = a.views().min(b.views());
            let first_stays = a.top(k).total_cmp(&b.top(k)).then(a.views().cmp(&b.views())).is_ge();
            gone[if first_stays { second } else { first }] = true;
        }
    }
    fused.into_iter().zip(gone).filter(|(_, gone)| !gone).map(|(fused, _)| fused).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambler_geometry::Vec3;

    fn sheet(x: f32) -> Vec<Vec3> {
        let point = |i, j| Vec3::new(x + i as f32 * 0.025, 0.5, j as f32 * 0.025) + Vec3::splat(0.0125);
        (0..20).flat_map(|i| (0..20).map(move |j| point(i, j))).collect()
    }

    fn sighting(label: &str, x: f32, score: f32) -> Sighting {
        Sighting {
            label: label.into(),
            score,
            cloud: Cloud::of(0.025, sheet(x)),
            dense: Cloud::new(0.01),
            instance: None,
        }
    }

    fn fused(list: &[(&str, f32)]) -> Vec<Fused> {
        let same = |a: &str, b: &str| f64::from(u8::from(a == b));
        let settings = FusionSettings { least_views: 1, ..FusionSettings::default() };
        let mut fusion = Fusion::new(&settings, &same);
        list.iter().for_each(|&(label, x)| fusion.add(vec![sighting(label, x, 1.0)]));
        fusion.finish().0
    }

    /// Weights 0.4 and 1.6, threshold 0.8.
    #[test]
    fn a_label_alone_never_joins_and_half_an_overlap_does() {
        let s = FusionSettings::default();
        let joins = |label, overlap| similarity(label, overlap, &s) >= f64::from(s.threshold) - 1e-7;
        assert!(!joins(1.0, 0.0) && (similarity(1.0, 0.0, &s) - 0.4).abs() < 1e-7);
        assert!(joins(0.0, 0.5) && !joins(0.0, 0.49));
        assert!(joins(1.0, 0.25) && !joins(1.0, 0.24));
        assert_eq!(fused(&[("mug", 0.0), ("mug", 3.0)]).len(), 2);
        // Half of each sheet lies on the other.
        assert_eq!(fused(&[("mug", 0.0), ("book", 0.24)]).len(), 1);
        assert_eq!(fused(&[("mug", 0.0), ("book", 0.36)]).len(), 2);
        assert_eq!(fused(&[("mug", 0.0), ("mug", 0.36)]).len(), 1);
    }

    #[test]
    fn a_bridge_joins_what_was_seen_from_two_sides() {
        let list = [("sofa", 0.0), ("sofa", 0.45), ("sofa", 0.225)];
        assert_eq!(fused(&list).len(), 1);
    }

    /// Two coats that hang beside each other overlap by half, and every view shows both.
    #[test]
    fn what_one_view_shows_as_two_stays_two() {
        let same = |a: &str, b: &str| f64::from(u8::from(a == b));
        let found = |exclusive: bool| {
            let settings = FusionSettings { exclusive, ..FusionSettings::default() };
            let mut fusion = Fusion::new(&settings, &same);
            for _ in 0..3 {
                fusion.add(vec![sighting("coat", 0.0, 1.0), sighting("coat", 0.24, 1.0)]);
            }
            fusion.finish().0.len()
        };
        assert_eq!((found(true), found(false)), (2, 1));
    }

    /// The faces of a door 5 cm thick, each seen from its own room; and two doors beside each other.
    #[test]
    fn two_faces_of_a_door_are_one_thing() {
        let same = |a: &str, b: &str| f64::from(u8::from(a == b));
        let face = |x: f32, z: f32| {
            let point =
                |i, j| Vec3::new(x, i as f32 * 0.025, z + j as f32 * 0.025) + Vec3::splat(0.0125);
            Cloud::of(0.025, (0..40).flat_map(|i| (0..20).map(move |j| point(i, j))))
        };
        let door = |cloud| Sighting { cloud, ..sighting("door", 0.0, 1.0) };
        let found = |views: Vec<Vec<Sighting>>, sides_m: f32| {
            let settings = FusionSettings { least_views: 1, sides_m, ..FusionSettings::default() };
            let mut fusion = Fusion::new(&settings, &same);
            views.into_iter().for_each(|view| fusion.add(view));
            fusion.finish().0.len()
        };
        let apart = || vec![vec![door(face(0.0, 0.0))], vec![door(face(0.05, 0.0))]];
        assert_eq!((found(apart(), 0.08), found(apart(), 0.0)), (1, 2));
        assert_eq!(found(vec![vec![door(face(0.0, 0.0)), door(face(0.05, 0.0))]], 0.08), 2, "one view");
        assert_eq!(
            found(vec![vec![door(face(0.0, 0.0))], vec![door(face(0.0, 0.52))]], 0.08),
            2,
            "beside"
        );
        let named = Sighting { label: "window".into(), ..door(face(0.05, 0.0)) };
        assert_eq!(found(vec![vec![door(face(0.0, 0.0))], vec![named]], 0.08), 2, "another label");
    }

    #[test]
    fn the_label_is_that_of_most_confidence() {
        let found = fused(&[("mug", 0.0), ("cup", 0.0), ("cup", 0.0)]);
        assert_eq!((found[0].label.as_str(), found[0].views()), ("cup", 3));
    }

    /// IoU 0.9, mean of the top k confidences, k the smaller number of views.
    #[test]
    fn of_one_thing_seen_as_two_the_less_certain_goes() {
        let with = |label: &str, scores: &[f32]| {
            let mut fused = Fused::of(sighting(label, 0.0, scores[0]), 0);
            fused.cloud = Cloud::of(0.025, sheet(0.0).into_iter().flat_map(|p| [p, p + Vec3::Y * 0.3]));
            fused.scores = scores.to_vec();
            fused
        };
        // Its best two beat the other's two, though its mean over all five does not.
        let kept = correct(vec![with("a", &[0.9, 0.9, 0.1, 0.1, 0.1]), with("b", &[0.8, 0.8])], 0.9);
        assert_eq!((kept.len(), kept[0].label.as_str()), (1, "a"));
        let mut apart = with("b", &[0.8]);
        apart.cloud = Cloud::of(0.025, sheet(0.1).into_iter().flat_map(|p| [p, p + Vec3::Y * 0.3]));
        assert_eq!(correct(vec![with("a", &[0.9]), apart], 0.9).len(), 2);
    }

    #[test]
    fn what_was_seen_once_is_no_instance() {
        let same = |a: &str, b: &str| f64::from(u8::from(a == b));
        let mut fusion = Fusion::new(&FusionSettings::default(), &same);
        for _ in 0..3 {
            fusion.add(vec![sighting("mug", 0.0, 1.0)]);
        }
        fusion.add(vec![sighting("book", 5.0, 1.0)]);
        let (kept, dropped) = fusion.finish();
        assert_eq!((kept.len(), kept[0].views()), (1, 3));
        assert_eq!(dropped["seen in too few views"], 1);
    }
}
