//! Top-down maps, as Habitat's `get_topdown_view` and `get_topdown_island_view` draw them.

use crate::NavQuery;
use ambler_geometry::{Vec2, Vec3};

/// Largest map, cells.
const MAX_CELLS: f64 = (1_u64 << 28) as f64;

/// A map seen from above: row = z, column = x, row 0 and column 0 at the least z and x.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid<T> {
    /// Columns (along x).
    pub width: usize,
    /// Rows (along z).
    pub height: usize,
    /// `width · height` cells, row by row.
    pub cells: Vec<T>,
    /// The least x and z: the corner of the cell in row 0, column 0.
    pub origin: Vec2,
    /// Side of a cell, metres.
    pub cell_m: f32,
}

impl<T: Copy> Grid<T> {
    /// The cell in a row and column; none outside.
    pub fn get(&self, row: usize, column: usize) -> Option<T> {
        if column >= self.width {
            return None;
        }
        self.cells.get(row * self.width + column).copied()
    }

    /// Row and column of the cell that holds a point of the floor plane; none outside.
    pub fn cell_of(&self, x: f32, z: f32) -> Option<(usize, usize)> {
        let column = (x - self.origin.x) / self.cell_m;
        let row = (z - self.origin.y) / self.cell_m;
        let inside =
            column >= 0.0 && row >= 0.0 && column < self.width as f32 && row < self.height as f32;
        inside.then_some((row as usize, column as usize))
    }
}

/// Which cells a body can stand in: the point at the cell's least x and z and at `height` is
/// navigable within `eps` metres of height (Habitat's default 0.5).
///
/// `meters_per_pixel` is the side of a cell; rows and columns are the spans of the navmesh's bounds
/// divided by it, rounded down. A map of more than 2^28 cells, or with a side that is not a
/// positive number, is empty.
pub fn top_down(query: &mut NavQuery, meters_per_pixel: f32, height: f32, eps: f32) -> Grid<bool> {
    draw(query, meters_per_pixel, height, |query, point| query.is_navigable(point, eps))
}

/// The island of each cell, −1 where a body cannot stand; otherwise as [`top_down`].
pub fn island_map(query: &mut NavQuery, meters_per_pixel: f32, height: f32, eps: f32) -> Grid<i32> {
    draw(query, meters_per_pixel, height, |query, point| {
        if !query.is_navigable(point, eps) {
            return -1;
        }
        query.snap(point).map_or(-1, |snap| snap.island as i32)
    })
}

fn draw<T>(
    query: &mut NavQuery,
    cell_m: f32,
    height: f32,
    mut cell: impl FnMut(&mut NavQuery, Vec3) -> T,
) -> Grid<T> {
    let bounds = query.mesh().bounds();
    let origin = Vec2::new(bounds.min.x, bounds.min.z);
    let sides = [bounds.max.x - bounds.min.x, bounds.max.z - bounds.min.z].map(|span| span / cell_m);
    let drawable = cell_m > 0.0
        && sides.iter().all(|side| side.is_finite() && *side >= 0.0)
        && f64::from(sides[0]) * f64::from(sides[1]) <= MAX_CELLS;
    let [width, rows] = if drawable { sides.map(|side| side as usize) } else { [0, 0] };
    let mut cells = Vec::with_capacity(width * rows);
    // Habitat adds up the cell's side rather than multiplying it.
    let mut z = origin.y;
    for _ in 0..rows {
        let mut x = origin.x;
        for _ in 0..width {
            cells.push(cell(query, Vec3::new(x, height, z)));
            x += cell_m;
        }
        z += cell_m;
    }
    Grid { width, height: rows, cells, origin, cell_m }
}
