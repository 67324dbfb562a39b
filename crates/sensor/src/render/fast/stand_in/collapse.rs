//! Vertices merged into their neighbours, those first by whose loss the surface changes least.

use super::super::bake::CLUSTER;
use super::make::{Reduced, Surface};
use ambler_scene::Mesh;
use glam::{DVec2, DVec3};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Triangles around a vertex, at most.
const FAN: usize = 20;
/// Channel values by which a colour that is wrong counts as much as one that is in the wrong place, as
/// far off as the nearest vertex.
const COLOR: f64 = 64.0;
/// Share of the length of a merged edge that is added to decide the order: of what changes nothing short
/// edges go first.
const LENGTH: f64 = 1e-3;
/// Triangles that a version has of those of the one before, at most.
const FEWER: f64 = 0.7;
/// Share of the gap to the next surface behind or before that a surface may move: two that face each other
/// so must not meet.
pub(super) const GAP: f64 = 0.4;
/// No index.
const NONE: u32 = u32::MAX;

/// What surfaces are measured against.
pub(super) struct Original<'a> {
    mesh: &'a Mesh,
    /// For each vertex how far away the next surface that faces the same way is.
    clearances: Vec<f32>,
}

impl<'a> Original<'a> {
    pub(super) fn new(mesh: &'a Mesh, clearances: Vec<f32>) -> Self {
        Self { mesh, clearances }
    }

    /// How far off the surface may be at a vertex.
    fn room(&self, vertex: u32) -> f64 {
        self.clearances.get(vertex as usize).map_or(f64::INFINITY, |&it| f64::from(it) * GAP)
    }

    fn at(&self, vertex: u32) -> DVec3 {
        self.mesh.positions[vertex as usize].as_dvec3()
    }

    fn color(&self, vertex: u32) -> Option<DVec3> {
        let [red, green, blue, _] = *self.mesh.colors.get(vertex as usize)?;
        Some(DVec3::new(red.into(), green.into(), blue.into()))
    }

    fn uv(&self, vertex: u32) -> Option<DVec2> {
        Some(self.mesh.uvs.get(vertex as usize)?.as_dvec2())
    }

    fn instance(&self, triangle: u32) -> u32 {
        self.mesh.triangle_instances.get(triangle as usize).copied().unwrap_or(0)
    }
}

/// Merges vertices that may go and have triangles of one instance all around them, while the surface
/// stays within `most` metres of the mesh. Returns the last surface, and some on the way.
pub(super) fn simplify(
    original: &Original<'_>,
    reduced: Reduced,
    may_go: impl Fn(u32) -> bool,
    most: f64,
) -> (Reduced, Vec<Surface>) {
    let mut error = reduced.surface.error;
    let mut work = Work::new(original, reduced, most);
    let mut versions = Vec::new();
    let mut kept = work.left;
    let mut next = step(kept);
    let mut heap = BinaryHeap::new();
    for vertex in 0..work.vertices.len() as u32 {
        if may_go(work.vertices[vertex as usize]) {
            work.queue(&mut heap, vertex);
        }
    }
    while let Some(Reverse((_, vertex))) = heap.pop() {
        if std::mem::take(&mut work.stale[vertex as usize]) {
            work.queue(&mut heap, vertex);
            continue;
        }
        let Plan { target, error: cost } = work.plans[vertex as usize];
        // What is farther away may have changed too.
        if !work.still_good(vertex, target) {
            work.queue(&mut heap, vertex);
            continue;
        }
        if work.left <= next {
            versions.push(work.surface(error));
            kept = work.left;
            next = step(kept);
        }
        error = error.max(cost);
        work.merge(vertex, target);
    }
    if (work.left as f64) < kept as f64 * 0.8 {
        versions.push(work.surface(error));
    }
    (work.finish(error), versions)
}

/// The number of triangles of the next version: whole clusters.
fn step(triangles: usize) -> usize {
    let most = (triangles as f64 * FEWER) as usize;
    if most >= CLUSTER { most / CLUSTER * CLUSTER } else { most }
}

/// Into which neighbour a vertex may be merged, and how far from the mesh the surface then is.
#[derive(Clone, Copy, Default)]
struct Plan {
    target: u32,
    error: f32,
}

