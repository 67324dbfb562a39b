//! A scan without annotation: a detector behind a server says what is there, objects are placed and looked for.

mod common;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use common::{json, run};
use image::{GrayImage, ImageFormat, Luma};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Cursor, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Furniture as boxes in a room of 5 × 4 m, a colour each: name, colour, corners.
const FURNITURE: [(&str, [u8; 3], [f32; 3], [f32; 3]); 4] = [
    ("bed", [30, 60, 200], [0.02, 0.0, 0.02], [2.0, 0.5, 1.5]),
    ("nightstand", [200, 140, 30], [2.1, 0.0, 0.02], [2.6, 0.55, 0.5]),
    ("desk", [200, 30, 30], [3.4, 0.0, 3.2], [4.9, 0.74, 3.95]),
    ("wardrobe", [30, 160, 60], [4.2, 0.0, 0.05], [4.95, 2.0, 1.3]),
];

/// The room as a PLY with vertex colours and nothing else.
fn room() -> String {
    let (mut vertices, mut faces, mut count) = (String::new(), String::new(), 0);
    let mut add = |low: [f32; 3], high: [f32; 3], color: [u8; 3], inside: bool| {
        // Corners of each side, counter-clockwise from outside; bits choose x, y, z.
        for side in [[4, 5, 7, 6], [1, 0, 2, 3], [5, 1, 3, 7], [0, 4, 6, 2], [6, 7, 3, 2], [0, 1, 5, 4]]
        {
            for bits in side {
                let at =
                    [0, 1, 2].map(|axis| if bits >> axis & 1 == 1 { high[axis] } else { low[axis] });
                let [r, g, b] = color;
                writeln!(vertices, "{} {} {} {r} {g} {b}", at[0], at[1], at[2]).expect("text");
            }
            let [a, b, c, d] = [count, count + 1, count + 2, count + 3];
            let (b, d) = if inside { (d, b) } else { (b, d) };
            writeln!(faces, "3 {a} {b} {c}\n3 {a} {c} {d}").expect("text");
            count += 4;
        }
    };
    add([0.0; 3], [5.0, 2.6, 4.0], [210; 3], true);
    for (_, color, low, high) in FURNITURE {
        add(low, high, color, false);
    }
    format!(
        "ply\nformat ascii 1.0\nelement vertex {count}\nproperty float x\nproperty float y\nproperty float z\n\
         property uchar red\nproperty uchar green\nproperty uchar blue\nelement face {}\n\
         property list uchar int vertex_indices\nend_header\n{vertices}{faces}",
        count / 2
    )
}

/// A detector that knows furniture by its colour.
fn detector(asked: Arc<AtomicUsize>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let asked = Arc::clone(&asked);
            std::thread::spawn(move || while answer(&stream, &asked).is_some() {});
        }
    });
    url
}

fn answer(mut stream: &TcpStream, asked: &AtomicUsize) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|&read| read > 0)?;
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    asked.fetch_add(1, Ordering::SeqCst);
    let body: Value = serde_json::from_slice(&body).expect("JSON");
    let labels = body["labels"].as_array().expect("labels");
    assert_eq!(labels.len(), FURNITURE.len(), "{labels:?}");
    let picture = STANDARD.decode(body["image"].as_str().expect("an image")).expect("base64");
    let picture = image::load_from_memory(&picture).expect("an image").to_rgb8();
    let mut detections = Vec::new();
    for (name, color, ..) in FURNITURE {
        let mut mask = GrayImage::new(picture.width(), picture.height());
        let (mut low, mut high, mut pixels) = ([u32::MAX; 2], [0; 2], 0);
        for (x, y, pixel) in picture.enumerate_pixels().filter(|(_, _, pixel)| pixel.0 == color) {
            let _ = pixel;
            mask.put_pixel(x, y, Luma([255]));
            low = [low[0].min(x), low[1].min(y)];
            high = [high[0].max(x + 1), high[1].max(y + 1)];
            pixels += 1;
        }
        if pixels < 40 {
            continue;
        }
        let mut file = Cursor::new(Vec::new());
        mask.write_to(&mut file, ImageFormat::Png).expect("a mask");
        detections.push(json!({
            "label": name, "score": 0.9, "box": [low[0], low[1], high[0], high[1]],
            "mask": STANDARD.encode(file.into_inner()),
        }));
    }
    let body = json!({ "detections": detections }).to_string();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
    write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len()).ok()
}

