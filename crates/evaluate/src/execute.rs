//! Workers run the episodes of a plan; one writer keeps their records.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ambler_geometry::{Fault, Place};
use crossbeam::channel::{Receiver, RecvTimeoutError, Sender, bounded};

use crate::error::EvaluateError;
use crate::folder::{RunFolder, TimedRecord, Timing, host_name};
use crate::plan::{Plan, PlanEntry};
use crate::progress::{Progress, ProgressState};
use crate::queue::Queue;
use crate::record::{EpisodeRecord, Status};
use crate::run_episode::panic_text;
use crate::simulation::Spent;
use crate::worker::{Worker, drop_quietly};

/// How a plan is carried out. Nothing here changes a result.
#[derive(Clone, Copy, Debug)]
pub struct ExecuteOptions<'a> {
    /// Number of workers; 0 counts as 1.
    pub workers: usize,
    /// Run scenes and their episodes in an order drawn with this seed; `None`: in plan order.
    pub order_seed: Option<u64>,
    /// Set to true from elsewhere (a signal) to end after the episodes now running.
    pub stop: Option<&'a AtomicBool>,
}

impl Default for ExecuteOptions<'_> {
    fn default() -> Self {
        Self { workers: 1, order_seed: None, stop: None }
    }
}

/// How far [`execute`] came.
#[derive(Clone, Debug, PartialEq)]
pub struct Execution {
    /// Times and rates of this session.
    pub timing: Timing,
    /// Episodes still without a record, because the run was stopped.
    pub remaining: usize,
}

enum Message {
    Ran(Box<TimedRecord>),
    /// What a worker spent, when it is done.
    Spent(Spent),
    /// No worker could be made.
    Dead(String),
}

/// How often progress is reported while no episode ends.
const TICK: Duration = Duration::from_millis(500);
/// Most records that are written and synced at once.
const BATCH: usize = 256;

/// Runs the episodes of `plan` that have no record in `folder` yet. `make_worker` is called in each
/// worker's thread. When this returns, all records are in the journal;
/// [`RunFolder::finish`] then writes the results.
///
/// # Errors
/// [`EvaluateError::Write`] when a record cannot be kept; [`EvaluateError::Worker`] when a worker
/// cannot be made. Records that came before are in the journal.
pub fn execute<'w>(
    plan: &Plan,
    folder: &mut RunFolder,
    options: &ExecuteOptions<'_>,
    make_worker: &(dyn Fn() -> Result<Box<dyn Worker + 'w>, String> + Sync),
    progress: &mut dyn Progress,
) -> Result<Execution, EvaluateError> {
    let pending = folder.pending(plan);
    let workers = options.workers.clamp(1, pending.len().max(1));
    let mut state = ProgressState { total: plan.len() as u64, ..ProgressState::default() };
    folder.records().for_each(|record| state.count(record));
    state.resumed = state.recorded;
    progress.update(&state);

    let started = Instant::now();
    let mut spent = Spent::default();
    let mut outcome = Ok(());
    if !pending.is_empty() {
        let shared = Shared {
            plan,
            queue: Mutex::new(Queue::new(plan, &pending, options.order_seed)),
            abort: AtomicBool::new(false),
            stop: options.stop,
        };
        let (sender, receiver) = bounded(2 * workers);
        outcome = std::thread::scope(|scope| {
            for _ in 0..workers {
                let sender = sender.clone();
                scope.spawn(|| shared.work(sender, make_worker));
            }
            drop(sender);
            let outcome = write(folder, receiver, &mut state, &mut spent, started, progress);
            shared.abort.store(true, Ordering::Relaxed);
            outcome
        });
    }
    state.elapsed_s = started.elapsed().as_secs_f64();
    progress.update(&state);
    outcome?;
    Ok(Execution {
        timing: Timing {
            host: host_name(),
            workers,
            wall_s: state.elapsed_s,
            episodes: state.ran(),
            steps: state.steps,
            steps_per_second: state.steps_per_second(),
            spent_s: spent,
        },
        remaining: folder.pending(plan).len(),
    })
}

struct Shared<'a> {
    plan: &'a Plan,
    queue: Mutex<Queue>,
    abort: AtomicBool,
    stop: Option<&'a AtomicBool>,
}

impl Shared<'_> {
    fn work<'w>(
        &self,
        sender: Sender<Message>,
        make_worker: &(dyn Fn() -> Result<Box<dyn Worker + 'w>, String> + Sync),
    ) {
        let mut worker = None;
        let mut home = None;
        while !self.ended() {
            let next = self.queue.lock().unwrap_or_else(PoisonError::into_inner).next(&mut home);
            let Some(entry) = next.and_then(|position| self.plan.entries().get(position)) else { break };
            if worker.is_none() {
                match make(make_worker) {
                    Ok(made) => worker = Some(made),
                    Err(reason) => {
                        let _ = sender.send(Message::Dead(reason));
                        break;
                    }
                }
            }
            let timed = run(&mut worker, entry);
            if sender.send(Message::Ran(Box::new(timed))).is_err() {
                break;
            }
        }
        if let Some(worker) = &worker {
            let _ = sender.send(Message::Spent(worker.spent()));
        }
        drop_quietly(worker);
    }

    fn ended(&self) -> bool {
        self.abort.load(Ordering::Relaxed) || self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

fn make<'w>(
    make_worker: &(dyn Fn() -> Result<Box<dyn Worker + 'w>, String> + Sync),
) -> Result<Box<dyn Worker + 'w>, String> {
    catch_unwind(AssertUnwindSafe(make_worker)).unwrap_or_else(|payload| {
        Err(format!("a worker panicked at its start: {}", panic_text(payload)))
    })
}

/// Runs an episode; a worker that panics is given up.
fn run(worker: &mut Option<Box<dyn Worker + '_>>, entry: &PlanEntry) -> TimedRecord {
    let started = Instant::now();
    let ran = match worker {
        Some(worker) => catch_unwind(AssertUnwindSafe(|| worker.run(entry))).map_err(panic_text),
        None => Err("no worker".to_owned()),
    };
    let record = ran.unwrap_or_else(|text| {
        drop_quietly(worker.take());
        EpisodeRecord::blank(entry, Status::Fault, Some(format!("the worker panicked: {text}")))
    });
    TimedRecord { record, wall_s: started.elapsed().as_secs_f64() }
}

/// Appends records as they come, many at once when they come fast, and reports after each sync.
fn write(
    folder: &mut RunFolder,
    receiver: Receiver<Message>,
    state: &mut ProgressState,
    spent: &mut Spent,
    started: Instant,
    progress: &mut dyn Progress,
) -> Result<(), EvaluateError> {
    let mut dead = None;
    loop {
        let mut batch = Vec::new();
        match receiver.recv_timeout(TICK) {
            Ok(first) => {
                for message in std::iter::once(first).chain(receiver.try_iter()).take(BATCH) {
                    match message {
                        Message::Ran(timed) => batch.push(*timed),
                        Message::Spent(parts) => spent.add_all(&parts, 1.0),
                        Message::Dead(reason) => dead = Some(reason),
                    }
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        if !batch.is_empty() {
            let counted = batch.clone();
            folder.append(batch)?;
            for timed in &counted {
                state.count(&timed.record);
                state.steps += timed.record.steps;
            }
        }
        state.elapsed_s = started.elapsed().as_secs_f64();
        progress.update(state);
        if let Some(reason) = dead {
            return Err(EvaluateError::Worker(Fault::new(
                "",
                Place::Whole,
                format!("no worker could be started: {reason}"),
                "check --agent; what was recorded is kept, and the same command goes on from there",
            )));
        }
    }
}
