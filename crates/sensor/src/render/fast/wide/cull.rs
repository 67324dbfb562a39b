//! Which clusters to draw, and in what order.

use super::angles::{self, arc_sine, stretch, turn};
use super::cluster::Pass;
use crate::render::fast::Source;
use crate::render::fast::boxes::{Boxes, Link};
use crate::render::fast::canvas::{Canvas, TILE, Tiles};
use crate::render::fast::simd::{Lanes, inlined, map3};
use crate::render::lens::Lens;
use crate::render::rays::Rays;
use crate::render::scenery::Posed;
use std::f32::consts::{FRAC_PI_2, PI};

/// Share of a sum's parts that rounding can err by, and more.
const SLACK: f32 = 4e-6;
/// What is added to image positions on all sides, pixels.
const MARGIN: f32 = 0.1;
/// Nearer to the back of a fisheye than this, radians, images of small things have any size.
const BACK: f32 = 0.3;

/// A placement as the camera sees it, in single precision.
struct View {
    /// Takes points to camera space.
    rows: [[f32; 4]; 3],
    /// What the mesh's axes are stretched by, at most: of a box along them, half its diagonal in camera
    /// space is at most the root of the sum of the squares.
    axes: [f32; 3],
    /// What any distance is stretched by at least.
    least: f32,
    /// The eye in the mesh's frame.
    eye: Option<[f32; 3]>,
}

impl View {
    fn new(pose: &Posed) -> Self {
        let (m, t) = (&pose.camera_from_mesh.matrix, pose.camera_from_mesh.translation);
        let axes = [m.x_axis, m.y_axis, m.z_axis];
        let sizes = axes.map(|axis| axis.length());
        let square = [(0, 1), (1, 2), (2, 0)]
            .into_iter()
            .all(|(i, j)| axes[i].dot(axes[j]).abs() <= 1e-5 * sizes[i] * sizes[j]);
        // (a + b + c)² <= 3 (a² + b² + c²).
        let (most, least) = if square { (1.0 + 3e-5, 1.0 - 3e-5) } else { (1.7321, 0.0) };
        let eye = Some(-(m.inverse() * t).as_vec3()).filter(|eye| eye.is_finite());
        Self {
            rows: [0, 1, 2].map(|axis| {
                [m.x_axis[axis], m.y_axis[axis], m.z_axis[axis], t[axis]].map(|value| value as f32)
            }),
            axes: sizes.map(|size| (size * most) as f32),
            least: (sizes[0].min(sizes[1]).min(sizes[2]) * least) as f32,
            eye: eye.map(|eye| eye.to_array()),
        }
    }
}

/// A box that is to be visited.
#[derive(Clone, Copy)]
struct Visit {
    placed: u32,
    link: Link,
    /// Least distance of anything in it.
    nearest: f32,
    /// The second has tiles where the first reaches across the seam of an equirectangular image.
    tiles: [Tiles; 2],
}

/// Draws what can be seen, near boxes first.
pub(super) fn visit<L: Lanes>(
    l: L,
    source: &Source<'_>,
    rays: &Rays,
    canvas: &mut Canvas,
    colors: bool,
) {
    let mut pass = Pass::new(source, rays, colors);
    let sight = Sight::new(source.lens);
    let views: Vec<Option<View>> =
        source.poses.iter().map(|pose| pose.as_ref().map(View::new)).collect();
    let mut roots: Vec<Visit> = Vec::new();
    for (placed, view) in views.iter().enumerate() {
        let Some(view) = view else { continue };
        let mesh = source.mesh(placed);
        let Some(alone) = Boxes::of_root(&mesh.nodes, &mesh.clusters) else { continue };
        l.run(
            #[inline(always)]
            || sight.push(l, view, placed as u32, &alone, &mut roots),
        );
    }
    roots.sort_unstable_by(|a, b| a.nearest.total_cmp(&b.nearest).then(a.placed.cmp(&b.placed)));
    let mut stack = Vec::new();
    for root in roots {
        stack.push(root);
        l.run(
            #[inline(always)]
            || descend(l, source, &views, &sight, &mut pass, &mut stack, canvas),
        );
    }
    l.run(
        #[inline(always)]
        || pass.flush(l, canvas, 1),
    );
}

