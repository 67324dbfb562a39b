use glam::{Mat3, Quat, Vec3};
use serde::{Deserialize, Serialize};

/// An affine map: `point ↦ matrix · point + translation`. Named `world_from_camera`: it takes
/// camera coordinates to world coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Affine {
    /// The linear part: rotation, scale, shear.
    pub matrix: Mat3,
    /// The image of the origin, in metres.
    pub translation: Vec3,
}

impl Default for Affine {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Affine {
    /// The map that changes nothing.
    pub const IDENTITY: Self = Self { matrix: Mat3::IDENTITY, translation: Vec3::ZERO };

    /// z-up to y-up, (x, y, z) → (x, z, −y): how scans stored z up enter Ambler's world.
    pub const Y_UP_FROM_Z_UP: Self = Self {
        matrix: Mat3::from_cols(
            Vec3::new(1.0, 0.0, 0.0),
            Vec3::new(0.0, 0.0, -1.0),
            Vec3::new(0.0, 1.0, 0.0),
        ),
        translation: Vec3::ZERO,
    };

    /// A rotation, then a translation.
    pub fn from_rotation_translation(rotation: Quat, translation: Vec3) -> Self {
        Self { matrix: Mat3::from_quat(rotation), translation }
    }

    /// A scale, then a rotation, then a translation (glTF's order).
    pub fn from_scale_rotation_translation(scale: Vec3, rotation: Quat, translation: Vec3) -> Self {
        Self { matrix: Mat3::from_quat(rotation) * Mat3::from_diagonal(scale), translation }
    }

    /// The image of a point.
    pub fn point(&self, point: Vec3) -> Vec3 {
        self.matrix * point + self.translation
    }

    /// The image of a direction.
    pub fn vector(&self, vector: Vec3) -> Vec3 {
        self.matrix * vector
    }

    /// `self` after `inner`.
    pub fn compose(&self, inner: &Self) -> Self {
        Self {
            matrix: self.matrix * inner.matrix,
            translation: self.matrix * inner.translation + self.translation,
        }
    }

    /// The inverse map, `None` where the matrix is singular or not finite.
    pub fn inverse(&self) -> Option<Self> {
        let determinant = self.matrix.determinant();
        if !determinant.is_finite() || determinant == 0.0 {
            return None;
        }
        let matrix = self.matrix.inverse();
        Some(Self { matrix, translation: -(matrix * self.translation) })
    }

    /// True for a map that turns triangles inside out (negative determinant).
    pub fn is_mirrored(&self) -> bool {
        self.matrix.determinant() < 0.0
    }

    /// True when every number is finite.
    pub fn is_finite(&self) -> bool {
        self.matrix.is_finite() && self.translation.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn z_up_becomes_y_up() {
        assert_eq!(Affine::Y_UP_FROM_Z_UP.point(Vec3::new(1.0, 2.0, 3.0)), Vec3::new(1.0, 3.0, -2.0));
        assert!(!Affine::Y_UP_FROM_Z_UP.is_mirrored());
    }

    #[test]
    fn compose_applies_the_inner_map_first() {
        let scale = Affine { matrix: Mat3::from_diagonal(Vec3::splat(2.0)), translation: Vec3::X };
        let turn = Affine::Y_UP_FROM_Z_UP;
        let point = Vec3::new(0.5, -1.0, 4.0);
        assert_eq!(scale.compose(&turn).point(point), scale.point(turn.point(point)));
        assert_eq!(scale.inverse().expect("a scale by 2 inverts").point(scale.point(point)), point);
    }
}
