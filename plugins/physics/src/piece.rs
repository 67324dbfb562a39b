//! A convex piece that tells physics which corners it stands on.
//!
//! parry's polyhedron hands out the first four corners of a face, so that a plate with round corners
//! touches a table along one of these corners only and falls through it. A [`Piece`] hands out the four
//! corners that span most of whatever is lowest, whether the hull has that as one face or as several
//! that are almost level.

use ambler_geometry::Vec3;
use bevy_rapier3d::parry::bounding_volume::{Aabb, BoundingSphere, BoundingVolume};
use bevy_rapier3d::parry::mass_properties::MassProperties;
use bevy_rapier3d::parry::math::Pose;
use bevy_rapier3d::parry::query::{PointProjection, PointQuery, Ray, RayCast, RayIntersection};
use bevy_rapier3d::parry::shape::{
    ConvexPolyhedron, FeatureId, PackedFeatureId, PolygonalFeature, PolygonalFeatureMap, Shape,
    ShapeType, SupportMap, TypedShape,
};

/// Corners that are higher than the lowest one by at most so much (metres) stand on the same ground.
const LEVEL_M: f32 = 0.0005;

/// A convex polyhedron for contacts.
#[derive(Clone, Debug)]
pub(crate) struct Piece(ConvexPolyhedron);

impl Piece {
    /// The hull of points; `None` where it has no volume.
    pub(crate) fn hull(points: &[Vec3]) -> Option<Self> {
        ConvexPolyhedron::from_convex_hull(points).map(Self)
    }

    /// The corners within [`LEVEL_M`] of the farthest along `dir`; those of the face that looks that way
    /// most where these make no face.
    fn ground(&self, dir: Vec3) -> Vec<u32> {
        let points = self.0.points();
        let farthest = points.iter().map(|point| point.dot(dir)).fold(f32::NEG_INFINITY, f32::max);
        let level = (0..points.len() as u32)
            .filter(|&index| points[index as usize].dot(dir) >= farthest - LEVEL_M)
            .collect::<Vec<u32>>();
        let spread = |corners: &[u32]| spanning(points, corners, dir, None).2;
        if level.len() >= 3 && spread(&level) > LEVEL_M * LEVEL_M {
            return level;
        }
        let mut best: Option<(f32, usize)> = None;
        for (index, face) in self.0.faces().iter().enumerate() {
            let along = face.normal.dot(dir);
            if best.is_none_or(|(most, _)| along > most) {
                best = Some((along, index));
            }
        }
        let Some(face) = best.and_then(|(_, index)| self.0.faces().get(index)) else { return level };
        let first = face.first_vertex_or_edge as usize;
        let end = first + face.num_vertices_or_edges as usize;
        self.0.vertices_adj_to_face().get(first..end).map_or(level, <[u32]>::to_vec)
    }

    fn feature(&self, dir: Vec3, hint: Option<Vec3>, out: &mut PolygonalFeature) {
        let points = self.0.points();
        let corners = self.ground(dir);
        let (chosen, count, _) = spanning(points, &corners, dir, hint);
        for (slot, &corner) in chosen.iter().take(count).enumerate() {
            out.vertices[slot] = points[corner as usize];
            out.vids[slot] = PackedFeatureId::vertex(corner);
            // An edge is known by the corner that it starts at.
            out.eids[slot] = PackedFeatureId::edge(corner);
        }
        out.num_vertices = count;
        out.fid = PackedFeatureId::face(corners.first().copied().unwrap_or(0));
    }
}

