//! The window from the outside: scripts press keys through whole episodes and look at what is shown. Needs
//! a Vulkan driver; Mesa's for processors will do.
#![cfg(feature = "window")]

use std::path::Path;
use std::process::{Command, Output};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// `ambler` in a folder, with the repository as its home and a cache of its own.
fn ambler(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ambler"));
    command.env("AMBLER_HOME", root()).env("AMBLER_CACHE", folder.join("cache")).current_dir(folder);
    command
}

fn play(folder: &Path, arguments: &[&str]) -> Output {
    ambler(folder).arg("play").args(arguments).output().expect("ambler starts")
}

#[track_caller]
fn plays(folder: &Path, arguments: &[&str]) {
    let output = play(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "ambler play {arguments:?}: {:?}\n{errors}", output.status);
}

/// Width, height and the share of pixels that differ from the first one.
fn picture(path: &Path) -> (u32, u32, f64) {
    let image =
        image::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).to_rgb8();
    let first = *image.get_pixel(0, 0);
    let other = image.pixels().filter(|pixel| **pixel != first).count();
    (image.width(), image.height(), other as f64 / f64::from(image.width() * image.height()))
}

#[test]
fn a_whole_episode_by_keys_and_agents_off_screen() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let set = root().join("scenes/maple_studio/episodes/objectnav.json.gz");
    let script = root().join("tests/window/home.ron");
    let [set, script] = [set, script].map(|path| path.display().to_string());
    plays(folder.path(), &[&set, "--limit", "2", "--script", &script, "--offscreen"]);
    let mut pictures = 0;
    for entry in std::fs::read_dir(folder.path()).expect("the folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "png") {
            let (width, height, other) = picture(&path);
            assert_eq!((width, height), (1280, 720), "{}", path.display());
            assert!(other > 0.3, "{} is nearly empty: {other}", path.display());
            pictures += 1;
        }
    }
    assert_eq!(pictures, 16);
}

/// Drives the first episode drawn in a scene through `any.ron`; every picture shows something.
#[track_caller]
fn through_any(scene: &Path, more: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let script = root().join("tests/window/any.ron");
    let [scene, script] = [scene, &script].map(|path| path.display().to_string());
    let arguments =
        [&[scene.as_str(), "--limit", "1", "--script", &script, "--offscreen"], more].concat();
    plays(folder.path(), &arguments);
    for name in ["success", "eyes", "orbit", "fly", "above"] {
        let (.., other) = picture(&folder.path().join(name).with_extension("png"));
        assert!(other > 0.3, "{name} is nearly empty: {other}");
    }
}

#[test]
fn a_real_room_with_textures() {
    through_any(&root().join("scenes/washitsu"), &[]);
}

#[test]
fn data_a_scanned_flat_on_two_floors() {
    let folder =
        std::env::var_os("AMBLER_DATA").map_or_else(|| root().join("../shared/data"), Into::into);
    let scene = folder.join("golden/hl2_apartment/scene.glb");
    if !scene.is_file() {
        let required = std::env::var("AMBLER_REQUIRE_DATA").is_ok_and(|value| value == "1");
        assert!(!required, "AMBLER_REQUIRE_DATA=1, and there is no {}", scene.display());
        eprintln!("SKIPPED: no {}; set AMBLER_DATA", scene.display());
        return;
    }
    through_any(&scene, &[]);
}

