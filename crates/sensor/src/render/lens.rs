//! The geometry of one view: rays of pixels, edges and planes of triangles, in camera space.
//!
//! A pixel's ray is (rx, ry, −1): the direction from the eye for a pinhole camera, the point where
//! it crosses the plane z = −1 for an orthographic one. An edge from `a` to `b` is the plane
//! through it and the eye (or along the rays); its normal is `b × a`, with z set to −1 first for
//! an orthographic camera. A ray is inside a triangle where it lies on the inner side of all three
//! edges. This holds for triangles that pass beside or behind the eye, so nothing is clipped.
//!
//! Nothing is seen twice or missed along a shared edge: swapping `a` and `b` negates the normal
//! and every product with it exactly, bit for bit, and a ray that hits an edge exactly belongs to
//! one of the two sides by the sign of the normal.

use super::rays::Rays;
use crate::{CameraSpec, Projection};
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// Pixels along a side of a tile, of which the fast renderer knows what is farthest in it.
pub(crate) const TILE: usize = 8;

pub(crate) struct Lens {
    /// Rays of pixels where they go through no plane image.
    pub(crate) wide: Option<Arc<Rays>>,
    /// Depth along the axis of the cube's face instead of the ray.
    pub(crate) face_depth: bool,
    /// The rays are a fisheye's.
    pub(crate) fisheye: bool,
    pub(crate) orthographic: bool,
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Pixels a unit of ray coordinates.
    pub(crate) scale: f64,
    pub(crate) center: [f64; 2],
    pub(crate) near: f64,
    pub(crate) far: f64,
    pub(crate) cull: bool,
}

/// Takes points of a mesh to camera space.
#[derive(Clone, Copy)]
pub(crate) struct CameraFromMesh {
    pub(crate) matrix: DMat3,
    pub(crate) translation: DVec3,
}

impl CameraFromMesh {
    /// Written out, so that the same point always gets the same bits.
    pub(crate) fn point(&self, p: DVec3) -> DVec3 {
        let m = &self.matrix;
        let row = |x: f64, y: f64, z: f64, t: f64| x * p.x + y * p.y + z * p.z + t;
        DVec3::new(
            row(m.x_axis.x, m.y_axis.x, m.z_axis.x, self.translation.x),
            row(m.x_axis.y, m.y_axis.y, m.z_axis.y, self.translation.y),
            row(m.x_axis.z, m.y_axis.z, m.z_axis.z, self.translation.z),
        )
    }
}

impl Lens {
    /// For a spec that has been validated.
    pub(crate) fn new(spec: &CameraSpec) -> Self {
        Self::with(spec, Rays::new(spec).map(Arc::new))
    }

    /// The same with the spec's rays.
    pub(crate) fn with(spec: &CameraSpec, wide: Option<Arc<Rays>>) -> Self {
        Self {
            wide,
            face_depth: spec.face_depth,
            fisheye: matches!(spec.projection, Projection::Fisheye { .. }),
            orthographic: matches!(spec.projection, Projection::Orthographic { .. }),
            width: spec.width as usize,
            height: spec.height as usize,
            scale: spec.pixel_scale(),
            center: [f64::from(spec.width) * 0.5, f64::from(spec.height) * 0.5],
            near: f64::from(spec.near_m),
            far: f64::from(spec.far_m),
            cull: spec.cull_back_faces,
        }
    }

    /// rx of a column.
    pub(crate) fn ray_x(&self, column: usize) -> f64 {
        (column as f64 + 0.5 - self.center[0]) / self.scale
    }

    /// ry of a row.
    pub(crate) fn ray_y(&self, row: usize) -> f64 {
        (self.center[1] - (row as f64 + 0.5)) / self.scale
    }

    /// The ray of a pixel; of one right or below of the image too.
    pub(crate) fn ray(&self, column: usize, row: usize) -> DVec3 {
        match &self.wide {
            Some(rays) => rays.get(column, row),
            None => DVec3::new(self.ray_x(column), self.ray_y(row), -1.0),
        }
    }

    /// Image position of a point that is not nearer than `near`.
    pub(crate) fn project(&self, p: DVec3) -> [f64; 2] {
        let scale = if self.orthographic { self.scale } else { self.scale / -p.z };
        [self.center[0] + p.x * scale, self.center[1] - p.y * scale]
    }

    /// Normal of the edge from `a` to `b`; positive products with rays inside a front face.
    #[inline]
    pub(crate) fn edge(&self, a: DVec3, b: DVec3) -> DVec3 {
        let (az, bz) = if self.orthographic { (-1.0, -1.0) } else { (a.z, b.z) };
        DVec3::new(b.y * az - bz * a.y, bz * a.x - b.x * az, b.x * a.y - b.y * a.x)
    }
}

/// The plane of a triangle: where a ray meets it.
#[derive(Clone, Copy)]
pub(crate) struct Plane {
    normal: DVec3,
    offset: f64,
    orthographic: bool,
    nearest: f64,
    farthest: f64,
}

impl Plane {
    /// From the edges' own vectors rather than from the eye's: small far triangles keep all their
    /// digits.
    #[inline]
    pub(crate) fn new(lens: &Lens, [a, b, c]: [DVec3; 3]) -> Self {
        let (u, v) = (b - a, c - a);
        let normal = DVec3::new(u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x);
        let offset = normal.x * a.x + normal.y * a.y + normal.z * a.z;
        Self {
            normal,
            offset,
            orthographic: lens.orthographic,
            nearest: (-a.z).min(-b.z).min(-c.z),
            farthest: (-a.z).max(-b.z).max(-c.z),
        }
    }

    /// Distance along a ray of length 1 to where it meets the plane.
    #[inline]
    pub(crate) fn distance(&self, ray: DVec3) -> f64 {
        let n = self.normal;
        self.offset / (n.x * ray.x + n.y * ray.y + n.z * ray.z)
    }

    /// Distance of the plane from the eye.
    #[inline]
    pub(crate) fn away(&self) -> f64 {
        let n = self.normal;
        self.offset.abs() / libm::sqrt(n.x * n.x + n.y * n.y + n.z * n.z)
    }

    /// Positive for a triangle seen from its front, negative from its back; 0 or NaN for one that
    /// shows no face.
    #[inline]
    pub(crate) fn facing(&self) -> f64 {
        if self.orthographic { self.normal.z } else { -self.offset }
    }

    /// Planar depth where the ray meets the plane. A ray inside the triangle meets it between its
    /// corners: the clamp keeps slivers seen edge-on from leaving their place.
    #[inline]
    pub(crate) fn depth(&self, rx: f64, ry: f64) -> f64 {
        let along = self.normal.x * rx + self.normal.y * ry;
        let depth = if self.orthographic {
            (along - self.offset) / self.normal.z
        } else {
            self.offset / (along - self.normal.z)
        };
        depth.max(self.nearest).min(self.farthest)
    }

    pub(crate) fn nearest(&self) -> f64 {
        self.nearest
    }

    pub(crate) fn farthest(&self) -> f64 {
        self.farthest
    }
}
