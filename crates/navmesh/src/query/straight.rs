//! The path pulled tight in a corridor: Detour's funnel.

use super::flat::{clamp_to_ring, distance, same_point, to_segment, turn};
use super::search::Stop;
use crate::surface::Surface;
use ambler_geometry::Vec3;

/// Corners of a path, as Habitat sets it.
const MAX_CORNERS: usize = 256;
/// A start this near to the first portal (squared, m²) is taken to be past it.
const AT_PORTAL_SQUARED: f32 = 0.001 * 0.001;

/// One side of the funnel.
#[derive(Clone, Copy)]
struct Side {
    point: Vec3,
    portal: usize,
    /// It is the goal, not a corner of a portal.
    is_end: bool,
}

/// What became of a corner.
#[derive(PartialEq)]
enum Appended {
    More,
    Done,
    Full,
}

fn append(points: &mut Vec<Vec3>, point: Vec3, is_end: bool) -> Appended {
    if points.last().is_some_and(|last| same_point(*last, point)) {
        return Appended::More;
    }
    points.push(point);
    match points.len() >= MAX_CORNERS {
        true => Appended::Full,
        false if is_end => Appended::Done,
        false => Appended::More,
    }
}

/// Writes the corners of the tightest path in the corridor into `points`, both ends included
/// (clamped to the first and the last polygon); false when there are too many.
pub(crate) fn pull_tight(
    surface: &Surface,
    corridor: &[Stop],
    start: Vec3,
    goal: Vec3,
    points: &mut Vec<Vec3>,
) -> bool {
    points.clear();
    let (Some(first), Some(last)) = (corridor.first(), corridor.last()) else {
        return false;
    };
    let ring = |poly: u32| surface.polys[poly as usize].ring();
    let start = clamp_to_ring(start, ring(first.poly));
    let goal = clamp_to_ring(goal, ring(last.poly));
    append(points, start, false);
    if corridor.len() > 1 {
        match walk(surface, corridor, start, goal, points) {
            Appended::More => {}
            Appended::Done => return true,
            Appended::Full => return false,
        }
    }
    append(points, goal, true) != Appended::Full
}

fn walk(
    surface: &Surface,
    corridor: &[Stop],
    start: Vec3,
    goal: Vec3,
    points: &mut Vec<Vec3>,
) -> Appended {
    let mut apex = start;
    let mut left = Side { point: start, portal: 0, is_end: false };
    let mut right = left;
    let mut portal = 0;
    while portal < corridor.len() {
        let is_end = portal + 1 >= corridor.len();
        let (left_point, right_point) = match corridor.get(portal + 1) {
            Some(next) => {
                let link = &surface.links[next.via as usize];
                if portal == 0 && to_segment(apex, link.left, link.right).0 < AT_PORTAL_SQUARED {
                    portal += 1;
                    continue;
                }
                (link.left, link.right)
            }
            None => (goal, goal),
        };
        let mut corner = None;
        if turn(apex, right.point, right_point) <= 0.0 {
            if same_point(apex, right.point) || turn(apex, left.point, right_point) > 0.0 {
                right = Side { point: right_point, portal, is_end };
            } else {
                corner = Some(left);
            }
        }
        if corner.is_none() && turn(apex, left.point, left_point) >= 0.0 {
            if same_point(apex, left.point) || turn(apex, right.point, left_point) < 0.0 {
                left = Side { point: left_point, portal, is_end };
            } else {
                corner = Some(right);
            }
        }
        if let Some(at) = corner {
            apex = at.point;
            let appended = append(points, apex, at.is_end);
            if appended != Appended::More {
                return appended;
            }
            // Both sides are the apex now and are replaced before either can become a corner
            // again, so whether they are the goal does not matter.
            left = Side { is_end: false, ..at };
            right = left;
            portal = at.portal;
        }
        portal += 1;
    }
    Appended::More
}

/// Length of a path, metres.
pub(crate) fn length(points: &[Vec3]) -> f32 {
    points.windows(2).fold(0.0, |length, pair| length + distance(pair[0], pair[1]))
}
