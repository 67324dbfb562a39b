//! Working memory of a view.

use super::records::Records;
use super::simd::{LANES, Lanes};
use crate::render::lens::Lens;
pub(crate) use crate::render::lens::TILE;
use crate::render::scenery::Posed;

/// Vertices that a cluster can have.
pub(crate) const VERTICES: usize = 256;
/// Values that differ by less than this share of them count as equal.
pub(crate) const TIE: f32 = 1.0 / 131_072.0;
/// Of a tile whose farthest value must be looked up again.
const UNKNOWN: f32 = f32::INFINITY;

/// Working memory of one view, kept between views.
///
/// "Nearness" is what is kept a pixel: 1/depth for a pinhole camera, −depth for an orthographic one.
/// It is linear in the image, and larger for what is nearer. Of wide images it is −distance.
#[derive(Default)]
pub(crate) struct Canvas {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Entries a row: rows are longer than the image, so that eight pixels may be written anywhere.
    pub(crate) stride: usize,
    /// Nearness of what each pixel sees. Beyond the image infinite, so that nothing is drawn there.
    pub(crate) near: Vec<f32>,
    /// What each pixel sees: index of the drawn cluster times 64 plus the triangle in it. 0 where
    /// nothing was drawn.
    pub(crate) slots: Vec<i32>,
    /// Nearness of what is just too far to be seen.
    pub(crate) empty: f32,
    /// The least nearness in each tile.
    tiles: Vec<f32>,
    tiles_x: usize,
    /// The clusters drawn.
    pub(crate) drawn: Vec<Drawn>,
    /// Their vertices: image position from the middle, in pixels, nearness, and colour as bits. There
    /// are always [`VERTICES`] from where a cluster's begin.
    pub(crate) vertices: Vec<[f32; 4]>,
    /// How many of them are of this view.
    used: usize,
    /// Boxes still to be visited.
    pub(crate) stack: Vec<super::cull::Visit>,
    pub(crate) records: Records,
}

#[derive(Clone, Copy)]
pub(crate) struct Drawn {
    pub(crate) placed: u32,
    pub(crate) cluster: u32,
    pub(crate) first_vertex: u32,
    /// The cluster is of the mesh's stand-ins.
    pub(crate) stand_in: bool,
}

/// Tiles: columns and rows, ends excluded.
#[derive(Clone, Copy)]
pub(crate) struct Tiles {
    pub(crate) x: [u16; 2],
    pub(crate) y: [u16; 2],
}

/// Takes points of a mesh to the image, in single precision: rows for right and down, both times
/// pixels a unit of ray coordinates, and for depth.
#[derive(Clone, Copy)]
pub(crate) struct View {
    pub(crate) rows: [[f32; 4]; 3],
    /// The eye in the mesh's frame; `None` where rays are parallel or the matrix is singular.
    pub(crate) eye: Option<[f32; 3]>,
}

impl View {
    pub(crate) fn new(lens: &Lens, pose: &Posed) -> Self {
        let (m, t) = (&pose.camera_from_mesh.matrix, pose.camera_from_mesh.translation);
        let row = |axis: usize, scale: f64| {
            [m.x_axis[axis], m.y_axis[axis], m.z_axis[axis], t[axis]].map(|v| (v * scale) as f32)
        };
        let eye =
            (!lens.orthographic).then(|| -(m.inverse() * t).as_vec3()).filter(|eye| eye.is_finite());
        Self {
            rows: [row(0, lens.scale), row(1, -lens.scale), row(2, -1.0)],
            eye: eye.map(|eye| eye.to_array()),
        }
    }
}

