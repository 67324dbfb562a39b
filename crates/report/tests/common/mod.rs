//! Runs and logs made by hand, without a scene.
#![allow(dead_code, unreachable_pub, reason = "each test file uses a part")]

use ambler_agent::layers::{Box2, Boxes2, Frame, Layer, Lifetime, Publisher as _};
use ambler_body::{Action, BodyState};
use ambler_episode::{Episode, ObjectGoal, Task, ViewPoint};
use ambler_evaluate::{
    EpisodeRecord, FinalPose, Manifest, PlanEntry, Scores, Snapshot, Status, action_letter,
};
use ambler_geometry::{Heading, Pose, Vec3};
use ambler_replay::{Header, Log, Recorder};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An episode: go to something of a category, two metres north.
pub fn episode(id: &str, scene: &str, category: &str) -> Arc<Episode> {
    let goal = ObjectGoal {
        position: Vec3::new(0.0, 0.5, -2.5),
        object_category: category.to_owned(),
        view_points: vec![ViewPoint { position: Vec3::new(0.0, 0.0, -2.0), ..ViewPoint::default() }],
        ..ObjectGoal::default()
    };
    let task = match category {
        "" => Task::point(Vec3::new(0.0, 0.0, -2.0), None),
        category => Task::ObjectNav {
            category: category.into(),
            goals: Arc::new(vec![goal]),
            children: Vec::new(),
        },
    };
    // The start tells episodes of equal goals apart.
    let start = Vec3::new(0.001 * id.len() as f32, 0.0, 0.01 * id.bytes().map(f32::from).sum::<f32>());
    Arc::new(Episode::new(id, scene, start, [0.0, 0.0, 0.0, 1.0], task).expect("an episode"))
}

/// The record of an episode that was done, without its scores decided.
pub fn record(index: u64, episode: &Episode, success: bool, spl: f64) -> EpisodeRecord {
    let entry = PlanEntry {
        index,
        episode_id: episode.episode_id.clone(),
        identity: episode.identity.to_string(),
        scene: episode.scene_id.to_string(),
        task: episode.task.name().to_owned(),
        category: episode.category().to_owned(),
    };
    let mut record = EpisodeRecord::blank(&entry, Status::Done, None);
    record.success_rule = entry.task;
    record.steps = 3;
    record.stop_called = true;
    record.actions = "FLS".to_owned();
    record.scores = Some(Scores {
        success: f64::from(u8::from(success)),
        spl: if success { spl } else { 0.0 },
        soft_spl: spl,
        distance_to_goal: Some(if success { 0.05 } else { 1.5 }),
        path_length_m: 2.0 / spl.max(0.1),
        shortest_path_m: 2.0,
        collisions: 1,
    });
    record.end = Some(FinalPose { position: [0.1, -0.0, 1e-30], yaw: -3.0 });
    record
}

/// A record that was not scored.
pub fn refused(index: u64, episode: &Episode, status: Status, reason: &str) -> EpisodeRecord {
    let mut record = record(index, episode, false, 0.0);
    record.status = status;
    record.reason = Some(reason.to_owned());
    record.scores = None;
    record
}

/// Writes a finished run.
pub fn write_run(folder: &Path, agent: &str, records: &[EpisodeRecord]) {
    fs::create_dir_all(folder).expect("a folder");
    let manifest = Manifest::new("0.1.0", 7)
        .with("agent", agent)
        .with("max_steps", 500)
        .with("plan", serde_json::json!({ "episodes": records.len(), "fingerprint": "" }));
    fs::write(folder.join("manifest.json"), manifest.to_bytes()).expect("written");
    let lines: String = records.iter().map(|record| record.to_json() + "\n").collect();
    fs::write(folder.join("episodes.jsonl"), lines).expect("written");
}

