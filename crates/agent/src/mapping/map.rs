use super::floor::Floor;
use ambler_body::BodyPreset;
use ambler_geometry::{Affine, Heading, Pose, Vec3};
use ambler_sensor::{CameraSpec, Detection, Frame, Projection};

/// Width of a cell, metres.
pub(crate) const CELL_M: f32 = 0.05;
/// Cells along each side: ±51 m around the start.
pub(crate) const SIDE: usize = 2048;
/// Depth beyond this is not mapped, metres: the floor is too coarsely sampled there.
const RANGE_M: f32 = 6.0;
/// Returns that make an obstacle.
const ENOUGH_HITS: u8 = 2;
/// Most samples along each side of a depth image.
const SAMPLES: u32 = 85;

/// The floor was seen here.
pub(crate) const FREE: u8 = 1;
/// Nothing was seen, but it lies between the body and the nearest floor that its cameras can see.
pub(crate) const ASSUMED: u8 = 2;
/// A step was blocked here.
pub(crate) const BUMPED: u8 = 4;
/// What lies beyond could not be seen from close by: no longer a frontier.
pub(crate) const EXHAUSTED: u8 = 8;
/// A surface of the goal was seen here.
pub(crate) const GOAL: u8 = 16;
/// Not a place to end at: the goal was not visible from here.
pub(crate) const NO_TARGET: u8 = 32;
/// It lay in the view of a camera, with nothing before it.
pub(crate) const EXPLORED: u8 = 64;

/// Cells [x0, x1) × [z0, z1) of the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) x0: usize,
    pub(crate) z0: usize,
    pub(crate) x1: usize,
    pub(crate) z1: usize,
}

impl Window {
    pub(crate) const EMPTY: Self = Self { x0: usize::MAX, z0: usize::MAX, x1: 0, z1: 0 };

    pub(crate) fn include(&mut self, x: usize, z: usize) {
        self.x0 = self.x0.min(x);
        self.z0 = self.z0.min(z);
        self.x1 = self.x1.max(x + 1);
        self.z1 = self.z1.max(z + 1);
    }

    /// The window with a margin, inside the map.
    pub(crate) fn grown(self, cells: usize) -> Self {
        Self {
            x0: self.x0.saturating_sub(cells),
            z0: self.z0.saturating_sub(cells),
            x1: (self.x1 + cells).min(SIDE),
            z1: (self.z1 + cells).min(SIDE),
        }
    }
}

/// Heights that matter to the body, metres above the floor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heights {
    /// Up to here it steps over things.
    pub(crate) climb_m: f32,
    /// Above this it passes underneath.
    pub(crate) top_m: f32,
}

impl Heights {
    /// As Recast rounds them: the clear height up to voxels, the climb down.
    pub(crate) fn of(body: &BodyPreset) -> Self {
        let voxels = |metres: f32| metres / body.cell_height_m;
        Self {
            climb_m: (voxels(body.max_climb_m) + 1e-3).floor().max(0.5) * body.cell_height_m,
            top_m: (voxels(body.height_m) - 1e-3).ceil() * body.cell_height_m,
        }
    }
}

/// Radius of a body in whole cells of its navmesh, metres.
pub(crate) fn grid_radius_m(body: &BodyPreset) -> f32 {
    (body.radius_m / body.cell_size_m - 1e-3).ceil() * body.cell_size_m
}

/// What is known of the floor plane, in the start frame.
#[derive(Debug)]
pub(crate) struct Map {
    flags: Vec<u8>,
    hits: Vec<u8>,
    known: Window,
    floor: Floor,
    changes: u64,
}

impl Map {
    pub(crate) fn new() -> Self {
        Self {
            flags: vec![0; SIDE * SIDE],
            hits: vec![0; SIDE * SIDE],
            known: Window::EMPTY,
            floor: Floor::at(0.0),
            changes: 0,
        }
    }

    pub(crate) fn clear(&mut self) {
        for z in self.known.z0..self.known.z1 {
            let row = z * SIDE + self.known.x0..z * SIDE + self.known.x1;
            self.flags[row.clone()].fill(0);
            self.hits[row].fill(0);
        }
        self.known = Window::EMPTY;
        self.floor = Floor::at(0.0);
        self.changes += 1;
    }

    /// Grows with every change: as long as it is the same, so is the map.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    /// What is known so far.
    pub(crate) fn known(&self) -> Window {
        self.known
    }

    /// The cell of a point; `None` outside the map (and for NaN).
    pub(crate) fn cell(x: f32, z: f32) -> Option<(usize, usize)> {
        let half = (SIDE / 2) as f32;
        let (i, j) = ((x / CELL_M).floor() + half, (z / CELL_M).floor() + half);
        let inside = |v: f32| v >= 0.0 && v < SIDE as f32;
        (inside(i) && inside(j)).then_some((i as usize, j as usize))
    }

