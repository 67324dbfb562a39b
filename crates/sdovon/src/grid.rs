//! Maps in the floor plane: cells, triangles drawn into them, distances, pieces, lines of sight.

use ambler_geometry::{Vec2, Vec3};
use serde::{Deserialize, Serialize};

/// A map of cells in the floor plane. Column along +x, row along +z.
///
/// Saved as runs of equal values.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(into = "Runs<T>", try_from = "Runs<T>")]
#[serde(bound(
    serialize = "T: Clone + PartialEq + Serialize",
    deserialize = "T: Clone + Deserialize<'de>"
))]
pub struct Grid<T> {
    /// The corner with the smallest x and z, metres.
    pub origin: Vec2,
    /// Side of a cell, metres.
    pub cell_m: f32,
    /// Cells along x.
    pub columns: usize,
    /// Cells along z.
    pub rows: usize,
    /// `columns · rows` values, row by row.
    pub cells: Vec<T>,
}

/// A map as it is saved.
#[derive(Serialize, Deserialize)]
struct Runs<T> {
    origin: Vec2,
    cell_m: f32,
    columns: usize,
    rows: usize,
    runs: Vec<(usize, T)>,
}

impl<T: Clone + PartialEq> From<Grid<T>> for Runs<T> {
    fn from(grid: Grid<T>) -> Self {
        let runs = grid.cells.chunk_by(|a, b| a == b);
        let runs = runs.filter_map(|run| Some((run.len(), run.first()?.clone()))).collect();
        let Grid { origin, cell_m, columns, rows, .. } = grid;
        Self { origin, cell_m, columns, rows, runs }
    }
}

impl<T: Clone> TryFrom<Runs<T>> for Grid<T> {
    type Error = String;

    fn try_from(runs: Runs<T>) -> Result<Self, String> {
        let Runs { origin, cell_m, columns, rows, runs } = runs;
        let count = columns.checked_mul(rows).filter(|&count| count <= MOST_CELLS);
        let sum = runs.iter().try_fold(0_usize, |sum, (length, _)| sum.checked_add(*length));
        if count.is_none() || count != sum {
            return Err(format!("a map of {columns} × {rows} cells does not have as many values"));
        }
        let cells = runs.into_iter().flat_map(|(length, value)| std::iter::repeat_n(value, length));
        Ok(Self { origin, cell_m, columns, rows, cells: cells.collect() })
    }
}

/// Cells that a map may have.
pub const MOST_CELLS: usize = 64_000_000;

impl<T: Clone> Grid<T> {
    /// A map over a rectangle, all cells `value`. A rectangle that is not finite or too large for
    /// [`MOST_CELLS`] gives an empty map.
    pub fn over(low: Vec2, high: Vec2, cell_m: f32, value: T) -> Self {
        let size = (high - low) / cell_m;
        let fits = size.is_finite() && size.min_element() >= 0.0;
        let fits = fits && f64::from(size.x) * f64::from(size.y) < MOST_CELLS as f64;
        let (columns, rows) =
            if fits { (size.x.ceil() as usize + 1, size.y.ceil() as usize + 1) } else { (0, 0) };
        Self { origin: low, cell_m, columns, rows, cells: vec![value; columns * rows] }
    }

    /// A map of the same cells with another value.
    pub fn like<U: Clone>(&self, value: U) -> Grid<U> {
        Grid {
            origin: self.origin,
            cell_m: self.cell_m,
            columns: self.columns,
            rows: self.rows,
            cells: vec![value; self.cells.len()],
        }
    }
}

impl<T> Grid<T> {
    /// Number of the cell that holds a point (x, z).
    pub fn index_at(&self, point: Vec2) -> Option<usize> {
        let at = (point - self.origin) / self.cell_m;
        let inside = at.x >= 0.0 && at.y >= 0.0;
        let (column, row) = (at.x as usize, at.y as usize);
        (inside && column < self.columns && row < self.rows).then(|| row * self.columns + column)
    }