/// Two runs over six episodes, in a temporary folder.
pub fn two_runs(folder: &Path) -> Vec<PathBuf> {
    let all: Vec<Arc<Episode>> = (0..6)
        .map(|i| {
            let (scene, category) = (["flat", "house"][i % 2], ["bed", "chair", "sink"][i % 3]);
            episode(&format!("e{i}"), scene, category)
        })
        .collect();
    let run = |name: &str, good: fn(usize) -> bool| {
        let records: Vec<EpisodeRecord> = all
            .iter()
            .enumerate()
            .map(|(i, episode)| record(i as u64, episode, good(i), 0.2 + 0.1 * i as f64))
            .collect();
        let path = folder.join(name);
        write_run(&path, name, &records);
        path
    };
    vec![run("careful", |_| true), run("hasty", |i| i % 2 == 0)]
}

/// What a log shows of an episode.
pub struct Walk<'a> {
    /// The actions; the places follow from them, without walls.
    pub actions: &'a str,
    /// Whether forward steps collide and move nothing.
    pub blocked: bool,
    /// Steps in which the agent says that it sees its goal; `None` where it says nothing at all.
    pub seen: Option<&'a [u32]>,
    /// Distance to goal after each step, metres.
    pub away_m: &'a dyn Fn(usize) -> f64,
}

/// The log of an episode with this record.
pub fn log(episode: &Arc<Episode>, record: &EpisodeRecord, walk: &Walk<'_>) -> Log {
    let header = Header { agent: "test".to_owned(), ..Header::for_episode(episode) };
    let mut recorder = Recorder::new(header, Arc::clone(episode));
    let mut pose = Pose { position: episode.start_position, heading: Heading::from_yaw(0.0) };
    let mut collisions = 0;
    let actions = walk.actions.chars().map(ambler_evaluate::action_of_letter);
    for (number, action) in std::iter::once(None).chain(actions).enumerate() {
        let forward = action == Some(Action::MoveForward);
        match action {
            Some(Action::MoveForward) if !walk.blocked => {
                pose.position += pose.heading.forward() * 0.25;
            }
            Some(Action::TurnLeft) => pose.heading = pose.heading.turned(1, 12),
            Some(Action::TurnRight) => pose.heading = pose.heading.turned(-1, 12),
            _ => {}
        }
        collisions += u64::from(forward && walk.blocked);
        let body = BodyState { pose, tilt: 0, collided: forward && walk.blocked };
        let scores = Scores {
            success: 0.0,
            spl: 0.0,
            soft_spl: 0.0,
            distance_to_goal: Some((walk.away_m)(number)),
            path_length_m: 0.25 * number as f64,
            shortest_path_m: 2.0,
            collisions,
        };
        let now = Snapshot { body, tilt_rad: 0.0, scores, spl_if_stopped: 0.0 };
        recorder.stepped(action, &now);
        if let Some(seen) = walk.seen {
            let here =
                Box2 { pixels: [1, 2, 30, 40], label: "goal".to_owned(), score: None, wanted: true };
            let boxes = if seen.contains(&(number as u32)) { vec![here] } else { Vec::new() };
            let layer = Layer::Boxes2(Boxes2 { camera: "front".to_owned(), boxes });
            let frame = Frame::Camera("front".to_owned());
            recorder.publish("agent/detections", Lifetime::ThisStep, frame, layer);
        }
    }
    recorder.finish(Some(record.clone()))
}

/// Makes the record agree with the walk.
pub fn walked(record: &mut EpisodeRecord, walk: &Walk<'_>) {
    record.actions = walk.actions.to_owned();
    record.steps = walk.actions.len() as u64;
    record.stop_called = walk.actions.ends_with(action_letter(Action::Stop));
    let forward = walk.actions.bytes().filter(|&letter| letter == b'F').count() as u64;
    if let Some(scores) = &mut record.scores {
        scores.collisions = if walk.blocked { forward } else { 0 };
        scores.distance_to_goal = Some((walk.away_m)(walk.actions.len()));
    }
}

/// Writes a log where a run keeps it.
pub fn write_log(folder: &Path, record: &EpisodeRecord, log: &Log) -> PathBuf {
    let replays = folder.join("replays");
    fs::create_dir_all(&replays).expect("a folder");
    let path = replays.join(format!("{:05}-{}.mcap", record.index, &record.identity[..16]));
    ambler_replay::write(log, &path).expect("written");
    path
}
