//! Whatever a file holds and whatever is asked, there is an answer or a reason, and no panic.

use ambler_geometry::Vec3;
use ambler_geometry::random::Stream;
use ambler_navmesh::{NavMesh, NavMeshError, NavMeshSettings, NavQuery, NavReason};
use std::path::Path;
use std::sync::Arc;

/// A floor of 6 × 6 m with a platform of 1.5 m in it, one unreachable from the other.
fn home() -> NavMesh {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    let mut slab = |x: f32, z: f32, size: f32, y: f32| {
        let first = vertices.len() as u32;
        vertices.extend(
            [(0.0, 0.0), (0.0, size), (size, size), (size, 0.0)]
                .map(|(dx, dz)| Vec3::new(x + dx, y, z + dz)),
        );
        triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    };
    slab(0.0, 0.0, 6.0, 0.0);
    slab(2.0, 2.0, 1.8, 1.0);
    NavMesh::build(&vertices, &triangles, &NavMeshSettings::default()).expect("a floor")
}

fn parse(bytes: &[u8]) -> Result<NavMesh, NavMeshError> {
    NavMesh::parse(bytes, Path::new("hostile.navmesh"))
}

#[test]
fn a_million_questions_have_answers_or_reasons() {
    let mesh = Arc::new(home());
    assert_eq!(mesh.islands().len(), 2);
    let mut query = NavQuery::new(mesh);
    let mut stream = Stream::new(1, "hostile", "questions");
    let odd = [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        f32::MIN,
        1e30,
        -1e30,
        1e10,
        f32::MIN_POSITIVE,
        -0.0,
    ];
    let coordinate = move |stream: &mut Stream| match stream.index(40) {
        0 => odd[stream.index(odd.len())],
        1 => stream.range(-1e6, 1e6) as f32,
        _ => stream.range(-1.0, 7.0) as f32,
    };
    let point = move |stream: &mut Stream| {
        let (x, y, z) = (coordinate(stream), coordinate(stream), coordinate(stream));
        Vec3::new(x, if stream.index(2) == 0 { y * 0.2 } else { y }, z)
    };
    let mut answered = [0_u32; 3];
    for _ in 0..1_000_000 / 3 + 1 {
        let (a, b) = (point(&mut stream), point(&mut stream));
        let reached = query.try_step(a, b, stream.index(2) == 0);
        assert!(reached.is_finite() || !a.is_finite(), "{a} to {b} gave {reached}");
        answered[0] += u32::from(reached != a);
        match query.snap(a) {
            Ok(snap) => {
                let (dx, dz) = (snap.point.x - a.x, snap.point.z - a.z);
                assert!(
                    snap.point.is_finite()
                        && dx * dx + dz * dz < 9.7
                        && (snap.point.y - a.y).abs() < 8.0,
                    "{a} gave {}",
                    snap.point
                );
                answered[1] += 1;
            }
            Err(reason) => assert_eq!(reason == NavReason::NotFinite, !a.is_finite()),
        }
        if let Ok(length) = query.geodesic(a, b) {
            assert!(length.is_finite() && length >= 0.0, "{a} to {b} is {length} m");
            answered[2] += 1;
        }
    }
    println!(
        "answered of {} each: steps {}, snaps {}, paths {}",
        1_000_000 / 3 + 1,
        answered[0],
        answered[1],
        answered[2]
    );
    assert!(answered.iter().all(|count| *count > 50_000), "{answered:?}");
}

#[test]
fn other_questions_with_odd_numbers_have_reasons() {
    let mut query = NavQuery::new(Arc::new(home()));
    let good = Vec3::new(1.0, 0.0, 1.0);
    for odd in [Vec3::NAN, Vec3::INFINITY, Vec3::new(1.0, f32::NAN, 1.0)] {
        assert_eq!(query.find_path(good, odd), Err(NavReason::NotFinite));
        assert_eq!(query.find_path_multi(odd, &[good]).unwrap_err(), NavReason::NotFinite);
        assert_eq!(query.geodesic_multi(good, &[odd]), Err(NavReason::NotFinite));
        assert_eq!(query.distance_to_obstacle(odd, 2.0), Err(NavReason::NotFinite));
        assert_eq!(query.snap_to_island(odd, 0), Err(NavReason::NotFinite));
        assert!(!query.is_navigable(odd, 0.5));
        assert_eq!(query.random_point_near(&mut Stream::new(0, "", ""), odd, 1.0), None);
    }
    assert_eq!(query.distance_to_obstacle(good, f32::NAN), Err(NavReason::NotFinite));
    assert_eq!(query.geodesic_multi(good, &[]), Err(NavReason::NoGoals));
    assert_eq!(query.snap_to_island(good, 9), Err(NavReason::NoSuchIsland { island: 9, count: 2 }));
    assert_eq!(query.geodesic(Vec3::splat(100.0), good), Err(NavReason::StartOffMesh));
    assert_eq!(query.geodesic(good, Vec3::splat(100.0)), Err(NavReason::GoalOffMesh));
    let far = Vec3::new(1e6, 0.0, 0.0);
    let (length, index) =
        query.geodesic_multi(good, &[far, Vec3::new(3.0, 1.0, 3.0), Vec3::new(5.0, 0.0, 1.0)]).unwrap();
    assert_eq!(index, 2, "goals off the mesh and on other islands are passed over");
    assert!((length - 4.0).abs() < 0.2, "{length}");
}

