//! The solid voxels of a scene: columns of spans, filled from triangles.
//!
//! The arithmetic and its order follow Recast 1.6.0, so that the same triangles fill the same
//! voxels. Not taken from `rerecast`: its clipper keeps the last row's polygon when a triangle
//! ends one row early, which puts spans where there is no surface.

use glam::Vec3;

use super::plan::Plan;
use crate::NavMeshError;

/// End of a column's list.
const END: u32 = u32::MAX;
/// Most spans: 1.2 GB.
const MAX_SPANS: usize = 100_000_000;
/// Highest voxel; one below the "open above" mark.
const MAX_VOXEL: i32 = 0xfffe;

/// A run of solid voxels in a column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) min: u16,
    pub(super) max: u16,
    /// Whether its top can be walked on.
    pub(super) walkable: bool,
    next: u32,
}

/// Columns of solid spans, lowest first.
pub(super) struct Voxels {
    pub(super) width: i32,
    pub(super) depth: i32,
    heads: Vec<u32>,
    spans: Vec<Span>,
    free: u32,
}

/// Walks a column upward by index.
pub(super) struct Column<'a> {
    voxels: &'a Voxels,
    at: u32,
}

impl Iterator for Column<'_> {
    type Item = (usize, Span);

    fn next(&mut self) -> Option<Self::Item> {
        if self.at == END {
            return None;
        }
        let index = self.at as usize;
        let span = self.voxels.spans[index];
        self.at = span.next;
        Some((index, span))
    }
}

/// A polygon while a triangle is cut into voxels: a triangle cut four times has 7 corners.
#[derive(Clone, Copy)]
struct Piece {
    corners: [[f32; 3]; 8],
    count: usize,
}

impl Piece {
    const EMPTY: Self = Self { corners: [[0.0; 3]; 8], count: 0 };

    fn push(&mut self, corner: [f32; 3]) {
        // Rounding cannot make a convex piece larger than this; a degenerate one is cut short.
        if self.count < self.corners.len() {
            self.corners[self.count] = corner;
            self.count += 1;
        }
    }

    fn corners(&self) -> &[[f32; 3]] {
        &self.corners[..self.count]
    }

    /// The parts below and above `offset` on `axis`; corners on the line belong to both.
    fn cut(&self, axis: usize, offset: f32) -> (Self, Self) {
        let (mut below, mut above) = (Self::EMPTY, Self::EMPTY);
        let Some(&last) = self.corners().last() else { return (below, above) };
        let mut from = last;
        let mut from_room = offset - from[axis];
        for &to in self.corners() {
            let to_room = offset - to[axis];
            if (to_room >= 0.0) == (from_room >= 0.0) {
                if to_room >= 0.0 {
                    below.push(to);
                }
                if to_room <= 0.0 {
                    above.push(to);
                }
            } else {
                let share = from_room / (from_room - to_room);
                let mut crossing = [0.0; 3];
                for (k, value) in crossing.iter_mut().enumerate() {
                    *value = from[k] + (to[k] - from[k]) * share;
                }
                below.push(crossing);
                above.push(crossing);
                if to_room > 0.0 {
                    below.push(to);
                } else if to_room < 0.0 {
                    above.push(to);
                }
            }
            from = to;
            from_room = to_room;
        }
        (below, above)
    }

    /// Smallest and largest coordinate on `axis`.
    fn range(&self, axis: usize) -> (f32, f32) {
        let mut range = (self.corners[0][axis], self.corners[0][axis]);
        for corner in &self.corners()[1..] {
            range = (range.0.min(corner[axis]), range.1.max(corner[axis]));
        }
        range
    }
}

impl Voxels {
    /// An empty grid of the plan's size.
    pub(super) fn new(plan: &Plan) -> Self {
        let columns = usize::from(plan.width) * usize::from(plan.depth);
        Self {
            width: i32::from(plan.width),
            depth: i32::from(plan.depth),
            heads: vec![END; columns],
            spans: Vec::new(),
            free: END,
        }
    }

    fn column_index(&self, x: i32, z: i32) -> usize {
        (x + z * self.width) as usize
    }