/// Visits all boxes on the stack and below, the last first.
#[inline(always)]
fn descend<L: Lanes>(
    l: L,
    source: &Source<'_>,
    views: &[Option<View>],
    sight: &Sight,
    pass: &mut Pass<'_>,
    stack: &mut Vec<Visit>,
    canvas: &mut Canvas,
) {
    while let Some(at) = stack.pop() {
        let [first, second] = at.tiles;
        if !canvas.may_show(l, first, -at.nearest) && !canvas.may_show(l, second, -at.nearest) {
            continue;
        }
        let Some(view) = &views[at.placed as usize] else { continue };
        let mesh = source.mesh(at.placed as usize);
        if let Some(cluster) = at.link.cluster() {
            pass.draw(l, canvas, at.placed, cluster);
            canvas.touch(first);
            canvas.touch(second);
            continue;
        }
        let Some(boxes) = mesh.boxes.get(at.link.boxes()) else { continue };
        let from = stack.len();
        sight.push(l, view, at.placed, boxes, stack);
        for visit in &stack[from..] {
            if let Some(cluster) = visit.link.cluster() {
                mesh.prefetch(l, &mesh.clusters[cluster]);
            }
        }
    }
}

/// What the camera can see.
struct Sight {
    fisheye: bool,
    cull: bool,
    far: f32,
    size: [f32; 2],
    /// Pixels a radian to the right and down.
    scale: [f32; 2],
    /// The largest angle from the axis that a pixel sees, radians.
    widest: f32,
}

/// Of eight boxes those that may be in view.
struct Found<L: Lanes> {
    /// Set for those that are not.
    out: L::I,
    /// First and last image position to the right and down, in pixels.
    columns: [L::F; 2],
    rows: [L::F; 2],
}

impl Sight {
    fn new(lens: &Lens) -> Self {
        let [width, height] = [lens.width, lens.height].map(|side| side as f32);
        let scale = lens.scale as f32;
        let corner = (width * width + height * height).sqrt() * 0.5 / scale;
        Self {
            fisheye: lens.fisheye,
            cull: lens.cull,
            far: lens.far as f32,
            size: [width, height],
            scale: if lens.fisheye { [scale, scale] } else { [scale, height / PI] },
            widest: (width * 0.5 / scale).min(corner) + 1e-3,
        }
    }

