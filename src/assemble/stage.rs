use super::memory::{found_seeds, scene_memory};
use super::scene_cache::{LoadedScene, load_scene};
use crate::exit::Failure;
use crate::locate::{self, SceneRoots};
use crate::settings::Settings;
use crate::terminal;
use ambler_body::BodyPreset;
use ambler_episode::generate::obstacles;
use ambler_model::SceneMemory;
use ambler_navmesh::{NavMesh, NavMeshSettings};
use ambler_scene::{ReadOptions, SceneModel, UpAxis, is_structural};
use ambler_sensor::Renderer;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// A scene with everything derived from it. Immutable; all workers share one.
pub struct Stage {
    /// The scene.
    pub scene: Arc<SceneModel>,
    /// The navmesh that the body walks on.
    pub navmesh: Arc<NavMesh>,
    loaded: LoadedScene,
    /// Of a scene that was given labels of its own.
    labelled: OnceLock<Arc<Renderer>>,
    /// Its name, and the folder with an analysis of it that agents remember, if not what is annotated.
    analysed: Option<(String, PathBuf)>,
    /// What an agent remembers of it.
    memory: OnceLock<Result<Arc<SceneMemory>, String>>,
}

impl Stage {
    /// What an agent with eyes at this height that explored the base scene remembers of it; made when it
    /// is first wanted. All users of a stage have one body.
    ///
    /// # Errors
    /// When the base has no floor for the body, or the analysis is not there.
    pub fn memory(&self, navmesh: &NavMeshSettings, eye_m: f32) -> Result<Arc<SceneMemory>, String> {
        let make = || {
            let found = self.analysed.as_ref().map(|(scene, folder)| found_seeds(folder, scene));
            let memory = scene_memory(&self.loaded.scene, found.transpose()?, navmesh, eye_m)?;
            Ok(Arc::new(memory))
        };
        self.memory.get_or_init(make).clone()
    }

    /// The renderer of the scene, prepared when it is first wanted.
    pub fn renderer(&self) -> &Arc<Renderer> {
        if Arc::ptr_eq(&self.scene, &self.loaded.scene) {
            return self.loaded.renderer();
        }
        self.labelled
            .get_or_init(|| Arc::new(Renderer::sharing(self.loaded.renderer(), Arc::clone(&self.scene))))
    }
}

/// What a stage depends on besides the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct StageSettings {
    /// Axis of scene files that points up.
    pub up: UpAxis,
    /// The navmesh that is built where none is loaded.
    pub navmesh: NavMeshSettings,
    /// Build the navmesh even where a `.navmesh` file lies beside the scene.
    pub rebuild_navmesh: bool,
    /// Label what stands on the floor as `obstacle` in scenes without labels, as the generator of
    /// object goals does: episodes ask for that category.
    pub label_obstacles: bool,
    /// Folder of variants with analyses that agents remember, if not what is annotated.
    pub memory: Option<PathBuf>,
}

impl StageSettings {
    /// From the settings of a command and its body.
    ///
    /// # Errors
    /// An unknown up axis.
    pub fn new(settings: &Settings, body: &BodyPreset) -> Result<Self, Failure> {
        let up = settings.up.as_deref().unwrap_or("y").parse().map_err(Failure::Usage)?;
        Ok(Self {
            up,
            navmesh: body.navmesh_settings(),
            rebuild_navmesh: settings.rebuild_navmesh.unwrap_or(false),
            label_obstacles: false,
            memory: settings.memory.clone(),
        })
    }

    /// What a recorded episode was run with.
    ///
    /// # Errors
    /// An unknown up axis.
    pub fn of_log(header: &ambler_replay::Header) -> Result<Self, Failure> {
        Ok(Self {
            up: header.up.parse().map_err(Failure::Input)?,
            navmesh: header.body.navmesh_settings(),
            rebuild_navmesh: header.rebuild_navmesh,
            label_obstacles: header.label_obstacles,
            memory: None,
        })
    }
}

