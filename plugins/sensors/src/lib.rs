//! Cameras on the body: drawn once a step, after the body has moved.
//!
//! The images are drawn by `ambler_sensor` on the CPU, so they are the same on every machine. A
//! world whose policy needs no image leaves this plugin out, and no image is drawn. This crate
//! never looks at a task.
//!
//! ```no_run
//! use ambler_plugin_sensors::{Eyes, SensorsPlugin};
//! use ambler_sensor::{CameraSpec, Renderer};
//! # use ambler_plugin_simulation::Simulation;
//! # use std::sync::Arc;
//!
//! # fn scene() -> Arc<ambler_scene::SceneModel> { Arc::default() }
//! # fn body(_: &mut bevy::prelude::App) {}
//! let renderer = Arc::new(Renderer::new(scene()));
//! let cameras = vec![CameraSpec::default()];
//! let mut simulation = Simulation::new(|app| {
//!     body(app); // scene, navmesh and body plugins
//!     app.add_plugins(SensorsPlugin { renderer, cameras, detector_pixels: Some(25) });
//! });
//! simulation.start();
//! let eyes = simulation.world().resource::<Eyes>();
//! assert_eq!(eyes.frames[0].depth.len(), 256 * 256);
//! ```

use ambler_plugin_body::{Body, Motion};
use ambler_plugin_scene::MovedInstances;
use ambler_plugin_simulation::{SimStart, SimStep, StepSet};
use ambler_sensor::{CameraSpec, Detection, Frame, Renderer, SensorError, detect};
use bevy::prelude::*;
use std::sync::Arc;

/// What the cameras see now.
#[derive(Resource, Default)]
pub struct Eyes {
    /// The cameras.
    pub cameras: Vec<CameraSpec>,
    /// One frame a camera.
    pub frames: Vec<Frame>,
    /// What the ground-truth detector sees in each camera; empty when it does not run.
    pub detections: Vec<Vec<Detection>>,
    /// Why a camera could not be drawn.
    pub problem: Option<SensorError>,
    /// Nobody will look: nothing is drawn as long as this is set, and frames are as they were.
    pub closed: bool,
}

#[derive(Resource)]
struct Drawing {
    renderer: Arc<Renderer>,
    detector_pixels: Option<u32>,
}

/// Draws the cameras in [`StepSet::Sense`], at the start and in each step.
pub struct SensorsPlugin {
    /// Draws the scene; shared between worlds.
    pub renderer: Arc<Renderer>,
    /// Cameras on the body, each with the outputs that are wanted.
    pub cameras: Vec<CameraSpec>,
    /// The detector reports things of at least so many pixels; `None`: it does not run. It needs
    /// instance and depth images.
    pub detector_pixels: Option<u32>,
}

impl Plugin for SensorsPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(Drawing {
            renderer: Arc::clone(&self.renderer),
            detector_pixels: self.detector_pixels,
        });
        app.insert_resource(Eyes {
            frames: vec![Frame::default(); self.cameras.len()],
            cameras: self.cameras.clone(),
            ..Eyes::default()
        });
        app.init_resource::<MovedInstances>();
        app.add_systems(SimStart, sense.in_set(StepSet::Sense));
        app.add_systems(SimStep, sense.in_set(StepSet::Sense));
    }
}

/// From now on the cameras of a world draw with this renderer: of a scene with more or fewer things in it.
/// A world without cameras stays without.
pub fn set_renderer(world: &mut World, renderer: Arc<Renderer>) {
    if let Some(mut drawing) = world.get_resource_mut::<Drawing>() {
        drawing.renderer = renderer;
    }
}

fn sense(
    body: Single<&Body>,
    motion: Res<Motion>,
    drawing: Res<Drawing>,
    moved: Res<MovedInstances>,
    mut eyes: ResMut<Eyes>,
) {
    let state = body.state;
    let tilt_rad = f64::from(state.tilt) * motion.0.tilt_rad;
    let Eyes { cameras, frames, detections, problem, closed } = &mut *eyes;
    detections.clear();
    if *closed {
        return;
    }
    for (camera, frame) in cameras.iter().zip(frames) {
        let view = camera.world_from_camera(&state.pose, tilt_rad);
        if let Err(error) = drawing.renderer.render_moved(camera, &view, &moved.0, frame) {
            *problem = Some(error);
        }
        if let Some(pixels) = drawing.detector_pixels {
            detections.push(detect(drawing.renderer.scene(), frame, camera, pixels));
        }
    }
}
