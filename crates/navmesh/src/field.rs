//! Geodesic distance fields.

use crate::exact::graph::{Flat, Graph, distance, flat};
use crate::exact::view::{Cone, Seen, Sight, farthest, look, to_segment};
use crate::exact::{Queued, apart, snap};
use crate::mesh::NavMesh;
use crate::reason::NavReason;
use ambler_geometry::Vec3;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// The geodesic distance to the nearest of many goals, from anywhere on the navmesh.
///
/// Built once for a set of goals, then asked without further search: for oracles, metrics and as
/// the heuristic of a search. The distance is that of [`exact`](crate::exact): true shortest
/// paths, never longer than Habitat's. Exact up to rounding (below 1e-5 m on a building): every
/// polygon knows from which goals and corners straight lines reach which part of it, and at what
/// distance these lie; a question looks at those of its polygon.
#[derive(Clone, Debug)]
pub struct DistanceField {
    mesh: Arc<NavMesh>,
    /// For each polygon, where straight lines reach it from, nearest first.
    lines: Vec<Vec<Line>>,
    /// Island of each goal that could be reached, sorted, without doubles.
    islands: Vec<u32>,
    /// Island of the first goal.
    first_island: u32,
}

/// A goal or corner from which a part of a polygon is reached in a straight line.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// No point of the part is nearer than this to a goal.
    least: f64,
    /// Distance from `root` to the nearest goal.
    beyond: f64,
    root: Vec3,
    /// The part; all of the polygon without.
    cone: Option<Cone>,
    /// The piece of the portal that the lines come through.
    portal: Option<(Flat, Flat)>,
}

impl DistanceField {
    /// The field of the distance to the nearest of `goals`, which are first brought onto the
    /// navmesh. Goals off the navmesh are left out as long as one is on it.
    ///
    /// # Errors
    /// [`NavReason::NoGoals`] without goals, [`NavReason::NotFinite`] for a goal that is not
    /// finite, [`NavReason::GoalOffMesh`] when no goal is on the navmesh.
    pub fn new(mesh: &Arc<NavMesh>, goals: &[Vec3]) -> Result<Self, NavReason> {
        if goals.is_empty() {
            return Err(NavReason::NoGoals);
        }
        let mut snaps = Vec::new();
        for &goal in goals {
            match snap(mesh, goal, NavReason::GoalOffMesh) {
                Ok(found) => snaps.push(found),
                Err(NavReason::GoalOffMesh) => {}
                Err(reason) => return Err(reason),
            }
        }
        let first_island = snaps.first().ok_or(NavReason::GoalOffMesh)?.island;
        let mut islands: Vec<u32> = snaps.iter().map(|goal| goal.island).collect();
        islands.sort_unstable();
        islands.dedup();
        let graph = Graph::new(mesh.surface());
        let roots: Vec<(Vec3, Vec<u32>)> = snaps
            .iter()
            .map(|goal| (goal.point, Graph::spots(mesh.surface(), goal.poly, goal.point)))
            .collect();
        let lines = spread(mesh, &graph, &roots);
        Ok(Self { mesh: Arc::clone(mesh), lines, islands, first_island })
    }

    /// The navmesh.
    pub fn mesh(&self) -> &Arc<NavMesh> {
        &self.mesh
    }

    /// The geodesic distance, metres, from a point, which is first brought onto the navmesh, to
    /// the nearest goal.
    ///
    /// # Errors
    /// [`NavReason`], one of: `NotFinite`, `StartOffMesh`, `DifferentIsland` (of the first goal).
    pub fn distance(&self, point: Vec3) -> Result<f32, NavReason> {
        let found = snap(&self.mesh, point, NavReason::StartOffMesh)?;
        if self.islands.binary_search(&found.island).is_err() {
            return Err(apart(&self.mesh, found.island, self.first_island));
        }
        let at = flat(found.point);
        let mut best = f64::INFINITY;
        for line in &self.lines[found.poly as usize] {
            if line.least >= best {
                break;
            }
            let total = line.beyond + distance(line.root, found.point);
            if total < best && line.cone.is_none_or(|cone| cone.holds(at)) {
                best = total;
            }
        }
        if best.is_finite() { Ok(best as f32) } else { Err(NavReason::SearchExhausted) }
    }
}

/// Whether the lines through a portal are of no use, since the way over one of the corners known
/// by `known` is as short for every point of the portal.
fn useless(
    graph: &Graph,
    cost: &[f64],
    poly: u32,
    portal: (Flat, Flat),
    beyond: f64,
    origin: Flat,
    but: Option<u32>,
) -> bool {
    let least = beyond + to_segment(origin, portal);
    graph.on_poly[poly as usize].iter().any(|&node| {
        // Only corners that paths bend at send lines of their own.
        if Some(node) == but || !graph.nodes[node as usize].bends {
            return false;
        }
        // The line may pass the portal at any height of the navmesh.
        let away = farthest(flat(graph.nodes[node as usize].point), portal);
        cost[node as usize] + (away * away + graph.rise * graph.rise).sqrt() <= least
    })
}

/// Dijkstra from the goals over the corners: what each goal and corner sees at its final distance.
fn spread(mesh: &NavMesh, graph: &Graph, roots: &[(Vec3, Vec<u32>)]) -> Vec<Vec<Line>> {
    let surface = mesh.surface();
    let first_node = roots.len() as u32;
    let mut cost = vec![f64::INFINITY; graph.nodes.len()];
    let mut lines: Vec<Vec<Line>> = vec![Vec::new(); surface.polys.len()];
    let mut queue: BinaryHeap<Queued> =
        (0..first_node).map(|root| Queued { key: 0.0, node: root }).collect();
    let mut stack = Vec::new();
    while let Some(Queued { key: beyond, node }) = queue.pop() {
        let (root, polys, own) = match roots.get(node as usize) {
            Some((point, polys)) => (*point, polys.as_slice(), None),
            None => {
                let own = node - first_node;
                if beyond > cost[own as usize] {
                    continue;
                }
                let corner = &graph.nodes[own as usize];
                (corner.point, corner.fan.as_slice(), Some(own))
            }
        };
        let origin = flat(root);
        let bends = own.is_none_or(|own| graph.nodes[own as usize].bends);
        look(surface, graph, root, polys, &mut stack, |seen| match seen {
            Seen::Poly(Sight { poly, cone, portal }) => {
                if let Some(portal) = portal
                    && (!bends || useless(graph, &cost, poly, portal, beyond, origin, own))
                {
                    return false;
                }
                let least = beyond + portal.map_or(0.0, |portal| to_segment(origin, portal));
                lines[poly as usize].push(Line { least, beyond, root, cone, portal });
                true
            }
            Seen::Corner(seen) => {
                let total = beyond + distance(root, graph.nodes[seen as usize].point);
                if total < cost[seen as usize] {
                    cost[seen as usize] = total;
                    queue.push(Queued { key: total, node: first_node + seen });
                }
                true
            }
        });
    }
    // Costs were not final when early lines were kept.
    for (poly, lines) in lines.iter_mut().enumerate() {
        lines.retain(|line| {
            let Some(portal) = line.portal else { return true };
            let own = graph.on_poly[poly]
                .iter()
                .copied()
                .find(|&node| graph.nodes[node as usize].point == line.root);
            !useless(graph, &cost, poly as u32, portal, line.beyond, flat(line.root), own)
        });
        lines.sort_by(|a, b| a.least.total_cmp(&b.least));
    }
    lines
}
