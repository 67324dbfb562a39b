use ambler_geometry::Fault;

/// Why a model has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// The server cannot be reached, is too slow, or says that it failed.
    #[error("{url}: {what}; {remedy}")]
    Server {
        /// What was asked.
        url: String,
        /// What happened.
        what: String,
        /// What the user can do.
        remedy: String,
    },
    /// The server answered something that is not what its protocol says.
    #[error("{url} answered what does not fit: {what}")]
    Answer {
        /// What was asked.
        url: String,
        /// What is wrong with it, with the place in the answer.
        what: String,
    },
    /// A file of a table or of the cache cannot be used.
    #[error(transparent)]
    Input(#[from] Fault),
    /// An option makes no sense.
    #[error("{what}; {remedy}")]
    Option {
        /// What is wrong.
        what: String,
        /// What may be given.
        remedy: String,
    },
    /// The model cannot work with the image that it was given.
    #[error("{0}")]
    Image(String),
}

impl ModelError {
    /// An option that makes no sense.
    pub fn option(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Option { what: what.into(), remedy: remedy.into() }
    }
}
