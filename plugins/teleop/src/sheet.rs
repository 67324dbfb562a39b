use crate::KeyMap;
use ambler_session::{Command, Desk};
use bevy_egui::egui::{self, Align2, Context, Key, RichText, ScrollArea};

/// A title and the commands below it.
type Part = (&'static str, &'static [&'static str]);

/// The columns of the help sheet.
const COLUMNS: &[&[Part]] = &[
    &[
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
    ],
    &[
        ("Agent", &["run", "run-to-collision", "run-to-stop", "branch"]),
        (
            "Time",
            &["back", "forth", "back-10", "forth-10", "first", "live", "previous-event", "next-event"],
        ),
        ("Two ways", &["compare", "first-difference"]),
    ],
    &[
        (
            "Camera",
            &[
                "eyes",
                "chase",
                "orbit",
                "fly",
                "map",
                "home",
                "cut",
                "floor-up",
                "floor-down",
                "floor-auto",
            ],
        ),
        ("Free flight", &["fly-ahead", "fly-back", "fly-left", "fly-right", "fly-up", "fly-down"]),
    ],
    &[(
        "Window",
        &["layers", "inset", "help", "palette", "theme", "screenshot", "put-back", "save-keys", "quit"],
    )],
];

/// What the mouse does.
const MOUSE: &[(&str, &str)] = &[
    ("click on the floor", "walk there (Esc ends the walk)"),
    ("click on a thing", "select it"),
    ("drag", "turn the camera; in the map, move it"),
    ("right drag", "move the camera"),
    ("wheel", "nearer, farther; in flight slower, faster"),
];

/// The help sheet, made from the key map.
pub fn show_help(context: &Context, keys: &KeyMap, desk: &mut Desk, out: &mut Vec<Command>) {
    if !desk.help {
        return;
    }
    let mut open = true;
    egui::Window::new("Keys")
        .open(&mut open)
        .anchor(Align2::CENTER_CENTER, [0.0, 0.0])
        .resizable(false)
        .show(context, |ui| {
            ui.spacing_mut().interact_size.y = 20.0;
            ui.spacing_mut().button_padding.y = 0.0;
            ui.horizontal_top(|ui| {
                for (index, column) in COLUMNS.iter().enumerate() {
                    ui.vertical(|ui| {
                        for (title, names) in *column {
                            part(ui, keys, desk, title, names);
                        }
                        if index + 1 == COLUMNS.len() {
                            mouse(ui);
                        }
                    });
                    ui.add_space(14.0);
                }
            });
            ui.horizontal(|ui| {
                ui.label(RichText::new("Click a key to change it.").weak().small());
                if ui
                    .small_button("save the keys")
                    .on_hover_text("into the file of --keys, else keys.ron")
                    .clicked()
                {
                    out.push(Command::SaveKeys);
                }
                ui.label(RichText::new(&desk.key_note).small());
            });
        });
    desk.help &= open;
}

fn mouse(ui: &mut egui::Ui) {
    ui.label(RichText::new("Mouse").strong());
    for (deed, what) in MOUSE {
        ui.label(RichText::new(*deed).monospace().small());
        ui.label(RichText::new(*what).weak().small());
    }
}

fn part(ui: &mut egui::Ui, keys: &KeyMap, desk: &mut Desk, title: &str, names: &[&str]) {
    ui.label(RichText::new(title).strong());
    egui::Grid::new(title).num_columns(2).spacing([12.0, 3.0]).show(ui, |ui| {
        for (name, what, _) in Command::all().filter(|row| names.contains(&row.0)) {
            let chords = keys.chords_of(name).join("  ");
            let waits = desk.rebinding.as_deref() == Some(name);
            let text = match (waits, chords.is_empty()) {
                (true, _) => "press a key".to_owned(),
                (false, true) => "–".to_owned(),
                (false, false) => chords,
            };
            let key = egui::Button::selectable(waits, RichText::new(text).monospace());
            if ui
                .add(key)
                .on_hover_text("click, then press another key; Delete: none; Esc: as it was")
                .clicked()
            {
                desk.rebinding = (!waits).then(|| name.to_owned());
                desk.key_note.clear();
            }
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
