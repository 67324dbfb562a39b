//! What an agent remembers of a home that it has explored: made of the base scene alone.

use ambler_geometry::{Vec2, Vec3, polygon_contains};
use ambler_model::{
    Knowledge, KnownMap, KnownPlane, ModelError, Region, Relevance, SceneMemory, Storey,
};
use ambler_navmesh::NavQuery;
use ambler_navmesh::maps::top_down;
use ambler_scene::{Room, SceneModel};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Width of a square of the map, metres.
const CELL_M: f32 = 0.05;
/// Places to look from lie on a grid of this width, metres.
const GRID_M: f32 = 0.25;
/// Their distance from the outline of the surface, metres.
const NEAR_M: f32 = 0.3;
const FAR_M: f32 = 1.0;
/// Most places a surface.
const MOST_POINTS: usize = 12;
/// Things whose centres lie this near say what the home is used for there, metres.
const AROUND_M: f32 = 1.5;

/// A surface that holds things, before the places to look from are known. World frame, metres.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaneSeed {
    /// Unique name.
    pub name: String,
    /// What it is the top of.
    pub receptacle: String,
    /// What the home is used for there.
    pub region: Region,
    /// Height.
    pub y: f32,
    /// Outline in the floor plane (x, z).
    pub polygon: Vec<[f32; 2]>,
}

/// The scene without its movable things, which is all that a memory may be made of: a variant of a home
/// has the same base as the home. `table` says what is movable. Where nothing is, a clone.
pub fn base_scene(scene: &SceneModel, table: &Knowledge) -> SceneModel {
    let moves = |name: &str| table.find(name).is_some_and(|entry| entry.movable);
    let gone: BTreeSet<u32> = scene
        .instances
        .iter()
        .filter(|thing| moves(scene.category_name(thing.category)))
        .map(|thing| thing.id)
        .collect();
    let mut base = scene.clone();
    if gone.is_empty() {
        return base;
    }
    for placement in &mut base.placements {
        let mesh = &scene.meshes[placement.mesh as usize];
        if mesh.triangle_instances.iter().any(|id| gone.contains(id)) {
            // Part of one surface: a scan.
            let mut kept = (**mesh).clone();
            let keep = |index: &usize| !gone.contains(&mesh.triangle_instances[*index]);
            let indices: Vec<usize> = (0..mesh.triangles.len()).filter(keep).collect();
            kept.triangles = indices.iter().map(|&index| mesh.triangles[index]).collect();
            kept.triangle_instances =
                indices.iter().map(|&index| mesh.triangle_instances[index]).collect();
            base.meshes.push(Arc::new(kept));
            placement.mesh = base.meshes.len() as u32 - 1;
        }
    }
    base.placements.retain(|placement| !gone.contains(&placement.instance));
    base.instances.retain(|thing| !gone.contains(&thing.id));
    base.receptacles.retain(|surface| !gone.contains(&surface.instance));
    base.fingerprint = format!("{} base", scene.fingerprint);
    base
}

/// The surfaces of a base scene: its annotated ones, or without any the tops of the boxes of its
/// furniture that holds things. Regions are those of its rooms, or without any what the things around
/// say.
///
/// # Errors
/// When `relevance` cannot answer.
pub fn plane_seeds(base: &SceneModel, relevance: &dyn Relevance) -> Result<Vec<PlaneSeed>, ModelError> {
    let label_of = |id: u32| base.instance(id).map(|thing| base.category_name(thing.category));
    let labels: BTreeSet<&str> =
        base.instances.iter().map(|thing| base.category_name(thing.category)).collect();
    let labels: Vec<&str> = labels.into_iter().collect();
    let holding: BTreeSet<String> = relevance.receptacles(&labels)?.into_iter().collect();
    let mut seeds = Vec::new();
    for surface in &base.receptacles {
        let Some(label) = label_of(surface.instance).filter(|label| holding.contains(*label)) else {
            continue;
        };
        seeds.push(PlaneSeed {
            name: surface.name.clone(),
            receptacle: label.to_owned(),
            region: Region::Other,
            y: surface.y,
            polygon: surface.polygon.iter().map(|point| [point.x, point.y]).collect(),
        });
    }
    if base.receptacles.is_empty() {
        for thing in &base.instances {
            let label = base.category_name(thing.category);
            if holding.contains(label) {
                let (low, high) = (thing.bounds.min, thing.bounds.max);
                seeds.push(PlaneSeed {
                    name: thing.name.clone(),
                    receptacle: label.to_owned(),
                    region: Region::Other,
                    y: high.y,
                    polygon: vec![[low.x, low.z], [low.x, high.z], [high.x, high.z], [high.x, low.z]],
                });
            }
        }
    }
    for seed in &mut seeds {
        seed.region = region_at(base, relevance, seed)?;
    }
    Ok(seeds)
}

