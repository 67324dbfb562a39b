//! A renderer from a bundle: the same images, and no panic whatever the bundle says.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use ambler_bundle::{Bundle, Writer};
use ambler_geometry::{Vec2, Vec3, random::Stream};
use ambler_scene::stored::{self, MAGIC};
use ambler_scene::{Material, SceneModel, Texture, Wrap};
use ambler_sensor::{CameraSpec, Frame, PlainRenderer, Renderer};
use common::{pinhole, room, view};
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A room with a texture of odd size on one mesh, colours and identities, and enough triangles for
/// several clusters.
fn scene() -> SceneModel {
    let mut scene = room(Vec3::splat(-2.0), Vec3::splat(2.0));
    let texture = |width: u32, height: u32, alpha: u8| Texture {
        width,
        height,
        pixels: (0..width * height)
            .map(|i| [(i * 7) as u8, (i / width * 5) as u8, 90, alpha.max((i % 3 * 100) as u8)])
            .collect(),
        wrap: [Wrap::Repeat, Wrap::Mirror],
    };
    scene.textures = [texture(37, 20, 255), texture(16, 16, 0)].map(Arc::new).into();
    scene.materials.push(Material { texture: Some(0), ..Material::default() });
    scene.materials.push(Material { texture: Some(1), alpha_cutoff: Some(0.5), ..Material::default() });
    let steps = 12_u32;
    let sheet = |y: f32| {
        let at = |i: u32| Vec2::new((i % (steps + 1)) as f32, (i / (steps + 1)) as f32) / steps as f32;
        let corners = || (0..(steps + 1) * (steps + 1)).map(at);
        ambler_scene::Mesh {
            positions: corners().map(|uv| Vec3::new(uv.x * 2.0 - 1.0, y, uv.y * 2.0 - 1.0)).collect(),
            uvs: corners().map(|uv| uv * 3.0).collect(),
            triangles: (0..steps * steps)
                .map(|cell| cell / steps * (steps + 1) + cell % steps)
                .flat_map(|a| [[a, a + steps + 1, a + 1], [a + 1, a + steps + 1, a + steps + 2]])
                .collect(),
            ..Default::default()
        }
    };
    for (mesh, material) in [(sheet(-1.0), 1), (sheet(-0.5), 2)] {
        let index = scene.meshes.len() as u32;
        scene.meshes.push(Arc::new(mesh));
        let mut placement = scene.placements[0].clone();
        placement.mesh = index;
        placement.material = material;
        scene.placements.push(placement);
    }
    if scene.categories.is_empty() {
        scene.categories.push(String::new());
    }
    scene
}

fn written(folder: &Path, renderer: &Renderer) -> PathBuf {
    let path = folder.join("a.scene");
    let mut writer = Writer::create(&path, MAGIC).unwrap();
    stored::write(renderer.scene(), &mut writer).unwrap();
    renderer.store(&mut writer).unwrap();
    writer.finish().unwrap();
    path
}

fn read(path: &Path) -> Option<Renderer> {
    let bundle = Bundle::open(path, MAGIC).ok()??;
    Renderer::stored(Arc::new(stored::read(&bundle).ok()?), &bundle).ok()
}

fn images(renderer: &Renderer, count: u64) -> Vec<Frame> {
    let exact = pinhole(96, 64, 90.0);
    let mut stream = Stream::new(3, "stored", "views");
    (0..count)
        .map(|round| {
            let lod_px = [0.0, 2.0][round as usize % 2];
            let spec = CameraSpec { lod_px, ..exact.clone() };
            let mut number = || stream.uniform() * 2.0 - 1.0;
            let eye = Vec3::new(number() as f32, number() as f32, number() as f32);
            let view = view(eye, number() * 3.0, number(), number(), 1.0);
            let mut frame = Frame::default();
            renderer.render(&spec, &view, &mut frame).unwrap();
            frame
        })
        .collect()
}

#[test]
fn images_from_the_bundle_are_those_of_the_scene() {
    let folder = tempfile::tempdir().unwrap();
    let made = Renderer::new(Arc::new(scene()));
    let path = written(folder.path(), &made);
    let stored = read(&path).unwrap();
    assert_eq!(images(&stored, 40), images(&made, 40));
    // Stored once more it is the same file.
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(std::fs::read(written(folder.path(), &stored)).unwrap(), bytes);
    // The plain renderer draws from what lies in the file too.
    let spec = pinhole(32, 32, 90.0);
    let at = view(Vec3::ZERO, 0.3, -0.6, 0.0, 1.0);
    let mut frames = [Frame::default(), Frame::default()];
    for (scene, frame) in [made.scene(), stored.scene()].into_iter().zip(&mut frames) {
        PlainRenderer::new(Arc::clone(scene)).render(&spec, &at, frame).unwrap();
    }
    assert_eq!(frames[0], frames[1]);
}

proptest! {
    /// Any four bytes of any section, with the checksums made right again.
    #[test]
    fn a_hostile_bundle_gives_no_panic(
        section in 0_usize..16,
        at in any::<prop::sample::Index>(),
        value in prop_oneof![any::<u32>(), 0_u32..300, Just(u32::MAX), Just(0x7FC0_0000)],
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
    ) {
        const KINDS: [u32; 16] = [1, 2, 4, 5, 6, 7, 32, 33, 34, 36, 37, 38, 46, 47, 64, 65];
        let folder = tempfile::tempdir().unwrap();
        let path = written(folder.path(), &Renderer::new(Arc::new(scene())));
        let bundle = Bundle::open(&path, MAGIC).unwrap().unwrap();
        let other = folder.path().join("b.scene");
        let mut writer = Writer::create(&other, MAGIC).unwrap();
        for kind in (1..8).chain(32..35).chain(36..39).chain(46..48).chain(64..66) {
            let mut bytes = bundle.bytes(kind).unwrap().to_vec();
            if kind == KINDS[section] && bytes.len() >= 4 {
                let first = at.index(bytes.len() / 4) * 4;
                bytes[first..first + 4].copy_from_slice(&value.to_le_bytes());
                if let Some(cut) = &cut {
                    bytes.truncate(cut.index(bytes.len() + 1));
                }
            }
            writer.section(kind, true, |out| out.push(&bytes)).unwrap();
        }
        writer.finish().unwrap();
        if let Some(renderer) = read(&other) {
            images(&renderer, 3);
        }
    }
}
