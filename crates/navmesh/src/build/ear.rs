//! Cutting a simple outline into triangles by its ears, shortest cut first, as Recast does.

use super::contour::Corner;

/// Twice the signed area of a triangle seen from above.
pub(super) fn cross(a: &Corner, b: &Corner, c: &Corner) -> i64 {
    i64::from(b.x - a.x) * i64::from(c.z - a.z) - i64::from(c.x - a.x) * i64::from(b.z - a.z)
}

fn left(a: &Corner, b: &Corner, c: &Corner) -> bool {
    cross(a, b, c) < 0
}

fn left_or_on(a: &Corner, b: &Corner, c: &Corner) -> bool {
    cross(a, b, c) <= 0
}

/// Whether the segments cross at a point inside both.
fn segments_cross(a: &Corner, b: &Corner, c: &Corner, d: &Corner) -> bool {
    let sides = [cross(a, b, c), cross(a, b, d), cross(c, d, a), cross(c, d, b)];
    !sides.contains(&0) && (sides[0] < 0) != (sides[1] < 0) && (sides[2] < 0) != (sides[3] < 0)
}

/// Whether `c` lies on the segment from `a` to `b`.
fn on_segment(a: &Corner, b: &Corner, c: &Corner) -> bool {
    let within = |from: i32, to: i32, value: i32| from.min(to) <= value && value <= from.max(to);
    cross(a, b, c) == 0 && if a.x != b.x { within(a.x, b.x, c.x) } else { within(a.z, b.z, c.z) }
}

/// Whether the segments cross or touch.
pub(super) fn segments_touch(a: &Corner, b: &Corner, c: &Corner, d: &Corner) -> bool {
    segments_cross(a, b, c, d)
        || on_segment(a, b, c)
        || on_segment(a, b, d)
        || on_segment(c, d, a)
        || on_segment(c, d, b)
}

/// Whether the way from corner `at` (between `before` and `after`) to `to` starts inside.
pub(super) fn in_cone(at: &Corner, before: &Corner, after: &Corner, to: &Corner) -> bool {
    if left_or_on(before, at, after) {
        left(at, to, before) && left(to, at, after)
    } else {
        !(left_or_on(at, to, after) && left_or_on(to, at, before))
    }
}

/// The same, allowing the way to run along an edge.
fn in_cone_or_along(at: &Corner, before: &Corner, after: &Corner, to: &Corner) -> bool {
    if left_or_on(before, at, after) {
        left_or_on(at, to, before) && left_or_on(to, at, after)
    } else {
        !(left_or_on(at, to, after) && left_or_on(to, at, before))
    }
}

/// What is left of an outline while ears are cut: indices of corners, and whether the corner can
/// be cut off.
struct Rest<'a> {
    corners: &'a [Corner],
    ring: Vec<(usize, bool)>,
}

impl Rest<'_> {
    fn corner(&self, at: usize) -> &Corner {
        &self.corners[self.ring[at].0]
    }

    fn next(&self, at: usize) -> usize {
        if at + 1 < self.ring.len() { at + 1 } else { 0 }
    }

    fn previous(&self, at: usize) -> usize {
        at.checked_sub(1).unwrap_or(self.ring.len() - 1)
    }

    /// Whether the cut from `i` to `j` runs inside. `loose` lets it touch the outline.
    fn is_diagonal(&self, i: usize, j: usize, loose: bool) -> bool {
        let (a, b) = (self.corner(i), self.corner(j));
        let (before, after) = (self.corner(self.previous(i)), self.corner(self.next(i)));
        let starts_inside =
            if loose { in_cone_or_along(a, before, after, b) } else { in_cone(a, before, after, b) };
        starts_inside
            && (0..self.ring.len()).all(|k| {
                let k1 = self.next(k);
                if [k, k1].iter().any(|end| *end == i || *end == j) {
                    return true;
                }
                let (p, q) = (self.corner(k), self.corner(k1));
                if a.same_place(p) || b.same_place(p) || a.same_place(q) || b.same_place(q) {
                    return true;
                }
                !if loose { segments_cross(a, b, p, q) } else { segments_touch(a, b, p, q) }
            })
    }

    fn length(&self, i: usize, j: usize) -> i64 {
        let (a, b) = (self.corner(i), self.corner(j));
        let (dx, dz) = (i64::from(b.x - a.x), i64::from(b.z - a.z));
        dx * dx + dz * dz
    }

    /// The start of the shortest cut. When none is left, cuts along the outline are tried, as
    /// with overlapping edges.
    fn shortest(&self) -> Option<usize> {
        let first_least = |candidates: Vec<(usize, i64)>| {
            candidates.into_iter().min_by_key(|&(_, length)| length).map(|(at, _)| at)
        };
        let count = self.ring.len();
        let marked = (0..count).filter(|&i| self.ring[self.next(i)].1);
        let strict = marked.map(|i| (i, self.length(i, self.next(self.next(i))))).collect();
        first_least(strict).or_else(|| {
            let along = (0..count).filter(|&i| self.is_diagonal(i, self.next(self.next(i)), true));
            // Recast measures to the corner after the cut's end; kept, it decides between cuts.
            first_least(along.map(|i| (i, self.length(i, self.next(self.next(self.next(i)))))).collect())
        })
    }
}

/// Triangles of an outline as indices of its corners. An outline that crosses itself gives those
/// found before no cut was left.
pub(super) fn triangulate(corners: &[Corner]) -> Vec<[usize; 3]> {
    let mut rest = Rest { corners, ring: (0..corners.len()).map(|index| (index, false)).collect() };
    let mut triangles = Vec::with_capacity(corners.len().saturating_sub(2));
    if corners.len() < 3 {
        return triangles;
    }
    for i in 0..corners.len() {
        let middle = rest.next(i);
        let end = rest.next(middle);
        rest.ring[middle].1 = rest.is_diagonal(i, end, false);
    }
    while rest.ring.len() > 3 {
        let Some(start) = rest.shortest() else { return triangles };
        let middle = rest.next(start);
        let end = rest.next(middle);
        triangles.push([rest.ring[start].0, rest.ring[middle].0, rest.ring[end].0]);
        rest.ring.remove(middle);
        let after = if middle < rest.ring.len() { middle } else { 0 };
        let before = rest.previous(after);
        rest.ring[before].1 = rest.is_diagonal(rest.previous(before), after, false);
        rest.ring[after].1 = rest.is_diagonal(before, rest.next(after), false);
    }
    triangles.push([rest.ring[0].0, rest.ring[1].0, rest.ring[2].0]);
    triangles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(points: &[(i32, i32)]) -> Vec<Corner> {
        points.iter().map(|&(x, z)| Corner { x, z, ..Corner::default() }).collect()
    }

    #[test]
    fn triangles_cover_an_l_shape_once() {
        let corners = outline(&[(0, 0), (0, 10), (5, 10), (5, 5), (10, 5), (10, 0)]);
        let triangles = triangulate(&corners);
        assert_eq!(triangles.len(), 4);
        let area: i64 =
            triangles.iter().map(|t| cross(&corners[t[0]], &corners[t[1]], &corners[t[2]]).abs()).sum();
        assert_eq!(area, 2 * 75);
    }

    #[test]
    fn fewer_than_three_corners_give_nothing() {
        assert!(triangulate(&outline(&[(0, 0), (1, 0)])).is_empty());
        assert!(triangulate(&[]).is_empty());
    }
}
