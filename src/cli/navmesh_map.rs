//! `ambler scene navmesh --map`: where a body gets to, drawn over the plan, an island a colour.

use super::scene::plan_camera;
use crate::exit::Failure;
use ambler_geometry::Vec3;
use ambler_navmesh::NavMesh;
use ambler_scene::SceneModel;
use ambler_sensor::{CameraSpec, Frame, Outputs, Picture, Projection, Renderer, id_color};

/// Pixels of the longer side.
const LONG: f32 = 1400.0;
/// How much of the island's colour covers the plan.
const COVER: f32 = 0.6;
/// Where the plan is cut, metres above the lowest floor.
const CUT_M: f32 = 1.8;

/// The plan in grey; the largest island green, each other one in a colour of its own.
pub fn navmesh_map(
    scene: &SceneModel,
    renderer: &Renderer,
    camera: &CameraSpec,
    mesh: &NavMesh,
) -> Result<Picture, Failure> {
    let size = scene.bounds.size().max(Vec3::splat(0.1));
    let scale = LONG / size.x.max(size.z);
    let [width, height] = [size.x, size.z].map(|side| ((side * scale) as u32).max(64));
    let camera = CameraSpec { width, height, outputs: Outputs::ALL, ..camera.clone() };
    let (camera, place) = plan_camera(scene, &camera, CUT_M);
    let mut frame = Frame::default();
    renderer.render(&camera, &place, &mut frame)?;
    let mut picture = Picture::of_rgb(&frame);
    for pixel in &mut picture.pixels {
        let [r, g, b] = pixel.map(f32::from);
        *pixel = [(60.0 + 0.7 * (0.3 * r + 0.6 * g + 0.1 * b)) as u8; 3];
    }
    let Projection::Orthographic { width_m } = camera.projection else { return Ok(picture) };
    let per_m = width as f32 / width_m;
    let middle = scene.bounds.center();
    let pixel = |p: Vec3| {
        [(p.x - middle.x) * per_m + width as f32 / 2.0, (p.z - middle.z) * per_m + height as f32 / 2.0]
    };
    let area = |island: u32| mesh.islands().get(island as usize).map_or(0.0, |island| island.area_m2);
    let islands = 0..mesh.islands().len() as u32;
    let largest = islands.max_by(|&a, &b| area(a).total_cmp(&area(b)));
    for (corners, island) in mesh.triangles().iter().zip(mesh.triangle_islands()) {
        let color = if Some(island) == largest { [0, 158, 115] } else { id_color(island + 1) };
        fill(&mut picture, corners.map(pixel), color);
    }
    Ok(picture)
}

/// Mixes a colour into the pixels whose middle lies in a triangle.
fn fill(picture: &mut Picture, [a, b, c]: [[f32; 2]; 3], color: [u8; 3]) {
    let range = |axis: usize, most: u32| {
        let low = a[axis].min(b[axis]).min(c[axis]).max(0.0) as u32;
        let high = (a[axis].max(b[axis]).max(c[axis]).max(0.0) as u32 + 1).min(most);
        low..high
    };
    let side = |p: [f32; 2], q: [f32; 2], x: f32, y: f32| {
        (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0])
    };
    for y in range(1, picture.height) {
        for x in range(0, picture.width) {
            let (px, py) = (x as f32 + 0.5, y as f32 + 0.5);
            let sides = [side(a, b, px, py), side(b, c, px, py), side(c, a, px, py)];
            if sides.iter().any(|&s| s < 0.0) && sides.iter().any(|&s| s >= 0.0) {
                continue;
            }
            let Some(pixel) = picture.pixels.get_mut((y * picture.width + x) as usize) else { continue };
            for (channel, color) in pixel.iter_mut().zip(color) {
                *channel = (f32::from(*channel) * (1.0 - COVER) + f32::from(color) * COVER) as u8;
            }
        }
    }
}
