//! Who acts, and how far.

use crate::Info;
use ambler_session::{Command, Desk, EventKind, Saying, Snapshot, short_name};
use bevy_egui::egui::{ComboBox, Grid, RichText, Ui};

pub(crate) fn show(ui: &mut Ui, snapshot: &Snapshot, desk: &Desk, info: &Info, out: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.label("agent");
        ComboBox::from_id_salt("agent").selected_text(short_name(&snapshot.agent)).show_ui(ui, |ui| {
            for agent in &info.agents {
                if ui
                    .selectable_label(*agent == snapshot.agent, short_name(agent))
                    .on_hover_text(agent)
                    .clicked()
                {
                    out.push(Command::Agent(agent.clone()));
                }
            }
        });
    });
    ui.horizontal(|ui| {
        let text = if snapshot.running { "⏸ pause" } else { "▶ run" };
        if ui.button(text).on_hover_text("Space").clicked() {
            out.push(Command::RunOrPause);
        }
        if ui.button("one step").on_hover_text(".").clicked() {
            out.push(Command::Forth(1));
        }
    });
    ui.horizontal_wrapped(|ui| {
        ui.label("run to");
        for kind in EventKind::ALL {
            if ui.button(kind.name()).clicked() {
                out.push(Command::RunTo(kind));
            }
        }
    });
    ui.separator();
    ui.label(
        RichText::new("Acting by hand takes the wheel from the agent; choosing run gives it back.")
            .weak()
            .small(),
    );
    says(ui, snapshot, desk.shown);
    writes(ui, snapshot, desk.shown);
}

/// Lines of a program that are shown.
const MOST_LINES: usize = 40;

/// What the agent's program wrote up to the step shown.
fn writes(ui: &mut Ui, snapshot: &Snapshot, step: usize) {
    let end = snapshot.said.partition_point(|(at, _)| *at <= step);
    let Some(lines) = snapshot.said.get(..end).filter(|lines| !lines.is_empty()) else { return };
    ui.add_space(6.0);
    ui.label(RichText::new("What its program wrote").strong());
    let hidden = lines.len().saturating_sub(MOST_LINES);
    if hidden > 0 {
        ui.label(RichText::new(format!("{hidden} earlier lines")).weak().small());
    }
    for (at, line) in lines.iter().skip(hidden) {
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(format!("{at:>4}")).monospace().weak().small());
            ui.label(RichText::new(line).monospace().small());
        });
    }
}

/// What the policies think at the step shown.
fn says(ui: &mut Ui, snapshot: &Snapshot, step: usize) {
    let sayings = snapshot.thoughts.sayings(step);
    ui.add_space(6.0);
    ui.label(RichText::new(format!("What it thinks at step {step}")).strong());
    if sayings.is_empty() {
        let text = "Nothing: no agent has acted here, or it publishes nothing.";
        ui.label(RichText::new(text).weak().small());
    }
    for saying in sayings {
        match saying {
            Saying::Text(title, text) => {
                ui.label(RichText::new(title).weak().small());
                ui.label(text);
            }
            Saying::Number(title, value, unit) => {
                ui.horizontal(|ui| {
                    ui.label(RichText::new(title).weak().small());
                    ui.monospace(format!("{value:.2} {unit}"));
                });
            }
            Saying::Candidates(title, ranked) => {
                ui.label(RichText::new(title).weak().small());
                Grid::new(&ranked.title).num_columns(3).spacing([10.0, 1.0]).show(ui, |ui| {
                    for candidate in ranked.candidates.iter().take(MOST_CANDIDATES) {
                        ui.label(if candidate.chosen { "▶" } else { "" });
                        ui.label(RichText::new(&candidate.label).small());
                        ui.monospace(format!("{:.2}", candidate.score));
                        ui.end_row();
                    }
                });
                if ranked.candidates.len() > MOST_CANDIDATES {
                    let more = ranked.candidates.len() - MOST_CANDIDATES;
                    ui.label(RichText::new(format!("and {more} more")).weak().small());
                }
            }
        }
    }
}

/// Candidates shown of a list.
const MOST_CANDIDATES: usize = 12;
