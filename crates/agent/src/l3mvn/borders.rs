use crate::mapping::approach::metres;
use crate::mapping::dense::{chain, dilated, groups};
use crate::mapping::map::EXPLORED;
use crate::mapping::plan::{NO_WAY, Plan};

/// Components of more cells than this count.
const LEAST_CELLS: usize = 4;
/// Their distance lies between these, metres.
const DISTANCE_M: (f32, f32) = (0.5, 5.0);
/// Those nearer than this count as larger by so many cells.
const NEAR_M: f32 = 3.0;
const NEAR_BONUS: usize = 8;
/// Most candidates.
const MOST: usize = 4;

/// A piece of the outline of what was explored.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Border {
    /// Its cells as a line, start frame.
    pub(super) line: Vec<(f32, f32)>,
    /// Mean of its cells, start frame.
    pub(super) centroid: (f32, f32),
    /// Length of the way to it, metres.
    pub(super) distance_m: f32,
    /// Its size, with the bonus.
    pub(super) size: usize,
}

/// The candidates, the largest first: the outline of the largest explored area after closing by 5 × 5,
/// less obstacles grown by 3 × 3, in connected pieces.
pub(super) fn borders(plan: &Plan, from_body: &[u32]) -> Vec<Border> {
    let (width, count) = (plan.width(), plan.len());
    if width == 0 {
        return Vec::new();
    }
    let seen: Vec<bool> = (0..count).map(|index| plan.flags(index) & EXPLORED != 0).collect();
    let grown = dilated(&seen, width, 2);
    let beyond: Vec<bool> = grown.iter().map(|bit| !bit).collect();
    let closed: Vec<bool> = dilated(&beyond, width, 2).iter().map(|bit| !bit).collect();
    let largest = groups(closed, width).into_iter().max_by_key(|group| group.len());
    let mut area = vec![false; count];
    for index in largest.unwrap_or_default() {
        area[index as usize] = true;
    }
    let obstacles: Vec<bool> = (0..count).map(|index| plan.clearance_m(index) <= 0.0).collect();
    let obstacles = dilated(&obstacles, width, 1);
    let outline: Vec<bool> = (0..count)
        .map(|index| {
            let column = index % width;
            let inner = column > 0 && column + 1 < width && index >= width && index + width < count;
            let at_border =
                inner && [index - 1, index + 1, index - width, index + width].iter().any(|&i| !area[i]);
            area[index] && at_border && !obstacles[index]
        })
        .collect();
    let mut found: Vec<Border> = groups(outline, width)
        .into_iter()
        .filter(|cells| cells.len() > LEAST_CELLS)
        .filter_map(|cells| {
            let middles = cells.iter().map(|&index| plan.middle(index as usize));
            let (x, z) = middles.fold((0.0, 0.0), |sum, (x, z)| (sum.0 + x, sum.1 + z));
            let centroid = (x / cells.len() as f32, z / cells.len() as f32);
            let own = plan.index(centroid.0, centroid.1).map(|index| from_body[index]);
            // The mean of a bent piece may lie in a wall: then the nearest of its cells.
            let cost = own
                .filter(|cost| *cost != NO_WAY)
                .or_else(|| cells.iter().map(|&index| from_body[index as usize]).min())?;
            let distance_m = metres(cost);
            let fits = cost != NO_WAY && distance_m > DISTANCE_M.0 && distance_m < DISTANCE_M.1;
            let bonus = if distance_m < NEAR_M { NEAR_BONUS } else { 0 };
            let size = cells.len() + bonus;
            fits.then(|| {
                let line = chain(cells.iter().map(|&index| plan.middle(index as usize)).collect());
                Border { line, centroid, distance_m, size }
            })
        })
        .collect();
    found.sort_by_key(|border| std::cmp::Reverse(border.size));
    found.truncate(MOST);
    found
}

/// Which candidate, by the chances that the goal is there: the best if that is more than 0.3, else the
/// first that is more than 0.1, else the first.
pub(super) fn choose(chances: &[f64]) -> Option<usize> {
    let best = (0..chances.len()).max_by(|&a, &b| chances[a].total_cmp(&chances[b]).then(b.cmp(&a)))?;
    if chances[best] > 0.3 {
        return Some(best);
    }
    Some(chances.iter().position(|chance| *chance > 0.1).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_chosen_by_two_thresholds() {
        assert_eq!(choose(&[0.2, 0.31, 0.4]), Some(2));
        assert_eq!(choose(&[0.05, 0.12, 0.3]), Some(1));
        assert_eq!(choose(&[0.05, 0.1, 0.02]), Some(0));
        assert_eq!(choose(&[0.5, 0.5]), Some(0));
        assert_eq!(choose(&[]), None);
    }
}