/// A surface that vertices are merged in. Vertices have numbers of their own.
struct Work<'a> {
    original: &'a Original<'a>,
    most: f64,
    /// The mesh's vertices.
    vertices: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    sources: Vec<u32>,
    alive: Vec<bool>,
    left: usize,
    /// Triangles around each vertex.
    fans: Vec<Vec<u32>>,
    /// Lists of the mesh's vertices that are gone and lie on each triangle: the first, the vertex, and
    /// the next.
    first: Vec<u32>,
    gone: Vec<u32>,
    next: Vec<u32>,
    plans: Vec<Plan>,
    /// Whether something around a vertex changed since its plan was made.
    stale: Vec<bool>,
    /// The vertices around the one that is looked at, in order.
    ring: Vec<u32>,
}

impl<'a> Work<'a> {
    fn new(original: &'a Original<'a>, reduced: Reduced, most: f64) -> Self {
        let Reduced { surface, gone } = reduced;
        let mut vertices: Vec<u32> = surface.triangles.iter().flatten().copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        let number = |vertex| vertices.partition_point(|&other| other < vertex) as u32;
        let triangles: Vec<[u32; 3]> =
            surface.triangles.iter().map(|corners| corners.map(number)).collect();
        let mut fans = vec![Vec::new(); vertices.len()];
        for (index, corners) in triangles.iter().enumerate() {
            corners.iter().for_each(|&corner| fans[corner as usize].push(index as u32));
        }
        let count = triangles.len();
        let mut work = Self {
            original,
            most,
            triangles,
            sources: surface.sources,
            alive: vec![true; count],
            left: count,
            fans,
            first: vec![NONE; count],
            gone: Vec::with_capacity(gone.len() + vertices.len()),
            next: Vec::with_capacity(gone.len() + vertices.len()),
            plans: vec![Plan::default(); vertices.len()],
            stale: vec![false; vertices.len()],
            ring: Vec::new(),
            vertices,
        };
        gone.iter().for_each(|&[triangle, vertex]| work.put(triangle, vertex));
        work
    }

    /// Lists a vertex that is gone with a triangle.
    fn put(&mut self, triangle: u32, vertex: u32) {
        let index = self.gone.len() as u32;
        self.gone.push(vertex);
        self.next.push(self.first[triangle as usize]);
        self.first[triangle as usize] = index;
    }

    fn at(&self, vertex: u32) -> DVec3 {
        self.original.at(self.vertices[vertex as usize])
    }

    /// Plans a merge and queues the vertex, if there is one that stays within what is allowed.
    fn queue(&mut self, heap: &mut BinaryHeap<Reverse<(u32, u32)>>, vertex: u32) {
        if !self.find_ring(vertex) {
            return;
        }
        if let Some((key, plan)) = self.plan(vertex) {
            self.plans[vertex as usize] = plan;
            // Not negative: bits are in the order of the numbers.
            heap.push(Reverse(((key as f32).to_bits(), vertex)));
        }
    }

    /// Lists the vertices around one whose triangles close around it and are of one instance.
    fn find_ring(&mut self, vertex: u32) -> bool {
        let fan = &self.fans[vertex as usize];
        let count = fan.len();
        self.ring.clear();
        if !(3..=FAN).contains(&count) {
            return false;
        }
        let mut sides = [[0; 2]; FAN];
        let instance = self.original.instance(self.sources[fan[0] as usize]);
        for (side, &triangle) in sides.iter_mut().zip(fan) {
            let [a, b, c] = self.triangles[triangle as usize];
            *side = match vertex {
                v if v == a => [b, c],
                v if v == b => [c, a],
                _ => [a, b],
            };
            if self.original.instance(self.sources[triangle as usize]) != instance {
                return false;
            }
        }
        let sides = &sides[..count];
        let mut at = sides[0][0];
        for _ in 0..count {
            if self.ring.contains(&at) {
                return false;
            }
            self.ring.push(at);
            let mut onward = sides.iter().filter(|side| side[0] == at);
            let (Some(side), None) = (onward.next(), onward.next()) else { return false };
            at = side[1];
        }
        at == self.ring[0]
    }

