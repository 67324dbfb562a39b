//! Rest, calm and falls: what is done about bodies after each tick.

use crate::object::{Motion, ObjectState, PhysicsObject, Watch};
use crate::settings::PhysicsSettings;
use ambler_geometry::Vec3;
use bevy::prelude::*;
use bevy_rapier3d::prelude as rapier;
use bevy_rapier3d::rapier::dynamics::RigidBodyHandle;

/// Rolling friction of things that roll, as a deceleration in rad/s²: on carpet a ball of 3 cm comes
/// to rest on a slope of a degree.
const ROLLING_BRAKE_RAD_S2: f32 = 4.0;
/// Share of a rolling thing's turn that is lost in a second.
const ROLLING_DAMPING: f32 = 1.0;
/// What is late to rest loses more speed the later it is, for each second: a share a second …
const CALM_DAMPING: f32 = 4.0;
/// … and a deceleration in m/s² …
const CALM_BRAKE_M_S2: f32 = 0.3;
/// … and in rad/s².
const CALM_BRAKE_RAD_S2: f32 = 10.0;

/// New bodies: when they sleep, and those that begin asleep put to sleep.
pub(crate) fn prepare(
    new: Query<(&PhysicsObject, &rapier::RapierRigidBodyHandle), Added<rapier::RapierRigidBodyHandle>>,
    mut states: Query<(&PhysicsObject, &mut ObjectState), Added<rapier::RapierRigidBodyHandle>>,
    mut contexts: Query<(
        &mut rapier::RapierContextSimulation,
        &mut rapier::RapierContextColliders,
        &mut rapier::RapierContextJoints,
        &mut rapier::RapierRigidBodySet,
    )>,
    settings: Res<PhysicsSettings>,
) {
    if new.is_empty() {
        return;
    }
    let Ok((mut simulation, mut colliders, mut joints, mut set)) = contexts.single_mut() else { return };
    for (object, handle) in &new {
        let Some(body) = set.bodies.get_mut(handle.0) else { continue };
        let activation = body.activation_mut();
        activation.normalized_linear_threshold = settings.rest.linear_m_s;
        activation.angular_threshold = settings.rest.angular_rad_s;
        activation.time_until_sleep = settings.rest.seconds;
        if object.asleep_at_start {
            body.sleep();
        }
    }
    let sleepers: Vec<RigidBodyHandle> =
        new.iter().filter(|(object, _)| object.asleep_at_start).map(|(_, handle)| handle.0).collect();
    if !sleepers.is_empty() {
        lay_down(&sleepers, &mut simulation, &mut colliders, &mut joints, &mut set);
    }
    for (object, mut state) in &mut states {
        if object.asleep_at_start || object.motion == Motion::Static {
            state.set_if_neq(ObjectState::AtRest);
        }
    }
}

/// Puts new bodies to sleep where they are, to the bit. rapier wakes what begins to touch, and a new
/// body begins to touch what it stands on; so let time stand still while the contacts are found, then
/// put the bodies back and to sleep, and let rapier take note of that.
fn lay_down(
    sleepers: &[RigidBodyHandle],
    simulation: &mut rapier::RapierContextSimulation,
    colliders: &mut rapier::RapierContextColliders,
    joints: &mut rapier::RapierContextJoints,
    set: &mut rapier::RapierRigidBodySet,
) {
    let poses: Vec<_> =
        sleepers.iter().map(|&handle| set.bodies.get(handle).map(|b| *b.position())).collect();
    let mut still = simulation.integration_parameters;
    still.dt = 1e-9;
    still.max_ccd_substeps = 0;
    for _ in 0..2 {
        simulation.pipeline.step(
            Vec3::ZERO,
            &still,
            &mut simulation.islands,
            &mut simulation.broad_phase,
            &mut simulation.narrow_phase,
            &mut set.bodies,
            &mut colliders.colliders,
            &mut joints.impulse_joints,
            &mut joints.multibody_joints,
            &mut simulation.ccd_solver,
            &(),
            &(),
        );
        for (&handle, pose) in sleepers.iter().zip(&poses) {
            let Some((body, pose)) = set.bodies.get_mut(handle).zip(*pose) else { continue };
            if *body.position() != pose {
                body.set_position(pose, false);
            }
            if !body.is_sleeping() {
                body.set_linvel(Vec3::ZERO, false);
                body.set_angvel(Vec3::ZERO, false);
                body.sleep();
            }
        }
    }
}

