//! Stage 10: object-goal episodes of a variant: the things that were placed are what is looked for.

use crate::SdovonError;
use ambler_episode::generate::{GenerateError, Reasons, ViewPointOptions, view_points};
use ambler_episode::{Episode, Extras, ObjectGoal, ObjectId, Task};
use ambler_geometry::Vec3;
use ambler_geometry::random::Stream;
use ambler_navmesh::{GoalSet, NavMesh, NavQuery};
use ambler_scene::Instance;
use ambler_sensor::{Frame, Renderer};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Which objects of the category count as found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GoalMode {
    /// Any, as Habitat's object goals do; the one that was drawn is in the episode's `info`.
    #[default]
    Any,
    /// The one that was drawn, the same for all episodes of a category in a variant.
    Instance,
}

/// Rules of drawing episodes.
#[derive(Clone, Debug, PartialEq)]
pub struct EpisodeOptions {
    /// k_e: episodes for each category of a variant.
    pub per_category: u32,
    /// How view points are found; an object without one is no goal.
    pub views: ViewPointOptions,
    /// Which objects count.
    pub goals: GoalMode,
    /// Geodesic distance to the nearest view point, metres, least and most. The least is lowered, and said
    /// so, where a home is too small.
    pub distance_m: [f64; 2],
    /// Least geodesic distance over straight distance.
    pub detour: f64,
    /// The start is not farther above or below the goal's view point, metres.
    pub rise_m: f32,
    /// Starts tried for an episode.
    pub tries: u32,
    /// Least radius of the island of the navmesh, metres.
    pub island_m: f32,
}

impl Default for EpisodeOptions {
    fn default() -> Self {
        let views = ViewPointOptions { min_share: 1e-4, ..ViewPointOptions::default() };
        let camera = ambler_sensor::CameraSpec { width: 256, height: 256, ..views.camera.clone() };
        Self {
            per_category: 1,
            views: ViewPointOptions { camera, ..views },
            goals: GoalMode::Any,
            distance_m: [1.0, 30.0],
            detour: 1.05,
            rise_m: 0.25,
            tries: 2000,
            island_m: 1.5,
        }
    }
}

/// Episodes of a variant, and what is none.
#[derive(Clone, Debug)]
pub struct Made {
    /// The episodes, category by category.
    pub episodes: Vec<Episode>,
    /// What was left out.
    pub report: Report,
}

/// What was left out of a variant's episodes, and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Objects that are no goals, with the reason.
    pub objects: BTreeMap<String, String>,
    /// Categories of which no object is a goal, or that no start fits, with the reason.
    pub categories: BTreeMap<String, String>,
    /// Categories with episodes: n_c of the paper.
    pub valid_categories: u32,
    /// Episodes drawn under relaxed rules.
    pub relaxed: u32,
}

/// An object that can be looked for.
struct Goal {
    goal: ObjectGoal,
    category: String,
}

/// Draws the episodes of a variant: k_e for each of `categories` (those of the things that were placed).
/// All instances of the scene with such a category are goals, those that the home had before too.
///
/// # Errors
/// A camera that makes no image, a navmesh without a floor.
pub fn episodes(
    scene_id: &str,
    renderer: &Renderer,
    mesh: &Arc<NavMesh>,
    categories: &BTreeSet<&str>,
    seed: u64,
    options: &EpisodeOptions,
) -> Result<Made, SdovonError> {
    let mut report = Report::default();
    let island_m = options.island_m.min(0.7 * largest_island(mesh));
    let mut goals = goals(renderer, mesh, categories, island_m, options, &mut report)?;
    let mut query = NavQuery::new(Arc::clone(mesh));
    let mut episodes = Vec::new();
    for &category in categories {
        let mut own: Vec<ObjectGoal> = Vec::new();
        goals.retain(|goal| {
            let is_own = goal.category == category;
            if is_own {
                own.push(goal.goal.clone());
            }
            !is_own
        });
        let mut stream = Stream::new(seed, scene_id, &format!("sd-ovon episodes {category}"));
        if own.is_empty() {
            let why = "no object of it can be seen from the floor beside it";
            report.categories.insert(category.to_owned(), why.to_owned());
            continue;
        }
        if options.goals == GoalMode::Instance {
            own = vec![own.swap_remove(stream.index(own.len()))];
        }
        let own = Arc::new(own);
        let before = episodes.len();
        for _ in 0..options.per_category {
            match draw(scene_id, &mut query, category, &own, island_m, options, &mut stream) {
                Ok((episode, relaxed)) => {
                    report.relaxed += u32::from(relaxed);
                    episodes.push(episode.with_id(episodes.len())?);
                }
                Err(why) => {
                    report.categories.insert(category.to_owned(), why.to_owned());
                }
            }
        }
        report.valid_categories += u32::from(episodes.len() > before);
    }
    let episodes = episodes.into_iter().map(|numbered| numbered.0).collect();
    Ok(Made { episodes, report })
}

