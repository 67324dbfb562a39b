use super::{LanguageModel, Question, check_schema};
use crate::http::{Server, ServerSettings};
use crate::{AnswerCache, ModelError};
use serde_json::{Value, json};

/// How often a question is asked again when the answer does not fit.
pub const MOST_ASKED_AGAIN: u32 = 3;
/// The longest answer, in tokens.
const MOST_TOKENS: u32 = 8192;

/// A language model behind OpenAI's chat protocol (`POST BASE/chat/completions`): Ollama, llama.cpp,
/// vLLM, LM Studio, OpenAI and others.
#[derive(Debug)]
pub struct ChatModel {
    server: Server,
    model: String,
    cache: AnswerCache,
}

impl ChatModel {
    /// A model at a base URL such as `http://127.0.0.1:11434/v1`.
    ///
    /// # Errors
    /// No address, or no name of a model.
    pub fn new(
        base_url: &str,
        model: &str,
        key: Option<String>,
        settings: ServerSettings,
        cache: AnswerCache,
    ) -> Result<Self, ModelError> {
        if model.trim().is_empty() {
            return Err(ModelError::option("the language model has no name", "give --language-model"));
        }
        let url = format!("{}/chat/completions", base_url.trim_end_matches('/'));
        Ok(Self { server: Server::new(&url, key, settings)?, model: model.to_owned(), cache })
    }

    fn request(&self, question: &Question, messages: &[Value]) -> Value {
        json!({
            "model": self.model,
            "messages": messages,
            "temperature": 0,
            "seed": 0,
            "stream": false,
            "max_tokens": MOST_TOKENS,
            "response_format": {
                "type": "json_schema",
                "json_schema": { "name": question.name, "strict": true, "schema": question.schema },
            },
        })
    }

    /// Asks once more each time that the answer does not fit, and says what is wrong with it.
    fn talk(&self, question: &Question, mut messages: Vec<Value>) -> Result<Option<Value>, ModelError> {
        for _ in 0..=MOST_ASKED_AGAIN {
            let request = self.request(question, &messages);
            let body = self.server.post(request.to_string().as_bytes())?;
            let text = content(&body)
                .map_err(|what| ModelError::Answer { url: self.server.url().to_owned(), what })?;
            let wrong = match read_json(&text) {
                Ok(answer) => match check_schema(&answer, &question.schema) {
                    Ok(()) => return Ok(Some(answer)),
                    Err(wrong) => wrong,
                },
                Err(wrong) => wrong,
            };
            let said: String = text.chars().take(4000).collect();
            let again = format!("That does not fit: {wrong}. Answer again, with nothing but the JSON.");
            messages.push(json!({ "role": "assistant", "content": said }));
            messages.push(json!({ "role": "user", "content": again }));
        }
        Ok(None)
    }
}

impl LanguageModel for ChatModel {
    fn identity(&self) -> String {
        format!("chat {} {}", self.server.identity(), self.model)
    }

    fn ask(&self, question: &Question) -> Result<Option<Value>, ModelError> {
        let messages = vec![
            json!({ "role": "system", "content": question.system }),
            json!({ "role": "user", "content": question.prompt }),
        ];
        // The key is the first request; what is kept is what came of it in the end, `null` for nothing.
        let request = self.request(question, &messages);
        let fits = |answer: &Value| answer.is_null() || check_schema(answer, &question.schema).is_ok();
        let kept = self.cache.kept("language", self.server.url(), &request);
        if let Some(kept) = kept.filter(|kept| fits(kept)) {
            return Ok((!kept.is_null()).then_some(kept));
        }
        self.cache.may_ask(self.server.url())?;
        let answer = self.talk(question, messages)?;
        let kept = self.cache.keep_value("language", self.server.url(), &request, &answer);
        Ok((!kept.is_null()).then_some(kept))
    }
}

/// The text of the first choice.
fn content(body: &[u8]) -> Result<String, String> {
    let body: Value = serde_json::from_slice(body).map_err(|error| format!("no JSON: {error}"))?;
    let text = body["choices"][0]["message"]["content"].as_str();
    text.map(str::to_owned).ok_or_else(|| "/choices/0/message/content is no text".to_owned())
}

/// JSON as models write it: alone, in a fence, or with words around it.
fn read_json(text: &str) -> Result<Value, String> {
    let text = text.trim();
    if let Ok(value) = serde_json::from_str(text) {
        return Ok(value);
    }
    let (first, last) = (text.find(['{', '[']), text.rfind(['}', ']']));
    match (first, last) {
        (Some(first), Some(last)) if first < last => {
            serde_json::from_str(&text[first..=last]).map_err(|error| format!("it is no JSON: {error}"))
        }
        _ => Err("there is no JSON in it".to_owned()),
    }
}
