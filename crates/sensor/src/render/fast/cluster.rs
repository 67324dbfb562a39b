//! A cluster's vertices, eight at a time, and which of its triangles may be seen.

use super::Source;
use super::bake::{Baked, Cluster};
use super::canvas::{Canvas, VERTICES, View};
use super::queue::Queue;
use super::simd::{LANES, Lanes, inlined, map3, map4};

/// Image position of a vertex that has no rounded place: larger than any that has.
pub(crate) const NOWHERE: f32 = 1e9;
/// Larger and smaller by this rounds a float below 2^22 to a whole number, halves to even.
const ROUND: f32 = 12_582_912.0;

/// Parts of a pixel that corners are rounded to.
#[derive(Clone, Copy)]
pub(crate) struct Grid {
    /// Parts a pixel, as a float and as a power of 2.
    pub(crate) parts: f32,
    pub(crate) bits: i32,
    /// The middles of the first column and row, in parts from the middle of the image.
    pub(crate) first: [i32; 2],
    /// Corners farther from the middle have no rounded place, pixels.
    pub(crate) reach: f32,
}

impl Grid {
    fn new(width: usize, height: usize) -> Self {
        // Rounded places fit 22 bits with their sign.
        let bits = if width.max(height) <= 2048 { 10 } else { 8 };
        let parts = 1 << bits;
        let first = [width, height].map(|side| parts / 2 - side as i32 * (parts / 2));
        Self { parts: parts as f32, bits, first, reach: (1 << (21 - bits)) as f32 - 8.0 }
    }

    /// A position in pixels as a whole number of parts.
    #[inline(always)]
    pub(crate) fn round(&self, pixels: f32) -> f64 {
        f64::from((pixels * self.parts + ROUND) - ROUND)
    }

    /// The same of eight positions.
    #[inline(always)]
    pub(crate) fn whole<L: Lanes>(&self, l: L) -> impl Fn(L::F) -> L::I + Copy + use<L> {
        let (parts, round) = (l.f(self.parts), l.f(ROUND));
        inlined(
            #[inline(always)]
            move |pixels: L::F| l.sub_i(l.bits(l.add(l.mul(pixels, parts), round)), l.bits(round)),
        )
    }

    /// Parts as pixels, rounded down.
    #[inline(always)]
    pub(crate) fn pixels<L: Lanes>(&self, l: L, parts: L::I) -> L::I {
        if self.bits == 10 { l.shift::<10>(parts) } else { l.shift::<8>(parts) }
    }

    /// Pixels as parts.
    #[inline(always)]
    pub(crate) fn of_pixels<L: Lanes>(&self, l: L, pixels: L::I) -> L::I {
        if self.bits == 10 { l.shift_up::<10>(pixels) } else { l.shift_up::<8>(pixels) }
    }
}

/// Draws clusters of one view.
pub(crate) struct Pass<'a> {
    pub(crate) source: &'a Source<'a>,
    pub(crate) grid: Grid,
    /// Where a vertex of the cluster that has no place is: bits for nearer than the near plane, left,
    /// right, up, down.
    pub(crate) outside: Box<[u8; VERTICES]>,
    /// Triangles of two columns and two rows of pixels at most, and larger ones.
    pub(crate) specks: Box<Queue>,
    pub(crate) queue: Box<Queue>,
    /// Whether colours of vertices will be asked for.
    colors: bool,
}

impl<'a> Pass<'a> {
    pub(crate) fn new(source: &'a Source<'a>, colors: bool) -> Self {
        let grid = Grid::new(source.lens.width, source.lens.height);
        Self {
            source,
            grid,
            outside: Box::new([0; VERTICES]),
            specks: Box::default(),
            queue: Box::default(),
            colors,
        }
    }

    #[inline(always)]
    pub(crate) fn draw<L: Lanes>(
        &mut self,
        l: L,
        canvas: &mut Canvas,
        placed: u32,
        index: usize,
        stand_in: bool,
    ) {
        let source = self.source;
        let Some(view) = &source.views[placed as usize] else { return };
        let mesh = source.mesh(placed as usize).or_stand_ins(stand_in);
        let cluster = &mesh.clusters[index];
        let first_slot = (canvas.drawn.len() * super::bake::CLUSTER) as u32;
        let first = canvas.begin(placed, index, stand_in, cluster.vertices);
        let vertices = &mut canvas.vertices[first..first + cluster.vertices];
        self.project(l, mesh, cluster, view, vertices);
        let Some(vertices) = canvas.corners(first) else { return };
        let mut large = self.sift(l, vertices, mesh, cluster, placed, first_slot);
        self.flush(l, canvas, LANES);
        while large != 0 {
            let triangle = (large.trailing_zeros() & 63) as usize;
            large &= large - 1;
            self.large(l, canvas, mesh, cluster, placed, triangle, first, first_slot);
        }
    }

