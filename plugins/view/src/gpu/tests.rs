//! The graphics device against the sensors' renderer. Needs a Vulkan driver; Mesa's for processors will do.

use super::*;
use ambler_geometry::random::Stream;
use ambler_geometry::{Heading, Pose, Vec3};
use ambler_scene::{Mesh, Placement, ReadOptions, read_scene};
use ambler_sensor::{Outputs, Renderer};
use std::path::Path;

/// A device of its own; `None` where there is no driver, which is said.
fn renderer() -> Option<GpuRenderer> {
    let descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    let instance =
        wgpu::Instance::new(wgpu::InstanceDescriptor { backends: wgpu::Backends::VULKAN, ..descriptor });
    let adapter =
        bevy::tasks::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()));
    let Ok(adapter) = adapter else {
        eprintln!("SKIPPED: no Vulkan driver");
        return None;
    };
    let limits = adapter.limits();
    let wanted = wgpu::DeviceDescriptor { required_limits: limits, ..Default::default() };
    let (device, queue) = bevy::tasks::block_on(adapter.request_device(&wanted)).expect("a device");
    Some(GpuRenderer::new(device, queue))
}

fn spec() -> CameraSpec {
    let outputs = Outputs { rgb: true, depth: true, instance: true, category: false };
    CameraSpec {
        width: 320,
        height: 240,
        mount: Vec3::ZERO,
        near_m: 0.05,
        outputs,
        ..CameraSpec::default()
    }
}

/// How two images of one view compare, off silhouettes.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    pixels: usize,
    other_id: usize,
    other_depth: usize,
    /// Sum of the differences of colour channels, 0 to 255.
    color: f64,
    /// Pixels with a channel that differs by more than 16.
    far_color: usize,
}

fn compare(one: &Frame, other: &Frame, found: &mut Found) {
    let (width, height) = (one.width as usize, one.height as usize);
    assert_eq!((one.width, one.height), (other.width, other.height));
    for y in 1..height - 1 {
        for x in 1..width - 1 {
            let at = y * width + x;
            let around = (0..9).map(|k| (y + k / 3 - 1) * width + x + k % 3 - 1);
            // Off silhouettes: who is seen is the same all around, and the surface goes on evenly.
            let even = |next: usize| {
                one.instance[next] == one.instance[at]
                    && (one.depth[next] - one.depth[at]).abs() <= 0.05 * one.depth[at]
            };
            if one.depth[at] <= 0.0 || !around.clone().all(even) {
                continue;
            }
            found.pixels += 1;
            found.other_id += usize::from(one.instance[at] != other.instance[at]);
            let apart = (one.depth[at] - other.depth[at]).abs() / one.depth[at];
            found.other_depth += usize::from(apart > 1e-3);
            let channels = |frame: &Frame| [0, 1, 2].map(|c| f64::from(frame.rgb[at * 3 + c]));
            let differences = channels(one).into_iter().zip(channels(other)).map(|(a, b)| (a - b).abs());
            let most = differences.clone().fold(0.0, f64::max);
            found.color += differences.sum::<f64>() / 3.0;
            found.far_color += usize::from(most > 16.0);
        }
    }
}

/// Twenty views of a scene from places in its rooms.
fn twenty(scene: &str) -> Option<Found> {
    let device = renderer()?;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(scene);
    let scene = Arc::new(read_scene(&path, &ReadOptions::default()).expect("a shipped scene"));
    let sensors = Renderer::new(Arc::clone(&scene));
    let mut stream = Stream::new(7, &scene.name, "views");
    let (mut found, mut views) = (Found::default(), 0);
    let spec = spec();
    let (low, high) = (scene.bounds.min, scene.bounds.max);
    for _ in 0..2000 {
        let mut between = |a: f32, b: f32| stream.range(f64::from(a), f64::from(b)) as f32;
        let position =
            Vec3::new(between(low.x, high.x), low.y + between(1.0, 1.8), between(low.z, high.z));
        let heading = Heading::from_yaw(f64::from(between(0.0, 6.28)));
        let tilt = f64::from(between(-0.6, 0.2));
        let view = spec.world_from_camera(&Pose { position, heading }, tilt);
        let (mut one, mut other) = (Frame::default(), Frame::default());
        sensors.render(&spec, &view, &mut one).expect("a view");
        // In a room: something is seen nearly everywhere, and nothing stands right before the lens.
        let seen = one.depth.iter().filter(|&&depth| depth > 0.3).count();
        if seen < one.depth.len() * 9 / 10 {
            continue;
        }
        device.draw(&scene, &spec, &view, &Moved::default(), &mut other).expect("a view");
        compare(&one, &other, &mut found);
        views += 1;
        if views == 20 {
            break;
        }
    }
    assert_eq!(views, 20, "too few places in a room");
    let pixels = found.pixels as f64;
    eprintln!(
        "{}: {} pixels off silhouettes; ids differ in {:.5} %, depth in {:.5} %, colour by {:.3} of 255 in the mean, in {:.4} % by more than 16",
        scene.name,
        found.pixels,
        found.other_id as f64 / pixels * 100.0,
        found.other_depth as f64 / pixels * 100.0,
        found.color / pixels,
        found.far_color as f64 / pixels * 100.0,
    );
    Some(found)
}

