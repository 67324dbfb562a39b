use crate::KeyMap;
use ambler_body::Action;
use ambler_geometry::Vec3;
use ambler_session::Command;
use bevy_egui::egui::{Context, Event, Key};

/// A held key repeats after this, seconds.
const FIRST_S: f64 = 0.25;
/// And then at most so often a second.
const A_SECOND: f64 = 8.0;

/// A tap of a key of flight moves as if it were held so long, seconds.
const TAP_S: f32 = 0.06;
/// A frame counts as at most so long, seconds: nobody wants to leap after a pause.
const LONGEST_S: f32 = 0.1;

/// With Shift one flies four times as fast.
fn faster(shift: bool) -> f32 {
    if shift { 4.0 } else { 1.0 }
}

/// Turns keys into commands, and repeats those that move the body while they are held: nothing is queued,
/// and what is let go of stops at once.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    held: Option<Held>,
    /// Keys of flight are down.
    flies: bool,
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
    /// `flying`: the speed of free flight, metres a second, where the view is in it; its keys then come before
    /// others.
    pub fn commands(&mut self, context: &Context, map: &KeyMap, flying: Option<f32>) -> Vec<Command> {
        let typing = context.egui_wants_keyboard_input();
        context.input(|input| {
            let mut commands = Vec::new();
            for event in &input.events {
                let Event::Key { key, pressed, repeat, modifiers, .. } = event else { continue };
                if !pressed {
                    self.held = self.held.take().filter(|held| held.key != *key);
                } else if !repeat
                    && !typing
                    && let Some(way) = flying.and_then(|_| map.flight(*key, *modifiers))
                {
                    // A tap moves too, however short the frame is.
                    let speed = flying.unwrap_or_default() * faster(modifiers.shift);
                    commands.push(Command::Fly(way * (speed * TAP_S)));
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
            self.flies = false;
            if let Some(speed) = flying.filter(|_| !typing && input.focused && !input.modifiers.command)
            {
                let way = map.held_flight(|key| input.key_down(key));
                if way != Vec3::ZERO {
                    self.flies = true;
                    let seconds = input.stable_dt.min(LONGEST_S);
                    let speed = speed * faster(input.modifiers.shift);
                    commands.push(Command::Fly(way.normalize_or_zero() * (speed * seconds)));
                }
            }
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
        self.held.is_some() || self.flies
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
                    found = keys.commands(&context, &map, None);
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
    fn in_flight_its_keys_move_the_camera_and_the_others_drive() {
        let (context, map, mut keys) = (Context::default(), KeyMap::default(), Keys::default());
        let mut frame = |time: f64, events: &[(Key, bool)]| {
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
                found = keys.commands(&context, &map, Some(2.0));
            });
            found
        };
        let found = frame(0.0, &[(Key::W, true), (Key::ArrowUp, true)]);
        let ahead = |command: &Command| matches!(command, Command::Fly(by) if by.z > 0.0 && by.x == 0.0);
        assert!(found.iter().any(ahead), "{found:?}");
        assert!(found.contains(&Command::Act(Action::MoveForward)));
        // Held: at 2 m/s, and at most for a tenth of a second a frame.
        let found = frame(0.05, &[(Key::ArrowUp, false), (Key::E, true)]);
        let moves: Vec<&Command> = found.iter().filter(|it| matches!(it, Command::Fly(_))).collect();
        let Some(Command::Fly(by)) = moves.last() else { panic!("{found:?}") };
        assert!(by.y > 0.0 && by.z > 0.0 && by.length() <= 0.2001, "{by}");
        let found = frame(0.1, &[(Key::W, false), (Key::E, false)]);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn stop_is_never_repeated() {
        let found = frames(&[(0.0, &[(Key::Enter, true)]), (5.0, &[]), (9.0, &[])]);
        assert_eq!(found, [vec!["stop".to_owned()], vec![], vec![]]);
    }
}
