//! What queries walk over: all polygons of all tiles in flat arrays, with corner coordinates,
//! links, detail triangles and islands resolved once.

use crate::links::connect;
use crate::mesh::Island;
use crate::tile::{FLAG_WALK, MAX_POLY_VERTS, Tile};
use ambler_geometry::Vec3;
use std::ops::Range;

/// No polygon behind an edge.
pub(crate) const NO_POLY: u32 = u32::MAX;

/// A polygon with all that a query needs of it.
#[derive(Clone, Debug)]
pub(crate) struct SurfacePoly {
    /// Corners, counter-clockwise or not as the file has them; the first `count` are valid.
    pub(crate) corners: [Vec3; MAX_POLY_VERTS],
    pub(crate) count: u8,
    /// Passes the filter "may be walked on".
    pub(crate) walkable: bool,
    /// Bit j: edge j lies on the border of a tile.
    pub(crate) tile_border: u8,
    pub(crate) island: u32,
    /// The polygon of the same tile behind each edge, or [`NO_POLY`].
    pub(crate) behind: [u32; MAX_POLY_VERTS],
    /// Its links, in the order in which Detour visits them.
    pub(crate) links: Range<u32>,
    /// Its detail triangles.
    pub(crate) tris: Range<u32>,
    /// Those edges of its detail triangles that lie on its border.
    pub(crate) border: Range<u32>,
    /// Bounds of its corners and detail vertices on the floor plane: min x, min z, max x, max z.
    pub(crate) bounds: [f32; 4],
    /// How far above or below it a point still counts as on it: the climb of its tile, metres.
    pub(crate) climb: f32,
    /// Area of its detail triangles, m².
    pub(crate) area_m2: f32,
}

impl SurfacePoly {
    /// Its corners.
    pub(crate) fn ring(&self) -> &[Vec3] {
        &self.corners[..usize::from(self.count)]
    }
}

/// A way from one polygon into another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) to: u32,
    /// Edge of the polygon that it leads out of.
    pub(crate) edge: u8,
    /// Which node of `to` a search reaches by it: 0, or for a tile border 0 to 3 by its direction.
    pub(crate) state: u8,
    /// Ends of the portal between the two polygons (of the first link between them, as Detour
    /// takes it) and its middle.
    pub(crate) left: Vec3,
    pub(crate) right: Vec3,
    pub(crate) middle: Vec3,
}

/// A detail triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SurfaceTri {
    pub(crate) corners: [Vec3; 3],
    /// Corner indices within the polygon and edge flags, as stored.
    pub(crate) raw: [u8; 4],
}

impl SurfaceTri {
    /// True when the edge that starts at corner `edge` lies on the polygon's border.
    pub(crate) fn on_border(&self, edge: usize) -> bool {
        (self.raw[3] >> (edge * 2)) & 1 != 0
    }
}

/// The flat arrays.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surface {
    pub(crate) polys: Vec<SurfacePoly>,
    pub(crate) links: Vec<Link>,
    pub(crate) tris: Vec<SurfaceTri>,
    /// Border edges of the detail triangles.
    pub(crate) border: Vec<[Vec3; 2]>,
    /// Index of the first polygon of each tile.
    pub(crate) tile_base: Vec<u32>,
    /// The tiles in the order in which a search visits them: by row, column, newest first.
    pub(crate) tile_order: Vec<u32>,
    /// Nodes that a search may need for one polygon: 1, or 4 when tiles border each other.
    pub(crate) states: u32,
    pub(crate) islands: Vec<Island>,
    /// All that may be walked on is one island.
    pub(crate) one_island: bool,
}

impl Surface {
    pub(crate) fn new(tiles: &[Tile], poly_areas: &[f32]) -> Self {
        let mut surface = Self::default();
        for tile in tiles {
            surface.tile_base.push(surface.polys.len() as u32);
            for index in 0..tile.polys.len() {
                let area = poly_areas.get(surface.polys.len()).copied().unwrap_or(0.0);
                surface.push_poly(tile, index, area);
            }
        }
        let mut order: Vec<u32> = (0..tiles.len() as u32).collect();
        order.sort_by_key(|&index| {
            let [x, y, _] = tiles[index as usize].location;
            (y, x, std::cmp::Reverse(index))
        });
        surface.tile_order = order;
        surface.states = if tiles.len() > 1 { 4 } else { 1 };
        connect(&mut surface, tiles);
        surface.find_islands();
        let mut walkable = surface.polys.iter().filter(|poly| poly.walkable).map(|poly| poly.island);
        let first = walkable.next();
        surface.one_island = walkable.all(|island| Some(island) == first);
        surface
    }

