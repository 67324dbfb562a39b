//! `ambler generate variants`: homes whose small objects moved (SD-OVON).

mod advisers;
mod check;
mod decided;
mod episode_sheet;
pub(super) mod episodes;
mod explain;
mod home;
mod manifest;
mod sheet;
mod stats;

pub use advisers::AdviserArgs;
pub use check::CheckArgs;
pub use explain::ExplainArgs;
pub use home::Home;
pub use manifest::{Manifest, read_variant};
pub use sheet::SheetArgs;
pub use stats::StatsArgs;

use super::print_json;
use crate::assemble::Falls;
use crate::exit::{self, Failure};
use crate::locate;
use crate::terminal::{self, Progress};
use advisers::Models;
use ambler_scene::UpAxis;
use ambler_scene::library::{Library, LibraryOptions};
use ambler_sdovon::SdovonError;
use ambler_sdovon::analysis::Analysis;
use ambler_sdovon::export::{self, habitat};
use ambler_sdovon::place::{self, Variant};
use ambler_sdovon::plan::Planner;
use ambler_sdovon::settings::{Amount, Settings};
use ambler_sdovon::stages::put;
use clap::{Args, Subcommand, ValueEnum};
use rayon::prelude::*;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Looks into a folder that `ambler generate variants` made.
#[derive(Subcommand, Debug)]
pub enum VariantsCommand {
    /// Make a page of pictures on which variants or episodes are accepted or rejected by key
    Sheet(SheetArgs),
    /// Why a thing is where it is, or why others are not
    Explain(ExplainArgs),
    /// How many objects, categories, variants and episodes; how often each category comes
    Stats(StatsArgs),
    /// Let everything lie for some seconds more, and say what moves
    Check(CheckArgs),
}

/// Runs `ambler variants`.
pub fn run_command(command: &VariantsCommand) -> Result<u8, Failure> {
    match command {
        VariantsCommand::Sheet(args) => sheet::run(args),
        VariantsCommand::Explain(args) => explain::run(args),
        VariantsCommand::Stats(args) => stats::run(args),
        VariantsCommand::Check(args) => check::run(args),
    }
}

/// Which reading of the paper holds.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ModeArg {
    /// What the paper writes
    Paper,
    /// The same steps, repaired
    Quality,
}

/// Arguments of `generate variants`.
#[derive(Args, Debug)]
pub struct VariantsArgs {
    /// Homes: .glb, .gltf, .ply, .obj, .ron, or folders with scene.ron
    #[arg(required = true, value_name = "SCENE")]
    scenes: Vec<PathBuf>,
    /// Folder to write; what is there already is kept
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Variants of each home, up to 1000: names have three digits, since Habitat finds a scene by a part of its
    /// name, and v100 is a part of v1000
    #[arg(long, value_name = "K", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    variants: u32,
    /// Seed of everything
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Threads
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=256))]
    workers: u32,
    /// Which reading of the paper holds
    #[arg(long, value_name = "MODE", default_value = "quality")]
    mode: ModeArg,
    /// Settings of the stages over the mode's: a RON file as --print-settings writes it
    #[arg(long, value_name = "FILE", conflicts_with = "mode")]
    settings: Option<PathBuf>,
    /// Write the settings that hold to standard output, and do nothing else
    #[arg(long)]
    print_settings: bool,
    /// Objects in a variant [default: 30; in mode paper 10 on each receptacle]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=2000))]
    objects: Option<u32>,
    /// Folder of an object library [default: what ships with Ambler]
    #[arg(long, value_name = "DIR")]
    library: Option<PathBuf>,
    /// Axis of the scene files that points up: y, z, auto
    #[arg(long, default_value = "y", value_name = "AXIS")]
    up: UpAxis,
    #[command(flatten)]
    advisers: AdviserArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl VariantsArgs {
    fn settings(&self) -> Result<Settings, Failure> {
        let mut settings = match (&self.settings, self.mode) {
            (Some(path), _) => {
                let bytes = ambler_sdovon::stages::get(path)?;
                ron::de::from_bytes(&bytes).map_err(|error| {
                    Failure::Input(format!("{}: {error}; see --print-settings", path.display()))
                })?
            }
            (None, ModeArg::Paper) => Settings::paper(),
            (None, ModeArg::Quality) => Settings::quality(),
        };
        if let Some(objects) = self.objects {
            settings.placement.amount = Amount::Total(objects);
        }
        settings.check()?;
        Ok(settings)
    }
}