    #[inline(always)]
    fn project<L: Lanes>(
        &mut self,
        l: L,
        mesh: &Baked,
        cluster: &Cluster,
        view: &View,
        out: &mut [[f32; 4]],
    ) {
        let lens = self.source.lens;
        let rows = map3(
            view.rows,
            #[inline(always)]
            |row| {
                map4(
                    row,
                    #[inline(always)]
                    |value| l.f(value),
                )
            },
        );
        let (near, one, zero) = (l.f(lens.near as f32), l.f(1.0), l.f(0.0));
        let (reach, back) = (l.f(self.grid.reach), l.f(-self.grid.reach));
        let nowhere = l.f(NOWHERE);
        let range = cluster.first_vertex / LANES..(cluster.first_vertex + cluster.vertices) / LANES;
        let white = [[255; 4]; LANES];
        let out_points = out.as_flattened_mut().as_chunks_mut::<{ LANES * 4 }>().0.iter_mut();
        let out_code = self.outside.as_chunks_mut::<LANES>().0.iter_mut();
        for (eight, (out, out_code)) in mesh.vertices[range].iter().zip(out_points.zip(out_code)) {
            let [x, y, z] = map3(
                [0, 1, 2],
                #[inline(always)]
                |axis: usize| l.f_from(&eight.positions[axis]),
            );
            let [right, down, depth] = map3(
                rows,
                #[inline(always)]
                |[a, b, c, t]| l.add(l.add(l.mul(a, x), l.mul(b, y)), l.add(l.mul(c, z), t)),
            );
            let (nearness, column, row) = if lens.orthographic {
                (l.sub(zero, depth), right, down)
            } else {
                let nearness = l.div(one, depth);
                (nearness, l.mul(right, nearness), l.mul(down, nearness))
            };
            // Comparisons are false for what is not a number.
            let mut inside = l.at_most(near, depth);
            inside = l.and(inside, l.and(l.less(column, reach), l.less(back, column)));
            inside = l.and(inside, l.and(l.less(row, reach), l.less(back, row)));
            let color = l.float(l.words(if self.colors { &eight.colors } else { &white }));
            let points = l.points([
                l.pick(inside, nowhere, column),
                l.pick(inside, nowhere, row),
                nearness,
                color,
            ]);
            for (out, points) in out.as_chunks_mut::<LANES>().0.iter_mut().zip(points) {
                *out = l.f_to(points);
            }
            *out_code = [0; LANES];
            if l.signs(inside) != 255 {
                let behind = l.signs(l.at_most(near, depth)) ^ 255;
                let codes = [
                    behind,
                    l.signs(l.at_most(column, back)) & !behind,
                    l.signs(l.at_most(reach, column)) & !behind,
                    l.signs(l.at_most(row, back)) & !behind,
                    l.signs(l.at_most(reach, row)) & !behind,
                ];
                for (lane, out) in out_code.iter_mut().enumerate() {
                    for (bit, code) in codes.iter().enumerate() {
                        *out |= ((code >> lane & 1) << bit) as u8;
                    }
                }
            }
        }
    }