    /// Enters floor that is known without having been seen, or that nobody can stand there.
    pub(crate) fn remember(&mut self, x: f32, z: f32, open: bool) {
        if open {
            self.mark(x, z, FREE);
        } else {
            for _ in 0..ENOUGH_HITS {
                self.hit(x, z);
            }
        }
    }

    /// The middle of a cell.
    pub(crate) fn middle(x: usize, z: usize) -> (f32, f32) {
        let at = |i: usize| (i as f32 + 0.5 - (SIDE / 2) as f32) * CELL_M;
        (at(x), at(z))
    }

    /// Height of the floor, start frame, metres.
    pub(crate) fn floor_y(&self) -> f32 {
        self.floor.height()
    }

    pub(crate) fn flags(&self, x: usize, z: usize) -> u8 {
        self.flags[z * SIDE + x]
    }

    /// The flags of a row of cells, and whether each is an obstacle.
    pub(crate) fn row(
        &self,
        z: usize,
        x: std::ops::Range<usize>,
    ) -> (&[u8], impl Iterator<Item = bool>) {
        let cells = z * SIDE + x.start..z * SIDE + x.end;
        (&self.flags[cells.clone()], self.hits[cells].iter().map(|hits| *hits >= ENOUGH_HITS))
    }

    pub(crate) fn is_obstacle(&self, x: usize, z: usize) -> bool {
        self.hits[z * SIDE + x] >= ENOUGH_HITS
    }

    pub(crate) fn mark(&mut self, x: f32, z: f32, flag: u8) {
        if let Some((i, j)) = Self::cell(x, z) {
            let flags = &mut self.flags[j * SIDE + i];
            self.changes += u64::from(*flags | flag != *flags);
            *flags |= flag;
            self.known.include(i, j);
        }
    }

    pub(crate) fn mark_disc(&mut self, x: f32, z: f32, radius_m: f32, flag: u8) {
        let cells = (radius_m / CELL_M).ceil() as i32;
        for dz in -cells..=cells {
            for dx in -cells..=cells {
                let (dx, dz) = (dx as f32 * CELL_M, dz as f32 * CELL_M);
                if dx * dx + dz * dz <= radius_m * radius_m {
                    self.mark(x + dx, z + dz, flag);
                }
            }
        }
    }

    fn hit(&mut self, x: f32, z: f32) {
        if let Some((i, j)) = Self::cell(x, z) {
            let hits = &mut self.hits[j * SIDE + i];
            *hits = hits.saturating_add(1);
            self.changes += u64::from(*hits == ENOUGH_HITS);
            self.known.include(i, j);
        }
    }

    /// Enters one depth image of a body that stands at `position` (start frame) with this heading
    /// and tilt. Cameras that are not pinholes and frames without depth add nothing.
    pub(crate) fn integrate(&mut self, view: &View<'_>, position: Vec3, heights: Heights) {
        let Some(lens) = Lens::new(view) else { return };
        let (w, h) = (view.frame.width, view.frame.height);
        let stride = (w.max(h) / SAMPLES).max(1);
        self.floor.follow(position.y);
        for column in (stride..w).step_by(4 * stride as usize) {
            for row in (stride..h).step_by(4 * stride as usize) {
                if let Some(point) = lens.point(view.frame, column, row) {
                    self.floor.count(point.y);
                }
            }
        }
        let floor_y = self.floor.estimate();
        for column in (stride / 2..w).step_by(stride as usize) {
            // From the bottom up, so that neighbouring floor points follow each other.
            let mut last: Option<(f32, f32)> = None;
            for row in (stride / 2..h).rev().step_by(stride as usize) {
                let Some(point) = lens.point(view.frame, column, row) else { continue };
                let height = point.y - floor_y;
                if height > heights.top_m {
                    continue;
                }
                if height.abs() > heights.climb_m {
                    self.hit(point.x, point.z);
                    last = None;
                } else {
                    self.floor(last, (point.x, point.z));
                    last = Some((point.x, point.z));
                }
            }
        }
        self.assume_near(view, position, lens.blind_m(view.spec, position));
    }

    /// Marks floor seen at a point, and between it and the last one of its column if they are near.
    fn floor(&mut self, last: Option<(f32, f32)>, (x, z): (f32, f32)) {
        self.mark(x, z, FREE);
        let Some((from_x, from_z)) = last else { return };
        let (dx, dz) = (x - from_x, z - from_z);
        let length = (dx * dx + dz * dz).sqrt();
        if length > CELL_M && length < 10.0 * CELL_M {
            let steps = (length / CELL_M).ceil();
            for i in 1..steps as i32 {
                let t = i as f32 / steps;
                self.mark(from_x + dx * t, from_z + dz * t, FREE);
            }
        }
    }

