//! What things look like: colours, textures, holes, identities; detections; pictures.

mod common;

use ambler_geometry::{Affine, Heading, Pose, Vec2, Vec3};
use ambler_scene::{Texture, Wrap};
use ambler_sensor::{
    CameraSpec, Frame, Outputs, Picture, Projection, Renderer, depth_color, detect, id_color,
};
use common::{draw, facing_square, pinhole, room, scene_of};
use std::sync::Arc;

fn texture(width: u32, height: u32, wrap: Wrap, of: impl Fn(u32, u32) -> [u8; 4]) -> Texture {
    let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| of(x, y));
    Texture { width, height, pixels: pixels.collect(), wrap: [wrap; 2] }
}

fn pixel(frame: &Frame, x: u32, y: u32) -> [u8; 3] {
    let at = ((y * frame.width + x) * 3) as usize;
    [frame.rgb[at], frame.rgb[at + 1], frame.rgb[at + 2]]
}

/// A square that fills a 90° view exactly, with the texture on it.
fn poster(texture: Texture, scale: f32) -> ambler_scene::SceneModel {
    let mut mesh = facing_square(1.0, -1.0);
    mesh.uvs =
        [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0)].map(|(u, v)| Vec2::new(u, v) * scale).into();
    let mut scene = scene_of(vec![mesh]);
    scene.textures.push(Arc::new(texture));
    scene.materials[0].texture = Some(0);
    scene
}

#[test]
fn a_texture_drawn_pixel_for_pixel_is_itself() {
    let picture = |x: u32, y: u32| [(x * 16) as u8, (y * 16) as u8, ((x ^ y) * 16) as u8, 255];
    let scene = poster(texture(16, 16, Wrap::Repeat, picture), 1.0);
    let frame = draw(&scene, &pinhole(16, 16, 90.0), &Affine::IDENTITY);
    for y in 0..16 {
        for x in 0..16 {
            let [r, g, b, _] = picture(x, y);
            assert_eq!(pixel(&frame, x, y), [r, g, b], "{x}, {y}");
        }
    }
}

#[test]
fn a_texture_far_away_shows_its_mean() {
    // A chessboard of single pixels, 64 of them a pixel of the view: half grey in stored values.
    let board = |x: u32, y: u32| if (x + y).is_multiple_of(2) { [255; 4] } else { [0, 0, 0, 255] };
    let scene = poster(texture(256, 256, Wrap::Repeat, board), 1.0);
    let frame = draw(&scene, &pinhole(4, 4, 90.0), &Affine::IDENTITY);
    assert!(frame.rgb.iter().all(|&value| value == 128), "{:?}", &frame.rgb[..12]);
}

#[test]
fn coordinates_outside_the_image_wrap_as_the_texture_says() {
    // Two pixels, red and blue; three widths of it across six pixels of the view.
    let two = |x: u32, _: u32| if x == 0 { [255, 0, 0, 255] } else { [0, 0, 255, 255] };
    let row = |wrap: Wrap| {
        let scene = poster(texture(2, 2, wrap, two), 3.0);
        let frame = draw(&scene, &pinhole(6, 6, 90.0), &Affine::IDENTITY);
        (0..6).map(|x| if pixel(&frame, x, 3)[0] > 128 { 'r' } else { 'b' }).collect::<String>()
    };
    assert_eq!(row(Wrap::Repeat), "rbrbrb");
    assert_eq!(row(Wrap::Clamp), "rbbbbb");
    assert_eq!(row(Wrap::Mirror), "rbbrrb");
}

#[test]
fn colours_multiply_as_stored() {
    let mut scene = poster(texture(1, 1, Wrap::Repeat, |_, _| [200, 100, 50, 255]), 1.0);
    scene.materials[0].base_color = [0.5, 1.0, 1.0, 1.0];
    Arc::make_mut(&mut scene.meshes[0]).colors = [[255, 51, 255, 255]; 4].into();
    let frame = draw(&scene, &pinhole(3, 3, 79.0), &Affine::IDENTITY);
    assert_eq!(pixel(&frame, 1, 1), [100, 20, 50]);
    // Nothing is black.
    scene.placements.clear();
    let frame = draw(&scene, &pinhole(3, 3, 79.0), &Affine::IDENTITY);
    assert!(frame.rgb.iter().all(|&value| value == 0) && frame.valid.iter().all(|&v| v == 0));
}

