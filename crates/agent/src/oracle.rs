use crate::layers::{
    Frame, Layer, Lifetime, Line, PathRole, Paths, Points, Publisher, Role, Schema, Text,
};
use crate::{
    AgentError, EpisodeContext, Needs, Observation, Policy, PolicyError, PolicyFactory, Privileged,
    PrivilegedView,
};
use ambler_body::{Action, BodyState, FollowError, Locomotion, OptimalFollower, OptimalSettings};
use ambler_geometry::{Pose, Vec3};
use ambler_navmesh::{DistanceField, NavQuery, NavReason};

/// A body that is further than this from where its plan has it plans anew, metres.
const ASTRAY_M: f32 = 1e-3;

/// Privileged: plans the shortest sequence of actions on the true navmesh and plays it.
#[derive(Default)]
struct Oracle {
    body: Option<Locomotion>,
    /// Actions yet to be made, the next one last.
    plan: Vec<Action>,
    expected: Option<BodyState>,
    /// Where the plan leads, world; told to who listens.
    route: Vec<Vec3>,
}

impl Policy for Oracle {
    fn name(&self) -> &str {
        "oracle"
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
        let on_plan = self.expected.is_some_and(|expected| same_place(expected.pose, view.pose));
        if !on_plan {
            self.plan = plan(view, &body)?;
            self.route = route(view, &body, &self.plan);
            self.plan.reverse();
        }
        let action = self.plan.pop().unwrap_or(Action::Stop);
        let mut expected = BodyState::at(view.pose);
        body.apply(&mut expected, action, view.navmesh);
        self.expected = Some(expected);
        Ok(action)
    }

    fn publish(&mut self, _: &Observation<'_>, action: Action, to: &mut dyn Publisher) {
        publish_way(to, "oracle", &self.route, self.route.last().copied());
        let left = self.plan.iter().filter(|&&action| action != Action::Stop).count();
        let text = match action {
            Action::Stop => "stops: the plan is done".to_owned(),
            action => {
                format!("{}; {left} actions left", action.name().replace('_', " "))
            }
        };
        publish_state(to, "oracle", text);
    }
}

/// The way a privileged agent wants to take, and where it ends.
pub(crate) fn publish_way(to: &mut dyn Publisher, agent: &str, way: &[Vec3], goal: Option<Vec3>) {
    let (plan, target) = (format!("agent/{agent}/plan"), format!("agent/{agent}/target"));
    let schema = |title: &str, help: &str, role, order| Schema {
        title: title.to_owned(),
        help: help.to_owned(),
        role,
        privileged: true,
        order,
        ..Schema::default()
    };
    to.declare(&plan, schema("Plan", "The way it wants to take on the true navmesh.", Role::Plan, 10));
    to.declare(&target, schema("Target", "Where its plan ends.", Role::Goal, 11));
    let lines = vec![Line { positions: way.to_vec(), chosen: true, ..Line::default() }];
    let layer = Layer::Paths(Paths { lines, role: PathRole::Plan, closed: false });
    to.publish(&plan, Lifetime::UntilReplaced, Frame::World, layer);
    if let Some(goal) = goal {
        let layer = Layer::Points(Points { positions: vec![goal], ..Points::default() });
        to.publish(&target, Lifetime::UntilReplaced, Frame::World, layer);
    }
}

/// What an agent is doing, in words.
pub(crate) fn publish_state(to: &mut dyn Publisher, agent: &str, text: String) {
    let path = format!("agent/{agent}/state");
    to.declare(
        &path,
        Schema {
            title: "State".to_owned(),
            help: "What it is doing.".to_owned(),
            role: Role::State,
            order: 0,
            ..Schema::default()
        },
    );
    to.publish(&path, Lifetime::UntilReplaced, Frame::Body, Layer::Text(Text::plain(text)));
}

/// The positions that a plan leads through.
fn route(view: &mut PrivilegedView<'_>, body: &Locomotion, plan: &[Action]) -> Vec<Vec3> {
    let mut state = BodyState::at(view.pose);
    let mut route = vec![view.pose.position];
    for &action in plan {
        body.apply(&mut state, action, view.navmesh);
        if action == Action::MoveForward {
            route.push(state.pose.position);
        }
    }
    route
}

fn same_place(expected: Pose, found: Pose) -> bool {
    expected.position.distance(found.position) < ASTRAY_M
        && (expected.heading.forward() - found.heading.forward()).length() < ASTRAY_M
}

/// The whole walk, `Stop` last.
fn plan(view: &mut PrivilegedView<'_>, body: &Locomotion) -> Result<Vec<Action>, PolicyError> {
    let success_m = view.success_distance_m as f32;
    let follower = OptimalFollower::new(OptimalSettings::within(success_m));
    let field = DistanceField::new(view.navmesh.mesh(), view.goals)
        .map_err(|reason| PolicyError::failed(FollowError::from(reason).to_string()))?;
    let goals = view.navmesh.prepare_goals(view.goals);
    let mut distance = |navmesh: &mut NavQuery, at: Vec3| -> Result<f32, NavReason> {
        Ok(navmesh.geodesic_to(&goals, at)?.0)
    };
    follower
        .plan(view.pose, body, view.navmesh, &field, &mut distance)
        .map_err(|error| PolicyError::failed(error.to_string()))
}

/// The privileged view, or why there is none.
pub(crate) fn look<'p, 'a>(
    privileged: &'p mut Privileged<'a>,
) -> Result<&'p mut PrivilegedView<'a>, PolicyError> {
    privileged.view().ok_or_else(|| {
        PolicyError::failed("this agent needs the navmesh and the goal, and it was given neither")
    })
}

/// The locomotion of the episode's body, sliding as the run has it.
pub(crate) fn ready(
    body: Option<Locomotion>,
    view: &PrivilegedView<'_>,
) -> Result<Locomotion, PolicyError> {
    let body = body.ok_or_else(|| PolicyError::failed("the episode was not begun"))?;
    Ok(Locomotion { sliding: view.sliding, ..body })
}

pub(crate) struct OracleFactory;

impl PolicyFactory for OracleFactory {
    fn name(&self) -> &str {
        "oracle"
    }

    fn needs(&self) -> Needs {
        Oracle::default().needs()
    }

    fn create(&self) -> Result<Box<dyn Policy>, AgentError> {
        Ok(Box::<Oracle>::default())
    }
}
