//! Which pixels a triangle covers, and how far away it is there: the plain renderer's decisions, bit for
//! bit.

use super::cluster::{Chosen, POINTS, Pass};
use crate::render::fast::bake::CLUSTER;
use crate::render::fast::canvas::{Canvas, TILE};
use crate::render::fast::doubles::FOUR;
use crate::render::fast::simd::{Lanes, inlined, map3, map4};
use crate::render::rays::{Rays, Several};
use crate::render::shade::Painted;
use glam::DVec3;
use std::ops::Range;

/// Triangles that may cover more columns or rows are drawn tile by tile.
const SMALL: i32 = 12;

/// Four triangles ready to be asked.
pub(super) struct Four<L: Lanes> {
    /// Normals of the sides, positive products with rays inside.
    pub(super) sides: [[L::D; 3]; 3],
    /// The planes: rays meet them at `offset / (normal · ray)`.
    normal: [L::D; 3],
    offset: L::D,
    /// Bounds of distance.
    nearest: L::D,
    farthest: L::D,
    /// Those that can be seen, a bit each.
    pub(super) seen: u32,
}

impl<L: Lanes> Four<L> {
    /// Where rays meet the triangles' planes.
    #[inline(always)]
    pub(super) fn distance(&self, l: L, [x, y, z]: [L::D; 3]) -> L::D {
        let [nx, ny, nz] = self.normal;
        let along = l.add_d(l.add_d(l.mul_d(nx, x), l.mul_d(ny, y)), l.mul_d(nz, z));
        l.min_d(l.max_d(l.div_d(self.offset, along), self.nearest), self.farthest)
    }

    /// One of them in all lanes.
    #[inline(always)]
    fn one(&self, l: L, lane: usize) -> Self {
        let one = inlined(
            #[inline(always)]
            |value: L::D| l.d(l.d_to(value)[lane & 3]),
        );
        let three = inlined(
            #[inline(always)]
            |[x, y, z]: [L::D; 3]| [one(x), one(y), one(z)],
        );
        Self {
            sides: [three(self.sides[0]), three(self.sides[1]), three(self.sides[2])],
            normal: three(self.normal),
            offset: one(self.offset),
            nearest: one(self.nearest),
            farthest: one(self.farthest),
            seen: 15,
        }
    }
}

/// A triangle of more than a few pixels.
struct Shape<L: Lanes> {
    /// The same in all lanes.
    four: Four<L>,
    /// Nearness of what is too far behind to be asked.
    most: L::F,
    slot: u32,
    placed: u32,
}

/// What a triangle with holes looks like, once it is asked, and the least alpha that is seen.
struct Holes<'a> {
    painted: Option<Painted<'a>>,
    cutoff: f64,
}

impl<'a> Pass<'a> {
    /// Draws up to four triangles.
    #[inline(always)]
    pub(crate) fn triangles<L: Lanes>(
        &self,
        l: L,
        canvas: &mut Canvas,
        placed: u32,
        first_slot: u32,
        chosen: &[Chosen],
    ) {
        // What is beyond the last is any triangle.
        let corners = |lane: usize| chosen.get(lane).map_or([0; 3], |chosen| chosen.corners);
        let four = self.set_up(l, [corners(0), corners(1), corners(2), corners(3)]);
        let nearest = l.d_to(four.nearest);
        let cutoff = self.source.scenery.placed[placed as usize].cutoff;
        let width = self.source.lens.width;
        for (lane, chosen) in chosen.iter().enumerate().take(FOUR) {
            if four.seen >> lane & 1 == 0 {
                continue;
            }
            let shape = Shape {
                four: four.one(l, lane),
                most: l.f(-chosen.nearest.max(nearest[lane] as f32)),
                slot: first_slot + chosen.triangle,
                placed,
            };
            let mut holes = cutoff.map(|cutoff| Holes { painted: None, cutoff });
            let [column, columns] = chosen.columns;
            let [row, rows] = chosen.rows;
            let small = columns <= SMALL && rows <= SMALL;
            let rows = row as usize..(row + rows) as usize;
            let (start, end) = (column as usize, (column + columns) as usize);
            // What is beyond the image is at its other side.
            let mut run = start..end.min(width);
            loop {
                if small {
                    self.block(l, canvas, &shape, &mut holes, run.clone(), rows.clone());
                } else {
                    self.tiles(l, canvas, &shape, &mut holes, run.clone(), rows.clone());
                }
                if run.start == 0 || end <= width {
                    break;
                }
                run = 0..end - width;
            }
        }
    }

