use super::{GenerateError, Generated, Level, Reasons, island_radius, levels, provenance, rotation};
use crate::extras::Extras;
use crate::set::EpisodeSet;
use crate::types::{Episode, Task};
use ambler_geometry::Vec3;
use ambler_geometry::random::Stream;
use ambler_navmesh::{NavMesh, NavQuery};
use std::sync::Arc;

/// Rules of drawing point goals; the defaults are those of Habitat's generator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointNavOptions {
    /// Least geodesic distance, metres. Lowered, with a note, on floors too small for it.
    pub min_distance_m: f64,
    /// Greatest geodesic distance, metres.
    pub max_distance_m: f64,
    /// Greatest difference in height between start and goal, metres.
    pub max_rise_m: f32,
    /// Pairs whose ratio of geodesic to Euclidean distance r is below this are nearly straight
    /// walks: they are kept with probability 20 · (r − 0.98)².
    pub straight_ratio: f64,
    /// Least radius of the island, metres: keeps starts off table tops. Lowered, with a note,
    /// where no island is so large.
    pub min_island_radius_m: f32,
    /// The radius written to the file, metres (the success rule decides, not this).
    pub goal_radius_m: f64,
    /// Candidates per episode and level of relaxation.
    pub tries: u32,
}

impl Default for PointNavOptions {
    fn default() -> Self {
        Self {
            min_distance_m: 1.0,
            max_distance_m: 30.0,
            max_rise_m: 0.5,
            straight_ratio: 1.1,
            min_island_radius_m: 1.5,
            goal_radius_m: 0.2,
            tries: 1500,
        }
    }
}

/// Draws `count` point-goal episodes. `scene_id` names the scene in the episodes.
///
/// # Errors
/// When the navmesh has no floor, or not one episode passes the rules.
pub fn pointnav(
    scene_id: &str,
    mesh: &Arc<NavMesh>,
    count: usize,
    seed: u64,
    options: &PointNavOptions,
) -> Result<Generated, GenerateError> {
    if !(options.min_distance_m > 0.0 && options.max_distance_m > options.min_distance_m) {
        return Err(GenerateError::Options("distances must satisfy 0 < least < greatest".into()));
    }
    let mut query = NavQuery::new(Arc::clone(mesh));
    let (radius_m, lowered) = island_radius(mesh, options.min_island_radius_m);
    let levels = levels(options.min_distance_m);
    let mut refused = Reasons::default();
    let mut notes = Vec::new();
    let mut episodes = Vec::new();
    let mut at_level = vec![0usize; levels.len()];
    // The level that the last episode needed is where a small floor's next one begins too.
    for index in 0..count {
        let mut stream = Stream::new(seed, scene_id, &format!("pointnav {index}"));
        let drawn = levels.iter().enumerate().find_map(|(number, level)| {
            let pair = draw(&mut query, &mut stream, level, radius_m, options, &mut refused)?;
            Some((number, pair))
        });
        let Some((number, (start, goal, geodesic_m))) = drawn else {
            if query.random_point(&mut stream, None).is_none() {
                return Err(GenerateError::NoFloor);
            }
            // What 7,500 candidates did not give, further episodes will not give either.
            break;
        };
        at_level[number] += 1;
        let yaw = stream.range(0.0, std::f64::consts::TAU);
        let task = Task::point(goal, Some(options.goal_radius_m));
        let mut info = Extras::default();
        info.set("geodesic_distance", f64::from(geodesic_m));
        info.set("euclidean_distance", f64::from(start.distance(goal)));
        episodes.push(
            Episode::new(index.to_string(), scene_id, start, rotation(yaw), task)?.with_info(info),
        );
    }
    if episodes.is_empty() && count > 0 {
        return Err(GenerateError::NoneFits { reasons: refused, area_m2: mesh.area_m2() });
    }
    if lowered {
        notes.push(format!(
            "no island has a radius of {} m: {radius_m:.2} m is asked for instead",
            options.min_island_radius_m
        ));
    }
    note_levels(&mut notes, &levels, &at_level);
    if episodes.len() < count {
        notes.push(format!(
            "{} of {count} episodes: the floor gives no more ({refused})",
            episodes.len()
        ));
    }
    let mut set = EpisodeSet::new(episodes);
    provenance(&mut set, "pointnav", seed, mesh);
    Ok(Generated { set, refused, notes })
}

pub(super) fn note_levels(notes: &mut Vec<String>, levels: &[Level], used: &[usize]) {
    for (level, &count) in levels.iter().zip(used).skip(1) {
        if count > 0 {
            let straight = if level.straight_rule { "" } else { ", straight walks allowed" };
            notes.push(format!(
                "small floor: {count} episodes with a least distance of {:.2} m{straight}",
                level.min_distance_m
            ));
        }
    }
}

fn draw(
    query: &mut NavQuery,
    stream: &mut Stream,
    level: &Level,
    radius_m: f32,
    options: &PointNavOptions,
    refused: &mut Reasons,
) -> Option<(Vec3, Vec3, f32)> {
    for _ in 0..options.tries {
        let goal = query.random_point(stream, None)?;
        let Ok(island) = query.island_of(goal) else {
            refused.count("goal off the navmesh");
            continue;
        };
        let radius = query.mesh().islands().get(island as usize).map_or(0.0, |island| island.radius_m);
        if radius < radius_m {
            refused.count("island too small");
            continue;
        }
        let start = query.random_point(stream, Some(island))?;
        if (start.y - goal.y).abs() > options.max_rise_m {
            refused.count("start and goal on different heights");
            continue;
        }
        let Ok(geodesic_m) = query.geodesic(start, goal) else {
            refused.count("unreachable");
            continue;
        };
        let geodesic = f64::from(geodesic_m);
        if geodesic < level.min_distance_m {
            refused.count("too near");
            continue;
        }
        if geodesic > options.max_distance_m {
            refused.count("too far");
            continue;
        }
        let ratio = geodesic / f64::from(start.distance(goal)).max(1e-6);
        if level.straight_rule && ratio < options.straight_ratio {
            let keep = 20.0 * (ratio - 0.98) * (ratio - 0.98);
            if stream.uniform() > keep {
                refused.count("nearly straight");
                continue;
            }
        }
        return Some((start, goal, geodesic_m));
    }
    None
}
