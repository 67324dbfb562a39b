//! `ambler variants sheet`: variants, or their episodes, on a page of pictures.

use super::decided::Rejections;
use super::{Manifest, episode_sheet, one_more, read_variant};
use crate::assemble::build_navmesh;
use crate::cli::plan;
use crate::cli::sheet::{Card, Marks, Sheet, SheetOut, jpeg};
use crate::exit::{self, Failure};
use crate::terminal::Progress;
use ambler_body::BodyPreset;
use ambler_geometry::{Affine, Heading, Pose, Vec3};
use ambler_navmesh::{NavMesh, NavQuery};
use ambler_scene::library::Decided;
use ambler_scene::{ReadOptions, read_scene};
use ambler_sdovon::place::Variant;
use ambler_sensor::{CameraSpec, Frame, Outputs, Picture, Projection, Renderer};
use clap::Args;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Arguments of `variants sheet`.
#[derive(Args, Debug)]
pub struct SheetArgs {
    /// Folder that `ambler generate variants` made
    folder: PathBuf,
    /// Show the episodes that `ambler generate objectnav` made, not the variants
    #[arg(long)]
    episodes: bool,
    /// Only variants or episodes whose name or category holds this text
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    only: String,
    #[command(flatten)]
    out: SheetOut,
    /// Pixels of the shorter side of a picture
    #[arg(long, value_name = "N", default_value_t = 210, value_parser = clap::value_parser!(u32).range(64..=1024))]
    side: u32,
    /// Threads
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=256))]
    workers: u32,
}

/// Makes the page.
pub fn run(args: &SheetArgs) -> Result<u8, Failure> {
    if args.out.out.is_none() && !args.out.serve {
        return Err(Failure::Usage("say where the page goes: --out HTML, or --serve".into()));
    }
    let manifest = Manifest::read(&args.folder)?;
    // Said before minutes of drawing.
    Rejections::read(&args.folder)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.workers as usize)
        .build()
        .map_err(|error| Failure::Usage(format!("--workers {}: {error}", args.workers)))?;
    let sheet = pool.install(|| match args.episodes {
        true => episode_sheet::make(&args.folder, &manifest, &args.only, args.side),
        false => make(&args.folder, &manifest, &args.only, args.side),
    })?;
    if sheet.len() == 0 {
        return Err(Failure::NotAsAsked(match (args.only.as_str(), args.episodes) {
            ("", true) => "there are no episodes yet; ambler generate objectnav makes them".into(),
            ("", false) => "there are no variants".into(),
            (only, _) => format!("--only {only:?}: nothing is called that"),
        }));
    }
    sheet.hand_out(&args.out, &args.folder)?;
    Ok(exit::DONE)
}

/// Drawn pictures of one card; each becomes an image of the sheet.
pub struct Pictured {
    /// The picture as a JPEG file.
    pub jpeg: Vec<u8>,
    /// Pixels across and down.
    pub size: [u32; 2],
    /// A word in its corner.
    pub note: String,
    /// What is drawn over it.
    pub marks: Marks,
}

impl Pictured {
    /// Of a picture.
    pub fn of(picture: &Picture, note: &str, marks: Marks) -> Result<Self, Failure> {
        let size = [picture.width, picture.height];
        Ok(Self { jpeg: jpeg(picture)?, size, note: note.to_owned(), marks })
    }
}

