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
