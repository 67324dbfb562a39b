//! Stages 7 and 8 over a made-up physics: what is drawn for a surface, from where it is let go, and what
//! becomes of what fails.
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use ambler_geometry::{Quat, Vec2, Vec3};
use ambler_model::{Knowledge, Region};
use ambler_scene::library::{Library, LibraryObject};
use ambler_sdovon::analysis::{Analysis, Surface};
use ambler_sdovon::grid::Grid;
use ambler_sdovon::place::{Body, Motion, Rested, Settle, Variant, variant};
use ambler_sdovon::plan::Planner;
use ambler_sdovon::planes::{Headroom, ReceptaclePlane};
use ambler_sdovon::settings::{Amount, PlacementSettings, Settings};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, OnceLock};

fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/objects");
    LIBRARY.get_or_init(|| Library::read(&folder).unwrap())
}

fn surface(name: &str, region: Region, x: f32, size: Vec2, y: f32, free_m: f32) -> Surface {
    let outline = vec![
        Vec2::new(x, 0.0),
        Vec2::new(x, size.y),
        Vec2::new(x + size.x, size.y),
        Vec2::new(x + size.x, 0.0),
    ];
    let mut free = Grid::over(outline[0], outline[2], 0.03, free_m);
    free.cells.iter_mut().for_each(|cell| *cell = free_m);
    Surface {
        name: format!("{name}_1"),
        receptacle: x as u32,
        label: name.into(),
        floor: 0,
        region,
        plane: ReceptaclePlane { outline, y, normal: Vec3::Y, points: 1000 },
        headroom: Headroom { free_m: free, share: 1.0 },
    }
}

fn home(surfaces: Vec<Surface>) -> Analysis {
    Analysis {
        scene: "home".into(),
        key: "key".into(),
        floors: Vec::new(),
        coverage: Vec::new(),
        instances: Vec::new(),
        dropped: BTreeMap::new(),
        surfaces,
        regions: Vec::new(),
    }
}

/// Puts things down where they are let go; what `wrong` says goes wrong.
struct Fake<F> {
    floor_y: f32,
    calls: Mutex<Vec<Vec<(String, Vec3, Quat)>>>,
    wrong: F,
}

impl<F: Fn(usize, u32) -> Option<Rested> + Sync> Settle for Fake<F> {
    fn is_free(&self, _: &LibraryObject, _: Vec3, _: Quat) -> bool {
        true
    }

