use crate::bytes::{encode, glb, glb_square, gltf_buffer, gltf_json, png};
use ambler_scene::{ReadOptions, SceneError, SceneModel, Wrap, gltf, read_scene};
use serde_json::{Value, json};
use std::path::Path;

fn parse(bytes: &[u8]) -> SceneModel {
    gltf::parse(bytes, Path::new("a.glb"), &ReadOptions::default()).unwrap()
}

fn changed(change: impl FnOnce(&mut Value)) -> Result<SceneModel, SceneError> {
    let mut json = gltf_json(&png());
    change(&mut json);
    gltf::parse(&glb(&json, &gltf_buffer(&png())), Path::new("a.glb"), &ReadOptions::default())
}

#[test]
fn a_mesh_placed_twice_is_stored_once() {
    let scene = parse(&glb_square());
    assert_eq!((scene.meshes.len(), scene.placements.len()), (1, 2));
    assert_eq!((scene.vertex_count(), scene.triangle_count()), (8, 4));
    assert_eq!(scene.meshes[0].triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(
        scene.meshes[0].uvs[1].to_array(),
        [0.0, 1.0],
        "glTF counts v from the top, as the model does"
    );
    assert_eq!(scene.bounds.max.to_array(), [2.0, 1.0, 2.0]);
    let corner = scene.placements[1].world_from_mesh.point(scene.meshes[0].positions[2]);
    assert_eq!(corner.to_array(), [1.0, 1.0, 1.0]);
    let material = &scene.materials[0];
    assert_eq!((material.alpha_cutoff, material.double_sided), (Some(0.25), true));
    assert_eq!(material.base_color, [1.0, 0.5, 0.25, 1.0]);
    assert_eq!(scene.textures[0].wrap, [Wrap::Clamp, Wrap::Mirror]);
    assert_eq!(scene.textures[0].pixels, [[255, 0, 0, 255], [0, 0, 255, 255]]);
}

#[test]
fn jpeg_and_webp_are_read_whatever_the_media_type_says() {
    for format in [image::ImageFormat::Jpeg, image::ImageFormat::WebP] {
        let image = encode(format);
        let scene = parse(&glb(&gltf_json(&image), &gltf_buffer(&image)));
        assert_eq!((scene.textures[0].width, scene.textures[0].height), (2, 1), "{format:?}");
    }
    // Only the extension names the image.
    let image = encode(image::ImageFormat::WebP);
    let mut json = gltf_json(&image);
    json["textures"] = json!([{"extensions": {"EXT_texture_webp": {"source": 0}}}]);
    json["extensionsRequired"] = json!(["EXT_texture_webp"]);
    assert_eq!(parse(&glb(&json, &gltf_buffer(&image))).textures[0].pixels[0], [255, 0, 0, 255]);
}

#[test]
fn buffers_and_images_come_from_data_uris_and_files() {
    use base64::Engine;
    let encoded = |bytes: &[u8]| base64::engine::general_purpose::STANDARD.encode(bytes);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a b.png"), png()).unwrap();
    let mut json = gltf_json(&png());
    json["buffers"][0]["uri"] =
        json!(format!("data:application/octet-stream;base64,{}", encoded(&gltf_buffer(&png()))));
    json["images"][0] = json!({"uri": "a%20b.png"});
    let path = folder.path().join("a.gltf");
    std::fs::write(&path, json.to_string()).unwrap();
    let scene = read_scene(&path, &ReadOptions::default()).unwrap();
    assert_eq!(scene.textures.len(), 1);
    let before = scene.fingerprint;
    std::fs::write(folder.path().join("a b.png"), encode(image::ImageFormat::Jpeg)).unwrap();
    let after = read_scene(&path, &ReadOptions::default()).unwrap().fingerprint;
    assert_ne!(before, after, "files that the scene refers to are part of its identity");
    for uri in
        ["../a.png", "/etc/passwd", "..%2Fa.png", "C:\\a.png", "file:///etc/passwd", "x/../../a.png"]
    {
        json["images"][0] = json!({"uri": uri});
        std::fs::write(&path, json.to_string()).unwrap();
        let error = read_scene(&path, &ReadOptions::default()).unwrap_err().to_string();
        assert!(error.contains("/images/0") && error.contains("put the file into"), "{uri}: {error}");
    }
}

#[test]
fn required_extensions_are_refused_by_name() {
    let error =
        changed(|json| json["extensionsRequired"] = json!(["KHR_draco_mesh_compression"])).unwrap_err();
    assert!(matches!(error, SceneError::Unsupported(_)));
    assert!(error.to_string().contains("KHR_draco_mesh_compression"), "{error}");
    assert!(
        changed(
            |json| json["extensionsRequired"] = json!(["KHR_materials_unlit", "KHR_mesh_quantization"])
        )
        .is_ok()
    );
}

#[test]
fn a_texture_transform_is_worked_into_the_coordinates() {
    let scene = changed(|json| {
        json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["extensions"] =
            json!({"KHR_texture_transform": {"offset": [0.5, 0.25], "scale": [2, 4]}});
    })
    .unwrap();
    let uvs: Vec<[f32; 2]> = scene.meshes[0].uvs.iter().map(|uv| uv.to_array()).collect();
    assert_eq!(uvs, [[0.5, 0.25], [0.5, 4.25], [2.5, 4.25], [2.5, 0.25]]);
    // A quarter turn: the specification's matrix takes (1, 0) to (0, −1).
    let scene = changed(|json| {
        json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["extensions"] =
            json!({"KHR_texture_transform": {"rotation": std::f64::consts::FRAC_PI_2}});
    })
    .unwrap();
    let uv = scene.meshes[0].uvs[3];
    assert!((uv.x, uv.y) == (uv.x, -1.0) && uv.x.abs() < 1e-6, "{uv}");
}

#[test]
fn strips_and_fans_keep_their_front() {
    for (mode, expected) in [(5, vec![[0, 1, 2], [2, 1, 0], [2, 0, 2]]), (6, vec![[0, 1, 2], [0, 2, 0]])]
    {
        let scene = changed(|json| {
            json["meshes"][0]["primitives"][0]["mode"] = json!(mode);
            json["accessors"][2]["count"] = json!(5);
        })
        .unwrap();
        let whole: Vec<[u32; 3]> =
            expected.into_iter().filter(|t| t[0] != t[1] && t[1] != t[2] && t[2] != t[0]).collect();
        assert_eq!(scene.meshes[0].triangles, whole, "mode {mode}");
    }
    let points = changed(|json| json["meshes"][0]["primitives"][0]["mode"] = json!(0)).unwrap();
    assert_eq!(points.triangle_count(), 0);
    assert!(points.notes.iter().any(|note| note.contains("points and lines")), "{:?}", points.notes);
}

#[test]
fn sparse_and_quantised_accessors() {
    let sparse = changed(|json| {
        // Vertex 1 (index 80 is u16 0, so use the second index, 1) takes the place of vertex 2's values.
        json["accessors"][0]["sparse"] = json!({"count": 1,
            "indices": {"bufferView": 2, "byteOffset": 2, "componentType": 5123},
            "values": {"bufferView": 0, "byteOffset": 24}});
    })
    .unwrap();
    assert_eq!(sparse.meshes[0].positions[1].to_array(), [2.0, 0.0, 2.0]);
    let quantised = changed(|json| {
        json["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
        json["accessors"][0] =
            json!({"bufferView": 2, "componentType": 5123, "count": 2, "type": "VEC3"});
        json["meshes"][0]["primitives"][0] = json!({"attributes": {"POSITION": 0}});
    })
    .unwrap();
    assert_eq!(quantised.meshes[0].positions[1].to_array(), [0.0, 2.0, 3.0]);
}

#[test]
fn vertex_colours_pass_straight_through() {
    let scene = changed(|json| {
        json["accessors"][1] = json!({"bufferView": 0, "byteOffset": 32, "componentType": 5121, "count": 4, "type": "VEC4", "normalized": true});
        json["meshes"][0]["primitives"][0] = json!({"attributes": {"POSITION": 0, "COLOR_0": 1}});
    })
    .unwrap();
    assert_eq!(scene.meshes[0].colors.len(), 4);
    // Bytes 32..36 of the buffer are the float 2.0 = 00 00 00 40.
    assert_eq!(scene.meshes[0].colors[0], [0, 0, 0, 0x40]);
}

#[test]
fn scenes_are_chosen_as_the_format_says() {
    let none = changed(|json| {
        json.as_object_mut().unwrap().remove("scene");
        json.as_object_mut().unwrap().remove("scenes");
    })
    .unwrap();
    assert_eq!(none.placements.len(), 2);
    assert!(none.notes.iter().any(|note| note.contains("no scene")), "{:?}", none.notes);
    let cycle = changed(|json| json["nodes"][1]["children"] = json!([0])).unwrap_err().to_string();
    assert!(cycle.contains("/nodes/0") && cycle.contains("tree"), "{cycle}");
}

#[test]
fn mesh_instancing_multiplies_placements() {
    let scene = changed(|json| {
        json["extensionsRequired"] = json!(["EXT_mesh_gpu_instancing"]);
        json["nodes"] = json!([{"mesh": 0, "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 0}}}}]);
    })
    .unwrap();
    assert_eq!((scene.meshes.len(), scene.placements.len()), (1, 4));
    assert_eq!(scene.bounds.max.to_array(), [4.0, 0.0, 4.0]);
}

#[test]
fn faults_name_their_place() {
    for (pointer, value, expected) in [
        (
            "/accessors/0/count",
            json!(u32::MAX),
            "/meshes/0/primitives/0: the scene asks for 4294967295 vertices",
        ),
        (
            "/accessors/0/count",
            json!(5),
            "/meshes/0/primitives/0/attributes/POSITION: 5 elements of 12 bytes do not fit",
        ),
        ("/accessors/0/count", json!(u64::MAX), "/meshes/0/primitives/0"),
        (
            "/accessors/2/count",
            json!(7),
            "/meshes/0/primitives/0/indices: 7 elements of 2 bytes do not fit",
        ),
        ("/accessors/0/bufferView", json!(99), "buffer view 99, which does not exist"),
        ("/accessors/0/componentType", json!(17), "component type"),
        ("/bufferViews/0/byteLength", json!(1_u64 << 60), "lies outside its buffer"),
        ("/bufferViews/0/byteOffset", json!(u64::MAX), "lies outside its buffer"),
        ("/bufferViews/3/byteLength", json!(9), "/images/0: an image"),
        ("/nodes/0/children/0", json!(7), "/nodes/7: the node does not exist"),
        ("/nodes/0/mesh", json!(7), "/nodes/0: refers to mesh 7"),
        ("/scene", json!(3), "/scene: refers to scene 3"),
        ("/meshes/0/primitives/0/material", json!(5), "refers to material 5"),
        ("/textures/0/source", json!(5), "refers to image 5"),
        ("/buffers/0/byteLength", json!(1 << 20), "/buffers/0: the buffer has"),
        ("/asset", json!(3), "at asset: the glTF JSON cannot be read"),
    ] {
        let error = changed(|json| *json.pointer_mut(pointer).unwrap() = value).unwrap_err().to_string();
        assert!(
            error.starts_with("a.glb, at ") && error.contains(expected),
            "{error}\n does not say\n{expected}"
        );
    }
    // Without bytes behind it, a count costs nothing: it is bounded.
    let error = changed(|json| {
        json["accessors"][0] =
            json!({"componentType": 5126, "count": 4_000_000_000_u32, "type": "VEC3"});
    });
    assert!(matches!(error, Err(SceneError::TooLarge(_))));
    let cut = glb_square();
    let error = gltf::parse(&cut[..cut.len() - 5], Path::new("a.glb"), &ReadOptions::default())
        .unwrap_err()
        .to_string();
    assert!(error.contains("byte") && error.contains("ends before"), "{error}");
}

#[test]
fn what_is_written_is_read_again() {
    let mut scene = parse(&glb_square());
    std::sync::Arc::make_mut(&mut scene.meshes[0]).colors = vec![[1, 2, 3, 4]; 4].into();
    let read = parse(&gltf::to_glb(&scene).unwrap());
    assert_eq!(read.meshes[0].positions, scene.meshes[0].positions);
    assert_eq!(read.meshes[0].uvs, scene.meshes[0].uvs);
    assert_eq!(read.meshes[0].colors, scene.meshes[0].colors);
    assert_eq!(read.meshes[0].triangles, scene.meshes[0].triangles);
    assert_eq!(read.textures[0].pixels, scene.textures[0].pixels);
    assert_eq!(read.textures[0].wrap, scene.textures[0].wrap);
    assert_eq!(read.placements[1].world_from_mesh, scene.placements[1].world_from_mesh);
    assert_eq!(read.materials[0].alpha_cutoff, scene.materials[0].alpha_cutoff);
    assert_eq!(read.materials[0].base_color, scene.materials[0].base_color);
}
