//! Things dropped over a surface, all at once.

use crate::object::{ObjectSpec, ObjectState};
use crate::settle::Settled;
use crate::shape::{ObjectShape, StageShape};
use ambler_geometry::random::Stream;
use ambler_geometry::{Aabb, Quat, Vec2, Vec3, polygon_contains};
use std::sync::Arc;

/// How far above the surface the lowest point of a thing is let go, metres (SD-OVON's 0.3 m).
pub const DROP_HEIGHT_M: f32 = 0.3;
/// Room left between things in the air, metres.
const GAP_M: f32 = 0.02;
/// Places tried for a thing before it is put above the middle.
const TRIES: usize = 64;

/// A thing to be dropped.
#[derive(Clone)]
pub struct Dropped {
    /// Its identity.
    pub id: u32,
    /// Its shape.
    pub shape: Arc<ObjectShape>,
    /// It rolls.
    pub rolls: bool,
}

/// Bodies for things that are dropped at once over a polygon (x, z) at height `y`: each at a random
/// place and in a random orientation, [`DROP_HEIGHT_M`] above the surface or as far above that as is
/// needed to touch no other. Places at which a thing would begin inside the stage (a lamp that hangs
/// there) are avoided.
pub fn drop_over(
    things: &[Dropped],
    stage: &StageShape,
    polygon: &[Vec2],
    y: f32,
    stream: &mut Stream,
) -> Vec<ObjectSpec> {
    let (low, high) = polygon
        .iter()
        .fold((Vec2::INFINITY, Vec2::NEG_INFINITY), |(low, high), &p| (low.min(p), high.max(p)));
    let middle = polygon.iter().sum::<Vec2>() / polygon.len().max(1) as f32;
    let mut taken: Vec<Aabb> = Vec::new();
    let mut specs = Vec::with_capacity(things.len());
    for thing in things {
        let rotation = random_rotation(stream);
        let bounds = thing.shape.bounds_turned(rotation);
        let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[x, z]: [f32; 2]| {
            let size = bounds.size();
            Vec2::new(bounds.min.x + x * size.x, bounds.min.z + z * size.z)
        });
        let mut position = Vec3::new(middle.x, y + DROP_HEIGHT_M - bounds.min.y, middle.y);
        for _ in 0..TRIES {
            let try_x = stream.range(f64::from(low.x), f64::from(high.x)) as f32;
            let try_z = stream.range(f64::from(low.y), f64::from(high.y)) as f32;
            let place = Vec2::new(try_x, try_z);
            let inside = corners.iter().all(|&corner| polygon_contains(polygon, place + corner));
            position = above(&taken, &bounds, place, y);
            if inside && !stage.overlaps(&thing.shape, position, rotation) {
                break;
            }
        }
        taken.push(moved(&bounds, position).inflated(GAP_M * 0.5));
        let mut spec = ObjectSpec::new(thing.id, Arc::clone(&thing.shape), position, rotation);
        spec.rolls = thing.rolls;
        specs.push(spec);
    }
    specs
}

/// The lowest place at (x, z) that is [`DROP_HEIGHT_M`] above the surface and touches nothing taken.
fn above(taken: &[Aabb], bounds: &Aabb, at: Vec2, y: f32) -> Vec3 {
    let mut place = Vec3::new(at.x, y + DROP_HEIGHT_M - bounds.min.y, at.y);
    while let Some(other) = taken.iter().find(|other| overlap(&moved(bounds, place), other)) {
        place.y = other.max.y + GAP_M - bounds.min.y;
    }
    place
}

fn moved(bounds: &Aabb, by: Vec3) -> Aabb {
    Aabb { min: bounds.min + by, max: bounds.max + by }
}

fn overlap(a: &Aabb, b: &Aabb) -> bool {
    a.min.cmple(b.max).all() && b.min.cmple(a.max).all()
}

/// Uniform over all orientations (Shoemake).
fn random_rotation(stream: &mut Stream) -> Quat {
    let (u, v, w) = (stream.uniform(), stream.uniform(), stream.uniform());
    let (a, b) = (std::f64::consts::TAU * v, std::f64::consts::TAU * w);
    let (low, high) = ((1.0 - u).sqrt(), u.sqrt());
    let parts = [low * libm::sin(a), low * libm::cos(a), high * libm::sin(b), high * libm::cos(b)];
    Quat::from_array(parts.map(|part| part as f32)).normalize()
}

/// Where a dropped thing ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Landing {
    /// On the surface, or on what lies there.
    OnSurface,
    /// At rest elsewhere: it fell off.
    Off,
    /// Out of the scene.
    Fallen,
    /// Not at rest in the time given.
    Moving,
}

/// Where a thing that was dropped over a polygon (x, z) at height `y` has ended. It is on the surface
/// if its origin is over the polygon and not lower than 5 cm under the surface.
pub fn landing(settled: &Settled, shape: &ObjectShape, polygon: &[Vec2], y: f32) -> Landing {
    match settled.state {
        ObjectState::Fallen => Landing::Fallen,
        ObjectState::Moving => Landing::Moving,
        ObjectState::AtRest => {
            let middle = settled.position + settled.rotation * shape.center_of_mass();
            let over = polygon_contains(polygon, Vec2::new(middle.x, middle.z));
            if over && middle.y > y - 0.05 { Landing::OnSurface } else { Landing::Off }
        }
    }
}
