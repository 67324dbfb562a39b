//! The polygon nearest to a point, by Detour's rule, and heights on polygons.

use super::flat::{distance_squared, height_in_triangle, inside, lerp, to_segment};
use crate::mesh::NavMesh;
use crate::surface::{Surface, SurfacePoly};
use crate::tile::Tile;
use ambler_geometry::Vec3;

/// Half the box, metres, in which Habitat looks for a polygon.
const REACH: Vec3 = Vec3::new(2.0, 4.0, 2.0);
/// Half the boxes, metres, of the looks before the full one: most points lie on a polygon, most
/// others beside one.
const NEARER: [f32; 2] = [0.01, 0.3];

/// Which polygons may be found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Filter {
    /// All that may be walked on.
    Walkable,
    /// Those of one island.
    Island(u32),
}

impl Filter {
    fn passes(self, poly: &SurfacePoly) -> bool {
        match self {
            Self::Walkable => poly.walkable,
            Self::Island(island) => poly.walkable && poly.island == island,
        }
    }
}

/// The nearest polygon found so far.
struct Nearest {
    poly: Option<u32>,
    point: Vec3,
    squared: f32,
    /// A squared distance that is known to be reached.
    limit: f32,
}

/// How far, metres, rounding may put the bound of a polygon off, generously.
fn slack(point: Vec3) -> f32 {
    point.x.abs().max(point.z.abs()).max(1.0) * 1e-5
}

impl NavMesh {
    /// The polygon nearest to a point within 2 m (4 m in height) and the nearest point on it. Over
    /// a polygon only the height beyond the body's climb counts as distance. The first in Detour's
    /// order wins a tie.
    pub(crate) fn nearest(&self, point: Vec3, filter: Filter) -> Option<(u32, Vec3)> {
        if !point.is_finite() {
            return None;
        }
        let mut nearest = Nearest { poly: None, point, squared: f32::MAX, limit: f32::MAX };
        // What lies outside a smaller box is farther away than its half, so when something nearer
        // is found in it, the full box would give the same. (Over a polygon only height counts,
        // but such a polygon is in every box.)
        for reach in NEARER {
            self.scan(point, Vec3::new(reach, REACH.y, reach), filter, &mut nearest);
            let sure = reach - slack(point);
            if nearest.squared == 0.0 || (sure > 0.0 && nearest.squared < sure * sure) {
                return nearest.poly.map(|poly| (poly, nearest.point));
            }
            nearest.limit = nearest.limit.min(nearest.squared);
            (nearest.poly, nearest.squared) = (None, f32::MAX);
        }
        self.scan(point, REACH, filter, &mut nearest);
        nearest.poly.map(|poly| (poly, nearest.point))
    }

    /// Whether [`NavMesh::nearest`] finds anything.
    pub(crate) fn is_near(&self, point: Vec3, filter: Filter) -> bool {
        let surface = self.surface();
        let (low, high) = (point - REACH, point + REACH);
        point.is_finite()
            && surface.tile_order.iter().any(|&tile_index| {
                let tile = &self.tiles()[tile_index as usize];
                let base = surface.tile_base[tile_index as usize];
                let mut found = false;
                if self.tile_in_reach(tile, low, high) {
                    leaves(tile, low, high, |local| {
                        found = filter.passes(&surface.polys[(base + local) as usize]);
                        !found
                    });
                }
                found
            })
    }

    /// Goes through the polygons whose boxes meet the box `point ± reach`, in Detour's order,
    /// leaving out what is too far to matter.
    fn scan(&self, point: Vec3, reach: Vec3, filter: Filter, nearest: &mut Nearest) {
        let surface = self.surface();
        let (low, high) = (point - reach, point + reach);
        let slack = slack(point);
        let cut = |squared: f32| {
            let distance = squared.sqrt() + slack;
            distance * distance
        };
        let mut cut_at = cut(nearest.limit);
        for &tile_index in &surface.tile_order {
            let tile = &self.tiles()[tile_index as usize];
            if !self.tile_in_reach(tile, low, high) {
                continue;
            }
            let base = surface.tile_base[tile_index as usize];
            leaves(tile, low, high, |local| {
                let index = base + local;
                let poly = &surface.polys[index as usize];
                let passes = filter.passes(poly);
                let [min_x, min_z, max_x, max_z] = poly.bounds;
                let dx = (min_x - point.x).max(point.x - max_x).max(0.0);
                let dz = (min_z - point.z).max(point.z - max_z).max(0.0);
                if !passes || dx * dx + dz * dz > cut_at {
                    return true;
                }
                let (on_poly, over) = surface.closest_on(index, point);
                let squared = if over {
                    let beyond = (point.y - on_poly.y).abs() - poly.climb;
                    if beyond > 0.0 { beyond * beyond } else { 0.0 }
                } else {
                    distance_squared(on_poly, point)
                };
                if squared < nearest.squared {
                    (nearest.poly, nearest.point) = (Some(index), on_poly);
                    nearest.squared = squared;
                    cut_at = cut_at.min(cut(squared));
                }
                squared != 0.0
            });
            if nearest.squared == 0.0 {
                return;
            }
        }
    }

