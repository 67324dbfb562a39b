//! Agreement with the images that Habitat draws of the same scenes from the same places.

mod common;
mod data;

use ambler_geometry::{Affine, Vec3};
use ambler_scene::{ReadOptions, UpAxis, read_scene};
use ambler_sensor::{CameraSpec, Frame, Renderer};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// What is measured over the views of a scene.
#[derive(Default)]
struct Agreement {
    pixels: usize,
    /// Pixels not within one pixel of a depth edge in either image.
    smooth: usize,
    depth_agrees: usize,
    depth_agrees_smooth: usize,
    ids: usize,
    ids_agree: usize,
    ids_agree_smooth: usize,
    depth_differences: Vec<f64>,
    holes_differ: usize,
    rgb_sum: f64,
    rgb_sum_smooth: f64,
    rgb_far: usize,
    rgb_max: f64,
}

/// Pixels whose 3 × 3 neighbourhood has a jump in depth or a hole's border. A jump is 5 cm and 5 %:
/// floors seen at a low angle step by that only beyond 10 m.
fn edges(depth: &[f64], width: usize) -> Vec<bool> {
    let height = depth.len() / width;
    (0..depth.len())
        .map(|pixel| {
            let (x, y) = (pixel % width, pixel / width);
            let mut low = f64::INFINITY;
            let mut high: f64 = 0.0;
            for row in y.saturating_sub(1)..=(y + 1).min(height - 1) {
                for column in x.saturating_sub(1)..=(x + 1).min(width - 1) {
                    low = low.min(depth[row * width + column]);
                    high = high.max(depth[row * width + column]);
                }
            }
            high - low > 0.05 + 0.05 * low || (low == 0.0 && high > 0.0)
        })
        .collect()
}

impl Agreement {
    fn add(&mut self, frame: &Frame, depth: &[f64], ids: Option<&[f64]>, rgb: Option<&[u8]>) {
        let width = frame.width as usize;
        let ours: Vec<f64> = frame.depth.iter().map(|&d| f64::from(d)).collect();
        let edge: Vec<bool> =
            edges(depth, width).iter().zip(edges(&ours, width)).map(|(&a, b)| a || b).collect();
        for pixel in 0..depth.len() {
            let difference = (ours[pixel] - depth[pixel]).abs();
            let agrees = difference <= 1e-3;
            self.pixels += 1;
            self.depth_agrees += usize::from(agrees);
            if (ours[pixel] == 0.0) != (depth[pixel] == 0.0) {
                self.holes_differ += 1;
            }
            if !edge[pixel] {
                self.smooth += 1;
                self.depth_agrees_smooth += usize::from(agrees);
                self.depth_differences.push(difference);
            }
            if let Some(ids) = ids {
                self.ids += 1;
                let agrees = f64::from(frame.instance[pixel]) == ids[pixel];
                self.ids_agree += usize::from(agrees);
                self.ids_agree_smooth += usize::from(agrees && !edge[pixel]);
            }
            if let Some(rgb) = rgb {
                for channel in pixel * 3..pixel * 3 + 3 {
                    let difference = (f64::from(frame.rgb[channel]) - f64::from(rgb[channel])).abs();
                    self.rgb_sum += difference;
                    self.rgb_far += usize::from(difference > 8.0);
                    self.rgb_max = self.rgb_max.max(difference);
                    if !edge[pixel] {
                        self.rgb_sum_smooth += difference;
                    }
                }
            }
        }
    }

    fn smooth_share(&self) -> f64 {
        self.depth_agrees_smooth as f64 / self.smooth as f64
    }

    fn rgb_mean(&self) -> f64 {
        self.rgb_sum / (self.pixels * 3) as f64
    }

    fn ids_share_smooth(&self) -> f64 {
        self.ids_agree_smooth as f64 / self.smooth as f64
    }

