use ambler_geometry::{Aabb, Affine, Heading, Pose, Vec3};
use ambler_sensor::{CameraSpec, Outputs, Projection};
use std::f32::consts::FRAC_PI_2;

/// Where the main view looks from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CameraMode {
    /// The robot's eyes.
    Eyes,
    /// Behind and above the robot.
    #[default]
    Chase,
    /// Around a point.
    Orbit,
    /// Anywhere.
    Fly,
    /// Straight down, north up.
    Above,
}

impl CameraMode {
    /// All modes, in the order of their keys.
    pub const ALL: [Self; 5] = [Self::Eyes, Self::Chase, Self::Orbit, Self::Fly, Self::Above];

    /// The word for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Eyes => "eyes",
            Self::Chase => "chase",
            Self::Orbit => "orbit",
            Self::Fly => "fly",
            Self::Above => "above",
        }
    }
}

/// A camera and where it is: what a picture is drawn with and what overlays are projected by.
#[derive(Clone, Debug, PartialEq)]
pub struct Eye {
    /// Lens and size.
    pub spec: CameraSpec,
    /// Takes camera coordinates to the world.
    pub world_from_camera: Affine,
}

/// The camera of the main view, steered by a person.
#[derive(Clone, Debug, PartialEq)]
pub struct ViewCamera {
    /// Where it looks from.
    pub mode: CameraMode,
    /// What it turns around (orbit), where it is (fly), its middle (above), metres.
    pub pivot: Vec3,
    /// Direction that it looks in, radians, 0 = −Z, left positive.
    pub yaw: f32,
    /// Above the horizon positive, radians.
    pub pitch: f32,
    /// Metres from the pivot (orbit), behind the robot (chase), across the picture (above).
    pub distance: f32,
    /// Width of the picture by its height.
    pub aspect: f32,
    /// Of free flight, metres a second.
    pub speed: f32,
    /// Room behind the robot, metres: a chase camera comes nearer rather than through a wall.
    pub room_m: f32,
    /// What of the scene is shown when everything is to be seen.
    home: Aabb,
}

/// Cameras do not look straighter up or down than this.
const MOST_PITCH: f32 = 89.0 * std::f32::consts::PI / 180.0;
/// Of the main view's lens, degrees across.
const HFOV_DEG: f32 = 75.0;

impl ViewCamera {
    /// A chase camera in a scene of this size.
    pub fn new(home: Aabb) -> Self {
        let mut camera = Self {
            mode: CameraMode::Chase,
            pivot: home.center(),
            yaw: 0.0,
            pitch: 0.0,
            distance: 2.0,
            aspect: 1.6,
            speed: 1.5,
            room_m: f32::INFINITY,
            home,
        };
        camera.reset();
        camera
    }

    /// Changes the mode; the same one again puts the camera back where that mode begins.
    pub fn choose(&mut self, mode: CameraMode, body: &Pose, now: &Eye) {
        if mode == self.mode {
            self.reset();
            return;
        }
        self.mode = mode;
        self.reset();
        if mode == CameraMode::Fly {
            // From where one was, looking the same way.
            let ahead = now.world_from_camera.vector(-Vec3::Z);
            self.pivot = now.world_from_camera.translation;
            self.yaw = libm::atan2f(-ahead.x, -ahead.z);
            self.pitch = libm::asinf(ahead.y.clamp(-1.0, 1.0)).clamp(-MOST_PITCH, MOST_PITCH);
            if now.spec.projection != (Projection::Pinhole { hfov_deg: HFOV_DEG }) {
                self.pivot = body.position + Vec3::Y * 1.5;
                self.yaw = body.heading.yaw() as f32;
                self.pitch = 0.0;
            }
        }
    }

    /// Puts the camera back where its mode begins.
    pub fn reset(&mut self) {
        let size = self.home.size();
        let span = size.x.max(size.z).max(1.0);
        self.pivot = self.home.center();
        match self.mode {
            CameraMode::Eyes => {}
            CameraMode::Chase => (self.yaw, self.pitch, self.distance) = (0.0, -0.5, 2.6),
            CameraMode::Orbit => (self.yaw, self.pitch, self.distance) = (0.6, -0.95, span * 0.85),
            CameraMode::Fly => (self.yaw, self.pitch) = (0.0, 0.0),
            CameraMode::Above => self.distance = 0.0,
        }
    }

    /// Turns by a drag of so many points.
    pub fn turn(&mut self, dx: f32, dy: f32) {
        match self.mode {
            CameraMode::Eyes => {}
            CameraMode::Above => self.shift(dx, dy, 500.0),
            CameraMode::Chase | CameraMode::Orbit | CameraMode::Fly => {
                self.yaw -= dx * 0.008;
                self.pitch = (self.pitch - dy * 0.008).clamp(-MOST_PITCH, MOST_PITCH);
            }
        }
    }

