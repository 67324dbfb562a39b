//! Point clouds on voxels.

use ambler_geometry::{Aabb, Vec3};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A cloud with at most one point a voxel: the first that fell into it. Points keep the order in which
/// they came, so that everything made from a cloud is the same on every machine.
#[derive(Clone, Debug, Default)]
pub struct Cloud {
    /// Side of a voxel, metres.
    voxel_m: f32,
    points: Vec<Vec3>,
    /// Looked up, never walked through.
    by_voxel: HashMap<u64, u32, BuildHasherDefault<KeyHasher>>,
    bounds: Aabb,
}

impl Cloud {
    /// An empty cloud.
    pub fn new(voxel_m: f32) -> Self {
        Self { voxel_m, bounds: Aabb::EMPTY, ..Self::default() }
    }

    /// A cloud of these points.
    pub fn of(voxel_m: f32, points: impl IntoIterator<Item = Vec3>) -> Self {
        let mut cloud = Self::new(voxel_m);
        points.into_iter().for_each(|point| cloud.add(point));
        cloud
    }

    /// Adds a point where its voxel has none.
    pub fn add(&mut self, point: Vec3) {
        if !point.is_finite() {
            return;
        }
        let next = self.points.len() as u32;
        if let std::collections::hash_map::Entry::Vacant(entry) =
            self.by_voxel.entry(key(voxel(point, self.voxel_m)))
        {
            entry.insert(next);
            self.points.push(point);
            self.bounds.grow(point);
        }
    }

    /// Adds all points of another cloud.
    pub fn merge(&mut self, other: &Self) {
        other.points.iter().for_each(|&point| self.add(point));
    }

    /// The points, in the order in which they came.
    pub fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The box around the points.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Side of a voxel, metres.
    pub fn voxel_m(&self) -> f32 {
        self.voxel_m
    }

    /// The mean of the points.
    pub fn centroid(&self) -> Vec3 {
        let sum = self.points.iter().map(|point| point.as_dvec3()).sum::<ambler_geometry::DVec3>();
        (sum / self.points.len().max(1) as f64).as_vec3()
    }

    /// Whether a point of the cloud lies within a voxel's side of `point`.
    pub fn has_near(&self, point: Vec3) -> bool {
        let reach = self.voxel_m * self.voxel_m;
        let middle = voxel(point, self.voxel_m);
        let near = |offset: [i64; 3]| {
            let at = [middle[0] + offset[0], middle[1] + offset[1], middle[2] + offset[2]];
            self.by_voxel
                .get(&key(at))
                .and_then(|&index| self.points.get(index as usize))
                .is_some_and(|&other| other.distance_squared(point) < reach)
        };
        // Its own voxel first: that is where it mostly is.
        near([0; 3])
            || (-1..=1)
                .flat_map(|x| (-1..=1).flat_map(move |y| (-1..=1).map(move |z| [x, y, z])))
                .any(near)
    }

    /// The share of this cloud's points with a point of `other` within a voxel's side, taken from at most
    /// `most` points. 0 where the boxes do not meet.
    pub fn overlap(&self, other: &Self, most: usize) -> f32 {
        let (a, b) = (self.bounds.inflated(other.voxel_m), other.bounds);
        if self.is_empty() || !(a.min.cmple(b.max).all() && b.min.cmple(a.max).all()) {
            return 0.0;
        }
        let reach = b.inflated(other.voxel_m);
        let step = self.points.len().div_ceil(most.max(1)).max(1);
        let (mut near, mut all) = (0_u32, 0_u32);
        for &point in self.points.iter().step_by(step) {
            all += 1;
            near += u32::from(reach.contains(point) && other.has_near(point));
        }
        near as f32 / all as f32
    }

    /// What a clean-up by density leaves (DBSCAN): points in clusters, of which only those with at least
    /// `share` of the largest one's points are kept. `eps_m` is the neighbourhood, `least` the points in it
    /// (the point itself counted) from which on it is dense.
    pub fn cleaned(&self, eps_m: f32, least: usize, share: f32) -> Self {
        let (clusters, sizes) = self.clusters(eps_m, least);
        let largest = sizes.iter().copied().max().unwrap_or(0) as f32;
        let kept = self.points.iter().zip(&clusters).filter(|&(_, &cluster)| {
            cluster > 0 && sizes.get(cluster as usize).is_some_and(|&s| s as f32 >= share * largest)
        });
        Self::of(self.voxel_m, kept.map(|(&point, _)| point))
    }

