//! `ambler variants stats`: the paper's Tables 1 and 2 and the frequencies of its Figures 4 to 7.

use super::episodes::episodes_of;
use super::{Manifest, library, print_json, read_variant};
use crate::exit::{self, Failure};
use crate::terminal;
use ambler_episode::read_episodes;
use clap::Args;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Arguments of `variants stats`.
#[derive(Args, Debug)]
pub struct StatsArgs {
    /// Folder that `ambler generate variants` made
    folder: PathBuf,
    /// Folder of the object library [default: what ships with Ambler]
    #[arg(long, value_name = "DIR")]
    library: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Counts.
pub fn run(args: &StatsArgs) -> Result<u8, Failure> {
    let manifest = Manifest::read(&args.folder)?;
    let library = library(args.library.as_deref(), 2)?;
    let mut sources: BTreeMap<&str, (usize, BTreeSet<&str>)> = BTreeMap::new();
    for object in &library.objects {
        let source = sources.entry(&object.source).or_default();
        source.0 += 1;
        source.1.insert(&object.category);
    }
    let mut placed: BTreeMap<String, u32> = BTreeMap::new();
    let mut variants = 0;
    for name in manifest.variants() {
        variants += 1;
        for object in read_variant(&args.folder, name)?.variant.objects {
            *placed.entry(object.category).or_insert(0) += 1;
        }
    }
    let mut goals: BTreeMap<String, u32> = BTreeMap::new();
    let mut episodes = 0;
    let file = episodes_of(&args.folder);
    if file.is_file() {
        for episode in read_episodes(&file)?.episodes {
            episodes += 1;
            *goals.entry(episode.category().to_owned()).or_insert(0) += 1;
        }
    }
    if args.json {
        let sources: BTreeMap<&str, [usize; 2]> =
            sources.iter().map(|(name, (objects, kinds))| (*name, [*objects, kinds.len()])).collect();
        print_json(&json!({
            "object_sources": sources,
            "objects": library.objects.len(),
            "object_categories": library.categories.len(),
            "homes": manifest.homes.len(),
            "variants": variants,
            "episodes": episodes,
            "goal_categories": goals.len(),
            "placed_by_category": placed,
            "episodes_by_category": goals,
        }));
        return Ok(exit::DONE);
    }
    terminal::say("Objects (the paper's Table 1)");
    for (source, (objects, categories)) in &sources {
        terminal::say(&format!(
            "  {source:<32} {objects:>6} objects {:>4} categories",
            categories.len()
        ));
    }
    terminal::say("Variants and episodes (the paper's Table 2)");
    terminal::say(&format!(
        "  {} homes, {variants} variants, {episodes} episodes, {} goal categories",
        manifest.homes.len(),
        goals.len()
    ));
    frequencies("Objects in the variants", &placed);
    frequencies("Episodes by goal", &goals);
    Ok(exit::DONE)
}

/// A bar for each category, most frequent first.
fn frequencies(title: &str, counts: &BTreeMap<String, u32>) {
    if counts.is_empty() {
        return;
    }
    let most = counts.values().copied().max().unwrap_or(1).max(1);
    let mut order: Vec<(&String, &u32)> = counts.iter().collect();
    order.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    terminal::say(title);
    for (name, &count) in order {
        let bar = "█".repeat((count * 40).div_ceil(most) as usize);
        terminal::say(&format!("  {name:<20} {count:>6} {bar}"));
    }
}
