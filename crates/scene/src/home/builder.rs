//! Collects the geometry of a home: shapes in the frame of the piece that is being made, sorted by
//! instance and texture, with normals for the light that is baked last.

use super::texture::Tex;
use ambler_geometry::{Vec2, Vec3};
use std::collections::BTreeMap;

/// Texture and tint of a surface. The tint is sRGB, 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub(super) tex: Tex,
    pub(super) tint: [f32; 3],
}

impl Look {
    pub(super) fn new(tex: Tex, tint: [f32; 3]) -> Self {
        Self { tex, tint }
    }

    pub(super) fn plain(tint: [f32; 3]) -> Self {
        Self { tex: Tex::Plain, tint }
    }

    /// Lighter (above 1) or darker.
    pub(super) fn times(self, factor: f32) -> Self {
        Self { tint: self.tint.map(|c| (c * factor).clamp(0.0, 1.0)), ..self }
    }
}

/// Where a piece stands: x along its width, y up, z towards its front.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) origin: Vec3,
    cos: f32,
    sin: f32,
}

impl Frame {
    pub(super) const WORLD: Self = Self { origin: Vec3::ZERO, cos: 1.0, sin: 0.0 };

    /// Front faces +z, then turned by quarter turns: 0 = +z, 1 = +x, 2 = −z, 3 = −x.
    pub(super) fn quarter(origin: Vec3, turns: usize) -> Self {
        let (sin, cos) = [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)][turns % 4];
        Self { origin, cos, sin }
    }

    /// The same place, moved in its own axes and turned by an angle about +y.
    pub(super) fn moved(&self, by: Vec3, angle: f32) -> Self {
        let (s, c) = (libm::sinf(angle), libm::cosf(angle));
        Self {
            origin: self.point(by),
            cos: self.cos * c - self.sin * s,
            sin: self.sin * c + self.cos * s,
        }
    }

    pub(super) fn point(&self, p: Vec3) -> Vec3 {
        self.origin + self.vector(p)
    }

    pub(super) fn vector(&self, v: Vec3) -> Vec3 {
        Vec3::new(v.x * self.cos + v.z * self.sin, v.y, v.z * self.cos - v.x * self.sin)
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Vertex {
    pub(super) position: Vec3,
    pub(super) normal: Vec3,
    pub(super) uv: Vec2,
    pub(super) tint: [f32; 3],
    /// Shines by itself: light does not change it.
    pub(super) glows: bool,
}

/// The triangles of one instance with one texture.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    pub(super) room: usize,
    pub(super) vertices: Vec<Vertex>,
    pub(super) triangles: Vec<[u32; 3]>,
}

/// A labelled thing.
#[derive(Clone, Debug)]
pub(super) struct Thing {
    pub(super) category: &'static str,
    pub(super) name: String,
}

/// A surface that holds objects: outline (x, z) and height in the world.
#[derive(Clone, Debug)]
pub(super) struct Surface {
    pub(super) thing: u32,
    pub(super) polygon: Vec<Vec2>,
    pub(super) y: f32,
}

/// A box that throws shade.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shade {
    pub(super) room: usize,
    pub(super) min: Vec3,
    pub(super) max: Vec3,
}

/// The collector.
#[derive(Debug)]
pub(super) struct Builder {
    pub(super) parts: BTreeMap<(u32, Tex), Part>,
    pub(super) things: Vec<Thing>,
    pub(super) surfaces: Vec<Surface>,
    pub(super) shades: Vec<Shade>,
    pub(super) frame: Frame,
    pub(super) room: usize,
    current: u32,
    counts: BTreeMap<&'static str, u32>,
    pub(super) glows: bool,
}

/// A state of the builder.
#[derive(Debug)]
pub(super) struct Mark {
    things: usize,
    surfaces: usize,
    shades: usize,
    counts: BTreeMap<&'static str, u32>,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            parts: BTreeMap::new(),
            things: Vec::new(),
            surfaces: Vec::new(),
            shades: Vec::new(),
            frame: Frame::WORLD,
            room: 0,
            current: 0,
            counts: BTreeMap::new(),
            glows: false,
        }
    }
}

