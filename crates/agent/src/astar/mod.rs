//! `random-astar` and `semantic-astar`: they know the home, but not where things are in it now.
//!
//! SD-OVON's baselines (Algorithms 3 and 4). What they remember ([`SceneMemory`]) is made of the base
//! scene: surfaces that hold things, places to look at them from, where one can walk. In an episode they
//! go from surface to surface, in an order drawn at random or by falling chance of the goal there, look,
//! and go to the goal once they see it.
//!
//! [`SceneMemory`]: ambler_model::SceneMemory

mod mind;
mod publish;
mod remember;
mod tour;

pub use remember::{PlaneSeed, base_scene, plane_seeds, remember};

use crate::layers::Publisher;
use crate::models::{ModelOptions, Models};
use crate::{
    AgentError, EpisodeContext, Needs, Observation, Policy, PolicyError, PolicyFactory, Privileged,
};
use ambler_body::Action;
pub(crate) use mind::Kind;
use mind::Mind;

struct AStar(Mind);

impl Policy for AStar {
    fn name(&self) -> &str {
        self.0.kind.name()
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
        if self.0.looks() {
            observation.must_have_depth()?;
        }
        self.0.act(observation)
    }

    fn looks_next(&self) -> bool {
        self.0.looks()
    }

    fn publish(&mut self, observation: &Observation<'_>, action: Action, to: &mut dyn Publisher) {
        self.0.publish(observation, action, to);
    }
}

pub(crate) struct AStarFactory {
    kind: Kind,
    models: Models,
}

impl AStarFactory {
    pub(crate) fn new(kind: Kind, options: &ModelOptions) -> Result<Self, AgentError> {
        Ok(Self { kind, models: options.build(kind.name())? })
    }
}

impl PolicyFactory for AStarFactory {
    fn name(&self) -> &str {
        self.kind.name()
    }

    fn needs(&self) -> Needs {
        self.models.needs()
    }

    fn identity(&self) -> String {
        let Models { detector, relevance, final_approach, detect_en_route, memory, .. } = &self.models;
        let order = match self.kind {
            Kind::Random => String::new(),
            Kind::Semantic => format!("; relevance {}", relevance.identity()),
        };
        format!(
            "memory of {}; detector {}{order}; final approach {}; detects en route {}",
            memory.as_deref().unwrap_or("the base scene"),
            detector.identity(),
            final_approach.unwrap_or(true),
            detect_en_route,
        )
    }

    fn create(&self) -> Result<Box<dyn Policy>, AgentError> {
        Ok(Box::new(AStar(Mind::new(self.kind, self.models.clone()))))
    }
}
