//! The log as an MCAP file; `docs/FORMATS.md` describes the channels.

use crate::error::ReplayError;
use crate::log::{Header, Log, LogEvent, LogLayer, Step};
use crate::mcap::{Channel, Contents, Message, Writer};
use ambler_agent::layers::{Limits, Schema};
use ambler_episode::{EpisodeSet, parse_episodes, to_json};
use ambler_evaluate::EpisodeRecord;
use ambler_geometry::{Pose, quat_from_yaw};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// Version of the format that this build writes and reads.
pub const FORMAT: u32 = 1;
/// Nominal length of a step in a file's times, nanoseconds: ten steps a second.
pub const STEP_NS: u64 = 100_000_000;
/// Layers beyond this many share a channel.
const MOST_CHANNELS: usize = 1000;

const HEADER: &str = "/header";
const EPISODE: &str = "/episode";
const SCHEMAS: &str = "/schemas";
const STEPS: &str = "/steps";
const EVENTS: &str = "/events";
const TRANSFORMS: &str = "/tf";
const MESSAGES: &str = "/log";
const RECORD: &str = "/record";
const END: &str = "/end";
const LAYERS: &str = "/layers";

/// What a layer is.
#[derive(Serialize, Deserialize)]
struct SchemaOf {
    path: String,
    schema: Schema,
}

/// The last message of a file.
#[derive(Serialize, Deserialize)]
struct End {
    /// Steps of the log, the start among them.
    steps: u64,
    /// Whether the episode came to its end.
    whole: bool,
    /// blake3 over all messages before: topic, step, data.
    digest: String,
}

/// The log as a file's bytes: the same for the same log.
pub fn encode(log: &Log) -> Vec<u8> {
    let paths: BTreeSet<&str> = log.layers().iter().map(|layer| layer.path.as_str()).collect();
    let paths: Vec<&str> = paths.into_iter().take(MOST_CHANNELS).collect();
    let plain = |topic: &str, schema| Channel {
        topic: topic.to_owned(),
        schema,
        definition: definition(schema).to_string(),
    };
    let mut channels = vec![
        plain(END, "ambler.End"),
        plain(EPISODE, "ambler.Episode"),
        plain(EVENTS, "ambler.Event"),
        plain(HEADER, "ambler.Header"),
        plain(LAYERS, "ambler.Layer"),
    ];
    let first_layer = channels.len();
    channels.extend(paths.iter().map(|path| plain(&format!("{LAYERS}/{path}"), "ambler.Layer")));
    channels.extend([
        plain(MESSAGES, "foxglove.Log"),
        plain(RECORD, "ambler.Record"),
        plain(SCHEMAS, "ambler.LayerSchema"),
        plain(STEPS, "ambler.Step"),
        plain(TRANSFORMS, "foxglove.FrameTransforms"),
    ]);
    let topics: Vec<String> = channels.iter().map(|channel| channel.topic.clone()).collect();
    let header = &log.header;
    let mut writer = Writer::new(&format!("ambler {}", header.version), channels);
    writer.metadata(
        "ambler",
        &[
            ("agent", header.agent.clone()),
            ("category", header.category.clone()),
            ("episode_id", header.episode_id.clone()),
            ("format", header.format.to_string()),
            ("identity", header.identity.clone()),
            ("scene", header.scene.clone()),
            ("seed", header.seed.to_string()),
            ("task", header.task.clone()),
            ("version", header.version.clone()),
        ],
    );
    let mut digest = blake3::Hasher::new();
    let mut say = |channel: usize, step: u32, data: &[u8]| {
        hash_message(&mut digest, &topics[channel], step, data);
        writer.message(&Message {
            channel: channel as u16,
            sequence: step,
            time_ns: u64::from(step) * STEP_NS,
            data,
        });
    };
    let place = |topic: &str| topics.iter().position(|known| known == topic).unwrap_or(0);
    say(place(HEADER), 0, &bytes(header));
    let set = EpisodeSet::new(vec![(*log.episode).clone()]);
    say(place(EPISODE), 0, to_json(&set).as_bytes());
    for (path, schema) in &log.schemas {
        let schema = SchemaOf { path: path.clone(), schema: schema.clone() };
        say(place(SCHEMAS), 0, &bytes(&schema));
    }
    let mut layers = log.layers().iter().peekable();
    for (number, step) in log.steps.iter().enumerate() {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        say(place(STEPS), number, &bytes(step));
        say(place(TRANSFORMS), number, &bytes(&transforms(&step.pose, number)));
        while let Some(layer) = layers.next_if(|layer| layer.step <= number) {
            let own = paths.binary_search(&layer.path.as_str()).map(|at| first_layer + at);
            say(own.unwrap_or_else(|_| place(LAYERS)), number, &bytes(layer));
        }
        for event in log.events_at(number) {
            say(place(EVENTS), number, &bytes(event));
            say(place(MESSAGES), number, &bytes(&message(event)));
        }
    }
    let last = log.last_step();
    if let Some(record) = &log.record {
        say(place(RECORD), last, record.to_json().as_bytes());
    }
    let digest = digest.finalize().to_hex().to_string();
    let end = End { steps: log.steps.len() as u64, whole: log.record.is_some(), digest };
    writer.message(&Message {
        channel: place(END) as u16,
        sequence: last,
        time_ns: u64::from(last) * STEP_NS,
        data: &bytes(&end),
    });
    writer.finish()
}

