//! Purpose: look at a scene without knowing it: from the top and from two places on its floor at a
//! robot's height, in colour, depth, instances and categories.
//!
//! `cargo run --release -p ambler_sensor --example scene_pictures -- SCENE OUT.png [y|z]`
//!
//! The places are found by the camera itself: a map of the floor from above, cut at the robot's
//! height, and on it the points farthest from everything that is not floor.

use ambler_geometry::{Aabb, Affine, Heading, Pose, Vec3};
use ambler_scene::{ReadOptions, SceneModel, UpAxis, read_scene};
use ambler_sensor::{CameraSpec, Frame, Picture, Projection, Renderer};
use std::path::Path;
use std::sync::Arc;

/// Pixels along each side of the floor's map.
const MAP: u32 = 256;
/// What the body needs above the floor, metres.
const HEIGHT: f32 = 1.41;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, path, out, rest @ ..] = arguments.as_slice() else {
        return Err("usage: scene_pictures SCENE OUT.png [y|z]".into());
    };
    let up: UpAxis = rest.first().map_or(Ok(UpAxis::Y), |text| text.parse())?;
    let scene = Arc::new(read_scene(Path::new(path), &ReadOptions::with_up(up))?);
    let renderer = Renderer::new(Arc::clone(&scene));
    let floor_y = floor_height(&scene);
    println!(
        "{path}: {} triangles, {} instances, bounds {} to {}, floor {floor_y:.2}",
        scene.triangle_count(),
        scene.instances.len(),
        scene.bounds.min,
        scene.bounds.max
    );

    let (top, top_view) = CameraSpec::top_down(&scene.bounds, 384, 384);
    let mut views = vec![(top, top_view)];
    let eye = CameraSpec { width: 384, height: 384, ..CameraSpec::default() };
    for (position, clearance) in places(&renderer, &scene.bounds, floor_y)? {
        let pose = Pose { position, heading: widest(&renderer, position)? };
        println!("  at {position}, {clearance:.2} m clear, yaw {:.2}", pose.heading.yaw());
        views.push((eye.clone(), eye.world_from_camera(&pose, 0.0)));
    }
    let frames = renderer.render_many(&views, 2)?;
    let pictures: Vec<Picture> = frames
        .iter()
        .flat_map(|frame| {
            [
                Picture::of_rgb(frame),
                Picture::of_depth_with_legend(frame, None),
                Picture::of_instances(frame),
                Picture::of_categories(frame),
            ]
        })
        .collect();
    Picture::sheet(&pictures, 4, 6).write_png(Path::new(out))?;
    for frame in &frames {
        let seen = frame.valid.iter().filter(|&&valid| valid == 1).count();
        println!(
            "  {:.1} % of the view shows something",
            100.0 * seen as f64 / frame.valid.len() as f64
        );
    }
    Ok(())
}

/// The height that most of the area that faces up lies at, to 5 cm.
fn floor_height(scene: &SceneModel) -> f32 {
    let (vertices, triangles) = scene.world_triangles();
    let mut bins = vec![0.0_f64; 4000];
    let low = scene.bounds.min.y;
    for [a, b, c] in triangles {
        let [a, b, c] = [a, b, c].map(|index| vertices[index as usize]);
        let normal = (b - a).cross(c - a);
        if normal.y > 0.9 * normal.length() {
            let bin = ((a.y + b.y + c.y) / 3.0 - low) / 0.05;
            if let Some(bin) = bins.get_mut(bin as usize) {
                *bin += f64::from(normal.y);
            }
        }
    }
    let best = (0..bins.len()).max_by(|&a, &b| bins[a].total_cmp(&bins[b])).unwrap_or(0);
    low + best as f32 * 0.05 + 0.025
}

/// Up to two points of the floor far from everything that is not floor, and from each other.
fn places(
    renderer: &Renderer,
    bounds: &Aabb,
    floor_y: f32,
) -> Result<Vec<(Vec3, f32)>, ambler_sensor::SensorError> {
    let slab = Aabb { min: bounds.min.with_y(floor_y - 0.5), max: bounds.max.with_y(floor_y + HEIGHT) };
    let (spec, view) = CameraSpec::top_down(&slab, MAP, MAP);
    let spec = CameraSpec { near_m: 1.0, ..spec };
    let mut frame = Frame::default();
    renderer.render(&spec, &view, &mut frame)?;
    let Projection::Orthographic { width_m } = spec.projection else { return Ok(Vec::new()) };
    let cell = width_m / MAP as f32;
    let size = MAP as usize;
    let is_floor = |depth: f32| depth > 0.0 && (view.translation.y - depth - floor_y).abs() < 0.12;
    // Distance in cells to the nearest cell that is not floor, in two sweeps (8 neighbours).
    let mut clear: Vec<u32> =
        frame.depth.iter().map(|&depth| if is_floor(depth) { u32::MAX / 2 } else { 0 }).collect();
    let border = |x: usize, y: usize| x == 0 || y == 0 || x + 1 == size || y + 1 == size;
    for forward in [true, false] {
        for step in 0..size * size {
            let at = if forward { step } else { size * size - 1 - step };
            let (x, y) = (at % size, at / size);
            if border(x, y) {
                clear[at] = 0;
                continue;
            }
            let near = if forward {
                [at - 1, at - size, at - size - 1, at - size + 1]
            } else {
                [at + 1, at + size, at + size - 1, at + size + 1]
            };
            clear[at] = near.iter().fold(clear[at], |least, &other| least.min(clear[other] + 1));
        }
    }
    let mut found: Vec<(usize, u32)> = Vec::new();
    for _ in 0..2 {
        let far = |at: usize| {
            found.iter().all(|&(other, _)| {
                let dx = (at % size).abs_diff(other % size);
                let dy = (at / size).abs_diff(other / size);
                dx.max(dy) > size / 5
            })
        };
        let best = (0..size * size).filter(|&at| clear[at] > 0 && far(at)).max_by_key(|&at| clear[at]);
        found.extend(best.map(|at| (at, clear[at])));
    }
    Ok(found
        .into_iter()
        .map(|(at, cells)| {
            let (x, y) = ((at % size) as f64 + 0.5, (at / size) as f64 + 0.5);
            let point = spec.unproject_to_world(&view, x, y, f64::from(frame.depth[at]));
            (point.as_vec3().with_y(floor_y), cells as f32 * cell)
        })
        .collect())
}

/// The heading of eight that sees farthest on average.
fn widest(renderer: &Renderer, position: Vec3) -> Result<Heading, ambler_sensor::SensorError> {
    let spec = CameraSpec { width: 32, height: 32, ..CameraSpec::default() };
    let mut frame = Frame::default();
    let mut best = (f32::NEG_INFINITY, Heading::from_yaw(0.0));
    for turn in 0..8 {
        let heading = Heading::from_yaw(0.2).turned(turn, 8);
        let view: Affine = spec.world_from_camera(&Pose { position, heading }, 0.0);
        renderer.render(&spec, &view, &mut frame)?;
        let sum: f32 = frame.depth.iter().map(|depth| depth.min(6.0)).sum();
        if sum > best.0 {
            best = (sum, heading);
        }
    }
    Ok(best.1)
}
