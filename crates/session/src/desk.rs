use crate::storeys::{Storey, storey_at};
use crate::{CameraMode, Command, Eye, Moment, Snapshot, ViewCamera};
use ambler_geometry::{Aabb, Vec3};
use std::collections::BTreeMap;

/// What a window remembers beside the episode: the step shown, the camera, which layers are on.
#[derive(Clone, Debug)]
pub struct Desk {
    /// The step shown.
    pub shown: usize,
    /// Steps by which the time shown is after the end of the present way, where another way shown beside it
    /// is longer.
    pub beyond: usize,
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
    /// The floor that is shown; `None`: the one that the robot is on.
    pub floor: Option<usize>,
    /// The graphics device draws the main view, but for the robot's eyes.
    pub device: bool,
    /// The camera is being moved: a quick picture now counts for more than a sharp one.
    pub moving: bool,
    /// The object of the library that a click drops.
    pub hold: Option<String>,
    /// The place that was clicked last.
    pub picked: Option<Vec3>,
    /// The part of the inspector that is open, one of [`TABS`].
    pub tab: String,
    /// The keys are shown.
    pub help: bool,
    /// The command that the next key is given to, and what was said about it.
    pub rebinding: Option<String>,
    /// The keys are to be written into their file.
    pub save_keys: bool,
    /// What came of the last change of a key.
    pub key_note: String,
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
pub const TABS: [&str; 6] = ["episode", "sensors", "agent", "world", "ways", "log"];

/// Height of the cut before anybody moves it: over table lamps, under lintels.
const CUT_M: f32 = 1.8;

impl Default for Desk {
    fn default() -> Self {
        Self {
            shown: 0,
            beyond: 0,
            follow: true,
            camera: ViewCamera::new(Aabb { min: Default::default(), max: Default::default() }),
            eye: None,
            layers: BTreeMap::new(),
            inset: true,
            cut: true,
            cut_m: CUT_M,
            floor: None,
            device: false,
            moving: false,
            hold: None,
            picked: None,
            rebinding: None,
            save_keys: false,
            key_note: String::new(),
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
            self.floor = None;
            self.hold = None;
            self.picked = None;
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
        let room = snapshot.beside.as_ref().map_or(0, |beside| beside.last().saturating_sub(last));
        self.beyond = if self.shown == last { self.beyond.min(room) } else { 0 };
        other
    }

    /// The time shown: a step of the longer of two ways.
    pub fn time(&self) -> usize {
        self.shown + self.beyond
    }

    /// Whether the step shown is not the newest.
    pub fn in_the_past(&self, snapshot: &Snapshot) -> bool {
        self.shown + 1 < snapshot.moments.len()
    }

    /// Whether a layer is on.
    pub fn layer_on(&self, key: &str, otherwise: bool) -> bool {
        self.layers.get(key).copied().unwrap_or(otherwise)
    }

    /// The floor that is shown, with its place among all.
    pub fn storey<'a>(&self, snapshot: &'a Snapshot) -> Option<(usize, &'a Storey)> {
        let auto = || {
            let moment = snapshot.moments.get(self.shown)?;
            storey_at(&snapshot.storeys, moment.pose.position.y)
        };
        let index = self.floor.filter(|&floor| floor < snapshot.storeys.len()).or_else(auto)?;
        snapshot.storeys.get(index).map(|storey| (index, storey))
    }

    /// Height in the world above which pictures from above are cut, for a body that stands at `body_y` in a
    /// scene that reaches up to `top_y`.
    pub fn cut_y(&self, snapshot: &Snapshot, body_y: f32, top_y: f32) -> f32 {
        let chosen = self.floor.and_then(|floor| snapshot.storeys.get(floor));
        let floor_y = chosen.map_or(body_y, |storey| storey.floor_y);
        let lid = self.storey(snapshot).map_or(f32::INFINITY, |(_, storey)| storey.top_y);
        let height = if self.cut { floor_y + self.cut_m } else { top_y };
        height.min(lid)
    }

    /// Height above which the main view is cut away like a doll's house: the floors over the one shown, seen
    /// from outside, and in free flight where a floor was chosen. `None`: nothing is.
    pub fn dollhouse_y(&self, snapshot: &Snapshot) -> Option<f32> {
        let wanted = match self.camera.mode {
            CameraMode::Orbit => true,
            CameraMode::Fly => self.floor.is_some(),
            CameraMode::Eyes | CameraMode::Chase | CameraMode::Above => false,
        };
        let (_, storey) = self.storey(snapshot).filter(|_| wanted)?;
        Some(storey.top_y).filter(|top| top.is_finite())
    }

    /// Heights between which marks belong to the floor shown, for the map and for views in which other floors
    /// are cut away.
    pub fn band(&self, snapshot: &Snapshot) -> Option<[f32; 2]> {
        let (index, storey) = self.storey(snapshot).filter(|_| snapshot.storeys.len() > 1)?;
        let low = if index == 0 { f32::NEG_INFINITY } else { storey.floor_y - 0.3 };
        Some([low, storey.top_y])
    }

