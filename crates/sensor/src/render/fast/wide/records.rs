//! The triangles that pixels see: what their colours and texture coordinates are along a ray.
//!
//! A number that is linear on a triangle is `base + distance · (gradient · ray)` where a ray meets it. Of a
//! [`Record`] the last part holds the bases, and the first three the gradients, a part a coordinate:
//! red, green, blue (0 to 255), or u, v and, without a base, 1/distance. Since what is near the base is
//! small, single precision is enough for small triangles.

use crate::render::fast::Source;
use crate::render::fast::canvas::VERTICES;
use crate::render::fast::records::{Common, Kind, Listed, Record, Records};
use crate::render::fast::simd::{LANES, Lanes, inlined, map2, map3, map4};
use glam::DVec3;

impl Records {
    /// Makes the records of eight listed triangles, those from `eight` on; the first listed one's are at
    /// `start`. Returns those, a bit each, that are too large or too steep for single precision.
    #[inline(always)]
    pub(in crate::render::fast) fn eight_wide<L: Lanes, const EACH: usize>(
        &mut self,
        l: L,
        common: &Common<'_>,
        vertices: &[[f32; 4]; VERTICES],
        eight: usize,
        start: usize,
    ) -> u32 {
        let Listed { corners, names } = &*self.seen_ones;
        let (Some(p), Some(q), Some(r), Some(instance), Some(category)) = (
            corners[0][eight..].first_chunk(),
            corners[1][eight..].first_chunk(),
            corners[2][eight..].first_chunk(),
            names[0][eight..].first_chunk(),
            names[1][eight..].first_chunk(),
        ) else {
            return 0;
        };
        let corners: [&[i32; LANES]; 3] = [p, q, r];
        let [instance, category] = map2(
            [instance, category],
            #[inline(always)]
            |names| l.float(l.i_from(names)),
        );
        let [p, q, r] = map3(
            corners,
            #[inline(always)]
            |corners| {
                l.columns(map4(
                    [0, 1, 2, 3],
                    #[inline(always)]
                    |k: usize| {
                        let at = |k: usize| &vertices[usize::from(corners[k] as u8)];
                        l.pair(at(k), at(k + 4))
                    },
                ))
            },
        );
        let minus = inlined(
            #[inline(always)]
            |a: &[L::F; 4], b: &[L::F; 4]| [l.sub(a[0], b[0]), l.sub(a[1], b[1]), l.sub(a[2], b[2])],
        );
        let cross = inlined(
            #[inline(always)]
            |a: [L::F; 3], b: [L::F; 3]| {
                [
                    l.sub(l.mul(a[1], b[2]), l.mul(a[2], b[1])),
                    l.sub(l.mul(a[2], b[0]), l.mul(a[0], b[2])),
                    l.sub(l.mul(a[0], b[1]), l.mul(a[1], b[0])),
                ]
            },
        );
        let dot = inlined(
            #[inline(always)]
            |a: [L::F; 3], b: [L::F; 3]| {
                l.add(l.add(l.mul(a[0], b[0]), l.mul(a[1], b[1])), l.mul(a[2], b[2]))
            },
        );
        let eye = [p[0], p[1], p[2]];
        let (u, v) = (minus(&q, &p), minus(&r, &p));
        let normal = cross(u, v);
        let offset = dot(normal, eye);
        let away = dot(eye, eye);
        let longest = l.max(dot(u, u), dot(v, v));
        let fine = l.and(
            l.less(longest, l.mul(away, l.f(0.1))),
            l.less(l.mul(l.mul(dot(normal, normal), away), l.f(1e-5)), l.mul(offset, offset)),
        );
        // Lanes that are not are made again.
        let scale = l.pick(fine, l.f(0.0), l.div(l.f(1.0), offset));
        let scaled = inlined(
            #[inline(always)]
            |a: [L::F; 3]| [l.mul(a[0], scale), l.mul(a[1], scale), l.mul(a[2], scale)],
        );
        // Products with a ray, times distance, are the shares of the second and third corner.
        let (second, third) = (scaled(cross(v, eye)), scaled(cross(eye, u)));
        let gradient = inlined(
            #[inline(always)]
            |by_second: L::F, by_third: L::F| {
                map3(
                    [0, 1, 2],
                    #[inline(always)]
                    |axis: usize| l.add(l.mul(second[axis], by_second), l.mul(third[axis], by_third)),
                )
            },
        );
        let zero = l.f(0.0);
        let mut at = start + eight * EACH;
        if let Some(texture) = common.texture {
            let mut uvs = [[[0.0; LANES]; 2]; 3];
            let first = common.mesh.clusters[common.drawn.cluster as usize].first_vertex;
            let list = common.mesh.uvs.get(first..).unwrap_or_default();
            for (uvs, corners) in uvs.iter_mut().zip(corners) {
                for (lane, &corner) in corners.iter().enumerate() {
                    let Some(uv) = list.get(corner as usize) else { continue };
                    uvs[0][lane] = uv.x - common.periods[0];
                    uvs[1][lane] = uv.y - common.periods[1];
                }
            }
            let value = inlined(
                #[inline(always)]
                |axis: usize| {
                    let [a, b, c] = map3(
                        [0, 1, 2],
                        #[inline(always)]
                        |k: usize| l.f_from(&uvs[k][axis]),
                    );
                    (a, gradient(l.sub(b, a), l.sub(c, a)))
                },
            );
            let [(base_u, u), (base_v, v)] = [value(0), value(1)];
            let kind = Kind::TEXTURE | if EACH == 2 { Kind::COLORED } else { 0 } | texture as i32;
            let names = [instance, category, l.float(l.i(kind))];
            let bases = [base_u, base_v, zero];
            write::<L, EACH>(l, &mut self.list, at, [u, v, scaled(normal)], bases, names);
            at += 1;
            if EACH == 1 {
                return l.signs(fine) ^ 255;
            }
        }
        let channel = inlined(
            #[inline(always)]
            |color: L::F, c: usize| {
                let color = l.bits(color);
                let byte = match c {
                    0 => color,
                    1 => l.shift::<8>(color),
                    _ => l.shift::<16>(color),
                };
                l.mul(l.to_f(l.and(byte, l.i(255))), l.f(common.base[c] * (1.0 / 255.0)))
            },
        );
        let value = inlined(
            #[inline(always)]
            |c: usize| {
                let [a, b, d] = [channel(p[3], c), channel(q[3], c), channel(r[3], c)];
                (a, gradient(l.sub(b, a), l.sub(d, a)))
            },
        );
        let [(base_r, r), (base_g, g), (base_b, b)] = [value(0), value(1), value(2)];
        let names = [instance, category, l.float(l.i(0))];
        write::<L, EACH>(l, &mut self.list, at, [r, g, b], [base_r, base_g, base_b], names);
        l.signs(fine) ^ 255
    }
}

