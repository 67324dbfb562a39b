//! Homes made from seeds are homes for a body: every room is reached, nothing stands in a door, in a
//! wall or in another piece, every surface that holds objects is within reach.
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod home_walk;

use ambler_geometry::Vec2;
use ambler_scene::home::{Home, HomeSpec, ScanSpec, generate_home, scan_scene};
use home_walk::{bounds, walk};
use std::sync::atomic::{AtomicU64, Ordering};

/// Seeds looked at; 200 with AMBLER_SEEDS=200.
fn seeds() -> u64 {
    std::env::var("AMBLER_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(40)
}

/// What is wrong with a home, in words.
fn faults(name: &str, home: &Home) -> Vec<String> {
    let mut walked = walk(home).unwrap();
    let mut out: Vec<String> = Vec::new();
    let rooms = walked.rooms_out_of_reach(home);
    out.extend(rooms.iter().map(|room| format!("{name}: {room} is not reached")));
    let surfaces = walked.surfaces_out_of_reach(home);
    out.extend(surfaces.iter().map(|(what, far)| format!("{name}: {what} is {far} m away")));
    let blocked = walked.blocked_doors(home);
    out.extend(blocked.iter().map(|(at, off)| format!("{name}: the door at {at} is blocked ({off} m)")));
    let narrow = home.doors.iter().filter(|door| door.is_open && door.clear_m < 0.9);
    out.extend(narrow.map(|door| format!("{name}: a door of {} m", door.clear_m)));
    for (index, a) in home.footprints.iter().enumerate() {
        let room = &home.scene.rooms[a.room as usize];
        let (low, high) = bounds(&room.polygon);
        if !(a.min.cmpge(low - 0.01).all() && a.max.cmple(high + 0.01).all()) {
            out.push(format!("{name}: a {} reaches into a wall of {}", a.category, room.name));
        }
        for b in home.footprints.iter().skip(index + 1).filter(|b| b.room == a.room) {
            let apart = (a.min + 0.01).cmpge(b.max).any() || (b.min + 0.01).cmpge(a.max).any();
            if !apart {
                out.push(format!("{name}: {} and {} overlap in {}", a.category, b.category, room.name));
            }
        }
    }
    out.extend(strays(home).into_iter().map(|what| format!("{name}: {what}")));
    out
}

/// Things on the floor that reach out of the footprints that were kept free for them.
fn strays(home: &Home) -> Vec<String> {
    let building = [
        "",
        "floor",
        "wall",
        "ceiling",
        "door",
        "door_frame",
        "window",
        "stairs",
        "railing",
        "rug",
        "curtain",
    ];
    let mut out = Vec::new();
    for instance in &home.scene.instances {
        let category = home.scene.category_name(instance.category);
        let (low, high) = (instance.bounds.min, instance.bounds.max);
        let (low2, high2) = (Vec2::new(low.x, low.z), Vec2::new(high.x, high.z));
        let on_floor = home.scene.floors.iter().any(|floor| (-0.02..0.05).contains(&(low.y - floor.y)));
        if building.contains(&category) || !on_floor {
            continue;
        }
        // Chairs stand turned a little.
        let held = home.footprints.iter().any(|f| {
            f.min.cmple(low2 + 0.06).all()
                && f.max.cmpge(high2 - 0.06).all()
                && (home.scene.rooms[f.room as usize].floor_y - low.y).abs() < 0.1
        });
        if !held {
            out.push(format!("{} stands outside of its place ({low2} to {high2})", instance.name));
        }
    }
    out
}

#[test]
fn every_room_door_and_receptacle_of_many_homes_is_reached() {
    let next = AtomicU64::new(0);
    let worker = || {
        let (mut surfaces, mut wrong, mut none) = (0, Vec::new(), Vec::new());
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds() {
                return (surfaces, wrong, none);
            }
            match generate_home(&HomeSpec::new(seed)) {
                Ok(home) => {
                    wrong.extend(faults(&format!("seed {seed}"), &home));
                    surfaces += home.scene.receptacles.len();
                }
                Err(error) => none.push(error.to_string()),
            }
        }
    };
    let done: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(worker)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let surfaces: usize = done.iter().map(|d| d.0).sum();
    let wrong: Vec<&String> = done.iter().flat_map(|d| &d.1).collect();
    let none: Vec<&String> = done.iter().flat_map(|d| &d.2).collect();
    println!("{surfaces} surfaces; no home: {none:?}");
    assert!(wrong.is_empty(), "{} faults: {wrong:#?}", wrong.len());
    assert!(none.len() as u64 * 200 < seeds().max(200), "no home: {none:?}");
    assert!(surfaces as u64 > 20 * seeds());
}

/// Regression: floors lost single faces, each of which kept a body 0.2 m away and together cut rooms off.
#[test]
fn a_scan_is_walked_as_its_home_is() {
    for seed in [17, 8002].into_iter().chain(0..seeds() / 20) {
        let mut home = generate_home(&HomeSpec::new(seed)).unwrap();
        let area = |home: &Home| {
            walk(home).unwrap().query.mesh().islands().iter().map(|i| i.area_m2).fold(0.0, f32::max)
        };
        let whole = area(&home);
        home.scene = scan_scene(&home.scene, &ScanSpec::new(seed));
        let walked = walk(&home).unwrap();
        assert!(walked.rooms_out_of_reach(&home).is_empty(), "seed {seed}");
        let scanned = area(&home);
        assert!(
            (scanned / whole - 1.0).abs() < 0.04,
            "seed {seed}: {whole} m² of a home, {scanned} of its scan"
        );
    }
}

#[test]
fn a_home_of_two_floors_hangs_together() {
    for seed in 0..2 {
        let spec = HomeSpec { rooms: Some(16), floors: 2, ..HomeSpec::new(seed) };
        let wrong = faults(&format!("seed {seed}"), &generate_home(&spec).unwrap());
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}

#[test]
fn large_homes_have_several_bedrooms_far_apart() {
    for seed in 0..3 {
        let home = generate_home(&HomeSpec { rooms: Some(12), ..HomeSpec::new(seed) }).unwrap();
        for (category, least) in [("bedroom", 3), ("bathroom", 2), ("closet", 2)] {
            let rooms: Vec<_> = home.scene.rooms.iter().filter(|r| r.category == category).collect();
            assert!(rooms.len() >= least, "seed {seed}: {} of {category}", rooms.len());
            let center = |i: usize| rooms[i].polygon.iter().sum::<Vec2>() / 4.0;
            let widest = (0..rooms.len())
                .flat_map(|a| (0..a).map(move |b| (a, b)))
                .map(|(a, b)| center(a).distance(center(b)))
                .fold(0.0, f32::max);
            assert!(widest >= 5.0, "seed {seed}: rooms of {category} lie within {widest} m");
        }
    }
}
