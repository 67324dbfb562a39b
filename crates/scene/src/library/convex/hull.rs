use ambler_geometry::{DVec3, Vec3};
use std::collections::{BTreeMap, BTreeSet};

/// The convex hull of some points, as triangles.
#[derive(Clone, Debug, Default)]
pub struct ConvexHull {
    /// Its corners.
    pub points: Vec<DVec3>,
    /// Triangles over them, counter-clockwise seen from outside.
    pub faces: Vec<[usize; 3]>,
    /// How far the farthest of the given points lies outside, metres: not 0 where the number of
    /// corners was limited.
    pub left_out_m: f64,
}

struct Face {
    corners: [usize; 3],
    normal: DVec3,
    offset: f64,
    /// Points beyond it, and the farthest of them with its distance.
    outside: Vec<usize>,
    farthest: Option<(usize, f64)>,
}

impl Face {
    fn new(points: &[DVec3], corners: [usize; 3]) -> Option<Self> {
        let [a, b, c] = corners.map(|index| points[index]);
        let normal = (b - a).cross(c - a).try_normalize()?;
        Some(Self { corners, normal, offset: normal.dot(a), outside: Vec::new(), farthest: None })
    }

    fn distance(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }

    fn take(&mut self, index: usize, distance: f64) {
        self.outside.push(index);
        if self.farthest.is_none_or(|(_, most)| distance > most) {
            self.farthest = Some((index, distance));
        }
    }
}

/// The hull of `points` by quickhull in f64, taking always the point that lies farthest outside, until
/// none lies farther out than `tolerance_m` or `max_corners` corners are found. `None` where the
/// points lie in one plane (to a millionth of their extent), or one of them is not finite.
pub fn convex_hull(points: &[Vec3], max_corners: usize, tolerance_m: f64) -> Option<ConvexHull> {
    let points: Vec<DVec3> = points.iter().map(|point| point.as_dvec3()).collect();
    if !points.iter().all(|point| point.is_finite()) {
        return None;
    }
    let first = tetrahedron(&points)?;
    let extent = first.iter().map(|&i| points[i].distance(points[first[0]])).fold(0.0, f64::max);
    let least = extent * 1e-9;
    let tolerance = tolerance_m.max(extent * 1e-7);
    let mut faces: BTreeMap<usize, Face> = BTreeMap::new();
    let mut edges: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut next = 0;
    let [a, b, c, d] = first;
    for corners in [[a, b, c], [a, c, d], [a, d, b], [b, d, c]] {
        add(&points, corners, &mut faces, &mut edges, &mut next)?;
    }
    for index in 0..points.len() {
        assign(&points, index, faces.values_mut(), tolerance);
    }
    let mut corners: BTreeSet<usize> = first.into_iter().collect();
    let mut refused: BTreeSet<usize> = BTreeSet::new();
    let mut left_out = 0.0_f64;
    loop {
        let far = faces
            .iter()
            .filter_map(|(&id, face)| face.farthest.map(|(point, distance)| (id, point, distance)))
            .max_by(|x, y| x.2.total_cmp(&y.2).then(y.0.cmp(&x.0)));
        let Some((id, apex, distance)) = far else { break };
        if corners.len() >= max_corners {
            left_out = distance;
            break;
        }
        let Some((visible, horizon)) = horizon(points[apex], id, &faces, &edges, least) else {
            // Rounding has made the border of what the point sees no simple ring: leave the point out.
            refused.insert(apex);
            left_out = left_out.max(distance);
            for face in faces.values_mut() {
                if face.farthest.is_some_and(|(point, _)| point == apex) {
                    face.outside.retain(|&point| point != apex);
                    face.farthest = None;
                    let outside = std::mem::take(&mut face.outside);
                    for point in outside {
                        let distance = face.distance(points[point]);
                        face.take(point, distance);
                    }
                }
            }
            continue;
        };
        let mut orphans = BTreeSet::new();
        for id in visible {
            if let Some(face) = faces.remove(&id) {
                orphans.extend(face.outside);
                let [a, b, c] = face.corners;
                for edge in [(a, b), (b, c), (c, a)] {
                    edges.remove(&edge);
                }
            }
        }
        orphans.remove(&apex);
        let from = next;
        for (a, b) in horizon {
            add(&points, [a, b, apex], &mut faces, &mut edges, &mut next)?;
        }
        corners.insert(apex);
        for index in orphans {
            if !refused.contains(&index) {
                assign(&points, index, faces.range_mut(from..).map(|(_, face)| face), tolerance);
            }
        }
    }
    let used: BTreeSet<usize> = faces.values().flat_map(|face| face.corners).collect();
    let place: BTreeMap<usize, usize> =
        used.iter().enumerate().map(|(at, &index)| (index, at)).collect();
    Some(ConvexHull {
        points: used.iter().map(|&index| points[index]).collect(),
        faces: faces.values().map(|face| face.corners.map(|index| place[&index])).collect(),
        left_out_m: left_out,
    })
}

