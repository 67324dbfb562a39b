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

/// Where eight pixels lie in one texture.
#[derive(Clone, Copy)]
pub(crate) struct Spot<L: Lanes> {
    /// Index of the texture; `u32::MAX` for none.
    texture: u32,
    fine: Place<L>,
    coarse: Option<Place<L>>,
    /// Those that take their finer level from the texture itself, if any do.
    own: Option<Own<L>>,
    /// Share of the coarser level.
    deep: L::I,
}

/// Eight places in one level.
#[derive(Clone, Copy)]
struct Place<L: Lanes> {
    /// Of the upper left of the four texels around it, among the smaller copies.
    index: L::I,
    /// Shares of the right and of the lower ones.
    across: L::I,
    down: L::I,
}

/// The four texels around eight places in the texture itself.
#[derive(Clone, Copy)]
struct Own<L: Lanes> {
    mask: L::I,
    /// Upper left, upper right, lower left, lower right.
    index: [L::I; 4],
}

impl<L: Lanes> Spot<L> {
    pub(crate) fn nowhere(l: L) -> Self {
        let zero = l.i(0);
        let fine = Place { index: zero, across: zero, down: zero };
        Self { texture: u32::MAX, fine, coarse: None, own: None, deep: zero }
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
        let index = texture as usize;
        let (image, pyramid) =
            (&*source.scenery.scene.textures[index], &*source.scenery.textures[index]);
        let (width, height) = (l.f(image.width as f32), l.f(image.height as f32));
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
        let last = pyramid.last_level() as i32;
        let level = l.max(l.min(level, l.f(last as f32)), l.f(0.0));
        let whole = l.cut(level);
        let deep = l.sub(level, l.to_f(whole));
        let own = l.equal_i(whole, l.i(0));
        let tables = pyramid.tables();
        let one = l.i_to(whole)[0] & 15;
        let same = l.signs(l.equal_i(whole, l.i(one))) == 255;
        // Width, height, entries a row and first pixel. Mostly all have the same level.
        let lists = [&tables.wide, &tables.high, &tables.row, &tables.first];
        let look = inlined(
            #[inline(always)]
            |up: i32, level: L::I| match same {
                true => {
                    let level = ((one + up).min(last) & 15) as usize;
                    map4(
                        lists,
                        #[inline(always)]
                        |list| l.i(list[level]),
                    )
                }
                false => map4(
                    lists,
                    #[inline(always)]
                    |list| l.look_up_16(list, level),
                ),
            },
        );
        let periods = [period(l, at[0], image.wrap[0]), period(l, at[1], image.wrap[1])];
        let place = inlined(
            #[inline(always)]
            |[wide, high, row, first]: [L::I; 4]| {
                let (x, across) = cell(l, periods[0], l.float(wide));
                let (y, down) = cell(l, periods[1], l.float(high));
                let block = inlined(
                    #[inline(always)]
                    |cell: L::I| {
                        let middle = l.add(l.to_f(cell), l.f(0.5));
                        l.cut(l.mul(middle, l.f(1.0 / PITCH as f32)))
                    },
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
        let owns = (l.signs(own) != 0).then(
            #[inline(always)]
            || {
                let (wide, high) = (image.width as i32, image.height as i32);
                let (x0, x1) = neighbours(l, periods[0], wide, image.wrap[0]);
                let (y0, y1) = neighbours(l, periods[1], high, image.wrap[1]);
                let (y0, y1) = (l.mul_i(y0, l.i(wide)), l.mul_i(y1, l.i(wide)));
                let index = [l.add_i(x0, y0), l.add_i(x1, y0), l.add_i(x0, y1), l.add_i(x1, y1)];
                Own { mask: own, index }
            },
        );
        let coarse = (l.signs(l.less(l.f(0.0), deep)) != 0).then(
            #[inline(always)]
            || {
                let next = l.min_i(l.add_i(whole, l.i(1)), l.i(last));
                place(look(1, next))
            },
        );
        Self { texture, fine, coarse, own: owns, deep: share(l, deep) }
    }

    /// Asks for the memory of the texels.
    #[inline(always)]
    pub(crate) fn prefetch(&self, l: L, source: &Source<'_>) {
        let index = self.texture as usize;
        let Some(pyramid) = source.scenery.textures.get(index) else { return };
        // What lies between two lanes mostly lies in the same blocks.
        if let Some(own) = &self.own {
            let pixels = &source.scenery.scene.textures[index].pixels;
            l.prefetch::<1>(pixels, own.index[0]);
            l.prefetch::<1>(pixels, own.index[2]);
        } else {
            let below = l.add_i(self.fine.index, l.i(BLOCK as i32));
            l.prefetch::<2>(pyramid.smaller(), self.fine.index);
            l.prefetch::<4>(pyramid.smaller(), below);
        }
        if let Some(coarse) = &self.coarse {
            l.prefetch::<4>(pyramid.smaller(), coarse.index);
        }
    }

    /// Colours (0 to 1; red, green, blue); 1 without a texture.
    #[inline(always)]
    pub(crate) fn color(&self, l: L, source: &Source<'_>) -> [L::F; 3] {
        let index = self.texture as usize;
        let textures = (source.scenery.scene.textures.get(index), source.scenery.textures.get(index));
        let (Some(texture), Some(pyramid)) = textures else { return [l.f(1.0); 3] };
        let look_up = inlined(
            #[inline(always)]
            |place: &Place<L>| {
                let top = l.look_up_pairs(pyramid.smaller(), place.index);
                let below = l.add_i(place.index, l.i(BLOCK as i32));
                let bottom = l.look_up_pairs(pyramid.smaller(), below);
                [top[0], top[1], bottom[0], bottom[1]]
            },
        );
        let all_own = self.own.is_some_and(|own| l.signs(own.mask) == 255);
        let mut words = if all_own { [l.i(0); 4] } else { look_up(&self.fine) };
        if let Some(own) = &self.own {
            for (word, index) in words.iter_mut().zip(own.index) {
                *word = l.pick_i(own.mask, *word, l.look_up_words(&texture.pixels, index));
            }
        }
        let fine = mixed(l, words, &self.fine);
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

/// The two texels on both sides of a place.
#[inline(always)]
fn neighbours<L: Lanes>(l: L, period: L::F, size: i32, wrap: Wrap) -> (L::I, L::I) {
    let (second, _) = cell(l, period, l.f(size as f32));
    let (zero, last) = (l.i(0), l.i(size - 1));
    let first = l.sub_i(second, l.i(1));
    match wrap {
        Wrap::Repeat => (
            l.pick_i(l.greater_i(zero, first), first, last),
            l.pick_i(l.greater_i(second, last), second, zero),
        ),
        Wrap::Clamp | Wrap::Mirror => (l.max_i(first, zero), l.min_i(second, last)),
    }
}

/// Logarithm to base 2 of a normal positive number, to 2e-5.
#[inline(always)]
fn log2<L: Lanes>(l: L, value: L::F) -> L::F {
    let bits = l.bits(value);
    let exponent = l.to_f(l.sub_i(l.and(l.shift::<23>(bits), l.i(255)), l.i(127)));
    let mantissa = l.float(l.or(l.and(bits, l.i(0x007F_FFFF)), l.bits(l.f(1.0))));
    // log2(m) = 2/ln 2 · (t + t³/3 + t⁵/5 + t⁷/7 + …), t = (m − 1)/(m + 1).
    let t = l.div(l.sub(mantissa, l.f(1.0)), l.add(mantissa, l.f(1.0)));
    let tt = l.mul(t, t);
    let series = l.add(l.f(1.0 / 5.0), l.mul(tt, l.f(1.0 / 7.0)));
    let series = l.add(l.f(1.0 / 3.0), l.mul(tt, series));
    let series = l.mul(t, l.add(l.f(1.0), l.mul(tt, series)));
    l.add(exponent, l.mul(series, l.f(2.885_39)))
}
