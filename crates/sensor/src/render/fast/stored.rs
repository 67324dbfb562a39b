//! Meshes laid out for drawing, in a bundle.

use super::bake::{Baked, CLUSTER, Cluster, Node, Vertices};
use super::boxes::Boxes;
use super::simd::LANES;
use ambler_bundle::{Bundle, Put, Take, Writer};
use ambler_geometry::{Fault, Vec2};
use ambler_scene::{Array, Mesh};
use std::io;
use std::sync::{Arc, OnceLock};

const META: u32 = 32;
const NODES: u32 = 33;
const CLUSTERS: u32 = 34;
const UVS: u32 = 36;
const SOURCES: u32 = 37;
const IDS: u32 = 38;
/// Positions and colours, and corners, of eight at a time.
const EIGHT_VERTICES: u32 = 46;
const EIGHT_CORNERS: u32 = 47;

/// Words of a cluster in its section.
const CLUSTER_WORDS: usize = 9;
/// Vertices that a cluster can have.
const VERTICES: usize = 256;

pub(crate) fn write(meshes: &[Arc<Baked>], writer: &mut Writer) -> io::Result<()> {
    let mut meta = Put::new();
    meta.list(meshes, |put, mesh| {
        put.len(mesh.nodes.len()).len(mesh.clusters.len());
        put.len(mesh.vertices.len()).len(mesh.corners.len());
        put.u8(u8::from(mesh.colored)).u8(u8::from(!mesh.uvs.is_empty()));
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
    writer.section(EIGHT_VERTICES, true, |out| {
        meshes.iter().try_for_each(|mesh| out.push(&mesh.vertices))
    })?;
    writer.section(EIGHT_CORNERS, true, |out| {
        meshes.iter().try_for_each(|mesh| out.push(&mesh.corners))
    })?;
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
    vertices: Array<Vertices>,
    corners: Array<[[u8; LANES]; 3]>,
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
    uvs: usize,
    ids: usize,
}

pub(crate) fn read(bundle: &Bundle, meshes: &[Arc<Mesh>]) -> Result<Vec<Arc<Baked>>, Fault> {
    let mut sections = Sections {
        nodes: bundle.array(NODES)?,
        clusters: bundle.array(CLUSTERS)?,
        vertices: bundle.array(EIGHT_VERTICES)?,
        corners: bundle.array(EIGHT_CORNERS)?,
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
        let [colored, uvs, ids, translucent] = flags;
        // Vertices and triangles are counted by eight.
        let some = |has: bool, eights: usize| if has { eights.checked_mul(LANES) } else { Some(0) };
        let from = self.at;
        let to = At {
            nodes: from.nodes.checked_add(nodes)?,
            clusters: from.clusters.checked_add(clusters)?,
            vertices: from.vertices.checked_add(vertices)?,
            triangles: from.triangles.checked_add(triangles)?,
            uvs: from.uvs.checked_add(some(uvs, vertices)?)?,
            ids: from.ids.checked_add(some(ids, triangles)?)?,
        };
        self.at = to;
        let sources = from.triangles.checked_mul(LANES)?..to.triangles.checked_mul(LANES)?;
        let mut baked = Baked {
            nodes: self.nodes.get(from.nodes..to.nodes)?.iter().map(Node::from_words).collect(),
            clusters: self.clusters.get(from.clusters..to.clusters)?.iter().map(from_words).collect(),
            boxes: Vec::new(),
            vertices: self.vertices.part(from.vertices..to.vertices)?,
            colored,
            corners: self.corners.part(from.triangles..to.triangles)?,
            uvs: self.uvs.part(from.uvs..to.uvs)?,
            sources: self.sources.part(sources)?,
            instances: self.ids.part(from.ids..to.ids)?,
            translucent,
            stand_ins: OnceLock::new(),
        };
        if !is_sound(&baked, mesh) {
            return None;
        }
        baked.boxes = Boxes::of_tree(&baked.nodes, &baked.clusters);
        Some(baked)
    }
}

/// All that drawing takes for granted.
fn is_sound(baked: &Baked, mesh: &Mesh) -> bool {
    baked.clusters.iter().all(|cluster| cluster_is_sound(baked, cluster))
        && baked.vertices.iter().all(|it| it.positions.iter().flatten().all(|value| value.is_finite()))
        && (baked.sources.is_empty()
            || baked.sources.iter().all(|&source| (source as usize) < mesh.triangles.len()))
        && is_a_tree(baked)
}

fn cluster_is_sound(baked: &Baked, cluster: &Cluster) -> bool {
    let (vertices, triangles) = (cluster.vertices, cluster.triangles);
    let first = cluster.first_triangle;
    let eights = triangles.div_ceil(LANES);
    vertices % LANES == 0
        && vertices <= VERTICES
        && triangles <= CLUSTER
        && cluster.first_vertex % LANES == 0
        && first % LANES == 0
        && cluster.first_vertex + vertices <= baked.vertices.len() * LANES
        && baked.corners.get(first / LANES..first / LANES + eights).is_some_and(|corners| {
            corners.iter().flatten().flatten().all(|&corner| usize::from(corner) < vertices)
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
