use crate::{
    AgentError, EpisodeContext, Needs, Observation, Policy, PolicyError, PolicyFactory, Privileged,
};
use ambler_body::Action;
use ambler_geometry::{Fault, Place};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// Longest script file that is read, bytes: a million episodes of 500 steps fit.
const MOST_BYTES: u64 = 1 << 30;

/// Recorded actions: one list for every episode, or one for each episode by its id or identity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// Actions of an episode, by `episode_id` or by identity.
    pub by_episode: BTreeMap<String, Vec<Action>>,
    /// Actions of every other episode.
    pub otherwise: Option<Vec<Action>>,
}

impl Script {
    /// The actions of an episode: by identity, by id, else those of every other episode.
    pub fn actions(&self, identity: &str, episode_id: &str) -> Option<&[Action]> {
        let own = self.by_episode.get(identity).or_else(|| self.by_episode.get(episode_id));
        own.or(self.otherwise.as_ref()).map(Vec::as_slice)
    }
}

const REMEDY: &str =
    "use names such as move_forward, ids 0 to 5, or letters S F L R U D (see docs/FORMATS.md)";

/// Reads a script. JSON: a list of actions (names or ids), a string of letters, or an object from
/// episode id (or `*` for all others) to either. Text: one action a line (`#` begins a comment), or
/// lines of letters such as `FFLFRS`.
///
/// # Errors
/// A [`Fault`] with the line or the JSON pointer of what is no action.
pub fn parse_script(bytes: &[u8], path: &Path) -> Result<Script, Fault> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let place = Place::Byte(error.valid_up_to() as u64);
        Fault::new(path, place, "the script is not UTF-8 text", REMEDY)
    })?;
    match text.trim_start().chars().next() {
        Some('[' | '{' | '"') => parse_json(text, path),
        _ => parse_text(text, path),
    }
}

fn parse_text(text: &str, path: &Path) -> Result<Script, Fault> {
    let mut actions = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default().trim();
        read_word(line, &mut actions)
            .map_err(|what| Fault::new(path, Place::Line(number), what, REMEDY))?;
    }
    Ok(Script { otherwise: Some(actions), ..Script::default() })
}

fn parse_json(text: &str, path: &Path) -> Result<Script, Fault> {
    use serde_json::Value;
    let value: Value = serde_json::from_str(text).map_err(|error| {
        Fault::new(path, Place::Line(error.line() as u64), error.to_string(), REMEDY)
    })?;
    let fault = |pointer: String, what: String| Fault::new(path, Place::Pointer(pointer), what, REMEDY);
    let list = |value: &Value, pointer: &str| -> Result<Vec<Action>, Fault> {
        let mut actions = Vec::new();
        match value {
            Value::String(text) => {
                read_word(text, &mut actions).map_err(|what| fault(pointer.into(), what))?;
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let action = match item {
                        Value::String(word) => word.parse().ok(),
                        Value::Number(id) => id.as_u64().and_then(Action::from_id),
                        _ => None,
                    };
                    let what = || fault(format!("{pointer}/{index}"), format!("{item} is no action"));
                    actions.push(action.ok_or_else(what)?);
                }
            }
            _ => return Err(fault(pointer.into(), "neither a list nor a string of actions".into())),
        }
        Ok(actions)
    };
    let mut script = Script::default();
    if let Value::Object(episodes) = &value {
        for (key, value) in episodes {
            let actions = list(value, &format!("/{}", key.replace('~', "~0").replace('/', "~1")))?;
            if key == "*" {
                script.otherwise = Some(actions);
            } else {
                script.by_episode.insert(key.clone(), actions);
            }
        }
    } else {
        script.otherwise = Some(list(&value, "")?);
    }
    Ok(script)
}

/// Adds the action that a word names, or the actions of a string of letters.
fn read_word(word: &str, actions: &mut Vec<Action>) -> Result<(), String> {
    if let Ok(action) = word.parse() {
        actions.push(action);
        return Ok(());
    }
    for letter in word.chars().filter(|c| !c.is_whitespace()) {
        actions.push(Action::from_letter(letter).ok_or_else(|| {
            let shown: String = word.chars().take(40).collect();
            format!("{shown:?} is no action")
        })?);
    }
    Ok(())
}

