//! The floor plan: a slicing tree whose cuts are searched by annealing.
//!
//! A floor is a rectangle. A binary tree cuts it, each cut in proportion to the areas wanted on its
//! sides, on a grid of 0.1 m; leaves are rooms. Every tree is a tiling without gaps, so the search
//! repairs nothing: it only has to like a tree.

use super::cost::{self, Verdict};
use super::programme::Wanted;
use ambler_geometry::random::Stream;

/// Grid of the plan: units a metre.
pub(super) const UNITS: f64 = 10.0;

/// A room's rectangle between the centre lines of its walls, in grid units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rect {
    pub(super) x0: i32,
    pub(super) z0: i32,
    pub(super) x1: i32,
    pub(super) z1: i32,
}

/// The stretch that two rectangles share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shared {
    /// The line runs along z (x is constant).
    pub(super) along_z: bool,
    /// Coordinate of the line.
    pub(super) at: i32,
    /// Where it begins.
    pub(super) low: i32,
    /// Where it ends.
    pub(super) high: i32,
    /// The second rectangle lies on the side of larger coordinates.
    pub(super) second_is_after: bool,
}

impl Rect {
    pub(super) fn width_m(&self) -> f64 {
        f64::from(self.x1 - self.x0) / UNITS
    }

    pub(super) fn depth_m(&self) -> f64 {
        f64::from(self.z1 - self.z0) / UNITS
    }

    pub(super) fn center_m(&self) -> [f64; 2] {
        [f64::from(self.x0 + self.x1) / (2.0 * UNITS), f64::from(self.z0 + self.z1) / (2.0 * UNITS)]
    }

    /// The stretch shared with another rectangle; `None` where they do not touch along a line.
    pub(super) fn shared(&self, other: &Self) -> Option<Shared> {
        let (low_z, high_z) = (self.z0.max(other.z0), self.z1.min(other.z1));
        let (low_x, high_x) = (self.x0.max(other.x0), self.x1.min(other.x1));
        if high_z > low_z && (self.x1 == other.x0 || self.x0 == other.x1) {
            let after = self.x1 == other.x0;
            let at = if after { self.x1 } else { self.x0 };
            return Some(Shared { along_z: true, at, low: low_z, high: high_z, second_is_after: after });
        }
        if high_x > low_x && (self.z1 == other.z0 || self.z0 == other.z1) {
            let after = self.z1 == other.z0;
            let at = if after { self.z1 } else { self.z0 };
            return Some(Shared {
                along_z: false,
                at,
                low: low_x,
                high: high_x,
                second_is_after: after,
            });
        }
        None
    }
}

impl Shared {
    pub(super) fn length_m(&self) -> f64 {
        f64::from(self.high - self.low) / UNITS
    }
}

#[derive(Clone, Copy, Debug)]
enum Node {
    Leaf(usize),
    /// Children lie beside each other along x (`true`) or z.
    Cut(bool, usize, usize),
}

/// Slicing trees in one arena, one for each part of the outline (a stairwell splits it).
#[derive(Clone, Debug)]
struct Tree {
    nodes: Vec<Node>,
    roots: Vec<usize>,
}

impl Tree {
    /// Random balanced trees as a start; parts get rooms by their area.
    fn start(wanted: &[Wanted], rooms: &[usize], parts: &[Rect], stream: &mut Stream) -> Self {
        let mut order = rooms.to_vec();
        stream.shuffle(&mut order);
        let mut tree = Self { nodes: Vec::with_capacity(2 * wanted.len()), roots: Vec::new() };
        for (index, part) in parts.iter().enumerate() {
            let last = index + 1 == parts.len();
            let area = part.width_m() * part.depth_m();
            let (mut taken, mut count) = (0.0, 0);
            // Each later part needs a room as well.
            while count + (parts.len() - index - 1) < order.len()
                && (last || count == 0 || taken < 0.8 * area)
            {
                taken += wanted[order[count]].area;
                count += 1;
            }
            let mine: Vec<usize> = order.drain(..count).collect();
            let along = stream.uniform() < 0.5;
            let root = tree.grow(&mine, along);
            tree.roots.push(root);
        }
        tree
    }

    fn grow(&mut self, order: &[usize], along: bool) -> usize {
        if order.len() <= 1 {
            self.nodes.push(Node::Leaf(order.first().copied().unwrap_or(0)));
            return self.nodes.len() - 1;
        }
        let (left, right) = order.split_at(order.len() / 2);
        let (a, b) = (self.grow(left, !along), self.grow(right, !along));
        self.nodes.push(Node::Cut(along, a, b));
        self.nodes.len() - 1
    }

