//! The clients against servers on this machine that speak the real protocols, well and badly.

use ambler_model::{
    AnswerCache, ChatModel, Detector, ImageTextScorer, Knowledge, LanguageModel, LanguageRelevance,
    ModelError, Picture, Question, Region, Relevance, RemoteDetector, RemoteScorer, SCORER_TEXT, Server,
    ServerSettings,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A request as the server saw it.
#[derive(Clone, Debug)]
struct Asked {
    path: String,
    headers: Vec<String>,
    body: Value,
}

/// What the server does with the n-th request (from 0).
type Answer = dyn Fn(usize, &Asked, &mut TcpStream) + Send + Sync;

struct TestServer {
    url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl TestServer {
    fn start(answer: impl Fn(usize, &Asked, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&asked);
        let answer: Arc<Answer> = Arc::new(answer);
        let count = Arc::new(AtomicUsize::new(0));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, answer, count) = (Arc::clone(&seen), Arc::clone(&answer), Arc::clone(&count));
                std::thread::spawn(move || serve(stream, &seen, &*answer, &count));
            }
        });
        Self { url, asked }
    }

    fn count(&self) -> usize {
        self.asked.lock().expect("whole").len()
    }
}

fn serve(mut stream: TcpStream, seen: &Mutex<Vec<Asked>>, answer: &Answer, count: &AtomicUsize) {
    let mut reader = BufReader::new(stream.try_clone().expect("a socket"));
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        let path = line.split(' ').nth(1).unwrap_or("").to_owned();
        let (mut headers, mut length) = (Vec::new(), 0);
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            let line = line.trim().to_owned();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().expect("a length");
            }
            headers.push(line);
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).expect("the whole body");
        let asked = Asked { path, headers, body: serde_json::from_slice(&body).expect("JSON") };
        seen.lock().expect("whole").push(asked.clone());
        answer(count.fetch_add(1, Ordering::SeqCst), &asked, &mut stream);
    }
}

fn reply(stream: &mut TcpStream, status: &str, body: &str) {
    let head = format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\n");
    let _ = write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len());
}

fn say(stream: &mut TcpStream, content: &str) {
    let body = json!({ "choices": [{ "message": { "role": "assistant", "content": content } }] });
    reply(stream, "200 OK", &body.to_string());
}

fn hasty() -> ServerSettings {
    ServerSettings { timeout_s: 0.4, most_bytes: 100_000, repeats: 2, pause_s: 0.01 }
}

fn server(url: &str) -> Server {
    Server::new(url, None, hasty()).expect("an address")
}

fn question() -> Question {
    Question {
        name: "number".into(),
        system: "You count.".into(),
        prompt: "How many?".into(),
        schema: json!({ "type": "object", "required": ["n"],
                        "properties": { "n": { "type": "integer", "minimum": 0 } } }),
    }
}

fn chat(url: &str, cache: AnswerCache) -> ChatModel {
    let base = format!("{url}/v1/");
    ChatModel::new(&base, "qwen3:8b", Some("secret".into()), hasty(), cache).expect("an address")
}

const RGB: [u8; 24] = [200; 24];

fn picture() -> Picture<'static> {
    Picture { width: 4, height: 2, rgb: &RGB, key: "a", place: "b", ..Picture::default() }
}

#[test]
fn a_chat_is_what_the_protocol_says() {
    let test = TestServer::start(|_, _, stream| say(stream, "```json\n{\"n\": 3}\n```"));
    let answer = chat(&test.url, AnswerCache::none()).ask(&question()).expect("an answer");
    assert_eq!(answer, Some(json!({ "n": 3 })));
    let asked = test.asked.lock().expect("whole")[0].clone();
    assert_eq!(asked.path, "/v1/chat/completions");
    assert!(asked.headers.iter().any(|line| line.eq_ignore_ascii_case("authorization: Bearer secret")));
    assert_eq!(asked.body["model"], "qwen3:8b");
    assert_eq!(asked.body["temperature"], 0);
    assert_eq!(asked.body["response_format"]["type"], "json_schema");
    assert_eq!(asked.body["response_format"]["json_schema"]["schema"], question().schema);
    assert_eq!(asked.body["messages"][1], json!({ "role": "user", "content": "How many?" }));
}

#[test]
fn an_answer_that_does_not_fit_is_asked_for_again_with_what_is_wrong() {
    let test = TestServer::start(|n, _, stream| match n {
        0 => say(stream, "Three, I think."),
        1 => say(stream, "{\"n\": -1}"),
        _ => say(stream, "{\"n\": 3}"),
    });
    let answer = chat(&test.url, AnswerCache::none()).ask(&question()).expect("an answer");
    assert_eq!(answer, Some(json!({ "n": 3 })));
    let asked = test.asked.lock().expect("whole").clone();
    let last = asked[2].body["messages"].as_array().expect("a list").clone();
    assert_eq!(last.len(), 6);
    assert!(last[3]["content"].as_str().expect("text").contains("no JSON"));
    assert!(last[5]["content"].as_str().expect("text").contains("/n must be at least 0"));
}