/// Boxes smaller than this along two axes throw no shade worth computing.
const SHADE_M: f32 = 0.07;

impl Builder {
    /// Where the builder stands, to go back to.
    pub(super) fn mark(&self) -> Mark {
        Mark {
            things: self.things.len(),
            surfaces: self.surfaces.len(),
            shades: self.shades.len(),
            counts: self.counts.clone(),
        }
    }

    /// Forgets all things begun since the mark, with what belongs to them.
    pub(super) fn back_to(&mut self, mark: &Mark) {
        self.parts.retain(|&(thing, _), _| thing as usize <= mark.things);
        self.things.truncate(mark.things);
        self.surfaces.truncate(mark.surfaces);
        self.shades.truncate(mark.shades);
        self.counts.clone_from(&mark.counts);
    }

    /// Begins a labelled thing in the current room; what follows belongs to it. Ids count from 1.
    pub(super) fn begin(&mut self, category: &'static str, frame: Frame) -> u32 {
        let count = self.counts.entry(category).or_default();
        *count += 1;
        let name = format!("{category}_{count}");
        self.things.push(Thing { category, name });
        self.current = self.things.len() as u32;
        self.frame = frame;
        self.glows = false;
        self.current
    }

    /// Goes on with a thing begun before.
    pub(super) fn resume(&mut self, thing: u32, frame: Frame) {
        self.current = thing;
        self.frame = frame;
        self.glows = false;
    }

    /// What follows belongs to nothing.
    pub(super) fn unlabelled(&mut self, frame: Frame) {
        self.resume(0, frame);
    }

    fn part(&mut self, tex: Tex) -> &mut Part {
        let room = self.room;
        self.parts.entry((self.current, tex)).or_insert_with(|| Part {
            room,
            vertices: Vec::new(),
            triangles: Vec::new(),
        })
    }

    /// Vertices in the piece's frame and triangles over them.
    pub(super) fn mesh(&mut self, look: Look, vertices: &[(Vec3, Vec3, Vec2)], triangles: &[[u32; 3]]) {
        let (frame, glows) = (self.frame, self.glows);
        let part = self.part(look.tex);
        let base = part.vertices.len() as u32;
        part.vertices.extend(vertices.iter().map(|&(position, normal, uv)| Vertex {
            position: frame.point(position),
            normal: frame.vector(normal),
            uv,
            tint: look.tint,
            glows,
        }));
        part.triangles.extend(triangles.iter().map(|t| t.map(|i| i + base)));
    }

    /// A flat four-sided face, corners counter-clockwise seen from its front, with texture
    /// coordinates as given.
    pub(super) fn face(&mut self, look: Look, corners: [Vec3; 4], uvs: [Vec2; 4]) {
        let [a, b, _, d] = corners;
        let normal = (b - a).cross(d - a).normalize_or_zero();
        let vertices: Vec<_> = corners.iter().zip(uvs).map(|(&p, uv)| (p, normal, uv)).collect();
        self.mesh(look, &vertices, &[[0, 1, 2], [0, 2, 3]]);
    }

    /// A flat face whose texture is measured in metres along its first two edges.
    pub(super) fn quad(&mut self, look: Look, corners: [Vec3; 4]) {
        let [a, b, _, d] = corners;
        let (w, h) = ((b - a).length(), (d - a).length());
        let uvs = look.tex.measured(w, h);
        self.face(look, corners, uvs);
    }

    /// Forgets the shades thrown since there were `count`.
    pub(super) fn drop_shades(&mut self, count: usize) {
        self.shades.truncate(count);
    }

    fn shade(&mut self, min: Vec3, max: Vec3, shrink: f32) {
        let size = max - min;
        let thick = size.to_array().iter().filter(|&&s| s >= SHADE_M).count();
        if thick < 2 || size.max_element() < 0.15 {
            return;
        }
        let (center, half) = ((min + max) * 0.5, size * 0.5 * shrink);
        let corner = |x: f32, z: f32| self.frame.point(center + Vec3::new(x * half.x, 0.0, z * half.z));
        let corners = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
        let low = corners.iter().copied().reduce(Vec3::min).unwrap_or(center) - Vec3::Y * half.y;
        let high = corners.iter().copied().reduce(Vec3::max).unwrap_or(center) + Vec3::Y * half.y;
        self.shades.push(Shade { room: self.room, min: low, max: high });
    }

