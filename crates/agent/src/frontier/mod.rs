//! `frontier`: maps the floor from depth images, explores, and goes to the goal once it knows where
//! it is. Unprivileged: it knows its depth images, GPS and compass, and what the detector names.
//!
//! It keeps a grid of the floor plane around the start: floor seen, obstacles between the body's
//! climb and its height, steps that were blocked. Object goals: it looks around twice, level and
//! down, then goes to the border between known and unknown floor that costs least, until the
//! detector shows the goal; it then walks to the nearest place within reach of the goal's visible
//! surface, faces it, and stops when it sees it. Point goals: it walks along the cheapest way, the
//! unknown counted as passable but dear.
//!
//! One storey at a time: floor higher or lower than a climb from where the body stands counts as an
//! obstacle.

mod act;
mod aim;
mod publish;

use crate::layers::Publisher;
use crate::{
    AgentError, EpisodeContext, Needs, Observation, Policy, PolicyError, PolicyFactory, Privileged,
};
use act::Explorer;
use ambler_body::Action;

/// The policy: an [`Explorer`] that is made anew for every episode but keeps its memory blocks.
struct Frontier(Explorer);

const NEEDS: Needs = Needs {
    rgb: false,
    depth: true,
    instance: true,
    category: false,
    detections: true,
    privileged: false,
};

impl Policy for Frontier {
    fn name(&self) -> &str {
        "frontier"
    }

    fn needs(&self) -> Needs {
        if self.0.seeks_object() { NEEDS } else { Needs { depth: true, ..Needs::default() } }
    }

    fn reset(&mut self, episode: &EpisodeContext<'_>) -> Result<(), PolicyError> {
        self.0.begin(episode);
        Ok(())
    }

    fn act(
        &mut self,
        observation: &Observation<'_>,
        _: &mut Privileged<'_>,
    ) -> Result<Action, PolicyError> {
        observation.must_have_depth()?;
        Ok(self.0.act(observation))
    }

    fn publish(&mut self, observation: &Observation<'_>, action: Action, to: &mut dyn Publisher) {
        self.0.publish(observation, action, to);
    }
}

pub(crate) struct FrontierFactory;

impl PolicyFactory for FrontierFactory {
    fn name(&self) -> &str {
        "frontier"
    }

    fn needs(&self) -> Needs {
        NEEDS
    }

    fn create(&self) -> Result<Box<dyn Policy>, AgentError> {
        Ok(Box::new(Frontier(Explorer::new())))
    }
}
