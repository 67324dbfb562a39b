//! The analysis of a home that ships against its annotation, with the detector that knows the truth.
//! `cargo run --release -p ambler_sdovon --example agreement -- HOME` shows the same of any home.
#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use ambler_model::{Knowledge, TrueDetector};
use ambler_scene::{ReadOptions, read_scene};
use ambler_sdovon::analysis::{Advisers, analyse};
use ambler_sdovon::settings::Settings;
use ambler_sdovon::stages::Stages;
use ambler_sdovon::truth;
use ambler_sensor::Renderer;
use std::path::Path;
use std::sync::Arc;

/// The bars: precision and recall at least 0.95 for instances in three views or more, 95 % of the tops over
/// 0.1 m² that the views show, heights within 2 cm, no duplicates.
#[test]
fn a_shipped_home_is_found_as_it_is_annotated() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/maple_studio");
    let scene = Arc::new(read_scene(&path, &ReadOptions::default()).unwrap());
    let renderer = Renderer::new(Arc::clone(&scene));
    let settings = Settings::quality();
    let table = Knowledge::shipped();
    let detector = TrueDetector { least_share: f64::from(settings.fusion.least_share) };
    let advisers = Advisers { detector: &detector, labels: &[], relevance: &table, names: &table };
    let folder = tempfile::tempdir().unwrap();
    let stages = || Stages::new(Some(folder.path().to_path_buf()), &scene.fingerprint);
    let mut first = stages();
    let analysis = analyse(&renderer, &settings, &advisers, 0, &mut first).unwrap();
    assert_eq!(first.made.len(), 5);
    let seen = truth::seen(&renderer, &analysis, &settings).unwrap();
    let found =
        truth::agreement(&scene, &analysis, &settings, &table, &seen, settings.fusion.least_views);
    assert!(found.recall.share() >= 0.95, "{found:#?}");
    assert!(found.precision.share() >= 0.95, "{found:#?}");
    assert!(found.tops.all >= 15 && found.tops.share() >= 0.95, "{found:#?}");
    assert!(found.worst_height_m <= 0.02 && found.duplicates == 0, "{found:#?}");
    assert!(found.region_cells.share() >= 0.85, "{found:#?}");

    // Taken from the folder it is the same.
    let mut second = stages();
    let again = analyse(&renderer, &settings, &advisers, 0, &mut second).unwrap();
    assert_eq!((second.taken.len(), second.made.len()), (5, 0));
    assert_eq!(again.surfaces, analysis.surfaces);
    assert_eq!(again.instances, analysis.instances);

    // Surfaces alone are made anew from the clouds that were saved.
    let mut other = settings.clone();
    other.planes.headroom_m = 0.3;
    let mut third = stages();
    analyse(&renderer, &other, &advisers, 0, &mut third).unwrap();
    assert_eq!(third.made, ["5_surfaces"]);
}
