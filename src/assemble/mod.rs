//! Putting engine and plugins together: stages (scene, navmesh, renderer) that workers share, and
//! the headless simulation that evaluation steps.

mod headless;
mod stage;
mod times;

pub use headless::HeadlessFactory;
pub use stage::{Stage, StageSettings, StageStore, build_navmesh};