#[test]
fn what_never_fits_is_given_up_and_the_table_stands_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let test = TestServer::start(|_, _, stream| say(stream, "{\"n\": \"many\"}"));
    let cache = AnswerCache::at(folder.path());
    assert_eq!(chat(&test.url, cache.clone()).ask(&question()).expect("asked"), None);
    assert_eq!(test.count(), 4, "once, and three times again");
    // That it never fitted is kept too.
    assert_eq!(chat(&test.url, cache.clone().offline()).ask(&question()).expect("kept"), None);
    assert_eq!(test.count(), 4);
    let table = Arc::new(Knowledge::shipped());
    let model = LanguageRelevance::new(Arc::new(chat(&test.url, cache)), Arc::clone(&table));
    let objects = ["mug", "hammer"];
    let chances = model.objects_given_region(&objects, Region::Kitchen).expect("the table's");
    assert_eq!(chances, table.objects_given_region(&objects, Region::Kitchen).expect("a table"));
    assert_eq!(model.fallbacks(), 1);
}

#[test]
fn relevance_is_asked_once_and_repeats_offline() {
    let folder = tempfile::tempdir().expect("a folder");
    let test = TestServer::start(|_, asked, stream| {
        let schema = &asked.body["response_format"]["json_schema"];
        match schema["name"].as_str() {
            Some("region_of_labels") => say(
                stream,
                r#"{"regions": [{"name": "gym", "confidence": 0.9}, {"name": "garage", "confidence": 0.1}]}"#,
            ),
            Some("receptacles") => say(stream, r#"{"receptacles": ["bench", "altar"]}"#),
            Some("objects_in_region") => say(stream, r#"{"scores": {"mug": 6, "hammer": 2}}"#),
            _ => say(stream, r#"{"scores": {"mug": 0, "hammer": 5}}"#),
        }
    });
    let table = Arc::new(Knowledge::shipped());
    let ask = |cache: AnswerCache| {
        let model = LanguageRelevance::new(Arc::new(chat(&test.url, cache)), Arc::clone(&table));
        let region = model.region_given_labels(&["rope", "anvil", "rope"]).expect("an answer");
        let joint = model.joint(&["mug", "hammer"], Region::Gym, "workbench").expect("an answer");
        let receptacles = model.receptacles(&["bench", "wall", "altar"]).expect("an answer");
        assert_eq!(model.fallbacks(), 0);
        (region, joint, receptacles)
    };
    let first = ask(AnswerCache::at(folder.path()));
    assert!((first.0[Region::Gym.index()] - 0.9).abs() < 0.02);
    // 0.75 x 0.001 against 0.25 x 1.
    assert!((first.1[1] - 0.9970).abs() < 1e-3, "{:?}", first.1);
    assert_eq!(first.2, ["altar", "bench"]);
    let count = test.count();
    assert_eq!(count, 4);
    assert_eq!(ask(AnswerCache::at(folder.path()).offline()), first);
    assert_eq!(test.count(), count);
    // What was never answered is an error then.
    let model = chat(&test.url, AnswerCache::at(folder.path()).offline());
    let error = model.ask(&question()).expect_err("nobody may be asked").to_string();
    assert!(error.contains("--model-offline"), "{error}");
}

#[test]
fn a_detector_gives_boxes_and_masks() {
    let mut png = Vec::new();
    let mask = image::GrayImage::from_fn(4, 2, |x, _| image::Luma([if x == 1 { 255 } else { 0 }]));
    mask.write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png).expect("a mask");
    let answer = json!({ "detections": [
        { "label": "mug", "score": 0.9, "box": [1, 0, 2, 2], "mask": STANDARD.encode(png) },
        { "label": "bed", "score": 0.2, "box": [0, 0, 4, 2] },
    ]});
    let test = TestServer::start(move |_, _, stream| reply(stream, "200 OK", &answer.to_string()));
    let folder = tempfile::tempdir().expect("a folder");
    let cache = AnswerCache::at(folder.path());
    let detector = RemoteDetector::new(server(&test.url), cache.clone(), 0.3);
    let found = detector.detect(&picture(), &["mug", "bed"]).expect("an answer");
    assert_eq!(found.len(), 1, "the other is below the confidence that is asked for");
    assert_eq!(found[0].pixels(), 2);
    assert!(found[0].covers(1, 1) && !found[0].covers(2, 1));
    // The image that was sent is the image.
    let asked = test.asked.lock().expect("whole")[0].body.clone();
    let sent = STANDARD.decode(asked["image"].as_str().expect("text")).expect("base64");
    let sent = image::load_from_memory(&sent).expect("a PNG file").to_rgb8();
    assert_eq!((sent.dimensions(), sent.as_raw().as_slice()), ((4, 2), &RGB[..]));
    assert_eq!(asked["labels"], json!(["mug", "bed"]));
    // The same image again asks nobody, even with another threshold; a damaged file is asked anew.
    let lower = RemoteDetector::new(server(&test.url), cache.clone().offline(), 0.1);
    assert_eq!(lower.detect(&picture(), &["mug", "bed"]).expect("kept").len(), 2);
    assert_eq!(test.count(), 1);
    for entry in walk(folder.path()) {
        let mut bytes = std::fs::read(&entry).expect("a kept answer");
        let last = bytes.len() - 5;
        bytes[last] ^= 1;
        std::fs::write(&entry, bytes).expect("damaged");
    }
    assert_eq!(detector.detect(&picture(), &["mug", "bed"]).expect("an answer"), found);
    assert_eq!(test.count(), 2);
    // Without colours nothing can be sent.
    let blind = Picture { rgb: &[], ..picture() };
    assert!(matches!(detector.detect(&blind, &[]), Err(ModelError::Image(_))));
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() { files.extend(walk(&path)) } else { files.push(path) }
    }
    files
}

#[test]
fn a_scorer_gives_a_number() {
    let test = TestServer::start(|n, _, stream| match n {
        0 => reply(stream, "200 OK", "{\"score\": 0.25}"),
        _ => reply(stream, "200 OK", "{\"score\": 7}"),
    });
    let scorer = RemoteScorer::new(server(&test.url), AnswerCache::none(), SCORER_TEXT).expect("a text");
    assert_eq!(scorer.score(&picture(), &[], "coffee_table").expect("an answer"), 0.25);
    let text = test.asked.lock().expect("whole")[0].body["text"].clone();
    assert!(text.as_str().expect("text").contains("coffee table"), "{text}");
    let error = scorer.score(&picture(), &[], "bed").expect_err("no score").to_string();
    assert!(error.contains("/score"), "{error}");
    assert!(RemoteScorer::new(server(&test.url), AnswerCache::none(), "anything").is_err());
}

/// The error of one request to a server that behaves so.
fn error_of(answer: impl Fn(usize, &Asked, &mut TcpStream) + Send + Sync + 'static) -> (String, usize) {
    let test = TestServer::start(answer);
    let error = server(&test.url).post(b"{}").expect_err("no good answer").to_string();
    assert!(error.contains(&test.url), "{error}");
    (error, test.count())
}

#[test]
fn bad_servers_make_clear_errors() {
    let (error, _) = error_of(|_, _, _| std::thread::sleep(Duration::from_secs(2)));
    assert!(error.contains("no answer within 0.4 s") && error.contains("--model-timeout"), "{error}");
    let (error, _) = error_of(|_, _, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n");
        for _ in 0..50 {
            let _ = stream.write_all(b" ");
            std::thread::sleep(Duration::from_millis(50));
        }
    });
    assert!(error.contains("no answer within"), "a trickle: {error}");
    let (error, _) = error_of(|_, _, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n{\"det");
        let _ = stream.shutdown(std::net::Shutdown::Both);
    });
    assert!(error.contains("http://127.0.0.1"), "truncated: {error}");
    let (error, _) = error_of(|_, _, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 9000000000000\r\n\r\n");
        while stream.write_all(&[b' '; 8192]).is_ok() {}
    });
    assert!(error.contains("more than 100000 bytes"), "huge: {error}");
    let (error, _) = error_of(|_, _, stream| {
        let _ = stream.write_all(b"SSH-2.0-OpenSSH\r\n\r\n");
        let _ = stream.shutdown(std::net::Shutdown::Both);
    });
    assert!(error.contains("server"), "not HTTP: {error}");
    let (error, count) = error_of(|_, _, stream| reply(stream, "404 Not Found", "no model 'x'"));
    assert!(error.contains("status 404: no model 'x'") && count == 1, "{error}");
    let (error, count) = error_of(|_, _, stream| reply(stream, "503 Service Unavailable", "busy"));
    assert!(error.contains("503") && count == 3, "asked again: {error}");
    let (error, _) = error_of(|_, _, stream| {
        let _ = stream.write_all(
            b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n",
        );
    });
    assert!(error.contains("status 302"), "it goes nowhere else: {error}");
    // Nobody there.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    let error = server(&url).post(b"{}").expect_err("nobody").to_string();
    assert!(error.contains("is the server running"), "{error}");
    for url in ["", "localhost:11434", "ftp://x", "http://", "http:///x"] {
        assert!(Server::new(url, None, hasty()).is_err(), "{url}");
    }
}

#[test]
fn an_overloaded_server_is_asked_again_and_chats_that_are_none_are_named() {
    let test = TestServer::start(|n, _, stream| match n {
        0 => reply(stream, "429 Too Many Requests", ""),
        1 => say(stream, "{\"n\": 1}"),
        _ => reply(stream, "200 OK", "{\"choices\": []}"),
    });
    let model = chat(&test.url, AnswerCache::none());
    assert_eq!(model.ask(&question()).expect("an answer"), Some(json!({ "n": 1 })));
    let error = model.ask(&question()).expect_err("no chat").to_string();
    assert!(error.contains("/choices/0/message/content is no text"), "{error}");
}
