//! The triangles that pixels see: what their colours, texture coordinates and names are.

use super::Source;
use super::bake::{Baked, CLUSTER};
use super::canvas::{Canvas, Drawn};
use super::cluster::NOWHERE;
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
pub(crate) struct Record {
    /// Red, green, blue (0 to 255) times nearness; of an orthographic camera as they are.
    pub(crate) color: Quad,
    /// The reference place, pixels right and down from the middle of the image.
    pub(crate) place: [f32; 2],
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
    /// For each slot the index of its record; 0 for none.
    pub(crate) of_slot: Vec<u32>,
    /// For each slot whether a pixel sees it.
    seen: Vec<u8>,
    /// The last instance and its category.
    last: (u32, u32),
    /// Colours and texture coordinates of a cluster's vertices, times nearness.
    colors: Vec<[f32; 4]>,
    uvs: Vec<[f32; 4]>,
}

impl Records {
    /// Makes a record for every slot that a pixel sees, cluster by cluster.
    #[inline(always)]
    pub(crate) fn build(&mut self, source: &Source<'_>, canvas: &Canvas, wants_colors: bool) {
        self.records.clear();
        self.looks.clear();
        // The first stand for nothing.
        self.records.push(Record::default());
        let uv = Quad { at: [0.0, 0.0, 0.0, 1.0], ..Quad::default() };
        self.looks.push(Look { uv, texture: 0 });
        self.last = (0, 0);
        let count = canvas.drawn.len() * CLUSTER;
        self.of_slot.clear();
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
            for (at, &mark) in self.seen[first..first + CLUSTER].iter().enumerate() {
                seen |= u64::from(mark) << at;
            }
            if seen != 0 {
                self.cluster(source, canvas, drawn, first, seen, wants_colors);
            }
        }
    }

    /// Makes the records of a drawn cluster, whose first slot is `first`: of the triangles whose bit
    /// is set in `seen`.
    #[inline(always)]
    fn cluster(
        &mut self,
        source: &Source<'_>,
        canvas: &Canvas,
        drawn: &Drawn,
        first: usize,
        mut seen: u64,
        wants_colors: bool,
    ) {
        let scenery = source.scenery;
        let placed = &scenery.placed[drawn.placed as usize];
        let mesh = source.mesh(drawn.placed as usize);
        let cluster = &mesh.clusters[drawn.cluster as usize];
        let triangles = cluster.first_triangle..cluster.first_triangle + cluster.triangles;
        let [a, b, c] = mesh.corners.each_ref().map(|list| &list[triangles.clone()]);
        let sources = &mesh.sources[triangles];
        let vertices = drawn.first_vertex as usize..drawn.first_vertex as usize + cluster.vertices;
        let [xs, ys, nears] = canvas.vertices.each_ref().map(|list| &list[vertices.clone()]);
        let ids = &scenery.scene.meshes[scenery.placement(placed).mesh as usize].triangle_instances;
        let whole = scenery.placement(placed).instance;
        let texture = if wants_colors { self.vertices(source, drawn, mesh, nears) } else { None };

        while seen != 0 {
            let at = seen.trailing_zeros() as usize;
            seen &= seen - 1;
            let number = sources[at];
            let instance = ids.get(number as usize).copied().unwrap_or(whole);
            if instance != self.last.0 {
                self.last = (instance, scenery.category_of(instance));
            }
            let mut record = Record { instance, category: self.last.1, ..Record::default() };
            if wants_colors {
                let corners = [usize::from(a[at]), usize::from(b[at]), usize::from(c[at])];
                let plane = Slopes::new(corners, xs, ys);
                if plane.is_small {
                    record.color = plane.quad(&self.colors, corners);
                    record.place = plane.place;
                    if let Some(texture) = texture {
                        let uv = plane.quad(&self.uvs, corners);
                        record.look = self.looks.len() as u32;
                        self.looks.push(Look { uv, texture });
                    }
                } else {
                    let exact = Exact::new(source, drawn, mesh, corners, canvas);
                    let weights = corners.map(|corner| weight(source, nears[corner]));
                    record.color = exact.quad(&self.colors, corners, weights);
                    record.place = exact.place;
                    if let Some(texture) = texture {
                        let uv = exact.quad(&self.uvs, corners, weights);
                        record.look = self.looks.len() as u32;
                        self.looks.push(Look { uv, texture });
                    }
                }
            }
            self.of_slot[first + at] = self.records.len() as u32;
            self.records.push(record);
        }
    }

    /// Fills in colours and texture coordinates of a cluster's vertices; its texture, if any.
    #[inline(always)]
    fn vertices(
        &mut self,
        source: &Source<'_>,
        drawn: &Drawn,
        mesh: &Baked,
        nears: &[f32],
    ) -> Option<u32> {
        let scenery = source.scenery;
        let placed = &scenery.placed[drawn.placed as usize];
        let material = scenery.material(placed);
        let base = material.map_or([1.0; 4], |material| material.base_color);
        let base = [base[0] * 255.0, base[1] * 255.0, base[2] * 255.0, 1.0];
        let first = mesh.clusters[drawn.cluster as usize].first_vertex;
        self.colors.clear();
        let weights = nears.iter().map(|&near| weight(source, near));
        if mesh.colors.is_empty() {
            self.colors.extend(weights.clone().map(|w| base.map(|value| value * w)));
        } else {
            let base = [base[0] / 255.0, base[1] / 255.0, base[2] / 255.0, 1.0];
            let colors = &mesh.colors[first..first + nears.len()];
            self.colors.extend(weights.clone().zip(colors).map(|(w, color)| {
                [
                    base[0] * w * f32::from(color[0]),
                    base[1] * w * f32::from(color[1]),
                    base[2] * w * f32::from(color[2]),
                    w,
                ]
            }));
        }
        let texture = material
            .and_then(|material| material.texture)
            .filter(|&texture| (texture as usize) < scenery.textures.len() && !mesh.uvs.is_empty())?;
        let wrap = scenery.scene.textures[texture as usize].wrap;
        let uvs = &mesh.uvs[first..first + nears.len()];
        // Whole periods less: what is left has more digits for its fraction.
        let less = |value: f32, wrap: Wrap| match wrap {
            Wrap::Clamp => 0.0,
            Wrap::Repeat | Wrap::Mirror => (value * 0.5) as i32 as f32 * 2.0,
        };
        let (u, v) = (less(uvs[0].x, wrap[0]), less(uvs[0].y, wrap[1]));
        self.uvs.clear();
        self.uvs.extend(weights.zip(uvs).map(|(w, uv)| [(uv.x - u) * w, (uv.y - v) * w, 0.0, w]));
        Some(texture)
    }
}

