//! Where things appear: depth, direction, coverage.

mod common;

use ambler_geometry::{Affine, Heading, Mat3, Pose, Vec3, random::Stream};
use ambler_sensor::{CameraSpec, Frame, Projection, Renderer};
use common::{draw, facing_square, pinhole, quad, room, scene_of, view};
use std::sync::Arc;

#[test]
fn a_square_at_a_distance_has_that_depth_at_every_pixel() {
    for distance in [0.02_f32, 0.5, 3.25, 700.0] {
        let scene = scene_of(vec![facing_square(distance * 2.0, -distance)]);
        let frame = draw(&scene, &pinhole(33, 17, 79.0), &Affine::IDENTITY);
        // To the last bit but one of f32: what is kept a pixel is 1/depth.
        let off = |depth: f32| (depth - distance).abs() <= distance * 1.2e-7;
        assert!(frame.depth.iter().all(|&depth| off(depth)), "at {distance} m");
        assert!(frame.valid.iter().all(|&valid| valid == 1));
    }
}

#[test]
fn what_is_nearer_than_near_or_farther_than_far_is_not_seen() {
    let scene = scene_of(vec![facing_square(3.0, -1.0)]);
    let seen = |near_m: f32, far_m: f32| {
        let spec = CameraSpec { near_m, far_m, ..pinhole(8, 8, 79.0) };
        draw(&scene, &spec, &Affine::IDENTITY).valid.iter().filter(|&&valid| valid == 1).count()
    };
    assert_eq!(seen(0.01, 1000.0), 64);
    assert_eq!(seen(1.0, 1000.0), 64);
    assert_eq!(seen(1.1, 1000.0), 0);
    assert_eq!(seen(0.01, 1.0), 64);
    assert_eq!(seen(0.01, 0.9), 0);
}

#[test]
fn right_is_right_and_up_is_up() {
    // At yaw 0 the camera looks along −Z: magenta ahead, red left, green right, blue below, yellow
    // above. A wide image shows all five.
    let scene = room(Vec3::splat(-1.0), Vec3::splat(1.0));
    let spec = CameraSpec { mount: Vec3::ZERO, ..pinhole(65, 65, 120.0) };
    let look = |yaw: f64, tilt: f64| {
        let pose = Pose { position: Vec3::ZERO, heading: Heading::from_yaw(yaw) };
        draw(&scene, &spec, &spec.world_from_camera(&pose, tilt))
    };
    let at = |frame: &Frame, column: usize, row: usize| {
        let pixel = (row * 65 + column) * 3;
        [frame.rgb[pixel], frame.rgb[pixel + 1], frame.rgb[pixel + 2]]
    };
    let ahead = look(0.0, 0.0);
    assert_eq!(at(&ahead, 32, 32), [255, 0, 255]);
    assert_eq!(at(&ahead, 0, 32), [255, 0, 0]);
    assert_eq!(at(&ahead, 64, 32), [0, 255, 0]);
    assert_eq!(at(&ahead, 32, 64), [0, 0, 255]);
    assert_eq!(at(&ahead, 32, 0), [255, 255, 0]);
    // Instances and categories follow.
    assert_eq!(ahead.instance[32 * 65], 1);
    assert_eq!(ahead.category[64 * 65 + 32], 2);
    // A left turn by 90° faces −X; a tilt of 90° up faces +Y.
    let turn = std::f64::consts::FRAC_PI_2;
    assert_eq!(at(&look(turn, 0.0), 32, 32), [255, 0, 0]);
    assert_eq!(at(&look(-turn, 0.0), 32, 32), [0, 255, 0]);
    assert_eq!(at(&look(0.0, turn), 32, 32), [255, 255, 0]);
    assert_eq!(at(&look(0.0, -turn), 32, 32), [0, 0, 255]);
}

