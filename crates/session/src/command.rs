use crate::{CameraMode, EventKind};
use ambler_body::Action;
use ambler_geometry::Vec3;
use std::fmt;
use std::str::FromStr;

/// Everything that can be asked of a window with an episode in it. Keys, buttons, the palette and
/// scripts share these.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Act by hand.
    Act(Action),
    /// Take the last action back.
    Undo,
    /// Make the action again that was taken back.
    Redo,
    /// Begin the episode again.
    Reset,
    /// The next episode of the list.
    NextEpisode,
    /// The one before.
    PreviousEpisode,
    /// The episode at this place of the list.
    Open(usize),
    /// Walk to a place by the shortest path, in discrete actions.
    WalkTo(Vec3),
    /// End a walk or an agent's run.
    Halt,
    /// Let the agent act, or pause it.
    RunOrPause,
    /// Let the agent act once; in the past, show the next step.
    Forth(usize),
    /// Show an earlier step.
    Back(usize),
    /// Show this step.
    GoTo(usize),
    /// Show the first step.
    First,
    /// Show the newest step and follow.
    Live,
    /// Jump to the next event.
    NextEvent,
    /// Jump to the event before.
    PreviousEvent,
    /// Let the agent act until something of this kind happens.
    RunTo(EventKind),
    /// Take over at the step shown: what came after stays as a branch.
    Branch,
    /// Take over after this step.
    BranchAt(usize),
    /// Show this branch.
    ShowBranch(usize),
    /// Show another way beside the present one, or no longer: the one that was opened with it, else the
    /// newest branch.
    CompareOrNot,
    /// Show this branch beside the present way.
    Compare(usize),
    /// Show the step at which the two ways part.
    FirstDifference,
    /// Who acts: `human` or the name of a policy.
    Agent(String),
    /// Steps a second of a running agent; infinite for as fast as it can.
    Pace(f64),
    /// Show the main view from here; the same again resets it.
    Camera(CameraMode),
    /// Fly by so many metres to the right, up and ahead.
    Fly(Vec3),
    /// Show this floor; `None`: the one that the robot is on.
    Floor(Option<usize>),
    /// Show the next floor up (positive) or down.
    FloorBy(isize),
    /// Let the graphics device draw the main view, or the sensors' renderer.
    ToggleDevice,
    /// See the whole scene.
    Home,
    /// Cut the floor above a height on or off.
    ToggleCut,
    /// Show or hide a layer.
    ToggleLayer(String),
    /// Show or hide the map.
    ToggleMap,
    /// Show all layers, or hide them again.
    ToggleLayers,
    /// Open a part of the inspector, one of [`crate::TABS`].
    Tab(String),
    /// Select an instance, to see and to push it.
    Select(u32),
    /// Read the library of objects.
    Library,
    /// Take an object of the library into the hand, to be dropped by a click; `None` puts it away.
    Hold(Option<String>),
    /// Let an object of the library fall over a place.
    Drop(String, Vec3),
    /// Push an instance: metres a second.
    Push(u32, Vec3),
    /// Put all objects back, and take away what was dropped.
    PutBack,
    /// Show the keys.
    Help,
    /// Write the keys that were changed into a file.
    SaveKeys,
    /// Search for a command.
    Palette,
    /// Light or dark.
    Theme,
    /// Write a picture of the window.
    Screenshot,
    /// Keep the drive as a record.
    Save,
    /// Close the window.
    Quit,
}

/// Text that names no command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCommand(pub String);

impl fmt::Display for UnknownCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no command {:?}", self.0)
    }
}

impl std::error::Error for UnknownCommand {}

/// Names, titles and commands without a parameter of their own, in the order of a help sheet.
type Row = (&'static str, &'static str, fn() -> Command);

