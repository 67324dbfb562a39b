//! A home on disk: `scene.ron` with the labels and `home.glb` with the geometry.

use super::HomeError;
use crate::description::{
    Asset, Description, FloorText, LicenceText, Object, Part, ReceptacleText, RoomText, VERSION, to_ron,
};
use crate::{SceneModel, gltf};
use std::path::Path;

/// Name of the mesh file beside `scene.ron`.
const MESH_FILE: &str = "home.glb";

/// The description of a home whose meshes lie in `asset`; each instance is the node of its name.
pub fn description(scene: &SceneModel, asset: &str) -> Description {
    let points = |polygon: &[ambler_geometry::Vec2]| polygon.iter().map(|p| p.to_array()).collect();
    let name_of = |id: u32| scene.instance(id).map_or_else(String::new, |instance| instance.name.clone());
    Description {
        version: VERSION,
        name: scene.name.clone(),
        licence: LicenceText { name: scene.licence.name.clone(), credit: scene.licence.credit.clone() },
        assets: vec![Asset { path: asset.to_owned(), ..Asset::default() }],
        objects: scene
            .instances
            .iter()
            .map(|instance| Object {
                id: Some(instance.id),
                name: instance.name.clone(),
                category: scene.category_name(instance.category).to_owned(),
                parts: vec![Part::Node(instance.name.clone())],
                ..Object::default()
            })
            .collect(),
        rooms: scene
            .rooms
            .iter()
            .map(|room| RoomText {
                name: room.name.clone(),
                category: room.category.clone(),
                polygon: points(&room.polygon),
                floor_y: Some(room.floor_y),
                height: Some(room.height),
            })
            .collect(),
        floors: scene
            .floors
            .iter()
            .map(|floor| FloorText { name: floor.name.clone(), y: floor.y })
            .collect(),
        receptacles: scene
            .receptacles
            .iter()
            .map(|receptacle| ReceptacleText {
                name: receptacle.name.clone(),
                object: name_of(receptacle.instance),
                polygon: points(&receptacle.polygon),
                y: receptacle.y,
            })
            .collect(),
        ..Description::default()
    }
}

/// Writes `scene.ron` and `home.glb` into the folder, which is made where it is missing.
///
/// # Errors
/// [`HomeError::Write`] with the file and the cause.
pub fn write(scene: &SceneModel, folder: &Path) -> Result<(), HomeError> {
    let fault = |error: &dyn std::fmt::Display| HomeError::Write(error.to_string());
    let put = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes)
            .map_err(|error| HomeError::Write(format!("{}: cannot be written ({error})", path.display())))
    };
    std::fs::create_dir_all(folder)
        .map_err(|error| HomeError::Write(format!("{}: cannot be made ({error})", folder.display())))?;
    put(MESH_FILE, &gltf::to_glb(scene).map_err(|error| fault(&error))?)?;
    let text = to_ron(&description(scene, MESH_FILE)).map_err(|error| fault(&error))?;
    put("scene.ron", text.as_bytes())
}
