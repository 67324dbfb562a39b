use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A discrete action, with Habitat's ids and names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// End the episode: the agent claims to be at its goal. Id 0.
    Stop,
    /// One step ahead. Id 1.
    MoveForward,
    /// Turn counter-clockwise seen from above. Id 2.
    TurnLeft,
    /// Turn clockwise seen from above. Id 3.
    TurnRight,
    /// Tilt the cameras up. Id 4.
    LookUp,
    /// Tilt the cameras down. Id 5.
    LookDown,
}

/// A word or number that names no action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownAction(pub String);

impl fmt::Display for UnknownAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown action {:?}; the actions are ", self.0)?;
        for (index, action) in Action::ALL.iter().enumerate() {
            write!(f, "{}{action} ({index})", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownAction {}

impl Action {
    /// All actions, in the order of their ids.
    pub const ALL: [Self; 6] =
        [Self::Stop, Self::MoveForward, Self::TurnLeft, Self::TurnRight, Self::LookUp, Self::LookDown];

    /// Habitat's id, 0 to 5.
    pub fn id(self) -> u8 {
        self as u8
    }

    /// The action with this id.
    pub fn from_id(id: u64) -> Option<Self> {
        Self::ALL.get(usize::try_from(id).ok()?).copied()
    }

    /// Habitat's name, such as `move_forward`.
    pub fn name(self) -> &'static str {
        ["stop", "move_forward", "turn_left", "turn_right", "look_up", "look_down"][self as usize]
    }

    /// One letter, for compact action strings in records: S F L R U D.
    pub fn letter(self) -> char {
        ['S', 'F', 'L', 'R', 'U', 'D'][self as usize]
    }

    /// The action of a letter (see [`Action::letter`]).
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.letter() == letter)
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Action {
    type Err = UnknownAction;

    /// Reads a name, an id or a letter.
    fn from_str(text: &str) -> Result<Self, UnknownAction> {
        let by_name = || Self::ALL.into_iter().find(|action| action.name() == text);
        let by_id = || Self::from_id(text.parse().ok()?);
        let by_letter = || {
            let mut letters = text.chars();
            letters.next().filter(|_| letters.next().is_none()).and_then(Self::from_letter)
        };
        by_name().or_else(by_id).or_else(by_letter).ok_or_else(|| UnknownAction(text.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_ids_and_letters_agree() {
        for (index, action) in Action::ALL.into_iter().enumerate() {
            assert_eq!(usize::from(action.id()), index);
            assert_eq!(Action::from_id(index as u64), Some(action));
            for word in [action.name().to_string(), index.to_string(), action.letter().to_string()] {
                assert_eq!(word.parse(), Ok(action), "{word}");
            }
        }
        let error = "jump".parse::<Action>().unwrap_err().to_string();
        assert!(error.contains("move_forward (1)"), "{error}");
        assert_eq!(Action::from_id(6), None);
    }
}