#[test]
fn under_a_display() {
    if Command::new("xvfb-run").arg("--help").output().is_err() {
        eprintln!("SKIPPED: no xvfb-run");
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let script = folder.path().join("s.ron");
    std::fs::write(&script, "[Key(\"W\"), ExpectSteps(1), Shot(\"view.png\")]").expect("a script");
    let output = Command::new("xvfb-run")
        .args(["-a", "-s", "-screen 0 1280x720x24", env!("CARGO_BIN_EXE_ambler"), "play"])
        .arg(root().join("scenes/maple_studio"))
        .arg("--script")
        .arg(&script)
        .env("AMBLER_HOME", root())
        .env("AMBLER_CACHE", folder.path().join("cache"))
        .current_dir(folder.path())
        .output()
        .expect("xvfb-run starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(picture(&folder.path().join("view.png")).2 > 0.3);
}

#[test]
fn a_drive_is_recorded_as_any_agents_episode_and_the_sitting_goes_on() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let set = root().join("scenes/maple_studio/episodes/pointnav.json.gz").display().to_string();
    let script = folder.path().join("drive.ron");
    std::fs::write(
        &script,
        "[Key(\"W\"), Key(\"A\"), Key(\"Enter\"), ExpectEnding(\"failure\"), Do(\"save\")]",
    )
    .expect("a script");
    let script = script.display().to_string();
    let run = |script: &str| {
        plays(
            folder.path(),
            &[&set, "--limit", "2", "--out", "sitting", "--script", script, "--offscreen"],
        );
    };
    run(&script);
    let journal =
        std::fs::read_to_string(folder.path().join("sitting/journal.jsonl")).expect("a journal");
    assert!(journal.contains("\"actions\":\"FLS\""), "{journal}");
    // It goes on at the second episode; with all of them driven the run is whole.
    run(&script);
    let records =
        std::fs::read_to_string(folder.path().join("sitting/episodes.jsonl")).expect("records");
    assert_eq!(records.lines().count(), 2);
    // The same actions give the same records by an agent that plays them.
    std::fs::write(folder.path().join("walk.txt"), "F L S").expect("a walk");
    let output = ambler(folder.path())
        .args(["eval", &set, "--limit", "2", "--agent", "script:walk.txt", "--out", "run", "--quiet"])
        .output()
        .expect("ambler starts");
    assert!(output.status.code().is_some_and(|code| code <= 1));
    // Simulated again, every pose, number and picture is as recorded; the window opens the log.
    let logs = folder.path().join("sitting/replays");
    let first = std::fs::read_dir(&logs).expect("logs").next().expect("one").expect("a file").path();
    let output =
        ambler(folder.path()).args(["replay", "--check"]).arg(&first).output().expect("ambler starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let look = folder.path().join("look.ron");
    std::fs::write(&look, "[ExpectSteps(3), ExpectEnding(\"failure\"), Do(\"go:1\"), ExpectShown(1)]")
        .expect("a script");
    let (first, look) = (first.display().to_string(), look.display().to_string());
    plays(folder.path(), &[&first, "--script", &look, "--offscreen"]);
    let by_agent = std::fs::read_to_string(folder.path().join("run/episodes.jsonl")).expect("records");
    assert_eq!(records, by_agent);
}

/// What a headless agent thought is in its log, and the window shows it at any step.
#[test]
fn an_agents_log_is_scrubbed_with_its_layers() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let set = root().join("scenes/maple_studio/episodes/objectnav.json.gz").display().to_string();
    let output = ambler(folder.path())
        .args([
            "eval",
            &set,
            "--limit",
            "1",
            "--agent",
            "frontier",
            "--out",
            "run",
            "--replays",
            "all",
            "--quiet",
        ])
        .output()
        .expect("ambler starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let records = std::fs::read_to_string(folder.path().join("run/episodes.jsonl")).expect("records");
    let record: serde_json::Value =
        serde_json::from_str(records.lines().next().expect("one")).expect("JSON");
    let steps = record["steps"].as_u64().expect("steps");
    let ending = if record["metrics"]["success"] == 1.0 { "success" } else { "failure" };
    let script = format!(
        "[ExpectSteps({steps}), ExpectEnding(\"{ending}\"), Do(\"agent\"), Do(\"map\"), Do(\"go:10\"), Shot(\"thoughts.png\"), \
         Do(\"branch\"), ExpectSteps(10), ExpectBranches(1), Do(\"show-branch:0\"), ExpectSteps({steps})]"
    );
    std::fs::write(folder.path().join("look.ron"), script).expect("a script");
    plays(folder.path(), &["run/replays", "--script", "look.ron", "--offscreen"]);
    assert!(picture(&folder.path().join("thoughts.png")).2 > 0.3);
}

/// The mean difference of two pictures in a part of them: left, top, right, bottom as shares of the sides; of
/// 255.
fn apart(one: &Path, other: &Path, part: [f64; 4]) -> f64 {
    let [one, other] = [one, other].map(|path| image::open(path).expect("a picture").to_rgb8());
    assert_eq!(one.dimensions(), other.dimensions());
    let side = |share: f64, of: u32| (share * f64::from(of)) as u32;
    let (width, height) = one.dimensions();
    let (mut sum, mut count) = (0u64, 0u64);
    for y in side(part[1], height)..side(part[3], height) {
        for x in side(part[0], width)..side(part[2], width) {
            let pixels = one.get_pixel(x, y).0.into_iter().zip(other.get_pixel(x, y).0);
            sum += pixels.map(|(a, b)| u64::from(a.abs_diff(b))).sum::<u64>();
            count += 3;
        }
    }
    sum as f64 / count as f64
}

/// The main view in a picture of the window.
const VIEW: [f64; 4] = [0.25, 0.2, 0.5, 0.55];

/// Two recordings of an episode: the window jumps to where `ambler replay --against` says that they part.
#[test]
fn two_logs_side_by_side_part_where_the_comparison_says() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let set = root().join("scenes/maple_studio/episodes/objectnav.json.gz").display().to_string();
    for (agent, out) in [("oracle", "a"), ("random", "b")] {
        let arguments = [
            "eval",
            &set,
            "--limit",
            "2",
            "--agent",
            agent,
            "--out",
            out,
            "--replays",
            "all",
            "--quiet",
        ];
        let output = ambler(folder.path()).args(arguments).output().expect("ambler starts");
        assert!(output.status.code().is_some_and(|code| code <= 1));
    }
    let log = |out: &str, index: usize| {
        let logs = std::fs::read_dir(folder.path().join(out).join("replays")).expect("logs");
        let mut logs: Vec<_> = logs.map(|entry| entry.expect("a file").path()).collect();
        logs.sort();
        logs.swap_remove(index)
    };
    let (one, other) = (log("a", 0), log("b", 0));
    let output = ambler(folder.path())
        .args(["replay", "--json", "--against"])
        .arg(&other)
        .arg(&one)
        .output()
        .expect("ambler starts");
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let steps = found["differences"].as_array().expect("differences").iter();
    // Different agents think and are given different things.
    let own = steps.filter(|it| it["kind"] != "agent_output" && it["kind"] != "observation");
    let own = own.filter_map(|it| it["step"].as_u64());
    let parting = own.min().expect("they part");
    let lengths = [&one, &other].map(|log| {
        let output =
            ambler(folder.path()).args(["replay", "--json"]).arg(log).output().expect("it starts");
        let log: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        log["steps"].as_array().expect("steps").len() - 1
    });
    let longest = lengths.into_iter().max().expect("two");
    let script = format!(
        "[ExpectParting({parting}), Do(\"first\"), Key(\"V\"), ExpectShown({parting}), Shot(\"parting.png\"), \
         Do(\"ways\"), Do(\"go:{longest}\"), ExpectShown({longest}), Shot(\"end.png\"), Do(\"back\"), \
         ExpectShown({}), Do(\"next-episode\"), Do(\"compare\"), Shot(\"alone.png\")]",
        longest - 1
    );
    std::fs::write(folder.path().join("two.ron"), script).expect("a script");
    plays(folder.path(), &["a/replays", "--against", "b/replays", "--script", "two.ron", "--offscreen"]);
    let path = |name: &str| folder.path().join(name);
    // At the parting both panes show the same place from the same eye; at the end they do not.
    let panes = |name: &str| {
        let image = image::open(path(name)).expect("a picture").to_rgb8();
        let (left, right) = (150, 150 + 454);
        let rows = 150..400;
        let differ = rows.flat_map(|y| (0..200).map(move |x| (x, y))).filter(|&(x, y)| {
            let [a, b] = [left, right].map(|from| image.get_pixel(from + x, y).0);
            a.iter().zip(b).any(|(a, b)| a.abs_diff(b) > 40)
        });
        differ.count()
    };
    assert!(panes("parting.png") < panes("end.png"), "{} {}", panes("parting.png"), panes("end.png"));
    // Logs of different episodes are no two ways.
    let mixed = log("b", 1).display().to_string();
    std::fs::write(folder.path().join("none.ron"), "[]").expect("a script");
    let one = one.display().to_string();
    let output =
        play(folder.path(), &[&one, "--against", &mixed, "--script", "none.ron", "--offscreen"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(3) && errors.contains("different episodes"), "{errors}");
}

#[test]
fn objects_are_dropped_and_pushed_by_hand_and_the_drive_has_no_score() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let set = root().join("scenes/maple_studio/episodes/objectnav.json.gz");
    let script = root().join("tests/window/hand.ron");
    let [set, script] = [set, script].map(|path| path.display().to_string());
    let arguments = [&set, "--limit", "2", "--out", "sitting", "--script", &script, "--offscreen"];
    plays(folder.path(), &arguments);
    // Only the drive that was begun with everything in its place is recorded.
    let journal =
        std::fs::read_to_string(folder.path().join("sitting/journal.jsonl")).expect("a journal");
    assert_eq!(journal.matches("\"actions\":").count(), 1, "{journal}");
    assert!(journal.contains("\"actions\":\"FS\""), "{journal}");
    let [dropped, pushed] = ["1_dropped.png", "2_pushed.png"].map(|name| folder.path().join(name));
    assert!(apart(&dropped, &pushed, VIEW) > 0.05, "the push is seen");
}

#[test]
fn floors_of_a_house_are_shown_one_by_one_and_flown_through() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let set = root().join("scenes/station_house/episodes/objectnav.json.gz");
    let script = root().join("tests/window/floors.ron");
    let [set, script] = [set, script].map(|path| path.display().to_string());
    plays(folder.path(), &[&set, "--limit", "1", "--script", &script, "--offscreen"]);
    let path = |name: &str| folder.path().join(name);
    for (one, other) in [
        ("1_ground.png", "2_first.png"),
        ("3_first_above.png", "4_ground_above.png"),
        ("5_fly.png", "6_flown.png"),
    ] {
        let found = apart(&path(one), &path(other), VIEW);
        assert!(found > 5.0, "{one} and {other} differ by {found} of 255");
    }
}

