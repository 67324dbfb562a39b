//! The physics behind SD-OVON's placement: rapier, one fresh world a fall.

use ambler_geometry::{Quat, Vec3};
use ambler_plugin_physics::{
    ObjectShape, ObjectSpec, ObjectState, PhysicsPlugin, StageShape, pressed, settle, spawn_objects,
};
use ambler_plugin_simulation::Simulation;
use ambler_scene::SceneModel;
use ambler_scene::library::LibraryObject;
use ambler_sdovon::place::{Body, Motion, Rested, Settle};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Falls in one home. Shared by workers: the home's shape and the objects' are made once.
pub struct Falls {
    stage: Arc<StageShape>,
    shapes: Mutex<BTreeMap<String, Result<Arc<ObjectShape>, String>>>,
}

/// Overlaps smaller than this are contacts, metres.
const CONTACT_M: f32 = 0.003;

impl Falls {
    /// In this home.
    pub fn new(scene: &SceneModel) -> Self {
        Self::without(scene, |_| false)
    }

    /// In this home without the instances for which `gone` says so.
    pub fn without(scene: &SceneModel, gone: impl Fn(u32) -> bool) -> Self {
        Self { stage: Arc::new(StageShape::new(scene, gone)), shapes: Mutex::default() }
    }

    fn shape(&self, object: &LibraryObject) -> Result<Arc<ObjectShape>, String> {
        let mut shapes = self.shapes.lock().unwrap_or_else(PoisonError::into_inner);
        let made = || ObjectShape::of_library(object).map_err(|e| format!("{}: {e}", object.name));
        shapes.entry(object.name.clone()).or_insert_with(made).clone()
    }
}

impl Settle for Falls {
    fn is_free(&self, object: &LibraryObject, position: Vec3, rotation: Quat) -> bool {
        self.shape(object).is_ok_and(|shape| !self.stage.overlaps(&shape, position, rotation))
    }

    fn settle(&self, bodies: &[Body<'_>], seconds: f32) -> Result<Vec<Rested>, String> {
        if bodies.is_empty() {
            return Ok(Vec::new());
        }
        let mut specs = Vec::with_capacity(bodies.len());
        for body in bodies {
            let shape = self.shape(body.object)?;
            let mut spec = ObjectSpec::new(body.id, shape, body.position, body.rotation);
            spec.asleep = body.asleep;
            spec.rolls = body.object.rolls;
            specs.push(spec);
        }
        let mut simulation = Simulation::new(|app| {
            app.add_plugins(PhysicsPlugin::new(Arc::clone(&self.stage)));
        });
        let world = simulation.world_mut();
        spawn_objects(world, &specs);
        let report = settle(world, seconds);
        let overlaps: BTreeMap<u32, f32> = pressed(world, CONTACT_M).into_iter().collect();
        let ended: BTreeMap<u32, Rested> = report
            .objects
            .iter()
            .map(|settled| {
                let motion = match settled.state {
                    ObjectState::AtRest => Motion::AtRest,
                    ObjectState::Moving => Motion::Moving,
                    ObjectState::Fallen => Motion::Fallen,
                };
                let overlap_m = overlaps.get(&settled.id).copied().unwrap_or(0.0);
                let (position, rotation) = (settled.position, settled.rotation);
                (settled.id, Rested { id: settled.id, position, rotation, motion, overlap_m })
            })
            .collect();
        let lost = |id: u32| format!("body {id} is gone after the fall");
        bodies.iter().map(|body| ended.get(&body.id).copied().ok_or_else(|| lost(body.id))).collect()
    }
}
