//! Queries on Habitat's own navmeshes against the values that Habitat gave.

#![allow(clippy::unwrap_used, reason = "a golden file of another shape is a failed test")]

mod data;

use ambler_geometry::{Heading, Vec3};
use ambler_navmesh::{NavMesh, NavQuery};
use data::{data, json};
use serde_json::Value;
use std::sync::Arc;

const MAIN: [&str; 6] =
    ["scan180", "scan40", "washitsu", "hl2_apartment", "simple_room", "stage_floor1"];
const OLD: [&str; 5] = [
    "recast151/scan40",
    "recast151/washitsu",
    "recast151/hl2_apartment",
    "recast151/simple_room",
    "recast151/stage_floor1",
];

/// Agreement within a scene: how many answers are equal to the bit, how many within 1e-3 m.
#[derive(Default)]
struct Tally {
    total: usize,
    exact: usize,
    close: usize,
    /// Left out for a reason that is written down.
    explained: usize,
    worst: f32,
    bad: Vec<String>,
}

impl Tally {
    fn value(&mut self, name: &str, ours: f32, theirs: f32) {
        let difference = if ours == theirs { 0.0 } else { (ours - theirs).abs() };
        self.difference(name, difference);
    }

    fn difference(&mut self, name: &str, difference: f32) {
        self.total += 1;
        self.exact += usize::from(difference == 0.0);
        if difference <= 1e-3 {
            self.close += 1;
            self.worst = self.worst.max(difference);
        } else {
            self.bad.push(format!("{name}: off by {difference}"));
        }
    }

    fn point(&mut self, name: &str, ours: Vec3, theirs: Vec3) {
        let difference = if ours == theirs { 0.0 } else { (ours - theirs).length() };
        self.difference(name, if difference.is_nan() { f32::INFINITY } else { difference });
    }

    fn same<T: PartialEq + std::fmt::Debug>(&mut self, name: &str, ours: T, theirs: T) {
        let equal = ours == theirs;
        if !equal {
            self.bad.push(format!("{name}: {ours:?}, Habitat {theirs:?}"));
        }
        self.total += 1;
        self.exact += usize::from(equal);
        self.close += usize::from(equal);
    }

    /// Prints a row of the table and fails on any answer that is apart.
    fn finish(self, family: &str, scene: &str) {
        let Self { total, exact, close, explained, worst, bad } = self;
        println!("| {family} | {scene} | {total} | {exact} | {close} | {worst:.1e} | {explained} |");
        assert!(
            bad.is_empty(),
            "{family} {scene}: {} apart: {:#?}",
            bad.len(),
            &bad[..bad.len().min(10)]
        );
        assert!(total > 0, "{family} {scene}: nothing compared");
    }
}

fn point(value: &Value) -> Vec3 {
    let number = |index: usize| value[index].as_f64().map_or(f32::NAN, |v| v as f32);
    Vec3::new(number(0), number(1), number(2))
}

fn number(value: &Value) -> f32 {
    value.as_f64().map_or(f32::INFINITY, |v| v as f32)
}

fn query(scene: &str) -> Option<NavQuery> {
    let path = data(&format!("golden/{scene}/scene.navmesh"))?;
    Some(NavQuery::new(Arc::new(NavMesh::read(path).expect("a navmesh"))))
}

/// Runs a check on a file of each scene that has it.
fn each(scenes: &[&str], file: &str, check: impl Fn(&mut NavQuery, &[Value], &mut Tally, &str)) {
    for scene in scenes {
        let relative = format!("golden/{scene}/{file}.json");
        let lacks = ["recast151/simple_room", "recast151/stage_floor1"].contains(scene)
            && ["paths", "multigoal", "snap", "obstacle"].contains(&file);
        if lacks {
            continue;
        }
        let (Some(mut query), Some(rows)) = (query(scene), json(&relative)) else {
            return;
        };
        let mut tally = Tally::default();
        check(&mut query, rows.as_array().expect("a list"), &mut tally, scene);
        tally.finish(file, scene);
    }
}

fn all() -> Vec<&'static str> {
    MAIN.into_iter().chain(OLD).collect()
}

#[test]
fn files_come_out_byte_for_byte() {
    for scene in all() {
        let Some(path) = data(&format!("golden/{scene}/scene.navmesh")) else {
            return;
        };
        let bytes = std::fs::read(&path).unwrap();
        let mesh = NavMesh::parse(&bytes, &path).unwrap();
        assert!(mesh.to_bytes() == bytes, "{scene} changes when it is written");
    }
}

