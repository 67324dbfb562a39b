//! Geometry on the floor plane, operation for operation as Detour rounds it.

use ambler_geometry::Vec3;

/// Two points nearer than this (squared) count as one corner of a path.
const SAME_POINT_SQUARED: f32 = (1.0 / 16384.0) * (1.0 / 16384.0);
/// Below this cross product segments count as parallel, triangles as upright.
const FLAT: f32 = 1e-6;

pub(crate) fn distance_squared(a: Vec3, b: Vec3) -> f32 {
    let d = b - a;
    d.x * d.x + d.y * d.y + d.z * d.z
}

pub(crate) fn distance(a: Vec3, b: Vec3) -> f32 {
    distance_squared(a, b).sqrt()
}

pub(crate) fn same_point(a: Vec3, b: Vec3) -> bool {
    distance_squared(a, b) < SAME_POINT_SQUARED
}

pub(crate) fn lerp(a: Vec3, b: Vec3, t: f32) -> Vec3 {
    a + (b - a) * t
}

/// Twice the signed area of the triangle on the floor plane; positive when c lies to the left of
/// a→b in Detour's sense.
pub(crate) fn turn(a: Vec3, b: Vec3, c: Vec3) -> f32 {
    let (ab_x, ab_z, ac_x, ac_z) = (b.x - a.x, b.z - a.z, c.x - a.x, c.z - a.z);
    ac_x * ab_z - ab_x * ac_z
}

/// Squared distance on the floor plane from a point to a segment, and where on it, 0 to 1.
pub(crate) fn to_segment(point: Vec3, p: Vec3, q: Vec3) -> (f32, f32) {
    let (pq_x, pq_z) = (q.x - p.x, q.z - p.z);
    let (dx, dz) = (point.x - p.x, point.z - p.z);
    let length_squared = pq_x * pq_x + pq_z * pq_z;
    let mut t = pq_x * dx + pq_z * dz;
    if length_squared > 0.0 {
        t /= length_squared;
    }
    t = t.clamp(0.0, 1.0);
    let (dx, dz) = (p.x + t * pq_x - point.x, p.z + t * pq_z - point.z);
    (dx * dx + dz * dz, t)
}

/// Even-odd test on the floor plane.
pub(crate) fn inside(point: Vec3, ring: &[Vec3]) -> bool {
    let mut inside = false;
    let Some(mut before) = ring.last().copied() else {
        return false;
    };
    for &corner in ring {
        if (corner.z > point.z) != (before.z > point.z)
            && point.x < (before.x - corner.x) * (point.z - corner.z) / (before.z - corner.z) + corner.x
        {
            inside = !inside;
        }
        before = corner;
    }
    inside
}

/// Height of a triangle at a point, when it lies above or below it.
pub(crate) fn height_in_triangle(point: Vec3, [a, b, c]: [Vec3; 3]) -> Option<f32> {
    let (v0, v1, v2) = (c - a, b - a, point - a);
    let mut area = v0.x * v1.z - v0.z * v1.x;
    if area.abs() < FLAT {
        return None;
    }
    let mut u = v1.z * v2.x - v1.x * v2.z;
    let mut v = v0.x * v2.z - v0.z * v2.x;
    if area < 0.0 {
        (area, u, v) = (-area, -u, -v);
    }
    (u >= 0.0 && v >= 0.0 && (u + v) <= area).then(|| a.y + (v0.y * u + v1.y * v) / area)
}

/// Where the lines a–b and c–d cross: the share of a–b and of c–d; none when parallel.
pub(crate) fn cross_lines(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> Option<(f32, f32)> {
    let (u, v, w) = (b - a, d - c, a - c);
    let cross = |p: Vec3, q: Vec3| p.x * q.z - p.z * q.x;
    let area = cross(u, v);
    (area.abs() >= FLAT).then(|| (cross(v, w) / area, cross(u, w) / area))
}

/// Where the segments a–b and c–d cross: the share of a–b.
pub(crate) fn cross_segments(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> Option<f32> {
    let (s, t) = cross_lines(a, b, c, d)?;
    ((0.0..=1.0).contains(&t) && (0.0..=1.0).contains(&s)).then_some(s)
}

/// The point of a polygon nearest to a point on the floor plane: the point itself inside.
pub(crate) fn clamp_to_ring(point: Vec3, ring: &[Vec3]) -> Vec3 {
    if inside(point, ring) {
        return point;
    }
    let mut best = (f32::MAX, point);
    for edge in 0..ring.len() {
        let (a, b) = (ring[edge], ring[(edge + 1) % ring.len()]);
        let (squared, t) = to_segment(point, a, b);
        if edge == 0 || squared < best.0 {
            best = (squared, lerp(a, b, t));
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_outside_a_square_is_clamped_to_its_side() {
        let square = [(0.0, 0.0), (0.0, 2.0), (2.0, 2.0), (2.0, 0.0)].map(|(x, z)| Vec3::new(x, 1.0, z));
        let inside_point = Vec3::new(0.5, 7.0, 0.5);
        assert_eq!(clamp_to_ring(inside_point, &square), inside_point);
        assert_eq!(clamp_to_ring(Vec3::new(3.0, 7.0, 1.5), &square), Vec3::new(2.0, 1.0, 1.5));
        assert_eq!(cross_segments(square[0], square[2], square[1], square[3]), Some(0.5));
        assert_eq!(cross_segments(square[0], square[1], square[3], square[2]), None);
    }
}
