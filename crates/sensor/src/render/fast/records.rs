//! The triangles that pixels see: what their colours, texture coordinates and names are.

use super::Source;
use super::bake::{Baked, CLUSTER};
use super::canvas::{Canvas, Drawn};
use super::cluster::NOWHERE;
use super::simd::Lanes;
use ambler_scene::Wrap;
use glam::{DVec3, DVec4};

/// Four numbers as functions of the place in the image: in its middle, and what they grow by a pixel
/// to the right and down.
#[derive(Clone, Copy, Default)]
pub(crate) struct Quad {
    /// To the right in the first four, down in the others.
    slopes: [f32; 8],
    at: [f32; 4],
}

impl Quad {
    pub(crate) fn x(&self) -> &[f32; 4] {
        self.slopes.first_chunk().unwrap_or(&self.at)
    }

    pub(crate) fn y(&self) -> &[f32; 4] {
        self.slopes.last_chunk().unwrap_or(&self.at)
    }

    pub(crate) fn at(&self) -> &[f32; 4] {
        &self.at
    }
}

/// What a visible triangle looks like.
#[derive(Clone, Copy, Default)]
pub(crate) struct Record {
    /// Red, green, blue (0 to 255) times nearness; of an orthographic camera as they are.
    pub(crate) color: Quad,
    pub(crate) instance: u32,
    pub(crate) category: u32,
    /// Index of its [`Look`]; 0 for none.
    pub(crate) look: u32,
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
    pub(crate) records: Vec<Record>,
    pub(crate) looks: Vec<Look>,
    /// Records of this view; there may be more of an earlier one.
    used: usize,
    /// For each slot that a pixel sees the index of its record.
    pub(crate) of_slot: Vec<u32>,
    /// For each slot whether a pixel sees it.
    seen: Vec<u8>,
    /// The last instance and its category.
    last: (u32, u32),
    stage: Box<Stage>,
}

impl Records {
    /// Makes a record for every slot that a pixel sees, cluster by cluster.
    #[inline(always)]
    pub(crate) fn build<L: Lanes>(
        &mut self,
        l: L,
        source: &Source<'_>,
        canvas: &Canvas,
        wants_colors: bool,
    ) {
        self.looks.clear();
        // The first stand for nothing. Of the others, what is left of the last view is not read.
        self.used = 1;
        self.records.resize(self.records.len().max(1), Record::default());
        let uv = Quad { at: [0.0, 0.0, 0.0, 1.0], ..Quad::default() };
        self.looks.push(Look { uv, texture: u32::MAX });
        self.last = (0, 0);
        let count = canvas.drawn.len() * CLUSTER;
        self.of_slot.resize(count, 0);
        self.seen.clear();
        self.seen.resize(count, 0);
        for row in canvas.slots.chunks(canvas.stride).take(canvas.height) {
            for &slot in &row[..canvas.width] {
                if let Some(seen) = self.seen.get_mut(slot as usize) {
                    *seen = 1;
                }
            }
        }
        for (index, drawn) in canvas.drawn.iter().enumerate() {
            let first = index * CLUSTER;
            let mut seen = 0_u64;
            for (eight, marks) in self.seen[first..first + CLUSTER].as_chunks().0.iter().enumerate() {
                // Gathers the lowest bits of eight bytes in one.
                let bits = u64::from_le_bytes(*marks).wrapping_mul(0x0102_0408_1020_4080) >> 56;
                seen |= bits << (eight * 8);
            }
            if seen != 0 {
                self.cluster(l, source, canvas, drawn, first, seen, wants_colors);
            }
        }
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
        let filled = cluster.first_triangle..cluster.first_triangle + cluster.triangles;
        let ids = mesh.instances.get(filled.clone()).unwrap_or_default();
        let whole = scenery.placement(&scenery.placed[drawn.placed as usize]).instance;
        let texture = if wants_colors { self.vertices(source, canvas, drawn, mesh) } else { None };
        let [a, b, c] = mesh.corners.each_ref().map(|list| &list[filled.clone()]);
        let slots = &mut self.of_slot[first..first + CLUSTER];

        let mut index = self.used;
        self.used += seen.count_ones() as usize;
        if self.records.len() < self.used {
            self.records.resize(self.used, Record::default());
        }
        while seen != 0 {
            let at = (seen.trailing_zeros() & 63) as usize;
            seen &= seen - 1;
            slots[at] = index as u32;
            let (Some(record), Some((&a, (&b, &c)))) =
                (self.records.get_mut(index), a.get(at).zip(b.get(at).zip(c.get(at))))
            else {
                return;
            };
            index += 1;
            let instance = ids.get(at).copied().unwrap_or(whole);
            if instance != self.last.0 {
                self.last = (instance, scenery.category_of(instance));
            }
            record.instance = instance;
            record.category = self.last.1;
            record.look = 0;
            if !wants_colors {
                continue;
            }
            let stage = &*self.stage;
            let corners = [a, b, c];
            let slopes = Slopes::new(corners.map(|corner| &stage.places[usize::from(corner)]));
            if slopes.is_small {
                record.color = slopes.quad(l, corners.map(|corner| &stage.colors[usize::from(corner)]));
                if let Some(texture) = texture {
                    record.look = self.looks.len() as u32;
                    let uv = slopes.quad(l, corners.map(|corner| &stage.uvs[usize::from(corner)]));
                    self.looks.push(Look { uv, texture });
                }
            } else {
                let exact = Exact::new(source, drawn, mesh, corners);
                let weights = corners.map(|corner| stage.places[usize::from(corner)][2]);
                record.color =
                    exact.quad(corners.map(|corner| &stage.colors[usize::from(corner)]), weights);
                if let Some(texture) = texture {
                    record.look = self.looks.len() as u32;
                    let uvs = corners.map(|corner| &stage.uvs[usize::from(corner)]);
                    self.looks.push(Look { uv: exact.quad(uvs, weights), texture });
                }
            }
        }
    }

