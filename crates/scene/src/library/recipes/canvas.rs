//! Small pictures painted by rules: labels, covers, screens, patterns.

use super::font::glyph;
use super::shape::{Rgb, mix};
use crate::{Texture, Wrap};
use ambler_geometry::random::Stream;

/// A picture being painted. Coordinates run from 0 to 1, (0, 0) = upper left.
#[derive(Clone, Debug)]
pub(super) struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<Rgb>,
}

impl Canvas {
    pub(super) fn new(width: usize, height: usize, color: Rgb) -> Self {
        Self { width, height, pixels: vec![color; width * height] }
    }

    /// Paints every pixel anew from its place and colour.
    pub(super) fn each(mut self, paint: impl Fn(f32, f32, Rgb) -> Rgb) -> Self {
        let (w, h) = (self.width as f32, self.height as f32);
        for (index, pixel) in self.pixels.iter_mut().enumerate() {
            let (x, y) = ((index % self.width) as f32 + 0.5, (index / self.width) as f32 + 0.5);
            *pixel = paint(x / w, y / h, *pixel);
        }
        self
    }

    /// A filled rectangle.
    pub(super) fn rect(self, x0: f32, y0: f32, x1: f32, y1: f32, color: Rgb) -> Self {
        self.each(|x, y, old| if (x0..x1).contains(&x) && (y0..y1).contains(&y) { color } else { old })
    }

    /// A filled ellipse.
    pub(super) fn disc(self, x: f32, y: f32, rx: f32, ry: f32, color: Rgb) -> Self {
        self.each(|u, v, old| {
            let (dx, dy) = ((u - x) / rx, (v - y) / ry);
            if dx * dx + dy * dy < 1.0 { color } else { old }
        })
    }

    /// A gradient from top to bottom over the whole picture.
    pub(super) fn fade(self, top: Rgb, bottom: Rgb) -> Self {
        self.each(|_, y, _| mix(top, bottom, y))
    }

    /// Upright stripes, `count` pairs of them.
    pub(super) fn stripes(self, count: f32, color: Rgb) -> Self {
        self.each(|x, _, old| if (x * count).fract() < 0.5 { color } else { old })
    }

    /// Short dark lines as of printed text, in `rows` rows of the rectangle.
    pub(super) fn lines(
        mut self,
        x0: f32,
        y0: f32,
        x1: f32,
        y1: f32,
        rows: usize,
        color: Rgb,
        stream: &mut Stream,
    ) -> Self {
        let step = (y1 - y0) / rows as f32;
        for row in 0..rows {
            let y = y0 + step * row as f32;
            let end = x0 + (x1 - x0) * stream.range(0.6, 1.0) as f32;
            self = self.rect(x0, y + step * 0.25, end, y + step * 0.7, color);
        }
        self
    }

    /// Text around the middle `x`, its letters `height` of the picture high, from `y` down; at most
    /// `most` of the picture wide.
    pub(super) fn text(
        mut self,
        x: f32,
        y: f32,
        height: f32,
        most: f32,
        text: &str,
        color: Rgb,
    ) -> Self {
        let count = text.chars().count().max(1) as f32;
        let aspect = self.height as f32 / self.width as f32;
        // A glyph is 5 × 7 dots with a gap of one.
        let dot = (height / 7.0).min(most / aspect / (count * 6.0 - 1.0));
        let (dx, dy) = (dot * aspect, dot);
        let left = x - dx * (count * 6.0 - 1.0) * 0.5;
        for (index, letter) in text.chars().enumerate() {
            let rows = glyph(letter);
            for (row, bits) in rows.into_iter().enumerate() {
                for column in 0..5 {
                    if bits >> (4 - column) & 1 == 1 {
                        let x = left + dx * (index as f32 * 6.0 + column as f32);
                        let y = y + dy * row as f32;
                        self = self.rect(x, y, x + dx * 1.02, y + dy * 1.02, color);
                    }
                }
            }
        }
        self
    }

    /// Grain: each pixel up to `amount` lighter or darker.
    pub(super) fn grain(mut self, amount: f32, stream: &mut Stream) -> Self {
        for pixel in &mut self.pixels {
            let factor = 1.0 + amount * stream.range(-1.0, 1.0) as f32;
            *pixel = pixel.map(|part| (part * factor).clamp(0.0, 1.0));
        }
        self
    }

    /// Smooth spots of `color`, `cells` along each side; the picture repeats.
    pub(super) fn clouds(self, cells: usize, color: Rgb, amount: f32, stream: &mut Stream) -> Self {
        let values: Vec<f32> = (0..cells * cells).map(|_| stream.uniform() as f32).collect();
        let ease = |t: f32| t * t * (3.0 - 2.0 * t);
        self.each(|x, y, old| {
            let (x, y) = (x * cells as f32, y * cells as f32);
            let (i, j) = (x as usize, y as usize);
            let (u, v) = (ease(x - i as f32), ease(y - j as f32));
            let at = |a: usize, b: usize| values[(b % cells) * cells + a % cells];
            let top = at(i, j) + (at(i + 1, j) - at(i, j)) * u;
            let low = at(i, j + 1) + (at(i + 1, j + 1) - at(i, j + 1)) * u;
            mix(old, color, (top + (low - top) * v) * amount)
        })
    }

    /// Wood: wavy grain along x.
    pub(super) fn wood(width: usize, height: usize, color: Rgb, stream: &mut Stream) -> Self {
        let phase: Vec<f32> = (0..6).map(|_| stream.range(0.0, 6.3) as f32).collect();
        let dark = color.map(|part| part * 0.72);
        Self::new(width, height, color)
            .each(|x, y, old| {
                let bend =
                    0.05 * libm::sinf(x * 5.0 + phase[0]) + 0.02 * libm::sinf(x * 13.0 + phase[1]);
                let t = (y + bend) * 9.0;
                let ring = 0.5 + 0.5 * libm::sinf(t * 6.283 / 2.0 + 1.5 * libm::sinf(t + phase[2]));
                mix(old, dark, ring * 0.55)
            })
            .grain(0.05, stream)
    }

    /// Woven cloth or wicker: `count` threads along each side.
    pub(super) fn weave(width: usize, height: usize, color: Rgb, count: f32, depth: f32) -> Self {
        Self::new(width, height, color).each(|x, y, old| {
            let (u, v) = (x * count, y * count);
            let over = (u as i32 + v as i32) % 2 == 0;
            let along = if over { u.fract() } else { v.fract() };
            let across = if over { v.fract() } else { u.fract() };
            let round = 1.0 - (2.0 * across - 1.0).abs();
            let end = 1.0 - (2.0 * along - 1.0).abs().powi(4);
            let level = (0.35 + 0.65 * round) * (0.6 + 0.4 * end);
            old.map(|part| part * (1.0 - depth + depth * level))
        })
    }

    pub(super) fn into_texture(self, wrap: Wrap) -> Texture {
        Texture {
            width: self.width as u32,
            height: self.height as u32,
            pixels: self
                .pixels
                .iter()
                .map(|color| {
                    let [r, g, b] = color.map(|part| (part.clamp(0.0, 1.0) * 255.0 + 0.5) as u8);
                    [r, g, b, 255]
                })
                .collect(),
            wrap: [wrap; 2],
        }
    }
}
