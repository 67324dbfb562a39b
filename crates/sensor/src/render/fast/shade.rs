//! From what each pixel sees to images: eight pixels at a time.

use super::Source;
use super::canvas::Canvas;
use super::records::{Look, Quad, Record};
use super::simd::{LANES, Lanes, inlined, map3, map4, map8};
use super::small::STEPS;
use super::texel;
use crate::Frame;

/// Fills every pixel of the images that the frame has.
#[inline(always)]
pub(crate) fn frame<L: Lanes>(l: L, source: &Source<'_>, canvas: &mut Canvas, frame: &mut Frame) {
    let mut records = std::mem::take(&mut canvas.records);
    let wants_colors = !frame.rgb.is_empty();
    let wants_ids = !frame.instance.is_empty() || !frame.category.is_empty();
    if wants_colors || wants_ids {
        records.build(l, source, canvas, wants_colors);
    }
    let lens = source.lens;
    let (width, far) = (canvas.width, l.f(lens.far as f32));
    let [half_width, half_height] = lens.center.map(|half| half as f32);
    let list = &records.records[..];
    for row in 0..canvas.height {
        let y = row as f32 + 0.5 - half_height;
        for column in (0..width).step_by(LANES) {
            let at = row * canvas.stride + column;
            let (Some(near), Some(slots)) =
                (canvas.near[at..].first_chunk::<LANES>(), canvas.slots[at..].first_chunk::<LANES>())
            else {
                continue;
            };
            let count = (width - column).min(LANES);
            let pixel = row * width + column;
            let value = l.f_from(near);
            let depth = if lens.orthographic { l.sub(l.f(0.0), value) } else { l.div(l.f(1.0), value) };
            let mut seen = l.and(l.less(l.f(canvas.empty), value), l.at_most(depth, far));
            // Beyond the image it is infinite.
            seen = l.and(seen, l.less(value, l.f(f32::INFINITY)));
            let depth = l.pick(seen, l.f(0.0), depth);
            if !frame.depth.is_empty() {
                put(&mut frame.depth, pixel, count, &l.f_to(depth));
                let valid = match l.signs(seen) {
                    255 => [1; LANES],
                    _ => map8(l.i_to(seen), |mask| (mask & 1) as u8),
                };
                put(&mut frame.valid, pixel, count, &valid);
            }
            if !(wants_colors || wants_ids) {
                continue;
            }
            let seen = l.signs(seen);
            let slot = |lane: usize| {
                // What sees nothing is record 0.
                let index = records.of_slot.get(slots[lane] as usize).copied().unwrap_or(0);
                &list[(index & (seen >> lane & 1).wrapping_neg()) as usize]
            };
            let found = map8([0, 1, 2, 3, 4, 5, 6, 7], slot);
            if wants_ids {
                if !frame.instance.is_empty() {
                    put(&mut frame.instance, pixel, count, &map8(found, |record| record.instance));
                }
                if !frame.category.is_empty() {
                    put(&mut frame.category, pixel, count, &map8(found, |record| record.category));
                }
            }
            if wants_colors {
                let looks = map8(found, |record| record.look);
                let scale = if lens.orthographic { [1.0; LANES] } else { l.f_to(depth) };
                let x = column as f32 + 0.5 - half_width;
                let colors = colors(l, &found, x, y, &scale);
                let words = if looks == [0; LANES] {
                    l.words(map4(
                        colors,
                        #[inline(always)]
                        |color| l.cut(l.add(color, l.f(0.5))),
                    ))
                } else {
                    let texels = textured(l, source, &records.looks, &looks, x, y, row);
                    let channels = l.transpose(colors);
                    let [red, green, blue] = map3(
                        [0, 1, 2],
                        #[inline(always)]
                        |c: usize| {
                            let value = l.cut(l.add(l.mul(channels[c], texels[c]), l.f(0.5)));
                            l.min_i(l.max_i(value, l.i(0)), l.i(255))
                        },
                    );
                    l.or(l.or(red, l.shift_up::<8>(green)), l.shift_up::<16>(blue))
                };
                put(&mut frame.rgb, pixel * 3, count * 3, &l.three_bytes(words));
            }
        }
    }
    canvas.records = records;
}

