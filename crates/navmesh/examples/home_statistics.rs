//! Makes homes from many seeds and says what they are like, and why seeds were rejected: the table of
//! docs/HOMES.md.
//!
//! `cargo run --release -p ambler_navmesh --example home_statistics -- [SEEDS] [ROOMS FLOORS]`
//!
//! Without ROOMS and FLOORS the wishes are the default ones. `grid` instead of SEEDS tries every sensible
//! number of rooms and floors with five seeds each. The output does not depend on the number of threads.

#[path = "../tests/home_walk/mod.rs"]
mod home_walk;

use ambler_geometry::polygon_area;
use ambler_scene::home::{Home, HomeError, HomeSpec, generate_home};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What one seed gave.
struct Outcome {
    spec: HomeSpec,
    home: Result<Figures, HomeError>,
}

struct Figures {
    rooms: usize,
    area_m2: f64,
    doors: usize,
    windows: usize,
    things: usize,
    furniture: usize,
    surfaces: usize,
    triangles: usize,
    rooms_reached: usize,
    doors_passed: usize,
    surfaces_reached: usize,
    attempts: u32,
    seconds: f64,
    rejections: BTreeMap<String, u32>,
    categories: BTreeMap<String, usize>,
}

fn figures(home: &Home, seconds: f64) -> Result<Figures, String> {
    let mut walked = home_walk::walk(home)?;
    let scene = &home.scene;
    let mut categories: BTreeMap<String, usize> = BTreeMap::new();
    for room in &scene.rooms {
        *categories.entry(room.category.clone()).or_default() += 1;
    }
    let open = home.doors.iter().filter(|door| door.is_open).count();
    Ok(Figures {
        rooms: scene.rooms.len(),
        area_m2: scene.rooms.iter().map(|room| f64::from(polygon_area(&room.polygon).abs())).sum(),
        doors: open,
        windows: home.windows as usize,
        things: scene.instances.len(),
        furniture: home.footprints.len(),
        surfaces: scene.receptacles.len(),
        triangles: scene.triangle_count(),
        rooms_reached: scene.rooms.len() - walked.rooms_out_of_reach(home).len(),
        doors_passed: open - walked.blocked_doors(home).len(),
        surfaces_reached: scene.receptacles.len() - walked.surfaces_out_of_reach(home).len(),
        attempts: 1 + home.rejections.values().sum::<u32>(),
        seconds,
        rejections: home.rejections.clone(),
        categories,
    })
}

fn outcome(spec: &HomeSpec) -> Outcome {
    let clock = std::time::Instant::now();
    let made = generate_home(spec);
    let seconds = clock.elapsed().as_secs_f64();
    let home = made.and_then(|home| figures(&home, seconds).map_err(HomeError::Write));
    Outcome { spec: spec.clone(), home }
}

fn all(specs: &[HomeSpec]) -> Vec<Outcome> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some((index, spec)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| Some((i, specs.get(i)?)))
        {
            done.push((index, outcome(spec)));
        }
        done
    };
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut done: Vec<(usize, Outcome)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
    });
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, outcome)| outcome).collect()
}

/// least, 5 %, median, 95 %, greatest.
fn row(name: &str, mut values: Vec<f64>, digits: usize) {
    values.sort_by(f64::total_cmp);
    if values.is_empty() {
        return;
    }
    let at = |share: f64| values[((values.len() - 1) as f64 * share).round() as usize];
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    println!(
        "| {name} | {:.digits$} | {:.digits$} | {:.digits$} | {:.digits$} | {:.digits$} | {mean:.digits$} |",
        at(0.0),
        at(0.05),
        at(0.5),
        at(0.95),
        at(1.0)
    );
}

fn report(outcomes: &[Outcome]) {
    let made: Vec<&Figures> = outcomes.iter().filter_map(|o| o.home.as_ref().ok()).collect();
    println!("\n{} seeds, {} homes\n", outcomes.len(), made.len());
    println!("| | least | 5 % | median | 95 % | greatest | mean |\n|---|---|---|---|---|---|---|");
    type Figure = fn(&Figures) -> f64;
    let rows: [(&str, Figure, usize); 10] = [
        ("rooms", |f| f.rooms as f64, 0),
        ("floor area, m²", |f| f.area_m2, 0),
        ("doors and openings", |f| f.doors as f64, 0),
        ("windows", |f| f.windows as f64, 0),
        ("labelled things", |f| f.things as f64, 0),
        ("pieces of furniture on the floor", |f| f.furniture as f64, 0),
        ("surfaces that hold objects", |f| f.surfaces as f64, 0),
        ("triangles", |f| f.triangles as f64, 0),
        ("attempts", |f| f64::from(f.attempts), 0),
        ("seconds", |f| f.seconds, 2),
    ];
    for (name, value, digits) in rows {
        row(name, made.iter().map(|f| value(f)).collect(), digits);
    }
    let share = |name: &str, part: fn(&Figures) -> usize, of: fn(&Figures) -> usize| {
        let (part, of): (usize, usize) =
            (made.iter().map(|f| part(f)).sum(), made.iter().map(|f| of(f)).sum());
        println!("{name}: {part} of {of}");
    };
    println!();
    share("rooms reached by the Stretch body", |f| f.rooms_reached, |f| f.rooms);
    share("doors passed by it", |f| f.doors_passed, |f| f.doors);
    share("surfaces within 1 m of where it stands", |f| f.surfaces_reached, |f| f.surfaces);
    let mut categories: BTreeMap<&str, usize> = BTreeMap::new();
    let mut rejections: BTreeMap<&str, u32> = BTreeMap::new();
    for outcome in outcomes {
        let rejected = match &outcome.home {
            Ok(figures) => {
                for (name, count) in &figures.categories {
                    *categories.entry(name).or_default() += count;
                }
                Some(&figures.rejections)
            }
            Err(error) => {
                let spec = &outcome.spec;
                println!("no home: rooms {:?}, floors {}: {error}", spec.rooms, spec.floors);
                if let HomeError::Rejected { rejections, .. } = error { Some(rejections) } else { None }
            }
        };
        for (why, count) in rejected.into_iter().flatten() {
            *rejections.entry(why).or_default() += count;
        }
    }
    println!("\nrooms: {categories:?}\n\nattempts rejected:\n");
    for (why, count) in rejections {
        println!("| {why} | {count} |");
    }
}

fn main() -> Result<(), String> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| -> Result<Option<u64>, String> {
        words.get(index).map(|w| w.parse().map_err(|_| format!("'{w}' is no number"))).transpose()
    };
    let specs: Vec<HomeSpec> = if words.first().is_some_and(|word| word == "grid") {
        let mut specs = Vec::new();
        for floors in 1..=3_u32 {
            let least = if floors == 1 { 3 } else { 5 * floors };
            for rooms in least..=30 {
                specs.extend((0..5).map(|seed| HomeSpec {
                    rooms: Some(rooms),
                    floors,
                    ..HomeSpec::new(seed)
                }));
            }
        }
        specs
    } else {
        let rooms = number(1)?.map(|rooms| rooms as u32);
        let floors = number(2)?.unwrap_or(1) as u32;
        let seeds = number(0)?.unwrap_or(1000);
        (0..seeds).map(|seed| HomeSpec { rooms, floors, ..HomeSpec::new(seed) }).collect()
    };
    report(&all(&specs));
    Ok(())
}
