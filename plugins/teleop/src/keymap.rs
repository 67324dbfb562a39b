use ambler_geometry::Vec3;
use ambler_session::Command;
use bevy_egui::egui::{Key, Modifiers};
use std::collections::BTreeMap;
use std::fmt;

/// A key with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Chord {
    key: Key,
    ctrl: bool,
    shift: bool,
}

impl Chord {
    /// Whether the key with these modifiers is this chord.
    pub fn is(&self, key: Key, modifiers: Modifiers) -> bool {
        let shift = modifiers.shift && !takes_shift(key);
        self.key == key && self.ctrl == modifiers.command && self.shift == shift && !modifiers.alt
    }

    /// The chord of a key that is pressed with these modifiers.
    pub fn of(key: Key, modifiers: Modifiers) -> Self {
        Self { key, ctrl: modifiers.command, shift: modifiers.shift && !takes_shift(key) }
    }

    /// The key alone.
    pub fn key(&self) -> Key {
        self.key
    }

    /// As a file has it: with the key's own name, which every keyboard can type.
    fn spelt(&self) -> String {
        let ctrl = if self.ctrl { "Ctrl+" } else { "" };
        let shift = if self.shift { "Shift+" } else { "" };
        format!("{ctrl}{shift}{}", self.key.name())
    }

    /// Reads `Ctrl+Shift+Z`.
    fn parse(text: &str) -> Option<Self> {
        let (mut ctrl, mut shift) = (false, false);
        let mut rest = text.trim();
        loop {
            if let Some(after) = rest.strip_prefix("Ctrl+") {
                (ctrl, rest) = (true, after);
            } else if let Some(after) = rest.strip_prefix("Shift+") {
                (shift, rest) = (true, after);
            } else {
                break;
            }
        }
        let key = match rest {
            "↑" => Key::ArrowUp,
            "↓" => Key::ArrowDown,
            "←" => Key::ArrowLeft,
            "→" => Key::ArrowRight,
            other => Key::from_name(other)?,
        };
        Some(Self { key, ctrl, shift })
    }
}

/// Keys whose character needs Shift on most keyboards: it says nothing about them.
fn takes_shift(key: Key) -> bool {
    matches!(key, Key::Questionmark | Key::Plus | Key::Colon)
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ctrl {
            f.write_str("Ctrl+")?;
        }
        if self.shift {
            f.write_str("Shift+")?;
        }
        f.write_str(match self.key {
            Key::ArrowUp => "↑",
            Key::ArrowDown => "↓",
            Key::ArrowLeft => "←",
            Key::ArrowRight => "→",
            Key::Questionmark => "?",
            Key::OpenBracket => "[",
            Key::CloseBracket => "]",
            Key::Comma => ",",
            Key::Period => ".",
            other => other.name(),
        })
    }
}

/// What is wrong with a key map's file.
#[derive(Debug, thiserror::Error)]
pub enum KeyMapError {
    /// It is no RON map of lists.
    #[error("{file}: line {line}: {what}; write {{\"forward\": [\"W\", \"↑\"]}}")]
    Syntax {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// A command or key does not exist.
    #[error("{file}: {what}")]
    Unknown {
        /// The file.
        file: String,
        /// What is unknown, and what to do.
        what: String,
    },
    /// One chord asks for two things.
    #[error("{file}: {chord} is given to {first} and to {second}; change one")]
    Clash {
        /// The file.
        file: String,
        /// The chord.
        chord: String,
        /// One command.
        first: String,
        /// The other.
        second: String,
    },
}

/// Which chord asks for which command.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyMap {
    rows: Vec<(String, Vec<Chord>)>,
}

