//! Tableware, cutlery, cookware, kitchenware.

use super::Maker;
use super::canvas::Canvas;
use super::primitives::{curve, smooth};
use super::shape::{Shape, bright, matt, rgb, shiny, times};
use super::Wish;
use ambler_geometry::Vec3;

pub(super) const RECIPES: &[(&str, Maker)] = &[("mug", mug), ("bowl", bowl), ("plate", plate), ("box", plain_box)];

fn mug(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0xB9412F);
    let inside = w.color(1, 0xF3EEE4);
    let (h, r) = (w.h, w.d * 0.5);
    let rings = match w.style {
        0 => vec![(r * 0.9, 0.0), (r * 0.97, h * 0.03), (r, h * 0.1), (r, h)],
        _ => smooth(&[(r * 0.62, 0.0), (r * 0.78, h * 0.12), (r * 0.94, h * 0.45), (r, h)], 4),
    };
    s.vessel(shiny(color), shiny(inside), &rings, 0.004, 0.008, 28);
    let out = w.w - w.d * 0.5;
    let line = curve(
        &[
            Vec3::new(r * 0.93, h * 0.80, 0.0),
            Vec3::new(out - 0.012, h * 0.84, 0.0),
            Vec3::new(out - 0.006, h * 0.52, 0.0),
            Vec3::new(out - 0.016, h * 0.25, 0.0),
            Vec3::new(r * 0.9, h * 0.22, 0.0),
        ],
        4,
    );
    s.rod_flat(shiny(color), &line, &[0.0075], 8, 0.62, Vec3::Y);
}

fn bowl(s: &mut Shape, w: &mut Wish<'_>) {
    let (h, r) = (w.h, w.w * 0.5);
    let rings = smooth(
        &[(r * 0.42, 0.0), (r * 0.44, h * 0.06), (r * 0.72, h * 0.3), (r * 0.92, h * 0.65), (r, h)],
        3,
    );
    let (outside, inside) = (w.color(0, 0x3C6E8F), w.color(1, 0xEDE7DA));
    s.vessel(shiny(outside), shiny(inside), &rings, 0.004, h * 0.12, 32);
}

fn plate(s: &mut Shape, w: &mut Wish<'_>) {
    let (h, r) = (w.h, w.w * 0.5);
    let rings = [(r * 0.58, 0.0), (r * 0.62, h * 0.18), (r * 0.7, h * 0.5), (r * 0.97, h * 0.9), (r, h)];
    let color = w.color(0, 0xF1EEE8);
    s.vessel(shiny(color), shiny(times(color, 0.98)), &rings, 0.004, h * 0.22, 36);
}

fn plain_box(s: &mut Shape, w: &mut Wish<'_>) {
    let color = w.color(0, 0xC79A62);
    let label = Canvas::new(128, 128, color).text(0.5, 0.4, 0.2, 0.8, w.label, rgb(0x303030));
    let paint = s.picture(label);
    s.cuboid(paint, Vec3::new(0.0, w.h * 0.5, 0.0), Vec3::new(w.w, w.h, w.d), 0.002);
    s.ghost(|s| s.cuboid(matt(color), Vec3::ZERO, Vec3::ONE * 0.001, 0.0));
    let _ = bright;
}