/// After a tick: who is slow, who rolls, who trembles, who has fallen.
pub(crate) fn watch(
    mut objects: Query<(
        &PhysicsObject,
        &rapier::RapierRigidBodyHandle,
        &rapier::RapierColliderHandle,
        &mut Watch,
        &mut ObjectState,
    )>,
    mut contexts: Query<(&rapier::RapierContextSimulation, &mut rapier::RapierRigidBodySet)>,
    settings: Res<PhysicsSettings>,
) {
    let Ok((simulation, mut set)) = contexts.single_mut() else { return };
    let tick_s = settings.tick_s();
    for (object, handle, collider, mut watch, mut state) in &mut objects {
        if object.motion != Motion::Dynamic || *state == ObjectState::Fallen {
            continue;
        }
        let Some(body) = set.bodies.get(handle.0) else { continue };
        if body.is_sleeping() {
            state.set_if_neq(ObjectState::AtRest);
            watch.set_if_neq(Watch::default());
            continue;
        }
        state.set_if_neq(ObjectState::Moving);
        let below = settings.fallen_below_y.is_some_and(|y| body.center_of_mass().y < y);
        if below || !body.translation().is_finite() {
            *state = ObjectState::Fallen;
            if let Some(body) = set.bodies.get_mut(handle.0) {
                body.set_enabled(false);
            }
            continue;
        }
        let (linear, angular) = (body.linvel(), body.angvel());
        let slow =
            linear.length() < settings.rest.linear_m_s && angular.length() < settings.rest.angular_rad_s;
        watch.awake_s += tick_s;
        let late = watch.awake_s - settings.calm_after_s;
        let (place, turn) = (body.translation(), *body.rotation());
        // |q·p| is the cosine of half the angle between; 1 − cos(a / 2) ≈ a² / 8.
        let angle = settings.rest.angular_rad_s * settings.rest.seconds;
        let turned = 1.0 - turn.dot(watch.anchor.1).abs() > angle * angle / 8.0;
        let reach = settings.rest.linear_m_s * settings.rest.seconds;
        if place.distance(watch.anchor.0) > reach || turned {
            watch.anchor = (place, turn);
            watch.anchored_s = 0.0;
        } else {
            watch.anchored_s += tick_s;
        }
        // It trembles, but by its mean speed it is at rest.
        let stays = late > 0.0 && watch.anchored_s >= settings.rest.seconds;
        let touches = || {
            simulation
                .narrow_phase
                .contact_pairs_with(collider.0)
                .any(|pair| pair.has_any_active_contact())
        };
        let slowed = (object.rolls || late > 0.0) && touches();
        // rapier judges rest by how far the surface moved in a tick; the rule is about speeds.
        let threshold = if stays { f32::MAX } else { settings.rest.linear_m_s };
        let keep_awake = !slow && !stays && body.activation().time_since_can_sleep > 0.0;
        let rethink = threshold != body.activation().normalized_linear_threshold;
        if slowed || keep_awake || rethink {
            let Some(body) = set.bodies.get_mut(handle.0) else { continue };
            if slowed {
                let late = late.max(0.0);
                let rolling = if object.rolls { 1.0 } else { 0.0 };
                let damping = CALM_DAMPING * late;
                body.set_linvel(braked(linear, damping, CALM_BRAKE_M_S2 * late, tick_s), false);
                let damping = damping + ROLLING_DAMPING * rolling;
                let brake = CALM_BRAKE_RAD_S2 * late + ROLLING_BRAKE_RAD_S2 * rolling;
                body.set_angvel(braked(angular, damping, brake, tick_s), false);
            }
            let activation = body.activation_mut();
            activation.normalized_linear_threshold = threshold;
            if keep_awake {
                activation.time_since_can_sleep = 0.0;
            }
        }
    }
}

/// A velocity after a tick of damping (1/s) and of friction that decelerates (per s²) until it stops.
fn braked(velocity: Vec3, damping: f32, brake: f32, tick_s: f32) -> Vec3 {
    let damped = velocity * (1.0 / (1.0 + damping * tick_s));
    let speed = damped.length();
    if speed > brake * tick_s { damped * (1.0 - brake * tick_s / speed) } else { Vec3::ZERO }
}
