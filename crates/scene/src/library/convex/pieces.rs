use super::{ConvexHull, convex_hull};
use crate::library::Hull;
use ambler_geometry::{Aabb, Vec3};
use std::collections::BTreeMap;

/// Pieces that one object has at most.
pub const MAX_PIECES: usize = 16;
/// Corners that one piece has at most.
pub const MAX_POINTS: usize = 64;
/// The thickness that flat pieces are given, metres.
const THIN_M: f32 = 0.001;

/// Points that lie less than this share of a piece's extent outside its hull are left out, and never
/// more than two tenths of a millimetre.
const FINE: f64 = 0.0025;
const FINE_M: f64 = 0.0002;

struct Piece {
    points: Vec<Vec3>,
    volume: f64,
}

/// Makes pieces fit for physics: flat ones get a thickness of a millimetre, pairs are joined while
/// there are more than [`MAX_PIECES`] or while joining adds less than `merge` of the larger one's
/// volume, and each is cut down to [`MAX_POINTS`] corners, those that lie farthest out.
pub fn simplify_pieces(pieces: &[Vec<Vec3>], merge: f64) -> Vec<Hull> {
    let mut list: Vec<Option<Piece>> =
        pieces.iter().filter_map(|points| piece(points)).map(Some).collect();
    let mut left = list.len();
    let join = |list: &[Option<Piece>], i: usize, j: usize| -> Option<(f64, Piece)> {
        let (Some(a), Some(b)) = (&list[i], &list[j]) else { return None };
        let mut points = a.points.clone();
        points.extend(&b.points);
        let joined = piece(&points)?;
        Some(((joined.volume - a.volume - b.volume).max(0.0), joined))
    };
    // What joining each pair adds; entries of joined pieces are renewed.
    let mut added: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for i in 0..list.len() {
        for j in i + 1..list.len() {
            if let Some((volume, _)) = join(&list, i, j) {
                added.insert((i, j), volume);
            }
        }
    }
    let volume = |list: &[Option<Piece>], i: usize| list[i].as_ref().map_or(0.0, |piece| piece.volume);
    loop {
        let fits = |list: &[Option<Piece>], (i, j): (usize, usize), volume_added: f64| {
            volume_added <= merge * volume(list, i).max(volume(list, j))
        };
        // The cheapest pair of all where there are too many, else the cheapest that may be joined.
        let best = added
            .iter()
            .filter(|&(&pair, &cost)| left > MAX_PIECES || fits(&list, pair, cost))
            .min_by(|a, b| a.1.total_cmp(b.1).then(a.0.cmp(b.0)));
        let Some((&(i, j), _)) = best else { break };
        let Some((_, joined)) = join(&list, i, j) else { break };
        list[i] = Some(joined);
        list[j] = None;
        left -= 1;
        added.retain(|&(a, b), _| a != i && b != i && a != j && b != j);
        for other in 0..list.len() {
            let (a, b) = (other.min(i), other.max(i));
            if a != b
                && list[other].is_some()
                && let Some((volume, _)) = join(&list, a, b)
            {
                added.insert((a, b), volume);
            }
        }
    }
    list.into_iter().flatten().map(|piece| Hull { points: piece.points }).collect()
}

fn piece(points: &[Vec3]) -> Option<Piece> {
    let hull = limited(points).or_else(|| limited(&thickened(points)))?;
    let volume = hull.volume_and_center().0;
    Some(Piece { points: hull.points.iter().map(|point| point.as_vec3()).collect(), volume })
}

fn limited(points: &[Vec3]) -> Option<ConvexHull> {
    let size = Aabb::from_points(points.iter().copied()).size().max_element();
    let hull = convex_hull(points, MAX_POINTS, (f64::from(size) * FINE).min(FINE_M))?;
    // A sliver is as bad as a plane.
    (hull.volume_and_center().0 > f64::from(size * size) * 2e-5).then_some(hull)
}

/// The points, and the points moved by [`THIN_M`] across the plane they lie in.
fn thickened(points: &[Vec3]) -> Vec<Vec3> {
    let Some(&origin) = points.first() else { return Vec::new() };
    let far = |measure: &dyn Fn(Vec3) -> f32| {
        points.iter().copied().max_by(|&a, &b| measure(a).total_cmp(&measure(b))).unwrap_or(origin)
    };
    let along = (far(&|p| p.distance(origin)) - origin).try_normalize().unwrap_or(Vec3::X);
    let across = (far(&|p| (p - origin).reject_from_normalized(along).length()) - origin)
        .reject_from_normalized(along)
        .try_normalize()
        .unwrap_or_else(|| along.any_orthonormal_vector());
    let normal = along.cross(across);
    let mut out = Vec::new();
    for &point in points {
        for (u, v) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
            out.push(
                point + normal * (u * THIN_M) + across * (v * THIN_M * 0.5) + along * (v * u * THIN_M),
            );
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(min: Vec3, max: Vec3) -> Vec<Vec3> {
        (0..8)
            .map(|i| {
                let pick =
                    |bit: usize, axis: usize| if i >> bit & 1 == 0 { min[axis] } else { max[axis] };
                Vec3::new(pick(0, 0), pick(1, 1), pick(2, 2))
            })
            .collect()
    }

    #[test]
    fn blocks_in_a_row_become_one_and_an_l_stays_two() {
        let row: Vec<_> =
            (0..4).map(|i| block(Vec3::X * i as f32, Vec3::X * i as f32 + Vec3::ONE)).collect();
        assert_eq!(simplify_pieces(&row, 0.01).len(), 1);
        let l =
            [block(Vec3::ZERO, Vec3::new(3.0, 1.0, 1.0)), block(Vec3::ZERO, Vec3::new(1.0, 3.0, 1.0))];
        assert_eq!(simplify_pieces(&l, 0.01).len(), 2);
    }

    #[test]
    fn a_flat_piece_gets_a_thickness() {
        let flat = vec![Vec3::ZERO, Vec3::X, Vec3::new(1.0, 0.0, 1.0), Vec3::Z];
        let hulls = simplify_pieces(&[flat], 0.01);
        let hull = convex_hull(&hulls[0].points, 100, 0.0).unwrap();
        let volume = hull.volume_and_center().0;
        assert!((0.0008..0.0012).contains(&volume), "{volume}");
    }

    #[test]
    fn many_pieces_become_sixteen() {
        let far: Vec<_> = (0..30)
            .map(|i| block(Vec3::splat((i * i) as f32), Vec3::splat((i * i) as f32 + 0.5)))
            .collect();
        assert_eq!(simplify_pieces(&far, 0.0).len(), MAX_PIECES);
    }
}
