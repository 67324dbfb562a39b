use crate::host::{Host, StageView};
use crate::snapshot::{Message, Pace, Severity, Snapshot};
use crate::things::{Hand, Things};
use crate::{Beside, Branch, Command, Drive, EventKind, Parting, Thoughts, events, overlay, storeys};
use ambler_body::{Action, GreedyFollower, GreedySettings, Locomotion};
use ambler_geometry::Vec3;
use ambler_navmesh::NavQuery;
use crossbeam::channel::{Receiver, Sender, unbounded};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

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
                plain: None,
                things: None,
                falls: Instant::now(),
                ticks: 0,
                aside: None,
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
        done && !now.running && now.walk.is_none() && now.working.is_none() && !now.hand.moving
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

/// What is shown beside the present way.
enum Aside {
    /// A branch.
    Branch(usize),
    /// What the host gave: the way, the history that it was compared with, and in what they part.
    Given(Box<Branch>, Arc<Vec<crate::Moment>>, Arc<Vec<Parting>>),
}

pub(crate) struct Work {
    pub(crate) host: Box<dyn Host>,
    pub(crate) drive: Option<Drive>,
    pub(crate) now: Snapshot,
    shared: Arc<Mutex<Arc<Snapshot>>>,
    wake: Box<dyn Fn() + Send>,
    /// Run until something of this kind happens.
    until: Option<EventKind>,
    walk: Option<Walk>,
    /// When the next step of a run or a walk is due.
    due: Instant,
    /// The stage as it was loaded, without what was dropped.
    pub(crate) plain: Option<StageView>,
    /// Objects that a hand moves, once it has.
    pub(crate) things: Option<Box<dyn Things>>,
    /// When what falls is looked at next.
    pub(crate) falls: Instant,
    /// How often it was looked at since a hand did something.
    pub(crate) ticks: u32,
    aside: Option<Aside>,
}

