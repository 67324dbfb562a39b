//! GLB in few bytes: whole numbers on a grid instead of floats (`KHR_mesh_quantization`).

use super::write::{Writer, container, material};
use crate::{Mesh, SceneError, SceneModel};
use ambler_geometry::{Aabb, Vec2, Vec3};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Coordinates take 16 bits.
const CELLS: f32 = 65_535.0;
/// The finest grid in metres, a power of two: what stands on it is exact as f32.
const FINEST_M: f32 = 1.0 / 2048.0;

/// The scene as a GLB file of a third of the size of [`super::to_glb`]'s: corners lie on a grid of
/// 1/2048 m (a coarser power of two for a scene wider than 32 m) that all meshes share, texture coordinates
/// on one of 1/65535 of their range in a material, equal corners are stored once, and triangles without
/// area are left out. Placements are worked into the corners. Otherwise as `to_glb`; pack it with gzip for
/// half the size again.
///
/// # Errors
/// As [`super::to_glb`].
pub fn to_compact_glb(scene: &SceneModel) -> Result<Vec<u8>, SceneError> {
    let grid = Grid::of(scene);
    let ranges = uv_ranges(scene);
    let mut streams = Streams::default();
    let (mut nodes, mut meshes) = (Vec::new(), Vec::new());
    for placement in &scene.placements {
        let Some(source) = scene.meshes.get(placement.mesh as usize) else { continue };
        let positions: Vec<[u16; 3]> =
            source.positions.iter().map(|&p| grid.cell(placement.world_from_mesh.point(p))).collect();
        let range = ranges.get(placement.material as usize).copied().flatten();
        let Some(primitive) = streams.primitive(source, &positions, range, placement.material) else {
            continue;
        };
        let name = scene.instance(placement.instance).map_or(source.name.as_str(), |i| i.name.as_str());
        nodes.push(json!({"mesh": meshes.len(), "name": name}));
        meshes.push(json!({"primitives": [primitive]}));
    }
    let mut root_node = json!({"scale": ([grid.step; 3]), "translation": grid.origin.to_array()});
    let children: Vec<usize> = (1..=nodes.len()).collect();
    if !children.is_empty() {
        root_node["children"] = json!(children);
    }
    nodes.insert(0, root_node);
    let mut out = Writer::default();
    let accessors = streams.write(&mut out);
    let (images, samplers, textures) = out.textures(scene)?;
    let materials: Vec<Value> = scene
        .materials
        .iter()
        .enumerate()
        .map(|(index, source)| {
            let mut value = material(source);
            if let (Some(range), Some(_)) = (ranges.get(index).copied().flatten(), source.texture) {
                value["pbrMetallicRoughness"]["baseColorTexture"]["extensions"]["KHR_texture_transform"] =
                    json!({"offset": range.low.to_array(), "scale": range.size.to_array()});
            }
            value
        })
        .collect();
    let extensions = ["KHR_mesh_quantization", "KHR_texture_transform"];
    let mut root = json!({
        "asset": {"version": "2.0", "generator": "Ambler", "copyright": scene.licence.credit},
        "extensionsUsed": extensions,
        "extensionsRequired": extensions,
        "scene": 0,
        "scenes": [{"name": scene.name, "nodes": [0]}],
    });
    let buffer = json!({"byteLength": out.bytes.len()});
    for (key, list) in [
        ("nodes", nodes),
        ("meshes", meshes),
        ("materials", materials),
        ("textures", textures),
        ("samplers", samplers),
        ("images", images),
        ("accessors", accessors),
        ("bufferViews", out.views),
        ("buffers", vec![buffer]),
    ] {
        // glTF has no empty lists.
        if !list.is_empty() {
            root[key] = Value::Array(list);
        }
    }
    container(&root, out.bytes)
}

/// The grid that all corners lie on.
struct Grid {
    origin: Vec3,
    step: f32,
}

impl Grid {
    fn of(scene: &SceneModel) -> Self {
        let mut bounds = Aabb::EMPTY;
        for placement in &scene.placements {
            let Some(mesh) = scene.meshes.get(placement.mesh as usize) else { continue };
            let points = mesh.positions.iter().map(|&p| placement.world_from_mesh.point(p));
            bounds = bounds.union(Aabb::from_points(points));
        }
        if bounds.is_empty() {
            return Self { origin: Vec3::ZERO, step: FINEST_M };
        }
        let mut step = FINEST_M;
        while bounds.size().max_element() + step > CELLS * step {
            step *= 2.0;
        }
        Self { origin: (bounds.min / step).floor() * step, step }
    }

