//! The top level of an episode file.

use super::fields::{Fields, Object, ObjectList, RawEpisode, RawGoal};
use super::robothor::ThorEpisode;
use crate::extras::Extras;
use crate::identity::{Identity, object_goals_digest};
use crate::set::{ANNOTATION_KEY, OLD_ANNOTATION_KEY};
use crate::types::ObjectGoal;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// One file as it was read, before episodes and goals are brought together.
#[derive(Default)]
pub(super) struct RawFile {
    /// `None`: the key is missing.
    pub(super) episodes: Option<Vec<Slim>>,
    pub(super) groups: Vec<RawGroup>,
    pub(super) has_groups: bool,
    pub(super) task_ids: Vec<(String, i64)>,
    pub(super) annotation_ids: Vec<(String, i64)>,
    pub(super) annotation_key: String,
    pub(super) content_scenes_path: Option<String>,
    pub(super) extra: Extras,
    /// RoboTHOR files are a bare list.
    pub(super) thor: Option<Vec<ThorEpisode>>,
}

pub(super) struct RawGroup {
    pub(super) key: String,
    pub(super) goals: Arc<Vec<ObjectGoal>>,
    pub(super) single: bool,
}

/// An episode whose object goals, if it carries any, are already shared with its neighbours: old
/// files repeat all goals in every episode.
pub(super) struct Slim {
    pub(super) raw: RawEpisode,
    pub(super) object_goals: Option<Arc<Vec<ObjectGoal>>>,
}

#[derive(Default)]
struct Sharing(BTreeMap<Identity, Vec<Arc<Vec<ObjectGoal>>>>);

impl Sharing {
    fn share(&mut self, goals: Vec<ObjectGoal>) -> Arc<Vec<ObjectGoal>> {
        let known = self.0.entry(object_goals_digest(&goals)).or_default();
        if let Some(same) = known.iter().find(|same| ***same == goals) {
            return Arc::clone(same);
        }
        let goals = Arc::new(goals);
        known.push(Arc::clone(&goals));
        goals
    }
}

struct Episodes;

impl<'de> DeserializeSeed<'de> for Episodes {
    type Value = Vec<Slim>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<Slim>, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Episodes {
    type Value = Vec<Slim>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of episodes")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<Slim>, A::Error> {
        let mut sharing = Sharing::default();
        let mut list = Vec::new();
        while let Some(Object(mut raw)) = seq.next_element::<Object<RawEpisode>>()? {
            let object_goals = raw.goals.iter().any(|goal| goal.is_object).then(|| {
                let goals = std::mem::take(&mut raw.goals);
                sharing.share(goals.into_iter().map(|goal| goal.goal).collect())
            });
            list.push(Slim { raw, object_goals });
        }
        Ok(list)
    }
}

/// `{key: [goal, …]}` or `{key: goal}`.
struct Groups;

impl<'de> DeserializeSeed<'de> for Groups {
    type Value = Vec<RawGroup>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<RawGroup>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Groups {
    type Value = Vec<RawGroup>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of goal lists")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vec<RawGroup>, A::Error> {
        let mut groups = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            let (goals, single) = map.next_value_seed(OneOrMany)?;
            let goals = goals.into_iter().map(|raw| raw.goal).collect();
            groups.push(RawGroup { key, goals: Arc::new(goals), single });
        }
        Ok(groups)
    }
}

struct OneOrMany;

impl<'de> DeserializeSeed<'de> for OneOrMany {
    type Value = (Vec<RawGoal>, bool);
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for OneOrMany {
    type Value = (Vec<RawGoal>, bool);
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a goal or a list of goals")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        Ok((ObjectList(PhantomData).visit_seq(seq)?, false))
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        let goal = super::fields::FieldsVisitor::<RawGoal>(PhantomData).visit_map(map)?;
        Ok((vec![goal], true))
    }
}

/// `{name: number}` in order.
struct Numbering;

impl<'de> DeserializeSeed<'de> for Numbering {
    type Value = Vec<(String, i64)>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Numbering {
    type Value = Vec<(String, i64)>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of category numbers")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(entry) = map.next_entry()? {
            list.push(entry);
        }
        Ok(list)
    }
}

impl Fields for RawFile {
    const WHAT: &'static str = "an episode file: an object with a list `episodes`";
    fn take<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error> {
        match key {
            "episodes" => self.episodes = Some(map.next_value_seed(Episodes)?),
            "goals_by_category" | "goals" => {
                self.groups.extend(map.next_value_seed(Groups)?);
                self.has_groups = true;
            }
            "category_to_task_category_id" => self.task_ids = map.next_value_seed(Numbering)?,
            ANNOTATION_KEY | OLD_ANNOTATION_KEY => {
                self.annotation_ids = map.next_value_seed(Numbering)?;
                self.annotation_key = key.to_owned();
            }
            "content_scenes_path" => self.content_scenes_path = map.next_value()?,
            _ => return Ok(false),
        }
        Ok(true)
    }
    fn extras(&mut self) -> &mut Extras {
        &mut self.extra
    }
}

/// Reads a whole file: Habitat's object or RoboTHOR's list.
pub(super) struct TopLevel;

impl<'de> DeserializeSeed<'de> for TopLevel {
    type Value = RawFile;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<RawFile, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for TopLevel {
    type Value = RawFile;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(RawFile::WHAT)
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RawFile, A::Error> {
        super::fields::FieldsVisitor(PhantomData).visit_map(map)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<RawFile, A::Error> {
        let mut thor = Vec::new();
        while let Some(Object(episode)) = seq.next_element::<Object<ThorEpisode>>()? {
            thor.push(episode);
        }
        Ok(RawFile { thor: Some(thor), ..RawFile::default() })
    }
}

impl RawFile {
    /// A JSON value of the wrong shape at the top (for a message about what was found).
    pub(super) fn keys_found(&self) -> String {
        let mut keys: Vec<&str> = self.extra.iter().map(|(key, _)| key).take(6).collect();
        if self.has_groups {
            keys.push("goals");
        }
        if keys.is_empty() { "it has no keys".into() } else { format!("it has {}", keys.join(", ")) }
    }
}
