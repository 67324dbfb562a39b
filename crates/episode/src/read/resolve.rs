//! From what a file says to episodes: goals found, shared and checked.

use super::file::{RawFile, Slim};
use super::robothor;
use crate::error::EpisodeError;
use crate::identity::{Identity, normalize_scene_id, object_goals_digest, point_goals_digest};
use crate::set::{EpisodeSet, GoalGroup, SourceFile};
use crate::types::{ChildCategory, Episode, ObjectGoal, PointGoal, Task, goals_key, normalize_rotation};
use ambler_geometry::{Fault, Place};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// A file's part in a set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The only file.
    Alone,
    /// A top file with content files.
    Top,
    /// A content file.
    Content,
}

/// Adds a file's episodes and goals to the set.
pub(super) fn add(
    set: &mut EpisodeSet,
    mut raw: RawFile,
    path: &Path,
    role: Role,
) -> Result<(), EpisodeError> {
    let first = set.episodes.len();
    if let Some(thor) = raw.thor.take() {
        let (episodes, note) = robothor::convert(path, thor)?;
        let made = EpisodeSet::new(episodes);
        set.groups.extend(made.groups);
        set.episodes.extend(made.episodes);
        note_once(set, note);
    } else {
        let Some(slims) = raw.episodes.take() else {
            let what = format!("no `episodes` at the top level ({})", raw.keys_found());
            let remedy = "give an episode file: an object with a list `episodes` (see docs/FORMATS.md)";
            return Err(EpisodeError::Content(Fault::new(path, Place::Whole, what, remedy)));
        };
        take_maps(set, &mut raw, role);
        let mut goals = Goals::new(set, &mut raw);
        for (index, slim) in slims.into_iter().enumerate() {
            let episode = goals.episode(set, slim, path, index)?;
            set.episodes.push(Arc::new(episode));
        }
    }
    set.files.push(SourceFile { path: path.to_owned(), episodes: set.episodes.len() - first });
    Ok(())
}

fn take_maps(set: &mut EpisodeSet, raw: &mut RawFile, role: Role) {
    let names =
        |map: &[(String, i64)]| map.iter().map(|(name, _)| name.clone()).collect::<BTreeSet<_>>();
    if !raw.annotation_key.is_empty() && names(&raw.task_ids) != names(&raw.annotation_ids) {
        note_once(set, "the two category maps name different categories".into());
    }
    // Content files repeat the maps of their top file; the first ones hold.
    if set.task_category_ids.is_empty() {
        set.task_category_ids = std::mem::take(&mut raw.task_ids);
    }
    if set.annotation_key.is_empty() {
        set.annotation_category_ids = std::mem::take(&mut raw.annotation_ids);
        set.annotation_key = std::mem::take(&mut raw.annotation_key);
    }
    if role != Role::Content || set.extra.is_empty() {
        set.extra = std::mem::take(&mut raw.extra);
    }
}

fn note_once(set: &mut EpisodeSet, note: String) {
    if !set.notes.contains(&note) {
        set.notes.push(note);
    }
}

struct Group {
    goals: Arc<Vec<ObjectGoal>>,
    digest: Identity,
}

/// Goals by key, of this file and, where it has none of that key, of files read before it.
struct Goals {
    by_key: BTreeMap<String, Group>,
    /// Digests of goals that episodes carry themselves, by address: `Sharing` made equal ones one.
    own_digests: BTreeMap<usize, Group>,
    scenes: BTreeMap<String, Arc<str>>,
    categories: BTreeMap<String, Arc<str>>,
    has_groups: bool,
}

impl Goals {
    fn new(set: &mut EpisodeSet, raw: &mut RawFile) -> Self {
        let mut by_key = BTreeMap::new();
        // A top file may hold the goals of all its content files.
        if !raw.has_groups {
            for group in &set.groups {
                let digest = object_goals_digest(&group.goals);
                by_key.insert(group.key.clone(), Group { goals: Arc::clone(&group.goals), digest });
            }
        }
        for group in std::mem::take(&mut raw.groups) {
            let digest = object_goals_digest(&group.goals);
            by_key.insert(group.key.clone(), Group { goals: Arc::clone(&group.goals), digest });
            set.groups.push(GoalGroup { key: group.key, goals: group.goals, single: group.single });
        }
        Self {
            by_key,
            own_digests: BTreeMap::new(),
            scenes: BTreeMap::new(),
            categories: BTreeMap::new(),
            has_groups: raw.has_groups,
        }
    }