fn made(at: &Path, url: &str, out: &str) -> Value {
    let arguments = [
        "generate",
        "variants",
        "room.ply",
        "--out",
        out,
        "--variants",
        "2",
        "--seed",
        "1",
        "--objects",
        "8",
        "--detector",
        url,
        "--labels",
        "bed,nightstand,desk,wardrobe",
        "--json",
    ];
    json(at, &arguments)
}

#[test]
fn a_scan_without_annotation_goes_the_same_way_with_a_detector_behind_a_server() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let at = scratch.path();
    std::fs::write(at.join("room.ply"), room()).expect("written");
    let asked = Arc::new(AtomicUsize::new(0));
    let url = detector(Arc::clone(&asked));
    let summary = made(at, &url, "one");
    assert_eq!(summary["variants"], 2);
    assert!(summary["objects"].as_u64().is_some_and(|count| count >= 10), "{summary}");
    // Two pitches at eight yaws from each place; the same image is not asked for twice.
    let count = asked.load(Ordering::SeqCst);
    assert!(count >= 16, "{count} images");

    // Each thing lies on a top of the furniture that it is said to lie on.
    let why = json(at, &["variants", "explain", "one", "room_v000", "--json"]);
    for object in why["objects"].as_array().expect("a list") {
        let surface = object["surface"].as_str().expect("a name");
        let (name, _, low, high) = *FURNITURE
            .iter()
            .find(|(name, ..)| surface.starts_with(name))
            .unwrap_or_else(|| panic!("{surface} is no furniture"));
        assert_ne!(name, "wardrobe", "its top is above the camera");
        let at: Vec<f64> = object["position"]
            .as_array()
            .expect("a place")
            .iter()
            .map(|value| value.as_f64().expect("a number"))
            .collect();
        for axis in [0, 2] {
            let inside = f64::from(low[axis]) - 0.05..f64::from(high[axis]) + 0.05;
            assert!(inside.contains(&at[axis]), "{object}");
        }
        assert!((at[1] - f64::from(high[1])).abs() < 0.3, "{object}");
    }

    // Answers are kept: the same images are not asked for again, in another folder either.
    made(at, &url, "two");
    assert_eq!(asked.load(Ordering::SeqCst), count);
    let scene = |out: &str| std::fs::read(at.join(out).join("variants/room_v001.json")).expect("made");
    assert_eq!(scene("one"), scene("two"));

    // Episodes of what was placed can be solved.
    let episodes = json(at, &["generate", "objectnav", "one", "--json"]);
    assert!(episodes["episodes"].as_u64().is_some_and(|count| count >= 6), "{episodes}");
    let arguments = ["eval", "one/episodes/objectnav.json.gz", "--scenes", "one", "--agent", "oracle"];
    let output = run(at, &[&arguments[..], &["--json", "--out", "run"]].concat());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let run: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(run["success"].as_f64().is_some_and(|share| share > 0.99), "{run}");
}

/// A server that is not there ends the work with advice, and what was made before stays.
#[test]
fn a_detector_that_is_gone_is_told_with_its_address() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let at = scratch.path();
    std::fs::write(at.join("room.ply"), room()).expect("written");
    let gone = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let url = format!("http://{gone}");
    let arguments =
        ["generate", "variants", "room.ply", "--out", "v", "--detector", &url, "--labels", "bed"];
    let output = run(at, &arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && errors.contains(&url), "{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    assert!(at.join("v/analysis/room/2_coverage.json").is_file(), "what needs no detector is kept");
}
