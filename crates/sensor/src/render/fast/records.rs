//! The triangles that pixels see: what their colours, texture coordinates and names are.

use super::Source;
use super::bake::{Baked, CLUSTER};
use super::canvas::{Canvas, Drawn, VERTICES};
use super::cluster::NOWHERE;
use super::simd::{LANES, Lanes, inlined, map2, map3, map4, map8};
use ambler_scene::Wrap;
use glam::DVec3;

/// What a visible triangle looks like: three numbers as functions of the place in the image, in its
/// middle and what they grow by a pixel to the right and down. The fourth of each are bits: the
/// instance, its category, and a [`Kind`].
///
/// The numbers are red, green, blue (0 to 255) times nearness, or texture coordinates times nearness
/// and nearness; of an orthographic camera the same without nearness, and 1. The last four are of wide
/// images alone, of which [`super::wide`] says what all are.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
pub(crate) struct Record(pub(crate) [[f32; 4]; 4]);

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
    /// The triangles of a cluster that are seen.
    pub(super) seen_ones: Box<Listed>,
}

/// How many clusters ahead memory is asked for.
const AHEAD: usize = 3;

/// Room for a cluster's triangles and for eight written past the end.
const LISTED: usize = CLUSTER + LANES;

/// Triangles of a cluster.
pub(super) struct Listed {
    /// Their corners, as numbers of the cluster's vertices.
    pub(super) corners: [[i32; LISTED]; 3],
    /// Their instances and these ones' categories.
    pub(super) names: [[i32; LISTED]; 2],
}

impl Default for Listed {
    fn default() -> Self {
        Self { corners: [[0; LISTED]; 3], names: [[0; LISTED]; 2] }
    }
}

/// For each of 256 masks of eight lanes how many lanes before each are set.
static RANK: [[u8; LANES]; 256] = {
    let mut table = [[0; LANES]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut rank) = (0, 0);
        while lane < LANES {
            table[mask][lane] = rank;
            rank += (mask >> lane & 1) as u8;
            lane += 1;
        }
        mask += 1;
    }
    table
};

/// What the triangles of a drawn cluster have in common.
pub(super) struct Common<'a> {
    pub(super) drawn: &'a Drawn,
    pub(super) mesh: &'a Baked,
    /// Base colour, 0 to 255.
    pub(super) base: [f32; 3],
    pub(super) texture: Option<u32>,
    colored: bool,
    /// Whole periods that are taken off texture coordinates: what is left has more digits for its
    /// fraction.
    pub(super) periods: [f32; 2],
}

