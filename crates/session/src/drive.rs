use crate::Moment;
use crate::thoughts::{Thoughts, listen};
use ambler_agent::layers::Board;
use ambler_agent::{Needs, Policy};
use ambler_body::Action;
use ambler_episode::Episode;
use ambler_evaluate::{EpisodeRecord, Simulation};
use ambler_geometry::Vec3;
use ambler_sensor::{Moved, Renderer};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// How an episode ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ending {
    /// Stop was called within the success distance.
    Success,
    /// Stop was called too far away: metres from the goal, `None` where no path leads there.
    StoppedAway(Option<f64>),
    /// The step limit was reached without a stop.
    Limit,
}

impl Ending {
    /// How a recorded episode ended; `None` for one without scores.
    pub fn of_record(record: &EpisodeRecord) -> Option<Self> {
        let scores = record.scores.as_ref()?;
        Some(match (scores.success > 0.0, record.stop_called) {
            (true, _) => Self::Success,
            (false, true) => Self::StoppedAway(scores.distance_to_goal),
            (false, false) => Self::Limit,
        })
    }
}

/// Why a step was not made.
#[derive(Clone, Debug, PartialEq)]
pub enum StepError {
    /// The episode has ended.
    Ended,
    /// Nobody but a hand acts here.
    NoPolicy,
    /// The policy failed: its reason.
    Policy(String),
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ended => {
                f.write_str("the episode has ended; take over at an earlier step, or begin it again")
            }
            Self::NoPolicy => f.write_str("no agent was chosen"),
            Self::Policy(reason) => write!(f, "the agent failed: {reason}"),
        }
    }
}

impl std::error::Error for StepError {}

/// One way that an episode went.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Who acted: `human`, the name of a policy, or both.
    pub actor: String,
    /// The branch that it left, and the last step that both have in common.
    pub from: Option<(usize, usize)>,
    /// Its whole history, from the start of the episode.
    pub moments: Arc<Vec<Moment>>,
    /// What its policies thought.
    pub thoughts: Thoughts,
}

/// How a recorded episode went.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Who acted.
    pub actor: String,
    /// What was done.
    pub actions: Vec<Action>,
    /// What the policy thought.
    pub thoughts: Thoughts,
    /// Where the body was, the start first.
    pub positions: Vec<Vec3>,
}

/// One episode that is driven, by hand or by a policy.
///
/// Every action goes through the simulation of evaluation. Going back simulates the actions anew from the
/// start, since nothing less gives the same bits.
pub struct Drive {
    simulation: Box<dyn Simulation>,
    episode: Arc<Episode>,
    policy: Option<Box<dyn Policy>>,
    actor: String,
    success_m: f64,
    step_limit: u32,
    shortest_m: f64,
    moments: Arc<Vec<Moment>>,
    thoughts: Thoughts,
    board: Board,
    undone: Vec<Action>,
    /// Other ways that this episode went.
    kept: Vec<Branch>,
    /// Where the way being driven left another.
    from: Option<(usize, usize)>,
    privileged: bool,
    /// What the policies' programs wrote, with the step.
    said: Arc<Vec<(usize, String)>>,
}

/// Lines that are kept of what programs write.
const MOST_SAID: usize = 2000;

/// An actor's name where there is little room: commands are long.
pub fn short_name(actor: &str) -> String {
    const MOST: usize = 28;
    let letters: Vec<char> = actor.chars().collect();
    if letters.len() <= MOST {
        return actor.to_owned();
    }
    let head: String = letters[..8].iter().collect();
    let tail: String = letters[letters.len() - (MOST - 9)..].iter().collect();
    format!("{head}…{tail}")
}

/// The name of a person at the keys.
pub const HUMAN: &str = "human";

impl Drive {
    /// Begins an episode, to be driven by hand until a policy is given.
    ///
    /// # Errors
    /// Why the episode is invalid.
    pub fn begin(
        mut simulation: Box<dyn Simulation>,
        episode: Arc<Episode>,
        success_m: f64,
        step_limit: u32,
    ) -> Result<Self, String> {
        simulation.reset(&episode)?;
        simulation.provide(Needs::default());
        let mut drive = Self {
            simulation,
            episode,
            policy: None,
            actor: HUMAN.to_owned(),
            success_m,
            step_limit,
            shortest_m: 0.0,
            moments: Arc::default(),
            thoughts: Thoughts::default(),
            board: Board::default(),
            undone: Vec::new(),
            kept: Vec::new(),
            from: None,
            privileged: false,
            said: Arc::default(),
        };
        drive.shortest_m = drive.simulation.outcome().scores.shortest_path_m;
        let first = drive.look(None);
        drive.moments = Arc::new(vec![first]);
        Ok(drive)
    }

