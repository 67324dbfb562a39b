//! The stand-ins of all boxes of a mesh's tree, the smallest boxes first.

use super::super::bake::{Baked, Cluster, Parts};
use super::clearance::clearances;
use super::collapse::{GAP, Original, simplify};
use ambler_scene::Mesh;
use std::num::NonZero;
use std::sync::{Mutex, PoisonError};

/// Stated errors are the measured ones times this: they are measured at the mesh's vertices, and
/// between these a surface may be a little farther off.
const SAFETY: f32 = 1.25;
/// Vertices are merged until the surface would be off by this share of the size of the box; what is
/// coarser is left to the box around it.
const COARSEST: f64 = 1.0 / 256.0;

/// Triangles on a mesh's vertices.
#[derive(Clone, Default)]
pub(super) struct Surface {
    /// Corners, as numbers of the mesh's vertices.
    pub(super) triangles: Vec<[u32; 3]>,
    /// For each triangle one of the mesh near it.
    pub(super) sources: Vec<u32>,
    /// Distance from the mesh, metres.
    pub(super) error: f32,
}

/// A surface and the vertices of the mesh that it does not have.
#[derive(Default)]
pub(super) struct Reduced {
    pub(super) surface: Surface,
    /// The triangles that they lie nearest to, and these vertices.
    pub(super) gone: Vec<[u32; 2]>,
}

impl Surface {
    pub(super) fn parts<'a>(&'a self, mesh: &'a Mesh) -> Parts<'a> {
        Parts::other(mesh, &self.triangles, &self.sources)
    }
}

/// For each of the mesh's [`Boxes`](super::Boxes) what stands in for it, from fine to coarse.
pub(super) fn surfaces(baked: &Baked, mesh: &Mesh) -> Vec<Vec<Surface>> {
    let Some(root) = baked.nodes.first().filter(|_| !baked.boxes.is_empty()) else {
        return Vec::new();
    };
    let same = welded(mesh);
    let half = root.half.map(f64::from);
    let size = libm::sqrt(half.iter().map(|half| 4.0 * half * half).sum());
    let original = Original::new(mesh, clearances(baked, mesh, &same, size * COARSEST / GAP));
    let corners = |source: u32| {
        let [a, b, c] = *mesh.triangles.get(source as usize)?;
        let corner = |v: u32| {
            let finite = mesh.positions.get(v as usize)?.is_finite();
            same.get(v as usize).copied().filter(|_| finite)
        };
        Some([corner(a)?, corner(b)?, corner(c)?])
    };
    // The first and the last cluster that each vertex is in.
    let mut clusters_of = vec![[u32::MAX, 0]; mesh.positions.len()];
    let sources = |cluster: &Cluster| {
        let from = cluster.first_triangle;
        baked.sources.get(from..from + cluster.triangles).unwrap_or_default()
    };
    for (index, cluster) in baked.clusters.iter().enumerate() {
        for vertex in sources(cluster).iter().filter_map(|&source| corners(source)).flatten() {
            let [first, last] = &mut clusters_of[vertex as usize];
            (*first, *last) = ((*first).min(index as u32), (*last).max(index as u32));
        }
    }
    let (levels, spans) = shape(baked);
    let mut made: Vec<Vec<Surface>> = Vec::new();
    made.resize_with(baked.boxes.len(), Vec::new);
    let mut left: Vec<Reduced> = Vec::new();
    left.resize_with(baked.boxes.len(), Reduced::default);
    for level in levels.iter().rev() {
        let inputs: Vec<(usize, Reduced)> = level
            .iter()
            .map(|&index| {
                let boxes = &baked.boxes[index];
                let mut all = Reduced::default();
                for lane in (0..boxes.links.len()).filter(|lane| boxes.used >> lane & 1 != 0) {
                    let link = boxes.links[lane];
                    let part = match link.cluster() {
                        Some(cluster) => of_cluster(sources(&baked.clusters[cluster]), corners),
                        None => std::mem::take(&mut left[link.boxes()]),
                    };
                    let base = all.surface.triangles.len() as u32;
                    all.surface.triangles.extend(part.surface.triangles);
                    all.surface.sources.extend(part.surface.sources);
                    all.surface.error = all.surface.error.max(part.surface.error);
                    all.gone.extend(part.gone.iter().map(|&[at, vertex]| [base + at, vertex]));
                }
                (index, all)
            })
            .collect();
        let outputs = side_by_side(inputs, |(index, reduced)| {
            let [first, last] = spans[index];
            let may_go = |vertex: u32| {
                let [from, to] = clusters_of[vertex as usize];
                first <= from && to <= last
            };
            let boxes = &baked.boxes[index];
            let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
            for lane in (0..boxes.links.len()).filter(|lane| boxes.used >> lane & 1 != 0) {
                for axis in 0..3 {
                    let (at, half) = (boxes.center[axis][lane], boxes.half[axis][lane]);
                    low[axis] = low[axis].min(f64::from(at - half));
                    high[axis] = high[axis].max(f64::from(at + half));
                }
            }
            let size = (0..3).map(|axis| (high[axis] - low[axis]) * (high[axis] - low[axis])).sum();
            let most = libm::sqrt(size) * COARSEST;
            (index, simplify(&original, reduced, may_go, most))
        });
        for (index, (rest, versions)) in outputs {
            left[index] = rest;
            made[index] = versions;
        }
    }
    for surface in made.iter_mut().flatten() {
        surface.error *= SAFETY;
    }
    made
}

