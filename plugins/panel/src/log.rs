//! What was said: a list, and the newest over the view.

use ambler_session::{Desk, Message, Severity, Snapshot};
use bevy_egui::egui::{Align2, Area, Color32, Context, Frame, Id, Order, RichText, ScrollArea, Ui};

fn color(severity: Severity) -> Color32 {
    match severity {
        Severity::Note => Color32::from_rgb(86, 180, 233),
        Severity::Warning => Color32::from_rgb(230, 159, 0),
        Severity::Error => Color32::from_rgb(213, 94, 0),
    }
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

pub(crate) fn show(ui: &mut Ui, snapshot: &Snapshot) {
    let messages = &snapshot.messages;
    if messages.is_empty() {
        ui.label(RichText::new("Nothing was said yet.").weak());
    }
    ScrollArea::vertical().auto_shrink(false).stick_to_bottom(true).show(ui, |ui| {
        for (text, count) in grouped(messages) {
            ui.horizontal_wrapped(|ui| {
                ui.label(RichText::new(word(text.severity)).color(color(text.severity)).small());
                let times = if count > 1 { format!("  ×{count}") } else { String::new() };
                ui.label(format!("{}{times}", text.text));
            });
        }
    });
}

/// Equal messages in a row as one.
fn grouped(messages: &[Message]) -> Vec<(&Message, usize)> {
    let mut groups: Vec<(&Message, usize)> = Vec::new();
    for message in messages {
        match groups.last_mut() {
            Some((last, count)) if *last == message => *count += 1,
            _ => groups.push((message, 1)),
        }
    }
    groups
}

/// The newest messages that nobody closed, over everything.
pub fn toasts(context: &Context, snapshot: &Snapshot, desk: &mut Desk) {
    let total = snapshot.messages.len();
    desk.read = desk.read.max(total.saturating_sub(3)).min(total);
    let unread = snapshot.messages.get(desk.read..).unwrap_or_default();
    if unread.is_empty() {
        return;
    }
    let mut close = false;
    Area::new(Id::new("toasts")).order(Order::Foreground).anchor(Align2::LEFT_TOP, [12.0, 116.0]).show(
        context,
        |ui| {
            for (message, count) in grouped(unread) {
                Frame::window(ui.style()).show(ui, |ui| {
                    ui.set_max_width(420.0);
                    ui.horizontal_wrapped(|ui| {
                        ui.label(
                            RichText::new(word(message.severity))
                                .color(color(message.severity))
                                .strong(),
                        );
                        let times = if count > 1 { format!("  ×{count}") } else { String::new() };
                        ui.label(format!("{}{times}", message.text));
                        close |= ui.small_button("✖").on_hover_text("close; the log keeps it").clicked();
                    });
                });
            }
        },
    );
    if close {
        desk.read = total;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_again_is_counted() {
        let message = |text: &str| Message { severity: Severity::Note, text: text.to_owned() };
        let all = [message("a"), message("a"), message("b"), message("a")];
        let counts: Vec<usize> = grouped(&all).iter().map(|group| group.1).collect();
        assert_eq!(counts, [2, 1, 1]);
    }
}