    /// Puts a recorded history in place of the present one; its actions are simulated again. Says at which
    /// step the simulation parts from what was recorded, if it does.
    pub fn load(&mut self, history: &History) -> Option<usize> {
        self.policy = None;
        self.undone.clear();
        self.again(&history.actions);
        history.actor.clone_into(&mut self.actor);
        self.thoughts = history.thoughts.clone();
        let parted = |(moment, recorded): (&Moment, &Vec3)| moment.pose.position != *recorded;
        self.moments.iter().zip(&history.positions).position(parted)
    }

    /// The episode.
    pub fn episode(&self) -> &Arc<Episode> {
        &self.episode
    }

    /// Success is strictly nearer than this, metres.
    pub fn success_m(&self) -> f64 {
        self.success_m
    }

    /// Geodesic distance at the start, metres.
    pub fn shortest_m(&self) -> f64 {
        self.shortest_m
    }

    /// The history so far, the start first.
    pub fn moments(&self) -> &Arc<Vec<Moment>> {
        &self.moments
    }

    /// What its policies thought.
    pub fn thoughts(&self) -> &Thoughts {
        &self.thoughts
    }

    /// What the policies' programs wrote, each line with the step at which it was read.
    pub fn said(&self) -> &Arc<Vec<(usize, String)>> {
        &self.said
    }

    /// From now on the cameras see the scene that `renderer` draws, with what `moved` says. Nothing else
    /// changes: the body walks on the same navmesh.
    pub fn furnish(&mut self, renderer: &Arc<Renderer>, moved: &Moved) {
        self.simulation.furnish(renderer, moved);
    }

    /// Who acts now.
    pub fn actor(&self) -> &str {
        &self.actor
    }

    /// Whether the policy looked at what only an oracle may know.
    pub fn privileged(&self) -> bool {
        self.privileged
    }

    /// Actions that can be made again.
    pub fn can_redo(&self) -> usize {
        self.undone.len()
    }

    /// Other ways that the episode went, oldest first.
    pub fn kept(&self) -> &[Branch] {
        &self.kept
    }

    /// The branch and step that the present way left, if it left one.
    pub fn from(&self) -> Option<(usize, usize)> {
        self.from
    }

    /// The actions made.
    pub fn actions(&self) -> Vec<Action> {
        self.moments.iter().filter_map(|moment| moment.action).collect()
    }

    /// How the episode ended, if it did.
    pub fn ending(&self) -> Option<Ending> {
        ending(&self.moments, self.success_m, self.step_limit)
    }

    /// Acts by hand.
    ///
    /// # Errors
    /// [`StepError::Ended`].
    pub fn act(&mut self, action: Action) -> Result<(), StepError> {
        self.step(action)?;
        self.undone.clear();
        // Whoever takes the wheel from a policy has to give it back on purpose.
        self.policy = None;
        if !self.actor.ends_with(HUMAN) {
            self.actor = format!("{} + {HUMAN}", self.actor);
        }
        Ok(())
    }

    /// Lets the policy act once.
    ///
    /// # Errors
    /// Any [`StepError`].
    pub fn decide(&mut self) -> Result<Action, StepError> {
        if self.ending().is_some() {
            return Err(StepError::Ended);
        }
        let step = self.moments.len() - 1;
        let action = self.ask(step)?;
        self.step(action)?;
        self.undone.clear();
        Ok(action)
    }

