//! Stage 5: the surfaces of receptacles, by the paper's Algorithm 1.

mod fit;
mod room;
mod split;

pub use room::{Headroom, Solid};

use crate::cloud::Cloud;
use crate::convex;
use crate::settings::PlaneSettings;
use ambler_geometry::{Vec2, Vec3};
use fit::Plane;
use serde::{Deserialize, Serialize};

/// A level surface of a receptacle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReceptaclePlane {
    /// Convex outline (x, z), counter-clockwise seen from above, metres.
    pub outline: Vec<Vec2>,
    /// Height in the middle of the outline, metres.
    pub y: f32,
    /// Upward normal, length 1.
    pub normal: Vec3,
    /// Points that lie on it.
    pub points: u32,
}

impl ReceptaclePlane {
    /// Area of the outline seen from above, m².
    pub fn area_m2(&self) -> f64 {
        convex::signed_area(&self.outline)
    }

    /// Mean of the outline's corners.
    pub fn middle(&self) -> Vec2 {
        self.outline.iter().sum::<Vec2>() / self.outline.len().max(1) as f32
    }

    /// Height at (x, z).
    pub fn y_at(&self, at: Vec2) -> f32 {
        let from = at - self.middle();
        self.y - (self.normal.x * from.x + self.normal.z * from.y) / self.normal.y
    }
}

/// The planes of a receptacle's points, highest first. Algorithm 1 finds each several times, as its slabs
/// overlap by half; the copies are merged here, which the paper does not write.
pub fn planes(cloud: &Cloud, settings: &PlaneSettings) -> Vec<ReceptaclePlane> {
    let found = algorithm_1(cloud, settings);
    let mut found: Vec<Found> = found.into_iter().map(|found| refined(cloud, found, settings)).collect();
    // Of copies the one with most points stays.
    found.sort_by(|a, b| {
        b.members.len().cmp(&a.members.len()).then(a.plane.offset.total_cmp(&b.plane.offset))
    });
    let mut kept: Vec<Found> = Vec::new();
    for candidate in found {
        if !kept.iter().any(|other| same(cloud, other, &candidate, settings)) {
            kept.push(candidate);
        }
    }
    let mut planes: Vec<ReceptaclePlane> = Vec::new();
    for plane in kept.iter().flat_map(|found| outlines(cloud, found, settings)) {
        // Soft tops give planes a little above each other: the one with most points stays.
        let lies_over = |other: &ReceptaclePlane| {
            let common = convex::common_area(&plane.outline, &other.outline);
            let smaller = plane.area_m2().min(other.area_m2());
            (plane.y_at(plane.middle()) - other.y_at(plane.middle())).abs() < settings.thickness_m
                && common > OVER * smaller
        };
        if !planes.iter().any(lies_over) {
            planes.push(plane);
        }
    }
    planes.sort_by(|a, b| b.y.total_cmp(&a.y).then(b.area_m2().total_cmp(&a.area_m2())));
    planes
}

/// An outline with more than this share over another one's, at nearly its height, is left out.
const OVER: f64 = 0.25;

struct Found {
    plane: Plane,
    /// Numbers of points, ascending.
    members: Vec<u32>,
}

/// Algorithm 1 as printed, level planes only: every slab that ends in one.
fn algorithm_1(cloud: &Cloud, settings: &PlaneSettings) -> Vec<Found> {
    let points = cloud.points();
    let mut by_height: Vec<u32> = (0..points.len() as u32).collect();
    let height = |index: u32| points[index as usize].y;
    by_height.sort_by(|&a, &b| height(a).total_cmp(&height(b)).then(a.cmp(&b)));
    let least = least_points(cloud, settings);
    let thickness = settings.thickness_m.max(1e-3);
    let (Some(&lowest), Some(&highest)) = (by_height.first(), by_height.last()) else {
        return Vec::new();
    };
    let (low, high) = (height(lowest), height(highest));
    let mut found = Vec::new();
    let steps = ((high - low) / (0.5 * thickness)) as u32;
    for step in 0..=steps {
        let h = low + step as f32 * 0.5 * thickness;
        let begin = by_height.partition_point(|&index| height(index) < h);
        let end = by_height.partition_point(|&index| height(index) <= h + thickness);
        let mut members: Vec<u32> = by_height.get(begin..end).unwrap_or_default().to_vec();
        if members.len() < least {
            continue;
        }
        members.sort_unstable();
        let mut last = None;
        for _ in 0..settings.rounds.max(1) {
            let Some(plane) = fit::fit(members.iter().map(|&index| points[index as usize])) else {
                break;
            };
            let near =
                |&index: &u32| plane.distance(points[index as usize]).abs() <= f64::from(thickness);
            let gathered: Vec<u32> = (0..points.len() as u32).filter(near).collect();
            let shared = common(&gathered, &members);
            last = Some(plane);
            if shared as f32 >= settings.convergence * members.len() as f32 {
                break;
            }
            members = gathered;
        }
        if let Some(plane) = last.filter(|plane| plane.normal.y > f64::from(settings.level_cos))
            && members.len() >= least
        {
            found.push(Found { plane, members });
        }
    }
    found
}

