//! Triangles that are large, cross the near plane or may have holes: span by span.

use super::bake::{Baked, Cluster};
use super::canvas::Canvas;
use super::cluster::Pass;
use super::simd::{LANES, Lanes};
use super::small::STEPS;
use glam::DVec3;

/// A corner in the image: right and down from its middle in pixels, times its depth, and its depth
/// (times and 1 for an orthographic camera).
#[derive(Clone, Copy)]
struct Corner {
    /// As it is: position and depth.
    at: DVec3,
    /// As edges take it: rounded where it has a rounded place.
    edge: DVec3,
    /// Rounded place in parts of a pixel.
    place: Option<[f64; 2]>,
}

/// A side of the triangle: in each row, pixels right of it (`across` positive) or left of it are
/// inside.
struct Side {
    across: f64,
    down: f64,
    rest: f64,
    /// Pixels a unit.
    unit: f64,
}

impl Side {
    fn new(a: &Corner, b: &Corner, grid_parts: f64) -> Self {
        if let (Some([ax, ay]), Some([bx, by])) = (a.place, b.place) {
            // Whole numbers below 2^46: exact.
            let (dx, dy) = (bx - ax, by - ay);
            return Self { across: dy, down: -dx, rest: ay * dx - ax * dy, unit: 1.0 / grid_parts };
        }
        let (a, b) = (a.edge, b.edge);
        Self {
            across: b.y * a.z - a.y * b.z,
            down: a.x * b.z - b.x * a.z,
            rest: b.x * a.y - a.x * b.y,
            unit: 1.0,
        }
    }

    /// Cuts the range of columns whose middles are inside in a row, `y` below the image's middle.
    /// The triangle on the other side has all numbers negated, so that both find the same border.
    #[inline(always)]
    fn cut(&self, y: f64, half_width: f64, range: &mut [f64; 2]) {
        let row = self.down * (y / self.unit) + self.rest;
        if self.across == 0.0 {
            let inside = row > 0.0 || (row == 0.0 && self.down > 0.0);
            if !inside {
                range[1] = f64::NEG_INFINITY;
            }
            return;
        }
        // Column whose middle is on the border.
        let border = (-row / self.across) * self.unit + half_width - 0.5;
        let first = border.ceil();
        if self.across > 0.0 {
            range[0] = range[0].max(first);
        } else {
            range[1] = range[1].min(first - 1.0);
        }
    }
}

