//! The program from the outside: run in a folder of its own, with a cache of its own.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// What `ambler` does with these arguments.
pub(crate) fn run(scratch: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ambler"))
        .env("AMBLER_HOME", env!("CARGO_MANIFEST_DIR"))
        .env("AMBLER_CACHE", scratch.join("cache"))
        .current_dir(scratch)
        .args(arguments)
        .output()
        .expect("ambler starts")
}

/// The JSON object that it prints; it must succeed.
#[track_caller]
pub(crate) fn json(scratch: &Path, arguments: &[&str]) -> Value {
    let output = run(scratch, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "ambler {arguments:?}: {:?}\n{errors}", output.status);
    serde_json::from_slice(&output.stdout).expect("standard output is one JSON object")
}
