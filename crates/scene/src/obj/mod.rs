//! Wavefront OBJ with MTL.
//!
//! Read: `v` (with `r g b` after it), `vt`, `f` (polygons, negative indices), `o`, `g`, `usemtl`,
//! `mtllib`; of a material `Kd`, `map_Kd`, `d`, `Tr`. Normals, lines, points and free-form surfaces
//! are not used. One mesh for each pair of name and material; vertices that no face uses are left out.
//!
//! OBJ puts v = 0 at the lower edge of the image; it is turned round here. `Kd` is ignored where there
//! is a `map_Kd`: exporters write any colour there.

mod mtl;

use crate::files::{Context, shorten};
use crate::{Material, Mesh, Placement, ReadOptions, SceneError, SceneModel, assemble};
use ambler_geometry::{Affine, Place, Vec2, Vec3};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Reads an OBJ file from memory. `path` is for messages and to find materials and textures.
///
/// # Errors
/// [`SceneError`] with the line.
pub fn parse(bytes: &[u8], path: &Path, options: &ReadOptions) -> Result<SceneModel, SceneError> {
    let mut context = Context::new(path, options);
    context.add_content(bytes);
    let (model, _) = parse_in(bytes, path, &mut context)?;
    Ok(assemble::finish(model, path, &mut context))
}

/// Reads an MTL file from memory; the textures it names are read from its folder.
///
/// # Errors
/// [`SceneError`] with the line.
pub fn parse_mtl(bytes: &[u8], path: &Path, options: &ReadOptions) -> Result<Vec<Material>, SceneError> {
    let mut context = Context::new(path, options);
    let mut model = SceneModel::default();
    Ok(mtl::parse(bytes, path, &mut context, &mut model)?.into_values().collect())
}

/// A vertex as faces name it: position and texture coordinate (none = `u32::MAX`).
type Corner = (u32, u32);

#[derive(Default)]
struct Part {
    mesh: Mesh,
    known: BTreeMap<Corner, u32>,
    with_uvs: bool,
}

struct Reader<'a> {
    path: &'a Path,
    line: u64,
    positions: Vec<Vec3>,
    colors: Vec<[u8; 4]>,
    uvs: Vec<Vec2>,
    /// By name and material name, in order of appearance.
    order: BTreeMap<(String, String), usize>,
    parts: Vec<((String, String), Part)>,
    name: String,
    material: String,
    degenerate: usize,
    small: usize,
}

