//! A home on disk: `scene.ron` with the labels and `home.glb`, or `home_scan.ply`, with the geometry.

use super::{HomeError, ScanSpec, scan};
use crate::description::{
    Asset, Description, FloorText, LicenceText, Object, Part, ReceptacleText, RoomText, VERSION, to_ron,
};
use crate::ply::PlyMesh;
use crate::{Material, Mesh, Placement, SceneModel, Texture, gltf, ply};
use ambler_geometry::Affine;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

/// Name of the mesh file beside `scene.ron`.
const MESH_FILE: &str = "home.glb";
/// Name of the mesh file of a scan.
const SCAN_FILE: &str = "home_scan.ply";
/// Names of the same in the compact form.
const COMPACT_FILE: &str = "home.glb.gz";
const COMPACT_SCAN_FILE: &str = "home_scan.glb.gz";

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

/// How the mesh is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// As exact as it is: `home.glb` with floats, a scan as `home_scan.ply` with an id on each face.
    #[default]
    Exact,
    /// In a tenth of the bytes: gzipped GLB on a grid of 1/2048 m, textures at half their size, a scan
    /// with a node for each thing.
    Compact,
}

/// Writes `scene.ron` and the mesh into the folder, which is made where it is missing.
///
/// # Errors
/// [`HomeError::Write`] with the file and the cause.
pub fn write(scene: &SceneModel, folder: &Path, form: Form) -> Result<(), HomeError> {
    match form {
        Form::Exact => {
            let mesh = gltf::to_glb(scene).map_err(|error| HomeError::Write(error.to_string()))?;
            put_all(&description(scene, MESH_FILE), MESH_FILE, &mesh, folder)
        }
        Form::Compact => put_compact(scene, &description(scene, COMPACT_FILE), COMPACT_FILE, folder),
    }
}

/// Writes a scan of the home: `scene.ron` and the mesh. Things of which no face is left have no
/// label. Returns the number of triangles.
///
/// # Errors
/// As [`write`].
pub fn write_scan(
    scene: &SceneModel,
    spec: &ScanSpec,
    folder: &Path,
    form: Form,
) -> Result<usize, HomeError> {
    let mesh = scan(scene, spec);
    let seen: BTreeSet<u32> = mesh.ids.iter().filter_map(|&id| u32::try_from(id).ok()).collect();
    let file = if form == Form::Exact { SCAN_FILE } else { COMPACT_SCAN_FILE };
    let mut description = description(scene, file);
    description.name += "_scan";
    description.objects.retain(|object| object.id.is_some_and(|id| seen.contains(&id)));
    if form == Form::Exact {
        for object in &mut description.objects {
            object.parts = vec![Part::Source { asset: 0, id: i64::from(object.id.unwrap_or(0)) }];
        }
    }
    let names: BTreeSet<&str> = description.objects.iter().map(|object| object.name.as_str()).collect();
    description.receptacles.retain(|receptacle| names.contains(receptacle.object.as_str()));
    match form {
        Form::Exact => put_all(&description, SCAN_FILE, &ply::to_bytes(&mesh), folder)?,
        Form::Compact => put_compact(&by_thing(scene, &mesh), &description, COMPACT_SCAN_FILE, folder)?,
    }
    Ok(mesh.triangles.len())
}

/// The scan of a home as a scene: what reading the files of [`write_scan`] gives.
pub fn scan_scene(scene: &SceneModel, spec: &ScanSpec) -> SceneModel {
    let mut out = by_thing(scene, &scan(scene, spec));
    out.rooms.clone_from(&scene.rooms);
    out.floors.clone_from(&scene.floors);
    out.receptacles.clone_from(&scene.receptacles);
    out.recompute_bounds();
    out
}

/// A scan as a scene with one mesh for each thing, in the order of their ids.
fn by_thing(scene: &SceneModel, scan: &PlyMesh) -> SceneModel {
    let mut faces: BTreeMap<u32, Vec<[u32; 3]>> = BTreeMap::new();
    for (&triangle, &id) in scan.triangles.iter().zip(&scan.ids) {
        faces.entry(u32::try_from(id).unwrap_or(0)).or_default().push(triangle);
    }
    let mut out = SceneModel {
        name: scene.name.clone(),
        categories: scene.categories.clone(),
        instances: scene.instances.clone(),
        licence: scene.licence.clone(),
        materials: vec![Material { name: "scan".into(), ..Material::default() }],
        ..SceneModel::default()
    };
    for (id, triangles) in faces {
        let mut places: BTreeMap<u32, u32> = BTreeMap::new();
        let mut mesh = Mesh::default();
        for triangle in triangles {
            mesh.triangles.push(triangle.map(|corner| {
                *places.entry(corner).or_insert_with(|| {
                    let corner = corner as usize;
                    mesh.positions.push(scan.positions.get(corner).copied().unwrap_or_default());
                    mesh.colors.push(scan.colors.get(corner).copied().unwrap_or([255; 4]));
                    mesh.positions.len() as u32 - 1
                })
            }));
        }
        out.placements.push(Placement {
            mesh: out.meshes.len() as u32,
            material: 0,
            world_from_mesh: Affine::IDENTITY,
            instance: id,
        });
        out.meshes.push(Arc::new(mesh));
    }
    out
}

fn put_compact(
    scene: &SceneModel,
    description: &Description,
    name: &str,
    folder: &Path,
) -> Result<(), HomeError> {
    let mut scene = scene.clone();
    for texture in &mut scene.textures {
        *texture = Arc::new(smaller(texture));
    }
    let fault = |error: String| HomeError::Write(format!("{name}: {error}"));
    let mesh = gltf::to_compact_glb(&scene).map_err(|error| fault(error.to_string()))?;
    let mut packed = flate2::GzBuilder::new().write(Vec::new(), flate2::Compression::best());
    packed.write_all(&mesh).map_err(|error| fault(error.to_string()))?;
    let packed = packed.finish().map_err(|error| fault(error.to_string()))?;
    put_all(description, name, &packed, folder)
}

/// Half the size, where that leaves 128 pixels, and colours in steps of 4, which PNG packs better.
fn smaller(texture: &Texture) -> Texture {
    let halved = if texture.width >= 256 && texture.height >= 256 { 2 } else { 1 };
    let (width, height) = (texture.width / halved, texture.height / halved);
    let mut pixels = Vec::with_capacity((width * height) as usize);
    for y in 0..height {
        for x in 0..width {
            let mut sum = [0_u32; 4];
            for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                let (x, y) = (halved * x + dx.min(halved - 1), halved * y + dy.min(halved - 1));
                let pixel =
                    texture.pixels.get((y * texture.width + x) as usize).copied().unwrap_or([255; 4]);
                sum = [0, 1, 2, 3].map(|i| sum[i] + u32::from(pixel[i]));
            }
            pixels.push(sum.map(|total| ((total + 8) / 16 * 4).min(255) as u8));
        }
    }
    let opaque = texture.pixels.iter().all(|pixel| pixel[3] == 255);
    if opaque {
        pixels.iter_mut().for_each(|pixel| pixel[3] = 255);
    }
    Texture { width, height, pixels: pixels.into(), wrap: texture.wrap }
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