#[inline(always)]
fn put<T: Copy, const N: usize>(image: &mut [T], at: usize, count: usize, values: &[T; N]) {
    if count == N {
        if let Some(out) = image[at..].first_chunk_mut() {
            *out = *values;
        }
    } else {
        image[at..at + count].copy_from_slice(&values[..count]);
    }
}

/// Red, green, blue of eight pixels, two a vector; the first is at `x`, `y` from the middle.
#[inline(always)]
fn colors<L: Lanes>(l: L, found: &[&Record; LANES], x: f32, y: f32, scale: &[f32; LANES]) -> [L::F; 4] {
    let (xs, y) = (l.add(l.f(x), l.two(0.0, 1.0)), l.f(y));
    map4(
        [0, 1, 2, 3],
        #[inline(always)]
        |k: usize| {
            let (i, j) = (k * 2, k * 2 + 1);
            let x = l.add(xs, l.f(i as f32));
            let value = quad(l, &found[i].color, &found[j].color, x, y);
            l.mul(value, l.two(scale[i], scale[j]))
        },
    )
}

/// Four numbers each of two pixels.
#[inline(always)]
fn quad<L: Lanes>(l: L, a: &Quad, b: &Quad, x: L::F, y: L::F) -> L::F {
    let (across, down, at) = (l.pair(a.x(), b.x()), l.pair(a.y(), b.y()), l.pair(a.at(), b.at()));
    l.add(at, l.add(l.mul(across, x), l.mul(down, y)))
}

/// Texture colours (0 to 1) of eight pixels; 1 where there is no texture.
#[inline(always)]
fn textured<L: Lanes>(
    l: L,
    source: &Source<'_>,
    list: &[Look],
    looks: &[u32; LANES],
    x: f32,
    y: f32,
    row: usize,
) -> [L::F; 3] {
    let looks = map8(*looks, |look| &list[look as usize]);
    let same = looks.iter().all(|look| std::ptr::eq(*look, looks[0]));
    let each = inlined(
        #[inline(always)]
        |of: fn(&Quad) -> &[f32; 4]| -> [L::F; 4] {
            if same {
                return map4(
                    *of(&looks[0].uv),
                    #[inline(always)]
                    |value| l.f(value),
                );
            }
            let pair = inlined(
                #[inline(always)]
                |i: usize| l.pair(of(&looks[i].uv), of(&looks[i + 1].uv)),
            );
            l.transpose([pair(0), pair(2), pair(4), pair(6)])
        },
    );
    let (across, down, at) = (each(Quad::x), each(Quad::y), each(Quad::at));
    let (dx, dy) = (l.add(l.f(x), l.f_from(&STEPS)), l.f(y));
    let here = inlined(
        #[inline(always)]
        |c: usize| l.add(at[c], l.add(l.mul(across[c], dx), l.mul(down[c], dy))),
    );
    let (u, v, w) = (here(0), here(1), here(3));
    // The first pixel of the block of 2 × 2: where differences are taken.
    let odd = l.f_from(&[0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
    let below = (row & 1) as f32;
    let back = inlined(
        #[inline(always)]
        |c: usize, value: L::F| l.sub(l.sub(value, l.mul(across[c], odd)), l.mul(down[c], l.f(below))),
    );
    let (u0, v0, w0) = (back(0, u), back(1, v), back(3, w));
    let one = l.f(1.0);
    let scale = l.div(one, w);
    let scale0 = l.div(one, w0);
    let (u0, v0) = (l.mul(u0, scale0), l.mul(v0, scale0));
    let step = inlined(
        #[inline(always)]
        |slope: &[L::F; 4]| {
            let scale = l.div(one, l.add(w0, slope[3]));
            [
                l.mul(l.sub(slope[0], l.mul(u0, slope[3])), scale),
                l.mul(l.sub(slope[1], l.mul(v0, slope[3])), scale),
            ]
        },
    );
    let steps = [step(&across), step(&down)];
    let textures = map8(looks, |look| look.texture);
    texel::sample(l, source, &textures, [l.mul(u, scale), l.mul(v, scale)], steps)
}
