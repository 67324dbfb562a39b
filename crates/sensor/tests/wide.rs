//! Equirectangular and fisheye cameras, exposure and white balance.

mod common;

use ambler_geometry::{Affine, Vec3, random::Stream};
use ambler_sensor::{CameraSpec, Frame, Projection, Renderer, Tone};
use common::{draw, facing_square, pinhole, room, scene_of, view};
use std::sync::Arc;

const FISHEYE: Projection = Projection::Fisheye { fov_deg: 200.0 };

fn wide(projection: Projection, width: u32, height: u32) -> CameraSpec {
    CameraSpec { width, height, projection, ..CameraSpec::default() }
}

/// Distance along a ray from inside a box to its wall.
fn to_wall(eye: Vec3, ray: glam::DVec3, min: Vec3, max: Vec3) -> f64 {
    (0..3)
        .map(|axis| {
            let wall = if ray[axis] > 0.0 { max[axis] } else { min[axis] };
            (f64::from(wall) - f64::from(eye[axis])) / ray[axis]
        })
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn a_room_is_as_far_as_its_walls_in_every_direction() {
    let (min, max) = (Vec3::new(-1.0, -1.3, -2.0), Vec3::new(1.5, 0.9, 1.1));
    let renderer = Renderer::new(Arc::new(room(min, max)));
    let mut stream = Stream::new(1, "wide", "views");
    let mut frame = Frame::default();
    for round in 0..24 {
        let mut number = || stream.uniform() * 2.0 - 1.0;
        let eye = Vec3::new(number() as f32, number() as f32, number() as f32) * 0.7;
        let at = view(eye, number(), number(), number(), number() + 1e-3);
        let projection = if round % 2 == 0 { Projection::Equirectangular } else { FISHEYE };
        let face_depth = round % 3 == 0;
        let spec = CameraSpec { face_depth, ..wide(projection, 64, 48) };
        renderer.render(&spec, &at, &mut frame).expect("a valid view");
        for pixel in 0..64 * 48_usize {
            let (x, y) = ((pixel % 64) as f64 + 0.5, (pixel / 64) as f64 + 0.5);
            let Some(ray) = spec.wide_ray(x, y) else {
                assert_eq!((frame.valid[pixel], frame.instance[pixel]), (0, 0));
                continue;
            };
            assert_eq!(frame.valid[pixel], 1, "a hole at {x}, {y} in view {round}");
            let in_world = at.matrix.as_dmat3() * ray;
            let mut expected = to_wall(eye, in_world, min, max);
            if face_depth {
                expected *= ray.abs().max_element();
            }
            let depth = f64::from(frame.depth[pixel]);
            assert!((depth - expected).abs() < 1e-5 * expected + 1e-6, "{depth} for {expected}");
            // There and back again.
            let point = spec.unproject(x, y, depth);
            let (u, v, back) = spec.project(point).expect("not at the eye");
            assert!((u - x).abs() < 1e-6 && (v - y).abs() < 1e-6 && (back - depth).abs() < 1e-6);
        }
    }
}

#[test]
fn ahead_left_and_up_are_where_the_projections_say() {
    // Walls: 1 −X, 2 +X, 3 −Y, 4 +Y, 5 −Z (ahead), 6 +Z.
    let scene = room(Vec3::splat(-1.0), Vec3::splat(1.0));
    let whole = draw(&scene, &wide(Projection::Equirectangular, 64, 32), &Affine::IDENTITY);
    let at = |x: usize, y: usize| whole.instance[y * 64 + x];
    assert_eq!([at(32, 16), at(16, 16), at(48, 16), at(0, 16), at(63, 16)], [5, 1, 2, 6, 6]);
    assert_eq!([at(5, 0), at(40, 0), at(5, 31), at(40, 31)], [4, 4, 3, 3]);
    let spec = wide(Projection::Fisheye { fov_deg: 180.0 }, 64, 64);
    let fish = draw(&scene, &spec, &Affine::IDENTITY);
    let at = |x: usize, y: usize| fish.instance[y * 64 + x];
    assert_eq!([at(32, 32), at(2, 32), at(61, 32), at(32, 2), at(32, 61)], [5, 1, 2, 4, 3]);
    assert_eq!(at(1, 1), 0, "outside of the circle");
}

#[test]
fn a_wide_image_shows_the_colours_that_a_pinhole_image_shows() {
    // A coloured square ahead; near the axis, where pixels of both are alike in size and place.
    let mut square = facing_square(1.0, -1.0);
    square.colors = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 255, 255]].into();
    let scene = scene_of(vec![square]);
    let flat = pinhole(101, 101, 90.0);
    let reference = draw(&scene, &flat, &Affine::IDENTITY);
    for projection in [Projection::Equirectangular, FISHEYE] {
        let spec = wide(projection, 720, 360);
        let frame = draw(&scene, &spec, &Affine::IDENTITY);
        for (x, y) in [(50, 50), (40, 55), (60, 43), (35, 35)] {
            let point = flat.unproject(f64::from(x) + 0.5, f64::from(y) + 0.5, 1.0);
            let (u, v, _) = spec.project(point).expect("ahead");
            let (a, b) = ((y * 101 + x) as usize * 3, (v as usize * 720 + u as usize) * 3);
            for c in 0..3 {
                let off = reference.rgb[a + c].abs_diff(frame.rgb[b + c]);
                assert!(off <= 4, "{projection:?} at {x}, {y}: off by {off}");
            }
        }
    }
}

#[test]
fn tone_changes_light_as_it_says() {
    let mut square = facing_square(2.0, -1.0);
    square.colors = [[128, 128, 128, 255]; 4].into();
    let scene = scene_of(vec![square]);
    let grey = |tone: Tone| {
        let frame = draw(&scene, &CameraSpec { tone, ..pinhole(4, 4, 60.0) }, &Affine::IDENTITY);
        [frame.rgb[0], frame.rgb[1], frame.rgb[2]]
    };
    let stops = |exposure_ev: f32| grey(Tone { exposure_ev, ..Tone::default() });
    assert_eq!(stops(0.0), [128; 3]);
    // sRGB: 128 is 21.6 % of the light; half of it is stored as 92, twice as 176; four stops clip.
    assert_eq!(stops(-1.0), [92; 3]);
    assert_eq!(stops(1.0), [176; 3]);
    assert_eq!(stops(4.0), [255; 3]);
    let kelvin = |temperature_k: f32| grey(Tone { temperature_k, ..Tone::default() });
    let [r, g, b] = kelvin(3000.0);
    assert!(r > 128 && g < 140 && b < 100, "candles are red: {r} {g} {b}");
    let [r, _, b] = kelvin(12_000.0);
    assert!(r < 128 && b > 128, "the sky is blue: {r} {b}");
    let bad =
        CameraSpec { tone: Tone { exposure_ev: f32::NAN, ..Tone::default() }, ..CameraSpec::default() };
    assert!(bad.validate().is_err());
    let bad = wide(Projection::Fisheye { fov_deg: 361.0 }, 8, 8);
    assert!(bad.validate().is_err());
}
