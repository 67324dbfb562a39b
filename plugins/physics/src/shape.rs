//! Collision shapes: of a stage once for all worlds, of an object once for all its copies.

use crate::PhysicsError;
use crate::piece::Piece;
use ambler_geometry::{Aabb, Quat, Vec3};
use ambler_scene::SceneModel;
use ambler_scene::library::LibraryObject;
use bevy_rapier3d::parry::mass_properties::MassProperties as ShapeMass;
use bevy_rapier3d::parry::math::Pose;
use bevy_rapier3d::parry::query::{Ray, intersection_test};
use bevy_rapier3d::parry::shape::{Shape, SharedShape, TriMeshFlags};
use bevy_rapier3d::prelude::MassProperties;
use std::sync::Arc;

/// What does not move in a scene, as one collision shape. Built once, shared by all worlds.
#[derive(Clone)]
pub struct StageShape {
    /// The triangles of everything that stays; `None` for a scene without any.
    pub(crate) surface: Option<SharedShape>,
    /// A thin floor below the walkable area, where asked for.
    pub(crate) floor: Option<SharedShape>,
    /// Bounds of the triangles.
    pub bounds: Aabb,
    /// Friction coefficient of the stage.
    pub friction: f32,
}

impl StageShape {
    /// The stage of a scene: every placement and triangle but those of the instances for which
    /// `moves` says so (things that get bodies of their own).
    ///
    /// Triangles are taken as one-sided: a body that has sunk through is pushed out at the front.
    /// Scans with holes: see [`StageShape::with_floor`].
    pub fn new(scene: &SceneModel, moves: impl Fn(u32) -> bool) -> Self {
        let mut vertices: Vec<Vec3> = Vec::new();
        let mut triangles: Vec<[u32; 3]> = Vec::new();
        for placement in &scene.placements {
            let Some(mesh) = scene.meshes.get(placement.mesh as usize) else { continue };
            if mesh.triangle_instances.is_empty() && moves(placement.instance) {
                continue;
            }
            let base = vertices.len() as u32;
            vertices.extend(mesh.positions.iter().map(|&p| placement.world_from_mesh.point(p)));
            let mirrored = placement.world_from_mesh.is_mirrored();
            for (index, &[a, b, c]) in mesh.triangles.iter().enumerate() {
                if mesh.triangle_instances.get(index).is_some_and(|&instance| moves(instance)) {
                    continue;
                }
                let corners = if mirrored { [a, c, b] } else { [a, b, c] };
                triangles.push(corners.map(|corner| corner + base));
            }
        }
        Self::from_triangles(vertices, triangles)
    }

    /// A stage of these triangles, counter-clockwise seen from where bodies are.
    pub fn from_triangles(vertices: Vec<Vec3>, mut triangles: Vec<[u32; 3]>) -> Self {
        let bounds = Aabb::from_points(
            triangles.iter().flatten().filter_map(|&corner| vertices.get(corner as usize).copied()),
        );
        // A triangle without area has no normal to push along, and parry's topology refuses it.
        triangles.retain(|&corners| {
            let [a, b, c] = corners.map(|corner| vertices[corner as usize]);
            let (ab, ac) = (b - a, c - a);
            let area = ab.cross(ac).length_squared();
            area.is_finite() && area > 1e-16
        });
        Self { surface: trimesh(vertices, triangles), floor: None, bounds, friction: 0.7 }
    }

    /// Adds a thin floor under these triangles (a navmesh's), for scans with holes: under each
    /// corner it lies on the scan where a ray down hits it within `reach_m`, and where none does at
    /// the median height of the other corners' hits below their corners.
    pub fn with_floor(mut self, walkable: &[[Vec3; 3]], reach_m: f32) -> Self {
        let drop = |corner: Vec3| -> Option<f32> {
            let surface = self.surface.as_ref()?;
            let ray = Ray::new(corner + Vec3::Y * 0.05, Vec3::NEG_Y);
            let toi = surface.cast_ray(&Pose::IDENTITY, &ray, reach_m + 0.05, false)?;
            Some(toi - 0.05)
        };
        let mut drops: Vec<f32> = walkable.iter().flatten().filter_map(|&corner| drop(corner)).collect();
        drops.sort_unstable_by(f32::total_cmp);
        let usual = drops.get(drops.len() / 2).copied().unwrap_or(0.0);
        // Two millimetres lower, so that it carries nothing that the scan itself carries.
        let lower = |corner: Vec3| corner - Vec3::Y * (drop(corner).unwrap_or(usual) + 0.002);
        let vertices: Vec<Vec3> = walkable.iter().flatten().map(|&corner| lower(corner)).collect();
        let mut triangles = Vec::with_capacity(walkable.len());
        for index in 0..walkable.len() as u32 {
            let [a, b, c] = [0, 1, 2].map(|corner| index * 3 + corner);
            let [p, q, r] = [a, b, c].map(|corner| vertices[corner as usize]);
            let up = (q - p).cross(r - p);
            if up.length_squared() > 1e-12 {
                triangles.push(if up.y >= 0.0 { [a, b, c] } else { [a, c, b] });
            }
        }
        self.floor = trimesh(vertices, triangles);
        self
    }

