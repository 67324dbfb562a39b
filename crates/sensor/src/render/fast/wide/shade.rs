//! From what each pixel sees to images: eight pixels at a time.

use crate::Frame;
use crate::render::fast::Source;
use crate::render::fast::canvas::Canvas;
use crate::render::fast::doubles::FOUR;
use crate::render::fast::records::{Kind, Record};
use crate::render::fast::shade::{
    EMPTY, WAITING, Waiting, draw_waiting, look_ahead, packed, part_of, put, tinted,
};
use crate::render::fast::simd::{LANES, Lanes, inlined, map3, map4, map8};
use crate::render::fast::texel::{self, Spot};
use crate::render::rays::{Rays, Several};

/// Fills every pixel of the images that the frame has.
#[inline(always)]
pub(super) fn frame<L: Lanes>(
    l: L,
    source: &Source<'_>,
    rays: &Rays,
    canvas: &mut Canvas,
    frame: &mut Frame,
) {
    let mut records = std::mem::take(&mut canvas.records);
    let wants_colors = !frame.rgb.is_empty();
    let wants_ids = !frame.instance.is_empty() || !frame.category.is_empty();
    if wants_colors || wants_ids {
        frame.triangles = Some(records.build::<L, true>(l, source, canvas, wants_colors));
    }
    let width = canvas.width;
    let zero = l.f(0.0);
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
        for column in (0..width).step_by(LANES) {
            let at = row * canvas.stride + column;
            let Some(near) = canvas.near[at..].first_chunk::<LANES>() else { continue };
            let count = (width - column).min(LANES);
            let pixel = row * width + column;
            let value = l.f_from(near);
            // Beyond the image and the field of view it is infinite.
            let seen = l.and(l.less(l.f(canvas.empty), value), l.less(value, l.f(f32::INFINITY)));
            let distance = l.pick(seen, zero, l.sub(zero, value));
            let bits = l.signs(seen);
            if !frame.depth.is_empty() {
                let mut depth = l.f_to(distance);
                if source.lens.face_depth {
                    along_faces(rays, column, row, &mut depth);
                }
                put(&mut frame.depth, pixel, count, &depth);
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
            if !frame.instance.is_empty() {
                let names = map8(found, |record| record.0[0][3].to_bits());
                put(&mut frame.instance, pixel, count, &names);
            }
            if !frame.category.is_empty() {
                let names = map8(found, |record| record.0[1][3].to_bits());
                put(&mut frame.category, pixel, count, &names);
            }
            if !wants_colors {
                continue;
            }
            let ray = eight_rays(l, rays, column, row, [0, 1, 2, 3, 4, 5, 6, 7]);
            let parts = all_parts(l, &found);
            let values = values(l, &parts, ray, distance);
            let kind = l.bits(parts[2][3]);
            let textured = l.greater_i(kind, l.i(0));
            if l.signs(textured) == 0 {
                let words = packed(l, values);
                put(&mut frame.rgb, pixel * 3, count * 3, &l.three_bytes(words));
                continue;
            }
            let mut color = map3(
                values,
                #[inline(always)]
                |value| l.pick(textured, value, l.f(255.0)),
            );
            let colored = l.equal_i(l.and(kind, l.i(Kind::COLORED)), l.i(Kind::COLORED));
            let bits = l.signs(colored);
            if bits != 0 {
                // Their colours are in the record that follows.
                for (lane, index) in index.iter_mut().enumerate() {
                    *index += bits >> lane & 1;
                }
                let next = map8(index, record);
                let values = self::values(l, &all_parts(l, &next), ray, distance);
                for c in 0..3 {
                    color[c] = l.pick(colored, color[c], values[c]);
                }
            }
            let steps = steps(l, rays, &parts, column, row);
            let place = [values[0], values[1]];
            let textures = map8(l.i_to(kind), |kind| match kind {
                1.. => (kind & Kind::INDEX) as u32,
                _ => u32::MAX,
            });
            if textures != [textures[0]; LANES] {
                let texels = texel::of_several(l, source, &textures, place, steps);
                let words = tinted(l, color, texels);
                put(&mut frame.rgb, pixel * 3, count * 3, &l.three_bytes(words));
                continue;
            }
            let spot = Spot::new(l, source, textures[0], place, steps);
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

/// Distances along rays as depths along the axes of a cube's faces.
#[inline(always)]
fn along_faces(rays: &Rays, column: usize, row: usize, depth: &mut [f32; LANES]) {
    let Some(rays) = rays.several::<LANES>(column, row) else { return };
    for (k, depth) in depth.iter_mut().enumerate() {
        let [x, y, z] = rays.get(k);
        *depth = (f64::from(*depth) * x.abs().max(y.abs()).max(z.abs())) as f32;
    }
}

/// The rays of eight of the pixels of a row from `column` on.
#[inline(always)]
fn eight_rays<L: Lanes>(
    l: L,
    rays: &Rays,
    column: usize,
    row: usize,
    which: [usize; LANES],
) -> [L::F; 3] {
    let zero = l.f(0.0);
    let eight = inlined(
        #[inline(always)]
        |list: &[f64; LANES], scale: f64| {
            let [low, high] = [list.first_chunk::<FOUR>(), list.last_chunk::<FOUR>()];
            let (Some(low), Some(high)) = (low, high) else { return zero };
            let scale = l.d(scale);
            let four = [l.mul_d(l.d_from(low), scale), l.mul_d(l.d_from(high), scale)];
            let list = l.halved(four);
            l.f_from(&map8(
                which,
                #[inline(always)]
                |k: usize| list[k],
            ))
        },
    );
    match rays.several::<LANES>(column, row) {
        Some(Several::Turns { sine, back, level, high }) => {
            [eight(sine, level), l.f(high as f32), eight(back, level)]
        }
        Some(Several::All(x, y, z)) => [eight(x, 1.0), eight(y, 1.0), eight(z, 1.0)],
        None => [zero; 3],
    }
}

#[inline(always)]
fn all_parts<L: Lanes>(l: L, records: &[&Record; LANES]) -> [[L::F; 4]; 4] {
    map4(
        [0, 1, 2, 3],
        #[inline(always)]
        |part: usize| part_of(l, records, part),
    )
}

/// Product of a gradient with rays.
#[inline(always)]
fn along<L: Lanes>(l: L, parts: &[[L::F; 4]; 4], n: usize, [x, y, z]: [L::F; 3]) -> L::F {
    l.add(l.add(l.mul(parts[0][n], x), l.mul(parts[1][n], y)), l.mul(parts[2][n], z))
}

/// The three numbers of eight records where rays meet their triangles.
#[inline(always)]
fn values<L: Lanes>(l: L, parts: &[[L::F; 4]; 4], ray: [L::F; 3], distance: L::F) -> [L::F; 3] {
    map3(
        [0, 1, 2],
        #[inline(always)]
        |n: usize| l.add(parts[3][n], l.mul(along(l, parts, n, ray), distance)),
    )
}

/// What texture coordinates grow by a pixel to the right and down, between the pixels of the block of 2 × 2
/// that each is in.
#[inline(always)]
fn steps<L: Lanes>(
    l: L,
    rays: &Rays,
    parts: &[[L::F; 4]; 4],
    column: usize,
    row: usize,
) -> [[L::F; 2]; 2] {
    let top = row & !1;
    let place = inlined(
        #[inline(always)]
        |row: usize, which: [usize; LANES]| {
            let ray = eight_rays(l, rays, column, row, which);
            // 1/distance there.
            let scale = l.div(l.f(1.0), along(l, parts, 2, ray));
            let value = inlined(
                #[inline(always)]
                |n: usize| {
                    let value = l.mul(along(l, parts, n, ray), scale);
                    // Where nothing is seen coordinates are 0.
                    let known = l.less(l.abs(scale), l.f(f32::INFINITY));
                    l.pick(known, l.sub(l.f(0.0), parts[3][n]), value)
                },
            );
            [value(0), value(1)]
        },
    );
    let even = [0, 0, 2, 2, 4, 4, 6, 6];
    let here = place(top, even);
    let [right, below] = [place(top, [1, 1, 3, 3, 5, 5, 7, 7]), place(top + 1, even)];
    [
        [l.sub(right[0], here[0]), l.sub(right[1], here[1])],
        [l.sub(below[0], here[0]), l.sub(below[1], here[1])],
    ]
}
