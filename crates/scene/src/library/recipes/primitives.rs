//! Building blocks: boxes, turned bodies, vessels, rods, soft bodies, plates, sheets.

use super::shape::{Paint, Shape, Vertex};
use ambler_geometry::{Quat, Vec2, Vec3};
use std::f32::consts::TAU;

/// A point of a turned profile: radius and height.
pub(super) type Ring = (f32, f32);

fn polar(r: f32, y: f32, angle: f32) -> Vec3 {
    Vec3::new(r * libm::sinf(angle), y, r * libm::cosf(angle))
}

/// A smooth line through points (Catmull–Rom), `per` steps between two of them.
pub(super) fn curve(points: &[Vec3], per: usize) -> Vec<Vec3> {
    let mut out = Vec::new();
    let get = |i: isize| points[i.clamp(0, points.len() as isize - 1) as usize];
    for i in 0..points.len().saturating_sub(1) {
        let i = i as isize;
        let (a, b, c, d) = (get(i - 1), get(i), get(i + 1), get(i + 2));
        for step in 0..per {
            let t = step as f32 / per as f32;
            let (t2, t3) = (t * t, t * t * t);
            out.push(
                (b * 2.0
                    + (c - a) * t
                    + (a * 2.0 - b * 5.0 + c * 4.0 - d) * t2
                    + (b * 3.0 - a - c * 3.0 + d) * t3)
                    * 0.5,
            );
        }
    }
    out.extend(points.last());
    out
}

/// A smooth profile through rings that never swings beyond two neighbours, so that feet stay flat.
pub(super) fn smooth(rings: &[Ring], per: usize) -> Vec<Ring> {
    let points: Vec<Vec3> = rings.iter().map(|&(r, y)| Vec3::new(r, y, 0.0)).collect();
    let within = |value: f32, a: f32, b: f32| value.clamp(a.min(b), a.max(b));
    curve(&points, per)
        .into_iter()
        .enumerate()
        .map(|(index, p)| {
            let from = rings[(index / per).min(rings.len() - 1)];
            let to = rings[(index / per + 1).min(rings.len() - 1)];
            (within(p.x, from.0, to.0), within(p.y, from.1, to.1))
        })
        .collect()
}

impl Shape {
    /// A four-sided face, corners counter-clockwise from its front, the first at the picture's lower
    /// left.
    pub(super) fn quad(&mut self, paint: Paint, corners: [Vec3; 4]) {
        let [a, b, _, d] = corners;
        let normal = (b - a).cross(d - a).normalize_or_zero();
        let uvs = [Vec2::new(0.0, 1.0), Vec2::ONE, Vec2::new(1.0, 0.0), Vec2::ZERO];
        let vertices: Vec<Vertex> =
            (0..4).map(|i| Vertex { position: corners[i], normal, uv: uvs[i], light: 1.0 }).collect();
        self.mesh(paint, &vertices, &[[0, 1, 2], [0, 2, 3]]);
    }

    /// A picture around `center`: `right` and `up` are its half sides.
    pub(super) fn sticker(&mut self, paint: Paint, center: Vec3, right: Vec3, up: Vec3) {
        self.quad(
            paint,
            [center - right - up, center + right - up, center + right + up, center - right + up],
        );
    }

