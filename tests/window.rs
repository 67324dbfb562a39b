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
    assert_eq!(pictures, 15);
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
