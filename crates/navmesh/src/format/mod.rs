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

#[cfg(test)]
mod tests {
    use crate::mesh::NavMesh;
    use crate::settings::NavMeshSettings;
    use crate::tile::{DetailMesh, FLAG_WALK, Poly, Tile};
    use std::path::Path;

    /// A file with one triangle; its settings begin at byte 40.
    fn file() -> Vec<u8> {
        let tile = Tile {
            bmax: [1.0, 1.0, 1.0],
            verts: vec![[0.0; 3], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]],
            polys: vec![Poly {
                verts: [0, 1, 2, 0, 0, 0],
                flags: FLAG_WALK,
                vert_count: 3,
                ..Poly::default()
            }],
            detail_meshes: vec![DetailMesh { tri_count: 1, ..DetailMesh::default() }],
            detail_tris: vec![[0, 1, 2, 0b01_01_01]],
            ..Tile::default()
        };
        NavMesh::from_tile(tile, NavMeshSettings::for_body(1.41, 0.17)).to_bytes()
    }

    fn parse(bytes: &[u8]) -> NavMesh {
        NavMesh::parse(bytes, Path::new("a.navmesh")).unwrap()
    }

    #[test]
    fn the_fourth_flag_is_believed_only_when_it_is_0_or_1() {
        let fourth = 40 + 13 * 4 + 3;
        for (byte, meant) in [(0, false), (1, true), (2, false), (0xcd, false)] {
            let mut bytes = file();
            bytes[fourth] = byte;
            assert_eq!(parse(&bytes).settings().include_static_objects, meant, "{byte}");
        }
    }

    #[test]
    fn version_1_has_no_settings_and_stays_version_1() {
        let bytes = file();
        let mut old = bytes[..40].to_vec();
        old[4] = 1;
        old.extend(&bytes[96..]);
        let mesh = parse(&old);
        assert_eq!(*mesh.settings(), NavMeshSettings::default());
        assert_eq!(mesh.area_m2(), 0.5);
        assert!(mesh.to_bytes() == old);
        assert_eq!(parse(&bytes).settings().agent_height_m, 1.41);
    }

    #[test]
    fn an_error_names_what_stands_at_its_byte() {
        let mut bytes = file();
        let first_corner_index = 96 + 8 + 100 + 3 * 12 + 4;
        bytes[first_corner_index] = 9;
        let error = NavMesh::parse(&bytes, Path::new("a.navmesh")).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("a.navmesh, byte {first_corner_index}: corner 9 of 3; ")),
            "{error}"
        );
    }
}