    fn print(&mut self, name: &str) {
        let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        self.depth_differences.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let last = self.depth_differences.len() - 1;
            self.depth_differences[(last as f64 * share) as usize]
        };
        println!(
            "| {name} | {:.3} % | {:.4} % | {:.4} % | {:.1e} | {:.1e} | {:.1e} | {} | {} | {:.3} | {:.3} | {:.2} % | {} |",
            percent(self.smooth, self.pixels),
            percent(self.depth_agrees_smooth, self.smooth),
            percent(self.depth_agrees, self.pixels),
            at(0.5),
            at(0.99),
            at(1.0),
            self.holes_differ,
            if self.ids == 0 {
                "–".to_owned()
            } else {
                format!(
                    "{:.4} / {:.4} %",
                    percent(self.ids_agree_smooth, self.smooth),
                    percent(self.ids_agree, self.ids)
                )
            },
            self.rgb_mean(),
            self.rgb_sum_smooth / (self.smooth * 3) as f64,
            percent(self.rgb_far, self.pixels * 3),
            self.rgb_max,
        );
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("an array").iter().map(|v| v.as_f64().expect("a number")).collect()
}

fn compare(golden: &Path, scene: &Path, up: UpAxis, name: &str) -> Agreement {
    let scene = read_scene(scene, &ReadOptions::with_up(up)).expect("the scene reads");
    let renderer = Renderer::new(Arc::new(scene));
    let text = std::fs::read_to_string(golden.join("images.json")).expect("images.json");
    let images: Value = serde_json::from_str(&text).expect("JSON");
    let depth = data::npy(&golden.join("depth.npy"));
    let ids = golden.join("semantic.npy").is_file().then(|| data::npy(&golden.join("semantic.npy")));
    let spec = CameraSpec::default();
    let count = (spec.width * spec.height) as usize;
    let mut agreement = Agreement::default();
    let mut frame = Frame::default();
    for (index, pose) in images["poses"].as_array().expect("poses").iter().enumerate() {
        let (at, turn) = (numbers(&pose["camera_position"]), numbers(&pose["camera_rotation"]));
        let eye = Vec3::new(at[0] as f32, at[1] as f32, at[2] as f32);
        let view = common::view(eye, turn[0], turn[1], turn[2], turn[3]);
        renderer.render(&spec, &view, &mut frame).expect("a valid view");
        let range = index * count..(index + 1) * count;
        let png = image::open(golden.join(format!("rgb_{index}.png"))).expect("a picture").to_rgb8();
        if let Some(folder) = std::env::var_os("AMBLER_TEST_PICTURES") {
            let ours = ambler_sensor::Picture::of_rgb(&frame);
            let theirs = ambler_sensor::Picture {
                width: 256,
                height: 256,
                pixels: png.pixels().map(|pixel| pixel.0).collect(),
            };
            let mut difference = ours.clone();
            for (a, b) in difference.pixels.iter_mut().zip(&theirs.pixels) {
                *a = std::array::from_fn(|c| a[c].abs_diff(b[c]).saturating_mul(8));
            }
            let depth = ambler_sensor::Picture::of_depth(&frame, None);
            ambler_sensor::Picture::sheet(&[ours, theirs, difference, depth], 4, 4)
                .write_png(&Path::new(&folder).join(format!("golden_{name}_{index}.png")))
                .expect("the picture is written");
        }
        agreement.add(&frame, &depth[range.clone()], ids.as_ref().map(|ids| &ids[range]), Some(&png));
    }
    agreement.print(name);
    agreement
}

