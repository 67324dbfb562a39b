//! Links between polygons: inside a tile from its adjacency, across tiles from touching borders.

use crate::surface::{Link, Surface};
use crate::tile::{Poly, Tile};
use ambler_geometry::Vec3;
use std::collections::BTreeMap;

/// No link follows.
pub(crate) const NO_LINK: u32 = u32::MAX;
/// The side of a link inside a tile.
const INSIDE: u8 = 0xff;
/// Most links that one border edge gets into one tile.
const MAX_CONNECTIONS: usize = 4;

/// A link as Detour stores it in a tile's pool.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StoredLink {
    /// The polygon that it leads to: tile and index there.
    pub(crate) to: (u32, u32),
    pub(crate) next: u32,
    pub(crate) edge: u8,
    pub(crate) side: u8,
    pub(crate) bmin: u8,
    pub(crate) bmax: u8,
}

/// The links of one tile: a pool, and the first link of each polygon in it.
#[derive(Clone, Debug)]
pub(crate) struct LinkPool {
    pub(crate) links: Vec<StoredLink>,
    pub(crate) first: Vec<u32>,
    used: usize,
    capacity: usize,
}

impl LinkPool {
    fn new(tile: &Tile) -> Self {
        Self {
            links: Vec::new(),
            first: vec![NO_LINK; tile.polys.len()],
            used: 0,
            capacity: usize::try_from(tile.max_links).unwrap_or(0),
        }
    }

    /// Puts a link at the head of a polygon's list; drops it when the pool is full, as Detour does.
    fn push(&mut self, poly: usize, link: StoredLink) {
        if self.used < self.capacity {
            self.links.push(StoredLink { next: self.first[poly], ..link });
            self.first[poly] = self.used as u32;
            self.used += 1;
        }
    }
}

/// The links of all tiles, in Detour's order.
pub(crate) fn link_pools(tiles: &[Tile]) -> Vec<LinkPool> {
    let mut pools: Vec<LinkPool> = tiles.iter().map(LinkPool::new).collect();
    // The tiles at each column and row that were linked already.
    let mut earlier: BTreeMap<(i64, i64), Vec<usize>> = BTreeMap::new();
    for (index, tile) in tiles.iter().enumerate() {
        connect_inside(tile, index as u32, &mut pools[index]);
        let [x, y] = [tile.location[0], tile.location[1]].map(i64::from);
        // First other layers of the same place, then by side; newest first.
        for &other in earlier.get(&(x, y)).into_iter().flatten().rev() {
            connect_across(tiles, &mut pools, index, other, None);
            connect_across(tiles, &mut pools, other, index, None);
        }
        for side in 0..8u8 {
            let (dx, dy) = side_offset(side);
            for &other in earlier.get(&(x + dx, y + dy)).into_iter().flatten().rev() {
                connect_across(tiles, &mut pools, index, other, Some(side));
                connect_across(tiles, &mut pools, other, index, Some(opposite(side)));
            }
        }
        earlier.entry((x, y)).or_default().push(index);
    }
    pools
}

/// Fills the links of the surface.
pub(crate) fn connect(surface: &mut Surface, tiles: &[Tile]) {
    let pools = link_pools(tiles);
    for (tile_index, (tile, pool)) in tiles.iter().zip(&pools).enumerate() {
        for (poly_index, poly) in tile.polys.iter().enumerate() {
            let start = surface.links.len();
            let mut at = pool.first[poly_index];
            while let Some(stored) = pool.links.get(at as usize) {
                let to = surface.tile_base[stored.to.0 as usize] + stored.to.1;
                let known = surface.links[start..].iter().find(|link| link.to == to).copied();
                let (left, right) = match known {
                    Some(first) => (first.left, first.right),
                    None => portal(tile, poly, stored),
                };
                surface.links.push(Link {
                    to,
                    edge: stored.edge,
                    state: if stored.side == INSIDE { 0 } else { (stored.side >> 1) & 3 },
                    left,
                    right,
                    middle: (left + right) * 0.5,
                });
                at = stored.next;
            }
            let global = surface.tile_base[tile_index] as usize + poly_index;
            surface.polys[global].links = start as u32..surface.links.len() as u32;
        }
    }
}

fn edge_ends(tile: &Tile, poly: &Poly, edge: usize) -> (Vec3, Vec3) {
    let next = (edge + 1) % usize::from(poly.vert_count);
    let corner = |index: usize| Vec3::from(tile.verts[usize::from(poly.verts[index])]);
    (corner(edge), corner(next))
}