#[test]
fn a_rig_looks_where_its_names_say() {
    let scene = room(Vec3::splat(-2.0), Vec3::splat(2.0));
    let base = CameraSpec { mount: Vec3::ZERO, ..pinhole(9, 9, 79.0) };
    let pose = Pose { position: Vec3::ZERO, heading: Heading::from_yaw(0.0) };
    for (rig, expected) in [
        ("front", vec![("front", 5)]),
        ("front-back", vec![("front", 5), ("back", 6)]),
        ("front-left-right", vec![("front", 5), ("left", 1), ("right", 2)]),
        ("panorama4", vec![("front", 5), ("left", 1), ("back", 6), ("right", 2)]),
    ] {
        let cameras = base.rig(rig).expect("a known rig");
        let seen: Vec<(&str, u32)> = cameras
            .iter()
            .map(|camera| {
                let frame = draw(&scene, camera, &camera.world_from_camera(&pose, 0.0));
                (camera.name.as_str(), frame.instance[40])
            })
            .collect();
        assert_eq!(seen, expected, "{rig}");
    }
    let message = base.rig("fish").expect_err("no such rig").to_string();
    assert!(message.contains("panorama4"), "{message}");
}

#[test]
fn the_field_of_view_ends_exactly_at_the_image_border() {
    // Two squares at 1 m that meet where the frustum of 90° ends, x = 1, and just inside it: the
    // last column's middle is at 1 − 1/width.
    let width = 64_u32;
    let border = 1.0 - 1.0 / width as f32;
    // Corners are rounded to 1/1024 of a pixel: 3e-5 m here.
    for (edge, expected) in [(border - 4e-5, 0), (border + 4e-5, width)] {
        let mesh = quad([
            Vec3::new(-2.0, 2.0, -1.0),
            Vec3::new(-2.0, -2.0, -1.0),
            Vec3::new(edge, -2.0, -1.0),
            Vec3::new(edge, 2.0, -1.0),
        ]);
        let frame = draw(&scene_of(vec![mesh]), &pinhole(width, width, 90.0), &Affine::IDENTITY);
        let last_column =
            (0..width).map(|row| u32::from(frame.valid[(row * width + width - 1) as usize]));
        assert_eq!(last_column.sum::<u32>(), expected);
    }
}

#[test]
fn pixels_show_what_is_at_their_middle() {
    // A square whose right border is at a pixel's middle ± a little.
    let spec = pinhole(10, 10, 90.0);
    let covered = |edge: f32| {
        let mesh = quad([
            Vec3::new(-5.0, 5.0, -1.0),
            Vec3::new(-5.0, -5.0, -1.0),
            Vec3::new(edge, -5.0, -1.0),
            Vec3::new(edge, 5.0, -1.0),
        ]);
        draw(&scene_of(vec![mesh]), &spec, &Affine::IDENTITY).valid.iter().filter(|&&v| v == 1).count()
    };
    // Middles are at −0.9, −0.7, … on the image plane.
    assert_eq!(covered(0.09), 50);
    assert_eq!(covered(0.11), 60);
    assert_eq!(covered(0.29), 60);
    assert_eq!(covered(0.31), 70);
}

#[test]
fn a_closed_room_shows_no_hole() {
    // Walls of many small triangles, bumpy, that share their vertices' places exactly; and walls of
    // two triangles each. From 1000 random places in any direction, no pixel sees the outside.
    let plain = room(Vec3::new(-1.0, -0.7, -2.0), Vec3::new(1.5, 0.9, 1.1));
    let bumpy = bumpy_ball(24);
    let spec = pinhole(48, 32, 100.0);
    for (name, scene, reach) in [("room", plain, 0.6), ("ball", bumpy, 0.5)] {
        let renderer = Renderer::new(Arc::new(scene));
        let mut stream = Stream::new(7, "watertight", name);
        let mut frame = Frame::default();
        for round in 0..1000 {
            let mut number = || stream.uniform() * 2.0 - 1.0;
            let eye = Vec3::new(number() as f32, number() as f32, number() as f32) * reach;
            let rotation = view(eye, number(), number(), number(), number() + 1e-3);
            renderer.render(&spec, &rotation, &mut frame).expect("a valid view");
            assert!(frame.valid.iter().all(|&valid| valid == 1), "{name}, view {round}");
        }
    }
}

