use crate::{SceneError, SceneModel, Wrap};
use ambler_geometry::{Aabb, Affine};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::Path;

/// The scene as a GLB file: meshes, vertex colours, materials, textures (as PNG), and a node for each
/// placement, named after its instance, or its mesh without one. Identities of single triangles have no
/// place in glTF and are left out: keep them in a description or a PLY file.
///
/// # Errors
/// [`SceneError::File`] where an image cannot be encoded or the file would exceed 4 GiB.
pub fn to_glb(scene: &SceneModel) -> Result<Vec<u8>, SceneError> {
    let mut out = Writer::default();
    let mut meshes: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    let mut mesh_list = Vec::new();
    let mut nodes = Vec::new();
    for placement in &scene.placements {
        let Some(source) = scene.meshes.get(placement.mesh as usize) else { continue };
        // A mesh without triangles cannot be stored: accessors hold at least one element.
        if source.triangles.is_empty() {
            continue;
        }
        let mesh = *meshes.entry((placement.mesh, placement.material)).or_insert_with(|| {
            mesh_list.push(out.mesh(source, placement.material));
            mesh_list.len() - 1
        });
        let name = scene.instance(placement.instance).map_or(source.name.as_str(), |i| i.name.as_str());
        let mut node = json!({"mesh": mesh, "name": name});
        if placement.world_from_mesh != Affine::IDENTITY {
            node["matrix"] = json!(columns(&placement.world_from_mesh));
        }
        nodes.push(node);
    }
    let (images, samplers, textures) = out.textures(scene)?;
    let mut root = json!({
        "asset": {"version": "2.0", "generator": "Ambler", "copyright": scene.licence.credit},
        "scene": 0,
        "scenes": [{"name": scene.name, "nodes": (0..nodes.len()).collect::<Vec<_>>()}],
    });
    let buffer = json!({"byteLength": out.bytes.len()});
    for (key, list) in [
        ("nodes", nodes),
        ("meshes", mesh_list),
        ("materials", scene.materials.iter().map(material).collect()),
        ("textures", textures),
        ("samplers", samplers),
        ("images", images),
        ("accessors", out.accessors),
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

fn fault(what: String) -> SceneError {
    SceneError::file(Path::new(""), what, "")
}

#[derive(Default)]
pub(super) struct Writer {
    pub(super) bytes: Vec<u8>,
    pub(super) views: Vec<Value>,
    accessors: Vec<Value>,
}

/// glTF's images, samplers and textures.
type Pictures = (Vec<Value>, Vec<Value>, Vec<Value>);

impl Writer {
    /// Writes the textures as PNG.
    pub(super) fn textures(&mut self, scene: &SceneModel) -> Result<Pictures, SceneError> {
        let (mut images, mut samplers, mut textures) = (Vec::new(), Vec::new(), Vec::new());
        for (index, texture) in scene.textures.iter().enumerate() {
            let pixels: Vec<u8> = texture.pixels.iter().flatten().copied().collect();
            let image =
                image::RgbaImage::from_raw(texture.width, texture.height, pixels).ok_or_else(|| {
                    fault(format!("texture {index} has another number of pixels than its size says"))
                })?;
            let image = image::DynamicImage::ImageRgba8(image);
            let opaque = texture.pixels.iter().all(|pixel| pixel[3] == 255);
            let gray = texture.pixels.iter().all(|pixel| pixel[0] == pixel[1] && pixel[1] == pixel[2]);
            // As few channels as hold the same picture.
            let image = match (opaque, gray) {
                (true, true) => image::DynamicImage::ImageLuma8(image.to_luma8()),
                (true, false) => image::DynamicImage::ImageRgb8(image.to_rgb8()),
                _ => image,
            };
            let mut png = Cursor::new(Vec::new());
            image
                .write_to(&mut png, image::ImageFormat::Png)
                .map_err(|error| fault(format!("texture {index} cannot be encoded ({error})")))?;
            let view = self.view(&png.into_inner());
            images.push(json!({"bufferView": view, "mimeType": "image/png"}));
            samplers.push(json!({"wrapS": wrap(texture.wrap[0]), "wrapT": wrap(texture.wrap[1])}));
            textures.push(json!({"source": index, "sampler": index}));
        }
        Ok((images, samplers, textures))
    }

    pub(super) fn view(&mut self, bytes: &[u8]) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.push(json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len()}));
        self.bytes.extend(bytes);
        self.views.len() - 1
    }

    fn accessor(&mut self, bytes: &[u8], mut rest: Value) -> usize {
        rest["bufferView"] = json!(self.view(bytes));
        self.accessors.push(rest);
        self.accessors.len() - 1
    }

    fn mesh(&mut self, mesh: &crate::Mesh, material: u32) -> Value {
        let count = mesh.positions.len();
        let floats =
            |values: Vec<f32>| values.into_iter().flat_map(f32::to_le_bytes).collect::<Vec<u8>>();
        let bounds = Aabb::from_points(mesh.positions.iter().copied());
        let position = floats(mesh.positions.iter().flat_map(|p| p.to_array()).collect());
        let mut attributes = json!({"POSITION": self.accessor(&position, json!({
            "componentType": 5126, "count": count, "type": "VEC3",
            "min": bounds.min.to_array(), "max": bounds.max.to_array(),
        }))});
        if !mesh.uvs.is_empty() {
            let uvs = floats(mesh.uvs.iter().flat_map(|uv| uv.to_array()).collect());
            let rest = json!({"componentType": 5126, "count": count, "type": "VEC2"});
            attributes["TEXCOORD_0"] = json!(self.accessor(&uvs, rest));
        }
        if !mesh.colors.is_empty() {
            let colors: Vec<u8> = mesh.colors.iter().flatten().copied().collect();
            let rest =
                json!({"componentType": 5121, "normalized": true, "count": count, "type": "VEC4"});
            attributes["COLOR_0"] = json!(self.accessor(&colors, rest));
        }
        let corners: Vec<u8> =
            mesh.triangles.iter().flatten().flat_map(|corner| corner.to_le_bytes()).collect();
        let rest = json!({"componentType": 5125, "count": 3 * mesh.triangles.len(), "type": "SCALAR"});
        let indices = self.accessor(&corners, rest);
        json!({"name": mesh.name, "primitives": [
            {"attributes": attributes, "indices": indices, "material": material},
        ]})
    }
}

