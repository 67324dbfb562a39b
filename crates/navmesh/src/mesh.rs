//! The navmesh itself: immutable, shared between threads.

use crate::settings::NavMeshSettings;
use crate::surface::{Surface, triangle_area};
use crate::tile::{FLAG_DISABLED, FLAG_WALK, Tile};
use ambler_geometry::{Aabb, Vec3};

/// Polygons below this area, m², are disabled, as Habitat does: it crashes on them otherwise.
const MIN_POLY_AREA_M2: f32 = 1e-5;

/// A part of the navmesh from which no other part can be reached on foot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Island {
    /// Area, m², of its detail triangles.
    pub area_m2: f32,
    /// Largest distance of its corners from their mean, metres.
    pub radius_m: f32,
}

/// How tiles lie in the world and how references to them are made (Detour's navmesh parameters),
/// as the file has it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TileSet {
    /// Of the file: 1 (without settings) or 2.
    pub(crate) version: i32,
    pub(crate) orig: [f32; 3],
    pub(crate) tile_width: f32,
    pub(crate) tile_height: f32,
    pub(crate) max_tiles: i32,
    pub(crate) max_polys: i32,
    /// The reference of each tile, in the order of the tiles.
    pub(crate) refs: Vec<u32>,
}

impl TileSet {
    /// Bits of a reference that hold the index of a polygon in its tile.
    pub(crate) fn poly_bits(&self) -> u32 {
        bits_for(self.max_polys)
    }

    /// Bits of a reference that hold the index of a tile.
    pub(crate) fn tile_bits(&self) -> u32 {
        bits_for(self.max_tiles)
    }
}

/// The exponent of the next power of two; 0 for what is not positive.
fn bits_for(count: i32) -> u32 {
    u32::try_from(count).unwrap_or(0).max(1).next_power_of_two().trailing_zeros()
}

/// A navmesh. Immutable, `Send` and `Sync`: share it behind an [`Arc`](std::sync::Arc) and ask it
/// through one [`NavQuery`](crate::NavQuery) a thread.
#[derive(Clone, Debug)]
pub struct NavMesh {
    settings: NavMeshSettings,
    tile_set: TileSet,
    tiles: Vec<Tile>,
    surface: Surface,
    area_m2: f32,
}

impl NavMesh {
    /// The navmesh of one tile, such as the builder makes: derives adjacency and islands, and
    /// disables polygons below 1e-5 m². Indices in the tile must be valid.
    pub(crate) fn from_tile(tile: Tile, settings: NavMeshSettings) -> Self {
        // What Detour derives for a mesh of a single tile; salt 1, tile 0.
        let mut tile_set = TileSet {
            version: 2,
            orig: tile.bmin,
            tile_width: tile.bmax[0] - tile.bmin[0],
            tile_height: tile.bmax[2] - tile.bmin[2],
            max_tiles: 1,
            max_polys: tile.polys.len() as i32,
            refs: Vec::new(),
        };
        tile_set.refs.push(1 << (tile_set.poly_bits() + tile_set.tile_bits()));
        Self::from_tiles(vec![tile], tile_set, settings)
    }

    /// As [`NavMesh::from_tile`], for tiles in ascending order of their index; `tile_set.refs` has
    /// as many entries.
    pub(crate) fn from_tiles(
        mut tiles: Vec<Tile>,
        tile_set: TileSet,
        settings: NavMeshSettings,
    ) -> Self {
        let mut area_m2 = 0.0;
        let mut poly_areas = Vec::new();
        for tile in &mut tiles {
            for index in 0..tile.polys.len() {
                let area = poly_area(tile, index);
                let poly = &mut tile.polys[index];
                if area < MIN_POLY_AREA_M2 {
                    poly.flags = FLAG_DISABLED;
                } else if poly.flags & FLAG_WALK != 0 {
                    area_m2 += area;
                }
                poly_areas.push(area);
            }
        }
        let surface = Surface::new(&tiles, &poly_areas);
        Self { settings, tile_set, tiles, surface, area_m2 }
    }

    /// How it was built.
    pub fn settings(&self) -> &NavMeshSettings {
        &self.settings
    }

    /// Walkable area in square metres, of the detail triangles of all walkable polygons.
    pub fn area_m2(&self) -> f32 {
        self.area_m2
    }

    /// The islands, in the order of their first polygon.
    pub fn islands(&self) -> &[Island] {
        &self.surface.islands
    }

    /// The box of the geometry that the navmesh was built from (the union of its tiles' bounds),
    /// world coordinates; its upper side includes the head room that Recast adds.
    pub fn bounds(&self) -> Aabb {
        self.tiles.iter().fold(Aabb::EMPTY, |bounds, tile| {
            bounds.union(Aabb { min: Vec3::from(tile.bmin), max: Vec3::from(tile.bmax) })
        })
    }

    /// The number of polygons, corners and detail triangles.
    pub fn counts(&self) -> [usize; 3] {
        let sum = |count: fn(&Tile) -> usize| self.tiles.iter().map(count).sum();
        [sum(|tile| tile.polys.len()), sum(|tile| tile.verts.len()), sum(|tile| tile.detail_tris.len())]
    }

    /// The surface as triangles (three corners each, none shared, in the order of the polygons),
    /// world coordinates, for drawing and for maps. Counter-clockwise seen from above.
    pub fn triangles(&self) -> Vec<[Vec3; 3]> {
        self.surface.tris.iter().map(|tri| tri.corners).collect()
    }

    /// The island of each triangle of [`NavMesh::triangles`].
    pub fn triangle_islands(&self) -> Vec<u32> {
        let polys = &self.surface.polys;
        polys.iter().flat_map(|poly| poly.tris.clone().map(|_| poly.island)).collect()
    }

    /// A hash (blake3, hexadecimal) of the navmesh as a file.
    pub fn fingerprint(&self) -> String {
        blake3::hash(&self.to_bytes()).to_hex().to_string()
    }

    pub(crate) fn tiles(&self) -> &[Tile] {
        &self.tiles
    }

    pub(crate) fn tile_set(&self) -> &TileSet {
        &self.tile_set
    }

    pub(crate) fn surface(&self) -> &Surface {
        &self.surface
    }
}

/// Area of a polygon's detail triangles, m², summed as Habitat does it: a double product added to
/// a float.
fn poly_area(tile: &Tile, poly: usize) -> f32 {
    let Some(detail) = tile.detail_meshes.get(poly) else {
        return 0.0;
    };
    let first = detail.tri_base as usize;
    (first..first + usize::from(detail.tri_count)).fold(0.0_f32, |area, tri| {
        (f64::from(area) + triangle_area(tile.detail_corners(poly, tri))) as f32
    })
}
