//! Which pixels a triangle covers, and how far away it is there: the plain renderer's decisions, bit for
//! bit.

use super::cluster::{Chosen, Pass};
use crate::render::fast::bake::CLUSTER;
use crate::render::fast::canvas::{Canvas, TILE};
use crate::render::fast::simd::Lanes;
use crate::render::lens::Plane;
use crate::render::rays::Rays;
use crate::render::shade::Painted;
use glam::DVec3;
use std::ops::Range;

/// Pixels that are asked at a time.
const STEP: usize = 4;
/// Triangles that may cover more columns or rows are drawn tile by tile.
const SMALL: i32 = 12;

/// A triangle ready to be asked.
struct Shape {
    /// Normals of the sides, positive products with rays inside.
    sides: [DVec3; 3],
    plane: Plane,
    /// Bounds of distance.
    nearest: f64,
    farthest: f64,
    /// Nearness of what is too far behind to be asked.
    most: f32,
    slot: u32,
    placed: u32,
}

/// What a triangle with holes looks like, once it is asked, and the least alpha that is seen.
struct Holes<'a> {
    painted: Option<Painted<'a>>,
    cutoff: f64,
}

impl<'a> Pass<'a> {
    /// Draws a triangle.
    #[inline(always)]
    pub(crate) fn triangle<L: Lanes>(
        &mut self,
        _l: L,
        canvas: &mut Canvas,
        placed: u32,
        first_slot: u32,
        chosen: &Chosen,
    ) {
        let [column, columns] = chosen.columns;
        let [row, rows] = chosen.rows;
        let small = columns <= SMALL && rows <= SMALL;
        let rows = row as usize..(row + rows) as usize;
        let end = (column + columns) as usize;
        let width = self.source.lens.width;
        // What is beyond the image is at its other side.
        let runs = [column as usize..end.min(width), 0..end.saturating_sub(width)];
        if small && hidden(canvas, &runs, &rows, -chosen.nearest) {
            return;
        }
        let lens = self.source.lens;
        let [xs, ys, zs] = &*self.points;
        let [a, mut b, mut c] = chosen.corners.map(|corner| {
            let at = usize::from(corner);
            DVec3::new(xs[at], ys[at], zs[at])
        });
        let plane = Plane::new(lens, [a, b, c]);
        let facing = plane.facing();
        let shows = facing > 0.0 || (facing < 0.0 && !lens.cull);
        let squared = a.length_squared().max(b.length_squared()).max(c.length_squared());
        let (nearest, farthest) = (plane.away(), squared.sqrt());
        if !shows || farthest < lens.near || nearest > lens.far {
            return;
        }
        if facing < 0.0 {
            std::mem::swap(&mut b, &mut c);
        }
        let shape = Shape {
            sides: [lens.edge(b, c), lens.edge(c, a), lens.edge(a, b)],
            plane,
            nearest,
            farthest,
            most: -(nearest as f32).max(chosen.nearest),
            slot: first_slot + chosen.triangle,
            placed,
        };
        let cutoff = self.source.scenery.placed[placed as usize].cutoff;
        let mut holes = cutoff.map(|cutoff| Holes { painted: None, cutoff });
        for run in runs {
            if run.is_empty() {
                continue;
            }
            if small {
                self.block(canvas, &shape, &mut holes, run, rows.clone());
            } else {
                self.tiles(canvas, &shape, &mut holes, run, rows.clone());
            }
        }
    }

    /// Draws tile by tile.
    #[inline(always)]
    fn tiles(
        &self,
        canvas: &mut Canvas,
        shape: &Shape,
        holes: &mut Option<Holes<'a>>,
        columns: Range<usize>,
        rows: Range<usize>,
    ) {
        let sizes = shape.sides.map(|side| side.length() * (1.0 + 1e-9));
        for y in rows.start / TILE..rows.end.div_ceil(TILE) {
            let row = self.rays.tiles.get(y * self.rays.tiles_x..).unwrap_or_default();
            for x in columns.start / TILE..columns.end.div_ceil(TILE) {
                let Some(tile) = row.get(x) else { break };
                // Where all rays are on the outer side of an edge, nothing is asked.
                let outside = |k: usize| shape.sides[k].dot(tile.middle) < -sizes[k] * tile.radius;
                if outside(0) || outside(1) || outside(2) || tile.radius < 0.0 {
                    continue;
                }
                let inside = |range: &Range<usize>, tile: usize| {
                    range.start.max(tile * TILE)..range.end.min((tile + 1) * TILE)
                };
                self.block(canvas, shape, holes, inside(&columns, x), inside(&rows, y));
            }
        }
    }

    /// Asks all pixels of some columns and rows.
    #[inline(always)]
    fn block(
        &self,
        canvas: &mut Canvas,
        shape: &Shape,
        holes: &mut Option<Holes<'a>>,
        columns: Range<usize>,
        rows: Range<usize>,
    ) {
        for y in rows {
            for x in columns.clone().step_by(STEP) {
                let at = y * canvas.stride + x;
                let count = (columns.end - x).min(STEP);
                let mut bits = (1_u32 << count) - 1;
                let Some(near) = canvas.near.get(at..).and_then(|near| near.first_chunk::<STEP>())
                else {
                    return;
                };
                for (lane, &near) in near.iter().enumerate() {
                    bits &= !(u32::from(near > shape.most) << lane);
                }
                if bits == 0 {
                    continue;
                }
                bits &= inside(self.rays, shape, at);
                while bits != 0 {
                    let lane = (bits.trailing_zeros() & 3) as usize;
                    bits &= bits - 1;
                    self.pixel(canvas, shape, holes, x + lane, y);
                }
            }
        }
    }

