//! `ambler variants explain`: why a thing is where it is, and why others are not.

use super::decided::Rejections;
use super::{Manifest, print_json, read_variant};
use crate::exit::{self, Failure};
use crate::terminal;
use ambler_scene::library::DECISIONS;
use ambler_sdovon::place::{Placed, Rejected, Variant};
use clap::Args;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Arguments of `variants explain`.
#[derive(Args, Debug)]
pub struct ExplainArgs {
    /// Folder that `ambler generate variants` made
    folder: PathBuf,
    /// Name of a variant [default: all, summed up]
    variant: Option<String>,
    /// Name of an object in it, or part of it [default: all]
    object: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Explains.
pub fn run(args: &ExplainArgs) -> Result<u8, Failure> {
    let manifest = Manifest::read(&args.folder)?;
    let rejections = Rejections::read(&args.folder)?;
    let Some(name) = &args.variant else { return sums(args, &manifest, &rejections) };
    if !manifest.variants().any(|known| known == name) {
        let some: Vec<&str> = manifest.variants().take(8).collect();
        return Err(Failure::Usage(format!(
            "there is no variant {name:?} in {}; there are {}",
            args.folder.display(),
            some.join(", ")
        )));
    }
    let variant = read_variant(&args.folder, name)?.variant;
    let wanted = |placed: &&Placed| {
        let part = args.object.as_deref().unwrap_or("");
        placed.name.contains(part) || placed.category.contains(part)
    };
    let objects: Vec<&Placed> = variant.objects.iter().filter(wanted).collect();
    if objects.is_empty() && args.object.is_some() {
        let names: Vec<&str> = variant.objects.iter().map(|placed| placed.name.as_str()).collect();
        return Err(Failure::Usage(format!("{name} has no such object; it has {}", names.join(", "))));
    }
    if args.json {
        let failed = if args.object.is_none() { Some(&variant.failed) } else { None };
        print_json(&json!({
            "variant": name,
            "rejected": rejections.variant(name),
            "rejected_episodes": rejections.episodes(|variant| variant == name),
            "objects": objects,
            "empty_places": failed,
        }));
        return Ok(exit::DONE);
    }
    if rejections.variant(name) {
        terminal::say(&format!("{name} was rejected by hand: it has no episodes ({DECISIONS})"));
    }
    for episode in rejections.episodes(|variant| variant == name) {
        terminal::say(&format!("episode {episode} was rejected by hand ({DECISIONS})"));
    }
    for placed in objects {
        say(placed);
    }
    if args.object.is_none() {
        say_failed(&variant);
    }
    Ok(exit::DONE)
}

fn say(placed: &Placed) {
    let p = placed.position;
    terminal::say(&format!(
        "{} ({}) on {} in the {} at ({:.2}, {:.2}, {:.2})",
        placed.name,
        placed.category,
        placed.surface,
        placed.region.name().replace('_', " "),
        p.x,
        p.y,
        p.z
    ));
    let c = placed.chances;
    terminal::say(&format!(
        "    drawn with probability {:.4}: {:.4} in {} {}, {:.4} on {} {}",
        c.joint,
        c.in_region,
        article(placed.region.name()),
        placed.region.name().replace('_', " "),
        c.on_receptacle,
        article(&placed.receptacle),
        placed.receptacle
    ));
    placed.rejected.iter().for_each(say_rejected);
}

/// "a" or "an".
fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}

fn say_rejected(rejected: &Rejected) {
    terminal::say(&format!(
        "    before: {} (probability {:.4}): {}",
        rejected.object, rejected.joint, rejected.why
    ));
}

fn say_failed(variant: &Variant) {
    for failed in &variant.failed {
        let region = failed.region.name().replace('_', " ");
        terminal::say(&format!("a place on {} in the {region} stayed empty", failed.surface));
        failed.rejected.iter().for_each(say_rejected);
    }
}

/// Counts over all variants.
fn sums(args: &ExplainArgs, manifest: &Manifest, rejections: &Rejections) -> Result<u8, Failure> {
    let mut reasons: BTreeMap<String, u32> = BTreeMap::new();
    let (mut objects, mut empty) = (0, 0);
    for name in manifest.variants() {
        let variant = read_variant(&args.folder, name)?.variant;
        objects += variant.objects.len();
        empty += variant.failed.len();
        for (reason, count) in variant.reasons {
            *reasons.entry(reason).or_insert(0) += count;
        }
    }
    let gone = rejections.variants(manifest);
    let episodes = rejections.episodes(|name| manifest.variants().any(|variant| variant == name));
    if args.json {
        print_json(&json!({
            "objects": objects,
            "places_left_empty": empty,
            "tries_failed": reasons,
            "rejected_variants": gone,
            "rejected_episodes": episodes,
        }));
        return Ok(exit::DONE);
    }
    terminal::say(&format!("{objects} objects placed, {empty} places left empty"));
    for (reason, count) in reasons {
        terminal::say(&format!("  {count:>6} tries failed: {reason}"));
    }
    for (count, what, names) in [(gone.len(), "variants", gone), (episodes.len(), "episodes", episodes)]
    {
        if count > 0 {
            terminal::say(&format!("{count} {what} rejected by hand ({DECISIONS}):"));
            names.iter().for_each(|name| terminal::say(&format!("         {name}")));
        }
    }
    Ok(exit::DONE)
}
