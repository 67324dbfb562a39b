//! Texture colours of eight pixels.
//!
//! Coordinates and levels are floats; texels are mixed in 16 bits, two channels a word, as 64 parts of
//! a colour's step: an error of a few hundredths of a step.

use super::Source;
use super::simd::{LANES, Lanes, inlined, map2, map3, map8};
use crate::render::texture::Pyramid;
use ambler_scene::{Texture, Wrap};

const EACH: [usize; LANES] = [0, 1, 2, 3, 4, 5, 6, 7];
/// Parts of a colour's step.
const PARTS: f32 = 64.0;

/// Colours (0 to 1; red, green, blue) at `at` (u, v); 1 in lanes whose texture is `u32::MAX`.
/// `steps`: what u and v grow by a pixel to the right and down.
#[inline(always)]
pub(crate) fn sample<L: Lanes>(
    l: L,
    source: &Source<'_>,
    textures: &[u32; LANES],
    at: [L::F; 2],
    steps: [[L::F; 2]; 2],
) -> [L::F; 3] {
    let scenery = source.scenery;
    if textures[0] != u32::MAX && *textures == [textures[0]; LANES] {
        let index = textures[0] as usize;
        return of_one(l, &scenery.scene.textures[index], &scenery.textures[index], at, steps);
    }
    let white = l.f(1.0);
    let mut result = [white; 3];
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
        let texture = &scenery.scene.textures[index as usize];
        let color = of_one(l, texture, &scenery.textures[index as usize], at, steps);
        let mask = l.i_from(&map8(EACH, |lane: usize| -((same >> lane & 1) as i32)));
        for c in 0..3 {
            result[c] = l.pick(mask, result[c], color[c]);
        }
    }
    result
}

/// The same of one texture.
#[inline(always)]
fn of_one<L: Lanes>(
    l: L,
    texture: &Texture,
    pyramid: &Pyramid,
    at: [L::F; 2],
    steps: [[L::F; 2]; 2],
) -> [L::F; 3] {
    let (width, height) = (l.f(texture.width as f32), l.f(texture.height as f32));
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
    let fine = l.cut(level);
    let deep = l.sub(level, l.to_f(fine));
    let low = bilinear(l, texture, pyramid, fine, at);
    let [red_blue, green] = if l.signs(l.less(l.f(0.0), deep)) == 0 {
        low
    } else {
        let next = l.min_i(l.add_i(fine, l.i(1)), l.i(last));
        let high = bilinear(l, texture, pyramid, next, at);
        mix(l, low, high, share(l, deep))
    };
    let scale = l.f(1.0 / (255.0 * PARTS));
    map3(
        [l.and(red_blue, l.i(0xFFFF)), l.and(green, l.i(0xFFFF)), l.shift::<16>(red_blue)],
        #[inline(always)]
        |value| l.mul(l.to_f(value), scale),
    )
}

/// Red and blue, and green, of one level.
#[inline(always)]
fn bilinear<L: Lanes>(
    l: L,
    texture: &Texture,
    pyramid: &Pyramid,
    level: L::I,
    at: [L::F; 2],
) -> [L::I; 2] {
    let tables = pyramid.tables();
    let (width, height) = (l.look_up_16(&tables.width, level), l.look_up_16(&tables.height, level));
    let (x0, x1, across) = neighbours(l, at[0], width, texture.wrap[0]);
    let (y0, y1, down) = neighbours(l, at[1], height, texture.wrap[1]);
    // Level 0 is the scene's own, row by row; the others lie in blocks of 4 × 4.
    let own = l.equal_i(level, l.i(0));
    let owns = l.signs(own);
    let mut words = [[l.i(0); 2]; 2];
    if owns != 0 {
        let rows = map2(
            [y0, y1],
            #[inline(always)]
            |y| l.mul_i(y, width),
        );
        for (words, row) in words.iter_mut().zip(rows) {
            for (word, x) in words.iter_mut().zip([x0, x1]) {
                *word = l.look_up_words(&texture.pixels, l.add_i(row, x), own);
            }
        }
    }
    if owns != 255 {
        let other = l.and_not(own, l.i(-1));
        let (first, row) = (l.look_up_16(&tables.first, level), l.look_up_16(&tables.row, level));
        let columns = map2(
            [x0, x1],
            #[inline(always)]
            |x| {
                // 16 (x / 4) + x % 4
                let whole = l.and(x, l.i(!3));
                l.add_i(l.add_i(x, whole), l.add_i(whole, whole))
            },
        );
        let rows = map2(
            [y0, y1],
            #[inline(always)]
            |y| {
                let block = l.mul_i(l.shift::<2>(y), row);
                l.add_i(l.add_i(first, block), l.shift_up::<2>(l.and(y, l.i(3))))
            },
        );
        for (words, row) in words.iter_mut().zip(rows) {
            for (word, column) in words.iter_mut().zip(columns) {
                let found = l.look_up_words(pyramid.smaller(), l.add_i(row, column), other);
                *word = if owns == 0 { found } else { l.or(*word, found) };
            }
        }
    }
    let texel = inlined(
        #[inline(always)]
        |word: L::I| {
            let low = l.i(0x00FF_00FF);
            let (even, odd) = (l.and(word, low), l.and(l.shift::<8>(word), low));
            [l.shift_up::<6>(even), l.shift_up::<6>(odd)]
        },
    );
    let (across, down) = (share(l, across), share(l, down));
    let top = mix(l, texel(words[0][0]), texel(words[0][1]), across);
    let bottom = mix(l, texel(words[1][0]), texel(words[1][1]), across);
    mix(l, top, bottom, down)
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

/// The two texels on both sides of a coordinate and the share of the second.
#[inline(always)]
fn neighbours<L: Lanes>(l: L, value: L::F, size: L::I, wrap: Wrap) -> (L::I, L::I, L::F) {
    // Absurd coordinates have no fraction left; NaN is the second, a limit.
    let value = l.max(l.min(value, l.f(1e6)), l.f(-1e6));
    let period = match wrap {
        Wrap::Repeat => l.sub(value, floor(l, value)),
        Wrap::Clamp => l.max(l.min(value, l.f(1.0)), l.f(0.0)),
        Wrap::Mirror => {
            let phase = l.sub(value, l.mul(l.f(2.0), floor(l, l.mul(value, l.f(0.5)))));
            l.min(phase, l.sub(l.f(2.0), phase))
        }
    };
    let position = l.sub(l.mul(period, l.to_f(size)), l.f(0.5));
    let whole = floor(l, position);
    let (zero, last) = (l.i(0), l.sub_i(size, l.i(1)));
    let first = l.cut(whole);
    let second = l.add_i(first, l.i(1));
    let (first, second) = match wrap {
        Wrap::Repeat => (
            l.pick_i(l.greater_i(zero, first), first, last),
            l.pick_i(l.greater_i(second, last), second, zero),
        ),
        Wrap::Clamp | Wrap::Mirror => (l.max_i(first, zero), l.min_i(second, last)),
    };
    (first, second, l.sub(position, whole))
}

/// The largest whole number that is not larger; for values that fit 31 bits.
#[inline(always)]
fn floor<L: Lanes>(l: L, value: L::F) -> L::F {
    let whole = l.to_f(l.cut(value));
    l.sub(whole, l.float(l.and(l.less(value, whole), l.bits(l.f(1.0)))))
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
    l.add(exponent, l.mul(series, l.f(2.885_390_1)))
}
