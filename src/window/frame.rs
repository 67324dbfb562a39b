//! One frame of the window: what came in, the panels, what goes out.

use super::app::{Canvas, Outcome};
use super::script::{Script, Step};
use super::shot;
use ambler_plugin_panel::{
    CameraPictures, Info, Load, Pictures, apply_theme, inspector, status, toasts, top,
};
use ambler_plugin_teleop::{KeyMap, Keys, show_help, show_palette};
use ambler_plugin_view::{Asked, Gallery, ask, show_main};
use ambler_scene::SceneModel;
use ambler_sensor::CameraSpec;
use ambler_session::{Command, Desk, Ending, Engine, Painter, Robot, Severity, Snapshot, WishKey};
use bevy::prelude::*;
use bevy::render::renderer::RenderAdapterInfo;
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
    pub(super) info: Info,
    pub(super) load: Load,
    pub(super) cameras: Vec<CameraSpec>,
    pub(super) robot_model: Option<SceneModel>,
    /// The robot in the scene that is shown, by the address of its scene.
    pub(super) robot: Option<(usize, Robot)>,
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

/// A measurement under way: how long after a key the numbers and the picture have changed.
pub(super) struct Latency {
    left: u32,
    pressed: Option<Instant>,
    step: usize,
    numbers_s: Vec<f64>,
    pictures_s: Vec<f64>,
    numbers_done: bool,
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
        sensors.chain([WishKey::Main, WishKey::Map]).collect()
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

    fn obey(&mut self, command: Command, snapshot: &Snapshot) {
        self.frames_still = 0;
        for command in self.desk.apply(command, snapshot) {
            self.engine.send(command);
        }
    }
}

/// Takes over what the threads have done.
pub(super) fn refresh(
    mut room: ResMut<Room>,
    mut images: ResMut<Assets<Image>>,
    mut textures: ResMut<EguiUserTextures>,
    adapter: Option<Res<RenderAdapterInfo>>,
) {
    let room = &mut *room;
    if let Some(adapter) = adapter.filter(|_| room.info.adapter.0.is_empty()) {
        let slow = format!("{:?}", adapter.device_type) == "Cpu";
        room.info.adapter = (adapter.name.clone(), slow);
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
    let scene = snapshot.stage.as_ref().map(|stage| Arc::as_ptr(&stage.scene) as usize);
    if let (Some(stage), Some(scene), Some(model)) = (&snapshot.stage, scene, &room.robot_model)
        && room.robot.as_ref().is_none_or(|(shown, _)| *shown != scene)
    {
        let robot = Robot::new(&stage.renderer, model, &Robot::body_from_file());
        room.robot = Some((scene, robot));
    }
    let keys = room.keys_of_wishes();
    if room.gallery.refresh(&room.painter, &keys, &mut images, &mut textures) {
        room.frames_still = 0;
    }
    if let Some(stage) = &snapshot.stage {
        room.load.triangles = stage.scene.triangle_count();
    }
    let took = |key| room.gallery.painting(key).map_or(0.0, |painting| painting.took_s);
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
    let mut commands = room.keys.commands(&context, &room.keymap);
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
    show_help(&context, &room.keymap, &mut room.desk);
    show_palette(&context, &room.keymap, &mut room.desk, &mut commands);
    toasts(&context, &snapshot, &mut room.desk);
    let any = !commands.is_empty();
    for command in commands {
        room.obey(command, &snapshot);
    }
    let robot = room.robot.as_ref().map(|(_, robot)| robot);
    ask(&room.painter, &mut room.asked, &snapshot, &mut room.desk, &room.cameras, robot, wanted);
    room.load.frame_s = start.elapsed().as_secs_f64();
    if any || room.keys.holds() || !room.script.is_over() || room.desk.quit || room.desk.screenshot {
        redraw.write(RequestRedraw);
    }
    if let Some(latency) = &mut room.latency {
        latency.look(&snapshot, &room.gallery);
    }
    Ok(())
}

impl Latency {
    fn new(presses: u32) -> Self {
        Self {
            left: presses,
            pressed: None,
            step: 0,
            numbers_s: Vec::new(),
            pictures_s: Vec::new(),
            numbers_done: false,
        }
    }

    /// Called after each layout: whether what the key changed is in it.
    fn look(&mut self, snapshot: &Snapshot, gallery: &Gallery) {
        let Some(pressed) = self.pressed else { return };
        let since = pressed.elapsed().as_secs_f64();
        if !self.numbers_done && snapshot.moments.len() - 1 >= self.step {
            self.numbers_done = true;
            self.numbers_s.push(since);
        }
        let drawn =
            gallery.painting(WishKey::Sensor(0)).is_some_and(|painting| painting.step >= self.step);
        if self.numbers_done && drawn {
            self.pictures_s.push(since);
            self.pressed = None;
            self.left -= 1;
        }
    }

    fn report(mut self) -> String {
        let median = |values: &mut Vec<f64>| {
            values.sort_by(f64::total_cmp);
            (values.get(values.len() / 2).copied().unwrap_or(0.0), values.last().copied().unwrap_or(0.0))
        };
        let (numbers, worst) = median(&mut self.numbers_s);
        let (pictures, slowest) = median(&mut self.pictures_s);
        format!(
            "latency of {} keys: numbers {:.0} ms median, {:.0} ms worst; picture {:.0} ms median, {:.0} ms worst",
            self.numbers_s.len(),
            numbers * 1000.0,
            worst * 1000.0,
            pictures * 1000.0,
            slowest * 1000.0
        )
    }
}

/// Goes on with the script when all that came before is done and drawn.
pub(super) fn advance(
    mut commands: Commands,
    mut room: ResMut<Room>,
    canvas: Option<Res<Canvas>>,
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
        Step::ExpectSteps(steps) => {
            let found = snapshot.moments.len().saturating_sub(1);
            if found != steps {
                room.fail(format!("{found} actions were made, not {steps}{}", told(&snapshot)));
            }
        }
        Step::ExpectShown(step) => {
            if room.desk.shown != step {
                room.fail(format!("step {} is shown, not {step}", room.desk.shown));
            }
        }
        Step::ExpectEnding(wanted) => {
            let found = match (&snapshot.invalid, snapshot.ending) {
                (Some(_), _) => "invalid",
                (None, None) => "open",
                (None, Some(Ending::Success)) => "success",
                (None, Some(_)) => "failure",
            };
            if found != wanted {
                room.fail(format!("the episode is {found}, not {wanted}{}", told(&snapshot)));
            }
        }
        Step::ExpectBranches(count) => {
            if snapshot.kept.len() != count {
                room.fail(format!("{} branches were kept, not {count}", snapshot.kept.len()));
            }
        }
        Step::Latency(presses) => room.latency = Some(Latency::new(presses.max(1))),
    }
}

/// The last thing that went wrong, for a script's failure.
fn told(snapshot: &Snapshot) -> String {
    let last = snapshot.messages.iter().rev().find(|message| message.severity != Severity::Note);
    last.map_or(String::new(), |message| format!(" ({})", message.text))
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
