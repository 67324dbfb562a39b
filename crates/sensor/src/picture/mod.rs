//! Frames as pictures for people.

mod legend;
mod shape;
mod thumbnail;

use crate::{Frame, SensorError};
use ambler_geometry::{Fault, Place};
use std::path::Path;

/// A picture, 3 bytes a pixel, row 0 at the top.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Red, green, blue of each pixel.
    pub pixels: Vec<[u8; 3]>,
}

/// Where nothing is seen.
const NOTHING: [u8; 3] = [0, 0, 0];
/// What has no identity or no category.
const UNNAMED: [u8; 3] = [52, 52, 56];

impl Picture {
    /// A picture of one colour.
    pub fn filled(width: u32, height: u32, color: [u8; 3]) -> Self {
        Self { width, height, pixels: vec![color; width as usize * height as usize] }
    }

    /// The colour image; empty where the frame has none.
    pub fn of_rgb(frame: &Frame) -> Self {
        Self::of(frame, frame.rgb.chunks_exact(3).map(|pixel| [pixel[0], pixel[1], pixel[2]]))
    }

    /// The depth image in colours: near is light, far is dark, nothing is black. `range_m` is the
    /// depth shown lightest and the one shown darkest; without it, the nearest and farthest of the
    /// frame. Depth is shown on a logarithmic scale, since what is near matters more.
    pub fn of_depth(frame: &Frame, range_m: Option<(f32, f32)>) -> Self {
        let (near, far) = range_m.unwrap_or_else(|| depth_range(frame));
        let (near, far) = (f64::from(near.max(1e-3)), f64::from(far.max(near.max(1e-3) * 1.001)));
        let span = libm::log(far / near);
        Self::of(
            frame,
            frame.depth.iter().map(|&depth| {
                if depth > 0.0 {
                    depth_color((libm::log(f64::from(depth) / near) / span).clamp(0.0, 1.0))
                } else {
                    NOTHING
                }
            }),
        )
    }

    /// [`Picture::of_depth`] with a scale in metres added at its right, where it is high enough for
    /// one.
    pub fn of_depth_with_legend(frame: &Frame, range_m: Option<(f32, f32)>) -> Self {
        let range = range_m.unwrap_or_else(|| depth_range(frame));
        let mut picture = Self::of_depth(frame, Some(range));
        legend::add(&mut picture, range);
        picture
    }

    /// The instance image, each id in its own colour, the same in every picture.
    pub fn of_instances(frame: &Frame) -> Self {
        Self::of_ids(frame, &frame.instance)
    }

    /// The category image, each category in its own colour, the same in every picture of a scene.
    pub fn of_categories(frame: &Frame) -> Self {
        Self::of_ids(frame, &frame.category)
    }

    fn of_ids(frame: &Frame, ids: &[u32]) -> Self {
        let seen = |pixel: usize| frame.valid.get(pixel).is_none_or(|&valid| valid != 0);
        Self::of(
            frame,
            ids.iter().enumerate().map(|(pixel, &id)| match id {
                0 if !seen(pixel) => NOTHING,
                0 => UNNAMED,
                id => id_color(id),
            }),
        )
    }

    fn of(frame: &Frame, pixels: impl Iterator<Item = [u8; 3]>) -> Self {
        let pixels: Vec<[u8; 3]> = pixels.collect();
        if pixels.is_empty() {
            return Self::default();
        }
        Self { width: frame.width, height: frame.height, pixels }
    }

    /// The pictures side by side in rows of `columns`, each cell as large as the largest of them,
    /// `gap` pixels apart and around.
    pub fn sheet(pictures: &[Self], columns: u32, gap: u32) -> Self {
        const PAPER: [u8; 3] = [24, 24, 28];
        let cell_width = pictures.iter().map(|picture| picture.width).max().unwrap_or(0);
        let cell_height = pictures.iter().map(|picture| picture.height).max().unwrap_or(0);
        let columns = columns.clamp(1, pictures.len().max(1) as u32);
        let rows = (pictures.len() as u32).div_ceil(columns);
        let mut sheet =
            Self::filled(columns * (cell_width + gap) + gap, rows * (cell_height + gap) + gap, PAPER);
        for (index, picture) in (0_u32..).zip(pictures) {
            let (column, row) = (index % columns, index / columns);
            sheet.paste(picture, gap + column * (cell_width + gap), gap + row * (cell_height + gap));
        }
        sheet
    }

