//! Small triangles that wait until there are eight of them, and their set-up.

use super::canvas::Canvas;
use super::cluster::{Grid, Pass};
use super::simd::{LANES, Lanes, inlined, map3};

/// Room for those of a cluster, those that are left of the last ones, and for eight written past the
/// end.
const ROOM: usize = 128 + LANES;

/// Triangles that show their front and may cover a pixel's middle.
pub(crate) struct Queue {
    /// Corners: image position from the middle in pixels, and nearness.
    x: [[f32; ROOM]; 3],
    y: [[f32; ROOM]; 3],
    near: [[f32; ROOM]; 3],
    /// As bits: slot; first column and row, 16 bits each; how many more of both.
    rest: [[f32; ROOM]; 3],
    count: usize,
}

impl Default for Queue {
    fn default() -> Self {
        let zero = [[0.0; ROOM]; 3];
        Self { x: zero, y: zero, near: zero, rest: zero, count: 0 }
    }
}

impl Queue {
    /// Adds the lanes whose bit is set.
    #[inline(always)]
    pub(crate) fn push<L: Lanes>(
        &mut self,
        l: L,
        bits: u32,
        x: [L::F; 3],
        y: [L::F; 3],
        near: [L::F; 3],
        rest: [L::I; 3],
    ) {
        let order = l.front(bits);
        let at = self.count & 127;
        let rest = map3(
            rest,
            #[inline(always)]
            |value| l.float(value),
        );
        let lists = [&mut self.x, &mut self.y, &mut self.near, &mut self.rest];
        for (lists, values) in lists.into_iter().zip([x, y, near, rest]) {
            for (list, value) in lists.iter_mut().zip(values) {
                if let Some(out) = list[at..].first_chunk_mut() {
                    *out = l.f_to(l.reorder(value, order));
                }
            }
        }
        self.count += bits.count_ones() as usize;
    }
}

/// Eight triangles ready to be drawn.
#[derive(Clone, Copy)]
pub(crate) struct Ready<L: Lanes> {
    pub(crate) slot: L::I,
    /// Edge numbers at the first pixel, 0 or more inside, and what they grow by a column and a row:
    /// whole numbers, small enough to be exact.
    pub(crate) edge: [L::F; 3],
    pub(crate) edge_x: [L::F; 3],
    pub(crate) edge_y: [L::F; 3],
    /// Nearness at the first pixel, what it grows by a column and a row, and its bounds.
    pub(crate) near: L::F,
    pub(crate) near_x: L::F,
    pub(crate) near_y: L::F,
    pub(crate) least: L::F,
    pub(crate) most: L::F,
    /// First column and row, and how many more.
    pub(crate) column: L::I,
    pub(crate) row: L::I,
    pub(crate) columns: L::I,
    pub(crate) rows: L::I,
}

/// The same as arrays, for those that are drawn one by one.
pub(crate) struct Setup {
    pub(crate) slot: [i32; LANES],
    pub(crate) edge: [[f32; LANES]; 3],
    pub(crate) edge_x: [[f32; LANES]; 3],
    pub(crate) edge_y: [[f32; LANES]; 3],
    pub(crate) near: [f32; LANES],
    pub(crate) near_x: [f32; LANES],
    pub(crate) near_y: [f32; LANES],
    pub(crate) least: [f32; LANES],
    pub(crate) most: [f32; LANES],
    pub(crate) column: [i32; LANES],
    pub(crate) row: [i32; LANES],
    pub(crate) columns: [i32; LANES],
    pub(crate) rows: [i32; LANES],
}

impl Setup {
    #[inline(always)]
    fn new<L: Lanes>(l: L, ready: &Ready<L>) -> Self {
        let three = inlined(
            #[inline(always)]
            |list: [L::F; 3]| [l.f_to(list[0]), l.f_to(list[1]), l.f_to(list[2])],
        );
        Self {
            slot: l.i_to(ready.slot),
            edge: three(ready.edge),
            edge_x: three(ready.edge_x),
            edge_y: three(ready.edge_y),
            near: l.f_to(ready.near),
            near_x: l.f_to(ready.near_x),
            near_y: l.f_to(ready.near_y),
            least: l.f_to(ready.least),
            most: l.f_to(ready.most),
            column: l.i_to(ready.column),
            row: l.i_to(ready.row),
            columns: l.i_to(ready.columns),
            rows: l.i_to(ready.rows),
        }
    }
}