    fn episode(
        &mut self,
        set: &mut EpisodeSet,
        slim: Slim,
        path: &Path,
        index: usize,
    ) -> Result<Episode, EpisodeError> {
        let Slim { mut raw, object_goals } = slim;
        let at = |field: &str| format!("/episodes/{index}/{field}");
        let id = raw.episode_id.take().unwrap_or_default();
        let scene_text = raw.scene_id.take().unwrap_or_default();
        let scene_id = match self.scenes.get(&scene_text) {
            Some(known) => Arc::clone(known),
            None => {
                let name: Arc<str> = normalize_scene_id(&scene_text).into();
                if name.is_empty() {
                    let what = "the scene has no name";
                    return Err(EpisodeError::content(path, at("scene_id"), what, "name the scene"));
                }
                if *name != *scene_text {
                    note_once(
                        set,
                        "scene names normalised (data/scene_datasets/ and // removed)".into(),
                    );
                }
                self.scenes.insert(scene_text, Arc::clone(&name));
                name
            }
        };
        let file_rotation = raw.start_rotation.unwrap_or_default();
        let start_rotation = normalize_rotation(file_rotation).ok_or_else(|| {
            let remedy = "write a unit quaternion in the order x, y, z, w";
            EpisodeError::content(path, at("start_rotation"), "this quaternion is no rotation", remedy)
        })?;
        let [x, y, z, w] = start_rotation;
        if (y * y + w * w) < (x * x + z * z) {
            note_once(
                set,
                "some start rotations turn the body upside down: are they in the order w, x, y, z? \
                 They are read as x, y, z, w"
                    .into(),
            );
        }
        let (task, digest, children) = self.task(set, &mut raw, object_goals, &scene_id, path, &at)?;
        let mut episode = Episode {
            episode_id: id.text,
            scene_id,
            start_position: raw.start_position.unwrap_or_default(),
            start_rotation,
            task,
            info: raw.info,
            extra: raw.extra,
            identity: digest,
            goals_digest: digest,
            id_is_number: id.number.is_some(),
            file_rotation,
        };
        episode.set_identity(digest, &children);
        Ok(episode)
    }

    fn category(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.categories.get(name) {
            return Arc::clone(known);
        }
        let shared: Arc<str> = name.into();
        self.categories.insert(name.to_owned(), Arc::clone(&shared));
        shared
    }

    fn task(
        &mut self,
        set: &mut EpisodeSet,
        raw: &mut super::fields::RawEpisode,
        object_goals: Option<Arc<Vec<ObjectGoal>>>,
        scene_id: &str,
        path: &Path,
        at: &dyn Fn(&str) -> String,
    ) -> Result<(Task, Identity, Vec<Identity>), EpisodeError> {
        if let Some(object) = raw.goal_object_id.take() {
            return self.image_task(raw, &object.text, scene_id, path, at);
        }
        let own_category = object_goals.as_ref().and_then(|goals| goals.first());
        let category = raw.object_category.take().or_else(|| {
            own_category.map(|goal| goal.object_category.clone()).filter(|name| !name.is_empty())
        });
        if let Some(category) = category {
            return self.object_task(set, raw, &category, object_goals, scene_id, path, at);
        }
        // Goals with an object's keys but no category are still points to reach.
        let goals: Vec<PointGoal> = match object_goals {
            Some(goals) => goals.iter().map(|goal| PointGoal::new(goal.position, goal.radius)).collect(),
            None => std::mem::take(&mut raw.goals)
                .into_iter()
                .map(|raw| PointGoal {
                    position: raw.goal.position,
                    radius: raw.goal.radius,
                    extra: raw.goal.extra,
                })
                .collect(),
        };
        if goals.is_empty() {
            let (what, remedy) = if raw.extra.text("tasks").is_some() {
                let remedy = "use its single-goal ObjectNav counterpart";
                ("a GOAT-Bench episode with a list of tasks, which is not read", remedy)
            } else {
                let remedy = "give `goals` with a position, or an `object_category` that \
                              `goals_by_category` has goals for; a missing goal is never replaced";
                ("an episode without a goal", remedy)
            };
            return Err(EpisodeError::content(path, at("goals"), what, remedy));
        }
        let digest = point_goals_digest(&goals);
        Ok((Task::PointNav { goals }, digest, Vec::new()))
    }

    fn image_task(
        &mut self,
        raw: &mut super::fields::RawEpisode,
        object: &str,
        scene_id: &str,
        path: &Path,
        at: &dyn Fn(&str) -> String,
    ) -> Result<(Task, Identity, Vec<Identity>), EpisodeError> {
        let scene = crate::identity::scene_basename(scene_id);
        let scene = scene.strip_suffix(".glb").unwrap_or(scene);
        let scene = scene.strip_suffix(".basis").unwrap_or(scene);
        let key = format!("{scene}_{object}");
        let Some((goals, digest)) = self
            .by_key
            .get(&key)
            .filter(|g| g.goals.len() == 1)
            .map(|g| (Arc::clone(&g.goals), g.digest))
        else {
            let what = format!("no goal '{key}' in the file's `goals`");
            return Err(EpisodeError::content(path, at("goal_object_id"), what, self.available()));
        };
        let Some(image) = raw.goal_image_id.take() else {
            let remedy = "give the index of the goal picture";
            return Err(EpisodeError::content(path, at("goal_image_id"), "the key is missing", remedy));
        };
        let pictures = goals[0].extra.get("image_goals");
        let pictures = pictures.and_then(|list| list.as_array().map(Vec::len)).unwrap_or(0);
        if image >= pictures as u64 {
            let what = format!("picture {image} of a goal that has {pictures}");
            let remedy = "give an index into the goal's `image_goals`, from 0";
            return Err(EpisodeError::content(path, at("goal_image_id"), what, remedy));
        }
        let category = raw.object_category.take().unwrap_or_else(|| goals[0].object_category.clone());
        let category = self.category(&category);
        let object = object.to_owned();
        Ok((Task::InstanceImageNav { category, goals, object, image }, digest, Vec::new()))
    }