    /// Moves the surface outward by a margin (metres), corner by corner along the mean normal: what a
    /// collision margin does to bodies that lie on it. Habitat gives stages 0.04.
    pub fn with_margin(mut self, margin_m: f32) -> Self {
        let Some(mesh) = self.surface.as_ref().and_then(|shape| shape.as_trimesh()) else { return self };
        let mut normals = vec![Vec3::ZERO; mesh.vertices().len()];
        for &corners in mesh.indices() {
            let [a, b, c] = corners.map(|corner| mesh.vertices()[corner as usize]);
            let area = (b - a).cross(c - a);
            corners.iter().for_each(|&corner| normals[corner as usize] += area);
        }
        let moved = mesh.vertices().iter().zip(&normals);
        let vertices = moved.map(|(&at, normal)| at + normal.normalize_or_zero() * margin_m).collect();
        let triangles = mesh.indices().to_vec();
        self.surface = trimesh(vertices, triangles);
        self
    }

    /// Whether a thing at this pose would reach into the surface of the stage.
    pub fn overlaps(&self, shape: &ObjectShape, position: Vec3, rotation: Quat) -> bool {
        let pose = Pose::from_parts(position, rotation);
        [&self.surface, &self.floor].into_iter().flatten().any(|surface| {
            intersection_test(&Pose::IDENTITY, &**surface, &pose, &*shape.shape).unwrap_or(false)
        })
    }

    /// Casts a ray against the stage. Returns the distance along `direction` (of length one).
    pub fn cast_ray(&self, origin: Vec3, direction: Vec3, reach_m: f32) -> Option<f32> {
        let ray = Ray::new(origin, direction);
        [&self.surface, &self.floor]
            .into_iter()
            .flatten()
            .filter_map(|shape| shape.cast_ray(&Pose::IDENTITY, &ray, reach_m, false))
            .min_by(f32::total_cmp)
    }
}

