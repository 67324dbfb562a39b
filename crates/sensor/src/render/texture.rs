//! Textures with their smaller copies.
//!
//! Habitat hands textures to OpenGL as plain bytes: filtering works on the stored values, with
//! no conversion from sRGB and back. Pictures agree with Habitat's only if the same is done here.

use ambler_scene::{Array, Texture, Wrap};

/// A texture in blocks, and its halved, quartered, … copies down to one pixel.
pub(crate) struct Pyramid {
    /// The texture itself, then its copies.
    levels: Vec<Level>,
    /// Pixels of all of them.
    pixels: Array<[u8; 4]>,
    tables: Tables,
    /// Whether any pixel is not fully opaque.
    pub(crate) translucent: bool,
}

/// Sizes and places of the levels. Levels beyond the last are as the last.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tables {
    /// Width and height in pixels, as the bits of a float.
    pub(crate) wide: [i32; LEVELS],
    pub(crate) high: [i32; LEVELS],
    /// Entries a row of blocks less those of a block's rows but the last.
    pub(crate) row: [i32; LEVELS],
    /// Index of the first pixel.
    pub(crate) first: [i32; LEVELS],
    /// The coarsest level.
    pub(crate) last: i32,
    /// What is beyond the texture's sides.
    pub(crate) wrap: [Wrap; 2],
}

/// Levels that a pyramid has at most.
const LEVELS: usize = 16;
/// Pixels along a side of a block. What is close in the image is close in memory: a row of a block is
/// half a cache line.
pub(crate) const BLOCK: usize = 8;
/// Pixels from one block to the next. The last column and row of a block are the first of the next, so
/// that any four pixels around a place are in one block.
pub(crate) const PITCH: usize = BLOCK - 1;

#[derive(Clone, Copy)]
struct Level {
    width: usize,
    height: usize,
    /// Index of its first pixel.
    first: usize,
}

impl Level {
    /// Entries a row of blocks. There is a place left of the first pixel's middle and one right of the
    /// last's.
    fn row(&self) -> usize {
        (self.width + 1).div_ceil(PITCH) * BLOCK * BLOCK
    }

    fn len(&self) -> usize {
        self.row() * (self.height + 1).div_ceil(PITCH)
    }

    /// Puts pixels, row by row, into their blocks; white where there are too few.
    fn fill(&self, wrap: [Wrap; 2], rows: &[[u8; 4]], out: &mut [[u8; 4]]) {
        // One less than the place: before the first comes the last, or the first again.
        let pixel = |place: usize, size: usize, wrap: Wrap| match wrap {
            Wrap::Repeat => (place + size - 1) % size,
            Wrap::Clamp | Wrap::Mirror => place.saturating_sub(1).min(size - 1),
        };
        let column = |at: usize| pixel(at / BLOCK * PITCH + at % BLOCK, self.width, wrap[0]);
        let columns: Vec<usize> = (0..self.row() / BLOCK).map(column).collect();
        for (index, row) in out.chunks_exact_mut(self.row()).enumerate() {
            for down in 0..BLOCK {
                let y = pixel(index * PITCH + down, self.height, wrap[1]);
                let from = rows.get(y * self.width..(y + 1) * self.width);
                for (block, columns) in columns.chunks_exact(BLOCK).enumerate() {
                    let out = &mut row[(block * BLOCK + down) * BLOCK..][..BLOCK];
                    let inside = (block * PITCH).wrapping_sub(1);
                    match from {
                        // Without a border in it, neighbours come one after the other.
                        Some(from) if inside < self.width && inside + BLOCK <= self.width => {
                            out.copy_from_slice(&from[inside..inside + BLOCK]);
                        }
                        Some(from) => out.iter_mut().zip(columns).for_each(|(out, &x)| *out = from[x]),
                        None => out.fill([255; 4]),
                    }
                }
            }
        }
    }
}

/// A view on the pixels of one level.
#[derive(Clone, Copy)]
pub(crate) struct Pixels<'a> {
    width: usize,
    height: usize,
    /// Entries a row of blocks; 0 where pixels lie row by row.
    row: usize,
    pixels: &'a [[u8; 4]],
}

