use super::recipes::{self, Recipe};
use crate::read::read_object;
use crate::{Material, Mesh, ReadOptions, SceneError, SceneModel, Texture, UpAxis};
use ambler_geometry::{Aabb, Affine, Place};
use std::path::PathBuf;
use std::sync::Arc;

/// Where an object's looks come from.
#[derive(Clone, Debug, PartialEq)]
pub enum MeshSource {
    /// A mesh file.
    File {
        /// The file.
        path: PathBuf,
        /// The axis of the file that points up.
        up: UpAxis,
        /// Takes the file's coordinates, turned y up, to the object's frame.
        object_from_file: Affine,
    },
    /// Made by a recipe when it is loaded.
    Recipe(Recipe),
}

/// What is drawn of an object, in the object's frame.
#[derive(Clone, Debug, Default)]
pub struct ObjectModel {
    /// Meshes, each with the index of its material in [`ObjectModel::materials`].
    pub meshes: Vec<(Arc<Mesh>, u32)>,
    /// Materials; their textures are indices into [`ObjectModel::textures`].
    pub materials: Vec<Material>,
    /// Textures.
    pub textures: Vec<Arc<Texture>>,
}

impl MeshSource {
    pub(super) fn load(&self) -> Result<ObjectModel, SceneError> {
        match self {
            Self::File { path, up, object_from_file } => {
                let options = ReadOptions { up: *up, side_files: false, ..ReadOptions::default() };
                let scene = read_object(path, &options)?;
                let model = ObjectModel::of_scene(scene, object_from_file);
                if model.meshes.is_empty() {
                    return Err(SceneError::malformed(
                        path,
                        Place::Whole,
                        "the file holds no triangle",
                        "export the object again",
                    ));
                }
                Ok(model)
            }
            Self::Recipe(recipe) => recipes::build(recipe),
        }
    }
}

impl ObjectModel {
    /// All of a scene as one object, moved by `object_from_world`.
    pub fn of_scene(scene: SceneModel, object_from_world: &Affine) -> Self {
        let mut meshes = Vec::new();
        for placement in &scene.placements {
            let Some(source) = scene.meshes.get(placement.mesh as usize) else { continue };
            if source.triangles.is_empty() {
                continue;
            }
            let map = object_from_world.compose(&placement.world_from_mesh);
            let mut mesh = Mesh::clone(source);
            mesh.triangle_instances.clear();
            for position in &mut mesh.positions {
                *position = map.point(*position);
            }
            if map.is_mirrored() {
                for triangle in &mut mesh.triangles {
                    triangle.swap(1, 2);
                }
            }
            meshes.push((Arc::new(mesh), placement.material));
        }
        Self { meshes, materials: scene.materials, textures: scene.textures }
    }

    /// Triangles of all meshes.
    pub fn triangle_count(&self) -> usize {
        self.meshes.iter().map(|(mesh, _)| mesh.triangles.len()).sum()
    }

    /// Bounds over all vertices.
    pub fn bounds(&self) -> Aabb {
        Aabb::from_points(self.meshes.iter().flat_map(|(mesh, _)| mesh.positions.iter().copied()))
    }

    /// The object alone as a scene, for renderers and writers: one instance (id 1) of `category`.
    pub fn to_scene(&self, name: &str, category: &str) -> SceneModel {
        let mut scene = SceneModel {
            name: name.to_owned(),
            materials: self.materials.clone(),
            textures: self.textures.clone(),
            categories: vec![String::new(), category.to_owned()],
            ..SceneModel::default()
        };
        for (mesh, material) in &self.meshes {
            let index = scene.meshes.len() as u32;
            scene.meshes.push(Arc::clone(mesh));
            scene.placements.push(crate::Placement {
                mesh: index,
                material: *material,
                world_from_mesh: Affine::IDENTITY,
                instance: 1,
            });
        }
        scene.instances.push(crate::Instance {
            id: 1,
            source_id: 0,
            name: name.to_owned(),
            category: 1,
            bounds: self.bounds(),
        });
        scene.recompute_bounds();
        scene
    }
}
