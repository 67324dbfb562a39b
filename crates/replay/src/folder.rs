use crate::file;
use crate::log::Header;
use crate::recorder::Recorder;
use ambler_agent::layers::{Board, Publisher};
use ambler_agent::{EpisodeContext, Needs, Observation};
use ambler_body::Action;
use ambler_episode::Episode;
use ambler_evaluate::{EpisodeRecord, PlanEntry, Snapshot, Status, Watcher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Which episodes of a run are kept as logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// All that began.
    All,
    /// Those that did not succeed.
    Failed,
}

impl Which {
    /// Whether an episode with this record is kept. One that never began has nothing to keep.
    pub fn wants(self, record: &EpisodeRecord) -> bool {
        let began = record.steps > 0;
        let failed = match record.status {
            Status::Failed | Status::Fault => true,
            Status::Done => record.scores.as_ref().is_none_or(|scores| scores.success < 1.0),
            Status::Invalid => false,
        };
        began && (self == Self::All || failed)
    }
}

/// The folder of a run's episode logs: one file an episode, named by its place and its identity.
pub struct ReplayFolder {
    folder: PathBuf,
    which: Which,
    /// Makes the header of an episode.
    header: Box<dyn Fn(&PlanEntry, &Episode, &EpisodeContext<'_>, Needs) -> Header + Send + Sync>,
    problems: Mutex<Vec<String>>,
}

impl ReplayFolder {
    /// Logs go into `folder`, which exists. `header` says what determines an episode; what the context
    /// tells is set afterwards.
    pub fn new(
        folder: impl Into<PathBuf>,
        which: Which,
        header: impl Fn(&PlanEntry, &Episode) -> Header + Send + Sync + 'static,
    ) -> Self {
        let header =
            move |entry: &PlanEntry, episode: &Episode, context: &EpisodeContext<'_>, needs| Header {
                seed: context.run_seed,
                index: entry.index,
                needs,
                body: context.body.clone(),
                cameras: context.cameras.to_vec(),
                categories: context.categories.to_vec(),
                step_limit: context.step_limit,
                ..header(entry, episode)
            };
        Self { folder: folder.into(), which, header: Box::new(header), problems: Mutex::default() }
    }

    /// The file of an episode.
    pub fn file(&self, index: u64, identity: &str) -> PathBuf {
        file_in(&self.folder, index, identity)
    }

    /// Whether the log of an episode that is to be kept is missing.
    pub fn misses(&self, record: &EpisodeRecord) -> bool {
        self.which.wants(record) && !self.file(record.index, &record.identity).is_file()
    }

    /// Watches the episodes of one worker.
    pub fn watcher(&self) -> Box<dyn Watcher + '_> {
        Box::new(Scribe { folder: self, recorder: None, idle: Board::default() })
    }

    /// What could not be written so far.
    pub fn problems(&self) -> Vec<String> {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn keep(&self, recorder: Recorder, record: &EpisodeRecord) {
        let path = self.file(record.index, &record.identity);
        let written = if self.which.wants(record) {
            file::write(&recorder.finish(Some(record.clone())), &path).map_err(|error| error.to_string())
        } else {
            // An earlier try of the same episode may have left one.
            match std::fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    Err(format!("{}: cannot be removed: {error}", path.display()))
                }
                _ => Ok(()),
            }
        };
        if let Err(problem) = written {
            self.problems.lock().unwrap_or_else(PoisonError::into_inner).push(problem);
        }
    }
}

/// `00012-0123456789abcdef.mcap`.
fn file_in(folder: &Path, index: u64, identity: &str) -> PathBuf {
    let digits: String = identity.chars().filter(char::is_ascii_hexdigit).take(16).collect();
    folder.join(format!("{index:05}-{digits}.mcap"))
}

/// Records the episodes of one worker.
struct Scribe<'a> {
    folder: &'a ReplayFolder,
    recorder: Option<Recorder>,
    /// Takes what is published where no episode runs.
    idle: Board,
}

impl Watcher for Scribe<'_> {
    fn begin(
        &mut self,
        entry: &PlanEntry,
        episode: &Arc<Episode>,
        context: &EpisodeContext<'_>,
        needs: Needs,
    ) {
        let header = (self.folder.header)(entry, episode, context, needs);
        self.recorder = Some(Recorder::new(header, Arc::clone(episode)));
    }

    fn observed(&mut self, observation: &Observation<'_>) {
        if let Some(recorder) = &mut self.recorder {
            recorder.observed(observation);
        }
    }

    fn publisher(&mut self) -> &mut dyn Publisher {
        match &mut self.recorder {
            Some(recorder) => recorder,
            None => &mut self.idle,
        }
    }

    fn stepped(&mut self, action: Option<Action>, now: &Snapshot) {
        if let Some(recorder) = &mut self.recorder {
            recorder.stepped(action, now);
        }
    }

    fn ended(&mut self, record: &EpisodeRecord) {
        if let Some(recorder) = self.recorder.take() {
            self.folder.keep(recorder, record);
        }
    }
}
