use crate::{Action, BodyState, FollowError, Locomotion};
use ambler_geometry::{Pose, Vec3};
use ambler_navmesh::{DistanceField, NavQuery, NavReason};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// Settings of the [`OptimalFollower`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OptimalSettings {
    /// The goal counts as reached when the distance falls below this, metres (strictly, as success
    /// is measured).
    pub success_distance_m: f32,
    /// What a turn costs, in metres of path: breaks ties towards calm walks.
    pub turn_cost_m: f64,
    /// States are the same when they share a heading and a square of this width, metres.
    pub square_m: f32,
    /// Most states expanded for each of the weights tried.
    pub most_expanded: usize,
}

impl OptimalSettings {
    /// Settings for a goal that is reached within `success_distance_m`.
    pub fn within(success_distance_m: f32) -> Self {
        Self { success_distance_m, turn_cost_m: 1e-3, square_m: 0.05, most_expanded: 150_000 }
    }
}

/// Plans the whole walk in advance: the shortest sequence of discrete actions that comes within the
/// success distance of a goal, by A* over positions and headings. Steps are tried on the real
/// navmesh with the real locomotion, so that the plan holds to the last bit.
///
/// The heuristic is the exact distance to the nearest goal, from a field, less the success distance:
/// it is never more than what is left to walk, and it is looked up, however many goals there are. In
/// large scenes the search gives up optimality gradually: weights 1, 1.05, then 2 on the heuristic.
#[derive(Clone, Debug)]
pub struct OptimalFollower {
    settings: OptimalSettings,
}

/// Heights that differ by more than this are different storeys, metres.
const STOREY_M: f32 = 0.5;

/// Two ways to measure one straight distance differ by less than this, metres.
const ROUNDING_M: f32 = 1e-3;

/// What a search came to.
enum Search {
    /// A plan.
    Found(Vec<Action>),
    /// No state that can be reached is near enough to the goal.
    Nothing,
    /// The limit of states was reached first.
    GaveUp,
}

struct Node {
    position: Vec3,
    heading: i32,
    cost: f64,
    parent: u32,
    action: Action,
}

impl OptimalFollower {
    /// A follower with these settings.
    pub fn new(settings: OptimalSettings) -> Self {
        Self { settings }
    }

    /// The actions from `pose` to the goal, `Stop` last.
    ///
    /// `field` holds the exact distance to the nearest goal. `distance` measures to the goal as
    /// success does, which may be longer (Habitat's paths are) but never shorter than the field says;
    /// it is asked only where the field is below the success distance.
    ///
    /// # Errors
    /// [`FollowError::NoPath`] when the start has no path; [`FollowError::NoWay`] when no sequence
    /// was found within the limits.
    pub fn plan(
        &self,
        pose: Pose,
        locomotion: &Locomotion,
        navmesh: &mut NavQuery,
        field: &DistanceField,
        distance: &mut dyn FnMut(&mut NavQuery, Vec3) -> Result<f32, NavReason>,
    ) -> Result<Vec<Action>, FollowError> {
        let near = self.settings.success_distance_m + ROUNDING_M;
        let mut measure = |navmesh: &mut NavQuery, at: Vec3| -> Result<f32, NavReason> {
            let exact = field.distance(at)?;
            if exact < near { distance(navmesh, at) } else { Ok(exact) }
        };
        let start_distance = measure(navmesh, pose.position)?;
        for weight in [1.0, 1.05, 2.0] {
            match self.search(pose, start_distance, weight, locomotion, navmesh, &mut measure) {
                Search::Found(plan) => return Ok(plan),
                // Everything was looked at: another weight looks at the same states.
                Search::Nothing => break,
                Search::GaveUp => {}
            }
        }
        Err(FollowError::NoWay)
    }

    fn search(
        &self,
        pose: Pose,
        start_distance: f32,
        weight: f64,
        locomotion: &Locomotion,
        navmesh: &mut NavQuery,
        distance: &mut dyn FnMut(&mut NavQuery, Vec3) -> Result<f32, NavReason>,
    ) -> Search {
        let circle = locomotion.turns_per_circle.map(|per_circle| per_circle as i32);
        let bound = |d: f32| weight * f64::from((d - self.settings.success_distance_m).max(0.0));
        let mut nodes = vec![Node {
            position: pose.position,
            heading: 0,
            cost: 0.0,
            parent: u32::MAX,
            action: Action::Stop,
        }];
        let mut distances = vec![start_distance];
        let mut best: HashMap<[i32; 4], f64> = HashMap::new();
        best.insert(self.square(pose.position, 0), 0.0);
        // Keyed by the bits of a non-negative f64 (which sort as the numbers do), then by age.
        let mut open = BinaryHeap::from([(Reverse(bound(start_distance).to_bits()), Reverse(0u32))]);
        let mut expanded = 0;
        while let Some((_, Reverse(index))) = open.pop() {
            let Node { position, heading, cost, .. } = nodes[index as usize];
            if distances[index as usize] < self.settings.success_distance_m {
                return Search::Found(walk_back(&nodes, index));
            }
            if best.get(&self.square(position, heading)).is_some_and(|&known| known < cost) {
                continue;
            }
            expanded += 1;
            if expanded > self.settings.most_expanded {
                return Search::GaveUp;
            }
            for action in [Action::MoveForward, Action::TurnLeft, Action::TurnRight] {
                let (next, next_heading, next_distance, step_cost) = match action {
                    Action::MoveForward => {
                        let mut state = BodyState::at(pose);
                        state.pose.position = position;
                        locomotion.turn(&mut state.pose, heading);
                        locomotion.apply(&mut state, action, navmesh);
                        let moved = f64::from(state.pose.position.distance(position));
                        if moved < 1e-3 {
                            continue;
                        }
                        let Ok(d) = distance(navmesh, state.pose.position) else { continue };
                        (state.pose.position, heading, d, moved)
                    }
                    Action::TurnLeft | Action::TurnRight => {
                        let side = if action == Action::TurnLeft { 1 } else { -1 };
                        // A turn that does not divide the circle never comes back to the same heading.
                        let turned =
                            circle.map_or(heading + side, |circle| (heading + side).rem_euclid(circle));
                        (position, turned, distances[index as usize], self.settings.turn_cost_m)
                    }
                    Action::Stop | Action::LookUp | Action::LookDown => continue,
                };
                let next_cost = cost + step_cost;
                let square = self.square(next, next_heading);
                if best.get(&square).is_some_and(|&known| known <= next_cost) {
                    continue;
                }
                best.insert(square, next_cost);
                let next_index = nodes.len() as u32;
                nodes.push(Node {
                    position: next,
                    heading: next_heading,
                    cost: next_cost,
                    parent: index,
                    action,
                });
                distances.push(next_distance);
                let priority = next_cost + bound(next_distance);
                open.push((Reverse(priority.to_bits()), Reverse(next_index)));
            }
        }
        Search::Nothing
    }

    fn square(&self, position: Vec3, heading: i32) -> [i32; 4] {
        let square = self.settings.square_m;
        [
            (position.x / square).floor() as i32,
            (position.z / square).floor() as i32,
            (position.y / STOREY_M).round() as i32,
            heading,
        ]
    }
}

fn walk_back(nodes: &[Node], mut index: u32) -> Vec<Action> {
    let mut plan = vec![Action::Stop];
    while nodes[index as usize].parent != u32::MAX {
        plan.push(nodes[index as usize].action);
        index = nodes[index as usize].parent;
    }
    plan.reverse();
    plan
}
