use crate::drive::{HUMAN, History, ending};
use crate::overlay::{self, Overlay};
use crate::{Branch, Command, Drive, Ending, Event, EventKind, Moment, Thoughts, events};
use ambler_agent::Policy;
use ambler_body::{Action, BodyPreset, GreedyFollower, GreedySettings, Locomotion};
use ambler_episode::{Episode, SuccessRule};
use ambler_evaluate::Simulation;
use ambler_geometry::Vec3;
use ambler_navmesh::{NavMesh, NavQuery};
use ambler_scene::SceneModel;
use ambler_sensor::{CameraSpec, Renderer};
use crossbeam::channel::{Receiver, Sender, unbounded};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A scene with everything derived from it.
#[derive(Clone)]
pub struct StageView {
    /// The scene.
    pub scene: Arc<SceneModel>,
    /// The navmesh that the body walks on.
    pub navmesh: Arc<NavMesh>,
    /// Draws the scene.
    pub renderer: Arc<Renderer>,
    /// What the host wants kept as long as the scene is shown.
    pub keep: Arc<dyn std::any::Any + Send + Sync>,
}

/// What an engine is given to work with. Implemented above this crate.
pub trait Host: Send {
    /// The episodes of the sitting, in their order.
    fn episodes(&self) -> &[Arc<Episode>];

    /// How an episode went that was recorded, to be looked at; `None` where it is to be driven.
    fn history(&self, index: usize) -> Option<History> {
        let _ = index;
        None
    }

    /// How those ended that were driven before, in the same order.
    fn outcomes(&self) -> Vec<Option<Ending>>;

    /// Loads a scene, or shares it.
    ///
    /// # Errors
    /// Why there is none.
    fn stage(&self, scene: &str) -> Result<StageView, String>;

    /// A simulation for the episodes of a scene.
    ///
    /// # Errors
    /// Why there is none.
    fn simulation(&self, scene: &str) -> Result<Box<dyn Simulation>, String>;

    /// A policy by its name.
    ///
    /// # Errors
    /// Why there is none.
    fn policy(&self, name: &str) -> Result<Box<dyn Policy>, String>;

    /// The body.
    fn body(&self) -> &BodyPreset;

    /// Cameras on the body.
    fn cameras(&self) -> &[CameraSpec];

    /// What counts as success.
    fn rule(&self, episode: &Episode) -> SuccessRule;

    /// Most actions in an episode.
    fn step_limit(&self) -> u32;

    /// Keeps what was driven; says where.
    ///
    /// # Errors
    /// Why it could not be kept.
    fn save(&mut self, index: usize, actor: &str, actions: &[Action]) -> Result<PathBuf, String>;
}

/// How a message is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Good to know.
    Note,
    /// Something was not as asked.
    Warning,
    /// Something failed.
    Error,
}

/// Something to tell the person at the window.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// How it is meant.
    pub severity: Severity,
    /// What happened, and what to do.
    pub text: String,
}

/// How fast an agent runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace(
    /// Steps a second; infinite for as fast as it can.
    pub f64,
);

impl Pace {
    fn interval(self) -> Duration {
        if self.0.is_finite() { Duration::from_secs_f64(1.0 / self.0.max(0.1)) } else { Duration::ZERO }
    }
}

