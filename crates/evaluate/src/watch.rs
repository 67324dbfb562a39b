//! Looking at an episode while it runs.

use std::sync::Arc;

use ambler_agent::layers::Publisher;
use ambler_agent::{EpisodeContext, Needs, Observation};
use ambler_body::Action;
use ambler_episode::Episode;

use crate::plan::PlanEntry;
use crate::record::EpisodeRecord;
use crate::simulation::Snapshot;

/// Sees all of an episode as it runs: what an episode log is made from. It changes no result; a
/// watcher that cannot go on keeps that to itself until it is asked.
///
/// The order of calls: [`begin`](Self::begin), [`stepped`](Self::stepped) without an action, then in turn
/// [`observed`](Self::observed), the policy's layers to [`publisher`](Self::publisher),
/// [`stepped`](Self::stepped) with the action; a last [`observed`](Self::observed);
/// [`ended`](Self::ended). An episode that cannot begin is only ended.
pub trait Watcher {
    /// An episode begins; the policy has been told the same.
    fn begin(
        &mut self,
        entry: &PlanEntry,
        episode: &Arc<Episode>,
        context: &EpisodeContext<'_>,
        needs: Needs,
    );

    /// What the policy is about to see.
    fn observed(&mut self, observation: &Observation<'_>);

    /// Takes what the policy thinks.
    fn publisher(&mut self) -> &mut dyn Publisher;

    /// How things stand after an action; without one, at the start.
    fn stepped(&mut self, action: Option<Action>, now: &Snapshot);

    /// The episode is over.
    fn ended(&mut self, record: &EpisodeRecord);
}