    /// Whether the box touches the tile's column and row and its bounds in height. (Detour does not
    /// ask for the height and may take a point to the lowest polygons from any depth below the
    /// scene.)
    fn tile_in_reach(&self, tile: &Tile, low: Vec3, high: Vec3) -> bool {
        let set = self.tile_set();
        let place = |value: f32, orig: f32, size: f32| ((value - orig) / size).floor() as i32;
        let x = place(low.x, set.orig[0], set.tile_width)..=place(high.x, set.orig[0], set.tile_width);
        let y = place(low.z, set.orig[2], set.tile_height)..=place(high.z, set.orig[2], set.tile_height);
        high.y >= tile.bmin[1]
            && low.y <= tile.bmax[1]
            && x.contains(&tile.location[0])
            && y.contains(&tile.location[1])
    }
}

/// Calls `visit` with the polygons of a tile whose boxes meet the box, in Detour's order, until it
/// returns false.
fn leaves(tile: &Tile, low: Vec3, high: Vec3, mut visit: impl FnMut(u32) -> bool) {
    if tile.bv_nodes.is_empty() {
        for (index, poly) in tile.polys.iter().enumerate() {
            let corners = &poly.verts[..usize::from(poly.vert_count)];
            let meets = |axis: usize| {
                let values = corners.iter().map(|corner| tile.verts[usize::from(*corner)][axis]);
                let (min, max) = values
                    .fold((f32::MAX, f32::MIN), |(min, max), value| (min.min(value), max.max(value)));
                low[axis] <= max && high[axis] >= min
            };
            if (0..3).all(meets) && !visit(index as u32) {
                return;
            }
        }
        return;
    }
    let quantise = |value: f32, axis: usize| {
        tile.bv_quant_factor * (value.clamp(tile.bmin[axis], tile.bmax[axis]) - tile.bmin[axis])
    };
    let min = [0, 1, 2].map(|axis| quantise(low[axis], axis) as i32 as u16 & 0xfffe);
    let max = [0, 1, 2].map(|axis| (quantise(high[axis], axis) + 1.0) as i32 as u16 | 1);
    let mut at = 0;
    while let Some(node) = tile.bv_nodes.get(at) {
        let meets = (0..3).all(|axis| min[axis] <= node.bmax[axis] && max[axis] >= node.bmin[axis]);
        let leaf = node.i >= 0;
        if leaf && meets && !visit(node.i as u32) {
            return;
        }
        at += if meets || leaf { 1 } else { node.i.unsigned_abs() as usize };
    }
}

impl Surface {
    /// The point of a polygon nearest to a point, and whether that is straight above or below.
    pub(crate) fn closest_on(&self, poly: u32, point: Vec3) -> (Vec3, bool) {
        match self.height_at(poly, point) {
            Some(height) => (Vec3::new(point.x, height, point.z), true),
            None => (nearest_on_edges(point, self.border_of(poly).iter().copied()), false),
        }
    }

    /// The height of a polygon at a point on the floor plane; none outside it.
    pub(crate) fn height_at(&self, poly: u32, point: Vec3) -> Option<f32> {
        if !inside(point, self.polys[poly as usize].ring()) {
            return None;
        }
        for tri in self.tris_of(poly) {
            if let Some(height) = height_in_triangle(point, tri.corners) {
                return Some(height);
            }
        }
        // On an edge, or the triangles are degenerate: the nearest edge, inner ones once.
        let edges = self.tris_of(poly).iter().flat_map(|tri| {
            [(2, 0), (0, 1), (1, 2)].into_iter().filter_map(|(from, to)| {
                let kept = tri.on_border(from) || tri.raw[from] < tri.raw[to];
                kept.then(|| [tri.corners[from], tri.corners[to]])
            })
        });
        if self.tris_of(poly).is_empty() {
            return Some(nearest_on_edges(point, self.border_of(poly).iter().copied()).y);
        }
        Some(nearest_on_edges(point, edges).y)
    }
}

/// The first nearest point, on the floor plane, of the edges; the point itself without edges.
fn nearest_on_edges(point: Vec3, edges: impl Iterator<Item = [Vec3; 2]>) -> Vec3 {
    let mut best = f32::MAX;
    let mut found = None;
    for [p, q] in edges {
        let (squared, t) = to_segment(point, p, q);
        if squared < best {
            best = squared;
            found = Some((p, q, t));
        }
    }
    found.map_or(point, |(p, q, t)| lerp(p, q, t))
}
