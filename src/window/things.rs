//! Objects that a hand drops and pushes: a world with the physics plugin over the scene that is shown.

use ambler_geometry::{Affine, Quat, Vec3};
use ambler_plugin_physics::{
    ObjectShape, ObjectSpec, ObjectState, PhysicsObject, PhysicsPlugin, PhysicsSettings, StageShape,
    set_velocity, spawn_objects, wake,
};
use ambler_plugin_simulation::Simulation;
use ambler_scene::library::Library;
use ambler_scene::{Instance, Material, Placement, SceneModel};
use ambler_sensor::{Moved, Renderer};
use ambler_session::{StageView, Things};
use bevy::prelude::{Entity, Transform};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Ticks of a look: a twentieth of a second.
const TICKS: u32 = 12;
/// The lowest point of what is dropped is let go so far above the place, metres.
const ABOVE_M: f32 = 0.25;
/// The scene's own things have no mass: so much as if three tenths of the box around them were of wood,
/// kilograms a cubic metre.
const DENSITY: f32 = 180.0;
/// Limits of such a mass, kilograms.
const MASSES_KG: [f32; 2] = [0.1, 60.0];
/// What is screwed to the building.
const FIXED: [&str; 16] = [
    "bathtub",
    "ceiling_lamp",
    "counter",
    "curtain",
    "door",
    "door_frame",
    "picture",
    "shower",
    "shower_curtain",
    "sink",
    "staircase",
    "tap",
    "toilet",
    "towel_rack",
    "window",
    "window_frame",
];
/// Larger things of a scene are taken as part of the building, metres.
const LARGEST_M: f32 = 3.0;

/// A thing with a body.
#[derive(Clone)]
struct Loose {
    id: u32,
    name: String,
    shape: Arc<ObjectShape>,
    rolls: bool,
    /// Where the scene has it.
    home: (Vec3, Quat),
    /// Where it is.
    now: (Vec3, Quat),
    entity: Option<Entity>,
    lost: bool,
}

/// The objects of one scene.
pub(super) struct Playroom {
    library: Arc<Library>,
    scene: Arc<SceneModel>,
    renderer: Arc<Renderer>,
    loose: Vec<Loose>,
    world: Option<Simulation>,
    /// Own things of the scene that have bodies: the stage is without them.
    taken: BTreeSet<u32>,
    stage: Option<Arc<StageShape>>,
    lost: Vec<String>,
}

impl Playroom {
    pub(super) fn new(stage: &StageView, library: Arc<Library>) -> Self {
        Self {
            library,
            scene: Arc::clone(&stage.scene),
            renderer: Arc::clone(&stage.renderer),
            loose: Vec::new(),
            world: None,
            taken: BTreeSet::new(),
            stage: None,
            lost: Vec::new(),
        }
    }

    /// The world with all that is loose, as it is.
    fn world(&mut self) -> &mut Simulation {
        if self.world.is_none() {
            let own: BTreeSet<u32> = self.loose.iter().map(|loose| loose.id).collect();
            let stage = self.stage.get_or_insert_with(|| {
                Arc::new(StageShape::new(&self.scene, |instance| own.contains(&instance)))
            });
            let settings = PhysicsSettings { ticks_per_step: TICKS, ..PhysicsSettings::default() };
            let plugin = PhysicsPlugin { stage: Arc::clone(stage), settings };
            let mut simulation = Simulation::new(|app| {
                app.add_plugins(plugin);
            });
            for loose in self.loose.iter_mut().filter(|loose| !loose.lost) {
                let mut spec = spec_of(loose);
                spec.asleep = true;
                loose.entity = spawn_objects(simulation.world_mut(), &[spec]).first().copied();
            }
            self.world = Some(simulation);
        }
        self.world.get_or_insert_with(|| Simulation::new(|_| {}))
    }

    fn add(&mut self, mut loose: Loose) {
        let spec = spec_of(&loose);
        let entity = spawn_objects(self.world().world_mut(), &[spec]).first().copied();
        loose.entity = entity;
        self.loose.push(loose);
    }

    /// Gives a body to a thing of the scene that stands by itself.
    fn take(&mut self, id: u32) -> Result<(), String> {
        let scene = &self.scene;
        let instance = scene.instance(id).ok_or("there is no such thing")?;
        let category = scene.category_name(instance.category);
        let size = instance.bounds.size();
        let fixed = ambler_scene::is_structural(category) || FIXED.contains(&category);
        if fixed || size.max_element() > LARGEST_M {
            return Err(format!("{} is part of the building", instance.name));
        }
        if !Moved::can_move(scene, id) {
            let what = "is part of the scan's one mesh: only what has a mesh of its own can be moved";
            return Err(format!("{} {what}", instance.name));
        }
        let mut points = Vec::new();
        for placement in scene.placements.iter().filter(|placement| placement.instance == id) {
            let Some(mesh) = scene.meshes.get(placement.mesh as usize) else { continue };
            points.extend(mesh.positions.iter().map(|&at| placement.world_from_mesh.point(at)));
        }
        let middle = instance.bounds.center();
        points.iter_mut().for_each(|point| *point -= middle);
        let volume = size.x * size.y * size.z;
        let mass_kg = (volume * DENSITY).clamp(MASSES_KG[0], MASSES_KG[1]);
        let shape = ObjectShape::from_hulls([points.as_slice()], mass_kg)
            .map_err(|error| format!("{}: {error}", instance.name))?;
        let place = (middle, Quat::IDENTITY);
        let name = instance.name.clone();
        self.loose.push(Loose {
            id,
            name,
            shape,
            rolls: false,
            home: place,
            now: place,
            entity: None,
            lost: false,
        });
        self.taken.insert(id);
        // The stage loses it, so that both are built anew.
        (self.stage, self.world) = (None, None);
        Ok(())
    }
}

