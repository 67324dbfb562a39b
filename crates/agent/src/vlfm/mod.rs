//! `vlfm`: explores towards what looks like a place for its goal.
//!
//! After Yokoyama et al., *VLFM: Vision-Language Frontier Maps for Zero-Shot Semantic Navigation*
//! (ICRA 2024), written anew. A score says how well each image fits the goal; it is painted on the cone
//! that the camera sees, averaged by confidence. The agent looks around once, then goes to the frontier
//! (the border between explored and unexplored floor) with the greatest value; once its detector shows
//! the goal it goes there. docs/AGENTS.md says where it departs from the paper.

mod borders;
mod choice;
mod cloud;
mod mind;
mod publish;
mod value;

use crate::layers::Publisher;
use crate::models::{ModelOptions, Models};
use crate::{
    AgentError, EpisodeContext, Needs, Observation, Policy, PolicyError, PolicyFactory, Privileged,
};
use ambler_body::Action;
use mind::Mind;

struct Vlfm(Mind);

fn needs(models: &Models) -> Needs {
    let seeing = models.needs();
    Needs { rgb: seeing.rgb || models.scorer.needs_rgb(), ..seeing }
}

impl Policy for Vlfm {
    fn name(&self) -> &str {
        "vlfm"
    }

    fn needs(&self) -> Needs {
        needs(&self.0.models)
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

pub(crate) struct VlfmFactory(Models);

impl VlfmFactory {
    pub(crate) fn new(options: &ModelOptions) -> Result<Self, AgentError> {
        Ok(Self(options.build("vlfm")?))
    }
}

impl PolicyFactory for VlfmFactory {
    fn name(&self) -> &str {
        "vlfm"
    }

    fn needs(&self) -> Needs {
        needs(&self.0)
    }

    fn identity(&self) -> String {
        let Models { detector, scorer, final_approach, .. } = &self.0;
        let approach = final_approach.unwrap_or(false);
        format!(
            "detector {}; scorer {}; final approach {approach}",
            detector.identity(),
            scorer.identity()
        )
    }

    fn create(&self) -> Result<Box<dyn Policy>, AgentError> {
        Ok(Box::new(Vlfm(Mind::new(self.0.clone()))))
    }
}