    /// Adds those of eight boxes that may be seen, the farthest first.
    #[inline(always)]
    fn push<L: Lanes>(&self, l: L, view: &View, placed: u32, boxes: &Boxes, to: &mut Vec<Visit>) {
        let zero = l.f(0.0);
        let sum = inlined(
            #[inline(always)]
            |[x, y, z]: [L::F; 3]| l.add(l.add(x, y), z),
        );
        let square = inlined(
            #[inline(always)]
            |values: [L::F; 3]| {
                sum(map3(
                    values,
                    #[inline(always)]
                    |value| l.mul(value, value),
                ))
            },
        );
        let center = map3(
            boxes.center,
            #[inline(always)]
            |list| l.f_from(&list),
        );
        let half = map3(
            boxes.half,
            #[inline(always)]
            |list| l.f_from(&list),
        );
        // A ball around the box, in camera space, a little larger than rounding can err.
        let mut slack = zero;
        let mut project = inlined(
            #[inline(always)]
            |[a, b, c, t]: [f32; 4]| {
                let parts =
                    [l.mul(l.f(a), center[0]), l.mul(l.f(b), center[1]), l.mul(l.f(c), center[2])];
                let sizes = map3(
                    parts,
                    #[inline(always)]
                    |part| l.abs(part),
                );
                slack = l.max(slack, l.add(sum(sizes), l.f(t.abs())));
                l.add(sum(parts), l.f(t))
            },
        );
        let middle = [project(view.rows[0]), project(view.rows[1]), project(view.rows[2])];
        let slack = l.mul(slack, l.f(SLACK));
        let radius = l.sqrt(square(map3(
            [0, 1, 2],
            #[inline(always)]
            |axis: usize| l.mul(half[axis], l.f(view.axes[axis])),
        )));
        let radius = l.add(l.mul(radius, l.f(1.0 + 1e-5)), slack);
        let distance = l.sqrt(square(middle));
        let mut nearest = l.sub(l.mul(distance, l.f(1.0 - 1e-5)), radius);
        let found = if self.fisheye {
            self.fisheye(l, middle, radius, distance)
        } else {
            self.around(l, middle, radius, distance)
        };
        let mut out = found.out;
        if let Some(eye) = view.eye {
            let away = map3(
                [0, 1, 2],
                #[inline(always)]
                |axis: usize| l.sub(center[axis], l.f(eye[axis])),
            );
            // From the eye to the box.
            let gap = map3(
                [0, 1, 2],
                #[inline(always)]
                |axis: usize| {
                    let size = l.add(l.abs(center[axis]), l.f(eye[axis].abs()));
                    let reach = l.add(half[axis], l.mul(size, l.f(SLACK)));
                    l.max(l.sub(l.abs(away[axis]), reach), zero)
                },
            );
            nearest = l.max(nearest, l.mul(l.sqrt(square(gap)), l.f(view.least)));
            if self.cull {
                let cone = map3(
                    [0, 1, 2],
                    #[inline(always)]
                    |axis: usize| l.mul(l.f_from(&boxes.cone[axis]), away[axis]),
                );
                let distance = l.sqrt(square(away));
                let cutoff = l.mul(l.f_from(&boxes.cone[3]), distance);
                let least = l.add(cutoff, l.mul(l.f_from(&boxes.radius), l.f(1.001)));
                let least = l.add(least, l.mul(l.f(1e-5), distance));
                out = l.or(out, l.at_most(least, sum(cone)));
            }
        }
        out = l.or(out, l.less(l.f(self.far), nearest));
        let mut bits = boxes.used & !l.signs(out);
        let nearest = l.f_to(nearest);
        let [left, right, top, bottom] = [
            l.f_to(found.columns[0]),
            l.f_to(found.columns[1]),
            l.f_to(found.rows[0]),
            l.f_to(found.rows[1]),
        ];
        let from = to.len();
        while bits != 0 {
            let lane = (bits.trailing_zeros() & 7) as usize;
            bits &= bits - 1;
            let tiles = self.tiles([left[lane], right[lane]], [top[lane], bottom[lane]]);
            let visit = Visit { placed, link: boxes.links[lane], nearest: nearest[lane], tiles };
            // Nearer ones come last, to be taken first.
            let mut at = to.len();
            to.push(visit);
            while at > from && to[at - 1].nearest <= visit.nearest {
                to[at] = to[at - 1];
                at -= 1;
            }
            to[at] = visit;
        }
    }

    /// Where balls are in an equirectangular image.
    #[inline(always)]
    fn around<L: Lanes>(&self, l: L, middle: [L::F; 3], radius: L::F, distance: L::F) -> Found<L> {
        let one = l.f(1.0);
        let [x, y, z] = middle;
        let level = l.sqrt(l.add(l.mul(x, x), l.mul(z, z)));
        let slack = l.f(angles::ERROR * 4.0);
        let sine = inlined(
            #[inline(always)]
            |of: L::F| l.min(l.add(l.mul(l.div(radius, of), l.f(1.0 + 1e-5)), l.f(1e-6)), one),
        );
        let reach = l.add(arc_sine(l, sine(distance)), slack);
        let elevation = turn(l, y, level);
        let (low, high) = (l.sub(elevation, reach), l.add(elevation, reach));
        let spread = l.add(arc_sine(l, sine(level)), slack);
        let azimuth = turn(l, x, l.sub(l.f(0.0), z));
        let place = inlined(
            #[inline(always)]
            |middle: f32, scale: f32, angle: L::F, margin: f32| {
                l.add(l.add(l.mul(angle, l.f(scale)), l.f(middle)), l.f(margin))
            },
        );
        let [across, down] = self.scale;
        let [width, height] = self.size;
        let left = place(width * 0.5, across, l.sub(azimuth, spread), -MARGIN);
        let right = place(width * 0.5, across, l.add(azimuth, spread), MARGIN);
        let top = place(height * 0.5, -down, high, -MARGIN);
        let bottom = place(height * 0.5, -down, low, MARGIN);
        // Those around the eye, and those that take in a pole. Comparisons are false for NaN.
        let outside = l.less(l.mul(radius, l.f(1.0 + 1e-4)), distance);
        let steep = l.f(FRAC_PI_2 - 1e-3);
        let no_pole = l.and(l.less(high, steep), l.less(l.sub(l.f(0.0), steep), low));
        let narrow = l.and(outside, no_pole);
        Found {
            out: l.i(0),
            columns: [l.pick(narrow, l.f(0.0), left), l.pick(narrow, l.f(width), right)],
            rows: [l.pick(outside, l.f(0.0), top), l.pick(outside, l.f(height), bottom)],
        }
    }