impl Canvas {
    pub(crate) fn reset(&mut self, lens: &Lens) {
        (self.width, self.height) = (lens.width, lens.height);
        self.stride = (self.width + LANES - 1).next_multiple_of(LANES);
        self.tiles_x = self.width.div_ceil(TILE);
        let tiles_y = self.height.div_ceil(TILE);
        // A little beyond: what is exactly as far as can be seen is seen.
        let far = lens.far as f32 * (1.0 + 4.0 * TIE);
        self.empty = if lens.orthographic || lens.wide.is_some() { -far } else { 1.0 / far };
        let count = tiles_y * TILE * self.stride + LANES;
        self.near.resize(count, 0.0);
        self.slots.clear();
        self.slots.resize(count, 0);
        for row in self.near.chunks_mut(self.stride).take(self.height) {
            row[..self.width].fill(self.empty);
            row[self.width..].fill(f32::INFINITY);
        }
        self.near[self.height * self.stride..].fill(f32::INFINITY);
        self.tiles.clear();
        self.tiles.resize(self.tiles_x * tiles_y, self.empty);
        if let Some(rays) = &lens.wide {
            // What sees nothing is as what is beyond the image.
            for (tile, bundle) in self.tiles.iter_mut().zip(&rays.tiles) {
                if bundle.radius < 0.0 {
                    *tile = UNKNOWN;
                }
            }
            if lens.fisheye {
                for (y, row) in self.near.chunks_mut(self.stride).take(self.height).enumerate() {
                    for (x, near) in row[..self.width].iter_mut().enumerate() {
                        if !rays.sees(x, y) {
                            *near = f32::INFINITY;
                        }
                    }
                }
            }
        }
        self.drawn.clear();
        // Slots of the first stand for nothing.
        self.drawn.push(Drawn { placed: 0, cluster: 0, first_vertex: 0, stand_in: false });
        self.used = 0;
    }

    /// Makes room for a cluster's vertices and returns where they begin.
    #[inline(always)]
    pub(crate) fn begin(
        &mut self,
        placed: u32,
        cluster: usize,
        stand_in: bool,
        vertices: usize,
    ) -> usize {
        let first = self.used;
        self.used += vertices;
        if self.vertices.len() < first + VERTICES {
            self.vertices.resize((first + VERTICES) * 2, [0.0; 4]);
        }
        let (cluster, first_vertex) = (cluster as u32, first as u32);
        self.drawn.push(Drawn { placed, cluster, first_vertex, stand_in });
        first
    }

    /// The vertices of a cluster that begin there, and what lies behind them.
    #[inline(always)]
    pub(crate) fn corners(&self, first: usize) -> Option<&[[f32; 4]; VERTICES]> {
        self.vertices.get(first..)?.first_chunk()
    }

    /// Whether something as near as this may be seen in any of these tiles.
    #[inline(always)]
    pub(crate) fn may_show<L: Lanes>(&mut self, l: L, tiles: Tiles, near: f32) -> bool {
        for y in usize::from(tiles.y[0])..usize::from(tiles.y[1]) {
            for x in usize::from(tiles.x[0])..usize::from(tiles.x[1]) {
                let tile = &mut self.tiles[y * self.tiles_x + x];
                if *tile == UNKNOWN {
                    let mut least = l.f(f32::INFINITY);
                    let first = y * TILE * self.stride + x * TILE;
                    for row in 0..TILE {
                        let values = &self.near[first + row * self.stride..];
                        let Some(values) = values.first_chunk() else { continue };
                        least = l.min(least, l.f_from(values));
                    }
                    *tile = l.least(least);
                }
                // At the same place the lower number is seen, whichever comes first.
                if *tile - tile.abs() * TIE <= near {
                    return true;
                }
            }
        }
        false
    }

    /// Something was drawn in these tiles.
    #[inline(always)]
    pub(crate) fn touch(&mut self, tiles: Tiles) {
        for y in usize::from(tiles.y[0])..usize::from(tiles.y[1]) {
            let row = y * self.tiles_x;
            let (from, to) = (usize::from(tiles.x[0]), usize::from(tiles.x[1]));
            // Few: a call to fill them costs more.
            self.tiles[row + from..row + to].iter_mut().for_each(|tile| {
                *std::hint::black_box(tile) = UNKNOWN;
            });
        }
    }
}
