//! Which tops of solid spans a body can stand on, and the open space above them.
//!
//! The ledge rule is that of Recast 1.6.0. `rerecast` follows a later one, which finds ledges next
//! to low ceilings that 1.6.0 does not: on some scans whole strips of floor differ.

use rerecast::{Aabb3d, AreaType, CompactCell, CompactHeightfield, CompactSpan, RegionId};

use super::plan::Plan;
use super::voxel::Voxels;
use crate::NavMeshError;

/// Neighbours in Recast's order: −x, +z, +x, −z.
pub(super) const STEPS: [(i32, i32); 4] = [(-1, 0), (0, 1), (1, 0), (0, -1)];
/// Top of the open space above the highest span.
const OPEN: i32 = 0xffff;
/// Most surfaces of a column that a neighbour can name (six bits, one value is "none").
const MAX_LAYER: usize = 62;

fn ceiling(voxels: &Voxels, span: &super::voxel::Span) -> i32 {
    voxels.above(span).map_or(OPEN, |above| i32::from(above.min))
}

/// An obstacle whose top is within a climb of the floor below it can be stepped on.
pub(super) fn step_over_low_obstacles(voxels: &mut Voxels, plan: &Plan) {
    let mut raised = Vec::new();
    for z in 0..voxels.depth {
        for x in 0..voxels.width {
            let mut floor: Option<u16> = None;
            for (index, span) in voxels.column(x, z) {
                if let Some(floor) = floor
                    && !span.walkable
                    && span.max.abs_diff(floor) <= plan.climb_voxels
                {
                    raised.push(index);
                }
                // Only a floor that was walkable itself lifts what is above it, so that a stack
                // of obstacles is not climbed one by one.
                floor = span.walkable.then_some(span.max);
            }
            for index in raised.drain(..) {
                voxels.set_walkable(index, true);
            }
        }
    }
}

/// Floor beside a drop of more than a climb, or on a slope that rises and falls more than a climb
/// between its neighbours, is not safe.
pub(super) fn remove_ledges(voxels: &mut Voxels, plan: &Plan) {
    let climb = i32::from(plan.climb_voxels);
    let mut unsafe_spans = Vec::new();
    for z in 0..voxels.depth {
        for x in 0..voxels.width {
            for (index, span) in voxels.column(x, z) {
                if span.walkable && is_ledge(voxels, plan, climb, (x, z), &span) {
                    unsafe_spans.push(index);
                }
            }
            // The rule looks at heights alone, so that marking at once changes no later answer.
            for index in unsafe_spans.drain(..) {
                voxels.set_walkable(index, false);
            }
        }
    }
}

fn is_ledge(
    voxels: &Voxels,
    plan: &Plan,
    climb: i32,
    (x, z): (i32, i32),
    span: &super::voxel::Span,
) -> bool {
    let headroom = i32::from(plan.height_voxels);
    let floor = i32::from(span.max);
    let top = ceiling(voxels, span);
    let (mut lowest, mut highest) = (floor, floor);
    for (dx, dz) in STEPS {
        let (nx, nz) = (x + dx, z + dz);
        if nx < 0 || nz < 0 || nx >= voxels.width || nz >= voxels.depth {
            // The edge of the world lies a climb below the lowest voxel.
            if -climb - floor < -climb {
                return true;
            }
            continue;
        }
        // From below the grid to the neighbour's first span.
        let first = voxels.column(nx, nz).next().map_or(OPEN, |(_, first)| i32::from(first.min));
        if top.min(first) - floor.max(-climb) > headroom && -climb - floor < -climb {
            return true;
        }
        for (_, other) in voxels.column(nx, nz) {
            let other_floor = i32::from(other.max);
            if top.min(ceiling(voxels, &other)) - floor.max(other_floor) <= headroom {
                continue;
            }
            let rise = other_floor - floor;
            if rise < -climb {
                return true;
            }
            if rise.abs() <= climb {
                lowest = lowest.min(other_floor);
                highest = highest.max(other_floor);
            }
        }
    }
    highest - lowest > climb
}

