use ambler_navmesh::NavMesh;
use ambler_scene::SceneModel;

/// A floor of a building.
#[derive(Clone, Debug, PartialEq)]
pub struct Storey {
    /// For people.
    pub name: String,
    /// Height of what one walks on, metres.
    pub floor_y: f32,
    /// Where the next floor begins to be in the way, metres; infinite for the highest.
    pub top_y: f32,
}

/// Floors are at least so far apart, metres: less is a step, a landing or a sunken room.
const APART_M: f32 = 1.8;
/// What lies between the rooms of one floor and the walkable surface of the next, metres.
const SLAB_M: f32 = 0.35;
/// A height counts as a floor where at least this share of the walkable area lies at it.
const LEAST_SHARE: f32 = 0.08;
/// Heights are counted in bins of this, metres.
const BIN_M: f32 = 0.1;

/// The floors of a scene, the lowest first: those that it states, else the heights at which much of the
/// walkable area lies.
pub fn storeys(scene: &SceneModel, navmesh: &NavMesh) -> Vec<Storey> {
    let mut heights: Vec<(String, f32)> =
        scene.floors.iter().map(|floor| (floor.name.clone(), floor.y)).collect();
    if heights.is_empty() {
        let found = level_heights(&navmesh.triangles());
        heights = found
            .into_iter()
            .enumerate()
            .map(|(index, y)| (format!("floor {}", index + 1), y))
            .collect();
    }
    heights.sort_by(|a, b| a.1.total_cmp(&b.1));
    let tops: Vec<f32> = (0..heights.len())
        .map(|index| heights.get(index + 1).map_or(f32::INFINITY, |(_, next)| next - SLAB_M))
        .collect();
    heights
        .into_iter()
        .zip(tops)
        .map(|((name, floor_y), top_y)| Storey { name, floor_y, top_y })
        .collect()
}

/// The heights at which the level triangles of a walkable surface are, by area.
fn level_heights(triangles: &[[ambler_geometry::Vec3; 3]]) -> Vec<f32> {
    let mut bins: std::collections::BTreeMap<i64, f32> = Default::default();
    let mut total = 0.0;
    for [a, b, c] in triangles {
        let up = (*b - *a).cross(*c - *a);
        let area = 0.5 * up.length();
        if area > 0.0 && area.is_finite() && up.y.abs() > 0.98 * up.length() {
            *bins.entry(((a.y + b.y + c.y) / 3.0 / BIN_M).round() as i64).or_default() += area;
            total += area;
        }
    }
    let mut order: Vec<(i64, f32)> = bins.into_iter().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut found: Vec<f32> = Vec::new();
    for (bin, area) in order {
        let y = bin as f32 * BIN_M;
        if area >= LEAST_SHARE * total && found.iter().all(|other| (other - y).abs() >= APART_M) {
            found.push(y);
        }
    }
    found.sort_by(f32::total_cmp);
    found
}

/// The floor that a height belongs to: the highest that is not above it.
pub fn storey_at(storeys: &[Storey], y: f32) -> Option<usize> {
    // Halfway up the stairs one is still on the lower floor.
    storeys.iter().rposition(|storey| storey.floor_y <= y + 0.5).or((!storeys.is_empty()).then_some(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ambler_geometry::Vec3;

    fn square(y: f32, side: f32) -> [[Vec3; 3]; 2] {
        let at = |x: f32, z: f32| Vec3::new(x * side, y, z * side);
        [[at(0.0, 0.0), at(0.0, 1.0), at(1.0, 1.0)], [at(0.0, 0.0), at(1.0, 1.0), at(1.0, 0.0)]]
    }

    #[test]
    fn floors_are_where_much_of_the_walkable_area_is_level() {
        // Two floors of 16 m², a landing of 1 m² between them, a table of 4 m² on the lower.
        let parts = [square(0.1, 4.0), square(0.9, 2.0), square(1.5, 1.0), square(2.9, 4.0)];
        let found = level_heights(&parts.concat());
        assert_eq!(found.len(), 2);
        assert!((found[0] - 0.1).abs() < 0.051 && (found[1] - 2.9).abs() < 0.051, "{found:?}");
    }

    #[test]
    fn a_body_on_the_stairs_is_on_the_lower_floor() {
        let storey = |floor_y: f32, top_y: f32| Storey { name: String::new(), floor_y, top_y };
        let both = [storey(0.0, 2.4), storey(2.8, f32::INFINITY)];
        let at = |y| storey_at(&both, y);
        assert_eq!(
            (at(-3.0), at(0.0), at(1.4), at(2.7), at(3.0)),
            (Some(0), Some(0), Some(0), Some(1), Some(1))
        );
        assert_eq!(storey_at(&[], 0.0), None);
    }
}
