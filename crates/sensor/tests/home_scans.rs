//! A scan of a home shows what the home shows: the same things at the same pixels, but for holes, frayed
//! borders and a few millimetres of noise.
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use ambler_geometry::{Heading, Pose, Vec3};
use ambler_scene::SceneModel;
use ambler_scene::home::{HomeSpec, ScanSpec, generate, scan_scene};
use ambler_sensor::{CameraSpec, Frame, Outputs, Projection, Renderer};
use std::sync::Arc;

/// Seeds looked at; more with AMBLER_SEEDS.
fn seeds() -> u64 {
    std::env::var("AMBLER_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// Views from robot height: four directions from the middle of each room and a step from it.
fn poses(scene: &SceneModel) -> Vec<Pose> {
    let mut poses = Vec::new();
    for room in &scene.rooms {
        let corners = room.polygon.len() as f32;
        let middle = room.polygon.iter().sum::<ambler_geometry::Vec2>() / corners;
        for turn in 0..4 {
            let yaw = f64::from(turn) * std::f64::consts::FRAC_PI_2 + 0.4;
            let position = Vec3::new(middle.x, room.floor_y, middle.y);
            poses.push(Pose { position, heading: Heading::from_yaw(yaw) });
        }
    }
    poses
}

/// Share of the pixels of all views in which both show the same instance.
fn agreement(a: &SceneModel, b: &SceneModel, poses: &[Pose]) -> f64 {
    let camera = CameraSpec {
        width: 192,
        height: 192,
        projection: Projection::Pinhole { hfov_deg: 79.0 },
        mount: Vec3::new(0.0, 1.31, 0.0),
        outputs: Outputs { instance: true, ..Outputs::NONE },
        ..CameraSpec::default()
    };
    let renderers = [a, b].map(|scene| Renderer::new(Arc::new(scene.clone())));
    let (mut same, mut all) = (0_usize, 0_usize);
    let mut frames = [Frame::default(), Frame::default()];
    for pose in poses {
        for (renderer, frame) in renderers.iter().zip(&mut frames) {
            renderer.render(&camera, &camera.world_from_camera(pose, 0.0), frame).unwrap();
        }
        let [x, y] = &frames;
        all += x.instance.len();
        same += x.instance.iter().zip(&y.instance).filter(|(x, y)| x == y).count();
    }
    same as f64 / all as f64
}

#[test]
fn a_scan_and_its_home_show_the_same_instances_at_95_percent_of_pixels() {
    for seed in 0..seeds() {
        let rooms = if seeds() == 1 { Some(4) } else { None };
        let home = generate(&HomeSpec { rooms, ..HomeSpec::new(seed) }).unwrap();
        let scan = scan_scene(&home, &ScanSpec { triangles: 200_000, ..ScanSpec::new(seed) });
        let share = agreement(&home, &scan, &poses(&home));
        println!("seed {seed}: {} rooms, {:.1} %", home.rooms.len(), 100.0 * share);
        assert!(share >= 0.95, "seed {seed}: {share}");
        // The comparison can fail: another home does not agree.
        let other = generate(&HomeSpec { rooms, ..HomeSpec::new(seed + 1000) }).unwrap();
        assert!(agreement(&home, &other, &poses(&home)) < 0.6);
    }
}
