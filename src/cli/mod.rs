//! The command line: one file a command.

mod bench;
mod cache;
mod doctor;
pub(crate) mod drop;
mod episodes;
pub(crate) mod eval;
mod generate;
mod home;
mod navmesh_map;
mod objects;
mod plan;
pub(crate) mod play;
mod replay;
mod report;
mod scene;
mod sheet;
mod shipped;
mod variants;
mod verify;

use crate::exit::Failure;
use clap::{Parser, Subcommand};

/// Load scanned homes, drive a body through them, score agents.
#[derive(Parser, Debug)]
#[command(name = "ambler", version, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 done, 1 a result is not as asked, 2 wrong usage, 3 bad input.")]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Neither read nor write the cache of scenes, navmeshes and objects: make everything anew
    #[arg(long, global = true)]
    no_cache: bool,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Run agents over episodes and print their scores
    #[command(after_help = EVAL_EXAMPLES)]
    Eval(eval::EvalArgs),
    /// Open a window on episodes: drive them by hand, watch an agent
    #[command(after_help = PLAY_EXAMPLES)]
    Play(play::PlayArgs),
    /// Look into the log of an episode, simulate it again, compare two, make a video
    #[command(after_help = REPLAY_EXAMPLES)]
    Replay(replay::ReplayArgs),
    /// Tables, figures and trajectories of runs: a page, CSV, Parquet, LaTeX
    #[command(after_help = REPORT_EXAMPLES)]
    Report(report::ReportArgs),
    /// Look into a scene: inspect, render, navmesh, check
    #[command(subcommand)]
    Scene(scene::SceneCommand),
    /// Look into an episode set: inspect, check
    #[command(subcommand)]
    Episodes(episodes::EpisodesCommand),
    /// Make homes, variants of them, and episodes: home, variants, pointnav, objectnav
    #[command(subcommand)]
    Generate(generate::GenerateCommand),
    /// Look into variants of homes: sheet, explain, stats, check
    #[command(subcommand)]
    Variants(variants::VariantsCommand),
    /// Look into an object library: list, inspect, sheet
    #[command(subcommand)]
    Objects(objects::ObjectsCommand),
    /// Measure speed: sensors, steps, load, memory, generation, variants
    #[command(subcommand)]
    Bench(bench::BenchCommand),
    /// Compare this build with golden numbers on a frozen mini-set
    Verify(verify::VerifyArgs),
    /// Say what the cache holds; check it, clear it
    Cache(cache::CacheArgs),
    /// Say what this machine and this installation have
    Doctor(doctor::DoctorArgs),
}

const EVAL_EXAMPLES: &str = "Examples:
  ambler eval --agent oracle --agent frontier         the shipped episodes, two agents compared
  ambler eval room.glb --agent oracle                 point goals drawn in a scan of your own
  ambler eval val.json.gz --scenes scans/ --agent \"exec:python3 my_agent.py\"
  ambler eval --where category=chair --limit 10 --json";

const PLAY_EXAMPLES: &str = "Examples:
  ambler play                                         the shipped episodes
  ambler play scenes/orchard_house --agent frontier   point goals drawn in a home; run or watch
  ambler play val.json.gz --scenes scans/ --where category=chair
  ambler play scenes/birch_flat --screenshot view.png --do forward --do left";
const REPLAY_EXAMPLES: &str = "Examples:
  ambler replay runs/frontier-1a2b3c4d/replays/00003-0123456789abcdef.mcap
  ambler replay --check runs/frontier-1a2b3c4d/replays/*.mcap   simulated again, bit for bit
  ambler replay mine.mcap --against yours.mcap                  where two runs part
  ambler replay mine.mcap --video mine.mp4                      what it saw and where it went";

const REPORT_EXAMPLES: &str = "Examples:
  ambler report runs                                  all runs in a folder, compared: runs/report.html
  ambler report runs/frontier-1a2b3c4d runs/oracle-5e6f7a8b --html compared.html
  ambler report runs --csv episodes.csv --parquet episodes.parquet --latex tables.tex";

/// Runs the command; the exit code on success.
pub fn run(cli: Cli) -> Result<u8, Failure> {
    if cli.no_cache {
        crate::locate::turn_cache_off();
    }
    match cli.command {
        Command::Eval(args) => eval::run(&args),
        Command::Play(args) => play::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Scene(command) => scene::run(&command),
        Command::Episodes(command) => episodes::run(&command),
        Command::Generate(command) => generate::run(&command),
        Command::Variants(command) => variants::run_command(&command),
        Command::Objects(command) => objects::run(&command),
        Command::Bench(command) => bench::run(&command),
        Command::Verify(args) => verify::run(&args),
        Command::Cache(args) => cache::run(&args),
        Command::Doctor(args) => doctor::run(&args),
    }
}

/// Prints one JSON object on standard output.
fn print_json(value: &serde_json::Value) {
    crate::terminal::say(&serde_json::to_string_pretty(value).unwrap_or_default());
}
