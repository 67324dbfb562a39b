//! Which clusters to draw, and in what order.

use super::Source;
use super::bake::{Cluster, Node};
use super::boxes::{Boxes, Link};
use super::canvas::{Canvas, TILE, Tiles, View};
use super::cluster::Pass;
use super::simd::{LANES, Lanes, inlined, map2, map3};
use crate::render::lens::Lens;

/// Share of a sum's parts that rounding can err by, and more.
const SLACK: f32 = 4e-6;

/// A box that is to be visited.
#[derive(Clone, Copy)]
pub(crate) struct Visit {
    placed: u32,
    link: Link,
    /// Least depth in it.
    nearest: f32,
    tiles: Tiles,
}

/// Draws what can be seen, near boxes first.
pub(crate) fn visit<L: Lanes>(l: L, source: &Source<'_>, canvas: &mut Canvas, colors: bool) {
    let mut pass = Pass::new(source, colors);
    let frustum = Frustum::new(source.lens, canvas);
    let mut roots: Vec<Visit> = Vec::new();
    for (placed, view) in source.views.iter().enumerate() {
        let Some(view) = view else { continue };
        let mesh = source.mesh(placed);
        let Some(root) = mesh.nodes.first() else { continue };
        let alone = root.cluster().and_then(|cluster| mesh.clusters.get(cluster));
        if frustum.cull && alone.is_some_and(|cluster| shows_its_back(cluster, root, view)) {
            continue;
        }
        let Some(mut visit) = frustum.visit(view, placed as u32, root) else { continue };
        if let Some((tolerance, stand_ins)) = source.stand_ins(placed) {
            visit.link = tolerance.choose(stand_ins, visit.link, visit.nearest, visit.tiles);
        }
        roots.push(visit);
    }
    roots.sort_unstable_by(|a, b| a.nearest.total_cmp(&b.nearest).then(a.placed.cmp(&b.placed)));
    let mut stack = std::mem::take(&mut canvas.stack);
    for root in roots {
        stack.push(root);
        l.run(
            #[inline(always)]
            || descend(l, source, &frustum, &mut pass, &mut stack, canvas),
        );
    }
    canvas.stack = stack;
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
    frustum: &Frustum,
    pass: &mut Pass<'_>,
    stack: &mut Vec<Visit>,
    canvas: &mut Canvas,
) {
    while let Some(at) = stack.pop() {
        if !canvas.may_show(l, at.tiles, frustum.nearness(at.nearest)) {
            continue;
        }
        let Some(view) = &source.views[at.placed as usize] else { continue };
        let stand_in = at.link.is_stand_in();
        if let Some(cluster) = at.link.cluster() {
            pass.draw(l, canvas, at.placed, cluster, stand_in);
            canvas.touch(at.tiles);
            continue;
        }
        let mesh = source.mesh(at.placed as usize).or_stand_ins(stand_in);
        let Some(boxes) = mesh.boxes.get(at.link.boxes()) else { continue };
        let found = frustum.eight(l, view, boxes);
        let from = stack.len();
        let stand_ins = if stand_in { None } else { source.stand_ins(at.placed as usize) };
        let replaced = match stand_ins {
            Some((tolerance, list)) => tolerance.candidates(l, list, at.link.boxes(), &found.nearest),
            None => 0,
        };
        let mut bits = found.bits;
        while bits != 0 {
            let lane = (bits.trailing_zeros() & 7) as usize;
            bits &= bits - 1;
            let mut link = boxes.links[lane];
            if let Some(cluster) = link.cluster() {
                mesh.prefetch(l, &mesh.clusters[cluster]);
            }
            if stand_in {
                link = link.stand_in();
            }
            let [x, y] = found.tiles;
            let nearest = found.nearest[lane];
            let tiles = Tiles {
                x: [x[0][lane] as u16, x[1][lane] as u16],
                y: [y[0][lane] as u16, y[1][lane] as u16],
            };
            if let Some((tolerance, list)) = stand_ins.filter(|_| replaced >> lane & 1 != 0) {
                link = tolerance.choose(list, link, nearest, tiles);
            }
            // Nearer ones come last, to be taken first.
            let visit = Visit { placed: at.placed, link, nearest, tiles };
            let mut to = stack.len();
            stack.push(visit);
            while to > from && stack[to - 1].nearest <= nearest {
                stack[to] = stack[to - 1];
                to -= 1;
            }
            stack[to] = visit;
        }
    }
}

