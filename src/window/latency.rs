//! How long after a key the numbers and the picture have changed.

use ambler_plugin_view::Gallery;
use ambler_session::{Snapshot, WishKey};
use std::time::Instant;

/// A measurement under way: how long after a key the numbers and the picture have changed.
pub(super) struct Latency {
    pub(super) left: u32,
    pub(super) pressed: Option<Instant>,
    pub(super) step: usize,
    numbers_s: Vec<f64>,
    pictures_s: Vec<f64>,
    pub(super) numbers_done: bool,
}

impl Latency {
    pub(super) fn new(presses: u32) -> Self {
        Self {
            left: presses,
            pressed: None,
            step: 0,
            numbers_s: Vec::new(),
            pictures_s: Vec::new(),
            numbers_done: false,
        }
    }

    /// Called after each layout: whether what the key changed is in it.
    pub(super) fn look(&mut self, snapshot: &Snapshot, gallery: &Gallery) {
        let Some(pressed) = self.pressed else { return };
        let since = pressed.elapsed().as_secs_f64();
        if !self.numbers_done && snapshot.moments.len() - 1 >= self.step {
            self.numbers_done = true;
            self.numbers_s.push(since);
        }
        let drawn =
            gallery.painting(WishKey::Sensor(0)).is_some_and(|painting| painting.step >= self.step);
        if self.numbers_done && drawn {
            self.pictures_s.push(since);
            self.pressed = None;
            self.left -= 1;
        }
    }

    pub(super) fn report(mut self) -> String {
        let median = |values: &mut Vec<f64>| {
            values.sort_by(f64::total_cmp);
            (values.get(values.len() / 2).copied().unwrap_or(0.0), values.last().copied().unwrap_or(0.0))
        };
        let (numbers, worst) = median(&mut self.numbers_s);
        let (pictures, slowest) = median(&mut self.pictures_s);
        format!(
            "latency of {} keys: numbers {:.0} ms median, {:.0} ms worst; picture {:.0} ms median, {:.0} ms worst",
            self.numbers_s.len(),
            numbers * 1000.0,
            worst * 1000.0,
            pictures * 1000.0,
            slowest * 1000.0
        )
    }
}
