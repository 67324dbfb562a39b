//! Stage 2: where to look from, until the free floor is covered.

use crate::floors::FloorMap;
use crate::grid::Grid;
use crate::settings::{CoverageSettings, GaussianNorm};
use ambler_geometry::random::Stream;
use ambler_geometry::{Heading, Pose, Vec2, Vec3};
use ambler_sensor::{CameraSpec, Outputs, Projection};
use serde::{Deserialize, Serialize};

/// Where a floor is looked at from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coverage {
    /// Places (x, z) on the floor, in the order in which they were found.
    pub places: Vec<Vec2>,
    /// The paper's map M_P after the last one, 0 to 1.
    pub map: Grid<f32>,
    /// Share of the free cells that are strongly covered.
    pub covered: f32,
    /// Candidates drawn.
    pub iterations: u32,
}

/// Coverage is added up on cells of this side, metres.
const CELL_M: f32 = 0.1;
/// Beyond so many σ a Gaussian adds nothing worth a cell.
const REACH: f32 = 2.0;

/// Draws places on a floor: each where the map says 1 − M_P, adding a Gaussian around itself that leaves
/// out its inner disc, until enough of the floor is strongly covered.
pub fn sample(floor: &FloorMap, settings: &CoverageSettings, stream: &mut Stream) -> Coverage {
    let end = floor.free.origin
        + Vec2::new(floor.free.columns as f32, floor.free.rows as f32) * floor.free.cell_m;
    let mut map = Grid::over(floor.free.origin, end, CELL_M, 0.0_f32);
    let free: Vec<usize> =
        (0..map.cells.len()).filter(|&index| floor.free.at(map.center(index)) == Some(&true)).collect();
    let sigma = match settings.gaussian_norm {
        GaussianNorm::Sigma => settings.r_max_m,
        // g(r) = 1/2 at r = σ √(2 ln 2).
        GaussianNorm::HalfRadius => settings.r_max_m / 1.177_41,
    };
    let mut places = Vec::new();
    let mut covered = 0.0;
    let mut iterations = 0;
    while iterations < settings.iterations && covered < settings.enough && !free.is_empty() {
        iterations += 1;
        let weights = free.iter().map(|&index| f64::from(1.0 - map.cells[index]));
        let total: f64 = weights.clone().sum();
        if !(total > 1e-9) {
            break;
        }
        let mut left = stream.uniform() * total;
        let chosen = weights.zip(&free).find(|(weight, _)| {
            left -= weight;
            left < 0.0
        });
        let Some(&cell) = chosen.map(|(_, cell)| cell).or(free.last()) else { break };
        let place = map.center(cell);
        add(&mut map, floor, place, sigma, settings);
        places.push(place);
        let strong = free.iter().filter(|&&index| map.cells[index] >= settings.strong).count();
        covered = strong as f32 / free.len() as f32;
    }
    Coverage { places, map, covered, iterations }
}

fn add(map: &mut Grid<f32>, floor: &FloorMap, place: Vec2, sigma: f32, settings: &CoverageSettings) {
    let reach = (sigma * REACH / map.cell_m).ceil() as i64;
    let Some(middle) = map.index_at(place) else { return };
    let (row, column) = ((middle / map.columns) as i64, (middle % map.columns) as i64);
    for dr in -reach..=reach {
        for dc in -reach..=reach {
            let (r, c) = (row + dr, column + dc);
            if r < 0 || c < 0 || r >= map.rows as i64 || c >= map.columns as i64 {
                continue;
            }
            let index = r as usize * map.columns + c as usize;
            let center = map.center(index);
            let distance = center.distance(place);
            if distance < settings.r_min_m || distance > sigma * REACH || map.cells[index] >= 1.0 {
                continue;
            }
            if settings.line_of_sight && !floor.walls.sees(place, center) {
                continue;
            }
            let share = f64::from(distance / sigma);
            let g = libm::exp(-0.5 * share * share) as f32;
            map.cells[index] = (map.cells[index] + g).min(1.0);
        }
    }
}