#[test]
fn images_agree_with_habitat() {
    let Some(data) = data::folder() else { return };
    let golden = data.join("golden");
    let assets = data.join("ok");
    println!(
        "| scene | off edges | depth ≤ 1 mm off edges | on all pixels | median m | p99 m | max m | holes differ | ids off edges / all | rgb mean | off edges | rgb > 8 | rgb max |"
    );
    let room = assets.join("habitat_sim_test_assets/test_assets/scenes/simple_room.glb");
    let washitsu = assets.join("polycam_washitsu_room_cc0/scans/room.glb");
    for (name, scene, up, rgb_mean) in [
        ("scan180", golden.join("scan180/scene.ply"), UpAxis::Y, 0.5),
        ("scan40", golden.join("scan40/scene.ply"), UpAxis::Y, 0.5),
        ("washitsu", washitsu, UpAxis::Y, 2.0),
        ("hl2_apartment", golden.join("hl2_apartment/scene.glb"), UpAxis::Y, 0.5),
        ("simple_room", room, UpAxis::Z, 0.5),
        ("stage_floor1", golden.join("stage_floor1/scene.glb"), UpAxis::Y, 0.5),
    ] {
        let agreement = compare(&golden.join(name), &scene, up, name);
        assert!(agreement.smooth_share() >= 0.995, "{name}: depth {}", agreement.smooth_share());
        if agreement.ids > 0 {
            assert!(agreement.ids_share_smooth() >= 0.999, "{name}: ids");
        }
        assert!(agreement.rgb_mean() <= rgb_mean, "{name}: rgb {}", agreement.rgb_mean());
    }
}

/// Row A7 of Habitat's own test: start, one step ahead of 0.25 m, camera 1.5 m high, 90°.
#[test]
fn the_van_gogh_room_has_habitats_depth() {
    let Some(data) = data::folder() else { return };
    let folder = data.join("terms/habitat_golden");
    let scene = folder.join("van-gogh-room.mesh.ply");
    let scene = read_scene(&scene, &ReadOptions::with_up(UpAxis::Z)).expect("the scene reads");
    let text = std::fs::read_to_string(folder.join("van-gogh-room-state.json")).expect("state");
    let state: Value = serde_json::from_str(&text).expect("JSON");
    let (at, turn) = (numbers(&state["pos"]), numbers(&state["rot"]));
    let turned = common::view(Vec3::ZERO, turn[0], turn[1], turn[2], turn[3]);
    let start = Vec3::new(at[0] as f32, at[1] as f32, at[2] as f32);
    let eye = start + turned.vector(Vec3::NEG_Z) * 0.25 + Vec3::new(0.0, 1.5, 0.0);
    let view = Affine { translation: eye, ..turned };
    let frame = common::draw(&scene, &common::pinhole(640, 480, 90.0), &view);
    let depth = data::npy(&folder.join("van-gogh-room-depth_sensor.npy"));
    let mut differences: Vec<f64> =
        frame.depth.iter().zip(&depth).map(|(&a, b)| (f64::from(a) - b).abs()).collect();
    differences.sort_by(f64::total_cmp);
    let count = differences.len();
    let within = |metres: f64| differences.partition_point(|&d| d <= metres) as f64 / count as f64;
    println!(
        "Van Gogh room: median {:.2e} m, {:.4} % within 3.05e-5 m, {:.4} % within 1e-3 m, {} pixels beyond",
        differences[count / 2],
        100.0 * within(3.05e-5),
        100.0 * within(1e-3),
        count - differences.partition_point(|&d| d <= 1e-3)
    );
    assert!(frame.valid.iter().all(|&valid| valid == 1));
    let [low, high] = [f32::min, f32::max].map(|pick| frame.depth.iter().copied().reduce(pick));
    assert!((low.unwrap_or(0.0) - 0.558563).abs() < 1e-5, "nearest {low:?}");
    assert!((high.unwrap_or(0.0) - 3.464296).abs() < 1e-5, "farthest {high:?}");
    // Habitat's rasteriser rounds corners to 1/256 of a pixel, which a surface seen at a low angle
    // and a silhouette show; everywhere else the images agree to the last digits of its depth
    // buffer.
    assert!(differences[count / 2] <= 1.8e-6);
    assert!(within(3.05e-5) >= 0.996, "{}", within(3.05e-5));
    assert!(within(1e-3) >= 0.9999, "{}", within(1e-3));
    let (wide, deep) = (640, 480);
    let edge = edges(&depth, wide);
    let off_edges = (0..wide * deep).filter(|&pixel| !edge[pixel]);
    let worst = off_edges.map(|pixel| (f64::from(frame.depth[pixel]) - depth[pixel]).abs());
    println!("largest difference off depth edges {:.2e} m", worst.fold(0.0, f64::max));
}