    /// Where balls are in a fisheye image.
    #[inline(always)]
    fn fisheye<L: Lanes>(&self, l: L, middle: [L::F; 3], radius: L::F, distance: L::F) -> Found<L> {
        let (zero, one) = (l.f(0.0), l.f(1.0));
        let [x, y, z] = middle;
        let side = l.sqrt(l.add(l.mul(x, x), l.mul(y, y)));
        let sine = l.add(l.mul(l.div(radius, distance), l.f(1.0 + 1e-5)), l.f(1e-6));
        let reach = l.add(arc_sine(l, l.min(sine, one)), l.f(angles::ERROR * 4.0));
        let angle = turn(l, side, l.sub(zero, z));
        let most = l.add(angle, reach);
        // What is within reach on the sphere is within this of the middle's image.
        let within = l.mul(reach, stretch(l, most));
        let along = l.div(angle, side);
        let known = l.less(l.mul(distance, l.f(1e-6)), side);
        let [right, down] = [l.mul(x, along), l.sub(zero, l.mul(y, along))];
        let small =
            l.and(l.less(l.mul(radius, l.f(1.0 + 1e-4)), distance), l.less(most, l.f(PI - BACK)));
        let ends = inlined(
            #[inline(always)]
            |axis: usize, middle: L::F| {
                let middle = l.pick(known, zero, middle);
                let (size, scale) = (self.size[axis], l.f(self.scale[axis]));
                let margin = l.f(MARGIN);
                let low = l.sub(l.mul(l.sub(middle, within), scale), margin);
                let high = l.add(l.mul(l.add(middle, within), scale), margin);
                let half = l.f(size * 0.5);
                [l.pick(small, zero, l.add(low, half)), l.pick(small, l.f(size), l.add(high, half))]
            },
        );
        let outside = l.less(l.mul(radius, l.f(1.0 + 1e-4)), distance);
        let beyond = l.and(outside, l.less(l.f(self.widest), l.sub(angle, reach)));
        Found { out: beyond, columns: ends(0, right), rows: ends(1, down) }
    }

    /// Tiles with pixels between two places.
    #[inline(always)]
    fn tiles(&self, columns: [f32; 2], rows: [f32; 2]) -> [Tiles; 2] {
        let [width, height] = self.size;
        // Casts cut fractions off and saturate.
        let range = |[low, high]: [f32; 2], size: f32| {
            let end = (size / TILE as f32).ceil();
            let from = (low / TILE as f32).max(0.0);
            let to = (high / TILE as f32 + 1.0).min(end);
            if from < to { [from as u16, to as u16] } else { [0, 0] }
        };
        let y = range(rows, height);
        let [left, right] = columns;
        let x = range(columns, width);
        let across = if self.fisheye || right - left >= width {
            [0, 0]
        } else if left < 0.0 {
            range([left + width, width], width)
        } else if right > width {
            range([0.0, right - width], width)
        } else {
            [0, 0]
        };
        let x = if !self.fisheye && right - left >= width { range([0.0, width], width) } else { x };
        [Tiles { x, y }, Tiles { x: across, y }]
    }
}
