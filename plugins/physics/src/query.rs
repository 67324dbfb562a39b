//! Questions about where things are and what they touch.

use crate::Stage;
use crate::object::{Motion, ObjectState, PhysicsObject};
use crate::shape::ObjectShape;
use ambler_geometry::{Quat, Vec2, Vec3, polygon_contains};
use bevy::prelude::*;
use bevy_rapier3d::parry::bounding_volume::BoundingVolume;
use bevy_rapier3d::parry::math::Pose;
use bevy_rapier3d::parry::query::{self, ShapeCastOptions};
use bevy_rapier3d::parry::shape::{Shape, SharedShape};
use bevy_rapier3d::prelude as rapier;

/// Two things that touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The other thing; `None` for the stage.
    pub other: Option<u32>,
    /// Where, in the world, metres.
    pub point: Vec3,
    /// Away from the other thing, length 1.
    pub normal: Vec3,
    /// Distance of the surfaces in metres; negative where they overlap.
    pub distance_m: f32,
}

/// The contact points of a thing in the last tick.
pub fn contacts(world: &mut World, entity: Entity) -> Vec<Contact> {
    let Some(&rapier::RapierColliderHandle(collider)) = world.get(entity) else { return Vec::new() };
    let mut contexts =
        world.query::<(&rapier::RapierContextSimulation, &rapier::RapierContextColliders)>();
    let Ok((simulation, colliders)) = contexts.single(world) else { return Vec::new() };
    let mut found = Vec::new();
    for pair in simulation.narrow_phase.contact_pairs_with(collider) {
        if !pair.has_any_active_contact() {
            continue;
        }
        let first = pair.collider1 == collider;
        let other = if first { pair.collider2 } else { pair.collider1 };
        let id = colliders
            .collider_entity(other)
            .and_then(|other| world.get::<PhysicsObject>(other))
            .map(|object| object.id);
        let Some((one, two)) =
            colliders.colliders.get(pair.collider1).zip(colliders.colliders.get(pair.collider2))
        else {
            continue;
        };
        for manifold in pair.solver_manifolds() {
            // Points of a compound are in the frame of its piece.
            let place =
                |whole: &Pose, piece: Option<&Pose>| piece.map_or(*whole, |piece| *whole * *piece);
            let pose1 = place(one.position(), manifold.subshape_pos1());
            let pose2 = place(two.position(), manifold.subshape_pos2());
            let normal = manifold.data.normal;
            for point in &manifold.points {
                let at = pose1 * point.local_p1;
                // rapier keeps points while a pair hardly moves; their distance is that of now.
                let distance_m = (pose2 * point.local_p2 - at).dot(normal);
                let normal = if first { -normal } else { normal };
                found.push(Contact { other: id, point: at, normal, distance_m });
            }
        }
    }
    // Pairs come in the order of rapier's graph; by identity it is the same for everyone.
    found.sort_by(|a, b| a.other.cmp(&b.other).then(a.distance_m.total_cmp(&b.distance_m)));
    found
}

/// What carries a thing: those it touches from above. `None` is the stage.
pub fn supporters(world: &mut World, entity: Entity) -> Vec<Option<u32>> {
    let mut below: Vec<Option<u32>> = contacts(world, entity)
        .into_iter()
        .filter(|contact| contact.normal.y > 0.3)
        .map(|contact| contact.other)
        .collect();
    below.sort_unstable();
    below.dedup();
    below
}

/// The pair of things that reach deepest into each other, and how deep (metres, above 0). `None`
/// where no two things overlap. Looks at the shapes themselves, not at rapier's contacts.
pub fn deepest(world: &mut World) -> Option<(u32, u32, f32)> {
    let things = things(world);
    let mut worst: Option<(u32, u32, f32)> = None;
    for (index, a) in things.iter().enumerate() {
        let bounds = a.shape.compute_aabb(&a.pose);
        for b in &things[index + 1..] {
            if !bounds.intersects(&b.shape.compute_aabb(&b.pose)) {
                continue;
            }
            let Ok(Some(contact)) = query::contact(&a.pose, &*a.shape, &b.pose, &*b.shape, 0.0) else {
                continue;
            };
            let depth = -contact.dist;
            if depth > worst.map_or(0.0, |(_, _, deepest)| deepest) {
                worst = Some((a.id.min(b.id), a.id.max(b.id), depth));
            }
        }
    }
    worst
}

