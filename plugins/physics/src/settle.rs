use crate::object::{Motion, ObjectState, PhysicsObject};
use crate::query::ways_out;
use crate::settings::PhysicsSettings;
use crate::tick;
use ambler_geometry::{Quat, Vec3};
use bevy::prelude::*;

/// Where a thing came to rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settled {
    /// Its identity.
    pub id: u32,
    /// Its entity.
    pub entity: Entity,
    /// Position of its origin, metres.
    pub position: Vec3,
    /// Turns its frame into the world's.
    pub rotation: Quat,
    /// At rest, still moving, or fallen out of the scene.
    pub state: ObjectState,
    /// How far it is from where it was put, metres.
    pub moved_m: f32,
}

/// What [`settle`] did.
#[derive(Clone, Debug, PartialEq)]
pub struct SettleReport {
    /// Dynamic things, in the order of their ids.
    pub objects: Vec<Settled>,
    /// Simulated seconds until everything was at rest, or the limit.
    pub seconds: f32,
}

impl SettleReport {
    /// Nothing moves and nothing has fallen out.
    pub fn all_at_rest(&self) -> bool {
        self.objects.iter().all(|object| object.state == ObjectState::AtRest)
    }
}

/// Things that rest deeper than this in another or in the stage are lifted out, metres.
const PRESSED_M: f32 = 0.003;
/// How often at most, and how many seconds must be left for it.
const LIFTS: u32 = 3;
const LIFT_S: f32 = 4.0;

/// Runs physics until every body rests, at most for so many simulated seconds. What is pressed into
/// another thing or into the stage when it rests (a pen under a keyboard) is moved out the short way and
/// settles again.
pub fn settle(world: &mut World, limit_s: f32) -> SettleReport {
    let settings = *world.resource::<PhysicsSettings>();
    let limit = (limit_s.max(0.0) * settings.ticks_per_second as f32).ceil() as u32;
    let mut ticks = tick::run(world, limit);
    for _ in 0..LIFTS {
        if ((limit - ticks) as f32) * settings.tick_s() < LIFT_S {
            break;
        }
        let pressed = ways_out(world, PRESSED_M);
        if pressed.is_empty() {
            break;
        }
        lift_out(world, &pressed);
        ticks += tick::run(world, limit - ticks);
    }
    let mut query = world.query::<(Entity, &PhysicsObject, &ObjectState, &Transform)>();
    let mut objects: Vec<Settled> = query
        .iter(world)
        .filter(|(_, object, _, _)| object.motion == Motion::Dynamic)
        .map(|(entity, object, &state, place)| Settled {
            id: object.id,
            entity,
            position: place.translation,
            rotation: place.rotation,
            state,
            moved_m: place.translation.distance(object.home.translation),
        })
        .collect();
    objects.sort_by_key(|object| object.id);
    SettleReport { objects, seconds: ticks as f32 * settings.tick_s() }
}

/// Moves each of these things (by identity) by its way.
fn lift_out(world: &mut World, pressed: &[(u32, Vec3)]) {
    let mut query = world.query::<(Entity, &PhysicsObject, &Transform)>();
    let places: Vec<(Entity, Vec3, Quat)> = query
        .iter(world)
        .filter_map(|(entity, object, place)| {
            let (_, way) = pressed.iter().find(|(id, _)| *id == object.id)?;
            Some((entity, place.translation + *way, place.rotation))
        })
        .collect();
    for (entity, position, rotation) in places {
        tick::set_pose(world, entity, position, rotation);
    }
}
