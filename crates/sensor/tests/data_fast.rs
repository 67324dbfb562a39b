//! The fast renderer against the plain one on real scenes.

mod agreement;
mod common;
mod data;

use agreement::{Agreement, Renderers};
use ambler_geometry::{Vec3, random::Stream};
use ambler_scene::{ReadOptions, UpAxis, read_scene};
use ambler_sensor::{CameraSpec, Projection};
use common::{pinhole, view};
use std::path::{Path, PathBuf};

/// Scenes by name, with their files.
fn scenes(data: &Path) -> [(&'static str, PathBuf, UpAxis); 5] {
    let (golden, assets) = (data.join("golden"), data.join("ok"));
    [
        ("scan40", golden.join("scan40/scene.ply"), UpAxis::Y),
        ("scan180", golden.join("scan180/scene.ply"), UpAxis::Y),
        ("washitsu", assets.join("polycam_washitsu_room_cc0/scans/room.glb"), UpAxis::Y),
        ("hl2_apartment", golden.join("hl2_apartment/scene.glb"), UpAxis::Y),
        (
            "simple_room",
            assets.join("habitat_sim_test_assets/test_assets/scenes/simple_room.glb"),
            UpAxis::Z,
        ),
    ]
}

#[test]
fn fast_images_agree_with_plain_ones_on_real_scenes() {
    let Some(data) = data::folder() else { return };
    for (name, path, up) in scenes(&data) {
        let scene = read_scene(&path, &ReadOptions::with_up(up)).expect("the scene reads");
        let bounds = scene.bounds;
        let renderers = Renderers::new(scene);
        let mut stream = Stream::new(11, "fast", name);
        let mut sum = Agreement::default();
        for round in 0..100 {
            // Anywhere in the bounds, in any direction, mostly upright: among them places inside walls
            // and right at surfaces.
            let mut at = || stream.range(0.02, 0.98) as f32;
            let eye = bounds.min + bounds.size() * Vec3::new(at(), at(), at());
            let mut number = || stream.uniform() * 2.0 - 1.0;
            let tilt = if round % 4 == 0 { 1.0 } else { 0.1 };
            let view = view(eye, number() * tilt, number(), number() * tilt, number() + 1e-3);
            let spec = match round % 3 {
                0 => pinhole(256, 256, 79.0),
                1 => pinhole(320, 240, 110.0),
                _ => pinhole(161, 97, 60.0),
            };
            renderers.compare(&spec, &view, &mut sum, round % 5 == 0);
        }
        sum.check(name);
    }
}

#[test]
fn wide_images_have_the_bits_of_plain_ones_on_real_scenes() {
    let Some(data) = data::folder() else { return };
    for (name, path, up) in scenes(&data) {
        let scene = read_scene(&path, &ReadOptions::with_up(up)).expect("the scene reads");
        let bounds = scene.bounds;
        let renderers = Renderers::new(scene);
        let mut stream = Stream::new(12, "wide", name);
        let mut sum = Agreement::default();
        for round in 0..30 {
            let mut at = || stream.range(0.02, 0.98) as f32;
            let eye = bounds.min + bounds.size() * Vec3::new(at(), at(), at());
            let mut number = || stream.uniform() * 2.0 - 1.0;
            let tilt = if round % 3 == 0 { 1.0 } else { 0.1 };
            let view = view(eye, number() * tilt, number(), number() * tilt, number() + 1e-3);
            let (projection, width, height) = match round % 5 {
                0 | 1 => (Projection::Equirectangular, 256, 128),
                2 => (Projection::Fisheye { fov_deg: 180.0 }, 160, 120),
                3 => (Projection::Fisheye { fov_deg: 200.0 }, 161, 161),
                _ => (Projection::Fisheye { fov_deg: 360.0 }, 128, 128),
            };
            let spec = CameraSpec { width, height, projection, ..CameraSpec::default() };
            renderers.compare(&spec, &view, &mut sum, true);
        }
        sum.check(name);
        assert_eq!((sum.ids_differ, sum.depth_worst), (0, 0.0), "{name}: {sum:?}");
    }
}
