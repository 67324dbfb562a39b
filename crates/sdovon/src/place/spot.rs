//! A pose in the air above a surface, from which an object is let go.

use super::Settle;
use crate::analysis::Surface;
use crate::convex;
use crate::settings::{PlacementSettings, SpawnRotation};
use ambler_geometry::random::Stream;
use ambler_geometry::{Quat, Vec2, Vec3};
use ambler_scene::library::LibraryObject;

/// Where an object is let go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub(super) position: Vec3,
    pub(super) rotation: Quat,
    /// Middle and radius of the circle that the object needs (x, z).
    pub(super) middle: Vec2,
    pub(super) radius_m: f32,
    /// It stands as people put it, and should go on doing so.
    pub(super) upright: bool,
}

/// Room between an object and the border of its surface, metres.
const BORDER_M: f32 = 0.005;
/// Room above an object where it is let go under a board, metres.
const ABOVE_M: f32 = 0.01;
/// How often a pose in which an object stands upright is taken, where it has one.
const UPRIGHT: f64 = 0.9;
/// Cosine of the tilt up to which a pose is upright.
pub(super) const UPRIGHT_COS: f32 = 0.9;

/// Draws a spot above a surface, in so many tries; else the reason that most tries failed for.
pub(super) fn draw(
    object: &LibraryObject,
    surface: &Surface,
    taken: &[(Vec2, f32)],
    settle: &dyn Settle,
    settings: &PlacementSettings,
    stream: &mut Stream,
) -> Result<Spot, &'static str> {
    let reasons = [
        "too large for its surface",
        "no room above its surface",
        "no room beside the others",
        "it would begin inside the home",
    ];
    let mut counts = [0_u32; 4];
    for _ in 0..settings.tries.max(1) {
        match try_once(object, surface, taken, settle, settings, stream) {
            Ok(spot) => return Ok(spot),
            Err(reason) => counts[reason] += 1,
        }
    }
    let most = (0..counts.len()).rev().max_by_key(|&index| counts[index]).unwrap_or(0);
    Err(reasons[most])
}

fn try_once(
    object: &LibraryObject,
    surface: &Surface,
    taken: &[(Vec2, f32)],
    settle: &dyn Settle,
    settings: &PlacementSettings,
    stream: &mut Stream,
) -> Result<Spot, usize> {
    let (rotation, upright) = match settings.rotation {
        SpawnRotation::Any => (any_rotation(stream), false),
        SpawnRotation::Resting => resting(object, stream),
    };
    let center = rotation * object.center_of_mass;
    let (mut radius_m, mut low, mut high) = (0.0_f32, f32::INFINITY, f32::NEG_INFINITY);
    let mut foot: Vec<Vec2> = Vec::new();
    for &point in object.hulls.iter().flat_map(|hull| &hull.points) {
        let point = rotation * point - center;
        let flat = Vec2::new(point.x, point.z);
        radius_m = radius_m.max(flat.length());
        low = low.min(point.y);
        high = high.max(point.y);
        foot.push(flat);
    }
    let outline = &surface.plane.outline;
    let at = match settings.rotation {
        // The paper's minimum: the whole circle lies on the surface.
        SpawnRotation::Any => {
            convex::sample(&convex::shrunk(outline, radius_m), stream).ok_or(0_usize)?
        }
        SpawnRotation::Resting => {
            let at = convex::sample(outline, stream).ok_or(0_usize)?;
            if foot.iter().any(|&corner| convex::inset(outline, at + corner) < BORDER_M) {
                return Err(0);
            }
            at
        }
    };
    let free = convex::hull(&foot)
        .iter()
        .flat_map(|&corner| [0.0, 0.5, 0.97].map(|share| at + corner * share))
        .map(|point| surface.headroom.at(point))
        .fold(surface.headroom.at(at), f32::min);
    let height = high - low;
    if free < height + ABOVE_M {
        return Err(1);
    }
    let near = |&(other, other_m): &(Vec2, f32)| {
        let least = (radius_m + other_m + settings.gap_m).max(settings.least_distance_m);
        other.distance(at) < least
    };
    if taken.iter().any(near) {
        return Err(2);
    }
    let drop = settings.drop_m.min(free - height - ABOVE_M).max(0.0);
    let position = Vec3::new(at.x, surface.plane.y_at(at) + drop - low, at.y) - center;
    if !settle.is_free(object, position, rotation) {
        return Err(3);
    }
    Ok(Spot { position, rotation, middle: at, radius_m, upright })
}

/// Uniform over all orientations (Shoemake).
fn any_rotation(stream: &mut Stream) -> Quat {
    let (u, v, w) = (stream.uniform(), stream.uniform(), stream.uniform());
    let (a, b) = (std::f64::consts::TAU * v, std::f64::consts::TAU * w);
    let (low, high) = ((1.0 - u).sqrt(), u.sqrt());
    let parts = [low * libm::sin(a), low * libm::cos(a), high * libm::sin(b), high * libm::cos(b)];
    Quat::from_array(parts.map(|part| part as f32)).normalize()
}

/// A pose in which the object rests, at any yaw: mostly the one in which people put it.
fn resting(object: &LibraryObject, stream: &mut Stream) -> (Quat, bool) {
    let yaw = stream.range(0.0, std::f64::consts::TAU);
    let turn = Quat::from_xyzw(0.0, libm::sin(yaw * 0.5) as f32, 0.0, libm::cos(yaw * 0.5) as f32);
    let (which, share) = (stream.uniform(), stream.uniform());
    let is_upright = |rotation: Quat| (rotation * Vec3::Y).y >= UPRIGHT_COS;
    let upright = object.poses.iter().find(|pose| is_upright(pose.rotation) && pose.is_steady());
    if let Some(pose) = upright.filter(|_| which < UPRIGHT) {
        return (turn * pose.rotation, true);
    }
    let mut left = share * object.poses.iter().map(|pose| f64::from(pose.probability)).sum::<f64>();
    let pose = object.poses.iter().find(|pose| {
        left -= f64::from(pose.probability);
        left < 0.0
    });
    let rotation = pose.or(object.poses.first()).map_or(Quat::IDENTITY, |pose| pose.rotation);
    (turn * rotation, false)
}
