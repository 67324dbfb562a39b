//! Meshes laid out for drawing: small clusters of neighbouring triangles under a tree of boxes,
//! vertices as one array a coordinate.

use super::boxes::Boxes;
use super::simd::{LANES, Lanes};
use super::stand_in::StandIns;
use ambler_geometry::{Aabb, Vec2, Vec3};
use ambler_scene::{Array, Mesh};
use glam::DVec3;
use std::sync::OnceLock;

/// Triangles in a cluster, at most; a cluster's vertices then have numbers below 256.
pub(crate) const CLUSTER: usize = 64;

/// A mesh ready to draw, in its own frame.
pub(crate) struct Baked {
    /// The tree of boxes, root first; empty for a mesh without triangles. Its left child follows an
    /// inner node.
    pub(crate) nodes: Vec<Node>,
    pub(crate) clusters: Vec<Cluster>,
    /// The tree once more, as it is walked.
    pub(crate) boxes: Vec<Boxes>,
    /// Vertices: those of a cluster in one run, filled up to a multiple of eight. A vertex that two
    /// clusters use is in both, with the same bits.
    pub(crate) vertices: Array<Vertices>,
    /// Whether vertices have colours of their own.
    pub(crate) colored: bool,
    /// Texture coordinates of the vertices; empty where the mesh has none.
    pub(crate) uvs: Array<Vec2>,
    /// Corners of triangles as numbers of the cluster's vertices, runs filled up to a multiple of
    /// eight with triangles without area.
    pub(crate) corners: Array<[[u8; LANES]; 3]>,
    /// For each triangle here its index in the mesh.
    pub(crate) sources: Array<u32>,
    /// For each triangle here its own instance; empty where the placement's holds.
    pub(crate) instances: Array<u32>,
    /// Whether any vertex is not fully opaque.
    pub(crate) translucent: bool,
    /// Fewer triangles to draw instead, once they are asked for.
    pub(crate) stand_ins: OnceLock<Box<StandIns>>,
}

/// Eight vertices.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Vertices {
    pub(crate) positions: [[f32; LANES]; 3],
    /// White where the mesh has none.
    pub(crate) colors: [[u8; 4]; LANES],
}

#[allow(unsafe_code, reason = "stored as it lies in memory")]
// SAFETY: 32 numbers of four bytes, `repr(C)`; 128 bytes, a multiple of the alignment, so without a gap.
unsafe impl ambler_bundle::Plain for Vertices {}

const _: () = assert!(size_of::<Vertices>() == 4 * LANES * 4 && align_of::<Vertices>() == 64);

/// A box of the tree.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    pub(crate) center: [f32; 3],
    pub(crate) half: [f32; 3],
    /// Right child of an inner node; [`Node::LEAF`] and the cluster's index of a leaf.
    link: u32,
}

impl Node {
    const LEAF: u32 = 1 << 31;

    /// Index of the cluster of a leaf.
    pub(crate) fn cluster(&self) -> Option<usize> {
        (self.link & Self::LEAF != 0).then_some((self.link & !Self::LEAF) as usize)
    }

    /// As numbers that [`Node::from_words`] takes.
    pub(super) fn to_words(&self) -> [u32; 7] {
        let ([a, b, c], [d, e, f]) = (self.center.map(f32::to_bits), self.half.map(f32::to_bits));
        [a, b, c, d, e, f, self.link]
    }

    pub(super) fn from_words(words: &[u32; 7]) -> Self {
        let [a, b, c, d, e, f, link] = *words;
        Self { center: [a, b, c].map(f32::from_bits), half: [d, e, f].map(f32::from_bits), link }
    }

    /// Indices of the children of the inner node at `index`.
    pub(crate) fn children(&self, index: u32) -> [u32; 2] {
        [index + 1, self.link]
    }
}

pub(crate) struct Cluster {
    pub(crate) first_vertex: usize,
    /// Vertices, the filling included.
    pub(crate) vertices: usize,
    pub(crate) first_triangle: usize,
    pub(crate) triangles: usize,
    /// All triangles show their backs to eyes at `e` where
    /// `axis · (center − e) >= cutoff · |center − e| + radius`.
    pub(crate) cone: [f32; 4],
    pub(crate) radius: f32,
}

/// What is laid out: a mesh, or other triangles on its vertices.
pub(crate) struct Parts<'a> {
    mesh: &'a Mesh,
    triangles: &'a [[u32; 3]],
    /// For each triangle its index in the mesh; empty where they are the mesh's own.
    sources: &'a [u32],
}

