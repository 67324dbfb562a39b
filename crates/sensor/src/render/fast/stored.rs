//! Meshes laid out for drawing, in a bundle.

use super::bake::{Baked, CLUSTER, Cluster, Node};
use ambler_bundle::{Bundle, Put, Take, Writer};
use ambler_geometry::{Fault, Vec2};
use ambler_scene::{Array, Mesh};
use std::io;
use std::sync::Arc;

const META: u32 = 32;
const NODES: u32 = 33;
const CLUSTERS: u32 = 34;
const COLORS: u32 = 35;
const UVS: u32 = 36;
const SOURCES: u32 = 37;
const IDS: u32 = 38;
/// A list for each coordinate, and for each corner.
const POSITIONS: [u32; 3] = [40, 41, 42];
const CORNERS: [u32; 3] = [43, 44, 45];

/// Words of a cluster in its section.
const CLUSTER_WORDS: usize = 9;
/// Vertices that a cluster can have.
const VERTICES: usize = 256;

pub(crate) fn write(meshes: &[Arc<Baked>], writer: &mut Writer) -> io::Result<()> {
    let mut meta = Put::new();
    meta.list(meshes, |put, mesh| {
        put.len(mesh.nodes.len()).len(mesh.clusters.len());
        put.len(mesh.positions[0].len()).len(mesh.sources.len());
        put.u8(u8::from(!mesh.colors.is_empty())).u8(u8::from(!mesh.uvs.is_empty()));
        put.u8(u8::from(!mesh.instances.is_empty())).u8(u8::from(mesh.translucent));
    });
    writer.section(META, true, |out| out.push(meta.bytes()))?;
    writer.section(NODES, true, |out| {
        meshes
            .iter()
            .try_for_each(|mesh| out.push(&mesh.nodes.iter().map(Node::to_words).collect::<Vec<_>>()))
    })?;
    writer.section(CLUSTERS, true, |out| {
        meshes
            .iter()
            .try_for_each(|mesh| out.push(&mesh.clusters.iter().map(to_words).collect::<Vec<_>>()))
    })?;
    for axis in 0..3 {
        writer.section(POSITIONS[axis], true, |out| {
            meshes.iter().try_for_each(|mesh| out.push(&mesh.positions[axis]))
        })?;
        writer.section(CORNERS[axis], true, |out| {
            meshes.iter().try_for_each(|mesh| out.push(&mesh.corners[axis]))
        })?;
    }
    writer.section(COLORS, true, |out| meshes.iter().try_for_each(|mesh| out.push(&mesh.colors)))?;
    writer.section(UVS, true, |out| meshes.iter().try_for_each(|mesh| out.push(&mesh.uvs)))?;
    writer.section(SOURCES, true, |out| meshes.iter().try_for_each(|mesh| out.push(&mesh.sources)))?;
    writer.section(IDS, true, |out| meshes.iter().try_for_each(|mesh| out.push(&mesh.instances)))
}

fn to_words(cluster: &Cluster) -> [u32; CLUSTER_WORDS] {
    let [x, y, z, cutoff] = cluster.cone.map(f32::to_bits);
    let whole = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    [
        whole(cluster.first_vertex),
        whole(cluster.vertices),
        whole(cluster.first_triangle),
        whole(cluster.triangles),
        x,
        y,
        z,
        cutoff,
        cluster.radius.to_bits(),
    ]
}

fn from_words(words: &[u32; CLUSTER_WORDS]) -> Cluster {
    let [first_vertex, vertices, first_triangle, triangles, x, y, z, cutoff, radius] = *words;
    Cluster {
        first_vertex: first_vertex as usize,
        vertices: vertices as usize,
        first_triangle: first_triangle as usize,
        triangles: triangles as usize,
        cone: [x, y, z, cutoff].map(f32::from_bits),
        radius: f32::from_bits(radius),
    }
}

/// Sections that all meshes share, and how far they are used up.
struct Sections {
    nodes: Array<[u32; 7]>,
    clusters: Array<[u32; CLUSTER_WORDS]>,
    positions: [Array<f32>; 3],
    corners: [Array<u8>; 3],
    colors: Array<[u8; 4]>,
    uvs: Array<Vec2>,
    sources: Array<u32>,
    ids: Array<u32>,
    at: At,
}

#[derive(Clone, Copy, Default)]
struct At {
    nodes: usize,
    clusters: usize,
    vertices: usize,
    triangles: usize,
    colors: usize,
    uvs: usize,
    ids: usize,
}