    /// What a camera cannot see because it lies below its image is assumed free up to the first
    /// obstacle.
    fn assume_near(&mut self, view: &View<'_>, position: Vec3, blind_m: f32) {
        let Projection::Pinhole { hfov_deg } = view.spec.projection else { return };
        let half = f64::from(hfov_deg).to_radians() * 0.5;
        let middle = view.yaw + f64::from(view.spec.yaw_deg).to_radians();
        let rays = 32;
        for ray in 0..=rays {
            let yaw = middle - half + 2.0 * half * f64::from(ray) / f64::from(rays);
            let (dx, dz) = (-libm::sin(yaw) as f32, -libm::cos(yaw) as f32);
            let mut along = 0.0;
            while along < blind_m {
                let (x, z) = (position.x + dx * along, position.z + dz * along);
                let Some((i, j)) = Self::cell(x, z) else { break };
                if self.is_obstacle(i, j) {
                    break;
                }
                self.mark(x, z, ASSUMED);
                along += CELL_M;
            }
        }
    }

    /// Marks where the surfaces of a detected thing are, and returns their mean height above
    /// `position` if there are any. With an instance image only its pixels count; without one, the
    /// detection's position.
    pub(crate) fn mark_goal(
        &mut self,
        view: &View<'_>,
        found: &Detection,
        position: Vec3,
    ) -> Option<f32> {
        let lens = Lens::new(view)?;
        if view.frame.instance.len() != view.frame.pixel_count() {
            let point = lens.start_from_camera.point(found.position);
            self.mark(point.x, point.z, GOAL);
            return Some(point.y - position.y);
        }
        let [x0, y0, x1, y1] = found.bbox;
        let stride = ((x1.saturating_sub(x0)).max(y1.saturating_sub(y0)) / 48).max(1) as usize;
        let (mut sum, mut count) = (0.0, 0.0);
        for row in (y0..y1.min(view.frame.height)).step_by(stride) {
            for column in (x0..x1.min(view.frame.width)).step_by(stride) {
                let index = row as usize * view.frame.width as usize + column as usize;
                if view.frame.instance[index] != found.instance {
                    continue;
                }
                if let Some(point) = lens.point_any(view.frame, column, row) {
                    self.mark(point.x, point.z, GOAL);
                    sum += point.y - position.y;
                    count += 1.0;
                }
            }
        }
        (count > 0.0).then(|| sum / count)
    }
}

/// One camera's images and where the body was.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) frame: &'a Frame,
    pub(crate) spec: &'a CameraSpec,
    /// Position in the start frame.
    pub(crate) position: Vec3,
    /// Compass.
    pub(crate) yaw: f64,
    pub(crate) tilt_rad: f64,
}

/// A pinhole camera at a pose in the start frame.
pub(crate) struct Lens {
    pub(crate) start_from_camera: Affine,
    inverse_focal: f32,
    center: (f32, f32),
}

impl Lens {
    pub(crate) fn new(view: &View<'_>) -> Option<Self> {
        let Projection::Pinhole { .. } = view.spec.projection else { return None };
        if view.frame.depth.len() != view.frame.pixel_count() || view.frame.width != view.spec.width {
            return None;
        }
        let pose = Pose { position: view.position, heading: Heading::from_yaw(view.yaw) };
        Some(Self {
            start_from_camera: view.spec.world_from_camera(&pose, view.tilt_rad),
            inverse_focal: (1.0 / view.spec.pixel_scale()) as f32,
            center: (view.frame.width as f32 * 0.5, view.frame.height as f32 * 0.5),
        })
    }

    /// The surface seen in a pixel, start frame, within mapping range.
    fn point(&self, frame: &Frame, column: u32, row: u32) -> Option<Vec3> {
        let depth = frame.depth[row as usize * frame.width as usize + column as usize];
        (depth > 0.0 && depth < RANGE_M).then(|| self.at(column, row, depth))
    }

    /// The same at any range.
    pub(crate) fn point_any(&self, frame: &Frame, column: u32, row: u32) -> Option<Vec3> {
        let depth = frame.depth[row as usize * frame.width as usize + column as usize];
        (depth > 0.0 && depth.is_finite()).then(|| self.at(column, row, depth))
    }

    fn at(&self, column: u32, row: u32, depth: f32) -> Vec3 {
        let right = (column as f32 + 0.5 - self.center.0) * self.inverse_focal;
        let up = (self.center.1 - row as f32 - 0.5) * self.inverse_focal;
        self.start_from_camera.point(Vec3::new(right * depth, up * depth, -depth))
    }

    /// How far from the body the nearest floor is that the lower border of the image shows.
    fn blind_m(&self, spec: &CameraSpec, position: Vec3) -> f32 {
        let lower = Vec3::new(0.0, -(spec.height as f32) * 0.5 * self.inverse_focal, -1.0);
        let down = self.start_from_camera.vector(lower);
        let camera = self.start_from_camera.translation;
        if down.y >= -1e-3 {
            return 1.8;
        }
        let t = (camera.y - position.y) / -down.y;
        ((down.x * down.x + down.z * down.z).sqrt() * t + CELL_M).clamp(0.3, 1.8)
    }
}
