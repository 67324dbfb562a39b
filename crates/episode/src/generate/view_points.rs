//! Where an object can be seen from.

use super::{GenerateError, Reasons, rotation};
use crate::types::ViewPoint;
use ambler_geometry::{Aabb, Affine, Heading, Pose, Vec3};
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
    if !matches!(camera.projection, Projection::Pinhole { .. }) {
        return Err(GenerateError::Options("view points need a pinhole camera".into()));
    }
    let center = instance.bounds.center();
    let stride = candidates.len().div_ceil(options.most.max(1)).max(1);
    let whole = f64::from(camera.width) * f64::from(camera.height);
    let least = whole * f64::from(options.min_share);
    let mut views = Vec::new();
    for &position in candidates.iter().step_by(stride) {
        let (dx, dz) = (f64::from(center.x - position.x), f64::from(center.z - position.z));
        let yaw = libm::atan2(-dx, -dz);
        let rise = f64::from(center.y - position.y - camera.mount.y);
        let tilt = libm::atan2(rise, libm::hypot(dx, dz));
        let pose = Pose { position, heading: Heading::from_yaw(yaw) };
        let world_from_camera = camera.world_from_camera(&pose, tilt);
        // Only the part of the image that the object can be in is drawn: the same pixels, far fewer of them.
        let part = cut(&camera, &world_from_camera, &instance.bounds);
        let mut pixels = 0;
        if f64::from(part.width) * f64::from(part.height) >= least {
            renderer.render(&part, &world_from_camera, frame)?;
            pixels = frame.instance.iter().filter(|&&id| id == instance.id).count();
        }
        let share = pixels as f64 / whole;
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

/// Pixels around the projected box, against rounding.
const MARGIN_PX: f64 = 2.0;

/// The camera with its image cut, evenly from all sides, to what a box can cover. Pixels stay where they are:
/// the focal length is the same, and each side loses the same number of them.
fn cut(camera: &CameraSpec, world_from_camera: &Affine, bounds: &Aabb) -> CameraSpec {
    let scale = camera.pixel_scale();
    let across = world_from_camera.matrix;
    let (mut half_x, mut half_y) = (0.0_f64, 0.0_f64);
    for corner in 0..8 {
        let pick = |bit: u32, low: f32, high: f32| if corner >> bit & 1 == 0 { low } else { high };
        let (low, high) = (bounds.min, bounds.max);
        let point = Vec3::new(pick(0, low.x, high.x), pick(1, low.y, high.y), pick(2, low.z, high.z));
        let seen = across.transpose() * (point - world_from_camera.translation);
        let depth = f64::from(-seen.z);
        // Beside or behind the eye a corner can be seen anywhere.
        if depth <= f64::from(camera.near_m) {
            return camera.clone();
        }
        half_x = half_x.max(f64::from(seen.x).abs() * scale / depth);
        half_y = half_y.max(f64::from(seen.y).abs() * scale / depth);
    }
    let side = |whole: u32, half: f64| {
        let lost = (f64::from(whole) * 0.5 - half - MARGIN_PX).floor().max(0.0) as u32;
        whole - 2 * lost.min((whole - 1) / 2)
    };
    let (width, height) = (side(camera.width, half_x), side(camera.height, half_y));
    let hfov = 2.0 * libm::atan(0.5 * f64::from(width) / scale);
    CameraSpec {
        width,
        height,
        projection: Projection::Pinhole { hfov_deg: hfov.to_degrees() as f32 },
        ..camera.clone()
    }
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
