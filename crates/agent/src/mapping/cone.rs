use super::map::{CELL_M, EXPLORED, Map, View};
use ambler_sensor::Projection;

/// What one camera sees of the floor plane: for each direction how far.
///
/// The range in a direction is the greatest depth that the image's column there shows, so it ends at
/// walls and goes on over low furniture.
#[derive(Clone, Debug)]
pub(crate) struct Cone {
    /// Where the camera is, start frame.
    pub(crate) at: (f32, f32),
    /// Sine and cosine of its axis' direction.
    sin: f64,
    cos: f64,
    half_fov: f64,
    /// Tangent of half the field of view.
    widest: f64,
    /// Columns from left to right: range along the axis, metres.
    depths: Vec<f32>,
}

impl Cone {
    /// The cone of a camera that sees no further than `most_m`; `None` for other than pinholes and
    /// without depth.
    pub(crate) fn of(view: &View<'_>, most_m: f32) -> Option<Self> {
        let Projection::Pinhole { hfov_deg } = view.spec.projection else { return None };
        let (w, h) = (view.frame.width as usize, view.frame.height as usize);
        if w == 0 || view.frame.depth.len() != w * h {
            return None;
        }
        let mut depths = vec![0.0_f32; w];
        for row in view.frame.depth.chunks_exact(w) {
            for (most, &depth) in depths.iter_mut().zip(row) {
                if depth > *most && depth.is_finite() {
                    *most = depth;
                }
            }
        }
        for depth in &mut depths {
            *depth = depth.min(most_m);
        }
        let yaw = view.yaw + f64::from(view.spec.yaw_deg).to_radians();
        let (sin, cos) = (libm::sin(view.yaw) as f32, libm::cos(view.yaw) as f32);
        let mount = view.spec.mount;
        // The mount in the start frame: right is (cos, -sin), ahead (-sin, -cos).
        let at = (
            view.position.x + mount.x * cos + mount.z * sin,
            view.position.z - mount.x * sin + mount.z * cos,
        );
        let half_fov = f64::from(hfov_deg).to_radians() * 0.5;
        let (sin, cos) = (libm::sin(yaw), libm::cos(yaw));
        Some(Self { at, sin, cos, half_fov, widest: libm::tan(half_fov), depths })
    }

    /// The angle from the axis to a point (left positive), and whether the point is seen.
    pub(crate) fn sees(&self, x: f32, z: f32) -> Option<f64> {
        let (dx, dz) = (f64::from(x - self.at.0), f64::from(z - self.at.1));
        let (ahead, left) = (-dx * self.sin - dz * self.cos, -dx * self.cos + dz * self.sin);
        if ahead <= 0.0 {
            return None;
        }
        let tan = left / ahead;
        if tan.abs() > self.widest {
            return None;
        }
        let column = ((1.0 - tan / self.widest) * 0.5 * self.depths.len() as f64) as usize;
        let range = *self.depths.get(column.min(self.depths.len() - 1))?;
        (ahead <= f64::from(range)).then(|| libm::atan(tan))
    }

    /// Half the field of view.
    pub(crate) fn half_fov(&self) -> f64 {
        self.half_fov
    }

    /// Every cell of the map that is seen, with the angle from the axis, rows along x.
    pub(crate) fn cells(&self) -> Vec<(usize, usize, f64)> {
        let range = self.depths.iter().copied().fold(0.0, f32::max);
        let reach = range / libm::cos(self.half_fov).max(0.2) as f32 + CELL_M;
        let low = Map::cell(self.at.0 - reach, self.at.1 - reach);
        let high = Map::cell(self.at.0 + reach, self.at.1 + reach);
        let (Some(low), Some(high)) = (low, high) else { return Vec::new() };
        let mut cells = Vec::new();
        for z in low.1..=high.1 {
            for x in low.0..=high.0 {
                let (mx, mz) = Map::middle(x, z);
                if let Some(angle) = self.sees(mx, mz) {
                    cells.push((x, z, angle));
                }
            }
        }
        cells
    }

    /// Marks what is seen as explored.
    pub(crate) fn mark_explored(&self, cells: &[(usize, usize, f64)], map: &mut Map) {
        for &(x, z, _) in cells {
            let (mx, mz) = Map::middle(x, z);
            map.mark(mx, mz, EXPLORED);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambler_geometry::Vec3;
    use ambler_sensor::{CameraSpec, Frame};

    #[test]
    fn a_wall_ends_the_view_and_angles_are_left_positive() {
        let spec = CameraSpec { width: 64, height: 2, ..CameraSpec::default() };
        // Left half: a wall at 1 m; right half: 3 m.
        let row: Vec<f32> = (0..64).map(|x| if x < 32 { 1.0 } else { 3.0 }).collect();
        let frame =
            Frame { width: 64, height: 2, depth: [row.clone(), row].concat(), ..Frame::default() };
        let turned = std::f64::consts::FRAC_PI_2;
        let view = View { frame: &frame, spec: &spec, position: Vec3::ZERO, yaw: turned, tilt_rad: 0.0 };
        // A quarter turn left: ahead is -x, left is +z.
        let cone = Cone::of(&view, 5.0).unwrap();
        assert!(cone.sees(-0.9, 0.1).unwrap() > 0.0);
        assert_eq!(cone.sees(-1.2, 0.1), None);
        assert!(cone.sees(-2.9, -0.1).unwrap() < 0.0);
        assert_eq!(cone.sees(-3.1, -0.1), None);
        assert_eq!(cone.sees(1.0, 0.0), None);
        assert_eq!(cone.sees(-1.0, -2.0), None, "outside the field of view");
        // Areas of the two halves: tan(39.5°) / 2 · (1² + 3²).
        let area = cone.cells().len() as f32 * CELL_M * CELL_M;
        assert!((area - 0.412 * 10.0).abs() < 0.15, "{area}");
        let near = Cone::of(&view, 2.0).unwrap();
        assert_eq!(near.sees(-2.5, -0.1), None);
    }
}
