use super::boxes::{self, LabelBox};
use super::capture;
use super::format::{Asset, Description, Labels, Object, Part};
use crate::category::label_name;
use crate::files::{Context, shorten};
use crate::read::{kind_of, read_asset};
use crate::{Floor, Instance, Licence, Receptacle, Room, SceneError, SceneModel, assemble};
use ambler_geometry::{Affine, Place, Vec2};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// What the assets left behind for the objects to refer to.
#[derive(Default)]
struct Sources {
    /// Name of the node of each placement.
    names: Vec<String>,
    /// Which asset each placement came from.
    assets: Vec<u32>,
    /// (asset, source id) → id in instance images.
    ids: BTreeMap<(u32, i64), u32>,
    /// Vertices and triangles placed so far.
    placed: (u64, u64),
    /// Where an unlabelled file's meshes are, for its second use.
    shared: BTreeMap<String, Shared>,
}

#[derive(Clone)]
struct Shared {
    first: usize,
    last: usize,
    world_from_asset: Affine,
}

pub(super) fn build(
    description: &Description,
    path: &Path,
    context: &mut Context,
) -> Result<SceneModel, SceneError> {
    let mut model = SceneModel { categories: vec![String::new()], ..SceneModel::default() };
    model.name.clone_from(&description.name);
    if model.name.is_empty() && assemble::stem(path) == "scene" {
        model.name = path.parent().map(assemble::file_name).unwrap_or_default();
    }
    model.licence =
        Licence { name: description.licence.name.clone(), credit: description.licence.credit.clone() };
    let mut sources = Sources::default();
    for (index, asset) in description.assets.iter().enumerate() {
        add_asset(asset, index as u32, path, &mut model, &mut sources, context)?;
    }
    add_objects(description, path, &mut model, &sources, context)?;
    map_categories(description, &mut model);
    add_places(description, path, &mut model)?;
    Ok(model)
}

fn fault(path: &Path, place: &str, what: impl Into<String>) -> SceneError {
    SceneError::malformed(path, Place::Pointer(place.to_owned()), what, "correct the description")
}

fn add_asset(
    asset: &Asset,
    index: u32,
    path: &Path,
    model: &mut SceneModel,
    sources: &mut Sources,
    context: &mut Context,
) -> Result<(), SceneError> {
    let place = format!("assets[{index}]");
    let world = asset.world_from_asset().ok_or_else(|| {
        fault(path, &place, "a number of its placement is not finite, or its quaternion is zero")
    })?;
    if asset.labels == Labels::Own
        && let Some(shared) = sources.shared.get(&asset.path).cloned()
    {
        let first = model.placements.len();
        place_again(&shared, &world, index, &place, path, model, sources)?;
        return count_placed(first, &place, path, model, sources, context);
    }
    let (asset_path, bytes) =
        context.read(path, Place::Pointer(format!("{place}.path")), &asset.path)?;
    let (mut read, names) = read_asset(kind_of(&bytes, &asset_path)?, &bytes, &asset_path, context)?;
    match &asset.labels {
        Labels::Own => {}
        Labels::Drop => drop_labels(&mut read),
        Labels::Capture(list) => {
            let place = Place::Pointer(format!("{place}.labels"));
            let (list_path, list_bytes) = context.read(path, place, list)?;
            capture::apply(&list_bytes, &list_path, &mut read, &names, &Affine::IDENTITY, context)?;
        }
    }
    let first = model.placements.len();
    let unlabelled = read.instances.is_empty();
    merge(model, read, &world, index, sources);
    sources.names.extend(names);
    sources.assets.resize(model.placements.len(), index);
    if unlabelled {
        let shared = Shared { first, last: model.placements.len(), world_from_asset: world };
        sources.shared.insert(asset.path.clone(), shared);
    }
    count_placed(first, &place, path, model, sources, context)
}

/// Holds what all assets place against the limits.
fn count_placed(
    first: usize,
    place: &str,
    path: &Path,
    model: &SceneModel,
    sources: &mut Sources,
    context: &Context,
) -> Result<(), SceneError> {
    for placement in model.placements.iter().skip(first) {
        if let Some(mesh) = model.meshes.get(placement.mesh as usize) {
            sources.placed.0 += mesh.positions.len() as u64;
            sources.placed.1 += mesh.triangles.len() as u64;
        }
    }
    let limits = context.options.limits;
    let placements = model.placements.len() as u64;
    if sources.placed.0 > limits.vertices
        || sources.placed.1 > limits.triangles
        || placements > limits.placements
    {
        return Err(SceneError::too_large(
            path,
            Place::Pointer(place.to_owned()),
            "the assets up to here place more vertices, triangles or meshes than the limits allow",
            "leave assets out, or split the scene",
        ));
    }
    Ok(())
}

