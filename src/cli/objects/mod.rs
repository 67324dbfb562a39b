//! `ambler objects`: look into an object library, and accept or reject its objects.

use super::print_json;
use super::sheet::{Card, Marks, Sheet, SheetOut, Shown, jpeg};
use crate::exit::{self, Failure};
use crate::locate;
use crate::terminal;
use ambler_scene::library::{Decided, Library, LibraryObject, LibraryOptions, recipes};
use ambler_sensor::Picture;
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;

/// The commands of `objects`.
#[derive(Subcommand, Debug)]
pub enum ObjectsCommand {
    /// Name the objects of a library
    List(ListArgs),
    /// Say everything about one object
    Inspect(InspectArgs),
    /// Make a page of pictures on which objects are accepted or rejected by key
    Sheet(SheetArgs),
}

#[derive(Args, Debug)]
struct LibraryArgs {
    /// Folder of the library: a catalogue.ron, or objects of YCB, Google Scanned Objects, ABO, AI2-THOR,
    /// Habitat, or bare mesh files [default: what ships with Ambler]
    #[arg(long, value_name = "DIR")]
    library: Option<PathBuf>,
    /// Metres that one unit of the mesh files stands for, where the data set does not say
    #[arg(long, value_name = "METRES")]
    unit: Option<f32>,
}

