//! A cluster's vertices, eight at a time, and which of its triangles may be seen where.

use super::reach::{around, axial};
use super::specks::Queue;
use crate::render::fast::Source;
use crate::render::fast::bake::{Baked, CLUSTER, Cluster};
use crate::render::fast::canvas::{Canvas, VERTICES};
use crate::render::fast::cluster::look_up;
use crate::render::fast::doubles::FOUR;
use crate::render::fast::simd::{LANES, Lanes, inlined, map3, map8};
use crate::render::rays::Rays;
use crate::render::scenery::Posed;

/// More than a coordinate of a rounded direction errs by.
pub(super) const ROUNDED: f32 = 2e-7;

/// Room for the vertices of clusters whose triangles wait; their numbers have ten bits.
pub(crate) const POINTS: usize = 1024;

/// Draws clusters of one view.
pub(crate) struct Pass<'a> {
    pub(crate) source: &'a Source<'a>,
    pub(crate) rays: &'a Rays,
    /// Vertices in camera space, and their squared distances: the cluster's, and before them those of the
    /// last ones.
    pub(crate) points: Box<[[f64; 4]; POINTS]>,
    /// Where the next cluster's begin.
    next: usize,
    /// Triangles of one pixel, and of two columns and two rows at most.
    pub(crate) specks: Box<Queue>,
    pub(crate) tiny: Box<Queue>,
    /// Their directions, and their distances.
    directions: Box<[[f32; 4]; VERTICES]>,
    /// Where they are in the image. Equirectangular: azimuths that they surely lie between, first of −π to
    /// π and then of 0 to 2 π. Fisheye: right, down, and angle from the axis, in radians.
    places: Box<[[f32; 4]; VERTICES]>,
    /// The cluster's other triangles that may be seen.
    chosen: Vec<Chosen>,
    /// Whether colours of vertices will be asked for.
    colors: bool,
}

/// A triangle that may be seen.
#[derive(Clone, Copy)]
pub(crate) struct Chosen {
    /// Its number in the cluster.
    pub(crate) triangle: u32,
    /// Its corners among the points, counter-clockwise from its front.
    pub(crate) corners: [usize; 3],
    /// Least distance of anything in it.
    pub(crate) nearest: f32,
    /// First column and how many; those beyond the image are at its other side.
    pub(crate) columns: [i32; 2],
    /// First row and how many.
    pub(crate) rows: [i32; 2],
}

impl<'a> Pass<'a> {
    pub(crate) fn new(source: &'a Source<'a>, rays: &'a Rays, colors: bool) -> Self {
        Self {
            source,
            rays,
            points: Box::new([[0.0; 4]; POINTS]),
            next: 0,
            specks: Box::default(),
            tiny: Box::default(),
            directions: Box::new([[0.0; 4]; VERTICES]),
            places: Box::new([[0.0; 4]; VERTICES]),
            chosen: Vec::with_capacity(CLUSTER),
            colors,
        }
    }

    #[inline(always)]
    pub(crate) fn draw<L: Lanes>(&mut self, l: L, canvas: &mut Canvas, placed: u32, index: usize) {
        let source = self.source;
        let Some(pose) = &source.poses[placed as usize] else { return };
        let mesh = source.mesh(placed as usize);
        let cluster = &mesh.clusters[index];
        let first_slot = (canvas.drawn.len() * CLUSTER) as u32;
        let first = canvas.begin(placed, index, false, cluster.vertices);
        if self.next + cluster.vertices > POINTS {
            self.flush(l, canvas, 1);
            self.next = 0;
        }
        let vertices = &mut canvas.vertices[first..first + cluster.vertices];
        self.project(l, mesh, cluster, pose, vertices);
        let mut chosen = std::mem::take(&mut self.chosen);
        chosen.clear();
        self.sift(l, canvas, mesh, cluster, placed, first_slot, &mut chosen);
        self.next += cluster.vertices;
        self.flush(l, canvas, FOUR);
        for four in chosen.chunks(FOUR) {
            self.triangles(l, canvas, placed, first_slot, four);
        }
        self.chosen = chosen;
    }

