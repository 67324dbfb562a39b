//! The triangles that pixels see: what their colours, texture coordinates and names are.

use super::Source;
use super::bake::{Baked, CLUSTER};
use super::canvas::{Canvas, Drawn, VERTICES};
use super::cluster::{NOWHERE, look_up};
use super::simd::{LANES, Lanes, inlined, map2, map3, map8};
use ambler_scene::Wrap;
use glam::DVec3;

/// What a visible triangle looks like: three numbers as functions of the place in the image, in its
/// middle and what they grow by a pixel to the right and down. The fourth of each are bits: the
/// instance, its category, and a [`Kind`].
///
/// The numbers are red, green, blue (0 to 255) times nearness, or texture coordinates times nearness
/// and nearness; of an orthographic camera the same without nearness, and 1.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
pub(crate) struct Record(pub(crate) [[f32; 4]; 3]);

/// What the numbers of a [`Record`] are: 0 for colours, else texture coordinates, and the bits say
/// more.
pub(crate) struct Kind;

impl Kind {
    /// Texture coordinates; the low bits are the texture's index.
    pub(crate) const TEXTURE: i32 = 1 << 30;
    /// The colour that the texture's is multiplied with is in the next record, else it is white.
    pub(crate) const COLORED: i32 = 1 << 29;
    /// The texture's index.
    pub(crate) const INDEX: i32 = Self::COLORED - 1;
}

/// The visible triangles of a view.
#[derive(Default)]
pub(crate) struct Records {
    /// The first stands for nothing.
    pub(crate) list: Vec<Record>,
    /// Records of this view; there may be more of an earlier one.
    used: usize,
    /// For each slot that a pixel sees the index of its record.
    pub(crate) of_slot: Vec<u32>,
    /// For each slot whether a pixel sees it.
    seen: Vec<u8>,
    /// Records of the pixels of a row and the next.
    pub(crate) rows: [Vec<u32>; 2],
    /// The last instance and its category.
    last: (u32, u32),
}

/// What the triangles of a drawn cluster have in common.
struct Common<'a> {
    drawn: &'a Drawn,
    mesh: &'a Baked,
    /// Base colour, 0 to 255.
    base: [f32; 3],
    texture: Option<u32>,
    colored: bool,
    /// Whole periods that are taken off texture coordinates: what is left has more digits for its
    /// fraction.
    periods: [f32; 2],
}

impl Records {
    /// Makes a record for every slot that a pixel sees, cluster by cluster. Returns how many.
    #[inline(always)]
    pub(crate) fn build<L: Lanes>(
        &mut self,
        l: L,
        source: &Source<'_>,
        canvas: &Canvas,
        wants_colors: bool,
    ) -> u32 {
        // Of the others, what is left of the last view is not read.
        self.used = 1;
        self.list.resize(self.list.len().max(1), Record::default());
        self.last = (0, 0);
        let count = canvas.drawn.len() * CLUSTER;
        if self.of_slot.len() < count {
            self.of_slot.resize(count, 0);
        }
        self.seen.clear();
        self.seen.resize(count, 0);
        for row in canvas.slots.chunks(canvas.stride).take(canvas.height) {
            for &slot in &row[..canvas.width] {
                if let Some(seen) = self.seen.get_mut(slot as usize) {
                    *seen = 1;
                }
            }
        }
        let mut triangles = 0;
        // The first stands for nothing.
        for (index, drawn) in canvas.drawn.iter().enumerate().skip(1) {
            let first = index * CLUSTER;
            let mut seen = 0_u64;
            for (eight, marks) in self.seen[first..first + CLUSTER].as_chunks().0.iter().enumerate() {
                // Gathers the lowest bits of eight bytes in one.
                let bits = u64::from_le_bytes(*marks).wrapping_mul(0x0102_0408_1020_4080) >> 56;
                seen |= bits << (eight * 8);
            }
            if seen != 0 {
                triangles += seen.count_ones();
                self.cluster(l, source, canvas, drawn, first, seen, wants_colors);
            }
        }
        triangles
    }

