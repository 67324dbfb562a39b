//! Ticks: rapier's sets in schedules of their own, run while a body is awake.

use crate::object::PhysicsObject;
use crate::settings::PhysicsSettings;
use crate::watch;
use ambler_geometry::{Quat, Vec3};
use ambler_plugin_scene::MovedInstances;
use bevy::ecs::schedule::{ScheduleLabel, SingleThreadedExecutor};
use bevy::prelude::*;
use bevy_rapier3d::plugin::{NoUserData, PhysicsSet, RapierPhysicsPlugin, systems};
use bevy_rapier3d::prelude as rapier;
use bevy_rapier3d::rapier::geometry::ColliderHandle;

/// Takes what the world says over into rapier: new bodies, moved bodies, removed bodies.
#[derive(ScheduleLabel, Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct PhysicsSync;

/// One tick of constant length.
#[derive(ScheduleLabel, Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct PhysicsTick;

/// Takes what rapier says over into the world.
#[derive(ScheduleLabel, Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct PhysicsWriteback;

/// Ticks made since the episode began.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PhysicsTime(pub u64);

/// Something was added, removed or moved: one tick must run even if all bodies sleep.
#[derive(Resource, Default)]
struct Touched(bool);

pub(crate) fn add(app: &mut App, settings: &PhysicsSettings) {
    app.insert_resource(rapier::TimestepMode::Fixed { dt: settings.tick_s(), substeps: 1 });
    app.insert_resource(Time::<()>::default());
    // An `App::empty` has no registry; rapier registers its types.
    app.init_resource::<AppTypeRegistry>();
    app.init_resource::<PhysicsTime>();
    app.init_resource::<Touched>();
    app.add_plugins(
        RapierPhysicsPlugin::<NoUserData>::default()
            .with_custom_initialization(rapier::RapierContextInitialization::NoAutomaticRapierContext)
            .with_default_system_setup(false),
    );
    let mut context = rapier::RapierContextSimulation::default();
    let parameters = &mut context.integration_parameters;
    // The tolerances are made for things of a metre; ours are often of a few centimetres.
    parameters.normalized_contact_recycle_distance = 0.002;
    parameters.normalized_allowed_linear_error = 0.001;
    // What falls from a table covers a centimetre in a tick, half of a chair's board: contacts are
    // seen twice that far ahead.
    parameters.normalized_prediction_distance = 0.02;
    // A cube that lands flat stays within half a millimetre of where it lands; with rapier's
    // defaults (4, 1, no friction in the bias pass) it slides a centimetre.
    parameters.num_solver_iterations = 8;
    parameters.num_internal_pgs_iterations = 4;
    parameters.friction_in_bias_pass = true;
    // Clusters keep four points of all that a thing touches in one plane; a thin thing on a mesh of
    // many triangles then tips through it.
    parameters.contact_clustering = false;
    let mut configuration = rapier::RapierConfiguration::new(1.0);
    configuration.gravity = Vec3::new(0.0, settings.gravity_y, 0.0);
    app.world_mut().spawn((
        rapier::DefaultRapierContext,
        context,
        configuration,
        rapier::RapierContextColliders::default(),
        rapier::RapierContextJoints::default(),
        rapier::RapierRigidBodySet::default(),
        rapier::SimulationToRenderTime::default(),
    ));
    let mut schedules =
        [Schedule::new(PhysicsSync), Schedule::new(PhysicsTick), Schedule::new(PhysicsWriteback)];
    schedules.iter_mut().for_each(|schedule| {
        schedule.set_executor(SingleThreadedExecutor::new());
    });
    let [mut sync, mut tick, mut writeback] = schedules;
    type Systems = RapierPhysicsPlugin<NoUserData>;
    sync.add_systems(
        (
            notice_removed,
            global_places,
            // rapier's own set, [`PhysicsSet::SyncBackend`], without Bevy's propagation of transforms
            // (those systems differ from build to build), joints and character controllers.
            (
                systems::on_change_context,
                systems::sync_removals,
                systems::init_rigid_bodies,
                systems::init_colliders,
                systems::apply_scale,
                systems::apply_collider_user_changes,
                systems::apply_initial_rigid_body_impulses,
                systems::apply_rigid_body_user_changes,
            )
                .chain(),
            (watch::prepare, notice).chain(),
        )
            .chain(),
    );
    tick.add_systems(
        (Systems::get_systems(PhysicsSet::StepSimulation), watch::watch, forget_messages).chain(),
    );
    writeback.add_systems(Systems::get_systems(PhysicsSet::Writeback));
    app.add_schedule(sync);
    app.add_schedule(tick);
    app.add_schedule(writeback);
}

