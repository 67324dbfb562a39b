//! Navmeshes built from meshes made by hand: sizes that follow from arithmetic, and bad input.

use ambler_geometry::Vec3;
use ambler_geometry::random::Stream;
use ambler_navmesh::build::Origin;
use ambler_navmesh::{NavMesh, NavMeshError, NavMeshSettings};

/// Triangles under construction.
#[derive(Clone, Default)]
struct Soup {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl Soup {
    /// A quad facing the side from which its corners run counter-clockwise.
    fn quad(mut self, corners: [[f32; 3]; 4]) -> Self {
        let base = self.vertices.len() as u32;
        self.vertices.extend(corners.map(Vec3::from));
        self.triangles.extend([[base, base + 1, base + 2], [base, base + 2, base + 3]]);
        self
    }

    /// A level floor that faces up.
    fn floor(self, x: [f32; 2], z: [f32; 2], y: f32) -> Self {
        self.quad([[x[0], y, z[0]], [x[0], y, z[1]], [x[1], y, z[1]], [x[1], y, z[0]]])
    }

    /// The same, facing down.
    fn ceiling(self, x: [f32; 2], z: [f32; 2], y: f32) -> Self {
        self.quad([[x[0], y, z[0]], [x[1], y, z[0]], [x[1], y, z[1]], [x[0], y, z[1]]])
    }

    /// The four sides and the top of a box.
    fn block(self, x: [f32; 2], z: [f32; 2], y: [f32; 2]) -> Self {
        let corner = |i: usize, j: usize, k: usize| [x[i], y[k], z[j]];
        let wall = |soup: Self, a: (usize, usize), b: (usize, usize)| {
            soup.quad([
                corner(a.0, a.1, 0),
                corner(b.0, b.1, 0),
                corner(b.0, b.1, 1),
                corner(a.0, a.1, 1),
            ])
        };
        let soup = self.floor(x, z, y[1]);
        let soup = wall(soup, (0, 1), (1, 1));
        let soup = wall(soup, (1, 1), (1, 0));
        let soup = wall(soup, (1, 0), (0, 0));
        wall(soup, (0, 0), (0, 1))
    }

