//! PLY: ASCII and both binary orders; vertex colours, texture coordinates, object ids and labels.
//!
//! What is read, by property name:
//! - `vertex`: `x y z`; `red green blue [alpha]` (also `diffuse_red` …) as integers or as floats 0..1;
//!   `u v`, `s t` or `texture_u texture_v`; an object id (below), which a face takes from the majority
//!   of its corners, or from its first where all differ.
//! - `face`: `vertex_indices` or `vertex_index`, polygons of any size (cut into fans);
//!   an object id: `object_id`, `instance_id`, `objectId`, `instance`, `face_segment` (Matterport3D);
//!   a label: `label`, `category_id`, `category`, `class_id`, `face_category` (Matterport3D);
//!   `texcoord` with two numbers a corner (MeshLab).
//! - comments: `TextureFile NAME` (an image beside the file) and
//!   `label index: 0=unlabelled,1=CEILING,…` (names of labels).
//!
//! **Texture coordinates**: PLY itself says nothing; MeshLab, Open3D and most exporters put v = 0 at
//! the lower edge of the image, so v is turned round here.
//!
//! **Object ids**: a negative id means "none". Where a file holds a negative id, 0 is a thing like any
//! other and ids in instance images are the source's plus one; else 0 means "none" and ids stay as
//! they are. A file with labels but without object ids gets one instance a label.

mod body;
mod faces;
mod header;
mod labels;
mod write;

pub use write::{PlyMesh, to_bytes, write};

use crate::files::Context;
use crate::{Material, Mesh, Placement, ReadOptions, SceneError, SceneModel, assemble, pixels};
use ambler_geometry::{Affine, Place, Vec2, Vec3};
use body::Body;
use header::{Element, Header};
use std::path::Path;
use std::sync::Arc;

/// Each texture makes a mesh of its own out of the one in the file.
const MAX_TEXTURES: usize = 256;

/// Reads a PLY file from memory. `path` is for messages and to find a texture beside it.
///
/// # Errors
/// [`SceneError`] with the line (header, ASCII) or byte (binary).
pub fn parse(bytes: &[u8], path: &Path, options: &ReadOptions) -> Result<SceneModel, SceneError> {
    let mut context = Context::new(path, options);
    context.add_content(bytes);
    let model = parse_in(bytes, path, &mut context)?;
    Ok(assemble::finish(model, path, &mut context))
}

pub(crate) fn parse_in(
    bytes: &[u8],
    path: &Path,
    context: &mut Context,
) -> Result<SceneModel, SceneError> {
    let header = header::parse(bytes, path)?;
    let mut body = Body::new(bytes, path, &header);
    let mut vertices = None;
    let mut faces = None;
    for element in &header.elements {
        match element.name.as_str() {
            "vertex" if vertices.is_none() => {
                context.spend_mesh(path, Place::Line(element.line), element.count, 0)?;
                vertices = Some(read_vertices(&mut body, element)?);
            }
            "face" if faces.is_none() => faces = Some(faces::read(&mut body, element)?),
            _ => skip(&mut body, element)?,
        }
    }
    let Some(vertices) = vertices else {
        return Err(SceneError::malformed(
            path,
            Place::Whole,
            "the file has no element 'vertex'",
            "export it again",
        ));
    };
    let Some(faces) = faces else {
        return Err(SceneError::unsupported(
            path,
            Place::Whole,
            "the file has no element 'face': a point cloud is no scene",
            "mesh the points first (for example with MeshLab or Open3D)",
        ));
    };
    build(vertices, faces, &header, path, context)
}

fn skip(body: &mut Body<'_>, element: &Element) -> Result<(), SceneError> {
    if element.properties.is_empty() {
        return Ok(());
    }
    for _ in 0..element.count {
        for property in &element.properties {
            let length = match property.count {
                Some(count) => body.list_length(count, property.scalar)?,
                None => 1,
            };
            for _ in 0..length {
                body.scalar(property.scalar)?;
            }
        }
    }
    Ok(())
}

#[derive(Default)]
struct Vertices {
    positions: Vec<Vec3>,
    uvs: Vec<Vec2>,
    colors: Vec<[u8; 4]>,
    ids: Vec<i64>,
}

