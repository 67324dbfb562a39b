//! One step along the surface: Detour's `moveAlongSurface`, with Habitat's checks around it.

use super::flat::{cross_segments, distance, inside, lerp, to_segment};
use super::nearest::Filter;
use crate::mesh::NavMesh;
use crate::surface::{NO_POLY, Surface};
use ambler_geometry::Vec3;

/// Polygons that wait to be looked at.
const MAX_QUEUE: usize = 48;
/// Polygons that a step may look at.
const MAX_NODES: usize = 64;
/// Neighbours behind one border edge of a tile.
const MAX_BEHIND: usize = 8;
/// How far, metres, a point on a wall without thickness is pushed into its own polygon.
const NUDGE_M: f32 = 1e-4;

/// The polygons that a step has seen, in the order in which it saw them.
struct Seen {
    polys: [u32; MAX_NODES],
    closed: [bool; MAX_NODES],
    count: usize,
}

impl Seen {
    /// The entry of a polygon, made when there is room.
    fn entry(&mut self, poly: u32) -> Option<usize> {
        let known = self.polys[..self.count].iter().position(|other| *other == poly);
        known.or_else(|| {
            (self.count < MAX_NODES).then(|| {
                self.polys[self.count] = poly;
                self.closed[self.count] = false;
                self.count += 1;
                self.count - 1
            })
        })
    }
}

/// The walkable polygons behind an edge.
fn behind(surface: &Surface, poly: u32, edge: usize, found: &mut [u32; MAX_BEHIND]) -> usize {
    let from = &surface.polys[poly as usize];
    let walkable = |to: u32| surface.polys[to as usize].walkable;
    if from.tile_border >> edge & 1 != 0 {
        let mut count = 0;
        for link in surface.links_of(poly) {
            if usize::from(link.edge) == edge && walkable(link.to) && count < MAX_BEHIND {
                found[count] = link.to;
                count += 1;
            }
        }
        return count;
    }
    let to = from.behind[edge];
    if to == NO_POLY || !walkable(to) {
        return 0;
    }
    found[0] = to;
    1
}

/// Moves from a point on a polygon towards `end`. With sliding: the reachable point nearest to
/// `end`. Without: where the way first meets a wall. Gives the point and its polygon; none when
/// no point was found.
fn move_along(
    surface: &Surface,
    start: u32,
    from: Vec3,
    end: Vec3,
    sliding: bool,
) -> Option<(u32, Vec3)> {
    let mut seen = Seen { polys: [0; MAX_NODES], closed: [false; MAX_NODES], count: 0 };
    let mut queue = [0_u32; MAX_NODES + 1];
    // Each polygon is queued once, so the queue needs no wrapping; its length still counts.
    let (mut head, mut tail) = (0, 1);
    queue[0] = start;
    if let Some(first) = seen.entry(start) {
        seen.closed[first] = true;
    }
    let middle = lerp(from, end, 0.5);
    let radius = distance(from, end) / 2.0 + 0.001;
    let radius_squared = radius * radius;
    let mut best = None;
    let mut best_squared = f32::MAX;
    while head < tail {
        let poly = queue[head];
        head += 1;
        let ring = surface.polys[poly as usize].ring();
        if inside(end, ring) {
            return Some((poly, end));
        }
        let mut edge = ring.len() - 1;
        for next in 0..ring.len() {
            let (a, b) = (ring[edge], ring[next]);
            let mut beyond = [0; MAX_BEHIND];
            let count = behind(surface, poly, edge, &mut beyond);
            if count == 0 {
                let hit = if sliding {
                    let (squared, t) = to_segment(end, a, b);
                    Some((squared, t))
                } else {
                    cross_segments(a, b, from, end).map(|s| {
                        let (dx, dz) = {
                            let at = lerp(a, b, s);
                            (end.x - at.x, end.z - at.z)
                        };
                        (dx * dx + dz * dz, s)
                    })
                };
                if let Some((squared, t)) = hit.filter(|(squared, _)| *squared < best_squared) {
                    best = Some((poly, lerp(a, b, t)));
                    best_squared = squared;
                }
            }
            for &to in &beyond[..count] {
                let Some(entry) = seen.entry(to) else {
                    continue;
                };
                if seen.closed[entry]
                    || to_segment(middle, a, b).0 > radius_squared
                    || (!sliding && cross_segments(a, b, from, end).is_none())
                    || tail - head >= MAX_QUEUE
                {
                    continue;
                }
                seen.closed[entry] = true;
                queue[tail] = to;
                tail += 1;
            }
            edge = next;
        }
    }
    best
}

/// Where a step ends, and what [`NavMesh::nearest`] finds there if that was asked; `start_poly` is
/// the polygon of the start, `start_point` the point on it. None when it is refused.
pub(crate) fn step(
    mesh: &NavMesh,
    (start_poly, start_point): (u32, Vec3),
    end: Vec3,
    sliding: bool,
) -> Option<(Vec3, Option<(u32, Vec3)>)> {
    let surface = mesh.surface();
    let island = surface.polys[start_poly as usize].island;
    let on_island = |poly: u32| surface.polys[poly as usize].island == island;
    // Where there is but one island, it is enough that there is something near the end.
    let allowed = match surface.one_island {
        true => mesh.is_near(end, Filter::Walkable),
        false => mesh.nearest(end, Filter::Walkable).is_some_and(|(poly, _)| on_island(poly)),
    };
    if !allowed {
        return None;
    }
    let (poly, mut point) = move_along(surface, start_poly, start_point, end, sliding)?;
    if let Some(height) = surface.height_at(poly, point) {
        point.y = height;
    }
    if surface.one_island {
        return Some((point, None));
    }
    // On an edge that two islands share, the point may be taken for the other island's.
    let nearest = mesh.nearest(point, Filter::Walkable);
    if nearest.is_some_and(|(found, _)| on_island(found)) {
        return Some((point, nearest));
    }
    let ring = surface.polys[poly as usize].ring();
    let center = ring.iter().fold(Vec3::ZERO, |sum, corner| sum + *corner) / ring.len() as f32;
    let way = center - point;
    let squared = way.x * way.x + way.y * way.y + way.z * way.z;
    let direction = if squared > 0.0 { way / squared.sqrt() } else { way };
    Some((point + direction * NUDGE_M, None))
}
