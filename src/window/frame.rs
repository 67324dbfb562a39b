//! One frame of the window: what came in, the panels, what goes out.

use super::app::{Canvas, Clock, Outcome};
use super::expect;
use super::latency::Latency;
use super::script::{Script, Step};
use super::shot;
use ambler_plugin_panel::{
    CameraPictures, Info, Load, Pictures, apply_theme, inspector, status, toasts, top,
};
use ambler_plugin_teleop::{KeyMap, Keys, rebind, show_help, show_palette};
use ambler_plugin_view::{Asked, Gallery, GpuRenderer, ask, show_main};
use ambler_scene::SceneModel;
use ambler_sensor::CameraSpec;
use ambler_session::{CameraMode, Command, Desk, Engine, Painter, Robot, Snapshot, WishKey};
use bevy::prelude::*;
use bevy::render::renderer::{RenderAdapterInfo, RenderDevice, RenderQueue};
use bevy::window::RequestRedraw;
use bevy_egui::{EguiContexts, EguiUserTextures, egui};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Instant;

/// All that the window holds.
#[derive(Resource)]
pub(super) struct Room {
    pub(super) engine: Engine,
    /// What this frame shows.
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) painter: Painter,
    pub(super) desk: Desk,
    pub(super) gallery: Gallery,
    pub(super) asked: Asked,
    pub(super) keys: Keys,
    pub(super) keymap: KeyMap,
    pub(super) keys_file: PathBuf,
    pub(super) info: Info,
    pub(super) load: Load,
    pub(super) cameras: Vec<CameraSpec>,
    pub(super) robot_model: Option<SceneModel>,
    /// The robot in the scene that is shown, with that scene.
    pub(super) robot: Option<(Arc<SceneModel>, Robot)>,
    pub(super) script: Script,
    pub(super) outcome: Outcome,
    /// Frames in which nothing changed.
    pub(super) frames_still: u32,
    pub(super) waiting_for_shot: bool,
    pub(super) latency: Option<Latency>,
    /// The theme that is set.
    pub(super) styled: Option<bool>,
    /// Revision of the engine that was last drawn.
    pub(super) seen: u64,
    /// Screenshots taken by hand.
    pub(super) shots: u32,
}

/// A step of a script begins when so many frames were still.
const STILL: u32 = 3;

impl Room {
    /// Whether something is being done or drawn.
    pub(super) fn busy(&self) -> bool {
        self.frames_still < STILL
            || !self.engine.is_idle()
            || !self.painter.is_idle()
            || self.waiting_for_shot
    }

    /// What is waited for, for people.
    pub(super) fn pending(&self) -> String {
        let mut parts = Vec::new();
        if !self.engine.is_idle() {
            parts.push("the engine acts");
        }
        if !self.painter.is_idle() {
            parts.push("a picture is being drawn");
        }
        if self.waiting_for_shot {
            parts.push("a picture of the window is being read");
        }
        if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
    }

    fn keys_of_wishes(&self) -> Vec<WishKey> {
        let sensors = (0..self.cameras.len()).map(WishKey::Sensor);
        sensors.chain([WishKey::Main, WishKey::Beside, WishKey::Map]).collect()
    }

    fn pictures(&self) -> Pictures {
        let cameras = self.cameras.iter().enumerate().filter_map(|(index, camera)| {
            let key = WishKey::Sensor(index);
            let painting = Arc::clone(self.gallery.painting(key)?);
            let pictures = ["rgb", "depth", "instance", "category"]
                .into_iter()
                .filter_map(|name| {
                    let shown = self.gallery.picture(key, name)?;
                    Some((name, shown.texture, shown.size))
                })
                .collect();
            Some(CameraPictures { camera: camera.name.clone(), pictures, painting })
        });
        Pictures { cameras: cameras.collect() }
    }

    fn fail(&self, what: String) {
        let line = self.script.line();
        let mut ended = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        ended.failures.push(format!("line {line} of the script: {what}"));
    }

    /// A picture of the window was read and written.
    pub(super) fn shot_taken(&mut self, path: &Path, written: Result<(), String>) {
        self.waiting_for_shot = false;
        self.frames_still = 0;
        if let Err(error) = written {
            self.fail(format!("{}: {error}", path.display()));
        }
    }

    /// Writes the keys that were changed, where that is asked for.
    fn save_keys(&mut self) {
        if !std::mem::take(&mut self.desk.save_keys) {
            return;
        }
        let file = self.keys_file.display().to_string();
        self.desk.key_note = match std::fs::write(&self.keys_file, self.keymap.changes()) {
            Ok(()) => format!("written: start with --keys {file}"),
            Err(error) => format!("{file} cannot be written: {error}"),
        };
    }

    fn obey(&mut self, command: Command, snapshot: &Snapshot) {
        self.frames_still = 0;
        for command in self.desk.apply(command, snapshot) {
            self.engine.send(command);
        }
    }
}

/// Triangles that egui made of a frame.
fn triangles(output: &bevy_egui::EguiRenderOutput) -> usize {
    let of = |job: &egui::ClippedPrimitive| match &job.primitive {
        egui::epaint::Primitive::Mesh(mesh) => mesh.indices.len() / 3,
        egui::epaint::Primitive::Callback(_) => 0,
    };
    output.paint_jobs.iter().map(of).sum()
}