    /// Finds the ring of a vertex, and whether it may still be merged into the one that was planned.
    fn still_good(&mut self, vertex: u32, target: u32) -> bool {
        if !self.find_ring(vertex) {
            return false;
        }
        let around = self.around();
        let around = &around[..self.ring.len()];
        let (at, place) = (self.at(vertex), self.ring.iter().position(|&other| other == target));
        match (place, normal(at, around)) {
            (Some(k), Some(normal)) => self.keeps_shape(k, at, around, normal),
            _ => false,
        }
    }

    /// Where the vertices of the ring are.
    fn around(&self) -> [DVec3; FAN] {
        let mut around = [DVec3::ZERO; FAN];
        for (point, &other) in around.iter_mut().zip(&self.ring) {
            *point = self.at(other);
        }
        around
    }

    /// The best merge of a vertex with the ring that was found, and its place in the order.
    fn plan(&self, vertex: u32) -> Option<(f64, Plan)> {
        let count = self.ring.len();
        let at = self.at(vertex);
        let around = self.around();
        let around = &around[..count];
        let normal = normal(at, around)?;
        let named = self.ring.iter().chain([&vertex]).map(|&it| self.vertices[it as usize]);
        let room = named.map(|it| self.original.room(it)).fold(f64::INFINITY, f64::min);
        let texture = self.texture_size(vertex, at, around);
        // The two that move the surface least at the vertex itself.
        let mut best = [(f64::INFINITY, 0); 2];
        for k in 0..count {
            if !self.keeps_shape(k, at, around, normal) {
                continue;
            }
            let mut worst = 0.0;
            self.measure(self.vertices[vertex as usize], k, around, texture, &mut worst);
            let score = worst + LENGTH * around[k].distance(at);
            if score < best[0].0 {
                best = [(score, k), best[0]];
            } else if score < best[1].0 {
                best[1] = (score, k);
            }
        }
        let mut found: Option<(f64, Plan)> = None;
        for (score, k) in best {
            if !(score <= self.most && score < f64::INFINITY) {
                continue;
            }
            let mut worst = crossings(at, around, k, normal);
            if worst > room {
                continue;
            }
            self.measure(self.vertices[vertex as usize], k, around, texture, &mut worst);
            for &triangle in &self.fans[vertex as usize] {
                let mut index = self.first[triangle as usize];
                while index != NONE && worst <= self.most {
                    self.measure(self.gone[index as usize], k, around, texture, &mut worst);
                    index = self.next[index as usize];
                }
            }
            let key = worst + LENGTH * around[k].distance(at);
            if worst <= self.most && found.is_none_or(|(other, _)| key < other) {
                found = Some((key, Plan { target: self.ring[k], error: worst as f32 }));
            }
        }
        found
    }

    /// The most metres along an edge to the ring that a unit of texture coordinates takes; 0 without any.
    fn texture_size(&self, vertex: u32, at: DVec3, around: &[DVec3]) -> f64 {
        let Some(uv) = self.original.uv(self.vertices[vertex as usize]) else { return 0.0 };
        let each = self.ring.iter().zip(around).map(|(&other, point)| {
            let there = self.original.uv(self.vertices[other as usize]).unwrap_or(uv);
            let step = there.distance(uv);
            if step > 0.0 { point.distance(at) / step } else { 0.0 }
        });
        each.fold(0.0, f64::max)
    }

    /// Whether merging into the vertex `k` of the ring turns no triangle over and makes no edge twice.
    fn keeps_shape(&self, k: usize, at: DVec3, around: &[DVec3], normal: DVec3) -> bool {
        let (count, target) = (self.ring.len(), self.ring[k]);
        let fan = &self.fans[target as usize];
        if fan.len() + count > FAN + 4 {
            return false;
        }
        for j in 0..count {
            let neighbour = j == (k + 1) % count || j == (k + count - 1) % count;
            let other = self.ring[j];
            let mut shared = fan.iter().map(|&it| self.triangles[it as usize]);
            if count == 3 {
                // The fourth side of a tetrahedron.
                if shared.any(|corners| self.ring.iter().all(|it| corners.contains(it))) {
                    return false;
                }
            } else if j != k && !neighbour && shared.any(|corners| corners.contains(&other)) {
                return false;
            }
        }
        sides(count, k).all(|j| {
            let (b, c) = (around[j], around[(j + 1) % count]);
            let new = (b - around[k]).cross(c - around[k]);
            let old = (b - at).cross(c - at);
            new.dot(normal) > 0.15 * new.length() && new.dot(old) >= 0.0
        })
    }

