//! `ambler variants check`: let everything lie for some seconds more, and say what moves.

use super::{Manifest, library, print_json, read_variant};
use crate::assemble::{Falls, load_scene};
use crate::exit::{self, Failure};
use crate::terminal;
use ambler_scene::ReadOptions;
use ambler_sdovon::SdovonError;
use ambler_sdovon::place::{Body, Motion, Settle as _};
use clap::Args;
use rayon::prelude::*;
use serde_json::json;
use std::path::PathBuf;

/// Arguments of `variants check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// Folder that `ambler generate variants` made
    folder: PathBuf,
    /// Seconds of physics
    #[arg(long, value_name = "S", default_value_t = 5.0)]
    seconds: f32,
    /// How far nothing may move, metres
    #[arg(long, value_name = "M", default_value_t = 0.01)]
    tolerance: f32,
    /// Folder of the object library [default: what ships with Ambler]
    #[arg(long, value_name = "DIR")]
    library: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Checks every variant.
pub fn run(args: &CheckArgs) -> Result<u8, Failure> {
    if !(args.seconds > 0.0 && args.seconds <= 600.0) {
        return Err(Failure::Usage(format!("--seconds {}: give 0 to 600", args.seconds)));
    }
    let manifest = Manifest::read(&args.folder)?;
    let library = library(args.library.as_deref(), 2)?;
    let (mut moved, mut objects, mut worst) = (Vec::new(), 0, 0.0_f32);
    for home in &manifest.homes {
        let Some(first) = home.variants.first() else { continue };
        // The home without what was placed: the stage that Habitat gets is the same geometry, but the
        // description keeps the labels.
        let path = args.folder.join(format!("{first}.ron"));
        let variant = load_scene(&path, &ReadOptions::default())?;
        let placed: Vec<u32> = variant
            .scene
            .instances
            .iter()
            .filter(|instance| instance.name.starts_with("placed_"))
            .map(|instance| instance.id)
            .collect();
        let falls = Falls::without(&variant.scene, |id| placed.contains(&id));
        let results: Vec<Result<Vec<(String, f32)>, Failure>> = home
            .variants
            .par_iter()
            .map(|name| {
                let variant = read_variant(&args.folder, name)?.variant;
                let mut bodies = Vec::new();
                for (id, placed) in (1..).zip(&variant.objects) {
                    let object = library.object(&placed.object).ok_or_else(|| {
                        Failure::Input(format!(
                            "the library holds no {:?}; name it with --library",
                            placed.object
                        ))
                    })?;
                    let (position, rotation) = (placed.position, placed.rotation);
                    bodies.push(Body { id, object, position, rotation, asleep: false });
                }
                let rested = falls.settle(&bodies, args.seconds).map_err(SdovonError::Settle)?;
                let ways = bodies.iter().zip(rested).zip(&variant.objects);
                Ok(ways
                    .map(|((before, after), placed)| {
                        let fallen = after.motion == Motion::Fallen;
                        let way = before.position.distance(after.position);
                        (format!("{name} {}", placed.name), if fallen { f32::INFINITY } else { way })
                    })
                    .collect())
            })
            .collect();
        for ways in results {
            for (name, way) in ways? {
                objects += 1;
                worst = worst.max(way);
                if way > args.tolerance {
                    moved.push((name, way));
                }
            }
        }
    }
    if args.json {
        print_json(&json!({"objects": objects, "moved": moved, "farthest_m": worst}));
    } else {
        moved.iter().for_each(|(name, way)| terminal::say(&format!("{name} moves by {way:.4} m")));
        terminal::say(&format!(
            "{objects} objects, {} move by more than {} m in {} s; the farthest by {worst:.4} m",
            moved.len(),
            args.tolerance,
            args.seconds
        ));
    }
    Ok(if moved.is_empty() { exit::DONE } else { exit::NOT_AS_ASKED })
}
