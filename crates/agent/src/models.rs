use crate::{AgentError, Needs};
use ambler_model::{
    AnswerCache, ChatModel, Detector, ErrorModel, ImageTextScorer, Knowledge, LanguageRelevance,
    ModelError, NoisyDetector, OfflineScorer, Relevance, RemoteDetector, RemoteScorer, SCORER_TEXT,
    Server, ServerSettings, TableChoice, TrueDetector,
};
use std::path::PathBuf;
use std::sync::Arc;

/// The models that agents plug in, as they are written at the command line.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelOptions {
    /// `truth`, `noisy`, `noisy:miss=0.3,…` ([`ErrorModel::parse`]) or the URL of a detector.
    pub detector: String,
    /// Least share of the image that a thing fills which the true and the noisy detector report.
    pub least_share: f64,
    /// `offline` or the URL of an image-text scorer.
    pub scorer: String,
    /// What a remote scorer compares images with; `{}` stands for the goal.
    pub scorer_text: String,
    /// `judged`, `activities`, `shuffled:SEED` or a CSV file ([`TableChoice::parse`]).
    pub knowledge: String,
    /// Base URL of a server with OpenAI's chat protocol that says what belongs where.
    pub language: Option<String>,
    /// The model that is asked there.
    pub language_model: String,
    /// The key that is sent to servers, as a bearer token.
    pub key: Option<String>,
    /// How long a server may take for an answer, seconds.
    pub timeout_s: f64,
    /// Only answers that were kept are used.
    pub offline: bool,
    /// Where answers of servers are kept.
    pub cache: Option<PathBuf>,
    /// Names what the agents that know the home remember, where that is not what is annotated in it.
    pub memory: Option<String>,
    /// Whether an agent that has found its goal goes as near as it can; by default as the agent's paper
    /// says.
    pub final_approach: Option<bool>,
    /// Whether the agents that know the home look for the goal on their way too.
    pub detect_en_route: bool,
}

impl Default for ModelOptions {
    fn default() -> Self {
        Self {
            detector: "truth".to_owned(),
            least_share: TrueDetector::default().least_share,
            scorer: "offline".to_owned(),
            scorer_text: SCORER_TEXT.to_owned(),
            knowledge: "judged".to_owned(),
            language: None,
            language_model: String::new(),
            key: None,
            timeout_s: ServerSettings::default().timeout_s,
            offline: false,
            cache: None,
            memory: None,
            final_approach: None,
            detect_en_route: false,
        }
    }
}

/// The models themselves.
#[derive(Clone)]
pub(crate) struct Models {
    pub(crate) detector: Arc<dyn Detector>,
    pub(crate) scorer: Arc<dyn ImageTextScorer>,
    pub(crate) relevance: Arc<dyn Relevance>,
    pub(crate) final_approach: Option<bool>,
    pub(crate) detect_en_route: bool,
    pub(crate) memory: Option<String>,
}

impl Models {
    /// What an agent needs that maps by depth and sees by its detector.
    pub(crate) fn needs(&self) -> Needs {
        let truth = self.detector.needs_truth();
        Needs { rgb: !truth, depth: true, instance: truth, detections: truth, ..Needs::default() }
    }
}

fn is_url(text: &str) -> bool {
    text.contains("://")
}

impl ModelOptions {
    /// Makes the models; asks no server yet.
    pub(crate) fn build(&self, agent: &str) -> Result<Models, AgentError> {
        let spec =
            |error: ModelError| AgentError::Spec { name: agent.to_owned(), what: error.to_string() };
        self.make().map_err(spec)
    }

    fn make(&self) -> Result<Models, ModelError> {
        let cache = match &self.cache {
            Some(folder) => AnswerCache::at(folder),
            None => AnswerCache::none(),
        };
        let cache = if self.offline { cache.offline() } else { cache };
        let settings = ServerSettings { timeout_s: self.timeout_s, ..ServerSettings::default() };
        let server = |url: &str| Server::new(url, self.key.clone(), settings);
        if !(0.0..1.0).contains(&self.least_share) {
            let what = format!("a detector that sees {} of an image", self.least_share);
            return Err(ModelError::option(what, "--detector-share is at least 0 and below 1"));
        }
        let table = Arc::new(TableChoice::parse(&self.knowledge)?.load()?);
        let detector: Arc<dyn Detector> = match self.detector.as_str() {
            "truth" => Arc::new(TrueDetector { least_share: self.least_share }),
            text if text == "noisy" || text.starts_with("noisy:") => {
                let errors = ErrorModel::parse(text.strip_prefix("noisy:").unwrap_or(""))?;
                Arc::new(NoisyDetector::new(0, self.least_share, errors, Knowledge::shipped()))
            }
            url if is_url(url) => Arc::new(RemoteDetector::new(server(url)?, cache.clone(), 0.0)),
            other => {
                let what = format!("there is no detector {other:?}");
                return Err(ModelError::option(what, "it is truth, noisy, noisy:miss=0.3 or a URL"));
            }
        };
        let scorer: Arc<dyn ImageTextScorer> = match self.scorer.as_str() {
            "offline" => Arc::new(OfflineScorer::new(Arc::clone(&table))),
            url if is_url(url) => {
                Arc::new(RemoteScorer::new(server(url)?, cache.clone(), &self.scorer_text)?)
            }
            other => {
                let what = format!("there is no scorer {other:?}");
                return Err(ModelError::option(what, "it is offline or a URL"));
            }
        };
        let relevance: Arc<dyn Relevance> = match &self.language {
            None => table,
            Some(url) => {
                let key = self.key.clone();
                let model = ChatModel::new(url, &self.language_model, key, settings, cache)?;
                Arc::new(LanguageRelevance::new(Arc::new(model), table))
            }
        };
        let (final_approach, detect_en_route) = (self.final_approach, self.detect_en_route);
        let memory = self.memory.clone();
        Ok(Models { detector, scorer, relevance, final_approach, detect_en_route, memory })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_model_is_named_with_its_remedy() {
        let good = ModelOptions::default();
        assert!(good.build("vlfm").is_ok());
        let error = |options: ModelOptions| options.build("vlfm").map(|_| ()).unwrap_err().to_string();
        let wrong = |detector: &str| error(ModelOptions { detector: detector.into(), ..good.clone() });
        assert!(wrong("dino").contains("noisy:miss=0.3"));
        assert!(wrong("noisy:mis=1").contains("no field"));
        assert!(wrong("ftp://x").contains("http://"));
        assert!(error(ModelOptions { scorer: "blip".into(), ..good.clone() }).contains("offline or"));
        let language = Some("http://127.0.0.1:11434/v1".into());
        assert!(error(ModelOptions { language, ..good.clone() }).contains("--language-model"));
        assert!(error(ModelOptions { least_share: 1.0, ..good.clone() }).contains("--detector-share"));
        assert!(error(ModelOptions { knowledge: "mine".into(), ..good }).contains("agent vlfm"));
    }
}
