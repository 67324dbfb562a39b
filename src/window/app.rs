//! The Bevy app around the window.

use super::frame::{self, Room};
use super::{Opening, shot};
use crate::exit::{self, Failure};
use ambler_plugin_panel::Load;
use ambler_plugin_view::{Asked, Gallery};
use ambler_session::{Desk, Engine, Painter};
use bevy::camera::RenderTarget;
use bevy::image::Image;
use bevy::log::LogPlugin;
use bevy::prelude::*;
use bevy::render::error_handler::{RenderError, RenderErrorHandler, RenderErrorPolicy};
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::render::render_resource::{
    Extent3d, PollType, TextureDimension, TextureFormat, TextureUsages,
};
use bevy::render::renderer::RenderDevice;
use bevy::render::{ExtractSchedule, Render, RenderApp, RenderPlugin, RenderSystems};
use bevy::window::{ExitCondition, PresentMode, WindowResolution};
use bevy::winit::{EventLoopProxyWrapper, WinitPlugin, WinitSettings, WinitUserEvent};
use bevy_egui::{EguiGlobalSettings, EguiPlugin, PrimaryEguiContext};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How a run of the window ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Ended {
    /// What a script found wrong.
    pub(super) failures: Vec<String>,
    /// Why nothing can be drawn any more.
    pub(super) lost: Option<String>,
}

/// Where the outcome is left, since an app that ends gives nothing back.
pub(super) type Outcome = Arc<Mutex<Ended>>;

/// What is drawn into where there is no window.
#[derive(Resource)]
pub(super) struct Canvas(pub(super) Handle<Image>);

/// A script without a window ends after so long without getting on.
const STUCK: Duration = Duration::from_secs(60);

/// Runs the window to its end.
pub(super) fn run(opening: Opening) -> Result<u8, Failure> {
    let outcome = Outcome::default();
    let theirs = Arc::clone(&outcome);
    // A driver that is missing or broken ends in a panic of the graphics library; it is told as what it is.
    let told: Arc<Mutex<Option<String>>> = Arc::default();
    let heard = Arc::clone(&told);
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let mut first = heard.lock().unwrap_or_else(PoisonError::into_inner);
        let what = info.payload_as_str().unwrap_or("it says no reason");
        first.get_or_insert_with(|| what.to_owned());
    }));
    let ran = catch_unwind(AssertUnwindSafe(|| {
        let mut app = build(opening, theirs);
        if app.world().contains_resource::<Canvas>() { drive(&mut app) } else { into_code(app.run()) }
    }));
    std::panic::set_hook(before);
    let ended = outcome.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some(lost) = ended.lost {
        return Err(Failure::Input(format!(
            "the graphics device failed: {lost}\nWhat was driven and saved is kept, and a sitting goes on where it \
             stopped: start it again. If it fails again, update the driver, or use Mesa's driver for processors \
             (VK_DRIVER_FILES=/usr/share/vulkan/icd.d/lvp_icd.x86_64.json)."
        )));
    }
    if !ended.failures.is_empty() {
        return Err(Failure::NotAsAsked(ended.failures.join("\n")));
    }
    match ran {
        Ok(code) => code,
        Err(_) => {
            let reason = told.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default();
            Err(Failure::Input(format!(
                "the window failed: {reason}\nWithout a graphics processor it needs Mesa's Vulkan driver \
                 (Debian: mesa-vulkan-drivers); `vulkaninfo --summary` shows what there is. Everything but \
                 the window works without."
            )))
        }
    }
}

fn into_code(exit: AppExit) -> Result<u8, Failure> {
    match exit {
        AppExit::Success => Ok(exit::DONE),
        AppExit::Error(_) => {
            Err(Failure::Input("the graphics driver gave up; what was driven and saved is kept".into()))
        }
    }
}

fn build(opening: Opening, outcome: Outcome) -> App {
    let [width, height] = opening.size;
    let window = Window {
        title: "Ambler".into(),
        resolution: WindowResolution::new(width, height),
        present_mode: PresentMode::AutoNoVsync,
        ..Window::default()
    };
    let plugins = DefaultPlugins
        .build()
        .disable::<LogPlugin>()
        // One more frame of delay, for nothing where a frame takes long.
        .disable::<PipelinedRenderingPlugin>()
        .set(RenderPlugin { synchronous_pipeline_compilation: true, ..RenderPlugin::default() });
    let mut app = App::new();
    if opening.offscreen {
        let none = WindowPlugin {
            primary_window: None,
            exit_condition: ExitCondition::DontExit,
            ..WindowPlugin::default()
        };
        app.add_plugins(plugins.disable::<WinitPlugin>().set(none));
    } else {
        let one = WindowPlugin { primary_window: Some(window), ..WindowPlugin::default() };
        app.add_plugins(plugins.set(one));
        // Frames are drawn when something happened; threads that finish something wake the window.
        let calm = bevy::winit::UpdateMode::reactive_low_power(Duration::from_secs(5));
        app.insert_resource(WinitSettings { focused_mode: calm, unfocused_mode: calm });
    }
    app.add_plugins(EguiPlugin::default());
    app.insert_resource(ClearColor(Color::srgb_u8(27, 29, 33)));
    let proxy = app.world().get_resource::<EventLoopProxyWrapper>().map(|proxy| (**proxy).clone());
    let wake = move || {
        if let Some(proxy) = &proxy {
            // A window that is gone need not be woken.
            let _ = proxy.send_event(WinitUserEvent::WakeUp);
        }
    };
    let Opening { host, info, keys, keys_file, robot, agent, first, script, offscreen, .. } = opening;
    let cameras = host.cameras().to_vec();
    let painter = Painter::start(wake.clone());
    let engine = match Engine::start(host, first, &agent, wake) {
        Ok(engine) => engine,
        Err(error) => panic!("no thread: {error}"),
    };
    app.insert_resource(Room {
        snapshot: engine.snapshot(),
        engine,
        painter,
        desk: Desk::default(),
        gallery: Gallery::default(),
        asked: Asked::default(),
        keys: Default::default(),
        keymap: keys,
        keys_file,
        info,
        load: Load::default(),
        cameras,
        robot_model: robot,
        robot: None,
        script,
        outcome,
        frames_still: 0,
        waiting_for_shot: false,
        latency: None,
        styled: None,
        seen: 0,
        shots: 0,
    });
    if offscreen {
        let canvas = canvas(&mut app, width, height);
        app.insert_resource(Canvas(canvas));
    }
    Clock::wind(&mut app);
    app.insert_resource(RenderErrorHandler(give_up));
    app.add_systems(Startup, camera);
    app.add_systems(Update, frame::refresh);
    app.add_systems(bevy_egui::EguiPrimaryContextPass, frame::draw);
    app.add_systems(Last, (frame::count, frame::advance, frame::leave).chain());
    app.add_observer(shot::keep);
    app
}

