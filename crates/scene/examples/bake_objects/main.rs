//! Purpose: make what `assets/objects` stores: small copies of scanned objects, and the convex pieces
//! and poses of all objects.
//!
//! `cargo run --release -p ambler_scene --example bake_objects -- scans DATA FOLDER [NAME...]` reads the
//! originals under DATA (see `SCANS`) and writes `FOLDER/scans/NAME.glb`.
//!
//! `cargo run --release -p ambler_scene --example bake_objects -- shapes FOLDER` writes
//! `FOLDER/shapes.bin` for `FOLDER/catalogue.ron`; what it holds already for an unchanged object is kept.

#![allow(clippy::unwrap_used, reason = "a tool for maintainers, which may stop with a panic")]

mod glb;
mod simplify;

use ambler_geometry::{Affine, Mat3, Vec3};
use ambler_scene::library::{ObjectModel, ShapeStore, catalogue};
use ambler_scene::{Mesh, ReadOptions, UpAxis, read_scene};
use std::path::Path;

/// A scan: name, file under the data folder, up axis, scale, node names (all where empty), triangles,
/// pixels of the texture's side, JPEG quality.
type Scan = (&'static str, &'static str, UpAxis, f32, &'static [&'static str], usize, u32, u8);

const Y: UpAxis = UpAxis::Y;
const TEA: &str = "polyhaven_drake_living_room/pbr_originals/tea_set_01_1k.gltf";

const SCANS: &[Scan] = &[
    ("ycb_apple", "ycb_objects/apple.glb", Y, 1.0, &[], 900, 256, 80),
    ("ycb_banana", "ycb_objects/banana.glb", Y, 1.0, &[], 900, 256, 80),
    ("ycb_bleach_cleanser", "ycb_objects/bleach_cleanser.glb", Y, 1.0, &[], 1600, 512, 70),
    ("ycb_bowl", "ycb_objects/bowl.glb", Y, 1.0, &[], 1800, 256, 80),
    ("ycb_cracker_box", "ycb_objects/cracker_box.glb", Y, 1.0, &[], 900, 512, 72),
    ("ycb_fork", "ycb_objects/fork.glb", Y, 1.0, &[], 1600, 256, 75),
    ("ycb_gelatin_box", "ycb_objects/gelatin_box.glb", Y, 1.0, &[], 900, 512, 70),
    ("ycb_knife", "ycb_objects/knife.glb", Y, 1.0, &[], 1400, 256, 75),
    ("ycb_master_chef_can", "ycb_objects/master_chef_can.glb", Y, 1.0, &[], 5200, 384, 72),
    ("ycb_mini_soccer_ball", "ycb_objects/mini_soccer_ball.glb", Y, 1.0, &[], 2400, 256, 80),
    ("ycb_mug", "ycb_objects/mug.glb", Y, 1.0, &[], 2400, 256, 80),
    ("ycb_mustard_bottle", "ycb_objects/mustard_bottle.glb", Y, 1.0, &[], 1600, 512, 70),
    ("ycb_orange", "ycb_objects/orange.glb", Y, 1.0, &[], 900, 256, 80),
    ("ycb_pitcher_base", "ycb_objects/pitcher_base.glb", Y, 1.0, &[], 2400, 256, 80),
    ("ycb_potted_meat_can", "ycb_objects/potted_meat_can.glb", Y, 1.0, &[], 1200, 512, 70),
    ("ycb_power_drill", "ycb_objects/power_drill.glb", Y, 1.0, &[], 2600, 512, 70),
    ("ycb_rubiks_cube", "ycb_objects/rubiks_cube.glb", Y, 1.0, &[], 1000, 256, 80),
    ("ycb_scissors", "ycb_objects/scissors.glb", Y, 1.0, &[], 1800, 256, 75),
    ("ycb_spoon", "ycb_objects/spoon.glb", Y, 1.0, &[], 1600, 256, 75),
    ("ycb_sugar_box", "ycb_objects/sugar_box.glb", Y, 1.0, &[], 900, 512, 70),
    ("ycb_tomato_soup_can", "ycb_objects/tomato_soup_can.glb", Y, 1.0, &[], 1200, 512, 70),
    ("ycb_wood_block", "ycb_objects/wood_block.glb", Y, 1.0, &[], 800, 256, 80),
    (
        "gso_frypan",
        "gso_from_libero/chefmate_8_frypan/chefmate_8_frypan.obj",
        UpAxis::Z,
        1.0,
        &[],
        2400,
        256,
        78,
    ),
    (
        "gso_ramekin",
        "gso_from_libero/glazed_rim_porcelain_ramekin/glazed_rim_porcelain_ramekin.obj",
        UpAxis::Z,
        1.0,
        &[],
        2200,
        256,
        78,
    ),
    ("drake_bowl", "drake_dishes_veggies/dishes/assets/evo_bowl.gltf", Y, 2.0, &[], 1800, 256, 80),
    (
        "tea_set_teapot",
        TEA,
        Y,
        1.0,
        &["tea_set_01_teapot_01", "tea_set_01_teapot_01_lid"],
        2600,
        256,
        80,
    ),
    ("tea_set_cup", TEA, Y, 1.0, &["tea_set_01_cup_small_01"], 1200, 256, 80),
    ("tea_set_plate_square", TEA, Y, 1.0, &["tea_set_01_plate_large_square_01"], 1400, 256, 80),
    ("tea_set_plate_round", TEA, Y, 1.0, &["tea_set_01_plate_large_circular_03"], 1400, 256, 80),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["scans", data, folder, names @ ..] => {
            for scan in SCANS.iter().filter(|scan| names.is_empty() || names.contains(&scan.0)) {
                bake_scan(scan, Path::new(data), Path::new(folder))?;
            }
            Ok(())
        }
        ["shapes", folder] => bake_shapes(Path::new(folder)),
        _ => Err("usage: bake_objects scans DATA FOLDER [NAME...] | bake_objects shapes FOLDER".into()),
    }
}