    /// Makes the records of a drawn cluster, whose first slot is `first`: of the triangles whose bit
    /// is set in `seen`.
    #[inline(always)]
    fn cluster<L: Lanes>(
        &mut self,
        l: L,
        source: &Source<'_>,
        canvas: &Canvas,
        drawn: &Drawn,
        first: usize,
        mut seen: u64,
        wants_colors: bool,
    ) {
        let scenery = source.scenery;
        let mesh = source.mesh(drawn.placed as usize);
        let cluster = &mesh.clusters[drawn.cluster as usize];
        let first_triangle = cluster.first_triangle;
        let ids = mesh.instances.get(first_triangle..).unwrap_or_default();
        let whole = scenery.placement(&scenery.placed[drawn.placed as usize]).instance;
        let common = common(source, drawn, mesh);
        let each = if wants_colors && common.texture.is_some() && common.colored { 2 } else { 1 };
        let count = seen.count_ones() as usize;
        let start = self.used;
        self.used += count * each;
        // As many more as may be written past the end.
        if self.list.len() < self.used + LANES * 2 {
            self.list.resize((self.used + LANES * 2) * 2, Record::default());
        }
        let mut triangles = [0_u8; CLUSTER + LANES];
        let mut names = [[0.0_f32; 2]; CLUSTER + LANES];
        let slots = &mut self.of_slot[first..first + CLUSTER];
        let mut index = start;
        for (triangle, names) in triangles.iter_mut().zip(&mut names) {
            if seen == 0 {
                break;
            }
            let at = (seen.trailing_zeros() & 63) as usize;
            seen &= seen - 1;
            slots[at] = index as u32;
            index += each;
            *triangle = at as u8;
            let instance = ids.get(at).copied().unwrap_or(whole);
            if instance != self.last.0 {
                self.last = (instance, scenery.category_of(instance));
            }
            *names = [f32::from_bits(instance), f32::from_bits(self.last.1)];
        }
        if !wants_colors {
            for (record, names) in self.list[start..self.used].iter_mut().zip(&names) {
                (record.0[0][3], record.0[1][3]) = (names[0], names[1]);
            }
            return;
        }
        let Some(vertices) = canvas.corners(drawn.first_vertex as usize) else { return };
        for eight in (0..count).step_by(LANES) {
            let (Some(triangles), Some(names)) =
                (triangles[eight..].first_chunk::<LANES>(), names[eight..].first_chunk::<LANES>())
            else {
                return;
            };
            let mut corners = [[0; LANES]; 3];
            for (lane, &triangle) in triangles.iter().enumerate() {
                let found = mesh.corners(first_triangle + usize::from(triangle));
                (corners[0][lane], corners[1][lane], corners[2][lane]) = (found[0], found[1], found[2]);
            }
            let from = start + eight * each;
            let exact = self.eight(l, source, &common, vertices, corners, names, from, each);
            let mut exact = exact & ((1 << (count - eight).min(LANES)) - 1);
            while exact != 0 {
                let lane = (exact.trailing_zeros() & 7) as usize;
                exact &= exact - 1;
                let corners = corners.map(|list| list[lane]);
                let records = &mut self.list[from + lane * each..from + lane * each + each];
                slowly(source, &common, corners, records);
            }
        }
    }

    /// Makes the records of eight triangles, from `from` on. Returns those, a bit each, that are too
    /// large for single precision.
    #[inline(always)]
    fn eight<L: Lanes>(
        &mut self,
        l: L,
        source: &Source<'_>,
        common: &Common<'_>,
        vertices: &[[f32; 4]; VERTICES],
        corners: [[u8; LANES]; 3],
        names: &[[f32; 2]; LANES],
        from: usize,
        each: usize,
    ) -> u32 {
        let [p, q, r] = map3(
            corners,
            #[inline(always)]
            |corners| look_up(l, vertices, &corners),
        );
        let (dx1, dy1) = (l.sub(q[0], p[0]), l.sub(q[1], p[1]));
        let (dx2, dy2) = (l.sub(r[0], p[0]), l.sub(r[1], p[1]));
        let size = inlined(
            #[inline(always)]
            |value: L::F| l.float(l.and(l.bits(value), l.i(i32::MAX))),
        );
        let (one, infinite) = (l.f(1.0), l.f(f32::INFINITY));
        let scale = l.div(one, l.sub(l.mul(dx2, dy1), l.mul(dx1, dy2)));
        let scale = l.float(l.and(l.bits(scale), l.less(size(scale), infinite)));
        let far = l.max(l.max(size(dx1), size(dx2)), l.max(size(dy1), size(dy2)));
        // Larger ones and those with a corner that has no place take the long way.
        let small = l.and(l.less(far, l.f(16.0)), l.less(p[0], l.f(NOWHERE * 0.5)));
        let (dx1, dy1) = (l.mul(dx1, scale), l.mul(dy1, scale));
        let (dx2, dy2) = (l.mul(dx2, scale), l.mul(dy2, scale));
        // What attributes are multiplied with, so that they are linear in the image.
        let orthographic = source.lens.orthographic;
        let weights = map3(
            [p[2], q[2], r[2]],
            #[inline(always)]
            |near| {
                if orthographic { one } else { l.pick(l.less(size(near), infinite), one, near) }
            },
        );
        // In the middle of the image, and growth to the right and down.
        let plane = inlined(
            #[inline(always)]
            |a: L::F, b: L::F, c: L::F| {
                let (u, v) = (l.sub(b, a), l.sub(c, a));
                let across = l.sub(l.mul(v, dy1), l.mul(u, dy2));
                let down = l.sub(l.mul(u, dx2), l.mul(v, dx1));
                [l.sub(a, l.add(l.mul(across, p[0]), l.mul(down, p[1]))), across, down]
            },
        );
        let [instance, category] = map2(
            [0, 1],
            #[inline(always)]
            |which: usize| l.f_from(&map8(*names, |names| names[which])),
        );
        let mut at = from;
        if let Some(texture) = common.texture {
            let mut uvs = [[[0.0; LANES]; 2]; 3];
            let first = common.mesh.clusters[common.drawn.cluster as usize].first_vertex;
            let list = common.mesh.uvs.get(first..).unwrap_or_default();
            for (uvs, corners) in uvs.iter_mut().zip(&corners) {
                for (lane, &corner) in corners.iter().enumerate() {
                    let Some(uv) = list.get(usize::from(corner)) else { continue };
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
                        |k: usize| l.mul(l.f_from(&uvs[k][axis]), weights[k]),
                    );
                    plane(a, b, c)
                },
            );
            let planes = [value(0), value(1), plane(weights[0], weights[1], weights[2])];
            let kind = Kind::TEXTURE | if each == 2 { Kind::COLORED } else { 0 } | texture as i32;
            self.write(l, at, each, planes, [instance, category, l.float(l.i(kind))]);
            at += 1;
            if each == 1 {
                return l.signs(small) ^ 255;
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
                plane(
                    l.mul(channel(p[3], c), weights[0]),
                    l.mul(channel(q[3], c), weights[1]),
                    l.mul(channel(r[3], c), weights[2]),
                )
            },
        );
        let planes = [value(0), value(1), value(2)];
        self.write(l, at, each, planes, [instance, category, l.float(l.i(0))]);
        l.signs(small) ^ 255
    }

    /// Writes eight records, `each` apart.
    #[inline(always)]
    fn write<L: Lanes>(
        &mut self,
        l: L,
        from: usize,
        each: usize,
        planes: [[L::F; 3]; 3],
        names: [L::F; 3],
    ) {
        let Some(out) = self.list.get_mut(from..from + (LANES - 1) * each + 1) else { return };
        for part in 0..3 {
            let points = l.points([planes[0][part], planes[1][part], planes[2][part], names[part]]);
            for (k, two) in points.into_iter().enumerate() {
                let two = l.f_to(two);
                let (Some(low), Some(high)) = (two.first_chunk(), two.last_chunk()) else { return };
                out[k * 2 * each].0[part] = *low;
                out[(k * 2 + 1) * each].0[part] = *high;
            }
        }
    }
}

