//! Where an object can be seen from.

use super::{GenerateError, Reasons, rotation};
use crate::types::ViewPoint;
use ambler_geometry::{Heading, Pose, Vec3};
use ambler_navmesh::NavQuery;
use ambler_scene::Instance;
use ambler_sensor::{CameraSpec, Frame, Outputs, Projection, Renderer};
use std::collections::BTreeSet;

/// How view points are found.
///
/// Candidates lie on a grid on the navmesh (multiples of `grid_m` in x and z), within `reach_m` of
/// the object's box in the floor plane. From each the camera is turned and tilted to the middle of
/// the object's box, as an agent with look actions can do, and the instance image is drawn. A
/// candidate is kept if the object covers at least `min_share` of the image. That share is written
/// as the view point's `iou`, and its rotation is the body's, turned to the object.
#[derive(Clone, Debug, PartialEq)]
pub struct ViewPointOptions {
    /// The eye. 128 × 128 by default, with the field of view and height of the default camera.
    pub camera: CameraSpec,
    /// Spacing, metres.
    pub grid_m: f32,
    /// Greatest distance from the object's box in the floor plane, metres.
    pub reach_m: f32,
    /// Least share of the image that the object covers. 0.0005 is 8 of 128 × 128 pixels: a cup at
    /// 1.5 m.
    pub min_share: f32,
    /// Most view points an object keeps: of more, every k-th in grid order.
    pub most: usize,
}

impl Default for ViewPointOptions {
    fn default() -> Self {
        Self {
            camera: CameraSpec { name: "eye".into(), width: 128, height: 128, ..CameraSpec::default() },
            grid_m: 0.1,
            reach_m: 1.0,
            min_share: 0.0005,
            most: 600,
        }
    }
}

/// Objects are looked for on the floor they stand over, at these depths below their box's lower
/// edge, metres: a picture on a wall hangs nearer to the storey above.
const LOOK_DOWN_M: [f32; 4] = [0.0, 0.6, 1.2, 1.8];
/// A floor point this much higher than the object's top does not count, metres.
const ABOVE_M: f32 = 0.3;
/// A floor point more than this below the object's lower edge does not count, metres.
const BELOW_M: f32 = 2.2;
/// The most candidates an object has, against boxes the size of a town.
const MOST_CANDIDATES: f32 = 40_000.0;

/// View points of an instance of the renderer's scene, in grid order; reasons for refused
/// candidates are added to `refused`.
///
/// # Errors
/// When the camera is impossible.
pub fn view_points(
    renderer: &Renderer,
    query: &mut NavQuery,
    instance: &Instance,
    options: &ViewPointOptions,
    frame: &mut Frame,
    refused: &mut Reasons,
) -> Result<Vec<ViewPoint>, GenerateError> {
    let candidates = candidates(query, instance, options, refused);
    let camera = CameraSpec {
        outputs: Outputs { instance: true, ..Outputs::NONE },
        yaw_deg: 0.0,
        pitch_deg: 0.0,
        mount: Vec3::new(0.0, options.camera.mount.y, 0.0),
        ..options.camera.clone()
    };
    if matches!(camera.projection, Projection::Orthographic { .. }) {
        return Err(GenerateError::Options("view points need a pinhole camera".into()));
    }
    let center = instance.bounds.center();
    let stride = candidates.len().div_ceil(options.most.max(1)).max(1);
    let mut views = Vec::new();
    for &position in candidates.iter().step_by(stride) {
        let (dx, dz) = (f64::from(center.x - position.x), f64::from(center.z - position.z));
        let yaw = libm::atan2(-dx, -dz);
        let rise = f64::from(center.y - position.y - camera.mount.y);
        let tilt = libm::atan2(rise, libm::hypot(dx, dz));
        let pose = Pose { position, heading: Heading::from_yaw(yaw) };
        renderer.render(&camera, &camera.world_from_camera(&pose, tilt), frame)?;
        let pixels = frame.instance.iter().filter(|&&id| id == instance.id).count();
        let share = pixels as f64 / frame.pixel_count().max(1) as f64;
        if share < f64::from(options.min_share) || pixels == 0 {
            refused.count("object not seen");
            continue;
        }
        views.push(ViewPoint {
            position,
            rotation: Some(rotation(yaw)),
            iou: Some(share),
            ..ViewPoint::default()
        });
    }
    Ok(views)
}

fn candidates(
    query: &mut NavQuery,
    instance: &Instance,
    options: &ViewPointOptions,
    refused: &mut Reasons,
) -> Vec<Vec3> {
    let bounds = instance.bounds;
    let size = bounds.size();
    let grid = options.grid_m.max(0.01);
    let cells = (size.x + 2.0 * options.reach_m) * (size.z + 2.0 * options.reach_m) / (grid * grid);
    if bounds.is_empty() || !size.is_finite() || !(cells < MOST_CANDIDATES) {
        refused.count("object without sensible bounds");
        return Vec::new();
    }
    let range = |low: f32, high: f32| {
        let first = ((low - options.reach_m) / grid).ceil() as i64;
        let last = ((high + options.reach_m) / grid).floor() as i64;
        first..=last
    };
    let mut points = Vec::new();
    for column in range(bounds.min.x, bounds.max.x) {
        for row in range(bounds.min.z, bounds.max.z) {
            let (x, z) = (column as f32 * grid, row as f32 * grid);
            let dx = (bounds.min.x - x).max(x - bounds.max.x).max(0.0);
            let dz = (bounds.min.z - z).max(z - bounds.max.z).max(0.0);
            if dx * dx + dz * dz > options.reach_m * options.reach_m {
                continue;
            }
            let mut heights = BTreeSet::new();
            for depth in LOOK_DOWN_M {
                let Ok(snap) = query.snap(Vec3::new(x, bounds.min.y - depth, z)) else { continue };
                let aside = (snap.point.x - x).hypot(snap.point.z - z);
                let fits =
                    snap.point.y - bounds.max.y <= ABOVE_M && bounds.min.y - snap.point.y <= BELOW_M;
                // Habitat's navigable: 1 cm aside.
                if aside <= 0.01 && fits && heights.insert((snap.point.y * 10.0) as i64) {
                    points.push(snap.point);
                }
            }
            if heights.is_empty() {
                refused.count("no floor by the object");
            }
        }
    }
    points
}
