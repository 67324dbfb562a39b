//! Thirty things of the library dropped at once: on the table of a real meeting room, and on a dining
//! table of a home.
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod common;

use ambler_geometry::Vec3;
use ambler_geometry::random::Stream;
use ambler_plugin_physics::{
    Dropped, Landing, ObjectShape, PhysicsSettings, StageShape, deepest, deepest_in_stage, drop_over,
    landing, settle, spawn_objects,
};
use ambler_scene::home::{HomeSpec, generate};
use ambler_scene::library::Library;
use ambler_scene::{ReadOptions, Receptacle, SceneModel, read_scene};
use common::world_with;
use std::path::Path;
use std::sync::{Arc, OnceLock};

const COUNT: usize = 30;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Thirty objects, no two of one name, drawn with a seed.
fn things(library: &Library, seed: u64) -> Vec<Dropped> {
    let mut order: Vec<usize> = (0..library.objects.len()).collect();
    Stream::new(seed, "thirty", "objects").shuffle(&mut order);
    order
        .iter()
        .take(COUNT)
        .zip(1_000_000..)
        .map(|(&index, id)| {
            let object = &library.objects[index];
            Dropped { id, shape: ObjectShape::of_library(object).unwrap(), rolls: object.rolls }
        })
        .collect()
}

struct Outcome {
    on: usize,
    /// How far a thing reaches into another or into the stage.
    deepest_m: f32,
    hash: String,
}

/// Drops them; what became of them, and a hash over every pose.
fn drop_all(scene: &SceneModel, stage: &Arc<StageShape>, surface: &Receptacle, seed: u64) -> Outcome {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    let library = LIBRARY.get_or_init(|| Library::read(&root().join("assets/objects")).unwrap());
    let things = things(library, seed);
    let mut stream = Stream::new(seed, "thirty", "drop");
    let specs = drop_over(&things, stage, &surface.polygon, surface.y, &mut stream);
    let mut simulation = world_with(Arc::clone(stage), PhysicsSettings::default());
    spawn_objects(simulation.world_mut(), &specs);
    let report = settle(simulation.world_mut(), 10.0);
    let mut counts = [0; 2];
    let mut hasher = blake3::Hasher::new();
    for (settled, thing) in report.objects.iter().zip(&things) {
        match landing(settled, &thing.shape, &surface.polygon, surface.y) {
            Landing::OnSurface => counts[0] += 1,
            Landing::Off => counts[1] += 1,
            other => panic!(
                "{:?} {:?} {:?} {} is {other:?} after {} s: {settled:?}",
                thing.shape.bounds,
                thing.shape.center_of_mass(),
                library.objects.iter().find(|o| o.bounds == thing.shape.bounds).map(|o| (
                    &o.name,
                    o.bounds,
                    o.hulls.len()
                )),
                settled.id,
                report.seconds
            ),
        }
        // None is below the floor: there is stage under its middle.
        let middle = settled.position + settled.rotation * thing.shape.center_of_mass();
        let under = stage.cast_ray(middle, Vec3::NEG_Y, 10.0);
        assert!(under.is_some(), "nothing is under {}: {settled:?}", settled.id);
        for number in settled.position.to_array().into_iter().chain(settled.rotation.to_array()) {
            hasher.update(&number.to_bits().to_le_bytes());
        }
    }
    assert_eq!(report.objects.len(), COUNT);
    let deepest = deepest(simulation.world_mut());
    let sunk = deepest_in_stage(simulation.world_mut());
    println!(
        "{}: {} on {}, {} fell off, at rest after {:.2} s, deepest overlap {deepest:?}, into the stage {sunk:?}",
        scene.name, counts[0], surface.name, counts[1], report.seconds
    );
    let deepest_m = deepest.map_or(0.0, |(_, _, depth)| depth).max(sunk.map_or(0.0, |(_, depth)| depth));
    Outcome { on: counts[0], deepest_m, hash: hasher.finalize().to_hex().to_string() }
}

fn meeting_room() -> (SceneModel, Arc<StageShape>, Receptacle) {
    let scene = read_scene(&root().join("scenes/quest_meeting_room"), &ReadOptions::default()).unwrap();
    let stage = Arc::new(StageShape::new(&scene, |_| false));
    let table = scene.receptacles[0].clone();
    (scene, stage, table)
}

fn dining_room() -> (SceneModel, Arc<StageShape>, Receptacle) {
    let scene = generate(&HomeSpec { rooms: Some(9), ..HomeSpec::new(4) }).unwrap();
    let stage = Arc::new(StageShape::new(&scene, |_| false));
    let is_dining = |r: &&Receptacle| {
        scene
            .instance(r.instance)
            .is_some_and(|i| scene.category_name(i.category).contains("dining_table"))
    };
    let table = scene
        .receptacles
        .iter()
        .find(is_dining)
        .expect("a home of nine rooms has a dining table")
        .clone();
    (scene, stage, table)
}

#[test]
fn thirty_things_come_to_rest_on_the_table_of_a_meeting_room() {
    let (scene, stage, table) = meeting_room();
    let first = drop_all(&scene, &stage, &table, 1);
    assert!(first.on >= COUNT / 2, "only {} stayed on the table", first.on);
    assert!(first.deepest_m <= 0.005, "{} m", first.deepest_m);
    // The same bytes again, and in every process and build: a change of rapier, of a shape or of the
    // library changes them, and nothing else may.
    assert_eq!(drop_all(&scene, &stage, &table, 1).hash, first.hash);
    assert_eq!(first.hash, MEETING_ROOM);
}

#[test]
fn thirty_things_come_to_rest_on_a_dining_table_of_a_home() {
    let (scene, stage, table) = dining_room();
    let first = drop_all(&scene, &stage, &table, 1);
    assert!(first.deepest_m <= 0.005, "{} m", first.deepest_m);
    assert_eq!(drop_all(&scene, &stage, &table, 1).hash, first.hash);
}

#[test]
fn many_drops_of_thirty_come_to_rest() {
    let (scene, stage, table) = meeting_room();
    let deep: Vec<f32> = (3..9).map(|seed| drop_all(&scene, &stage, &table, seed).deepest_m).collect();
    assert!(deep.iter().all(|&depth| depth <= 0.005), "{deep:?}");
}

/// blake3 over position and rotation of each thing, in the order of ids.
const MEETING_ROOM: &str = "0ba75b5481e768314a92b109d832874736b04ced823fad6431868121a8363ce9";
