//! The collector of a recipe: surfaces with colours and normals, pictures, convex pieces.

use super::canvas::Canvas;
use crate::library::ObjectModel;
use crate::{Array, Material, Mesh, Texture, Wrap};
use ambler_geometry::{Affine, Quat, Vec2, Vec3};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) type Rgb = [f32; 3];

/// `0xRRGGBB` as sRGB parts from 0 to 1.
pub(super) fn rgb(hex: u32) -> Rgb {
    [16, 8, 0].map(|shift| ((hex >> shift) & 255) as f32 / 255.0)
}

/// Lighter (above 1) or darker.
pub(super) fn times(color: Rgb, factor: f32) -> Rgb {
    color.map(|part| (part * factor).clamp(0.0, 1.0))
}

/// Between two colours.
pub(super) fn mix(a: Rgb, b: Rgb, t: f32) -> Rgb {
    std::array::from_fn(|i| a[i] + (b[i] - a[i]) * t)
}

/// How a surface looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paint {
    pub(super) color: Rgb,
    pub(super) image: Option<usize>,
    /// 0 = matt, 1 = glazed.
    pub(super) gloss: f32,
    /// Light that reaches it, 0 to 1.
    pub(super) light: f32,
}

/// Matt.
pub(super) fn matt(color: Rgb) -> Paint {
    Paint { color, image: None, gloss: 0.0, light: 1.0 }
}

/// Plastic, enamel, glaze.
pub(super) fn shiny(color: Rgb) -> Paint {
    Paint { gloss: 0.45, ..matt(color) }
}

/// Polished metal, glass.
pub(super) fn bright(color: Rgb) -> Paint {
    Paint { gloss: 1.0, ..matt(color) }
}

impl Paint {
    pub(super) fn dim(self, light: f32) -> Self {
        Self { light: self.light * light, ..self }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Vertex {
    pub(super) position: Vec3,
    pub(super) normal: Vec3,
    pub(super) uv: Vec2,
    pub(super) light: f32,
}

#[derive(Debug, Default)]
struct Part {
    positions: Vec<Vec3>,
    uvs: Vec<Vec2>,
    colors: Vec<[u8; 4]>,
    triangles: Vec<[u32; 3]>,
}

/// What a recipe draws into. Positions are in the current frame, see [`Shape::at`].
#[derive(Debug)]
pub(super) struct Shape {
    parts: BTreeMap<Option<usize>, Part>,
    images: Vec<Texture>,
    pieces: Vec<Vec<Vec3>>,
    frame: Affine,
    ghost: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Self {
            parts: BTreeMap::new(),
            images: Vec::new(),
            pieces: Vec::new(),
            frame: Affine::IDENTITY,
            ghost: false,
        }
    }
}

/// A turn about an axis by an angle in degrees.
pub(super) fn turn(axis: Vec3, degrees: f32) -> Quat {
    let half = degrees.to_radians() * 0.5;
    let v = axis.normalize_or_zero() * libm::sinf(half);
    Quat::from_xyzw(v.x, v.y, v.z, libm::cosf(half))
}

impl Shape {
    /// Draws in a frame that is moved and turned within the current one.
    pub(super) fn at(&mut self, position: Vec3, rotation: Quat, draw: impl FnOnce(&mut Self)) {
        let inner = Affine::from_rotation_translation(rotation, position);
        self.within(inner, draw);
    }

    /// Draws in a frame that is moved within the current one.
    pub(super) fn moved(&mut self, x: f32, y: f32, z: f32, draw: impl FnOnce(&mut Self)) {
        self.at(Vec3::new(x, y, z), Quat::IDENTITY, draw);
    }

    /// Draws in a frame that is mapped within the current one; it may scale, not mirror.
    pub(super) fn within(&mut self, inner: Affine, draw: impl FnOnce(&mut Self)) {
        let outer = self.frame;
        self.frame = outer.compose(&inner);
        draw(self);
        self.frame = outer;
    }

    /// Draws what physics does not see.
    pub(super) fn ghost(&mut self, draw: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.ghost, true);
        draw(self);
        self.ghost = before;
    }