/// The model, and for each placement the name of its object or group.
pub(crate) fn parse_in(
    bytes: &[u8],
    path: &Path,
    context: &mut Context,
) -> Result<(SceneModel, Vec<String>), SceneError> {
    let mut model = SceneModel { categories: vec![String::new()], ..SceneModel::default() };
    let mut materials: BTreeMap<String, Material> = BTreeMap::new();
    let mut reader = Reader {
        path,
        line: 0,
        positions: Vec::new(),
        colors: Vec::new(),
        uvs: Vec::new(),
        order: BTreeMap::new(),
        parts: Vec::new(),
        name: String::new(),
        material: String::new(),
        degenerate: 0,
        small: 0,
    };
    for (number, text) in logical_lines(bytes) {
        reader.line = number;
        let text = String::from_utf8_lossy(&text);
        let text = text.split('#').next().unwrap_or("").trim();
        let (keyword, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        match keyword {
            "v" => reader.vertex(rest, context)?,
            "vt" => reader.texture_coordinate(rest)?,
            "f" => reader.face(rest, context)?,
            "o" | "g" => reader.name = rest.to_owned(),
            "usemtl" => reader.material = rest.to_owned(),
            "mtllib" => {
                if let Some((mtl_path, mtl_bytes)) = context.read_if_there(path, rest)? {
                    materials.extend(mtl::parse(&mtl_bytes, &mtl_path, context, &mut model)?);
                } else {
                    context.note(format!("the material library '{}' is not there", shorten(rest)));
                }
            }
            "l" | "p" => context.note("points and lines are left out"),
            "curv" | "curv2" | "surf" => context.note("free-form curves and surfaces are left out"),
            _ => {}
        }
    }
    reader.finish(model, &materials, context)
}

/// Lines by number, those ended by a backslash joined.
fn logical_lines(bytes: &[u8]) -> impl Iterator<Item = (u64, std::borrow::Cow<'_, [u8]>)> {
    let mut lines = bytes.split(|&byte| byte == b'\n').enumerate();
    std::iter::from_fn(move || {
        let (index, line) = lines.next()?;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let Some(start) = line.strip_suffix(b"\\") else {
            return Some((index as u64 + 1, std::borrow::Cow::Borrowed(line)));
        };
        let mut joined = start.to_vec();
        for (_, next) in lines.by_ref() {
            let next = next.strip_suffix(b"\r").unwrap_or(next);
            joined.push(b' ');
            match next.strip_suffix(b"\\") {
                Some(start) => joined.extend(start),
                None => {
                    joined.extend(next);
                    break;
                }
            }
        }
        Some((index as u64 + 1, std::borrow::Cow::Owned(joined)))
    })
}

impl Reader<'_> {
    fn fault(&self, what: impl Into<String>) -> SceneError {
        SceneError::malformed(self.path, Place::Line(self.line), what, "export the OBJ file again")
    }

    fn numbers(&self, text: &str) -> Result<Vec<f32>, SceneError> {
        text.split_whitespace()
            .take(8)
            .map(|word| {
                word.parse::<f32>()
                    .map_err(|_| self.fault(format!("'{}' is not a number", shorten(word))))
            })
            .collect()
    }

    fn vertex(&mut self, text: &str, context: &mut Context) -> Result<(), SceneError> {
        let numbers = self.numbers(text)?;
        let &[x, y, z, ref rest @ ..] = numbers.as_slice() else {
            return Err(self.fault("a vertex has fewer than three coordinates"));
        };
        let position = Vec3::new(x, y, z);
        if !position.is_finite() {
            return Err(self.fault("a coordinate is not a finite number"));
        }
        context.spend_mesh(self.path, Place::Line(self.line), 1, 0)?;
        // x y z r g b, or x y z w r g b.
        let color = match *rest {
            [r, g, b] | [_, r, g, b, ..] => Some([r, g, b]),
            _ => None,
        };
        if let Some(color) = color {
            self.colors.resize(self.positions.len(), [255; 4]);
            let [r, g, b] = color.map(|part| (part * 255.0 + 0.5) as u8);
            self.colors.push([r, g, b, 255]);
        }
        self.positions.push(position);
        Ok(())
    }

    fn texture_coordinate(&mut self, text: &str) -> Result<(), SceneError> {
        let numbers = self.numbers(text)?;
        let u = numbers.first().copied().filter(|u| u.is_finite()).unwrap_or(0.0);
        let v = numbers.get(1).copied().filter(|v| v.is_finite()).unwrap_or(0.0);
        self.uvs.push(Vec2::new(u, 1.0 - v));
        Ok(())
    }

    /// From 1, or from the end where negative.
    fn index(&self, word: &str, count: usize, what: &str) -> Result<u32, SceneError> {
        let number = word
            .parse::<i64>()
            .map_err(|_| self.fault(format!("'{}' is not an index of a {what}", shorten(word))))?;
        let index = if number < 0 { number.saturating_add(count as i64) } else { number - 1 };
        if index < 0 || index >= count as i64 {
            return Err(self
                .fault(format!("a face refers to {what} {number}, but there are {count} up to here")));
        }
        u32::try_from(index).map_err(|_| self.fault(format!("more than 2³² of {what}")))
    }

    fn face(&mut self, text: &str, context: &mut Context) -> Result<(), SceneError> {
        let mut corners: Vec<Corner> = Vec::new();
        for word in text.split_whitespace() {
            let mut parts = word.split('/');
            let position = self.index(parts.next().unwrap_or(""), self.positions.len(), "vertex")?;
            let uv = match parts.next() {
                Some(uv) if !uv.is_empty() => self.index(uv, self.uvs.len(), "texture coordinate")?,
                _ => u32::MAX,
            };
            corners.push((position, uv));
        }
        let [first, rest @ ..] = corners.as_slice() else {
            self.small += 1;
            return Ok(());
        };
        if rest.len() < 2 {
            self.small += 1;
            return Ok(());
        }
        context.spend_mesh(
            self.path,
            Place::Line(self.line),
            corners.len() as u64,
            rest.len() as u64 - 1,
        )?;
        let slot = self.part();
        let Some((_, part)) = self.parts.get_mut(slot) else { return Ok(()) };
        let has_colors = !self.colors.is_empty();
        let mut vertex = |corner: &Corner| -> u32 {
            if let Some(&known) = part.known.get(corner) {
                return known;
            }
            let index = part.mesh.positions.len() as u32;
            let at = corner.0 as usize;
            part.mesh.positions.push(self.positions.get(at).copied().unwrap_or_default());
            part.mesh.uvs.push(self.uvs.get(corner.1 as usize).copied().unwrap_or_default());
            part.with_uvs |= corner.1 != u32::MAX;
            if has_colors {
                part.mesh.colors.resize(index as usize, [255; 4]);
                part.mesh.colors.push(self.colors.get(at).copied().unwrap_or([255; 4]));
            }
            part.known.insert(*corner, index);
            index
        };
        let first = vertex(first);
        let rest: Vec<u32> = rest.iter().map(&mut vertex).collect();
        for pair in rest.windows(2) {
            let &[second, third] = pair else { continue };
            let triangle = [first, second, third];
            self.degenerate += usize::from(assemble::is_degenerate(&part.mesh.positions, triangle));
            part.mesh.triangles.push(triangle);
        }
        Ok(())
    }

    fn part(&mut self) -> usize {
        let key = (self.name.clone(), self.material.clone());
        if let Some(&index) = self.order.get(&key) {
            return index;
        }
        let index = self.parts.len();
        self.order.insert(key.clone(), index);
        self.parts.push((key, Part::default()));
        index
    }

    fn finish(
        self,
        mut model: SceneModel,
        materials: &BTreeMap<String, Material>,
        context: &mut Context,
    ) -> Result<(SceneModel, Vec<String>), SceneError> {
        let mut names = Vec::new();
        let mut pool: BTreeMap<String, u32> = BTreeMap::new();
        for ((name, material_name), part) in self.parts {
            let mut mesh = part.mesh;
            mesh.name.clone_from(&name);
            if !part.with_uvs {
                mesh.uvs.clear();
            }
            if !mesh.colors.is_empty() {
                mesh.colors.resize(mesh.positions.len(), [255; 4]);
            }
            let material = *pool.entry(material_name.clone()).or_insert_with(|| {
                let material = materials.get(&material_name).cloned().unwrap_or_else(|| {
                    if !material_name.is_empty() {
                        context
                            .note(format!("the material '{}' is not defined", shorten(&material_name)));
                    }
                    Material { name: material_name.clone(), ..Material::default() }
                });
                model.materials.push(material);
                model.materials.len() as u32 - 1
            });
            let index = model.meshes.len() as u32;
            model.meshes.push(Arc::new(mesh));
            model.placements.push(Placement {
                mesh: index,
                material,
                world_from_mesh: Affine::IDENTITY,
                instance: 0,
            });
            names.push(name);
        }
        if self.small > 0 {
            context.note(format!("{} faces with fewer than three corners are left out", self.small));
        }
        assemble::note_degenerate(context, self.path, self.degenerate);
        Ok((model, names))
    }
}
