//! The corridor of polygons from one to another: Detour's A*.

use super::flat::distance;
use super::heap::OpenList;
use crate::surface::{Link, Surface};
use ambler_geometry::Vec3;

/// Nodes of a search, as Habitat sets it.
const MAX_NODES: usize = 2048;
/// Polygons of a corridor, as Habitat sets it.
pub(crate) const MAX_CORRIDOR: usize = 256;
/// A little below 1, so that rounding does not make the estimate too long.
const HEURISTIC_SCALE: f32 = 0.999;
/// No node came before.
const NO_NODE: u32 = u32::MAX;

#[derive(Clone, Copy, PartialEq)]
enum Status {
    New,
    Open,
    Closed,
}

#[derive(Clone, Copy)]
struct Node {
    /// Middle of the portal by which the polygon was first reached.
    at: Vec3,
    cost: f32,
    total: f32,
    /// Estimate of the rest from `at`; exact for the goal's polygon.
    ahead: f32,
    poly: u32,
    parent: u32,
    /// Link by which the best way enters the polygon (index into the surface's links).
    via: u32,
    status: Status,
}

/// A polygon of a corridor and the link that leads into it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop {
    pub(crate) poly: u32,
    pub(crate) via: u32,
}

/// What a search writes to; kept between searches.
#[derive(Clone, Default)]
pub(crate) struct Search {
    nodes: Vec<Node>,
    open: OpenList,
    /// For each polygon (and state) the search that last made a node for it, and the node.
    slots: Vec<(u32, u32)>,
    round: u32,
}

impl std::fmt::Debug for Search {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Search").field("nodes", &self.nodes.len()).finish_non_exhaustive()
    }
}

impl Search {
    pub(crate) fn new(surface: &Surface) -> Self {
        Self {
            nodes: Vec::with_capacity(MAX_NODES.min(surface.polys.len() * surface.states as usize)),
            open: OpenList::default(),
            slots: vec![(0, 0); surface.polys.len() * surface.states as usize],
            round: 0,
        }
    }

    fn start(&mut self, surface: &Surface, poly: u32, at: Vec3, total: f32) {
        self.nodes.clear();
        self.open.clear();
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.slots.fill((0, 0));
            self.round = 1;
        }
        if let Some(node) = self.node(surface, poly, 0) {
            self.nodes[node as usize] = Node {
                at,
                cost: 0.0,
                total,
                ahead: 0.0,
                poly,
                parent: NO_NODE,
                via: 0,
                status: Status::Open,
            };
            self.open.push(total, node);
        }
    }

    /// The node of a polygon, made when new; none when the search is out of nodes.
    fn node(&mut self, surface: &Surface, poly: u32, state: u8) -> Option<u32> {
        let slot = &mut self.slots[poly as usize * surface.states as usize + usize::from(state)];
        if slot.0 == self.round {
            return Some(slot.1);
        }
        if self.nodes.len() >= MAX_NODES {
            return None;
        }
        let node = self.nodes.len() as u32;
        *slot = (self.round, node);
        self.nodes.push(Node {
            at: Vec3::ZERO,
            cost: 0.0,
            total: 0.0,
            ahead: 0.0,
            poly,
            parent: NO_NODE,
            via: 0,
            status: Status::New,
        });
        Some(node)
    }

    /// Writes the corridor between two polygons into `corridor`; false when the search ran out of
    /// nodes or the corridor is too long.
    pub(crate) fn corridor(
        &mut self,
        surface: &Surface,
        (start, start_at): (u32, Vec3),
        (goal, goal_at): (u32, Vec3),
        corridor: &mut Vec<Stop>,
    ) -> bool {
        corridor.clear();
        if start == goal {
            corridor.push(Stop { poly: start, via: 0 });
            return true;
        }
        self.start(surface, start, start_at, distance(start_at, goal_at) * HEURISTIC_SCALE);
        let mut reached = None;
        let mut out_of_nodes = false;
        while let Some(best_index) = self.open.pop() {
            self.nodes[best_index as usize].status = Status::Closed;
            let best = self.nodes[best_index as usize];
            if best.poly == goal {
                reached = Some(best_index);
                break;
            }
            let came_from = self.nodes.get(best.parent as usize).map(|node| node.poly);
            let first_link = surface.polys[best.poly as usize].links.start;
            for (offset, link) in surface.links_of(best.poly).iter().enumerate() {
                if Some(link.to) == came_from || !surface.polys[link.to as usize].walkable {
                    continue;
                }
                let Some(index) = self.node(surface, link.to, link.state) else {
                    out_of_nodes = true;
                    continue;
                };
                let node = &mut self.nodes[index as usize];
                if node.status == Status::New {
                    node.at = link.middle;
                    node.ahead = distance(node.at, goal_at);
                    if link.to != goal {
                        node.ahead *= HEURISTIC_SCALE;
                    }
                }
                // On the way into the goal's polygon the rest is no estimate: it is cost.
                let total = best.cost + distance(best.at, node.at) + node.ahead;
                let cost = if link.to == goal { total } else { best.cost + distance(best.at, node.at) };
                if node.status != Status::New && total >= node.total {
                    continue;
                }
                let was_open = node.status == Status::Open;
                *node = Node {
                    cost,
                    total,
                    parent: best_index,
                    via: first_link + offset as u32,
                    status: Status::Open,
                    ..*node
                };
                if was_open {
                    self.open.lower(total, index);
                } else {
                    self.open.push(total, index);
                }
            }
        }
        let Some(reached) = reached.filter(|_| !out_of_nodes) else {
            return false;
        };
        let mut at = reached;
        while let Some(node) = self.nodes.get(at as usize) {
            if corridor.len() >= MAX_CORRIDOR {
                return false;
            }
            corridor.push(Stop { poly: node.poly, via: node.via });
            at = node.parent;
        }
        corridor.reverse();
        true
    }
}

impl Search {
    /// Dijkstra outwards from a polygon, without an estimate. `visit` is called with each polygon
    /// when its turn comes, and with each link out of it to say whether to follow it.
    pub(crate) fn spread(
        &mut self,
        surface: &Surface,
        (start, at): (u32, Vec3),
        mut visit: impl FnMut(u32, Option<&Link>) -> bool,
    ) {
        self.start(surface, start, at, 0.0);
        while let Some(best_index) = self.open.pop() {
            self.nodes[best_index as usize].status = Status::Closed;
            let best = self.nodes[best_index as usize];
            visit(best.poly, None);
            let came_from = self.nodes.get(best.parent as usize).map(|node| node.poly);
            for link in surface.links_of(best.poly) {
                if Some(link.to) == came_from
                    || !visit(best.poly, Some(link))
                    || !surface.polys[link.to as usize].walkable
                {
                    continue;
                }
                let Some(index) = self.node(surface, link.to, 0) else {
                    continue;
                };
                let node = &mut self.nodes[index as usize];
                if node.status == Status::Closed {
                    continue;
                }
                if node.status == Status::New {
                    node.at = link.middle;
                }
                let total = best.total + distance(best.at, node.at);
                if node.status == Status::Open && total >= node.total {
                    continue;
                }
                let was_open = node.status == Status::Open;
                *node = Node { total, parent: best_index, status: Status::Open, ..*node };
                if was_open {
                    self.open.lower(total, index);
                } else {
                    self.open.push(total, index);
                }
            }
        }
    }
}
