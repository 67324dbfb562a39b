//! Policies in real scans.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod data;
#[allow(dead_code, reason = "each test file uses a part of it")]
mod walk;

use ambler_agent::Goal;
use ambler_geometry::random::Stream;
use ambler_scene::{ReadOptions, is_structural, read_scene};
use walk::World;

fn world(name: &str) -> Option<World> {
    let path = data::file(name)?;
    Some(World::new(read_scene(&path, &ReadOptions::default()).unwrap()))
}

/// Object goals of every category that has viewpoints, from `starts` places each.
fn objects(name: &str, starts: u64) {
    let Some(mut world) = world(name) else { return };
    let scene = world.scene.clone();
    println!("{name}: islands {:?}", world.query.mesh().islands());
    let mut counts = [(0, 0.0), (0, 0.0)];
    let mut episodes = 0;
    let (mut steps, mut thinking) = (0, 0.0);
    for category in 1..scene.categories.len() as u32 {
        let category_name = scene.category_name(category);
        if is_structural(category_name) {
            continue;
        }
        let ids = scene.instances.iter().filter(|i| i.category == category).map(|i| i.id);
        let goals: Vec<_> =
            ids.collect::<Vec<_>>().into_iter().flat_map(|id| world.view_points(id)).collect();
        println!("{category_name}: {} viewpoints", goals.len());
        if goals.is_empty() {
            continue;
        }
        for start in 0..starts {
            let mut stream = Stream::new(start, name, category_name);
            let pose = world.random_pose(&mut stream);
            let goal = Goal::Object { category: category_name.into(), also: vec![] };
            episodes += 1;
            for (agent, count) in ["frontier", "random"].into_iter().zip(&mut counts) {
                let walk = world.walk(agent, pose, &goal, &goals, start);
                assert_eq!(walk.error, None);
                count.0 += u32::from(walk.success(0.1));
                count.1 += walk.spl(0.1);
                if agent == "frontier" {
                    steps += walk.actions.len();
                    thinking += walk.thinking.as_secs_f64();
                    let verdict = if walk.success(0.1) { "ok" } else { "FAIL" };
                    println!(
                        "  {verdict} from {:.2?} start distance {:.2} end {:.2} length {:.2} collisions {} steps {} {}",
                        pose.position,
                        walk.distances_m.0,
                        walk.distances_m.1,
                        walk.length_m,
                        walk.collisions,
                        walk.actions.len(),
                        if walk.success(0.1) { "" } else { &walk.actions },
                    );
                }
            }
        }
    }
    let n = f64::from(episodes);
    println!(
        "{name}: {episodes} episodes; frontier success {:.3} SPL {:.3}; random success {:.3} SPL {:.3}; {:.0} decisions/s",
        f64::from(counts[0].0) / n,
        counts[0].1 / n,
        f64::from(counts[1].0) / n,
        counts[1].1 / n,
        steps as f64 / thinking,
    );
    assert!(f64::from(counts[0].0) >= 0.8 * n, "found {} of {episodes}", counts[0].0);
    assert!(counts[0].1 > counts[1].1);
}

fn points(name: &str, starts: u64) {
    let Some(mut world) = world(name) else { return };
    let goal = Goal::Point { success_distance_m: 0.2 };
    for agent in ["oracle", "greedy", "frontier"] {
        let (mut found, mut spl, mut steps, mut thinking) = (0, 0.0, 0, 0.0);
        for start in 0..starts {
            let mut stream = Stream::new(start, name, "points");
            let pose = world.random_pose(&mut stream);
            let to = world.random_pose(&mut stream).position;
            let walk = world.walk(agent, pose, &goal, &[to], start);
            found += u32::from(walk.success(0.2));
            spl += walk.spl(0.2);
            steps += walk.actions.len();
            thinking += walk.thinking.as_secs_f64();
            assert_eq!(walk.used_privilege, agent != "frontier");
            if !walk.success(0.2) {
                println!(
                    "  FAIL {agent} from {:.2?} to {to:.2?} distance {:.2} end {:.2?} {:.2} {:?} {}",
                    pose.position,
                    walk.distances_m.0,
                    walk.end.position,
                    walk.distances_m.1,
                    walk.error,
                    walk.actions
                );
            }
        }
        println!(
            "{name}: {starts} points; {agent} success {:.3} SPL {:.3}; {:.0} decisions/s",
            f64::from(found) / starts as f64,
            spl / starts as f64,
            steps as f64 / thinking
        );
        if agent == "oracle" {
            assert_eq!(u64::from(found), starts);
        }
    }
}

const QUEST: &str = "ok/meta_quest_iwer_sem";

#[test]
fn living_room_objects() {
    objects(&format!("{QUEST}/living_room_scan.ply"), 4);
}

#[test]
fn meeting_room_objects() {
    objects(&format!("{QUEST}/meeting_room_scan.ply"), 4);
}

#[test]
fn living_room_points() {
    points(&format!("{QUEST}/living_room_scan.ply"), 20);
}

#[test]
fn listening_room_points() {
    points("ok/polycam_washitsu_room_cc0/scans/room.glb", 20);
}