/// Of eight boxes those that may be in view.
struct Found {
    bits: u32,
    nearest: [f32; LANES],
    /// First and last, excluded, for columns and rows.
    tiles: [[[i32; LANES]; 2]; 2],
}

fn shows_its_back(cluster: &Cluster, node: &Node, view: &View) -> bool {
    let Some(eye) = view.eye else { return false };
    let [x, y, z, cutoff] = cluster.cone;
    let [dx, dy, dz] = [0, 1, 2].map(|axis| node.center[axis] - eye[axis]);
    let along = x * dx + y * dy + z * dz;
    let distance = (dx * dx + dy * dy + dz * dz).sqrt();
    // Sooner said than decided by rounding.
    along >= cutoff * distance + cluster.radius * 1.001 + 1e-5 * distance
}

/// What the camera can see.
struct Frustum {
    orthographic: bool,
    cull: bool,
    near: f32,
    far: f32,
    /// Half the image in pixels.
    half: [f32; 2],
    tiles: [f32; 2],
}

impl Frustum {
    fn new(lens: &Lens, canvas: &Canvas) -> Self {
        Self {
            orthographic: lens.orthographic,
            cull: lens.cull,
            near: lens.near as f32,
            far: lens.far as f32,
            half: lens.center.map(|half| half as f32),
            tiles: [canvas.width, canvas.height].map(|side| side.div_ceil(TILE) as f32),
        }
    }

    /// Nearness of a depth.
    #[inline(always)]
    fn nearness(&self, depth: f32) -> f32 {
        if self.orthographic {
            -depth
        } else if depth > self.near {
            1.0 / depth
        } else {
            f32::INFINITY
        }
    }

    /// `None` for a box that surely is not in view. The box around the box in camera space is taken,
    /// a little larger than rounding can err.
    #[inline(always)]
    fn visit(&self, view: &View, placed: u32, node: &Node) -> Option<Visit> {
        let ([cx, cy, cz], [hx, hy, hz]) = (node.center, node.half);
        let project = |row: &[f32; 4]| {
            let [a, b, c, t] = *row;
            let (x, y, z) = (a * cx, b * cy, c * cz);
            let reach = a.abs() * hx + b.abs() * hy + c.abs() * hz;
            let slack = (x.abs() + y.abs() + z.abs() + t.abs() + reach) * SLACK;
            (x + y + z + t, reach + slack)
        };
        let (depth, deep) = project(&view.rows[2]);
        let (nearest, farthest) = (depth - deep, depth + deep);
        if farthest < self.near || nearest > self.far {
            return None;
        }
        let mut tiles = [[0_u16; 2]; 2];
        for axis in 0..2 {
            let (middle, reach) = project(&view.rows[axis]);
            let (low, high) = (middle - reach, middle + reach);
            let half = self.half[axis] + 1.0;
            let [low, high] = if self.orthographic {
                [low, high]
            } else {
                if low > half * farthest || high < -half * farthest {
                    return None;
                }
                if nearest <= self.near {
                    [-half, half]
                } else {
                    let (low_depth, high_depth) = (
                        if low < 0.0 { nearest } else { farthest },
                        if high > 0.0 { nearest } else { farthest },
                    );
                    [low / low_depth, high / high_depth]
                }
            };
            // A pixel more on both sides; casts cut fractions off, and saturate.
            let from = ((low + self.half[axis] - 1.0) / TILE as f32).max(0.0);
            let to = ((high + self.half[axis] + 1.0) / TILE as f32 + 1.0).min(self.tiles[axis]);
            if !(from < to) {
                return None;
            }
            tiles[axis] = [from as u16, to as u16];
        }
        let tiles = Tiles { x: tiles[0], y: tiles[1] };
        Some(Visit { placed, link: Link::of_root(node, 0), nearest, tiles })
    }

