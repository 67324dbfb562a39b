//! Which episodes are run: the set's list, filtered.

use std::collections::BTreeSet;
use std::path::Path;
use std::str::FromStr;

use ambler_geometry::random::Stream;

use crate::error::EvaluateError;

/// One episode to run, named without holding it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanEntry {
    /// Position in the set, from 0, before any filter.
    pub index: u64,
    /// The set's own id; it may repeat across scenes.
    pub episode_id: String,
    /// Content identity: lower-case hex.
    pub identity: String,
    /// The scene as the set names it.
    pub scene: String,
    /// `pointnav`, `objectnav`, ….
    pub task: String,
    /// Category of the goal; empty where the task has none.
    pub category: String,
}

impl PlanEntry {
    pub(crate) fn key(&self) -> (u64, &str) {
        (self.index, &self.identity)
    }
}

/// The episodes of a run, in the order of their set. Results are written in this order, whatever
/// the order in which they were run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    entries: Vec<PlanEntry>,
}

impl Plan {
    /// The episodes of `all` (in the order of the set) that `selection` keeps.
    ///
    /// # Errors
    /// [`EvaluateError::Selection`] when a named episode does not exist or nothing is left; the
    /// message lists the values that exist.
    pub fn select(mut all: Vec<PlanEntry>, selection: &Selection) -> Result<Self, EvaluateError> {
        if all.is_empty() {
            return Err(EvaluateError::selection(
                "the episode set holds no episode",
                "name a file or folder with episodes",
            ));
        }
        if !selection.episodes.is_empty() {
            for wanted in &selection.episodes {
                if !all.iter().any(|entry| entry_is(entry, wanted)) {
                    return Err(EvaluateError::selection(
                        format!("no episode '{wanted}' among {}", all.len()),
                        format!("there are {}", some_values(&all, |entry| &entry.episode_id)),
                    ));
                }
            }
            all.retain(|entry| selection.episodes.iter().any(|wanted| entry_is(entry, wanted)));
        }
        for condition in &selection.conditions {
            let values = some_values(&all, |entry| condition.key.of(entry));
            all.retain(|entry| condition.holds(entry));
            if all.is_empty() {
                return Err(EvaluateError::selection(
                    format!("no episode is left by --where {condition}"),
                    format!("values of {}: {values}", condition.key.as_str()),
                ));
            }
        }
        if let Some(limit) = selection.limit
            && limit < all.len()
        {
            if limit == 0 {
                return Err(EvaluateError::selection(
                    "--limit 0 leaves no episode",
                    "ask for one or more",
                ));
            }
            if let Some(seed) = selection.sample_seed {
                Stream::new(seed, "plan", "sample").shuffle(&mut all);
            }
            all.truncate(limit);
            all.sort_by_key(|entry| entry.index);
        }
        Ok(Self { entries: all })
    }

    /// All entries, in the order of the set.
    pub fn entries(&self) -> &[PlanEntry] {
        &self.entries
    }

    /// Number of episodes.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Never true: a plan without an episode is an error.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// blake3 over positions and identities of the episodes, hex: enters the manifest, so that a
    /// run folder belongs to one selection.
    pub fn fingerprint(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"ambler plan 1");
        for entry in &self.entries {
            hasher.update(&entry.index.to_le_bytes());
            hasher.update(&(entry.identity.len() as u64).to_le_bytes());
            hasher.update(entry.identity.as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }
}

/// Which episodes of a set to run. All parts must agree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Ids, or at least eight first digits of identities; empty: all.
    pub episodes: Vec<String>,
    /// All must hold.
    pub conditions: Vec<Condition>,
    /// At most so many, after the filters.
    pub limit: Option<usize>,
    /// With a limit: draw the episodes with this seed, instead of taking the first.
    pub sample_seed: Option<u64>,
}

/// What a condition looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Category of the goal.
    Category,
    /// The scene: its name in the set, or the last part of it, with or without extension.
    Scene,
    /// The task.
    Task,
    /// The set's id.
    EpisodeId,
}

impl Key {
    const ALL: [Self; 4] = [Self::Category, Self::Scene, Self::Task, Self::EpisodeId];

    fn as_str(self) -> &'static str {
        match self {
            Self::Category => "category",
            Self::Scene => "scene",
            Self::Task => "task",
            Self::EpisodeId => "episode_id",
        }
    }

    fn of(self, entry: &PlanEntry) -> &str {
        match self {
            Self::Category => &entry.category,
            Self::Scene => &entry.scene,
            Self::Task => &entry.task,
            Self::EpisodeId => &entry.episode_id,
        }
    }
}

/// `key=value` or `key!=value`; alternatives are separated by `|`.
///
/// ```
/// use ambler_evaluate::Condition;
/// let condition: Condition = "category!=chair|bed".parse()?;
/// assert_eq!(condition.to_string(), "category!=chair|bed");
/// # Ok::<(), ambler_evaluate::EvaluateError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// What is looked at.
    pub key: Key,
    /// `=` (true) or `!=`.
    pub equal: bool,
    /// Any of these.
    pub values: Vec<String>,
}

impl Condition {
    /// Whether `entry` fulfils it.
    pub fn holds(&self, entry: &PlanEntry) -> bool {
        let found = self.key.of(entry);
        let is =
            |wanted: &String| found == wanted || (self.key == Key::Scene && scene_is(found, wanted));
        self.values.iter().any(is) == self.equal
    }
}

impl FromStr for Condition {
    type Err = EvaluateError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let example = "write it as category=chair, scene!=hall or task=objectnav";
        let Some((key, value)) = text.split_once('=') else {
            return Err(EvaluateError::selection(format!("--where {text}: no '='"), example));
        };
        let (key, equal) = match key.strip_suffix('!') {
            Some(key) => (key.trim(), false),
            None => (key.trim(), true),
        };
        let Some(key) = Key::ALL.into_iter().find(|known| known.as_str() == key) else {
            let known: Vec<&str> = Key::ALL.iter().map(|key| key.as_str()).collect();
            return Err(EvaluateError::selection(
                format!("--where {text}: unknown key '{key}'"),
                format!("known keys: {}", known.join(", ")),
            ));
        };
        let values = value.split('|').map(|value| value.trim().to_owned()).collect();
        Ok(Self { key, equal, values })
    }
}

impl std::fmt::Display for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.equal { "=" } else { "!=" };
        write!(f, "{}{sign}{}", self.key.as_str(), self.values.join("|"))
    }
}

fn entry_is(entry: &PlanEntry, wanted: &str) -> bool {
    entry.episode_id == wanted || (wanted.len() >= 8 && entry.identity.starts_with(wanted))
}

fn scene_is(scene: &str, wanted: &str) -> bool {
    let path = Path::new(scene);
    let name = path.file_name().and_then(|name| name.to_str());
    // `room.basis.glb` is also known as `room`.
    let stem = name.and_then(|name| name.split('.').next());
    name == Some(wanted) || stem == Some(wanted)
}

/// A few of the distinct values, for a message.
fn some_values<'a>(entries: &'a [PlanEntry], value: impl Fn(&'a PlanEntry) -> &'a str) -> String {
    const SHOWN: usize = 12;
    let distinct: BTreeSet<&str> = entries.iter().map(value).collect();
    let mut text = distinct
        .iter()
        .take(SHOWN)
        .map(|value| if value.is_empty() { "(none)" } else { value })
        .collect::<Vec<_>>()
        .join(", ");
    if distinct.len() > SHOWN {
        text += &format!(" and {} more", distinct.len() - SHOWN);
    }
    text
}