    /// A plain box.
    pub(super) fn block(&mut self, look: Look, min: Vec3, max: Vec3) {
        self.shade(min, max, 1.0);
        for axis in 0..3 {
            for front in [false, true] {
                // The underside of what stands on the floor is never seen.
                if axis == 1
                    && !front
                    && self.frame.origin.y + min.y < 0.001
                    && self.frame.origin.y == 0.0
                {
                    continue;
                }
                self.box_side(look, min, max, axis, front);
            }
        }
    }

    fn box_side(&mut self, look: Look, min: Vec3, max: Vec3, axis: usize, front: bool) {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let corner = |su: bool, sv: bool| {
            let mut p = [0.0; 3];
            p[axis] = if front { max[axis] } else { min[axis] };
            p[u] = if su { max[u] } else { min[u] };
            p[v] = if sv { max[v] } else { min[v] };
            Vec3::from_array(p)
        };
        let mut corners =
            [corner(false, false), corner(true, false), corner(true, true), corner(false, true)];
        if !front {
            corners =
                [corner(false, false), corner(false, true), corner(true, true), corner(true, false)];
        }
        self.quad(look, corners);
    }

    /// A box with bevelled edges that catch the light.
    pub(super) fn bevel(&mut self, look: Look, min: Vec3, max: Vec3, bevel: f32) {
        let size = max - min;
        let b = bevel.min(0.45 * size.min_element());
        if b < 0.001 {
            self.block(look, min, max);
            return;
        }
        self.shade(min, max, 1.0);
        let center = (min + max) * 0.5;
        let half = size * 0.5;
        let mut vertices: Vec<(Vec3, Vec3, Vec2)> = Vec::with_capacity(24);
        // For each corner three vertices, one on each face: index corner * 3 + axis.
        for corner in 0..8_usize {
            let sign = Vec3::new(bit(corner, 0), bit(corner, 1), bit(corner, 2));
            for axis in 0..3 {
                let mut local = (half - Vec3::splat(b)) * sign;
                local[axis] = half[axis] * sign[axis];
                let mut normal = sign * 0.22;
                normal[axis] = sign[axis];
                let uv = look.tex.projected(local, axis, size);
                vertices.push((center + local, normal.normalize_or_zero(), uv));
            }
        }
        let mut triangles: Vec<[u32; 3]> = Vec::with_capacity(44);
        let id = |corner: usize, axis: usize| (corner * 3 + axis) as u32;
        for axis in 0..3 {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            for side in 0..2_usize {
                let at = |su: usize, sv: usize| id(side << axis | su << u | sv << v, axis);
                push_quad(&mut triangles, [at(0, 0), at(1, 0), at(1, 1), at(0, 1)], true);
            }
            for su in 0..2_usize {
                for sv in 0..2_usize {
                    let low = su << u | sv << v;
                    let high = low | 1 << axis;
                    push_quad(&mut triangles, [id(low, u), id(low, v), id(high, v), id(high, u)], true);
                }
            }
        }
        triangles.extend((0..8_usize).map(|corner| [id(corner, 0), id(corner, 1), id(corner, 2)]));
        // The shape is convex about its middle: what looks inwards is turned round.
        for triangle in &mut triangles {
            let [a, b, c] = triangle.map(|i| vertices[i as usize].0 - center);
            if (b - a).cross(c - a).dot(a + b + c) < 0.0 {
                triangle.swap(1, 2);
            }
        }
        self.mesh(look, &vertices, &triangles);
    }

