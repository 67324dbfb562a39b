//! Which clusters to draw, and in what order.

use super::Source;
use super::bake::{Cluster, Node};
use super::canvas::{Canvas, TILE, Tiles, View};
use super::cluster::Pass;
use super::simd::{Lanes, map2};
use crate::render::lens::Lens;

/// A box that is to be visited.
#[derive(Clone, Copy)]
pub(crate) struct Visit {
    placed: u32,
    node: u32,
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
        if let Some(root) = source.mesh(placed).nodes.first() {
            roots.extend(frustum.visit(view, placed as u32, 0, root));
        }
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
        let mesh = source.mesh(at.placed as usize);
        let node = &mesh.nodes[at.node as usize];
        if let Some(cluster) = node.cluster() {
            if !(frustum.cull && shows_its_back(&mesh.clusters[cluster], node, view)) {
                pass.draw(l, canvas, at.placed, cluster);
                canvas.touch(at.tiles);
            }
            continue;
        }
        let [left, right] = map2(
            node.children(at.node),
            #[inline(always)]
            |child| {
                let node = &mesh.nodes[child as usize];
                let visit = frustum.visit(view, at.placed, child, node)?;
                if let Some(cluster) = node.cluster() {
                    mesh.prefetch(l, &mesh.clusters[cluster]);
                }
                Some(visit)
            },
        );
        match (left, right) {
            (Some(left), Some(right)) => {
                let swap = left.nearest > right.nearest;
                stack.extend(if swap { [left, right] } else { [right, left] });
            }
            (Some(one), None) | (None, Some(one)) => stack.push(one),
            (None, None) => {}
        }
    }
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
    fn visit(&self, view: &View, placed: u32, index: u32, node: &Node) -> Option<Visit> {
        const SLACK: f32 = 4e-6;
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
        Some(Visit { placed, node: index, nearest, tiles: Tiles { x: tiles[0], y: tiles[1] } })
    }
}
