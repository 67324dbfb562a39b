//! `exec:COMMAND`: a program that decides the actions, over its standard input and output.
//!
//! One program serves one worker, episode after episode. When it ends, stalls or answers nonsense,
//! it is killed, the episode fails with the reason, and the next episode starts it anew.

mod framing;
mod process;

use crate::layers::Publisher;
use crate::protocol::{self, Act, decode_act, decode_hello, decode_ready};
use crate::{
    AgentError, EpisodeContext, Goal, Needs, Observation, Policy, PolicyError, PolicyFactory,
    PolicyOptions, Privileged,
};
use ambler_body::Action;
use process::Process;

/// What a program is given unless its `wants` says otherwise.
const DEFAULT_NEEDS: Needs = Needs {
    rgb: true,
    depth: true,
    instance: false,
    category: false,
    detections: false,
    privileged: false,
};

struct Exec {
    command: String,
    options: PolicyOptions,
    process: Option<Process>,
    /// Number of the last request; answers carry it back.
    id: u64,
    needs: Needs,
    /// Category of an object goal.
    object: Option<String>,
    /// The last answer.
    act: Option<Act>,
    /// What programs wrote that are no longer there.
    said: Vec<String>,
}

impl Exec {
    fn begin(&mut self, episode: &EpisodeContext<'_>) -> Result<(), PolicyError> {
        if self.process.is_none() {
            self.id = 0;
            let mut process = Process::start(&self.command, protocol::encode_close(u64::MAX >> 11))?;
            let hello = protocol::encode_hello(self.id, episode.body, episode.cameras);
            let answer = process.exchange(hello, self.options.start_limit_s)?;
            let hello = decode_hello(&answer, self.id).map_err(|error| process.condemn(error))?;
            self.needs = hello.wants.unwrap_or(DEFAULT_NEEDS);
            self.process = Some(process);
        }
        self.id += 1;
        let message = protocol::encode_reset(self.id, episode);
        let limit_s = self.options.start_limit_s;
        self.ask(message, limit_s, decode_ready)
    }

    /// One exchange. A program that fails is killed; one that reports an error lives on.
    fn ask<T>(
        &mut self,
        message: Vec<u8>,
        limit_s: f64,
        decode: fn(&[u8], u64) -> Result<T, PolicyError>,
    ) -> Result<T, PolicyError> {
        let Some(process) = &mut self.process else {
            return Err(PolicyError::failed("the episode was not begun"));
        };
        let id = self.id;
        let answer = process
            .exchange(message, limit_s)
            .and_then(|answer| decode(&answer, id).map_err(|error| process.condemn(error)));
        if matches!(&answer, Err(error) if !matches!(error, PolicyError::Failed { .. })) {
            self.said.extend(process.take_lines());
            self.process = None;
        }
        answer
    }
}

impl Policy for Exec {
    fn name(&self) -> &str {
        "exec"
    }

    fn needs(&self) -> Needs {
        self.needs
    }

    fn reset(&mut self, episode: &EpisodeContext<'_>) -> Result<(), PolicyError> {
        self.object = match episode.goal {
            Goal::Object { category, .. } => Some(category.clone()),
            Goal::Point { .. } => None,
        };
        if self.process.as_mut().is_some_and(Process::has_ended) {
            self.process = None;
        }
        let fresh = self.process.is_none();
        match self.begin(episode) {
            // What a program did at the end of one episode must not cost the next: one that has
            // served before gets a second start.
            Err(PolicyError::Crashed { .. } | PolicyError::Nonsense { .. }) if !fresh => {
                self.process = None;
                self.begin(episode)
            }
            result => result,
        }
    }

    fn act(
        &mut self,
        observation: &Observation<'_>,
        _: &mut Privileged<'_>,
    ) -> Result<Action, PolicyError> {
        self.id += 1;
        let message = protocol::encode_act(self.id, observation, self.object.as_deref(), self.needs);
        let limit_s = self.options.step_limit_s;
        self.act = None;
        let act = self.ask(message, limit_s, decode_act)?;
        let action = act.action;
        self.act = Some(act);
        Ok(action)
    }

    fn publish(&mut self, _: &Observation<'_>, _: Action, to: &mut dyn Publisher) {
        if let Some(act) = &self.act {
            act.publish(to);
        }
    }

    fn said(&mut self) -> Vec<String> {
        let mut lines = std::mem::take(&mut self.said);
        lines.extend(self.process.as_mut().map_or_else(Vec::new, Process::take_lines));
        lines
    }
}

pub(crate) struct ExecFactory {
    command: String,
    options: PolicyOptions,
}

impl ExecFactory {
    pub(crate) fn new(command: &str, options: &PolicyOptions) -> Self {
        Self { command: command.into(), options: options.clone() }
    }
}

impl PolicyFactory for ExecFactory {
    fn name(&self) -> &str {
        "exec"
    }

    /// All that a program can ask for; what it does not want is not drawn.
    fn needs(&self) -> Needs {
        Needs { instance: true, category: true, detections: true, ..DEFAULT_NEEDS }
    }

    fn identity(&self) -> String {
        self.command.clone()
    }

    fn create(&self) -> Result<Box<dyn Policy>, AgentError> {
        Ok(Box::new(Exec {
            command: self.command.clone(),
            options: self.options.clone(),
            process: None,
            id: 0,
            needs: DEFAULT_NEEDS,
            object: None,
            act: None,
            said: Vec::new(),
        }))
    }
}