    fn build(&self, settings: &NavMeshSettings) -> Result<NavMesh, NavMeshError> {
        NavMesh::build(&self.vertices, &self.triangles, settings)
    }
}

fn reason(result: Result<NavMesh, NavMeshError>) -> String {
    match result {
        Err(NavMeshError::NoFloor { reason } | NavMeshError::Build { reason }) => reason,
        Err(other) => panic!("another error: {other}"),
        Ok(mesh) => panic!("built {} m²", mesh.area_m2()),
    }
}

#[test]
fn a_flat_quad_keeps_the_radius_from_its_edges() {
    let settings = NavMeshSettings::default();
    for (w, h) in [(4.0_f32, 6.0_f32), (10.0, 3.0)] {
        let mesh = Soup::default().floor([0.0, w], [0.0, h], 0.0).build(&settings).unwrap();
        // The radius of 0.1 m is two voxels, and the row of voxels at the edge of the world is a
        // ledge: within a voxel on each side of what the radius alone takes.
        let (most, least) = ((w - 0.2) * (h - 0.2), (w - 0.4) * (h - 0.4));
        let area = mesh.area_m2();
        assert!(area <= most + 1e-3 && area >= least - 1e-3, "{least} ≤ {area} ≤ {most}");
        assert_eq!(mesh.islands().len(), 1);
        assert_eq!(mesh.counts()[0], 1);
    }
}

#[test]
fn two_platforms_are_two_islands() {
    let soup = Soup::default().floor([0.0, 3.0], [0.0, 3.0], 0.0).floor([3.0, 6.0], [0.0, 3.0], 1.0);
    let mesh = soup.build(&NavMeshSettings::default()).unwrap();
    assert_eq!(mesh.islands().len(), 2);
}

#[test]
fn stairs_within_the_climb_join_two_storeys() {
    // Steps of 0.2 m, 0.3 m deep, 1 m wide, from a floor at 0 to one at 2 m that lies above it.
    let mut soup = Soup::default().floor([0.0, 8.0], [0.0, 4.0], 0.0).floor([3.0, 8.0], [4.0, 8.0], 2.0);
    for step in 0..10_u8 {
        let z = 1.0 + 0.3 * f32::from(step);
        soup = soup.block([4.0, 5.0], [z, 4.0], [0.0, 0.2 * f32::from(step + 1)]);
    }
    let mut settings = NavMeshSettings::default();
    let joined = soup.build(&settings).unwrap();
    assert_eq!(joined.islands().len(), 1);
    settings.agent_max_climb_m = 0.1;
    let apart = soup.build(&settings).unwrap();
    assert!(apart.islands().len() >= 2, "a climb of 0 voxels cannot take stairs");
}

#[test]
fn an_obstacle_in_the_middle_is_a_hole() {
    let soup =
        Soup::default().floor([0.0, 6.0], [0.0, 6.0], 0.0).block([2.5, 3.5], [2.5, 3.5], [0.0, 2.0]);
    let mesh = soup.build(&NavMeshSettings::default()).unwrap();
    let (most, least) = (5.8 * 5.8 - 1.2 * 1.2, 5.6 * 5.6 - 1.4 * 1.4);
    // The obstacle's top is a region below the minimum.
    assert!(mesh.area_m2() > least - 0.1 && mesh.area_m2() < most + 0.1, "{}", mesh.area_m2());
    assert_eq!(mesh.islands().len(), 1);
}

#[test]
fn no_floor_says_why() {
    let settings = NavMeshSettings::default();
    let cases = [
        (Soup::default(), "there are no triangles"),
        (Soup::default().ceiling([0.0, 4.0], [0.0, 4.0], 0.0), "no triangle faces up, 2 face down"),
        (Soup::default().floor([0.0, 0.9], [0.0, 0.9], 0.0), "below the minimum of 1.00 m²"),
        (Soup::default().floor([0.0, 4.0], [0.0, 0.1], 0.0), "beside drops"),
        (Soup::default().floor([0.0, 4.0], [0.0, 0.25], 0.0), "the body is too wide"),
        (
            Soup::default().quad([[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 4.0, 1.0], [0.0, 4.0, 1.0]]),
            "flat enough to stand on",
        ),
        (
            Soup::default().floor([0.0, 4.0], [0.0, 4.0], 0.0).ceiling([0.0, 4.0], [0.0, 4.0], 1.0),
            "the body is too tall",
        ),
    ];
    for (soup, expected) in cases {
        let reason = reason(soup.build(&settings));
        assert!(reason.contains(expected), "{reason:?} lacks {expected:?}");
    }
}

#[test]
fn absurd_input_is_refused_before_memory_is_taken() {
    let room = Soup::default().floor([0.0, 4.0], [0.0, 4.0], 0.0);
    let defaults = NavMeshSettings::default();
    for value in [0.0, -1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30, 1e-30] {
        let with = |change: fn(&mut NavMeshSettings, f32)| {
            let mut settings = defaults;
            change(&mut settings, value);
            room.build(&settings)
        };
        // No panic, whatever the result.
        let _ = with(|s, v| s.cell_size_m = v);
        let _ = with(|s, v| s.cell_height_m = v);
        let _ = with(|s, v| s.agent_height_m = v);
        let _ = with(|s, v| s.agent_radius_m = v);
        let _ = with(|s, v| s.agent_max_climb_m = v);
        let _ = with(|s, v| s.agent_max_slope_deg = v);
        let _ = with(|s, v| s.region_min_size = v);
        let _ = with(|s, v| s.region_merge_size = v);
        let _ = with(|s, v| s.edge_max_len = v);
        let _ = with(|s, v| s.edge_max_error = v);
        let _ = with(|s, v| s.verts_per_poly = v);
        let _ = with(|s, v| s.detail_sample_dist = v);
        let _ = with(|s, v| s.detail_sample_max_error = v);
    }
    for bad in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(room.build(&NavMeshSettings { cell_size_m: bad, ..defaults }).is_err());
    }
    let tiny = NavMeshSettings { cell_size_m: 1e-6, agent_radius_m: 0.0, ..defaults };
    assert!(reason(room.build(&tiny)).contains("the grid would have"));
    let mut stray = room.clone();
    stray.vertices.push(Vec3::new(1e7, 0.0, 1e7));
    assert!(reason(stray.build(&defaults)).contains("stray vertices"));
    let mut broken = room.clone();
    broken.vertices.push(Vec3::new(f32::NAN, 0.0, 0.0));
    assert!(reason(broken.build(&defaults)).contains("vertex 4"));
    let mut range = room.clone();
    range.triangles.push([0, 1, 99]);
    assert!(reason(range.build(&defaults)).contains("refers to vertex 99"));
    let mut tall = room;
    tall.vertices.push(Vec3::new(0.0, 1e9, 0.0));
    assert!(reason(tall.build(&defaults)).contains("voxels high"));
}

#[test]
fn unreferenced_vertices_set_the_grid() {
    let mut soup = Soup::default().floor([0.0, 4.0], [0.0, 4.0], 0.0);
    soup.vertices.push(Vec3::new(-1.0, -0.5, 7.0));
    let bounds = soup.build(&NavMeshSettings::default()).unwrap().bounds();
    assert_eq!(bounds.min, Vec3::new(-1.0, -0.5, 0.0));
    assert_eq!((bounds.max.x, bounds.max.z), (4.0, 7.0));
    // The top of the bounds is the head room above the scene: 8 voxels of 0.2 m.
    assert_eq!(bounds.max.y, 0.0 + 8.0 * 0.2);
}

