//! A small painter for pictures that people look at: maps, captions, the frames of a video. Lines and
//! text are smoothed; the same calls give the same bytes. The window's map uses it too.

mod map;
mod text;

pub use map::{MapView, draw_layer, draw_robot, draw_track};
pub use text::{Face, text_width};

use ambler_sensor::Picture;

/// A colour: red, green, blue.
pub type Color = [u8; 3];

/// The colours of Ambler's pictures: Okabe and Ito's palette, which colour-blind readers can tell
/// apart, on a dark ground.
pub mod colors {
    use super::Color;
    /// The ground.
    pub const GROUND: Color = [0x1b, 0x1d, 0x21];
    /// Text.
    pub const TEXT: Color = [0xe6, 0xe6, 0xe6];
    /// Text of less weight.
    pub const FAINT: Color = [0xa8, 0xad, 0xb5];
    /// Outlines under lines.
    pub const CASING: Color = [0x10, 0x11, 0x13];
    /// Detections.
    pub const ORANGE: Color = [0xe6, 0x9f, 0x00];
    /// Frontiers.
    pub const SKY: Color = [0x56, 0xb4, 0xe9];
    /// Goals and success.
    pub const GREEN: Color = [0x00, 0x9e, 0x73];
    /// The shortest path.
    pub const YELLOW: Color = [0xf0, 0xe4, 0x42];
    /// Collisions and failure.
    pub const VERMILION: Color = [0xd5, 0x5e, 0x00];
    /// Plans.
    pub const PURPLE: Color = [0xcc, 0x79, 0xa7];
}

/// A point in a picture: pixels from the left and from the top; the middle of the first pixel is at
/// (0.5, 0.5).
pub type Point = [f32; 2];

/// How a line looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pen {
    /// Its colour.
    pub color: Color,
    /// Its width in pixels.
    pub width: f32,
    /// 0 invisible to 1 opaque.
    pub alpha: f32,
    /// Lengths of dashes and gaps in pixels.
    pub dash: Option<(f32, f32)>,
}

impl Pen {
    /// An opaque, solid pen.
    pub fn new(color: Color, width: f32) -> Self {
        Self { color, width, alpha: 1.0, dash: None }
    }

    /// The same with dashes and gaps of these lengths in pixels.
    #[must_use]
    pub fn dashed(mut self, on: f32, off: f32) -> Self {
        self.dash = Some((on, off));
        self
    }
}

/// A rectangle of pixels: left, top, width, height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// First column.
    pub x: u32,
    /// First row.
    pub y: u32,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl Area {
    /// All of a picture.
    pub fn of(picture: &Picture) -> Self {
        Self { x: 0, y: 0, width: picture.width, height: picture.height }
    }

    fn overlap(self, other: Self) -> Self {
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let right = (self.x + self.width).min(other.x + other.width);
        let bottom = (self.y + self.height).min(other.y + other.height);
        Self { x, y, width: right.saturating_sub(x), height: bottom.saturating_sub(y) }
    }
}

/// Draws on a picture, inside an area of it.
pub struct Canvas<'a> {
    picture: &'a mut Picture,
    clip: Area,
}

impl<'a> Canvas<'a> {
    /// Draws on all of a picture.
    pub fn new(picture: &'a mut Picture) -> Self {
        let clip = Area::of(picture);
        Self { picture, clip }
    }

