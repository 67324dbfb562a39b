//! What [`CameraSpec::lod_px`] promises: surfaces at most so many pixels from their place, no gaps, the
//! same bytes on any machine, and nothing at all where it is off.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use ambler_geometry::{Affine, Mat3, Vec2, Vec3, random::Stream};
use ambler_scene::{Material, Mesh, Placement, SceneModel, Texture, Wrap};
use ambler_sensor::{CameraSpec, Frame, Projection, Renderer};
use common::{pinhole, scene_of, view};
use glam::DVec3;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// Cells along the sides of the room.
const CELLS: [i32; 3] = [72, 32, 56];
/// Sides of a cell, metres.
const CELL: f32 = 0.09;

/// A room, closed and seen from the inside, of 19,000 uneven cells: bumps as wide as ten cells and noise,
/// colours that change slowly, and an instance for each wall and for a disc on each.
fn room() -> Mesh {
    let mut stream = Stream::new(1, "lod", "room");
    let mut mesh = Mesh::default();
    let mut known: BTreeMap<[i32; 3], u32> = BTreeMap::new();
    let half = Vec3::from_array(CELLS.map(|cells| cells as f32)) * 0.5;
    let mut corner = |mesh: &mut Mesh, at: [i32; 3]| {
        *known.entry(at).or_insert_with(|| {
            let p = (Vec3::from_array(at.map(|value| value as f32)) - half) * CELL;
            let mut number = || (stream.uniform() * 2.0 - 1.0) as f32;
            let bump = (libm::sinf(p.x * 5.0) + libm::sinf(p.y * 6.0) + libm::sinf(p.z * 4.0)) * 0.03;
            let noise = Vec3::new(number(), number(), number()) * 0.003;
            mesh.positions.push(p * (1.0 - bump / p.length()) + noise);
            let shade = |value: f32| (value * 30.0 + 128.0) as u8;
            mesh.colors.push([shade(p.x), shade(p.y + p.z), shade(libm::sinf(p.x * 2.0)), 255]);
            mesh.positions.len() as u32 - 1
        })
    };
    for wall in 0..6 {
        let (axis, far) = (wall / 2, wall % 2);
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for i in 0..CELLS[u] {
            for j in 0..CELLS[v] {
                let at = |i: i32, j: i32| {
                    let mut at = [0; 3];
                    (at[axis], at[u], at[v]) = (far as i32 * CELLS[axis], i, j);
                    at
                };
                let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]
                    .map(|at| corner(&mut mesh, at));
                let two = if far == 0 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] };
                mesh.triangles.extend(two);
                let (x, y) = (i - CELLS[u] / 2, j - CELLS[v] / 2);
                let disc = x * x + y * y < 100;
                let instance = wall as u32 + if disc { 7 } else { 1 };
                mesh.triangle_instances.extend([instance; 2]);
            }
        }
    }
    mesh
}

/// A bumpy ball of 8,000 triangles.
fn ball() -> Mesh {
    let (rings, steps) = (50_u32, 80_u32);
    let mut mesh = Mesh::default();
    for ring in 0..=rings {
        for step in 0..steps {
            let (a, b) = (
                ring as f32 / rings as f32 * std::f32::consts::PI,
                step as f32 / steps as f32 * std::f32::consts::TAU,
            );
            let direction =
                Vec3::new(libm::sinf(a) * libm::cosf(b), libm::cosf(a), libm::sinf(a) * libm::sinf(b));
            mesh.positions.push(direction * (0.3 + 0.02 * libm::sinf(b * 5.0) * libm::sinf(a)));
            if ring < rings {
                let (p, q) = (ring * steps + step, ring * steps + (step + 1) % steps);
                mesh.triangles.extend([[p, q, p + steps], [q, q + steps, p + steps]]);
            }
        }
    }
    mesh
}

