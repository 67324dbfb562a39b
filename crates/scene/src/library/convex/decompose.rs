use super::{simplify_pieces, vessel};
use crate::Mesh;
use crate::library::Hull;
use ambler_geometry::{Aabb, Vec3};
use parry3d::transformation::vhacd::{VHACD, VHACDParameters};
use parry3d::transformation::voxelization::FillMode;
use std::collections::BTreeMap;

/// How a mesh is decomposed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecomposeOptions {
    /// Voxels along the longest side.
    pub resolution: u32,
    /// Concavity that one piece may keep, a share of the object's.
    pub concavity: f32,
    /// Pieces before joining.
    pub max_pieces: u32,
    /// Pairs whose joining adds less than this share of the larger one's volume are joined.
    pub merge: f64,
}

impl Default for DecomposeOptions {
    fn default() -> Self {
        Self { resolution: 64, concavity: 0.006, max_pieces: 24, merge: 0.03 }
    }
}

/// Convex pieces that together cover the meshes: voxels are split by planes (VHACD, Mamou & Ghorbel
/// 2009), and each piece is the hull of the surface that lies in its voxels. A mesh that is nearly its
/// own hull gives one piece, and a vessel (open to the top, a wall all around) gives a floor and staves. Empty for meshes without any extent.
pub fn decompose(meshes: &[&Mesh], options: &DecomposeOptions) -> Vec<Hull> {
    let (points, triangles) = welded(meshes);
    let bounds = Aabb::from_points(points.iter().copied());
    let extent = bounds.size().max_element();
    if !(extent > 0.0 && extent.is_finite()) || triangles.is_empty() {
        return Vec::new();
    }
    let whole = || simplify_pieces(std::slice::from_ref(&points), options.merge);
    // Flat things have no inside to fill with voxels.
    if bounds.size().min_element() < extent * 0.01 {
        return whole();
    }
    if let Some(pieces) = vessel::staves(&points, &triangles) {
        let hulls = simplify_pieces(&pieces, options.merge);
        if !hulls.is_empty() {
            return hulls;
        }
    }
    // Voxels are cubes of the longest side's fraction; work at unit size for stable tolerances.
    let unit: Vec<parry3d::math::Vector> = points
        .iter()
        .map(|&point| {
            let p = (point - bounds.min) / extent;
            parry3d::math::Vector::new(p.x, p.y, p.z)
        })
        .collect();
    let parameters = VHACDParameters {
        resolution: options.resolution,
        concavity: options.concavity,
        max_convex_hulls: options.max_pieces,
        plane_downsampling: 3,
        convex_hull_downsampling: 3,
        fill_mode: FillMode::FloodFill { detect_cavities: false },
        ..VHACDParameters::default()
    };
    // The library computes with indices of its own; should it fail on a strange mesh, one hull is left.
    let parts = std::panic::catch_unwind(|| {
        let vhacd = VHACD::decompose(&parameters, &unit, &triangles, true);
        vhacd.compute_exact_convex_hulls(&unit, &triangles)
    });
    let Ok(parts) = parts else { return whole() };
    let pieces: Vec<Vec<Vec3>> = parts
        .into_iter()
        .map(|(corners, _)| {
            corners.iter().map(|p| bounds.min + Vec3::new(p.x, p.y, p.z) * extent).collect()
        })
        .collect();
    let hulls = simplify_pieces(&pieces, options.merge);
    if hulls.is_empty() { whole() } else { hulls }
}

/// All meshes as one, equal positions joined.
fn welded(meshes: &[&Mesh]) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut known: BTreeMap<[u32; 3], u32> = BTreeMap::new();
    let mut points = Vec::new();
    let mut triangles = Vec::new();
    for mesh in meshes {
        for triangle in &mesh.triangles {
            let corners = triangle.map(|corner| {
                let point = mesh.positions.get(corner as usize).copied().unwrap_or_default();
                *known.entry(point.to_array().map(f32::to_bits)).or_insert_with(|| {
                    points.push(point);
                    points.len() as u32 - 1
                })
            });
            let [a, b, c] = corners;
            if a != b && b != c && c != a {
                triangles.push(corners);
            }
        }
    }
    (points, triangles)
}