/// Runs the ticks of one discrete action, or none where every body sleeps and nothing was touched.
pub(crate) fn advance(world: &mut World) {
    let ticks = world.resource::<PhysicsSettings>().ticks_per_step;
    run(world, ticks);
}

/// Runs up to `ticks` ticks, fewer where everything comes to rest. Returns how many were run.
pub(crate) fn run(world: &mut World, ticks: u32) -> u32 {
    world.run_schedule(PhysicsSync);
    let mut done = 0;
    while done < ticks {
        let touched = std::mem::take(&mut world.resource_mut::<Touched>().0);
        if !touched && !is_active(world) {
            break;
        }
        world.run_schedule(PhysicsTick);
        done += 1;
    }
    let mut time = world.resource_mut::<PhysicsTime>();
    time.0 += u64::from(ticks);
    if done > 0 {
        world.run_schedule(PhysicsWriteback);
        tell_moved(world);
    }
    done
}

/// Tells the cameras where things are.
fn tell_moved(world: &mut World) {
    let Some(mut told) = world.remove_resource::<MovedInstances>() else { return };
    let mut objects = world.query::<(&PhysicsObject, &Transform)>();
    for (object, place) in objects.iter(world) {
        if *place == object.home {
            told.0.reset(object.id);
        } else {
            told.0.set(object.id, object.world_from_home(place));
        }
    }
    world.insert_resource(told);
}

fn is_active(world: &mut World) -> bool {
    let mut sets = world.query::<&rapier::RapierRigidBodySet>();
    sets.iter(world).any(|set| {
        let mut moves = false;
        let mut dynamic = false;
        for (_, body) in set.bodies.iter() {
            if body.is_dynamic() {
                dynamic |= body.is_enabled();
                moves |= body.is_enabled() && !body.is_sleeping();
            } else if body.is_kinematic() {
                moves |= body.linvel() != Vec3::ZERO || body.angvel() != Vec3::ZERO;
                dynamic = true;
            }
        }
        moves && dynamic
    })
}

/// Bodies have no parents: their global place is their place.
fn global_places(
    mut moved: Query<(&Transform, &mut GlobalTransform), (Changed<Transform>, With<rapier::RigidBody>)>,
) {
    for (place, mut global) in &mut moved {
        *global = GlobalTransform::from(*place);
    }
}

fn notice_removed(
    mut removed: RemovedComponents<rapier::RapierRigidBodyHandle>,
    mut touched: ResMut<Touched>,
) {
    if removed.read().count() > 0 {
        touched.0 = true;
    }
}

fn notice(
    added: Query<&PhysicsObject, Added<rapier::RapierRigidBodyHandle>>,
    moved: Query<(&rapier::RigidBody, Ref<Transform>), Changed<Transform>>,
    mut touched: ResMut<Touched>,
) {
    // Bodies of the dynamic kind that were moved are awake; of the others only the user moves them.
    if added.iter().any(|object| !object.asleep_at_start)
        || moved.iter().any(|(body, place)| *body == rapier::RigidBody::Fixed && !place.is_added())
    {
        touched.0 = true;
    }
}

/// rapier's messages live for a tick: nothing here reads them later, and they would pile up.
fn forget_messages(
    mut collisions: ResMut<Messages<rapier::CollisionEvent>>,
    mut forces: ResMut<Messages<rapier::ContactForceEvent>>,
    mut masses: ResMut<Messages<rapier::MassModifiedEvent>>,
) {
    collisions.update();
    forces.update();
    masses.update();
}

