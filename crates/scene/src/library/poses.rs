use super::Hull;
use super::convex::{ConvexHull, convex_hull};
use ambler_geometry::{DVec3, Quat, Vec3};
use std::collections::BTreeMap;

/// A pose in which an object rests on a level plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StablePose {
    /// Takes the object's frame to the world's, +Y up.
    pub rotation: Quat,
    /// Height of the object's origin above the plane it rests on, metres.
    pub height_m: f32,
    /// Probability that the object comes to rest so when let go in a random orientation without
    /// speed; the poses of one object sum to 1.
    pub probability: f32,
    /// The smallest angle by which it must be tipped to fall over, radians.
    pub margin_rad: f32,
    /// How far its centre of mass must rise for that, metres.
    pub barrier_m: f32,
}

/// Tipping angle and rise of the centre of mass that a pose must withstand to count as steady: a can
/// on its side, made of flat strips, stays below.
const STEADY_RAD: f32 = 0.1;
const STEADY_M: f32 = 0.0015;
/// Corners this far above a facet's plane belong to it: a share of the object's extent, and metres at
/// most. Scanned undersides are that uneven.
const LEVEL: f64 = 0.03;
const LEVEL_M: f64 = 0.0012;
/// Poses kept for one object.
const MOST: usize = 12;
/// Poses less probable than this are left out, as long as one remains.
const LEAST_PROBABILITY: f64 = 0.004;

impl StablePose {
    /// True where the object stays as it lies: it neither rolls away nor falls at a touch (tipping
    /// angle above 0.1 rad, rise of the centre of mass above 1.5 mm).
    pub fn is_steady(&self) -> bool {
        self.margin_rad >= STEADY_RAD && self.barrier_m >= STEADY_M
    }
}

/// A facet of the hull that the object can stand on: coplanar faces taken as one.
struct Facet {
    normal: DVec3,
    /// Distance from the centre of mass to the plane.
    height: f64,
    /// The smallest distance from the foot of the centre of mass to the facet's border, negative
    /// where the foot lies outside; and the direction of that border.
    inset: f64,
    toward: DVec3,
    solid_angle: f64,
}

/// The poses in which the pieces, as one rigid body with this centre of mass, rest on a plane.
///
/// Quasi-static (Goldberg, Mirtich, Zhuang et al., "Part pose statistics", 1999): each facet of the
/// convex hull collects the solid angle that it covers, seen from the centre of mass; a facet over
/// which the centre of mass does not lie tips over its nearest edge and passes its share on.
pub fn stable_poses(hulls: &[Hull], center_of_mass: Vec3) -> Vec<StablePose> {
    let points: Vec<Vec3> = hulls.iter().flat_map(|hull| hull.points.iter().copied()).collect();
    let Some(hull) = convex_hull(&points, usize::MAX, 1e-5) else { return Vec::new() };
    let center = center_of_mass.as_dvec3();
    let extent = hull.points.iter().map(|p| p.distance(center)).fold(0.0, f64::max);
    let (facets, facet_of_face) = facets(&hull, center, (extent * LEVEL).min(LEVEL_M));
    // Follow each facet to where the tipping ends.
    let mut share: BTreeMap<usize, f64> = BTreeMap::new();
    let across = neighbours(&hull, &facet_of_face);
    for start in 0..facets.len() {
        let mut at = start;
        for _ in 0..facets.len() {
            let facet = &facets[at];
            if facet.inset >= 0.0 {
                break;
            }
            // The neighbour whose plane the centre of mass is nearest to among those on that side.
            let next =
                across[at].iter().copied().filter(|&other| facets[other].height < facet.height).max_by(
                    |&a, &b| {
                        let lean = |i: usize| facets[i].normal.dot(facet.toward);
                        lean(a).total_cmp(&lean(b)).then(b.cmp(&a))
                    },
                );
            let Some(next) = next else { break };
            at = next;
        }
        *share.entry(at).or_default() += facets[start].solid_angle;
    }
    let total: f64 = share.values().sum();
    let mut poses: Vec<StablePose> = share
        .iter()
        .filter(|&(&index, _)| facets[index].inset >= 0.0)
        .map(|(&index, &angle)| pose(&facets[index], &points, angle / total))
        .collect();
    // Steady poses are kept however rarely they come about: nobody drops a bottle onto its foot, but
    // people put it there.
    poses
        .sort_by(|a, b| b.is_steady().cmp(&a.is_steady()).then(b.probability.total_cmp(&a.probability)));
    let wanted =
        |pose: &StablePose| f64::from(pose.probability) >= LEAST_PROBABILITY || pose.is_steady();
    let likely = poses.iter().filter(|pose| wanted(pose)).count();
    poses.retain(|pose| likely == 0 || wanted(pose));
    poses.truncate(if likely == 0 { 1 } else { MOST });
    poses.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    let sum = |list: &[StablePose]| list.iter().map(|pose| pose.probability).sum::<f32>();
    let kept = sum(&poses);
    for pose in &mut poses {
        pose.probability = if kept > 0.0 { pose.probability / kept } else { 1.0 };
    }
    poses
}

