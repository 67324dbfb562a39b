use crate::extras::Extras;
use crate::identity::Identity;
use crate::types::{Episode, ObjectGoal, Task, goals_key};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// Episodes with what their files say beside them.
#[derive(Clone, Debug, Default)]
pub struct EpisodeSet {
    /// The episodes, in the order of the files (content files by name).
    pub episodes: Vec<Arc<Episode>>,
    /// Goals by category, one group a scene and category, shared with the episodes; groups that no
    /// episode refers to are kept.
    pub groups: Vec<GoalGroup>,
    /// `category_to_task_category_id`: the numbers that Habitat's object-goal sensor gives.
    pub task_category_ids: Vec<(String, i64)>,
    /// `category_to_scene_annotation_category_id` (older: `category_to_mp3d_category_id`).
    pub annotation_category_ids: Vec<(String, i64)>,
    /// The key under which the file had [`EpisodeSet::annotation_category_ids`]; empty for none.
    pub annotation_key: String,
    /// Other top-level keys of the top file, kept.
    pub extra: Extras,
    /// The files read, in order.
    pub files: Vec<SourceFile>,
    /// What was odd but harmless, each said once.
    pub notes: Vec<String>,
}

/// A file that episodes came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// As the user named it, or found from that.
    pub path: PathBuf,
    /// Episodes in it.
    pub episodes: usize,
}

/// The goals of one category in one scene.
#[derive(Clone, Debug)]
pub struct GoalGroup {
    /// Its key in the file: `basename(scene)_category`, or `scene_object` for instance image goals.
    pub key: String,
    /// The goals.
    pub goals: Arc<Vec<ObjectGoal>>,
    /// Whether the file has one goal, not a list (instance image goals).
    pub single: bool,
}

/// What kind of episodes a set holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No episode.
    Empty,
    /// Point goals only.
    PointNav,
    /// Object goals only.
    ObjectNav,
    /// Instance image goals only.
    InstanceImageNav,
    /// Several kinds.
    Mixed,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "empty",
            Self::PointNav => "pointnav",
            Self::ObjectNav => "objectnav",
            Self::InstanceImageNav => "instance_imagenav",
            Self::Mixed => "mixed",
        })
    }
}

impl EpisodeSet {
    /// A set of episodes made in memory. Equal goals of one scene and category become one shared
    /// group; categories are numbered by name.
    pub fn new(episodes: Vec<Episode>) -> Self {
        let mut groups: Vec<GoalGroup> = Vec::new();
        let mut by_key: BTreeMap<String, usize> = BTreeMap::new();
        let mut categories = BTreeSet::new();
        let mut shared = |scene: &str, category: &str, goals: &mut Arc<Vec<ObjectGoal>>| {
            categories.insert(category.to_owned());
            let key = goals_key(scene, category);
            match by_key.get(&key) {
                Some(&at) if groups[at].goals == *goals => *goals = Arc::clone(&groups[at].goals),
                Some(_) => {}
                None => {
                    by_key.insert(key.clone(), groups.len());
                    groups.push(GoalGroup { key, goals: Arc::clone(goals), single: false });
                }
            }
        };
        let episodes = episodes
            .into_iter()
            .map(|mut episode| {
                let scene = Arc::clone(&episode.scene_id);
                if let Task::ObjectNav { category, goals, children } = &mut episode.task {
                    shared(&scene, category, goals);
                    for child in children {
                        shared(&scene, &child.category, &mut child.goals);
                    }
                }
                Arc::new(episode)
            })
            .collect();
        let ids: Vec<(String, i64)> = categories.into_iter().zip(0..).collect();
        Self {
            episodes,
            groups,
            annotation_key: if ids.is_empty() { String::new() } else { ANNOTATION_KEY.into() },
            annotation_category_ids: ids.clone(),
            task_category_ids: ids,
            ..Self::default()
        }
    }

    /// What kind of episodes it holds.
    pub fn kind(&self) -> Kind {
        let mut kinds = self.episodes.iter().map(|episode| match episode.task {
            Task::PointNav { .. } => Kind::PointNav,
            Task::ObjectNav { .. } => Kind::ObjectNav,
            Task::InstanceImageNav { .. } => Kind::InstanceImageNav,
        });
        let Some(first) = kinds.next() else { return Kind::Empty };
        if kinds.all(|kind| kind == first) { first } else { Kind::Mixed }
    }

    /// Names of the scenes, sorted, each once.
    pub fn scenes(&self) -> Vec<Arc<str>> {
        let names: BTreeSet<&Arc<str>> = self.episodes.iter().map(|episode| &episode.scene_id).collect();
        names.into_iter().cloned().collect()
    }

    /// Episodes per category, sorted by name; point goals under the empty name.
    pub fn categories(&self) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        for episode in &self.episodes {
            *counts.entry(episode.category()).or_insert(0) += 1;
        }
        counts
    }

    /// blake3 over ids and identities in order: names the set in a run's manifest.
    pub fn fingerprint(&self) -> Identity {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"ambler episodes 1");
        for episode in &self.episodes {
            hasher.update(&(episode.episode_id.len() as u64).to_le_bytes());
            hasher.update(episode.episode_id.as_bytes());
            hasher.update(&episode.identity.0);
        }
        Identity(*hasher.finalize().as_bytes())
    }

    /// Episodes whose id is this, in order: several where ids repeat across scenes.
    pub fn by_id<'a>(&'a self, id: &'a str) -> impl Iterator<Item = &'a Arc<Episode>> {
        self.episodes.iter().filter(move |episode| episode.episode_id == id)
    }
}

/// The newer name of the second category map.
pub(crate) const ANNOTATION_KEY: &str = "category_to_scene_annotation_category_id";
/// Its older name, in MP3D files.
pub(crate) const OLD_ANNOTATION_KEY: &str = "category_to_mp3d_category_id";
