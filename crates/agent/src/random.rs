use crate::{
    AgentError, EpisodeContext, Needs, Observation, Policy, PolicyError, PolicyFactory, Privileged,
};
use ambler_body::Action;
use ambler_geometry::random::Stream;

/// How often it claims, blindly, to have found an object: once in 100 steps, so that its walks are
/// about as long as those of agents that search.
const BLIND_STOP: f64 = 0.01;

/// Habitat's random agent: forward, left and right with equal chances.
///
/// It stops within the success distance of a point goal, which its observation gives. An object
/// goal it cannot see, so there it stops blindly with a chance of 1 % a step.
struct Random {
    stream: Stream,
    success_m: Option<f64>,
}

impl Policy for Random {
    fn name(&self) -> &str {
        "random"
    }

    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn reset(&mut self, episode: &EpisodeContext<'_>) -> Result<(), PolicyError> {
        self.stream = episode.stream("random");
        self.success_m = episode.point_success_m();
        Ok(())
    }

    fn act(
        &mut self,
        observation: &Observation<'_>,
        _: &mut Privileged<'_>,
    ) -> Result<Action, PolicyError> {
        let stop = match (self.success_m, observation.point_goal) {
            (Some(success_m), Some(goal)) => goal.rho < success_m,
            _ => self.stream.uniform() < BLIND_STOP,
        };
        Ok(if stop {
            Action::Stop
        } else {
            [Action::MoveForward, Action::TurnLeft, Action::TurnRight][self.stream.index(3)]
        })
    }
}

pub(crate) struct RandomFactory;

impl PolicyFactory for RandomFactory {
    fn name(&self) -> &str {
        "random"
    }

    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn create(&self) -> Result<Box<dyn Policy>, AgentError> {
        Ok(Box::new(Random { stream: Stream::new(0, "", "policy random"), success_m: None }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Goal;
    use ambler_body::BodyPreset;
    use ambler_geometry::{Heading, Pose, Vec3};

    fn actions(identity: &str, seed: u64, policy: &mut dyn Policy) -> Vec<Action> {
        let body = BodyPreset::named("stretch").unwrap();
        let goal = Goal::Point { success_distance_m: 0.2 };
        let context = EpisodeContext { run_seed: seed, identity, ..EpisodeContext::new(&body, &goal) };
        policy.reset(&context).unwrap();
        let at = Pose { position: Vec3::ZERO, heading: Heading::from_yaw(0.0) };
        let seen = Observation::at(&at, &at).with_point_goal(Vec3::new(9.0, 0.0, 0.0));
        (0..300).map(|_| policy.act(&seen, &mut Privileged::none()).unwrap()).collect()
    }

    #[test]
    fn an_episode_is_the_same_alone_and_after_others() {
        let mut fresh = RandomFactory.create().unwrap();
        let mut used = RandomFactory.create().unwrap();
        actions("b", 1, used.as_mut());
        assert_eq!(actions("a", 1, fresh.as_mut()), actions("a", 1, used.as_mut()));
        assert_ne!(actions("a", 1, fresh.as_mut()), actions("a", 2, used.as_mut()));
        let counts = actions("a", 1, fresh.as_mut());
        for action in [Action::MoveForward, Action::TurnLeft, Action::TurnRight] {
            let share = counts.iter().filter(|&&a| a == action).count();
            assert!((60..140).contains(&share), "{action}: {share} of 300");
        }
    }

    #[test]
    fn it_stops_at_a_point_goal_and_sometimes_blindly() {
        let body = BodyPreset::named("stretch").unwrap();
        let at = Pose { position: Vec3::ZERO, heading: Heading::from_yaw(0.0) };
        let mut policy = RandomFactory.create().unwrap();
        let goal = Goal::Point { success_distance_m: 0.2 };
        policy.reset(&EpisodeContext::new(&body, &goal)).unwrap();
        let near = Observation::at(&at, &at).with_point_goal(Vec3::new(0.1, 0.0, 0.0));
        assert_eq!(policy.act(&near, &mut Privileged::none()), Ok(Action::Stop));
        let goal = Goal::Object { category: "chair".into(), also: vec![] };
        policy.reset(&EpisodeContext::new(&body, &goal)).unwrap();
        let blind = Observation::at(&at, &at);
        let stops = (0..10_000)
            .filter(|_| policy.act(&blind, &mut Privileged::none()) == Ok(Action::Stop))
            .count();
        assert!((60..150).contains(&stops), "{stops} of 10,000");
    }
}
