//! `ambler bench load`: how long it takes from a scene's files, and from the cache, to the first image.

use super::{median, print_json};
use crate::assemble::{LoadedScene, finish_storing, load_scene_with};
use crate::exit::{self, Failure};
use crate::terminal;
use ambler_geometry::random::Stream;
use ambler_geometry::{Affine, Heading, Pose, Vec2, Vec3};
use ambler_scene::{Material, Mesh, Placement, ReadOptions, SceneModel, Texture, UpAxis, Wrap, gltf};
use ambler_sensor::{CameraSpec, Frame, Outputs};
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Arguments of `bench load`.
#[derive(Args, Debug)]
pub struct LoadArgs {
    /// Scene [default: one that is made for this, as a GLB file]
    scene: Option<PathBuf>,
    /// Axis of the file that points up: y, z, auto
    #[arg(long, default_value = "y", value_name = "AXIS")]
    up: UpAxis,
    /// Triangles of the scene that is made
    #[arg(long, value_name = "N", default_value_t = 500_000, conflicts_with = "scene",
        value_parser = clap::value_parser!(u32).range(128..=10_000_000))]
    triangles: u32,
    /// Textures of the scene that is made
    #[arg(long, value_name = "N", default_value_t = 64, conflicts_with = "scene",
        value_parser = clap::value_parser!(u32).range(1..=256))]
    textures: u32,
    /// Width and height of these textures in pixels
    #[arg(long, value_name = "N", default_value_t = 1024, conflicts_with = "scene",
        value_parser = clap::value_parser!(u32).range(1..=8192))]
    side: u32,
    /// Times that each is measured
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Files of the benchmark, removed at its end.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Seconds to the scene, to the renderer and to the image, each since the one before.
type Times = [f64; 3];

