//! The shipped object library, and what a library promises.

use ambler_scene::library::Library;
use std::path::Path;

fn shipped() -> Library {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/objects");
    Library::read(&folder).expect("the shipped library reads")
}

#[test]
fn look() {
    let library = shipped();
    for note in &library.notes {
        println!("{note}");
    }
    for object in &library.objects {
        println!(
            "{} {:?} hulls {} points {:?} com {} rolls {}",
            object.name,
            object.size_m,
            object.hulls.len(),
            object.hulls.iter().map(|h| h.points.len()).collect::<Vec<_>>(),
            object.center_of_mass,
            object.rolls
        );
        for pose in &object.poses {
            println!("   {:?} steady {}", pose, pose.is_steady());
        }
    }
}
