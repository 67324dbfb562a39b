//! Reading: every size is checked before anything is allocated, every index before it is kept.

use super::{HEADER_BYTES, RECORD_BYTES, SET_MAGIC, TILE_MAGIC, TILE_VERSION};
use crate::error::NavMeshError;
use crate::mesh::{NavMesh, TileSet};
use crate::settings::NavMeshSettings;
use crate::tile::{BvNode, DetailMesh, MAX_POLY_VERTS, Poly, Tile};
use ambler_geometry::{Fault, Place};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A reference must leave ten bits for Detour's salt.
const MIN_SALT_BITS: u32 = 10;
const REMEDY: &str =
    "use a .navmesh file that Habitat or Ambler wrote, or build the navmesh from the scene";

impl NavMesh {
    /// Reads a `.navmesh` file.
    ///
    /// # Errors
    /// [`NavMeshError::Fault`] with the file and the byte where it is not a usable navmesh.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, NavMeshError> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|error| {
            Fault::new(path, Place::Whole, error.to_string(), "give the path of a .navmesh file")
        })?;
        Self::parse(&bytes, path)
    }

    /// As [`NavMesh::read`], for bytes at hand; `path` only names them in errors.
    ///
    /// # Errors
    /// [`NavMeshError::Fault`] with the byte where they are not a usable navmesh.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self, NavMeshError> {
        Ok(Reader { bytes, at: 0, path }.navmesh()?)
    }
}

/// The bytes and the place that was reached in them.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    path: &'a Path,
}

/// The counts of a tile's header, in the order of the sections.
struct Counts {
    verts: usize,
    polys: usize,
    links: usize,
    detail_meshes: usize,
    detail_verts: usize,
    detail_tris: usize,
    bv_nodes: usize,
}