pub fn run(args: &LoadArgs) -> Result<u8, Failure> {
    let folder = std::env::temp_dir().join(format!("ambler-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| Failure::cannot_write(&folder, &error))?;
    let folder = Folder(folder);
    let path = match &args.scene {
        Some(path) => path.clone(),
        None => {
            let path = folder.0.join("made.glb");
            let bytes = gltf::to_glb(&made(args.triangles, args.textures, args.side))?;
            std::fs::write(&path, bytes).map_err(|error| Failure::cannot_write(&path, &error))?;
            path
        }
    };
    let options = ReadOptions::with_up(args.up);
    let cache = folder.0.join("cache");
    // Once to fill the cache.
    let (first, _, scene) = measured(Some(&cache), &path, &options)?;
    finish_storing();
    let (triangles, textures) = (scene.scene.triangle_count(), scene.scene.textures.len());
    drop(scene);
    let mut times: [Vec<Times>; 2] = Default::default();
    let mut same = true;
    for _ in 0..args.rounds {
        // In turn, so that what else the machine does meets both alike.
        for (cache, times) in [None, Some(cache.as_path())].into_iter().zip(&mut times) {
            let (image, spent, scene) = measured(cache, &path, &options)?;
            if scene.is_from_cache() != cache.is_some() {
                return Err(Failure::NotAsAsked(format!(
                    "the cache in {} cannot be used",
                    folder.0.display()
                )));
            }
            same &= image == first;
            times.push(spent);
        }
    }
    let bytes = std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
    let [files, cached] = times.map(|times| {
        let part = |k: usize| median(&mut times.iter().map(|spent| spent[k]).collect::<Vec<_>>());
        let whole = median(&mut times.iter().map(|spent| spent.iter().sum()).collect::<Vec<f64>>());
        [whole, part(0), part(1), part(2)]
    });
    if args.json {
        let object = |[whole, read, prepare, image]: [f64; 4]| json!({ "first_image_s": whole, "read_s": read, "prepare_s": prepare, "image_s": image });
        print_json(&json!({
            "triangles": triangles, "textures": textures, "file_bytes": bytes, "rounds": args.rounds,
            "files": object(files), "cache": object(cached), "same_image": same,
        }));
    } else {
        terminal::say(&format!(
            "first image (256×256, colour, depth, instance, category) of {triangles} triangles, {textures} textures, {:.1} MB, medians of {}",
            bytes as f64 / 1e6,
            args.rounds
        ));
        terminal::say("                     in all       read    prepare      image");
        for (name, times) in [("from its files", files), ("from the cache", cached)] {
            let row: String =
                times.iter().map(|t| format!("{:>9.1} ms", t * 1e3)).collect::<Vec<_>>().join("");
            terminal::say(&format!("  {name:<15}{row}"));
        }
    }
    if same {
        Ok(exit::DONE)
    } else {
        Err(Failure::NotAsAsked("the images from the files and from the cache differ".into()))
    }
}

/// Loads and draws once: the image, the times, and the scene.
fn measured(
    cache: Option<&Path>,
    path: &Path,
    options: &ReadOptions,
) -> Result<(Frame, Times, LoadedScene), Failure> {
    let begin = Instant::now();
    let loaded = load_scene_with(cache, path, options)?;
    let read = begin.elapsed();
    let renderer = loaded.renderer();
    let prepared = begin.elapsed();
    let camera = CameraSpec { outputs: Outputs::ALL, ..CameraSpec::default() };
    let mut frame = Frame::default();
    renderer.render(&camera, &view(&loaded.scene, &camera), &mut frame)?;
    let drawn = begin.elapsed();
    let times = [read, prepared - read, drawn - prepared].map(|time| time.as_secs_f64());
    Ok((frame, times, loaded))
}

/// Over the scene from one of its corners.
fn view(scene: &SceneModel, camera: &CameraSpec) -> Affine {
    let (size, center) = (scene.bounds.size(), scene.bounds.center());
    let position = Vec3::new(center.x + size.x * 0.4, scene.bounds.min.y, center.z + size.z * 0.4);
    let heading = Heading::from_yaw(libm::atan2(f64::from(size.x), f64::from(size.z)));
    camera.world_from_camera(&Pose { position, heading }, 0.0)
}

/// Uneven ground in square patches, each a mesh with a texture of its own that no format packs well.
fn made(triangles: u32, textures: u32, side: u32) -> SceneModel {
    let across = f64::from(textures).sqrt().ceil() as u32;
    let steps = (f64::from(triangles) / f64::from(textures) / 2.0).sqrt().ceil() as u32;
    let mut scene =
        SceneModel { categories: vec![String::new()], name: "made".into(), ..SceneModel::default() };
    let mut left = triangles;
    for index in 0..textures {
        let (column, row) = (index % across, index / across);
        let height = |x: f32, z: f32| 0.3 * libm::sinf(x * 2.1) * libm::cosf(z * 1.7);
        let corner = |i: u32| {
            let (u, v) = ((i % (steps + 1)) as f32, (i / (steps + 1)) as f32);
            Vec2::new(u, v) / steps as f32
        };
        let uvs: Vec<Vec2> = (0..(steps + 1) * (steps + 1)).map(corner).collect();
        let place = |uv: &Vec2| {
            let (x, z) = ((column as f32 + uv.x) * 2.0, (row as f32 + uv.y) * 2.0);
            Vec3::new(x, height(x, z), z)
        };
        let cells = (0..steps * steps).map(|cell| cell / steps * (steps + 1) + cell % steps);
        let quads =
            cells.flat_map(|a| [[a, a + steps + 1, a + 1], [a + 1, a + steps + 1, a + steps + 2]]);
        let count = left.div_ceil(textures - index);
        left -= count;
        scene.meshes.push(Arc::new(Mesh {
            positions: uvs.iter().map(place).collect(),
            triangles: quads.take(count as usize).collect(),
            uvs: uvs.into(),
            ..Mesh::default()
        }));
        scene.textures.push(Arc::new(texture(index, side)));
        scene.materials.push(Material { texture: Some(index), ..Material::default() });
        scene.placements.push(Placement {
            mesh: index,
            material: index,
            world_from_mesh: Affine::IDENTITY,
            instance: 0,
        });
    }
    scene.recompute_bounds();
    scene
}

/// Slow waves with the noise of a photograph over them.
fn texture(index: u32, side: u32) -> Texture {
    let mut stream = Stream::new(u64::from(index), "bench", "texture");
    let pixels = (0..side * side).map(|i| {
        let (x, y) = ((i % side) as f32, (i / side) as f32);
        let noise = stream.index(9) as f32;
        let wave = |scale: f32, shift: f32| {
            let value = libm::sinf(x * scale + shift) + libm::cosf(y * scale * 0.7 + index as f32);
            (120.0 + 50.0 * value + noise) as u8
        };
        [wave(0.02, 0.0), wave(0.03, 1.0), wave(0.05, 2.0), 255]
    });
    Texture { width: side, height: side, pixels: pixels.collect(), wrap: [Wrap::Repeat; 2] }
}
