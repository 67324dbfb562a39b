//! From what each pixel sees to images: eight pixels at a time.

use super::Source;
use super::bake::CLUSTER;
use super::canvas::Canvas;
use super::cluster::NOWHERE;
use super::simd::{LANES, Lanes, inlined};
use super::texel;
use crate::Frame;
use ambler_scene::Wrap;
use glam::{DVec3, DVec4};

/// Four numbers as functions of the place in the image: at a reference place, and what they grow by a
/// pixel to the right and down.
#[derive(Clone, Copy, Default)]
pub(crate) struct Quad {
    pub(crate) x: [f32; 4],
    pub(crate) y: [f32; 4],
    pub(crate) at: [f32; 4],
}

/// What a visible triangle looks like.
#[derive(Clone, Copy, Default)]
struct Record {
    /// Red, green, blue (0 to 255) times nearness; of an orthographic camera as they are.
    color: Quad,
    /// The reference place, pixels right and down from the middle of the image.
    place: [f32; 2],
    instance: u32,
    category: u32,
    /// Index of its [`Look`]; 0 for none.
    look: u32,
}

/// Where a visible triangle is in its texture: u and v times the fourth number, which is nearness, or
/// 1 for an orthographic camera.
#[derive(Clone, Copy, Default)]
pub(crate) struct Look {
    pub(crate) uv: Quad,
    pub(crate) texture: u32,
}

/// The visible triangles of a view.
#[derive(Default)]
pub(crate) struct Records {
    records: Vec<Record>,
    looks: Vec<Look>,
    /// For each slot the index of its record, or 0.
    of_slot: Vec<u32>,
    /// The last instance and its category.
    last: (u32, u32),
}

impl Records {
    pub(crate) fn clear(&mut self) {
        self.records.clear();
        self.looks.clear();
        self.of_slot.clear();
        // The first stand for nothing.
        self.records.push(Record::default());
        let uv = Quad { at: [0.0, 0.0, 0.0, 1.0], ..Quad::default() };
        self.looks.push(Look { uv, texture: 0 });
        self.last = (0, 0);
    }
}

