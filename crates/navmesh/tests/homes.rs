//! Homes made from seeds are homes for a body: every room is reached, nothing stands in a door or in
//! another piece, every surface that holds objects is within reach.
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use ambler_geometry::{Vec2, Vec3, polygon_contains};
use ambler_navmesh::{NavMesh, NavMeshSettings, NavQuery};
use ambler_scene::home::{Home, HomeSpec, generate_home};
use std::sync::Arc;

/// Seeds looked at; 200 with AMBLER_SEEDS=200.
fn seeds() -> u64 {
    std::env::var("AMBLER_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(40)
}

struct Walked {
    query: NavQuery,
    /// For each room the points of the largest island on its floor, on a grid of 0.1 m.
    points: Vec<Vec<Vec3>>,
    main: u32,
}

fn walk(home: &Home) -> Walked {
    let (vertices, triangles) = home.scene.world_triangles();
    let mesh = NavMesh::build(&vertices, &triangles, &NavMeshSettings::for_body(1.41, 0.17)).unwrap();
    let main = (0..mesh.islands().len())
        .max_by(|&a, &b| mesh.islands()[a].area_m2.total_cmp(&mesh.islands()[b].area_m2))
        .unwrap() as u32;
    let mut query = NavQuery::new(Arc::new(mesh));
    let mut points = Vec::new();
    for room in &home.scene.rooms {
        let (low, high) = bounds(&room.polygon);
        let mut found = Vec::new();
        let steps = ((high - low) / 0.1).floor();
        for i in 0..=steps.x as u32 {
            for j in 0..=steps.y as u32 {
                let p = low + Vec2::new(i as f32, j as f32) * 0.1;
                let at = Vec3::new(p.x, room.floor_y, p.y);
                if let Ok(snap) = query.snap_to_island(at, main)
                    && Vec2::new(snap.point.x, snap.point.z).distance(p) < 0.01
                    && (snap.point.y - room.floor_y).abs() < 0.35
                {
                    found.push(snap.point);
                }
            }
        }
        points.push(found);
    }
    Walked { query, points, main }
}

fn bounds(polygon: &[Vec2]) -> (Vec2, Vec2) {
    polygon.iter().fold((Vec2::INFINITY, Vec2::NEG_INFINITY), |(low, high), &p| (low.min(p), high.max(p)))
}

fn distance(polygon: &[Vec2], point: Vec2) -> f32 {
    if polygon_contains(polygon, point) {
        return 0.0;
    }
    let edges = polygon.iter().zip(polygon.iter().cycle().skip(1));
    edges
        .map(|(&a, &b)| {
            let t = ((point - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
            point.distance(a + (b - a) * t)
        })
        .fold(f32::INFINITY, f32::min)
}

/// Checks rooms, doors and overlaps; the number of surfaces that no one can stand within a metre of.
fn check(seed: u64, home: &Home) -> usize {
    let mut walked = walk(home);
    let mut far = 0;
    for (room, points) in home.scene.rooms.iter().zip(&walked.points) {
        assert!(points.len() >= 25, "seed {seed}: {} has {} points to stand on", room.name, points.len());
    }
    for door in home.doors.iter().filter(|door| door.is_open) {
        assert!(door.clear_m >= 0.9, "seed {seed}: a door of {} m", door.clear_m);
        let middle = Vec3::new(door.middle.x, door.floor_y, door.middle.y);
        let snap = walked.query.snap_to_island(middle, walked.main).unwrap();
        let off = Vec2::new(snap.point.x, snap.point.z).distance(door.middle);
        assert!(off < 0.06, "seed {seed}: the door at {} is blocked ({off} m)", door.middle);
    }
    for receptacle in &home.scene.receptacles {
        let nearest = walked
            .points
            .iter()
            .flatten()
            // The navmesh lies up to a voxel (0.2 m) above the floor, so the lowest shelf of a
            // bookcase may lie below it; surfaces of another storey are farther off than this.
            .filter(|p| (-0.25..2.5).contains(&(receptacle.y - p.y)))
            .map(|p| distance(&receptacle.polygon, Vec2::new(p.x, p.z)))
            .fold(f32::INFINITY, f32::min);
        if nearest > 1.0 {
            println!("seed {seed}: {} is {nearest} m away", receptacle.name);
            far += 1;
        }
    }
    for (index, a) in home.footprints.iter().enumerate() {
        let room = &home.scene.rooms[a.room as usize];
        let (low, high) = bounds(&room.polygon);
        let inside = a.min.cmpge(low - 0.01).all() && a.max.cmple(high + 0.01).all();
        assert!(inside, "seed {seed}: a {} reaches into a wall of {}", a.category, room.name);
        for b in home.footprints.iter().skip(index + 1).filter(|b| b.room == a.room) {
            let apart = (a.min + 0.01).cmpge(b.max).any() || (b.min + 0.01).cmpge(a.max).any();
            assert!(apart, "seed {seed}: {} and {} overlap in {}", a.category, b.category, room.name);
        }
    }
    far
}

#[test]
fn every_room_door_and_receptacle_of_many_homes_is_reached() {
    let (mut made, mut surfaces, mut far) = (0, 0, 0);
    for seed in 0..seeds() {
        match generate_home(&HomeSpec::new(seed)) {
            Ok(home) => {
                far += check(seed, &home);
                surfaces += home.scene.receptacles.len();
                made += 1;
            }
            Err(error) => println!("{error}"),
        }
    }
    println!("{far} of {surfaces} surfaces are out of reach");
    // A known gap: a chair behind a table may lie a few centimetres too far (docs/HOMES.md).
    assert!(far * 1000 <= surfaces, "{far} of {surfaces} surfaces are out of reach");
    assert!(made * 100 >= seeds() * 97, "only {made} of {} seeds gave a home", seeds());
}

#[test]
fn a_home_of_two_floors_hangs_together() {
    for seed in 0..2 {
        let spec = HomeSpec { rooms: Some(16), floors: 2, ..HomeSpec::new(seed) };
        assert!(check(seed, &generate_home(&spec).unwrap()) <= 1);
    }
}

#[test]
fn large_homes_have_several_bedrooms_far_apart() {
    for seed in 0..3 {
        let home = generate_home(&HomeSpec { rooms: Some(12), ..HomeSpec::new(seed) }).unwrap();
        for (category, least) in [("bedroom", 3), ("bathroom", 2), ("closet", 2)] {
            let rooms: Vec<_> = home.scene.rooms.iter().filter(|r| r.category == category).collect();
            assert!(rooms.len() >= least, "seed {seed}: {} of {category}", rooms.len());
            let center = |i: usize| rooms[i].polygon.iter().sum::<Vec2>() / 4.0;
            let widest = (0..rooms.len())
                .flat_map(|a| (0..a).map(move |b| (a, b)))
                .map(|(a, b)| center(a).distance(center(b)))
                .fold(0.0, f32::max);
            assert!(widest >= 5.0, "seed {seed}: rooms of {category} lie within {widest} m");
        }
    }
}