const ROWS: &[Row] = &[
    ("forward", "Forward", || Command::Act(Action::MoveForward)),
    ("left", "Turn left", || Command::Act(Action::TurnLeft)),
    ("right", "Turn right", || Command::Act(Action::TurnRight)),
    ("look-up", "Look up", || Command::Act(Action::LookUp)),
    ("look-down", "Look down", || Command::Act(Action::LookDown)),
    ("stop", "Stop", || Command::Act(Action::Stop)),
    ("undo", "Undo", || Command::Undo),
    ("redo", "Redo", || Command::Redo),
    ("reset", "Begin the episode again", || Command::Reset),
    ("next-episode", "Next episode", || Command::NextEpisode),
    ("previous-episode", "Previous episode", || Command::PreviousEpisode),
    ("halt", "Halt", || Command::Halt),
    ("run", "Run or pause", || Command::RunOrPause),
    ("forth", "Step forth", || Command::Forth(1)),
    ("back", "Step back", || Command::Back(1)),
    ("forth-10", "Ten steps forth", || Command::Forth(10)),
    ("back-10", "Ten steps back", || Command::Back(10)),
    ("first", "First step", || Command::First),
    ("live", "Newest step", || Command::Live),
    ("next-event", "Next event", || Command::NextEvent),
    ("previous-event", "Previous event", || Command::PreviousEvent),
    ("compare", "Compare with another way", || Command::CompareOrNot),
    ("first-difference", "Where the ways part", || Command::FirstDifference),
    ("run-to-collision", "Run to a collision", || Command::RunTo(EventKind::Collision)),
    ("run-to-stop", "Run to the stop", || Command::RunTo(EventKind::Stop)),
    ("branch", "Take over here", || Command::Branch),
    ("eyes", "Robot's eyes", || Command::Camera(CameraMode::Eyes)),
    ("chase", "Chase camera", || Command::Camera(CameraMode::Chase)),
    ("orbit", "Orbit camera", || Command::Camera(CameraMode::Orbit)),
    ("fly", "Free flight", || Command::Camera(CameraMode::Fly)),
    ("map", "From above", || Command::Camera(CameraMode::Above)),
    ("fly-ahead", "Fly ahead", || Command::Fly(Vec3::new(0.0, 0.0, 0.25))),
    ("fly-back", "Fly back", || Command::Fly(Vec3::new(0.0, 0.0, -0.25))),
    ("fly-left", "Fly left", || Command::Fly(Vec3::new(-0.25, 0.0, 0.0))),
    ("fly-right", "Fly right", || Command::Fly(Vec3::new(0.25, 0.0, 0.0))),
    ("fly-up", "Fly up", || Command::Fly(Vec3::new(0.0, 0.25, 0.0))),
    ("fly-down", "Fly down", || Command::Fly(Vec3::new(0.0, -0.25, 0.0))),
    ("home", "See the whole scene", || Command::Home),
    ("floor-up", "Next floor up", || Command::FloorBy(1)),
    ("floor-down", "Next floor down", || Command::FloorBy(-1)),
    ("floor-auto", "The robot's floor", || Command::Floor(None)),
    ("gpu", "View by the graphics device", || Command::ToggleDevice),
    ("cut", "Floor cut", || Command::ToggleCut),
    ("layers", "All layers", || Command::ToggleLayers),
    ("inset", "Map in the corner", || Command::ToggleMap),
    ("episode", "Inspector: episode", || Command::Tab("episode".into())),
    ("sensors", "Inspector: sensors", || Command::Tab("sensors".into())),
    ("agent", "Inspector: agent", || Command::Tab("agent".into())),
    ("world", "Inspector: world", || Command::Tab("world".into())),
    ("log", "Inspector: log", || Command::Tab("log".into())),
    ("ways", "Inspector: ways", || Command::Tab("ways".into())),
    ("put-back", "Put all objects back", || Command::PutBack),
    ("put-away", "Put the object in the hand away", || Command::Hold(None)),
    ("library", "Read the library of objects", || Command::Library),
    ("help", "Keys", || Command::Help),
    ("save-keys", "Save the keys", || Command::SaveKeys),
    ("palette", "Search commands", || Command::Palette),
    ("theme", "Light or dark", || Command::Theme),
    ("screenshot", "Screenshot", || Command::Screenshot),
    ("save", "Save the drive", || Command::Save),
    ("quit", "Quit", || Command::Quit),
];

impl Command {
    /// Every command that needs no parameter, with its title, in the order of a help sheet.
    pub fn all() -> impl Iterator<Item = (&'static str, &'static str, Self)> {
        ROWS.iter().map(|&(name, title, make)| (name, title, make()))
    }

    /// The command's name; with a parameter after a colon where it has one.
    pub fn name(&self) -> String {
        if let Some((name, ..)) = Self::all().find(|(.., command)| command == self) {
            return name.to_owned();
        }
        match self {
            Self::Open(index) => format!("open:{index}"),
            Self::WalkTo(to) => format!("walk:{},{},{}", to.x, to.y, to.z),
            Self::GoTo(step) => format!("go:{step}"),
            Self::BranchAt(step) => format!("branch:{step}"),
            Self::Forth(steps) => format!("forth:{steps}"),
            Self::Back(steps) => format!("back:{steps}"),
            Self::RunTo(kind) => format!("run-to:{}", kind.name()),
            Self::ShowBranch(branch) => format!("show-branch:{branch}"),
            Self::Compare(branch) => format!("compare:{branch}"),
            Self::Fly(by) => format!("fly-by:{},{},{}", by.x, by.y, by.z),
            Self::Select(instance) => format!("select:{instance}"),
            Self::Floor(Some(floor)) => format!("floor:{floor}"),
            Self::FloorBy(by) => format!("floor-by:{by}"),
            Self::Hold(Some(object)) => format!("hold:{object}"),
            Self::Drop(object, at) => format!("drop:{object},{},{},{}", at.x, at.y, at.z),
            Self::Push(id, way) => format!("push:{id},{},{},{}", way.x, way.y, way.z),
            Self::Agent(name) => format!("agent:{name}"),
            Self::Pace(steps) => format!("pace:{steps}"),
            Self::ToggleLayer(layer) => format!("layer:{layer}"),
            Self::Tab(tab) => format!("tab:{tab}"),
            // All others have a row.
            other => format!("{other:?}"),
        }
    }