    fn area(&self, node: usize, wanted: &[Wanted], areas: &mut [f64]) -> f64 {
        let area = match self.nodes[node] {
            Node::Leaf(room) => wanted[room].area,
            Node::Cut(_, a, b) => self.area(a, wanted, areas) + self.area(b, wanted, areas),
        };
        areas[node] = area;
        area
    }

    fn lay(&self, node: usize, rect: Rect, areas: &[f64], rects: &mut [Rect]) {
        match self.nodes[node] {
            Node::Leaf(room) => rects[room] = rect,
            Node::Cut(along_x, a, b) => {
                let share = areas[a] / (areas[a] + areas[b]);
                let (mut first, mut second) = (rect, rect);
                if along_x {
                    let cut = rect.x0 + libm::round(f64::from(rect.x1 - rect.x0) * share) as i32;
                    (first.x1, second.x0) = (cut, cut);
                } else {
                    let cut = rect.z0 + libm::round(f64::from(rect.z1 - rect.z0) * share) as i32;
                    (first.z1, second.z0) = (cut, cut);
                }
                self.lay(a, first, areas, rects);
                self.lay(b, second, areas, rects);
            }
        }
    }

    fn rects(&self, parts: &[Rect], wanted: &[Wanted], areas: &mut [f64], rects: &mut [Rect]) {
        for (&root, &part) in self.roots.iter().zip(parts) {
            self.area(root, wanted, areas);
            self.lay(root, part, areas, rects);
        }
    }

    fn set_root(&mut self, old: usize, new: usize) {
        for root in &mut self.roots {
            if *root == old {
                *root = new;
            }
        }
    }

    fn parent(&self, child: usize) -> Option<usize> {
        (0..self.nodes.len())
            .find(|&i| matches!(self.nodes[i], Node::Cut(_, a, b) if a == child || b == child))
    }

    fn holds(&self, node: usize, wanted: usize) -> bool {
        node == wanted
            || matches!(self.nodes[node], Node::Cut(_, a, b) if self.holds(a, wanted) || self.holds(b, wanted))
    }

    /// One random change.
    fn change(&mut self, stream: &mut Stream) {
        let count = self.nodes.len();
        let draw = stream.uniform();
        let first = stream.index(count);
        if draw < 0.40 {
            let second = stream.index(count);
            if let (Node::Leaf(a), Node::Leaf(b)) = (self.nodes[first], self.nodes[second]) {
                self.nodes[first] = Node::Leaf(b);
                self.nodes[second] = Node::Leaf(a);
            }
        } else if draw < 0.62 {
            if let Node::Cut(along, a, b) = self.nodes[first] {
                self.nodes[first] = Node::Cut(!along, a, b);
            }
        } else if draw < 0.74 {
            if let Node::Cut(along, a, b) = self.nodes[first] {
                self.nodes[first] = Node::Cut(along, b, a);
            }
        } else {
            self.graft(first, stream.index(count), stream.uniform());
        }
    }

    /// Cuts a subtree out and puts it beside another node.
    fn graft(&mut self, moved: usize, beside: usize, draw: f64) {
        if self.roots.contains(&moved) || self.holds(moved, beside) {
            return;
        }
        let Some(parent) = self.parent(moved) else { return };
        if parent == beside {
            return;
        }
        let Node::Cut(_, a, b) = self.nodes[parent] else { return };
        let sibling = if a == moved { b } else { a };
        match self.parent(parent) {
            Some(above) => self.replace_child(above, parent, sibling),
            None => self.set_root(parent, sibling),
        }
        // Taken out: it is nobody's parent until it is put back.
        self.nodes[parent] = Node::Cut(false, moved, moved);
        let along = draw < 0.5;
        let order = ((draw * 4.0) as u32).is_multiple_of(2);
        let (x, y) = if order { (moved, beside) } else { (beside, moved) };
        match self.parent(beside) {
            Some(above) => self.replace_child(above, beside, parent),
            None => self.set_root(beside, parent),
        }
        self.nodes[parent] = Node::Cut(along, x, y);
    }

    fn replace_child(&mut self, node: usize, old: usize, new: usize) {
        if let Node::Cut(along, a, b) = self.nodes[node] {
            let pick = |child: usize| if child == old { new } else { child };
            self.nodes[node] = Node::Cut(along, pick(a), pick(b));
        }
    }
}

/// A plan found: rectangles in the order of the rooms asked for.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) outline: Rect,
    pub(super) rects: Vec<Rect>,
}

/// A room whose place is settled before the search: the stairs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pinned {
    pub(super) room: usize,
    pub(super) rect: Rect,
}