    /// A box with bevelled edges. A picture covers each side whole.
    pub(super) fn cuboid(&mut self, paint: Paint, center: Vec3, size: Vec3, bevel: f32) {
        let half = size * 0.5;
        let b = bevel.min(half.min_element() * 0.9);
        let inner = half - Vec3::splat(b);
        let mut vertices = Vec::new();
        let mut triangles = Vec::new();
        // Each corner as seen from its three sides: index 3 · corner + axis.
        for corner in 0..8_u32 {
            let sign =
                Vec3::from_array([0, 1, 2].map(|i| if corner >> i & 1 == 1 { 1.0 } else { -1.0 }));
            for axis in 0..3 {
                let mut position = inner * sign;
                position[axis] = half[axis] * sign[axis];
                let mut normal = Vec3::ZERO;
                normal[axis] = sign[axis];
                // The picture upright on the sides, its top to the back on the top.
                let (u, v) = match axis {
                    0 => (-sign.x * position.z / half.z, -position.y / half.y),
                    1 => (position.x / half.x, sign.y * position.z / half.z),
                    _ => (sign.z * position.x / half.x, -position.y / half.y),
                };
                let uv = Vec2::new(u, v) * 0.5 + Vec2::splat(0.5);
                vertices.push(Vertex { position: center + position, normal, uv, light: 1.0 });
            }
        }
        let mut face = |corners: &[u32], outward: Vec3| {
            let [a, b, c] = [corners[0], corners[1], corners[2]].map(|i| vertices[i as usize].position);
            let flip = (b - a).cross(c - a).dot(outward) < 0.0;
            for i in 1..corners.len() - 1 {
                let (second, third) = (corners[i], corners[i + 1]);
                triangles.push(if flip {
                    [corners[0], third, second]
                } else {
                    [corners[0], second, third]
                });
            }
        };
        for axis in 0..3_u32 {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            for side in 0..2_u32 {
                let corner = |a: u32, b: u32| 3 * (side << axis | a << u | b << v) + axis;
                let mut outward = Vec3::ZERO;
                outward[axis as usize] = if side == 1 { 1.0 } else { -1.0 };
                face(&[corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)], outward);
            }
            if b > 0.0 {
                // The edges along this axis.
                for (a, c) in [(0, 0), (1, 0), (1, 1), (0, 1)] {
                    let at = |end: u32, side: u32| 3 * (end << axis | a << u | c << v) + side;
                    let mut outward = Vec3::ZERO;
                    outward[u as usize] = if a == 1 { 1.0 } else { -1.0 };
                    outward[v as usize] = if c == 1 { 1.0 } else { -1.0 };
                    face(&[at(0, u), at(1, u), at(1, v), at(0, v)], outward);
                }
            }
        }
        if b > 0.0 {
            for corner in 0..8_u32 {
                let sign =
                    Vec3::from_array([0, 1, 2].map(|i| if corner >> i & 1 == 1 { 1.0 } else { -1.0 }));
                face(&[3 * corner, 3 * corner + 1, 3 * corner + 2], sign);
            }
        }
        self.mesh(paint, &vertices, &triangles);
        self.piece(vertices.iter().map(|vertex| vertex.position));
    }

    /// A body turned about the y axis, `rings` from its lower to its upper end; what it looks like,
    /// without pieces. A profile that comes down again on the inside shows its inner wall.
    fn turned(&mut self, paint: Paint, rings: &[Ring], sides: usize, light: impl Fn(usize) -> f32) {
        let normal_of = |i: usize| {
            let ((r0, y0), (r1, y1)) = (rings[i], rings[i + 1]);
            Vec2::new(y1 - y0, r0 - r1).normalize_or_zero()
        };
        let total: f32 = rings.windows(2).map(|w| libm::hypotf(w[1].0 - w[0].0, w[1].1 - w[0].1)).sum();
        let mut run = 0.0;
        let mut vertices = Vec::new();
        let mut triangles = Vec::new();
        let segments = rings.len() - 1;
        for i in 0..segments {
            let own = normal_of(i);
            let length = libm::hypotf(rings[i + 1].0 - rings[i].0, rings[i + 1].1 - rings[i].1);
            if length < 1e-6 {
                continue;
            }
            // Round over where the profile bends gently.
            let blend = |other: Option<usize>| match other.map(normal_of) {
                Some(other) if other.dot(own) > 0.72 => (own + other).normalize_or_zero(),
                _ => own,
            };
            let normals = [blend(i.checked_sub(1)), blend((i + 1 < segments).then_some(i + 1))];
            let base = vertices.len() as u32;
            for end in 0..2 {
                let (r, y) = rings[i + end];
                let v = 1.0 - (run + length * end as f32) / total.max(1e-6);
                for side in 0..=sides {
                    let angle = TAU * side as f32 / sides as f32;
                    let normal = polar(normals[end].x, normals[end].y, angle);
                    let uv = Vec2::new(side as f32 / sides as f32, v);
                    vertices.push(Vertex {
                        position: polar(r, y, angle),
                        normal,
                        uv,
                        light: light(i + end),
                    });
                }
            }
            let row = sides as u32 + 1;
            for side in 0..sides as u32 {
                let (a, b) = (base + side, base + side + 1);
                if rings[i].0 > 1e-6 {
                    triangles.push([a, b, b + row]);
                }
                if rings[i + 1].0 > 1e-6 {
                    triangles.push([a, b + row, a + row]);
                }
            }
            run += length;
        }
        self.mesh(paint, &vertices, &triangles);
    }

    /// A solid body turned about the y axis; `rings` go from its lower end (radius 0 closes it) to its
    /// upper end.
    pub(super) fn lathe(&mut self, paint: Paint, rings: &[Ring], sides: usize) {
        self.turned(paint, rings, sides, |_| 1.0);
        let most = rings.iter().map(|ring| ring.0).fold(0.0, f32::max);
        let tolerance = (most * 0.05).max(0.001);
        let mut start = 0;
        while start + 1 < rings.len() {
            let mut end = start + 1;
            while end + 1 < rings.len() && bulge(&rings[start..=end + 1]) <= tolerance {
                end += 1;
            }
            self.piece(rings[start..=end].iter().flat_map(|&(r, y)| {
                let count = if r > 1e-6 { sides.min(24) } else { 1 };
                (0..count).map(move |side| polar(r, y, TAU * side as f32 / count as f32))
            }));
            start = end;
        }
    }

    /// A hollow body turned about the y axis: `rings` is the outer wall from its foot (standing on the
    /// first ring) to its rim, `wall` the thickness, `floor` the height of the inner floor.
    pub(super) fn vessel(
        &mut self,
        outside: Paint,
        inside: Paint,
        rings: &[Ring],
        wall: f32,
        floor: f32,
        sides: usize,
    ) {
        let (foot, rim) = (rings[0], rings[rings.len() - 1]);
        let mut outer = vec![(0.0, foot.1)];
        outer.extend(rings);
        self.turned(outside, &outer, sides, |_| 1.0);
        let inner: Vec<Ring> = inner_wall(rings, wall, floor);
        self.turned(
            outside,
            &[rim, ((rim.0 + inner[0].0) * 0.5, rim.1 + wall * 0.3), inner[0]],
            sides,
            |_| 1.0,
        );
        let mut down = inner.clone();
        down.push((0.0, floor));
        let depth = (rim.1 - floor).max(1e-4);
        let width = inner[0].0.max(1e-4);
        let dark = (0.62 + 0.25 * (width / depth).min(1.5)).min(0.95);
        self.turned(inside, &down, sides, |i| {
            let t = (rim.1 - down[i].1) / depth;
            1.0 - (1.0 - dark) * t.clamp(0.0, 1.0)
        });
        // Pieces: a floor, and staves around it, cut where the wall bends.
        let base: Vec<Ring> = outer
            .iter()
            .copied()
            .filter(|ring| ring.1 <= floor + 1e-5)
            .chain(std::iter::once((radius_at(rings, floor), floor)))
            .collect();
        let points = |list: &[Ring], count: usize| -> Vec<Vec3> {
            list.iter()
                .flat_map(|&(r, y)| {
                    (0..count).map(move |side| polar(r, y, TAU * side as f32 / count as f32))
                })
                .collect()
        };
        self.piece(points(&base, 16));
        let bend = inner_bend(&inner);
        let bent = bend > (wall * 1.2).max(0.002);
        let (staves, cuts) = if bent {
            (7, vec![(floor, (floor + rim.1) * 0.42), ((floor + rim.1) * 0.42, rim.1)])
        } else {
            (11, vec![(floor, rim.1)])
        };
        for (low, high) in cuts {
            for stave in 0..staves {
                let angles = [0.0, 0.5, 1.0].map(|t| TAU * (stave as f32 + t) / staves as f32);
                let mut list = Vec::new();
                for (profile, heights) in [(rings, true), (inner.as_slice(), false)] {
                    for y in [low, (low + high) * 0.5, high] {
                        let r = radius_at(profile, y);
                        for (i, angle) in angles.into_iter().enumerate() {
                            // The inner side of a stave is flat: leave out the middle.
                            if heights || i != 1 {
                                list.push(polar(r, y, angle));
                            }
                        }
                    }
                }
                self.piece(list);
            }
        }
    }

    /// A band around a turned body between two rings, from `from` to `to` degrees (0 = front), with a
    /// picture on it.
    pub(super) fn band(&mut self, paint: Paint, low: Ring, high: Ring, from: f32, to: f32) {
        let steps = ((to - from).abs() / 15.0) as usize + 1;
        let slope = Vec2::new(high.1 - low.1, low.0 - high.0).normalize_or_zero();
        let mut vertices = Vec::new();
        let mut triangles = Vec::new();
        for step in 0..=steps {
            let t = step as f32 / steps as f32;
            let angle = (from + (to - from) * t).to_radians();
            for (ring, v) in [(low, 1.0), (high, 0.0)] {
                vertices.push(Vertex {
                    position: polar(ring.0, ring.1, angle),
                    normal: polar(slope.x, slope.y, angle),
                    uv: Vec2::new(t, v),
                    light: 1.0,
                });
            }
        }
        for step in 0..steps as u32 {
            let a = 2 * step;
            triangles.push([a, a + 2, a + 3]);
            triangles.push([a, a + 3, a + 1]);
        }
        self.mesh(paint, &vertices, &triangles);
    }

    /// A round rod along points with a radius at each, closed by round ends.
    pub(super) fn rod(&mut self, paint: Paint, points: &[Vec3], radii: &[f32], sides: usize) {
        self.rod_flat(paint, points, radii, sides, 1.0, Vec3::Y);
    }

    /// A rod whose section is pressed flat along `flat` to the share `press`.
    pub(super) fn rod_flat(
        &mut self,
        paint: Paint,
        points: &[Vec3],
        radii: &[f32],
        sides: usize,
        press: f32,
        flat: Vec3,
    ) {
        let count = points.len();
        let radius = |i: usize| radii[i.min(radii.len() - 1)];
        let tangent = |i: usize| {
            let (a, b) = (points[i.saturating_sub(1)], points[(i + 1).min(count - 1)]);
            (b - a).normalize_or_zero()
        };
        let mut rings: Vec<(Vec3, Vec3, Vec3, f32, f32)> = Vec::new();
        let mut across = flat.reject_from_normalized(tangent(0)).normalize_or_zero();
        if across == Vec3::ZERO {
            across = tangent(0).any_orthonormal_vector();
        }
        let ends = [(0.0_f32, 1.0_f32), (0.7, 0.7)];
        for i in 0..count {
            let t = tangent(i);
            across = across.reject_from_normalized(t).normalize_or_zero();
            let side = t.cross(across);
            let r = radius(i);
            if i == 0 {
                for (wide, back) in ends {
                    rings.push((points[i] - t * r * back * 0.6, across, side, r * wide, -back));
                }
            }
            rings.push((points[i], across, side, r, 0.0));
            if i + 1 == count {
                for (wide, back) in ends.into_iter().rev() {
                    rings.push((points[i] + t * r * back * 0.6, across, side, r * wide, back));
                }
            }
        }
        let mut vertices = Vec::new();
        let mut triangles = Vec::new();
        for (index, &(center, across, side, r, cap)) in rings.iter().enumerate() {
            for k in 0..=sides {
                let angle = TAU * k as f32 / sides as f32;
                let (s, c) = (libm::sinf(angle), libm::cosf(angle));
                let out = across * (c / press.max(0.05)) + side * s;
                let along = across.cross(side).normalize_or_zero();
                // `side` = t × across, so across × side = t.
                let normal = (out.normalize_or_zero() * (1.0 - cap * cap).max(0.0) + along * cap)
                    .normalize_or_zero();
                let uv = Vec2::new(k as f32 / sides as f32, index as f32 / (rings.len() - 1) as f32);
                vertices.push(Vertex {
                    position: center + (across * (c * press) + side * s) * r,
                    normal,
                    uv,
                    light: 1.0,
                });
            }
        }
        let row = sides as u32 + 1;
        for ring in 0..rings.len() as u32 - 1 {
            for k in 0..sides as u32 {
                let a = ring * row + k;
                triangles.push([a, a + 1, a + row + 1]);
                triangles.push([a, a + row + 1, a + row]);
            }
        }
        self.mesh(paint, &vertices, &triangles);
        for pair in vertices.chunks(row as usize).collect::<Vec<_>>()[1..rings.len() - 1].windows(2) {
            self.piece(pair.iter().flat_map(|ring| ring.iter().map(|vertex| vertex.position)));
        }
    }

    /// A ring of round section about `axis`.
    pub(super) fn torus(
        &mut self,
        paint: Paint,
        center: Vec3,
        axis: Vec3,
        big: f32,
        small: f32,
        sides: usize,
    ) {
        let x = axis.any_orthonormal_vector();
        let z = axis.cross(x);
        let out = |angle: f32| x * libm::cosf(angle) + z * libm::sinf(angle);
        self.sheet(paint, 2 * sides, sides, &|u, v| {
            let (a, b) = (TAU * u, TAU * v);
            center + out(a) * (big + small * libm::cosf(b)) + axis * (small * libm::sinf(b))
        });
        for part in 0..8 {
            let mut points = Vec::new();
            for step in 0..3 {
                let a = TAU * (part as f32 + step as f32 * 0.5) / 8.0;
                for k in 0..6 {
                    let b = TAU * k as f32 / 6.0;
                    points.push(
                        center + out(a) * (big + small * libm::cosf(b)) + axis * (small * libm::sinf(b)),
                    );
                }
            }
            self.piece(points);
        }
    }

    /// A surface over u and v from 0 to 1, its front where ∂u × ∂v points; no piece.
    pub(super) fn sheet(&mut self, paint: Paint, nu: usize, nv: usize, f: &dyn Fn(f32, f32) -> Vec3) {
        let mut vertices = Vec::new();
        let mut triangles = Vec::new();
        let e = 2e-3;
        for j in 0..=nv {
            for i in 0..=nu {
                let (u, v) = (i as f32 / nu as f32, j as f32 / nv as f32);
                // Normals a little inside the border, where poles do not vanish.
                let (cu, cv) = (u.clamp(e, 1.0 - e), v.clamp(e, 1.0 - e));
                let du = f(cu + e, cv) - f(cu - e, cv);
                let dv = f(cu, cv + e) - f(cu, cv - e);
                let normal = du.cross(dv).normalize_or_zero();
                vertices.push(Vertex {
                    position: f(u, v),
                    normal,
                    uv: Vec2::new(u, 1.0 - v),
                    light: 1.0,
                });
            }
        }
        let row = nu as u32 + 1;
        for j in 0..nv as u32 {
            for i in 0..nu as u32 {
                let a = j * row + i;
                for triangle in [[a, a + 1, a + row + 1], [a, a + row + 1, a + row]] {
                    let [p, q, r] = triangle.map(|index| vertices[index as usize].position);
                    if (q - p).cross(r - p).length() > 1e-11 {
                        triangles.push(triangle);
                    }
                }
            }
        }
        self.mesh(paint, &vertices, &triangles);
    }

    /// A surface seen from both sides.
    pub(super) fn leaf(&mut self, paint: Paint, nu: usize, nv: usize, f: &dyn Fn(f32, f32) -> Vec3) {
        self.sheet(paint, nu, nv, f);
        self.sheet(paint.dim(0.85), nu, nv, &|u, v| f(1.0 - u, v));
    }

    /// A super-ellipsoid with half sides `half`: `power` 2 = ellipsoid, 5 = cushion, 10 = nearly a box;
    /// `bumps` moves the surface along its direction by a share.
    pub(super) fn blob(
        &mut self,
        paint: Paint,
        center: Vec3,
        half: Vec3,
        power: [f32; 2],
        detail: usize,
        bumps: &dyn Fn(Vec3) -> f32,
    ) {
        let bend = |value: f32, power: f32| value.signum() * libm::powf(value.abs(), 2.0 / power);
        let f = |u: f32, v: f32| {
            let (a, b) = (TAU * u, std::f32::consts::PI * (v - 0.5));
            let ring = bend(libm::cosf(b).max(0.0), power[1]);
            let unit = Vec3::new(
                ring * bend(libm::sinf(a), power[0]),
                bend(libm::sinf(b), power[1]),
                ring * bend(libm::cosf(a), power[0]),
            );
            center + unit * half * (1.0 + bumps(unit))
        };
        self.sheet(paint, detail * 2, detail, &f);
        let mut points = Vec::new();
        for j in 0..=10 {
            for i in 0..20 {
                points.push(f(i as f32 / 20.0, j as f32 / 10.0));
            }
        }
        self.piece(points);
    }

    /// An ellipsoid.
    pub(super) fn ball(&mut self, paint: Paint, center: Vec3, half: Vec3, detail: usize) {
        self.blob(paint, center, half, [2.0, 2.0], detail, &|_| 0.0);
    }

    /// A plate with this outline in (x, z), from `y0` to `y1`; the outline's order does not matter, it
    /// must not cross itself.
    pub(super) fn plate(&mut self, paint: Paint, outline: &[Vec2], y0: f32, y1: f32) {
        let signed: f32 =
            (0..outline.len()).map(|i| outline[i].perp_dot(outline[(i + 1) % outline.len()])).sum();
        // Counter-clockwise seen from above: (x, −z) turns left, so (x, z) turns right.
        let mut ring: Vec<Vec2> = outline.to_vec();
        if signed > 0.0 {
            ring.reverse();
        }
        let low = ring.iter().copied().reduce(Vec2::min).unwrap_or_default();
        let size = ring.iter().copied().reduce(Vec2::max).unwrap_or_default() - low;
        let at = |p: Vec2, y: f32| Vec3::new(p.x, y, p.y);
        let mut vertices = Vec::new();
        for (y, normal) in [(y1, Vec3::Y), (y0, Vec3::NEG_Y)] {
            vertices.extend(ring.iter().map(|&p| Vertex {
                position: at(p, y),
                normal,
                uv: (p - low) / size.max(Vec2::splat(1e-6)),
                light: 1.0,
            }));
        }
        let count = ring.len() as u32;
        let ears = ears(&ring);
        let mut triangles: Vec<[u32; 3]> = ears.clone();
        triangles.extend(ears.iter().map(|&[a, b, c]| [a + count, c + count, b + count]));
        for i in 0..ring.len() {
            let (before, a, b, after) = (
                ring[(i + ring.len() - 1) % ring.len()],
                ring[i],
                ring[(i + 1) % ring.len()],
                ring[(i + 2) % ring.len()],
            );
            let out = |p: Vec2, q: Vec2| {
                let along = (q - p).normalize_or_zero();
                Vec3::new(-along.y, 0.0, along.x)
            };
            let own = out(a, b);
            let blend = |other: Vec3| {
                if other.dot(own) > 0.75 { (own + other).normalize_or_zero() } else { own }
            };
            let base = vertices.len() as u32;
            for (p, y, normal, uv) in [
                (a, y0, blend(out(before, a)), Vec2::new(0.0, 1.0)),
                (b, y0, blend(out(b, after)), Vec2::ONE),
                (b, y1, blend(out(b, after)), Vec2::new(1.0, 0.0)),
                (a, y1, blend(out(before, a)), Vec2::ZERO),
            ] {
                vertices.push(Vertex { position: at(p, y), normal, uv, light: 1.0 });
            }
            triangles.push([base, base + 1, base + 2]);
            triangles.push([base, base + 2, base + 3]);
        }
        self.mesh(paint, &vertices, &triangles);
        for ear in ears {
            self.piece(
                ear.into_iter().flat_map(|i| [at(ring[i as usize], y0), at(ring[i as usize], y1)]),
            );
        }
    }
}