/// A closed ball seen from the inside, its radius different at each vertex.
fn bumpy_ball(rings: u32) -> ambler_scene::SceneModel {
    let mut mesh = ambler_scene::Mesh::default();
    let mut stream = Stream::new(3, "watertight", "bumps");
    for ring in 0..=rings {
        for segment in 0..rings * 2 {
            let (theta, phi) = (
                f64::from(ring) * std::f64::consts::PI / f64::from(rings),
                f64::from(segment) * std::f64::consts::PI / f64::from(rings),
            );
            let radius = 2.0 + if ring == 0 || ring == rings { 0.0 } else { 0.2 * stream.uniform() };
            let (s, c) = (libm::sin(theta), libm::cos(theta));
            let s = if ring == 0 || ring == rings { 0.0 } else { s };
            mesh.positions.push(Vec3::new(
                (radius * s * libm::cos(phi)) as f32,
                (radius * c) as f32,
                (radius * s * libm::sin(phi)) as f32,
            ));
        }
    }
    let at = |ring: u32, segment: u32| ring * rings * 2 + segment % (rings * 2);
    for ring in 0..rings {
        for segment in 0..rings * 2 {
            let [a, b, c, d] = [
                at(ring, segment),
                at(ring + 1, segment),
                at(ring + 1, segment + 1),
                at(ring, segment + 1),
            ];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    scene_of(vec![mesh])
}

#[test]
fn neighbours_share_no_pixel_and_miss_none() {
    // A fan of triangles around a vertex at a pixel's middle, edges along pixel middles: each pixel
    // of the square is drawn once. Alpha holes let us count: none here, so count by instance.
    let mut mesh = ambler_scene::Mesh::default();
    let rim = [(2, 0), (2, 2), (0, 2), (-2, 2), (-2, 0), (-2, -2), (0, -2), (2, -2)];
    mesh.positions.push(Vec3::new(0.1, 0.1, -1.0));
    mesh.positions
        .extend(rim.map(|(x, y)| Vec3::new(x as f32, y as f32, -1.0) + Vec3::new(0.1, 0.1, 0.0)));
    mesh.triangles = (0..8).map(|i| [0, i + 1, (i + 1) % 8 + 1]).collect();
    mesh.triangle_instances = (1..=8).collect();
    let spec = pinhole(10, 10, 90.0);
    let whole = draw(&scene_of(vec![mesh.clone()]), &spec, &Affine::IDENTITY);
    assert!(whole.valid.iter().all(|&valid| valid == 1));
    // Each triangle alone covers exactly what it shows in the whole.
    for triangle in 0..8 {
        let mut alone = mesh.clone();
        alone.triangles = [mesh.triangles[triangle]].into();
        alone.triangle_instances = [triangle as u32 + 1].into();
        let frame = draw(&scene_of(vec![alone]), &spec, &Affine::IDENTITY);
        for (pixel, &id) in frame.instance.iter().enumerate() {
            let shown = whole.instance[pixel] == triangle as u32 + 1;
            assert_eq!(id != 0, shown, "triangle {triangle}, pixel {pixel}");
        }
    }
}

#[test]
fn a_floor_that_passes_under_and_behind_the_camera_keeps_its_depth() {
    // One triangle, 200 m across, that crosses the near plane; the camera 1.31 m above it.
    let mesh = ambler_scene::Mesh {
        positions: [
            Vec3::new(-100.0, 0.0, 100.0),
            Vec3::new(100.0, 0.0, 100.0),
            Vec3::new(0.0, 0.0, -100.0),
        ]
        .into(),
        triangles: [[0, 1, 2]].into(),
        ..ambler_scene::Mesh::default()
    };
    let spec = pinhole(64, 64, 79.0);
    let view = Affine { matrix: Mat3::IDENTITY, translation: Vec3::new(0.0, 1.31, 0.0) };
    let frame = draw(&scene_of(vec![mesh]), &spec, &view);
    for row in 0..64_usize {
        for column in 0..64_usize {
            // Where the ray meets the floor: depth · (row − 31.5) / f = 1.31.
            let down = (row as f64 + 0.5 - 32.0) / spec.pixel_scale();
            let expected = 1.31_f32 as f64 / down;
            let across = (column as f64 + 0.5 - 32.0) / spec.pixel_scale() * expected;
            let on_floor = down > 0.0 && across.abs() < (100.0 - expected) * 0.5 - 1e-3;
            let depth = f64::from(frame.depth[row * 64 + column]);
            if on_floor {
                assert!((depth - expected).abs() < 1e-5 * expected, "{depth} for {expected}");
            }
            if down < 0.0 {
                assert_eq!(depth, 0.0);
            }
        }
    }
}

#[test]
fn back_faces_are_culled_unless_asked_for() {
    let mut back = facing_square(3.0, -1.0);
    back.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    let mut scene = scene_of(vec![back, facing_square(3.0, -2.0)]);
    let spec = pinhole(8, 8, 79.0);
    let all = |frame: &Frame, depth: f32| frame.depth.iter().all(|&d| d == depth);
    // A material's own wish changes nothing, as in Habitat.
    scene.materials[0].double_sided = true;
    assert!(all(&draw(&scene, &spec, &Affine::IDENTITY), 2.0));
    let both = CameraSpec { cull_back_faces: false, ..spec.clone() };
    assert!(all(&draw(&scene, &both, &Affine::IDENTITY), 1.0));
    // A mirrored placement shows the same sides of its triangles as an unmirrored one: its winding
    // is read the other way round.
    for placement in &mut scene.placements {
        placement.world_from_mesh.matrix = Mat3::from_diagonal(Vec3::new(-1.0, 1.0, 1.0));
    }
    assert!(all(&draw(&scene, &spec, &Affine::IDENTITY), 2.0));
    assert!(all(&draw(&scene, &both, &Affine::IDENTITY), 1.0));
}

#[test]
fn of_two_surfaces_at_one_depth_the_first_is_seen() {
    let scene = scene_of(vec![facing_square(3.0, -1.0), facing_square(3.0, -1.0)]);
    let frame = draw(&scene, &pinhole(8, 8, 79.0), &Affine::IDENTITY);
    assert!(frame.instance.iter().all(|&id| id == 1));
}

#[test]
fn bad_triangles_are_left_out() {
    let mut mesh = facing_square(3.0, -1.0);
    mesh.positions.extend([
        Vec3::new(f32::NAN, 0.0, -0.5),
        Vec3::new(0.0, f32::INFINITY, -0.5),
        Vec3::splat(f32::MAX),
        Vec3::splat(-f32::MAX),
        Vec3::new(0.0, 1e-30, -0.5),
        Vec3::new(0.0, 0.0, 0.0),
    ]);
    // Not finite, not there, without area, slivers through the eye, enormous.
    mesh.triangles.extend([
        [0, 1, 4],
        [0, 1, 5],
        [0, 1, 99],
        [0, 0, 1],
        [2, 2, 2],
        [0, 2, 9],
        [8, 9, 0],
        [6, 7, 0],
    ]);
    let scene = scene_of(vec![mesh]);
    for cull_back_faces in [true, false] {
        let spec = CameraSpec { cull_back_faces, ..pinhole(32, 32, 79.0) };
        let frame = draw(&scene, &spec, &Affine::IDENTITY);
        assert!(frame.depth.iter().all(|&depth| depth > 0.0 && depth <= 1.0));
        let ortho = CameraSpec { projection: Projection::Orthographic { width_m: 4.0 }, ..spec };
        let frame = draw(&scene, &ortho, &Affine::IDENTITY);
        assert!(frame.depth.iter().all(|&depth| depth.is_finite()));
    }
}

#[test]
fn an_orthographic_camera_has_its_width_in_metres() {
    // A floor of 2 m × 1 m seen from 5 m above in an image of 4 m on 40 pixels: 20 × 10 pixels.
    let floor = quad([
        Vec3::new(-1.0, 0.0, -0.5),
        Vec3::new(-1.0, 0.0, 0.5),
        Vec3::new(1.0, 0.0, 0.5),
        Vec3::new(1.0, 0.0, -0.5),
    ]);
    let spec = CameraSpec {
        projection: Projection::Orthographic { width_m: 4.0 },
        mount: Vec3::new(0.0, 5.0, 0.0),
        pitch_deg: -90.0,
        ..pinhole(40, 40, 79.0)
    };
    let pose = Pose { position: Vec3::ZERO, heading: Heading::from_yaw(0.0) };
    let view = spec.world_from_camera(&pose, 0.0);
    let frame = draw(&scene_of(vec![floor]), &spec, &view);
    for row in 0..40 {
        for column in 0..40 {
            let inside = (10..30).contains(&column) && (15..25).contains(&row);
            let depth = frame.depth[row * 40 + column];
            assert_eq!(depth > 0.0, inside, "{column}, {row}");
            if inside {
                assert!((depth - 5.0).abs() < 1e-6);
                assert_eq!(frame.instance[row * 40 + column], 1);
            }
        }
    }
    // North (−Z) is at the top, east (+X) at the right.
    let north_east = spec.unproject_to_world(&view, 40.0, 0.0, 5.0);
    assert!((north_east - glam::DVec3::new(2.0, 0.0, -2.0)).length() < 1e-5, "{north_east}");
}

#[test]
fn two_views_of_a_cube_agree_on_its_corners() {
    // A unit cube on the floor, seen from two sides: every corner back-projected from its pixel
    // lies on the cube to less than a millimetre, in both views.
    let mut scene = room(Vec3::new(-0.5, 0.0, -0.5), Vec3::new(0.5, 1.0, 0.5));
    Arc::make_mut(&mut scene.meshes[0]).triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    let spec = pinhole(640, 480, 60.0);
    let corner = glam::DVec3::new(0.5, 1.0, 0.5);
    let mut found = Vec::new();
    for (x, z, yaw) in [(0.3_f32, 3.0_f32, 0.1), (3.0, 0.4, 1.4), (2.5, 2.5, 0.8)] {
        let pose = Pose { position: Vec3::new(x, 0.3, z), heading: Heading::from_yaw(yaw) };
        let view = spec.world_from_camera(&pose, -0.2);
        let frame = draw(&scene, &spec, &view);
        // All points lie on the surface.
        for row in 0..480_usize {
            for column in 0..640_usize {
                let depth = f64::from(frame.depth[row * 640 + column]);
                if depth > 0.0 {
                    let at =
                        spec.unproject_to_world(&view, column as f64 + 0.5, row as f64 + 0.5, depth);
                    let off = (at - glam::DVec3::new(0.0, 0.5, 0.0)).abs().max_element() - 0.5;
                    assert!(off.abs() < 1e-4, "{at} is {off} m off the cube");
                }
            }
        }
        // The corner, through its exact image position and the plane of its pixel's depth.
        let matrix = view.matrix.as_dmat3().transpose();
        let camera = matrix * (corner - view.translation.as_dvec3());
        let (u, v, depth) = spec.project(camera).expect("in front");
        found.push(spec.unproject_to_world(&view, u, v, depth));
        let (column, row) = (u as usize, v as usize);
        // The pixel that holds the corner sees the cube or the background right at it.
        let near = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))).map(|(dx, dy)| {
            let index = (row as i64 + dy) as usize * 640 + (column as i64 + dx) as usize;
            (f64::from(frame.depth[index]) - depth).abs()
        });
        assert!(near.fold(f64::INFINITY, f64::min) < 0.02);
    }
    for point in &found {
        assert!((*point - corner).length() < 1e-3, "{point}");
    }
}

