use ambler_body::Action;
use ambler_geometry::{Heading, Pose, Vec3};

/// The state after an action; the first one of an episode is before any action.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// The action that led here; `None` at the start.
    pub action: Option<Action>,
    /// Where the body stands, world frame.
    pub pose: Pose,
    /// How far the cameras are tilted up, radians.
    pub tilt_rad: f64,
    /// Whether the action ran into something.
    pub collided: bool,
    /// Geodesic distance to the goal, metres; `None` where no path leads there.
    pub distance_m: Option<f64>,
    /// Length of the walked path so far, metres.
    pub path_m: f64,
    /// Collisions so far.
    pub collisions: u64,
    /// The scores of an episode that ended here: success, SPL, SoftSPL.
    pub scores: [f64; 3],
}

impl Default for Moment {
    fn default() -> Self {
        Self {
            action: None,
            pose: Pose { position: Vec3::ZERO, heading: Heading::from_yaw(0.0) },
            tilt_rad: 0.0,
            collided: false,
            distance_m: None,
            path_m: 0.0,
            collisions: 0,
            scores: [0.0; 3],
        }
    }
}

impl Moment {
    /// Whether a stop here would succeed: strictly nearer than the success distance.
    pub fn within(&self, success_m: f64) -> bool {
        self.distance_m.is_some_and(|distance| distance < success_m)
    }

    /// SPL of an episode that stops here: `L / max(L, P)` within the success distance, else 0. L is the
    /// geodesic distance at the start, P the walked path, metres.
    pub fn spl_if_stopped(&self, shortest_m: f64, success_m: f64) -> f64 {
        if self.within(success_m) { weight(shortest_m, self.path_m) } else { 0.0 }
    }

    /// The best SPL that can still be reached: that of a body which stops here, where that is near enough,
    /// or goes to the goal on the shortest way. After the stop, what was reached.
    pub fn spl_still_possible(&self, shortest_m: f64, success_m: f64) -> f64 {
        let now = self.spl_if_stopped(shortest_m, success_m);
        if self.action == Some(Action::Stop) {
            return now;
        }
        now.max(self.distance_m.map_or(0.0, |distance| weight(shortest_m, self.path_m + distance)))
    }
}

fn weight(shortest_m: f64, path_m: f64) -> f64 {
    let longer = shortest_m.max(path_m);
    if longer > 0.0 { shortest_m / longer } else { 1.0 }
}

/// What makes a moment worth jumping to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventKind {
    /// The body ran into something.
    Collision,
    /// Stop was called.
    Stop,
    /// The goal came within the success distance.
    NearGoal,
    /// Something that the policy announced.
    Agent,
}

impl EventKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Collision, Self::NearGoal, Self::Stop, Self::Agent];

    /// The word for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Collision => "collision",
            Self::Stop => "stop",
            Self::NearGoal => "at the goal",
            Self::Agent => "agent",
        }
    }
}

/// Something that happened at a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The step after which it holds.
    pub step: usize,
    /// Its kind.
    pub kind: EventKind,
    /// What to tell.
    pub text: String,
}

/// The events that a history shows by itself, in order of steps.
pub fn events(moments: &[Moment], success_m: f64) -> Vec<Event> {
    let mut found = Vec::new();
    for (step, moment) in moments.iter().enumerate() {
        let mut add = |kind, text: String| found.push(Event { step, kind, text });
        if moment.collided {
            add(EventKind::Collision, format!("collision {}", moment.collisions));
        }
        let before = step.checked_sub(1).and_then(|before| moments.get(before));
        if moment.within(success_m) && before.is_none_or(|before| !before.within(success_m)) {
            add(EventKind::NearGoal, "within the success distance".to_owned());
        }
        if moment.action == Some(Action::Stop) {
            add(EventKind::Stop, "stop called".to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spl_now_and_spl_possible_follow_their_definitions() {
        // L = 4; 5 m walked, 1 m to go: possible 4 / 6, now 0.
        let moment = Moment { distance_m: Some(1.0), path_m: 5.0, ..Moment::default() };
        assert_eq!(moment.spl_if_stopped(4.0, 0.2), 0.0);
        assert!((moment.spl_still_possible(4.0, 0.1) - 4.0 / 6.0).abs() < 1e-12);
        // Strictly within: at the success distance itself there is no success.
        let on_it = Moment { distance_m: Some(0.2), path_m: 4.0, ..Moment::default() };
        assert!(!on_it.within(0.2) && on_it.spl_if_stopped(4.0, 0.2) == 0.0);
        // Regression: after the stop less was called possible than had been reached.
        let stopped = Moment {
            action: Some(Action::Stop),
            distance_m: Some(0.09),
            path_m: 5.0,
            ..Moment::default()
        };
        assert_eq!(stopped.spl_still_possible(4.0, 0.1), 0.8);
        let away = Moment { distance_m: Some(2.0), ..stopped };
        assert_eq!(away.spl_still_possible(4.0, 0.1), 0.0);
        // A body off its island reaches nothing.
        assert_eq!(Moment::default().spl_still_possible(4.0, 0.1), 0.0);
        // An episode that starts at its goal.
        let there = Moment { distance_m: Some(0.0), ..Moment::default() };
        assert_eq!(there.spl_if_stopped(0.0, 0.2), 1.0);
    }

    #[test]
    fn events_are_collisions_arrivals_and_the_stop() {
        let at = |action, distance: f64, collided| Moment {
            action: Some(action),
            distance_m: Some(distance),
            collided,
            ..Moment::default()
        };
        let moments = [
            Moment { distance_m: Some(1.0), ..Moment::default() },
            at(Action::MoveForward, 1.0, true),
            at(Action::MoveForward, 0.1, false),
            at(Action::TurnLeft, 0.1, false),
            at(Action::Stop, 0.1, false),
        ];
        let kinds: Vec<(usize, EventKind)> =
            events(&moments, 0.2).iter().map(|event| (event.step, event.kind)).collect();
        assert_eq!(kinds, [(1, EventKind::Collision), (2, EventKind::NearGoal), (4, EventKind::Stop)]);
    }
}
