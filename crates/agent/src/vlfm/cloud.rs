use crate::eyes::surface;
use crate::mapping::cone::Cone;
use crate::mapping::map::View;
use ambler_geometry::Vec3;
use ambler_model::Detected;
use std::collections::BTreeMap;

/// The detector's range, metres.
pub(super) const RANGE_M: f32 = 5.0;
/// Points beyond this share of the range are provisional.
const FAR_SHARE: f32 = 0.95;
/// Things nearer than this are not entered: too little of them is in the image.
const NEAR_M: f32 = 1.0;
/// Masks shrink by so many pixels, as long as this share of them is left.
const SHRINK_PX: u32 = 5;
const LEFT_SHARE: f32 = 0.5;
/// Most points of one detection.
const MOST_POINTS: usize = 1000;
/// Clusters: points within this distance of each other, metres.
const CLUSTER_M: f32 = 0.2;
/// A tenth of the points within that distance make a core of a cluster, at most so many.
const CORE: usize = 100;

/// Where the goal was seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Cloud {
    points: Vec<Point>,
    detections: u32,
}

#[derive(Clone, Copy, Debug)]
struct Point {
    at: Vec3,
    /// From where it was seen, in plan.
    from: (f32, f32),
    /// The detection that it came from, where that may have been an error.
    provisional: Option<u32>,
}

impl Cloud {
    pub(super) fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.points.clear();
    }

    /// The points that count: the certain ones if there are any.
    pub(super) fn points(&self) -> Vec<Vec3> {
        self.counting().map(|point| point.at).collect()
    }

    fn counting(&self) -> impl Iterator<Item = &Point> {
        let certain = !self.is_provisional();
        self.points.iter().filter(move |point| !certain || point.provisional.is_none())
    }

    /// Whether nothing but provisional points is known.
    pub(super) fn is_provisional(&self) -> bool {
        self.points.iter().all(|point| point.provisional.is_some())
    }

    /// Enters a detection.
    pub(super) fn add(&mut self, view: &View<'_>, thing: &Detected) {
        let shrunk = shrink(thing, view.frame.width, view.frame.height);
        let found = surface(view, thing, MOST_POINTS, |column, row| {
            shrunk.get((row * view.frame.width + column) as usize).is_none_or(|kept| *kept)
        });
        let found = largest_cluster(found);
        let nearest = found.iter().map(|(_, depth)| *depth).fold(f32::INFINITY, f32::min);
        // Near things that are small in the image are all of what they are.
        let whole = !touches_border(thing.bbox, view.frame.width, view.frame.height);
        if found.is_empty() || (nearest < NEAR_M && !whole) {
            return;
        }
        self.detections += 1;
        let aside = is_aside(thing.bbox, view.frame.width);
        for (at, depth) in found {
            let provisional = (aside || depth > FAR_SHARE * RANGE_M).then_some(self.detections);
            let from = (view.position.x, view.position.z);
            self.points.push(Point { at, from, provisional });
        }
    }

    /// Takes back provisional detections whose spot is in view from near: had it been there, it would
    /// have been seen again.
    pub(super) fn doubt(&mut self, cone: &Cone) {
        let seen_again = |point: &Point| {
            let (dx, dz) = (point.at.x - cone.at.0, point.at.z - cone.at.1);
            let near = dx * dx + dz * dz < 0.25 * RANGE_M * RANGE_M;
            point.provisional.filter(|_| near && cone.sees(point.at.x, point.at.z).is_some())
        };
        let gone: Vec<u32> = self.points.iter().filter_map(seen_again).collect();
        self.points.retain(|point| point.provisional.is_none_or(|id| !gone.contains(&id)));
    }

    /// The point that counts and is nearest to a place in plan, and from where it was seen.
    pub(super) fn nearest(&self, x: f32, z: f32) -> Option<(Vec3, (f32, f32))> {
        let apart = |p: &Vec3| (p.x - x) * (p.x - x) + (p.z - z) * (p.z - z);
        let points = self.counting().map(|point| (point.at, point.from));
        points.min_by(|a, b| apart(&a.0).total_cmp(&apart(&b.0)))
    }
}