    /// Queues those of a cluster's triangles that may cover a pixel's middle and show their front.
    /// Returns those, a bit each, that are to be drawn the other way.
    #[inline(always)]
    fn sift<L: Lanes>(
        &mut self,
        l: L,
        vertices: &[[f32; 4]; VERTICES],
        mesh: &Baked,
        cluster: &Cluster,
        placed: u32,
        first_slot: u32,
    ) -> u64 {
        let (source, grid) = (self.source, self.grid);
        let lens = source.lens;
        let mirrored = source.poses[placed as usize].as_ref().is_some_and(|pose| pose.mirrored);
        let masked = source.scenery.placed[placed as usize].cutoff.is_some();
        let first = cluster.first_triangle / LANES;
        let range = first..first + cluster.triangles.div_ceil(LANES);
        let lanes = l.i_from(&[0, 1, 2, 3, 4, 5, 6, 7]);
        let mut all_large = 0;
        for (group, [a, b, c]) in mesh.corners[range].iter().enumerate() {
            let (b, c) = if mirrored { (c, b) } else { (b, c) };
            let points = map3(
                [a, b, c],
                #[inline(always)]
                |corners| look_up(l, vertices, corners),
            );
            let [x, y, near] = map3(
                [0, 1, 2],
                #[inline(always)]
                |n: usize| {
                    map3(
                        points,
                        #[inline(always)]
                        |point| point[n],
                    )
                },
            );
            // A corner without a place.
            let farthest = l.max(l.max(x[0], x[1]), x[2]);
            let lost = l.less(l.f(NOWHERE * 0.5), farthest);
            let px = map3(x, grid.whole(l));
            let py = map3(y, grid.whole(l));
            let [left, right, top, bottom] = [
                l.min_i(l.min_i(px[0], px[1]), px[2]),
                l.max_i(l.max_i(px[0], px[1]), px[2]),
                l.min_i(l.min_i(py[0], py[1]), py[2]),
                l.max_i(l.max_i(py[0], py[1]), py[2]),
            ];
            let ends = inlined(
                #[inline(always)]
                |low: L::I, high: L::I, first: i32, count: usize| {
                    let first = l.i(first);
                    let up = l.i((1 << grid.bits) - 1);
                    let low = grid.pixels(l, l.add_i(l.sub_i(low, first), up));
                    let high = grid.pixels(l, l.sub_i(high, first));
                    (l.max_i(low, l.i(0)), l.min_i(high, l.i(count as i32 - 1)))
                },
            );
            let (column, last_column) = ends(left, right, grid.first[0], lens.width);
            let (row, last_row) = ends(top, bottom, grid.first[1], lens.height);
            let none = l.or(l.greater_i(column, last_column), l.greater_i(row, last_row));
            // Small enough that products of two lengths, and sums of two of them, fit 31 bits.
            let limit = l.i(1 << 14);
            let wide =
                l.or(l.greater_i(l.sub_i(right, left), limit), l.greater_i(l.sub_i(bottom, top), limit));
            let other = if masked { l.i(-1) } else { l.or(wide, lost) };
            let large = l.signs(l.and(other, l.or(lost, l.and_not(none, l.i(-1)))));
            all_large |= u64::from(large) << (group * LANES);
            // Right and down are positive, so that a front face runs clockwise in these coordinates.
            let (dx1, dy1) = (l.sub_i(px[1], px[0]), l.sub_i(py[1], py[0]));
            let (dx2, dy2) = (l.sub_i(px[2], px[0]), l.sub_i(py[2], py[0]));
            let area = l.sub_i(l.mul_i(dx2, dy1), l.mul_i(dx1, dy2));
            let zero = l.i(0);
            let front = l.greater_i(area, zero);
            let shown = if lens.cull { front } else { l.or(front, l.greater_i(zero, area)) };
            let bits = l.signs(l.and_not(l.or(other, none), shown));
            if bits == 0 {
                continue;
            }
            let (mut x, mut y, mut near) = (x, y, near);
            if !lens.cull {
                // Those seen from their backs run the other way round.
                for list in [&mut x, &mut y, &mut near] {
                    let [a, b, c] = *list;
                    *list = [a, l.pick(front, c, b), l.pick(front, b, c)];
                }
            }
            let slot = l.add_i(l.i((first_slot as usize + group * LANES) as i32), lanes);
            let pair = inlined(
                #[inline(always)]
                |low: L::I, high: L::I| l.or(low, l.shift_up::<16>(high)),
            );
            let first = pair(column, row);
            let (columns, rows) = (l.sub_i(last_column, column), l.sub_i(last_row, row));
            let rest = [slot, first, pair(columns, rows)];
            let more = bits & l.signs(l.greater_i(l.max_i(columns, rows), l.i(1)));
            if more != bits {
                self.specks.push(l, bits & !more, x, y, near, rest);
            }
            if more != 0 {
                self.queue.push(l, more, x, y, near, rest);
            }
        }
        // The last groups are filled up.
        all_large & (u64::MAX >> (64 - cluster.triangles.clamp(1, 64)))
    }
}

/// Eight of a cluster's vertices, a vector a number.
#[inline(always)]
pub(crate) fn look_up<L: Lanes>(
    l: L,
    vertices: &[[f32; 4]; VERTICES],
    corners: &[u8; LANES],
) -> [L::F; 4] {
    l.columns(map4(
        [0, 1, 2, 3],
        #[inline(always)]
        |k: usize| l.pair(&vertices[usize::from(corners[k])], &vertices[usize::from(corners[k + 4])]),
    ))
}
