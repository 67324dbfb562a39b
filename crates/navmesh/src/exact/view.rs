//! What can be seen from a point over the navmesh: straight sight lines, on the floor plane,
//! through the portals between polygons.

use super::graph::{Flat, Graph, flat};
use crate::surface::Surface;
use ambler_geometry::Vec3;

/// Sine of the angle by which a sight line may graze a corner.
const GRAZE: f64 = 1e-7;

/// The part of the plane between two rays from `origin`, less than a half turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cone {
    pub(crate) origin: Flat,
    left: Flat,
    right: Flat,
}

fn cross(origin: Flat, a: Flat, b: Flat) -> f64 {
    (a[0] - origin[0]) * (b[1] - origin[1]) - (a[1] - origin[1]) * (b[0] - origin[0])
}

fn length_squared(a: Flat, b: Flat) -> f64 {
    let (x, z) = (a[0] - b[0], a[1] - b[1]);
    x * x + z * z
}

impl Cone {
    /// Whether a point lies in the cone or grazes it.
    pub(crate) fn holds(&self, point: Flat) -> bool {
        self.within(self.left, point) && self.within(point, self.right)
    }

    fn within(&self, left: Flat, right: Flat) -> bool {
        let turn = cross(self.origin, left, right);
        turn >= 0.0
            || turn * turn
                <= GRAZE * GRAZE * length_squared(self.origin, left) * length_squared(self.origin, right)
    }

    /// The cone through a portal, if anything of the portal is seen.
    fn through(origin: Flat, outer: Option<&Self>, a: Flat, b: Flat) -> Option<Self> {
        let (a, b) = if cross(origin, a, b) >= 0.0 { (a, b) } else { (b, a) };
        let (mut left, mut right) = (a, b);
        if let Some(outer) = outer {
            if cross(origin, left, outer.left) > 0.0 {
                left = outer.left;
            }
            if cross(origin, outer.right, right) > 0.0 {
                right = outer.right;
            }
        }
        (cross(origin, left, right) > 0.0).then_some(Self { origin, left, right })
    }

    /// The piece of a segment inside the cone, which the cone is known to cut.
    fn clip(&self, a: Flat, b: Flat) -> (Flat, Flat) {
        let (a, b) = if cross(self.origin, a, b) >= 0.0 { (a, b) } else { (b, a) };
        let meet = |ray: Flat, fallback: Flat| {
            let (from, to) = (cross(self.origin, ray, a), cross(self.origin, ray, b));
            let share = from / (from - to);
            if share.is_finite() {
                let share = share.clamp(0.0, 1.0);
                [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share]
            } else {
                fallback
            }
        };
        let left = if cross(self.origin, a, self.left) > 0.0 { meet(self.left, a) } else { a };
        let right = if cross(self.origin, self.right, b) > 0.0 { meet(self.right, b) } else { b };
        (left, right)
    }
}

/// A polygon of which something is seen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sight {
    pub(crate) poly: u32,
    /// The part of it that is seen; all of it without.
    pub(crate) cone: Option<Cone>,
    /// The piece of the portal through which it is seen.
    pub(crate) portal: Option<(Flat, Flat)>,
}

/// What [`look`] reports.
pub(crate) enum Seen {
    /// A polygon; the answer says whether to look further through it.
    Poly(Sight),
    /// A corner (a node of the graph).
    Corner(u32),
}

/// Looks around from a point that lies on each of the polygons `from`.
pub(crate) fn look(
    surface: &Surface,
    graph: &Graph,
    point: Vec3,
    from: &[u32],
    stack: &mut Vec<(u32, u32, Sight)>,
    mut visit: impl FnMut(Seen) -> bool,
) {
    let origin = flat(point);
    stack.clear();
    for &poly in from {
        stack.push((poly, u32::MAX, Sight { poly, cone: None, portal: None }));
    }
    while let Some((poly, came_from, sight)) = stack.pop() {
        if !visit(Seen::Poly(sight)) {
            continue;
        }
        for &node in &graph.on_poly[poly as usize] {
            if sight.cone.is_none_or(|cone| cone.holds(flat(graph.nodes[node as usize].point))) {
                visit(Seen::Corner(node));
            }
        }
        for link in surface.links_of(poly) {
            let seen_whole = sight.cone.is_none() && from.contains(&link.to);
            if link.to == came_from || seen_whole || !surface.polys[link.to as usize].walkable {
                continue;
            }
            let (a, b) = (flat(link.left), flat(link.right));
            if let Some(cone) = Cone::through(origin, sight.cone.as_ref(), a, b) {
                let portal = Some(cone.clip(a, b));
                stack.push((link.to, poly, Sight { poly: link.to, cone: Some(cone), portal }));
            }
        }
    }
}

/// The least distance on the floor plane from a point to a segment.
pub(crate) fn to_segment(point: Flat, (a, b): (Flat, Flat)) -> f64 {
    let (dx, dz) = (b[0] - a[0], b[1] - a[1]);
    let length = dx * dx + dz * dz;
    let along = (point[0] - a[0]) * dx + (point[1] - a[1]) * dz;
    let share = if length > 0.0 { (along / length).clamp(0.0, 1.0) } else { 0.0 };
    length_squared(point, [a[0] + dx * share, a[1] + dz * share]).sqrt()
}

/// The greatest distance on the floor plane from a point to a segment.
pub(crate) fn farthest(point: Flat, (a, b): (Flat, Flat)) -> f64 {
    length_squared(point, a).max(length_squared(point, b)).sqrt()
}