impl Pass<'_> {
    /// Draws queued triangles, eight at a time, until fewer than `least` wait in either queue.
    #[inline(always)]
    pub(crate) fn flush<L: Lanes>(&mut self, l: L, canvas: &mut Canvas, least: usize) {
        while self.specks.count >= least.max(1) {
            let count = self.specks.count.min(LANES);
            self.specks.count -= count;
            let ready = self.specks.set_up(l, &self.grid);
            self.specks(l, canvas, &ready, (1 << count) - 1);
        }
        while self.queue.count >= least.max(1) {
            let count = self.queue.count.min(LANES);
            self.queue.count -= count;
            let ready = self.queue.set_up(l, &self.grid);
            let mut left = self.tiny(l, canvas, &ready, (1 << count) - 1);
            if left == 0 {
                continue;
            }
            let setup = Setup::new(l, &ready);
            while left != 0 {
                let lane = (left.trailing_zeros() & 7) as usize;
                left &= left - 1;
                self.small(l, canvas, &setup, lane);
            }
        }
    }
}

impl Queue {
    /// Sets eight triangles up, those last in the queue.
    #[inline(always)]
    fn set_up<L: Lanes>(&self, l: L, grid: &Grid) -> Ready<L> {
        let at = self.count & 127;
        let load = inlined(
            #[inline(always)]
            |list: &[f32; ROOM]| l.f_from(list[at..].first_chunk().unwrap_or(&[0.0; LANES])),
        );
        let load3 = inlined(
            #[inline(always)]
            |lists: &[[f32; ROOM]; 3]| [load(&lists[0]), load(&lists[1]), load(&lists[2])],
        );
        let (x, y, near) = (load3(&self.x), load3(&self.y), load3(&self.near));
        let [slot, first, more] = map3(
            load3(&self.rest),
            #[inline(always)]
            |value| l.bits(value),
        );
        let low = l.i(0xFFFF);
        let (column, row) = (l.and(first, low), l.shift::<16>(first));
        let px = map3(x, grid.whole(l));
        let py = map3(y, grid.whole(l));
        // The first pixel's middle.
        let mx = l.add_i(grid.of_pixels(l, column), l.i(grid.first[0]));
        let my = l.add_i(grid.of_pixels(l, row), l.i(grid.first[1]));
        let edges = map3(
            [(0, 1), (1, 2), (2, 0)],
            #[inline(always)]
            |(i, j): (usize, usize)| {
                let (dx, dy) = (l.sub_i(px[j], px[i]), l.sub_i(py[j], py[i]));
                let value = l.sub_i(l.mul_i(l.sub_i(mx, px[i]), dy), l.mul_i(l.sub_i(my, py[i]), dx));
                // Of the two triangles at an edge one owns it: the one to the right, or below.
                let level = l.and(l.equal_i(dy, l.i(0)), l.greater_i(l.i(0), dx));
                let owned = l.or(l.greater_i(dy, l.i(0)), level);
                let value = l.add_i(value, l.and_not(owned, l.i(-1)));
                // A column or row changes it by whole pixels: what is below does not count.
                (l.to_f(grid.pixels(l, value)), l.to_f(dy), l.to_f(l.sub_i(l.i(0), dx)))
            },
        );
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
        Ready {
            slot,
            edge: map3(
                edges,
                #[inline(always)]
                |(value, ..)| value,
            ),
            edge_x: map3(
                edges,
                #[inline(always)]
                |(_, across, _)| across,
            ),
            edge_y: map3(
                edges,
                #[inline(always)]
                |(.., down)| down,
            ),
            near: first,
            near_x,
            near_y,
            least: l.min(l.min(near[0], near[1]), near[2]),
            most: l.max(l.max(near[0], near[1]), near[2]),
            column,
            row,
            columns: l.and(more, low),
            rows: l.shift::<16>(more),
        }
    }
}