#[test]
fn areas_islands_and_triangles_are_habitats() {
    for scene in all() {
        let (Some(query), Some(info)) = (query(scene), json(&format!("golden/{scene}/navmesh.json")))
        else {
            return;
        };
        let mesh = query.mesh();
        let mut tally = Tally::default();
        tally.value("area", mesh.area_m2(), number(&info["navigable_area"]));
        tally.same("islands", mesh.islands().len() as u64, info["num_islands"].as_u64().unwrap());
        for (island, theirs) in mesh.islands().iter().zip(info["islands"].as_array().unwrap()) {
            tally.value("island area", island.area_m2, number(&theirs["area"]));
            tally.value("island radius", island.radius_m, number(&theirs["radius"]));
        }
        let vertices =
            std::fs::read(data(&format!("golden/{scene}/navmesh_vertices.npy")).unwrap()).unwrap();
        let floats: Vec<f32> =
            vertices[128..].chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
        let ours: Vec<f32> = mesh.triangles().iter().flatten().flat_map(|v| v.to_array()).collect();
        tally.same("triangle corners", ours, floats);
        tally.finish("navmesh", scene);
    }
}

#[test]
fn paths_are_habitats() {
    each(&all(), "paths", |query, rows, tally, _| {
        for (index, row) in rows.iter().enumerate() {
            let name = format!("path {index}");
            let (start, end) = (point(&row["start"]), point(&row["end"]));
            tally.same(&name, query.island_of(start).ok().map(u64::from), row["island_start"].as_u64());
            tally.same(&name, query.island_of(end).ok().map(u64::from), row["island_end"].as_u64());
            match query.find_path(start, end) {
                Ok(path) => {
                    tally.value(&name, path.length_m, number(&row["geodesic"]));
                    let theirs: Vec<Vec3> =
                        row["points"].as_array().unwrap().iter().map(point).collect();
                    tally.same(&name, path.points.len(), theirs.len());
                    for (ours, theirs) in path.points.iter().zip(theirs) {
                        tally.point(&name, *ours, theirs);
                    }
                }
                Err(reason) => {
                    tally.same(&format!("{name} ({reason})"), false, row["found"].as_bool().unwrap());
                }
            }
        }
    });
}

#[test]
fn the_nearest_of_many_goals_is_habitats() {
    each(&all(), "multigoal", |query, rows, tally, _| {
        for (index, row) in rows.iter().enumerate() {
            let name = format!("query {index}");
            let ends: Vec<Vec3> = row["ends"].as_array().unwrap().iter().map(point).collect();
            let start = point(&row["start"]);
            let answer = query.geodesic_multi(start, &ends);
            tally.value(
                &name,
                answer.map_or(f32::INFINITY, |(length, _)| length),
                number(&row["geodesic"]),
            );
            let theirs = row["closest_end_point_index"].as_i64().unwrap();
            tally.same(&name, answer.map_or(-1, |(_, index)| index as i64), theirs);
            let set = query.prepare_goals(&ends);
            assert_eq!(query.geodesic_to(&set, start), answer, "a prepared set answers the same");
        }
    });
}

#[test]
fn snaps_are_habitats() {
    each(&all(), "snap", |query, rows, tally, _| {
        for (index, row) in rows.iter().enumerate() {
            let name = format!("snap {index}");
            let p = point(&row["point"]);
            let nan = Vec3::NAN;
            let check = |tally: &mut Tally, ours: Vec3, theirs: Vec3| match theirs.is_nan() {
                true => tally.same(&name, ours.is_nan(), true),
                false => tally.point(&name, ours, theirs),
            };
            check(tally, query.snap(p).map_or(nan, |snap| snap.point), point(&row["snapped"]));
            let island = query.island_of(p).map_or(-1, i64::from);
            tally.same(&name, island, row["island"].as_i64().unwrap());
            for (island, theirs) in row["snapped_per_island"].as_array().unwrap().iter().enumerate() {
                let ours = query.snap_to_island(p, island as u32).map_or(nan, |snap| snap.point);
                check(tally, ours, point(theirs));
            }
            for (height, key) in [(0.5, "is_navigable_eps0p5"), (0.05, "is_navigable_eps0p05")] {
                tally.same(&name, query.is_navigable(p, height), row[key].as_bool().unwrap());
            }
            obstacle(
                query,
                p,
                row,
                ["obstacle_distance_r2", "obstacle_hit_pos", "obstacle_hit_normal"],
                &name,
                tally,
            );
        }
    });
}

fn obstacle(query: &mut NavQuery, p: Vec3, row: &Value, keys: [&str; 3], name: &str, tally: &mut Tally) {
    let ours = query.distance_to_obstacle(p, 2.0);
    tally.value(name, ours.map_or(f32::INFINITY, |o| o.distance_m), number(&row[keys[0]]));
    let Ok(ours) = ours else { return };
    // Without a wall in reach, Habitat gives what was in memory.
    let Some(hit) = ours.point else { return };
    tally.point(name, hit, point(&row[keys[1]]));
    match (ours.normal, point(&row[keys[2]])) {
        (None, theirs) => tally.same(name, theirs.is_nan(), true),
        (Some(normal), theirs) => tally.point(name, normal, theirs),
    }
}

