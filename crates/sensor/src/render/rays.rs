//! The rays of equirectangular and fisheye images: they depend on the camera alone, and are kept.

use super::lens::TILE;
use crate::{CameraSpec, Projection};
use glam::DVec3;
use std::sync::{Arc, Mutex, PoisonError};

/// Entries a row beyond the image at least: eight pixels can be read from anywhere in it.
const BEYOND: usize = 8;

/// The rays of all pixels of a wide image, one column and row more than it has; zero where a pixel sees
/// nothing.
pub(crate) struct Rays {
    /// Entries a row.
    pub(crate) stride: usize,
    /// One array a coordinate, row by row.
    pub(crate) x: Vec<f64>,
    pub(crate) y: Vec<f64>,
    pub(crate) z: Vec<f64>,
    /// For each tile of pixels, row by row, the directions that its rays have.
    pub(crate) tiles: Vec<Bundle>,
    pub(crate) tiles_x: usize,
}

/// Directions within a distance of one.
#[derive(Clone, Copy)]
pub(crate) struct Bundle {
    pub(crate) middle: DVec3,
    /// The farthest that a ray's end is from the middle; less than 0 where no pixel sees anything.
    pub(crate) radius: f64,
}

impl Rays {
    /// `None` for cameras with plane images.
    pub(crate) fn new(spec: &CameraSpec) -> Option<Self> {
        if !spec.projection.is_wide() {
            return None;
        }
        let (width, height) = (spec.width as usize, spec.height as usize);
        let stride = (width + BEYOND - 1).next_multiple_of(BEYOND);
        let count = stride * (height + 1) + BEYOND;
        let mut rays = Self {
            stride,
            x: vec![0.0; count],
            y: vec![0.0; count],
            z: vec![0.0; count],
            tiles: Vec::new(),
            tiles_x: width.div_ceil(TILE),
        };
        let ray =
            |x: usize, y: usize| spec.wide_ray(x as f64 + 0.5, y as f64 + 0.5).unwrap_or(DVec3::ZERO);
        if spec.projection == Projection::Equirectangular {
            // Sines of columns and of rows are taken once, and multiplied as `wide_ray` does.
            let turns: Vec<[f64; 2]> = (0..=width).map(|x| spec.azimuth(x as f64 + 0.5)).collect();
            for y in 0..=height {
                let [level, high] = spec.elevation(y as f64 + 0.5);
                for (x, [sine, cosine]) in turns.iter().enumerate() {
                    rays.put(x, y, DVec3::new(sine * level, high, -cosine * level));
                }
            }
        } else {
            for y in 0..=height {
                for x in 0..=width {
                    rays.put(x, y, ray(x, y));
                }
            }
        }
        for y in (0..height).step_by(TILE) {
            for x in (0..width).step_by(TILE) {
                let pixels = (y..(y + TILE).min(height))
                    .flat_map(|y| (x..(x + TILE).min(width)).map(move |x| (x, y)));
                rays.tiles.push(Bundle::of(pixels.map(|(x, y)| rays.get(x, y))));
            }
        }
        Some(rays)
    }

    fn put(&mut self, x: usize, y: usize, ray: DVec3) {
        let at = y * self.stride + x;
        (self.x[at], self.y[at], self.z[at]) = (ray.x, ray.y, ray.z);
    }

    /// The ray of a pixel; of one right or below of the image too.
    pub(crate) fn get(&self, x: usize, y: usize) -> DVec3 {
        let at = y * self.stride + x;
        match (self.x.get(at), self.y.get(at), self.z.get(at)) {
            (Some(&x), Some(&y), Some(&z)) => DVec3::new(x, y, z),
            _ => DVec3::ZERO,
        }
    }

    /// Whether a pixel sees anything.
    pub(crate) fn sees(&self, x: usize, y: usize) -> bool {
        self.get(x, y) != DVec3::ZERO
    }
}

impl Bundle {
    fn of(rays: impl Iterator<Item = DVec3> + Clone) -> Self {
        let seeing = rays.filter(|&ray| ray != DVec3::ZERO);
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for ray in seeing.clone() {
            (low, high) = (low.min(ray), high.max(ray));
        }
        let middle = (low + high) * 0.5;
        let radius = seeing.map(|ray| ray.distance(middle)).fold(-1.0, f64::max);
        // Far more than rounding can err.
        Self { middle, radius: radius + 1e-9 }
    }
}

/// What the rays of an image depend on.
#[derive(Clone, Copy, PartialEq)]
struct Key {
    projection: Projection,
    size: [u32; 2],
}

/// The rays of the cameras that were drawn last.
#[derive(Default)]
pub(crate) struct KeptRays(Mutex<Vec<(Key, Arc<Rays>)>>);

impl KeptRays {
    /// As many cameras as a rig has, and more.
    const KEPT: usize = 4;

    /// Those of a camera, made if they are not there.
    pub(crate) fn of(&self, spec: &CameraSpec) -> Option<Arc<Rays>> {
        if !spec.projection.is_wide() {
            return None;
        }
        let key = Key { projection: spec.projection, size: [spec.width, spec.height] };
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = |kept: &mut Vec<(Key, Arc<Rays>)>| {
            let at = kept.iter().position(|(of, _)| *of == key)?;
            // The last used are last, so that the first can go.
            kept[at..].rotate_left(1);
            kept.last().map(|(_, rays)| Arc::clone(rays))
        };
        if let Some(rays) = found(&mut kept()) {
            return Some(rays);
        }
        let made = Arc::new(Rays::new(spec)?);
        let mut kept = kept();
        if found(&mut kept).is_none() {
            if kept.len() == Self::KEPT {
                kept.remove(0);
            }
            kept.push((key, Arc::clone(&made)));
        }
        Some(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rays_are_those_of_the_camera_and_tiles_hold_them() {
        for projection in [
            Projection::Equirectangular,
            Projection::Fisheye { fov_deg: 200.0 },
            Projection::Fisheye { fov_deg: 360.0 },
        ] {
            let spec = CameraSpec { width: 37, height: 21, projection, ..CameraSpec::default() };
            let rays = Rays::new(&spec).expect("a wide camera");
            for y in 0..=21 {
                for x in 0..=37 {
                    let ray = spec.wide_ray(x as f64 + 0.5, y as f64 + 0.5).unwrap_or(DVec3::ZERO);
                    assert_eq!(rays.get(x, y), ray, "{projection:?} at {x}, {y}");
                    if x < 37 && y < 21 && ray != DVec3::ZERO {
                        let tile = rays.tiles[y / TILE * rays.tiles_x + x / TILE];
                        assert!(ray.distance(tile.middle) <= tile.radius);
                    }
                }
            }
        }
    }

    #[test]
    fn rays_of_the_last_cameras_are_kept() {
        let kept = KeptRays::default();
        let spec = |width| CameraSpec {
            width,
            height: 4,
            projection: Projection::Equirectangular,
            ..CameraSpec::default()
        };
        let first = kept.of(&spec(8)).expect("a wide camera");
        for width in 9..12 {
            assert_eq!(kept.of(&spec(width)).expect("a wide camera").tiles_x, 2);
        }
        assert!(Arc::ptr_eq(&first, &kept.of(&spec(8)).expect("a wide camera")));
        for width in 9..13 {
            assert_eq!(kept.of(&spec(width)).expect("a wide camera").tiles_x, 2);
        }
        assert!(!Arc::ptr_eq(&first, &kept.of(&spec(8)).expect("a wide camera")));
        assert!(kept.of(&CameraSpec::default()).is_none());
    }
}
