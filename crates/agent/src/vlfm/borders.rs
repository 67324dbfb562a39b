use crate::mapping::dense::{chain, dilated, groups, middle};
use crate::mapping::map::{CELL_M, EXHAUSTED, EXPLORED};
use crate::mapping::plan::Plan;

/// Unexplored pockets smaller than this are taken as explored, square metres.
const POCKET_M2: f32 = 1.5;

/// A piece of the border between explored and unexplored floor.
#[derive(Clone, Debug)]
pub(super) struct Border {
    /// Its cells as a line, start frame.
    pub(super) line: Vec<(f32, f32)>,
    /// The middle of the line.
    pub(super) waypoint: (f32, f32),
    /// Its cells in the plan.
    pub(super) cells: Vec<u32>,
}

/// The borders on a plan: cells of the explored floor, grown by two cells, that touch unexplored floor,
/// in connected pieces. Floor on which the body has no room counts as neither.
pub(super) fn borders(plan: &Plan, radius_m: f32) -> Vec<Border> {
    let (width, count) = (plan.width(), plan.len());
    if width == 0 {
        return Vec::new();
    }
    let room: Vec<bool> = (0..count).map(|index| plan.clearance_m(index) >= radius_m).collect();
    let seen: Vec<bool> =
        (0..count).map(|index| plan.flags(index) & (EXPLORED | EXHAUSTED) != 0).collect();
    let explored = dilated(&seen, width, 2);
    let mut unexplored: Vec<bool> = (0..count).map(|index| room[index] && !explored[index]).collect();
    let least = POCKET_M2 / (CELL_M * CELL_M);
    for pocket in groups(unexplored.clone(), width) {
        // What reaches the end of the plan goes on.
        let open = pocket.iter().any(|&index| {
            let (x, z) = (index as usize % width, index as usize / width);
            x == 0 || z == 0 || x + 1 == width || z + 1 == count / width
        });
        if !open && (pocket.len() as f32) < least {
            for index in pocket {
                unexplored[index as usize] = false;
            }
        }
    }
    let beside = dilated(&unexplored, width, 1);
    let border: Vec<bool> =
        (0..count).map(|index| explored[index] && room[index] && beside[index]).collect();
    groups(border, width)
        .into_iter()
        .filter_map(|cells| {
            let points = cells.iter().map(|&index| plan.middle(index as usize)).collect();
            let line = chain(points);
            let waypoint = middle(&line)?;
            Some(Border { line, waypoint, cells })
        })
        .collect()
}