/// The camera of the observations.
pub fn camera(settings: &CoverageSettings) -> CameraSpec {
    CameraSpec {
        name: "observer".into(),
        width: settings.image[0],
        height: settings.image[1],
        projection: Projection::Pinhole { hfov_deg: settings.hfov_deg },
        mount: Vec3::new(0.0, settings.camera_height_m, 0.0),
        near_m: settings.depth_m[0],
        far_m: settings.depth_m[1],
        outputs: Outputs { depth: true, instance: true, ..Outputs::NONE },
        ..CameraSpec::default()
    }
}

/// One view: where the body stands and how the camera is tilted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// The body.
    pub pose: Pose,
    /// Tilt of the camera, radians, positive up.
    pub tilt_rad: f64,
}

/// All views of a floor: every yaw and pitch at every place.
pub fn views(floor: &FloorMap, coverage: &Coverage, settings: &CoverageSettings) -> Vec<View> {
    let mut views = Vec::new();
    for place in &coverage.places {
        for turn in 0..settings.yaws.max(1) {
            let yaw = std::f64::consts::TAU * f64::from(turn) / f64::from(settings.yaws.max(1));
            for pitch in &settings.pitches_deg {
                let position = Vec3::new(place.x, floor.y, place.y);
                let pose = Pose { position, heading: Heading::from_yaw(yaw) };
                views.push(View { pose, tilt_rad: f64::from(*pitch).to_radians() });
            }
        }
    }
    views
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hall(walls: bool) -> FloorMap {
        let mut free = Grid::over(Vec2::ZERO, Vec2::new(12.0, 6.0), 0.05, true);
        let mut blocked = free.like(false);
        for index in 0..free.cells.len() {
            let at = free.center(index);
            if walls && (at.x - 6.0).abs() < 0.1 && at.y < 5.0 {
                free.cells[index] = false;
                blocked.cells[index] = true;
            }
        }
        FloorMap { y: 0.0, next_y: None, free, walls: blocked }
    }

    #[test]
    fn sampling_stops_when_enough_is_covered_and_the_same_seed_gives_the_same_places() {
        let settings = CoverageSettings::default();
        let run = |seed| sample(&hall(true), &settings, &mut Stream::new(seed, "hall", "coverage"));
        let found = run(1);
        assert!(found.covered >= settings.enough && found.iterations < 100);
        assert!(found.places.len() >= 3, "a wall hides one half from the other");
        assert_eq!(found, run(1));
        assert_ne!(found.places, run(2).places);
    }

    #[test]
    fn a_place_covers_a_ring_and_not_its_inner_disc() {
        let settings = CoverageSettings { iterations: 1, ..crate::settings::Settings::paper().coverage };
        let found = sample(&hall(false), &settings, &mut Stream::new(5, "hall", "coverage"));
        let place = found.places[0];
        let toward = if place.x < 6.0 { 1.0 } else { -1.0 };
        let at = |d: f32| *found.map.at(place + Vec2::new(d * toward, 0.0)).unwrap();
        assert_eq!(at(0.2), 0.0);
        // Strong where g ≥ 0.5: up to σ √(2 ln 2) = 3.53 m.
        assert!(at(3.3) >= 0.5 && at(3.8) < 0.5);
        assert!((at(3.0) - 0.6065).abs() < 0.03);
    }

    #[test]
    fn candidates_are_drawn_where_little_is_covered() {
        let settings = crate::settings::Settings::paper().coverage;
        let mut far = 0;
        for seed in 0..40 {
            let two = CoverageSettings { iterations: 2, enough: 1.0, ..settings.clone() };
            let found = sample(&hall(false), &two, &mut Stream::new(seed, "hall", "second"));
            far += u32::from(found.places[0].distance(found.places[1]) > 3.5);
        }
        assert!(far > 24, "{far} of 40 second places lie outside the first one's strong ring");
    }

    #[test]
    fn every_yaw_and_pitch_is_looked_at() {
        let settings = CoverageSettings { iterations: 3, ..CoverageSettings::default() };
        let floor = hall(true);
        let found = sample(&floor, &settings, &mut Stream::new(1, "hall", "coverage"));
        assert_eq!(views(&floor, &found, &settings).len(), found.places.len() * 16);
    }
}
