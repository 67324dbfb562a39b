//! Purpose: look at all objects of a library on one sheet, or at those whose names begin as said.
//!
//! `cargo run --release -p ambler_sensor --example object_pictures -- FOLDER OUT.png [SIDE COLUMNS PREFIX...]`

use ambler_scene::library::Library;
use ambler_sensor::Picture;
use std::path::Path;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, folder, out, rest @ ..] = arguments.as_slice() else {
        return Err("usage: object_pictures FOLDER OUT.png [SIDE COLUMNS PREFIX...]".into());
    };
    let side = rest.first().map_or(Ok(128), |text| text.parse())?;
    let columns = rest.get(1).map_or(Ok(12), |text| text.parse())?;
    let prefixes = rest.get(2..).unwrap_or(&[]);
    let library = Library::read(Path::new(folder))?;
    for note in &library.notes {
        println!("{note}");
    }
    let mut pictures = Vec::new();
    for object in &library.objects {
        if !prefixes.is_empty()
            && !prefixes.iter().any(|prefix| object.name.starts_with(prefix.as_str()))
        {
            continue;
        }
        let model = object.model()?;
        let steady = object.poses.iter().filter(|pose| pose.is_steady()).count();
        println!(
            "{:3} {:28} {:5} triangles, {} x {} x {} m, {} kg, {} pieces, {} poses ({steady} steady){}",
            pictures.len(),
            object.name,
            model.triangle_count(),
            object.size_m.x,
            object.size_m.y,
            object.size_m.z,
            object.mass_kg,
            object.hulls.len(),
            object.poses.len(),
            if object.rolls { ", rolls" } else { "" },
        );
        let scene = Arc::new(model.to_scene(&object.name, &object.category));
        pictures.push(Picture::of_object(&scene, side, 28.0, 32.0, [203, 208, 213])?);
    }
    Picture::sheet(&pictures, columns, 2).write_png(Path::new(out))?;
    Ok(())
}
