//! Purpose: how many images a second the plain renderer draws.
//!
//! `cargo run --release -p ambler_sensor --example bench_plain -- SCENE [SIZE] [THREADS] [y|z]`
//!
//! Draws all four images from places around the middle of the scene, looking in all directions,
//! 1.31 m above its lowest point.

use ambler_geometry::{Heading, Pose, Vec3, random::Stream};
use ambler_scene::{ReadOptions, UpAxis, read_scene};
use ambler_sensor::{CameraSpec, Outputs, Renderer};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let path = arguments.get(1).ok_or("usage: bench_plain SCENE [SIZE] [THREADS] [y|z]")?;
    let size: u32 = arguments.get(2).map_or(Ok(256), |text| text.parse())?;
    let threads: usize = arguments.get(3).map_or(Ok(1), |text| text.parse())?;
    let up: UpAxis = arguments.get(4).map_or(Ok(UpAxis::Y), |text| text.parse())?;
    let scene = Arc::new(read_scene(Path::new(path), &ReadOptions::with_up(up))?);

    let start = Instant::now();
    let renderer = Renderer::new(Arc::clone(&scene));
    let prepared = start.elapsed().as_secs_f64();

    let spec = CameraSpec { width: size, height: size, ..CameraSpec::default() };
    let mut stream = Stream::new(1, "bench_plain", "poses");
    let (middle, extent) = (scene.bounds.center(), scene.bounds.size());
    let poses: Vec<Pose> = (0..64)
        .map(|_| {
            let x = middle.x + extent.x * stream.range(-0.3, 0.3) as f32;
            let z = middle.z + extent.z * stream.range(-0.3, 0.3) as f32;
            let yaw = stream.range(0.0, std::f64::consts::TAU);
            Pose { position: Vec3::new(x, scene.bounds.min.y, z), heading: Heading::from_yaw(yaw) }
        })
        .collect();
    for (name, outputs) in [
        ("all images", Outputs::ALL),
        ("depth alone", Outputs { depth: true, ..Outputs::NONE }),
        ("depth and ids", Outputs { rgb: false, ..Outputs::ALL }),
    ] {
        let spec = CameraSpec { outputs, ..spec.clone() };
        let views: Vec<_> =
            poses.iter().map(|pose| (spec.clone(), spec.world_from_camera(pose, 0.0))).collect();
        renderer.render_many(&views, threads)?;
        let mut times = Vec::new();
        let busy = busy_seconds();
        for _ in 0..5 {
            let start = Instant::now();
            renderer.render_many(&views, threads)?;
            times.push(start.elapsed().as_secs_f64());
        }
        let busy = busy_seconds().zip(busy).map(|(now, then)| now - then);
        times.sort_by(f64::total_cmp);
        println!(
            "{name}: {:.1} images/s, {size}×{size}, {threads} thread(s), {} triangles, prepared in {prepared:.2} s",
            views.len() as f64 / times[2],
            scene.triangle_count(),
        );
        if let (Some(busy), 1) = (busy, threads) {
            let each = busy / (5 * views.len()) as f64;
            println!("  processor time: {:.2} ms an image, {:.1} images/s", each * 1e3, 1.0 / each);
        }
    }
    Ok(())
}

/// Seconds that this thread has spent on a processor: what a busy machine does not distort. Linux
/// only.
fn busy_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<f64>().ok()? * 1e-9)
}