/// Makes the variants.
pub fn run(args: &VariantsArgs) -> Result<u8, Failure> {
    let settings = args.settings()?;
    if args.print_settings {
        let text = ron::ser::to_string_pretty(&settings, ron::ser::PrettyConfig::default());
        terminal::say(&text.map_err(|error| Failure::Input(error.to_string()))?);
        return Ok(exit::DONE);
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.workers as usize)
        .build()
        .map_err(|error| Failure::Usage(format!("--workers {}: {error}", args.workers)))?;
    pool.install(|| make(args, &settings))
}

fn make(args: &VariantsArgs, settings: &Settings) -> Result<u8, Failure> {
    let models = args.advisers.models()?;
    let library = library(args.library.as_deref(), args.workers)?;
    let mut manifest = Manifest::new(args.seed, settings, &models);
    manifest.check_place(&args.out)?;
    let mut written: Vec<Variant> = Vec::new();
    let mut kept = 0;
    let mut names = BTreeSet::new();
    if let Some(twice) =
        args.scenes.iter().map(|path| home::name_of(path)).find(|name| !names.insert(name.clone()))
    {
        return Err(Failure::Usage(format!(
            "two homes are called {twice:?}; rename a folder, so that their variants have names of their own"
        )));
    }
    for path in &args.scenes {
        let home = Home::read(path, args.up)?;
        home.export(&args.out)?;
        let analysis = home.analyse(&args.out, settings, &models, args.seed)?;
        let (variants, taken) = home_variants(args, settings, &models, &library, &home, &analysis)?;
        manifest.add(&home, &analysis, &variants);
        kept += taken;
        written.extend(variants);
    }
    export_objects(&args.out, &library, &written)?;
    let homes: Vec<&str> =
        manifest.homes.iter().filter(|home| home.navmesh).map(|h| h.name.as_str()).collect();
    let config = args.out.join(format!("{}.scene_dataset_config.json", export::NAME));
    put_json(&config, &habitat::dataset(&homes))?;
    manifest.write(&args.out)?;
    report(args, &written, kept);
    if kept < written.len() && args.out.join("episodes/objectnav.json.gz").is_file() {
        let again = format!("`ambler generate objectnav {}` makes them anew", args.out.display());
        terminal::log(&format!("note: the episodes there are of the variants before; {again}"));
    }
    Ok(if written.iter().all(|variant| !variant.objects.is_empty()) {
        exit::DONE
    } else {
        exit::NOT_AS_ASKED
    })
}

/// The variants of a home, in order, and how many of them were there already.
fn home_variants(
    args: &VariantsArgs,
    settings: &Settings,
    models: &Models,
    library: &Library,
    home: &Home,
    analysis: &Analysis,
) -> Result<(Vec<Variant>, usize), Failure> {
    if analysis.surfaces.is_empty() {
        return Err(Failure::NotAsAsked(format!(
            "{}: no surface was found on which things can be put; label its furniture, let a detector find it \
             (--detector URL, docs/MODELS.md), or name other receptacles in the settings",
            home.name
        )));
    }
    let key = manifest::variant_key(analysis, settings, models, library, args.seed);
    let falls = Falls::new(home.scene());
    let progress = Mutex::new((Progress::new(u64::from(args.variants), &home.name, args.json), 0_u64));
    let made: Vec<Result<(Variant, bool), Failure>> = (0..args.variants)
        .into_par_iter()
        .map(|number| {
            let name = place::variant_name(&home.name, number);
            let saved = read_variant(&args.out, &name)
                .ok()
                .filter(|saved| saved.key == key && args.out.join(format!("{name}.ron")).is_file());
            let found = match saved {
                Some(saved) => (saved.variant, true),
                None => {
                    let relevance = models.relevance.as_ref();
                    let mut planner = Planner::new(library, relevance, &settings.placement);
                    let variant = place::variant(
                        analysis,
                        &mut planner,
                        &falls,
                        &settings.placement,
                        args.seed,
                        number,
                    )?;
                    home.write(&args.out, &variant, &key)?;
                    (variant, false)
                }
            };
            one_more(&progress, &name);
            Ok(found)
        })
        .collect();
    if let Ok(progress) = progress.lock() {
        progress.0.finish();
    }
    let mut variants = Vec::new();
    let mut kept = 0;
    for made in made {
        let (variant, was_there) = made?;
        kept += usize::from(was_there);
        variants.push(variant);
    }
    Ok((variants, kept))
}

