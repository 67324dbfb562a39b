//! Who is asked what images show, and what belongs where.

use crate::exit::Failure;
use crate::locate;
use ambler_model::{
    AnswerCache, ChatModel, Detector, ErrorModel, Knowledge, LanguageRelevance, ModelError,
    NoisyDetector, Relevance, RemoteDetector, Server, ServerSettings, TableChoice, TrueDetector,
};
use clap::Args;
use std::sync::Arc;

/// Flags of the models.
#[derive(Args, Debug)]
pub struct AdviserArgs {
    /// What finds things in images: truth, noisy, noisy:miss=0.3,confuse=0.1 or the URL of a detector
    #[arg(long, value_name = "WHAT", default_value = "truth", help_heading = "Models")]
    detector: String,
    /// Labels that the detector is asked for, with commas between them [default: all that it knows]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Models")]
    labels: Vec<String>,
    /// What belongs where: judged, activities, shuffled:SEED or a .csv file
    #[arg(long, value_name = "TABLE", default_value = "judged", help_heading = "Models")]
    knowledge: String,
    /// Base URL of a server with OpenAI's chat protocol (Ollama: http://127.0.0.1:11434/v1) that says what
    /// belongs where; the table answers where it does not
    #[arg(long, value_name = "URL", requires = "llm_model", help_heading = "Models")]
    llm: Option<String>,
    /// Its model
    #[arg(long, value_name = "NAME", requires = "llm", help_heading = "Models")]
    llm_model: Option<String>,
    /// Most seconds that a server may take for an answer
    #[arg(long, value_name = "S", default_value_t = 60.0, help_heading = "Models")]
    model_timeout: f64,
    /// Use only answers of servers that were kept from earlier runs
    #[arg(long, help_heading = "Models")]
    offline: bool,
}

/// The models themselves.
pub struct Models {
    pub detector: Arc<dyn Detector>,
    pub labels: Vec<String>,
    pub relevance: Arc<dyn Relevance>,
    pub names: Knowledge,
}

impl AdviserArgs {
    /// Makes the models; asks no server yet.
    pub fn models(&self) -> Result<Models, Failure> {
        self.make().map_err(|error| Failure::Usage(error.to_string()))
    }

    fn make(&self) -> Result<Models, ModelError> {
        let cache = match locate::cache_folder() {
            Some(folder) => AnswerCache::at(&folder.join("models")),
            None => AnswerCache::none(),
        };
        let cache = if self.offline { cache.offline() } else { cache };
        let settings = ServerSettings { timeout_s: self.model_timeout, ..ServerSettings::default() };
        let names = Knowledge::shipped();
        let truth = TrueDetector::default();
        let detector: Arc<dyn Detector> = match self.detector.as_str() {
            "truth" => Arc::new(truth),
            text if text == "noisy" || text.starts_with("noisy:") => {
                let errors = ErrorModel::parse(text.strip_prefix("noisy:").unwrap_or(""))?;
                Arc::new(NoisyDetector::new(0, truth.least_share, errors, names.clone()))
            }
            url if url.contains("://") => {
                let server = Server::new(url, None, settings)?;
                Arc::new(RemoteDetector::new(server, cache.clone(), 0.0))
            }
            other => {
                let what = format!("there is no detector {other:?}");
                return Err(ModelError::option(what, "it is truth, noisy, noisy:miss=0.3 or a URL"));
            }
        };
        let table = Arc::new(TableChoice::parse(&self.knowledge)?.load()?);
        let relevance: Arc<dyn Relevance> = match (&self.llm, &self.llm_model) {
            (Some(url), Some(name)) => {
                let model = ChatModel::new(url, name, None, settings, cache)?;
                Arc::new(LanguageRelevance::new(Arc::new(model), table))
            }
            _ => table,
        };
        Ok(Models { detector, labels: self.labels.clone(), relevance, names })
    }
}
