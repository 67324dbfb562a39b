//! Fewer triangles to draw instead of many that would be smaller than pixels.
//!
//! Boxes of a mesh's tree have stand-ins: the triangles in them with vertices merged, in several
//! versions from fine to coarse. Vertices that triangles outside the box use stay where they are, with
//! all edges between them, so that a stand-in fits beside whatever is drawn there: no crack can open.
//! Vertices on borders of the mesh, between instances and on seams of colours or texture coordinates
//! stay too. Each version knows how far it lies from the mesh; a box whose stand-in is off by few enough
//! pixels is not opened.

mod clearance;
mod collapse;
mod make;

use super::bake::Baked;
use super::boxes::{Boxes, Link};
use super::canvas::Tiles;
use super::simd::{LANES, Lanes};
use crate::render::lens::Lens;
use ambler_scene::Mesh;
use glam::DMat3;

/// The stand-ins of a mesh.
pub(crate) struct StandIns {
    /// Clusters and boxes of all versions; it has no tree of its own.
    baked: Baked,
    /// For each of the mesh's [`Boxes`] the least error of what stands in for each of the eight,
    /// in
    /// units of the mesh's frame; infinite where nothing does.
    least: Vec<[f32; LANES]>,
    /// For each of the mesh's [`Boxes`] which versions stand in for all that is in it.
    ranges: Vec<[u32; 2]>,
    versions: Vec<Version>,
}

/// A stand-in; of those of a box the finest comes first.
struct Version {
    /// Distance between it and the mesh, in units of the mesh's frame.
    error: f32,
    root: Link,
}

impl StandIns {
    pub(crate) fn new(baked: &Baked, mesh: &Mesh) -> Self {
        let made = make::surfaces(baked, mesh);
        let mut all = Self {
            baked: Baked::empty(mesh),
            least: Vec::new(),
            ranges: vec![[0; 2]; baked.boxes.len()],
            versions: Vec::new(),
        };
        for (index, surfaces) in made.iter().enumerate() {
            let first = all.versions.len() as u32;
            for surface in surfaces {
                let Some(root) = all.baked.append(&surface.parts(mesh)) else { continue };
                let Baked { nodes, clusters, boxes, .. } = &mut all.baked;
                let root = Boxes::push_tree(boxes, nodes, root, clusters).stand_in();
                nodes.clear();
                all.versions.push(Version { error: surface.error, root });
            }
            all.ranges[index] = [first, all.versions.len() as u32];
        }
        let least = |boxes: &Boxes| {
            std::array::from_fn(|lane| {
                let first = all.of(boxes.links[lane]).first();
                first.filter(|_| boxes.used >> lane & 1 != 0).map_or(f32::INFINITY, |it| it.error)
            })
        };
        all.least = baked.boxes.iter().map(least).collect();
        all
    }

    /// Versions of what stands in for what is linked.
    fn of(&self, link: Link) -> &[Version] {
        let range = match link.cluster() {
            Some(_) => None,
            None => self.ranges.get(link.boxes()),
        };
        range.and_then(|&[from, to]| self.versions.get(from as usize..to as usize)).unwrap_or_default()
    }
}

impl Baked {
    /// The mesh itself or its stand-ins.
    #[inline(always)]
    pub(crate) fn or_stand_ins(&self, stand_in: bool) -> &Self {
        if stand_in { self.stand_ins.get().map_or(self, |it| &it.baked) } else { self }
    }

    /// Makes the stand-ins, if there are none yet.
    pub(crate) fn make_stand_ins(&self, mesh: &Mesh) {
        self.stand_ins.get_or_init(|| Box::new(StandIns::new(self, mesh)));
    }
}

/// How far from its place a view may show a placement's surface.
pub(crate) struct Tolerance {
    /// Units of the mesh's frame in a pixel's tolerance a unit of depth, in the middle of the image.
    reach: f32,
    /// Pixels a unit of ray coordinates.
    scale: f32,
    orthographic: bool,
    near: f32,
    half: [f32; 2],
}

impl Tolerance {
    pub(crate) fn new(lens: &Lens, pixels: f32, camera_from_mesh: &DMat3) -> Self {
        Self {
            reach: (f64::from(pixels) / (lens.scale * stretch(camera_from_mesh))) as f32,
            scale: lens.scale as f32,
            orthographic: lens.orthographic,
            near: lens.near as f32,
            half: lens.center.map(|half| half as f32),
        }
    }

    /// Of the eight children of some boxes those, a bit each, that a stand-in may do for.
    #[inline(always)]
    pub(crate) fn candidates<L: Lanes>(
        &self,
        l: L,
        stand_ins: &StandIns,
        boxes: usize,
        nearest: &[f32; LANES],
    ) -> u32 {
        let Some(least) = stand_ins.least.get(boxes) else { return 0 };
        let depth = if self.orthographic { l.f(1.0) } else { l.f_from(nearest) };
        l.signs(l.at_most(l.f_from(least), l.mul(depth, l.f(self.reach))))
    }

    /// The coarsest stand-in that will do for what is linked, which has this least depth and is in
    /// these tiles; else the same again.
    pub(crate) fn choose(&self, stand_ins: &StandIns, link: Link, nearest: f32, tiles: Tiles) -> Link {
        // The near plane would cut it elsewhere.
        if !(nearest > self.near) {
            return link;
        }
        let mut most = if self.orthographic { self.reach } else { self.reach * nearest };
        if !self.orthographic {
            // Away from the middle of the image the same distance takes more pixels: as many times more
            // as the ray is longer than the depth.
            let reach = |[from, to]: [u16; 2], half: f32| {
                let tile = super::canvas::TILE as f32;
                let (from, to) = (f32::from(from) * tile - half, f32::from(to) * tile - half);
                from.abs().max(to.abs()).min(half) / self.scale
            };
            let (x, y) = (reach(tiles.x, self.half[0]), reach(tiles.y, self.half[1]));
            most /= (1.0 + x * x + y * y).sqrt();
        }
        let good = stand_ins.of(link).iter().rev().find(|version| version.error <= most);
        good.map_or(link, |version| version.root)
    }
}

/// How many times longer lengths may become.
fn stretch(matrix: &DMat3) -> f64 {
    let columns = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
    let lengths = columns.map(|column| column.length_squared());
    let most = lengths.into_iter().fold(0.0, f64::max);
    let skew = (0..3).map(|k| columns[k].dot(columns[(k + 1) % 3]).abs()).fold(0.0, f64::max);
    // The longest column where they are at right angles; in any case not more than all together.
    let square = if skew <= 1e-5 * most { most } else { lengths.iter().sum() };
    libm::sqrt(square) * (1.0 + 1e-4)
}