impl Pyramid {
    pub(crate) fn new(texture: &Texture) -> Self {
        let (mut levels, end) = layout(texture);
        let mut pixels = vec![[0; 4]; end + BLOCK * BLOCK];
        // Blocks begin where cache lines do.
        let skip = pixels.as_ptr().align_offset(64).min(BLOCK * BLOCK);
        levels.iter_mut().for_each(|level| level.first += skip);
        let mut above: Option<(Vec<[u8; 4]>, usize, usize)> = None;
        for (index, level) in levels.iter().enumerate() {
            let half = (index > 0).then(|| {
                let from = match &above {
                    Some((pixels, width, height)) => {
                        Pixels { width: *width, height: *height, row: 0, pixels }
                    }
                    None => base(texture),
                };
                half_size(from, level.width, level.height)
            });
            if let Some(out) = pixels.get_mut(level.first..level.first + level.len()) {
                level.fill(texture.wrap, half.as_deref().unwrap_or(&texture.pixels), out);
            }
            above = half.map(|half| (half, level.width, level.height));
        }
        let translucent = texture.pixels.iter().any(|pixel| pixel[3] != 255);
        Self::with(texture, levels, pixels.into(), translucent)
    }

    /// From what [`Pyramid::stored`] gave of the same texture; `None` if it is too short.
    pub(crate) fn from_stored(
        texture: &Texture,
        pixels: Array<[u8; 4]>,
        translucent: bool,
    ) -> Option<Self> {
        let (levels, end) = layout(texture);
        (pixels.len() >= end).then(|| Self::with(texture, levels, pixels, translucent))
    }

    /// How many pixels all levels of a texture have.
    pub(crate) fn stored_len(texture: &Texture) -> usize {
        layout(texture).1
    }

    /// All levels, for a cache: whole blocks.
    pub(crate) fn stored(&self) -> &[[u8; 4]] {
        let first = self.levels.first().map_or(0, |level| level.first);
        let end = self.levels.last().map_or(0, |level| level.first + level.len());
        self.pixels.get(first..end).unwrap_or_default()
    }

    fn with(texture: &Texture, levels: Vec<Level>, pixels: Array<[u8; 4]>, translucent: bool) -> Self {
        let mut made = Self { levels, pixels, tables: Tables::default(), translucent };
        made.tables.last = made.last_level() as i32;
        made.tables.wrap = texture.wrap;
        for index in 0..LEVELS {
            let level = made.levels[index.min(made.last_level())];
            made.tables.wide[index] = (level.width as f32).to_bits() as i32;
            made.tables.high[index] = (level.height as f32).to_bits() as i32;
            made.tables.row[index] = (level.row() - PITCH * BLOCK) as i32;
            made.tables.first[index] = level.first as i32;
        }
        made
    }

    pub(crate) fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Pixels of all levels, in blocks.
    pub(crate) fn blocks(&self) -> &[[u8; 4]] {
        &self.pixels
    }

    /// The coarsest level.
    pub(crate) fn last_level(&self) -> usize {
        self.levels.len() - 1
    }

    /// Colour (0 to 255, alpha last) at (u, v), where (0, 0) is the upper left corner of the
    /// image. `level` is the logarithm to base 2 of how many pixels of the texture one pixel of
    /// the view steps over; between two levels both are read and mixed.
    pub(crate) fn sample(&self, texture: &Texture, u: f64, v: f64, level: f64) -> [f64; 4] {
        let wrap = texture.wrap;
        if !(level > 0.0) {
            return bilinear(base(texture), wrap, u, v);
        }
        let level = level.min(self.last_level() as f64);
        let fine = floor(level);
        let low = bilinear(self.level(texture, fine as usize), wrap, u, v);
        let share = level - fine;
        if share == 0.0 {
            return low;
        }
        let high = bilinear(self.level(texture, fine as usize + 1), wrap, u, v);
        mix(low, high, share)
    }