impl Reader<'_> {
    fn fault(&self, at: usize, what: impl Into<String>) -> Fault {
        Fault::new(self.path, Place::Byte(at as u64), what, REMEDY)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let Some(found) = rest.first_chunk::<N>() else {
            return Err(self.fault(self.at, format!("the file ends here, {N} bytes are missing")));
        };
        self.at += N;
        Ok(*found)
    }

    fn u8(&mut self) -> Result<u8, Fault> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn u16(&mut self) -> Result<u16, Fault> {
        self.take().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Result<u32, Fault> {
        self.take().map(u32::from_le_bytes)
    }

    fn i32(&mut self) -> Result<i32, Fault> {
        self.take().map(i32::from_le_bytes)
    }

    fn f32(&mut self, name: &str) -> Result<f32, Fault> {
        let at = self.at;
        let value = self.take().map(f32::from_le_bytes)?;
        if value.is_finite() { Ok(value) } else { Err(self.fault(at, format!("{name} is {value}"))) }
    }

    fn vec3(&mut self, name: &str) -> Result<[f32; 3], Fault> {
        Ok([self.f32(name)?, self.f32(name)?, self.f32(name)?])
    }

    fn array<T: Copy + Default, const N: usize>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, Fault>,
    ) -> Result<[T; N], Fault> {
        let mut values = [T::default(); N];
        for value in &mut values {
            *value = read(self)?;
        }
        Ok(values)
    }

    fn list<T>(
        &mut self,
        count: usize,
        mut read: impl FnMut(&mut Self) -> Result<T, Fault>,
    ) -> Result<Vec<T>, Fault> {
        // The caller checked that the file holds this many records.
        let mut values = Vec::with_capacity(count);
        for _ in 0..count {
            values.push(read(self)?);
        }
        Ok(values)
    }

    fn count(&mut self, name: &str) -> Result<usize, Fault> {
        let at = self.at;
        let value = self.i32()?;
        usize::try_from(value).map_err(|_| self.fault(at, format!("the number of {name} is {value}")))
    }

    fn navmesh(&mut self) -> Result<NavMesh, Fault> {
        if self.bytes.is_empty() {
            return Err(self.fault(0, "the file is empty"));
        }
        if self.i32()? != SET_MAGIC {
            return Err(self.fault(0, "not a .navmesh file: it does not begin with 'TESM'"));
        }
        let version = self.i32()?;
        if !(1..=2).contains(&version) {
            return Err(self.fault(4, format!("version {version} of the format; known are 1 and 2")));
        }
        let tile_count = self.i32()?;
        let mut tile_set = TileSet {
            version,
            orig: self.vec3("the origin")?,
            tile_width: self.f32("the tile width")?,
            tile_height: self.f32("the tile height")?,
            max_tiles: self.i32()?,
            max_polys: self.i32()?,
            refs: Vec::new(),
        };
        if !(tile_set.tile_width > 0.0 && tile_set.tile_height > 0.0) {
            return Err(self.fault(24, "tiles without a size"));
        }
        if tile_set.tile_bits() + tile_set.poly_bits() + MIN_SALT_BITS > 32 {
            let (tiles, polys) = (tile_set.max_tiles, tile_set.max_polys);
            return Err(
                self.fault(32, format!("room for {tiles} tiles of {polys} polygons is too much"))
            );
        }
        let settings = if version >= 2 { self.settings()? } else { NavMeshSettings::default() };
        let (mut tiles, mut locations) = (BTreeMap::new(), BTreeSet::new());
        for _ in 0..tile_count.max(0) {
            let at = self.at;
            let (reference, size) = (self.u32()?, self.i32()?);
            if reference == 0 || size == 0 {
                break;
            }
            let index = (reference >> tile_set.poly_bits()) & ((1 << tile_set.tile_bits()) - 1);
            if i64::from(index) >= i64::from(tile_set.max_tiles) {
                return Err(self.fault(at, format!("tile {index} of {}", tile_set.max_tiles)));
            }
            let tile = self.tile(size, &tile_set)?;
            if !locations.insert(tile.location) {
                return Err(self.fault(at, format!("two tiles at {:?}", tile.location)));
            }
            if tiles.insert(index, (reference, tile)).is_some() {
                return Err(self.fault(at, format!("tile {index} appears twice")));
            }
        }
        if tiles.is_empty() {
            return Err(self.fault(8, "the navmesh has no tiles"));
        }
        tile_set.refs = tiles.values().map(|(reference, _)| *reference).collect();
        let tiles = tiles.into_values().map(|(_, tile)| tile).collect();
        Ok(NavMesh::from_tiles(tiles, tile_set, settings))
    }

    fn settings(&mut self) -> Result<NavMeshSettings, Fault> {
        let name = "a setting of the build";
        let settings = NavMeshSettings {
            cell_size_m: self.f32(name)?,
            cell_height_m: self.f32(name)?,
            agent_height_m: self.f32(name)?,
            agent_radius_m: self.f32(name)?,
            agent_max_climb_m: self.f32(name)?,
            agent_max_slope_deg: self.f32(name)?,
            region_min_size: self.f32(name)?,
            region_merge_size: self.f32(name)?,
            edge_max_len: self.f32(name)?,
            edge_max_error: self.f32(name)?,
            verts_per_poly: self.f32(name)?,
            detail_sample_dist: self.f32(name)?,
            detail_sample_max_error: self.f32(name)?,
            filter_low_hanging_obstacles: self.u8()? != 0,
            filter_ledge_spans: self.u8()? != 0,
            filter_walkable_low_height_spans: self.u8()? != 0,
            include_static_objects: self.u8()? == 1,
        };
        Ok(settings)
    }

    fn tile(&mut self, size: i32, tile_set: &TileSet) -> Result<Tile, Fault> {
        let start = self.at;
        let Some(size) = usize::try_from(size).ok().filter(|size| *size <= self.bytes.len() - start)
        else {
            let left = self.bytes.len() - start;
            return Err(self.fault(start - 4, format!("a tile of {size} bytes where {left} are left")));
        };
        if self.i32()? != TILE_MAGIC {
            return Err(self.fault(start, "no Detour tile here: it does not begin with 'VAND'"));
        }
        let version = self.i32()?;
        if version != TILE_VERSION {
            return Err(self.fault(start + 4, format!("version {version} of a Detour tile; known is 7")));
        }
        let location = self.array(Self::i32)?;
        let user_id = self.u32()?;
        let polys = self.count("polygons")?;
        let counts = Counts {
            polys,
            verts: self.count("corners")?,
            links: self.count("links")?,
            detail_meshes: self.count("detail meshes")?,
            detail_verts: self.count("detail vertices")?,
            detail_tris: self.count("detail triangles")?,
            bv_nodes: self.count("tree nodes")?,
        };
        let off_mesh = self.count("off-mesh connections")?;
        self.i32()?; // index of the first off-mesh polygon
        if off_mesh != 0 {
            let what = format!("{off_mesh} off-mesh connections, which Ambler does not support");
            return Err(self.fault(start + 52, what));
        }
        self.check_counts(&counts, start, size, tile_set)?;
        let mut tile = Tile {
            location,
            user_id,
            walkable_height: self.f32("the body's height")?,
            walkable_radius: self.f32("the body's radius")?,
            walkable_climb: self.f32("the body's climb")?,
            bmin: self.vec3("a bound of the tile")?,
            bmax: self.vec3("a bound of the tile")?,
            bv_quant_factor: self.f32("the quantisation factor")?,
            max_links: counts.links as i32,
            ..Tile::default()
        };
        if !(0..3).all(|axis| tile.bmin[axis] <= tile.bmax[axis]) {
            return Err(self.fault(start + 72, "the tile's bounds are the wrong way round"));
        }
        tile.verts = self.list(counts.verts, |r| r.vec3("a corner"))?;
        tile.polys = self.list(counts.polys, |r| r.poly(&counts))?;
        self.at += counts.links * RECORD_BYTES[2] as usize; // rebuilt
        let (meshes, tris) = (self.at, self.at + counts.detail_meshes * 12 + counts.detail_verts * 12);
        tile.detail_meshes = self.list(counts.detail_meshes, |r| r.detail_mesh(&counts))?;
        tile.detail_verts = self.list(counts.detail_verts, |r| r.vec3("a detail vertex"))?;
        tile.detail_tris = self.list(counts.detail_tris, Self::take)?;
        for (index, (poly, mesh)) in tile.polys.iter().zip(&tile.detail_meshes).enumerate() {
            self.check_detail(&tile, poly, mesh, tris).map_err(|mut fault| {
                fault.what +=
                    &format!(" (of polygon {index}, whose detail is at byte {})", meshes + index * 12);
                fault
            })?;
        }
        tile.bv_nodes = self.list(counts.bv_nodes, |r| r.bv_node(&counts))?;
        self.at = start + size;
        Ok(tile)
    }

    /// The sections that the header promises must lie in the tile, and references must be able to
    /// hold its polygons.
    fn check_counts(
        &self,
        counts: &Counts,
        start: usize,
        size: usize,
        set: &TileSet,
    ) -> Result<(), Fault> {
        let sections = [
            counts.verts,
            counts.polys,
            counts.links,
            counts.detail_meshes,
            counts.detail_verts,
            counts.detail_tris,
            counts.bv_nodes,
        ];
        // Counts are below 2³¹ and records below 2⁶ bytes: no overflow.
        let needed =
            sections.iter().zip(RECORD_BYTES).map(|(count, bytes)| *count as u64 * bytes).sum::<u64>();
        if HEADER_BYTES + needed > size as u64 {
            let what = format!("a tile of {size} bytes whose header asks for {}", HEADER_BYTES + needed);
            return Err(self.fault(start + 24, what));
        }
        if counts.polys == 0 {
            return Err(self.fault(start + 24, "a tile without polygons"));
        }
        if counts.polys > 1 << set.poly_bits() {
            let what =
                format!("{} polygons where references hold {}", counts.polys, 1 << set.poly_bits());
            return Err(self.fault(start + 24, what));
        }
        if counts.detail_meshes < counts.polys {
            let what = format!("{} detail meshes for {} polygons", counts.detail_meshes, counts.polys);
            return Err(self.fault(start + 36, what));
        }
        Ok(())
    }

    fn poly(&mut self, counts: &Counts) -> Result<Poly, Fault> {
        let start = self.at;
        self.u32()?; // first link: rebuilt
        let poly = Poly {
            verts: self.array(Self::u16)?,
            neis: self.array(Self::u16)?,
            flags: self.u16()?,
            vert_count: self.u8()?,
            area_and_type: self.u8()?,
        };
        let corners = usize::from(poly.vert_count);
        if !(3..=MAX_POLY_VERTS).contains(&corners) {
            return Err(self.fault(start + 30, format!("a polygon with {corners} corners")));
        }
        if poly.area_and_type >> 6 != 0 {
            return Err(self.fault(start + 31, "an off-mesh polygon, which Ambler does not support"));
        }
        for edge in 0..corners {
            if usize::from(poly.verts[edge]) >= counts.verts {
                let what = format!("corner {} of {}", poly.verts[edge], counts.verts);
                return Err(self.fault(start + 4 + edge * 2, what));
            }
            let neighbour = poly.neis[edge];
            if neighbour & 0x8000 == 0 && usize::from(neighbour) > counts.polys {
                let what = format!("neighbour {} of {} polygons", neighbour - 1, counts.polys);
                return Err(self.fault(start + 16 + edge * 2, what));
            }
        }
        Ok(poly)
    }

    fn detail_mesh(&mut self, counts: &Counts) -> Result<DetailMesh, Fault> {
        let start = self.at;
        let mesh = DetailMesh {
            vert_base: self.u32()?,
            tri_base: self.u32()?,
            vert_count: self.u8()?,
            tri_count: self.u8()?,
        };
        self.u16()?; // padding
        if u64::from(mesh.tri_base) + u64::from(mesh.tri_count) > counts.detail_tris as u64 {
            let what = format!(
                "detail triangles {} + {} of {}",
                mesh.tri_base, mesh.tri_count, counts.detail_tris
            );
            return Err(self.fault(start + 4, what));
        }
        Ok(mesh)
    }

    /// Detail triangles may only name corners of their polygon and detail vertices of the tile.
    fn check_detail(
        &self,
        tile: &Tile,
        poly: &Poly,
        mesh: &DetailMesh,
        tris: usize,
    ) -> Result<(), Fault> {
        let first = mesh.tri_base as usize;
        for (offset, tri) in
            tile.detail_tris[first..first + usize::from(mesh.tri_count)].iter().enumerate()
        {
            for (place, index) in tri[..3].iter().enumerate() {
                let Some(beyond) = index.checked_sub(poly.vert_count) else {
                    continue;
                };
                let vertex = u64::from(mesh.vert_base) + u64::from(beyond);
                if vertex >= tile.detail_verts.len() as u64 {
                    let what = format!("detail vertex {vertex} of {}", tile.detail_verts.len());
                    return Err(self.fault(tris + (first + offset) * 4 + place, what));
                }
            }
        }
        Ok(())
    }

    fn bv_node(&mut self, counts: &Counts) -> Result<BvNode, Fault> {
        let node = BvNode { bmin: self.array(Self::u16)?, bmax: self.array(Self::u16)?, i: self.i32()? };
        if i64::from(node.i) >= counts.polys as i64 {
            let what = format!("a tree leaf with polygon {} of {}", node.i, counts.polys);
            return Err(self.fault(self.at - 4, what));
        }
        Ok(node)
    }
}
