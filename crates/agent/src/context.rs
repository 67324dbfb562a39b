use ambler_body::BodyPreset;
use ambler_geometry::Pose;
use ambler_geometry::random::Stream;
use ambler_model::SceneMemory;
use ambler_sensor::CameraSpec;
use std::fmt;
use std::sync::Arc;

/// What an episode asks for, as far as a policy may know before it begins.
#[derive(Clone, Debug, PartialEq)]
pub enum Goal {
    /// Go to the point that each observation gives in polar form.
    Point {
        /// Within this distance the goal counts as reached, metres.
        success_distance_m: f64,
    },
    /// Find a thing of a category.
    Object {
        /// Name of the category, as in the episode.
        category: String,
        /// Names that count as this category (children in an open vocabulary); may be empty.
        also: Vec<String>,
    },
}

/// What a policy that knows the home is told of it.
#[derive(Clone, Debug)]
pub struct KnownHome {
    /// What it remembers, made of the base scene.
    pub memory: Arc<SceneMemory>,
    /// Where it starts, world: it finds itself in what it remembers.
    pub start: Pose,
}

/// Recalls a home: asked only by policies that know homes, since the first time takes a while.
#[derive(Clone, Copy)]
pub struct Recall<'a>(pub &'a dyn Fn() -> Result<KnownHome, String>);

impl fmt::Debug for Recall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Recall")
    }
}

/// What a policy is told when an episode begins.
#[derive(Clone, Copy, Debug)]
pub struct EpisodeContext<'a> {
    /// Seed of the run.
    pub run_seed: u64,
    /// Identity of the episode: hexadecimal, unique over scenes.
    pub identity: &'a str,
    /// The episode's id in its file; repeats across scenes.
    pub episode_id: &'a str,
    /// The scene, as the episode names it.
    pub scene_id: &'a str,
    /// What to reach.
    pub goal: &'a Goal,
    /// Cameras on the body, in the order of an observation's frames.
    pub cameras: &'a [CameraSpec],
    /// Names of the categories that detections and category images refer to by index.
    pub categories: &'a [String],
    /// The body and how it moves.
    pub body: &'a BodyPreset,
    /// Most actions in the episode.
    pub step_limit: u32,
    /// What can be known of the home from earlier visits; `None` where nobody explored it.
    pub home: Option<Recall<'a>>,
}

impl<'a> EpisodeContext<'a> {
    /// A context with seed 0, no cameras, no names and 500 steps; set the public fields for more.
    pub fn new(body: &'a BodyPreset, goal: &'a Goal) -> Self {
        Self {
            run_seed: 0,
            identity: "",
            episode_id: "",
            scene_id: "",
            goal,
            cameras: &[],
            categories: &[],
            body,
            step_limit: 500,
            home: None,
        }
    }

    /// The random stream of a policy in this episode: a function of run seed, episode identity and
    /// policy name alone.
    pub fn stream(&self, policy: &str) -> Stream {
        Stream::new(self.run_seed, self.identity, &format!("policy {policy}"))
    }

    /// Distance within which a point goal counts as reached; `None` for object goals.
    pub fn point_success_m(&self) -> Option<f64> {
        match self.goal {
            Goal::Point { success_distance_m } => Some(*success_distance_m),
            Goal::Object { .. } => None,
        }
    }

    /// Indices into [`EpisodeContext::categories`] that count as the object goal: equal names, or
    /// names that differ only in case, spaces, hyphens and underscores. Empty for point goals.
    pub fn goal_categories(&self) -> Vec<u32> {
        let Goal::Object { category, also } = self.goal else { return Vec::new() };
        let plain = |name: &str| -> String {
            name.chars().filter(|c| !matches!(c, ' ' | '_' | '-')).flat_map(char::to_lowercase).collect()
        };
        let wanted: Vec<String> = std::iter::once(category).chain(also).map(|n| plain(n)).collect();
        (1u32..)
            .zip(self.categories.iter().skip(1))
            .filter(|(_, name)| wanted.contains(&plain(name)))
            .map(|(index, _)| index)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goal_names_match_loosely_and_never_the_empty_category() {
        let body = BodyPreset::named("stretch").unwrap();
        let goal = Goal::Object { category: "tv_monitor".into(), also: vec!["wall tv".into()] };
        let categories: Vec<String> = ["", "TV monitor", "couch", "wall_tv"].map(String::from).to_vec();
        let context = EpisodeContext { categories: &categories, ..EpisodeContext::new(&body, &goal) };
        assert_eq!(context.goal_categories(), [1, 3]);
        let nameless = Goal::Object { category: String::new(), also: vec![] };
        let context = EpisodeContext { goal: &nameless, ..context };
        assert!(context.goal_categories().is_empty());
    }
}