#[test]
fn random_triangle_soups_never_panic() {
    let mut stream = Stream::new(2, "soup", "fuzz");
    let mut built = 0;
    for round in 0..150 {
        let mut soup = Soup::default();
        if round % 2 == 0 {
            soup = soup.floor([0.0, 6.0], [0.0, 6.0], 0.0);
        }
        for _ in 0..stream.index(60) {
            let base = soup.vertices.len() as u32;
            let center = Vec3::new(
                stream.range(0.0, 6.0) as f32,
                stream.range(0.0, 3.0) as f32,
                stream.range(0.0, 6.0) as f32,
            );
            for _ in 0..3 {
                let offset = [(); 3].map(|()| stream.range(-2.0, 2.0) as f32);
                soup.vertices.push(center + Vec3::from(offset));
            }
            soup.triangles.push([base, base + 1, base + 2]);
        }
        let settings = NavMeshSettings {
            cell_size_m: [0.05, 0.1, 0.03, 0.5][stream.index(4)],
            cell_height_m: [0.05, 0.2, 0.01][stream.index(3)],
            agent_radius_m: stream.range(0.0, 0.4) as f32,
            agent_height_m: stream.range(0.1, 2.0) as f32,
            agent_max_climb_m: stream.range(0.0, 1.0) as f32,
            region_min_size: [0.0, 2.0, 20.0][stream.index(3)],
            edge_max_error: stream.range(0.0, 8.0) as f32,
            ..NavMeshSettings::default()
        };
        match soup.build(&settings) {
            Ok(mesh) => {
                built += 1;
                assert!(mesh.area_m2().is_finite());
                NavMesh::parse(&mesh.to_bytes(), std::path::Path::new("soup.navmesh"))
                    .expect("its own file");
            }
            Err(error) => {
                assert!(!error.to_string().contains("Recast's stage"), "round {round}: {error}");
            }
        }
    }
    assert!(built > 40, "{built} built");
}

#[test]
fn a_built_navmesh_survives_its_file() {
    let soup =
        Soup::default().floor([0.0, 6.0], [0.0, 6.0], 0.0).block([2.5, 3.5], [2.5, 3.5], [0.0, 2.0]);
    let mesh = soup.build(&NavMeshSettings::for_body(1.41, 0.17)).unwrap();
    let bytes = mesh.to_bytes();
    let read = NavMesh::parse(&bytes, std::path::Path::new("room.navmesh")).unwrap();
    assert_eq!(read.to_bytes(), bytes);
    assert_eq!(read.settings(), mesh.settings());
    assert_eq!(read.islands(), mesh.islands());
}

#[test]
fn the_cache_is_keyed_by_content_and_settings_and_survives_damage() {
    let folder = tempfile::tempdir().unwrap();
    let soup = Soup::default().floor([0.0, 4.0], [0.0, 4.0], 0.0);
    let settings = NavMeshSettings::default();
    let get = |name: &str, settings: &NavMeshSettings| {
        let triangles = || (soup.vertices.clone(), soup.triangles.clone());
        NavMesh::build_cached(name, triangles, settings, folder.path()).unwrap()
    };
    let (built, origin) = get("a", &settings);
    assert_eq!(origin, Origin::Built);
    let (loaded, origin) = get("a", &settings);
    assert_eq!((origin, loaded.to_bytes()), (Origin::Loaded, built.to_bytes()));
    assert_eq!(get("b", &settings).1, Origin::Built);
    assert_eq!(get("a", &NavMeshSettings::for_body(1.41, 0.17)).1, Origin::Built);
    // Nothing but the three navmeshes is left in the folder.
    let files: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 3);
    for file in &files {
        let mut bytes = std::fs::read(file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(file, &bytes).unwrap();
    }
    assert_eq!(get("a", &settings).1, Origin::Built);
    assert_eq!(get("a", &settings).1, Origin::Loaded);
    std::fs::write(&files[0], b"").unwrap();
    get("a", &settings);
    get("b", &settings);
    // A cache folder that cannot be made costs the cache, not the navmesh.
    let blocked = files[0].join("below a file");
    let triangles = || (soup.vertices.clone(), soup.triangles.clone());
    assert_eq!(NavMesh::build_cached("a", triangles, &settings, &blocked).unwrap().1, Origin::Built);
}

#[test]
fn a_large_plane_with_clutter_builds() {
    // Habitat gives up on 200 × 200 m (habitat-sim issue 1801).
    let mut soup = Soup::default().floor([0.0, 200.0], [0.0, 200.0], 0.0);
    let mut stream = Stream::new(1, "plane", "clutter");
    for _ in 0..400 {
        let (x, z) = (stream.range(1.0, 197.0) as f32, stream.range(1.0, 197.0) as f32);
        let (w, d) = (stream.range(0.3, 2.0) as f32, stream.range(0.3, 2.0) as f32);
        soup = soup.block([x, x + w], [z, z + d], [0.0, 1.0]);
    }
    let settings = NavMeshSettings { cell_size_m: 0.1, ..NavMeshSettings::default() };
    let mesh = soup.build(&settings).unwrap();
    assert!(mesh.area_m2() > 38_000.0 && mesh.area_m2() < 40_000.0, "{}", mesh.area_m2());
}
