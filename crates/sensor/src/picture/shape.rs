//! Shading for people: scans without colours are one flat white in the colour image.

use super::{NOTHING, Picture};
use crate::{CameraSpec, Frame};
use ambler_geometry::DVec3;

/// Light that reaches surfaces seen edge-on, of 1.
const AMBIENT: f64 = 0.3;
/// Neighbours whose depth differs by more than this share lie on another surface.
const JUMP: f64 = 0.05;

impl Picture {
    /// The colour image lit from the camera: the steeper a surface is seen, the darker it is. The
    /// direction of a surface comes from the depth of neighbouring pixels. For looking at, never
    /// for an agent. Empty without depth; white surfaces without colour.
    pub fn of_shape(frame: &Frame, spec: &CameraSpec) -> Self {
        let (width, height) = (frame.width as usize, frame.height as usize);
        let point = |column: usize, row: usize| -> Option<DVec3> {
            let depth = *frame.depth.get(row * width + column)?;
            let (x, y) = (column as f64 + 0.5, row as f64 + 0.5);
            (depth > 0.0).then(|| spec.unproject(x, y, f64::from(depth)))
        };
        // The neighbour after, else the one before, on the same surface.
        let along = |here: DVec3, after: Option<DVec3>, before: Option<DVec3>| -> Option<DVec3> {
            let near = |other: &DVec3| (other.z - here.z).abs() < JUMP * here.z.abs();
            after
                .filter(near)
                .map(|after| after - here)
                .or_else(|| before.filter(near).map(|before| here - before))
        };
        let shade = |column: usize, row: usize| -> Option<f64> {
            let here = point(column, row)?;
            let before = |of: usize| of.checked_sub(1);
            let right = along(
                here,
                (column + 1 < width).then(|| point(column + 1, row)).flatten(),
                before(column).and_then(|column| point(column, row)),
            );
            let down = along(
                here,
                (row + 1 < height).then(|| point(column, row + 1)).flatten(),
                before(row).and_then(|row| point(column, row)),
            );
            let (Some(right), Some(down)) = (right, down) else { return Some(AMBIENT) };
            let normal = right.cross(down).normalize_or_zero();
            Some(AMBIENT + (1.0 - AMBIENT) * normal.dot(here.normalize_or_zero()).abs())
        };
        let pixel = |index: usize| -> [u8; 3] {
            let Some(light) = shade(index % width, index / width) else { return NOTHING };
            let color = frame.rgb.get(index * 3..index * 3 + 3).unwrap_or(&[255, 255, 255]);
            [0, 1, 2].map(|channel| (f64::from(color[channel]) * light).round() as u8)
        };
        Self::of(frame, (0..frame.depth.len()).map(pixel))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_seen_straight_is_white_and_a_hole_is_black() {
        let spec = CameraSpec { width: 4, height: 4, ..CameraSpec::default() };
        let mut frame = Frame { width: 4, height: 4, depth: vec![2.0; 16], ..Frame::default() };
        frame.depth[0] = 0.0;
        let picture = Picture::of_shape(&frame, &spec);
        assert_eq!(picture.pixels[0], NOTHING);
        // The middle of the wall faces the camera within 20°.
        assert!(picture.pixels[5][0] > 230, "{:?}", picture.pixels[5]);
    }
}