    /// A cushion: a box with all its corners rounded. Larger `power` is boxier.
    pub(super) fn soft(&mut self, look: Look, min: Vec3, max: Vec3, power: f32) {
        const GRID: usize = 5;
        self.shade(min, max, 0.74);
        let (center, half) = ((min + max) * 0.5, (max - min) * 0.5);
        let mut vertices = Vec::with_capacity(6 * (GRID + 1) * (GRID + 1));
        let mut triangles = Vec::with_capacity(12 * GRID * GRID);
        for axis in 0..3 {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            for front in [false, true] {
                let base = vertices.len() as u32;
                for j in 0..=GRID {
                    for i in 0..=GRID {
                        let mut c = Vec3::ZERO;
                        c[axis] = if front { 1.0 } else { -1.0 };
                        c[u] = spread(i, GRID);
                        c[v] = spread(j, GRID);
                        let length = (0..3).map(|k| libm::powf(c[k].abs(), power)).sum::<f32>();
                        let q = c / libm::powf(length, 1.0 / power);
                        let slope =
                            |k: usize| q[k].signum() * libm::powf(q[k].abs(), power - 1.0) / half[k];
                        let normal = Vec3::new(slope(0), slope(1), slope(2)).normalize_or_zero();
                        let local = q * half;
                        let uv = look.tex.projected(local, axis, half * 2.0);
                        vertices.push((center + local, normal, uv));
                    }
                }
                let row = GRID as u32 + 1;
                for j in 0..GRID as u32 {
                    for i in 0..GRID as u32 {
                        let a = base + j * row + i;
                        push_quad(&mut triangles, [a, a + 1, a + row + 1, a + row], front);
                    }
                }
            }
        }
        self.mesh(look, &vertices, &triangles);
    }

    /// A profile of (radius, height) from bottom to top turned about the vertical line through `base`.
    pub(super) fn lathe(&mut self, look: Look, base: Vec3, profile: &[(f32, f32)], sides: usize) {
        let mut vertices = Vec::new();
        let mut triangles = Vec::new();
        let widest = profile.iter().map(|p| p.0).fold(0.0, f32::max);
        let top = profile.iter().map(|p| p.1).fold(0.0, f32::max);
        let low = profile.iter().map(|p| p.1).fold(f32::INFINITY, f32::min);
        let r = Vec3::new(widest, 0.0, widest) * 0.62;
        self.shade(base - r + Vec3::Y * (low + 0.01), base + r + Vec3::Y * (top - 0.01), 1.0);
        let mut along = 0.0;
        for pair in profile.windows(2) {
            let [(r0, y0), (r1, y1)] = [pair[0], pair[1]];
            let (dr, dy) = (r1 - r0, y1 - y0);
            let length = libm::hypotf(dr, dy);
            if length < 1e-5 {
                continue;
            }
            let start = vertices.len() as u32;
            for side in 0..=sides {
                let angle = std::f32::consts::TAU * side as f32 / sides as f32;
                let (s, c) = (libm::sinf(angle), libm::cosf(angle));
                let normal = Vec3::new(c * dy, -dr, s * dy) / length;
                let u = side as f32 / sides as f32 * std::f32::consts::TAU * widest / look.tex.metres();
                for (r, y, v) in [(r0, y0, along), (r1, y1, along + length)] {
                    let uv = Vec2::new(u, -v / look.tex.metres());
                    vertices.push((base + Vec3::new(r * c, y, r * s), normal, uv));
                }
            }
            for side in 0..sides as u32 {
                let a = start + 2 * side;
                if r0 > 1e-5 {
                    triangles.push([a, a + 1, a + 2]);
                }
                if r1 > 1e-5 {
                    triangles.push([a + 1, a + 3, a + 2]);
                }
            }
            along += length;
        }
        self.mesh(look, &vertices, &triangles);
    }

    /// An upright cylinder with both ends closed.
    pub(super) fn cylinder(&mut self, look: Look, base: Vec3, radius: f32, height: f32, sides: usize) {
        self.lathe(look, base, &[(0.0, 0.0), (radius, 0.0), (radius, height), (0.0, height)], sides);
    }

