use super::{Area, Canvas, Color, Pen, Point, colors, viridis};
use ambler_agent::layers::{Grid, GridKind, Layer, PathRole};
use ambler_geometry::{Aabb, Affine, Pose, Vec3};

/// How the floor is mapped to pixels: north (−Z) is up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MapView {
    /// The pixels of the map.
    pub area: Area,
    /// World x and z in its middle, metres.
    pub middle: [f32; 2],
    /// Pixels a metre.
    pub scale: f32,
}

impl MapView {
    /// A map that shows a box of the world, as large as fits.
    pub fn fitting(area: Area, bounds: &Aabb) -> Self {
        let (size, middle) = (bounds.size(), bounds.center());
        let scale = (area.width as f32 / size.x.max(0.1)).min(area.height as f32 / size.z.max(0.1));
        Self { area, middle: [middle.x, middle.z], scale }
    }

    /// The pixel of a point of the world.
    pub fn pixel(&self, point: Vec3) -> Point {
        let x = self.area.x as f32 + 0.5 * self.area.width as f32;
        let y = self.area.y as f32 + 0.5 * self.area.height as f32;
        [x + (point.x - self.middle[0]) * self.scale, y + (point.z - self.middle[1]) * self.scale]
    }

    /// The point of the world at a pixel, at height 0.
    pub fn world(&self, pixel: Point) -> Vec3 {
        let x = pixel[0] - self.area.x as f32 - 0.5 * self.area.width as f32;
        let y = pixel[1] - self.area.y as f32 - 0.5 * self.area.height as f32;
        Vec3::new(self.middle[0] + x / self.scale, 0.0, self.middle[1] + y / self.scale)
    }

    /// Pixels of points.
    pub fn pixels(&self, world_from: &Affine, points: &[Vec3]) -> Vec<Point> {
        points.iter().map(|&point| self.pixel(world_from.point(point))).collect()
    }
}

/// Draws a layer on the map: grids, points, paths; other kinds have no place on it.
pub fn draw_layer(canvas: &mut Canvas<'_>, view: &MapView, world_from: &Affine, layer: &Layer) {
    let mut canvas = canvas.within(view.area);
    let canvas = &mut canvas;
    match layer {
        Layer::Grid(grid) => draw_grid(canvas, view, world_from, grid),
        Layer::Points(points) => {
            let radius = points.radius_m.map_or(3.0, |metres| (metres * view.scale).clamp(1.0, 12.0));
            for point in view.pixels(world_from, &points.positions) {
                canvas.disc(point, radius, colors::ORANGE, 0.8);
            }
        }
        Layer::Paths(paths) => {
            for line in &paths.lines {
                let mut points = view.pixels(world_from, &line.positions);
                if paths.closed {
                    points.extend(points.first().copied());
                }
                match paths.role {
                    PathRole::Frontier => {
                        canvas.lines(&points, Pen::new(colors::SKY, 4.0));
                        if line.chosen {
                            canvas.lines(&points, Pen::new([255; 3], 1.5));
                        }
                    }
                    PathRole::Plan => {
                        canvas.lines(&points, Pen { alpha: 0.7, ..Pen::new(colors::CASING, 4.0) });
                        canvas.lines(&points, Pen::new(colors::PURPLE, 2.5).dashed(2.0, 5.0));
                    }
                    PathRole::Shortest => {
                        canvas.lines(&points, Pen::new(colors::YELLOW, 2.0).dashed(7.0, 5.0));
                    }
                    PathRole::Driven => canvas.lines(&points, Pen::new(viridis(0.8), 2.0)),
                    PathRole::Other => canvas.lines(&points, Pen::new(colors::FAINT, 1.5)),
                }
            }
        }
        _ => {}
    }
}

