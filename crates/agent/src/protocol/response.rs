use super::PROTOCOL_VERSION;
use super::published::hand_on;
use crate::layers::Publisher;
use crate::{Needs, PolicyError};
use ambler_body::Action;
use rmpv::Value;

/// Deepest nesting of an answer.
const MAX_DEPTH: usize = 32;

/// What an agent says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// Its name, for records.
    pub agent: String,
    /// The images that it wants, if it says so: `rgb`, `depth`, `instance`, `category`,
    /// `detections`.
    pub wants: Option<Needs>,
}

/// Decodes the answer to `hello`.
///
/// # Errors
/// [`PolicyError::Nonsense`], or [`PolicyError::Failed`] when the agent reports an error.
pub fn decode_hello(bytes: &[u8], id: u64) -> Result<Hello, PolicyError> {
    let answer = Answer::decode(bytes, id)?;
    match answer.get("version").and_then(Value::as_u64) {
        Some(PROTOCOL_VERSION) => {}
        Some(other) => {
            let what = format!("it speaks version {other} of the protocol, not {PROTOCOL_VERSION}");
            return Err(nonsense(what));
        }
        None => return Err(nonsense("its answer to hello has no version")),
    }
    let agent = answer.get("agent").and_then(Value::as_str).unwrap_or_default();
    let wants = match answer.get("wants") {
        None | Some(Value::Nil) => None,
        Some(Value::Array(names)) => Some(read_wants(names)?),
        Some(_) => return Err(nonsense("its wants is not a list of names")),
    };
    Ok(Hello { agent: agent.chars().take(200).collect(), wants })
}

/// Decodes the answer to `reset`: any map that carries the request's id.
///
/// # Errors
/// As [`decode_hello`].
pub fn decode_ready(bytes: &[u8], id: u64) -> Result<(), PolicyError> {
    Answer::decode(bytes, id).map(|_| ())
}

/// Decodes the answer to `act`: the name or the id of an action.
///
/// # Errors
/// As [`decode_hello`].
pub fn decode_action(bytes: &[u8], id: u64) -> Result<Action, PolicyError> {
    decode_act(bytes, id).map(|act| act.action)
}

/// The answer to `act`.
#[derive(Clone, Debug, PartialEq)]
pub struct Act {
    /// What to do.
    pub action: Action,
    publish: Option<Value>,
    events: Option<Value>,
}

impl Act {
    /// Hands on what the program published with it, if anything.
    pub fn publish(&self, to: &mut dyn Publisher) {
        hand_on(self.publish.as_ref(), self.events.as_ref(), to);
    }
}

/// Decodes the answer to `act` with what it publishes.
///
/// # Errors
/// As [`decode_hello`].
pub fn decode_act(bytes: &[u8], id: u64) -> Result<Act, PolicyError> {
    let answer = Answer::decode(bytes, id)?;
    let action = read_action(&answer)?;
    let [publish, events] = ["publish", "events"].map(|key| answer.get(key).cloned());
    Ok(Act { action, publish, events })
}

fn read_action(answer: &Answer) -> Result<Action, PolicyError> {
    let action = answer.get("action").ok_or_else(|| nonsense("its answer has no action"))?;
    match action {
        Value::String(name) => {
            name.as_str().and_then(|name| Action::ALL.into_iter().find(|action| action.name() == name))
        }
        Value::Integer(number) => number.as_u64().and_then(Action::from_id),
        _ => None,
    }
    .ok_or_else(|| nonsense(format!("{} is no action", shown(action))))
}

fn read_wants(names: &[Value]) -> Result<Needs, PolicyError> {
    let mut wants = Needs::default();
    for name in names {
        match name.as_str() {
            Some("rgb") => wants.rgb = true,
            Some("depth") => wants.depth = true,
            Some("instance") => wants.instance = true,
            Some("category") => wants.category = true,
            Some("detections") => wants.detections = true,
            _ => return Err(nonsense(format!("it wants {}, which there is not", shown(name)))),
        }
    }
    Ok(wants)
}

struct Answer(Vec<(Value, Value)>);

impl Answer {
    /// One whole msgpack map that answers request `id`.
    fn decode(mut bytes: &[u8], id: u64) -> Result<Self, PolicyError> {
        let value = rmpv::decode::read_value_with_max_depth(&mut bytes, MAX_DEPTH)
            .map_err(|error| nonsense(format!("it is not msgpack: {error}")))?;
        if !bytes.is_empty() {
            return Err(nonsense(format!("{} bytes follow its msgpack value", bytes.len())));
        }
        let Value::Map(entries) = value else {
            return Err(nonsense(format!("{} is no msgpack map", shown(&value))));
        };
        let answer = Self(entries);
        match answer.get("id").and_then(Value::as_u64) {
            Some(found) if found == id => {}
            Some(found) => return Err(nonsense(format!("it answers request {found}, not {id}"))),
            None => return Err(nonsense(format!("it does not say that it answers request {id}"))),
        }
        if let Some(error) = answer.get("error").filter(|error| !error.is_nil()) {
            let text = error.as_str().map_or_else(|| shown(error), |text| cut(text, 2000));
            return Err(PolicyError::failed(format!("the agent reports: {text}")));
        }
        Ok(answer)
    }