#[test]
fn vertex_colours_blend_in_perspective() {
    // A floor from 1 m to 9 m ahead, black near and white far: halfway in the world is 5 m ahead,
    // far from halfway in the image.
    let corners = [(-50.0, -9.0), (-50.0, -1.0), (50.0, -1.0), (50.0, -9.0)];
    let mut mesh = common::quad(corners.map(|(x, z)| Vec3::new(x, -1.0, z)));
    mesh.colors = [[255; 4], [0, 0, 0, 255], [0, 0, 0, 255], [255; 4]].into();
    let spec = pinhole(101, 101, 90.0);
    let frame = draw(&scene_of(vec![mesh]), &spec, &Affine::IDENTITY);
    for row in 56..101 {
        let depth = frame.depth[row * 101 + 50];
        if depth > 0.0 {
            let expected = (depth - 1.0) / 8.0 * 255.0;
            let value = f32::from(pixel(&frame, 50, row as u32)[0]);
            assert!((value - expected).abs() <= 0.51, "row {row}: {value} for {expected}");
        }
    }
}

#[test]
fn an_alpha_mask_makes_holes_through_which_the_wall_behind_is_seen() {
    let left = |x: u32, _: u32| [255, 255, 255, if x < 8 { 255 } else { 0 }];
    let mut scene = poster(texture(16, 16, Wrap::Clamp, left), 1.0);
    let mut wall = facing_square(9.0, -3.0);
    wall.uvs.clear();
    scene.meshes.push(Arc::new(wall));
    scene.materials.push(ambler_scene::Material::default());
    let mut second = scene.placements[0].clone();
    (second.mesh, second.material, second.instance) = (1, 1, 2);
    scene.placements.push(second);
    let spec = pinhole(16, 16, 90.0);
    let opaque = draw(&scene, &spec, &Affine::IDENTITY);
    assert!(opaque.instance.iter().all(|&id| id == 1));
    scene.materials[0].alpha_cutoff = Some(0.5);
    let masked = draw(&scene, &spec, &Affine::IDENTITY);
    for (index, &id) in masked.instance.iter().enumerate() {
        let expected = if index % 16 < 8 { (1, 1.0) } else { (2, 3.0) };
        assert_eq!((id, masked.depth[index]), expected, "pixel {index}");
    }
}

#[test]
fn only_the_images_asked_for_are_delivered() {
    let scene = room(Vec3::splat(-1.0), Vec3::splat(1.0));
    let all = draw(&scene, &pinhole(7, 5, 79.0), &Affine::IDENTITY);
    for bits in 0..16 {
        let outputs = Outputs {
            rgb: bits & 1 != 0,
            depth: bits & 2 != 0,
            instance: bits & 4 != 0,
            category: bits & 8 != 0,
        };
        let frame = draw(&scene, &CameraSpec { outputs, ..pinhole(7, 5, 79.0) }, &Affine::IDENTITY);
        let keep = |on: bool, count: usize| if on { count } else { 0 };
        assert_eq!(frame.rgb, all.rgb[..keep(outputs.rgb, 105)]);
        assert_eq!(frame.depth, all.depth[..keep(outputs.depth, 35)]);
        assert_eq!(frame.valid, all.valid[..keep(outputs.depth, 35)]);
        assert_eq!(frame.instance, all.instance[..keep(outputs.instance, 35)]);
        assert_eq!(frame.category, all.category[..keep(outputs.category, 35)]);
    }
}

#[test]
fn the_detector_counts_what_the_frame_shows() {
    // Ahead of the camera: instance 1, a wall 4 m away; instance 2, a square of 0.96 m at 2 m.
    let scene = scene_of(vec![facing_square(9.0, -4.0), facing_square(0.48, -2.0)]);
    let spec = pinhole(100, 100, 90.0);
    let frame = draw(&scene, &spec, &Affine::IDENTITY);
    let found = detect(&scene, &frame, &spec, 1);
    assert_eq!(found.iter().map(|d| d.instance).collect::<Vec<_>>(), [1, 2]);
    // 0.96 m at 2 m is 24 of 100 pixels at 90°.
    assert_eq!(found[1].pixels, 24 * 24);
    assert_eq!(found[0].pixels, 10_000 - 24 * 24);
    assert_eq!(found[1].share, 0.0576);
    assert_eq!(found[1].bbox[2] - found[1].bbox[0], 24);
    assert_eq!(found[0].bbox, [0, 0, 100, 100]);
    assert_eq!((found[0].median_depth_m, found[1].median_depth_m), (4.0, 2.0));
    assert!((found[1].position - Vec3::new(0.0, 0.0, -2.0)).length() < 0.03);
    // The threshold is inclusive.
    assert_eq!(detect(&scene, &frame, &spec, 576).len(), 2);
    assert_eq!(detect(&scene, &frame, &spec, 577).len(), 1);
    // Without an instance image nothing is found; without depth, no depth.
    assert!(detect(&scene, &Frame::default(), &spec, 1).is_empty());
    let ids = CameraSpec { outputs: Outputs { instance: true, ..Outputs::NONE }, ..spec };
    let frame = draw(&scene, &ids, &Affine::IDENTITY);
    let found = detect(&scene, &frame, &ids, 1);
    assert_eq!((found[1].pixels, found[1].median_depth_m, found[1].position), (576, 0.0, Vec3::ZERO));
}