/// Fills every pixel of the images that the frame has.
#[inline(always)]
pub(crate) fn frame<L: Lanes>(l: L, source: &Source<'_>, canvas: &mut Canvas, frame: &mut Frame) {
    let mut records = std::mem::take(&mut canvas.records);
    let wants_colors = !frame.rgb.is_empty();
    let wants_ids = !frame.instance.is_empty() || !frame.category.is_empty();
    if wants_colors || wants_ids {
        records.of_slot.resize(canvas.drawn.len() * CLUSTER, 0);
    }
    let lens = source.lens;
    let (width, far) = (canvas.width, l.f(lens.far as f32));
    let [half_width, half_height] = lens.center.map(|half| half as f32);
    for row in 0..canvas.height {
        let y = row as f32 + 0.5 - half_height;
        let mut last = (u32::MAX, 0);
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
                let valid = l.i_to(seen).map(|mask| (mask & 1) as u8);
                put(&mut frame.valid, pixel, count, &valid);
            }
            if !(wants_colors || wants_ids) {
                continue;
            }
            let seen = l.signs(seen);
            let mut found = [0_u32; LANES];
            let mut looks = 0;
            for lane in 0..LANES {
                if seen >> lane & 1 == 0 {
                    continue;
                }
                let slot = slots[lane];
                if slot != last.0 {
                    let mut index = records.of_slot[slot as usize];
                    if index == 0 {
                        let x = (column + lane) as f32 + 0.5 - half_width;
                        index = record(source, canvas, &mut records, slot, x, y);
                    }
                    last = (slot, index);
                }
                found[lane] = last.1;
                looks |= records.records[last.1 as usize].look;
            }
            if wants_ids {
                let list = &records.records;
                if !frame.instance.is_empty() {
                    put(&mut frame.instance, pixel, count, &found.map(|i| list[i as usize].instance));
                }
                if !frame.category.is_empty() {
                    put(&mut frame.category, pixel, count, &found.map(|i| list[i as usize].category));
                }
            }
            if wants_colors {
                let x = column as f32 + 0.5 - half_width;
                let scale = if lens.orthographic { [1.0; LANES] } else { l.f_to(depth) };
                let colors = colors(l, &records, &found, x, y, &scale);
                let words = if looks == 0 {
                    l.words(colors.map(
                        #[inline(always)]
                        |color| l.cut(l.add(color, l.f(0.5))),
                    ))
                } else {
                    let looks = found.map(|i| records.records[i as usize].look);
                    let texels = textured(l, source, &records, &found, &looks, x, y, row);
                    let channels = l.transpose(colors);
                    let byte = inlined(
                        #[inline(always)]
                        |c: usize| {
                            let value = l.mul(channels[c], texels[c]);
                            l.min_i(l.max_i(l.cut(l.add(value, l.f(0.5))), l.i(0)), l.i(255))
                        },
                    );
                    let [red, green, blue] = [byte(0), byte(1), byte(2)];
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

/// Red, green, blue of eight pixels, two a vector.
#[inline(always)]
fn colors<L: Lanes>(
    l: L,
    records: &Records,
    found: &[u32; LANES],
    x: f32,
    y: f32,
    scale: &[f32; LANES],
) -> [L::F; 4] {
    std::array::from_fn(
        #[inline(always)]
        |k| {
            let (i, j) = (k * 2, k * 2 + 1);
            let (a, b) = (&records.records[found[i] as usize], &records.records[found[j] as usize]);
            let dx = l.two(x + i as f32 - a.place[0], x + j as f32 - b.place[0]);
            let dy = l.two(y - a.place[1], y - b.place[1]);
            let value = quad(l, &a.color, &b.color, dx, dy);
            l.mul(value, l.two(scale[i], scale[j]))
        },
    )
}

/// Four numbers each of two pixels.
#[inline(always)]
fn quad<L: Lanes>(l: L, a: &Quad, b: &Quad, dx: L::F, dy: L::F) -> L::F {
    let (across, down, at) = (l.pair(&a.x, &b.x), l.pair(&a.y, &b.y), l.pair(&a.at, &b.at));
    l.add(at, l.add(l.mul(across, dx), l.mul(down, dy)))
}

/// Texture colours (0 to 1) of eight pixels; 1 where there is no texture.
#[inline(always)]
fn textured<L: Lanes>(
    l: L,
    source: &Source<'_>,
    records: &Records,
    found: &[u32; LANES],
    looks: &[u32; LANES],
    x: f32,
    y: f32,
    row: usize,
) -> [L::F; 3] {
    let list = &records.looks;
    let each = inlined(
        #[inline(always)]
        |of: fn(&Quad) -> &[f32; 4]| -> [L::F; 4] {
            if looks.iter().all(|&look| look == looks[0]) {
                return of(&list[looks[0] as usize].uv).map(|value| l.f(value));
            }
            let pick = |i: usize| of(&list[looks[i] as usize].uv);
            l.transpose([
                l.pair(pick(0), pick(1)),
                l.pair(pick(2), pick(3)),
                l.pair(pick(4), pick(5)),
                l.pair(pick(6), pick(7)),
            ])
        },
    );
    let (across, down, at) = (each(|quad| &quad.x), each(|quad| &quad.y), each(|quad| &quad.at));
    let places = found.map(|i| records.records[i as usize].place);
    let dx = std::array::from_fn(|i| x + i as f32 - places[i][0]);
    let (dx, dy) = (l.f_from(&dx), l.f_from(&places.map(|place| y - place[1])));
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
    let textures = looks.map(|look| if look == 0 { u32::MAX } else { list[look as usize].texture });
    texel::sample(l, source, &textures, [l.mul(u, scale), l.mul(v, scale)], steps)
}

/// Makes the record of a slot that a pixel at `x`, `y` sees.
#[inline(always)]
fn record(
    source: &Source<'_>,
    canvas: &Canvas,
    records: &mut Records,
    slot: u32,
    x: f32,
    y: f32,
) -> u32 {
    let drawn = canvas.drawn[slot as usize / CLUSTER];
    let placed = &source.scenery.placed[drawn.placed as usize];
    let mesh = source.mesh(drawn.placed as usize);
    let cluster = &mesh.clusters[drawn.cluster as usize];
    let triangle = cluster.first_triangle + slot as usize % CLUSTER;
    let corners = mesh.corners.each_ref().map(|list| usize::from(list[triangle]));
    let number = mesh.sources[triangle];
    let instance = source.scenery.instance_of(placed, number);
    if instance != records.last.0 {
        records.last = (instance, source.scenery.category_of(instance));
    }

    let material = source.scenery.material(placed);
    let base = material.map_or([1.0; 4], |material| material.base_color).map(|value| value * 255.0);
    let vertices = corners.map(|corner| cluster.first_vertex + corner);
    let colors = if mesh.colors.is_empty() {
        [base; 3]
    } else {
        vertices.map(|vertex| {
            let color = mesh.colors[vertex];
            std::array::from_fn(|c| base[c] * (f32::from(color[c]) / 255.0))
        })
    };
    let texture = material
        .and_then(|material| material.texture)
        .filter(|&texture| (texture as usize) < source.scenery.textures.len() && !mesh.uvs.is_empty());
    let uvs = texture.map(|texture| {
        let wrap = source.scenery.scene.textures[texture as usize].wrap;
        let uvs = vertices.map(|vertex| mesh.uvs[vertex]);
        // Whole periods less: what is left has more digits for its fraction.
        let less = |value: f32, wrap: Wrap| match wrap {
            Wrap::Clamp => 0.0,
            Wrap::Repeat | Wrap::Mirror => (value * 0.5) as i32 as f32 * 2.0,
        };
        let (u, v) = (less(uvs[0].x, wrap[0]), less(uvs[0].y, wrap[1]));
        uvs.map(|uv| [uv.x - u, uv.y - v, 0.0, 1.0])
    });

    let first = drawn.first_vertex as usize;
    let places = corners.map(|corner| {
        let at = first + corner;
        [canvas.vertices[0][at], canvas.vertices[1][at], canvas.vertices[2][at]]
    });
    // Large triangles and those with a corner that has no place take the long way.
    let size = |axis: usize| {
        let [a, b, c] = places.map(|place| place[axis]);
        a.max(b).max(c) - a.min(b).min(c)
    };
    let nowhere = places.iter().any(|place| place[0] > NOWHERE * 0.5);
    let (color, uv, place);
    if nowhere || size(0) > 16.0 || size(1) > 16.0 {
        let exact = Exact::new(source, drawn.placed, vertices, mesh, x, y);
        color = exact.quad(&colors);
        uv = uvs.map(|uvs| exact.quad(&uvs));
        place = [x, y];
    } else {
        let [a, b, c] = &places;
        let (dx1, dy1, dx2, dy2) = (b[0] - a[0], b[1] - a[1], c[0] - a[0], c[1] - a[1]);
        let area = dx2 * dy1 - dx1 * dy2;
        let scale = 1.0 / area;
        let scale = if scale.is_finite() { scale } else { 0.0 };
        let weights = if source.lens.orthographic { [1.0; 3] } else { places.map(|place| place[2]) };
        let slope = |values: &[[f32; 4]; 3]| {
            let [p, q, r]: [[f32; 4]; 3] =
                std::array::from_fn(|i| std::array::from_fn(|c| values[i][c] * weights[i]));
            Quad {
                x: std::array::from_fn(|c| ((r[c] - p[c]) * dy1 - (q[c] - p[c]) * dy2) * scale),
                y: std::array::from_fn(|c| ((q[c] - p[c]) * dx2 - (r[c] - p[c]) * dx1) * scale),
                at: p,
            }
        };
        color = slope(&colors);
        uv = uvs.map(|uvs| slope(&uvs));
        place = [a[0], a[1]];
    }
    let look = uv.zip(texture).map_or(0, |(uv, texture)| {
        records.looks.push(Look { uv, texture });
        records.looks.len() as u32 - 1
    });
    let index = records.records.len() as u32;
    records.records.push(Record { color, place, instance, category: records.last.1, look });
    records.of_slot[slot as usize] = index;
    index
}

/// Shares of a triangle's corners in double precision, for triangles of any size.
struct Exact {
    /// For each corner: its share times nearness, as what it grows to the right, down, and its value
    /// at the reference place.
    shares: [DVec3; 3],
}

impl Exact {
    fn new(
        source: &Source<'_>,
        placed: u32,
        vertices: [usize; 3],
        mesh: &super::Baked,
        x: f32,
        y: f32,
    ) -> Self {
        let lens = source.lens;
        let Some(pose) = &source.poses[placed as usize] else {
            return Self { shares: [DVec3::ZERO; 3] };
        };
        let [a, b, c] = vertices.map(|vertex| {
            let [px, py, pz] = mesh.positions.each_ref().map(|list| f64::from(list[vertex]));
            let p = pose.camera_from_mesh.point(DVec3::new(px, py, pz));
            let depth = if lens.orthographic { 1.0 } else { -p.z };
            DVec3::new(p.x * lens.scale, -p.y * lens.scale, depth)
        });
        let sides = [b.cross(c), c.cross(a), a.cross(b)];
        let whole = sides[0].dot(a);
        let scale = if whole == 0.0 { 0.0 } else { 1.0 / whole };
        let shares = sides.map(|side| {
            let at = side.x * f64::from(x) + side.y * f64::from(y) + side.z;
            DVec3::new(side.x, side.y, at) * scale
        });
        Self { shares }
    }

    fn quad(&self, values: &[[f32; 4]; 3]) -> Quad {
        let sum = |part: fn(&DVec3) -> f64| {
            let mut sum = DVec4::ZERO;
            for (share, value) in self.shares.iter().zip(values) {
                sum += DVec4::from_array(value.map(f64::from)) * part(share);
            }
            sum.as_vec4().to_array()
        };
        Quad { x: sum(|share| share.x), y: sum(|share| share.y), at: sum(|share| share.z) }
    }
}
