//! Random points on the navmesh, from a seeded stream.

use super::NavQuery;
use super::nearest::Filter;
use ambler_geometry::Vec3;
use ambler_geometry::random::Stream;

/// How often a point around a centre is drawn before the whole island is asked instead.
const TRIES: usize = 200;

impl NavQuery {
    /// A point drawn uniformly over the area of the navmesh, or of one of its islands. None when
    /// there is no area (or no such island).
    pub fn random_point(&mut self, stream: &mut Stream, island: Option<u32>) -> Option<Vec3> {
        self.random_of(stream, |poly| island.is_none_or(|island| poly.island == island))
    }

    /// A point drawn uniformly over that part of the navmesh (of all islands) which lies within
    /// `radius_m` of a centre on the floor plane and within 4 m of it in height. None when there
    /// is no such part or chance did not hit it in 200 tries.
    pub fn random_point_near(
        &mut self,
        stream: &mut Stream,
        center: Vec3,
        radius_m: f32,
    ) -> Option<Vec3> {
        if !(center.is_finite() && radius_m.is_finite() && radius_m >= 0.0) {
            return None;
        }
        let near = |point: Vec3| {
            let (dx, dz) = (point.x - center.x, point.z - center.z);
            dx * dx + dz * dz <= radius_m * radius_m && (point.y - center.y).abs() <= 4.0
        };
        // Triangles whose box meets the circle; then rejection.
        (0..TRIES).find_map(|_| {
            let point = self.random_of(stream, |poly| {
                let [min_x, min_z, max_x, max_z] = poly.bounds;
                let dx = (min_x - center.x).max(center.x - max_x).max(0.0);
                let dz = (min_z - center.z).max(center.z - max_z).max(0.0);
                dx * dx + dz * dz <= radius_m * radius_m
            })?;
            near(point).then_some(point)
        })
    }

    /// A point drawn uniformly over the detail triangles of the polygons that pass.
    fn random_of(
        &mut self,
        stream: &mut Stream,
        passes: impl Fn(&crate::surface::SurfacePoly) -> bool,
    ) -> Option<Vec3> {
        let surface = self.mesh.surface();
        let eligible =
            || surface.polys.iter().enumerate().filter(|(_, poly)| poly.walkable && passes(poly));
        let area: f64 = eligible().map(|(_, poly)| f64::from(poly.area_m2)).sum();
        if !(area > 0.0 && area.is_finite()) {
            return None;
        }
        let mut left = stream.range(0.0, area);
        let mut chosen = None;
        for (index, poly) in eligible() {
            chosen = Some(index as u32);
            left -= f64::from(poly.area_m2);
            if left < 0.0 {
                break;
            }
        }
        let chosen = chosen?;
        let tris = surface.tris_of(chosen);
        let areas = || tris.iter().map(|tri| crate::surface::triangle_area(tri.corners));
        let mut left = stream.range(0.0, areas().sum());
        let mut corners = tris.first()?.corners;
        for (tri, area) in tris.iter().zip(areas()) {
            corners = tri.corners;
            left -= area;
            if left < 0.0 {
                break;
            }
        }
        // Uniform in a triangle: a square root keeps the density even towards the first corner.
        let (v, u) = (libm::sqrt(stream.uniform()), stream.uniform());
        let [a, b, c] = corners.map(Vec3::as_dvec3);
        let point = a * (1.0 - v) + b * ((1.0 - u) * v) + c * (u * v);
        let point = point.as_vec3();
        // Rounding may have put it a hair outside; what is handed out lies on its polygon.
        let (on_poly, _) = surface.closest_on(chosen, point);
        let island = surface.polys[chosen as usize].island;
        Some(self.mesh.nearest(on_poly, Filter::Island(island)).map_or(on_poly, |(_, point)| point))
    }
}
