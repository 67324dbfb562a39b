//! Stage 6: which part of the floor is a kitchen, by a window that slides over the labels.

use crate::SdovonError;
use crate::floors::FloorMap;
use crate::grid::Grid;
use crate::settings::RegionSettings;
use ambler_geometry::{Aabb, Vec2, Vec3};
use ambler_model::{Region, Relevance};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A labelled thing, as the window sees it.
#[derive(Clone, Debug)]
pub struct Labelled<'a> {
    /// What it is called.
    pub label: &'a str,
    /// Its middle.
    pub centroid: Vec3,
    /// The box around it.
    pub bounds: Aabb,
}

/// The semantic map of a storey.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RegionMap {
    /// Region of each cell, an index into [`Region::ALL`]; [`NO_REGION`] where no window says anything.
    pub cells: Grid<u8>,
    /// Windows with labels in them.
    pub windows: u32,
    /// Different sets of labels among them: how often the relevance was asked.
    pub label_sets: u32,
}

/// No window said anything of this cell.
pub const NO_REGION: u8 = u8::MAX;

impl RegionMap {
    /// The region at (x, z), or at the nearest cell within half a metre that has one: a shelf's middle may
    /// lie in the wall's cells.
    pub fn at(&self, point: Vec2) -> Option<Region> {
        let region = |index: usize| Region::ALL.get(usize::from(self.cells.cells[index])).copied();
        if let Some(found) = self.cells.index_at(point).and_then(region) {
            return Some(found);
        }
        let reach = (0.5 / self.cells.cell_m) as i32;
        let mut best: Option<(f32, Region)> = None;
        for row in -reach..=reach {
            for column in -reach..=reach {
                let at = point + Vec2::new(column as f32, row as f32) * self.cells.cell_m;
                let found = self.cells.index_at(at).and_then(region);
                let away = at.distance(point);
                if let Some(found) = found.filter(|_| best.is_none_or(|(least, _)| away < least)) {
                    best = Some((away, found));
                }
            }
        }
        best.map(|(_, region)| region)
    }
}

/// The semantic map of a storey from the labels of the things on it.
///
/// # Errors
/// A relevance that has to ask a model and cannot.
pub fn regions(
    floor: &FloorMap,
    things: &[Labelled<'_>],
    relevance: &dyn Relevance,
    settings: &RegionSettings,
) -> Result<RegionMap, SdovonError> {
    let low = floor.free.origin;
    let high = low + Vec2::new(floor.free.columns as f32, floor.free.rows as f32) * floor.free.cell_m;
    let cells = Grid::over(low, high, settings.cell_m, NO_REGION);
    let mut votes = cells.like([0.0_f64; 14]);
    let mut known: BTreeMap<Vec<&str>, [f64; 14]> = BTreeMap::new();
    let steps = ((high - low) / settings.step_m).ceil();
    let mut windows = 0;
    for row in 0..=steps.y.max(0.0) as u32 {
        for column in 0..=steps.x.max(0.0) as u32 {
            let center = low + Vec2::new(column as f32, row as f32) * settings.step_m;
            if settings.line_of_sight && floor.walls.at(center) == Some(&true) {
                continue;
            }
            let inside = |thing: &&Labelled<'_>| {
                let at = Vec2::new(thing.centroid.x, thing.centroid.z);
                at.distance(center) <= settings.window_m
                    && (!settings.line_of_sight || reaches(&floor.walls, center, thing))
            };
            let labels: BTreeSet<&str> = things.iter().filter(inside).map(|thing| thing.label).collect();
            if labels.is_empty() {
                continue;
            }
            windows += 1;
            let labels: Vec<&str> = labels.into_iter().collect();
            let chances = match known.get(&labels) {
                Some(chances) => *chances,
                None => {
                    let chances = relevance.region_given_labels(&labels)?;
                    known.insert(labels, chances);
                    chances
                }
            };
            vote(&mut votes, floor, center, &chances, settings);
        }
    }
    let mut cells = cells;
    for (cell, votes) in cells.cells.iter_mut().zip(&votes.cells) {
        let best = (0..votes.len()).rev().max_by(|&a, &b| votes[a].total_cmp(&votes[b]));
        *cell = best.filter(|&best| votes[best] > 0.0).map_or(NO_REGION, |best| best as u8);
    }
    for _ in 0..settings.smooth_rounds {
        cells = smoothed(&cells);
    }
    Ok(RegionMap { cells, windows, label_sets: known.len() as u32 })
}

