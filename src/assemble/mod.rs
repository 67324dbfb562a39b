//! Putting engine and plugins together: stages (scene, navmesh, renderer) that workers share, and
//! the headless simulation that evaluation steps.

mod fall;
mod headless;
mod memory;
mod scene_cache;
mod stage;
mod times;

pub use fall::Falls;
pub use headless::HeadlessFactory;
pub use memory::memory_identity;
pub use scene_cache::{LoadedScene, finish_storing, load_scene, load_scene_with};
pub use stage::{Stage, StageSettings, StageStore, build_navmesh};