#[test]
fn images_are_the_same_for_any_number_of_threads_and_in_every_run() {
    let renderer = Renderer::new(Arc::new(room(Vec3::new(-3.0, 0.0, -2.0), Vec3::new(2.0, 2.7, 4.0))));
    let views: Vec<(CameraSpec, Affine)> = (0..1000)
        .map(|index| {
            let spec = pinhole(24 + index % 3, 16, 60.0 + index as f32 * 0.05);
            let heading = Heading::from_yaw(0.0).turned(index as i32, 77);
            let position = Vec3::new((index % 13) as f32 * 0.1, 0.0, (index % 7) as f32 * 0.2);
            let view = spec.world_from_camera(&Pose { position, heading }, -0.1);
            (spec, view)
        })
        .collect();
    let hash = |threads: usize| {
        let mut hasher = blake3::Hasher::new();
        for frame in renderer.render_many(&views, threads).expect("valid views") {
            hasher.update(&frame.rgb);
            hasher.update(&frame.valid);
            frame.depth.iter().for_each(|depth| {
                hasher.update(&depth.to_le_bytes());
            });
            frame.instance.iter().for_each(|id| {
                hasher.update(&id.to_le_bytes());
            });
            frame.category.iter().for_each(|id| {
                hasher.update(&id.to_le_bytes());
            });
        }
        hasher.finalize().to_hex().to_string()
    };
    let one = hash(1);
    for threads in [1, 2, 4, 0, 5000] {
        assert_eq!(hash(threads), one, "{threads} threads");
    }
    // A frame used again holds nothing of its past.
    let mut frame = Frame::default();
    for (spec, view) in views.iter().take(20) {
        renderer.render(spec, view, &mut frame).expect("valid");
        let mut fresh = Frame::default();
        renderer.render(spec, view, &mut fresh).expect("valid");
        assert_eq!(frame, fresh);
    }
}

#[test]
fn cameras_that_make_no_image_are_refused_with_a_reason() {
    let scene = Arc::new(room(Vec3::splat(-1.0), Vec3::splat(1.0)));
    let renderer = Renderer::new(scene);
    let base = CameraSpec::default;
    let pinhole = |hfov_deg| CameraSpec { projection: Projection::Pinhole { hfov_deg }, ..base() };
    let ortho = |width_m| CameraSpec { projection: Projection::Orthographic { width_m }, ..base() };
    for (spec, word) in [
        (CameraSpec { width: 0, ..base() }, "0 × 256"),
        (CameraSpec { height: 4_000_000_000, ..base() }, "8192"),
        (pinhole(0.0), "field of view"),
        (pinhole(180.0), "180"),
        (pinhole(-5.0), "-5"),
        (pinhole(f32::NAN), "NaN"),
        (ortho(0.0), "metres"),
        (ortho(f32::INFINITY), "inf"),
        (CameraSpec { near_m: 0.0, ..base() }, "near"),
        (CameraSpec { far_m: 0.001, ..base() }, "near < far"),
        (CameraSpec { far_m: f32::INFINITY, ..base() }, "finite"),
        (CameraSpec { mount: Vec3::NAN, ..base() }, "mounted"),
        (CameraSpec { yaw_deg: f32::INFINITY, ..base() }, "yaw"),
    ] {
        let mut frame = Frame::default();
        let message = renderer.render(&spec, &Affine::IDENTITY, &mut frame).unwrap_err().to_string();
        assert!(message.contains(word) && message.contains("'front'"), "{message}");
        assert_eq!(
            renderer.render_many(&[(spec, Affine::IDENTITY)], 2).unwrap_err().to_string(),
            message
        );
    }
    let nowhere = Affine { translation: Vec3::NAN, ..Affine::IDENTITY };
    let flat = Affine { matrix: ambler_geometry::Mat3::ZERO, ..Affine::IDENTITY };
    for view in [nowhere, flat] {
        assert!(renderer.render(&base(), &view, &mut Frame::default()).is_err());
    }
}

