use crate::{
    AgentError, EpisodeContext, Needs, Observation, Policy, PolicyError, PolicyFactory, Privileged,
};
use ambler_body::Action;
use ambler_geometry::Vec3;

/// Always moves forward. It stops within the success distance of a point goal, and once a step has
/// not moved it at all, since from then on nothing would change.
#[derive(Default)]
struct Forward {
    success_m: Option<f64>,
    last: Option<Vec3>,
}

impl Policy for Forward {
    fn name(&self) -> &str {
        "forward"
    }

    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn reset(&mut self, episode: &EpisodeContext<'_>) -> Result<(), PolicyError> {
        *self = Self { success_m: episode.point_success_m(), last: None };
        Ok(())
    }

    fn act(
        &mut self,
        observation: &Observation<'_>,
        _: &mut Privileged<'_>,
    ) -> Result<Action, PolicyError> {
        let there = match (self.success_m, observation.point_goal) {
            (Some(success_m), Some(goal)) => goal.rho < success_m,
            _ => false,
        };
        let stuck = self.last == Some(observation.position);
        self.last = Some(observation.position);
        Ok(if there || stuck { Action::Stop } else { Action::MoveForward })
    }
}

pub(crate) struct ForwardFactory;

impl PolicyFactory for ForwardFactory {
    fn name(&self) -> &str {
        "forward"
    }

    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn create(&self) -> Result<Box<dyn Policy>, AgentError> {
        Ok(Box::<Forward>::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Goal;
    use ambler_body::BodyPreset;
    use ambler_geometry::{Heading, Pose};

    #[test]
    fn it_walks_until_it_is_stuck() {
        let body = BodyPreset::named("stretch").unwrap();
        let goal = Goal::Object { category: "chair".into(), also: vec![] };
        let mut policy = ForwardFactory.create().unwrap();
        policy.reset(&EpisodeContext::new(&body, &goal)).unwrap();
        let at = |z| Pose { position: Vec3::new(0.0, 0.0, z), heading: Heading::from_yaw(0.0) };
        let mut made = Vec::new();
        for z in [0.0, -0.25, -0.4, -0.4] {
            let seen = Observation::at(&at(0.0), &at(z));
            made.push(policy.act(&seen, &mut Privileged::none()).unwrap());
        }
        assert_eq!(made[..3], [Action::MoveForward; 3]);
        assert_eq!(made[3], Action::Stop);
    }
}
