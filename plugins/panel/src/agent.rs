//! Who acts, and how far.

use crate::Info;
use ambler_session::{Command, EventKind, Snapshot};
use bevy_egui::egui::{ComboBox, RichText, Ui};

pub(crate) fn show(ui: &mut Ui, snapshot: &Snapshot, info: &Info, out: &mut Vec<Command>) {
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
