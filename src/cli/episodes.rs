//! `ambler episodes`: look into an episode set.

use super::print_json;
use crate::assemble::{StageSettings, StageStore};
use crate::exit::{self, Failure};
use crate::locate::SceneRoots;
use crate::settings::Settings;
use crate::terminal;
use ambler_episode::{EpisodeSet, read_episodes};
use clap::{Args, Subcommand};
use serde_json::json;
use std::path::PathBuf;

/// Commands on an episode set.
#[derive(Subcommand, Debug)]
pub enum EpisodesCommand {
    /// Count what is in it
    Inspect(InspectArgs),
    /// Compare it with its scenes: starts, goals, distances
    Check(CheckArgs),
}

/// Arguments of `episodes inspect`.
#[derive(Args, Debug)]
pub struct InspectArgs {
    /// Episode file (.json, .json.gz) or folder
    path: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Arguments of `episodes check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// Episode file (.json, .json.gz) or folder
    path: PathBuf,
    /// Folder with the scenes, or the scene itself
    #[arg(long, value_name = "PATH")]
    scenes: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: Settings,
}

/// Runs a command on an episode set.
pub fn run(command: &EpisodesCommand) -> Result<u8, Failure> {
    match command {
        EpisodesCommand::Inspect(args) => inspect(args),
        EpisodesCommand::Check(args) => check(args),
    }
}

fn read(path: &std::path::Path) -> Result<EpisodeSet, Failure> {
    let set = read_episodes(path)?;
    for note in &set.notes {
        terminal::log(&format!("note: {note}"));
    }
    Ok(set)
}

fn inspect(args: &InspectArgs) -> Result<u8, Failure> {
    let set = read(&args.path)?;
    let stated: Vec<f64> =
        set.episodes.iter().filter_map(|episode| episode.stated_geodesic_m()).collect();
    let shortest = stated.iter().copied().fold(f64::INFINITY, f64::min);
    let longest = stated.iter().copied().fold(0.0, f64::max);
    let mean = stated.iter().sum::<f64>() / stated.len().max(1) as f64;
    if args.json {
        let files: Vec<_> = set
            .files
            .iter()
            .map(|file| json!({ "path": file.path, "episodes": file.episodes }))
            .collect();
        print_json(&json!({
            "kind": set.kind().to_string(),
            "episodes": set.episodes.len(),
            "scenes": set.scenes(),
            "categories": set.categories(),
            "files": files,
            "geodesic_m": (!stated.is_empty()).then(|| json!({ "min": shortest, "max": longest, "mean": mean })),
            "fingerprint": set.fingerprint().to_string(),
            "notes": set.notes,
        }));
        return Ok(exit::DONE);
    }
    terminal::say(&format!(
        "{}: {} {} episodes in {} scene(s), from {} file(s)",
        args.path.display(),
        set.episodes.len(),
        set.kind(),
        set.scenes().len(),
        set.files.len()
    ));
    if !stated.is_empty() {
        terminal::say(&format!("  stated distance {shortest:.2} to {longest:.2} m, mean {mean:.2} m"));
    }
    for (category, count) in set.categories() {
        terminal::say(&format!(
            "  {:<24}{count}",
            if category.is_empty() { "(point goals)" } else { category }
        ));
    }
    Ok(exit::DONE)
}

fn check(args: &CheckArgs) -> Result<u8, Failure> {
    let set = read(&args.path)?;
    let body = args.settings.body()?;
    let store = StageStore::new(
        SceneRoots::new(args.scenes.as_deref())?,
        StageSettings::new(&args.settings, &body)?,
    );
    let mut findings = Vec::new();
    for scene in set.scenes() {
        let stage = match store.get(&scene) {
            Ok(stage) => stage,
            Err(failure) => {
                findings.push(json!({ "scene": scene, "kind": "scene", "what": failure.to_string() }));
                continue;
            }
        };
        let episodes: Vec<_> =
            set.episodes.iter().filter(|episode| episode.scene_id == scene).cloned().collect();
        let mut query = ambler_navmesh::NavQuery::new(std::sync::Arc::clone(&stage.navmesh));
        for finding in ambler_episode::check::check(&episodes, &mut query) {
            findings.push(json!({
                "scene": scene,
                "episode_id": finding.episode_id,
                "kind": finding.kind.name(),
                "what": finding.text,
                "invalid": finding.kind.is_invalid(),
            }));
        }
    }
    let broken = findings.iter().any(|finding| finding["invalid"] != json!(false));
    if args.json {
        print_json(&json!({ "episodes": set.episodes.len(), "findings": findings }));
    } else {
        for finding in &findings {
            let id = finding["episode_id"].as_str().unwrap_or("");
            let text = finding["what"].as_str().unwrap_or("");
            terminal::say(&format!("  {} {id}: {text}", finding["scene"].as_str().unwrap_or("")));
        }
        terminal::say(&format!("{} episodes, {} findings", set.episodes.len(), findings.len()));
    }
    Ok(if broken { exit::NOT_AS_ASKED } else { exit::DONE })
}
