//! `ambler generate`: make episodes for a scene.

use super::eval::scene_name;
use super::print_json;
use crate::assemble::{Stage, StageSettings, StageStore};
use crate::exit::{self, Failure};
use crate::locate::SceneRoots;
use crate::settings::Settings;
use crate::terminal;
use ambler_episode::generate::{
    GenerateError, Generated, ObjectNavOptions, PointNavOptions, objectnav, pointnav,
};
use ambler_episode::{EpisodeSet, write_episodes};
use clap::{Args, Subcommand};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

/// What to make.
#[derive(Subcommand, Debug)]
pub enum GenerateCommand {
    /// A home with rooms, furniture and labels, from a seed
    Home(super::home::HomeArgs),
    /// Homes whose small objects have moved (SD-OVON), as Ambler scenes and as a Habitat data set
    Variants(super::variants::VariantsArgs),
    /// Episodes to reach a point
    Pointnav(PointnavArgs),
    /// Episodes to find a thing; in a scene without labels, things that stand on the floor; in a folder of
    /// variants, the things that were placed
    Objectnav(ObjectnavArgs),
}

/// What both share.
#[derive(Args, Debug)]
pub struct Common {
    /// Scene: .glb, .gltf, .ply, .obj, .ron, or a folder with scene.ron
    scene: PathBuf,
    /// Episode file to write, .json or .json.gz; of a folder of variants a folder [default there:
    /// episodes/ in it]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Number of episodes
    #[arg(long, value_name = "N", default_value_t = 20)]
    count: usize,
    /// Least distance along the floor in metres
    #[arg(long, value_name = "M", default_value_t = 1.0)]
    min_distance: f64,
    /// Greatest distance along the floor in metres
    #[arg(long, value_name = "M", default_value_t = 30.0)]
    max_distance: f64,
    /// Name by which the episodes call the scene [default: the file's or folder's name]
    #[arg(long, value_name = "NAME")]
    scene_id: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: BodySettings,
}

/// The settings that matter for drawing episodes.
#[derive(Args, Debug)]
pub struct BodySettings {
    /// Seed of the draw
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Body preset
    #[arg(long, value_name = "NAME", default_value = "stretch")]
    body: String,
    /// Height of the body in metres
    #[arg(long, value_name = "M")]
    height: Option<f32>,
    /// Radius of the body in metres
    #[arg(long, value_name = "M")]
    radius: Option<f32>,
    /// Highest step in metres
    #[arg(long, value_name = "M")]
    max_climb: Option<f32>,
    /// Axis of the scene file that points up: y, z, auto
    #[arg(long, value_name = "AXIS", default_value = "y")]
    up: String,
    /// Build the navmesh even where a .navmesh file lies beside the scene
    #[arg(long)]
    rebuild_navmesh: bool,
}

impl BodySettings {
    fn settings(&self) -> Settings {
        Settings {
            seed: Some(self.seed),
            body: Some(self.body.clone()),
            height: self.height,
            radius: self.radius,
            max_climb: self.max_climb,
            up: Some(self.up.clone()),
            rebuild_navmesh: Some(self.rebuild_navmesh),
            ..Settings::default()
        }
    }
}

/// Arguments of `generate pointnav`.
#[derive(Args, Debug)]
pub struct PointnavArgs {
    #[command(flatten)]
    common: Common,
}

/// Arguments of `generate objectnav`.
#[derive(Args, Debug)]
pub struct ObjectnavArgs {
    #[command(flatten)]
    common: Common,
    /// Categories to ask for, with commas between them [default: all but those of the building]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    categories: Vec<String>,
    #[command(flatten)]
    variants: super::variants::episodes::VariantEpisodeArgs,
}