/// The room cut into a mesh a instance, whose borders meet, and two balls: one of them mirrored, flattened
/// and larger.
fn furnished() -> SceneModel {
    let whole = room();
    let mut parts: BTreeMap<u32, Mesh> = BTreeMap::new();
    for (corners, &instance) in whole.triangles.iter().zip(&whole.triangle_instances) {
        let part = parts.entry(instance).or_insert_with(|| Mesh {
            positions: whole.positions.clone(),
            colors: whole.colors.clone(),
            ..Mesh::default()
        });
        part.triangles.push(*corners);
    }
    let mut scene = scene_of(parts.into_values().chain([ball(), ball()]).collect());
    scene.placements[12].world_from_mesh.translation = Vec3::new(-0.8, -0.5, 0.4);
    scene.placements[13].world_from_mesh = Affine {
        matrix: Mat3::from_diagonal(Vec3::new(-2.0, 0.7, 1.4)),
        translation: Vec3::new(1.1, 0.2, -0.6),
    };
    scene
}

struct Scenes {
    room: Renderer,
    furnished: Renderer,
}

static SCENES: LazyLock<Scenes> = LazyLock::new(|| Scenes {
    room: Renderer::new(Arc::new(scene_of(vec![room()]))),
    furnished: Renderer::new(Arc::new(furnished())),
});

fn random_view(stream: &mut Stream, reach: [f64; 3]) -> Affine {
    let mut number = || stream.uniform() * 2.0 - 1.0;
    let eye = Vec3::from_array(reach.map(|reach| (number() * reach) as f32));
    view(eye, number(), number(), number(), number() + 1e-3)
}

fn draw(renderer: &Renderer, spec: &CameraSpec, lod_px: f32, view: &Affine) -> Frame {
    let mut frame = Frame::default();
    renderer.render(&CameraSpec { lod_px, ..spec.clone() }, view, &mut frame).unwrap();
    frame
}

/// Triangles of a scene in the world, found by where they are.
struct Surfaces {
    triangles: Vec<[DVec3; 3]>,
    cells: BTreeMap<[i32; 3], Vec<u32>>,
}

impl Surfaces {
    const SIDE: f64 = 0.2;

    fn new(scene: &SceneModel) -> Self {
        let mut all = Self { triangles: Vec::new(), cells: BTreeMap::new() };
        for placement in &scene.placements {
            let mesh = &scene.meshes[placement.mesh as usize];
            let Affine { matrix, translation } = placement.world_from_mesh;
            for corners in mesh.triangles.iter() {
                let corners =
                    corners.map(|v| (matrix * mesh.positions[v as usize] + translation).as_dvec3());
                let low = Self::cell(corners[0].min(corners[1]).min(corners[2]));
                let high = Self::cell(corners[0].max(corners[1]).max(corners[2]));
                let index = all.triangles.len() as u32;
                all.triangles.push(corners);
                for x in low[0]..=high[0] {
                    for y in low[1]..=high[1] {
                        for z in low[2]..=high[2] {
                            all.cells.entry([x, y, z]).or_default().push(index);
                        }
                    }
                }
            }
        }
        all
    }

    fn cell(point: DVec3) -> [i32; 3] {
        (point / Self::SIDE).floor().as_ivec3().to_array()
    }

    /// Distance of a point from the surfaces, if it is less than `most`.
    fn distance(&self, point: DVec3, most: f64) -> f64 {
        let (low, high) = (Self::cell(point - most), Self::cell(point + most));
        let mut best = f64::INFINITY;
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    for &index in self.cells.get(&[x, y, z]).into_iter().flatten() {
                        best = best.min(distance(point, self.triangles[index as usize]));
                    }
                }
            }
        }
        best
    }
}

/// Distance of a point from a triangle.
fn distance(point: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let normal = (b - a).cross(c - a);
    let inside = |a: DVec3, b: DVec3| (b - a).cross(point - a).dot(normal) >= 0.0;
    if inside(a, b) && inside(b, c) && inside(c, a) && normal.length() > 0.0 {
        return (point - a).dot(normal).abs() / normal.length();
    }
    let edge = |a: DVec3, b: DVec3| {
        let share = ((point - a).dot(b - a) / (b - a).length_squared().max(1e-300)).clamp(0.0, 1.0);
        point.distance(a + (b - a) * share)
    };
    edge(a, b).min(edge(b, c)).min(edge(c, a))
}

const ROOM: [f64; 3] = [2.6, 1.0, 2.0];

