//! How many queries a second one core answers, on navmeshes given as files:
//! `cargo run --release -p ambler_navmesh --example bench_queries -- scene.navmesh …`

use ambler_geometry::random::Stream;
use ambler_geometry::{Heading, Vec3};
use ambler_navmesh::{NavMesh, NavQuery};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

const POINTS: usize = 4096;
const ROUNDS: usize = 5;

/// Processor time of this process in seconds where Linux gives it, so that what else runs on the
/// machine counts less; else the time of day.
fn seconds(start: Instant) -> f64 {
    let on_cpu = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = on_cpu.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |value| value * 1e-9)
}

/// Prints the median of a few rounds, each of at least 50 ms.
fn report(name: &str, mut work: impl FnMut() -> usize) {
    let epoch = Instant::now();
    let mut rates: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let (start, mut count) = (seconds(epoch), 0);
            while seconds(epoch) - start < 0.05 {
                count += work();
            }
            count as f64 / (seconds(epoch) - start)
        })
        .collect();
    rates.sort_by(f64::total_cmp);
    println!("  {name:<44} {:>12.0} /s", rates[ROUNDS / 2]);
}

fn consume<T>(value: T) {
    black_box(value);
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args_os().skip(1) {
        let mesh = Arc::new(NavMesh::read(&path)?);
        let [polys, ..] = mesh.counts();
        println!("{} ({polys} polygons, {:.2} m²)", path.to_string_lossy(), mesh.area_m2());
        let mut query = NavQuery::new(mesh);
        let mut stream = Stream::new(0, "bench", "points");
        let points: Vec<Vec3> =
            (0..POINTS).filter_map(|_| query.random_point(&mut stream, None)).collect();
        let headings: Vec<Vec3> = points
            .iter()
            .map(|_| Heading::from_yaw(stream.range(0.0, std::f64::consts::TAU)).forward() * 0.25)
            .collect();
        let pairs = || points.iter().zip(points.iter().skip(1));
        report("snap, on the floor", || {
            points.iter().for_each(|p| consume(query.snap(*p)));
            points.len()
        });
        report("snap, up to 1 m beside the floor", || {
            let off = |p: &Vec3, h: &Vec3| *p + *h * 4.0 + Vec3::Y * 0.3;
            points.iter().zip(&headings).for_each(|(p, h)| consume(query.snap(off(p, h))));
            points.len()
        });
        for (name, sliding) in
            [("step of 0.25 m from anywhere, sliding", true), ("the same, no sliding", false)]
        {
            report(name, || {
                for (p, h) in points.iter().zip(&headings) {
                    black_box(query.try_step(*p, *p + *h, sliding));
                }
                points.len()
            });
        }
        report("step of 0.25 m, one after another", || {
            let mut at = points[0];
            for h in &headings {
                at = query.try_step(at, at + *h, false);
            }
            black_box(at);
            headings.len()
        });
        report("geodesic between random points", || {
            pairs().for_each(|(a, b)| consume(query.geodesic(*a, *b)));
            points.len() - 1
        });
        report("distance to an obstacle, 2 m", || {
            points.iter().for_each(|p| consume(query.distance_to_obstacle(*p, 2.0)));
            points.len()
        });
        for goals in [1, 50, 500, 4000] {
            // Viewpoints: a cluster around one place of the largest reach.
            let center = points[7];
            let near: Vec<Vec3> =
                (0..goals).filter_map(|_| query.random_point_near(&mut stream, center, 1.0)).collect();
            let set = query.prepare_goals(&near);
            report(&format!("step and distance to {goals} goals within 1 m"), || {
                let mut at = points[0];
                let steps = if goals > 100 { 200 } else { POINTS };
                for h in headings.iter().take(steps) {
                    at = query.try_step(at, at + *h, true);
                    consume(query.geodesic_to(&set, at));
                }
                steps
            });
        }
    }
    Ok(())
}
