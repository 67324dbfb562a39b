//! Vessels: what is open to the top and has a wall all around. Their pieces are a floor and staves, so
//! that things can lie in them; a decomposition by volume alone fills such thin walls up.

use ambler_geometry::{Aabb, Vec2, Vec3};
use std::f32::consts::TAU;

/// Sectors that are looked at to tell a vessel.
const SECTORS: usize = 12;
/// The inner floor of a vessel lies below this share of its height.
const DEEP: f32 = 0.5;
/// The floor is filled up by this share of the height.
const EVEN: f32 = 0.08;
/// Its wall reaches this share of its height all around.
const WALL: f32 = 0.7;

/// The pieces of a vessel, not yet cut down to few corners; `None` for everything else.
pub(super) fn staves(points: &[Vec3], triangles: &[[u32; 3]]) -> Option<Vec<Vec<Vec3>>> {
    let bounds = Aabb::from_points(points.iter().copied());
    let (low, height) = (bounds.min.y, bounds.size().y);
    // The middle of what it stands on: handles do not reach down there.
    let foot = Aabb::from_points(points.iter().copied().filter(|p| p.y < low + 0.15 * height));
    let axis = Vec2::new(foot.center().x, foot.center().z);
    let out = |p: Vec3| Vec2::new(p.x, p.z) - axis;
    let sector = |p: Vec3| {
        let d = out(p);
        let turn = libm::atan2f(d.x, d.y) / TAU;
        ((turn.rem_euclid(1.0) * SECTORS as f32) as usize).min(SECTORS - 1)
    };
    let mut reach = [0.0_f32; SECTORS];
    let mut top = [low; SECTORS];
    for &point in points {
        let s = sector(point);
        if point.y > low + WALL * height {
            reach[s] = reach[s].max(out(point).length());
        }
        top[s] = top[s].max(point.y);
    }
    let mut sorted = reach;
    sorted.sort_by(f32::total_cmp);
    let radius = sorted[SECTORS / 2];
    if reach.iter().any(|&r| r < radius * 0.5) || radius <= 0.0 {
        return None;
    }
    // The highest surface near the axis: the inner floor, if nothing covers it.
    let corners = |t: &[u32; 3]| t.map(|i| points.get(i as usize).copied().unwrap_or_default());
    let mut floor = f32::NEG_INFINITY;
    for triangle in triangles {
        for point in near_axis(corners(triangle), axis, radius * 0.35) {
            floor = floor.max(point.y);
        }
    }
    if !(floor > low && floor < low + DEEP * height) {
        return None;
    }
    // Inner floors are not even: what lies a little above counts as floor, else staves would reach in.
    let floor = floor + EVEN * height;
    // How far the wall bends away from the straight line between floor and rim, on the inside.
    let inner = |y: f32| -> f32 {
        let band = height * 0.04;
        let mut least = [f32::INFINITY; SECTORS];
        for triangle in triangles {
            for p in corners(triangle) {
                if (p.y - y).abs() < band && out(p).length() > radius * 0.3 {
                    least[sector(p)] = least[sector(p)].min(out(p).length());
                }
            }
        }
        least.sort_by(f32::total_cmp);
        least[SECTORS / 2]
    };
    let rim = low + height * 0.94;
    let (below, half, above) = (inner(floor + height * 0.06), inner((floor + rim) * 0.5), inner(rim));
    let bent = half.is_finite() && half - (below + above) * 0.5 > radius * 0.05;
    let cut = floor + (bounds.max.y - floor) * 0.42;
    let (count, bands) = if bent {
        (7, vec![(floor, cut), (cut, bounds.max.y)])
    } else {
        (SECTORS, vec![(floor, bounds.max.y)])
    };
    let mut pieces = Vec::new();
    let mut base = Vec::new();
    for triangle in triangles {
        base.extend(clip(corners(triangle).to_vec(), |p| floor - p.y));
    }
    pieces.push(base);
    for (from, to) in bands {
        for stave in 0..count {
            let side = |turn: f32| {
                let a = TAU * turn / count as f32;
                Vec2::new(libm::sinf(a), libm::cosf(a))
            };
            let (a, b) = (side(stave as f32), side(stave as f32 + 1.0));
            let mut piece = Vec::new();
            for triangle in triangles {
                let polygon = clip(corners(triangle).to_vec(), |p| p.y - from);
                let polygon = clip(polygon, |p| to - p.y);
                // Between the two sides of the stave.
                let polygon = clip(polygon, |p| -a.perp_dot(out(p)));
                piece.extend(clip(polygon, |p| b.perp_dot(out(p))));
            }
            pieces.push(piece);
        }
    }
    Some(pieces)
}

