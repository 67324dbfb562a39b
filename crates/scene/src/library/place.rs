use super::{LibraryObject, ObjectModel};
use crate::{Instance, Placement, SceneError, SceneModel, assemble};
use ambler_geometry::{Aabb, Affine, Place, Quat, Vec3};
use std::collections::BTreeMap;
use std::path::Path;

/// An object and where it lies.
#[derive(Clone, Copy, Debug)]
pub struct PlacedObject<'a> {
    /// The object.
    pub object: &'a LibraryObject,
    /// Takes the object's frame to the world; a rotation and a translation.
    pub world_from_object: Affine,
}

impl<'a> PlacedObject<'a> {
    /// An object whose origin lies at `position`, turned by `rotation`.
    pub fn new(object: &'a LibraryObject, position: Vec3, rotation: Quat) -> Self {
        Self { object, world_from_object: Affine::from_rotation_translation(rotation, position) }
    }
}

/// A new scene: `scene` with the objects as further instances, in order, with ids after the largest
/// one used. Each object's meshes and textures enter the pools once, however often it is placed. The
/// fingerprint becomes one over the old fingerprint and what was placed where.
///
/// # Errors
/// [`SceneError`] where an object's mesh cannot be loaded, a pose is not finite, or ids run out.
pub fn place(scene: &SceneModel, objects: &[PlacedObject<'_>]) -> Result<SceneModel, SceneError> {
    let mut out = scene.clone();
    let mut known: BTreeMap<&str, Vec<(u32, u32)>> = BTreeMap::new();
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"ambler placed objects 1\n");
    hasher.update(scene.fingerprint.as_bytes());
    let largest = used_ids(scene);
    for (index, placed) in objects.iter().enumerate() {
        let object = placed.object;
        let fault = |what: String, remedy: &str| {
            SceneError::malformed(Path::new(&object.name), Place::Whole, what, remedy)
        };
        if !placed.world_from_object.is_finite() {
            return Err(fault("its pose is not finite".into(), "give it a finite pose"));
        }
        let id = u32::try_from(u64::from(largest) + index as u64 + 1).map_err(|_| {
            fault("no instance id is left".into(), "give the scene's instances smaller ids")
        })?;
        let parts = match known.get(object.name.as_str()) {
            Some(parts) => parts.clone(),
            None => {
                let parts = add_model(&mut out, object.model()?);
                known.insert(&object.name, parts.clone());
                parts
            }
        };
        let mut bounds = Aabb::EMPTY;
        for (mesh, material) in parts {
            if let Some(mesh) = out.meshes.get(mesh as usize) {
                for &position in &mesh.positions {
                    bounds.grow(placed.world_from_object.point(position));
                }
            }
            out.placements.push(Placement {
                mesh,
                material,
                world_from_mesh: placed.world_from_object,
                instance: id,
            });
        }
        let category = assemble::category(&mut out, &object.category);
        out.instances.push(Instance {
            id,
            source_id: i64::from(id),
            name: format!("{}_{id}", object.name),
            category,
            bounds,
        });
        out.bounds = out.bounds.union(bounds);
        hasher.update(object.name.as_bytes());
        hasher.update(&[0]);
        for number in placed.world_from_object.matrix.to_cols_array() {
            hasher.update(&number.to_bits().to_le_bytes());
        }
        for number in placed.world_from_object.translation.to_array() {
            hasher.update(&number.to_bits().to_le_bytes());
        }
    }
    if !objects.is_empty() {
        out.fingerprint = hasher.finalize().to_hex().to_string();
        out.notes.push(format!("{} objects of the library are placed", objects.len()));
    }
    Ok(out)
}

/// The largest id that an instance, a placement or a triangle uses.
fn used_ids(scene: &SceneModel) -> u32 {
    let instances = scene.instances.iter().map(|instance| instance.id);
    let placements = scene.placements.iter().map(|placement| placement.instance);
    let triangles = scene.meshes.iter().flat_map(|mesh| mesh.triangle_instances.iter().copied());
    instances.chain(placements).chain(triangles).max().unwrap_or(0)
}

/// Puts the model into the scene's pools; for each mesh its index and its material's.
fn add_model(out: &mut SceneModel, model: ObjectModel) -> Vec<(u32, u32)> {
    let textures = out.textures.len() as u32;
    let materials = out.materials.len() as u32;
    out.textures.extend(model.textures);
    out.materials.extend(model.materials.into_iter().map(|mut material| {
        material.texture = material.texture.map(|texture| texture + textures);
        material
    }));
    model
        .meshes
        .into_iter()
        .map(|(mesh, material)| {
            out.meshes.push(mesh);
            (out.meshes.len() as u32 - 1, material + materials)
        })
        .collect()
}