/// The page of variants.
fn make(folder: &Path, manifest: &Manifest, only: &str, side: u32) -> Result<Sheet, Failure> {
    let names: Vec<&str> = manifest.variants().filter(|name| name.contains(only)).collect();
    let progress = Mutex::new((Progress::new(names.len() as u64, "variants", false), 0));
    let drawn: Vec<Result<(Variant, Vec<Pictured>), Failure>> = names
        .par_iter()
        .map(|name| {
            let variant = read_variant(folder, name)?.variant;
            let pictures = pictures(folder, &variant, side)?;
            one_more(&progress, name);
            Ok((variant, pictures))
        })
        .collect();
    let hint = "home, category, region, receptacle";
    let mut sheet = Sheet::new(Decided::Variants, "Variants", hint, "variant");
    for drawn in drawn {
        let (variant, pictures) = drawn?;
        let shown = pictures
            .into_iter()
            .map(|picture| sheet.image(&picture.jpeg, picture.size).shown(&picture.note, picture.marks))
            .collect();
        sheet.add(Card {
            name: variant.name.clone(),
            head: variant.name.clone(),
            lines: lines(&variant),
            pictures: shown,
        });
    }
    Ok(sheet)
}

/// What the caption says.
fn lines(variant: &Variant) -> Vec<String> {
    let counted = |names: Vec<String>| {
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        names.into_iter().for_each(|name| *counts.entry(name).or_insert(0) += 1);
        let mut counts: Vec<(String, u32)> = counts.into_iter().collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        let words = counts.into_iter().map(|(name, count)| match count {
            1 => name.replace('_', " "),
            _ => format!("{count} {}", name.replace('_', " ")),
        });
        words.collect::<Vec<_>>().join(", ")
    };
    let of = |name: &dyn Fn(&ambler_sdovon::place::Placed) -> String| {
        counted(variant.objects.iter().map(name).collect())
    };
    let surfaces: BTreeSet<&str> = variant.objects.iter().map(|it| it.surface.as_str()).collect();
    let empty = match variant.failed.len() {
        0 => String::new(),
        1 => ", 1 place left empty".into(),
        count => format!(", {count} places left empty"),
    };
    vec![
        format!("{} objects on {} surfaces{empty}", variant.objects.len(), surfaces.len()),
        of(&|it| it.category.clone()),
        format!("in {}", of(&|it| it.region.name().to_owned())),
        format!("on {}", of(&|it| it.receptacle.clone())),
    ]
}

/// A variant's scene, with what is needed to stand and look in it.
pub struct Place {
    /// Draws it.
    pub renderer: Renderer,
    /// Where a Stretch can stand.
    pub mesh: Arc<NavMesh>,
    /// Height of its eye, metres.
    pub eye_m: f32,
}

impl Place {
    /// Reads a variant.
    pub fn read(folder: &Path, name: &str) -> Result<Self, Failure> {
        let path = folder.join(format!("{name}.ron"));
        let scene = Arc::new(read_scene(&path, &ReadOptions::default())?);
        let body = BodyPreset::named("stretch")
            .ok_or_else(|| Failure::Usage("the body preset stretch is gone".into()))?;
        let mesh = Arc::new(build_navmesh(&scene, &body.navmesh_settings())?);
        Ok(Self { renderer: Renderer::new(scene), mesh, eye_m: body.camera_height_m })
    }

    /// The camera that stands at a pose and looks up by `tilt` radians.
    fn view(&self, camera: &CameraSpec, pose: &Pose, tilt: f64) -> Affine {
        camera.world_from_camera(pose, tilt)
    }

    /// A camera with this field of view, `side` pixels high and 4 : 3.
    fn camera(&self, side: u32, hfov_deg: f32) -> CameraSpec {
        CameraSpec {
            width: side * 4 / 3,
            height: side,
            projection: Projection::Pinhole { hfov_deg },
            mount: Vec3::new(0.0, self.eye_m, 0.0),
            ..CameraSpec::default()
        }
    }

    /// What is seen from a pose, smooth; and, where `wanted` is seen, the frame around it in pixels.
    pub fn seen(
        &self,
        pose: &Pose,
        tilt: f64,
        side: u32,
        hfov_deg: f32,
        wanted: Option<u32>,
    ) -> Result<(Picture, Option<[f32; 4]>), Failure> {
        let camera = self.camera(side * SAMPLES, hfov_deg);
        let mut frame = Frame::default();
        self.renderer.render(&camera, &self.view(&camera, pose, tilt), &mut frame)?;
        let picture = smooth(&plan::colored(self.renderer.scene(), &frame, &camera));
        let framed = wanted.and_then(|id| framed(&frame, id));
        Ok((picture, framed))
    }
}

