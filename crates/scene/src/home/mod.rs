//! Homes made by rules and a seed: rooms with walls, doors and windows, furniture in sets, textures,
//! baked light, and labels for everything.
//!
//! The same [`HomeSpec`] gives the same bytes on every machine: all randomness comes from
//! [`ambler_geometry::random::Stream`], lengths of the plan are whole numbers, and sines come from
//! `libm`. docs/HOMES.md explains the rules, the search and when a seed is rejected.
//!
//! ```
//! use ambler_scene::home::{HomeSpec, generate};
//! let scene = generate(&HomeSpec { rooms: Some(5), ..HomeSpec::new(7) })?;
//! assert_eq!(scene.rooms.len(), 5);
//! assert!(scene.rooms.iter().any(|room| room.category == "kitchen"));
//! # Ok::<(), ambler_scene::home::HomeError>(())
//! ```

mod assemble;
mod builder;
mod cost;
mod furnish;
mod furniture;
mod light;
mod openings;
mod pictures;
mod plan;
mod programme;
mod scan;
mod shell;
mod space;
mod stairs;
mod style;
mod texture;
mod write;

pub use scan::{ScanSpec, scan};
pub use style::STYLES;
pub use write::{Form, description, scan_scene, write, write_scan};

use crate::SceneModel;
use ambler_geometry::Vec2;
use ambler_geometry::random::Stream;
use builder::Builder;
use openings::Opening;
use plan::{Plan, UNITS};
use programme::{Kind, Wanted};
use shell::RoomShape;
use std::collections::BTreeMap;
use style::Style;

/// Fewest and most rooms of a home.
pub const ROOMS: std::ops::RangeInclusive<u32> = 3..=30;

/// What home to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HomeSpec {
    /// Everything that is not said here follows from it.
    pub seed: u64,
    /// Number of rooms, [`ROOMS`]; drawn from the seed without.
    pub rooms: Option<u32>,
    /// Number of floors, 1 to 3. Each needs 5 rooms.
    pub floors: u32,
    /// Name of a style ([`STYLES`]); drawn from the seed without.
    pub style: Option<String>,
}

impl HomeSpec {
    /// A home on one floor, the rest drawn from the seed.
    pub fn new(seed: u64) -> Self {
        Self { seed, rooms: None, floors: 1, style: None }
    }
}

/// Why no home was made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HomeError {
    /// The wish cannot be met.
    #[error("{what}; {remedy}")]
    Spec {
        /// What is wrong with it.
        what: String,
        /// What to ask for instead.
        remedy: &'static str,
    },
    /// All attempts failed.
    #[error("seed {seed} gives no home: {}; try another seed", tally(.rejections))]
    Rejected {
        /// The seed.
        seed: u64,
        /// Why each attempt was rejected, with how often.
        rejections: BTreeMap<String, u32>,
    },
    /// A file cannot be written.
    #[error("{0}")]
    Write(String),
}

fn tally(rejections: &BTreeMap<String, u32>) -> String {
    let parts: Vec<String> = rejections.iter().map(|(why, count)| format!("{why} ({count})")).collect();
    parts.join(", ")
}

/// What is known of a door.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Door {
    /// Indices into [`SceneModel::rooms`]; the second is `None` for the street.
    pub rooms: [Option<u32>; 2],
    /// Its middle on the floor, (x, z) in metres.
    pub middle: Vec2,
    /// Height of the floor in metres.
    pub floor_y: f32,
    /// Clear width in metres.
    pub clear_m: f32,
    /// It can be walked through (the front door is closed).
    pub is_open: bool,
}

/// A piece of furniture on the floor: its footprint.
#[derive(Clone, Debug, PartialEq)]
pub struct Footprint {
    /// Its category.
    pub category: String,
    /// Index into [`SceneModel::rooms`].
    pub room: u32,
    /// Least corner, (x, z) in metres.
    pub min: Vec2,
    /// Greatest corner, (x, z) in metres.
    pub max: Vec2,
}

