//! Settings of agents' models as the agents take them.

use crate::exit::Failure;
use crate::locate;
use crate::settings::Settings;
use ambler_agent::{ModelOptions, PolicyOptions, models_of};

impl Settings {
    /// What agents are made with.
    ///
    /// # Errors
    /// A key that is not there.
    pub fn policy_options(&self) -> Result<PolicyOptions, Failure> {
        let key = self.model_key_env.as_ref().map(|name| {
            std::env::var(name).map_err(|_| {
                let text = format!("--model-key-env {name}: there is no such environment variable");
                Failure::Usage(text)
            })
        });
        let base = ModelOptions::default();
        let models = ModelOptions {
            detector: self.detector.clone().unwrap_or(base.detector),
            least_share: self.detector_share.unwrap_or(base.least_share),
            scorer: self.scorer.clone().unwrap_or(base.scorer),
            scorer_text: self.scorer_text.clone().unwrap_or(base.scorer_text),
            knowledge: self.knowledge.clone().unwrap_or(base.knowledge),
            language: self.language.clone(),
            language_model: self.language_model.clone().unwrap_or(base.language_model),
            key: key.transpose()?,
            timeout_s: self.model_timeout.unwrap_or(base.timeout_s),
            offline: self.model_offline.unwrap_or(base.offline),
            cache: locate::cache_folder().map(|folder| folder.join("models")),
            memory: self.memory.as_deref().map(crate::assemble::memory_identity).transpose()?,
            final_approach: self.final_approach,
            detect_en_route: self.detect_en_route.unwrap_or(base.detect_en_route),
        };
        Ok(PolicyOptions { start_limit_s: self.start_limit(), step_limit_s: self.step_limit(), models })
    }

    /// A setting of models that no agent of the run uses is a mistake.
    ///
    /// # Errors
    /// The first such setting.
    pub fn check_model_use(&self) -> Result<(), Failure> {
        let server = |text: &Option<String>| text.as_ref().is_some_and(|text| text.contains("://"));
        let asks = server(&self.detector) || server(&self.scorer) || self.language.is_some();
        let given = [
            ("detector", self.detector.is_some(), "--detector"),
            ("detector", self.detector_share.is_some(), "--detector-share"),
            ("scorer", self.scorer.is_some(), "--scorer"),
            ("scorer", self.scorer_text.is_some(), "--scorer-text"),
            ("knowledge", self.knowledge.is_some(), "--knowledge"),
            ("language", self.language.is_some(), "--language"),
            ("memory", self.memory.is_some(), "--memory"),
            ("approach", self.final_approach.is_some(), "--final-approach"),
            ("en_route", self.detect_en_route.is_some(), "--detect-en-route"),
        ];
        let agents = self.agents();
        for (part, is_given, flag) in given {
            if is_given && !agents.iter().any(|agent| models_of(agent).contains(&part)) {
                let text = format!("no agent of this run ({}) uses {flag}", agents.join(", "));
                return Err(Failure::Usage(text));
            }
        }
        if self.scorer_text.is_some() && !server(&self.scorer) {
            return Err(Failure::Usage("--scorer-text is for a --scorer that is a server".into()));
        }
        if self.language_model.is_some() && self.language.is_none() {
            return Err(Failure::Usage("--language-model is for a model at --language URL".into()));
        }
        let of_servers = [
            (self.model_key_env.is_some(), "--model-key-env"),
            (self.model_timeout.is_some(), "--model-timeout"),
            (self.model_offline.is_some(), "--model-offline"),
        ];
        match of_servers.iter().find(|(given, _)| *given && !asks) {
            Some((_, flag)) => Err(Failure::Usage(format!(
                "{flag} is for models on servers, and no URL was given to --detector, --scorer or --language"
            ))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(settings: &Settings) -> String {
        settings
            .check_model_use()
            .and_then(|()| settings.policy_options().map(|_| ()))
            .expect_err("refused")
            .to_string()
    }

    #[test]
    fn settings_that_nobody_uses_are_refused() {
        let none = Settings::default();
        assert!(none.policy_options().is_ok());
        let text = |text: &str| Some(text.to_owned());
        let frontier = Settings { detector: text("noisy"), ..none.clone() };
        assert!(error(&frontier).contains("frontier) uses --detector"));
        let vlfm = Settings { agent: vec!["frontier".into(), "vlfm".into()], ..frontier };
        assert_eq!(vlfm.policy_options().expect("vlfm uses it").models.detector, "noisy");
        let timeout = Settings { model_timeout: Some(3.0), ..vlfm.clone() };
        assert!(error(&timeout).contains("--model-timeout is for models on servers"));
        let route = Settings { detect_en_route: Some(true), ..vlfm.clone() };
        assert!(error(&route).contains("--detect-en-route"));
        let key = Settings {
            scorer: text("http://x/"),
            model_key_env: text("AMBLER_NO_SUCH_KEY"),
            ..vlfm.clone()
        };
        assert!(error(&key).contains("no such environment variable"));
        let said = Settings { scorer_text: text("a {}"), ..vlfm };
        assert!(error(&said).contains("--scorer that is a server"));
    }
}
