//! Light on a drawn image, where a camera has any: once a pixel, after its colour.

use super::Source;
use super::bake::CLUSTER;
use super::canvas::Canvas;
use crate::render::light::{Lit, point, seen_normal};
use glam::DVec3;

/// Multiplies the colours of an image with the light that falls on what its pixels see.
pub(crate) fn apply(source: &Source<'_>, lit: &Lit, canvas: &Canvas, rgb: &mut [u8]) {
    let lens = source.lens;
    let far = lens.far as f32;
    // Neighbours mostly see the same triangle.
    let mut last = (0, [DVec3::ZERO; 3]);
    for (y, row) in rgb.chunks_exact_mut(canvas.width * 3).enumerate() {
        for (x, pixel) in row.as_chunks_mut::<3>().0.iter_mut().enumerate() {
            let at = y * canvas.stride + x;
            let (near, slot) = (canvas.near[at], canvas.slots[at]);
            let depth = if lens.orthographic || lens.wide.is_some() { -near } else { 1.0 / near };
            // Beyond a fisheye's circle it is infinite.
            if slot == 0 || !(near > canvas.empty && depth <= far && near.is_finite()) {
                continue;
            }
            if slot != last.0 {
                let Some(points) = corners(source, canvas, slot as usize) else { continue };
                last = (slot, points);
            }
            let (point, ray) = point(lens, x, y, f64::from(depth));
            let light = lit.on(point, seen_normal(last.1, ray));
            for (value, light) in pixel.iter_mut().zip(light) {
                // The cast saturates.
                *value = (f64::from(*value) * light + 0.5) as u8;
            }
        }
    }
}

/// The corners of the triangle of a slot, in the camera's frame.
fn corners(source: &Source<'_>, canvas: &Canvas, slot: usize) -> Option<[DVec3; 3]> {
    let drawn = canvas.drawn.get(slot / CLUSTER)?;
    let pose = source.poses[drawn.placed as usize].as_ref()?;
    let mesh = source.mesh_of(drawn);
    let cluster = &mesh.clusters[drawn.cluster as usize];
    let corners = mesh.corners(cluster.first_triangle + slot % CLUSTER);
    Some(corners.map(|corner| {
        pose.camera_from_mesh.point(mesh.position(cluster.first_vertex + usize::from(corner)))
    }))
}
