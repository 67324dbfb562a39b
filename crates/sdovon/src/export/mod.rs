//! A folder of variants that Ambler and Habitat both open.
//!
//! ```text
//! DIR/
//!   sd_ovon.scene_dataset_config.json   what Habitat opens
//!   HOME_v000.ron                       a variant as an Ambler scene
//!   base/HOME/…                         the home's files, once for all its variants
//!   stages/HOME.glb, .stage_config.json the home for Habitat
//!   objects/OBJECT.glb, .object_config.json
//!   scenes/HOME_v000.scene_instance.json
//!   navmeshes/HOME.navmesh              for the body of the settings
//!   semantics/lexicon.json              categories and their ids
//!   variants/HOME_v000.json             why each thing is where it is
//!   analysis/HOME/…                     the stages
//! ```
//!
//! Ambler reads assets from the folder of a description alone, so descriptions lie at the top.

pub mod ambler;
pub mod habitat;
#[cfg(test)]
mod tests;

use crate::SdovonError;
use ambler_scene::gltf;
use ambler_scene::library::LibraryObject;

/// The name of the data set, and of Habitat's config.
pub const NAME: &str = "sd_ovon";

/// Path of an object's mesh in the folder.
pub fn object_mesh(object: &str) -> String {
    format!("objects/{object}.glb")
}

/// An object as a GLB file in its own frame.
///
/// # Errors
/// A mesh that cannot be loaded.
pub fn object_glb(object: &LibraryObject) -> Result<Vec<u8>, SdovonError> {
    Ok(gltf::to_glb(&object.model()?.to_scene(&object.name, &object.category))?)
}
