//! True shortest paths.
//!
//! Habitat's paths (Detour's) are pulled tight inside the row of polygons that is shortest by the
//! middles of their portals, which is not always the row that the shortest path runs through.
//! Here all rows count: the shortest of all lines whose bends are corners of the navmesh and whose
//! pieces, seen from above, stay on it. A piece's length is the straight distance in space between
//! its ends, as in Habitat; so a path from here is never longer than Habitat's between the same
//! points of the navmesh, and never shorter than the straight line.
//!
//! Found by A* over corners; what a corner sees is found when the search reaches it. Storeys do
//! not mix, since sight runs through portals. Rounding aside (double precision, corners grazed by
//! less than 1e-7 rad) the result is exact.

pub(crate) mod graph;
pub(crate) mod view;

use self::graph::{Graph, NO_CORNER, distance, flat};
use self::view::{Seen, Sight, look, to_segment};
use crate::mesh::NavMesh;
use crate::query::nearest::Filter;
use crate::query::{Path, Snap};
use crate::reason::NavReason;
use ambler_geometry::Vec3;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// Finds true shortest paths on one navmesh; holds its corners, so that many queries share them.
#[derive(Clone, Debug)]
pub struct Planner {
    mesh: Arc<NavMesh>,
    graph: Graph,
}

/// The true shortest path between two points, which are first brought onto the navmesh. For many
/// queries on one navmesh keep a [`Planner`].
///
/// # Errors
/// [`NavReason`], one of: `NotFinite`, `StartOffMesh`, `GoalOffMesh`, `DifferentIsland`.
pub fn path(mesh: &NavMesh, start: Vec3, goal: Vec3) -> Result<Path, NavReason> {
    find(mesh, &Graph::new(mesh.surface()), start, goal)
}

impl Planner {
    /// Prepares a navmesh.
    pub fn new(mesh: &Arc<NavMesh>) -> Self {
        Self { graph: Graph::new(mesh.surface()), mesh: Arc::clone(mesh) }
    }

    /// As [`path`].
    ///
    /// # Errors
    /// As [`path`].
    pub fn path(&self, start: Vec3, goal: Vec3) -> Result<Path, NavReason> {
        find(&self.mesh, &self.graph, start, goal)
    }
}

/// Brings a point onto the navmesh.
pub(crate) fn snap(mesh: &NavMesh, point: Vec3, off_mesh: NavReason) -> Result<Snap, NavReason> {
    if !point.is_finite() {
        return Err(NavReason::NotFinite);
    }
    let (poly, point) = mesh.nearest(point, Filter::Walkable).ok_or(off_mesh)?;
    Ok(Snap { point, poly, island: mesh.surface().polys[poly as usize].island })
}

/// The reason that two islands are apart.
pub(crate) fn apart(mesh: &NavMesh, start: u32, goal: u32) -> NavReason {
    let area = |island: u32| mesh.islands().get(island as usize).map_or(0.0, |i| i.area_m2);
    NavReason::DifferentIsland { start, goal, start_area_m2: area(start), goal_area_m2: area(goal) }
}

/// A corner (or [`NO_CORNER`]) to go on from, the least key first; ties by number, so that the
/// result does not depend on anything else.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Queued {
    pub(crate) key: f64,
    pub(crate) node: u32,
}

impl Eq for Queued {}

impl Ord for Queued {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key.total_cmp(&self.key).then(other.node.cmp(&self.node))
    }
}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn find(mesh: &NavMesh, graph: &Graph, start: Vec3, goal: Vec3) -> Result<Path, NavReason> {
    let start = snap(mesh, start, NavReason::StartOffMesh)?;
    let goal = snap(mesh, goal, NavReason::GoalOffMesh)?;
    if start.island != goal.island {
        return Err(apart(mesh, start.island, goal.island));
    }
    let surface = mesh.surface();
    let goal_polys = Graph::spots(surface, goal.poly, goal.point);
    let goal_flat = flat(goal.point);
    let mut cost = vec![f64::INFINITY; graph.nodes.len()];
    let mut before = vec![NO_CORNER; graph.nodes.len()];
    // The best way to the goal so far, and the corner that it comes from.
    let mut best = (f64::INFINITY, NO_CORNER);
    let mut stack = Vec::new();
    let mut queue = BinaryHeap::new();
    queue.push(Queued { key: 0.0, node: NO_CORNER });
    while let Some(Queued { key, node }) = queue.pop() {
        if key >= best.0 {
            break;
        }
        let (point, so_far, polys);
        if node == NO_CORNER {
            (point, so_far) = (start.point, 0.0);
            polys = Graph::spots(surface, start.poly, start.point);
        } else {
            let corner = &graph.nodes[node as usize];
            (point, so_far) = (corner.point, cost[node as usize]);
            // An older entry of a corner that was reached again on a shorter way.
            if key > so_far + distance(point, goal.point) {
                continue;
            }
            polys = corner.fan.clone();
        }
        look(surface, graph, point, &polys, &mut stack, |seen| match seen {
            Seen::Poly(sight) => {
                if goal_polys.contains(&sight.poly)
                    && sight.cone.is_none_or(|cone| cone.holds(goal_flat))
                {
                    let total = so_far + distance(point, goal.point);
                    if total < best.0 {
                        best = (total, node);
                    }
                }
                so_far + least_way(&sight, flat(point), goal_flat) < best.0
            }
            Seen::Corner(seen) => {
                let corner = &graph.nodes[seen as usize];
                let total = so_far + distance(point, corner.point);
                if corner.bends && total < cost[seen as usize] {
                    cost[seen as usize] = total;
                    before[seen as usize] = node;
                    queue.push(Queued { key: total + distance(corner.point, goal.point), node: seen });
                }
                true
            }
        });
    }
    let mut points = vec![goal.point];
    let mut at = best.1;
    while at != NO_CORNER {
        points.push(graph.nodes[at as usize].point);
        at = before[at as usize];
    }
    points.push(start.point);
    points.reverse();
    points.dedup();
    if points.len() == 1 {
        points.push(goal.point);
    }
    // Islands are joined by portals, so a way was found; rounding on slivers might still hide it.
    if best.0.is_finite() {
        Ok(Path { points, length_m: best.0 as f32 })
    } else {
        Err(NavReason::SearchExhausted)
    }
}

/// A bound from below on a way from `from` to `to` through a sight.
fn least_way(sight: &Sight, from: graph::Flat, to: graph::Flat) -> f64 {
    sight.portal.map_or(0.0, |portal| to_segment(from, portal) + to_segment(to, portal))
}
