use crate::{SceneError, SceneModel};
use ambler_geometry::{Vec2, Vec3};
use std::path::Path;

/// What [`write()`] stores. Empty lists are left out; others are as long as the positions or the
/// triangles.
#[derive(Clone, Debug, Default)]
pub struct PlyMesh {
    /// Vertex positions in metres.
    pub positions: Vec<Vec3>,
    /// Texture coordinates, (0, 0) = the upper left; turned round in the file.
    pub uvs: Vec<Vec2>,
    /// Vertex colours; alpha is not stored.
    pub colors: Vec<[u8; 4]>,
    /// Vertex indices.
    pub triangles: Vec<[u32; 3]>,
    /// `object_id` for each triangle, −1 for none.
    pub ids: Vec<i32>,
    /// `label` for each triangle, an index into `label_names`.
    pub labels: Vec<i32>,
    /// Names of the labels, written as a comment.
    pub label_names: Vec<String>,
    /// Further comments, one a line.
    pub comments: Vec<String>,
}

impl PlyMesh {
    /// A whole scene as one mesh in the world: vertex colours, instance ids (0 = none) and categories
    /// as labels. Textures are left out.
    pub fn from_scene(scene: &SceneModel) -> Self {
        let (positions, triangles) = scene.world_triangles();
        let mut out = Self { positions, triangles, ..Self::default() };
        let colored = scene.meshes.iter().any(|mesh| !mesh.colors.is_empty());
        for placement in &scene.placements {
            let Some(mesh) = scene.meshes.get(placement.mesh as usize) else { continue };
            if colored {
                let colors =
                    (0..mesh.positions.len()).map(|i| mesh.colors.get(i).copied().unwrap_or([255; 4]));
                out.colors.extend(colors);
            }
            if scene.instances.is_empty() {
                continue;
            }
            for triangle in 0..mesh.triangles.len() {
                let own = mesh.triangle_instances.get(triangle).copied();
                let id =
                    own.filter(|_| !mesh.triangle_instances.is_empty()).unwrap_or(placement.instance);
                out.ids.push(i32::try_from(id).unwrap_or(0));
                out.labels.push(scene.instance(id).map_or(0, |instance| instance.category as i32));
            }
        }
        if !scene.instances.is_empty() {
            out.label_names.clone_from(&scene.categories);
        }
        out
    }
}

/// The mesh as a binary little-endian PLY file.
pub fn to_bytes(mesh: &PlyMesh) -> Vec<u8> {
    let vertices = mesh.positions.len();
    let faces = mesh.triangles.len();
    let with_uvs = mesh.uvs.len() == vertices && vertices > 0;
    let with_colors = mesh.colors.len() == vertices && vertices > 0;
    let with_ids = mesh.ids.len() == faces && faces > 0;
    let with_labels = mesh.labels.len() == faces && faces > 0;
    let mut header = String::from("ply\nformat binary_little_endian 1.0\n");
    let one_line = |text: &str| text.replace(['\n', '\r'], " ");
    for comment in &mesh.comments {
        header += &format!("comment {}\n", one_line(comment));
    }
    if !mesh.label_names.is_empty() {
        let names: Vec<String> = mesh
            .label_names
            .iter()
            .enumerate()
            .map(|(index, name)| format!("{index}={}", one_line(name).replace(',', " ")))
            .collect();
        header += &format!("comment label index: {}\n", names.join(","));
    }
    header +=
        &format!("element vertex {vertices}\nproperty float x\nproperty float y\nproperty float z\n");
    if with_colors {
        header += "property uchar red\nproperty uchar green\nproperty uchar blue\n";
    }
    if with_uvs {
        header += "property float u\nproperty float v\n";
    }
    header += &format!("element face {faces}\nproperty list uchar int vertex_indices\n");
    if with_labels {
        header += "property int label\n";
    }
    if with_ids {
        header += "property int object_id\n";
    }
    header += "end_header\n";
    let mut out = header.into_bytes();
    for (index, position) in mesh.positions.iter().enumerate() {
        for value in position.to_array() {
            out.extend(value.to_le_bytes());
        }
        if let Some([red, green, blue, _]) = mesh.colors.get(index).filter(|_| with_colors) {
            out.extend([red, green, blue]);
        }
        if let Some(uv) = mesh.uvs.get(index).filter(|_| with_uvs) {
            out.extend(uv.x.to_le_bytes());
            out.extend((1.0 - uv.y).to_le_bytes());
        }
    }
    for (index, triangle) in mesh.triangles.iter().enumerate() {
        out.push(3);
        for corner in triangle {
            out.extend(corner.to_le_bytes());
        }
        if let Some(label) = mesh.labels.get(index).filter(|_| with_labels) {
            out.extend(label.to_le_bytes());
        }
        if let Some(id) = mesh.ids.get(index).filter(|_| with_ids) {
            out.extend(id.to_le_bytes());
        }
    }
    out
}

/// Writes the mesh as a binary little-endian PLY file.
///
/// # Errors
/// [`SceneError::File`] where the file cannot be written.
pub fn write(path: &Path, mesh: &PlyMesh) -> Result<(), SceneError> {
    std::fs::write(path, to_bytes(mesh)).map_err(|error| {
        SceneError::file(path, format!("cannot be written ({error})"), "check the folder")
    })
}
