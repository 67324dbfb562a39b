//! Equirectangular and fisheye images of the fast renderer against those of the plain one: the same depths,
//! bit for bit, and the same names.

mod common;

use ambler_geometry::{Affine, Mat3, Vec2, Vec3, random::Stream};
use ambler_scene::{Material, Mesh, Placement, SceneModel, Texture, Wrap};
use ambler_sensor::{CameraSpec, Frame, Moved, PlainRenderer, Projection, Renderer};
use common::{facing_square, random_view, room, rubble, scene_of, view};
use std::f64::consts::PI;
use std::sync::Arc;

/// Every projection, in sizes that fill tiles and that do not.
fn cameras() -> Vec<CameraSpec> {
    let fisheye = |fov_deg: f32| Projection::Fisheye { fov_deg };
    [
        (Projection::Equirectangular, 128, 64),
        (Projection::Equirectangular, 101, 77),
        (fisheye(180.0), 96, 96),
        (fisheye(200.0), 101, 61),
        (fisheye(360.0), 90, 83),
        (fisheye(60.0), 64, 40),
    ]
    .map(|(projection, width, height)| CameraSpec { width, height, projection, ..CameraSpec::default() })
    .to_vec()
}

struct Pair {
    fast: Renderer,
    portable: Renderer,
    plain: PlainRenderer,
    /// Pixels compared, and those whose colours differ by more than 2 steps.
    pixels: usize,
    off_colors: usize,
}

impl Pair {
    fn new(scene: SceneModel) -> Self {
        let scene = Arc::new(scene);
        let fast = Renderer::new(Arc::clone(&scene));
        let portable = Renderer::sharing(&fast, Arc::clone(&scene)).without_avx2();
        Self { fast, portable, plain: PlainRenderer::new(scene), pixels: 0, off_colors: 0 }
    }

    /// Draws a view with all, demands the same of them, and returns the fast image.
    fn compare(&mut self, spec: &CameraSpec, view: &Affine, moved: &Moved) -> Frame {
        let (mut fast, mut plain, mut portable) = (Frame::default(), Frame::default(), Frame::default());
        self.fast.render_moved(spec, view, moved, &mut fast).expect("a valid view");
        self.portable.render_moved(spec, view, moved, &mut portable).expect("a valid view");
        self.plain.render_moved(spec, view, moved, &mut plain).expect("a valid view");
        assert!(fast == portable, "other bytes without AVX2: {spec:?} at {view:?}");
        let bits = |frame: &Frame| frame.depth.iter().map(|depth| depth.to_bits()).collect::<Vec<_>>();
        let wrong = bits(&fast).iter().zip(bits(&plain)).filter(|(a, b)| **a != *b).count();
        assert_eq!(wrong, 0, "{wrong} depths: {spec:?} at {view:?}");
        assert_eq!(fast.valid, plain.valid);
        assert_eq!(fast.instance, plain.instance, "{spec:?} at {view:?}");
        assert_eq!(fast.category, plain.category);
        assert_eq!(fast.triangles, plain.triangles);
        self.pixels += fast.pixel_count();
        let pixels = fast.rgb.chunks(3).zip(plain.rgb.chunks(3));
        self.off_colors +=
            pixels.filter(|(a, b)| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 2)).count();
        fast
    }

    /// At most one pixel of `part` may be of another colour.
    fn check(&self, part: usize) {
        println!("{} of {} pixels have other colours", self.off_colors, self.pixels);
        assert!(self.off_colors * part <= self.pixels, "{} of {}", self.off_colors, self.pixels);
    }
}

fn still() -> Moved {
    Moved::default()
}

/// A texture without sharp edges.
fn smooth(wrap: [Wrap; 2], alpha: fn(u32, u32) -> u8) -> Texture {
    let texel = |x: u32, y: u32| {
        let wave = |at: u32| libm::cos(f64::from(at) * PI / 32.0) * 100.0 + 128.0;
        [wave(x) as u8, wave(y) as u8, wave(x + y) as u8, alpha(x, y)]
    };
    let pixels = (0..64).flat_map(|y| (0..64).map(move |x| texel(x, y))).collect();
    Texture { width: 64, height: 64, pixels, wrap }
}

#[test]
fn rubble_is_drawn_alike() {
    let mut scene = rubble(1, 300);
    scene.textures.push(Arc::new(smooth([Wrap::Mirror, Wrap::Clamp], |_, _| 255)));
    scene.materials.push(Material { texture: Some(0), ..Material::default() });
    scene.placements[1].material = 1;
    scene.placements[4].material = 1;
    let mut pair = Pair::new(scene);
    let mut stream = Stream::new(2, "rubble", "wide");
    for round in 0..8 {
        for spec in cameras() {
            let spec = CameraSpec {
                cull_back_faces: round % 2 == 0,
                face_depth: round % 3 == 0,
                near_m: if round % 4 == 1 { 0.7 } else { 0.01 },
                far_m: if round % 4 == 2 { 2.5 } else { 1000.0 },
                ..spec
            };
            pair.compare(&spec, &random_view(&mut stream, 3.0), &still());
        }
    }
    pair.check(20_000);
}

