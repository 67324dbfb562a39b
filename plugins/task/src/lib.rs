//! The task of an episode: measures the distance to the goal after each step and keeps the scores.
//!
//! How a score is computed is `ambler_episode`'s affair; this crate never decides when an episode
//! ends and never tells the agent anything.
//!
//! ```
//! use ambler_episode::{GoalPoints, SuccessRule, Task};
//! use ambler_geometry::Vec3;
//! # use ambler_navmesh::{NavMesh, NavMeshSettings, NavQuery};
//! use ambler_plugin_task::{Measure, Scoring, TaskPlugin};
//! # fn navmesh() -> NavQuery {
//! #     let corners = [[-4.0, 0.0, -4.0], [4.0, 0.0, -4.0], [4.0, 0.0, 4.0], [-4.0, 0.0, 4.0]];
//! #     let corners = corners.map(Vec3::from_array);
//! #     let settings = NavMeshSettings::for_body(1.41, 0.17);
//! #     let mesh = NavMesh::build(&corners, &[[0, 2, 1], [0, 3, 2]], &settings).expect("a floor");
//! #     NavQuery::new(std::sync::Arc::new(mesh))
//! # }
//!
//! let mut navmesh = navmesh();
//! let task = Task::point(Vec3::new(0.0, 0.2, -2.0), None);
//! let rule = SuccessRule::for_task(&task);
//! let points = GoalPoints::of(&task, rule.to);
//! let measure = Measure::habitat(&navmesh, &points.points);
//! let start = Vec3::new(0.0, 0.2, 1.0);
//! let mut scoring = Scoring::start(&rule, &points, start, measure, &mut navmesh)?;
//! let distance = scoring.tracker(&mut navmesh).distance_to_goal();
//! assert!((distance.expect("reachable") - 3.0).abs() < 1e-5);
//! let plugin = TaskPlugin { scoring };
//! # Ok::<(), ambler_episode::Invalid>(())
//! ```

use ambler_body::Action;
use ambler_episode::{GoalPoints, Invalid, MetricsTracker, SuccessRule};
use ambler_geometry::Vec3;
use ambler_navmesh::{DistanceField, GoalSet, NavQuery, NavReason};
use ambler_plugin_body::{Body, LastAction};
use ambler_plugin_scene::Navigation;
use ambler_plugin_simulation::{SimStep, StepSet};
use bevy::prelude::*;
use std::sync::Arc;

/// How the distance to the goal is measured.
#[derive(Clone)]
pub enum Measure {
    /// Along Detour's paths, as Habitat does. No such path is shorter than the true shortest one, which
    /// is found sooner: where there is a field of those, it says when not to search for paths.
    Habitat(Arc<GoalSet>, Option<Arc<DistanceField>>),
    /// The true shortest path.
    Exact(Arc<DistanceField>),
}

impl Measure {
    /// Habitat's measure to these points.
    pub fn habitat(navmesh: &NavQuery, points: &[Vec3]) -> Self {
        let field = (points.len() > FEW).then(|| DistanceField::new(navmesh.mesh(), points).ok());
        Self::Habitat(Arc::new(navmesh.prepare_goals(points)), field.flatten().map(Arc::new))
    }

    /// The distance from a position, metres.
    ///
    /// # Errors
    /// Why there is none.
    pub fn distance(&self, navmesh: &mut NavQuery, position: Vec3) -> Result<f32, NavReason> {
        match self {
            Self::Habitat(goals, _) => {
                navmesh.geodesic_to(goals, position).map(|(distance, _)| distance)
            }
            Self::Exact(field) => field.distance(position),
        }
    }

    /// What the distance is not below, metres, where that is known sooner than the distance.
    fn at_least(&self, position: Vec3) -> f64 {
        match self {
            Self::Habitat(_, Some(field)) => field.distance(position).map_or(0.0, f64::from),
            Self::Habitat(_, None) | Self::Exact(_) => 0.0,
        }
    }
}

/// With so few goals a path is found as soon as a bound.
const FEW: usize = 8;

/// The scores of the episode so far.
#[derive(Resource, Clone)]
pub struct Scoring {
    tracker: MetricsTracker,
    measure: Measure,
}

impl Scoring {
    /// Begins an episode at its start position.
    ///
    /// # Errors
    /// Why the episode cannot be scored.
    pub fn start(
        rule: &SuccessRule,
        points: &GoalPoints,
        position: Vec3,
        measure: Measure,
        navmesh: &mut NavQuery,
    ) -> Result<Self, Invalid> {
        let mut distance = |position: Vec3| measure.distance(navmesh, position);
        let tracker = MetricsTracker::start(rule, points, position, &mut distance)?;
        Ok(Self { tracker, measure })
    }

    /// What follows the episode, before its first step.
    pub fn at_start(&self) -> &MetricsTracker {
        &self.tracker
    }

    /// What has followed the episode, its distance measured.
    pub fn tracker(&mut self, navmesh: &mut NavQuery) -> &MetricsTracker {
        let Self { tracker, measure } = self;
        tracker.catch_up(&mut |position: Vec3| measure.distance(navmesh, position));
        tracker
    }

    /// The same in a world that has scores.
    pub fn tracker_of(world: &mut World) -> Option<MetricsTracker> {
        let mut scoring = world.remove_resource::<Self>()?;
        let tracker = world
            .get_resource_mut::<Navigation>()
            .map(|mut navigation| scoring.tracker(&mut navigation.0).clone());
        world.insert_resource(scoring);
        tracker
    }
}

/// Scores each step in [`StepSet::Score`].
pub struct TaskPlugin {
    /// The scores at the start of the episode.
    pub scoring: Scoring,
}

impl Plugin for TaskPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(self.scoring.clone());
        app.add_systems(SimStep, score.in_set(StepSet::Score));
    }
}

fn score(
    body: Single<&Body>,
    last: Res<LastAction>,
    mut scoring: ResMut<Scoring>,
    mut navigation: ResMut<Navigation>,
) {
    let Scoring { tracker, measure } = &mut *scoring;
    let stop = last.0 == Some(Action::Stop);
    let mut distance = |position: Vec3| measure.distance(&mut navigation.0, position);
    let position = body.state.pose.position;
    tracker.update_bounded(
        position,
        body.state.collided,
        stop,
        measure.at_least(position),
        &mut distance,
    );
}
