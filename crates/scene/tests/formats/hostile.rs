//! Truncated, bit-flipped and absurd files: an error with file and place or a whole scene, never a
//! panic, never memory that the file does not justify.

use crate::bytes::{MTL, OBJ_SQUARE, glb, glb_square, gltf_buffer, gltf_json, ply_square, png};
use ambler_scene::{Limits, ReadOptions, SceneError, SceneModel, description, gltf, obj, ply};
use proptest::prelude::*;
use std::path::Path;

/// Small limits, so that a test that allocates much shows as `TooLarge`.
fn options() -> ReadOptions {
    let limits =
        Limits { vertices: 1 << 20, triangles: 1 << 20, texture_pixels: 1 << 20, ..Limits::default() };
    ReadOptions { limits, ..ReadOptions::default() }
}

const DESCRIPTION: &str = r#"(version: 1, name: "x", licence: (name: "CC0-1.0", credit: "me"), assets: [(path: "no.ply",
    up: Z, rotation: Degrees((0, 90, 0)), scale: Axes((1, 1, 1)), labels: Capture("no.json"))],
    objects: [(category: "sofa", parts: [Box(min: (0, 0, 0), max: (1, 1, 1)), Node("a*")], above: 0.1)],
    rooms: [(name: "kitchen", polygon: [(0, 0), (1, 0), (1, 1)])], floor_y: 0.5)"#;

fn kinds() -> Vec<(&'static str, Vec<u8>)> {
    let mut gltf = gltf_json(&png());
    use base64::Engine;
    let buffer = base64::engine::general_purpose::STANDARD.encode(gltf_buffer(&png()));
    gltf["buffers"][0]["uri"] = serde_json::json!(format!("data:;base64,{buffer}"));
    vec![
        ("a.ply", ply_square("ascii")),
        ("b.ply", ply_square("binary_little_endian")),
        ("c.ply", ply_square("binary_big_endian")),
        ("a.glb", glb_square()),
        ("a.gltf", gltf.to_string().into_bytes()),
        ("a.obj", OBJ_SQUARE.into()),
        ("a.mtl", MTL.into()),
        ("scene.ron", DESCRIPTION.into()),
    ]
}

fn parse(name: &str, bytes: &[u8]) -> Result<SceneModel, SceneError> {
    // A folder that is not there: nothing beside the file can be read.
    let path = Path::new("/nonexistent").join(name);
    let path = path.as_path();
    match path.extension().and_then(|e| e.to_str()).unwrap_or("") {
        "ply" => ply::parse(bytes, path, &options()),
        "glb" | "gltf" => gltf::parse(bytes, path, &options()),
        "obj" => obj::parse(bytes, path, &options()),
        "mtl" => obj::parse_mtl(bytes, path, &options()).map(|_| SceneModel::default()),
        _ => description::parse(bytes, path, &options()),
    }
}

fn check(name: &str, bytes: &[u8]) {
    match parse(name, bytes) {
        Ok(scene) => {
            for mesh in &scene.meshes {
                let count = mesh.positions.len();
                assert!(mesh.triangles.iter().flatten().all(|&corner| (corner as usize) < count));
                assert!(mesh.positions.iter().all(|position| position.is_finite()));
                assert!(mesh.uvs.is_empty() || mesh.uvs.len() == count);
                assert!(mesh.colors.is_empty() || mesh.colors.len() == count);
                assert!(
                    mesh.triangle_instances.is_empty()
                        || mesh.triangle_instances.len() == mesh.triangles.len()
                );
            }
            let _ = scene.world_triangles();
        }
        Err(error) => {
            let text = error.to_string();
            assert!(text.starts_with("/nonexistent/"), "no file in: {text}");
            assert!(!error.fault().what.is_empty());
        }
    }
}

#[test]
fn every_truncation_of_every_kind() {
    for (name, bytes) in kinds() {
        check(name, &bytes);
        for length in 0..bytes.len() {
            check(name, &bytes[..length]);
        }
    }
}