/// The same unlabelled file once more: its meshes are shared.
fn place_again(
    shared: &Shared,
    world: &Affine,
    index: u32,
    place: &str,
    path: &Path,
    model: &mut SceneModel,
    sources: &mut Sources,
) -> Result<(), SceneError> {
    let asset_from_world = shared
        .world_from_asset
        .inverse()
        .ok_or_else(|| fault(path, place, "the first use of this asset is scaled to nothing"))?;
    for at in shared.first..shared.last {
        let Some(mut placement) = model.placements.get(at).cloned() else { continue };
        placement.world_from_mesh = world.compose(&asset_from_world.compose(&placement.world_from_mesh));
        model.placements.push(placement);
        sources.names.push(sources.names.get(at).cloned().unwrap_or_default());
        sources.assets.push(index);
    }
    Ok(())
}

fn drop_labels(model: &mut SceneModel) {
    model.instances.clear();
    model.categories.truncate(1);
    for mesh in model.meshes.iter_mut().filter(|mesh| !mesh.triangle_instances.is_empty()) {
        Arc::make_mut(mesh).triangle_instances.clear();
    }
    for placement in &mut model.placements {
        placement.instance = 0;
    }
}

/// Adds what an asset holds; its ids are shifted where they are taken.
fn merge(model: &mut SceneModel, read: SceneModel, world: &Affine, asset: u32, sources: &mut Sources) {
    let (meshes, textures, materials) =
        (model.meshes.len() as u32, model.textures.len() as u32, model.materials.len() as u32);
    let taken = read.instances.iter().any(|instance| model.instance(instance.id).is_some());
    let shift = if taken { model.instances.last().map_or(0, |last| last.id) } else { 0 };
    let shifted = |id: u32| if id == 0 { 0 } else { id.saturating_add(shift) };
    for instance in &read.instances {
        let category = assemble::category(model, read.category_name(instance.category));
        let id = shifted(instance.id);
        assemble::instance(model, id, instance.source_id, &instance.name, category);
        sources.ids.insert((asset, instance.source_id), id);
    }
    model.textures.extend(read.textures);
    model.materials.extend(read.materials.into_iter().map(|mut material| {
        material.texture = material.texture.map(|texture| texture + textures);
        material
    }));
    model.meshes.extend(read.meshes.into_iter().map(|mut mesh| {
        if shift != 0 && !mesh.triangle_instances.is_empty() {
            for id in &mut Arc::make_mut(&mut mesh).triangle_instances {
                *id = shifted(*id);
            }
        }
        mesh
    }));
    model.placements.extend(read.placements.into_iter().map(|mut placement| {
        placement.mesh += meshes;
        placement.material += materials;
        placement.instance = shifted(placement.instance);
        placement.world_from_mesh = world.compose(&placement.world_from_mesh);
        placement
    }));
}

fn add_objects(
    description: &Description,
    path: &Path,
    model: &mut SceneModel,
    sources: &Sources,
    context: &mut Context,
) -> Result<(), SceneError> {
    let mut used: BTreeSet<u32> = model.instances.iter().map(|instance| instance.id).collect();
    used.extend(description.objects.iter().filter_map(|object| object.id));
    let mut own: BTreeSet<u32> = BTreeSet::new();
    let mut names: BTreeSet<&str> = BTreeSet::new();
    let mut next = used.last().map_or(1, |last| last.saturating_add(1));
    let mut label_boxes = Vec::new();
    for (index, object) in description.objects.iter().enumerate() {
        let place = format!("objects[{index}]");
        let renames = object.parts.iter().find_map(|part| match part {
            Part::Source { asset, id } => sources.ids.get(&(*asset, *id)).copied(),
            _ => None,
        });
        let id = match (object.id, renames) {
            (Some(id), _) | (None, Some(id)) => id,
            (None, None) => {
                next = next.saturating_add(1);
                next - 1
            }
        };
        if id == 0 {
            return Err(fault(
                path,
                &format!("{place}.id"),
                "0 means 'nothing' and cannot be an object's id",
            ));
        }
        if !own.insert(id) {
            return Err(fault(path, &place, format!("two objects have the id {id}")));
        }
        if !object.name.is_empty() && !names.insert(&object.name) {
            return Err(fault(
                path,
                &place,
                format!("two objects are called '{}'", shorten(&object.name)),
            ));
        }
        put_instance(model, id, object, renames == Some(id));
        let before = label_boxes.len();
        let found = assign(object, id, &place, path, model, sources, &mut label_boxes)?;
        if !found && label_boxes.len() == before {
            context.note(format!("{place} ('{}') takes no triangle", shorten(&object.category)));
        }
    }
    if !label_boxes.is_empty() {
        boxes::apply(model, &label_boxes);
    }
    note_empty(model, &own, context);
    Ok(())
}

