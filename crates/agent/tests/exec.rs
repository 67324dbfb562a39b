//! `exec:` with real programs: one that works, and one for each way to go wrong. Each harms only its
//! episode.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use ambler_agent::{
    EpisodeContext, Goal, Observation, Policy, PolicyError, PolicyOptions, Privileged, make_policy,
};
use ambler_body::{Action, BodyPreset};
use ambler_geometry::{Heading, Pose, Vec3};
use ambler_sensor::{CameraSpec, Frame};
use std::time::{Duration, Instant};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A policy that runs this Python program, with the client on its path.
fn python(program: &str, step_limit_s: f64) -> (tempfile::TempDir, Box<dyn Policy>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("agent.py");
    std::fs::write(&file, program).unwrap();
    let command = format!("PYTHONPATH='{ROOT}/python/ambler_client' python3 -B '{}'", file.display());
    (folder, policy(&command, step_limit_s))
}

fn policy(command: &str, step_limit_s: f64) -> Box<dyn Policy> {
    let options = PolicyOptions { start_limit_s: 30.0, step_limit_s, ..PolicyOptions::default() };
    make_policy(&format!("exec:{command}"), &options).unwrap().create().unwrap()
}

fn begin(policy: &mut dyn Policy) -> Result<(), PolicyError> {
    let body = BodyPreset::named("stretch").unwrap();
    let goal = Goal::Object { category: "chair".into(), also: vec![] };
    let cameras = [CameraSpec::default()];
    let context = EpisodeContext {
        episode_id: "ep",
        cameras: &cameras,
        run_seed: 5,
        ..EpisodeContext::new(&body, &goal)
    };
    policy.reset(&context)
}

fn step(policy: &mut dyn Policy, step: u32) -> Result<Action, PolicyError> {
    let at = Pose { position: Vec3::ZERO, heading: Heading::from_yaw(0.0) };
    let frames = [Frame {
        width: 4,
        height: 2,
        rgb: (0..24).collect(),
        depth: (0..8).map(|i| i as f32 * 0.5).collect(),
        valid: vec![1; 8],
        ..Frame::default()
    }];
    let cameras = [CameraSpec { width: 4, height: 2, ..CameraSpec::default() }];
    let seen = Observation { step, frames: &frames, cameras: &cameras, ..Observation::at(&at, &at) };
    policy.act(&seen, &mut Privileged::none())
}

const CLIENT: &str = "import ambler_client, os, sys, time, struct\n";

#[test]
fn a_program_sees_images_and_answers() {
    let program = format!(
        r#"{CLIENT}
episodes = []
def act(seen):
    image = seen["cameras"]["front"]
    assert image["rgb"]["data"] == bytes(range(24)) and image["rgb"]["shape"] == [2, 4, 3]
    assert image["depth"]["dtype"] == "float32"
    assert struct.unpack("<8f", image["depth"]["data"]) == tuple(i / 2 for i in range(8))
    assert seen["objectgoal"] == "chair" and seen["gps"] == [0, 0] and "pointgoal" not in seen
    print("this goes to standard error")
    return ["move_forward", 2, "turn_right", 0][seen["step"]]
def reset(episode):
    assert episode["task"] == "objectnav" and 0 <= episode["seed"] < 2**53
    assert episode["cameras"][0]["hfov_deg"] == 79.0
ambler_client.run(act, reset, name="test")
"#
    );
    let (_folder, mut policy) = python(&program, 30.0);
    for _ in 0..2 {
        begin(policy.as_mut()).unwrap();
        let made: Vec<Action> = (0..4).map(|i| step(policy.as_mut(), i).unwrap()).collect();
        use Action::{MoveForward, Stop, TurnLeft, TurnRight};
        assert_eq!(made, [MoveForward, TurnLeft, TurnRight, Stop]);
    }
}

#[test]
fn the_example_agent_runs() {
    let mut policy = policy(&format!("python3 -B '{ROOT}/examples/agents/forward_until_wall.py'"), 30.0);
    begin(policy.as_mut()).unwrap();
    assert!(!policy.needs().sensors(), "it wants no images");
    assert_eq!(step(policy.as_mut(), 0), Ok(Action::MoveForward));
}