    fn cell(&self, p: Vec3) -> [u16; 3] {
        // Saturates.
        (((p - self.origin) / self.step) + 0.5).floor().to_array().map(|v| v as u16)
    }
}

/// Texture coordinates of all meshes with one material.
#[derive(Clone, Copy)]
struct Range {
    low: Vec2,
    size: Vec2,
}

fn uv_ranges(scene: &SceneModel) -> Vec<Option<Range>> {
    let mut bounds: Vec<Option<(Vec2, Vec2)>> = vec![None; scene.materials.len()];
    for placement in &scene.placements {
        let Some(mesh) = scene.meshes.get(placement.mesh as usize) else { continue };
        let Some(slot) = bounds.get_mut(placement.material as usize) else { continue };
        for &uv in &mesh.uvs {
            let (low, high) = slot.unwrap_or((uv, uv));
            *slot = Some((low.min(uv), high.max(uv)));
        }
    }
    let range = |(low, high): (Vec2, Vec2)| Range { low, size: (high - low).max(Vec2::splat(1e-6)) };
    bounds.into_iter().map(|bounds| bounds.map(range)).collect()
}

/// What all primitives store, each kind in one run of bytes, and the accessors into them.
#[derive(Default)]
struct Streams {
    positions: Vec<u8>,
    colors: Vec<u8>,
    uvs: Vec<u8>,
    corners: Vec<u8>,
    accessors: Vec<(Stream, Value)>,
}

#[derive(Clone, Copy)]
enum Stream {
    Position,
    Color,
    Uv,
    Corner,
}

impl Streams {
    fn accessor(&mut self, stream: Stream, value: Value) -> usize {
        self.accessors.push((stream, value));
        self.accessors.len() - 1
    }

    fn primitive(
        &mut self,
        mesh: &Mesh,
        positions: &[[u16; 3]],
        range: Option<Range>,
        material: u32,
    ) -> Option<Value> {
        type Corner = ([u16; 3], [u8; 4], [u16; 2]);
        let (has_colors, has_uvs) = (!mesh.colors.is_empty(), !mesh.uvs.is_empty() && range.is_some());
        let range = range.unwrap_or(Range { low: Vec2::ZERO, size: Vec2::ONE });
        let corner = |index: u32| -> Option<Corner> {
            let index = index as usize;
            let uv = mesh.uvs.get(index).map_or(Vec2::ZERO, |&uv| (uv - range.low) / range.size);
            Some((
                *positions.get(index)?,
                mesh.colors.get(index).copied().unwrap_or([255; 4]),
                (uv * CELLS + 0.5).floor().to_array().map(|v| v as u16),
            ))
        };
        let mut known: BTreeMap<Corner, u32> = BTreeMap::new();
        let mut vertices: Vec<Corner> = Vec::new();
        let mut triangles: Vec<u32> = Vec::new();
        for triangle in &mesh.triangles {
            let [Some(a), Some(b), Some(c)] = triangle.map(corner) else { continue };
            if is_flat([a.0, b.0, c.0]) {
                continue;
            }
            for vertex in [a, b, c] {
                triangles.push(*known.entry(vertex).or_insert_with(|| {
                    vertices.push(vertex);
                    vertices.len() as u32 - 1
                }));
            }
        }
        if vertices.is_empty() {
            return None;
        }
        let count = vertices.len();
        let least = vertices.iter().fold([u16::MAX; 3], |m, v| [0, 1, 2].map(|i| m[i].min(v.0[i])));
        let most = vertices.iter().fold([0; 3], |m: [u16; 3], v| [0, 1, 2].map(|i| m[i].max(v.0[i])));
        let mut attributes = json!({"POSITION": self.accessor(Stream::Position, json!({
            "byteOffset": self.positions.len(), "componentType": 5123, "count": count, "type": "VEC3",
            "min": least, "max": most,
        }))});
        for (position, _, _) in &vertices {
            // Elements begin at multiples of four bytes.
            let [x, y, z] = *position;
            self.positions.extend([x, y, z, 0].into_iter().flat_map(u16::to_le_bytes));
        }
        if has_colors {
            let value = json!({"byteOffset": self.colors.len(), "componentType": 5121, "normalized": true,
                "count": count, "type": "VEC4"});
            attributes["COLOR_0"] = json!(self.accessor(Stream::Color, value));
            self.colors.extend(vertices.iter().flat_map(|v| v.1));
        }
        if has_uvs {
            let value = json!({"byteOffset": self.uvs.len(), "componentType": 5123, "normalized": true,
                "count": count, "type": "VEC2"});
            attributes["TEXCOORD_0"] = json!(self.accessor(Stream::Uv, value));
            self.uvs.extend(vertices.iter().flat_map(|v| v.2).flat_map(u16::to_le_bytes));
        }
        let short = count < 65_535;
        self.corners.resize(self.corners.len().next_multiple_of(4), 0);
        let indices = self.accessor(Stream::Corner, json!({"byteOffset": self.corners.len(),
            "componentType": if short { 5123 } else { 5125 }, "count": triangles.len(), "type": "SCALAR"}));
        for corner in triangles {
            let bytes = corner.to_le_bytes();
            self.corners.extend(bytes.into_iter().take(if short { 2 } else { 4 }));
        }
        Some(json!({"attributes": attributes, "indices": indices, "material": material}))
    }