/// The graphics device draws the view that the sensors' renderer draws.
#[test]
fn the_view_by_the_graphics_device_looks_like_the_sensors() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scene = root().join("scenes/washitsu").display().to_string();
    let script = "[Do(\"orbit\"), Shot(\"cpu.png\"), Do(\"gpu\"), Shot(\"gpu.png\"), Do(\"map\"), \
                  Shot(\"gpu_above.png\"), Do(\"gpu\"), Shot(\"cpu_above.png\")]";
    std::fs::write(folder.path().join("gpu.ron"), script).expect("a script");
    plays(folder.path(), &[&scene, "--limit", "1", "--script", "gpu.ron", "--offscreen"]);
    let path = |name: &str| folder.path().join(name);
    for (one, other) in [("cpu.png", "gpu.png"), ("cpu_above.png", "gpu_above.png")] {
        let found = apart(&path(one), &path(other), VIEW);
        assert!(found < 1.0, "{one} and {other} differ by {found} of 255");
        assert!(picture(&path(other)).2 > 0.3);
    }
}

/// A program's layers, events and words are shown as any agent's.
#[test]
fn a_programs_layers_and_words_are_shown() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let client = root().join("python/ambler_client").display().to_string();
    let program = "\
import ambler_client, sys
def act(observation):
    step = observation['step']
    print('looking around at step', step)
    cells = bytes(100 if x in (0, 19) or z in (0, 19) else 0 for z in range(20) for x in range(20))
    publish = [
        {'path': 'plan', 'kind': 'path', 'title': 'Plan', 'points': [[0, 0, 0], [0, 0, -1], [0.5, 0, -1.5]]},
        {'path': 'map', 'kind': 'grid', 'title': 'Map', 'corner': [-1, 0, -1], 'cell_m': 0.1, 'cols': 20,
         'rows': 20, 'values': cells},
        {'path': 'mood', 'kind': 'text', 'title': 'Mood', 'text': 'curious'},
        {'path': 'sure', 'kind': 'number', 'title': 'How sure', 'value': 0.25 * step},
        {'path': 'where', 'kind': 'candidates', 'title': 'Where to', 'candidates': [['left', 0.7, True], ['right', 0.3]]},
    ]
    return {'action': 'turn_left', 'publish': publish, 'events': ['turned'] if step == 2 else []}
