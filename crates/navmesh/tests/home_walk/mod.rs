//! Walks a home: where a Stretch-like body stands in each room, and how far its surfaces are from there.
//! Shared by the tests of homes and the example that counts over many.

use ambler_geometry::{Vec2, Vec3, polygon_contains};
use ambler_navmesh::{NavMesh, NavMeshSettings, NavQuery};
use ambler_scene::home::Home;
use std::sync::Arc;

/// A home as a body finds it.
pub(crate) struct Walked {
    /// Queries on its navmesh.
    pub(crate) query: NavQuery,
    /// For each room the points of the largest island on its floor, on a grid of 0.1 m.
    pub(crate) points: Vec<Vec<Vec3>>,
    /// The largest island.
    pub(crate) main: u32,
}

/// Builds the navmesh and finds where a body stands.
pub(crate) fn walk(home: &Home) -> Result<Walked, String> {
    let (vertices, triangles) = home.scene.world_triangles();
    let mesh = NavMesh::build(&vertices, &triangles, &NavMeshSettings::for_body(1.41, 0.17))
        .map_err(|error| error.to_string())?;
    let main = (0..mesh.islands().len())
        .max_by(|&a, &b| mesh.islands()[a].area_m2.total_cmp(&mesh.islands()[b].area_m2))
        .ok_or("no floor to stand on")? as u32;
    let mut query = NavQuery::new(Arc::new(mesh));
    let mut points = Vec::new();
    for room in &home.scene.rooms {
        let (low, high) = bounds(&room.polygon);
        let mut found = Vec::new();
        let steps = ((high - low) / 0.1).floor();
        for i in 0..=steps.x as u32 {
            for j in 0..=steps.y as u32 {
                let p = low + Vec2::new(i as f32, j as f32) * 0.1;
                let at = Vec3::new(p.x, room.floor_y, p.y);
                if let Ok(snap) = query.snap_to_island(at, main)
                    && Vec2::new(snap.point.x, snap.point.z).distance(p) < 0.01
                    && (snap.point.y - room.floor_y).abs() < 0.35
                {
                    found.push(snap.point);
                }
            }
        }
        points.push(found);
    }
    Ok(Walked { query, points, main })
}

/// Least and greatest corner of a polygon.
pub(crate) fn bounds(polygon: &[Vec2]) -> (Vec2, Vec2) {
    polygon
        .iter()
        .fold((Vec2::INFINITY, Vec2::NEG_INFINITY), |(low, high), &p| (low.min(p), high.max(p)))
}

/// Distance from a point to a polygon; 0 inside.
fn distance(polygon: &[Vec2], point: Vec2) -> f32 {
    if polygon_contains(polygon, point) {
        return 0.0;
    }
    let edges = polygon.iter().zip(polygon.iter().cycle().skip(1));
    edges
        .map(|(&a, &b)| {
            let t = ((point - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
            point.distance(a + (b - a) * t)
        })
        .fold(f32::INFINITY, f32::min)
}

impl Walked {
    /// Names of the rooms that a body does not get into: fewer than 25 points to stand on.
    pub(crate) fn rooms_out_of_reach<'a>(&self, home: &'a Home) -> Vec<&'a str> {
        let rooms = home.scene.rooms.iter().zip(&self.points);
        rooms.filter(|(_, points)| points.len() < 25).map(|(room, _)| room.name.as_str()).collect()
    }

    /// Surfaces that no one can stand within a metre of, with their distance in metres.
    pub(crate) fn surfaces_out_of_reach<'a>(&self, home: &'a Home) -> Vec<(&'a str, f32)> {
        let mut far = Vec::new();
        for receptacle in &home.scene.receptacles {
            let nearest = self
                .points
                .iter()
                .flatten()
                // The navmesh lies up to a voxel (0.2 m) above the floor, so the lowest shelf of a
                // bookcase may lie below it; surfaces of another storey are farther off than this.
                .filter(|p| (-0.25..2.5).contains(&(receptacle.y - p.y)))
                .map(|p| distance(&receptacle.polygon, Vec2::new(p.x, p.z)))
                .fold(f32::INFINITY, f32::min);
            if nearest > 1.0 {
                far.push((receptacle.name.as_str(), nearest));
            }
        }
        far
    }

    /// Middles of the open doors that a body cannot stand in, with how far off it stands in metres.
    pub(crate) fn blocked_doors(&mut self, home: &Home) -> Vec<(Vec2, f32)> {
        let mut blocked = Vec::new();
        for door in home.doors.iter().filter(|door| door.is_open) {
            let middle = Vec3::new(door.middle.x, door.floor_y, door.middle.y);
            let off = self.query.snap_to_island(middle, self.main).map_or(f32::INFINITY, |snap| {
                Vec2::new(snap.point.x, snap.point.z).distance(door.middle)
            });
            if off >= 0.06 {
                blocked.push((door.middle, off));
            }
        }
        blocked
    }
}