    fn get(&self, key: &str) -> Option<&Value> {
        self.0.iter().find(|(k, _)| k.as_str() == Some(key)).map(|(_, value)| value)
    }
}

fn nonsense(what: impl Into<String>) -> PolicyError {
    PolicyError::Nonsense { what: what.into() }
}

/// A value for a message, not too long.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Map(entries) => format!("a map of {}", entries.len()),
        Value::Binary(bytes) => format!("{} bytes", bytes.len()),
        other => cut(&other.to_string(), 60),
    }
}

fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn packed(entries: &[(&str, Value)]) -> Vec<u8> {
        let map = entries.iter().map(|(key, value)| (Value::from(*key), value.clone())).collect();
        let mut bytes = Vec::new();
        rmpv::encode::write_value(&mut bytes, &Value::Map(map)).unwrap();
        bytes
    }

    fn what(bytes: &[u8]) -> String {
        decode_action(bytes, 7).unwrap_err().to_string()
    }

    #[test]
    fn names_and_ids_are_actions() {
        let by_name = packed(&[("id", 7.into()), ("action", "turn_left".into())]);
        assert_eq!(decode_action(&by_name, 7), Ok(Action::TurnLeft));
        let by_id = packed(&[("action", 0.into()), ("id", 7.into()), ("more", 1.into())]);
        assert_eq!(decode_action(&by_id, 7), Ok(Action::Stop));
    }

    #[test]
    fn every_kind_of_nonsense_is_named() {
        let id = ("id", Value::from(7));
        for (bytes, expected) in [
            (packed(&[id.clone(), ("action", "jump".into())]), "\"jump\" is no action"),
            (packed(&[id.clone(), ("action", 6.into())]), "6 is no action"),
            (packed(&[id.clone(), ("action", (-1).into())]), "-1 is no action"),
            (packed(&[id.clone(), ("action", 1.0.into())]), "is no action"),
            (packed(std::slice::from_ref(&id)), "has no action"),
            (packed(&[("id", 8.into()), ("action", 0.into())]), "answers request 8, not 7"),
            (packed(&[("action", 0.into())]), "does not say that it answers request 7"),
            (vec![0x05], "5 is no msgpack map"),
            (vec![0xc1], "no msgpack map"),
            (vec![], "not msgpack"),
            (vec![0xdf, 0xff, 0xff, 0xff, 0xff], "not msgpack"),
            (vec![0xc6, 0xff, 0xff, 0xff, 0xff, 1], "not msgpack"),
            ([packed(&[id.clone(), ("action", 0.into())]), vec![0]].concat(), "1 bytes follow"),
            (vec![0x91; 100_000], "not msgpack"),
            (packed(&[id, ("error", "no model".into())]), "the agent reports: no model"),
        ] {
            assert!(what(&bytes).contains(expected), "{expected:?} not in {:?}", what(&bytes));
        }
    }

    #[test]
    fn hello_says_version_and_wants() {
        let wants = Value::Array(vec!["depth".into(), "detections".into()]);
        let hello = packed(&[
            ("id", 0.into()),
            ("version", 1.into()),
            ("agent", "mine".into()),
            ("wants", wants),
        ]);
        let hello = decode_hello(&hello, 0).unwrap();
        assert_eq!(hello.agent, "mine");
        let expected = Needs { depth: true, detections: true, ..Needs::default() };
        assert_eq!(hello.wants, Some(expected));
        let old = packed(&[("id", 0.into()), ("version", 2.into())]);
        assert!(decode_hello(&old, 0).unwrap_err().to_string().contains("version 2"));
        let greedy = packed(&[
            ("id", 0.into()),
            ("version", 1.into()),
            ("wants", Value::Array(vec!["navmesh".into()])),
        ]);
        assert!(decode_hello(&greedy, 0).unwrap_err().to_string().contains("navmesh"));
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes: Vec<u8>) {
            let _ = decode_action(&bytes, 7);
            let _ = decode_hello(&bytes, 7);
        }

        #[test]
        fn broken_answers_are_answers_or_errors(flip in 0usize..200, cut in 0usize..40, bit in 0u8..8) {
            let mut bytes = packed(&[("id", 7.into()), ("action", "move_forward".into())]);
            let index = flip % bytes.len();
            bytes[index] ^= 1 << bit;
            bytes.truncate(cut);
            let _ = decode_action(&bytes, 7);
        }
    }
}
