//! Texture colours of eight pixels.
//!
//! Coordinates and levels are floats; texels are mixed in 16 bits, two channels a word, as 64 parts of
//! a colour's step: an error of a few hundredths of a step.

use super::Source;
use super::simd::{LANES, Lanes, inlined, map2, map3, map4, map8};
use crate::render::texture::{BLOCK, PITCH};
use ambler_scene::Wrap;

const EACH: [usize; LANES] = [0, 1, 2, 3, 4, 5, 6, 7];
/// Parts of a colour's step.
const PARTS: f32 = 64.0;
/// A cell below 43,690 times this, less its 18 low bits, is the block that it is in.
const SEVENTH: i32 = 37_450;
const _: () = assert!(PITCH == 7);

/// Where eight pixels lie in one texture.
#[derive(Clone, Copy)]
pub(crate) struct Spot<L: Lanes> {
    /// Index of the texture; `u32::MAX` for none.
    texture: u32,
    fine: Place<L>,
    coarse: Option<Place<L>>,
    /// Share of the coarser level.
    deep: L::I,
}

/// Eight places in one level.
#[derive(Clone, Copy)]
struct Place<L: Lanes> {
    /// Of the upper left of the four texels around it.
    index: L::I,
    /// Shares of the right and of the lower ones.
    across: L::I,
    down: L::I,
}

impl<L: Lanes> Spot<L> {
    pub(crate) fn nowhere(l: L) -> Self {
        let zero = l.i(0);
        let fine = Place { index: zero, across: zero, down: zero };
        Self { texture: u32::MAX, fine, coarse: None, deep: zero }
    }

    /// `at`: u and v; `steps`: what they grow by a pixel to the right and down.
    #[inline(always)]
    pub(crate) fn new(
        l: L,
        source: &Source<'_>,
        texture: u32,
        at: [L::F; 2],
        steps: [[L::F; 2]; 2],
    ) -> Self {
        let Some(pyramid) = source.scenery.textures.get(texture as usize) else {
            return Self::nowhere(l);
        };
        let tables = pyramid.tables();
        let (width, height) = (l.float(l.i(tables.wide[0])), l.float(l.i(tables.high[0])));
        let squared = map2(
            steps,
            #[inline(always)]
            |[u, v]| {
                let (u, v) = (l.mul(u, width), l.mul(v, height));
                l.add(l.mul(u, u), l.mul(v, v))
            },
        );
        // NaN is no minification.
        let level = l.mul(log2(l, l.max(l.max(squared[0], squared[1]), l.f(1.0))), l.f(0.5));
        let last = tables.last;
        let level = l.max(l.min(level, l.f(last as f32)), l.f(0.0));
        let whole = l.cut(level);
        let deep = l.sub(level, l.to_f(whole));
        let same = l.common(whole);
        // Width, height, entries a row and first pixel. Mostly all have the same level.
        let lists = [&tables.wide, &tables.high, &tables.row, &tables.first];
        let look = inlined(
            #[inline(always)]
            |up: i32, level: L::I| match same {
                Some(one) => {
                    let level = ((one + up).min(last) & 15) as usize;
                    map4(
                        lists,
                        #[inline(always)]
                        |list| l.i(list[level]),
                    )
                }
                None => map4(
                    lists,
                    #[inline(always)]
                    |list| l.look_up_16(list, level),
                ),
            },
        );
        let periods = [period(l, at[0], tables.wrap[0]), period(l, at[1], tables.wrap[1])];
        let place = inlined(
            #[inline(always)]
            |[wide, high, row, first]: [L::I; 4]| {
                let (x, across) = cell(l, periods[0], l.float(wide));
                let (y, down) = cell(l, periods[1], l.float(high));
                let block = inlined(
                    #[inline(always)]
                    |cell: L::I| l.shift::<2>(l.high_16(cell, l.i(SEVENTH))),
                );
                // Blocks before it, of which each begins a pitch farther, and pixels in it.
                let column = l.add_i(x, l.mul_i(block(x), l.i((BLOCK * BLOCK - PITCH) as i32)));
                let rows = l.mul_i(block(y), row);
                let row = l.add_i(l.shift_up::<{ BLOCK.ilog2() as i32 }>(y), rows);
                let index = l.add_i(first, l.add_i(row, column));
                Place { index, across: share(l, across), down: share(l, down) }
            },
        );
        let fine = place(look(0, whole));
        let coarse = (l.signs(l.less(l.f(0.0), deep)) != 0).then(
            #[inline(always)]
            || {
                let next = l.min_i(l.add_i(whole, l.i(1)), l.i(last));
                place(look(1, next))
            },
        );
        Self { texture, fine, coarse, deep: share(l, deep) }
    }

    /// Asks for the memory of the texels.
    #[inline(always)]
    pub(crate) fn prefetch(&self, l: L, source: &Source<'_>) {
        let index = self.texture as usize;
        let Some(pyramid) = source.scenery.textures.get(index) else { return };
        // What lies between two lanes mostly lies in the same blocks.
        let below = l.add_i(self.fine.index, l.i(BLOCK as i32));
        l.prefetch::<2>(pyramid.blocks(), self.fine.index);
        l.prefetch::<4>(pyramid.blocks(), below);
        if let Some(coarse) = &self.coarse {
            l.prefetch::<4>(pyramid.blocks(), coarse.index);
        }
    }