/// Gives a kinematic body its velocity (m/s) and turn (rad/s about the world's axes), or pushes a
/// dynamic one. Takes effect with the next step; what it runs into wakes up.
pub fn set_velocity(world: &mut World, entity: Entity, linear: Vec3, angular: Vec3) {
    if let Ok(mut entity) = world.get_entity_mut(entity) {
        entity.insert(rapier::Velocity { linear, angular });
    }
}

/// Puts a thing elsewhere. It wakes up there.
pub fn set_pose(world: &mut World, entity: Entity, position: Vec3, rotation: Quat) {
    if let Ok(mut entity) = world.get_entity_mut(entity)
        && entity.contains::<PhysicsObject>()
    {
        let place = Transform::from_translation(position).with_rotation(rotation.normalize());
        entity.insert((place, GlobalTransform::from(place)));
    }
}

/// Wakes a thing and everything that rests on it or that it rests on, through any number of contacts.
pub fn wake(world: &mut World, entity: Entity) {
    let Some(&rapier::RapierColliderHandle(start)) = world.get(entity) else { return };
    wake_from(world, vec![start]);
}

fn wake_from(world: &mut World, mut open: Vec<ColliderHandle>) {
    let mut contexts = world.query::<(
        &mut rapier::RapierContextSimulation,
        &mut rapier::RapierContextColliders,
        &mut rapier::RapierRigidBodySet,
    )>();
    let Ok((mut simulation, colliders, mut set)) = contexts.single_mut(world) else { return };
    let mut seen: Vec<ColliderHandle> = open.clone();
    let simulation = &mut *simulation;
    while let Some(collider) = open.pop() {
        let body = colliders.colliders.get(collider).and_then(|collider| collider.parent());
        let Some(body) = body.filter(|&body| set.bodies.get(body).is_some_and(|b| b.is_dynamic()))
        else {
            continue;
        };
        simulation.islands.wake_up(&mut set.bodies, body, true);
        for pair in simulation.narrow_phase.contact_pairs_with(collider) {
            let other = if pair.collider1 == collider { pair.collider2 } else { pair.collider1 };
            if pair.has_any_active_contact() && !seen.contains(&other) {
                seen.push(other);
                open.push(other);
            }
        }
    }
}

/// Takes a thing out of the world. What touched it wakes up at once.
pub fn remove_object(world: &mut World, entity: Entity) {
    if world.get::<PhysicsObject>(entity).is_none() {
        return;
    }
    if let Some(&rapier::RapierColliderHandle(collider)) = world.get(entity) {
        let mut contexts = world.query::<&rapier::RapierContextSimulation>();
        let neighbours = contexts.single(world).map_or(Vec::new(), |simulation| {
            simulation
                .narrow_phase
                .contact_pairs_with(collider)
                .filter(|pair| pair.has_any_active_contact())
                .map(|pair| if pair.collider1 == collider { pair.collider2 } else { pair.collider1 })
                .collect()
        });
        wake_from(world, neighbours);
    }
    if let Some(object) = world.get::<PhysicsObject>(entity) {
        let id = object.id;
        if let Some(mut told) = world.get_resource_mut::<MovedInstances>() {
            told.0.hide(id);
        }
    }
    world.despawn(entity);
}

/// Contact points of bodies that are awake in the last tick; 0 once everything sleeps.
pub fn active_contact_points(world: &mut World) -> usize {
    let mut contexts = world.query::<(
        &rapier::RapierContextSimulation,
        &rapier::RapierContextColliders,
        &rapier::RapierRigidBodySet,
    )>();
    let Ok((simulation, colliders, set)) = contexts.single(world) else { return 0 };
    let awake = |collider: ColliderHandle| {
        let body = colliders.colliders.get(collider).and_then(|collider| collider.parent());
        body.and_then(|body| set.bodies.get(body)).is_some_and(|b| b.is_dynamic() && !b.is_sleeping())
    };
    simulation
        .narrow_phase
        .contact_pairs()
        .filter(|pair| awake(pair.collider1) || awake(pair.collider2))
        .flat_map(|pair| &pair.manifolds)
        .map(|manifold| manifold.points.iter().filter(|point| point.dist <= 0.001).count())
        .sum()
}
