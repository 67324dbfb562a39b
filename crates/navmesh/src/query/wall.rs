//! The distance to the nearest wall: Detour's `findDistanceToWall`.

use super::flat::{distance, to_segment};
use super::search::Search;
use crate::surface::{NO_POLY, Surface};
use ambler_geometry::Vec3;

/// The nearest wall (a border of the navmesh) around a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obstacle {
    /// Distance on the floor plane, metres; the search radius when no wall lies within it.
    pub distance_m: f32,
    /// The nearest point of the wall; none when no wall lies within the radius.
    pub point: Option<Vec3>,
    /// Unit vector from the wall to the (snapped) point; none without a wall or when the point
    /// lies on it.
    pub normal: Option<Vec3>,
}

/// Whether nothing walkable lies behind an edge.
fn is_wall(surface: &Surface, poly: u32, edge: usize) -> bool {
    let from = &surface.polys[poly as usize];
    if from.tile_border >> edge & 1 != 0 {
        // Only the first link of the edge counts.
        let link = surface.links_of(poly).iter().find(|link| usize::from(link.edge) == edge);
        return !link.is_some_and(|link| surface.polys[link.to as usize].walkable);
    }
    let to = from.behind[edge];
    to == NO_POLY || !surface.polys[to as usize].walkable
}

pub(crate) fn nearest_wall(
    surface: &Surface,
    search: &mut Search,
    (start, point): (u32, Vec3),
    max_radius: f32,
) -> Obstacle {
    let mut squared_radius = max_radius * max_radius;
    let mut hit = None;
    search.spread(surface, (start, point), |poly, link| match link {
        // A polygon is looked at: its walls may shrink the circle.
        None => {
            let ring = surface.polys[poly as usize].ring();
            let mut edge = ring.len() - 1;
            for next in 0..ring.len() {
                if is_wall(surface, poly, edge) {
                    let (a, b) = (ring[edge], ring[next]);
                    let (squared, t) = to_segment(point, a, b);
                    if squared <= squared_radius {
                        squared_radius = squared;
                        hit = Some(a + (b - a) * t);
                    }
                }
                edge = next;
            }
            true
        }
        // A link is followed when the circle reaches over its edge.
        Some(link) => {
            let ring = surface.polys[poly as usize].ring();
            let edge = usize::from(link.edge);
            to_segment(point, ring[edge], ring[(edge + 1) % ring.len()]).0 <= squared_radius
        }
    });
    let normal = hit.and_then(|hit: Vec3| {
        let away = point - hit;
        let length = distance(point, hit);
        (length > 0.0).then(|| away * (1.0 / length))
    });
    Obstacle { distance_m: squared_radius.sqrt(), point: hit, normal }
}
