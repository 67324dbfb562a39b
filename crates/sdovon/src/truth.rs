//! How well the analysis of an annotated home agrees with its annotation. The only place, besides a
//! detector that is given the truth, where true labels, furniture tops and rooms are read.

use crate::SdovonError;
use crate::analysis::{Analysis, Surface};
use crate::convex;
use crate::coverage;
use crate::observe;
use crate::regions::NO_REGION;
use crate::settings::Settings;
use ambler_geometry::{Vec2, polygon_contains};
use ambler_model::{Knowledge, Region};
use ambler_scene::SceneModel;
use ambler_sensor::{Frame, Renderer};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Found, of how many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Share {
    /// Found or right.
    pub right: u32,
    /// Of all.
    pub all: u32,
}

impl Share {
    fn count(&mut self, right: bool) {
        self.all += 1;
        self.right += u32::from(right);
    }

    /// As a number, 1 of nothing.
    pub fn share(&self) -> f64 {
        if self.all == 0 { 1.0 } else { f64::from(self.right) / f64::from(self.all) }
    }
}

/// Agreement with the annotation.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Agreement {
    /// True instances with a fused instance of their own and the right label.
    pub recall: Share,
    /// Fused instances that are a true instance, and not one that another fused instance is already.
    pub precision: Share,
    /// True tops of receptacles of which the views showed enough that have a surface within 2 cm of their
    /// height.
    pub tops: Share,
    /// The same of all true tops below the camera's height, seen or not.
    pub all_tops: Share,
    /// The largest difference in height of those, metres.
    pub worst_height_m: f32,
    /// Pairs of surfaces that lie over each other at nearly one height.
    pub duplicates: u32,
    /// Cells of rooms that the semantic map calls as the annotation does.
    pub region_cells: Share,
    /// Surfaces in rooms that it calls as the annotation does.
    pub region_surfaces: Share,
    /// What was missed, for people.
    pub missed: Vec<String>,
}

/// Height within which a surface is a top, metres.
const HEIGHT_M: f32 = 0.02;
/// Tops and surfaces have this share of the smaller one's area in common.
const COMMON: f64 = 0.4;

/// What the views of an analysis show of the truth.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// In how many views the true detector would see each instance.
    pub views: BTreeMap<u32, u32>,
    /// Share of the area of each of the scene's receptacles, in their order, that any view shows.
    pub tops: Vec<f64>,
}

/// Of a top the views must show this share to count as seen.
const SEEN: f64 = 0.4;

/// Compares an analysis with the annotation of its scene. `seen` says what its views show ([`seen`]);
/// instances in `least_views` or more count.
pub fn agreement(
    scene: &SceneModel,
    analysis: &Analysis,
    settings: &Settings,
    names: &Knowledge,
    seen: &Seen,
    least_views: u32,
) -> Agreement {
    let mut out = Agreement::default();
    fusion(scene, analysis, seen, least_views, &mut out);
    tops(scene, analysis, settings, names, seen, &mut out);
    duplicates(&analysis.surfaces, &mut out);
    rooms(scene, analysis, &mut out);
    out
}

fn fusion(scene: &SceneModel, analysis: &Analysis, seen: &Seen, least_views: u32, out: &mut Agreement) {
    // The fused instance with most views of each true one.
    let mut best: BTreeMap<u32, usize> = BTreeMap::new();
    for (index, instance) in analysis.instances.iter().enumerate() {
        let Some(id) = instance.true_instance else { continue };
        let better = |&other: &usize| analysis.instances[other].views < instance.views;
        if best.get(&id).is_none_or(better) {
            best.insert(id, index);
        }
    }
    for (index, instance) in analysis.instances.iter().enumerate() {
        let id = instance.true_instance.unwrap_or(0);
        let right = best.get(&id) == Some(&index);
        out.precision.count(right);
        if !right {
            out.missed.push(format!("instance {id} was found twice: {}", instance.label));
        }
    }
    for (id, label) in observe::truth_labels(scene) {
        if seen.views.get(&id).is_none_or(|&views| views < least_views) {
            continue;
        }
        let found = best.get(&id).is_some_and(|&index| analysis.instances[index].label == label);
        out.recall.count(found);
        if !found {
            out.missed.push(format!("{label} {id} was not found"));
        }
    }
}

