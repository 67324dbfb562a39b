//! Splitting points of one plane where their hull would lie over nothing: the bays of a shelf, the two
//! arms of a counter, the seat of a sofa beside its arms.

use crate::convex;
use crate::grid::Grid;
use ambler_geometry::Vec2;

/// Side of the cells on which holes are seen, metres.
const CELL_M: f32 = 0.04;
/// Cells of one group may be so many cells apart: scans and shadows have cracks.
const CRACK: usize = 2;
/// A group is cut at most so often.
const CUTS: u32 = 3;
/// Cuts are tried at so many places along each axis.
const PLACES: usize = 12;
/// A cut must make the outlines this much smaller together.
const GAIN: f64 = 0.9;
/// An outline with more than this share over another one's is left out.
const OVER: f64 = 0.25;

/// Groups of the points: connected, and each with at least `fill` of its hull over points where cutting can
/// reach that. Largest first.
pub(super) fn split(points: &[Vec2], fill: f32, voxel_m: f32) -> Vec<Vec<Vec2>> {
    let mut groups = Vec::new();
    for piece in connected(points, voxel_m) {
        cut(piece, fill, voxel_m, CUTS, &mut groups);
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    // What is left over beside a cut can lie under another group's outline: it adds nothing.
    let mut kept: Vec<(Vec<Vec2>, Vec<Vec2>)> = Vec::new();
    for group in groups {
        let hull = convex::hull(&group);
        let own = convex::signed_area(&hull);
        let lies_over = |(_, other): &(Vec<Vec2>, Vec<Vec2>)| {
            convex::common_area(&hull, other) > OVER * own.min(convex::signed_area(other))
        };
        if !kept.iter().any(lies_over) {
            kept.push((group, hull));
        }
    }
    kept.into_iter().map(|(group, _)| group).collect()
}

fn connected(points: &[Vec2], voxel_m: f32) -> Vec<Vec<Vec2>> {
    let low = points.iter().copied().fold(Vec2::INFINITY, Vec2::min) - CELL_M * 2.0;
    let high = points.iter().copied().fold(Vec2::NEG_INFINITY, Vec2::max) + CELL_M * 2.0;
    let cell = CELL_M.max(voxel_m * 2.0);
    let mut taken = Grid::over(low, high, cell, false);
    for &point in points {
        if let Some(index) = taken.index_at(point) {
            taken.cells[index] = true;
        }
    }
    // Grown by half a crack from both sides.
    let reach = cell * (CRACK as f32 * 0.5 + 0.01);
    let distance = taken.distance();
    let mut grown = taken.like(false);
    for (grown, &distance) in grown.cells.iter_mut().zip(&distance.cells) {
        *grown = distance <= reach;
    }
    let (labels, sizes) = grown.pieces();
    let mut groups = vec![Vec::new(); sizes.len()];
    for &point in points {
        let label = labels.at(point).copied().unwrap_or(0);
        groups[label as usize].push(point);
    }
    groups.into_iter().filter(|group| group.len() >= 3).collect()
}

/// Area in m² over which there are points.
fn occupied(points: &[Vec2], voxel_m: f32) -> f64 {
    let cell = CELL_M.max(voxel_m * 2.0);
    let low = points.iter().copied().fold(Vec2::INFINITY, Vec2::min);
    let high = points.iter().copied().fold(Vec2::NEG_INFINITY, Vec2::max);
    let mut taken = Grid::over(low, high, cell, false);
    for &point in points {
        if let Some(index) = taken.index_at(point) {
            taken.cells[index] = true;
        }
    }
    taken.cells.iter().filter(|&&taken| taken).count() as f64 * taken.cell_area_m2()
}

fn cut(points: Vec<Vec2>, fill: f32, voxel_m: f32, cuts: u32, out: &mut Vec<Vec<Vec2>>) {
    let hull = convex::hull(&points);
    let area = convex::signed_area(&hull);
    if cuts == 0 || points.len() < 12 || occupied(&points, voxel_m) >= f64::from(fill) * area {
        out.push(points);
        return;
    }
    // Along the hull's longest edge and across it.
    let longest = (0..hull.len())
        .map(|index| hull[(index + 1) % hull.len()] - hull[index])
        .max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
    let Some(axis) = longest.map(Vec2::normalize_or_zero).filter(|axis| *axis != Vec2::ZERO) else {
        out.push(points);
        return;
    };
    let mut best: Option<(f64, Vec<Vec2>, Vec<Vec2>)> = None;
    for axis in [axis, Vec2::new(-axis.y, axis.x)] {
        let along = |point: &Vec2| axis.dot(*point);
        let low = points.iter().map(along).fold(f32::INFINITY, f32::min);
        let high = points.iter().map(along).fold(f32::NEG_INFINITY, f32::max);
        for place in 1..PLACES {
            let at = low + (high - low) * place as f32 / PLACES as f32;
            let (a, b): (Vec<Vec2>, Vec<Vec2>) = points.iter().partition(|point| along(point) < at);
            if a.len() < 3 || b.len() < 3 {
                continue;
            }
            let together =
                convex::signed_area(&convex::hull(&a)) + convex::signed_area(&convex::hull(&b));
            if best.as_ref().is_none_or(|(least, _, _)| together < *least) {
                best = Some((together, a, b));
            }
        }
    }
    match best {
        Some((together, a, b)) if together < GAIN * area => {
            cut(a, fill, voxel_m, cuts - 1, out);
            cut(b, fill, voxel_m, cuts - 1, out);
        }
        _ => out.push(points),
    }
}