    fn level<'a>(&'a self, texture: &'a Texture, level: usize) -> Pixels<'a> {
        // The texture as it is: the plain renderer reads no copy of it.
        match self.levels.get(level).filter(|_| level > 0) {
            Some(level) => Pixels {
                width: level.width,
                height: level.height,
                row: level.row(),
                pixels: self.pixels.get(level.first..level.first + level.len()).unwrap_or_default(),
            },
            None => base(texture),
        }
    }
}

/// The levels of a texture, and how many pixels they have together.
fn layout(texture: &Texture) -> (Vec<Level>, usize) {
    let [width, height] = [texture.width, texture.height].map(|side| side.max(1) as usize);
    let own = Level { width, height, first: 0 };
    let (mut levels, mut end, mut above) = (vec![own], own.len(), own);
    while above.width * above.height > 1 && levels.len() < LEVELS {
        above = Level { width: (above.width / 2).max(1), height: (above.height / 2).max(1), first: end };
        end += above.len();
        levels.push(above);
    }
    (levels, end)
}

fn base(texture: &Texture) -> Pixels<'_> {
    Pixels {
        width: texture.width as usize,
        height: texture.height as usize,
        row: 0,
        pixels: &texture.pixels,
    }
}

/// Index of a pixel where pixels lie in blocks.
fn in_blocks(x: usize, y: usize, row: usize) -> usize {
    let (x, y) = (x + 1, y + 1);
    (y / PITCH) * row + (x / PITCH) * BLOCK * BLOCK + (y % PITCH) * BLOCK + x % PITCH
}

/// All pixels of half the size in both directions, row by row.
fn half_size(above: Pixels<'_>, width: usize, height: usize) -> Vec<[u8; 4]> {
    let mut half = Vec::with_capacity(width * height);
    let whole = above.width == width * 2 && above.height == height * 2;
    if whole && above.pixels.len() >= above.width * above.height {
        for rows in above.pixels.chunks_exact(above.width * 2).take(height) {
            let (upper, lower) = rows.split_at(above.width);
            let pairs = upper.as_chunks::<2>().0.iter().zip(lower.as_chunks::<2>().0);
            half.extend(pairs.map(|([a, b], [c, d])| -> [u8; 4] {
                std::array::from_fn(|i| {
                    let sum = u16::from(a[i]) + u16::from(b[i]) + u16::from(c[i]) + u16::from(d[i]);
                    ((sum + 2) / 4) as u8
                })
            }));
        }
        return half;
    }
    for y in 0..height {
        half.extend((0..width).map(|x| halved(above, width, height, x, y)));
    }
    half
}

/// A pixel of half the size in both directions: the mean of those it covers (bilinear at its middle
/// where a side is odd, as OpenGL's mipmaps are commonly made).
fn halved(above: Pixels<'_>, width: usize, height: usize, x: usize, y: usize) -> [u8; 4] {
    if above.width == width * 2 && above.height == height * 2 {
        let four = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(dx, dy)| above.at(x * 2 + dx, y * 2 + dy));
        return std::array::from_fn(|c| {
            let sum: u32 = four.iter().map(|pixel| u32::from(pixel[c])).sum();
            ((sum + 2) / 4) as u8
        });
    }
    let u = (x as f64 + 0.5) / width as f64;
    let v = (y as f64 + 0.5) / height as f64;
    bilinear(above, [Wrap::Clamp; 2], u, v).map(|value| (value + 0.5) as u8)
}

impl Pixels<'_> {
    /// White where a texture has fewer pixels than it says.
    fn at(&self, x: usize, y: usize) -> [u8; 4] {
        let index = if self.row == 0 { y * self.width + x } else { in_blocks(x, y, self.row) };
        self.pixels.get(index).copied().unwrap_or([255; 4])
    }
}

fn bilinear(image: Pixels<'_>, wrap: [Wrap; 2], u: f64, v: f64) -> [f64; 4] {
    let (x0, x1, sx) = neighbours(u, image.width, wrap[0]);
    let (y0, y1, sy) = neighbours(v, image.height, wrap[1]);
    let at = |x: usize, y: usize| image.at(x, y).map(f64::from);
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
