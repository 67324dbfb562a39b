use super::faces::Triangulated;
use crate::category::label_name;
use crate::files::Context;
use crate::{Mesh, SceneModel, assemble};
use std::collections::BTreeMap;

pub(super) const ID_NAMES: &[&str] =
    &["object_id", "objectId", "instance_id", "instance", "object", "face_segment"];
pub(super) const LABEL_NAMES: &[&str] =
    &["label", "category_id", "category", "class_id", "face_category"];

/// An id as an integer; what is not one counts as "none".
pub(super) fn id(value: f64) -> i64 {
    if value.fract() == 0.0 && value.abs() <= 9e15 { value as i64 } else { -1 }
}

/// The id of most corners; the first corner's where all differ.
pub(super) fn majority(corners: &[u32], ids: &[i64]) -> i64 {
    let id_of = |corner: &u32| ids.get(*corner as usize).copied().unwrap_or(-1);
    let first = corners.first().map_or(-1, id_of);
    let mut best = (first, 1_usize);
    for corner in corners.iter().take(16) {
        let id = id_of(corner);
        let count = corners.iter().take(16).filter(|other| id_of(other) == id).count();
        if count > best.1 {
            best = (id, count);
        }
    }
    best.0
}

/// Names from `comment label index: 0=unlabelled,1=CEILING,…`.
pub(super) fn names(comments: &[String]) -> BTreeMap<i64, String> {
    comments
        .iter()
        .filter_map(|comment| comment.strip_prefix("label index:"))
        .flat_map(|list| list.split(','))
        .filter_map(|entry| {
            let (index, name) = entry.split_once('=')?;
            Some((index.trim().parse().ok()?, label_name(name)))
        })
        .collect()
}

/// Turns ids and labels of the triangles into instances and categories.
pub(super) fn apply(
    model: &mut SceneModel,
    mesh: &mut Mesh,
    triangles: &Triangulated,
    names: &BTreeMap<i64, String>,
    context: &mut Context,
) {
    if triangles.ids.is_empty() && triangles.labels.is_empty() {
        return;
    }
    let only_labels = triangles.ids.is_empty();
    let ids = if only_labels { &triangles.labels } else { &triangles.ids };
    if only_labels {
        context.note("faces carry labels but no object ids: each label is one instance");
    }
    // Where labels stand in for ids, 0 is "unlabelled" whatever else occurs.
    let zero_is_a_thing = !only_labels && ids.iter().any(|&id| id < 0);
    if zero_is_a_thing {
        context.note("negative object ids mean 'none' here, so 0 is a thing: ids in instance images are the source's plus one");
    }
    let offset = i64::from(zero_is_a_thing);
    let mut votes: BTreeMap<u32, BTreeMap<i64, u32>> = BTreeMap::new();
    let mut too_large = 0_usize;
    mesh.triangle_instances = ids
        .iter()
        .enumerate()
        .map(|(index, &source)| {
            let Ok(id) = u32::try_from(source.max(-1) + offset) else {
                too_large += usize::from(source > 0);
                return 0;
            };
            if id != 0 {
                let label = triangles.labels.get(index).copied().unwrap_or(-1);
                *votes.entry(id).or_default().entry(label).or_default() += 1;
            }
            id
        })
        .collect();
    if too_large > 0 {
        context.note(format!("{too_large} triangles have an object id above 2³²−1: read as none"));
    }
    for (id, labels) in votes {
        // The most frequent label; of equals the smallest.
        let label = labels
            .iter()
            .max_by_key(|(label, count)| (**count, std::cmp::Reverse(**label)))
            .map(|(label, _)| *label);
        let category = match label {
            Some(label) if label >= 0 => match names.get(&label) {
                Some(name) => name.clone(),
                None if label == 0 && (only_labels || !names.is_empty()) => String::new(),
                None => format!("label_{label}"),
            },
            _ => String::new(),
        };
        let category = assemble::category(model, &category);
        assemble::instance(model, id, i64::from(id) - offset, "", category);
    }
}
