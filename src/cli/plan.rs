//! Storeys from above, for people.

use super::scene::plan_camera_at;
use ambler_geometry::Vec3;
use ambler_scene::SceneModel;
use ambler_sensor::{CameraSpec, Frame, Outputs, Picture, Renderer, SensorError};

/// Pixels of paper around a plan.
const MARGIN: u32 = 16;
/// Plans are cut at this height above their floor, metres.
const CUT_M: f32 = 1.8;
/// Ground of plans, where nothing is.
const PAPER: [u8; 3] = [0xf1, 0xf1, 0xef];

/// A storey from above, north (−Z) at the top.
pub struct Drawn {
    /// The picture.
    pub picture: Picture,
    /// World x of its left edge, metres.
    pub left_m: f32,
    /// World z of its top edge, metres.
    pub top_m: f32,
    /// Pixels a metre.
    pub per_m: f32,
}

impl Drawn {
    /// The pixel of a point.
    pub fn pixel(&self, point: Vec3) -> [f32; 2] {
        [(point.x - self.left_m) * self.per_m, (point.z - self.top_m) * self.per_m]
    }
}

/// Draws the storey with its floor at `floor_m`; `pixels` is what the scene's longer side has. `pale` is for
/// plans under lines.
///
/// # Errors
/// Those of [`Renderer::render`].
pub fn storey(renderer: &Renderer, floor_m: f32, pixels: f32, pale: bool) -> Result<Drawn, SensorError> {
    let scene = renderer.scene();
    let size = scene.bounds.size().max(Vec3::splat(0.1)) * 1.04;
    let scale = pixels / size.x.max(size.z);
    let [width, height] = [size.x, size.z].map(|side| ((side * scale) as u32).max(64));
    let outputs = Outputs { rgb: true, depth: true, ..Outputs::NONE };
    let camera = CameraSpec { width, height, outputs, ..CameraSpec::default() };
    let (camera, place) = plan_camera_at(scene, &camera, floor_m + CUT_M);
    let mut frame = Frame::default();
    renderer.render(&camera, &place, &mut frame)?;
    let mut picture = colored(scene, &frame, &camera);
    for (pixel, &valid) in picture.pixels.iter_mut().zip(&frame.valid) {
        *pixel = match valid {
            0 => PAPER,
            _ if pale => paler(*pixel),
            _ => *pixel,
        };
    }
    let per_m = camera.pixel_scale() as f32;
    let middle = scene.bounds.center();
    let (picture, [left, top]) = trimmed(&picture, &frame.valid);
    Ok(Drawn {
        picture,
        left_m: middle.x + (left as f32 - 0.5 * width as f32) / per_m,
        top_m: middle.z + (top as f32 - 0.5 * height as f32) / per_m,
        per_m,
    })
}

/// The colours of a frame; of a scene without any, its shape.
pub fn colored(scene: &SceneModel, frame: &Frame, camera: &CameraSpec) -> Picture {
    let colourless = scene.textures.is_empty()
        && scene.meshes.iter().all(|mesh| mesh.colors.is_empty())
        && scene.materials.iter().all(|material| material.base_color == [1.0; 4]);
    match colourless {
        true => Picture::of_shape(frame, camera),
        false => Picture::of_rgb(frame),
    }
}

/// The part of a plan with something on it, and where that part begins.
fn trimmed(picture: &Picture, valid: &[u8]) -> (Picture, [u32; 2]) {
    let width = picture.width.max(1) as usize;
    let (mut low, mut high) = ([u32::MAX; 2], [0; 2]);
    for (index, _) in valid.iter().enumerate().filter(|(_, valid)| **valid != 0) {
        for (axis, at) in [index % width, index / width].into_iter().enumerate() {
            low[axis] = low[axis].min(at as u32);
            high[axis] = high[axis].max(at as u32 + 1);
        }
    }
    if low[0] >= high[0] || low[1] >= high[1] {
        return (picture.clone(), [0, 0]);
    }
    let [left, top] = low.map(|low| low.saturating_sub(MARGIN));
    let right = (high[0] + MARGIN).min(picture.width);
    let bottom = (high[1] + MARGIN).min(picture.height);
    let pixels = (top..bottom).flat_map(|row| {
        let start = row as usize * width;
        picture.pixels[start + left as usize..start + right as usize].iter().copied()
    });
    let part = Picture { width: right - left, height: bottom - top, pixels: pixels.collect() };
    (part, [left, top])
}

/// A colour as paper shows it under lines: paler and with less colour.
fn paler(pixel: [u8; 3]) -> [u8; 3] {
    let [r, g, b] = pixel.map(f32::from);
    let grey = 0.3 * r + 0.59 * g + 0.11 * b;
    [r, g, b].map(|value| {
        let value = grey + 0.6 * (value - grey);
        // Steps of four are not seen, and halve the file.
        (255.0 - 0.62 * (255.0 - value)).clamp(0.0, 255.0) as u8 & 0xfc
    })
}
