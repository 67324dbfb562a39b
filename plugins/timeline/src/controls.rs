//! The row of buttons.

use ambler_body::Action;
use ambler_session::{Command, Desk, Snapshot};
use bevy_egui::egui::{Button, Color32, RichText, Ui};

/// Speeds to choose from, steps a second.
const PACES: [f64; 5] = [2.0, 4.0, 8.0, 16.0, f64::INFINITY];

pub(crate) fn show(ui: &mut Ui, snapshot: &Snapshot, desk: &Desk, out: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        let mut button = |ui: &mut Ui, text: &str, hint: &str, command: Command| {
            if ui.add(Button::new(text).min_size([26.0, 24.0].into())).on_hover_text(hint).clicked() {
                out.push(command);
            }
        };
        button(ui, "⏮", "first step (Shift+Home)", Command::First);
        button(ui, "⏪", "event before ([)", Command::PreviousEvent);
        button(ui, "◀", "a step back (,)", Command::Back(1));
        let (text, hint) = if snapshot.running {
            ("⏸", "pause (Space)")
        } else {
            ("▶ run", "let the agent run (Space)")
        };
        button(ui, text, hint, Command::RunOrPause);
        button(ui, "▶|", "a step forth; at the newest, the agent acts once (.)", Command::Forth(1));
        button(ui, "⏩", "next event (])", Command::NextEvent);
        button(ui, "⏭", "newest step (End)", Command::Live);
        ui.separator();
        for pace in PACES {
            let text = if pace.is_finite() { format!("{pace:.0}/s") } else { "max".to_owned() };
            if ui
                .selectable_label(snapshot.pace.0 == pace, text)
                .on_hover_text("steps a second of a running agent")
                .clicked()
            {
                out.push(Command::Pace(pace));
            }
        }
        ui.separator();
        let own = snapshot.moments.len().saturating_sub(1);
        let last = snapshot.beside.as_ref().map_or(own, |beside| beside.last().max(own));
        ui.monospace(format!("step {}/{last}", desk.time()));
        let action = snapshot.moments.get(desk.shown).and_then(|moment| moment.action);
        ui.label(RichText::new(action.map_or("start", word)).weak());
        ui.separator();
        badge(ui, snapshot, desk);
        ui.separator();
        let hint = "take over by hand at the step shown; what came after stays as a branch (B)";
        if ui.button("branch").on_hover_text(hint).clicked() {
            out.push(Command::Branch);
        }
        let on = snapshot.beside.is_some();
        let hint = "another way beside this one (C)";
        if ui.selectable_label(on, "compare").on_hover_text(hint).clicked() {
            out.push(Command::CompareOrNot);
        }
        if let Some(step) = snapshot.beside.as_ref().and_then(|beside| beside.parts_at()) {
            let text = RichText::new(format!("≠ {step}")).color(Color32::from_rgb(213, 94, 0)).strong();
            if ui.button(text).on_hover_text("where the two ways part (V)").clicked() {
                out.push(Command::FirstDifference);
            }
        }
        for (branch, kept) in snapshot.kept.iter().enumerate() {
            let hint = format!("{}: {} steps; show it", kept.actor, kept.moments.len() - 1);
            if ui.selectable_label(false, format!("{}", branch + 1)).on_hover_text(hint).clicked() {
                out.push(Command::ShowBranch(branch));
            }
        }
    });
}

fn word(action: Action) -> &'static str {
    match action {
        Action::Stop => "stop",
        Action::MoveForward => "forward",
        Action::TurnLeft => "left",
        Action::TurnRight => "right",
        Action::LookUp => "look up",
        Action::LookDown => "look down",
    }
}

/// The state in a word and a colour, readable in any picture of the window.
fn badge(ui: &mut Ui, snapshot: &Snapshot, desk: &Desk) {
    let (text, color) = if desk.in_the_past(snapshot) {
        ("PAST", Color32::from_rgb(86, 180, 233))
    } else if snapshot.running {
        ("RUNNING", Color32::from_rgb(204, 121, 167))
    } else if snapshot.ending.is_some() {
        ("ENDED", Color32::from_rgb(190, 190, 190))
    } else if snapshot.from.is_some() {
        ("BRANCH", Color32::from_rgb(230, 159, 0))
    } else {
        ("LIVE", Color32::from_rgb(0, 158, 115))
    };
    let text = RichText::new(format!(" {text} ")).color(Color32::BLACK).background_color(color).strong();
    ui.label(text);
}
