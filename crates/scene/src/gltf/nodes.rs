use super::accessor::Accessors;
use crate::SceneError;
use crate::files::Context;
use ::gltf::json::{Index, Node};
use ambler_geometry::{Affine, Mat3, Place, Quat, Vec3};
use serde_json::Value;

/// Deeper trees are refused: no exporter makes them.
const MAX_DEPTH: usize = 10_000;

/// A node that carries a mesh, in the order of the tree.
pub(super) struct Placed {
    pub(super) node: usize,
    pub(super) mesh: usize,
    pub(super) world_from_node: Affine,
}

/// Walks the default scene (or the first, or all roots) and returns the nodes with meshes.
pub(super) fn walk(accessors: &Accessors<'_>, context: &mut Context) -> Result<Vec<Placed>, SceneError> {
    let root = accessors.root;
    let mut visited = vec![false; root.nodes.len()];
    let mut stack: Vec<(usize, Affine, usize)> = Vec::new();
    let mut placed = Vec::new();
    for index in roots(accessors, context)?.into_iter().rev() {
        stack.push((index, Affine::IDENTITY, 0));
    }
    while let Some((index, parent, depth)) = stack.pop() {
        let place = format!("/nodes/{index}");
        let (Some(node), Some(seen)) = (root.nodes.get(index), visited.get_mut(index)) else {
            return Err(accessors.fault(&place, "the node does not exist"));
        };
        if *seen {
            return Err(accessors.fault(
                &place,
                "the node has two parents or is its own ancestor: nodes must form a tree",
            ));
        }
        *seen = true;
        if depth > MAX_DEPTH {
            return Err(accessors.fault(&place, format!("the tree of nodes is deeper than {MAX_DEPTH}")));
        }
        let world = parent.compose(&local(node));
        if !world.is_finite() {
            return Err(accessors.fault(&place, "the node's transform is not finite"));
        }
        if let Some(mesh) = node.mesh {
            let extension =
                node.extensions.as_ref().and_then(|e| e.others.get("EXT_mesh_gpu_instancing"));
            match extension {
                None => placed.push(Placed { node: index, mesh: mesh.value(), world_from_node: world }),
                Some(extension) => {
                    for instance in instances(extension, accessors, &place)? {
                        let world_from_node = world.compose(&instance);
                        if !world_from_node.is_finite() {
                            return Err(accessors.fault(&place, "an instance's transform is not finite"));
                        }
                        placed.push(Placed { node: index, mesh: mesh.value(), world_from_node });
                    }
                }
            }
            let limit = context.options.limits.placements;
            if placed.len() as u64 > limit {
                return Err(SceneError::too_large(
                    accessors.path,
                    Place::Pointer(place),
                    format!("more than {limit} placed meshes"),
                    "join meshes, or split the scene",
                ));
            }
        }
        for child in node.children.iter().flatten().rev() {
            stack.push((child.value(), world, depth + 1));
        }
    }
    Ok(placed)
}

fn roots(accessors: &Accessors<'_>, context: &mut Context) -> Result<Vec<usize>, SceneError> {
    let root = accessors.root;
    let values = |nodes: &[Index<Node>]| nodes.iter().map(|index| index.value()).collect();
    if let Some(index) = root.scene {
        let scene = root.get(index).ok_or_else(|| {
            accessors.fault("/scene", format!("refers to scene {}, which does not exist", index.value()))
        })?;
        return Ok(values(&scene.nodes));
    }
    if let Some(scene) = root.scenes.first() {
        if root.scenes.len() > 1 {
            context.note(format!(
                "the file names no default scene: the first of {} is read",
                root.scenes.len()
            ));
        }
        return Ok(values(&scene.nodes));
    }
    context.note("the file has no scene: all nodes without a parent are read");
    let mut is_child = vec![false; root.nodes.len()];
    for child in root.nodes.iter().flat_map(|node| node.children.iter().flatten()) {
        if let Some(slot) = is_child.get_mut(child.value()) {
            *slot = true;
        }
    }
    Ok((0..root.nodes.len()).filter(|&index| is_child.get(index) == Some(&false)).collect())
}

fn local(node: &Node) -> Affine {
    if let Some([a, b, c, _, d, e, f, _, g, h, i, _, x, y, z, _]) = node.matrix {
        return Affine {
            matrix: Mat3::from_cols(Vec3::new(a, b, c), Vec3::new(d, e, f), Vec3::new(g, h, i)),
            translation: Vec3::new(x, y, z),
        };
    }
    let rotation = node.rotation.map_or(Quat::IDENTITY, |rotation| unit(Quat::from_array(rotation.0)));
    Affine::from_scale_rotation_translation(
        node.scale.map_or(Vec3::ONE, Vec3::from_array),
        rotation,
        node.translation.map_or(Vec3::ZERO, Vec3::from_array),
    )
}

/// Files round quaternions; one without direction turns nothing.
fn unit(rotation: Quat) -> Quat {
    let length = rotation.length();
    if length.is_finite() && length > 1e-6 { rotation * (1.0 / length) } else { Quat::IDENTITY }
}

fn instances(
    extension: &Value,
    accessors: &Accessors<'_>,
    place: &str,
) -> Result<Vec<Affine>, SceneError> {
    let place = format!("{place}/extensions/EXT_mesh_gpu_instancing");
    let read = |name: &str, width: usize| -> Result<Option<Vec<f32>>, SceneError> {
        let Some(index) = extension.get("attributes").and_then(|attributes| attributes.get(name)) else {
            return Ok(None);
        };
        let index = index.as_u64().and_then(|index| u32::try_from(index).ok());
        let index = index
            .ok_or_else(|| accessors.fault(&place, format!("{name} is not an accessor's index")))?;
        let numbers = accessors.floats(Index::new(index), false, &place)?;
        if numbers.width != width {
            return Err(accessors.fault(&place, format!("{name} must have {width} components")));
        }
        Ok(Some(numbers.values))
    };
    let translations = read("TRANSLATION", 3)?;
    let rotations = read("ROTATION", 4)?;
    let scales = read("SCALE", 3)?;
    let count = [(&translations, 3), (&rotations, 4), (&scales, 3)]
        .into_iter()
        .filter_map(|(values, width)| values.as_ref().map(|values| values.len() / width))
        .max()
        .unwrap_or(0);
    let vec3 = |values: &Option<Vec<f32>>, at: usize, default: Vec3| {
        let part = values.as_ref().and_then(|values| values.get(at * 3..at * 3 + 3));
        part.map_or(default, Vec3::from_slice)
    };
    Ok((0..count)
        .map(|at| {
            let rotation = rotations.as_ref().and_then(|values| values.get(at * 4..at * 4 + 4));
            Affine::from_scale_rotation_translation(
                vec3(&scales, at, Vec3::ONE),
                rotation.map_or(Quat::IDENTITY, |part| unit(Quat::from_slice(part))),
                vec3(&translations, at, Vec3::ZERO),
            )
        })
        .collect())
}