/// Writes a log; the file appears whole or not at all.
///
/// # Errors
/// The file cannot be written.
pub fn write(log: &Log, path: &Path) -> Result<(), ReplayError> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    std::fs::write(&partial, encode(log))
        .and_then(|()| std::fs::rename(&partial, path))
        .map_err(|error| ReplayError::io(path, "be written", &error))
}

/// Reads a log.
///
/// # Errors
/// As [`decode`], or the file cannot be read.
pub fn read(path: &Path) -> Result<Log, ReplayError> {
    let bytes = std::fs::read(path).map_err(|error| ReplayError::io(path, "be read", &error))?;
    decode(&bytes, path)
}

/// Reads the bytes of a file. What is cut off or damaged behind a readable beginning is left out, and
/// [`Log::notices`] says so. `path` is for messages alone.
///
/// # Errors
/// It is no MCAP file, no log of Ambler or one of another version, or it is damaged before its first
/// step.
pub fn decode(bytes: &[u8], path: &Path) -> Result<Log, ReplayError> {
    let contents = crate::mcap::read(bytes).map_err(|(byte, what)| {
        ReplayError::Foreign(ambler_geometry::Fault::new(
            path,
            ambler_geometry::Place::Byte(byte as u64),
            what,
            "name a file that `ambler eval --replays all` wrote",
        ))
    })?;
    if contents.profile != "ambler" && contents.damage.is_none() {
        let what = format!("an MCAP file with the profile {:?}, and no episode log", contents.profile);
        return Err(ReplayError::foreign(path, what));
    }
    let mut log = beginning(&contents, path)?;
    let mut reading = Reading { limits: Limits::default(), digest: blake3::Hasher::new(), end: None };
    for found in &contents.messages {
        if reading.end.is_some() {
            log.notices.push(format!("byte {}: something follows the end", found.byte));
            break;
        }
        if let Err(what) = reading.message(&mut log, &found.topic, found.sequence, &found.data) {
            log.notices
                .push(format!("byte {}, {}: {what}; the rest is left out", found.byte, found.topic));
            return Ok(log);
        }
        hash_message(&mut reading.digest, &found.topic, found.sequence, &found.data);
    }
    if let Some((byte, what)) = &contents.damage {
        log.notices.push(format!("byte {byte}: {what}; {} steps are there", log.steps.len()));
    } else if reading.end.is_none() {
        log.notices.push(format!("the end is missing; {} steps are there", log.steps.len()));
    }
    if let Some(end) = reading.end
        && (end.steps != log.steps.len() as u64 || end.whole != log.record.is_some())
    {
        log.notices.push(format!("{} steps are announced and {} are there", end.steps, log.steps.len()));
    }
    Ok(log)
}

