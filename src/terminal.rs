//! What a person sees while the program works.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// Writes one line to standard output. A reader that has gone away (`| head`) ends the program
/// quietly; a full disk ends it with an error.
pub fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => {
            log(&format!("error: standard output cannot be written: {error}"));
            std::process::exit(i32::from(crate::exit::INPUT));
        }
    }
}

/// Writes one line to standard error: logs, warnings, progress.
pub fn log(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Rust's `println!` panics when the reader is gone; panics print nothing useful to a user then.
pub fn quiet_broken_pipe() {
    let default = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let text = info.to_string();
        if !text.contains("Broken pipe") {
            default(info);
        }
    }));
}

/// A progress bar on a terminal, plain lines elsewhere, nothing when asked to be quiet.
pub struct Progress {
    bar: Option<ProgressBar>,
    plain: bool,
    total: u64,
    last_plain: (u64, Instant),
}

impl Progress {
    /// Progress over `total` things called `what`.
    pub fn new(total: u64, what: &str, quiet: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let bar = (terminal && !quiet).then(|| {
            let bar = ProgressBar::new(total);
            let template = "{msg} {wide_bar} {pos}/{len} {eta} left";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.progress_chars("━╸─"));
            }
            bar.set_message(what.to_string());
            bar
        });
        Self { bar, plain: !terminal && !quiet, total, last_plain: (0, Instant::now()) }
    }

    /// `done` of the total are done; `note` stands before the bar.
    pub fn set(&mut self, done: u64, note: &str) {
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            bar.set_message(note.to_string());
        } else if self.plain && self.total > 0 {
            // A line every tenth of the way, or every half minute, is enough for a log.
            let (told, at) = self.last_plain;
            let tenth = done * 10 / self.total > told * 10 / self.total;
            if done > told && tenth || at.elapsed() > Duration::from_secs(30) {
                self.last_plain = (done, Instant::now());
                log(&format!("{note}: {done}/{}", self.total));
            }
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Columns of the terminal; `None` where standard output is no terminal, and lines may be long.
pub fn width() -> Option<usize> {
    std::io::stdout().is_terminal().then(|| {
        let (_rows, columns) = console::Term::stdout().size();
        usize::from(columns)
    })
}