ambler_client.run(act, name='looker')
";
    std::fs::write(folder.path().join("agent.py"), program).expect("a program");
    let agent = format!("exec:PYTHONPATH='{client}' python3 -B agent.py");
    let script = "[Do(\"agent\"), Do(\"forth:4\"), ExpectSteps(4), ExpectLayer(\"agent/plan\"), \
                  ExpectLayer(\"agent/map\"), ExpectSaid(\"looking around at step 2\"), Shot(\"thoughts.png\"), \
                  Do(\"layer:agent/map\"), Do(\"layer:agent/plan\"), Shot(\"without.png\")]";
    std::fs::write(folder.path().join("s.ron"), script).expect("a script");
    let scene = root().join("scenes/maple_studio").display().to_string();
    let arguments = [&scene, "--limit", "1", "--agent", &agent, "--script", "s.ron", "--offscreen"];
    plays(folder.path(), &arguments);
    let [with, without] = ["thoughts.png", "without.png"].map(|name| folder.path().join(name));
    assert!(apart(&with, &without, VIEW) > 1.0, "the layers are seen");
}

#[test]
fn a_lost_device_and_a_missing_driver_are_told_without_a_panic() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scene = root().join("scenes/maple_studio").display().to_string();
    std::fs::write(folder.path().join("lose.ron"), "[Key(\"W\"), LoseDevice, Shot(\"never.png\")]")
        .expect("a script");
    let arguments = [&scene, "--limit", "1", "--script", "lose.ron", "--offscreen"];
    let output = play(folder.path(), &arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{errors}");
    assert!(errors.contains("graphics device failed") && !errors.contains("panicked"), "{errors}");
    let mut none = ambler(folder.path());
    none.arg("play").args(arguments);
    for name in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
        none.env(name, folder.path().join("no_driver.json"));
    }
    let output = none.env("WGPU_BACKEND", "vulkan").output().expect("ambler starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{errors}");
    assert!(errors.contains("mesa-vulkan-drivers") && !errors.contains("RUST_BACKTRACE"), "{errors}");
}

