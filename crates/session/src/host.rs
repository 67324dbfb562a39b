use crate::drive::History;
use crate::things::{LibraryRow, Things};
use crate::{Ending, Parting};
use ambler_agent::Policy;
use ambler_body::{Action, BodyPreset};
use ambler_episode::{Episode, SuccessRule};
use ambler_evaluate::Simulation;
use ambler_navmesh::NavMesh;
use ambler_scene::SceneModel;
use ambler_sensor::{CameraSpec, Renderer};
use std::path::PathBuf;
use std::sync::Arc;

/// A scene with everything derived from it.
#[derive(Clone)]
pub struct StageView {
    /// The scene.
    pub scene: Arc<SceneModel>,
    /// The navmesh that the body walks on.
    pub navmesh: Arc<NavMesh>,
    /// Draws the scene.
    pub renderer: Arc<Renderer>,
    /// What the host wants kept as long as the scene is shown.
    pub keep: Arc<dyn std::any::Any + Send + Sync>,
}

/// Another way through an episode, as it was recorded.
#[derive(Clone, Debug, Default)]
pub struct Other {
    /// How it went.
    pub history: History,
    /// In what the recordings part, the earliest first.
    pub partings: Vec<Parting>,
}

/// What an engine is given to work with. Implemented above this crate.
pub trait Host: Send {
    /// The episodes of the sitting, in their order.
    fn episodes(&self) -> &[Arc<Episode>];

    /// How an episode went that was recorded, to be looked at; `None` where it is to be driven.
    fn history(&self, index: usize) -> Option<History> {
        let _ = index;
        None
    }

    /// Another recording of an episode, to be shown beside.
    fn other(&self, index: usize) -> Option<Other> {
        let _ = index;
        None
    }

    /// The objects that can be dropped.
    ///
    /// # Errors
    /// Why there are none.
    fn library(&mut self) -> Result<Vec<LibraryRow>, String> {
        Err("there are no objects to drop here".to_owned())
    }

    /// A world in which a hand moves the objects of a scene.
    ///
    /// # Errors
    /// Why there is none.
    fn things(&mut self, stage: &StageView) -> Result<Box<dyn Things>, String> {
        let _ = stage;
        Err("objects cannot be moved here".to_owned())
    }

    /// How those ended that were driven before, in the same order.
    fn outcomes(&self) -> Vec<Option<Ending>>;

    /// Loads a scene, or shares it.
    ///
    /// # Errors
    /// Why there is none.
    fn stage(&self, scene: &str) -> Result<StageView, String>;

    /// A simulation for the episodes of a scene.
    ///
    /// # Errors
    /// Why there is none.
    fn simulation(&self, scene: &str) -> Result<Box<dyn Simulation>, String>;

    /// A policy by its name.
    ///
    /// # Errors
    /// Why there is none.
    fn policy(&self, name: &str) -> Result<Box<dyn Policy>, String>;

    /// The body.
    fn body(&self) -> &BodyPreset;

    /// Cameras on the body.
    fn cameras(&self) -> &[CameraSpec];

    /// What counts as success.
    fn rule(&self, episode: &Episode) -> SuccessRule;

    /// Most actions in an episode.
    fn step_limit(&self) -> u32;

    /// Keeps what was driven; says where.
    ///
    /// # Errors
    /// Why it could not be kept.
    fn save(&mut self, index: usize, actor: &str, actions: &[Action]) -> Result<PathBuf, String>;
}