/// The ends of a link's portal: the edge, cut to the part that both tiles share.
fn portal(tile: &Tile, poly: &Poly, link: &StoredLink) -> (Vec3, Vec3) {
    let (a, b) = edge_ends(tile, poly, usize::from(link.edge));
    if link.side == INSIDE || (link.bmin == 0 && link.bmax == 255) {
        return (a, b);
    }
    let scale = 1.0 / 255.0;
    (a + (b - a) * (f32::from(link.bmin) * scale), a + (b - a) * (f32::from(link.bmax) * scale))
}

/// Links inside a tile: made from the last edge to the first, so that lists run from the first.
fn connect_inside(tile: &Tile, tile_index: u32, pool: &mut LinkPool) {
    for (poly_index, poly) in tile.polys.iter().enumerate() {
        for edge in (0..usize::from(poly.vert_count)).rev() {
            let neighbour = poly.neis[edge];
            if neighbour == 0 || neighbour & 0x8000 != 0 {
                continue;
            }
            let to = (tile_index, u32::from(neighbour) - 1);
            pool.push(
                poly_index,
                StoredLink { to, edge: edge as u8, side: INSIDE, ..StoredLink::default() },
            );
        }
    }
}

/// The column and row next to a tile on a side: 0 = +x, then by eighths of a turn towards +z.
fn side_offset(side: u8) -> (i64, i64) {
    match side {
        0 => (1, 0),
        1 => (1, 1),
        2 => (0, 1),
        3 => (-1, 1),
        4 => (-1, 0),
        5 => (-1, -1),
        6 => (0, -1),
        _ => (1, -1),
    }
}

fn opposite(side: u8) -> u8 {
    (side + 4) & 7
}

/// Links from the border of a tile on a side (or on any, towards another layer) into a target.
fn connect_across(tiles: &[Tile], pools: &mut [LinkPool], from: usize, target: usize, side: Option<u8>) {
    let tile = &tiles[from];
    for (poly_index, poly) in tile.polys.iter().enumerate() {
        for edge in 0..usize::from(poly.vert_count) {
            let border = poly.neis[edge];
            if border & 0x8000 == 0 {
                continue;
            }
            let direction = (border & 0xff) as u8;
            if side.is_some_and(|side| side != direction) {
                continue;
            }
            let (a, b) = edge_ends(tile, poly, edge);
            for (to, low, high) in touching(a, b, &tiles[target], opposite(direction)) {
                let axis = if matches!(direction, 0 | 4) { 2 } else { 0 };
                let along = |value: f32| ((value - a[axis]) / (b[axis] - a[axis])).clamp(0.0, 1.0);
                let (mut start, mut end) = (along(low), along(high));
                if start > end {
                    std::mem::swap(&mut start, &mut end);
                }
                pools[from].push(
                    poly_index,
                    StoredLink {
                        to: (target as u32, to),
                        edge: edge as u8,
                        side: direction,
                        bmin: (start * 255.0) as u8,
                        bmax: (end * 255.0) as u8,
                        ..StoredLink::default()
                    },
                );
            }
        }
    }
}

/// A border edge seen along the border: its lower and upper end as (position, height).
fn slab(a: Vec3, b: Vec3, side: u8) -> ([f32; 2], [f32; 2]) {
    let along = |v: Vec3| if matches!(side, 0 | 4) { v.z } else { v.x };
    let (low, high) = if along(a) < along(b) { (a, b) } else { (b, a) };
    ([along(low), low.y], [along(high), high.y])
}

/// The polygons of a tile whose border on `side` touches the edge a–b, at most four, with the
/// range that they share.
fn touching(a: Vec3, b: Vec3, tile: &Tile, side: u8) -> Vec<(u32, f32, f32)> {
    let across = |v: Vec3| match side {
        0 | 4 => v.x,
        2 | 6 => v.z,
        _ => 0.0,
    };
    let (a_low, a_high) = slab(a, b, side);
    let mut found = Vec::new();
    for (index, poly) in tile.polys.iter().enumerate() {
        for edge in 0..usize::from(poly.vert_count) {
            if poly.neis[edge] != 0x8000 | u16::from(side) {
                continue;
            }
            let (c, d) = edge_ends(tile, poly, edge);
            if (across(a) - across(c)).abs() > 0.01 {
                continue;
            }
            let (c_low, c_high) = slab(c, d, side);
            if !slabs_overlap((a_low, a_high), (c_low, c_high), 0.01, tile.walkable_climb) {
                continue;
            }
            if found.len() < MAX_CONNECTIONS {
                found.push((index as u32, a_low[0].max(c_low[0]), a_high[0].min(c_high[0])));
            }
            break;
        }
    }
    found
}