    /// The value of the cell that holds a point (x, z).
    pub fn at(&self, point: Vec2) -> Option<&T> {
        self.cells.get(self.index_at(point)?)
    }

    /// The middle of a cell (x, z), metres.
    pub fn center(&self, index: usize) -> Vec2 {
        let (row, column) = (index / self.columns.max(1), index % self.columns.max(1));
        self.origin + Vec2::new(column as f32 + 0.5, row as f32 + 0.5) * self.cell_m
    }

    /// Area of a cell, m².
    pub fn cell_area_m2(&self) -> f64 {
        f64::from(self.cell_m) * f64::from(self.cell_m)
    }

    /// Numbers of the four neighbours that exist.
    pub fn neighbours(&self, index: usize) -> impl Iterator<Item = usize> + use<T> {
        let (columns, rows) = (self.columns, self.rows);
        let (row, column) = (index / columns.max(1), index % columns.max(1));
        [
            (column > 0).then(|| index - 1),
            (column + 1 < columns).then(|| index + 1),
            (row > 0).then(|| index - columns),
            (row + 1 < rows).then(|| index + columns),
        ]
        .into_iter()
        .flatten()
    }
}

impl Grid<bool> {
    /// Marks the cells that the part of a triangle between two heights touches.
    pub fn draw(&mut self, triangle: [Vec3; 3], heights: [f32; 2]) {
        let mut polygon = [Vec3::ZERO; 8];
        let count = clip(triangle, heights, &mut polygon);
        if count > 0 {
            self.fill(&polygon[..count]);
        }
    }

    fn fill(&mut self, polygon: &[Vec3]) {
        let (mut low, mut high) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
        for point in polygon {
            let point = Vec2::new(point.x, point.z);
            low = low.min(point);
            high = high.max(point);
        }
        let cell = |value: f32, origin: f32, count: usize| -> usize {
            (((value - origin) / self.cell_m).floor().max(0.0) as usize).min(count.saturating_sub(1))
        };
        if !(low.is_finite() && high.is_finite()) || self.cells.is_empty() {
            return;
        }
        let end = self.origin + Vec2::new(self.columns as f32, self.rows as f32) * self.cell_m;
        if high.x < self.origin.x || high.y < self.origin.y || low.x > end.x || low.y > end.y {
            return;
        }
        let columns =
            cell(low.x, self.origin.x, self.columns)..=cell(high.x, self.origin.x, self.columns);
        let rows = cell(low.y, self.origin.y, self.rows)..=cell(high.y, self.origin.y, self.rows);
        // A hair more, so that what runs along a border belongs to both sides.
        let half = self.cell_m * 0.5001;
        for row in rows {
            for column in columns.clone() {
                let index = row * self.columns + column;
                let middle =
                    self.origin + Vec2::new(column as f32 + 0.5, row as f32 + 0.5) * self.cell_m;
                if !self.cells[index] && touches(polygon, middle, half) {
                    self.cells[index] = true;
                }
            }
        }
    }

    /// Distance in metres from each cell's middle to the nearest marked cell's middle; infinite where
    /// nothing is marked. Exact (Felzenszwalb and Huttenlocher, two passes).
    pub fn distance(&self) -> Grid<f32> {
        let far = 1e12_f64;
        let mut squared: Vec<f64> =
            self.cells.iter().map(|&marked| if marked { 0.0 } else { far }).collect();
        let mut line = vec![0.0; self.columns.max(self.rows)];
        let mut work = Parabolas::default();
        for column in 0..self.columns {
            for row in 0..self.rows {
                line[row] = squared[row * self.columns + column];
            }
            work.transform(&mut line[..self.rows]);
            for row in 0..self.rows {
                squared[row * self.columns + column] = line[row];
            }
        }
        for row in squared.chunks_mut(self.columns.max(1)) {
            work.transform(row);
        }
        let cell = f64::from(self.cell_m);
        let mut out = self.like(f32::INFINITY);
        for (out, squared) in out.cells.iter_mut().zip(squared) {
            if squared < far * 0.5 {
                *out = (squared.sqrt() * cell) as f32;
            }
        }
        out
    }

