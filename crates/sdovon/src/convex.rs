//! Convex outlines: hull, area, shrinking, and uniform points in them (the paper's Algorithm 2).
//!
//! Points are (x, z) pairs. Outlines run counter-clockwise seen from above, that is, with −z up and x to
//! the right.

use ambler_geometry::Vec2;
use ambler_geometry::random::Stream;

/// Twice the area of the triangle (a, b, c), positive where it runs counter-clockwise seen from above.
fn turn(a: Vec2, b: Vec2, c: Vec2) -> f64 {
    let (ab, ac) = ((b - a).as_dvec2(), (c - a).as_dvec2());
    ab.y * ac.x - ab.x * ac.y
}

/// Area in m², positive for an outline that runs counter-clockwise seen from above.
pub fn signed_area(outline: &[Vec2]) -> f64 {
    let Some(&first) = outline.first() else { return 0.0 };
    outline.windows(2).map(|pair| turn(first, pair[0], pair[1])).sum::<f64>() * 0.5
}

/// The convex hull, counter-clockwise seen from above, from the leftmost point; corners in a straight line
/// are left out. Fewer than three corners where the points lie on a line.
pub fn hull(points: &[Vec2]) -> Vec<Vec2> {
    let mut sorted: Vec<Vec2> = points.iter().copied().filter(|point| point.is_finite()).collect();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(b.y.total_cmp(&a.y)));
    sorted.dedup();
    if sorted.len() < 3 {
        return sorted;
    }
    let mut chain: Vec<Vec2> = Vec::with_capacity(sorted.len() * 2);
    for pass in 0..2 {
        let start = chain.len();
        let mut add = |point: Vec2| {
            while chain.len() >= start + 2
                && turn(chain[chain.len() - 2], chain[chain.len() - 1], point) <= 0.0
            {
                chain.pop();
            }
            chain.push(point);
        };
        if pass == 0 {
            sorted.iter().copied().for_each(&mut add);
        } else {
            sorted.iter().rev().copied().for_each(&mut add);
        }
        // The last point begins the other chain.
        chain.pop();
    }
    chain
}

/// A uniform point in a convex outline: a triangle of the fan around the first corner by area, then
/// r₁ + r₂ > 1 reflected (Algorithm 2). `None` for an outline without area.
pub fn sample(outline: &[Vec2], stream: &mut Stream) -> Option<Vec2> {
    let &first = outline.first()?;
    let total = signed_area(outline).abs();
    if !(total > 0.0) {
        return None;
    }
    let mut left = stream.uniform() * total;
    let (r1, r2) = (stream.uniform(), stream.uniform());
    let (r1, r2) = if r1 + r2 > 1.0 { (1.0 - r1, 1.0 - r2) } else { (r1, r2) };
    let mut chosen = None;
    for pair in outline.windows(2) {
        let area = turn(first, pair[0], pair[1]).abs() * 0.5;
        if area > 0.0 {
            chosen = Some((pair[0], pair[1]));
            if left < area {
                break;
            }
            left -= area;
        }
    }
    let (b, c) = chosen?;
    let first = first.as_dvec2();
    Some((first + (b.as_dvec2() - first) * r1 + (c.as_dvec2() - first) * r2).as_vec2())
}

/// How far inside a convex outline a point lies: the distance to the nearest edge's line, negative
/// outside.
pub fn inset(outline: &[Vec2], point: Vec2) -> f32 {
    edges(outline)
        .map(|(a, b)| {
            let length = f64::from(a.distance(b));
            if length > 0.0 { (turn(a, b, point) / length) as f32 } else { f32::INFINITY }
        })
        .fold(f32::INFINITY, f32::min)
}

/// Distance of a point from a convex outline, 0 inside.
pub fn outside(outline: &[Vec2], point: Vec2) -> f32 {
    if outline.len() >= 3 && inset(outline, point) >= 0.0 {
        return 0.0;
    }
    edges(outline)
        .map(|(a, b)| {
            let along = (b - a).length_squared();
            let t = if along > 0.0 { ((point - a).dot(b - a) / along).clamp(0.0, 1.0) } else { 0.0 };
            point.distance(a + (b - a) * t)
        })
        .fold(f32::INFINITY, f32::min)
}

/// The outline moved inward by a distance (outward where it is negative, corners staying sharp); empty
/// where nothing is left.
pub fn shrunk(outline: &[Vec2], by_m: f32) -> Vec<Vec2> {
    let mut kept = if by_m < 0.0 { grown_box(outline, -by_m * 16.0 + 1.0) } else { outline.to_vec() };
    for (a, b) in edges(outline) {
        let length = a.distance(b);
        if length > 0.0 {
            kept = cut(&kept, |point| turn(a, b, point) / f64::from(length) - f64::from(by_m));
        }
    }
    if signed_area(&kept) > 1e-9 { kept } else { Vec::new() }
}

fn grown_box(outline: &[Vec2], by: f32) -> Vec<Vec2> {
    let low = outline.iter().copied().fold(Vec2::INFINITY, Vec2::min) - by;
    let high = outline.iter().copied().fold(Vec2::NEG_INFINITY, Vec2::max) + by;
    vec![low, Vec2::new(low.x, high.y), high, Vec2::new(high.x, low.y)]
}

