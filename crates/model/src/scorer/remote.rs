use super::ImageTextScorer;
use crate::http::Server;
use crate::picture::encode_png;
use crate::{AnswerCache, Detected, ModelError, Picture};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// The text that images are compared with; `{}` stands for the goal.
pub const SCORER_TEXT: &str = "A view of a place where one would find a {}.";

/// An image-text scorer behind HTTP. docs/MODELS.md states the protocol.
#[derive(Debug)]
pub struct RemoteScorer {
    server: Server,
    cache: AnswerCache,
    text: String,
}

impl RemoteScorer {
    /// A scorer at a URL. `text` is what images are compared with, `{}` in it stands for the goal.
    ///
    /// # Errors
    /// A text without `{}`.
    pub fn new(server: Server, cache: AnswerCache, text: &str) -> Result<Self, ModelError> {
        if !text.contains("{}") {
            let what = format!("the text {text:?} does not name the goal");
            return Err(ModelError::option(what, "put {} where the goal's name goes"));
        }
        Ok(Self { server, cache, text: text.to_owned() })
    }
}

impl ImageTextScorer for RemoteScorer {
    fn identity(&self) -> String {
        format!("remote {}, text {:?}", self.server.identity(), self.text)
    }

    fn needs_rgb(&self) -> bool {
        true
    }

    fn score(&self, picture: &Picture<'_>, _: &[Detected], goal: &str) -> Result<f32, ModelError> {
        let text = self.text.replace("{}", &goal.replace('_', " "));
        let request = json!({ "image": STANDARD.encode(encode_png(picture)?), "text": text });
        let answer =
            self.cache.answer("scorer", &self.server, &request, &|answer| read(answer).map(|_| ()))?;
        read(&answer).map_err(|what| ModelError::Answer { url: self.server.url().to_owned(), what })
    }
}

fn read(answer: &[u8]) -> Result<f32, String> {
    let answer: Value = serde_json::from_slice(answer).map_err(|error| format!("no JSON: {error}"))?;
    let score = answer["score"].as_f64().filter(|score| (0.0..=1.0).contains(score));
    score.map(|score| score as f32).ok_or_else(|| "/score is no number from 0 to 1".to_owned())
}
