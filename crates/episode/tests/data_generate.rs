//! Episodes drawn in real scans.

mod data;

use ambler_episode::check::check;
use ambler_episode::generate::{
    Generated, ObjectNavOptions, PointNavOptions, ViewPointOptions, objectnav, pointnav,
};
use ambler_navmesh::{NavMesh, NavMeshSettings, NavQuery};
use ambler_scene::{ReadOptions, SceneModel, read_scene};
use ambler_sensor::{CameraSpec, Renderer};
use std::sync::Arc;
use std::time::Instant;

fn stage(relative: &str) -> Option<(Arc<SceneModel>, Arc<NavMesh>)> {
    let path = data::find(relative)?;
    let scene = Arc::new(read_scene(&path, &ReadOptions::default()).expect("a scene"));
    let (vertices, triangles) = scene.world_triangles();
    let settings =
        NavMeshSettings { agent_radius_m: 0.17, agent_height_m: 1.41, ..NavMeshSettings::default() };
    let mesh = Arc::new(NavMesh::build(&vertices, &triangles, &settings).expect("a floor"));
    println!("{relative}: navmesh {:.2} m², {} instances", mesh.area_m2(), scene.instances.len());
    Some((scene, mesh))
}

fn report(what: &str, made: &Generated, start: Instant) {
    let distances: Vec<f64> =
        made.set.episodes.iter().filter_map(|episode| episode.stated_geodesic_m()).collect();
    let mean = distances.iter().sum::<f64>() / distances.len() as f64;
    println!(
        "  {what}: {} episodes in {:.2} s, mean {mean:.2} m, {:?}",
        made.set.episodes.len(),
        start.elapsed().as_secs_f64(),
        made.set.categories()
    );
    println!("    refused {}; notes {:?}", made.refused, made.notes);
}

fn check_stage(relative: &str, points: usize, objects: usize) {
    let Some((scene, mesh)) = stage(relative) else { return };
    let mut query = NavQuery::new(Arc::clone(&mesh));
    let start = Instant::now();
    let made = pointnav(relative, &mesh, points, 1, &PointNavOptions::default()).expect("point goals");
    report("pointnav", &made, start);
    assert_eq!(made.set.episodes.len(), points);
    assert_eq!(check(&made.set.episodes, &mut query), []);
    let start = Instant::now();
    let renderer = Renderer::new(Arc::clone(&scene));
    // Smaller pictures and a coarser grid than the default: the test is of the outcome.
    let camera = CameraSpec { width: 64, height: 64, ..ViewPointOptions::default().camera };
    let views =
        ViewPointOptions { camera, grid_m: 0.2, min_share: 0.002, ..ViewPointOptions::default() };
    let options = ObjectNavOptions { views, ..ObjectNavOptions::default() };
    let made = objectnav(relative, &renderer, &mesh, objects, 1, &options).expect("object goals");
    report("objectnav", &made, start);
    assert_eq!(made.set.episodes.len(), objects);
    let invalid: Vec<_> = check(&made.set.episodes, &mut query)
        .into_iter()
        .filter(|finding| finding.kind.is_invalid())
        .collect();
    assert_eq!(invalid, []);
}

#[test]
fn polycam_room_without_labels() {
    check_stage("ok/polycam_washitsu_room_cc0/scans/room.glb", 20, 10);
}

#[test]
fn quest_living_room() {
    check_stage("ok/meta_quest_iwer_sem/living_room_scan.ply", 20, 20);
}

#[test]
fn quest_meeting_room() {
    check_stage("ok/meta_quest_iwer_sem/meeting_room_scan.ply", 20, 20);
}