fn read_vertices(body: &mut Body<'_>, element: &Element) -> Result<Vertices, SceneError> {
    let mut axes = [0; 3];
    for (axis, name) in axes.iter_mut().zip(["x", "y", "z"]) {
        *axis = element
            .find(&[name])
            .ok_or_else(|| body.fault(format!("vertices have no property '{name}'")))?;
    }
    let color = ["red", "green", "blue"]
        .map(|name| element.find(&[name, &format!("diffuse_{name}"), name.get(..1).unwrap_or(name)]));
    let alpha = element.find(&["alpha", "a"]);
    let uv = [("u", "v"), ("s", "t"), ("texture_u", "texture_v")]
        .into_iter()
        .find_map(|(u, v)| Some((element.find(&[u])?, element.find(&[v])?)));
    let id = element.find(labels::ID_NAMES);
    let has_color = color.iter().all(Option::is_some);
    let count = usize::try_from(element.count).map_err(|_| body.fault("too many vertices"))?;
    let mut vertices = Vertices { positions: Vec::with_capacity(count), ..Vertices::default() };
    let mut record = vec![0.0_f64; element.properties.len()];
    for index in 0..count {
        let place = body.place();
        for (value, property) in record.iter_mut().zip(&element.properties) {
            match property.count {
                None => *value = body.scalar(property.scalar)?,
                Some(length) => {
                    for _ in 0..body.list_length(length, property.scalar)? {
                        body.scalar(property.scalar)?;
                    }
                }
            }
        }
        let get = |index: usize| record.get(index).copied().unwrap_or(0.0);
        let position = Vec3::from_array(axes.map(|axis| get(axis) as f32));
        if !position.is_finite() {
            return Err(SceneError::malformed(
                body.path(),
                place,
                format!("vertex {index} has a coordinate that is not a finite number"),
                "remove the vertex and the faces that use it",
            ));
        }
        vertices.positions.push(position);
        if let Some((u, v)) = uv {
            vertices.uvs.push(texture_coordinate(get(u), get(v)));
        }
        if has_color {
            let byte = |property: Option<usize>| {
                property.map_or(255, |p| color_byte(get(p), element.properties.get(p).map(|p| p.scalar)))
            };
            vertices.colors.push([byte(color[0]), byte(color[1]), byte(color[2]), byte(alpha)]);
        }
        if let Some(id) = id {
            vertices.ids.push(labels::id(get(id)));
        }
    }
    Ok(vertices)
}

/// v counts from the lower edge in the file and from the upper in the model; what is not finite is 0.
fn texture_coordinate(u: f64, v: f64) -> Vec2 {
    let uv = Vec2::new(u as f32, 1.0 - v as f32);
    if uv.is_finite() { uv } else { Vec2::ZERO }
}

/// Floats are 0..1, 16-bit integers 0..65535, all others bytes.
fn color_byte(value: f64, scalar: Option<header::Scalar>) -> u8 {
    let scaled = match scalar {
        Some(scalar) if scalar.is_float() => value * 255.0,
        Some(header::Scalar::U16) => value / 257.0,
        _ => value,
    };
    // Saturates; NaN becomes 0.
    (scaled + 0.5) as u8
}

fn build(
    vertices: Vertices,
    faces: faces::Faces,
    header: &Header,
    path: &Path,
    context: &mut Context,
) -> Result<SceneModel, SceneError> {
    let mut mesh = Mesh {
        positions: vertices.positions.into(),
        uvs: vertices.uvs.into(),
        colors: vertices.colors.into(),
        ..Mesh::default()
    };
    let names = labels::names(&header.comments);
    let mut model = SceneModel { categories: vec![String::new()], ..SceneModel::default() };
    let triangulated = faces.triangulate(&mut mesh, &vertices.ids, path, context)?;
    labels::apply(&mut model, &mut mesh, &triangulated, &names, context);
    let mut material = Material::default();
    let textures: Vec<&str> = header
        .comments
        .iter()
        .filter_map(|comment| comment.strip_prefix("TextureFile"))
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect();
    // Without texture coordinates images are of no use; faces choose among several by `texnumber`.
    let textures = if mesh.uvs.is_empty() { &[] } else { textures.as_slice() };
    if textures.len() > MAX_TEXTURES {
        return Err(SceneError::too_large(
            path,
            Place::Whole,
            format!("the file names {} textures, more than {MAX_TEXTURES}", textures.len()),
            "join the textures into an atlas",
        ));
    }
    for name in textures {
        let (image_path, image) = context.read(path, Place::Whole, name)?;
        let texture = pixels::decode(context, &image_path, Place::Whole, &image)?;
        model.textures.push(Arc::new(texture));
        material.texture = Some(0);
    }
    model.placements.push(Placement {
        mesh: 0,
        material: 0,
        world_from_mesh: Affine::IDENTITY,
        instance: 0,
    });
    model.meshes.push(Arc::new(mesh));
    model.materials.push(material);
    if model.textures.len() > 1 {
        faces::split_by_texture(&mut model, &triangulated.textures);
    }
    Ok(model)
}
