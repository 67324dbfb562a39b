//! One episode: reset, observe and act until the end, record.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use ambler_agent::layers::{Event, EventKind};
use ambler_agent::{Needs, Observation, Policy, Privileged};
use ambler_body::Action;
use ambler_episode::Episode;

use crate::plan::PlanEntry;
use crate::record::{EpisodeRecord, Status, action_letter};
use crate::simulation::{Simulation, Spent};
use crate::watch::Watcher;

/// When an episode ends without a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most actions, the stop among them.
    pub max_steps: u32,
}

impl Default for Limits {
    /// 500 actions, as in Habitat's ObjectNav.
    fn default() -> Self {
        Self { max_steps: 500 }
    }
}

/// A record and whether the two that made it can be used again.
#[derive(Clone, Debug, PartialEq)]
pub struct Ran {
    /// The record.
    pub record: EpisodeRecord,
    /// What it spent, by part. Without images one step of sixteen is timed and stands for the others.
    pub spent: Spent,
    /// The policy panicked: make another.
    pub policy_broken: bool,
    /// The simulation panicked: make another.
    pub simulation_broken: bool,
}

/// Runs one episode to its end. Whatever goes wrong ends in the record, never in a panic: an error
/// or panic of the policy is `failed`, a refused episode `invalid`, a panic of the simulation a
/// `fault`.
pub fn run_episode(
    simulation: &mut dyn Simulation,
    policy: &mut dyn Policy,
    episode: &Arc<Episode>,
    entry: &PlanEntry,
    limits: &Limits,
) -> Ran {
    run_episode_watched(simulation, policy, episode, entry, limits, None)
}