/// A home and what its maker knows beyond the scene.
#[derive(Clone, Debug)]
pub struct Home {
    /// The scene.
    pub scene: SceneModel,
    /// Name of its style.
    pub style: &'static str,
    /// All doors and wide openings.
    pub doors: Vec<Door>,
    /// What stands on the floors.
    pub footprints: Vec<Footprint>,
    /// Number of windows.
    pub windows: u32,
    /// Why earlier attempts were rejected, with how often.
    pub rejections: BTreeMap<String, u32>,
}

/// Makes a home.
///
/// # Errors
/// [`HomeError::Spec`] for a wish that no home meets, [`HomeError::Rejected`] for a seed that gave
/// none (fewer than 2 of 100).
pub fn generate(spec: &HomeSpec) -> Result<SceneModel, HomeError> {
    generate_home(spec).map(|home| home.scene)
}

/// Attempts at a home from one seed.
const ATTEMPTS: u32 = 40;

/// Makes a home and says what its maker knows.
///
/// # Errors
/// As [`generate`].
pub fn generate_home(spec: &HomeSpec) -> Result<Home, HomeError> {
    let (rooms, style) = settle(spec)?;
    let mut rejections: BTreeMap<String, u32> = BTreeMap::new();
    for attempt in 0..ATTEMPTS {
        match attempt_home(spec, rooms, &style, attempt) {
            Ok(mut home) => {
                home.rejections = rejections;
                return Ok(home);
            }
            Err(reason) => *rejections.entry(reason).or_default() += 1,
        }
    }
    Err(HomeError::Rejected { seed: spec.seed, rejections })
}

/// Checks the wish; number of rooms and style.
fn settle(spec: &HomeSpec) -> Result<(usize, Style), HomeError> {
    let mut stream = Stream::new(spec.seed, "home", "wish");
    let fault = |what: String, remedy| Err(HomeError::Spec { what, remedy });
    if !(1..=3).contains(&spec.floors) {
        return fault(format!("{} floors", spec.floors), "ask for 1 to 3");
    }
    let least = if spec.floors == 1 { *ROOMS.start() } else { 5 * spec.floors };
    // Homes of one floor centre on 12 rooms.
    let drawn = match spec.floors {
        1 => 3 + (stream.range(0.0, 6.5) + stream.range(0.0, 6.5) + stream.range(0.0, 6.5)) as u32,
        floors => 6 * floors + stream.index(7) as u32,
    };
    let rooms = spec.rooms.unwrap_or(drawn.max(least));
    if !ROOMS.contains(&rooms) || rooms < least {
        return fault(
            format!("{rooms} rooms on {} floors", spec.floors),
            "ask for 3 to 30 rooms, at least 10 on two floors and 15 on three",
        );
    }
    let Some(style) = style::style(spec.style.as_deref(), &mut stream) else {
        let name = spec.style.clone().unwrap_or_default();
        return fault(format!("no style is called '{name}'"), "docs/HOMES.md lists the styles");
    };
    Ok((rooms as usize, style))
}

/// Tries at furnishing a room before its plan is rejected.
const FURNISHINGS: u32 = 6;

/// Thickness of the slab between two storeys, metres.
const SLAB_M: f32 = 0.3;

/// One storey, planned.
struct Storey {
    wanted: Vec<Wanted>,
    plan: Plan,
    openings: Vec<Opening>,
}