/// Header and episode, which come first.
fn beginning(contents: &Contents, path: &Path) -> Result<Log, ReplayError> {
    let find = |topic: &str| {
        contents.messages.iter().take(2).find(|found| &*found.topic == topic).ok_or_else(|| {
            match &contents.damage {
                Some((byte, what)) => ReplayError::damaged(path, *byte, what.clone()),
                None => ReplayError::foreign(path, format!("an MCAP file without {topic} at its start")),
            }
        })
    };
    let found = find(HEADER)?;
    let wrong = |what: String| ReplayError::damaged(path, found.byte, what);
    // The version first: another one may have other fields.
    let format =
        serde_json::from_slice::<Value>(&found.data).ok().and_then(|value| value["format"].as_u64());
    if format != Some(u64::from(FORMAT)) {
        let written = format.map_or_else(|| "unknown".to_owned(), |format| format.to_string());
        let what = format!("an episode log of format {written}; this build reads {FORMAT}");
        return Err(ReplayError::foreign(path, what));
    }
    let header: Header = parse(&found.data).map_err(|what| wrong(format!("{HEADER}: {what}")))?;
    if let Some(problem) = header.body.problem() {
        return Err(wrong(format!("{HEADER}: the body makes no sense: {problem}")));
    }
    for camera in &header.cameras {
        camera.validate().map_err(|error| wrong(format!("{HEADER}: {error}")))?;
    }
    let found = find(EPISODE)?;
    let set = parse_episodes(&found.data, path).map_err(|error| wrong(format!("{EPISODE}: {error}")))?;
    let episode = set.episodes.first().ok_or_else(|| wrong(format!("{EPISODE}: it is empty")))?;
    if episode.identity.to_string() != header.identity {
        return Err(wrong(format!("{EPISODE}: it is not the episode that the header names")));
    }
    Ok(Log::new(header, episode.clone()))
}

struct Reading {
    limits: Limits,
    digest: blake3::Hasher,
    end: Option<End>,
}

impl Reading {
    fn message(&mut self, log: &mut Log, topic: &str, step: u32, data: &[u8]) -> Result<(), String> {
        let here = log.last_step();
        match topic {
            SCHEMAS => {
                let SchemaOf { path, schema } = parse(data)?;
                log.schemas.insert(path, schema);
            }
            STEPS => {
                if step as usize != log.steps.len() {
                    return Err(format!("step {step} comes where {} was expected", log.steps.len()));
                }
                log.steps.push(checked(parse(data)?)?);
            }
            EVENTS => {
                let event: LogEvent = parse(data)?;
                if event.step != here || log.steps.is_empty() {
                    return Err(format!("an event of step {} in step {here}", event.step));
                }
                log.events.push(event);
            }
            RECORD => {
                let record: EpisodeRecord = parse(data)?;
                if record.identity != log.header.identity {
                    return Err("the record is of another episode".to_owned());
                }
                log.record = Some(record);
            }
            END => {
                let end: End = parse(data)?;
                if end.digest != self.digest.finalize().to_hex().as_str() {
                    return Err("its content was changed: the hash is another".to_owned());
                }
                self.end = Some(end);
            }
            _ if topic.starts_with(LAYERS) => {
                let mut layer: LogLayer = parse(data)?;
                if layer.step != here || log.steps.is_empty() {
                    return Err(format!("a layer of step {} in step {here}", layer.step));
                }
                self.limits.check(&mut layer.layer)?;
                log.push_layer(layer);
            }
            // What viewers read, and what later versions add.
            _ => {}
        }
        Ok(())
    }
}

fn checked(step: Step) -> Result<Step, String> {
    let heading = &step.pose.heading;
    let sound = step.pose.position.is_finite()
        && heading.per_circle > 0
        && heading.yaw().is_finite()
        && heading.turns.unsigned_abs() <= heading.per_circle
        && step.tilt_rad.abs() < 10.0;
    if sound { Ok(step) } else { Err("a pose that makes no sense".to_owned()) }
}

fn parse<T: DeserializeOwned>(data: &[u8]) -> Result<T, String> {
    serde_json::from_slice(data).map_err(|error| error.to_string())
}