impl Pass<'_> {
    #[inline(always)]
    pub(crate) fn large<L: Lanes>(
        &mut self,
        l: L,
        canvas: &mut Canvas,
        mesh: &Baked,
        cluster: &Cluster,
        placed: u32,
        triangle: usize,
        first_vertex: usize,
        first_slot: u32,
    ) {
        let source = self.source;
        let lens = source.lens;
        let slot = first_slot + triangle as u32;
        let [a, b, c] = mesh.corners(cluster.first_triangle + triangle);
        let Some(pose) = &source.poses[placed as usize] else { return };
        let corners = if pose.mirrored { [a, c, b] } else { [a, b, c] };
        let outside = corners.map(|corner| self.outside[usize::from(corner)]);
        if outside[0] & outside[1] & outside[2] != 0 {
            return;
        }
        let mut points = corners.map(|corner| {
            let vertex = cluster.first_vertex + usize::from(corner);
            let p = pose.camera_from_mesh.point(mesh.position(vertex));
            let at = DVec3::new(p.x * lens.scale, -p.y * lens.scale, -p.z);
            let weight = if lens.orthographic { 1.0 } else { at.z };
            let place = (self.outside[usize::from(corner)] == 0).then(|| {
                let [x, y, ..] = canvas.vertices[first_vertex + usize::from(corner)];
                [self.grid.round(x), self.grid.round(y)]
            });
            let edge = match place {
                Some([x, y]) => {
                    let scale = weight / f64::from(self.grid.parts);
                    DVec3::new(x * scale, y * scale, weight)
                }
                None => DVec3::new(at.x, at.y, weight),
            };
            Corner { at, edge, place }
        });
        let facing = facing(&points);
        if facing < 0.0 && !lens.cull {
            points.swap(1, 2);
        } else if !(facing > 0.0) {
            return;
        }
        let [a, b, c] = &points;
        let parts = f64::from(self.grid.parts);
        let sides = [Side::new(a, b, parts), Side::new(b, c, parts), Side::new(c, a, parts)];
        let plane = Plane::new(points.map(|corner| corner.at), lens.orthographic);
        let depths = points.map(|corner| corner.at.z);
        let nearest = depths[0].min(depths[1]).min(depths[2]);
        let farthest = depths[0].max(depths[1]).max(depths[2]);
        if farthest < lens.near || nearest > lens.far {
            return;
        }
        let crosses = nearest < lens.near;
        let nearness = |depth: f64| if lens.orthographic { -depth } else { 1.0 / depth };
        let most = nearness(if crosses { lens.near } else { nearest }) as f32;
        let least = if crosses { f32::NEG_INFINITY } else { nearness(farthest) as f32 };
        let Some([left, right, top, bottom]) = self.reach(&points) else { return };
        let [half_width, half_height] = lens.center;

        let cutoff = source.scenery.placed[placed as usize].cutoff;
        let painted = cutoff.map(|cutoff| {
            let placed = &source.scenery.placed[placed as usize];
            let number = mesh.sources[cluster.first_triangle + triangle];
            (source.scenery.painted(lens, &pose.camera_from_mesh, placed, number), cutoff)
        });
        let (most_f, least_f) = (l.f(most), l.f(least));
        let step = l.mul(l.f_from(&STEPS), l.f(plane.x as f32));
        let lanes = l.f_from(&STEPS);
        for row in top..=bottom {
            let y = row as f64 + 0.5 - half_height;
            let mut range = [left as f64, right as f64];
            sides.iter().for_each(
                #[inline(always)]
                |side| side.cut(y, half_width, &mut range),
            );
            // NaN leaves nothing.
            if !(range[0] <= range[1]) {
                continue;
            }
            let (first, last) = (range[0] as usize, range[1] as usize);
            let x = first as f64 + 0.5 - half_width;
            let start = plane.x * x + plane.y * y + plane.rest;
            let start = if start.is_nan() { nearness(farthest) } else { start } as f32;
            let mut column = first;
            while column <= last {
                let along = (column - first) as f32;
                let value = l.add(l.f(start + plane.x as f32 * along), step);
                let mut mask = l.less(lanes, l.f((last - column) as f32 + 0.5));
                let value = if crosses {
                    mask = l.and(mask, l.at_most(value, most_f));
                    value
                } else {
                    l.max(l.min(value, most_f), least_f)
                };
                let at = row * canvas.stride + column;
                if let Some((painted, cutoff)) = &painted {
                    // Only where it is in front is it asked.
                    let near = canvas.near[at..].first_chunk::<LANES>();
                    let Some(near) = near else { break };
                    let close = l.signs(l.and(mask, l.less(l.f_from(near), l.mul(value, l.f(1.0001)))));
                    let solid: [i32; LANES] = std::array::from_fn(|lane| {
                        let asked = close >> lane & 1 != 0 || lens.orthographic;
                        -i32::from(asked && painted.color(lens, column + lane, row)[3] >= *cutoff)
                    });
                    mask = l.and(mask, l.i_from(&solid));
                }
                self.offer(l, canvas, at, value, mask, slot);
                column += LANES;
            }
        }
    }

    /// First and last column and row of what can be seen of a triangle.
    fn reach(&self, points: &[Corner; 3]) -> Option<[usize; 4]> {
        // Far more than projecting can err.
        const MARGIN: f64 = 0.01;
        let lens = self.source.lens;
        let mut low = [f64::INFINITY; 2];
        let mut high = [f64::NEG_INFINITY; 2];
        let mut grow = |p: DVec3| {
            let scale = if lens.orthographic { 1.0 } else { 1.0 / p.z };
            for (axis, value) in [p.x * scale, p.y * scale].into_iter().enumerate() {
                low[axis] = low[axis].min(value);
                high[axis] = high[axis].max(value);
            }
        };
        let behind = |p: DVec3| !lens.orthographic && p.z < lens.near;
        for (i, j) in [(0, 1), (1, 2), (2, 0)] {
            let (p, q) = (points[i].at, points[j].at);
            if !behind(p) {
                grow(p);
            }
            if behind(p) != behind(q) {
                let mut crossing = p + (q - p) * ((lens.near - p.z) / (q.z - p.z));
                crossing.z = lens.near;
                grow(crossing);
            }
        }
        let mut found = [0; 4];
        for (axis, count) in [lens.width, lens.height].into_iter().enumerate() {
            let low = low[axis] - MARGIN + lens.center[axis] - 0.5;
            let high = high[axis] + MARGIN + lens.center[axis] - 0.5;
            if !(high >= 0.0 && low <= (count - 1) as f64) {
                return None;
            }
            found[axis * 2] = low.max(0.0).ceil() as usize;
            found[axis * 2 + 1] = (high as usize).min(count - 1);
        }
        Some(found)
    }
}

/// Positive for a triangle seen from its front.
fn facing(points: &[Corner; 3]) -> f64 {
    if let [Some([ax, ay]), Some([bx, by]), Some([cx, cy])] = points.each_ref().map(|p| p.place) {
        return (cx - ax) * (by - ay) - (bx - ax) * (cy - ay);
    }
    let [a, b, c] = points.each_ref().map(|p| p.edge);
    c.x * (b.y * a.z - a.y * b.z) + c.y * (a.x * b.z - b.x * a.z) + c.z * (b.x * a.y - a.x * b.y)
}

/// Nearness as a function of the place in the image: x, y in pixels from the middle.
struct Plane {
    x: f64,
    y: f64,
    rest: f64,
}

impl Plane {
    /// From the edges' own vectors rather than from the eye's: small far triangles keep their digits.
    fn new([a, b, c]: [DVec3; 3], orthographic: bool) -> Self {
        let (u, v) = (b - a, c - a);
        let normal = DVec3::new(u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x);
        let offset = normal.x * a.x + normal.y * a.y + normal.z * a.z;
        if orthographic {
            Self { x: normal.x / normal.z, y: normal.y / normal.z, rest: -offset / normal.z }
        } else {
            Self { x: normal.x / offset, y: normal.y / offset, rest: normal.z / offset }
        }
    }
}