fn largest_island(mesh: &NavMesh) -> f32 {
    mesh.islands().iter().map(|island| island.radius_m).fold(0.0, f32::max)
}

/// Objects of the categories that can be seen from a floor large enough.
fn goals(
    renderer: &Renderer,
    mesh: &Arc<NavMesh>,
    categories: &BTreeSet<&str>,
    island_m: f32,
    options: &EpisodeOptions,
    report: &mut Report,
) -> Result<Vec<Goal>, SdovonError> {
    let scene = renderer.scene();
    let wanted: Vec<(&Instance, &str)> = scene
        .instances
        .iter()
        .map(|instance| (instance, scene.category_name(instance.category)))
        .filter(|(_, category)| categories.contains(category))
        .collect();
    let found: Vec<Result<(Option<ObjectGoal>, Reasons), GenerateError>> = wanted
        .par_iter()
        .map_init(
            || (NavQuery::new(Arc::clone(mesh)), Frame::default()),
            |(query, frame), &(instance, category)| {
                let mut reasons = Reasons::default();
                let mut views =
                    view_points(renderer, query, instance, &options.views, frame, &mut reasons)?;
                views.retain(|view| {
                    let island = query.island_of(view.position).ok();
                    let radius = island.and_then(|island| mesh.islands().get(island as usize));
                    radius.is_some_and(|island| island.radius_m >= island_m)
                });
                let goal = (!views.is_empty()).then(|| ObjectGoal {
                    position: instance.bounds.center(),
                    object_id: Some(ObjectId::Number(instance.source_id)),
                    object_name: instance.name.clone(),
                    object_category: category.to_owned(),
                    view_points: views,
                    ..ObjectGoal::default()
                });
                Ok((goal, reasons))
            },
        )
        .collect();
    let mut goals = Vec::new();
    for ((instance, category), found) in wanted.into_iter().zip(found) {
        let (goal, reasons) = found.map_err(|error| SdovonError::Settings(error.to_string()))?;
        match goal {
            Some(goal) => goals.push(Goal { goal, category: category.to_owned() }),
            None => {
                report.objects.insert(instance.name.clone(), reasons.to_string());
            }
        }
    }
    Ok(goals)
}

/// An episode, numbered.
struct Numbered(Episode);

/// An episode that has no number yet.
struct Drawn {
    scene_id: String,
    start: Vec3,
    rotation: [f64; 4],
    task: Task,
    info: Extras,
}

impl Drawn {
    fn with_id(self, number: usize) -> Result<Numbered, SdovonError> {
        let episode =
            Episode::new(number.to_string(), &self.scene_id, self.start, self.rotation, self.task)
                .map_err(|error| SdovonError::Settings(error.to_string()))?;
        let mut episode = episode.with_info(self.info);
        let config = format!("{}.scene_dataset_config.json", crate::export::NAME);
        episode.extra.set("scene_dataset_config", config);
        Ok(Numbered(episode))
    }
}

/// Rules from those asked for down to what a single room can give: least distance and detour.
fn levels(options: &EpisodeOptions) -> [(f64, f64); 4] {
    let least = options.distance_m[0];
    [(least, options.detour), (least, 0.0), (0.6 * least, 0.0), (0.3 * least, 0.0)]
}

