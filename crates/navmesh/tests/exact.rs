//! True shortest paths and distance fields against brute force on small meshes.

#![allow(clippy::unwrap_used, reason = "what cannot be unwrapped is a failed test")]

use ambler_geometry::Vec3;
use ambler_geometry::random::Stream;
use ambler_navmesh::exact::{self, Planner};
use ambler_navmesh::{DistanceField, NavMesh, NavMeshSettings, NavQuery, NavReason};
use std::sync::Arc;

type Soup = (Vec<Vec3>, Vec<[u32; 3]>);

fn quad(soup: &mut Soup, corners: [[f32; 3]; 4]) {
    let base = soup.0.len() as u32;
    soup.0.extend(corners.map(Vec3::from));
    soup.1.extend([[base, base + 1, base + 2], [base, base + 2, base + 3]]);
}

fn floor(soup: &mut Soup, x: [f32; 2], z: [f32; 2], y: f32) {
    quad(soup, [[x[0], y, z[0]], [x[0], y, z[1]], [x[1], y, z[1]], [x[1], y, z[0]]]);
}

/// A block that rises out of reach of the climb, so that the floor around it is walled off.
fn block(soup: &mut Soup, x: [f32; 2], z: [f32; 2], y: [f32; 2]) {
    floor(soup, x, z, y[1]);
    let ends = [(x[0], z[1]), (x[1], z[1]), (x[1], z[0]), (x[0], z[0]), (x[0], z[1])];
    for pair in ends.windows(2) {
        let [(ax, az), (bx, bz)] = [pair[0], pair[1]];
        quad(soup, [[ax, y[0], az], [bx, y[0], bz], [bx, y[1], bz], [ax, y[1], az]]);
    }
}

fn cluttered(seed: u64) -> Option<Arc<NavMesh>> {
    let mut stream = Stream::new(seed, "room", "exact");
    let mut soup = Soup::default();
    floor(&mut soup, [0.0, 8.0], [0.0, 6.0], 0.0);
    for _ in 0..3 + stream.index(7) {
        let (x, z) = (stream.range(0.0, 7.0) as f32, stream.range(0.0, 5.0) as f32);
        let (w, d) = (stream.range(0.2, 2.5) as f32, stream.range(0.2, 2.5) as f32);
        block(&mut soup, [x, (x + w).min(8.0)], [z, (z + d).min(6.0)], [0.0, 1.0]);
    }
    // Tops of blocks are smaller than this minimum: one storey is left.
    let settings = NavMeshSettings { region_min_size: 70.0, ..NavMeshSettings::default() };
    NavMesh::build(&soup.0, &soup.1, &settings).ok().map(Arc::new)
}

type Flat = (f64, f64);

fn flat(p: Vec3) -> Flat {
    (f64::from(p.x), f64::from(p.z))
}

fn turn(a: Flat, b: Flat, c: Flat) -> f64 {
    (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)
}

/// A level navmesh as triangles and walls, and nothing of the crate's own search.
struct Plan {
    triangles: Vec<[Flat; 3]>,
    walls: Vec<(Flat, Flat)>,
    corners: Vec<Flat>,
}

