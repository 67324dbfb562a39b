//! Small files with known content.

use std::io::Cursor;

/// A square of side 2 at y = 0, facing up: four vertices, one quad. `order` is the PLY format's name.
pub(crate) fn ply_square(order: &str) -> Vec<u8> {
    let corners: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [0.0, 0.0, 2.0], [2.0, 0.0, 2.0], [2.0, 0.0, 0.0]];
    let colors: [[u8; 3]; 4] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [9, 8, 7]];
    let mut out = format!(
        "ply\nformat {order} 1.0\ncomment made by hand\ncomment label index: 0=unlabelled,1=FLOOR,2=NightStand\n\
         element vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
         property uchar red\nproperty uchar green\nproperty uchar blue\n\
         element face 1\nproperty list uchar int vertex_indices\nproperty int label\nproperty int object_id\nend_header\n"
    )
    .into_bytes();
    for (corner, color) in corners.iter().zip(&colors) {
        for value in corner {
            match order {
                "ascii" => out.extend(format!("{value} ").bytes()),
                "binary_big_endian" => out.extend(value.to_be_bytes()),
                _ => out.extend(value.to_le_bytes()),
            }
        }
        for value in color {
            match order {
                "ascii" => out.extend(format!("{value} ").bytes()),
                _ => out.push(*value),
            }
        }
        if order == "ascii" {
            out.push(b'\n');
        }
    }
    if order == "ascii" {
        out.extend(b"4 0 1 2 3 1 5\n");
    } else {
        out.push(4);
        for value in [0_i32, 1, 2, 3, 1, 5] {
            out.extend(if order == "binary_big_endian" {
                value.to_be_bytes()
            } else {
                value.to_le_bytes()
            });
        }
    }
    out
}

/// A PNG of 2 × 1 pixels: red, blue.
pub(crate) fn png() -> Vec<u8> {
    encode(image::ImageFormat::Png)
}

pub(crate) fn encode(format: image::ImageFormat) -> Vec<u8> {
    let mut image = image::RgbaImage::new(2, 1);
    image.put_pixel(0, 0, image::Rgba([255, 0, 0, 255]));
    image.put_pixel(1, 0, image::Rgba([0, 0, 255, 255]));
    let mut out = Cursor::new(Vec::new());
    let image = image::DynamicImage::ImageRgba8(image);
    let image = if format == image::ImageFormat::Jpeg { image.into_rgb8().into() } else { image };
    image.write_to(&mut out, format).unwrap();
    out.into_inner()
}

/// The binary part of [`gltf_json`]: 4 positions (0..48), 4 uvs (48..80), 6 u16 indices (80..92), an
/// image (92..).
pub(crate) fn gltf_buffer(image: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for value in [0.0_f32, 0.0, 0.0, 0.0, 0.0, 2.0, 2.0, 0.0, 2.0, 2.0, 0.0, 0.0] {
        out.extend(value.to_le_bytes());
    }
    for value in [0.0_f32, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0] {
        out.extend(value.to_le_bytes());
    }
    for value in [0_u16, 1, 2, 0, 2, 3] {
        out.extend(value.to_le_bytes());
    }
    out.extend(image);
    out
}

/// A textured square, placed twice: at the origin, and one metre up at half size.
pub(crate) fn gltf_json(image: &[u8]) -> serde_json::Value {
    let length = 92 + image.len();
    serde_json::json!({
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [
            {"name": "root", "mesh": 0, "children": [1]},
            {"name": "shelf", "mesh": 0, "translation": [0, 1, 0], "scale": [0.5, 0.5, 0.5]},
        ],
        "meshes": [{"name": "square", "primitives": [
            {"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "indices": 2, "material": 0},
        ]}],
        "materials": [{"name": "paint", "alphaMode": "MASK", "alphaCutoff": 0.25, "doubleSided": true,
            "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}, "baseColorFactor": [1, 0.5, 0.25, 1]}}],
        "textures": [{"source": 0, "sampler": 0}],
        "samplers": [{"wrapS": 33071, "wrapT": 33648}],
        "images": [{"bufferView": 3, "mimeType": "image/png"}],
        "buffers": [{"byteLength": length}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 48},
            {"buffer": 0, "byteOffset": 48, "byteLength": 32},
            {"buffer": 0, "byteOffset": 80, "byteLength": 12},
            {"buffer": 0, "byteOffset": 92, "byteLength": image.len()},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5126, "count": 4, "type": "VEC2"},
            {"bufferView": 2, "componentType": 5123, "count": 6, "type": "SCALAR"},
        ],
    })
}

pub(crate) fn glb(json: &serde_json::Value, binary: &[u8]) -> Vec<u8> {
    let mut json = json.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut binary = binary.to_vec();
    binary.resize(binary.len().next_multiple_of(4), 0);
    let mut out = b"glTF".to_vec();
    out.extend(2_u32.to_le_bytes());
    out.extend((28 + json.len() as u32 + binary.len() as u32).to_le_bytes());
    out.extend((json.len() as u32).to_le_bytes());
    out.extend(b"JSON");
    out.extend(json);
    out.extend((binary.len() as u32).to_le_bytes());
    out.extend(b"BIN\0");
    out.extend(binary);
    out
}

pub(crate) fn glb_square() -> Vec<u8> {
    glb(&gltf_json(&png()), &gltf_buffer(&png()))
}

pub(crate) const OBJ_SQUARE: &str = "# a square\nmtllib a.mtl\no top\nv 0 0 0 1 0 0\nv 0 0 2 0 1 0\nv 2 0 2 0 0 1\nv 2 0 0 1 1 1\n\
    vt 0 0\nvt 0 1\nvt 1 1\nvt 1 0\nusemtl wood\nf 1/1 2/2 3/3 -1/-1\n";

pub(crate) const MTL: &str = "newmtl wood\nKd 0.5 0.25 1\nd 0.5\n";
