//! The ground-truth detector: what of the scene's instances a frame shows.

use crate::{CameraSpec, Frame};
use ambler_geometry::{DVec3, Vec3};
use ambler_scene::SceneModel;
use serde::{Deserialize, Serialize};

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
    let width = frame.width.max(1) as usize;
    // Pixels by instance: sorted, so that each instance is one run, in image order.
    let mut pixels: Vec<(u32, u32)> = frame
        .instance
        .iter()
        .enumerate()
        .filter(|&(_, &id)| id != 0)
        .map(|(pixel, &id)| (id, pixel as u32))
        .collect();
    pixels.sort_unstable();
    let mut depths = Vec::new();
    pixels
        .chunk_by(|a, b| a.0 == b.0)
        .filter(|run| run.len() as u64 >= u64::from(min_pixels))
        .filter_map(|run| {
            let &(instance, _) = run.first()?;
            let mut bbox = [u32::MAX, u32::MAX, 0, 0];
            let mut sum = DVec3::ZERO;
            depths.clear();
            for &(_, pixel) in run {
                let (x, y) = (pixel as usize % width, pixel as usize / width);
                bbox = [
                    bbox[0].min(x as u32),
                    bbox[1].min(y as u32),
                    bbox[2].max(x as u32 + 1),
                    bbox[3].max(y as u32 + 1),
                ];
                let depth = frame.depth.get(pixel as usize).copied().unwrap_or(0.0);
                if depth > 0.0 {
                    depths.push(depth);
                    sum += spec.unproject(x as f64 + 0.5, y as f64 + 0.5, f64::from(depth));
                }
            }
            depths.sort_unstable_by(f32::total_cmp);
            let median = depths.get(depths.len().saturating_sub(1) / 2).copied().unwrap_or(0.0);
            let mean = if depths.is_empty() { DVec3::ZERO } else { sum / depths.len() as f64 };
            Some(Detection {
                instance,
                category: scene.instance(instance).map_or(0, |found| found.category),
                pixels: run.len() as u32,
                share: (run.len() as f64 / frame.pixel_count().max(1) as f64) as f32,
                bbox,
                median_depth_m: median,
                position: mean.as_vec3(),
            })
        })
        .collect()
}
