//! What an agent's detector sees in an observation.

use crate::mapping::map::{Lens, View};
use crate::models::Models;
use crate::{EpisodeContext, Goal, Observation, PolicyError};
use ambler_geometry::Vec3;
use ambler_model::{Detected, ModelError, Picture, Truth};

/// What an agent that looks for a thing is told of its episode.
#[derive(Clone, Debug, Default)]
pub(crate) struct Errand {
    /// The thing's category.
    pub(crate) goal: String,
    /// All names that count.
    pub(crate) names: Vec<String>,
    categories: Vec<String>,
    /// Names run and episode.
    place: String,
}

impl Errand {
    /// # Errors
    /// When the episode's goal is no thing.
    pub(crate) fn of(agent: &str, episode: &EpisodeContext<'_>) -> Result<Self, PolicyError> {
        let Goal::Object { category, also } = episode.goal else {
            return Err(PolicyError::failed(format!("{agent} looks for things; this goal is a point")));
        };
        let mut names = vec![category.clone()];
        names.extend(also.iter().cloned());
        // Data sets spell the same name in several ways.
        for &index in &episode.goal_categories() {
            names.extend(episode.categories.get(index as usize).cloned());
        }
        Ok(Self {
            goal: category.clone(),
            names,
            categories: episode.categories.to_vec(),
            place: format!("{}/{}", episode.run_seed, episode.identity),
        })
    }

    /// Whether a detected label is the goal.
    pub(crate) fn is_goal(&self, label: &str) -> bool {
        self.names.iter().any(|name| name == label)
    }
}

/// What was found, by camera.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sight {
    /// The goal.
    pub(crate) goal: Vec<Vec<Detected>>,
    /// Everything, the goal included; the goal alone where only that was asked for.
    pub(crate) all: Vec<Vec<Detected>>,
}

/// Calls `with` for a camera's picture.
pub(crate) fn with_picture<R>(
    seen: &Observation<'_>,
    camera: usize,
    errand: &Errand,
    with: impl FnOnce(&Picture<'_>) -> R,
) -> Option<R> {
    let frame = seen.frames.get(camera)?;
    let known = seen.detections.get(camera).map_or(&[][..], Vec::as_slice);
    let labels: Vec<(u32, &str)> = known
        .iter()
        .filter_map(|thing| {
            let name = errand.categories.get(thing.category as usize)?;
            (!name.is_empty()).then_some((thing.instance, name.as_str()))
        })
        .collect();
    let has_truth = frame.instance.len() == frame.pixel_count();
    let key = format!("{}/{}/{camera}", errand.place, seen.step);
    Some(with(&Picture {
        width: frame.width,
        height: frame.height,
        rgb: &frame.rgb,
        truth: has_truth.then_some(Truth { instance: &frame.instance, labels: &labels }),
        key: &key,
        place: &errand.place,
    }))
}

/// Looks for the goal in all cameras, and for everything else if `everything`.
///
/// # Errors
/// The detector's.
pub(crate) fn look(
    models: &Models,
    seen: &Observation<'_>,
    errand: &Errand,
    everything: bool,
) -> Result<Sight, PolicyError> {
    let names: Vec<&str> = errand.names.iter().map(String::as_str).collect();
    let mut sight = Sight::default();
    for camera in 0..seen.frames.len() {
        let found = with_picture(seen, camera, errand, |picture| -> Result<_, ModelError> {
            // A server tags what it is not asked for worse than what it is.
            if !models.detector.needs_truth() {
                let goal = models.detector.detect(picture, &names)?;
                let mut all =
                    if everything { models.detector.detect(picture, &[])? } else { Vec::new() };
                all.extend(goal.iter().cloned());
                return Ok((goal, all));
            }
            let all = models.detector.detect(picture, if everything { &[] } else { &names })?;
            let goal = all.iter().filter(|thing| errand.is_goal(&thing.label)).cloned().collect();
            Ok((goal, all))
        });
        let (goal, all) = match found {
            Some(found) => found.map_err(|error| PolicyError::failed(error.to_string()))?,
            None => (Vec::new(), Vec::new()),
        };
        sight.goal.push(goal);
        sight.all.push(all);
    }
    Ok(sight)
}

/// The view of a camera.
pub(crate) fn view<'a>(seen: &Observation<'a>, camera: usize) -> Option<View<'a>> {
    Some(View {
        frame: seen.frames.get(camera)?,
        spec: seen.cameras.get(camera)?,
        position: seen.position,
        yaw: seen.compass,
        tilt_rad: seen.tilt_rad,
    })
}

/// Points of a thing's surface: start frame, with their depth. At most about `most` of them, every n-th
/// in image order; pixels for which `keep` is false are left out.
pub(crate) fn surface(
    view: &View<'_>,
    thing: &Detected,
    most: usize,
    keep: impl Fn(u32, u32) -> bool,
) -> Vec<(Vec3, f32)> {
    let Some(lens) = Lens::new(view) else { return Vec::new() };
    let [x0, y0, x1, y1] = thing.bbox;
    let (width, height) = (view.frame.width, view.frame.height);
    let mut pixels: Vec<(u32, u32)> = Vec::new();
    for row in y0..y1.min(height) {
        let columns = x0..x1.min(width);
        let start = row as usize * width as usize;
        // Of a mask of this very size, only what is set is looked at.
        let bits = thing.mask.as_ref().filter(|mask| mask.width == width).and_then(|mask| {
            mask.bits.get(start + columns.start as usize..start + columns.end as usize)
        });
        match bits {
            Some(bits) => {
                let set = columns.zip(bits).filter(|(_, bit)| **bit).map(|(column, _)| column);
                pixels.extend(set.filter(|&column| keep(column, row)).map(|column| (column, row)));
            }
            None => {
                let covered = columns.filter(|&column| thing.covers(column, row) && keep(column, row));
                pixels.extend(covered.map(|column| (column, row)));
            }
        }
    }
    let stride = pixels.len().div_ceil(most.max(1)).max(1);
    pixels
        .into_iter()
        .step_by(stride)
        .filter_map(|(column, row)| {
            let depth = view.frame.depth[row as usize * width as usize + column as usize];
            Some((lens.point_any(view.frame, column, row)?, depth))
        })
        .collect()
}