    /// Takes a cluster's vertices to camera space and to the image.
    #[inline(always)]
    fn project<L: Lanes>(
        &mut self,
        l: L,
        mesh: &Baked,
        cluster: &Cluster,
        pose: &Posed,
        out: &mut [[f32; 4]],
    ) {
        let (m, t) = (&pose.camera_from_mesh.matrix, pose.camera_from_mesh.translation);
        let range = cluster.first_vertex / LANES..(cluster.first_vertex + cluster.vertices) / LANES;
        let white = [[255; 4]; LANES];
        let out = out.as_chunks_mut::<LANES>().0.iter_mut();
        let places = self.places.as_chunks_mut::<LANES>().0.iter_mut();
        let directions = self.directions.as_chunks_mut::<LANES>().0.iter_mut();
        let points = self.points[self.next..].as_chunks_mut::<LANES>().0.iter_mut();
        let all = mesh.vertices[range].iter().zip(out).zip(places.zip(directions).zip(points));
        // As `CameraFromMesh::point` has it.
        let row = inlined(
            #[inline(always)]
            |axis: usize, [x, y, z]: [L::D; 3]| {
                let parts = [
                    l.mul_d(l.d(m.x_axis[axis]), x),
                    l.mul_d(l.d(m.y_axis[axis]), y),
                    l.mul_d(l.d(m.z_axis[axis]), z),
                ];
                l.add_d(l.add_d(l.add_d(parts[0], parts[1]), parts[2]), l.d(t[axis]))
            },
        );
        for ((eight, out), ((places, directions), points)) in all {
            let [px, py, pz] = map3(
                [0, 1, 2],
                #[inline(always)]
                |axis: usize| l.doubled(&eight.positions[axis]),
            );
            let zero = l.d(0.0);
            let (mut at, mut to, mut far) = ([[zero; 2]; 3], [[zero; 2]; 3], [zero; 2]);
            for half in 0..2 {
                let mesh_point = [px[half], py[half], pz[half]];
                let [x, y, z] = [row(0, mesh_point), row(1, mesh_point), row(2, mesh_point)];
                let squared = l.add_d(l.add_d(l.mul_d(x, x), l.mul_d(y, y)), l.mul_d(z, z));
                for (k, point) in l.turned([x, y, z, squared]).into_iter().enumerate() {
                    points[half * FOUR + k] = l.d_to(point);
                }
                let distance = l.sqrt_d(squared);
                // At the eye itself there is no direction: not a number.
                let scale = l.div_d(l.d(1.0), distance);
                for (axis, value) in [x, y, z].into_iter().enumerate() {
                    (at[axis][half], to[axis][half]) = (value, l.mul_d(value, scale));
                }
                far[half] = distance;
            }
            let [cx, cy, cz] = [l.halved(at[0]), l.halved(at[1]), l.halved(at[2])];
            let [ux, uy, uz] = [l.halved(to[0]), l.halved(to[1]), l.halved(to[2])];
            let far = l.halved(far);
            let (x, y, z) = (l.f_from(&ux), l.f_from(&uy), l.f_from(&uz));
            put(l, directions, [x, y, z, l.f_from(&far)]);
            let place = if self.source.lens.fisheye { axial(l, x, y, z) } else { around(l, x, z) };
            put(l, places, place);
            let color = l.float(l.words(if self.colors { &eight.colors } else { &white }));
            put(l, out, [l.f_from(&cx), l.f_from(&cy), l.f_from(&cz), color]);
        }
    }

