mod chat;
mod relevance;
mod schema;

pub use chat::{ChatModel, MOST_ASKED_AGAIN};
pub use relevance::LanguageRelevance;
pub use schema::check_schema;

use crate::ModelError;
use serde_json::Value;

/// What a language model is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Short name of the kind of question: letters, digits, underscores.
    pub name: String,
    /// Who the model is to be.
    pub system: String,
    /// The question.
    pub prompt: String,
    /// The JSON schema that the answer must fit.
    pub schema: Value,
}

/// A language model that answers in JSON.
pub trait LanguageModel: Send + Sync {
    /// What determines the answers, for a run's manifest.
    fn identity(&self) -> String;

    /// An answer that fits the schema; the same question gets the same answer. `None` when the model
    /// was asked again and again and never gave one.
    ///
    /// # Errors
    /// When the model cannot be asked.
    fn ask(&self, question: &Question) -> Result<Option<Value>, ModelError>;
}
