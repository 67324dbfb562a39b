//! Fewer triangles: edges are collapsed onto one of their ends, cheapest first by quadric error
//! (Garland & Heckbert 1997). Ends keep their texture coordinates; seams and borders collapse only
//! along themselves.

use ambler_geometry::{DVec3, Vec2, Vec3};
use ambler_scene::Mesh;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// A symmetric 4 × 4 matrix: the sum of squared distances to planes.
#[derive(Clone, Copy, Default)]
struct Quadric([f64; 10]);

impl Quadric {
    fn of_plane(normal: DVec3, offset: f64, weight: f64) -> Self {
        let (a, b, c, d) = (normal.x, normal.y, normal.z, -offset);
        Self([a * a, a * b, a * c, a * d, b * b, b * c, b * d, c * c, c * d, d * d].map(|v| v * weight))
    }

    fn add(&mut self, other: &Self) {
        for (own, other) in self.0.iter_mut().zip(other.0) {
            *own += other;
        }
    }

    fn error(&self, p: DVec3) -> f64 {
        let [aa, ab, ac, ad, bb, bc, bd, cc, cd, dd] = self.0;
        aa * p.x * p.x
            + 2.0 * ab * p.x * p.y
            + 2.0 * ac * p.x * p.z
            + 2.0 * ad * p.x
            + bb * p.y * p.y
            + 2.0 * bc * p.y * p.z
            + 2.0 * bd * p.y
            + cc * p.z * p.z
            + 2.0 * cd * p.z
            + dd
    }
}

struct Work {
    /// Corners (wedges): place and texture coordinate.
    place_of: Vec<usize>,
    uvs: Vec<Vec2>,
    places: Vec<DVec3>,
    triangles: Vec<Option<[usize; 3]>>,
    /// Triangles around each place.
    around: Vec<BTreeSet<usize>>,
    quadrics: Vec<Quadric>,
    version: Vec<u32>,
}

pub(crate) fn simplify(mesh: &Mesh, target: usize) -> Mesh {
    let mut work = Work::new(mesh);
    let mut heap: BinaryHeap<Reverse<(u64, usize, usize, u32, u32)>> = BinaryHeap::new();
    for u in 0..work.places.len() {
        work.push(u, &mut heap);
    }
    let mut left = work.triangles.iter().flatten().count();
    while left > target {
        let Some(Reverse((_, u, v, version_u, version_v))) = heap.pop() else { break };
        if work.version[u] != version_u || work.version[v] != version_v {
            continue;
        }
        let Some(wedges) = work.collapse_map(u, v) else { continue };
        left -= work.collapse(u, v, &wedges);
        for near in work.neighbours(v) {
            work.version[near] += 1;
        }
        work.version[v] += 1;
        for near in work.neighbours(v).into_iter().chain(std::iter::once(v)) {
            work.push(near, &mut heap);
        }
    }
    work.finish()
}

impl Work {
    fn new(mesh: &Mesh) -> Self {
        let mut place_index: BTreeMap<[u32; 3], usize> = BTreeMap::new();
        let mut wedge_index: BTreeMap<(usize, [u32; 2]), usize> = BTreeMap::new();
        let (mut places, mut place_of, mut uvs) = (Vec::new(), Vec::new(), Vec::new());
        let wedges: Vec<usize> = (0..mesh.positions.len())
            .map(|i| {
                let p = mesh.positions[i];
                let place = *place_index.entry(p.to_array().map(f32::to_bits)).or_insert_with(|| {
                    places.push(p.as_dvec3());
                    places.len() - 1
                });
                let uv = mesh.uvs.get(i).copied().unwrap_or_default();
                *wedge_index.entry((place, uv.to_array().map(f32::to_bits))).or_insert_with(|| {
                    place_of.push(place);
                    uvs.push(uv);
                    place_of.len() - 1
                })
            })
            .collect();
        let mut around = vec![BTreeSet::new(); places.len()];
        let mut triangles = Vec::new();
        for triangle in &mesh.triangles {
            let corners = triangle.map(|i| wedges[i as usize]);
            let [a, b, c] = corners.map(|w| place_of[w]);
            if a == b || b == c || c == a {
                continue;
            }
            for place in [a, b, c] {
                around[place].insert(triangles.len());
            }
            triangles.push(Some(corners));
        }
        let count = places.len();
        let mut work = Self {
            place_of,
            uvs,
            places,
            triangles,
            around,
            quadrics: vec![Quadric::default(); count],
            version: vec![0; count],
        };
        work.add_quadrics();
        work
    }

    fn corners(&self, triangle: usize) -> Option<[usize; 3]> {
        self.triangles[triangle].map(|corners| corners.map(|wedge| self.place_of[wedge]))
    }