    /// The policy's action, after `step` actions were made.
    fn ask(&mut self, step: usize) -> Result<Action, StepError> {
        let policy = self.policy.as_mut().ok_or(StepError::NoPolicy)?;
        let board = &mut self.board;
        let mut decided = Err("the simulation showed nothing".to_owned());
        let mut looked = false;
        self.simulation.observe(&mut |observation, privileged| {
            let act = || {
                let action = policy.act(observation, privileged).map_err(|error| error.to_string())?;
                listen(policy.as_mut(), observation, action, board);
                Ok(action)
            };
            decided =
                catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|_| Err("it panicked".to_owned()));
            looked |= privileged.used();
        });
        self.privileged |= looked;
        self.listen_to_program(step);
        self.thoughts.truncate(step);
        self.thoughts.add(&mut self.board, step);
        decided.map_err(|reason| {
            self.policy = None;
            StepError::Policy(reason)
        })
    }

    /// Keeps the lines that the policy's program has written.
    fn listen_to_program(&mut self, step: usize) {
        let lines = self.policy.as_mut().map_or_else(Vec::new, |policy| policy.said());
        if !lines.is_empty() {
            let said = Arc::make_mut(&mut self.said);
            said.extend(lines.into_iter().map(|line| (step, line)));
            let surplus = said.len().saturating_sub(MOST_SAID);
            said.drain(..surplus);
        }
    }

    /// Takes the last action back.
    pub fn undo(&mut self) -> bool {
        let mut actions = self.actions();
        let Some(last) = actions.pop() else { return false };
        self.policy = None;
        self.again(&actions);
        self.undone.push(last);
        true
    }

    /// Makes the action again that was taken back last.
    pub fn redo(&mut self) -> bool {
        match self.undone.pop() {
            Some(action) => self.step(action).is_ok(),
            None => false,
        }
    }

    /// Begins the episode again, by hand; what was driven is kept as a branch.
    pub fn restart(&mut self) {
        self.branch(0);
        self.from = None;
        HUMAN.clone_into(&mut self.actor);
    }

    /// Takes over after `step`: what came later is kept as a branch of its own, and a hand acts on.
    pub fn branch(&mut self, step: usize) {
        let step = step.min(self.moments.len() - 1);
        let after = self.moments.len() - 1 > step;
        if after {
            self.kept.push(self.now());
            self.from = Some((self.kept.len() - 1, step));
        }
        let actions: Vec<Action> = self.actions().into_iter().take(step).collect();
        self.policy = None;
        self.undone.clear();
        self.again(&actions);
        if step == 0 {
            HUMAN.clone_into(&mut self.actor);
        }
    }

    /// The present way.
    pub(crate) fn now(&self) -> Branch {
        Branch {
            actor: self.actor.clone(),
            from: self.from,
            moments: Arc::clone(&self.moments),
            thoughts: self.thoughts.clone(),
        }
    }

    /// Goes on with a branch that was kept; the present way takes its place.
    pub fn show(&mut self, branch: usize) -> bool {
        let now = self.now();
        let Some(kept) = self.kept.get_mut(branch) else { return false };
        let then = std::mem::replace(kept, now);
        let actions: Vec<Action> = then.moments.iter().filter_map(|moment| moment.action).collect();
        self.actor = then.actor;
        self.from = then.from;
        self.policy = None;
        self.undone.clear();
        self.again(&actions);
        self.thoughts = then.thoughts;
        true
    }

    /// Lets a policy act from here on. Where it already acted alone from the start of the episode, it is
    /// shown the way again and must choose the same actions; a policy that comes in later begins without
    /// having seen the way so far.
    ///
    /// # Errors
    /// Why it cannot begin; a hand acts on then.
    pub fn hand_over(&mut self, name: &str, mut policy: Box<dyn Policy>) -> Result<(), StepError> {
        let actions = self.actions();
        let alone = actions.is_empty() || self.actor == name;
        self.undone.clear();
        self.simulation.reset(&self.episode).map_err(StepError::Policy)?;
        let mut began = Err("the simulation began no episode".to_owned());
        self.simulation.begin(&mut |context| {
            let begin = || policy.reset(context).map_err(|error| error.to_string());
            began =
                catch_unwind(AssertUnwindSafe(begin)).unwrap_or_else(|_| Err("it panicked".to_owned()));
        });
        self.simulation.provide(policy.needs());
        self.policy = Some(policy);
        let begun = began.map_err(StepError::Policy).and_then(|()| {
            for (step, &made) in actions.iter().enumerate() {
                if alone && self.ask(step)? != made {
                    let what = "it does not choose the same actions again";
                    return Err(StepError::Policy(what.to_owned()));
                }
                self.simulation.step(made);
            }
            Ok(())
        });
        self.listen_to_program(actions.len());
        if let Err(error) = begun {
            self.policy = None;
            self.again(&actions);
            return Err(error);
        }
        self.actor = if alone { name.to_owned() } else { format!("{} + {name}", self.actor) };
        Ok(())
    }

    /// Whether a policy acts.
    pub fn has_policy(&self) -> bool {
        self.policy.is_some()
    }

    fn step(&mut self, action: Action) -> Result<(), StepError> {
        if self.ending().is_some() {
            return Err(StepError::Ended);
        }
        self.simulation.step(action);
        let moment = self.look(Some(action));
        Arc::make_mut(&mut self.moments).push(moment);
        Ok(())
    }

    /// Simulates these actions from the start. They were made before, so nothing can refuse them.
    fn again(&mut self, actions: &[Action]) {
        if self.simulation.reset(&self.episode).is_err() {
            return;
        }
        self.simulation.provide(Needs::default());
        let mut moments = vec![self.look(None)];
        for &action in actions {
            self.simulation.step(action);
            moments.push(self.look(Some(action)));
        }
        self.moments = Arc::new(moments);
        self.thoughts.truncate(actions.len());
    }

    fn look(&mut self, action: Option<Action>) -> Moment {
        let now = self.simulation.snapshot();
        Moment {
            action,
            pose: now.body.pose,
            tilt_rad: now.tilt_rad,
            collided: now.body.collided,
            distance_m: now.scores.distance_to_goal,
            path_m: now.scores.path_length_m,
            collisions: now.scores.collisions,
            scores: [now.scores.success, now.scores.spl, now.scores.soft_spl],
        }
    }
}

/// How a history ended, if it did.
pub(crate) fn ending(moments: &[Moment], success_m: f64, step_limit: u32) -> Option<Ending> {
    let last = moments.last()?;
    if last.action == Some(Action::Stop) {
        let success = last.within(success_m);
        return Some(if success { Ending::Success } else { Ending::StoppedAway(last.distance_m) });
    }
    (moments.len() > step_limit as usize).then_some(Ending::Limit)
}
