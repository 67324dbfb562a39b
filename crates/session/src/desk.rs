use crate::{CameraMode, Command, Eye, Snapshot, ViewCamera};
use ambler_geometry::{Aabb, Pose};
use std::collections::BTreeMap;

/// What a window remembers beside the episode: the step shown, the camera, which layers are on.
#[derive(Clone, Debug)]
pub struct Desk {
    /// The step shown.
    pub shown: usize,
    /// The newest step is shown as it comes.
    pub follow: bool,
    /// The camera of the main view.
    pub camera: ViewCamera,
    /// The eye that the main view was last drawn with.
    pub eye: Option<Eye>,
    /// Layers that were switched by hand; the others are as they come.
    pub layers: BTreeMap<String, bool>,
    /// A map in the corner of the main view.
    pub inset: bool,
    /// Whether everything above `cut_m` is cut away in pictures from above.
    pub cut: bool,
    /// Height of the cut over the floor of the body, metres.
    pub cut_m: f32,
    /// The part of the inspector that is open, one of [`TABS`].
    pub tab: String,
    /// The keys are shown.
    pub help: bool,
    /// What is searched for among the commands, while they are.
    pub palette: Option<String>,
    /// Light on dark.
    pub dark: bool,
    /// The instance that is selected.
    pub selected: Option<u32>,
    /// What episodes are searched for.
    pub search: String,
    /// Messages that have been closed.
    pub read: usize,
    /// A picture of the window is wanted.
    pub screenshot: bool,
    /// The window is to close.
    pub quit: bool,
    /// Place of the episode that was last noticed.
    noticed: Option<usize>,
}

/// The parts of the inspector.
pub const TABS: [&str; 5] = ["episode", "sensors", "agent", "world", "log"];

/// Height of the cut before anybody moves it: over table lamps, under lintels.
const CUT_M: f32 = 1.8;

impl Default for Desk {
    fn default() -> Self {
        Self {
            shown: 0,
            follow: true,
            camera: ViewCamera::new(Aabb { min: Default::default(), max: Default::default() }),
            eye: None,
            layers: BTreeMap::new(),
            inset: true,
            cut: true,
            cut_m: CUT_M,
            tab: TABS[0].to_owned(),
            help: false,
            palette: None,
            dark: true,
            selected: None,
            search: String::new(),
            read: 0,
            screenshot: false,
            quit: false,
            noticed: None,
        }
    }
}

impl Desk {
    /// Brings the desk up to date with what the engine shows. Says whether another scene was opened.
    pub fn notice(&mut self, snapshot: &Snapshot) -> bool {
        let last = snapshot.moments.len().saturating_sub(1);
        let scene = snapshot.stage.as_ref().map(|stage| stage.scene.bounds);
        let other = self.noticed != Some(snapshot.index) && snapshot.stage.is_some();
        if other {
            self.follow = true;
            self.selected = None;
            self.noticed = Some(snapshot.index);
            let mode = self.camera.mode;
            self.camera = ViewCamera::new(scene.unwrap_or(Aabb::EMPTY));
            if mode != CameraMode::Chase {
                self.camera.mode = mode;
                self.camera.reset();
            }
            self.eye = None;
        }
        if self.follow || self.shown > last {
            self.shown = last;
        }
        other
    }

    /// Whether the step shown is not the newest.
    pub fn in_the_past(&self, snapshot: &Snapshot) -> bool {
        self.shown + 1 < snapshot.moments.len()
    }

    /// Whether a layer is on.
    pub fn layer_on(&self, key: &str, otherwise: bool) -> bool {
        self.layers.get(key).copied().unwrap_or(otherwise)
    }

    /// Height in the world above which pictures from above are cut.
    pub fn cut_y(&self, floor_y: f32, top_y: f32) -> f32 {
        if self.cut { floor_y + self.cut_m } else { top_y }
    }