/// What a window shows. Cheap to clone.
#[derive(Clone)]
pub struct Snapshot {
    /// Grows with each change.
    pub revision: u64,
    /// What is being done that takes a while.
    pub working: Option<String>,
    /// Place of the episode in the list.
    pub index: usize,
    /// The episode.
    pub episode: Option<Arc<Episode>>,
    /// Its scene.
    pub stage: Option<StageView>,
    /// What counts as success.
    pub rule: Option<SuccessRule>,
    /// Most actions.
    pub step_limit: u32,
    /// Why the episode cannot be scored.
    pub invalid: Option<String>,
    /// The history, the start first; empty where the episode is invalid.
    pub moments: Arc<Vec<Moment>>,
    /// Its events.
    pub events: Arc<Vec<Event>>,
    /// What its policies thought.
    pub thoughts: Thoughts,
    /// Geodesic distance at the start, metres.
    pub shortest_m: f64,
    /// How it ended.
    pub ending: Option<Ending>,
    /// Who acts.
    pub actor: String,
    /// The agent that runs when it is asked to.
    pub agent: String,
    /// Whether the agent looked at privileged things.
    pub privileged: bool,
    /// An agent is running.
    pub running: bool,
    /// How fast.
    pub pace: Pace,
    /// A walk is under way along this path.
    pub walk: Option<Arc<Vec<Vec3>>>,
    /// Other ways that the episode went.
    pub kept: Arc<Vec<Branch>>,
    /// Where the present way left one of them.
    pub from: Option<(usize, usize)>,
    /// Actions that can be made again.
    pub can_redo: usize,
    /// Layers that do not change during the episode.
    pub layers: Arc<Vec<Overlay>>,
    /// All messages so far.
    pub messages: Arc<Vec<Message>>,
    /// Outcomes of the episodes driven in this sitting, by place in the list.
    pub outcomes: Arc<Vec<Option<Ending>>>,
}

impl Snapshot {
    /// What is shown before anything is opened.
    pub(crate) fn begin(
        index: usize,
        step_limit: u32,
        agent: &str,
        outcomes: Vec<Option<Ending>>,
    ) -> Self {
        Self {
            revision: 0,
            working: Some("starting".to_owned()),
            index,
            episode: None,
            stage: None,
            rule: None,
            step_limit,
            invalid: None,
            moments: Arc::default(),
            events: Arc::default(),
            thoughts: Thoughts::default(),
            shortest_m: 0.0,
            ending: None,
            actor: HUMAN.to_owned(),
            agent: agent.to_owned(),
            privileged: false,
            running: false,
            pace: Pace(8.0),
            walk: None,
            kept: Arc::default(),
            from: None,
            can_redo: 0,
            layers: Arc::default(),
            messages: Arc::default(),
            outcomes: Arc::new(outcomes),
        }
    }

    /// Whether a layer is shown before anybody chooses.
    pub fn shows_by_itself(&self, key: &str) -> bool {
        let known = self.layers.iter().find(|layer| layer.key == key).map(|layer| layer.shown);
        known.unwrap_or_else(|| key != overlay::HERE && !self.thoughts.schema(key).hidden)
    }

    /// How the history would have ended at a step.
    pub fn ending_at(&self, step: usize) -> Option<Ending> {
        let rule = self.rule.as_ref()?;
        let until = self.moments.get(..=step)?;
        ending(until, rule.distance_m, self.step_limit)
    }
}

/// Keeps an episode on a thread of its own.
pub struct Engine {
    commands: Sender<Command>,
    snapshot: Arc<Mutex<Arc<Snapshot>>>,
    /// Commands sent and not yet carried out.
    waiting: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
}

impl Engine {
    /// Starts the thread on the first episode; `wake` is called after each change.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn start(
        host: Box<dyn Host>,
        first: usize,
        agent: &str,
        wake: impl Fn() + Send + 'static,
    ) -> std::io::Result<Self> {
        let (commands, inbox) = unbounded();
        let now = Snapshot::begin(first, host.step_limit(), agent, host.outcomes());
        let snapshot = Arc::new(Mutex::new(Arc::new(now.clone())));
        let shared = Arc::clone(&snapshot);
        // The opening counts as a command.
        let waiting = Arc::new(AtomicUsize::new(1));
        let left = Arc::clone(&waiting);
        let thread = std::thread::Builder::new().name("engine".to_owned()).spawn(move || {
            let mut work = Work {
                host,
                drive: None,
                now,
                shared,
                wake: Box::new(wake),
                until: None,
                walk: None,
                due: Instant::now(),
            };
            work.open(first);
            left.fetch_sub(1, Ordering::Release);
            work.attend(&inbox, &left);
        })?;
        Ok(Self { commands, snapshot, waiting, thread: Some(thread) })
    }

    /// Asks for something. Commands that only concern the window are ignored.
    pub fn send(&self, command: Command) {
        self.waiting.fetch_add(1, Ordering::AcqRel);
        let _ = self.commands.send(command);
    }

    /// Whether all that was asked for is done and nothing runs by itself.
    pub fn is_idle(&self) -> bool {
        let done = self.waiting.load(Ordering::Acquire) == 0;
        let now = self.snapshot();
        done && !now.running && now.walk.is_none() && now.working.is_none()
    }

    /// The newest state.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.commands.send(Command::Quit);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A walk to a clicked place.