/// ρ_min for this cloud: as many points as asked for at 1 cm, for its voxels, or the share of all.
fn least_points(cloud: &Cloud, settings: &PlaneSettings) -> usize {
    let scale = f64::from(0.01 / cloud.voxel_m()).powi(2);
    let count = (f64::from(settings.least_points) * scale).ceil();
    let share = (f64::from(settings.least_share) * cloud.len() as f64).ceil();
    // A large piece of furniture may carry a small shelf: the share never asks for more than a plane of
    // a quarter of a square metre has.
    let most = 0.25 / f64::from(cloud.voxel_m()).powi(2);
    count.max(share.min(most)) as usize
}

/// Numbers that two ascending lists share.
fn common(a: &[u32], b: &[u32]) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        count += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    count
}

/// The plane moved to the height at which most of its points lie, with the points near it: edges and
/// aprons below a table top, and flat things on it, pull a thick slab's fit away.
fn refined(cloud: &Cloud, mut found: Found, settings: &PlaneSettings) -> Found {
    let half = f64::from(settings.refine_m);
    if !(half > 0.0) {
        return found;
    }
    let points = cloud.points();
    for _ in 0..2 {
        let reach = f64::from(settings.thickness_m);
        let layers = (2.0 * reach / (half * 0.5)).ceil() as usize + 1;
        let mut counts = vec![0_u32; layers];
        let layer = |point: Vec3| {
            let at = (found.plane.distance(point) + reach) / (half * 0.5);
            (at >= 0.0 && at < layers as f64).then_some(at as usize)
        };
        for &point in points {
            if let Some(layer) = layer(point) {
                counts[layer] += 1;
            }
        }
        let sums = |index: usize| counts[index..(index + 2).min(layers)].iter().sum::<u32>();
        // Of equal peaks the upper one.
        let Some(peak) = (0..layers).max_by_key(|&index| (sums(index), index)) else { return found };
        let shift = (peak as f64 + 1.0) * half * 0.5 - reach;
        let moved = Plane { offset: found.plane.offset + shift, ..found.plane };
        let near =
            |plane: Plane| move |index: &u32| plane.distance(points[*index as usize]).abs() <= half;
        let members: Vec<u32> = (0..points.len() as u32).filter(near(moved)).collect();
        let Some(plane) = fit::fit(members.iter().map(|&index| points[index as usize])) else {
            return found;
        };
        if !(plane.normal.y > f64::from(settings.level_cos)) {
            return found;
        }
        let members: Vec<u32> = (0..points.len() as u32).filter(near(plane)).collect();
        if members.len() < 3 {
            return found;
        }
        found = Found { plane, members };
    }
    found
}

/// Whether two finds are one plane: normals and heights agree.
fn same(cloud: &Cloud, a: &Found, b: &Found, settings: &PlaneSettings) -> bool {
    let cos = libm::cos(f64::from(settings.same_angle_deg).to_radians());
    let middle = |found: &Found| {
        let sum: Vec3 = found.members.iter().map(|&index| cloud.points()[index as usize]).sum();
        sum / found.members.len().max(1) as f32
    };
    let at = middle(b);
    let gap = (a.plane.y_at(f64::from(at.x), f64::from(at.z)) - f64::from(at.y)).abs();
    a.plane.normal.dot(b.plane.normal) >= cos && gap < f64::from(settings.thickness_m)
}

/// The outlines of a find: one, or several where one would lie over nothing.
fn outlines(cloud: &Cloud, found: &Found, settings: &PlaneSettings) -> Vec<ReceptaclePlane> {
    let members: Vec<Vec2> = found
        .members
        .iter()
        .filter_map(|&index| cloud.points().get(index as usize))
        .map(|point| Vec2::new(point.x, point.z))
        .collect();
    let groups = if settings.fill_least > 0.0 {
        split::split(&members, settings.fill_least, cloud.voxel_m())
    } else {
        vec![members]
    };
    groups
        .into_iter()
        .filter_map(|group| {
            let outline = convex::hull(&group);
            let middle = outline.iter().sum::<Vec2>() / outline.len().max(1) as f32;
            let plane = ReceptaclePlane {
                y: found.plane.y_at(f64::from(middle.x), f64::from(middle.y)) as f32,
                normal: found.plane.normal.as_vec3(),
                points: group.len() as u32,
                outline,
            };
            let large = plane.area_m2() >= f64::from(settings.least_area_m2)
                && convex::width(&plane.outline) >= settings.least_side_m;
            large.then_some(plane)
        })
        .collect()
}

#[cfg(test)]
mod tests;