#[test]
fn a_crash_costs_its_episode_and_says_why() {
    let program = format!(
        "{CLIENT}def act(seen):\n    if seen['step'] == 3: raise ValueError('lost')\n    return 1\n\
         ambler_client.run(act)"
    );
    let (_folder, mut policy) = python(&program, 30.0);
    for _ in 0..2 {
        begin(policy.as_mut()).unwrap();
        for i in 0..3 {
            assert_eq!(step(policy.as_mut(), i), Ok(Action::MoveForward));
        }
        let error = step(policy.as_mut(), 3).unwrap_err();
        assert_eq!(error.kind(), "crashed");
        let text = error.to_string();
        assert!(text.contains("exit status: 1") && text.contains("ValueError: lost"), "{text}");
        let after = step(policy.as_mut(), 4).unwrap_err();
        assert!(after.to_string().contains("not begun"), "{after}");
    }
}

#[test]
fn a_stall_is_killed_with_all_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let pid_file = folder.path().join("pid");
    let program = format!(
        "{CLIENT}import subprocess\n\
         child = subprocess.Popen(['sleep', '600'])\n\
         open('{}', 'w').write(str(child.pid))\n\
         def act(seen):\n    print('thinking'); time.sleep(600)\n\
         ambler_client.run(act)",
        pid_file.display()
    );
    let (_folder, mut policy) = python(&program, 0.3);
    begin(policy.as_mut()).unwrap();
    let began = Instant::now();
    let error = step(policy.as_mut(), 0).unwrap_err();
    assert_eq!(error.kind(), "timed_out");
    assert!(error.to_string().contains("0.3 s") && error.to_string().contains("thinking"), "{error}");
    assert!(began.elapsed() < Duration::from_secs(20));
    let pid: u32 = std::fs::read_to_string(pid_file).unwrap().parse().unwrap();
    let gone = (0..500).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        // A zombie that nobody reaps in a container counts as ended.
        std::fs::read_to_string(format!("/proc/{pid}/stat")).map_or(true, |s| s.contains(") Z "))
    });
    assert!(gone, "the grandchild {pid} lives on");
}

#[test]
fn a_program_that_does_not_read_cannot_block() {
    let body = BodyPreset::named("stretch").unwrap();
    let goal = Goal::Point { success_distance_m: 0.2 };
    let categories = vec!["a name longer than a pipe holds".repeat(1 << 17)];
    let context = EpisodeContext { categories: &categories, ..EpisodeContext::new(&body, &goal) };
    let options = PolicyOptions { start_limit_s: 3.0, step_limit_s: 3.0, ..PolicyOptions::default() };
    // One never reads; the other reads and answers hello, then never reads again.
    let hello =
        r"head -c 4 >/dev/null; printf '\016\000\000\000\202\242id\000\247version\001'; sleep 600";
    for command in ["sleep 600", hello] {
        let mut policy = make_policy(&format!("exec:{command}"), &options).unwrap().create().unwrap();
        let error = policy.reset(&context).unwrap_err();
        assert_eq!(error.kind(), "timed_out", "{error}");
    }
}

#[test]
fn nonsense_is_named() {
    let raw = |bytes: &str| {
        format!(
            "import sys, time\nsys.stdout.buffer.write({bytes})\nsys.stdout.flush()\ntime.sleep(600)"
        )
    };
    for (program, kind, expected) in [
        (raw("b'loading model\\n'"), "nonsense", "does it print to standard output?"),
        (raw("b'\\xff\\xff\\xff\\xff' + b'x' * 100"), "nonsense", "4294967295 bytes"),
        (raw("b'\\x03\\x00\\x00\\x00\\xc1\\xc1\\xc1'"), "nonsense", "makes no sense"),
        ("import sys\nsys.exit(3)".into(), "crashed", "exit status: 3"),
        ("import os\nos.kill(os.getpid(), 9)".into(), "crashed", "killed"),
        ("import sys\nsys.stdout.buffer.write(b'\\x09\\x00')".into(), "crashed", "inside a message"),
        ("this is no python".into(), "crashed", "SyntaxError"),
    ] {
        let (_folder, mut policy) = python(&program, 30.0);
        let error = begin(policy.as_mut()).unwrap_err();
        assert_eq!(error.kind(), kind, "{program}: {error}");
        let text = error.to_string();
        let by_signal = expected == "killed" && (text.contains("signal: 9") || text.contains("137"));
        assert!(text.contains(expected) || by_signal, "{program}: {text}");
    }
    let text = begin(policy("no-such-program-here", 1.0).as_mut()).unwrap_err().to_string();
    assert!(text.contains("127") && text.contains("not found"), "{text}");
}