/// The thing that reaches deepest into the stage, and how deep (metres, above 0): the distance by which
/// a piece of it overlaps a triangle. `None` where nothing overlaps.
pub fn deepest_in_stage(world: &mut World) -> Option<(u32, f32)> {
    let stage = world.get_resource::<Stage>()?.0.clone();
    let mut worst: Option<(u32, f32)> = None;
    for thing in things(world) {
        for surface in [&stage.surface, &stage.floor].into_iter().flatten() {
            let mut piece = |pose: Pose, shape: &dyn Shape| {
                let found = query::contact(&Pose::IDENTITY, &**surface, &pose, shape, 0.0);
                if let Ok(Some(contact)) = found
                    && -contact.dist > worst.map_or(0.0, |(_, depth)| depth)
                {
                    worst = Some((thing.id, -contact.dist));
                }
            };
            match thing.shape.as_compound() {
                Some(compound) => {
                    compound
                        .shapes()
                        .iter()
                        .for_each(|(pose, shape)| piece(thing.pose * *pose, &**shape));
                }
                None => piece(thing.pose, &*thing.shape),
            }
        }
    }
    worst
}

/// Dynamic things that reach deeper than `depth_m` into another thing or into the stage, and the way out
/// for each: of two things the lighter one moves. By identity.
pub(crate) fn ways_out(world: &mut World, depth_m: f32) -> Vec<(u32, Vec3)> {
    let Some(stage) = world.get_resource::<Stage>().map(|stage| stage.0.clone()) else {
        return Vec::new();
    };
    let things = things(world);
    let mut out: Vec<(u32, Vec3)> = Vec::new();
    let mut push = |thing: &Thing, way: Vec3| {
        if !thing.moves || !way.is_finite() {
            return;
        }
        match out.iter_mut().find(|(id, _)| *id == thing.id) {
            Some((_, known)) if way.length_squared() > known.length_squared() => *known = way,
            Some(_) => {}
            None => out.push((thing.id, way)),
        }
    };
    for (index, a) in things.iter().enumerate() {
        for surface in [&stage.surface, &stage.floor].into_iter().flatten() {
            let mut deepest = depth_m;
            let mut piece = |pose: Pose, shape: &dyn Shape| {
                let found = query::contact(&Pose::IDENTITY, &**surface, &pose, shape, 0.0);
                if let Ok(Some(contact)) = found
                    && -contact.dist > deepest
                {
                    deepest = -contact.dist;
                    push(a, contact.normal1 * -contact.dist);
                }
            };
            match a.shape.as_compound() {
                Some(compound) => {
                    compound.shapes().iter().for_each(|(pose, shape)| piece(a.pose * *pose, &**shape));
                }
                None => piece(a.pose, &*a.shape),
            }
        }
        let bounds = a.shape.compute_aabb(&a.pose);
        for b in &things[index + 1..] {
            if !bounds.intersects(&b.shape.compute_aabb(&b.pose)) {
                continue;
            }
            let found = query::contact(&a.pose, &*a.shape, &b.pose, &*b.shape, 0.0);
            if let Ok(Some(contact)) = found
                && -contact.dist > depth_m
            {
                let way = contact.normal1 * -contact.dist;
                if b.moves && (b.mass_kg <= a.mass_kg || !a.moves) {
                    push(b, way)
                } else {
                    push(a, -way)
                }
            }
        }
    }
    out
}

/// Dynamic things that reach deeper than `depth_m` (metres) into another thing or into the stage, by
/// identity, and how deep; of two things the lighter one is named.
pub fn pressed(world: &mut World, depth_m: f32) -> Vec<(u32, f32)> {
    ways_out(world, depth_m).into_iter().map(|(id, way)| (id, way.length())).collect()
}

struct Thing {
    moves: bool,
    mass_kg: f32,
    id: u32,
    shape: SharedShape,
    pose: Pose,
}

