//! Who acts, and how far.

use crate::Info;
use ambler_session::{Command, Desk, EventKind, Saying, Snapshot};
use bevy_egui::egui::{ComboBox, Grid, RichText, Ui};

pub(crate) fn show(ui: &mut Ui, snapshot: &Snapshot, desk: &Desk, info: &Info, out: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.label("agent");
        ComboBox::from_id_salt("agent").selected_text(&snapshot.agent).show_ui(ui, |ui| {
            for agent in &info.agents {
                if ui.selectable_label(*agent == snapshot.agent, agent).clicked() {
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
    ui.add_space(6.0);
    ui.label(RichText::new("Ways through this episode").strong());
    let now = snapshot.moments.len().saturating_sub(1);
    ui.label(format!("this one: {}, {now} steps{}", snapshot.actor, left(snapshot.from)));
    for (index, branch) in snapshot.kept.iter().enumerate() {
        ui.horizontal(|ui| {
            let steps = branch.moments.len() - 1;
            ui.label(format!("{}: {}, {steps} steps{}", index + 1, branch.actor, left(branch.from)));
            if ui.small_button("show").clicked() {
                out.push(Command::ShowBranch(index));
            }
        });
    }
}

fn left(from: Option<(usize, usize)>) -> String {
    from.map_or(String::new(), |(branch, step)| format!(", left {} at step {step}", branch + 1))
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
