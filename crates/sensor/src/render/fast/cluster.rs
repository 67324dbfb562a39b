//! A cluster's vertices and triangles, eight at a time.

use super::Source;
use super::bake::{Baked, Cluster};
use super::canvas::{Canvas, Drawn, View};
use super::simd::{LANES, Lanes, inlined, map3, map4};

/// Vertices that a cluster can have.
const VERTICES: usize = 256;
/// Image position of a vertex that has no rounded place: larger than any that has.
pub(crate) const NOWHERE: f32 = 1e9;
/// Larger and smaller by this rounds a float below 2^22 to a whole number, halves to even.
const ROUND: f32 = 12_582_912.0;

/// The vertices of one cluster.
pub(crate) struct Stage {
    /// Image position, right and down from the middle, in pixels; [`NOWHERE`] without one.
    pub(crate) x: [f32; VERTICES],
    pub(crate) y: [f32; VERTICES],
    /// Nearness.
    pub(crate) near: [f32; VERTICES],
    /// Where a vertex without a place is: bits for nearer than the near plane, left, right, up, down.
    pub(crate) outside: [u8; VERTICES],
}

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
}

/// Eight triangles ready to be drawn.
pub(crate) struct Setup {
    /// Edge numbers at the first pixel, 0 or more inside, and what they grow by a column and a row:
    /// whole numbers, small enough to be exact.
    pub(crate) edge: [[f32; LANES]; 3],
    pub(crate) edge_x: [[f32; LANES]; 3],
    pub(crate) edge_y: [[f32; LANES]; 3],
    /// Nearness at the first pixel, what it grows by a column and a row, and its bounds.
    pub(crate) near: [f32; LANES],
    pub(crate) near_x: [f32; LANES],
    pub(crate) near_y: [f32; LANES],
    pub(crate) least: [f32; LANES],
    pub(crate) most: [f32; LANES],
    /// First column and row, and how many.
    pub(crate) column: [i32; LANES],
    pub(crate) row: [i32; LANES],
    pub(crate) columns: [i32; LANES],
    pub(crate) rows: [i32; LANES],
}

/// Draws clusters of one view.
pub(crate) struct Pass<'a> {
    pub(crate) source: &'a Source<'a>,
    pub(crate) grid: Grid,
    pub(crate) stage: Box<Stage>,
}

impl<'a> Pass<'a> {
    pub(crate) fn new(source: &'a Source<'a>) -> Self {
        let stage = Stage {
            x: [0.0; VERTICES],
            y: [0.0; VERTICES],
            near: [0.0; VERTICES],
            outside: [0; VERTICES],
        };
        let grid = Grid::new(source.lens.width, source.lens.height);
        Self { source, grid, stage: Box::new(stage) }
    }

    #[inline(always)]
    pub(crate) fn draw<L: Lanes>(&mut self, l: L, canvas: &mut Canvas, placed: u32, index: usize) {
        let source = self.source;
        let Some(view) = &source.views[placed as usize] else { return };
        let mesh = source.mesh(placed as usize);
        let cluster = &mesh.clusters[index];
        self.project(l, mesh, cluster, view);
        let first_slot = (canvas.drawn.len() * super::bake::CLUSTER) as u32;
        let first_vertex = canvas.vertices[0].len() as u32;
        canvas.drawn.push(Drawn { placed, cluster: index as u32, first_vertex });
        let count = cluster.vertices;
        canvas.vertices[0].extend_from_slice(&self.stage.x[..count]);
        canvas.vertices[1].extend_from_slice(&self.stage.y[..count]);
        canvas.vertices[2].extend_from_slice(&self.stage.near[..count]);
        self.triangles(l, canvas, mesh, cluster, placed, first_slot);
    }

