//! The task of an episode: measures the distance to the goal after each step and keeps the scores.
//!
//! How a score is computed is `ambler_episode`'s affair; this crate never decides when an episode
//! ends and never tells the agent anything.
//!
//! ```no_run
//! use ambler_episode::{Episode, MetricsTracker, SuccessRule};
//! use ambler_navmesh::NavQuery;
//! use ambler_plugin_task::{Measure, Scoring, TaskPlugin};
//! # fn given() -> (Episode, NavQuery) { unimplemented!("an episode and a navmesh of your own") }
//!
//! let (episode, mut navmesh) = given();
//! let rule = SuccessRule::for_task(&episode.task);
//! let points = episode.measured_points(rule.to);
//! let measure = Measure::habitat(&navmesh, &points.points);
//! let start = episode.start_position;
//! let scoring = Scoring::start(&rule, &points, start, measure, &mut navmesh)?;
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
    /// Along Detour's paths, as Habitat does.
    Habitat(Arc<GoalSet>),
    /// The true shortest path.
    Exact(Arc<DistanceField>),
}

impl Measure {
    /// Habitat's measure to these points.
    pub fn habitat(navmesh: &NavQuery, points: &[Vec3]) -> Self {
        Self::Habitat(Arc::new(navmesh.prepare_goals(points)))
    }

    /// The distance from a position, metres.
    ///
    /// # Errors
    /// Why there is none.
    pub fn distance(&self, navmesh: &mut NavQuery, position: Vec3) -> Result<f32, NavReason> {
        match self {
            Self::Habitat(goals) => navmesh.geodesic_to(goals, position).map(|(distance, _)| distance),
            Self::Exact(field) => field.distance(position),
        }
    }
}

/// The scores of the episode so far.
#[derive(Resource, Clone)]
pub struct Scoring {
    /// Follows the episode.
    pub tracker: MetricsTracker,
    /// How it measures.
    pub measure: Measure,
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
    tracker.update(body.state.pose.position, body.state.collided, stop, &mut distance);
}