    /// Raises `worst` to the distance of one of the mesh's vertices from the new triangles around vertex `k`
    /// of the ring, or to that of its colour or its place in the texture, of which a unit is `texture` metres
    /// wide. Returns the nearest of them, by the number of its side of the ring.
    fn measure(&self, vertex: u32, k: usize, around: &[DVec3], texture: f64, worst: &mut f64) -> usize {
        let count = around.len();
        let point = self.original.at(vertex);
        let corners = |j: usize| [around[k], around[j], around[if j + 1 < count { j + 1 } else { 0 }]];
        let mut best = (f64::INFINITY, 0, [0.0; 3]);
        for j in sides(count, k) {
            if let Some((distance, shares)) = above(point, corners(j)).filter(|it| it.0 < best.0) {
                best = (distance, j, shares);
            }
        }
        // Few points lie beside all triangles.
        if best.0 == f64::INFINITY {
            for j in sides(count, k) {
                let (distance, shares) = beside(point, corners(j));
                if distance < best.0 {
                    best = (distance, j, shares);
                }
            }
        }
        let (distance, j, shares) = best;
        let mut off = libm::sqrt(distance);
        if off > self.original.room(vertex) {
            off = f64::INFINITY;
        }
        if let Some(color) = self.original.color(vertex) {
            let ring = [k, j, (j + 1) % count];
            let mut shown = DVec3::ZERO;
            let mut near = f64::INFINITY;
            for (corner, share) in ring.into_iter().zip(shares) {
                let there = self.vertices[self.ring[corner] as usize];
                shown += self.original.color(there).unwrap_or(color) * share;
                near = near.min((around[corner] - point).length_squared());
            }
            let wrong = (shown - color).abs().max_element() / COLOR;
            off = off.max(libm::sqrt(near) * wrong.min(1.0));
        }
        if let Some(uv) = self.original.uv(vertex).filter(|_| texture > 0.0) {
            let ring = [k, j, (j + 1) % count];
            let mut shown = DVec2::ZERO;
            for (corner, share) in ring.into_iter().zip(shares) {
                let there = self.vertices[self.ring[corner] as usize];
                shown += self.original.uv(there).unwrap_or(uv) * share;
            }
            off = off.max(shown.distance(uv) * texture);
        }
        // Not a number counts as too far.
        *worst = if off <= *worst { *worst } else { off };
        j
    }

    /// Merges a vertex, whose ring was found, into one of the ring.
    fn merge(&mut self, vertex: u32, target: u32) {
        let around = self.around();
        let ring = std::mem::take(&mut self.ring);
        let count = ring.len();
        let Some(k) = ring.iter().position(|&other| other == target) else { return };
        let fan = std::mem::take(&mut self.fans[vertex as usize]);
        let mut points = vec![self.vertices[vertex as usize]];
        // For each side of the ring its triangle.
        let mut of_side = [0; FAN];
        for &triangle in &fan {
            let mut index = std::mem::replace(&mut self.first[triangle as usize], NONE);
            while index != NONE {
                points.push(self.gone[index as usize]);
                index = self.next[index as usize];
            }
            let corners = &mut self.triangles[triangle as usize];
            let turn = corners.iter().position(|&corner| corner == vertex).unwrap_or(0);
            let side = ring.iter().position(|&other| other == corners[(turn + 1) % 3]).unwrap_or(0);
            if corners.contains(&target) {
                self.alive[triangle as usize] = false;
                self.left -= 1;
                for corner in *corners {
                    self.fans[corner as usize].retain(|&other| other != triangle);
                }
            } else {
                corners[turn] = target;
                of_side[side] = triangle;
                self.fans[target as usize].push(triangle);
            }
        }
        self.ring = ring;
        for point in points {
            let side = self.measure(point, k, &around[..count], 0.0, &mut 0.0);
            self.put(of_side[side], point);
        }
        for &other in &self.ring {
            self.stale[other as usize] = true;
        }
    }

