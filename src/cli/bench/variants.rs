//! `ambler bench variants`: where the time of SD-OVON's stages goes.

use super::{median, print_json};
use crate::assemble::{Falls, build_navmesh};
use crate::cli::variants::{AdviserArgs, Home, library};
use crate::exit::{self, Failure};
use crate::terminal;
use ambler_body::BodyPreset;
use ambler_geometry::{Quat, Vec3};
use ambler_scene::library::LibraryObject;
use ambler_scene::{ReadOptions, UpAxis, read_scene};
use ambler_sdovon::episodes::{EpisodeOptions, episodes};
use ambler_sdovon::place::{self, Body, Rested, Settle};
use ambler_sdovon::plan::Planner;
use ambler_sdovon::settings::{Amount, Settings};
use ambler_sdovon::stages::Stages;
use ambler_sensor::Renderer;
use clap::Args;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Arguments of `bench variants`.
#[derive(Args, Debug)]
pub struct VariantsArgs {
    /// Home: .glb, .gltf, .ply, .obj, .ron, or a folder with scene.ron
    scene: PathBuf,
    /// Variants to make; medians are given
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    variants: u32,
    /// Objects in a variant
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=2000))]
    objects: u32,
    /// Threads of the analysis and of the view points; a variant is made by one
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    workers: u32,
    /// Axis of the scene file that points up: y, z, auto
    #[arg(long, default_value = "y", value_name = "AXIS")]
    up: UpAxis,
    #[command(flatten)]
    advisers: AdviserArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Seconds of one stage, for each variant (once for the analysis).
struct Stage {
    name: &'static str,
    seconds: Vec<f64>,
}

/// Stages in the order in which they were met.
#[derive(Default)]
struct Times(Vec<Stage>);

impl Times {
    fn add(&mut self, name: &'static str, seconds: f64) {
        match self.0.iter_mut().find(|stage| stage.name == name) {
            Some(stage) => stage.seconds.push(seconds),
            None => self.0.push(Stage { name, seconds: vec![seconds] }),
        }
    }

    fn timed<T>(&mut self, name: &'static str, make: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let made = make();
        self.add(name, begin.elapsed().as_secs_f64());
        made
    }

    /// Name, median of the seconds, share of the sum of all medians.
    fn rows(&mut self) -> Vec<(&'static str, f64, f64)> {
        let medians: Vec<(&str, f64)> =
            self.0.iter_mut().map(|stage| (stage.name, median(&mut stage.seconds))).collect();
        let all: f64 = medians.iter().map(|(_, seconds)| seconds).sum();
        medians.into_iter().map(|(name, seconds)| (name, seconds, seconds / all.max(1e-12))).collect()
    }
}

/// The physics, with a look at the clock.
struct Timed<'a> {
    falls: &'a Falls,
    /// Seconds of tests whether a place is free, and of falls.
    spent: Mutex<[f64; 2]>,
}

impl Timed<'_> {
    fn add<T>(&self, which: usize, make: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let made = make();
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)[which] +=
            begin.elapsed().as_secs_f64();
        made
    }
}

impl Settle for Timed<'_> {
    fn is_free(&self, object: &LibraryObject, position: Vec3, rotation: Quat) -> bool {
        self.add(0, || self.falls.is_free(object, position, rotation))
    }

    fn settle(&self, bodies: &[Body<'_>], seconds: f32) -> Result<Vec<Rested>, String> {
        self.add(1, || self.falls.settle(bodies, seconds))
    }
}

