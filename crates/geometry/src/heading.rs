use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// A direction on the floor: a start yaw plus whole turns, so that a circle of turns closes
/// exactly, however long the episode.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Heading {
    /// Yaw at the start, radians, counter-clockwise from above, 0 = −Z.
    pub start_yaw: f64,
    /// Turns made to the left since then (negative: to the right).
    pub turns: i32,
    /// Turns in a whole circle: 12 for 30°. A turn angle that does not divide the circle has
    /// its own constructor, [`Heading::turned_by`].
    pub per_circle: u32,
}

impl Heading {
    /// A heading with no turns made.
    pub fn from_yaw(yaw: f64) -> Self {
        Self { start_yaw: yaw, turns: 0, per_circle: 1 }
    }

    /// The heading after `turns` left turns of which `per_circle` make a circle.
    pub fn turned(self, turns: i32, per_circle: u32) -> Self {
        let base = if self.per_circle == per_circle || self.turns == 0 {
            self
        } else {
            Self::from_yaw(self.yaw())
        };
        let count = per_circle.max(1);
        Self {
            start_yaw: base.start_yaw,
            turns: (base.turns + turns).rem_euclid(count as i32),
            per_circle: count,
        }
    }

    /// The heading after a turn by any angle in radians (drifts like any sum of floats).
    pub fn turned_by(self, radians: f64) -> Self {
        Self::from_yaw(self.yaw() + radians)
    }

    /// Yaw in radians. Not wrapped: `start_yaw + turns · 2π / per_circle`.
    pub fn yaw(self) -> f64 {
        if self.turns == 0 {
            self.start_yaw
        } else {
            self.start_yaw + f64::from(self.turns) * TAU / f64::from(self.per_circle)
        }
    }

    /// The unit vector ahead, `(−sin yaw, 0, −cos yaw)`.
    pub fn forward(self) -> Vec3 {
        let yaw = self.yaw();
        Vec3::new(-libm::sin(yaw) as f32, 0.0, -libm::cos(yaw) as f32)
    }

    /// The unit vector to the right, `(cos yaw, 0, −sin yaw)`.
    pub fn right(self) -> Vec3 {
        let yaw = self.yaw();
        Vec3::new(libm::cos(yaw) as f32, 0.0, -libm::sin(yaw) as f32)
    }
}

/// Where a body stands: its point on the floor and its heading.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// The body's point on the floor (not a camera), metres.
    pub position: Vec3,
    /// The direction it faces.
    pub heading: Heading,
}

/// The quaternion (components x, y, z, w) of a turn by `yaw` radians about +Y.
pub fn quat_from_yaw(yaw: f64) -> Quat {
    Quat::from_xyzw(0.0, libm::sin(yaw * 0.5) as f32, 0.0, libm::cos(yaw * 0.5) as f32)
}

/// The yaw in radians, in (−π, π], of the direction in which a rotation (x, y, z, w; need not be
/// a unit quaternion) turns −Z, as seen from above.
pub fn yaw_from_quat(x: f64, y: f64, z: f64, w: f64) -> f64 {
    // Rotated −Z is (−2(xz + wy), …, −(w² − x² − y² + z²)) up to the squared norm.
    let forward_x = -2.0 * (x * z + w * y);
    let forward_z = -(w * w - x * x - y * y + z * z);
    libm::atan2(-forward_x, -forward_z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn a_left_turn_from_north_faces_west() {
        let west = Heading::from_yaw(0.0).turned(3, 12);
        assert!((west.forward() - Vec3::NEG_X).length() < 1e-7);
        assert!((west.right() - Vec3::NEG_Z).length() < 1e-7);
    }

    #[test]
    fn yaw_survives_a_quaternion() {
        for yaw in [-3.0, -1.2, 0.0, 0.5, 2.9] {
            let q = quat_from_yaw(yaw);
            let back = yaw_from_quat(q.x.into(), q.y.into(), q.z.into(), q.w.into());
            assert!((back - yaw).abs() < 1e-6, "{yaw} came back as {back}");
        }
        // Scaling a quaternion does not change what it means.
        assert!((yaw_from_quat(0.0, 2.0, 0.0, 0.0).abs() - PI).abs() < 1e-12);
    }
}
