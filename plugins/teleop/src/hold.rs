use crate::KeyMap;
use ambler_body::Action;
use ambler_session::Command;
use bevy_egui::egui::{Context, Event, Key};

/// A held key repeats after this, seconds.
const FIRST_S: f64 = 0.25;
/// And then at most so often a second.
const A_SECOND: f64 = 8.0;

/// Turns keys into commands, and repeats those that move the body while they are held: nothing is queued,
/// and what is let go of stops at once.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    held: Option<Held>,
}

#[derive(Clone, Debug)]
struct Held {
    key: Key,
    command: Command,
    due_s: f64,
}

/// Stop is not among them: nobody ends an episode by leaning on a key.
fn repeats(command: &Command) -> bool {
    match command {
        Command::Act(action) => *action != Action::Stop,
        Command::Back(_) | Command::Forth(_) => true,
        _ => false,
    }
}

impl Keys {
    /// The commands that this frame's input asks for. Text fields that have the focus keep their keys.
    pub fn commands(&mut self, context: &Context, map: &KeyMap) -> Vec<Command> {
        let typing = context.egui_wants_keyboard_input();
        context.input(|input| {
            let mut commands = Vec::new();
            for event in &input.events {
                let Event::Key { key, pressed, repeat, modifiers, .. } = event else { continue };
                if !pressed {
                    self.held = self.held.take().filter(|held| held.key != *key);
                } else if !repeat
                    && !typing
                    && let Some(command) = map.command(*key, *modifiers)
                {
                    let already = self.held.as_ref().is_some_and(|held| held.key == *key);
                    if !already {
                        self.press(*key, &command, input.time);
                        commands.push(command);
                    }
                }
            }
            if !input.focused || typing {
                self.held = None;
            }
            commands.extend(self.due(input.time));
            commands
        })
    }

    fn press(&mut self, key: Key, command: &Command, now_s: f64) {
        self.held =
            repeats(command).then(|| Held { key, command: command.clone(), due_s: now_s + FIRST_S });
    }

    fn due(&mut self, now_s: f64) -> Option<Command> {
        let held = self.held.as_mut().filter(|held| now_s >= held.due_s)?;
        held.due_s = now_s + 1.0 / A_SECOND;
        Some(held.command.clone())
    }

    /// Whether a key is held that will repeat: the window must go on looking.
    pub fn holds(&self) -> bool {
        self.held.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_egui::egui::{Modifiers, RawInput};

    /// The commands of frames with these events at these times.
    fn frames(script: &[(f64, &[(Key, bool)])]) -> Vec<Vec<String>> {
        let (context, map, mut keys) = (Context::default(), KeyMap::default(), Keys::default());
        script
            .iter()
            .map(|&(time, events)| {
                let events = events.iter().map(|&(key, pressed)| Event::Key {
                    key,
                    physical_key: None,
                    pressed,
                    repeat: false,
                    modifiers: Modifiers::NONE,
                });
                let input = RawInput {
                    time: Some(time),
                    focused: true,
                    events: events.collect(),
                    ..RawInput::default()
                };
                let mut found = Vec::new();
                let _ = context.run_ui(input, |_| {
                    found = keys.commands(&context, &map);
                });
                found.iter().map(Command::name).collect()
            })
            .collect()
    }

    #[test]
    fn a_press_acts_at_once_and_a_held_key_repeats_after_a_while() {
        let found = frames(&[
            (0.0, &[(Key::W, true)]),
            (0.1, &[]),
            (0.26, &[]),
            (0.3, &[]),
            (0.4, &[]),
            (0.41, &[(Key::W, false)]),
            (9.0, &[]),
        ]);
        let forward = vec!["forward".to_owned()];
        assert_eq!(found, [forward.clone(), vec![], forward.clone(), vec![], forward, vec![], vec![]]);
    }

    #[test]
    fn stop_is_never_repeated() {
        let found = frames(&[(0.0, &[(Key::Enter, true)]), (5.0, &[]), (9.0, &[])]);
        assert_eq!(found, [vec!["stop".to_owned()], vec![], vec![]]);
    }
}