fn put_instance(model: &mut SceneModel, id: u32, object: &Object, keep_source: bool) {
    let category = assemble::category(model, &label_name(&object.category));
    let source_id = match model.instance(id) {
        Some(instance) if keep_source => instance.source_id,
        _ => i64::from(id),
    };
    model.instances.retain(|instance| instance.id != id);
    assemble::instance(model, id, source_id, &object.name, category);
}

/// Gives whole placements and source ids to the object; collects its boxes. True where something
/// was found.
fn assign(
    object: &Object,
    id: u32,
    place: &str,
    path: &Path,
    model: &mut SceneModel,
    sources: &Sources,
    label_boxes: &mut Vec<LabelBox>,
) -> Result<bool, SceneError> {
    let mut found = false;
    for (number, part) in object.parts.iter().enumerate() {
        let place = format!("{place}.parts[{number}]");
        match part {
            Part::Box { .. } | Part::Oriented { .. } => {
                let label = part.as_box().and_then(|(center, half, turn)| {
                    let positive = half.cmpge(ambler_geometry::Vec3::ZERO).all();
                    let above = object.above.unwrap_or(f32::NEG_INFINITY);
                    (center.is_finite() && half.is_finite() && positive && !above.is_nan()).then_some(
                        LabelBox {
                            id,
                            center,
                            half,
                            world_from_box: turn?,
                            above,
                            replace: object.replace,
                        },
                    )
                });
                label_boxes.push(
                    label.ok_or_else(|| fault(path, &place, "the box is inside out or not finite"))?,
                );
            }
            Part::Node(name) => {
                let wanted = |node: &String| match name.strip_suffix('*') {
                    Some(prefix) => node.starts_with(prefix),
                    None => node == name,
                };
                let matches: Vec<usize> = (0..sources.names.len())
                    .filter(|&i| sources.names.get(i).is_some_and(wanted))
                    .collect();
                found |= !matches.is_empty();
                give(model, &matches, id);
            }
            Part::Material(name) => {
                let is = |index: u32| {
                    model.materials.get(index as usize).is_some_and(|material| material.name == *name)
                };
                let matches: Vec<usize> = model
                    .placements
                    .iter()
                    .enumerate()
                    .filter(|(_, placement)| is(placement.material))
                    .map(|(index, _)| index)
                    .collect();
                found |= !matches.is_empty();
                give(model, &matches, id);
            }
            Part::Asset(asset) => {
                let matches: Vec<usize> = (0..sources.assets.len())
                    .filter(|&i| sources.assets.get(i) == Some(asset))
                    .collect();
                if matches.is_empty() {
                    return Err(fault(path, &place, format!("there is no asset {asset} with meshes")));
                }
                found = true;
                give(model, &matches, id);
            }
            Part::Source { asset, id: source } => {
                let Some(&old) = sources.ids.get(&(*asset, *source)) else {
                    return Err(fault(
                        path,
                        &place,
                        format!("asset {asset} has no object with the id {source}"),
                    ));
                };
                found = true;
                rename(model, old, id);
            }
        }
    }
    Ok(found)
}

/// Gives whole placements to an object. A mesh with labels of its own keeps them unless it is placed
/// once.
fn give(model: &mut SceneModel, placements: &[usize], id: u32) {
    for &index in placements {
        let Some(placement) = model.placements.get_mut(index) else { continue };
        placement.instance = id;
        let mesh = model.meshes.get_mut(placement.mesh as usize);
        if let Some(mesh) = mesh.filter(|mesh| !mesh.triangle_instances.is_empty()) {
            Arc::make_mut(mesh).triangle_instances.clear();
        }
    }
}

fn rename(model: &mut SceneModel, old: u32, new: u32) {
    if old == new {
        return;
    }
    for mesh in model.meshes.iter_mut().filter(|mesh| mesh.triangle_instances.contains(&old)) {
        for id in &mut Arc::make_mut(mesh).triangle_instances {
            if *id == old {
                *id = new;
            }
        }
    }
    for placement in &mut model.placements {
        if placement.instance == old {
            placement.instance = new;
        }
    }
    model.instances.retain(|instance| instance.id != old);
}