fn bake_shapes(folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let path = folder.join(catalogue::SHAPES);
    let known =
        if path.is_file() { ShapeStore::read(&path).unwrap_or_default() } else { ShapeStore::default() };
    let store = catalogue::bake(folder, &known)?;
    store.write(&path)?;
    let pieces: usize = store.shapes.values().map(|shape| shape.hulls.len()).sum();
    let bytes = std::fs::metadata(&path)?.len();
    println!("{}: {} shapes, {pieces} pieces, {bytes} bytes", path.display(), store.shapes.len());
    Ok(())
}

fn bake_scan(
    &(name, file, up, scale, nodes, triangles, pixels, quality): &Scan,
    data: &Path,
    folder: &Path,
) -> Result<(), Box<dyn std::error::Error>> {
    let path = data.join(file);
    let options = ReadOptions { up, side_files: false, ..ReadOptions::default() };
    let mut scene = read_scene(&path, &options)?;
    if !nodes.is_empty() {
        scene = only(&path, scene, nodes)?;
    }
    let map = Affine { matrix: Mat3::from_diagonal(Vec3::splat(scale)), translation: Vec3::ZERO };
    let model = ObjectModel::of_scene(scene, &map);
    let bounds = model.bounds();
    let shift = Vec3::new(bounds.center().x, bounds.min.y, bounds.center().z);
    // One mesh: the scans have one material each; plain ones have none with a picture.
    let mut mesh = Mesh::default();
    let mut material = None;
    for (part, index) in &model.meshes {
        let base = mesh.positions.len() as u32;
        mesh.positions.extend(part.positions.iter().map(|&p| p - shift));
        mesh.uvs.extend(&part.uvs);
        mesh.triangles.extend(part.triangles.iter().map(|t| t.map(|i| i + base)));
        material.get_or_insert(&model.materials[*index as usize]);
    }
    if mesh.uvs.len() != mesh.positions.len() {
        mesh.uvs.clear();
    }
    let before = mesh.triangles.len();
    let small = simplify::simplify(&mesh, triangles);
    let material = material.unwrap();
    let texture = material.texture.map(|index| model.textures[index as usize].as_ref());
    let color = material.base_color;
    // Photographs carry their light; what was modelled gets some.
    let light = !name.starts_with("ycb");
    let bytes = glb::write(&small, name, light, color, texture, pixels, quality)?;
    let out = folder.join("scans").join(format!("{name}.glb"));
    std::fs::create_dir_all(out.parent().unwrap())?;
    std::fs::write(&out, &bytes)?;
    println!(
        "{name}: {before} -> {} triangles, {:.3} x {:.3} x {:.3} m, {} bytes",
        small.triangles.len(),
        bounds.size().x,
        bounds.size().y,
        bounds.size().z,
        bytes.len()
    );
    Ok(())
}

/// The placements of these nodes. Their names are in the file, not in the scene, so the file's own
/// order of nodes is used.
fn only(
    path: &Path,
    mut scene: ambler_scene::SceneModel,
    nodes: &[&str],
) -> Result<ambler_scene::SceneModel, Box<dyn std::error::Error>> {
    let root: serde_json::Value = serde_json::from_slice(&std::fs::read(path)?)?;
    let list = root["nodes"].as_array().ok_or("no nodes")?;
    let wanted: Vec<&str> = nodes.to_vec();
    let translation = |node: &serde_json::Value| {
        let part = |i: usize| node["translation"][i].as_f64().unwrap_or(0.0) as f32;
        Vec3::new(part(0), part(1), part(2))
    };
    let mesh_names: Vec<&str> = list
        .iter()
        .filter(|node| wanted.contains(&node["name"].as_str().unwrap_or("")))
        .map(|node| {
            root["meshes"][node["mesh"].as_u64().unwrap_or(0) as usize]["name"].as_str().unwrap_or("")
        })
        .collect();
    let places: Vec<Vec3> = list
        .iter()
        .filter(|node| wanted.contains(&node["name"].as_str().unwrap_or("")))
        .map(translation)
        .collect();
    scene.placements.retain(|placement| {
        let name = scene.meshes[placement.mesh as usize].name.as_str();
        mesh_names.contains(&name)
            && places.iter().any(|place| place.distance(placement.world_from_mesh.translation) < 1e-4)
    });
    Ok(scene)
}