#[track_caller]
fn holds(found: Found) {
    let share = |count: usize| count as f64 / found.pixels as f64;
    assert!(found.pixels > 500_000, "{found:?}");
    assert_eq!((found.other_id, found.other_depth), (0, 0), "{found:?}");
    assert!(found.color / (found.pixels as f64) < 0.5, "{found:?}");
    assert!(share(found.far_color) < 1e-3, "{found:?}");
}

#[test]
fn a_furnished_home_is_drawn_as_the_sensors_draw_it() {
    if let Some(found) = twenty("maple_studio") {
        holds(found);
    }
}

#[test]
fn a_room_with_textures_is_drawn_as_the_sensors_draw_it() {
    if let Some(found) = twenty("washitsu") {
        holds(found);
    }
}

/// Two quads before each other, the nearer with an owner for each triangle.
fn quads() -> SceneModel {
    let quad = |owners: &[u32]| {
        let mut mesh = Mesh::default();
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        mesh.positions.extend(corners.map(|[x, y]| Vec3::new(x, y, 0.0)));
        mesh.triangles.extend([[0, 1, 2], [0, 2, 3]]);
        mesh.triangle_instances.extend(owners);
        Arc::new(mesh)
    };
    let place = |mesh: u32, z: f32, instance: u32| Placement {
        mesh,
        material: 0,
        world_from_mesh: Affine { translation: Vec3::new(0.0, 0.0, z), ..Affine::IDENTITY },
        instance,
    };
    SceneModel {
        meshes: vec![quad(&[]), quad(&[4, 5])],
        placements: vec![place(0, -4.0, 9), place(1, -3.0, 0), place(0, -2.0, 3)],
        ..SceneModel::default()
    }
}

#[test]
fn owners_moved_things_mirrors_and_flat_views_are_as_the_sensors_have_them() {
    let Some(device) = renderer() else { return };
    let mut scene = quads();
    // Mirrored: still seen from its front, which winds the other way.
    scene.placements[0].world_from_mesh.matrix.x_axis *= -1.0;
    scene.placements[0].world_from_mesh.matrix.y_axis *= 2.0;
    scene.placements[0].world_from_mesh.matrix.x_axis *= 2.0;
    let scene = Arc::new(scene);
    let sensors = Renderer::new(Arc::clone(&scene));
    let mut lifted = Moved::default();
    lifted.set(3, Affine { translation: Vec3::new(0.7, 0.2, 0.3), ..Affine::IDENTITY });
    let mut gone = Moved::default();
    gone.hide(3);
    let flat =
        CameraSpec { projection: Projection::Orthographic { width_m: 5.0 }, far_m: 10.0, ..spec() };
    for spec in [spec(), flat] {
        for moved in [Moved::default(), lifted.clone(), gone.clone()] {
            let (mut one, mut other) = (Frame::default(), Frame::default());
            sensors.render_moved(&spec, &Affine::IDENTITY, &moved, &mut one).expect("a view");
            let drawn =
                device.draw(&scene, &spec, &Affine::IDENTITY, &moved, &mut other).expect("a view");
            assert_eq!(drawn, if moved == gone { 4 } else { 6 });
            let mut found = Found::default();
            compare(&one, &other, &mut found);
            let wrong = (found.other_id, found.other_depth, found.far_color);
            assert!(
                found.pixels > 5_000 && wrong == (0, 0, 0),
                "{:?} {moved:?}: {found:?}",
                spec.projection
            );
        }
    }
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let Some(device) = renderer() else { return };
    let scene = Arc::new(quads());
    let wide = CameraSpec { projection: Projection::Equirectangular, ..spec() };
    let draw = |spec: &CameraSpec, view: &Affine| {
        device.draw(&scene, spec, view, &Moved::default(), &mut Frame::default())
    };
    assert!(draw(&wide, &Affine::IDENTITY).is_err());
    let squashed = Affine { matrix: ambler_geometry::Mat3::ZERO, ..Affine::IDENTITY };
    assert!(draw(&spec(), &squashed).is_err());
    let huge = CameraSpec { width: 1_000_000, ..spec() };
    assert!(draw(&huge, &Affine::IDENTITY).is_err());
    let empty = Arc::new(SceneModel::default());
    let mut frame = Frame::default();
    let drawn = device.draw(&empty, &spec(), &Affine::IDENTITY, &Moved::default(), &mut frame);
    assert_eq!(drawn, Ok(0));
    assert!(frame.depth.iter().all(|&depth| depth == 0.0) && frame.rgb.iter().all(|&value| value == 0));
}