    /// Does what concerns the window; returns what the engine is to do.
    pub fn apply(&mut self, command: Command, snapshot: &Snapshot) -> Vec<Command> {
        let last = snapshot.moments.len().saturating_sub(1);
        let end = snapshot.beside.as_ref().map_or(last, |beside| beside.last().max(last));
        let go = |desk: &mut Self, step: usize| {
            desk.shown = step.min(last);
            desk.beyond = step.min(end) - desk.shown;
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
            Command::Back(steps) => go(self, self.time().saturating_sub(steps)),
            Command::Forth(steps) => {
                // At the live end the agent acts; before it, time goes on.
                if self.time() >= end {
                    self.follow = true;
                    return vec![Command::Forth(steps)];
                }
                go(self, self.time() + steps);
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
            Command::FirstDifference => match snapshot.beside.as_ref().and_then(|it| it.parts_at()) {
                Some(step) => go(self, step),
                None => return vec![Command::FirstDifference],
            },
            Command::Fly(by) => self.camera.fly(by),
            Command::Floor(floor) => self.floor = floor.filter(|&it| it < snapshot.storeys.len()),
            Command::FloorBy(by) => {
                let now = self.storey(snapshot).map_or(0, |(index, _)| index);
                let most = snapshot.storeys.len().saturating_sub(1);
                self.floor = Some(now.saturating_add_signed(by).min(most));
            }
            Command::Select(instance) => {
                let known = snapshot.stage.as_ref().and_then(|stage| stage.scene.instance(instance));
                self.selected = known.map(|known| known.id);
            }
            Command::Hold(object) => self.hold = object,
            Command::Halt => {
                self.hold = None;
                return vec![Command::Halt];
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
            Command::ToggleDevice => self.device = !self.device,
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
            Command::Help => {
                self.help = !self.help;
                self.rebinding = None;
            }
            Command::SaveKeys => self.save_keys = true,
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

    /// The eye for a main view of this size with the robot as it is at `moment`; a chase camera has `room_m`
    /// behind the robot.
    pub fn eye_for(
        &self,
        snapshot: &Snapshot,
        moment: &Moment,
        robot: &ambler_sensor::CameraSpec,
        size: [u32; 2],
        room_m: f32,
    ) -> Option<Eye> {
        let stage = snapshot.stage.as_ref()?;
        let pose = &moment.pose;
        let cut_y = self.cut_y(snapshot, pose.position.y, stage.scene.bounds.max.y);
        let mut camera = self.camera.clone();
        camera.room_m = room_m;
        Some(camera.eye(size[0], size[1], pose, moment.tilt_rad, robot, cut_y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Beside, overlay};
    use std::sync::Arc;

    fn moments(count: usize, y: f32) -> Arc<Vec<Moment>> {
        let mut moment = Moment::default();
        moment.pose.position.y = y;
        Arc::new(vec![moment; count])
    }

    #[test]
    fn the_longer_of_two_ways_is_scrubbed_to_its_end() {
        let mut snapshot = Snapshot::begin(0, 500, "frontier", vec![None]);
        snapshot.moments = moments(4, 0.0);
        let beside = Beside {
            actor: "greedy".to_owned(),
            branch: None,
            moments: moments(8, 0.0),
            thoughts: Default::default(),
            events: Arc::default(),
            partings: Arc::new(vec![crate::Parting {
                step: 2,
                kind: "pose".to_owned(),
                text: String::new(),
            }]),
        };
        snapshot.beside = Some(Arc::new(beside));
        let mut desk = Desk::default();
        desk.notice(&snapshot);
        assert!(desk.apply(Command::GoTo(6), &snapshot).is_empty());
        desk.notice(&snapshot);
        assert_eq!((desk.shown, desk.beyond, desk.time()), (3, 3, 6));
        assert!(desk.apply(Command::Back(4), &snapshot).is_empty());
        assert_eq!((desk.shown, desk.beyond), (2, 0));
        assert!(desk.apply(Command::FirstDifference, &snapshot).is_empty());
        assert_eq!(desk.time(), 2);
        assert!(desk.apply(Command::Forth(99), &snapshot).is_empty());
        assert_eq!(desk.time(), 7);
        // At the end of both the agent acts.
        assert_eq!(desk.apply(Command::Forth(1), &snapshot), [Command::Forth(1)]);
        snapshot.beside = None;
        desk.notice(&snapshot);
        assert_eq!((desk.shown, desk.beyond), (3, 0));
    }

    #[test]
    fn a_chosen_floor_is_cut_under_the_next_and_without_choice_it_is_the_robots() {
        let mut snapshot = Snapshot::begin(0, 500, "frontier", vec![None]);
        let storey = |floor_y: f32, top_y: f32| Storey { name: String::new(), floor_y, top_y };
        snapshot.storeys = Arc::new(vec![storey(0.0, 2.4), storey(2.8, f32::INFINITY)]);
        snapshot.moments = moments(1, 2.8);
        let mut desk = Desk::default();
        desk.camera.mode = CameraMode::Orbit;
        assert_eq!(
            (desk.storey(&snapshot).map(|it| it.0), desk.dollhouse_y(&snapshot)),
            (Some(1), None)
        );
        assert!((desk.cut_y(&snapshot, 2.8, 6.0) - 4.6).abs() < 1e-6);
        desk.apply(Command::FloorBy(-1), &snapshot);
        assert_eq!((desk.floor, desk.dollhouse_y(&snapshot)), (Some(0), Some(2.4)));
        assert!((desk.cut_y(&snapshot, 2.8, 6.0) - 1.8).abs() < 1e-6);
        desk.cut = false;
        assert_eq!(desk.cut_y(&snapshot, 2.8, 6.0), 2.4);
        desk.camera.mode = CameraMode::Chase;
        assert_eq!(desk.dollhouse_y(&snapshot), None);
        desk.apply(Command::FloorBy(7), &snapshot);
        assert_eq!(desk.floor, Some(1));
        desk.apply(Command::Floor(Some(2)), &snapshot);
        assert_eq!(desk.floor, None, "there is no such floor");
    }

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