    /// Numbers each connected piece of marked cells (four neighbours) from 1 in scan order, and says how
    /// many cells each has: index 0 counts nothing.
    pub fn pieces(&self) -> (Grid<u32>, Vec<usize>) {
        let mut labels = self.like(0_u32);
        let mut sizes = vec![0];
        let mut stack = Vec::new();
        for start in 0..self.cells.len() {
            if !self.cells[start] || labels.cells[start] != 0 {
                continue;
            }
            let label = sizes.len() as u32;
            let mut size = 0;
            labels.cells[start] = label;
            stack.push(start);
            while let Some(index) = stack.pop() {
                size += 1;
                for next in self.neighbours(index) {
                    if self.cells[next] && labels.cells[next] == 0 {
                        labels.cells[next] = label;
                        stack.push(next);
                    }
                }
            }
            sizes.push(size);
        }
        (labels, sizes)
    }

    /// Whether the straight line between two points (x, z) crosses no marked cell. The cells of the ends
    /// do not count.
    pub fn sees(&self, from: Vec2, to: Vec2) -> bool {
        let (Some(first), Some(last)) = (self.index_at(from), self.index_at(to)) else { return false };
        let steps = ((to - from).length() / (self.cell_m * 0.5)).ceil() as usize;
        (1..steps).all(|step| {
            let point = from + (to - from) * (step as f32 / steps as f32);
            self.index_at(point)
                .is_none_or(|index| index == first || index == last || !self.cells[index])
        })
    }
}

/// The part of a triangle between two heights, as a polygon; how many corners it has.
fn clip(triangle: [Vec3; 3], [low, high]: [f32; 2], out: &mut [Vec3; 8]) -> usize {
    let least = triangle[0].y.min(triangle[1].y).min(triangle[2].y);
    let most = triangle[0].y.max(triangle[1].y).max(triangle[2].y);
    if !(most >= low && least <= high) {
        return 0;
    }
    let mut current = [Vec3::ZERO; 8];
    current[..3].copy_from_slice(&triangle);
    let mut count = 3;
    for (sign, bound) in [(1.0, low), (-1.0, high)] {
        let inside = |point: Vec3| sign * (point.y - bound) >= 0.0;
        let mut next = 0;
        for index in 0..count {
            let (a, b) = (current[index], current[(index + 1) % count]);
            if inside(a) {
                out[next] = a;
                next += 1;
            }
            if inside(a) != inside(b) {
                let along = ((bound - a.y) / (b.y - a.y)).clamp(0.0, 1.0);
                out[next] = a + (b - a) * along;
                next += 1;
            }
        }
        current = *out;
        count = next;
        if count == 0 {
            return 0;
        }
    }
    count
}

/// Whether a convex polygon, seen from above, touches the square around a point (separating axes).
fn touches(polygon: &[Vec3], middle: Vec2, half: f32) -> bool {
    let count = polygon.len();
    for index in 0..count {
        let (a, b) = (polygon[index], polygon[(index + 1) % count]);
        let normal = Vec2::new(b.z - a.z, a.x - b.x);
        let reach = half * (normal.x.abs() + normal.y.abs());
        let square = normal.dot(middle - Vec2::new(a.x, a.z));
        let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
        for point in polygon {
            let side = normal.dot(Vec2::new(point.x - a.x, point.z - a.z));
            low = low.min(side);
            high = high.max(side);
        }
        if square - reach > high || square + reach < low {
            return false;
        }
    }
    let (mut low, mut high) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
    for point in polygon {
        low = low.min(Vec2::new(point.x, point.z));
        high = high.max(Vec2::new(point.x, point.z));
    }
    let grown = Vec2::splat(half);
    low.cmple(middle + grown).all() && high.cmpge(middle - grown).all()
}

