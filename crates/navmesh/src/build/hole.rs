//! Holes of a region (obstacles in the middle of a room) joined to its outline by a cut there and
//! back, as Recast's `mergeRegionHoles` does, so that one simple outline remains.

use super::contour::{Contour, Corner};
use super::ear::{in_cone, segments_touch};

/// Twice the signed area decides which way round an outline runs: below zero is a hole.
fn is_hole(corners: &[Corner]) -> bool {
    let mut area: i64 = 0;
    let mut last = corners.len() - 1;
    for index in 0..corners.len() {
        let (a, b) = (&corners[index], &corners[last]);
        area += i64::from(a.x) * i64::from(b.z) - i64::from(b.x) * i64::from(a.z);
        last = index;
    }
    (area + 1) / 2 < 0
}

/// Joins the holes of each region to its outline. A hole that cannot be joined is left out of the
/// result's outline and stays as its own contour, which triangulates to nothing.
pub(super) fn merge(contours: &mut [Contour]) {
    let holes: Vec<bool> = contours.iter().map(|contour| is_hole(&contour.corners)).collect();
    if !holes.contains(&true) {
        return;
    }
    let regions = contours.iter().map(|contour| usize::from(contour.region)).max().unwrap_or(0) + 1;
    let mut outlines = vec![None; regions];
    let mut per_region = vec![Vec::new(); regions];
    for (index, contour) in contours.iter().enumerate() {
        let region = usize::from(contour.region);
        if holes[index] {
            per_region[region].push(index);
        } else {
            outlines[region] = Some(index);
        }
    }
    for (outline, holes) in outlines.into_iter().zip(per_region) {
        if let Some(outline) = outline
            && !holes.is_empty()
        {
            merge_region(contours, outline, holes);
        }
    }
}

/// The first of the leftmost corners with the least z.
fn leftmost(corners: &[Corner]) -> usize {
    let mut best = 0;
    for (index, corner) in corners.iter().enumerate() {
        if (corner.x, corner.z) < (corners[best].x, corners[best].z) {
            best = index;
        }
    }
    best
}

fn merge_region(contours: &mut [Contour], outline: usize, holes: Vec<usize>) {
    let mut holes: Vec<(usize, usize)> =
        holes.into_iter().map(|hole| (hole, leftmost(&contours[hole].corners))).collect();
    holes.sort_by_key(|&(hole, corner)| {
        let corner = &contours[hole].corners[corner];
        (corner.x, corner.z)
    });
    // Recast tests a cut against the outline while it skips the edges at the corner that stands
    // at the *hole's* number in the list of candidates, not at the cut's own. The list outlives a
    // hole there, so it does here: the same cuts are found.
    let mut candidates: Vec<(usize, i64)> = Vec::new();
    for number in 0..holes.len() {
        let (hole, first) = holes[number];
        let count = contours[hole].corners.len();
        let mut found = None;
        for turn in 0..count {
            let at = (first + turn) % count;
            let from = contours[hole].corners[at];
            if let Some(to) =
                find_cut(contours, outline, &holes[number..], number, from, &mut candidates)
            {
                found = Some((to, at));
                break;
            }
        }
        if let Some((to, at)) = found {
            let hole = std::mem::take(&mut contours[hole].corners);
            let outer = &mut contours[outline].corners;
            outer.rotate_left(to);
            outer.push(outer[0]);
            outer.extend((0..=hole.len()).map(|step| hole[(at + step) % hole.len()]));
        }
    }
}

/// The corner of the outline nearest to `from` that can be reached without crossing anything.
fn find_cut(
    contours: &[Contour],
    outline: usize,
    holes: &[(usize, usize)],
    number: usize,
    from: Corner,
    candidates: &mut Vec<(usize, i64)>,
) -> Option<usize> {
    let outer = &contours[outline].corners;
    let mut fresh: Vec<(usize, i64)> = Vec::new();
    for (index, corner) in outer.iter().enumerate() {
        let before = &outer[(index + outer.len() - 1) % outer.len()];
        let after = &outer[(index + 1) % outer.len()];
        if in_cone(corner, before, after, &from) {
            let (dx, dz) = (i64::from(corner.x - from.x), i64::from(corner.z - from.z));
            fresh.push((index, dx * dx + dz * dz));
        }
    }
    fresh.sort_by_key(|&(_, distance)| distance);
    let stale = candidates.get(fresh.len()..).map(<[_]>::to_vec).unwrap_or_default();
    candidates.clear();
    candidates.extend(fresh.iter().copied().chain(stale));
    let skip = candidates.get(number).map(|&(index, _)| index);
    fresh.into_iter().map(|(index, _)| index).find(|&index| {
        let to = outer[index];
        !crosses(&to, &from, skip, outer)
            && !holes.iter().any(|&(hole, _)| crosses(&to, &from, None, &contours[hole].corners))
    })
}

/// Whether the segment crosses or touches an edge of the outline, edges at its ends and at
/// `skip` aside.
fn crosses(a: &Corner, b: &Corner, skip: Option<usize>, corners: &[Corner]) -> bool {
    (0..corners.len()).any(|index| {
        let next = (index + 1) % corners.len();
        let (p, q) = (&corners[index], &corners[next]);
        let at_end = a.same_place(p) || b.same_place(p) || a.same_place(q) || b.same_place(q);
        skip != Some(index) && skip != Some(next) && !at_end && segments_touch(a, b, p, q)
    })
}

#[cfg(test)]
mod tests {
    use super::super::ear::cross;
    use super::*;

    fn corner(x: i32, z: i32) -> Corner {
        Corner { x, z, ..Corner::default() }
    }

    #[test]
    fn a_square_hole_is_joined_to_its_outline() {
        let outer = [corner(0, 0), corner(0, 10), corner(10, 10), corner(10, 0)];
        let inner = [corner(4, 4), corner(6, 4), corner(6, 6), corner(4, 6)];
        let turn = |corners: &[Corner]| cross(&corners[0], &corners[1], &corners[2]).signum();
        assert_ne!(turn(&outer), turn(&inner));
        let mut contours = vec![
            Contour { corners: outer.to_vec(), region: 1 },
            Contour { corners: inner.to_vec(), region: 1 },
        ];
        assert_eq!(contours.iter().map(|c| is_hole(&c.corners)).collect::<Vec<_>>(), [false, true]);
        merge(&mut contours);
        assert_eq!(contours[0].corners.len(), 4 + 4 + 2);
        assert!(contours[1].corners.is_empty());
    }
}
