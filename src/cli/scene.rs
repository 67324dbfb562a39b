//! `ambler scene`: look into a scene.

use super::navmesh_map::navmesh_map;
use super::print_json;
use crate::assemble::{LoadedScene, build_navmesh, load_scene};
use crate::cameras;
use crate::exit::{self, Failure};
use crate::settings::{body_camera, parse_size};
use crate::terminal;
use ambler_body::BodyPreset;
use ambler_geometry::{Aabb, Affine, Heading, Pose, Vec3};
use ambler_navmesh::{NavMesh, NavMeshSettings};
use ambler_scene::{ReadOptions, SceneModel, UpAxis};
use ambler_sensor::{CameraSpec, Frame, Outputs, Picture, Projection, Renderer, Tone};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Commands on one scene.
#[derive(Subcommand, Debug)]
pub enum SceneCommand {
    /// Count what is in it
    Inspect(InspectArgs),
    /// Draw it from a place, or from above
    Render(RenderArgs),
    /// Build its navmesh for a body
    Navmesh(NavmeshArgs),
    /// Say what may go wrong with it
    Check(CheckArgs),
    /// Let objects of a library fall onto a surface of it, and keep what results
    Drop(super::drop::DropArgs),
}

/// The scene and how to read it.
#[derive(Args, Debug)]
pub struct SceneInput {
    /// Scene: .glb, .gltf, .ply, .obj, .ron, or a folder with scene.ron
    pub path: PathBuf,
    /// Axis of the file that points up: y, z, auto
    #[arg(long, default_value = "y", value_name = "AXIS")]
    pub up: UpAxis,
}

impl SceneInput {
    /// Reads the scene. What was odd but harmless is among its notes: `inspect` and `check` say it.
    pub fn read(&self) -> Result<Arc<SceneModel>, Failure> {
        Ok(self.load()?.scene)
    }

    /// The same with its renderer.
    pub fn load(&self) -> Result<LoadedScene, Failure> {
        if self.up == UpAxis::Auto {
            terminal::log(
                "note: --up auto takes +Y as up, since no guess is safe; where the scene lies on its side, use --up z",
            );
        }
        load_scene(&self.path, &ReadOptions::with_up(self.up))
    }
}

/// Arguments of `scene inspect`.
#[derive(Args, Debug)]
pub struct InspectArgs {
    #[command(flatten)]
    input: SceneInput,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Arguments of `scene render`.
#[derive(Args, Debug)]
pub struct RenderArgs {
    #[command(flatten)]
    input: SceneInput,
    /// PNG file to write
    #[arg(long, value_name = "PNG")]
    out: PathBuf,
    /// Where the body stands; by default on the navmesh, with the widest view
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, conflicts_with = "top")]
    at: Option<String>,
    /// Where it faces, in degrees: 0 = −Z, 90 = −X
    #[arg(long, value_name = "DEG", allow_hyphen_values = true, conflicts_with = "top")]
    yaw: Option<f64>,
    /// How far the camera looks up, in degrees
    #[arg(
        long,
        value_name = "DEG",
        default_value_t = 0.0,
        allow_hyphen_values = true,
        conflicts_with = "top"
    )]
    pitch: f32,
    /// Draw a plan from above, cut below the ceiling
    #[arg(long)]
    top: bool,
    /// Height of the cut of the plan above the floor, in metres
    #[arg(long, value_name = "M", default_value_t = 1.8, requires = "top")]
    cut: f32,
    /// Size of the image
    #[arg(long, value_name = "WxH", default_value = "640x480")]
    size: String,
    /// Horizontal field of view in degrees
    #[arg(long, value_name = "DEG", default_value_t = 79.0)]
    hfov: f32,
    /// Lens, instead of a pinhole camera with --hfov: pinhole:DEG, orthographic:M, equirectangular or
    /// fisheye:DEG
    #[arg(long, value_name = "LENS", conflicts_with_all = ["hfov", "top"])]
    projection: Option<String>,
    /// Light that surfaces are shown in: none (colours as stored), default, or a Habitat
    /// *.lighting_config.json
    #[arg(long, value_name = "LIGHTS", default_value = "none")]
    lights: String,
    /// How much brighter, in stops
    #[arg(long, value_name = "EV", default_value_t = 0.0, allow_hyphen_values = true)]
    exposure: f32,
    /// Colour temperature of the light in kelvin: below 6500 warmer, above it colder
    #[arg(long, value_name = "K", default_value_t = 6500.0)]
    temperature: f32,
    /// Draw what is far away from fewer triangles, so many pixels from its place at most: 0 to 16
    #[arg(long, value_name = "PX", default_value_t = 0.0)]
    lod: f32,
    /// Height of the camera above the floor, in metres
    #[arg(long, value_name = "M", default_value_t = 1.31)]
    camera_height: f32,
    /// What to draw [default: rgb; shape where the scan has no colours]
    #[arg(long, value_enum)]
    show: Option<Show>,
    /// Draw surfaces from behind too
    #[arg(long)]
    both_sides: bool,
}