    /// Colours (0 to 1; red, green, blue); 1 without a texture.
    #[inline(always)]
    pub(crate) fn color(&self, l: L, source: &Source<'_>) -> [L::F; 3] {
        let pyramid = source.scenery.textures.get(self.texture as usize);
        let Some(pyramid) = pyramid else { return [l.f(1.0); 3] };
        let look_up = inlined(
            #[inline(always)]
            |place: &Place<L>| l.look_up_fours::<BLOCK>(pyramid.blocks(), place.index),
        );
        let fine = mixed(l, look_up(&self.fine), &self.fine);
        let [red_blue, green] = match &self.coarse {
            None => fine,
            Some(coarse) => mix(l, fine, mixed(l, look_up(coarse), coarse), self.deep),
        };
        let scale = l.f(1.0 / (255.0 * PARTS));
        map3(
            [l.and(red_blue, l.i(0xFFFF)), l.and(green, l.i(0xFFFF)), l.shift::<16>(red_blue)],
            #[inline(always)]
            |value| l.mul(l.to_f(value), scale),
        )
    }
}

/// Colours as [`Spot::color`] where the eight have their textures from several; 1 in lanes without.
///
/// Seldom asked for, and long: not inlined.
#[inline(never)]
pub(crate) fn of_several<L: Lanes>(
    l: L,
    source: &Source<'_>,
    textures: &[u32; LANES],
    at: [L::F; 2],
    steps: [[L::F; 2]; 2],
) -> [L::F; 3] {
    l.run(
        #[inline(always)]
        || one_by_one(l, source, textures, at, steps),
    )
}

#[inline(always)]
fn one_by_one<L: Lanes>(
    l: L,
    source: &Source<'_>,
    textures: &[u32; LANES],
    at: [L::F; 2],
    steps: [[L::F; 2]; 2],
) -> [L::F; 3] {
    let mut result = [l.f(1.0); 3];
    let mut left = 0_u32;
    for lane in 0..LANES {
        left |= u32::from(textures[lane] != u32::MAX) << lane;
    }
    while left != 0 {
        // All lanes with the same texture at once.
        let index = textures[left.trailing_zeros() as usize & 7];
        let mut same = 0_u32;
        for lane in 0..LANES {
            same |= u32::from(textures[lane] == index) << lane;
        }
        left &= !same;
        let color = Spot::new(l, source, index, at, steps).color(l, source);
        let mask = l.i_from(&map8(EACH, |lane: usize| -((same >> lane & 1) as i32)));
        for c in 0..3 {
            result[c] = l.pick(mask, result[c], color[c]);
        }
    }
    result
}

/// Red and blue, and green, of four texels mixed.
#[inline(always)]
fn mixed<L: Lanes>(l: L, words: [L::I; 4], place: &Place<L>) -> [L::I; 2] {
    let [a, b, c, d] = map4(
        words,
        #[inline(always)]
        |word| {
            let low = l.i(0x00FF_00FF);
            let (even, odd) = (l.and(word, low), l.and(l.shift::<8>(word), low));
            [l.shift_up::<6>(even), l.shift_up::<6>(odd)]
        },
    );
    mix(l, mix(l, a, b, place.across), mix(l, c, d, place.across), place.down)
}

#[inline(always)]
fn mix<L: Lanes>(l: L, a: [L::I; 2], b: [L::I; 2], share: L::I) -> [L::I; 2] {
    [
        l.add_16(a[0], l.share_16(l.sub_16(b[0], a[0]), share)),
        l.add_16(a[1], l.share_16(l.sub_16(b[1], a[1]), share)),
    ]
}

/// A share of 0 to 1 in parts of 32767, in both halves of a word.
#[inline(always)]
fn share<L: Lanes>(l: L, share: L::F) -> L::I {
    let share = l.cut(l.mul(share, l.f(32767.0)));
    l.or(share, l.shift_up::<16>(share))
}

/// Where a coordinate is between 0 and 1 of the texture.
#[inline(always)]
fn period<L: Lanes>(l: L, value: L::F, wrap: Wrap) -> L::F {
    // Absurd coordinates have no fraction left; NaN is the second, a limit.
    let value = l.max(l.min(value, l.f(1e6)), l.f(-1e6));
    match wrap {
        Wrap::Repeat => l.sub(value, l.floor(value)),
        Wrap::Clamp => l.max(l.min(value, l.f(1.0)), l.f(0.0)),
        Wrap::Mirror => {
            let phase = l.sub(value, l.mul(l.f(2.0), l.floor(l.mul(value, l.f(0.5)))));
            l.min(phase, l.sub(l.f(2.0), phase))
        }
    }
}

/// The texel right of a place, its number 0 to `size`, and how far the place is from the one before.
#[inline(always)]
fn cell<L: Lanes>(l: L, period: L::F, size: L::F) -> (L::I, L::F) {
    let position = l.add(l.mul(period, size), l.f(0.5));
    let cell = l.cut(position);
    (cell, l.sub(position, l.to_f(cell)))
}

/// Logarithm to base 2 of a normal positive number, to 2e-5.
#[inline(always)]
fn log2<L: Lanes>(l: L, value: L::F) -> L::F {
    let bits = l.bits(value);
    let exponent = l.to_f(l.sub_i(l.and(l.shift::<23>(bits), l.i(255)), l.i(127)));
    let mantissa = l.float(l.or(l.and(bits, l.i(0x007F_FFFF)), l.bits(l.f(1.0))));
    // log2(1 + t) − t is 0 at both ends: t · (1 − t) times a cubic that keeps the error even.
    let t = l.sub(mantissa, l.f(1.0));
    let (tt, bow) = (l.mul(t, t), l.mul(t, l.sub(l.f(1.0), t)));
    let low = l.add(l.f(0.441_917), l.mul(t, l.f(-0.267_178_6)));
    let high = l.add(l.f(0.148_424_9), l.mul(t, l.f(-0.045_147_9)));
    let series = l.mul(bow, l.add(low, l.mul(tt, high)));
    l.add(exponent, l.add(t, series))
}
