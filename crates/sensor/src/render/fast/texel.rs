//! Texture colours of eight pixels.

use super::Source;
use super::simd::{LANES, Lanes, inlined, map2, map3, map8};
use crate::render::texture::Pixels;
use ambler_scene::Wrap;

/// Colours (0 to 1) at `at` (u, v); 1 in lanes whose texture is `u32::MAX`. `steps`: what u and v grow
/// by a pixel to the right and down.
#[inline(always)]
pub(crate) fn sample<L: Lanes>(
    l: L,
    source: &Source<'_>,
    textures: &[u32; LANES],
    at: [L::F; 2],
    steps: [[L::F; 2]; 2],
) -> [L::F; 3] {
    let scenery = source.scenery;
    let size = map8(*textures, |index| {
        let texture = scenery.scene.textures.get(index as usize);
        texture.map_or([1.0; 3], |texture| {
            let last = scenery.textures[index as usize].last_level();
            [texture.width as f32, texture.height as f32, last as f32]
        })
    });
    let [width, height, last] = map3(
        [0, 1, 2],
        #[inline(always)]
        |i: usize| l.f_from(&map8(size, |size| size[i])),
    );
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
    let level = l.max(l.min(level, last), l.f(0.0));
    let fine = l.cut(level);
    let share = l.sub(level, l.to_f(fine));
    let fine = l.i_to(fine);

    let zero = l.f(0.0);
    let mut result = [l.f(255.0); 3];
    let mut left = 0_u32;
    for lane in 0..LANES {
        left |= u32::from(textures[lane] != u32::MAX) << lane;
    }
    while left != 0 {
        // All lanes with the same texture and level at once.
        let first = left.trailing_zeros() as usize;
        let mut same = 0_u32;
        for lane in 0..LANES {
            same |= u32::from(textures[lane] == textures[first] && fine[lane] == fine[first]) << lane;
        }
        left &= !same;
        let index = textures[first] as usize;
        let (texture, pyramid) = (&scenery.scene.textures[index], &scenery.textures[index]);
        let level = fine[first] as usize;
        let low = bilinear(l, pyramid.level(texture, level), texture.wrap, at);
        let mask = l.i_from(&map8([0, 1, 2, 3, 4, 5, 6, 7], |lane: u32| -((same >> lane & 1) as i32)));
        let color = if l.signs(l.and(mask, l.less(zero, share))) == 0 {
            low
        } else {
            let high = bilinear(l, pyramid.level(texture, level + 1), texture.wrap, at);
            mix(l, low, high, share)
        };
        for c in 0..3 {
            result[c] = l.pick(mask, result[c], color[c]);
        }
    }
    map3(
        result,
        #[inline(always)]
        |value| l.mul(value, l.f(1.0 / 255.0)),
    )
}

#[inline(always)]
fn mix<L: Lanes>(l: L, a: [L::F; 3], b: [L::F; 3], share: L::F) -> [L::F; 3] {
    map3(
        [0, 1, 2],
        #[inline(always)]
        |c: usize| l.add(a[c], l.mul(l.sub(b[c], a[c]), share)),
    )
}

#[inline(always)]
fn bilinear<L: Lanes>(l: L, image: Pixels<'_>, wrap: [Wrap; 2], at: [L::F; 2]) -> [L::F; 3] {
    let (x0, x1, sx) = neighbours(l, at[0], image.width, wrap[0]);
    let (y0, y1, sy) = neighbours(l, at[1], image.height, wrap[1]);
    let width = l.i(image.width as i32);
    let (row0, row1) = (l.mul_i(y0, width), l.mul_i(y1, width));
    let texel = inlined(
        #[inline(always)]
        |row: L::I, x: L::I| {
            let word = l.look_up_words(image.pixels, l.add_i(row, x));
            let low = l.i(255);
            [
                l.to_f(l.and(word, low)),
                l.to_f(l.and(l.shift::<8>(word), low)),
                l.to_f(l.and(l.shift::<16>(word), low)),
            ]
        },
    );
    let top = mix(l, texel(row0, x0), texel(row0, x1), sx);
    let bottom = mix(l, texel(row1, x0), texel(row1, x1), sx);
    mix(l, top, bottom, sy)
}

/// The two pixels on both sides of a coordinate and the share of the second.
#[inline(always)]
fn neighbours<L: Lanes>(l: L, value: L::F, size: usize, wrap: Wrap) -> (L::I, L::I, L::F) {
    // Absurd coordinates have no fraction left; NaN is 0.
    let limit = l.f(1e6);
    let value = l.pick(l.at_most(value, value), l.f(0.0), value);
    let value = l.max(l.min(value, limit), l.f(-1e6));
    let period = match wrap {
        Wrap::Repeat => l.sub(value, floor(l, value)),
        Wrap::Clamp => l.max(l.min(value, l.f(1.0)), l.f(0.0)),
        Wrap::Mirror => {
            let phase = l.sub(value, l.mul(l.f(2.0), floor(l, l.mul(value, l.f(0.5)))));
            l.min(phase, l.sub(l.f(2.0), phase))
        }
    };
    let position = l.sub(l.mul(period, l.f(size as f32)), l.f(0.5));
    let whole = floor(l, position);
    let share = l.sub(position, whole);
    let last = l.i(size as i32 - 1);
    let zero = l.i(0);
    let first = l.cut(whole);
    let second = l.add_i(first, l.i(1));
    let (first, second) = match wrap {
        Wrap::Repeat => (
            l.pick_i(l.greater_i(zero, first), first, last),
            l.pick_i(l.greater_i(second, last), second, zero),
        ),
        Wrap::Clamp | Wrap::Mirror => (first, second),
    };
    let clamp = inlined(
        #[inline(always)]
        |index: L::I| l.min_i(l.max_i(index, zero), last),
    );
    (clamp(first), clamp(second), share)
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
