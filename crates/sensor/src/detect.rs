//! The ground-truth detector: what of the scene's instances a frame shows.

use crate::{CameraSpec, Frame, Projection};
use ambler_geometry::{DVec3, Vec3};
use ambler_scene::SceneModel;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// An instance as one frame shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Detection {
    /// `id` of the instance.
    pub instance: u32,
    /// Its category, index into the scene's list; 0 = unknown.
    pub category: u32,
    /// Pixels that show it.
    pub pixels: u32,
    /// The same as a share of the image, 0 to 1.
    pub share: f32,
    /// Pixels around it: first column, first row, end column, end row, ends excluded.
    pub bbox: [u32; 4],
    /// Median planar depth of its pixels in metres (of an even number the lower of the two in the
    /// middle); 0 where the frame has no depth.
    pub median_depth_m: f32,
    /// Mean of the points that its pixels show, in the camera's frame, metres; zero where the
    /// frame has no depth.
    pub position: Vec3,
}

/// Every instance that at least `min_pixels` pixels of the frame show, by ascending id. `spec` is
/// the camera that drew the frame. Needs the instance image; uses the depth image where there is
/// one. Walls and floors are reported like everything else.
///
/// A threshold given as a share of the image is `min_pixels = ceil(share · width · height)`.
pub fn detect(scene: &SceneModel, frame: &Frame, spec: &CameraSpec, min_pixels: u32) -> Vec<Detection> {
    let mut found = Found::default();
    let rays = Rays::new(spec);
    // In image order, so that the points of each instance are added up in that order.
    found.runs(frame, |shown, y, x, depths| {
        shown.pixels += depths.end - depths.start;
        shown.bbox = [
            shown.bbox[0].min(x),
            shown.bbox[1].min(y),
            shown.bbox[2].max(x + (depths.end - depths.start)),
            shown.bbox[3].max(y + 1),
        ];
        let depths = frame.depth.get(depths.start as usize..depths.end as usize).unwrap_or_default();
        rays.add(shown, spec, x, y, depths);
    });
    // Depths of one instance after the other.
    let mut end = 0;
    for shown in &mut found.list {
        shown.first = end;
        shown.next = end;
        if shown.pixels >= min_pixels {
            end += shown.depths;
        }
    }
    let mut all = vec![0.0_f32; end];
    found.runs(frame, |shown, _, _, depths| {
        if shown.pixels < min_pixels {
            return;
        }
        let depths = frame.depth.get(depths.start as usize..depths.end as usize).unwrap_or_default();
        for &depth in depths.iter().filter(|&&depth| depth > 0.0) {
            if let Some(slot) = all.get_mut(shown.next) {
                *slot = depth;
            }
            shown.next += 1;
        }
    });
    let mut detection = |shown: &Shown| {
        let depths = all.get_mut(shown.first..shown.first + shown.depths).unwrap_or_default();
        let middle = depths.len().saturating_sub(1) / 2;
        let median = match depths {
            [] => 0.0,
            depths => *depths.select_nth_unstable_by(middle, f32::total_cmp).1,
        };
        let mean = if shown.depths == 0 { DVec3::ZERO } else { shown.sum / shown.depths as f64 };
        Detection {
            instance: shown.id,
            category: scene.instance(shown.id).map_or(0, |found| found.category),
            pixels: shown.pixels,
            share: (f64::from(shown.pixels) / frame.pixel_count().max(1) as f64) as f32,
            bbox: shown.bbox,
            median_depth_m: median,
            position: mean.as_vec3(),
        }
    };
    found.list.iter().filter(|shown| shown.pixels >= min_pixels).map(&mut detection).collect()
}

/// Where pixels look, so that their points are found without a division each.
struct Rays {
    scale: f64,
    /// For each column what [`CameraSpec::unproject`] multiplies depth with; none in wide images.
    right: Vec<f64>,
    orthographic: bool,
}

impl Rays {
    fn new(spec: &CameraSpec) -> Self {
        let scale = spec.pixel_scale();
        let width = if spec.projection.is_wide() { 0 } else { spec.width };
        let right = |column| (f64::from(column) + 0.5 - f64::from(spec.width) * 0.5) / scale;
        let orthographic = matches!(spec.projection, Projection::Orthographic { .. });
        Self { scale, right: (0..width).map(right).collect(), orthographic }
    }

    /// Adds the points of neighbouring pixels of a row that begin in column `x`: the same bits as
    /// [`CameraSpec::unproject`] gives.
    fn add(&self, shown: &mut Shown, spec: &CameraSpec, x: u32, y: u32, depths: &[f32]) {
        let row = f64::from(y) + 0.5;
        let up = (f64::from(spec.height) * 0.5 - row) / self.scale;
        let Some(right) = self.right.get(x as usize..x as usize + depths.len()) else {
            for (column, &depth) in depths.iter().enumerate().filter(|(_, depth)| **depth > 0.0) {
                let column = f64::from(x) + column as f64 + 0.5;
                shown.depths += 1;
                shown.sum += spec.unproject_by(self.scale, column, row, f64::from(depth));
            }
            return;
        };
        let mut sum = shown.sum;
        for (&right, &depth) in right.iter().zip(depths) {
            if depth > 0.0 {
                let depth = f64::from(depth);
                shown.depths += 1;
                sum += match self.orthographic {
                    false => DVec3::new(right * depth, up * depth, -depth),
                    true => DVec3::new(right, up, -depth),
                };
            }
        }
        shown.sum = sum;
    }
}

/// What a frame shows of an instance.
struct Shown {
    id: u32,
    pixels: u32,
    bbox: [u32; 4],
    /// Pixels with a depth, and the sum of their points.
    depths: usize,
    sum: DVec3,
    /// Where its depths begin, and where the next one goes.
    first: usize,
    next: usize,
}

/// The instances of a frame by ascending id.
#[derive(Default)]
struct Found {
    list: Vec<Shown>,
}

impl Found {
    /// Calls with each run of neighbouring pixels of one instance, in image order: what is known of the
    /// instance, row, first column, and the pixels' numbers.
    fn runs(&mut self, frame: &Frame, mut each: impl FnMut(&mut Shown, u32, u32, Range<u32>)) {
        let width = frame.width.max(1);
        for (y, row) in (0_u32..).zip(frame.instance.chunks(width as usize)) {
            let mut x = 0;
            for run in row.chunk_by(|a, b| a == b) {
                let (id, count) = (run[0], run.len() as u32);
                if id != 0 {
                    let at = self.list.binary_search_by_key(&id, |shown| shown.id);
                    let at = at.unwrap_or_else(|at| {
                        self.list.insert(at, Shown::new(id));
                        at
                    });
                    let first = y * width + x;
                    each(&mut self.list[at], y, x, first..first + count);
                }
                x += count;
            }
        }
    }
}

impl Shown {
    fn new(id: u32) -> Self {
        let bbox = [u32::MAX, u32::MAX, 0, 0];
        Self { id, pixels: 0, bbox, depths: 0, sum: DVec3::ZERO, first: 0, next: 0 }
    }
}