    /// Fills in places, colours and texture coordinates of a cluster's vertices; its texture, if any.
    #[inline(always)]
    fn vertices(
        &mut self,
        source: &Source<'_>,
        canvas: &Canvas,
        drawn: &Drawn,
        mesh: &Baked,
    ) -> Option<u32> {
        let scenery = source.scenery;
        let material = scenery.material(&scenery.placed[drawn.placed as usize]);
        let base = material.map_or([1.0; 4], |material| material.base_color);
        let cluster = &mesh.clusters[drawn.cluster as usize];
        let (first, count) = (cluster.first_vertex, cluster.vertices);
        let from = drawn.first_vertex as usize;
        let [xs, ys, nears] = canvas.vertices.each_ref().map(|list| &list[from..from + count]);
        let stage = &mut *self.stage;
        let places = stage.places.iter_mut().zip(xs.iter().zip(ys).zip(nears));
        for (place, ((&x, &y), &near)) in places {
            // What attributes are multiplied with, so that they are linear in the image.
            let weight = if source.lens.orthographic || !near.is_finite() { 1.0 } else { near };
            *place = [x, y, weight, 0.0];
        }
        if mesh.colors.is_empty() {
            let base = [base[0] * 255.0, base[1] * 255.0, base[2] * 255.0, 1.0];
            for (color, place) in stage.colors.iter_mut().zip(&stage.places).take(count) {
                let w = place[2];
                *color = [base[0] * w, base[1] * w, base[2] * w, w];
            }
        } else {
            let colors = &mesh.colors[first..first + count];
            for ((out, place), color) in stage.colors.iter_mut().zip(&stage.places).zip(colors) {
                let w = place[2];
                *out = [
                    f32::from(color[0]) * (base[0] * w),
                    f32::from(color[1]) * (base[1] * w),
                    f32::from(color[2]) * (base[2] * w),
                    w,
                ];
            }
        }
        let texture = material
            .and_then(|material| material.texture)
            .filter(|&texture| (texture as usize) < scenery.textures.len() && !mesh.uvs.is_empty())?;
        let wrap = scenery.scene.textures[texture as usize].wrap;
        let uvs = &mesh.uvs[first..first + count];
        // Whole periods less: what is left has more digits for its fraction.
        let less = |value: f32, wrap: Wrap| match wrap {
            Wrap::Clamp => 0.0,
            Wrap::Repeat | Wrap::Mirror => (value * 0.5) as i32 as f32 * 2.0,
        };
        let (u, v) = (less(uvs[0].x, wrap[0]), less(uvs[0].y, wrap[1]));
        for ((out, place), uv) in stage.uvs.iter_mut().zip(&stage.places).zip(uvs) {
            let w = place[2];
            *out = [(uv.x - u) * w, (uv.y - v) * w, 0.0, w];
        }
        Some(texture)
    }
}