/// An ellipse or rounded rectangle as an outline: `power` 2 = ellipse, more = squarer.
pub(super) fn oval(half_x: f32, half_z: f32, power: f32, count: usize) -> Vec<Vec2> {
    (0..count)
        .map(|i| {
            let a = TAU * i as f32 / count as f32;
            let bend = |v: f32| v.signum() * libm::powf(v.abs(), 2.0 / power);
            Vec2::new(half_x * bend(libm::cosf(a)), half_z * bend(libm::sinf(a)))
        })
        .collect()
}

/// The turn that takes +Y to `direction`.
pub(super) fn from_up(direction: Vec3) -> Quat {
    let d = direction.normalize_or_zero();
    if d.y < -0.9999 {
        return Quat::from_xyzw(1.0, 0.0, 0.0, 0.0);
    }
    let axis = Vec3::Y.cross(d);
    Quat::from_xyzw(axis.x, axis.y, axis.z, 1.0 + d.y).normalize()
}

/// How far a profile lies inside the smallest convex body around it.
fn bulge(rings: &[Ring]) -> f32 {
    let mut most = 0.0_f32;
    for (i, &(_, y0)) in rings.iter().enumerate() {
        for &(_, y2) in &rings[i + 1..] {
            let (lo, hi) = (y0.min(y2), y0.max(y2));
            if hi - lo < 1e-6 {
                continue;
            }
            let ends: Vec<&Ring> = rings.iter().filter(|ring| ring.1 == lo || ring.1 == hi).collect();
            let r_at =
                |y: f32| ends.iter().filter(|ring| ring.1 == y).map(|ring| ring.0).fold(0.0, f32::max);
            for &(r, y) in rings {
                if y > lo && y < hi {
                    let widest =
                        rings.iter().filter(|ring| ring.1 == y).map(|ring| ring.0).fold(r, f32::max);
                    let t = (y - lo) / (hi - lo);
                    most = most.max(r_at(lo) * (1.0 - t) + r_at(hi) * t - widest);
                }
            }
        }
    }
    most
}

