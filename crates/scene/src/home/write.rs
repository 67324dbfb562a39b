//! A home on disk: `scene.ron` with the labels and `home.glb`, or `home_scan.ply`, with the geometry.

use super::{HomeError, ScanSpec, scan};
use crate::description::{
    Asset, Description, FloorText, LicenceText, Object, Part, ReceptacleText, RoomText, VERSION, to_ron,
};
use crate::{SceneModel, gltf, ply};
use std::collections::BTreeSet;
use std::path::Path;

/// Name of the mesh file beside `scene.ron`.
const MESH_FILE: &str = "home.glb";
/// Name of the mesh file of a scan.
const SCAN_FILE: &str = "home_scan.ply";

/// The description of a home whose meshes lie in `asset`; each instance is the node of its name.
pub fn description(scene: &SceneModel, asset: &str) -> Description {
    let points = |polygon: &[ambler_geometry::Vec2]| polygon.iter().map(|p| p.to_array()).collect();
    let name_of =
        |id: u32| scene.instance(id).map_or_else(String::new, |instance| instance.name.clone());
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
    let mesh = gltf::to_glb(scene).map_err(|error| HomeError::Write(error.to_string()))?;
    put_all(&description(scene, MESH_FILE), MESH_FILE, &mesh, folder)
}

/// Writes a scan of the home: `scene.ron` and `home_scan.ply`. Things of which no face is left have no
/// label. Returns the number of triangles.
///
/// # Errors
/// As [`write`].
pub fn write_scan(scene: &SceneModel, spec: &ScanSpec, folder: &Path) -> Result<usize, HomeError> {
    let mesh = scan(scene, spec);
    let seen: BTreeSet<u32> = mesh.ids.iter().filter_map(|&id| u32::try_from(id).ok()).collect();
    let mut description = description(scene, SCAN_FILE);
    description.name += "_scan";
    description.objects.retain(|object| object.id.is_some_and(|id| seen.contains(&id)));
    for object in &mut description.objects {
        object.parts = vec![Part::Source { asset: 0, id: i64::from(object.id.unwrap_or(0)) }];
    }
    let names: BTreeSet<&str> = description.objects.iter().map(|object| object.name.as_str()).collect();
    description.receptacles.retain(|receptacle| names.contains(receptacle.object.as_str()));
    put_all(&description, SCAN_FILE, &ply::to_bytes(&mesh), folder)?;
    Ok(mesh.triangles.len())
}

fn put_all(description: &Description, name: &str, mesh: &[u8], folder: &Path) -> Result<(), HomeError> {
    std::fs::create_dir_all(folder)
        .map_err(|error| HomeError::Write(format!("{}: cannot be made ({error})", folder.display())))?;
    let text = to_ron(description).map_err(|error| HomeError::Write(error.to_string()))?;
    for (name, bytes) in [(name, mesh), ("scene.ron", text.as_bytes())] {
        let path = folder.join(name);
        std::fs::write(&path, bytes).map_err(|error| {
            HomeError::Write(format!("{}: cannot be written ({error})", path.display()))
        })?;
    }
    Ok(())
}