#[test]
fn off_it_changes_nothing() {
    let renderer = Renderer::new(Arc::new(furnished()));
    let spec = pinhole(96, 72, 90.0);
    let mut stream = Stream::new(2, "lod", "views");
    let views: Vec<Affine> = (0..10).map(|_| random_view(&mut stream, ROOM)).collect();
    let before: Vec<Frame> = views.iter().map(|at| draw(&renderer, &spec, 0.0, at)).collect();
    renderer.make_stand_ins();
    for (at, before) in views.iter().zip(&before) {
        assert!(draw(&renderer, &spec, 0.0, at) == *before);
        assert!(draw(&renderer, &spec, 2.0, at) != *before);
    }
}

#[test]
fn no_gap_opens_in_a_closed_room() {
    let mut stream = Stream::new(3, "lod", "views");
    let spec = CameraSpec { near_m: 0.001, ..pinhole(96, 72, 100.0) };
    for renderer in [&SCENES.room, &SCENES.furnished] {
        let (mut exact, mut less) = (0, [0; 4]);
        for round in 0..200 {
            let at = random_view(&mut stream, ROOM);
            // Balls show no inside, so that an eye in one sees the room.
            let frame = draw(renderer, &spec, 0.0, &at);
            assert!(frame.valid.iter().all(|&valid| valid == 1), "round {round}");
            exact += frame.triangles.unwrap();
            for (lod_px, less) in [0.25, 1.0, 4.0, 16.0].into_iter().zip(&mut less) {
                let frame = draw(renderer, &spec, lod_px, &at);
                let gaps = frame.valid.iter().filter(|&&valid| valid == 0).count();
                assert_eq!(gaps, 0, "round {round}, {lod_px} pixels, {at:?}");
                *less += frame.triangles.unwrap();
            }
        }
        println!("{less:?} triangles of {exact} seen");
        assert!(less[1] * 2 < exact && less[0] > less[1] && less[1] > less[2], "{less:?} of {exact}");
    }
}

#[test]
fn surfaces_are_no_farther_from_their_place_than_stated() {
    let mut stream = Stream::new(4, "lod", "views");
    let top =
        CameraSpec { projection: Projection::Orthographic { width_m: 5.0 }, ..pinhole(120, 90, 90.0) };
    for renderer in [&SCENES.room, &SCENES.furnished] {
        let surfaces = Surfaces::new(renderer.scene());
        for spec in [pinhole(120, 90, 90.0), top.clone()] {
            for lod_px in [0.25, 1.0, 3.0] {
                let mut worst = 0.0_f64;
                for _ in 0..12 {
                    let at = random_view(&mut stream, ROOM);
                    let frame = draw(renderer, &spec, lod_px, &at);
                    for pixel in (0..frame.pixel_count()).step_by(7).filter(|&at| frame.valid[at] == 1) {
                        let (x, y) = (pixel as u32 % spec.width, pixel as u32 / spec.width);
                        let depth = f64::from(frame.depth[pixel]);
                        let point =
                            spec.unproject_to_world(&at, f64::from(x) + 0.5, f64::from(y) + 0.5, depth);
                        let unit = match spec.projection {
                            Projection::Orthographic { .. } => 1.0,
                            _ => depth,
                        };
                        let allowed = f64::from(lod_px) * unit / spec.pixel_scale() + 1e-4;
                        worst = worst.max(surfaces.distance(point, allowed) / allowed);
                    }
                }
                println!("{lod_px} pixels: off by {worst:.3} of what is allowed");
                assert!(worst <= 1.0, "{lod_px} pixels: {worst}");
                assert!(worst > 0.1, "{lod_px} pixels: hardly anything is simplified: {worst}");
            }
        }
    }
}