pub(super) fn material(material: &crate::Material) -> Value {
    let mut looks = json!({"baseColorFactor": material.base_color, "metallicFactor": 0.0});
    if let Some(texture) = material.texture {
        looks["baseColorTexture"] = json!({"index": texture});
    }
    let mut out = json!({
        "name": material.name, "pbrMetallicRoughness": looks, "doubleSided": material.double_sided,
    });
    if let Some(cutoff) = material.alpha_cutoff {
        out["alphaMode"] = json!("MASK");
        out["alphaCutoff"] = json!(cutoff);
    }
    out
}

fn columns(map: &Affine) -> Vec<f32> {
    let [x, y, z] = map.matrix.to_cols_array_2d();
    [(x, 0.0), (y, 0.0), (z, 0.0), (map.translation.to_array(), 1.0)]
        .into_iter()
        .flat_map(|([a, b, c], w)| [a, b, c, w])
        .collect()
}

pub(super) fn wrap(mode: Wrap) -> u32 {
    match mode {
        Wrap::Repeat => 10_497,
        Wrap::Clamp => 33_071,
        Wrap::Mirror => 33_648,
    }
}

pub(super) fn container(root: &Value, mut binary: Vec<u8>) -> Result<Vec<u8>, SceneError> {
    let mut json = root.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    binary.resize(binary.len().next_multiple_of(4), 0);
    let length = 28 + json.len() + binary.len();
    let length = u32::try_from(length)
        .map_err(|_| fault(format!("the file would have {length} bytes, more than 4 GiB")))?;
    let mut out = Vec::with_capacity(length as usize);
    for word in [0x4654_6C67, 2, length, json.len() as u32, 0x4E4F_534A] {
        out.extend(u32::to_le_bytes(word));
    }
    out.extend(json);
    for word in [binary.len() as u32, 0x004E_4942] {
        out.extend(u32::to_le_bytes(word));
    }
    out.extend(binary);
    Ok(out)
}