fn pose(facet: &Facet, points: &[Vec3], probability: f64) -> StablePose {
    let rotation = upright(facet.normal);
    let lowest = points.iter().map(|&point| (rotation * point).y).fold(f32::INFINITY, f32::min);
    let edge = libm::hypot(facet.height, facet.inset);
    StablePose {
        rotation,
        height_m: -lowest,
        probability: probability as f32,
        margin_rad: libm::atan2(facet.inset, facet.height) as f32,
        barrier_m: (edge - facet.height) as f32,
    }
}

/// The shortest rotation that turns `down` to −Y; about X where it points up.
fn upright(down: DVec3) -> Quat {
    if down.y <= -1.0 + 1e-7 {
        return Quat::IDENTITY;
    }
    if down.y >= 1.0 - 1e-7 {
        return Quat::from_xyzw(1.0, 0.0, 0.0, 0.0);
    }
    // Half-way quaternion between two unit vectors: (a × b, 1 + a · b).
    let axis = down.cross(DVec3::NEG_Y);
    let w = 1.0 - down.y;
    let length = libm::sqrt(axis.length_squared() + w * w);
    let [x, y, z, w] = [axis.x, axis.y, axis.z, w].map(|part| (part / length) as f32);
    Quat::from_xyzw(x, y, z, w).normalize()
}

/// Faces in one plane (to `tolerance`) as facets, and for each face its facet.
fn facets(hull: &ConvexHull, center: DVec3, tolerance: f64) -> (Vec<Facet>, Vec<usize>) {
    let planes: Vec<(DVec3, f64)> = (0..hull.faces.len()).map(|face| hull.plane(face)).collect();
    let area = |face: usize| {
        let [a, b, c] = hull.faces[face].map(|index| hull.points[index]);
        (b - a).cross(c - a).length()
    };
    let mut order: Vec<usize> = (0..hull.faces.len()).collect();
    order.sort_by(|&a, &b| area(b).total_cmp(&area(a)).then(a.cmp(&b)));
    let mut facet_of_face = vec![usize::MAX; hull.faces.len()];
    let mut facets: Vec<Facet> = Vec::new();
    for face in order {
        if facet_of_face[face] != usize::MAX {
            continue;
        }
        let (normal, offset) = planes[face];
        let on_plane = |index: usize| normal.dot(hull.points[index]) > offset - tolerance;
        let id = facets.len();
        let mut solid_angle = 0.0;
        for other in 0..hull.faces.len() {
            if facet_of_face[other] == usize::MAX
                && planes[other].0.dot(normal) > 0.97
                && hull.faces[other].iter().all(|&index| on_plane(index))
            {
                facet_of_face[other] = id;
                let corners = hull.faces[other].map(|index| hull.points[index] - center);
                solid_angle += solid_angle_of(corners);
            }
        }
        let height = offset - normal.dot(center);
        let foot = center + normal * height;
        let border: Vec<DVec3> = (0..hull.points.len())
            .filter(|&index| on_plane(index))
            .map(|index| hull.points[index])
            .collect();
        let (inset, toward) = inset(&border, foot, normal);
        facets.push(Facet { normal, height, inset, toward, solid_angle });
    }
    (facets, facet_of_face)
}

/// Facets that share an edge with each facet.
fn neighbours(hull: &ConvexHull, facet_of_face: &[usize]) -> Vec<Vec<usize>> {
    let mut owner: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (face, corners) in hull.faces.iter().enumerate() {
        let [a, b, c] = *corners;
        for edge in [(a, b), (b, c), (c, a)] {
            owner.insert(edge, facet_of_face[face]);
        }
    }
    let count = facet_of_face.iter().max().map_or(0, |most| most + 1);
    let mut out = vec![Vec::new(); count];
    for (&(a, b), &facet) in &owner {
        if let Some(&other) = owner.get(&(b, a))
            && other != facet
            && !out[facet].contains(&other)
        {
            out[facet].push(other);
        }
    }
    out
}