/// Keeps why the device failed, and ends the app.
fn give_up(error: &RenderError, main: &mut World, _: &mut World) -> RenderErrorPolicy {
    if let Some(room) = main.get_resource::<Room>() {
        let mut ended = room.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        ended.lost.get_or_insert_with(|| format!("{:?}: {}", error.ty, error.description));
    }
    main.write_message(AppExit::error());
    RenderErrorPolicy::StopRendering
}

/// How long the parts of the last frame took.
#[derive(Resource, Clone, Default)]
pub(super) struct Clock(Arc<Mutex<Times>>);

#[derive(Default)]
struct Times {
    begun: Option<Instant>,
    drawing: Option<Instant>,
    draw_s: f64,
    whole_s: f64,
}

impl Clock {
    /// Seconds of drawing, and of the whole frame.
    pub(super) fn last(&self) -> (f64, f64) {
        let times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (times.draw_s, times.whole_s)
    }

    fn note(&self, change: impl FnOnce(&mut Times)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Takes the times of each frame of an app.
    fn wind(app: &mut App) {
        let clock = Self::default();
        app.insert_resource(clock.clone());
        app.add_systems(First, |clock: Res<Clock>| clock.note(|it| it.begun = Some(Instant::now())));
        let Some(render) = app.get_sub_app_mut(RenderApp) else { return };
        render.insert_resource(clock);
        render.add_systems(ExtractSchedule, |clock: Res<Clock>| {
            clock.note(|it| it.drawing = Some(Instant::now()))
        });
        render.add_systems(
            Render,
            (|clock: Res<Clock>| {
                clock.note(|it| {
                    let since = |at: Option<Instant>| at.map_or(0.0, |at| at.elapsed().as_secs_f64());
                    (it.draw_s, it.whole_s) = (since(it.drawing), since(it.begun));
                });
            })
            .in_set(RenderSystems::PostCleanup),
        );
    }
}

fn canvas(app: &mut App, width: u32, height: u32) -> Handle<Image> {
    let size = Extent3d { width, height, depth_or_array_layers: 1 };
    let mut image = Image::new_fill(
        size,
        TextureDimension::D2,
        &[27, 29, 33, 255],
        TextureFormat::Rgba8UnormSrgb,
        bevy::asset::RenderAssetUsages::default(),
    );
    image.texture_descriptor.usage |= TextureUsages::RENDER_ATTACHMENT;
    app.world_mut().resource_mut::<Assets<Image>>().add(image)
}

fn camera(
    mut commands: Commands,
    canvas: Option<Res<Canvas>>,
    mut settings: ResMut<EguiGlobalSettings>,
) {
    settings.auto_create_primary_context = false;
    let mut camera = commands.spawn((Camera2d, PrimaryEguiContext));
    if let Some(canvas) = canvas {
        camera.insert(RenderTarget::Image(canvas.0.clone().into()));
    }
}

/// Runs an app without a window until its script is over.
fn drive(app: &mut App) -> Result<u8, Failure> {
    app.finish();
    app.cleanup();
    let mut last = (usize::MAX, Instant::now());
    loop {
        app.update();
        let device = app.world().resource::<RenderDevice>().clone();
        if device.wgpu_device().poll(PollType::Wait { submission_index: None, timeout: None }).is_err() {
            // Why is told by the next update, if anything tells it.
            app.update();
            return into_code(app.should_exit().unwrap_or(AppExit::error()));
        }
        if let Some(exit) = app.should_exit() {
            return into_code(exit);
        }
        let room = app.world().resource::<Room>();
        let line = room.script.line();
        if line != last.0 {
            last = (line, Instant::now());
        } else if last.1.elapsed() > STUCK {
            return Err(Failure::NotAsAsked(format!(
                "line {line} of the script did not get on within {} s: {}",
                STUCK.as_secs(),
                room.pending()
            )));
        } else if !room.busy() {
            std::thread::sleep(Duration::from_millis(2));
        }
        if room.engine.snapshot().working.is_some() {
            last.1 = Instant::now();
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
