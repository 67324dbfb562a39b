//! Room above a plane.

use super::ReceptaclePlane;
use crate::convex;
use crate::grid::Grid;
use ambler_geometry::{Vec2, Vec3};
use ambler_scene::SceneModel;
use serde::{Deserialize, Serialize};

/// Triangles of a scene by the square metre, for questions about what is above a place.
pub struct Solid {
    triangles: Vec<[Vec3; 3]>,
    /// Numbers of the triangles over each cell.
    over: Grid<Vec<u32>>,
}

/// Side of the cells in which triangles are looked up, metres.
const BIN_M: f32 = 0.5;
/// Side of a cell of a headroom map, metres.
const CELL_M: f32 = 0.03;
/// Geometry this close above a plane is the plane itself, metres.
const SKIN_M: f32 = 0.025;
/// Room above that is measured at most, metres.
const MOST_M: f32 = 2.0;

/// The room above a plane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Headroom {
    /// Free height above each cell, metres, 0 where something stands; cells outside the outline have 0.
    pub free_m: Grid<f32>,
    /// Share of the outline's cells with the headroom asked for.
    pub share: f32,
}

impl Headroom {
    /// Free height in metres at (x, z).
    pub fn at(&self, point: Vec2) -> f32 {
        self.free_m.at(point).copied().unwrap_or(0.0)
    }
}

impl Solid {
    /// The triangles of a scene.
    pub fn new(scene: &SceneModel) -> Self {
        let (vertices, triangles) = scene.world_triangles();
        let corners = |t: &[u32; 3]| t.map(|c| vertices.get(c as usize).copied().unwrap_or(Vec3::NAN));
        let triangles: Vec<[Vec3; 3]> =
            triangles.iter().map(corners).filter(|t| t.iter().all(|p| p.is_finite())).collect();
        let flat = |point: Vec3| Vec2::new(point.x, point.z);
        let low = triangles.iter().flatten().fold(Vec2::INFINITY, |low, &p| low.min(flat(p)));
        let high = triangles.iter().flatten().fold(Vec2::NEG_INFINITY, |high, &p| high.max(flat(p)));
        let mut over: Grid<Vec<u32>> = Grid::over(low, high, BIN_M, Vec::new());
        for (number, t) in triangles.iter().enumerate() {
            let min = t.iter().fold(Vec2::INFINITY, |low, &p| low.min(flat(p)));
            let max = t.iter().fold(Vec2::NEG_INFINITY, |high, &p| high.max(flat(p)));
            let (Some(first), Some(last)) = (over.index_at(min), over.index_at(max)) else { continue };
            for row in first / over.columns..=last / over.columns {
                for column in first % over.columns..=last % over.columns {
                    over.cells[row * over.columns + column].push(number as u32);
                }
            }
        }
        Self { triangles, over }
    }

    /// The room above a plane; `wanted_m` is the headroom that the share counts.
    pub fn headroom(&self, plane: &ReceptaclePlane, wanted_m: f32) -> Headroom {
        let low = plane.outline.iter().copied().fold(Vec2::INFINITY, Vec2::min);
        let high = plane.outline.iter().copied().fold(Vec2::NEG_INFINITY, Vec2::max);
        let mut free = Grid::over(low, high, CELL_M, 0.0_f32);
        let inside: Vec<usize> = (0..free.cells.len())
            .filter(|&index| convex::inset(&plane.outline, free.center(index)) >= 0.0)
            .collect();
        inside.iter().for_each(|&index| free.cells[index] = MOST_M);
        let mut numbers: Vec<u32> = Vec::new();
        if let (Some(first), Some(last)) = (self.over.index_at(low), self.over.index_at(high)) {
            for row in first / self.over.columns..=last / self.over.columns {
                for column in first % self.over.columns..=last % self.over.columns {
                    numbers.extend(&self.over.cells[row * self.over.columns + column]);
                }
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        // In layers, thin ones where things stand: what a layer's triangles touch is no higher.
        let mut heights = vec![SKIN_M];
        while let Some(&top) = heights.last().filter(|&&top| top < MOST_M) {
            heights.push(top + if top < 0.5 { 0.02 } else { 0.1 });
        }
        let base = inside.iter().map(|&index| plane.y_at(free.center(index)));
        let (mut floor, mut ceiling) = (f32::INFINITY, f32::NEG_INFINITY);
        base.for_each(|y| {
            floor = floor.min(y);
            ceiling = ceiling.max(y);
        });
        let mut blocked = free.like(false);
        for pair in heights.windows(2) {
            blocked.cells.fill(false);
            for &number in &numbers {
                let t = self.triangles[number as usize];
                // Tilted planes: the layer follows the plane at the triangle's middle.
                let middle = (t[0] + t[1] + t[2]) / 3.0;
                let y = plane.y_at(Vec2::new(middle.x, middle.z)).clamp(floor, ceiling);
                blocked.draw(t, [y + pair[0], y + pair[1]]);
            }
            for &index in &inside {
                if blocked.cells[index] {
                    let low = if pair[0] <= SKIN_M { 0.0 } else { pair[0] };
                    free.cells[index] = free.cells[index].min(low);
                }
            }
        }
        let enough = inside.iter().filter(|&&index| free.cells[index] >= wanted_m).count();
        Headroom { share: enough as f32 / inside.len().max(1) as f32, free_m: free }
    }
}