    /// Puts `other` into this picture with its upper left corner at (x, y); what does not fit is
    /// cut off.
    pub fn paste(&mut self, other: &Self, x: u32, y: u32) {
        for row in 0..other.height.min(self.height.saturating_sub(y)) {
            let count = other.width.min(self.width.saturating_sub(x)) as usize;
            let to = (y + row) as usize * self.width as usize + x as usize;
            let from = row as usize * other.width as usize;
            if let (Some(to), Some(from)) =
                (self.pixels.get_mut(to..to + count), other.pixels.get(from..from + count))
            {
                to.copy_from_slice(from);
            }
        }
    }

    /// Colours one pixel; outside the picture nothing happens.
    fn dot(&mut self, x: u32, y: u32, color: [u8; 3]) {
        if x < self.width
            && let Some(pixel) = self.pixels.get_mut(y as usize * self.width as usize + x as usize)
        {
            *pixel = color;
        }
    }

    /// The picture as the bytes of a PNG file.
    ///
    /// # Errors
    /// A picture without pixels.
    pub fn to_png(&self) -> Result<Vec<u8>, SensorError> {
        let bytes: Vec<u8> = self.pixels.iter().flatten().copied().collect();
        let mut png = Vec::new();
        image::write_buffer_with_format(
            &mut std::io::Cursor::new(&mut png),
            &bytes,
            self.width,
            self.height,
            image::ExtendedColorType::Rgb8,
            image::ImageFormat::Png,
        )
        .map_err(|error| {
            let what = format!("a picture of {} × {} pixels: {error}", self.width, self.height);
            SensorError::Picture(Fault::new("", Place::Whole, what, "ask the camera for this image"))
        })?;
        Ok(png)
    }

    /// Writes the picture as a PNG file.
    ///
    /// # Errors
    /// A picture without pixels, a path that cannot be written.
    pub fn write_png(&self, path: &Path) -> Result<(), SensorError> {
        std::fs::write(path, self.to_png()?).map_err(|error| {
            let what = format!("cannot be written: {error}");
            SensorError::Picture(Fault::new(path, Place::Whole, what, "choose another place"))
        })
    }
}

/// The nearest and the farthest depth of a frame in metres; (0, 1) where nothing is seen.
pub fn depth_range(frame: &Frame) -> (f32, f32) {
    let seen = || frame.depth.iter().copied().filter(|&depth| depth > 0.0);
    match (seen().min_by(f32::total_cmp), seen().max_by(f32::total_cmp)) {
        (Some(near), Some(far)) => (near, far),
        _ => (0.0, 1.0),
    }
}

/// Colour of a place on the depth scale, 0 = nearest. Lightness falls evenly from one end to the
/// other, so that the order is seen without colours too.
pub fn depth_color(place: f64) -> [u8; 3] {
    // Cream, yellow, orange, rose, violet, indigo, night: chosen so that lightness (CIE L*)
    // steps by about 13 from 95 to 17.
    const STOPS: [[u8; 3]; 7] = [
        [255, 244, 204],
        [253, 209, 108],
        [248, 159, 80],
        [226, 103, 97],
        [170, 68, 122],
        [104, 50, 125],
        [46, 34, 84],
    ];
    let place = if place.is_nan() { 0.0 } else { place.clamp(0.0, 1.0) };
    let position = place * (STOPS.len() - 1) as f64;
    let index = (position as usize).min(STOPS.len() - 2);
    let share = position - index as f64;
    std::array::from_fn(|c| {
        let (low, high) = (f64::from(STOPS[index][c]), f64::from(STOPS[index + 1][c]));
        (low + (high - low) * share + 0.5) as u8
    })
}

/// Colour of an id: far from those of its neighbours, the same for the same id everywhere.
pub fn id_color(id: u32) -> [u8; 3] {
    // Steps by the golden ratio never come close to where they were; saturation and brightness
    // step at other rhythms.
    let turn = f64::from(id) * 0.618_033_988_749_894_9;
    let hue = (turn - turn.floor()) * 6.0;
    let saturation = [0.72, 0.45, 0.85][(id / 2 % 3) as usize];
    let value = [0.95, 0.72, 0.85, 0.6][(id % 4) as usize];
    let rising = hue - hue.floor();
    let (low, down, up) =
        (1.0 - saturation, 1.0 - saturation * rising, 1.0 - saturation * (1.0 - rising));
    let color = match hue as u32 {
        0 => [1.0, up, low],
        1 => [down, 1.0, low],
        2 => [low, 1.0, up],
        3 => [low, down, 1.0],
        4 => [up, low, 1.0],
        _ => [1.0, low, down],
    };
    color.map(|part| (part * value * 255.0 + 0.5) as u8)
}