    /// Prepares triangles. Every number has the bits that the plain renderer's has.
    #[inline(always)]
    pub(super) fn set_up<L: Lanes>(&self, l: L, corners: [[usize; 3]; FOUR]) -> Four<L> {
        let lens = self.source.lens;
        let corner = inlined(
            #[inline(always)]
            |k: usize| {
                let point = |lane: usize| l.d_from(&self.points[corners[lane][k] & (POINTS - 1)]);
                l.turned([point(0), point(1), point(2), point(3)])
            },
        );
        let [ax, ay, az, a2] = corner(0);
        let [bx, by, bz, b2] = corner(1);
        let [cx, cy, cz, c2] = corner(2);
        let cross = inlined(
            #[inline(always)]
            |[ax, ay, az]: [L::D; 3], [bx, by, bz]: [L::D; 3]| {
                [
                    l.sub_d(l.mul_d(ay, bz), l.mul_d(az, by)),
                    l.sub_d(l.mul_d(az, bx), l.mul_d(ax, bz)),
                    l.sub_d(l.mul_d(ax, by), l.mul_d(ay, bx)),
                ]
            },
        );
        let dot = inlined(
            #[inline(always)]
            |[ax, ay, az]: [L::D; 3], [bx, by, bz]: [L::D; 3]| {
                l.add_d(l.add_d(l.mul_d(ax, bx), l.mul_d(ay, by)), l.mul_d(az, bz))
            },
        );
        // As `Plane` has it.
        let u = [l.sub_d(bx, ax), l.sub_d(by, ay), l.sub_d(bz, az)];
        let v = [l.sub_d(cx, ax), l.sub_d(cy, ay), l.sub_d(cz, az)];
        let normal = cross(u, v);
        let offset = dot(normal, [ax, ay, az]);
        let zero = l.d(0.0);
        let (front, back) = (l.less_d(offset, zero), l.less_d(zero, offset));
        let nearest = l.div_d(l.abs_d(offset), l.sqrt_d(dot(normal, normal)));
        let farthest = l.sqrt_d(l.max_d(l.max_d(a2, b2), c2));
        let mut seen = if lens.cull { front } else { front | back };
        seen &= !l.less_d(farthest, l.d(lens.near)) & !l.less_d(l.d(lens.far), nearest);
        let (a, b, c) = ([ax, ay, az], [bx, by, bz], [cx, cy, cz]);
        // As `Lens::edge` has it, b × a: of those seen from their backs the other way round, which has all
        // signs changed.
        let sign = if lens.cull {
            l.d(1.0)
        } else {
            l.d_from(&map4([0, 1, 2, 3], |lane| if back >> lane & 1 == 0 { 1.0 } else { -1.0 }))
        };
        let edge = inlined(
            #[inline(always)]
            |from: [L::D; 3], to: [L::D; 3]| {
                let [x, y, z] = cross(to, from);
                let turn = inlined(
                    #[inline(always)]
                    |value: L::D| if lens.cull { value } else { l.mul_d(value, sign) },
                );
                [turn(x), turn(y), turn(z)]
            },
        );
        let sides = [edge(b, c), edge(c, a), edge(a, b)];
        Four { sides, normal, offset, nearest, farthest, seen }
    }

