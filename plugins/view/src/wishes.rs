use ambler_geometry::Vec3;
use ambler_sensor::{CameraSpec, Frame, Moved, Outputs, Projection, Renderer};
use ambler_session::{CameraMode, Desk, Eye, Painter, Robot, Snapshot, Wish, WishKey};
use std::sync::Arc;

/// What has been asked of the painter, so that nothing is drawn twice.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    number: u64,
    main: Option<(usize, Eye)>,
    sensors: Option<(usize, usize, [u32; 3], [u64; 2])>,
    map: Option<(usize, f32)>,
    /// The last look behind the robot, and how far it went, metres.
    behind: Option<(Eye, f32)>,
}

impl Asked {
    /// Forgets all: another scene was opened.
    pub fn clear(&mut self) {
        *self = Self { number: self.number, ..Self::default() };
    }

    fn next(&mut self) -> u64 {
        self.number += 1;
        self.number
    }
}

/// Pixels along the longer side of the map in the corner.
pub(crate) const MAP_PIXELS: f32 = 400.0;

/// How far one sees in a narrow look, metres.
fn sight(renderer: &Renderer, eye: &Eye) -> f32 {
    let mut frame = Frame::default();
    if renderer.render(&eye.spec, &eye.world_from_camera, &mut frame).is_err() {
        return f32::INFINITY;
    }
    frame.depth.iter().copied().filter(|&depth| depth > 0.0).fold(f32::INFINITY, f32::min)
}

/// Asks for every picture that the desk shows and that is not there yet. `size` is that of the main view.
pub fn ask(
    painter: &Painter,
    asked: &mut Asked,
    snapshot: &Snapshot,
    desk: &mut Desk,
    cameras: &[CameraSpec],
    robot: Option<&Robot>,
    size: [u32; 2],
) {
    let (Some(stage), Some(moment)) = (&snapshot.stage, snapshot.moments.get(desk.shown)) else {
        return;
    };
    let step = desk.shown;
    let none = Moved::default();
    let bits = [moment.pose.heading.yaw().to_bits(), moment.tilt_rad.to_bits()];
    let now = (snapshot.index, step, moment.pose.position.to_array().map(f32::to_bits), bits);
    if asked.sensors != Some(now) {
        asked.sensors = Some(now);
        for (index, camera) in cameras.iter().enumerate() {
            let spec = CameraSpec { outputs: Outputs::ALL, ..camera.clone() };
            let eye =
                Eye { world_from_camera: spec.world_from_camera(&moment.pose, moment.tilt_rad), spec };
            let number = asked.next();
            let renderer = Arc::clone(&stage.renderer);
            painter.wish(Wish {
                key: WishKey::Sensor(index),
                number,
                step,
                eye,
                moved: none.clone(),
                renderer,
            });
        }
    }
    let front = cameras.first().cloned().unwrap_or_default();
    let size = size.map(|side| side.clamp(16, 4096));
    desk.camera.room_m = match (desk.camera.look_behind(&moment.pose), &asked.behind) {
        (None, _) => f32::INFINITY,
        (Some(look), Some((last, far))) if look == *last => *far,
        (Some(look), _) => {
            let far = sight(&stage.renderer, &look);
            asked.behind = Some((look, far));
            far
        }
    };
    if let Some(eye) = desk.eye_for(snapshot, &front, size) {
        let inside = desk.camera.mode == CameraMode::Eyes;
        if asked.main.as_ref() != Some(&(step, eye.clone())) {
            asked.main = Some((step, eye.clone()));
            let (renderer, moved) = match robot {
                Some(robot) => {
                    let pose = (!inside).then_some(&moment.pose);
                    (Arc::clone(robot.renderer()), robot.at(&none, pose))
                }
                None => (Arc::clone(&stage.renderer), none.clone()),
            };
            let number = asked.next();
            painter.wish(Wish { key: WishKey::Main, number, step, eye: eye.clone(), moved, renderer });
        }
        desk.eye = Some(eye);
    }
    let bounds = stage.scene.bounds;
    let cut_y = moment.pose.position.y + desk.cut_m;
    let map = (snapshot.index, cut_y);
    let stale = asked.map.is_none_or(|(index, y)| index != map.0 || (y - map.1).abs() > 0.3);
    if desk.inset && stale {
        asked.map = Some(map);
        let extent = bounds.size();
        let scale = MAP_PIXELS / extent.x.max(extent.z).max(0.5);
        let [width, height] = [extent.x, extent.z].map(|side| ((side * scale) as u32).clamp(32, 800));
        let middle = bounds.center();
        let spec = CameraSpec {
            name: "map".to_owned(),
            width,
            height,
            projection: Projection::Orthographic { width_m: extent.x.max(0.5) * 1.04 },
            mount: Vec3::ZERO,
            pitch_deg: -90.0,
            near_m: 1.0,
            far_m: extent.y + 60.0,
            outputs: Outputs { rgb: true, depth: false, instance: false, category: false },
            ..CameraSpec::default()
        };
        let north = ambler_geometry::Pose {
            position: Vec3::new(middle.x, cut_y + 1.0, middle.z),
            heading: ambler_geometry::Heading::from_yaw(0.0),
        };
        let number = asked.next();
        let eye = Eye { world_from_camera: spec.world_from_camera(&north, 0.0), spec };
        let renderer = Arc::clone(&stage.renderer);
        painter.wish(Wish { key: WishKey::Map, number, step, eye, moved: none, renderer });
    }
}