/// Corners and middles of a triangle that lie within `radius` of the axis, and where it crosses it.
fn near_axis([a, b, c]: [Vec3; 3], axis: Vec2, radius: f32) -> Vec<Vec3> {
    let flat = |p: Vec3| Vec2::new(p.x, p.z) - axis;
    let mut list: Vec<Vec3> =
        [a, b, c, (a + b + c) / 3.0, (a + b) * 0.5, (b + c) * 0.5, (c + a) * 0.5].into();
    let (u, v, w) = (flat(a), flat(b), flat(c));
    let (x, y, z) = (v.perp_dot(w), w.perp_dot(u), u.perp_dot(v));
    let area = x + y + z;
    if area.abs() > 1e-14 && [x, y, z].iter().all(|part| part / area >= 0.0) {
        list.push((a * x + b * y + c * z) / area);
    }
    list.retain(|&p| flat(p).length() < radius);
    list
}

/// The part of a polygon where `inside` is not negative (Sutherland–Hodgman).
fn clip(polygon: Vec<Vec3>, inside: impl Fn(Vec3) -> f32) -> Vec<Vec3> {
    let mut out = Vec::with_capacity(polygon.len() + 1);
    for (i, &point) in polygon.iter().enumerate() {
        let before = polygon[(i + polygon.len() - 1) % polygon.len()];
        let (d0, d1) = (inside(before), inside(point));
        if (d0 < 0.0) != (d1 < 0.0) {
            out.push(before + (point - before) * (d0 / (d0 - d1)));
        }
        if d1 >= 0.0 {
            out.push(point);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::convex::{convex_hull, simplify_pieces};

    /// A bowl of revolution, its wall 5 mm thick, and its surface.
    fn bowl(closed: bool) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let mut rings = vec![(0.0, 0.0), (0.05, 0.0), (0.08, 0.03), (0.09, 0.06)];
        rings.extend(if closed {
            vec![(0.0, 0.06)]
        } else {
            vec![(0.085, 0.06), (0.075, 0.03), (0.045, 0.006), (0.0, 0.006)]
        });
        let sides = 24;
        let mut points = Vec::new();
        for &(r, y) in &rings {
            for k in 0..sides {
                let a = TAU * k as f32 / sides as f32;
                points.push(Vec3::new(r * libm::sinf(a), y, r * libm::cosf(a)));
            }
        }
        let mut triangles = Vec::new();
        for ring in 0..rings.len() as u32 - 1 {
            for k in 0..sides {
                let (a, b) = (ring * sides + k, ring * sides + (k + 1) % sides);
                triangles.extend([[a, b, b + sides], [a, b + sides, a + sides]]);
            }
        }
        (points, triangles)
    }

    #[test]
    fn a_bowl_stays_hollow_and_a_closed_body_is_no_vessel() {
        let (points, triangles) = bowl(false);
        let pieces = simplify_pieces(&staves(&points, &triangles).unwrap(), 0.03);
        assert!(pieces.len() <= 16, "{}", pieces.len());
        let hulls: Vec<_> = pieces.iter().map(|p| convex_hull(&p.points, 999, 0.0).unwrap()).collect();
        for share in [0.25, 0.5, 0.9] {
            for x in [0.0, 0.03] {
                let point = Vec3::new(x, 0.06 * share, 0.0);
                assert!(hulls.iter().all(|hull| hull.outside_m(point) > 0.0), "{point} is filled");
            }
        }
        let wall = Vec3::new(0.0, 0.045, 0.0825);
        assert!(hulls.iter().any(|hull| hull.outside_m(wall) < 0.001), "the wall is missing");
        let (points, triangles) = bowl(true);
        assert!(staves(&points, &triangles).is_none());
    }
}