    /// Draws a large triangle tile by tile.
    #[inline(never)]
    fn tiles<L: Lanes>(
        &self,
        l: L,
        canvas: &mut Canvas,
        shape: &Shape<L>,
        holes: &mut Option<Holes<'a>>,
        columns: Range<usize>,
        rows: Range<usize>,
    ) {
        l.run(
            #[inline(always)]
            || self.tile_by_tile(l, canvas, shape, holes, columns, rows),
        );
    }

    #[inline(always)]
    fn tile_by_tile<L: Lanes>(
        &self,
        l: L,
        canvas: &mut Canvas,
        shape: &Shape<L>,
        holes: &mut Option<Holes<'a>>,
        columns: Range<usize>,
        rows: Range<usize>,
    ) {
        let first = |value: L::D| l.d_to(value)[0];
        let sides = shape.four.sides.map(|[x, y, z]| DVec3::new(first(x), first(y), first(z)));
        let sizes = sides.map(|side| side.length() * (1.0 + 1e-9));
        for y in rows.start / TILE..rows.end.div_ceil(TILE) {
            let row = self.rays.tiles.get(y * self.rays.tiles_x..).unwrap_or_default();
            for x in columns.start / TILE..columns.end.div_ceil(TILE) {
                let Some(tile) = row.get(x) else { break };
                // Where all rays are on the outer side of an edge, nothing is asked.
                let outside = |k: usize| sides[k].dot(tile.middle) < -sizes[k] * tile.radius;
                if outside(0) || outside(1) || outside(2) || tile.radius < 0.0 {
                    continue;
                }
                let inside = |range: &Range<usize>, tile: usize| {
                    range.start.max(tile * TILE)..range.end.min((tile + 1) * TILE)
                };
                self.block(l, canvas, shape, holes, inside(&columns, x), inside(&rows, y));
            }
        }
    }

    /// Asks all pixels of some columns and rows.
    #[inline(always)]
    fn block<L: Lanes>(
        &self,
        l: L,
        canvas: &mut Canvas,
        shape: &Shape<L>,
        holes: &mut Option<Holes<'a>>,
        columns: Range<usize>,
        rows: Range<usize>,
    ) {
        for y in rows {
            let mut x = columns.start;
            while x < columns.end {
                let (at, count) = (y * canvas.stride + x, (columns.end - x).min(FOUR));
                let first = x;
                x += FOUR;
                let Some(near) = canvas.near.get(at..).and_then(|near| near.first_chunk()) else {
                    return;
                };
                let mut bits = ((1 << count) - 1) & !l.signs(l.less(shape.most, l.f_from(near)));
                if bits == 0 {
                    continue;
                }
                let Some(ray) = four_rays(l, self.rays, first, y) else { return };
                bits &= inside(l, &shape.four.sides, ray);
                if bits == 0 {
                    continue;
                }
                let exact = shape.four.distance(l, ray);
                bits &= self.within(l, exact);
                let exact = l.d_to(exact);
                while bits != 0 {
                    let lane = (bits.trailing_zeros() & 3) as usize;
                    bits &= bits - 1;
                    self.offer(canvas, at + lane, exact[lane], shape.slot, |canvas| match holes {
                        None => true,
                        Some(holes) => self.is_solid(holes, canvas, shape, first + lane, y),
                    });
                }
            }
        }
    }

    /// Which distances can be seen, a bit each.
    #[inline(always)]
    pub(super) fn within<L: Lanes>(&self, l: L, exact: L::D) -> u32 {
        let lens = self.source.lens;
        !l.less_d(exact, l.d(lens.near)) & !l.less_d(l.d(lens.far), exact)
    }

    /// A pixel shows a triangle that covers it if what is there is not nearer and it has no hole there.
    #[inline(always)]
    pub(super) fn offer(
        &self,
        canvas: &mut Canvas,
        at: usize,
        distance: f64,
        slot: u32,
        solid: impl FnOnce(&Canvas) -> bool,
    ) {
        let value = -(distance as f32);
        let there = canvas.near[at];
        // Of equally near ones the lower number is seen.
        let wins = value > there || (value == there && self.comes_first(canvas, slot, at));
        if wins && solid(canvas) {
            canvas.near[at] = value;
            canvas.slots[at] = slot as i32;
        }
    }