fn trimesh(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Option<SharedShape> {
    if triangles.is_empty() {
        return None;
    }
    // Internal edges would trip what slides over them.
    let flags = TriMeshFlags::FIX_INTERNAL_EDGES;
    SharedShape::trimesh_with_flags(vertices.clone(), triangles.clone(), flags)
        .or_else(|_| SharedShape::trimesh_with_flags(vertices, triangles, TriMeshFlags::empty()))
        .ok()
}

/// Lighter things are moved as if they had this mass, kilograms: no solver holds a keyboard on a pen
/// of 17 g without pressing one into the other.
const LEAST_MASS_KG: f32 = 0.1;

/// The collision shape of an object and how its mass is spread.
#[derive(Clone)]
pub struct ObjectShape {
    pub(crate) shape: SharedShape,
    pub(crate) mass: MassProperties,
    /// Bounds in the object's frame, metres.
    pub bounds: Aabb,
}

impl ObjectShape {
    /// The union of convex pieces, each the hull of its points (object's frame, metres), with this
    /// mass spread evenly over their volume.
    ///
    /// # Errors
    /// A mass that is not positive, no piece, a point that is not finite, a piece without volume.
    pub fn from_hulls<'a>(
        hulls: impl IntoIterator<Item = &'a [Vec3]>,
        mass_kg: f32,
    ) -> Result<Arc<Self>, PhysicsError> {
        let mut pieces = Vec::new();
        let mut bounds = Aabb::EMPTY;
        for (index, points) in hulls.into_iter().enumerate() {
            if let Some(point) = points.iter().find(|point| !point.is_finite()) {
                return Err(PhysicsError::Shape(format!("piece {index} has a corner at {point}")));
            }
            let piece = Piece::hull(points).ok_or_else(|| {
                PhysicsError::Shape(format!("piece {index} of {} points has no volume", points.len()))
            })?;
            points.iter().for_each(|&point| bounds.grow(point));
            pieces.push(SharedShape::new(piece));
        }
        Self::from_pieces(pieces, mass_kg, bounds)
    }

    /// A box with these half sides (metres) about its middle.
    ///
    /// # Errors
    /// Sides or a mass that are not positive.
    pub fn cuboid(half: Vec3, mass_kg: f32) -> Result<Arc<Self>, PhysicsError> {
        if !(half.min_element() > 0.0) || !half.is_finite() {
            return Err(PhysicsError::Shape(format!("a box with half sides {half}")));
        }
        let piece = SharedShape::cuboid(half.x, half.y, half.z);
        Self::from_pieces(vec![piece], mass_kg, Aabb { min: -half, max: half })
    }

    /// A ball about its middle.
    ///
    /// # Errors
    /// A radius or a mass that is not positive.
    pub fn ball(radius_m: f32, mass_kg: f32) -> Result<Arc<Self>, PhysicsError> {
        if !(radius_m > 0.0) || !radius_m.is_finite() {
            return Err(PhysicsError::Shape(format!("a ball of radius {radius_m}")));
        }
        let half = Vec3::splat(radius_m);
        Self::from_pieces(vec![SharedShape::ball(radius_m)], mass_kg, Aabb { min: -half, max: half })
    }

    fn from_pieces(
        mut pieces: Vec<SharedShape>,
        mass_kg: f32,
        bounds: Aabb,
    ) -> Result<Arc<Self>, PhysicsError> {
        if !(mass_kg > 0.0) || !mass_kg.is_finite() {
            return Err(PhysicsError::Shape(format!("a mass of {mass_kg} kg")));
        }
        let spread: ShapeMass = pieces.iter().map(|piece| piece.mass_properties(1.0)).sum();
        let volume = spread.mass();
        if !(volume > 0.0) || !volume.is_finite() {
            return Err(PhysicsError::Shape("no piece with a volume".to_string()));
        }
        let shape = match pieces.pop() {
            Some(only) if pieces.is_empty() => only,
            Some(last) => {
                pieces.push(last);
                SharedShape::compound(pieces.into_iter().map(|piece| (Pose::IDENTITY, piece)).collect())
            }
            None => return Err(PhysicsError::Shape("no piece".to_string())),
        };
        let solved_kg = mass_kg.max(LEAST_MASS_KG);
        let mass = MassProperties {
            local_center_of_mass: spread.local_com,
            mass: solved_kg,
            principal_inertia_local_frame: spread.principal_inertia_local_frame,
            principal_inertia: spread.principal_inertia() * (solved_kg / volume),
        };
        Ok(Arc::new(Self { shape, mass, bounds }))
    }

    /// The shape of a library's object: its convex pieces, or a ball where it is one.
    ///
    /// # Errors
    /// As [`ObjectShape::from_hulls`].
    pub fn of_library(object: &LibraryObject) -> Result<Arc<Self>, PhysicsError> {
        if object.ball_m > 0.0 && object.ball_m.is_finite() {
            let middle = object.bounds.center();
            let half = Vec3::splat(object.ball_m);
            let bounds = Aabb { min: middle - half, max: middle + half };
            let ball = SharedShape::ball(object.ball_m);
            let placed = SharedShape::compound(vec![(Pose::from_translation(middle), ball)]);
            return Self::from_pieces(vec![placed], object.mass_kg, bounds);
        }
        Self::from_hulls(object.hulls.iter().map(|hull| hull.points.as_slice()), object.mass_kg)
    }

    /// Centre of mass in the object's frame, metres.
    pub fn center_of_mass(&self) -> Vec3 {
        self.mass.local_center_of_mass
    }

    /// Bounds of the shape turned by `rotation` about its origin, metres. Exact, where the bounds that
    /// parry gives for several pieces are those of the turned box around them.
    pub fn bounds_turned(&self, rotation: Quat) -> Aabb {
        let turned = Pose::from_parts(Vec3::ZERO, rotation);
        let mut bounds = Aabb::EMPTY;
        let mut grow = |pose: Pose, piece: &dyn Shape| match piece.as_support_map() {
            Some(piece) => {
                for direction in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z] {
                    bounds.grow(piece.support_point(&pose, direction));
                }
            }
            None => {
                let around = piece.compute_aabb(&pose);
                bounds.grow(around.mins);
                bounds.grow(around.maxs);
            }
        };
        match self.shape.as_compound() {
            Some(compound) => {
                compound.shapes().iter().for_each(|(pose, piece)| grow(turned * *pose, &**piece));
            }
            None => grow(turned, &*self.shape),
        }
        bounds
    }
}