/// The part of a convex outline where `side` is not negative; `side` is linear.
fn cut(outline: &[Vec2], side: impl Fn(Vec2) -> f64) -> Vec<Vec2> {
    let mut kept = Vec::with_capacity(outline.len() + 1);
    for (a, b) in edges(outline) {
        let (sa, sb) = (side(a), side(b));
        if sa >= 0.0 {
            kept.push(a);
        }
        if (sa >= 0.0) != (sb >= 0.0) {
            kept.push(a + (b - a) * (sa / (sa - sb)) as f32);
        }
    }
    kept
}

/// The area in m² that two convex outlines have in common.
pub fn common_area(a: &[Vec2], b: &[Vec2]) -> f64 {
    let mut kept = a.to_vec();
    for (from, to) in edges(b) {
        kept = cut(&kept, |point| turn(from, to, point));
    }
    signed_area(&kept).max(0.0)
}

/// The shorter side in metres of the smallest rectangle around a convex outline.
pub fn width(outline: &[Vec2]) -> f32 {
    edges(outline)
        .filter(|(a, b)| a.distance(*b) > 0.0)
        .map(|(a, b)| {
            let length = f64::from(a.distance(b));
            outline.iter().map(|&point| (turn(a, b, point) / length) as f32).fold(0.0, f32::max)
        })
        .fold(f32::INFINITY, f32::min)
}

fn edges(outline: &[Vec2]) -> impl Iterator<Item = (Vec2, Vec2)> {
    let count = outline.len();
    (0..count).map(move |index| (outline[index], outline[(index + 1) % count]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> Vec<Vec2> {
        [(0.0, 0.0), (0.0, 2.0), (2.0, 2.0), (2.0, 0.0)].map(|(x, z)| Vec2::new(x, z)).to_vec()
    }

    #[test]
    fn a_hull_runs_counter_clockwise_seen_from_above() {
        let mut points = square();
        points.extend([Vec2::new(1.0, 1.0), Vec2::new(1.0, 0.0), Vec2::new(0.3, 1.7)]);
        let found = hull(&points);
        assert_eq!(found.len(), 4);
        assert_eq!(signed_area(&found), 4.0);
        assert_eq!(hull(&[Vec2::ZERO, Vec2::ONE, Vec2::new(2.0, 2.0)]).len(), 2);
    }

    /// Appendix B: points are uniform. A hexagon that is not regular is cut into cells of a grid; counts
    /// in cells wholly inside follow χ² with as many degrees of freedom as cells, less one.
    #[test]
    fn algorithm_2_is_uniform_by_a_chi_square_test() {
        let outline = hull(
            &[(0.0, 0.2), (0.5, -0.6), (2.0, -0.7), (2.6, 0.1), (2.2, 1.1), (0.4, 1.3)]
                .map(|(x, z)| Vec2::new(x, z)),
        );
        assert_eq!(outline.len(), 6);
        let (cell, draws) = (0.2_f32, 60_000);
        let area = signed_area(&outline);
        let mut cells = Vec::new();
        for column in 0..14 {
            for row in -5..8 {
                let low = Vec2::new(column as f32, row as f32) * cell;
                let corners = [(0.0, 0.0), (cell, 0.0), (0.0, cell), (cell, cell)];
                if corners.iter().all(|&(x, z)| inset(&outline, low + Vec2::new(x, z)) >= 0.0) {
                    cells.push((low, 0_u32));
                }
            }
        }
        let mut stream = Stream::new(11, "algorithm 2", "uniform");
        for _ in 0..draws {
            let point = sample(&outline, &mut stream).unwrap();
            assert!(inset(&outline, point) >= -1e-5, "{point} lies outside");
            if let Some((_, count)) = cells
                .iter_mut()
                .find(|(low, _)| point.cmpge(*low).all() && point.cmplt(*low + Vec2::splat(cell)).all())
            {
                *count += 1;
            }
        }
        let expected = f64::from(draws) * f64::from(cell) * f64::from(cell) / area;
        let chi2: f64 = cells
            .iter()
            .map(|&(_, count)| (f64::from(count) - expected) * (f64::from(count) - expected) / expected)
            .sum();
        // The 99.9 % point by Wilson and Hilferty; the cells are not the whole, so the sum is smaller.
        let freedom = cells.len() as f64;
        let root = 1.0 - 2.0 / (9.0 * freedom) + 3.09 * (2.0 / (9.0 * freedom)).sqrt();
        assert!(cells.len() > 60, "{}", cells.len());
        assert!(chi2 < freedom * root * root * root, "χ² = {chi2} with {freedom} cells");
        assert!(chi2 > freedom * 0.5, "χ² = {chi2}: too even to be random");
    }

    #[test]
    fn shrinking_and_growing_move_the_edges() {
        assert!((signed_area(&shrunk(&square(), 0.25)) - 2.25).abs() < 1e-5);
        assert!((signed_area(&shrunk(&square(), -0.5)) - 9.0).abs() < 1e-4);
        assert!(shrunk(&square(), 1.01).is_empty());
        assert_eq!(outside(&square(), Vec2::new(3.0, 1.0)), 1.0);
        assert_eq!(outside(&square(), Vec2::ONE), 0.0);
        assert_eq!(width(&square()), 2.0);
        let moved: Vec<Vec2> = square().iter().map(|&p| p + Vec2::new(1.5, 0.0)).collect();
        assert!((common_area(&square(), &moved) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn an_outline_without_area_gives_no_point() {
        let mut stream = Stream::new(1, "", "");
        assert_eq!(sample(&[], &mut stream), None);
        assert_eq!(sample(&[Vec2::ZERO, Vec2::ONE], &mut stream), None);
    }
}
