use glam::Vec2;

/// Even-odd test of a point against a closed polygon in the floor plane (x, z).
pub fn polygon_contains(polygon: &[Vec2], point: Vec2) -> bool {
    let mut inside = false;
    let Some(mut previous) = polygon.last().copied() else { return false };
    for &corner in polygon {
        if (corner.y > point.y) != (previous.y > point.y) {
            let x = (previous.x - corner.x) * (point.y - corner.y) / (previous.y - corner.y) + corner.x;
            if point.x < x {
                inside = !inside;
            }
        }
        previous = corner;
    }
    inside
}

/// Area of a simple polygon in square metres, whatever its winding.
pub fn polygon_area(polygon: &[Vec2]) -> f64 {
    let Some(mut previous) = polygon.last().copied() else { return 0.0 };
    let mut twice = 0.0;
    for &corner in polygon {
        twice +=
            f64::from(previous.x) * f64::from(corner.y) - f64::from(corner.x) * f64::from(previous.y);
        previous = corner;
    }
    twice.abs() * 0.5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_l_shape_holds_its_arm_and_not_its_notch() {
        let l: Vec<Vec2> = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)]
            .map(|(x, y)| Vec2::new(x, y))
            .to_vec();
        assert!(polygon_contains(&l, Vec2::new(0.5, 1.5)));
        assert!(!polygon_contains(&l, Vec2::new(1.5, 1.5)));
        assert_eq!(polygon_area(&l), 3.0);
        assert!(!polygon_contains(&[], Vec2::ZERO));
    }
}
