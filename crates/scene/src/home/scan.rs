//! A home as a scanner delivers it: one dense irregular mesh with baked colours, noise, holes, ragged
//! borders and an id on each face.

use super::texture::Noise;
use crate::ply::PlyMesh;
use crate::{Mesh, SceneModel, Texture};
use ambler_geometry::random::Stream;
use ambler_geometry::{Vec2, Vec3};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How a scan is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScanSpec {
    /// Seed of noise and holes.
    pub seed: u64,
    /// Triangles wanted, roughly; 200,000 to 1,000,000.
    pub triangles: usize,
    /// Scale of the noise: 1 displaces surfaces by 3 to 4 mm (root mean square).
    pub noise: f32,
    /// Share of the surface that is missing, roughly.
    pub holes: f32,
}

impl ScanSpec {
    /// A hand-held scan.
    pub fn new(seed: u64) -> Self {
        Self { seed, triangles: 324_000, noise: 1.0, holes: 0.012 }
    }
}

/// A corner on its way into the scan.
#[derive(Clone, Copy)]
struct Corner {
    position: Vec3,
    uv: Vec2,
    color: [f32; 3],
}

impl Corner {
    fn middle(a: &Self, b: &Self, t: f32) -> Self {
        let mix = |x: f32, y: f32| x + (y - x) * t;
        Self {
            position: a.position + (b.position - a.position) * t,
            uv: a.uv + (b.uv - a.uv) * t,
            color: [0, 1, 2].map(|i| mix(a.color[i], b.color[i])),
        }
    }
}

/// A hash of a place on a grid of half millimetres, the same whichever face asks.
fn hash(p: Vec3, salt: u64) -> u64 {
    let mut h = salt ^ 0x9E37_79B9_7F4A_7C15;
    for c in p.to_array() {
        h ^= (libm::roundf(c * 2000.0) as i64) as u64;
        h = h.wrapping_mul(0xFF51_AFD7_ED55_8CCD);
        h ^= h >> 29;
    }
    h
}

fn unit(h: u64) -> f32 {
    (h >> 40) as f32 / (1_u64 << 24) as f32
}

/// Smooth noise in space, from layers of a repeating plane: −1 to 1.
fn field(noise: &Noise, p: Vec3, size: f32, shift: f32) -> f32 {
    let at = |a: f32, b: f32| {
        2.0 * noise.at(a / (32.0 * size) + shift, b / (32.0 * size) + shift, 32, 32) - 1.0
    };
    (at(p.x + 0.7 * p.y, p.z - 0.4 * p.y) + at(p.y + 0.6 * p.z, p.x + 0.3 * p.z)) * 0.7
}

/// Turns a home into a scan.
pub fn scan(scene: &SceneModel, spec: &ScanSpec) -> PlyMesh {
    let mut stream = Stream::new(spec.seed, "home", "scan");
    let noise = Noise::new(32, &mut stream);
    let edge = edge_length(scene, spec.triangles);
    let mut out = PlyMesh { label_names: scene.categories.clone(), ..PlyMesh::default() };
    let mut welded: BTreeMap<[i64; 3], u32> = BTreeMap::new();
    for placement in &scene.placements {
        let Some(mesh) = scene.meshes.get(placement.mesh as usize) else { continue };
        let material = scene.materials.get(placement.material as usize);
        let texture = material
            .and_then(|m| m.texture)
            .and_then(|t| scene.textures.get(t as usize))
            .map(Arc::as_ref);
        let category = scene.instance(placement.instance).map_or(0, |i| i.category);
        // What is seen through the windows is not there for a scanner.
        if placement.instance == 0 {
            continue;
        }
        let fine = fine(scene, placement.instance, edge);
        for triangle in &mesh.triangles {
            let corners = triangle.map(|i| corner(mesh, i as usize));
            split(corners, fine, 0, &mut |corners| {
                add(
                    &mut out,
                    &mut welded,
                    corners,
                    texture,
                    &noise,
                    spec,
                    placement.instance,
                    category,
                    scene,
                );
            });
        }
    }
    ragged(&mut out, spec.seed);
    out
}

