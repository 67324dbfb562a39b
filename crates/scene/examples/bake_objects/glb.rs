//! A small GLB: one mesh with quantised positions and texture coordinates, one JPEG.

use ambler_geometry::{Aabb, Vec3};
use ambler_scene::{Mesh, Texture};
use serde_json::json;
use std::collections::BTreeMap;

pub(crate) fn write(
    mesh: &Mesh,
    name: &str,
    light: bool,
    color: [f32; 4],
    texture: Option<&Texture>,
    side: u32,
    quality: u8,
) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let bounds = Aabb::from_points(mesh.positions.iter().copied());
    let size = bounds.size();
    let mut binary = Vec::new();
    let mut views = Vec::new();
    let mut view = |bytes: Vec<u8>, stride: Option<usize>, binary: &mut Vec<u8>| {
        binary.resize(binary.len().next_multiple_of(4), 0);
        let mut view = json!({"buffer": 0, "byteOffset": binary.len(), "byteLength": bytes.len()});
        if let Some(stride) = stride {
            view["byteStride"] = json!(stride);
        }
        binary.extend(bytes);
        views.push(view);
        views.len() - 1
    };
    // 65,535 steps along each side; the node takes them back to metres.
    let mut positions = Vec::new();
    let (mut low, mut high) = ([u16::MAX; 3], [0_u16; 3]);
    for position in &mesh.positions {
        for axis in 0..3 {
            let step = size[axis] / 65_535.0;
            let cell =
                if step > 0.0 { ((position[axis] - bounds.min[axis]) / step + 0.5) as u16 } else { 0 };
            low[axis] = low[axis].min(cell);
            high[axis] = high[axis].max(cell);
            positions.extend(cell.to_le_bytes());
        }
        positions.extend([0, 0]);
    }
    let count = mesh.positions.len();
    let position_view = view(positions, Some(8), &mut binary);
    let mut accessors = vec![json!({"bufferView": position_view, "componentType": 5123, "count": count,
        "type": "VEC3", "min": low, "max": high})];
    let mut attributes = json!({"POSITION": 0});
    if !mesh.uvs.is_empty() {
        let uvs = mesh
            .uvs
            .iter()
            .flat_map(|uv| [uv.x, uv.y])
            .flat_map(|part| ((part.clamp(0.0, 1.0) * 65_535.0 + 0.5) as u16).to_le_bytes())
            .collect();
        let uv_view = view(uvs, Some(4), &mut binary);
        accessors.push(json!({"bufferView": uv_view, "componentType": 5123, "normalized": true,
            "count": count, "type": "VEC2"}));
        attributes["TEXCOORD_0"] = json!(1);
    }
    if light {
        let colors = shaded(mesh).into_iter().flatten().collect();
        let color_view = view(colors, Some(4), &mut binary);
        attributes["COLOR_0"] = json!(accessors.len());
        accessors.push(json!({"bufferView": color_view, "componentType": 5121, "normalized": true,
            "count": count, "type": "VEC4"}));
    }
    let corners =
        mesh.triangles.iter().flatten().flat_map(|&corner| (corner as u16).to_le_bytes()).collect();
    assert!(count < 65_536);
    let corner_view = view(corners, None, &mut binary);
    accessors.push(json!({"bufferView": corner_view, "componentType": 5123,
        "count": 3 * mesh.triangles.len(), "type": "SCALAR"}));
    let indices = accessors.len() - 1;
    let mut looks = json!({"baseColorFactor": color, "metallicFactor": 0.0});
    let mut root = json!({
        "asset": {"version": "2.0", "generator": "Ambler bake_objects"},
        "extensionsUsed": ["KHR_mesh_quantization"],
        "extensionsRequired": ["KHR_mesh_quantization"],
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "name": name, "translation": bounds.min.to_array(),
            "scale": (size / 65_535.0).to_array()}],
        "meshes": [{"name": name, "primitives": [
            {"attributes": attributes, "indices": indices, "material": 0}]}],
        "accessors": accessors,
    });
    if let Some(texture) = texture.filter(|_| !mesh.uvs.is_empty()) {
        let rgb: Vec<u8> = texture.pixels.iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect();
        let image =
            image::RgbImage::from_raw(texture.width, texture.height, rgb).ok_or("a broken texture")?;
        let side = side.min(texture.width);
        let small = image::imageops::resize(&image, side, side, image::imageops::FilterType::Triangle);
        let mut jpeg = Vec::new();
        image::codecs::jpeg::JpegEncoder::new_with_quality(&mut jpeg, quality).encode_image(&small)?;
        let image_view = view(jpeg, None, &mut binary);
        root["images"] = json!([{"bufferView": image_view, "mimeType": "image/jpeg"}]);
        root["textures"] = json!([{"source": 0}]);
        looks["baseColorTexture"] = json!({"index": 0});
    }
    root["materials"] = json!([{"name": name, "pbrMetallicRoughness": looks}]);
    binary.resize(binary.len().next_multiple_of(4), 0);
    root["bufferViews"] = json!(views);
    root["buffers"] = json!([{"byteLength": binary.len()}]);
    let mut text = root.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut out = Vec::new();
    let length = 28 + text.len() + binary.len();
    for word in [0x4654_6C67, 2, length as u32, text.len() as u32, 0x4E4F_534A] {
        out.extend(u32::to_le_bytes(word));
    }
    out.extend(text);
    out.extend(u32::to_le_bytes(binary.len() as u32));
    out.extend(u32::to_le_bytes(0x004E_4942));
    out.extend(binary);
    Ok(out)
}

/// A soft light from above and the front for each vertex, and darker insides.
fn shaded(mesh: &Mesh) -> Vec<[u8; 4]> {
    let key = |p: Vec3| p.to_array().map(f32::to_bits);
    let mut normals: BTreeMap<[u32; 3], Vec3> = BTreeMap::new();
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|i| mesh.positions[i as usize]);
        for p in [a, b, c] {
            *normals.entry(key(p)).or_default() += (b - a).cross(c - a);
        }
    }
    let bounds = Aabb::from_points(mesh.positions.iter().copied());
    let (center, size) = (bounds.center(), bounds.size());
    mesh.positions
        .iter()
        .map(|&p| {
            let n = normals.get(&key(p)).copied().unwrap_or(Vec3::Y).normalize_or_zero();
            let direct = n.dot(Vec3::new(0.398, 0.796, 0.456)).max(0.0);
            // Surfaces that face the axis lie inside: the deeper the darker.
            let out = Vec3::new(p.x - center.x, 0.0, p.z - center.z).normalize_or_zero();
            let depth = ((bounds.max.y - p.y) / size.y.max(1e-6)).clamp(0.0, 1.0);
            let inside = if n.dot(out) < -0.2 { 1.0 - 0.25 * depth } else { 1.0 };
            let value = ((0.66 + 0.11 * n.y + 0.34 * direct) * inside).clamp(0.0, 1.0);
            let byte = (value * 255.0 + 0.5) as u8;
            [byte, byte, byte, 255]
        })
        .collect()
}
