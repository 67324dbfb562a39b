//! Layers that agents with maps have in common.

use super::map::{ASSUMED, BUMPED, CELL_M, FREE, Map};
use super::plan::Plan;
use crate::Observation;
use crate::layers::{
    Box2, Boxes2, Cells, Frame, Grid, GridKind, Layer, Lifetime, Line, PathRole, Paths, Publisher, Role,
    Schema,
};
use ambler_geometry::Vec3;
use ambler_model::Detected;
use ambler_scene::{is_structural, normal_name};
use std::sync::Arc;

/// Layers lie this far above the floor, metres.
pub(crate) const LIFT_M: f32 = 0.02;

/// Says what a path is.
pub(crate) fn declare(
    to: &mut dyn Publisher,
    path: &str,
    title: &str,
    unit: &str,
    help: &str,
    role: Role,
    order: i32,
) {
    let schema = Schema {
        title: title.to_owned(),
        unit: unit.to_owned(),
        help: help.to_owned(),
        role,
        order,
        ..Schema::default()
    };
    to.declare(path, schema);
}

/// What the values of [`occupancy`] mean.
pub(crate) const OCCUPANCY_HELP: &str = "Floor that it saw (0) or assumes near its feet (25), where a \
                                         step was blocked (75), obstacles (100).";

/// What is known of the floor, and its area in square metres; `None` where nothing is.
pub(crate) fn occupancy(map: &Map, y: f32) -> Option<(Grid, f64)> {
    let window = map.known();
    let (cols, rows) = (window.x1.saturating_sub(window.x0), window.z1.saturating_sub(window.z0));
    if cols == 0 || rows == 0 {
        return None;
    }
    let mut cells = Vec::with_capacity(cols * rows);
    let mut seen = 0u32;
    for z in window.z0..window.z1 {
        for x in window.x0..window.x1 {
            let flags = map.flags(x, z);
            let obstacle = map.is_obstacle(x, z);
            cells.push(match flags {
                _ if obstacle => 100,
                _ if flags & BUMPED != 0 => 75,
                _ if flags & FREE != 0 => 0,
                _ if flags & ASSUMED != 0 => 25,
                _ => 255,
            });
            seen += u32::from(obstacle || flags & FREE != 0);
        }
    }
    let area = f64::from(seen) * f64::from(CELL_M) * f64::from(CELL_M);
    let values = Cells::U8(Arc::from(cells));
    Some((grid(map, y, values, GridKind::Occupancy, [0.0, 100.0]), area))
}

/// A grid over the known part of the map.
pub(crate) fn grid(map: &Map, y: f32, values: Cells, kind: GridKind, range: [f32; 2]) -> Grid {
    let window = map.known();
    let (x, z) = Map::middle(window.x0, window.z0);
    Grid {
        corner: Vec3::new(x - 0.5 * CELL_M, y, z - 0.5 * CELL_M),
        cell_m: CELL_M,
        cols: window.x1.saturating_sub(window.x0) as u32,
        rows: window.z1.saturating_sub(window.z0) as u32,
        values,
        kind,
        range: Some(range),
    }
}

/// The way down the costs from where the body is.
pub(crate) fn plan_layer(
    plan: &Plan,
    costs: &[u32],
    seen: &Observation<'_>,
    has_aim: bool,
    y: f32,
) -> Layer {
    let way = match plan.index(seen.position.x, seen.position.z) {
        Some(here) if has_aim && costs.len() == plan.len() => plan.descend(costs, here),
        _ => Vec::new(),
    };
    let positions = way.into_iter().map(|(x, z)| Vec3::new(x, y, z)).collect();
    let lines = vec![Line { positions, chosen: true, ..Line::default() }];
    Layer::Paths(Paths { lines, role: PathRole::Plan, closed: false })
}

/// Most boxes that are shown in an image.
const MOST_BOXES: usize = 12;

/// Boxes around what a detector found, by camera: what is wanted, and the largest other things that are
/// no part of the building.
pub(crate) fn publish_boxes(
    agent: &str,
    seen: &Observation<'_>,
    found: &[Vec<Detected>],
    wanted: &dyn Fn(&str) -> bool,
    to: &mut dyn Publisher,
) {
    for (camera, found) in seen.cameras.iter().zip(found) {
        let mut shown: Vec<&Detected> = found
            .iter()
            .filter(|thing| wanted(&thing.label) || !is_structural(&normal_name(&thing.label)))
            .collect();
        let size = |thing: &Detected| {
            let [x0, y0, x1, y1] = thing.bbox.map(u64::from);
            x1.saturating_sub(x0) * y1.saturating_sub(y0)
        };
        shown.sort_by_key(|thing| (!wanted(&thing.label), std::cmp::Reverse(size(thing))));
        shown.truncate(MOST_BOXES);
        let boxes = shown
            .into_iter()
            .map(|thing| Box2 {
                pixels: thing.bbox,
                label: thing.label.clone(),
                score: Some(thing.score),
                wanted: wanted(&thing.label),
            })
            .collect();
        let layer = Layer::Boxes2(Boxes2 { camera: camera.name.clone(), boxes });
        let path = boxes_path(agent, &camera.name);
        to.publish(&path, Lifetime::UntilReplaced, Frame::Camera(camera.name.clone()), layer);
    }
}

/// The path of the boxes in a camera's image.
pub(crate) fn boxes_path(agent: &str, camera: &str) -> String {
    format!("agent/{agent}/detections/{camera}")
}
