//! The corners that shortest paths can bend at, and the polygons around each.

use crate::surface::Surface;
use ambler_geometry::Vec3;
use std::collections::HashMap;

/// No corner.
pub(crate) const NO_CORNER: u32 = u32::MAX;
/// An angle this near to a straight one counts as one: such corners are kept, so that a sight line
/// along a wall that rounding blocks finds a stop there.
const STRAIGHT: f64 = std::f64::consts::PI - 1e-4;
/// A point this near to a portal (metres) is on both sides of it.
const ON_PORTAL_M: f64 = 1e-5;

/// A point on the floor plane, in double precision: x, z.
pub(crate) type Flat = [f64; 2];

pub(crate) fn flat(point: Vec3) -> Flat {
    [f64::from(point.x), f64::from(point.z)]
}

/// The straight distance between two points in space.
pub(crate) fn distance(a: Vec3, b: Vec3) -> f64 {
    let [x, y, z] = [a.x - b.x, a.y - b.y, a.z - b.z].map(f64::from);
    (x * x + y * y + z * z).sqrt()
}

/// A corner of the navmesh as one fan of polygons sees it: where two fans touch in a point, each
/// has its own.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) point: Vec3,
    /// Polygons around it that are joined by portals at it.
    pub(crate) fan: Vec<u32>,
    /// Whether a path can bend here: not where walls enclose less than a half turn, nor inside a
    /// floor that is level everywhere.
    pub(crate) bends: bool,
}

/// All corners, and which of them lie on each polygon.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    /// For each polygon, its nodes.
    pub(crate) on_poly: Vec<Vec<u32>>,
    /// Difference between the highest and the lowest corner, metres.
    pub(crate) rise: f64,
}

type Key = [u32; 3];

fn key(point: Vec3) -> Key {
    // -0.0 and 0.0 are one place.
    point.to_array().map(|value| (value + 0.0).to_bits())
}

impl Graph {
    pub(crate) fn new(surface: &Surface) -> Self {
        let mut numbers: HashMap<Key, usize> = HashMap::new();
        let mut points: Vec<Vec3> = Vec::new();
        let mut around: Vec<Vec<u32>> = Vec::new();
        let mut add = |point: Vec3, poly: u32| {
            let number = *numbers.entry(key(point)).or_insert_with(|| {
                points.push(point);
                around.push(Vec::new());
                points.len() - 1
            });
            if !around[number].contains(&poly) {
                around[number].push(poly);
            }
        };
        for (index, poly) in surface.polys.iter().enumerate().filter(|(_, poly)| poly.walkable) {
            poly.ring().iter().for_each(|corner| add(*corner, index as u32));
            for link in surface.links_of(index as u32) {
                if surface.polys[link.to as usize].walkable {
                    for end in [link.left, link.right] {
                        add(end, index as u32);
                        add(end, link.to);
                    }
                }
            }
        }
        let range =
            points.iter().fold((f32::MAX, f32::MIN), |range, p| (range.0.min(p.y), range.1.max(p.y)));
        let mut graph = Self {
            on_poly: vec![Vec::new(); surface.polys.len()],
            rise: if points.is_empty() { 0.0 } else { f64::from(range.1) - f64::from(range.0) },
            nodes: Vec::new(),
        };
        for (point, polys) in points.into_iter().zip(around) {
            for fan in fans(surface, point, polys) {
                let (angle, closed) = spread(surface, point, &fan);
                let bends = if closed { graph.rise > 0.0 } else { angle > STRAIGHT };
                for &poly in &fan {
                    graph.on_poly[poly as usize].push(graph.nodes.len() as u32);
                }
                graph.nodes.push(Node { point, fan, bends });
            }
        }
        graph
    }

    /// The polygons that a point of `poly` also lies on.
    pub(crate) fn spots(surface: &Surface, poly: u32, point: Vec3) -> Vec<u32> {
        let mut found = vec![poly];
        let mut at = 0;
        while at < found.len() {
            for link in surface.links_of(found[at]) {
                let near = near_segment(flat(point), flat(link.left), flat(link.right));
                if near && surface.polys[link.to as usize].walkable && !found.contains(&link.to) {
                    found.push(link.to);
                }
            }
            at += 1;
        }
        found
    }
}

fn near_segment(point: Flat, a: Flat, b: Flat) -> bool {
    let (dx, dz) = (b[0] - a[0], b[1] - a[1]);
    let length = dx * dx + dz * dz;
    let along = (point[0] - a[0]) * dx + (point[1] - a[1]) * dz;
    let share = if length > 0.0 { (along / length).clamp(0.0, 1.0) } else { 0.0 };
    let (x, z) = (a[0] + dx * share - point[0], a[1] + dz * share - point[1]);
    x * x + z * z < ON_PORTAL_M * ON_PORTAL_M
}

/// Splits the polygons at a point into groups that portals at the point join.
fn fans(surface: &Surface, point: Vec3, mut polys: Vec<u32>) -> Vec<Vec<u32>> {
    let mut fans = Vec::new();
    while !polys.is_empty() {
        let mut fan = vec![polys.remove(0)];
        let mut at = 0;
        while at < fan.len() {
            for link in surface.links_of(fan[at]) {
                let meets = key(link.left) == key(point) || key(link.right) == key(point);
                if meets && let Some(place) = polys.iter().position(|poly| *poly == link.to) {
                    fan.push(polys.remove(place));
                }
            }
            at += 1;
        }
        fans.push(fan);
    }
    fans
}

/// The angle that a fan fills at its point, and whether it goes all the way round.
fn spread(surface: &Surface, point: Vec3, fan: &[u32]) -> (f64, bool) {
    let mut angle = 0.0;
    let mut open_sides = 0;
    for &poly in fan {
        let ring = surface.polys[poly as usize].ring();
        let Some(at) = ring.iter().position(|corner| key(*corner) == key(point)) else {
            // In the middle of an edge.
            angle += std::f64::consts::PI;
            open_sides += 1;
            continue;
        };
        let count = ring.len();
        let (before, after) = (flat(ring[(at + count - 1) % count]), flat(ring[(at + 1) % count]));
        let here = flat(point);
        let (a, b) =
            ([before[0] - here[0], before[1] - here[1]], [after[0] - here[0], after[1] - here[1]]);
        angle += libm::atan2((a[0] * b[1] - a[1] * b[0]).abs(), a[0] * b[0] + a[1] * b[1]);
        let edge_open = |edge: usize| {
            !surface.links_of(poly).iter().any(|link| {
                usize::from(link.edge) == edge
                    && (key(link.left) == key(point) || key(link.right) == key(point))
            })
        };
        open_sides += usize::from(edge_open(at)) + usize::from(edge_open((at + count - 1) % count));
    }
    (angle, open_sides == 0)
}