#[test]
fn an_image_says_how_many_triangles_it_shows() {
    // A room seen from its middle through 90° shows both halves of the wall ahead; turned by 45°, both
    // halves of the two walls beside the corner.
    let scene = room(Vec3::splat(-1.0), Vec3::splat(1.0));
    let spec = CameraSpec { mount: Vec3::ZERO, ..pinhole(64, 64, 89.0) };
    let shown = |spec: &CameraSpec, yaw: f64| {
        let pose = Pose { position: Vec3::ZERO, heading: Heading::from_yaw(yaw) };
        draw(&scene, spec, &spec.world_from_camera(&pose, 0.0)).triangles
    };
    assert_eq!(shown(&spec, 0.0), Some(2));
    let low = CameraSpec { height: 8, ..spec.clone() };
    assert_eq!(shown(&low, std::f64::consts::FRAC_PI_4), Some(4));
    // All twelve, all around; none outside of the room.
    let whole = CameraSpec { projection: Projection::Equirectangular, ..pinhole(64, 32, 89.0) };
    assert_eq!(shown(&CameraSpec { mount: Vec3::ZERO, ..whole }, 0.0), Some(12));
    let outside = CameraSpec { mount: Vec3::new(0.0, 0.0, -5.0), ..spec.clone() };
    assert_eq!(shown(&outside, 0.0), Some(0));
    let outputs = ambler_sensor::Outputs { depth: true, ..ambler_sensor::Outputs::NONE };
    assert_eq!(shown(&CameraSpec { outputs, ..spec }, 0.0), None);
}
