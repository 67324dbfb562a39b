//! Lights: what arrives where, the same in both renderers.

mod common;

use ambler_geometry::{Affine, Mat3, Vec3, random::Stream};
use ambler_scene::SceneModel;
use ambler_sensor::{
    CameraSpec, Frame, Light, LightFrame, LightSource, Lighting, PlainRenderer, Projection, Renderer,
};
use common::{draw, facing_square, pinhole, room, scene_of, view};
use std::sync::Arc;

fn grey_wall() -> SceneModel {
    let mut square = facing_square(4.0, -2.0);
    square.colors = [[100, 100, 100, 255]; 4].into();
    scene_of(vec![square])
}

/// The middle pixel of the wall 2 m ahead.
fn seen(lighting: Option<Lighting>, at: &Affine) -> [u8; 3] {
    let frame = draw(&grey_wall(), &CameraSpec { lighting, ..pinhole(5, 5, 40.0) }, at);
    [frame.rgb[36], frame.rgb[37], frame.rgb[38]]
}

fn one(light: Light) -> Option<Lighting> {
    Some(Lighting { ambient: [0.0; 3], lights: vec![light] })
}

fn sun(x: f32, y: f32, z: f32) -> Light {
    Light { source: LightSource::Directional(Vec3::new(x, y, z)), ..Light::default() }
}

#[test]
fn a_matt_wall_shows_the_cosine() {
    let at = Affine::IDENTITY;
    assert_eq!(seen(None, &at), [100; 3], "as stored");
    assert_eq!(seen(Some(Lighting { ambient: [1.0, 0.5, 0.0], lights: vec![] }), &at), [100, 50, 0]);
    // Along the view: full. At 60°: half. From behind the wall, and along it: nothing.
    assert_eq!(seen(one(sun(0.0, 0.0, -7.0)), &at), [100; 3]);
    assert_eq!(seen(one(sun(3.0_f32.sqrt(), 0.0, -1.0)), &at), [50; 3]);
    assert_eq!(seen(one(sun(0.0, 0.0, 1.0)), &at), [0; 3]);
    assert_eq!(seen(one(sun(0.0, -1.0, 0.0)), &at), [0; 3]);
    let red = Light { color: [1.0, 0.0, 0.0], intensity: 2.0, ..sun(0.0, 0.0, -1.0) };
    assert_eq!(seen(one(red), &at), [200, 0, 0]);
    // Two lights add up, a negative one takes away, and less than nothing is black.
    let both = Lighting { ambient: [0.25; 3], lights: vec![sun(0.0, 0.0, -1.0), sun(0.0, 0.0, -1.0)] };
    assert_eq!(seen(Some(both), &at), [225; 3]);
    let dark = Light { intensity: -1.0, ..sun(0.0, 0.0, -1.0) };
    assert_eq!(seen(Some(Lighting { ambient: [0.5; 3], lights: vec![dark] }), &at), [0; 3]);
}

#[test]
fn a_lamp_falls_off_with_distance_and_may_go_with_the_camera() {
    let lamp = |z: f32, frame| Light {
        source: LightSource::Point(Vec3::new(0.0, 0.0, z)),
        intensity: 2.0,
        frame,
        ..Light::default()
    };
    // 2 / (1 + 1²) a metre from the wall, 2 / (1 + 3²) three metres from it.
    assert_eq!(seen(one(lamp(-1.0, LightFrame::World)), &Affine::IDENTITY), [100; 3]);
    assert_eq!(seen(one(lamp(1.0, LightFrame::World)), &Affine::IDENTITY), [20; 3]);
    // A metre nearer: a lamp of the world stays, one of the camera comes along.
    let nearer = Affine { translation: Vec3::new(0.0, 0.0, -1.0), ..Affine::IDENTITY };
    assert_eq!(seen(one(lamp(1.0, LightFrame::World)), &nearer), [20; 3]);
    assert_eq!(seen(one(lamp(0.0, LightFrame::Camera)), &nearer), [100; 3]);
    // Turned upside down, light that falls down in the world goes up in the camera's frame.
    let turned =
        Affine { matrix: Mat3::from_cols(Vec3::NEG_X, Vec3::NEG_Y, Vec3::Z), translation: Vec3::ZERO };
    let slanting = sun(0.0, -1.0, -1.0);
    assert_eq!(seen(one(slanting), &turned), seen(one(slanting), &Affine::IDENTITY));
    let mine = Light { frame: LightFrame::Camera, ..slanting };
    assert_eq!(seen(one(mine), &turned), [71; 3]);
}

