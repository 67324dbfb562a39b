use super::accessor::Accessors;
use super::material::{Coordinates, Materials};
use crate::files::Context;
use crate::{Mesh, SceneError, SceneModel, assemble};
use ::gltf::json::mesh::{Mode, Primitive, Semantic};
use ::gltf::json::validation::Checked;
use ::gltf::json::{Accessor, Index};
use ambler_geometry::{Place, Vec2, Vec3};
use std::sync::Arc;

/// Reads one primitive into the model's mesh pool; `None` for points and lines.
pub(super) fn read<'a>(
    primitive: &Primitive,
    name: &str,
    place: &str,
    accessors: &Accessors<'a>,
    materials: &mut Materials<'a>,
    model: &mut SceneModel,
    context: &mut Context,
    shared: bool,
) -> Result<Option<(u32, u32)>, SceneError> {
    let mode = match primitive.mode {
        Checked::Valid(mode) => mode,
        Checked::Invalid => return Err(accessors.fault(place, "the primitive's mode is unknown")),
    };
    if !matches!(mode, Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan) {
        context.note("points and lines are left out");
        return Ok(None);
    }
    let attribute = |semantic: Semantic| primitive.attributes.get(&Checked::Valid(semantic)).copied();
    let compressed = primitive
        .extensions
        .as_ref()
        .is_some_and(|e| e.others.contains_key("KHR_draco_mesh_compression"));
    let Some(position) = attribute(Semantic::Positions) else {
        context.note("primitives without positions are left out");
        return Ok(None);
    };
    if compressed && accessors.accessor(position, place)?.buffer_view.is_none() {
        return Err(SceneError::unsupported(
            accessors.path,
            Place::Pointer(place.to_owned()),
            "the mesh is compressed with Draco (KHR_draco_mesh_compression)",
            "decompress the file, for example with 'gltf-transform copy'",
        ));
    }
    let (material, coordinates) = materials.get(primitive.material, accessors, model, context, place)?;
    context.spend_mesh(
        accessors.path,
        Place::Pointer(place.to_owned()),
        accessors.count(position, place)?,
        0,
    )?;
    let mut mesh = Mesh { name: name.to_owned(), ..Mesh::default() };
    mesh.positions = positions(position, accessors, &format!("{place}/attributes/POSITION"))?.into();
    if let Some(coordinates) = coordinates
        && let Some(index) = attribute(Semantic::TexCoords(coordinates.set))
    {
        mesh.uvs = uvs(index, coordinates, mesh.positions.len(), accessors, place)?.into();
    }
    if let Some(index) = attribute(Semantic::Colors(0)) {
        mesh.colors = colors(index, mesh.positions.len(), accessors, place)?.into();
    }
    let corners = match primitive.indices {
        Some(index) => Some(accessors.indices(index, &format!("{place}/indices"))?),
        None => None,
    };
    if let Some(corner) = corners.iter().flatten().find(|&&c| c as usize >= mesh.positions.len()) {
        return Err(accessors.fault(
            &format!("{place}/indices"),
            format!("refers to vertex {corner}, but there are {}", mesh.positions.len()),
        ));
    }
    let corner_count = corners.as_ref().map_or(mesh.positions.len(), Vec::len);
    let triangles = match mode {
        Mode::Triangles => corner_count / 3,
        _ => corner_count.saturating_sub(2),
    };
    context.spend_mesh(accessors.path, Place::Pointer(place.to_owned()), 0, triangles as u64)?;
    let corner = |at: usize| match &corners {
        Some(corners) => corners.get(at).copied().unwrap_or(0),
        None => at as u32,
    };
    let mut degenerate = 0;
    mesh.triangles.reserve_exact(triangles);
    for triangle in 0..triangles {
        let at = match mode {
            Mode::Triangles => [3 * triangle, 3 * triangle + 1, 3 * triangle + 2],
            Mode::TriangleFan => [0, triangle + 1, triangle + 2],
            // Every other triangle of a strip runs the other way round.
            _ if triangle % 2 == 1 => [triangle + 1, triangle, triangle + 2],
            _ => [triangle, triangle + 1, triangle + 2],
        };
        let triangle = at.map(corner);
        if assemble::is_degenerate(&mesh.positions, triangle) {
            if mode != Mode::Triangles {
                // Strips are joined by such triangles; they are no part of the surface.
                continue;
            }
            degenerate += 1;
        }
        mesh.triangles.push(triangle);
    }
    assemble::note_degenerate(context, accessors.path, degenerate);
    if shared {
        // One vertex list for many primitives: each keeps what it uses.
        assemble::drop_unused_vertices(&mut mesh);
    }
    let index = model.meshes.len() as u32;
    model.meshes.push(Arc::new(mesh));
    Ok(Some((index, material)))
}

fn positions(
    index: Index<Accessor>,
    accessors: &Accessors<'_>,
    place: &str,
) -> Result<Vec<Vec3>, SceneError> {
    let numbers = accessors.floats(index, false, place)?;
    if numbers.width != 3 {
        return Err(accessors.fault(place, "positions must have three components"));
    }
    let positions: Vec<Vec3> = numbers.values.chunks_exact(3).map(Vec3::from_slice).collect();
    match positions.iter().position(|position| !position.is_finite()) {
        Some(vertex) => Err(accessors
            .fault(place, format!("vertex {vertex} has a coordinate that is not a finite number"))),
        None => Ok(positions),
    }
}

fn uvs(
    index: Index<Accessor>,
    coordinates: Coordinates,
    vertices: usize,
    accessors: &Accessors<'_>,
    place: &str,
) -> Result<Vec<Vec2>, SceneError> {
    let place = format!("{place}/attributes/TEXCOORD_{}", coordinates.set);
    let numbers = accessors.floats(index, false, &place)?;
    if numbers.width != 2 || numbers.values.len() / 2 != vertices {
        return Err(accessors.fault(&place, "texture coordinates must be pairs, one a vertex"));
    }
    let finite = |uv: Vec2| if uv.is_finite() { uv } else { Vec2::ZERO };
    Ok(numbers
        .values
        .chunks_exact(2)
        .map(|pair| coordinates.apply(finite(Vec2::from_slice(pair))))
        .collect())
}

/// Vertex colours, taken as they are: glTF calls them linear, but scanners and converters store what
/// the camera saw, and Habitat passes them straight through.
fn colors(
    index: Index<Accessor>,
    vertices: usize,
    accessors: &Accessors<'_>,
    place: &str,
) -> Result<Vec<[u8; 4]>, SceneError> {
    let place = format!("{place}/attributes/COLOR_0");
    let numbers = accessors.floats(index, true, &place)?;
    if !matches!(numbers.width, 3 | 4) || numbers.values.len() / numbers.width != vertices {
        return Err(accessors.fault(&place, "colours must have three or four components, one a vertex"));
    }
    // Saturates; NaN becomes 0.
    let byte = |value: f32| (value * 255.0 + 0.5) as u8;
    Ok(numbers
        .values
        .chunks_exact(numbers.width)
        .map(|c| match *c {
            [r, g, b] => [byte(r), byte(g), byte(b), 255],
            [r, g, b, a] => [byte(r), byte(g), byte(b), byte(a)],
            _ => [255; 4],
        })
        .collect())
}
