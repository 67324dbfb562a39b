//! RoboTHOR ObjectNav episodes (allenai/robothor-challenge) as object goals.
//!
//! The source frame is Unity's: left-handed, +Y up, +Z forward, turns clockwise from above in
//! degrees. Ambler's is reached by (x, y, z) → (x, y, −z) and yaw = −angle. The file has no object
//! positions; it has for each start the shortest path to the place by the object. The ends of these
//! paths, over all episodes of a scene and object type, are the view points of that type's goal,
//! and the goal's position is the first of them. The body's floor point is the path's first point
//! (`initial_position` is the body's centre, 0.9 m up).

use super::fields::{Fields, objects};
use crate::error::EpisodeError;
use crate::extras::Extras;
use crate::types::{Episode, ObjectGoal, Task, ViewPoint};
use ambler_geometry::Vec3;
use serde::de::MapAccess;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// {x, y, z} in Unity's frame.
#[derive(Default)]
pub(super) struct ThorPoint {
    xyz: [Option<f64>; 3],
    extra: Extras,
}

impl ThorPoint {
    fn point(&self) -> Vec3 {
        let [x, y, z] = self.xyz.map(|value| value.unwrap_or(0.0) as f32);
        Vec3::new(x, y, -z)
    }
}

impl Fields for ThorPoint {
    const WHAT: &'static str = "a point {x, y, z}";
    fn take<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error> {
        let axis = match key {
            "x" => 0,
            "y" => 1,
            "z" => 2,
            _ => return Ok(false),
        };
        self.xyz[axis] = Some(map.next_value()?);
        Ok(true)
    }
    fn extras(&mut self) -> &mut Extras {
        &mut self.extra
    }
    fn done(&mut self) -> Result<(), String> {
        if self.xyz.iter().any(Option::is_none) || !self.point().is_finite() {
            return Err("a point needs finite x, y and z".into());
        }
        Ok(())
    }
}

/// An episode as RoboTHOR's files have it.
#[derive(Default)]
pub(super) struct ThorEpisode {
    id: String,
    scene: String,
    object_type: String,
    initial_position: Option<ThorPoint>,
    initial_orientation: Option<f64>,
    shortest_path: Vec<ThorPoint>,
    shortest_path_length: Option<f64>,
    extra: Extras,
}

impl Fields for ThorEpisode {
    const WHAT: &'static str = "a RoboTHOR episode";
    fn take<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error> {
        match key {
            "id" => self.id = map.next_value()?,
            "scene" => self.scene = map.next_value()?,
            "object_type" => self.object_type = map.next_value()?,
            "initial_position" => {
                self.initial_position = Some(map.next_value::<super::fields::Object<ThorPoint>>()?.0);
            }
            "initial_orientation" => self.initial_orientation = map.next_value()?,
            "shortest_path" => self.shortest_path = objects(map)?,
            "shortest_path_length" => self.shortest_path_length = map.next_value()?,
            _ => return Ok(false),
        }
        Ok(true)
    }
    fn extras(&mut self) -> &mut Extras {
        &mut self.extra
    }
    fn done(&mut self) -> Result<(), String> {
        let missing = match self {
            Self { id, .. } if id.is_empty() => "id",
            Self { scene, .. } if scene.is_empty() => "scene",
            Self { object_type, .. } if object_type.is_empty() => "object_type",
            Self { initial_position: None, .. } => "initial_position",
            Self { initial_orientation: None, .. } => "initial_orientation",
            Self { shortest_path, .. } if shortest_path.is_empty() => "shortest_path",
            _ => return Ok(()),
        };
        Err(format!("missing field `{missing}`"))
    }
}

/// Episodes of a RoboTHOR file, with a note on what was made of them.
pub(super) fn convert(
    path: &Path,
    thor: Vec<ThorEpisode>,
) -> Result<(Vec<Episode>, String), EpisodeError> {
    // Ends of the paths per scene and type, in file order, each once.
    let mut ends: BTreeMap<(String, String), Vec<Vec3>> = BTreeMap::new();
    for episode in &thor {
        let Some(end) = episode.shortest_path.last().map(ThorPoint::point) else { continue };
        let known = ends.entry((episode.scene.clone(), episode.object_type.clone())).or_default();
        if !known.iter().any(|other| other.distance_squared(end) < 1e-6) {
            known.push(end);
        }
    }
    let goals: BTreeMap<(String, String), Arc<Vec<ObjectGoal>>> = ends
        .into_iter()
        .map(|((scene, kind), points)| {
            let goal = ObjectGoal {
                position: points[0],
                object_name: kind.clone(),
                object_category: kind.clone(),
                view_points: points
                    .iter()
                    .map(|&position| ViewPoint { position, ..ViewPoint::default() })
                    .collect(),
                ..ObjectGoal::default()
            };
            ((scene, kind), Arc::new(vec![goal]))
        })
        .collect();
    let mut episodes = Vec::with_capacity(thor.len());
    for (index, raw) in thor.into_iter().enumerate() {
        let start = raw.shortest_path.first().map(ThorPoint::point).unwrap_or_default();
        let yaw = -raw.initial_orientation.unwrap_or_default().to_radians();
        let rotation = [0.0, libm::sin(yaw * 0.5), 0.0, libm::cos(yaw * 0.5)];
        let key = (raw.scene, raw.object_type);
        let task = Task::ObjectNav {
            category: key.1.as_str().into(),
            goals: goals.get(&key).cloned().unwrap_or_default(),
            children: Vec::new(),
        };
        let mut episode = Episode::new(raw.id, &key.0, start, rotation, task).map_err(|error| {
            let fault = error.fault();
            EpisodeError::content(path, format!("/{index}"), fault.what.clone(), fault.remedy.clone())
        })?;
        if let Some(length) = raw.shortest_path_length.filter(|length| length.is_finite()) {
            episode.info.set("geodesic_distance", length);
        }
        episode.extra = raw.extra;
        if let Some(position) = raw.initial_position {
            let body: Vec<Value> = position.point().to_array().map(Value::from).to_vec();
            episode.extra.set("body_center", body);
        }
        episodes.push(episode);
    }
    let note = "RoboTHOR episodes: mirrored into a right-handed frame; the ends of the shortest \
                paths stand in for view points, since the files have no object positions";
    Ok((episodes, note.to_owned()))
}
