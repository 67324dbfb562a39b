use ambler_geometry::Fault;

/// Why a policy has no next action. It costs the episode, recorded with this reason; the run goes
/// on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PolicyError {
    /// The external program ended.
    #[error("the agent's program ended: {reason}")]
    Crashed {
        /// Exit status and the last lines that it wrote to standard error.
        reason: String,
    },
    /// The external program did not answer in time; it was killed.
    #[error("the agent did not answer within {limit_s} s{said}")]
    TimedOut {
        /// The limit, seconds.
        limit_s: f64,
        /// The last lines that it wrote to standard error, or nothing.
        said: String,
    },
    /// The external program answered something that is no answer; it was killed.
    #[error("the agent's answer makes no sense: {what}")]
    Nonsense {
        /// What is wrong with it.
        what: String,
    },
    /// The policy gave up.
    #[error("{reason}")]
    Failed {
        /// Why.
        reason: String,
    },
}

impl PolicyError {
    /// One word for tables and records.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Crashed { .. } => "crashed",
            Self::TimedOut { .. } => "timed_out",
            Self::Nonsense { .. } => "nonsense",
            Self::Failed { .. } => "failed",
        }
    }

    pub(crate) fn failed(reason: impl Into<String>) -> Self {
        Self::Failed { reason: reason.into() }
    }
}

/// Why there is no such policy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AgentError {
    /// The name is not known.
    #[error(
        "unknown agent {name:?}{hint}; the agents are {names}",
        hint = did_you_mean(.suggestion.as_deref()),
        names = crate::POLICY_NAMES.join(", ")
    )]
    Unknown {
        /// The name that was given.
        name: String,
        /// The known name that is most like it.
        suggestion: Option<String>,
    },
    /// The name is known, but what follows it is missing or wrong.
    #[error("agent {name}: {what}")]
    Spec {
        /// The kind of agent.
        name: String,
        /// What is wrong.
        what: String,
    },
    /// A file of the policy cannot be used.
    #[error(transparent)]
    Input(#[from] Fault),
}

fn did_you_mean(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(String::new, |name| format!("; did you mean {name}?"))
}
