use ambler_geometry::Vec3;
use ambler_sensor::{CameraSpec, Frame, Outputs, Projection, Renderer};
use ambler_session::{
    CameraMode, Desk, Eye, Moment, Painter, Robot, Snapshot, StageView, Wish, WishKey,
};
use std::sync::Arc;

/// A main view: the step, the camera, the state of the objects, the cut, whether the device draws it.
type View = (usize, Eye, u64, Option<f32>, bool);

/// What has been asked of the painter, so that nothing is drawn twice.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    number: u64,
    main: Option<View>,
    beside: Option<View>,
    sensors: Option<(usize, usize, [u32; 3], [u64; 2], u64)>,
    map: Option<(usize, f32, u64)>,
    /// The last look behind each robot, and how far it went, metres.
    behind: [Option<(Eye, f32)>; 2],
    /// Seconds that the last main view of full size took.
    full_s: f64,
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
/// While the camera moves, views that take longer than this (seconds) are drawn at half their size.
const SLOW_S: f64 = 0.03;

/// How far one sees in a narrow look, metres.
fn sight(renderer: &Renderer, eye: &Eye) -> f32 {
    let mut frame = Frame::default();
    if renderer.render(&eye.spec, &eye.world_from_camera, &mut frame).is_err() {
        return f32::INFINITY;
    }
    frame.depth.iter().copied().filter(|&depth| depth > 0.0).fold(f32::INFINITY, f32::min)
}

/// Asks for every picture that the desk shows and that is not there yet. `size` is that of a main view.
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
    ask_sensors(painter, asked, snapshot, desk.shown, cameras, stage, moment);
    let size = size.map(|side| side.clamp(16, 4096));
    if let Some(drawn) = painter.painting(WishKey::Main)
        && drawn.eye.spec.width == size[0]
    {
        asked.full_s = drawn.took_s;
    }
    desk.camera.aspect = size[0] as f32 / size[1] as f32;
    let hasty = desk.moving && asked.full_s > SLOW_S;
    let size = if hasty { size.map(|side| (side / 2).max(16)) } else { size };
    let front = cameras.first().cloned().unwrap_or_default();
    let mut views = Views { painter, snapshot, stage, robot, front: &front, size };
    let (eye, room_m) = views.ask(asked, desk, WishKey::Main, moment, desk.shown);
    desk.camera.room_m = room_m;
    if let Some(eye) = eye {
        desk.eye = Some(eye);
    }
    if let Some(beside) = &snapshot.beside
        && let Some(there) = beside.at(desk.time())
    {
        views.ask(asked, desk, WishKey::Beside, there, desk.time().min(beside.last()));
    } else {
        asked.beside = None;
    }
    ask_map(painter, asked, snapshot, desk, stage, moment);
}

fn ask_sensors(
    painter: &Painter,
    asked: &mut Asked,
    snapshot: &Snapshot,
    step: usize,
    cameras: &[CameraSpec],
    stage: &StageView,
    moment: &Moment,
) {
    let bits = [moment.pose.heading.yaw().to_bits(), moment.tilt_rad.to_bits()];
    let place = moment.pose.position.to_array().map(f32::to_bits);
    let now = (snapshot.index, step, place, bits, snapshot.hand.revision);
    if asked.sensors == Some(now) {
        return;
    }
    asked.sensors = Some(now);
    for (index, camera) in cameras.iter().enumerate() {
        let spec = CameraSpec { outputs: Outputs::ALL, ..camera.clone() };
        let eye = Eye { world_from_camera: spec.world_from_camera(&moment.pose, moment.tilt_rad), spec };
        painter.wish(Wish {
            key: WishKey::Sensor(index),
            number: asked.next(),
            step,
            eye,
            moved: snapshot.hand.moved.clone(),
            renderer: Arc::clone(&stage.renderer),
            cut_y: None,
            device: false,
        });
    }
}

/// What main views are asked with.
struct Views<'a> {
    painter: &'a Painter,
    snapshot: &'a Snapshot,
    stage: &'a StageView,
    robot: Option<&'a Robot>,
    front: &'a CameraSpec,
    size: [u32; 2],
}

impl Views<'_> {
    /// Asks for one view; returns its eye and the room behind the robot.
    fn ask(
        &mut self,
        asked: &mut Asked,
        desk: &Desk,
        key: WishKey,
        moment: &Moment,
        step: usize,
    ) -> (Option<Eye>, f32) {
        let behind = &mut asked.behind[usize::from(key == WishKey::Beside)];
        let room_m = match (desk.camera.look_behind(&moment.pose), &*behind) {
            (None, _) => f32::INFINITY,
            (Some(look), Some((last, far))) if look == *last => *far,
            (Some(look), _) => {
                let far = sight(&self.stage.renderer, &look);
                *behind = Some((look, far));
                far
            }
        };
        let eye = desk.eye_for(self.snapshot, moment, self.front, self.size, room_m);
        let Some(eye) = eye else { return (None, room_m) };
        let hand = &self.snapshot.hand;
        // What the robot sees is shown as its sensors have it.
        let inside = desk.camera.mode == CameraMode::Eyes;
        let device = desk.device && !inside;
        let view = (step, eye.clone(), hand.revision, desk.dollhouse_y(self.snapshot), device);
        let slot = if key == WishKey::Beside { &mut asked.beside } else { &mut asked.main };
        if slot.as_ref() != Some(&view) {
            let cut_y = view.3;
            *slot = Some(view);
            let (renderer, moved) = match self.robot {
                Some(robot) => {
                    let pose = (!inside).then_some(&moment.pose);
                    (Arc::clone(robot.renderer()), robot.at(&hand.moved, pose))
                }
                None => (Arc::clone(&self.stage.renderer), hand.moved.clone()),
            };
            let number = asked.next();
            let eye = eye.clone();
            self.painter.wish(Wish { key, number, step, eye, moved, renderer, cut_y, device });
        }
        (Some(eye), room_m)
    }
}

fn ask_map(
    painter: &Painter,
    asked: &mut Asked,
    snapshot: &Snapshot,
    desk: &Desk,
    stage: &StageView,
    moment: &Moment,
) {
    let bounds = stage.scene.bounds;
    let cut_y = desk.cut_y(snapshot, moment.pose.position.y, moment.pose.position.y + desk.cut_m);
    let map = (snapshot.index, cut_y, snapshot.hand.revision);
    let stale = asked.map.is_none_or(|last| {
        last.0 != map.0 || (cut_y - last.1).abs() > 0.3 || (last.2 != map.2 && !snapshot.hand.moving)
    });
    if !desk.inset || !stale {
        return;
    }
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
    painter.wish(Wish {
        key: WishKey::Map,
        number,
        step: desk.shown,
        eye,
        moved: snapshot.hand.moved.clone(),
        renderer: Arc::clone(&stage.renderer),
        cut_y: None,
        device: false,
    });
}
