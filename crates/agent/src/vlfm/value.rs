use crate::mapping::cone::{Cone, Seen};
use crate::mapping::map::{CELL_M, Map, SIDE, Window};

/// Least confidence of a ray, at the border of the image.
const EDGE: f32 = 0.25;
/// New confidences below this, and below the old one, are ignored.
const DECISIVE: f32 = 0.35;

/// How well what was seen fits the goal, by cell, and how sure that is.
#[derive(Debug)]
pub(super) struct ValueMap {
    values: Vec<f32>,
    confidences: Vec<f32>,
    known: Window,
}

/// The confidence of a ray at an angle from the axis of a camera with this half field of view, radians:
/// cos²(θ / half · π / 2), spread over 0.25 to 1.
pub(super) fn confidence(angle: f64, half_fov: f64) -> f32 {
    let cos = libm::cos(angle / half_fov * std::f64::consts::FRAC_PI_2);
    EDGE + (1.0 - EDGE) * (cos * cos) as f32
}

/// Value and confidence after a new score: averages weighted by confidence. A new confidence that is
/// low and lower than the old one changes nothing.
pub(super) fn fused(old: (f32, f32), new: (f32, f32)) -> (f32, f32) {
    let ((value, sure), (score, weight)) = (old, new);
    if weight < DECISIVE && weight < sure {
        return old;
    }
    let sum = sure + weight;
    if !(sum > 0.0) {
        return old;
    }
    ((sure * value + weight * score) / sum, (sure * sure + weight * weight) / sum)
}

impl ValueMap {
    pub(super) fn new() -> Self {
        let empty = || vec![0.0; SIDE * SIDE];
        Self { values: empty(), confidences: empty(), known: Window::EMPTY }
    }

    pub(super) fn clear(&mut self) {
        for z in self.known.z0..self.known.z1 {
            let row = z * SIDE + self.known.x0..z * SIDE + self.known.x1;
            self.values[row.clone()].fill(0.0);
            self.confidences[row].fill(0.0);
        }
        self.known = Window::EMPTY;
    }

    /// Paints a score on what a camera saw.
    pub(super) fn paint(&mut self, cone: &Cone, cells: &[Seen], score: f32) {
        for &Seen { x, z, angle, .. } in cells {
            let at = z * SIDE + x;
            let new = (score, confidence(angle, cone.half_fov()));
            let old = (self.values[at], self.confidences[at]);
            (self.values[at], self.confidences[at]) = fused(old, new);
            self.known.include(x, z);
        }
    }

    /// The value of a cell; `None` where nothing was seen.
    pub(super) fn at(&self, x: usize, z: usize) -> Option<f32> {
        let at = z * SIDE + x;
        (self.confidences[at] > 0.0).then(|| self.values[at])
    }

    /// The greatest value within so many metres of a point; 0 where nothing was seen.
    pub(super) fn best_near(&self, x: f32, z: f32, within_m: f32) -> f32 {
        let cells = (within_m / CELL_M).ceil() as i32;
        let mut best = 0.0_f32;
        for dz in -cells..=cells {
            for dx in -cells..=cells {
                let (dx, dz) = (dx as f32 * CELL_M, dz as f32 * CELL_M);
                if dx * dx + dz * dz <= within_m * within_m
                    && let Some((i, j)) = Map::cell(x + dx, z + dz)
                    && let Some(value) = self.at(i, j)
                {
                    best = best.max(value);
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fusion_is_the_papers() {
        // c = 1, v = 0.2 with c = 0.5, v = 0.8 makes 0.4 and 0.8333.
        let (value, sure) = fused((0.2, 1.0), (0.8, 0.5));
        assert!((value - 0.4).abs() < 1e-6 && (sure - 0.8333).abs() < 1e-4, "{value} {sure}");
        // A confidence of 0.3 under one of 0.5 is ignored; under one of 0.25 it is not.
        assert_eq!(fused((0.2, 0.5), (0.8, 0.3)), (0.2, 0.5));
        assert!(fused((0.2, 0.25), (0.8, 0.3)).0 > 0.4);
        let (value, sure) = fused((0.0, 0.0), (0.7, 0.4));
        assert!((value - 0.7).abs() < 1e-6 && (sure - 0.4).abs() < 1e-6);
    }

    #[test]
    fn rays_at_the_border_are_trusted_a_quarter() {
        let half = 39.5_f64.to_radians();
        assert!((confidence(half, half) - 0.25).abs() < 1e-6);
        assert!((confidence(-half, half) - 0.25).abs() < 1e-6);
        assert_eq!(confidence(0.0, half), 1.0);
        // Halfway: cos² 45° = 1/2.
        assert!((confidence(half / 2.0, half) - 0.625).abs() < 1e-6);
    }
}