    fn object_task(
        &mut self,
        set: &mut EpisodeSet,
        raw: &super::fields::RawEpisode,
        category: &str,
        object_goals: Option<Arc<Vec<ObjectGoal>>>,
        scene_id: &str,
        path: &Path,
        at: &dyn Fn(&str) -> String,
    ) -> Result<(Task, Identity, Vec<Identity>), EpisodeError> {
        let key = goals_key(scene_id, category);
        let found = self.by_key.get(&key).map(|group| (Arc::clone(&group.goals), group.digest));
        let (goals, digest) = match (object_goals, found) {
            // Without goals_by_category an episode's own goals hold; the first ones name the group.
            (Some(own), _) if !self.has_groups => self.own_goals(set, own, &key),
            (_, Some(found)) => found,
            (Some(own), None) => self.own_goals(set, own, &key),
            (None, None) => {
                let what = format!("no goals for '{key}'");
                return Err(EpisodeError::content(path, at("object_category"), what, self.available()));
            }
        };
        if goals.is_empty() {
            let what = format!("the goal list of '{key}' is empty");
            let remedy = "give at least one goal; a missing goal is never replaced";
            return Err(EpisodeError::content(path, at("object_category"), what, remedy));
        }
        let mut children = Vec::with_capacity(raw.children.len());
        let mut digests = Vec::with_capacity(raw.children.len());
        for child in &raw.children {
            let group = self.by_key.get(&goals_key(scene_id, child));
            // A child category without objects in this scene adds nothing.
            let (goals, digest) = group.map_or_else(
                || (Arc::default(), object_goals_digest(&[])),
                |group| (Arc::clone(&group.goals), group.digest),
            );
            children.push(ChildCategory { category: self.category(child), goals });
            digests.push(digest);
        }
        let category = self.category(category);
        Ok((Task::ObjectNav { category, goals, children }, digest, digests))
    }

    fn own_goals(
        &mut self,
        set: &mut EpisodeSet,
        own: Arc<Vec<ObjectGoal>>,
        key: &str,
    ) -> (Arc<Vec<ObjectGoal>>, Identity) {
        let address = Arc::as_ptr(&own) as usize;
        let known = self
            .own_digests
            .entry(address)
            .or_insert_with(|| Group { digest: object_goals_digest(&own), goals: Arc::clone(&own) });
        let digest = known.digest;
        if !self.by_key.contains_key(key) {
            self.by_key.insert(key.to_owned(), Group { goals: Arc::clone(&own), digest });
            set.groups.push(GoalGroup { key: key.to_owned(), goals: Arc::clone(&own), single: false });
        }
        (own, digest)
    }

    /// A remedy that says which keys there are.
    fn available(&self) -> String {
        if self.by_key.is_empty() {
            return "the file has no `goals_by_category`: give it, or `goals` in each episode; a missing \
                    goal is never replaced"
                .into();
        }
        let some: Vec<&str> = self.by_key.keys().take(6).map(String::as_str).collect();
        let more = if self.by_key.len() > some.len() { ", …" } else { "" };
        format!("the file has goals for {}{more}", some.join(", "))
    }
}

/// Notes that concern the set as a whole.
pub(super) fn finish(set: &mut EpisodeSet) {
    if set.episodes.is_empty() {
        set.notes.push("no episodes: a top file without its `content` folder?".into());
    }
    let mut ids: BTreeMap<&str, &str> = BTreeMap::new();
    let (mut across, mut within, mut seen, mut same) = (false, false, BTreeSet::new(), 0usize);
    for episode in &set.episodes {
        match ids.insert(&episode.episode_id, &episode.scene_id) {
            Some(scene) if *scene != *episode.scene_id => across = true,
            Some(_) => within = true,
            None => {}
        }
        same += usize::from(!seen.insert(episode.identity));
    }
    if across {
        set.notes.push("episode ids repeat across scenes: name an episode by scene and id".into());
    }
    if within {
        set.notes.push("episode ids repeat within a scene".into());
    }
    if same > 0 {
        set.notes.push(format!("{same} episodes repeat another's scene, start and goals"));
    }
    set.episodes.shrink_to_fit();
}