/// The keys before anybody changes them.
const KEYS: &[(&str, &str)] = &[
    ("forward", "W ↑"),
    ("left", "A ←"),
    ("right", "D →"),
    ("look-up", "R"),
    ("look-down", "F"),
    ("stop", "Enter"),
    ("undo", "Ctrl+Z"),
    ("redo", "Ctrl+Shift+Z Ctrl+Y"),
    ("reset", "Backspace"),
    ("next-episode", "N"),
    ("previous-episode", "P"),
    ("halt", "Escape"),
    ("run", "Space"),
    ("forth", "Period"),
    ("back", "Comma"),
    ("forth-10", "Shift+Period"),
    ("back-10", "Shift+Comma"),
    ("first", "Shift+Home"),
    ("live", "Shift+End End"),
    ("next-event", "CloseBracket"),
    ("previous-event", "OpenBracket"),
    ("branch", "B"),
    ("compare", "C"),
    ("first-difference", "V"),
    ("eyes", "1"),
    ("chase", "2"),
    ("orbit", "3"),
    ("fly", "4"),
    ("map", "5"),
    ("fly-ahead", "W"),
    ("fly-back", "S"),
    ("fly-left", "A"),
    ("fly-right", "D"),
    ("fly-up", "E"),
    ("fly-down", "Q"),
    ("home", "Home"),
    ("floor-up", "PageUp"),
    ("floor-down", "PageDown"),
    ("cut", "X"),
    ("layers", "L"),
    ("inset", "M"),
    ("help", "Questionmark F1"),
    ("palette", "Ctrl+K"),
    ("screenshot", "F12"),
    ("save", "Ctrl+S"),
    ("quit", "Ctrl+Q"),
];

/// The rows that count in free flight alone, before all others, and the way they fly: right, up, ahead.
const FLIGHT: [(&str, Vec3); 6] = [
    ("fly-ahead", Vec3::Z),
    ("fly-back", Vec3::NEG_Z),
    ("fly-left", Vec3::NEG_X),
    ("fly-right", Vec3::X),
    ("fly-up", Vec3::Y),
    ("fly-down", Vec3::NEG_Y),
];

fn is_flight(name: &str) -> bool {
    FLIGHT.iter().any(|(flight, _)| *flight == name)
}

impl Default for KeyMap {
    fn default() -> Self {
        let rows = KEYS.iter().map(|&(name, chords)| {
            (name.to_owned(), chords.split(' ').filter_map(Chord::parse).collect())
        });
        Self { rows: rows.collect() }
    }
}

impl KeyMap {
    /// The usual keys with the rows of a file in their place: RON, a map of lists.
    ///
    /// # Errors
    /// What is wrong in the file, and where.
    pub fn with_changes(text: &str, file: &str) -> Result<Self, KeyMapError> {
        let changes: BTreeMap<String, Vec<String>> =
            ron::from_str(text).map_err(|error| KeyMapError::Syntax {
                file: file.to_owned(),
                line: error.span.start.line,
                what: error.code.to_string(),
            })?;
        let mut keys = Self::default();
        for (name, chords) in changes {
            let unknown = |what: String| KeyMapError::Unknown { file: file.to_owned(), what };
            let command: Command = name.parse().map_err(|error| unknown(format!("{error}")))?;
            let chords = chords
                .iter()
                .map(|text| {
                    Chord::parse(text).ok_or_else(|| {
                        unknown(format!(
                            "there is no key {text:?}; write W, Ctrl+Shift+Z, F5, Space or ↑"
                        ))
                    })
                })
                .collect::<Result<Vec<_>, _>>()?;
            let name = command.name();
            match keys.rows.iter_mut().find(|row| row.0 == name) {
                Some(row) => row.1 = chords,
                None => keys.rows.push((name, chords)),
            }
        }
        keys.check(file)?;
        Ok(keys)
    }

    fn check(&self, file: &str) -> Result<(), KeyMapError> {
        let mut seen: BTreeMap<(bool, Chord), &str> = BTreeMap::new();
        for (name, chords) in &self.rows {
            for chord in chords {
                if let Some(first) = seen.insert((is_flight(name), *chord), name) {
                    return Err(KeyMapError::Clash {
                        file: file.to_owned(),
                        chord: chord.to_string(),
                        first: first.to_owned(),
                        second: name.clone(),
                    });
                }
            }
        }
        Ok(())
    }

    /// The command of a key with these modifiers.
    pub fn command(&self, key: Key, modifiers: Modifiers) -> Option<Command> {
        let (name, _) = self.rows.iter().find(|(name, chords)| {
            !is_flight(name) && chords.iter().any(|chord| chord.is(key, modifiers))
        })?;
        name.parse().ok()
    }

