//! Drawing new episodes from a seed: the same seed, scene and navmesh give the same episodes, and
//! the first ten of a hundred are the ten of a request for ten.
//!
//! All searching is bounded: a floor too small or a scene with nothing to find gives a
//! [`GenerateError`] that counts why candidates were refused, never an endless loop.

mod objectnav;
pub mod obstacles;
mod pointnav;
mod view_points;

pub use objectnav::{ObjectNavOptions, objectnav};
pub use pointnav::{PointNavOptions, pointnav};
pub use view_points::{ViewPointOptions, view_points};

use crate::error::EpisodeError;
use crate::set::EpisodeSet;
use ambler_navmesh::NavMesh;
use ambler_sensor::SensorError;
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt;

/// Why no episodes could be drawn.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// The navmesh has no floor.
    #[error(
        "the navmesh has no floor to start on; build it for a smaller body or check the scene's up axis"
    )]
    NoFloor,
    /// Nothing in the scene can be a goal.
    #[error(
        "nothing to look for in this scene ({reasons}); label objects in its scene.ron \
         (objects: [(category: …, …)]), or give a scene with furniture on its floor"
    )]
    NothingToFind {
        /// Why candidates were refused.
        reasons: Reasons,
    },
    /// Not one episode passed the rules.
    #[error(
        "no episode passed the rules ({reasons}); the floor has {area_m2:.2} m²: lower the distances asked for"
    )]
    NoneFits {
        /// Why candidates were refused.
        reasons: Reasons,
        /// Area of the navmesh, m².
        area_m2: f32,
    },
    /// An option that makes no sense.
    #[error("{0}")]
    Options(String),
    /// The camera of the options.
    #[error("{0}")]
    Sensor(#[from] SensorError),
    /// An episode that could not be made.
    #[error("{0}")]
    Episode(#[from] EpisodeError),
}

/// How often candidates were refused, by reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reasons(pub BTreeMap<&'static str, u64>);

impl Reasons {
    /// Counts one more.
    pub fn count(&mut self, reason: &'static str) {
        *self.0.entry(reason).or_insert(0) += 1;
    }

    /// Adds another's counts.
    pub fn add(&mut self, other: &Self) {
        for (reason, count) in &other.0 {
            *self.0.entry(reason).or_insert(0) += count;
        }
    }
}

impl fmt::Display for Reasons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("no candidates");
        }
        for (index, (reason, count)) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{reason} ×{count}")?;
        }
        Ok(())
    }
}

/// Episodes drawn, with what happened on the way.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The episodes; fewer than asked for where the rules left no more (then a note says so).
    pub set: EpisodeSet,
    /// Why candidates were refused.
    pub refused: Reasons,
    /// What a user should know (relaxed rules, categories left out).
    pub notes: Vec<String>,
}

/// Smaller floors get shorter distances: each level scales the least distance and, from the third
/// on, drops the rule against straight lines. 0.3 m stays above every success distance.
#[derive(Clone, Copy, Debug)]
struct Level {
    min_distance_m: f64,
    straight_rule: bool,
}

/// Levels from the rule as asked down to what a floor of a square metre can give.
fn levels(min_distance_m: f64) -> Vec<Level> {
    let mut levels = vec![
        Level { min_distance_m, straight_rule: true },
        Level { min_distance_m, straight_rule: false },
    ];
    for share in [0.7, 0.5, 0.3] {
        let lower = min_distance_m * share;
        if lower >= 0.3 {
            levels.push(Level { min_distance_m: lower, straight_rule: false });
        }
    }
    levels
}

/// The least island radius that can be asked for: as asked, or, where no island is so large, 0.7
/// of the largest. Second: whether it was lowered.
fn island_radius(mesh: &NavMesh, asked_m: f32) -> (f32, bool) {
    let largest = mesh.islands().iter().map(|island| island.radius_m).fold(0.0, f32::max);
    if largest >= asked_m { (asked_m, false) } else { (0.7 * largest, true) }
}

/// What made a set, for its top-level `ambler` key (Habitat ignores it there).
fn provenance(set: &mut EpisodeSet, what: &str, seed: u64, mesh: &NavMesh) {
    let settings = mesh.settings();
    set.extra.set(
        "ambler",
        json!({
            "generator": what,
            "seed": seed,
            "navmesh": {
                "area_m2": mesh.area_m2(),
                "agent_height_m": settings.agent_height_m,
                "agent_radius_m": settings.agent_radius_m,
                "agent_max_climb_m": settings.agent_max_climb_m,
                "cell_size_m": settings.cell_size_m,
                "cell_height_m": settings.cell_height_m,
            },
        }),
    );
}

/// A rotation (x, y, z, w) by yaw.
fn rotation(yaw: f64) -> [f64; 4] {
    [0.0, libm::sin(yaw * 0.5), 0.0, libm::cos(yaw * 0.5)]
}
