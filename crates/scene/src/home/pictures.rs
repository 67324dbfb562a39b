//! Textures with colours of their own: rugs, framed pictures, rows of books, screens, and the garden
//! outside.

use super::style::rgb;
use super::texture::{Noise, PICTURES, painted};
use crate::{Texture, Wrap};
use ambler_geometry::random::Stream;

fn mix(a: [f32; 3], b: [f32; 3], t: f32) -> [f32; 3] {
    [0, 1, 2].map(|i| a[i] + (b[i] - a[i]) * t)
}

/// A rug: bands at its border, a field of diamonds or stripes. Tinted by its surface.
pub(super) fn rug(stream: &mut Stream) -> Texture {
    let noise = Noise::new(128, stream);
    let kind = stream.index(3);
    let (count, dark) = (3.0 + stream.index(4) as f32, stream.range(0.55, 0.8) as f32);
    painted(256, Wrap::Clamp, |u, v| {
        let rim = u.min(v).min(1.0 - u).min(1.0 - v);
        let pile = 0.90 + 0.10 * noise.at(u, v, 128, 128);
        let (fu, fv) = (u * count, v * count);
        let field = match kind {
            0 => (libm::fmodf(fu, 1.0) - 0.5).abs() + (libm::fmodf(fv, 1.0) - 0.5).abs() < 0.3,
            1 => libm::fmodf(fv * 3.0, 1.0) < 0.5,
            _ => {
                let r = libm::hypotf(u - 0.5, v - 0.5);
                libm::fmodf(r * count * 2.2, 1.0) < 0.45
            }
        };
        let tone = if (0.03..0.05).contains(&rim) || (0.075..0.1).contains(&rim) {
            dark * 0.9
        } else if rim >= 0.1 && field {
            dark
        } else {
            1.0
        };
        [tone * pile; 3]
    })
}

/// A sheet of [`PICTURES`]² pictures.
pub(super) fn pictures(stream: &mut Stream) -> Texture {
    const COLOURS: [u32; 12] = [
        0x264653, 0x2A9D8F, 0xE9C46A, 0xF4A261, 0xE76F51, 0x8AB17D, 0x6D597A, 0x355070, 0xB56576,
        0xEAAC8B, 0x577590, 0xF2E8CF,
    ];
    let noise = Noise::new(64, stream);
    let cells = PICTURES * PICTURES;
    let drawn: Vec<[f32; 8]> =
        (0..cells).map(|_| std::array::from_fn(|_| stream.uniform() as f32)).collect();
    let colour = |x: f32| rgb(COLOURS[(x * 11.99) as usize % 12]);
    painted(512, Wrap::Clamp, |u, v| {
        let side = PICTURES as f32;
        let (cx, cy) = ((u * side) as usize % PICTURES, (v * side) as usize % PICTURES);
        let cell = cy * PICTURES + cx;
        let d = &drawn[cell];
        let (x, y) = (u * side - cx as f32, v * side - cy as f32);
        // The mat.
        if x.min(y).min(1.0 - x).min(1.0 - y) < 0.10 {
            return [0.96, 0.95, 0.92];
        }
        let (a, b, c) = (colour(d[0]), colour(d[1]), colour(d[2]));
        match cell % 5 {
            0 => {
                // Hills under a sky.
                let sky = mix([0.93, 0.88, 0.80], colour(d[3]), 0.35 * y);
                let mut out = sky;
                for layer in 0..3 {
                    let base = 0.45 + 0.16 * layer as f32;
                    let hill = base + 0.22 * (noise.at(x * 0.6 + d[4 + layer], 0.3, 6, 4) - 0.5);
                    if y > hill {
                        out =
                            mix(if layer == 0 { a } else { b }, [0.12, 0.16, 0.18], 0.22 * layer as f32);
                    }
                }
                out
            }
            1 => {
                // Blocks.
                let (sx, sy) = (0.25 + 0.5 * d[3], 0.25 + 0.5 * d[4]);
                match (x < sx, y < sy) {
                    (true, true) => a,
                    (false, true) => [0.95, 0.93, 0.88],
                    (true, false) => b,
                    (false, false) => c,
                }
            }
            2 => {
                // Circles.
                let ring = |px: f32, py: f32, r: f32| libm::hypotf(x - px, y - py) < r;
                if ring(0.3 + 0.3 * d[3], 0.35, 0.2) {
                    a
                } else if ring(0.35 + 0.3 * d[4], 0.62, 0.17) {
                    b
                } else {
                    [0.94, 0.91, 0.85]
                }
            }
            3 => {
                // A stem with leaves.
                let stem = (x - 0.5 - 0.05 * libm::sinf(6.0 * y)).abs();
                let leaf = libm::fmodf(y * 5.0 + d[3], 1.0);
                let reach = 0.24 * libm::sinf(leaf * std::f32::consts::PI);
                if stem < 0.012 || (stem < reach && leaf > 0.25 && y < 0.85) {
                    mix(rgb(0x5A7A52), a, 0.3)
                } else {
                    [0.95, 0.94, 0.88]
                }
            }
            _ => {
                let cloud = noise.cloud(x * 0.5 + d[5], y * 0.5 + d[6], 6, 6);
                if cloud > 0.55 { mix(a, c, y) } else { mix(b, [0.95, 0.92, 0.86], cloud) }
            }
        }
    })
}

