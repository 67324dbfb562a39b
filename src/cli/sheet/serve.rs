//! A server for one person on this machine: the page, and decisions that come back from it.

use super::words;
use crate::exit::Failure;
use ambler_scene::library::{Decided, Decision, Decisions};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::time::Duration;

/// Bytes of a request's head, and of its body.
const HEAD_BYTES: u64 = 16 << 10;
const BODY_BYTES: u64 = 64 << 10;
/// How long a browser may take over one read or write.
const PATIENCE: Duration = Duration::from_secs(5);

/// The server. It listens on the loopback address alone and answers one request after the other.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    page: String,
    kind: Decided,
    names: BTreeSet<String>,
    folder: PathBuf,
}

struct Request {
    method: String,
    path: String,
    host: String,
    origin: Option<String>,
    body: Vec<u8>,
}

type Answer = (u16, &'static str, String);

impl Server {
    /// Listens on `port` of 127.0.0.1 (0 = any that is free).
    pub fn new(
        page: String,
        kind: Decided,
        names: BTreeSet<String>,
        folder: PathBuf,
        port: u16,
    ) -> Result<Self, Failure> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| {
            Failure::Input(format!("port {port} cannot be used ({error}); name another with --port"))
        })?;
        let address = listener
            .local_addr()
            .map_err(|error| Failure::Input(format!("the server has no address ({error})")))?;
        Ok(Self { listener, address, page, kind, names, folder })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until the program ends.
    pub fn run(&self) {
        for stream in self.listener.incoming().flatten() {
            // A browser that goes away costs nothing.
            let _ = self.answer(&stream);
        }
    }

    fn answer(&self, stream: &TcpStream) -> std::io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let (status, kind, body) = match read_request(stream) {
            Ok(request) => self.respond(&request),
            Err(what) => (400, "text/plain", what),
        };
        let reason = match status {
            200 => "OK",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            500 => "Internal Server Error",
            _ => "Bad Request",
        };
        let mut stream = stream;
        write!(
            stream,
            "HTTP/1.1 {status} {reason}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\n\
             Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
            body.len()
        )?;
        stream.write_all(body.as_bytes())?;
        stream.flush()
    }

    fn respond(&self, request: &Request) -> Answer {
        // A page from elsewhere must not decide, even under a name that leads here.
        let own = |host: &str| {
            let port = self.address.port();
            host == format!("127.0.0.1:{port}") || host == format!("localhost:{port}")
        };
        let foreign = request
            .origin
            .as_deref()
            .is_some_and(|origin| !origin.strip_prefix("http://").is_some_and(own));
        if !own(&request.host) || foreign {
            return (403, "text/plain", "only pages of this server may ask".into());
        }
        match (request.method.as_str(), request.path.as_str()) {
            ("GET", "/") => (200, "text/html", self.page.clone()),
            ("GET", "/decisions") => match Decisions::read(&self.folder) {
                Ok(decisions) => (200, "application/json", words(&decisions, self.kind).to_string()),
                Err(error) => (500, "text/plain", error.to_string()),
            },
            ("POST", "/decisions") => match self.decide(&request.body) {
                Ok(()) => (200, "text/plain", "stored".into()),
                Err((status, what)) => (status, "text/plain", what),
            },
            (_, "/" | "/decisions") => (405, "text/plain", "GET or POST".into()),
            _ => (404, "text/plain", "there is / and /decisions".into()),
        }
    }

    /// Stores `{"name": …, "decision": "accept" | "reject" | null}`.
    fn decide(&self, body: &[u8]) -> Result<(), (u16, String)> {
        let value: Value = serde_json::from_slice(body)
            .map_err(|error| (400, format!("the body is no JSON: {error}")))?;
        let name = value.get("name").and_then(Value::as_str).unwrap_or("");
        if !self.names.contains(name) {
            return Err((400, format!("there is no '{name}' among the {}", self.kind.name())));
        }
        let decision = match value.get("decision") {
            Some(Value::Null) => None,
            Some(Value::String(word)) if word == "accept" => Some(Decision::Accept),
            Some(Value::String(word)) if word == "reject" => Some(Decision::Reject),
            _ => return Err((400, "decision: accept, reject or null".into())),
        };
        let store = || {
            let mut decisions = Decisions::read(&self.folder)?;
            let own = decisions.of_mut(self.kind);
            match decision {
                Some(decision) => own.insert(name.to_owned(), decision),
                None => own.remove(name),
            };
            decisions.write(&self.folder)
        };
        store().map_err(|error| (500, error.to_string()))
    }
}

