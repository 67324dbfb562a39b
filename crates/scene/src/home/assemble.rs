//! From the builder's parts to a scene.

use super::builder::Builder;
use super::openings::{Filling, Opening};
use super::shell::{self, RoomShape};
use super::style::Style;
use super::texture::{self, Tex};
use super::{Door, Footprint, Home, HomeSpec, light};
use crate::{Array, Floor, Instance, Licence, Material, Mesh, Placement, Receptacle, Room, SceneModel};
use ambler_geometry::random::Stream;
use ambler_geometry::{Aabb, Affine, Vec2};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bakes the light and puts the scene together.
pub(super) fn home(
    spec: &HomeSpec,
    mut builder: Builder,
    shapes: &[RoomShape],
    openings: &[Opening],
    style: &Style,
    footprints: Vec<Footprint>,
) -> Home {
    let outline = shapes.iter().fold((Vec2::INFINITY, Vec2::NEG_INFINITY), |(low, high), shape| {
        (low.min(shape.min), high.max(shape.max))
    });
    let top = shapes.iter().map(|shape| shape.floor_y + shape.height).fold(0.0, f32::max);
    shell::garden(&mut builder, outline.0, outline.1, top);
    let colours = light::bake(&builder, shapes, openings);
    let mut scene = SceneModel {
        name: format!("home_{}", spec.seed),
        categories: vec![String::new()],
        licence: Licence { name: "CC0-1.0".into(), credit: "made by Ambler's home generator".into() },
        ..SceneModel::default()
    };
    let slots = materials(&mut scene, &builder, spec.seed);
    for (((thing, tex), part), colors) in std::mem::take(&mut builder.parts).into_iter().zip(colours) {
        let Some(&material) = slots.get(&tex) else { continue };
        if part.triangles.is_empty() {
            continue;
        }
        let name = thing
            .checked_sub(1)
            .and_then(|index| builder.things.get(index as usize))
            .map_or_else(String::new, |thing| thing.name.clone());
        scene.placements.push(Placement {
            mesh: scene.meshes.len() as u32,
            material,
            world_from_mesh: Affine::IDENTITY,
            instance: thing,
        });
        scene.meshes.push(Arc::new(Mesh {
            name,
            positions: part.vertices.iter().map(|v| v.position).collect(),
            uvs: if tex == Tex::Plain {
                Array::new()
            } else {
                part.vertices.iter().map(|v| v.uv).collect()
            },
            colors: colors.into(),
            triangles: part.triangles.into(),
            triangle_instances: Array::new(),
        }));
    }
    labels(&mut scene, &builder, shapes);
    scene.recompute_bounds();
    let doors =
        openings.iter().filter(|o| o.filling != Filling::Window).map(|o| door(o, shapes)).collect();
    let windows = openings.iter().filter(|o| o.filling == Filling::Window).count() as u32;
    Home { scene, style: style.name, doors, footprints, windows, rejections: BTreeMap::new() }
}

fn door(o: &Opening, shapes: &[RoomShape]) -> Door {
    Door {
        rooms: [Some(o.room as u32), o.other.map(|other| other as u32)],
        middle: Vec2::from_array(o.middle()),
        floor_y: shapes.get(o.room).map_or(0.0, |shape| shape.floor_y),
        // The boards in the hole take 2 cm a side.
        clear_m: o.width() - 0.04,
        is_open: o.is_walked(),
    }
}

/// One material a texture that is used.
fn materials(scene: &mut SceneModel, builder: &Builder, seed: u64) -> BTreeMap<Tex, u32> {
    let mut slots = BTreeMap::new();
    for &tex in texture::ALL {
        if !builder.parts.iter().any(|((_, used), part)| *used == tex && !part.triangles.is_empty()) {
            continue;
        }
        let texture = (tex != Tex::Plain).then(|| {
            let mut stream = Stream::new(seed, tex.name(), "texture");
            scene.textures.push(Arc::new(tex.paint(&mut stream)));
            scene.textures.len() as u32 - 1
        });
        slots.insert(tex, scene.materials.len() as u32);
        scene.materials.push(Material { name: tex.name().into(), texture, ..Material::default() });
    }
    slots
}

fn labels(scene: &mut SceneModel, builder: &Builder, shapes: &[RoomShape]) {
    let mut bounds = vec![Aabb::EMPTY; builder.things.len() + 1];
    for placement in &scene.placements {
        let (Some(mesh), Some(bounds)) =
            (scene.meshes.get(placement.mesh as usize), bounds.get_mut(placement.instance as usize))
        else {
            continue;
        };
        *bounds = bounds.union(Aabb::from_points(mesh.positions.iter().copied()));
    }
    let mut names: Vec<String> = builder.things.iter().map(|thing| thing.category.to_owned()).collect();
    names.sort_unstable();
    names.dedup();
    scene.categories.extend(names);
    for (index, thing) in builder.things.iter().enumerate() {
        let id = index as u32 + 1;
        let Some(&bounds) = bounds.get(index + 1).filter(|bounds| !bounds.is_empty()) else { continue };
        scene.instances.push(Instance {
            id,
            source_id: i64::from(id),
            name: thing.name.clone(),
            category: scene.category_index(thing.category).unwrap_or(0),
            bounds,
        });
    }
    for shape in shapes {
        let (low, high) = (shape.min, shape.max);
        scene.rooms.push(Room {
            name: shape.name.clone(),
            category: shape.kind.category().to_owned(),
            polygon: vec![low, Vec2::new(high.x, low.y), high, Vec2::new(low.x, high.y)],
            floor_y: shape.floor_y,
            height: shape.height,
        });
        if scene.floors.iter().all(|floor| floor.y != shape.floor_y) {
            let name = ["ground floor", "first floor", "second floor"].get(scene.floors.len());
            let name = name.copied().unwrap_or("upper floor").to_owned();
            scene.floors.push(Floor { name, y: shape.floor_y });
        }
    }
    let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
    for surface in &builder.surfaces {
        let count = counts.entry(surface.thing).or_default();
        *count += 1;
        let owner = builder.things.get((surface.thing as usize).wrapping_sub(1));
        let owner = owner.map_or("surface", |thing| thing.name.as_str());
        scene.receptacles.push(Receptacle {
            name: format!("{owner}_surface_{count}"),
            instance: surface.thing,
            polygon: surface.polygon.clone(),
            y: surface.y,
        });
    }
}