/// Counts what is about to be drawn.
pub(super) fn count(mut room: ResMut<Room>, drawn: Query<&bevy_egui::EguiRenderOutput>) {
    room.load.drawn = drawn.iter().map(triangles).sum();
}

/// Takes over what the threads have done.
pub(super) fn refresh(
    mut room: ResMut<Room>,
    mut images: ResMut<Assets<Image>>,
    mut textures: ResMut<EguiUserTextures>,
    adapter: Option<Res<RenderAdapterInfo>>,
    device: Option<Res<RenderDevice>>,
    queue: Option<Res<RenderQueue>>,
    clock: Res<Clock>,
) {
    let room = &mut *room;
    (room.load.draw_s, room.load.whole_s) = clock.last();
    if let Some(adapter) = adapter.filter(|_| room.info.adapter.0.is_empty()) {
        let slow = format!("{:?}", adapter.device_type) == "Cpu";
        room.info.adapter = (adapter.name.clone(), slow);
        // A processor draws faster by the sensors' renderer.
        room.desk.device = !slow;
    }
    if let (Some(device), Some(queue)) = (device, queue)
        && !room.painter.has_drawer()
    {
        let drawer = GpuRenderer::new(device.wgpu_device().clone(), (**queue.0).clone());
        room.painter.set_drawer(Arc::new(drawer));
    }
    room.snapshot = room.engine.snapshot();
    let snapshot = Arc::clone(&room.snapshot);
    let other = room.desk.notice(&snapshot);
    if snapshot.revision != room.seen {
        room.seen = snapshot.revision;
        room.frames_still = 0;
    }
    if other {
        room.asked.clear();
        room.painter.clear();
    }
    if let (Some(stage), Some(model)) = (&snapshot.stage, &room.robot_model)
        && room.robot.as_ref().is_none_or(|(shown, _)| !Arc::ptr_eq(shown, &stage.scene))
    {
        let robot = Robot::new(&stage.renderer, model, &Robot::body_from_file());
        room.robot = Some((Arc::clone(&stage.scene), robot));
    }
    let keys = room.keys_of_wishes();
    if room.gallery.refresh(&room.painter, &keys, &mut images, &mut textures) {
        room.frames_still = 0;
    }
    if let Some(stage) = &snapshot.stage {
        room.load.triangles = stage.scene.triangle_count();
    }
    let took = |key| room.gallery.painting(key).map_or(0.0, |painting| painting.took_s);
    let main = room.gallery.painting(WishKey::Main);
    room.load.view_drawn = main.and_then(|painting| painting.drawn);
    room.load.view_seen = main.and_then(|painting| painting.frame.triangles);
    room.load.problem = main.and_then(|painting| painting.problem.clone());
    (room.load.view_s, room.load.sensor_s) = (took(WishKey::Main), took(WishKey::Sensor(0)));
}

/// Lays out the panels, and carries out what they ask for.
pub(super) fn draw(
    mut contexts: EguiContexts,
    mut room: ResMut<Room>,
    mut redraw: MessageWriter<RequestRedraw>,
) -> Result {
    let context = contexts.ctx_mut()?.clone();
    let start = Instant::now();
    let room = &mut *room;
    if room.styled != Some(room.desk.dark) {
        apply_theme(&context, room.desk.dark);
        room.styled = Some(room.desk.dark);
    }
    let snapshot = Arc::clone(&room.snapshot);
    let pictures = room.pictures();
    let waits = rebind(&context, &mut room.keymap, &mut room.desk);
    let flying = (room.desk.camera.mode == CameraMode::Fly).then_some(room.desk.camera.speed);
    let mut commands =
        if waits { Vec::new() } else { room.keys.commands(&context, &room.keymap, flying) };
    let was_moving = room.desk.moving;
    room.desk.moving = commands.iter().any(|command| matches!(command, Command::Fly(_)));
    let mut wanted = [0, 0];
    let rect = context.content_rect();
    let mut ui = egui::Ui::new(
        context.clone(),
        egui::Id::new("window"),
        egui::UiBuilder::new().layer_id(egui::LayerId::background()).max_rect(rect),
    );
    let frame = egui::Frame::side_top_panel(ui.style());
    egui::Panel::top("top").exact_size(34.0).frame(frame).show(&mut ui, |ui| {
        top(ui, &snapshot, &room.desk, &room.info, &mut commands);
    });
    egui::Panel::bottom("status")
        .exact_size(20.0)
        .frame(frame.inner_margin(egui::Margin::symmetric(8, 0)))
        .show(&mut ui, |ui| status(ui, &room.info, &room.load));
    egui::Panel::bottom("timeline").exact_size(132.0).frame(frame).show(&mut ui, |ui| {
        ambler_plugin_timeline::show(ui, &snapshot, &room.desk, &mut commands);
    });
    let width = (rect.width() * 0.29).clamp(280.0, 420.0);
    egui::Panel::right("inspector").exact_size(width).frame(frame).show(&mut ui, |ui| {
        inspector(ui, &snapshot, &mut room.desk, &room.info, &pictures, &mut commands);
    });
    let center = egui::Frame::NONE.inner_margin(2).fill(ui.visuals().panel_fill);
    egui::CentralPanel::default().frame(center).show(&mut ui, |ui| {
        wanted = show_main(ui, &snapshot, &mut room.desk, &room.gallery, &mut commands);
    });
    show_help(&context, &room.keymap, &mut room.desk, &mut commands);
    show_palette(&context, &room.keymap, &mut room.desk, &mut commands);
    toasts(&context, &snapshot, &mut room.desk);
    let any = !commands.is_empty();
    for command in commands {
        room.obey(command, &snapshot);
    }
    let robot = room.robot.as_ref().map(|(_, robot)| robot);
    ask(&room.painter, &mut room.asked, &snapshot, &mut room.desk, &room.cameras, robot, wanted);
    room.load.frame_s = start.elapsed().as_secs_f64();
    room.save_keys();
    // When the camera comes to rest the view is drawn once more, sharp.
    let moved = room.desk.moving || was_moving;
    if any
        || moved
        || room.keys.holds()
        || !room.script.is_over()
        || room.desk.quit
        || room.desk.screenshot
    {
        redraw.write(RequestRedraw);
    }
    if let Some(latency) = &mut room.latency {
        latency.look(&snapshot, &room.gallery);
    }
    Ok(())
}