/// Plays the actions of a [`Script`]; after the last it stops.
struct Scripted {
    script: Arc<Script>,
    actions: Vec<Action>,
    next: usize,
}

impl Policy for Scripted {
    fn name(&self) -> &str {
        "script"
    }

    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn reset(&mut self, episode: &EpisodeContext<'_>) -> Result<(), PolicyError> {
        self.next = 0;
        self.actions.clear();
        let actions = self.script.actions(episode.identity, episode.episode_id).ok_or_else(|| {
            PolicyError::failed(format!("the script has no actions for episode {}", episode.episode_id))
        })?;
        self.actions.extend_from_slice(actions);
        Ok(())
    }

    fn act(&mut self, _: &Observation<'_>, _: &mut Privileged<'_>) -> Result<Action, PolicyError> {
        let action = self.actions.get(self.next).copied().unwrap_or(Action::Stop);
        self.next += 1;
        Ok(action)
    }
}

pub(crate) struct ScriptFactory {
    script: Arc<Script>,
    identity: String,
}

impl ScriptFactory {
    /// Reads the script at `path`.
    pub(crate) fn read(path: &Path) -> Result<Self, Fault> {
        let fault = |error: std::io::Error| {
            Fault::new(path, Place::Whole, error.to_string(), "give a readable file: script:FILE")
        };
        let mut bytes = Vec::new();
        File::open(path).and_then(|f| f.take(MOST_BYTES).read_to_end(&mut bytes)).map_err(fault)?;
        let identity = format!("blake3 {}", blake3::hash(&bytes).to_hex());
        Ok(Self { script: Arc::new(parse_script(&bytes, path)?), identity })
    }
}

impl PolicyFactory for ScriptFactory {
    fn name(&self) -> &str {
        "script"
    }

    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn identity(&self) -> String {
        self.identity.clone()
    }

    fn create(&self) -> Result<Box<dyn Policy>, AgentError> {
        Ok(Box::new(Scripted { script: self.script.clone(), actions: Vec::new(), next: 0 }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Action::{MoveForward as F, Stop as S, TurnLeft as L, TurnRight as R};

    fn all(text: &str) -> Vec<Action> {
        parse_script(text.as_bytes(), Path::new("s")).unwrap().otherwise.unwrap()
    }

    #[test]
    fn every_form_says_the_same() {
        for text in [
            "FFLRS",
            "FF L\nR # right\n\nS\n",
            "move_forward\nmove_forward\nturn_left\nturn_right\nstop\n",
            r#""FFLRS""#,
            r#"["move_forward", 1, "L", 3, "stop"]"#,
            r#"{"*": "FFLRS", "ep 1": [1]}"#,
        ] {
            assert_eq!(all(text), [F, F, L, R, S], "{text}");
        }
        assert!(all("").is_empty());
    }

    #[test]
    fn episodes_have_their_own_actions() {
        let script = parse_script(br#"{"7": "FS", "abc": "LS"}"#, Path::new("s")).unwrap();
        assert_eq!(script.actions("abc", "7"), Some(&[L, S][..]), "identity comes first");
        assert_eq!(script.actions("def", "7"), Some(&[F, S][..]));
        assert_eq!(script.actions("def", "8"), None);
    }

    #[test]
    fn faults_name_their_place() {
        for (text, place) in [
            ("F\nFX\n", "line 2"),
            (r#"[1, 9]"#, "at /1"),
            (r#"{"a": {"b": 1}}"#, "at /a"),
            (r#"["F", "#, "line 1"),
        ] {
            let fault = parse_script(text.as_bytes(), Path::new("s")).unwrap_err().to_string();
            assert!(fault.contains(place), "{text}: {fault}");
        }
        assert!(parse_script(&[b'F', 0xff], Path::new("s")).unwrap_err().to_string().contains("byte 1"));
        assert!(ScriptFactory::read(Path::new("no such file")).is_err());
    }

    proptest::proptest! {
        #[test]
        fn no_input_panics(bytes: Vec<u8>, text in "[\\[\\]{}\":,0-9FLRSfo\\n#*a-z ]{0,40}") {
            let _ = parse_script(&bytes, Path::new("s"));
            let _ = parse_script(text.as_bytes(), Path::new("s"));
        }
    }
}
