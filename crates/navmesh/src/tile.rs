//! The data of one Detour tile, as a `.navmesh` file holds it and as the builder makes it.

/// Most corners of a polygon (Detour's limit).
pub(crate) const MAX_POLY_VERTS: usize = 6;

/// Polygon flag: may be walked on.
pub(crate) const FLAG_WALK: u16 = 1;
/// Polygon flag: never used in queries (polygons without area get it when a mesh is loaded).
pub(crate) const FLAG_DISABLED: u16 = 4;

/// One tile: polygons, their height detail and a bounding volume tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tile {
    /// Column, row and layer of the tile.
    pub(crate) location: [i32; 3],
    /// A number for the user's purposes.
    pub(crate) user_id: u32,
    /// Body height, radius and climb that the tile was built for, metres.
    pub(crate) walkable_height: f32,
    pub(crate) walkable_radius: f32,
    pub(crate) walkable_climb: f32,
    /// Bounds of the tile, world coordinates.
    pub(crate) bmin: [f32; 3],
    pub(crate) bmax: [f32; 3],
    /// 1 / cell size: world units to units of the bounding volume tree.
    pub(crate) bv_quant_factor: f32,
    pub(crate) verts: Vec<[f32; 3]>,
    pub(crate) polys: Vec<Poly>,
    /// Room that the file reserves for links; links themselves are rebuilt on loading.
    pub(crate) max_links: i32,
    pub(crate) detail_meshes: Vec<DetailMesh>,
    pub(crate) detail_verts: Vec<[f32; 3]>,
    /// Three indices (below the polygon's corner count: a corner; else a detail vertex) and edge
    /// flags, two bits an edge.
    pub(crate) detail_tris: Vec<[u8; 4]>,
    /// As stored (Detour reserves 2 × polygons), possibly empty.
    pub(crate) bv_nodes: Vec<BvNode>,
}

/// A convex polygon of a tile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Poly {
    /// Indices of the corners, the first `vert_count` valid.
    pub(crate) verts: [u16; MAX_POLY_VERTS],
    /// Behind each edge: 0 = border, n = polygon n − 1, 0x8000 | side = another tile.
    pub(crate) neis: [u16; MAX_POLY_VERTS],
    pub(crate) flags: u16,
    pub(crate) vert_count: u8,
    /// Area in the low six bits, type in the top two (0 ground, 1 off-mesh connection).
    pub(crate) area_and_type: u8,
}

/// The height detail of a polygon.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DetailMesh {
    pub(crate) vert_base: u32,
    pub(crate) tri_base: u32,
    pub(crate) vert_count: u8,
    pub(crate) tri_count: u8,
}

/// A node of the bounding volume tree, depth first; coordinates quantised against the tile's
/// lower corner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BvNode {
    pub(crate) bmin: [u16; 3],
    pub(crate) bmax: [u16; 3],
    /// At least 0: index of a polygon. Negative: how far to jump when the node is missed.
    pub(crate) i: i32,
}

impl Tile {
    /// The corners of a detail triangle of a polygon. Indices must be valid.
    pub(crate) fn detail_corners(&self, poly: usize, tri: usize) -> [ambler_geometry::Vec3; 3] {
        let corners = &self.polys[poly];
        let [a, b, c, _] = self.detail_tris[tri];
        [a, b, c].map(|index| {
            let vertex = if index < corners.vert_count {
                self.verts[usize::from(corners.verts[usize::from(index)])]
            } else {
                let base = self.detail_meshes[poly].vert_base as usize;
                self.detail_verts[base + usize::from(index - corners.vert_count)]
            };
            vertex.into()
        })
    }
}