/// Whether a straight line from a place to a thing's middle meets no wall; the thing's own box is none.
fn reaches(walls: &Grid<bool>, from: Vec2, thing: &Labelled<'_>) -> bool {
    let to = Vec2::new(thing.centroid.x, thing.centroid.z);
    let own = thing.bounds.inflated(walls.cell_m * 0.5);
    let steps = ((to - from).length() / (walls.cell_m * 0.5)).ceil() as usize;
    (1..steps).all(|step| {
        let point = from + (to - from) * (step as f32 / steps as f32);
        let in_own =
            (own.min.x..=own.max.x).contains(&point.x) && (own.min.z..=own.max.z).contains(&point.y);
        in_own || walls.at(point) != Some(&true)
    })
}

fn vote(
    votes: &mut Grid<[f64; 14]>,
    floor: &FloorMap,
    center: Vec2,
    chances: &[f64; 14],
    settings: &RegionSettings,
) {
    let radius = Vec2::splat(settings.window_m);
    let first = ((center - radius - votes.origin) / votes.cell_m).floor().max(Vec2::ZERO);
    let last = ((center + radius - votes.origin) / votes.cell_m).ceil().max(Vec2::ZERO);
    for row in first.y as usize..(last.y as usize + 1).min(votes.rows) {
        for column in first.x as usize..(last.x as usize + 1).min(votes.columns) {
            let index = row * votes.columns + column;
            let at = votes.center(index);
            let weight = f64::from(1.0 - at.distance(center) / settings.window_m);
            if weight <= 0.0 || (settings.line_of_sight && !floor.walls.sees(center, at)) {
                continue;
            }
            for (vote, chance) in votes.cells[index].iter_mut().zip(chances) {
                *vote += weight * chance;
            }
        }
    }
}

/// Each cell with the most frequent region of the nine around it; of equals its own, then the first.
fn smoothed(cells: &Grid<u8>) -> Grid<u8> {
    let mut out = cells.clone();
    for index in 0..cells.cells.len() {
        let own = cells.cells[index];
        let (row, column) = (index / cells.columns, index % cells.columns);
        let mut counts = [0_u8; Region::ALL.len()];
        for r in row.saturating_sub(1)..(row + 2).min(cells.rows) {
            for c in column.saturating_sub(1)..(column + 2).min(cells.columns) {
                if let Some(count) = counts.get_mut(usize::from(cells.cells[r * cells.columns + c])) {
                    *count += 1;
                }
            }
        }
        let most = counts.iter().copied().max().unwrap_or(0);
        let own_is_most = counts.get(usize::from(own)).is_some_and(|&count| count == most);
        if most > 0 && !own_is_most && own != NO_REGION {
            out.cells[index] = counts.iter().position(|&count| count == most).unwrap_or(0) as u8;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambler_model::Knowledge;

    /// Two rooms of 4 × 4 m with a wall between them.
    fn two_rooms() -> FloorMap {
        let free = Grid::over(Vec2::ZERO, Vec2::new(8.0, 4.0), 0.05, true);
        let mut walls = free.like(false);
        for index in 0..walls.cells.len() {
            walls.cells[index] = (walls.center(index).x - 4.0).abs() < 0.06;
        }
        FloorMap { y: 0.0, next_y: None, free, walls }
    }

    fn thing(label: &str, x: f32, z: f32) -> Labelled<'_> {
        let centroid = Vec3::new(x, 0.5, z);
        Labelled { label, centroid, bounds: Aabb { min: centroid - 0.2, max: centroid + 0.2 } }
    }

    #[test]
    fn walls_keep_the_bath_out_of_the_bedroom() {
        let things = [
            thing("bed", 1.5, 2.0),
            thing("nightstand", 2.6, 0.5),
            thing("wardrobe", 3.6, 3.0),
            thing("toilet", 4.4, 3.0),
            thing("bathtub", 6.5, 2.0),
            thing("vanity", 4.4, 1.0),
        ];
        let table = Knowledge::shipped();
        let share = |line_of_sight: bool| {
            let settings = RegionSettings { line_of_sight, ..RegionSettings::default() };
            let map = regions(&two_rooms(), &things, &table, &settings).unwrap();
            let (mut right, mut all) = (0, 0);
            for index in 0..map.cells.cells.len() {
                let at = map.cells.center(index);
                if let Some(region) = map.at(at).filter(|_| (at.x - 4.0).abs() > 0.2) {
                    all += 1;
                    right +=
                        u32::from(region == if at.x < 4.0 { Region::Bedroom } else { Region::Bathroom });
                }
            }
            assert!(all > 2000 && map.label_sets < map.windows);
            f64::from(right) / f64::from(all)
        };
        assert!(share(true) > 0.99, "{}", share(true));
        assert!(share(false) < share(true));
    }

    #[test]
    fn a_lone_cell_takes_the_region_around_it() {
        let mut cells = Grid::over(Vec2::ZERO, Vec2::ONE, 0.1, 2_u8);
        cells.cells[cells.columns * 5 + 5] = 7;
        assert!(smoothed(&cells).cells.iter().all(|&cell| cell == 2));
    }
}
