//! glTF 2.0 and GLB.
//!
//! Geometry, base colour, texture and vertex colours are read; normals, tangents, lights, cameras,
//! skins, morph targets and animations are not used. Textures are the base colour's, PNG, JPEG or
//! WebP, from a buffer, a data URI or a file in the scene's folder, each decoded once.
//!
//! Extensions understood: `KHR_texture_transform` (worked into the texture coordinates),
//! `KHR_mesh_quantization`, `EXT_texture_webp`, `EXT_mesh_gpu_instancing`; `KHR_materials_*` and
//! `KHR_lights_punctual` are ignored. A file that *requires* another one is refused by its name.
//!
//! **Vertex colours** are taken as stored and count as sRGB (see the note at their reader). The base
//! colour factor stays linear, as glTF states it.

mod accessor;
mod compact;
mod container;
mod material;
mod nodes;
mod primitive;
mod write;

pub use compact::to_compact_glb;
pub use write::to_glb;

use crate::files::{Context, shorten};
use crate::{Placement, ReadOptions, SceneError, SceneModel, assemble};
use ::gltf::json::Root;
use ::gltf::json::mesh::Semantic;
use ::gltf::json::validation::Checked;
use accessor::Accessors;
use ambler_geometry::Place;
use material::Materials;
use std::collections::BTreeMap;
use std::path::Path;

const KNOWN: &[&str] = &[
    "EXT_mesh_gpu_instancing",
    "EXT_texture_webp",
    "KHR_lights_punctual",
    "KHR_mesh_quantization",
    "KHR_texture_transform",
    "KHR_xmp_json_ld",
];

/// Reads a glTF or GLB file from memory. `path` is for messages and to find the files it refers to.
///
/// # Errors
/// [`SceneError`] with the byte (container) or JSON pointer.
pub fn parse(bytes: &[u8], path: &Path, options: &ReadOptions) -> Result<SceneModel, SceneError> {
    let mut context = Context::new(path, options);
    context.add_content(bytes);
    let (model, _) = parse_in(bytes, path, &mut context)?;
    Ok(assemble::finish(model, path, &mut context))
}

/// The model, and for each placement the name of its node.
pub(crate) fn parse_in(
    bytes: &[u8],
    path: &Path,
    context: &mut Context,
) -> Result<(SceneModel, Vec<String>), SceneError> {
    let (json, binary) = container::split(bytes, path, context)?;
    let root = container::parse_json(json, path)?;
    refuse_unknown_extensions(&root, path)?;
    let buffers = container::buffers(&root, binary, path, context)?;
    let accessors = Accessors { root: &root, buffers: &buffers, path };
    let mut model = SceneModel { categories: vec![String::new()], ..SceneModel::default() };
    let mut names = Vec::new();
    let mut materials = Materials::default();
    let mut pool: BTreeMap<usize, Vec<(u32, u32)>> = BTreeMap::new();
    let uses = position_uses(&root);
    let mut placed = (0_u64, 0_u64);
    for node in nodes::walk(&accessors, context)? {
        if let std::collections::btree_map::Entry::Vacant(slot) = pool.entry(node.mesh) {
            let Some(mesh) = root.meshes.get(node.mesh) else {
                let place = format!("/nodes/{}", node.node);
                return Err(accessors
                    .fault(&place, format!("refers to mesh {}, which does not exist", node.mesh)));
            };
            let name = mesh.name.clone().unwrap_or_default();
            let mut parts = Vec::new();
            for (index, source) in mesh.primitives.iter().enumerate() {
                let place = format!("/meshes/{}/primitives/{index}", node.mesh);
                let position = source.attributes.get(&Checked::Valid(Semantic::Positions));
                let shared = position.is_some_and(|p| uses.get(&p.value()).is_some_and(|&n| n > 1));
                parts.extend(primitive::read(
                    source,
                    &name,
                    &place,
                    &accessors,
                    &mut materials,
                    &mut model,
                    context,
                    shared,
                )?);
            }
            slot.insert(parts);
        }
        let name = root.nodes.get(node.node).and_then(|node| node.name.clone()).unwrap_or_default();
        for &(mesh, material) in pool.get(&node.mesh).into_iter().flatten() {
            if let Some(mesh) = model.meshes.get(mesh as usize) {
                placed.0 += mesh.positions.len() as u64;
                placed.1 += mesh.triangles.len() as u64;
            }
            let limits = context.options.limits;
            if placed.0 > limits.vertices
                || placed.1 > limits.triangles
                || names.len() as u64 >= limits.placements
            {
                return Err(SceneError::too_large(
                    path,
                    Place::Pointer(format!("/nodes/{}", node.node)),
                    "the meshes placed up to here have more vertices or triangles than the limits allow",
                    "reduce the meshes, or split the scene",
                ));
            }
            model.placements.push(Placement {
                mesh,
                material,
                world_from_mesh: node.world_from_node,
                instance: 0,
            });
            names.push(name.clone());
        }
    }
    model.textures = materials.textures(path)?;
    Ok((model, names))
}

fn refuse_unknown_extensions(root: &Root, path: &Path) -> Result<(), SceneError> {
    let unknown =
        |name: &&String| !KNOWN.contains(&name.as_str()) && !name.starts_with("KHR_materials_");
    let names: Vec<String> =
        root.extensions_required.iter().filter(unknown).map(|name| shorten(name)).collect();
    if names.is_empty() {
        return Ok(());
    }
    Err(SceneError::unsupported(
        path,
        Place::Pointer("/extensionsRequired".into()),
        format!("the file requires {}, which Ambler does not read", names.join(", ")),
        "convert the file without it, for example with 'gltf-transform copy' (Draco, meshopt) or to WebP textures (Basis)",
    ))
}

/// How many primitives use each accessor for their positions with indices of their own.
fn position_uses(root: &Root) -> BTreeMap<usize, usize> {
    let mut uses = BTreeMap::new();
    for primitive in root.meshes.iter().flat_map(|mesh| &mesh.primitives) {
        if let Some(index) = primitive.attributes.get(&Checked::Valid(Semantic::Positions)) {
            *uses.entry(index.value()).or_insert(0) += 1;
        }
    }
    uses
}