/// [`run_episode`] while somebody watches; the result is the same.
pub fn run_episode_watched(
    simulation: &mut dyn Simulation,
    policy: &mut dyn Policy,
    episode: &Arc<Episode>,
    entry: &PlanEntry,
    limits: &Limits,
    mut watcher: Option<&mut (dyn Watcher + '_)>,
) -> Ran {
    let mut trace = Trace::default();
    // The unwind safety: after a panic neither of the two is used again.
    let ended = catch_unwind(AssertUnwindSafe(|| {
        episode_inner(simulation, policy, episode, limits, &mut trace, entry, watcher.as_deref_mut())
    }));
    let ran = ran(ended, trace, entry);
    if let Some(watcher) = watcher {
        watcher.ended(&ran.record);
    }
    ran
}

fn ran(ended: std::thread::Result<EpisodeRecord>, trace: Trace, entry: &PlanEntry) -> Ran {
    match ended {
        Ok(record) => Ran {
            record,
            spent: trace.spent,
            policy_broken: trace.policy_broken,
            simulation_broken: false,
        },
        Err(payload) => {
            let reason = format!("the simulation panicked: {}", panic_text(payload));
            let record = trace.record(entry, Status::Fault, Some(reason));
            Ran { record, spent: trace.spent, policy_broken: true, simulation_broken: true }
        }
    }
}

#[derive(Default)]
struct Trace {
    actions: String,
    steps: u64,
    stop_called: bool,
    privileged: bool,
    policy_broken: bool,
    spent: Spent,
}

impl Trace {
    fn record(&self, entry: &PlanEntry, status: Status, reason: Option<String>) -> EpisodeRecord {
        EpisodeRecord {
            steps: self.steps,
            stop_called: self.stop_called,
            privileged: self.privileged,
            actions: self.actions.clone(),
            ..EpisodeRecord::blank(entry, status, reason)
        }
    }
}

fn episode_inner(
    simulation: &mut dyn Simulation,
    policy: &mut dyn Policy,
    episode: &Arc<Episode>,
    limits: &Limits,
    trace: &mut Trace,
    entry: &PlanEntry,
    watcher: Option<&mut (dyn Watcher + '_)>,
) -> EpisodeRecord {
    let begin = Instant::now();
    let reset = simulation.reset(episode);
    trace.spent.add("reset", begin.elapsed().as_secs_f64());
    if let Err(reason) = reset {
        return trace.record(entry, Status::Invalid, Some(reason));
    }
    let watched = watcher.map(|watcher| Watched { watcher, entry, episode, mute: false });
    let failure = play(simulation, policy, limits, trace, watched).err();
    let outcome = simulation.outcome();
    let status = if failure.is_some() { Status::Failed } else { Status::Done };
    let mut record = trace.record(entry, status, failure);
    let mut scores = outcome.scores;
    if status == Status::Failed {
        // A crash costs the episode; where the body stood still tells how far it had come.
        scores.success = 0.0;
        scores.spl = 0.0;
        scores.soft_spl = 0.0;
    }
    record.scores = Some(scores);
    record.extra = outcome.extra;
    record.success_rule = outcome.success_rule;
    record.end = Some(outcome.end);
    record
}

/// Lets the policy act until it stops or the limit is reached; an error is the reason of its
/// failure.
fn play(
    simulation: &mut dyn Simulation,
    policy: &mut dyn Policy,
    limits: &Limits,
    trace: &mut Trace,
    mut watched: Option<Watched<'_, '_>>,
) -> Result<(), String> {
    let mut began: Result<(), String> = Err("the simulation began no episode".to_owned());
    simulation.begin(&mut |context| {
        began = guarded(trace, || policy.reset(context).map_err(|error| error.to_string()));
    });
    began?;
    let needs = guarded(trace, || Ok(policy.needs()))?;
    let begin = Instant::now();
    simulation.provide(needs);
    trace.spent.add("reset", begin.elapsed().as_secs_f64());
    if let Some(watched) = &mut watched {
        watched.begin(simulation, needs);
    }
    // A clock costs as much as a tenth of a step without images.
    let every = if needs.sensors() { 1 } else { 16 };
    while trace.steps < u64::from(limits.max_steps) {
        let mut decided: Result<Action, String> = Err("the simulation showed nothing".to_owned());
        let mut looked = false;
        let mut looks = true;
        let timed = trace.steps % every == 0;
        let begin = timed.then(Instant::now);
        let mut look = |observation: &Observation<'_>, privileged: &mut Privileged<'_>| {
            if let Some(watched) = &mut watched {
                watched.watcher.observed(observation);
            }
            // Caught in here, so that a panicking policy never unwinds through the simulation.
            decided = guarded(trace, || {
                let action = policy.act(observation, privileged).map_err(|error| error.to_string())?;
                looks = policy.looks_next();
                Ok(action)
            });
            looked |= privileged.used();
            if let (Some(watched), Ok(action)) = (&mut watched, &decided) {
                watched.listen(policy, observation, *action);
            }
        };
        simulation.observe(&mut look);
        trace.privileged |= looked;
        let action = decided?;
        let seen = begin.map(|begin| begin.elapsed().as_secs_f64());
        trace.actions.push(action_letter(action));
        trace.steps += 1;
        let begin = timed.then(Instant::now);
        simulation.time_next_step(timed);
        simulation.look_next(looks || watched.is_some());
        simulation.step(action);
        if let (Some(policy_s), Some(begin)) = (seen, begin) {
            let step_s = begin.elapsed().as_secs_f64();
            let parts = simulation.spent();
            let known: f64 = parts.0.values().sum();
            trace.spent.add("policy", policy_s * every as f64);
            trace.spent.add_all(&parts, every as f64);
            trace.spent.add("step", (step_s - known).max(0.0) * every as f64);
        }
        if let Some(watched) = &mut watched {
            watched.watcher.stepped(Some(action), &simulation.snapshot());
        }
        if action == Action::Stop {
            trace.stop_called = true;
            break;
        }
    }
    if let Some(watched) = &mut watched {
        simulation.observe(&mut |observation, _| watched.watcher.observed(observation));
    }
    Ok(())
}

/// A watcher and what it is told.
struct Watched<'a, 'w> {
    watcher: &'a mut (dyn Watcher + 'w),
    entry: &'a PlanEntry,
    episode: &'a Arc<Episode>,
    /// The policy panicked while it published: it is not asked again.
    mute: bool,
}

impl Watched<'_, '_> {
    fn begin(&mut self, simulation: &mut dyn Simulation, needs: Needs) {
        simulation.begin(&mut |context| self.watcher.begin(self.entry, self.episode, context, needs));
        self.watcher.stepped(None, &simulation.snapshot());
    }

    fn listen(&mut self, policy: &mut dyn Policy, observation: &Observation<'_>, action: Action) {
        if self.mute {
            return;
        }
        let publisher = self.watcher.publisher();
        let said = catch_unwind(AssertUnwindSafe(|| policy.publish(observation, action, publisher)));
        if let Err(payload) = said {
            self.mute = true;
            let text = format!("the agent panicked while it published: {}", panic_text(payload));
            self.watcher.publisher().event(Event::new(EventKind::Warning, text));
        }
    }
}

fn guarded<T>(trace: &mut Trace, call: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => result,
        Err(payload) => {
            trace.policy_broken = true;
            Err(format!("the agent panicked: {}", panic_text(payload)))
        }
    }
}

/// The message of a panic. The payload is given up without running its destructor's panics into
/// us: a payload that panics when dropped is leaked.
pub(crate) fn panic_text(payload: Box<dyn Any + Send>) -> String {
    let text = if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "without a message".to_owned()
    };
    let _ = catch_unwind(AssertUnwindSafe(|| drop(payload)));
    text
}
