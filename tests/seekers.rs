//! Agents that look for things, from the outside: in a home that ships, with any number of workers, and
//! with the models that people plug in.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};

const EPISODES: &str = "scenes/maple_studio/episodes/objectnav.json.gz";
const AGENTS: [&str; 4] = ["vlfm", "l3mvn", "random-astar", "semantic-astar"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn eval(folder: &Path, out: &str, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ambler"))
        .env("AMBLER_HOME", root())
        .env("AMBLER_CACHE", folder.join("cache"))
        .current_dir(folder)
        .args(["eval", root().join(EPISODES).to_str().expect("a plain path"), "--quiet", "--json"])
        .args(["--out", out])
        .args(arguments)
        .output()
        .expect("ambler starts")
}

fn done(output: &Output) -> Value {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{:?}\n{errors}", output.status);
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

#[test]
fn records_are_the_same_for_any_number_of_workers() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut arguments = vec!["--limit", "3", "--steps", "60", "--detector", "noisy"];
    for agent in AGENTS {
        arguments.extend(["--agent", agent]);
    }
    for (out, workers) in [("one", "1"), ("three", "3")] {
        let mut arguments = arguments.clone();
        arguments.extend(["--workers", workers]);
        done(&eval(folder.path(), out, &arguments));
    }
    for agent in AGENTS {
        for name in ["episodes.jsonl", "manifest.json", "summary.json"] {
            let read = |out: &str| {
                let path = folder.path().join(out).join(agent).join(name);
                std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
            };
            assert_eq!(read("one"), read("three"), "{agent} {name}");
        }
        let manifest = folder.path().join("one").join(agent).join("manifest.json");
        let manifest = std::fs::read_to_string(manifest).expect("a manifest");
        assert!(manifest.contains("noisy ErrorModel"), "{agent}: the manifest names the detector");
        assert!(!manifest.contains("\"agent_identity\":\"\""));
    }
}

/// A server that finds a "bed" in the middle of every image and answers every score with 0.5.
fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let mut writer = stream.try_clone().expect("a socket");
                let mut reader = BufReader::new(stream);
                loop {
                    let (mut path, mut length) = (String::new(), 0);
                    loop {
                        let mut line = String::new();
                        if reader.read_line(&mut line).unwrap_or(0) == 0 {
                            return;
                        }
                        if path.is_empty() {
                            path = line.split(' ').nth(1).unwrap_or("").to_owned();
                        }
                        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                            length = value.trim().parse().expect("a length");
                        }
                        if line.trim().is_empty() {
                            break;
                        }
                    }
                    let mut body = vec![0; length];
                    reader.read_exact(&mut body).expect("the whole body");
                    let asked: Value = serde_json::from_slice(&body).expect("JSON");
                    let answer = if path == "/score" {
                        json!({ "score": 0.5 })
                    } else {
                        let label = asked["labels"][0].as_str().unwrap_or("bed").to_owned();
                        json!({ "detections": [
                            { "label": label, "score": 0.9, "box": [120, 120, 136, 136] }] })
                    };
                    let answer = answer.to_string();
                    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length";
                    let _ = write!(writer, "{head}: {}\r\n\r\n{answer}", answer.len());
                }
            });
        }
    });
    url
}

#[test]
fn servers_are_asked_once_and_the_run_repeats_without_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = serve();
    let (detector, scorer) = (format!("{url}/detect"), format!("{url}/score"));
    let arguments = [
        "--agent",
        "vlfm",
        "--limit",
        "1",
        "--steps",
        "20",
        "--detector",
        &detector,
        "--scorer",
        &scorer,
    ];
    done(&eval(folder.path(), "first", &arguments));
    let mut offline = arguments.to_vec();
    offline.push("--model-offline");
    done(&eval(folder.path(), "second", &offline));
    let read =
        |out: &str| std::fs::read(folder.path().join(out).join("episodes.jsonl")).expect("records");
    assert_eq!(read("first"), read("second"));
    // What was never asked costs the episode, and says what to do.
    let other = [
        "--agent",
        "vlfm",
        "--limit",
        "1",
        "--steps",
        "20",
        "--seed",
        "1",
        "--size",
        "64",
        "--detector",
        &detector,
        "--scorer",
        &scorer,
        "--model-offline",
    ];
    let output = eval(folder.path(), "third", &other);
    assert_eq!(output.status.code(), Some(1));
    let records = String::from_utf8(read("third")).expect("text");
    assert!(records.contains("run once without --model-offline"), "{records}");
}

#[test]
fn settings_without_a_user_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for (arguments, says) in [
        (&["--agent", "frontier", "--detector", "noisy"][..], "uses --detector"),
        (&["--agent", "vlfm", "--language", "http://127.0.0.1:1/v1"], "uses --language"),
        (&["--agent", "vlfm", "--detector", "dino"], "there is no detector"),
        (&["--agent", "l3mvn", "--knowledge", "none.csv"], "none.csv"),
        (&["--agent", "semantic-astar", "--model-timeout", "3"], "--model-timeout is for models"),
    ] {
        let output = eval(folder.path(), "out", arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && errors.contains(says), "{arguments:?}: {errors}");
        assert!(!errors.contains("panicked"), "{errors}");
    }
}