    #[cold]
    #[inline(never)]
    fn is_solid<L: Lanes>(
        &self,
        holes: &mut Holes<'a>,
        canvas: &Canvas,
        shape: &Shape<L>,
        x: usize,
        y: usize,
    ) -> bool {
        let source = self.source;
        let Some(pose) = &source.poses[shape.placed as usize] else { return false };
        let painted = holes.painted.get_or_insert_with(|| {
            let placed = &source.scenery.placed[shape.placed as usize];
            let number = self.number(canvas, shape.slot) - placed.first;
            source.scenery.painted(source.lens, &pose.camera_from_mesh, placed, number)
        });
        painted.color(source.lens, x, y)[3] >= holes.cutoff
    }

    #[cold]
    #[inline(never)]
    fn comes_first(&self, canvas: &Canvas, slot: u32, at: usize) -> bool {
        self.number(canvas, slot) < self.number(canvas, canvas.slots[at] as u32)
    }

    /// Number in the scene of a drawn triangle.
    fn number(&self, canvas: &Canvas, slot: u32) -> u32 {
        let drawn = &canvas.drawn[slot as usize / CLUSTER];
        let mesh = self.source.mesh_of(drawn);
        let first = mesh.clusters[drawn.cluster as usize].first_triangle;
        let source = mesh.sources[first + slot as usize % CLUSTER];
        self.source.scenery.placed[drawn.placed as usize].first + source
    }
}

/// The rays of four pixels of a row.
#[inline(always)]
fn four_rays<L: Lanes>(l: L, rays: &Rays, column: usize, row: usize) -> Option<[L::D; 3]> {
    Some(match rays.several(column, row)? {
        Several::Turns { sine, back, level, high } => {
            let level = l.d(level);
            [l.mul_d(l.d_from(sine), level), l.d(high), l.mul_d(l.d_from(back), level)]
        }
        Several::All(x, y, z) => [l.d_from(x), l.d_from(y), l.d_from(z)],
    })
}

/// Which rays are inside a triangle, a bit each.
#[inline(always)]
pub(super) fn inside<L: Lanes>(l: L, sides: &[[L::D; 3]; 3], [x, y, z]: [L::D; 3]) -> u32 {
    let values = map3(
        *sides,
        #[inline(always)]
        |[nx, ny, nz]| {
            // In the order that makes shared edges exactly opposite.
            l.add_d(l.mul_d(nx, x), l.add_d(l.mul_d(ny, y), l.mul_d(nz, z)))
        },
    );
    let least = l.min_d(l.min_d(values[0], values[1]), values[2]);
    let zero = l.d(0.0);
    let (mut bits, out) = (l.less_d(zero, least), l.less_d(least, zero));
    if (bits | out) != 15 {
        bits |= owned(
            map3(*sides, |[x, y, z]| [l.d_to(x), l.d_to(y), l.d_to(z)]),
            map3(values, |values| l.d_to(values)),
        );
    }
    bits
}

/// Of two triangles that share an edge, exactly one owns what is right on it, since their normals are
/// opposite.
#[cold]
#[inline(never)]
fn owned(sides: [[[f64; FOUR]; 3]; 3], values: [[f64; FOUR]; 3]) -> u32 {
    let mut bits = 0;
    for lane in 0..FOUR {
        let all = sides.iter().zip(&values).all(|([x, y, z], values)| {
            let (x, y, z) = (x[lane], y[lane], z[lane]);
            let owned = x > 0.0 || (x == 0.0 && (y > 0.0 || (y == 0.0 && z > 0.0)));
            values[lane] > 0.0 || (values[lane] == 0.0 && owned)
        });
        bits |= u32::from(all) << lane;
    }
    bits
}
