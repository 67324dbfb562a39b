//! Writing episodes as Habitat reads them: the same bytes for the same episodes.

use crate::error::EpisodeError;
use crate::extras::Extras;
use crate::identity::scene_basename;
use crate::set::{ANNOTATION_KEY, EpisodeSet, GoalGroup};
use crate::types::{Episode, ObjectGoal, ObjectId, PointGoal, Task, ViewPoint, goals_key};
use ambler_geometry::{Fault, Place};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Writes a set into one file: JSON, gzipped where the name ends in `.gz` (without a time stamp, so
/// that equal sets give equal bytes). The file appears whole or not at all.
///
/// # Errors
/// If two scenes of the same base name have different goals for one category (Habitat's keys could
/// not tell them apart; [`write_split`] can), or the file cannot be written.
pub fn write_episodes(set: &EpisodeSet, path: &Path) -> Result<(), EpisodeError> {
    let mut keys: BTreeMap<&str, &GoalGroup> = BTreeMap::new();
    for group in &set.groups {
        if keys.insert(&group.key, group).is_some_and(|other| other.goals != group.goals) {
            let what = format!("two scenes have different goals under the key '{}'", group.key);
            let remedy = "write one file per scene (a folder with `content`)";
            return Err(EpisodeError::Value(Fault::new(path, Place::Whole, what, remedy)));
        }
    }
    write_bytes(path, to_json(set).as_bytes())
}

/// Writes a set as Habitat splits large ones: `DIR/NAME.json.gz` with the category maps and no
/// episode, and `DIR/content/<scene>.json.gz` for each scene. Returns the files, the top one first.
///
/// # Errors
/// If two scenes share a base name, or a file cannot be written.
pub fn write_split(set: &EpisodeSet, dir: &Path, name: &str) -> Result<Vec<PathBuf>, EpisodeError> {
    let content = dir.join("content");
    std::fs::create_dir_all(&content)
        .map_err(|error| EpisodeError::io(&content, "make the folder", &error, "choose another"))?;
    let mut files = vec![dir.join(format!("{name}.json.gz"))];
    let maps = EpisodeSet {
        task_category_ids: set.task_category_ids.clone(),
        annotation_category_ids: set.annotation_category_ids.clone(),
        annotation_key: set.annotation_key.clone(),
        extra: set.extra.clone(),
        ..EpisodeSet::default()
    };
    write_bytes(&files[0], to_json(&maps).as_bytes())?;
    for scene in set.scenes() {
        let stem = scene_basename(&scene);
        let stem = stem.strip_suffix(".glb").unwrap_or(stem);
        let stem = stem.strip_suffix(".basis").unwrap_or(stem);
        let file = content.join(format!("{stem}.json.gz"));
        if files.contains(&file) {
            let what = format!("two scenes are called '{stem}'");
            return Err(EpisodeError::Value(Fault::new(file, Place::Whole, what, "rename one of them")));
        }
        let episodes: Vec<Arc<Episode>> =
            set.episodes.iter().filter(|episode| episode.scene_id == scene).cloned().collect();
        let prefix = format!("{}_", scene_basename(&scene));
        let stem_prefix = format!("{stem}_");
        let used = |group: &GoalGroup| {
            group.key.starts_with(&prefix) || (group.single && group.key.starts_with(&stem_prefix))
        };
        let part = EpisodeSet {
            episodes,
            groups: set.groups.iter().filter(|group| used(group)).cloned().collect(),
            extra: Extras::default(),
            ..maps.clone()
        };
        write_bytes(&file, to_json(&part).as_bytes())?;
        files.push(file);
    }
    Ok(files)
}

fn write_bytes(path: &Path, text: &[u8]) -> Result<(), EpisodeError> {
    let fail =
        |error: std::io::Error| EpisodeError::io(path, "write the file", &error, "check the path");
    let zipped;
    let bytes = if path.extension().is_some_and(|extension| extension == "gz") {
        let mut encoder =
            flate2::GzBuilder::new().mtime(0).write(Vec::new(), flate2::Compression::new(6));
        encoder.write_all(text).map_err(fail)?;
        zipped = encoder.finish().map_err(fail)?;
        zipped.as_slice()
    } else {
        text
    };
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    std::fs::write(&partial, bytes).and_then(|()| std::fs::rename(&partial, path)).map_err(fail)
}

/// The JSON text of a set: keys in a fixed order, then unknown ones in the file's; positions as the
/// shortest decimal of the f32.
pub fn to_json(set: &EpisodeSet) -> String {
    let mut out = String::new();
    let mut top = Object::new(&mut out);
    let (single, lists): (Vec<&GoalGroup>, Vec<&GoalGroup>) =
        set.groups.iter().partition(|group| group.single);
    for (key, groups) in [("goals_by_category", lists), ("goals", single)] {
        if !groups.is_empty() {
            let mut object = Object::new(top.key(key));
            for group in groups {
                let out = object.key(&group.key);
                match (group.single, group.goals.as_slice()) {
                    (true, [goal]) => object_goal(out, goal),
                    (_, goals) => array(out, goals, object_goal),
                }
            }
            object.end();
        }
    }
    if !set.task_category_ids.is_empty() {
        numbering(top.key("category_to_task_category_id"), &set.task_category_ids);
    }
    if !set.annotation_key.is_empty() || !set.annotation_category_ids.is_empty() {
        let key = if set.annotation_key.is_empty() { ANNOTATION_KEY } else { &set.annotation_key };
        numbering(top.key(key), &set.annotation_category_ids);
    }
    let groups: BTreeMap<&str, &Arc<Vec<ObjectGoal>>> =
        set.groups.iter().map(|group| (group.key.as_str(), &group.goals)).collect();
    array(top.key("episodes"), &set.episodes, |out, episode| write_episode(out, episode, &groups));
    top.extras(&set.extra);
    top.end();
    out
}

fn numbering(out: &mut String, map: &[(String, i64)]) {
    let mut object = Object::new(out);
    for (name, number) in map {
        value(object.key(name), number);
    }
    object.end();
}

fn write_episode(out: &mut String, episode: &Episode, groups: &BTreeMap<&str, &Arc<Vec<ObjectGoal>>>) {
    let mut object = Object::new(out);
    match episode.episode_id.parse::<i64>() {
        Ok(number) if episode.id_is_number => value(object.key("episode_id"), &number),
        _ => value(object.key("episode_id"), &episode.episode_id),
    }
    value(object.key("scene_id"), &*episode.scene_id);
    value(object.key("start_position"), &episode.start_position.to_array());
    value(object.key("start_rotation"), &episode.file_rotation);
    if episode.info.is_empty() {
        object.key("info").push_str("null");
    } else {
        let mut info = Object::new(object.key("info"));
        info.extras(&episode.info);
        info.end();
    }
    let goals = object.key("goals");
    match &episode.task {
        Task::PointNav { goals: points } => array(goals, points, point_goal),
        Task::ObjectNav { category, goals: own, children } => {
            let group = groups.get(goals_key(&episode.scene_id, category).as_str());
            // Goals that differ from the group's stand in the episode itself.
            if group.is_some_and(|group| *group == own) {
                goals.push_str("[]");
            } else {
                array(goals, own.as_slice(), object_goal);
            }
            value(object.key("object_category"), &**category);
            if !children.is_empty() {
                let names: Vec<&str> = children.iter().map(|child| &*child.category).collect();
                value(object.key("children_object_categories"), &names);
            }
        }
        Task::InstanceImageNav { category, object: id, image, .. } => {
            goals.push_str("[]");
            value(object.key("object_category"), &**category);
            value(object.key("goal_object_id"), id);
            value(object.key("goal_image_id"), image);
        }
    }
    object.extras(&episode.extra);
    object.end();
}

fn point_goal(out: &mut String, goal: &PointGoal) {
    let mut object = Object::new(out);
    value(object.key("position"), &goal.position.to_array());
    value(object.key("radius"), &goal.radius);
    object.extras(&goal.extra);
    object.end();
}

fn object_goal(out: &mut String, goal: &ObjectGoal) {
    let mut object = Object::new(out);
    value(object.key("position"), &goal.position.to_array());
    value(object.key("radius"), &goal.radius);
    match &goal.object_id {
        Some(ObjectId::Number(number)) => value(object.key("object_id"), number),
        Some(ObjectId::Text(text)) => value(object.key("object_id"), text),
        None => value(object.key("object_id"), &()),
    }
    value(object.key("object_name"), &goal.object_name);
    value(object.key("object_category"), &goal.object_category);
    array(object.key("view_points"), &goal.view_points, view_point);
    object.extras(&goal.extra);
    object.end();
}

fn view_point(out: &mut String, view: &ViewPoint) {
    let mut object = Object::new(out);
    let mut state = Object::new(object.key("agent_state"));
    value(state.key("position"), &view.position.to_array());
    value(state.key("rotation"), &view.rotation);
    state.extras(&view.state_extra);
    state.end();
    value(object.key("iou"), &view.iou);
    object.extras(&view.extra);
    object.end();
}

/// One JSON object being written.
struct Object<'a> {
    out: &'a mut String,
    first: bool,
}

impl<'a> Object<'a> {
    fn new(out: &'a mut String) -> Self {
        out.push('{');
        Self { out, first: true }
    }

    fn key(&mut self, key: &str) -> &mut String {
        if !std::mem::take(&mut self.first) {
            self.out.push(',');
        }
        value(self.out, key);
        self.out.push(':');
        self.out
    }

    fn extras(&mut self, extras: &Extras) {
        for (key, text) in extras.iter() {
            self.key(key).push_str(text);
        }
    }

    fn end(self) {
        self.out.push('}');
    }
}

fn array<T>(out: &mut String, items: &[T], write: impl Fn(&mut String, &T)) {
    out.push('[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(out, item);
    }
    out.push(']');
}

/// Numbers, strings, arrays of finite numbers, null: none of them can fail to serialise.
fn value(out: &mut String, item: &(impl Serialize + ?Sized)) {
    match serde_json::to_string(item) {
        Ok(text) => out.push_str(&text),
        Err(_) => out.push_str("null"),
    }
}