impl<'a> Parts<'a> {
    pub(crate) fn other(mesh: &'a Mesh, triangles: &'a [[u32; 3]], sources: &'a [u32]) -> Self {
        Self { mesh, triangles, sources }
    }

    /// Middles and indices of the triangles whose corners are all there and finite.
    fn order(&self) -> Vec<(Vec3, u32)> {
        let corner = |index: u32| self.mesh.positions.get(index as usize).filter(|p| p.is_finite());
        let mut order: Vec<(Vec3, u32)> = Vec::with_capacity(self.triangles.len());
        for (index, &[a, b, c]) in self.triangles.iter().enumerate() {
            if let (Some(&a), Some(&b), Some(&c)) = (corner(a), corner(b), corner(c)) {
                // Thirds first: three huge coordinates must not overflow.
                order.push((a / 3.0 + b / 3.0 + c / 3.0, index as u32));
            }
        }
        order
    }

    fn source(&self, index: u32) -> u32 {
        self.sources.get(index as usize).copied().unwrap_or(index)
    }
}

impl Baked {
    /// Leaves out triangles with a corner that is not finite or not there.
    pub(crate) fn new(mesh: &Mesh) -> Self {
        let mut baked = Self::empty(mesh);
        let parts = Parts { mesh, triangles: &mesh.triangles, sources: &[] };
        let mut order = parts.order();
        baked.sources.reserve_exact(order.len());
        if !order.is_empty() {
            baked.split(&parts, &mut order);
            baked.boxes = Boxes::of_tree(&baked.nodes, &baked.clusters);
        }
        baked
    }

    /// Without a triangle.
    pub(crate) fn empty(mesh: &Mesh) -> Self {
        Self {
            nodes: Vec::new(),
            clusters: Vec::new(),
            boxes: Vec::new(),
            vertices: Array::new(),
            colored: !mesh.colors.is_empty(),
            uvs: Array::new(),
            corners: Array::new(),
            sources: Array::new(),
            instances: Array::new(),
            translucent: mesh.colors.iter().any(|color| color[3] != 255),
            stand_ins: OnceLock::new(),
        }
    }

    /// Lays out more triangles, under a tree of their own. Returns the index of its root, if there is
    /// one.
    pub(crate) fn append(&mut self, parts: &Parts<'_>) -> Option<usize> {
        let mut order = parts.order();
        let root = self.nodes.len();
        if order.is_empty() {
            return None;
        }
        self.split(parts, &mut order);
        Some(root)
    }

    /// The position of a vertex.
    pub(crate) fn position(&self, vertex: usize) -> DVec3 {
        let eight = &self.vertices[vertex / LANES];
        let [x, y, z] = eight.positions.map(|list| f64::from(list[vertex % LANES]));
        DVec3::new(x, y, z)
    }

    pub(crate) fn color(&self, vertex: usize) -> [u8; 4] {
        self.vertices[vertex / LANES].colors[vertex % LANES]
    }

    /// The corners of a triangle, as numbers of its cluster's vertices.
    #[inline(always)]
    pub(crate) fn corners(&self, triangle: usize) -> [u8; 3] {
        let eight = &self.corners[triangle / LANES];
        [eight[0][triangle % LANES], eight[1][triangle % LANES], eight[2][triangle % LANES]]
    }

    /// Asks for the memory of a cluster that will be drawn soon.
    #[inline(always)]
    pub(crate) fn prefetch<L: Lanes>(&self, l: L, cluster: &Cluster) {
        let first = cluster.first_vertex / LANES;
        l.prefetch_all(self.vertices.get(first..first + cluster.vertices / LANES).unwrap_or_default());
        let first = cluster.first_triangle / LANES;
        let end = first + cluster.triangles.div_ceil(LANES);
        l.prefetch_all(self.corners.get(first..end).unwrap_or_default());
    }

    /// Halves the triangles along the longest side of the box around their middles until they fit a
    /// cluster. Returns the box around them.
    fn split(&mut self, parts: &Parts<'_>, order: &mut [(Vec3, u32)]) -> Aabb {
        let at = self.nodes.len();
        self.nodes.push(Node { center: [0.0; 3], half: [0.0; 3], link: 0 });
        let (bounds, link) = if order.len() <= CLUSTER {
            let link = Node::LEAF | self.clusters.len() as u32;
            (self.push(parts, order), link)
        } else {
            let size = Aabb::from_points(order.iter().map(|&(middle, _)| middle)).size();
            let axis = if size.x >= size.y && size.x >= size.z {
                0
            } else if size.y >= size.z {
                1
            } else {
                2
            };
            // Whole clusters on the left, so that few clusters are far from full.
            let clusters = order.len().div_ceil(CLUSTER);
            let half = (clusters / 2) * CLUSTER;
            order.select_nth_unstable_by(half, |(a, i), (b, j)| {
                a[axis].total_cmp(&b[axis]).then(i.cmp(j))
            });
            let (low, high) = order.split_at_mut(half);
            let left = self.split(parts, low);
            let link = self.nodes.len() as u32;
            (left.union(self.split(parts, high)), link)
        };
        let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
        let center = ((min + max) * 0.5).as_vec3();
        // From the rounded middle, and rounded up.
        let half = (max - center.as_dvec3()).max(center.as_dvec3() - min).as_vec3() * (1.0 + 1e-6);
        self.nodes[at] = Node { center: center.to_array(), half: half.to_array(), link };
        bounds
    }

