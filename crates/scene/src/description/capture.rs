//! Lists of objects beside a capture: `X_objects.json`.

use super::boxes::{self, LabelBox};
use crate::category::label_name;
use crate::files::Context;
use crate::{SceneError, SceneModel, assemble, normal_name};
use ambler_geometry::{Aabb, Affine, Mat3, Place, Vec3};
use serde::Deserialize;
use std::path::Path;

#[derive(Deserialize)]
struct CaptureFile {
    #[serde(default)]
    up: String,
    #[serde(default)]
    objects: Vec<CaptureObject>,
    #[serde(default)]
    planes: Vec<CaptureObject>,
}

#[derive(Deserialize)]
struct CaptureObject {
    id: Option<i64>,
    #[serde(default)]
    name: String,
    category: Option<String>,
    label: Option<String>,
    bbox_min: Option<[f32; 3]>,
    bbox_max: Option<[f32; 3]>,
}

/// Boxes of lists whose names match nothing are grown by this much, for rounded numbers.
const ROUNDING_M: f32 = 0.005;

/// Labels the model by the list. In this order: objects with ids name the ids that the mesh carries;
/// objects whose name is a node's (or begins it, before `__`) take that node's meshes; others with a
/// box take the unlabelled triangles in it.
pub(super) fn apply(
    bytes: &[u8],
    path: &Path,
    model: &mut SceneModel,
    names: &[String],
    world_from_capture: &Affine,
    context: &mut Context,
) -> Result<(), SceneError> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let file: CaptureFile = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let place = Place::Pointer(error.path().to_string());
        SceneError::malformed(
            path,
            place,
            format!("the list of objects cannot be read ({})", error.inner()),
            "check the file",
        )
    })?;
    let up = if file.up == "z" { Affine::Y_UP_FROM_Z_UP } else { Affine::IDENTITY };
    let world = world_from_capture.compose(&up);
    let whole = Aabb::from_points(model.placements.iter().flat_map(|placement| {
        let mesh = model.meshes.get(placement.mesh as usize);
        mesh.into_iter()
            .flat_map(|mesh| mesh.positions.iter().map(|&p| placement.world_from_mesh.point(p)))
    }));
    let mut next = model.instances.last().map_or(1, |instance| instance.id.saturating_add(1));
    let mut label_boxes = Vec::new();
    let mut matched = 0_usize;
    let count = file.objects.len() + file.planes.len();
    for object in file.objects.iter().chain(&file.planes) {
        let text = object.category.as_ref().or(object.label.as_ref());
        let mut category =
            text.map_or_else(|| category_from_name(&object.name), |text| label_name(text));
        if let Some(id) = object.id {
            if model.instances.iter().any(|instance| instance.source_id == id) {
                matched += 1;
                name_instance(model, id, &object.name, &category);
            }
            continue;
        }
        let bounds = object.bbox_min.zip(object.bbox_max).map(|(min, max)| {
            let (a, b) = (Vec3::from_array(min), Vec3::from_array(max));
            assemble::transform_box(&Aabb { min: a.min(b), max: a.max(b) }, &world)
        });
        if bounds.is_some_and(|bounds| is_shell(&bounds, &whole)) {
            category = "room".to_owned();
        }
        let nodes: Vec<usize> =
            (0..names.len()).filter(|&i| names.get(i).is_some_and(|n| is_of(n, &object.name))).collect();
        if nodes.is_empty() && bounds.is_none() {
            continue;
        }
        let category = assemble::category(model, &category);
        assemble::instance(model, next, i64::from(next), &object.name, category);
        matched += 1;
        for &index in &nodes {
            if let Some(placement) = model.placements.get_mut(index) {
                placement.instance = next;
            }
        }
        if let Some(bounds) =
            bounds.filter(|bounds| nodes.is_empty() && bounds.min.is_finite() && bounds.max.is_finite())
        {
            let bounds = bounds.inflated(ROUNDING_M);
            label_boxes.push(LabelBox {
                id: next,
                center: bounds.center(),
                half: bounds.size() * 0.5,
                world_from_box: Mat3::IDENTITY,
                above: f32::NEG_INFINITY,
                replace: false,
            });
        }
        next = next.saturating_add(1);
    }
    if !label_boxes.is_empty() {
        boxes::apply(model, &label_boxes);
    }
    context
        .note(format!("labels of {matched} of {count} objects come from {}", assemble::file_name(path)));
    Ok(())
}

fn name_instance(model: &mut SceneModel, source_id: i64, name: &str, category: &str) {
    let index = assemble::category(model, category);
    for instance in model.instances.iter_mut().filter(|instance| instance.source_id == source_id) {
        if !category.is_empty() {
            instance.category = index;
        }
        if !name.is_empty() {
            name.clone_into(&mut instance.name);
        } else if !category.is_empty() {
            instance.name = format!("{category}_{source_id}");
        }
    }
}

/// The node itself, or one of its parts.
fn is_of(node: &str, object: &str) -> bool {
    !object.is_empty()
        && node.strip_prefix(object).is_some_and(|rest| rest.is_empty() || rest.starts_with("__"))
}

/// `sofa_02_001` → `sofa`.
fn category_from_name(name: &str) -> String {
    normal_name(name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_' || c == '.'))
}

/// True for the room itself among the objects: most of the whole scene in plan and in height.
fn is_shell(bounds: &Aabb, whole: &Aabb) -> bool {
    let (size, all) = (bounds.size(), whole.size());
    size.x > 0.9 * all.x && size.y > 0.9 * all.y && size.z > 0.9 * all.z
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_nodes_and_their_parts() {
        assert!(is_of("sofa", "sofa") && is_of("sofa__part", "sofa"));
        assert!(!is_of("sofa_bed", "sofa") && !is_of("sofa", ""));
        assert_eq!(category_from_name("Chair_02_001"), "chair");
    }
}
