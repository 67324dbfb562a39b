//! From what each pixel sees to images: eight pixels at a time.

use super::Source;
use super::canvas::Canvas;
use super::records::{Kind, Record, Records};
use super::simd::{LANES, Lanes, inlined, map3, map4, map8};
use super::small::STEPS;
use super::texel::{self, Spot};
use crate::Frame;

/// Groups of eight textured pixels that wait for their texels' memory.
pub(super) const WAITING: usize = 8;

/// Eight textured pixels.
#[derive(Clone, Copy)]
pub(super) struct Waiting<L: Lanes> {
    pub(super) spot: Spot<L>,
    /// What the texture's colour is multiplied with, 0 to 255.
    pub(super) color: [L::F; 3],
    /// The first pixel, and how many there are.
    pub(super) pixel: usize,
    pub(super) count: usize,
}

/// Fills every pixel of the images that the frame has.
#[inline(always)]
pub(crate) fn frame<L: Lanes>(l: L, source: &Source<'_>, canvas: &mut Canvas, frame: &mut Frame) {
    let mut records = std::mem::take(&mut canvas.records);
    let wants_colors = !frame.rgb.is_empty();
    let wants_ids = !frame.instance.is_empty() || !frame.category.is_empty();
    if wants_colors || wants_ids {
        frame.triangles = Some(records.build::<L, false>(l, source, canvas, wants_colors));
    }
    let lens = source.lens;
    let (width, far) = (canvas.width, l.f(lens.far as f32));
    let [half_width, half_height] = lens.center.map(|half| half as f32);
    let (one, zero) = (l.f(1.0), l.f(0.0));
    let list = &records.list[..];
    let nothing = Waiting { spot: Spot::nowhere(l), color: [zero; 3], pixel: 0, count: 0 };
    let mut waiting = [nothing; WAITING];
    let mut waits = 0;
    let [mut indices, mut next] = std::mem::take(&mut records.rows);
    look_ahead(l, canvas, &records, 0, &mut next);
    for row in 0..canvas.height {
        std::mem::swap(&mut indices, &mut next);
        if wants_colors || wants_ids {
            look_ahead(l, canvas, &records, row + 1, &mut next);
        }
        let y = row as f32 + 0.5 - half_height;
        for column in (0..width).step_by(LANES) {
            let at = row * canvas.stride + column;
            let Some(near) = canvas.near[at..].first_chunk::<LANES>() else { continue };
            let count = (width - column).min(LANES);
            let pixel = row * width + column;
            let value = l.f_from(near);
            let depth = if lens.orthographic { l.sub(zero, value) } else { l.div(one, value) };
            let mut seen = l.and(l.less(l.f(canvas.empty), value), l.at_most(depth, far));
            // Beyond the image it is infinite.
            seen = l.and(seen, l.less(value, l.f(f32::INFINITY)));
            let depth = l.pick(seen, zero, depth);
            let bits = l.signs(seen);
            if !frame.depth.is_empty() {
                put(&mut frame.depth, pixel, count, &l.f_to(depth));
                let valid = match bits {
                    255 => [1; LANES],
                    _ => map8(l.i_to(seen), |mask| (mask & 1) as u8),
                };
                put(&mut frame.valid, pixel, count, &valid);
            }
            if !(wants_colors || wants_ids) {
                continue;
            }
            let Some(&(mut index)) = indices[column..].first_chunk::<LANES>() else { continue };
            if bits != 255 {
                // What sees nothing is record 0.
                for (lane, index) in index.iter_mut().enumerate() {
                    *index &= (bits >> lane & 1).wrapping_neg();
                }
            }
            let record = |index: u32| list.get(index as usize).unwrap_or(&EMPTY);
            let found = map8(index, record);
            if !wants_colors {
                if !frame.instance.is_empty() {
                    let names = map8(found, |record| record.0[0][3].to_bits());
                    put(&mut frame.instance, pixel, count, &names);
                }
                if !frame.category.is_empty() {
                    let names = map8(found, |record| record.0[1][3].to_bits());
                    put(&mut frame.category, pixel, count, &names);
                }
                continue;
            }
            let parts = columns(l, &found);
            if !frame.instance.is_empty() {
                put_words(l, &mut frame.instance, pixel, count, l.bits(parts[0][3]));
            }
            if !frame.category.is_empty() {
                put_words(l, &mut frame.category, pixel, count, l.bits(parts[1][3]));
            }
            let scale = if lens.orthographic { one } else { depth };
            let (x, y) = (l.add(l.f(column as f32 + 0.5 - half_width), l.f_from(&STEPS)), l.f(y));
            let values = planes(l, &parts, x, y);
            let kind = l.bits(parts[2][3]);
            let textured = l.greater_i(kind, l.i(0));
            let mut color = map3(
                values,
                #[inline(always)]
                |value| l.mul(value, scale),
            );
            if l.signs(textured) == 0 {
                let words = packed(l, color);
                put(&mut frame.rgb, pixel * 3, count * 3, &l.three_bytes(words));
                continue;
            }
            color = map3(
                color,
                #[inline(always)]
                |value| l.pick(textured, value, l.f(255.0)),
            );
            let colored = l.equal_i(l.and(kind, l.i(Kind::COLORED)), l.i(Kind::COLORED));
            let more = l.signs(colored);
            if more != 0 {
                // Their colours are in the record that follows.
                for (lane, index) in index.iter_mut().enumerate() {
                    *index += more >> lane & 1;
                }
                let next = map8(index, record);
                let values = planes(l, &columns(l, &next), x, y);
                for c in 0..3 {
                    color[c] = l.pick(colored, color[c], l.mul(values[c], scale));
                }
            }
            let (at, steps) = places(l, &parts, values, row);
            let mut texture = l.pick_i(textured, l.i(-1), l.and(kind, l.i(Kind::INDEX)));
            if bits != 255 {
                // What sees nothing is black, whatever it is multiplied with.
                let any = l.i_to(texture).into_iter().max().unwrap_or(-1);
                texture = l.pick_i(seen, l.i(any), texture);
            }
            let Some(texture) = l.common(texture) else {
                let textures = l.i_to(texture).map(|texture| texture as u32);
                let texels = texel::of_several(l, source, &textures, at, steps);
                let words = tinted(l, color, texels);
                put(&mut frame.rgb, pixel * 3, count * 3, &l.three_bytes(words));
                continue;
            };
            let spot = Spot::new(l, source, texture as u32, at, steps);
            spot.prefetch(l, source);
            waiting[waits] = Waiting { spot, color, pixel, count };
            waits += 1;
            if waits == WAITING {
                draw_waiting(l, source, &waiting, frame);
                waits = 0;
            }
        }
    }
    draw_waiting(l, source, &waiting[..waits], frame);
    records.rows = [indices, next];
    canvas.records = records;
}

