//! Which triangle each pixel sees, and how far away it is.

use super::NOTHING;
use super::lens::{Lens, Plane};
use glam::DVec3;

/// Working memory of one view, kept between views.
#[derive(Default)]
pub(crate) struct Canvas {
    /// Depth of what each pixel sees; infinite where nothing is.
    pub(crate) depth: Vec<f32>,
    /// What each pixel sees: number of the triangle in the scene, or [`NOTHING`].
    pub(crate) seen: Vec<u32>,
    /// rx of each column.
    rays_x: Vec<f64>,
    /// ry of each row.
    rays_y: Vec<f64>,
    /// Vertices of the cluster being drawn, in camera space and in the image.
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) projected: Vec<[f64; 2]>,
}

/// One side of a triangle: `normal · ray` is positive inside.
struct Side {
    normal: DVec3,
    /// Whether a ray exactly on it is inside. Of two triangles that share an edge, exactly one
    /// owns it, since their normals are opposite.
    owned: bool,
}

impl Side {
    fn new(normal: DVec3) -> Self {
        let DVec3 { x, y, z } = normal;
        Self { normal, owned: x > 0.0 || (x == 0.0 && (y > 0.0 || (y == 0.0 && z > 0.0))) }
    }

    #[inline]
    fn row(&self, ry: f64) -> f64 {
        self.normal.y * ry - self.normal.z
    }

    #[inline]
    fn holds(&self, rx: f64, row: f64) -> bool {
        let side = self.normal.x * rx + row;
        side > 0.0 || (side == 0.0 && self.owned)
    }
}

/// Pixels whose middles may lie inside: columns and rows, ends excluded.
struct Rect {
    x: std::ops::Range<usize>,
    y: std::ops::Range<usize>,
}

impl Canvas {
    pub(crate) fn reset(&mut self, lens: &Lens) {
        let count = lens.width * lens.height;
        self.depth.clear();
        self.depth.resize(count, f32::INFINITY);
        self.seen.clear();
        self.seen.resize(count, NOTHING);
        self.rays_x.clear();
        self.rays_x.extend((0..lens.width).map(|column| lens.ray_x(column)));
        self.rays_y.clear();
        self.rays_y.extend((0..lens.height).map(|row| lens.ray_y(row)));
    }

    /// Draws the triangle with the given corners (indices into the cluster's vertices,
    /// counter-clockwise from its front) as number `number`. Of two triangles at the same depth
    /// the one with the lower number is seen, in whatever order they come. `opaque` says for a
    /// pixel whether the triangle is there or has a hole.
    pub(crate) fn draw(
        &mut self,
        lens: &Lens,
        corners: [usize; 3],
        number: u32,
        opaque: impl Fn(usize, usize) -> bool,
    ) {
        if lens.wide.is_some() {
            return self.draw_wide(lens, corners, number, opaque);
        }
        let [i, j, k] = corners;
        let Some(rect) = self.rect(lens, corners) else { return };
        let (a, mut b, mut c) = (self.vertices[i], self.vertices[j], self.vertices[k]);
        let plane = Plane::new(lens, [a, b, c]);
        let facing = plane.facing();
        let shows = facing > 0.0 || (facing < 0.0 && !lens.cull);
        if !shows || plane.farthest() < lens.near || plane.nearest() > lens.far {
            return;
        }
        if facing < 0.0 {
            std::mem::swap(&mut b, &mut c);
        }
        let sides = [(b, c), (c, a), (a, b)].map(|(from, to)| Side::new(lens.edge(from, to)));
        for y in rect.y {
            let ry = self.rays_y[y];
            let rows = [sides[0].row(ry), sides[1].row(ry), sides[2].row(ry)];
            for x in rect.x.clone() {
                let rx = self.rays_x[x];
                let inside = sides[0].holds(rx, rows[0])
                    && sides[1].holds(rx, rows[1])
                    && sides[2].holds(rx, rows[2]);
                if !inside {
                    continue;
                }
                let exact = plane.depth(rx, ry);
                if !(exact >= lens.near && exact <= lens.far) {
                    continue;
                }
                self.offer(y * lens.width + x, exact as f32, number, || opaque(x, y));
            }
        }
    }

    /// A pixel shows the triangle if it is the nearest so far (of equal ones the first) and no hole there.
    #[inline(always)]
    fn offer(&mut self, pixel: usize, depth: f32, number: u32, opaque: impl FnOnce() -> bool) {
        let (best, winner) = (&mut self.depth[pixel], &mut self.seen[pixel]);
        let nearer = depth < *best || (depth == *best && number < *winner);
        if nearer && opaque() {
            *best = depth;
            *winner = number;
        }
    }

