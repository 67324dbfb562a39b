//! The colour of a triangle at a pixel.
//!
//! Texture × vertex colour × base colour, all three as stored, which is what Habitat shows of a scan. Light,
//! where a camera has it, comes on top ([`super::light`]).

use super::lens::Lens;
use super::texture::Pyramid;
use ambler_geometry::Vec2;
use ambler_scene::{Material, Mesh, Texture};
use glam::DVec3;

/// A triangle with what is needed to colour it, in camera space.
pub(crate) struct Painted<'a> {
    /// Its corners.
    pub(crate) points: [DVec3; 3],
    /// Normals of the sides opposite to the corners: a ray's products with them are its shares of
    /// the corners, right in perspective.
    sides: [DVec3; 3],
    /// Where there is a texture: vectors whose products with a ray are u and v, each times the
    /// product with the third.
    mapping: Option<[DVec3; 3]>,
    colors: Option<[[u8; 4]; 3]>,
    texture: Option<(&'a Texture, &'a Pyramid)>,
    base: [f64; 4],
}

impl<'a> Painted<'a> {
    pub(crate) fn new(
        lens: &Lens,
        points: [DVec3; 3],
        mesh: &Mesh,
        corners: [u32; 3],
        material: Option<&Material>,
        texture: Option<(&'a Texture, &'a Pyramid)>,
    ) -> Self {
        let [a, b, c] = points;
        let pick = corners.map(|corner| corner as usize);
        let uvs = match pick.map(|index| mesh.uvs.get(index).copied()) {
            [Some(a), Some(b), Some(c)] => Some([a, b, c]),
            _ => None,
        };
        let colors = match pick.map(|index| mesh.colors.get(index).copied()) {
            [Some(a), Some(b), Some(c)] => Some([a, b, c]),
            _ => None,
        };
        let sides = [lens.edge(b, c), lens.edge(c, a), lens.edge(a, b)];
        let weighted = |uvs: &[Vec2; 3], of: fn(&Vec2) -> f32| {
            sides[0] * f64::from(of(&uvs[0]))
                + sides[1] * f64::from(of(&uvs[1]))
                + sides[2] * f64::from(of(&uvs[2]))
        };
        let mapping = uvs.filter(|_| texture.is_some()).map(|uvs| {
            let whole = sides[0] + sides[1] + sides[2];
            [weighted(&uvs, |uv| uv.x), weighted(&uvs, |uv| uv.y), whole]
        });
        Self {
            points,
            sides,
            texture,
            mapping,
            colors,
            base: material.map_or([1.0; 4], |material| material.base_color.map(f64::from)),
        }
    }

    /// Shares of the three corners where the pixel's ray meets the triangle's plane. They sum to 1.
    fn shares(&self, ray: DVec3) -> [f64; 3] {
        let parts = self.sides.map(|side| along(side, ray));
        let scale = 1.0 / (parts[0] + parts[1] + parts[2]);
        if scale.is_finite() { parts.map(|part| part * scale) } else { [1.0 / 3.0; 3] }
    }

    /// How many of the texture's pixels one pixel steps over, as a logarithm to base 2. As
    /// graphics hardware does, differences are taken once for each block of 2 × 2 pixels.
    fn level(lens: &Lens, mapping: &[DVec3; 3], texture: &Texture, x: usize, y: usize) -> f64 {
        let (x, y) = (x & !1, y & !1);
        let at = |x: usize, y: usize| uv(mapping, lens.ray(x, y));
        let here = at(x, y);
        let step = |there: [f64; 2]| {
            let du = (there[0] - here[0]) * f64::from(texture.width);
            let dv = (there[1] - here[1]) * f64::from(texture.height);
            du * du + dv * dv
        };
        let squared = step(at(x + 1, y)).max(step(at(x, y + 1)));
        if squared > 0.0 { 0.5 * libm::log2(squared) } else { 0.0 }
    }

    /// Colour and alpha at a pixel, 0 to 1.
    pub(crate) fn color(&self, lens: &Lens, x: usize, y: usize) -> [f64; 4] {
        let mut color = self.base;
        let ray = lens.ray(x, y);
        if let Some(colors) = &self.colors {
            let shares = self.shares(ray);
            for (channel, value) in color.iter_mut().enumerate() {
                *value *= (shares[0] * f64::from(colors[0][channel])
                    + shares[1] * f64::from(colors[1][channel])
                    + shares[2] * f64::from(colors[2][channel]))
                    / 255.0;
            }
        }
        if let (Some((texture, pyramid)), Some(mapping)) = (self.texture, &self.mapping) {
            let [u, v] = uv(mapping, ray);
            let level = Self::level(lens, mapping, texture, x, y);
            let sample = pyramid.sample(texture, u, v, level);
            for (value, texel) in color.iter_mut().zip(sample) {
                *value *= texel / 255.0;
            }
        }
        color
    }
}

/// Product of a vector with a pixel's ray.
fn along(vector: DVec3, ray: DVec3) -> f64 {
    vector.x * ray.x + vector.y * ray.y + vector.z * ray.z
}

fn uv(mapping: &[DVec3; 3], ray: DVec3) -> [f64; 2] {
    let [u, v, whole] = mapping.map(|vector| along(vector, ray));
    let scale = 1.0 / whole;
    if scale.is_finite() { [u * scale, v * scale] } else { [0.0; 2] }
}