/// Up to four of these corners, counter-clockwise seen against `dir`, that span much of their area: the
/// one farthest from the middle (toward `hint`, where there is one), the one farthest from it, and the
/// farthest on each side of the line between. How many they are, and twice their area.
fn spanning(points: &[Vec3], corners: &[u32], dir: Vec3, hint: Option<Vec3>) -> ([u32; 4], usize, f32) {
    let at = |corner: u32| points[corner as usize];
    let middle = corners.iter().map(|&corner| at(corner)).sum::<Vec3>() / corners.len().max(1) as f32;
    let farthest = |score: &dyn Fn(Vec3) -> f32| {
        let mut best: Option<(f32, u32)> = None;
        for &corner in corners {
            let value = score(at(corner));
            if best.is_none_or(|(most, _)| value > most) {
                best = Some((value, corner));
            }
        }
        best.map_or((0.0, 0), |(value, corner)| (value, corner))
    };
    let toward = hint.map(|hint| hint - middle).filter(|toward| toward.length_squared() > 1e-12);
    let (_, first) = match toward {
        Some(toward) => farthest(&|point| (point - middle).dot(toward)),
        None => farthest(&|point| point.distance_squared(middle)),
    };
    let (_, across) = farthest(&|point| point.distance_squared(at(first)));
    let line = at(across) - at(first);
    // Signed distance from the line, times its length, to the left of it seen against `dir`.
    let side = |point: Vec3| dir.dot(line.cross(point - at(first)));
    let (left, left_corner) = farthest(&|point| side(point));
    let (right, right_corner) = farthest(&|point| -side(point));
    let tiny = 1e-3 * line.length_squared();
    let mut chosen = [first, 0, 0, 0];
    let mut count = 1;
    let mut push = |corner: u32| {
        chosen[count] = corner;
        count += 1;
    };
    if right > tiny {
        push(right_corner);
    }
    if across != first {
        push(across);
    }
    if left > tiny {
        push(left_corner);
    }
    (chosen, count, left.max(0.0) + right.max(0.0))
}

impl PolygonalFeatureMap for Piece {
    fn local_support_feature(&self, dir: Vec3, out_feature: &mut PolygonalFeature) {
        self.feature(dir, None, out_feature);
    }

    fn local_support_feature_toward(&self, dir: Vec3, hint: Vec3, out_feature: &mut PolygonalFeature) {
        self.feature(dir, Some(hint), out_feature);
    }

    fn is_convex_polyhedron(&self) -> bool {
        true
    }
}

impl SupportMap for Piece {
    fn local_support_point(&self, dir: Vec3) -> Vec3 {
        self.0.local_support_point(dir)
    }
}

impl RayCast for Piece {
    fn cast_local_ray_and_get_normal(
        &self,
        ray: &Ray,
        reach: f32,
        solid: bool,
    ) -> Option<RayIntersection> {
        self.0.cast_local_ray_and_get_normal(ray, reach, solid)
    }
}

impl PointQuery for Piece {
    fn project_local_point(&self, point: Vec3, solid: bool) -> PointProjection {
        self.0.project_local_point(point, solid)
    }

    fn project_local_point_and_get_feature(&self, point: Vec3) -> (PointProjection, FeatureId) {
        self.0.project_local_point_and_get_feature(point)
    }
}

impl Shape for Piece {
    fn compute_local_aabb(&self) -> Aabb {
        self.0.local_aabb()
    }

    fn compute_local_bounding_sphere(&self) -> BoundingSphere {
        self.0.local_bounding_sphere()
    }

    fn clone_dyn(&self) -> Box<dyn Shape> {
        Box::new(self.clone())
    }

    fn scale_dyn(&self, scale: Vec3, _subdivisions: u32) -> Option<Box<dyn Shape>> {
        Some(Box::new(Self(self.0.clone().scaled(scale)?)))
    }

    fn compute_aabb(&self, position: &Pose) -> Aabb {
        self.0.aabb(position)
    }

    fn mass_properties(&self, density: f32) -> MassProperties {
        self.0.mass_properties(density)
    }

    fn shape_type(&self) -> ShapeType {
        ShapeType::Custom
    }

    fn as_typed_shape(&self) -> TypedShape<'_> {
        TypedShape::Custom(self)
    }

    fn ccd_thickness(&self) -> f32 {
        self.0.ccd_thickness()
    }

    fn ccd_angular_thickness(&self) -> f32 {
        self.0.ccd_angular_thickness()
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn as_support_map(&self) -> Option<&dyn SupportMap> {
        Some(self)
    }

    fn as_polygonal_feature_map(&self) -> Option<(&dyn PolygonalFeatureMap, f32)> {
        Some((self, 0.0))
    }

    fn feature_normal_at_point(&self, feature: FeatureId, point: Vec3) -> Option<Vec3> {
        self.0.feature_normal_at_point(feature, point)
    }

    fn compute_swept_aabb(&self, start: &Pose, end: &Pose) -> Aabb {
        self.0.aabb(start).merged(&self.0.aabb(end))
    }
}
