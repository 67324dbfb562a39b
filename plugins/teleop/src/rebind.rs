use crate::keymap::Chord;
use crate::{Command, KeyMap};
use ambler_session::Desk;
use bevy_egui::egui::{Context, Event, Key};

/// While the help sheet waits for a key for a command, takes it; says whether it waits, so that no key acts.
/// Escape ends the wait, Delete leaves the command without a key.
pub fn rebind(context: &Context, keys: &mut KeyMap, desk: &mut Desk) -> bool {
    let Some(name) = desk.rebinding.clone() else { return false };
    let pressed = context.input(|input| {
        input.events.iter().find_map(|event| match event {
            Event::Key { key, pressed: true, repeat: false, modifiers, .. } => Some((*key, *modifiers)),
            _ => None,
        })
    });
    let Some((key, modifiers)) = pressed else { return true };
    desk.rebinding = None;
    let title = |name: &str| {
        Command::all().find(|row| row.0 == name).map_or(name.to_owned(), |row| row.1.to_owned())
    };
    desk.key_note = match key {
        Key::Escape if name != "halt" => String::new(),
        Key::Delete => {
            keys.clear(&name);
            format!("{} has no key now", title(&name))
        }
        _ => {
            let chord = Chord::of(key, modifiers);
            match keys.give(&name, chord) {
                Ok(()) => format!("{chord} is {} now; save the keys to keep them", title(&name)),
                Err(other) => {
                    format!("{chord} belongs to “{}”: free it first, or take another", title(&other))
                }
            }
        }
    };
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_egui::egui::{Modifiers, RawInput};

    fn press(keys: &mut KeyMap, desk: &mut Desk, key: Key) -> bool {
        let context = Context::default();
        let event = Event::Key {
            key,
            physical_key: None,
            pressed: true,
            repeat: false,
            modifiers: Modifiers::NONE,
        };
        let input = RawInput { events: vec![event], ..RawInput::default() };
        let mut waits = false;
        let _ = context.run_ui(input, |_| {
            waits = rebind(&context, keys, desk);
        });
        waits
    }

    #[test]
    fn the_next_key_is_given_to_the_command_unless_another_has_it() {
        let (mut keys, mut desk) = (KeyMap::default(), Desk::default());
        assert!(!press(&mut keys, &mut desk, Key::I), "nothing waits for a key");
        desk.rebinding = Some("forward".to_owned());
        assert!(press(&mut keys, &mut desk, Key::I));
        assert_eq!((keys.chords_of("forward"), desk.rebinding.clone()), (vec!["I".to_owned()], None));
        desk.rebinding = Some("left".to_owned());
        assert!(press(&mut keys, &mut desk, Key::N));
        assert!(desk.key_note.contains("Next episode"), "{}", desk.key_note);
        assert_eq!(keys.chords_of("left"), ["A", "←"]);
        desk.rebinding = Some("left".to_owned());
        press(&mut keys, &mut desk, Key::Delete);
        assert!(keys.chords_of("left").is_empty());
        // What was changed comes back from its file.
        let again = KeyMap::with_changes(&keys.changes(), "keys.ron").expect("a key map");
        assert_eq!(again, keys);
    }
}
