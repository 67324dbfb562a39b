//! Purpose: a renderer that other programs can measure side by side with their own.
//!
//! `cargo run --release -p ambler_sensor --example bench_sensors -- SCENE POSES [y|z]`
//!
//! POSES is a JSON list of `[x, y, z, yaw]`: where the camera is (not the body) and where it looks.
//! HFOV is degrees of a pinhole camera, `equirectangular`, or `fisheye` and its degrees, as `fisheye200`.
//! After `ready` it answers each line on standard input with one line:
//!
//! - `draw WIDTH HEIGHT HFOV THREADS fast|portable|plain all|depth|ids|rgbd ROUNDS [LOD_PX]`: seconds of
//!   wall time and of processor time that drawing all poses that often took
//! - `make`: seconds of wall time and of processor time that making stand-ins for LOD_PX took
//! - `lod WIDTH HEIGHT HFOV LOD_PX`: how images with it differ from exact ones
//! - `compare WIDTH HEIGHT HFOV`: how the fast renderer agrees with the plain one
//! - `hash WIDTH HEIGHT HFOV`: a hash of all images of the fast renderer, to compare versions of it

use ambler_geometry::{Affine, Heading, Pose, Vec3};
use ambler_scene::{ReadOptions, UpAxis, read_scene};
use ambler_sensor::{CameraSpec, Frame, Outputs, PlainRenderer, Projection, Renderer};
use std::io::{BufRead, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().collect();
    let usage = "usage: bench_sensors SCENE POSES [y|z]";
    let path = arguments.get(1).ok_or(usage)?;
    let poses: Vec<[f64; 4]> =
        serde_json::from_str(&std::fs::read_to_string(arguments.get(2).ok_or(usage)?)?)?;
    let up: UpAxis = arguments.get(3).map_or(Ok(UpAxis::Y), |text| text.parse())?;
    let scene = Arc::new(read_scene(Path::new(path), &ReadOptions::with_up(up))?);
    let start = Instant::now();
    let fast = Renderer::new(Arc::clone(&scene));
    let prepared = start.elapsed().as_secs_f64();
    let portable = Renderer::sharing(&fast, Arc::clone(&scene)).without_avx2();
    let plain = PlainRenderer::new(Arc::clone(&scene));
    println!("ready {} triangles, prepared in {prepared:.3} s", scene.triangle_count());
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let spec = if words.len() > 3 { camera(&words)? } else { CameraSpec::default() };
        let views: Vec<Affine> = poses.iter().map(|pose| view(&spec, pose)).collect();
        match words.first() {
            Some(&"draw") => {
                let threads: usize = words.get(4).ok_or("threads")?.parse()?;
                let rounds: usize = words.get(7).map_or(Ok(1), |text| text.parse())?;
                let outputs = match words.get(6) {
                    Some(&"depth") => Outputs { depth: true, ..Outputs::NONE },
                    Some(&"ids") => Outputs { rgb: false, ..Outputs::ALL },
                    Some(&"rgbd") => Outputs { rgb: true, depth: true, ..Outputs::NONE },
                    _ => Outputs::ALL,
                };
                let lod_px = words.get(8).map_or(Ok(0.0), |text| text.parse())?;
                let spec = CameraSpec { outputs, lod_px, ..spec };
                let draw = |view: &Affine, frame: &mut Frame| match words.get(5) {
                    Some(&"plain") => plain.render(&spec, view, frame),
                    Some(&"portable") => portable.render(&spec, view, frame),
                    _ => fast.render(&spec, view, frame),
                };
                let start = Instant::now();
                let busy = busy_seconds();
                std::thread::scope(|scope| {
                    for thread in 0..threads {
                        let (views, draw) = (&views, &draw);
                        scope.spawn(move || {
                            let mut frame = Frame::default();
                            for _ in 0..rounds {
                                for view in views.iter().skip(thread).step_by(threads) {
                                    draw(view, &mut frame).expect("a valid camera");
                                    std::hint::black_box(&frame);
                                }
                            }
                        });
                    }
                });
                println!("{:.6} {:.6}", start.elapsed().as_secs_f64(), busy_seconds() - busy);
            }
            Some(&"make") => {
                let (start, busy) = (Instant::now(), busy_seconds());
                fast.make_stand_ins();
                println!("{:.3} {:.3}", start.elapsed().as_secs_f64(), busy_seconds() - busy);
            }
            Some(&"lod") => {
                let lod_px = words.get(4).ok_or("LOD_PX")?.parse()?;
                let less = CameraSpec { lod_px, ..spec.clone() };
                let mut sum = Change::default();
                for view in &views {
                    let (mut exact, mut other) = (Frame::default(), Frame::default());
                    fast.render(&spec, view, &mut exact)?;
                    fast.render(&less, view, &mut other)?;
                    sum.add(&exact, &other);
                }
                sum.print();
            }
            Some(&"compare") => {
                let mut sum = Agreement::default();
                for view in &views {
                    let (mut a, mut b) = (Frame::default(), Frame::default());
                    fast.render(&spec, view, &mut a)?;
                    plain.render(&spec, view, &mut b)?;
                    sum.add(&a, &b);
                }
                println!("{sum:?}");
            }
            Some(&"hash") => {
                let mut hasher = blake3::Hasher::new();
                let mut frame = Frame::default();
                for view in &views {
                    fast.render(&spec, view, &mut frame)?;
                    hasher.update(&frame.rgb).update(&frame.valid);
                    let numbers = frame.depth.iter().map(|depth| depth.to_bits());
                    for number in numbers.chain(frame.instance.iter().chain(&frame.category).copied()) {
                        hasher.update(&number.to_le_bytes());
                    }
                }
                println!("{}", hasher.finalize());
            }
            _ => println!("unknown"),
        }
        std::io::stdout().flush()?;
    }
    Ok(())
}