impl Plan {
    fn new(mesh: &NavMesh) -> Self {
        let triangles: Vec<[Flat; 3]> = mesh.triangles().iter().map(|t| t.map(flat)).collect();
        let edges: Vec<(Flat, Flat)> =
            triangles.iter().flat_map(|t| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])]).collect();
        let walls: Vec<_> = edges.iter().copied().filter(|&(a, b)| !edges.contains(&(b, a))).collect();
        let mut corners: Vec<Flat> = Vec::new();
        for &(a, _) in &walls {
            if !corners.contains(&a) {
                corners.push(a);
            }
        }
        Self { triangles, walls, corners }
    }

    fn inside(&self, p: Flat) -> bool {
        self.triangles.iter().any(|&[a, b, c]| {
            let turns = [turn(a, b, p), turn(b, c, p), turn(c, a, p)];
            turns.iter().all(|t| *t >= -1e-6) || turns.iter().all(|t| *t <= 1e-6)
        })
    }

    fn sees(&self, a: Flat, b: Flat) -> bool {
        let crossed = self.walls.iter().any(|&(p, q)| {
            let sides = [turn(a, b, p), turn(a, b, q), turn(p, q, a), turn(p, q, b)];
            let eps = 1e-6;
            (sides[0] > eps && sides[1] < -eps || sides[0] < -eps && sides[1] > eps)
                && (sides[2] > eps && sides[3] < -eps || sides[2] < -eps && sides[3] > eps)
        });
        !crossed
            && (1..32).all(|k| {
                let t = f64::from(k) / 32.0;
                self.inside((a.0 + (b.0 - a.0) * t, a.1 + (b.1 - a.1) * t))
            })
    }

    /// Dijkstra over all corners that see each other.
    fn shortest(&self, start: Flat, goal: Flat) -> f64 {
        let mut nodes = vec![start, goal];
        nodes.extend(&self.corners);
        let mut cost = vec![f64::INFINITY; nodes.len()];
        let mut done = vec![false; nodes.len()];
        cost[0] = 0.0;
        while let Some(at) = (0..nodes.len())
            .filter(|&n| !done[n] && cost[n].is_finite())
            .min_by(|&a, &b| cost[a].total_cmp(&cost[b]))
        {
            done[at] = true;
            for to in 0..nodes.len() {
                if !done[to] && self.sees(nodes[at], nodes[to]) {
                    let (dx, dz) = (nodes[at].0 - nodes[to].0, nodes[at].1 - nodes[to].1);
                    cost[to] = cost[to].min(cost[at] + (dx * dx + dz * dz).sqrt());
                }
            }
        }
        cost[1]
    }
}

#[test]
fn exact_paths_equal_a_brute_force_visibility_graph() {
    let (mut pairs, mut shorter) = (0, 0);
    for seed in 0..30 {
        let Some(mesh) = cluttered(seed) else { continue };
        let plan = Plan::new(&mesh);
        let mut query = NavQuery::new(Arc::clone(&mesh));
        let mut stream = Stream::new(seed, "pairs", "exact");
        let planner = Planner::new(&mesh);
        for _ in 0..12 {
            let (Some(start), Some(goal)) =
                (query.random_point(&mut stream, None), query.random_point(&mut stream, None))
            else {
                continue;
            };
            match planner.path(start, goal) {
                Ok(path) => {
                    let expected = plan.shortest(flat(start), flat(goal));
                    assert!(
                        (f64::from(path.length_m) - expected).abs() < 1e-4,
                        "seed {seed}: {} {expected}",
                        path.length_m
                    );
                    let detour = query.geodesic(start, goal).unwrap();
                    assert!(path.length_m <= detour + 1e-4, "{} {detour}", path.length_m);
                    assert!(path.length_m >= (goal - start).length() - 1e-4);
                    assert_eq!(path, exact::path(&mesh, start, goal).unwrap());
                    let back = planner.path(goal, start).unwrap();
                    assert!((back.length_m - path.length_m).abs() < 1e-4);
                    let sum: f32 = path.points.windows(2).map(|pair| (pair[1] - pair[0]).length()).sum();
                    assert!((sum - path.length_m).abs() < 1e-3);
                    pairs += 1;
                    shorter += usize::from(path.length_m < detour - 1e-3);
                }
                Err(reason) => {
                    assert!(matches!(reason, NavReason::DifferentIsland { .. }), "{reason}");
                    assert_eq!(query.geodesic(start, goal), Err(reason));
                }
            }
        }
    }
    assert!(pairs > 150, "{pairs}");
    println!("{pairs} pairs, {shorter} shorter than Detour's");
}

#[test]
fn distance_fields_equal_the_shortest_of_exact_paths() {
    for seed in 0..20 {
        let Some(mesh) = cluttered(seed) else { continue };
        let planner = Planner::new(&mesh);
        let mut query = NavQuery::new(Arc::clone(&mesh));
        let mut stream = Stream::new(seed, "goals", "field");
        for count in [1, 5] {
            let goals: Vec<Vec3> =
                (0..count).filter_map(|_| query.random_point(&mut stream, None)).collect();
            let field = DistanceField::new(&mesh, &goals).unwrap();
            for _ in 0..60 {
                let Some(point) = query.random_point(&mut stream, None) else { continue };
                let best = goals
                    .iter()
                    .filter_map(|goal| planner.path(point, *goal).ok())
                    .map(|path| path.length_m)
                    .fold(f32::INFINITY, f32::min);
                match field.distance(point) {
                    Ok(distance) => {
                        assert!((distance - best).abs() < 1e-4, "seed {seed}: {distance} {best}");
                    }
                    Err(reason) => assert!(best.is_infinite(), "seed {seed}: {reason}, {best}"),
                }
            }
            for goal in &goals {
                assert!(field.distance(*goal).unwrap() < 1e-5);
            }
        }
    }
}

