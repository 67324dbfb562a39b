//! Scenes in bundles: what is read is what was written, whatever becomes of the file.
#![allow(clippy::unwrap_used, reason = "tests")]

use ambler_bundle::{Bundle, Writer};
use ambler_geometry::{Aabb, Affine, Vec2, Vec3};
use ambler_scene::stored::{self, MAGIC, SourceKey};
use ambler_scene::{
    Floor, Instance, Licence, Material, Mesh, Placement, ReadOptions, Receptacle, Room, SceneModel,
    Texture, Wrap, read_scene_sources,
};
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn scene() -> SceneModel {
    let square = [Vec2::ZERO, Vec2::X, Vec2::ONE];
    let mesh = |name: &str, shift: f32| Mesh {
        name: name.into(),
        positions: [Vec3::splat(shift), Vec3::X, Vec3::new(0.0, f32::NAN, -0.0)].into(),
        uvs: square.into(),
        colors: [[1, 2, 3, 4]; 3].into(),
        triangles: [[0, 1, 2], [2, 1, 0]].into(),
        triangle_instances: [7, 0].into(),
    };
    let texture = |width: u32, height: u32| Texture {
        width,
        height,
        pixels: (0..width * height).map(|i| [i as u8, 1, 2, 255]).collect(),
        wrap: [Wrap::Mirror, Wrap::Clamp],
    };
    let bare = Mesh { positions: [Vec3::ONE].into(), ..Mesh::default() };
    SceneModel {
        name: "flat".into(),
        meshes: [mesh("a", 1.0), bare, mesh("b", 2.0)].map(Arc::new).into(),
        textures: vec![Arc::new(texture(3, 5)), Arc::new(texture(1, 1))],
        materials: vec![
            Material::default(),
            Material { texture: Some(1), alpha_cutoff: Some(0.25), ..Material::default() },
        ],
        placements: vec![Placement {
            mesh: 2,
            material: 1,
            world_from_mesh: Affine::Y_UP_FROM_Z_UP,
            instance: 9,
        }],
        instances: vec![Instance {
            id: 7,
            source_id: -6,
            name: "mug_7".into(),
            category: 1,
            bounds: Aabb { min: Vec3::ZERO, max: Vec3::ONE },
        }],
        categories: vec![String::new(), "mug".into()],
        rooms: vec![Room {
            name: "kitchen".into(),
            category: "kitchen".into(),
            polygon: square.to_vec(),
            floor_y: 0.5,
            height: 2.5,
        }],
        floors: vec![Floor { name: "ground".into(), y: 0.5 }],
        receptacles: vec![Receptacle {
            name: "top".into(),
            instance: 7,
            polygon: square.to_vec(),
            y: 0.7,
        }],
        licence: Licence { name: "CC0-1.0".into(), credit: "A. Person".into() },
        fingerprint: "f00".into(),
        bounds: Aabb::EMPTY,
        notes: vec!["odd".into()],
    }
}

fn written(folder: &Path, scene: &SceneModel) -> PathBuf {
    let path = folder.join("a.scene");
    let mut writer = Writer::create(&path, MAGIC).unwrap();
    stored::write(scene, &mut writer).unwrap();
    writer.finish().unwrap();
    path
}

fn read(path: &Path) -> Option<SceneModel> {
    stored::read(&Bundle::open(path, MAGIC).ok()??).ok()
}

#[test]
fn every_field_comes_back_and_arrays_stay_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let scene = scene();
    let back = read(&written(folder.path(), &scene)).unwrap();
    assert_eq!(format!("{back:?}"), format!("{scene:?}"));
    assert!(back.meshes[0].positions.is_mapped() && back.meshes[2].triangles.is_mapped());
    assert!(back.textures[1].pixels.is_mapped());
    assert_eq!(back.meshes[0].positions[2].z.to_bits(), (-0.0_f32).to_bits());
}