/// The vertices of a cluster.
struct Stage {
    /// Image position and weight.
    places: [[f32; 4]; 256],
    /// Colours and texture coordinates times weight, and the weight.
    colors: [[f32; 4]; 256],
    uvs: [[f32; 4]; 256],
}

impl Default for Stage {
    fn default() -> Self {
        Self { places: [[0.0; 4]; 256], colors: [[0.0; 4]; 256], uvs: [[0.0; 4]; 256] }
    }
}

/// How a small triangle's numbers grow across the image.
struct Slopes {
    is_small: bool,
    place: [f32; 2],
    dx: [f32; 2],
    dy: [f32; 2],
}

impl Slopes {
    #[inline(always)]
    fn new([a, b, c]: [&[f32; 4]; 3]) -> Self {
        let (dx, dy) = ([b[0] - a[0], c[0] - a[0]], [b[1] - a[1], c[1] - a[1]]);
        let scale = 1.0 / (dx[1] * dy[0] - dx[0] * dy[1]);
        let scale = if scale.abs() < f32::INFINITY { scale } else { 0.0 };
        // Larger ones and those with a corner that has no place take the long way.
        let far = dx[0].abs().max(dx[1].abs()).max(dy[0].abs()).max(dy[1].abs());
        Self {
            is_small: far < 16.0 && a[0] < NOWHERE * 0.5,
            place: [a[0], a[1]],
            dx: [dx[0] * scale, dx[1] * scale],
            dy: [dy[0] * scale, dy[1] * scale],
        }
    }

    #[inline(always)]
    fn quad<L: Lanes>(&self, l: L, [p, q, r]: [&[f32; 4]; 3]) -> Quad {
        // Growth to the right in the low half, down in the high one.
        let p = l.pair(p, p);
        let (u, v) = (l.sub(l.pair(q, q), p), l.sub(l.pair(r, r), p));
        let slopes =
            l.add(l.mul(v, l.two(self.dy[0], -self.dx[0])), l.mul(u, l.two(-self.dy[1], self.dx[1])));
        let at = l.sub(p, l.fold(l.mul(slopes, l.two(self.place[0], self.place[1]))));
        Quad { slopes: l.f_to(slopes), at: l.low(at) }
    }
}

/// Shares of a triangle's corners in double precision, for triangles of any size.
struct Exact {
    /// For each corner its share times nearness: what it grows to the right and down, and its value in
    /// the middle of the image.
    shares: [DVec3; 3],
}

impl Exact {
    fn new(source: &Source<'_>, drawn: &Drawn, mesh: &Baked, corners: [u8; 3]) -> Self {
        let lens = source.lens;
        let Some(pose) = &source.poses[drawn.placed as usize] else {
            return Self { shares: [DVec3::ZERO; 3] };
        };
        let first = mesh.clusters[drawn.cluster as usize].first_vertex;
        let [a, b, c] = corners.map(|corner| {
            let vertex = first + usize::from(corner);
            let [x, y, z] = mesh.positions.each_ref().map(|list| f64::from(list[vertex]));
            let p = pose.camera_from_mesh.point(DVec3::new(x, y, z));
            let depth = if lens.orthographic { 1.0 } else { -p.z };
            DVec3::new(p.x * lens.scale, -p.y * lens.scale, depth)
        });
        let sides = [b.cross(c), c.cross(a), a.cross(b)];
        let whole = sides[0].dot(a);
        let scale = if whole == 0.0 { 0.0 } else { 1.0 / whole };
        Self { shares: sides.map(|side| side * scale) }
    }

    /// From values that are multiplied with weights already.
    fn quad(&self, values: [&[f32; 4]; 3], weights: [f32; 3]) -> Quad {
        let sum = |part: fn(&DVec3) -> f64| {
            let mut sum = DVec4::ZERO;
            for i in 0..3 {
                let value = DVec4::from_array(values[i].map(f64::from));
                sum += value * (part(&self.shares[i]) / f64::from(weights[i]));
            }
            sum.as_vec4().to_array()
        };
        let ([a, b, c, d], [e, f, g, h]) = (sum(|share| share.x), sum(|share| share.y));
        Quad { slopes: [a, b, c, d, e, f, g, h], at: sum(|share| share.z) }
    }
}