/// Floor under a ceiling lower than the body is no floor.
pub(super) fn remove_low_ceilings(voxels: &mut Voxels, plan: &Plan) {
    let headroom = i32::from(plan.height_voxels);
    let mut low = Vec::new();
    for z in 0..voxels.depth {
        for x in 0..voxels.width {
            low.extend(voxels.column(x, z).filter_map(|(index, span)| {
                (ceiling(voxels, &span) - i32::from(span.max) < headroom).then_some(index)
            }));
            for index in low.drain(..) {
                voxels.set_walkable(index, false);
            }
        }
    }
}

/// The open space above walkable spans, with links to the neighbours that a body can step to.
pub(super) fn open_space(voxels: &Voxels, plan: &Plan) -> Result<CompactHeightfield, NavMeshError> {
    let count = voxels.walkable_count();
    let columns = usize::from(plan.width) * usize::from(plan.depth);
    let mut space = CompactHeightfield {
        width: plan.width,
        height: plan.depth,
        walkable_height: plan.height_voxels,
        walkable_climb: plan.climb_voxels,
        border_size: 0,
        max_distance: 0,
        max_region: RegionId::NONE,
        aabb: Aabb3d { min: plan.bmin.into(), max: plan.bmax.into() },
        cell_size: plan.cell_size,
        cell_height: plan.cell_height,
        cells: vec![CompactCell::default(); columns],
        spans: Vec::with_capacity(count),
        dist: Vec::new(),
        areas: vec![AreaType::DEFAULT_WALKABLE; count],
    };
    space.aabb.max.y += f32::from(plan.height_voxels) * plan.cell_height;
    for z in 0..voxels.depth {
        for x in 0..voxels.width {
            let mut cell = CompactCell::default();
            cell.set_index(space.spans.len() as u32);
            for (_, span) in voxels.column(x, z).filter(|(_, span)| span.walkable) {
                if usize::from(cell.count()) > MAX_LAYER {
                    return Err(NavMeshError::Build {
                        reason: format!(
                            "more than {MAX_LAYER} floors lie above each other near x {:.2}, z {:.2}; raise the cell height",
                            plan.bmin[0] + x as f32 * plan.cell_size,
                            plan.bmin[2] + z as f32 * plan.cell_size
                        ),
                    });
                }
                let free = ceiling(voxels, &span) - i32::from(span.max);
                let mut open = CompactSpan { y: span.max, ..CompactSpan::default() };
                open.set_height(free.clamp(0, 255) as u8);
                space.spans.push(open);
                cell.inc_count();
            }
            space.cells[(x + z * voxels.width) as usize] = cell;
        }
    }
    link(&mut space, plan);
    Ok(space)
}

fn link(space: &mut CompactHeightfield, plan: &Plan) {
    let (width, depth) = (i32::from(plan.width), i32::from(plan.depth));
    let reach = |span: &CompactSpan| (i32::from(span.y), i32::from(span.y) + i32::from(span.height()));
    for z in 0..depth {
        for x in 0..width {
            for index in space.cells[(x + z * width) as usize].index_range() {
                let (floor, top) = reach(&space.spans[index]);
                for (dir, (dx, dz)) in STEPS.into_iter().enumerate() {
                    let (nx, nz) = (x + dx, z + dz);
                    let inside = nx >= 0 && nz >= 0 && nx < width && nz < depth;
                    let found = inside
                        .then(|| space.cells[(nx + nz * width) as usize].index_range())
                        .and_then(|mut range| {
                            let start = range.start;
                            range
                                .find(|&other| {
                                    let (other_floor, other_top) = reach(&space.spans[other]);
                                    let room = top.min(other_top) - floor.max(other_floor);
                                    room >= i32::from(plan.height_voxels)
                                        && (other_floor - floor).abs() <= i32::from(plan.climb_voxels)
                                })
                                .map(|other| (other - start) as u8)
                        });
                    space.spans[index].set_con(dir as u8, found);
                }
            }
        }
    }
}
