//! Things to find in a scene without labels: what stands on the floor apart from the walls.

use ambler_geometry::{Aabb, Vec3};
use ambler_navmesh::NavMesh;
use ambler_scene::{Instance, SceneModel};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How categories of unnamed things begin: `obstacle_1`, `obstacle_2`, … Each is a category of its
/// own, since in a cluttered room some obstacle is near wherever one stands.
pub const CATEGORY: &str = "obstacle";

/// Side of a cell in the floor plane, metres: finer than scans' holes are, coarser than their noise.
const CELL_M: f32 = 0.06;
/// What rises less than this above the floor is floor (carpets, noise), metres.
const LOW_M: f32 = 0.15;
/// What lies above this is out of a body's way, metres.
const HIGH_M: f32 = 1.2;
/// A column of cells with geometry in this band above the floor is wall, door frame or cupboard to
/// the ceiling, metres.
const WALL_BAND_M: [f32; 2] = [1.5, 2.1];
/// Footprints outside these, m², are noise or part of the building.
const AREA_M2: [f32; 2] = [0.03, 6.0];
/// The least height above the floor that a thing reaches, metres.
const RISE_M: f32 = 0.25;
/// Storeys are at least this far apart, metres.
const STOREY_M: f32 = 1.5;
/// Things farther than this from the navmesh in the floor plane are outside the home, metres.
const NEAR_M: f32 = 1.0;
/// The most sample points on a scene's surface: bounds the time on huge triangles.
const MOST_SAMPLES: usize = 20_000_000;

type Cell = (u32, i32, i32);

/// A copy of the scene in which clusters of triangles are instances `obstacle_1`, … (by size,
/// largest first), each of the category of that name, if it has any. Existing labels stay.
///
/// Cells of 6 cm are taken that have surface 0.15 to 1.2 m above a storey's floor (storeys from the
/// navmesh) and none 1.5 to 2.1 m above it, which would make them wall; neighbouring cells (of
/// eight) are one thing; things keep if their footprint is 0.03 to 6 m², they rise 0.25 m and are
/// within a metre of the navmesh. What stands against a wall is cut from it by that rule; what
/// reaches the ceiling is not found.
pub fn label(scene: &SceneModel, mesh: &NavMesh) -> SceneModel {
    let mut labelled = scene.clone();
    own_meshes(&mut labelled);
    let floors = storeys(mesh);
    let (occupied, walls) = columns(&labelled, &floors);
    let near = near_navmesh(mesh, &floors);
    let mut components = components(&occupied, &walls, &near);
    components.sort_by_key(|cells| (std::cmp::Reverse(cells.len()), cells.first().copied()));
    let first_id = labelled.instances.iter().map(|instance| instance.id).max().unwrap_or(0);
    let mut cell_id: BTreeMap<Cell, u32> = BTreeMap::new();
    for (number, cells) in components.iter().enumerate() {
        cell_id.extend(cells.iter().map(|&cell| (cell, first_id + 1 + number as u32)));
    }
    let boxes = assign(&mut labelled, &floors, &cell_id);
    if labelled.categories.is_empty() {
        labelled.categories.push(String::new());
    }
    for ((id, bounds), number) in boxes.into_iter().zip(1i64..) {
        let name = format!("{CATEGORY}_{number}");
        let category = labelled.category_index(&name).unwrap_or_else(|| {
            labelled.categories.push(name.clone());
            labelled.categories.len() as u32 - 1
        });
        labelled.instances.push(Instance { id, source_id: number, name, category, bounds });
    }
    labelled
}

/// Gives each placement a mesh of its own, with an id per triangle.
fn own_meshes(scene: &mut SceneModel) {
    let mut used = BTreeSet::new();
    for index in 0..scene.placements.len() {
        let at = scene.placements[index].mesh;
        let Some(mesh) = scene.meshes.get(at as usize) else { continue };
        if !used.insert(at) {
            let copy = mesh.clone();
            scene.placements[index].mesh = scene.meshes.len() as u32;
            scene.meshes.push(copy);
        }
        let placement = &scene.placements[index];
        let (mesh, instance) = (&mut scene.meshes[placement.mesh as usize], placement.instance);
        if mesh.triangle_instances.is_empty() {
            let mesh = Arc::make_mut(mesh);
            mesh.triangle_instances = vec![instance; mesh.triangles.len()].into();
        }
    }
}