fn of_cluster(sources: &[u32], corners: impl Fn(u32) -> Option<[u32; 3]>) -> Reduced {
    let mut surface = Surface::default();
    for &source in sources {
        let Some([a, b, c]) = corners(source) else { continue };
        // What has no area covers nothing.
        if a != b && b != c && c != a {
            surface.triangles.push([a, b, c]);
            surface.sources.push(source);
        }
    }
    Reduced { surface, gone: Vec::new() }
}

/// The boxes by their distance from the root, and the first and last cluster in each.
fn shape(baked: &Baked) -> (Vec<Vec<usize>>, Vec<[u32; 2]>) {
    let count = baked.boxes.len();
    let mut depths = vec![0_usize; count];
    let mut spans = vec![[u32::MAX, 0]; count];
    // Parents come before their children.
    for (index, boxes) in baked.boxes.iter().enumerate() {
        for (lane, link) in boxes.links.iter().enumerate() {
            if boxes.used >> lane & 1 != 0 && link.cluster().is_none() {
                depths[link.boxes()] = depths[index] + 1;
            }
        }
    }
    for (index, boxes) in baked.boxes.iter().enumerate().rev() {
        for (lane, link) in boxes.links.iter().enumerate() {
            if boxes.used >> lane & 1 != 0 {
                let [first, last] = match link.cluster() {
                    Some(cluster) => [cluster as u32; 2],
                    None => spans[link.boxes()],
                };
                let span = &mut spans[index];
                *span = [span[0].min(first), span[1].max(last)];
            }
        }
    }
    let mut levels = vec![Vec::new(); depths.iter().max().map_or(0, |most| most + 1)];
    depths.iter().enumerate().for_each(|(index, &depth)| levels[depth].push(index));
    (levels, spans)
}

/// For each vertex the first that is the same in all that is drawn of it.
fn welded(mesh: &Mesh) -> Vec<u32> {
    let key = |vertex: u32| {
        let at = vertex as usize;
        let color = mesh.colors.get(at).copied().unwrap_or([255; 4]);
        let uv = mesh.uvs.get(at).map_or([0; 2], |uv| uv.to_array().map(f32::to_bits));
        (mesh.positions[at].to_array().map(f32::to_bits), color, uv)
    };
    let mut order: Vec<u32> = (0..mesh.positions.len() as u32).collect();
    order.sort_unstable_by_key(|&vertex| (key(vertex), vertex));
    let mut same = vec![0; order.len()];
    let mut first = 0;
    for (at, &vertex) in order.iter().enumerate() {
        if at == 0 || key(vertex) != key(first) {
            first = vertex;
        }
        same[vertex as usize] = first;
    }
    same
}

/// Does the work for each input on all cores, and returns results in the order of the inputs. Threads of
/// its own: a shared pool might hand the waiting thread another image to draw, which would wait for this.
pub(super) fn side_by_side<I: Send, O: Send>(inputs: Vec<I>, work: impl Fn(I) -> O + Sync) -> Vec<O> {
    let count = inputs.len();
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get).min(count);
    if threads <= 1 {
        return inputs.into_iter().map(work).collect();
    }
    let queue = Mutex::new(inputs.into_iter().enumerate());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let done: Mutex<Vec<(usize, O)>> = Mutex::new(Vec::with_capacity(count));
    let run = || {
        while let Some((index, input)) = next() {
            let output = work(input);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((index, output));
        }
    };
    std::thread::scope(|scope| {
        (1..threads).for_each(|_| drop(scope.spawn(run)));
        run();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|&(index, _)| index);
    done.into_iter().map(|(_, output)| output).collect()
}