/// Everything with a body that is in the scene, by identity.
fn things(world: &mut World) -> Vec<Thing> {
    let mut objects = world.query::<(&PhysicsObject, &Transform, &ObjectState)>();
    let mut things: Vec<Thing> = objects
        .iter(world)
        .filter(|(_, _, state)| **state != ObjectState::Fallen)
        .map(|(object, place, _)| Thing {
            moves: object.motion == Motion::Dynamic,
            mass_kg: object.shape.mass.mass,
            id: object.id,
            shape: object.shape.shape.clone(),
            pose: Pose::from_parts(place.translation, place.rotation),
        })
        .collect();
    things.sort_by_key(|thing| thing.id);
    things
}

/// What a ray hit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The thing; `None` for the stage.
    pub object: Option<u32>,
    /// Where, metres.
    pub point: Vec3,
    /// Distance from the origin, metres.
    pub distance_m: f32,
}

/// Everything that a ray hits within reach, nearest first. `direction` has length 1.
pub fn cast_ray(world: &mut World, origin: Vec3, direction: Vec3, reach_m: f32) -> Vec<RayHit> {
    let hit =
        |object, distance_m: f32| RayHit { object, point: origin + direction * distance_m, distance_m };
    let ray = query::Ray::new(origin, direction);
    let mut hits: Vec<RayHit> = things(world)
        .iter()
        .filter_map(|thing| {
            let distance = thing.shape.cast_ray(&thing.pose, &ray, reach_m, true)?;
            Some(hit(Some(thing.id), distance))
        })
        .collect();
    let stage = world.get_resource::<Stage>().map(|stage| stage.0.clone());
    hits.extend(
        stage.and_then(|stage| stage.cast_ray(origin, direction, reach_m)).map(|d| hit(None, d)),
    );
    hits.sort_by(|a, b| a.distance_m.total_cmp(&b.distance_m).then(a.object.cmp(&b.object)));
    hits
}

/// Where a thing of this shape and rotation would stand if it were lowered at (x, z) onto the
/// surface at height `y` inside the polygon (x, z): the position of its origin, 1 mm above what it
/// stands on. `None` where its footprint leaves the polygon, or where something is in the way.
///
/// The polygon is convex or not; heights and lengths in metres.
pub fn place_on(
    world: &mut World,
    shape: &ObjectShape,
    rotation: Quat,
    at: Vec2,
    polygon: &[Vec2],
    y: f32,
) -> Option<Vec3> {
    let turned = shape.bounds_turned(rotation);
    // The footprint is that of the box around it: on the safe side.
    let corners = [
        (turned.min.x, turned.min.z),
        (turned.max.x, turned.min.z),
        (turned.max.x, turned.max.z),
        (turned.min.x, turned.max.z),
    ];
    if !corners.iter().all(|&(dx, dz)| polygon_contains(polygon, at + Vec2::new(dx, dz))) {
        return None;
    }
    const ABOVE: f32 = 0.3;
    const GAP: f32 = 0.001;
    let start = Vec3::new(at.x, y + ABOVE - turned.min.y, at.y);
    let stage = world.get_resource::<Stage>()?.0.clone();
    let things = things(world);
    let surfaces = [&stage.surface, &stage.floor].into_iter().flatten();
    let obstacles: Vec<(Pose, SharedShape)> = things
        .into_iter()
        .map(|thing| (thing.pose, thing.shape))
        .chain(surfaces.map(|surface| (Pose::IDENTITY, surface.clone())))
        .collect();
    let pose = Pose::from_parts(start, rotation);
    let options = ShapeCastOptions { max_time_of_impact: ABOVE + 0.05, ..ShapeCastOptions::default() };
    let mut drop = None;
    for (other, surface) in &obstacles {
        if query::intersection_test(&pose, &*shape.shape, other, &**surface).unwrap_or(true) {
            return None;
        }
        let hit = query::cast_shapes(
            &pose,
            Vec3::NEG_Y,
            &*shape.shape,
            other,
            Vec3::ZERO,
            &**surface,
            options,
        );
        if let Ok(Some(hit)) = hit {
            drop = Some(drop.map_or(hit.time_of_impact, |drop: f32| drop.min(hit.time_of_impact)));
        }
    }
    let drop = drop?;
    // It came to rest on something else that stands there.
    (drop > ABOVE - 0.02).then(|| start - Vec3::Y * (drop - GAP))
}
