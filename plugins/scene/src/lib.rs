//! The scene and its navmesh as resources of a simulation's world.
//!
//! The scene is shared with every other world behind an `Arc` and never changes; what has moved in
//! this world is said beside it. The navmesh is shared too, while its query has scratch memory of its
//! own in each world. This crate never reads a file and adds no system.
//!
//! ```
//! use ambler_plugin_scene::{LoadedScene, ScenePlugin};
//! use ambler_plugin_simulation::Simulation;
//! use ambler_scene::SceneModel;
//! use std::sync::Arc;
//!
//! let scene = Arc::new(SceneModel { name: "empty".into(), ..Default::default() });
//! let simulation = Simulation::new(|app| {
//!     app.add_plugins(ScenePlugin { scene: Arc::clone(&scene) });
//! });
//! assert_eq!(simulation.world().resource::<LoadedScene>().0.name, "empty");
//! ```

use ambler_navmesh::NavQuery;
use ambler_scene::SceneModel;
use ambler_sensor::Moved;
use bevy::prelude::*;
use std::sync::Arc;

/// The scene that the world is about.
#[derive(Resource, Clone)]
pub struct LoadedScene(pub Arc<SceneModel>);

/// Queries on the navmesh that the body walks on.
#[derive(Resource)]
pub struct Navigation(pub NavQuery);

/// Where instances are that no longer stand where the scene placed them: physics fills it, cameras
/// read it. Empty at the start of a world.
#[derive(Resource, Default)]
pub struct MovedInstances(pub Moved);

/// Puts the scene into the world.
pub struct ScenePlugin {
    /// The scene, shared.
    pub scene: Arc<SceneModel>,
}

impl Plugin for ScenePlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(LoadedScene(Arc::clone(&self.scene)));
        app.init_resource::<MovedInstances>();
    }
}