/// How far `foot` lies inside the convex outline of coplanar `points` (negative outside), and the
/// direction towards the nearest border.
fn inset(points: &[DVec3], foot: DVec3, normal: DVec3) -> (f64, DVec3) {
    let x = normal.any_orthonormal_vector();
    let y = normal.cross(x);
    let mut flat: Vec<[f64; 2]> =
        points.iter().map(|&p| [(p - foot).dot(x), (p - foot).dot(y)]).collect();
    flat.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let cross = |o: [f64; 2], a: [f64; 2], b: [f64; 2]| {
        (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])
    };
    // Andrew's monotone chain, counter-clockwise.
    let mut outline: Vec<[f64; 2]> = Vec::new();
    for pass in 0..2 {
        let keep = outline.len() + 1;
        let walk: Box<dyn Iterator<Item = &[f64; 2]>> =
            if pass == 0 { Box::new(flat.iter()) } else { Box::new(flat.iter().rev()) };
        for &point in walk {
            while outline.len() > keep
                && cross(outline[outline.len() - 2], outline[outline.len() - 1], point) <= 0.0
            {
                outline.pop();
            }
            outline.push(point);
        }
        outline.pop();
    }
    let mut least = (f64::INFINITY, DVec3::ZERO);
    for (index, &a) in outline.iter().enumerate() {
        let b = outline[(index + 1) % outline.len()];
        let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
        let length = libm::hypot(dx, dy);
        if length < 1e-9 {
            continue;
        }
        // Positive on the left of the edge, the inner side.
        let distance = (dy * a[0] - dx * a[1]) / length;
        let outward = x * (dy / length) - y * (dx / length);
        if distance < least.0 {
            least = (distance, outward);
        }
    }
    if least.0.is_finite() { least } else { (-1.0, x) }
}

/// Solid angle of a triangle seen from the origin (Van Oosterom & Strackee 1983).
fn solid_angle_of([a, b, c]: [DVec3; 3]) -> f64 {
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let numerator = a.dot(b.cross(c));
    let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    (2.0 * libm::atan2(numerator, denominator)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(size: Vec3) -> Hull {
        Hull {
            points: (0..8)
                .map(|i| {
                    let pick =
                        |bit: usize, side: f32| if i >> bit & 1 == 0 { -side } else { side } * 0.5;
                    Vec3::new(pick(0, size.x), pick(1, size.y), pick(2, size.z))
                })
                .collect(),
        }
    }

    #[test]
    fn a_cube_rests_on_six_faces_with_one_sixth_each() {
        let poses = stable_poses(&[block(Vec3::splat(0.1))], Vec3::ZERO);
        assert_eq!(poses.len(), 6);
        for pose in &poses {
            assert!((pose.probability - 1.0 / 6.0).abs() < 1e-4);
            assert!((pose.height_m - 0.05).abs() < 1e-6);
            // From the middle of a face the edge is as far as the centre is high: 45°.
            assert!((pose.margin_rad - std::f32::consts::FRAC_PI_4).abs() < 1e-5);
            assert!(pose.is_steady());
        }
    }

    #[test]
    fn a_flat_box_lies_on_its_large_faces_more_often() {
        let poses = stable_poses(&[block(Vec3::new(0.2, 0.02, 0.15))], Vec3::ZERO);
        assert!(
            poses[0].rotation.angle_between(Quat::IDENTITY) < 1e-4
                || poses[1].rotation == Quat::IDENTITY
        );
        assert!(poses[0].probability + poses[1].probability > 0.85);
        // Solid angle of a w × d rectangle at distance h over the middle: 4 asin of a product.
        let (a, b, h) = (0.1_f64, 0.075_f64, 0.01_f64);
        let angle = 4.0 * libm::atan(a * b / (h * libm::sqrt(a * a + b * b + h * h)));
        let expected = (angle / (4.0 * std::f64::consts::PI)) as f32;
        assert!((poses[0].probability - expected).abs() < 1e-4, "{} {expected}", poses[0].probability);
    }

    #[test]
    fn a_leaning_prism_passes_its_share_to_the_face_it_falls_on() {
        // A block whose centre of mass lies beyond its small end: the end is no pose.
        let poses = stable_poses(&[block(Vec3::new(0.3, 0.1, 0.1))], Vec3::new(0.0, 0.0, 0.049));
        let sum: f32 = poses.iter().map(|pose| pose.probability).sum();
        assert!((sum - 1.0).abs() < 1e-5);
        for pose in &poses {
            assert!(pose.margin_rad >= 0.0);
        }
        let down = |axis: Vec3| poses.iter().filter(|pose| (pose.rotation * axis).y < -0.99).count();
        assert_eq!((down(Vec3::Z), down(Vec3::NEG_Z)), (1, 1));
    }

    #[test]
    fn a_faceted_ball_rolls() {
        let points = (0..200)
            .map(|i| {
                let y = 1.0 - (2.0 * i as f32 + 1.0) / 200.0;
                let r = libm::sqrtf(1.0 - y * y);
                let a = 2.399_963_2 * i as f32;
                Vec3::new(r * libm::cosf(a), y, r * libm::sinf(a)) * 0.03
            })
            .collect();
        let poses = stable_poses(&[Hull { points }], Vec3::ZERO);
        assert!(!poses.is_empty() && poses.iter().all(|pose| !pose.is_steady()));
    }
}