    #[inline(always)]
    fn project<L: Lanes>(&mut self, l: L, mesh: &Baked, cluster: &Cluster, view: &View) {
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
        let range = cluster.first_vertex..cluster.first_vertex + cluster.vertices;
        let [xs, ys, zs] = mesh.positions.each_ref().map(|list| list[range.clone()].as_chunks().0);
        let stage = &mut *self.stage;
        let out_x = stage.x.as_chunks_mut().0.iter_mut();
        let out_y = stage.y.as_chunks_mut().0.iter_mut();
        let out_near = stage.near.as_chunks_mut().0.iter_mut();
        let out_code = stage.outside.as_chunks_mut::<LANES>().0.iter_mut();
        let input = xs.iter().zip(ys).zip(zs);
        let output = out_x.zip(out_y).zip(out_near).zip(out_code);
        for (((x, y), z), (((out_x, out_y), out_near), out_code)) in input.zip(output) {
            let (x, y, z) = (l.f_from(x), l.f_from(y), l.f_from(z));
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
            *out_x = l.f_to(l.pick(inside, nowhere, column));
            *out_y = l.f_to(l.pick(inside, nowhere, row));
            *out_near = l.f_to(nearness);
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

    #[inline(always)]
    fn triangles<L: Lanes>(
        &mut self,
        l: L,
        canvas: &mut Canvas,
        mesh: &Baked,
        cluster: &Cluster,
        placed: u32,
        first_slot: u32,
    ) {
        let source = self.source;
        let mirrored = source.poses[placed as usize].as_ref().is_some_and(|pose| pose.mirrored);
        let masked = source.scenery.placed[placed as usize].cutoff.is_some();
        let range =
            cluster.first_triangle..cluster.first_triangle + cluster.triangles.next_multiple_of(8);
        let [a, b, c] = mesh.corners.each_ref().map(|list| list[range.clone()].as_chunks().0);
        let mut setup = Setup::EMPTY;
        for (group, ((a, b), c)) in a.iter().zip(b).zip(c).enumerate() {
            let (b, c) = if mirrored { (c, b) } else { (b, c) };
            let corners = [l.widen(a), l.widen(b), l.widen(c)];
            let (small, large) = self.set_up(l, corners, masked, &mut setup);
            let slot = first_slot + (group * LANES) as u32;
            let mut left = if small != 0 { self.tiny(l, canvas, &setup, small, slot) } else { 0 };
            while left != 0 {
                let lane = left.trailing_zeros() as usize;
                left &= left - 1;
                self.small(l, canvas, &setup, lane, slot + lane as u32);
            }
            let mut left = large;
            while left != 0 {
                let lane = left.trailing_zeros() as usize;
                left &= left - 1;
                let triangle = group * LANES + lane;
                if triangle < cluster.triangles {
                    let corners = [a[lane], b[lane], c[lane]];
                    self.large(l, canvas, mesh, cluster, placed, corners, triangle, slot + lane as u32);
                }
            }
        }
    }

    /// Which of eight triangles are small, with their set-up, and which need the other way.
    #[inline(always)]
    fn set_up<L: Lanes>(&self, l: L, corners: [L::I; 3], masked: bool, out: &mut Setup) -> (u32, u32) {
        let grid = &self.grid;
        let x = map3(
            corners,
            #[inline(always)]
            |corner| l.look_up(&self.stage.x, corner),
        );
        let y = map3(
            corners,
            #[inline(always)]
            |corner| l.look_up(&self.stage.y, corner),
        );
        // A corner without a place.
        let farthest = l.max(l.max(x[0], x[1]), x[2]);
        let lost = l.less(l.f(NOWHERE * 0.5), farthest);
        let (parts, round) = (l.f(grid.parts), l.f(ROUND));
        let whole = inlined(
            #[inline(always)]
            |pixels: L::F| l.sub_i(l.bits(l.add(l.mul(pixels, parts), round)), l.bits(round)),
        );
        let px = map3(x, whole);
        let py = map3(y, whole);
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
                let low = l.add_i(l.sub_i(low, first), up);
                let high = l.sub_i(high, first);
                let (low, high) = if grid.bits == 10 {
                    (l.shift::<10>(low), l.shift::<10>(high))
                } else {
                    (l.shift::<8>(low), l.shift::<8>(high))
                };
                (l.max_i(low, l.i(0)), l.min_i(high, l.i(count as i32 - 1)))
            },
        );
        let lens = self.source.lens;
        let (column, last_column) = ends(left, right, grid.first[0], lens.width);
        let (row, last_row) = ends(top, bottom, grid.first[1], lens.height);
        let none = l.or(l.greater_i(column, last_column), l.greater_i(row, last_row));
        // Small enough that products of two lengths, and sums of two of them, fit 31 bits.
        let limit = l.i(1 << 14);
        let wide =
            l.or(l.greater_i(l.sub_i(right, left), limit), l.greater_i(l.sub_i(bottom, top), limit));
        let other = if masked { l.i(-1) } else { l.or(wide, lost) };
        let large = l.signs(l.and(other, l.or(lost, l.and_not(none, l.i(-1)))));
        let mut small = l.and_not(l.or(other, none), l.i(-1));
        if l.signs(small) == 0 {
            return (0, large);
        }

        // Right and down are positive, so that a front face runs clockwise in these coordinates.
        let side = inlined(
            #[inline(always)]
            |i: usize, j: usize| (l.sub_i(px[j], px[i]), l.sub_i(py[j], py[i])),
        );
        let (dx1, dy1) = side(0, 1);
        let (dx2, dy2) = side(0, 2);
        let area = l.sub_i(l.mul_i(dx2, dy1), l.mul_i(dx1, dy2));
        let back = l.greater_i(l.i(0), area);
        small = l.and(
            small,
            if lens.cull { l.greater_i(area, l.i(0)) } else { l.or(back, l.greater_i(area, l.i(0))) },
        );
        let bits = l.signs(small);
        if bits == 0 {
            return (0, large);
        }
        let near = map3(
            corners,
            #[inline(always)]
            |corner| l.look_up(&self.stage.near, corner),
        );
        // The first pixel's middle.
        let middle = inlined(
            #[inline(always)]
            |index: L::I, first: i32| {
                let parts =
                    if grid.bits == 10 { l.shift_up::<10>(index) } else { l.shift_up::<8>(index) };
                l.add_i(parts, l.i(first))
            },
        );
        let (mx, my) = (middle(column, grid.first[0]), middle(row, grid.first[1]));
        for (k, (i, j)) in [(0, 1), (1, 2), (2, 0)].into_iter().enumerate() {
            let (dx, dy) = side(i, j);
            // Back faces, where they are drawn, run the other way round.
            let (dx, dy) = if lens.cull {
                (dx, dy)
            } else {
                let turn = inlined(
                    #[inline(always)]
                    |d: L::I| l.pick_i(back, d, l.sub_i(l.i(0), d)),
                );
                (turn(dx), turn(dy))
            };
            let value = l.sub_i(l.mul_i(l.sub_i(mx, px[i]), dy), l.mul_i(l.sub_i(my, py[i]), dx));
            // Of the two triangles at an edge one owns it: the one to the right, or below.
            let level = l.and(l.equal_i(dy, l.i(0)), l.greater_i(l.i(0), dx));
            let owned = l.or(l.greater_i(dy, l.i(0)), level);
            let value = l.add_i(value, l.and_not(owned, l.i(-1)));
            // A column or row changes it by whole pixels: what is below does not count.
            let value = if grid.bits == 10 { l.shift::<10>(value) } else { l.shift::<8>(value) };
            out.edge[k] = l.f_to(l.to_f(value));
            out.edge_x[k] = l.f_to(l.to_f(dy));
            out.edge_y[k] = l.f_to(l.to_f(l.sub_i(l.i(0), dx)));
        }
        // The plane of nearness, from corners as they are.
        let (fx1, fy1) = (l.sub(x[1], x[0]), l.sub(y[1], y[0]));
        let (fx2, fy2) = (l.sub(x[2], x[0]), l.sub(y[2], y[0]));
        let (n1, n2) = (l.sub(near[1], near[0]), l.sub(near[2], near[0]));
        let scale = l.div(l.f(1.0), l.sub(l.mul(fx2, fy1), l.mul(fx1, fy2)));
        let near_x = l.mul(l.sub(l.mul(n2, fy1), l.mul(n1, fy2)), scale);
        let near_y = l.mul(l.sub(l.mul(n1, fx2), l.mul(n2, fx1)), scale);
        let unit = l.f(1.0 / grid.parts);
        let (ox, oy) = (l.sub(l.mul(l.to_f(mx), unit), x[0]), l.sub(l.mul(l.to_f(my), unit), y[0]));
        let first = l.add(near[0], l.add(l.mul(near_x, ox), l.mul(near_y, oy)));
        out.near = l.f_to(first);
        out.near_x = l.f_to(near_x);
        out.near_y = l.f_to(near_y);
        out.least = l.f_to(l.min(l.min(near[0], near[1]), near[2]));
        out.most = l.f_to(l.max(l.max(near[0], near[1]), near[2]));
        out.column = l.i_to(column);
        out.row = l.i_to(row);
        out.columns = l.i_to(l.sub_i(last_column, column));
        out.rows = l.i_to(l.sub_i(last_row, row));
        (bits, large)
    }
}

impl Setup {
    const EMPTY: Self = Self {
        edge: [[0.0; LANES]; 3],
        edge_x: [[0.0; LANES]; 3],
        edge_y: [[0.0; LANES]; 3],
        near: [0.0; LANES],
        near_x: [0.0; LANES],
        near_y: [0.0; LANES],
        least: [0.0; LANES],
        most: [0.0; LANES],
        column: [0; LANES],
        row: [0; LANES],
        columns: [0; LANES],
        rows: [0; LANES],
    };
}
