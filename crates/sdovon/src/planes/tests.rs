use super::*;
use ambler_geometry::random::Stream;

/// Points of a rectangle (x, z, width, depth, y), 4 mm apart, with noise of 2 mm.
fn top(stream: &mut Stream, [x, z, w, d, y]: [f32; 5]) -> Vec<Vec3> {
    let (columns, rows) = ((w / 0.004) as i32, (d / 0.004) as i32);
    (0..columns)
        .flat_map(|i| (0..rows).map(move |j| (i, j)))
        .map(|(i, j)| {
            Vec3::new(x + i as f32 * 0.004, y + 0.002 * stream.normal() as f32, z + j as f32 * 0.004)
        })
        .collect()
}

fn cloud(tops: &[[f32; 5]]) -> Cloud {
    let mut stream = Stream::new(4, "", "tops");
    Cloud::of(0.01, tops.iter().flat_map(|&rectangle| top(&mut stream, rectangle)).collect::<Vec<_>>())
}

#[test]
fn a_table_has_one_top_though_its_slabs_overlap() {
    let cloud = cloud(&[[0.0, 0.0, 1.2, 0.7, 0.74]]);
    let settings = PlaneSettings::default();
    assert!(algorithm_1(&cloud, &settings).len() >= 1);
    let found = planes(&cloud, &settings);
    assert_eq!(found.len(), 1);
    assert!((found[0].y - 0.74).abs() < 0.003, "{}", found[0].y);
    assert!((found[0].area_m2() - 0.84).abs() < 0.03, "{}", found[0].area_m2());
    assert!(found[0].normal.y > 0.999);
}

#[test]
fn the_printed_algorithm_finds_a_plane_more_than_once() {
    // A top two centimetres thick seen from both sides lies in several slabs.
    let cloud =
        cloud(&[[0.0, 0.0, 1.0, 0.6, 0.74], [0.0, 0.0, 1.0, 0.6, 0.72], [0.0, 0.0, 1.0, 0.6, 0.2]]);
    let settings = PlaneSettings::default();
    assert!(algorithm_1(&cloud, &settings).len() > 2);
    let mut heights: Vec<f32> = planes(&cloud, &settings).iter().map(|plane| plane.y).collect();
    heights.dedup();
    assert_eq!(heights.len(), 2, "{heights:?}");
}

#[test]
fn every_shelf_of_a_bookshelf_is_found() {
    let shelves: Vec<[f32; 5]> = (0..5).map(|i| [0.0, 0.0, 0.8, 0.28, 0.1 + 0.35 * i as f32]).collect();
    let found = planes(&cloud(&shelves), &PlaneSettings::default());
    let heights: Vec<f32> = found.iter().map(|plane| plane.y).collect();
    assert_eq!(found.len(), 5, "{heights:?}");
    for (plane, i) in found.iter().rev().zip(0..) {
        assert!((plane.y - (0.1 + 0.35 * i as f32)).abs() < 0.005, "{heights:?}");
    }
}

#[test]
fn a_counter_around_a_corner_is_cut_and_its_hull_is_not() {
    let arms = [[0.0, 0.0, 2.4, 0.6, 0.9], [0.0, 0.6, 0.6, 1.8, 0.9]];
    let whole = planes(&cloud(&arms), &PlaneSettings { fill_least: 0.0, ..PlaneSettings::default() });
    let cut = planes(&cloud(&arms), &PlaneSettings::default());
    let area = |planes: &[ReceptaclePlane]| planes.iter().map(ReceptaclePlane::area_m2).sum::<f64>();
    assert_eq!(whole.len(), 1);
    assert!(area(&whole) > 3.5, "the hull spans the corner: {}", area(&whole));
    assert!(cut.len() >= 2);
    // 2.4 × 0.6 + 0.6 × 1.8 = 2.52 m².
    assert!((area(&cut) - 2.52).abs() < 0.35, "{}", area(&cut));
}

#[test]
fn steep_and_small_surfaces_are_no_planes() {
    let mut stream = Stream::new(4, "", "steep");
    let steep = top(&mut stream, [0.0, 0.0, 1.0, 0.6, 0.0]).into_iter();
    let steep = Cloud::of(0.01, steep.map(|p| Vec3::new(p.x, p.x * 0.8, p.z)));
    assert!(planes(&steep, &PlaneSettings::default()).is_empty());
    assert!(planes(&cloud(&[[0.0, 0.0, 0.15, 0.2, 0.5]]), &PlaneSettings::default()).is_empty());
    assert!(planes(&Cloud::new(0.01), &PlaneSettings::default()).is_empty());
}

#[test]
fn refining_takes_the_top_and_not_its_apron() {
    // A small top, and the five centimetres below its edge that a camera sees from the side.
    let mut stream = Stream::new(4, "", "apron");
    let mut points = top(&mut stream, [0.0, 0.0, 0.4, 0.4, 0.6]);
    for side in [0.0, 0.4] {
        points.extend(
            top(&mut stream, [0.0, 0.0, 0.4, 0.06, 0.0]).iter().map(|p| Vec3::new(p.x, 0.6 - p.z, side)),
        );
    }
    let cloud = Cloud::of(0.01, points);
    let refined = planes(&cloud, &PlaneSettings::default());
    assert!((refined[0].y - 0.6).abs() < 0.002, "{}", refined[0].y);
}
