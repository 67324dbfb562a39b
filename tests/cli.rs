//! The program from the outside: the forms that stay, the results that must not change, the errors
//! that a user meets.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// `ambler` with the repository as its home and a cache of its own.
fn ambler(cache: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ambler"));
    command.env("AMBLER_HOME", root()).env("AMBLER_CACHE", cache.join("cache")).current_dir(cache);
    command
}

fn run(cache: &Path, arguments: &[&str]) -> Output {
    ambler(cache).args(arguments).output().expect("ambler starts")
}

/// Runs, expects success, returns the JSON object on standard output.
fn json(cache: &Path, arguments: &[&str]) -> Value {
    let output = run(cache, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "ambler {arguments:?}: {:?}\n{errors}", output.status);
    serde_json::from_slice(&output.stdout).expect("standard output is one JSON object")
}

#[track_caller]
fn fails(cache: &Path, arguments: &[&str], code: i32, says: &[&str]) {
    let output = run(cache, arguments);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "ambler {arguments:?} said {errors}");
    for part in says {
        assert!(errors.contains(part), "ambler {arguments:?}: no {part:?} in {errors:?}");
    }
    assert!(!errors.contains("panicked"), "{errors}");
}

fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn results(folder: &Path) -> Vec<Vec<u8>> {
    ["manifest.json", "episodes.jsonl", "summary.json"]
        .iter()
        .map(|name| std::fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}")))
        .collect()
}

fn out(scratch: &Path, name: &str) -> (PathBuf, String) {
    let path = scratch.join(name);
    let text = path.to_str().expect("a plain path").to_string();
    (path, text)
}

#[test]
fn oracle_succeeds_on_every_shipped_episode_with_spl_of_097() {
    let scratch = scratch();
    for task in ["task=pointnav", "task=objectnav"] {
        let (_, folder) = out(scratch.path(), task);
        let summary = json(
            scratch.path(),
            &["eval", "--agent", "oracle", "--where", task, "--out", &folder, "--json", "--quiet"],
        );
        assert!(summary["episodes"].as_u64() >= Some(60), "{summary}");
        assert_eq!(summary["valid"], summary["episodes"], "every shipped episode is valid");
        assert_eq!(summary["success"], 1.0, "{task}");
        assert!(summary["spl"].as_f64() >= Some(0.97), "{task}: SPL {}", summary["spl"]);
        for key in ["soft_spl", "distance_to_goal", "steps_per_second"] {
            assert!(summary[key].is_number(), "eval --json has no {key}");
        }
    }
}

#[test]
fn greedy_with_sliding_reaches_point_goals_with_spl_of_097() {
    let scratch = scratch();
    let (_, folder) = out(scratch.path(), "greedy");
    let summary = json(
        scratch.path(),
        &[
            "eval",
            "--agent",
            "greedy",
            "--sliding",
            "--where",
            "task=pointnav",
            "--out",
            &folder,
            "--json",
            "--quiet",
        ],
    );
    assert!(summary["spl"].as_f64() >= Some(0.97), "SPL {}", summary["spl"]);
}

#[test]
fn frontier_finds_four_of_five_things_and_beats_chance_with_intervals_apart() {
    let scratch = scratch();
    let (_, folder) = out(scratch.path(), "compared");
    let compared = json(
        scratch.path(),
        &[
            "eval",
            "--agent",
            "frontier",
            "--agent",
            "random",
            "--where",
            "task=objectnav",
            "--out",
            &folder,
            "--json",
            "--quiet",
        ],
    );
    let runs = compared["runs"].as_array().expect("one object an agent");
    assert!(runs[0]["success"].as_f64() >= Some(0.8), "success {}", runs[0]["success"]);
    let interval = |run: &Value| {
        let measure = run["intervals"]["spl"].as_array().expect("an interval").clone();
        (measure[0].as_f64().expect("low"), measure[1].as_f64().expect("high"))
    };
    assert!(interval(&runs[0]).0 > interval(&runs[1]).1, "{} {}", runs[0]["spl"], runs[1]["spl"]);
}

