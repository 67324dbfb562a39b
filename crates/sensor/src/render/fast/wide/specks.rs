//! Triangles of few pixels: four of them at a time, each asked for its own pixels.

use super::cluster::{POINTS, Pass};
use super::pixels::inside;
use crate::render::fast::canvas::Canvas;
use crate::render::fast::doubles::FOUR;
use crate::render::fast::simd::{LANES, Lanes, map4};
use crate::render::rays::{Rays, Table};

/// Room for those of a cluster, those that are left of the last ones, and for eight written past the end.
const ROOM: usize = 64 + FOUR + LANES * 2;

/// Triangles that wait until there are four of them.
pub(crate) struct Queue {
    /// Corners, ten bits each, as numbers of points; slot; first column and row, 16 bits each; 1 for two
    /// columns, 2 for two rows.
    lists: [[i32; ROOM]; 4],
    count: usize,
}

impl Default for Queue {
    fn default() -> Self {
        Self { lists: [[0; ROOM]; 4], count: 0 }
    }
}

impl Queue {
    /// Adds the lanes whose bit is set.
    #[inline(always)]
    pub(crate) fn push<L: Lanes>(&mut self, l: L, bits: u32, values: [L::I; 4]) {
        let order = l.front(bits);
        for (list, value) in self.lists.iter_mut().zip(values) {
            if let Some(out) = list.get_mut(self.count..).and_then(|list| list.first_chunk_mut()) {
                *out = l.i_to(l.bits(l.reorder(l.float(value), order)));
            }
        }
        self.count += bits.count_ones() as usize;
    }

    /// Takes the last four, or as many as there are. What is beyond these is any triangle.
    #[inline(always)]
    fn take(&mut self) -> Option<([[i32; FOUR]; 4], u32)> {
        let count = self.count.min(FOUR);
        self.count -= count;
        let list = |k: usize| self.lists[k].get(self.count..)?.first_chunk().copied();
        Some(([list(0)?, list(1)?, list(2)?, list(3)?], (1 << count) - 1))
    }
}

impl Pass<'_> {
    /// Draws queued triangles, four at a time, until fewer than `least` wait in either queue.
    #[inline(always)]
    pub(crate) fn flush<L: Lanes>(&mut self, l: L, canvas: &mut Canvas, least: usize) {
        while self.specks.count >= least.max(1) {
            let Some((lists, all)) = self.specks.take() else { break };
            self.draw_four::<L, 1>(l, canvas, lists, all);
        }
        while self.tiny.count >= least.max(1) {
            let Some((lists, all)) = self.tiny.take() else { break };
            self.draw_four::<L, 2>(l, canvas, lists, all);
        }
    }

    /// Draws four triangles of up to `SIDE` columns and rows.
    #[inline(always)]
    fn draw_four<L: Lanes, const SIDE: usize>(
        &self,
        l: L,
        canvas: &mut Canvas,
        [corners, slots, places, more]: [[i32; FOUR]; 4],
        all: u32,
    ) {
        let four = self.set_up(
            l,
            map4(
                corners,
                #[inline(always)]
                |corners| [0, 10, 20].map(|bit| (corners >> bit) as usize & (POINTS - 1)),
            ),
        );
        let seen = four.seen & all;
        if seen == 0 {
            return;
        }
        let column = map4(
            places,
            #[inline(always)]
            |place| (place & 0xFFFF) as usize,
        );
        let row = map4(
            places,
            #[inline(always)]
            |place| (place >> 16) as usize,
        );
        let (mut wide, mut high) = (0, 0);
        if SIDE > 1 {
            for (lane, more) in more.into_iter().enumerate() {
                wide |= (more as u32 & 1) << lane;
                high |= (more as u32 >> 1 & 1) << lane;
            }
        }
        for (right, down) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let mut bits = seen;
            if right == 1 {
                bits &= wide;
            }
            if down == 1 {
                bits &= high;
            }
            if bits != 0 {
                let ray = rays_of(l, self.rays, column, row, right, down);
                bits &= inside(l, &four.sides, ray);
                let exact = four.distance(l, ray);
                bits &= self.within(l, exact);
                let exact = l.d_to(exact);
                while bits != 0 {
                    let lane = (bits.trailing_zeros() & 3) as usize;
                    bits &= bits - 1;
                    let at = (row[lane] + down) * canvas.stride + column[lane] + right;
                    self.offer(canvas, at, exact[lane], slots[lane] as u32, |_| true);
                }
            }
            if SIDE == 1 {
                break;
            }
        }
    }
}

/// The rays of four pixels anywhere.
#[inline(always)]
fn rays_of<L: Lanes>(
    l: L,
    rays: &Rays,
    column: [usize; FOUR],
    row: [usize; FOUR],
    right: usize,
    down: usize,
) -> [L::D; 3] {
    let four = |list: &[f64], at: [usize; FOUR]| {
        let value = |at: usize| list.get(at).copied().unwrap_or(0.0);
        l.d_from(&[value(at[0]), value(at[1]), value(at[2]), value(at[3])])
    };
    let column = map4(column, |column| column + right);
    let row = map4(row, |row| row + down);
    match &rays.table {
        Table::Turns { sine, back, level, high } => {
            let level = four(level, row);
            [l.mul_d(four(sine, column), level), four(high, row), l.mul_d(four(back, column), level)]
        }
        Table::All { stride, x, y, z } => {
            let at = [0, 1, 2, 3].map(|lane: usize| row[lane] * stride + column[lane]);
            [four(x, at), four(y, at), four(z, at)]
        }
    }
}