/// The meshes and configs of all objects that are placed anywhere.
fn export_objects(out: &Path, library: &Library, variants: &[Variant]) -> Result<(), Failure> {
    let categories: BTreeSet<&str> = library.categories.iter().map(|c| c.name.as_str()).collect();
    let ids: BTreeMap<&str, u32> = categories.iter().copied().zip(1..).collect();
    let used: BTreeSet<&str> = variants
        .iter()
        .flat_map(|variant| &variant.objects)
        .map(|placed| placed.object.as_str())
        .collect();
    let used: Vec<&str> = used.into_iter().collect();
    used.par_iter().try_for_each(|name| -> Result<(), Failure> {
        let Some(object) = library.object(name) else {
            return Err(Failure::Input(format!("the library holds no {name:?} any more")));
        };
        put(&out.join(export::object_mesh(name)), &export::object_glb(object)?)?;
        let id = ids.get(object.category.as_str()).copied().unwrap_or(0);
        put_json(&out.join(format!("objects/{name}.object_config.json")), &habitat::object(object, id))
    })?;
    put_json(&out.join("semantics/lexicon.json"), &habitat::lexicon(&categories))
}

fn report(args: &VariantsArgs, variants: &[Variant], kept: usize) {
    let objects: usize = variants.iter().map(|variant| variant.objects.len()).sum();
    let empty: usize = variants.iter().map(|variant| variant.failed.len()).sum();
    let mut reasons: BTreeMap<&str, u32> = BTreeMap::new();
    for (reason, count) in variants.iter().flat_map(|variant| &variant.reasons) {
        *reasons.entry(reason).or_insert(0) += count;
    }
    if args.json {
        print_json(&json!({
            "out": args.out,
            "variants": variants.len(),
            "kept": kept,
            "objects": objects,
            "places_left_empty": empty,
            "tries_failed": reasons,
        }));
        return;
    }
    let were_there = if kept > 0 { format!(" ({kept} were there already)") } else { String::new() };
    terminal::say(&format!(
        "{} variants{were_there} with {objects} objects in {}",
        variants.len(),
        args.out.display()
    ));
    for (reason, count) in reasons {
        terminal::say(&format!("  {count:>6} tries failed: {reason}"));
    }
    if empty > 0 {
        terminal::say(&format!("  {empty} places stayed empty"));
    }
}

/// The library, from a folder or what ships.
pub fn library(folder: Option<&Path>, workers: u32) -> Result<Library, Failure> {
    let shipped = locate::shipped_objects();
    let folder = folder.map(Path::to_path_buf).or(shipped).ok_or_else(|| {
        Failure::Input(
            "the shipped objects were not found; name a library with --library, or set AMBLER_HOME"
                .into(),
        )
    })?;
    let cache = locate::cache_folder().map(|cache| cache.join("objects"));
    let options = LibraryOptions { cache, workers: workers as usize, ..LibraryOptions::default() };
    Ok(Library::read_with(&folder, &options)?)
}

/// Says that one more is done.
fn one_more(progress: &Mutex<(Progress, u64)>, name: &str) {
    if let Ok(mut progress) = progress.lock() {
        progress.1 += 1;
        let done = progress.1;
        progress.0.set(done, name);
    }
}

fn put_json(path: &Path, value: &serde_json::Value) -> Result<(), Failure> {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    Ok(put(path, text.as_bytes())?)
}

impl From<SdovonError> for Failure {
    fn from(error: SdovonError) -> Self {
        match error {
            SdovonError::Nothing { .. } => Self::NotAsAsked(error.to_string()),
            SdovonError::Settings(_) | SdovonError::Sensor(_) => Self::Usage(error.to_string()),
            _ => Self::Input(error.to_string()),
        }
    }
}