#[test]
fn a_screenshot_needs_no_display() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scene = root().join("scenes/maple_studio").display().to_string();
    let arguments =
        [&scene, "--screenshot", "view.png", "--do", "forward", "--do", "forward", "--at", "1"];
    plays(folder.path(), &arguments);
    assert!(picture(&folder.path().join("view.png")).2 > 0.3);
}

#[test]
fn what_is_wrong_is_said_with_an_exit_code() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let says = |arguments: &[&str], code: i32, part: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ambler"));
        command.arg("play").args(arguments).env("AMBLER_HOME", root()).env_remove("DISPLAY");
        let output = command.current_dir(folder.path()).output().expect("ambler starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {errors}");
        assert!(errors.contains(part) && !errors.contains("panicked"), "{arguments:?}: {errors}");
    };
    says(&[], 3, "no display");
    says(&["--screenshot", "a.png", "--do", "jump"], 2, "no command \"jump\"");
    says(&["nowhere.json", "--screenshot", "a.png"], 3, "nowhere.json");
    std::fs::write(folder.path().join("keys.ron"), "{\"forward\": [\"A\"]}").expect("keys");
    says(&["--keys", "keys.ron", "--screenshot", "a.png"], 3, "is given to");
    std::fs::write(folder.path().join("bad.ron"), "[ExpectSteps(3)]").expect("a script");
    let scene = root().join("scenes/maple_studio").display().to_string();
    says(&[&scene, "--script", "bad.ron", "--offscreen"], 1, "0 actions were made, not 3");
}
