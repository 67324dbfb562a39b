//! `ambler cache`: what is kept of scenes, navmeshes and objects, and how to be rid of it.

use super::print_json;
use crate::exit::{self, Failure};
use crate::{locate, terminal};
use ambler_bundle::Bundle;
use ambler_scene::stored::MAGIC;
use clap::Args;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// Arguments of `cache`.
#[derive(Args, Debug)]
pub struct CacheArgs {
    /// Remove all files of the cache; each is made again when it is needed
    #[arg(long, conflicts_with = "check")]
    clear: bool,
    /// Compare the checksums of all scenes in full, and remove what is damaged
    #[arg(long)]
    check: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What the cache holds: name for people, folder in the cache, ends of the files' names.
const KINDS: [(&str, &str, &[&str]); 4] = [
    ("scenes", "scenes", &["scene", "sources", "tmp"]),
    ("navmeshes", "navmesh", &["navmesh", "tmp"]),
    ("objects", "objects", &["shape", "tmp"]),
    ("answers", "models", &["answer", "tmp"]),
];

/// Says what the cache holds, or clears it.
pub fn run(args: &CacheArgs) -> Result<u8, Failure> {
    let Some(folder) = locate::cache_folder() else {
        return Err(Failure::NotAsAsked(
            "there is no cache: set AMBLER_CACHE to a folder, and leave out --no-cache".into(),
        ));
    };
    let mut damaged = Vec::new();
    let mut rows = Vec::new();
    for (name, inside, ends) in KINDS {
        let files = files(&folder.join(inside), ends);
        if args.check {
            for (path, _) in &files {
                if let Some(what) = fault(path) {
                    terminal::log(&format!("{what}; removed"));
                    remove(path)?;
                    damaged.push(path.clone());
                }
            }
        }
        if args.clear {
            files.iter().try_for_each(|(path, _)| remove(path))?;
        }
        let main = files.iter().filter(|(path, _)| path.extension().is_some_and(|end| end == ends[0]));
        let count = main.count();
        let bytes: u64 = files.iter().map(|(_, bytes)| bytes).sum();
        rows.push((name, count, bytes));
    }
    if args.json {
        let kinds: serde_json::Map<String, serde_json::Value> = rows
            .iter()
            .map(|(name, count, bytes)| ((*name).to_string(), json!({ "files": count, "bytes": bytes })))
            .collect();
        print_json(&json!({
            "folder": folder, "kinds": kinds, "cleared": args.clear, "damaged": damaged,
        }));
    } else {
        let done = if args.clear { " (removed)" } else { "" };
        terminal::say(&format!("{}{done}", folder.display()));
        for (name, count, bytes) in rows {
            terminal::say(&format!("  {name:<12}{count:>6}  {:>10.1} MB", bytes as f64 / 1e6));
        }
    }
    Ok(if damaged.is_empty() { exit::DONE } else { exit::NOT_AS_ASKED })
}

/// Files of a folder whose names end so, sorted, with their sizes: whatever else lies there stays.
fn files(folder: &Path, ends: &[&str]) -> Vec<(PathBuf, u64)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<(PathBuf, u64)> = entries
        .flatten()
        .filter_map(|entry| Some((entry.path(), entry.metadata().ok().filter(|m| m.is_file())?.len())))
        .filter(|(path, _)| {
            let end = path.extension().and_then(|end| end.to_str()).unwrap_or_default();
            ends.contains(&end)
        })
        .collect();
    found.sort();
    found
}

/// What is wrong with a scene's bundle; nothing with other files.
fn fault(path: &Path) -> Option<String> {
    if path.extension().is_none_or(|end| end != "scene") {
        return None;
    }
    match Bundle::open(path, MAGIC) {
        Ok(Some(bundle)) => bundle.check_all().err().map(|fault| fault.to_string()),
        Ok(None) => None,
        Err(fault) => Some(fault.to_string()),
    }
}

fn remove(path: &Path) -> Result<(), Failure> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Failure::cannot_write(path, &error))
        }
        _ => Ok(()),
    }
}
