//! Variants as Ambler scenes.

use crate::place::Variant;
use ambler_scene::description::{Asset, Description, Labels, Object, Part, Rotation};

/// The description of a home with the paths of its files moved under `folder`, such as `base/HOME`.
pub fn moved(mut base: Description, folder: &str) -> Description {
    for asset in &mut base.assets {
        asset.path = format!("{folder}/{}", asset.path);
        if let Labels::Capture(path) = &mut asset.labels {
            *path = format!("{folder}/{path}");
        }
    }
    base
}

/// The files that a description names, each once.
pub fn files(base: &Description) -> Vec<String> {
    let mut files: Vec<String> = base.assets.iter().map(|asset| asset.path.clone()).collect();
    files.extend(base.assets.iter().filter_map(|asset| match &asset.labels {
        Labels::Capture(path) => Some(path.clone()),
        _ => None,
    }));
    files.sort();
    files.dedup();
    files
}

/// The description of a variant: the home's, already [`moved`], and an object with an asset of its own for
/// each thing that was placed, with ids from `first_id`.
pub fn description(base: &Description, variant: &Variant, first_id: u32) -> Description {
    let mut out = base.clone();
    out.name.clone_from(&variant.name);
    for (id, placed) in (first_id..).zip(&variant.objects) {
        out.objects.push(Object {
            id: Some(id),
            name: placed.name.clone(),
            category: placed.category.clone(),
            parts: vec![Part::Asset(out.assets.len() as u32)],
            ..Object::default()
        });
        out.assets.push(Asset {
            path: super::object_mesh(&placed.object),
            translation: placed.position.to_array(),
            rotation: Rotation::Quaternion(placed.rotation.to_array()),
            labels: Labels::Drop,
            ..Asset::default()
        });
    }
    out
}
