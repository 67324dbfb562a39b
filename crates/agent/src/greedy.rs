use crate::layers::Publisher;
use crate::oracle::{look, publish_state, publish_way, ready};
use crate::{
    AgentError, EpisodeContext, Needs, Observation, Policy, PolicyError, PolicyFactory, Privileged,
};
use ambler_body::{Action, GreedyFollower, GreedySettings, Locomotion};
use ambler_geometry::Vec3;

/// Privileged: Habitat's greedy geodesic follower, to the goal that is nearest on the navmesh when
/// the episode begins.
///
/// Its goal radius is Habitat's 0.75 of a forward step where that still succeeds, else the success
/// distance: it stops only where a stop counts.
#[derive(Default)]
struct Greedy {
    body: Option<Locomotion>,
    walk: Option<(GreedyFollower, Vec3)>,
    /// The shortest path to the goal from where it began, world; told to who listens.
    path: Vec<Vec3>,
}

impl Policy for Greedy {
    fn name(&self) -> &str {
        "greedy"
    }

    fn needs(&self) -> Needs {
        Needs { privileged: true, ..Needs::default() }
    }

    fn reset(&mut self, episode: &EpisodeContext<'_>) -> Result<(), PolicyError> {
        *self = Self { body: Some(Locomotion::from(episode.body)), ..Self::default() };
        Ok(())
    }

    fn act(
        &mut self,
        _: &Observation<'_>,
        privileged: &mut Privileged<'_>,
    ) -> Result<Action, PolicyError> {
        let view = look(privileged)?;
        let body = ready(self.body, view)?;
        let failed = |why: &dyn std::fmt::Display| PolicyError::failed(why.to_string());
        if self.walk.is_none() {
            let (path, nearest) =
                view.navmesh.find_path_multi(view.pose.position, view.goals).map_err(|e| failed(&e))?;
            let goal = view.goals.get(nearest).copied().ok_or_else(|| failed(&"there are no goals"))?;
            let settings = GreedySettings {
                goal_radius_m: (0.75 * body.forward_m).min(view.success_distance_m as f32),
                fix_thrashing: true,
            };
            self.walk = Some((GreedyFollower::new(settings), goal));
            self.path = path.points;
        }
        let Some((follower, goal)) = &mut self.walk else { return Ok(Action::Stop) };
        follower.next(view.pose, *goal, &body, view.navmesh).map_err(|e| failed(&e))
    }

    fn publish(&mut self, _: &Observation<'_>, action: Action, to: &mut dyn Publisher) {
        publish_way(to, "greedy", &self.path, self.walk.as_ref().map(|&(_, goal)| goal));
        let text = if action == Action::Stop { "stops: it is at the goal" } else { "follows the path" };
        publish_state(to, "greedy", text.to_owned());
    }
}

pub(crate) struct GreedyFactory;

impl PolicyFactory for GreedyFactory {
    fn name(&self) -> &str {
        "greedy"
    }

    fn needs(&self) -> Needs {
        Greedy::default().needs()
    }

    fn create(&self) -> Result<Box<dyn Policy>, AgentError> {
        Ok(Box::<Greedy>::default())
    }
}