impl Records {
    /// Makes a record for every slot that a pixel sees, cluster by cluster. Returns how many.
    #[inline(always)]
    pub(crate) fn build<L: Lanes, const WIDE: bool>(
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
            if let Some(next) = canvas.drawn.get(index + AHEAD) {
                ask_for(l, source, canvas, next, wants_colors);
            }
            let first = index * CLUSTER;
            let mut seen = 0_u64;
            for (eight, marks) in self.seen[first..first + CLUSTER].as_chunks().0.iter().enumerate() {
                // Gathers the lowest bits of eight bytes in one.
                let bits = u64::from_le_bytes(*marks).wrapping_mul(0x0102_0408_1020_4080) >> 56;
                seen |= bits << (eight * 8);
            }
            if seen != 0 {
                triangles += seen.count_ones();
                self.cluster::<L, WIDE>(l, source, canvas, drawn, first, seen, wants_colors);
            }
        }
        triangles
    }

    /// Makes the records of a drawn cluster, whose first slot is `first`: of the triangles whose bit
    /// is set in `seen`.
    #[inline(always)]
    fn cluster<L: Lanes, const WIDE: bool>(
        &mut self,
        l: L,
        source: &Source<'_>,
        canvas: &Canvas,
        drawn: &Drawn,
        first: usize,
        seen: u64,
        wants_colors: bool,
    ) {
        let mesh = source.mesh_of(drawn);
        let cluster = &mesh.clusters[drawn.cluster as usize];
        let common = common(source, drawn, mesh);
        let each = if wants_colors && common.texture.is_some() && common.colored { 2 } else { 1 };
        let count = seen.count_ones() as usize;
        let start = self.used;
        self.used += count * each;
        // As many more as may be written past the end.
        if self.list.len() < self.used + LANES * 2 {
            self.list.resize((self.used + LANES * 2) * 2, Record::default());
        }
        self.gather(l, source, &common, cluster.first_triangle, first, seen, start, each);
        if !wants_colors {
            let names = self.seen_ones.names[0].iter().zip(&self.seen_ones.names[1]);
            for (record, (instance, category)) in self.list[start..self.used].iter_mut().zip(names) {
                (record.0[0][3], record.0[1][3]) =
                    (f32::from_bits(*instance as u32), f32::from_bits(*category as u32));
            }
            return;
        }
        let Some(vertices) = canvas.corners(drawn.first_vertex as usize) else { return };
        for eight in (0..count).step_by(LANES) {
            let exact = match each {
                1 if WIDE => self.eight_wide::<L, 1>(l, &common, vertices, eight & 63, start),
                _ if WIDE => self.eight_wide::<L, 2>(l, &common, vertices, eight & 63, start),
                1 => self.eight::<L, 1>(l, source, &common, vertices, eight & 63, start),
                _ => self.eight::<L, 2>(l, source, &common, vertices, eight & 63, start),
            };
            let mut exact = exact & ((1 << (count - eight).min(LANES)) - 1);
            while exact != 0 {
                let lane = (exact.trailing_zeros() & 7) as usize;
                exact &= exact - 1;
                let corners = map3([0, 1, 2], |k: usize| self.seen_ones.corners[k][eight + lane] as u8);
                let from = start + (eight + lane) * each;
                let records = &mut self.list[from..from + each];
                if WIDE {
                    super::wide::slowly(source, &common, corners, records);
                } else {
                    slowly(source, &common, corners, records);
                }
            }
        }
    }

    /// Lists corners and names of a cluster's triangles whose bit is set in `seen`, and gives their slots
    /// records from `start` on, `each` of them a triangle.
    #[inline(always)]
    fn gather<L: Lanes>(
        &mut self,
        l: L,
        source: &Source<'_>,
        common: &Common<'_>,
        first_triangle: usize,
        first_slot: usize,
        seen: u64,
        start: usize,
        each: usize,
    ) {
        let (mesh, scenery) = (common.mesh, source.scenery);
        let whole = scenery.placement(&scenery.placed[common.drawn.placed as usize]).instance;
        let slots = self.of_slot[first_slot..first_slot + CLUSTER].as_chunks_mut::<LANES>().0;
        let groups = mesh.corners.get(first_triangle / LANES..).unwrap_or_default();
        let ids = mesh.instances.get(first_triangle..).unwrap_or_default().as_chunks::<LANES>().0;
        let found = &mut *self.seen_ones;
        let mut at = 0;
        for (group, (slots, corners)) in slots.iter_mut().zip(groups).enumerate() {
            let bits = (seen >> (group * LANES)) as u32 & 255;
            if bits == 0 {
                continue;
            }
            let order = l.front(bits);
            let moved = inlined(
                #[inline(always)]
                |values: L::I| l.i_to(l.bits(l.reorder(l.float(values), order))),
            );
            // What is written to slots that are not seen is not read.
            let rank = l.widen(&RANK[bits as usize]);
            let index = l.add_i(l.i((start + at * each) as i32), l.mul_i(rank, l.i(each as i32)));
            *slots = map8(
                l.i_to(index),
                #[inline(always)]
                |index| index as u32,
            );
            for (list, corners) in found.corners.iter_mut().zip(corners) {
                if let Some(out) = list[at & 63..].first_chunk_mut() {
                    *out = moved(l.widen(corners));
                }
            }
            if let (Some(ids), Some(out)) = (ids.get(group), found.names[0][at & 63..].first_chunk_mut())
            {
                *out = moved(l.i_from(&map8(
                    *ids,
                    #[inline(always)]
                    |id| id as i32,
                )));
            }
            at += bits.count_ones() as usize;
        }
        let [names, categories] = &mut found.names;
        if ids.is_empty() {
            names.fill(whole as i32);
        }
        let lists = names.as_chunks::<LANES>().0.iter().zip(categories.as_chunks_mut::<LANES>().0);
        for (names, categories) in lists.take(at.div_ceil(LANES)) {
            let same = l.equal_i(l.i_from(names), l.i(self.last.0 as i32));
            if l.signs(same) == 255 {
                *categories = l.i_to(l.i(self.last.1 as i32));
                continue;
            }
            for (&name, category) in names.iter().zip(categories) {
                if name as u32 != self.last.0 {
                    self.last = (name as u32, scenery.category_of(name as u32));
                }
                *category = self.last.1 as i32;
            }
        }
    }

    /// Makes the records of eight listed triangles, those from `eight` on; the first listed one's are at
    /// `start`. Returns those, a bit each, that are too large for single precision.
    #[inline(always)]
    fn eight<L: Lanes, const EACH: usize>(
        &mut self,
        l: L,
        source: &Source<'_>,
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
        let from = start + eight * EACH;
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
        let mut at = from;
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
                        |k: usize| l.mul(l.f_from(&uvs[k][axis]), weights[k]),
                    );
                    plane(a, b, c)
                },
            );
            let planes = [value(0), value(1), plane(weights[0], weights[1], weights[2])];
            let kind = Kind::TEXTURE | if EACH == 2 { Kind::COLORED } else { 0 } | texture as i32;
            write::<L, EACH>(l, &mut self.list, at, planes, [instance, category, l.float(l.i(kind))]);
            at += 1;
            if EACH == 1 {
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
        write::<L, EACH>(l, &mut self.list, at, planes, [instance, category, l.float(l.i(0))]);
        l.signs(small) ^ 255
    }
}