#[test]
fn ids_and_depth_agree_away_from_edges() {
    let mut stream = Stream::new(5, "lod", "views");
    let spec = pinhole(120, 90, 90.0);
    for renderer in [&SCENES.room, &SCENES.furnished] {
        for lod_px in [0.5, 2.0] {
            let reach = lod_px as i32 + 2;
            let (mut ids, mut pixels, mut off) = (0, 0, 0.0);
            for _ in 0..40 {
                let at = random_view(&mut stream, ROOM);
                let (exact, less) =
                    (draw(renderer, &spec, 0.0, &at), draw(renderer, &spec, lod_px, &at));
                for pixel in 0..exact.pixel_count() {
                    let (x, y) = (pixel as i32 % 120, pixel as i32 / 120);
                    let around =
                        (-reach..=reach).flat_map(|dy| (-reach..=reach).map(move |dx| [dx, dy]));
                    let near = |[dx, dy]: [i32; 2]| {
                        let at = [(x + dx).clamp(0, 119), (y + dy).clamp(0, 89)];
                        exact.instance[(at[1] * 120 + at[0]) as usize]
                    };
                    if around.map(near).any(|id| id != exact.instance[pixel]) {
                        continue;
                    }
                    pixels += 1;
                    ids += usize::from(less.instance[pixel] != exact.instance[pixel]);
                    off += f64::from((less.depth[pixel] / exact.depth[pixel] - 1.0).abs());
                }
            }
            println!(
                "{lod_px} pixels: {ids} ids of {pixels} differ, depth by {:.5}",
                off / pixels as f64
            );
            assert_eq!(ids, 0, "of {pixels}");
            assert!(off < pixels as f64 * 0.01 * f64::from(lod_px), "{off} in {pixels}");
        }
    }
}

#[test]
fn bytes_are_the_same_without_avx2_on_any_number_of_threads_and_made_again() {
    let again = Renderer::new(Arc::clone(SCENES.furnished.scene()));
    let portable = Renderer::sharing(&again, Arc::clone(again.scene())).without_avx2();
    let mut stream = Stream::new(6, "lod", "views");
    let views: Vec<(CameraSpec, Affine)> = (0..30)
        .map(|round| {
            let lod_px = [0.3, 1.0, 5.0][round % 3];
            (CameraSpec { lod_px, ..pinhole(101, 77, 79.0) }, random_view(&mut stream, ROOM))
        })
        .collect();
    // Three threads at once ask for stand-ins that are not made yet.
    let three = again.render_many(&views, 3).unwrap();
    assert!(three == SCENES.furnished.render_many(&views, 1).unwrap());
    assert!(three == portable.render_many(&views, 1).unwrap());
}

#[test]
fn colours_that_differ_are_kept() {
    // A flat wall with a chessboard of colours: nothing but colours says that vertices matter.
    let side = 129_u32;
    let at = || (0..side * side).map(|index| [index % side, index / side]);
    let wall = Mesh {
        positions: at()
            .map(|[x, y]| Vec3::new(x as f32 / 64.0 - 1.0, y as f32 / 64.0 - 1.0, -2.0))
            .collect(),
        colors: at()
            .map(|[x, y]| [if (x / 16 + y / 16) % 2 == 0 { 20 } else { 230 }, 90, 90, 255])
            .collect(),
        triangles: (0..(side - 1) * (side - 1))
            .map(|cell| cell / (side - 1) * side + cell % (side - 1))
            .flat_map(|a| [[a, a + 1, a + side], [a + 1, a + side + 1, a + side]])
            .collect(),
        ..Mesh::default()
    };
    let plain = Mesh { colors: vec![[90, 90, 90, 255]; (side * side) as usize].into(), ..wall.clone() };
    let at = Affine::IDENTITY;
    let spec = CameraSpec { mount: Vec3::ZERO, ..pinhole(128, 128, 53.0) };
    let seen = |mesh: Mesh| {
        let renderer = Renderer::new(Arc::new(scene_of(vec![mesh])));
        let (exact, less) = (draw(&renderer, &spec, 0.0, &at), draw(&renderer, &spec, 1.0, &at));
        let wrong = exact.rgb.iter().zip(&less.rgb).filter(|(a, b)| a.abs_diff(**b) > 30).count();
        (wrong, exact.triangles.unwrap(), less.triangles.unwrap())
    };
    let (wrong, exact, less) = seen(plain);
    assert_eq!(wrong, 0);
    assert!(less * 20 < exact, "{less} of {exact}");
    let (wrong, exact, less) = seen(wall);
    println!("{wrong} wrong colours, {less} of {exact} triangles");
    assert!(less * 2 < exact, "{less} of {exact}");
    // Borders of fields are 14 lines of 128 pixels: within a pixel of these colours may differ.
    assert!(wrong < 14 * 128 * 2 / 4, "{wrong}");
}

