//! `ambler`: load scanned homes, drive a body through them, score agents.
//!
//! This program parses, assembles and runs; what decides a result lives in `crates/`, what steps a
//! world in `plugins/`.

#![allow(unreachable_pub, reason = "a program has no public interface")]

mod assemble;
mod cli;
mod exit;
mod locate;
mod settings;
mod terminal;

use clap::Parser as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    terminal::quiet_broken_pipe();
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { exit::USAGE } else { exit::DONE });
        }
    };
    match cli::run(cli) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::from(failure.code())
        }
    }
}
