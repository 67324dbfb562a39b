//! Sets of cells of a plan, grown, filled and followed.

use super::map::CELL_M;

/// The set grown by so many cells in each of eight directions.
pub(crate) fn dilated(set: &[bool], width: usize, by: usize) -> Vec<bool> {
    if width == 0 {
        return Vec::new();
    }
    let height = set.len() / width;
    // Rows, then columns: a square is grown by its sides.
    let mut rows = vec![false; set.len()];
    for z in 0..height {
        let mut last: Option<usize> = None;
        let row = &set[z * width..(z + 1) * width];
        for x in 0..width + by {
            if x < width && row[x] {
                last = Some(x);
            }
            if x >= by && last.is_some_and(|last| x - last <= 2 * by) {
                rows[z * width + x - by] = true;
            }
        }
    }
    let mut out = vec![false; set.len()];
    for x in 0..width {
        let mut last: Option<usize> = None;
        for z in 0..height + by {
            if z < height && rows[z * width + x] {
                last = Some(z);
            }
            if z >= by && last.is_some_and(|last| z - last <= 2 * by) {
                out[(z - by) * width + x] = true;
            }
        }
    }
    out
}

/// The eight neighbours of a cell inside the window.
pub(crate) fn around(index: usize, width: usize, count: usize) -> impl Iterator<Item = usize> {
    let (x, z) = ((index % width) as i64, (index / width) as i64);
    let height = (count / width) as i64;
    (-1..=1).flat_map(move |dz| (-1..=1).map(move |dx| (dx, dz))).filter_map(move |(dx, dz)| {
        let (x, z) = (x + dx, z + dz);
        let inside = x >= 0 && z >= 0 && x < width as i64 && z < height && (dx, dz) != (0, 0);
        inside.then(|| z as usize * width + x as usize)
    })
}

/// Groups of touching cells (eight neighbours), in the order of their first cells.
pub(crate) fn groups(mut set: Vec<bool>, width: usize) -> Vec<Vec<u32>> {
    let count = set.len();
    let mut groups = Vec::new();
    for first in 0..count {
        if !set[first] {
            continue;
        }
        set[first] = false;
        let mut group = vec![first as u32];
        let mut next = 0;
        while next < group.len() {
            let index = group[next] as usize;
            next += 1;
            let mut take = |i: usize| {
                if set[i] {
                    set[i] = false;
                    group.push(i as u32);
                }
            };
            let column = index % width;
            if column == 0 || column + 1 == width || index < width || index + width >= count {
                around(index, width, count).for_each(take);
                continue;
            }
            // All eight exist: in the same order, without asking.
            for row in [index - width, index, index + width] {
                take(row - 1);
                if row != index {
                    take(row);
                }
                take(row + 1);
            }
        }
        groups.push(group);
    }
    groups
}

/// Points as a line: from one end to the nearest next one. Side branches are left out.
pub(crate) fn chain(mut cells: Vec<(f32, f32)>) -> Vec<(f32, f32)> {
    let apart = |a: (f32, f32), b: (f32, f32)| (a.0 - b.0) * (a.0 - b.0) + (a.1 - b.1) * (a.1 - b.1);
    let Some(&any) = cells.first() else { return Vec::new() };
    // An end is what is farthest from any of them.
    let far = (0..cells.len()).max_by(|&i, &j| apart(cells[i], any).total_cmp(&apart(cells[j], any)));
    let mut last = cells.swap_remove(far.unwrap_or(0));
    let mut line = vec![last];
    while let Some(next) =
        (0..cells.len()).min_by(|&i, &j| apart(cells[i], last).total_cmp(&apart(cells[j], last)))
    {
        if apart(cells[next], last) > 9.0 * CELL_M * CELL_M {
            break;
        }
        last = cells.swap_remove(next);
        line.push(last);
    }
    line
}

/// The point of a line from which both ends are equally far along it.
pub(crate) fn middle(line: &[(f32, f32)]) -> Option<(f32, f32)> {
    let length = |pair: &[(f32, f32)]| {
        let (dx, dz) = (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
        (dx * dx + dz * dz).sqrt()
    };
    let half: f32 = line.windows(2).map(length).sum::<f32>() / 2.0;
    let mut gone = 0.0;
    for (pair, &start) in line.windows(2).zip(line) {
        gone += length(pair);
        if gone >= half {
            // The corner that is nearer.
            return Some(if gone - half <= length(pair) / 2.0 { pair[1] } else { start });
        }
    }
    line.last().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_grow_by_squares() {
        let mut set = vec![false; 49];
        set[3 * 7 + 3] = true;
        let grown = dilated(&set, 7, 2);
        assert_eq!(grown.iter().filter(|bit| **bit).count(), 25);
        assert!(grown[7 + 1] && grown[5 * 7 + 5] && !grown[0]);
        set[0] = true;
        assert_eq!(dilated(&set, 7, 1).iter().filter(|bit| **bit).count(), 9 + 4);
        assert_eq!(groups(set, 7), [[0], [24]]);
    }

    #[test]
    fn the_middle_is_by_length() {
        let line: Vec<(f32, f32)> = (0..9).map(|i| (i as f32 * CELL_M, 0.0)).collect();
        let mut mixed = line.clone();
        mixed.swap(1, 7);
        mixed.swap(0, 4);
        let chained = chain(mixed);
        assert_eq!(chained.len(), 9);
        let (x, _) = middle(&chained).unwrap();
        assert!((x - 4.0 * CELL_M).abs() < 1e-6, "{x}");
        assert_eq!(middle(&[(1.0, 2.0)]), Some((1.0, 2.0)));
        assert_eq!(middle(&[]), None);
    }
}
