use super::map::{CELL_M, EXPLORED, Lens, Map, View};
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
    /// The same up to what cannot be walked through.
    open: Vec<f32>,
}

/// A cell of the map that is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seen {
    pub(crate) x: usize,
    pub(crate) z: usize,
    /// The angle from the camera's axis, radians, left positive.
    pub(crate) angle: f64,
    /// Whether nothing that was [cut](Cone::cut) stands before it.
    pub(crate) open: bool,
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
        let open = depths.clone();
        Some(Self { at, sin, cos, half_fov, widest: libm::tan(half_fov), depths, open })
    }

    /// Ends what counts as explored at the first surface between two heights (start frame, metres). A wall
    /// that has a window above it ends it too.
    pub(crate) fn cut(mut self, view: &View<'_>, heights: std::ops::Range<f32>) -> Self {
        let Some(lens) = Lens::new(view) else { return self };
        let stride = (view.frame.height / 128).max(1);
        for row in (0..view.frame.height).step_by(stride as usize) {
            for (column, open) in self.open.iter_mut().enumerate() {
                let index = row as usize * view.frame.width as usize + column;
                let nearer = view.frame.depth.get(index).is_some_and(|&depth| depth < *open);
                if !nearer {
                    continue;
                }
                if let Some(point) = lens.point_any(view.frame, column as u32, row)
                    && heights.contains(&point.y)
                {
                    *open = view.frame.depth[index];
                }
            }
        }
        self
    }

    /// The angle from the axis to a point (left positive), and whether the point is seen.
    pub(crate) fn sees(&self, x: f32, z: f32) -> Option<f64> {
        self.look(x, z).map(|(angle, _)| angle)
    }

    /// The same, and whether nothing stands before it.
    fn look(&self, x: f32, z: f32) -> Option<(f64, bool)> {
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
        let column = column.min(self.depths.len() - 1);
        let (range, open) = (*self.depths.get(column)?, *self.open.get(column)?);
        (ahead <= f64::from(range)).then(|| (libm::atan(tan), ahead <= f64::from(open)))
    }

    /// Half the field of view.
    pub(crate) fn half_fov(&self) -> f64 {
        self.half_fov
    }

    /// Every cell of the map that is seen, rows along x.
    pub(crate) fn cells(&self) -> Vec<Seen> {
        let range = self.depths.iter().copied().fold(0.0, f32::max);
        let reach = range / libm::cos(self.half_fov).max(0.2) as f32 + CELL_M;
        let low = Map::cell(self.at.0 - reach, self.at.1 - reach);
        let high = Map::cell(self.at.0 + reach, self.at.1 + reach);
        let (Some(low), Some(high)) = (low, high) else { return Vec::new() };
        let mut cells = Vec::new();
        for z in low.1..=high.1 {
            for x in low.0..=high.0 {
                let (mx, mz) = Map::middle(x, z);
                if let Some((angle, open)) = self.look(mx, mz) {
                    cells.push(Seen { x, z, angle, open });
                }
            }
        }
        cells
    }

    /// Marks what is seen, and not cut off, as explored.
    pub(crate) fn mark_explored(&self, cells: &[Seen], map: &mut Map) {
        for seen in cells.iter().filter(|seen| seen.open) {
            let (mx, mz) = Map::middle(seen.x, seen.z);
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

    #[test]
    fn the_ground_beyond_a_window_is_seen_and_not_explored() {
        let spec = CameraSpec {
            width: 64,
            height: 64,
            mount: Vec3::new(0.0, 1.2, 0.0),
            ..CameraSpec::default()
        };
        // A wall 2 m ahead, 1 m high; above it one sees 4 m.
        let depth: Vec<f32> = (0..64 * 64)
            .map(|index| {
                let up = (31.5 - (index / 64) as f32) / spec.pixel_scale() as f32;
                if 1.2 + 2.0 * up < 1.0 { 2.0 } else { 4.0 }
            })
            .collect();
        let frame = Frame { width: 64, height: 64, depth, ..Frame::default() };
        let view = View { frame: &frame, spec: &spec, position: Vec3::ZERO, yaw: 0.0, tilt_rad: 0.0 };
        let cone = Cone::of(&view, 5.0).unwrap().cut(&view, 0.61..0.88);
        assert!(cone.sees(0.0, -3.9).is_some());
        let ahead = |seen: &&Seen| Map::middle(seen.x, seen.z).1;
        let cells = cone.cells();
        let farthest = |open: bool| {
            cells.iter().filter(|seen| seen.open == open).map(|seen| -ahead(&seen)).fold(0.0, f32::max)
        };
        assert!((farthest(true) - 2.0).abs() < 0.06, "{}", farthest(true));
        assert!((farthest(false) - 4.0).abs() < 0.06, "{}", farthest(false));
        // Over a low wall one explores.
        let low = Cone::of(&view, 5.0).unwrap().cut(&view, 1.05..1.1);
        assert!(low.cells().iter().all(|seen| seen.open || -ahead(&seen) >= 2.0));
        assert!(low.cells().iter().any(|seen| seen.open && -ahead(&seen) > 3.9));
    }
}