    /// Draws on a part only.
    pub fn within(&mut self, area: Area) -> Canvas<'_> {
        let clip = self.clip.overlap(area);
        Canvas { picture: self.picture, clip }
    }

    /// Mixes a colour into a pixel.
    pub fn mix(&mut self, x: i64, y: i64, color: Color, alpha: f32) {
        let clip = self.clip;
        let inside = x >= i64::from(clip.x)
            && y >= i64::from(clip.y)
            && x < i64::from(clip.x + clip.width)
            && y < i64::from(clip.y + clip.height);
        if !inside || !(alpha > 0.0) {
            return;
        }
        let index = y as usize * self.picture.width as usize + x as usize;
        let Some(pixel) = self.picture.pixels.get_mut(index) else { return };
        let alpha = alpha.min(1.0);
        for (old, new) in pixel.iter_mut().zip(color) {
            *old = (f32::from(*old) + (f32::from(new) - f32::from(*old)) * alpha + 0.5) as u8;
        }
    }

    /// Mixes a colour into a rectangle.
    pub fn fill(&mut self, area: Area, color: Color, alpha: f32) {
        let area = area.overlap(self.clip);
        for y in area.y..area.y + area.height {
            for x in area.x..area.x + area.width {
                self.mix(i64::from(x), i64::from(y), color, alpha);
            }
        }
    }

    /// Copies a picture.
    pub fn copy(&mut self, picture: &Picture, x: u32, y: u32) {
        for (row, line) in picture.pixels.chunks_exact(picture.width.max(1) as usize).enumerate() {
            for (column, &pixel) in line.iter().enumerate() {
                self.mix(i64::from(x) + column as i64, i64::from(y) + row as i64, pixel, 1.0);
            }
        }
    }

    /// Calls `shade` for the pixels of a box with the middle of each; it answers how much of the colour
    /// is mixed in.
    fn shade(&mut self, from: Point, to: Point, color: Color, shade: impl Fn(f32, f32) -> f32) {
        if !from.iter().chain(&to).all(|value| value.is_finite()) {
            return;
        }
        let clip = self.clip;
        let range = |low: f32, high: f32, first: u32, count: u32| {
            let low = low.floor().clamp(first as f32, (first + count) as f32) as u32;
            let high = high.ceil().clamp(first as f32, (first + count) as f32) as u32;
            low..high
        };
        for y in range(from[1], to[1], clip.y, clip.height) {
            for x in range(from[0], to[0], clip.x, clip.width) {
                let alpha = shade(x as f32 + 0.5, y as f32 + 0.5);
                self.mix(i64::from(x), i64::from(y), color, alpha);
            }
        }
    }

    /// A disc.
    pub fn disc(&mut self, middle: Point, radius: f32, color: Color, alpha: f32) {
        let far = radius + 1.0;
        let [cx, cy] = middle;
        self.shade([cx - far, cy - far], [cx + far, cy + far], color, |x, y| {
            let distance = ((x - cx) * (x - cx) + (y - cy) * (y - cy)).sqrt();
            (radius + 0.5 - distance).clamp(0.0, 1.0) * alpha
        });
    }

    /// A circle.
    pub fn ring(&mut self, middle: Point, radius: f32, pen: Pen) {
        let half = 0.5 * pen.width;
        let far = radius + half + 1.0;
        let [cx, cy] = middle;
        self.shade([cx - far, cy - far], [cx + far, cy + far], pen.color, |x, y| {
            let distance = ((x - cx) * (x - cx) + (y - cy) * (y - cy)).sqrt();
            (half + 0.5 - (distance - radius).abs()).clamp(0.0, 1.0) * pen.alpha
        });
    }

    /// A straight line with round ends.
    pub fn line(&mut self, a: Point, b: Point, pen: Pen) {
        self.lines(&[a, b], pen);
    }

    /// A line through points; dashes run through its corners.
    pub fn lines(&mut self, points: &[Point], pen: Pen) {
        let mut along = 0.0;
        for pair in points.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            let length = distance(a, b);
            let Some((on, off)) = pen.dash else {
                self.stroke(a, b, pen);
                continue;
            };
            let period = (on + off).max(0.5);
            if !length.is_finite() || length > 1e5 {
                continue;
            }
            // Dashes whose start is before the end of this piece.
            let mut start = (along / period).floor() * period;
            while start < along + length {
                let (from, to) = ((start - along).max(0.0), (start + on - along).min(length));
                if to > from {
                    let at = |s: f32| {
                        let t = s / length;
                        [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t]
                    };
                    self.stroke(at(from), at(to), pen);
                }
                start += period;
            }
            along += length;
        }
    }

    fn stroke(&mut self, a: Point, b: Point, pen: Pen) {
        let half = 0.5 * pen.width;
        let far = half + 1.0;
        let from = [a[0].min(b[0]) - far, a[1].min(b[1]) - far];
        let to = [a[0].max(b[0]) + far, a[1].max(b[1]) + far];
        let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
        let squared = dx * dx + dy * dy;
        self.shade(from, to, pen.color, |x, y| {
            let along = if squared > 0.0 { ((x - a[0]) * dx + (y - a[1]) * dy) / squared } else { 0.0 };
            let along = along.clamp(0.0, 1.0);
            let away = distance([x, y], [a[0] + dx * along, a[1] + dy * along]);
            (half + 0.5 - away).clamp(0.0, 1.0) * pen.alpha
        });
    }

    /// The outline of a rectangle.
    pub fn outline(&mut self, from: Point, to: Point, pen: Pen) {
        let corners = [from, [to[0], from[1]], to, [from[0], to[1]], from];
        self.lines(&corners, pen);
    }

    /// A filled polygon without holes.
    pub fn polygon(&mut self, corners: &[Point], color: Color, alpha: f32) {
        let low = corners.iter().fold([f32::MAX; 2], |m, c| [m[0].min(c[0]), m[1].min(c[1])]);
        let high = corners.iter().fold([f32::MIN; 2], |m, c| [m[0].max(c[0]), m[1].max(c[1])]);
        self.shade(low, high, color, |x, y| {
            // Four samples a pixel smooth the border.
            let inside = |x: f32, y: f32| {
                let mut odd = false;
                let mut last = corners[corners.len() - 1];
                for &corner in corners {
                    if (corner[1] > y) != (last[1] > y) {
                        let t = (y - corner[1]) / (last[1] - corner[1]);
                        odd ^= x < corner[0] + (last[0] - corner[0]) * t;
                    }
                    last = corner;
                }
                odd
            };
            let samples = [(-0.25, -0.25), (0.25, -0.25), (-0.25, 0.25), (0.25, 0.25)];
            let hits = samples.iter().filter(|(dx, dy)| inside(x + dx, y + dy)).count();
            hits as f32 * 0.25 * alpha
        });
    }
}

