use crate::ModelError;
use std::time::Duration;

/// A server of a model: where it is and how patient and careful its client is.
#[derive(Clone, Debug)]
pub struct Server {
    agent: ureq::Agent,
    url: String,
    key: Option<String>,
    settings: ServerSettings,
}

/// How a client treats its server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ServerSettings {
    /// How long one request may take, in seconds.
    pub timeout_s: f64,
    /// Bytes that an answer may have.
    pub most_bytes: u64,
    /// How often a request is repeated when the server cannot be reached or is overloaded.
    pub repeats: u32,
    /// How long the client waits before it repeats a request the first time, in seconds; twice as
    /// long each time after.
    pub pause_s: f64,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self { timeout_s: 60.0, most_bytes: 32 << 20, repeats: 2, pause_s: 0.5 }
    }
}

impl Server {
    /// A server at a URL. `key` is sent as a bearer token.
    ///
    /// # Errors
    /// A URL that is not HTTP, or settings that make no sense.
    pub fn new(url: &str, key: Option<String>, settings: ServerSettings) -> Result<Self, ModelError> {
        let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
        if rest.is_none_or(|rest| rest.is_empty() || rest.starts_with(['/', ':', '?'])) {
            let what = format!("{url:?} is no address of a server");
            return Err(ModelError::option(what, "write it as http://127.0.0.1:8000/detect"));
        }
        if !(settings.timeout_s > 0.0 && settings.timeout_s <= 86_400.0 && settings.pause_s >= 0.0) {
            let what = format!("a time limit of {} s", settings.timeout_s);
            return Err(ModelError::option(what, "it is more than 0 and at most 86400 seconds"));
        }
        let config = ureq::Agent::config_builder()
            .timeout_global(Some(Duration::from_secs_f64(settings.timeout_s)))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent("ambler")
            .build();
        Ok(Self { agent: config.new_agent(), url: url.to_owned(), key, settings })
    }

    /// Where it is.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What determines its answers as far as its client knows: the address, never the key.
    pub fn identity(&self) -> String {
        self.url.clone()
    }

    /// Sends JSON and returns the body of the answer.
    ///
    /// # Errors
    /// The server cannot be reached, is too slow, answers more than it may, or says that it failed.
    pub fn post(&self, body: &[u8]) -> Result<Vec<u8>, ModelError> {
        let mut pause_s = self.settings.pause_s;
        for attempt in 0.. {
            match self.post_once(body) {
                Err((true, _)) if attempt < self.settings.repeats => {
                    std::thread::sleep(Duration::from_secs_f64(pause_s));
                    pause_s *= 2.0;
                }
                Ok(answer) => return Ok(answer),
                Err((_, error)) => return Err(error),
            }
        }
        Err(self.error("was not asked".into(), "report this"))
    }

    /// One request; an error says whether another attempt may help.
    fn post_once(&self, body: &[u8]) -> Result<Vec<u8>, (bool, ModelError)> {
        let mut request = self.agent.post(&self.url).header("content-type", "application/json");
        if let Some(key) = &self.key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        let mut response = request.send(body).map_err(|error| self.failed(&error))?;
        let status = response.status().as_u16();
        let most = if status == 200 { self.settings.most_bytes } else { 4096 };
        let answer = response.body_mut().with_config().limit(most).read_to_vec();
        if status != 200 {
            let text = answer.unwrap_or_default();
            let said: String = String::from_utf8_lossy(&text).chars().take(300).collect();
            let again = status == 429 || status >= 500;
            let remedy = match status {
                300..=399 => "give the address that it leads to",
                401 | 403 => "check the key (--model-key-env names the variable that holds it)",
                404 => "check the path and the name of the model",
                429 => "it is overloaded: ask with fewer workers",
                _ => "look at what the server logged",
            };
            return Err((again, self.error(format!("status {status}: {}", said.trim()), remedy)));
        }
        answer.map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &ureq::Error) -> (bool, ModelError) {
        let (again, what, remedy) = match error {
            ureq::Error::Timeout(_) => {
                let what = format!("no answer within {} s", self.settings.timeout_s);
                (false, what, "is the server busy? --model-timeout gives it longer")
            }
            ureq::Error::BodyExceedsLimit(most) => {
                (false, format!("the answer has more than {most} bytes"), "is this the right server?")
            }
            ureq::Error::ConnectionFailed | ureq::Error::HostNotFound | ureq::Error::Io(_) => {
                (true, error.to_string(), "is the server running, and is the address right?")
            }
            _ => (false, error.to_string(), "is this a server of this protocol?"),
        };
        (again, self.error(what, remedy))
    }

    fn error(&self, what: String, remedy: &str) -> ModelError {
        ModelError::Server { url: self.url.clone(), what, remedy: remedy.to_owned() }
    }
}