#[test]
fn surfaces_close_behind_each_other_stay_apart() {
    // Uneven sheets 4 mm apart, seen from where a pixel is 16 mm.
    let side = 101_u32;
    let mut stream = Stream::new(9, "lod", "sheets");
    let mut mesh = Mesh::default();
    for (sheet, behind) in [0.0_f32, 0.004].into_iter().enumerate() {
        let base = mesh.positions.len() as u32;
        for index in 0..side * side {
            let [x, y] = [index % side, index / side].map(|v| v as f32 / 50.0 - 1.0);
            let bump =
                (libm::sinf(x * 9.0) + libm::sinf(y * 8.0)) * 0.01 + stream.uniform() as f32 * 0.001;
            // The one behind is larger.
            let wide = 1.0 + sheet as f32 * 0.1;
            mesh.positions.push(Vec3::new(x * wide, y * wide, bump - behind - 2.0));
        }
        let cells =
            (0..(side - 1) * (side - 1)).map(|at| base + at / (side - 1) * side + at % (side - 1));
        let two = |a: u32| [[a, a + 1, a + side], [a + 1, a + side + 1, a + side]];
        mesh.triangles.extend(cells.flat_map(two));
        mesh.triangle_instances.resize(mesh.triangles.len(), sheet as u32 + 1);
    }
    let renderer = Renderer::new(Arc::new(scene_of(vec![mesh])));
    let spec = pinhole(128, 128, 53.0);
    let exact = draw(&renderer, &spec, 0.0, &Affine::IDENTITY);
    for lod_px in [0.5, 2.0, 8.0] {
        let less = draw(&renderer, &spec, lod_px, &Affine::IDENTITY);
        let inner = |pixel: &usize| [pixel % 128, pixel / 128].iter().all(|&at| (8..120).contains(&at));
        let differ = (0..128 * 128).filter(inner);
        let differ = differ.filter(|&at| exact.instance[at] != less.instance[at]).count();
        let seen = [&exact, &less].map(|frame| frame.triangles.unwrap());
        println!("{lod_px} pixels: {differ} ids differ, {seen:?} triangles");
        // Gaps are measured at vertices, not everywhere between: without that thousands would differ.
        assert!(differ * 1000 <= 112 * 112, "{lod_px} pixels: {differ}");
        assert!(seen[1] < seen[0]);
    }
}

#[test]
fn textures_stay_where_they_are() {
    // A flat wall; a ramp of red 256 texels wide, spread evenly and in waves.
    let side = 129_u32;
    let at = || (0..side * side).map(|index| [index % side, index / side].map(|v| v as f32 / 128.0));
    let wall = |wave: f32| Mesh {
        positions: at().map(|[x, y]| Vec3::new(x * 2.0 - 1.0, y * 2.0 - 1.0, -2.0)).collect(),
        uvs: at().map(|[x, y]| Vec2::new(0.1 + 0.8 * (x + wave * libm::sinf(x * 20.0)), y)).collect(),
        triangles: (0..(side - 1) * (side - 1))
            .map(|cell| cell / (side - 1) * side + cell % (side - 1))
            .flat_map(|a| [[a, a + 1, a + side], [a + 1, a + side + 1, a + side]])
            .collect(),
        ..Mesh::default()
    };
    let ramp = Texture {
        width: 256,
        height: 1,
        pixels: (0..=255).map(|red| [red, 0, 0, 255]).collect(),
        wrap: [Wrap::Clamp; 2],
    };
    let spec = pinhole(128, 128, 53.0);
    for (wave, lod_px, fewer) in [(0.0, 2.0, 20), (0.04, 0.5, 1), (0.04, 2.0, 2)] {
        let mut scene = scene_of(vec![wall(wave)]);
        scene.textures.push(Arc::new(ramp.clone()));
        scene.materials[0] = Material { texture: Some(0), ..Material::default() };
        let renderer = Renderer::new(Arc::new(scene));
        let exact = draw(&renderer, &spec, 0.0, &Affine::IDENTITY);
        let less = draw(&renderer, &spec, lod_px, &Affine::IDENTITY);
        let worst = exact.rgb.iter().zip(&less.rgb).map(|(a, b)| a.abs_diff(*b)).max().unwrap();
        let seen = [&exact, &less].map(|frame| frame.triangles.unwrap());
        println!("{seen:?} triangles, colours off by {worst}");
        // Red grows by 256 · 0.8 · (1 + 20 wave) over 128 pixels, at most, and is rounded twice.
        let allowed = 1.6 * (1.0 + 20.0 * wave) * lod_px + 2.0;
        assert!(f32::from(worst) <= allowed, "{worst} of {allowed}");
        assert!(seen[1] * fewer < seen[0], "{seen:?}");
    }
}

