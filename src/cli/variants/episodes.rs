//! `ambler generate objectnav DIR` over a folder of variants.

use super::decided::{Rejections, episode_name};
use super::manifest::lexicon;
use super::{Manifest, one_more, print_json, put_json, read_variant};
use crate::assemble::build_navmesh;
use crate::exit::{self, Failure};
use crate::settings::Settings;
use crate::terminal::{self, Progress};
use ambler_episode::{Episode, EpisodeSet, read_episodes, write_episodes, write_split};
use ambler_navmesh::NavMeshSettings;

use ambler_scene::library::Decisions;
use ambler_scene::{ReadOptions, read_scene};
use ambler_sdovon::episodes::{EpisodeOptions, GoalMode, Report, episodes, expected};
use ambler_sensor::Renderer;
use clap::{Args, ValueEnum};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Which objects count as found.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum GoalArg {
    /// Any of the category
    Any,
    /// One that is drawn for each category of a variant
    Instance,
}

/// What holds for folders of variants alone.
#[derive(Args, Debug)]
pub struct VariantEpisodeArgs {
    /// Of a folder of variants: episodes for each category of a variant
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000),
        help_heading = "Folders of variants")]
    per_category: u32,
    /// Of a folder of variants: which objects of the category count
    #[arg(long, value_name = "MODE", default_value = "any", help_heading = "Folders of variants")]
    goals: GoalArg,
    /// Of a folder of variants: threads
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=256),
        help_heading = "Folders of variants")]
    workers: u32,
}

/// What is asked of the episodes.
pub struct Ask<'a> {
    /// The folder of variants.
    pub folder: &'a Path,
    /// Folder to write, beside the variants without.
    pub out: Option<&'a Path>,
    /// Body, seed.
    pub settings: &'a Settings,
    /// Distances, categories.
    pub distance_m: [f64; 2],
    /// Categories to ask for; all that were placed where empty.
    pub categories: &'a [String],
    /// One JSON object.
    pub json: bool,
}

/// What one variant's episodes follow from, and what was left out; beside its episodes.
#[derive(Serialize, Deserialize)]
struct Kept {
    key: String,
    report: Report,
}

/// Makes the episodes of all variants of a folder.
pub fn run(ask: &Ask<'_>, args: &VariantEpisodeArgs) -> Result<u8, Failure> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.workers as usize)
        .build()
        .map_err(|error| Failure::Usage(format!("--workers {}: {error}", args.workers)))?;
    pool.install(|| make(ask, args))
}

fn make(ask: &Ask<'_>, args: &VariantEpisodeArgs) -> Result<u8, Failure> {
    let manifest = Manifest::read(ask.folder)?;
    let out = ask.out.map_or_else(|| ask.folder.join("episodes"), Path::to_path_buf);
    let body = ask.settings.body()?;
    let mut options = EpisodeOptions {
        per_category: args.per_category,
        distance_m: ask.distance_m,
        goals: match args.goals {
            GoalArg::Any => GoalMode::Any,
            GoalArg::Instance => GoalMode::Instance,
        },
        ..EpisodeOptions::default()
    };
    options.views.camera.mount.y = body.camera_height_m;
    let navmesh = body.navmesh_settings();
    let rejections = Rejections::read(ask.folder)?;
    let names: Vec<&str> = manifest.variants().filter(|name| !rejections.variant(name)).collect();
    let gone = rejections.variants(&manifest);
    if names.is_empty() && !gone.is_empty() {
        // What was made before they were rejected must not be run.
        for path in [out.join("content"), out.join("objectnav.json.gz")] {
            let removed = match path.is_dir() {
                true => std::fs::remove_dir_all(&path),
                false if path.exists() => std::fs::remove_file(&path),
                false => Ok(()),
            };
            removed.map_err(|error| Failure::cannot_write(&path, &error))?;
        }
        return Err(Failure::NotAsAsked(format!(
            "all {} variants are rejected in {}",
            gone.len(),
            Decisions::path(ask.folder).display()
        )));
    }
    let nothing = rejections.about_nothing(&manifest);
    if nothing > 0 {
        terminal::log(&format!("note: {nothing} decisions are about variants that are not there"));
    }
    let progress = Mutex::new((Progress::new(names.len() as u64, "episodes", ask.json), 0_u64));
    let mut all: Vec<Episode> = Vec::new();
    let (mut objects, mut left_out): (BTreeMap<String, String>, BTreeMap<String, String>) =
        Default::default();
    let (mut relaxed, mut valid, mut kept) = (0, 0, 0);
    let mut rejected: Vec<String> = Vec::new();
    // Variants side by side, and the views of each too: a few variants keep all cores busy as well.
    let made: Vec<Result<Of, Failure>> = names
        .par_iter()
        .map(|name| {
            let made = of_variant(name, ask, &options, &navmesh, &body.name, &out);
            one_more(&progress, name);
            made
        })
        .collect();
    for (name, of) in names.iter().zip(made) {
        let Of { episodes, report, was_there } = of?;
        kept += u32::from(was_there);
        relaxed += report.relaxed;
        valid += report.valid_categories;
        objects.extend(report.objects.into_iter().map(|(o, why)| (format!("{name} {o}"), why)));
        left_out.extend(report.categories.into_iter().map(|(c, why)| (format!("{name} {c}"), why)));
        for episode in episodes {
            match rejections.episode(&episode) {
                true => rejected.push(episode_name(&episode)),
                false => all.push(episode),
            }
        }
    }
    if let Ok(progress) = progress.lock() {
        progress.0.finish();
    }
    let mut set = EpisodeSet::new(all);
    annotate(&mut set, ask.folder)?;
    set.extra.set("ambler", json!({"generator": "sd-ovon", "seed": ask.settings.seed()}));
    let files = write_split(&set, &out, "objectnav")?;
    // What an earlier run wrote of variants that have no episode any more would be read too.
    for name in manifest.variants() {
        let file = out.join("content").join(format!("{name}.json.gz"));
        if !files.contains(&file) && file.is_file() {
            std::fs::remove_file(&file).map_err(|error| Failure::cannot_write(&file, &error))?;
        }
    }
    let homes = manifest.homes.len() as u32;
    let n = names.len() as u32;
    let mean = f64::from(valid) / f64::from(n.max(1));
    let wanted = expected(1, n, mean, args.per_category);
    let left = json!({
        "objects": objects,
        "categories": left_out,
        "rejected_variants": gone,
        "rejected_episodes": rejected,
    });
    put_json(&out.join("left_out.json"), &left)?;
    if ask.json {
        print_json(&json!({
            "out": out,
            "episodes": set.episodes.len(),
            "expected": wanted,
            "homes": homes,
            "variants": n,
            "kept": kept,
            "mean_valid_categories": mean,
            "categories": set.categories(),
            "objects_that_are_no_goals": objects.len(),
            "categories_left_out": left_out.len(),
            "relaxed": relaxed,
            "rejected_variants": gone.len(),
            "rejected_episodes": rejected.len(),
        }));
    } else {
        terminal::say(&format!(
            "{} episodes of {n} variants of {homes} homes in {} ({mean:.2} categories a variant, {} episodes each)",
            set.episodes.len(),
            files.first().unwrap_or(&out).display(),
            args.per_category,
        ));
        terminal::say(&format!(
            "  {} objects are no goals and {} categories have no episode: {}; {relaxed} episodes begin nearer than asked",
            objects.len(),
            left_out.len(),
            out.join("left_out.json").display()
        ));
    }
    if !ask.json && gone.len() + rejected.len() > 0 {
        terminal::say(&format!(
            "  {} variants and {} episodes are left out because they were rejected ({})",
            gone.len(),
            rejected.len(),
            Decisions::path(ask.folder).display()
        ));
    }
    Ok(if set.episodes.is_empty() { exit::NOT_AS_ASKED } else { exit::DONE })
}