impl Work {
    fn attend(&mut self, inbox: &Receiver<Command>, left: &AtomicUsize) {
        loop {
            let acting = self.now.running || self.walk.is_some();
            let falling = self.now.hand.moving;
            let due = match (acting, falling) {
                (true, true) => self.due.min(self.falls),
                (false, true) => self.falls,
                _ => self.due,
            };
            let command = if acting || falling {
                match inbox.recv_deadline(due) {
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
                None if falling && Instant::now() >= self.falls => self.fall(),
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
                // Whoever begins again with everything in its place is scored again.
                self.now.hand.touched = self.things.is_some();
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
            Command::Compare(branch) => {
                let there = self.drive.as_ref().is_some_and(|drive| branch < drive.kept().len());
                if there {
                    self.aside = Some(Aside::Branch(branch));
                    self.publish();
                } else {
                    self.tell(Severity::Note, "there is no such branch".to_owned());
                }
            }
            Command::CompareOrNot => self.compare(),
            Command::FirstDifference => {
                let text = match self.now.beside {
                    Some(_) => "the two ways are alike",
                    None => "no other way is shown beside this one (C)",
                };
                self.tell(Severity::Note, text.to_owned());
            }
            Command::Library => self.read_library(),
            Command::Drop(object, at) => self.drop_object(&object, at),
            Command::Push(instance, way) => self.push(instance, way),
            Command::PutBack => self.put_back(),
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

    pub(crate) fn halt(&mut self) {
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
        self.aside = None;
        self.things = None;
        let revision = self.now.hand.revision + 1;
        self.now.hand = Hand { revision, ..Hand::default() };
        self.now.stage = self.plain.take();
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
                if !same || self.now.storeys.is_empty() {
                    self.now.storeys = Arc::new(storeys(&stage.scene, &stage.navmesh));
                }
                self.plain = Some(stage.clone());
                self.now.stage = Some(stage);
                let begun = self.host.simulation(&episode.scene_id).and_then(|simulation| {
                    Drive::begin(simulation, Arc::clone(&episode), rule.distance_m, self.now.step_limit)
                });
                match begun {
                    Ok(mut drive) => {
                        let other = self.host.other(index);
                        let aside = other.as_ref().map(|other| {
                            drive.load(&other.history);
                            Box::new(drive.now())
                        });
                        if let Some(history) = self.host.history(index) {
                            history.actor.clone_into(&mut self.now.agent);
                            if let Some(step) = drive.load(&history) {
                                let text = format!(
                                    "simulated again, the body is elsewhere than recorded from step {step} on"
                                );
                                self.say(Severity::Warning, text);
                            }
                        }
                        if let (Some(aside), Some(other)) = (aside, other) {
                            let with = Arc::clone(drive.moments());
                            self.aside = Some(Aside::Given(aside, with, Arc::new(other.partings)));
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
        if self.now.hand.touched {
            self.tell(Severity::Error, format!("not saved: {}", crate::UNSCORED));
            return;
        }
        let (actor, actions) = (drive.actor().to_owned(), drive.actions());
        match self.host.save(self.now.index, &actor, &actions) {
            Ok(path) => self.tell(Severity::Note, format!("saved in {}", path.display())),
            Err(reason) => self.tell(Severity::Error, format!("not saved: {reason}")),
        }
    }

    pub(crate) fn say(&mut self, severity: Severity, text: String) {
        Arc::make_mut(&mut self.now.messages).push(Message { severity, text });
    }

    pub(crate) fn tell(&mut self, severity: Severity, text: String) {
        self.say(severity, text);
        self.publish();
    }

    /// Shows another way beside, or no longer.
    fn compare(&mut self) {
        if self.aside.is_some() {
            self.aside = None;
            self.publish();
            return;
        }
        let Some(drive) = &self.drive else { return };
        let given = self.host.other(self.now.index).and_then(|other| {
            let simulation = self.host.simulation(&drive.episode().scene_id).ok()?;
            let episode = Arc::clone(drive.episode());
            let mut there =
                Drive::begin(simulation, episode, drive.success_m(), self.now.step_limit).ok()?;
            there.load(&other.history);
            // What was recorded may be gone from the present way: they are compared as they are now.
            Some(Aside::Given(Box::new(there.now()), Arc::default(), Arc::default()))
        });
        let branch = drive.kept().len().checked_sub(1).map(Aside::Branch);
        self.aside = given.or(branch);
        if self.aside.is_none() {
            let text =
                "there is no other way yet: take over somewhere (B), or open a log with --against";
            self.say(Severity::Note, text.to_owned());
        }
        self.publish();
    }

    /// What is beside the present way of a drive.
    fn beside(&self, drive: &Drive) -> Option<Beside> {
        let (way, branch, known) = match self.aside.as_ref()? {
            Aside::Branch(branch) => (drive.kept().get(*branch)?, Some(*branch), None),
            Aside::Given(way, with, known) => {
                (&**way, None, Arc::ptr_eq(with, drive.moments()).then(|| Arc::clone(known)))
            }
        };
        let partings =
            known.unwrap_or_else(|| Arc::new(crate::beside::partings(drive.moments(), &way.moments)));
        let mut all = events(&way.moments, drive.success_m());
        all.extend_from_slice(way.thoughts.events());
        all.sort_by_key(|event| event.step);
        Some(Beside {
            actor: way.actor.clone(),
            branch,
            moments: Arc::clone(&way.moments),
            thoughts: way.thoughts.clone(),
            events: Arc::new(all),
            partings,
        })
    }

    pub(crate) fn publish(&mut self) {
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
            self.now.said = Arc::clone(drive.said());
            self.now.beside = self.beside(drive).map(Arc::new);
            if let (Some(ending), false, false) = (self.now.ending, ended, self.now.hand.touched)
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
            self.now.said = Arc::default();
            self.now.beside = None;
        }
        let snapshot = Arc::new(self.now.clone());
        *self.shared.lock().unwrap_or_else(PoisonError::into_inner) = snapshot;
        (self.wake)();
    }
}