/// Two storeys, the upper one above the lower one, joined by stairs.
fn storeys() -> Arc<NavMesh> {
    let mut soup = Soup::default();
    floor(&mut soup, [0.0, 8.0], [0.0, 8.0], 0.0);
    floor(&mut soup, [0.0, 4.0], [0.0, 8.0], 3.0);
    for step in 0..15_u8 {
        let x = 4.0 + 0.25 * f32::from(step);
        let top = 0.2 * f32::from(15 - step);
        block(&mut soup, [x, x + 0.25], [6.0, 7.5], [0.0, top]);
    }
    Arc::new(NavMesh::build(&soup.0, &soup.1, &NavMeshSettings::default()).unwrap())
}

#[test]
fn storeys_do_not_mix() {
    let mesh = storeys();
    assert_eq!(mesh.islands().iter().filter(|island| island.area_m2 > 5.0).count(), 1);
    let mut query = NavQuery::new(Arc::clone(&mesh));
    let (below, above) = (Vec3::new(1.0, 0.2, 1.0), Vec3::new(1.0, 3.2, 1.0));
    let path = exact::path(&mesh, below, above).unwrap();
    // At least to the foot of the stairs at x = 7.7 and back.
    assert!(path.length_m > 2.0 * 6.0, "{}", path.length_m);
    let detour = query.geodesic(below, above).unwrap();
    assert!(path.length_m <= detour + 1e-4);
    let field = DistanceField::new(&mesh, &[above]).unwrap();
    assert!((field.distance(below).unwrap() - path.length_m).abs() < 1e-3);
    let mut stream = Stream::new(5, "storeys", "exact");
    for _ in 0..300 {
        let start = query.random_point(&mut stream, None).unwrap();
        let goal = query.random_point(&mut stream, None).unwrap();
        let (Ok(path), Ok(detour)) = (exact::path(&mesh, start, goal), query.geodesic(start, goal))
        else {
            continue;
        };
        assert!(path.length_m <= detour + 1e-3, "{start} {goal}: {} {detour}", path.length_m);
        assert!(path.length_m >= (goal - start).length() - 1e-4);
        let field = DistanceField::new(&mesh, &[goal]).unwrap().distance(start).unwrap();
        assert!((field - path.length_m).abs() < 1e-3, "{start} {goal}: {field} {}", path.length_m);
    }
}

#[test]
fn refusals_carry_their_reason() {
    let mesh = storeys();
    let on = Vec3::new(1.0, 0.2, 1.0);
    let off = Vec3::new(100.0, 0.0, 0.0);
    let nan = Vec3::new(f32::NAN, 0.0, 0.0);
    assert_eq!(exact::path(&mesh, off, on), Err(NavReason::StartOffMesh));
    assert_eq!(exact::path(&mesh, on, off), Err(NavReason::GoalOffMesh));
    assert_eq!(exact::path(&mesh, on, nan), Err(NavReason::NotFinite));
    assert_eq!(DistanceField::new(&mesh, &[]).unwrap_err(), NavReason::NoGoals);
    assert_eq!(DistanceField::new(&mesh, &[off]).unwrap_err(), NavReason::GoalOffMesh);
    assert_eq!(DistanceField::new(&mesh, &[nan, on]).unwrap_err(), NavReason::NotFinite);
    let field = DistanceField::new(&mesh, &[off, on]).unwrap();
    assert_eq!(field.distance(off), Err(NavReason::StartOffMesh));
    assert_eq!(field.distance(nan), Err(NavReason::NotFinite));
    let same = exact::path(&mesh, on, on).unwrap();
    assert_eq!((same.length_m, same.points.len()), (0.0, 2));
}