#[test]
fn a_scene_that_breaks_its_promises_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |change: &dyn Fn(&mut SceneModel)| {
        let mut scene = scene();
        change(&mut scene);
        assert!(read(&written(folder.path(), &scene)).is_none());
    };
    refused(&|scene| Arc::make_mut(&mut scene.meshes[0]).triangles[1][2] = 3);
    refused(&|scene| scene.placements[0].mesh = 3);
    refused(&|scene| scene.materials[1].texture = Some(2));
    refused(&|scene| scene.instances[0].category = 2);
    refused(&|scene| scene.instances[0].id = 0);
    refused(&|scene| scene.categories.remove(0).clear());
    refused(&|scene| Arc::make_mut(&mut scene.textures[1]).width = 1000);
    refused(&|scene| Arc::make_mut(&mut scene.textures[0]).height = 0);
}

proptest! {
    /// With the checksums made right again: what a hostile file can say.
    #[test]
    fn any_description_of_a_scene_gives_no_panic(at in 0_usize..900, byte in any::<u8>(), cut in 0_usize..900) {
        let folder = tempfile::tempdir().unwrap();
        let path = written(folder.path(), &scene());
        let bundle = Bundle::open(&path, MAGIC).unwrap().unwrap();
        let mut meta = bundle.bytes(1).unwrap().to_vec();
        let last = meta.len() - 1;
        meta[at.min(last)] = byte;
        if cut % 3 == 0 {
            meta.truncate(cut);
        }
        let other = folder.path().join("b.scene");
        let mut writer = Writer::create(&other, MAGIC).unwrap();
        writer.section(1, true, |out| out.push(&meta)).unwrap();
        for kind in 2..8 {
            writer.section(kind, true, |out| out.push(bundle.bytes(kind).unwrap())).unwrap();
        }
        writer.finish().unwrap();
        if let Some(scene) = read(&other) {
            let _ = (scene.world_triangles(), scene.triangle_count());
        }
    }
}

/// A room described in one file, its mesh in another.
fn described(folder: &Path) -> PathBuf {
    let home = folder.join("home");
    std::fs::create_dir_all(&home).unwrap();
    let text = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n\
        property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n\
        0 0 0\n0 0 2\n2 0 0\n3 0 1 2\n";
    std::fs::write(home.join("scan.ply"), text).unwrap();
    let description = "(version: 1, assets: [(path: \"scan.ply\")])";
    std::fs::write(home.join("scene.ron"), description).unwrap();
    home
}

#[test]
fn a_name_changes_with_every_file_and_with_the_options() {
    let folder = tempfile::tempdir().unwrap();
    let home = described(folder.path());
    let options = ReadOptions::default();
    let (_, sources) = read_scene_sources(&home, &options).unwrap();
    assert_eq!(sources.names(), ["scan.ply"]);
    let name = |options: &ReadOptions| {
        let key = SourceKey::new(&home, options, b"1").unwrap();
        key.with_sources(&sources.names()).unwrap()
    };
    let first = name(&options);
    let (made, _) = SourceKey::of_sources(&home, &options, b"1", &sources).unwrap();
    assert_eq!(made, first, "what was read is what lies there");
    assert_ne!(name(&ReadOptions { side_files: false, ..options.clone() }), first);
    let other = SourceKey::new(&home, &options, b"2").unwrap();
    assert_ne!(other.with_sources(&sources.names()).unwrap(), first);
    let text = std::fs::read_to_string(home.join("scan.ply")).unwrap();
    std::fs::write(home.join("scan.ply"), text.replace("0 0 2", "0 0 3")).unwrap();
    assert_ne!(name(&options), first);
    std::fs::remove_file(home.join("scan.ply")).unwrap();
    assert_ne!(name(&options), first);
    let key = SourceKey::new(&home, &options, b"1").unwrap();
    assert!(key.with_sources(&["../secret".into()]).is_err());
    assert!(key.with_sources(&["/etc/passwd".into()]).is_err());
}

#[test]
fn a_list_of_objects_that_appears_beside_a_scan_changes_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let home = described(folder.path());
    let scan = home.join("scan.ply");
    let options = ReadOptions::default();
    let (_, sources) = read_scene_sources(&scan, &options).unwrap();
    assert_eq!(sources.names(), ["scan_objects.json"]);
    let name = || SourceKey::new(&scan, &options, b"").unwrap().with_sources(&sources.names()).unwrap();
    let before = name();
    std::fs::write(home.join("scan_objects.json"), "{}").unwrap();
    assert_ne!(name(), before);
}