fn draw_grid(canvas: &mut Canvas<'_>, view: &MapView, world_from: &Affine, grid: &Grid) {
    let grid_from_world = world_from.inverse();
    let Some(grid_from_world) = grid_from_world else { return };
    let [low, high] = grid.range.unwrap_or_else(|| range(grid));
    for y in view.area.y..view.area.y + view.area.height {
        for x in view.area.x..view.area.x + view.area.width {
            let world = view.world([x as f32 + 0.5, y as f32 + 0.5]);
            let at = (grid_from_world.point(world) - grid.corner) / grid.cell_m;
            if !(at.x >= 0.0 && at.z >= 0.0) {
                continue;
            }
            let Some(value) = grid.value(at.x as u32, at.z as u32) else { continue };
            let (color, alpha): (Color, f32) = match &grid.kind {
                GridKind::Occupancy if value >= 60.0 => ([250, 250, 250], 0.55),
                GridKind::Occupancy => ([120, 150, 190], 0.35 - 0.2 * value / 60.0),
                GridKind::Explored => ([120, 150, 190], 0.35),
                GridKind::Label(_) => (viridis((value * 0.37).fract()), 0.5),
                _ => (viridis((value - low) / (high - low).max(1e-9)), 0.5),
            };
            canvas.mix(i64::from(x), i64::from(y), color, alpha);
        }
    }
}

fn range(grid: &Grid) -> [f32; 2] {
    let values = (0..grid.values.len()).filter_map(|index| grid.values.get(index));
    values
        .filter(|value| value.is_finite())
        .fold([f32::MAX, f32::MIN], |[low, high], value| [low.min(value), high.max(value)])
}

/// Draws where the body was: dark at the start, light where it is now; a fan where it turned in place.
pub fn draw_track(canvas: &mut Canvas<'_>, view: &MapView, poses: &[Pose]) {
    let mut canvas = canvas.within(view.area);
    let points: Vec<Point> = poses.iter().map(|pose| view.pixel(pose.position)).collect();
    canvas.lines(&points, Pen { alpha: 0.8, ..Pen::new(colors::CASING, 5.0) });
    let last = points.len().saturating_sub(2).max(1) as f32;
    for (index, pair) in points.windows(2).enumerate() {
        canvas.line(pair[0], pair[1], Pen::new(viridis(0.15 + 0.85 * index as f32 / last), 3.0));
    }
}

/// Draws the body to scale, with a beak ahead.
pub fn draw_robot(canvas: &mut Canvas<'_>, view: &MapView, pose: &Pose, radius_m: f32) {
    let mut canvas = canvas.within(view.area);
    let middle = view.pixel(pose.position);
    let radius = (radius_m * view.scale).max(5.0);
    let (ahead, right) = (pose.heading.forward(), pose.heading.right());
    let at = |along: f32, across: f32| {
        let v = ahead * along + right * across;
        [middle[0] + v.x * radius, middle[1] + v.z * radius]
    };
    canvas.disc(middle, radius + 1.5, colors::CASING, 1.0);
    canvas.disc(middle, radius, [255; 3], 1.0);
    canvas.polygon(&[at(1.9, 0.0), at(0.5, -0.8), at(0.5, 0.8)], colors::CASING, 1.0);
    canvas.polygon(&[at(1.6, 0.0), at(0.55, -0.6), at(0.55, 0.6)], colors::VERMILION, 1.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn north_is_up_and_pixels_come_back() {
        let area = Area { x: 100, y: 50, width: 200, height: 100 };
        let bounds = Aabb { min: Vec3::new(-2.0, 0.0, -1.0), max: Vec3::new(6.0, 3.0, 3.0) };
        let view = MapView::fitting(area, &bounds);
        assert_eq!(view.scale, 25.0);
        assert_eq!(view.pixel(Vec3::new(2.0, 9.0, 1.0)), [200.0, 100.0]);
        let north = view.pixel(Vec3::new(2.0, 0.0, 0.0));
        assert_eq!(north, [200.0, 75.0]);
        assert_eq!(view.world(north), Vec3::new(2.0, 0.0, 0.0));
    }
}
