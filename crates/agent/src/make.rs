use crate::astar::{AStarFactory, Kind};
use crate::exec::ExecFactory;
use crate::forward::ForwardFactory;
use crate::frontier::FrontierFactory;
use crate::greedy::GreedyFactory;
use crate::l3mvn::L3mvnFactory;
use crate::models::ModelOptions;
use crate::oracle::OracleFactory;
use crate::random::RandomFactory;
use crate::script::ScriptFactory;
use crate::vlfm::VlfmFactory;
use crate::{AgentError, PolicyFactory};
use ambler_model::edits;
use std::path::Path;

/// The agents that [`make_policy`] knows, as they are written at the command line.
pub const POLICY_NAMES: [&str; 11] = [
    "oracle",
    "greedy",
    "random",
    "forward",
    "frontier",
    "vlfm",
    "l3mvn",
    "random-astar",
    "semantic-astar",
    "script:FILE",
    "exec:COMMAND",
];

/// What the making of a policy can be told besides its name.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyOptions {
    /// `exec`: how long the program may take to start, and to begin an episode, seconds.
    pub start_limit_s: f64,
    /// `exec`: how long it may take for one action, seconds.
    pub step_limit_s: f64,
    /// What the agents that use models plug in.
    pub models: ModelOptions,
}

impl Default for PolicyOptions {
    fn default() -> Self {
        Self { start_limit_s: 60.0, step_limit_s: 30.0, models: ModelOptions::default() }
    }
}

/// The parts of [`ModelOptions`] that an agent uses: `detector`, `scorer`, `knowledge`, `language`,
/// `memory`, `approach`, `en_route`; none for agents without models.
pub fn models_of(agent: &str) -> &'static [&'static str] {
    match agent {
        "vlfm" => &["detector", "scorer", "knowledge", "approach"],
        "l3mvn" => &["detector", "knowledge", "language", "approach"],
        "random-astar" => &["detector", "memory", "approach", "en_route"],
        "semantic-astar" => &["detector", "knowledge", "language", "memory", "approach", "en_route"],
        _ => &[],
    }
}

/// The policy that a name stands for: one of [`POLICY_NAMES`], with a path or a command after the
/// colon where it takes one.
///
/// # Errors
/// [`AgentError`]: the name is unknown (with the most similar one), what follows it is missing, or
/// its file cannot be used.
pub fn make_policy(spec: &str, options: &PolicyOptions) -> Result<Box<dyn PolicyFactory>, AgentError> {
    let (name, rest) = spec.split_once(':').map_or((spec, None), |(name, rest)| (name, Some(rest)));
    let spec_error = |what: &str| AgentError::Spec { name: name.into(), what: what.into() };
    let takes_rest = matches!(name, "script" | "exec");
    let is_plain = !takes_rest && POLICY_NAMES.contains(&name);
    if rest.is_some() && is_plain {
        return Err(spec_error("nothing may follow its name"));
    }
    if takes_rest && rest.is_none_or(|rest| rest.trim().is_empty()) {
        return Err(spec_error(match name {
            "script" => "give the file of actions after a colon, as in script:walk.txt",
            _ => "give the command after a colon, as in exec:'python3 agent.py'",
        }));
    }
    Ok(match (name, rest) {
        ("oracle", None) => Box::new(OracleFactory),
        ("greedy", None) => Box::new(GreedyFactory),
        ("random", None) => Box::new(RandomFactory),
        ("forward", None) => Box::new(ForwardFactory),
        ("frontier", None) => Box::new(FrontierFactory),
        ("random-astar", None) => Box::new(AStarFactory::new(Kind::Random, &options.models)?),
        ("semantic-astar", None) => Box::new(AStarFactory::new(Kind::Semantic, &options.models)?),
        ("l3mvn", None) => Box::new(L3mvnFactory::new(&options.models)?),
        ("vlfm", None) => Box::new(VlfmFactory::new(&options.models)?),
        ("script", Some(file)) => Box::new(ScriptFactory::read(Path::new(file))?),
        ("exec", Some(command)) => Box::new(ExecFactory::new(command, options)),
        _ => return Err(AgentError::Unknown { name: name.into(), suggestion: most_similar(name) }),
    })
}

/// The known name that is at most two edits away.
fn most_similar(name: &str) -> Option<String> {
    let name = name.to_lowercase();
    POLICY_NAMES
        .iter()
        .map(|known| (edits(&name, known.split(':').next().unwrap_or(known)), *known))
        .filter(|(edits, _)| *edits <= 2)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, known)| known.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(spec: &str) -> String {
        make_policy(spec, &PolicyOptions::default()).map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let text = error("fronteer");
        assert!(text.contains("did you mean frontier?") && text.contains("exec:COMMAND"), "{text}");
        let text = error("gpt");
        assert!(!text.contains("did you mean") && text.contains("oracle, greedy"), "{text}");
        assert!(error("Oracel").contains("did you mean oracle?"));
    }

    #[test]
    fn what_follows_the_name_is_checked() {
        assert!(error("random:1").contains("nothing may follow"));
        assert!(error("script").contains("script:walk.txt"));
        assert!(error("exec: ").contains("exec:'python3"));
        assert!(error("script:no/such/file").contains("no/such/file"));
    }

    #[test]
    fn edit_distance() {
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("", "abc"), 3);
        assert_eq!(edits("same", "same"), 0);
    }
}