    fn settle(&self, bodies: &[Body<'_>], _: f32) -> Result<Vec<Rested>, String> {
        let mut calls = self.calls.lock().unwrap();
        let list = |body: &Body<'_>| (body.object.name.clone(), body.position, body.rotation);
        calls.push(bodies.iter().map(list).collect());
        let number = calls.len();
        Ok(bodies
            .iter()
            .map(|body| {
                let lowest = lowest(body.object, body.rotation);
                let position = Vec3::new(body.position.x, self.floor_y - lowest, body.position.z);
                let rest = Rested {
                    id: body.id,
                    position,
                    rotation: body.rotation,
                    motion: Motion::AtRest,
                    overlap_m: 0.0,
                };
                (self.wrong)(number, body.id).map_or(rest, |wrong| Rested { id: body.id, ..wrong })
            })
            .collect())
    }
}

fn lowest(object: &LibraryObject, rotation: Quat) -> f32 {
    let points = object.hulls.iter().flat_map(|hull| &hull.points);
    points.map(|&point| (rotation * point).y).fold(f32::INFINITY, f32::min)
}

fn run(home: &Analysis, settle: &dyn Settle, settings: &PlacementSettings, seed: u64) -> Variant {
    let table = Knowledge::shipped();
    let mut planner = Planner::new(library(), &table, settings);
    variant(home, &mut planner, settle, settings, seed, 0).unwrap()
}

fn fake<F: Fn(usize, u32) -> Option<Rested> + Sync>(wrong: F) -> Fake<F> {
    Fake { floor_y: 0.9, calls: Mutex::default(), wrong }
}

#[test]
fn things_are_let_go_30_cm_above_and_keep_apart() {
    let home = home(vec![surface("counter", Region::Kitchen, 0.0, Vec2::new(2.4, 0.6), 0.9, 2.0)]);
    for settings in [Settings::quality().placement, Settings::paper().placement] {
        let settle = fake(|_, _| None);
        let found = run(&home, &settle, &settings, 3);
        assert!(found.objects.len() >= 4, "{} objects", found.objects.len());
        let first = &settle.calls.lock().unwrap()[0];
        for (name, position, rotation) in first {
            let object = library().object(name).unwrap();
            assert!((position.y + lowest(object, *rotation) - 1.2).abs() < 1e-4);
        }
        for (index, a) in found.objects.iter().enumerate() {
            for b in &found.objects[index + 1..] {
                let flat = |v: Vec3| Vec2::new(v.x, v.z);
                let middle = |p: &ambler_sdovon::place::Placed| {
                    let object = library().object(&p.object).unwrap();
                    flat(p.position + p.rotation * object.center_of_mass)
                };
                assert!(middle(a).distance(middle(b)) >= 0.1 - 1e-4);
            }
        }
    }
}

#[test]
fn kitchens_get_kitchen_things_and_beds_get_none_of_them() {
    let kitchen = surface("counter", Region::Kitchen, 0.0, Vec2::new(3.0, 0.6), 0.9, 2.0);
    let bedroom = surface("bed", Region::Bedroom, 10.0, Vec2::new(2.0, 1.8), 0.9, 2.0);
    let home = home(vec![kitchen, bedroom]);
    let settings =
        PlacementSettings { amount: Amount::PerReceptacle(10), ..Settings::quality().placement };
    let table = Knowledge::shipped();
    let (mut on_bed, mut odd) = (0, 0);
    for seed in 0..30 {
        for placed in run(&home, &fake(|_, _| None), &settings, seed).objects {
            let c = placed.chances;
            assert!(c.joint > 0.0 && c.in_region > 0.0 && c.on_receptacle > 0.0);
            if placed.receptacle == "bed" {
                on_bed += 1;
                let scores = table.find(&placed.category).unwrap().receptacles;
                let bed = ambler_model::RECEPTACLES.iter().position(|name| *name == "bed").unwrap();
                odd += u32::from(scores[bed] == 0.0);
            }
        }
    }
    assert!(on_bed > 100, "{on_bed}");
    assert!(odd * 20 < on_bed, "{odd} of {on_bed} things do not belong on beds");
}

#[test]
fn the_joint_chance_is_the_product_normalised_over_the_library() {
    let table = Knowledge::shipped();
    let settings = Settings::quality().placement;
    let mut planner = Planner::new(library(), &table, &settings);
    let count = planner.categories().len();
    assert!(count >= 73, "{count} categories: the paper has 73");
    let mut stream = ambler_geometry::random::Stream::new(1, "", "draws");
    let mut sums: BTreeMap<String, (f64, u32)> = BTreeMap::new();
    let draws = 20_000;
    for _ in 0..draws {
        let draw = planner.draw(Region::Office, "desk", &mut stream).unwrap().unwrap();
        let sum = sums.entry(draw.object.category.clone()).or_insert((draw.chances.joint, 0));
        sum.1 += 1;
    }
    // Each category comes as often as its chance says, within five standard deviations.
    for (category, (joint, found)) in sums {
        let expected = joint * f64::from(draws);
        assert!((f64::from(found) - expected).abs() < 5.0 * expected.sqrt() + 1.0, "{category}");
    }
}

#[test]
fn what_fails_is_counted_and_drawn_again() {
    let home = home(vec![surface("desk", Region::Office, 0.0, Vec2::new(2.0, 1.0), 0.9, 2.0)]);
    let settings = PlacementSettings { amount: Amount::Total(6), ..Settings::quality().placement };
    let gone = |motion, y, overlap_m| Rested {
        id: 0,
        position: Vec3::new(1.0, y, 0.5),
        rotation: Quat::IDENTITY,
        motion,
        overlap_m,
    };
    let settle = fake(|call, id| match (call, id) {
        (1, 1) => Some(gone(Motion::Fallen, -5.0, 0.0)),
        (1, 2) => Some(gone(Motion::Moving, 1.0, 0.0)),
        (1, 3) => Some(gone(Motion::AtRest, 0.2, 0.0)),
        (1, 4) => Some(gone(Motion::AtRest, 0.95, 0.011)),
        (1, 5) => {
            Some(Rested { position: Vec3::new(5.0, 0.95, 0.5), ..gone(Motion::AtRest, 0.95, 0.0) })
        }
        _ => None,
    });
    let found = run(&home, &settle, &settings, 1);
    for reason in [
        "it fell out of the home",
        "it did not come to rest",
        "it fell off its surface",
        "it reaches into something",
        "it left its surface",
    ] {
        assert_eq!(found.reasons.get(reason), Some(&1), "{reason}: {:?}", found.reasons);
    }
    assert_eq!(found.objects.len(), 6, "all five were replaced");
    let tries: usize = found.objects.iter().map(|placed| placed.rejected.len()).sum();
    assert_eq!(tries as u32, found.reasons.values().sum::<u32>());
}

#[test]
fn what_drifts_afterwards_is_taken_away() {
    let home = home(vec![surface("desk", Region::Office, 0.0, Vec2::new(2.0, 1.0), 0.9, 2.0)]);
    let settings = PlacementSettings { amount: Amount::Total(3), ..Settings::quality().placement };
    // The first fall puts all three down; the second simulation moves the second one.
    let drift = Rested {
        id: 0,
        position: Vec3::new(0.1, 0.95, 0.1),
        rotation: Quat::IDENTITY,
        motion: Motion::AtRest,
        overlap_m: 0.0,
    };
    let settle = fake(move |call, id| (call == 2 && id == 2).then_some(drift));
    let found = run(&home, &settle, &settings, 1);
    assert_eq!((found.objects.len(), found.failed.len()), (2, 1));
    assert_eq!(found.failed[0].rejected.last().unwrap().why, "it drifts");
}

#[test]
fn under_a_board_things_are_low_and_let_go_low() {
    let home = home(vec![surface("shelf", Region::LivingRoom, 0.0, Vec2::new(0.8, 0.3), 0.9, 0.25)]);
    let settings = PlacementSettings { amount: Amount::Total(8), ..Settings::quality().placement };
    let settle = fake(|_, _| None);
    let found = run(&home, &settle, &settings, 5);
    assert!(!found.objects.is_empty());
    for call in settle.calls.lock().unwrap().iter() {
        for (name, position, rotation) in call {
            let points = library().object(name).unwrap().hulls.iter().flat_map(|hull| &hull.points);
            let top = points.map(|&p| (*rotation * p).y).fold(f32::NEG_INFINITY, f32::max);
            assert!(position.y + top < 0.9 + 0.25, "{name} would begin in the board above");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_variant() {
    let home = home(vec![
        surface("desk", Region::Office, 0.0, Vec2::new(1.6, 0.8), 0.9, 2.0),
        surface("bed", Region::Bedroom, 5.0, Vec2::new(2.0, 1.6), 0.9, 2.0),
    ]);
    let settings = Settings::quality().placement;
    let found = |seed| run(&home, &fake(|_, _| None), &settings, seed);
    assert_eq!(found(4), found(4));
    assert_ne!(found(4).objects, found(5).objects);
}