/// Whether two border edges overlap along the border (shrunk by `margin`) and in height (within
/// twice the climb at an end of the shared range, or crossing).
fn slabs_overlap(a: ([f32; 2], [f32; 2]), b: ([f32; 2], [f32; 2]), margin: f32, climb: f32) -> bool {
    let low = (a.0[0] + margin).max(b.0[0] + margin);
    let high = (a.1[0] - margin).min(b.1[0] - margin);
    if low > high {
        return false;
    }
    let line = |s: ([f32; 2], [f32; 2])| {
        let slope = (s.1[1] - s.0[1]) / (s.1[0] - s.0[0]);
        (slope, s.0[1] - slope * s.0[0])
    };
    let ((a_slope, a_base), (b_slope, b_base)) = (line(a), line(b));
    let at_low = (b_slope * low + b_base) - (a_slope * low + a_base);
    let at_high = (b_slope * high + b_base) - (a_slope * high + a_base);
    let limit = (climb * 2.0) * (climb * 2.0);
    at_low * at_high < 0.0 || at_low * at_low <= limit || at_high * at_high <= limit
}

#[cfg(test)]
mod tests {
    use crate::mesh::{NavMesh, TileSet};
    use crate::query::NavQuery;
    use crate::settings::NavMeshSettings;
    use crate::tile::{DetailMesh, FLAG_WALK, Poly, Tile};
    use ambler_geometry::Vec3;
    use std::sync::Arc;

    /// A square of 4 × 4 m, one polygon, that touches its neighbours on `sides` (edge, side).
    fn square(column: i32, sides: &[(usize, u16)]) -> Tile {
        let x = column as f32 * 4.0;
        let mut poly = Poly { flags: FLAG_WALK, vert_count: 4, ..Poly::default() };
        poly.verts[..4].copy_from_slice(&[0, 1, 2, 3]);
        for &(edge, side) in sides {
            poly.neis[edge] = 0x8000 | side;
        }
        Tile {
            location: [column, 0, 0],
            walkable_climb: 0.2,
            bmin: [x, 0.0, 0.0],
            bmax: [x + 4.0, 2.0, 4.0],
            bv_quant_factor: 20.0,
            verts: vec![[x, 0.0, 0.0], [x, 0.0, 4.0], [x + 4.0, 0.0, 4.0], [x + 4.0, 0.0, 0.0]],
            polys: vec![poly],
            max_links: 8,
            detail_meshes: vec![DetailMesh { tri_count: 2, ..DetailMesh::default() }],
            // Border edges: 0–1 and 1–2, then 2–3 and 3–0.
            detail_tris: vec![[0, 1, 2, 0b00_01_01], [0, 2, 3, 0b01_01_00]],
            ..Tile::default()
        }
    }

    fn row() -> NavMesh {
        let tiles = vec![square(0, &[(2, 0)]), square(1, &[(0, 4), (2, 0)]), square(2, &[(0, 4)])];
        let tile_set = TileSet {
            version: 2,
            orig: [0.0; 3],
            tile_width: 4.0,
            tile_height: 4.0,
            max_tiles: 4,
            max_polys: 8,
            refs: vec![1 << 5, 1 << 5 | 1 << 3, 1 << 5 | 2 << 3],
        };
        NavMesh::from_tiles(tiles, tile_set, NavMeshSettings::default())
    }

    #[test]
    fn a_path_and_steps_cross_the_borders_of_tiles() {
        let mesh = row();
        assert_eq!((mesh.islands().len(), mesh.area_m2()), (1, 48.0));
        let mut query = NavQuery::new(Arc::new(mesh));
        let (start, goal) = (Vec3::new(1.0, 0.0, 2.0), Vec3::new(11.0, 0.0, 2.0));
        let path = query.find_path(start, goal).unwrap();
        assert_eq!((path.length_m, path.points.len()), (10.0, 2));
        for sliding in [true, false] {
            let reached = (0..40).fold(start, |at, _| query.try_step(at, at + Vec3::X * 0.25, sliding));
            assert_eq!(reached, goal);
        }
        let obstacle = query.distance_to_obstacle(Vec3::new(4.1, 0.0, 1.5), 5.0).unwrap();
        assert_eq!((obstacle.distance_m, obstacle.normal), (1.5, Some(Vec3::Z)));
    }

    #[test]
    fn several_tiles_survive_a_file() {
        let mesh = row();
        let bytes = mesh.to_bytes();
        let again = NavMesh::parse(&bytes, "row.navmesh".as_ref()).unwrap();
        assert_eq!(again.tiles(), mesh.tiles());
        assert!(again.to_bytes() == bytes);
        assert_eq!(again.islands(), mesh.islands());
    }
}
