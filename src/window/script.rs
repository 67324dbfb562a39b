//! Scripts: what a window is to do by itself, for pictures and tests.

use crate::exit::Failure;
use serde::Deserialize;
use std::collections::VecDeque;
use std::path::Path;

/// One line of a script. Each begins when all that came before is done and drawn.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub(super) enum Step {
    /// A command by its name, such as `forward` or `camera:above`.
    Do(String),
    /// A key with its modifiers, such as `W` or `Ctrl+Z`, pressed and let go.
    Key(String),
    /// A picture of the window, in this PNG file.
    Shot(String),
    /// The window must show this many actions.
    ExpectSteps(usize),
    /// The step shown must be this one.
    ExpectShown(usize),
    /// How the episode must have ended: `success`, `failure`, `open`, `invalid`.
    ExpectEnding(String),
    /// So many branches must have been kept.
    ExpectBranches(usize),
    /// Two ways must be shown, parting first at this step.
    ExpectParting(usize),
    /// So many things must lie about that were dropped by hand.
    ExpectDropped(usize),
    /// This instance must be at least so far (metres, over the floor) from where the scene has it.
    ExpectMoved(u32, f32),
    /// A program of the agent must have written a line with this text in it.
    ExpectSaid(String),
    /// The episode must be without a score, since a hand moved things.
    ExpectUnscored,
    /// The name of the floor that must be shown.
    ExpectFloor(String),
    /// A layer must be known by this key, so that it can be switched.
    ExpectLayer(String),
    /// The graphics device is lost, as happens when a driver fails.
    LoseDevice,
    /// Measure how long the numbers and the picture take after so many key presses; the figures are
    /// printed.
    Latency(u32),
}

/// What is left of a script.
#[derive(Clone, Debug, Default)]
pub(super) struct Script {
    steps: VecDeque<Step>,
    total: usize,
}

impl Script {
    pub(super) fn new(steps: Vec<Step>) -> Self {
        Self { total: steps.len(), steps: steps.into() }
    }

    pub(super) fn next(&mut self) -> Option<Step> {
        self.steps.pop_front()
    }

    pub(super) fn is_over(&self) -> bool {
        self.steps.is_empty()
    }

    /// The number of the line last taken.
    pub(super) fn line(&self) -> usize {
        self.total - self.steps.len()
    }
}

/// Reads a script.
pub(super) fn parse(text: &str, path: &Path) -> Result<Vec<Step>, Failure> {
    let steps: Vec<Step> = ron::from_str(text).map_err(|error| {
        Failure::Input(format!(
            "{}: line {}: {}; a script is a list such as [Do(\"forward\"), Key(\"W\"), Shot(\"view.png\")]",
            path.display(),
            error.span.start.line,
            error.code
        ))
    })?;
    for step in &steps {
        if let Step::Do(name) = step
            && let Err(error) = name.parse::<ambler_session::Command>()
        {
            return Err(Failure::Input(format!("{}: {error}", path.display())));
        }
    }
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_read_and_its_faults_are_named() {
        let good = "[Do(\"forward\"), Key(\"W\"), ExpectSteps(2), Shot(\"a.png\")]";
        assert_eq!(parse(good, Path::new("s.ron")).map(|steps| steps.len()).ok(), Some(4));
        let bad = parse("[Do(\"jump\")]", Path::new("s.ron")).expect_err("no such command");
        assert!(bad.to_string().contains("\"jump\""), "{bad}");
        let bad = parse("[Jump]", Path::new("s.ron")).expect_err("no such step");
        assert!(bad.to_string().contains("line 1"), "{bad}");
    }
}
