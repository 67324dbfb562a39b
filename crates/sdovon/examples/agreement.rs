//! Measures how well the analysis of annotated homes agrees with their annotation.
//!
//! `cargo run --release -p ambler_sdovon --example agreement -- scenes/harbour_house [FOLDER]`

use ambler_model::{Knowledge, TrueDetector};
use ambler_scene::{ReadOptions, read_scene};
use ambler_sdovon::analysis::{Advisers, analyse};
use ambler_sdovon::settings::Settings;
use ambler_sdovon::stages::Stages;
use ambler_sdovon::truth;
use ambler_sensor::Renderer;
use std::sync::Arc;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let scene = arguments.next().ok_or("name a scene")?;
    let folder = arguments.next();
    let scene = Arc::new(read_scene(scene.as_ref(), &ReadOptions::default())?);
    let renderer = Renderer::new(Arc::clone(&scene));
    let settings = Settings::quality();
    let table = Knowledge::shipped();
    let detector = TrueDetector { least_share: f64::from(settings.fusion.least_share) };
    let advisers = Advisers { detector: &detector, labels: &[], relevance: &table, names: &table };
    let mut stages = Stages::new(folder.map(Into::into), &scene.fingerprint);
    #[allow(clippy::disallowed_methods, reason = "the time it takes is what is shown")]
    let start = Instant::now();
    let analysis = analyse(&renderer, &settings, &advisers, 0, &mut stages)?;
    let seconds = start.elapsed().as_secs_f64();
    let seen = truth::seen(&renderer, &analysis, &settings)?;
    let agreement =
        truth::agreement(&scene, &analysis, &settings, &table, &seen, settings.fusion.least_views);
    println!(
        "{}: {} triangles, {} floors, {} places, {} instances, {} surfaces, {seconds:.1} s",
        scene.name,
        scene.triangle_count(),
        analysis.floors.len(),
        analysis.coverage.iter().map(|coverage| coverage.places.len()).sum::<usize>(),
        analysis.instances.len(),
        analysis.surfaces.len(),
    );
    println!("dropped {:?}", analysis.dropped);
    if std::env::var_os("SURFACES").is_some() {
        for surface in &analysis.surfaces {
            let (plane, at) = (&surface.plane, surface.plane.middle());
            println!(
                "  {} in {}: {:.2} m² at ({:.2}, {:.2}, {:.2}), {:.2} free",
                surface.name,
                surface.region.name(),
                plane.area_m2(),
                at.x,
                plane.y,
                at.y,
                surface.headroom.share,
            );
        }
    }
    for missed in &agreement.missed {
        println!("  {missed}");
    }
    for (what, share) in [
        ("recall", agreement.recall),
        ("precision", agreement.precision),
        ("tops", agreement.tops),
        ("all tops", agreement.all_tops),
        ("region of cells", agreement.region_cells),
        ("region of surfaces", agreement.region_surfaces),
    ] {
        println!("{what}: {:.3} ({}/{})", share.share(), share.right, share.all);
    }
    println!("worst height {:.4} m, {} duplicates", agreement.worst_height_m, agreement.duplicates);
    Ok(())
}