#[test]
fn masks_have_their_holes_and_moved_and_mirrored_things_are_where_they_are() {
    let mut scene = rubble(3, 120);
    scene.textures.push(Arc::new(smooth([Wrap::Repeat, Wrap::Repeat], |x, y| {
        if (x / 8 + y / 8) % 2 == 0 { 255 } else { 0 }
    })));
    scene.materials.push(Material {
        texture: Some(0),
        alpha_cutoff: Some(0.5),
        base_color: [0.9, 0.8, 0.7, 1.0],
        ..Material::default()
    });
    for placement in &mut scene.placements[..3] {
        placement.material = 1;
    }
    let mirror = Mat3::from_diagonal(Vec3::new(-0.8, 1.1, 1.3));
    scene.placements[2].world_from_mesh = Affine { matrix: mirror, translation: Vec3::X * 0.3 };
    scene.placements[5].world_from_mesh = scene.placements[2].world_from_mesh;
    let skewed = Mat3::from_cols(Vec3::X, Vec3::new(0.6, 1.0, 0.1), Vec3::Z * 0.5);
    scene.placements.push(Placement {
        mesh: 4,
        material: 0,
        world_from_mesh: Affine { matrix: skewed, translation: Vec3::Y },
        instance: 40,
    });
    let mut pair = Pair::new(scene);
    let mut stream = Stream::new(4, "holes", "wide");
    for round in 0..5 {
        let mut moved = Moved::default();
        moved.set(4, random_view(&mut stream, 1.0));
        moved.set(1, random_view(&mut stream, 1.0));
        for spec in cameras() {
            let spec = CameraSpec { cull_back_faces: round % 2 == 0, ..spec };
            pair.compare(&spec, &random_view(&mut stream, 2.0), &moved);
        }
    }
    pair.check(20_000);
}

#[test]
fn what_surrounds_the_eye_is_seen_in_every_direction() {
    // A tetrahedron around the eye: every triangle takes up a quarter of the sphere, and some have a pole
    // or the seam inside.
    let corners = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
    let mesh = Mesh {
        positions: corners.map(Vec3::from_array)[..].into(),
        triangles: [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]].map(|[a, b, c]| [a, c, b])[..].into(),
        ..Mesh::default()
    };
    let mut pair = Pair::new(scene_of(vec![mesh]));
    let mut rooms = Pair::new(room(Vec3::new(-3.0, -1.2, -2.0), Vec3::new(3.0, 1.3, 2.5)));
    let mut stream = Stream::new(5, "around", "wide");
    for round in 0..12 {
        for spec in cameras() {
            let at = random_view(&mut stream, 0.3);
            // Straight up and down, and along the axes.
            let turns = [
                [0.0, 0.0, 0.0, 1.0],
                [1.0, 0.0, 0.0, 1.0],
                [-1.0, 0.0, 0.0, 1.0],
                [0.0, 1.0, 0.0, 1.0],
            ];
            let [x, y, z, w] = turns[round % 4];
            let at = if round < 4 { view(at.translation, x, y, z, w) } else { at };
            for pair in [&mut pair, &mut rooms] {
                let frame = pair.compare(&spec, &at, &still());
                for y in 0..spec.height {
                    for x in 0..spec.width {
                        let sees = spec.wide_ray(f64::from(x) + 0.5, f64::from(y) + 0.5).is_some();
                        let pixel = (y * spec.width + x) as usize;
                        assert_eq!(frame.valid[pixel], u8::from(sees), "{spec:?} at {x}, {y}: {at:?}");
                    }
                }
            }
        }
    }
    pair.check(20_000);
    rooms.check(20_000);
}

/// A ball of small triangles seen from the inside.
fn ball(rings: u32, sectors: u32) -> Mesh {
    let mut mesh = Mesh::default();
    for ring in 0..=rings {
        for sector in 0..sectors {
            let (polar, turn) = (
                f64::from(ring) * PI / f64::from(rings),
                f64::from(sector) * 2.0 * PI / f64::from(sectors),
            );
            let (side, high) = (libm::sin(polar), libm::cos(polar));
            mesh.positions.push(Vec3::new(
                (libm::cos(turn) * side) as f32,
                high as f32,
                (libm::sin(turn) * side) as f32,
            ));
            mesh.uvs.push(Vec2::new(sector as f32 / sectors as f32, ring as f32 / rings as f32));
        }
    }
    for ring in 0..rings {
        for sector in 0..sectors {
            let at = |ring: u32, sector: u32| ring * sectors + sector % sectors;
            let [a, b] = [at(ring, sector), at(ring, sector + 1)];
            let [c, d] = [at(ring + 1, sector), at(ring + 1, sector + 1)];
            mesh.triangles.extend([[a, c, b], [b, c, d]]);
        }
    }
    mesh
}

