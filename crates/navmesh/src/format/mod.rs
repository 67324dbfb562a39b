//! Habitat's `.navmesh` files, versions 1 and 2: Detour tiles behind a header and, in version 2,
//! the settings of the build.
//!
//! Two things in a file are not kept as they are but derived. The links of a tile are rebuilt
//! from its adjacency and written as Detour has them in memory, so that a file that Habitat wrote
//! comes out byte for byte as it went in. And the fourth flag of the settings, which older
//! versions of Habitat left uninitialised, is read as false unless it is 0 or 1.

mod read;
mod write;

/// `T`, `E`, `S`, `M` on disk.
const SET_MAGIC: i32 = i32::from_be_bytes(*b"MSET");
/// `V`, `A`, `N`, `D` on disk.
const TILE_MAGIC: i32 = i32::from_be_bytes(*b"DNAV");
/// The only version of Detour's tiles.
const TILE_VERSION: i32 = 7;

/// Bytes of a tile's header and of a record of each of its sections, in their order: corners,
/// polygons, links, detail meshes, detail vertices, detail triangles, tree nodes, off-mesh
/// connections.
const HEADER_BYTES: u64 = 100;
const RECORD_BYTES: [u64; 8] = [12, 32, 12, 12, 12, 4, 16, 36];
