//! Scenes made by hand, for tests.
#![allow(dead_code, reason = "each test file uses its own part")]

use ambler_geometry::{Aabb, Affine, Mat3, Vec2, Vec3, random::Stream};
use ambler_scene::{Instance, Material, Mesh, Placement, SceneModel};
use ambler_sensor::{CameraSpec, Frame, Projection, Renderer};
use std::sync::Arc;

/// A quad from four corners, counter-clockwise from its front, as two triangles.
pub(crate) fn quad(corners: [Vec3; 4]) -> Mesh {
    Mesh {
        positions: corners[..].into(),
        uvs: [Vec2::new(0.0, 0.0), Vec2::new(1.0, 0.0), Vec2::new(1.0, 1.0), Vec2::new(0.0, 1.0)].into(),
        triangles: [[0, 1, 2], [0, 2, 3]].into(),
        ..Mesh::default()
    }
}

/// A square of side `2 · half` facing +Z at `z`, its first corner the upper left one.
pub(crate) fn facing_square(half: f32, z: f32) -> Mesh {
    quad([
        Vec3::new(-half, half, z),
        Vec3::new(-half, -half, z),
        Vec3::new(half, -half, z),
        Vec3::new(half, half, z),
    ])
}

/// A box with a color for each wall, seen from the inside: −X red, +X green, −Y blue, +Y yellow,
/// −Z magenta, +Z cyan; instances 1 to 6 in that order. One mesh, eight vertices a color.
pub(crate) fn room(min: Vec3, max: Vec3) -> SceneModel {
    let corner = |i: usize| {
        let pick = |bit: usize, low: f32, high: f32| if i & bit == 0 { low } else { high };
        Vec3::new(pick(1, min.x, max.x), pick(2, min.y, max.y), pick(4, min.z, max.z))
    };
    // Counter-clockwise from the inside.
    let walls: [([usize; 4], [u8; 4]); 6] = [
        ([0, 2, 6, 4], [255, 0, 0, 255]),
        ([1, 5, 7, 3], [0, 255, 0, 255]),
        ([0, 4, 5, 1], [0, 0, 255, 255]),
        ([2, 3, 7, 6], [255, 255, 0, 255]),
        ([0, 1, 3, 2], [255, 0, 255, 255]),
        ([4, 6, 7, 5], [0, 255, 255, 255]),
    ];
    let mut mesh = Mesh::default();
    for (index, (corners, color)) in walls.iter().enumerate() {
        let base = mesh.positions.len() as u32;
        mesh.positions.extend(corners.iter().map(|&i| corner(i)));
        mesh.colors.extend([*color; 4]);
        mesh.triangles.extend([[base, base + 1, base + 2], [base, base + 2, base + 3]]);
        mesh.triangle_instances.extend([index as u32 + 1; 2]);
    }
    let mut scene = scene_of(vec![mesh]);
    scene.categories = vec![String::new(), "wall".into(), "floor".into(), "ceiling".into()];
    scene.instances = (1..=6)
        .map(|id| Instance {
            id,
            source_id: i64::from(id),
            name: format!("wall_{id}"),
            category: match id {
                3 => 2,
                4 => 3,
                _ => 1,
            },
            bounds: Aabb::EMPTY,
        })
        .collect();
    scene
}

/// Each mesh placed once, as it is, with a white material; instance ids from 1 by placement.
pub(crate) fn scene_of(meshes: Vec<Mesh>) -> SceneModel {
    let placements = (0..meshes.len() as u32)
        .map(|mesh| Placement {
            mesh,
            material: 0,
            world_from_mesh: Affine::IDENTITY,
            instance: mesh + 1,
        })
        .collect();
    SceneModel {
        meshes: meshes.into_iter().map(Arc::new).collect(),
        materials: vec![Material::default()],
        placements,
        categories: vec![String::new()],
        ..SceneModel::default()
    }
}

pub(crate) fn pinhole(width: u32, height: u32, hfov_deg: f32) -> CameraSpec {
    CameraSpec { width, height, projection: Projection::Pinhole { hfov_deg }, ..CameraSpec::default() }
}

pub(crate) fn draw(scene: &SceneModel, spec: &CameraSpec, view: &Affine) -> Frame {
    let mut frame = Frame::default();
    Renderer::new(Arc::new(scene.clone())).render(spec, view, &mut frame).expect("a valid view");
    frame
}

/// A view from `eye` with the rotation of a quaternion made from four numbers.
pub(crate) fn view(eye: Vec3, x: f64, y: f64, z: f64, w: f64) -> Affine {
    let norm = (x * x + y * y + z * z + w * w).sqrt();
    let (x, y, z, w) = (x / norm, y / norm, z / norm, w / norm);
    let columns = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)],
        [2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)],
        [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)],
    ]
    .map(|column| Vec3::from_array(column.map(|value| value as f32)));
    Affine { matrix: Mat3::from_cols(columns[0], columns[1], columns[2]), translation: eye }
}

/// Triangles of all sizes and shapes: slivers, needles, specks, giants that reach behind the camera.
pub(crate) fn rubble(seed: u64, count: usize) -> SceneModel {
    let mut stream = Stream::new(seed, "rubble", "scene");
    let mut meshes = Vec::new();
    for _ in 0..6 {
        let mut mesh = Mesh::default();
        for _ in 0..count {
            let mut number = |reach: f64| ((stream.uniform() * 2.0 - 1.0) * reach) as f32;
            let middle = Vec3::new(number(4.0), number(2.0), number(4.0));
            let size = [0.01, 0.05, 0.3, 1.0, 8.0][(number(2.49) + 2.5) as usize % 5];
            let mut corner = || middle + Vec3::new(number(size), number(size), number(size));
            let (a, b, mut c) = (corner(), corner(), corner());
            if mesh.triangles.len().is_multiple_of(5) {
                // A sliver.
                c = a + (b - a) * 0.6 + Vec3::splat(number(1e-4));
            }
            let base = mesh.positions.len() as u32;
            mesh.positions.extend([a, b, c]);
            mesh.uvs.extend([0, 1, 2].map(|_| Vec2::new(number(2.0), number(2.0))));
            let mut channel = || (number(127.0) + 128.0) as u8;
            mesh.colors.extend([0, 1, 2].map(|_| [channel(), channel(), channel(), 255]));
            mesh.triangles.push([base, base + 1, base + 2]);
        }
        meshes.push(mesh);
    }
    scene_of(meshes)
}

/// A view from within a cube of side `2 · reach` in any direction.
pub(crate) fn random_view(stream: &mut Stream, reach: f64) -> Affine {
    let mut number = || stream.uniform() * 2.0 - 1.0;
    let eye = Vec3::new((number() * reach) as f32, (number() * reach) as f32, (number() * reach) as f32);
    view(eye, number(), number(), number(), number() + 1e-3)
}