/// Objects that got no triangle would be goals that nobody can see.
fn note_empty(model: &mut SceneModel, own: &BTreeSet<u32>, context: &mut Context) {
    let mut seen: BTreeSet<u32> = BTreeSet::new();
    for placement in &model.placements {
        let Some(mesh) = model.meshes.get(placement.mesh as usize) else { continue };
        if mesh.triangle_instances.is_empty() {
            seen.insert(placement.instance);
        } else {
            seen.extend(&mesh.triangle_instances);
        }
    }
    let gone = |instance: &Instance| own.contains(&instance.id) && !seen.contains(&instance.id);
    for instance in model.instances.iter().filter(|instance| gone(instance)) {
        context
            .note(format!("the object '{}' holds no triangle and is left out", shorten(&instance.name)));
    }
    model.instances.retain(|instance| !gone(instance));
}

fn map_categories(description: &Description, model: &mut SceneModel) {
    let map: BTreeMap<String, String> =
        description.category_map.iter().map(|(old, new)| (label_name(old), label_name(new))).collect();
    let old = std::mem::replace(&mut model.categories, vec![String::new()]);
    let mut instances = std::mem::take(&mut model.instances);
    for instance in &mut instances {
        let name = old.get(instance.category as usize).cloned().unwrap_or_default();
        instance.category = assemble::category(model, map.get(&name).unwrap_or(&name));
    }
    model.instances = instances;
}

fn polygon(points: &[[f32; 2]], place: &str, path: &Path) -> Result<Vec<Vec2>, SceneError> {
    let points: Vec<Vec2> = points.iter().map(|&point| Vec2::from_array(point)).collect();
    if points.len() < 3 || !points.iter().all(|point| point.is_finite()) {
        return Err(fault(path, place, "an outline needs three or more finite points"));
    }
    Ok(points)
}

fn add_places(description: &Description, path: &Path, model: &mut SceneModel) -> Result<(), SceneError> {
    let default_y = description.floor_y.unwrap_or(0.0);
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for (index, room) in description.rooms.iter().enumerate() {
        let place = format!("rooms[{index}]");
        let (floor_y, height) = (room.floor_y.unwrap_or(default_y), room.height.unwrap_or(2.5));
        if !names.insert(&room.name) {
            return Err(fault(path, &place, format!("two rooms are called '{}'", shorten(&room.name))));
        }
        let sound = floor_y.is_finite() && height.is_finite() && height > 0.0;
        if !sound {
            return Err(fault(path, &place, "floor_y must be finite and height above 0"));
        }
        model.rooms.push(Room {
            name: room.name.clone(),
            category: label_name(&room.category),
            polygon: polygon(&room.polygon, &place, path)?,
            floor_y,
            height,
        });
    }
    for (index, floor) in description.floors.iter().enumerate() {
        if !floor.y.is_finite() {
            return Err(fault(path, &format!("floors[{index}].y"), "the height is not finite"));
        }
        model.floors.push(Floor { name: floor.name.clone(), y: floor.y });
    }
    if let Some(y) = description.floor_y
        && model.floors.is_empty()
    {
        if !y.is_finite() {
            return Err(fault(path, "floor_y", "the height is not finite"));
        }
        model.floors.push(Floor { name: "floor".to_owned(), y });
    }
    model.floors.sort_by(|a, b| a.y.total_cmp(&b.y));
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for (index, receptacle) in description.receptacles.iter().enumerate() {
        let place = format!("receptacles[{index}]");
        if !names.insert(&receptacle.name) {
            return Err(fault(
                path,
                &place,
                format!("two receptacles are called '{}'", shorten(&receptacle.name)),
            ));
        }
        if !receptacle.y.is_finite() {
            return Err(fault(path, &place, "the height is not finite"));
        }
        let owner = model.instances.iter().find(|instance| instance.name == receptacle.object);
        if owner.is_none() && !receptacle.object.is_empty() {
            let what = format!("there is no object called '{}'", shorten(&receptacle.object));
            return Err(fault(path, &format!("{place}.object"), what));
        }
        model.receptacles.push(Receptacle {
            name: receptacle.name.clone(),
            instance: owner.map_or(0, |instance| instance.id),
            polygon: polygon(&receptacle.polygon, &place, path)?,
            y: receptacle.y,
        });
    }
    Ok(())
}
