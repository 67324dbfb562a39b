//! `ambler`: load scanned homes, drive a body through them, score agents.
//!
//! This program parses, assembles and runs; what decides a result lives in `crates/`, what steps a
//! world in `plugins/`.

#![allow(unreachable_pub, reason = "a program has no public interface")]

mod assemble;
mod cameras;
mod cli;
mod exit;
mod locate;
mod models;
mod settings;
mod terminal;
#[cfg(feature = "window")]
mod window;

use clap::{CommandFactory as _, FromArgMatches as _};
use std::process::ExitCode;

fn main() -> ExitCode {
    terminal::quiet_broken_pipe();
    let parsed = takes_negative_numbers(cli::Cli::command())
        .try_get_matches()
        .and_then(|matches| cli::Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { exit::USAGE } else { exit::DONE });
        }
    };
    let result = cli::run(cli);
    // What was prepared is kept for the next time.
    assemble::finish_storing();
    match result {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::from(failure.code())
        }
    }
}

/// `--radius -1` is a number that the command refuses with its own words, not an unknown flag.
fn takes_negative_numbers(command: clap::Command) -> clap::Command {
    command.allow_negative_numbers(true).mut_subcommands(takes_negative_numbers)
}
