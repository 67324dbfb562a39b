//! `ambler variants stats`: the paper's Tables 1 and 2 and the frequencies of its Figures 4 to 7, and a page
//! that shows them.

use super::decided::Rejections;
use super::episodes::episodes_of;
use super::{Manifest, library, print_json, read_variant};
use crate::exit::{self, Failure};
use crate::terminal;
use ambler_episode::read_episodes;
use ambler_report::counts::{self, Bar};
use ambler_scene::library::{DECISIONS, Library};
use clap::Args;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Arguments of `variants stats`.
#[derive(Args, Debug)]
pub struct StatsArgs {
    /// Folder that `ambler generate variants` made
    folder: PathBuf,
    /// Write a page with tables and plots: one HTML file with everything in it
    #[arg(long, value_name = "HTML")]
    out: Option<PathBuf>,
    /// Folder of the object library [default: what ships with Ambler]
    #[arg(long, value_name = "DIR")]
    library: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// How often something comes: things, and variants with one.
#[derive(Clone, Copy, Default)]
struct Often {
    things: u64,
    variants: u64,
}

/// Everything that is counted. Rejected variants and episodes count nowhere.
#[derive(Default)]
struct Counts {
    homes: usize,
    variants: u64,
    rejected: usize,
    objects: u64,
    /// Things that were placed, by category.
    placed: BTreeMap<String, Often>,
    regions: BTreeMap<String, u64>,
    receptacles: BTreeMap<String, u64>,
    /// Episodes by what is looked for.
    goals: BTreeMap<String, u64>,
    episodes: u64,
    /// Geodesic distances from start to goal, metres.
    distances: Vec<f64>,
    /// Things in a variant, categories in a variant, episodes of a variant.
    per_variant: Vec<u64>,
    categories_per_variant: Vec<u64>,
    episodes_per_variant: BTreeMap<String, u64>,
}

impl Counts {
    fn of(args: &StatsArgs) -> Result<Self, Failure> {
        let manifest = Manifest::read(&args.folder)?;
        let rejections = Rejections::read(&args.folder)?;
        let mut out = Self { homes: manifest.homes.len(), ..Self::default() };
        out.rejected = rejections.variants(&manifest).len();
        for name in manifest.variants().filter(|name| !rejections.variant(name)) {
            out.variants += 1;
            let objects = read_variant(&args.folder, name)?.variant.objects;
            let mut here: BTreeSet<&str> = BTreeSet::new();
            for object in &objects {
                let often = out.placed.entry(object.category.clone()).or_default();
                often.things += 1;
                often.variants += u64::from(here.insert(&object.category));
                *out.regions.entry(object.region.name().to_owned()).or_insert(0) += 1;
                *out.receptacles.entry(object.receptacle.clone()).or_insert(0) += 1;
            }
            out.objects += objects.len() as u64;
            out.per_variant.push(objects.len() as u64);
            out.categories_per_variant.push(here.len() as u64);
        }
        let file = episodes_of(&args.folder);
        if file.is_file() {
            for episode in read_episodes(&file)?.episodes {
                if rejections.variant(&episode.scene_id) || rejections.episode(&episode) {
                    continue;
                }
                out.episodes += 1;
                *out.goals.entry(episode.category().to_owned()).or_insert(0) += 1;
                *out.episodes_per_variant.entry(episode.scene_id.to_string()).or_insert(0) += 1;
                out.distances.extend(episode.info.number("geodesic_distance"));
            }
        }
        Ok(out)
    }