/// What a picture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Show {
    /// Colour, as an agent sees it.
    Rgb,
    /// Colour lit from the camera: for scans without colours.
    Shape,
    /// Depth, by a colour map.
    Depth,
    /// Instances, a colour each.
    Instance,
    /// Categories, a colour each.
    Category,
    /// All four, side by side.
    All,
}

/// Arguments of `scene navmesh`.
#[derive(Args, Debug)]
pub struct NavmeshArgs {
    #[command(flatten)]
    input: SceneInput,
    /// Height of the body in metres
    #[arg(long, value_name = "M", default_value_t = 1.41)]
    height: f32,
    /// Radius of the body in metres
    #[arg(long, value_name = "M", default_value_t = 0.17)]
    radius: f32,
    /// Highest step in metres
    #[arg(long, value_name = "M", default_value_t = 0.2)]
    max_climb: f32,
    /// Voxel width in metres
    #[arg(long, value_name = "M", default_value_t = 0.05)]
    cell_size: f32,
    /// Voxel height in metres
    #[arg(long, value_name = "M", default_value_t = 0.2)]
    cell_height: f32,
    /// Steepest floor in degrees
    #[arg(long, value_name = "DEG", default_value_t = 45.0)]
    max_slope: f32,
    /// Drop regions below the square of so many voxels (20 at 0.05 m: 1 m²)
    #[arg(long, value_name = "N", default_value_t = 20.0)]
    region_min_size: f32,
    /// Write the navmesh to this file (Habitat's .navmesh format)
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Draw it over the plan, each island in a colour of its own, to this PNG file
    #[arg(long, value_name = "PNG")]
    map: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Arguments of `scene check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    #[command(flatten)]
    input: SceneInput,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs a command on a scene.
pub fn run(command: &SceneCommand) -> Result<u8, Failure> {
    match command {
        SceneCommand::Inspect(args) => inspect(args),
        SceneCommand::Render(args) => render(args),
        SceneCommand::Navmesh(args) => navmesh(args),
        SceneCommand::Check(args) => check(args),
        SceneCommand::Drop(args) => super::drop::run(args),
    }
}

fn bounds_json(bounds: &Aabb) -> Value {
    if bounds.is_empty() {
        return Value::Null;
    }
    json!({ "min": bounds.min.to_array(), "max": bounds.max.to_array() })
}

fn inspect(args: &InspectArgs) -> Result<u8, Failure> {
    let scene = args.input.read()?;
    let categories = scene.categories.iter().filter(|name| !name.is_empty()).count();
    if args.json {
        print_json(&json!({
            "name": scene.name,
            "vertices": scene.vertex_count(),
            "triangles": scene.triangle_count(),
            "meshes": scene.meshes.len(),
            "textures": scene.textures.len(),
            "rooms": scene.rooms.len(),
            "floors": scene.floors.len(),
            "receptacles": scene.receptacles.len(),
            "instances": scene.instances.len(),
            "categories": categories,
            "bounds": bounds_json(&scene.bounds),
            "licence": scene.licence.name,
            "fingerprint": scene.fingerprint,
            "notes": scene.notes,
        }));
        return Ok(exit::DONE);
    }
    for note in &scene.notes {
        terminal::log(&format!("note: {note}"));
    }
    let size = scene.bounds.size();
    let heights = if scene.bounds.is_empty() {
        "nothing is there".to_string()
    } else {
        format!("y = {:.3}, {:.3} m", scene.bounds.min.y, scene.bounds.max.y)
    };
    terminal::say(&format!("{} ({})", scene.name, args.input.path.display()));
    let licence = if scene.licence.name.is_empty() { "not stated" } else { &scene.licence.name };
    let rows = [
        ("size", format!("{:.2} × {:.2} × {:.2} m (x, y, z)", size.x, size.y, size.z)),
        ("lowest, highest", heights),
        ("vertices", scene.vertex_count().to_string()),
        ("triangles", scene.triangle_count().to_string()),
        ("meshes, textures", format!("{}, {}", scene.meshes.len(), scene.textures.len())),
        ("rooms, floors", format!("{}, {}", scene.rooms.len(), scene.floors.len())),
        ("instances", scene.instances.len().to_string()),
        ("categories", categories.to_string()),
        ("licence", licence.to_string()),
    ];
    for (name, value) in rows {
        terminal::say(&format!("  {name:<18}{value}"));
    }
    for (index, name) in scene.categories.iter().enumerate().skip(1) {
        let count = scene.instances.iter().filter(|i| i.category as usize == index).count();
        terminal::say(&format!("    {name:<24}{count}"));
    }
    Ok(exit::DONE)
}

/// Three numbers with commas between them.
fn parse_point(text: &str) -> Result<Vec3, Failure> {
    let numbers: Vec<f32> = text.split(',').filter_map(|part| part.trim().parse().ok()).collect();
    match numbers[..] {
        [x, y, z] if text.split(',').count() == 3 && Vec3::new(x, y, z).is_finite() => {
            Ok(Vec3::new(x, y, z))
        }
        _ => Err(Failure::Usage(format!("--at {text:?} is not X,Y,Z, such as --at 1.5,0,-2"))),
    }
}

fn render(args: &RenderArgs) -> Result<u8, Failure> {
    let (width, height) = parse_size(&args.size)?;
    if args.yaw.is_some_and(|yaw| !yaw.is_finite()) || !args.pitch.is_finite() {
        return Err(Failure::Usage("--yaw and --pitch are finite numbers of degrees".into()));
    }
    must_be_png("--out", &args.out)?;
    let loaded = args.input.load()?;
    let scene = &loaded.scene;
    let stretch = BodyPreset::named("stretch").expect("the default preset exists");
    let mut camera = CameraSpec {
        width,
        height,
        projection: match &args.projection {
            Some(lens) => cameras::projection(lens)?,
            None => Projection::Pinhole { hfov_deg: args.hfov },
        },
        lighting: cameras::lighting(&args.lights)?,
        lod_px: args.lod,
        tone: Tone { exposure_ev: args.exposure, temperature_k: args.temperature },
        mount: Vec3::new(0.0, args.camera_height, 0.0),
        pitch_deg: args.pitch,
        cull_back_faces: !args.both_sides,
        outputs: Outputs::ALL,
        ..body_camera(&stretch)
    };
    let renderer = loaded.renderer();
    let world_from_camera = if args.top {
        let (spec, place) = plan_camera(scene, &camera, args.cut);
        camera = spec;
        place
    } else {
        let pose = render_pose(args, scene, renderer, &camera, &stretch)?;
        camera.world_from_camera(&pose, 0.0)
    };
    camera.validate()?;
    let mut frame = Frame::default();
    renderer.render(&camera, &world_from_camera, &mut frame)?;
    let colourless = scene.textures.is_empty()
        && scene.meshes.iter().all(|mesh| mesh.colors.is_empty())
        && scene.materials.iter().all(|material| material.base_color == [1.0; 4]);
    let show = args.show.unwrap_or(if colourless { Show::Shape } else { Show::Rgb });
    let picture = picture(&frame, &camera, show, colourless);
    if frame.valid.iter().all(|&valid| valid == 0) {
        terminal::log(
            "warning: the camera sees nothing from there; `ambler scene inspect` says where the scene is",
        );
    }
    write_picture(&picture, &args.out)?;
    Ok(exit::DONE)
}

fn must_be_png(option: &str, path: &Path) -> Result<(), Failure> {
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
        return Ok(());
    }
    Err(Failure::Usage(format!("{option} {}: name a .png file", path.display())))
}

fn write_picture(picture: &Picture, path: &Path) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| Failure::cannot_write(folder, &error))?;
    }
    picture.write_png(path).map_err(|error| Failure::Input(error.to_string()))?;
    terminal::log(&format!("wrote {} ({}×{})", path.display(), picture.width, picture.height));
    Ok(())
}

/// A camera that looks down on the whole scene from the cut, and where it is.
pub fn plan_camera(scene: &SceneModel, camera: &CameraSpec, cut_m: f32) -> (CameraSpec, Affine) {
    let floor = scene.floors.first().map_or(scene.bounds.min.y, |floor| floor.y);
    plan_camera_at(scene, camera, floor + cut_m)
}

/// The same from a height, metres.
pub fn plan_camera_at(scene: &SceneModel, camera: &CameraSpec, height_m: f32) -> (CameraSpec, Affine) {
    let size = scene.bounds.size();
    let aspect = camera.width as f32 / camera.height as f32;
    let width_m = (size.x.max(size.z * aspect) * 1.04).max(0.1);
    let eye = Vec3::new(scene.bounds.center().x, height_m, scene.bounds.center().z);
    let spec = CameraSpec {
        projection: Projection::Orthographic { width_m },
        // Looking straight down: turn −Z to −Y about X.
        pitch_deg: -90.0,
        mount: Vec3::ZERO,
        ..camera.clone()
    };
    let place = spec.world_from_camera(&Pose { position: eye, heading: Heading::from_yaw(0.0) }, 0.0);
    (spec, place)
}

fn render_pose(
    args: &RenderArgs,
    scene: &SceneModel,
    renderer: &Renderer,
    camera: &CameraSpec,
    body: &BodyPreset,
) -> Result<Pose, Failure> {
    let position = match &args.at {
        Some(text) => parse_point(text)?,
        None => standing_place(scene, body),
    };
    let yaw = match args.yaw {
        Some(degrees) => degrees.to_radians(),
        None => widest_view(renderer, camera, position),
    };
    Ok(Pose { position, heading: Heading::from_yaw(yaw) })
}

/// The navmesh point with most room around it; the middle of the scene where there is no navmesh.
fn standing_place(scene: &SceneModel, body: &BodyPreset) -> Vec3 {
    let (vertices, triangles) = scene.world_triangles();
    let Ok(mesh) = NavMesh::build(&vertices, &triangles, &body.navmesh_settings()) else {
        let center = scene.bounds.center();
        return Vec3::new(center.x, scene.bounds.min.y, center.z);
    };
    let mut query = ambler_navmesh::NavQuery::new(Arc::new(mesh));
    let mut stream = ambler_geometry::random::Stream::new(0, "scene render", "place");
    let mut best = (0.0, scene.bounds.center());
    for _ in 0..64 {
        let Some(point) = query.random_point(&mut stream, None) else { break };
        let room = query.distance_to_obstacle(point, 4.0).map_or(0.0, |obstacle| obstacle.distance_m);
        if room > best.0 {
            best = (room, point);
        }
    }
    best.1
}

/// The yaw of eight whose picture reaches farthest on average.
fn widest_view(renderer: &Renderer, camera: &CameraSpec, position: Vec3) -> f64 {
    let small = CameraSpec {
        width: 48,
        height: 36,
        outputs: Outputs { depth: true, ..Outputs::NONE },
        ..camera.clone()
    };
    let mut frame = Frame::default();
    let mut best = (-1.0f64, 0.0);
    for eighth in 0..8 {
        let yaw = f64::from(eighth) * std::f64::consts::FRAC_PI_4;
        let pose = Pose { position, heading: Heading::from_yaw(yaw) };
        if renderer.render(&small, &small.world_from_camera(&pose, 0.0), &mut frame).is_err() {
            continue;
        }
        let sum: f64 = frame.depth.iter().map(|&depth| f64::from(depth)).sum();
        if sum > best.0 {
            best = (sum, yaw);
        }
    }
    best.1
}

fn picture(frame: &Frame, camera: &CameraSpec, show: Show, colourless: bool) -> Picture {
    match show {
        Show::Shape => Picture::of_shape(frame, camera),
        Show::Rgb => Picture::of_rgb(frame),
        Show::Depth => Picture::of_depth_with_legend(frame, None),
        Show::Instance => Picture::of_instances(frame),
        Show::Category => Picture::of_categories(frame),
        Show::All => {
            let looks =
                if colourless { Picture::of_shape(frame, camera) } else { Picture::of_rgb(frame) };
            let all = [
                looks,
                Picture::of_depth(frame, None),
                Picture::of_instances(frame),
                Picture::of_categories(frame),
            ];
            Picture::sheet(&all, 2, 4)
        }
    }
}

fn navmesh(args: &NavmeshArgs) -> Result<u8, Failure> {
    let settings = NavMeshSettings {
        cell_size_m: args.cell_size,
        cell_height_m: args.cell_height,
        agent_max_climb_m: args.max_climb,
        agent_max_slope_deg: args.max_slope,
        region_min_size: args.region_min_size,
        ..NavMeshSettings::for_body(args.height, args.radius)
    };
    if let Some(map) = &args.map {
        must_be_png("--map", map)?;
    }
    let loaded = args.input.load()?;
    let mesh = build_navmesh(&loaded.scene, &settings)?;
    if let Some(out) = &args.out {
        std::fs::write(out, mesh.to_bytes()).map_err(|error| Failure::cannot_write(out, &error))?;
    }
    if let Some(map) = &args.map {
        let stretch = BodyPreset::named("stretch").expect("the default preset exists");
        let picture = navmesh_map(&loaded.scene, loaded.renderer(), &body_camera(&stretch), &mesh)?;
        write_picture(&picture, map)?;
    }
    let islands = mesh.islands();
    if args.json {
        let list: Vec<Value> = islands
            .iter()
            .map(|island| json!({ "area_m2": island.area_m2, "radius_m": island.radius_m }))
            .collect();
        print_json(&json!({
            "area_m2": mesh.area_m2(),
            "islands": list,
            "bounds": bounds_json(&mesh.bounds()),
            "settings": settings,
            "fingerprint": mesh.fingerprint(),
        }));
        return Ok(exit::DONE);
    }
    terminal::say(&format!("{:.3} m² to stand on, in {} island(s)", mesh.area_m2(), islands.len()));
    for (index, island) in islands.iter().enumerate() {
        terminal::say(&format!(
            "  island {index}: {:9.3} m², radius {:.3} m",
            island.area_m2, island.radius_m
        ));
    }
    Ok(exit::DONE)
}

fn check(args: &CheckArgs) -> Result<u8, Failure> {
    let scene = args.input.read()?;
    let body = BodyPreset::named("stretch").expect("the default preset exists");
    let mut findings: Vec<String> = scene.notes.clone();
    findings.extend(scene_findings(&scene, &args.input.path));
    let mut floor_problem = None;
    let mut area = 0.0;
    match build_navmesh(&scene, &body.navmesh_settings()) {
        Ok(mesh) => {
            area = f64::from(mesh.area_m2());
            if mesh.islands().len() > 1 {
                findings.push(format!(
                    "the navmesh has {} islands; a body on one cannot reach the others",
                    mesh.islands().len()
                ));
            }
        }
        Err(error) => floor_problem = Some(error.to_string()),
    }
    if args.json {
        print_json(&json!({
            "findings": findings,
            "navmesh_area_m2": area,
            "navmesh_problem": floor_problem,
        }));
    } else {
        for finding in &findings {
            terminal::say(&format!("  · {finding}"));
        }
        match &floor_problem {
            Some(problem) => terminal::say(&format!("  ✗ no navmesh for {}: {problem}", body.name)),
            None => terminal::say(&format!("  ✓ navmesh for {}: {area:.2} m²", body.name)),
        }
    }
    Ok(if floor_problem.is_some() { exit::NOT_AS_ASKED } else { exit::DONE })
}

/// What may go wrong with a scene, beyond its reader's notes.
fn scene_findings(scene: &SceneModel, path: &Path) -> Vec<String> {
    let mut findings = Vec::new();
    let size = scene.bounds.size();
    if scene.triangle_count() == 0 {
        findings.push(format!("{} holds no triangle", path.display()));
    }
    if size.max_element() > 200.0 || (size.max_element() < 1.0 && size.max_element() > 0.0) {
        findings.push(format!("the scene is {:.2} m across: are its units metres?", size.max_element()));
    }
    if scene.instances.is_empty() {
        findings.push("no labelled instances: object goals need them (see docs/FORMATS.md)".into());
    }
    if scene.licence.name.is_empty() {
        findings.push("no licence is stated".into());
    }
    let (share, low_up, low_down) = facing(scene);
    if low_down > 1.5 * low_up {
        findings.push(
            "in its lower half more surface faces down than up: its triangles may be inside out, and floors that face down are not walkable"
                .into(),
        );
    }
    if share < 0.05 {
        findings.push(format!(
            "only {:.1} % of the surface faces up: is the up axis right (--up z)? are faces inside out?",
            share * 100.0
        ));
    }
    findings
}

/// Share of the surface that faces up within 45°, and how much of it faces up and down in the lower
/// half of the scene, m².
fn facing(scene: &SceneModel) -> (f64, f64, f64) {
    let (vertices, triangles) = scene.world_triangles();
    let middle = scene.bounds.center().y;
    let (mut up, mut all, mut low_up, mut low_down) = (0.0f64, 0.0f64, 0.0f64, 0.0f64);
    for [a, b, c] in triangles {
        let [a, b, c] = [a, b, c].map(|index| vertices[index as usize]);
        let normal = (b - a).cross(c - a);
        let area = 0.5 * f64::from(normal.length());
        let level = 0.5 * f64::from(normal.y);
        all += area;
        if level > 0.707 * area {
            up += area;
        }
        if (a.y + b.y + c.y) / 3.0 < middle {
            if level > 0.707 * area {
                low_up += area;
            } else if level < -0.707 * area {
                low_down += area;
            }
        }
    }
    (if all > 0.0 { up / all } else { 0.0 }, low_up, low_down)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_three_finite_numbers() {
        assert_eq!(parse_point("1, -2.5,3").expect("good"), Vec3::new(1.0, -2.5, 3.0));
        for bad in ["1,2", "1,2,3,4", "a,b,c", "1,,3", "nan,0,0"] {
            assert!(parse_point(bad).is_err(), "{bad}");
        }
    }
}