fn region_at(
    base: &SceneModel,
    relevance: &dyn Relevance,
    seed: &PlaneSeed,
) -> Result<Region, ModelError> {
    let centre = centre(seed);
    let holds = |room: &&Room| {
        centre.y >= room.floor_y - 0.1
            && centre.y <= room.floor_y + room.height
            && polygon_contains(&room.polygon, Vec2::new(centre.x, centre.z))
    };
    if let Some(region) =
        base.rooms.iter().find(holds).and_then(|room| Region::from_name(&room.category))
    {
        return Ok(region);
    }
    let near = |thing: &&ambler_scene::Instance| {
        let apart = thing.bounds.center() - centre;
        apart.x * apart.x + apart.z * apart.z <= AROUND_M * AROUND_M && apart.y.abs() < 2.0
    };
    let labels: Vec<&str> =
        base.instances.iter().filter(near).map(|thing| base.category_name(thing.category)).collect();
    let chances = relevance.region_given_labels(&labels)?;
    if chances.iter().all(|chance| *chance == chances[0]) {
        return Ok(Region::Other);
    }
    let likeliest =
        Region::ALL.into_iter().rev().max_by(|a, b| chances[a.index()].total_cmp(&chances[b.index()]));
    Ok(likeliest.unwrap_or(Region::Other))
}

fn centre(seed: &PlaneSeed) -> Vec3 {
    let count = seed.polygon.len().max(1) as f32;
    let sum = seed.polygon.iter().fold([0.0, 0.0], |sum, p| [sum[0] + p[0], sum[1] + p[1]]);
    Vec3::new(sum[0] / count, seed.y, sum[1] / count)
}

/// The memory of a base scene: its surfaces with places to look from, and where the body can walk.
/// `query` is on the navmesh of the base scene; the body's eyes are `eye_m` above the floor.
pub fn remember(
    base: &SceneModel,
    seeds: &[PlaneSeed],
    query: &mut NavQuery,
    eye_m: f32,
) -> SceneMemory {
    let storeys = storeys(base, query);
    let mut map = KnownMap { cell_m: CELL_M, ..KnownMap::default() };
    for &y in &storeys {
        let grid = top_down(query, CELL_M, y, 0.5);
        map.corner = [grid.origin.x, grid.origin.y];
        (map.cols, map.rows) = (grid.width as u32, grid.height as u32);
        map.storeys.push(Storey::pack(y, &grid.cells));
    }
    let (vertices, triangles) = base.world_triangles();
    let planes: Vec<KnownPlane> = seeds
        .iter()
        .map(|seed| {
            let blocks = Blocks::around(seed, &vertices, &triangles);
            KnownPlane {
                name: seed.name.clone(),
                receptacle: seed.receptacle.clone(),
                region: seed.region,
                y: seed.y,
                polygon: seed.polygon.clone(),
                nav_points: nav_points(seed, &storeys, query, eye_m, &blocks),
            }
        })
        .filter(|plane| !plane.nav_points.is_empty())
        .collect();
    let mut memory = SceneMemory { identity: String::new(), planes, map };
    let bytes = serde_json::to_vec(&memory).unwrap_or_default();
    memory.identity = blake3::hash(&bytes).to_hex()[..16].to_owned();
    memory
}

fn storeys(base: &SceneModel, query: &NavQuery) -> Vec<f32> {
    let mut storeys: Vec<f32> = base.floors.iter().map(|floor| floor.y).collect();
    if storeys.is_empty() {
        storeys.push(query.mesh().bounds().min.y);
    }
    storeys
}