    fn push_poly(&mut self, tile: &Tile, index: usize, area_m2: f32) {
        let poly = &tile.polys[index];
        let base = self.tile_base.last().copied().unwrap_or(0);
        let count = usize::from(poly.vert_count);
        let mut corners = [Vec3::ZERO; MAX_POLY_VERTS];
        let mut behind = [NO_POLY; MAX_POLY_VERTS];
        let mut tile_border = 0;
        for edge in 0..count {
            corners[edge] = tile.verts[usize::from(poly.verts[edge])].into();
            match poly.neis[edge] {
                0 => {}
                side if side & 0x8000 != 0 => tile_border |= 1 << edge,
                neighbour => behind[edge] = base + u32::from(neighbour) - 1,
            }
        }
        let detail = tile.detail_meshes.get(index).copied().unwrap_or_default();
        let first_tri = self.tris.len() as u32;
        let first_border = self.border.len() as u32;
        let mut bounds = [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];
        let mut grow = |v: Vec3| {
            bounds = [bounds[0].min(v.x), bounds[1].min(v.z), bounds[2].max(v.x), bounds[3].max(v.z)];
        };
        corners[..count].iter().copied().for_each(&mut grow);
        let first = detail.tri_base as usize;
        for tri in first..first + usize::from(detail.tri_count) {
            let tri =
                SurfaceTri { corners: tile.detail_corners(index, tri), raw: tile.detail_tris[tri] };
            tri.corners.into_iter().for_each(&mut grow);
            for (edge, next) in [(2, 0), (0, 1), (1, 2)] {
                if tri.on_border(edge) {
                    self.border.push([tri.corners[edge], tri.corners[next]]);
                }
            }
            self.tris.push(tri);
        }
        // A file without edge flags (or without detail) still has a border: the polygon's own.
        if self.border.len() as u32 == first_border {
            for edge in 0..count {
                self.border.push([corners[edge], corners[(edge + 1) % count]]);
            }
        }
        self.polys.push(SurfacePoly {
            corners,
            count: poly.vert_count,
            walkable: poly.flags & FLAG_WALK != 0,
            tile_border,
            island: 0,
            behind,
            links: 0..0,
            tris: first_tri..self.tris.len() as u32,
            border: first_border..self.border.len() as u32,
            bounds,
            climb: tile.walkable_climb,
            area_m2,
        });
    }

    /// The links of a polygon.
    pub(crate) fn links_of(&self, poly: u32) -> &[Link] {
        let links = &self.polys[poly as usize].links;
        &self.links[links.start as usize..links.end as usize]
    }

    /// The detail triangles of a polygon.
    pub(crate) fn tris_of(&self, poly: u32) -> &[SurfaceTri] {
        let tris = &self.polys[poly as usize].tris;
        &self.tris[tris.start as usize..tris.end as usize]
    }

    /// The border edges of a polygon's detail triangles.
    pub(crate) fn border_of(&self, poly: u32) -> &[[Vec3; 2]] {
        let border = &self.polys[poly as usize].border;
        &self.border[border.start as usize..border.end as usize]
    }

    /// Connected parts in the order of their first polygon, by Habitat's rule: depth first over
    /// links into walkable polygons; a disabled polygon that no island reached starts its own.
    fn find_islands(&mut self) {
        const UNSEEN: u32 = u32::MAX;
        let mut island_of = vec![UNSEEN; self.polys.len()];
        let mut stack = Vec::new();
        let mut corners: Vec<Vec3> = Vec::new();
        for first in 0..self.polys.len() {
            if island_of[first] != UNSEEN {
                continue;
            }
            let island = self.islands.len() as u32;
            corners.clear();
            island_of[first] = island;
            stack.push(first as u32);
            while let Some(poly) = stack.pop() {
                corners.extend_from_slice(self.polys[poly as usize].ring());
                for link in self.links_of(poly) {
                    let to = link.to as usize;
                    if island_of[to] == UNSEEN && self.polys[to].walkable {
                        island_of[to] = island;
                        stack.push(link.to);
                    }
                }
            }
            let sum = corners.iter().fold(Vec3::ZERO, |sum, corner| sum + *corner);
            let mean = sum / corners.len() as f32;
            let radius_m = corners.iter().fold(0.0_f32, |radius, corner| {
                let away = *corner - mean;
                radius.max((away.x * away.x + away.y * away.y + away.z * away.z).sqrt())
            });
            self.islands.push(Island { area_m2: 0.0, radius_m });
        }
        for (poly, island) in self.polys.iter_mut().zip(island_of) {
            poly.island = island;
            if poly.walkable {
                self.islands[island as usize].area_m2 += poly.area_m2;
            }
        }
    }
}

/// Area of a triangle, m²: half a float norm, in double.
pub(crate) fn triangle_area([a, b, c]: [Vec3; 3]) -> f64 {
    let cross = (b - a).cross(c - b);
    0.5 * f64::from((cross.x * cross.x + cross.y * cross.y + cross.z * cross.z).sqrt())
}
