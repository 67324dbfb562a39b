//! What a script expects of the window.

use super::script::Step;
use ambler_geometry::Affine;
use ambler_session::{Desk, Ending, Severity, Snapshot};

/// Whether what a line expects holds; lines that do something always do.
///
/// # Errors
/// What there is instead.
pub(super) fn holds(step: &Step, snapshot: &Snapshot, desk: &Desk) -> Result<(), String> {
    let told = told(snapshot);
    match step {
        Step::ExpectSteps(steps) => {
            let found = snapshot.moments.len().saturating_sub(1);
            check(found == *steps, || format!("{found} actions were made, not {steps}{told}"))
        }
        Step::ExpectShown(step) => {
            check(desk.time() == *step, || format!("step {} is shown, not {step}", desk.time()))
        }
        Step::ExpectEnding(wanted) => {
            let found = match (&snapshot.invalid, snapshot.ending) {
                (Some(_), _) => "invalid",
                (None, None) => "open",
                (None, Some(Ending::Success)) => "success",
                (None, Some(_)) => "failure",
            };
            check(found == wanted, || format!("the episode is {found}, not {wanted}{told}"))
        }
        Step::ExpectBranches(count) => {
            let found = snapshot.kept.len();
            check(found == *count, || format!("{found} branches were kept, not {count}"))
        }
        Step::ExpectParting(step) => {
            let found = snapshot.beside.as_ref().map(|beside| beside.parts_at());
            check(found == Some(Some(*step)), || {
                format!("the ways part at {found:?}, not at step {step}{told}")
            })
        }
        Step::ExpectDropped(count) => {
            let found = snapshot.hand.dropped.len();
            check(found == *count, || format!("{found} things were dropped, not {count}{told}"))
        }
        Step::ExpectMoved(id, least_m) => {
            let found = moved_m(snapshot, *id).unwrap_or(0.0);
            check(found >= *least_m, || format!("{id} moved by {found:.3} m, not {least_m}{told}"))
        }
        Step::ExpectUnscored => {
            check(snapshot.hand.touched, || "the drive still has a score".to_owned())
        }
        Step::ExpectFloor(name) => {
            let found = desk.storey(snapshot).map_or("none", |(_, storey)| storey.name.as_str());
            check(found == name, || format!("the floor shown is {found:?}, not {name:?}"))
        }
        Step::ExpectLayer(key) => {
            let of_agent = snapshot.thoughts.overlays(&snapshot.moments, desk.shown);
            let known: Vec<&str> =
                snapshot.layers.iter().chain(&of_agent).map(|layer| layer.key.as_str()).collect();
            check(known.contains(&key.as_str()), || {
                format!("there is no layer {key:?}; there are {}{told}", known.join(", "))
            })
        }
        Step::ExpectSaid(text) => {
            let found = snapshot.said.iter().any(|(_, line)| line.contains(text.as_str()));
            check(found, || format!("no program wrote {text:?}{told}"))
        }
        Step::Do(_) | Step::Key(_) | Step::Shot(_) | Step::LoseDevice | Step::Latency(_) => Ok(()),
    }
}

fn check(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

/// How far over the floor an instance is from where the scene has it, metres.
fn moved_m(snapshot: &Snapshot, id: u32) -> Option<f32> {
    let instance = snapshot.stage.as_ref()?.scene.instance(id)?;
    let home = instance.bounds.center();
    let now: &Affine = snapshot.hand.moved.get(id)??;
    let by = now.point(home) - home;
    Some(by.x.hypot(by.z))
}

/// The last thing that went wrong, for a script's failure.
fn told(snapshot: &Snapshot) -> String {
    let last = snapshot.messages.iter().rev().find(|message| message.severity != Severity::Note);
    last.map_or(String::new(), |message| format!(" ({})", message.text))
}