/// Places on the floor to look at a surface from: on a grid, 0.3 to 1 m from its outline, with its
/// middle in sight; at most 12, each as far from those before it as can be.
fn nav_points(
    seed: &PlaneSeed,
    storeys: &[f32],
    query: &mut NavQuery,
    eye_m: f32,
    blocks: &Blocks,
) -> Vec<[f32; 3]> {
    let floor = storeys.iter().copied().filter(|y| *y <= seed.y + 0.1).fold(f32::NEG_INFINITY, f32::max);
    let Some(low) = bounds(&seed.polygon).filter(|_| floor.is_finite()) else { return Vec::new() };
    let middle = centre(seed) + Vec3::new(0.0, 0.03, 0.0);
    let cell = |value: f32| (value / GRID_M).floor() as i32;
    let mut found: Vec<Vec3> = Vec::new();
    for i in cell(low[0] - FAR_M)..=cell(low[2] + FAR_M) + 1 {
        for j in cell(low[1] - FAR_M)..=cell(low[3] + FAR_M) + 1 {
            let point = Vec3::new(i as f32 * GRID_M, floor, j as f32 * GRID_M);
            let apart = outside(&seed.polygon, point.x, point.z);
            if !(NEAR_M..=FAR_M).contains(&apart) || !query.is_navigable(point, 0.5) {
                continue;
            }
            let Ok(snap) = query.snap(point) else { continue };
            let eye = Vec3::new(point.x, snap.point.y + eye_m, point.z);
            if blocks.is_clear(eye, middle) {
                found.push(Vec3::new(point.x, snap.point.y, point.z));
            }
        }
    }
    let apart = |a: Vec3, b: Vec3| (a.x - b.x) * (a.x - b.x) + (a.z - b.z) * (a.z - b.z);
    let mut chosen: Vec<Vec3> = Vec::new();
    while chosen.len() < MOST_POINTS.min(found.len()) {
        let value = |&point: &Vec3| {
            let least = chosen.iter().map(|&other| apart(point, other)).fold(f32::INFINITY, f32::min);
            // The first is the nearest to the middle.
            if chosen.is_empty() { -apart(point, middle) } else { least }
        };
        let best = (0..found.len()).rev().max_by(|&a, &b| value(&found[a]).total_cmp(&value(&found[b])));
        let Some(best) = best.filter(|&best| chosen.is_empty() || value(&found[best]) > 0.0) else {
            break;
        };
        chosen.push(found[best]);
    }
    chosen.into_iter().map(|point| [point.x, point.y, point.z]).collect()
}

fn bounds(polygon: &[[f32; 2]]) -> Option<[f32; 4]> {
    if polygon.len() < 3 || !polygon.iter().flatten().all(|value| value.is_finite()) {
        return None;
    }
    let start = [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];
    Some(
        polygon
            .iter()
            .fold(start, |b, p| [b[0].min(p[0]), b[1].min(p[1]), b[2].max(p[0]), b[3].max(p[1])]),
    )
}

/// Distance of a point from a polygon, 0 inside.
fn outside(polygon: &[[f32; 2]], x: f32, z: f32) -> f32 {
    let corners: Vec<Vec2> = polygon.iter().map(|p| Vec2::new(p[0], p[1])).collect();
    let point = Vec2::new(x, z);
    if polygon_contains(&corners, point) {
        return 0.0;
    }
    let count = corners.len();
    (0..count)
        .map(|index| {
            let (a, b) = (corners[index], corners[(index + 1) % count]);
            let along = b - a;
            let t = (point - a).dot(along) / along.length_squared().max(1e-12);
            (point - (a + along * t.clamp(0.0, 1.0))).length()
        })
        .fold(f32::INFINITY, f32::min)
}

/// Triangles near a surface, which may stand between it and an eye.
struct Blocks(Vec<[Vec3; 3]>);

impl Blocks {
    fn around(seed: &PlaneSeed, vertices: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        let Some(low) = bounds(&seed.polygon) else { return Self(Vec::new()) };
        let reach = FAR_M + 0.1;
        let near = |corners: &[Vec3; 3]| {
            let least = |axis: usize| corners.iter().map(|p| p[axis]).fold(f32::INFINITY, f32::min);
            let most = |axis: usize| corners.iter().map(|p| p[axis]).fold(f32::NEG_INFINITY, f32::max);
            least(0) <= low[2] + reach
                && most(0) >= low[0] - reach
                && least(2) <= low[3] + reach
                && most(2) >= low[1] - reach
        };
        let corners = triangles.iter().map(|t| t.map(|index| vertices[index as usize]));
        Self(corners.filter(near).collect())
    }

    /// Whether nothing lies between two points (Möller and Trumbore), less the last 5 cm.
    fn is_clear(&self, from: Vec3, to: Vec3) -> bool {
        let along = to - from;
        let length = along.length();
        if !(length > 0.05) {
            return true;
        }
        let limit = 1.0 - 0.05 / length;
        !self.0.iter().any(|&[a, b, c]| {
            let (ab, ac) = (b - a, c - a);
            let p = along.cross(ac);
            let det = ab.dot(p);
            if det.abs() < 1e-12 {
                return false;
            }
            let s = from - a;
            let u = s.dot(p) / det;
            let q = s.cross(ab);
            let v = along.dot(q) / det;
            let t = ac.dot(q) / det;
            u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t > 1e-4 && t < limit
        })
    }
}