/// Writes eight records, `EACH` apart.
#[inline(always)]
fn write<L: Lanes, const EACH: usize>(
    l: L,
    list: &mut [Record],
    from: usize,
    planes: [[L::F; 3]; 3],
    names: [L::F; 3],
) {
    // Two a lane are enough for `EACH` of 1 and 2.
    let Some(out) = list.get_mut(from..).and_then(|list| list.first_chunk_mut::<{ LANES * 2 - 1 }>())
    else {
        return;
    };
    for part in 0..3 {
        let points = l.points([planes[0][part], planes[1][part], planes[2][part], names[part]]);
        for (k, two) in points.into_iter().enumerate() {
            let [a, b, c, d, e, f, g, h] = l.f_to(two);
            out[k * 2 * EACH].0[part] = [a, b, c, d];
            out[(k * 2 + 1) * EACH].0[part] = [e, f, g, h];
        }
    }
}

/// Asks for the memory that making a drawn cluster's records will read.
#[inline(always)]
fn ask_for<L: Lanes>(l: L, source: &Source<'_>, canvas: &Canvas, drawn: &Drawn, wants_colors: bool) {
    let mesh = source.mesh_of(drawn);
    let Some(cluster) = mesh.clusters.get(drawn.cluster as usize) else { return };
    let triangles = cluster.first_triangle..cluster.first_triangle + cluster.triangles;
    l.prefetch_all(mesh.instances.get(triangles).unwrap_or_default());
    if wants_colors {
        let first = cluster.first_triangle / LANES;
        let end = first + cluster.triangles.div_ceil(LANES);
        l.prefetch_all(mesh.corners.get(first..end).unwrap_or_default());
        let vertices = |first: usize| first..first + cluster.vertices;
        l.prefetch_all(mesh.uvs.get(vertices(cluster.first_vertex)).unwrap_or_default());
        let first = drawn.first_vertex as usize;
        l.prefetch_all(canvas.vertices.get(vertices(first)).unwrap_or_default());
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
        for (part, out) in record.0.iter_mut().take(3).enumerate() {
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
