//! Small triangles: pixel rows of eight, every pixel asked whether it is inside.

use super::canvas::{Canvas, TIE};
use super::cluster::Pass;
use super::queue::{Ready, Setup};
use super::simd::{LANES, Lanes, inlined, map3};

pub(crate) const STEPS: [f32; LANES] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];

/// Columns and rows of the block of pixels that a tiny triangle lies in.
const TINY: i32 = 4;

impl Pass<'_> {
    /// Draws eight triangles (bits of `all`) of two columns and two rows at most.
    #[inline(always)]
    pub(crate) fn specks<L: Lanes>(&mut self, l: L, canvas: &mut Canvas, ready: &Ready<L>, all: u32) {
        let stride = canvas.stride;
        let first = l.i_to(first_pixels(l, stride, ready));
        let slots = l.i_to(ready.slot);
        let mut values = [[0.0; LANES]; 4];
        let mut hits = 0;
        for row in 0..2 {
            let (mut edges, mut near) = (ready.edge, ready.near);
            if row > 0 {
                for (edge, step) in edges.iter_mut().zip(ready.edge_y) {
                    *edge = l.add(*edge, step);
                }
            }
            near = l.add(near, l.mul(ready.near_y, l.f(row as f32)));
            for column in 0..2 {
                let outside = l.or(l.or(l.bits(edges[0]), l.bits(edges[1])), l.bits(edges[2]));
                let place = row * 2 + column;
                hits |= (l.signs(outside) ^ 255) << (place * LANES);
                let value = l.add(near, l.mul(ready.near_x, l.f(column as f32)));
                values[place] = l.f_to(l.max(l.min(value, ready.most), ready.least));
                for (edge, step) in edges.iter_mut().zip(ready.edge_x) {
                    *edge = l.add(*edge, step);
                }
            }
        }
        hits &= all * 0x0101_0101;
        let steps = [0, 1, stride, stride + 1];
        while hits != 0 {
            let found = (hits.trailing_zeros() & 31) as usize;
            hits &= hits - 1;
            let (place, lane) = (found / LANES, found % LANES);
            let at = first[lane] as usize + steps[place];
            self.point(canvas, at, values[place][lane], slots[lane] as u32);
        }
    }

    /// Draws those of eight triangles (bits of `all`) that are tiny, pixel by pixel: which pixels are
    /// inside is asked of all eight at once. Returns the others.
    #[inline(always)]
    pub(crate) fn tiny<L: Lanes>(
        &mut self,
        l: L,
        canvas: &mut Canvas,
        ready: &Ready<L>,
        all: u32,
    ) -> u32 {
        let (columns, rows) = (ready.columns, ready.rows);
        let last = l.i(TINY - 1);
        let wide = l.signs(l.or(l.greater_i(columns, last), l.greater_i(rows, last)));
        let tiny = all & !wide;
        let high = tiny & l.signs(l.greater_i(rows, l.i(1)));
        let stride = canvas.stride;
        let first = l.i_to(first_pixels(l, stride, ready));
        let slots = l.i_to(ready.slot);
        let mut values = [[0.0; LANES]; TINY as usize * 2];
        // Two rows at a time.
        for half in 0..2 {
            let asked = if half == 0 { tiny } else { high };
            if asked == 0 {
                break;
            }
            let mut hits = 0_u64;
            for row in [half * 2, half * 2 + 1] {
                let rows = l.f(row as f32);
                let mut edges = map3(
                    [0, 1, 2],
                    #[inline(always)]
                    |k: usize| l.add(ready.edge[k], l.mul(ready.edge_y[k], rows)),
                );
                let near = l.add(ready.near, l.mul(ready.near_y, rows));
                for column in 0..TINY {
                    let outside = l.or(l.or(l.bits(edges[0]), l.bits(edges[1])), l.bits(edges[2]));
                    let place = ((row & 1) * TINY + column) as usize;
                    hits |= u64::from(l.signs(outside) ^ 255) << (place * LANES);
                    let value = l.add(near, l.mul(ready.near_x, l.f(column as f32)));
                    values[place] = l.f_to(l.max(l.min(value, ready.most), ready.least));
                    for (edge, step) in edges.iter_mut().zip(ready.edge_x) {
                        *edge = l.add(*edge, step);
                    }
                }
            }
            hits &= u64::from(asked) * 0x0101_0101_0101_0101;
            let top = (half * 2) as usize * stride;
            while hits != 0 {
                let found = (hits.trailing_zeros() & 63) as usize;
                hits &= hits - 1;
                let (place, lane) = (found / LANES, found % LANES);
                let below = if place < TINY as usize { top } else { top + stride };
                let at = first[lane] as usize + below + place % TINY as usize;
                self.point(canvas, at, values[place][lane], slots[lane] as u32);
            }
        }
        all & wide
    }

    /// Writes one pixel if it is nearer than what is there.
    #[inline(always)]
    fn point(&self, canvas: &mut Canvas, at: usize, value: f32, slot: u32) {
        let (Some(near), Some(there)) = (canvas.near.get(at), canvas.slots.get(at)) else { return };
        let (best, there) = (*near, *there as u32);
        let slack = best.abs() * TIE;
        if best - slack < value {
            let wins = best + slack < value
                || best == canvas.empty
                || self.number(canvas, slot) < self.number(canvas, there);
            if wins {
                canvas.near[at] = value;
                canvas.slots[at] = slot as i32;
            }
        }
    }

    #[inline(always)]
    pub(crate) fn small<L: Lanes>(&mut self, l: L, canvas: &mut Canvas, setup: &Setup, lane: usize) {
        let slot = setup.slot[lane] as u32;
        let (columns, rows) = (setup.columns[lane], setup.rows[lane]);
        let stride = canvas.stride;
        let corner = setup.row[lane] as usize * stride + setup.column[lane] as usize;
        let step_y = map3(
            setup.edge_y,
            #[inline(always)]
            |list| l.f(list[lane]),
        );
        let (least, most) = (l.f(setup.least[lane]), l.f(setup.most[lane]));
        let (near_x, near_y) = (l.f(setup.near_x[lane]), setup.near_y[lane]);
        let mut first = 0;
        while first <= columns {
            let steps = l.add(l.f_from(&STEPS), l.f(first as f32));
            let edge = inlined(
                #[inline(always)]
                |k: usize| l.add(l.f(setup.edge[k][lane]), l.mul(l.f(setup.edge_x[k][lane]), steps)),
            );
            let mut edges = [edge(0), edge(1), edge(2)];
            let near = l.add(l.f(setup.near[lane]), l.mul(near_x, steps));
            let mut at = corner + first as usize;
            for row in 0..=rows {
                let outside = l.or(l.or(l.bits(edges[0]), l.bits(edges[1])), l.bits(edges[2]));
                let value = l.add(near, l.f(near_y * row as f32));
                let value = l.max(l.min(value, most), least);
                self.offer(l, canvas, at, value, l.and_not(l.shift::<31>(outside), l.i(-1)), slot);
                edges =
                    [l.add(edges[0], step_y[0]), l.add(edges[1], step_y[1]), l.add(edges[2], step_y[2])];
                at += stride;
            }
            first += LANES as i32;
        }
    }

    /// Writes what is nearer than what is there, for eight pixels from `at`, where the mask is set.
    #[inline(always)]
    pub(crate) fn offer<L: Lanes>(
        &self,
        l: L,
        canvas: &mut Canvas,
        at: usize,
        value: L::F,
        mask: L::I,
        slot: u32,
    ) {
        let Some((near, _)) = eight(canvas, at) else { return };
        let best = l.f_from(near);
        let slack = l.mul(l.float(l.and(l.bits(best), l.i(i32::MAX))), l.f(TIE));
        let close = l.and(mask, l.less(l.sub(best, slack), value));
        let bits = l.signs(close);
        let mut wins = l.and(close, l.less(l.add(best, slack), value));
        let sure = l.signs(wins);
        if sure != bits {
            wins = l.i_from(&self.settle(canvas, at, bits, sure, slot));
        }
        let Some((near, slots)) = eight(canvas, at) else { return };
        *near = l.f_to(l.pick(wins, best, value));
        *slots = l.i_to(l.pick_i(wins, l.i_from(slots), l.i(slot as i32)));
    }

    /// Of surfaces at the same depth the lower number is seen.
    #[cold]
    #[inline(never)]
    fn settle(&self, canvas: &Canvas, at: usize, close: u32, sure: u32, slot: u32) -> [i32; LANES] {
        let number = self.number(canvas, slot);
        let lower = |pixel: usize| {
            let (near, there) = (canvas.near[pixel], canvas.slots[pixel]);
            near == canvas.empty || number < self.number(canvas, there as u32)
        };
        std::array::from_fn(|lane| {
            let bit = 1 << lane;
            -i32::from(sure & bit != 0 || (close & bit != 0 && lower(at + lane)))
        })
    }

    /// Number in the scene of a drawn triangle.
    #[cold]
    fn number(&self, canvas: &Canvas, slot: u32) -> u32 {
        let drawn = &canvas.drawn[slot as usize / super::bake::CLUSTER];
        let mesh = self.source.mesh_of(drawn);
        let first = mesh.clusters[drawn.cluster as usize].first_triangle;
        let source = mesh.sources[first + slot as usize % super::bake::CLUSTER];
        self.source.scenery.placed[drawn.placed as usize].first + source
    }
}

/// Indices of the first pixels of eight triangles.
#[inline(always)]
fn first_pixels<L: Lanes>(l: L, stride: usize, ready: &Ready<L>) -> L::I {
    l.add_i(l.mul_i(ready.row, l.i(stride as i32)), ready.column)
}

#[inline(always)]
fn eight(canvas: &mut Canvas, at: usize) -> Option<(&mut [f32; LANES], &mut [i32; LANES])> {
    let near = canvas.near.get_mut(at..)?.first_chunk_mut()?;
    let slots = canvas.slots.get_mut(at..)?.first_chunk_mut()?;
    Some((near, slots))
}