/// Edge that gives about this many triangles, found by halving the range between 1 cm and 4 m: what
/// furniture adds to its own small faces cannot be told from areas.
fn edge_length(scene: &SceneModel, triangles: usize) -> f32 {
    let (mut low, mut high) = (0.01_f32, 4.0_f32);
    for _ in 0..10 {
        let middle = libm::sqrtf(low * high);
        if count(scene, middle, 2 * triangles) > triangles {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// Triangles that this edge gives; counts no further than `most`.
fn count(scene: &SceneModel, edge: f32, most: usize) -> usize {
    let mut total = 0;
    for placement in scene.placements.iter().filter(|p| p.instance != 0) {
        let Some(mesh) = scene.meshes.get(placement.mesh as usize) else { continue };
        let fine = fine(scene, placement.instance, edge);
        for triangle in &mesh.triangles {
            split(triangle.map(|i| corner(mesh, i as usize)), fine, 0, &mut |_| total += 1);
            if total > most {
                return total;
            }
        }
    }
    total
}

/// Small things keep small faces.
fn fine(scene: &SceneModel, instance: u32, edge: f32) -> f32 {
    let size = scene.instance(instance).map_or(1.0, |i| i.bounds.size().max_element());
    edge * (size / 0.8).clamp(0.35, 1.0)
}

fn corner(mesh: &Mesh, index: usize) -> Corner {
    let color = mesh.colors.get(index).copied().unwrap_or([255; 4]);
    Corner {
        position: mesh.positions.get(index).copied().unwrap_or_default(),
        uv: mesh.uvs.get(index).copied().unwrap_or_default(),
        color: [0, 1, 2].map(|i| f32::from(color[i]) / 255.0),
    }
}

/// Halves the longest edge until all are short. Where the edge is cut follows from its ends alone, so
/// that neighbours agree, and lies off its middle, so that faces are irregular.
fn split(c: [Corner; 3], limit: f32, depth: u32, emit: &mut impl FnMut([Corner; 3])) {
    let lengths = [0, 1, 2].map(|i| c[i].position.distance(c[(i + 1) % 3].position));
    let longest = (0..3).max_by(|&i, &j| lengths[i].total_cmp(&lengths[j])).unwrap_or(0);
    if lengths[longest] <= limit || depth > 14 {
        emit(c);
        return;
    }
    let (a, b, o) = (c[longest], c[(longest + 1) % 3], c[(longest + 2) % 3]);
    // The same point from both sides of the edge.
    let flip = a.position.to_array() > b.position.to_array();
    let h = unit(hash(a.position + b.position, 77));
    let t = 0.40 + 0.20 * h;
    let m = Corner::middle(&a, &b, if flip { 1.0 - t } else { t });
    split([a, m, o], limit, depth + 1, emit);
    split([m, b, o], limit, depth + 1, emit);
}

fn add(
    out: &mut PlyMesh,
    welded: &mut BTreeMap<[i64; 3], u32>,
    corners: [Corner; 3],
    texture: Option<&Texture>,
    noise: &Noise,
    spec: &ScanSpec,
    instance: u32,
    category: u32,
    scene: &SceneModel,
) {
    let middle = (corners[0].position + corners[1].position + corners[2].position) / 3.0;
    let normal = (corners[1].position - corners[0].position)
        .cross(corners[2].position - corners[0].position)
        .normalize_or_zero();
    let name = scene.category_name(category);
    // Floors and what one walks to stay whole; ceilings, glass and gloss lose more.
    let share = match name {
        "floor" | "rug" => 0.0,
        "ceiling" => 4.0,
        "mirror" | "television" | "window" | "shower" => 6.0,
        _ => 1.0,
    } * spec.holes;
    let patch = 0.5 + 0.5 * field(noise, middle, 0.28, 0.13);
    // The field reaches beyond its middle range, so that a limit of zero is not the same as no hole.
    if share > 0.0 && patch < 0.28 * libm::sqrtf(share * 4.0).min(1.0) {
        return;
    }
    let index = corners.map(|c| {
        let key = c.position.to_array().map(|v| libm::roundf(v * 2000.0) as i64);
        if let Some(&index) = welded.get(&key) {
            return index;
        }
        let floor = name == "floor";
        let p = c.position;
        let bump = 0.0045 * field(noise, p, 0.35, 0.0) + 0.002 * field(noise, p, 0.09, 0.4);
        let jitter = unit(hash(p, 3)) - 0.5;
        let along = spec.noise * (bump + 0.0012 * jitter) * if floor { 0.6 } else { 1.0 };
        let drift =
            Vec3::new(field(noise, p, 3.0, 0.21), 0.0, field(noise, p, 3.0, 0.55)) * 0.006 * spec.noise;
        let index = out.positions.len() as u32;
        out.positions.push(p + normal * along + drift);
        out.colors.push(color(&c, texture, noise));
        welded.insert(key, index);
        index
    });
    if index[0] == index[1] || index[1] == index[2] || index[2] == index[0] {
        return;
    }
    out.triangles.push(index);
    out.ids.push(i32::try_from(instance).unwrap_or(0));
    out.labels.push(category as i32);
}

/// Texture times light, with the slow changes of a camera's exposure.
fn color(c: &Corner, texture: Option<&Texture>, noise: &Noise) -> [u8; 4] {
    let texel = texture.map_or([1.0; 3], |texture| {
        let wrap = |v: f32, n: u32| {
            let v = v - libm::floorf(v);
            ((v * n as f32) as u32).min(n.saturating_sub(1))
        };
        let (x, y) = (wrap(c.uv.x, texture.width), wrap(c.uv.y, texture.height));
        let pixel = texture.pixels.get((y * texture.width + x) as usize).copied().unwrap_or([255; 4]);
        [0, 1, 2].map(|i| f32::from(pixel[i]) / 255.0)
    });
    let exposure = 1.0 + 0.06 * field(noise, c.position, 1.4, 0.3);
    let channel =
        |i: usize| libm::roundf((texel[i] * c.color[i] * exposure).clamp(0.0, 1.0) * 255.0) as u8;
    [channel(0), channel(1), channel(2), 255]
}

/// Takes a third of the faces at open borders away, twice, and vertices that nothing uses.
fn ragged(mesh: &mut PlyMesh, seed: u64) {
    for round in 0..2_u64 {
        let mut edges: Vec<(u32, u32)> = Vec::with_capacity(mesh.triangles.len() * 3);
        let key = |a: u32, b: u32| (a.min(b), a.max(b));
        for t in &mesh.triangles {
            edges.extend([key(t[0], t[1]), key(t[1], t[2]), key(t[2], t[0])]);
        }
        edges.sort_unstable();
        let open = |edge: (u32, u32)| {
            let first = edges.partition_point(|e| *e < edge);
            edges.get(first + 1) != Some(&edge)
        };
        let floor = mesh.label_names.iter().position(|name| name == "floor").map_or(-1, |i| i as i32);
        let keep: Vec<bool> = mesh
            .triangles
            .iter()
            .enumerate()
            .map(|(i, t)| {
                let border = open(key(t[0], t[1])) || open(key(t[1], t[2])) || open(key(t[2], t[0]));
                let p = mesh.positions.get(t[0] as usize).copied().unwrap_or_default();
                let whole = mesh.labels.get(i) == Some(&floor);
                !border || whole || unit(hash(p, seed ^ round)) > 0.12
            })
            .collect();
        let mut flags = keep.iter();
        mesh.triangles.retain(|_| *flags.next().unwrap_or(&true));
        let mut flags = keep.iter();
        mesh.ids.retain(|_| *flags.next().unwrap_or(&true));
        let mut flags = keep.iter();
        mesh.labels.retain(|_| *flags.next().unwrap_or(&true));
    }
    let mut index = vec![u32::MAX; mesh.positions.len()];
    let (mut positions, mut colors) = (Vec::new(), Vec::new());
    for corner in mesh.triangles.iter_mut().flatten() {
        let Some(slot) = index.get_mut(*corner as usize) else { continue };
        if *slot == u32::MAX {
            *slot = positions.len() as u32;
            positions.push(mesh.positions.get(*corner as usize).copied().unwrap_or_default());
            colors.push(mesh.colors.get(*corner as usize).copied().unwrap_or([255; 4]));
        }
        *corner = *slot;
    }
    mesh.positions = positions;
    mesh.colors = colors;
}