    /// Cluster of each point, from 1, 0 for noise; and points in each.
    fn clusters(&self, eps_m: f32, least: usize) -> (Vec<u32>, Vec<usize>) {
        let mut cells: HashMap<u64, Vec<u32>, BuildHasherDefault<KeyHasher>> = HashMap::default();
        for (index, &point) in self.points.iter().enumerate() {
            cells.entry(key(voxel(point, eps_m))).or_default().push(index as u32);
        }
        let near = |index: u32, out: &mut Vec<u32>| {
            out.clear();
            let point = self.points[index as usize];
            let [x, y, z] = voxel(point, eps_m);
            for dx in -1..=1 {
                for dy in -1..=1 {
                    for dz in -1..=1 {
                        let cell = cells.get(&key([x + dx, y + dy, z + dz]));
                        out.extend(cell.into_iter().flatten().copied().filter(|&other| {
                            self.points[other as usize].distance_squared(point) <= eps_m * eps_m
                        }));
                    }
                }
            }
        };
        let mut cluster = vec![0_u32; self.points.len()];
        let mut seen = vec![false; self.points.len()];
        let mut sizes = vec![0];
        let (mut neighbours, mut stack) = (Vec::new(), Vec::new());
        for start in 0..self.points.len() as u32 {
            if seen[start as usize] {
                continue;
            }
            seen[start as usize] = true;
            near(start, &mut neighbours);
            if neighbours.len() < least {
                continue;
            }
            let label = sizes.len() as u32;
            let mut size = 0;
            stack.push(start);
            if cluster[start as usize] == 0 {
                cluster[start as usize] = label;
                size += 1;
            }
            while let Some(index) = stack.pop() {
                near(index, &mut neighbours);
                if neighbours.len() < least {
                    continue;
                }
                for &other in &neighbours {
                    if cluster[other as usize] == 0 {
                        cluster[other as usize] = label;
                        size += 1;
                    }
                    if !seen[other as usize] {
                        seen[other as usize] = true;
                        stack.push(other);
                    }
                }
            }
            sizes.push(size);
        }
        (cluster, sizes)
    }
}

/// A cloud as it is saved: points alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Points(pub Vec<[f32; 3]>);

fn voxel(point: Vec3, side: f32) -> [i64; 3] {
    let at = point.as_dvec3() / f64::from(side);
    [at.x.floor() as i64, at.y.floor() as i64, at.z.floor() as i64]
}

/// 21 bits an axis: a voxel of 1 cm reaches 10 km.
fn key([x, y, z]: [i64; 3]) -> u64 {
    let part = |value: i64| (value & 0x1F_FFFF) as u64;
    part(x) | part(y) << 21 | part(z) << 42
}

/// Mixes the bits of a voxel's key. Only looked up, so that its values decide nothing.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }
    fn write_u64(&mut self, value: u64) {
        let mixed = (self.0 ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

/// Shared volume over joint volume of two boxes, 0 to 1.
pub fn box_iou(a: &Aabb, b: &Aabb) -> f32 {
    let volume = |size: Vec3| f64::from(size.x) * f64::from(size.y) * f64::from(size.z);
    let shared = Aabb { min: a.min.max(b.min), max: a.max.min(b.max) };
    let shared = volume(shared.size());
    let joint = volume(a.size()) + volume(b.size()) - shared;
    if joint > 0.0 { (shared / joint) as f32 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(x: f32, count: i32) -> Vec<Vec3> {
        (0..count)
            .flat_map(|i| (0..20).map(move |j| Vec3::new(x + i as f32 * 0.025, 0.0, j as f32 * 0.025)))
            .map(|point| point + Vec3::splat(0.0125))
            .collect()
    }

    #[test]
    fn overlap_is_the_share_of_points_with_a_near_one() {
        let whole = Cloud::of(0.025, sheet(0.0, 40));
        let half_off = Cloud::of(0.025, sheet(0.75, 20));
        assert_eq!(half_off.overlap(&whole, usize::MAX), 0.5);
        assert_eq!(whole.overlap(&whole, 100), 1.0);
        assert_eq!(Cloud::of(0.025, sheet(9.0, 5)).overlap(&whole, 100), 0.0);
    }

    #[test]
    fn clean_up_drops_lone_points_and_small_clusters() {
        let mut points = sheet(0.0, 20);
        points.push(Vec3::new(3.0, 0.0, 0.0));
        points.extend(sheet(1.5, 3));
        let cloud = Cloud::of(0.025, points);
        // The narrow strip loses its corners, whose neighbourhoods hold too few points.
        let kept = cloud.cleaned(0.051, 10, 0.0).len();
        assert!((440..=460).contains(&kept), "{kept}");
        assert_eq!(cloud.cleaned(0.051, 10, 1.0).len(), 400);
    }

    #[test]
    fn boxes_that_share_a_third() {
        let a = Aabb { min: Vec3::ZERO, max: Vec3::ONE };
        let b = Aabb { min: Vec3::new(0.5, 0.0, 0.0), max: Vec3::new(1.5, 1.0, 1.0) };
        assert!((box_iou(&a, &b) - 1.0 / 3.0).abs() < 1e-6);
        assert_eq!(box_iou(&a, &Aabb::EMPTY), 0.0);
    }
}