#[test]
fn truncated_files_are_refused_with_a_place() {
    let bytes = home().to_bytes();
    for length in 0..bytes.len() {
        match parse(&bytes[..length]) {
            Err(NavMeshError::Fault(fault)) => {
                assert!(
                    matches!(fault.place, ambler_geometry::Place::Byte(at) if at <= length as u64),
                    "{fault}"
                );
                assert!(fault.to_string().contains("hostile.navmesh, byte "), "{fault}");
            }
            other => panic!("{length} of {} bytes gave {other:?}", bytes.len()),
        }
    }
    assert!(parse(&bytes).is_ok());
}

#[test]
fn bit_flips_give_a_navmesh_or_a_place() {
    let bytes = home().to_bytes();
    let mut stream = Stream::new(2, "hostile", "flips");
    let mut refused = 0;
    for at in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[at / 8] ^= 1 << (at % 8);
        if stream.index(3) == 0 {
            let other = stream.index(bytes.len());
            flipped[other] = stream.next_u64() as u8;
        }
        match parse(&flipped) {
            Ok(mesh) => {
                let again = parse(&mesh.to_bytes());
                assert!(again.is_ok(), "what was read is written readable: {again:?}");
                let mut query = NavQuery::new(Arc::new(mesh));
                let mut draw =
                    || Vec3::new(stream.range(-1.0, 7.0) as f32, 0.1, stream.range(-1.0, 7.0) as f32);
                let (a, b) = (draw(), draw());
                query.try_step(a, b, true);
                query.try_step(a, b, false);
                let _ = query.geodesic(a, b);
                let _ = query.distance_to_obstacle(a, 2.0);
                query.random_point(&mut stream, None);
            }
            Err(NavMeshError::Fault(_)) => refused += 1,
            Err(other) => panic!("{other:?}"),
        }
    }
    println!("{refused} of {} files refused", bytes.len() * 8);
    assert!(refused > 0);
}

#[test]
fn absurd_counts_are_refused_before_anything_is_allocated() {
    let bytes = home().to_bytes();
    // The tile's header begins after the set's header, the settings and the tile's own reference.
    let header = 40 + 56 + 8;
    for field in (header + 24..header + 56).step_by(4).filter(|field| *field != header + 56) {
        for count in [i32::MAX, i32::MAX / 2, -1, i32::MIN, 1 << 20] {
            let mut changed = bytes.clone();
            changed[field..field + 4].copy_from_slice(&count.to_le_bytes());
            assert!(
                matches!(parse(&changed), Err(NavMeshError::Fault(_))),
                "field at {field} = {count}"
            );
        }
    }
    for field in [32, 36] {
        let mut changed = bytes.clone();
        changed[field..field + 4].copy_from_slice(&i32::MAX.to_le_bytes());
        assert!(parse(&changed).is_err());
    }
}

#[test]
fn random_points_lie_where_they_were_asked_for() {
    let mut query = NavQuery::new(Arc::new(home()));
    let mut stream = Stream::new(3, "hostile", "points");
    let mut on_island = [0; 2];
    for _ in 0..2000 {
        let point = query.random_point(&mut stream, None).unwrap();
        assert!(query.is_navigable(point, 0.01), "{point} {:?}", query.snap(point));
        on_island[query.island_of(point).unwrap() as usize] += 1;
    }
    let areas = query.mesh().islands().iter().map(|i| i.area_m2).collect::<Vec<_>>();
    let share = on_island[1] as f32 / 2000.0;
    assert!((share - areas[1] / (areas[0] + areas[1])).abs() < 0.03, "{share} of {areas:?}");
    for island in [0, 1] {
        let point = query.random_point(&mut stream, Some(island)).unwrap();
        assert_eq!(query.island_of(point).unwrap(), island);
    }
    assert_eq!(query.random_point(&mut stream, Some(7)), None);
    let center = Vec3::new(1.0, 0.0, 1.0);
    for _ in 0..200 {
        let point = query.random_point_near(&mut stream, center, 0.5).unwrap();
        let (dx, dz) = (point.x - center.x, point.z - center.z);
        assert!(dx * dx + dz * dz <= 0.5 * 0.5, "{point}");
    }
}

#[test]
fn the_nearest_of_many_goals_is_the_least_of_single_distances() {
    let mut query = NavQuery::new(Arc::new(home()));
    let mut stream = Stream::new(4, "hostile", "goals");
    for round in 0..200 {
        let count = 1 + stream.index(60);
        let mut goals: Vec<Vec3> =
            (0..count).filter_map(|_| query.random_point(&mut stream, None)).collect();
        goals.extend([Vec3::splat(1e4), goals[0]]);
        let start = query.random_point(&mut stream, None).unwrap();
        let set = query.prepare_goals(&goals);
        assert_eq!((set.len(), set.on_mesh()), (count + 2, count + 1));
        let single: Vec<Option<f32>> =
            goals.iter().map(|goal| query.geodesic(start, *goal).ok()).collect();
        let least = single.iter().flatten().copied().reduce(f32::min);
        let many = query.geodesic_to(&set, start);
        assert_eq!(many.ok().map(|(length, _)| length), least, "round {round}");
        if let Ok((length, index)) = many {
            assert_eq!(single[index], Some(length));
            let (path, same) = query.find_path_to(&set, start).unwrap();
            assert_eq!((path.length_m, same), (length, index));
            assert!((path.points[path.points.len() - 1] - goals[index]).length() < 1e-3);
        } else {
            assert!(matches!(many, Err(NavReason::DifferentIsland { .. })), "{many:?}");
        }
    }
}