#[test]
fn results_are_the_same_bytes_for_any_number_of_workers_and_any_order() {
    let scratch = scratch();
    let mut first: Option<Vec<Vec<u8>>> = None;
    for (workers, shuffle) in [("1", None), ("2", None), ("4", Some("9")), ("3", Some("5"))] {
        for agent in ["random", "frontier"] {
            let (path, folder) = out(scratch.path(), &format!("{agent}-{workers}"));
            let mut arguments = vec![
                "eval",
                "--agent",
                agent,
                "--workers",
                workers,
                "--out",
                &folder,
                "--quiet",
                "--steps",
                "40",
            ];
            if agent == "frontier" {
                arguments.extend(["--where", "scene=quest_living_room", "--limit", "6"]);
            }
            if let Some(seed) = shuffle {
                arguments.extend(["--shuffle", seed]);
            }
            let output = run(scratch.path(), &arguments);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let name = format!("{agent} with {workers} workers");
            let bytes = results(&path);
            if agent == "random" {
                match &first {
                    Some(first) => assert_eq!(first, &bytes, "{name}"),
                    None => first = Some(bytes),
                }
            } else {
                let (reference, _) = out(scratch.path(), "frontier-1");
                assert_eq!(results(&reference), bytes, "{name}");
            }
        }
    }
}

#[test]
fn an_episode_alone_is_the_episode_among_others() {
    let scratch = scratch();
    let (all, all_text) = out(scratch.path(), "all");
    let (alone, alone_text) = out(scratch.path(), "alone");
    let scene = ["--where", "scene=washitsu", "--where", "task=pointnav"];
    let base = ["eval", "--agent", "random", "--quiet", "--out"];
    run(scratch.path(), &[&base[..], &[all_text.as_str()], &scene].concat());
    run(scratch.path(), &[&base[..], &[alone_text.as_str(), "--episode", "7"], &scene].concat());
    let line = |folder: &Path| {
        let text = std::fs::read_to_string(folder.join("episodes.jsonl")).expect("records");
        text.lines().find(|line| line.contains("\"episode_id\":\"7\"")).expect("episode 7").to_string()
    };
    assert_eq!(line(&all), line(&alone));
}

