//! Logs in memory and as files.

mod common;

use ambler_agent::layers::*;
use ambler_body::Action;
use ambler_geometry::{Pose, Vec3};
use ambler_replay::*;
use common::*;
use std::path::Path;

fn back(log: &Log) -> Log {
    decode(&encode(log), Path::new("a.mcap")).expect("a good file")
}

/// Layers as text, since NaN differs from itself.
fn texts(log: &Log) -> Vec<String> {
    log.layers().iter().map(|layer| serde_json::to_string(layer).expect("plain data")).collect()
}

#[test]
fn every_kind_of_layer_comes_back_with_equal_bits() {
    let log = zoo_log();
    let again = back(&log);
    assert_eq!(again.notices, Vec::<String>::new());
    assert_eq!(texts(&again), texts(&log));
    assert_eq!(log.layers().len(), zoo().len());
    assert_eq!(
        (&again.header, &again.steps, &again.events, &again.schemas, &again.record),
        (&log.header, &log.steps, &log.events, &log.schemas, &log.record)
    );
    assert_eq!(again.episode.identity, log.episode.identity);
    assert_eq!(encode(&again), encode(&log), "a file is a function of the log");
    assert!(compare(&log, &again, true).is_equal());
}

#[test]
fn a_layer_holds_as_long_as_it_was_said_to() {
    let log = zoo_log();
    let header = log.header.clone();
    let mut recorder = Recorder::new(header, log.episode.clone());
    let say = |recorder: &mut Recorder, path: &str, lifetime, value| {
        recorder.publish(path, lifetime, Frame::Start, Layer::Scalar(Scalar { value }));
    };
    for step in 0..6 {
        recorder.stepped((step > 0).then_some(Action::TurnLeft), &snapshot(step));
        if step == 2 || step == 4 {
            say(&mut recorder, "now", Lifetime::ThisStep, 7.0);
            say(&mut recorder, "until", Lifetime::UntilReplaced, f64::from(step));
        }
        if step == 3 {
            say(&mut recorder, "whole", Lifetime::Episode, 1.0);
        }
        // Said in each step, kept once.
        say(&mut recorder, "same", Lifetime::UntilReplaced, 5.0);
    }
    for log in [recorder.log().clone(), back(recorder.log())] {
        let value = |path: &str, step: u32| match log.layer_at(path, step).map(|found| &found.layer) {
            Some(Layer::Scalar(scalar)) => Some(scalar.value),
            _ => None,
        };
        let all = |path: &str| (0..6).map(|step| value(path, step)).collect::<Vec<_>>();
        assert_eq!(all("now"), [None, None, Some(7.0), None, Some(7.0), None]);
        assert_eq!(all("until"), [None, None, Some(2.0), Some(2.0), Some(4.0), Some(4.0)]);
        assert_eq!(all("whole"), [Some(1.0); 6]);
        assert_eq!(all("same"), [Some(5.0); 6]);
        assert_eq!(log.values("same").count(), 1);
        assert_eq!(log.layer_at("other", 0), None);
        assert_eq!(log.layers_at(2).len(), 4);
    }
}

#[test]
fn frames_lead_to_the_world() {
    let log = zoo_log();
    let ahead = Vec3::new(0.0, 0.0, -1.0);
    for step in 0..5 {
        let pose: Pose = log.steps[step as usize].pose;
        let body = log.world_from(&Frame::Body, step).expect("a step").point(ahead);
        assert!((body - (pose.position + pose.heading.forward())).length() < 1e-6, "{body}");
        let first = log.steps[0].pose;
        let start = log.world_from(&Frame::Start, step).expect("a step").point(ahead);
        assert!((start - (first.position + first.heading.forward())).length() < 1e-6, "{start}");
    }
    let camera = Frame::Camera("front".into());
    let eye = log.world_from(&camera, 1).expect("a camera").translation;
    assert!((eye.y - 0.2 - 1.31).abs() < 1e-6, "the camera is 1.31 m above the floor: {eye}");
    assert!(log.world_from(&Frame::Camera("none".into()), 1).is_none());
    assert!(log.world_from(&Frame::World, 5).is_none());
}

#[test]
fn collisions_and_the_stop_are_events() {
    let log = zoo_log();
    let kinds: Vec<(u32, &str)> =
        log.events.iter().map(|event| (event.step, event.event.kind.name())).collect();
    assert_eq!(kinds, [(1, "sneeze"), (2, "collision"), (3, "stop")]);
    assert_eq!(log.events_at(2).len(), 1);
}