/// Goes on with the script when all that came before is done and drawn.
pub(super) fn advance(
    mut commands: Commands,
    mut room: ResMut<Room>,
    canvas: Option<Res<Canvas>>,
    device: Option<Res<RenderDevice>>,
    mut inputs: Query<&mut bevy_egui::EguiInput>,
    mut redraw: MessageWriter<RequestRedraw>,
) {
    let room = &mut *room;
    room.frames_still = room.frames_still.saturating_add(1);
    if room.desk.screenshot && !room.waiting_for_shot {
        room.desk.screenshot = false;
        room.shots += 1;
        let path = PathBuf::from(format!("ambler-{:03}.png", room.shots));
        room.waiting_for_shot = true;
        shot::take(&mut commands, canvas.as_deref(), path);
    }
    if let Some(latency) = &mut room.latency {
        redraw.write(RequestRedraw);
        if latency.pressed.is_none() {
            if latency.left == 0 {
                if let Some(done) = room.latency.take() {
                    crate::terminal::say(&done.report());
                }
            } else {
                let snapshot = room.engine.snapshot();
                latency.step = snapshot.moments.len();
                latency.numbers_done = false;
                latency.pressed = Some(Instant::now());
                let turn = if latency.left % 2 == 0 { "A" } else { "D" };
                press(turn, &mut inputs);
            }
        }
        return;
    }
    if room.busy() || room.script.is_over() {
        return;
    }
    redraw.write(RequestRedraw);
    let Some(step) = room.script.next() else { return };
    let snapshot = room.engine.snapshot();
    room.frames_still = 0;
    match step {
        Step::Do(name) => match name.parse::<Command>() {
            Ok(command) => room.obey(command, &snapshot),
            Err(error) => room.fail(error.to_string()),
        },
        Step::Key(chord) => {
            if !press(&chord, &mut inputs) {
                room.fail(format!("there is no key {chord:?}"));
            }
        }
        Step::Shot(path) => {
            room.waiting_for_shot = true;
            shot::take(&mut commands, canvas.as_deref(), PathBuf::from(path));
        }
        Step::LoseDevice => {
            if let Some(device) = device {
                device.wgpu_device().destroy();
            }
        }
        Step::Latency(presses) => room.latency = Some(Latency::new(presses.max(1))),
        expectation => {
            if let Err(what) = expect::holds(&expectation, &snapshot, &room.desk) {
                room.fail(what);
            }
        }
    }
}

/// Puts a key into the input of the next frame, as a keyboard does.
fn press(chord: &str, inputs: &mut Query<&mut bevy_egui::EguiInput>) -> bool {
    let mut modifiers = egui::Modifiers::NONE;
    let mut name = chord;
    while let Some((modifier, rest)) = name.split_once('+').filter(|(before, _)| !before.is_empty()) {
        match modifier {
            "Ctrl" => (modifiers.ctrl, modifiers.command) = (true, true),
            "Shift" => modifiers.shift = true,
            _ => return false,
        }
        name = rest;
    }
    let Some(key) = egui::Key::from_name(name) else { return false };
    for mut input in inputs.iter_mut() {
        for pressed in [true, false] {
            input.0.events.push(egui::Event::Key {
                key,
                physical_key: None,
                pressed,
                repeat: false,
                modifiers,
            });
        }
    }
    true
}

/// Closes the window when that is wanted.
pub(super) fn leave(room: Res<Room>, mut exit: MessageWriter<AppExit>) {
    let failed = !room.outcome.lock().unwrap_or_else(PoisonError::into_inner).failures.is_empty();
    if (room.desk.quit && !room.waiting_for_shot) || failed {
        exit.write(AppExit::Success);
    }
}