/// Arguments of `objects list`.
#[derive(Args, Debug)]
pub struct ListArgs {
    #[command(flatten)]
    library: LibraryArgs,
    /// Only objects of this category, by name or synonym
    #[arg(long, value_name = "NAME")]
    category: Option<String>,
    /// Name the recipes that a catalogue can use instead
    #[arg(long, conflicts_with_all = ["library", "unit", "category"])]
    recipes: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Arguments of `objects inspect`.
#[derive(Args, Debug)]
pub struct InspectArgs {
    /// Name of the object
    name: String,
    #[command(flatten)]
    library: LibraryArgs,
    /// Write a picture of it
    #[arg(long, value_name = "PNG")]
    out: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Arguments of `objects sheet`.
#[derive(Args, Debug)]
pub struct SheetArgs {
    #[command(flatten)]
    library: LibraryArgs,
    #[command(flatten)]
    out: SheetOut,
    /// Write all pictures as one image
    #[arg(long, value_name = "PNG", required_unless_present_any = ["serve", "out"])]
    png: Option<PathBuf>,
    /// Pixels along each side of a picture
    #[arg(long, value_name = "N", default_value_t = 160, value_parser = clap::value_parser!(u32).range(32..=1024))]
    side: u32,
}

/// Runs the command.
pub fn run(command: &ObjectsCommand) -> Result<u8, Failure> {
    match command {
        ObjectsCommand::List(args) => list(args),
        ObjectsCommand::Inspect(args) => inspect(args),
        ObjectsCommand::Sheet(args) => sheet(args),
    }
}

fn shipped() -> Result<PathBuf, Failure> {
    locate::shipped_objects().ok_or_else(|| {
        Failure::Input(
            "the shipped objects were not found; name a library with --library, or set AMBLER_HOME"
                .into(),
        )
    })
}

/// Reads a library, rejected objects included where asked.
fn read(args: &LibraryArgs, keep_rejected: bool) -> Result<(PathBuf, Library), Failure> {
    if args.unit.is_some_and(|unit| !(unit > 0.0 && unit <= 1000.0)) {
        return Err(Failure::Usage("--unit: give metres above 0, such as 0.01".into()));
    }
    let fault = |error: ambler_scene::SceneError| Failure::Input(error.to_string());
    let shipped = shipped();
    let folder = match (&args.library, &shipped) {
        (Some(folder), _) => folder.clone(),
        (None, Ok(folder)) => folder.clone(),
        (None, Err(_)) => return shipped.map(|folder| (folder, Library::default())),
    };
    // Names and sizes that the shipped library knows help to read others.
    let vocabulary = match (&args.library, shipped) {
        (Some(_), Ok(own)) => Library::read(&own).map_err(fault)?.categories,
        _ => Vec::new(),
    };
    let options = LibraryOptions {
        cache: locate::cache_folder().map(|folder| folder.join("objects")),
        unit_m: args.unit,
        workers: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        keep_rejected,
        vocabulary,
    };
    let library = Library::read_with(&folder, &options).map_err(fault)?;
    for note in &library.notes {
        eprintln!("note: {note}");
    }
    Ok((folder, library))
}

fn list(args: &ListArgs) -> Result<u8, Failure> {
    if args.recipes {
        let kinds: Vec<&str> = recipes::kinds().collect();
        if args.json {
            print_json(&json!({ "recipes": kinds }));
        } else {
            kinds.iter().for_each(|kind| terminal::say(kind));
        }
        return Ok(exit::DONE);
    }
    let (folder, library) = read(&args.library, false)?;
    let category = match &args.category {
        Some(name) => {
            Some(library.category(name).map(|category| category.name.clone()).ok_or_else(|| {
                let known: Vec<&str> = library.categories.iter().map(|c| c.name.as_str()).collect();
                Failure::Usage(format!("--category: '{name}' is none of {}", known.join(", ")))
            })?)
        }
        None => None,
    };
    let shown: Vec<&LibraryObject> = library
        .objects
        .iter()
        .filter(|object| category.as_ref().is_none_or(|wanted| *wanted == object.category))
        .collect();
    if args.json {
        print_json(&json!({
            "library": folder,
            "categories": library.categories.len(),
            "objects": shown.iter().map(|object| brief(object)).collect::<Vec<_>>(),
            "notes": library.notes,
        }));
        return Ok(exit::DONE);
    }
    for object in &shown {
        let size = object.size_m * 100.0;
        terminal::say(&format!(
            "{:28} {:18} {:5.1} × {:.1} × {:.1} cm  {:.3} kg  {}",
            object.name, object.category, size.x, size.y, size.z, object.mass_kg, object.licence.name
        ));
    }
    terminal::say(&format!("{} objects, {} categories", shown.len(), library.categories.len()));
    Ok(exit::DONE)
}

/// What lists and pages say about an object.
fn brief(object: &LibraryObject) -> Value {
    json!({
        "name": object.name,
        "category": object.category,
        "source": object.source,
        "licence": object.licence.name,
        "credit": object.licence.credit,
        "mass_kg": object.mass_kg,
        "size_m": object.size_m.to_array(),
        "pieces": object.hulls.len(),
        "poses": object.poses.len(),
        "rolls": object.rolls,
    })
}

fn inspect(args: &InspectArgs) -> Result<u8, Failure> {
    let (_, library) = read(&args.library, true)?;
    let Some(object) = library.object(&args.name) else {
        let near: Vec<&str> = library
            .objects
            .iter()
            .map(|object| object.name.as_str())
            .filter(|name| name.contains(args.name.as_str()))
            .take(8)
            .collect();
        let hint =
            if near.is_empty() { "'ambler objects list' names all".into() } else { near.join(", ") };
        return Err(Failure::Usage(format!("there is no object '{}': {hint}", args.name)));
    };
    let model = object.model().map_err(|error| Failure::Input(error.to_string()))?;
    if let Some(out) = &args.out {
        picture(object, 512)?.write_png(out).map_err(|error| Failure::Input(error.to_string()))?;
    }
    let category = library.category(&object.category);
    if args.json {
        let mut value = brief(object);
        value["triangles"] = json!(model.triangle_count());
        value["center_of_mass"] = json!(object.center_of_mass.to_array());
        value["ball_m"] = json!(object.ball_m);
        value["synonyms"] = json!(category.map(|category| &category.synonyms));
        value["parents"] = json!(category.map(|category| &category.parents));
        value["rest"] = object
            .poses
            .iter()
            .map(|pose| {
                json!({
                    "rotation_xyzw": pose.rotation.to_array(),
                    "height_m": pose.height_m,
                    "probability": pose.probability,
                    "margin_rad": pose.margin_rad,
                    "steady": pose.is_steady(),
                })
            })
            .collect();
        print_json(&value);
        return Ok(exit::DONE);
    }
    let say = |key: &str, value: String| terminal::say(&format!("{key:16}{value}"));
    let size = object.size_m * 100.0;
    say("name", object.name.clone());
    say("category", object.category.clone());
    if let Some(category) = category {
        say("also called", category.synonyms.join(", "));
        say("a kind of", category.parents.join(", "));
    }
    say("source", object.source.clone());
    say("licence", format!("{}; {}", object.licence.name, object.licence.credit));
    say("size", format!("{:.1} × {:.1} × {:.1} cm", size.x, size.y, size.z));
    say("mass", format!("{:.3} kg", object.mass_kg));
    say("centre of mass", format!("{:.4}", object.center_of_mass));
    say("triangles", format!("{}, textures {}", model.triangle_count(), model.textures.len()));
    let corners: usize = object.hulls.iter().map(|hull| hull.points.len()).sum();
    say("pieces", format!("{} with {corners} corners", object.hulls.len()));
    say("rolls", if object.rolls { "yes" } else { "no" }.into());
    for pose in &object.poses {
        say(
            "rests",
            format!(
                "{:4.1} % of falls, origin {:.1} cm up, tips over at {:.0}°{}",
                pose.probability * 100.0,
                pose.height_m * 100.0,
                pose.margin_rad.to_degrees(),
                if pose.is_steady() { "" } else { ", unsteady" }
            ),
        );
    }
    Ok(exit::DONE)
}

/// A picture of the object as it stands.
fn picture(object: &LibraryObject, side: u32) -> Result<Picture, Failure> {
    let model = object.model().map_err(|error| Failure::Input(error.to_string()))?;
    let scene = Arc::new(model.to_scene(&object.name, &object.category));
    Picture::of_object(&scene, side, 28.0, 32.0, [203, 208, 213])
        .map_err(|error| Failure::Input(error.to_string()))
}

fn sheet(args: &SheetArgs) -> Result<u8, Failure> {
    let (folder, library) = read(&args.library, true)?;
    let pictures = library
        .objects
        .iter()
        .map(|object| picture(object, args.side))
        .collect::<Result<Vec<_>, _>>()?;
    if let Some(out) = &args.png {
        let columns = (1..).find(|n| n * n >= pictures.len() as u32).unwrap_or(1);
        Picture::sheet(&pictures, columns, 2)
            .write_png(out)
            .map_err(|error| Failure::Input(error.to_string()))?;
        terminal::say(&format!("{} pictures in {}", pictures.len(), out.display()));
    }
    let hint = "name, category, source, licence";
    let mut sheet = Sheet::new(Decided::Objects, "Objects", hint, "one");
    for (object, picture) in library.objects.iter().zip(&pictures) {
        let image = sheet.image(&jpeg(picture)?, [picture.width, picture.height]);
        sheet.add(card(object, image.shown("", Marks::default())));
    }
    sheet.hand_out(&args.out, &folder)?;
    Ok(exit::DONE)
}

fn card(object: &LibraryObject, picture: Shown) -> Card {
    let size = object.size_m * 100.0;
    let rolls = if object.rolls { ", rolls" } else { "" };
    let licence = match object.licence.name.as_str() {
        "" => "no licence stated",
        name => name,
    };
    Card {
        name: object.name.clone(),
        head: object.name.clone(),
        lines: vec![
            format!("{}{rolls}", object.category),
            format!("{:.1} × {:.1} × {:.1} cm, {:.2} kg", size.x, size.y, size.z, object.mass_kg),
            format!("{} pieces, {}, {licence}", object.hulls.len(), object.source),
        ],
        pictures: vec![picture],
    }
}