    /// Moves along the picture by a drag of so many points, in a picture `width` points wide.
    pub fn shift(&mut self, dx: f32, dy: f32, width: f32) {
        let scale = match self.mode {
            CameraMode::Above => self.across() / width.max(1.0),
            CameraMode::Orbit => self.distance * 1.5 / width.max(1.0),
            CameraMode::Fly => 4.0 / width.max(1.0),
            CameraMode::Eyes | CameraMode::Chase => return,
        };
        let (right, ahead) = if self.mode == CameraMode::Above {
            (Vec3::X, -Vec3::Z)
        } else {
            let heading = Heading::from_yaw(f64::from(self.yaw));
            (heading.right(), heading.forward())
        };
        self.pivot += right * (-dx * scale) + ahead * (dy * scale);
        self.keep_in();
    }

    /// Comes nearer (positive) or goes away by notches of a wheel; flies faster or slower.
    pub fn zoom(&mut self, notches: f32) {
        let factor = libm::powf(0.88, notches);
        match self.mode {
            CameraMode::Eyes => {}
            // One flies with keys; the wheel says how fast.
            CameraMode::Fly => self.speed = (self.speed / factor).clamp(0.2, 12.0),
            CameraMode::Above => {
                let most = self.whole_across() * 2.0;
                self.distance = (self.across() * factor).clamp(1.0, most);
            }
            CameraMode::Chase => self.distance = (self.distance * factor).clamp(0.3, 8.0),
            CameraMode::Orbit => {
                let most = self.home.size().length().max(1.0) * 3.0;
                self.distance = (self.distance * factor).clamp(0.3, most);
            }
        }
    }

    /// Flies by so many metres to the right, up and ahead.
    pub fn fly(&mut self, by: Vec3) {
        if self.mode == CameraMode::Fly {
            let right = Heading::from_yaw(f64::from(self.yaw)).right();
            self.pivot += right * by.x + Vec3::Y * by.y + self.ahead() * by.z;
            self.keep_in();
        }
    }

    /// Sees the whole scene: from above in that mode, around it in all others.
    pub fn go_home(&mut self) {
        if self.mode != CameraMode::Above {
            self.mode = CameraMode::Orbit;
        }
        self.reset();
    }

    /// Looks at a point from where it is.
    pub fn center_on(&mut self, point: Vec3) {
        if matches!(self.mode, CameraMode::Orbit | CameraMode::Above) {
            self.pivot = point;
            self.keep_in();
        }
    }

    /// Metres across the picture from above.
    fn across(&self) -> f32 {
        if self.distance > 0.0 { self.distance } else { self.whole_across() }
    }

    fn whole_across(&self) -> f32 {
        let size = self.home.size();
        size.x.max(size.z * self.aspect.clamp(0.2, 5.0)).max(1.0) * 1.1
    }

    fn ahead(&self) -> Vec3 {
        let (sin, cos) = (libm::sinf(self.pitch), libm::cosf(self.pitch));
        Heading::from_yaw(f64::from(self.yaw)).forward() * cos + Vec3::Y * sin
    }

    /// Nobody gets lost: at most one size of the scene away from it.
    fn keep_in(&mut self) {
        let room = self.home.size().max(Vec3::splat(1.0));
        self.pivot = self.pivot.clamp(self.home.min - room, self.home.max + room);
    }

    /// A narrow look from the robot to where a chase camera wants to be: what is nearest in it bounds
    /// [`ViewCamera::room_m`]. `None` in other modes.
    pub fn look_behind(&self, pose: &Pose) -> Option<Eye> {
        let spec = CameraSpec {
            name: "behind".to_owned(),
            width: 9,
            height: 9,
            projection: Projection::Pinhole { hfov_deg: 20.0 },
            mount: Vec3::ZERO,
            outputs: Outputs { depth: true, ..Outputs::NONE },
            ..CameraSpec::default()
        };
        let yaw = pose.heading.yaw() as f32 + self.yaw + std::f32::consts::PI;
        let world_from_camera = around(chased(pose), yaw, -self.pitch, 0.0);
        (self.mode == CameraMode::Chase).then_some(Eye { spec, world_from_camera })
    }

    /// The camera for a picture of this size, with the body at `pose` and `floor_y` the height of its
    /// floor. `cut_m` above that floor everything is cut away in pictures from above.
    pub fn eye(
        &self,
        width: u32,
        height: u32,
        pose: &Pose,
        tilt_rad: f64,
        robot: &CameraSpec,
        cut_y: f32,
    ) -> Eye {
        let outputs = Outputs { rgb: true, depth: true, instance: true, category: false };
        let lens = Projection::Pinhole { hfov_deg: HFOV_DEG };
        let free = CameraSpec {
            name: "view".to_owned(),
            width,
            height,
            projection: lens,
            mount: Vec3::ZERO,
            near_m: 0.05,
            outputs,
            ..CameraSpec::default()
        };
        match self.mode {
            CameraMode::Eyes => {
                let spec = CameraSpec { width, height, outputs, ..robot.clone() };
                Eye { world_from_camera: spec.world_from_camera(pose, tilt_rad), spec }
            }
            CameraMode::Chase => {
                let yaw = pose.heading.yaw() as f32 + self.yaw;
                let distance = self.distance.min((self.room_m - 0.1).max(0.3));
                Eye { world_from_camera: around(chased(pose), yaw, self.pitch, distance), spec: free }
            }
            CameraMode::Orbit => Eye {
                world_from_camera: around(self.pivot, self.yaw, self.pitch, self.distance),
                spec: free,
            },
            CameraMode::Fly => {
                Eye { world_from_camera: around(self.pivot, self.yaw, self.pitch, 0.0), spec: free }
            }
            CameraMode::Above => {
                let width_m = self.across();
                let top = Vec3::new(self.pivot.x, cut_y + 1.0, self.pivot.z);
                let spec = CameraSpec {
                    projection: Projection::Orthographic { width_m },
                    near_m: 1.0,
                    far_m: self.home.size().y + 60.0,
                    ..free
                };
                Eye { world_from_camera: around(top, 0.0, -FRAC_PI_2, 0.0), spec }
            }
        }
    }
}