    /// The command for people.
    pub fn title(&self) -> String {
        match Self::all().find(|(.., command)| command == self) {
            Some((_, title, _)) => title.to_owned(),
            None => self.name().replacen(':', " ", 1),
        }
    }
}

impl FromStr for Command {
    type Err = UnknownCommand;

    /// Reads what [`Command::name`] writes.
    fn from_str(text: &str) -> Result<Self, UnknownCommand> {
        if let Some((.., command)) = Self::all().find(|(name, ..)| *name == text) {
            return Ok(command);
        }
        let unknown = || UnknownCommand(text.to_owned());
        let (name, rest) = text.split_once(':').ok_or_else(unknown)?;
        let number = || rest.parse::<usize>().map_err(|_| unknown());
        Ok(match name {
            "open" => Self::Open(number()?),
            "go" => Self::GoTo(number()?),
            "branch" => Self::BranchAt(number()?),
            "forth" => Self::Forth(number()?),
            "back" => Self::Back(number()?),
            "show-branch" => Self::ShowBranch(number()?),
            "compare" => Self::Compare(number()?),
            "select" => Self::Select(rest.parse().map_err(|_| unknown())?),
            "floor" => Self::Floor(Some(number()?)),
            "floor-by" => Self::FloorBy(rest.parse().map_err(|_| unknown())?),
            "hold" if !rest.is_empty() => Self::Hold(Some(rest.to_owned())),
            "fly-by" => Self::Fly(vector(rest).ok_or_else(unknown)?),
            "drop" => {
                let (object, at) = rest.split_once(',').ok_or_else(unknown)?;
                Self::Drop(object.to_owned(), vector(at).ok_or_else(unknown)?)
            }
            "push" => {
                let (id, way) = rest.split_once(',').ok_or_else(unknown)?;
                let id = id.trim().parse().map_err(|_| unknown())?;
                Self::Push(id, vector(way).ok_or_else(unknown)?)
            }
            "agent" if !rest.is_empty() => Self::Agent(rest.to_owned()),
            "layer" if !rest.is_empty() => Self::ToggleLayer(rest.to_owned()),
            "tab" if !rest.is_empty() => Self::Tab(rest.to_owned()),
            "pace" => {
                let pace: f64 = rest.parse().map_err(|_| unknown())?;
                Self::Pace(Some(pace).filter(|pace| *pace > 0.0).ok_or_else(unknown)?)
            }
            "run-to" => {
                let kind = EventKind::ALL.into_iter().find(|kind| kind.name() == rest);
                Self::RunTo(kind.ok_or_else(unknown)?)
            }
            "walk" => Self::WalkTo(vector(rest).ok_or_else(unknown)?),
            _ => return Err(unknown()),
        })
    }
}

/// Three finite numbers with commas between.
fn vector(text: &str) -> Option<Vec3> {
    let numbers: Option<Vec<f32>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    let &[x, y, z] = numbers?.as_slice() else { return None };
    Some(Vec3::new(x, y, z)).filter(|vector| vector.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_comes_back_from_its_name() {
        let more = [
            Command::Open(3),
            Command::WalkTo(Vec3::new(1.5, 0.25, -2.0)),
            Command::GoTo(42),
            Command::BranchAt(4),
            Command::Forth(7),
            Command::RunTo(EventKind::NearGoal),
            Command::ShowBranch(1),
            Command::Compare(2),
            Command::Fly(Vec3::new(0.5, -1.0, 2.0)),
            Command::Floor(Some(1)),
            Command::FloorBy(2),
            Command::Select(7),
            Command::Hold(Some("mug_2".into())),
            Command::Drop("mug_2".into(), Vec3::new(1.0, 0.5, -2.0)),
            Command::Push(17, Vec3::new(1.5, 0.0, 0.0)),
            Command::Agent("exec:python3 agent.py".into()),
            Command::Pace(f64::INFINITY),
            Command::ToggleLayer("navmesh".into()),
            Command::Tab("other".into()),
        ];
        for command in Command::all().map(|(.., command)| command).chain(more) {
            assert_eq!(command.name().parse(), Ok(command.clone()), "{}", command.name());
        }
        let names: std::collections::BTreeSet<&str> = Command::all().map(|(name, ..)| name).collect();
        assert_eq!(names.len(), ROWS.len(), "no name twice");
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "fly away",
            "go:",
            "go:-1",
            "walk:1,2",
            "walk:1,x,2",
            "walk:1,NaN,2",
            "pace:0",
            "agent:",
            "drop:mug",
            "drop:mug,1,2",
            "push:x,1,2,3",
            "fly-by:1,2,inf",
            "floor:-1",
            "hold:",
        ] {
            assert!(text.parse::<Command>().is_err(), "{text}");
        }
    }
}
