//! Textures made from noise and rules: near-white pictures that a surface's tint colours, and a few
//! with colours of their own (pictures, screens, what is seen out of the windows).

use crate::{Texture, Wrap};
use ambler_geometry::random::Stream;
use ambler_geometry::{Vec2, Vec3};

/// What a surface is covered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tex {
    Plain,
    Plank,
    Tile,
    Checker,
    Carpet,
    Plaster,
    Fabric,
    Wood,
    Stone,
    Rug,
    Pictures,
    Books,
    Screen,
    View,
}

/// All of them, in the order of the scene's texture pool.
pub(super) const ALL: &[Tex] = &[
    Tex::Plain,
    Tex::Plank,
    Tex::Tile,
    Tex::Checker,
    Tex::Carpet,
    Tex::Plaster,
    Tex::Fabric,
    Tex::Wood,
    Tex::Stone,
    Tex::Rug,
    Tex::Pictures,
    Tex::Books,
    Tex::Screen,
    Tex::View,
];

/// Pictures lie in a square of this many a side.
pub(super) const PICTURES: usize = 4;

impl Tex {
    /// Metres that one repetition covers.
    pub(super) fn metres(self) -> f32 {
        match self {
            Self::Plank => 1.6,
            Self::Tile | Self::Checker => 1.2,
            Self::Carpet | Self::Wood => 0.9,
            Self::Plaster => 2.0,
            Self::Fabric => 0.4,
            Self::Stone => 1.4,
            Self::Books => 0.9,
            Self::Plain | Self::Rug | Self::Pictures | Self::Screen | Self::View => 1.0,
        }
    }

    /// Name of the material.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Plain => "paint",
            Self::Plank => "planks",
            Self::Tile => "tiles",
            Self::Checker => "chequered tiles",
            Self::Carpet => "carpet",
            Self::Plaster => "plaster",
            Self::Fabric => "fabric",
            Self::Wood => "wood",
            Self::Stone => "stone",
            Self::Rug => "rug",
            Self::Pictures => "pictures",
            Self::Books => "books",
            Self::Screen => "screen",
            Self::View => "view",
        }
    }

    /// Coordinates of a face of `w` × `h` metres; wood grain runs along the longer side.
    pub(super) fn measured(self, w: f32, h: f32) -> [Vec2; 4] {
        let (u, v) = (w / self.metres(), h / self.metres());
        if self == Self::Wood && h > w {
            return [Vec2::ZERO, Vec2::new(0.0, u), Vec2::new(v, u), Vec2::new(v, 0.0)];
        }
        [Vec2::ZERO, Vec2::new(u, 0.0), Vec2::new(u, v), Vec2::new(0.0, v)]
    }

    /// Coordinates of a point on a face across `axis` of a box of this size.
    pub(super) fn projected(self, local: Vec3, axis: usize, size: Vec3) -> Vec2 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let (u, v) = if self == Self::Wood && size[v] > size[u] { (v, u) } else { (u, v) };
        Vec2::new(local[u], local[v]) / self.metres()
    }

    /// The picture.
    pub(super) fn paint(self, stream: &mut Stream) -> Texture {
        match self {
            Self::Plain => {
                Texture { width: 1, height: 1, pixels: [[255; 4]].into(), wrap: [Wrap::Repeat; 2] }
            }
            Self::Plank => plank(stream),
            Self::Tile => tile(stream, false),
            Self::Checker => tile(stream, true),
            Self::Carpet => carpet(stream),
            Self::Plaster => plaster(stream),
            Self::Fabric => fabric(stream),
            Self::Wood => wood(stream),
            Self::Stone => stone(stream),
            Self::Rug => super::pictures::rug(stream),
            Self::Pictures => super::pictures::pictures(stream),
            Self::Books => super::pictures::books(stream),
            Self::Screen => super::pictures::screen(stream),
            Self::View => super::pictures::view(stream),
        }
    }
}

/// Smooth noise on a grid that repeats.
pub(super) struct Noise {
    size: usize,
    values: Vec<f32>,
}

impl Noise {
    pub(super) fn new(size: usize, stream: &mut Stream) -> Self {
        Self { size, values: (0..size * size).map(|_| stream.uniform() as f32).collect() }
    }

    /// Value in 0..1 at (u, v), which repeat at 1, with `x` and `y` cells across.
    pub(super) fn at(&self, u: f32, v: f32, x: usize, y: usize) -> f32 {
        let (x, y) = (x.clamp(1, self.size), y.clamp(1, self.size));
        let (fx, fy) = ((u - libm::floorf(u)) * x as f32, (v - libm::floorf(v)) * y as f32);
        let (ix, iy) = (fx as usize, fy as usize);
        let ease = |t: f32| t * t * (3.0 - 2.0 * t);
        let (tx, ty) = (ease(fx - ix as f32), ease(fy - iy as f32));
        let get = |i: usize, j: usize| self.values[(j % y) * self.size + i % x];
        let top = get(ix, iy) + (get(ix + 1, iy) - get(ix, iy)) * tx;
        let low = get(ix, iy + 1) + (get(ix + 1, iy + 1) - get(ix, iy + 1)) * tx;
        top + (low - top) * ty
    }