fn add(
    points: &[DVec3],
    corners: [usize; 3],
    faces: &mut BTreeMap<usize, Face>,
    edges: &mut BTreeMap<(usize, usize), usize>,
    next: &mut usize,
) -> Option<()> {
    let face = Face::new(points, corners)?;
    let [a, b, c] = corners;
    for edge in [(a, b), (b, c), (c, a)] {
        edges.insert(edge, *next);
    }
    faces.insert(*next, face);
    *next += 1;
    Some(())
}

fn assign<'a>(
    points: &[DVec3],
    index: usize,
    faces: impl Iterator<Item = &'a mut Face>,
    tolerance: f64,
) {
    let mut best: Option<(&mut Face, f64)> = None;
    for face in faces {
        let distance = face.distance(points[index]);
        if distance > tolerance && best.as_ref().is_none_or(|(_, most)| distance > *most) {
            best = Some((face, distance));
        }
    }
    if let Some((face, distance)) = best {
        face.take(index, distance);
    }
}

/// The faces that `apex` sees, found from `start` outward, and the ring of edges around them; `None`
/// where that is no simple ring.
fn horizon(
    apex: DVec3,
    start: usize,
    faces: &BTreeMap<usize, Face>,
    edges: &BTreeMap<(usize, usize), usize>,
    least: f64,
) -> Option<(BTreeSet<usize>, Vec<(usize, usize)>)> {
    let mut visible = BTreeSet::from([start]);
    let mut stack = vec![start];
    let mut border: BTreeMap<usize, usize> = BTreeMap::new();
    let mut ring = Vec::new();
    while let Some(id) = stack.pop() {
        let [a, b, c] = faces.get(&id)?.corners;
        for (from, to) in [(a, b), (b, c), (c, a)] {
            let other = *edges.get(&(to, from))?;
            if faces.get(&other)?.distance(apex) > least && visible.insert(other) {
                stack.push(other);
            }
        }
    }
    for &id in &visible {
        let [a, b, c] = faces.get(&id)?.corners;
        for (from, to) in [(a, b), (b, c), (c, a)] {
            if !visible.contains(edges.get(&(to, from))?) {
                ring.push((from, to));
                if border.insert(from, to).is_some() {
                    return None;
                }
            }
        }
    }
    let first = ring.first()?.0;
    let mut at = first;
    for step in 1..=ring.len() {
        at = *border.get(&at)?;
        if at == first {
            return (step == ring.len()).then_some((visible, ring));
        }
    }
    None
}

