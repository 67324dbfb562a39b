use crate::ModelError;
use crate::http::Server;
use serde_json::Value;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

/// Bytes that a kept answer may have.
const MOST_BYTES: u64 = 64 << 20;
/// Part of each key, so that a change of what is kept makes older files unused.
const VERSION: u32 = 1;

/// Answers of servers on disk, by the content of the question: a run repeats without the server, and
/// all workers use the same answer.
#[derive(Clone, Debug, Default)]
pub struct AnswerCache {
    folder: Option<PathBuf>,
    offline: bool,
}

impl AnswerCache {
    /// Answers in a folder, which is made when the first is kept.
    pub fn at(folder: &Path) -> Self {
        Self { folder: Some(folder.to_owned()), offline: false }
    }

    /// Nothing is kept.
    pub fn none() -> Self {
        Self::default()
    }

    /// The same, but what has not been answered before is an error: no server is asked.
    pub fn offline(mut self) -> Self {
        self.offline = true;
        self
    }

    /// The name of a question: of all that its answer depends on.
    pub fn key(kind: &str, url: &str, request: &Value) -> String {
        let mut hasher = blake3::Hasher::new();
        for part in [&VERSION.to_string(), kind, url, &request.to_string()] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }

    /// The answer that was kept, else that of the server, kept from now on once `check` finds nothing
    /// wrong with it.
    ///
    /// # Errors
    /// The server's, what `check` found wrong, or that there is no answer and nobody may be asked.
    pub fn answer(
        &self,
        kind: &str,
        server: &Server,
        request: &Value,
        check: &dyn Fn(&[u8]) -> Result<(), String>,
    ) -> Result<Vec<u8>, ModelError> {
        let key = Self::key(kind, server.url(), request);
        if let Some(kept) = self.get(kind, &key).filter(|kept| check(kept).is_ok()) {
            return Ok(kept);
        }
        self.may_ask(server.url())?;
        let answer = server.post(request.to_string().as_bytes())?;
        check(&answer).map_err(|what| ModelError::Answer { url: server.url().to_owned(), what })?;
        Ok(self.keep(kind, &key, answer))
    }

    /// An error where only kept answers may be used.
    pub(crate) fn may_ask(&self, url: &str) -> Result<(), ModelError> {
        if !self.offline {
            return Ok(());
        }
        Err(ModelError::Server {
            url: url.to_owned(),
            what: "this question has not been answered before, and nobody may be asked".into(),
            remedy: "run once without --model-offline".into(),
        })
    }

    /// What was kept of a question, as JSON.
    pub(crate) fn kept(&self, kind: &str, url: &str, request: &Value) -> Option<Value> {
        serde_json::from_slice(&self.get(kind, &Self::key(kind, url, request))?).ok()
    }

    /// Keeps an answer as JSON, `None` as `null`, and returns the one that counts.
    pub(crate) fn keep_value(
        &self,
        kind: &str,
        url: &str,
        request: &Value,
        answer: &Option<Value>,
    ) -> Value {
        let answer = answer.clone().unwrap_or(Value::Null);
        let kept = self.keep(kind, &Self::key(kind, url, request), answer.to_string().into_bytes());
        serde_json::from_slice(&kept).unwrap_or(answer)
    }

    /// A kept answer, if it is whole.
    fn get(&self, kind: &str, key: &str) -> Option<Vec<u8>> {
        let path = self.path(kind, key)?;
        let mut bytes = Vec::new();
        std::fs::File::open(path).ok()?.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
        // The first line is the hash of the rest.
        let (hash, rest) = bytes.split_at_checked(65)?;
        let whole = hash[64] == b'\n' && hash[..64] == *blake3::hash(rest).to_hex().as_bytes();
        whole.then(|| rest.to_vec())
    }

    /// Keeps an answer and returns the one that counts: that of the worker who was first. A cache that
    /// cannot be written costs time, not the result.
    fn keep(&self, kind: &str, key: &str, answer: Vec<u8>) -> Vec<u8> {
        let Some(path) = self.path(kind, key) else { return answer };
        let write = || -> std::io::Result<()> {
            let folder = path.parent().unwrap_or(Path::new("."));
            std::fs::create_dir_all(folder)?;
            let mut file = tempfile::Builder::new().suffix(".tmp").tempfile_in(folder)?;
            writeln!(file, "{}", blake3::hash(&answer).to_hex())?;
            file.write_all(&answer)?;
            // A damaged file gives way.
            if self.get(kind, key).is_none() {
                file.persist(&path)?;
            } else {
                drop(file);
            }
            Ok(())
        };
        match write() {
            Ok(()) => self.get(kind, key).unwrap_or(answer),
            Err(_) => answer,
        }
    }

    fn path(&self, kind: &str, key: &str) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{kind}-{key}.answer")))
    }
}