/// Draws the views of an analysis again and looks at the truth.
///
/// # Errors
/// A camera of the settings that makes no image.
pub fn seen(renderer: &Renderer, analysis: &Analysis, settings: &Settings) -> Result<Seen, SdovonError> {
    let camera = coverage::camera(&settings.coverage);
    let floors = analysis.floors.iter().zip(&analysis.coverage);
    let views: Vec<_> =
        floors.flat_map(|(floor, places)| coverage::views(floor, places, &settings.coverage)).collect();
    let scene = renderer.scene();
    let pixels = f64::from(camera.width) * f64::from(camera.height);
    let least = (f64::from(settings.fusion.least_share) * pixels).ceil() as u32;
    let mut by_instance: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, top) in scene.receptacles.iter().enumerate() {
        by_instance.entry(top.instance).or_default().push(index);
    }
    type View = (Vec<u32>, Vec<(usize, Vec2)>);
    let shown: Result<Vec<View>, SdovonError> = views
        .par_iter()
        .map_init(Frame::default, |frame, view| {
            let world_from_camera = camera.world_from_camera(&view.pose, view.tilt_rad);
            renderer.render(&camera, &world_from_camera, frame)?;
            let found = ambler_sensor::detect(scene, frame, &camera, least);
            let mut points = Vec::new();
            let step = settings.fusion.pixel_step.max(1) as usize;
            let width = frame.width as usize;
            for index in
                (0..frame.instance.len()).filter(|i| i / width % step == 0 && i % width % step == 0)
            {
                let Some(tops) = by_instance.get(&frame.instance[index]) else { continue };
                let (x, y) = ((index % width) as f64 + 0.5, (index / width) as f64 + 0.5);
                let depth = f64::from(frame.depth[index]);
                let point = camera.unproject_to_world(&world_from_camera, x, y, depth).as_vec3();
                for &top in
                    tops.iter().filter(|&&top| (scene.receptacles[top].y - point.y).abs() < HEIGHT_M)
                {
                    points.push((top, Vec2::new(point.x, point.z)));
                }
            }
            Ok((found.iter().map(|found| found.instance).collect(), points))
        })
        .collect();
    let mut out = Seen::default();
    let mut cells: Vec<BTreeSet<(i32, i32)>> = vec![BTreeSet::new(); scene.receptacles.len()];
    for (instances, points) in shown? {
        instances.into_iter().for_each(|id| *out.views.entry(id).or_insert(0) += 1);
        for (top, point) in points {
            if polygon_contains(&scene.receptacles[top].polygon, point) {
                let cell = (point / SEEN_CELL_M).floor();
                cells[top].insert((cell.x as i32, cell.y as i32));
            }
        }
    }
    let share = |(top, cells): (&ambler_scene::Receptacle, &BTreeSet<(i32, i32)>)| {
        let area = ambler_geometry::polygon_area(&top.polygon).max(1e-9);
        cells.len() as f64 * f64::from(SEEN_CELL_M * SEEN_CELL_M) / area
    };
    out.tops = scene.receptacles.iter().zip(&cells).map(share).collect();
    Ok(out)
}

/// What is seen of tops is counted on cells of this side, metres.
const SEEN_CELL_M: f32 = 0.05;

