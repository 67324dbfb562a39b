//! `ambler scene drop`: let objects of a library fall over a surface, and keep the scene that results.

use super::print_json;
use super::scene::SceneInput;
use crate::exit::{self, Failure};
use crate::locate;
use crate::terminal;
use ambler_geometry::random::Stream;
use ambler_geometry::{Fault, Place};
use ambler_plugin_physics::{
    Dropped, Landing, ObjectShape, PhysicsPlugin, StageShape, deepest, drop_over, landing, settle,
    spawn_objects,
};
use ambler_plugin_simulation::Simulation;
use ambler_scene::description::{
    Asset, AssetUp, Description, Labels, Object, Part, Rotation, VERSION, parse_description, to_ron,
};
use ambler_scene::library::{Library, LibraryObject, LibraryOptions};
use ambler_scene::{Receptacle, SceneModel, UpAxis, gltf};
use clap::Args;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Arguments of `scene drop`.
#[derive(Args, Debug)]
pub struct DropArgs {
    #[command(flatten)]
    input: SceneInput,
    /// Folder to write: scene.ron, the scene's meshes and the objects'
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Number of objects
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=500))]
    objects: u32,
    /// Name of the receptacle that they fall over [default: the largest]
    #[arg(long, value_name = "NAME")]
    surface: Option<String>,
    /// Seed of the choice of objects and of their poses
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Folder of an object library [default: what ships with Ambler]
    #[arg(long, value_name = "DIR")]
    library: Option<PathBuf>,
    /// Most seconds of physics
    #[arg(long, value_name = "S", default_value_t = 10.0)]
    seconds: f32,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Drops the objects and writes the scene.
pub fn run(args: &DropArgs) -> Result<u8, Failure> {
    if !(args.seconds > 0.0 && args.seconds <= 600.0) {
        return Err(Failure::Usage(format!("--seconds {}: give 0 to 600", args.seconds)));
    }
    let scene = args.input.read()?;
    let surface = surface(&scene, args.surface.as_deref())?.clone();
    let library = library(args.library.as_deref())?;
    let chosen = choose(&library, args.objects as usize, args.seed);
    let first = scene.instances.last().map_or(1, |last| last.id.saturating_add(1));
    let things: Vec<Dropped> = chosen
        .iter()
        .zip(first..)
        .map(|(object, id)| {
            let shape = ObjectShape::of_library(object)
                .map_err(|error| Failure::Input(format!("{}: {error}", object.name)))?;
            Ok(Dropped { id, shape, rolls: object.rolls })
        })
        .collect::<Result<_, Failure>>()?;
    let stage = Arc::new(StageShape::new(&scene, |_| false));
    let mut simulation = Simulation::new(|app| {
        app.add_plugins(PhysicsPlugin::new(Arc::clone(&stage)));
    });
    let mut stream = Stream::new(args.seed, &scene.name, "drop");
    spawn_objects(
        simulation.world_mut(),
        &drop_over(&things, &stage, &surface.polygon, surface.y, &mut stream),
    );
    let report = settle(simulation.world_mut(), args.seconds);
    let mut counts: BTreeMap<&str, u32> = ["on", "off", "fallen", "moving"].map(|name| (name, 0)).into();
    let mut placed = Vec::new();
    for ((settled, thing), object) in report.objects.iter().zip(&things).zip(&chosen) {
        let name = match landing(settled, &thing.shape, &surface.polygon, surface.y) {
            Landing::OnSurface => "on",
            Landing::Off => "off",
            Landing::Fallen => "fallen",
            Landing::Moving => "moving",
        };
        *counts.entry(name).or_default() += 1;
        // What fell out of the scene or is still moving has no place in it; it is counted.
        if matches!(name, "on" | "off") {
            placed.push((*object, settled));
        }
    }
    let deepest_m = deepest(simulation.world_mut()).map_or(0.0, |(_, _, depth)| depth);
    let mut description = base(args, &scene)?;
    std::fs::create_dir_all(args.out.join("objects")).map_err(|error| unwritable(&args.out, &error))?;
    let mut written: BTreeMap<&str, ()> = BTreeMap::new();
    for (object, settled) in &placed {
        let path = format!("objects/{}.glb", object.name);
        if written.insert(&object.name, ()).is_none() {
            let model = object.model()?.to_scene(&object.name, &object.category);
            put(&args.out.join(&path), &gltf::to_glb(&model)?)?;
        }
        description.objects.push(Object {
            id: Some(settled.id),
            name: format!("{}_{}", object.name, settled.id),
            category: object.category.clone(),
            parts: vec![Part::Asset(description.assets.len() as u32)],
            ..Object::default()
        });
        description.assets.push(Asset {
            path,
            translation: settled.position.to_array(),
            rotation: Rotation::Quaternion(settled.rotation.to_array()),
            labels: Labels::Drop,
            ..Asset::default()
        });
    }
    put(&args.out.join("scene.ron"), to_ron(&description)?.as_bytes())?;
    if args.json {
        print_json(&json!({
            "out": args.out,
            "surface": surface.name,
            "dropped": things.len(),
            "on_surface": counts["on"],
            "fell_off": counts["off"],
            "fell_out_of_the_scene": counts["fallen"],
            "still_moving": counts["moving"],
            "seconds": report.seconds,
            "deepest_overlap_m": deepest_m,
            "objects": placed.iter().map(|(object, settled)| json!({
                "id": settled.id,
                "object": object.name,
                "category": object.category,
                "position": settled.position.to_array(),
                "rotation_xyzw": settled.rotation.to_array(),
            })).collect::<Vec<_>>(),
        }));
    } else {
        terminal::say(&format!(
            "{} objects over {}: {} on it, {} fell off, {} fell out of the scene, {} still moving, after {:.1} s; scene in {}",
            things.len(),
            surface.name,
            counts["on"],
            counts["off"],
            counts["fallen"],
            counts["moving"],
            report.seconds,
            args.out.display(),
        ));
    }
    Ok(if counts["fallen"] + counts["moving"] > 0 { exit::NOT_AS_ASKED } else { exit::DONE })
}

