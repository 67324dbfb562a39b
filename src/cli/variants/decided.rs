//! What a person rejected of a folder of variants: `decisions.ron` in it.

use super::Manifest;
use crate::exit::Failure;
use ambler_episode::Episode;
use ambler_scene::library::{Decided, Decision, Decisions};
use std::path::Path;

/// Name of an episode in the file: its variant, its category, and what it is. An episode that is drawn anew
/// by other rules is another one, and undecided.
pub fn episode_name(episode: &Episode) -> String {
    format!("{}/{}/{}", episode.scene_id, episode.category(), episode.identity.short())
}

/// What was rejected.
pub struct Rejections {
    decisions: Decisions,
}

impl Rejections {
    /// Those of a folder; none where there is no file.
    pub fn read(folder: &Path) -> Result<Self, Failure> {
        let decisions = Decisions::read(folder).map_err(|error| Failure::Input(error.to_string()))?;
        Ok(Self { decisions })
    }

    /// Whether a variant is left out.
    pub fn variant(&self, name: &str) -> bool {
        self.decisions.rejects(Decided::Variants, name)
    }

    /// Whether an episode is left out.
    pub fn episode(&self, episode: &Episode) -> bool {
        self.decisions.rejects(Decided::Episodes, &episode_name(episode))
    }

    /// Names of the rejected variants that are there, in order.
    pub fn variants<'a>(&self, manifest: &'a Manifest) -> Vec<&'a str> {
        manifest.variants().filter(|name| self.variant(name)).collect()
    }

    /// Names of the rejected episodes, there or not, of the variants for which `of` says yes.
    pub fn episodes(&self, of: impl Fn(&str) -> bool) -> Vec<&str> {
        let rejected = self.decisions.episodes.iter().filter(|(_, it)| **it == Decision::Reject);
        let variant = |name: &str| name.split('/').next().unwrap_or("").to_owned();
        rejected.map(|(name, _)| name.as_str()).filter(|name| of(&variant(name))).collect()
    }

    /// Decisions about variants that are not there.
    pub fn about_nothing(&self, manifest: &Manifest) -> usize {
        let known = |name: &String| manifest.variants().any(|variant| variant == name);
        self.decisions.variants.keys().filter(|name| !known(name)).count()
    }
}