/// Looks up the records of the pixels of a row, and asks for their memory.
#[inline(always)]
pub(super) fn look_ahead<L: Lanes>(
    l: L,
    canvas: &Canvas,
    records: &Records,
    row: usize,
    indices: &mut Vec<u32>,
) {
    indices.resize(canvas.stride, 0);
    if row >= canvas.height {
        return;
    }
    let slots = &canvas.slots[row * canvas.stride..][..canvas.width];
    for (index, &slot) in indices.iter_mut().zip(slots) {
        *index = records.of_slot.get(slot as usize).copied().unwrap_or(0);
        l.prefetch_one(&records.list, *index as usize);
    }
}

pub(super) static EMPTY: Record = Record([[0.0; 4]; 4]);

/// A function of its own, so that the loop over pixels stays short.
#[inline(never)]
pub(super) fn draw_waiting<L: Lanes>(
    l: L,
    source: &Source<'_>,
    waiting: &[Waiting<L>],
    frame: &mut Frame,
) {
    l.run(
        #[inline(always)]
        || {
            for group in waiting {
                group.draw(l, source, frame);
            }
        },
    );
}

impl<L: Lanes> Waiting<L> {
    #[inline(always)]
    fn draw(&self, l: L, source: &Source<'_>, frame: &mut Frame) {
        let words = tinted(l, self.color, self.spot.color(l, source));
        put(&mut frame.rgb, self.pixel * 3, self.count * 3, &l.three_bytes(words));
    }
}