#[test]
fn obstacles_are_habitats() {
    each(&all(), "obstacle", |query, rows, tally, _| {
        for (index, row) in rows.iter().enumerate() {
            let name = format!("point {index}");
            let p = point(&row["point"]);
            obstacle(query, p, row, ["obstacle_distance_r2", "hit_pos", "hit_normal"], &name, tally);
            let far = query.distance_to_obstacle(p, 10.0).unwrap().distance_m;
            tally.value(&name, far, number(&row["obstacle_distance_r10"]));
            let island = query.island_of(p).unwrap();
            tally.same(&name, u64::from(island), row["island"].as_u64().unwrap());
            let radius = query.mesh().islands()[island as usize].radius_m;
            tally.value(&name, radius, number(&row["island_radius"]));
        }
    });
}

fn steps(scenes: &[&str], key: &'static str, sliding: bool) {
    each(scenes, "steps", |query, rows, tally, _| {
        for (index, row) in rows.iter().enumerate() {
            let ours = query.try_step(point(&row["start"]), point(&row["end"]), sliding);
            tally.point(&format!("{key} {index}"), ours, point(&row[key]));
        }
    });
}

#[test]
fn sliding_steps_are_habitats() {
    steps(&all(), "try_step", true);
}

#[test]
fn steps_without_sliding_are_those_of_habitat_before_0_3_4() {
    steps(&OLD, "try_step_no_sliding", false);
}

/// Which way a body of a rollout faces.
#[derive(Clone, Copy, PartialEq)]
enum Facing {
    /// Ambler's heading: the start's yaw and whole turns.
    Turns,
    /// Habitat's own float rotation before each step, which drifts with each turn.
    Habitats,
}

fn forward_of(pose: &[f64]) -> Vec3 {
    let [x, y, z, w] = [3, 4, 5, 6].map(|i| pose[i] as f32);
    // The third column of the rotation matrix, reversed.
    -Vec3::new(2.0 * x * z + 2.0 * y * w, 2.0 * y * z - 2.0 * x * w, 1.0 - 2.0 * x * x - 2.0 * y * y)
}

/// How many actions of a rollout are compared. All but for one rollout, which parts at its 28th
/// action: the body then rests on a wall, and whether its next step crosses that wall hangs on the
/// last bit of where it stopped, thus on the last bits of the rotation that brought it there. With
/// Habitat's rotations it agrees to the end.
fn known(scene: &str, file: &str, rollout: usize) -> usize {
    match (scene, file, rollout) {
        ("recast151/hl2_apartment", "rollouts_nosliding", 1) => 27,
        _ => 100,
    }
}

fn rollouts(scenes: &[&str], file: &str, sliding: bool, facing: Facing) {
    let numbers =
        |v: &Value| -> Vec<f64> { v.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect() };
    each(scenes, file, |query, rows, tally, scene| {
        for (index, row) in rows.iter().enumerate() {
            let mut pose = numbers(&row["start_pose"]);
            let mut position = Vec3::new(pose[0] as f32, pose[1] as f32, pose[2] as f32);
            let mut heading =
                Heading::from_yaw(ambler_geometry::yaw_from_quat(pose[3], pose[4], pose[5], pose[6]));
            let mut collided = String::new();
            let actions = row["actions"].as_str().unwrap();
            for (action, theirs) in actions.chars().zip(row["poses"].as_array().unwrap()) {
                let mut hit = false;
                match action {
                    'L' => heading = heading.turned(1, 12),
                    'R' => heading = heading.turned(-1, 12),
                    _ => {
                        let forward = match facing {
                            Facing::Turns => heading.forward(),
                            Facing::Habitats => forward_of(&pose),
                        };
                        let end = position + forward * 0.25;
                        let reached = query.try_step(position, end, sliding);
                        hit = (reached - position).length_squared() + 1e-5
                            < (end - position).length_squared();
                        position = reached;
                    }
                }
                collided.push(if hit { '1' } else { '0' });
                if facing == Facing::Habitats || collided.len() <= known(scene, file, index) {
                    tally.point(
                        &format!("rollout {index} step {}", collided.len()),
                        position,
                        point(theirs),
                    );
                }
                pose = numbers(theirs);
                assert!(
                    (forward_of(&pose) - heading.forward()).length() < 1e-3,
                    "headings part in rollout {index}"
                );
            }
            let compared = if facing == Facing::Habitats { 100 } else { known(scene, file, index) };
            let theirs = row["collided"].as_str().unwrap();
            tally.same(
                &format!("collisions of rollout {index}"),
                &collided[..compared],
                &theirs[..compared],
            );
            tally.explained += 100 - compared;
        }
    });
}

#[test]
fn rollouts_with_habitats_rotations_are_habitats() {
    rollouts(&all(), "rollouts_sliding", true, Facing::Habitats);
    rollouts(&OLD, "rollouts_nosliding", false, Facing::Habitats);
}

#[test]
fn sliding_rollouts_are_habitats() {
    rollouts(&all(), "rollouts_sliding", true, Facing::Turns);
}

#[test]
fn rollouts_without_sliding_are_those_of_habitat_before_0_3_4() {
    rollouts(&OLD, "rollouts_nosliding", false, Facing::Turns);
}
