//! Physics in the step schedule: things fall, come to rest, sleep, and wake when touched.
//!
//! rapier does the mechanics. This crate says what is a body, when a body is at rest, what has
//! fallen out of the scene, and when nothing needs to be computed: a step in which every body
//! sleeps costs next to nothing.
//!
//! - A [`StageShape`] is everything that stays, built once and shared by all worlds.
//! - An [`ObjectSpec`] is a thing with convex pieces and a mass; [`spawn_objects`] gives it a body.
//! - One step of the simulation runs [`PhysicsSettings::ticks_per_step`] ticks of constant length.
//! - [`settle`] runs ticks until everything rests, and says what did not.
//! - [`drop_over`] lets things fall over a surface, all at once.
//! - [`contacts`], [`deepest`], [`deepest_in_stage`], [`place_on`] and [`cast_ray`] ask questions.
//!
//! The same bodies give the same bits, in any process and with any number of workers: each world
//! has its own rapier context, one thread, and bodies in the order of their ids.
//!
//! This crate never moves the agent's body (that walks on the navmesh), never reads a clock and
//! never loads a file.
//!
//! ```
//! use ambler_geometry::{Quat, Vec3};
//! use ambler_plugin_physics::*;
//! use ambler_plugin_simulation::Simulation;
//! use std::sync::Arc;
//!
//! let corners = [[-2.0, 0.0, -2.0], [-2.0, 0.0, 2.0], [2.0, 0.0, 2.0], [2.0, 0.0, -2.0]];
//! let floor = StageShape::from_triangles(corners.map(Vec3::from_array).to_vec(), vec![[0, 1, 2], [0, 2, 3]]);
//! let mut simulation = Simulation::new(|app| {
//!     app.add_plugins(PhysicsPlugin::new(Arc::new(floor)));
//! });
//! let cube = ObjectShape::cuboid(Vec3::splat(0.05), 0.2)?;
//! let spec = ObjectSpec::new(1, cube, Vec3::new(0.0, 0.3, 0.0), Quat::IDENTITY);
//! let cube = spawn_objects(simulation.world_mut(), &[spec])[0];
//! let report = settle(simulation.world_mut(), 10.0);
//! assert!(report.all_at_rest());
//! let place = simulation.world().get::<bevy::prelude::Transform>(cube).expect("it has a place");
//! assert!((place.translation.y - 0.05).abs() < 0.001);
//! # Ok::<(), PhysicsError>(())
//! ```
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test may fail by panic"))]

mod drop;
mod object;
mod piece;
mod query;
mod settings;
mod settle;
mod shape;
mod tick;
mod watch;

pub use drop::{DROP_HEIGHT_M, Dropped, Landing, drop_over, landing};
pub use object::{Motion, ObjectSpec, ObjectState, PhysicsObject, spawn_objects};
pub use query::{
    Contact, RayHit, cast_ray, contacts, deepest, deepest_in_stage, place_on, pressed, supporters,
};
pub use settings::{PhysicsSettings, RestRule};
pub use settle::{SettleReport, Settled, settle};
pub use shape::{ObjectShape, StageShape};
pub use tick::{PhysicsTime, active_contact_points, remove_object, set_pose, set_velocity, wake};

use ambler_plugin_simulation::{SimStep, StepSet};
use bevy::prelude::*;
use bevy_rapier3d::prelude as rapier;
use std::sync::Arc;

/// What physics refuses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PhysicsError {
    /// A shape that is none.
    #[error("no collision shape: {0}; give convex pieces with a volume and a mass above 0")]
    Shape(String),
}

/// Physics in [`StepSet::Physics`].
pub struct PhysicsPlugin {
    /// What stays, shared between worlds.
    pub stage: Arc<StageShape>,
    /// How it runs.
    pub settings: PhysicsSettings,
}

impl PhysicsPlugin {
    /// With the default settings.
    pub fn new(stage: Arc<StageShape>) -> Self {
        Self { stage, settings: PhysicsSettings::default() }
    }
}

/// The stage of this world.
#[derive(Resource, Clone)]
pub(crate) struct Stage(pub(crate) Arc<StageShape>);

impl Plugin for PhysicsPlugin {
    fn build(&self, app: &mut App) {
        let mut settings = self.settings;
        if settings.fallen_below_y.is_none() && !self.stage.bounds.is_empty() {
            settings.fallen_below_y = Some(self.stage.bounds.min.y - 0.5);
        }
        app.insert_resource(settings);
        app.insert_resource(Stage(Arc::clone(&self.stage)));
        tick::add(app, &settings);
        spawn_stage(app.world_mut(), &self.stage);
        app.add_systems(SimStep, tick::advance.in_set(StepSet::Physics));
    }
}

fn spawn_stage(world: &mut World, stage: &StageShape) {
    for shape in [&stage.surface, &stage.floor].into_iter().flatten() {
        world.spawn((
            Transform::IDENTITY,
            GlobalTransform::IDENTITY,
            rapier::RigidBody::Fixed,
            rapier::Collider::from(shape.clone()),
            // What never moves needs no inertia, and that of a large mesh takes long to compute.
            rapier::ColliderMassProperties::Mass(0.0),
            rapier::Friction {
                coefficient: stage.friction,
                combine_rule: rapier::CoefficientCombineRule::Average,
            },
        ));
    }
}