    /// The same of eight boxes at once; those that hold one cluster are also asked whether it shows
    /// its back.
    #[inline(always)]
    fn eight<L: Lanes>(&self, l: L, view: &View, boxes: &Boxes) -> Found {
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
        let dot = inlined(
            #[inline(always)]
            |row: [f32; 3], [x, y, z]: [L::F; 3]| {
                [l.mul(l.f(row[0]), x), l.mul(l.f(row[1]), y), l.mul(l.f(row[2]), z)]
            },
        );
        let sum = inlined(
            #[inline(always)]
            |[x, y, z]: [L::F; 3]| l.add(l.add(x, y), z),
        );
        let project = inlined(
            #[inline(always)]
            |[a, b, c, t]: [f32; 4]| {
                let parts = dot([a, b, c], center);
                let reach = sum(dot([a.abs(), b.abs(), c.abs()], half));
                let sizes = map3(
                    parts,
                    #[inline(always)]
                    |part| l.abs(part),
                );
                let sizes = l.add(l.add(sum(sizes), l.f(t.abs())), reach);
                (l.add(sum(parts), l.f(t)), l.add(reach, l.mul(sizes, l.f(SLACK))))
            },
        );
        let (near, far) = (l.f(self.near), l.f(self.far));
        let (depth, deep) = project(view.rows[2]);
        let (nearest, farthest) = (l.sub(depth, deep), l.add(depth, deep));
        let mut out = l.or(l.less(farthest, near), l.less(far, nearest));
        let behind = l.at_most(nearest, near);
        let zero = l.f(0.0);
        let mut tiles = [[[0; LANES]; 2]; 2];
        for axis in 0..2 {
            let (middle, reach) = project(view.rows[axis]);
            let (mut low, mut high) = (l.sub(middle, reach), l.add(middle, reach));
            let half = self.half[axis] + 1.0;
            if !self.orthographic {
                let widest = l.mul(l.f(half), farthest);
                out = l.or(out, l.or(l.less(widest, low), l.less(high, l.sub(zero, widest))));
                let low_depth = l.pick(l.less(low, zero), farthest, nearest);
                let high_depth = l.pick(l.less(zero, high), farthest, nearest);
                low = l.pick(behind, l.div(low, low_depth), l.f(-half));
                high = l.pick(behind, l.div(high, high_depth), l.f(half));
            }
            let (middle, one, tile) = (l.f(self.half[axis]), l.f(1.0), l.f(TILE as f32));
            let from = l.max(l.div(l.sub(l.add(low, middle), one), tile), zero);
            let to = l.add(l.div(l.add(l.add(high, middle), one), tile), one);
            let to = l.min(to, l.f(self.tiles[axis]));
            let some = l.less(from, to);
            out = l.or(out, l.and_not(some, l.i(-1)));
            tiles[axis] = map2(
                [from, to],
                #[inline(always)]
                |value| l.i_to(l.cut(value)),
            );
        }
        if let Some(eye) = view.eye.filter(|_| self.cull) {
            let away = map3(
                [0, 1, 2],
                #[inline(always)]
                |axis: usize| l.sub(center[axis], l.f(eye[axis])),
            );
            let cone = map3(
                [0, 1, 2],
                #[inline(always)]
                |axis: usize| l.mul(l.f_from(&boxes.cone[axis]), away[axis]),
            );
            let distance = l.sqrt(sum(map3(
                away,
                #[inline(always)]
                |value| l.mul(value, value),
            )));
            let cutoff = l.mul(l.f_from(&boxes.cone[3]), distance);
            let least = l.add(cutoff, l.mul(l.f_from(&boxes.radius), l.f(1.001)));
            let least = l.add(least, l.mul(l.f(1e-5), distance));
            out = l.or(out, l.at_most(least, sum(cone)));
        }
        Found { bits: boxes.used & !l.signs(out), nearest: l.f_to(nearest), tiles }
    }
}