/// A folder that is gone in the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self, Failure> {
        let folder = std::env::temp_dir().join(format!("ambler-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|error| Failure::cannot_write(&folder, &error))?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn run(args: &VariantsArgs) -> Result<u8, Failure> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.workers as usize)
        .build()
        .map_err(|error| Failure::Usage(format!("--workers {}: {error}", args.workers)))?;
    pool.install(|| measure(args))
}

fn measure(args: &VariantsArgs) -> Result<u8, Failure> {
    let mut settings = Settings::quality();
    settings.placement.amount = Amount::Total(args.objects);
    let models = args.advisers.models()?;
    let library = library(None, args.workers)?;
    let folder = Scratch::new()?;
    let mut once = Times::default();
    let home = once.timed("read the home", || Home::read(&args.scene, args.up))?;
    once.timed("export the home", || home.export(&folder.0))?;
    let stages_spent: Arc<Mutex<(Times, Option<Instant>)>> = Arc::default();
    let watch = {
        let spent = Arc::clone(&stages_spent);
        move |name: &'static str, begins: bool| {
            let mut spent = spent.lock().unwrap_or_else(PoisonError::into_inner);
            match (begins, spent.1.take()) {
                (true, _) => spent.1 = Some(Instant::now()),
                (false, Some(begin)) => spent.0.add(name, begin.elapsed().as_secs_f64()),
                (false, None) => {}
            }
        }
    };
    let mut stages = Stages::new(None, &home.scene().fingerprint).watched(Box::new(watch));
    let analysis = home.analyse_with(&mut stages, &settings, &models, 0)?;
    let spent = std::mem::take(&mut stages_spent.lock().unwrap_or_else(PoisonError::into_inner).0);
    once.0.extend(spent.0);
    if analysis.surfaces.is_empty() {
        return Err(Failure::NotAsAsked(format!("{}: nothing can be put anywhere", home.name)));
    }
    let falls = once.timed("physics of the home", || Falls::new(home.scene()));
    let body = BodyPreset::named("stretch")
        .ok_or_else(|| Failure::Usage("the body preset stretch is gone".into()))?;
    let mut options = EpisodeOptions::default();
    options.views.camera.mount.y = body.camera_height_m;
    let none = EpisodeOptions { per_category: 0, ..options.clone() };
    let mut each = Times::default();
    let (mut objects, mut drawn) = (0, 0);
    // The first makes shapes of the library's objects, which all others share; it is not counted.
    for number in 0..=args.variants {
        let mut times = Times::default();
        let timed = Timed { falls: &falls, spent: Mutex::default() };
        let mut planner = Planner::new(&library, models.relevance.as_ref(), &settings.placement);
        let begin = Instant::now();
        let variant = place::variant(&analysis, &mut planner, &timed, &settings.placement, 0, number)?;
        let all = begin.elapsed().as_secs_f64();
        let [free, fall] = *timed.spent.lock().unwrap_or_else(PoisonError::into_inner);
        times.add("draw things and places", all - free - fall);
        times.add("test places", free);
        times.add("fall and check", fall);
        for object in &variant.objects {
            let file = folder.0.join(ambler_sdovon::export::object_mesh(&object.object));
            if let Some(object) = library.object(&object.object).filter(|_| !file.is_file()) {
                let bytes = ambler_sdovon::export::object_glb(object)?;
                ambler_sdovon::stages::put(&file, &bytes)?;
            }
        }
        times.timed("write the variant", || home.write(&folder.0, &variant, "bench"))?;
        let path = folder.0.join(format!("{}.ron", variant.name));
        let scene =
            Arc::new(times.timed("read it back", || read_scene(&path, &ReadOptions::default()))?);
        let mesh =
            times.timed("build its navmesh", || build_navmesh(&scene, &body.navmesh_settings()))?;
        let mesh = Arc::new(mesh);
        let renderer = times.timed("prepare drawing", || Renderer::new(Arc::clone(&scene)));
        let categories: BTreeSet<&str> = variant.objects.iter().map(|it| it.category.as_str()).collect();
        let begin = Instant::now();
        episodes(&variant.name, &renderer, &mesh, &categories, 0, &none)?;
        let views = begin.elapsed().as_secs_f64();
        times.add("view points of goals", views);
        let begin = Instant::now();
        let made = episodes(&variant.name, &renderer, &mesh, &categories, 0, &options)?;
        times.add("starts", (begin.elapsed().as_secs_f64() - views).max(0.0));
        if number > 0 {
            times.0.into_iter().for_each(|stage| each.add(stage.name, stage.seconds[0]));
            objects += variant.objects.len();
            drawn += made.episodes.len();
        }
    }
    report(args, &home, &mut once, &mut each, [objects, drawn]);
    Ok(exit::DONE)
}

fn report(
    args: &VariantsArgs,
    home: &Home,
    once: &mut Times,
    each: &mut Times,
    [objects, drawn]: [usize; 2],
) {
    let (once, each) = (once.rows(), each.rows());
    let sum = |rows: &[(&str, f64, f64)]| rows.iter().map(|(_, seconds, _)| seconds).sum::<f64>();
    let mean = |count: usize| count as f64 / f64::from(args.variants);
    if args.json {
        let stages = |rows: &[(&str, f64, f64)]| -> Map<String, Value> {
            let value = |seconds: f64, share: f64| json!({"seconds": seconds, "share": share});
            rows.iter().map(|(name, s, share)| ((*name).to_owned(), value(*s, *share))).collect()
        };
        print_json(&json!({
            "home": home.name,
            "triangles": home.scene().triangle_count(),
            "workers": args.workers,
            "variants": args.variants,
            "objects_per_variant": mean(objects),
            "episodes_per_variant": mean(drawn),
            "home_seconds": sum(&once),
            "home_stages": stages(&once),
            "variant_seconds": sum(&each),
            "variant_stages": stages(&each),
        }));
        return;
    }
    let say = |rows: &[(&str, f64, f64)]| {
        for (name, seconds, share) in rows {
            terminal::say(&format!("  {name:<24} {seconds:>8.3} s {:>5.1} %", 100.0 * share));
        }
    };
    terminal::say(&format!(
        "{}: {} triangles, {} worker(s): {:.2} s once",
        home.name,
        home.scene().triangle_count(),
        args.workers,
        sum(&once)
    ));
    say(&once);
    terminal::say(&format!(
        "a variant of {:.1} objects and {:.1} episodes: {:.2} s, medians of {}",
        mean(objects),
        mean(drawn),
        sum(&each),
        args.variants
    ));
    say(&each);
}