    /// The spans at (`x`, `z`), lowest first; none outside the grid.
    pub(super) fn column(&self, x: i32, z: i32) -> Column<'_> {
        let inside = x >= 0 && z >= 0 && x < self.width && z < self.depth;
        Column { voxels: self, at: if inside { self.heads[self.column_index(x, z)] } else { END } }
    }

    /// The span above a span, if any.
    pub(super) fn above(&self, span: &Span) -> Option<Span> {
        (span.next != END).then(|| self.spans[span.next as usize])
    }

    pub(super) fn set_walkable(&mut self, index: usize, walkable: bool) {
        self.spans[index].walkable = walkable;
    }

    /// How many spans can be walked on.
    pub(super) fn walkable_count(&self) -> usize {
        let mut count = 0;
        for z in 0..self.depth {
            for x in 0..self.width {
                count += self.column(x, z).filter(|(_, span)| span.walkable).count();
            }
        }
        count
    }

    /// Fills the voxels that a triangle touches.
    pub(super) fn add_triangle(
        &mut self,
        plan: &Plan,
        triangle: [Vec3; 3],
        walkable: bool,
    ) -> Result<(), NavMeshError> {
        let mut rest = Piece::EMPTY;
        for corner in triangle {
            rest.push(corner.to_array());
        }
        let per_cell = 1.0 / plan.cell_size;
        let per_layer = 1.0 / plan.cell_height;
        let ceiling = plan.bmax[1] - plan.bmin[1];
        let (z_low, z_high) = rest.range(2);
        let first = (((z_low - plan.bmin[2]) * per_cell) as i32).clamp(-1, self.depth - 1);
        let last = (((z_high - plan.bmin[2]) * per_cell) as i32).clamp(0, self.depth - 1);
        for z in first..=last {
            let edge = plan.bmin[2] + z as f32 * plan.cell_size + plan.cell_size;
            let (row, after) = rest.cut(2, edge);
            rest = after;
            if row.count < 3 || z < 0 {
                continue;
            }
            let (x_low, x_high) = row.range(0);
            let left = ((x_low - plan.bmin[0]) * per_cell) as i32;
            let right = ((x_high - plan.bmin[0]) * per_cell) as i32;
            if right < 0 || left >= self.width {
                continue;
            }
            let mut row = row;
            for x in left.clamp(-1, self.width - 1)..=right.clamp(0, self.width - 1) {
                let edge = plan.bmin[0] + x as f32 * plan.cell_size + plan.cell_size;
                let (cell, after) = row.cut(0, edge);
                row = after;
                if cell.count < 3 || x < 0 {
                    continue;
                }
                let (y_low, y_high) = cell.range(1);
                let (low, high) = (y_low - plan.bmin[1], y_high - plan.bmin[1]);
                if high < 0.0 || low > ceiling {
                    continue;
                }
                let low = low.max(0.0) * per_layer;
                let high = high.min(ceiling) * per_layer;
                let min = (low.floor() as i32).clamp(0, MAX_VOXEL - 1);
                let max = (high.ceil() as i32).clamp(min + 1, MAX_VOXEL);
                let span = Span { min: min as u16, max: max as u16, walkable, next: END };
                self.add_span(x, z, span, plan.climb_voxels)?;
            }
        }
        Ok(())
    }

    /// Inserts a span, swallowing those it touches. Tops within `same_top` voxels count as one
    /// surface: it is walkable if either was.
    fn add_span(&mut self, x: i32, z: i32, mut new: Span, same_top: u16) -> Result<(), NavMeshError> {
        let column = self.column_index(x, z);
        let mut below = END;
        let mut at = self.heads[column];
        while at != END {
            let span = self.spans[at as usize];
            if span.min > new.max {
                break;
            }
            if span.max < new.min {
                below = at;
                at = span.next;
                continue;
            }
            new.min = new.min.min(span.min);
            new.max = new.max.max(span.max);
            if new.max.abs_diff(span.max) <= same_top {
                new.walkable |= span.walkable;
            }
            self.spans[at as usize].next = self.free;
            self.free = at;
            at = span.next;
            self.link(column, below, at);
        }
        new.next = at;
        let index = self.store(new)?;
        self.link(column, below, index);
        Ok(())
    }

    fn link(&mut self, column: usize, below: u32, to: u32) {
        if below == END {
            self.heads[column] = to;
        } else {
            self.spans[below as usize].next = to;
        }
    }

    fn store(&mut self, span: Span) -> Result<u32, NavMeshError> {
        if self.free != END {
            let index = self.free;
            self.free = self.spans[index as usize].next;
            self.spans[index as usize] = span;
            return Ok(index);
        }
        if self.spans.len() >= MAX_SPANS {
            return Err(NavMeshError::Build {
                reason: format!(
                    "the scene fills more than {MAX_SPANS} spans of voxels; raise the cell size"
                ),
            });
        }
        self.spans.push(span);
        Ok((self.spans.len() - 1) as u32)
    }
}