#[inline(always)]
pub(super) fn put<T: Copy, const N: usize>(image: &mut [T], at: usize, count: usize, values: &[T; N]) {
    if count == N {
        if let Some(out) = image[at..].first_chunk_mut() {
            *out = *values;
        }
    } else {
        image[at..at + count].copy_from_slice(&values[..count]);
    }
}

/// Without a copy in between, which would be written in halves and read whole.
#[inline(always)]
fn put_words<L: Lanes>(l: L, image: &mut [u32], at: usize, count: usize, values: L::I) {
    match image[at..].first_chunk_mut() {
        Some(out) if count == LANES => l.words_to(values, out),
        _ => put(image, at, count, &l.i_to(values).map(|value| value as u32)),
    }
}

/// The parts of eight records, a vector a number.
#[inline(always)]
fn columns<L: Lanes>(l: L, records: &[&Record; LANES]) -> [[L::F; 4]; 3] {
    map3(
        [0, 1, 2],
        #[inline(always)]
        |part: usize| part_of(l, records, part),
    )
}

/// One part of eight records.
#[inline(always)]
pub(super) fn part_of<L: Lanes>(l: L, records: &[&Record; LANES], part: usize) -> [L::F; 4] {
    l.columns(map4(
        [0, 1, 2, 3],
        #[inline(always)]
        |k: usize| l.pair(&records[k].0[part], &records[k + 4].0[part]),
    ))
}

/// The three numbers of eight records at places of the image.
#[inline(always)]
fn planes<L: Lanes>(l: L, parts: &[[L::F; 4]; 3], x: L::F, y: L::F) -> [L::F; 3] {
    map3(
        [0, 1, 2],
        #[inline(always)]
        |n: usize| l.add(parts[0][n], l.add(l.mul(parts[1][n], x), l.mul(parts[2][n], y))),
    )
}

/// Colours (0 to 255) as bytes of words.
#[inline(always)]
pub(super) fn packed<L: Lanes>(l: L, color: [L::F; 3]) -> L::I {
    let [red, green, blue] = map3(
        color,
        #[inline(always)]
        |value| l.min_i(l.max_i(l.cut(l.add(value, l.f(0.5))), l.i(0)), l.i(255)),
    );
    l.or(l.or(red, l.shift_up::<8>(green)), l.shift_up::<16>(blue))
}

#[inline(always)]
pub(super) fn tinted<L: Lanes>(l: L, color: [L::F; 3], texels: [L::F; 3]) -> L::I {
    packed(l, [l.mul(color[0], texels[0]), l.mul(color[1], texels[1]), l.mul(color[2], texels[2])])
}

/// Texture coordinates of eight pixels, and what they grow by a pixel to the right and down, between
/// the pixels of the block of 2 × 2 that each is in.
#[inline(always)]
fn places<L: Lanes>(
    l: L,
    parts: &[[L::F; 4]; 3],
    here: [L::F; 3],
    row: usize,
) -> ([L::F; 2], [[L::F; 2]; 2]) {
    let [_, across, down] = parts;
    // The first pixel of the block.
    let odd = l.f_from(&[0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
    let below = l.f((row & 1) as f32);
    let [u0, v0, w0] = map3(
        [0, 1, 2],
        #[inline(always)]
        |n: usize| l.sub(l.sub(here[n], l.mul(across[n], odd)), l.mul(down[n], below)),
    );
    let one = l.f(1.0);
    let scale = l.div(one, here[2]);
    let scale0 = l.div(one, w0);
    let (u0, v0) = (l.mul(u0, scale0), l.mul(v0, scale0));
    let step = inlined(
        #[inline(always)]
        |slope: &[L::F; 4]| {
            let scale = l.div(one, l.add(w0, slope[2]));
            [
                l.mul(l.sub(slope[0], l.mul(u0, slope[2])), scale),
                l.mul(l.sub(slope[1], l.mul(v0, slope[2])), scale),
            ]
        },
    );
    ([l.mul(here[0], scale), l.mul(here[1], scale)], [step(across), step(down)])
}
