//! Stage 3: what a detector says of each view, put into space.

use crate::SdovonError;
use crate::cloud::Cloud;
use crate::coverage::{self, View};
use crate::settings::Settings;
use ambler_geometry::{Affine, Vec3};
use ambler_model::{Detected, Detector, Picture, Truth};
use ambler_scene::{SceneModel, is_structural, normal_name};
use ambler_sensor::{CameraSpec, Frame, Outputs, Renderer};
use rayon::prelude::*;

/// A detection in space.
#[derive(Clone, Debug)]
pub struct Sighting {
    /// What it is called.
    pub label: String,
    /// Confidence, 0 to 1.
    pub score: f32,
    /// Its points.
    pub cloud: Cloud,
    /// Its points on finer voxels; empty where it is no receptacle.
    pub dense: Cloud,
    /// The instance that it is, where the detector knows. Nothing but [`crate::truth`] reads it.
    pub instance: Option<u32>,
}

/// Labels that are no instances: the paper's negative classes, and the building itself.
pub fn is_background(label: &str) -> bool {
    let name = normal_name(label);
    const NEGATIVE: &[&str] = &[
        "sky",
        "building",
        "office",
        "basement",
        "corridor",
        "floor",
        "wall",
        "corner",
        "ceiling",
        "furniture",
        "dark",
    ];
    name.ends_with("room") || NEGATIVE.contains(&name.as_str()) || is_structural(&name)
}

/// Labels of a scene's instances for a detector that may know the truth.
pub fn truth_labels(scene: &SceneModel) -> Vec<(u32, &str)> {
    let label = |category| scene.category_name(category);
    let instances = scene.instances.iter().map(|instance| (instance.id, label(instance.category)));
    instances.filter(|(_, label)| !label.is_empty() && !is_background(label)).collect()
}

/// Looks at the scene from every view and puts what the detector finds into space, view by view in the
/// order given. `receptacle` says which labels get dense clouds; `labels` are what the detector is asked
/// for, all that it knows where there are none. Views are drawn on all threads of the current pool; the
/// result does not depend on their number.
///
/// # Errors
/// A camera of the settings that makes no image, or a detector that cannot see.
pub fn observe(
    renderer: &Renderer,
    views: &[View],
    settings: &Settings,
    detector: &dyn Detector,
    labels: &[&str],
    receptacle: &(dyn Fn(&str) -> bool + Sync),
    mut each: impl FnMut(Vec<Sighting>),
) -> Result<(), SdovonError> {
    let mut camera = coverage::camera(&settings.coverage);
    let truth = detector.needs_truth();
    camera.outputs = Outputs { depth: true, instance: truth, rgb: !truth, category: false };
    camera.validate()?;
    let scene = renderer.scene();
    let known = truth_labels(scene);
    // A few views a thread at a time, so that clouds that wait to be fused stay few.
    let batch = rayon::current_num_threads().max(1) * 4;
    for (number, views) in views.chunks(batch).enumerate() {
        let seen: Vec<Result<Vec<Sighting>, SdovonError>> = views
            .par_iter()
            .enumerate()
            .map_init(Frame::default, |frame, (index, view)| {
                let world_from_camera = camera.world_from_camera(&view.pose, view.tilt_rad);
                renderer.render(&camera, &world_from_camera, frame)?;
                let key = format!("{}/observation/{}", scene.fingerprint, number * batch + index);
                let picture = Picture {
                    width: frame.width,
                    height: frame.height,
                    rgb: &frame.rgb,
                    truth: truth.then_some(Truth { instance: &frame.instance, labels: &known }),
                    key: &key,
                    place: &scene.fingerprint,
                };
                let found = detector.detect(&picture, labels)?;
                let found = found.iter().filter(|thing| !is_background(&thing.label));
                let sight =
                    |thing| sighting(thing, frame, &camera, &world_from_camera, settings, receptacle);
                Ok(found.filter_map(sight).collect())
            })
            .collect();
        for sightings in seen {
            each(sightings?);
        }
    }
    Ok(())
}

/// A detection's pixels with depth as points in the world; `None` where they are too few.
fn sighting(
    thing: &Detected,
    frame: &Frame,
    camera: &CameraSpec,
    world_from_camera: &Affine,
    settings: &Settings,
    receptacle: &(dyn Fn(&str) -> bool + Sync),
) -> Option<Sighting> {
    let fusion = &settings.fusion;
    let step = fusion.pixel_step.max(1);
    let mut cloud = Cloud::new(fusion.voxel_m);
    let mut dense = Cloud::new(fusion.dense_voxel_m);
    let is_receptacle = receptacle(&thing.label);
    let scale = 1.0 / camera.pixel_scale();
    let (half_w, half_h) = (f64::from(frame.width) * 0.5, f64::from(frame.height) * 0.5);
    let matrix = world_from_camera.matrix.as_dmat3();
    let origin = world_from_camera.translation.as_dvec3();
    let [x0, y0, x1, y1] = thing.bbox;
    let first = |value: u32| value.div_ceil(step) * step;
    for row in (first(y0)..y1.min(frame.height)).step_by(step as usize) {
        for column in (first(x0)..x1.min(frame.width)).step_by(step as usize) {
            let index = row as usize * frame.width as usize + column as usize;
            let depth = f64::from(frame.depth.get(index).copied().unwrap_or(0.0));
            if !(depth > 0.0) || !thing.covers(column, row) {
                continue;
            }
            // Eq. 1 of the paper, solved for the point: K and the camera's pose undone.
            let right = (f64::from(column) + 0.5 - half_w) * scale * depth;
            let up = (half_h - f64::from(row) - 0.5) * scale * depth;
            let point = matrix * glam::DVec3::new(right, up, -depth) + origin;
            let point: Vec3 = point.as_vec3();
            cloud.add(point);
            if is_receptacle {
                dense.add(point);
            }
        }
    }
    (cloud.len() >= fusion.least_points as usize).then(|| Sighting {
        label: thing.label.clone(),
        score: thing.score,
        cloud,
        dense,
        instance: thing.instance,
    })
}
