//! Outlines of regions: traced along voxel edges, then simplified.
//!
//! Follows Recast's `rcBuildContours`. Not taken from `rerecast` 0.4, which squares the edge
//! length in 16 bits (wrong for cells under 4.7 cm) and leaves holes unmerged, so that a region
//! around an obstacle is filled over it.

use rerecast::{CompactHeightfield, CompactSpan};

use super::filter::STEPS;

/// The neighbour's region in a corner's `tag`; 0 = none.
const REGION: u32 = 0xffff;
/// In a corner's `tag`: the neighbour across the edge is open space of another kind.
const AREA_EDGE: u32 = 0x2_0000;
/// Longest outline that is traced, as Recast's.
const MAX_STEPS: usize = 40_000;

/// A corner of an outline, in voxels from the grid's lower corner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Corner {
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) z: i32,
    /// While traced: what lies across the edge that starts here. While simplified: index of the
    /// traced corner.
    pub(super) tag: u32,
}

impl Corner {
    /// Whether two corners are at one place seen from above.
    pub(super) fn same_place(&self, other: &Self) -> bool {
        self.x == other.x && self.z == other.z
    }
}

/// A simplified outline; clockwise seen from above for outer ones, the other way for holes.
#[derive(Clone, Debug)]
pub(super) struct Contour {
    pub(super) corners: Vec<Corner>,
    pub(super) region: u16,
}

struct Tracer<'a> {
    space: &'a CompactHeightfield,
    /// For each span, a bit for each side that borders another region.
    sides: Vec<u8>,
}

impl Tracer<'_> {
    fn neighbour(&self, x: i32, z: i32, span: &CompactSpan, dir: usize) -> Option<(i32, i32, usize)> {
        let layer = span.con(dir as u8)?;
        let (nx, nz) = (x + STEPS[dir].0, z + STEPS[dir].1);
        let cell = self.space.cells[(nx + nz * i32::from(self.space.width)) as usize];
        Some((nx, nz, cell.index() as usize + usize::from(layer)))
    }

    fn region(&self, index: usize) -> u16 {
        self.space.spans[index].region.bits()
    }

    /// Marks the sides of every span that face another region.
    fn mark(&mut self) {
        self.for_each_span(|tracer, x, z, index| {
            let region = tracer.region(index);
            if region == 0 {
                return;
            }
            let span = tracer.space.spans[index].clone();
            for dir in 0..4 {
                let other = tracer.neighbour(x, z, &span, dir).map_or(0, |(_, _, n)| tracer.region(n));
                if other != region {
                    tracer.sides[index] |= 1 << dir;
                }
            }
        });
    }

    fn for_each_span(&mut self, mut visit: impl FnMut(&mut Self, i32, i32, usize)) {
        let (width, depth) = (i32::from(self.space.width), i32::from(self.space.height));
        for z in 0..depth {
            for x in 0..width {
                for index in self.space.cells[(x + z * width) as usize].index_range() {
                    visit(self, x, z, index);
                }
            }
        }
    }

    /// Height of the corner between side `dir` and the next: the highest of the spans around it.
    fn corner_height(&self, x: i32, z: i32, index: usize, dir: usize) -> i32 {
        let span = &self.space.spans[index];
        let next = (dir + 1) & 3;
        let mut height = span.y;
        for (first, second) in [(dir, next), (next, dir)] {
            if let Some((nx, nz, near)) = self.neighbour(x, z, span, first) {
                let near = &self.space.spans[near];
                height = height.max(near.y);
                if let Some((_, _, far)) = self.neighbour(nx, nz, near, second) {
                    height = height.max(self.space.spans[far].y);
                }
            }
        }
        i32::from(height)
    }

    /// Walks around a region from its first open side, a corner for every side on the way.
    fn trace(&mut self, mut x: i32, mut z: i32, start: usize) -> Vec<Corner> {
        let mut corners = Vec::new();
        let mut dir = self.sides[start].trailing_zeros() as usize & 3;
        let start_dir = dir;
        let mut index = start;
        let area = self.space.areas[start];
        for _ in 0..MAX_STEPS {
            let span = self.space.spans[index].clone();
            let across = self.neighbour(x, z, &span, dir);
            if self.sides[index] & (1 << dir) != 0 {
                let (dx, dz) = [(0, 1), (1, 1), (1, 0), (0, 0)][dir];
                let mut tag = 0;
                if let Some((_, _, other)) = across {
                    tag = u32::from(self.region(other));
                    if self.space.areas[other] != area {
                        tag |= AREA_EDGE;
                    }
                }
                corners.push(Corner {
                    x: x + dx,
                    y: self.corner_height(x, z, index, dir),
                    z: z + dz,
                    tag,
                });
                self.sides[index] &= !(1 << dir);
                dir = (dir + 1) & 3;
            } else {
                let Some((nx, nz, other)) = across else { break };
                (x, z, index) = (nx, nz, other);
                dir = (dir + 3) & 3;
            }
            if index == start && dir == start_dir {
                break;
            }
        }
        corners
    }
}

/// The outlines of all regions, outer ones and holes, in the order in which the grid is scanned.
pub(super) fn trace(space: &CompactHeightfield, max_error: f32, max_edge: i32) -> Vec<Contour> {
    let mut tracer = Tracer { space, sides: vec![0; space.spans.len()] };
    tracer.mark();
    let mut contours = Vec::new();
    tracer.for_each_span(|tracer, x, z, index| {
        let region = tracer.region(index);
        // A lone voxel (all four sides) has no outline worth keeping.
        if tracer.sides[index] == 0 || tracer.sides[index] == 0xf {
            tracer.sides[index] = 0;
            return;
        }
        let traced = tracer.trace(x, z, index);
        let corners = simplify(&traced, max_error, max_edge);
        if corners.len() >= 3 {
            contours.push(Contour { corners, region });
        }
    });
    contours
}