#[test]
fn every_byte_set_to_its_extremes() {
    for (name, bytes) in kinds() {
        for at in 0..bytes.len() {
            for value in [0, 0xFF, 0x80, b'9', b'-', b'"', b'('] {
                let mut changed = bytes.clone();
                changed[at] = value;
                check(name, &changed);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn flipped_bits(kind in 0_usize..8, flips in prop::collection::vec((any::<prop::sample::Index>(), 0_u8..8), 1..12)) {
        let (name, mut bytes) = kinds().swap_remove(kind);
        for (at, bit) in flips {
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
        }
        check(name, &bytes);
    }

    #[test]
    fn cut_and_spliced(kind in 0_usize..8, a in any::<prop::sample::Index>(), b in any::<prop::sample::Index>(), c in any::<prop::sample::Index>()) {
        let (name, bytes) = kinds().swap_remove(kind);
        let (a, b, c) = (a.index(bytes.len()), b.index(bytes.len()), c.index(bytes.len()));
        let mut spliced = bytes[..a].to_vec();
        spliced.extend(&bytes[b.min(c)..b.max(c)]);
        spliced.extend(&bytes[a..]);
        check(name, &spliced);
    }

    #[test]
    fn noise(kind in 0_usize..8, noise in prop::collection::vec(any::<u8>(), 0..400)) {
        let (name, bytes) = kinds().swap_remove(kind);
        check(name, &noise);
        let mut headed = bytes[..bytes.len().min(12)].to_vec();
        headed.extend(&noise);
        check(name, &headed);
    }

    #[test]
    fn absurd_numbers_in_json(pick in any::<prop::sample::Index>(), value in prop_oneof![
        Just(-1.0), Just(0.0), Just(1.5), Just(255.0), Just(65_536.0), Just(4_294_967_295.0), Just(1e18), Just(1.8e19), Just(1e300),
    ]) {
        let mut json = gltf_json(&png());
        let mut pointers = Vec::new();
        numbers(&json, String::new(), &mut pointers);
        let pointer = &pointers[pick.index(pointers.len())];
        let number = if value == f64::trunc(value) && value.abs() < 1.8e19 && value >= 0.0 { serde_json::json!(value as u64) } else { serde_json::json!(value) };
        *json.pointer_mut(pointer).unwrap() = number;
        check("a.glb", &glb(&json, &gltf_buffer(&png())));
    }
}

fn numbers(value: &serde_json::Value, at: String, out: &mut Vec<String>) {
    match value {
        serde_json::Value::Number(_) => out.push(at),
        serde_json::Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                numbers(item, format!("{at}/{index}"), out);
            }
        }
        serde_json::Value::Object(items) => {
            for (key, item) in items {
                numbers(item, format!("{at}/{key}"), out);
            }
        }
        _ => {}
    }
}

#[test]
fn absurd_counts_in_ply_headers() {
    for order in ["ascii", "binary_little_endian", "binary_big_endian"] {
        let bytes = ply_square(order);
        let end = bytes.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
        let header = String::from_utf8(bytes[..end].to_vec()).unwrap();
        for (from, to) in [
            ("element vertex 4", "element vertex 4000000000"),
            ("element vertex 4", "element vertex 18446744073709551615"),
            ("element vertex 4", "element vertex 99999999999999999999999"),
            ("element face 1", "element face 4000000000"),
            ("element face 1", "element face 1152921504606846976"),
            ("element face 1", "element empty 18446744073709551615\nelement face 1"),
        ] {
            let mut changed = header.replacen(from, to, 1).into_bytes();
            changed.extend(&bytes[end..]);
            check("a.ply", &changed);
        }
        // A list longer than the file.
        let mut changed = header.replacen("list uchar int", "list uint int", 1).into_bytes();
        changed.extend(&bytes[end..]);
        check("a.ply", &changed);
    }
}

#[test]
fn an_image_that_claims_to_be_huge_is_refused() {
    for (width, height) in [(60_000_u32, 60_000_u32), (u32::MAX, 1), (16_000, 16_000), (0, 5)] {
        let mut image = png();
        image[16..20].copy_from_slice(&width.to_be_bytes());
        image[20..24].copy_from_slice(&height.to_be_bytes());
        let crc = crc32(&image[12..29]);
        image[29..33].copy_from_slice(&crc.to_be_bytes());
        let error = parse("a.glb", &glb(&gltf_json(&image), &gltf_buffer(&image))).unwrap_err();
        assert!(error.to_string().contains("/images/0"), "{error}");
    }
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
        }
    }
    !crc
}

#[test]
fn deep_nesting_ends_in_an_error() {
    let deep = "[".repeat(200_000);
    check("a.gltf", format!("{{\"asset\": {{\"version\": \"2.0\"}}, \"extras\": {deep}").as_bytes());
    let deep = "(".repeat(200_000);
    check("scene.ron", format!("(version: 1, assets: {deep}").as_bytes());
    // A chain of nodes, each the child of the one before.
    let nodes: Vec<serde_json::Value> =
        (1..=50_000).map(|child| serde_json::json!({"children": [child]})).collect();
    let mut json = gltf_json(&png());
    json["nodes"] = serde_json::Value::Array(nodes);
    check("a.glb", &glb(&json, &gltf_buffer(&png())));
}

#[test]
fn one_accessor_used_a_thousand_times_is_bounded() {
    let mut json = gltf_json(&png());
    let primitive = json["meshes"][0]["primitives"][0].clone();
    json["accessors"][0] =
        serde_json::json!({"componentType": 5126, "count": 1_000_000, "type": "VEC3"});
    json["materials"][0]["pbrMetallicRoughness"] = serde_json::json!({});
    json["meshes"][0]["primitives"] = serde_json::Value::Array(vec![primitive; 1000]);
    let error = parse("a.glb", &glb(&json, &gltf_buffer(&png()))).unwrap_err();
    assert!(matches!(error, SceneError::TooLarge(_)), "{error}");
}