fn draw(
    scene_id: &str,
    query: &mut NavQuery,
    category: &str,
    goals: &Arc<Vec<ObjectGoal>>,
    island_m: f32,
    options: &EpisodeOptions,
    stream: &mut Stream,
) -> Result<(Drawn, bool), &'static str> {
    // The instance that is drawn: the start is near enough to it. Any of the category counts.
    let drawn = stream.index(goals.len());
    let points = |goals: &[ObjectGoal]| -> Vec<Vec3> {
        goals.iter().flat_map(|goal| goal.view_points.iter().map(|view| view.position)).collect()
    };
    let all = points(goals);
    let prepared = query.prepare_goals(&all);
    let instance = goals.get(drawn).map(|goal| points(std::slice::from_ref(goal)));
    let instance = query.prepare_goals(&instance.unwrap_or_default());
    let tries = options.tries / 4;
    let mut why = "no start fits";
    for (level, (least, detour)) in levels(options).into_iter().enumerate() {
        for _ in 0..tries.max(1) {
            let Some(start) = query.random_point(stream, None) else { return Err("there is no floor") };
            match fits(query, start, &prepared, &instance, &all, island_m, [least, detour], options) {
                Err(reason) => why = reason,
                Ok(geodesic_m) => {
                    let yaw = stream.range(0.0, std::f64::consts::TAU);
                    let nearest = goals.iter().map(|goal| goal.position.distance(start));
                    let mut info = Extras::default();
                    info.set("geodesic_distance", f64::from(geodesic_m));
                    info.set("euclidean_distance", f64::from(nearest.fold(f32::MAX, f32::min)));
                    let id = goals.get(drawn).and_then(|goal| goal.object_id.as_ref());
                    if let Some(ObjectId::Number(id)) = id {
                        info.set("closest_goal_object_id", *id);
                    }
                    let task = Task::ObjectNav {
                        category: category.into(),
                        goals: Arc::clone(goals),
                        children: Vec::new(),
                    };
                    let rotation = [0.0, libm::sin(yaw * 0.5), 0.0, libm::cos(yaw * 0.5)];
                    let scene_id = scene_id.to_owned();
                    return Ok((Drawn { scene_id, start, rotation, task, info }, level > 0));
                }
            }
        }
    }
    Err(why)
}

/// The geodesic distance in metres from a start that the rules allow to the nearest view point.
fn fits(
    query: &mut NavQuery,
    start: Vec3,
    prepared: &GoalSet,
    instance: &GoalSet,
    points: &[Vec3],
    island_m: f32,
    [least, detour]: [f64; 2],
    options: &EpisodeOptions,
) -> Result<f32, &'static str> {
    let island = query.island_of(start).map_err(|_| "starts lie off the navmesh")?;
    let radius = query.mesh().islands().get(island as usize).map_or(0.0, |island| island.radius_m);
    if radius < island_m {
        return Err("starts lie on islands too small");
    }
    query.geodesic_to(instance, start).map_err(|_| "starts cannot reach the object")?;
    let (distance, point) =
        query.geodesic_to(prepared, start).map_err(|_| "starts cannot reach the object")?;
    let geodesic = f64::from(distance);
    let goal = points.get(point).copied().unwrap_or(start);
    if geodesic < least {
        return Err("starts are too near");
    }
    if geodesic > options.distance_m[1] {
        return Err("starts are too far");
    }
    if (start.y - goal.y).abs() > options.rise_m {
        return Err("starts are on other floors");
    }
    let straight = f64::from(start.distance(goal)).max(1e-6);
    if geodesic / straight < detour {
        return Err("ways are straight");
    }
    Ok(distance)
}

/// N = k_s · k_v · n_c · k_e (the paper's equation 6): homes, variants of each, categories of a variant on
/// average, episodes of each.
pub fn expected(homes: u32, variants: u32, mean_categories: f64, per_category: u32) -> f64 {
    f64::from(homes) * f64::from(variants) * mean_categories * f64::from(per_category)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SD-OVON-3k: 8 homes, 363 variants, 2,897 episodes; 7.98 categories a variant with one episode each.
    #[test]
    fn the_papers_small_set_has_eight_categories_a_variant() {
        let per_variant = 2897.0 / 363.0;
        assert!((per_variant - 8.0_f64).abs() < 0.03);
        assert!((expected(1, 363, per_variant, 1) - 2897.0).abs() < 1e-9);
    }

    #[test]
    fn the_least_share_is_the_papers_and_31_pixels_of_its_image() {
        let options = EpisodeOptions::default();
        assert_eq!(options.views.min_share, 1e-4);
        assert_eq!((1e-4_f64 * 640.0 * 480.0).ceil() as u32, 31);
        assert_eq!(options.views.grid_m, 0.1);
        assert_eq!(options.views.reach_m, 1.0);
    }
}