/// What a chase camera looks at.
fn chased(pose: &Pose) -> Vec3 {
    pose.position + Vec3::Y * 0.9
}

/// A camera `distance` behind `pivot`, looking at it.
fn around(pivot: Vec3, yaw: f32, pitch: f32, distance: f32) -> Affine {
    let spec = CameraSpec { mount: Vec3::ZERO, pitch_deg: pitch.to_degrees(), ..CameraSpec::default() };
    let pose = Pose { position: pivot, heading: Heading::from_yaw(f64::from(yaw)) };
    let mut view = spec.world_from_camera(&pose, 0.0);
    view.translation -= view.vector(-Vec3::Z) * distance;
    view
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera() -> (ViewCamera, Pose) {
        let home = Aabb { min: Vec3::new(-5.0, 0.0, -4.0), max: Vec3::new(5.0, 2.6, 4.0) };
        (ViewCamera::new(home), Pose { position: Vec3::ZERO, heading: Heading::from_yaw(0.0) })
    }

    fn eye(camera: &ViewCamera, pose: &Pose) -> Eye {
        camera.eye(320, 200, pose, 0.0, &CameraSpec::default(), 2.0)
    }

    #[test]
    fn a_chase_camera_is_behind_and_above_the_body_and_turns_with_it() {
        let (camera, mut pose) = camera();
        let behind = eye(&camera, &pose).world_from_camera.translation;
        assert!(behind.z > 1.0 && behind.y > 1.5 && behind.x.abs() < 1e-5, "{behind}");
        // Facing west, behind is east.
        pose.heading = Heading::from_yaw(std::f64::consts::FRAC_PI_2);
        let behind = eye(&camera, &pose).world_from_camera.translation;
        assert!(behind.x > 1.0 && behind.z.abs() < 1e-5, "{behind}");
    }

    #[test]
    fn a_chase_camera_comes_nearer_where_there_is_no_room() {
        let (mut camera, pose) = camera();
        let free = eye(&camera, &pose).world_from_camera.translation;
        camera.room_m = 1.0;
        let near = eye(&camera, &pose).world_from_camera.translation;
        assert!((near - chased(&pose)).length() < 0.91 && free.distance(chased(&pose)) > 2.0);
        let behind = camera.look_behind(&pose).map(|eye| eye.world_from_camera.vector(-Vec3::Z));
        let towards = (free - chased(&pose)).normalize();
        assert!(behind.is_some_and(|behind| behind.dot(towards) > 0.9999));
    }

    #[test]
    fn an_orbit_looks_at_its_pivot_from_any_side() {
        let (mut camera, pose) = camera();
        camera.choose(CameraMode::Orbit, &pose, &eye(&camera, &pose));
        for _ in 0..7 {
            camera.turn(90.0, 13.0);
            let eye = eye(&camera, &pose);
            let to = (camera.pivot - eye.world_from_camera.translation).normalize();
            assert!(to.dot(eye.world_from_camera.vector(-Vec3::Z)) > 0.9999);
        }
    }

    #[test]
    fn from_above_north_is_up_and_everything_over_the_cut_is_nearer_than_near() {
        let (mut camera, pose) = camera();
        camera.choose(CameraMode::Above, &pose, &eye(&camera, &pose));
        let eye = eye(&camera, &pose);
        let up = eye.world_from_camera.vector(Vec3::Y);
        assert!((up - Vec3::new(0.0, 0.0, -1.0)).length() < 1e-5, "{up}");
        let top = eye.world_from_camera.translation.y - eye.spec.near_m;
        assert!((top - 2.0).abs() < 1e-5);
    }

    #[test]
    fn no_drag_and_no_wheel_loses_the_scene() {
        let (mut camera, pose) = camera();
        for mode in CameraMode::ALL {
            camera.choose(mode, &pose, &eye(&camera, &pose));
            for _ in 0..200 {
                camera.shift(500.0, -300.0, 900.0);
                camera.turn(-100.0, 900.0);
                camera.zoom(-5.0);
                camera.fly(Vec3::new(3.0, 3.0, 3.0));
            }
            let eye = eye(&camera, &pose);
            assert!(eye.world_from_camera.is_finite());
            assert!(eye.spec.validate().is_ok(), "{mode:?}");
            assert!(eye.world_from_camera.translation.length() < 120.0, "{mode:?}");
        }
    }
}