/// Samples along each side of a pixel.
const SAMPLES: u32 = 2;
/// Pixels between a thing and the frame around it.
const ASIDE: f32 = 3.0;

/// The frame around an instance, in pixels of the smoothed picture.
fn framed(frame: &Frame, id: u32) -> Option<[f32; 4]> {
    let width = frame.width as usize;
    let (mut low, mut high) = ([usize::MAX; 2], [0; 2]);
    for (index, _) in frame.instance.iter().enumerate().filter(|(_, seen)| **seen == id) {
        for (axis, at) in [index % width, index / width].into_iter().enumerate() {
            low[axis] = low[axis].min(at);
            high[axis] = high[axis].max(at + 1);
        }
    }
    let pixel = |at: usize| at as f32 / SAMPLES as f32;
    (low[0] < high[0]).then(|| {
        [pixel(low[0]) - ASIDE, pixel(low[1]) - ASIDE, pixel(high[0]) + ASIDE, pixel(high[1]) + ASIDE]
    })
}

/// Each block of samples as one pixel.
fn smooth(picture: &Picture) -> Picture {
    let (width, height) = (picture.width / SAMPLES, picture.height / SAMPLES);
    let mut out = Picture::filled(width, height, [0; 3]);
    for (index, pixel) in (0_u32..).zip(&mut out.pixels) {
        let (x, y) = (index % width * SAMPLES, index / width * SAMPLES);
        let mut sum = [0_u32; 3];
        for sample in 0..SAMPLES * SAMPLES {
            let at = (y + sample / SAMPLES) * picture.width + x + sample % SAMPLES;
            let color = picture.pixels.get(at as usize).copied().unwrap_or_default();
            (0..3).for_each(|channel| sum[channel] += u32::from(color[channel]));
        }
        *pixel = sum.map(|sum| (sum / (SAMPLES * SAMPLES)) as u8);
    }
    out
}

/// Views by the robot's eyes on a card.
const VIEWS: usize = 4;
/// Field of view of these pictures, degrees: the robot's.
const EYE_DEG: f32 = 79.0;
/// Distances from which a thing is looked at, metres.
const AWAY_M: [f32; 2] = [0.9, 1.5];
/// Directions from which it is looked at.
const AROUND: u32 = 8;
/// Pixels that a thing must have to be seen in the pictures that choose views; they are 60 high.
const LEAST_PIXELS: u32 = 6;

/// The storey with most things from above, then what a robot sees of them.
fn pictures(folder: &Path, variant: &Variant, side: u32) -> Result<Vec<Pictured>, Failure> {
    let place = Place::read(folder, &variant.name)?;
    let scene = place.renderer.scene();
    let placed: Vec<(u32, Vec3)> = scene
        .instances
        .iter()
        .filter(|instance| variant.objects.iter().any(|object| object.name == instance.name))
        .map(|instance| (instance.id, instance.bounds.center()))
        .collect();
    let mut out = Vec::new();
    let storey_of = |height: f32| {
        let below = scene.floors.iter().rposition(|floor| floor.y <= height + 0.05);
        below.unwrap_or(0)
    };
    let mut storeys: BTreeMap<usize, Vec<Vec3>> = BTreeMap::new();
    placed.iter().for_each(|(_, at)| storeys.entry(storey_of(at.y)).or_default().push(*at));
    let most = storeys.iter().max_by_key(|(storey, things)| (things.len(), usize::MAX - *storey));
    let storey = most.map_or(0, |(storey, _)| *storey);
    let floor = scene.floors.get(storey).map_or(scene.bounds.min.y, |floor| floor.y);
    let above = plan::storey(&place.renderer, floor, 3.0 * side as f32, false)?;
    let inside = |object: &&ambler_sdovon::place::Placed| storey_of(object.position.y) == storey;
    let dots = variant.objects.iter().filter(inside).map(|object| {
        let [x, y] = above.pixel(object.position);
        (x, y, format!("{} on a {}", object.category, object.receptacle).replace('_', " "))
    });
    let marks = Marks { dots: dots.collect(), ..Marks::default() };
    let note = match storeys.len() {
        0 | 1 => "from above".to_owned(),
        count => format!("storey {} of {count} from above", storey + 1),
    };
    out.push(Pictured::of(&above.picture, &note, marks)?);
    for (pose, tilt) in looks(&place, &placed)? {
        let (picture, _) = place.seen(&pose, tilt, side, EYE_DEG, None)?;
        out.push(Pictured::of(&picture, "", Marks::default())?);
    }
    Ok(out)
}