/// Heights of the storeys: area-weighted means of runs of navmesh triangles by height.
fn storeys(mesh: &NavMesh) -> Vec<f32> {
    let mut parts: Vec<(f32, f64)> = mesh
        .triangles()
        .iter()
        .map(|[a, b, c]| ((a.y + b.y + c.y) / 3.0, f64::from((*b - *a).cross(*c - *a).length()) * 0.5))
        .filter(|(height, area)| height.is_finite() && area.is_finite())
        .collect();
    parts.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut floors = Vec::new();
    let mut run: Option<(f32, f64, f64)> = None;
    for (height, area) in parts {
        match &mut run {
            Some((lowest, weight, sum)) if height - *lowest < STOREY_M => {
                *weight += area;
                *sum += f64::from(height) * area;
            }
            _ => {
                floors.extend(run.and_then(mean));
                run = Some((height, area, f64::from(height) * area));
            }
        }
    }
    floors.extend(run.and_then(mean));
    floors
}

fn mean((_, weight, sum): (f32, f64, f64)) -> Option<f32> {
    (weight > 0.0).then(|| (sum / weight) as f32)
}

/// The storey that a height belongs to and how far above it.
fn above(floors: &[f32], y: f32) -> Option<(u32, f32)> {
    let index = floors.iter().rposition(|&floor| floor + 0.05 <= y)?;
    Some((index as u32, y - floors[index]))
}

fn cell(storey: u32, point: Vec3) -> Cell {
    (storey, (point.x / CELL_M).floor() as i32, (point.z / CELL_M).floor() as i32)
}

/// Calls `visit` with points of every triangle no farther apart than a cell.
fn sample(triangle: [Vec3; 3], left: &mut usize, mut visit: impl FnMut(Vec3)) {
    let [a, b, c] = triangle;
    let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
    if !longest.is_finite() {
        return;
    }
    let parts = ((longest / (CELL_M * 0.7)).ceil() as usize).clamp(1, 2000);
    let count = parts * (parts + 1) / 2;
    if count > *left {
        return;
    }
    *left -= count;
    for i in 0..parts {
        for j in 0..parts - i {
            let (u, v) = ((i as f32 + 1.0 / 3.0) / parts as f32, (j as f32 + 1.0 / 3.0) / parts as f32);
            visit(a + (b - a) * u + (c - a) * v);
        }
    }
}

fn world_triangles(scene: &SceneModel) -> impl Iterator<Item = (usize, usize, [Vec3; 3])> {
    scene.placements.iter().enumerate().flat_map(move |(index, placement)| {
        let mesh = scene.meshes.get(placement.mesh as usize);
        mesh.into_iter().flat_map(move |mesh| {
            mesh.triangles.iter().enumerate().filter_map(move |(at, corners)| {
                let corner = |k: usize| {
                    let position = mesh.positions.get(corners[k] as usize)?;
                    Some(placement.world_from_mesh.point(*position))
                };
                Some((index, at, [corner(0)?, corner(1)?, corner(2)?]))
            })
        })
    })
}

/// Cells with surface in a body's way (and the height it reaches), and cells of walls.
fn columns(scene: &SceneModel, floors: &[f32]) -> (BTreeMap<Cell, f32>, BTreeSet<Cell>) {
    let mut occupied: BTreeMap<Cell, f32> = BTreeMap::new();
    let mut walls = BTreeSet::new();
    let mut left = MOST_SAMPLES;
    for (_, _, triangle) in world_triangles(scene) {
        sample(triangle, &mut left, |point| {
            let Some((storey, height)) = above(floors, point.y) else { return };
            if (LOW_M..=HIGH_M).contains(&height) {
                let top = occupied.entry(cell(storey, point)).or_insert(0.0);
                *top = top.max(height);
            } else if (WALL_BAND_M[0]..=WALL_BAND_M[1]).contains(&height) {
                walls.insert(cell(storey, point));
            }
        });
    }
    (occupied, walls)
}

