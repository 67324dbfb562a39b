use super::body::Body;
use super::header::Element;
use super::labels;
use crate::files::Context;
use crate::{Array, Material, Mesh, Placement, SceneError, SceneModel, assemble};
use ambler_geometry::{Place, Vec2};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Polygons as the file holds them, one after the other.
#[derive(Default)]
pub(super) struct Faces {
    corners: Vec<u32>,
    /// End of each face in `corners`.
    ends: Vec<u32>,
    ids: Vec<i64>,
    labels: Vec<i64>,
    /// Two numbers a corner; empty without.
    texcoords: Vec<Vec2>,
    textures: Vec<u32>,
}

/// What came out of the polygons, one entry a triangle of the mesh.
#[derive(Default)]
pub(super) struct Triangulated {
    /// Object ids in the source; empty without.
    pub(super) ids: Vec<i64>,
    /// Labels in the source; empty without.
    pub(super) labels: Vec<i64>,
    /// Which texture; empty where there is one.
    pub(super) textures: Vec<u32>,
}

pub(super) fn read(body: &mut Body<'_>, element: &Element) -> Result<Faces, SceneError> {
    let corners = element
        .find(&["vertex_indices", "vertex_index"])
        .filter(|&index| element.properties.get(index).is_some_and(|p| p.count.is_some()))
        .ok_or_else(|| body.fault("faces have no list 'vertex_indices'"))?;
    let is_scalar = |index: &usize| element.properties.get(*index).is_some_and(|p| p.count.is_none());
    let id = element.find(labels::ID_NAMES).filter(is_scalar);
    let label = element.find(labels::LABEL_NAMES).filter(is_scalar);
    let texture = element.find(&["texnumber"]).filter(is_scalar);
    let texcoord = element.find(&["texcoord"]).filter(|index| !is_scalar(index));
    let mut faces = Faces::default();
    let count = usize::try_from(element.count).map_err(|_| body.fault("too many faces"))?;
    faces.ends.reserve_exact(count);
    faces.corners.reserve(count.saturating_mul(3));
    for _ in 0..count {
        let first = faces.corners.len();
        let mut texcoords: Vec<Vec2> = Vec::new();
        for (index, property) in element.properties.iter().enumerate() {
            let Some(length_type) = property.count else {
                let value = body.scalar(property.scalar)?;
                if Some(index) == id {
                    faces.ids.push(labels::id(value));
                } else if Some(index) == label {
                    faces.labels.push(labels::id(value));
                } else if Some(index) == texture {
                    faces.textures.push(value as u32);
                }
                continue;
            };
            let length = body.list_length(length_type, property.scalar)?;
            if Some(index) == texcoord {
                for _ in 0..length / 2 {
                    let u = body.scalar(property.scalar)?;
                    let v = body.scalar(property.scalar)?;
                    texcoords.push(super::texture_coordinate(u, v));
                }
                if length % 2 == 1 {
                    body.scalar(property.scalar)?;
                }
                continue;
            }
            for _ in 0..length {
                let value = body.scalar(property.scalar)?;
                if index == corners {
                    if value < 0.0 || value.fract() != 0.0 || value > f64::from(u32::MAX) {
                        return Err(body.fault(format!("a face refers to vertex {value}")));
                    }
                    faces.corners.push(value as u32);
                }
            }
        }
        if texcoord.is_some() {
            // A face may leave its coordinates out.
            texcoords.resize(faces.corners.len() - first, Vec2::ZERO);
            faces.texcoords.extend(texcoords);
        }
        let end = u32::try_from(faces.corners.len()).map_err(|_| body.fault("more than 2³² corners"))?;
        faces.ends.push(end);
    }
    Ok(faces)
}

