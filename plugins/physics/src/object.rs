//! Bodies of things.

use crate::shape::ObjectShape;
use ambler_geometry::{Affine, Quat, Vec3};
use bevy::prelude::*;
use bevy_rapier3d::prelude as rapier;
use std::sync::Arc;

/// How a thing moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// Falls, is pushed, comes to rest.
    Dynamic,
    /// Stays where it is.
    Static,
    /// Moves with the velocity that it is given ([`crate::set_velocity`]), whatever is in its way.
    Kinematic,
}

/// A thing to be put into the world.
#[derive(Clone)]
pub struct ObjectSpec {
    /// Its identity, unique in the world: the id of its instance in the scene, where it has one.
    pub id: u32,
    /// Collision shape and mass.
    pub shape: Arc<ObjectShape>,
    /// Position of its origin in the world, metres.
    pub position: Vec3,
    /// Turns its frame into the world's.
    pub rotation: Quat,
    /// How it moves.
    pub motion: Motion,
    /// A dynamic body that begins asleep: where a settled scene left it.
    pub asleep: bool,
    /// Friction coefficient; of two bodies that touch the mean counts.
    pub friction: f32,
    /// How much it bounces, 0 to 1; of two bodies that touch the product counts. A stage has 0.
    pub restitution: f32,
    /// It rolls (a ball, a can on its side): rolling is braked until it rests.
    pub rolls: bool,
}

impl ObjectSpec {
    /// A dynamic body, awake, with the friction of household things (0.6) and little bounce (0.1).
    pub fn new(id: u32, shape: Arc<ObjectShape>, position: Vec3, rotation: Quat) -> Self {
        Self {
            id,
            shape,
            position,
            rotation,
            motion: Motion::Dynamic,
            asleep: false,
            friction: 0.6,
            restitution: 0.1,
            rolls: false,
        }
    }
}

/// A thing with a body.
#[derive(Component, Clone)]
#[require(ObjectState)]
pub struct PhysicsObject {
    /// Its identity.
    pub id: u32,
    /// Its shape.
    pub shape: Arc<ObjectShape>,
    /// How it moves.
    pub motion: Motion,
    /// Where it was put.
    pub home: Transform,
    pub(crate) asleep_at_start: bool,
    pub(crate) rolls: bool,
}

/// What a body is doing. Written by the plugin.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub enum ObjectState {
    /// Awake.
    #[default]
    Moving,
    /// At rest and asleep, or static.
    AtRest,
    /// It fell out of the scene; it is held where that was noticed and no longer collides.
    Fallen,
}

/// What is known of a body that is awake. Times in seconds of simulated time.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Watch {
    /// How long it has been awake.
    pub(crate) awake_s: f32,
    /// Where it was when it last went anywhere.
    pub(crate) anchor: (Vec3, Quat),
    /// How long it has stayed there.
    pub(crate) anchored_s: f32,
}

/// Puts things into the world, in the order of their ids, so that the same things give the same
/// results whatever order they are listed in. Returns their entities in the order given.
pub fn spawn_objects(world: &mut World, specs: &[ObjectSpec]) -> Vec<Entity> {
    let mut order: Vec<usize> = (0..specs.len()).collect();
    order.sort_by_key(|&index| specs[index].id);
    let mut entities = vec![Entity::PLACEHOLDER; specs.len()];
    for index in order {
        entities[index] = spawn(world, &specs[index]);
    }
    entities
}

/// How far ahead contacts of a fast body are foreseen, metres: what it falls in two ticks at 10 m/s.
const FORESIGHT_M: f32 = 0.08;

fn spawn(world: &mut World, spec: &ObjectSpec) -> Entity {
    let body = match spec.motion {
        Motion::Dynamic => rapier::RigidBody::Dynamic,
        Motion::Static => rapier::RigidBody::Fixed,
        Motion::Kinematic => rapier::RigidBody::KinematicVelocityBased,
    };
    let home = Transform::from_translation(spec.position).with_rotation(spec.rotation.normalize());
    let mut entity = world.spawn((
        PhysicsObject {
            id: spec.id,
            shape: Arc::clone(&spec.shape),
            motion: spec.motion,
            home,
            asleep_at_start: spec.asleep && spec.motion == Motion::Dynamic,
            rolls: spec.rolls,
        },
        Watch::default(),
        home,
        GlobalTransform::from(home),
        body,
        rapier::Collider::from(spec.shape.shape.clone()),
        rapier::ColliderMassProperties::MassProperties(spec.shape.mass),
        rapier::Friction {
            coefficient: spec.friction,
            combine_rule: rapier::CoefficientCombineRule::Average,
        },
        rapier::Restitution {
            coefficient: spec.restitution,
            // As Bullet does, and Habitat with it: nothing bounces off a dead surface.
            combine_rule: rapier::CoefficientCombineRule::Multiply,
        },
    ));
    if spec.motion == Motion::Dynamic {
        // Small things are faster than they are thick: contacts are foreseen, and motion is cut short
        // where that is not enough.
        entity.insert((rapier::Ccd::enabled(), rapier::SoftCcd { prediction: FORESIGHT_M }));
    }
    if spec.motion == Motion::Kinematic {
        entity.insert(rapier::Velocity::default());
    }
    entity.id()
}

impl PhysicsObject {
    /// Takes where the thing was put to where it is now: what cameras need to draw the scene's
    /// instance of this id at its present place. (The scene must have it where it was put.)
    pub fn world_from_home(&self, now: &Transform) -> Affine {
        let turned = now.rotation * self.home.rotation.inverse();
        Affine::from_rotation_translation(turned, now.translation - turned * self.home.translation)
    }
}
