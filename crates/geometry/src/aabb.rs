use glam::Vec3;
use serde::{Deserialize, Serialize};

/// An axis-aligned box in metres. An empty box has `min > max` on every axis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Aabb {
    /// The corner with the smallest coordinates.
    pub min: Vec3,
    /// The corner with the largest coordinates.
    pub max: Vec3,
}

impl Default for Aabb {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl Aabb {
    /// The box that contains nothing; growing it by a point gives that point.
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// The smallest box around the points.
    pub fn from_points(points: impl IntoIterator<Item = Vec3>) -> Self {
        let mut aabb = Self::EMPTY;
        for point in points {
            aabb.grow(point);
        }
        aabb
    }

    /// Grows the box to hold the point.
    pub fn grow(&mut self, point: Vec3) {
        self.min = self.min.min(point);
        self.max = self.max.max(point);
    }

    /// The smallest box around both.
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// True when the box holds no point.
    pub fn is_empty(&self) -> bool {
        !(self.min.x <= self.max.x && self.min.y <= self.max.y && self.min.z <= self.max.z)
    }

    /// Edge lengths; zero for an empty box.
    pub fn size(&self) -> Vec3 {
        if self.is_empty() { Vec3::ZERO } else { self.max - self.min }
    }

    /// The middle; zero for an empty box.
    pub fn center(&self) -> Vec3 {
        if self.is_empty() { Vec3::ZERO } else { (self.min + self.max) * 0.5 }
    }

    /// True when the point lies in the box or on its border.
    pub fn contains(&self, point: Vec3) -> bool {
        point.cmpge(self.min).all() && point.cmple(self.max).all()
    }

    /// The box grown by `margin` metres on every side.
    pub fn inflated(self, margin: f32) -> Self {
        Self { min: self.min - Vec3::splat(margin), max: self.max + Vec3::splat(margin) }
    }

    /// Distance in metres from the point to the box; 0 inside.
    pub fn distance(&self, point: Vec3) -> f32 {
        (point - point.clamp(self.min, self.max)).length()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_box_grows_to_its_first_point() {
        let mut aabb = Aabb::EMPTY;
        assert!(aabb.is_empty() && aabb.size() == Vec3::ZERO);
        aabb.grow(Vec3::new(1.0, 2.0, 3.0));
        assert!(!aabb.is_empty() && aabb.contains(Vec3::new(1.0, 2.0, 3.0)));
        assert_eq!(aabb.distance(Vec3::new(1.0, 2.0, 7.0)), 4.0);
    }
}
