//! Paths laid onto the floor.

use super::nearest::Filter;
use super::{NavQuery, Path};
use ambler_geometry::Vec3;

impl Path {
    /// Points along the path that lie on the floor, at most `max_gap_m` apart on the floor plane,
    /// corners included. A path is straight between corners, so on stairs it passes under or over
    /// them; these points do not.
    pub fn projected(&self, query: &NavQuery, max_gap_m: f32) -> Vec<Vec3> {
        /// Points between two corners at most, whatever the gap.
        const MAX_PIECES: f32 = 10_000.0;
        let on_floor = |point: Vec3| {
            query.mesh().nearest(point, Filter::Walkable).map_or(point, |(_, found)| found)
        };
        let mut points = Vec::new();
        points.extend(self.points.first().copied().map(on_floor));
        for pair in self.points.windows(2) {
            let way = pair[1] - pair[0];
            let flat = (way.x * way.x + way.z * way.z).sqrt();
            let pieces = (flat / max_gap_m.max(1e-3)).ceil().clamp(1.0, MAX_PIECES);
            for piece in 1..=pieces as u32 {
                points.push(on_floor(pair[0] + way * (piece as f32 / pieces)));
            }
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use crate::mesh::NavMesh;
    use crate::query::NavQuery;
    use crate::settings::NavMeshSettings;
    use ambler_geometry::Vec3;
    use std::sync::Arc;

    /// Habitat issue 2411: a path over a hill runs through it, since only its corners are known.
    #[test]
    fn a_path_over_a_ramp_follows_the_floor_once_projected() {
        // Level for 4 m, then up 2 m over 4 m, then level; 3 m wide.
        let profile = [(0.0, 0.0), (4.0, 0.0), (8.0, 2.0), (12.0, 2.0)];
        let mut vertices = Vec::new();
        let mut triangles: Vec<[u32; 3]> = Vec::new();
        for (x, y) in profile {
            vertices.extend([Vec3::new(x, y, 0.0), Vec3::new(x, y, 3.0)]);
        }
        for first in [0, 2, 4] {
            triangles.extend([[first, first + 1, first + 3], [first, first + 3, first + 2]]);
        }
        let mesh = NavMesh::build(&vertices, &triangles, &NavMeshSettings::default()).unwrap();
        let mut query = NavQuery::new(Arc::new(mesh));
        let (start, goal) = (Vec3::new(0.5, 0.0, 1.5), Vec3::new(11.5, 2.0, 1.5));
        let path = query.find_path(start, goal).unwrap();
        let points = path.projected(&query, 0.25);
        assert!(points.len() >= 44, "{}", points.len());
        for pair in points.windows(2) {
            let (dx, dz) = (pair[1].x - pair[0].x, pair[1].z - pair[0].z);
            assert!((dx * dx + dz * dz).sqrt() <= 0.26, "{pair:?}");
        }
        for point in &points {
            let floor = ((point.x - 4.0) / 2.0).clamp(0.0, 2.0);
            assert!((point.y - floor).abs() < 0.45, "{point} where the floor is at {floor}");
            assert!((query.snap(*point).unwrap().point - *point).length() < 1e-3);
        }
    }
}