/// Changes tried in one run of the search.
const STEPS: usize = 14_000;

/// An outline of this area (between outer walls' lines) with a random aspect.
pub(super) fn outline(net_area: f64, rooms: usize, stream: &mut Stream) -> Rect {
    // Walls take their share: rooms are measured inside them.
    let gross = net_area * 1.09;
    // Many rooms need much outer wall.
    let aspect = if rooms > 16 { stream.range(1.4, 2.3) } else { stream.range(1.1, 1.75) };
    let width = libm::round(libm::sqrt(gross * aspect) * UNITS) as i32;
    let depth = libm::round(gross * UNITS * UNITS / f64::from(width.max(1))) as i32;
    Rect { x0: 0, z0: 0, x1: width, z1: depth }
}

/// What is left of the outline beside the pinned room: bands above and below it in its column, and
/// the columns beside.
fn parts(outline: Rect, pinned: Option<Pinned>) -> Vec<Rect> {
    let Some(Pinned { rect, .. }) = pinned else { return vec![outline] };
    [
        Rect { x0: rect.x0, x1: rect.x1, z0: outline.z0, z1: rect.z0 },
        Rect { x0: rect.x0, x1: rect.x1, z0: rect.z1, z1: outline.z1 },
        Rect { x1: rect.x0, ..outline },
        Rect { x0: rect.x1, ..outline },
    ]
    .into_iter()
    .filter(|part| part.x1 > part.x0 && part.z1 > part.z0)
    .collect()
}

/// Searches a plan for the rooms on this outline; else the verdict on the best that failed.
pub(super) fn search(
    wanted: &[Wanted],
    outline: Rect,
    pinned: Option<Pinned>,
    stream: &mut Stream,
) -> Result<Plan, Verdict> {
    // Many rooms have many more trees.
    let steps = STEPS + 500 * wanted.len() + 4000 * wanted.len().saturating_sub(12);
    let (rects, verdict) = anneal(wanted, outline, pinned, stream, steps);
    if verdict.is_accepted() { Ok(Plan { outline, rects }) } else { Err(verdict) }
}

fn anneal(
    wanted: &[Wanted],
    outline: Rect,
    pinned: Option<Pinned>,
    stream: &mut Stream,
    steps: usize,
) -> (Vec<Rect>, Verdict) {
    let rooms: Vec<usize> = (0..wanted.len()).filter(|&i| pinned.is_none_or(|p| p.room != i)).collect();
    let parts = parts(outline, pinned);
    let mut tree = Tree::start(wanted, &rooms, &parts, stream);
    let mut areas = vec![0.0; tree.nodes.len()];
    let mut rects = vec![Rect::default(); wanted.len()];
    if let Some(pinned) = pinned {
        rects[pinned.room] = pinned.rect;
    }
    let judge = cost::Judge::new(wanted, outline);
    tree.rects(&parts, wanted, &mut areas, &mut rects);
    let mut now = judge.judge(&rects);
    let mut best = (rects.clone(), now);
    let cooling = libm::pow(0.02 / 4.0, 1.0 / steps as f64);
    let mut temperature = 4.0;
    let mut next = tree.clone();
    for _ in 0..steps {
        temperature *= cooling;
        next.clone_from(&tree);
        next.change(stream);
        next.rects(&parts, wanted, &mut areas, &mut rects);
        let verdict = judge.judge(&rects);
        let worse = verdict.cost - now.cost;
        if worse <= 0.0 || stream.uniform() < libm::exp(-worse / temperature) {
            std::mem::swap(&mut tree, &mut next);
            now = verdict;
            if now.cost < best.1.cost {
                best.0.clone_from(&rects);
                best.1 = now;
                if now.is_accepted() && now.cost < 1.0 + 0.05 * wanted.len() as f64 {
                    break;
                }
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::home::programme::programme;

    #[test]
    fn a_plan_tiles_its_outline() {
        let mut stream = Stream::new(3, "", "plan");
        let wanted = programme(9, 1, &mut stream).remove(0);
        let area = wanted.iter().map(|w| w.area).sum();
        let plan = (0..20)
            .find_map(|_| {
                let outline = outline(area, 9, &mut stream);
                search(&wanted, outline, None, &mut stream).ok()
            })
            .unwrap();
        let area = |r: &Rect| i64::from(r.x1 - r.x0) * i64::from(r.z1 - r.z0);
        assert_eq!(plan.rects.iter().map(area).sum::<i64>(), area(&plan.outline));
        assert!(plan.rects.iter().all(|rect| area(rect) > 0));
    }
}