/// Whether a box touches the left or right border of the image (within 5 %).
fn touches_border([x0, y0, x1, y1]: [u32; 4], width: u32, height: u32) -> bool {
    let (w, h) = (width / 20, height / 20);
    x0 <= w || x1 + w >= width || y0 <= h || y1 + h >= height
}

/// Whether a box lies wholly in an outer third of the image and touches its border (within 5 %).
fn is_aside([x0, _, x1, _]: [u32; 4], width: u32) -> bool {
    let third = width / 3;
    let margin = width / 20;
    (x1 <= third && x0 <= margin) || (x0 >= width - third && x1 + margin >= width)
}

/// The pixels of a mask that are left when its border is taken off, row by row of the image; empty for
/// boxes.
fn shrink(thing: &Detected, width: u32, height: u32) -> Vec<bool> {
    let Some(mask) = &thing.mask else { return Vec::new() };
    let mut bits = mask.bits.clone();
    let all = thing.pixels() as f32;
    let (w, h) = (width as usize, height as usize);
    let [x0, y0, x1, y1] = thing.bbox.map(|side| side as usize);
    for _ in 0..SHRINK_PX {
        let old = bits.clone();
        let at = |x: usize, y: usize| x < w && y < h && old.get(y * w + x) == Some(&true);
        let mut left = 0;
        for y in y0..y1.min(h) {
            for x in x0..x1.min(w) {
                let inside = at(x, y)
                    && at(x.wrapping_sub(1), y)
                    && at(x + 1, y)
                    && at(x, y.wrapping_sub(1))
                    && at(x, y + 1);
                bits[y * w + x] = inside;
                left += u32::from(inside);
            }
        }
        if (left as f32) < LEFT_SHARE * all {
            return old;
        }
    }
    bits
}