impl Faces {
    /// Fans of triangles, each with its face's ids. Corners with their own texture coordinates split
    /// vertices that need it.
    pub(super) fn triangulate(
        mut self,
        mesh: &mut Mesh,
        vertex_ids: &[i64],
        path: &Path,
        context: &mut Context,
    ) -> Result<Triangulated, SceneError> {
        let count = mesh.positions.len();
        if let Some((index, corner)) =
            self.corners.iter().enumerate().find(|(_, c)| **c as usize >= count)
        {
            let face = self.ends.partition_point(|&end| end as usize <= index);
            return Err(SceneError::malformed(
                path,
                Place::Pointer(format!("face {face}")),
                format!("refers to vertex {corner}, but there are {count}"),
                "export the PLY file again",
            ));
        }
        let triangles: u64 = self.sizes().map(|size| size.saturating_sub(2) as u64).sum();
        context.spend_mesh(path, Place::Whole, 0, triangles)?;
        let originals: Vec<u32> = if vertex_ids.is_empty() { Vec::new() } else { self.corners.clone() };
        if !self.texcoords.is_empty() {
            self.split_vertices(mesh, path, context)?;
        }
        let mut out = Triangulated::default();
        let mut start = 0_usize;
        let mut small = 0_usize;
        let mut degenerate = 0_usize;
        for (face, &end) in self.ends.iter().enumerate() {
            let range = start..end as usize;
            start = end as usize;
            let corners = self.corners.get(range.clone()).unwrap_or(&[]);
            let [first, rest @ ..] = corners else {
                small += 1;
                continue;
            };
            small += usize::from(rest.len() < 2);
            let id = match self.ids.get(face) {
                Some(&id) => Some(id),
                None if !vertex_ids.is_empty() => {
                    Some(labels::majority(originals.get(range).unwrap_or(&[]), vertex_ids))
                }
                None => None,
            };
            for pair in rest.windows(2) {
                let &[second, third] = pair else { continue };
                let triangle = [*first, second, third];
                degenerate += usize::from(assemble::is_degenerate(&mesh.positions, triangle));
                mesh.triangles.push(triangle);
                out.ids.extend(id);
                out.labels.extend(self.labels.get(face));
                out.textures.extend(self.textures.get(face));
            }
        }
        if small > 0 {
            context.note(format!(
                "{}: {small} faces with fewer than three corners are left out",
                assemble::file_name(path)
            ));
        }
        assemble::note_degenerate(context, path, degenerate);
        Ok(out)
    }

    fn sizes(&self) -> impl Iterator<Item = usize> + '_ {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| end.saturating_sub(start) as usize)
    }

    /// One vertex for each (vertex, texture coordinate) pair; the first keeps the vertex's place.
    fn split_vertices(
        &mut self,
        mesh: &mut Mesh,
        path: &Path,
        context: &mut Context,
    ) -> Result<(), SceneError> {
        let count = mesh.positions.len();
        mesh.uvs = vec![Vec2::ZERO; count].into();
        let mut used = vec![false; count];
        let mut copies: BTreeMap<(u32, u32, u32), u32> = BTreeMap::new();
        for (corner, uv) in self.corners.iter_mut().zip(&self.texcoords) {
            let index = *corner as usize;
            let key = (*corner, uv.x.to_bits(), uv.y.to_bits());
            if let Some(&copy) = copies.get(&key) {
                *corner = copy;
                continue;
            }
            let (Some(seen), Some(own)) = (used.get_mut(index), mesh.uvs.get_mut(index)) else {
                continue;
            };
            if *seen {
                context.spend_mesh(path, Place::Whole, 1, 0)?;
                *corner = mesh.positions.len() as u32;
                mesh.positions.extend_from_within(index..=index);
                mesh.uvs.push(*uv);
                if !mesh.colors.is_empty() {
                    mesh.colors.extend_from_within(index..=index);
                }
            } else {
                *seen = true;
                *own = *uv;
            }
            copies.insert(key, *corner);
        }
        Ok(())
    }
}

/// Cuts the one mesh of `model` into one a texture, where faces choose among several. All parts keep
/// the vertices, which are copied.
pub(super) fn split_by_texture(model: &mut SceneModel, chosen: &[u32]) {
    let Some(whole) = model.meshes.pop() else { return };
    let Some(placement) = model.placements.pop() else { return };
    model.materials.clear();
    let textures = model.textures.len() as u32;
    let texture_of = |index: usize| chosen.get(index).copied().filter(|&t| t < textures).unwrap_or(0);
    for texture in 0..textures {
        let mut part =
            Mesh { triangles: Array::new(), triangle_instances: Array::new(), ..Mesh::clone(&whole) };
        for (index, &triangle) in whole.triangles.iter().enumerate() {
            if texture_of(index) == texture {
                part.triangles.push(triangle);
                part.triangle_instances.extend(whole.triangle_instances.get(index));
            }
        }
        assemble::drop_unused_vertices(&mut part);
        model.materials.push(Material { texture: Some(texture), ..Material::default() });
        model.placements.push(Placement { mesh: texture, material: texture, ..placement.clone() });
        model.meshes.push(Arc::new(part));
    }
}