#[test]
fn wrong_answers_cost_their_episode_and_the_next_runs() {
    for (answer, kind, expected) in [
        ("'jump'", "nonsense", "\"jump\" is no action"),
        ("None", "nonsense", "nil is no action"),
        ("99", "nonsense", "99 is no action"),
        ("b'x' * 3000000", "nonsense", "at most 1048576"),
    ] {
        let program = format!(
            "{CLIENT}def act(seen):\n    return {answer} if seen['step'] == 1 else 'turn_left'\n\
             ambler_client.run(act)"
        );
        let (_folder, mut policy) = python(&program, 30.0);
        for _ in 0..2 {
            begin(policy.as_mut()).unwrap();
            assert_eq!(step(policy.as_mut(), 0), Ok(Action::TurnLeft));
            let error = step(policy.as_mut(), 1).unwrap_err();
            assert_eq!(error.kind(), kind, "{error}");
            assert!(error.to_string().contains(expected), "{error}");
        }
    }
}

#[test]
fn a_program_that_dies_between_episodes_harms_none() {
    // It answers twice to each act, and ends after its third action.
    let program = format!(
        "{CLIENT}def act(seen):\n    if seen['step'] == 2:\n        import threading\n        \
         threading.Timer(0.05, lambda: os._exit(0)).start()\n    return 1\nambler_client.run(act)"
    );
    let (_folder, mut policy) = python(&program, 30.0);
    for _ in 0..3 {
        begin(policy.as_mut()).unwrap();
        for i in 0..3 {
            assert_eq!(step(policy.as_mut(), i), Ok(Action::MoveForward));
        }
        std::thread::sleep(Duration::from_millis(150));
    }
}

#[test]
fn a_flood_of_standard_error_does_not_block() {
    let program = format!(
        "{CLIENT}def act(seen):\n    sys.stderr.write('noise\\n' * 200000); sys.stderr.flush()\n    \
         if seen['step'] == 1: os._exit(7)\n    return 1\nambler_client.run(act)"
    );
    let (_folder, mut policy) = python(&program, 30.0);
    begin(policy.as_mut()).unwrap();
    assert_eq!(step(policy.as_mut(), 0), Ok(Action::MoveForward));
    let text = step(policy.as_mut(), 1).unwrap_err().to_string();
    assert!(text.contains("exit status: 7") && text.len() < 5000, "{} bytes", text.len());
}

#[test]
fn a_program_says_what_it_thinks_and_what_it_prints_is_heard() {
    let program = "\
import ambler_client
def act(observation):
    print('deciding', observation['step'])
    plan = {'path': 'plan', 'kind': 'path', 'points': [[0, 0, 0], [0, 0, -1]]}
    return {'action': 'turn_left', 'publish': [plan], 'events': ['saw nothing']}
ambler_client.run(act, wants=[])
"
    .to_string();
    let (_folder, mut policy) = python(&program, 30.0);
    begin(policy.as_mut()).expect("it begins");
    assert_eq!(step(policy.as_mut(), 0).expect("an action"), Action::TurnLeft);
    let mut board = ambler_agent::layers::Board::default();
    board.next_step();
    let at = Pose { position: Vec3::ZERO, heading: Heading::from_yaw(0.0) };
    policy.publish(&Observation::at(&at, &at), Action::TurnLeft, &mut board);
    let layers = board.take_layers();
    assert_eq!(layers.iter().map(|it| it.path.as_str()).collect::<Vec<_>>(), ["agent/plan"]);
    assert_eq!(board.take_events().len(), 1);
    // The pipe is read by another thread: it may take a moment.
    let mut said = Vec::new();
    for _ in 0..500 {
        said.extend(policy.said());
        if !said.is_empty() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(said, ["deciding 0"]);
}
