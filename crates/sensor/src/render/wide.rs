//! Where in an equirectangular or fisheye image a ball can be seen.

use super::lens::Lens;
use glam::DVec3;
use std::f64::consts::{FRAC_PI_2, PI};
use std::ops::Range;

/// Columns and rows that may see a ball: one or two rectangles, the second where the ball lies across
/// the seam behind an equirectangular camera.
pub(crate) fn rects(
    lens: &Lens,
    middle: DVec3,
    radius: f64,
) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
    let mut found = [None, None];
    let distance = middle.length();
    let whole = (0..lens.width, 0..lens.height);
    if !(distance > radius) {
        found[0] = Some(whole);
        return found.into_iter().flatten();
    }
    // The angle that it takes up around its middle, and a little more than rounding can err.
    let reach = libm::asin((radius / distance).min(1.0)) + 1e-9;
    let level = libm::sqrt(middle.x * middle.x + middle.z * middle.z);
    let (width, height) = (lens.width as f64, lens.height as f64);
    if lens.fisheye {
        let side = libm::sqrt(middle.x * middle.x + middle.y * middle.y);
        let angle = libm::atan2(side, -middle.z);
        let (low, high) = ((angle - reach).max(0.0), (angle + reach).min(PI));
        // The part of a ring, between two directions from the middle of the image.
        let spread = if libm::sin(angle) > libm::sin(reach) && reach < FRAC_PI_2 {
            libm::asin(libm::sin(reach) / libm::sin(angle)) + 1e-9
        } else {
            PI
        };
        let direction = libm::atan2(middle.y, middle.x);
        let mut xs = [f64::INFINITY, f64::NEG_INFINITY];
        let mut ys = xs;
        let mut grow = |turn: f64| {
            for angle in [low, high] {
                let (x, y) = (angle * libm::cos(turn), -angle * libm::sin(turn));
                xs = [xs[0].min(x), xs[1].max(x)];
                ys = [ys[0].min(y), ys[1].max(y)];
            }
        };
        grow(direction - spread);
        grow(direction + spread);
        // Where the ring reaches farthest to a side.
        for quarter in -8_i32..=8 {
            let turn = f64::from(quarter) * FRAC_PI_2;
            if (turn - direction).abs() <= spread {
                grow(turn);
            }
        }
        let columns =
            range(xs[0] * lens.scale + width * 0.5, xs[1] * lens.scale + width * 0.5, lens.width);
        let rows =
            range(ys[0] * lens.scale + height * 0.5, ys[1] * lens.scale + height * 0.5, lens.height);
        found[0] = Some((columns, rows));
        return found.into_iter().flatten();
    }
    let elevation = libm::atan2(middle.y, level);
    let row = |elevation: f64| height * (0.5 - elevation / PI);
    let rows = range(row(elevation + reach), row(elevation - reach), lens.height);
    if elevation.abs() + reach >= FRAC_PI_2 {
        // It takes in a pole.
        found[0] = Some((whole.0, rows));
        return found.into_iter().flatten();
    }
    let spread = libm::asin((libm::sin(reach) / libm::cos(elevation)).min(1.0)) + 1e-9;
    let azimuth = libm::atan2(middle.x, -middle.z);
    let column = |azimuth: f64| width * (0.5 + azimuth / (2.0 * PI));
    let (left, right) = (column(azimuth - spread), column(azimuth + spread));
    found[0] = Some((range(left, right, lens.width), rows.clone()));
    // The seam, with a pixel more on both sides.
    if left < 0.5 {
        found[1] = Some((range(left + width, right + width, lens.width), rows));
    } else if right > width - 0.5 {
        found[1] = Some((range(left - width, right - width, lens.width), rows));
    }
    found.into_iter().flatten()
}

/// Pixels whose middles lie between two places.
fn range(low: f64, high: f64, size: usize) -> Range<usize> {
    // Far more than rounding can err, in pixels.
    const MARGIN: f64 = 1e-3;
    // Casts cut fractions off and saturate.
    let first = (low - MARGIN - 0.5).max(0.0).ceil() as usize;
    let end = ((high + MARGIN + 0.5).max(0.0) as usize).min(size);
    first.min(end)..end
}