    /// The way that a key flies in free flight: right, up, ahead. Shift only makes it faster.
    pub fn flight(&self, key: Key, modifiers: Modifiers) -> Option<Vec3> {
        let modifiers = Modifiers { shift: false, ..modifiers };
        FLIGHT
            .iter()
            .find(|(name, _)| self.row(name).iter().any(|it| it.is(key, modifiers)))
            .map(|it| it.1)
    }

    /// The sum of the ways of all keys of flight that are down.
    pub fn held_flight(&self, down: impl Fn(Key) -> bool) -> Vec3 {
        let held = |name: &str| self.row(name).iter().any(|chord| !chord.ctrl && down(chord.key));
        FLIGHT.iter().filter(|(name, _)| held(name)).map(|(_, way)| *way).sum()
    }

    fn row(&self, name: &str) -> &[Chord] {
        self.rows.iter().find(|row| row.0 == name).map_or(&[], |row| &row.1)
    }

    /// Gives a command this chord in place of those that it has.
    ///
    /// # Errors
    /// The command that the chord belongs to.
    pub fn give(&mut self, name: &str, chord: Chord) -> Result<(), String> {
        let rivals = |row: &&(String, Vec<Chord>)| row.0 != name && is_flight(&row.0) == is_flight(name);
        if let Some((other, _)) = self.rows.iter().filter(rivals).find(|row| row.1.contains(&chord)) {
            return Err(other.clone());
        }
        self.set(name, vec![chord]);
        Ok(())
    }

    /// Leaves a command without a key.
    pub fn clear(&mut self, name: &str) {
        self.set(name, Vec::new());
    }

    fn set(&mut self, name: &str, chords: Vec<Chord>) {
        match self.rows.iter_mut().find(|row| row.0 == name) {
            Some(row) => row.1 = chords,
            None => self.rows.push((name.to_owned(), chords)),
        }
    }

    /// What differs from the usual keys, as [`KeyMap::with_changes`] reads it.
    pub fn changes(&self) -> String {
        let usual = Self::default();
        let mut text = String::from("{\n");
        for (name, chords) in self.rows.iter().filter(|(name, chords)| usual.row(name) != *chords) {
            let chords: Vec<String> =
                chords.iter().map(|chord| format!("{:?}", chord.spelt())).collect();
            text += &format!("    {name:?}: [{}],\n", chords.join(", "));
        }
        text + "}\n"
    }

    /// The chords of a command, for people.
    pub fn chords_of(&self, name: &str) -> Vec<String> {
        let row = self.rows.iter().find(|row| row.0 == name);
        row.map(|row| row.1.iter().map(Chord::to_string).collect()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_usual_key_is_a_key_of_a_command_and_none_has_two() {
        let keys = KeyMap::default();
        keys.check("").expect("no clash");
        for (name, chords) in KEYS {
            assert!(name.parse::<Command>().is_ok(), "{name}");
            assert_eq!(keys.chords_of(name).len(), chords.split(' ').count(), "{name}: {chords}");
        }
        assert_eq!(keys.command(Key::W, Modifiers::NONE).map(|it| it.name()), Some("forward".into()));
        assert_eq!(keys.command(Key::W, Modifiers::SHIFT), None);
        assert_eq!(keys.command(Key::Questionmark, Modifiers::SHIFT), Some(Command::Help));
        assert_eq!(keys.command(Key::Z, Modifiers::COMMAND), Some(Command::Undo));
    }

    #[test]
    fn faults_of_a_key_map_say_what_to_do() {
        let fault = |text: &str| KeyMap::with_changes(text, "keys.ron").expect_err(text).to_string();
        assert!(fault("{\"forward\": [\"Blah\"]}").contains("no key \"Blah\""));
        assert!(fault("{\"fly-away\": [\"Q\"]}").contains("no command \"fly-away\""));
        assert!(fault("{\"forward\": [\"A\"]}").contains("A is given to forward and to left"));
        assert!(fault("[").contains("line 1"));
    }
}