/// Loads stages and hands out shared ones. A stage lives as long as somebody holds it.
pub struct StageStore {
    roots: SceneRoots,
    settings: StageSettings,
    stages: Mutex<BTreeMap<String, Arc<Mutex<Weak<Stage>>>>>,
}

impl StageStore {
    /// A store over these folders.
    pub fn new(roots: SceneRoots, settings: StageSettings) -> Self {
        Self { roots, settings, stages: Mutex::default() }
    }

    /// The stage of a scene as episodes name it, loaded now or shared with whoever holds it.
    ///
    /// # Errors
    /// The scene is not found or cannot be read, or has no floor for the body.
    pub fn get(&self, scene_id: &str) -> Result<Arc<Stage>, Failure> {
        let slot = {
            let mut stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(stages.entry(scene_id.to_string()).or_default())
        };
        // Workers that want the same scene wait here for the one that loads it; others go on.
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(stage) = slot.upgrade() {
            return Ok(stage);
        }
        let stage = Arc::new(self.load(scene_id)?);
        *slot = Arc::downgrade(&stage);
        Ok(stage)
    }

    fn load(&self, scene_id: &str) -> Result<Stage, Failure> {
        let path = self.roots.find(scene_id)?;
        let loaded = load_scene(&path, &ReadOptions::with_up(self.settings.up))?;
        let scene = &loaded.scene;
        let navmesh = self.navmesh(&path, scene)?;
        let unlabelled = scene.categories.iter().all(|name| name.is_empty() || is_structural(name));
        let scene = if self.settings.label_obstacles && unlabelled {
            Arc::new(obstacles::label(scene, &navmesh))
        } else {
            Arc::clone(scene)
        };
        let analysed = self.settings.memory.clone().map(|folder| (scene_id.to_owned(), folder));
        Ok(Stage {
            analysed,
            scene,
            navmesh: Arc::new(navmesh),
            loaded,
            labelled: OnceLock::new(),
            memory: OnceLock::new(),
        })
    }

    fn navmesh(&self, path: &Path, scene: &SceneModel) -> Result<NavMesh, Failure> {
        let beside = navmesh_beside(path);
        if let Some(file) = beside.filter(|file| !self.settings.rebuild_navmesh && file.is_file()) {
            let navmesh = NavMesh::read(&file)?;
            if *navmesh.settings() != self.settings.navmesh {
                terminal::log(&format!(
                    "note: {} was built for another body ({:.2} m high, {:.2} m radius); --rebuild-navmesh builds one for this body",
                    file.display(),
                    navmesh.settings().agent_height_m,
                    navmesh.settings().agent_radius_m,
                ));
            }
            return Ok(navmesh);
        }
        Ok(build_navmesh(scene, &self.settings.navmesh)?)
    }
}

/// The navmesh of a scene, from the cache where it has been built before.
pub fn build_navmesh(
    scene: &SceneModel,
    settings: &NavMeshSettings,
) -> Result<NavMesh, ambler_navmesh::NavMeshError> {
    let Some(cache) = locate::cache_folder().filter(|_| !scene.fingerprint.is_empty()) else {
        let (vertices, triangles) = scene.world_triangles();
        return NavMesh::build(&vertices, &triangles, settings);
    };
    let triangles = || scene.world_triangles();
    NavMesh::build_cached(&scene.fingerprint, triangles, settings, &cache.join("navmesh"))
        .map(|(mesh, _origin)| mesh)
}

/// Where Habitat's data sets keep the navmesh of a scene: `x.basis.navmesh` beside `x.basis.glb`.
fn navmesh_beside(scene: &Path) -> Option<PathBuf> {
    let file = if scene.is_dir() { scene.join("scene") } else { scene.to_path_buf() };
    file.file_stem()?;
    Some(file.with_extension("navmesh"))
}
