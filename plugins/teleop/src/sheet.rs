use crate::KeyMap;
use ambler_session::{Command, Desk};
use bevy_egui::egui::{self, Align2, Context, Key, RichText, ScrollArea};

/// The parts of the help sheet: a title and the commands below it.
const PARTS: &[(&str, &[&str])] = &[
    (
        "Drive",
        &[
            "forward",
            "left",
            "right",
            "look-up",
            "look-down",
            "stop",
            "undo",
            "redo",
            "reset",
            "halt",
            "save",
        ],
    ),
    ("Episodes", &["next-episode", "previous-episode"]),
    ("Agent", &["run", "run-to-collision", "run-to-stop", "branch"]),
    ("Time", &["back", "forth", "back-10", "forth-10", "first", "live", "previous-event", "next-event"]),
    ("Camera", &["eyes", "chase", "orbit", "fly", "map", "home", "cut"]),
    ("Window", &["layers", "inset", "help", "palette", "theme", "screenshot", "quit"]),
];

/// What the mouse does.
const MOUSE: &[(&str, &str)] = &[
    ("click on the floor", "walk there (Esc ends the walk)"),
    ("click on a thing", "select it"),
    ("drag", "turn the camera; in the map, move it"),
    ("right drag", "move the camera"),
    ("wheel", "nearer, farther"),
];

/// The help sheet, made from the key map.
pub fn show_help(context: &Context, keys: &KeyMap, desk: &mut Desk) {
    if !desk.help {
        return;
    }
    let mut open = true;
    egui::Window::new("Keys")
        .open(&mut open)
        .anchor(Align2::CENTER_CENTER, [0.0, 0.0])
        .resizable(false)
        .show(context, |ui| {
            ui.horizontal_top(|ui| {
                for pair in PARTS.chunks(2) {
                    ui.vertical(|ui| {
                        for (title, names) in pair {
                            part(ui, keys, title, names);
                        }
                    });
                    ui.add_space(18.0);
                }
            });
            ui.separator();
            ui.label(RichText::new("Mouse").strong());
            egui::Grid::new("mouse").num_columns(2).spacing([12.0, 3.0]).show(ui, |ui| {
                for (deed, what) in MOUSE {
                    ui.monospace(*deed);
                    ui.label(*what);
                    ui.end_row();
                }
            });
        });
    desk.help &= open;
}

fn part(ui: &mut egui::Ui, keys: &KeyMap, title: &str, names: &[&str]) {
    ui.label(RichText::new(title).strong());
    egui::Grid::new(title).num_columns(2).spacing([12.0, 3.0]).show(ui, |ui| {
        for (name, what, _) in Command::all().filter(|row| names.contains(&row.0)) {
            let chords = keys.chords_of(name).join("  ");
            ui.monospace(if chords.is_empty() { "–".to_owned() } else { chords });
            ui.label(what);
            ui.end_row();
        }
    });
    ui.add_space(8.0);
}

/// Searches among all commands; Enter takes the first.
pub fn show_palette(context: &Context, keys: &KeyMap, desk: &mut Desk, out: &mut Vec<Command>) {
    let Some(mut text) = desk.palette.clone() else { return };
    let mut chosen = None;
    egui::Window::new("Commands")
        .anchor(Align2::CENTER_TOP, [0.0, 60.0])
        .title_bar(false)
        .resizable(false)
        .show(context, |ui| {
            ui.set_width(380.0);
            let field =
                egui::TextEdit::singleline(&mut text).hint_text("search commands").desired_width(370.0);
            ui.add(field).request_focus();
            let wanted = text.to_lowercase();
            let rows: Vec<_> = Command::all()
                .filter(|(name, title, _)| {
                    title.to_lowercase().contains(&wanted) || name.contains(&wanted)
                })
                .collect();
            let (enter, escape) =
                ui.input(|input| (input.key_pressed(Key::Enter), input.key_pressed(Key::Escape)));
            if enter {
                chosen = rows.first().map(|row| Some(row.2.clone()));
            } else if escape {
                chosen = Some(None);
            }
            ScrollArea::vertical().max_height(300.0).show(ui, |ui| {
                for (name, title, command) in rows {
                    ui.horizontal(|ui| {
                        if ui.selectable_label(false, title).clicked() {
                            chosen = Some(Some(command.clone()));
                        }
                        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                            ui.monospace(keys.chords_of(name).join("  "));
                        });
                    });
                }
            });
        });
    match chosen {
        Some(command) => {
            desk.palette = None;
            out.extend(command);
        }
        None => desk.palette = Some(text),
    }
}
