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
    pub(crate) table: Table,
    /// For each tile of pixels, row by row, the directions that its rays have.
    pub(crate) tiles: Vec<Bundle>,
    pub(crate) tiles_x: usize,
}

pub(crate) enum Table {
    /// Equirectangular: x is a column's `sine` times a row's `level`, z its `back` times that, y a row's
    /// `high`.
    Turns { sine: Vec<f64>, back: Vec<f64>, level: Vec<f64>, high: Vec<f64> },
    /// Fisheye: one array a coordinate, row by row, each of `stride` entries.
    All { stride: usize, x: Vec<f64>, y: Vec<f64>, z: Vec<f64> },
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
        let middle = |pixel: usize| pixel as f64 + 0.5;
        let table = if spec.projection == Projection::Equirectangular {
            let turns = (0..stride).map(|x| spec.azimuth(middle(x)));
            let (sine, back) = turns.map(|[sine, cosine]| (sine, -cosine)).unzip();
            let rows = (0..=height).map(|y| spec.elevation(middle(y)));
            let (level, high) = rows.map(|[level, high]| (level, high)).unzip();
            Table::Turns { sine, back, level, high }
        } else {
            let count = stride * (height + 1) + BEYOND;
            let [mut x, mut y, mut z] = [vec![0.0; count], vec![0.0; count], vec![0.0; count]];
            for row in 0..=height {
                for column in 0..=width {
                    let ray = spec.wide_ray(middle(column), middle(row)).unwrap_or(DVec3::ZERO);
                    let at = row * stride + column;
                    (x[at], y[at], z[at]) = (ray.x, ray.y, ray.z);
                }
            }
            Table::All { stride, x, y, z }
        };
        let mut rays = Self { table, tiles: Vec::new(), tiles_x: width.div_ceil(TILE) };
        for y in (0..height).step_by(TILE) {
            for x in (0..width).step_by(TILE) {
                let pixels = (y..(y + TILE).min(height))
                    .flat_map(|y| (x..(x + TILE).min(width)).map(move |x| (x, y)));
                rays.tiles.push(Bundle::of(pixels.map(|(x, y)| rays.get(x, y))));
            }
        }
        Some(rays)
    }

    /// The ray of a pixel; of one right or below of the image too.
    #[inline]
    pub(crate) fn get(&self, column: usize, row: usize) -> DVec3 {
        let found = match &self.table {
            Table::Turns { sine, back, level, high } => {
                match (sine.get(column), back.get(column), level.get(row), high.get(row)) {
                    (Some(sine), Some(back), Some(level), Some(&high)) => {
                        Some(DVec3::new(sine * level, high, back * level))
                    }
                    _ => None,
                }
            }
            Table::All { stride, x, y, z } => {
                let at = row * stride + column;
                match (x.get(at), y.get(at), z.get(at)) {
                    (Some(&x), Some(&y), Some(&z)) => Some(DVec3::new(x, y, z)),
                    _ => None,
                }
            }
        };
        found.unwrap_or(DVec3::ZERO)
    }

    /// The rays of `N` pixels of a row.
    #[inline(always)]
    pub(crate) fn several<const N: usize>(&self, column: usize, row: usize) -> Option<Several<'_, N>> {
        match &self.table {
            Table::Turns { sine, back, level, high } => Some(Several::Turns {
                sine: sine.get(column..)?.first_chunk()?,
                back: back.get(column..)?.first_chunk()?,
                level: *level.get(row)?,
                high: *high.get(row)?,
            }),
            Table::All { stride, x, y, z } => {
                let at = row * stride + column;
                Some(Several::All(
                    x.get(at..)?.first_chunk()?,
                    y.get(at..)?.first_chunk()?,
                    z.get(at..)?.first_chunk()?,
                ))
            }
        }
    }

    /// Rays that take memory.
    fn count(&self) -> usize {
        match &self.table {
            Table::Turns { sine, level, .. } => sine.len() + level.len(),
            Table::All { x, .. } => x.len(),
        }
    }

    /// Whether a pixel sees anything.
    pub(crate) fn sees(&self, x: usize, y: usize) -> bool {
        matches!(self.table, Table::Turns { .. }) || self.get(x, y) != DVec3::ZERO
    }
}

/// The rays of some pixels of a row.
pub(crate) enum Several<'a, const N: usize> {
    Turns { sine: &'a [f64; N], back: &'a [f64; N], level: f64, high: f64 },
    All(&'a [f64; N], &'a [f64; N], &'a [f64; N]),
}

impl<const N: usize> Several<'_, N> {
    /// One of them.
    #[inline(always)]
    pub(crate) fn get(&self, k: usize) -> [f64; 3] {
        match self {
            Self::Turns { sine, back, level, high } => [sine[k] * level, *high, back[k] * level],
            Self::All(x, y, z) => [x[k], y[k], z[k]],
        }
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

/// The rays of the cameras that were drawn last, as far as they are worth their memory.
pub(crate) struct KeptRays {
    kept: Mutex<Vec<(Key, Arc<Rays>)>>,
    /// Rays that are kept, at most.
    most: usize,
}

impl Default for KeptRays {
    /// Rays of an image of 2048 × 2048 pixels, 100 MB.
    fn default() -> Self {
        Self { kept: Mutex::default(), most: 4_400_000 }
    }
}

impl KeptRays {
    /// As many cameras as a rig has, and more.
    const CAMERAS: usize = 8;

    /// Those of a camera, made if they are not there.
    pub(crate) fn of(&self, spec: &CameraSpec) -> Option<Arc<Rays>> {
        if !spec.projection.is_wide() {
            return None;
        }
        let key = Key { projection: spec.projection, size: [spec.width, spec.height] };
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
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
        if found(&mut kept).is_none() && made.count() <= self.most {
            kept.push((key, Arc::clone(&made)));
            while kept.len() > Self::CAMERAS
                || kept.iter().map(|(_, rays)| rays.count()).sum::<usize>() > self.most
            {
                kept.remove(0);
            }
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
    fn rays_of_the_last_cameras_are_kept_as_far_as_there_is_room() {
        let kept = KeptRays { most: 1000, ..KeptRays::default() };
        let spec =
            |projection, width| CameraSpec { width, height: 7, projection, ..CameraSpec::default() };
        let round = |width| spec(Projection::Equirectangular, width);
        let fisheye = |width| spec(Projection::Fisheye { fov_deg: 180.0 }, width);
        let made = |spec: &CameraSpec| kept.of(spec).expect("a wide camera");
        let first = made(&round(8));
        (9..16).for_each(|width| drop(made(&round(width))));
        assert!(Arc::ptr_eq(&first, &made(&round(8))));
        (9..17).for_each(|width| drop(made(&round(width))));
        assert!(!Arc::ptr_eq(&first, &made(&round(8))));
        // 48 · 8 + 8 rays each: there is room for two.
        let [a, b] = [made(&fisheye(40)), made(&fisheye(41))];
        assert!(Arc::ptr_eq(&b, &made(&fisheye(41))) && Arc::ptr_eq(&a, &made(&fisheye(40))));
        drop(made(&fisheye(39)));
        assert!(!Arc::ptr_eq(&b, &made(&fisheye(41))));
        // One alone that is too large is not.
        let large = made(&fisheye(200));
        assert!(!Arc::ptr_eq(&large, &made(&fisheye(200))));
        assert!(kept.of(&CameraSpec::default()).is_none());
    }
}
