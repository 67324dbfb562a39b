//! Writing, as Habitat's `saveNavMesh` lays a file out.

use super::{HEADER_BYTES, RECORD_BYTES, SET_MAGIC, TILE_MAGIC, TILE_VERSION};
use crate::links::{LinkPool, NO_LINK, link_pools};
use crate::mesh::NavMesh;
use crate::tile::Tile;

/// Bytes in the making.
#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn i32s(&mut self, values: impl IntoIterator<Item = i32>) {
        values.into_iter().for_each(|value| self.0.extend_from_slice(&value.to_le_bytes()));
    }

    fn u32s(&mut self, values: impl IntoIterator<Item = u32>) {
        values.into_iter().for_each(|value| self.0.extend_from_slice(&value.to_le_bytes()));
    }

    fn u16s(&mut self, values: impl IntoIterator<Item = u16>) {
        values.into_iter().for_each(|value| self.0.extend_from_slice(&value.to_le_bytes()));
    }

    fn f32s(&mut self, values: impl IntoIterator<Item = f32>) {
        values.into_iter().for_each(|value| self.0.extend_from_slice(&value.to_le_bytes()));
    }
}

impl NavMesh {
    /// The navmesh as a `.navmesh` file, in the version that it was read from (2 for a built one).
    /// For a file that Habitat wrote, these are its bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let set = self.tile_set();
        let mut out = Writer::default();
        out.i32s([SET_MAGIC, set.version, self.tiles().len() as i32]);
        out.f32s(set.orig);
        out.f32s([set.tile_width, set.tile_height]);
        out.i32s([set.max_tiles, set.max_polys]);
        if set.version >= 2 {
            self.write_settings(&mut out);
        }
        let pools = link_pools(self.tiles());
        for ((tile, pool), reference) in self.tiles().iter().zip(&pools).zip(&set.refs) {
            out.u32s([*reference]);
            let size_at = out.0.len();
            out.i32s([0]);
            self.write_tile(&mut out, tile, pool);
            let size = (out.0.len() - size_at - 4) as i32;
            out.0[size_at..size_at + 4].copy_from_slice(&size.to_le_bytes());
        }
        out.0
    }

    fn write_settings(&self, out: &mut Writer) {
        let s = self.settings();
        out.f32s(s.numbers());
        out.0.extend(s.flags().map(u8::from));
    }

    fn write_tile(&self, out: &mut Writer, tile: &Tile, pool: &LinkPool) {
        let sections = [
            tile.polys.len(),
            tile.verts.len(),
            usize::try_from(tile.max_links).unwrap_or(0),
            tile.detail_meshes.len(),
            tile.detail_verts.len(),
            tile.detail_tris.len(),
            tile.bv_nodes.len(),
        ];
        let records: usize = sections.iter().sum();
        out.0.reserve(HEADER_BYTES as usize + records * RECORD_BYTES[1] as usize);
        out.i32s([TILE_MAGIC, TILE_VERSION]);
        out.i32s(tile.location);
        out.u32s([tile.user_id]);
        out.i32s(sections.map(|count| count as i32));
        // No off-mesh connections; their polygons would start after the others.
        out.i32s([0, tile.polys.len() as i32]);
        out.f32s([tile.walkable_height, tile.walkable_radius, tile.walkable_climb]);
        out.f32s(tile.bmin);
        out.f32s(tile.bmax);
        out.f32s([tile.bv_quant_factor]);
        tile.verts.iter().for_each(|vertex| out.f32s(*vertex));
        for (poly, first) in tile.polys.iter().zip(&pool.first) {
            out.u32s([*first]);
            out.u16s(poly.verts);
            out.u16s(poly.neis);
            out.u16s([poly.flags]);
            out.0.extend([poly.vert_count, poly.area_and_type]);
        }
        self.write_links(out, sections[2], pool);
        for mesh in &tile.detail_meshes {
            out.u32s([mesh.vert_base, mesh.tri_base]);
            out.0.extend([mesh.vert_count, mesh.tri_count, 0, 0]);
        }
        tile.detail_verts.iter().for_each(|vertex| out.f32s(*vertex));
        tile.detail_tris.iter().for_each(|tri| out.0.extend(tri));
        for node in &tile.bv_nodes {
            out.u16s(node.bmin);
            out.u16s(node.bmax);
            out.i32s([node.i]);
        }
    }

    /// The pool of links as Detour has it in memory: used ones, then a chain of free ones.
    fn write_links(&self, out: &mut Writer, capacity: usize, pool: &LinkPool) {
        let set = self.tile_set();
        for link in &pool.links {
            let base = set.refs[link.to.0 as usize];
            out.u32s([base | link.to.1, link.next]);
            out.0.extend([link.edge, link.side, link.bmin, link.bmax]);
        }
        for free in pool.links.len()..capacity {
            let next = if free + 1 < capacity { free as u32 + 1 } else { NO_LINK };
            out.u32s([0, next, 0]);
        }
    }
}