fn surface<'a>(scene: &'a SceneModel, name: Option<&str>) -> Result<&'a Receptacle, Failure> {
    let largest = || {
        let area = |receptacle: &Receptacle| ambler_geometry::polygon_area(&receptacle.polygon).abs();
        scene.receptacles.iter().max_by(|a, b| area(a).total_cmp(&area(b)))
    };
    let found = match name {
        Some(name) => scene.receptacles.iter().find(|receptacle| receptacle.name == name),
        None => largest(),
    };
    found.ok_or_else(|| {
        let names: Vec<&str> = scene.receptacles.iter().map(|r| r.name.as_str()).take(20).collect();
        Failure::Input(match name {
            _ if names.is_empty() => {
                "the scene states no receptacle; add 'receptacles' to its scene.ron (docs/FORMATS.md)"
                    .to_string()
            }
            Some(name) => format!("no receptacle '{name}'; there are {}", names.join(", ")),
            None => "the scene states no receptacle".to_string(),
        })
    })
}

/// Reads a library, or that which ships.
pub(crate) fn library(folder: Option<&Path>) -> Result<Library, Failure> {
    let shipped = locate::shipped_objects();
    let folder = folder.map(Path::to_path_buf).or(shipped).ok_or_else(|| {
        Failure::Input(
            "the shipped objects were not found; name a library with --library, or set AMBLER_HOME"
                .into(),
        )
    })?;
    let cache = locate::cache_folder().map(|cache| cache.join("objects"));
    Ok(Library::read_with(&folder, &LibraryOptions { cache, workers: 2, ..LibraryOptions::default() })?)
}

/// Objects drawn without one twice, as long as there are others.
fn choose(library: &Library, count: usize, seed: u64) -> Vec<&LibraryObject> {
    let mut order: Vec<&LibraryObject> = library.objects.iter().collect();
    Stream::new(seed, "library", "choice").shuffle(&mut order);
    order.into_iter().cycle().take(count).collect()
}

/// The description of the scene as it was, its mesh files copied.
fn base(args: &DropArgs, scene: &SceneModel) -> Result<Description, Failure> {
    let path = if args.input.path.is_dir() {
        args.input.path.join("scene.ron")
    } else {
        args.input.path.clone()
    };
    let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let mut description = if path.extension().is_some_and(|extension| extension == "ron") {
        let bytes = std::fs::read(&path).map_err(|error| unreadable(&path, &error))?;
        parse_description(&bytes, &path)?
    } else {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let up = if args.input.up == UpAxis::Z { AssetUp::Z } else { AssetUp::Y };
        let asset = Asset { path: name, up, ..Asset::default() };
        Description { version: VERSION, assets: vec![asset], ..Description::default() }
    };
    let mut files: Vec<String> = description.assets.iter().map(|asset| asset.path.clone()).collect();
    files.extend(description.assets.iter().filter_map(|asset| match &asset.labels {
        Labels::Capture(path) => Some(path.clone()),
        _ => None,
    }));
    files.sort();
    files.dedup();
    for file in files {
        let from = folder.join(&file);
        if from.extension().is_some_and(|extension| extension == "gltf" || extension == "obj") {
            return Err(Failure::Input(format!(
                "{}: a mesh of several files cannot be copied along; convert it to GLB first",
                from.display()
            )));
        }
        let to = args.out.join(&file);
        if let Some(parent) = to.parent() {
            std::fs::create_dir_all(parent).map_err(|error| unwritable(parent, &error))?;
        }
        let bytes = std::fs::read(&from).map_err(|error| unreadable(&from, &error))?;
        put(&to, &bytes)?;
    }
    description.name = format!("{} with objects", scene.name);
    Ok(description)
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(path, bytes).map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    let what = format!("cannot be written ({error})");
    Failure::Input(Fault::new(path, Place::Whole, what, "choose another folder with --out").to_string())
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    let what = format!("cannot be read ({error})");
    Failure::Input(Fault::new(path, Place::Whole, what, "check the path").to_string())
}
