//! Stage 1: storeys, and the top-down map of where a body can stand on each.

use crate::grid::Grid;
use crate::settings::FloorSettings;
use ambler_geometry::{Vec2, Vec3};
use ambler_scene::SceneModel;
use serde::{Deserialize, Serialize};

/// A storey.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FloorMap {
    /// Height of the floor, metres.
    pub y: f32,
    /// Height of the next storey's floor, where there is one.
    pub next_y: Option<f32>,
    /// Where a body can stand: there is a floor, and obstacles are farther than the erosion.
    pub free: Grid<bool>,
    /// What blocks the view of a camera at eye level.
    pub walls: Grid<bool>,
}

impl FloorMap {
    /// Area of the free cells, m².
    pub fn free_m2(&self) -> f64 {
        self.free.cells.iter().filter(|&&free| free).count() as f64 * self.free.cell_area_m2()
    }

    /// Whether a point is of this storey: not below its floor, nor as high as the next.
    pub fn holds(&self, point: Vec3) -> bool {
        point.y > self.y - 0.2 && self.next_y.is_none_or(|next| point.y < next - 0.1)
    }
}

/// Up-facing area is counted in layers of this height, metres.
const LAYER_M: f32 = 0.05;
/// Storeys are at least so far apart, metres: lower than a low storey, higher than any table.
const APART_M: f32 = 1.8;
/// A storey has at least this share of the largest one's area, and so many square metres.
const LEAST_SHARE: f64 = 0.15;
const LEAST_M2: f64 = 1.5;
/// Cosine of the steepest slope that counts as floor.
const LEVEL: f32 = 0.9;
/// Half the height of the layer of geometry that blocks a camera's view.
const EYE_LAYER_M: f32 = 0.1;

/// The storeys of a scene, lowest first: those that it states, or else the heights at which most up-facing
/// area lies. `camera_m` is the height of the camera that will look around.
pub fn floors(scene: &SceneModel, settings: &FloorSettings, camera_m: f32) -> Vec<FloorMap> {
    let (vertices, triangles) = scene.world_triangles();
    let corners = |t: &[u32; 3]| t.map(|c| vertices.get(c as usize).copied().unwrap_or(Vec3::NAN));
    let triangles: Vec<[Vec3; 3]> =
        triangles.iter().map(corners).filter(|t| t.iter().all(|corner| corner.is_finite())).collect();
    let mut heights: Vec<f32> = scene.floors.iter().map(|floor| floor.y).collect();
    heights.sort_by(f32::total_cmp);
    heights.dedup();
    if heights.is_empty() {
        heights = heights_of(&triangles);
    }
    let mut maps: Vec<FloorMap> = heights
        .iter()
        .enumerate()
        .map(|(index, &y)| {
            let next_y = heights.get(index + 1).copied();
            map(&triangles, y, next_y, settings, camera_m)
        })
        .collect();
    maps.retain(|map| map.free_m2() > 0.0);
    maps
}

fn up_area(&[a, b, c]: &[Vec3; 3]) -> Option<f64> {
    let cross = (b - a).cross(c - a);
    let twice = cross.length();
    (twice > 0.0 && cross.y > LEVEL * twice).then(|| f64::from(twice) * 0.5)
}

/// Heights with much up-facing area, far enough apart.
fn heights_of(triangles: &[[Vec3; 3]]) -> Vec<f32> {
    let mean = |t: &[Vec3; 3]| (t[0].y + t[1].y + t[2].y) / 3.0;
    let up: Vec<(f32, f64)> = triangles.iter().filter_map(|t| Some((mean(t), up_area(t)?))).collect();
    let (low, high) = up
        .iter()
        .fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), &(y, _)| (low.min(y), high.max(y)));
    if !(high - low < 1e4) {
        return Vec::new();
    }
    let mut layers = vec![0.0; ((high - low) / LAYER_M) as usize + 1];
    for &(y, area) in &up {
        layers[((y - low) / LAYER_M) as usize] += area;
    }
    let wide = |index: usize| -> f64 {
        let end = (index + 2).min(layers.len());
        layers[index.saturating_sub(1)..end].iter().sum()
    };
    let mut order: Vec<usize> = (0..layers.len()).collect();
    order.sort_by(|&a, &b| wide(b).total_cmp(&wide(a)).then(a.cmp(&b)));
    let most = order.first().map_or(0.0, |&index| wide(index));
    let mut chosen: Vec<f32> = Vec::new();
    for index in order {
        let area = wide(index);
        if area < LEAST_M2 || area < most * LEAST_SHARE {
            break;
        }
        // The height itself is the mean of the area around it.
        let (mut sum, mut weight) = (0.0, 0.0);
        let middle = low + (index as f32 + 0.5) * LAYER_M;
        for &(y, area) in up.iter().filter(|(y, _)| (y - middle).abs() <= LAYER_M * 1.5) {
            sum += f64::from(y) * area;
            weight += area;
        }
        let y = (sum / f64::max(weight, 1e-9)) as f32;
        if chosen.iter().all(|other| (other - y).abs() >= APART_M) {
            chosen.push(y);
        }
    }
    chosen.sort_by(f32::total_cmp);
    // The top of a roof or of a ceiling: nothing stands on it, and there are storeys below.
    if let [.., _, top] = chosen[..]
        && !triangles.iter().flatten().any(|corner| corner.y > top + 1.0)
    {
        chosen.pop();
    }
    chosen
}