fn bytes(value: &impl Serialize) -> Vec<u8> {
    // Plain data with string keys always serialises.
    serde_json::to_vec(value).unwrap_or_default()
}

fn hash_message(hasher: &mut blake3::Hasher, topic: &str, step: u32, data: &[u8]) {
    hasher.update(&(topic.len() as u64).to_le_bytes());
    hasher.update(topic.as_bytes());
    hasher.update(&step.to_le_bytes());
    hasher.update(&(data.len() as u64).to_le_bytes());
    hasher.update(data);
}

/// A time as Foxglove's messages have it.
fn time(step: u32) -> Value {
    let ns = u64::from(step) * STEP_NS;
    json!({ "sec": ns / 1_000_000_000, "nsec": ns % 1_000_000_000 })
}

/// Where the body is in the world, and, at the start, the world in a frame whose z points up.
fn transforms(pose: &Pose, step: u32) -> Value {
    let rotation = quat_from_yaw(pose.heading.yaw());
    let (p, q) = (pose.position, rotation);
    let mut transforms = vec![json!({
        "timestamp": time(step), "parent_frame_id": "world", "child_frame_id": "body",
        "translation": { "x": p.x, "y": p.y, "z": p.z },
        "rotation": { "x": q.x, "y": q.y, "z": q.z, "w": q.w },
    })];
    if step == 0 {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        transforms.push(json!({
            "timestamp": time(step), "parent_frame_id": "map", "child_frame_id": "world",
            "translation": { "x": 0, "y": 0, "z": 0 },
            "rotation": { "x": half, "y": 0, "z": 0, "w": half },
        }));
    }
    json!({ "transforms": transforms })
}

fn message(event: &LogEvent) -> Value {
    let warning = event.event.kind == ambler_agent::layers::EventKind::Warning;
    json!({
        "timestamp": time(event.step), "level": if warning { 3 } else { 2 }, "message": event.event.text,
        "name": event.event.kind.name(), "file": "", "line": 0,
    })
}

/// JSON Schema of a kind of message.
fn definition(schema: &str) -> Value {
    let number = || json!({ "type": "number" });
    let vector =
        || json!({ "type": "object", "properties": { "x": number(), "y": number(), "z": number() } });
    let time = json!({
        "type": "object", "title": "time",
        "properties": { "sec": { "type": "integer" }, "nsec": { "type": "integer" } },
    });
    let text = || json!({ "type": "string" });
    let integer = || json!({ "type": "integer" });
    let properties = match schema {
        "foxglove.FrameTransforms" => json!({ "transforms": { "type": "array", "items": {
            "type": "object", "title": "foxglove.FrameTransform", "properties": {
                "timestamp": time, "parent_frame_id": text(), "child_frame_id": text(),
                "translation": vector(),
                "rotation": { "type": "object", "properties":
                    { "x": number(), "y": number(), "z": number(), "w": number() } },
            } } } }),
        "foxglove.Log" => json!({
            "timestamp": time, "level": integer(), "message": text(), "name": text(), "file": text(),
            "line": integer(),
        }),
        "ambler.Step" => json!({
            "action": { "type": ["string", "null"] }, "pose": { "type": "object" }, "tilt": integer(),
            "tilt_rad": number(), "collided": { "type": "boolean" },
            "distance_to_goal": { "type": ["number", "null"] }, "path_length_m": number(),
            "shortest_path_m": number(), "success": number(), "spl_if_stopped": number(),
            "soft_spl": number(), "collisions": integer(), "observation": text(),
        }),
        "ambler.Layer" => json!({
            "step": integer(), "path": text(), "lifetime": text(), "frame": {}, "layer": { "type": "object" },
        }),
        "ambler.Event" => json!({ "step": integer(), "kind": {}, "text": text(), "at": {} }),
        "ambler.End" => {
            json!({ "steps": integer(), "whole": { "type": "boolean" }, "digest": text() })
        }
        _ => json!({}),
    };
    json!({ "type": "object", "title": schema, "properties": properties })
}
