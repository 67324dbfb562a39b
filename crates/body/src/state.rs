use crate::{Action, BodyPreset};
use ambler_geometry::{Pose, Vec3};
use ambler_navmesh::NavQuery;
use serde::{Deserialize, Serialize};

/// What a body is doing right now.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyState {
    /// Where it stands and where it faces.
    pub pose: Pose,
    /// Looks up (positive) or down made since the start; the cameras tilt by this many steps, the
    /// body does not.
    pub tilt: i32,
    /// Whether the last action ran into something.
    pub collided: bool,
}

impl BodyState {
    /// A body at a pose, looking straight ahead.
    pub fn at(pose: Pose) -> Self {
        Self { pose, tilt: 0, collided: false }
    }
}

/// How actions move a body: the numbers of a preset, ready for use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Locomotion {
    /// Length of a forward step, metres.
    pub forward_m: f32,
    /// Angle of a turn, radians.
    pub turn_rad: f64,
    /// Turns in a circle where the angle divides it.
    pub turns_per_circle: Option<u32>,
    /// Angle of a look, radians.
    pub tilt_rad: f64,
    /// Most looks to either side.
    pub tilt_limit: i32,
    /// Whether a blocked step slides along the wall.
    pub sliding: bool,
}

impl From<&BodyPreset> for Locomotion {
    fn from(preset: &BodyPreset) -> Self {
        Self {
            forward_m: preset.forward_m,
            turn_rad: preset.turn_deg.to_radians(),
            turns_per_circle: preset.turns_per_circle(),
            tilt_rad: preset.tilt_deg.to_radians(),
            tilt_limit: (preset.tilt_limit_deg / preset.tilt_deg).floor() as i32,
            sliding: preset.sliding,
        }
    }
}

impl Locomotion {
    /// Applies one action on a navmesh.
    ///
    /// Forward asks the navmesh for a step of `forward_m` along the heading. It collided when the
    /// step made is shorter than the step asked: `|made|² + 1e-5 < |asked|²` (Habitat's rule).
    /// Turns, looks and stop never collide.
    pub fn apply(&self, state: &mut BodyState, action: Action, navmesh: &mut NavQuery) {
        state.collided = false;
        match action {
            Action::Stop => {}
            Action::MoveForward => self.forward(state, navmesh),
            Action::TurnLeft => self.turn(&mut state.pose, 1),
            Action::TurnRight => self.turn(&mut state.pose, -1),
            Action::LookUp => state.tilt = (state.tilt + 1).min(self.tilt_limit),
            Action::LookDown => state.tilt = (state.tilt - 1).max(-self.tilt_limit),
        }
    }

    /// Turns a pose to the left by this many turns (negative: to the right).
    pub fn turn(&self, pose: &mut Pose, turns: i32) {
        pose.heading = match self.turns_per_circle {
            Some(per_circle) => pose.heading.turned(turns, per_circle),
            None => pose.heading.turned_by(f64::from(turns) * self.turn_rad),
        };
    }

    fn forward(&self, state: &mut BodyState, navmesh: &mut NavQuery) {
        let start = state.pose.position;
        let asked = start + state.pose.heading.forward() * self.forward_m;
        let made = navmesh.try_step(start, asked, self.sliding);
        state.collided = is_collision(start, asked, made);
        state.pose.position = made;
    }
}

/// Habitat's collision rule for a step that was asked and the one that was made.
fn is_collision(start: Vec3, asked: Vec3, made: Vec3) -> bool {
    (made - start).length_squared() + 1e-5 < (asked - start).length_squared()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambler_geometry::Heading;

    fn locomotion() -> Locomotion {
        Locomotion::from(&BodyPreset::named("stretch").unwrap())
    }

    #[test]
    fn a_step_shorter_by_a_centimetre_is_a_collision_and_rounding_is_not() {
        let asked = Vec3::new(0.25, 0.0, 0.0);
        assert!(is_collision(Vec3::ZERO, asked, Vec3::new(0.24, 0.0, 0.0)));
        assert!(!is_collision(Vec3::ZERO, asked, Vec3::new(0.249_999, 0.0, 0.0)));
    }

    #[test]
    fn turning_there_and_back_is_exact() {
        let mut pose = Pose { position: Vec3::ZERO, heading: Heading::from_yaw(1.234) };
        for _ in 0..1000 {
            locomotion().turn(&mut pose, 1);
        }
        for _ in 0..1000 {
            locomotion().turn(&mut pose, -1);
        }
        assert_eq!(pose.heading.yaw(), 1.234);
    }

    #[test]
    fn looks_stop_at_their_limit() {
        assert_eq!(locomotion().tilt_limit, 3);
    }
}