    /// Lists those of a cluster's triangles that may cover a pixel's middle and show their front.
    #[inline(always)]
    fn sift<L: Lanes>(
        &mut self,
        l: L,
        canvas: &Canvas,
        mesh: &Baked,
        cluster: &Cluster,
        placed: u32,
        first_slot: u32,
        chosen: &mut Vec<Chosen>,
    ) {
        let source = self.source;
        let lens = source.lens;
        let mirrored = source.poses[placed as usize].as_ref().is_some_and(|pose| pose.mirrored);
        let masked = source.scenery.placed[placed as usize].cutoff.is_some();
        let lanes = l.i_from(&[0, 1, 2, 3, 4, 5, 6, 7]);
        let base = self.next;
        let [width, height] = [lens.width as f32, lens.height as f32];
        let first = cluster.first_triangle / LANES;
        let range = first..first + cluster.triangles.div_ceil(LANES);
        let zero = l.f(0.0);
        for (group, [a, b, c]) in mesh.corners[range].iter().enumerate() {
            let (b, c) = if mirrored { (c, b) } else { (b, c) };
            let [p, q, r] = map3(
                [a, b, c],
                #[inline(always)]
                |corners| look_up(l, &self.directions, corners),
            );
            let minus = inlined(
                #[inline(always)]
                |a: &[L::F; 4], b: &[L::F; 4]| [l.sub(a[0], b[0]), l.sub(a[1], b[1]), l.sub(a[2], b[2])],
            );
            let dot = inlined(
                #[inline(always)]
                |a: [L::F; 3], b: [L::F; 3]| {
                    l.add(l.add(l.mul(a[0], b[0]), l.mul(a[1], b[1])), l.mul(a[2], b[2]))
                },
            );
            let (u, v, w) = (minus(&q, &p), minus(&r, &p), minus(&r, &q));
            // The longest side between ends of directions, squared.
            let side = l.max(l.max(dot(u, u), dot(v, v)), dot(w, w));
            let side = l.add(side, l.f(1e-6));
            let mut out = l.i(0);
            if lens.cull {
                let normal = [
                    l.sub(l.mul(u[1], v[2]), l.mul(u[2], v[1])),
                    l.sub(l.mul(u[2], v[0]), l.mul(u[0], v[2])),
                    l.sub(l.mul(u[0], v[1]), l.mul(u[1], v[0])),
                ];
                let facing = dot(normal, [p[0], p[1], p[2]]);
                // The side, times what rounding can turn it by. A root is at most s/2c + c/2, here for c = 0.02.
                let length = l.add(l.mul(side, l.f(25.0)), l.f(0.01));
                out = l.less(l.mul(length, l.f(ROUNDED * 16.0)), facing);
                if l.signs(out) == 255 {
                    continue;
                }
            }
            // Directions of what is between the corners are sums of theirs with shares that sum to 1,
            // divided by their lengths: at least √(1 − x) with x = side²/3. That is at least
            // 1 − x/2 − x²/2, and its inverse up to x = 0.7 at most 1 + x/2 + x².
            let sag = l.add(l.mul(side, l.f(1.0 / 3.0)), l.f(1e-6));
            let some = l.less(sag, l.f(0.7));
            let (half, squared) = (l.mul(sag, l.f(0.5)), l.mul(sag, sag));
            let shortest = l.sub(l.sub(l.f(1.0), half), l.mul(squared, l.f(0.5)));
            let stretch = l.add(l.add(l.f(1.0), half), squared);
            let nearest = l.mul(l.min(l.min(p[3], q[3]), r[3]), shortest);
            let nearest = l.pick(some, zero, l.mul(nearest, l.f(1.0 - 1e-5)));
            let places = map3(
                [a, b, c],
                #[inline(always)]
                |corners| look_up(l, &self.places, corners),
            );
            let reach = if lens.fisheye {
                self.axial(l, &places, side)
            } else {
                self.around(l, &places, [p[1], q[1], r[1]], stretch, some)
            };
            let whole = inlined(
                #[inline(always)]
                |[low, high]: [L::F; 2], least: f32, most: f32| {
                    // Rounded up and down: the largest whole number that is not larger.
                    let low = l.sub(zero, l.floor(l.sub(zero, l.max(low, l.f(least)))));
                    let high = l.floor(l.min(high, l.f(most)));
                    [l.cut(low), l.cut(high)]
                },
            );
            let rows = whole(reach.rows, 0.0, height - 1.0);
            let columns = if lens.fisheye {
                whole(reach.columns, 0.0, width - 1.0)
            } else {
                whole(reach.columns, -width, 2.0 * width)
            };
            let none = l.or(l.greater_i(columns[0], columns[1]), l.greater_i(rows[0], rows[1]));
            let filling = u32::MAX >> (32 - (cluster.triangles - group * LANES).clamp(1, LANES));
            let mut bits = !l.signs(l.or(out, none)) & filling & 255;
            if bits == 0 {
                continue;
            }
            if !masked {
                let (across, down) = (l.sub_i(columns[1], columns[0]), l.sub_i(rows[1], rows[0]));
                let one = l.i(1);
                let mut large = l.or(l.greater_i(across, one), l.greater_i(down, one));
                large = l.or(large, l.greater_i(l.i(0), columns[0]));
                large = l.or(large, l.greater_i(columns[1], l.i(lens.width as i32 - 1)));
                let point = inlined(
                    #[inline(always)]
                    |corners| l.add_i(l.widen(corners), l.i(base as i32)),
                );
                let low = l.or(point(a), l.shift_up::<10>(point(b)));
                let corners = l.or(low, l.shift_up::<20>(point(c)));
                let slot = l.add_i(l.i((first_slot as usize + group * LANES) as i32), lanes);
                let place = l.or(columns[0], l.shift_up::<16>(rows[0]));
                let more = l.or(across, l.shift_up::<1>(down));
                let values = [corners, slot, place, more];
                let small = bits & !l.signs(large);
                bits &= !small;
                let single = small & l.signs(l.equal_i(more, l.i(0)));
                if single != 0 {
                    // Those that are behind what is there are left out.
                    let at = l.add_i(l.mul_i(rows[0], l.i(canvas.stride as i32)), columns[0]);
                    let near = map8(
                        l.i_to(at),
                        #[inline(always)]
                        |at| canvas.near.get(at as usize).copied().unwrap_or(0.0),
                    );
                    let behind = l.less(l.sub(zero, nearest), l.f_from(&near));
                    self.specks.push(l, single & !l.signs(behind), values);
                }
                if single != small {
                    self.tiny.push(l, small & !single, values);
                }
                if bits == 0 {
                    continue;
                }
            }
            let [left, right] = [l.i_to(columns[0]), l.i_to(columns[1])];
            let [top, bottom] = [l.i_to(rows[0]), l.i_to(rows[1])];
            let nearest = l.f_to(nearest);
            while bits != 0 {
                let lane = (bits.trailing_zeros() & 7) as usize;
                bits &= bits - 1;
                let (width, mut first) = (lens.width as i32, left[lane]);
                let mut count = right[lane] - first + 1;
                if count >= width {
                    (first, count) = (0, width);
                } else if first < 0 {
                    first += width;
                } else if first >= width {
                    first -= width;
                }
                chosen.push(Chosen {
                    triangle: (group * LANES + lane) as u32,
                    corners: [a[lane], b[lane], c[lane]].map(|corner| base + usize::from(corner)),
                    nearest: nearest[lane],
                    columns: [first, count],
                    rows: [top[lane], bottom[lane] - top[lane] + 1],
                });
            }
        }
    }
}

/// Writes eight points of four numbers.
#[inline(always)]
fn put<L: Lanes>(l: L, out: &mut [[f32; 4]; LANES], columns: [L::F; 4]) {
    for (k, two) in l.points(columns).into_iter().enumerate() {
        let [a, b, c, d, e, f, g, h] = l.f_to(two);
        (out[k * 2], out[k * 2 + 1]) = ([a, b, c, d], [e, f, g, h]);
    }
}
