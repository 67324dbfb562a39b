use crate::types::{Episode, ObjectGoal, PointGoal, Task};
use ambler_geometry::Vec3;
use std::fmt;
use std::fmt::Write as _;

/// What an episode *is*, whatever its file, its place in it or its id: blake3 of the canonical JSON
///
/// `{"category":…,"goals":…,"scene":…,"start":{"position":[…],"rotation":[…]},"task":…}`
///
/// with keys in this (sorted) order, no white space, numbers as the shortest decimal that reads
/// back as the same f32, `scene` the name as [`normalize_scene_id`] gives it, the rotation a unit
/// quaternion (x, y, z, w) of the sign that has its last non-zero component positive, and `goals`
/// the hex blake3 of the canonical JSON of the goals: `[[x,y,z],…]` for points,
/// `[{"position":[…],"view_points":[[…],…]},…]` for objects. `children`, `image` and `instruction`
/// stand in their sorted places where an episode has them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity(pub [u8; 32]);

impl Identity {
    /// The first 16 hex digits: enough to name an episode in a table.
    pub fn short(&self) -> String {
        self.to_string().chars().take(16).collect()
    }

    /// Reads 64 hex digits.
    pub fn from_hex(text: &str) -> Option<Self> {
        Some(Self(*blake3::Hash::from_hex(text).ok()?.as_bytes()))
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identity({self})")
    }
}

impl serde::Serialize for Identity {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Identity {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Self::from_hex(&text).ok_or_else(|| serde::de::Error::custom("64 hex digits expected"))
    }
}

/// A scene's name: forward slashes, none doubled, without what leads up to and including
/// `data/scene_datasets/` (Habitat's loader strips that prefix, and real files have `//`).
pub fn normalize_scene_id(scene_id: &str) -> String {
    let mut parts: Vec<&str> =
        scene_id.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".").collect();
    if let Some(at) = parts.windows(2).rposition(|pair| pair == ["data", "scene_datasets"]) {
        parts.drain(..at + 2);
    }
    parts.join("/")
}

/// The last part of a scene's name: what keys of `goals_by_category` begin with.
pub fn scene_basename(scene_id: &str) -> &str {
    scene_id.rsplit('/').next().unwrap_or(scene_id)
}

/// Canonical number: shortest decimal of the f32, no exponent, no negative zero.
fn number(out: &mut String, value: f32) {
    let value = if value == 0.0 { 0.0 } else { value };
    let _ = write!(out, "{value}");
}

fn numbers(out: &mut String, values: impl IntoIterator<Item = f32>) {
    out.push('[');
    for (index, value) in values.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        number(out, value);
    }
    out.push(']');
}

fn point(out: &mut String, p: Vec3) {
    numbers(out, p.to_array());
}

fn list<T>(out: &mut String, items: impl IntoIterator<Item = T>, mut write: impl FnMut(&mut String, T)) {
    out.push('[');
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(out, item);
    }
    out.push(']');
}

fn string(out: &mut String, text: &str) {
    // A string always serialises.
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}

/// Digest of point goals.
pub(crate) fn point_goals_digest(goals: &[PointGoal]) -> Identity {
    let mut text = String::new();
    list(&mut text, goals, |out, goal| point(out, goal.position));
    Identity(*blake3::hash(text.as_bytes()).as_bytes())
}

/// Digest of object goals; computed once for a group that many episodes share.
pub(crate) fn object_goals_digest(goals: &[ObjectGoal]) -> Identity {
    let mut text = String::new();
    list(&mut text, goals, |out, goal| {
        out.push_str("{\"position\":");
        point(out, goal.position);
        out.push_str(",\"view_points\":");
        list(out, &goal.view_points, |out, view| point(out, view.position));
        out.push('}');
    });
    Identity(*blake3::hash(text.as_bytes()).as_bytes())
}

/// Identity of an episode whose goals have the digest `goals` (children's digests in order).
pub(crate) fn episode_identity(episode: &Episode, goals: Identity, children: &[Identity]) -> Identity {
    let mut text = String::with_capacity(384);
    text.push_str("{\"category\":");
    string(&mut text, episode.category());
    if !children.is_empty() {
        text.push_str(",\"children\":");
        list(&mut text, children, |out, child| {
            let _ = write!(out, "\"{child}\"");
        });
    }
    let _ = write!(text, ",\"goals\":\"{goals}\"");
    if let Task::InstanceImageNav { image, .. } = &episode.task {
        let _ = write!(text, ",\"image\":{image}");
    }
    // Episodes of VLN-CE differ in nothing but what they are told.
    if let Some(instruction) = episode.instruction() {
        text.push_str(",\"instruction\":");
        string(&mut text, &instruction);
    }
    text.push_str(",\"scene\":");
    string(&mut text, &episode.scene_id);
    text.push_str(",\"start\":{\"position\":");
    point(&mut text, episode.start_position);
    text.push_str(",\"rotation\":");
    let rotation = episode.start_rotation.map(|value| value as f32);
    let negative = rotation.iter().rev().find(|value| **value != 0.0).is_some_and(|value| *value < 0.0);
    numbers(&mut text, rotation.map(|value| if negative { -value } else { value }));
    text.push_str("},\"task\":");
    string(&mut text, episode.task.name());
    text.push('}');
    Identity(*blake3::hash(text.as_bytes()).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scene_names_lose_prefixes_and_doubled_slashes() {
        let check = |from: &str, to: &str| assert_eq!(normalize_scene_id(from), to, "{from}");
        check("data/scene_datasets/gibson/Pablo.glb", "gibson/Pablo.glb");
        check("hm3d/val//00800-x/x.basis.glb", "hm3d/val/00800-x/x.basis.glb");
        check("/home/me/data/scene_datasets/mp3d/a/a.glb", "mp3d/a/a.glb");
        check("./room.glb", "room.glb");
        check("olddata/scene_datasets/a.glb", "olddata/scene_datasets/a.glb");
        check("", "");
    }

    #[test]
    fn numbers_are_shortest_f32_without_negative_zero() {
        let mut text = String::new();
        numbers(&mut text, [-0.0, 0.1, 1.0, 3.11338, 1e-7]);
        assert_eq!(text, "[0,0.1,1,3.11338,0.0000001]");
    }
}