    fn goal_variants(&self) -> f64 {
        self.episodes as f64 / self.variants.max(1) as f64
    }
}

/// Counts.
pub fn run(args: &StatsArgs) -> Result<u8, Failure> {
    let counts = Counts::of(args)?;
    let library = library(args.library.as_deref(), 2)?;
    let mut sources: BTreeMap<&str, (usize, BTreeSet<&str>)> = BTreeMap::new();
    for object in &library.objects {
        let source = sources.entry(&object.source).or_default();
        source.0 += 1;
        source.1.insert(&object.category);
    }
    if let Some(out) = &args.out {
        std::fs::write(out, page(&counts, &library, &sources))
            .map_err(|error| Failure::cannot_write(out, &error))?;
    }
    if args.json {
        let sources: BTreeMap<&str, [usize; 2]> =
            sources.iter().map(|(name, (objects, kinds))| (*name, [*objects, kinds.len()])).collect();
        let placed: BTreeMap<&String, u64> =
            counts.placed.iter().map(|(name, often)| (name, often.things)).collect();
        let held: BTreeMap<&String, u64> =
            counts.placed.iter().map(|(name, often)| (name, often.variants)).collect();
        print_json(&json!({
            "object_sources": sources,
            "objects": library.objects.len(),
            "object_categories": library.categories.len(),
            "homes": counts.homes,
            "variants": counts.variants,
            "rejected_variants": counts.rejected,
            "episodes": counts.episodes,
            "goal_categories": counts.goals.len(),
            "placed": counts.objects,
            "placed_by_category": placed,
            "variants_by_category": held,
            "placed_by_region": counts.regions,
            "placed_by_receptacle": counts.receptacles,
            "episodes_by_category": counts.goals,
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
        "  {} homes, {} variants, {} episodes, {} goal categories",
        counts.homes,
        counts.variants,
        counts.episodes,
        counts.goals.len()
    ));
    if counts.rejected > 0 {
        terminal::say(&format!("  {} variants more are rejected ({DECISIONS})", counts.rejected));
    }
    let placed = counts.placed.iter().map(|(name, often)| (name.clone(), often.things)).collect();
    frequencies("Objects in the variants", &placed);
    frequencies("Episodes by goal", &counts.goals);
    if let Some(out) = &args.out {
        terminal::log(&format!("wrote {}", out.display()));
    }
    Ok(exit::DONE)
}

/// Most frequent first, equal ones by name.
fn ordered(counts: &BTreeMap<String, u64>) -> Vec<(&String, u64)> {
    let mut order: Vec<(&String, u64)> = counts.iter().map(|(name, count)| (name, *count)).collect();
    order.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    order
}

/// A bar for each category, most frequent first.
fn frequencies(title: &str, counts: &BTreeMap<String, u64>) {
    if counts.is_empty() {
        return;
    }
    let most = counts.values().copied().max().unwrap_or(1).max(1);
    terminal::say(title);
    for (name, count) in ordered(counts) {
        let bar = "█".repeat((count * 40).div_ceil(most) as usize);
        terminal::say(&format!("  {name:<20} {count:>6} {bar}"));
    }
}

/// The paper's rows of Table 1: source, objects, categories.
const PAPER_OBJECTS: [(&str, u32, u32); 6] = [
    ("YCB", 77, 56),
    ("AI2-THOR", 469, 36),
    ("ABO", 195, 20),
    ("HSSD", 1003, 24),
    ("all, raw", 1744, 110),
    ("all, selected by hand", 889, 73),
];
/// The paper's rows of Table 2: set, scenes, variants, episodes, categories.
const PAPER_SETS: [(&str, u32, u32, u32); 2] =
    [("SD-OVON-3k", 8, 363, 2897), ("SD-OVON-10k", 20, 1127, 10_629)];

fn page(
    counts: &Counts,
    library: &Library,
    sources: &BTreeMap<&str, (usize, BTreeSet<&str>)>,
) -> String {
    let plain = |name: &str| name.replace('_', " ");
    let mut body = String::from("<header><h1>Variants and episodes</h1>");
    let rejected = match counts.rejected {
        0 => String::new(),
        count => format!("; {count} variants more were rejected by hand"),
    };
    body += &format!(
        "<p>{} homes, {} variants with {} objects, {} episodes{rejected}.</p></header>",
        counts.homes, counts.variants, counts.objects, counts.episodes
    );
    body += r#"<section><div class="halves"><div><h2>Objects (Table 1)</h2>"#;
    let mut rows: Vec<Vec<String>> = sources
        .iter()
        .map(|(name, (objects, kinds))| {
            vec![(*name).to_owned(), objects.to_string(), kinds.len().to_string()]
        })
        .collect();
    let all = [library.objects.len(), library.categories.len()];
    rows.push(vec!["all".into(), all[0].to_string(), all[1].to_string()]);
    rows.extend(PAPER_OBJECTS.iter().map(|(name, objects, kinds)| {
        vec![format!("paper: {name}"), objects.to_string(), kinds.to_string()]
    }));
    body += &counts::table(&["source", "objects", "categories"], &rows);
    body += "</div><div><h2>Sets (Table 2)</h2>";
    let number = |value: f64| format!("{value:.2}");
    let mut rows = vec![vec![
        "this one".into(),
        counts.homes.to_string(),
        counts.variants.to_string(),
        counts.episodes.to_string(),
        number(counts.goal_variants()),
        counts.goals.len().to_string(),
    ]];
    rows.extend(PAPER_SETS.iter().map(|&(name, scenes, variants, episodes)| {
        vec![
            format!("paper: {name}"),
            scenes.to_string(),
            variants.to_string(),
            episodes.to_string(),
            number(f64::from(episodes) / f64::from(variants)),
            "73".into(),
        ]
    }));
    let head = ["set", "homes", "variants", "episodes", "per variant", "goals"];
    body += &counts::table(&head, &rows);
    body += "<h3>In a variant</h3>";
    let episodes: Vec<u64> = counts.episodes_per_variant.values().copied().collect();
    let rows = [
        ("objects", &counts.per_variant),
        ("categories of them", &counts.categories_per_variant),
        ("episodes, where there are any", &episodes),
    ];
    let rows: Vec<Vec<String>> = rows
        .into_iter()
        .map(|(name, values)| {
            let sum: u64 = values.iter().sum();
            let mean = sum as f64 / values.len().max(1) as f64;
            let ends = [values.iter().min(), values.iter().max()]
                .map(|value| value.map_or("–".into(), u64::to_string));
            let [least, most] = ends;
            vec![name.to_owned(), least, number(mean), most]
        })
        .collect();
    body += &counts::table(&["", "least", "mean", "most"], &rows);
    body += "</div></div></section><section><h2>Objects in the variants (Figures 4 and 6)</h2>";
    let things = counts.placed.iter().map(|(name, often)| (name.clone(), often.things)).collect();
    let bars: Vec<Bar> = ordered(&things)
        .into_iter()
        .map(|(name, count)| {
            let held = counts.placed.get(name).map_or(0, |often| often.variants);
            Bar { label: plain(name), count, note: format!(", in {held} variants") }
        })
        .collect();
    let caption = format!(
        "How often each of {} categories was placed in {} variants.",
        bars.len(),
        counts.variants
    );
    body += &counts::figure(&counts::columns("objects by category", "objects", &bars), &caption);
    body += r#"<div class="halves">"#;
    for (title, axis, of) in
        [("Regions", "objects", &counts.regions), ("Receptacles", "objects", &counts.receptacles)]
    {
        let bars: Vec<Bar> = ordered(of)
            .into_iter()
            .map(|(name, count)| Bar { label: plain(name), count, note: String::new() })
            .collect();
        let drawn = counts::rows(title, axis, &bars);
        body += &format!("<div><h3>{title} that they lie in or on</h3>");
        body += &counts::figure(&drawn, "");
        body += "</div>";
    }
    body += "</div></section><section><h2>Goals of the episodes (Figures 5 and 7)</h2>";
    if counts.episodes == 0 {
        body +=
            "<p>There are none yet; <code>ambler generate objectnav</code> makes them.</p></section>";
        return ambler_report::document("Ambler variants", &body);
    }
    let bars: Vec<Bar> = ordered(&counts.goals)
        .into_iter()
        .map(|(name, count)| Bar { label: plain(name), count, note: String::new() })
        .collect();
    let caption = format!(
        "How often each of {} categories is looked for in {} episodes.",
        bars.len(),
        counts.episodes
    );
    body += &counts::figure(&counts::columns("episodes by goal", "episodes", &bars), &caption);
    let farthest = counts.distances.iter().copied().fold(1.0, f64::max).ceil();
    let parts = (farthest as usize).clamp(5, 30);
    let drawn = counts::histogram(
        "distances",
        ["shortest way from the start to the nearest goal, m", "episodes"],
        &counts.distances,
        [0.0, farthest],
        parts,
    );
    body += "<h3>How far the goals are</h3>";
    let mut sorted = counts.distances.clone();
    sorted.sort_by(f64::total_cmp);
    let median = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
    body += &counts::figure(&drawn, &format!("Geodesic distances; the median is {median:.1} m."));
    body += "</section>";
    ambler_report::document("Ambler variants", &body)
}