/// The lower envelope of parabolas, for one line of the distance transform.
#[derive(Default)]
struct Parabolas {
    roots: Vec<usize>,
    borders: Vec<f64>,
    values: Vec<f64>,
}

impl Parabolas {
    fn transform(&mut self, line: &mut [f64]) {
        let count = line.len();
        if count == 0 {
            return;
        }
        self.values.clear();
        self.values.extend_from_slice(line);
        self.roots.clear();
        self.borders.clear();
        let values = &self.values;
        let meet = |a: usize, b: usize| {
            let (fa, fb) = (a as f64, b as f64);
            ((values[b] + fb * fb) - (values[a] + fa * fa)) / (2.0 * (fb - fa))
        };
        for next in 0..count {
            while let Some(&root) = self.roots.last() {
                let at = meet(root, next);
                if self.roots.len() > 1 && at <= self.borders[self.roots.len() - 1] {
                    self.roots.pop();
                    self.borders.pop();
                    continue;
                }
                self.borders.push(at);
                break;
            }
            if self.roots.is_empty() {
                self.borders.push(f64::NEG_INFINITY);
            }
            self.roots.push(next);
        }
        let mut at = 0;
        for (index, out) in line.iter_mut().enumerate() {
            while at + 1 < self.roots.len() && self.borders[at + 1] < index as f64 {
                at += 1;
            }
            let away = index as f64 - self.roots[at] as f64;
            *out = away * away + values[self.roots[at]];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambler_geometry::random::Stream;

    #[test]
    fn the_distance_transform_is_that_of_brute_force() {
        let mut stream = Stream::new(3, "", "grid");
        for _ in 0..20 {
            let mut grid = Grid::over(Vec2::ZERO, Vec2::new(1.4, 0.9), 0.1, false);
            grid.cells.iter_mut().for_each(|cell| *cell = stream.uniform() < 0.1);
            let distance = grid.distance();
            for index in 0..grid.cells.len() {
                let nearest = (0..grid.cells.len())
                    .filter(|&other| grid.cells[other])
                    .map(|other| grid.center(index).distance(grid.center(other)))
                    .fold(f32::INFINITY, f32::min);
                let found = distance.cells[index];
                assert!(found == nearest || (found - nearest).abs() < 1e-5, "{found} {nearest}");
            }
        }
    }

    #[test]
    fn a_triangle_marks_what_lies_in_the_slab() {
        // A ramp from y = 0 at x = 0 to y = 1 at x = 1.
        let ramp = [Vec3::ZERO, Vec3::new(1.0, 1.0, 0.0), Vec3::new(1.0, 1.0, 1.0)];
        let mut grid = Grid::over(Vec2::ZERO, Vec2::ONE, 0.1, false);
        grid.draw(ramp, [0.42, 0.48]);
        for (index, &marked) in grid.cells.iter().enumerate() {
            let center = grid.center(index);
            let expected = (0.4..0.5).contains(&center.x) && center.y < 0.49;
            if (center.y - 0.45).abs() > 0.06 {
                assert_eq!(marked, expected, "{center}");
            }
        }
    }

    #[test]
    fn a_wall_hides_what_is_behind_it() {
        let mut grid = Grid::over(Vec2::ZERO, Vec2::new(2.0, 2.0), 0.1, false);
        let wall = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(1.0, 2.0, 0.0), Vec3::new(1.0, 0.0, 2.0)];
        grid.draw(wall, [0.1, 0.2]);
        assert!(!grid.sees(Vec2::new(0.5, 0.5), Vec2::new(1.5, 0.5)));
        assert!(grid.sees(Vec2::new(0.5, 0.5), Vec2::new(0.5, 1.5)));
        assert_eq!(grid.pieces().1.len(), 2);
    }
}