    fn add_quadrics(&mut self) {
        for triangle in 0..self.triangles.len() {
            let Some(ids) = self.corners(triangle) else { continue };
            let [a, b, c] = ids.map(|i| self.places[i]);
            let cross = (b - a).cross(c - a);
            let Some(normal) = cross.try_normalize() else { continue };
            let quadric = Quadric::of_plane(normal, normal.dot(a), cross.length());
            for id in ids {
                self.quadrics[id].add(&quadric);
            }
            // Borders and seams are held by planes across them.
            for (i, j) in [(0, 1), (1, 2), (2, 0)] {
                if self.is_open(ids[i], ids[j]) {
                    let along = self.places[ids[j]] - self.places[ids[i]];
                    let Some(across) = along.cross(normal).try_normalize() else { continue };
                    let weight = along.length_squared() * 4.0;
                    let plane = Quadric::of_plane(across, across.dot(self.places[ids[i]]), weight);
                    self.quadrics[ids[i]].add(&plane);
                    self.quadrics[ids[j]].add(&plane);
                }
            }
        }
    }

    fn shared(&self, u: usize, v: usize) -> Vec<usize> {
        self.around[u].intersection(&self.around[v]).copied().collect()
    }

    fn wedge(&self, triangle: usize, place: usize) -> Option<usize> {
        self.triangles[triangle]?.into_iter().find(|&wedge| self.place_of[wedge] == place)
    }

    /// True for an edge on a border or a texture seam.
    fn is_open(&self, u: usize, v: usize) -> bool {
        match self.shared(u, v)[..] {
            [a, b] => self.wedge(a, u) != self.wedge(b, u) || self.wedge(a, v) != self.wedge(b, v),
            _ => true,
        }
    }

    fn neighbours(&self, u: usize) -> BTreeSet<usize> {
        let list = self.around[u].iter().filter_map(|&t| self.corners(t)).flatten();
        list.filter(|&other| other != u).collect()
    }

    fn push(&self, u: usize, heap: &mut BinaryHeap<Reverse<(u64, usize, usize, u32, u32)>>) {
        for v in self.neighbours(u) {
            for (from, to) in [(u, v), (v, u)] {
                let mut quadric = self.quadrics[from];
                quadric.add(&self.quadrics[to]);
                let cost = quadric.error(self.places[to]).max(0.0)
                    + 1e-9 * self.places[from].distance_squared(self.places[to]);
                // Costs are not negative, so their bits sort as they do.
                heap.push(Reverse((cost.to_bits(), from, to, self.version[from], self.version[to])));
            }
        }
    }

    /// Where each wedge of `u` goes when it collapses onto `v`; `None` where it must not.
    fn collapse_map(&self, u: usize, v: usize) -> Option<BTreeMap<usize, usize>> {
        let shared = self.shared(u, v);
        if shared.is_empty() || shared.len() > 2 {
            return None;
        }
        let (near_u, near_v) = (self.neighbours(u), self.neighbours(v));
        if near_u.intersection(&near_v).count() != shared.len() {
            return None;
        }
        let open: Vec<usize> = near_u.iter().copied().filter(|&other| self.is_open(u, other)).collect();
        if !open.is_empty() && !(open.len() == 2 && open.contains(&v)) {
            return None;
        }
        let mut map = BTreeMap::new();
        for &triangle in &shared {
            let (from, to) = (self.wedge(triangle, u)?, self.wedge(triangle, v)?);
            if *map.entry(from).or_insert(to) != to {
                return None;
            }
        }
        for &triangle in &self.around[u] {
            if shared.contains(&triangle) {
                continue;
            }
            let wedge = self.wedge(triangle, u)?;
            if !map.contains_key(&wedge) {
                return None;
            }
            let ids = self.corners(triangle)?;
            let at = |to: usize| ids.map(|i| self.places[if i == u { to } else { i }]);
            let normal = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a);
            let (before, after) = (normal(at(u)), normal(at(v)));
            let (lb, la) = (before.length(), after.length());
            if la < 1e-14 || before.dot(after) < 0.4 * lb * la {
                return None;
            }
        }
        Some(map)
    }

    fn collapse(&mut self, u: usize, v: usize, wedges: &BTreeMap<usize, usize>) -> usize {
        let mut removed = 0;
        for triangle in self.around[u].clone() {
            let Some(ids) = self.corners(triangle) else { continue };
            if ids.contains(&v) {
                for id in ids {
                    self.around[id].remove(&triangle);
                }
                self.triangles[triangle] = None;
                removed += 1;
            } else if let Some(corners) = &mut self.triangles[triangle] {
                for corner in corners {
                    if let Some(&to) = wedges.get(corner) {
                        *corner = to;
                    }
                }
                self.around[v].insert(triangle);
            }
        }
        self.around[u].clear();
        self.version[u] += 1;
        let quadric = self.quadrics[u];
        self.quadrics[v].add(&quadric);
        removed
    }

    fn finish(self) -> Mesh {
        let mut index: BTreeMap<usize, u32> = BTreeMap::new();
        let mut mesh = Mesh::default();
        for corners in self.triangles.iter().flatten() {
            let triangle = corners.map(|wedge| {
                *index.entry(wedge).or_insert_with(|| {
                    let p = self.places[self.place_of[wedge]];
                    mesh.positions.push(Vec3::new(p.x as f32, p.y as f32, p.z as f32));
                    mesh.uvs.push(self.uvs[wedge]);
                    mesh.positions.len() as u32 - 1
                })
            });
            mesh.triangles.push(triangle);
        }
        mesh
    }
}