fn attempt_home(spec: &HomeSpec, rooms: usize, style: &Style, attempt: u32) -> Result<Home, String> {
    let mut stream = Stream::new(spec.seed, &format!("home {attempt}"), "plan");
    let lists = programme::programme(rooms, spec.floors as usize, &mut stream);
    let storeys = plan_storeys(lists, &mut stream)?;
    let height = stream.range(2.45, 2.75) as f32;
    let mut builder = Builder::default();
    let shapes = shapes(&storeys, height, style, &mut stream);
    let mut openings: Vec<Opening> = Vec::new();
    let mut offset = 0;
    for storey in &storeys {
        openings.extend(storey.openings.iter().cloned().map(|mut o| {
            o.room += offset;
            o.other = o.other.map(|other| other + offset);
            o
        }));
        offset += storey.wanted.iter().filter(|w| w.kind != Kind::Outside).count();
    }
    for (index, shape) in shapes.iter().enumerate() {
        let well = if shape.kind == Kind::Stairs {
            let rise = height + SLAB_M;
            let is_top = shape.floor_y + 0.5 * rise > rise * (spec.floors - 1) as f32;
            shell::Well { up: (!is_top).then_some(rise), down: shape.floor_y > 0.1 }
        } else {
            shell::Well::default()
        };
        shell::room(&mut builder, index, shape, &openings, well, style);
    }
    for opening in &openings {
        let floor_y = shapes.get(opening.room).map_or(0.0, |shape| shape.floor_y);
        shell::opening(&mut builder, opening, floor_y, style);
    }
    let mut footprints = Vec::new();
    for (index, shape) in shapes.iter().enumerate() {
        let with_kitchen = !shapes.iter().any(|shape| shape.kind == Kind::Kitchen);
        let with_table = !shapes.iter().any(|shape| shape.kind == Kind::Dining);
        let also = furnish::Also { kitchen: with_kitchen, table: with_table };
        let mark = builder.mark();
        let mut furnished = Err(String::new());
        for round in 0..FURNISHINGS {
            let purpose = format!("furnish {} {round}", shape.name);
            let stream = Stream::new(spec.seed, &format!("home {attempt}"), &purpose);
            furnished = furnish::furnish(&mut builder, index, shape, &openings, style, stream, also);
            if furnished.is_ok() {
                break;
            }
            builder.back_to(&mark);
        }
        footprints.extend(furnished?);
    }
    Ok(assemble::home(spec, builder, &shapes, &openings, style, footprints))
}

fn plan_storeys(mut lists: Vec<Vec<Wanted>>, stream: &mut Stream) -> Result<Vec<Storey>, String> {
    if let [only] = &mut lists[..]
        && (6..=16).contains(&only.len())
        && stream.uniform() < 0.4
    {
        // A corner or a bay of the outline stays open: homes in L and U.
        let area: f64 = only.iter().map(|w| w.area).sum();
        only.push(Wanted { kind: Kind::Outside, area: area * stream.range(0.06, 0.11) });
    }
    let area_of = |list: &[Wanted]| list.iter().map(|w| w.area).sum::<f64>();
    let most = lists.iter().map(|list| area_of(list)).fold(0.0, f64::max);
    let count = lists.iter().map(Vec::len).max().unwrap_or(0);
    let mut outline = plan::outline(most, count, stream);
    if lists.len() > 1 && stream.uniform() < 0.6 {
        // Beyond the stairs, which lie along z, a deep home has more room.
        (outline.x1, outline.z1) = (outline.z1, outline.x1);
    }
    let mut storeys = Vec::new();
    for (index, list) in lists.into_iter().enumerate() {
        let rect = plan::Rect { x0: 0, z0: 0, x1: stairs::WIDTH, z1: stairs::LENGTH };
        let stairs = list.iter().position(|w| w.kind == Kind::Stairs);
        let pinned = stairs.map(|room| plan::Pinned { room, rect });
        // What lies beyond the stairs is narrow: where no room of the storey suits it, it stays open.
        let beyond = 0.9 * f64::from(rect.x1) * f64::from(outline.z1 - rect.z1) / (UNITS * UNITS);
        let mut plan = Err("no plan".to_owned());
        let mut wanted = Vec::new();
        // Storeys share one outline for all their tries.
        for round in 0..if pinned.is_some() { 6 } else { 1 } {
            let open = if pinned.is_some() && round % 2 == 1 { beyond.max(0.0) } else { 0.0 };
            wanted = stretched(&list, most, open);
            plan = plan::search(&wanted, outline, pinned, stream).map_err(|v| v.reason().to_owned());
            if plan.is_ok() {
                break;
            }
        }
        let plan = plan?;
        let openings = openings::openings(&wanted, &plan, index == 0, stream)
            .ok_or_else(|| "no plan: a door finds no place".to_owned())?;
        storeys.push(Storey { wanted, plan, openings });
    }
    Ok(storeys)
}