#[test]
fn what_may_have_holes_is_exact() {
    let mut scene = furnished();
    scene.textures.push(Arc::new(Texture {
        width: 2,
        height: 1,
        pixels: vec![[255, 255, 255, 0], [255; 4]].into(),
        wrap: [Wrap::Repeat; 2],
    }));
    scene.materials[0] = Material { texture: Some(0), alpha_cutoff: Some(0.5), ..Material::default() };
    for mesh in &mut scene.meshes {
        let mut with = (**mesh).clone();
        with.uvs = with.positions.iter().map(|p| Vec2::new(p.x * 3.0, p.y)).collect();
        *mesh = Arc::new(with);
    }
    let renderer = Renderer::new(Arc::new(scene));
    let mut stream = Stream::new(7, "lod", "views");
    for _ in 0..5 {
        let at = random_view(&mut stream, ROOM);
        let spec = pinhole(96, 72, 90.0);
        assert!(draw(&renderer, &spec, 0.0, &at) == draw(&renderer, &spec, 8.0, &at));
    }
}

#[test]
fn rubbish_is_drawn() {
    // Corners that are not finite, faces twice, edges of three triangles, triangles of one point.
    let mut mesh = room();
    let mut stream = Stream::new(8, "lod", "rubbish");
    let count = mesh.positions.len();
    for _ in 0..300 {
        let mut corner = || stream.index(count) as u32;
        let (a, b) = (corner(), corner());
        mesh.triangles.extend([[a, b, corner()], [a, a, b], [b, b, b]]);
    }
    for _ in 0..50 {
        let at = stream.index(count);
        mesh.positions[at] = [Vec3::NAN, Vec3::INFINITY, Vec3::splat(f32::MAX)][at % 3];
    }
    let first = mesh.triangles[0];
    mesh.triangles.extend([first; 3]);
    let placement = Placement { mesh: 0, material: 0, world_from_mesh: Affine::IDENTITY, instance: 1 };
    let mut scene = scene_of(vec![mesh, Mesh::default()]);
    scene.placements.push(placement);
    let renderer = Renderer::new(Arc::new(scene));
    for _ in 0..20 {
        draw(&renderer, &pinhole(64, 48, 90.0), 4.0, &random_view(&mut stream, ROOM));
    }
}

#[test]
fn only_sound_numbers_of_pixels_are_taken() {
    for lod_px in [0.0, 0.001, 16.0] {
        assert!(CameraSpec { lod_px, ..CameraSpec::default() }.validate().is_ok());
    }
    for lod_px in [-0.1, 16.01, f32::NAN, f32::INFINITY] {
        let fault = CameraSpec { lod_px, ..CameraSpec::default() }.validate().unwrap_err();
        assert!(fault.to_string().contains("lod_px is 0 (exact) to 16 pixels"), "{fault}");
    }
    let camera: CameraSpec = serde_json::from_str(r#"{"width": 64}"#).unwrap();
    assert_eq!(camera.lod_px, 0.0);
    let camera: CameraSpec = serde_json::from_str(r#"{"lod_px": 0.5}"#).unwrap();
    assert_eq!(camera.lod_px, 0.5);
}