struct Walk {
    follower: GreedyFollower,
    query: NavQuery,
    locomotion: Locomotion,
    to: Vec3,
    steps: u32,
}

/// Walks make so many steps a second: fast, and slow enough to be followed by eye.
const WALK_PACE: Pace = Pace(12.0);
/// A walk that has not arrived after so many steps never will.
const MOST_WALK_STEPS: u32 = 1000;

struct Work {
    host: Box<dyn Host>,
    drive: Option<Drive>,
    now: Snapshot,
    shared: Arc<Mutex<Arc<Snapshot>>>,
    wake: Box<dyn Fn() + Send>,
    /// Run until something of this kind happens.
    until: Option<EventKind>,
    walk: Option<Walk>,
    /// When the next step of a run or a walk is due.
    due: Instant,
}

impl Work {
    fn attend(&mut self, inbox: &Receiver<Command>, left: &AtomicUsize) {
        loop {
            let acting = self.now.running || self.walk.is_some();
            let command = if acting {
                match inbox.recv_deadline(self.due) {
                    Ok(command) => Some(command),
                    Err(error) if error.is_timeout() => None,
                    Err(_) => return,
                }
            } else {
                match inbox.recv() {
                    Ok(command) => Some(command),
                    Err(_) => return,
                }
            };
            match command {
                Some(Command::Quit) => return,
                Some(command) => {
                    self.obey(command);
                    left.fetch_sub(1, Ordering::AcqRel);
                }
                None if self.walk.is_some() => self.stride(),
                None => self.run_once(),
            }
        }
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Act(action) => {
                self.halt();
                self.with(|drive| drive.act(action).map_err(|error| error.to_string()));
            }
            Command::Undo => {
                self.halt();
                self.with(|drive| drive.undo().then_some(()).ok_or("nothing was done yet".to_owned()));
            }
            Command::Redo => {
                self.halt();
                self.with(|drive| drive.redo().then_some(()).ok_or("nothing was taken back".to_owned()));
            }
            Command::Reset => {
                self.halt();
                self.with(|drive| {
                    drive.restart();
                    Ok(())
                });
            }
            Command::NextEpisode => self.open(self.now.index + 1),
            Command::PreviousEpisode => match self.now.index.checked_sub(1) {
                Some(index) => self.open(index),
                None => self.tell(Severity::Note, "this is the first episode".to_owned()),
            },
            Command::Open(index) => self.open(index),
            Command::WalkTo(to) => self.walk_to(to),
            Command::Halt => {
                self.halt();
                self.publish();
            }
            Command::RunOrPause => {
                if self.now.running {
                    self.halt();
                    self.publish();
                } else {
                    self.run(None);
                }
            }
            Command::RunTo(kind) => self.run(Some(kind)),
            Command::Forth(count) => {
                self.halt();
                if self.ready() {
                    for _ in 0..count {
                        if !self.decide() {
                            break;
                        }
                    }
                }
                self.publish();
            }
            Command::BranchAt(step) => {
                self.halt();
                self.with(|drive| {
                    drive.branch(step);
                    Ok(())
                });
            }
            Command::ShowBranch(branch) => {
                self.halt();
                self.with(|drive| {
                    drive.show(branch).then_some(()).ok_or("there is no such branch".to_owned())
                });
            }
            Command::Agent(name) => {
                self.halt();
                self.now.agent = name;
                self.publish();
            }
            Command::Pace(pace) => {
                self.now.pace = Pace(pace);
                self.publish();
            }
            Command::Save => self.save(),
            _ => {}
        }
    }

    fn with(&mut self, change: impl FnOnce(&mut Drive) -> Result<(), String>) {
        let result = match &mut self.drive {
            Some(drive) => change(drive),
            None => Err("there is no episode to drive".to_owned()),
        };
        if let Err(reason) = result {
            self.say(Severity::Warning, reason);
        }
        self.publish();
    }

    fn halt(&mut self) {
        self.now.running = false;
        self.until = None;
        self.walk = None;
        self.now.walk = None;
    }

    fn open(&mut self, index: usize) {
        self.halt();
        let Some(episode) = self.host.episodes().get(index).cloned() else {
            self.tell(Severity::Note, "this is the last episode".to_owned());
            return;
        };
        self.now.working = Some(format!("opening {}", episode.scene_id));
        self.publish();
        self.drive = None;
        self.now.index = index;
        self.now.invalid = None;
        self.now.moments = Arc::default();
        let rule = self.host.rule(&episode);
        let same = self.now.episode.as_ref().is_some_and(|old| old.scene_id == episode.scene_id);
        self.now.episode = Some(Arc::clone(&episode));
        self.now.rule = Some(rule.clone());
        let stage = match self.now.stage.take().filter(|_| same) {
            Some(stage) => Ok(stage),
            None => self.host.stage(&episode.scene_id),
        };
        match stage {
            Ok(stage) => {
                self.now.layers =
                    Arc::new(overlay::of_episode(&stage.scene, &stage.navmesh, &episode, &rule));
                self.now.stage = Some(stage);
                let begun = self.host.simulation(&episode.scene_id).and_then(|simulation| {
                    Drive::begin(simulation, Arc::clone(&episode), rule.distance_m, self.now.step_limit)
                });
                match begun {
                    Ok(mut drive) => {
                        if let Some(history) = self.host.history(index) {
                            history.actor.clone_into(&mut self.now.agent);
                            if let Some(step) = drive.load(&history) {
                                let text = format!(
                                    "simulated again, the body is elsewhere than recorded from step {step} on"
                                );
                                self.say(Severity::Warning, text);
                            }
                        }
                        self.drive = Some(drive);
                    }
                    Err(reason) => self.now.invalid = Some(reason),
                }
            }
            Err(reason) => {
                self.now.layers = Arc::default();
                self.now.invalid = Some(reason);
            }
        }
        if let Some(reason) = self.now.invalid.clone() {
            self.say(Severity::Error, format!("episode {} is invalid: {reason}", episode.episode_id));
        }
        self.now.working = None;
        self.publish();
    }

    fn ready(&mut self) -> bool {
        let Some(drive) = &mut self.drive else {
            self.say(Severity::Warning, "there is no episode to run an agent in".to_owned());
            return false;
        };
        if drive.has_policy() && drive.actor().ends_with(&self.now.agent) {
            return true;
        }
        let agent = self.now.agent.clone();
        let handed = self
            .host
            .policy(&agent)
            .and_then(|policy| drive.hand_over(&agent, policy).map_err(|error| error.to_string()));
        if let Err(reason) = handed {
            self.say(Severity::Error, reason);
            return false;
        }
        true
    }

    fn run(&mut self, until: Option<EventKind>) {
        self.halt();
        if self.drive.as_ref().is_some_and(|drive| drive.ending().is_some()) {
            self.tell(
                Severity::Note,
                "the episode has ended; begin it again, or take over earlier".to_owned(),
            );
            return;
        }
        if self.ready() {
            self.now.running = true;
            self.until = until;
            self.due = Instant::now();
        }
        self.publish();
    }

    fn run_once(&mut self) {
        self.due = Instant::now() + self.now.pace.interval();
        let before = self.now.events.len();
        if !self.decide() {
            self.halt();
        }
        self.publish();
        let happened = |kind| self.now.events.iter().skip(before).any(|event| event.kind == kind);
        if self.until.is_some_and(happened) || self.now.ending.is_some() {
            self.halt();
            self.publish();
        }
    }

    /// Lets the policy act once; says whether it did.
    fn decide(&mut self) -> bool {
        let Some(drive) = &mut self.drive else { return false };
        match drive.decide() {
            Ok(_) => true,
            Err(error) => {
                self.say(Severity::Warning, error.to_string());
                false
            }
        }
    }

    fn walk_to(&mut self, to: Vec3) {
        self.halt();
        let (Some(drive), Some(stage)) = (&self.drive, &self.now.stage) else { return };
        let Some(from) = drive.moments().last().map(|moment| moment.pose.position) else { return };
        let mut query = NavQuery::new(Arc::clone(&stage.navmesh));
        match query.find_path(from, to) {
            Ok(path) => {
                let settings = GreedySettings {
                    goal_radius_m: 0.75 * self.host.body().forward_m,
                    fix_thrashing: true,
                };
                let locomotion = Locomotion::from(self.host.body());
                self.walk = Some(Walk {
                    follower: GreedyFollower::new(settings),
                    query,
                    locomotion,
                    to,
                    steps: 0,
                });
                self.now.walk = Some(Arc::new(path.points));
                self.due = Instant::now();
                self.publish();
            }
            Err(reason) => self.tell(Severity::Note, format!("no way leads there: {reason}")),
        }
    }

    /// One step of a walk.
    fn stride(&mut self) {
        self.due = Instant::now() + WALK_PACE.interval();
        let (Some(walk), Some(drive)) = (&mut self.walk, &mut self.drive) else { return };
        let Some(pose) = drive.moments().last().map(|moment| moment.pose) else { return };
        walk.steps += 1;
        let next = walk.follower.next(pose, walk.to, &walk.locomotion, &mut walk.query);
        let arrived = match next {
            Ok(Action::Stop) => true,
            Ok(action) => match drive.act(action) {
                Ok(()) => walk.steps >= MOST_WALK_STEPS,
                Err(error) => {
                    self.say(Severity::Warning, error.to_string());
                    true
                }
            },
            Err(error) => {
                self.say(Severity::Note, format!("the walk ends here: {error}"));
                true
            }
        };
        if arrived {
            self.halt();
        }
        self.publish();
    }

    fn save(&mut self) {
        let Some(drive) = &self.drive else { return };
        let (actor, actions) = (drive.actor().to_owned(), drive.actions());
        match self.host.save(self.now.index, &actor, &actions) {
            Ok(path) => self.tell(Severity::Note, format!("saved in {}", path.display())),
            Err(reason) => self.tell(Severity::Error, format!("not saved: {reason}")),
        }
    }

    fn say(&mut self, severity: Severity, text: String) {
        Arc::make_mut(&mut self.now.messages).push(Message { severity, text });
    }

    fn tell(&mut self, severity: Severity, text: String) {
        self.say(severity, text);
        self.publish();
    }

    fn publish(&mut self) {
        self.now.revision += 1;
        if let Some(drive) = &self.drive {
            let ended = self.now.ending.is_some();
            self.now.moments = Arc::clone(drive.moments());
            let mut all = events(drive.moments(), drive.success_m());
            all.extend_from_slice(drive.thoughts().events());
            all.sort_by_key(|event| event.step);
            self.now.events = Arc::new(all);
            self.now.thoughts = drive.thoughts().clone();
            self.now.shortest_m = drive.shortest_m();
            self.now.ending = drive.ending();
            drive.actor().clone_into(&mut self.now.actor);
            self.now.privileged = drive.privileged();
            self.now.can_redo = drive.can_redo();
            self.now.from = drive.from();
            self.now.kept = Arc::new(drive.kept().to_vec());
            if let (Some(ending), false) = (self.now.ending, ended)
                && let Some(slot) = Arc::make_mut(&mut self.now.outcomes).get_mut(self.now.index)
            {
                *slot = Some(ending);
            }
        } else {
            self.now.moments = Arc::default();
            self.now.events = Arc::default();
            self.now.thoughts = Thoughts::default();
            self.now.ending = None;
            self.now.kept = Arc::default();
        }
        let snapshot = Arc::new(self.now.clone());
        *self.shared.lock().unwrap_or_else(PoisonError::into_inner) = snapshot;
        (self.wake)();
    }
}