/// A storey's rooms, made larger to fill `area` with `open` square metres of it left unbuilt; the stairs
/// keep their size.
fn stretched(list: &[Wanted], area: f64, open: f64) -> Vec<Wanted> {
    let fixed: f64 = list.iter().filter(|w| w.kind == Kind::Stairs).map(|w| w.area).sum();
    let rest: f64 = list.iter().map(|w| w.area).sum::<f64>() - fixed;
    let scale = (area - fixed - open) / rest.max(1.0);
    let mut wanted = list.to_vec();
    for room in wanted.iter_mut().filter(|w| w.kind != Kind::Stairs) {
        room.area *= scale;
    }
    if open > 1.0 {
        wanted.push(Wanted { kind: Kind::Outside, area: open });
    }
    wanted
}

fn shapes(storeys: &[Storey], height: f32, style: &Style, stream: &mut Stream) -> Vec<RoomShape> {
    let mut shapes = Vec::new();
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for (level, storey) in storeys.iter().enumerate() {
        // What is left open comes last in its list: rooms keep their indices.
        let built =
            storey.wanted.iter().zip(&storey.plan.rects).filter(|(w, _)| w.kind != Kind::Outside);
        for (wanted, rect) in built {
            let metres = |units: i32| (f64::from(units) / UNITS) as f32;
            let half = 0.5 * cost::WALL_M as f32;
            let category = wanted.kind.category();
            let count = counts.entry(category).or_default();
            *count += 1;
            let (wall, floor) = colours(wanted.kind, *count, style, stream);
            shapes.push(RoomShape {
                kind: wanted.kind,
                name: format!("{category}_{count}"),
                min: Vec2::new(metres(rect.x0) + half, metres(rect.z0) + half),
                max: Vec2::new(metres(rect.x1) - half, metres(rect.z1) - half),
                floor_y: level as f32 * (height + SLAB_M),
                height,
                wall,
                floor,
            });
        }
    }
    shapes
}

/// Wall colour and floor of a room: living spaces share theirs, bedrooms differ.
fn colours(kind: Kind, count: u32, style: &Style, stream: &mut Stream) -> ([f32; 3], builder::Look) {
    let wall =
        |index: usize| style.walls.get(index % style.walls.len().max(1)).copied().unwrap_or([0.9; 3]);
    let main = wall(0);
    let wet = matches!(kind, Kind::Bathroom | Kind::Laundry);
    match kind {
        Kind::Bedroom | Kind::Office | Kind::Library | Kind::Family | Kind::Gym => {
            let shift = match kind {
                Kind::Office => 2,
                Kind::Family => 3,
                _ => 0,
            };
            let wall = wall(1 + (count as usize - 1 + shift) % (style.walls.len() - 1).max(1));
            let floor = if kind == Kind::Bedroom && stream.uniform() < 0.4 && !style.carpets.is_empty() {
                let carpet = style.carpets[stream.index(style.carpets.len())];
                builder::Look::new(texture::Tex::Carpet, carpet)
            } else {
                style.floor
            };
            (wall, floor)
        }
        _ if wet => (main, style.wet_floor),
        Kind::Kitchen if stream.uniform() < 0.6 => (main, style.wet_floor),
        _ => (main, style.floor),
    }
}