#[test]
fn intrinsics_follow_the_usual_pinhole_model() {
    // Habitat's camera: f = w / (2 tan(hfov / 2)), the same in both directions.
    let [[fx, _, cx], [_, fy, cy], _] = pinhole(640, 480, 90.0).intrinsics();
    assert!((fx - 320.0).abs() < 1e-10 && fx == fy && (cx, cy) == (320.0, 240.0));
    let spec = CameraSpec::default();
    assert!((spec.pixel_scale() - 155.275_5).abs() < 1e-2, "{}", spec.pixel_scale());
    let point = spec.unproject(10.25, 200.75, 3.5);
    let (x, y, depth) = spec.project(point).expect("in front");
    assert!((x - 10.25).abs() < 1e-9 && (y - 200.75).abs() < 1e-9 && depth == 3.5);
    assert!(spec.project(-point).is_none());
}

#[test]
fn broken_scenes_are_drawn_as_far_as_they_go() {
    let mut scene = room(Vec3::splat(-1.0), Vec3::splat(1.0));
    scene.placements[0].material = 99;
    let mut bad = scene.placements[0].clone();
    bad.mesh = 7;
    scene.placements.insert(0, bad.clone());
    bad.mesh = 0;
    bad.world_from_mesh.translation.x = f32::NAN;
    scene.placements.insert(0, bad);
    Arc::make_mut(&mut scene.meshes[0]).uvs = [Vec2::NAN; 24].into();
    Arc::make_mut(&mut scene.meshes[0]).triangle_instances.truncate(3);
    scene.materials[0].texture = Some(12);
    let frame = draw(&scene, &pinhole(16, 16, 79.0), &Affine::IDENTITY);
    assert!(frame.valid.iter().all(|&valid| valid == 1));
}

#[test]
fn pictures_show_depth_in_order_and_ids_apart() {
    // Lightness falls from near to far.
    let light =
        |[r, g, b]: [u8; 3]| 0.2126 * f64::from(r) + 0.7152 * f64::from(g) + 0.0722 * f64::from(b);
    for step in 0..100 {
        let [a, b] = [step, step + 1].map(|step| light(depth_color(f64::from(step) / 100.0)));
        assert!(a > b, "step {step}");
    }
    // Colours of the first ids are apart from each other and from black.
    for a in 1..40_u32 {
        for b in a + 1..40 {
            let apart: u32 =
                id_color(a).iter().zip(id_color(b)).map(|(x, y)| u32::from(x.abs_diff(y))).sum();
            assert!(apart >= 24, "{a} and {b}: {:?} and {:?}", id_color(a), id_color(b));
        }
    }
    let scene = room(Vec3::splat(-1.0), Vec3::splat(1.0));
    let frame = draw(&scene, &pinhole(12, 8, 79.0), &Affine::IDENTITY);
    let pictures = [
        Picture::of_rgb(&frame),
        Picture::of_depth(&frame, None),
        Picture::of_instances(&frame),
        Picture::of_categories(&frame),
    ];
    let sheet = Picture::sheet(&pictures, 2, 3);
    assert_eq!((sheet.width, sheet.height), (2 * 15 + 3, 2 * 11 + 3));
    let png = sheet.to_png().unwrap();
    let back = image::load_from_memory(&png).unwrap().to_rgb8();
    assert_eq!(back.dimensions(), (sheet.width, sheet.height));
    assert_eq!(back.get_pixel(3, 3).0, pictures[0].pixels[0]);
    // A legend leaves the picture itself as it is.
    let tall = draw(&scene, &pinhole(80, 64, 79.0), &Affine::IDENTITY);
    let (bare, with) = (Picture::of_depth(&tall, None), Picture::of_depth_with_legend(&tall, None));
    assert_eq!(with.height, 64);
    for (a, b) in bare.pixels.chunks(80).zip(with.pixels.chunks(with.width as usize)) {
        assert_eq!(a, &b[..80]);
    }
    // What the camera did not deliver makes no picture, and says so.
    let message = Picture::of_rgb(&Frame::default()).to_png().unwrap_err().to_string();
    assert!(message.contains("0 × 0"), "{message}");
}