fn distance(a: Point, b: Point) -> f32 {
    let (dx, dy) = (a[0] - b[0], a[1] - b[1]);
    (dx * dx + dy * dy).sqrt()
}

/// A colour of the viridis scale, 0 dark to 1 light.
pub fn viridis(value: f32) -> Color {
    const STOPS: [Color; 5] =
        [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
    let at = value.clamp(0.0, 1.0) * 4.0;
    let first = (at as usize).min(3);
    let part = at - first as f32;
    let mut color = [0; 3];
    for channel in 0..3 {
        let (low, high) = (f32::from(STOPS[first][channel]), f32::from(STOPS[first + 1][channel]));
        color[channel] = (low + (high - low) * part + 0.5) as u8;
    }
    color
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disc_has_its_area_and_a_line_its_width() {
        let mut picture = Picture::filled(100, 100, [0; 3]);
        Canvas::new(&mut picture).disc([50.0, 50.0], 20.0, [255; 3], 1.0);
        let sum = |picture: &Picture| {
            picture.pixels.iter().map(|pixel| f32::from(pixel[0]) / 255.0).sum::<f32>()
        };
        let area = std::f32::consts::PI * 400.0;
        assert!((sum(&picture) / area - 1.0).abs() < 0.01, "{}", sum(&picture));
        let mut picture = Picture::filled(100, 100, [0; 3]);
        let pen = Pen::new([255; 3], 4.0);
        Canvas::new(&mut picture).line([10.0, 50.0], [90.0, 50.0], pen);
        // 80 × 4 and two round ends.
        assert!((sum(&picture) - 320.0 - 4.0 * std::f32::consts::PI).abs() < 4.0, "{}", sum(&picture));
        let mut dashed = Picture::filled(100, 100, [0; 3]);
        let pen = Pen::new([255; 3], 1.0).dashed(5.0, 5.0);
        Canvas::new(&mut dashed).lines(&[[0.0, 50.5], [50.0, 50.5], [100.0, 50.5]], pen);
        let lit = |x: usize| dashed.pixels[50 * 100 + x][0] > 128;
        assert_eq!([2, 7, 12, 17, 52, 57].map(lit), [true, false, true, false, true, false]);
    }

    #[test]
    fn nothing_is_drawn_outside_and_nothing_panics() {
        let mut picture = Picture::filled(20, 10, [9; 3]);
        let mut canvas = Canvas::new(&mut picture);
        let mut part = canvas.within(Area { x: 5, y: 5, width: 100, height: 2 });
        part.fill(Area { x: 0, y: 0, width: 1000, height: 1000 }, [255; 3], 1.0);
        part.line([f32::NAN, 0.0], [3.0, f32::INFINITY], Pen::new([0; 3], 3.0).dashed(0.0, 0.0));
        part.disc([1e30, -1e30], 1e30, [0; 3], 0.5);
        let changed = picture.pixels.iter().filter(|pixel| **pixel != [9; 3]).count();
        assert_eq!(changed, 15 * 2);
    }
}