#[test]
fn a_file_that_is_cut_gives_what_came_before() {
    let mut log = zoo_log();
    // Bulky layers, so that there are several chunks.
    let mut recorder = Recorder::new(log.header.clone(), log.episode.clone());
    let mut stream = ambler_geometry::random::Stream::new(1, "noise", "grid");
    for step in 0..12 {
        recorder.stepped((step > 0).then_some(Action::TurnLeft), &snapshot(step));
        let values: Vec<f32> = (0..100_000).map(|_| stream.uniform() as f32).collect();
        let grid = Grid {
            corner: Vec3::ZERO,
            cell_m: 0.1,
            cols: 1000,
            rows: 100,
            values: Cells::F32(values.into()),
            kind: GridKind::Value,
            range: None,
        };
        recorder.publish("noise", Lifetime::UntilReplaced, Frame::World, Layer::Grid(grid));
    }
    log.record.take();
    let whole = recorder.finish(None);
    let bytes = encode(&whole);
    let full = decode(&bytes, Path::new("a.mcap")).expect("good");
    assert_eq!((full.steps.len(), full.notices.len()), (12, 0), "{:?}", full.notices);
    let cut = decode(&bytes[..bytes.len() / 2], Path::new("a.mcap")).expect("readable in part");
    assert!((2..12).contains(&cut.steps.len()), "{} steps", cut.steps.len());
    assert_eq!(cut.steps[..], full.steps[..cut.steps.len()]);
    assert!(cut.notices[0].contains("bytes are announced"), "{:?}", cut.notices);
    // A flipped bit in the middle is found by the checksum.
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 4;
    let damaged = decode(&flipped, Path::new("a.mcap")).expect("readable in part");
    assert!(damaged.steps.len() < 12 && !damaged.notices.is_empty());
    assert_eq!(damaged.steps[..], full.steps[..damaged.steps.len()]);
}

#[test]
fn the_first_difference_of_each_kind_is_named() {
    let log = zoo_log();
    let first = |change: &dyn Fn(&mut Log)| {
        let mut other = log.clone();
        change(&mut other);
        let found = compare(&log, &other, true);
        let first = found.first().expect("a difference").clone();
        (first.kind, first.step, found.differences.len())
    };
    assert_eq!(first(&|log| log.header.seed = 9), (Kind::Settings, None, 1));
    assert_eq!(first(&|log| log.steps[2].pose.position.x += 1e-6), (Kind::Pose, Some(2), 1));
    assert_eq!(first(&|log| log.steps[3].soft_spl += 1e-12), (Kind::Metric, Some(3), 1));
    assert_eq!(
        first(&|log| log.steps[1].observation = Digest([7; 32])),
        (Kind::Observation, Some(1), 1)
    );
    // The action that led to step 2 was decided in step 1.
    assert_eq!(first(&|log| log.steps[2].action = Some(Action::TurnLeft)), (Kind::Action, Some(1), 1));
    assert_eq!(first(&|log| log.record = None), (Kind::Record, None, 1));
    let shorter = |log: &mut Log| log.steps.truncate(4);
    assert_eq!(first(&shorter), (Kind::Action, Some(3), 1));
    // Of several the earliest comes first: it names the culprit.
    let both = |log: &mut Log| {
        log.steps[3].pose.position.z += 1.0;
        log.steps[2].observation = Digest([7; 32]);
    };
    let (kind, step, count) = first(&both);
    assert_eq!((kind, step, count), (Kind::Observation, Some(2), 2));
    assert!(kind.culprit().contains("renderer"));
}

#[test]
fn another_version_and_other_files_are_refused() {
    let refused = |bytes: &[u8]| decode(bytes, Path::new("a.mcap")).expect_err("refused").to_string();
    assert!(refused(b"PK\x03\x04").contains("not an MCAP file"));
    let mut log = zoo_log();
    log.header.format = 2;
    let text = refused(&encode(&log));
    assert!(text.contains("format 2") && text.contains("reads 1"), "{text}");
    let mut log = zoo_log();
    log.header.cameras[0].width = u32::MAX;
    assert!(refused(&encode(&log)).contains("pixels"), "a camera that no memory holds");
    let mut log = zoo_log();
    log.header.identity = "00".into();
    assert!(refused(&encode(&log)).contains("not the episode that the header names"));
}