    /// Does what concerns the window; returns what the engine is to do.
    pub fn apply(&mut self, command: Command, snapshot: &Snapshot) -> Vec<Command> {
        let last = snapshot.moments.len().saturating_sub(1);
        let go = |desk: &mut Self, step: usize| {
            desk.shown = step.min(last);
            desk.follow = desk.shown == last;
        };
        match command {
            // Acting in the past takes over there: what came after stays as a branch.
            Command::Act(_) | Command::WalkTo(_) | Command::RunOrPause | Command::RunTo(_)
                if self.in_the_past(snapshot) && !snapshot.running =>
            {
                let step = self.shown;
                self.follow = true;
                return vec![Command::BranchAt(step), command];
            }
            Command::Branch => {
                let step = self.shown;
                self.follow = true;
                return vec![Command::BranchAt(step)];
            }
            Command::Act(_) | Command::WalkTo(_) | Command::Undo | Command::Redo | Command::Reset => {
                self.follow = true;
                return vec![command];
            }
            Command::GoTo(step) => go(self, step),
            Command::Back(steps) => go(self, self.shown.saturating_sub(steps)),
            Command::Forth(steps) => {
                // At the live end the agent acts; before it, time goes on.
                if !self.in_the_past(snapshot) {
                    self.follow = true;
                    return vec![Command::Forth(steps)];
                }
                go(self, self.shown + steps);
            }
            Command::First => go(self, 0),
            Command::Live => go(self, last),
            Command::NextEvent => {
                let next =
                    snapshot.events.iter().map(|event| event.step).find(|&step| step > self.shown);
                go(self, next.unwrap_or(last));
            }
            Command::PreviousEvent => {
                let before =
                    snapshot.events.iter().map(|event| event.step).rfind(|&step| step < self.shown);
                go(self, before.unwrap_or(0));
            }
            Command::Camera(mode) => {
                if let (Some(eye), Some(moment)) = (self.eye.clone(), snapshot.moments.get(self.shown)) {
                    self.camera.choose(mode, &moment.pose, &eye);
                } else {
                    self.camera.mode = mode;
                    self.camera.reset();
                }
            }
            Command::Home => self.camera.go_home(),
            Command::ToggleCut => self.cut = !self.cut,
            Command::ToggleMap => self.inset = !self.inset,
            Command::ToggleLayer(key) => {
                let on = self.layer_on(&key, snapshot.shows_by_itself(&key));
                self.layers.insert(key, !on);
            }
            Command::ToggleLayers => {
                let all = snapshot.layers.iter().all(|layer| self.layer_on(&layer.key, layer.shown));
                if all {
                    self.layers.clear();
                } else {
                    self.layers.extend(snapshot.layers.iter().map(|layer| (layer.key.clone(), true)));
                }
            }
            Command::Tab(tab) => self.tab = tab,
            Command::Help => self.help = !self.help,
            Command::Palette => {
                self.palette = if self.palette.is_some() { None } else { Some(String::new()) };
            }
            Command::Theme => self.dark = !self.dark,
            Command::Screenshot => self.screenshot = true,
            Command::Quit => self.quit = true,
            other => return vec![other],
        }
        Vec::new()
    }

    /// The eye for a main view of this size at the step shown.
    pub fn eye_for(
        &self,
        snapshot: &Snapshot,
        robot: &ambler_sensor::CameraSpec,
        size: [u32; 2],
    ) -> Option<Eye> {
        let moment = snapshot.moments.get(self.shown)?;
        let stage = snapshot.stage.as_ref()?;
        let pose: &Pose = &moment.pose;
        let cut_y = self.cut_y(pose.position.y, stage.scene.bounds.max.y);
        Some(self.camera.eye(size[0], size[1], pose, moment.tilt_rad, robot, cut_y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overlay;

    /// Regression: the first toggle of a layer that is hidden until somebody wants it did nothing.
    #[test]
    fn a_toggle_changes_whether_a_layer_is_on() {
        let snapshot = Snapshot::begin(0, 500, "frontier", vec![None]);
        for (key, before) in [(overlay::HERE, false), ("trajectory", true)] {
            let mut desk = Desk::default();
            assert_eq!(desk.layer_on(key, snapshot.shows_by_itself(key)), before);
            for on in [!before, before] {
                assert!(desk.apply(Command::ToggleLayer(key.to_owned()), &snapshot).is_empty());
                assert_eq!(desk.layer_on(key, snapshot.shows_by_itself(key)), on, "{key}");
            }
        }
    }
}
