//! The list of episodes, and what the open one asks.

use crate::Info;
use ambler_session::{Command, Desk, Ending, Snapshot};
use bevy_egui::egui::{self, Color32, RichText, ScrollArea, Ui};

pub(crate) fn show(
    ui: &mut Ui,
    snapshot: &Snapshot,
    desk: &mut Desk,
    info: &Info,
    out: &mut Vec<Command>,
) {
    if let Some(episode) = &snapshot.episode {
        if let Some(text) = episode.instruction() {
            ui.label(RichText::new(format!("“{text}”")).italics());
        }
        let goals = episode.task.object_goals().count();
        let what = match goals {
            0 => format!("{}: go to a point", episode.task.name()),
            1 => format!("{}: find the {}", episode.task.name(), episode.category().replace('_', " ")),
            n => format!(
                "{}: find one of {n} × {}",
                episode.task.name(),
                episode.category().replace('_', " ")
            ),
        };
        ui.label(what);
        if let Some(rule) = &snapshot.rule {
            ui.label(
                RichText::new(format!("rule {rule}, at most {} steps", snapshot.step_limit))
                    .weak()
                    .small(),
            );
        }
        ui.separator();
    }
    let wanted = desk.search.to_lowercase();
    let rows: Vec<usize> = info
        .episodes
        .iter()
        .enumerate()
        .filter(|(_, row)| {
            [&row.id, &row.scene, &row.asks].iter().any(|text| text.to_lowercase().contains(&wanted))
        })
        .map(|(index, _)| index)
        .collect();
    ui.horizontal(|ui| {
        let field = egui::TextEdit::singleline(&mut desk.search)
            .hint_text("search episodes")
            .desired_width(180.0);
        ui.add(field);
        ui.label(RichText::new(format!("{} of {}", rows.len(), info.episodes.len())).weak());
    });
    if rows.is_empty() {
        ui.label(RichText::new("No episode matches; clear the search.").weak());
    }
    ScrollArea::vertical().auto_shrink(false).show_rows(ui, 22.0, rows.len(), |ui, range| {
        for &index in rows.get(range).unwrap_or_default() {
            let Some(row) = info.episodes.get(index) else { continue };
            ui.horizontal(|ui| {
                let (mark, color, help) = mark(snapshot.outcomes.get(index).copied().flatten());
                ui.label(RichText::new(mark).monospace().color(color)).on_hover_text(help);
                let far = row.stated_m.map_or(String::new(), |metres| format!("  {metres:.1} m"));
                let text = format!("{}  {}  {}{far}", row.id, row.asks, row.scene);
                let label = egui::Button::selectable(index == snapshot.index, text).truncate();
                if ui.add(label).clicked() {
                    out.push(Command::Open(index));
                }
            });
        }
    });
}

fn mark(ending: Option<Ending>) -> (&'static str, Color32, &'static str) {
    match ending {
        None => ("·", Color32::GRAY, "not driven in this sitting"),
        Some(Ending::Success) => ("✔", Color32::from_rgb(60, 200, 150), "success"),
        Some(_) => ("✖", Color32::from_rgb(213, 94, 0), "failed"),
    }
}