fn spec_of(loose: &Loose) -> ObjectSpec {
    let (position, rotation) = loose.now;
    let mut spec = ObjectSpec::new(loose.id, Arc::clone(&loose.shape), position, rotation);
    spec.rolls = loose.rolls;
    spec
}

impl Things for Playroom {
    fn drop(&mut self, object: &str, at: Vec3) -> Result<u32, String> {
        let library = Arc::clone(&self.library);
        let found = library.object(object).ok_or_else(|| {
            format!("the library has no object {object:?}; the World panel lists what there is")
        })?;
        if !at.is_finite() {
            return Err("the place is not finite".to_owned());
        }
        let shape = ObjectShape::of_library(found).map_err(|error| format!("{object}: {error}"))?;
        // As it usually stands.
        let usual = found.poses.iter().max_by(|a, b| a.probability.total_cmp(&b.probability));
        let rotation = usual.map_or(Quat::IDENTITY, |pose| pose.rotation);
        let bounds = shape.bounds_turned(rotation);
        let position =
            Vec3::new(at.x - bounds.center().x, at.y + ABOVE_M - bounds.min.y, at.z - bounds.center().z);
        let model = found.model().map_err(|error| error.to_string())?.to_scene(object, &found.category);
        // The physics world must be that of the scene before: it knows the thing as a body.
        self.world();
        let place = Affine::from_rotation_translation(rotation, position);
        let id = add_to(Arc::make_mut(&mut self.scene), &model, &place, &found.category);
        self.renderer = Arc::new(Renderer::sharing(&self.renderer, Arc::clone(&self.scene)));
        let name = format!("{object}_{id}");
        let place = (position, rotation);
        self.add(Loose {
            id,
            name,
            shape,
            rolls: found.rolls,
            home: place,
            now: place,
            entity: None,
            lost: false,
        });
        Ok(id)
    }

    fn push(&mut self, instance: u32, way: Vec3) -> Result<(), String> {
        if !way.is_finite() || way.length() > 20.0 {
            return Err("a push is at most 20 m/s".to_owned());
        }
        if !self.loose.iter().any(|loose| loose.id == instance) {
            self.take(instance)?;
        }
        self.world();
        let entity = self.loose.iter().find(|loose| loose.id == instance && !loose.lost);
        let entity = entity.and_then(|loose| loose.entity).ok_or("it fell out of the scene")?;
        let simulation = self.world();
        // rapier knows a body once a step has taken it over.
        simulation.step();
        let world = simulation.world_mut();
        wake(world, entity);
        set_velocity(world, entity, way, Vec3::ZERO);
        Ok(())
    }

    fn pass(&mut self) -> bool {
        let Some(simulation) = &mut self.world else { return false };
        simulation.step();
        let world = simulation.world_mut();
        let mut states: BTreeMap<u32, (ObjectState, Vec3, Quat)> = BTreeMap::new();
        let mut query = world.query::<(&PhysicsObject, &ObjectState, &Transform)>();
        for (object, state, place) in query.iter(world) {
            states.insert(object.id, (*state, place.translation, place.rotation));
        }
        let mut moving = false;
        for loose in &mut self.loose {
            let Some(&(state, position, rotation)) = states.get(&loose.id) else { continue };
            loose.now = (position, rotation);
            moving |= state == ObjectState::Moving;
            if state == ObjectState::Fallen && !loose.lost {
                loose.lost = true;
                self.lost.push(loose.name.clone());
            }
        }
        moving
    }

    fn scene(&self) -> (Arc<SceneModel>, Arc<Renderer>) {
        (Arc::clone(&self.scene), Arc::clone(&self.renderer))
    }

    fn moved(&self) -> Moved {
        let mut moved = Moved::default();
        for loose in &self.loose {
            if loose.lost {
                moved.hide(loose.id);
            } else if loose.now != loose.home {
                let turned = loose.now.1 * loose.home.1.inverse();
                let shift = loose.now.0 - turned * loose.home.0;
                moved.set(loose.id, Affine::from_rotation_translation(turned, shift));
            }
        }
        moved
    }

    fn lost(&mut self) -> Vec<String> {
        std::mem::take(&mut self.lost)
    }
}

/// Puts a model into a scene, in a place; returns its id.
fn add_to(scene: &mut SceneModel, model: &SceneModel, place: &Affine, category: &str) -> u32 {
    let id = scene.instances.last().map_or(1, |last| last.id.saturating_add(1));
    let category_index = scene.category_index(category).unwrap_or_else(|| {
        scene.categories.push(category.to_owned());
        scene.categories.len() as u32 - 1
    });
    let [meshes, materials, textures] =
        [scene.meshes.len(), scene.materials.len(), scene.textures.len()].map(|count| count as u32);
    scene.meshes.extend(model.meshes.iter().cloned());
    scene.textures.extend(model.textures.iter().cloned());
    scene.materials.extend(model.materials.iter().map(|material| Material {
        texture: material.texture.map(|texture| texture + textures),
        ..material.clone()
    }));
    let mut bounds = ambler_geometry::Aabb::EMPTY;
    for placement in &model.placements {
        let world_from_mesh = place.compose(&placement.world_from_mesh);
        if let Some(mesh) = model.meshes.get(placement.mesh as usize) {
            mesh.positions.iter().for_each(|&at| bounds.grow(world_from_mesh.point(at)));
        }
        scene.placements.push(Placement {
            mesh: placement.mesh + meshes,
            material: placement.material + materials,
            world_from_mesh,
            instance: id,
        });
    }
    scene.instances.push(Instance {
        id,
        source_id: i64::from(id),
        name: format!("{}_{id}", model.name),
        category: category_index,
        bounds,
    });
    id
}
