//! Stage 7: what is to be put where, drawn from the joint relevance of things to regions and receptacles.

use crate::SdovonError;
use crate::analysis::Analysis;
use crate::settings::{Amount, PlacementSettings};
use ambler_geometry::random::Stream;
use ambler_model::{Region, Relevance};
use ambler_scene::library::{Library, LibraryObject};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Why a thing of this category was drawn for a surface.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chances {
    /// P(category | region).
    pub in_region: f64,
    /// P(category | receptacle).
    pub on_receptacle: f64,
    /// P(category | region, receptacle) ∝ the product of both. (The paper's equation 5 prints the region's
    /// twice.)
    pub joint: f64,
}

/// A thing to be put on a surface.
#[derive(Clone, Debug)]
pub struct Draw<'a> {
    /// The thing.
    pub object: &'a LibraryObject,
    /// Why its category was drawn.
    pub chances: Chances,
}

/// Draws categories and objects.
pub struct Planner<'a> {
    relevance: &'a dyn Relevance,
    /// Objects by category.
    objects: BTreeMap<&'a str, Vec<&'a LibraryObject>>,
    categories: Vec<&'a str>,
    least_chance: f64,
    known: BTreeMap<(Region, String), Vec<Chances>>,
}

/// A surface of more than this is no more probable than one of this, m².
const LARGE_M2: f64 = 1.0;

impl<'a> Planner<'a> {
    /// From the objects of a library that are not longer than the settings allow.
    pub fn new(
        library: &'a Library,
        relevance: &'a dyn Relevance,
        settings: &PlacementSettings,
    ) -> Self {
        let mut objects: BTreeMap<&str, Vec<&LibraryObject>> = BTreeMap::new();
        for object in &library.objects {
            if object.size_m.max_element() <= settings.largest_m && !object.hulls.is_empty() {
                objects.entry(&object.category).or_default().push(object);
            }
        }
        let categories = objects.keys().copied().collect();
        Self {
            relevance,
            objects,
            categories,
            least_chance: settings.least_chance,
            known: BTreeMap::new(),
        }
    }

    /// The categories that can be drawn, by name.
    pub fn categories(&self) -> &[&'a str] {
        &self.categories
    }

    /// Draws a category for a region and a receptacle, and one of its objects.
    ///
    /// # Errors
    /// A relevance that has to ask a model and cannot.
    pub fn draw(
        &mut self,
        region: Region,
        receptacle: &str,
        stream: &mut Stream,
    ) -> Result<Option<Draw<'a>>, SdovonError> {
        let key = (region, receptacle.to_owned());
        if !self.known.contains_key(&key) {
            let (list, relevance) = (&self.categories, self.relevance);
            let in_region = relevance.objects_given_region(list, region)?;
            let on_receptacle = relevance.objects_given_receptacle(list, receptacle)?;
            let joint = relevance.joint(list, region, receptacle)?;
            let chances = in_region.into_iter().zip(on_receptacle).zip(joint);
            let mut chances: Vec<Chances> = chances
                .map(|((in_region, on_receptacle), joint)| Chances { in_region, on_receptacle, joint })
                .collect();
            let least = |c: &Chances| c.in_region.min(c.on_receptacle) >= self.least_chance;
            // Where nothing is usual, everything is as likely as it is.
            if chances.iter().any(least) {
                chances.iter_mut().filter(|c| !least(c)).for_each(|c| c.joint = 0.0);
                let sum: f64 = chances.iter().map(|chances| chances.joint).sum();
                chances.iter_mut().for_each(|chances| chances.joint /= sum);
            }
            self.known.insert(key.clone(), chances);
        }
        let chances = self.known.get(&key).map_or(&[][..], Vec::as_slice);
        let mut left = stream.uniform() * chances.iter().map(|chances| chances.joint).sum::<f64>();
        let chosen = chances.iter().zip(&self.categories).find(|(chances, _)| {
            left -= chances.joint;
            left < 0.0
        });
        let Some((chances, category)) = chosen.or(chances.iter().zip(&self.categories).last()) else {
            return Ok(None);
        };
        let objects = self.objects.get(category).map_or(&[][..], Vec::as_slice);
        Ok(objects.get(stream.index(objects.len())).map(|object| Draw { object, chances: *chances }))
    }
}

/// The surfaces that get a thing each, by number, one entry a thing: the same surface may come often, but
/// not more often than its area allows.
pub fn slots(analysis: &Analysis, settings: &PlacementSettings, stream: &mut Stream) -> Vec<usize> {
    let area = |index: usize| -> f64 {
        let surface = &analysis.surfaces[index];
        surface.plane.area_m2() * f64::from(surface.headroom.share)
    };
    let room = |index: usize| (area(index) / f64::from(settings.area_each_m2.max(1e-4))) as u32;
    let count = analysis.surfaces.len();
    match settings.amount {
        Amount::PerReceptacle(most) => {
            // The paper's m for each receptacle in each region; its planes by area.
            let mut groups: BTreeMap<(u32, Region), Vec<usize>> = BTreeMap::new();
            for (index, surface) in analysis.surfaces.iter().enumerate() {
                groups.entry((surface.receptacle, surface.region)).or_default().push(index);
            }
            let mut slots = Vec::new();
            for planes in groups.values() {
                let m = planes.iter().map(|&index| room(index)).sum::<u32>().min(most);
                slots.extend(weighted(planes, m, area, room, stream));
            }
            slots
        }
        Amount::Total(total) => {
            let all: Vec<usize> = (0..count).collect();
            weighted(&all, total, |index| area(index).min(LARGE_M2).sqrt(), room, stream)
        }
    }
}

fn weighted(
    surfaces: &[usize],
    count: u32,
    weight: impl Fn(usize) -> f64,
    room: impl Fn(usize) -> u32,
    stream: &mut Stream,
) -> Vec<usize> {
    let mut left: Vec<u32> = surfaces.iter().map(|&index| room(index)).collect();
    let mut chosen = Vec::new();
    for _ in 0..count {
        let total: f64 =
            surfaces.iter().zip(&left).filter(|(_, left)| **left > 0).map(|(&i, _)| weight(i)).sum();
        if !(total > 0.0) {
            break;
        }
        let mut at = stream.uniform() * total;
        let mut last = None;
        for (place, &index) in surfaces.iter().enumerate() {
            if left[place] > 0 {
                last = Some(place);
                at -= weight(index);
                if at < 0.0 {
                    break;
                }
            }
        }
        let Some(place) = last else { break };
        left[place] -= 1;
        chosen.push(surfaces[place]);
    }
    chosen
}