fn map(
    triangles: &[[Vec3; 3]],
    y: f32,
    next_y: Option<f32>,
    settings: &FloorSettings,
    camera_m: f32,
) -> FloorMap {
    let s = settings;
    let near = |t: &[Vec3; 3]| {
        t.iter().any(|corner| corner.y > y - s.support_m) && t.iter().any(|corner| corner.y < y + 3.0)
    };
    let (mut low, mut high) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
    for t in triangles.iter().filter(|t| near(t) && up_area(t).is_some()) {
        for corner in t.iter().filter(|corner| (corner.y - y).abs() <= s.support_m) {
            low = low.min(Vec2::new(corner.x, corner.z));
            high = high.max(Vec2::new(corner.x, corner.z));
        }
    }
    let mut support = Grid::over(low - 2.0 * s.cell_m, high + 2.0 * s.cell_m, s.cell_m, false);
    let mut obstacles = support.clone();
    let mut walls = support.clone();
    for t in triangles.iter().filter(|t| near(t)) {
        if up_area(t).is_some() {
            support.draw(*t, [y - s.support_m, y + s.support_m]);
        }
        obstacles.draw(*t, [y + s.band_m[0], y + s.band_m[1]]);
        walls.draw(*t, [y + camera_m - EYE_LAYER_M, y + camera_m + EYE_LAYER_M]);
    }
    // Where there is no floor, there is an edge to fall from: it is kept away from like an obstacle.
    let mut blocked = obstacles;
    for (blocked, &support) in blocked.cells.iter_mut().zip(&support.cells) {
        *blocked |= !support;
    }
    let distance = blocked.distance();
    let mut free = support.like(false);
    for (index, free) in free.cells.iter_mut().enumerate() {
        *free = !blocked.cells[index] && distance.cells[index] >= s.erosion_m + 0.5 * s.cell_m;
    }
    let (pieces, sizes) = free.pieces();
    for (free, &piece) in free.cells.iter_mut().zip(&pieces.cells) {
        let area = sizes[piece as usize] as f64 * pieces.cell_area_m2();
        *free &= area >= f64::from(s.least_area_m2);
    }
    FloorMap { y, next_y, free, walls }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambler_geometry::Affine;
    use ambler_scene::{Material, Mesh, Placement};
    use std::sync::Arc;

    /// Level rectangles (x, z, width, depth, y) as a scene.
    fn slabs(list: &[[f32; 5]]) -> SceneModel {
        let (mut positions, mut triangles) = (Vec::new(), Vec::new());
        for &[x, z, w, d, y] in list {
            let base = positions.len() as u32;
            positions.extend(
                [(0.0, 0.0), (0.0, d), (w, d), (w, 0.0)].map(|(dx, dz)| Vec3::new(x + dx, y, z + dz)),
            );
            triangles.extend([[base, base + 1, base + 2], [base, base + 2, base + 3]]);
        }
        let mesh = Mesh { positions: positions.into(), triangles: triangles.into(), ..Mesh::default() };
        SceneModel {
            meshes: vec![Arc::new(mesh)],
            materials: vec![Material::default()],
            placements: vec![Placement {
                mesh: 0,
                material: 0,
                world_from_mesh: Affine::IDENTITY,
                instance: 0,
            }],
            ..SceneModel::default()
        }
    }

    #[test]
    fn a_table_is_an_obstacle_and_not_a_storey() {
        let scene = slabs(&[[0.0, 0.0, 6.0, 4.0, 0.0], [2.0, 1.0, 2.0, 1.5, 0.75]]);
        let found = floors(&scene, &FloorSettings::default(), 1.25);
        assert_eq!(found.len(), 1);
        let map = &found[0];
        assert!(map.y.abs() < 1e-3);
        assert_eq!(map.free.at(Vec2::new(1.0, 2.0)), Some(&true));
        assert_eq!(map.free.at(Vec2::new(3.0, 1.7)), Some(&false), "under the table");
        assert_eq!(map.free.at(Vec2::new(1.85, 1.7)), Some(&false), "0.15 m from it");
        assert_eq!(map.free.at(Vec2::new(0.1, 2.0)), Some(&false), "at the border");
        // 5.5 × 3.5 m less the table grown by a quarter of a metre, its corners round.
        assert!((map.free_m2() - (5.5 * 3.5 - 2.5 * 2.0)).abs() < 0.9, "{}", map.free_m2());
    }

    #[test]
    fn the_papers_slice_passes_under_a_table_top() {
        let scene = slabs(&[[0.0, 0.0, 6.0, 4.0, 0.0], [2.0, 1.0, 2.0, 1.5, 0.75]]);
        let settings = FloorSettings { band_m: [0.28, 0.32], ..FloorSettings::default() };
        let found = floors(&scene, &settings, 1.25);
        assert_eq!(found[0].free.at(Vec2::new(3.0, 1.7)), Some(&true));
    }

    #[test]
    fn two_storeys_and_a_roof() {
        let scene = slabs(&[
            [0.0, 0.0, 6.0, 4.0, 0.0],
            [0.0, 0.0, 6.0, 4.0, 2.8],
            [1.0, 1.0, 1.0, 1.0, 0.4],
            [0.0, 0.0, 6.0, 4.0, 5.5],
        ]);
        let found = floors(&scene, &FloorSettings::default(), 1.25);
        let heights: Vec<f32> = found.iter().map(|map| map.y).collect();
        assert_eq!(heights.len(), 2, "{heights:?}");
        assert!(found[0].next_y.is_some_and(|y| (y - 2.8).abs() < 1e-3) && found[1].next_y.is_none());
        assert!(floors(&slabs(&[]), &FloorSettings::default(), 1.25).is_empty());
    }
}