/// Writes eight records, `EACH` apart.
#[inline(always)]
fn write<L: Lanes, const EACH: usize>(
    l: L,
    list: &mut [Record],
    from: usize,
    gradients: [[L::F; 3]; 3],
    bases: [L::F; 3],
    names: [L::F; 3],
) {
    // Two a lane are enough for `EACH` of 1 and 2.
    let Some(out) = list.get_mut(from..).and_then(|list| list.first_chunk_mut::<{ LANES * 2 - 1 }>())
    else {
        return;
    };
    for part in 0..4 {
        let points = match part {
            3 => l.points([bases[0], bases[1], bases[2], l.f(0.0)]),
            _ => l.points([gradients[0][part], gradients[1][part], gradients[2][part], names[part]]),
        };
        for (k, two) in points.into_iter().enumerate() {
            let [a, b, c, d, e, f, g, h] = l.f_to(two);
            out[k * 2 * EACH].0[part] = [a, b, c, d];
            out[(k * 2 + 1) * EACH].0[part] = [e, f, g, h];
        }
    }
}

/// The numbers of a triangle of any size, in double precision. The names are there already.
#[cold]
#[inline(never)]
pub(in crate::render::fast) fn slowly(
    source: &Source<'_>,
    common: &Common<'_>,
    corners: [u8; 3],
    records: &mut [Record],
) {
    let mesh = common.mesh;
    let Some(pose) = &source.poses[common.drawn.placed as usize] else { return };
    let first = mesh.clusters[common.drawn.cluster as usize].first_vertex;
    let [a, b, c] =
        corners.map(|corner| pose.camera_from_mesh.point(mesh.position(first + usize::from(corner))));
    let (u, v) = (b - a, c - a);
    let normal = u.cross(v);
    let offset = normal.dot(a);
    let scale = if offset == 0.0 { 0.0 } else { 1.0 / offset };
    let (second, third) = (v.cross(a) * scale, a.cross(u) * scale);
    let fill = |record: &mut Record, values: [[f64; 3]; 3]| {
        let gradients: [DVec3; 3] = [0, 1, 2]
            .map(|n| second * (values[1][n] - values[0][n]) + third * (values[2][n] - values[0][n]));
        for n in 0..3 {
            for axis in 0..3 {
                record.0[axis][n] = gradients[n][axis] as f32;
            }
            record.0[3][n] = values[0][n] as f32;
        }
    };
    let colors = || {
        corners.map(|corner| {
            let color = mesh.color(first + usize::from(corner));
            [0, 1, 2].map(|c| f64::from(color[c]) * f64::from(common.base[c] * (1.0 / 255.0)))
        })
    };
    match records {
        [record] if common.texture.is_none() => fill(record, colors()),
        [record, rest @ ..] => {
            let uvs = corners.map(|corner| {
                let uv = mesh.uvs.get(first + usize::from(corner)).copied().unwrap_or_default();
                let [u, v] = [uv.x - common.periods[0], uv.y - common.periods[1]].map(f64::from);
                [u, v, 0.0]
            });
            fill(record, uvs);
            for axis in 0..3 {
                record.0[axis][2] = (normal[axis] * scale) as f32;
            }
            if let [record] = rest {
                fill(record, colors());
            }
        }
        [] => {}
    }
}