    /// Puts the runs into the buffer; the finished accessors.
    fn write(self, out: &mut Writer) -> Vec<Value> {
        let mut view = |bytes: &[u8], stride: Option<u32>| {
            if bytes.is_empty() {
                return 0;
            }
            let view = out.view(bytes);
            if let (Some(stride), Some(value)) = (stride, out.views.get_mut(view)) {
                value["byteStride"] = json!(stride);
            }
            view
        };
        let positions = view(&self.positions, Some(8));
        let colors = view(&self.colors, Some(4));
        let uvs = view(&self.uvs, Some(4));
        let corners = view(&self.corners, None);
        let finish = |(stream, mut value): (Stream, Value)| {
            value["bufferView"] = json!(match stream {
                Stream::Position => positions,
                Stream::Color => colors,
                Stream::Uv => uvs,
                Stream::Corner => corners,
            });
            value
        };
        self.accessors.into_iter().map(finish).collect()
    }
}

/// No area is left on the grid.
fn is_flat(corners: [[u16; 3]; 3]) -> bool {
    let [a, b, c] = corners.map(|corner| corner.map(i64::from));
    let edge = |p: [i64; 3]| [0, 1, 2].map(|i| p[i] - a[i]);
    let (u, v) = (edge(b), edge(c));
    [0, 1, 2].iter().all(|&i| u[(i + 1) % 3] * v[(i + 2) % 3] == u[(i + 2) % 3] * v[(i + 1) % 3])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail by panic")]
    use super::*;
    use crate::home::{HomeSpec, generate};
    use crate::{ReadOptions, gltf};
    use std::path::Path;

    #[test]
    fn a_home_comes_back_within_half_a_step_and_is_smaller() {
        let scene = generate(&HomeSpec { rooms: Some(3), ..HomeSpec::new(1) }).unwrap();
        let bytes = to_compact_glb(&scene).unwrap();
        let plain = gltf::to_glb(&scene).unwrap();
        assert!(bytes.len() * 10 < plain.len() * 7, "{} of {} bytes", bytes.len(), plain.len());
        let read = gltf::parse(&bytes, Path::new("home.glb"), &ReadOptions::default()).unwrap();
        let flat = |scene: &SceneModel| scene.world_triangles();
        let ((v0, t0), (v1, t1)) = (flat(&scene), flat(&read));
        // Only triangles thinner than the grid go.
        assert!(t1.len() <= t0.len() && t1.len() * 100 >= t0.len() * 99);
        let center = |v: &[Vec3], t: &[[u32; 3]]| {
            let sum: Vec3 = t.iter().flatten().map(|&i| v[i as usize]).sum();
            sum / (3 * t.len()) as f32
        };
        assert!(center(&v0, &t0).distance(center(&v1, &t1)) < 0.05);
        let exact = v1.iter().all(|p| (*p * 2048.0).fract() == Vec3::ZERO);
        assert!(exact, "corners lie on the grid");
    }
}