/// Poses that together show most of the things, with the tilt of the head.
fn looks(place: &Place, placed: &[(u32, Vec3)]) -> Result<Vec<(Pose, f64)>, Failure> {
    let camera =
        CameraSpec { outputs: Outputs { instance: true, ..Outputs::NONE }, ..place.camera(60, EYE_DEG) };
    let mut query = NavQuery::new(Arc::clone(&place.mesh));
    let mut frame = Frame::default();
    let mut found: Vec<(Pose, f64, BTreeMap<u32, u32>)> = Vec::new();
    for &(_, at) in placed {
        for (away, step) in AWAY_M.iter().flat_map(|away| (0..AROUND).map(move |step| (away, step))) {
            let yaw = std::f64::consts::TAU * f64::from(step) / f64::from(AROUND);
            let heading = Heading::from_yaw(yaw);
            let beside = at - heading.forward() * *away;
            let Ok(snap) = query.snap(Vec3::new(beside.x, at.y - 0.8, beside.z)) else { continue };
            let way = (at - snap.point).with_y(0.0).length();
            // On the storey of the thing, and not pushed far from where it was asked for.
            let rise = at.y - snap.point.y;
            if (way - away).abs() > 0.3 || !(-0.2..2.2).contains(&rise) {
                continue;
            }
            let to = at - snap.point;
            let yaw = libm::atan2(f64::from(-to.x), f64::from(-to.z));
            let tilt = libm::atan2(f64::from(rise - place.eye_m), f64::from(way));
            let pose = Pose { position: snap.point, heading: Heading::from_yaw(yaw) };
            place.renderer.render(&camera, &place.view(&camera, &pose, tilt), &mut frame)?;
            let mut seen: BTreeMap<u32, u32> = BTreeMap::new();
            frame.instance.iter().for_each(|id| *seen.entry(*id).or_insert(0) += 1);
            seen.retain(|id, count| {
                *count >= LEAST_PIXELS && placed.iter().any(|(placed, _)| placed == id)
            });
            found.push((pose, tilt, seen));
        }
    }
    let mut out = Vec::new();
    let mut shown: BTreeSet<u32> = BTreeSet::new();
    while out.len() < VIEWS {
        // Most things that no picture shows yet; of equal ones the larger.
        let worth = |seen: &BTreeMap<u32, u32>| {
            let new: Vec<u32> =
                seen.iter().filter(|(id, _)| !shown.contains(id)).map(|(_, count)| *count).collect();
            (new.len(), new.iter().sum::<u32>())
        };
        let best = (0..found.len()).rev().max_by_key(|&index| worth(&found[index].2));
        let Some((pose, tilt, seen)) = best.map(|best| found.swap_remove(best)) else { break };
        if seen.keys().all(|id| shown.contains(id)) {
            break;
        }
        shown.extend(seen.keys());
        out.push((pose, tilt));
    }
    Ok(out)
}