/// True tops over 0.1 m² of furniture that was seen and whose label is a receptacle's, below the camera.
fn tops(
    scene: &SceneModel,
    analysis: &Analysis,
    settings: &Settings,
    names: &Knowledge,
    seen: &Seen,
    out: &mut Agreement,
) {
    let solid = crate::planes::Solid::new(scene);
    for (index, top) in scene.receptacles.iter().enumerate() {
        let Some(instance) = scene.instance(top.instance) else { continue };
        let label = scene.category_name(instance.category);
        let outline = convex::hull(&top.polygon);
        let area = convex::signed_area(&outline);
        let is_receptacle = crate::analysis::is_receptacle(label, settings, names);
        let floor = analysis.floors.iter().filter(|floor| floor.y <= top.y + 0.05).next_back();
        let below =
            floor.is_some_and(|floor| top.y < floor.y + settings.coverage.camera_height_m - 0.05);
        let was_seen =
            seen.views.get(&top.instance).is_some_and(|&views| views >= settings.fusion.least_views);
        if !is_receptacle || area <= 0.1 || !below || !was_seen {
            continue;
        }
        // What stands under another board is a compartment: no camera sees into it from above.
        let plane = crate::planes::ReceptaclePlane {
            outline: outline.clone(),
            y: top.y,
            normal: ambler_geometry::Vec3::Y,
            points: 0,
        };
        if solid.headroom(&plane, settings.planes.headroom_m).share < 0.5 {
            continue;
        }
        let near = |surface: &&Surface| {
            let smaller = area.min(surface.plane.area_m2());
            let common = convex::common_area(&surface.plane.outline, &outline);
            common >= COMMON * smaller && (surface.plane.y - top.y).abs() < 0.1
        };
        let best = analysis
            .surfaces
            .iter()
            .filter(near)
            .map(|surface| (surface.plane.y - top.y).abs())
            .min_by(f32::total_cmp);
        let found = best.is_some_and(|gap| gap <= HEIGHT_M);
        out.all_tops.count(found);
        let share = seen.tops.get(index).copied().unwrap_or(0.0);
        if share < SEEN {
            if !found {
                out.missed.push(format!("{} was hardly seen ({share:.2})", top.name));
            }
            continue;
        }
        out.tops.count(found);
        match best {
            Some(gap) if found => out.worst_height_m = out.worst_height_m.max(gap),
            Some(gap) => out.missed.push(format!("{} is off by {:.3} m", top.name, gap)),
            None => out.missed.push(format!(
                "{} ({area:.2} m², {:.2} m high, {share:.2} seen) was not found",
                top.name, top.y
            )),
        }
    }
}

fn duplicates(surfaces: &[Surface], out: &mut Agreement) {
    for (index, a) in surfaces.iter().enumerate() {
        for b in &surfaces[index + 1..] {
            let common = convex::common_area(&a.plane.outline, &b.plane.outline);
            let smaller = a.plane.area_m2().min(b.plane.area_m2());
            if (a.plane.y - b.plane.y).abs() < 0.05 && common > 0.3 * smaller {
                out.duplicates += 1;
                out.missed.push(format!("{} and {} lie over each other", a.name, b.name));
            }
        }
    }
}

fn rooms(scene: &SceneModel, analysis: &Analysis, out: &mut Agreement) {
    let room_at = |at: Vec2, y: f32| -> Option<Region> {
        let room = scene.rooms.iter().find(|room| {
            (room.floor_y - 0.3..room.floor_y + room.height).contains(&y)
                && polygon_contains(&room.polygon, at)
        })?;
        Region::from_name(&room.category)
    };
    for (floor, map) in analysis.floors.iter().zip(&analysis.regions) {
        for (index, &cell) in map.cells.cells.iter().enumerate() {
            let at = map.cells.center(index);
            let Some(truth) = room_at(at, floor.y + 0.1).filter(|_| cell != NO_REGION) else { continue };
            out.region_cells.count(usize::from(cell) == truth.index());
        }
    }
    for surface in &analysis.surfaces {
        let Some(truth) = room_at(surface.plane.middle(), surface.plane.y) else { continue };
        out.region_surfaces.count(surface.region == truth);
    }
}