    /// Draws a pixel that the triangle covers, if what is there is not nearer.
    #[inline(always)]
    fn pixel(
        &self,
        canvas: &mut Canvas,
        shape: &Shape,
        holes: &mut Option<Holes<'a>>,
        x: usize,
        y: usize,
    ) {
        let lens = self.source.lens;
        let exact = shape.plane.distance(self.rays.get(x, y)).max(shape.nearest).min(shape.farthest);
        if !(exact >= lens.near && exact <= lens.far) {
            return;
        }
        let (value, at) = (-(exact as f32), y * canvas.stride + x);
        let there = canvas.near[at];
        // Of equally near ones the lower number is seen.
        let wins = value > there || (value == there && self.comes_first(canvas, shape.slot, at));
        if !wins {
            return;
        }
        if let Some(holes) = holes
            && self.is_a_hole(holes, canvas, shape, x, y)
        {
            return;
        }
        canvas.near[at] = value;
        canvas.slots[at] = shape.slot as i32;
    }

    #[cold]
    #[inline(never)]
    fn is_a_hole(
        &self,
        holes: &mut Holes<'a>,
        canvas: &Canvas,
        shape: &Shape,
        x: usize,
        y: usize,
    ) -> bool {
        let source = self.source;
        let Some(pose) = &source.poses[shape.placed as usize] else { return true };
        let painted = holes.painted.get_or_insert_with(|| {
            let placed = &source.scenery.placed[shape.placed as usize];
            let number = self.number(canvas, shape.slot) - placed.first;
            source.scenery.painted(source.lens, &pose.camera_from_mesh, placed, number)
        });
        !(painted.color(source.lens, x, y)[3] >= holes.cutoff)
    }

    #[cold]
    #[inline(never)]
    fn comes_first(&self, canvas: &Canvas, slot: u32, at: usize) -> bool {
        self.number(canvas, slot) < self.number(canvas, canvas.slots[at] as u32)
    }

    /// Number in the scene of a drawn triangle.
    fn number(&self, canvas: &Canvas, slot: u32) -> u32 {
        let drawn = &canvas.drawn[slot as usize / CLUSTER];
        let mesh = self.source.mesh(drawn.placed as usize);
        let first = mesh.clusters[drawn.cluster as usize].first_triangle;
        let source = mesh.sources[first + slot as usize % CLUSTER];
        self.source.scenery.placed[drawn.placed as usize].first + source
    }
}

/// Whether all pixels see something nearer already.
#[inline(always)]
fn hidden(canvas: &Canvas, runs: &[Range<usize>; 2], rows: &Range<usize>, near: f32) -> bool {
    runs.iter().all(|run| {
        rows.clone().all(|y| {
            let row = y * canvas.stride;
            let pixels = canvas.near.get(row + run.start..row + run.end).unwrap_or_default();
            pixels.iter().all(|&there| there > near)
        })
    })
}

/// Which of the pixels from `at` on have rays inside a triangle, a bit each.
#[inline(always)]
fn inside(rays: &Rays, shape: &Shape, at: usize) -> u32 {
    let chunk = |list: &[f64]| list.get(at..).and_then(|list| list.first_chunk::<STEP>()).copied();
    let (Some(x), Some(y), Some(z)) = (chunk(&rays.x), chunk(&rays.y), chunk(&rays.z)) else { return 0 };
    let product = |n: DVec3| {
        let mut values = [0.0; STEP];
        for k in 0..STEP {
            // In the order that makes shared edges exactly opposite.
            values[k] = n.x * x[k] + (n.y * y[k] + n.z * z[k]);
        }
        values
    };
    let [a, b, c] = [product(shape.sides[0]), product(shape.sides[1]), product(shape.sides[2])];
    let mut bits = 0;
    let mut edge = 0;
    for k in 0..STEP {
        let least = if a[k] < b[k] { a[k] } else { b[k] };
        let least = if least < c[k] { least } else { c[k] };
        bits |= u32::from(least >= 0.0) << k;
        edge |= u32::from(least == 0.0) << k;
    }
    if edge != 0 {
        bits &= owned(shape, [a, b, c]);
    }
    bits
}

/// Of two triangles that share an edge, exactly one owns what is right on it, since their normals are
/// opposite.
#[cold]
#[inline(never)]
fn owned(shape: &Shape, values: [[f64; STEP]; 3]) -> u32 {
    let mut bits = 0;
    for k in 0..STEP {
        let all = shape.sides.iter().zip(&values).all(|(side, values)| {
            let DVec3 { x, y, z } = *side;
            let owned = x > 0.0 || (x == 0.0 && (y > 0.0 || (y == 0.0 && z > 0.0)));
            values[k] > 0.0 || (values[k] == 0.0 && owned)
        });
        bits |= u32::from(all) << k;
    }
    bits
}
