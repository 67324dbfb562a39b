use crate::mapping::map::{CELL_M, Map, SIDE};
use ambler_geometry::Vec3;
use std::collections::BTreeMap;

/// Points of a thing that make a cell of its category.
const ENOUGH: u8 = 5;

/// Where things of which categories are, on the cells of the map.
#[derive(Clone, Debug, Default)]
pub(super) struct Semantics {
    points: BTreeMap<String, BTreeMap<u32, u8>>,
}

impl Semantics {
    /// Counts points of a thing.
    pub(super) fn add(&mut self, label: &str, surface: impl Iterator<Item = Vec3>) {
        let mut cells = self.points.remove(label).unwrap_or_default();
        for point in surface {
            if let Some((x, z)) = Map::cell(point.x, point.z) {
                let count = cells.entry((z * SIDE + x) as u32).or_insert(0);
                *count = count.saturating_add(1);
            }
        }
        self.points.insert(label.to_owned(), cells);
    }

    /// Cells of a category, by row and column.
    fn cells(&self, label: &str) -> Vec<(i32, i32)> {
        let cells = self.points.get(label).into_iter().flatten();
        cells
            .filter(|(_, count)| **count >= ENOUGH)
            .map(|(&cell, _)| ((cell as usize % SIDE) as i32, (cell as usize / SIDE) as i32))
            .collect()
    }

    /// Categories with a cell within a square around a point.
    pub(super) fn near(&self, (x, z): (f32, f32), half_m: f32) -> Vec<&str> {
        let is_near = |&(i, j): &(i32, i32)| {
            let (cx, cz) = Map::middle(i as usize, j as usize);
            (cx - x).abs() <= half_m && (cz - z).abs() <= half_m
        };
        let labels = self.points.keys().map(String::as_str);
        labels.filter(|label| self.cells(label).iter().any(is_near)).collect()
    }

    /// Middles of the cells of the largest connected component of these categories together.
    pub(super) fn largest(&self, labels: &[String]) -> Vec<(f32, f32)> {
        let mut open: BTreeMap<(i32, i32), bool> = BTreeMap::new();
        for label in labels {
            open.extend(self.cells(label).into_iter().map(|cell| (cell, true)));
        }
        let all: Vec<(i32, i32)> = open.keys().copied().collect();
        let mut best: Vec<(i32, i32)> = Vec::new();
        for first in all {
            if open.insert(first, false) != Some(true) {
                continue;
            }
            let mut group = vec![first];
            let mut next = 0;
            while next < group.len() {
                let (x, z) = group[next];
                next += 1;
                for (dx, dz) in (-1..=1).flat_map(|dz| (-1..=1).map(move |dx| (dx, dz))) {
                    if let Some(is_open) = open.get_mut(&(x + dx, z + dz)).filter(|open| **open) {
                        *is_open = false;
                        group.push((x + dx, z + dz));
                    }
                }
            }
            if group.len() > best.len() {
                best = group;
            }
        }
        best.into_iter().map(|(x, z)| Map::middle(x as usize, z as usize)).collect()
    }

    /// Every cell with the name of its category, for those who look.
    pub(super) fn all(&self) -> Vec<(&str, Vec<(f32, f32)>)> {
        let middles = |label: &str| -> Vec<(f32, f32)> {
            let cells = self.cells(label).into_iter();
            cells.map(|(x, z)| Map::middle(x as usize, z as usize)).collect()
        };
        self.points.keys().map(|label| (label.as_str(), middles(label))).collect()
    }
}

/// Half the width of the window around a frontier in which things count: a sixth of the original's local
/// map of 24 m, metres.
pub(super) const WINDOW_HALF_M: f32 = 2.0;

const _: () = assert!(WINDOW_HALF_M > CELL_M);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_takes_five_points() {
        let mut semantics = Semantics::default();
        let point = Vec3::new(1.01, 0.5, 2.01);
        semantics.add("bed", std::iter::repeat_n(point, 4));
        assert!(semantics.near((1.0, 2.0), 2.0).is_empty());
        semantics.add("bed", std::iter::once(point));
        assert_eq!(semantics.near((1.0, 2.0), 2.0), ["bed"]);
        assert!(semantics.near((1.0, 4.5), 2.0).is_empty());
    }

    #[test]
    fn the_largest_component_is_the_goal() {
        let mut semantics = Semantics::default();
        for (label, x, cells) in [("bed", 0.0, 3), ("cot", 5.0, 4), ("bed", 5.2, 2), ("mug", 9.0, 9)] {
            for i in 0..cells {
                let point = Vec3::new(x + 0.025 + 0.05 * i as f32, 0.0, 0.025);
                semantics.add(label, std::iter::repeat_n(point, 5));
            }
        }
        let largest = semantics.largest(&["bed".into(), "cot".into()]);
        assert_eq!(largest.len(), 6);
        assert!(largest.iter().all(|(x, _)| (5.0..5.4).contains(x)));
        assert!(semantics.largest(&["sofa".into()]).is_empty());
    }
}