/// Squared distance of (x, z) to the segment from `p` to `q`, in Recast's order of operations.
fn distance_squared(x: i32, z: i32, p: (i32, i32), q: (i32, i32)) -> f32 {
    let (px, pz) = ((q.0 - p.0) as f32, (q.1 - p.1) as f32);
    let (dx, dz) = ((x - p.0) as f32, (z - p.1) as f32);
    let length = px * px + pz * pz;
    let mut share = px * dx + pz * dz;
    if length > 0.0 {
        share /= length;
    }
    let share = share.clamp(0.0, 1.0);
    let dx = p.0 as f32 + share * px - x as f32;
    let dz = p.1 as f32 + share * pz - z as f32;
    dx * dx + dz * dz
}

/// Whether a segment is walked in rising order of x, then z: both sides of a shared border must
/// be cut at the same corners.
fn rises(a: &Corner, b: &Corner) -> bool {
    b.x > a.x || (b.x == a.x && b.z > a.z)
}

fn simplify(traced: &[Corner], max_error: f32, max_edge: i32) -> Vec<Corner> {
    if traced.is_empty() {
        return Vec::new();
    }
    let mut kept = anchors(traced);
    fit(traced, &mut kept, max_error);
    if max_edge > 0 {
        split_long_walls(traced, &mut kept, max_edge);
    }
    // The edge that starts at a corner is tagged on the traced corner after it.
    for corner in &mut kept {
        corner.tag = traced[(corner.tag as usize + 1) % traced.len()].tag;
    }
    drop_doubles(&mut kept);
    kept
}

/// The corners that must stay: where the neighbour changes; without neighbours the two extremes.
fn anchors(traced: &[Corner]) -> Vec<Corner> {
    let count = traced.len();
    let keep = |index: usize| Corner { tag: index as u32, ..traced[index] };
    let mut kept = Vec::new();
    if traced.iter().any(|corner| corner.tag & REGION != 0) {
        for index in 0..count {
            let change = traced[index].tag ^ traced[(index + 1) % count].tag;
            if change & (REGION | AREA_EDGE) != 0 {
                kept.push(keep(index));
            }
        }
    }
    if kept.is_empty() {
        let (mut low, mut high) = (0, 0);
        for (index, corner) in traced.iter().enumerate() {
            let key = (corner.x, corner.z);
            if key < (traced[low].x, traced[low].z) {
                low = index;
            }
            if key > (traced[high].x, traced[high].z) {
                high = index;
            }
        }
        kept.extend([keep(low), keep(high)]);
    }
    kept
}

/// Adds the farthest traced corner of each segment until none lies further off than `max_error`.
/// Borders between regions stay straight: both sides must agree.
fn fit(traced: &[Corner], kept: &mut Vec<Corner>, max_error: f32) {
    let count = traced.len();
    let mut at = 0;
    while at < kept.len() {
        let (a, b) = (kept[at], kept[(at + 1) % kept.len()]);
        let forward = rises(&a, &b);
        let (from, to) = if forward { (a, b) } else { (b, a) };
        let step = if forward { 1 } else { count - 1 };
        let mut index = (from.tag as usize + step) % count;
        let end = to.tag as usize;
        let mut worst = (0.0, None);
        let tag = traced[index].tag;
        if tag & REGION == 0 || tag & AREA_EDGE != 0 {
            while index != end {
                let corner = &traced[index];
                let distance = distance_squared(corner.x, corner.z, (from.x, from.z), (to.x, to.z));
                if distance > worst.0 {
                    worst = (distance, Some(index));
                }
                index = (index + step) % count;
            }
        }
        match worst {
            (distance, Some(index)) if distance > max_error * max_error => {
                kept.insert(at + 1, Corner { tag: index as u32, ..traced[index] });
            }
            _ => at += 1,
        }
    }
}

/// Halves edges along walls until none is longer than `max_edge`.
fn split_long_walls(traced: &[Corner], kept: &mut Vec<Corner>, max_edge: i32) {
    let count = traced.len();
    let longest = i64::from(max_edge) * i64::from(max_edge);
    let mut at = 0;
    while at < kept.len() {
        let (a, b) = (kept[at], kept[(at + 1) % kept.len()]);
        let (from, to) = (a.tag as usize, b.tag as usize);
        let wall = traced[(from + 1) % count].tag & REGION == 0;
        let (dx, dz) = (i64::from(b.x - a.x), i64::from(b.z - a.z));
        let between = if to < from { to + count - from } else { to - from };
        if wall && dx * dx + dz * dz > longest && between > 1 {
            let half = if rises(&a, &b) { between / 2 } else { between.div_ceil(2) };
            let index = (from + half) % count;
            kept.insert(at + 1, Corner { tag: index as u32, ..traced[index] });
        } else {
            at += 1;
        }
    }
}

/// Drops corners that lie on their successor seen from above; they would confuse the triangulation.
fn drop_doubles(corners: &mut Vec<Corner>) {
    let mut at = 0;
    while at < corners.len() {
        let next = (at + 1) % corners.len();
        if corners[at].same_place(&corners[next]) {
            corners.remove(at);
        }
        // Recast goes on even after a removal; so the corner that moved here is not looked at.
        at += 1;
    }
}
