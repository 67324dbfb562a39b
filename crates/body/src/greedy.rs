use crate::{Action, BodyState, FollowError, Locomotion};
use ambler_geometry::{Pose, Vec3};
use ambler_navmesh::NavQuery;

/// Settings of the [`GreedyFollower`]; the defaults are Habitat's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GreedySettings {
    /// The follower stops when the geodesic distance falls below this, metres. Habitat's default
    /// is 0.75 of a forward step.
    pub goal_radius_m: f32,
    /// Whether to commit to a whole plan after 16 alternating turns.
    pub fix_thrashing: bool,
}

/// Habitat's `GreedyGeodesicFollower`: at each call tries "n turns, then forward" to both sides and
/// takes the one whose step brings the body closest to the goal along the navmesh.
///
/// Its reward for a candidate is `(d_before − d_after) / forward − 0.0125 n`, less 0.25 when the
/// step collides and less 0.05 when it ends within 0.2 m of an obstacle; candidates must exceed
/// −0.25, and the search ends early above 0.99. It is fast and short-sighted; the
/// [`OptimalFollower`](crate::OptimalFollower) plans to the end.
#[derive(Clone, Debug)]
pub struct GreedyFollower {
    settings: GreedySettings,
    made: Vec<Action>,
    committed: Vec<Action>,
}

/// Alternating turns that count as thrashing.
const THRASHING: usize = 16;
/// Steps that end closer than this to an obstacle are marked down, metres.
const CLOSE_TO_OBSTACLE_M: f32 = 0.2;

impl GreedyFollower {
    /// A follower at the start of a walk.
    pub fn new(settings: GreedySettings) -> Self {
        Self { settings, made: Vec::new(), committed: Vec::new() }
    }

    /// The next action towards the goal; [`Action::Stop`] when it is reached.
    ///
    /// # Errors
    /// [`FollowError::NoPath`], or [`FollowError::NoWay`] where every candidate leads away from the
    /// goal.
    pub fn next(
        &mut self,
        pose: Pose,
        goal: Vec3,
        locomotion: &Locomotion,
        navmesh: &mut NavQuery,
    ) -> Result<Action, FollowError> {
        let action = if let Some(action) = self.committed.pop() {
            action
        } else {
            let plan = self.plan(pose, goal, locomotion, navmesh)?;
            let first = plan[0];
            if self.settings.fix_thrashing && self.is_thrashing() {
                self.committed = plan;
                self.committed.reverse();
                self.committed.pop();
            }
            first
        };
        self.made.push(action);
        Ok(action)
    }

    /// The best "turns, then forward" from here; `[Stop]` at the goal. Never empty.
    ///
    /// # Errors
    /// As [`GreedyFollower::next`].
    pub fn plan(
        &self,
        pose: Pose,
        goal: Vec3,
        locomotion: &Locomotion,
        navmesh: &mut NavQuery,
    ) -> Result<Vec<Action>, FollowError> {
        let before = navmesh.geodesic(pose.position, goal)?;
        if before < self.settings.goal_radius_m {
            return Ok(vec![Action::Stop]);
        }
        let mut best = (-0.25, None);
        let mut turns = 0;
        // Habitat adds up the angle in f32; with 30° turns that gives 6 tries (0° to 150°).
        let mut angle = 0.0f32;
        'search: while angle < std::f32::consts::PI {
            for side in [1, -1] {
                let mut tried = BodyState::at(pose);
                locomotion.turn(&mut tried.pose, side * turns);
                let reward =
                    step_reward(&mut tried, goal, before, locomotion, navmesh) - 0.0125 * turns as f32;
                if reward > best.0 {
                    best = (reward, Some((side, turns)));
                }
            }
            if best.0 > 0.99 {
                break 'search;
            }
            turns += 1;
            angle += locomotion.turn_rad as f32;
        }
        let Some((side, turns)) = best.1 else { return Err(FollowError::NoWay) };
        let turn = if side > 0 { Action::TurnLeft } else { Action::TurnRight };
        let mut plan = vec![turn; turns as usize];
        plan.push(Action::MoveForward);
        Ok(plan)
    }

    fn is_thrashing(&self) -> bool {
        if self.made.len() < THRASHING {
            return false;
        }
        let recent = &self.made[self.made.len() - THRASHING..];
        recent.windows(2).all(|pair| {
            matches!(pair, [Action::TurnLeft, Action::TurnRight] | [Action::TurnRight, Action::TurnLeft])
        })
    }
}

/// Reward of one forward step, before the deduction for turns.
fn step_reward(
    tried: &mut BodyState,
    goal: Vec3,
    before: f32,
    locomotion: &Locomotion,
    navmesh: &mut NavQuery,
) -> f32 {
    locomotion.apply(tried, Action::MoveForward, navmesh);
    let Ok(after) = navmesh.geodesic(tried.pose.position, goal) else { return f32::NEG_INFINITY };
    let close = navmesh
        .distance_to_obstacle(tried.pose.position, 1.1 * CLOSE_TO_OBSTACLE_M)
        .is_ok_and(|obstacle| obstacle.distance_m < CLOSE_TO_OBSTACLE_M);
    (before - after) / locomotion.forward_m
        - if tried.collided { 0.25 } else { 0.0 }
        - if close { 0.05 } else { 0.0 }
}