/// DBSCAN: the points of the largest cluster, in their order.
fn largest_cluster(points: Vec<(Vec3, f32)>) -> Vec<(Vec3, f32)> {
    let count = points.len();
    let least = (count / 10).clamp(1, CORE);
    let bin = |p: Vec3| [p.x, p.y, p.z].map(|v| (v / CLUSTER_M).floor() as i32);
    let mut bins: BTreeMap<[i32; 3], Vec<usize>> = BTreeMap::new();
    for (index, &(point, _)) in points.iter().enumerate() {
        bins.entry(bin(point)).or_default().push(index);
    }
    let neighbours = |index: usize| -> Vec<usize> {
        let (point, _) = points[index];
        let [x, y, z] = bin(point);
        let mut near = Vec::new();
        for dx in -1..=1 {
            for dy in -1..=1 {
                for dz in -1..=1 {
                    let list = bins.get(&[x + dx, y + dy, z + dz]).map_or(&[][..], Vec::as_slice);
                    near.extend(list.iter().copied().filter(|&other| {
                        (points[other].0 - point).length_squared() <= CLUSTER_M * CLUSTER_M
                    }));
                }
            }
        }
        near
    };
    let mut cluster = vec![0_u32; count];
    let mut sizes = vec![0_usize];
    for first in 0..count {
        if cluster[first] != 0 {
            continue;
        }
        let near = neighbours(first);
        if near.len() < least {
            continue;
        }
        let id = sizes.len() as u32;
        sizes.push(1);
        cluster[first] = id;
        let mut open = near;
        while let Some(index) = open.pop() {
            if cluster[index] != 0 {
                continue;
            }
            cluster[index] = id;
            sizes[id as usize] += 1;
            let near = neighbours(index);
            if near.len() >= least {
                open.extend(near.into_iter().filter(|&i| cluster[i] == 0));
            }
        }
    }
    let best = (1..sizes.len()).max_by_key(|&id| (sizes[id], std::cmp::Reverse(id)));
    let Some(best) = best else { return Vec::new() };
    points
        .into_iter()
        .zip(cluster)
        .filter(|&(_, id)| id as usize == best)
        .map(|(point, _)| point)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambler_model::Mask;
    use ambler_sensor::{CameraSpec, Frame};

    const SIDE: u32 = 60;

    fn spec() -> CameraSpec {
        CameraSpec { width: SIDE, height: SIDE, ..CameraSpec::default() }
    }

    fn thing([x0, y0, x1, y1]: [u32; 4]) -> Detected {
        let bits = (0..SIDE * SIDE)
            .map(|i| (x0..x1).contains(&(i % SIDE)) && (y0..y1).contains(&(i / SIDE)))
            .collect();
        let mask = Some(Mask { width: SIDE, bits });
        Detected { label: "x".into(), score: 1.0, bbox: [x0, y0, x1, y1], mask, instance: None }
    }

    /// Everything at one depth.
    fn cloud_at(depth: f32, bbox: [u32; 4]) -> (Cloud, CameraSpec, Frame) {
        let spec = spec();
        let pixels = (SIDE * SIDE) as usize;
        let frame = Frame { width: SIDE, height: SIDE, depth: vec![depth; pixels], ..Frame::default() };
        let mut cloud = Cloud::default();
        let view = View { frame: &frame, spec: &spec, position: Vec3::ZERO, yaw: 0.0, tilt_rad: 0.0 };
        cloud.add(&view, &thing(bbox));
        (cloud, spec, frame)
    }

    #[test]
    fn far_and_cut_off_detections_are_provisional() {
        assert!(!cloud_at(3.0, [25, 25, 35, 35]).0.is_provisional());
        assert!(cloud_at(4.8, [25, 25, 35, 35]).0.is_provisional());
        assert!(cloud_at(3.0, [0, 25, 15, 35]).0.is_provisional());
        assert!(!cloud_at(3.0, [6, 25, 15, 35]).0.is_provisional(), "off the border");
        // Nearer than a metre and cut off by the border.
        assert!(cloud_at(0.8, [20, 0, 40, 60]).0.is_empty());
        assert!(!cloud_at(0.8, [25, 25, 35, 35]).0.is_empty());
    }

    #[test]
    fn what_was_provisional_goes_when_its_spot_is_seen_from_near() {
        let (mut cloud, spec, frame) = cloud_at(4.8, [25, 25, 35, 35]);
        let cone_from = |z: f32| {
            let position = Vec3::new(0.0, 0.0, z);
            Cone::of(&View { frame: &frame, spec: &spec, position, yaw: 0.0, tilt_rad: 0.0 }, RANGE_M)
                .unwrap()
        };
        cloud.doubt(&cone_from(0.0));
        assert!(!cloud.is_empty(), "2.5 m is near");
        cloud.doubt(&cone_from(-2.5));
        assert!(cloud.is_empty());
        let (mut certain, ..) = cloud_at(3.0, [25, 25, 35, 35]);
        certain.doubt(&cone_from(-1.0));
        assert!(!certain.is_empty());
    }

    #[test]
    fn the_largest_cluster_is_kept() {
        let near = (0..40).map(|i| (Vec3::new(0.01 * i as f32, 0.0, -2.0), 2.0));
        let far = (0..20).map(|i| (Vec3::new(0.01 * i as f32, 0.0, -4.0), 4.0));
        let kept = largest_cluster(far.chain(near).collect());
        assert_eq!(kept.len(), 40);
        assert!(kept.iter().all(|(point, _)| point.z == -2.0));
        assert!(largest_cluster(Vec::new()).is_empty());
        assert_eq!(largest_cluster(vec![(Vec3::ZERO, 1.0)]).len(), 1);
    }
}
