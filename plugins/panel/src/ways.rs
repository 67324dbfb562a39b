//! The ways through an episode, and two of them beside each other.

use ambler_session::{Beside, Command, Desk, Moment, Snapshot, short_name};
use bevy_egui::egui::{Color32, Grid, RichText, Ui};

/// Colours of the present way and of the one beside it.
const WAYS: [Color32; 2] = [Color32::from_rgb(86, 180, 233), Color32::from_rgb(230, 159, 0)];

pub(crate) fn show(ui: &mut Ui, snapshot: &Snapshot, desk: &Desk, out: &mut Vec<Command>) {
    ui.label(RichText::new("Ways through this episode").strong());
    let now = snapshot.moments.len().saturating_sub(1);
    ui.label(format!("this one: {}, {now} steps{}", short_name(&snapshot.actor), left(snapshot.from)));
    let shown = snapshot.beside.as_ref().map(|beside| beside.branch);
    for (index, branch) in snapshot.kept.iter().enumerate() {
        ui.horizontal(|ui| {
            let steps = branch.moments.len() - 1;
            ui.label(format!(
                "{}: {}, {steps} steps{}",
                index + 1,
                short_name(&branch.actor),
                left(branch.from)
            ));
            if ui
                .small_button("go on")
                .on_hover_text("this way takes the place of the present one")
                .clicked()
            {
                out.push(Command::ShowBranch(index));
            }
            let on = shown == Some(Some(index));
            if ui
                .selectable_label(on, "beside")
                .on_hover_text("show it beside the present one")
                .clicked()
            {
                out.push(if on { Command::CompareOrNot } else { Command::Compare(index) });
            }
        });
    }
    if snapshot.kept.is_empty() {
        let text = "No branch yet: take over at any step (B).";
        ui.label(RichText::new(text).weak().small());
    }
    ui.separator();
    let Some(beside) = &snapshot.beside else {
        let text =
            "Two ways side by side: press C. Two recordings: ambler play A.mcap --against B.mcap.";
        ui.label(RichText::new(text).weak().small());
        if ui.button("compare").on_hover_text("C").clicked() {
            out.push(Command::CompareOrNot);
        }
        return;
    };
    ui.horizontal(|ui| {
        ui.label(RichText::new("A").strong().color(WAYS[0]));
        ui.label(short_name(&snapshot.actor));
        ui.label(RichText::new("B").strong().color(WAYS[1]));
        ui.label(short_name(&beside.actor));
        if ui.small_button("✖").on_hover_text("show one way only (C)").clicked() {
            out.push(Command::CompareOrNot);
        }
    });
    partings(ui, desk, beside, out);
    ui.add_space(6.0);
    numbers(ui, snapshot, desk, beside);
}

fn left(from: Option<(usize, usize)>) -> String {
    from.map_or(String::new(), |(branch, step)| format!(", left {} at step {step}", branch + 1))
}

/// The numbers of both at the time shown.
fn numbers(ui: &mut Ui, snapshot: &Snapshot, desk: &Desk, beside: &Beside) {
    let at = desk.time();
    let [a, b] = [snapshot.moments.get(desk.shown), beside.at(at)];
    let (Some(a), Some(b)) = (a, b) else { return };
    let success_m = snapshot.rule.as_ref().map_or(0.0, |rule| rule.distance_m);
    let metres = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.2} m"));
    let spl = |moment: &Moment| format!("{:.3}", moment.spl_if_stopped(snapshot.shortest_m, success_m));
    let apart = a.pose.position.distance(b.pose.position);
    let rows = [
        ("step", desk.shown.to_string(), at.min(beside.last()).to_string()),
        ("to the goal", metres(a.distance_m), metres(b.distance_m)),
        ("path", metres(Some(a.path_m)), metres(Some(b.path_m))),
        ("collisions", a.collisions.to_string(), b.collisions.to_string()),
        ("SPL if stopped now", spl(a), spl(b)),
        ("action", word(a), word(b)),
    ];
    Grid::new("two ways").num_columns(3).spacing([14.0, 3.0]).show(ui, |ui| {
        ui.label("");
        ui.label(RichText::new("A").strong().color(WAYS[0]));
        ui.label(RichText::new("B").strong().color(WAYS[1]));
        ui.end_row();
        for (name, one, other) in rows {
            ui.label(RichText::new(name).weak().small());
            let differ = one != other;
            for value in [one, other] {
                let text = RichText::new(value).monospace();
                ui.label(if differ { text.strong() } else { text });
            }
            ui.end_row();
        }
    });
    ui.label(RichText::new(format!("{apart:.2} m between them")).weak().small());
}

fn word(moment: &Moment) -> String {
    moment.action.map_or("start".to_owned(), |action| action.to_string().replace('_', " "))
}

/// In what they part, each with its step to jump to.
fn partings(ui: &mut Ui, desk: &Desk, beside: &Beside, out: &mut Vec<Command>) {
    let Some(first) = beside.parts_at() else {
        ui.label(RichText::new("Both are alike in every step.").color(Color32::from_rgb(60, 200, 150)));
        return;
    };
    ui.horizontal(|ui| {
        ui.label(RichText::new(format!("They part at step {first}")).strong());
        if ui.button("go there").on_hover_text("V").clicked() {
            out.push(Command::FirstDifference);
        }
    });
    for parting in beside.partings.iter() {
        ui.horizontal_wrapped(|ui| {
            let there = desk.time() == parting.step;
            let text = format!("{:>4}  {}", parting.step, parting.kind);
            if ui.selectable_label(there, RichText::new(text).monospace().small()).clicked() {
                out.push(Command::GoTo(parting.step));
            }
            ui.label(RichText::new(&parting.text).small().weak());
        });
    }
}
