//! How close surfaces lie behind each other: what merges vertices must not push one through the next.

use super::super::bake::{Baked, Cluster, Node};
use super::make::side_by_side;
use ambler_scene::Mesh;
use glam::DVec3;

/// Vertices that are looked at in one go.
const CHUNK: usize = 4096;

/// For each vertex of a mesh (the first of those that are the same) the distance, along its normal and
/// against it, to the next surface that faces the same way; infinite where there is none within `most`.
pub(super) fn clearances(baked: &Baked, mesh: &Mesh, same: &[u32], most: f64) -> Vec<f32> {
    let mut normals = vec![DVec3::ZERO; same.len()];
    for &source in baked.sources.iter() {
        let corners = mesh.triangles.get(source as usize).copied().unwrap_or_default();
        let points = corners.map(|v| mesh.positions.get(v as usize).filter(|p| p.is_finite()));
        let [Some(a), Some(b), Some(c)] = points else { continue };
        let [a, b, c] = [a, b, c].map(|p| p.as_dvec3());
        let normal = (b - a).cross(c - a);
        corners.iter().for_each(|&v| normals[same[v as usize] as usize] += normal);
    }
    let longest: Vec<f64> = baked.clusters.iter().map(|it| longest_edge(baked, it)).collect();
    let chunks = (0..same.len()).step_by(CHUNK).collect();
    let found = side_by_side(chunks, |from: usize| {
        let mut stack = Vec::new();
        let clearance = |vertex: usize| {
            let Some(normal) = normals[vertex].try_normalize() else { return f32::INFINITY };
            let point = mesh.positions[vertex].as_dvec3();
            next_surface(baked, &longest, point, normal, most, &mut stack)
        };
        (from..(from + CHUNK).min(same.len())).map(clearance).collect::<Vec<f32>>()
    });
    found.concat()
}

/// Distance from a point, along a direction and back, to a triangle that faces this direction and does not
/// have the point as a corner.
fn next_surface(
    baked: &Baked,
    longest: &[f64],
    point: DVec3,
    way: DVec3,
    most: f64,
    stack: &mut Vec<u32>,
) -> f32 {
    let mut best = most;
    let mut hit = false;
    stack.clear();
    if !baked.nodes.is_empty() {
        stack.push(0);
    }
    while let Some(index) = stack.pop() {
        let node = &baked.nodes[index as usize];
        if !is_near(node, point, way, best) {
            continue;
        }
        let Some(at) = node.cluster() else {
            stack.extend(node.children(index));
            continue;
        };
        let (cluster, longest) = (&baked.clusters[at], longest[at]);
        for triangle in cluster.first_triangle..cluster.first_triangle + cluster.triangles {
            let corner = |v: u8| baked.position(cluster.first_vertex + usize::from(v)) - point;
            let [a, b, c] = baked.corners(triangle);
            // One corner of most is too far beside.
            let a = corner(a);
            let along = a.dot(way);
            if a.length_squared() - along * along > longest * longest {
                continue;
            }
            let (b, c) = (corner(b), corner(c));
            let (u, v) = (b - a, c - a);
            let normal = u.cross(v);
            let facing = normal.dot(way);
            if !(facing * facing > 0.04 * normal.length_squared() && facing > 0.0) {
                continue;
            }
            let along = a.dot(normal) / facing;
            let place = way * along;
            let inside = |from: DVec3, to: DVec3| (to - from).cross(place - from).dot(normal) >= 0.0;
            if along.abs() < best
                && inside(a, b)
                && inside(b, c)
                && inside(c, a)
                && ![a, b, c].contains(&DVec3::ZERO)
            {
                best = along.abs();
                hit = true;
            }
        }
    }
    if hit { best as f32 } else { f32::INFINITY }
}

/// No triangle of a cluster has a longer side, rounding included.
fn longest_edge(baked: &Baked, cluster: &Cluster) -> f64 {
    let triangles = cluster.first_triangle..cluster.first_triangle + cluster.triangles;
    let edges = triangles.flat_map(|triangle| {
        let at = |v: u8| baked.position(cluster.first_vertex + usize::from(v));
        let [a, b, c] = baked.corners(triangle).map(at);
        [a.distance(b), b.distance(c), c.distance(a)]
    });
    edges.fold(0.0, f64::max) * (1.0 + 1e-6)
}

/// Whether the box may hold something so far along a direction or back.
fn is_near(node: &Node, point: DVec3, way: DVec3, reach: f64) -> bool {
    (0..3).all(|axis| {
        let away = (f64::from(node.center[axis]) - point[axis]).abs();
        away <= f64::from(node.half[axis]) + way[axis].abs() * reach + 1e-6 * away
    })
}