/// Coarse cells (of [`NEAR_M`]) that the navmesh touches, by storey.
fn near_navmesh(mesh: &NavMesh, floors: &[f32]) -> BTreeSet<Cell> {
    let mut near = BTreeSet::new();
    let mut left = MOST_SAMPLES;
    for triangle in mesh.triangles() {
        sample(triangle, &mut left, |point| {
            if let Some((storey, _)) = above(floors, point.y + STOREY_M * 0.5) {
                near.insert((
                    storey,
                    (point.x / NEAR_M).floor() as i32,
                    (point.z / NEAR_M).floor() as i32,
                ));
            }
        });
    }
    near
}

fn neighbours((storey, x, z): Cell) -> impl Iterator<Item = Cell> {
    (-1..=1).flat_map(move |dx: i32| {
        (-1..=1)
            .filter(move |&dz| (dx, dz) != (0, 0))
            .map(move |dz: i32| (storey, x.saturating_add(dx), z.saturating_add(dz)))
    })
}

fn components(
    occupied: &BTreeMap<Cell, f32>,
    walls: &BTreeSet<Cell>,
    near: &BTreeSet<Cell>,
) -> Vec<Vec<Cell>> {
    let free = |at: &Cell| {
        occupied.contains_key(at)
            && !walls.contains(at)
            && !neighbours(*at).any(|next| walls.contains(&next))
    };
    let mut seen = BTreeSet::new();
    let mut kept = Vec::new();
    for (&start, _) in occupied.iter().filter(|(at, _)| free(at)) {
        if !seen.insert(start) {
            continue;
        }
        let (mut cells, mut next) = (Vec::new(), vec![start]);
        while let Some(at) = next.pop() {
            cells.push(at);
            next.extend(neighbours(at).filter(|to| free(to) && seen.insert(*to)));
        }
        cells.sort_unstable();
        let area = cells.len() as f32 * CELL_M * CELL_M;
        let top = cells.iter().filter_map(|at| occupied.get(at)).copied().fold(0.0, f32::max);
        let by_floor = cells.iter().any(|&(storey, x, z)| {
            let coarse = |value: i32| (value as f32 * CELL_M / NEAR_M).floor() as i32;
            let center = (storey, coarse(x), coarse(z));
            near.contains(&center) || neighbours(center).any(|cell| near.contains(&cell))
        });
        if (AREA_M2[0]..=AREA_M2[1]).contains(&area) && top >= RISE_M && by_floor {
            kept.push(cells);
        }
    }
    kept
}

/// Marks unlabelled triangles whose middle lies in a thing's cells; bounds of the things.
fn assign(scene: &mut SceneModel, floors: &[f32], cell_id: &BTreeMap<Cell, u32>) -> BTreeMap<u32, Aabb> {
    let mut marks = Vec::new();
    let mut boxes: BTreeMap<u32, Aabb> = BTreeMap::new();
    for (placement, triangle, corners) in world_triangles(scene) {
        let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
        let Some((storey, height)) = above(floors, middle.y) else { continue };
        if height > HIGH_M + 0.3 {
            continue;
        }
        let Some(&id) = cell_id.get(&cell(storey, middle)) else { continue };
        marks.push((placement, triangle, id));
        let bounds = boxes.entry(id).or_insert(Aabb::EMPTY);
        corners.into_iter().for_each(|corner| bounds.grow(corner));
    }
    let mut marked = BTreeSet::new();
    for (placement, triangle, id) in marks {
        let mesh = Arc::make_mut(&mut scene.meshes[scene.placements[placement].mesh as usize]);
        if let Some(slot) = mesh.triangle_instances.get_mut(triangle).filter(|slot| **slot == 0) {
            *slot = id;
            marked.insert(id);
        }
    }
    boxes.retain(|id, _| marked.contains(id));
    boxes
}
