//! Textures with their smaller copies.
//!
//! Habitat hands textures to OpenGL as plain bytes: filtering works on the stored values, with
//! no conversion from sRGB and back. Pictures agree with Habitat's only if the same is done here.

use ambler_scene::{Texture, Wrap};

/// A texture and its halved, quartered, … copies down to one pixel.
pub(crate) struct Pyramid {
    /// The copies, level 1 first. Level 0 is the scene's own.
    smaller: Vec<Level>,
    /// Pixels of all copies.
    pixels: Vec<[u8; 4]>,
    tables: Tables,
    /// Whether any pixel is not fully opaque.
    pub(crate) translucent: bool,
}

/// Width, height and index of the first pixel of each level; of level 0 in the texture itself, of the
/// others among the smaller copies. Levels beyond the last are as the last.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tables {
    pub(crate) width: [i32; LEVELS],
    pub(crate) height: [i32; LEVELS],
    pub(crate) first: [i32; LEVELS],
}

/// Levels that a pyramid has at most: sides are below 2^15.
const LEVELS: usize = 16;

struct Level {
    width: usize,
    height: usize,
    /// Index of its first pixel.
    first: usize,
}

/// A view on the pixels of one level.
#[derive(Clone, Copy)]
pub(crate) struct Pixels<'a> {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pixels: &'a [[u8; 4]],
}

impl Pyramid {
    pub(crate) fn new(texture: &Texture) -> Self {
        let mut made = Self {
            smaller: Vec::new(),
            pixels: Vec::new(),
            tables: Tables::default(),
            translucent: texture.pixels.iter().any(|pixel| pixel[3] != 255),
        };
        loop {
            let above = made.level(texture, made.smaller.len());
            if above.width * above.height <= 1 || made.smaller.len() + 1 == LEVELS {
                break;
            }
            let (width, height, pixels) = halve(above);
            made.smaller.push(Level { width, height, first: made.pixels.len() });
            made.pixels.extend(pixels);
        }
        for index in 0..LEVELS {
            let level = index.min(made.smaller.len());
            let first = level.checked_sub(1).map_or(0, |at| made.smaller[at].first);
            let image = made.level(texture, level);
            let [width, height, first] = [image.width, image.height, first].map(|v| v as i32);
            made.tables.width[index] = width;
            made.tables.height[index] = height;
            made.tables.first[index] = first;
        }
        made
    }

    pub(crate) fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Pixels of the smaller copies.
    pub(crate) fn smaller(&self) -> &[[u8; 4]] {
        &self.pixels
    }

    /// The coarsest level.
    pub(crate) fn last_level(&self) -> usize {
        self.smaller.len()
    }

    /// Colour (0 to 255, alpha last) at (u, v), where (0, 0) is the upper left corner of the
    /// image. `level` is the logarithm to base 2 of how many pixels of the texture one pixel of
    /// the view steps over; between two levels both are read and mixed.
    pub(crate) fn sample(&self, texture: &Texture, u: f64, v: f64, level: f64) -> [f64; 4] {
        let wrap = texture.wrap;
        if !(level > 0.0) {
            return bilinear(base(texture), wrap, u, v);
        }
        let level = level.min(self.smaller.len() as f64);
        let fine = floor(level);
        let low = bilinear(self.level(texture, fine as usize), wrap, u, v);
        let share = level - fine;
        if share == 0.0 {
            return low;
        }
        let high = bilinear(self.level(texture, fine as usize + 1), wrap, u, v);
        mix(low, high, share)
    }

    pub(crate) fn level<'a>(&'a self, texture: &'a Texture, level: usize) -> Pixels<'a> {
        match level.checked_sub(1).and_then(|index| self.smaller.get(index)) {
            Some(level) => {
                let end = level.first + level.width * level.height;
                Pixels {
                    width: level.width,
                    height: level.height,
                    pixels: self.pixels.get(level.first..end).unwrap_or_default(),
                }
            }
            None => base(texture),
        }
    }
}

fn base(texture: &Texture) -> Pixels<'_> {
    Pixels { width: texture.width as usize, height: texture.height as usize, pixels: &texture.pixels }
}

/// Half the size in both directions, each pixel the mean of those it covers (bilinear at its
/// middle where a side is odd, as OpenGL's mipmaps are commonly made).
fn halve(above: Pixels<'_>) -> (usize, usize, Vec<[u8; 4]>) {
    let (width, height) = ((above.width / 2).max(1), (above.height / 2).max(1));
    let mut pixels = Vec::with_capacity(width * height);
    for y in 0..height {
        for x in 0..width {
            let even = above.width == width * 2 && above.height == height * 2;
            pixels.push(if even {
                let top = (y * 2) * above.width + x * 2;
                let bottom = top + above.width;
                let four = [top, top + 1, bottom, bottom + 1].map(|index| above.at(index));
                std::array::from_fn(|c| {
                    let sum: u32 = four.iter().map(|pixel| u32::from(pixel[c])).sum();
                    ((sum + 2) / 4) as u8
                })
            } else {
                let u = (x as f64 + 0.5) / width as f64;
                let v = (y as f64 + 0.5) / height as f64;
                bilinear(above, [Wrap::Clamp; 2], u, v).map(|value| (value + 0.5) as u8)
            });
        }
    }
    (width, height, pixels)
}

impl Pixels<'_> {
    /// White where a texture has fewer pixels than it says.
    fn at(&self, index: usize) -> [u8; 4] {
        self.pixels.get(index).copied().unwrap_or([255; 4])
    }
}

fn bilinear(image: Pixels<'_>, wrap: [Wrap; 2], u: f64, v: f64) -> [f64; 4] {
    let (x0, x1, sx) = neighbours(u, image.width, wrap[0]);
    let (y0, y1, sy) = neighbours(v, image.height, wrap[1]);
    let at = |x: usize, y: usize| image.at(y * image.width + x).map(f64::from);
    mix(mix(at(x0, y0), at(x1, y0), sx), mix(at(x0, y1), at(x1, y1), sx), sy)
}

/// The two pixels on both sides of a coordinate and the share of the second.
fn neighbours(coordinate: f64, size: usize, wrap: Wrap) -> (usize, usize, f64) {
    if !coordinate.is_finite() {
        return (0, 0, 0.0);
    }
    let period = match wrap {
        Wrap::Repeat => coordinate - floor(coordinate),
        Wrap::Clamp => coordinate.clamp(0.0, 1.0),
        Wrap::Mirror => {
            let phase = coordinate - 2.0 * floor(coordinate * 0.5);
            if phase > 1.0 { 2.0 - phase } else { phase }
        }
    };
    let position = period * size as f64 - 0.5;
    let first = floor(position);
    let (first_index, last) = (first as i64, size as i64 - 1);
    // `period` is in 0..=1 but for absurd coordinates, so that an index is out of range by one at
    // most, or clamped.
    let index = |index: i64| match wrap {
        Wrap::Repeat if index == -1 => last,
        Wrap::Repeat if index == size as i64 => 0,
        _ => index.clamp(0, last),
    };
    (index(first_index) as usize, index(first_index.saturating_add(1)) as usize, position - first)
}

/// `f64::floor` without a call into the mathematics library. Coordinates beyond 2^63 have no
/// fraction left and come back saturated, which every caller clamps.
fn floor(value: f64) -> f64 {
    let whole = value as i64 as f64;
    if whole > value { whole - 1.0 } else { whole }
}

fn mix(a: [f64; 4], b: [f64; 4], share: f64) -> [f64; 4] {
    std::array::from_fn(|c| a[c] + (b[c] - a[c]) * share)
}