/// What one variant gave.
struct Of {
    episodes: Vec<Episode>,
    report: Report,
    /// An earlier run made it.
    was_there: bool,
}

fn of_variant(
    name: &str,
    ask: &Ask<'_>,
    options: &EpisodeOptions,
    navmesh: &NavMeshSettings,
    body: &str,
    out: &Path,
) -> Result<Of, Failure> {
    let saved = read_variant(ask.folder, name)?;
    let key = key(&saved.key, options, ask, body);
    let file = of_one(out, name);
    let about = out.join("variants").join(format!("{name}.report.json"));
    if let Some((episodes, report)) = taken(&file, &about, &key) {
        return Ok(Of { episodes, report, was_there: true });
    }
    let placed: BTreeSet<&str> =
        saved.variant.objects.iter().map(|object| object.category.as_str()).collect();
    let wanted =
        |name: &&str| ask.categories.is_empty() || ask.categories.iter().any(|wanted| wanted == name);
    let categories: BTreeSet<&str> = placed.into_iter().filter(wanted).collect();
    let path = ask.folder.join(format!("{name}.ron"));
    // Not by the cache: each variant is read once.
    let scene = Arc::new(read_scene(&path, &ReadOptions::default())?);
    let mesh = Arc::new(build_navmesh(&scene, navmesh)?);
    let renderer = Renderer::new(scene);
    let made = episodes(name, &renderer, &mesh, &categories, ask.settings.seed(), options)?;
    std::fs::create_dir_all(out.join("variants")).map_err(|error| Failure::cannot_write(out, &error))?;
    write_episodes(&EpisodeSet::new(made.episodes), &file)?;
    let kept = serde_json::to_value(Kept { key, report: made.report.clone() });
    put_json(&about, &kept.map_err(|error| Failure::Input(error.to_string()))?)?;
    // As they are read back, so that a run that was interrupted gives the same bytes.
    Ok(Of { episodes: read_back(&file)?, report: made.report, was_there: false })
}

fn key(variant: &str, options: &EpisodeOptions, ask: &Ask<'_>, body: &str) -> String {
    let text = format!("{variant} {options:?} {body} {} {:?}", ask.settings.seed(), ask.categories);
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// Says by which id the scene's annotation knows each category: that of the lexicon, which Habitat's semantic
/// images show too.
fn annotate(set: &mut EpisodeSet, folder: &Path) -> Result<(), Failure> {
    let ids = lexicon(folder)?;
    for (category, id) in &mut set.annotation_category_ids {
        if let Some(known) = ids.get(category) {
            *id = *known;
        }
    }
    Ok(())
}

/// Episodes of an earlier run that follow from the same things.
fn taken(file: &Path, about: &Path, key: &str) -> Option<(Vec<Episode>, Report)> {
    let kept: Kept = serde_json::from_slice(&std::fs::read(about).ok()?).ok()?;
    (kept.key == key).then(|| Some((read_back(file).ok()?, kept.report)))?
}

fn read_back(file: &Path) -> Result<Vec<Episode>, Failure> {
    let set = read_episodes(file)?;
    Ok(set.episodes.iter().map(|episode| (**episode).clone()).collect())
}

/// Where the episodes of one variant are, rejected ones included.
pub fn of_one(out: &Path, name: &str) -> PathBuf {
    out.join("variants").join(format!("{name}.json.gz"))
}

/// Where the episodes of a folder of variants are.
pub fn episodes_of(folder: &Path) -> PathBuf {
    folder.join("episodes").join("objectnav.json.gz")
}
