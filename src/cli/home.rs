//! `ambler generate home`: make a home from a seed.

use super::print_json;
use crate::exit::{self, Failure};
use crate::terminal;
use ambler_scene::home::{self, Form, HomeError, HomeSpec, ScanSpec};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// Arguments of `generate home`.
#[derive(Args, Debug)]
pub struct HomeArgs {
    /// Folder to write: scene.ron and the mesh
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Name of the home [default: home_SEED]
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    name: Option<String>,
    /// Seed of the home
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Number of rooms, 3 to 30 [default: drawn from the seed]
    #[arg(long, value_name = "N")]
    rooms: Option<u32>,
    /// Number of floors, 1 to 3
    #[arg(long, value_name = "N", default_value_t = 1)]
    floors: u32,
    /// Style of materials and furniture [default: drawn from the seed]
    #[arg(long, value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(home::STYLES))]
    style: Option<String>,
    /// Write it as a scanner delivers it: one dense mesh with noise and holes
    #[arg(long)]
    scan: bool,
    /// Triangles of the scan, roughly
    #[arg(long, value_name = "N", default_value_t = 324_000, requires = "scan",
        value_parser = clap::value_parser!(u32).range(200_000..=1_000_000))]
    scan_triangles: u32,
    /// Store the mesh in a tenth of the bytes: gzipped, corners on a grid of half a millimetre,
    /// textures at half their size
    #[arg(long)]
    compact: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Makes the home and writes it.
pub fn run(args: &HomeArgs) -> Result<u8, Failure> {
    let spec =
        HomeSpec { seed: args.seed, rooms: args.rooms, floors: args.floors, style: args.style.clone() };
    let mut home = home::generate_home(&spec).map_err(failure)?;
    if let Some(name) = &args.name {
        home.scene.name.clone_from(name);
    }
    let scene = &home.scene;
    let form = if args.compact { Form::Compact } else { Form::Exact };
    let triangles = if args.scan {
        let scan = ScanSpec { triangles: args.scan_triangles as usize, ..ScanSpec::new(args.seed) };
        home::write_scan(scene, &scan, &args.out, form).map_err(failure)?
    } else {
        home::write(scene, &args.out, form).map_err(failure)?;
        scene.triangle_count()
    };
    if args.json {
        print_json(&json!({
            "out": args.out,
            "name": scene.name,
            "style": home.style,
            "rooms": scene.rooms.iter().map(|room| room.category.as_str()).collect::<Vec<_>>(),
            "floors": scene.floors.len(),
            "doors": home.doors.len(),
            "instances": scene.instances.len(),
            "receptacles": scene.receptacles.len(),
            "triangles": triangles,
            "scan": args.scan,
            "rejections": home.rejections,
        }));
    } else {
        terminal::say(&format!(
            "{}: {} rooms, {} doors, {} things, {} triangles, style {}, in {}",
            scene.name,
            scene.rooms.len(),
            home.doors.len(),
            scene.instances.len(),
            triangles,
            home.style,
            args.out.display()
        ));
    }
    Ok(exit::DONE)
}

fn failure(error: HomeError) -> Failure {
    match error {
        HomeError::Spec { .. } => Failure::Usage(error.to_string()),
        HomeError::Rejected { .. } => Failure::NotAsAsked(error.to_string()),
        _ => Failure::Input(error.to_string()),
    }
}