    fn push(&mut self, parts: &Parts<'_>, order: &mut [(Vec3, u32)]) -> Aabb {
        let mesh = parts.mesh;
        order.sort_unstable_by_key(|&(_, index)| index);
        let triangle = |index: u32| parts.triangles[index as usize];
        let mut used: Vec<u32> = order.iter().flat_map(|&(_, index)| triangle(index)).collect();
        used.sort_unstable();
        used.dedup();
        let first_vertex = self.vertices.len() * LANES;
        let first_triangle = self.sources.len();
        for eight in used.chunks(LANES) {
            // Filled up with copies of the last.
            let vertex = |lane: usize| eight[lane.min(eight.len() - 1)] as usize;
            let position = |lane: usize| mesh.positions[vertex(lane)].to_array();
            let color = |lane: usize| mesh.colors.get(vertex(lane)).copied().unwrap_or([255; 4]);
            self.vertices.push(Vertices {
                positions: [0, 1, 2].map(|axis| std::array::from_fn(|lane| position(lane)[axis])),
                colors: std::array::from_fn(color),
            });
            if !mesh.uvs.is_empty() {
                let uv = |lane| mesh.uvs.get(vertex(lane)).copied().unwrap_or(Vec2::ZERO);
                self.uvs.to_mut().extend((0..LANES).map(uv));
            }
        }
        for eight in order.chunks(LANES) {
            let mut corners = [[0; LANES]; 3];
            for (lane, &(_, index)) in eight.iter().enumerate() {
                for (list, corner) in corners.iter_mut().zip(triangle(index)) {
                    list[lane] = used.partition_point(|&other| other < corner) as u8;
                }
            }
            self.corners.push(corners);
        }
        for &(_, index) in order.iter() {
            let index = parts.source(index);
            self.sources.push(index);
            if !mesh.triangle_instances.is_empty() {
                self.instances.push(mesh.triangle_instances.get(index as usize).copied().unwrap_or(0));
            }
        }
        let points =
            || order.iter().map(|&(_, index)| triangle(index).map(|v| mesh.positions[v as usize]));
        let bounds = Aabb::from_points(points().flatten());
        let (cone, radius) = cone(points(), &bounds);
        let triangles = order.len();
        self.clusters.push(Cluster {
            first_vertex,
            vertices: used.len().next_multiple_of(LANES),
            first_triangle,
            triangles,
            cone,
            radius,
        });
        let end = first_triangle + triangles.next_multiple_of(LANES);
        self.sources.resize(end, 0);
        if !mesh.triangle_instances.is_empty() {
            self.instances.resize(end, 0);
        }
        bounds
    }
}

/// The cone of a cluster's normals and the radius of the sphere around its box.
fn cone(points: impl Iterator<Item = [Vec3; 3]> + Clone, bounds: &Aabb) -> ([f32; 4], f32) {
    const NEVER: [f32; 4] = [0.0, 0.0, 0.0, 2.0];
    let radius = (bounds.max.as_dvec3() - bounds.min.as_dvec3()).length() * 0.5 * (1.0 + 1e-6);
    let normals = points.filter_map(|[a, b, c]| {
        let (a, b, c) = (a.as_dvec3(), b.as_dvec3(), c.as_dvec3());
        (b - a).cross(c - a).try_normalize()
    });
    let sum = normals.clone().fold(DVec3::ZERO, |sum, normal| sum + normal);
    let Some(axis) = sum.try_normalize() else { return (NEVER, radius as f32) };
    let least = normals.map(|normal| normal.dot(axis)).fold(1.0, f64::min);
    if least <= 0.1 {
        return (NEVER, radius as f32);
    }
    // A little wide: eyes and axes are rounded.
    let cutoff = libm::sqrt((1.0 - least * least).max(0.0)) + 1e-4;
    ([axis.x as f32, axis.y as f32, axis.z as f32, cutoff as f32], radius as f32)
}