    /// Three octaves.
    pub(super) fn cloud(&self, u: f32, v: f32, x: usize, y: usize) -> f32 {
        (self.at(u, v, x, y) * 4.0
            + self.at(u + 0.37, v, 2 * x, 2 * y) * 2.0
            + self.at(u, v + 0.71, 4 * x, 4 * y))
            / 7.0
    }
}

/// A square picture by a function of (u, v) that gives colours around 1.
pub(super) fn painted(size: usize, wrap: Wrap, mut color: impl FnMut(f32, f32) -> [f32; 3]) -> Texture {
    let mut pixels = Vec::with_capacity(size * size);
    for y in 0..size {
        for x in 0..size {
            let (u, v) = ((x as f32 + 0.5) / size as f32, (y as f32 + 0.5) / size as f32);
            let [r, g, b] = color(u, v).map(|c| libm::roundf(c.clamp(0.0, 1.0) * 255.0) as u8);
            pixels.push([r, g, b, 255]);
        }
    }
    Texture { width: size as u32, height: size as u32, pixels: pixels.into(), wrap: [wrap; 2] }
}

fn grey(value: f32) -> [f32; 3] {
    [value; 3]
}

/// Eight rows of boards; each row has its joints elsewhere.
fn plank(stream: &mut Stream) -> Texture {
    let noise = Noise::new(64, stream);
    let tones: Vec<f32> = (0..32).map(|_| stream.range(0.84, 1.0) as f32).collect();
    let offsets: Vec<f32> = (0..8).map(|_| stream.uniform() as f32).collect();
    painted(512, Wrap::Repeat, |u, v| {
        let row = (v * 8.0) as usize % 8;
        let across = v * 8.0 - row as f32;
        let along = u * 2.0 + offsets[row];
        let board = along as usize % 2;
        let end = along - libm::floorf(along);
        let grain = noise.at(u, v, 6, 64) * 0.5 + noise.at(u + 0.3, v + 0.1, 12, 60) * 0.5;
        let mut tone = tones[row * 2 + board] * (0.91 + 0.11 * grain);
        if !(0.03..=0.97).contains(&across) || end < 0.004 {
            tone *= 0.62;
        }
        [tone, tone * 0.985, tone * 0.96]
    })
}

fn tile(stream: &mut Stream, chequered: bool) -> Texture {
    let noise = Noise::new(64, stream);
    let tones: Vec<f32> = (0..16).map(|_| stream.range(0.94, 1.0) as f32).collect();
    painted(256, Wrap::Repeat, |u, v| {
        let (x, y) = ((u * 4.0) as usize % 4, (v * 4.0) as usize % 4);
        let (fx, fy) = (u * 4.0 - x as f32, v * 4.0 - y as f32);
        let rim = fx.min(fy).min(1.0 - fx).min(1.0 - fy);
        let mut tone = tones[y * 4 + x] * (0.96 + 0.04 * noise.cloud(u, v, 8, 8));
        if chequered && (x + y) % 2 == 1 {
            tone *= 0.34;
        }
        if rim < 0.02 {
            grey(0.72)
        } else if rim < 0.04 {
            grey(tone * 0.93)
        } else {
            grey(tone)
        }
    })
}

fn carpet(stream: &mut Stream) -> Texture {
    let noise = Noise::new(128, stream);
    painted(256, Wrap::Repeat, |u, v| {
        grey(0.80 + 0.14 * noise.at(u, v, 128, 128) + 0.06 * noise.cloud(u, v, 5, 5))
    })
}

fn plaster(stream: &mut Stream) -> Texture {
    let noise = Noise::new(64, stream);
    painted(256, Wrap::Repeat, |u, v| {
        grey(0.955 + 0.03 * noise.cloud(u, v, 5, 5) + 0.015 * noise.at(u, v, 60, 60))
    })
}

fn fabric(stream: &mut Stream) -> Texture {
    let noise = Noise::new(64, stream);
    painted(128, Wrap::Repeat, |u, v| {
        let (x, y) = ((u * 32.0) as i32, (v * 32.0) as i32);
        let over = if (x + y) % 2 == 0 { 0.95 } else { 0.87 };
        let thread = 0.05 * noise.at(u, v, 32, 4) + 0.05 * noise.at(u, v, 4, 32);
        grey(over + thread - 0.03 + 0.03 * noise.cloud(u, v, 4, 4))
    })
}

fn wood(stream: &mut Stream) -> Texture {
    let noise = Noise::new(64, stream);
    painted(256, Wrap::Repeat, |u, v| {
        let warp = noise.at(u, v, 3, 4) * 0.12;
        let rings = 0.5 + 0.5 * libm::sinf((v + warp) * 16.0 * std::f32::consts::TAU);
        let fine = noise.at(u, v, 8, 64);
        let tone = 0.86 + 0.06 * rings + 0.08 * fine;
        [tone, tone * 0.98, tone * 0.95]
    })
}

fn stone(stream: &mut Stream) -> Texture {
    let noise = Noise::new(64, stream);
    painted(256, Wrap::Repeat, |u, v| {
        let cloud = noise.cloud(u, v, 4, 4);
        let vein = (noise.cloud(u + 0.2, v + 0.5, 5, 5) - 0.5).abs();
        let dark = if vein < 0.012 { 0.90 } else { 1.0 };
        grey((0.90 + 0.08 * cloud + 0.03 * noise.at(u, v, 64, 64)) * dark)
    })
}
