//! Keys: what a person presses, as commands.
//!
//! A [`KeyMap`] says which chord asks for which [`Command`]; [`Keys`] turns a frame's input into commands
//! and repeats what is held. The help sheet is made from the same table, so that it cannot be wrong. This
//! crate draws no world and never decides an action by itself.
//!
//! ```
//! use ambler_plugin_teleop::KeyMap;
//!
//! let keys = KeyMap::default();
//! assert_eq!(keys.chords_of("forward"), ["W", "↑"]);
//! // A file changes single rows.
//! let keys = KeyMap::with_changes("{\"forward\": [\"I\"]}", "keys.ron").expect("a key map");
//! assert_eq!(keys.chords_of("forward"), ["I"]);
//! ```

mod hold;
mod keymap;
mod rebind;
mod sheet;

use ambler_session::Command;
pub use hold::Keys;
pub use keymap::{Chord, KeyMap, KeyMapError};
pub use rebind::rebind;
pub use sheet::{show_help, show_palette};
