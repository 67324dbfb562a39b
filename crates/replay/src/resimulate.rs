use crate::compare::{Comparison, compare};
use crate::log::{Header, Log};
use crate::recorder::Recorder;
use ambler_evaluate::{Simulation, Status};

/// What a simulation again came to.
#[derive(Clone, Debug)]
pub struct Sameness {
    /// The differences of the log and the simulation.
    pub comparison: Comparison,
    /// Steps that were simulated.
    pub steps: u32,
}

/// Simulates an episode again with the recorded actions, and compares every pose, metric and
/// observation, and how it ended. `header` is what holds in this simulation (fingerprints of its scene
/// among it).
///
/// # Errors
/// The reason why the episode cannot be begun.
pub fn resimulate(
    simulation: &mut dyn Simulation,
    log: &Log,
    header: Header,
) -> Result<Sameness, String> {
    simulation.reset(&log.episode)?;
    simulation.provide(log.header.needs);
    let mut again = Recorder::new(header, log.episode.clone());
    let mut actions = log.steps.iter().filter_map(|step| step.action);
    again.stepped(None, &simulation.snapshot());
    loop {
        simulation.observe(&mut |observation, _| again.observed(observation));
        let Some(action) = actions.next() else { break };
        simulation.step(action);
        again.stepped(Some(action), &simulation.snapshot());
    }
    let outcome = simulation.outcome();
    // Scores of failed episodes are set to 0, whatever was reached.
    let record = log.record.clone().map(|mut record| {
        if record.status == Status::Done {
            record.scores = Some(outcome.scores);
        }
        if record.scores.is_some() {
            record.extra = outcome.extra;
            record.success_rule = outcome.success_rule;
            record.end = Some(outcome.end);
        }
        record
    });
    let again = again.finish(record);
    Ok(Sameness { steps: again.last_step(), comparison: compare(log, &again, false) })
}
