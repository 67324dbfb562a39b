//! What runs episodes: the trait for any benchmark, and the one for navigation.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use ambler_agent::{Policy, PolicyFactory};
use ambler_episode::{Episode, EpisodeSet};

use crate::plan::PlanEntry;
use crate::record::{EpisodeRecord, Status};
use crate::run_episode::{Limits, run_episode_watched};
use crate::simulation::{Simulation, SimulationFactory, Spent};
use crate::watch::Watcher;

/// Runs episodes one after the other; lives in one thread. Benchmarks that are no navigation
/// episodes implement this and share plan, run folder, statistics and reports.
pub trait Worker {
    /// Runs one episode to its record. A panic is caught by the caller, recorded as a fault, and
    /// the worker is replaced.
    fn run(&mut self, entry: &PlanEntry) -> EpisodeRecord;

    /// What all episodes so far spent, by part; empty where the worker does not know.
    fn spent(&self) -> Spent {
        Spent::default()
    }
}

/// Runs navigation episodes: a simulation of the scene at hand and a policy.
pub struct NavigationWorker<'a> {
    episodes: &'a [Arc<Episode>],
    simulations: &'a dyn SimulationFactory,
    policies: &'a dyn PolicyFactory,
    limits: Limits,
    simulation: Option<(String, Box<dyn Simulation>)>,
    policy: Option<Box<dyn Policy>>,
    spent: Spent,
    watcher: Option<Box<dyn Watcher + 'a>>,
}

impl<'a> NavigationWorker<'a> {
    /// A worker for the episodes of a set; plan entries refer to `episodes` by index.
    ///
    /// # Errors
    /// The reason why no policy can be made: then there is nothing to evaluate.
    pub fn new(
        episodes: &'a [Arc<Episode>],
        simulations: &'a dyn SimulationFactory,
        policies: &'a dyn PolicyFactory,
        limits: Limits,
    ) -> Result<Self, String> {
        let policy = policies.create().map_err(|error| error.to_string())?;
        let (simulation, spent) = (None, Spent::default());
        let (policy, watcher) = (Some(policy), None);
        Ok(Self { episodes, simulations, policies, limits, simulation, policy, spent, watcher })
    }

    /// The same with somebody who watches its episodes.
    #[must_use]
    pub fn watched(mut self, watcher: Box<dyn Watcher + 'a>) -> Self {
        self.watcher = Some(watcher);
        self
    }
}

impl Worker for NavigationWorker<'_> {
    fn run(&mut self, entry: &PlanEntry) -> EpisodeRecord {
        let refused = |status: Status, reason: String| EpisodeRecord::blank(entry, status, Some(reason));
        let index = usize::try_from(entry.index).ok();
        let Some(episode) = index.and_then(|index| self.episodes.get(index)) else {
            return refused(Status::Fault, "the plan names an episode that the set has not".to_owned());
        };
        if self.simulation.as_ref().is_none_or(|(scene, _)| *scene != entry.scene) {
            // The old scene goes first: two large ones need not be in memory at once.
            drop_quietly(self.simulation.take());
            let begin = Instant::now();
            let created = self.simulations.create(&entry.scene);
            self.spent.add("load", begin.elapsed().as_secs_f64());
            match created {
                Ok(simulation) => self.simulation = Some((entry.scene.clone(), simulation)),
                Err(reason) => return refused(Status::Invalid, reason),
            }
        }
        if self.policy.is_none() {
            match self.policies.create() {
                Ok(policy) => self.policy = Some(policy),
                Err(error) => {
                    let reason = format!("the agent cannot be started again: {error}");
                    return refused(Status::Fault, reason);
                }
            }
        }
        let (Some((_, simulation)), Some(policy)) = (&mut self.simulation, &mut self.policy) else {
            return refused(Status::Fault, "nothing to run the episode with".to_owned());
        };
        let ran = run_episode_watched(
            simulation.as_mut(),
            policy.as_mut(),
            episode,
            entry,
            &self.limits,
            self.watcher.as_deref_mut(),
        );
        self.spent.add_all(&ran.spent, 1.0);
        if ran.simulation_broken {
            drop_quietly(self.simulation.take());
        }
        if ran.policy_broken {
            drop_quietly(self.policy.take());
        }
        ran.record
    }

    fn spent(&self) -> Spent {
        self.spent.clone()
    }
}

/// Plan entries of a set, in its order.
pub fn plan_entries(set: &EpisodeSet) -> Vec<PlanEntry> {
    let entries = set.episodes.iter().zip(0u64..);
    entries
        .map(|(episode, index)| PlanEntry {
            index,
            episode_id: episode.episode_id.clone(),
            identity: episode.identity.to_string(),
            scene: episode.scene_id.to_string(),
            task: episode.task.name().to_owned(),
            category: episode.category().to_owned(),
        })
        .collect()
}

/// Drops what may be in a broken state: a panic in its destructor ends here.
pub(crate) fn drop_quietly<T>(value: T) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        let _ = crate::run_episode::panic_text(payload);
    }
}