/// Makes episodes.
pub fn run(command: &GenerateCommand) -> Result<u8, Failure> {
    match command {
        GenerateCommand::Home(args) => super::home::run(args),
        GenerateCommand::Variants(args) => super::variants::run(args),
        GenerateCommand::Pointnav(args) => {
            let options = PointNavOptions {
                min_distance_m: args.common.min_distance,
                max_distance_m: args.common.max_distance,
                ..PointNavOptions::default()
            };
            make(&args.common, |stage, name, count, seed| {
                pointnav(name, &stage.navmesh, count, seed, &options)
            })
        }
        GenerateCommand::Objectnav(args) if super::variants::Manifest::is_in(&args.common.scene) => {
            let ask = super::variants::episodes::Ask {
                folder: &args.common.scene,
                out: args.common.out.as_deref(),
                settings: &args.common.settings.settings(),
                distance_m: [args.common.min_distance, args.common.max_distance],
                categories: &args.categories,
                json: args.common.json,
            };
            super::variants::episodes::run(&ask, &args.variants)
        }
        GenerateCommand::Objectnav(args) => {
            let mut options = ObjectNavOptions {
                min_distance_m: args.common.min_distance,
                max_distance_m: args.common.max_distance,
                categories: args.categories.clone(),
                ..ObjectNavOptions::default()
            };
            let body = args.common.settings.settings().body()?;
            options.views.camera.mount.y = body.camera_height_m;
            make(&args.common, |stage, name, count, seed| {
                objectnav(name, stage.renderer(), &stage.navmesh, count, seed, &options)
            })
        }
    }
}

fn make(
    common: &Common,
    draw: impl FnOnce(&Stage, &str, usize, u64) -> Result<Generated, GenerateError>,
) -> Result<u8, Failure> {
    if common.count == 0 {
        return Err(Failure::Usage("--count 0 makes no episode".into()));
    }
    if !(common.min_distance > 0.0 && common.max_distance > common.min_distance) {
        return Err(Failure::Usage(format!(
            "--min-distance {} and --max-distance {}: the first must be above 0 and below the second",
            common.min_distance, common.max_distance
        )));
    }
    let out = common.out.as_ref().ok_or_else(|| {
        Failure::Usage("name the episode file to write with --out FILE, .json or .json.gz".into())
    })?;
    let settings = common.settings.settings();
    let stage = stage_of(&common.scene, &settings)?;
    let name = common.scene_id.clone().unwrap_or_else(|| scene_name(&common.scene));
    let generated = draw(&stage, &name, common.count, settings.seed()).map_err(failure)?;
    for note in &generated.notes {
        terminal::log(&format!("note: {note}"));
    }
    if let Some(folder) = out.parent() {
        std::fs::create_dir_all(folder).map_err(|error| Failure::cannot_write(folder, &error))?;
    }
    write_episodes(&generated.set, out)?;
    let made = generated.set.episodes.len();
    if common.json {
        print_json(&json!({
            "episodes": made,
            "categories": generated.set.categories(),
            "out": out,
            "refused": generated.refused.0,
            "notes": generated.notes,
        }));
    } else {
        terminal::say(&format!("{made} episodes in {}", out.display()));
    }
    Ok(if made < common.count { exit::NOT_AS_ASKED } else { exit::DONE })
}

fn stage_of(scene: &std::path::Path, settings: &Settings) -> Result<Arc<Stage>, Failure> {
    let body = settings.body()?;
    let store = StageStore::new(SceneRoots::new(Some(scene))?, StageSettings::new(settings, &body)?);
    store.get(&scene_name(scene))
}

/// Point goals drawn in a scene, for an evaluation without episodes.
pub fn draw_pointnav(stage: &Stage, name: &str, count: usize, seed: u64) -> Result<EpisodeSet, Failure> {
    let generated =
        pointnav(name, &stage.navmesh, count, seed, &PointNavOptions::default()).map_err(failure)?;
    for note in &generated.notes {
        terminal::log(&format!("note: {note}"));
    }
    Ok(generated.set)
}

fn failure(error: GenerateError) -> Failure {
    match error {
        GenerateError::Options(_) | GenerateError::Sensor(_) => Failure::Usage(error.to_string()),
        GenerateError::Episode(_) => Failure::Input(error.to_string()),
        _ => Failure::NotAsAsked(error.to_string()),
    }
}