/// What a drawn cluster's triangles have in common.
fn common<'a>(source: &Source<'_>, drawn: &'a Drawn, mesh: &'a Baked) -> Common<'a> {
    let scenery = source.scenery;
    let material = scenery.material(&scenery.placed[drawn.placed as usize]);
    let [red, green, blue, _] = material.map_or([1.0; 4], |material| material.base_color);
    let texture = material
        .and_then(|material| material.texture)
        .filter(|&texture| (texture as usize) < scenery.textures.len() && !mesh.uvs.is_empty());
    let mut periods = [0.0; 2];
    if let Some(texture) = texture {
        let wrap = scenery.scene.textures[texture as usize].wrap;
        let first = mesh.clusters[drawn.cluster as usize].first_vertex;
        let less = |value: f32, wrap: Wrap| match wrap {
            Wrap::Clamp => 0.0,
            Wrap::Repeat | Wrap::Mirror => (value * 0.5) as i32 as f32 * 2.0,
        };
        if let Some(uv) = mesh.uvs.get(first) {
            periods = [less(uv.x, wrap[0]), less(uv.y, wrap[1])];
        }
    }
    Common {
        drawn,
        mesh,
        base: [red * 255.0, green * 255.0, blue * 255.0],
        texture,
        colored: mesh.colored || [red, green, blue] != [1.0; 3],
        periods,
    }
}

/// The numbers of a triangle of any size, in double precision.
#[cold]
#[inline(never)]
fn slowly(source: &Source<'_>, common: &Common<'_>, corners: [u8; 3], records: &mut [Record]) {
    let (lens, mesh) = (source.lens, common.mesh);
    let Some(pose) = &source.poses[common.drawn.placed as usize] else { return };
    let first = mesh.clusters[common.drawn.cluster as usize].first_vertex;
    let [a, b, c] = corners.map(|corner| {
        let vertex = first + usize::from(corner);
        let p = pose.camera_from_mesh.point(mesh.position(vertex));
        let depth = if lens.orthographic { 1.0 } else { -p.z };
        DVec3::new(p.x * lens.scale, -p.y * lens.scale, depth)
    });
    // For each corner its share times nearness: in the middle of the image, and what it grows to the
    // right and down.
    let sides = [b.cross(c), c.cross(a), a.cross(b)];
    let whole = sides[0].dot(a);
    let scale = if whole == 0.0 { 0.0 } else { 1.0 / whole };
    let shares = sides.map(|side| [side.z * scale, side.x * scale, side.y * scale]);
    let fill = |record: &mut Record, values: [[f64; 3]; 3]| {
        for (part, out) in record.0.iter_mut().enumerate() {
            for n in 0..3 {
                out[n] = (0..3).map(|k| values[k][n] * shares[k][part]).sum::<f64>() as f32;
            }
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
                [u, v, 1.0]
            });
            fill(record, uvs);
            if let [record] = rest {
                fill(record, colors());
            }
        }
        [] => {}
    }
}