/// Four points that span space, with the last on the inner side of the first three.
fn tetrahedron(points: &[DVec3]) -> Option<[usize; 4]> {
    let farthest = |measure: &dyn Fn(DVec3) -> f64| {
        let mut best: Option<(usize, f64)> = None;
        for (index, &point) in points.iter().enumerate() {
            let value = measure(point);
            if best.is_none_or(|(_, most)| value > most) {
                best = Some((index, value));
            }
        }
        best
    };
    let (a, _) = farthest(&|p| -(p.x + p.y + p.z))?;
    let (b, length) = farthest(&|p| p.distance(points[a]))?;
    let along = (points[b] - points[a]).try_normalize()?;
    let (c, width) = farthest(&|p| (p - points[a]).reject_from_normalized(along).length())?;
    let normal = along.cross(points[c] - points[a]).try_normalize()?;
    let (d, height) = farthest(&|p| normal.dot(p - points[a]).abs())?;
    if width < length * 1e-6 || height < length * 1e-6 {
        return None;
    }
    if normal.dot(points[d] - points[a]) > 0.0 { Some([a, c, b, d]) } else { Some([a, b, c, d]) }
}

impl ConvexHull {
    /// Volume in cubic metres, and the centre of it.
    pub fn volume_and_center(&self) -> (f64, DVec3) {
        let Some(&origin) = self.points.first() else { return (0.0, DVec3::ZERO) };
        let (mut volume, mut moment) = (0.0, DVec3::ZERO);
        for face in &self.faces {
            let [a, b, c] = face.map(|index| self.points[index] - origin);
            let six = a.dot(b.cross(c));
            volume += six;
            moment += (a + b + c) * six;
        }
        if volume <= 0.0 {
            return (0.0, origin);
        }
        (volume / 6.0, origin + moment / (4.0 * volume))
    }

    /// The plane of a face: unit normal outward, and the offset along it.
    pub fn plane(&self, face: usize) -> (DVec3, f64) {
        let [a, b, c] = self.faces[face].map(|index| self.points[index]);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        (normal, normal.dot(a))
    }

    /// How far outside the hull a point lies, metres, by its farthest plane (less than the distance
    /// near edges); negative inside.
    pub fn outside_m(&self, point: Vec3) -> f64 {
        let point = point.as_dvec3();
        (0..self.faces.len())
            .map(|face| {
                let (normal, offset) = self.plane(face);
                normal.dot(point) - offset
            })
            .fold(f64::NEG_INFINITY, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambler_geometry::random::Stream;

    #[test]
    fn the_hull_of_a_cube_has_its_corners_volume_and_center() {
        let mut points = Vec::new();
        for i in 0..27 {
            points.push(Vec3::new((i % 3) as f32, (i / 3 % 3) as f32, (i / 9) as f32));
        }
        let hull = convex_hull(&points, 100, 0.0).unwrap();
        assert_eq!((hull.points.len(), hull.faces.len()), (8, 12));
        let (volume, center) = hull.volume_and_center();
        assert!((volume - 8.0).abs() < 1e-9 && center.distance(DVec3::ONE) < 1e-9);
    }

    #[test]
    fn the_hull_of_random_points_holds_them_all() {
        for seed in 0..40 {
            let mut stream = Stream::new(seed, "", "hull");
            let points: Vec<Vec3> = (0..200)
                .map(|_| Vec3::from_array(std::array::from_fn(|_| stream.normal() as f32)))
                .collect();
            let hull = convex_hull(&points, 1000, 0.0).unwrap();
            for &point in &points {
                assert!(hull.outside_m(point) < 1e-5, "{}", hull.outside_m(point));
            }
            // Euler's formula for a closed surface of triangles.
            assert_eq!(hull.faces.len(), 2 * hull.points.len() - 4);
        }
    }

    #[test]
    fn flat_and_broken_points_have_no_hull() {
        assert!(convex_hull(&[Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::X + Vec3::Z], 9, 0.0).is_none());
        assert!(convex_hull(&[], 9, 0.0).is_none());
        assert!(convex_hull(&[Vec3::NAN; 5], 9, 0.0).is_none());
        assert!(convex_hull(&[Vec3::ONE; 5], 9, 0.0).is_none());
    }
}
