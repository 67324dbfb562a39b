use crate::layers::Publisher;
use crate::{AgentError, EpisodeContext, Observation, PolicyError, Privileged};
use ambler_body::Action;
use serde::{Deserialize, Serialize};

/// What a policy needs to be given. What nobody needs is not rendered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Needs {
    /// Colour images of the cameras.
    pub rgb: bool,
    /// Depth images of the cameras.
    pub depth: bool,
    /// Instance images of the cameras.
    pub instance: bool,
    /// Category images of the cameras.
    pub category: bool,
    /// What the ground-truth detector sees in each camera.
    pub detections: bool,
    /// The navmesh, the true pose and the goal points ([`Privileged`]).
    pub privileged: bool,
}

impl Needs {
    /// Whether any camera has to be drawn.
    pub fn sensors(&self) -> bool {
        self.rgb || self.depth || self.instance || self.category || self.detections
    }
}

/// Decides the next action from what is observed. One policy serves one worker, episode after
/// episode; [`Policy::reset`] makes it forget the last one.
///
/// For one run seed and one episode the actions must be the same whatever ran before.
pub trait Policy: Send {
    /// The name that results carry, such as `frontier`.
    fn name(&self) -> &str;

    /// What it needs. Asked after each reset: it may be less than the factory announced.
    fn needs(&self) -> Needs;

    /// Begins an episode.
    ///
    /// # Errors
    /// When it cannot: the episode is recorded as failed with the reason, and the run goes on.
    fn reset(&mut self, episode: &EpisodeContext<'_>) -> Result<(), PolicyError>;

    /// The next action.
    ///
    /// # Errors
    /// When it has none: the episode ends, failed with the reason. The policy must be able to
    /// begin the next episode after that.
    fn act(
        &mut self,
        observation: &Observation<'_>,
        privileged: &mut Privileged<'_>,
    ) -> Result<Action, PolicyError>;

    /// Whether it will look at the images of the next observation. Asked after each action; where it says no,
    /// and nobody watches, they are not drawn and the observation comes without frames and detections.
    fn looks_next(&self) -> bool {
        true
    }

    /// Says what it thinks, after it decided on `action` from this observation. Called where
    /// somebody listens, so it must not change what the policy does later.
    fn publish(&mut self, _observation: &Observation<'_>, _action: Action, _to: &mut dyn Publisher) {}

    /// The lines that it wrote for people since this was last asked, such as what a program prints on
    /// its standard error. They are shown, and are part of no record: when they come is a matter of luck.
    fn said(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// Makes policies of one kind, one a worker.
pub trait PolicyFactory: Send + Sync {
    /// The name that results carry.
    fn name(&self) -> &str;

    /// The most its policies will need.
    fn needs(&self) -> Needs;

    /// What determines its answers besides seed and episode, for a run's manifest: the command of
    /// an external program, a hash of a script. Empty when there is nothing.
    fn identity(&self) -> String {
        String::new()
    }

    /// A policy for one worker.
    ///
    /// # Errors
    /// When none can be made at all.
    fn create(&self) -> Result<Box<dyn Policy>, AgentError>;
}