fn read_request(stream: &TcpStream) -> Result<Request, String> {
    let mut reader = BufReader::new(stream.take(HEAD_BYTES + BODY_BYTES));
    let mut line = || -> Result<String, String> {
        let mut text = String::new();
        reader.read_line(&mut text).map_err(|error| format!("the request cannot be read ({error})"))?;
        Ok(text.trim_end().to_owned())
    };
    let first = line()?;
    let mut words = first.split_whitespace();
    let (Some(method), Some(path)) = (words.next(), words.next()) else {
        return Err("the request has no method and path".into());
    };
    let (method, path) = (method.to_owned(), path.split('?').next().unwrap_or("").to_owned());
    let (mut host, mut origin, mut length) = (String::new(), None, 0_u64);
    for _ in 0..100 {
        let header = line()?;
        if header.is_empty() {
            break;
        }
        let Some((key, value)) = header.split_once(':') else { continue };
        let value = value.trim();
        match key.to_ascii_lowercase().as_str() {
            "host" => value.clone_into(&mut host),
            "origin" => origin = Some(value.to_owned()),
            "content-length" => {
                length = value.parse().map_err(|_| "the length is no number".to_owned())?
            }
            _ => {}
        }
    }
    if length > BODY_BYTES {
        return Err(format!("a body of more than {BODY_BYTES} bytes"));
    }
    let mut body = vec![0; length as usize];
    reader.read_exact(&mut body).map_err(|_| "the body ends too early".to_owned())?;
    Ok(Request { method, path, host, origin, body })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(folder: PathBuf) -> SocketAddr {
        let names = ["mug".to_owned(), "bowl".to_owned()].into();
        let server = Server::new("<p>page</p>".into(), Decided::Objects, names, folder, 0).unwrap();
        let address = server.address();
        std::thread::spawn(move || server.run());
        address
    }

    fn speak(address: SocketAddr, text: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(text.replace("HERE", &address.to_string()).as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn post(address: SocketAddr, body: &str) -> String {
        let length = body.len();
        speak(
            address,
            &format!(
                "POST /decisions HTTP/1.1\r\nHost: HERE\r\nOrigin: http://HERE\r\nContent-Length: {length}\r\n\r\n{body}"
            ),
        )
    }

    #[test]
    fn decisions_are_stored_and_can_be_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let address = start(folder.path().into());
        assert!(address.ip().is_loopback());
        assert!(speak(address, "GET / HTTP/1.1\r\nHost: HERE\r\n\r\n").ends_with("<p>page</p>"));
        assert!(post(address, r#"{"name": "mug", "decision": "reject"}"#).starts_with("HTTP/1.1 200"));
        assert!(post(address, r#"{"name": "bowl", "decision": "accept"}"#).starts_with("HTTP/1.1 200"));
        let stored = Decisions::read(folder.path()).unwrap();
        assert!(
            stored.rejects(Decided::Objects, "mug")
                && stored.objects.get("bowl") == Some(&Decision::Accept)
        );
        let answer = speak(address, "GET /decisions HTTP/1.1\r\nHost: HERE\r\n\r\n");
        assert!(answer.ends_with(r#"{"bowl":"accept","mug":"reject"}"#), "{answer}");
        assert!(post(address, r#"{"name": "mug", "decision": null}"#).starts_with("HTTP/1.1 200"));
        assert!(!Decisions::read(folder.path()).unwrap().rejects(Decided::Objects, "mug"));
    }

    #[test]
    fn strangers_and_nonsense_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let address = start(folder.path().into());
        let status = |answer: String| answer.get(9..12).unwrap_or("").to_owned();
        for (text, expected) in [
            ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", "403"),
            (
                "POST /decisions HTTP/1.1\r\nHost: HERE\r\nOrigin: http://evil.example\r\nContent-Length: 0\r\n\r\n",
                "403",
            ),
            ("GET /../secret HTTP/1.1\r\nHost: HERE\r\n\r\n", "404"),
            ("DELETE / HTTP/1.1\r\nHost: HERE\r\n\r\n", "405"),
            ("\r\n\r\n", "400"),
            ("POST /decisions HTTP/1.1\r\nHost: HERE\r\nContent-Length: 99999999\r\n\r\n", "400"),
            ("POST /decisions HTTP/1.1\r\nHost: HERE\r\nContent-Length: x\r\n\r\n", "400"),
        ] {
            assert_eq!(status(speak(address, text)), expected, "{text}");
        }
        for body in [
            "{",
            "{}",
            r#"{"name": "nobody", "decision": "accept"}"#,
            r#"{"name": "mug", "decision": "maybe"}"#,
        ] {
            assert_eq!(status(post(address, body)), "400", "{body}");
        }
        assert!(!Decisions::path(folder.path()).exists());
    }
}