#[test]
fn no_pixel_sees_through_a_closed_mesh() {
    // From pixels of several triangles to triangles of several pixels, poles and seams anywhere.
    for (rings, sectors) in [(12, 24), (40, 77), (150, 300)] {
        let mut scene = scene_of(vec![ball(rings, sectors)]);
        scene.textures.push(Arc::new(smooth([Wrap::Repeat, Wrap::Clamp], |_, _| 255)));
        scene.materials[0].texture = Some(0);
        let mut pair = Pair::new(scene);
        let mut stream = Stream::new(6, "ball", "wide");
        for round in 0..4 {
            for spec in cameras() {
                let reach = if round == 0 { 0.0 } else { 0.55 };
                let frame = pair.compare(&spec, &random_view(&mut stream, reach), &still());
                let seeing = (0..spec.height).flat_map(|y| (0..spec.width).map(move |x| (x, y)));
                let seeing = seeing
                    .filter(|&(x, y)| spec.wide_ray(f64::from(x) + 0.5, f64::from(y) + 0.5).is_some());
                assert_eq!(frame.valid.iter().filter(|&&valid| valid == 1).count(), seeing.count());
            }
        }
        pair.check(20_000);
    }
}

#[test]
fn what_is_at_the_eye_and_what_is_huge_is_drawn_alike() {
    let mut meshes =
        vec![facing_square(1e6, -1.0), facing_square(1e-3, -0.02), facing_square(40.0, 0.0)];
    // A corner right at the eye, an edge through it, and a needle from pole to pole behind it.
    let corners = [
        [[0.0, 0.0, 0.0], [1.0, 0.0, -1.0], [0.0, 1.0, -1.0]],
        [[-1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.5, -2.0]],
        [[0.0, -9.0, 1.0], [1e-3, -9.0, 1.0], [0.0, 9.0, 1.0]],
        [[0.0, 5.0, 0.0], [0.01, 5.0, 0.0], [0.0, 5.0, 0.01]],
    ];
    for triangle in corners {
        meshes.push(Mesh {
            positions: triangle.map(Vec3::from_array)[..].into(),
            triangles: [[0, 1, 2]][..].into(),
            ..Mesh::default()
        });
    }
    let mut pair = Pair::new(scene_of(meshes));
    let mut stream = Stream::new(7, "eye", "wide");
    for cull_back_faces in [true, false] {
        for spec in cameras() {
            let spec = CameraSpec { cull_back_faces, ..spec };
            pair.compare(&spec, &Affine::IDENTITY, &still());
            for _ in 0..4 {
                let turned = Affine { translation: Vec3::ZERO, ..random_view(&mut stream, 0.0) };
                pair.compare(&spec, &turned, &still());
                pair.compare(&spec, &random_view(&mut stream, 0.5), &still());
            }
        }
    }
    pair.check(20_000);
}

#[test]
fn images_of_one_row_or_column_are_drawn_alike() {
    let mut pair = Pair::new(rubble(8, 100));
    let mut stream = Stream::new(8, "small", "wide");
    // And of the most that a row can have.
    for (width, height) in [(1, 1), (1, 9), (2, 1), (8, 8), (9, 3), (17, 1), (300, 2), (8192, 3)] {
        for projection in [Projection::Equirectangular, Projection::Fisheye { fov_deg: 220.0 }] {
            let spec = CameraSpec { width, height, projection, ..CameraSpec::default() };
            for _ in 0..6 {
                pair.compare(&spec, &random_view(&mut stream, 3.0), &still());
            }
        }
    }
}

#[test]
fn each_output_is_the_same_without_the_others_and_on_any_number_of_threads() {
    let renderer = Renderer::new(Arc::new(rubble(9, 200)));
    let mut stream = Stream::new(9, "threads", "wide");
    // More cameras than rays are kept of.
    let views: Vec<_> =
        (0..4).flat_map(|_| cameras()).map(|spec| (spec, random_view(&mut stream, 2.0))).collect();
    let one = renderer.render_many(&views, 1).expect("valid views");
    for threads in [2, 5] {
        assert!(renderer.render_many(&views, threads).expect("valid views") == one, "{threads} threads");
    }
    let mut frame = Frame::default();
    for ((spec, view), whole) in views.iter().zip(&one) {
        let outputs = spec.outputs;
        for which in 0..4 {
            let mut spec = spec.clone();
            spec.outputs.rgb = which == 0;
            spec.outputs.depth = which == 1;
            spec.outputs.instance = which == 2;
            spec.outputs.category = which == 3;
            renderer.render(&spec, view, &mut frame).expect("a valid view");
            assert!(outputs.rgb && outputs.depth);
            match which {
                0 => assert_eq!(frame.rgb, whole.rgb),
                1 => assert_eq!((&frame.depth, &frame.valid), (&whole.depth, &whole.valid)),
                2 => assert_eq!(frame.instance, whole.instance),
                _ => assert_eq!(frame.category, whole.category),
            }
            assert_eq!(frame.triangles, whole.triangles.filter(|_| which != 1));
        }
    }
}