    fn surface(&self, error: f32) -> Surface {
        let alive = || (0..self.triangles.len()).filter(|&index| self.alive[index]);
        let corners = |index: usize| self.triangles[index].map(|v| self.vertices[v as usize]);
        Surface {
            triangles: alive().map(corners).collect(),
            sources: alive().map(|index| self.sources[index]).collect(),
            error,
        }
    }

    fn finish(self, error: f32) -> Reduced {
        let surface = self.surface(error);
        let mut gone = Vec::with_capacity(self.gone.len());
        let alive = (0..self.triangles.len()).filter(|&index| self.alive[index]);
        for (place, triangle) in alive.enumerate() {
            let mut index = self.first[triangle];
            while index != NONE {
                gone.push([place as u32, self.gone[index as usize]]);
                index = self.next[index as usize];
            }
        }
        Reduced { surface, gone }
    }
}

/// Of the triangles between a vertex and those around it.
fn normal(at: DVec3, around: &[DVec3]) -> Option<DVec3> {
    let next = around.iter().cycle().skip(1);
    let parts = around.iter().zip(next).map(|(&b, &c)| (b - at).cross(c - at));
    parts.fold(DVec3::ZERO, |sum, part| sum + part).try_normalize()
}

/// The largest distance, along the normal, between edges to a vertex and the new edges from vertex `k` of
/// its ring that cross them. Between vertices a surface is farthest from another at such places.
fn crossings(at: DVec3, around: &[DVec3], k: usize, normal: DVec3) -> f64 {
    let count = around.len();
    let from = around[k];
    // Areas beside the line from `at` to a corner, seen along the normal.
    let beside = |way: DVec3, point: DVec3| way.cross(point - at).dot(normal);
    let mut worst = 0.0_f64;
    // The new edges but for those that are sides of the ring.
    for j in sides(count, k).skip(1) {
        let to = around[j];
        for &corner in around {
            let way = corner - at;
            let (a, b) = (beside(way, from), beside(way, to));
            // Both ends on one side, or at an end of the new edge.
            if !(a * b < 0.0) {
                continue;
            }
            let there = from + (to - from) * (a / (a - b));
            let along = (there - at) - normal * (there - at).dot(normal);
            let flat = way - normal * way.dot(normal);
            let share = along.dot(flat) / flat.length_squared();
            if share > 0.0 && share < 1.0 {
                worst = worst.max((there - at - way * share).dot(normal).abs());
            }
        }
    }
    worst
}

/// The sides of a ring of which new triangles to its vertex `k` are made.
fn sides(count: usize, k: usize) -> impl Iterator<Item = usize> {
    (k + 1..k + count - 1).map(move |j| if j < count { j } else { j - count })
}

/// Squared distance of a point from a triangle that it lies above or below, and the shares of the corners
/// in the nearest point.
#[inline(always)]
fn above(point: DVec3, [a, b, c]: [DVec3; 3]) -> Option<(f64, [f64; 3])> {
    let (u, v, w) = (b - a, c - a, point - a);
    let (uu, uv, vv) = (u.dot(u), u.dot(v), v.dot(v));
    let (wu, wv) = (w.dot(u), w.dot(v));
    let area = uu * vv - uv * uv;
    let (s, t) = (vv * wu - uv * wv, uu * wv - uv * wu);
    if !(area > 0.0 && s >= 0.0 && t >= 0.0 && s + t <= area) {
        return None;
    }
    let (s, t) = (s / area, t / area);
    let off = w - u * s - v * t;
    Some((off.length_squared(), [1.0 - s - t, s, t]))
}

/// The same of the nearest point on the triangle's edges.
fn beside(point: DVec3, [a, b, c]: [DVec3; 3]) -> (f64, [f64; 3]) {
    let edge = |from: DVec3, to: DVec3| {
        let (along, rest) = (to - from, point - from);
        let length = along.length_squared();
        let share = if length > 0.0 { (rest.dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
        ((rest - along * share).length_squared(), share)
    };
    let (ab, bc, ca) = (edge(a, b), edge(b, c), edge(c, a));
    if ab.0 <= bc.0 && ab.0 <= ca.0 {
        (ab.0, [1.0 - ab.1, ab.1, 0.0])
    } else if bc.0 <= ca.0 {
        (bc.0, [0.0, 1.0 - bc.1, bc.1])
    } else {
        (ca.0, [ca.1, 0.0, 1.0 - ca.1])
    }
}