    /// A rod between two points.
    pub(super) fn rod(&mut self, look: Look, from: Vec3, to: Vec3, radius: f32, sides: usize) {
        let axis = (to - from).normalize_or_zero();
        let other = if axis.y.abs() > 0.9 { Vec3::X } else { Vec3::Y };
        let u = axis.cross(other).normalize_or_zero();
        let v = axis.cross(u);
        let mut vertices = Vec::new();
        let mut triangles = Vec::new();
        for side in 0..=sides {
            let angle = std::f32::consts::TAU * side as f32 / sides as f32;
            let normal = u * libm::cosf(angle) + v * libm::sinf(angle);
            let t = side as f32 / sides as f32;
            vertices.push((from + normal * radius, normal, Vec2::new(t, 0.0)));
            vertices.push((to + normal * radius, normal, Vec2::new(t, (to - from).length())));
        }
        for side in 0..sides as u32 {
            let a = 2 * side;
            triangles.push([a, a + 2, a + 1]);
            triangles.push([a + 1, a + 2, a + 3]);
        }
        let (start, end) = (vertices.len() as u32, vertices.len() as u32 + 1);
        vertices.push((from, -axis, Vec2::ZERO));
        vertices.push((to, axis, Vec2::ZERO));
        for side in 0..sides as u32 {
            let a = 2 * side;
            triangles.push([start, a + 2, a]);
            triangles.push([end, a + 1, a + 3]);
        }
        self.mesh(look, &vertices, &triangles);
    }

    /// States a rectangle, in the piece's frame, that holds objects.
    pub(super) fn surface(&mut self, x0: f32, z0: f32, x1: f32, z1: f32, y: f32) {
        let polygon = [(x0, z0), (x1, z0), (x1, z1), (x0, z1)]
            .map(|(x, z)| self.frame.point(Vec3::new(x, 0.0, z)))
            .map(|p| Vec2::new(p.x, p.z));
        let y = self.frame.origin.y + y;
        self.surfaces.push(Surface { thing: self.current, polygon: polygon.to_vec(), y });
    }
}

fn bit(corner: usize, axis: usize) -> f32 {
    if corner >> axis & 1 == 1 { 1.0 } else { -1.0 }
}

/// Grid lines of a cushion's face, closer together at its rim.
fn spread(index: usize, grid: usize) -> f32 {
    let t = 2.0 * index as f32 / grid as f32 - 1.0;
    libm::sinf(t * std::f32::consts::FRAC_PI_2)
}

/// Two triangles; the other way round unless `outward`.
fn push_quad(triangles: &mut Vec<[u32; 3]>, [a, b, c, d]: [u32; 4], outward: bool) {
    if outward {
        triangles.extend([[a, b, c], [a, c, d]]);
    } else {
        triangles.extend([[a, c, b], [a, d, c]]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six times the volume enclosed: positive where triangles face outwards.
    fn volume(builder: &Builder) -> f32 {
        builder
            .parts
            .values()
            .flat_map(|part| {
                part.triangles.iter().map(|t| {
                    let [a, b, c] = t.map(|i| part.vertices[i as usize].position);
                    a.dot(b.cross(c)) / 6.0
                })
            })
            .sum()
    }

    fn check(name: &str, make: impl Fn(&mut Builder), low: f32, high: f32) {
        let mut builder = Builder::default();
        builder.begin("thing", Frame::quarter(Vec3::new(0.3, 0.5, 0.2), 1));
        make(&mut builder);
        let found = volume(&builder);
        assert!((low..=high).contains(&found), "{name} encloses {found}");
        for part in builder.parts.values() {
            for triangle in &part.triangles {
                let [a, b, c] = triangle.map(|i| part.vertices[i as usize]);
                let face = (b.position - a.position).cross(c.position - a.position);
                let normal = a.normal + b.normal + c.normal;
                assert!(
                    face.length() < 1e-7 || face.dot(normal) > 0.0,
                    "{name} faces inwards somewhere"
                );
            }
        }
    }

    #[test]
    fn shapes_are_closed_and_face_outwards() {
        let look = Look::plain([1.0; 3]);
        let (low, high) = (Vec3::new(-0.5, 0.0, -0.3), Vec3::new(0.5, 0.4, 0.3));
        check("block", |b| b.block(look, low, high), 0.2399, 0.2401);
        check("bevel", |b| b.bevel(look, low, high, 0.02), 0.235, 0.24);
        check("soft", |b| b.soft(look, low, high, 5.0), 0.17, 0.24);
        check("cylinder", |b| b.cylinder(look, Vec3::ZERO, 0.5, 1.0, 48), 0.77, 0.786);
        check("rod", |b| b.rod(look, Vec3::ZERO, Vec3::new(1.0, 1.0, 0.0), 0.1, 32), 0.043, 0.0445);
    }
}
