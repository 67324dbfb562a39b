//! The body in a simulation: an entity whose state the pending action moves, once a step.
//!
//! The body is kinematic on the navmesh: it pushes nothing and nothing pushes it. How an action
//! moves it is `ambler_body`'s affair; this crate never decides an action.
//!
//! ```
//! use ambler_body::{Action, BodyPreset};
//! use ambler_geometry::{Heading, Pose, Vec3};
//! # use ambler_navmesh::{NavMesh, NavMeshSettings, NavQuery};
//! use ambler_plugin_body::{BodyPlugin, PendingAction};
//! use ambler_plugin_scene::Navigation;
//! use ambler_plugin_simulation::Simulation;
//!
//! # fn navmesh() -> NavQuery {
//! #     let corners = [[-4.0, 0.0, -4.0], [4.0, 0.0, -4.0], [4.0, 0.0, 4.0], [-4.0, 0.0, 4.0]];
//! #     let corners = corners.map(Vec3::from_array);
//! #     let settings = NavMeshSettings::for_body(1.41, 0.17);
//! #     let mesh = NavMesh::build(&corners, &[[0, 2, 1], [0, 3, 2]], &settings).expect("a floor");
//! #     NavQuery::new(std::sync::Arc::new(mesh))
//! # }
//! let preset = BodyPreset::named("stretch").expect("exists");
//! let start = Pose { position: Vec3::ZERO, heading: Heading::from_yaw(0.0) };
//! let mut simulation = Simulation::new(|app| {
//!     app.insert_resource(Navigation(navmesh()));
//!     app.add_plugins(BodyPlugin { locomotion: (&preset).into(), start });
//! });
//! simulation.world_mut().insert_resource(PendingAction(Some(Action::MoveForward)));
//! simulation.step();
//! ```

use ambler_body::{Action, BodyState, Locomotion};
use ambler_geometry::Pose;
use ambler_plugin_scene::Navigation;
use ambler_plugin_simulation::{SimStep, StepSet};
use bevy::prelude::*;

/// The body of the agent. There is one.
#[derive(Component, Clone, Copy, Debug)]
pub struct Body {
    /// Where it stands, how far it looks up, whether it ran into something.
    pub state: BodyState,
    /// Where it stood when the episode began.
    pub start: Pose,
}

/// How actions move the body.
#[derive(Resource, Clone, Copy, Debug)]
pub struct Motion(pub Locomotion);

/// The action that the next step carries out. The step takes it.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub struct PendingAction(pub Option<Action>);

/// The action that the last step carried out.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub struct LastAction(pub Option<Action>);

/// Spawns the body and moves it in [`StepSet::Act`].
pub struct BodyPlugin {
    /// How actions move it.
    pub locomotion: Locomotion,
    /// Where it starts.
    pub start: Pose,
}

impl Plugin for BodyPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(Motion(self.locomotion));
        app.init_resource::<PendingAction>();
        app.init_resource::<LastAction>();
        app.world_mut().spawn(Body { state: BodyState::at(self.start), start: self.start });
        app.add_systems(SimStep, act.in_set(StepSet::Act));
    }
}

fn act(
    mut body: Single<&mut Body>,
    motion: Res<Motion>,
    mut pending: ResMut<PendingAction>,
    mut last: ResMut<LastAction>,
    mut navigation: ResMut<Navigation>,
) {
    last.0 = pending.0.take();
    if let Some(action) = last.0 {
        motion.0.apply(&mut body.state, action, &mut navigation.0);
    }
}