pub(crate) fn read(bundle: &Bundle, meshes: &[Arc<Mesh>]) -> Result<Vec<Arc<Baked>>, Fault> {
    let three = |kinds: [u32; 3]| -> Result<[Array<f32>; 3], Fault> {
        Ok([bundle.array(kinds[0])?, bundle.array(kinds[1])?, bundle.array(kinds[2])?])
    };
    let mut sections = Sections {
        nodes: bundle.array(NODES)?,
        clusters: bundle.array(CLUSTERS)?,
        positions: three(POSITIONS)?,
        corners: [bundle.array(CORNERS[0])?, bundle.array(CORNERS[1])?, bundle.array(CORNERS[2])?],
        colors: bundle.array(COLORS)?,
        uvs: bundle.array(UVS)?,
        sources: bundle.array(SOURCES)?,
        ids: bundle.array(IDS)?,
        at: At::default(),
    };
    let mut take = Take::new(bundle.bytes(META)?, bundle.path());
    let mut next = meshes.iter();
    let baked = take.list(|take| {
        let mut lens = [0; 4];
        for len in &mut lens {
            *len = take.len()?;
        }
        let mut flags = [false; 4];
        for flag in &mut flags {
            *flag = take.u8()? != 0;
        }
        let baked = next.next().and_then(|mesh| sections.take(lens, flags, mesh));
        baked.map(Arc::new).ok_or_else(|| take.fault("a mesh that cannot be drawn"))
    })?;
    take.end()?;
    if baked.len() == meshes.len() {
        Ok(baked)
    } else {
        Err(bundle.fault(META, format!("{} meshes of {}", baked.len(), meshes.len())))
    }
}

impl Sections {
    /// The next mesh, if all that drawing relies on holds.
    fn take(&mut self, lens: [usize; 4], flags: [bool; 4], mesh: &Mesh) -> Option<Baked> {
        let [nodes, clusters, vertices, triangles] = lens;
        let [colors, uvs, ids, translucent] = flags;
        let some = |has: bool, count: usize| if has { count } else { 0 };
        let from = self.at;
        let to = At {
            nodes: from.nodes.checked_add(nodes)?,
            clusters: from.clusters.checked_add(clusters)?,
            vertices: from.vertices.checked_add(vertices)?,
            triangles: from.triangles.checked_add(triangles)?,
            colors: from.colors.checked_add(some(colors, vertices))?,
            uvs: from.uvs.checked_add(some(uvs, vertices))?,
            ids: from.ids.checked_add(some(ids, triangles))?,
        };
        self.at = to;
        let (some_vertices, some_triangles) = (from.vertices..to.vertices, from.triangles..to.triangles);
        let [x, y, z] = &self.positions;
        let [a, b, c] = &self.corners;
        let baked = Baked {
            nodes: self.nodes.get(from.nodes..to.nodes)?.iter().map(Node::from_words).collect(),
            clusters: self.clusters.get(from.clusters..to.clusters)?.iter().map(from_words).collect(),
            positions: [
                x.part(some_vertices.clone())?,
                y.part(some_vertices.clone())?,
                z.part(some_vertices)?,
            ],
            corners: [
                a.part(some_triangles.clone())?,
                b.part(some_triangles.clone())?,
                c.part(some_triangles.clone())?,
            ],
            colors: self.colors.part(from.colors..to.colors)?,
            uvs: self.uvs.part(from.uvs..to.uvs)?,
            sources: self.sources.part(some_triangles)?,
            instances: self.ids.part(from.ids..to.ids)?,
            translucent,
        };
        is_sound(&baked, mesh).then_some(baked)
    }
}

/// All that drawing takes for granted.
fn is_sound(baked: &Baked, mesh: &Mesh) -> bool {
    baked.clusters.iter().all(|cluster| cluster_is_sound(baked, cluster))
        && baked.positions.iter().all(|list| list.iter().all(|value| value.is_finite()))
        && (baked.sources.is_empty()
            || baked.sources.iter().all(|&source| (source as usize) < mesh.triangles.len()))
        && is_a_tree(baked)
}

fn cluster_is_sound(baked: &Baked, cluster: &Cluster) -> bool {
    let (vertices, triangles) = (cluster.vertices, cluster.triangles);
    let first = cluster.first_triangle;
    let filled = triangles.next_multiple_of(8);
    vertices % 8 == 0
        && vertices <= VERTICES
        && triangles <= CLUSTER
        && cluster.first_vertex + vertices <= baked.positions[0].len()
        && baked.corners.iter().all(|list| {
            list.get(first..first + filled)
                .is_some_and(|corners| corners.iter().all(|&corner| usize::from(corner) < vertices))
        })
}

/// Children come after their parent and no node is reached twice, so that a walk ends, and soon.
fn is_a_tree(baked: &Baked) -> bool {
    let (nodes, clusters) = (baked.nodes.len(), baked.clusters.len());
    let mut reached = vec![false; nodes];
    baked.nodes.iter().enumerate().all(|(index, node)| match node.cluster() {
        Some(cluster) => cluster < clusters,
        None => node.children(index as u32).into_iter().all(|child| {
            let child = child as usize;
            child > index && child < nodes && !std::mem::replace(&mut reached[child], true)
        }),
    })
}