    /// A convex piece: the hull of these points.
    pub(super) fn piece(&mut self, points: impl IntoIterator<Item = Vec3>) {
        if !self.ghost {
            let frame = self.frame;
            self.pieces.push(points.into_iter().map(|point| frame.point(point)).collect());
        }
    }

    /// A picture, to be named by a paint.
    pub(super) fn picture(&mut self, canvas: Canvas) -> Paint {
        self.picture_wrapped(canvas, Wrap::Clamp)
    }

    /// A picture that repeats.
    pub(super) fn pattern(&mut self, canvas: Canvas) -> Paint {
        self.picture_wrapped(canvas, Wrap::Repeat)
    }

    fn picture_wrapped(&mut self, canvas: Canvas, wrap: Wrap) -> Paint {
        self.images.push(canvas.into_texture(wrap));
        Paint { image: Some(self.images.len() - 1), ..matt([1.0; 3]) }
    }

    /// Triangles, counter-clockwise seen from their front.
    pub(super) fn mesh(&mut self, paint: Paint, vertices: &[Vertex], triangles: &[[u32; 3]]) {
        let frame = self.frame;
        // Normals keep their right angle under a frame that scales unevenly.
        let normals = frame.inverse().map_or(frame.matrix, |inverse| inverse.matrix.transpose());
        let part = self.parts.entry(paint.image).or_default();
        let base = part.positions.len() as u32;
        for vertex in vertices {
            let normal = (normals * vertex.normal).normalize_or_zero();
            part.positions.push(frame.point(vertex.position));
            part.uvs.push(vertex.uv);
            part.colors.push(lit(paint, normal, vertex.light));
        }
        part.triangles.extend(triangles.iter().map(|triangle| triangle.map(|corner| corner + base)));
    }

    /// The model, standing on y = 0 with the middle of its bounds over the origin, and its pieces.
    pub(super) fn finish(mut self) -> (ObjectModel, Vec<Vec<Vec3>>) {
        let bounds = ambler_geometry::Aabb::from_points(
            self.parts.values().flat_map(|part| part.positions.iter().copied()),
        );
        let shift = Vec3::new(-bounds.center().x, -bounds.min.y, -bounds.center().z);
        for point in self.pieces.iter_mut().flatten() {
            *point += shift;
        }
        let mut model = ObjectModel {
            textures: self.images.into_iter().map(Arc::new).collect(),
            ..ObjectModel::default()
        };
        for (image, part) in self.parts {
            let material = model.materials.len() as u32;
            model.materials.push(Material {
                name: image.map_or("colour".into(), |index| format!("picture {index}")),
                texture: image.map(|index| index as u32),
                ..Material::default()
            });
            model.meshes.push((
                Arc::new(Mesh {
                    positions: part.positions.into_iter().map(|point| point + shift).collect(),
                    uvs: if image.is_some() { part.uvs.into() } else { Array::new() },
                    colors: part.colors.into(),
                    triangles: part.triangles.into(),
                    ..Mesh::default()
                }),
                material,
            ));
        }
        (model, self.pieces)
    }
}

/// Direction to the light, and half-way to a viewer before the object; unit vectors.
const LIGHT: Vec3 = Vec3::new(0.398, 0.796, 0.456);
const HALF_WAY: Vec3 = Vec3::new(0.24, 0.72, 0.651);

/// The colour of a point with this normal.
fn lit(paint: Paint, normal: Vec3, light: f32) -> [u8; 4] {
    let direct = normal.dot(LIGHT).max(0.0);
    let ambient = 0.64 + 0.11 * normal.y;
    let strength = (ambient + 0.36 * direct) * paint.light * light;
    let shine = normal.dot(HALF_WAY).max(0.0);
    let shine = paint.gloss * 0.5 * shine.powi(24) * light;
    let [r, g, b] = paint.color.map(|part| {
        let value = (part * strength).min(1.0);
        ((value + (1.0 - value) * shine).clamp(0.0, 1.0) * 255.0 + 0.5) as u8
    });
    [r, g, b, 255]
}