/// What the attributes of a vertex are multiplied with, so that they are linear in the image.
#[inline(always)]
fn weight(source: &Source<'_>, near: f32) -> f32 {
    if source.lens.orthographic { 1.0 } else { near }
}

/// How a small triangle's numbers grow across the image.
struct Slopes {
    is_small: bool,
    place: [f32; 2],
    dx: [f32; 2],
    dy: [f32; 2],
    scale: f32,
}

impl Slopes {
    #[inline(always)]
    fn new(corners: [usize; 3], xs: &[f32], ys: &[f32]) -> Self {
        let [a, b, c] = corners;
        let (xs, ys) = ([xs[a], xs[b], xs[c]], [ys[a], ys[b], ys[c]]);
        let (dx, dy) = ([xs[1] - xs[0], xs[2] - xs[0]], [ys[1] - ys[0], ys[2] - ys[0]]);
        let scale = 1.0 / (dx[1] * dy[0] - dx[0] * dy[1]);
        let scale = if scale.is_finite() { scale } else { 0.0 };
        // Larger ones and those with a corner that has no place take the long way.
        let far = dx[0].abs().max(dx[1].abs()).max(dy[0].abs()).max(dy[1].abs());
        Self { is_small: far < 16.0 && xs[0] < NOWHERE * 0.5, place: [xs[0], ys[0]], dx, dy, scale }
    }

    #[inline(always)]
    fn quad(&self, values: &[[f32; 4]], corners: [usize; 3]) -> Quad {
        let (p, q, r) = (&values[corners[0]], &values[corners[1]], &values[corners[2]]);
        let (mut x, mut y) = ([0.0; 4], [0.0; 4]);
        let (a, b) = (self.dy[0] * self.scale, self.dy[1] * self.scale);
        let (c, d) = (self.dx[1] * self.scale, self.dx[0] * self.scale);
        for i in 0..4 {
            let (u, v) = (q[i] - p[i], r[i] - p[i]);
            x[i] = v * a - u * b;
            y[i] = u * c - v * d;
        }
        Quad { x, y, at: *p }
    }
}

/// Shares of a triangle's corners in double precision, for triangles of any size.
struct Exact {
    /// For each corner its share times nearness: what it grows to the right and down, and its value at
    /// the reference place.
    shares: [DVec3; 3],
    place: [f32; 2],
}

impl Exact {
    /// The reference place is the corner nearest to the middle of the image that has a place, else
    /// that middle.
    fn new(
        source: &Source<'_>,
        drawn: &Drawn,
        mesh: &Baked,
        corners: [usize; 3],
        canvas: &Canvas,
    ) -> Self {
        let lens = source.lens;
        let at = corners.map(|corner| drawn.first_vertex as usize + corner);
        let place = at
            .map(|at| [canvas.vertices[0][at], canvas.vertices[1][at]])
            .into_iter()
            .filter(|&[x, _]| x < NOWHERE * 0.5)
            .min_by(|a, b| (a[0].abs() + a[1].abs()).total_cmp(&(b[0].abs() + b[1].abs())))
            .unwrap_or([0.0; 2]);
        let Some(pose) = &source.poses[drawn.placed as usize] else {
            return Self { shares: [DVec3::ZERO; 3], place };
        };
        let first = mesh.clusters[drawn.cluster as usize].first_vertex;
        let [a, b, c] = corners.map(|corner| {
            let [x, y, z] = mesh.positions.each_ref().map(|list| f64::from(list[first + corner]));
            let p = pose.camera_from_mesh.point(DVec3::new(x, y, z));
            let depth = if lens.orthographic { 1.0 } else { -p.z };
            DVec3::new(p.x * lens.scale, -p.y * lens.scale, depth)
        });
        let sides = [b.cross(c), c.cross(a), a.cross(b)];
        let whole = sides[0].dot(a);
        let scale = if whole == 0.0 { 0.0 } else { 1.0 / whole };
        let shares = sides.map(|side| {
            let at = side.x * f64::from(place[0]) + side.y * f64::from(place[1]) + side.z;
            DVec3::new(side.x, side.y, at) * scale
        });
        Self { shares, place }
    }

    /// From values that are multiplied with weights already.
    fn quad(&self, values: &[[f32; 4]], corners: [usize; 3], weights: [f32; 3]) -> Quad {
        let sum = |part: fn(&DVec3) -> f64| {
            let mut sum = DVec4::ZERO;
            for i in 0..3 {
                let value = DVec4::from_array(values[corners[i]].map(f64::from));
                sum += value * (part(&self.shares[i]) / f64::from(weights[i]));
            }
            sum.as_vec4().to_array()
        };
        Quad { x: sum(|share| share.x), y: sum(|share| share.y), at: sum(|share| share.z) }
    }
}