/// The inner wall of a vessel from its rim down to its floor.
fn inner_wall(rings: &[Ring], wall: f32, floor: f32) -> Vec<Ring> {
    let mut inner: Vec<Ring> = rings
        .iter()
        .rev()
        .filter(|ring| ring.1 > floor + 1e-4)
        .map(|&(r, y)| ((r - wall).max(wall * 0.2), y))
        .collect();
    inner.push(((radius_at(rings, floor) - wall * 1.2).max(wall * 0.2), floor));
    inner
}

/// The radius of a wall at a height.
fn radius_at(rings: &[Ring], y: f32) -> f32 {
    for pair in rings.windows(2) {
        let ((r0, y0), (r1, y1)) = (pair[0], pair[1]);
        if (y0.min(y1)..=y0.max(y1)).contains(&y) && (y1 - y0).abs() > 1e-9 {
            return r0 + (r1 - r0) * (y - y0) / (y1 - y0);
        }
    }
    let nearest = rings.iter().min_by(|a, b| (a.1 - y).abs().total_cmp(&(b.1 - y).abs()));
    nearest.map_or(0.0, |ring| ring.0)
}

/// How far a wall bends away from the straight line between its ends.
fn inner_bend(inner: &[Ring]) -> f32 {
    let (&(r0, y0), &(r1, y1)) = (&inner[0], &inner[inner.len() - 1]);
    let span = y1 - y0;
    if span.abs() < 1e-6 {
        return 0.0;
    }
    inner.iter().map(|&(r, y)| r - (r0 + (r1 - r0) * (y - y0) / span)).fold(0.0, f32::max)
}

/// Triangles of a simple outline in (x, z) that turns right in these axes (counter-clockwise from
/// above), by clipping ears.
fn ears(ring: &[Vec2]) -> Vec<[u32; 3]> {
    let mut left: Vec<u32> = (0..ring.len() as u32).collect();
    let mut out = Vec::new();
    let area = |a: Vec2, b: Vec2, c: Vec2| -(b - a).perp_dot(c - a);
    while left.len() > 3 {
        let count = left.len();
        let ear = (0..count).find(|&i| {
            let [a, b, c] = [left[(i + count - 1) % count], left[i], left[(i + 1) % count]];
            let [p, q, r] = [a, b, c].map(|index| ring[index as usize]);
            area(p, q, r) > 0.0
                && left.iter().all(|&other| {
                    let o = ring[other as usize];
                    other == a
                        || other == b
                        || other == c
                        || !(area(p, q, o) >= 0.0 && area(q, r, o) >= 0.0 && area(r, p, o) >= 0.0)
                })
        });
        let i = ear.unwrap_or(0);
        out.push([left[(i + count - 1) % count], left[i], left[(i + 1) % count]]);
        left.remove(i);
    }
    if let [a, b, c] = left[..] {
        out.push([a, b, c]);
    }
    out
}