    /// Whether all that may see a ball sees something nearer already; for rays in any direction.
    pub(crate) fn hides(&self, lens: &Lens, middle: DVec3, radius: f64) -> bool {
        // Rounded as depths are, which keeps their order.
        let nearest = (middle.length() - radius) as f32;
        super::wide::rects(lens, middle, radius).all(|(columns, mut rows)| {
            rows.all(|y| {
                let row = &self.depth[y * lens.width..];
                row[columns.clone()].iter().all(|&depth| depth < nearest)
            })
        })
    }

    /// The same as [`Canvas::draw`] for rays in any direction. Depth here is distance.
    fn draw_wide(
        &mut self,
        lens: &Lens,
        corners: [usize; 3],
        number: u32,
        opaque: impl Fn(usize, usize) -> bool,
    ) {
        let [a, mut b, mut c] = corners.map(|index| self.vertices[index]);
        let plane = Plane::new(lens, [a, b, c]);
        let facing = plane.facing();
        let shows = facing > 0.0 || (facing < 0.0 && !lens.cull);
        let farthest = a.length().max(b.length()).max(c.length());
        let nearest = plane.away();
        if !shows || farthest < lens.near || nearest > lens.far {
            return;
        }
        if facing < 0.0 {
            std::mem::swap(&mut b, &mut c);
        }
        let sides = [(b, c), (c, a), (a, b)].map(|(from, to)| Side::new(lens.edge(from, to)));
        let middle = (a + b + c) / 3.0;
        let radius = (a - middle).length().max((b - middle).length()).max((c - middle).length());
        for (columns, rows) in super::wide::rects(lens, middle, radius * (1.0 + 1e-9)) {
            for y in rows {
                for x in columns.clone() {
                    // Its nearest place, rounded as depths are.
                    if self.depth[y * lens.width + x] < nearest as f32 {
                        continue;
                    }
                    let ray = lens.ray(x, y);
                    // In the order that makes shared edges exactly opposite.
                    let inside = sides.iter().all(|side| {
                        let n = side.normal;
                        side.holds(ray.x, n.y * ray.y + n.z * ray.z)
                    });
                    if !inside || ray == DVec3::ZERO {
                        continue;
                    }
                    let exact = plane.distance(ray).max(nearest).min(farthest);
                    if !(exact >= lens.near && exact <= lens.far) {
                        continue;
                    }
                    self.offer(y * lens.width + x, exact as f32, number, || opaque(x, y));
                }
            }
        }
    }

    /// The pixels that the triangle can cover. Grown by a thousandth of a pixel, far more than
    /// projection can err: coverage is for the edges alone to decide.
    fn rect(&self, lens: &Lens, corners: [usize; 3]) -> Option<Rect> {
        const MARGIN: f64 = 1e-3;
        let mut low = [f64::INFINITY; 2];
        let mut high = [f64::NEG_INFINITY; 2];
        let mut grow = |[x, y]: [f64; 2]| {
            low = [low[0].min(x), low[1].min(y)];
            high = [high[0].max(x), high[1].max(y)];
        };
        let behind = |index: usize| !lens.orthographic && -self.vertices[index].z < lens.near;
        let [i, j, k] = corners;
        if !(behind(i) || behind(j) || behind(k)) {
            corners.iter().for_each(|&index| grow(self.projected[index]));
        } else {
            // Only the part beyond the near plane can be seen: its corners are the corners beyond
            // it and the points where edges cross it.
            for (from, to) in [(i, j), (j, k), (k, i)] {
                if !behind(from) {
                    grow(self.projected[from]);
                }
                if behind(from) != behind(to) {
                    let (p, q) = (self.vertices[from], self.vertices[to]);
                    let share = (-lens.near - p.z) / (q.z - p.z);
                    let mut crossing = p + (q - p) * share;
                    crossing.z = -lens.near;
                    grow(lens.project(crossing));
                }
            }
        }
        let range = |low: f64, high: f64, size: usize| {
            // The first pixel whose middle is not left of `low`, and the one after the last whose
            // middle is not right of `high`. Casts of floats cut fractions off, saturate, and
            // take NaN to 0.
            let low = (low - MARGIN - 0.5).max(0.0);
            let whole = low as usize;
            let first = whole.saturating_add(usize::from(low > whole as f64));
            let end = ((high + MARGIN + 0.5).max(0.0) as usize).min(size);
            (first < end).then_some(first..end)
        };
        Some(Rect { x: range(low[0], high[0], lens.width)?, y: range(low[1], high[1], lens.height)? })
    }
}
