use crate::PolicyError;
use ambler_geometry::{Pose, Vec3};
use ambler_sensor::{CameraSpec, Detection, Frame};
use std::f64::consts::{PI, TAU};

/// What a policy sees in one step. It borrows everything; nothing in it is privileged.
///
/// Frames of reference: the *start frame* has its origin at the body's first position and its −Z
/// axis along the body's first heading (x right, y up, metres).
#[derive(Clone, Copy, Debug)]
pub struct Observation<'a> {
    /// Actions made so far in the episode.
    pub step: u32,
    /// One frame a camera; empty when the run draws no sensors.
    pub frames: &'a [Frame],
    /// The cameras of the frames.
    pub cameras: &'a [CameraSpec],
    /// What the ground-truth detector sees, for each camera; empty when it does not run.
    pub detections: &'a [Vec<Detection>],
    /// Position in the start frame, metres.
    pub position: Vec3,
    /// Heading less the heading at the start, radians in (−π, π], left positive.
    pub compass: f64,
    /// How far the cameras are tilted up, radians.
    pub tilt_rad: f64,
    /// Whether the last action ran into something.
    pub collided: bool,
    /// The point goal; `None` in object-goal episodes.
    pub point_goal: Option<PointGoal>,
}

/// A goal relative to the body, as Habitat's `pointgoal_with_gps_compass` (2-D, polar).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointGoal {
    /// Distance on the floor plane, metres.
    pub rho: f64,
    /// Direction, radians in (−π, π], left of ahead positive.
    pub phi: f64,
}

impl<'a> Observation<'a> {
    /// The observation of a body that started at `start` and now is at `now`, without images,
    /// detections and goal; set the public fields for more.
    pub fn at(start: &Pose, now: &Pose) -> Self {
        Self {
            step: 0,
            frames: &[],
            cameras: &[],
            detections: &[],
            position: relative_position(start, now.position),
            compass: compass(start, now),
            tilt_rad: 0.0,
            collided: false,
            point_goal: None,
        }
    }

    /// The same with a point goal, given in the start frame.
    pub fn with_point_goal(mut self, goal_in_start_frame: Vec3) -> Self {
        let v = goal_in_start_frame - self.position;
        let (x, z) = turned(f64::from(v.x), f64::from(v.z), -self.compass);
        self.point_goal = Some(polar(x, z));
        self
    }

    /// For agents that map: that a camera gives depth.
    ///
    /// # Errors
    /// When none does.
    pub(crate) fn must_have_depth(&self) -> Result<(), PolicyError> {
        match self.frames.iter().any(|frame| !frame.depth.is_empty()) {
            true => Ok(()),
            false => Err(PolicyError::failed("this agent needs depth images, and it was given none")),
        }
    }

    /// Habitat's 2-D GPS: metres ahead of and to the right of the start, `(−z, x)`.
    pub fn gps(&self) -> [f32; 2] {
        [-self.position.z, self.position.x]
    }

    /// The point goal in the start frame, at the body's height; `None` without one.
    pub fn goal_in_start_frame(&self) -> Option<Vec3> {
        let goal = self.point_goal?;
        let yaw = self.compass + goal.phi;
        let ahead = Vec3::new(-libm::sin(yaw) as f32, 0.0, -libm::cos(yaw) as f32);
        Some(self.position + ahead * goal.rho as f32)
    }
}

/// A point of the world in the start frame: `R_start⁻¹ · (point − start)`.
pub fn relative_position(start: &Pose, point: Vec3) -> Vec3 {
    let v = point - start.position;
    let (x, z) = turned(f64::from(v.x), f64::from(v.z), -start.heading.yaw());
    Vec3::new(x as f32, v.y, z as f32)
}

/// Habitat's compass: yaw now less yaw at the start, in (−π, π].
pub fn compass(start: &Pose, now: &Pose) -> f64 {
    wrapped(now.heading.yaw() - start.heading.yaw())
}

/// A point of the world as the body sees it.
pub fn point_goal(now: &Pose, goal: Vec3) -> PointGoal {
    let v = relative_position(now, goal);
    polar(f64::from(v.x), f64::from(v.z))
}

fn polar(x: f64, z: f64) -> PointGoal {
    // Habitat: φ = atan2(x, −z), given out negated, so that left is positive.
    PointGoal { rho: libm::sqrt(x * x + z * z), phi: wrapped(-libm::atan2(x, -z)) }
}

/// Turns (x, z) about +Y by `yaw`.
fn turned(x: f64, z: f64, yaw: f64) -> (f64, f64) {
    let (sin, cos) = (libm::sin(yaw), libm::cos(yaw));
    (x * cos + z * sin, z * cos - x * sin)
}

/// An angle in (−π, π].
pub(crate) fn wrapped(angle: f64) -> f64 {
    if angle > -PI && angle <= PI {
        return angle;
    }
    let rest = angle - TAU * libm::ceil((angle - PI) / TAU);
    if rest <= -PI { PI } else { rest }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambler_geometry::Heading;

    fn pose(x: f32, z: f32, yaw: f64) -> Pose {
        Pose { position: Vec3::new(x, 0.0, z), heading: Heading::from_yaw(yaw) }
    }

    #[test]
    fn frames_of_reference_are_habitats() {
        // Facing west (a quarter turn left from north), one metre west is one metre ahead.
        let start = pose(0.0, 0.0, PI / 2.0);
        let now = pose(-1.0, 0.0, PI);
        let seen = Observation::at(&start, &now);
        assert!((seen.position - Vec3::new(0.0, 0.0, -1.0)).length() < 1e-6, "{}", seen.position);
        let [ahead, right] = seen.gps();
        assert!((ahead - 1.0).abs() < 1e-6 && right.abs() < 1e-6);
        assert!((seen.compass - PI / 2.0).abs() < 1e-12, "a left turn is positive");
        // A goal on the left has a positive angle.
        let goal = point_goal(&pose(0.0, 0.0, 0.0), Vec3::new(-2.0, 0.0, 0.0));
        assert!((goal.rho - 2.0).abs() < 1e-12 && (goal.phi - PI / 2.0).abs() < 1e-12);
    }

    #[test]
    fn a_goal_comes_back_from_its_polar_form() {
        let start = pose(1.0, 2.0, 0.7);
        for yaw in [-3.0, -0.4, 0.0, 1.9, 7.0] {
            let now = pose(-0.3, 4.1, yaw);
            let goal = Vec3::new(2.5, 0.0, -1.5);
            let mut seen = Observation::at(&start, &now);
            seen.point_goal = Some(point_goal(&now, goal));
            let back = seen.goal_in_start_frame().unwrap();
            assert!((back - relative_position(&start, goal)).length() < 1e-5, "{back}");
            let again = seen.with_point_goal(back).point_goal.unwrap();
            assert!((again.rho - seen.point_goal.unwrap().rho).abs() < 1e-5);
            assert!((again.phi - seen.point_goal.unwrap().phi).abs() < 1e-5);
        }
    }

    #[test]
    fn angles_wrap_into_the_half_open_circle() {
        assert_eq!(wrapped(PI), PI);
        assert_eq!(wrapped(-PI), PI);
        assert!((wrapped(3.0 * PI + 0.1) - (0.1 - PI)).abs() < 1e-12);
        assert!((wrapped(-7.0 * PI / 2.0) - PI / 2.0).abs() < 1e-12);
    }
}