fn camera(words: &[&str]) -> Result<CameraSpec, Failure> {
    Ok(CameraSpec {
        width: words.get(1).ok_or("width")?.parse()?,
        height: words.get(2).ok_or("height")?.parse()?,
        projection: match *words.get(3).ok_or("hfov")? {
            "equirectangular" => Projection::Equirectangular,
            hfov => match hfov.strip_prefix("fisheye") {
                Some(fov) => Projection::Fisheye { fov_deg: fov.parse()? },
                None => Projection::Pinhole { hfov_deg: hfov.parse()? },
            },
        },
        mount: Vec3::ZERO,
        ..CameraSpec::default()
    })
}

fn view(spec: &CameraSpec, &[x, y, z, yaw]: &[f64; 4]) -> Affine {
    let position = Vec3::new(x as f32, y as f32, z as f32);
    spec.world_from_camera(&Pose { position, heading: Heading::from_yaw(yaw) }, 0.0)
}

/// Processor seconds of all threads of this process: what a busy machine distorts little. Linux only;
/// 0 elsewhere.
fn busy_seconds() -> f64 {
    let Ok(text) = std::fs::read_to_string("/proc/self/stat") else { return 0.0 };
    let after = text.rsplit(')').next().unwrap_or("");
    let ticks = |at: usize| after.split_whitespace().nth(at).and_then(|t| t.parse::<f64>().ok());
    (ticks(11).unwrap_or(0.0) + ticks(12).unwrap_or(0.0)) * 0.01
}

/// What stand-ins change in images.
#[derive(Default)]
struct Change {
    pixels: usize,
    triangles: [u64; 2],
    ids: usize,
    valid: usize,
    /// Shares that depth is off by.
    depth: Vec<f32>,
    color: u64,
}

impl Change {
    fn add(&mut self, exact: &Frame, other: &Frame) {
        self.pixels += exact.pixel_count();
        for (sum, frame) in self.triangles.iter_mut().zip([exact, other]) {
            *sum += u64::from(frame.triangles.unwrap_or(0));
        }
        for pixel in 0..exact.pixel_count() {
            self.ids += usize::from(exact.instance[pixel] != other.instance[pixel]);
            self.valid += usize::from(exact.valid[pixel] != other.valid[pixel]);
            let (a, b) = (exact.depth[pixel], other.depth[pixel]);
            if exact.valid[pixel] == 0 || other.valid[pixel] == 0 {
                continue;
            }
            self.depth.push((a - b).abs() / a.max(1e-6));
        }
        let pairs = exact.rgb.iter().zip(&other.rgb);
        self.color += pairs.map(|(a, b)| u64::from(a.abs_diff(*b))).sum::<u64>();
    }

    fn print(&mut self) {
        self.depth.sort_unstable_by(f32::total_cmp);
        let mean = self.depth.iter().map(|&off| f64::from(off)).sum::<f64>() / self.depth.len() as f64;
        let at = |share: f64| self.depth[(self.depth.len() as f64 * share) as usize];
        println!(
            "triangles {} of {}, ids {:.5} %, valid {:.5} %, depth mean {:.4} % 99 % {:.4} % 99.9 % {:.4} %, color {:.3}",
            self.triangles[1],
            self.triangles[0],
            self.ids as f64 * 100.0 / self.pixels as f64,
            self.valid as f64 * 100.0 / self.pixels as f64,
            mean * 100.0,
            at(0.99) * 100.0,
            at(0.999) * 100.0,
            self.color as f64 / (self.pixels * 3) as f64,
        );
    }
}

#[derive(Debug, Default)]
#[allow(dead_code, reason = "printed")]
struct Agreement {
    pixels: usize,
    ids_differ: usize,
    valid_differ: usize,
    /// Where ids are the same.
    depth_differ: usize,
    depth_worst: f32,
    color_differ: usize,
    color_worst: u8,
}

impl Agreement {
    fn add(&mut self, a: &Frame, b: &Frame) {
        for pixel in 0..a.pixel_count() {
            self.pixels += 1;
            self.valid_differ += usize::from(a.valid[pixel] != b.valid[pixel]);
            if a.instance[pixel] != b.instance[pixel] {
                self.ids_differ += 1;
                continue;
            }
            let off = (a.depth[pixel] - b.depth[pixel]).abs() / b.depth[pixel].max(1e-9);
            if off > 1e-4 {
                self.depth_differ += 1;
                continue;
            }
            self.depth_worst = self.depth_worst.max(off);
            let color = (0..3).map(|c| a.rgb[pixel * 3 + c].abs_diff(b.rgb[pixel * 3 + c])).max();
            let color = color.unwrap_or(0);
            self.color_differ += usize::from(color > 2);
            self.color_worst = self.color_worst.max(color);
        }
    }
}
