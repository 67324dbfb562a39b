//! Meshes cut into small clusters of neighbouring triangles, so that what lies outside the view is
//! skipped a cluster at a time and vertices are transformed a cluster at a time.

use ambler_geometry::{Aabb, Vec3};
use ambler_scene::Mesh;

/// Triangles in a cluster, at most. Small enough that boxes fit tightly, large enough that testing
/// them costs little beside drawing.
const CLUSTER_TRIANGLES: usize = 128;

/// A mesh ready to draw, still in its own frame: placing it is one transform a view.
pub(crate) struct BakedMesh {
    pub(crate) clusters: Vec<Cluster>,
    /// Vertices, those of a cluster in one run; a vertex that two clusters use is in both.
    pub(crate) positions: Vec<Vec3>,
    /// Corners of triangles as indices into the cluster's own vertices.
    pub(crate) corners: Vec<[u16; 3]>,
    /// For each triangle here its index in the mesh.
    pub(crate) sources: Vec<u32>,
    /// Whether any vertex is not fully opaque.
    pub(crate) translucent: bool,
}

pub(crate) struct Cluster {
    pub(crate) bounds: Aabb,
    pub(crate) vertices: std::ops::Range<usize>,
    pub(crate) triangles: std::ops::Range<usize>,
}

impl BakedMesh {
    /// Leaves out triangles with a corner that is not finite or not there.
    pub(crate) fn new(mesh: &Mesh) -> Self {
        let corner = |index: u32| mesh.positions.get(index as usize).filter(|p| p.is_finite());
        let mut order: Vec<(Vec3, u32)> = Vec::with_capacity(mesh.triangles.len());
        for (index, &[a, b, c]) in mesh.triangles.iter().enumerate() {
            if let (Some(&a), Some(&b), Some(&c)) = (corner(a), corner(b), corner(c)) {
                // Thirds first: three huge coordinates must not overflow.
                order.push((a / 3.0 + b / 3.0 + c / 3.0, index as u32));
            }
        }
        let mut baked = Self {
            clusters: Vec::with_capacity(order.len() / (CLUSTER_TRIANGLES / 2) + 1),
            positions: Vec::with_capacity(mesh.positions.len()),
            corners: Vec::with_capacity(order.len()),
            sources: Vec::with_capacity(order.len()),
            translucent: mesh.colors.iter().any(|color| color[3] != 255),
        };
        baked.split(mesh, &mut order);
        baked
    }

    /// Halves the triangles at the median of their middles, along the longest side of the box
    /// around these, until they fit a cluster.
    fn split(&mut self, mesh: &Mesh, order: &mut [(Vec3, u32)]) {
        if order.len() <= CLUSTER_TRIANGLES {
            if !order.is_empty() {
                self.push(mesh, order);
            }
            return;
        }
        let size = Aabb::from_points(order.iter().map(|&(middle, _)| middle)).size();
        let axis = if size.x >= size.y && size.x >= size.z {
            0
        } else if size.y >= size.z {
            1
        } else {
            2
        };
        let half = order.len() / 2;
        order.select_nth_unstable_by(half, |(a, i), (b, j)| a[axis].total_cmp(&b[axis]).then(i.cmp(j)));
        let (low, high) = order.split_at_mut(half);
        self.split(mesh, low);
        self.split(mesh, high);
    }

    fn push(&mut self, mesh: &Mesh, order: &mut [(Vec3, u32)]) {
        order.sort_unstable_by_key(|&(_, index)| index);
        let triangle = |index: u32| mesh.triangles[index as usize];
        let mut used: Vec<u32> = order.iter().flat_map(|&(_, index)| triangle(index)).collect();
        used.sort_unstable();
        used.dedup();
        let first_vertex = self.positions.len();
        let first_triangle = self.corners.len();
        self.positions.extend(used.iter().map(|&vertex| mesh.positions[vertex as usize]));
        for &(_, index) in order.iter() {
            let local = |vertex: u32| used.partition_point(|&other| other < vertex) as u16;
            self.corners.push(triangle(index).map(local));
            self.sources.push(index);
        }
        self.clusters.push(Cluster {
            bounds: Aabb::from_points(self.positions[first_vertex..].iter().copied()),
            vertices: first_vertex..self.positions.len(),
            triangles: first_triangle..self.corners.len(),
        });
    }
}
