//! What all readers share: interning categories, adding instances, bounds, the up axis, notes.

use crate::files::Context;
use crate::{Instance, Mesh, SceneModel, UpAxis};
use ambler_geometry::{Aabb, Affine, Vec2, Vec3};
use std::collections::BTreeMap;
use std::path::Path;

/// Index of a category, added where it is new. The empty name is 0.
pub(crate) fn category(model: &mut SceneModel, name: &str) -> u32 {
    if model.categories.is_empty() {
        model.categories.push(String::new());
    }
    if let Some(index) = model.category_index(name) {
        return index;
    }
    model.categories.push(name.to_owned());
    (model.categories.len() - 1) as u32
}

/// Adds an instance in its place by id; one that is there is left as it is. Without a name it gets
/// `category_id`, or `object_id`.
pub(crate) fn instance(model: &mut SceneModel, id: u32, source_id: i64, name: &str, category: u32) {
    if let Err(index) = model.instances.binary_search_by_key(&id, |instance| instance.id) {
        let name = match (name, model.category_name(category)) {
            ("", "") => format!("object_{source_id}"),
            ("", category) => format!("{category}_{source_id}"),
            (name, _) => name.to_owned(),
        };
        model.instances.insert(index, Instance { id, source_id, name, category, bounds: Aabb::EMPTY });
    }
}

/// Two corners at the same place: such a triangle has no area and no front. Readers keep and count
/// it, so that counts are the file's and a navmesh sees what Habitat's sees.
pub(crate) fn is_degenerate(positions: &[Vec3], [a, b, c]: [u32; 3]) -> bool {
    if a == b || b == c || c == a {
        return true;
    }
    let get = |index: u32| positions.get(index as usize);
    get(a) == get(b) || get(b) == get(c) || get(c) == get(a)
}

pub(crate) fn note_degenerate(context: &mut Context, path: &Path, count: usize) {
    if count > 0 {
        context.note(format!("{}: {count} triangles have two corners at one place", file_name(path)));
    }
}

pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// Leaves out vertices that no triangle uses.
pub(crate) fn drop_unused_vertices(mesh: &mut Mesh) {
    const UNUSED: u32 = u32::MAX;
    let mut new_index = vec![UNUSED; mesh.positions.len()];
    let mut order: Vec<usize> = Vec::new();
    for corner in mesh.triangles.iter_mut().flatten() {
        if let Some(slot) = new_index.get_mut(*corner as usize) {
            if *slot == UNUSED {
                *slot = order.len() as u32;
                order.push(*corner as usize);
            }
            *corner = *slot;
        }
    }
    let pick3 = |from: &[Vec3]| order.iter().filter_map(|&i| from.get(i).copied()).collect();
    let pick2 = |from: &[Vec2]| order.iter().filter_map(|&i| from.get(i).copied()).collect();
    mesh.positions = pick3(&mesh.positions);
    mesh.uvs = pick2(&mesh.uvs);
    mesh.colors = order.iter().filter_map(|&i| mesh.colors.get(i).copied()).collect();
}

/// Recomputes the bounds of instances that have triangles; others keep what they have.
pub(crate) fn instance_bounds(model: &mut SceneModel) {
    let mut found: BTreeMap<u32, Aabb> = BTreeMap::new();
    for placement in &model.placements {
        let Some(mesh) = model.meshes.get(placement.mesh as usize) else { continue };
        let own = !mesh.triangle_instances.is_empty();
        if !own && placement.instance == 0 {
            continue;
        }
        let world: Vec<Vec3> =
            mesh.positions.iter().map(|&p| placement.world_from_mesh.point(p)).collect();
        let mut last = (0, Aabb::EMPTY);
        for (index, triangle) in mesh.triangles.iter().enumerate() {
            let id = if own {
                mesh.triangle_instances.get(index).copied().unwrap_or(0)
            } else {
                placement.instance
            };
            if id != last.0 {
                let entry = found.entry(last.0).or_default();
                *entry = entry.union(last.1);
                last = (id, Aabb::EMPTY);
            }
            for corner in triangle {
                if let Some(&point) = world.get(*corner as usize) {
                    last.1.grow(point);
                }
            }
        }
        let entry = found.entry(last.0).or_default();
        *entry = entry.union(last.1);
    }
    for instance in &mut model.instances {
        if let Some(bounds) = found.get(&instance.id).filter(|bounds| !bounds.is_empty()) {
            instance.bounds = *bounds;
        }
    }
}

/// The last step of every reader: up axis, bounds, notes, fingerprint.
pub(crate) fn finish(mut model: SceneModel, path: &Path, context: &mut Context) -> SceneModel {
    if model.categories.is_empty() {
        model.categories.push(String::new());
    }
    if model.name.is_empty() {
        model.name = stem(path);
    }
    if context.options.up == UpAxis::Z {
        transform(&mut model, &Affine::Y_UP_FROM_Z_UP);
    }
    model.recompute_bounds();
    instance_bounds(&mut model);
    if context.options.up == UpAxis::Auto {
        note_up_axis(&model, context);
    }
    if model.triangle_count() == 0 {
        context.note("the scene holds no triangle");
    }
    model.notes.extend(context.take_notes());
    model.fingerprint = context.fingerprint();
    model
}

/// Moves the whole scene. Outlines of rooms and receptacles are in the world's floor plane already
/// and stay.
pub(crate) fn transform(model: &mut SceneModel, by: &Affine) {
    for placement in &mut model.placements {
        placement.world_from_mesh = by.compose(&placement.world_from_mesh);
    }
    for instance in &mut model.instances {
        instance.bounds = transform_box(&instance.bounds, by);
    }
}

/// The axis-aligned box around a moved box.
pub(crate) fn transform_box(bounds: &Aabb, by: &Affine) -> Aabb {
    if bounds.is_empty() {
        return *bounds;
    }
    let pick = |bit: usize, low: f32, high: f32| if bit == 0 { low } else { high };
    Aabb::from_points((0..8_usize).map(|corner| {
        by.point(Vec3::new(
            pick(corner & 1, bounds.min.x, bounds.max.x),
            pick(corner >> 1 & 1, bounds.min.y, bounds.max.y),
            pick(corner >> 2 & 1, bounds.min.z, bounds.max.z),
        ))
    }))
}

/// Compares the area that faces up along +y with the area that faces +z. Only a hint: it is wrong
/// for some real rooms, so it changes nothing.
fn note_up_axis(model: &SceneModel, context: &mut Context) {
    let (vertices, triangles) = model.world_triangles();
    let mut facing = [0.0_f64; 3];
    for [a, b, c] in triangles {
        let get = |index: u32| vertices.get(index as usize).copied().unwrap_or(Vec3::ZERO);
        let normal = (get(b) - get(a)).cross(get(c) - get(a));
        let length = normal.length();
        for (sum, part) in facing.iter_mut().zip([normal.y, normal.z, -normal.y]) {
            if part > 0.95 * length {
                *sum += f64::from(length) * 0.5;
            }
        }
    }
    let [up_y, up_z, down_y] = facing.map(|area| (area * 10.0).round() / 10.0);
    if up_z > 1.5 * up_y {
        context.note(format!(
            "{up_z} m² face +z and {up_y} m² face +y: perhaps the scene is stored z up (--up z)"
        ));
    } else if down_y > 3.0 * up_y {
        context.note(format!(
            "{down_y} m² face −y and {up_y} m² face +y: perhaps the triangles are inside out"
        ));
    }
}
