//! The scale of a depth picture: a bar of its colours with distances beside it.

use super::{Picture, depth_color};

const INK: [u8; 3] = [240, 240, 240];
const PAPER: [u8; 3] = [24, 24, 28];
/// Width of the bar and its margins, pixels.
const BAR: u32 = 8;
const MARGIN: u32 = 4;

/// Adds the scale at the right of the picture; nothing to one under 64 pixels high.
pub(super) fn add(picture: &mut Picture, (near, far): (f32, f32)) {
    if picture.height < 64 || picture.pixels.is_empty() {
        return;
    }
    // One size of letters for every 256 pixels.
    let size = (picture.height / 256).max(1);
    let text_width = 4 * size * 5;
    let left = picture.width;
    let mut wider = Picture::filled(left + BAR + text_width + 3 * MARGIN, picture.height, PAPER);
    wider.paste(picture, 0, 0);
    *picture = wider;
    let (top, height) = (MARGIN, picture.height - 2 * MARGIN);
    for y in 0..height {
        // Near at the bottom, where near things are in a picture.
        let color = depth_color(1.0 - f64::from(y) / f64::from(height - 1));
        for x in 0..BAR {
            picture.dot(left + MARGIN + x, top + y, color);
        }
    }
    let (near, far) = (f64::from(near.max(1e-3)), f64::from(far.max(near.max(1e-3) * 1.001)));
    for step in 0..=4_u32 {
        // The same logarithmic scale as the colours'.
        let share = f64::from(step) / 4.0;
        let metres = near * libm::exp(libm::log(far / near) * share);
        let text = match metres {
            m if m >= 100.0 => format!("{m:.0}m"),
            m if m >= 10.0 => format!("{m:.1}m"),
            m => format!("{m:.2}m"),
        };
        let letters = 5 * size;
        let at = top + ((1.0 - share) * f64::from(height - letters)) as u32;
        write(picture, left + BAR + 2 * MARGIN, at, size, &text);
    }
}

/// Digits, a point and an m, three bits a row, five rows, the first row first.
fn glyph(letter: char) -> [u8; 5] {
    match letter {
        '0' => [7, 5, 5, 5, 7],
        '1' => [2, 6, 2, 2, 7],
        '2' => [7, 1, 7, 4, 7],
        '3' => [7, 1, 7, 1, 7],
        '4' => [5, 5, 7, 1, 1],
        '5' => [7, 4, 7, 1, 7],
        '6' => [7, 4, 7, 5, 7],
        '7' => [7, 1, 1, 2, 2],
        '8' => [7, 5, 7, 5, 7],
        '9' => [7, 5, 7, 1, 7],
        '.' => [0, 0, 0, 0, 2],
        'm' => [0, 0, 7, 7, 5],
        _ => [0; 5],
    }
}

fn write(picture: &mut Picture, x: u32, y: u32, size: u32, text: &str) {
    for (place, letter) in (0_u32..).zip(text.chars()) {
        for (row, bits) in (0_u32..).zip(glyph(letter)) {
            for column in 0..3_u32 {
                if bits >> (2 - column) & 1 == 1 {
                    for dot in 0..size * size {
                        let right = (place * 4 + column) * size + dot % size;
                        picture.dot(x + right, y + row * size + dot / size, INK);
                    }
                }
            }
        }
    }
}
