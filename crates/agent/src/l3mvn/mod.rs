//! `l3mvn`: explores towards frontiers near which the things make its goal likely.
//!
//! After Yu et al., *L3MVN: Leveraging Large Language Models for Visual Target Navigation* (IROS 2023),
//! written anew. It keeps a map of obstacles, of what was explored and of the things that it saw. Every 25
//! steps it takes the largest frontiers near it, asks how likely its goal is among the things around each,
//! and goes to one; once it sees the goal it goes there. docs/AGENTS.md says where it departs from the
//! paper.

mod borders;
mod mind;
mod publish;
mod semantics;

use crate::layers::Publisher;
use crate::models::{ModelOptions, Models};
use crate::{
    AgentError, EpisodeContext, Needs, Observation, Policy, PolicyError, PolicyFactory, Privileged,
};
use ambler_body::Action;
use mind::Mind;

struct L3mvn(Mind);

impl Policy for L3mvn {
    fn name(&self) -> &str {
        "l3mvn"
    }

    fn needs(&self) -> Needs {
        self.0.models.needs()
    }

    fn reset(&mut self, episode: &EpisodeContext<'_>) -> Result<(), PolicyError> {
        self.0.begin(episode)
    }

    fn act(
        &mut self,
        observation: &Observation<'_>,
        _: &mut Privileged<'_>,
    ) -> Result<Action, PolicyError> {
        observation.must_have_depth()?;
        self.0.act(observation)
    }

    fn publish(&mut self, observation: &Observation<'_>, action: Action, to: &mut dyn Publisher) {
        self.0.publish(observation, action, to);
    }
}

pub(crate) struct L3mvnFactory(Models);

impl L3mvnFactory {
    pub(crate) fn new(options: &ModelOptions) -> Result<Self, AgentError> {
        Ok(Self(options.build("l3mvn")?))
    }
}

impl PolicyFactory for L3mvnFactory {
    fn name(&self) -> &str {
        "l3mvn"
    }

    fn needs(&self) -> Needs {
        self.0.needs()
    }

    fn identity(&self) -> String {
        let Models { detector, relevance, final_approach, .. } = &self.0;
        let approach = final_approach.unwrap_or(false);
        let (detector, relevance) = (detector.identity(), relevance.identity());
        format!("detector {detector}; relevance {relevance}; final approach {approach}")
    }

    fn create(&self) -> Result<Box<dyn Policy>, AgentError> {
        Ok(Box::new(L3mvn(Mind::new(self.0.clone()))))
    }
}