/// Spines of books side by side over the width, on a dark shelf back.
pub(super) fn books(stream: &mut Stream) -> Texture {
    const COLOURS: [u32; 12] = [
        0x7A2E2A, 0x2F4858, 0xC9A227, 0x4F6D4A, 0x8C5A3C, 0xD9CFC0, 0x35415E, 0xA64B2A, 0x5B4B6B,
        0x1F2A30, 0xB8B09A, 0x93A8A0,
    ];
    let mut edges: Vec<(f32, f32, [f32; 3])> = Vec::new();
    let mut at = 0.0;
    while at < 1.0 {
        let height = stream.range(0.72, 0.98) as f32;
        edges.push((at, height, rgb(COLOURS[stream.index(12)])));
        at += stream.range(0.022, 0.05) as f32;
    }
    painted(256, Wrap::Repeat, |u, v| {
        let index = edges.partition_point(|e| e.0 <= u).saturating_sub(1);
        let (start, height, colour) = edges[index];
        let end = edges.get(index + 1).map_or(1.0, |e| e.0);
        let t = (u - start) / (end - start).max(1e-3);
        let y = 1.0 - v;
        if y > height {
            return [0.16, 0.13, 0.11];
        }
        let round = 0.72 + 0.28 * libm::sinf(t * std::f32::consts::PI);
        let band = (0.68..0.78).contains(&(y / height)) || (y / height - 0.15).abs() < 0.02;
        let colour = if band { mix(colour, [0.9, 0.85, 0.7], 0.55) } else { colour };
        colour.map(|c| c * round)
    })
}

/// A switched-on screen: evening sky over water.
pub(super) fn screen(stream: &mut Stream) -> Texture {
    let noise = Noise::new(32, stream);
    painted(128, Wrap::Clamp, |u, v| {
        let sky = mix(rgb(0x2B4F81), rgb(0xF3B27A), (v / 0.55).min(1.0));
        let hill = 0.52 + 0.10 * (noise.at(u, 0.2, 6, 2) - 0.5);
        if v > 0.62 {
            let wave = 0.08 * noise.at(u, v, 4, 30);
            mix(rgb(0x28506E), rgb(0xD99A6C), (1.0 - v) + wave)
        } else if v > hill {
            rgb(0x22343C)
        } else {
            sky
        }
    })
}

/// A garden, from lawn below to sky above; the horizon lies at 42 % of the height.
pub(super) fn view(stream: &mut Stream) -> Texture {
    let noise = Noise::new(64, stream);
    painted(512, Wrap::Mirror, |u, v| {
        let y = 1.0 - v;
        let crown = 0.47 + 0.10 * noise.at(u, 0.1, 14, 2) + 0.05 * noise.at(u, 0.6, 40, 2);
        let leaf = noise.at(u, v, 60, 60);
        if y < 0.40 {
            let lawn = mix(rgb(0x7FA05A), rgb(0xA9C07A), y / 0.40);
            lawn.map(|c| c * (0.90 + 0.14 * leaf))
        } else if y < crown {
            let tree = mix(rgb(0x4E6E44), rgb(0x7E9A62), noise.cloud(u, v, 12, 12));
            tree.map(|c| c * (0.85 + 0.3 * leaf))
        } else {
            mix(rgb(0xE8F0F6), rgb(0xA9CBE8), (y - 0.45) / 0.55)
        }
    })
}
