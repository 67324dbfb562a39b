//! The fast renderer against the plain one on scenes made to be difficult, and its own promises.

mod agreement;
mod common;

use agreement::{Agreement, Renderers};
use ambler_geometry::{Vec3, random::Stream};
use ambler_scene::{Material, Texture, Wrap};
use ambler_sensor::{CameraSpec, Projection, Renderer};
use common::{pinhole, random_view, room, rubble};
use std::sync::Arc;

#[test]
fn rubble_is_drawn_alike() {
    let mut scene = rubble(1, 300);
    let smooth =
        |x: u32, y: u32| [(x * 7 % 256) as u8, (y * 3 % 256) as u8, ((x + y) * 2 % 256) as u8, 255];
    let pixels = (0..64).flat_map(|y| (0..64).map(move |x| smooth(x, y))).collect();
    scene.textures.push(Arc::new(Texture {
        width: 64,
        height: 64,
        pixels,
        wrap: [Wrap::Mirror, Wrap::Clamp],
    }));
    scene.materials.push(Material { texture: Some(0), ..Material::default() });
    scene.placements[1].material = 1;
    scene.placements[4].material = 1;
    let renderers = Renderers::new(scene);
    let mut stream = Stream::new(2, "rubble", "views");
    for (cull, width, height) in [(true, 128, 96), (false, 101, 77)] {
        let mut sum = Agreement::default();
        for round in 0..60 {
            let spec = CameraSpec {
                cull_back_faces: cull,
                ..pinhole(width, height, if round % 2 == 0 { 79.0 } else { 140.0 })
            };
            renderers.compare(&spec, &random_view(&mut stream, 3.0), &mut sum, true);
        }
        println!("rubble, culled {cull}: {sum:?}");
        // Hardly a pixel is off silhouettes here, and many are on several.
        assert!(sum.ids_differ * 500 <= sum.pixels, "{sum:?}");
        assert!(sum.depth_differ * 2000 <= sum.smooth, "{sum:?}");
    }
}

#[test]
fn orthographic_views_are_drawn_alike() {
    let renderers = Renderers::new(rubble(3, 200));
    let mut stream = Stream::new(4, "rubble", "views");
    let mut sum = Agreement::default();
    for _ in 0..40 {
        let spec = CameraSpec {
            width: 120,
            height: 90,
            projection: Projection::Orthographic { width_m: 6.0 },
            ..CameraSpec::default()
        };
        renderers.compare(&spec, &random_view(&mut stream, 3.0), &mut sum, true);
    }
    println!("orthographic: {sum:?}");
    assert!(sum.ids_differ * 500 <= sum.pixels, "{sum:?}");
    assert!(sum.depth_differ * 2000 <= sum.smooth, "{sum:?}");
}

#[test]
fn rooms_of_large_walls_are_drawn_alike() {
    // All walls cross the near plane in most views, from inside and from outside.
    let renderers = Renderers::new(room(Vec3::new(-3.0, -1.2, -2.0), Vec3::new(3.0, 1.3, 2.5)));
    let mut stream = Stream::new(5, "room", "views");
    for reach in [1.0, 6.0] {
        let mut sum = Agreement::default();
        for _ in 0..100 {
            renderers.compare(
                &pinhole(128, 128, 90.0),
                &random_view(&mut stream, reach),
                &mut sum,
                true,
            );
        }
        sum.check("room");
    }
}

#[test]
fn one_image_has_the_same_bytes_on_any_number_of_threads() {
    let renderer = Renderer::new(Arc::new(rubble(6, 300)));
    let mut stream = Stream::new(7, "threads", "views");
    let views: Vec<_> =
        (0..24).map(|_| (pinhole(96, 64, 79.0), random_view(&mut stream, 2.0))).collect();
    let one = renderer.render_many(&views, 1).expect("valid views");
    for threads in [2, 3, 8] {
        assert!(renderer.render_many(&views, threads).expect("valid views") == one, "{threads} threads");
    }
    // And whatever was drawn before: in reverse, in an other size first.
    let mut frame = ambler_sensor::Frame::default();
    renderer.render(&pinhole(300, 200, 60.0), &views[0].1, &mut frame).expect("a valid view");
    for (index, (spec, view)) in views.iter().enumerate().rev() {
        renderer.render(spec, view, &mut frame).expect("a valid view");
        assert!(frame == one[index], "view {index}");
    }
}