/// Walls of a room that are turned the same way by the light are equally bright, whichever side of the
/// triangle the mesh's order makes its front.
#[test]
fn the_side_that_is_seen_is_lit() {
    let scene = grey_wall();
    let behind = Affine {
        matrix: Mat3::from_cols(Vec3::NEG_X, Vec3::Y, Vec3::NEG_Z),
        translation: Vec3::new(0.0, 0.0, -4.0),
    };
    let spec =
        CameraSpec { cull_back_faces: false, lighting: one(sun(0.0, 0.0, 1.0)), ..pinhole(5, 5, 40.0) };
    assert_eq!(draw(&scene, &spec, &behind).rgb[36], 100);
}

#[test]
fn both_renderers_show_the_same_light() {
    let scene = Arc::new(room(Vec3::new(-1.5, -1.0, -2.0), Vec3::new(1.0, 1.2, 1.4)));
    let (fast, plain) = (Renderer::new(Arc::clone(&scene)), PlainRenderer::new(Arc::clone(&scene)));
    let portable = Renderer::new(scene).without_avx2();
    let mut stream = Stream::new(5, "lights", "views");
    let projections = [
        Projection::Pinhole { hfov_deg: 90.0 },
        Projection::Orthographic { width_m: 2.0 },
        Projection::Equirectangular,
        Projection::Fisheye { fov_deg: 220.0 },
    ];
    let mut lighting = Lighting { ambient: [0.2; 3], ..Lighting::default_lights() };
    lighting.lights.iter_mut().for_each(|light| light.intensity = 0.2);
    let lamp = LightSource::Point(Vec3::new(0.3, 0.4, -0.2));
    lighting.lights.push(Light { source: lamp, color: [1.0, 0.8, 0.6], ..Light::default() });
    lighting.lights.push(Light { source: lamp, frame: LightFrame::Camera, ..Light::default() });
    let [mut a, mut b, mut c] = [const { None::<Frame> }; 3].map(Option::unwrap_or_default);
    for round in 0..16 {
        let mut number = || stream.uniform() * 2.0 - 1.0;
        let eye = Vec3::new(number() as f32, number() as f32, number() as f32) * 0.7;
        let at = view(eye, number(), number(), number(), number() + 1e-3);
        let projection = projections[round % 4];
        let spec = CameraSpec {
            projection,
            lighting: Some(lighting.clone()),
            width: 64,
            height: 48,
            ..CameraSpec::default()
        };
        fast.render(&spec, &at, &mut a).unwrap();
        plain.render(&spec, &at, &mut b).unwrap();
        portable.render(&spec, &at, &mut c).unwrap();
        assert_eq!(a.rgb, c.rgb, "without AVX2, view {round}");
        let unlit = CameraSpec { lighting: None, ..spec.clone() };
        plain.render(&unlit, &at, &mut c).unwrap();
        assert!(b.rgb != c.rgb, "light changes view {round}");
        for (pixel, (a, b)) in a.rgb.iter().zip(&b.rgb).enumerate() {
            assert!(a.abs_diff(*b) <= 2, "{a} and {b} at byte {pixel} of view {round}, {projection:?}");
        }
    }
}

#[test]
fn lights_that_make_no_sense_are_refused() {
    let refused = |light: Light| {
        let spec = CameraSpec { lighting: one(light), ..CameraSpec::default() };
        spec.validate().unwrap_err().to_string()
    };
    assert!(refused(sun(0.0, 0.0, 0.0)).contains("no direction"));
    assert!(refused(sun(f32::NAN, 0.0, 0.0)).contains("light 0"));
    assert!(refused(Light { intensity: f32::INFINITY, ..Light::default() }).contains("light 0"));
    let spec = CameraSpec {
        lighting: Some(Lighting { ambient: [f32::NAN; 3], lights: vec![] }),
        ..CameraSpec::default()
    };
    assert!(spec.validate().unwrap_err().to_string().contains("ambient"));
}