#[cfg(unix)]
#[test]
fn killed_at_any_moment_a_run_goes_on_and_ends_in_the_same_bytes() {
    let scratch = scratch();
    let (whole, whole_text) = out(scratch.path(), "whole");
    let (killed, killed_text) = out(scratch.path(), "killed");
    let arguments = |folder: &str| {
        [
            "eval",
            "--agent",
            "frontier",
            "--where",
            "scene=quest_living_room",
            "--limit",
            "16",
            "--steps",
            "30",
            "--quiet",
            "--out",
            folder,
        ]
        .map(String::from)
    };
    assert!(
        ambler(scratch.path()).args(arguments(&whole_text)).output().expect("runs").status.success()
    );
    let mut kills = 0;
    for milliseconds in [150, 300, 450, 700, 1000, 1400, 1900] {
        let mut child = ambler(scratch.path())
            .args(arguments(&killed_text))
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("runs");
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        if child.try_wait().expect("a child").is_none() {
            child.kill().expect("SIGKILL");
            kills += 1;
        }
        child.wait().expect("a child");
    }
    assert!(kills > 0, "the run was too short to be killed");
    let output = ambler(scratch.path()).args(arguments(&killed_text)).output().expect("runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(results(&whole), results(&killed));
}

fn python() -> bool {
    let found = Command::new("python3").arg("--version").output().is_ok_and(|out| out.status.success());
    assert!(
        found || std::env::var_os("AMBLER_REQUIRE_PYTHON").is_none(),
        "AMBLER_REQUIRE_PYTHON is set, but there is no python3"
    );
    if !found {
        eprintln!("SKIPPED: no python3, so agents in Python were not run");
    }
    found
}

/// Runs a Python agent over five point goals; the records.
fn python_agent(scratch: &Path, name: &str, source: &str) -> Vec<Value> {
    let file = scratch.join(format!("{name}.py"));
    std::fs::write(&file, source).expect("written");
    let (path, folder) = out(scratch, name);
    let agent = format!("exec:python3 {}", file.display());
    let output = ambler(scratch)
        .env("PYTHONPATH", root().join("python/ambler_client"))
        .args([
            "eval",
            "--agent",
            &agent,
            "--where",
            "scene=quest_meeting_room",
            "--where",
            "task=pointnav",
        ])
        .args([
            "--limit",
            "5",
            "--steps",
            "20",
            "--step-limit",
            "2",
            "--workers",
            "1",
            "--out",
            &folder,
            "--quiet",
        ])
        .output()
        .expect("ambler starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    let text = std::fs::read_to_string(path.join("episodes.jsonl"))
        .unwrap_or_else(|_| panic!("{name}: {errors}"));
    text.lines().map(|line| serde_json::from_str(line).expect("a record")).collect()
}

#[test]
fn a_python_agent_harms_only_the_episode_in_which_it_crashes_stalls_or_talks_nonsense() {
    if !python() {
        return;
    }
    let scratch = scratch();
    let agent = |trouble: &str| {
        format!(
            "import ambler_client, os, sys, time\n\
             episodes = 0\n\
             def reset(episode):\n    global bad\n    bad = episode['episode_id'] == '2'\n\
             def act(observation):\n    if bad and observation['step'] == 3:\n        {trouble}\n    return 'move_forward'\n\
             ambler_client.run(act, reset=reset, name='trouble', wants=[])\n"
        )
    };
    let troubles = [
        ("crash", "os._exit(7)", "7"),
        ("stall", "time.sleep(60)", "did not answer"),
        ("nonsense", "return 'fly'", "fly"),
    ];
    for (name, trouble, reason) in troubles {
        let records = python_agent(scratch.path(), name, &agent(trouble));
        assert_eq!(records.len(), 5, "{name}");
        for record in &records {
            if record["episode_id"] == "2" {
                assert_eq!(record["status"], "failed", "{name}: {record}");
                let said = record["reason"].as_str().expect("a reason");
                assert!(said.contains(reason), "{name}: {said}");
            } else {
                assert_eq!(record["status"], "done", "{name}: {record}");
                assert_eq!(record["steps"], 20, "{name}: {record}");
            }
        }
    }
}

#[test]
fn scene_commands_have_their_forms() {
    let scratch = scratch();
    let room = root().join("scenes/quest_living_room");
    let room = room.to_str().expect("a plain path");
    let inspected = json(scratch.path(), &["scene", "inspect", room, "--json"]);
    for key in ["vertices", "triangles", "rooms", "floors", "instances", "categories"] {
        assert!(inspected[key].is_u64(), "inspect has no {key}");
    }
    // The capture has 62,102 faces.
    assert_eq!(inspected["triangles"], 62_102);
    assert!(inspected["bounds"]["min"][0].is_number() && inspected["bounds"]["max"][2].is_number());
    let navmesh = json(
        scratch.path(),
        &["scene", "navmesh", room, "--height", "1.0", "--radius", "0.2", "--json"],
    );
    assert!(navmesh["area_m2"].as_f64() > Some(5.0));
    assert!(
        navmesh["islands"][0]["area_m2"].is_number() && navmesh["islands"][0]["radius_m"].is_number()
    );
    let (picture, picture_text) = out(scratch.path(), "view.png");
    let view = [
        "--at",
        "0.5,0,0.5",
        "--yaw",
        "-90",
        "--size",
        "64x48",
        "--hfov",
        "90",
        "--camera-height",
        "1.0",
    ];
    for more in [&view[..], &["--top", "--size", "64x48"], &["--show", "all", "--size", "64x48"]] {
        let arguments = [&["scene", "render", room, "--out", &picture_text], more].concat();
        let output = run(scratch.path(), &arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(std::fs::read(&picture).expect("a picture").starts_with(b"\x89PNG"));
    }
    let bench = json(
        scratch.path(),
        &["bench", "sensors", room, "--size", "32x24", "--threads", "2", "--seconds", "0.2", "--json"],
    );
    assert_eq!(
        (&bench["width"], &bench["height"], &bench["threads"]),
        (&32.into(), &24.into(), &2.into())
    );
    assert!(bench["frames_per_second"].as_f64() > Some(0.0));
    assert!(run(scratch.path(), &["scene", "check", room]).status.success());
}

#[test]
fn a_drawn_set_runs_on_its_scene() {
    let scratch = scratch();
    let room = root().join("scenes/quest_meeting_room");
    let room = room.to_str().expect("a plain path");
    for task in ["pointnav", "objectnav"] {
        let (_, file) = out(scratch.path(), &format!("{task}.json.gz"));
        let made = json(
            scratch.path(),
            &["generate", task, room, "--count", "5", "--seed", "3", "--out", &file, "--json"],
        );
        assert_eq!(made["episodes"], 5);
        let (_, folder) = out(scratch.path(), task);
        let summary = json(
            scratch.path(),
            &[
                "eval", &file, "--scenes", room, "--agent", "oracle", "--out", &folder, "--json",
                "--quiet",
            ],
        );
        assert_eq!((&summary["episodes"], &summary["success"]), (&5.into(), &1.0.into()));
        assert!(run(scratch.path(), &["episodes", "inspect", &file]).status.success());
        assert!(run(scratch.path(), &["episodes", "check", &file, "--scenes", room]).status.success());
    }
    let (_, folder) = out(scratch.path(), "scene");
    let summary = json(
        scratch.path(),
        &["eval", room, "--agent", "oracle", "--limit", "3", "--out", &folder, "--json", "--quiet"],
    );
    assert_eq!(summary["episodes"], 3);
}

#[test]
fn mistakes_get_an_exit_code_and_say_what_to_do() {
    let scratch = scratch();
    let folder = scratch.path();
    let (_, missing) = out(folder, "missing.glb");
    fails(folder, &["scene", "inspect", &missing], 3, &["missing.glb"]);
    fails(folder, &["eval", "--agent", "orakel"], 2, &["oracle"]);
    fails(folder, &["eval", "--frobnicate"], 2, &["--frobnicate"]);
    fails(folder, &["eval", "--where", "colour=red"], 2, &["category"]);
    fails(folder, &["eval", "--body", "rover"], 2, &["stretch"]);
    fails(folder, &["eval", "--success", "near"], 2, &["objectnav"]);
    fails(folder, &["eval", "--hfov", "190"], 2, &["190"]);
    fails(folder, &["eval", "--steps", "0"], 2, &["--steps"]);
    fails(folder, &["eval", "--radius", "-1"], 2, &["radius_m is -1"]);
    fails(folder, &["eval", "--scenes", "/no/such/folder"], 3, &["/no/such/folder", "--scenes"]);
    fails(folder, &["bench", "sensors", &missing, "--threads", "0"], 2, &["1 to 1024"]);
    fails(folder, &["eval", "--episode", "no-such-id"], 2, &["no-such-id"]);
    fails(folder, &["eval", &missing], 3, &["missing.glb"]);
    std::fs::write(folder.join("broken.json"), "{\"episodes\": [{\"episode_id\": 1}]}")
        .expect("written");
    let (_, broken) = out(folder, "broken.json");
    fails(folder, &["eval", &broken], 3, &["broken.json", "episodes"]);
    // Floor triangles that face down: a reason, exit code 1, no crash.
    std::fs::write(folder.join("down.obj"), "v 0 0 0\nv 5 0 0\nv 5 0 5\nv 0 0 5\nf 1 2 3\nf 1 3 4\n")
        .expect("written");
    let (_, down) = out(folder, "down.obj");
    fails(folder, &["scene", "navmesh", &down], 1, &["down"]);
    std::fs::write(folder.join("file"), "in the way").expect("written");
    let (_, file) = out(folder, "file");
    fails(folder, &["eval", "--agent", "random", "--limit", "1", "--out", &file], 3, &["--out"]);
}

#[test]
fn this_build_agrees_with_the_golden_numbers() {
    let scratch = scratch();
    let verdict = json(scratch.path(), &["verify", "--json"]);
    assert_eq!(verdict["ok"], true, "{verdict:#}");
    assert!(verdict["rows"].as_array().is_some_and(|rows| rows.len() == 10));
    assert!(run(scratch.path(), &["doctor"]).status.success());
}

/// Without --out the folder follows from what determines the results: two different runs of one
/// agent never meet, and the same command finds its own run again.
#[test]
fn default_run_folders_of_different_runs_do_not_collide() {
    let scratch = scratch();
    let base = ["eval", "--agent", "forward", "--limit", "2", "--steps", "5", "--quiet"];
    for seed in ["0", "1", "0"] {
        let output = run(scratch.path(), &[&base[..], &["--seed", seed]].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(std::fs::read_dir(scratch.path().join("runs")).expect("runs").count(), 2);
}

#[test]
fn a_scene_named_by_a_dot_is_the_scene() {
    let scratch = scratch();
    let room = root().join("scenes/quest_meeting_room");
    let (_, file) = out(scratch.path(), "point.json");
    let (_, folder) = out(scratch.path(), "dot");
    for arguments in [
        &["generate", "pointnav", ".", "--count", "2", "--out", &file][..],
        &["eval", &file, "--scenes", ".", "--agent", "oracle", "--out", &folder, "--quiet"],
    ] {
        let output = ambler(scratch.path()).current_dir(&room).args(arguments).output().expect("runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn with_scenes_given_no_other_scene_of_the_name_is_taken() {
    let scratch = scratch();
    let empty = scratch.path().join("empty");
    std::fs::create_dir(&empty).expect("a folder");
    let (_, folder) = out(scratch.path(), "run");
    let set = root().join("scenes/washitsu/episodes/pointnav.json.gz");
    let set = set.to_str().expect("a plain path");
    let output = run(
        scratch.path(),
        &["eval", set, "--scenes", "empty", "--agent", "oracle", "--out", &folder, "--json", "--quiet"],
    );
    assert_eq!(output.status.code(), Some(1), "every episode is invalid");
    let summary: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&summary["valid"], &summary["invalid"]), (&0.into(), &20.into()));
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_no_success() {
    let scratch = scratch();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
    let status = ambler(scratch.path()).arg("doctor").stdout(full).status().expect("runs");
    assert_eq!(status.code(), Some(3));
}

#[test]
fn a_run_folder_of_another_run_is_not_overwritten() {
    let scratch = scratch();
    let (_, folder) = out(scratch.path(), "run");
    let base =
        ["eval", "--agent", "forward", "--limit", "2", "--steps", "5", "--quiet", "--out", &folder];
    assert!(run(scratch.path(), &base).status.success());
    let other = [&base[..], &["--seed", "1"]].concat();
    fails(scratch.path(), &other, 2, &["seed"]);
    let fresh = [&other[..], &["--fresh"]].concat();
    assert!(run(scratch.path(), &fresh).status.success());
}

#[test]
fn a_scene_is_drawn_alike_from_its_files_from_the_cache_and_from_a_cache_that_was_damaged() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = folder.path();
    let scene = root().join("scenes/quest_living_room");
    let scene = scene.to_str().expect("a path that is text");
    let draw = |name: &str, more: &[&str]| {
        let out = cache.join(name);
        let place = ["--at", "0,0,0", "--yaw", "30", "--show", "all"];
        let output = ambler(cache)
            .args(["scene", "render", scene, "--out"])
            .arg(&out)
            .args(place)
            .args(more)
            .output()
            .expect("ambler starts");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{errors}");
        (std::fs::read(out).expect("a picture"), errors)
    };
    let bundles = || -> Vec<PathBuf> {
        let entries = std::fs::read_dir(cache.join("cache/scenes"));
        let entries = entries.map(|entries| entries.flatten().map(|entry| entry.path()).collect());
        let mut found: Vec<PathBuf> = entries.unwrap_or_default();
        found.retain(|path| path.extension().is_some_and(|end| end == "scene"));
        found
    };
    let (without, _) = draw("without.png", &["--no-cache"]);
    assert!(bundles().is_empty(), "--no-cache keeps nothing");
    let (first, _) = draw("first.png", &[]);
    let [bundle] = &bundles()[..] else { panic!("one bundle is kept") };
    let (second, errors) = draw("second.png", &[]);
    assert!(!errors.contains("note:"), "{errors}");
    assert!(first == without && second == without);

    // Half of it is lost, then a bit of it changes.
    let whole = std::fs::read(bundle).expect("it is there");
    let mut flipped = whole.clone();
    flipped[whole.len() - 100] ^= 4;
    for damaged in [&whole[..whole.len() / 2], &flipped, &[]] {
        std::fs::write(bundle, damaged).expect("written");
        let (again, errors) = draw("again.png", &[]);
        assert_eq!(errors.matches("the scene is read from its files again").count(), 1, "{errors}");
        assert!(again == without);
        assert!(std::fs::read(bundle).expect("made anew") == whole, "the same scene, the same file");
    }
    let state = json(cache, &["cache", "--check", "--json"]);
    assert_eq!(
        (&state["kinds"]["scenes"]["files"], &state["damaged"]),
        (&1.into(), &Value::Array(vec![]))
    );
    json(cache, &["cache", "--clear", "--json"]);
    assert!(bundles().is_empty());
    fails(cache, &["cache", "--no-cache"], 1, &["AMBLER_CACHE"]);
}
