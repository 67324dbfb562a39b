//! The Van Gogh room of Habitat's own tests: its navmeshes as Recast 1.5.1 and 1.6.0 made them,
//! and the values that Habitat's repositories keep.

#![allow(clippy::unwrap_used, reason = "what cannot be unwrapped is a failed test")]

mod data;

use ambler_geometry::Vec3;
use ambler_navmesh::{NavMesh, NavQuery, NavReason};
use data::data;
use serde_json::Value;
use std::sync::Arc;

const FOLDER: &str = "terms/habitat_golden";

fn mesh(name: &str) -> Option<NavMesh> {
    let path = data(&format!("{FOLDER}/{name}"))?;
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes.len(), 1840);
    let mesh = NavMesh::parse(&bytes, &path).unwrap();
    assert!(mesh.to_bytes() == bytes, "{name} changes when it is written");
    Some(mesh)
}

fn json(name: &str) -> Option<Value> {
    let text = std::fs::read_to_string(data(&format!("{FOLDER}/{name}"))?).unwrap();
    // Python writes infinity as a word that JSON does not have.
    Some(serde_json::from_str(&text.replace("Infinity", "null")).unwrap())
}

fn point(value: &Value) -> Vec3 {
    let [x, y, z] = [0, 1, 2].map(|index| value[index].as_f64().unwrap() as f32);
    Vec3::new(x, y, z)
}

#[test]
fn recast_1_5_1_loads_with_habitats_figures() {
    let Some(mesh) = mesh("vg_default_r15.navmesh") else {
        return;
    };
    assert_eq!(mesh.area_m2(), 9.177_721);
    let islands: Vec<[f32; 2]> = mesh.islands().iter().map(|i| [i.area_m2, i.radius_m]).collect();
    assert_eq!(islands, [[7.305_000_3, 3.304_431_2], [1.872_721, 1.412_859_8]]);
    assert_eq!(mesh.counts(), [10, 25, 21]);
    assert_eq!(mesh.triangles().len() * 3, 63);
}

#[test]
fn recast_1_6_0_loads_with_habitats_figures() {
    let Some(mesh) = mesh("vg_default_r16.navmesh") else {
        return;
    };
    assert_eq!(mesh.area_m2(), 9.273_84);
    let bed = mesh.islands()[1];
    assert_eq!([bed.area_m2, bed.radius_m], [1.968_839_4, 1.479_739_8]);
    assert_eq!(mesh.islands().len(), 2);
}

#[test]
fn geodesic_distances_are_those_of_habitat_lab() {
    let Some(mesh) = mesh("vg_default_r15.navmesh") else {
        return;
    };
    let Some(golden) = json("test-sim-geodesic-distance-test-golden.json") else {
        return;
    };
    let mut query = NavQuery::new(Arc::new(mesh));
    let (mut compared, mut worst) = (0, 0.0_f32);
    let mut compare = |ours: Result<f32, NavReason>, expected: &Value| match (ours, expected.as_f64()) {
        (Ok(ours), Some(theirs)) => {
            worst = worst.max((ours - theirs as f32).abs());
            assert!(worst <= 1e-6, "{ours}, Habitat {theirs}");
            compared += 1;
        }
        (Err(NavReason::DifferentIsland { start, goal, .. }), None) => {
            assert_ne!(start, goal);
            compared += 1;
        }
        (ours, theirs) => panic!("{ours:?}, Habitat {theirs:?}"),
    };
    for row in golden["single_end"].as_array().unwrap() {
        compare(query.geodesic(point(&row["start"]), point(&row["end"])), &row["expected"]);
    }
    for row in golden["multi_end"].as_array().unwrap() {
        let ends: Vec<Vec3> = row["ends"].as_array().unwrap().iter().map(point).collect();
        let answer = query.geodesic_multi(point(&row["start"]), &ends);
        compare(answer.map(|(length, _)| length), &row["expected"]);
    }
    println!("van gogh distances: {compared} of 20, largest difference {worst:e} m");
    assert_eq!(compared, 20);
}

#[test]
fn bed_to_floor_says_why_not() {
    let Some(mesh) = mesh("vg_default_r15.navmesh") else {
        return;
    };
    let mut query = NavQuery::new(Arc::new(mesh));
    let (bed, floor) = (Vec3::new(1.5123, 0.8784, -0.494), Vec3::new(2.9792, 0.1767, 0.858));
    let reason = query.geodesic(bed, floor).unwrap_err();
    assert_eq!(reason.to_string(), "start is on island 1 (1.87 m²), goal on island 0 (7.31 m²)");
}

#[test]
fn the_trajectory_of_habitat_lab_is_followed() {
    let Some(mesh) = mesh("vg_default_r15.navmesh") else {
        return;
    };
    let Some(golden) = json("habitat-sim_trajectory_data.json") else {
        return;
    };
    let mut query = NavQuery::new(Arc::new(mesh));
    let rows = |key: &str| golden[key].as_array().unwrap().clone();
    let (positions, rotations, actions) = (rows("positions"), rows("rotations"), rows("actions"));
    let distances = rows("distances_to_obstacles");
    let (mut off, mut off_wall, mut steps) = (0.0_f32, 0.0_f32, 0);
    let mut position = point(&positions[0]);
    for index in 0..positions.len() - 1 {
        if actions[index] == "move_forward" {
            let [x, y, z, w] = [0, 1, 2, 3].map(|i| rotations[index][i].as_f64().unwrap());
            let yaw = ambler_geometry::yaw_from_quat(x, y, z, w);
            let forward = ambler_geometry::Heading::from_yaw(yaw).forward();
            position = query.try_step(position, position + forward * 0.25, true);
        }
        off = off.max((position - point(&positions[index + 1])).length());
        // Habitat's list has no value before the first action.
        if let Some(theirs) = distances[index + 1].as_f64() {
            let ours = query.distance_to_obstacle(position, 2.0).unwrap().distance_m;
            off_wall = off_wall.max((ours - theirs as f32).abs());
        }
        steps += 1;
    }
    println!("van gogh trajectory: {steps} actions, off by at most {off:e} m, obstacle {off_wall:e} m");
    assert!(off <= 2e-6 && off_wall <= 2e-6, "{off} {off_wall}");
    assert!(steps >= 56);
}
