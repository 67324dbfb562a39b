//! The greedy follower against Habitat's own action strings on Habitat's own navmeshes.

mod data;

use ambler_body::{Action, BodyPreset, BodyState, GreedyFollower, GreedySettings, Locomotion};
use ambler_geometry::{Heading, Pose, Vec3, yaw_from_quat};
use ambler_navmesh::{NavMesh, NavQuery};
use serde_json::Value;
use std::sync::Arc;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("an array").iter().map(|n| n.as_f64().expect("a number")).collect()
}

fn point(value: &Value) -> Vec3 {
    let n = numbers(value);
    Vec3::new(n[0] as f32, n[1] as f32, n[2] as f32)
}

fn pose(value: &Value) -> Pose {
    let n = numbers(value);
    Pose { position: point(value), heading: Heading::from_yaw(yaw_from_quat(n[3], n[4], n[5], n[6])) }
}

/// Walks as Habitat's recording did and returns the letters.
fn walk(
    start: Pose,
    goal: Vec3,
    radius: f32,
    locomotion: &Locomotion,
    navmesh: &mut NavQuery,
) -> String {
    let settings = GreedySettings { goal_radius_m: radius, fix_thrashing: true };
    let mut follower = GreedyFollower::new(settings);
    let mut state = BodyState::at(start);
    let mut letters = String::new();
    for _ in 0..500 {
        let Ok(action) = follower.next(state.pose, goal, locomotion, navmesh) else {
            letters.push('!');
            break;
        };
        letters.push(action.letter());
        if action == Action::Stop {
            break;
        }
        locomotion.apply(&mut state, action, navmesh);
    }
    letters
}

#[test]
fn greedy_walks_as_habitats_follower_does() {
    let Some(data) = data::folder() else { return };
    let mut stretch = BodyPreset::named("stretch").expect("the default preset");
    stretch.sliding = true;
    let locomotion = Locomotion::from(&stretch);
    for scene in ["scan40", "scan180", "washitsu", "hl2_apartment", "simple_room", "stage_floor1"] {
        let folder = data.join("golden").join(scene);
        let mesh = Arc::new(NavMesh::read(folder.join("scene.navmesh")).expect("a golden navmesh"));
        let text = std::fs::read_to_string(folder.join("greedy.json")).expect("golden walks");
        let walks: Value = serde_json::from_str(&text).expect("golden walks are JSON");
        let walks = walks.as_array().expect("a list");
        let mut equal = 0;
        for case in walks {
            let expected = case["actions_default"].as_str().expect("a string of actions");
            let mut navmesh = NavQuery::new(Arc::clone(&mesh));
            let got =
                walk(pose(&case["start_pose"]), point(&case["goal"]), 0.1875, &locomotion, &mut navmesh);
            if got == expected {
                equal += 1;
            } else {
                println!("{scene}: habitat {expected}\n{scene}: ambler  {got}");
            }
        }
        println!("{scene}: {equal} of {} walks equal", walks.len());
        assert!(equal * 10 >= walks.len() * 9, "{scene}: only {equal} of {} walks equal", walks.len());
    }
}
